# Clients of both generations of the MCP SDK write through kgctl serve
# (test/clients/writes.mjs).
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
use KgGateway;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $here = root() . '/test/clients';
my $work = PostgreSQL::Test::Utils::tempdir();

# The packages of package-lock.json; KG_NODE_MODULES names a folder that has them.
sub packages
{
	my ($out, $modules) = ('', $ENV{KG_NODE_MODULES});
	return $modules if $modules && -d "$modules/\@modelcontextprotocol/client" && -d "$modules/\@modelcontextprotocol/sdk";
	return undef unless eval { IPC::Run::run([ 'npm', '--version' ], '>', \$out, '2>', \$out) };
	system('cp', "$here/package.json", "$here/package-lock.json", $work) == 0 or return undef;
	local $ENV{HOME} = $work;
	# A registry that does not answer in time is one that cannot be had.
	eval { IPC::Run::run([ 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', '--prefix', $work ], '>', \$out, '2>&1', IPC::Run::timeout(300)) }
	  or return undef;
	return "$work/node_modules";
}

my $modules = packages() or plan skip_all => 'no npm, or its packages cannot be had';
my $node = cluster('clients');
$node->safe_psql('postgres', q{UPDATE kg_auth_key SET access = 'write'; ALTER ROLE kg_gate SET kg_graph.confirm = 'deletes'});
$node->safe_psql('postgres', q{SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [{"entity_type": "brand", "schema": {"type": "object",
	"x-history": true, "x-id-field": "id", "x-tool-expose": ["get", "create", "update", "delete", "history"], "additionalProperties": false,
	"properties": {"id": {"type": "string"}, "n": {"type": "integer"}, "tier": {"enum": ["premium", "budget"]}}}}], "entities": []}')},
	extra_params => [ '-U', 'kg_direct' ]);
# What was done is undone by a tool of the tenant's own, a function.
$node->safe_psql('postgres', q{
	CREATE FUNCTION kg_test.undo(arguments jsonb) RETURNS jsonb LANGUAGE sql VOLATILE AS $$ SELECT kg_revert(arguments -> 'change') $$;
	SELECT kg_grant('a', 'postgres', 'admin'); SET kg_graph.tenant = 'a';
	SELECT kg_register_tool('{"name": "take_back", "version": "1.0.0", "kind": "function", "description": "Undoes a change.", "operation": "kg_test.undo(jsonb)",
		"input_schema": {"type": "object", "required": ["change"], "properties": {"change": {"type": "integer"}}}}')});

my $gateway = start_gateway($node, 'kg_gate');
foreach my $kind (qw(v1 v2 modern))
{
	my ($out, $err) = ('', '');
	local $ENV{KG_NODE_MODULES} = $modules;
	local $ENV{KG_URL} = "http://127.0.0.1:$gateway->{port}/mcp";
	local $ENV{KG_TOKEN} = $node->{kg_token}{a};
	my $ok = IPC::Run::run([ 'node', "$here/writes.mjs", $kind ], '>', \$out, '2>', \$err, IPC::Run::timeout(120));
	ok($ok && $out =~ /^done$/m, "$kind: the client created, confirmed, got a conflict, corrected it and undid the change") or diag($err);
	is($node->safe_psql('postgres', "SELECT string_agg(verdict, ' ' ORDER BY change) FROM kg_history WHERE entity_id = 'north-$kind'"),
		'created updated updated deleted created', "$kind: the history has each change once");
}
stop_gateway($gateway);
done_testing();
