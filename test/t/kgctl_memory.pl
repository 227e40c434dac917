# kgctl memory: the bundle, and files of the reference server. Through kgctl serve:
# which clients are notified of changes of the memory, and registered tools by
# version.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
use KgGateway;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = cluster('memory');
my $dir = PostgreSQL::Test::Utils::tempdir();
$ENV{HOME} = $dir;
delete $ENV{$_} for qw(XDG_CONFIG_HOME KGCTL_TOKEN KGCTL_TENANT);
$node->safe_psql('postgres', q{UPDATE kg_auth_key SET access = 'write'; CREATE ROLE kg_other LOGIN; SELECT kg_grant('b', 'kg_other', 'admin')});

sub kgctl
{
	my ($role, @command) = @_;
	local $ENV{KGCTL_DSN} = $node->connstr('postgres') . " user=$role";
	return run_kgctl({}, @command);
}

sub put
{
	my ($name, $text) = @_;
	open my $file, '>:raw', "$dir/$name" or die "$name: $!";
	print $file $text;
	close $file;
	return "$dir/$name";
}

sub sql { return $node->safe_psql('postgres', "SET ROLE kg_direct; $_[0]"); }

# The bundle.
my $got = kgctl('kg_direct', 'memory', 'export');
isnt($got->{code}, 0, 'memory export without the bundle fails');
$got = kgctl('kg_direct', 'memory', 'init');
is($got->{code}, 0, 'memory init succeeds') or diag $got->{err};
like($got->{out}, qr/is there/, 'memory init reports the bundle');
$got = kgctl('kg_direct', 'memory', 'init', '--quiet');
is("$got->{code}$got->{out}", '0', 'a second memory init changes nothing');
is(kgctl('kg_direct', 'memory', 'export')->{out}, '', 'memory export of an empty memory prints nothing');
for my $wrong ([ 'memory' ], [ 'memory', 'empty' ], [ 'memory', 'import' ], [ 'memory', 'export', 'file' ], [ 'memory', 'init', 'file' ])
{
	is(kgctl('kg_direct', @$wrong)->{code}, 2, "wrong usage is refused: @$wrong");
}
isnt(kgctl('kg_direct', 'memory', 'import', "$dir/none.jsonl")->{code}, 0, 'memory import of a missing file fails');

# A tool that writes has written when its reply is there.
$got = kgctl('kg_direct', 'call', 'create_entities', 'entities=[{"name": "kept", "entityType": "thing", "observations": ["seen"]}]');
is($got->{code}, 0, 'kgctl call of a tool that writes succeeds') or diag $got->{err};
like(kgctl('kg_direct', 'call', '-c', 'open_nodes', 'names=["kept"]')->{out}, qr/"observations":\["seen"\]/, 'another process reads what the tool wrote');
is(kgctl('kg_direct', 'call', 'delete_entities', 'entityNames=["kept"]')->{code}, 0, 'another process deletes what the tool wrote');
is(kgctl('kg_direct', 'memory', 'export')->{out}, '', 'memory export after the deletion prints nothing');

# A file as the reference server writes it, with lines that it would not.
my $long = 'n' x 129;
my $file = put('memory.jsonl', join "\n",
	'{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea","born 1815"]}',
	'{"type":"entity","name":"cut off","entityType":"per',
	'{"type":"entity","name":"no observations","entityType":"person"}',
	'',
	"{\"type\":\"entity\",\"name\":\"Zo\xc3\xab\",\"entityType\":\"\",\"observations\":[]}\r",
	'{"type":"relation","from":"Ada","to":"Babbage","relationType":"works with"}',
	'{"type":"relation","from":"Ada","to":"Babbage"}',
	'{"type":"thing"}',
	'["no object"]',
	"{\"type\":\"entity\",\"name\":\"$long\",\"entityType\":\"\",\"observations\":[]}",
	'{"type":"entity","name":"mixed","entityType":"","observations":["a",1]}',
	'{"type":"entity","name":"Ada","entityType":"other","observations":["likes tea","counts"]}',
	"\xff\xfe",
	'{"type":"entity","name":"quote\"d","entityType":"a\\\\b","observations":["tab\there","line\nbreak"]}');
