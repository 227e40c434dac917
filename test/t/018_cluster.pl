# kgctl cluster makes a front and two shards from empty databases, on two servers.
# Its commands are killed at each step and run again, and so are the backends of the
# server to which a tenant moves. Meanwhile sessions write to the tenant through the
# front. Each acknowledged write must be there afterwards, exactly once.
#
# KG_CLUSTER_WRITERS: number of sessions (8). KG_CLUSTER_MOVES: how often the tenant
# moves there and back while something is killed at a random time (1).
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

my $WRITERS = $ENV{KG_CLUSTER_WRITERS} || 8;
my $MOVES = $ENV{KG_CLUSTER_MOVES} // 1;
srand(18);
my @conf = ('fsync = off', 'max_connections = 60', 'log_min_error_statement = panic', 'restart_after_crash = on');
my ($node, $other) = map { new_node($_, @conf) } 'cluster', 'cluster2';
my %server = (front => $node, one => $node, two => $other, three => $other, old => $other);
$server{$_}->safe_psql('postgres', "CREATE DATABASE $_") foreach 'front', 'one', 'two', 'old';
$ENV{KGCTL_DSN} = dsn('front') . ' user=' . $node->safe_psql('postgres', 'SELECT current_user');

sub dsn { my $server = $server{ $_[0] }; return 'host=' . $server->host . ' port=' . $server->port . " dbname=$_[0]" }
sub ask { my ($db, $sql) = @_; return $server{$db}->safe_psql($db, $sql) }
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
	isnt($run->{code}, 0, "$what: the command fails");
	like($run->{err}, $pattern, "$what: the error names the cause");
}

# ---- from nothing ----

refused('status without a front', qr/does not have the extension kg_front; run kgctl cluster init/, 'status');
works('init', 'init');
works('init again', 'init');
refused("add-shard with the name \"$_\"", qr/"\Q$_\E" is no name of a shard; expected letters, digits/, 'add-shard', $_, dsn('one'))
	foreach '', 'o ne', '.one';
refused('add-shard with a password', qr/connection string of shard "one" may not have "password"(?!.*geheim)/s, 'add-shard', 'one', dsn('one') . ' password=geheim');
is(ask('one', q{SELECT count(*) FROM pg_extension WHERE extname = 'kg_graph'}), '0', 'a refused add-shard creates no extension');
foreach my $shard ('one', 'two')
{
	works("add-shard $shard", 'add-shard', $shard, dsn($shard));
	works("add-shard $shard again", 'add-shard', $shard, dsn($shard));
}
is(ask('front', 'SELECT shard, name FROM kg_shard ORDER BY 1'), "1|one\n2|two", 'the front has the numbers of the shards');
is(ask('two', 'SELECT shard FROM kg_number_range'), '2', 'each shard has its own number');
my $secrets = q{SELECT name, md5(secret::text) FROM kg_secret WHERE name <> 'cursor' ORDER BY 1};
is(ask('two', $secrets), ask('one', $secrets), 'all shards have the same secrets for cursors');
like(ask('two', $secrets), qr/^cluster\|/, 'the secret for cursors is that of the cluster');
refused('add-shard of a database with another name', qr/is number 1, which is shard one/, 'add-shard', 'three', dsn('one'));
refused('add-shard of another database with a used name', qr/shard one is another database, of number 1/, 'add-shard', 'one', dsn('old'));
ask('old', q{SELECT kg_create_tenant('x')});
refused('add-shard of a database with tenants and without a number', qr/another number, or has tenants/, 'add-shard', 'old', dsn('old'));

