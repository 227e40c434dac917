-- Renaming of tenants with all their rows.
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE ROLE regress_names;
CREATE ROLE regress_names_b;
CREATE FUNCTION pg_temp.try(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d text;
BEGIN
  EXECUTE sql;
  RETURN 'done';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', SQLSTATE, SQLERRM, CASE WHEN d LIKE '{%' THEN d::jsonb - 'message' END);
END $$;
-- How many rows of each table with a tenant are of one: every such table of the extension.
CREATE FUNCTION pg_temp.rows(of_tenant text) RETURNS TABLE (in_table name, n bigint) LANGUAGE plpgsql AS $$
BEGIN
  FOR in_table IN SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY c.relname COLLATE "C" LOOP
    EXECUTE format('SELECT count(*) FROM %I WHERE tenant = $1', in_table) INTO n USING of_tenant;
    RETURN NEXT;
  END LOOP;
END $$;
CREATE FUNCTION pg_temp.shop() RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
    {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-history": true, "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "rank": {"type": "number", "x-index": true}, "code": {"type": "string", "x-index": true}}}},
    {"entity_type": "product", "schema": {"type": "object", "x-id-field": "id", "x-search": ["note"], "properties": {"id": {"type": "string"}, "note": {"type": "string"}, "brand": {"type": "string", "x-ref": "brand"}, "by": {"type": "string", "x-ref": "brand", "x-ref-field": "code"}}, "required": ["brand"]}}],
    "relations": [{"name": "likes", "from": "brand", "to": "brand", "history": true}],
    "entities": [{"entity_type": "brand", "items": [{"id": "north", "name": "North", "rank": 1, "code": "n"}, {"id": "south", "rank": 2, "code": "s"}]},
      {"entity_type": "product", "items": [{"id": "lamp", "note": "a lamp that shines", "brand": "north", "by": "s"}, {"id": "desk", "brand": "south"}]}],
    "edges": [{"relation": "likes", "from": "brand:north", "to": "brand:south"}]}') -> 'revision'
$$;
-- What the caller is told: the same under any name.
CREATE FUNCTION pg_temp.answers() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT kg_list('brand', '{"filters": {"rank": {"gte": 1}}}')::text UNION ALL
  SELECT kg_search('{"query": "shines", "mode": "text"}')::text UNION ALL
  SELECT kg_search('{"query": "Nort"}')::text UNION ALL
  SELECT kg_neighbors('{"start_node": {"label": "brand", "node_id": "north"}, "max_hops": 2}')::text UNION ALL
  SELECT kg_history('brand', 'east')::text UNION ALL
  SELECT kg_call_tool('older', '{}')::text UNION ALL
  SELECT kg_limits()::jsonb - 'tenant' #>> '{}' UNION ALL
  SELECT kg_load_position('file')::text UNION ALL
  SELECT (SELECT jsonb_agg(t ->> 'name' ORDER BY t ->> 'name' COLLATE "C") FROM jsonb_array_elements(kg_list_tools()) t)::text
$$;
INSERT INTO kg_vectors (dimensions, model) VALUES (2, 'model');
SELECT FROM kg_create_tenant('names') a, kg_create_tenant('beside') b;
SELECT FROM kg_grant('names', 'regress_names', 'admin') a, kg_grant('beside', 'regress_names_b', 'admin') b;
SET ROLE regress_names_b;
SELECT pg_temp.shop();
SELECT kg_pack() > 0;
SET ROLE regress_names;
SELECT pg_temp.shop();
SELECT kg_put_entities('brand', '[{"id": "east"}]', '{"idempotency_key": "k", "reason": "why not"}') -> 'counts';
SELECT kg_delete_entities('brand', ARRAY['east']) -> 'counts';
SELECT kg_put_entities('brand', '[{"id": "east", "name": "again"}, {"id": "gone"}]') -> 'counts';
SELECT kg_delete_entities('brand', ARRAY['gone']) -> 'counts';
SELECT kg_pack() > 0;
SELECT FROM kg_create_agent('ann', '{"title": "Ann", "bundles": ["shop"], "tools": ["list_brand"]}');
SELECT kg_register_tool('{"name": "old_tool", "version": "1.0.0", "kind": "query", "description": "A query.", "aliases": ["older"], "input_schema": {"properties": {}}, "operation": {"tool": "list_brand", "arguments": {"limit": 2}}}') IS NOT NULL;
SELECT FROM kg_set_limits('names', '*', '{"entities": 100, "bytes": 10000, "max_rows": 50}');
SELECT FROM kg_load_batch('file', 0, '{"line": 7}');
SELECT kg_list('brand', '{"limit": 1}') #>> '{next,cursor}' AS cursor \gset
RESET ROLE;
INSERT INTO kg_audit(tenant, at, tool, ms) VALUES ('names', now(), 'kg_list', 0.1);
INSERT INTO kg_freed_type VALUES ('names', 'shop', 'gone', 4);
INSERT INTO kg_embedding SELECT tenant, node, type_no, 'hash', '{1,2}' FROM kg_entity WHERE tenant = 'names' LIMIT 1;
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, tenant) VALUES ('i', 'own', 'HS256', repeat('0', 32)::bytea, 'a', 'names');
SELECT kg_issue_token('{"sub": "ann", "tenant": "names"}', 'own') AS token \gset

