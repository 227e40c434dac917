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
	ok(wait_until(sub { -S $path && log_of('unix') =~ /listening on unix:\Q$path\E/ }), 'listens on a socket of the file system');
	my $reply = read_reply(send_post(IO::Socket::UNIX->new(Peer => $path), rpc('ping')));
	is($reply->{status}, 200, 'and answers there');
	my $out = '';
	IPC::Run::run(['kgctl', 'serve', '--listen', "unix:$path"], '<', \'', '>', \$out, '2>', \my $err, IPC::Run::timeout(20));
	isnt($? >> 8, 0, 'a second server on the same socket does not start');
	like($err, qr/another server listens there/, 'and says why');
	is(read_reply(send_post(IO::Socket::UNIX->new(Peer => $path), rpc('ping')))->{status}, 200, 'the first one goes on');
	kill 'KILL', $pid;
	waitpid $pid, 0;
	$pid = start_child('unix2', sub { }, 'kgctl', 'serve', '--listen', "unix:$path");
	ok(wait_until(sub { log_of('unix2') =~ /listening/ }), 'a socket that was left behind is no obstacle');
	is(read_reply(send_post(IO::Socket::UNIX->new(Peer => $path), rpc('ping')))->{status}, 200, 'it answers');
	is(end_child($pid), 0, 'stops');
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
	ok(wait_until(sub { log_of('activated') =~ /socket of the service manager/ }), 'takes the socket it is given');
	is(post({ port => $port }, rpc('ping'))->{status}, 200, 'and answers there');
	is(end_child($pid), 0, 'stops');
}

