# A backend or the whole server dies while it applies a bundle: all or nothing.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep time);

my $node = new_node('main', 'restart_after_crash = on', 'fsync = off');

$node->safe_psql('postgres', 'CREATE DATABASE kg');
$node->safe_psql('kg', 'CREATE EXTENSION kg_graph');
new_tenant($node, 'kg', 'alice');

my $small = bundle_file('iso-codes', 100);
my $whole = bundle_file('iso-codes');
apply($node, 'kg', 'alice', $small);
my $before = state_of($node, 'kg');

# How long an undisturbed apply takes, in another tenant.
new_tenant($node, 'kg', 'meter');
my $start = time;
apply($node, 'kg', 'meter', $whole);
my $seconds = time - $start;
note sprintf('an apply takes %.2f s', $seconds);
my $exported = export_of($node, 'kg', 'meter', 'iso-codes');
$node->safe_psql('kg', q{SELECT kg_drop_tenant('t_meter')});
is(state_of($node, 'kg'), $before, 'a dropped tenant leaves no rows behind');

my @blows = (
	[ 'kill -9 of the backend' => \&kill_backend ],
	[ 'pg_terminate_backend' => sub { $node->psql('postgres', "SELECT pg_terminate_backend($_[0])") } ],
	[ 'pg_cancel_backend' => sub { $node->psql('postgres', "SELECT pg_cancel_backend($_[0])") } ],
	[ 'immediate stop of the server' => sub { $node->stop('immediate'); $node->start } ]);

# Start an apply and answer its backend's pid once it runs.
sub start_apply
{
	my $in = "\\set bundle `cat '$whole'`\n"
	  . "SELECT 'pid ' || pg_backend_pid();\n"
	  . "SELECT kg_apply_bundle(:'bundle'::jsonb, '{}');\n";
	return start_session($node, 'kg', 'alice', $in, qr/pid (\d+)/);
}

# Each blow comes while the apply waits for a table that another session has locked.
# The apply fills the tables in this order, so that a blow comes in each stage.
foreach my $table (qw(kg_entity kg_index_key kg_edge))
{
	foreach my $blow (@blows)
	{
		my ($name, $strike) = @$blow;
		my $keeper = hold($node, 'kg', "LOCK TABLE $table IN SHARE MODE");
		my ($run, $pid, $out) = start_apply();
		$node->poll_query_until('kg',
			"SELECT count(*) = 1 FROM pg_locks WHERE pid = $pid AND relation = '$table'::regclass AND NOT granted")
		  or die "the apply does not wait for $table";
		$strike->($pid);
		eval { $run->finish };
		let_go($keeper);
		comes_back($node, 'kg') or die 'the server did not come back';
		unlike($$out, qr/"revision"/, "$name before $table is written: the client gets no reply");
		is(state_of($node, 'kg'), $before, "$name before $table is written: all rows are as before the apply");
	}
}

# At any moment, whichever that is: all, if it was done by then, or nothing.
foreach my $tenth (1 .. 8)
{
	my ($name, $strike) = @{ $blows[ $tenth % @blows ] };
	my ($run, $pid, $out) = start_apply();
	usleep(1_000_000 * $seconds * $tenth / 10);
	$strike->($pid);
	eval { $run->finish };
	comes_back($node, 'kg') or die 'the server did not come back';
	if (export_of($node, 'kg', 'alice', 'iso-codes') eq $exported)
	{
		pass("$name after the end of kg_apply_bundle: the whole bundle is stored");
		apply($node, 'kg', 'alice', $small);
		$before = state_of($node, 'kg');
	}
	else
	{
		is(state_of($node, 'kg'), $before, "$name during kg_apply_bundle: all rows are as before the apply");
		unlike($$out, qr/"revision"/, "$name during kg_apply_bundle: the client gets no reply");
	}
}

# Nothing is left that would hinder the next one.
my $out = apply($node, 'kg', 'alice', $whole);
like($out, qr/"revision"/, 'the next apply succeeds');
is($node->safe_psql('kg', q{
	SELECT count(*) FROM kg_entity e WHERE entity_type = 'subdivision' AND NOT EXISTS (
	  SELECT FROM kg_edge d WHERE d.tenant = e.tenant AND d.source = e.node)}),
	'0', 'every subdivision has its edge to a country');
is($node->safe_psql('kg', q{
	SELECT count(*) FROM kg_edge d WHERE NOT EXISTS (
	  SELECT FROM kg_entity e WHERE e.tenant = d.tenant AND e.node = d.target)}),
	'0', 'no edge leads to a missing entity');

$node->stop;
done_testing();
