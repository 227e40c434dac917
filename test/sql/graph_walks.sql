-- Walks, as ordinary roles: how far they go, what is beyond, and over which
-- relationships. Compared with recursive SQL over the edges that the caller sees.
\i test/data/prelude.sql
\getenv abs_srcdir PG_ABS_SRCDIR
\set graph :abs_srcdir '/data/graph.sql'
CALL test.tenant('walks_a', 'walks_a admin', 'walks_some read');
CREATE POLICY walks_hide ON kg_entity AS RESTRICTIVE FOR SELECT TO walks_some USING (entity_id NOT IN ('n10', 'm3'));
-- everything by so many hops from a start, by the edges as bfs_query of one hop tells them
CREATE FUNCTION walks_reach(start text, hops int, relations text[], direction text) RETURNS TABLE (id text, depth int) LANGUAGE plpgsql AS $$
BEGIN
  SET LOCAL client_min_messages = warning;
  CREATE TEMP TABLE IF NOT EXISTS walks_found (id text PRIMARY KEY, depth int) ON COMMIT DELETE ROWS;
  DELETE FROM walks_found; INSERT INTO walks_found VALUES (start, 0);
  FOR h IN 1..hops LOOP
    INSERT INTO walks_found
      SELECT DISTINCT next, h FROM (SELECT CASE WHEN e -> 'from' ->> 'id' = f.id THEN e -> 'to' ->> 'id' ELSE e -> 'from' ->> 'id' END AS next
        FROM walks_found f, kg_neighbors(jsonb_build_object('start_node', jsonb_build_object('label', 'stop', 'node_id', f.id), 'max_hops', 1, 'limit', 500)) r, jsonb_array_elements(r -> 'edges') e
        WHERE f.depth = h - 1 AND (relations IS NULL OR e ->> 'type' = ANY (relations))
          AND (direction = 'both' OR (direction = 'outgoing') = (e -> 'from' ->> 'id' = f.id))) n WHERE next NOT IN (SELECT w.id FROM walks_found w);
    EXIT WHEN NOT FOUND;
  END LOOP;
  RETURN QUERY SELECT w.id, w.depth FROM walks_found w;
END $$;
\c - walks_a
-- a line of 30 stops, a ring of 6 beside it, a link between them, and one that is alone
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'lines', 'version', '1', 'schemas', '[{"entity_type": "stop", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "zone": {"type": "integer", "x-index": true}}}}]'::jsonb,
  'relations', '[{"name": "NEXT", "from": "stop", "to": "stop", "inverse": "BEFORE"}, {"name": "LINK", "from": "stop", "to": "stop"}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'stop', 'items', (SELECT jsonb_agg(jsonb_build_object('id', id, 'name', 'Stop ' || id, 'zone', length(id))) FROM (SELECT 'n' || n FROM generate_series(0, 29) n UNION ALL SELECT 'm' || n FROM generate_series(0, 5) n UNION ALL SELECT 'alone') t(id)))),
  'edges', (SELECT jsonb_agg(jsonb_build_object('relation', r, 'from', 'stop:' || a, 'to', 'stop:' || b)) FROM (SELECT 'NEXT', 'n' || n, 'n' || n + 1 FROM generate_series(0, 28) n UNION ALL SELECT 'NEXT', 'm' || n, 'm' || (n + 1) % 6 FROM generate_series(0, 5) n UNION ALL SELECT 'LINK', 'n5', 'm0') e(r, a, b)))) ? 'revision' AS applied;
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION pg_temp.walks(start text, hops jsonb, extra jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' ', r -> 'total', 'complete', r -> 'complete', 'deepest', (SELECT max((n ->> 'depth')::int) FROM jsonb_array_elements(r -> 'nodes') n), 'same',
    (SELECT array_agg(row(n ->> 'id', (n ->> 'depth')::int) ORDER BY n ->> 'id' COLLATE "C") FROM jsonb_array_elements(r -> 'nodes') n) =
    (SELECT array_agg(row(w.id, w.depth) ORDER BY w.id COLLATE "C") FROM walks_reach(start, CASE WHEN hops = '"all"' THEN 1000 ELSE hops::text::int END, (SELECT array_agg(x) FROM jsonb_array_elements_text(extra -> 'relationship_types') x), coalesce(extra ->> 'direction', 'both')) w))
  FROM kg_neighbors(jsonb_build_object('start_node', jsonb_build_object('label', 'stop', 'node_id', start), 'max_hops', hops, 'limit', 500) || extra) r $$;
