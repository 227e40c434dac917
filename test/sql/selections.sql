-- The condition with the fewest rows drives a selection, whatever its operator and whichever tool asks.
\i test/data/prelude.sql
\pset format unaligned
\pset tuples_only on
CALL test.tenant('selections', 'sel_all admin', 'sel_some read');
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO sel_all; GRANT pg_read_all_stats TO sel_all;
CREATE POLICY sel_hides ON kg_entity AS RESTRICTIVE FOR SELECT TO sel_some USING (NOT data ? 'hidden');
CREATE FUNCTION sel_read() RETURNS bigint LANGUAGE sql AS $$ SELECT sum(pg_stat_get_xact_tuples_returned(indexrelid))::bigint FROM pg_index WHERE indrelid IN ('kg_index_key'::regclass, 'kg_entity'::regclass, 'kg_edge'::regclass) $$;
-- The entries of indexes that a call reads, at most; and its answer.
CREATE FUNCTION sel_work(tool text, arguments jsonb, most bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE before bigint; reply jsonb; work bigint;
BEGIN
  PERFORM kg_call_tool(tool, arguments);
  before := sel_read();
  reply := kg_call_tool(tool, arguments) -> 'structuredContent';
  work := sel_read() - before;
  RETURN format('%s %s', coalesce(reply -> 'rows', reply -> 'total'), CASE WHEN work <= most THEN 'few' ELSE work || ' entries read' END);
END $$;
-- The pages of indexes of kg_index_key that a list reads.
CREATE FUNCTION sel_blocks(arguments jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE before bigint;
BEGIN
  PERFORM kg_list('note', arguments);
  before := (SELECT sum(pg_stat_get_xact_blocks_fetched(indexrelid)) FROM pg_index WHERE indrelid = 'kg_index_key'::regclass);
  PERFORM kg_list('note', arguments);
  RETURN (SELECT sum(pg_stat_get_xact_blocks_fetched(indexrelid)) FROM pg_index WHERE indrelid = 'kg_index_key'::regclass) - before;
END $$;
-- Whether notes up to a day have the same groups by their tags as by SQL.
CREATE FUNCTION sel_grouped(days int) RETURNS boolean LANGUAGE sql AS $$
  SELECT (SELECT jsonb_object_agg(r ->> 0, r -> 1) FROM jsonb_array_elements(kg_aggregate(jsonb_build_object('node', jsonb_build_object('label', 'note', 'filters', jsonb_build_object('day', jsonb_build_object('lte', days))),
      'group_by', '[{"property": "tag"}]'::jsonb, 'aggregations', '[{"fn": "count"}]'::jsonb, 'limit', 1000)) -> 'rows') r)
    = (SELECT jsonb_object_agg(tag, n) FROM (SELECT data ->> 'tag' AS tag, count(*) AS n FROM kg_entity WHERE entity_type = 'note' AND (data ->> 'day')::int <= days GROUP BY 1) x) $$;
CREATE TABLE sel_calls (i int, tool text, arguments jsonb, most bigint, want text);
GRANT SELECT ON sel_calls TO PUBLIC;
INSERT INTO sel_calls VALUES
  (1, 'aggregate_nodes', '{"node": {"label": "note", "filters": {"author": {"in": ["a1", "a2"]}, "kind": "post"}}, "aggregations": [{"fn": "count"}]}', 700, $$author IN ('a1', 'a2') AND kind = 'post'$$),
  (2, 'aggregate_nodes', '{"node": {"label": "note", "filters": {"day": {"lt": 50}, "kind": "post", "author": {"ne": "a3"}}}, "aggregations": [{"fn": "count"}]}', 700, $$day < 50 AND kind = 'post' AND author <> 'a3'$$),
  (3, 'find_nodes', '{"node_label": "note", "filters": {"author": {"in": ["a1", "a2"]}, "kind": "post"}, "limit": 20}', 700, $$author IN ('a1', 'a2') AND kind = 'post'$$),
  (4, 'list_note', '{"filters": {"author": {"in": ["a1", "a2"]}, "kind": "post"}, "limit": 5}', 700, $$author IN ('a1', 'a2') AND kind = 'post'$$),
  (5, 'list_note', '{"filters": {"kind": "post", "any": [{"author": "a7"}, {"day": {"lte": 20}}]}, "limit": 5, "sort": [{"field": "day"}]}', 1500, $$kind = 'post' AND (author = 'a7' OR day <= 20)$$),
  (6, 'aggregate_nodes', '{"node": {"label": "note", "filters": {"kind": "post"}, "related": [{"type": "HAS_TAG", "to": {"label": "tag", "ids": ["t8"]}}]}, "aggregations": [{"fn": "count"}]}', 900, $$kind = 'post' AND tag = 't8' AND tag_seen$$),
  (7, 'aggregate_nodes', '{"node": {"label": "note", "related": [{"type": "HAS_TAG", "to": {"label": "tag", "filters": {"name": "tag 8"}}}]}, "aggregations": [{"fn": "count"}]}', 300, $$tag = 't8' AND tag_seen$$),
  (8, 'aggregate_nodes', '{"node": {"label": "note"}, "relationships": [{"type": "HAS_TAG", "to": {"label": "tag", "filters": {"id": "t8"}}}], "aggregations": [{"fn": "count"}]}', 300, $$tag = 't8' AND tag_seen$$),
  (9, 'aggregate_nodes', '{"node": {"label": "note", "filters": {"day": {"lte": 3000}}, "related": [{"type": "HAS_TAG", "to": {"label": "tag", "filters": {"name": {"starts_with": "tag 39"}}}}]}, "aggregations": [{"fn": "count"}]}', 1500, $$day <= 3000 AND tag_name LIKE 'tag 39%' AND tag_seen$$),
  (10, 'list_note', '{"filters": {"kind": "post", "day": {"gte": 10}}, "limit": 0}', 20000, $$kind = 'post' AND day >= 10$$),
  (11, 'aggregate_nodes', '{"node": {"label": "note", "filters": {"day": {"lte": 2000}, "author": {"ne": "a3"}}}, "aggregations": [{"fn": "count"}]}', 5500, $$day <= 2000 AND author <> 'a3'$$),
  (12, 'list_note', '{"related": [{"type": "HAS_TAG", "to": {"label": "tag", "filters": {"name": {"starts_with": "tag 1"}}}}], "sort": [{"field": "day", "order": "desc"}], "limit": 20}', 2000, $$tag_name LIKE 'tag 1%' AND tag_seen$$),
  (13, 'list_note', '{"filters": {"day": {"lte": 3000}, "author": {"ne": "a3"}}, "related": [{"type": "HAS_TAG", "to": {"label": "tag", "filters": {"name": {"starts_with": "tag 1"}}}}], "sort": [{"field": "day"}], "limit": 20}', 6500, $$day <= 3000 AND author <> 'a3' AND tag_name LIKE 'tag 1%' AND tag_seen$$);
CREATE FUNCTION sel_want(condition text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE format($q$SELECT count(*) FROM (SELECT data ->> 'kind' AS kind, data ->> 'author' AS author, (data ->> 'day')::int AS day, data ->> 'tag' AS tag, tags ->> (data ->> 'tag') AS tag_name, tags ? (data ->> 'tag') AS tag_seen
    FROM kg_entity, (SELECT jsonb_object_agg(entity_id, data ->> 'name') AS tags FROM kg_entity WHERE entity_type = 'tag' OFFSET 0) t WHERE entity_type = 'note') n WHERE %s$q$, condition) INTO n;
  RETURN n;
END $$;
\c - sel_all
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'notes', 'version', '1', 'schemas', '[
    {"entity_type": "tag", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true}, "hidden": {"type": "boolean"}}}},
    {"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "kind": {"type": "string", "x-index": true}, "author": {"type": "string", "x-index": true}, "day": {"type": "integer", "x-index": true}, "hidden": {"type": "boolean"},
      "tag": {"type": "string", "x-ref": "tag", "x-relation": "HAS_TAG", "x-index": true}}}}]'::jsonb,
  'entities', jsonb_build_array(
    jsonb_build_object('entity_type', 'tag', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 't' || n, 'name', 'tag ' || n) || CASE n % 9 WHEN 0 THEN '{"hidden": true}' ELSE '{}' END::jsonb) FROM generate_series(1, 400) n)),
    jsonb_build_object('entity_type', 'note', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'n' || n, 'kind', CASE WHEN n % 4 = 0 THEN 'reply' ELSE 'post' END, 'author', 'a' || n / 3 % 200, 'day', n, 'tag', 't' || (1 + n % 400)) || CASE n % 7 WHEN 0 THEN '{"hidden": true}' ELSE '{}' END::jsonb) FROM generate_series(1, 4000) n))))) ? 'revision';
