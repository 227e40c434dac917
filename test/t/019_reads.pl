# kgctl serve --read-dsn. A standby serves calls that only read, but a caller always
# sees its own writes. The primary serves all other calls. Also tests standbys that
# have failed, lag behind or were promoted, and no standby at all.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Digest::SHA qw(hmac_sha256);
use JSON::PP ();
use KgAuthzen;
use KgGateway;
use KgTest;
use MIME::Base64 qw(encode_base64url);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1, extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
$primary->append_conf('postgresql.conf', "max_standby_streaming_delay = -1\nlog_min_error_statement = panic");
$primary->start;
$primary->safe_psql('postgres', q{
	CREATE EXTENSION kg_graph;
	SELECT kg_create_tenant('a'), kg_create_tenant('b');
	CREATE ROLE kg_gate LOGIN; CREATE ROLE ada LOGIN;
	SELECT kg_grant('a', 'ada', 'admin'), kg_grant_gateway('kg_gate', exchange => true);
	INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('test', 'k', 'HS256', sha256('a secret of the tests'), 'kg', 'write');
	CREATE FUNCTION public.looks(j jsonb) RETURNS jsonb STABLE LANGUAGE sql AS $$SELECT '{"looked": true}'::jsonb$$;
	CREATE FUNCTION public.naps(j jsonb) RETURNS jsonb STABLE LANGUAGE plpgsql AS $$
	BEGIN
		IF pg_is_in_recovery() THEN PERFORM pg_sleep(600); END IF;
		RETURN jsonb_build_object('standby', pg_is_in_recovery());
	END $$;
	CREATE FUNCTION public.jots(j jsonb) RETURNS jsonb VOLATILE LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
	BEGIN
		INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('notes', 'note', jsonb_build_object('id', j ->> 'id'));
		RETURN '{"jotted": true}';
	END $$;});
my $bundle = q{SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'notes', 'version', '1', 'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'note', 'schema',
	'{"type": "object", "x-id-field": "id", "x-tool-expose": ["list", "list_ids", "get", "create"], "properties": {"id": {"type": "string"}}}'::jsonb), jsonb_build_object('entity_type', 'file', 'schema',
	'{"type": "object", "x-id-field": "id", "x-authorize": {"ability": "read"}, "x-tool-expose": ["list", "list_ids"], "properties": {"id": {"type": "string"}}}'::jsonb)),
	'entities', jsonb_build_array(jsonb_build_object('entity_type', 'file', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'f' || i)) FROM generate_series(1, 9) i)))) ) IS NOT NULL};
# What is for the owner to make; everybody who asks is an ordinary role.
$primary->safe_psql('postgres', qq{SELECT kg_grant('a', CURRENT_USER::text, 'admin'); $bundle; SELECT kg_register_tool(jsonb_build_object('name', n, 'version', '1.0.0', 'kind', 'function', 'description', 'A function.', 'operation', format('public.%s(jsonb)', n),
	'input_schema', '{"type": "object", "properties": {"id": {"type": "string"}}}'::jsonb)) FROM unnest('{looks,jots}'::text[]) n;
	SELECT kg_register_tool('{"name": "naps", "version": "1.0.0", "kind": "function", "description": "A function.", "operation": "public.naps(jsonb)", "input_schema": {"type": "object"}}')});
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "kg_graph.max_call_time = '180s'");
$standby->start;

sub token { my ($tenant, $sub) = @_; return $primary->safe_psql('postgres', qq{SELECT kg_issue_token('{"tenant": "$tenant", "sub": "$sub"}', 'k', '1 hour')}) }
my %token = map { $_ => token('a', $_) } 'ann', 'bob', 'cat', 'dan', 'eve', 'fay', 'gus', 'limited', 'brief', 'rated';
$token{b} = token('b', 'ann');
sub reader { my ($node) = @_; return ('--read-dsn', $node->connstr('postgres') . ' user=kg_gate') }

sub gateway
{
	my (@options) = @_;
	my $gateway = start_gateway($primary, 'kg_gate', '--metrics', '127.0.0.1:0', @options);
	wait_until(sub { gateway_log($gateway) =~ /metrics on 127\.0\.0\.1:(\d+)/ });
	($gateway->{metrics}) = gateway_log($gateway) =~ /metrics on 127\.0\.0\.1:(\d+)/;
	ok(wait_until(sub { http($gateway, 'GET', '/readyz')->{status} == 200 }), 'the gateway is ready');
	return $gateway;
}