-- what it takes: what is counted is there, and of nobody else
SELECT jsonb_pretty(s - 'bytes' - 'by_table'), (SELECT sum((t.value ->> 'bytes')::bigint) FROM jsonb_each(s -> 'by_table') t) = (s ->> 'bytes')::bigint AND (s ->> 'bytes')::bigint BETWEEN 1000 AND 100000 FROM kg_tenant_size('names') s;
SELECT in_table, n, s -> 'by_table' -> in_table -> 'rows' FROM pg_temp.rows('names'), kg_tenant_size('names') s WHERE n::text IS DISTINCT FROM coalesce(s -> 'by_table' -> in_table ->> 'rows', '0');

-- who may, and what there must be
SET ROLE regress_names;
SELECT pg_temp.try($$SELECT kg_rename_tenant('names', 'renamed')$$), pg_temp.try($$SELECT kg_free_tenant_name('names')$$), pg_temp.try($$SELECT kg_tenant_size('names')$$);
RESET ROLE;
SELECT pg_temp.try($$SELECT kg_rename_tenant('names', 'renamed')$$), pg_temp.try($$SELECT kg_rename_tenant('nobody', 'renamed')$$), pg_temp.try($$SELECT kg_tenant_size('nobody')$$), pg_temp.try($$SELECT kg_free_tenant_name('nobody')$$);
CREATE TEMP TABLE was AS SELECT row_number() OVER () AS n, a FROM pg_temp.answers() a LIMIT 0;
GRANT ALL ON was TO regress_names;
SET ROLE regress_names;
INSERT INTO was SELECT row_number() OVER (), a FROM pg_temp.answers() a;
RESET ROLE;
SELECT FROM kg_freeze_tenant('names');
SELECT pg_temp.try($$SELECT kg_rename_tenant('names', 'beside')$$), pg_temp.try($$SELECT kg_rename_tenant('names', 'names')$$), pg_temp.try($$SELECT kg_rename_tenant('names', E'a\nb')$$), pg_temp.try($$SELECT kg_rename_tenant('names', '')$$);
CREATE TEMP TABLE had AS SELECT * FROM pg_temp.rows('names');
CREATE TEMP TABLE beside AS SELECT * FROM pg_temp.rows('beside');
SELECT in_table FROM had WHERE n = 0;
SELECT jsonb_agg(l ORDER BY n) AS lines FROM (SELECT row_number() OVER () AS n, l FROM kg_export_tenant('names', '{"secrets": true}') l OFFSET 1) x \gset
-- rolled back, it was not
BEGIN;
SELECT FROM kg_rename_tenant('names', 'renamed');
ROLLBACK;
SELECT * FROM pg_temp.rows('names') EXCEPT SELECT * FROM had;
SELECT FROM kg_rename_tenant('names', 'renamed');
SELECT in_table, n FROM pg_temp.rows('names') WHERE n > 0;
SELECT in_table, r.n, h.n AS had FROM pg_temp.rows('renamed') r JOIN had h USING (in_table) WHERE r.n <> h.n;
SELECT * FROM pg_temp.rows('beside') EXCEPT SELECT * FROM beside;
SELECT kg_check() -> 'ok';
-- every line of it is what it was: versions, times, numbers, history
SELECT count(*) FROM (SELECT l FROM kg_export_tenant('renamed', '{"secrets": true}') l OFFSET 1) x WHERE NOT :'lines'::jsonb @> to_jsonb(ARRAY[l]) AND l !~ '^\{"end';
-- frozen under the new name, and read
SELECT tenant, state FROM kg_tenant_state;
SET ROLE regress_names;
SELECT kg_tenant();
SELECT was.a, now.a FROM was FULL JOIN (SELECT row_number() OVER () AS n, a FROM pg_temp.answers() a) now USING (n) WHERE was.a IS DISTINCT FROM now.a;
SELECT pg_temp.try($$SELECT kg_put_entities('brand', '[{"id": "west"}]')$$);
-- cursors and tokens of the old name end
SELECT left(pg_temp.try(format($$SELECT kg_list('brand', '{"limit": 1, "cursor": "%s"}')$$, :'cursor')), 48);
SET kg_graph.tenant = 'names';
SELECT kg_tenant();
RESET kg_graph.tenant;
RESET ROLE;
SELECT pg_temp.try(format('SELECT kg_login(%L)', :'token'));
SELECT pg_temp.try(format('SELECT kg_login(%L)', kg_issue_token('{"sub": "ann", "tenant": "renamed"}', 'own')));
-- the name that it had is nobody's
SELECT name, became FROM kg_former_name;
SELECT pg_temp.try($$SELECT kg_create_tenant('names')$$), pg_temp.try($$SELECT kg_rename_tenant('renamed', 'names')$$);
SELECT pg_temp.try($$SELECT kg_import_tenant(array_agg(l), '{"name": "names"}') FROM kg_export_tenant('renamed') l$$);
-- written, it counts and records on
SELECT FROM kg_thaw_tenant('renamed');
SELECT pg_temp.try($$SELECT kg_rename_tenant('renamed', 'other')$$);
SET ROLE regress_names;
SELECT kg_put_entities('brand', '[{"id": "west", "code": "s"}]') #> '{items,0,verdict}';
SELECT kg_put_entities('brand', '[{"id": "west", "code": "w"}, {"id": "east", "name": "once more"}, {"id": "gone"}]') #> '{counts}';
SELECT kg_put_entities('brand', '[{"id": "east"}]', '{"idempotency_key": "k", "reason": "why not"}') -> 'counts';
SELECT kg_delete_entities('brand', ARRAY['south']) #> '{items,0,verdict}';
SELECT version FROM kg_entity WHERE entity_id = 'gone';
SELECT kg_history('brand', 'east') -> 'returned';
SELECT sum(used) FROM kg_quota WHERE quota = 'entities';
RESET ROLE;
SELECT kg_check() -> 'ok';

