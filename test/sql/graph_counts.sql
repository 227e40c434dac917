-- bfs_query counts edges during the search if every node is kept, and
-- explore_neighbors searches around its page a second time. Both are compared with
-- recursive SQL.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('counts', 'regress_counts write');
SET ROLE regress_counts;
SET kg_graph.tenant = 'counts';
-- parallel edges, edges both ways, loops, a symmetric relation, nodes alone
SELECT r -> 'entities', r #> '{relations,AA,created}' AS aa, r #> '{relations,SS,created}' AS ss
  FROM (SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'counts', 'version', '1',
    'schemas', jsonb_build_array(
      '{"entity_type": "aa", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}'::jsonb,
      '{"entity_type": "bb", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}'::jsonb),
    'relations', '[{"name": "AA", "from": "aa", "to": "aa"}, {"name": "AB", "from": "aa", "to": "bb"},
      {"name": "AB", "from": "bb", "to": "bb"}, {"name": "SS", "from": "aa", "to": "aa", "symmetric": true}]'::jsonb,
    'entities', (SELECT jsonb_agg(jsonb_build_object('entity_type', t, 'items',
        (SELECT jsonb_agg(jsonb_build_object('id', t || n)) FROM generate_series(0, 39) n))) FROM unnest(ARRAY['aa', 'bb']) t),
    'edges', (SELECT jsonb_agg(DISTINCT jsonb_build_object('relation', r, 'from', f, 'to', t)) FROM (
        SELECT 'AA' AS r, 'aa:aa' || n AS f, 'aa:aa' || n * m % 37 AS t FROM generate_series(0, 30) n, unnest(ARRAY[1, 3, 8]) m
        UNION SELECT 'AB', 'aa:aa' || n, 'bb:bb' || (n * m + 2) % 35 FROM generate_series(0, 30) n, unnest(ARRAY[2, 5]) m
        UNION SELECT 'AB', 'bb:bb' || n, 'bb:bb' || (n * 9 + 1) % 33 FROM generate_series(0, 30, 3) n
        UNION SELECT 'SS', 'aa:aa' || least(n, n * 4 % 38), 'aa:aa' || greatest(n, n * 4 % 38) FROM generate_series(0, 30) n) e))) AS r) x;
CREATE TEMP TABLE e AS SELECT s.entity_type || ':' || s.entity_id AS f, t.entity_type || ':' || t.entity_id AS t,
    (SELECT DISTINCT relation FROM kg_relation r WHERE r.relation_no = x.relation_no) AS r
  FROM kg_edge x JOIN kg_entity s ON s.node = x.source JOIN kg_entity t ON t.node = x.target;
CREATE TEMP TABLE depths AS
  WITH RECURSIVE w (start, id, d) AS (
    SELECT entity_type || ':' || entity_id, entity_type || ':' || entity_id, 0 FROM kg_entity
    UNION
    SELECT w.start, n.id, w.d + 1 FROM w, LATERAL (SELECT t AS id FROM e WHERE f = w.id UNION SELECT f FROM e WHERE t = w.id) n WHERE w.d < 3)
  SELECT start, id, min(d) AS d FROM w GROUP BY 1, 2;
CREATE TEMP TABLE wanted AS
  SELECT start, hops, ring,
    (SELECT count(*) FROM depths n WHERE n.start = s.start AND n.d <= hops) AS nodes,
    (SELECT count(*) FROM e JOIN depths a ON a.id = e.f AND a.start = s.start JOIN depths b ON b.id = e.t AND b.start = s.start
      WHERE least(a.d, b.d) < hops + ring::integer AND greatest(a.d, b.d) <= hops) AS edges,
    (SELECT jsonb_agg(DISTINCT e.r) FROM e JOIN depths a ON a.id = e.f AND a.start = s.start JOIN depths b ON b.id = e.t AND b.start = s.start
      WHERE least(a.d, b.d) < hops + ring::integer AND greatest(a.d, b.d) <= hops) AS relations
    FROM (SELECT DISTINCT start FROM depths) s, generate_series(1, 3) hops, unnest(ARRAY[false, true]) ring;
