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
is(sent($reply), qq({"mode": "meaning", "limit": 3, "query": "Île \\"x\\"", "vector": $vector}), 'the vector is there, as it was written') or diag $reply->{body};
my ($asked) = asked($service);
is($asked->{line}, 'POST /v1/embeddings HTTP/1.1', 'where it is asked');
is_deeply($asked->{request}, { model => 'small "m"', input => 'Île "x"', encoding_format => 'float' }, 'for what');
like($asked->{head}, qr/^Authorization: Bearer a key\r?$/mi, 'with the key');

is(sent(post($gateway, call('find', { query => 'x', mode => 'hybrid' }))), qq({"mode": "hybrid", "query": "x", "vector": $vector}), 'find, hybrid');
my $before = () = asked($service);
foreach my $arguments ({ query => 'x' }, { query => 'x', mode => 'text' }, { mode => 'meaning' }, { query => '', mode => 'meaning' }, { query => 7, mode => 'meaning' }, { query => 'x', mode => 'meaning', vector => [ 1 ] },
	{ query => 'x', mode => 'meaning', vector => undef }, { query => 'x', mode => [ 'meaning' ] }, [])
{
	my $reply = post($gateway, call('search_entities', $arguments));
	is($reply->{status}, 200, 'another call');
	unlike(sent($reply), qr/0\.10/, 'gets none');
}
unlike(sent(post($gateway, call('other', { query => 'x', mode => 'meaning' }))), qr/vector/, 'nor another tool');
is(post($gateway, [ call('search_entities', { query => 'x', mode => 'meaning' }) ], { 'MCP-Protocol-Version' => '2025-03-26' })->{json}[0]{result}{sent}, '{"mode": "meaning", "query": "x"}', 'nor what is in a batch');
is(scalar(() = asked($service)), $before, 'nobody was asked');

# What does not come at all is waited for by one that has little patience, and by none that gets an answer.
my $hasty = gateway('--embeddings', "$service->{url}/v1/", '--embeddings-timeout', 1);
foreach my $how (qw(no_vector empty_vector text_vector html half nothing array empty nul 500 400 redirect close huge slow))
{
	behave($service, $how);
	my $reply = post($how eq 'slow' ? $hasty : $gateway, call('search_entities', { query => 'x', mode => 'meaning' }));
	my $error = ($reply->{json}{result}{structuredContent} // decode($reply->{json}{result}{content}[0]{text} // '{}'))->{error};
	is_deeply([ $reply->{status}, $reply->{json}{id}, $reply->{json}{result}{isError} ? 1 : 0, $error->{code}, $error->{retry_after_ms} ], [ 200, 1, 1, 'INTERNAL', 1000 ], "the service: $how") or diag $reply->{body};
	is(sent(post($gateway, call('search_entities', { query => 'x' }))), '{"query": "x"}', 'and others go on');
}
like(gateway_log($gateway), qr/the service of embeddings/, 'it is logged');
is(stop_gateway($hasty), 0, 'stopped');

# A client that leaves while the service is asked.
behave($service, 'slow');
my $socket = connect_to($gateway);
my $body = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "find", "arguments": {"query": "gone", "mode": "meaning"}}}';
print $socket "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
$socket->flush;
wait_until(sub { grep { ($_->{request}{input} // '') eq 'gone' } asked($service) });
close $socket;
behave($service, 'vector');
like(sent(post($gateway, call('find', { query => 'x', mode => 'meaning' }))), qr/"vector"/, 'it goes on');
is(stop_gateway($gateway), 0, 'and ends well');

# Where it is: below the address, or there.
foreach my $path ('', '/v1/embeddings', '/base/v1')
{
	$gateway = gateway('--embeddings', $service->{url} . $path);
	post($gateway, call('find', { query => "at $path", mode => 'meaning' }));
	my ($asked) = grep { ($_->{request}{input} // '') eq "at $path" } asked($service);
	is($asked->{line}, 'POST ' . ($path =~ /base/ ? '/base' : '') . '/v1/embeddings HTTP/1.1', "the address ends with '$path'");
	stop_gateway($gateway);
}

foreach my $wrong ([ [ '--embeddings', 'ftp://x' ], qr/must be an http or https URL/ ], [ [ '--embeddings', $service->{url} ], qr/needs --embeddings-model/ ],
	[ [ '--embeddings', $service->{url}, '--embeddings-model', 'm', '--embeddings-timeout', '0' ], qr/embeddings-timeout/ ])
{
	my $run = run_kgctl({}, 'serve', '--dsn', $node->connstr('postgres'), '--listen', '127.0.0.1:0', @{ $wrong->[0] });
	isnt($run->{code}, 0, "refused: @{ $wrong->[0] }");
	like($run->{err}, $wrong->[1], 'and why');
}

stop_authzen($service);
$node->stop;
done_testing();
