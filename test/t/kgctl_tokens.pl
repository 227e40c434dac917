# Invalid tokens of every kind over HTTP. Each is refused with 401, appears neither
# in the reply nor in the log, and the gateway continues.
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256 hmac_sha512);
use FindBin;
use lib $FindBin::Bin;
use KgGateway;
use MIME::Base64 qw(encode_base64url);
use PostgreSQL::Test::Utils;
use Test::More;

my $node = cluster('tokens');
my $secret = 'a secret of the tests, thirty-two bytes at least';
my $dir = PostgreSQL::Test::Utils::tempdir();

# A key pair of RS256; its public key is what an attacker knows.
sub run_quiet { system("@_ >/dev/null 2>&1") == 0 or die "@_ failed" }
run_quiet("openssl genrsa -out $dir/rsa.pem 2048");
run_quiet("openssl rsa -in $dir/rsa.pem -pubout -out $dir/rsa.pub");
my $public = PostgreSQL::Test::Utils::slurp_file("$dir/rsa.pub");
$node->safe_psql('postgres', qq{
	ALTER ROLE kg_gate SET log_parameter_max_length = 0;
	INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience)
		VALUES ('https://login.example', 'hs', 'HS256', convert_to('$secret', 'UTF8'), 'kgctl');
	INSERT INTO kg_auth_key(issuer, kid, alg, public_key, audience)
		VALUES ('https://login.example', 'rs', 'RS256', '$public', 'kgctl');
	INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, enabled)
		VALUES ('https://login.example', 'off', 'HS256', convert_to('$secret', 'UTF8'), 'kgctl', false);});
my $gateway = start_gateway($node, 'kg_gate', '--function', 'kg_test.mcp', '--pool', '2', '--log-level', 'debug', '--access-log');

sub sign
{
	my ($header, $text) = @_;
	my $alg = $header->{alg} // '';
	return hmac_sha512($text, $secret) if $alg eq 'HS512';
	return '' if $alg =~ /none/i;
	if ($alg eq 'RS256')
	{
		PostgreSQL::Test::Utils::append_to_file("$dir/text", $text);
		run_quiet("openssl dgst -sha256 -sign $dir/rsa.pem -out $dir/sig $dir/text");
		unlink "$dir/text";
		open my $file, '<:raw', "$dir/sig" or die;
		local $/;
		return <$file>;
	}
	return hmac_sha256($text, $secret);
}