foreach my $server ($node, $other)
{
	$server->safe_psql('postgres', "CREATE ROLE $_ LOGIN") foreach 'ada', 'ben', 'gw';
}
works('place', 'place', 't', 'one');
works('place again', 'place', 't', 'one');
refused('place of a tenant at another shard', qr/is at shard one; kgctl cluster move/, 'place', 't', 'two');
refused('drop-shard with a tenant', qr/shard one has the tenant "t"/, 'drop-shard', 'one');
refused('move of an unknown tenant', qr/tenant "none" does not exist/, 'move', 'none', 'two');
refused('move to an unknown shard', qr/shard "none" does not exist/, 'move', 't', 'none');
ask('front', q{SELECT kg_grant('t', 'ada', 'admin'), kg_grant('t', 'ben', 'write')});
apply($node, 'front', 'ada', bundle_file('product'));
# More than one part of a move.
call_as($node, 'front', 'ada', q{SELECT kg_put_entities('module', (SELECT jsonb_agg(jsonb_build_object('id', 'large-' || n, 'name', 'Large ' || n, 'tier', 'core', 'since', '2026-01-01',
	'owner', jsonb_build_object('team', 'team', 'channel', '#' || repeat('a', 80000)))) FROM generate_series(1, 20) n))});
is(ask('one', q{SELECT sum(length(data::text)) > 1500000 FROM kg_entity}), 't', 'the data of the tenant is larger than one part of a move');
like(works('status', 'status'), qr/shard one: number 1, \w+, tenants: 1\nshard two: number 2, \w+, tenants: 0/, 'status shows both shards');

# ---- keys are those of the first shard, everywhere ----

ask('one', q{INSERT INTO kg_auth_key (issuer, kid, alg, secret, audience, access) VALUES ('i', 'k', 'HS256', decode(repeat('5a', 32), 'hex'), 'kg', 'write');
	INSERT INTO kg_auth_key (issuer, kid, alg, secret, audience, tenant) VALUES ('i', 'own', 'HS256', decode(repeat('5b', 32), 'hex'), 'kg', 't')});
ask('front', q{SELECT kg_grant_gateway('gw')});
works('sync', 'sync');
is(ask('two', 'SELECT kid FROM kg_auth_key'), 'k', 'sync copies a key of all tenants to each shard, but not the key of one tenant');
is(ask('front', 'SELECT kid, tenant_claim, tenant FROM kg_key_route ORDER BY 1'), "k|tenant|\nown|tenant|t", 'the front knows both keys');
my $ping = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_module", "arguments": {"limit": 3}}}';
my %token = map { $_ => ask('one', qq{SELECT kg_issue_token('{"tenant": "t"}', '$_', '1 hour')}) } 'k', 'own';

sub by_token
{
	my ($kid) = @_;
	my (undef, $out, $err) = call_as($node, 'front', 'gw', "SELECT kg_mcp('$ping', '$token{$kid}')");
	return $out . $err;
}
like(by_token($_), qr/"total": 31/, "a token of key $_ is accepted through the front") foreach 'k', 'own';
ask('one', q{UPDATE kg_auth_key SET enabled = false WHERE kid = 'k'});
works('sync after a key was disabled', 'sync');
is(ask('two', 'SELECT enabled FROM kg_auth_key'), 'f', 'a disabled key is disabled on each shard');
ask('one', q{UPDATE kg_auth_key SET enabled = true WHERE kid = 'k'});
works('sync after the key was enabled', 'sync');

# ---- a move, killed at each step ----