sub metric
{
	my ($gateway, $name) = @_;
	return http({ port => $gateway->{metrics} }, 'GET', '/metrics')->{body} =~ /^\Q$name\E (\S+)$/m ? $1 : undef;
}
sub up { my ($gateway, $up) = @_; return wait_until(sub { metric($gateway, 'kgctl_reader_up{reader="1"}') == $up }) }

# What became of the calls that the standby was asked, since it was asked last.
sub outcomes
{
	my ($gateway) = @_;
	my %now = map { $_ => metric($gateway, qq(kgctl_reader_calls_total{outcome="$_"})) } 'answered', 'behind', 'failed', 'refused';
	my %was = %{ $gateway->{was} // {} };
	$gateway->{was} = {%now};
	return join ' ', map { my $n = $now{$_} - ($was{$_} // 0); $n ? "$_ $n" : () } sort keys %now;
}

sub message
{
	my ($name, $arguments, $wrote) = @_;
	my $message = modern('tools/call', { name => $name, arguments => $arguments });
	$message->{params}{_meta}{'kg_graph/wrote'} = $wrote if defined $wrote;
	return $message;
}
sub ask
{
	my ($gateway, $who, $name, $arguments, $wrote) = @_;
	return post($gateway, message($name, $arguments, $wrote), { %{ modern_headers('tools/call', $name) }, Authorization => "Bearer $token{$who}" });
}
sub send_to
{
	my ($gateway, $who, $name, $arguments, $wrote) = @_;
	my $socket = connect_to($gateway);
	my $body = JSON::PP->new->encode(message($name, $arguments, $wrote));
	my %headers = (%{ modern_headers('tools/call', $name) }, Host => 'localhost', 'Content-Type' => 'application/json', 'Content-Length' => length $body, Authorization => "Bearer $token{$who}");
	syswrite($socket, "POST /mcp HTTP/1.1\r\n" . join('', map { "$_: $headers{$_}\r\n" } sort keys %headers) . "\r\n$body");
	return $socket;
}
sub ids { return join ' ', @{ ask(@_[ 0, 1 ], 'list_note_ids', {}, $_[2])->{json}{result}{structuredContent}{ids} // ['?'] } }
sub wrote { return $_[0]->{json}{result}{_meta}{'kg_graph/wrote'} }
sub create { my ($gateway, $who, $id) = @_; return ask($gateway, $who, 'create_note', { items => [ { id => $id } ] }) }
sub caught_up { $primary->wait_for_catchup($standby); return }
sub pause
{
	$standby->safe_psql('postgres', 'SELECT pg_wal_replay_pause()');
	return ok(wait_until(sub { $standby->safe_psql('postgres', 'SELECT pg_get_wal_replay_pause_state()') eq 'paused' }), 'replay of the standby is paused');
}
sub resume { $standby->safe_psql('postgres', 'SELECT pg_wal_replay_resume()'); return }

my $gateway = gateway(reader($standby), '--read-lag', '3600');
my $plain = gateway();
ok(up($gateway, 1), 'the gateway reads from the standby');
outcomes($gateway);

# ---- who answers ----

is(ids($gateway, 'ann'), '', 'a list is answered');
is(outcomes($gateway), 'answered 1', 'the standby answers the list');
my $reply = create($gateway, 'ann', 'n1');
is($reply->{json}{result}{structuredContent}{counts}{created}, 1, 'a write is done') or diag($reply->{body});
is(outcomes($gateway), 'refused 1', 'the standby refuses the write, and the primary does it');
my $first = wrote($reply);
like($first, qr/^[A-Za-z0-9_-]{40,64}$/, 'the reply of a write has kg_graph/wrote');
is(wrote(create($plain, 'ann', 'n0')), undef, 'without standbys the reply of a write has no kg_graph/wrote');
is(ask($gateway, 'bob', 'looks', {})->{json}{result}{structuredContent}{looked}, JSON::PP::true, 'a registered function that reads is answered');
is(outcomes($gateway), 'answered 1', 'the standby runs the function that reads');
$reply = ask($gateway, 'bob', 'jots', { id => 'n2' });
is($reply->{json}{result}{structuredContent}{jotted}, JSON::PP::true, 'a registered function that writes is answered') or diag($reply->{body});
is(outcomes($gateway), 'refused 1', 'the primary runs the function that writes');
like(wrote($reply), qr/^[A-Za-z0-9_-]{40,64}$/, 'the reply of the function that writes has kg_graph/wrote');
my $legacy = rpc('tools/call', { name => 'create_note', arguments => { items => [ { id => 'n5' } ] } });
my $headers = { 'MCP-Protocol-Version' => '2025-06-18', Authorization => "Bearer $token{cat}" };
like(wrote(post($gateway, $legacy, $headers)), qr/^[A-Za-z0-9_-]{40,64}$/, 'the reply of a write in revision 2025-06-18 has kg_graph/wrote');
is(wrote(create($gateway, 'cat', 'n5')), undef, 'the reply of a refused write has no kg_graph/wrote');
outcomes($gateway);
foreach my $method ('tools/list', 'prompts/list', 'resources/list', 'server/discover')
{
	is(post($gateway, modern($method), { %{ modern_headers($method) }, Authorization => "Bearer $token{cat}" })->{status}, 200, $method);
}
my $batch = post($gateway, [ map { my $m = message('create_note', { items => [ { id => "n$_" } ] }); delete $m->{params}{_meta}; $m->{id} = $_; $m } 3, 4 ], { 'MCP-Protocol-Version' => '2025-03-26', Authorization => "Bearer $token{cat}" });
is(scalar(grep { $_->{result}{_meta}{'kg_graph/wrote'} } @{ $batch->{json} }), 2, 'each reply to a batch of writes has kg_graph/wrote') or diag($batch->{body});
is(ids($gateway, 'cat'), 'n0 n1 n2 n3 n4 n5', 'the bearer reads all written entities');
is(outcomes($gateway), '', 'the standby is asked for none of these messages');
caught_up();

# The same bytes, whoever answers; errors are the primary's.
foreach my $call ([ 'list_note', { limit => 2 } ], [ 'get_note', { ids => ['n1'] } ], [ 'get_note', { ids => ['none'] } ], [ 'list_note', { limit => 'x' } ], [ 'nothing', {} ],
	[ 'find_nodes', { node_label => 'note' } ], [ 'get_graph_schema', {} ], [ 'create_note', { items => [ { id => 7 } ] } ])
{
	my ($through, $there) = map { ask($_, 'dan', @$call) } $gateway, $plain;
	is("$through->{status} $through->{body}", "$there->{status} $there->{body}", "the same: $call->[0] " . JSON::PP->new->canonical->encode($call->[1]));
}
like(outcomes($gateway), qr/^answered \d+ refused \d+$/, 'the standby answered some calls and refused others');
my $bad = post($gateway, message('list_note', {}), { %{ modern_headers('tools/call', 'list_note') }, Authorization => 'Bearer x.y.z' });
is($bad->{status}, 401, 'an invalid token gets 401');

# A cursor of one server at the other.
my $page = ask($plain, 'dan', 'list_note', { limit => 2 })->{json}{result}{structuredContent};
outcomes($gateway);
is_deeply([ map { $_->{id} } @{ ask($gateway, 'dan', 'list_note', $page->{next})->{json}{result}{structuredContent}{items} } ], [ 'n2', 'n3' ], 'a cursor of the primary returns the next page') or diag(explain $page);
is(outcomes($gateway), 'answered 1', 'the standby accepts the cursor of the primary');

# ---- what was written is seen ----

pause();
my $second = wrote(create($gateway, 'eve', 'p1'));
outcomes($gateway);
is(ids($gateway, 'dan'), 'n0 n1 n2 n3 n4 n5', 'another subject sees the data of the standby');
is(ids($gateway, 'dan', $first), 'n0 n1 n2 n3 n4 n5', 'another subject with an older kg_graph/wrote sees the data of the standby');
is(outcomes($gateway), 'answered 2', 'the standby answers these two calls');
is(ids($gateway, 'eve', $second), 'n0 n1 n2 n3 n4 n5 p1', 'the writer sees its write');
is(outcomes($gateway), 'behind 1', 'the primary answers the writer, after a wait for the standby');
is(ids($gateway, 'dan', $second), 'n0 n1 n2 n3 n4 n5 p1', 'another subject with the kg_graph/wrote of the write sees the write');
outcomes($gateway);
is(ids($gateway, 'eve'), 'n0 n1 n2 n3 n4 n5 p1', 'the writer sees its write also without kg_graph/wrote');
is(outcomes($gateway), '', 'the gateway remembers the writer, and asks the primary');
my $without = gateway(reader($standby), '--read-lag', '3600', '--read-wait', '0');
resume();
ok(up($without, 1), 'a gateway with --read-wait 0 reads from the standby');
pause();
my $third = wrote(create($without, 'eve', 'p2'));
outcomes($without);
is(ids($without, 'dan', $third), 'n0 n1 n2 n3 n4 n5 p1 p2', 'a gateway with --read-wait 0 returns the write');
is(outcomes($without), 'behind 1', 'a gateway with --read-wait 0 asks the primary at once');

# While a call waits the standby gets there.
my $patient = gateway(reader($standby), '--read-lag', '3600', '--read-wait', '10000');
resume();
ok(up($patient, 1), 'a gateway with a long --read-wait reads from the standby');
pause();
my $fourth = wrote(create($patient, 'eve', 'p3'));
is(ids($patient, 'dan'), 'n0 n1 n2 n3 n4 n5 p1 p2', 'a gateway with a long --read-wait answers from the standby');
outcomes($patient);
my $socket = send_to($patient, 'dan', 'list_note_ids', {}, $fourth);
ok(wait_until(sub { metric($patient, 'kgctl_http_requests') == 1 }), 'a call with kg_graph/wrote waits for the standby');
resume();
is(decode(read_reply($socket)->{body})->{result}{structuredContent}{total}, 9, 'the waiting call is answered with the write');
is(outcomes($patient), 'answered 1', 'the standby answers the waiting call');

# Whose client goes away.
pause();
my $fifth = wrote(create($patient, 'eve', 'p4'));
$socket = send_to($patient, 'dan', 'list_note_ids', {}, $fifth);
ok(wait_until(sub { metric($patient, 'kgctl_http_requests') == 1 }), 'another call with kg_graph/wrote waits for the standby');
close $socket;
ok(wait_until(sub { metric($patient, 'kgctl_http_requests') == 0 }), 'a waiting call ends when its client disconnects');
resume();
is(stop_gateway($_), 0, 'the gateway stops') foreach $patient, $without;

# A write whose answer is lost, and which is sent again, says what it wrote, too.
caught_up();
pause();
my %lost = (items => [ { id => 'p5' } ], idempotency_key => 'lost');
is(ask($plain, 'gus', 'create_note', {%lost})->{json}{result}{structuredContent}{counts}{created}, 1, 'a write with an idempotency key is done');
my $again = ask($gateway, 'gus', 'create_note', {%lost});
is($again->{json}{result}{structuredContent}{replayed}, JSON::PP::true, 'the repeated write is replayed') or diag($again->{body});
like(wrote($again), qr/^[A-Za-z0-9_-]{40,64}$/, 'the reply of the repeated write has kg_graph/wrote');
outcomes($gateway);
unlike(ids($gateway, 'dan'), qr/p5/, 'the standby does not have the write yet');
is(outcomes($gateway), 'answered 1', 'the standby answers without kg_graph/wrote');
like(ids($gateway, 'dan', wrote($again)), qr/ p5$/, 'another subject with this kg_graph/wrote sees the write');
is(outcomes($gateway), 'behind 1', 'the primary answers the call with this kg_graph/wrote');
like(ids($gateway, 'gus'), qr/ p5$/, 'the writer sees its repeated write without kg_graph/wrote');
is(outcomes($gateway), '', 'the gateway remembers the writer of the repeated write');
resume();
caught_up();
like(ids($gateway, 'dan', wrote(ask($gateway, 'gus', 'create_note', {%lost}))), qr/ p5$/, 'a third repetition has a kg_graph/wrote that reads the write');
is(outcomes($gateway), 'answered 1', 'the standby answers after it has the write');

# ---- what is sent in its place ----

caught_up();
my $flipped = $first;
substr($flipped, 3, 1) = substr($flipped, 3, 1) eq 'A' ? 'B' : 'A';
foreach my $case ([ 'a number', 7 ], [ 'null', undef ], [ 'an object', {} ], [ 'nothing', '' ], [ 'a position', '0/FFFFFFFF' ], [ 'another bit', $flipped ], [ 'a part', substr($first, 0, 30) ],
	[ 'more', $first . 'AAAA' ], [ 'a large one', 'A' x 500000 ], [ 'a cursor', $page->{next}{cursor} ], [ 'of another tenant', $first, 'b' ])
{
	my ($name, $value, $who) = @$case;
	my $message = message('find_nodes', { node_label => 'note' });
	$message->{params}{_meta}{'kg_graph/wrote'} = $value;
	my $said = post($gateway, $message, { %{ modern_headers('tools/call', 'find_nodes') }, Authorization => 'Bearer ' . $token{ $who // 'fay' } });
	is("$said->{status} " . ($said->{json}{error}{code} // $said->{body}) . ' ' . ($said->{json}{error}{data}{path} // ''), '400 -32602 /params/_meta/kg_graph~1wrote', "kg_graph/wrote is refused: $name");
}
# A position signed with the secret, which only the database can do. For a position
# that the standby never reaches, the gateway waits only while that position is
# recent. For an old one it does not wait.
my $secret = pack 'H*', $primary->safe_psql('postgres', q{SELECT encode(secret, 'hex') FROM kg_secret WHERE name = 'cursor'});
my ($database, $role, $next) = split /\|/, $primary->safe_psql('postgres', q{SELECT d.oid, r.oid, pg_snapshot_xmax(pg_current_snapshot()) FROM pg_database d, pg_roles r WHERE datname = 'postgres' AND rolname = 'kg_gate'});
sub part { return pack('l<', length $_[0]) . $_[0] }
sub sealed
{
	my ($transaction, $age, $of) = @_;
	my $key = ($of // $secret) . pack('L<', $database);
	my $payload = pack('Q<q<', $transaction, (time - 946684800 - $age) * 1000000);
	my $viewer = part('a') . part(pack 'L<', $role) . part("\0") . part("\0");
	my $mac = substr hmac_sha256(part($viewer) . part(part('kg_graph/wrote')) . part($payload), $key), 0, 16;
	return encode_base64url(($payload ^ substr hmac_sha256("hidden\0$mac", $key), 0, 16) . $mac);
}
is(ask($gateway, 'fay', 'list_note_ids', {}, sealed($next - 1, 0, 'x' x length $secret))->{status}, 400, 'kg_graph/wrote that was signed with another secret is refused');
outcomes($gateway);
is(ask($gateway, 'fay', 'list_note_ids', {}, sealed($next - 1, 0))->{status}, 200, 'kg_graph/wrote with a past transaction is accepted');
is(outcomes($gateway), 'answered 1', 'the standby answers a call with a past transaction');
is(ask($gateway, 'fay', 'list_note_ids', {}, sealed($next + 1000000, 0))->{status}, 200, 'kg_graph/wrote with a recent future transaction is accepted');
is(outcomes($gateway), 'behind 1', 'the gateway waits for a recent future transaction');
is(ask($gateway, 'fay', 'list_note_ids', {}, sealed($next + 1000000, 61))->{status}, 200, 'kg_graph/wrote with an old future transaction is accepted');
is(outcomes($gateway), 'refused 1', 'the gateway does not wait for an old future transaction');
is(ask($gateway, 'fay', 'list_note_ids', {}, sealed($next + (3 << 32), 0))->{status}, 200, 'kg_graph/wrote with a transaction of another epoch is accepted');
is(outcomes($gateway), 'behind 1', 'the gateway waits for a transaction of another epoch');

like(ask($gateway, 'fay', 'list_note_ids', {}, 'x')->{body}, qr/send the value of the last reply, or no value/, 'the error says which value of kg_graph/wrote to send');
is(ask($plain, 'fay', 'list_note_ids', {}, 'x')->{status}, 200, 'without standbys the gateway ignores kg_graph/wrote');

# ---- limits ----

call_as($primary, 'postgres', 'ada', q{SELECT kg_set_limits('a', 'sub:limited', '{"concurrent_calls": 1}'), kg_set_limits('a', 'sub:brief', '{"max_call_time": 50}'), kg_set_limits('a', 'sub:rated', '{"calls_per_minute": 2}')});
caught_up();
outcomes($gateway);
like(ids($gateway, 'limited'), qr/^n0 /, 'a caller with a limit of concurrent calls is answered');
is(outcomes($gateway), '', 'only the primary is asked for a caller with a limit of concurrent calls');

is(ask($gateway, 'brief', 'naps', {})->{json}{result}{structuredContent}{error}{code}, 'TIMEOUT', 'a caller with a short max_call_time gets TIMEOUT');
is(outcomes($gateway), 'answered 1', 'the primary is not asked again after the TIMEOUT of the standby');
my @rated = map { ask($gateway, 'rated', 'looks', {})->{body} } 1 .. 10;
is(scalar(grep { /"looked"/ } @rated[ 0, 1 ]), 2, 'the first calls of a caller with a rate are answered');
ok((grep { /calls_per_minute/ } @rated) > 0, 'the rate applies to the calls of all servers together');

# ---- a connection that ends ----

outcomes($gateway);
$socket = send_to($gateway, 'dan', 'naps', {});
my $napping = q{SELECT pid FROM pg_stat_activity WHERE usename = 'kg_gate' AND wait_event = 'PgSleep'};
ok(wait_until(sub { $standby->safe_psql('postgres', $napping) ne '' }), 'a call runs at the standby');
$standby->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM ($napping) x");
is(decode(read_reply($socket)->{body})->{result}{structuredContent}{standby}, JSON::PP::false, 'the primary answers a call whose connection to the standby broke');
is(outcomes($gateway), 'failed 1', 'the metric counts the failed call');

# ---- with what another system decides ----

my $service = start_authzen();
my $deciding = gateway(reader($standby), '--authorizer', $service->{url});
ok(up($deciding, 1), 'a gateway with an authorizer reads from the standby');
outcomes($deciding);
is_deeply([ map { $_->{id} } @{ ask($deciding, 'dan', 'list_file', {})->{json}{result}{structuredContent}{items} } ], [ 'f2', 'f4', 'f6', 'f8' ], 'the reply has the entities that the authorizer allows');
like(outcomes($deciding), qr/^answered [23]$/, 'the standby answers each round of decisions');
is(stop_gateway($deciding), 0, 'stops');
stop_authzen($service);

# ---- far behind ----

my $strict = gateway(reader($standby), '--read-lag', '1');
ok(up($strict, 1), 'a gateway with --read-lag 1 reads from the standby');
pause();
call_as($primary, 'postgres', 'ada', q{SELECT kg_put_entities('note', '[{"id": "q1"}]') IS NOT NULL});
ok(up($strict, 0), 'a gateway does not use a standby that is too far behind');
outcomes($strict);
like(ids($strict, 'dan'), qr/ q1$/, 'a call gets the data of the primary');
is(outcomes($strict), '', 'the standby that is too far behind is not asked');
is(decode(http({ port => $strict->{metrics} }, 'GET', '/readyz')->{body})->{readers}[0]{current}, JSON::PP::false, '/readyz says that the standby is not current');
is(http($strict, 'GET', '/readyz')->{status}, 200, '/readyz is 200 although the standby is not current');
resume();
ok(up($strict, 1), 'the gateway uses the standby again when it has caught up');
is(decode(http({ port => $strict->{metrics} }, 'GET', '/readyz')->{body})->{readers}[0]{current}, JSON::PP::true, '/readyz says that the standby is current');
is(stop_gateway($strict), 0, 'stops');

# ---- several, one of which is not there ----

my $several = gateway('--read-dsn', 'host=127.0.0.1 port=1', reader($standby));
ok(wait_until(sub { metric($several, 'kgctl_reader_up{reader="2"}') == 1 }), 'of two standbys the second is up');
is(metric($several, 'kgctl_reader_up{reader="1"}'), 0, 'of two standbys the first is not up');
outcomes($several);
ids($several, 'dan') foreach 1 .. 3;
is(outcomes($several), 'answered 3', 'the second standby answers all calls');
is(stop_gateway($several), 0, 'stops');
my $many = run_kgctl({}, 'serve', map { ('--read-dsn', "port=$_") } 1 .. 9);
is("$many->{code} $many->{err}", "2 kgctl: there are more than 8 --read-dsn\n", 'more than 8 --read-dsn are refused');

# ---- a gateway of a standby alone: its primary notifies ----

sub subscribe
{
	my ($gateway) = @_;
	my $socket = connect_to($gateway);
	my $body = JSON::PP->new->encode(modern('subscriptions/listen', { notifications => { toolsListChanged => JSON::PP::true } }));
	my %headers = (%{ modern_headers('subscriptions/listen') }, Host => 'localhost', 'Content-Type' => 'application/json', 'Content-Length' => length $body, Accept => 'text/event-stream',
		Authorization => "Bearer $token{dan}");
	syswrite($socket, "POST /mcp HTTP/1.1\r\n" . join('', map { "$_: $headers{$_}\r\n" } sort keys %headers) . "\r\n$body");
	return $socket;
}
my ($deaf, $hears) = map { start_gateway($standby, 'kg_gate', @$_) } [], [ '--listen-dsn', $primary->connstr('postgres') . ' user=kg_gate' ];
is(read_reply(subscribe($deaf))->{status}, 503, 'a gateway of a standby without --listen-dsn refuses a subscription');
my ($stream, $heard) = (subscribe($hears), '');
ok(read_until($stream, \$heard, qr/acknowledged/), 'a gateway of a standby with --listen-dsn acknowledges a subscription');
call_as($primary, 'postgres', 'ada', q{SELECT kg_apply_bundle('{"bundle_name": "more", "version": "1", "schemas": [{"entity_type": "more", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}]}')});
ok(read_until($stream, \$heard, qr/list_changed/), 'the subscriber is notified of a change on the primary');
is(create($hears, 'dan', 'x')->{json}{result}{structuredContent}{error}{code}, 'FORBIDDEN', 'a write at a gateway of a standby alone is FORBIDDEN');
close $stream;
is(stop_gateway($_), 0, 'stops') foreach $deaf, $hears;

# ---- a server that is no standby ----

my $wrong = gateway(reader($primary));
ok(wait_until(sub { gateway_log($wrong) =~ /is not a standby, so it is not used for reads/ }), 'the log says that a --read-dsn names no standby');
like(ids($wrong, 'dan'), qr/ q1$/, 'reads go to the primary if --read-dsn names no standby');
like(wrote(create($wrong, 'dan', 'q2')), qr/^[A-Za-z0-9_-]+$/, 'writes go to the primary if --read-dsn names no standby');
is(metric($wrong, 'kgctl_reader_up{reader="1"}'), 0, 'the metric says that the server in --read-dsn is not up');
is(stop_gateway($wrong), 0, 'stops');

# ---- servers that go away ----

caught_up();
$standby->stop('immediate');
like(ids($gateway, 'dan'), qr/ q2$/, 'the primary answers while the standby is stopped');
ok(up($gateway, 0), 'the metric says that the standby is not up');
$standby->start;
ok(up($gateway, 1), 'the metric says that the restarted standby is up');
outcomes($gateway);
like(ids($gateway, 'fay'), qr/ q2$/, 'a call is answered after the standby was restarted');
is(outcomes($gateway), 'answered 1', 'the restarted standby answers the call');
$primary->stop('immediate');
is(create($gateway, 'fay', 'r1')->{status}, 503, 'a write gets 503 while the primary is stopped');
like(ids($gateway, 'fay'), qr/ q2$/, 'a read is answered while the primary is stopped');
$token{new} = $standby->safe_psql('postgres', q{SELECT kg_issue_token('{"tenant": "a", "sub": "new"}', 'k', '1 hour')});
like(ids($gateway, 'new'), qr/ q2$/, 'a read of a new bearer is answered while the primary is stopped');
$primary->start;
ok(wait_until(sub { create($gateway, 'fay', 'r1')->{status} == 200 }), 'a write is done after the primary was restarted');
caught_up();

# A promoted one goes its own way.
ok(up($gateway, 1), 'the gateway reads from the standby again');
$standby->promote;
call_as($standby, 'postgres', 'ada', q{SELECT kg_put_entities('note', '[{"id": "astray"}]') IS NOT NULL});
unlike(ids($gateway, 'dan'), qr/astray/, 'a promoted standby is not read from') foreach 1 .. 3;
is(create($gateway, 'dan', 'r2')->{json}{result}{structuredContent}{counts}{created}, 1, 'a write is done after the standby was promoted');
my ($status, $out) = call_as($standby, 'postgres', 'ada', q{SELECT kg_get('note', 'r2')});
unlike($out, qr/r2/, 'the promoted standby does not have the write');
is(stop_gateway($_), 0, 'stops') foreach $gateway, $plain;

# What the new primary's clients bring from the old one.
my $after = start_gateway($standby, 'kg_gate', '--read-dsn', $primary->connstr('postgres') . ' user=kg_gate');
ok(wait_until(sub { http($after, 'GET', '/readyz')->{status} == 200 }), 'a gateway of the promoted standby is ready');
like(ids($after, 'dan', $first), qr/astray/, 'the new primary accepts a kg_graph/wrote of the old primary');
is(stop_gateway($after), 0, 'stops');
done_testing();
