-- rank_related: personalised PageRank. test/rank compares random calls with power iteration.
\i test/data/prelude.sql
\pset format unaligned
\pset tuples_only on
CALL test.tenant('ranks', 'rank_reader write', 'rank_part read');
\c - rank_reader
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1",
  "schemas": [
    {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-summary-fields": ["size"],
      "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "size": {"type": "integer"}}}},
    {"entity_type": "item", "schema": {"type": "object", "x-id-field": "sku", "x-valid-to": "until",
      "properties": {"sku": {"type": "string"}, "name": {"type": "string", "x-untrusted": true}, "until": {"type": "string", "format": "date"}}}}],
  "relations": [{"name": "MADE_BY", "from": "item", "to": "brand"}, {"name": "LIKE", "from": "item", "to": "item"}],
  "entities": [{"entity_type": "brand", "items": [{"id": "b1", "name": "Bee", "size": 3}, {"id": "b2", "name": "Cee", "size": 1}, {"id": "alone"}]},
    {"entity_type": "item", "items": [{"sku": "i1", "name": "one"}, {"sku": "i2", "name": "two"}, {"sku": "i3", "until": "2020-01-01"}, {"sku": "i4"}]}],
  "edges": [{"relation": "MADE_BY", "from": "item:i1", "to": "brand:b1"}, {"relation": "MADE_BY", "from": "item:i2", "to": "brand:b1"},
    {"relation": "MADE_BY", "from": "item:i3", "to": "brand:b2"}, {"relation": "LIKE", "from": "item:i1", "to": "item:i3"}, {"relation": "LIKE", "from": "item:i4", "to": "item:i4"}]}') ? 'revision';
