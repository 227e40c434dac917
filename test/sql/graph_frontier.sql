-- The result does not depend on how a frontier is read: packed in blocks, packed in
-- a row for one node, partly packed or not packed. Compared with recursive SQL.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('frontier', 'regress_frontier write');
CALL test.tenant('between', 'regress_frontier write');
SET ROLE regress_frontier;
CREATE FUNCTION pg_temp.nodes(low integer, high integer) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', 'frontier', 'version', '1',
    'schemas', '[{"entity_type": "nn", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}]'::jsonb,
    'relations', '[{"name": "TO", "from": "nn", "to": "nn"}]'::jsonb,
    'entities', jsonb_build_array(jsonb_build_object('entity_type', 'nn', 'items',
      (SELECT jsonb_agg(jsonb_build_object('id', 'n' || i)) FROM generate_series(low, high) i)))) $$;
-- the numbers of two tenants' nodes lie between each other
DO $$
BEGIN
  FOR piece IN 0..19 LOOP
    PERFORM set_config('kg_graph.tenant', 'between', false);
    PERFORM kg_apply_bundle(pg_temp.nodes(piece * 3, piece * 3 + 2), '{"mode": "merge"}');
    PERFORM set_config('kg_graph.tenant', 'frontier', false);
    PERFORM kg_apply_bundle(pg_temp.nodes(piece * 100, piece * 100 + 99), '{"mode": "merge"}');
  END LOOP;
END $$;
-- hubs of neighbours that are one after the other, near, far and all over; and their edges on
SELECT r #> '{relations,TO,created}' AS edges FROM (SELECT kg_apply_bundle(pg_temp.nodes(0, 0) || jsonb_build_object('edges', (
  SELECT jsonb_agg(DISTINCT jsonb_build_object('relation', 'TO', 'from', 'nn:n' || f, 'to', 'nn:n' || t)) FROM (
    SELECT 0 AS f, i AS t FROM generate_series(100, 400) i
    UNION SELECT 1, i FROM generate_series(10, 1990, 8) i
    UNION SELECT 2, i FROM generate_series(10, 1990, 9) i
    UNION SELECT i, 3 FROM generate_series(10, 1990, 40) i
    UNION SELECT 4, i + i * i % 7 FROM generate_series(500, 1500, 5) i
    UNION SELECT 5, i * i * 13 % 2000 FROM generate_series(1, 60) i
    UNION SELECT 6, 1700 + i % 2 * 200 + i FROM generate_series(1, 90) i
    UNION SELECT i, (i * 11 + i % 3 * 500) % 2000 FROM generate_series(0, 1999) i WHERE i % 4 <> 1) e)),
  '{"mode": "merge"}') AS r) x;
CREATE TEMP TABLE e AS SELECT s.entity_id AS f, t.entity_id AS t FROM kg_edge x JOIN kg_entity s ON s.node = x.source JOIN kg_entity t ON t.node = x.target;
CREATE INDEX ON e (f);
CREATE INDEX ON e (t);
ANALYZE e;
CREATE TEMP TABLE wanted AS
  WITH RECURSIVE w (start, way, id, d) AS (
    SELECT 'n' || i, way, ('n' || i) COLLATE "C", 0 FROM generate_series(0, 8) i, unnest(ARRAY['outgoing', 'incoming', 'both']) way
    UNION
    SELECT w.start, w.way, n.id, w.d + 1 FROM w, LATERAL (
      SELECT t AS id FROM e WHERE f = w.id AND way <> 'incoming' UNION SELECT f FROM e WHERE t = w.id AND way <> 'outgoing') n WHERE w.d < 3)
  SELECT start, way, id, min(d) AS depth FROM w GROUP BY 1, 2, 3;
CREATE FUNCTION pg_temp.got(start text, way text) RETURNS TABLE (id text, depth integer) LANGUAGE plpgsql AS $$
DECLARE
  args jsonb := jsonb_build_object('start_node', jsonb_build_object('label', 'nn', 'node_id', start), 'max_hops', 3, 'direction', way, 'limit', 500);
  reply jsonb;
BEGIN
  LOOP
    reply := kg_neighbors(args || '{"max_bytes": 4000000}');
    RETURN QUERY SELECT x ->> 'id', (x ->> 'depth')::integer FROM jsonb_array_elements(reply -> 'nodes') x;
    args := reply -> 'next';
    EXIT WHEN args IS NULL;
  END LOOP;
END $$;
CREATE TEMP VIEW different AS
  SELECT s.start, s.way, count(*) FROM (SELECT DISTINCT start, way FROM wanted) s, LATERAL (
    (SELECT id, depth FROM wanted w WHERE w.start = s.start AND w.way = s.way EXCEPT ALL SELECT * FROM pg_temp.got(s.start, s.way))
    UNION ALL
    (SELECT * FROM pg_temp.got(s.start, s.way) EXCEPT ALL SELECT id, depth FROM wanted w WHERE w.start = s.start AND w.way = s.way)) x GROUP BY 1, 2;