SELECT kg_pack() > 0;
SELECT i, sel_work(tool, arguments, most), sel_want(want) FROM sel_calls ORDER BY i;
-- Without its total, a page costs no more than its rows. A total that the page itself shows is there.
SELECT sel_work('list_note', '{"filters": {"kind": "post", "day": {"gte": 10}}, "limit": 5, "total": false}', 1500);
SELECT kg_list(t, a) - 'items' - 'next' FROM (VALUES ('note', '{"filters": {"kind": "post"}, "limit": 2, "total": false}'::jsonb), ('note', '{"filters": {"author": "a1"}, "limit": 50, "total": false}'), ('note', '{"filters": {"kind": "post"}, "limit": 0, "total": false}'),
  ('tag', '{"related": [{"type": "HAS_TAG", "direction": "incoming"}], "limit": 2, "total": false}')) v(t, a);
SELECT kg_list_ids('note', '{"filters": {"author": "a1"}, "limit": 1, "total": false}') - 'next', kg_find_nodes('{"node_label": "note", "filters": {"author": "a1"}, "limit": 1, "total": false, "ids_only": true}') - 'next';
SELECT r -> 'returned', r ? 'total', r -> 'total_at_least', r -> 'next' -> 'total' FROM kg_list('note', kg_list('note', '{"filters": {"kind": "post"}, "limit": 2, "total": false}') -> 'next') r;
SELECT kg_list('note', '{"total": "no"}');
-- A walk down begins at the bound that a filter sets to the sorted property.
SELECT sel_blocks('{"filters": {"day": {"lt": 400}, "kind": "post"}, "sort": [{"field": "day", "order": "desc"}], "limit": 5}') < 55;
-- If a walk from the end of the only chain finds nothing, the filter is not read for the hints.
SELECT sel_work('list_note', '{"filters": {"kind": "reply"}, "related": [{"type": "HAS_TAG", "to": {"label": "tag", "ids": ["t8"]}}]}', 700);
SELECT kg_list('note', jsonb_build_object('filters', f, 'related', jsonb_build_array(jsonb_build_object('type', 'HAS_TAG', 'to', jsonb_build_object('label', 'tag') || e)))) -> 'hints'
  FROM (VALUES ('{"kind": "reply"}'::jsonb, '{"ids": ["t8"]}'::jsonb), ('{"kind": "none"}', '{"ids": ["t8"]}'), ('{"kind": "reply"}', '{"ids": ["t800"]}'), ('{"kind": "reply", "day": {"lt": 0}}', '{"filters": {"name": "tag 8"}}')) v(f, e);