# Addresses that do not work.
for my $case ([ 'nonsense', qr/must be host:port/ ], [ '127.0.0.1:99999999', qr/\S/ ], [ '192.0.2.1:1', qr/\S/ ], [ "unix:$dir/" . 'x' x 200, qr/too long/ ])
{
	IPC::Run::run(['kgctl', 'serve', '--listen', $case->[0]], '<', \'', '>', \my $out, '2>', \my $err, IPC::Run::timeout(20));
	isnt($? >> 8, 0, 'does not listen on ' . substr($case->[0], 0, 30));
	like($err, $case->[1], 'and says why');
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
	is($reply->{status}, 503, 'too many calls');
	is($reply->{headers}{'retry-after'}, 1, 'try again');
	is(running($node), 1, 'while the first one runs');
	let_go($gate);
	is(read_reply($first)->{status}, 200, 'the one that ran is answered');
	is(read_reply((grep { $_ != $refused } @two)[0])->{status}, 200, 'so is the one that waited');
	# One that waits goes away: it never runs.
	$gate = hold($node, 'postgres', 'SELECT pg_advisory_lock(1)');
	$first = send_post(connect_to($gateway), gated());
	wait_until(sub { running($node) == 1 });
	@two = map { send_post(connect_to($gateway), rpc('tools/call', { name => 'test_it', arguments => { sleep => 0, mark => 'never' } })) } 1 .. 2;
	($refused) = IO::Select->new(@two)->can_read(60);
	is(read_reply($refused)->{status}, 503, 'of two that go away one waits');
	close $_ for @two;
	my $next;
	wait_until(sub { $next = send_post(connect_to($gateway), slow(0)); !IO::Select->new($next)->can_read(2) });
	let_go($gate);
	is(read_reply($first)->{status}, 200, 'the first');
	is(read_reply($next)->{status}, 200, 'the next, in the place of the one that left');
	unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/parameters: .*never/, 'a call whose client left while it waited never ran');
	# SIGTERM: the running call is answered, new ones are not taken.
	$gate = hold($node, 'postgres', 'SELECT pg_advisory_lock(1)');
	$first = send_post(connect_to($gateway), gated());
	wait_until(sub { running($node) == 1 });
	$gateway->{harness}->signal('TERM');
	ok(wait_until(sub { !IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $gateway->{port}, Timeout => 1) }),
		'no new connections while it stops');
	let_go($gate);
	$reply = read_reply($first);
	is($reply->{status}, 200, 'the running call is answered');
	is(lc($reply->{headers}{connection} // ''), 'close', 'and its connection closed');
	$gateway->{harness}->finish;
	is($gateway->{harness}->full_result(0), 0, 'then it ends');
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
		ok($refused, "large messages the $time time: not all of them wait");
		cmp_ok($waited + $waiting->count, '>=', 5, 'but some do');
		let_go($gate);
		is(read_reply($first)->{status}, 200, 'what ran is answered');
		is(scalar(grep { read_reply($_)->{status} !~ /^(?:200|503)$/ } $waiting->handles), 0, 'and what waited');
	}
	is(post($gateway, $large)->{status}, 200, 'one alone is');
	is(stop_gateway($gateway), 0, 'stops');
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
	is($gateway->{harness}->full_result(0), 0, "ends $case->[0]");
	ok(time - $start < 50, 'before a call or a longer grace would end');
	ok(wait_until(sub { running($node) == 0 }), 'the query is cancelled');
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
	ok(read_until($sockets[$_], \$data[$_], qr/acknowledged/), "subscription $_") for 0, 1;
	my $third = read_reply($open->());
	is($third->{status}, 503, 'one too many');
	close $sockets[0];
	ok(wait_until(sub { my ($s, $d) = ($open->(), ''); read_until($s, \$d, qr/acknowledged|503/, 2); $d =~ /acknowledged/ }),
		'the place of one that left is free');
	# The listening connection is lost: everybody is told that all has changed.
	wait_until(sub { $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'}) eq '1' });
	my ($s, $d) = ($open->(), '');
	read_until($s, \$d, qr/acknowledged/);
	$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'});
	ok(read_until($s, \$d, qr/list_changed/), 'after the LISTEN connection was lost subscribers are told to look again');
	is(stop_gateway($gateway), 0, 'stops');
	# Of another gateway: those above must not end before their time.
	my $short = start_gateway($node, 'kg_gate', '--function', 'kg_test.mcp', '--stream-timeout', '1');
	($s, $d) = ($open->($short), '');
	ok(read_until($s, \$d, qr/acknowledged.*"resultType":"complete"/s), '--stream-timeout ends a subscription with a result');
	is(stop_gateway($short), 0, 'stops');
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
	like($mine[$_][1], qr/acknowledged/, 'a subscription of a bearer') for 0, 1;
	like($mine[2][1], qr/HTTP\/1\.1 429.*too many subscriptions/s, 'one too many, by another token of the same subject');
	my @others = map { $open->(@$_) } [ 'a', 'modest' ], [ 'b', 'greedy' ];
	like($_->[1], qr/acknowledged/, 'another subject, and the one of that name in another tenant') for @others;
	close $mine[0][0];
	ok(wait_until(sub { $open->('a', 'greedy')->[1] =~ /acknowledged|503/ }), 'a place that is free again');
	is(stop_gateway($gateway), 0, 'stops');
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
	is(post($gateway, rpc('ping'), { Authorization => "Bearer $token{a}" })->{status}, 200, 'connected');
	$sql->('ALTER ROLE kg_gate CONNECTION LIMIT 1');
	is(read_reply($open->())->{status}, 503, 'no subscription where there is no connection to listen on');
	$sql->('ALTER ROLE kg_gate CONNECTION LIMIT -1');
	my ($s, $d) = ($open->(), '');
	ok(read_until($s, \$d, qr/acknowledged/), 'acknowledged');
	is($sql->(q{SELECT state FROM pg_stat_activity WHERE query LIKE 'LISTEN%'}), 'idle', 'which is after LISTEN is in force');
	# A right that ends while the database still answers the question for it.
	my $gate = $node->background_psql('postgres');
	$gate->query_safe('SELECT pg_advisory_lock(1)');
	my ($late, $heard) = ($open->(), '');
	ok(wait_until(sub { running($node) == 1 }), 'the answer is on its way');
	$sql->(q{UPDATE kg_auth_key SET enabled = false WHERE kid = 'late'});
	$gate->quit;
	ok(read_until($s, \$d, qr/"resultType":"complete"/), 'one that is there ends');
	ok(read_until($late, \$heard, qr/acknowledged.*"resultType":"complete"/s), 'and so does one that was being made');
	is(stop_gateway($gateway), 0, 'stops');
}

# Clients that disconnect at any time leave no open file behind, even while another
# client stays connected.
SKIP:
{
	skip 'no /proc', 7 unless -d '/proc/self/fd';
	my $gateway = start_gateway($node, 'kg_direct', '--function', 'kg_test.mcp', '--pool', '1', '--idle-timeout', '600', '--body-timeout', '600');
	my $open = sub { return scalar(() = glob "/proc/$gateway->{harness}{KIDS}[0]{PID}/fd/*") };
	my $stays = connect_to($gateway);
	is(read_reply(send_post($stays, rpc('ping')))->{status}, 200, 'a client that stays');
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
		ok(wait_until(sub { $open->() <= $before }), "no file is left of clients that went in the middle of $case->[0]")
			or diag $open->() . " files, $before before";
	}
	is(read_reply(send_post($stays, rpc('ping')))->{status}, 200, 'the one that stays is answered still');
	is(stop_gateway($gateway), 0, 'stops');
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
		like($d, qr/acknowledged/, "subscribed: $kid");
		unlike($d, qr/kg_listen|seconds/, 'what is between gateway and database stays there');
		wait_until(sub { $sql->(q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'}) eq '1' });
		return [ $s, \$d, $token ];
	};
	my $ends = sub { my ($of, $what) = @_; ok(read_until($of->[0], $of->[1], qr/"resultType":"complete"/), $what) };
	my $long = $open->('key', 3600, '');
	$ends->($open->('time', 2, ''), 'its token has expired');
	unlike(${ $long->[1] }, qr/complete/, 'another one goes on');
	$sql->(q{UPDATE kg_auth_key SET enabled = false WHERE kid = 'key' AND issuer = 'ends'});
	$ends->($long, 'its key was disabled');
	is(read_reply(send_post(connect_to($gateway), modern('subscriptions/listen', { notifications => {} }), %{ modern_headers('subscriptions/listen') },
				Accept => 'text/event-stream', Authorization => "Bearer $long->[2]"))->{status}, 401, 'and is not made again');
	my $agent = $open->('agent', 3600, ', "agent": "leaves"');
	$sql->(q{SET ROLE kg_direct; SELECT kg_drop_agent('leaves')});
	$ends->($agent, 'its agent was dropped');
	my $grant = $open->('agent', 3600, '');
	$sql->(q{CREATE ROLE kg_leaver; SELECT kg_grant('a', 'kg_leaver', 'read'); SELECT kg_revoke('a', 'kg_leaver')});
	# Anybody can notify: what is notified is asked about, and takes nothing away by itself.
	my $key = $sql->(q{SET ROLE kg_direct; SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}') #>> '{kg_listen,key}'});
	$sql->(qq{CREATE ROLE kg_nobody; SET ROLE kg_nobody; SELECT pg_notify('kg_mcp', '$key access' || repeat(' ', n % 2)) FROM generate_series(1, 5) n});
	$sql->(qq{SET ROLE kg_nobody; SELECT pg_notify('kg_mcp', '$key access')}) for 1 .. 20;
	$sql->(qq{SET ROLE kg_nobody; SELECT pg_notify('kg_mcp', '$key tools')});
	ok(read_until($grant->[0], $grant->[1], qr/tools\/list_changed/), 'it is told what comes later');
	unlike(${ $grant->[1] }, qr/complete/, 'a revoked grant of another role, and forged notifications, leave the subscription');
	$sql->(q{DELETE FROM kg_auth_key WHERE issuer = 'ends'});
	$ends->($grant, 'its key was deleted');
	is(stop_gateway($gateway), 0, 'stops');
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
	ok($pump->(qr/"method":"elicitation\/create","params":\{"message":"1\.50\?"\}/), 'the client is asked');
	my ($id) = $out =~ /"id":"(kg-[0-9a-f]{32})"/;
	$in .= qq({"jsonrpc": "2.0", "id": "$id", "result": {"action": "accept", "n": 0.10}}\n);
	ok($pump->(qr/"result": ?\{/), 'the call is made again');
	my ($result) = $out =~ /^.*"result".*$/mg;
	like($result, qr/"arguments": ?\{"n": ?12345678901234567890\.10\}/, 'with its arguments');
	like($result, qr/"inputResponses": ?\{"who": ?\{"n": ?0\.10, ?"action": ?"accept"\}\}/, 'and the answer');
	like($result, qr/"requestState": ?"it"/, 'and the state');
	unlike($result, qr/old/, 'in place of the old one');
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
	ok($pump->(qr/"protocolVersion": ?"2025-06-18"/), 'initialize');
	my $tools = decode((split /\n/, $out)[0])->{result}{capabilities}{tools};
	ok($tools->{listChanged}, 'listChanged is offered');
	$in .= $json->encode({ jsonrpc => '2.0', method => 'notifications/initialized' }) . "\n";
	wait_until(sub { IPC::Run::pump_nb($run); $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'}) eq '1' });
	$node->safe_psql('postgres', q{SET ROLE kg_direct; SELECT kg_apply_bundle('{"bundle_name": "one", "version": "1",
		"schemas": [{"entity_type": "one", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": []}')});
	ok($pump->(qr/notifications\/tools\/list_changed/), 'and comes when a bundle is applied');
	$in .= $json->encode({ jsonrpc => '2.0', id => 5, method => 'tools/list' }) . "\n";
	ok($pump->(qr/"get_one"/), 'the new tools are in the list');
	# It cannot subscribe again: kgctl asks for it whether its token is still good.
	$out = '';
	$node->safe_psql('postgres', 'UPDATE kg_auth_key SET enabled = enabled');
	$in .= $json->encode({ jsonrpc => '2.0', id => 6, method => 'ping' }) . "\n";
	ok($pump->(qr/"id": ?6/), 'it goes on');
	wait_until(sub { IPC::Run::pump_nb($run); $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'}) eq '1' });
	$node->safe_psql('postgres', q{SET ROLE kg_direct; SELECT kg_drop_bundle('one')});
	ok($pump->(qr/notifications\/tools\/list_changed/), 'and is told of the next change');
	unlike($out, qr/protocolVersion/, 'and hears nothing of the question');
	$out = '';
	$node->safe_psql('postgres', 'UPDATE kg_auth_key SET enabled = false');
	$node->safe_psql('postgres', q{SET ROLE kg_direct; SELECT kg_create_agent('helper')});
	$in .= $json->encode({ jsonrpc => '2.0', id => 7, method => 'ping' }) . "\n";
	ok($pump->(qr/"id": ?7/), 'a call is refused');
	unlike($out, qr/list_changed/, 'who has no right any more is told nothing');
	$node->safe_psql('postgres', 'UPDATE kg_auth_key SET enabled = true');
	$run->signal('TERM');
	$run->finish;
	is($run->full_result(0), 0, 'SIGTERM ends it cleanly');
	unlike($err, qr/error/i, 'nothing went wrong');
}
$node->stop;
done_testing();
