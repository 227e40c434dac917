-- kg_create_views: what the views show to whom, filters by keys, and what a bundle's change does.
\i test/data/prelude.sql
CALL test.tenant('views', 'views_admin admin', 'views_reader read');
CALL test.tenant('views too', 'views_admin admin');
CREATE ROLE views_gateway LOGIN;
SELECT FROM kg_grant_gateway('views_gateway');
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('views', 'k', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', 'admin');
SELECT kg_issue_token('{"tenant": "views", "traversal_ids": ["1/"]}') AS one, kg_issue_token('{"tenant": "views"}') AS whole \gset
GRANT CREATE ON DATABASE :"db" TO views_admin;
CREATE FUNCTION views_shop(version text, changes jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$ SELECT jsonb_build_object('bundle_name', 'shop', 'version', version, 'schemas', jsonb_build_array(
  '{"entity_type": "brand", "schema": {"type": "object", "title": "Brand", "description": "who makes it", "x-id-field": "code", "x-label-field": "name", "properties": {"code": {"type": "string"}, "name": {"type": "string", "title": "Name"}}}}'::jsonb,
  '{"entity_type": "product"}'::jsonb
    || jsonb_build_object('schema', '{"type": "object", "x-id-field": "id", "x-scope-field": "path"}'::jsonb || jsonb_build_object('properties', jsonb_strip_nulls('{"id": {"type": "string"}, "path": {"type": "string"},
    "name": {"type": "string", "description": "as it is sold", "x-index": true}, "price": {"type": "number", "x-index": true}, "stock": {"type": "integer", "minimum": -10, "maximum": 1000000, "x-index": true}, "serial": {"type": "integer", "x-index": true}, "weight": {"type": "number"},
    "tier": {"enum": ["low", "mid", "top"], "x-index": true}, "day": {"type": "string", "format": "date", "x-index": true}, "at": {"type": "string", "format": "date-time", "x-index": true}, "live": {"type": "boolean", "x-index": true},
    "tags": {"type": "array", "items": {"type": "string"}, "x-index": true}, "sizes": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 99}, "x-index": true}, "dates": {"type": "array", "items": {"type": "string", "format": "date"}},
    "box": {"type": "object", "properties": {"w": {"type": "number"}}}, "parts": {"type": "array", "items": {"type": "object"}}, "grid": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, "any": {}, "Odd \"name\"": {"type": "string"},
    "brand": {"type": "string", "x-ref": "brand", "x-relation": "MADE_BY", "x-index": true}}'::jsonb || changes)))),
  'relations', '[{"name": "LIKES", "from": "brand", "to": "product", "description": "what it is proud of", "schema": {"type": "object", "properties": {"w": {"type": "integer"}}}}]'::jsonb) $$;
CREATE FUNCTION views_items() RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$ SELECT jsonb_build_array(
  jsonb_build_object('entity_type', 'brand', 'items', (SELECT jsonb_agg(jsonb_build_object('code', 'b' || n, 'name', 'Brand ' || n)) FROM generate_series(1, 20) n)),
  jsonb_build_object('entity_type', 'product', 'items', '[{"id": "odd", "path": "1/", "price": 12345678901234567890.5, "serial": 92233720368547758070, "at": "2016-12-31T23:59:60.1234567Z", "day": "0000-02-29", "tags": [], "any": null, "Odd \"name\"": "x"}, {"id": "none", "path": "2/"}]'::jsonb
    || (SELECT jsonb_agg(jsonb_build_object('id', 'p' || n, 'path', CASE WHEN n % 3 = 0 THEN '1/' ELSE '2/' END, 'name', 'Product ' || n, 'price', n * 37 % 1000 / 10.0, 'stock', n % 50 - 5, 'serial', n, 'weight', n, 'tier', (ARRAY['low', 'mid', 'top'])[1 + n % 3],
      'day', to_char(date '2020-01-01' + n, 'YYYY-MM-DD'), 'at', to_char(timestamp '2020-01-01' + n * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS') || CASE WHEN n % 2 = 0 THEN '.0000005Z' ELSE '+01:00' END, 'live', n % 2 = 0, 'tags', jsonb_build_array('t' || n % 70, 'u' || n % 11),
      'sizes', jsonb_build_array(n % 100, n % 7), 'dates', jsonb_build_array(to_char(date '2020-01-01' + n, 'YYYY-MM-DD')), 'box', jsonb_build_object('w', n), 'parts', '[{"n": "x"}]'::jsonb, 'grid', '[[1, 2], [3]]'::jsonb, 'any', n, 'brand', 'b' || 1 + n % 20)) FROM generate_series(1, 600) n))) $$;
-- The ids that a filter finds, by the view and where the filter sees the columns alone; and whether keys were asked, where rows are dear.
CREATE FUNCTION views_plan(query text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE plan text := ''; line text; BEGIN FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP plan := plan || line || E'\n'; END LOOP; RETURN plan; END $$;
CREATE FUNCTION views_compare(filter text) RETURNS TABLE (by_keys boolean, same boolean, n bigint) LANGUAGE plpgsql AS $$
DECLARE
  plan text;
  a text[];
  b text[];
BEGIN
  EXECUTE format('SELECT array_agg(id ORDER BY id) FROM views.product WHERE %s', filter) INTO a;
  EXECUTE format('SELECT array_agg(id ORDER BY id) FROM (SELECT * FROM views.product OFFSET 0) x WHERE %s', filter) INTO b;
  PERFORM set_config('cpu_tuple_cost', '100', true);
  plan := views_plan(format('SELECT id FROM views.product WHERE %s', filter));
  PERFORM set_config('cpu_tuple_cost', '0.01', true);
  RETURN QUERY SELECT plan ~ 'Index Cond: .*kg_view_nodes', a IS NOT DISTINCT FROM b, coalesce(cardinality(b), 0)::bigint;
END $$;

\c - views_admin
SET kg_graph.tenant = 'views too';
SELECT kg_apply_bundle(views_shop('1') || jsonb_build_object('entities', views_items())) ->> 'changed' AS changed;
SET kg_graph.tenant = 'views';
SELECT kg_apply_bundle(views_shop('1') || jsonb_build_object('entities', views_items(), 'edges', '[{"relation": "LIKES", "from": "brand:b1", "to": "product:p3", "properties": {"w": 1}}, {"relation": "LIKES", "from": "brand:b1", "to": "product:p5"}]'::jsonb)) ->> 'changed' AS changed;
SELECT kg_create_views(NULL, '{"dry_run": true}');
SELECT count(*) FROM pg_namespace WHERE nspname = 'views';
SELECT kg_create_views();
SELECT kg_create_views();
\d views.product
SELECT c.relname, obj_description(c.oid) AS comment, c.reloptions, c.relacl FROM pg_class c WHERE c.relnamespace = 'views'::regnamespace ORDER BY c.relname COLLATE "C";
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid IN ('views.brand'::regclass, 'views.product'::regclass) AND col_description(attrelid, attnum) IS NOT NULL ORDER BY attrelid, attnum;

-- others have no rights until they are given
\c - views_reader
SELECT count(*) FROM views.product;
\c - views_admin
SET kg_graph.tenant = 'views';
GRANT USAGE ON SCHEMA views TO views_reader, views_gateway;
GRANT SELECT ON ALL TABLES IN SCHEMA views TO views_reader, views_gateway;
CREATE TABLE views.extra ();
-- the data of its tenant, whatever else the caller may act for
SET kg_graph.tenant = 'views too';
SELECT count(*) FROM views.product;
SELECT count(*) FROM views.product WHERE price > 5;
SELECT count(*) FROM views."MADE_BY";
\c - :owner
ANALYZE kg_entity, kg_index_key, kg_edge;
-- whom no policy binds sees the same with a filter and without one, and each edge once
SET client_min_messages = warning;
SELECT kg_grant('views too', :'owner', 'read');
RESET client_min_messages;
SELECT same, n > 0 AS some FROM views_compare('price > 99');
SET kg_graph.tenant = 'views too';
SELECT same, n > 0 AS some FROM views_compare('price > 99');
SELECT count(*), count(DISTINCT "to") FROM views."LIKES";
RESET kg_graph.tenant;
SELECT kg_revoke('views too', :'owner');
BEGIN; SELECT FROM kg_login(:'one'); SELECT same, n > 0 AS some FROM views_compare('price > 99'); SELECT count(*), count(DISTINCT "to") FROM views."LIKES"; ROLLBACK;
-- and so does who reads with another's eyes
ALTER VIEW views.product SET (security_invoker = false);
CREATE POLICY views_dear ON kg_entity AS RESTRICTIVE TO views_reader USING (data ->> 'tier' IS DISTINCT FROM 'top');
\c - views_reader
SELECT same, n > 0 AS some FROM views_compare('price > 50');
\c - :owner
DROP POLICY views_dear ON kg_entity;
ALTER VIEW views.product SET (security_invoker = true);
\c - views_reader
SELECT * FROM views.product WHERE id IN ('p7', 'odd', 'none') ORDER BY id;
SELECT * FROM views.brand WHERE code = 'b7';
SELECT * FROM views."LIKES" ORDER BY "to";
SELECT count(*), count(DISTINCT "to") FROM views."MADE_BY";
SELECT * FROM views."MADE_BY" WHERE "from" = 'p7';

-- Filters on x-index properties ask the keys, as an ordinary role; the plan of one.
SELECT substring(views_plan($$SELECT id FROM views.product WHERE price > 99 AND price <= 99.5 AND weight > 5$$), 'kg_view_nodes[^)]*\)') AS condition;
SELECT views_plan($$SELECT id FROM views.product WHERE price > 99 AND weight > 5$$) ~ 'Seq Scan' AS reads_all;
SELECT f, c.* FROM unnest(ARRAY['price > 99', 'price >= 99.9', 'price < 0.5', 'price <= 0.1', 'price = 50', '99 < price', 'price BETWEEN 50 AND 51', 'price > 12345678901234567890', 'price = 12345678901234567890.5', 'price IN (1, 2, 3)', 'price = ANY (NULL)', 'price > NULL', $$price = 'NaN'$$, $$price < 'Infinity' AND price > 90$$,
  'stock = 7', 'stock > 40::smallint', 'stock < 0', 'stock = 7::bigint', 'stock = 7.0', 'stock IN (7, 8)', 'stock = 7.5', 'serial = 5', 'serial > 590 AND serial <= 595', 'serial = 92233720368547758070',
  $$name = 'Product 7'$$, $$name IN ('Product 7', NULL, 'nothing')$$, $$name > 'Product 59' AND name < 'Product 6'$$, $$name = 'Product 7'::varchar$$, $$name LIKE 'Product 7%'$$, $$name LIKE 'Product 7_'$$, $$name LIKE 'Product\_7'$$, $$name LIKE '%7'$$, $$name = ''$$, $$name ILIKE 'product 7'$$, $$name COLLATE "de-x-icu" > 'Product 59'$$,
  $$tier = 'top'$$, $$tier = 'none'$$, $$tier > 'low'$$, $$tier IN ('top', 'low')$$, $$day = '2020-03-01'$$, $$day >= '2021-08-01'$$, $$day < '2020-01-05'$$, $$day = '0001-02-29 BC'$$, $$day < 'infinity' AND day > '2021-08-20'$$, $$day > '-infinity' AND day < '2020-01-03'$$, $$day > timestamptz '2021-08-20 00:00+00'$$, $$day IN ('2020-03-01', '2020-03-02')$$,
  $$at = '2020-01-05 04:00+00'$$, $$at = '2020-01-05 04:00:00.000001+00'$$, $$at > '2020-01-25 20:00+00'$$, $$at <= '2020-01-01 02:00+00'$$, $$at < '2020-01-01 02:00+00'$$, $$at >= '2020-01-25 00:00+00'$$, $$at = '2017-01-01 00:00:00.123456+00'$$, $$at > '2020-01-25 23:00+00' AND at < 'infinity'$$, $$at > '10000-01-01'$$, $$at IN ('2020-01-05 04:00+00')$$,
  'live', 'NOT live', 'live IS TRUE', 'live = false', 'live IS NOT TRUE', $$'t7' = ANY (tags)$$, $$tags @> '{t7}'$$, $$tags @> '{}'$$, $$tags && '{t7,t8}'$$, $$'{t7}' <@ tags$$, $$tags = '{t7,u7}'$$, '42 = ANY (sizes)', $$sizes && '{42,43}'$$, $$brand = 'b7'$$, $$brand = 'b7' AND price < 20$$, 'price < 5 OR price > 95', 'price <> 5', 'price IS NULL', 'weight < 5', $$"any" = '7'$$, $$id = 'p7'$$, $$id > 'p98'$$,
  $$price > (SELECT 99)$$, $$price > 200 + random()$$, $$price > length(name)$$]) f, LATERAL views_compare(f) c WHERE NOT (c.same AND c.by_keys);
-- the function itself, of what keys cannot tell: all that there are
SELECT v, cardinality(kg_view_nodes('shop', 'product', p, o, v)) AS nodes FROM (VALUES ('price', 'eq', '"NaN"'::jsonb), ('price', 'gt', NULL), ('price', 'gt', 'null'), ('price', 'contains', '1'), ('weight', 'gt', '599'), ('day', 'lt', '"infinity"'), ('at', 'lte', '"infinity"'), ('tier', 'eq', '"none"'), ('tier', 'in', '["top", "low"]'), ('name', 'starts_with', '""'),
  ('name', 'starts_with', '7'), ('tags', 'eq', '"t7"'), ('price', 'in', '7'), ('nothing', 'eq', '1')) x(p, o, v);
SELECT kg_view_nodes('shop', 'nothing', 'price', 'eq', '1') AS none, kg_view_nodes(NULL, 'product', 'price', 'eq', '1') AS unknown, cardinality(kg_view_nodes('shop', 'product', 'price', 'gt', '99', 'lte', '99.5')) AS nodes;
-- a join, a reference looked up by the other view's id, a prepared statement with its generic plan
SELECT count(*) FROM views.product p JOIN views.brand b ON b.id = p.brand WHERE p.price > 99 AND b.name LIKE 'Brand 1%';
SELECT b.id, count(p.id) FROM views.brand b LEFT JOIN views.product p ON p.brand = b.id AND p.price > 98 WHERE b.id IN ('b1', 'b2', 'b8') GROUP BY b.id ORDER BY b.id;
SELECT count(*) FROM views.brand b WHERE EXISTS (SELECT FROM views.product p WHERE p.brand = b.id AND p.stock = 7);
SELECT b.id, (SELECT max(price) FROM views.product p WHERE p.brand = b.id AND p.stock = 2 * length(b.id)) AS price FROM views.brand b WHERE b.id IN ('b5', 'b10', 'b15') ORDER BY b.id;
SET plan_cache_mode = force_generic_plan;
PREPARE priced(numeric, text[]) AS SELECT count(*) FROM views.product WHERE price > $1 AND tier = ANY ($2);
EXECUTE priced(95, '{top,low}');
EXECUTE priced(NULL, '{top,low}');
SELECT views_plan($$EXECUTE priced(95, '{top,low}')$$) ~ 'kg_view_nodes' AS by_keys;
RESET plan_cache_mode;

-- What a token, an agent, a policy or an authorizer hides is not there, with a filter and without one; nor do the functions tell of it.
\c - views_gateway
BEGIN; SELECT FROM kg_login(:'whole'); SELECT views_plan('SELECT id FROM views.product WHERE price > 99') ~ 'kg_view_nodes' AS by_keys; ROLLBACK;
PREPARE seen AS SELECT (SELECT count(*) FROM views.product) AS products, (SELECT count(*) FROM views.product WHERE price > 50) AS above, (SELECT count(*) FROM views.brand) AS brands,
  (SELECT count(*) FROM views."MADE_BY") AS edges, (SELECT string_agg("to" || coalesce(properties ->> 'w', ''), ' ') FROM views."LIKES") AS likes, cardinality(kg_view_nodes('shop', 'product', 'price', 'gt', '50')) AS nodes;
EXECUTE seen;
-- What is asked of a document comes after the policies: a condition that takes long where it holds tells nothing of hidden ones.
BEGIN; SELECT FROM kg_login(:'one'); SELECT views_plan('SELECT FROM kg_entity WHERE CASE WHEN kg_column_text(data, ''name'') = ''Product 1'' THEN entity_type < ''z'' END') ~ 'kg_entity_visible.*kg_column_text' AS policies_first; ROLLBACK;
BEGIN; SELECT FROM kg_login(:'one'); EXECUTE seen; SELECT count(*) FROM views.product WHERE price > 50 AND path = '2/'; SELECT count(*) FROM views_compare('price > 99') WHERE same; ROLLBACK;
BEGIN; SELECT FROM kg_login(:'whole'); EXECUTE seen; ROLLBACK;
BEGIN; SELECT FROM kg_login(:'one'); EXECUTE seen; ROLLBACK;
\c - views_admin
SET kg_graph.tenant = 'views';
SELECT kg_apply_bundle('{"bundle_name": "other", "version": "1", "schemas": [{"entity_type": "product", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": [], "properties": {"id": {"type": "string"}, "a": {"type": "string"}}}}, {"entity_type": "extra", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "entities": [{"entity_type": "extra", "items": [{"id": "e"}]}]}') ->> 'changed' AS changed;
SELECT FROM kg_create_agent('some', '{"bundles": ["other"]}');
SET kg_graph.agent = 'some';
SELECT count(*) FROM views.product;
SELECT count(*) FROM views.product WHERE price > 50;
SELECT count(*) FROM views."LIKES";
SELECT kg_refresh_views();
RESET kg_graph.agent;
\c - :owner
CREATE POLICY views_dear ON kg_entity AS RESTRICTIVE TO views_reader USING (data ->> 'tier' IS DISTINCT FROM 'top');
\c - views_reader
SELECT count(*) FROM views.product WHERE tier = 'top';
SELECT count(*), min(price) FROM views.product WHERE price > 99;
SELECT "to" FROM views."LIKES";
SELECT kg_view_nodes('shop', 'product', 'tier', 'eq', '"top"') AS nodes;
SELECT count(*) FROM kg_view_edges((SELECT node FROM kg_entity WHERE entity_id = 'b1'), (SELECT relation_no FROM kg_relation WHERE relation = 'LIKES'));
\c - :owner
DROP POLICY views_dear ON kg_entity;

-- Values that no schema allows, as they are where triggers were off.
BEGIN;
ALTER TABLE kg_entity DISABLE TRIGGER ALL;
UPDATE kg_entity SET data = data || '{"price": "dear", "stock": 1.5, "serial": "7", "day": "2020-02-30", "at": "noon", "live": "yes", "tags": "t1", "sizes": [1, "x", 1e30], "dates": ["2020-01-01", "never", null], "name": 7}' WHERE tenant = 'views' AND entity_id = 'p1';
SET LOCAL ROLE views_reader;
SELECT id, price, stock, serial, day, at, live, tags, sizes, dates, name FROM views.product WHERE id = 'p1';
SELECT count(*) FROM views.product WHERE price = 3.7;
ROLLBACK;
SELECT kg_column_numeric('{"a": 1e400}', 'a') > 1 AS large, kg_column_bigint('{"a": 9223372036854775808}', 'a') AS too_large, kg_column_bigint('{"a": 7.0}', 'a') AS whole, kg_column_date('{"a": "9999-12-31"}', 'a') AS last, kg_column_timestamptz('{"a": "9999-12-31T23:59:59.9999999Z"}', 'a') AT TIME ZONE 'UTC' AS end, kg_column_jsonb('[1]', 'a') AS none;
-- An authorizer, which is asked about what a filter leaves.
SET client_min_messages = warning;
SELECT kg_grant('views', :'owner', 'admin');
SET kg_graph.tenant = 'views';
SELECT kg_apply_bundle('{"bundle_name": "held", "version": "1", "schemas": [{"entity_type": "file", "schema": {"type": "object", "x-id-field": "id", "x-authorize": {"ability": "read"}, "x-tool-expose": [], "properties": {"id": {"type": "string"}, "size": {"type": "integer", "x-index": true}, "beside": {"type": "string", "x-ref": "file", "x-relation": "BESIDE"}}}}],
  "entities": [{"entity_type": "file", "items": [{"id": "a1", "size": 1}, {"id": "b1", "size": 1, "beside": "a1"}, {"id": "a2", "size": 2, "beside": "a1"}, {"id": "b2", "size": 2}]}]}') ->> 'changed' AS changed;
CREATE FUNCTION views_authorizer(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS $$ SELECT u, u LIKE 'a%' FROM unnest(ids) u $$;
SELECT kg_set_authorizer('views', 'views_authorizer(text, text, text[])');
\c - views_admin
SET kg_graph.tenant = 'views';
SELECT kg_refresh_views() #> '{schemas,0,created}' AS created;
GRANT SELECT ON ALL TABLES IN SCHEMA views TO views_reader;
\c - views_reader
SELECT id FROM views.file WHERE size = 1;
SELECT id FROM views.file ORDER BY id;
SELECT * FROM views."BESIDE";
SELECT cardinality(kg_view_nodes('held', 'file', 'size', 'gte', '1')) AS nodes, (SELECT count(*) FROM kg_view_edges((SELECT node FROM kg_entity WHERE entity_id = 'a2'), (SELECT relation_no FROM kg_relation WHERE relation = 'BESIDE'))) AS edges;
\c - :owner
SET kg_graph.tenant = 'views';
SELECT kg_drop_bundle('held') ->> 'changed' AS changed;
SELECT kg_set_authorizer('views', NULL);
DROP FUNCTION views_authorizer;
SELECT kg_revoke('views', :'owner');

-- A trigger that reads a view in the middle of the statement that writes: the keys are not there yet.
CREATE FUNCTION views_watch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'sees %', (SELECT string_agg(id, ' ') FROM views.product WHERE stock = 44444); RETURN NULL; END $$;
CREATE TRIGGER views_watch AFTER INSERT ON kg_entity FOR EACH ROW WHEN (NEW.entity_id LIKE 'watched%') EXECUTE FUNCTION views_watch();
SET ROLE views_admin;
BEGIN;
SET LOCAL kg_graph.tenant = 'views';
INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'shop', 'product', jsonb_build_object('id', 'watched' || n, 'path', '1/', 'stock', 44444) FROM generate_series(1, 2) n;
SELECT count(*) FROM views.product WHERE stock = 44444;
ROLLBACK;
RESET ROLE;
DROP TRIGGER views_watch ON kg_entity;
DROP FUNCTION views_watch;

-- What was made for a new bundle above: a view keeps its name, and one whose name is taken has its bundle's before it.
\c - views_admin
SET kg_graph.tenant = 'views';
SELECT kg_refresh_views();
SELECT kg_refresh_views('views');
SELECT count(*) FROM views.other_extra;
SELECT kg_drop_bundle('other') ->> 'changed' AS changed;
-- what is gone shows nothing, until it is dropped
SELECT count(*) FROM views.other_extra;
SELECT kg_refresh_views('views', '{"dry_run": true}') -> 'schemas' -> 0 -> 'dropped' AS dropped;
SELECT kg_refresh_views() -> 'schemas' -> 0 -> 'dropped' AS dropped;

-- A property more: at the end, whatever depends on the view. One less, or of another type: made anew, with its rights; or kept, and told of.
CREATE VIEW views.mine AS SELECT id, price FROM views.product WHERE price > 99;
ALTER VIEW views.product SET (security_barrier = true);
SELECT kg_apply_bundle(views_shop('2', '{"colour": {"type": "string", "x-index": true}}'), '{"mode": "merge"}') ->> 'changed' AS changed;
SELECT kg_refresh_views();
SELECT attname FROM pg_attribute WHERE attrelid = 'views.product'::regclass AND attnum > 0 ORDER BY attnum DESC LIMIT 2;
SELECT kg_apply_bundle(views_shop('3', '{"colour": null, "weight": null, "any": {"type": ["string", "number", "null"]}}'), '{"mode": "merge"}') ->> 'changed' AS changed;
SELECT kg_refresh_views();
SELECT count(*) FROM views.mine;
DROP VIEW views.mine;
ALTER VIEW views.product RENAME TO goods;
-- what others may do with it, and no more than that; an option of its owner's
REVOKE ALL ON views.goods FROM views_gateway;
GRANT SELECT (id, price, weight), UPDATE (name) ON views.goods TO views_gateway;
GRANT SELECT ("Odd ""name""") ON views.goods TO PUBLIC;
GRANT REFERENCES ON views.goods TO views_reader WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES IN SCHEMA views GRANT SELECT ON TABLES TO views_gateway;
SELECT kg_refresh_views();
ALTER DEFAULT PRIVILEGES IN SCHEMA views REVOKE SELECT ON TABLES FROM views_gateway;
SELECT a.grantee::regrole, a.privilege_type, a.is_grantable, c.reloptions FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'views.goods'::regclass AND a.grantee <> c.relowner ORDER BY 2;
SELECT attname, attacl FROM pg_attribute WHERE attrelid = 'views.goods'::regclass AND attacl IS NOT NULL ORDER BY attname COLLATE "C";
ALTER VIEW views.goods RESET (security_barrier);
SELECT has_table_privilege('views_reader', 'views.goods', 'SELECT') AS granted, count(*) FROM pg_attribute WHERE attrelid = 'views.goods'::regclass AND attname IN ('weight', 'colour');
ALTER VIEW views.goods RENAME TO product;
SELECT kg_apply_bundle(views_shop('4', '{"price": {"type": "string"}}') || '{"entities": [{"entity_type": "product", "items": [{"id": "text", "path": "1/", "price": "7"}]}]}') ->> 'changed' AS changed;
-- a value that the view of before cannot have is NULL
SELECT count(*), count(price), count(*) FILTER (WHERE price > 5) FROM views.product;
-- one that somebody else owns by now, or has a label, is kept
\c - :owner
ALTER VIEW views.brand OWNER TO views_reader;
ALTER VIEW views.product OWNER TO views_reader;
SET allow_system_table_mods = on;
INSERT INTO pg_seclabel VALUES ('views.product'::regclass, 'pg_class'::regclass, 0, 'masks', 'secret');
\c - views_admin
SET kg_graph.tenant = 'views';
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "5", "schemas": [{"entity_type": "brand", "schema": {"type": "object", "title": "Brand", "x-id-field": "code", "x-label-field": "name", "properties": {"code": {"type": "string"}, "name": {"type": "string"}, "more": {"type": "string"}}}}]}', '{"mode": "merge"}') ->> 'changed' AS changed;
SELECT jsonb_pretty(kg_refresh_views() -> 'schemas' -> 0 -> 'kept');
\c - :owner
SET allow_system_table_mods = on;
DELETE FROM pg_seclabel WHERE provider = 'masks';
ALTER VIEW views.brand OWNER TO views_admin;
ALTER VIEW views.product OWNER TO views_admin;
\c - views_admin
SET kg_graph.tenant = 'views';
SELECT kg_refresh_views() -> 'schemas' -> 0 -> 'changed' AS changed;

-- Entities that are written, and deleted, through and beside a view, in one transaction.
BEGIN;
SELECT kg_put_entities('product', '[{"id": "new", "path": "1/", "stock": 44444, "name": "New"}]') IS NOT NULL AS put;
SELECT id, stock FROM views.product WHERE stock = 44444;
DELETE FROM views.product WHERE stock = 44444 RETURNING id;
SELECT count(*) FROM views.product WHERE stock = 44444;
INSERT INTO views.product(id) VALUES ('x');
ROLLBACK;

-- However PostgreSQL says a view's query
SET quote_all_identifiers = on;
SELECT kg_refresh_views() #> '{schemas,0,unchanged}' AS unchanged;
RESET quote_all_identifiers;

-- What is not one's own
SELECT kg_create_views('public');
SELECT kg_refresh_views('nothing');
SELECT kg_create_views(NULL, '{"types": ["x"]}');
\c - views_reader
SELECT kg_create_views('views');
SELECT kg_create_views('views_mine');
SELECT kg_refresh_views();
\c - views_gateway
SELECT kg_create_views();
\c - :owner
SELECT kg_view_nodes('shop', 'product', 'price', 'sounds', '1');

DROP SCHEMA views CASCADE;
REVOKE CREATE ON DATABASE :"db" FROM views_admin;
DELETE FROM kg_auth_key WHERE issuer = 'views';
DROP FUNCTION views_shop, views_items, views_plan, views_compare;
DROP OWNED BY views_gateway;
CALL test.drop('views', 'views too');
DROP ROLE views_gateway;
