# No statement of a tool is compiled by JIT. In a database without statistics, and
# for plans whose scans are disabled, the estimated cost is above any jit_above_cost.
# Compiling such a statement takes a thousand times as long as running it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('main', 'fsync = off', 'autovacuum = off');
plan skip_all => 'this server has no JIT' if $node->safe_psql('postgres', 'SELECT pg_jit_available()') ne 't';
$node->append_conf('postgresql.conf', <<'EOC');
session_preload_libraries = 'auto_explain'
auto_explain.log_min_duration = 0
auto_explain.log_nested_statements = on
auto_explain.log_analyze = on
auto_explain.log_timing = off
EOC
$node->reload;

$node->safe_psql('postgres', q{
	CREATE EXTENSION kg_graph;
	CREATE TABLE denied (resource_type text, id text);
	CREATE FUNCTION decide(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS
	  $$ SELECT i, false FROM unnest($3) i JOIN public.denied d ON d.resource_type = $1 AND d.id = i
	     UNION ALL SELECT i, true FROM unnest($3) i WHERE NOT EXISTS (SELECT FROM public.denied d WHERE d.resource_type = $1 AND d.id = i) $$;
	GRANT SELECT ON denied TO PUBLIC;
	INSERT INTO denied VALUES ('person', 'bob')});
new_tenant($node, 'postgres', 'alice');
$node->safe_psql('postgres', q{
	SELECT kg_grant('t_alice', 'postgres', 'admin'), kg_set_authorizer('t_alice', 'decide(text, text, text[])');
	SELECT kg_apply_bundle('{"bundle_name": "people", "version": "1", "schemas": [{"entity_type": "person", "schema": {
	  "type": "object", "x-id-field": "id", "x-authorize": {"ability": "see"}, "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true},
	  "knows": {"type": "string", "x-ref": "person"}}}}],
	  "entities": [{"entity_type": "person", "items": [{"id": "ann", "name": "Ann", "knows": "bob"}, {"id": "bob", "name": "Bob", "knows": "ann"}, {"id": "cy", "name": "Cy", "knows": "ann"}]}]}')});

my $from = -s $node->logfile;
my ($status, $out, $err) = call_as($node, 'postgres', 'alice', q{
	SELECT kg_list('person', '{"filters": {"name": "Ann"}}') -> 'returned', kg_get('person', ARRAY['cy']) IS NOT NULL,
	  kg_search('{"query": "an"}') IS NOT NULL, kg_neighbors('{"start_node": {"label": "person", "node_id": "cy"}}') IS NOT NULL,
	  kg_bfs('{"seeds": ["person:cy"], "max_hops": 3}') IS NOT NULL, kg_list('person') -> 'returned'});
is("$status $out", '0 1|t|t|t|t|2', 'the tools return their answers without entities that the authorizer denies') or diag $err;
my $log = slurp_file($node->logfile, $from);
like($log, qr/Query Text: SELECT a\.id, a\.allowed FROM public\.decide/, q{the authorizer's function was called});
unlike($log, qr/JIT:/, 'no plan was compiled with JIT');

$node->stop;
done_testing();
