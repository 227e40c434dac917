# Growth: one, two and four shards, each with the same tenants, data and sessions.
# The commits, statements and (for reads) buffers of a call must be the same for each
# number of shards. A shard that is not called must do nothing. The shards share only
# the front, and each machine has a front of its own. These counts do not depend on
# the machine. Calls per second do, so they are only printed.
#
# KG_GROWTH_ROUNDS: how often each session makes all calls, an even number (10).
# KG_GROWTH_SECONDS: for how many seconds calls are counted (1).
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
use KgTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $sharedir = `pg_config --sharedir`;
chomp $sharedir;
foreach my $extension ('plproxy', 'pg_stat_statements')
{
	plan skip_all => "$extension is not installed" unless -e "$sharedir/extension/$extension.control";
}

my $ROUNDS = $ENV{KG_GROWTH_ROUNDS} || 10;
my $SECONDS = $ENV{KG_GROWTH_SECONDS} || 1;
my @SIZES = (1, 2, 4);
my @TENANTS = ('a', 'b');
my @conf = ('fsync = off', 'autovacuum = off', 'max_connections = 60');
my $node = new_node('growth', @conf, q{shared_preload_libraries = 'pg_stat_statements'}, 'pg_stat_statements.track = all', 'pg_stat_statements.track_utility = off');
$node->safe_psql('postgres', 'CREATE EXTENSION pg_stat_statements');

sub dsn { my ($of, $db) = @_; return 'host=' . $of->host . ' port=' . $of->port . " dbname=$db" }

sub cluster
{
	my ($front, @words) = @_;
	my $run = run_kgctl({ seconds => 180 }, 'cluster', '--dsn', dsn($front, 'front') . ' user=' . $front->safe_psql('postgres', 'SELECT current_user'), @words);
	is($run->{code}, 0, "kgctl cluster @words[0, 1]") or diag($run->{out} . $run->{err});
	return;
}

# Adds a shard with this number and its tenants. All names have the same length in
# each shard.
sub add_shard
{
	my ($front, $of, $n) = @_;
	$of->safe_psql('postgres', "CREATE DATABASE s$n");
	cluster($front, 'add-shard', "s$n", dsn($of, "s$n"));
	foreach my $tenant (@TENANTS)
	{
		my $name = "${tenant}$n";
		my %at = ($front->port => $front, $of->port => $of);
		$_->safe_psql('postgres', "CREATE ROLE $name LOGIN") foreach values %at;
		cluster($front, 'place', $name, "s$n");
		$front->safe_psql('front', "SELECT kg_grant('$name', '$name', 'write')");
		$of->safe_psql("s$n", "SELECT kg_grant('$name', '$name', 'admin')");
		apply($of, "s$n", $name, bundle_file('product'));
		$of->safe_psql("s$n", "SET ROLE $name; SELECT kg_pack()");
	}
	$of->safe_psql("s$n", 'VACUUM ANALYZE');
	return;
}

# ---- what is counted ----

my %calls = (
	read => [
		q{SELECT kg_get('module', 'scheduler')}, q{SELECT kg_list('known_issue', '{"filters": {"severity": "blocker"}, "sort": [{"field": "reported_at", "order": "desc"}]}')},
		q{SELECT kg_search('{"query": "cache"}')}, q{SELECT kg_neighbors('{"start_node": {"label": "module", "node_id": "scheduler"}}')},
		q{SELECT kg_bfs('{"seeds": ["scheduler"], "max_hops": 2}')}, q{SELECT kg_call_tool('search_entities', '{"query": "queue"}')} ],
	write => [ q{SELECT kg_put_entities('module', '[{"id": "new", "name": "New NAME", "tier": "core", "owner": {"team": "team"}, "since": "2026-01-01"}]')} ]);

