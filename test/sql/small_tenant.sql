-- A scan of a small tenant must not read the nodes of other tenants, whose numbers
-- are between its own, although the index on nodes begins with the node.
\set ECHO none
\i test/data/prelude.sql
\set ECHO all
CALL test.tenant('small_many', 'small_admin admin');
CALL test.tenant('small_few');
SELECT kg_grant('small_few', 'small_admin', 'admin');
\c - small_admin
CREATE FUNCTION pg_temp.apply(tenant text, first int, last int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('kg_graph.tenant', tenant, false);
  RETURN kg_apply_bundle(jsonb_build_object('bundle_name', 'parts', 'version', '1', 'schemas', '[{"entity_type": "part", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-search": ["name"],
      "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true}, "of": {"type": "string", "x-ref": "part", "x-relation": "PART_OF"}}}}]'::jsonb,
    'entities', jsonb_build_array(jsonb_build_object('entity_type', 'part', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'p' || n, 'name', 'Part ' || n, 'of', 'p' || first)) FROM generate_series(first, last) n)))), '{"mode": "merge"}') ->> 'changed';
END
$$;
SELECT pg_temp.apply('small_few', 1, 3), pg_temp.apply('small_many', 1, 10000), pg_temp.apply('small_few', 4, 6);
\c - :owner
VACUUM ANALYZE;
SELECT min(node) FILTER (WHERE tenant = 'small_few') < min(node) FILTER (WHERE tenant = 'small_many') AND max(node) FILTER (WHERE tenant = 'small_few') > max(node) FILTER (WHERE tenant = 'small_many') AS others_between FROM kg_entity;

-- Pages of the index that a call looks at: less than half of those that it has.
CREATE TABLE test.page(call text, before bigint, now bigint);
GRANT ALL ON test.page TO small_admin;
CREATE FUNCTION test.pages() RETURNS bigint LANGUAGE sql AS $$ SELECT (idx_blks_hit + idx_blks_read)::bigint FROM pg_statio_all_indexes WHERE indexrelname = 'kg_entity_node_idx' $$;
\set VERBOSITY terse
SELECT kg_check('{"tenant": "small_few"}') -> 'ok' AS warmed;
SELECT pg_stat_force_next_flush();
INSERT INTO test.page SELECT 'kg_check', test.pages();
SELECT kg_check('{"tenant": "small_few"}') -> 'ok' AS ok;
SELECT pg_stat_force_next_flush();
UPDATE test.page SET now = test.pages() WHERE now IS NULL;
INSERT INTO test.page SELECT 'kg_tenant_size', test.pages();
SELECT kg_tenant_size('small_few') -> 'entities' AS entities;
SELECT pg_stat_force_next_flush();
UPDATE test.page SET now = test.pages() WHERE now IS NULL;
\c - small_admin
SET kg_graph.tenant = 'small_few';
INSERT INTO test.page SELECT 'kg_pack', test.pages();
SELECT kg_pack() AS packed;
SELECT pg_stat_force_next_flush();
UPDATE test.page SET now = test.pages() WHERE now IS NULL;
INSERT INTO test.page SELECT 'graph_traverse', test.pages();
SELECT kg_call_tool('graph_traverse', '{"start": ["part:p1"], "direction": "any", "max_depth": 8}') ? 'structuredContent' AS walked;
SELECT pg_stat_force_next_flush();
UPDATE test.page SET now = test.pages() WHERE now IS NULL;
INSERT INTO test.page SELECT 'kg_export_bundle', test.pages();
SELECT kg_export_bundle('parts') ? 'entities' AS exported;
SELECT pg_stat_force_next_flush();
UPDATE test.page SET now = test.pages() WHERE now IS NULL;
\c - :owner
INSERT INTO test.page SELECT 'kg_drop_tenant', test.pages();
SELECT kg_drop_tenant('small_few');
SELECT pg_stat_force_next_flush();
UPDATE test.page SET now = test.pages() WHERE now IS NULL;
SELECT call, now - before < pg_relation_size('kg_entity_node_idx') / 8192 / 2 AS few FROM test.page;
SELECT count(*) AS left_packed FROM kg_adjacency WHERE tenant = 'small_few';
CALL test.drop('small_many');
DROP TABLE test.page;
DROP FUNCTION test.pages();