# token({header changes}, {claim changes}, key): undef takes a member away.
my $json = JSON::PP->new->canonical;
sub token
{
	my ($header, $claims, $signature) = @_;
	my %header = (alg => 'HS256', typ => 'JWT', kid => 'hs', %{ $header // {} });
	my %claims = (iss => 'https://login.example', aud => 'kgctl', tenant => 'a', sub => 'mallory',
		exp => time + 600, %{ $claims // {} });
	delete $header{$_} for grep { !defined $header{$_} } keys %header;
	delete $claims{$_} for grep { !defined $claims{$_} } keys %claims;
	my $text = encode_base64url($json->encode(\%header)) . '.' . encode_base64url($json->encode(\%claims));
	return "$text." . encode_base64url($signature ? $signature->($text) : sign(\%header, $text));
}

sub as
{
	my ($token) = @_;
	return post($gateway, rpc('tools/call', { name => 'test_who', arguments => {} }), { Authorization => "Bearer $token" });
}

is(as(token())->{json}{result}{tenant}, 'a', 'a valid HS256 token is accepted');
is(as(token({ kid => 'rs', alg => 'RS256' }))->{json}{result}{tenant}, 'a', 'a valid RS256 token is accepted');
is(as(token(undef, { aud => [ 'other', 'kgctl' ] }))->{json}{result}{tenant}, 'a', 'a token with several audiences is accepted');

my $good = token();
my ($h, $p, $s) = split /\./, $good;
my $forged = encode_base64url($json->encode({ iss => 'https://login.example', aud => 'kgctl', tenant => 'b', exp => time + 600 }));
my @cases = (
	[ token(undef, { exp => time - 3600 }), 'expired' ],
	[ token(undef, { exp => undef }), 'without an end' ],
	[ token(undef, { exp => 'tomorrow' }), 'whose end is a text' ],
	[ token(undef, { nbf => time + 3600 }), 'of the future' ],
	[ token(undef, { aud => 'another-server' }), 'for another audience' ],
	[ token(undef, { aud => [] }), 'for no audience' ],
	[ token(undef, { aud => undef }), 'without audience' ],
	[ token(undef, { iss => 'https://evil.example' }), 'of another issuer' ],
	[ token(undef, { iss => undef }), 'without issuer' ],
	[ token(undef, { tenant => undef }), 'without tenant' ],
	[ token(undef, { tenant => 'no_such_tenant' }), 'for a tenant that is none', 403 ],
	[ token(undef, { tenant => 7 }), 'for a tenant that is none and a number', 403 ],
	[ token(undef, { tenant => ['a'] }), 'whose tenant is a list' ],
	[ token({ kid => 'unknown' }), 'of an unknown key' ],
	[ token({ kid => 'off' }), 'of a key that is switched off' ],
	[ token({ alg => 'none' }), 'of algorithm none' ],
	[ token({ alg => 'nOnE', kid => undef }), 'of algorithm nOnE' ],
	[ token({ alg => 'HS512' }), 'of another algorithm than its key' ],
	[ token({ alg => undef }), 'without algorithm' ],
	[ token({ kid => 'rs' }, undef, sub { hmac_sha256($_[0], $public) }), 'signed with a public key as if it were a secret' ],
	[ token({ kid => 'rs', alg => 'RS256' }, undef, sub { hmac_sha256($_[0], $public) }), 'with the wrong kind of signature' ],
	[ token({ kid => 'hs', alg => 'RS256' }), 'of RS256 under a shared secret' ],
	[ token({ crit => ['exp'] }), 'with a critical header' ],
	[ token({ jwk => { kty => 'oct', k => encode_base64url('mine') }, kid => undef }, undef, sub { hmac_sha256($_[0], 'mine') }), 'that brings its own key' ],
	[ "$h.$forged.$s", 'with other claims under the signature' ],
	[ "$h.$p.", 'without signature' ],
	[ "$h.$p", 'of two parts' ],
	[ "$good.$s", 'of four parts' ],
	[ "$h.$p.$s=", 'padded' ],
	[ "$h.$p.$s" . 'A', 'with a longer signature' ],
	[ encode_base64url('{"alg":"HS256","alg":"none","kid":"hs"}') . ".$p.$s", 'with a member twice' ],
	[ encode_base64url('[]') . ".$p.$s", 'whose header is a list' ],
	[ encode_base64url("\xff\xfe") . ".$p.$s", 'whose header is binary' ],
	[ encode_base64url('{' x 3000) . ".$p.$s", 'whose header nests' ],
	[ token(undef, { pad => 'x' x 6500 }), 'too long' ],
	[ token(undef, { pad => 'x' x 5900 }) . 'y' x 500, 'longer still' ],
	[ '..', 'of dots' ]);
for my $case (@cases)
{
	my $reply = as($case->[0]);
	my $status = $case->[2] // 401;
	my $error = $status == 401 ? 'invalid_token' : 'insufficient_scope';
	is($reply->{status}, $status, "a token $case->[1]") or diag $reply->{raw};
	like($reply->{headers}{'www-authenticate'} // '', qr/^Bearer error="$error"/, "the challenge has the error for a token $case->[1]");
	unlike($reply->{raw}, qr/\Q$case->[0]\E|mallory|a secret of/, "the reply does not repeat a token $case->[1]");
}
is(as($good)->{json}{result}{tenant}, 'a', 'a valid token is accepted after the refused ones');

# More than one token.
sub raw
{
	my ($headers, $body) = @_;
	my $socket = connect_to($gateway);
	$body //= JSON::PP->new->encode(rpc('ping'));
	syswrite($socket, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
		. ($headers =~ /^(?:Content-Length|Transfer-Encoding)/m ? '' : 'Content-Length: ' . length($body) . "\r\n") . "$headers\r\n$body");
	return read_reply($socket);
}
my $other = token(undef, { tenant => 'b' });
is(raw("Authorization: Bearer $good\r\n")->{status}, 200, 'one header with a token is accepted');
is(raw("Authorization: Bearer $good\r\nAuthorization: Bearer $other\r\n")->{status}, 400, 'two headers with tokens are refused');
is(raw("Authorization: Bearer $good, Bearer $other\r\n")->{status}, 400, 'two tokens in one header are refused');
is(raw("Authorization: Bearer $good\r\nHost: localhost\r\n")->{status}, 400, 'two Host headers are refused');
is(raw("Authorization: Bearer $good\r\nMcp-Method: a\r\nMcp-Method: b\r\n")->{status}, 400, 'two Mcp-Method headers are refused');
my $ping = JSON::PP->new->encode(rpc('ping'));
is(raw("Authorization: Bearer $good\r\nContent-Length: 5\r\nContent-Length: " . length($ping) . "\r\n")->{status}, 400, 'two Content-Length headers are refused');
is(raw("Authorization: Bearer $good\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
	sprintf("%x\r\n%s\r\n0\r\n\r\n", length $ping, $ping))->{status}, 400, 'Content-Length with Transfer-Encoding is refused');
{
	my ($out, $err) = ('', '');
	my $message = q{{"jsonrpc":"2.0","id":1,"method":"ping"}};
	$node->psql('postgres', "BEGIN; SELECT kg_mcp('$message', '$good'); SELECT kg_tenant();
		SELECT kg_mcp('$message', '$other'); ROLLBACK; SELECT kg_tenant() IS NULL",
		stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', 'kg_gate' ]);
	like($out, qr/^a$/m, 'the first token of a transaction determines the tenant');
	like($err, qr/ERROR:/, 'a second token in the transaction is refused');
	unlike($err, qr/\Q$other\E/, 'the error does not repeat the second token') if $err !~ /LINE 1/;
	like($out, qr/^t$/m, 'after the transaction there is no identity');
}
is(as($other)->{json}{result}{tenant}, 'b', 'the next request gets the tenant of its own token');
is(stop_gateway($gateway), 0, 'the gateway stops');
my $log = gateway_log($gateway);
my $server = PostgreSQL::Test::Utils::slurp_file($node->logfile);
for my $token ($good, map { $_->[0] } grep { length $_->[0] > 20 } @cases)
{
	next if index($log, $token) < 0;
	fail('the log of the gateway has no token');
	last;
}
unlike($log, qr/mallory|a secret of/, 'the log of the gateway has no parts of tokens');
unlike($server, qr/Bearer|parameters: .*\$2 = 'ey/, 'nor in the server\'the log of the server has no tokens with the documented settings');
$node->stop;
done_testing();
