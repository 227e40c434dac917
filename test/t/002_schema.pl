# CREATE EXTENSION in a schema of the DBA's choice, DROP, and again.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('main');

$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', q{CREATE SCHEMA "Know ledge"; CREATE EXTENSION kg_graph SCHEMA "Know ledge"});
is($node->safe_psql('other', q{
	SELECT count(*) FROM pg_proc WHERE proname LIKE 'kg\_%' AND pronamespace <> '"Know ledge"'::regnamespace}),
	'0', 'every function is in the chosen schema');
is($node->safe_psql('other', q{
	SELECT count(*) FROM pg_class WHERE relname LIKE 'kg\_%' AND relnamespace <> '"Know ledge"'::regnamespace}),
	'0', 'every table is in the chosen schema');

$node->safe_psql('other', q{
	CREATE ROLE alice LOGIN;
	SELECT "Know ledge".kg_create_tenant('t_alice');
	SELECT "Know ledge".kg_grant('t_alice', 'alice', 'write');});

# The caller has no schema of ours in its search_path, but traps in it.
my $bundle = bundle_file('product');
my $path = q{SET search_path = trap, pg_catalog;};
$node->safe_psql('other', q{
	CREATE SCHEMA trap AUTHORIZATION alice;
	SET ROLE alice;
	CREATE TABLE trap.kg_entity (nothing int);
	CREATE TABLE trap.kg_entity_type (nothing int);
	CREATE FUNCTION trap.kg_tenant() RETURNS text LANGUAGE sql AS $$SELECT 'somebody else'$$;
	CREATE FUNCTION trap.trapped(text, text) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE 'trapped'; END$$;
	CREATE OPERATOR trap.= (LEFTARG = text, RIGHTARG = text, FUNCTION = trap.trapped);});
my ($status, $out, $err) = call_as($node, 'other', 'alice', qq{
	$path
	\\set bundle `cat '$bundle'`
	SELECT "Know ledge".kg_apply_bundle(:'bundle'::jsonb, '{}');});