# Each call of a writer puts one entity and the writer's own counter. The writer
# records which calls were acknowledged, and repeats a call without a reply with the
# same ids and number. So the version of the counter is the number of entities,
# unless a write was lost or done twice.
my $dir = PostgreSQL::Test::Utils::tempdir();
my @writers;
my $module = q{kg_get('module', 'queue') - 'issue_count' || jsonb_build_object('id', '%s', 'name', '%s')};
my $put = "kg_put_entities('module', jsonb_build_array($module))";
my $put_two = "kg_put_entities('module', jsonb_build_array($module, $module))";
# What is said while a server recovers, or has lost a backend.
my $recovers = qr/57P0[123]|server closed the connection|terminating connection|in recovery mode|starting up|not yet accepting|connection to server|could not receive|lost synchronization/;

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
		my $sql = sprintf "SELECT $put_two -> 'counts'", $id, "Writer $w $n", "counter-$w", "Counter $w $n";
		until (-e "$dir/stop")
		{
			my $out = '';
			IPC::Run::run([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-h', $node->host, '-p', $node->port, '-U', 'ben', '-d', 'front', '-c', $sql ], '<', \undef, '>', \$out, '2>', \my $err);
			if ($? == 0 && $out =~ /created|unchanged/) { print $acknowledged "$id\n"; last }
			print $acknowledged "! $out$err\n" unless $err =~ /40001/ || $out =~ /CONFLICT/ || -e "$dir/crashes" && $err =~ $recovers;
			sleep 0.05;
		}
	}
	POSIX::_exit(0);
}

push @writers, start_writer($_) foreach 1 .. $WRITERS;
END { if (@writers) { my $status = $?; append_to_file("$dir/stop", ''); waitpid $_, 0 foreach @writers; $? = $status; } }

sub acknowledged { return map { my $f = "$dir/w$_"; -e $f ? split /\n/, slurp_file($f) : () } 1 .. $WRITERS }
sub go_on { my $before = acknowledged(); return wait_until(sub { acknowledged() > $before + $WRITERS }) }

# Whether a statement of kgctl's waits there, and whether any is left of it.
sub waits { my ($db, $statement) = @_; return $server{$db}->safe_psql('postgres', qq{SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ '$statement'}) > 0 }
sub is_left
{
	return $node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = 'front')}) > 0
	  || grep { $_->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query ~ 'kg_(freeze|import|thaw|drop|export)_tenant|kg_mark_moved' AND pid <> pg_backend_pid()}) > 0 } $node, $other;
}

# Ends by kill -9 of a backend of a server, which recovers with all its others.
sub crash
{
	my ($server, $of) = @_;
	append_to_file("$dir/crashes", '');
	my $pid = $server->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND $of ORDER BY random() LIMIT 1");
	kill_backend($pid) if $pid ne '';
	comes_back($server, 'postgres') or die 'the server does not recover';
	return;
}

# The three variants: kgctl is killed and its statement continues; kgctl is killed
# and the backend of its statement is terminated; or that backend is killed by
# kill -9.
sub killed_at
{
	my ($what, $shard, $db, $statement, $lock, $how) = @_;
	my $held = hold($server{$db}, $db, $lock);
	my $run = IPC::Run::start([ 'kgctl', 'cluster', '--wait', '60', 'move', 't', $shard ], '<', \undef, '>', \my $out, '2>', \my $err, IPC::Run::timeout(180));
	my $waits = wait_until(sub { $run->pump_nb; return 1 if !$run->pumpable; return waits($db, $statement) }, 60);
	$how //= '';
	ok($waits && $run->pumpable, "a move waits $what $how") or diag($out . $err);
	if ($how eq 'its backend crashes')
	{
		crash($server{$db}, "query ~ '$statement'");
		$run->finish;
		isnt($run->full_result(0), 0, "$what $how: the command fails");
		like($err, qr/connection|terminat/, "$what $how: the error names the lost connection");
	}
	$run->kill_kill(grace => 0) if $run->pumpable;
	$server{$db}->safe_psql('postgres', qq{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '$statement' AND pid <> pg_backend_pid()}) if $how eq 'the server ends it';
	let_go($held);
	# What it had sent ends by itself, one way or the other.
	ok(wait_until(sub { !is_left() }, 60), "$what $how: no statement of the command is left");
	return;
}