CREATE TEMP VIEW got AS
  SELECT start, hops, ring, (r ->> 'node_count')::bigint AS nodes, (r ->> 'edge_count')::bigint AS edges,
    nullif(r #> '{schema_summary,predicates_found}', '[]') AS relations
    FROM wanted w, LATERAL (SELECT kg_bfs(jsonb_build_object('seeds', jsonb_build_array(start), 'max_hops', hops, 'ring_edges', ring, 'limit', 2)) AS r) x;
SELECT count(*), count(DISTINCT edges) > 50 AS varied FROM wanted;
-- rows alone, in a transaction that writes nothing: types follow from relations
SELECT * FROM got EXCEPT SELECT * FROM wanted;
-- packed
SELECT kg_pack() > 0 AS packed;
SELECT * FROM got EXCEPT SELECT * FROM wanted;
-- in a transaction that has written, types are looked up
BEGIN;
SELECT pg_current_xact_id() IS NOT NULL AS writes;
SELECT * FROM got EXCEPT SELECT * FROM wanted;
ROLLBACK;
-- a filter on types needs the list of edges: the same where it removes nothing
SELECT count(*) FROM wanted w, LATERAL (SELECT kg_bfs(jsonb_build_object('seeds', jsonb_build_array(start), 'max_hops', hops,
    'ring_edges', ring, 'limit', 2, 'min_mentions', 2)) AS r) x
 WHERE (r ->> 'edge_count')::bigint IS DISTINCT FROM w.edges;
-- the edges of the pages of explore_neighbors, put together, are all of them once
CREATE FUNCTION pg_temp.pages(start text, hops integer) RETURNS TABLE (f text, t text, r text) LANGUAGE plpgsql AS $$
DECLARE
  args jsonb := jsonb_build_object('start_node', jsonb_build_object('label', split_part(start, ':', 1), 'node_id', split_part(start, ':', 2)),
    'max_hops', hops, 'limit', 7);
  reply jsonb;
BEGIN
  LOOP
    reply := kg_neighbors(args);
    RETURN QUERY SELECT concat(x #>> '{from,type}', ':', x #>> '{from,id}'), concat(x #>> '{to,type}', ':', x #>> '{to,id}'), x ->> 'type'
      FROM jsonb_array_elements(reply -> 'edges') x;
    args := reply -> 'next';
    EXIT WHEN args IS NULL;
  END LOOP;
END $$;
SELECT count(*) FROM (SELECT DISTINCT start, hops, edges FROM wanted WHERE NOT ring) w
 WHERE edges <> (SELECT count(*) FROM pg_temp.pages(start, hops)) OR edges <> (SELECT count(*) FROM (SELECT DISTINCT * FROM pg_temp.pages(start, hops)) p);
-- a large apply packs what it changed, a small one leaves it to kg_pack()
CREATE FUNCTION pg_temp.chain(n integer) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', 'chain', 'version', '1',
    'schemas', '[{"entity_type": "cc", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}]'::jsonb,
    'relations', '[{"name": "CC", "from": "cc", "to": "cc"}]'::jsonb,
    'entities', jsonb_build_array(jsonb_build_object('entity_type', 'cc', 'items',
      (SELECT jsonb_agg(jsonb_build_object('id', 'c' || i)) FROM generate_series(0, n) i))),
    'edges', (SELECT jsonb_agg(jsonb_build_object('relation', 'CC', 'from', 'cc:c' || i, 'to', 'cc:c' || i + 1)) FROM generate_series(0, n - 1) i)) $$;
SELECT kg_apply_bundle(pg_temp.chain(5000), '{"dry_run": true}') -> 'dry_run' AS dry_run;
SELECT kg_apply_bundle(pg_temp.chain(5000)) #> '{relations,CC,created}' AS created;
SELECT kg_pack() AS left_to_pack;
SELECT kg_apply_bundle(pg_temp.chain(5001)) #> '{relations,CC,created}' AS created;
SELECT kg_pack() AS left_to_pack;
SELECT kg_neighbors('{"start_node": {"label": "cc", "node_id": "c5000"}, "max_hops": 2}') #> '{counts,by_depth}' AS found;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT kg_apply_bundle(pg_temp.chain(11000)) #> '{relations,CC,created}' AS created;
SELECT kg_neighbors('{"start_node": {"label": "cc", "node_id": "c5001"}, "max_hops": 1}') #> '{counts,by_depth}' AS found;
COMMIT;
SELECT kg_pack() AS left_to_pack;
RESET ROLE;
SELECT sum(bit_count(nodes::bit(32))) > 5000 AS packed FROM kg_adjacency WHERE tenant = 'counts';
SELECT FROM kg_drop_tenant('counts');
SELECT count(*) AS packed FROM kg_adjacency WHERE tenant = 'counts';
DROP FUNCTION pg_temp.pages, pg_temp.chain;
DROP TABLE e, depths, wanted CASCADE;
DROP ROLE regress_counts;
