-- analyze: measures of the whole graph. test/measures compares random calls with networkx.
\i test/data/prelude.sql
\pset format unaligned
\pset tuples_only on
CALL test.tenant('measured', 'measure_reader write', 'measure_part read');
\c - measure_reader
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1",
  "schemas": [
    {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-summary-fields": ["size"],
      "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "size": {"type": "integer"}}}},
    {"entity_type": "item", "schema": {"type": "object", "x-id-field": "sku", "x-valid-to": "until",
      "properties": {"sku": {"type": "string"}, "name": {"type": "string", "x-untrusted": true}, "until": {"type": "string", "format": "date"}}}}],
  "relations": [{"name": "MADE_BY", "from": "item", "to": "brand", "inverse": "MAKES"},
    {"name": "LIKE", "from": "item", "to": "item", "schema": {"type": "object", "properties": {"share": {"type": "number"}, "note": {"type": "string"}}}}],
  "entities": [{"entity_type": "brand", "items": [{"id": "b1", "name": "Bee", "size": 3}, {"id": "b2", "name": "Cee", "size": 1}, {"id": "alone"}]},
    {"entity_type": "item", "items": [{"sku": "i1", "name": "one"}, {"sku": "i2", "name": "two"}, {"sku": "i3", "until": "2020-01-01"}, {"sku": "i4"}]}],
  "edges": [{"relation": "MADE_BY", "from": "item:i1", "to": "brand:b1"}, {"relation": "MADE_BY", "from": "item:i2", "to": "brand:b1"},
    {"relation": "MADE_BY", "from": "item:i3", "to": "brand:b2"}, {"relation": "LIKE", "from": "item:i1", "to": "item:i3", "properties": {"share": 0.5}},
    {"relation": "LIKE", "from": "item:i2", "to": "item:i3", "properties": {"share": 0}}, {"relation": "LIKE", "from": "item:i4", "to": "item:i4"}]}') ? 'revision';
