-- Paths through references ("buyer.land.name") are shown, filtered, sorted, grouped
-- and summed by, for a caller that sees everything and for one from which rows are
-- hidden. Each result is compared with a join of the rows that the caller sees.
\i test/data/prelude.sql
\pset format unaligned
\pset tuples_only on
CALL test.tenant('paths', 'paths_all write', 'paths_some read');
CREATE POLICY paths_hides ON kg_entity AS RESTRICTIVE FOR SELECT TO paths_some USING (NOT data ? 'hidden');
-- the rows that the caller sees, joined
CREATE FUNCTION paths_of(type text) RETURNS TABLE (id text, d jsonb) LANGUAGE sql AS $$ SELECT entity_id, data FROM kg_entity WHERE tenant = 'paths' AND entity_type = type $$;
CREATE FUNCTION paths_joined() RETURNS TABLE (id text, price numeric, at timestamp, b text, name text, rank text, since text, land text, lname text, size int, byname text) LANGUAGE sql AS $$
  SELECT s.id, (s.d->>'price')::numeric, (s.d->>'at')::timestamptz AT TIME ZONE 'UTC', s.d->>'buyer', b.d->>'name', b.d->>'rank', b.d->>'since', b.d->>'land', l.d->>'name', (l.d->>'size')::int, y.d->>'name'
  FROM paths_of('sale') s LEFT JOIN paths_of('buyer') b ON b.id = s.d->>'buyer' LEFT JOIN paths_of('land') l ON l.id = b.d->>'land' LEFT JOIN paths_of('buyer') y ON y.id = b.d->>'by' $$;
