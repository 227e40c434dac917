-- The cost of a search is estimated before it runs. As ordinary roles, over graphs
-- in which every node has ten edges, so that the estimate is known.
\i test/data/prelude.sql
CALL test.tenant('cost_a', 'cost_a write');
CALL test.tenant('cost_b', 'cost_b write', 'cost_some read');
CALL test.tenant('cost_c', 'cost_c write');
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO cost_a, cost_b, cost_c, cost_some; GRANT pg_read_all_stats TO cost_a, cost_b, cost_c, cost_some;
-- n nodes in a ring, each with an edge to the next five; and other nodes, which a
-- policy hides, with an edge to each node of the ring
CREATE FUNCTION cost_ring(nodes int, hidden int) RETURNS jsonb LANGUAGE sql AS $$
SELECT jsonb_build_object('bundle_name', 'ring', 'version', '1',
  'schemas', '[{"entity_type": "node", "schema": {"type": "object", "x-id-field": "id", "required": ["id"], "properties": {"id": {"type": "string"}, "g": {"type": "integer", "x-index": true}, "hidden": {"type": "boolean"}}}}]'::jsonb,
  'relations', '[{"name": "NEXT", "from": "node", "to": "node", "schema": {"type": "object", "properties": {"w": {"type": "number", "x-index": true}}}}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'node', 'items',
    (SELECT jsonb_agg(jsonb_build_object('id', i::text, 'g', i % 10)) FROM generate_series(0, nodes - 1) i) ||
    coalesce((SELECT jsonb_agg(jsonb_build_object('id', 'h' || i, 'hidden', true)) FROM generate_series(1, hidden) i), '[]'))),
  'edges', (SELECT jsonb_agg(jsonb_build_object('relation', 'NEXT', 'from', 'node:' || i, 'to', 'node:' || (i + d) % nodes, 'properties', '{"w": 1}'::jsonb)) FROM generate_series(0, nodes - 1) i, generate_series(1, 5) d) ||
    coalesce((SELECT jsonb_agg(jsonb_build_object('relation', 'NEXT', 'from', 'node:' || i, 'to', 'node:h' || h)) FROM generate_series(0, nodes - 1) i, generate_series(1, hidden) h), '[]')) $$;
-- 20 hubs, each with an edge to 100 of 200 others, which have ten of them
CREATE FUNCTION cost_hubs() RETURNS jsonb LANGUAGE sql AS $$
SELECT jsonb_build_object('bundle_name', 'hubs', 'version', '1',
  'schemas', '[{"entity_type": "node", "schema": {"type": "object", "x-id-field": "id", "required": ["id"], "properties": {"id": {"type": "string"}}}}]'::jsonb,
  'relations', '[{"name": "NEXT", "from": "node", "to": "node"}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'node', 'items',
    (SELECT jsonb_agg(jsonb_build_object('id', id)) FROM (SELECT 'hub' || i FROM generate_series(0, 19) i UNION ALL SELECT i::text FROM generate_series(0, 199) i) n(id)))),
  'edges', (SELECT jsonb_agg(jsonb_build_object('relation', 'NEXT', 'from', 'node:hub' || h, 'to', 'node:' || (h * 10 + i) % 200)) FROM generate_series(0, 19) h, generate_series(0, 99) i)) $$;