# The sessions of some shards, at once, each so many rounds.
sub run_sessions
{
	my ($front, $kind, $rounds, @shards) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/calls.sql';
	my @runs;
	my @err;
	append_to_file($file, join '', map { my $n = $_; map { s/NAME/$n % 2 ? 'odd' : 'even'/er . ";\n" } @{ $calls{$kind} } } 1 .. $rounds);
	foreach my $n (@shards)
	{
		foreach my $tenant (@TENANTS)
		{
			push @err, '';
			push @runs, IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-h', $front->host, '-p', $front->port, '-U', "${tenant}$n", '-d', 'front', '-f', $file ],
				'<', \undef, '>', '/dev/null', '2>', \$err[-1], IPC::Run::timeout(300));
		}
	}
	$_->finish foreach @runs;
	my @failed = grep { /ERROR|FATAL/ } @err;
	die "of a session of shards @shards: $failed[0]" if @failed;
	return;
}

my $counters = q{SELECT d.datname, d.xact_commit, d.blks_hit + d.blks_read, coalesce(s.calls, 0)
	FROM pg_stat_database d LEFT JOIN (SELECT dbid, sum(calls) AS calls FROM pg_stat_statements GROUP BY 1) s ON s.dbid = d.datid WHERE d.datname ~ '^s[0-9]$'};

sub counted
{
	wait_until(sub { $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE datname ~ '^(s[0-9]|front)$'}) eq '0' }) or die 'sessions do not end';
	return map { my ($db, @n) = split /\|/; ($db => \@n) } split /\n/, $node->safe_psql('postgres', $counters);
}

# Returns the cost of a call on each shard, as the difference between two runs with
# different numbers of rounds. Both runs include the start of a session, and neither
# includes the first call that fills shared caches.
sub costs
{
	my ($kind, @shards) = @_;
	my @counted;
	$node->safe_psql("s$_", 'VACUUM') foreach @shards;
	run_sessions($node, $kind, 2, @shards);
	push @counted, { counted() };
	foreach my $rounds ($ROUNDS, 2 * $ROUNDS)
	{
		run_sessions($node, $kind, $rounds, @shards);
		push @counted, { counted() };
	}
	my $n = $ROUNDS * @{ $calls{$kind} } * @TENANTS;
	my ($before, $once, $twice) = @counted;
	return map { my $db = $_; ($db => [ map { ($twice->{$db}[$_] - 2 * $once->{$db}[$_] + $before->{$db}[$_]) / $n } 0 .. 2 ]) } sort keys %$twice;
}

$node->safe_psql('postgres', 'CREATE DATABASE front');
cluster($node, 'init');
my ($shards, %alone, %buffers) = (0);
foreach my $size (@SIZES)
{
	add_shard($node, $node, ++$shards) while $shards < $size;
	foreach my $kind ('read', 'write')
	{
		my %cost = costs($kind, 1 .. $size);
		my $alone = $alone{$kind} //= $cost{s1};
		is($alone->[0], 1, "a call to $kind is one transaction") if $size == 1;
		foreach my $n (1 .. $size)
		{
			# How many old row versions a writer finds removed depends on the time.
			# So does a second search for a deleted term, if another writer has ended
			# in between.
			my @what = $kind eq 'write' ? (0, 2) : (0, 1, 2);
			my @costs = map { [ $kind eq 'write' ? map { sprintf '%.0f', $_ } @$_[@what] : @$_[@what] ] } $cost{"s$n"}, $alone;
			is("@{ $costs[0] }", "@{ $costs[1] }", "$size shards: to $kind costs shard $n what it costs one alone: @{[ ('commits', 'buffers', 'statements')[@what] ]}");
			push @{ $buffers{$kind} }, $cost{"s$n"}[1];
		}
	}
}
diag(sprintf 'a call to %s, of each of %s shards: %g commit, %.1f statements, %.1f to %.1f buffers at its shard', $_, join(', ', @SIZES), @{ $alone{$_} }[ 0, 2 ], (sort { $a <=> $b } @{ $buffers{$_} })[ 0, -1 ]) foreach sort keys %alone;
{
	my %before = counted();
	run_sessions($node, $_, $ROUNDS, 1) foreach sort keys %calls;
	my %after = counted();
	cmp_ok($after{s1}[0], '>', $before{s1}[0], 'a call goes to one of four shards');
	is("@{ $after{\"s$_\"} }", "@{ $before{\"s$_\"} }", "the counters of shard $_ do not change") foreach 2 .. 4;
}
$node->stop;

