# kgctl serve and mcp: tokens, OAuth metadata, subscriptions, one pool for two
# tenants.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IO::Handle;
use IPC::Run ();
use KgGateway;
use KgTest;
use POSIX ();
use PostgreSQL::Test::Utils;
use Test::More;

use constant FIONREAD => 0x541B;

my $node = cluster('identity');
my %token = %{ $node->{kg_token} };
my $gateway = start_gateway($node, 'kg_gate', '--function', 'kg_test.mcp', '--pool', '1', '--log-level', 'debug', '--access-log',
	'--resource', 'https://kg.example.com/mcp', '--auth-server', 'https://login.example.com', '--scope', 'kg:read');
my $reply;

sub as
{
	my ($token, $message) = @_;
	return post($gateway, $message // rpc('tools/call', { name => 'test_who', arguments => {} }), { Authorization => "Bearer $token" });
}

# Refusals.
foreach my $case ([ 'https://kg.example.com', 200 ], [ 'HTTPS://KG.example.com', 200 ], [ 'http://kg.example.com', 403 ], [ 'https://kg.example.com:8443', 403 ],
	[ 'https://kg.example.com.evil.example', 403 ], [ 'https://evil.example', 403 ], [ 'https://localhost', 200 ])
{
	is(post($gateway, rpc('ping'), { Authorization => "Bearer $token{a}", Host => 'kg.example.com', Origin => $case->[0] })->{status}, $case->[1], "Origin $case->[0] at --resource");
}
is(http($gateway, 'POST', $_->[0], { 'Content-Type' => 'application/json', Authorization => "Bearer $token{a}" }, '{"jsonrpc":"2.0","id":1,"method":"ping"}')->{status}, $_->[1], "the path $_->[0]")
  foreach [ '/mcp', 200 ], [ '/mcp/', 200 ], [ '/mcp//', 404 ], [ '/mcpx', 404 ], [ '/mcp/x', 404 ], [ '/', 404 ];
my $metadata = 'https://kg.example.com/.well-known/oauth-protected-resource/mcp';
$reply = post($gateway, rpc('ping'));
is($reply->{status}, 401, 'a request without a token is 401');
is($reply->{headers}{'www-authenticate'}, qq{Bearer resource_metadata="$metadata", scope="kg:read"}, 'the challenge has the address of the metadata');
for my $case (['garbage', 'nonsense'], ['a.b.c', 'three parts of nonsense'], [$token{a} . 'x', 'a changed signature'],
	[$node->safe_psql('postgres', q{SELECT kg_issue_token('{"tenant": "a"}', 'k', '-1 hour')}), 'an expired one'],
	['x' x 9000, 'one too long'])
{
	$reply = as($case->[0]);
	is($reply->{status}, 401, "a token that is $case->[1]");
	like($reply->{headers}{'www-authenticate'}, qr/^Bearer error="invalid_token", resource_metadata=/, "the challenge says invalid_token for a token that is $case->[1]");
	unlike($reply->{raw}, qr/\Q$case->[0]\E/, "the reply does not repeat a token that is $case->[1]");
}
is(post($gateway, rpc('ping'), { Authorization => 'Basic YTpi' })->{status}, 401, 'another scheme of Authorization is 401');
is(post($gateway, rpc('ping'), { Authorization => 'Bearer a b' })->{status}, 400, 'a malformed Authorization is 400');
is(http($gateway, 'POST', "/mcp?access_token=$token{a}", { 'Content-Type' => 'application/json' },
	'{"jsonrpc":"2.0","id":1,"method":"ping"}')->{status}, 401, 'a token in the query of the URL is not used');

# Metadata.
for my $path ('/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp')
{
	$reply = http($gateway, 'GET', $path, { Host => 'kg.example.com' });
	is_deeply(decode($reply->{body}), { resource => 'https://kg.example.com/mcp', authorization_servers => ['https://login.example.com'],
		scopes_supported => ['kg:read'], bearer_methods_supported => ['header'] }, $path);
}

# Two tenants share one connection, also when calls fail in between.
my $crossed = 0;
for my $i (1 .. 40)
{
	my $tenant = $i % 2 ? 'a' : 'b';
	as($token{$tenant}, rpc('tools/call', { name => 'test_who', arguments => { fail => '22000' } })) if $i % 5 == 0;
	as('garbage') if $i % 7 == 0;
	$reply = as($token{$tenant});
	$crossed++ if ($reply->{json}{result}{tenant} // '') ne $tenant;
	$crossed++ if post($gateway, rpc('ping'))->{status} != 401;
}
is($crossed, 0, 'no call gets the tenant of another token');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE usename = 'kg_gate'}),
	1, 'all calls use one connection to the database');

