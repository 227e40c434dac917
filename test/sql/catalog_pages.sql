-- Order, pages, cursors, totals and the byte limit of the list tools, as a role
-- under row-level security, with a second tenant in the database.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('page_a', 'page_writer write', 'page_reader read');
CALL test.tenant('page_b', 'page_writer write', 'page_other read');

\c - page_writer
CREATE TEMP TABLE bundle AS SELECT '{"bundle_name": "page", "version": "1", "schemas": [
  {"entity_type": "item", "schema": {"type": "object", "x-id-field": "code", "x-label-field": "name", "x-summary-fields": ["name", "tags", "e"], "x-tool-expose": ["list", "get", "list_ids"], "properties": {
    "code": {"type": "string"}, "name": {"type": "string"}, "note": {"type": "string"},
    "s": {"type": "string", "x-index": true},
    "e": {"enum": ["gold", "silver", "bronze", "none"], "x-index": true},
    "i": {"type": ["integer", "null"], "x-index": true},
    "f": {"type": "number", "x-index": true},
    "b": {"type": "boolean", "x-index": true},
    "d": {"type": "string", "format": "date", "x-index": true},
    "t": {"type": "string", "format": "date-time", "x-index": true},
    "tags": {"type": "array", "items": {"type": "string"}, "x-index": true},
    "same": {"type": "integer", "x-index": true},
    "o": {"type": "object", "properties": {"p": {"type": "integer", "x-index": true}, "q": {"type": "string"}}}}}},
  {"entity_type": "bare", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list", "get", "list_ids"], "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}}]}'::jsonb AS b;
CREATE FUNCTION pg_temp.load(tenant text, k integer, items integer) RETURNS text LANGUAGE sql AS $$
  SELECT set_config('kg_graph.tenant', tenant, false);
  SELECT kg_apply_bundle(b || jsonb_build_object('entities', jsonb_build_array(
    jsonb_build_object('entity_type', 'bare', 'items', (SELECT jsonb_agg(jsonb_build_object('id', n || '-' || k, 'name', 'Bare ' || n)) FROM generate_series(1, 300) n)),
    jsonb_build_object('entity_type', 'item', 'items', (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('code', 'c' || lpad(n::text, 4, '0'), 'name', 'Item number ' || n, 'note', repeat('é', n % 40),
    's', CASE WHEN n % 7 <> 0 THEN chr(97 + n * k % 26) || n % 3 END,
    'e', CASE WHEN n % 5 <> 0 THEN (ARRAY['gold', 'silver', 'bronze', 'none'])[1 + n * k % 4] END,
    'i', CASE WHEN n % 6 <> 0 THEN n * 7919 * k % 23 - 11 END,
    'f', CASE WHEN n % 4 <> 0 THEN (n * 31 * k % 40) / 4.0 END,
    'b', CASE WHEN n % 3 <> 0 THEN n % 2 = 0 END,
    'd', CASE WHEN n % 8 <> 0 THEN to_char(date '2020-01-01' + n * 13 * k % 50, 'YYYY-MM-DD') END,
    't', CASE WHEN n % 9 <> 0 THEN to_char(timestamp '2020-01-01' + n * 17 * k % 50 * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS') || (ARRAY['Z', '+02:00', '-05:30'])[1 + n % 3] END,
    'tags', CASE n % 3 WHEN 0 THEN '["x", "y"]'::jsonb WHEN 1 THEN '["y"]' END,
    'same', 1, 'o', jsonb_build_object('p', n % 10, 'q', 'deep')))) FROM generate_series(1, items) n))))) ->> 'changed' FROM bundle $$;
SELECT pg_temp.load('page_b', 3, 400), pg_temp.load('page_a', 1, 700);
\c - page_other
SELECT kg_list_ids('bare', '{"limit": 2}') #>> '{next,cursor}' AS other_cursor \gset

