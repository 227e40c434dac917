# kgctl cluster upgrade: shards of each released version, and a front, are upgraded
# to the current version, while sessions make calls through the front. The command is
# killed at each step and run again. It refuses an impossible upgrade before it
# changes anything.
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

my @from = map { m{kg_graph--([0-9.]+)\.sql$} ? $1 : () } glob root() . '/sql/released/kg_graph--*.sql';
my $present = slurp_file(root() . '/kg_graph.control') =~ /default_version = '([^']+)'/ ? $1 : '';
my $node = new_node('cluster_upgrade', 'fsync = off', 'max_connections = 60', 'log_min_error_statement = panic');
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
my %tenant = (ada => 'one', ben => 'two');
$node->safe_psql('postgres', "CREATE ROLE $_ LOGIN") foreach sort keys %tenant;

sub dsn { return 'host=' . $node->host . ' port=' . $node->port . " dbname=$_[0]" }
sub cluster { return run_kgctl({ seconds => 180 }, 'cluster', @_) }

sub works
{
	my ($what, $pattern, @words) = @_;
	my $run = cluster(@words);
	is($run->{code}, 0, $what) or diag($run->{out} . $run->{err});
	like($run->{out}, $pattern, "$what: the output is as expected");
	return;
}

sub refused
{
	my ($what, $pattern, @words) = @_;
	my $run = cluster(@words);
	isnt($run->{code}, 0, "$what: the command fails");
	like($run->{err}, $pattern, "$what: the error names the cause");
	return;
}

sub versions
{
	return join ' ', map { $node->safe_psql($_, q{SELECT extversion FROM pg_extension WHERE extname IN ('kg_graph', 'kg_front')}) } 'one', 'two', 'front';
}

# ---- sessions that call all the time ----

my $dir = PostgreSQL::Test::Utils::tempdir();
my @sessions;

# One session a role, whose connections last: it reads, writes, and notes what failed.
sub start_session_of
{
	my ($role) = @_;
	my $pid = fork // die "fork: $!";
	return $pid if $pid;
	my ($in, $out, $err) = ('', '', '');
	my $psql = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-h', $node->host, '-p', $node->port, '-U', $role, '-d', 'front' ], '<', \$in, '>', \$out, '2>', \$err);
	for (my $n = 0; !-e "$dir/stop"; $n++)
	{
		$in .= qq{SELECT kg_put_entities('module', jsonb_build_array(kg_get('module', 'queue') - 'issue_count' || '{"id": "$role-$n", "name": "Module $n"}'))->'counts';
			SELECT kg_list('module', '{"limit": 3}') ->> 'total'; SELECT kg_search('{"query": "cache"}') IS NOT NULL; \\echo done $n\n};
		$psql->pump until $out =~ /done $n\n/;
		append_to_file("$dir/$role", $out =~ /created/ ? "$role-$n\n" : "! $out\n");
		append_to_file("$dir/errors", $err) if $err =~ /ERROR|FATAL/;
		$out = $err = '';
	}
	POSIX::_exit(0);
}
sub start_sessions { unlink "$dir/stop"; push @sessions, map { start_session_of($_) } sort keys %tenant; return }
sub end_sessions { append_to_file("$dir/stop", ''); waitpid $_, 0 foreach @sessions; @sessions = (); return }
my $made_up = "$sharedir/extension/kg_front--0.0.1--$present.sql";
END { my $status = $?; end_sessions() if @sessions; unlink $made_up; $? = $status }
sub acknowledged { my $f = "$dir/$_[0]"; return -e $f ? split /\n/, slurp_file($f) : () }
sub goes_on { my ($what) = @_; foreach my $role (sort keys %tenant) { my $n = acknowledged($role); ok(wait_until(sub { acknowledged($role) > $n + 1 }), "$what: $role is answered") } return }

sub waits { return $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE query ~ 'ALTER EXTENSION' AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()}) > 0 }
sub is_left { return $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE query ~ 'ALTER EXTENSION' AND state = 'active' AND pid <> pg_backend_pid()}) > 0 }

# Killed while it waits for a lock of ours; what the server has of it goes on.
sub killed_at
{
	my ($what, $db, $lock) = @_;
	my $held = hold($node, $db, $lock);
	my $run = IPC::Run::start([ 'kgctl', 'cluster', '--wait', '1', 'upgrade' ], '<', \undef, '>', \my $out, '2>', \my $err, IPC::Run::timeout(120));
	ok(wait_until(sub { $run->pump_nb; return 1 if !$run->pumpable; return waits() }) && $run->pumpable, "an upgrade waits $what") or diag($out . $err);
	$run->kill_kill(grace => 0) if $run->pumpable;
	ok(wait_until(sub { !is_left() }), "the server ends the statement of the killed upgrade $what");
	let_go($held);
	return;
}