# A subscription: acknowledged, told, ended.
sub open_subscription
{
	my ($token) = @_;
	my $message = JSON::PP->new->canonical->encode(modern('subscriptions/listen', { notifications => { toolsListChanged => JSON::PP::true, resourceSubscriptions => ['kg://bundle/secret-plans'] } }));
	my $socket = connect_to($gateway);
	my %headers = (%{ modern_headers('subscriptions/listen') }, Host => 'localhost', Accept => 'text/event-stream',
		'Content-Type' => 'application/json', Authorization => "Bearer $token", 'Content-Length' => length $message);
	syswrite($socket, "POST /mcp HTTP/1.1\r\n" . join('', map { "$_: $headers{$_}\r\n" } sort keys %headers) . "\r\n$message");
	return $socket;
}
my ($a, $b) = (open_subscription($token{a}), open_subscription($token{b}));
my ($from_a, $from_b) = ('', '');
ok(read_until($a, \$from_a, qr/subscriptions\/acknowledged/), 'a subscription is acknowledged');
ok(read_until($b, \$from_b, qr/subscriptions\/acknowledged/), 'a subscription of another tenant is acknowledged');
like($from_a, qr{content-type: text/event-stream}i, 'the reply to a subscription is an event stream');
unlike($from_a, qr/kg_listen/, 'the client does not get the internal member kg_listen');
wait_until(sub { $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'}) eq '1' });
$node->safe_psql('postgres', q{SET ROLE kg_direct; SELECT kg_create_agent('helper')});
ok(read_until($a, \$from_a, qr/notifications\/tools\/list_changed/), 'the subscriber is notified that the tools of its tenant changed');
like($from_a, qr/list_changed.*"io\.modelcontextprotocol\/subscriptionId":\s*1/s, 'the notification has the id of the subscription');
# Whoever may connect may listen: what is said names nothing.  A forged one does nothing but make its reader ask again.
my $heard = $node->safe_psql('postgres', q{LISTEN kg_mcp; SET ROLE kg_direct;
	SELECT FROM kg_apply_bundle('{"bundle_name": "secret-plans", "version": "1", "schemas": []}')});
my @said = $heard =~ /payload "([^"]*)"/g;
is(join(' ', sort map { /^[0-9a-f]{32} (\w+)$/ ? $1 : "?$_" } @said), 'prompts resource resources tools', 'a NOTIFY has only a digest and the list that changed');
$heard = $node->safe_psql('postgres', q{LISTEN kg_mcp; SET ROLE kg_direct; SELECT FROM kg_register_tool('{"name": "map", "version": "1.0.0", "kind": "query", "description": "x",
	"input_schema": {"type": "object", "properties": {}}, "operation": {"tool": "get_graph_schema", "arguments": {}}}'); SELECT FROM kg_unregister_tool('map')});
@said = $heard =~ /payload "[0-9a-f]{32} ([^"]*)"/g;
is(join(' ', @said), 'tools tools', 'registering a tool notifies only of the list of tools');
ok(read_until($a, \$from_a, qr/notifications\/resources\/updated.*secret-plans/), 'the subscriber is notified that a resource changed');
$node->safe_psql('postgres', "SET ROLE kg_direct; NOTIFY kg_mcp, '$_'") for ('', 'x', 'x tools', ' ', 'resource kg://bundle/x', 'a' x 7000);
unlike($from_b, qr/updated/, 'the subscriber of another tenant is not notified of the resource');
$reply = post($gateway, modern('subscriptions/listen', { notifications => {} }),
	{ %{ modern_headers('subscriptions/listen') }, Authorization => "Bearer $token{a}", Accept => 'application/json' });
is($reply->{status}, 406, 'a subscription without an event stream is 406');
my $stopped = stop_gateway($gateway);
is($stopped, 0, 'the gateway stops');
ok(read_until($a, \$from_a, qr/"resultType":"complete"/), 'the subscription ends with a result');
unlike($from_b, qr/list_changed/, 'the subscriber of another tenant is not notified of the tools');
my $log = gateway_log($gateway);
unlike($log, qr/\Q$token{a}\E|garbage|nonsense/, 'the log has no tokens');
like($log, qr/info tools\/call 200/, 'the log has the requests');