is($status, 0, q{kg_apply_bundle works if search_path does not have the extension's schema}) or diag($err);
foreach my $call (
	q{kg_get('module', ARRAY['queue'])},
	q{kg_list('module', '{"filters":{"tier":"core"},"sort":[{"field":"name","order":"asc"}]}')},
	q{kg_list('module', '{"search":"scheduler"}')},
	q{kg_export_bundle('product')},
	q{kg_call_tool('list_module', '{}')},
	q{kg_list_tools()})
{
	($status, $out, $err) = call_as($node, 'other', 'alice', qq{$path SELECT "Know ledge".$call});
	is($status, 0, "$call works with traps in search_path") or diag($err);
	unlike($out, qr/"isError": true/, "$call returns no error in its result");
}
($status, $out, $err) = call_as($node, 'other', 'alice', qq{
	$path
	UPDATE "Know ledge".kg_entity SET data = data || '{"deprecated": true}' WHERE entity_id OPERATOR(pg_catalog.=) 'queue'});
is($status, 0, 'the triggers of a direct UPDATE work with traps in search_path') or diag($err);

# One session: the schema is renamed; what was cached is made again.
my $calls = sub {
	my ($schema) = @_;
	return qq{
		SELECT $schema.kg_get('module', 'queue') IS NOT NULL;
		SELECT $schema.kg_list('module') -> 'total' IS NOT NULL;
		SELECT $schema.kg_neighbors('{"start_node": {"label": "module", "node_id": "queue"}}') -> 'total' IS NOT NULL;};
};
is( $node->safe_psql(
		'other',
		q{SET SESSION AUTHORIZATION alice;}
		  . $calls->(q{"Know ledge"})
		  . q{RESET SESSION AUTHORIZATION; ALTER SCHEMA "Know ledge" RENAME TO wisdom; SET SESSION AUTHORIZATION alice;}
		  . $calls->('wisdom')
		  . q{RESET SESSION AUTHORIZATION; ALTER SCHEMA wisdom RENAME TO "Know ledge"; SET SESSION AUTHORIZATION alice;}
		  . $calls->(q{"Know ledge"})),
	join("\n", ('t') x 9), 'functions work in a session during which the schema is renamed');

# What the owner calls finds the schema as well, in a session from before and in a new one.
my $own = q{
	SELECT wisdom.kg_add_policy('own', 'kg_entity', $$entity_id <> 'secret'$$, roles => '{alice}');
	SELECT wisdom.kg_add_policy('own', 'kg_edge', 'true', roles => '{alice}');
	SELECT on_table, problem IS NULL FROM wisdom.kg_policy;
	SELECT polrelid::regclass FROM pg_policy WHERE polname = 'own';
	CREATE INDEX own_index ON wisdom.kg_entity (updated_at);
	SELECT wisdom.kg_dump_customizations();
	SELECT object FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(wisdom.kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c WHERE code = 'NOT_IN_DUMPS';
	DROP INDEX wisdom.own_index;
	SELECT wisdom.kg_drop_policy('own');
	SELECT count(*) FROM pg_policy WHERE polname = 'own';
	SELECT wisdom.kg_renew_secrets();};
my $renamed = q{ALTER SCHEMA "Know ledge" RENAME TO wisdom;};
my $back = q{ALTER SCHEMA wisdom RENAME TO "Know ledge";};
my $told = join("\n", '', '', 'kg_edge|t', 'wisdom.kg_edge',
	('CREATE INDEX own_index ON wisdom.kg_entity USING btree (updated_at);') x 2, '', '0', '');
$out = $node->safe_psql('other', $own =~ s/wisdom/"Know ledge"/gr . $renamed . $own . $back);
$out =~ s/"Know ledge"/wisdom/g;
is($out, "$told\n$told", 'functions for the owner work in a session during which the schema is renamed');
is($node->safe_psql('other', $renamed . $own . $back), $told, 'functions for the owner work in a new session after the rename');

# One session: drop and create again; what was cached is forgotten.
$node->safe_psql('postgres', 'CREATE DATABASE again');
$node->safe_psql('again', 'CREATE EXTENSION kg_graph');
is( $node->safe_psql(
		'again', q{
	SET kg_graph.tenant = 'x';
	SELECT kg_tenant() IS NULL;
	DROP EXTENSION kg_graph;
	CREATE SCHEMA elsewhere;
	CREATE EXTENSION kg_graph SCHEMA elsewhere;
	SELECT elsewhere.kg_tenant() IS NULL;
	SELECT elsewhere.kg_create_tenant('t');}),
	"t\nt\n", 'the extension can be dropped and created again in one session');
$node->safe_psql('again', 'DROP EXTENSION kg_graph');
is($node->safe_psql('again', q{SELECT count(*) FROM pg_class WHERE relname LIKE 'kg\_%'}),
	'0', 'DROP EXTENSION leaves no relations behind');

# Default privileges that take EXECUTE from PUBLIC leave the tools to everybody.
my $everybodys;
foreach my $made ('CREATE EXTENSION kg_graph',
	q{CREATE EXTENSION kg_graph VERSION '0.1.0'; ALTER EXTENSION kg_graph UPDATE})
{
	$node->safe_psql('postgres', 'CREATE DATABASE hardened');
	$node->safe_psql('hardened', "ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC; $made; "
		  . q{SELECT kg_create_tenant('t_alice'); SELECT kg_grant('t_alice', 'alice', 'read')});
	($status, $out, $err) = call_as($node, 'hardened', 'alice', 'SELECT kg_list_tools() IS NOT NULL');
	is($out, 't', "a tool under hardened default privileges: $made") or diag($err);
	is($node->safe_psql('hardened', q{SELECT has_function_privilege('public', 'kg_create_tenant(text)', 'EXECUTE'), kg_check() -> 'ok'}),
		'f|true', "PUBLIC may not execute a function for the owner: $made");
	my $theirs = $node->safe_psql('hardened', q{SELECT p.oid::regprocedure FROM pg_proc p
		WHERE p.pronamespace = 'public'::regnamespace AND p.proname LIKE 'kg\_%' AND has_function_privilege('public', p.oid, 'EXECUTE')});
	$everybodys //= $theirs;
	is(differences($theirs, $everybodys), '', "PUBLIC may execute the same functions as after the other statement: $made");
	$node->safe_psql('hardened', 'REVOKE EXECUTE ON FUNCTION kg_own_tenant(text) FROM PUBLIC');
	is($node->safe_psql('hardened', q{SELECT kg_health() ->> 'status'; SELECT kg_check('{"repair": true}') -> 'left'; SELECT kg_health() ->> 'status'}),
		"unhealthy\n0\nhealthy", "kg_health reports a privilege that PUBLIC lost later, and kg_check gives it back: $made");
	$node->safe_psql('postgres', 'DROP DATABASE hardened');
}

# Bytes are compared, and only in UTF-8 is that the order of code points.
$node->safe_psql('postgres', q{CREATE DATABASE ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0});
my ($ret, $stdout, $stderr) = $node->psql('ascii', 'CREATE EXTENSION kg_graph');
isnt($ret, 0, 'a database in another encoding is refused');
like($stderr, qr/UTF8/, 'the error names the required encoding');

# No preloading, and an ordinary role cannot create it.
is($node->safe_psql('postgres', 'SHOW shared_preload_libraries'), '', 'the server preloads no library');
$node->safe_psql('postgres', 'CREATE DATABASE mine OWNER alice');
($status, $out, $err) = call_as($node, 'mine', 'alice', 'CREATE EXTENSION kg_graph');
isnt($status, 0, 'an ordinary role cannot create the extension');

$node->stop;
done_testing();
