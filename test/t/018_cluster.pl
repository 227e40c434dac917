# kgctl cluster: a front and two shards made from empty databases, by commands that
# are killed at each step and run again.  While a tenant moves, sessions write to it
# through the front: what was acknowledged is there afterwards, once.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
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
my $node = new_node('cluster', 'fsync = off', 'max_connections = 60', 'log_min_error_statement = panic');
$node->safe_psql('postgres', "CREATE DATABASE $_") foreach 'front', 'one', 'two', 'old';
$ENV{KGCTL_DSN} = dsn('front') . ' user=' . $node->safe_psql('postgres', 'SELECT current_user');

sub dsn { return 'host=' . $node->host . ' port=' . $node->port . " dbname=$_[0]" }
sub cluster { return run_kgctl({ seconds => 180 }, 'cluster', @_) }

sub works
{
	my ($what, @words) = @_;
	my $run = cluster(@words);
	is($run->{code}, 0, $what) or diag($run->{out} . $run->{err});
	return $run->{out};
}

sub refused
{
	my ($what, $pattern, @words) = @_;
	my $run = cluster(@words);
	isnt($run->{code}, 0, "$what: not done");
	like($run->{err}, $pattern, "$what: and why");
}

# ---- from nothing ----

refused('without a front', qr/has no extension kg_front; kgctl cluster init/, 'status');
works('init', 'init');
works('init again', 'init');
refused('a password', qr/kg_shard_dsn_no_caller/, 'add-shard', 'one', dsn('one') . ' password=x');
is($node->safe_psql('one', q{SELECT count(*) FROM pg_extension WHERE extname = 'kg_graph'}), '0', 'nothing was made where it was refused');
foreach my $shard ('one', 'two')
{
	works("add-shard $shard", 'add-shard', $shard, dsn($shard));
	works("add-shard $shard again", 'add-shard', $shard, dsn($shard));
}
is($node->safe_psql('front', 'SELECT shard, name FROM kg_shard ORDER BY 1'), "1|one\n2|two", 'they are numbered');
is($node->safe_psql('two', 'SELECT shard FROM kg_number_range'), '2', 'there, too');
my $secrets = q{SELECT name, md5(secret::text) FROM kg_secret WHERE name <> 'cursor' ORDER BY 1};
is($node->safe_psql('two', $secrets), $node->safe_psql('one', $secrets), 'cursors are of the cluster');
like($node->safe_psql('two', $secrets), qr/^cluster\|/, 'by a secret');
refused('one database under two names', qr/is number 1, which is shard one/, 'add-shard', 'three', dsn('one'));
refused('another database of a name', qr/shard one is another database, of number 1/, 'add-shard', 'one', dsn('old'));
$node->safe_psql('old', q{SELECT kg_create_tenant('x')});
refused('a database with tenants and no number', qr/another number, or tenants/, 'add-shard', 'old', dsn('old'));

$node->safe_psql('front', "CREATE ROLE $_ LOGIN") foreach 'ada', 'ben', 'gw';
works('place', 'place', 't', 'one');
works('place again', 'place', 't', 'one');
refused('place elsewhere', qr/is at shard one; kgctl cluster move/, 'place', 't', 'two');
refused('drop-shard with a tenant', qr/shard one has the tenant "t"/, 'drop-shard', 'one');
refused('move of nothing', qr/there is no tenant "none"/, 'move', 'none', 'two');
refused('a shard that there is not', qr/there is no shard "none"/, 'move', 't', 'none');
$node->safe_psql('front', q{SELECT kg_grant('t', 'ada', 'admin'), kg_grant('t', 'ben', 'write')});
apply($node, 'front', 'ada', bundle_file('product'));
like(works('status', 'status'), qr/shard one: number 1, \w+, tenants: 1\nshard two: number 2, \w+, tenants: 0/, 'tells of both');

# ---- keys are those of the first shard, everywhere ----

$node->safe_psql('one', q{INSERT INTO kg_auth_key (issuer, kid, alg, secret, audience, access) VALUES ('i', 'k', 'HS256', decode(repeat('5a', 32), 'hex'), 'kg', 'write');
	INSERT INTO kg_auth_key (issuer, kid, alg, secret, audience, tenant) VALUES ('i', 'own', 'HS256', decode(repeat('5b', 32), 'hex'), 'kg', 't')});
$node->safe_psql('front', q{SELECT kg_grant_gateway('gw')});
works('sync', 'sync');
is($node->safe_psql('two', 'SELECT kid FROM kg_auth_key'), 'k', 'a key goes to every shard, one of a tenant to none');
is($node->safe_psql('front', 'SELECT kid, tenant_claim, tenant FROM kg_key_route ORDER BY 1'), "k|tenant|\nown|tenant|t", 'the front knows of both');
my $ping = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_module", "arguments": {"limit": 3}}}';
my %token = map { $_ => $node->safe_psql('one', qq{SELECT kg_issue_token('{"tenant": "t"}', '$_', '1 hour')}) } 'k', 'own';