# Standard input and output.
sub stdio
{
	my ($input, %env) = @_;
	local %ENV = (%ENV, KGCTL_DSN => $node->connstr('postgres') . ' user=kg_gate', %env);
	my ($out, $err) = ('', '');
	my $ok = IPC::Run::run(['kgctl', 'mcp', '--function', 'kg_test.mcp', '--max-message', '5000'], '<', \$input, '>', \$out, '2>', \$err,
		IPC::Run::timeout(60));
	return ([ map { decode($_) } split /\n/, $out ], $err, $ok);
}
sub line { return JSON::PP->new->canonical->encode($_[0]) . "\n" }
my ($answers, $err, $ok) = stdio(line(rpc('tools/call', { name => 'test_who', arguments => {} })), KGCTL_TOKEN => $token{b});
is($answers->[0]{result}{tenant}, 'b', 'stdio: a tool gets the tenant of the token');
ok($ok, 'stdio: kgctl mcp ends with its input');
($answers) = stdio(line(rpc('ping')));
is($answers->[0]{error}{code}, 401, 'stdio: without a token the error has the code 401');
($answers) = stdio(join('', line(rpc('initialize', { protocolVersion => '2025-06-18', capabilities => {}, clientInfo => { name => 'x', version => '1' } })),
	line({ jsonrpc => '2.0', method => 'notifications/initialized' }), "garbage\n", 'x' x 6000 . "\n", "\n",
	line({ jsonrpc => '2.0', id => 'slow', method => 'tools/call', params => { name => 'test_it', arguments => { sleep => 200 } } }),
	line({ jsonrpc => '2.0', method => 'notifications/cancelled', params => { requestId => 'slow' } }),
	line({ jsonrpc => '2.0', id => 7, method => 'tools/call', params => { name => 'test_it', arguments => { n => 1 } } })),
	KGCTL_TOKEN => $token{a});