foreach my $version (@from)
{
	$node->safe_psql('postgres', "CREATE DATABASE $_") foreach 'front', 'one', 'two';
	$ENV{KGCTL_DSN} = dsn('front') . " user=$superuser";
	$node->safe_psql($_, "CREATE EXTENSION kg_graph VERSION '$version'") foreach 'one', 'two';
	works('init', qr/is a front/, 'init');
	foreach my $role (sort keys %tenant)
	{
		works("add-shard with $version", qr/exists/, 'add-shard', $tenant{$role}, dsn($tenant{$role}));
		works('place', qr/is placed/, 'place', "t_$role", $tenant{$role});
		$node->safe_psql('front', "SELECT kg_grant('t_$role', '$role', 'admin')");
		apply($node, 'front', $role, bundle_file('product'));
	}
	is(versions(), "$version $version $present", "the shards have version $version, and the front has $present");
	my $status = cluster('status');
	is($status->{code}, 1, "$version: the exit status of status is 1");
	like($status->{out}, qr/^shard one: the extension is \Q$version\E and its library \Q$present\E/m, "$version: status says why a shard is degraded");
	like($status->{out}, qr/shard two: number 2, degraded, tenants: 1; version \Q$version\E, and the front \Q$present\E: run upgrade/, "$version: status shows the version of each shard");
	refused('a move between versions', qr/shard one has version \Q$version\E, and the front has version \Q$present\E; run kgctl cluster upgrade/, 'move', 't_ada', 'two');

	# What is refused is refused before anything is done.
	refused('an upgrade to an unknown version', qr/the server of front front has no kg_front 9[.]9/, 'upgrade', '9.9');
	refused('an upgrade to an older version than that of the front', qr/the server of front front has no kg_front \Q$version\E/, 'upgrade', $version);
	refused('an upgrade to a version with SQL in its name', qr/has no kg_front '; DROP/, 'upgrade', q{'; DROP TABLE kg_place; --});
	$node->safe_psql('two', q{UPDATE pg_extension SET extversion = '0.0.9' WHERE extname = 'kg_graph'});
	refused('an upgrade of a shard without an update path', qr/shard two has version 0[.]0[.]9, from which no update leads to \Q$present\E/, 'upgrade');
	$node->safe_psql('two', qq{UPDATE pg_extension SET extversion = '$version' WHERE extname = 'kg_graph'});
	$node->safe_psql('front', q{UPDATE kg_shard SET dsn = dsn || ' port=1' WHERE name = 'two'});
	refused('an upgrade with an unreachable shard', qr/cannot connect/, 'upgrade');
	$node->safe_psql('front', q{UPDATE kg_shard SET dsn = left(dsn, -7) WHERE name = 'two'});
	is(versions(), "$version $version $present", "$version: the refused commands change no version");

	start_sessions();
	goes_on("both shards of $version");
	{
		my $held = hold($node, 'one', 'LOCK TABLE kg_manifest');
		refused('an upgrade that does not get its lock', qr/calls use the extension all the time/, '--wait', '1', 'upgrade');
		let_go($held);
	}
	killed_at('for the first shard', 'one', 'LOCK TABLE kg_manifest');
	is(versions(), "$version $version $present", "$version: an upgrade killed before the first shard changes no version");
	killed_at('for the second shard', 'two', 'LOCK TABLE kg_manifest');
	is(versions(), "$present $version $present", "$version: an upgrade killed before the second shard has changed only the first");
	goes_on("shards of versions $version and $present");
	like((call_as($node, 'front', $superuser, q{SELECT kg_tenant_size('t_ada')}))[1], qr/"entities"/, "$version: a new function works at the upgraded shard");
	like((call_as($node, 'front', $superuser, q{SELECT kg_tenant_size('t_ben')}))[2], qr/function \S*kg_tenant_size\(.*does not exist/, "$version: an error says that the other shard does not have the new function") if $version eq '0.1.0';
	works('upgrade', qr/shard one has version \Q$present\E already\nshard two has version \Q$present\E now\nfront front has version \Q$present\E already/, 'upgrade');
	works('a second upgrade', qr/shard one .* already\nshard two .* already\nfront front .* already/, 'upgrade');
	works('an upgrade to the present version by its name', qr/shard two .* already/, 'upgrade', $present);
	is(versions(), "$present $present $present", "$version: the upgrade gives both shards and the front the same version");
	goes_on("after the upgrade of $version");
	end_sessions();
	is(-e "$dir/errors" ? slurp_file("$dir/errors") : '', '', "$version: no call failed during the upgrade");
	foreach my $role (sort keys %tenant)
	{
		my %there = map { $_ => 1 } split /\n/, $node->safe_psql($tenant{$role}, 'SELECT entity_id FROM kg_entity');
		my @lost = grep { !$there{$_} } acknowledged($role);
		is("@lost", '', scalar(acknowledged($role)) . " writes of $role were acknowledged, none is lost");
		is($node->safe_psql($tenant{$role}, q{SELECT kg_check() -> 'ok'}), 'true', "$version: kg_check() finds no differences in the shard of $role");
	}
	works('status after the upgrade', qr/shard two: number 2, \w+, tenants: 1\n/, 'status');
	works('a move after the upgrade', qr/is moved/, 'move', 't_ada', 'two');
	$node->safe_psql('postgres', "DROP DATABASE $_ WITH (FORCE)") foreach 'front', 'one', 'two';
	unlink glob "$dir/*";
}

# ---- the front, too, and last ----

# A version of a front that was before this one is made up, where its file can be put.
SKIP:
{
	skip 'the server\'s files cannot be written', 1 unless -w "$sharedir/extension";
	$node->safe_psql('postgres', "CREATE DATABASE $_") foreach 'front', 'one', 'two';
	works('init', qr/is a front/, 'init');
	works("add-shard $_", qr/exists/, 'add-shard', $_, dsn($_)) foreach 'one', 'two';
	$node->safe_psql('front', q{UPDATE pg_extension SET extversion = '0.0.1' WHERE extname = 'kg_front'});
	refused('an upgrade of a front without an update path', qr/front front has version 0[.]0[.]1, from which no update leads to \Q$present\E/, 'upgrade');
	append_to_file($made_up, "CREATE FUNCTION kg_new() RETURNS int LANGUAGE sql AS 'SELECT 1';\n");
	killed_at('for the front', 'front', q{LOCK TABLE pg_extension IN SHARE MODE});
	is(versions(), "$present $present 0.0.1", 'the shards are upgraded before the front');
	works('the upgrade after a killed one', qr/shard two .* already\nfront front .* now/, 'upgrade');
	is(versions(), "$present $present $present", 'the front is upgraded after the shards');
}

done_testing();
