# kgctl connected to a front. Clients of two tenants, each in a database of its own,
# get the same replies as from a gateway of that database, including errors, rate
# limits and subscriptions.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP ();
use KgGateway;
use KgTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $sharedir = `pg_config --sharedir`;
chomp $sharedir;
plan skip_all => 'PL/Proxy is not installed (Debian: postgresql-NN-plproxy)' unless -e "$sharedir/extension/plproxy.control";

my $node = new_node('kgctl_front', 'fsync = off', 'max_connections = 80', 'log_min_error_statement = panic');
my $json = JSON::PP->new->canonical;
sub dsn { return 'host=' . $node->host . ' port=' . $node->port . " dbname=$_[0]" . ($_[1] ? " user=$_[1]" : '') }

$node->safe_psql('postgres', "CREATE DATABASE $_") foreach 'front', 'one', 'two';
$node->safe_psql('postgres', 'CREATE ROLE gw LOGIN; CREATE ROLE ada LOGIN; CREATE ROLE ben LOGIN');
my @owner = ('--dsn', dsn('front', $node->safe_psql('postgres', 'SELECT current_user')));
my %shard = (a => 'one', b => 'two');
my %role = (a => 'ada', b => 'ben');
foreach my $command ([ 'init' ], [ 'add-shard', 'one', dsn('one') ], [ 'add-shard', 'two', dsn('two') ], [ 'place', 'a', 'one' ], [ 'place', 'b', 'two' ])
{
	my $run = run_kgctl({}, 'cluster', @owner, @$command);
	is($run->{code}, 0, "kgctl cluster @$command") or diag($run->{err});
}
$node->safe_psql('front', q{SELECT kg_grant('a', 'ada', 'admin'), kg_grant('b', 'ben', 'admin'), kg_grant_gateway('gw')});
$node->safe_psql('one', q{INSERT INTO kg_auth_key (issuer, kid, alg, secret, audience, access) VALUES ('i', 'k', 'HS256', decode(repeat('5a', 32), 'hex'), 'kg', 'write')});
is(run_kgctl({}, 'cluster', @owner, 'sync')->{code}, 0, 'kgctl cluster sync');
my %token = map { $_ => $node->safe_psql('one', qq{SELECT kg_issue_token('{"tenant": "$_", "sub": "s"}', 'k', '1 hour')}) } 'a', 'b';

# ---- commands ----