is($answers->[0]{result}{protocolVersion}, '2025-06-18', 'stdio: initialize is answered first');
is(scalar(grep { ($_->{error}{code} // 0) == -32700 } @$answers), 1, 'stdio: a line that is not JSON is answered once');
is(scalar(grep { ($_->{error}{code} // 0) == -32600 } @$answers), 1, 'stdio: a line that is too long is answered once');
is(scalar(grep { ($_->{id} // '') eq 'slow' } @$answers), 0, 'stdio: a cancelled call is not answered');
is(scalar(grep { ($_->{id} // '') eq '7' && $_->{result} } @$answers), 1, 'stdio: the call after a cancelled call is answered');
($answers) = stdio(substr(line(modern('tools/list')), 0, -1), KGCTL_TOKEN => $token{a});
is($answers->[0]{result}{resultType}, 'complete', 'stdio: a last line of 2026-07-28 without a newline is answered');
($answers) = stdio("\xEF\xBB\xBF" . substr(line(modern('tools/list')), 0, -1) . "\r\n", KGCTL_TOKEN => $token{a});
is($answers->[0]{result}{resultType}, 'complete', 'stdio: a message with a byte order mark and a carriage return is answered');

# A message that is refused is answered with its id, which may be the last thing in it.
{
	my $long = 'x' x 6000;
	my $call = sub { return qq({"method":"tools/call","params":{"name":"test_it","arguments":{"a":$_[0]}},"jsonrpc":"2.0","id":$_[1]}) };
	my @refused = (
		[ $call->('"a\u0000b"', 11), 11, 'NUL' ], [ $call->('"\ud83d"', '"s-1"'), '"s-1"', 'half of a character' ],
		[ $call->('"\ude00"', '"a\"b\u00e9"'), '"a\"bé"', 'the other half, and an id with escapes' ],
		[ $call->(qq("$long"), 12), 12, 'too large' ], [ $call->(qq("$long") x 4, 13), 13, 'too large by far' ],
		[ $call->('[' x 400 . ']' x 400, 14), 14, 'nested too deeply' ], [ $call->('NaN', 15), 15, 'NaN, as Python writes it' ],
		[ $call->('{"b":1,"b":2}', 16), 16, 'a name twice' ], [ $call->("\"a\tb\"", 17), 17, 'a control character' ],
		[ $call->("\"\xff\"", 18), 18, 'no UTF-8' ], [ $call->('"\u0000"', '123456789012345678901234567890'), '123456789012345678901234567890', 'a long id' ],
		[ '{"id": 19 ,"jsonrpc":"2.0", "method":"ping","params":{"id":1,"a":"\"id\":2}\u0000"}}', 19, 'another "id" inside' ],
		[ '{"id":20,"method":"ping","params":{"a":[1', 20, 'half of it' ],
		[ '{"id":21,"method":"ping","params":{},}', 21, 'a comma too many' ],
		# Where it cannot be known.
		[ '{"id":31,"id":32,"method":"ping"}', 'null', 'two ids' ], [ '{"id":33,"method":"ping"}{"id":34,"method":"ping"}', 'null', 'two messages' ],
		[ '{"id":"\u0000","method":"ping"}', 'null', 'an id that is refused itself' ], [ '{"id":[35],"method":"ping","a":NaN}', 'null', 'no id' ],
		[ '{"jsonrpc":"2.0","id":36,"result":"\u0000"}', 'null', 'a response: the id is not of a request of the client' ],
		[ '[{"id":37,"method":"ping","a":NaN}]', 'null', 'a batch' ], [ '{"method":"ping","params":{"id":38,"a":NaN}}', 'null', 'a notification' ],
		[ '{"method":"ping","id":3', 'null', 'an id that may go on' ], [ 'id', 'null', 'no message' ]);
	my $read = sub { return { map { (/"id":(null|\d+|"(?:[^"\\]|\\.)*")[,}]/ ? $1 : 'none') => 1 } @_ } };
	local $ENV{KGCTL_DSN} = $node->connstr('postgres') . ' user=kg_gate';
	local $ENV{KGCTL_TOKEN} = $token{a};
	foreach my $case (@refused)
	{
		my ($message, $id, $name) = @$case;
		my $out;
		IPC::Run::run(['kgctl', 'mcp', '--max-message', '5000'], '<', \qq($message\n{"jsonrpc":"2.0","id":"next","method":"ping"}), '>', \$out, IPC::Run::timeout(60));
		my ($answer, $next) = sort { $a =~ /"next"/ <=> $b =~ /"next"/ } split /\n/, $out;
		is_deeply($read->($answer), { $id => 1 }, "stdio: a refused message is answered with its id: $name") or diag($out);
		like($next, qr/"id": ?"next"/, "stdio: the message after it is answered: $name");
	}
}

# A client that reads late or never, and an output that takes nothing.
sub start_mcp
{
	my ($output) = @_;
	pipe(my $input, my $request) or die "pipe: $!";
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		$ENV{KGCTL_DSN} = $node->connstr('postgres') . ' user=kg_gate';
		$ENV{KGCTL_TOKEN} = $token{a};
		POSIX::dup2(fileno($input), 0);
		POSIX::dup2(fileno($output), 1);
		POSIX::close($_) for 3 .. 63;
		{ exec 'kgctl', 'mcp', '--function', 'kg_test.mcp' }
		POSIX::_exit(127);
	}
	close $input;
	syswrite($request, line(rpc('tools/call', { name => 'test_it', arguments => { size => 1_000_000 } })));
	return ($pid, $request);
}
sub ended { return waitpid($_[0], POSIX::WNOHANG()) == $_[0] }
# Nobody reads until the pipe has taken what it can.
sub is_full
{
	my ($pipe) = @_;
	my $waiting = pack 'i', 0;
	return ioctl($pipe, FIONREAD, $waiting) && unpack('i', $waiting) > 60000;
}
for my $blocking (1, 0)
{
	my $how = $blocking ? 'a pipe that blocks' : 'a pipe that does not';
	pipe(my $answer, my $output) or die "pipe: $!";
	$output->blocking($blocking);
	my ($pid, $request) = start_mcp($output);
	close $output;
	ok(wait_until(sub { is_full($answer) }), "$how is full");
	my $text = '';
	read_until($answer, \$text, qr/\n\z/);
	is(length(eval { decode($text)->{result}{text} } // ''), 1_000_000, "$how: a client that reads late gets the whole reply");
	close $request;
	ok(wait_until(sub { ended($pid) }), "$how: kgctl mcp ends with its input");
	is($?, 0, "$how: the exit status is 0");
}
{
	pipe(my $answer, my $output) or die "pipe: $!";
	my ($pid, $request) = start_mcp($output);
	close $output;
	ok(wait_until(sub { is_full($answer) }), 'the pipe of a client that does not read is full');
	kill 'TERM', $pid;
	ok(wait_until(sub { ended($pid) }), 'SIGTERM ends kgctl mcp although its client does not read') or kill 'KILL', $pid;
}
SKIP:
{
	skip 'no /dev/full', 2 unless -e '/dev/full';
	open my $full, '>', '/dev/full' or die "/dev/full: $!";
	my ($pid, $request) = start_mcp($full);
	ok(wait_until(sub { ended($pid) }), 'kgctl mcp ends if its output cannot be written');
	is($? >> 8, 3, 'the exit status is 3 if the output cannot be written');
}
$node->stop;
done_testing();
