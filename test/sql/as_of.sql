-- Past states: with as_of, lists, graph tools and descriptions return the same bytes
-- as the same call at that time.
\i test/data/prelude.sql
CALL test.tenant('as_of', 'as_of_admin admin', 'as_of_reader read');
CREATE SCHEMA as_of;
GRANT USAGE, CREATE ON SCHEMA as_of TO PUBLIC;
CREATE FUNCTION as_of.said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text;
  detail text;
BEGIN
  EXECUTE 'SELECT ' || call INTO answer;
  RETURN answer;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN format('%s %s: %s', SQLSTATE, SQLERRM, (SELECT jsonb_object_agg(key, value) FROM jsonb_each(nullif(detail, '')::jsonb) WHERE key IN ('code', 'path')));
END $$;
CREATE FUNCTION as_of.clock() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$;
SET search_path = public, as_of;
SET ROLE as_of_admin;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
  {"entity_type": "brand", "schema": {"type": "object", "x-history": true, "x-id-field": "id", "x-label-field": "name", "x-tool-expose": ["list", "get", "list_ids"], "properties": {
    "id": {"type": "string"}, "name": {"type": "string"}, "tier": {"enum": ["premium", "budget"], "x-index": true}}}},
  {"entity_type": "item", "schema": {"type": "object", "x-history": true, "x-id-field": "id", "x-label-field": "name", "x-scope-field": "path", "x-valid-from": "since", "x-valid-to": "until", "x-tool-expose": ["list", "get", "list_ids"], "properties": {
    "id": {"type": "string"}, "name": {"type": "string"}, "path": {"type": "string"}, "since": {"type": "string", "format": "date"}, "until": {"type": "string", "format": "date"}, "price": {"type": "number", "x-index": true}, "tags": {"type": "array", "items": {"type": "string"}, "x-index": true},
    "brand": {"type": "string", "x-ref": "brand", "x-on-delete": "cascade"}}}},
  {"entity_type": "plain", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list", "get"], "properties": {"id": {"type": "string"}}}}],
 "relations": [
  {"name": "NEEDS", "from": "item", "to": "item", "history": true, "inverse": "NEEDED_BY", "schema": {"type": "object", "x-valid-to": "until", "properties": {"n": {"type": "integer"}, "until": {"type": "string", "format": "date"}}}},
  {"name": "FITS", "from": "item", "to": "item", "history": true, "symmetric": true},
  {"name": "WANTS", "from": "item", "to": "item", "history": true, "key": ["lang"], "schema": {"type": "object", "properties": {"lang": {"type": "string"}}}},
  {"name": "SEES", "from": "item", "to": "plain", "history": true},
  {"name": "LIKES", "from": "item", "to": "item"}],
 "entities": [{"entity_type": "brand", "items": [{"id": "b1", "name": "North Star", "tier": "premium"}, {"id": "b2", "name": "South", "tier": "budget"}]}]}') ? 'revision' AS applied;
SELECT kg_put_entities('item', (SELECT jsonb_agg(jsonb_build_object('id', 'i' || i, 'name', 'Item number ' || i, 'path', (i % 2 + 1) || '/', 'price', i % 7, 'tags', jsonb_build_array('t' || i % 3), 'brand', 'b' || (i % 2 + 1), 'since', (1990 + i) || '-01-01') || CASE WHEN i % 4 = 0 THEN jsonb_build_object('until', (2000 + i) || '-01-01') ELSE '{}' END)
  FROM generate_series(1, 20) i)) -> 'counts' AS put;
SELECT kg_put_edges((SELECT jsonb_agg(e) FROM (
  SELECT jsonb_build_object('relation', 'NEEDS', 'from', 'i' || i, 'to', 'i' || (i * 7 % 20 + 1), 'properties', jsonb_build_object('n', i) || CASE WHEN i % 3 = 0 THEN '{"until": "2005-01-01"}'::jsonb ELSE '{}' END) FROM generate_series(1, 20) i
  UNION ALL SELECT jsonb_build_object('relation', 'FITS', 'from', 'i' || i, 'to', 'i' || (i + 1)) FROM generate_series(1, 9) i
  UNION ALL SELECT jsonb_build_object('relation', 'WANTS', 'from', 'i1', 'to', 'i2', 'properties', jsonb_build_object('lang', l)) FROM unnest(ARRAY['de', 'fr']) l) x(e))) -> 'counts' AS put;
