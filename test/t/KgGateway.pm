# Helpers of the tests of kgctl: a cluster with tenants, tokens and a function
# that can be slow; a gateway on a free port; raw HTTP.
package KgGateway;
use strict;
use warnings;
use Exporter 'import';
use IO::Socket::INET;
use IPC::Run ();
use JSON::PP ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(cluster running start_gateway stop_gateway gateway_log http post connect_to read_reply read_until
  rpc modern_headers modern decode);

my $json = JSON::PP->new->canonical->allow_nonref;

sub decode { return $json->decode($_[0]); }

# Tenants a and b with a token each, roles kg_direct (tenant a) and kg_gate.
sub cluster
{
	my ($name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(extra => ['--encoding', 'UTF8', '--locale', 'C.UTF-8']);
	$node->append_conf('postgresql.conf', "log_statement = 'all'");
	$node->start;
	$node->safe_psql('postgres', q{
		CREATE EXTENSION kg_graph;
		SELECT kg_create_tenant('a'), kg_create_tenant('b');
		CREATE ROLE kg_direct LOGIN;
		CREATE ROLE kg_gate LOGIN;
		SELECT kg_grant('a', 'kg_direct', 'admin');
		SELECT kg_grant_gateway('kg_gate');
		INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience)
			VALUES ('test', 'k', 'HS256', sha256('a secret of the tests'), 'kgctl');
		CREATE SCHEMA kg_test;
		GRANT USAGE ON SCHEMA kg_test TO PUBLIC;
		-- kg_mcp(), and a tool that takes its time, fails, or says who asks.
		CREATE FUNCTION kg_test.mcp(message jsonb, token text DEFAULT NULL, tenant text DEFAULT NULL)
		RETURNS jsonb LANGUAGE plpgsql AS $$
		DECLARE reply jsonb := kg_mcp(message, token, tenant);
		BEGIN
			IF message #>> '{params,name}' LIKE 'test\_%' AND message->>'method' = 'tools/call' THEN
				NULL;
			ELSE
				RETURN reply;
			END IF;
			-- Progress as a tool reports it, under another's token, and what is no report at all.
			IF message #> '{params,arguments}' ? 'progress' THEN
				RAISE NOTICE USING ERRCODE = 'KGMCP', MESSAGE = jsonb_build_object('method', 'notifications/progress', 'params',
					jsonb_build_object('progressToken', message #> '{params,_meta,progressToken}', 'progress', 1));
				RAISE NOTICE USING ERRCODE = 'KGMCP', MESSAGE =
					'{"method": "notifications/progress", "params": {"progressToken": "of another", "progress": 2}}';
				RAISE NOTICE USING ERRCODE = 'KGMCP', MESSAGE = 'not JSON: [';
				RAISE NOTICE 'a notice of anybody';
			END IF;
			PERFORM pg_sleep((message #>> '{params,arguments,sleep}')::float8);
			-- As long as the test holds this lock.
			IF message #> '{params,arguments}' ? 'gate' THEN
				PERFORM pg_advisory_xact_lock_shared(1);
			END IF;
			IF message #> '{params,arguments}' ? 'fail' THEN
				RAISE EXCEPTION 'a secret text' USING ERRCODE = message #>> '{params,arguments,fail}';
			END IF;
			RETURN jsonb_build_object('jsonrpc', '2.0', 'id', message->'id', 'result',
				jsonb_build_object('tenant', kg_tenant(), 'arguments', message #> '{params,arguments}',
					'text', repeat('x', COALESCE((message #>> '{params,arguments,size}')::int, 0))));
		END $$;
	});
	$node->{kg_token} = {
		map { $_ => $node->safe_psql('postgres',
			qq{SELECT kg_issue_token('{"tenant": "$_", "sub": "someone"}', 'k', '1 hour')}) } qw(a b) };
	return $node;
}

# How many calls the database is busy with.
sub running
{
	my ($node) = @_;
	return $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND usename LIKE 'kg\_%'});
}

# start_gateway(node, user, options...): a hash with its port.
sub start_gateway
{
	my ($node, $user, @options) = @_;
	my %gateway = (log => '', node => $node);
	local $ENV{KGCTL_DSN} = $node->connstr('postgres') . " user=$user";
	$gateway{harness} = IPC::Run::start(
		['kgctl', 'serve', '--listen', '127.0.0.1:0', @options],
		'<', \'', '>', \$gateway{out}, '2>', \$gateway{log},
		IPC::Run::timeout(300));
	for (1 .. 200)
	{
		IPC::Run::pump_nb($gateway{harness});
		last if $gateway{log} =~ /listening on 127\.0\.0\.1:(\d+)/;
		sleep 0.05;
	}
	($gateway{port}) = $gateway{log} =~ /listening on 127\.0\.0\.1:(\d+)/
	  or BAIL_OUT("kgctl serve does not listen: $gateway{log}");
	return \%gateway;
}

sub gateway_log
{
	my ($gateway) = @_;
	IPC::Run::pump_nb($gateway->{harness}) if $gateway->{harness}->pumpable;
	return $gateway->{log};
}

# SIGTERM; the exit code.
sub stop_gateway
{
	my ($gateway) = @_;
	$gateway->{harness}->signal('TERM');
	$gateway->{harness}->finish;
	return $gateway->{harness}->full_result(0);
}

sub connect_to
{
	my ($gateway) = @_;
	my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $gateway->{port}, Timeout => 10)
	  or die "cannot connect: $!";
	binmode $socket;
	return $socket;
}

# Read on until the data matches a pattern, and answer whether it does.
sub read_until
{
	my ($socket, $data, $pattern, $seconds) = @_;
	my $end = time + ($seconds // 60);
	while ($$data !~ $pattern && time < $end)
	{
		my $bits = '';
		vec($bits, fileno($socket), 1) = 1;
		next unless select($bits, undef, undef, 0.2);
		sysread($socket, $$data, 65536, length $$data) or last;
	}
	return $$data =~ $pattern;
}

# One response: {status, headers, body}; undef where the connection just ends.
sub read_reply
{
	my ($socket, $seconds) = @_;
	my ($data, $until) = ('', time + ($seconds // 60));
	while (time < $until)
	{
		my $bits = '';
		vec($bits, fileno($socket), 1) = 1;
		next unless select($bits, undef, undef, 0.2);
		my $n = sysread($socket, $data, 65536, length $data);
		my $end = !$n;
		if ($data =~ /\A(.*?)\r\n\r\n(.*)\z/s)
		{
			my ($head, $body) = ($1, $2);
			my ($status) = $head =~ m{\AHTTP/1\.1 (\d+)};
			my %headers = map { my ($k, $v) = split /:\s*/, $_, 2; (lc $k, $v) }
			  grep { /:/ } split /\r\n/, $head;
			my $length = $headers{'content-length'};
			my $chunked = ($headers{'transfer-encoding'} // '') eq 'chunked';
			if ($end || (defined $length && length $body >= $length) || ($chunked && $body =~ /(?:\A|\r\n)0\r\n\r\n\z/))
			{
				1 while $chunked && $body =~ s/\G([0-9a-fA-F]+)\r\n(.*?)\r\n(?=[0-9a-fA-F]+\r\n)/$2/s;
				return { status => $status, headers => \%headers, body => $body, raw => $data };
			}
		}
		return undef if $end;
	}
	return { status => 0, headers => {}, body => $data, raw => $data };
}

# http(gateway, METHOD, path, {headers}, body)
sub http
{
	my ($gateway, $method, $path, $headers, $body) = @_;
	my $socket = connect_to($gateway);
	my %all = (Host => "127.0.0.1:$gateway->{port}", %{ $headers // {} });
	$all{'Content-Length'} //= length $body if defined $body;
	my $request = "$method $path HTTP/1.1\r\n"
	  . join('', map { defined $all{$_} ? "$_: $all{$_}\r\n" : '' } sort keys %all) . "\r\n";
	syswrite($socket, $request . ($body // ''));
	return read_reply($socket);
}

# post(gateway, message, {headers}): the message as text or as data.
sub post
{
	my ($gateway, $message, $headers) = @_;
	my $body = ref $message ? $json->encode($message) : $message;
	my $reply = http($gateway, 'POST', '/mcp', { 'Content-Type' => 'application/json', %{ $headers // {} } }, $body);
	$reply->{json} = eval { decode($reply->{body}) } if $reply;
	return $reply;
}

sub rpc
{
	my ($method, $params) = @_;
	return { jsonrpc => '2.0', id => 1, method => $method, params => $params // {} };
}

# The same with the envelope of 2026-07-28, and its headers.
sub modern
{
	my ($method, $params) = @_;
	return rpc($method, { %{ $params // {} }, _meta => {
		'io.modelcontextprotocol/protocolVersion' => '2026-07-28',
		'io.modelcontextprotocol/clientCapabilities' => {} } });
}

sub modern_headers
{
	my ($method, $name) = @_;
	return { 'MCP-Protocol-Version' => '2026-07-28', 'Mcp-Method' => $method,
		defined $name ? ('Mcp-Name' => $name) : () };
}

1;
