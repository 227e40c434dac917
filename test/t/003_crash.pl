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
$node->safe_psql('kg', q{SELECT kg_drop_tenant('t_meter')});
is(state_of($node, 'kg'), $before, 'a dropped tenant leaves nothing behind');

# Start an apply and answer its backend's pid once it runs.
sub start_apply
{
	my $in = "\\set bundle `cat '$whole'`\n"
	  . "SELECT 'pid ' || pg_backend_pid();\n"
	  . "SELECT kg_apply_bundle(:'bundle'::jsonb, '{}');\n";
	my ($out, $err) = ('', '');
	my $run = IPC::Run::start(
		[ 'psql', '-XAtq', '-h', $node->host, '-p', $node->port, '-U', 'alice', '-d', 'kg' ],
		'<', \$in, '>', \$out, '2>', \$err, IPC::Run::timeout(180));
	$run->pump until $out =~ /pid (\d+)/;
	return ($run, $1, \$out, \$err);
}

sub wait_until_up
{
	for (1 .. 600)
	{
		return 1 if ($node->psql('kg', 'SELECT 1'))[0] == 0;
		usleep(100_000);
	}
	die 'the server did not come back';
}

my $interrupted = 0;
foreach my $attempt (1 .. 8)
{
	my ($run, $pid, $out, $err) = start_apply();
	usleep(1_000_000 * $seconds * $attempt / 10);
	my $how = ('kill -9 of the backend', 'pg_terminate_backend', 'pg_cancel_backend',
		'immediate stop of the server')[ $attempt % 4 ];
	if ($attempt % 4 == 0) { kill 'KILL', $pid; }
	elsif ($attempt % 4 == 1) { $node->psql('postgres', "SELECT pg_terminate_backend($pid)"); }
	elsif ($attempt % 4 == 2) { $node->psql('postgres', "SELECT pg_cancel_backend($pid)"); }
	else { $node->stop('immediate'); }
	eval { $run->finish };
	$node->start if $attempt % 4 == 3;
	wait_until_up();
	my $after = state_of($node, 'kg');
	if ($$out =~ /"revision"/)
	{
		# It was done before the blow: then it is whole.
		note "attempt $attempt: the apply was faster than the $how";
		is($node->safe_psql('kg', q{SELECT count(*) > 5000 FROM kg_entity WHERE entity_type = 'subdivision'}),
			't', "$how after the end: everything is there");
		apply($node, 'kg', 'alice', $small);
		$before = state_of($node, 'kg');
	}
	else
	{
		$interrupted++;
		is($after, $before, "$how during kg_apply_bundle: nothing half-applied");
	}
}
cmp_ok($interrupted, '>=', 4, "most applies were interrupted ($interrupted of 8)");

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
	'0', 'no edge dangles');

$node->stop;
done_testing();