sub by_token
{
	my ($kid) = @_;
	my (undef, $out, $err) = call_as($node, 'front', 'gw', "SELECT kg_mcp('$ping', '$token{$kid}')");
	return $out . $err;
}
like(by_token($_), qr/"total": 11/, "a token of key $_") foreach 'k', 'own';
$node->safe_psql('one', q{UPDATE kg_auth_key SET enabled = false WHERE kid = 'k'});
works('sync of a key that is disabled', 'sync');
is($node->safe_psql('two', 'SELECT enabled FROM kg_auth_key'), 'f', 'it is, everywhere');
$node->safe_psql('one', q{UPDATE kg_auth_key SET enabled = true WHERE kid = 'k'});
works('and enabled', 'sync');

# ---- a move, killed at each step ----

# Each writer puts an entity a call, and notes what was acknowledged.  What it does
# not know it sends again, by the same id: there must be no second.
my $dir = PostgreSQL::Test::Utils::tempdir();
my @writers;
my $put = q{kg_put_entities('module', jsonb_build_array(kg_get('module', 'queue') - 'issue_count' || jsonb_build_object('id', '%s', 'name', '%s')))};

sub start_writer
{
	my ($w) = @_;
	my $pid = fork // die "fork: $!";
	return $pid if $pid;
	open my $acknowledged, '>', "$dir/w$w" or POSIX::_exit(1);
	$acknowledged->autoflush;
	for (my $n = 0; !-e "$dir/stop"; $n++)
	{
		my $id = "w$w-$n";
		my $sql = sprintf "SELECT $put -> 'counts'", $id, "Writer $w $n";
		until (-e "$dir/stop")
		{
			my $out = '';
			IPC::Run::run([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-h', $node->host, '-p', $node->port, '-U', 'ben', '-d', 'front', '-c', $sql ], '<', \undef, '>', \$out, '2>', \my $err);
			if ($? == 0 && $out =~ /created|unchanged/) { print $acknowledged "$id\n"; last }
			print $acknowledged "! $out$err\n" unless $err =~ /40001/ || $out =~ /CONFLICT/;
			sleep 0.05;
		}
	}
	POSIX::_exit(0);
}

push @writers, start_writer($_) foreach 1 .. $WRITERS;
END { if (@writers) { my $status = $?; open my $f, '>', "$dir/stop"; waitpid $_, 0 foreach @writers; $? = $status; } }

sub acknowledged { return map { my $f = "$dir/w$_"; -e $f ? split /\n/, slurp_file($f) : () } 1 .. $WRITERS }

# Whether a statement of kgctl's waits, and whether any is left of it.
sub waits { return $node->safe_psql('postgres', qq{SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ '$_[0]'}) > 0 }
sub is_left { return $node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = 'front')}) > 0
	  || $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query ~ 'kg_(freeze|import|thaw|drop|export)_tenant|kg_mark_moved' AND pid <> pg_backend_pid()}) > 0 }

sub killed_at
{
	my ($what, $shard, $db, $statement, $lock, $ends) = @_;
	my $held = hold($node, $db, $lock);
	my $run = IPC::Run::start([ 'kgctl', 'cluster', '--wait', '60', 'move', 't', $shard ], '<', \undef, '>', \my $out, '2>', \my $err, IPC::Run::timeout(120));
	my $waits = wait_until(sub { $run->pump_nb; return 1 if !$run->pumpable; return waits($statement) }, 60);
	ok($waits && $run->pumpable, "a move waits $what") or diag($out . $err);
	$run->kill_kill(grace => 0) if $run->pumpable;
	$node->safe_psql('postgres', qq{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '$statement' AND pid <> pg_backend_pid()}) if $ends;
	let_go($held);
	# What it had sent ends by itself, one way or the other.
	ok(wait_until(sub { !is_left() }, 60), 'nothing of it goes on');
	return;
}

