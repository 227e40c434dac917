-- Tenants as lines of JSON: an import writes exactly what the export contains.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE ROLE regress_transfer;
CREATE ROLE "regress transfer 'gone'";
CREATE FUNCTION pg_temp.try(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d text; r text;
BEGIN
  EXECUTE sql INTO r;
  RETURN 'done: ' || r;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', SQLSTATE, SQLERRM, CASE WHEN d LIKE '{%' THEN d::jsonb - 'message' END);
END $$;
-- Numbers by when they come first: the order of what is exported is theirs.
CREATE FUNCTION pg_temp.plain(of_tenant text) RETURNS SETOF text LANGUAGE sql AS $$
  WITH line AS (SELECT row_number() OVER () AS n, l::jsonb AS l FROM kg_export_tenant(of_tenant) l),
  node AS (SELECT d, row_number() OVER (ORDER BY d) AS n FROM (SELECT DISTINCT (l #>> ARRAY['1', k])::bigint AS d FROM line, unnest(ARRAY['node', 'source', 'target']) k WHERE jsonb_typeof(l) = 'array') x WHERE d IS NOT NULL),
  type AS (SELECT d, row_number() OVER (ORDER BY d) AS n FROM (SELECT DISTINCT (l #>> '{1,type_no}')::bigint AS d FROM line WHERE jsonb_typeof(l) = 'array') x WHERE d IS NOT NULL),
  relation AS (SELECT d, row_number() OVER (ORDER BY d) AS n FROM (SELECT DISTINCT (l #>> '{1,relation_no}')::bigint AS d FROM line WHERE jsonb_typeof(l) = 'array') x WHERE d IS NOT NULL)
  SELECT (jsonb_build_array(l -> 0, (l -> 1) || (SELECT coalesce(jsonb_object_agg(k, CASE k WHEN 'type_no' THEN (SELECT n FROM type WHERE d = v::bigint) WHEN 'relation_no' THEN (SELECT n FROM relation WHERE d = v::bigint) ELSE (SELECT n FROM node WHERE d = v::bigint) END), '{}')
    FROM jsonb_each_text(l -> 1) x(k, v) WHERE k IN ('node', 'source', 'target', 'type_no', 'relation_no'))))::text
  FROM line WHERE jsonb_typeof(l) = 'array' ORDER BY n
$$;
SELECT FROM kg_create_tenant('moves');
SELECT FROM kg_grant('moves', 'regress_transfer', 'admin');
SELECT FROM kg_grant('moves', 'regress transfer ''gone''', 'read');
SET ROLE regress_transfer;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
    {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-history": true, "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "rank": {"type": "number", "x-index": true}, "code": {"type": "string", "x-index": true}}}},
    {"entity_type": "product", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "note": {"type": "string", "x-search": true}, "brand": {"type": "string", "x-ref": "brand"}, "by": {"type": "string", "x-ref": "brand", "x-ref-field": "code"}}, "required": ["brand"]}}],
    "relations": [{"name": "likes", "from": "brand", "to": "brand", "history": true, "key": ["year"], "schema": {"type": "object", "properties": {"year": {"type": "integer"}}, "required": ["year"]}}],
    "entities": [{"entity_type": "brand", "items": [{"id": "north", "name": "Größe \"N\"\\", "rank": 12345678901234567890.1234567890, "code": "n"}, {"id": "south", "rank": 1e-30, "code": "s"}]},
      {"entity_type": "product", "items": [{"id": "lamp", "note": "a lamp that shines", "brand": "north", "by": "s"}, {"id": "desk", "brand": "south"}]}],
    "edges": [{"relation": "likes", "from": "brand:north", "to": "brand:south", "properties": {"year": 1999}}, {"relation": "likes", "from": "brand:north", "to": "brand:south", "properties": {"year": 2000}}]}') -> 'revision' AS revision;
SELECT kg_put_entities('brand', '[{"id": "east"}]', '{"idempotency_key": "k", "reason": "why not"}') AS put;
SELECT kg_delete_entities('brand', ARRAY['east']) -> 'counts' AS counts;
SELECT kg_put_entities('brand', '[{"id": "east", "name": "again"}, {"id": "south", "name": "was changed", "code": "s"}]') -> 'counts' AS counts;
SELECT FROM kg_create_agent('ann', '{"title": "Ann", "bundles": ["shop"], "tools": ["list_brand"]}');
SELECT FROM kg_create_agent('bob', '{"toolsets": []}');
SELECT kg_register_tool('{"name": "old_tool", "version": "1.0.0-rc.1+build", "kind": "query", "description": "A query.", "aliases": ["older"], "input_schema": {"properties": {}}, "operation": {"tool": "list_brand", "arguments": {"limit": 2}}}') IS NOT NULL AS registered;
SELECT FROM kg_set_limits('moves', '*', '{"entities": 100, "max_rows": 50}');
SELECT FROM kg_load_batch('file', 0, '{"line": 7}');
RESET ROLE;
INSERT INTO kg_audit(tenant, at, tool, ms) VALUES ('moves', now(), 'kg_list', 0.1);
INSERT INTO kg_freed_type VALUES ('moves', 'shop', 'gone', 4);
INSERT INTO kg_vectors (dimensions, model) VALUES (2, 'model');
INSERT INTO kg_embedding SELECT tenant, node, type_no, 'hash', '{0.1,-3.25}' FROM kg_entity WHERE tenant = 'moves' AND entity_type = 'brand';
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, tenant) VALUES ('i', 'secret', 'HS256', repeat('0', 32)::bytea, 'a', 'moves');
CREATE TEMP TABLE lines AS SELECT row_number() OVER () AS n, l FROM kg_export_tenant('moves') l;
SELECT substring(l, '^\["([a-z_]+)"') COLLATE "C" AS "table", count(*) FROM lines GROUP BY 1 ORDER BY 1;
-- every table with a tenant is there, or is derived, or of a moment
SELECT c.relname COLLATE "C" AS not_exported FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
 WHERE c.relkind IN ('r', 'p') AND NOT EXISTS (SELECT FROM kg_export_tenant('moves', '{"secrets": true}') l WHERE starts_with(l, format('["%s", ', c.relname))) ORDER BY 1;
SELECT count(*) FROM kg_export_tenant('moves', '{"secrets": true}') l WHERE l ~ '^\["kg_auth_key"';

-- under another name beside it: the same, but for numbers
DROP OWNED BY "regress transfer 'gone'";
DELETE FROM kg_tenant_role WHERE role_name ~ 'gone';
DROP ROLE "regress transfer 'gone'";
SELECT kg_import_tenant((SELECT array_agg(l ORDER BY n) FROM lines), '{"name": "moved"}');
SELECT a.l, b.l FROM (SELECT l, row_number() OVER () AS n FROM pg_temp.plain('moves') l) a FULL JOIN (SELECT l, row_number() OVER () AS n FROM pg_temp.plain('moved') l) b USING (n) WHERE a.l IS DISTINCT FROM b.l;
SELECT kg_check() -> 'differences' AS differences;
SET kg_graph.tenant = 'moved';
SET ROLE regress_transfer;
SELECT kg_list('brand', '{"filters": {"rank": {"gt": 1}}}') -> 'items' AS items;
SELECT kg_history('brand', 'east') -> 'returned' AS changes;
SELECT kg_put_entities('brand', '[{"id": "east"}]', '{"idempotency_key": "k", "reason": "why not"}') AS put;
SELECT kg_call_tool('older', '{}') #> '{structuredContent,returned}' AS returned;
SELECT kg_put_entities('brand', '[{"id": "west", "code": "s"}]') #> '{items,0,verdict}' AS verdict;
SELECT kg_put_entities('brand', '[{"id": "west", "code": "w"}]') #> '{items,0,verdict}' AS verdict;
SELECT kg_delete_entities('brand', ARRAY['south']) #> '{items,0,verdict}' AS verdict;
RESET ROLE;
SELECT kg_check() -> 'differences' AS differences;

-- in parts, frozen, a role made, into a name that was in use
SELECT FROM kg_drop_tenant('moved');
SELECT kg_import_tenant(array_agg(l ORDER BY n), '{"name": "moved"}') FROM lines WHERE n <= 5;
SELECT kg_import_tenant(array_agg(l ORDER BY n), '{"name": "moved"}', 2) FROM lines WHERE n BETWEEN 6 AND 10;
SELECT kg_check() -> 'ok' AS ok, (SELECT count(*) FROM kg_tenant WHERE tenant = 'moved') AS made;
SELECT kg_import_tenant(array_agg(l ORDER BY n), '{"name": "moved", "frozen": true, "create_roles": true}', 3) - 'rows' FROM lines WHERE n > 10;
SELECT role_name, access FROM kg_tenant_role WHERE tenant = 'moved' ORDER BY 1;
SELECT state FROM kg_tenant_state WHERE tenant = 'moved';
SELECT count(*) AS left FROM (SELECT tenant FROM kg_import UNION ALL SELECT tenant FROM kg_import_row UNION ALL SELECT tenant FROM kg_import_number) x;

-- what is refused, and leaves nothing
CREATE FUNCTION pg_temp.import(edited text[], options jsonb DEFAULT '{"name": "hostile"}', part integer DEFAULT 1) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.try(format('SELECT kg_import_tenant(%L, %L, %s)', edited, options, part)) $$;
CREATE FUNCTION pg_temp.all_lines() RETURNS text[] LANGUAGE sql AS $$ SELECT array_agg(l ORDER BY n) FROM lines $$;
-- by whom
SET ROLE regress_transfer;
SELECT pg_temp.try($$SELECT kg_export_tenant('moves')$$), pg_temp.try($$SELECT kg_import_tenant('{}')$$), pg_temp.try($$SELECT kg_set_shard(1)$$);
RESET ROLE;
-- no tenant, one that is there, no name
SELECT pg_temp.try($$SELECT kg_export_tenant('nobody')$$), pg_temp.try($$SELECT kg_export_tenant('moves', '{"secret": true}')$$);
SELECT pg_temp.import(pg_temp.all_lines(), '{}');
SELECT pg_temp.import(pg_temp.all_lines(), '{"name": "a\nb"}'), pg_temp.import(pg_temp.all_lines(), '{"name": 1}'), pg_temp.import(pg_temp.all_lines(), '{"names": "x"}');
-- not its lines: none, null, no JSON, another format, cut at either end, one left out, twice, changed, in another order, more
SELECT pg_temp.import('{}'), pg_temp.import('{NULL}'), pg_temp.import('{abc}'), pg_temp.import('{"[]"}');
SELECT pg_temp.import(ARRAY[replace((SELECT l FROM lines WHERE n = 1), '"format": 1', '"format": 2')]);
SELECT pg_temp.import((SELECT array_agg(l ORDER BY n) FROM lines WHERE n > 1));
SELECT pg_temp.import((SELECT array_agg(l ORDER BY n) FROM lines WHERE n <> 7));
SELECT pg_temp.import((SELECT array_agg(l ORDER BY n) FROM (SELECT * FROM lines UNION ALL SELECT * FROM lines WHERE n = 7) x));
SELECT pg_temp.import((SELECT array_agg(replace(l, 'shines', 'glares') ORDER BY n) FROM lines));
SELECT pg_temp.import((SELECT array_agg(l ORDER BY CASE n WHEN 7 THEN 8 WHEN 8 THEN 7 ELSE n END) FROM lines));
SELECT pg_temp.import(pg_temp.all_lines() || '["kg_agent", {"agent": "x"}]'::text);
-- rows of other tables and tenants
SELECT pg_temp.import(ARRAY[(SELECT l FROM lines WHERE n = 1), row]) FROM unnest(ARRAY['["kg_secret", {"name": "x"}]', '["pg_authid", {}]', '["kg_agent", {"agent": "x", "tenant": "moves"}]', '["kg_agent", 1]', '["kg_agent"]', '[1, {}]', '{"kg_agent": 1}', '["kg_agent", {"agent": "x"', '["kg_entity", {"index_keys": "\\x00"}]']) row;
-- parts: too early, twice, left out, without a name
SELECT pg_temp.import(ARRAY['["kg_agent", {"agent": "x"}]'], '{"name": "hostile"}', 2), pg_temp.import(ARRAY['x'], '{"name": "hostile"}', 0), pg_temp.import(ARRAY['x'], '{}', 2);
SELECT pg_temp.import((SELECT array_agg(l ORDER BY n) FROM lines WHERE n <= 5));
SELECT pg_temp.import((SELECT array_agg(l ORDER BY n) FROM lines WHERE n BETWEEN 6 AND 7), '{"name": "hostile"}', 2);
SELECT pg_temp.import((SELECT array_agg(l ORDER BY n) FROM lines WHERE n BETWEEN 6 AND 7), '{"name": "hostile"}', 2);
SELECT pg_temp.import((SELECT array_agg(l ORDER BY n) FROM lines WHERE n > 7), '{"name": "hostile"}', 4);
-- begun again, nothing of before is in it
SELECT pg_temp.import((SELECT array_agg(l ORDER BY n) FROM lines WHERE n <= 5));
-- a digest that fits what was made up
CREATE FUNCTION pg_temp.signed(edited text[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE d bytea := decode(repeat('00', 32), 'hex'); l text;
BEGIN
  FOREACH l IN ARRAY edited LOOP d := sha256(d || convert_to(l, 'UTF8')); END LOOP;
  RETURN edited || format('{"end": {"lines": %s, "sha256": "%s"}}', cardinality(edited), encode(d, 'hex'));
END $$;
CREATE FUNCTION pg_temp.edited(a text, b text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.import(pg_temp.signed((SELECT array_agg(replace(l, a, b) ORDER BY n) FROM lines WHERE l !~ '^\{"end'))) $$;
SELECT pg_temp.edited('"brand": "south"', '"brand": "nowhere"');
SELECT pg_temp.edited('"code": "n"', '"code": 7');
SELECT pg_temp.edited('"entity_id": "lamp"', '"entity_id": "lamq"');
SELECT pg_temp.edited('"node": ', '"node": -'), pg_temp.edited('"type_no": ', '"type_no": 99999999999'), pg_temp.edited('"change": ', '"change": -');
SELECT pg_temp.edited('"access": "admin"', '"access": "owner"');
SELECT pg_temp.edited('"max_rows": 50', '"max_rows": -1');
SELECT pg_temp.edited('["kg_tenant", {', '["kg_agent", {"agent": "y", ');
SELECT pg_temp.edited('[0.1, -3.25]', wrong) FROM unnest(ARRAY['[0.1]', '[1, 2, 3]', '[0, 0]', '["NaN", 1]', '[null, 1]', '[1e30, 1]', '[]']) wrong;
SELECT pg_temp.edited('"dimensions": 2', '"dimensions": 3'), pg_temp.edited('"vectors": {', '"vector": {');
SELECT tenant FROM kg_tenant ORDER BY 1;
SELECT kg_check() -> 'differences' AS differences;

-- policies that are not in force here
SELECT FROM kg_add_policy('regress_transfer_p', 'kg_entity', 'entity_id <> ''secret''', roles => ARRAY['regress_transfer']);
CREATE TEMP TABLE with_policy AS SELECT row_number() OVER () AS n, l FROM kg_export_tenant('moves') l;
SELECT kg_import_tenant(array_agg(l ORDER BY n), '{"name": "guarded"}') ->> 'done' AS done FROM with_policy;
SELECT FROM kg_drop_tenant('guarded');
SELECT FROM kg_drop_policy('regress_transfer_p');
SELECT pg_temp.import((SELECT array_agg(l ORDER BY n) FROM with_policy));
SELECT kg_import_tenant(array_agg(l ORDER BY n), '{"name": "guarded", "without_policies": true}') ->> 'done' AS done FROM with_policy;

-- numbers of a range of one's own
SELECT pg_temp.try('SELECT kg_set_shard(3)'), pg_temp.try('SELECT kg_set_shard(0)'), pg_temp.try('SELECT kg_set_shard(2048)');
SELECT FROM kg_drop_tenant('guarded');
SELECT FROM kg_drop_tenant('moved');
SELECT FROM kg_drop_tenant('moves');
SELECT FROM kg_set_shard(3);
SELECT FROM kg_set_shard(3);
SELECT pg_temp.try('SELECT kg_set_shard(2)');
-- those of shard 0 are kept; of a second copy given anew, and those of a tenant of here
SELECT kg_import_tenant(pg_temp.all_lines()) ->> 'done' AS done;
SELECT count(*) AS others FROM (SELECT l FROM kg_export_tenant('moves') l EXCEPT SELECT l FROM lines) x WHERE l !~ '^\["kg_tenant_role"|^\{"end"';
SELECT kg_import_tenant(pg_temp.all_lines(), '{"name": "second"}') ->> 'done' AS done;
SELECT tenant, min(node) >> 40 AS nodes, min(type_no) >> 20 AS types FROM kg_entity GROUP BY tenant ORDER BY tenant;
SELECT kg_import_tenant((SELECT array_agg(l) FROM kg_export_tenant('second') l), '{"name": "third"}') ->> 'done' AS done;
SELECT count(*) AS both FROM kg_entity a JOIN kg_entity b ON a.tenant = 'second' AND b.tenant = 'third' AND (a.node = b.node OR a.type_no = b.type_no);
SET kg_graph.tenant = 'second';
SET ROLE regress_transfer;
SELECT kg_put_entities('brand', '[{"id": "new"}]') #> '{items,0,verdict}' AS verdict;
RESET ROLE;
SELECT kg_check() -> 'differences' AS differences;
SELECT count(*) AS left FROM (SELECT tenant FROM kg_import_number UNION ALL SELECT tenant FROM kg_import_row WHERE tenant <> 'hostile') x;
SELECT FROM kg_drop_tenant('moves');
SELECT FROM kg_drop_tenant('second');
SELECT FROM kg_drop_tenant('third');
DELETE FROM kg_vectors;
DROP OWNED BY regress_transfer, "regress transfer 'gone'";
DROP ROLE regress_transfer, "regress transfer 'gone'";