-- with a trigger of a DBA's own that comes after ours
CREATE FUNCTION pg_temp.looks() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER own_look BEFORE UPDATE ON kg_entity FOR EACH ROW EXECUTE FUNCTION pg_temp.looks();
CREATE TRIGGER zz_look BEFORE UPDATE ON kg_entity FOR EACH ROW EXECUTE FUNCTION pg_temp.looks();
-- What a call that ended later had recorded under the old name is its own, too.
INSERT INTO kg_audit(tenant, at, tool, ms) VALUES ('names', now(), 'late', 0.1);
SELECT FROM kg_free_tenant_name('names');
SELECT tenant FROM kg_audit WHERE tool = 'late';
SELECT FROM kg_freeze_tenant('renamed');
SELECT FROM kg_rename_tenant('renamed', 'names');
SELECT FROM kg_thaw_tenant('names');
DROP TRIGGER own_look ON kg_entity;
DROP TRIGGER zz_look ON kg_entity;
SELECT kg_check() -> 'ok';
SELECT name, became FROM kg_former_name;
-- nothing but it can be written of another tenant
SELECT pg_temp.try($$UPDATE kg_entity SET tenant = 'beside' WHERE tenant = 'names'$$);

-- dropped, nothing of it is left but the name that it had
SELECT FROM kg_drop_tenant('names');
SELECT FROM kg_drop_tenant('beside');
SELECT * FROM pg_temp.rows('names') WHERE n > 0;
INSERT INTO kg_audit(tenant, at, tool, ms) VALUES ('names', now(), 'late', 0.1);
SELECT FROM kg_create_tenant('names');
SELECT count(*) FROM kg_audit WHERE tenant = 'names';
SELECT pg_temp.try($$SELECT kg_create_tenant('renamed')$$);
SELECT FROM kg_free_tenant_name('renamed');
SELECT FROM kg_drop_tenant('names');
DELETE FROM kg_vectors;
DROP OWNED BY regress_names;
DROP ROLE regress_names, regress_names_b;