# ---- calls a second, on this machine ----

# Two machines: each has a shard and a front. The second front is a standby of the
# first.
my @machine = map { new_node("machine$_", @conf) } 1, 2;
my $front = PostgreSQL::Test::Cluster->new('front');
$front->init(allows_streaming => 1, extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
$front->append_conf('postgresql.conf', $_) foreach @conf;
$front->start;
$front->safe_psql('postgres', 'CREATE DATABASE front');
cluster($front, 'init');
add_shard($front, $machine[$_ - 1], $_) foreach 1, 2;
$front->backup('b');
my $standby = PostgreSQL::Test::Cluster->new('front2');
$standby->init_from_backup($front, 'b', has_streaming => 1);
$standby->start;
$front->wait_for_catchup($standby);
my @front = ($front, $standby);
is($standby->safe_psql('front', 'SELECT pg_is_in_recovery()'), 't', 'the second front is a standby');
run_sessions($standby, $_, 1, 1, 2) foreach sort keys %calls;
is(join(' ', map { $machine[$_ - 1]->safe_psql("s$_", q{SELECT count(*) FROM kg_entity WHERE entity_id = 'new'}) } 1, 2), '2 2', 'the standby front passes reads and writes to both shards');

# What changes the directory is its primary's, and asks no shard before.
foreach my $sql (q{kg_grant('a1', 'b2', 'read')}, q{kg_revoke('a1', 'a1')}, q{kg_grant_gateway('a1')}, q{kg_revoke_gateway('a1')}, q{kg_drop_tenant('a1')})
{
	like(($standby->psql('front', "SELECT $sql"))[2], qr/cannot change the directory: this front is a standby/, "a standby front refuses: $sql");
}
is($machine[0]->safe_psql('s1', q{SELECT string_agg(tenant || ' ' || role_name, ',' ORDER BY 1) FROM kg_tenant_role}), 'a1 a1,b1 b1', 'the shard is unchanged after the refused calls');
foreach my $command ([ 'status' ], [ 'move', 'a1', 's2' ])
{
	my $run = run_kgctl({}, 'cluster', '--dsn', dsn($standby, 'front') . ' user=' . $front->safe_psql('postgres', 'SELECT current_user'), @$command);
	is($run->{code}, 0, 'kgctl cluster status works on a standby front') or diag($run->{err}) if $command->[0] eq 'status';
	like($run->{err}, qr/this front is a standby; --dsn must name its primary/, 'kgctl cluster move is refused on a standby front') if $command->[0] eq 'move';
}

my $script = PostgreSQL::Test::Utils::tempdir() . '/call.sql';
append_to_file($script, "SELECT kg_list('known_issue', '{\"filters\": {\"severity\": \"blocker\"}}');\n");

# pgbench in front of some machines at once: calls a second of all.
sub calls_a_second
{
	my (@machines) = @_;
	my @runs;
	foreach my $n (@machines)
	{
		my $f = $front[ $n - 1 ];
		my $out = '';
		push @runs, [ IPC::Run::start([ 'pgbench', '-n', '-c', 2, '-T', $SECONDS, '-f', $script, '-h', $f->host, '-p', $f->port, '-U', "a$n", 'front' ], '<', \undef, '>', \$out, '2>&1', IPC::Run::timeout(120 + $SECONDS)), \$out ];
	}
	my $sum = 0;
	foreach my $run (@runs)
	{
		$run->[0]->finish;
		$sum += ${ $run->[1] } =~ /tps = ([0-9.]+)/ ? $1 : die ${ $run->[1] };
	}
	return $sum;
}
my ($one, $two) = map { calls_a_second(@$_) } [1], [ 1, 2 ];
cmp_ok($one, '>', 0, 'one machine answers calls');
cmp_ok($two, '>', 0, 'two machines answer calls');
chomp(my $processors = `nproc`);
diag(sprintf 'measured here, %d processors for all: %.0f calls a second in front of one shard, %.0f in front of two', $processors, $one, $two);
diag(sprintf 'a projection, not measured: N machines like this one, a front and a shard on each, N x %.0f: a call costs its shard the same at each size, and the others nothing', $one);

done_testing();