CREATE FUNCTION pg_temp.tried(args jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d jsonb;
BEGIN
  RETURN kg_analyze(args);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', d->>'code', d->>'path', sqlerrm, d->>'expected', d->'did_you_mean', d->'allowed');
END $$;
CREATE FUNCTION pg_temp.found(args jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws('; ', r->>'node_count', r->>'edge_count', r->>'modularity', r->>'similarity',
    (SELECT string_agg(concat_ws(' ', x->>'node', x->>'score', x->>'size', x->>'nodes'), ', ' ORDER BY n) FROM jsonb_array_elements(coalesce(r->'ranked', r->'groups')) WITH ORDINALITY t(x, n)))
    FROM kg_analyze(args) r $$;

SELECT m, pg_temp.found(jsonb_build_object('measure', m)) FROM unnest('{degree,pagerank,betweenness,k_core,components,communities}'::text[]) WITH ORDINALITY AS t(m, n) ORDER BY n;
SELECT kg_call_tool('analyze', '{"measure": "degree", "limit": 2, "columns": ["size"]}')->'structuredContent';
SELECT kg_call_tool('analyze', '{"measure": "components", "limit": 1, "members": 1, "ids_only": true}')->'structuredContent';
SELECT kg_analyze('{"measure": "jaccard", "nodes": ["item:i1", "item:i2"], "ids_only": true}');
-- Directions, inverse names, types and weights. An edge without a weight is left out; a loop is one edge, and two ends of it.
SELECT d, pg_temp.found(jsonb_build_object('measure', 'degree', 'direction', d)) FROM unnest('{outgoing,incoming,both}'::text[]) WITH ORDINALITY AS t(d, n) ORDER BY n;
SELECT pg_temp.found('{"measure": "degree", "direction": "outgoing", "relations": ["MAKES"]}');
SELECT pg_temp.found('{"measure": "pagerank", "types": ["item"]}');
SELECT pg_temp.found('{"measure": "degree", "weight": "share", "relations": ["LIKE"]}');
SELECT pg_temp.found('{"measure": "pagerank", "weight": "share"}');
SELECT pg_temp.found('{"measure": "communities", "weight": "share", "seed": 7}');
SELECT pg_temp.found('{"measure": "components", "valid_at": "2026-01-01T00:00:00Z"}');
SELECT pg_temp.found('{"measure": "jaccard", "nodes": ["item:i1", "item:i2"], "types": ["brand"]}');
SELECT pg_temp.found('{"measure": "jaccard", "nodes": ["item:i4", "brand:alone"]}');
-- Chosen nodes, and their groups.
SELECT r->'ranked', r->'unknown_nodes', r->'hints' FROM kg_analyze('{"measure": "k_core", "nodes": ["i1", "i9", "brand:alone", "i1"]}') r;
SELECT pg_temp.found('{"measure": "components", "nodes": ["i4", "b2"], "members": 2}');
SELECT r - 'nodes' FROM kg_analyze('{"measure": "degree", "limit": 0}') r;
SELECT r->'returned', r->'withheld', octet_length(r::text) <= 1024 FROM kg_analyze('{"measure": "degree", "max_bytes": 1024}') r;
-- Wrong arguments.
SELECT pg_temp.tried(a::jsonb) FROM (VALUES ('{}'), ('{"measure": "centrality"}'), ('{"measure": "jaccard"}'), ('{"measure": "jaccard", "nodes": ["i1"]}'), ('{"measure": "jaccard", "nodes": ["i1", "i9"]}'),
  ('{"measure": "degree", "nodes": ["i9"]}'), ('{"measure": "degree", "nodes": []}'), ('{"measure": "degree", "nodes": ["i1"], "types": ["brand"]}'),
  ('{"measure": "k_core", "direction": "outgoing"}'), ('{"measure": "betweenness", "weight": "share"}'), ('{"measure": "degree", "weight": "note"}'), ('{"measure": "degree", "weight": "share", "relations": ["MADE_BY"]}'),
  ('{"measure": "degree", "seed": 1}'), ('{"measure": "degree", "members": 1}'), ('{"measure": "communities", "seed": -1}'), ('{"measure": "components", "members": 1001}'),
  ('{"measure": "degree", "types": ["itme"]}'), ('{"measure": "degree", "relations": ["LIEK"]}'), ('{"measure": "degree", "limit": 1001}'), ('{"measure": "degree", "valid_at": "soon"}')) v(a);
SELECT kg_analyze(NULL) IS NULL;
SELECT kg_put_edges('[{"relation": "LIKE", "from": "item:i2", "to": "item:i1", "properties": {"share": -2}}]') IS NOT NULL;
SELECT pg_temp.tried('{"measure": "pagerank", "weight": "share"}');
SELECT kg_put_edges('[{"relation": "LIKE", "from": "item:i2", "to": "item:i1", "properties": {"share": 1e16}}]') IS NOT NULL;
SELECT pg_temp.tried('{"measure": "communities", "weight": "share"}');
SELECT kg_delete_edges('[{"relation": "LIKE", "from": "item:i2", "to": "item:i1"}]') IS NOT NULL;
-- Limits of a search are those of a measure.
\c - postgres
ALTER ROLE measure_reader SET kg_graph.max_edges = 3;
\c - measure_reader
SELECT kg_analyze('{"measure": "components"}');
\c - postgres
ALTER ROLE measure_reader RESET kg_graph.max_edges;
ALTER ROLE measure_reader SET kg_graph.max_visited = 2;
\c - measure_reader
SELECT kg_analyze('{"measure": "components"}');
\c - postgres
ALTER ROLE measure_reader RESET kg_graph.max_visited;
ALTER ROLE measure_reader SET kg_graph.max_search_memory = '1MB';
\c - measure_reader
SELECT kg_put_entities('brand', (SELECT jsonb_agg(jsonb_build_object('id', 'n' || i)) FROM generate_series(1, 10000) i)) IS NOT NULL;
SELECT kg_analyze('{"measure": "communities"}');
\c - postgres
ALTER ROLE measure_reader RESET kg_graph.max_search_memory;
-- Who does not see an entity has the measures of a graph without it.
CREATE POLICY measure_hides ON kg_entity AS RESTRICTIVE FOR SELECT TO measure_part USING (entity_id <> 'i3' AND entity_id !~ '^n');
\c - measure_part
SELECT r - 'nodes' FROM unnest('{degree,betweenness,components}'::text[]) WITH ORDINALITY AS t(m, n), kg_analyze(jsonb_build_object('measure', m, 'ids_only', true)) r ORDER BY n;
SELECT kg_analyze('{"measure": "jaccard", "nodes": ["item:i1", "item:i3"]}');
SELECT r->'ranked', r->'unknown_nodes' FROM kg_analyze('{"measure": "degree", "nodes": ["item:i1", "item:i3"]}') r;
\c - postgres
DROP POLICY measure_hides ON kg_entity;
CALL test.drop('measured');
