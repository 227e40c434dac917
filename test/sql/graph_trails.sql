-- Walks, trails and simple paths; the lightest of them; steps of no edge; alternatives of chains; conditions on what is between.
\i test/data/prelude.sql
CALL test.tenant('trails', 'tess write');
SET SESSION AUTHORIZATION tess;
SELECT FROM kg_apply_bundle('{"bundle_name": "roads", "version": "1",
  "schemas": [
    {"entity_type": "town", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "open": {"type": "boolean", "x-index": true}}}},
    {"entity_type": "gate", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "relations": [
    {"name": "ROAD", "from": "town", "to": "town", "key": ["no"], "schema": {"type": "object", "properties": {"no": {"type": "string"}, "km": {"type": "number"}, "paved": {"type": "boolean"}, "stops": {"type": "array", "items": {"type": "string"}}}}},
    {"name": "ROAD", "from": "town", "to": "gate", "key": ["no"], "schema": {"type": "object", "properties": {"no": {"type": "string"}, "km": {"type": "number"}, "paved": {"type": "boolean"}, "stops": {"type": "array", "items": {"type": "string"}}}}},
    {"name": "RAIL", "from": "town", "to": "town"}],
  "entities": [
    {"entity_type": "town", "items": [{"id": "a", "open": true}, {"id": "b", "open": true}, {"id": "c", "open": false}, {"id": "d", "open": true}]},
    {"entity_type": "gate", "items": [{"id": "g"}]}],
  "edges": [
    {"relation": "ROAD", "from": "town:a", "to": "town:b", "properties": {"no": "1", "km": 2, "paved": true}},
    {"relation": "ROAD", "from": "town:a", "to": "town:b", "properties": {"no": "2", "km": 1, "paved": false}},
    {"relation": "ROAD", "from": "town:b", "to": "town:d", "properties": {"no": "3", "km": 2, "paved": true}},
    {"relation": "ROAD", "from": "town:a", "to": "town:c", "properties": {"no": "4", "km": 1, "paved": true}},
    {"relation": "ROAD", "from": "town:c", "to": "town:d", "properties": {"no": "5", "km": 1, "paved": true}},
    {"relation": "ROAD", "from": "town:d", "to": "town:d", "properties": {"no": "6", "km": 0, "paved": true}},
    {"relation": "ROAD", "from": "town:d", "to": "gate:g", "properties": {"no": "7", "km": 1, "paved": true}},
    {"relation": "RAIL", "from": "town:a", "to": "town:d"}]}');
