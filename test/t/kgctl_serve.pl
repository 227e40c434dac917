# kgctl serve as a service: its sockets, too many clients, subscriptions that begin
# and end, shutdown; and notifications of changed lists over standard output.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use IPC::Run ();
use KgGateway;
use KgTest;
use POSIX ();
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = cluster('serve');
my %token = %{ $node->{kg_token} };
my $dir = PostgreSQL::Test::Utils::tempdir_short();
my $json = JSON::PP->new->canonical;

sub send_post
{
	my ($socket, $message, %headers) = @_;
	my $body = ref $message ? $json->encode($message) : $message;
	my %all = (Host => 'localhost', 'Content-Type' => 'application/json', 'Content-Length' => length $body, %headers);
	syswrite($socket, "POST /mcp HTTP/1.1\r\n" . join('', map { "$_: $all{$_}\r\n" } sort keys %all) . "\r\n$body");
	return $socket;
}

sub slow { return rpc('tools/call', { name => 'test_it', arguments => { sleep => $_[0] } }) }

# A call that ends when the test lets the advisory lock 1 go.
sub gated { return rpc('tools/call', { name => 'test_it', arguments => { gate => 1 } }) }

# A child whose standard error is a file; for what IPC::Run would close.
sub start_child
{
	my ($name, $prepare, @command) = @_;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		open STDIN, '<', '/dev/null';
		open STDERR, '>', "$dir/$name.log";
		$prepare->();
		{ exec @command }
		POSIX::_exit(127);
	}
	return $pid;
}

sub log_of { return !-e "$dir/$_[0].log" ? '' : PostgreSQL::Test::Utils::slurp_file("$dir/$_[0].log") }
sub end_child { kill 'TERM', $_[0]; waitpid $_[0], 0; return $? }

$ENV{KGCTL_DSN} = $node->connstr('postgres') . ' user=kg_direct';

# A socket of the file system.
{
	my $path = "$dir/s";
	my $pid = start_child('unix', sub { }, 'kgctl', 'serve', '--listen', "unix:$path");
	ok(wait_until(sub { -S $path && log_of('unix') =~ /listening on unix:\Q$path\E/ }), 'kgctl serve listens on a socket of the file system');
	my $reply = read_reply(send_post(IO::Socket::UNIX->new(Peer => $path), rpc('ping')));
	is($reply->{status}, 200, 'kgctl serve answers on the socket');
	my $out = '';
	IPC::Run::run(['kgctl', 'serve', '--listen', "unix:$path"], '<', \'', '>', \$out, '2>', \my $err, IPC::Run::timeout(20));
	isnt($? >> 8, 0, 'a second server on the same socket does not start');
	like($err, qr/another server listens there/, 'the error says that another server listens');
	is(read_reply(send_post(IO::Socket::UNIX->new(Peer => $path), rpc('ping')))->{status}, 200, 'the first server still answers');
	kill 'KILL', $pid;
	waitpid $pid, 0;
	$pid = start_child('unix2', sub { }, 'kgctl', 'serve', '--listen', "unix:$path");
	ok(wait_until(sub { log_of('unix2') =~ /listening/ }), 'a server starts on a socket that a killed server left');
	is(read_reply(send_post(IO::Socket::UNIX->new(Peer => $path), rpc('ping')))->{status}, 200, 'the server on the left socket answers');
	is(end_child($pid), 0, 'the server on the left socket stops');
}

# A socket of the service manager.
{
	my $listener = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1', LocalPort => 0) or die;
	my $port = $listener->sockport;
	my $pid = start_child('activated', sub {
		POSIX::dup2(fileno($listener), 3);
		$ENV{LISTEN_FDS} = 1;
		$ENV{LISTEN_PID} = $$;
	}, 'kgctl', 'serve', '--listen', '127.0.0.1:1');
	ok(wait_until(sub { log_of('activated') =~ /socket of the service manager/ }), 'kgctl serve listens on the socket of the service manager');
	is(post({ port => $port }, rpc('ping'))->{status}, 200, 'kgctl serve answers on the socket of the service manager');
	is(end_child($pid), 0, 'the server of the service manager stops');
}