CREATE FUNCTION paths_rows(reply jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(r::text, ' ' ORDER BY r::text) FROM (SELECT (SELECT jsonb_agg(CASE jsonb_typeof(e) WHEN 'number' THEN to_jsonb(trim_scale(e::numeric)) ELSE e END ORDER BY n) FROM jsonb_array_elements(x) WITH ORDINALITY t(e, n)) AS r FROM jsonb_array_elements(reply->'rows') x) y $$;
CREATE FUNCTION paths_ids(reply jsonb) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(x, ' ' ORDER BY n) FROM jsonb_array_elements_text(reply->'ids') WITH ORDINALITY t(x, n) $$;
CREATE FUNCTION paths_listed(args text) RETURNS text LANGUAGE sql AS $$ SELECT paths_ids(kg_list_ids('sale', args::jsonb || '{"limit": 500}')) $$;
CREATE FUNCTION paths_grouped(args text) RETURNS text LANGUAGE sql AS $$ SELECT paths_rows(kg_aggregate('{"node": {"label": "sale"}, "limit": 1000}'::jsonb || args::jsonb)) $$;
CREATE FUNCTION paths_likes() RETURNS TABLE (b text, s text, rank text, name text, land text, stars int) LANGUAGE sql AS $$
  SELECT b.id, 'S' || i, b.d->>'rank', b.d->>'name', b.d->>'land', CASE WHEN i % 4 > 0 THEN i * 7 % 5 END FROM generate_series(1, 100) i JOIN paths_of('buyer') b ON b.id = 'B' || i % 20 + 1 $$;
CREATE FUNCTION paths_order(args text) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(r->>-1, ' ' ORDER BY n) FROM jsonb_array_elements(kg_traverse('{"limit": 1000, "max_bytes": 1000000, "ids_only": true}'::jsonb || args::jsonb) -> 'rows') WITH ORDINALITY t(r, n) $$;
CREATE FUNCTION paths_compare() RETURNS TABLE (what text, same boolean) LANGUAGE sql AS $$
  SELECT 'shown', (SELECT jsonb_object_agg(i->>'id', (i->'data') - 'price') FROM jsonb_array_elements(kg_list('sale', '{"fields": ["price", "buyer.name", "buyer.land.name", "buyer.by.name"], "limit": 500}')->'items') i)
    = (SELECT jsonb_object_agg(id, jsonb_build_object('buyer.name', name, 'buyer.land.name', lname, 'buyer.by.name', byname)) FROM paths_joined())
  UNION ALL SELECT 'shown of an array', (SELECT jsonb_object_agg(i->>'id', i #> '{data,lands.name}') FROM jsonb_array_elements(kg_list('sale', '{"fields": ["lands.name"], "limit": 500}')->'items') i)
    = (SELECT jsonb_object_agg(s.id, (SELECT coalesce(jsonb_agg(l.d->'name' ORDER BY l.id), '[]') FROM paths_of('land') l WHERE s.d->'lands' ? l.id)) FROM paths_of('sale') s)
  UNION ALL SELECT 'shown by get', (SELECT jsonb_object_agg(i->>'id', i #> '{data,buyer.land.size}') FROM jsonb_array_elements(kg_call_tool('get_sale', jsonb_build_object('fields', '["buyer.land.size"]'::jsonb, 'ids', (SELECT jsonb_agg(id) FROM paths_of('sale')))) #> '{structuredContent,entities}') i)
    = (SELECT jsonb_object_agg(id, size) FROM paths_joined())
  UNION ALL SELECT 'shown by find_nodes and traverse', (SELECT array_agg(n->'properties'->>'buyer.name' ORDER BY n->>'id') FROM jsonb_array_elements(kg_find_nodes('{"node_label": "sale", "columns": ["buyer.name"], "limit": 1000, "max_bytes": 1000000}')->'nodes') n)
    = (SELECT array_agg(name ORDER BY id) FROM paths_joined())
    AND (SELECT array_agg(n->'properties'->>'buyer.land.name' ORDER BY n->>'id') FROM jsonb_array_elements(kg_traverse('{"from": {"label": "sale"}, "relationships": [{"type": "MADE_BY"}], "columns": ["buyer.land.name"], "limit": 1000, "max_bytes": 1000000}')->'nodes') n WHERE n->>'type' = 'sale')
    = (SELECT array_agg(lname ORDER BY id) FROM paths_joined() WHERE name IS NOT NULL)
  UNION ALL SELECT 'filter', paths_listed('{"filters": {"buyer.land.name": "Land 3"}}') IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id COLLATE "C") FROM paths_joined() WHERE lname = 'Land 3')
  UNION ALL SELECT 'filters', paths_listed('{"filters": {"buyer.name": {"gt": "Buyer P"}, "buyer.land.size": {"gte": 20, "lt": 50}, "price": {"lt": 200}}}') IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id COLLATE "C") FROM paths_joined() WHERE name > 'Buyer P' COLLATE "C" AND size >= 20 AND size < 50 AND price < 200)
  UNION ALL SELECT 'filter ne', paths_listed('{"filters": {"buyer.rank": {"ne": "tin"}}}') IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id COLLATE "C") FROM paths_joined() WHERE rank <> 'tin')
  UNION ALL SELECT 'filter is_null', paths_listed('{"filters": {"buyer.land.name": {"is_null": true}}}') IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id COLLATE "C") FROM paths_joined() WHERE lname IS NULL)
    AND paths_listed('{"filters": {"buyer.rank": {"is_null": false}}}') IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id COLLATE "C") FROM paths_joined() WHERE rank IS NOT NULL)
  UNION ALL SELECT 'filter by id', paths_listed('{"filters": {"buyer.land": "L2", "buyer.id": {"in": ["B1", "B7", "B13", "B19"]}}}') IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id COLLATE "C") FROM paths_joined() WHERE land = 'L2' AND name IS NOT NULL AND b IN ('B1', 'B7', 'B13', 'B19'))
  UNION ALL SELECT 'filter of an array', paths_listed('{"filters": {"lands.size": {"gt": 50}}}') IS NOT DISTINCT FROM (SELECT string_agg(s.id, ' ' ORDER BY s.id COLLATE "C") FROM paths_of('sale') s WHERE EXISTS (SELECT FROM paths_of('land') l WHERE s.d->'lands' ? l.id AND (l.d->>'size')::int > 50))
  UNION ALL SELECT 'filter of an end', (SELECT count(*) FROM jsonb_array_elements(kg_traverse('{"from": {"label": "land"}, "relationships": [{"type": "LIVES_IN", "direction": "incoming"}, {"type": "MADE_BY", "direction": "incoming", "to": {"filters": {"buyer.land.name": "Land 2"}}}], "limit": 1000}')->'rows'))
    = (SELECT count(*) FROM paths_joined() WHERE lname = 'Land 2')
  UNION ALL SELECT 'alternatives', paths_listed('{"filters": {"any": [{"buyer.land.name": "Land 3", "price": {"lt": 300}}, {"buyer.rank": "gold"}, {"price": {"lt": 20}}]}}') IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id COLLATE "C") FROM paths_joined() WHERE lname = 'Land 3' AND price < 300 OR rank = 'gold' OR price < 20)
    AND paths_listed('{"filters": {"buyer.land.size": {"gt": 10}, "any": [{"buyer.rank": {"is_null": true}}, {"lands.size": {"gt": 50}}]}}') IS NOT DISTINCT FROM (SELECT string_agg(j.id, ' ' ORDER BY j.id COLLATE "C") FROM paths_joined() j JOIN paths_of('sale') s ON s.id = j.id WHERE size > 10 AND (rank IS NULL OR EXISTS (SELECT FROM paths_of('land') l WHERE s.d->'lands' ? l.id AND (l.d->>'size')::int > 50)))
    AND (kg_aggregate('{"node": {"label": "sale", "filters": {"any": [{"buyer.land.name": "Land 3"}, {"buyer.by.name": {"is_null": true}}]}}, "aggregations": [{"fn": "count"}]}') #>> '{rows,0,0}')::int = (SELECT count(*) FROM paths_joined() WHERE lname = 'Land 3' OR byname IS NULL)
    AND (SELECT count(*) FROM jsonb_array_elements(kg_traverse('{"from": {"label": "buyer"}, "relationships": [{"type": "MADE_BY", "direction": "incoming", "to": {"label": "sale", "filters": {"any": [{"buyer.land.name": "Land 2"}, {"price": {"lt": 50}}]}}}], "limit": 1000}')->'rows'))
    = (SELECT count(*) FROM paths_joined() WHERE name IS NOT NULL AND (lname = 'Land 2' OR price < 50))
  UNION ALL SELECT 'sort', paths_listed('{"sort": [{"field": "buyer.land.name", "order": "desc"}, {"field": "buyer.name"}, {"field": "price", "order": "desc"}]}') = (SELECT string_agg(id, ' ' ORDER BY lname COLLATE "C" DESC NULLS LAST, name COLLATE "C" NULLS LAST, price DESC) FROM paths_joined())
  UNION ALL SELECT 'sort by an enum', paths_listed('{"sort": [{"field": "buyer.rank"}], "filters": {"buyer.rank": {"is_not_null": true}}}') = (SELECT string_agg(id, ' ' ORDER BY rank = 'gold', id COLLATE "C") FROM paths_joined() WHERE rank IS NOT NULL)
  UNION ALL SELECT 'rows by an end', paths_order('{"from": {"label": "land"}, "relationships": [{"type": "LIVES_IN", "direction": "incoming"}, {"type": "MADE_BY", "direction": "incoming"}], "sort": [{"field": "name", "step": 1}, {"field": "price", "order": "desc"}]}')
    = (SELECT string_agg('sale:' || id, ' ' ORDER BY name COLLATE "C", price DESC) FROM paths_joined() WHERE lname IS NOT NULL)
  UNION ALL SELECT 'rows by a path', paths_order('{"from": {"label": "land"}, "relationships": [{"type": "LIVES_IN", "direction": "incoming"}, {"type": "MADE_BY", "direction": "incoming"}], "sort": [{"field": "buyer.by.name", "order": "desc"}, {"field": "price"}]}')
    = (SELECT string_agg('sale:' || id, ' ' ORDER BY byname COLLATE "C" DESC NULLS LAST, price) FROM paths_joined() WHERE lname IS NOT NULL)
  UNION ALL SELECT 'rows by an edge', paths_order('{"from": {"label": "buyer"}, "relationships": [{"type": "LIKES"}], "sort": [{"field": "edge.stars", "order": "desc"}, {"field": "price"}]}')
    = (SELECT string_agg('sale:' || substr(s.id, 1), ' ' ORDER BY CASE WHEN i % 4 > 0 THEN i * 7 % 5 END DESC NULLS LAST, (s.d->>'price')::numeric) FROM paths_of('sale') s, LATERAL (SELECT substr(s.id, 2)::int AS i) x JOIN paths_of('buyer') b ON b.id = 'B' || i % 20 + 1 WHERE i <= 100)
  UNION ALL SELECT 'rows by parallel edges', paths_order('{"from": {"label": "buyer"}, "relationships": [{"type": "TRIED"}], "sort": [{"field": "edge.at", "order": "desc"}]}')
    = (SELECT string_agg('sale:S' || s, ' ' ORDER BY last DESC) FROM (SELECT i % 4 + 1 AS b, i % 9 + 1 AS s, max(i) AS last FROM generate_series(1, 60) i WHERE EXISTS (SELECT FROM paths_of('buyer') x WHERE x.id = 'B' || i % 4 + 1) GROUP BY 1, 2) e)
  UNION ALL SELECT 'groups', paths_grouped('{"group_by": [{"property": "buyer.land.name"}, {"property": "buyer.rank"}], "aggregations": [{"fn": "count"}, {"fn": "sum", "property": "price"}]}')
    = (SELECT string_agg(jsonb_build_array(lname, rank, n, p)::text, ' ' ORDER BY jsonb_build_array(lname, rank, n, p)::text) FROM (SELECT lname, rank, count(*) AS n, trim_scale(sum(price)) AS p FROM paths_joined() GROUP BY 1, 2) g)
  UNION ALL SELECT 'groups by a date', paths_grouped('{"group_by": [{"property": "buyer.since", "truncate": "month"}], "aggregations": [{"fn": "count"}]}')
    = (SELECT string_agg(jsonb_build_array(m, n)::text, ' ' ORDER BY jsonb_build_array(m, n)::text) FROM (SELECT to_char(since::date, 'YYYY-MM-01') AS m, count(*) AS n FROM paths_joined() GROUP BY 1) g)
  UNION ALL SELECT 'groups of an array', paths_grouped('{"group_by": [{"property": "lands.name"}], "aggregations": [{"fn": "count"}]}')
    = (SELECT string_agg(jsonb_build_array(m, n)::text, ' ' ORDER BY jsonb_build_array(m, n)::text) FROM (SELECT l.d->>'name' AS m, count(*) AS n FROM paths_of('sale') s LEFT JOIN paths_of('land') l ON s.d->'lands' ? l.id GROUP BY 1) g)
  UNION ALL SELECT 'sums', paths_grouped('{"group_by": [{"property": "buyer"}], "aggregations": [{"fn": "sum", "property": "buyer.land.size"}, {"fn": "max", "property": "buyer.by.name"}, {"fn": "count_distinct", "property": "buyer.land.code"}]}')
    = (SELECT string_agg(r::text, ' ' ORDER BY r::text) FROM (SELECT jsonb_build_array(b, sum(size), max(byname COLLATE "C"), count(DISTINCT CASE WHEN lname IS NOT NULL THEN land END)) AS r FROM paths_joined() GROUP BY b) g)
  UNION ALL SELECT 'labels of groups', paths_grouped('{"group_by": [{"property": "buyer", "named": true}, {"property": "price", "named": true}], "aggregations": [{"fn": "count"}]}')
    = (SELECT string_agg(r::text, ' ' ORDER BY r::text) FROM (SELECT jsonb_build_array(b, trim_scale(price), count(*), name) AS r FROM paths_joined() GROUP BY b, price, name) g)
  UNION ALL SELECT 'labels in compact tools', (SELECT jsonb_object_agg(i->>'id', i #> '{data,buyer.name}') FROM jsonb_array_elements(kg_call_tool('find', '{"type": "sale", "fields": ["buyer"], "limit": 500}') #> '{structuredContent,items}') i)
    = (SELECT jsonb_object_agg(id, name) FROM paths_joined())
    AND paths_rows(kg_call_tool('count', '{"node": {"label": "sale"}, "group_by": [{"property": "buyer"}], "limit": 100}') -> 'structuredContent')
    = (SELECT string_agg(r::text, ' ' ORDER BY r::text) FROM (SELECT jsonb_build_array(b, count(*), name) AS r FROM paths_joined() GROUP BY b, name) g)
  UNION ALL SELECT 'median', paths_grouped('{"group_by": [{"property": "buyer.land.name"}], "aggregations": [{"fn": "median", "property": "price"}, {"fn": "median", "property": "buyer.land.size"}]}')
    = (SELECT string_agg(r::text, ' ' ORDER BY r::text) FROM (SELECT jsonb_build_array(lname, trim_scale((percentile_cont(0.5) WITHIN GROUP (ORDER BY price))::numeric), trim_scale((percentile_cont(0.5) WITHIN GROUP (ORDER BY size))::numeric)) AS r FROM paths_joined() GROUP BY lname) g)
  UNION ALL SELECT 'groups by edges', paths_rows(kg_aggregate('{"node": {"label": "buyer"}, "group_by": [{"relationship": "LIKES", "property": "edge.stars"}], "aggregations": [{"fn": "count"}], "limit": 100}'))
    = (SELECT string_agg(r::text, ' ' ORDER BY r::text) FROM (SELECT jsonb_build_array(stars, count(DISTINCT b)) AS r FROM paths_likes() GROUP BY stars) g)
    AND paths_rows(kg_aggregate('{"node": {"label": "buyer"}, "relationships": [{"type": "LIKES"}], "group_by": [{"step": 1, "property": "edge.stars"}, {"property": "rank"}], "aggregations": [{"fn": "count"}], "limit": 100}'))
    = (SELECT string_agg(r::text, ' ' ORDER BY r::text) FROM (SELECT jsonb_build_array(stars, rank, count(*)) AS r FROM paths_likes() GROUP BY stars, rank) g)
  UNION ALL SELECT 'groups that pass', paths_grouped('{"group_by": [{"property": "buyer.land.name"}], "aggregations": [{"fn": "count", "as": "n"}, {"fn": "sum", "property": "buyer.land.size"}], "having": {"n": {"gte": 3, "lt": 40}, "sum_buyer.land.size": {"ne": 0}}}')
    IS NOT DISTINCT FROM (SELECT string_agg(r::text, ' ' ORDER BY r::text) FROM (SELECT jsonb_build_array(lname, count(*), sum(size)) AS r FROM paths_joined() GROUP BY lname HAVING count(*) >= 3 AND count(*) < 40 AND sum(size) <> 0) g)
  UNION ALL SELECT 'sums of edges', paths_rows(kg_aggregate('{"node": {"label": "buyer"}, "relationships": [{"type": "LIKES"}], "group_by": [{"property": "rank"}], "aggregations": [{"fn": "sum", "property": "edge.stars"}, {"fn": "count"}, {"fn": "median", "property": "edge.stars"}, {"fn": "count", "property": "edge.stars"}, {"fn": "min", "property": "name"}], "limit": 100}'))
    = (SELECT string_agg(r::text, ' ' ORDER BY r::text) FROM (SELECT jsonb_build_array(rank, sum(stars), count(DISTINCT b), (percentile_cont(0.5) WITHIN GROUP (ORDER BY stars))::numeric, count(stars), min(name COLLATE "C")) AS r FROM paths_likes() GROUP BY rank) g)
    AND paths_rows(kg_aggregate('{"node": {"label": "land"}, "relationships": [{"type": "LIVES_IN", "direction": "incoming"}, {"type": "LIKES"}, {"type": "MADE_BY"}], "group_by": [{"property": "code"}], "aggregations": [{"fn": "sum", "property": "edge.stars", "step": 2}], "limit": 100}'))
    = (SELECT string_agg(r::text, ' ' ORDER BY r::text) FROM (SELECT jsonb_build_array(land, sum(stars)) AS r FROM paths_likes() l JOIN paths_of('land') x ON x.id = l.land JOIN paths_of('sale') s ON s.id = l.s JOIN paths_of('buyer') m ON m.id = s.d->>'buyer' GROUP BY land) g)
  UNION ALL SELECT 'sums of edges in both directions', (SELECT bool_and(paths_rows(kg_aggregate(jsonb_build_object('node', '{"label": "buyer"}'::jsonb, 'relationships', jsonb_build_array(jsonb_build_object('type', 'OWES', 'direction', direction)), 'group_by', '[{"property": "id"}]'::jsonb, 'aggregations', '[{"fn": "sum", "property": "edge.sum"}]'::jsonb, 'limit', 100)))
    IS NOT DISTINCT FROM (SELECT string_agg(r::text, ' ' ORDER BY r::text) FROM (SELECT jsonb_build_array('B' || CASE direction WHEN 'incoming' THEN j ELSE i END, sum(i * 10 + j)) AS r FROM generate_series(1, 9) i, generate_series(1, 9) j
      WHERE ((i + 2 * j) % 3 > 0 OR i = j) AND EXISTS (SELECT FROM paths_of('buyer') x WHERE x.id = 'B' || i) AND EXISTS (SELECT FROM paths_of('buyer') x WHERE x.id = 'B' || j) GROUP BY CASE direction WHEN 'incoming' THEN j ELSE i END) g)) FROM unnest('{outgoing,incoming}'::text[]) direction)
  UNION ALL SELECT 'sums of edges that pass', paths_rows(kg_aggregate('{"node": {"label": "buyer"}, "relationships": [{"type": "TRIED", "filters": {"mood": "good"}}], "aggregations": [{"fn": "count", "property": "edge.at"}]}'))
    = (SELECT jsonb_build_array(count(*))::text FROM generate_series(1, 60) i WHERE i % 3 = 1 AND EXISTS (SELECT FROM paths_of('buyer') x WHERE x.id = 'B' || i % 4 + 1))
  UNION ALL SELECT 'sums of parallel edges', paths_rows(kg_aggregate('{"node": {"label": "buyer"}, "relationships": [{"type": "TRIED"}], "group_by": [{"property": "id"}, {"step": 1, "property": "edge.mood"}], "aggregations": [{"fn": "count", "property": "edge.at"}, {"fn": "max", "property": "edge.at"}], "limit": 100}'))
    = (SELECT string_agg(r::text, ' ' ORDER BY r::text) FROM (SELECT jsonb_build_array(b, mood, count(*), max(at)) AS r FROM (SELECT 'B' || i % 4 + 1 AS b, i % 9 AS s, '2026-01-01'::date + i AS at, g.mood FROM generate_series(1, 60) i,
        LATERAL (SELECT DISTINCT CASE j % 3 WHEN 1 THEN 'good' WHEN 2 THEN 'bad' END AS mood FROM generate_series(1, 60) j WHERE j % 4 = i % 4 AND j % 9 = i % 9) g) e WHERE EXISTS (SELECT FROM paths_of('buyer') x WHERE x.id = b) GROUP BY b, mood) g)
  UNION ALL SELECT 'parts of a date', paths_grouped('{"group_by": [{"property": "at", "truncate": "weekday"}, {"property": "at", "truncate": "hour_of_day"}, {"property": "at", "truncate": "month_of_year"}], "aggregations": [{"fn": "count"}]}')
    = (SELECT string_agg(r::text, ' ' ORDER BY r::text) FROM (SELECT jsonb_build_array(to_char(at, 'FMDay'), extract(hour FROM at)::int, extract(month FROM at)::int, count(*)) AS r FROM paths_joined() GROUP BY to_char(at, 'FMDay'), extract(hour FROM at)::int, extract(month FROM at)::int) g)
  UNION ALL SELECT 'the first for each', paths_grouped('{"group_by": [{"property": "buyer.land.name"}, {"property": "buyer.name"}], "aggregations": [{"fn": "sum", "property": "price"}], "sort": [{"field": "sum_price", "order": "desc"}], "per": "buyer.land.name", "limit": 2}')
    = (SELECT string_agg(jsonb_build_array(lname, name, p)::text, ' ' ORDER BY jsonb_build_array(lname, name, p)::text) FROM (SELECT lname, name, trim_scale(sum(price)) AS p, row_number() OVER (PARTITION BY lname ORDER BY sum(price) DESC, name COLLATE "C" NULLS LAST) AS nth FROM paths_joined() GROUP BY lname, name) g WHERE nth <= 2) $$;
\c - paths_all
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'trade', 'version', '1', 'schemas', '[
    {"entity_type": "land", "schema": {"type": "object", "x-id-field": "code", "x-label-field": "name", "properties": {"code": {"type": "string"}, "name": {"type": "string", "x-index": true}, "size": {"type": "integer", "x-index": true}, "hidden": {"type": "boolean"}}}},
    {"entity_type": "buyer", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-history": true, "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true}, "since": {"type": "string", "format": "date", "x-index": true}, "note": {"type": "string", "x-untrusted": true}, "rank": {"enum": ["gold", "tin"], "type": "string", "x-index": true}, "land": {"type": "string", "x-ref": "land", "x-relation": "LIVES_IN", "x-index": true}, "by": {"type": "string", "x-ref": "buyer", "x-relation": "BROUGHT_BY"}, "hidden": {"type": "boolean"}}}},
    {"entity_type": "sale", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "x-tool-expose": ["list", "list_ids", "get"], "properties": {"id": {"type": "string"}, "price": {"type": "number", "x-index": true}, "at": {"type": "string", "format": "date-time", "x-index": true}, "day": {"type": "string", "format": "date"}, "buyer": {"type": "string", "x-ref": "buyer", "x-relation": "MADE_BY", "x-index": true}, "lands": {"type": "array", "items": {"type": "string", "x-ref": "land", "x-relation": "SENT_TO"}},
      "left": {"type": "string", "x-ref": "land", "x-relation": "PASSES"}, "right": {"type": "string", "x-ref": "land", "x-relation": "PASSES"}}}}]'::jsonb,
  'relations', '[{"name": "OWES", "from": "buyer", "to": "buyer", "schema": {"type": "object", "properties": {"sum": {"type": "integer"}}}}, {"name": "LIKES", "from": "buyer", "to": "sale", "schema": {"type": "object", "properties": {"stars": {"type": "integer"}}}}, {"name": "TRIED", "from": "buyer", "to": "sale", "key": ["at"], "schema": {"type": "object", "required": ["at"], "properties": {"at": {"type": "string", "format": "date"}, "mood": {"enum": ["good", "bad"], "type": "string"}}}}]'::jsonb,
  'edges', (SELECT jsonb_agg(jsonb_build_object('relation', 'LIKES', 'from', 'buyer:B' || i % 20 + 1, 'to', 'sale:S' || i, 'properties', CASE WHEN i % 4 > 0 THEN jsonb_build_object('stars', i * 7 % 5) ELSE '{}' END)) FROM generate_series(1, 100) i)
    || (SELECT jsonb_agg(jsonb_build_object('relation', 'OWES', 'from', 'buyer:B' || i, 'to', 'buyer:B' || j, 'properties', jsonb_build_object('sum', i * 10 + j))) FROM generate_series(1, 9) i, generate_series(1, 9) j WHERE (i + 2 * j) % 3 > 0 OR i = j)
    || (SELECT jsonb_agg(jsonb_build_object('relation', 'TRIED', 'from', 'buyer:B' || i % 4 + 1, 'to', 'sale:S' || i % 9 + 1, 'properties', jsonb_build_object('at', '2026-01-01'::date + i) || CASE WHEN i % 3 > 0 THEN jsonb_build_object('mood', CASE i % 3 WHEN 1 THEN 'good' ELSE 'bad' END) ELSE '{}' END)) FROM generate_series(1, 60) i),
  'entities', jsonb_build_array(
    jsonb_build_object('entity_type', 'land', 'items', (SELECT jsonb_agg(jsonb_build_object('code', 'L' || i, 'name', 'Land ' || i, 'size', i * 10) || CASE i WHEN 3 THEN '{"hidden": true}' ELSE '{}' END::jsonb) FROM generate_series(1, 6) i)),
    jsonb_build_object('entity_type', 'buyer', 'items', (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('id', 'B' || i, 'name', 'Buyer ' || chr(90 - i), 'since', '2020-01-01'::date + i, 'note', 'n' || i, 'rank', CASE i % 3 WHEN 0 THEN 'gold' WHEN 1 THEN 'tin' END, 'land', CASE WHEN i % 5 > 0 THEN 'L' || i % 6 + 1 END, 'by', CASE WHEN i > 1 THEN 'B' || i / 2 END, 'hidden', CASE WHEN i % 7 = 2 THEN true END))) FROM generate_series(1, 20) i)),
    jsonb_build_object('entity_type', 'sale', 'items', (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('id', 'S' || i, 'price', i * 1.5, 'at', to_char('2026-01-01 00:30:00'::timestamp + i * interval '7 hours', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'day', '2026-01-01'::date + i, 'buyer', CASE WHEN i % 11 > 0 THEN 'B' || i % 20 + 1 END, 'lands', CASE WHEN i % 3 > 0 THEN to_jsonb(ARRAY['L' || i % 6 + 1, 'L' || (i * 5) % 6 + 1]) END))) FROM generate_series(1, 200) i))))) ? 'revision';