SELECT count(*) > 5000 AS many FROM wanted;
-- rows alone
SELECT * FROM different;
-- packed: blocks that two tenants have nodes of, and nodes with a row of their own; as many bits as nodes with edges
SELECT kg_pack() AS packed;
SELECT * FROM different;
SELECT kg_pack() AS left_to_pack;
RESET ROLE;
CREATE TEMP VIEW packed AS
  SELECT e.node, e.entity_id AS id, a.alone >> ((e.node - 1) % 32)::integer & 1 = 1 AS alone FROM kg_adjacency a JOIN kg_entity e ON e.tenant = a.tenant AND (e.node + 31) / 32 = a.block
   AND a.nodes >> ((e.node - 1) % 32)::integer & 1 = 1 WHERE a.tenant = 'frontier';
CREATE TEMP VIEW packed_rows AS
  SELECT count(*) FILTER (WHERE block > 0) > 60 AS blocks, count(*) FILTER (WHERE block < 0) AS nodes, count(*) FILTER (WHERE block > 0 AND nodes = 0) AS empty
    FROM kg_adjacency WHERE tenant = 'frontier';
SELECT * FROM packed_rows;
SELECT id FROM packed WHERE alone ORDER BY id COLLATE "C";
SELECT count(*) > 10 AS shared FROM kg_adjacency a JOIN kg_entity e ON (e.node + 31) / 32 = a.block WHERE a.tenant = 'frontier' AND e.tenant = 'between';
SELECT (SELECT count(*) FROM packed) - (SELECT count(DISTINCT id) FROM (SELECT f AS id FROM e UNION ALL SELECT t FROM e) x) AS difference;
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO regress_frontier; GRANT pg_read_all_stats TO regress_frontier;
SET ROLE regress_frontier;
-- a list leads the index also where the planner has seen little of the tables
SELECT count(*) FILTER (WHERE line ~ 'Index Cond:.*block = ANY') > 0 AS by_index, count(*) FILTER (WHERE line ~ 'Filter:.*(node|block) = ANY') AS by_filter
  FROM jsonb_array_elements(kg_explain('explore_neighbors', '{"start_node": {"label": "nn", "node_id": "n1"}, "max_hops": 2}') -> 'statements') s,
    jsonb_array_elements_text(s -> 'plan') line;
-- taken away and written again, the ends of some edges are not packed, a node of its own among them
CREATE TEMP TABLE again AS SELECT tenant, source, relation_no, target FROM kg_edge x JOIN kg_entity s USING (tenant) WHERE s.node = x.source AND (s.entity_id ~ '[27]$' OR s.entity_id = 'n1');
SELECT count(*) > 400 AS many FROM again;
DELETE FROM kg_edge x USING again a WHERE (x.source, x.relation_no, x.target) = (a.source, a.relation_no, a.target);
INSERT INTO kg_edge (tenant, source, relation_no, target) TABLE again;
SELECT * FROM different;
RESET ROLE;
SELECT * FROM packed_rows;
SELECT id FROM packed WHERE alone ORDER BY id COLLATE "C";
SELECT count(*) AS still FROM packed WHERE node IN (SELECT source FROM again UNION SELECT target FROM again);
SET ROLE regress_frontier;
SELECT kg_pack() BETWEEN 200 AND 2000 AS had_none;
SELECT * FROM different;
-- a node that nobody wrote stays packed; nothing is left of nodes without edges
DELETE FROM kg_edge WHERE source <> (SELECT node FROM kg_entity WHERE entity_id = 'n0');
RESET ROLE;
SELECT id, alone FROM packed WHERE id IN ('n0', 'n1', 'n2', 'n3');
SET ROLE regress_frontier;
SELECT kg_pack() > 200 AS packed;
DELETE FROM kg_edge;
RESET ROLE;
SELECT block FROM kg_adjacency WHERE tenant = 'frontier';
SET ROLE regress_frontier;
SELECT kg_pack() AS packed;
RESET ROLE;
-- the highest possible node numbers are in a block like others, and the search over
-- blocks ends (a restored dump may contain any node numbers)
INSERT INTO kg_entity (tenant, bundle, entity_type, entity_id, node, data)
  SELECT 'frontier', 'frontier', 'nn', 'high' || i, 9223372036854775807 - i * 16, jsonb_build_object('id', 'high' || i) FROM generate_series(0, 3) i;
SET ROLE regress_frontier;
INSERT INTO kg_edge (tenant, source, relation_no, target)
  SELECT 'frontier', s.node, r.relation_no, t.node FROM kg_entity s, kg_entity t, kg_relation r WHERE s.entity_id LIKE 'high%' AND t.entity_id LIKE 'high%' AND s.node > t.node AND r.relation = 'TO';
SELECT jsonb_path_query_array(kg_neighbors('{"start_node": {"label": "nn", "node_id": "high3"}, "direction": "both", "max_hops": 1}'), '$.nodes[*].id') AS found;
SELECT kg_pack() AS packed;
SELECT jsonb_path_query_array(kg_neighbors('{"start_node": {"label": "nn", "node_id": "high3"}, "direction": "both", "max_hops": 2}'), '$.nodes[*].id') AS found;
SELECT jsonb_path_query_array(kg_neighbors('{"start_node": {"label": "nn", "node_id": "high0"}, "direction": "outgoing", "max_hops": 2}'), '$.nodes[*].id') AS found;
RESET ROLE;
DROP VIEW packed, packed_rows;
DROP VIEW different;
DROP FUNCTION pg_temp.nodes, pg_temp.got;
DROP TABLE e, wanted, again;
REVOKE EXECUTE ON FUNCTION kg_explain(text, jsonb) FROM regress_frontier;
CALL test.drop('frontier', 'between');