# Where a command stops when another session has the lock; it is killed there.  The
# server's part of it goes on, unless it is ended, too.
my @steps = (
	[ 'before it is frozen', 'one', 'kg_freeze_tenant', q{LOCK TABLE kg_tenant_state IN ACCESS EXCLUSIVE MODE} ],
	[ 'in the import', 'two', 'kg_import_tenant', q{LOCK TABLE kg_import IN ACCESS EXCLUSIVE MODE}, 'and the server ends it' ],
	[ 'in the last part', 'two', 'kg_import_tenant', q{LOCK TABLE kg_entity IN SHARE MODE} ],
	[ 'before the flip', 'front', 'UPDATE public.kg_place', q{LOCK TABLE kg_place IN SHARE MODE} ],
	[ 'before it is marked', 'one', 'kg_mark_moved', q{LOCK TABLE kg_moved_tenant IN ACCESS EXCLUSIVE MODE} ],
	[ 'before it is thawed', 'two', 'kg_thaw_tenant', q{LOCK TABLE kg_tenant_state IN ROW EXCLUSIVE MODE; SELECT FROM kg_tenant_state FOR UPDATE} ],
	[ 'before the rest is deleted', 'one', 'kg_drop_tenant', q{LOCK TABLE kg_edge IN SHARE MODE} ],
);
foreach my $step (@steps)
{
	my ($what, $db, $statement, $lock, $ends) = @$step;
	my $before = acknowledged();
	wait_until(sub { acknowledged() > $before + $WRITERS }, 30) if $what eq 'before it is frozen';
	killed_at($what, 'two', $db, $statement, $lock, $ends);
}
is($node->safe_psql('front', q{SELECT count(*) FROM kg_place WHERE tenant = 't'}), '1', 'the tenant is in one place');
works('and the last one is not killed', 'move', 't', 'two');
works('once more', 'move', 't', 'two');
is($node->safe_psql('front', q{SELECT shard, state, other FROM kg_place}), '2|here|', 'the tenant is there');
is($node->safe_psql('one', q{SELECT (SELECT count(*) FROM kg_entity) + (SELECT count(*) FROM kg_tenant), (SELECT string_agg(name, ',') FROM kg_moved_tenant)}), '0|t', 'and nothing of it where it was, but that it was');
like(by_token($_), qr/"total"/, "tokens of key $_ follow") foreach 'k', 'own';

# Some more are written where it is now.
{
	my $before = acknowledged();
	ok(wait_until(sub { acknowledged() > $before + $WRITERS }, 60), 'and writers go on');
}
open my $stop, '>', "$dir/stop";
close $stop;
waitpid $_, 0 foreach @writers;
@writers = ();
my @all = acknowledged();
my @failed = grep { /^!/ } @all;
is("@failed", '', 'writers met nothing but 40001');
my %there = map { $_ => 1 } split /\n/, $node->safe_psql('two', q{SELECT entity_id FROM kg_entity WHERE entity_id ~ '^w[0-9]'});
my @lost = grep { !/^!/ && !$there{$_} } @all;
cmp_ok(scalar @all, '>', 2 * $WRITERS, 'writes that were acknowledged: ' . scalar @all);
is("@lost", '', 'none is lost');
is($node->safe_psql('two', q{SELECT count(*) FROM (SELECT entity_id FROM kg_entity GROUP BY type_no, entity_id HAVING count(*) > 1) d}), '0', 'none is there twice');
my $check = $node->safe_psql('two', q{SELECT kg_check() -> 'ok'});
is($check, 'true', 'kg_check() has nothing to say') or diag($node->safe_psql('two', 'SELECT jsonb_pretty(kg_check())'));

# ---- cursors live through a move; a move that is given up ----

my (undef, $first) = call_as($node, 'front', 'ada', q{SELECT kg_list('module', '{"limit": 4}') -> 'next'});
my $next = "SELECT kg_list('module', '$first')";
my (undef, $page) = call_as($node, 'front', 'ada', $next);
$node->safe_psql('postgres', 'CREATE DATABASE three');
works('a third shard', 'add-shard', 'three', dsn('three'));
works('move to it', 'move', 't', 'three');
my (undef, $same, $err) = call_as($node, 'front', 'ada', $next);
is($same, $page, 'a cursor of before gives the page that it gave') or diag($err);

{
	killed_at('in an import that is given up', 'one', 'one', 'kg_import_tenant', q{LOCK TABLE kg_import IN ACCESS EXCLUSIVE MODE}, 'and the server ends it');
	my $status = cluster('status');
	is($status->{code}, 1, 'status tells of a move that was not finished');
	like($status->{out}, qr/tenant t: moving, three, one; run place or move again/, 'where from and where to');
	refused('another place meanwhile', qr/is being moved to one/, 'move', 't', 'two');
	works('a move to where it is', 'move', 't', 'three');
	is($node->safe_psql('front', q{SELECT shard, state FROM kg_place}), '3|here', 'gives it up');
	like((call_as($node, 'front', 'ben', sprintf "SELECT $put", 'after', 'After'))[1], qr/created/, 'and it is written again');
}
# Writers that do not end: it stays where it is, and is written.
{
	my $writer = hold($node, 'three', q{SET ROLE ben; UPDATE kg_entity SET data = data WHERE entity_id = 'after'});
	my $run = cluster('--wait', '1', 'move', 't', 'one');
	isnt($run->{code}, 0, 'a writer that does not end is waited for in vain');
	is($node->safe_psql('front', q{SELECT shard, state FROM kg_place}), '3|here', 'nothing is begun');
	let_go($writer);
	like((call_as($node, 'front', 'ben', sprintf "SELECT $put", 'after-all', 'After all'))[1], qr/created/, 'it is written');
}
works('back to where it was first', 'move', 't', 'one');
is($node->safe_psql('one', q{SELECT count(*) FROM kg_moved_tenant}), '0', 'where it is no tenant that has moved any more');
works('drop-shard', 'drop-shard', $_) foreach 'three', 'three';
is($node->safe_psql('front', q{SELECT string_agg(name, ',' ORDER BY name) FROM kg_shard}), 'one,two', 'it is no part any more');

done_testing();