# Addresses that do not work.
for my $case ([ 'nonsense', qr/must be host:port/ ], [ '127.0.0.1:99999999', qr/\S/ ], [ '192.0.2.1:1', qr/\S/ ], [ "unix:$dir/" . 'x' x 200, qr/too long/ ])
{
	IPC::Run::run(['kgctl', 'serve', '--listen', $case->[0]], '<', \'', '>', \my $out, '2>', \my $err, IPC::Run::timeout(20));
	isnt($? >> 8, 0, 'does not listen on ' . substr($case->[0], 0, 30));
	like($err, $case->[1], 'the error says why the address is refused');
}

# A full house: one call runs, one waits, the others are told to come again.
{
	my $gateway = start_gateway($node, 'kg_direct', '--function', 'kg_test.mcp', '--pool', '1', '--queue', '1', '--timeout', '200', '--grace', '60');
	wait_until(sub { post($gateway, rpc('ping'))->{status} == 200 });
	my $gate = hold($node, 'postgres', 'SELECT pg_advisory_lock(1)');
	my $first = send_post(connect_to($gateway), gated());
	wait_until(sub { running($node) == 1 });
	# Whichever of two comes first, it waits, and the other is told at once.
	my @two = map { send_post(connect_to($gateway), slow(0)) } 1 .. 2;
	my ($refused) = IO::Select->new(@two)->can_read(60);
	my $reply = read_reply($refused);
	is($reply->{status}, 503, 'a call beyond the queue is 503');
	is($reply->{headers}{'retry-after'}, 1, 'the reply to a call beyond the queue has Retry-After');
	is(running($node), 1, 'one call is running');
	let_go($gate);
	is(read_reply($first)->{status}, 200, 'the running call is answered');
	is(read_reply((grep { $_ != $refused } @two)[0])->{status}, 200, 'the waiting call is answered');
	# One that waits goes away: it never runs.
	$gate = hold($node, 'postgres', 'SELECT pg_advisory_lock(1)');
	$first = send_post(connect_to($gateway), gated());
	wait_until(sub { running($node) == 1 });
	@two = map { send_post(connect_to($gateway), rpc('tools/call', { name => 'test_it', arguments => { sleep => 0, mark => 'never' } })) } 1 .. 2;
	($refused) = IO::Select->new(@two)->can_read(60);
	is(read_reply($refused)->{status}, 503, 'one of two further calls is 503');
	close $_ for @two;
	my $next;
	wait_until(sub { $next = send_post(connect_to($gateway), slow(0)); !IO::Select->new($next)->can_read(2) });
	let_go($gate);
	is(read_reply($first)->{status}, 200, 'the first call is answered');
	is(read_reply($next)->{status}, 200, 'a call in the place of a client that left the queue is answered');
	unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/parameters: .*never/, 'a call whose client left the queue never ran');
	# SIGTERM: the running call is answered, new ones are not taken.
	$gate = hold($node, 'postgres', 'SELECT pg_advisory_lock(1)');
	$first = send_post(connect_to($gateway), gated());
	wait_until(sub { running($node) == 1 });
	$gateway->{harness}->signal('TERM');
	ok(wait_until(sub { !IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $gateway->{port}, Timeout => 1) }),
		'a stopping gateway accepts no connections');
	let_go($gate);
	$reply = read_reply($first);
	is($reply->{status}, 200, 'a stopping gateway answers the running call');
	is(lc($reply->{headers}{connection} // ''), 'close', 'a stopping gateway closes the connection after the reply');
	$gateway->{harness}->finish;
	is($gateway->{harness}->full_result(0), 0, 'the gateway stops after the reply');
}

# Messages of many small values take much memory while they wait. If too many wait,
# the gateway answers 503 with Retry-After. After that, their memory is free: the
# second round succeeds like the first.
{
	my $gateway = start_gateway($node, 'kg_direct', '--function', 'kg_test.mcp', '--pool', '1', '--timeout', '200');
	wait_until(sub { post($gateway, rpc('ping'))->{status} == 200 });
	# As text: to write it in Perl takes longer than to send it.
	my $large = $json->encode(rpc('ping', { a => [ (0) x 500_000 ] }));
	for my $time ('first', 'second')
	{
		my $gate = hold($node, 'postgres', 'SELECT pg_advisory_lock(1)');
		my $first = send_post(connect_to($gateway), gated());
		wait_until(sub { running($node) == 1 });
		my ($waiting, $refused, $waited) = (IO::Select->new, 0, 0);
		# Where the machine is slow, one that waits is given up after a while: it has waited.
		my $look = sub {
			for my $socket ($waiting->can_read($_[0]))
			{
				$waiting->remove($socket);
				my $reply = read_reply($socket);
				if ($reply->{status} == 503 && $reply->{body} =~ /too many calls/) { $refused++ } else { $waited++ }
			}
		};
		for (1 .. 20) { $waiting->add(send_post(connect_to($gateway), $large)); $look->(0); last if $refused }
		for (1 .. 60) { last if $refused; $look->(1) }
		ok($refused, "large messages the $time time: some are refused");
		cmp_ok($waited + $waiting->count, '>=', 5, "large messages the $time time: some wait");
		let_go($gate);
		is(read_reply($first)->{status}, 200, "large messages the $time time: the running call is answered");
		is(scalar(grep { read_reply($_)->{status} !~ /^(?:200|503)$/ } $waiting->handles), 0, "large messages the $time time: the waiting calls are answered");
	}
	is(post($gateway, $large)->{status}, 200, 'a single large message is answered');
	is(stop_gateway($gateway), 0, 'the gateway stops');
}

# --grace is the end of patience; a second signal is too.
for my $case ([ 'after the grace', 1, 1 ], [ 'at a second signal', 60, 2 ])
{
	my $gateway = start_gateway($node, 'kg_direct', '--function', 'kg_test.mcp', '--grace', $case->[1], '--timeout', '200');
	wait_until(sub { post($gateway, rpc('ping'))->{status} == 200 });
	my $socket = send_post(connect_to($gateway), slow(200));
	wait_until(sub { running($node) == 1 });
	my $start = time;
	for (1 .. $case->[2]) { $gateway->{harness}->signal('TERM'); sleep 0.3 }
	$gateway->{harness}->finish;
	is($gateway->{harness}->full_result(0), 0, "the gateway ends $case->[0]");
	ok(time - $start < 50, "the gateway ends $case->[0], before the running call would end");
	ok(wait_until(sub { running($node) == 0 }), "the query of the running call is cancelled $case->[0]");
}

# Subscriptions: a bound, and a place that becomes free again.
{
	my $gateway = start_gateway($node, 'kg_gate', '--function', 'kg_test.mcp', '--max-streams', '2');
	my $open = sub {
		return send_post(connect_to($_[0] // $gateway), modern('subscriptions/listen', { notifications => { toolsListChanged => JSON::PP::true } }),
			%{ modern_headers('subscriptions/listen') }, Accept => 'text/event-stream', Authorization => "Bearer $token{a}");
	};
	my @sockets = map { $open->() } 1 .. 2;
	my @data = ('', '');
	ok(read_until($sockets[$_], \$data[$_], qr/acknowledged/), "subscription $_ is acknowledged") for 0, 1;
	my $third = read_reply($open->());
	is($third->{status}, 503, 'a subscription beyond the limit is 503');
	close $sockets[0];
	ok(wait_until(sub { my ($s, $d) = ($open->(), ''); read_until($s, \$d, qr/acknowledged|503/, 2); $d =~ /acknowledged/ }),
		'a subscription is acknowledged after another subscriber left');
	# The listening connection is lost: everybody is told that all has changed.
	wait_until(sub { $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'}) eq '1' });
	my ($s, $d) = ($open->(), '');
	read_until($s, \$d, qr/acknowledged/);
	$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'});
	ok(read_until($s, \$d, qr/list_changed/), 'subscribers are notified after the connection for LISTEN was lost');
	is(stop_gateway($gateway), 0, 'the gateway stops');
	# Of another gateway: those above must not end before their time.
	my $short = start_gateway($node, 'kg_gate', '--function', 'kg_test.mcp', '--stream-timeout', '1');
	($s, $d) = ($open->($short), '');
	ok(read_until($s, \$d, qr/acknowledged.*"resultType":"complete"/s), '--stream-timeout ends a subscription with a result');
	is(stop_gateway($short), 0, 'the gateway with --stream-timeout stops');
}

# Nobody takes all the places: those of one bearer are counted, with whatever token of its own.
{
	my $gateway = start_gateway($node, 'kg_gate', '--max-streams', '5', '--max-bearer-streams', '2');
	my $open = sub {
		my ($tenant, $sub) = @_;
		my $token = $node->safe_psql('postgres', qq{SELECT kg_issue_token('{"tenant": "$tenant", "sub": "$sub"}', 'k', '1 hour')});
		my ($s, $d) = (send_post(connect_to($gateway), modern('subscriptions/listen', { notifications => { toolsListChanged => JSON::PP::true } }),
				%{ modern_headers('subscriptions/listen') }, Accept => 'text/event-stream', Authorization => "Bearer $token"), '');
		read_until($s, \$d, qr/acknowledged|HTTP\/1.1 [45]/);
		return [ $s, $d ];
	};
	my @mine = map { $open->('a', 'greedy') } 1 .. 3;
	like($mine[$_][1], qr/acknowledged/, 'a subscription of a subject is acknowledged') for 0, 1;
	like($mine[2][1], qr/HTTP\/1\.1 429.*too many subscriptions/s, 'a subscription of the same subject beyond its limit is 429');
	my @others = map { $open->(@$_) } [ 'a', 'modest' ], [ 'b', 'greedy' ];
	like($_->[1], qr/acknowledged/, 'subscriptions of other subjects, also of that name in another tenant, are acknowledged') for @others;
	close $mine[0][0];
	ok(wait_until(sub { $open->('a', 'greedy')->[1] =~ /acknowledged|503/ }), 'a subscription of the subject is acknowledged after another one ended');
	is(stop_gateway($gateway), 0, 'the gateway stops');
}

# Acknowledged is what is heard: LISTEN comes first, and the question whether the client may after it.
{
	my $gateway = start_gateway($node, 'kg_gate', '--pool', '1', '--function', 'kg_test.listen');
	$node->safe_psql('postgres', q{INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, tenant) VALUES ('late', 'late', 'HS256', sha256('late'), 'kg', 'a')});
	my $token = $node->safe_psql('postgres', q{SELECT kg_issue_token('{"tenant": "a", "sub": "x"}', 'late', '1 hour')});
	my $sql = sub { return $node->safe_psql('postgres', $_[0]) };
	my $open = sub {
		return send_post(connect_to($gateway), modern('subscriptions/listen', { notifications => { toolsListChanged => JSON::PP::true } }),
			%{ modern_headers('subscriptions/listen') }, Accept => 'text/event-stream', Authorization => "Bearer $token");
	};
	$sql->(q{CREATE FUNCTION kg_test.listen(message jsonb, token text DEFAULT NULL, tenant text DEFAULT NULL)
		RETURNS jsonb LANGUAGE plpgsql AS $$
		DECLARE reply jsonb := kg_mcp(message, token, tenant);
		BEGIN
			PERFORM pg_advisory_xact_lock_shared(1);
			RETURN reply;
		END $$});
	is(post($gateway, rpc('ping'), { Authorization => "Bearer $token{a}" })->{status}, 200, 'the gateway connects to the database');
	$sql->('ALTER ROLE kg_gate CONNECTION LIMIT 1');
	is(read_reply($open->())->{status}, 503, 'a subscription is 503 if there is no connection for LISTEN');
	$sql->('ALTER ROLE kg_gate CONNECTION LIMIT -1');
	my ($s, $d) = ($open->(), '');
	ok(read_until($s, \$d, qr/acknowledged/), 'a subscription is acknowledged');
	is($sql->(q{SELECT state FROM pg_stat_activity WHERE query LIKE 'LISTEN%'}), 'idle', 'LISTEN is complete when the subscription is acknowledged');
	# A right that ends while the database still answers the question for it.
	my $gate = $node->background_psql('postgres');
	$gate->query_safe('SELECT pg_advisory_lock(1)');
	my ($late, $heard) = ($open->(), '');
	ok(wait_until(sub { running($node) == 1 }), 'the query for another subscription is running');
	$sql->(q{UPDATE kg_auth_key SET enabled = false WHERE kid = 'late'});
	$gate->quit;
	ok(read_until($s, \$d, qr/"resultType":"complete"/), 'the stop of the gateway ends a subscription with a result');
	ok(read_until($late, \$heard, qr/acknowledged.*"resultType":"complete"/s), 'the stop ends a subscription that was not acknowledged yet with a result');
	is(stop_gateway($gateway), 0, 'the gateway stops');
}

# Clients that disconnect at any time leave no open file behind, even while another
# client stays connected.
SKIP:
{
	skip 'no /proc', 7 unless -d '/proc/self/fd';
	my $gateway = start_gateway($node, 'kg_direct', '--function', 'kg_test.mcp', '--pool', '1', '--idle-timeout', '600', '--body-timeout', '600');
	my $open = sub { return scalar(() = glob "/proc/$gateway->{harness}{KIDS}[0]{PID}/fd/*") };
	my $stays = connect_to($gateway);
	is(read_reply(send_post($stays, rpc('ping')))->{status}, 200, 'a client that stays connected is answered');
	my $before = $open->();
	my $message = rpc('tools/call', { name => 'test_it', arguments => { progress => 1, sleep => 0.05 }, _meta => { progressToken => 'mine' } });
	for my $case ([ 'its headers', "POST /mcp HT" ], [ 'a header', "POST /mcp HTTP/1.1\r\nHost: local" ],
		[ 'its body', "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{" ],
		[ 'its answer' ])
	{
		for (1 .. 40)
		{
			my $socket = connect_to($gateway);
			if (defined $case->[1]) { syswrite($socket, $case->[1]) }
			else
			{
				send_post($socket, $message, Accept => 'text/event-stream');
				sysread($socket, my $some, 10);
			}
			close $socket;
		}
		ok(wait_until(sub { $open->() <= $before }), "no file is left open for clients that disconnected in the middle of $case->[0]")
			or diag $open->() . " files, $before before";
	}
	is(read_reply(send_post($stays, rpc('ping')))->{status}, 200, 'the client that stayed connected is answered again');
	is(stop_gateway($gateway), 0, 'the gateway stops');
}

# A subscription ends with the right to it: the token's time, its key, its agent, the tenant's grants.
{
	my $gateway = start_gateway($node, 'kg_gate');
	my $sql = sub { return $node->safe_psql('postgres', $_[0]) };
	$sql->(qq{INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access, leeway, tenant)
		SELECT 'ends', kid, 'HS256', sha256(kid::bytea), 'kg', 'read', 0, 'a' FROM unnest(ARRAY['time', 'key', 'agent']) kid});
	$sql->(q{SET ROLE kg_direct; SELECT kg_create_agent('leaves')});
	my $open = sub {
		my ($kid, $valid, $more) = @_;
		my ($token, $s, $d);
		# A token that is good for seconds may have expired on the way: then one that is good for more.
		for (1 .. 6)
		{
			$token = $sql->("SELECT kg_issue_token('{\"tenant\": \"a\"$more}', '$kid', '$valid seconds')");
			($s, $d) = (send_post(connect_to($gateway), modern('subscriptions/listen', { notifications => { toolsListChanged => JSON::PP::true } }),
					%{ modern_headers('subscriptions/listen') }, Accept => 'text/event-stream', Authorization => "Bearer $token"), '');
			last if read_until($s, \$d, qr/acknowledged|HTTP\/1\.1 401/) && $d !~ /HTTP\/1\.1 401/;
			$valid *= 2;
		}
		like($d, qr/acknowledged/, "a subscription with key $kid is acknowledged");
		unlike($d, qr/kg_listen|seconds/, "the client with key $kid does not get internal members");
		wait_until(sub { $sql->(q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'}) eq '1' });
		return [ $s, \$d, $token ];
	};
	my $ends = sub { my ($of, $what) = @_; ok(read_until($of->[0], $of->[1], qr/"resultType":"complete"/), $what) };
	my $long = $open->('key', 3600, '');
	$ends->($open->('time', 2, ''), 'a subscription ends when its token expires');
	unlike(${ $long->[1] }, qr/complete/, 'a subscription with a longer token continues');
	$sql->(q{UPDATE kg_auth_key SET enabled = false WHERE kid = 'key' AND issuer = 'ends'});
	$ends->($long, 'a subscription ends when its key is disabled');
	is(read_reply(send_post(connect_to($gateway), modern('subscriptions/listen', { notifications => {} }), %{ modern_headers('subscriptions/listen') },
				Accept => 'text/event-stream', Authorization => "Bearer $long->[2]"))->{status}, 401, 'a subscription with a disabled key is refused');
	my $agent = $open->('agent', 3600, ', "agent": "leaves"');
	$sql->(q{SET ROLE kg_direct; SELECT kg_drop_agent('leaves')});
	$ends->($agent, 'a subscription ends when its agent is dropped');
	my $grant = $open->('agent', 3600, '');
	$sql->(q{CREATE ROLE kg_leaver; SELECT kg_grant('a', 'kg_leaver', 'read'); SELECT kg_revoke('a', 'kg_leaver')});
	# Anybody can notify: what is notified is asked about, and takes nothing away by itself.
	my $key = $sql->(q{SET ROLE kg_direct; SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}') #>> '{kg_listen,key}'});
	$sql->(qq{CREATE ROLE kg_nobody; SET ROLE kg_nobody; SELECT pg_notify('kg_mcp', '$key access' || repeat(' ', n % 2)) FROM generate_series(1, 5) n});
	$sql->(qq{SET ROLE kg_nobody; SELECT pg_notify('kg_mcp', '$key access')}) for 1 .. 20;
	$sql->(qq{SET ROLE kg_nobody; SELECT pg_notify('kg_mcp', '$key tools')});
	ok(read_until($grant->[0], $grant->[1], qr/tools\/list_changed/), 'a remaining subscriber is notified of a later change');
	unlike(${ $grant->[1] }, qr/complete/, 'a revoked grant of another role and forged notifications do not end a subscription');
	$sql->(q{DELETE FROM kg_auth_key WHERE issuer = 'ends'});
	$ends->($grant, 'a subscription ends when its key is deleted');
	is(stop_gateway($gateway), 0, 'the gateway stops');
}

# A tool asks back: a legacy client gets a request, and what it answers goes into the call, which keeps its digits.
{
	$node->safe_psql('postgres', q{CREATE FUNCTION kg_test.ask(message jsonb, token text DEFAULT NULL, tenant text DEFAULT NULL)
		RETURNS jsonb LANGUAGE plpgsql AS $$
		BEGIN
			IF message->>'method' <> 'tools/call' THEN
				RETURN kg_mcp(message, token, tenant);
			ELSIF message #> '{params,inputResponses}' IS NULL THEN
				RETURN jsonb_build_object('jsonrpc', '2.0', 'id', message->'id', 'result', '{"resultType": "input_required",
					"requestState": "it", "inputRequests": {"who": {"method": "elicitation/create", "params": {"message": "1.50?"}}}}'::jsonb);
			END IF;
			RETURN jsonb_build_object('jsonrpc', '2.0', 'id', message->'id', 'result', message->'params');
		END $$});
	local %ENV = (%ENV, KGCTL_DSN => $node->connstr('postgres') . ' user=kg_gate', KGCTL_TOKEN => $token{a});
	my ($in, $out) = ('', '');
	my $run = IPC::Run::start(['kgctl', 'mcp', '--function', 'kg_test.ask'], '<', \$in, '>', \$out, IPC::Run::timeout(60));
	my $pump = sub { my ($pattern) = @_; return wait_until(sub { IPC::Run::pump_nb($run); $out =~ $pattern }) };
	$in .= '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x", "arguments": {"n": 12345678901234567890.10}, "requestState": "old"}}' . "\n";
	ok($pump->(qr/"method":"elicitation\/create","params":\{"message":"1\.50\?"\}/), 'kgctl mcp asks a legacy client by elicitation/create');
	my ($id) = $out =~ /"id":"(kg-[0-9a-f]{32})"/;
	$in .= qq({"jsonrpc": "2.0", "id": "$id", "result": {"action": "accept", "n": 0.10}}\n);
	ok($pump->(qr/"result": ?\{/), 'the call is repeated after the answer');
	my ($result) = $out =~ /^.*"result".*$/mg;
	like($result, qr/"arguments": ?\{"n": ?12345678901234567890\.10\}/, 'the repeated call has the arguments');
	like($result, qr/"inputResponses": ?\{"who": ?\{"n": ?0\.10, ?"action": ?"accept"\}\}/, 'the repeated call has the answer of the client');
	like($result, qr/"requestState": ?"it"/, 'the repeated call has the state');
	unlike($result, qr/old/, 'the repeated call does not have an older state');
	$run->signal('TERM');
	$run->finish;
}

# A legacy client on standard input is told too.
{
	local %ENV = (%ENV, KGCTL_DSN => $node->connstr('postgres') . ' user=kg_gate', KGCTL_TOKEN => $token{a});
	my ($in, $out, $err) = ('', '', '');
	my $run = IPC::Run::start(['kgctl', 'mcp'], '<', \$in, '>', \$out, '2>', \$err, IPC::Run::timeout(60));
	my $pump = sub { my ($pattern) = @_; wait_until(sub { IPC::Run::pump_nb($run); $out =~ $pattern }) };
	$in .= $json->encode(rpc('initialize', { protocolVersion => '2025-06-18', capabilities => {}, clientInfo => { name => 'x', version => '1' } })) . "\n";
	ok($pump->(qr/"protocolVersion": ?"2025-06-18"/), 'initialize is answered');
	my $tools = decode((split /\n/, $out)[0])->{result}{capabilities}{tools};
	ok($tools->{listChanged}, 'the capabilities of a legacy client have listChanged');
	$in .= $json->encode({ jsonrpc => '2.0', method => 'notifications/initialized' }) . "\n";
	wait_until(sub { IPC::Run::pump_nb($run); $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'}) eq '1' });
	$node->safe_psql('postgres', q{SET ROLE kg_direct; SELECT kg_apply_bundle('{"bundle_name": "one", "version": "1",
		"schemas": [{"entity_type": "one", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": []}')});
	ok($pump->(qr/notifications\/tools\/list_changed/), 'a legacy client is notified when a bundle is applied');
	$in .= $json->encode({ jsonrpc => '2.0', id => 5, method => 'tools/list' }) . "\n";
	ok($pump->(qr/"get_one"/), 'tools/list has the new tools');
	# It cannot subscribe again: kgctl asks for it whether its token is still good.
	$out = '';
	$node->safe_psql('postgres', 'UPDATE kg_auth_key SET enabled = enabled');
	$in .= $json->encode({ jsonrpc => '2.0', id => 6, method => 'ping' }) . "\n";
	ok($pump->(qr/"id": ?6/), 'a legacy client gets answers after a change of keys');
	wait_until(sub { IPC::Run::pump_nb($run); $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'}) eq '1' });
	$node->safe_psql('postgres', q{SET ROLE kg_direct; SELECT kg_drop_bundle('one')});
	ok($pump->(qr/notifications\/tools\/list_changed/), 'a legacy client is notified of the next change');
	unlike($out, qr/protocolVersion/, q{a legacy client does not get the answers to kgctl's own requests});
	$out = '';
	$node->safe_psql('postgres', 'UPDATE kg_auth_key SET enabled = false');
	$node->safe_psql('postgres', q{SET ROLE kg_direct; SELECT kg_create_agent('helper')});
	$in .= $json->encode({ jsonrpc => '2.0', id => 7, method => 'ping' }) . "\n";
	ok($pump->(qr/"id": ?7/), 'a call with a disabled key is answered with an error');
	unlike($out, qr/list_changed/, 'a legacy client with a disabled key is not notified');
	$node->safe_psql('postgres', 'UPDATE kg_auth_key SET enabled = true');
	$run->signal('TERM');
	$run->finish;
	is($run->full_result(0), 0, 'kgctl mcp exits with 0 after SIGTERM');
	unlike($err, qr/error/i, 'kgctl mcp logged no errors');
}
$node->stop;
done_testing();