SELECT kg_pack() > 0 AS packed;
RESET ROLE;
CREATE TABLE as_of.calls (n int PRIMARY KEY, call text);
INSERT INTO as_of.calls SELECT row_number() OVER (), c FROM unnest(ARRAY[
  'kg_list(''item'', %s || ''{"limit": 100}'')', 'kg_list(''brand'', %s)', 'kg_list(''item'', %s || ''{"filters": {"price": {"gte": 3}}, "sort": [{"field": "price", "order": "desc"}], "limit": 4}'')',
  'kg_list(''item'', %s || ''{"filters": {"tags": {"contains": "t1"}}, "sort": [{"field": "price"}]}'')', 'kg_list(''item'', %s || ''{"filters": {"id": {"in": ["i3", "i4", "i5", "n1"]}}}'')',
  'kg_list(''item'', %s || ''{"filters": {"price": {"in": [1, 2]}}, "fields": ["price"]}'')', 'kg_list_ids(''item'', %s || ''{"filters": {"price": 3}}'')', 'kg_list(''brand'', %s || ''{"filters": {"tier": "premium"}}'')',
  'kg_list(''item'', %s || ''{"search": "item number 7"}'')', 'kg_list(''brand'', %s || ''{"search": "nroth star"}'')', 'kg_list(''brand'', %s || ''{"search": "sout"}'')',
  'kg_call_tool(''get_item'', %s || ''{"ids": ["i1", "i2", "i3", "n1"]}'') #- ''{structuredContent,hints}'' -> ''structuredContent''',
  'jsonb_path_query_array(kg_call_tool(''get_item'', %s || ''{"ids": ["Item number 3", "i100", "n2", "n11"]}''), ''$.structuredContent.hints[*].nearest'')',
  'kg_find_nodes(%s || ''{"node_label": "item", "filters": {"price": {"lte": 2}}, "sort": [{"field": "price"}], "limit": 50}'')',
  'kg_list(''item'', %s || ''{"citations": true, "sort": [{"field": "price"}], "limit": 9}'')', 'kg_find_nodes(%s || ''{"node_label": "item", "citations": true, "ids_only": true, "limit": 100}'')',
  'kg_describe_many(%s || ''{"ids": ["i3", "i5", "i10", "brand:b1"], "citations": true}'')',
  'kg_list(''item'', %s || ''{"related": [{"type": "NEEDS", "to": {"filters": {"price": {"gte": 3}}}}], "limit": 100}'')', 'kg_list(''item'', %s || ''{"not_related": [[{"type": "NEEDS"}, {"type": "BRAND", "to": {"ids": ["b1"]}}]], "sort": [{"field": "price"}], "limit": 100}'')',
  'kg_list(''item'', %s || ''{"search": "item", "related": [{"type": "FITS", "direction": "both", "min_count": 2}]}'')', 'kg_list_ids(''brand'', %s || ''{"related": [{"type": "BRAND", "direction": "incoming", "to": {"ids": ["i1", "i3"]}}]}'')',
  'kg_aggregate(%s || ''{"node": {"label": "item"}, "aggregations": [{"fn": "count"}, {"fn": "sum", "property": "price"}, {"fn": "count_distinct", "property": "name"}], "group_by": [{"property": "tags"}]}'')', 'kg_aggregate(%s || ''{"node": {"label": "item", "filters": {"price": {"gte": 2}}}, "relationships": [{"type": "NEEDS"}], "aggregations": [{"fn": "max", "property": "price"}, {"fn": "count"}], "group_by": [{"relationship": "BRAND", "label": "brand", "property": "tier"}]}'')',
  'kg_aggregate(%s || ''{"node": {"label": "item"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "NEEDED_BY", "label": "item", "property": "tags"}]}'')', 'kg_aggregate(%s || ''{"node": {"label": "brand"}, "aggregations": [{"fn": "count"}]}'')',
  'kg_find_nodes(%s || ''{"node_label": "brand", "related": [{"type": "BRAND", "direction": "incoming", "max_count": 10}]}'')', 'kg_find_nodes(%s || ''{"node_label": "item", "not_related": [{"type": "NEEDED_BY"}], "limit": 100}'')',
  'kg_traverse(%s || ''{"from": {"label": "item", "related": [{"type": "NEEDED_BY"}], "not_related": [{"type": "FITS", "direction": "both"}]}, "relationships": [{"type": "NEEDS"}], "limit": 100}'')', 'kg_describe(%s || ''{"id": "item:i3"}'')', 'kg_describe_many(%s || ''{"ids": ["i3", "i4", "brand:b1", "brand:b2"]}'')',
  'kg_traverse(%s || ''{"from": {"label": "item", "ids": ["i1", "i3", "i5"]}, "relationships": [{"type": "NEEDS", "max_hops": 3}]}'')',
  'kg_traverse(%s || ''{"from": {"label": "item", "filters": {"price": 3}}, "relationships": [{"type": "NEEDS", "filters": {"n": {"lte": 12}}}, {"type": "BRAND"}]}'')',
  'kg_traverse(%s || ''{"from": {"label": "brand", "ids": ["b1", "b2"]}, "relationships": [{"type": "BRAND", "direction": "incoming"}, {"type": "FITS"}], "limit": 100}'')',
  'kg_traverse(%s || ''{"from": {"label": "item", "ids": ["i1"]}, "relationships": [{"type": "WANTS"}]}'')',
  'kg_neighbors(%s || ''{"start_node": {"label": "item", "node_id": "i5"}, "max_hops": 3, "relationship_types": ["NEEDS", "FITS", "BRAND"], "limit": 100}'')',
  'kg_neighbors(%s || ''{"start_node": {"label": "brand", "node_id": "b1"}, "relationship_types": ["BRAND"], "filters": {"price": 3}}'')',
  'kg_paths(%s || ''{"from": {"label": "item", "ids": ["i1"]}, "to": {"label": "item", "ids": ["i9", "i10"]}, "relationship_types": ["NEEDS", "FITS"], "mode": "all_shortest", "max_hops": 5}'')',
  'kg_paths(%s || ''{"from": {"label": "item", "ids": ["i2"]}, "to": {"label": "brand"}, "relationship_types": ["NEEDS", "BRAND"], "mode": "simple", "max_hops": 3}'')']) c;
