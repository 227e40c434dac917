# kgctl serve: what it refuses, how, and that it goes on.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IO::Select;
use KgGateway;
use KgTest;
use Test::More;

my $node = cluster('http');
my $gateway = start_gateway($node, 'kg_direct', '--function', 'kg_test.mcp', '--body-timeout', '2',
	'--idle-timeout', '4', '--max-message', '20000', '--pool', '4', '--timeout', '200', '--log-level', 'debug',
	'--allow-host', 'kg.example.com', '--allow-origin', 'https://app.example.com');
my $reply;

sub code_is
{
	my ($got, $status, $code, $name) = @_;
	my $shown = $got ? "$got->{status} " . ($got->{json} && ref $got->{json} eq 'HASH' ? $got->{json}{error}{code} // '-' : '-') : 'closed';
	is($shown, "$status $code", $name) or diag($got ? $got->{raw} : '');
}

sub healthy
{
	my ($after) = @_;
	is(post($gateway, rpc('ping'))->{status}, 200, "the gateway answers after: $after");
}

# Routes and where a request comes from.
ok(wait_until(sub { http($gateway, 'GET', '/readyz')->{status} == 200 }), 'readyz is 200');
is(http($gateway, 'GET', '/nowhere')->{status}, 404, 'another path is 404');
for my $method (qw(GET DELETE PUT))
{
	$reply = http($gateway, $method, '/mcp');
	is("$reply->{status} $reply->{headers}{allow}", '405 POST, OPTIONS', "$method is 405");
}
is(post($gateway, rpc('ping'), { Host => 'evil.example.com' })->{status}, 403, 'a foreign Host is 403');
is(post($gateway, rpc('ping'), { Host => "localhost.evil.example.com" })->{status}, 403, 'a Host that begins with a local name is 403');
is(post($gateway, rpc('ping'), { Host => '127.0.0.1:80@evil.example.com' })->{status}, 403, 'a Host with a user part is 403');
is(post($gateway, rpc('ping'), { Origin => 'http://evil.example.com' })->{status}, 403, 'a foreign Origin is 403');
is(post($gateway, rpc('ping'), { Origin => 'null' })->{status}, 403, 'Origin null is 403');
is(post($gateway, rpc('ping'), { Host => '[::1]:1', Origin => 'http://localhost:9' })->{status}, 200, 'local names with any port are accepted');
$reply = post($gateway, rpc('ping'), { Host => 'kg.example.com:8443', Origin => 'https://app.example.com' });
is($reply->{headers}{'access-control-allow-origin'}, 'https://app.example.com', 'an allowed Host and Origin are accepted');
$reply = http($gateway, 'OPTIONS', '/mcp', { Origin => 'https://app.example.com' });
is("$reply->{status} " . $reply->{headers}{'access-control-allow-methods'}, '204 POST', 'a preflight of an allowed Origin is 204');
is(http($gateway, 'OPTIONS', '/mcp', { Origin => 'https://evil.example' })->{status}, 403, 'a preflight of a foreign Origin is 403');
ok(!defined http($gateway, 'OPTIONS', '/mcp', { Origin => 'https://evil.example' })->{headers}{'access-control-allow-origin'},
	'the answer to a foreign Origin has no Access-Control-Allow-Origin');

# Bodies.
is(post($gateway, rpc('ping'), { 'Content-Type' => 'text/plain' })->{status}, 415, 'a body of another type is 415');
is(post($gateway, rpc('ping'), { 'Content-Encoding' => 'gzip' })->{status}, 415, 'a compressed body is 415');
is(post($gateway, rpc('ping'), { 'Content-Type' => 'application/json; charset=utf-8' })->{status}, 200, 'a content type with a charset is accepted');
code_is(post($gateway, ''), 400, -32700, 'an empty body is a parse error');
code_is(post($gateway, '{"jsonrpc": "2.0", "id": 1, "met'), 400, -32700, 'a truncated message is a parse error');
code_is(post($gateway, join '', map { chr } 0 .. 255), 400, -32700, 'a binary body is a parse error');
code_is(post($gateway, "\x80\x81{}"), 400, -32700, 'a body that is not UTF-8 is a parse error');
code_is(post($gateway, '[' x 5000), 400, -32700, 'a message with too deep nesting is a parse error');
code_is(post($gateway, '{"jsonrpc":"2.0","id":1e999999,"method":"ping"}'), 400, -32700, 'a number beyond the range of the database is a parse error');
code_is(post($gateway, '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\u0000"}}'), 400, -32700, 'NUL in a message is a parse error');
code_is(post($gateway, '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'), 400, -32700, 'a repeated member is a parse error');
like(post($gateway, '{"jsonrpc":"2.0","method":"ping","params":{"a":"\u0000"},"id":"x"}')->{body}, qr/"id":"x"/, 'the answer to a refused message has its id');
like(post($gateway, '{"jsonrpc":"2.0","id":1,"met')->{body}, qr/"id":null/, 'the answer has the id null if the id of the message is unknown');
code_is(post($gateway, '"text"'), 400, -32600, 'a JSON text that is no message is an invalid request');
code_is(post($gateway, '[]'), 400, -32600, 'an empty batch is an invalid request');
code_is(post($gateway, $_->[0]), 400, -32600, $_->[1])
  for [ '{}', 'an empty object' ], [ " {\n} ", 'one with spaces' ], [ '"a {brace"', 'a text with a brace' ];
code_is(post($gateway, '{"jsonrpc":"2.0","id":null,"method":"ping"}'), 400, -32600, 'the id null is an invalid request');
code_is(post($gateway, rpc('no/such')), 200, -32601, 'an unknown method of a legacy client is the error -32601 with 200');
is(post($gateway, { jsonrpc => '2.0', method => 'notifications/initialized' })->{status}, 202, 'a notification is 202');
is(post($gateway, { jsonrpc => '2.0', id => 'x', result => {} })->{status}, 202, 'a response to no request is 202');
code_is(post($gateway, ' ' x 20001), 413, -32600, 'a body that is too large is 413');
$reply = do {
	my $socket = connect_to($gateway);
	syswrite($socket, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
	syswrite($socket, sprintf("%x\r\n%s\r\n", 8000, ' ' x 8000)) for 1 .. 4;
	syswrite($socket, "0\r\n\r\n");
	read_reply($socket);
};
is($reply->{status}, 413, 'a body in chunks that is too large is 413');
{
	my $socket = connect_to($gateway);
	syswrite($socket, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 999999999999999999\r\n\r\n");
	$reply = read_reply($socket);
	is($reply->{status}, 413, 'a Content-Length that is too large is 413');
	$socket = connect_to($gateway);
	syswrite($socket, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"json");
	close $socket;
	$socket = connect_to($gateway);
	srand(90);
	syswrite($socket, join '', map { chr int rand 256 } 1 .. 3000);
	close $socket;
	$socket = connect_to($gateway);
	syswrite($socket, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " . 'y' x 100000 . "\r\n\r\n");
	$reply = read_reply($socket);
	ok(!$reply || $reply->{status} >= 400, 'headers without end are refused');
}
healthy('half requests');

# Headers that another reader of the request could take for others.
{
	my $body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
	my $good = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
	my $length = 'Content-Length: ' . length($body) . "\r\n";
	for my $case (
		[ "$good$length", 200, 'ordinary headers' ],
		[ "$good" . "X-Empty:\r\nX-Tab:\ta\tb\r\n$length", 200, 'an empty header and a header with tabs' ],
		[ "$good" . "X-Long: " . ('y' x 20000) . "\r\n$length", 200, 'a long header' ],
		[ "POST /mcp?a=b&c HTTP/1.1\r\nHost: localhost\r\nCookie: a=b; c=d\r\nContent-Type: application/json\r\n$length", 200, 'cookies and a query string' ],
		[ $good . 'Content-Length : ' . length($body) . "\r\n", 400, 'a space before the colon' ],
		[ $good . "Content-Length\t: " . length($body) . "\r\n", 400, 'a tab before the colon' ],
		[ $good . "X-Folded: a\r\n b\r\n$length", 400, 'a folded header' ],
		[ $good . $length . "X-Folded: a\r\n\tb\r\n", 400, 'a folded header at the end' ],
		[ $good . "X-Folded: a\r\n \r\n$length", 400, 'a folded header whose second line has only spaces' ],
		[ "POST /mcp HTTP/1.1\r\n Host: localhost\r\nContent-Type: application/json\r\n$length", 400, 'a folded first header' ],
		[ $good . "X-Bare: a\rTransfer-Encoding: chunked\r\n$length", 400, 'a bare CR' ],
		[ $good . "X-Bare: a\r\r\n$length", 400, 'two CRs before LF' ],
		[ $good . "X-Nul: a\0b\r\n$length", 400, 'NUL in a value' ],
		[ $good . "X-Nul\0: a\r\n$length", 400, 'NUL in a name' ],
		[ $good . $length . "X-Nul: a\0b\r\n", 400, 'NUL in the last value' ],
		[ $good . $length . "\0Transfer-Encoding: chunked\r\n", 400, 'NUL at the start of a line' ],
		[ $good =~ s{/mcp}{/mcp\0/elsewhere}r . $length, 400, 'NUL in the target' ],
		[ $good =~ s{/mcp}{/mcp%00/elsewhere}r . $length, 400, 'NUL in the target, encoded' ],
		[ $good =~ s{/mcp}{/mcp?a=%00}r . $length, 400, 'NUL in the query' ],
		[ $good =~ s{/mcp}{/%6dcp?a=%2500&b}r . $length, 200, 'a percent-encoded target' ],
		[ $good . "X-Control: a\x01b\r\n$length", 400, 'a control character' ],
		[ $good . "X-Control: a\x7fb\r\n$length", 400, 'the control character DEL' ],
		[ $good . "X(Y): a\r\n$length", 400, 'a header name that is not a token' ],
		[ $good . ": a\r\n$length", 400, 'a header without a name' ],
		[ $good . "no colon\r\n$length", 400, 'a header without a colon' ])
	{
		for my $pieces (1, 3)
		{
			my $socket = connect_to($gateway);
			my $request = "$case->[0]\r\n$body";
			if ($pieces == 1) { syswrite($socket, $request) }
			else
			{
				my $part = int(length($request) / $pieces) + 1;
				for (my $at = 0; $at < length $request; $at += $part)
				{
					last unless syswrite($socket, substr($request, $at, $part));
					select undef, undef, undef, 0.01;
				}
			}
			my $reply = read_reply($socket);
			is($reply ? $reply->{status} : 'closed', $case->[1], "$case->[2], in $pieces pieces");
		}
	}
	my $socket = connect_to($gateway);
	syswrite($socket, "$good$length\r\n$body") for 1 .. 3;
	my $all = '';
	ok(read_until($socket, \$all, qr/(?:HTTP\/1\.1 200.*){3}/s), 'three requests on one connection are answered');
}
healthy('ambiguous headers');

# A head that never ends is given up as a body is.
{
	my $socket = connect_to($gateway);
	my ($reply, $lines);
	syswrite($socket, "POST /mcp HTTP/1.1\r\nHost: localhost\r\n");
	for ($lines = 0; $lines < 60 && !$reply; $lines++)
	{
		last unless syswrite($socket, "X: a\r\n");
		$reply = read_reply($socket) if IO::Select->new($socket)->can_read(0.5);
	}
	is($reply && $reply->{status}, 408, 'a head that never ends is 408');
	cmp_ok($lines, '<', 60, 'a head that never ends is given up in time');
}
healthy('a slow head');

# One byte a second: neither body nor headers hold a connection for ever.
for my $slow (["POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n", 'body'],
	["POST /mcp HTTP/1.1\r\n", 'headers'])
{
	my ($socket, $closed) = (connect_to($gateway), 0);
	local $SIG{PIPE} = 'IGNORE';
	syswrite($socket, $slow->[0]);
	my $bits = '';
	vec($bits, fileno($socket), 1) = 1;
	for (1 .. 60)
	{
		last if $closed = select(my $ready = $bits, undef, undef, 1) || !syswrite($socket, ' ');
	}
	ok($closed, "the connection of a slow $slow->[1] is closed");
}
healthy('slow clients');

# The modern protocol's headers.
code_is(post($gateway, modern('tools/list'), modern_headers('tools/list')), 200, '-', 'a request of 2026-07-28 is answered');
code_is(post($gateway, modern('tools/list')), 400, -32020, '2026-07-28: a request without MCP-Protocol-Version is refused');
code_is(post($gateway, modern('tools/list'), { %{ modern_headers('tools/list') }, 'MCP-Protocol-Version' => '2025-06-18' }),
	400, -32020, '2026-07-28: another MCP-Protocol-Version is refused');
code_is(post($gateway, rpc('tools/list'), modern_headers('tools/list')), 400, -32602, '2026-07-28: a request without _meta is refused');
code_is(post($gateway, modern('tools/list'), { 'MCP-Protocol-Version' => '2026-07-28' }), 400, -32020, '2026-07-28: a request without Mcp-Method is refused');
code_is(post($gateway, modern('tools/list'), modern_headers('tools/call')), 400, -32020, '2026-07-28: another Mcp-Method is refused');
my $call = modern('tools/call', { name => 'test_it', arguments => {} });
code_is(post($gateway, $call, modern_headers('tools/call')), 400, -32020, '2026-07-28: a call without Mcp-Name is refused');
code_is(post($gateway, $call, modern_headers('tools/call', 'test_is')), 400, -32020, '2026-07-28: another Mcp-Name is refused');
code_is(post($gateway, $call, modern_headers('tools/call', ' test_it ')), 200, '-', '2026-07-28: an Mcp-Name with spaces around it is accepted');
code_is(post($gateway, $call, modern_headers('tools/call', '=?base64?dGVzdF9pdA==?=')), 200, '-', '2026-07-28: an Mcp-Name in base64 is accepted');
code_is(post($gateway, $call, modern_headers('tools/call', '=?base64?dGVzdF9pdA=?=')), 400, -32020, '2026-07-28: an Mcp-Name with wrong padding is refused');
code_is(post($gateway, $call, modern_headers('tools/call', '=?BASE64?dGVzdF9pdA==?=')), 400, -32020, '2026-07-28: an Mcp-Name with markers in upper case is refused');
code_is(post($gateway, $call, { %{ modern_headers('tools/call', 'test_it') }, 'Mcp-Param-X' => '=?base64?!?=' }),
	400, -32020, '2026-07-28: an Mcp-Param that cannot be decoded is refused');
for my $method (qw(initialize ping logging/setLevel resources/subscribe))
{
	code_is(post($gateway, modern($method), modern_headers($method)), 404, -32601, "2026-07-28: the method $method does not exist");
}
{
	my $message = modern('tools/list');
	$message->{params}{_meta}{'io.modelcontextprotocol/protocolVersion'} = '2099-01-01';
	$reply = post($gateway, $message, { %{ modern_headers('tools/list') }, 'MCP-Protocol-Version' => '2099-01-01' });
	code_is($reply, 400, -32022, 'a future protocol version is refused');
	is_deeply($reply->{json}{error}{data}, { requested => '2099-01-01', supported => ['2026-07-28'] }, 'the error lists the supported versions');
	$message = modern('tools/list');
	delete $message->{params}{_meta}{'io.modelcontextprotocol/clientCapabilities'};
	code_is(post($gateway, $message, modern_headers('tools/list')), 400, -32602, '2026-07-28: a request with an incomplete _meta is refused');
}
code_is(post($gateway, [ modern('tools/list') ], modern_headers('tools/list')), 400, -32600, '2026-07-28: a batch is refused');
code_is(post($gateway, rpc('ping'), { 'MCP-Protocol-Version' => '1999-01-01' }), 400, -32600, 'an unknown past protocol version is refused');
$reply = post($gateway, [ rpc('ping'), rpc('ping'), { jsonrpc => '2.0', method => 'notifications/x' } ]);
is(scalar @{ $reply->{json} }, 2, 'a batch of 2025-03-26 is answered');
code_is(post($gateway, [ rpc('ping') ], { 'MCP-Protocol-Version' => '2025-06-18' }), 400, -32600, '2025-06-18: a batch is refused');
code_is(post($gateway, [ [ 1 ] ], { 'MCP-Protocol-Version' => '2025-06-18' }), 400, -32600, '2025-06-18: a batch of other JSON is refused');
like(post($gateway, '[]')->{json}{error}{message}, qr/empty/, 'the error of an empty batch says that it is empty');
# The revision is the header's: what a message itself says of it is not asked.
$reply = post($gateway, { kg_revision => '2025-11-25', %{ rpc('tools/call', { name => 'no such tool', arguments => {} }) } }, { 'MCP-Protocol-Version' => '2024-11-05' });
ok(!exists $reply->{json}{result}{structuredContent}, 'a revision in a message has no effect');

# What the database says.
sub call_with
{
	my ($arguments, $headers) = @_;
	return post($gateway, rpc('tools/call', { name => 'test_it', arguments => $arguments }), $headers);
}
is(call_with({ n => 1 })->{json}{result}{tenant}, 'a', 'a tool gets the tenant of the role');
like(post($gateway, '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_it","arguments":{"n":12345678901234567890.10}}}')->{body},
	qr/"n": 12345678901234567890\.10\b/, 'a long number is unchanged in the reply');
{
	my $hasty = start_gateway($node, 'kg_direct', '--function', 'kg_test.mcp', '--timeout', '1');
	code_is(post($hasty, rpc('tools/call', { name => 'test_it', arguments => { sleep => 200 } })), 504, -32603, 'a call beyond the timeout is 504');
	stop_gateway($hasty);
}
for my $case (['42501', 403, 403], ['28000', 401, 401], ['XX000', 500, -32603], ['53300', 503, -32603], ['P0001', 500, -32603])
{
	$reply = call_with({ fail => $case->[0] });
	code_is($reply, $case->[1], $case->[2], "an error with the SQLSTATE $case->[0] gets its status");
	unlike($reply->{body}, qr/secret/, "the message of an error with the SQLSTATE $case->[0] is withheld") if $case->[1] != 401;
}
is(length call_with({ size => 5_000_000 })->{json}{result}{text}, 5_000_000, 'a large reply is complete');
healthy('errors');

# A client that goes away cancels its call.
{
	my $slow = rpc('tools/call', { name => 'test_it', arguments => { sleep => 200 } });
	my $body = JSON::PP->new->encode($slow);
	my @sockets = map {
		my $socket = connect_to($gateway);
		syswrite($socket, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body");
		$socket } 1 .. 4;
	ok(wait_until(sub { running($node) == 4 }), 'four calls are running');
	close $_ for @sockets;
	ok(wait_until(sub { running($node) == 0 }), 'the calls end when their clients disconnect');
	healthy('clients that went away');
}

# Server-sent events: a stream has only the progress of its own call, then the reply.
# A client that disconnects meanwhile also cancels the call.
{
	my $message = rpc('tools/call', { name => 'test_it', arguments => { progress => 1, sleep => 0.2 }, _meta => { progressToken => 'mine' } });
	$reply = post($gateway, $message, { Accept => 'application/json, text/event-stream' });
	is($reply->{headers}{'content-type'}, 'text/event-stream', 'a reply with progress is an event stream');
	my @events = map { decode($_) } $reply->{body} =~ /^data: (.*)$/mg;
	is(scalar @events, 2, 'the stream has two events') or diag $reply->{raw};
	is($events[0]{params}{progressToken}, 'mine', 'the stream has the progress of its own call');
	is($events[1]{result}{tenant}, 'a', 'the stream has the reply');
	unlike($reply->{raw}, qr/of another|of anybody|not JSON/, 'the stream has nothing of other calls');
	$reply = post($gateway, $message, { Accept => "application/json\r\nAccept: text/event-stream" });
	is($reply->{headers}{'content-type'}, 'text/event-stream', 'two Accept headers count as one list');
	$reply = post($gateway, $message, { Accept => 'application/json' });
	is($reply->{headers}{'content-type'}, 'application/json', 'a client that does not accept event streams gets JSON');
	$message->{params}{arguments}{sleep} = 200;
	my $body = JSON::PP->new->encode($message);
	my $socket = connect_to($gateway);
	syswrite($socket, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: text/event-stream\r\nContent-Length: "
		. length($body) . "\r\n\r\n$body");
	my $data = '';
	for (1 .. 100) { last if $data =~ /progressToken/; sysread($socket, $data, 65536, length $data) or last }
	is(running($node), 1, 'a call with an event stream is running');
	close $socket;
	ok(wait_until(sub { running($node) == 0 }), 'the call with an event stream ends when its client disconnects');
	healthy('streams');
}

# HTTP as it may be written.
{
	my $ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
	my $headers = "Host: localhost\r\nContent-Type: application/json\r\n";
	my $raw = sub { my $socket = connect_to($gateway); syswrite($socket, $_[0]); return $socket };
	my $socket = $raw->("POST /mcp HTTP/1.1\r\n${headers}Content-Length: 40\r\n\r\n$ping" x 2);
	my $data = '';
	for (1 .. 100) { last if 2 == (() = $data =~ /"result"/g); sysread($socket, $data, 65536, length $data) or last }
	is(scalar(() = $data =~ /HTTP\/1\.1 200/g), 2, 'two requests that are sent at once are both answered');
	$socket = $raw->("POST /mcp HTTP/1.1\r\n${headers}Expect: 100-continue\r\nContent-Length: 40\r\n\r\n");
	sysread($socket, $data = '', 65536);
	like($data, qr{^HTTP/1\.1 100 Continue}, 'Expect: 100-continue is answered');
	syswrite($socket, $ping);
	is(read_reply($socket)->{status}, 200, 'the request with Expect: 100-continue is answered');
	is(read_reply($raw->("POST /mcp HTTP/1.1\r\n${headers}Transfer-Encoding: chunked\r\n\r\n14\r\n" . substr($ping, 0, 20)
		. "\r\n14;x=y\r\n" . substr($ping, 20) . "\r\n0\r\nTrailer: 1\r\n\r\n"))->{status}, 200, 'chunks with extensions and a trailer are accepted');
	for my $coding ('xchunked', 'gzip, chunked', 'identity', 'chunked, chunked')
	{
		is(read_reply($raw->("POST /mcp HTTP/1.1\r\n${headers}Transfer-Encoding: $coding\r\n\r\n"), 5)->{status}, 501, "Transfer-Encoding: $coding is 501");
	}
	for my $bad ("zz\r\n", "-5\r\n", "fffffffffffffffff\r\n", "5\r\nabcdefgh\r\n")
	{
		$reply = read_reply($raw->("POST /mcp HTTP/1.1\r\n${headers}Transfer-Encoding: chunked\r\n\r\n$bad"), 5);
		ok(!$reply || $reply->{status} >= 400, 'chunks that are none: ' . ($reply ? $reply->{status} : 'closed'));
	}
	for my $bad ("POST /mcp\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "POST /mcp HTTP/9.9\r\n$headers\r\n",
		"POST /" . 'a' x 40000 . " HTTP/1.1\r\n$headers\r\n", "POST /mcp HTTP/1.1\r\n${headers}Content-Length: -1\r\n\r\n",
		"POST /mcp HTTP/1.1\r\n${headers}Content-Length: 5x\r\n\r\n12345", "POST /mcp HTTP/1.1\r\nHost : localhost\r\n\r\n",
		"POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n$ping")
	{
		my $s = $raw->($bad);
		shutdown($s, 1);
		$reply = read_reply($s, 5);
		ok(!$reply || $reply->{status} >= 400, 'no HTTP: ' . ($reply ? $reply->{status} : 'closed'));
	}
	healthy('what is no HTTP');
}

# The database restarts in the middle of a call.
{
	my $body = JSON::PP->new->encode(rpc('tools/call', { name => 'test_it', arguments => { sleep => 200 } }));
	my $socket = connect_to($gateway);
	syswrite($socket, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body");
	wait_until(sub { running($node) == 1 });
	$node->stop('immediate');
	$reply = read_reply($socket);
	is($reply->{status}, 503, 'a call fails with 503 when the database restarts');
	like($reply->{body}, qr/connection to the database was lost/, 'the error says that the connection was lost');
	is(http($gateway, 'GET', '/readyz')->{status}, 503, 'readyz is 503 without the database');
	$reply = post($gateway, rpc('ping'));
	is($reply->{status}, 503, 'a call without the database is 503');
	like($reply->{body}, qr/not available/, 'the error says that the database is not available');
	$node->start;
	ok(wait_until(sub { post($gateway, rpc('ping'))->{status} == 200 }), 'calls are answered again after the restart');
}
is(stop_gateway($gateway), 0, 'SIGTERM ends it cleanly');
$node->stop;
done_testing();