$got = kgctl('kg_direct', 'memory', 'import', $file);
is($got->{code}, 1, 'memory import with malformed lines exits with 1');
is(join(' ', $got->{err} =~ /memory\.jsonl:(\d+): .*; skipped/g), '2 3 7 8 9 10 11 13', 'memory import names the number of each malformed line');
like($got->{out}, qr/^4 entities, 1 relations read, 8 lines skipped$/m, 'memory import counts the read and the skipped lines');
my $expected = join '', map { "$_\n" }
	'{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea","born 1815","counts"]}',
	"{\"type\":\"entity\",\"name\":\"Zo\xc3\xab\",\"entityType\":\"\",\"observations\":[]}",
	'{"type":"entity","name":"quote\"d","entityType":"a\\\\b","observations":["tab\there","line\nbreak"]}',
	'{"type":"relation","from":"Ada","to":"Babbage","relationType":"works with"}';
my $export = kgctl('kg_direct', 'memory', 'export');
is($export->{code}, 0, 'memory export succeeds');
is($export->{out}, $expected, 'memory export prints the file of the reference server, without ends of relations that are no entities');

# There and back, and once more.
is(kgctl('kg_other', 'memory', 'init')->{code}, 0, 'memory init in another tenant succeeds');
$got = kgctl('kg_other', 'memory', 'import', put('again.jsonl', $export->{out}));
is($got->{code}, 0, 'the other tenant imports the exported file') or diag $got->{err};
is(kgctl('kg_other', 'memory', 'export')->{out}, $expected, 'the other tenant exports the same file');
is(kgctl('kg_other', 'memory', 'import', "$dir/again.jsonl")->{code}, 0, 'a second import of the same file succeeds');
is(kgctl('kg_other', 'memory', 'export')->{out}, $expected, 'a second import changes nothing');
(my $array = $export->{out}) =~ s/\n(?=.)/,\r\n/g;
$got = kgctl('kg_other', 'memory', 'import', put('array.json', "\xef\xbb\xbf[\n$array]"));
is($got->{code}, 0, 'memory import reads a JSON array with a byte order mark') or diag $got->{err};
like($got->{out}, qr/^3 entities, 1 relations read, 0 lines skipped$/m, 'memory import counts the members of the array');
is(kgctl('kg_other', 'memory', 'export')->{out}, $expected, 'the import of the array changes nothing');
$got = kgctl('kg_other', 'memory', 'import', put('array.json', qq([{"type":"entity","name":"new","entityType":"","observations":[]},\n{"type":"thing"},\n)));
is($got->{code}, 4, 'memory import of an array that is not closed fails');
like($got->{err}, qr/array\.json:2: .*skipped.*array is not closed.*nothing was written/s, 'the error says that the array is not closed');
is(kgctl('kg_other', 'memory', 'export')->{out}, $expected, 'the failed import writes nothing');
put('many.jsonl', join '', map { "{\"type\":\"entity\",\"name\":\"many $_\",\"entityType\":\"t\",\"observations\":[\"o $_\",\"p $_\"]}\n" } 1 .. 1200);
is(kgctl('kg_other', 'memory', 'import', "$dir/many.jsonl", '--quiet')->{code}, 0, 'memory import reads more lines than one call can have');
my @lines = split /\n/, kgctl('kg_other', 'memory', 'export')->{out};
is(scalar(@lines), 1204, 'all these lines are exported');

# Who is told.
my $gateway = start_gateway($node, 'kg_gate');
sub subscribe
{
	my ($token, @uris) = @_;
	my $message = JSON::PP->new->canonical->encode(modern('subscriptions/listen', { notifications => { toolsListChanged => JSON::PP::true, resourceSubscriptions => \@uris } }));
	my $s = { socket => connect_to($gateway), text => '' };
	my %headers = (%{ modern_headers('subscriptions/listen') }, Host => 'localhost', Accept => 'text/event-stream',
		'Content-Type' => 'application/json', Authorization => "Bearer $token", 'Content-Length' => length $message);
	syswrite($s->{socket}, "POST /mcp HTTP/1.1\r\n" . join('', map { "$_: $headers{$_}\r\n" } sort keys %headers) . "\r\n$message");
	ok(read_until($s->{socket}, \$s->{text}, qr/subscriptions\/acknowledged[^\n]*\n/), "subscribed to @uris");
	return $s;
}
sub told { my ($s, $pattern) = @_; return read_until($s->{socket}, \$s->{text}, $pattern, 30); }
sub token { return $node->safe_psql('postgres', qq{SELECT kg_issue_token('$_[0]', 'k', '1 hour')}); }
sub call
{
	my ($token, $name, $arguments, %meta) = @_;
	my $message = modern('tools/call', { name => $name, arguments => $arguments });
	$message->{params}{_meta}{$_} = $meta{$_} for keys %meta;
	return post($gateway, $message, { %{ modern_headers('tools/call', $name) }, Authorization => "Bearer $token" })->{json};
}
sub entity { return { entities => [ { name => $_[0], entityType => 't', observations => [] } ] }; }

my $memory = 'memory://knowledge-graph';
sql(q{SELECT kg_apply_bundle('{"bundle_name": "else", "version": "1", "schemas": [{"entity_type": "note", "schema": {"type": "object", "x-id-field": "id",
	"properties": {"id": {"type": "string"}, "state": {"enum": ["open", "closed"], "x-index": true}}}}]}');
	SELECT kg_create_agent('blind', '{"bundles": ["else"]}'); SELECT kg_create_agent('deaf', '{"toolsets": ["graph"]}')});