-- all of them for who sees all
SELECT * FROM paths_compare();
SELECT count(*), count(name), count(lname) FROM paths_joined();
-- where entities are hidden, what is behind them is null, as if there were none
\c - paths_some
SELECT * FROM paths_compare();
SELECT count(*), count(name), count(lname) FROM paths_joined();
-- names that are no path
\c - paths_all
SELECT * FROM test.fails($$SELECT kg_list('sale', '{"filters": {"buyer.nam": 1}}')$$, 'path', 'did_you_mean', 'expected');
SELECT * FROM test.fails($$SELECT kg_list('sale', '{"fields": ["buyer.land.nam"]}')$$, 'path', 'did_you_mean');
SELECT * FROM test.fails($$SELECT kg_list('sale', '{"sort": [{"field": "lands.name"}]}')$$, 'path', 'expected');
SELECT * FROM test.fails($$SELECT kg_list('sale', '{"sort": [{"field": "buyer.name"}, {"field": "buyer.name"}]}')$$, 'path', 'expected');
SELECT * FROM test.fails($$SELECT kg_list('sale', '{"filters": {"price.name": 1}}')$$, 'path', 'expected');
SELECT * FROM test.fails($$SELECT kg_list('sale', '{"filters": {"left.name": "Land 1"}}')$$, 'path', 'expected');
SELECT * FROM test.fails($$SELECT kg_aggregate('{"node": {"label": "sale"}, "group_by": [{"property": "buyer.by.by.by.name"}], "aggregations": [{"fn": "count"}]}')$$, 'path', 'expected');
SELECT * FROM test.fails($$SELECT kg_list('sale', '{"filters": {"any": [{"buyer.nam": "x"}, {"price": 1}]}}')$$, 'path', 'did_you_mean');
SELECT * FROM test.fails($$SELECT kg_list('sale', '{"filters": {"any": [{"buyer.name": "x"}, {"any": [{"price": 1}, {"price": 2}]}]}}')$$, 'path', 'expected');
SELECT * FROM test.fails($$SELECT kg_list('sale', '{"filters": {"any": [{"buyer.name": "x"}]}}')$$, 'path', 'expected');
SELECT * FROM test.fails($$SELECT kg_aggregate('{"node": {"label": "sale"}, "aggregations": [{"fn": "sum", "property": "lands.size"}]}')$$, 'path', 'expected');
SELECT * FROM test.fails($$SELECT kg_aggregate('{"node": {"label": "sale"}, "aggregations": [{"fn": "median", "property": "buyer.name"}]}')$$, 'path', 'expected');
SELECT * FROM test.fails($$SELECT kg_aggregate('{"node": {"label": "sale"}, "group_by": [{"property": "day", "truncate": "hour_of_day"}], "aggregations": [{"fn": "count"}]}')$$, 'path', 'expected');
SELECT * FROM test.fails($$SELECT kg_aggregate('{"node": {"label": "sale"}, "group_by": [{"property": "day"}], "aggregations": [{"fn": "count"}], "per": "count"}')$$, 'path', 'expected');
-- text from outside is marked by the name of the path; a page goes on where it ended
SELECT kg_list('sale', '{"fields": ["buyer.note"], "limit": 1}') -> 'untrusted', kg_find_nodes('{"node_label": "sale", "columns": ["buyer.note"], "limit": 1}') -> 'untrusted';
SELECT (kg_list('sale', (first.next || '{"sort": [{"field": "buyer.name", "order": "desc"}], "fields": ["buyer.name"], "limit": 2}')) -> 'items') FROM (SELECT kg_list('sale', '{"sort": [{"field": "buyer.name", "order": "desc"}], "fields": ["buyer.name"], "limit": 2}') -> 'next' AS next) first;
-- what is not sent is not told of: next has the arguments as they were sent
SELECT kg_call_tool('find', '{"type": "sale", "fields": ["buyer"], "limit": 1}') #> '{structuredContent,next}' #- '{cursor}', kg_call_tool('find', '{"type": "sale", "fields": ["buyer", "nothing"], "limit": 1}') #>> '{structuredContent,error,path}';
-- rows that are sorted have pages, too
SELECT kg_traverse(a) -> 'rows', kg_traverse(kg_traverse(a) -> 'next' || a) -> 'rows' FROM (SELECT '{"from": {"label": "buyer", "ids": ["B1", "B3"]}, "relationships": [{"type": "LIKES"}], "sort": [{"field": "price", "order": "desc"}], "ids_only": true, "limit": 2}'::jsonb) x(a);
SELECT * FROM test.fails($$SELECT kg_traverse('{"from": {"label": "buyer"}, "relationships": [{"type": "LIKES"}], "sort": [{"field": "edge.star"}]}')$$, 'path', 'did_you_mean');
SELECT * FROM test.fails($$SELECT kg_aggregate('{"node": {"label": "buyer"}, "aggregations": [{"fn": "sum", "property": "edge.stars"}]}')$$, 'path', 'expected');
SELECT * FROM test.fails($$SELECT kg_aggregate('{"node": {"label": "buyer"}, "relationships": [{"type": "MADE_BY"}], "aggregations": [{"fn": "sum", "property": "edge.stars"}]}')$$, 'path', 'expected');
SELECT * FROM test.fails($$SELECT kg_aggregate('{"node": {"label": "buyer"}, "relationships": [{"type": "LIKES"}, {"type": "LIKES", "direction": "incoming"}], "aggregations": [{"fn": "sum", "property": "edge.stars"}, {"fn": "sum", "property": "edge.stars", "step": 1, "as": "x"}]}')$$, 'path', 'expected');
SELECT * FROM test.fails($$SELECT kg_traverse('{"from": {"label": "buyer"}, "relationships": [{"type": "LIKES"}], "sort": [{"field": "stars", "step": 2}]}')$$, 'path', 'expected');
SELECT * FROM test.fails($$SELECT kg_traverse('{"from": {"label": "buyer"}, "relationships": [{"type": "LIKES"}], "sort": [{"field": "lands"}]}')$$, 'path', 'expected');
-- a type is not asked for if a relation leads to one
SELECT kg_aggregate('{"node": {"label": "sale"}, "group_by": [{"relationship": "MADE_BY", "property": "rank"}], "aggregations": [{"fn": "count"}]}') -> 'rows';
SELECT kg_aggregate('{"node": {"label": "land"}, "relationships": [{"type": "LIVES_IN", "direction": "incoming"}, {"type": "MADE_BY", "direction": "incoming", "to": {"ids": ["S1", "S2", "S3"]}}], "group_by": [{"step": 1, "property": "rank"}], "aggregations": [{"fn": "count"}]}') -> 'rows';
SELECT kg_traverse('{"from": {"label": "land"}, "relationships": [{"type": "LIVES_IN", "direction": "incoming", "to": {"related": [{"type": "MADE_BY", "direction": "incoming", "to": {"ids": ["S1"]}}]}}], "ids_only": true}') -> 'rows';
-- what was
SELECT clock_timestamp() AS then \gset
SELECT kg_put_entities('buyer', (SELECT jsonb_agg(data || '{"name": "Buyer 0"}') FROM kg_entity WHERE entity_type = 'buyer' AND entity_id = 'B2')) -> 'counts';
SELECT a - 'as_of', kg_list('sale', a) -> 'items' FROM (SELECT jsonb_build_object('filters', '{"id": "S1"}'::jsonb, 'fields', '["buyer.name"]'::jsonb) || x FROM (VALUES ('{}'::jsonb), (jsonb_build_object('as_of', :'then'::timestamptz))) v(x)) y(a);
SELECT kg_list('sale', a) -> 'total', kg_list('sale', a || jsonb_build_object('as_of', :'then'::timestamptz)) -> 'total', kg_aggregate(jsonb_build_object('node', '{"label": "sale"}'::jsonb || a - 'limit', 'aggregations', '[{"fn": "count"}]'::jsonb, 'as_of', :'then'::timestamptz)) -> 'rows' FROM (VALUES ('{"filters": {"buyer.name": "Buyer 0"}, "limit": 0}'::jsonb)) v(a);
SELECT (kg_call_tool('get_sale', jsonb_build_object('id', 'S1', 'fields', '["buyer.name"]'::jsonb, 'as_of', :'then'::timestamptz)) #> '{structuredContent,entity}');
\c - :owner
CALL test.drop('paths');
DROP FUNCTION paths_compare, paths_order, paths_likes, paths_grouped, paths_listed, paths_ids, paths_rows, paths_joined, paths_of;
