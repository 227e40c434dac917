# kgctl serve --metrics: the counters in the format of Prometheus, and the endpoints
# that report whether the gateway is alive and ready.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
use KgGateway;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = cluster('metrics');
my %token = %{ $node->{kg_token} };

# All of the gateway's series: with an authorizer and a standby, which is away, too.
$node->safe_psql('postgres', q{CREATE FUNCTION kg_test.mcp(jsonb, text, text, jsonb, text) RETURNS jsonb LANGUAGE sql AS 'SELECT kg_mcp($1, $2, $3)'});

# The second address of a gateway, as a gateway.
sub probe
{
	my ($gateway) = @_;
	wait_until(sub { gateway_log($gateway) =~ /metrics on 127\.0\.0\.1:\d+/ });
	my ($port) = gateway_log($gateway) =~ /metrics on 127\.0\.0\.1:(\d+)/;
	return { port => $port };
}

# Returns the content of /metrics: name with labels -> value. Each line must have the
# text format 0.0.4, belong to a declared metric and occur once.
sub metrics
{
	my ($probe) = @_;
	my $reply = http($probe, 'GET', '/metrics');
	my (%type, %value, @bad);
	for my $line (split /\n/, $reply->{body})
	{
		if ($line =~ /^# HELP ([a-z_]+) \S/) { }
		elsif ($line =~ /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/)
		{
			push @bad, $line if $type{$1};
			$type{$1} = $2;
		}
		elsif ($line =~ /^([a-z_]+)((?:\{(?:[a-z]+="(?:[^"\\\n]|\\[\\n"])*",?)+\})?) (\S+)$/)
		{
			my ($name, $labels, $value) = ($1, $2, $3);
			(my $base = $name) =~ s/_(?:bucket|sum|count)$//;
			push @bad, $line unless $type{$name} || ($type{$base} // '') eq 'histogram';
			push @bad, $line if exists $value{"$name$labels"} || $value !~ /^[0-9.e+-]+$/;
			push @bad, $line if ($type{$name} // '') eq 'counter' && $name !~ /_total$/;
			$value{"$name$labels"} = $value;
		}
		else { push @bad, $line; }
	}
	return { value => \%value, type => \%type, bad => \@bad, reply => $reply };
}

my $reply;
my $calls = 'kgctl_call_duration_seconds_count';

# The gateway is ready; nothing has been asked.
my $gateway = start_gateway($node, 'kg_direct', '--metrics', '127.0.0.1:0', '--pool', '2', '--queue', '5', '--authorizer', 'http://127.0.0.1:1', '--function', 'kg_test.mcp', '--read-dsn', 'host=127.0.0.1 port=1');
my $probe = probe($gateway);
ok(wait_until(sub { http($probe, 'GET', '/readyz')->{status} == 200 }), 'readyz at --metrics is 200');
is(http($probe, 'GET', '/healthz')->{status}, 200, 'healthz at --metrics is 200');
is(http($gateway, 'GET', '/readyz')->{status}, 200, 'readyz at the address of clients is 200');
is(http($gateway, 'GET', '/healthz')->{status}, 200, 'healthz at the address of clients is 200');
is(decode(http($probe, 'GET', '/readyz')->{body})->{status}, 'healthy', 'and how the database is')
  or diag(http($probe, 'GET', '/readyz')->{body});
is(http($gateway, 'GET', '/readyz')->{body}, "healthy\n", 'readyz at the address of clients has only the status');
is(http($gateway, 'GET', '/metrics')->{status}, 404, 'metrics at the address of clients is 404');
is(http($probe, 'POST', '/mcp', { 'Content-Type' => 'application/json' }, '{}')->{status}, 404, 'a message to the address of --metrics is 404');
is(http($probe, 'POST', '/metrics', {}, '')->{status}, 405, 'POST to metrics is 405');
is(http($probe, 'HEAD', '/metrics', { Connection => 'close' })->{body}, '', 'HEAD of metrics has no body');
my $m = metrics($probe);
is_deeply($m->{bad}, [], 'the first metrics have the text format');
like($m->{reply}{headers}{'content-type'}, qr{^text/plain; version=0\.0\.4}, 'metrics have the content type of the text format');
is($m->{value}{"$calls\{tool=\"other\"}"}, 0, 'the counter of calls is 0');
is($m->{value}{'kgctl_pool_connections_max'}, 2, 'the metrics have the size of the pool');
is($m->{value}{'kgctl_queue_length_max'}, 5, 'the metrics have the size of the queue');
ok($m->{value}{'kgctl_pool_connects_total'} >= 1, 'the metrics count the connection');
ok(wait_until(sub { (metrics($probe)->{value}{'kgctl_ready'} // 0) == 1 }), 'the metrics say that the database is ready');
$m = metrics($probe);
is($m->{value}{'kgctl_health_status{component="extension"}'}, 1, 'the metrics have a component of the health');
cmp_ok($m->{value}{'kgctl_health_age_seconds'}, '<', 60, 'the metrics have the age of the health');
is($m->{value}{'kgctl_http_responses_total{status="200"}'}, 3, 'requests of clients are counted, but not those of probes');

# Calls of tools, by revision; each fails in a way of its own.
sub call { return rpc('tools/call', { name => $_[0], arguments => $_[1] // {} }) }
my $newest = { 'MCP-Protocol-Version' => '2025-11-25' };
post($gateway, call('kg_list_types'), $newest) for 1 .. 3;
my $name = 'get_graph_schema';
post($gateway, call($name), $newest) for 1 .. 3;
post($gateway, call($name, { nonsense => 1 }), $newest);
post($gateway, call($name, { nonsense => 1 }), { 'MCP-Protocol-Version' => '2025-06-18' });
post($gateway, call($name, { nonsense => 1 }), { 'MCP-Protocol-Version' => '2024-11-05' });
post($gateway, modern('tools/call', { name => $name, arguments => {} }), modern_headers('tools/call', $name));
post($gateway, rpc('ping'));
post($gateway, rpc('no/such'));
post($gateway, [ call($name), rpc('ping'), call('nothing') ], { 'MCP-Protocol-Version' => '2025-03-26' });
post($gateway, rpc('ping'), { Authorization => 'Bearer nonsense' });
post($gateway, '{');
$m = metrics($probe);
is_deeply($m->{bad}, [], 'the metrics after the calls have the text format');
is($m->{value}{"$calls\{tool=\"$name\"}"}, 8, 'calls by tool')
  or diag($m->{reply}{body});
is($m->{value}{"kgctl_call_duration_seconds_bucket{tool=\"$name\",le=\"+Inf\"}"}, 8, "the last bucket has all calls of $name");
is($m->{value}{"$calls\{tool=\"other\"}"}, 4, 'unknown tools share a series');
is($m->{value}{'kgctl_errors_total{kind="tool",code="INVALID_INPUT"}'}, 1, 'errors of tools are counted by code');
is($m->{value}{'kgctl_errors_total{kind="protocol",code="-32602"}'}, 6, 'errors of the protocol are counted by code');
# The gateway's role may not execute kg_login(), so it may not bring a token.
is($m->{value}{'kgctl_errors_total{kind="sql",code="42501"}'}, 1, 'errors of SQL are counted by SQLSTATE');
is($m->{value}{'kgctl_messages_total{method="ping"}'}, 3, 'messages are counted by method');
is($m->{value}{'kgctl_messages_total{method="other"}'}, 1, 'unknown methods share a series');
is($m->{value}{'kgctl_messages_total{method="batch"}'}, 1, 'a batch is counted');
is($m->{value}{'kgctl_http_responses_total{status="400"}'}, 1, 'responses are counted by status');

# docs/monitoring.md has each of them, and no other.
my $root = root();
my %listed = map { $_ => 1 } map { /`([a-z_]+)`/g } map { /^\| (`(?:kgctl|process)_\S.*?) \|/ } split /\n/,
  PostgreSQL::Test::Utils::slurp_file("$root/docs/monitoring.md");
is_deeply([ sort keys %listed ], [ sort keys %{ $m->{type} } ], 'docs/monitoring.md lists all metrics');

# Whoever sends a thousand names makes no series.
my $before = keys %{ $m->{value} };
post($gateway, call("x$_\"\n{}")) for 1 .. 300;
post($gateway, rpc("x$_")) for 1 .. 50;
$m = metrics($probe);
is_deeply($m->{bad}, [], 'the metrics after unknown names have the text format');
is(keys %{ $m->{value} }, $before, 'names that clients send make no new series');

# Whoever may not ask is told no more than that.
$node->safe_psql('postgres', 'REVOKE EXECUTE ON FUNCTION kg_health() FROM PUBLIC');
ok(wait_until(sub { http($probe, 'GET', '/readyz')->{status} == 503 }), 'readyz is 503 if the gateway may not call kg_health()');
like(gateway_log($gateway), qr/kg_health\(\) failed: permission denied/, 'the log says that kg_health() failed');
is(post($gateway, rpc('ping'))->{status}, 200, 'a message is answered although readyz is 503');
$node->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION kg_health() TO PUBLIC');
ok(wait_until(sub { http($probe, 'GET', '/readyz')->{status} == 200 }), 'readyz is 200 after the grant');

# A gateway is told of all of the database.
my $other = start_gateway($node, 'kg_gate', '--metrics', '127.0.0.1:0');
my $watch = probe($other);
ok(wait_until(sub { http($watch, 'GET', '/readyz')->{status} == 200 }), 'readyz of the watching gateway is 200');
# The database is not as it should be: alive, not ready.
$node->safe_psql('postgres', 'ALTER TABLE kg_entity NO FORCE ROW LEVEL SECURITY');
ok(wait_until(sub { http($watch, 'GET', '/readyz')->{status} == 503 }), 'readyz is 503 if row-level security is not forced');
$reply = decode(http($watch, 'GET', '/readyz')->{body});
is_deeply([ map { $_->{name} } grep { $_->{status} eq 'unhealthy' } @{ $reply->{components} } ], ['tables'], 'readyz names the unhealthy component');
is(http($other, 'GET', '/readyz')->{body}, "unhealthy\n", 'readyz at the address of clients says only unhealthy');
is(http($other, 'GET', '/readyz')->{headers}{'retry-after'}, 1, 'readyz at the address of clients has Retry-After');
is(post($other, rpc('ping'), { Authorization => "Bearer $token{a}" })->{status}, 200, 'a message is answered although the database is unhealthy');
$node->safe_psql('postgres', 'ALTER TABLE kg_entity FORCE ROW LEVEL SECURITY');
ok(wait_until(sub { http($watch, 'GET', '/readyz')->{status} == 200 }), 'readyz is 200 after the repair');
# Many who ask at once, some of whom do not wait: one question.
{
	my $long = hold($node, 'postgres', 'BEGIN; LOCK TABLE kg_pending_reference IN ACCESS EXCLUSIVE MODE');
	sleep 1.1;
	my @asking = map { connect_to($watch) } 1 .. 20;
	syswrite($_, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n") for @asking;
	wait_until(sub { running($node) == 1 });
	close $_ for splice @asking, 0, 10;
	is(post($other, rpc('ping'), { Authorization => "Bearer $token{a}" })->{status}, 200, 'a message is answered while readyz waits');
	is(running($node), 1, 'ten requests of readyz run one query');
	let_go($long);
	is_deeply([ map { read_reply($_)->{status} } @asking ], [ (200) x 10 ], 'the query answers all requests of readyz');
}

is(stop_gateway($other), 0, 'the gateway stops');

# The database goes: alive, not ready.
$node->stop('immediate');
ok(wait_until(sub { http($probe, 'GET', '/readyz')->{status} == 503 }), 'readyz is 503 without the database');
is(http($gateway, 'GET', '/readyz')->{status}, 503, 'readyz at the address of clients is 503 without the database');
is(http($probe, 'GET', '/healthz')->{status}, 200, 'healthz is 200 without the database');
post($gateway, rpc('ping'));
$m = metrics($probe);
is($m->{value}{'kgctl_errors_total{kind="gateway",code="503"}'}, 1, 'the metrics count a message that was refused without the database');
is($m->{value}{'kgctl_queue_expired_total'}, 1, 'the metrics count a message whose wait in the queue expired');
ok($m->{value}{'kgctl_pool_lost_total'} >= 1, 'the metrics count a lost connection');
ok($m->{value}{'kgctl_pool_connect_failures_total'} >= 1, 'the metrics count a failed connection');
$node->start;
ok(wait_until(sub { http($probe, 'GET', '/readyz')->{status} == 200 }), 'readyz is 200 after the restart');

# A call that runs is seen; one that is given up is counted; stopping is told.
my $slow = start_gateway($node, 'kg_direct', '--function', 'kg_test.mcp', '--metrics', '127.0.0.1:0', '--pool', '1', '--grace', '60');
$probe = probe($slow);
wait_until(sub { http($probe, 'GET', '/readyz')->{status} == 200 });
my $gate = hold($node, 'postgres', 'SELECT pg_advisory_lock(1)');
my @held;
for (1 .. 2)
{
	my $body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_it","arguments":{"gate":1}}}';
	push @held, connect_to($slow);
	syswrite($held[-1], "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body");
}
ok(wait_until(sub { metrics($probe)->{value}{'kgctl_queue_length'} == 1 }), 'the metrics show one waiting call');
$m = metrics($probe);
is($m->{value}{'kgctl_pool_connections{state="busy"}'}, 1, 'the metrics show one busy connection');
is($m->{value}{'kgctl_http_requests'}, 2, 'the metrics show two open requests');
close $held[1];
ok(wait_until(sub { metrics($probe)->{value}{'kgctl_calls_cancelled_total'} == 1 }), 'the metrics count a cancelled call');
$slow->{harness}->signal('TERM');
ok(wait_until(sub { my $r = http($probe, 'GET', '/readyz'); $r && $r->{status} == 503 && $r->{body} =~ /shutting down/ }),
	'readyz is 503 while the gateway stops');
is(http($probe, 'GET', '/healthz')->{status}, 200, 'healthz is 200 while the gateway stops');
let_go($gate);
is(read_reply($held[0])->{status}, 200, 'the running call is answered while the gateway stops');
$slow->{harness}->finish;
is($slow->{harness}->full_result(0), 0, 'the slow gateway stops');

# Many connections of probes that say nothing hold up nobody.
my @silent = map { connect_to(probe($gateway)) } 1 .. 200;
is(post($gateway, rpc('ping'))->{status}, 200, 'a message is answered while probes hold silent connections');
close $_ for @silent;

for my $case ([ 'nonsense', qr/--metrics must be host:port/ ], [ "127.0.0.1:$gateway->{port}", qr/in use/ ])
{
	IPC::Run::run([ 'kgctl', 'serve', '--listen', '127.0.0.1:0', '--metrics', $case->[0] ], '<', \'', '>', \my $out, '2>', \my $err, IPC::Run::timeout(20));
	isnt($? >> 8, 0, "--metrics $case->[0] is refused");
	like($err, $case->[1], "the error says why --metrics $case->[0] is refused");
}

# What Prometheus itself says, where its checker is there.
SKIP:
{
	skip 'promtool is not installed', 1 unless grep { -x "$_/promtool" } split /:/, $ENV{PATH};
	my $text = metrics(probe($gateway))->{reply}{body};
	IPC::Run::run([ 'promtool', 'check', 'metrics' ], '<', \$text, '>&', \my $said, IPC::Run::timeout(60));
	is($said, '', 'promtool reports no faults');
}

# A page that was led here by a name of its own reads nothing; who knows the address does.
foreach my $at ([ probe($gateway), '/metrics' ], [ probe($gateway), '/readyz' ], [ probe($gateway), '/healthz' ], [ probe($gateway), '/none' ], [ $gateway, '/readyz' ], [ $gateway, '/healthz' ])
{
	my ($where, $path) = @$at;
	my $ok = $path eq '/none' ? 404 : 200;
	foreach my $case ([ { Host => 'evil.example' }, 403 ], [ { Host => '127.0.0.1.evil.example:9090' }, 403 ], [ { Origin => 'http://evil.example' }, 403 ], [ { Host => '10.1.2.3:9090' }, $ok ],
		[ { Host => '[fd00::1]:9090' }, $ok ], [ { Host => 'localhost' }, $ok ], [ { Host => '127.0.0.1', Origin => 'http://localhost:3' }, $ok ])
	{
		is(http($where, 'GET', $path, $case->[0])->{status}, $case->[1], "$path: " . join ' ', %{ $case->[0] });
	}
}

is(stop_gateway($gateway), 0, 'the gateway stops');
$node->stop;
done_testing();
