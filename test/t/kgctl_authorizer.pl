# kgctl serve --authorizer. The gateway asks an AuthZEN service for the decisions
# that the database needs, round by round. If the reply of the service is not valid,
# nothing is decided.
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
use Time::HiRes qw(sleep time);

my $node = cluster('authorizer');
my $service = start_authzen();

# Replaces the database's function by a tool. Its argument "steps" says what is to be
# decided in each round: [[type, ability, [id ...]] ...]. It replies with the allowed
# ids of each step.
$node->safe_psql('postgres', q{
	CREATE TABLE kg_test.seen (at int GENERATED ALWAYS AS IDENTITY, message jsonb, token text, decisions jsonb, exchange text);
	CREATE FUNCTION kg_test.one(message jsonb, decisions jsonb, exchange text, member int) RETURNS jsonb LANGUAGE plpgsql AS $$
	DECLARE
		round int := COALESCE(substr(exchange, 2)::int, 0) + 1;
		step jsonb;
		allowed jsonb := '[]';
		open jsonb;
	BEGIN
		FOR step IN SELECT jsonb_array_elements(message #> '{params,arguments,steps}') LOOP
			SELECT jsonb_agg(jsonb_build_object('resource_type', r->>0, 'ability', r->>1, 'ids', ids)) INTO open
				FROM jsonb_array_elements(step) r, LATERAL (SELECT jsonb_agg(i) FROM jsonb_array_elements(r->2) i WHERE NOT EXISTS (
					SELECT FROM jsonb_array_elements(decisions) d
					WHERE d->>'resource_type' = r->>0 AND d->>'ability' = r->>1 AND d->'ids' @> i)) u(ids) WHERE ids IS NOT NULL;
			IF open IS NOT NULL THEN
				RETURN jsonb_build_object('jsonrpc', '2.0', 'id', message->'id', 'kg_authorize', jsonb_build_object(
					'exchange', 'x' || round, 'round', round, 'subject', 'alice "A"', 'resources', open, 'member', member));
			END IF;
			allowed := allowed || COALESCE((SELECT jsonb_agg(i) FROM jsonb_array_elements(decisions) d, jsonb_array_elements(d->'ids') i
				WHERE (d->>'allowed')::bool AND EXISTS (SELECT FROM jsonb_array_elements(step) r WHERE r->>0 = d->>'resource_type' AND r->>1 = d->>'ability' AND r->2 @> i)), '[]');
		END LOOP;
		RETURN jsonb_build_object('jsonrpc', '2.0', 'id', message->'id', 'result', jsonb_build_object('allowed', allowed, 'rounds', round));
	END $$;
	CREATE FUNCTION kg_test.mcp(message jsonb, token text, tenant text, decisions jsonb, exchange text) RETURNS jsonb LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO kg_test.seen(message, token, decisions, exchange) VALUES (message, token, decisions, exchange);
		IF jsonb_typeof(message) = 'array' THEN
			RETURN (SELECT jsonb_agg(CASE WHEN m #> '{params,arguments}' ? 'steps' THEN kg_test.one(m, decisions, exchange, n::int - 1)
					ELSE kg_mcp(m, token) END ORDER BY n)
				FROM jsonb_array_elements(message) WITH ORDINALITY a(m, n));
		ELSIF message #> '{params,arguments}' ? 'nonsense' THEN
			RETURN jsonb_build_object('jsonrpc', '2.0', 'id', message->'id', 'kg_authorize', message #> '{params,arguments,nonsense}');
		ELSIF message #> '{params,arguments}' ? 'steps' THEN
			RETURN kg_test.one(message, decisions, exchange, NULL);
		END IF;
		RETURN kg_mcp(message, token, tenant);
	END $$;
	GRANT INSERT ON kg_test.seen TO PUBLIC;
});

my $auth = { Authorization => "Bearer $node->{kg_token}{a}" };

sub gateway
{
	my (@options) = @_;
	my $gateway = start_gateway($node, 'kg_gate', '--function', 'kg_test.mcp', '--authorizer', $service->{url}, '--metrics', '127.0.0.1:0', @options);
	wait_until(sub { http($gateway, 'GET', '/readyz')->{status} == 200 });
	return $gateway;
}

sub call { return rpc('tools/call', { name => 'test_ask', arguments => { steps => [ @_ ] } }) }
# One step: of type project, ability read_project.
sub step { return [ [ 'project', 'read_project', [ map { "$_" } @_ ] ] ] }
sub ask { my ($gateway, @steps) = @_; return post($gateway, call(@steps), $auth) }
sub metric
{
	my ($gateway, $name) = @_;
	my ($port) = gateway_log($gateway) =~ /metrics on 127\.0\.0\.1:(\d+)/;
	return http({ port => $port }, 'GET', '/metrics')->{body} =~ /^\Q$name\E (\S+)$/m ? $1 : undef;
}

my $gateway = gateway();

# What is asked, and how.
my $reply = ask($gateway, step(1 .. 5));
is($reply->{status}, 200, 'a call with decisions');
is_deeply($reply->{json}{result}, { allowed => [ '2', '4' ], rounds => 2 }, 'the reply has the allowed entities only');
my ($asked) = asked($service);
is($asked->{line}, 'POST /access/v1/evaluations HTTP/1.1', 'the gateway posts to /access/v1/evaluations');
like($asked->{head}, qr/^Content-Type: application\/json\r?$/m, 'the request to the authorizer is JSON');
is_deeply($asked->{request}{subject}, { type => 'user', id => 'alice "A"' }, 'the subject of the request is the subject that the database named');
is_deeply($asked->{request}{evaluations},
	[ map { { action => { name => 'read_project' }, resource => { type => 'project', id => "$_" } } } 1 .. 5 ], 'the request has an evaluation for each entity');
unlike($asked->{head}, qr/Authorization|Bearer/i, 'the request to the authorizer does not have the token');

# Rounds: each with all decisions so far, and the exchange of the round before.
$node->safe_psql('postgres', 'TRUNCATE kg_test.seen');
$reply = ask($gateway, step(1, 2), [ [ 'issue', 'read', [ '1', '2' ] ], [ 'project', 'admin', [ '2' ] ] ], step(2, 6));
is_deeply($reply->{json}{result}{allowed}, [ '2', '2', '2', '2', '6' ], 'a call with three rounds of decisions is answered') or diag($reply->{body});
is($node->safe_psql('postgres', q{SELECT string_agg(COALESCE(exchange, '-') || ' ' || (SELECT COALESCE(sum(jsonb_array_length(d->'ids')), 0) FROM jsonb_array_elements(decisions) d), ', ' ORDER BY at) FROM kg_test.seen}),
	'- 0, x1 2, x2 5, x3 6', 'each round passes all decisions so far and the exchange of the previous round');
is($node->safe_psql('postgres', 'SELECT count(DISTINCT message), count(DISTINCT token) FROM kg_test.seen'), '1|1', 'each round has the same message and token');

# Many at once: at most 100 a request, 8 requests at a time.
behave($service, 'at least 8');
my $before = () = asked($service);
$reply = ask($gateway, step(1 .. 800));
is(scalar @{ $reply->{json}{result}{allowed} }, 400, 'a call with 800 decisions is answered');
behave($service, 'good');
$reply = ask($gateway, step(1 .. 2345));
is(scalar @{ $reply->{json}{result}{allowed} }, 1172, 'a call with 2345 decisions is answered');
my @later = asked($service);
is(scalar(@later) - $before, 8 + 24, 'the gateway sends the smallest possible number of requests');
is((sort { $b <=> $a } map { scalar @{ $_->{request}{evaluations} } } @later)[0], 100, 'a request has at most 100 evaluations');
is(ever_at_once($service), 8, 'at most eight requests are open at once');

# Whatever is no answer to what was asked decides nothing.
for my $how (qw(html html_as_json json_as_html half cut fewer more text number nothing array empty single twice nul created 400 500 redirect close no_http huge))
{
	behave($service, $how);
	$reply = ask($gateway, step(2, 4));
	is_deeply([ $reply->{status}, $reply->{json}{result}{isError}, $reply->{json}{id} ], [ 200, JSON::PP::true, 1 ], "$how: the tool fails, and the status is 200");
	is_deeply(decode($reply->{json}{result}{content}[0]{text}), { error => { level => 'service', code => 'FORBIDDEN', sqlstate => '42501', message => 'authorization is unavailable' } }, "$how: the error says that authorization is unavailable")
	  or diag($reply->{body});
}
is(scalar(grep { $_->{line} =~ /elsewhere/ } asked($service)), 0, 'a redirect is not followed');
behave($service, 'none');
is_deeply(ask($gateway, step(2, 4))->{json}{result}{allowed}, [], 'an answer that allows nothing is accepted');
behave($service, 'reasons');
is_deeply(ask($gateway, step(2, 3, 4))->{json}{result}{allowed}, [ '2', '4' ], 'an answer with reasons is accepted');

# In a later round as in the first.
behave($service, 'good');
$reply = ask($gateway, step(2), step(4));
is_deeply($reply->{json}{result}{allowed}, [ '2', '4' ], 'decisions of a second round are applied');

# The shape is that of the revision.
behave($service, '500');
for my $revision (qw(2024-11-05 2025-03-26 2025-06-18 2025-11-25))
{
	my $result = post($gateway, call(step(2)), { %$auth, 'MCP-Protocol-Version' => $revision })->{json}{result};
	is_deeply([ sort keys %$result ], [ 'content', 'isError', $revision ge '2025-06-18' ? 'structuredContent' : () ], "$revision: an error result has the members of the revision");
}
my $modern = post($gateway, modern('tools/call', call(step(2))->{params}), { %$auth, %{ modern_headers('tools/call', 'test_ask') } })->{json}{result};
is_deeply([ $modern->{resultType}, $modern->{isError}, $modern->{structuredContent}{error}{code} ], [ 'complete', JSON::PP::true, 'FORBIDDEN' ], '2026-07-28: an error result has the members of the revision');
behave($service, 'good');
$modern = post($gateway, modern('tools/call', call(step(2))->{params}), { %$auth, %{ modern_headers('tools/call', 'test_ask') } })->{json}{result};
is_deeply($modern->{allowed}, ['2'], '2026-07-28: a call with decisions is answered');

# A service that is slow, or says a little at a time, is given up in time.
for my $how (qw(slow drip))
{
	behave($service, $how);
	my $hasty = gateway('--authorizer-timeout', '1');
	my $since = time;
	$reply = ask($hasty, step(2));
	is($reply->{json}{result}{isError}, JSON::PP::true, "$how: the tool fails after the timeout");
	cmp_ok(time - $since, '>=', 0.9, "$how: the tool does not fail before the timeout");
	is(metric($hasty, 'kgctl_authorizer_requests_total{outcome="timeout"}'), 1, "$how: the metric counts the timeout");
	# Beside it others are served.
	is(post($hasty, rpc('ping'), $auth)->{status}, 200, "$how: other messages are answered");
	is(stop_gateway($hasty), 0, "$how: the gateway stops");
}

# A client that goes away while the service thinks: nothing is left of its call.
behave($service, 'slow');
my $body = JSON::PP->new->encode(call(step(1 .. 300)));
my $socket = connect_to($gateway);
syswrite($socket, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: $auth->{Authorization}\r\nContent-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body");
ok(wait_until(sub { (metric($gateway, 'kgctl_authorizer_requests') // 0) == 3 }), 'three requests to the authorizer are open');
close $socket;
ok(wait_until(sub { metric($gateway, 'kgctl_authorizer_requests') == 0 }), 'the requests end when the client disconnects');

# No service at all.
my $nobody = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1', LocalPort => 0);
my $port = $nobody->sockport;
close $nobody;
{
	local $service->{url} = "http://127.0.0.1:$port/";
	my $alone = gateway();
	is(ask($alone, step(2))->{json}{result}{isError}, JSON::PP::true, 'a tool fails without an authorizer');
	like(gateway_log($alone), qr/warning the authorizer returned no decision: Couldn't connect/, 'the log says that the authorizer cannot be reached');
	is(post($alone, rpc('tools/list'), $auth)->{status}, 200, 'tools/list is answered without an authorizer');
	is(metric($alone, 'kgctl_authorizer_requests_total{outcome="unreachable"}'), 1, 'the metric counts the unreachable authorizer');
	is(stop_gateway($alone), 0, 'the gateway stops');
}
behave($service, 'good');

# Batches: what needs no decision is answered at once, the others one by one.
my $batch = { %$auth, 'MCP-Protocol-Version' => '2025-03-26' };
my @batch = (call(step(1, 2)), rpc('ping'), rpc('no/such'), call(step(4), step(6)), call(step()));
$_->{id} = 7 for @batch;
$reply = post($gateway, \@batch, $batch);
is($reply->{status}, 200, 'a batch with decisions is answered');
is_deeply([ map { $_->{result}{allowed} // ($_->{error} ? 'error' : 'result') } @{ $reply->{json} } ],
	[ ['2'], 'result', 'error', [ '4', '6' ], [] ], 'the answers of a batch have the order of its messages') or diag($reply->{body});
behave($service, '500');
$reply = post($gateway, \@batch, $batch);
is_deeply([ map { $_->{result}{isError} ? 'fails' : $_->{result}{allowed} // ($_->{error} ? 'error' : 'result') } @{ $reply->{json} } ],
	[ 'fails', 'result', 'error', 'fails', [] ], 'without the authorizer only the calls of a batch that need decisions fail');
behave($service, 'good');
is(scalar(grep { $_->{result}{allowed} } @{ post($gateway, [ (call(step(2))) x 200 ], $batch)->{json} }), 200, 'a batch of 200 calls with decisions is answered');

# Only the database says what is to be decided, and by whom.
my $forged = call(step(1));
$forged->{kg_authorize} = { exchange => 'x1', decisions => [] };
$forged->{params}{kg_authorize} = $forged->{decisions} = [ { resource_type => 'project', ability => 'read_project', ids => ['1'], allowed => JSON::PP::true } ];
is_deeply(post($gateway, $forged, $auth)->{json}{result}{allowed}, [], 'decisions in the message of a client have no effect');

# What the database asks must make sense.
for my $nonsense ({}, 'text', { exchange => 'x', subject => 'a', resources => [] },
	{ exchange => 'x', subject => 'a', resources => [ { resource_type => 'p', ability => 'r', ids => [1] } ] },
	{ exchange => 'x', resources => [ { resource_type => 'p', ability => 'r', ids => ['1'] } ] })
{
	$reply = post($gateway, rpc('tools/call', { name => 'test', arguments => { nonsense => $nonsense } }), $auth);
	is($reply->{json}{result}{isError}, JSON::PP::true, 'a tool fails if the database asks for malformed decisions');
}
# Rounds without end have one.
$reply = post($gateway, rpc('tools/call', { name => 'test', arguments => { nonsense =>
	{ exchange => 'x', subject => 'a', resources => [ { resource_type => 'p', ability => 'r', ids => ['1'] } ] } } }), $auth);
is($reply->{json}{result}{isError}, JSON::PP::true, 'a tool fails if the database asks for decisions without end');

# Nothing is kept, unless that is asked for.
$before = () = asked($service);
ask($gateway, step(2, 4)) for 1 .. 3;
is(scalar(() = asked($service)) - $before, 3, 'without a cache each call asks the authorizer');
my $keeping = gateway('--authorizer-cache', '600');
$before = () = asked($service);
is_deeply(ask($keeping, step(1 .. 4))->{json}{result}{allowed}, [ '2', '4' ], 'with a cache a call is answered');
behave($service, '500');
is_deeply(ask($keeping, step(1 .. 4))->{json}{result}{allowed}, [ '2', '4' ], 'a repeated call is answered from the cache without the authorizer');
is(scalar(() = asked($service)) - $before, 1, 'the authorizer was asked once');
is(metric($keeping, 'kgctl_authorizer_cache_hits_total'), 4, 'the metric counts four hits of the cache');
is(metric($keeping, 'kgctl_authorizer_cache_entries'), 4, 'the metric counts four entries of the cache');
is(ask($keeping, step(2, 5))->{json}{result}{isError}, JSON::PP::true, 'a decision that is not in the cache is asked');
is(ask($keeping, [ [ 'project', 'admin', ['2'] ] ])->{json}{result}{isError}, JSON::PP::true, 'the cache does not apply to another ability');
is(ask($keeping, [ [ 'group', 'read_project', ['2'] ] ])->{json}{result}{isError}, JSON::PP::true, 'the cache does not apply to another type');
is(stop_gateway($keeping), 0, 'the gateway stops');
# For a time that no call before has to be fast enough for.
behave($service, 'good');
my $forgetting = gateway('--authorizer-cache', '1');
is_deeply(ask($forgetting, step(1 .. 4))->{json}{result}{allowed}, [ '2', '4' ], 'with a cache of one second a call is answered');
behave($service, '500');
ok(wait_until(sub { ask($forgetting, step(1 .. 4))->{json}{result}{isError} }), 'a decision expires after the time of the cache');
is(stop_gateway($forgetting), 0, 'the gateway stops');
behave($service, 'good');

# Wrong options.
for my $case ([ [ '--authorizer', 'nonsense' ], qr/must be an http or https URL/ ], [ [ '--authorizer', 'file:///etc/passwd' ], qr/must be an http or https URL/ ],
	[ [ '--authorizer', 'http://h/?q=1' ], qr/must be an http or https URL/ ], [ [ '--authorizer', $service->{url}, '--authorizer-timeout', '0' ], qr/authorizer-timeout/ ])
{
	IPC::Run::run([ 'kgctl', 'serve', '--listen', '127.0.0.1:0', @{ $case->[0] } ], '<', \'', '>', \my $out, '2>', \my $err, IPC::Run::timeout(20));
	is($? >> 8, 2, "kgctl serve refuses @{ $case->[0] }");
	like($err, $case->[1], 'the error names the wrong option');
}

# A gateway that dies between two rounds: the database keeps nothing of the call, and another one is asked it from the beginning.
{
	my $dying = gateway();
	$node->safe_psql('postgres', 'TRUNCATE kg_test.seen');
	behave($service, 'slow');
	my $client = connect_to($dying);
	my $asks = JSON::PP->new->encode(call(step(2), step(4)));
	syswrite($client, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: $auth->{Authorization}\r\nContent-Type: application/json\r\nContent-Length: " . length($asks) . "\r\n\r\n$asks");
	ok(wait_until(sub { (metric($dying, 'kgctl_authorizer_requests') // 0) == 1 }), 'a gateway asks the authorizer in the first round');
	$dying->{harness}->signal('KILL');
	$dying->{harness}->finish;
	is(read_reply($client), undef, 'the client gets no reply when its gateway is killed');
	ok(wait_until(sub { $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE usename = 'kg_gate' AND (state <> 'idle' OR xact_start IS NOT NULL)}) eq '0' }), 'the killed gateway leaves no open transaction');
	is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'}), '0', 'the killed gateway leaves no advisory lock');
	behave($service, 'good');
	my $next = gateway();
	is_deeply(ask($next, step(2), step(4))->{json}{result}, { allowed => [ '2', '4' ], rounds => 3 }, 'another gateway answers the same call');
	is($node->safe_psql('postgres', q{SELECT string_agg(COALESCE(exchange, '-'), ' ' ORDER BY at) FROM kg_test.seen}), '- - x1 x2', 'the other gateway begins with the first round');
	is(stop_gateway($next), 0, 'the other gateway stops');
}

# Stopping while the service thinks.
behave($service, 'slow');
$socket = connect_to($gateway);
syswrite($socket, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: $auth->{Authorization}\r\nContent-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body");
ok(wait_until(sub { (metric($gateway, 'kgctl_authorizer_requests') // 0) == 3 }), 'three requests to the authorizer are open before the stop');
is(stop_gateway($gateway), 0, 'the gateway stops while requests are open');
like(read_reply($socket)->{body}, qr/authorization is unavailable/, 'the running call is answered before the gateway stops');

# docs/authorization-cases.md says of each message of ADR 001, and of what goes wrong, which test shows what becomes of it.
for my $section ([ 'The messages of GitLab', 15 ], [ 'What goes wrong', 13 ])
{
	my ($title, $least) = @$section;
	my $root = root();
	my ($table) = PostgreSQL::Test::Utils::slurp_file("$root/docs/authorization-cases.md") =~ /\n## \Q$title\E.*?\n(\| .*?)(?:\n\n|\z)/s;
	my ($rows, @missing) = (0);
	for my $row (grep { !/ \| test \|$|^\|---/ } split /\n/, $table)
	{
		my $cell = (split / \| /, $row)[-1];
		my $cases = 0;
		while ($cell =~ /`([^`]+)`: ((?:"[^"]+"(?:, )?)+)/g)
		{
			my ($file, $names) = ($1, $2);
			my $text = PostgreSQL::Test::Utils::slurp_file("$root/$file");
			for my $name ($names =~ /"([^"]+)"/g) { $cases++; push @missing, "$file: $name" if index($text, $name) < 0; }
		}
		push @missing, $row unless $cases;
		$rows++;
	}
	cmp_ok($rows, '>=', $least, "$title: the table has $rows rows");
	is_deeply(\@missing, [], "$title: each row names existing tests");
}

stop_authzen($service);
$node->stop;
done_testing();