CREATE POLICY cost_hides ON kg_entity AS RESTRICTIVE FOR SELECT TO cost_some USING (NOT data ? 'hidden');
CREATE FUNCTION cost_of(tool text, arguments jsonb) RETURNS text LANGUAGE sql AS $$ SELECT kg_explain(tool, arguments)#>>'{estimate,edges}' $$;
CREATE FUNCTION cost_refused(tool text, arguments jsonb) RETURNS text LANGUAGE sql AS $$
SELECT CASE WHEN r->'isError' = 'true' THEN concat_ws(' | ', c->>'code', c->>'path', c->>'message', c->>'got') ELSE 'total ' || (c->>'total') END
  FROM kg_call_tool(tool, arguments) r, LATERAL (SELECT coalesce(r#>'{structuredContent,error}', r->'structuredContent') AS c) x $$;
CREATE TABLE cost_calls (i int GENERATED ALWAYS AS IDENTITY, tool text, arguments jsonb);
INSERT INTO cost_calls (tool, arguments) SELECT t, a::jsonb FROM (VALUES
  ('find_nodes', '{"node_label": "node", "ids": ["1"]}'),
  ('explore_neighbors', '{"start_node": {"label": "node", "node_id": "1"}, "max_hops": 1}'),
  ('explore_neighbors', '{"start_node": {"label": "node", "node_id": "1"}, "max_hops": 1, "direction": "outgoing"}'),
  ('explore_neighbors', '{"start_node": {"label": "node", "node_id": "1"}, "max_hops": 3}'),
  ('bfs_query', '{"seeds": ["1", "100"], "max_hops": 2}'),
  ('bfs_query', '{"seeds": ["1"], "max_hops": 5}'),
  ('intersect_subgraphs', '{"seeds": ["1", "2", "3", "4"], "k": 3}'),
  ('traverse_relationships', '{"from": {"label": "node", "ids": ["1"]}, "relationships": [{"type": "NEXT"}]}'),
  ('traverse_relationships', '{"from": {"label": "node", "filters": {"g": {"lt": 5}}}, "relationships": [{"type": "NEXT", "direction": "both", "max_hops": 3}]}'),
  ('traverse_relationships', '{"from": {"label": "node", "ids": ["1"]}, "relationships": [{"type": "NEXT"}, {"type": "NEXT", "to": {"filters": {"g": 77}}}, {"type": "NEXT"}]}'),
  ('traverse_relationships', '{"from": {"label": "node", "ids": ["1"]}, "relationships": [{"type": "NEXT", "filters": {"w": 2}}, {"type": "NEXT"}]}'),
  ('find_paths', '{"from": {"label": "node", "ids": ["1"]}, "to": {"label": "node", "ids": ["9"]}}'),
  ('find_paths', '{"from": {"label": "node", "ids": ["1"]}, "to": {"label": "node", "ids": ["9"]}, "max_hops": 6, "mode": "walks"}'),
  ('find_paths', '{"from": {"label": "node", "ids": ["1"]}, "to": {"label": "node", "ids": ["9"]}, "max_hops": 6, "mode": "simple"}'),
  ('find_paths', '{"from": {"label": "node", "ids": ["1"]}, "to": {"label": "node", "ids": ["9"]}, "max_hops": 6, "weight": "w"}'),
  ('find_paths', '{"from": {"label": "node", "filters": {"g": {"lt": 5}}}, "to": {"label": "node", "filters": {"g": {"gte": 5}}}, "max_hops": 4}'),
  ('aggregate_nodes', '{"node": {"label": "node"}, "aggregations": [{"fn": "count"}]}'),
  ('aggregate_nodes', '{"node": {"label": "node"}, "relationships": [{"type": "NEXT", "max_hops": 2}], "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "NEXT", "label": "node", "property": "g"}]}')) v(t, a);
GRANT SELECT ON cost_calls TO PUBLIC;
\pset format unaligned
\pset tuples_only on
\c - cost_a
SELECT kg_apply_bundle(cost_ring(300, 0)) ? 'revision';
\c - cost_b
SELECT kg_apply_bundle(cost_ring(300, 30)) ? 'revision';

-- what each call is estimated to cost
\c - cost_a
SELECT i, tool, cost_of(tool, arguments) FROM cost_calls ORDER BY i;
SELECT DISTINCT kg_explain(tool, arguments)#>>'{estimate,max_cost}' FROM cost_calls WHERE i > 1 AND arguments->'relationships' IS NOT NULL;
-- who cannot see the other nodes gets the same estimates, packed or not; who can gets others
CREATE TEMP TABLE mine AS SELECT i, cost_of(tool, arguments) FROM cost_calls;
GRANT SELECT ON mine TO PUBLIC;
SELECT string_agg(coalesce(cost_of, '-'), ',' ORDER BY i) AS mine FROM mine \gset
\c - cost_some
SELECT string_agg(coalesce(cost_of(tool, arguments), '-'), ',' ORDER BY i) = :'mine' FROM cost_calls;
\c - cost_b
SELECT string_agg(coalesce(cost_of(tool, arguments), '-'), ',' ORDER BY i) = :'mine' FROM cost_calls;
SELECT kg_pack() >= 0;
\c - cost_some
SELECT string_agg(coalesce(cost_of(tool, arguments), '-'), ',' ORDER BY i) = :'mine' FROM cost_calls;

-- hubs: the estimate is right for a step of two hops that ends in the first hub, and
-- for steps whose second hop starts at hubs
\c - cost_c
SELECT kg_apply_bundle(cost_hubs()) ? 'revision';
SELECT cost_of('traverse_relationships', jsonb_build_object('from', '{"label": "node", "ids": ["hub0"]}'::jsonb, 'relationships', r::jsonb)) FROM unnest(ARRAY[
  '[{"type": "NEXT", "max_hops": 2}, {"type": "NEXT", "direction": "incoming"}]',
  '[{"type": "NEXT", "max_hops": 2}, {"type": "NEXT", "direction": "both", "max_hops": 2}]',
  '[{"type": "NEXT"}, {"type": "NEXT", "direction": "both", "max_hops": 2}]',
  '[{"type": "NEXT", "direction": "both", "min_hops": 2, "max_hops": 2}, {"type": "NEXT"}]']) r;
SELECT cost_of('bfs_query', '{"seeds": ["hub0"], "max_hops": 3}'), cost_of('intersect_subgraphs', '{"seeds": ["1", "2", "3"], "k": 2}');

-- a ceiling: what is above it is counted, and refused where that is above it, too
\c - :owner
SET kg_graph.max_cost = 2500;
SET ROLE cost_a;
SELECT i, cost_refused(tool, arguments) FROM cost_calls ORDER BY i;
RESET ROLE;
-- the hidden nodes are not counted: 300 nodes of ten edges either way
SET ROLE cost_some;
SELECT i, cost_refused(tool, arguments) FROM cost_calls WHERE i IN (6, 7) ORDER BY i;
RESET ROLE;
SET kg_graph.max_cost = 3000;
SET ROLE cost_a;
SELECT i, cost_refused(tool, arguments) FROM cost_calls WHERE i IN (6, 7) ORDER BY i;
RESET ROLE;
SET ROLE cost_some;
SELECT i, cost_refused(tool, arguments) FROM cost_calls WHERE i IN (6, 7) ORDER BY i;
RESET ROLE;
-- explaining a call that is refused says so
SET kg_graph.max_cost = 10;
SET ROLE cost_a;
SELECT kg_explain('bfs_query', '{"seeds": ["1"], "max_hops": 3}');
-- a search of a hop or two from a node or two costs what its estimate would: it runs
SELECT cost_refused('explore_neighbors', '{"start_node": {"label": "node", "node_id": "1"}, "max_hops": 2}');
RESET ROLE;
-- what is refused was not begun: nothing was charged to the ceilings of the search itself
SET kg_graph.max_edges = 1;
SET ROLE cost_a;
SELECT cost_refused('bfs_query', '{"seeds": ["1"], "max_hops": 3}');
RESET ROLE;
RESET kg_graph.max_cost;
SET ROLE cost_a;
SELECT cost_refused('bfs_query', '{"seeds": ["1"], "max_hops": 3}');
SET kg_graph.max_cost = 1;
RESET ROLE;
RESET kg_graph.max_edges;
SET client_min_messages = error;
DROP TABLE cost_calls;
DROP FUNCTION cost_ring, cost_hubs, cost_of, cost_refused;
DROP POLICY cost_hides ON kg_entity;
CALL test.drop('cost_a', 'cost_b', 'cost_c');
