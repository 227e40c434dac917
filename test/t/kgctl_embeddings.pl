# kgctl serve --embeddings. The gateway gets the vector of a text from a model before
# it sends a search by meaning to the database. If the service sends an invalid
# reply, only that tool call fails.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
use KgAuthzen;
use KgGateway;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = cluster('embeddings');
my $service = start_authzen();

# Replaces the database's function by a tool. Its argument "steps" says what is to be
# decided in each round: [[type, ability, [id ...]] ...]. It replies with the allowed
# ids of each step.
$node->safe_psql('postgres', q{
	CREATE FUNCTION kg_test.echo(message jsonb, token text DEFAULT NULL, tenant text DEFAULT NULL) RETURNS jsonb LANGUAGE sql AS $$
	  SELECT CASE WHEN jsonb_typeof(message) = 'array' THEN (SELECT jsonb_agg(jsonb_build_object('jsonrpc', '2.0', 'id', m -> 'id', 'result', jsonb_build_object('sent', m #>> '{params,arguments}'))) FROM jsonb_array_elements(message) m)
	    ELSE jsonb_build_object('jsonrpc', '2.0', 'id', message -> 'id', 'result', jsonb_build_object('sent', message #>> '{params,arguments}')) END $$});

sub gateway
{
	my (@options) = @_;
	my $gateway = start_gateway($node, 'kg_gate', '--function', 'kg_test.echo', '--embeddings-model', 'small "m"', @options);
	wait_until(sub { http($gateway, 'GET', '/readyz')->{status} == 200 });
	return $gateway;
}
sub call { my ($tool, $arguments) = @_; return rpc('tools/call', { name => $tool, arguments => $arguments }) }
sub sent { return $_[0]->{json}{result}{sent} }

local $ENV{KGCTL_EMBEDDINGS_KEY} = 'a key';
my $gateway = gateway('--embeddings', "$service->{url}/v1/", '--embeddings-timeout', 30);
behave($service, 'vector');

my $vector = '[0.10, -0.01, 12345678901234567.25]';
my $reply = post($gateway, call('search_entities', { query => 'Île "x"', mode => 'meaning', limit => 3 }));
is(sent($reply), qq({"mode": "meaning", "limit": 3, "query": "Île \\"x\\"", "vector": $vector}), 'the database gets the vector with the numbers as the service wrote them') or diag $reply->{body};
my ($asked) = asked($service);
is($asked->{line}, 'POST /v1/embeddings HTTP/1.1', 'the gateway posts to /v1/embeddings');
is_deeply($asked->{request}, { model => 'small "m"', input => 'Île "x"', encoding_format => 'float' }, 'the request has the model and the query');
like($asked->{head}, qr/^Authorization: Bearer a key\r?$/mi, 'the request has the key');

is(sent(post($gateway, call('find', { query => 'x', mode => 'hybrid' }))), qq({"mode": "hybrid", "query": "x", "vector": $vector}), 'the tool find with mode hybrid gets a vector');
my $before = () = asked($service);
foreach my $arguments ({ query => 'x' }, { query => 'x', mode => 'text' }, { mode => 'meaning' }, { query => '', mode => 'meaning' }, { query => 7, mode => 'meaning' }, { query => 'x', mode => 'meaning', vector => [ 1 ] },
	{ query => 'x', mode => 'meaning', vector => undef }, { query => 'x', mode => [ 'meaning' ] }, [])
{
	my $reply = post($gateway, call('search_entities', $arguments));
	is($reply->{status}, 200, 'a call that needs no vector is answered');
	unlike(sent($reply), qr/0\.10/, 'a call that needs no vector gets none');
}
unlike(sent(post($gateway, call('other', { query => 'x', mode => 'meaning' }))), qr/vector/, 'another tool gets no vector');
is(post($gateway, [ call('search_entities', { query => 'x', mode => 'meaning' }) ], { 'MCP-Protocol-Version' => '2025-03-26' })->{json}[0]{result}{sent}, '{"mode": "meaning", "query": "x"}', 'a call in a batch gets no vector');
is(scalar(() = asked($service)), $before, 'the service was not asked for these calls');

# What does not come at all is waited for by one that has little patience, and by none that gets an answer.
my $hasty = gateway('--embeddings', "$service->{url}/v1/", '--embeddings-timeout', 1);
foreach my $how (qw(no_vector empty_vector text_vector html half nothing array empty nul 500 400 redirect close huge slow))
{
	behave($service, $how);
	my $reply = post($how eq 'slow' ? $hasty : $gateway, call('search_entities', { query => 'x', mode => 'meaning' }));
	my $error = ($reply->{json}{result}{structuredContent} // decode($reply->{json}{result}{content}[0]{text} // '{}'))->{error};
	is_deeply([ $reply->{status}, $reply->{json}{id}, $reply->{json}{result}{isError} ? 1 : 0, $error->{code}, $error->{retry_after_ms} ], [ 200, 1, 1, 'INTERNAL', 1000 ], "a tool fails if the answer of the service is: $how") or diag $reply->{body};
	is(sent(post($gateway, call('search_entities', { query => 'x' }))), '{"query": "x"}', "a call that needs no vector is answered if the answer of the service is: $how");
}
like(gateway_log($gateway), qr/the service of embeddings/, 'the log has the failures of the service');
is(stop_gateway($hasty), 0, 'the gateway with a short timeout stops');

# A client that leaves while the service is asked.
behave($service, 'slow');
my $socket = connect_to($gateway);
my $body = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "find", "arguments": {"query": "gone", "mode": "meaning"}}}';
print $socket "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
$socket->flush;
wait_until(sub { grep { ($_->{request}{input} // '') eq 'gone' } asked($service) });
close $socket;
behave($service, 'vector');
like(sent(post($gateway, call('find', { query => 'x', mode => 'meaning' }))), qr/"vector"/, 'the gateway answers calls after a client disconnected');
is(stop_gateway($gateway), 0, 'the gateway stops');

# Where it is: below the address, or there.
foreach my $path ('', '/v1/embeddings', '/base/v1')
{
	$gateway = gateway('--embeddings', $service->{url} . $path);
	post($gateway, call('find', { query => "at $path", mode => 'meaning' }));
	my ($asked) = grep { ($_->{request}{input} // '') eq "at $path" } asked($service);
	is($asked->{line}, 'POST ' . ($path =~ /base/ ? '/base' : '') . '/v1/embeddings HTTP/1.1', "the path of the request is right for an address that ends with '$path'");
	stop_gateway($gateway);
}

foreach my $wrong ([ [ '--embeddings', 'ftp://x' ], qr/must be an http or https URL/ ], [ [ '--embeddings', $service->{url} ], qr/needs --embeddings-model/ ],
	[ [ '--embeddings', $service->{url}, '--embeddings-model', 'm', '--embeddings-timeout', '0' ], qr/embeddings-timeout/ ])
{
	my $run = run_kgctl({}, 'serve', '--dsn', $node->connstr('postgres'), '--listen', '127.0.0.1:0', @{ $wrong->[0] });
	isnt($run->{code}, 0, "kgctl serve refuses @{ $wrong->[0] }");
	like($run->{err}, $wrong->[1], 'the error names the wrong option');
}

stop_authzen($service);
$node->stop;
done_testing();