my %token = %{ $node->{kg_token} };
my $a = subscribe($token{a}, $memory, 'kg://bundle/else');
my $b = subscribe($token{b}, $memory);
my $blind = subscribe(token('{"tenant": "a", "sub": "x", "agent": "blind"}'), $memory);
my $deaf = subscribe(token('{"tenant": "a", "sub": "x", "agent": "deaf"}'), $memory);
like($a->{text}, qr/"resourceSubscriptions":\s*\["memory:\/\/knowledge-graph", *"kg:\/\/bundle\/else"\]/, 'the acknowledgement lists both resources');
like($_->{text}, qr/"resourceSubscriptions":\s*\[\]/, 'the acknowledgement does not list the memory for a bearer without it') for $blind, $deaf;
sub wrote { my ($reply, $name) = @_; ok(defined $reply->{result}{isError} && !$reply->{result}{isError}, $name) or diag explain $reply; }
wrote(call($token{a}, 'create_entities', entity('one')), 'a tool writes to the memory');
ok(told($a, qr/resources\/updated[^\n]*knowledge-graph/), 'the subscriber is notified of the write');
$a->{text} = '';
sql(q{SELECT kg_call_tool('add_observations', '{"observations": [{"entityName": "one", "contents": ["a"]}]}')});
ok(told($a, qr/resources\/updated[^\n]*knowledge-graph/), 'the subscriber is notified of a write by SQL');
$a->{text} = '';
sql(q{SELECT kg_register_tool('{"name": "remember", "version": "1.0.0", "kind": "query", "description": "x",
	"input_schema": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
	"operation": {"tool": "create_entities", "arguments": {"entities": [{"name": {"$arg": "name"}, "entityType": "", "observations": []}]}}}')});
ok(told($a, qr/list_changed/), 'the subscriber is notified of a new tool');
unlike($a->{text}, qr/notifications\/resources/, 'a new tool does not notify of the memory');
$a->{text} = '';
wrote(call($token{a}, 'remember', { name => 'two' }), 'a registered tool writes to the memory');
ok(told($a, qr/resources\/updated[^\n]*knowledge-graph/), 'the subscriber is notified of the write by the registered tool');
unlike($a->{text}, qr/updated[^\n]*else/, 'the write does not notify of another resource');
$a->{text} = '';
my $failed = call($token{a}, 'add_observations', { observations => [ { entityName => 'nobody', contents => ['a'] } ] });
ok($failed->{result}{isError}, 'a call that writes fails') or diag explain $failed;
sql(q{SELECT kg_create_agent('mark')});
ok(told($_, qr/list_changed/), 'a later notification arrives') for $a, $blind, $deaf;
unlike($a->{text}, qr/updated/, 'the failed call did not notify the subscriber');
unlike($_->{text}, qr/updated/, 'a bearer without the memory was not notified') for $blind, $deaf;
$node->safe_psql('postgres', q{SET ROLE kg_other; SELECT kg_create_agent('mark')});
ok(told($b, qr/list_changed/), 'a later notification arrives in the other tenant');
unlike($b->{text}, qr/updated/, 'the subscriber of another tenant was not notified');

# A legacy client on standard input subscribes by resources/subscribe.
sub stdio
{
	my ($token) = @_;
	local %ENV = (%ENV, KGCTL_DSN => $node->connstr('postgres') . ' user=kg_gate', KGCTL_TOKEN => $token);
	my $client = { in => '', out => '', id => 1 };
	$client->{run} = IPC::Run::start([ 'kgctl', 'mcp' ], '<', \$client->{in}, '>', \$client->{out}, IPC::Run::timeout(60));
	ask($client, 'initialize', { protocolVersion => '2025-11-25', capabilities => {}, clientInfo => { name => 'x', version => '1' } });
	return $client;
}
sub hears { my ($client, $pattern) = @_; return wait_until(sub { IPC::Run::pump_nb($client->{run}); $client->{out} =~ $pattern }); }
sub ask
{
	my ($client, $method, $params) = @_;
	my $id = $client->{id}++;
	$client->{in} .= JSON::PP->new->canonical->encode({ jsonrpc => '2.0', id => $id, method => $method, params => $params }) . "\n";
	hears($client, qr/^(\{(?=[^\n]*"id": ?$id\b)[^\n]*)\n/m);
	return decode($client->{out} =~ /^(\{(?=[^\n]*"id": ?$id\b)[^\n]*)\n/m);
}
sub remember { sql(qq{SELECT kg_call_tool('create_entities', '{"entities": [{"name": "$_[0]", "entityType": "t", "observations": []}]}')}); return; }
my $old = stdio($token{a});
is_deeply(ask($old, 'resources/subscribe', { uri => $memory }), { jsonrpc => '2.0', id => 2, result => {} }, 'a legacy client subscribes by resources/subscribe');
remember('three');
ok(hears($old, qr/resources\/updated[^\n]*knowledge-graph/), 'the legacy client is notified');
$old->{out} = '';
$node->safe_psql('postgres', 'UPDATE kg_auth_key SET enabled = enabled');
my $more = 0;
ok(wait_until(sub { remember('more ' . $more++); IPC::Run::pump_nb($old->{run}); $old->{out} =~ /resources\/updated[^\n]*knowledge-graph/ }),
	'the legacy client is notified also after kgctl checked its rights again');
ask($old, 'resources/unsubscribe', { uri => $memory });
$old->{out} = '';
remember('five');
sql(q{SELECT kg_create_agent('mark_2')});
ok(hears($old, qr/tools\/list_changed/), 'a later notification arrives after the client unsubscribed');
unlike($old->{out}, qr/updated/, 'the client is not notified after it unsubscribed');
ask($old, 'resources/subscribe', { uri => $memory }) for 1, 2;
$old->{out} = '';
remember('six');
sql(q{SELECT kg_create_agent('mark_3')});
ok(hears($old, qr/tools\/list_changed/), 'a later notification arrives after the client subscribed twice');
is(scalar(() = $old->{out} =~ /updated/g), 1, 'a client that subscribed twice is notified once');
my $none = stdio(token('{"tenant": "a", "sub": "x", "agent": "deaf"}'));
is(ask($none, 'resources/subscribe', { uri => $memory })->{error}{code}, -32002, 'a client without the memory cannot subscribe to it');
for my $client ($old, $none)
{
	$client->{run}->signal('TERM');
	$client->{run}->finish;
	is($client->{run}->full_result(0), 0, 'kgctl mcp exits with 0 after SIGTERM');
	unlike($client->{out}, qr/"id": ?(?:0|null)/, q{the client does not get the answers to kgctl's own requests});
}

# Registered tools by version.
sub register
{
	my ($version, $more) = @_;
	sql(qq({SELECT kg_register_tool('{"name": "notes", "version": "$version", "kind": "query", "description": "notes of a state", $more
	"input_schema": {"type": "object", "properties": {"state": {"enum": ["open", "closed"]}}},
	"operation": {"tool": "list_note", "arguments": {"filters": {"state": {"\$arg": "state"}}}}}')}) =~ s/^\{|\}$//gr);
}
register('1.2.0', '');
register('1.10.0', '');
register('2.0.0-rc.1', '');
register('1.11.0', '"deprecated": "wrong",');
my $list = post($gateway, modern('tools/list'), { %{ modern_headers('tools/list') }, Authorization => "Bearer $token{a}" })->{json};
my @notes = grep { $_->{name} =~ /^notes/ } @{ $list->{result}{tools} };
is(join(' ', map { "$_->{name} $_->{_meta}{'kg_graph/version'}" } @notes), 'notes 1.10.0', 'tools/list shows the latest release that is not deprecated');
sub version { return $_[0]->{result}{_meta}{version} // $_[0]->{result}{_meta}{'kg_graph/version'} // JSON::PP->new->canonical->encode($_[0]); }
is(version(call($token{a}, 'notes', {})), '1.10.0', 'the name alone calls the latest release that is not deprecated');
is(version(call($token{a}, 'notes', {}, 'kg_graph/version' => '1.2.0')), '1.2.0', 'kg_graph/version in _meta calls another version');
is(version(call($token{a}, 'notes.v1.2.0', {})), '1.2.0', 'an alias calls another version');
is(version(call($token{a}, 'notes.v2.0.0-rc.1', {})), '2.0.0-rc.1', 'an alias calls a prerelease');
sub fault { return $_[0]->{result}{structuredContent}{error} // {}; }
my $fault = fault(call($token{a}, 'notes', {}, 'kg_graph/version' => '1.3.0'));
is("$fault->{level} $fault->{code} $fault->{sqlstate}", 'service VERSION_NOT_FOUND 42883', 'an unknown version is an error of the level service');
is(join(' ', @{ $fault->{allowed} // [] }), '1.2.0 1.10.0 1.11.0 2.0.0-rc.1', 'the error lists the existing versions in their order');
for my $wrong ('01.2.3', '1.2', 'v1.2.0', '1.2.0.0', '')
{
	is(fault(call($token{a}, 'notes', {}, 'kg_graph/version' => $wrong))->{code}, 'INVALID_INPUT', "a text that is not a version is refused: '$wrong'");
}
is(fault(call($token{a}, 'notes', { state => 'ajar' }))->{level}, 'service', 'an error of the schema has the level service');
$node->safe_psql('postgres', 'ALTER ROLE kg_gate SET kg_graph.max_argument_bytes = 1024');
stop_gateway($gateway);
$gateway = start_gateway($node, 'kg_gate');
is(fault(call($token{a}, 'create_entities', entity('n' x 2000)))->{level}, 'engine', 'an exceeded limit has the level engine');
is(fault(call($token{a}, 'add_observations', { observations => [ { entityName => 'nobody', contents => ['a'] } ] }))->{level}, 'operation', 'a missing entity has the level operation');
stop_gateway($gateway);
done_testing();