CREATE FUNCTION pg_temp.tried(args jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d jsonb;
BEGIN
  RETURN kg_rank(args);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', d->>'code', d->>'path', sqlerrm, d->>'expected', d->'did_you_mean', d->'allowed');
END $$;
CREATE FUNCTION pg_temp.tried(tool text, args jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' | ', r->>'code', r->>'path', r->>'message', r->'did_you_mean', r->'allowed') FROM (SELECT kg_call_tool(tool, args)->'structuredContent'->'error') x(r) $$;
CREATE FUNCTION pg_temp.found(args jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(concat_ws(' ', r->>'node', r->>'score', jsonb_array_length(r->'path') / 2), ', ' ORDER BY n) FROM jsonb_array_elements(kg_rank(args)->'ranked') WITH ORDINALITY t(r, n) $$;

SELECT kg_rank('{"seeds": ["i1"]}');
-- as a tool
SELECT kg_call_tool('rank_related', '{"seeds": ["brand:b2"], "limit": 2, "columns": ["size"]}')->'structuredContent';
-- weights, twice the same seed, the way edges are followed, damping
SELECT pg_temp.found(a::jsonb) FROM (VALUES ('{"seeds": [{"id": "i1", "weight": 3}, {"id": "brand:b2"}]}'), ('{"seeds": ["i1", "item:i1", {"id": "i1"}, "b2"]}'),
  ('{"seeds": ["i1"], "direction": "outgoing"}'), ('{"seeds": ["i1"], "direction": "incoming"}'), ('{"seeds": ["i1"], "relationship_types": ["LIKE"]}'),
  ('{"seeds": ["i1"], "damping": 0}'), ('{"seeds": ["i1"], "damping": 0.5}'), ('{"seeds": ["alone"]}'), ('{"seeds": ["i4"]}'), ('{"seeds": ["i4"], "damping": 0.99}')) v(a);
-- only some are told, and the walk goes through all
SELECT pg_temp.found('{"seeds": ["i2"], "node_labels": ["brand"]}');
SELECT r - 'ranked' FROM kg_rank('{"seeds": ["i2"], "node_labels": ["item"], "limit": 2, "ids_only": true}') r;
SELECT r - 'ranked' FROM kg_rank('{"seeds": ["i2"], "node_labels": ["brand"], "limit": 2, "ids_only": true}') r;
-- what is around, by relevance: what a page leaves out is the least relevant
SELECT o, r->'nodes', r->'total', r->'next'->'offset' FROM unnest('{distance,relevance}'::text[]) o, kg_bfs(jsonb_build_object('seeds', '["i1"]'::jsonb, 'max_hops', 3, 'order', o, 'limit', 4, 'ids_only', true)) r;
SELECT o, r->'nodes', p->'nodes', jsonb_array_length(r->'edges') + jsonb_array_length(p->'edges') FROM unnest('{distance,relevance}'::text[]) o, kg_neighbors(jsonb_build_object('start_node', '{"label": "item", "node_id": "i2"}'::jsonb, 'max_hops', 'all', 'order', o, 'limit', 3, 'ids_only', true)) r, kg_neighbors(r->'next') p;
SELECT (kg_call_tool('around', '{"handle": "item:i2", "max_hops": "all", "order": "relevance", "fields": ["id"], "limit": 3}')->'structuredContent'->'next') - 'cursor';
SELECT pg_temp.tried('bfs_query', '{"seeds": ["i1"], "max_hops": 1, "order": "relevanec"}'), pg_temp.tried('explore_neighbors', '{"start_node": {"label": "item", "node_id": "i2"}, "order": "depth"}');
-- what does not hold at an instant is not there
SELECT pg_temp.found('{"seeds": ["i1"], "valid_at": "2021-01-01T00:00:00Z"}');
-- no more than that is left
SELECT r->'residual' <= to_jsonb(a) FROM unnest('{0.5,0.0001}'::float8[]) a, kg_rank(jsonb_build_object('seeds', '["i1"]'::jsonb, 'epsilon', a)) r;
-- little room: the last go first
SELECT r->'returned', r->'withheld', octet_length(r::text) <= 1024 FROM kg_rank('{"seeds": ["i1"], "max_bytes": 1024}') r;
-- seeds that are not there
SELECT r->'unknown_seeds', r->'hints', jsonb_array_length(r->'ranked') FROM kg_rank('{"seeds": ["i1", "i9", "brand:b7", "i9"], "limit": 1}') r;
-- a number in a string is what it says
SELECT reply = kg_rank('{"seeds": [{"id": "i1", "weight": 2}, "b2"], "damping": 0.5}'), repaired FROM (SELECT r - 'repaired' AS reply, r->'repaired' AS repaired FROM kg_rank('{"seeds": [{"id": "i1", "weight": "2"}, "b2"], "damping": "0.5"}') r) t;
-- the least number above 0 is one; strings that are no number, or too large, are told so
SELECT jsonb_array_length(kg_rank('{"seeds": [{"id": "i1", "weight": 5e-324}]}') -> 'ranked') > 0 AS least;
SELECT pg_temp.tried(a::jsonb) FROM (VALUES ('{"seeds": [{"id": "i1", "weight": "0"}]}'), ('{"seeds": [{"id": "i1", "weight": "1e3"}]}'), ('{"seeds": ["i1"], "damping": "NaN"}'), ('{"seeds": ["i1"], "damping": "0.999"}')) v(a);
SELECT pg_temp.tried(a::jsonb) FROM (VALUES ('{"seeds": ["i9"]}'), ('{"seeds": []}'), ('{}'), ('{"seeds": "i1"}'), ('{"seeds": [true]}'), ('{"seeds": [{"weight": 1}]}'), ('{"seeds": [{"id": "i1", "wieght": 1}]}'),
  ('{"seeds": [{"id": "i1", "weight": 0}]}'), ('{"seeds": [{"id": "i1", "weight": -1}]}'), ('{"seeds": [{"id": "i1", "weight": "much"}]}'), ('{"seeds": [{"id": "i1", "weight": 1e400}]}'),
  ('{"seeds": ["i1"], "epsilon": 0}'), ('{"seeds": ["i1"], "epsilon": 0.6}'), ('{"seeds": ["i1"], "epsilon": "little"}'), ('{"seeds": ["i1"], "damping": 1}'), ('{"seeds": ["i1"], "damping": -0.1}'), ('{"seeds": ["i1"], "damping": true}'), ('{"seeds": ["i1"], "limit": 0}'), ('{"seeds": ["i1"], "limit": 1001}'),
  ('{"seeds": ["i1"], "direction": "up"}'), ('{"seeds": ["i1"], "relationship_types": ["LIEK"]}'), ('{"seeds": ["i1"], "node_labels": ["itme"]}'), ('{"seeds": ["i1"], "columns": ["nmae"]}'),
  ('{"seeds": ["i1"], "valid_at": "soon"}'), ('{"seeds": ["i1"], "max_bytes": 10}'), ('{"seeds": ["i1"], "dampnig": 0.5}'), ('{"seeds": ["b1"], "max_bytes": null}')) v(a);
SELECT kg_rank(NULL) IS NULL;
-- It ends where it would go over the edges of too many nodes, and says what is left.
\c - postgres
ALTER ROLE rank_reader SET kg_graph.max_ranked = 2;
\c - rank_reader
SELECT r->'residual', r->'ranked'->0->'score' FROM kg_rank('{"seeds": ["i1"]}') r;
\c - postgres
ALTER ROLE rank_reader RESET kg_graph.max_ranked;
ALTER ROLE rank_reader SET kg_graph.max_visited = 2;
\c - rank_reader
SELECT kg_rank('{"seeds": ["i1"]}');
\c - postgres
ALTER ROLE rank_reader RESET kg_graph.max_visited;
-- Who does not see an entity has the scores of a graph without it.
CREATE POLICY rank_hides ON kg_entity AS RESTRICTIVE FOR SELECT TO rank_part USING (entity_id <> 'i3');
\c - rank_part
SELECT kg_rank('{"seeds": ["i1"], "ids_only": true}');
SELECT kg_rank('{"seeds": ["i3"]}');
\c - postgres
DROP POLICY rank_hides ON kg_entity;
CALL test.drop('ranks');