GRANT SELECT ON as_of.calls TO PUBLIC;
-- What the caller is told, by number; of another time with as_of, which is in the calls of hints as well.
CREATE FUNCTION as_of.answers(at text DEFAULT NULL, valid text DEFAULT NULL) RETURNS TABLE (n int, reply text) LANGUAGE sql VOLATILE AS $$
  SELECT n, regexp_replace(regexp_replace(said(format(call, quote_literal(jsonb_strip_nulls(jsonb_build_object('as_of', at, 'valid_at', valid))) || '::jsonb')), '"next": {.*?"cursor": "[^"]*"[^}]*}}?', ''), '"(as_of|valid_at)": "[^"]*", |, "(as_of|valid_at)": "[^"]*"', '', 'g') FROM calls ORDER BY n $$;
-- The same of what holds at a few instants.
CREATE FUNCTION as_of.holding(at text DEFAULT NULL) RETURNS TABLE (valid text, n int, reply text) LANGUAGE sql VOLATILE AS $$
  SELECT v, n, reply FROM unnest(ARRAY['1999-06-01T00:00:00Z', '2004-12-31T23:59:59Z', '2010-01-01T00:00:00+01:00', '2013-01-01T00:00:00Z']) v, answers(at, v) $$;
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('https://as_of', 'h', 'HS256', 'historyhistoryhistoryhistoryhistory', 'kg', 'read');
SELECT kg_issue_token('{"tenant": "as_of", "access": "read", "sub": "ada", "traversal_ids": ["1/"]}') AS token \gset
GRANT EXECUTE ON FUNCTION kg_login(text, boolean) TO as_of_reader;

