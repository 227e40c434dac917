# Writes through kgctl serve. The access of the token decides. A client is asked to
# confirm, gets a conflict and corrects its call. A call that is sent again after its
# backend was killed is done once.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgGateway;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = cluster('writes');
$node->safe_psql('postgres', q{
	UPDATE kg_auth_key SET access = 'write';
	INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience) VALUES ('reads', 'r', 'HS256', sha256('another secret of the tests'), 'kgctl')});
$node->safe_psql('postgres', q{SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [{"entity_type": "brand", "schema": {"type": "object",
	"x-history": true, "x-id-field": "id", "x-tool-expose": ["get", "create", "update", "delete", "history"], "properties": {"id": {"type": "string"}, "n": {"type": "integer"}, "m": {"type": "integer"}}}}],
	"entities": []}')}, extra_params => ['-U', 'kg_direct']);
my $writer = $node->{kg_token}{a};
my $reader = $node->safe_psql('postgres', q{SELECT kg_issue_token('{"tenant": "a", "sub": "reader"}', 'r', '1 hour')});
my $gateway = start_gateway($node, 'kg_gate');

# The structured reply, or the error, of a tool.
sub call
{
	my ($token, $name, $arguments, $meta) = @_;
	my $reply = post($gateway, rpc('tools/call', { name => $name, arguments => $arguments }), { Authorization => "Bearer $token", 'MCP-Protocol-Version' => '2025-11-25' });
	my $result = $reply->{json}{result};
	return $reply->{json}{error} unless $result;
	return $result->{isError} ? $result->{structuredContent}{error} : $result->{structuredContent};
}

sub tools
{
	my ($token) = @_;
	my $reply = post($gateway, rpc('tools/list'), { Authorization => "Bearer $token", 'MCP-Protocol-Version' => '2025-11-25' });
	return join ' ', sort grep { /_brand$/ } map { $_->{name} } @{ $reply->{json}{result}{tools} };
}

is(tools($writer), 'create_brand delete_brand get_brand history_brand update_brand', 'tools/list of a writer has the tools that write');
is(tools($reader), 'get_brand history_brand', 'tools/list of a reader has only the tools that read');
like(call($reader, 'create_brand', { items => [{ id => 'x' }] })->{message}, qr/^unknown tool/, 'a tool that writes is unknown to a reader');
like(post($gateway, rpc('initialize', { protocolVersion => '2025-11-25', capabilities => {}, clientInfo => { name => 't', version => '1' } }),
	{ Authorization => "Bearer $reader" })->{json}{result}{instructions}, qr/Its tools only read/, 'the instructions tell a reader that it can only read');
like(post($gateway, rpc('initialize', { protocolVersion => '2025-11-25', capabilities => {}, clientInfo => { name => 't', version => '1' } }),
	{ Authorization => "Bearer $writer" })->{json}{result}{instructions}, qr/Some of its tools write/, 'the instructions tell a writer how to write');

is(call($writer, 'create_brand', { items => [{ id => 'a', n => 1 }] })->{counts}{created}, 1, 'a tool creates an entity');
is(call($writer, 'update_brand', { items => [{ id => 'a', set => { m => 5 } }] })->{items}[0]{version}, 2, 'another call updates the entity');
my $reply = call($writer, 'update_brand', { items => [{ id => 'a', set => { n => 2 }, expected_version => 1 }] });
is($reply->{code}, 'CONFLICT', 'an update with an old expected_version is a conflict');
is_deeply($reply->{errors}[0]{changed_since}, ['m'], 'the conflict lists the properties that changed');
is(call($writer, 'update_brand', { items => [{ id => 'a', set => { n => 2 }, expected_version => $reply->{errors}[0]{current_version} }], reason => 'right' })
	->{counts}{updated}, 1, 'an update with the present expected_version is done');
is(call($writer, 'history_brand', { id => 'a' })->{changes}[0]{reason}, 'right', 'the history has the reason of the update');

$node->safe_psql('postgres', q{ALTER ROLE kg_gate SET kg_graph.confirm = 'deletes'});
stop_gateway($gateway);
$gateway = start_gateway($node, 'kg_gate');
$reply = call($writer, 'delete_brand', { ids => ['a'] });
ok($reply->{confirm}, 'a deletion asks for a confirmation');
is($node->safe_psql('postgres', 'SELECT count(*) FROM kg_entity'), 1, 'the deletion without a confirmation writes nothing');
is(call($writer, 'delete_brand', { ids => ['a'], confirm => $reply->{confirm} })->{counts}{deleted}, 1, 'the deletion with the confirmation is done');

# No double effect, whenever the backend dies.
call($writer, 'create_brand', { items => [{ id => 'k', n => 0 }] });
my $done = 0;
for my $i (1 .. 20)
{
	my $arguments = { items => [{ id => "k$i", n => $i }], idempotency_key => "key $i" };
	$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'kg_gate'}) if $i % 3 == 0;
	if ($i % 3 == 1)
	{
		my $pid = $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE usename = 'kg_gate' LIMIT 1});
		kill 'TERM', $pid if $pid;
	}
	for my $try (1 .. 50)
	{
		$reply = call($writer, 'create_brand', $arguments);
		last if ref $reply && $reply->{counts};
		select undef, undef, undef, 0.1;
	}
	$done++ if ref $reply && ($reply->{counts}{created} // 0) == 1;
	$done++ if (call($writer, 'create_brand', $arguments)->{replayed} // 0);
}
is($done, 40, 'each write succeeds, and its repetition returns its reply');
is($node->safe_psql('postgres', q{SELECT count(*) FROM kg_history WHERE entity_id ~ '^k\d'}), 20, 'each entity was created once');

stop_gateway($gateway);
done_testing();