# Where a command stops when another session has the lock.
my @steps = (
	[ 'before it is frozen', 'one', 'kg_freeze_tenant', q{LOCK TABLE kg_tenant_state IN ACCESS EXCLUSIVE MODE} ],
	[ 'in the import', 'two', 'kg_import_tenant', q{LOCK TABLE kg_import IN ACCESS EXCLUSIVE MODE}, 'the server ends it' ],
	[ 'in the import', 'two', 'kg_import_tenant', q{LOCK TABLE kg_import IN ACCESS EXCLUSIVE MODE}, 'its backend crashes' ],
	[ 'in the last part', 'two', 'kg_import_tenant', q{LOCK TABLE kg_entity IN SHARE MODE}, 'its backend crashes' ],
	[ 'in the last part', 'two', 'kg_import_tenant', q{LOCK TABLE kg_entity IN SHARE MODE} ],
	[ 'before the flip', 'front', 'UPDATE public.kg_place', q{LOCK TABLE kg_place IN SHARE MODE} ],
	[ 'before it is marked', 'one', 'kg_mark_moved', q{LOCK TABLE kg_moved_tenant IN ACCESS EXCLUSIVE MODE} ],
	[ 'before it is thawed', 'two', 'kg_thaw_tenant', q{LOCK TABLE kg_tenant_state IN ROW EXCLUSIVE MODE; SELECT FROM kg_tenant_state FOR UPDATE}, 'its backend crashes' ],
	[ 'before it is thawed', 'two', 'kg_thaw_tenant', q{LOCK TABLE kg_tenant_state IN ROW EXCLUSIVE MODE; SELECT FROM kg_tenant_state FOR UPDATE} ],
	[ 'before the rest is deleted', 'one', 'kg_drop_tenant', q{LOCK TABLE kg_edge IN SHARE MODE} ],
);
foreach my $step (@steps)
{
	my ($what, $db, $statement, $lock, $how) = @$step;
	go_on() if $what eq 'before it is frozen';
	killed_at($what, 'two', $db, $statement, $lock, $how);
}
is(ask('front', q{SELECT count(*) FROM kg_place WHERE tenant = 't'}), '1', 'the directory has the tenant once');
works('a move that is not killed', 'move', 't', 'two');
works('a second move to the same shard', 'move', 't', 'two');
is(ask('front', q{SELECT shard, state, other FROM kg_place}), '2|here|', 'the directory has the tenant at its new shard');
is(ask('one', q{SELECT (SELECT count(*) FROM kg_entity) + (SELECT count(*) FROM kg_tenant), (SELECT string_agg(name, ',') FROM kg_moved_tenant)}), '0|t', 'the former shard has no rows of the tenant, but knows that it moved');
like(by_token($_), qr/"total"/, "a token of key $_ is accepted after the move") foreach 'k', 'own';

# The tenant moves there and back. At a random time, the command or a backend of the
# target server is killed.
foreach my $n (1 .. 2 * $MOVES)
{
	my $to = $n % 2 ? 'one' : 'two';
	ok(go_on(), 'writers continue during a move');
	my $run = IPC::Run::start([ 'kgctl', 'cluster', '--wait', '60', 'move', 't', $to ], '<', \undef, '>', \my $out, '2>', \my $err, IPC::Run::timeout(180));
	sleep rand 1.5;
	if (rand() < 0.5) { $run->kill_kill(grace => 0) }
	else { crash($server{$to}, "datname = '$to'"); eval { $run->finish } }
	my $again;
	ok(wait_until(sub { $again = cluster('--wait', '60', 'move', 't', $to); return $again->{code} == 0 }, 120), "a move to $to that met a kill is done by the next") or diag($again->{err});
}

