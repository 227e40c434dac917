# kgctl serve: calls_per_minute and edges_per_minute of each caller.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgGateway;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = cluster('rates');

sub token
{
	my ($tenant, $sub, $jti) = @_;
	return $node->safe_psql('postgres', qq{SELECT kg_issue_token('{"tenant": "$tenant", "sub": "$sub", "jti": "$jti"}', 'k', '1 hour')});
}

sub bearer { return { Authorization => "Bearer $_[0]", 'MCP-Protocol-Version' => $_[1] // '2025-11-25' } }

my $tool = 'get_graph_schema';
sub call { return rpc('tools/call', { name => $_[0] // $tool, arguments => $_[1] // {} }) }

sub gateway
{
	my ($user, @options) = @_;
	my $gateway = start_gateway($node, $user, '--metrics', '127.0.0.1:0', @options);
	wait_until(sub { http($gateway, 'GET', '/readyz')->{status} == 200 });
	return $gateway;
}

sub metric
{
	my ($gateway, $name) = @_;
	my ($port) = gateway_log($gateway) =~ /metrics on 127\.0\.0\.1:(\d+)/;
	return http({ port => $port }, 'GET', '/metrics')->{body} =~ /^\Q$name\E (\S+)$/m ? $1 : undef;
}

# The error of a tool, or undef.
sub error_of
{
	my ($reply) = @_;
	my $result = $reply->{json}{result};
	return $result->{isError} ? decode($result->{content}[0]{text})->{error} : undef;
}

# By an admin of the tenant: what the owner sets for * is everybody's ceiling.
$node->safe_psql('postgres', q{
	SET ROLE kg_direct;
	SELECT kg_set_limits('a', '*', '{"calls_per_minute": 3}'),
		kg_set_limits('a', 'sub:busy', '{"calls_per_minute": 5}'),
		kg_set_limits('a', 'sub:nobody', '{"calls_per_minute": 0}'),
		kg_set_limits('a', 'role:kg_direct', '{"calls_per_minute": 2}');
});

# Returns the reply to a refused call, and its error. Meanwhile the buckets fill at
# this rate or more slowly, and a slot can become free in any of them.
sub refusal
{
	my ($gateway, $message, $headers) = @_;
	my $reply;
	for (1 .. 10)
	{
		$reply = post($gateway, $message, $headers);
		my $error = error_of($reply);
		last if $error && $error->{code} eq 'LIMIT_EXCEEDED';
	}
	return $reply;
}
sub refused { return error_of(refusal(@_)) }

my $gateway = gateway('kg_gate');
my %token = map { $_ => token('a', $_, 1) } qw(ann bob busy nobody);

# As many calls as a bucket holds, then no more.
is(error_of(post($gateway, call(), bearer($token{ann}))), undef, "call $_ within the limit is answered") for 1 .. 3;
my $error = refused($gateway, call(), bearer($token{ann}));
is($error->{code}, 'LIMIT_EXCEEDED', 'a call beyond the limit is refused');
like($error->{message}, qr/calls_per_minute \(3\)/, 'the error names the limit of calls');
ok($error->{retry_after_ms} > 0 && $error->{retry_after_ms} <= 20001, 'the error says when to retry') or diag(explain $error);
is(post($gateway, call(), bearer($token{ann}))->{status}, 200, 'the status of a refused call is 200');
is(post($gateway, rpc('tools/list'), bearer($token{ann}))->{json}{result}{isError}, undef, 'tools/list is answered beyond the limit');

# The bucket is the subject's: its other token, another tool, another tenant.
is(refused($gateway, call('no_such_tool'), bearer(token('a', 'ann', 2)))->{code}, 'LIMIT_EXCEEDED', 'another token of the subject for another tool is refused');
is(error_of(post($gateway, call(), bearer($token{busy}))), undef, "call $_ within the most specific limit is answered") for 1 .. 5;
is(refused($gateway, call(), bearer($token{busy}))->{code}, 'LIMIT_EXCEEDED', 'a call beyond the most specific limit is refused');
is(error_of(post($gateway, call(), bearer(token('b', 'ann', 1)))), undef, 'the same subject in another tenant has its own bucket') for 1 .. 5;
$error = error_of(post($gateway, call(), bearer($token{nobody})));
is($error->{code}, 'LIMIT_EXCEEDED', 'a call is refused if the limit is 0');
is($error->{retry_after_ms}, undef, 'the error does not say when to retry if the limit is 0');

# Whoever is nobody has no bucket, and is told so by the database.
is(post($gateway, call(), bearer('nonsense'))->{status}, 401, 'an invalid token is 401') for 1 .. 5;
is(post($gateway, call())->{status}, 401, 'a call without a token is 401') for 1 .. 5;

# The shape is that of the revision.
for my $revision (qw(2024-11-05 2025-03-26 2025-06-18 2025-11-25))
{
	my $result = refusal($gateway, call(), bearer($token{ann}, $revision))->{json}{result};
	is_deeply([ sort keys %$result ], [ 'content', 'isError', $revision ge '2025-06-18' ? 'structuredContent' : () ], "$revision: a refused call has the members of the revision");
}
my $result = refusal($gateway, modern('tools/call', call()->{params}), { %{ bearer($token{ann}) }, %{ modern_headers('tools/call', $tool) } })->{json}{result};
is_deeply([ $result->{resultType}, $result->{structuredContent}{error}{code} ], [ 'complete', 'LIMIT_EXCEEDED' ], '2026-07-28: a refused call has the members of the revision');

# A batch is taken as a whole or not at all.
is(error_of(post($gateway, call(), bearer($token{bob}))), undef, 'another subject has its own bucket');
my $old = bearer($token{bob}, '2025-03-26');
my $batch = [ map { { %$_ } } call(), rpc('ping'), call(), { jsonrpc => '2.0', method => 'notifications/x' }, call() ];
my $n = 1;
for my $message (@$batch) { $message->{id} = $n++ if exists $message->{id} }
my $replies = post($gateway, $batch, $old)->{json};
is_deeply([ map { $_->{id} } @$replies ], [ 1 .. 4 ], 'each message of a batch beyond the limit is answered');
is_deeply([ map { $_->{error} ? $_->{error}{code} : decode($_->{result}{content}[0]{text})->{error}{code} } @$replies ],
	[ 'LIMIT_EXCEEDED', -32000, 'LIMIT_EXCEEDED', 'LIMIT_EXCEEDED' ], 'each call of a batch beyond the limit gets an error');
$replies = post($gateway, [ call(), call() ], $old)->{json};
is(scalar(grep { $_->{result} && !$_->{result}{isError} } @$replies), 2, 'the refused batch took no tokens from the bucket, so a smaller batch is answered');
is(refused($gateway, call(), bearer($token{bob}))->{code}, 'LIMIT_EXCEEDED', 'a call after the smaller batch is refused');
$replies = post($gateway, [ map { call() } 1 .. 4 ], $old)->{json};
is(decode($replies->[0]{result}{content}[0]{text})->{error}{retry_after_ms}, undef, 'a batch larger than the bucket gets no time to retry');

# Edges: as long as one is left a call begins, and what it reads counts.
$node->safe_psql('postgres', q{
	SET ROLE kg_direct;
	SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'people', 'version', '1',
		'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'person', 'schema', '{"type": "object", "x-id-field": "id",
			"properties": {"id": {"type": "string"}, "boss": {"type": "string", "x-ref": "person"}}}'::jsonb)),
		'entities', jsonb_build_array(jsonb_build_object('entity_type', 'person', 'items',
			'[{"id": "p0"}]' || (SELECT jsonb_agg(jsonb_build_object('id', 'p' || i, 'boss', 'p0')) FROM generate_series(1, 50) i)))));
	SELECT kg_set_limits('a', 'sub:reader', '{"calls_per_minute": null, "edges_per_minute": 10}');
});
my $reader = bearer(token('a', 'reader', 1));
my $neighbors = call('explore_neighbors', { start_node => { label => 'person', node_id => 'p0' } });
is(error_of(post($gateway, $neighbors, $reader)), undef, 'a call that reads edges is answered') or diag(explain post($gateway, $neighbors, $reader)->{json});
$error = refused($gateway, $neighbors, $reader);
is($error->{code}, 'LIMIT_EXCEEDED', 'a call without remaining edges is refused');
like($error->{message}, qr/edges_per_minute \(10\)/, 'the error names the limit of edges');
ok($error->{retry_after_ms} > 6000, 'the time to retry covers the edges that were read beyond the limit') or diag(explain $error);
is(error_of(post($gateway, call(), bearer(token('a', 'writer', 1)))), undef, 'another subject has its own edges');
ok(metric($gateway, 'kgctl_rate_limited_total{limit="edges_per_minute"}') >= 1, 'the metrics count the refusals by edges');

ok(metric($gateway, 'kgctl_rate_limited_total{limit="calls_per_minute"}') >= 10, 'the metrics count the refusals by calls');
ok(metric($gateway, 'kgctl_rate_buckets') >= 4, 'the metrics have the number of buckets');
is(stop_gateway($gateway), 0, 'the gateway stops');

# Without a token it is the role that counts.
$gateway = gateway('kg_direct');
is(error_of(post($gateway, call())), undef, "call $_ of a role without a token is answered") for 1 .. 2;
is(refused($gateway, call())->{code}, 'LIMIT_EXCEEDED', 'a call of the role beyond the limit is refused');
is(stop_gateway($gateway), 0, 'the gateway stops');

$node->stop;
done_testing();
