# Clients write through the tools with idempotency keys, while backends are killed. A
# client that loses a reply sends the call again with the same key. Every call must
# be done exactly once. With expected_version, a change of another client must never
# be overwritten.
use strict;
use warnings;
use File::Spec;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
use JSON::PP ();
use POSIX qw(:sys_wait_h);
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $WRITERS = 4;
my $EACH = $ENV{KG_LOST_CALLS} // 12;
my $node = new_node('main', 'restart_after_crash = on', 'fsync = off', 'max_connections = 40');
my $json = JSON::PP->new->canonical;

srand($ENV{KG_LOST_SEED} // 14);
$node->safe_psql('postgres', 'CREATE DATABASE kg');
$node->safe_psql('kg', 'CREATE EXTENSION kg_graph');
new_tenant($node, 'kg', 'w', 'admin');
my $bundle = $json->encode({ bundle_name => 'bank', version => '1', entities => [
		{ entity_type => 'account', items => [ map { { id => "a$_", n => 0 } } 1 .. 3 ] } ],
	schemas => [
		{ entity_type => 'account', schema => { type => 'object', 'x-id-field' => 'id', 'x-history' => JSON::PP::true,
			'x-tool-expose' => [qw(get create update delete)], properties => { id => { type => 'string' }, n => { type => 'integer', 'x-index' => JSON::PP::true } } } },
		{ entity_type => 'entry', schema => { type => 'object', 'x-id-field' => 'id', 'x-history' => JSON::PP::true, 'x-tool-expose' => [qw(get create delete)],
			properties => { id => { type => 'string' }, account => { type => 'string', 'x-ref' => 'account', 'x-relation' => 'OF' } } } } ] });
my (undef, undef, $err) = call_as($node, 'kg', 'w', "SELECT kg_apply_bundle('$bundle')");
is($err, '', 'a bundle whose types tools may write is applied');

# Runs psql in a session of its own. Returns its output, or nothing if it fails. The
# statement is an argument, not standard input: a psql that finds no server reads no
# input, and the pipe would break.
sub ask
{
	my ($sql, @more) = @_;
	my ($out, $err) = ('', '');
	IPC::Run::run([ 'psql', '-XAtq', '-h', $node->host, '-p', $node->port, '-d', 'kg', @more, '-c', $sql ],
		'<', File::Spec->devnull, '>', \$out, '2>', \$err, IPC::Run::timeout(180));
	return $out;
}

# Makes one call. Returns its result, or undef if the reply was lost. The call may
# have been done or not.
sub call
{
	my ($name, $arguments) = @_;
	my $text = $json->encode($arguments);
	my $out = ask("SELECT kg_call_tool('$name', '$text')", '-U', 'w');
	return $out =~ /^\{/ ? $json->decode($out) : undef;
}

# Until there is an answer.
sub insist
{
	my ($name, $arguments) = @_;
	for (1 .. 600)
	{
		my $result = call($name, $arguments);
		return $result->{structuredContent} if $result && ($result->{structuredContent}{error}{code} // '') !~ /^(TIMEOUT|INTERNAL)$/;
		usleep(100_000);
	}
	die 'no answer';
}

# A writer, which is a separate process. In each round, it creates one entry, once,
# and adds 1 to an account that all writers change. It repeats each call with the
# same key until it gets a reply.
sub writer
{
	my ($w) = @_;
	my $conflicts = 0;
	srand($w);
	for my $i (1 .. $EACH)
	{
		my $account = 'a' . (1 + int rand 3);
		my $created = insist('create_entry', { items => [ { id => "e$w.$i", account => $account } ], idempotency_key => "entry $w.$i" });
		die $json->encode($created) unless ($created->{counts}{created} // 0) == 1;
		for (my $try = 1;; $try++)
		{
			my ($n, $version) = stored($account);
			my $added = insist('update_account', { idempotency_key => "add $w.$i.$try",
				items => [ { id => $account, set => { n => $n + 1 }, expected_version => $version } ] });
			last if ($added->{counts}{updated} // 0) == 1;
			die $json->encode($added) unless ($added->{error}{errors}[0]{code} // $added->{error}{code} // '') eq 'CONFLICT';
			$conflicts++;
		}
	}
	print "conflicts $conflicts\n";
	return;
}

sub stored
{
	my ($id) = @_;
	for (1 .. 600)
	{
		my $out = ask("SELECT data ->> 'n', version FROM kg_entity WHERE entity_id = '$id'", '-U', 'w');
		return (0 + $1, 0 + $2) if $out =~ /^(\d+)\|(\d+)$/;
		usleep(100_000);
	}
	die 'no answer';
}

my @pids;
foreach my $w (1 .. $WRITERS)
{
	my $pid = fork();
	die 'cannot fork' unless defined $pid;
	if ($pid == 0)
	{
		my $ok = eval { writer($w); 1 };
		print STDERR "writer $w: $@" unless $ok;
		# Without the END blocks of the test, which would stop the server.
		POSIX::_exit($ok ? 0 : 1);
	}
	push @pids, $pid;
}

# After kill -9 of one backend, the server restarts all of them, so that all clients
# lose their replies. A terminated backend ends alone.
my ($killed, $terminated) = (0, 0);
my %left = map { $_ => 1 } @pids;
my $failed = 0;
while (%left)
{
	foreach my $pid (keys %left)
	{
		next unless waitpid($pid, WNOHANG);
		$failed++ if $? != 0;
		delete $left{$pid};
	}
	usleep(50_000 + rand 300_000);
	my @backends = ask("SELECT pid FROM pg_stat_activity WHERE usename = 'w' AND state = 'active'") =~ /(\d+)/g;
	next unless @backends;
	my $victim = $backends[ rand @backends ];
	if ($killed < 6 && rand() < 0.2) { kill_backend($victim); $killed++; comes_back($node, 'kg') or die 'the server did not come back' }
	elsif (rand() < 0.5) { kill 'TERM', $victim; $terminated++ }
}
comes_back($node, 'kg');
note "killed $killed, terminated $terminated";
is($failed, 0, 'each writer got an answer to each of its calls');
cmp_ok($killed + $terminated, '>', 0, 'backends were killed or terminated during calls');
is($node->safe_psql('kg', q{SELECT count(*) FROM kg_entity WHERE entity_type = 'entry'}), $WRITERS * $EACH, 'all created entities are stored');
is($node->safe_psql('kg', q{SELECT count(*) FROM kg_history WHERE entity_id LIKE 'e%'}), $WRITERS * $EACH, 'each entity was created once, by the history');
is($node->safe_psql('kg', q{SELECT sum((data ->> 'n')::integer) FROM kg_entity WHERE entity_type = 'account'}), $WRITERS * $EACH, 'no update was lost or done twice');
is($node->safe_psql('kg', q{SELECT count(*) FROM kg_history WHERE entity_id LIKE 'a%' AND version > 1}), $WRITERS * $EACH, 'the history has each update once');
is($node->safe_psql('kg', q{SELECT kg_check('{"tenant": "t_w"}') ->> 'ok'}), 'true', 'kg_check finds no differences');
done_testing();