# Some more are written where it is now.
ok(go_on(), 'writers continue after the moves');
append_to_file("$dir/stop", '');
waitpid $_, 0 foreach @writers;
@writers = ();
my @all = acknowledged();
my @failed = grep { /^!/ } @all;
is("@failed", '', "$WRITERS writers got only the error 40001, and errors of recovering servers");
my %there = map { $_ => 1 } split /\n/, ask('two', q{SELECT entity_id FROM kg_entity WHERE entity_id ~ '^w[0-9]'});
my @lost = grep { !/^!/ && !$there{$_} } @all;
cmp_ok(scalar @all, '>', 2 * $WRITERS, 'writes that were acknowledged: ' . scalar @all);
is("@lost", '', 'no acknowledged write is lost');
is(ask('two', q{SELECT count(*) FROM kg_entity c WHERE c.entity_id ~ '^counter-'}), $WRITERS, 'each writer has its counter');
is(ask('two', q{SELECT string_agg(concat_ws(' ', c.entity_id, c.version, n.n), ', ') FROM kg_entity c, LATERAL (SELECT count(*) AS n FROM kg_entity e WHERE e.entity_id LIKE 'w' || split_part(c.entity_id, '-', 2) || '-%') n
	WHERE c.entity_id ~ '^counter-' AND c.version <> n.n}), '', 'the counter of each writer is the number of its entities');
is(ask('two', q{SELECT count(*) FROM (SELECT entity_id FROM kg_entity GROUP BY type_no, entity_id HAVING count(*) > 1) d}), '0', 'no entity is stored twice');
my $check = ask('two', q{SELECT kg_check() -> 'ok'});
is($check, 'true', 'kg_check() finds no differences') or diag(ask('two', 'SELECT jsonb_pretty(kg_check())'));

# ---- cursors live through a move; a move that is given up ----

my (undef, $first) = call_as($node, 'front', 'ada', q{SELECT kg_list('module', '{"limit": 4}') -> 'next'});
my $next = "SELECT kg_list('module', '$first')";
my (undef, $page) = call_as($node, 'front', 'ada', $next);
$other->safe_psql('postgres', 'CREATE DATABASE three');
works('add-shard of a third shard', 'add-shard', 'three', dsn('three'));
works('move to the third shard', 'move', 't', 'three');
my (undef, $same, $err) = call_as($node, 'front', 'ada', $next);
is($same, $page, 'a cursor from before the move returns the same page') or diag($err);

{
	killed_at('in an import that is given up', 'one', 'one', 'kg_import_tenant', q{LOCK TABLE kg_import IN ACCESS EXCLUSIVE MODE}, 'the server ends it');
	my $status = cluster('status');
	is($status->{code}, 1, 'the exit status of status is 1 if a move is not complete');
	like($status->{out}, qr/tenant t: moving, three, one; run move again/, 'status names the source and the target of the incomplete move');
	refused('move to another shard during an incomplete move', qr/is being moved to one/, 'move', 't', 'two');
	works('a move to the present shard, which gives up the incomplete move', 'move', 't', 'three');
	is(ask('front', q{SELECT shard, state FROM kg_place}), '3|here', 'the directory has the tenant at its shard after the move was given up');
	like((call_as($node, 'front', 'ben', sprintf "SELECT $put", 'after', 'After'))[1], qr/created/, 'the tenant can be written after the move was given up');
}
# Writers that do not end: it stays where it is, and is written.
{
	my $writer = hold($other, 'three', q{SET ROLE ben; UPDATE kg_entity SET data = data WHERE entity_id = 'after'});
	my $run = cluster('--wait', '1', 'move', 't', 'one');
	isnt($run->{code}, 0, 'a move fails if a writer does not end in time');
	is(ask('front', q{SELECT shard, state FROM kg_place}), '3|here', 'the failed move leaves the directory unchanged');
	let_go($writer);
	like((call_as($node, 'front', 'ben', sprintf "SELECT $put", 'after-all', 'After all'))[1], qr/created/, 'the tenant can be written after the failed move');
}
works('move back to the first shard', 'move', 't', 'one');
is(ask('one', q{SELECT count(*) FROM kg_moved_tenant}), '0', 'the shard no longer has the tenant in kg_moved_tenant when the tenant is back');
works('drop-shard', 'drop-shard', $_) foreach 'three', 'three';
is(ask('front', q{SELECT string_agg(name, ',' ORDER BY name) FROM kg_shard}), 'one,two', 'the directory does not have a dropped shard');

done_testing();