SELECT h, pg_temp.walks('n0', h::jsonb) FROM unnest(ARRAY['1', '3', '4', '10', '16', '"all"']) h;
SELECT h, pg_temp.walks('m2', h::jsonb, '{"relationship_types": ["NEXT"]}') FROM unnest(ARRAY['1', '2', '3', '4', '"all"']) h;
SELECT pg_temp.walks('m2', '5', '{"relationship_types": ["NEXT"], "direction": "outgoing"}'), pg_temp.walks('m2', '4', '{"relationship_types": ["NEXT"], "direction": "outgoing"}');
SELECT pg_temp.walks('n3', '"all"', '{"direction": "incoming"}'), pg_temp.walks('alone', '1'), pg_temp.walks('alone', '"all"');
-- counts
SELECT r -> 'counts' -> 'by_depth_and_type', r -> 'counts' -> 'by_depth' FROM kg_neighbors('{"start_node": {"label": "stop", "node_id": "m1"}, "max_hops": "all", "relationship_types": ["NEXT"], "limit": 0}') r;
-- pages of a closure
SELECT count(DISTINCT n ->> 'id'), bool_and(r ->> 'complete' = 'true') FROM (WITH RECURSIVE p(r) AS (SELECT kg_neighbors('{"start_node": {"label": "stop", "node_id": "n0"}, "max_hops": "all", "limit": 7}') UNION ALL SELECT kg_neighbors(r -> 'next') FROM p WHERE r ? 'next') SELECT r FROM p) p, jsonb_array_elements(r -> 'nodes') n;
-- through compact
SELECT called -> 'total', called -> 'complete' FROM (SELECT kg_call_tool('around', '{"handle": "stop:n0", "max_hops": "all", "relations": ["NEXT"]}') -> 'structuredContent') t(called);
-- bounds
CREATE FUNCTION pg_temp.told(a jsonb) RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(' | ', e ->> 'path', e ->> 'message', e ->> 'expected') FROM (SELECT kg_call_tool('explore_neighbors', '{"start_node": {"label": "stop", "node_id": "n0"}}' || a) #> '{structuredContent,error}') t(e) $$;
SELECT pg_temp.told('{"max_hops": 17}'), pg_temp.told('{"max_hops": "every"}'), pg_temp.told('{"max_hops": 0}'), pg_temp.told('{"max_hops": null}'), pg_temp.told('{"max_hops": "5"}');
-- what is walked: nothing else is told
CREATE FUNCTION pg_temp.around(a jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' ', (SELECT string_agg(n ->> 'id', ' ' ORDER BY o) FROM jsonb_array_elements(r -> 'nodes') WITH ORDINALITY x(n, o)), '|', (SELECT string_agg(concat_ws('-', e ->> 'subject', e ->> 'predicate', e ->> 'object'), ' ' ORDER BY e ->> 'subject' COLLATE "C", e ->> 'predicate') FROM jsonb_array_elements(r -> 'edges') e), '|', r ->> 'edge_count')
  FROM kg_bfs('{"max_hops": 1, "topology_only": true}' || a) r $$;
SELECT pg_temp.around('{"seeds": ["stop:n5"]}'); SELECT pg_temp.around('{"seeds": ["stop:n5"], "walk_predicates": ["LINK"]}'); SELECT pg_temp.around('{"seeds": ["stop:n5"], "walk_predicates": ["NEXT"], "direction": "outgoing"}');
SELECT pg_temp.around('{"seeds": ["stop:n5"], "walk_predicates": ["BEFORE"], "direction": "outgoing"}'); SELECT pg_temp.around('{"seeds": ["stop:n5"], "direction": "incoming"}'); SELECT pg_temp.around('{"seeds": ["stop:n5"], "walk_predicates": []}');
SELECT pg_temp.around('{"seeds": ["stop:n5"], "walk_predicates": ["NEXT"], "predicates": ["LINK"]}');
SELECT string_agg(n ->> 'id', ' '), string_agg(e ->> 'predicate', ' ') FROM kg_intersect('{"seeds": ["stop:n4", "stop:m0"], "k": 2, "walk_predicates": ["NEXT"]}') r LEFT JOIN jsonb_array_elements(r -> 'nodes') n ON true LEFT JOIN jsonb_array_elements(r -> 'edges') e ON true;
SELECT (SELECT string_agg(n ->> 'id', ' ') FROM jsonb_array_elements(r -> 'nodes') n), (SELECT string_agg(e ->> 'predicate', ' ') FROM jsonb_array_elements(r -> 'edges') e) FROM kg_intersect('{"seeds": ["stop:n4", "stop:m0"], "k": 2}') r;
SELECT (SELECT string_agg(n ->> 'id', ' ') FROM jsonb_array_elements(r -> 'nodes') n) FROM kg_intersect('{"seeds": ["stop:n3", "stop:n4"], "k": 2, "direction": "outgoing"}') r;
SELECT r #>> '{error,path}', r #>> '{error,did_you_mean}' FROM (SELECT kg_call_tool('bfs_query', '{"seeds": ["stop:n5"], "max_hops": 1, "walk_predicates": ["NEXTT"]}') -> 'structuredContent') t(r);
-- find_nodes by name, with filters, chains, pages and another order
CREATE FUNCTION pg_temp.found(a jsonb) RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(' ', r ->> 'total', '|', (SELECT string_agg(n ->> 'id', ' ' ORDER BY o) FROM jsonb_array_elements(r -> 'nodes') WITH ORDINALITY x(n, o))) FROM kg_find_nodes('{"node_label": "stop"}' || a) r $$;
SELECT pg_temp.found('{"search": "stop m3"}'); SELECT pg_temp.found('{"search": "stop", "filters": {"zone": 5}}'); SELECT pg_temp.found('{"search": "m", "related": [{"type": "LINK", "direction": "incoming"}]}'); SELECT pg_temp.found('{"search": "stop", "sort": [{"field": "id", "order": "desc"}], "limit": 3}');
SELECT pg_temp.found('{"search": "m", "ids": ["m1", "n1"]}'); SELECT pg_temp.found('{"search": "zzz"}');
SELECT (SELECT count(*) FROM jsonb_array_elements(kg_find_nodes('{"node_label": "stop", "search": "stop n2", "limit": 500}') -> 'nodes')) = count(DISTINCT n ->> 'id') AS pages FROM (WITH RECURSIVE p(r) AS (SELECT kg_find_nodes('{"node_label": "stop", "search": "stop n2", "limit": 4}') UNION ALL SELECT kg_find_nodes(r -> 'next') FROM p WHERE r ? 'next') SELECT r FROM p) p, jsonb_array_elements(r -> 'nodes') n;
SELECT (SELECT jsonb_agg(n -> 'id') FROM jsonb_array_elements(kg_find_nodes('{"node_label": "stop", "search": "stop n2"}') -> 'nodes') n) = (SELECT jsonb_agg(n -> 'id') FROM jsonb_array_elements(kg_list('stop', '{"search": "stop n2", "limit": 30}') -> 'items') n) AS as_lists;
-- who sees less: the line is cut, and what lies beyond a hidden stop is not there
\c - walks_some
\pset format unaligned
\pset tuples_only on
SELECT r -> 'total', r -> 'complete' FROM kg_neighbors('{"start_node": {"label": "stop", "node_id": "n0"}, "max_hops": "all", "relationship_types": ["NEXT"]}') r;
SELECT h, r -> 'total', r -> 'complete' FROM unnest(ARRAY[8, 9, 10]) h, kg_neighbors(jsonb_build_object('start_node', '{"label": "stop", "node_id": "n0"}'::jsonb, 'relationship_types', '["NEXT"]'::jsonb, 'max_hops', h)) r;
SELECT r -> 'total', r -> 'complete' FROM kg_neighbors('{"start_node": {"label": "stop", "node_id": "m2"}, "max_hops": 1, "relationship_types": ["NEXT"], "direction": "outgoing"}') r;
\c - :owner
DROP POLICY walks_hide ON kg_entity;
SET kg_graph.max_walk_hops = 2; SET ROLE walks_a;
SELECT t #> '{inputSchema,properties,max_hops}' FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'explore_neighbors';
RESET ROLE;
DROP FUNCTION walks_reach;
CALL test.drop('walks_a');