\c - page_reader
-- What an order means, from the documents alone: a rank of the value, missing last, ties by id.
CREATE TEMP TABLE ranked AS SELECT entity_id, data, n, path, dense_rank() OVER (PARTITION BY path ORDER BY v.txt COLLATE "C", v.num, v.ts) AS rank, v.txt IS NULL AND v.num IS NULL AND v.ts IS NULL AS missing
  FROM (SELECT *, row_number() OVER (ORDER BY entity_id COLLATE "C") AS n FROM kg_entity WHERE entity_type = 'item') e, unnest(ARRAY['s', 'e', 'i', 'f', 'b', 'd', 't', 'same', 'o.p']) path,
  LATERAL (SELECT CASE WHEN path IN ('s', 'd') THEN data ->> path END, CASE path WHEN 'e' THEN -array_position(ARRAY['gold', 'silver', 'bronze', 'none'], data ->> 'e') WHEN 'b' THEN (data ->> 'b')::boolean::integer WHEN 'o.p' THEN (data #>> '{o,p}')::numeric
    WHEN 'i' THEN (data ->> 'i')::numeric WHEN 'f' THEN (data ->> 'f')::numeric WHEN 'same' THEN 1 END, CASE WHEN path = 't' THEN (data ->> 't')::timestamptz END) v(txt, num, ts);
CREATE INDEX ON ranked(path, entity_id);
CREATE FUNCTION pg_temp.ordered(p1 text, down1 boolean, p2 text, down2 boolean, down_id boolean, tag text) RETURNS text[] LANGUAGE sql AS $$
  SELECT array_agg(a.entity_id ORDER BY a.missing, CASE WHEN down1 THEN -a.rank ELSE a.rank END, b.missing, CASE WHEN down2 THEN -b.rank ELSE b.rank END, CASE WHEN down_id THEN -a.n ELSE a.n END)
    FROM ranked a JOIN ranked b USING (entity_id) WHERE a.path = p1 AND b.path = p2 AND (tag IS NULL OR a.data -> 'tags' @> to_jsonb(tag)) $$;
-- All ids, page by page: by cursor, or by offset.
CREATE FUNCTION pg_temp.walk(type text, arguments jsonb, OUT ids text[], OUT pages integer, OUT totals text) LANGUAGE plpgsql AS $$
DECLARE reply jsonb; given jsonb := arguments; seen text[] := '{}';
BEGIN
  ids := '{}'; pages := 0;
  LOOP
    reply := kg_list(type, given);
    pages := pages + 1;
    -- what was named without its data comes again
    ids := ids[1:(reply ->> 'offset')::integer];
    ids := ids || ARRAY(SELECT i ->> 'id' FROM jsonb_array_elements(reply -> 'items') WITH ORDINALITY x(i, n) ORDER BY n);
    seen := seen || (reply ->> 'total');
    IF (reply ->> 'offset')::integer <> cardinality(ids) - (reply ->> 'returned')::integer THEN RAISE 'offset % after %', reply ->> 'offset', cardinality(ids); END IF;
    IF (reply ->> 'truncated')::boolean <> (reply ? 'next') OR (reply ? 'next') <> (reply ->> 'reason' IS NOT NULL) THEN RAISE 'truncated? %', reply - 'items'; END IF;
    EXIT WHEN NOT reply ? 'next' OR pages > 1000;
    given := reply -> 'next';
    IF (given - 'cursor') <> (arguments - 'cursor') THEN RAISE 'next is %', given; END IF;
  END LOOP;
  totals := (SELECT string_agg(DISTINCT t, ' ') FROM unnest(seen) t);
END $$;
CREATE FUNCTION pg_temp.sort(VARIADIC text[]) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_agg(jsonb_build_object('field', split_part(s, ' ', 1), 'order', split_part(s, ' ', 2))) FROM unnest($1) s $$;

-- every property in both directions, in pages of several sizes
SELECT path, count(*) AS walks, bool_and(w.ids = pg_temp.ordered(path, down, 'same', false, down_id, NULL) AND w.totals = '700') AS right
  FROM unnest(ARRAY['s', 'e', 'i', 'f', 'b', 'd', 't', 'same', 'o.p']) path, unnest(ARRAY[false, true]) down, unnest(ARRAY[false, true]) down_id, unnest(ARRAY[1, 33, 200]) size,
    LATERAL pg_temp.walk('item', jsonb_build_object('limit', size, 'fields', '["code"]'::jsonb, 'sort',
      CASE WHEN down_id THEN pg_temp.sort(path || CASE WHEN down THEN ' desc' ELSE ' asc' END, 'id desc') ELSE pg_temp.sort(path || CASE WHEN down THEN ' desc' ELSE ' asc' END) END)) w GROUP BY path ORDER BY path;
-- two properties, with and without a filter that has to be driven or probed
SELECT coalesce(tag, '(all)') AS tag, count(*) AS walks, bool_and(w.ids = pg_temp.ordered(p1, down1, p2, down2, false, tag)) AS right
  FROM (VALUES ('s', 'e'), ('e', 'i'), ('i', 'f'), ('b', 'd'), ('same', 't'), ('o.p', 's')) p(p1, p2), (VALUES (false, true), (true, false), (true, true)) x(down1, down2), unnest(ARRAY[NULL, 'x', 'y']) tag,
    LATERAL pg_temp.walk('item', jsonb_build_object('limit', 80, 'fields', '["code"]'::jsonb, 'filters', CASE WHEN tag IS NULL THEN '{}' ELSE jsonb_build_object('tags', tag) END,
      'sort', pg_temp.sort(p1 || CASE WHEN down1 THEN ' desc' ELSE ' asc' END, p2 || CASE WHEN down2 THEN ' desc' ELSE ' asc' END))) w GROUP BY tag ORDER BY tag NULLS FIRST;
-- a list of values on the property that sorts
SELECT count(*) AS walks, bool_and(w.ids = ARRAY(SELECT o.id FROM unnest(pg_temp.ordered('e', down, second, down, down_id, NULL)) WITH ORDINALITY o(id, n) JOIN kg_entity e ON e.entity_id = o.id WHERE data ->> 'e' IN ('gold', 'bronze', 'none') AND (tag IS NULL OR data -> 'tags' @> to_jsonb(tag)) ORDER BY n)) AS right
  FROM unnest(ARRAY[false, true]) down, unnest(ARRAY[false, true]) down_id, unnest(ARRAY['same', 'i']) second, unnest(ARRAY[1, 90, 500]) size, unnest(ARRAY[NULL, 'x']) tag,
    LATERAL pg_temp.walk('item', jsonb_build_object('limit', size, 'fields', '["code"]'::jsonb, 'filters', '{"e": [{"in": ["none", "gold", "bronze", "gold"]}, {"ne": "silver"}]}'::jsonb || CASE WHEN tag IS NULL THEN '{}' ELSE jsonb_build_object('tags', tag) END,
      'sort', pg_temp.sort('e' || CASE WHEN down THEN ' desc' ELSE ' asc' END) || CASE WHEN second = 'same' THEN '[]' ELSE pg_temp.sort(second || CASE WHEN down THEN ' desc' ELSE ' asc' END) END || CASE WHEN down_id THEN pg_temp.sort('id desc') ELSE '[]' END)) w;
-- no sort: by id, down on request; pages of one; by offset
SELECT w.ids = ARRAY(SELECT entity_id FROM kg_entity WHERE entity_type = 'item' ORDER BY 1) AS right, w.pages, w.totals FROM pg_temp.walk('item', '{"limit": 77}') w;
SELECT w.ids = ARRAY(SELECT entity_id FROM kg_entity WHERE entity_type = 'item' AND data ->> 'e' = 'gold' AND data -> 'tags' @> '["x"]' ORDER BY 1 DESC) AS right, w.pages, w.totals FROM pg_temp.walk('item', '{"limit": 1, "filters": {"e": "gold", "tags": "x"}, "sort": [{"field": "code", "order": "desc"}]}') w;
SELECT bool_and(kg_list('item', jsonb_build_object('limit', 50, 'offset', o, 'sort', pg_temp.sort('d desc', 'i asc'))) #> '{items}' @? '$[*].id' AND
    ARRAY(SELECT i ->> 'id' FROM jsonb_array_elements(kg_list('item', jsonb_build_object('limit', 50, 'offset', o, 'sort', pg_temp.sort('d desc', 'i asc'))) -> 'items') WITH ORDINALITY x(i, n) ORDER BY n) = (pg_temp.ordered('d', true, 'i', false, false, NULL))[o + 1:o + 50]) AS offsets
  FROM unnest(ARRAY[0, 1, 49, 350, 649, 660]) o;
SELECT kg_list('item', '{"limit": 50, "offset": 700}') AS past_the_end;
-- next of a page by offset goes on by cursor
SELECT (r -> 'next') ? 'offset' AS offset, (r -> 'next') ? 'cursor' AS cursor, kg_list('item', r -> 'next') #>> '{items,0,id}' AS id, kg_list('item', r -> 'next') -> 'offset' AS position FROM kg_list('item', '{"offset": 10, "limit": 5}') r;

-- the total: exact, counted once, up to kg_graph.max_total
SELECT kg_list_ids('item', '{"limit": 1}') -> 'total' AS all, kg_list_ids('item', '{"limit": 1, "filters": {"e": "gold"}}') -> 'total' AS gold, (SELECT count(*) FROM kg_entity WHERE data ->> 'e' = 'gold') AS counted;

-- what is refused
CREATE FUNCTION pg_temp.why(type text, arguments jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; message text; reply jsonb;
BEGIN
  reply := kg_list(type, arguments);
  RETURN 'returned ' || (reply ->> 'returned');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, message = MESSAGE_TEXT;
  RETURN SQLSTATE || ' ' || message || ' ' || coalesce((detail::jsonb - 'message' - 'code' - 'got')::text, '');
END $$;
SELECT a AS arguments, pg_temp.why('item', a) FROM unnest(ARRAY['{"limit": 0}', '{"limit": 501}', '{"limit": 500}', '{"limit": -1}', '{"limit": 1.5}', '{"limit": "many"}', '{"limit": null}', '{"limit": 1e30}', '{"offset": -1}', '{"offset": 1e9}',
  '{"max_bytes": 1023}', '{"max_bytes": 100000000}', '{"cursor": 5}', '{"cursor": ""}', '{"cursor": "x"}', '{"offset": 0, "cursor": "x"}', '{"page": 2}', '{"filter": {}}', '{"sort": "i"}', '{"sort": ["i"]}', '{"sort": "i DESC"}', '{"sort": "-i"}', '{"sort": ["i:asc"]}', '{"sort": "desc"}', '{"sort": [{"by": "i"}]}', '{"sort": [{}]}',
  '{"sort": [{"field": "i", "order": "up"}]}', '{"sort": [{"field": "note"}]}', '{"sort": [{"field": "tags"}]}', '{"sort": [{"field": "ii"}]}', '{"sort": [{"field": "i"}, {"field": "i", "order": "desc"}]}', '{"sort": [{"field": "id", "order": "desc"}, {"field": "id"}]}', '{"sort": [{"field": "id"}, {"field": "s"}, {"field": "s"}]}', '{"sort": []}', '{"sort": [{"field": "id"}, {"field": "i"}]}',
  '{"fields": []}', '{"fields": ["nmae"]}', '{"fields": "name"}', '{"fields": [1]}', '{"search": ""}', '{"search": 7}', '[]', '"limit"', '{"cursor": null}', '{"max_bytes": "1100"}']::jsonb[]) a;
SELECT pg_temp.why('item', jsonb_build_object('sort', (SELECT jsonb_agg(jsonb_build_object('field', f)) FROM unnest(ARRAY['s', 'e', 'i', 'f', 'b', 'd', 't', 'same', 'o.p']) f)));
SELECT pg_temp.why('itme', '{}'), pg_temp.why('', '{}'), pg_temp.why('page/item', '{}'), pg_temp.why('other/item', '{}');
-- a cursor of another query, of another tenant, or tampered with; of the same query with another page size it is good
SELECT kg_list('item', '{"limit": 3, "sort": [{"field": "i"}]}') #>> '{next,cursor}' AS cursor \gset
SELECT pg_temp.why('item', jsonb_build_object('sort', pg_temp.sort('i asc'), 'cursor', :'cursor')) AS spelt_out, pg_temp.why('item', jsonb_build_object('sort', '[{"field": "i"}]'::jsonb, 'cursor', :'cursor', 'limit', 7, 'max_bytes', 5000)) AS same_query;
SELECT pg_temp.why('item', jsonb_build_object('cursor', :'cursor')) AS no_sort, pg_temp.why('item', jsonb_build_object('sort', '[{"field": "f"}]'::jsonb, 'cursor', :'cursor')) AS other_sort, pg_temp.why('bare', jsonb_build_object('cursor', :'cursor')) AS other_type, pg_temp.why('item', jsonb_build_object('sort', '[{"field": "i"}]'::jsonb, 'filters', '{"i": 1}'::jsonb, 'cursor', :'cursor')) AS other_filter;
SELECT kg_call_tool('list_item_ids', jsonb_build_object('sort', '[{"field": "i"}]'::jsonb, 'cursor', :'cursor')) #>> '{structuredContent,error,message}' AS other_tool;
SELECT pg_temp.why('bare', jsonb_build_object('limit', 2, 'cursor', :'other_cursor')) AS other_tenant;
SELECT count(*) AS changed, count(*) FILTER (WHERE pg_temp.why('item', jsonb_build_object('sort', '[{"field": "i"}]'::jsonb, 'cursor', overlay(:'cursor' PLACING CASE WHEN substr(:'cursor', n, 1) = 'Q' THEN 'g' ELSE 'Q' END FROM n))) NOT LIKE '22023 the cursor does not belong to this query %') AS accepted FROM generate_series(1, length(:'cursor') - 1) n;
SELECT bool_and(pg_temp.why('item', jsonb_build_object('sort', '[{"field": "i"}]'::jsonb, 'cursor', c)) LIKE '22023 %') AS refused FROM unnest(ARRAY[left(:'cursor', -1), left(:'cursor', 4), :'cursor' || 'A', :'cursor' || '=', upper(:'cursor'), repeat('A', 100), repeat('A', 20000), ' ', 'é', '../', '++++']) c;

-- fields: by name, nested by path; ids and summaries
SELECT kg_list('item', '{"limit": 1, "fields": ["name", "o.q", "tags"]}') #> '{items}' AS fields, kg_list('item', '{"limit": 1, "fields": ["o"]}') #> '{items}' AS object, kg_list('item', '{"limit": 1, "fields": ["code", "code"]}') #> '{items}' AS twice;
SELECT kg_list_ids('item', '{"limit": 2}') - 'next' AS summaries, kg_list_ids('bare', '{"limit": 2}') - 'next' AS ids;
SELECT kg_list_ids('item', '{"fields": ["name"]}');

-- the byte budget: data of the last items is withheld first, then items are cut; what is there says so
CREATE FUNCTION pg_temp.budget(type text, arguments jsonb, bytes integer, OUT bytes_ok boolean, OUT items integer, OUT stubs integer, OUT truncated boolean, OUT reason text, OUT withheld jsonb, OUT next boolean) LANGUAGE sql AS $$
  SELECT octet_length(r::text) <= bytes, (r ->> 'returned')::integer, (SELECT count(*)::integer FROM jsonb_array_elements(r -> 'items') i WHERE NOT i ? 'data'), (r ->> 'truncated')::boolean, r ->> 'reason', r -> 'withheld', r ? 'next'
    FROM kg_list(type, arguments || jsonb_build_object('max_bytes', bytes)) r $$;
SELECT bytes, b.* FROM unnest(ARRAY[100000, 8000, 6000, 4000, 3000, 2000, 1500, 1200, 1024]) bytes, LATERAL pg_temp.budget('item', '{"limit": 20, "sort": [{"field": "f"}, {"field": "e"}]}', bytes) b;
SELECT bool_and(bytes_ok) AS within FROM generate_series(1300, 9000, 97) bytes, unnest(ARRAY[1, 7, 60, 500]) size, LATERAL pg_temp.budget('item', jsonb_build_object('limit', size), bytes) b;
-- pages that the budget cut still hold everything once
SELECT w.ids = ARRAY(SELECT entity_id FROM kg_entity WHERE entity_type = 'item' ORDER BY 1) AS all, w.pages > 10 AS many FROM pg_temp.walk('item', '{"limit": 500, "max_bytes": 3000}') w;
SELECT jsonb_array_length(r -> 'ids') AS ids, r -> 'truncated' AS truncated, r ->> 'reason' AS reason, r -> 'withheld' AS withheld, octet_length(r::text) <= 1200 AS within FROM kg_list_ids('bare', '{"max_bytes": 1200, "limit": 300}') r;
SELECT r #> '{items,0}' AS first, r -> 'withheld' AS withheld, r ->> 'reason' AS reason FROM kg_list_ids('item', '{"max_bytes": 1200, "limit": 30}') r;

-- get: the order asked for, what is missing, the nearest to it
SELECT kg_get('bare', '2-1') AS one, kg_get('bare', 'none') AS none, kg_get('bare', '') AS empty, kg_get('bare', NULL::text) IS NULL AS "null", kg_get('bare', '1-3') AS of_the_other_tenant;
SELECT kg_get('bare', ARRAY['5-1', '6-1', '1-1', '3-1', '1-1', '1-3']) - 'hints';
SELECT kg_get('item', ARRAY['c0001', 'c001', 'Item number 7']) -> 'hints' AS hints;
SELECT kg_call_tool('get_bare', '{"id": "2-1"}') -> 'structuredContent' AS one, kg_call_tool('get_bare', '{"id": "21"}') -> 'structuredContent' AS none;
SELECT kg_call_tool('get_item', '{"ids": ["c0002", "c0001"], "fields": ["name"]}') -> 'structuredContent' AS fields;
SELECT jsonb_array_length(r -> 'entities') AS entities, r -> 'withheld' AS withheld, octet_length(r::text) <= 1500 AS within, jsonb_array_length(r #> '{next,ids}') AS next FROM (SELECT kg_call_tool('get_item', jsonb_build_object('max_bytes', 1500, 'ids', (SELECT jsonb_agg('c' || lpad(n::text, 4, '0')) FROM generate_series(1, 30) n))) -> 'structuredContent' AS r) x;
SELECT a AS arguments, kg_call_tool('get_bare', a) #>> '{structuredContent,error,message}' AS message FROM unnest(ARRAY['{}', '{"ids": []}', '{"ids": ["1-1"], "id": "1-1"}', '{"id": null}', '{"ids": "1-1"}', '{"ids": [null]}', '{"ids": [""]}', '{"id": "\u0001"}', '{"ids": {"id": 1}}', '{"bare": "1-1"}']::jsonb[]) a;
SELECT jsonb_array_length(kg_get('bare', ARRAY(SELECT 'x' || n FROM generate_series(1, 500) n)) -> 'not_found') AS five_hundred;
SELECT kg_get('bare', ARRAY(SELECT 'x' || n FROM generate_series(1, 501) n));
SELECT kg_get('bare', ARRAY[repeat('x', 129)]);
SELECT kg_get('bare', ARRAY['a', NULL]);
SELECT kg_get('bare', '{}'::text[]);
SELECT kg_get('nothing', 'x');

-- limits that an administrator sets: what is counted, how large a reply is
\c - :owner
SET kg_graph.max_total = 100; SET ROLE page_reader;
SELECT (kg_list_ids('item', '{"limit": 2}') - 'next' - 'items') AS all, kg_list_ids('item', '{"limit": 1, "filters": {"i": 3}}') -> 'total' AS few;
RESET ROLE; SET kg_graph.max_total = 0; SET ROLE page_reader;
SELECT (kg_list_ids('item', '{"limit": 2}') - 'next' - 'items') AS uncounted, (kg_list_ids('item', kg_list_ids('item', '{"limit": 2}') -> 'next') - 'next' - 'items') AS second;
RESET ROLE; RESET kg_graph.max_total; SET kg_graph.reply_bytes = 2000; SET ROLE page_reader;
SELECT octet_length(r::text) <= 2000 AS within, r -> 'withheld' AS withheld FROM kg_list('item', '{"limit": 100}') r;
RESET ROLE; SET kg_graph.max_reply_bytes = 4000; SET ROLE page_reader;
SELECT kg_list('item', '{"max_bytes": 4001}');

\c - :owner
CALL test.drop('page_a', 'page_b');