-- Then: of the whole, and of a part.
SET ROLE as_of_reader;
SELECT clock() AS at1 \gset
CREATE TABLE as_of.whole1 AS SELECT * FROM answers();
CREATE TABLE as_of.held1 AS SELECT * FROM holding();
SELECT count(*) AS calls, count(DISTINCT reply) AS replies FROM as_of.whole1;
SELECT n, reply FROM as_of.whole1 WHERE reply ~ '^[0-9P]';
SELECT count(*), count(DISTINCT h.reply) AS replies, count(*) FILTER (WHERE h.reply ~ '^[0-9P]') AS errors, count(*) FILTER (WHERE h.reply <> w.reply) AS differ FROM as_of.held1 h JOIN as_of.whole1 w USING (n);
BEGIN;
SELECT kg_login(:'token') IS NOT NULL AS logged_in;
CREATE TEMP TABLE part1 AS SELECT * FROM answers();
CREATE TEMP TABLE part_held1 AS SELECT * FROM holding();
COMMIT;
SELECT count(*) FROM part1 NATURAL JOIN as_of.whole1 WHERE part1.reply = whole1.reply;

-- Since: entities change, go, come, come again and get other ids; edges as well.
SET ROLE as_of_admin;
UPDATE kg_entity SET data = data || '{"until": "2012-01-01"}' WHERE entity_id IN ('i2', 'i6', 'i8');
UPDATE kg_entity SET data = data - 'until' WHERE entity_id IN ('i4', 'i12');
UPDATE kg_entity SET data = data || '{"price": 3, "name": "Another thing", "tags": ["t9"]}' WHERE entity_id IN ('i1', 'i7', 'i12');
SELECT kg_put_entities('item', '[{"id": "n1", "name": "Item number 7", "path": "1/", "price": 3, "brand": "b2"}]') -> 'counts' AS put;
SELECT kg_delete_entities('item', ARRAY['i3', 'i10']) -> 'counts' AS deleted;
SELECT kg_put_entities('item', '[{"id": "i10", "name": "Ten again", "path": "1/", "price": 2, "brand": "b1"}]') -> 'counts' AS put;
UPDATE kg_entity SET data = data || '{"id": "m5"}' WHERE entity_id = 'i5';
SELECT kg_put_edges('[{"relation": "NEEDS", "from": "i1", "to": "i2", "properties": {"n": 99}}, {"relation": "NEEDS", "from": "i2", "to": "n1"}, {"relation": "NEEDS", "from": "n1", "to": "i9"}]') -> 'counts' AS put;
SELECT kg_delete_edges('[{"relation": "FITS", "from": "i2", "to": "i1"}, {"relation": "WANTS", "from": "i1", "to": "i2", "properties": {"lang": "de"}}]') -> 'counts' AS deleted;
UPDATE kg_edge SET properties = '{"n": 1}' WHERE properties ->> 'n' = '20';
UPDATE kg_edge SET properties = properties || '{"until": "2003-01-01"}' WHERE (properties ->> 'n')::int % 5 = 0;
SET ROLE as_of_reader;
SELECT clock() AS at2 \gset
CREATE TABLE as_of.whole2 AS SELECT * FROM answers();
CREATE TABLE as_of.held2 AS SELECT * FROM holding();
SET ROLE as_of_admin;
SELECT kg_delete_entities('brand', ARRAY['b1']) -> 'counts' AS deleted;
UPDATE kg_entity SET data = data || '{"price": 5}' WHERE entity_id IN ('i1', 'i2', 'i4', 'm5');
SELECT kg_revert(jsonb_build_object('transaction', (SELECT transaction FROM kg_history WHERE entity_id = 'b1' ORDER BY change DESC LIMIT 1))) -> 'counts' AS undone;
SELECT kg_pack() > 0 AS packed;