SELECT kg_aggregate(jsonb_build_object('node', '{"label": "note", "filters": {"kind": "reply"}, "related": [{"type": "HAS_TAG", "to": {"label": "tag", "ids": ["t8"]}}]}'::jsonb, 'relationships', '[{"type": "HAS_TAG"}]'::jsonb, 'aggregations', '[{"fn": "count"}]'::jsonb)) - 'max_bytes';
-- Groups by references are read from the packed edges; where they are not packed, from the keys.
SELECT sel_grouped(1000), sel_grouped(40);
-- No condition is tested by a subselect for each row.
SELECT c.i, bool_or(s ->> 'sql' ~ 'EXISTS') AS correlated FROM sel_calls c, jsonb_array_elements(kg_explain(c.tool, c.arguments) -> 'statements') s WHERE c.i IN (1, 2, 3, 6, 7, 8, 11, 12, 13) GROUP BY c.i ORDER BY c.i;
-- Few entities of a type cost less than a walk from an end to which many lead.
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'shelves', 'version', '1', 'schemas', '[
    {"entity_type": "topic", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true}}}},
    {"entity_type": "book", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "topic": {"type": "string", "x-ref": "topic", "x-relation": "ABOUT"}}}},
    {"entity_type": "shelf", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "book": {"type": "string", "x-ref": "book", "x-relation": "HOLDS"}}}}]'::jsonb,
  'relations', '[]'::jsonb, 'entities', jsonb_build_array('{"entity_type": "topic", "items": [{"id": "hub", "name": "hub"}]}'::jsonb,
    jsonb_build_object('entity_type', 'book', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'b' || n, 'topic', 'hub')) FROM generate_series(1, 2000) n)),
    jsonb_build_object('entity_type', 'shelf', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 's' || n, 'book', 'b' || n)) FROM generate_series(1, 200) n))))) ? 'revision';
\c - :owner
\pset format unaligned
\pset tuples_only on
SET kg_graph.max_edges = 500;
SET ROLE sel_all;
SELECT sel_grouped(1000);
RESET ROLE;
RESET kg_graph.max_edges;
SET kg_graph.max_visited = 1000;
SET ROLE sel_all;
SELECT kg_aggregate(jsonb_build_object('node', '{"label": "shelf"}'::jsonb, 'aggregations', '[{"fn": "count"}]'::jsonb, 'relationships', jsonb_build_array('{"type": "HOLDS"}'::jsonb, jsonb_build_object('type', 'ABOUT', 'to', ends)))) -> 'rows'
  FROM (VALUES ('{"label": "topic", "filters": {"name": "hub"}}'::jsonb), ('{"label": "topic", "ids": ["hub"]}')) e(ends);
\c - sel_some
SELECT i, split_part(sel_work(tool, arguments, 100000), ' few', 1), sel_want(want) FROM sel_calls ORDER BY i;
\c - :owner
DROP TABLE sel_calls; DROP FUNCTION sel_work, sel_read, sel_want, sel_blocks, sel_grouped;
DROP POLICY sel_hides ON kg_entity;
CALL test.drop('selections');
