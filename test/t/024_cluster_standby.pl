# A shard with a streaming standby. Its connection string has both hosts. The primary
# is killed and the standby promoted, while sessions write through the front. All
# acknowledged writes must be there afterwards, without any change at the front.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
use KgGateway;
use KgTest;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $sharedir = `pg_config --sharedir`;
chomp $sharedir;
plan skip_all => 'PL/Proxy is not installed (Debian: postgresql-NN-plproxy)' unless -e "$sharedir/extension/plproxy.control";

my $WRITERS = 4;
my @conf = ('fsync = off', 'max_connections = 60', 'log_min_error_statement = panic');
my $front = new_node('front', @conf);
my $shard = PostgreSQL::Test::Cluster->new('shard');
$shard->init(allows_streaming => 1, extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
$shard->append_conf('postgresql.conf', $_) foreach @conf;
$shard->start;
foreach my $server ($front, $shard)
{
	$server->safe_psql('postgres', 'CREATE ROLE ada LOGIN; CREATE ROLE gw LOGIN');
}
$front->safe_psql('postgres', 'CREATE DATABASE front');
$shard->safe_psql('postgres', 'CREATE DATABASE one');
$shard->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($shard, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "primary_conninfo = '" . $shard->connstr . " application_name=second'");
$standby->start;
# An acknowledged write is at the standby.
$shard->safe_psql('postgres', $_) foreach q{ALTER SYSTEM SET synchronous_standby_names = 'second'}, 'SELECT pg_reload_conf()';

my $both = 'host=' . join(',', map { $_->host } $shard, $standby) . ' port=' . join(',', map { $_->port } $shard, $standby)
  . ' dbname=one target_session_attrs=read-write';
$ENV{KGCTL_DSN} = $front->connstr('front') . ' user=' . $front->safe_psql('postgres', 'SELECT current_user');
foreach my $words ([ 'init' ], [ 'add-shard', 'one', $both ], [ 'place', 't', 'one' ])
{
	my $run = run_kgctl({}, 'cluster', @$words);
	is($run->{code}, 0, "kgctl cluster @$words") or diag($run->{out} . $run->{err});
}
$front->safe_psql('front', q{SELECT kg_grant('t', 'ada', 'admin')});
call_as($front, 'front', 'ada', q{SELECT kg_apply_bundle('{"bundle_name": "notes", "version": "1", "schemas": [{"entity_type": "note", "schema":
	{"type": "object", "x-id-field": "id", "x-tool-expose": ["list", "create"], "properties": {"id": {"type": "string"}}}}]}')});

# ---- reads from the standby ----

# The answer of a call in a session with these settings.
sub notes { my ($settings) = @_; my ($code, $out, $err) = call_as($front, 'front', 'ada', "$settings SELECT kg_list('note') ->> 'total'"); return $out . $err }
my $reads = 'SET kg_front.read_standbys = on; SET default_transaction_read_only = on;';

is(notes($reads), '0', 'a read-only session reads through the front');
$standby->safe_psql('postgres', 'SELECT pg_wal_replay_pause()');
call_as($front, 'front', 'ada', q{SELECT kg_put_entities('note', '[{"id": "late"}]')});
is(notes($reads), '0', 'a read-only session reads from the standby, which is behind');
is(notes('SET default_transaction_read_only = on;'), '1', 'a read-only session without kg_front.read_standbys reads from the primary');
is(notes('SET kg_front.read_standbys = on;'), '1', 'a session that may write reads from the primary');
is(notes('SET kg_front.read_standbys = on; BEGIN READ ONLY;'), '0', 'a read-only transaction reads from the standby');
like(notes('SET kg_front.read_standbys = maybe;'), qr/invalid value for parameter "kg_front.read_standbys": "maybe"/, 'an invalid value of kg_front.read_standbys is refused');
my (undef, undef, $unwritten) = call_as($front, 'front', 'ada', "$reads SELECT kg_put_entities('note', '[{\"id\": \"x\"}]')");
like($unwritten, qr/read-only transaction|25006/, 'a read-only session cannot write');

# ---- a gateway that reads from the standby ----

$shard->safe_psql('one', q{INSERT INTO kg_auth_key (issuer, kid, alg, secret, audience, access) VALUES ('i', 'k', 'HS256', decode(repeat('5a', 32), 'hex'), 'kg', 'write')});
is(run_kgctl({}, 'cluster', 'sync')->{code}, 0, 'kgctl cluster sync copies the key');
$front->safe_psql('front', q{SELECT kg_grant_gateway('gw')});
$standby->safe_psql('postgres', 'SELECT pg_wal_replay_resume()');
ok(wait_until(sub { notes($reads) eq '1' }), 'the standby has the entity after replay was resumed');
my $token = $shard->safe_psql('one', q{SELECT kg_issue_token('{"tenant": "t", "sub": "ada"}', 'k', '1 hour')});
my $at_front = $front->connstr('front') . ' user=gw';
my $gateway = start_gateway($front, 'gw', '--dsn', "$at_front options='-c kg_front.read_standbys=on -c default_transaction_read_only=on'");

sub ask
{
	my ($name, $arguments) = @_;
	return post($gateway, modern('tools/call', { name => $name, arguments => $arguments }), { %{ modern_headers('tools/call', $name) }, Authorization => "Bearer $token" });
}
sub total { my $reply = ask('list_note', {}); return $reply->{json}{result}{structuredContent}{total} // $reply->{body} }

is(total(), 1, 'a gateway with read-only sessions reads');
$standby->safe_psql('postgres', 'SELECT pg_wal_replay_pause()');
call_as($front, 'front', 'ada', q{SELECT kg_put_entities('note', '[{"id": "later"}]')});
is(total(), 1, 'a gateway with read-only sessions reads from the standby, which is behind');
my $written = ask('create_note', { items => [ { id => 'x' } ] });
is($written->{json}{result}{structuredContent}{error}{code}, 'FORBIDDEN', 'a gateway with read-only sessions cannot write') or diag($written->{body});
is(stop_gateway($gateway), 0, 'the gateway stops');
my $refused_reads = start_gateway($front, 'gw', '--dsn', $at_front, '--read-dsn', $at_front);
ok(wait_until(sub { gateway_log($refused_reads) =~ /is a front; --read-dsn is for standbys of the one server/ }), 'a gateway refuses --read-dsn of a front');
stop_gateway($refused_reads);
$standby->safe_psql('postgres', 'SELECT pg_wal_replay_resume()');
ok(wait_until(sub { notes($reads) eq '2' }), 'the standby has both entities after replay was resumed');
$standby->stop;
$shard->safe_psql('postgres', $_) foreach q{ALTER SYSTEM SET synchronous_standby_names = ''}, 'SELECT pg_reload_conf()';
is(notes($reads), '2', 'a read-only session reads from the primary while the standby is stopped');
$standby->start;
$shard->safe_psql('postgres', $_) foreach q{ALTER SYSTEM SET synchronous_standby_names = 'second'}, 'SELECT pg_reload_conf()';

# ---- under load ----

my $dir = PostgreSQL::Test::Utils::tempdir();
my @writers;

# Sends each entity until it is acknowledged, in one session as long as that is there.
sub start_writer
{
	my ($w) = @_;
	my $pid = fork // die "fork: $!";
	return $pid if $pid;
	open my $acknowledged, '>', "$dir/w$w" or POSIX::_exit(1);
	$acknowledged->autoflush;
	for (my $n = 0; !-e "$dir/stop"; $n++)
	{
		my $put = qq{SELECT kg_put_entities('note', '[{"id": "w$w-$n"}]') -> 'counts'};
		my ($out, $err) = ('', '');
		IPC::Run::run([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-h', $front->host, '-p', $front->port, '-U', 'ada', '-d', 'front', map { ('-c', $put) } 1, 2 ],
			'<', \undef, '>', \$out, '2>', \$err);
		if ($out =~ /unchanged/) { print $acknowledged "w$w-$n\n" }
		elsif (!-e "$dir/failing") { print $acknowledged "! $out$err\n" }
		else { sleep 0.1; redo }
	}
	POSIX::_exit(0);
}

END { if (@writers) { my $status = $?; append_to_file("$dir/stop", ''); waitpid $_, 0 foreach @writers; $? = $status; } }
sub acknowledged { return map { my $f = "$dir/w$_"; -e $f ? split /\n/, slurp_file($f) : () } 1 .. $WRITERS }
sub go_on { my $before = acknowledged(); return wait_until(sub { acknowledged() > $before + $WRITERS }) }

# A session of the front that has a connection to the primary, and keeps it.
my $in = "SELECT kg_list('note') ->> 'total';\n\\echo first\n";
my ($out, $err) = ('', '');
my $session = IPC::Run::start([ 'psql', '-XAtq', '-h', $front->host, '-p', $front->port, '-U', 'ada', '-d', 'front' ],
	'<', \$in, '>', \$out, '2>', \$err, IPC::Run::timeout(180));
$session->pump until $out =~ /first/;
push @writers, start_writer($_) foreach 1 .. $WRITERS;
ok(go_on(), 'the writers write to the primary');
append_to_file("$dir/failing", '');
$shard->stop('immediate');
my (undef, undef, $refused) = call_as($front, 'front', 'ada', q{SELECT kg_list('note')});
like($refused, qr/connection|could not|closed/, 'a call without a primary gets a connection error');
like($front->safe_psql('front', q{SELECT health FROM kg_cluster_health()}), qr/unreachable/, 'kg_cluster_health reports the shard without a primary as unreachable');
$standby->promote;
ok(go_on(), 'the writers write to the promoted standby, without a change of the directory');
append_to_file("$dir/stop", '');
waitpid $_, 0 foreach @writers;
@writers = ();
is(join('', grep { /^!/ } acknowledged()), '', 'no call failed before the primary stopped');
my %stored = map { $_ => 1 } split /\n/, $standby->safe_psql('one', 'SELECT entity_id FROM kg_entity');
is(join(' ', grep { !$stored{$_} } acknowledged()), '', 'all acknowledged entities are stored on the promoted standby');
cmp_ok(scalar(keys %stored), '>', 2 * $WRITERS, 'the writers stored entities');
# A connection that was lost is one error at most.
$in .= "SELECT kg_list('note') ->> 'total';\n" x 2 . "\\echo second\n";
$session->pump until $out =~ /second/;
cmp_ok(scalar(() = $err =~ /^ERROR/mg), '<=', 1, 'a session with a connection to the former primary goes on') or diag($err);
like($out, qr/first\n.*?(\d+)\nsecond/s, 'a session with a connection to the stopped primary is answered later');
$session->finish;
like(run_kgctl({}, 'cluster', 'status')->{out}, qr/shard one: number 1, healthy|shard one: number 1, degraded/, 'kgctl cluster status finds the new primary');

done_testing();