-- As it was; hints name what is near, which may be told in another order.
SET ROLE as_of_reader;
SELECT w.n, w.reply AS was, a.reply AS told FROM as_of.whole1 w JOIN answers(:'at1') a USING (n) WHERE w.reply IS DISTINCT FROM a.reply;
SELECT w.n, w.reply AS was, a.reply AS told FROM as_of.whole2 w JOIN answers(:'at2') a USING (n) WHERE w.reply IS DISTINCT FROM a.reply;
SELECT h.valid, h.n, h.reply AS was, a.reply AS told FROM as_of.held1 h JOIN holding(:'at1') a USING (valid, n) WHERE h.reply IS DISTINCT FROM a.reply;
SELECT h.valid, h.n, h.reply AS was, a.reply AS told FROM as_of.held2 h JOIN holding(:'at2') a USING (valid, n) WHERE h.reply IS DISTINCT FROM a.reply;
SELECT count(*) FROM as_of.held1 NATURAL JOIN (SELECT valid, n, reply AS now FROM holding()) x WHERE now <> reply;
SELECT count(*) FROM as_of.whole1 NATURAL JOIN (SELECT n, reply AS now FROM answers()) x WHERE now <> reply;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM as_of.whole1 NATURAL JOIN answers(:'at1');
COMMIT;
-- Of a part: who sees less now, then, or of what came after is told less, never more.
BEGIN;
SELECT kg_login(:'token') IS NOT NULL AS logged_in;
SELECT w.n, w.reply AS was, a.reply AS told FROM part1 w JOIN answers(:'at1') a USING (n) WHERE w.reply IS DISTINCT FROM a.reply;
SELECT h.valid, h.n, h.reply AS was, a.reply AS told FROM part_held1 h JOIN holding(:'at1') a USING (valid, n) WHERE h.reply IS DISTINCT FROM a.reply;
SELECT bool_and(c -> 'data' ->> 'path' = '1/') AS own FROM jsonb_array_elements(kg_list('item', jsonb_build_object('as_of', :'at1', 'limit', 100)) -> 'items') c;
COMMIT;
-- A policy of somebody else's on edges cannot be asked about those that are gone: none are told.
RESET ROLE;
CREATE POLICY as_of_edges ON kg_edge AS RESTRICTIVE FOR SELECT TO as_of_reader USING (true);
SET ROLE as_of_reader;
SELECT jsonb_array_length(kg_traverse(jsonb_build_object('as_of', :'at1') || '{"from": {"label": "item", "ids": ["i1"]}, "relationships": [{"type": "WANTS"}]}') -> 'rows') AS rows,
  kg_history('WANTS', '{"from": "i1", "to": "i2"}') -> 'changes' AS changes, count(*) AS seen FROM kg_history WHERE relation_no IS NOT NULL;
RESET ROLE;
DROP POLICY as_of_edges ON kg_edge;
SET ROLE as_of_reader;
SELECT jsonb_array_length(kg_traverse(jsonb_build_object('as_of', :'at1') || '{"from": {"label": "item", "ids": ["i1"]}, "relationships": [{"type": "WANTS"}]}') -> 'rows') AS rows,
  jsonb_array_length(kg_history('WANTS', '{"from": "i1", "to": "i2"}') -> 'changes') AS changes, count(*) > 0 AS seen FROM kg_history WHERE relation_no IS NOT NULL;
-- Claims are of now, whatever a call among them asks about.
SELECT v ->> 'verdict' AS verdict, v -> 'correction' AS correction, v -> 'reason' AS reason FROM jsonb_array_elements(kg_verify(jsonb_build_object('claims', jsonb_build_array(
  jsonb_build_object('count', jsonb_build_object('tool', 'list_item', 'arguments', jsonb_build_object('as_of', :'at1')), 'is', 19),
  '{"from": "item:i9", "to": "item:i10", "within": 2, "relation_types": ["FITS"]}'::jsonb,
  '{"count": {"tool": "list_item", "arguments": {"valid_at": "1990-01-01T00:00:00Z"}}, "is": 19}'::jsonb,
  '{"from": "item:i4", "to": "item:i9", "within": 1, "relation_types": ["NEEDS"]}'::jsonb,
  jsonb_build_object('none', jsonb_build_object('tool', 'list_item', 'arguments', jsonb_build_object('as_of', 'never'))),
  '{"from": "item:i4", "to": "item:i9", "within": 1, "relation_types": ["NEEDS"]}'::jsonb))) -> 'claims') v;
-- Pages go on at the time that was asked for.
SELECT kg_list('item', r -> 'next') -> 'items' = kg_list('item', jsonb_build_object('as_of', :'at1', 'limit', 5, 'offset', 5)) -> 'items' AS same FROM kg_list('item', jsonb_build_object('as_of', :'at1', 'limit', 5)) r;
SELECT said(format('kg_list(''item'', %L)', r -> 'next' || jsonb_build_object('as_of', :'at2'))) FROM kg_list('item', jsonb_build_object('as_of', :'at1', 'limit', 5)) r;
-- A call that asks for a time does not ask for the next one.
SELECT kg_call_tool('list_item', jsonb_build_object('as_of', :'at1', 'limit', 1)) #> '{structuredContent,total}' AS then_, kg_call_tool('list_item', '{"limit": 1}') #> '{structuredContent,total}' AS now;