foreach my $tenant ('a', 'b')
{
	my $run = run_kgctl({}, 'apply', '--dsn', dsn('front', $role{$tenant}), bundle_file('product'));
	is($run->{code}, 0, "kgctl apply to $tenant") or diag($run->{err});
}
foreach my $command ([ 'tools' ], [ 'call', 'list_module', 'limit=2' ], [ 'call', 'get_nothing' ], [ 'call', 'list_module', 'limit="x"' ], [ 'export', 'product' ], [ 'export', 'nothing' ])
{
	my ($front, $direct) = map { run_kgctl({}, $command->[0], '--dsn', dsn($_, 'ben'), @$command[ 1 .. $#$command ]) } 'front', 'two';
	is_deeply($front, $direct, "kgctl @$command prints the same through the front") or diag($front->{err} . $direct->{err});
}

# ---- clients ----

my $front = start_gateway($node, 'gw', '--metrics', '127.0.0.1:0', '--dsn', dsn('front', 'gw'), map { ('--listen-dsn', dsn($_, 'gw')) } 'one', 'two');
my %direct = map { $_ => start_gateway($node, 'gw', '--dsn', dsn($shard{$_}, 'gw')) } 'a', 'b';
sub as { my ($token) = @_; return { Authorization => "Bearer $token" } }

my @messages = (rpc('ping'), rpc('tools/list'), rpc('resources/list'),
	map { rpc('tools/call', $_) } { name => 'list_module', arguments => { limit => 3 } }, { name => 'search_entities', arguments => { query => 'cache' } },
	{ name => 'list_module', arguments => { limit => 'x' } }, { name => 'nothing', arguments => {} });
foreach my $tenant ('a', 'b')
{
	foreach my $message (@messages)
	{
		my ($through, $there) = map { post($_, $message, as($token{$tenant})) } $front, $direct{$tenant};
		is("$through->{status} $through->{body}", "$there->{status} $there->{body}", "$tenant: $message->{method} " . ($message->{params}{name} // ''));
	}
}
foreach my $token ('x', 'a.b.c', $token{a} =~ s/[.][^.]*$/.AAAA/r)
{
	my ($through, $there) = map { post($_, $messages[0], as($token)) } $front, $direct{a};
	is("$through->{status} $through->{body}", "$there->{status} $there->{body}", 'an invalid token gets the same body through the front');
	is($through->{headers}{'www-authenticate'}, $there->{headers}{'www-authenticate'}, 'an invalid token gets the same challenge through the front');
	is($through->{status}, 401, 'an invalid token gets 401 through the front');
}
is(http($front, 'GET', '/readyz')->{status}, 200, 'the gateway of the front is ready');

# ---- rates, as the tenant's shard has them ----

$node->safe_psql('front', q{SELECT kg_set_limits('b', '*', '{"calls_per_minute": 2}')});
my $limited = start_gateway($node, 'gw', '--dsn', dsn('front', 'gw'));
my @replies = map { post($limited, $messages[3], as($token{b}))->{body} } 1 .. 3;
unlike($replies[$_], qr/LIMIT_EXCEEDED/, 'a call within the rate is answered') foreach 0, 1;
like($replies[2], qr/LIMIT_EXCEEDED/, 'a call beyond the rate is refused');
unlike(post($limited, $messages[3], as($token{a}))->{body}, qr/LIMIT_EXCEEDED/, 'the rate of one tenant does not limit another tenant');

# ---- subscriptions ----

sub subscribe
{
	my ($gateway, $tenant) = @_;
	my $socket = connect_to($gateway);
	my $body = $json->encode(modern('subscriptions/listen', { notifications => { toolsListChanged => JSON::PP::true } }));
	my %all = (Host => 'localhost', 'Content-Type' => 'application/json', 'Content-Length' => length $body, Accept => 'text/event-stream',
		Authorization => "Bearer $token{$tenant}", %{ modern_headers('subscriptions/listen') });
	syswrite($socket, "POST /mcp HTTP/1.1\r\n" . join('', map { "$_: $all{$_}\r\n" } sort keys %all) . "\r\n$body");
	return $socket;
}
is(read_reply(subscribe($limited, 'a'))->{status}, 503, 'without --listen-dsn a gateway of the front refuses subscriptions');
like(gateway_log($limited), qr/is a front and sends no notifications: subscriptions need --listen-dsn/, 'the log says that subscriptions need --listen-dsn');
foreach my $tenant ('a', 'b')
{
	my ($socket, $data) = (subscribe($front, $tenant), '');
	ok(read_until($socket, \$data, qr/acknowledged/), "a subscription of $tenant is acknowledged");
	my ($other) = grep { $_ ne $tenant } 'a', 'b';
	foreach my $changed ($other, $tenant)
	{
		my ($bundle, $type) = ("more-$tenant$changed", "more_$tenant$changed");
		my (undef, undef, $err) = call_as($node, 'front', $role{$changed}, qq{SELECT kg_apply_bundle('{"bundle_name": "$bundle", "version": "1",
			"schemas": [{"entity_type": "$type", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}]}')});
		is($err, '', "the tools of $changed change");
		ok(read_until($socket, \$data, qr/list_changed/), "the subscriber of $tenant is notified of the change at its shard") if $changed eq $tenant;
		unlike($data, qr/list_changed/, "the subscriber of $tenant is not notified of a change at another shard") if $changed ne $tenant;
	}
}

my ($port) = gateway_log($front) =~ /metrics on 127\.0\.0\.1:(\d+)/;
my $metrics = '';
ok(wait_until(sub { ($metrics = http({ port => $port }, 'GET', '/metrics')->{body}) =~ /component=/ }), 'the metrics have the health of components');
like($metrics, qr/^kgctl_health_status\{component="shard $_"\} (?:1|0\.5)$/m, "the metrics have the health of shard $_") foreach 'one', 'two';

is(stop_gateway($_), 0, 'the gateway stops') foreach $front, $limited, values %direct;
done_testing();
