-- Work in memory must end in time, too. Here, a search reads quickly but would walk
-- for minutes. The call time or a cancel ends it. If the walk did not check these,
-- kg_graph.max_edges would end it. No time is measured.
\i test/data/prelude.sql
CALL test.tenant('clock_a', 'clock_a write');
CREATE FUNCTION clock_walk(options jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
SELECT coalesce(c->>'code', 'done') || ': ' || (c->>'message') FROM (SELECT kg_call_tool('find_paths', jsonb_build_object('from', jsonb_build_object('label', 'node', 'ids', (SELECT jsonb_agg('s' || i) FROM generate_series(1, 500) i)), 'to', '{"label": "node", "ids": ["t"]}'::jsonb, 'max_hops', 6, 'mode', 'simple', 'limit', 1000), options)#>'{structuredContent,error}') r(c) $$;
\c - clock_a
\pset format unaligned
\pset tuples_only on
-- 500 paths s - a - t, and for each a a thicket: edges from a to each x, and from
-- each x to each y. From an s to its t there is one simple path, but millions of
-- walks return to a.
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'thicket', 'version', '1',
  'schemas', '[{"entity_type": "node", "schema": {"type": "object", "x-id-field": "id", "required": ["id"], "properties": {"id": {"type": "string"}}}}]'::jsonb,
  'relations', '[{"name": "NEXT", "from": "node", "to": "node", "schema": {"type": "object", "properties": {"w": {"type": "number", "x-index": true}}}}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'node', 'items',
    (SELECT jsonb_agg(jsonb_build_object('id', id)) FROM (SELECT unnest(ARRAY['a', 't']) UNION ALL SELECT 's' || i FROM generate_series(1, 500) i UNION ALL SELECT k || i FROM unnest(ARRAY['x', 'y']) k, generate_series(1, 150) i) ids(id)))),
  'edges', (SELECT jsonb_agg(jsonb_build_object('relation', 'NEXT', 'from', 'node:' || f, 'to', 'node:' || t)) FROM (
    VALUES ('a', 't') UNION ALL SELECT 's' || i, 'a' FROM generate_series(1, 500) i UNION ALL SELECT 'a', 'x' || i FROM generate_series(1, 150) i UNION ALL SELECT 'x' || i, 'y' || j FROM generate_series(1, 150) i, generate_series(1, 150) j) e(f, t)))) ? 'revision';
\c - :owner
SET kg_graph.max_edges = 1500000000;
SET kg_graph.max_cost = 2000000000;
SET kg_graph.max_call_time = 250;
SET ROLE clock_a;
SELECT clock_walk();
RESET ROLE;
SET kg_graph.max_call_time = 0;
SET ROLE clock_a;
SET statement_timeout = 250;
SELECT clock_walk();
RESET statement_timeout;
-- the smallest counts
SELECT clock_walk('{"timeout_ms": 251}');
RESET ROLE;
SET kg_graph.max_call_time = 250;
SET ROLE clock_a;
SELECT clock_walk('{"timeout_ms": 600000}');
SELECT clock_walk('{"timeout_ms": 240}');
-- the walk is longer than that: it has more steps than these edges
RESET ROLE;
SET kg_graph.max_call_time = 0;
SET kg_graph.max_edges = 10000000;
SET ROLE clock_a;
SELECT clock_walk();
RESET ROLE;
RESET kg_graph.max_edges;
RESET kg_graph.max_cost;
RESET kg_graph.max_call_time;
SET client_min_messages = error;
DROP FUNCTION clock_walk;
CALL test.drop('clock_a');