-- What cannot be told.
SELECT said(format(c, :'at1')) FROM unnest(ARRAY['kg_list(''plain'', jsonb_build_object(''as_of'', %L))', 'kg_find_nodes(jsonb_build_object(''as_of'', %L, ''node_label'', ''plain''))',
  'kg_traverse(jsonb_build_object(''as_of'', %L) || ''{"from": {"label": "item", "ids": ["i1"]}, "relationships": [{"type": ["NEEDS", "LIKES", "SEES"]}]}'')',
  'kg_list(''item'', jsonb_build_object(''as_of'', %L) || ''{"related": [{"type": "LIKES"}]}'')', 'kg_list(''plain'', jsonb_build_object(''as_of'', %L) || ''{"related": [{"type": "SEES", "direction": "incoming"}]}'')',
  'kg_neighbors(jsonb_build_object(''as_of'', %L) || ''{"start_node": {"label": "item", "node_id": "i1"}}'')',
  'kg_paths(jsonb_build_object(''as_of'', %L) || ''{"from": {"label": "item", "ids": ["i1"]}, "to": {"label": "item", "ids": ["i2"]}, "relationship_types": ["LIKES"]}'')',
  'kg_aggregate(jsonb_build_object(''as_of'', %L) || ''{"node": {"label": "plain"}, "aggregations": [{"fn": "count"}]}'')',
  'kg_aggregate(jsonb_build_object(''as_of'', %L) || ''{"node": {"label": "item"}, "relationships": [{"type": "LIKES"}], "aggregations": [{"fn": "count"}]}'')',
  'kg_aggregate(jsonb_build_object(''as_of'', %L) || ''{"node": {"label": "item"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "SEES", "label": "plain", "property": "id"}]}'')']) c;