CREATE FUNCTION pg_temp.paths(more jsonb) RETURNS TABLE (total text, length int, weight numeric, path text) LANGUAGE sql AS $$
  SELECT CASE n WHEN 1 THEN concat(reply ->> 'total', reply ->> 'total_at_least') END, (p ->> 'length')::int, (p ->> 'weight')::numeric,
    (SELECT string_agg(coalesce(s #>> '{}', ''), ' ') FROM (SELECT CASE jsonb_typeof(s) WHEN 'string' THEN s ELSE s -> 'type' END AS s FROM jsonb_array_elements(p -> 'path') s) s)
    FROM kg_paths('{"from": {"label": "town", "ids": ["a"]}, "to": {"label": "town", "ids": ["d"]}, "max_hops": 3}'::jsonb || more) reply, jsonb_array_elements(reply -> 'paths') WITH ORDINALITY p(p, n)
$$;

-- trails go over an edge once, in either direction
SELECT * FROM pg_temp.paths('{"mode": "simple"}');
SELECT * FROM pg_temp.paths('{"mode": "trails"}');
SELECT total FROM pg_temp.paths('{"mode": "walks"}') LIMIT 1;
SELECT * FROM pg_temp.paths('{"mode": "trails", "to": {"label": "town", "ids": ["a"]}, "relationship_types": ["ROAD"], "max_hops": 4}');

-- the lightest
SELECT * FROM pg_temp.paths('{"mode": "simple", "weight": "km"}');
SELECT * FROM pg_temp.paths('{"mode": "simple", "weight": "km", "limit": 1}');
SELECT * FROM pg_temp.paths('{"mode": "trails", "weight": "km", "relationship_types": ["ROAD"], "direction": "outgoing"}');
SELECT * FROM pg_temp.paths('{"weight": "km"}');
SELECT test.fails($$SELECT kg_paths('{"from": {"label": "town", "ids": ["a"]}, "to": {"label": "town", "ids": ["d"]}, "mode": "all_shortest", "weight": "km"}')$$);

-- conditions on the nodes and edges between
SELECT * FROM pg_temp.paths('{"mode": "simple", "between": {"filters": {"open": true}}}');
SELECT * FROM pg_temp.paths('{"mode": "simple", "between": {"related": [{"type": "ROAD", "to": {"label": "town", "ids": ["d"]}, "filters": {"km": 1}}]}}');
SELECT * FROM pg_temp.paths('{"edge_filters": {"paved": true}, "relationship_types": ["ROAD"]}');
-- of parallel edges, one that passes
SELECT p -> 'path' -> 1 AS edge FROM kg_paths('{"from": {"label": "town", "ids": ["a"]}, "to": {"label": "town", "ids": ["b"]}, "edge_filters": {"paved": false}, "edge_columns": ["*"]}') r, jsonb_array_elements(r -> 'paths') p;
SELECT total FROM pg_temp.paths('{"mode": "simple", "edge_filters": {"paved": true}, "between": {"label": "gate"}}');
SELECT test.fails($$SELECT kg_paths('{"from": {"label": "town"}, "to": {"label": "town"}, "between": {"filters": {"tall": 1}}}')$$);
SELECT test.fails($$SELECT kg_paths('{"from": {"label": "town"}, "to": {"label": "town"}, "edge_filters": {"tall": 1}}')$$);

-- steps of no edge
CREATE FUNCTION pg_temp.rows(arguments jsonb) RETURNS TABLE (total text, "row" jsonb) LANGUAGE sql AS $$
  SELECT CASE n WHEN 1 THEN reply ->> 'total' END, r FROM kg_traverse(arguments) reply, jsonb_array_elements(reply -> 'rows') WITH ORDINALITY r(r, n)
$$;
SELECT * FROM pg_temp.rows('{"from": {"label": "town", "ids": ["a"]}, "relationships": [{"type": "ROAD", "min_hops": 0, "max_hops": 2}]}');
SELECT jsonb_path_query(kg_traverse('{"from": {"label": "town", "ids": ["b", "d"]}, "relationships": [{"type": "ROAD", "min_hops": 0}], "edge_columns": ["no"]}'), '$.edges[*]') AS edge;
SELECT kg_aggregate('{"node": {"label": "town"}, "relationships": [{"type": "ROAD", "min_hops": 0, "max_hops": 3, "to": {"label": "town", "ids": ["b"]}}], "aggregations": [{"fn": "count"}]}') -> 'rows' AS reach_b;
SELECT test.fails($$SELECT kg_traverse('{"from": {"label": "town"}, "relationships": [{"type": "ROAD", "min_hops": 2, "max_hops": 1}]}')$$);
SELECT test.fails($$SELECT kg_traverse('{"from": {"label": "town"}, "relationships": [{"type": "ROAD", "min_hops": 0}], "sort": [{"field": "edge.km"}]}')$$);
-- an array has no value to sort by, and is not proposed
SELECT test.fails($$SELECT kg_traverse('{"from": {"label": "town"}, "relationships": [{"type": "ROAD"}], "sort": [{"field": "edge.stops"}]}')$$, 'did_you_mean', 'allowed');

-- hops and alternatives of chains
CREATE FUNCTION pg_temp.towns(more jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(n, ' ') FROM jsonb_array_elements_text(kg_find_nodes('{"node_label": "town", "ids_only": true}'::jsonb || more) -> 'nodes') n
$$;
SELECT pg_temp.towns('{"related": [{"type": "ROAD", "min_hops": 2, "max_hops": 3, "to": {"label": "gate"}}]}') AS in_two_or_three,
  pg_temp.towns('{"related": [{"type": "ROAD", "max_hops": 3, "min_count": 4}]}') AS to_four,
  pg_temp.towns('{"related": [{"type": "ROAD", "min_hops": 0, "to": {"label": "town", "ids": ["b"]}}]}') AS b_or_to_b;
SELECT pg_temp.towns('{"related": [{"any": [{"type": "RAIL"}, [{"type": "ROAD"}, {"type": "ROAD", "to": {"label": "gate"}}]]}]}') AS rail_or_second_to_gate,
  pg_temp.towns('{"not_related": [{"any": [{"type": "RAIL"}, {"type": "ROAD", "to": {"label": "gate"}}]}]}') AS neither;
SELECT kg_list('town', '{"related": [{"any": [{"type": "RAIL", "direction": "incoming"}, {"type": "ROAD", "filters": {"paved": false}}]}], "limit": 0}') -> 'total' AS listed;
SELECT kg_find_nodes('{"node_label": "town", "related": [{"any": [{"type": "RAIL", "to": {"ids": ["x"]}}, {"type": "ROAD", "to": {"label": "gate", "ids": ["h"]}}]}]}') -> 'hints' AS hints;
SELECT test.fails($$SELECT kg_find_nodes('{"node_label": "town", "related": [{"any": [{"type": "RAIL"}]}]}')$$);
SELECT test.fails($$SELECT kg_find_nodes('{"node_label": "town", "related": [{"any": [{"type": "RAIL"}, {"type": "ROAD"}], "min_count": 2}]}')$$);
SELECT test.fails($$SELECT kg_find_nodes('{"node_label": "town", "related": [{"any": [{"type": "RAIL"}, {"any": [{"type": "RAIL"}, {"type": "ROAD"}]}]}]}')$$);
SELECT test.fails($$SELECT kg_find_nodes('{"node_label": "town", "related": [{"direction": "outgoing"}]}')$$);

-- matches without a repeated edge, or node; pages; sorts; nothing left
SELECT unique_, (SELECT string_agg(r.row #>> '{1}', ' ') FROM pg_temp.rows('{"from": {"label": "town", "ids": ["d"]}, "relationships": [{"type": "ROAD", "direction": "both", "min_hops": 2, "max_hops": 2}]}'::jsonb || jsonb_build_object('unique', unique_)) r) AS ends
  FROM unnest(ARRAY['none', 'edges', 'nodes']) unique_;
WITH RECURSIVE pages AS (
  SELECT kg_traverse('{"from": {"label": "town"}, "relationships": [{"type": "*", "direction": "both"}, {"type": "*", "direction": "both"}], "unique": "edges", "limit": 10}') AS reply
  UNION ALL SELECT kg_traverse(reply -> 'next') FROM pages WHERE reply ? 'next')
SELECT count(*) AS pages, sum((reply ->> 'returned')::int) AS returned, min(reply ->> 'total') AS total, (SELECT count(DISTINCT r) FROM pages, jsonb_array_elements(reply -> 'rows') r) AS distinct_rows FROM pages;
SELECT kg_traverse('{"from": {"label": "town", "ids": ["a"]}, "relationships": [{"type": "ROAD"}, {"type": "ROAD"}], "unique": "edges", "sort": [{"field": "id", "order": "desc", "step": 1}]}') -> 'rows' AS sorted;
SELECT kg_traverse('{"from": {"label": "gate"}, "relationships": [{"type": "ROAD", "direction": "incoming"}, {"type": "ROAD", "to": {"label": "gate"}}], "unique": "edges"}') - 'nodes' - 'edges' AS none_left;
SELECT kg_call_tool('follow', '{"from": "gate:g", "steps": [{"type": "ROAD", "direction": "incoming", "min_hops": 0}], "unique": "nodes"}') #> '{structuredContent,rows}' AS follow,
  kg_call_tool('connect', '{"from": "town:a", "to": "town:d", "mode": "trails", "weight": "km", "between": {"filters": {"open": true}}, "edge_filters": {"paved": true}, "relations": ["ROAD"]}') #> '{structuredContent,paths,0,weight}' AS connect;
RESET SESSION AUTHORIZATION;

-- Scenarios of the openCypher TCK about repeated relationships: CountingSubgraphMatches1 10 and 11, Match5 27.
SET SESSION AUTHORIZATION tess;
SELECT FROM kg_apply_bundle('{"bundle_name": "roads", "version": "2",
  "schemas": [{"entity_type": "A1", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}, {"entity_type": "Looper", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}, {"entity_type": "B1", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "relations": [{"name": "T1", "from": "A1", "to": "Looper"}, {"name": "LOOP", "from": "Looper", "to": "Looper"}, {"name": "T2", "from": "Looper", "to": "B1"}],
  "entities": [{"entity_type": "A1", "items": [{"id": "a"}]}, {"entity_type": "Looper", "items": [{"id": "l"}]}, {"entity_type": "B1", "items": [{"id": "b"}]}],
  "edges": [{"relation": "T1", "from": "A1:a", "to": "Looper:l"}, {"relation": "LOOP", "from": "Looper:l", "to": "Looper:l"}, {"relation": "T2", "from": "Looper:l", "to": "B1:b"}]}');
SELECT kg_traverse('{"from": {"label": "A1"}, "relationships": [{"type": "*"}, {"type": "*", "direction": "both"}], "unique": "edges"}') -> 'total' AS two,
  (SELECT sum((kg_traverse(jsonb_build_object('from', jsonb_build_object('label', t)) || '{"relationships": [{"type": "*", "direction": "both"}, {"type": "*", "direction": "both"}], "unique": "edges"}') -> 'total')::int) FROM unnest(ARRAY['A1', 'Looper', 'B1']) t) AS six;
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'roads', 'version', '3',
  'schemas', '[{"entity_type": "leaf", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}]'::jsonb,
  'relations', '[{"name": "LIKES", "from": "leaf", "to": "leaf"}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'leaf', 'items', jsonb_agg(jsonb_build_object('id', id)))),
  'edges', jsonb_agg(jsonb_build_object('relation', 'LIKES', 'from', 'leaf:' || left(id, -1), 'to', 'leaf:' || id)) FILTER (WHERE id <> 'n0'))) ? 'revision' AS applied
  FROM (SELECT 'n0' UNION ALL SELECT 'n0' || substr(g::bit(8)::text, 9 - l, l) FROM generate_series(1, 4) l, generate_series(0, (1 << l) - 1) g) x(id);
SELECT unique_, reply -> 'total' AS total, (SELECT count(*) FROM jsonb_array_elements(reply -> 'rows') r WHERE length(r ->> 2) = length('leaf:n00000')) AS leaves
  FROM unnest(ARRAY['none', 'edges']) unique_, kg_traverse(jsonb_build_object('unique', unique_) || '{"from": {"label": "leaf", "ids": ["n0"]}, "relationships": [{"type": "LIKES", "max_hops": 1}, {"type": "LIKES", "direction": "both", "min_hops": 3, "max_hops": 3}]}') reply;
RESET SESSION AUTHORIZATION;
CALL test.drop('trails');