SELECT said(format('kg_list(''item'', %L)', jsonb_build_object('as_of', t))), said(format('kg_describe(%L)', jsonb_build_object('id', 'i1', 'as_of', t)))
  FROM unnest(ARRAY['yesterday', '3000-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '2026-13-01T00:00:00Z']) t;
SELECT regexp_replace(said($$kg_list('item', '{"as_of": "2001-01-01T00:00:00Z"}')$$), 'since .*', 'since ...');
SELECT regexp_replace(said($$kg_traverse('{"as_of": "2001-01-01T00:00:00Z", "from": {"label": "item", "ids": ["i1"]}, "relationships": [{"type": "NEEDS"}]}')$$), 'since .*', 'since ...');
RESET ROLE;
SET kg_graph.max_as_of_changes = 5;
SET ROLE as_of_reader;
SELECT said(format('kg_list(''item'', %L)', jsonb_build_object('as_of', :'at1')));
SELECT said(format('kg_call_tool(''get_item'', %L) -> ''structuredContent''', jsonb_build_object('as_of', :'at1', 'ids', '["no such id"]'::jsonb)));
-- What one does not see does not count: neither entities, nor edges whose ends are hidden.
RESET ROLE;
SET ROLE as_of_admin;
SELECT clock() AS at8 \gset
UPDATE kg_entity SET data = data || '{"price": 71}' WHERE entity_type = 'item' AND data ->> 'path' <> '1/';
UPDATE kg_entity SET data = data || '{"price": 72}' WHERE entity_type = 'item' AND data ->> 'path' <> '1/';
WITH hidden AS (SELECT entity_id AS id, row_number() OVER (ORDER BY entity_id) AS n FROM kg_entity WHERE entity_type = 'item' AND data ->> 'path' <> '1/')
SELECT kg_put_edges((SELECT jsonb_agg(jsonb_build_object('relation', 'WANTS', 'from', a.id, 'to', b.id, 'properties', jsonb_build_object('lang', l))) FROM hidden a JOIN hidden b ON b.n = a.n + 1 CROSS JOIN unnest(ARRAY['x1', 'x2', 'x3', 'x4', 'x5', 'x6']) l)) #> '{counts,created}' > '5' AS linked;
SELECT count(*) FILTER (WHERE h.relation_no IS NULL) > 5 AS entities, count(*) FILTER (WHERE h.relation_no IS NOT NULL) > 5 AS edges FROM kg_history h WHERE h.at > :'at8';
SELECT said(format('kg_list(''item'', %L)', jsonb_build_object('as_of', :'at8', 'limit', 0)));
BEGIN;
SET LOCAL ROLE as_of_reader;
SELECT kg_login(:'token') IS NOT NULL AS logged_in;
SELECT said(format('kg_list(''item'', %L)', jsonb_build_object('as_of', :'at8', 'limit', 0))) = said('kg_list(''item'', ''{"limit": 0}'')') AS listed,
  said(format('kg_traverse(%L::jsonb || ''{"from": {"label": "item", "ids": ["i1"]}, "relationships": [{"type": "WANTS"}]}'')', jsonb_build_object('as_of', :'at8'))) = said('kg_traverse(''{"from": {"label": "item", "ids": ["i1"]}, "relationships": [{"type": "WANTS"}]}'')') AS walked;
COMMIT;
SET ROLE as_of_admin;
UPDATE kg_entity SET data = data || '{"price": 73}' WHERE entity_type = 'item' AND entity_id IN (SELECT entity_id FROM kg_entity WHERE entity_type = 'item' AND data ->> 'path' = '1/' ORDER BY 1 LIMIT 2);
UPDATE kg_entity SET data = data || '{"price": 74}' WHERE entity_type = 'item' AND data -> 'price' = '73';
BEGIN;
SET LOCAL ROLE as_of_reader;
SELECT kg_login(:'token') IS NOT NULL AS logged_in;
SELECT said(format('kg_list(''item'', %L)', jsonb_build_object('as_of', :'at8', 'limit', 0))) ~ '^54' AS four_are_too_many;
COMMIT;
SET ROLE as_of_admin;
UPDATE kg_entity SET data = data || '{"price": 75}' WHERE entity_type = 'item' AND data -> 'price' = '74';
BEGIN;
SET LOCAL ROLE as_of_reader;
SELECT kg_login(:'token') IS NOT NULL AS logged_in;
SELECT said(format('kg_list(''item'', %L)', jsonb_build_object('as_of', :'at8', 'limit', 0)));
COMMIT;
-- Edges whose ends one sees count.
SET ROLE as_of_admin;
SELECT clock() AS at10 \gset
WITH seen AS (SELECT entity_id AS id FROM kg_entity WHERE entity_type = 'item' AND data ->> 'path' = '1/' ORDER BY 1 LIMIT 2)
SELECT kg_put_edges((SELECT jsonb_agg(jsonb_build_object('relation', 'WANTS', 'from', min, 'to', max, 'properties', jsonb_build_object('lang', l))) FROM (SELECT min(id), max(id) FROM seen) s CROSS JOIN unnest(ARRAY['y1', 'y2', 'y3', 'y4', 'y5', 'y6']) l)) #>> '{counts,created}' AS linked;
BEGIN;
SET LOCAL ROLE as_of_reader;
SELECT kg_login(:'token') IS NOT NULL AS logged_in;
SELECT said(format('kg_traverse(%L::jsonb || ''{"from": {"label": "item", "ids": ["i1"]}, "relationships": [{"type": "WANTS"}]}'')', jsonb_build_object('as_of', :'at10')));
COMMIT;
RESET ROLE;
RESET kg_graph.max_as_of_changes;
SET ROLE as_of_reader;
-- Outside of a call there is nothing.
SELECT count(*) FROM kg_past('kg_entity') AS p(tenant text COLLATE "C", bundle text COLLATE "C", entity_type text COLLATE "C", entity_id text COLLATE "C", node bigint, type_no integer, scope text COLLATE "C", data jsonb, index_keys bytea);
SELECT kg_past_keeps(true, 1), kg_past_keeps(true, 1, 1, '', 1);
-- The first time there is, as the error has it, can be sent.
SELECT substring(kg_call_tool('list_brand', '{"as_of": "1999-12-31T00:00:00Z"}') #>> '{structuredContent,error,expected}' FROM 'a time from (\S+) to now') AS first \gset
SELECT :'first' ~ '^\d{4}-\d\d-\d\dT[0-9:.]+\+00:00$' AS date_time, kg_call_tool('list_brand', jsonb_build_object('as_of', :'first')) -> 'isError' AS failed;
-- A policy of somebody else's on the history hides what was.
RESET ROLE;
SELECT clock() AS before \gset
SET ROLE as_of_admin;
SELECT kg_put_entities('brand', '[{"id": "b1", "name": "North Star", "tier": "budget"}]') #> '{counts,updated}' AS updated;
SET ROLE as_of_reader;
SELECT kg_list_ids('brand', jsonb_build_object('as_of', :'before', 'filters', '{"tier": "premium"}'::jsonb)) -> 'ids' AS ids;
RESET ROLE;
CREATE POLICY as_of_theirs ON kg_history AS RESTRICTIVE FOR SELECT TO as_of_reader USING (entity_id IS DISTINCT FROM 'b1');
SET ROLE as_of_reader;
SELECT kg_list_ids('brand', jsonb_build_object('as_of', :'before', 'filters', '{"tier": "premium"}'::jsonb)) -> 'ids' AS ids;
RESET ROLE;
DROP POLICY as_of_theirs ON kg_history;
SET ROLE as_of_reader;
SELECT kg_list_ids('brand', jsonb_build_object('as_of', :'before', 'filters', '{"tier": "premium"}'::jsonb)) -> 'ids' AS ids;
-- A page where many have changed beside more, and where all have; told with its total.
SET ROLE as_of_admin;
SELECT kg_put_entities('brand', (SELECT jsonb_agg(jsonb_build_object('id', 'm' || i, 'name', 'Many ' || i, 'tier', (ARRAY['premium', 'budget'])[i % 2 + 1])) FROM generate_series(1, 1500) i)) #> '{counts,created}' AS created;
CREATE FUNCTION as_of.page(call jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('ids', p -> 'ids', 'total', p -> 'total', 'more', p -> 'next' IS NOT NULL) FROM kg_list_ids('brand', call) p $$;
SELECT clock() AS before \gset
CREATE TEMP TABLE pages AS SELECT c AS call, page(c) AS page FROM unnest(ARRAY[
  '{"limit": 5}', '{"limit": 5, "offset": 1400}', '{"filters": {"tier": {"in": ["premium"]}}, "sort": [{"field": "tier"}], "limit": 4}', '{"filters": {"tier": "premium"}, "limit": 7}', '{"filters": {"tier": {"ne": "budget"}}, "sort": [{"field": "tier"}], "limit": 3}',
  '{"sort": [{"field": "tier", "order": "desc"}], "limit": 6}', '{"filters": {"id": {"gte": "m2"}}, "limit": 200}', '{"filters": {"tier": {"in": ["premium", "budget"]}}, "sort": [{"field": "tier"}], "limit": 1}']::jsonb[]) c;
SELECT count(*) FILTER (WHERE jsonb_array_length(page -> 'ids') > 0) AS pages FROM pages;
SELECT kg_put_entities('brand', (SELECT jsonb_agg(jsonb_build_object('id', 'm' || i, 'name', 'Few', 'tier', (ARRAY['budget', 'premium'])[i % 2 + 1])) FROM generate_series(1, 300) i)) #> '{counts,updated}' AS updated;
SELECT count(*) AS same FROM pages WHERE page = page(call || jsonb_build_object('as_of', :'before'));
UPDATE kg_entity SET data = data || '{"name": "All", "tier": "budget"}' WHERE entity_type = 'brand';
SELECT count(*) AS same FROM pages WHERE page = page(call || jsonb_build_object('as_of', :'before'));
DELETE FROM kg_entity WHERE entity_type = 'brand' AND entity_id LIKE 'm%';
SELECT count(*) AS same FROM pages WHERE page = page(call || jsonb_build_object('as_of', :'before'));
DROP TABLE pages;
DROP FUNCTION as_of.page(jsonb);
-- Told where there is history.
SELECT string_agg(t ->> 'name', ' ' ORDER BY t ->> 'name' COLLATE "C") AS names FROM jsonb_array_elements(kg_list_tools()) t WHERE t #> '{inputSchema,properties}' ? 'as_of';
RESET ROLE;
DELETE FROM kg_auth_key WHERE issuer = 'https://as_of';
REVOKE EXECUTE ON FUNCTION kg_login(text, boolean) FROM as_of_reader;
DROP TABLE pg_temp.part1, pg_temp.part_held1;
DROP SCHEMA as_of CASCADE;
CALL test.drop('as_of');
