-- Other statements of applications on kg_entity: MERGE, CTEs, subscripts, filled
-- columns, prepared statements under several roles, savepoints, cursors, and objects
-- that hide the extension's names.
\i test/data/prelude.sql
CALL test.tenant('more a', 'regress_more_a write');
CALL test.tenant('more b', 'regress_more_b write');
CREATE FUNCTION pg_temp.fails(statement text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT test.fails(statement, 'code', 'path', 'id', 'expected') $$;
CREATE TEMP TABLE bundle AS SELECT '{"bundle_name": "geo", "version": "1", "schemas": [
  {"entity_type": "place", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "additionalProperties": false, "properties": {"id": {"type": "string"}, "name": {"type": "string"},
    "size": {"type": "integer", "minimum": 0, "x-index": true}, "within": {"type": "string", "x-ref": "place"}}}}],
  "entities": [{"entity_type": "place", "items": [{"id": "earth", "name": "Earth", "size": 9}, {"id": "france", "size": 3, "within": "earth"}]}]}'::jsonb AS b;
GRANT SELECT ON bundle TO regress_more_a, regress_more_b;
-- Everything that is derived, by names.
CREATE VIEW more_derived AS
  SELECT e.tenant, e.entity_id, e.version, e.data,
         (SELECT count(*) FROM kg_index_key k WHERE k.tenant = e.tenant AND k.node = e.node AND k.key <> '\xff') AS keys,
         (SELECT string_agg(t.term, ' ' ORDER BY t.kind, t.term) FROM kg_term t WHERE t.tenant = e.tenant AND t.node = e.node AND t.kind <> 'i') AS terms,
         (SELECT string_agg(t.entity_id, ' ') FROM kg_edge d JOIN kg_entity t ON t.tenant = d.tenant AND t.node = d.target WHERE d.tenant = e.tenant AND d.source = e.node) AS targets
    FROM kg_entity e WHERE e.tenant ~ '^more' ORDER BY e.tenant COLLATE "C", e.entity_id COLLATE "C";
GRANT SELECT ON more_derived TO regress_more_a, regress_more_b;
SET ROLE regress_more_b;
SELECT kg_apply_bundle(b) ->> 'revision' AS revision FROM bundle;
SET ROLE regress_more_a;
SELECT kg_apply_bundle(b) ->> 'revision' AS revision FROM bundle;

-- One statement that inserts, updates and deletes, with references among these rows:
-- by MERGE if the server has it, otherwise the same by CTEs.
SELECT current_setting('server_version_num')::int >= 150000 AS merge \gset
\if :merge
MERGE INTO kg_entity e USING (VALUES ('earth', '{"id": "earth", "name": "Terra"}'::jsonb), ('mars', '{"id": "mars", "size": 4, "within": "phobos"}'), ('phobos', '{"id": "phobos", "within": "mars"}'), ('france', NULL)) v(id, data)
   ON e.entity_type = 'place' AND e.bundle = 'geo' AND e.entity_id = v.id
 WHEN MATCHED AND v.data IS NULL THEN DELETE
 WHEN MATCHED THEN UPDATE SET data = v.data
 WHEN NOT MATCHED THEN INSERT (bundle, entity_type, data) VALUES ('geo', 'place', v.data);
\else
WITH d AS (DELETE FROM kg_entity WHERE entity_id = 'france'), u AS (UPDATE kg_entity SET data = '{"id": "earth", "name": "Terra"}' WHERE entity_id = 'earth')
  INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "mars", "size": 4, "within": "phobos"}'), ('geo', 'place', '{"id": "phobos", "within": "mars"}');
\endif
SELECT * FROM more_derived WHERE tenant = 'more a';
\if :merge
SELECT pg_temp.fails($$MERGE INTO kg_entity e USING (VALUES ('mars')) v(id) ON e.entity_id = v.id WHEN MATCHED THEN DELETE$$);
SELECT pg_temp.fails($$MERGE INTO kg_entity e USING (VALUES ('x')) v(id) ON e.entity_id = v.id WHEN NOT MATCHED THEN INSERT (bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "x", "within": "no"}')$$);
SELECT pg_temp.fails($$MERGE INTO kg_entity e USING (VALUES ('mars')) v(id) ON e.entity_id = v.id WHEN MATCHED THEN UPDATE SET tenant = 'more b'$$);
\else
SELECT pg_temp.fails($$DELETE FROM kg_entity WHERE entity_id = 'mars'$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "x", "within": "no"}')$$);
SELECT pg_temp.fails($$UPDATE kg_entity SET tenant = 'more b' WHERE entity_id = 'mars'$$);
\endif
-- Several statements in one: references between them hold at the end of the whole.
WITH a AS (INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "c1", "within": "c2"}') RETURNING entity_id),
     b AS (INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "c2", "within": "c1"}') RETURNING entity_id),
     c AS (UPDATE kg_entity SET data = data || '{"size": 77}' WHERE entity_id = 'phobos' RETURNING entity_id, data -> 'size' AS size, version)
SELECT (SELECT entity_id FROM a) AS a, (SELECT entity_id FROM b) AS b, c.* FROM c;

-- Parts of a document; columns that are not the caller's to set keep what they are.
UPDATE kg_entity SET data = jsonb_set(data, '{size}', '11') - 'within' WHERE entity_id = 'phobos' RETURNING data, version;
UPDATE kg_entity SET data['name'] = '"Phobos"' WHERE entity_id = 'phobos' RETURNING data, version;
SELECT pg_temp.fails($$UPDATE kg_entity SET data = jsonb_set(data, '{size}', '-1') WHERE entity_id = 'phobos'$$);
SELECT pg_temp.fails($$UPDATE kg_entity SET data = data - 'id' WHERE entity_id = 'phobos'$$);
SELECT pg_temp.fails($$UPDATE kg_entity SET data = NULL WHERE entity_id = 'phobos'$$);
SELECT pg_temp.fails($$UPDATE kg_entity SET data = 'null' WHERE entity_id = 'phobos'$$);
UPDATE kg_entity SET version = 99, created_at = 'epoch', updated_at = 'epoch', type_no = 7, scope = 'x', entity_id = NULL WHERE entity_id = 'phobos'
  RETURNING entity_id, version, created_at > 'epoch' AS created, updated_at > 'epoch' AS updated, type_no <> 7 AS typed, scope;
SELECT pg_temp.fails($$UPDATE kg_entity SET bundle = 'other' WHERE entity_id = 'phobos'$$);
SELECT pg_temp.fails($$UPDATE kg_entity SET bundle = NULL WHERE entity_id = 'phobos'$$);
SELECT pg_temp.fails($$UPDATE kg_entity SET entity_id = 'mars' WHERE entity_id = 'phobos'$$);
SELECT * FROM more_derived WHERE entity_id = 'phobos';

-- Prepared once, executed by whoever is current; a cursor too sees what its reader may.
PREPARE ins(jsonb) AS INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', $1) RETURNING tenant, entity_id;
PREPARE sel AS SELECT tenant, entity_id FROM kg_entity ORDER BY entity_id COLLATE "C";
PREPARE lst(text) AS SELECT kg_list_ids($1, '{}') -> 'ids' AS ids;
EXECUTE ins('{"id": "p1"}');
EXECUTE ins('{"id": "p2", "size": -1}');
EXECUTE sel;
EXECUTE lst('place');
SET ROLE regress_more_b;
EXECUTE ins('{"id": "p1"}');
EXECUTE sel;
EXECUTE lst('place');
SET ROLE regress_more_a;
BEGIN;
DECLARE c CURSOR FOR SELECT tenant, entity_id FROM kg_entity ORDER BY entity_id COLLATE "C";
FETCH 1 FROM c;
SET ROLE regress_more_b;
SELECT DISTINCT tenant FROM kg_entity;
COMMIT;
SET ROLE regress_more_a;

-- What is rolled back to a savepoint is forgotten: types, entities and what they allow.
BEGIN;
SAVEPOINT a;
SELECT kg_apply_bundle(jsonb_set(b, '{schemas,0,schema,properties,extra}', '{"type": "string", "x-index": true}') - 'entities', '{"mode": "merge"}') -> 'changed' AS changed FROM bundle;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "e1", "extra": "x"}');
SELECT kg_list_ids('place', '{"filters": {"extra": "x"}}') -> 'ids' AS ids;
ROLLBACK TO a;
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "e1", "extra": "x"}')$$);
SELECT pg_temp.fails($$SELECT kg_list_ids('place', '{"filters": {"extra": "x"}}')$$);
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "e2", "within": "earth"}');
SAVEPOINT b;
DELETE FROM kg_entity WHERE entity_id = 'e2';
ROLLBACK TO b;
COMMIT;
SELECT * FROM more_derived WHERE entity_id ~ '^e[0-9]';

-- Deferred references: of a bundle that is dropped before the commit; of another role by then.
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "late", "within": "never"}');
SELECT kg_drop_bundle('geo') -> 'changed' AS dropped;
COMMIT;
SELECT kg_apply_bundle(b) -> 'changed' AS changed FROM bundle;
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "late", "within": "never"}');
SET ROLE regress_more_b;
COMMIT;
SET ROLE regress_more_a;
SELECT count(*) AS late FROM kg_entity WHERE entity_id = 'late';
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
SELECT kg_apply_bundle(jsonb_set(b, '{entities,0,items,1}', '{"id": "before", "within": "after"}'), '{"mode": "merge"}') -> 'changed' AS changed FROM bundle;
SELECT kg_put_entities('place', '[{"id": "after"}]') -> 'counts' AS put;
COMMIT;
SELECT entity_id, targets FROM more_derived WHERE entity_id = 'before';

-- Temporary objects with our names, and with those of the types that we use, are found by nobody of ours.
CREATE TEMP TABLE kg_entity (LIKE public.kg_entity);
CREATE TEMP TABLE kg_entity_type (LIKE public.kg_entity_type);
CREATE TEMP TABLE kg_bundle (LIKE public.kg_bundle);
CREATE TEMP TABLE kg_edge (LIKE public.kg_edge);
CREATE TEMP TABLE kg_index_key (LIKE public.kg_index_key);
CREATE TEMP TABLE kg_tenant_role (LIKE public.kg_tenant_role INCLUDING DEFAULTS);
CREATE TEMP SEQUENCE kg_node_seq;
INSERT INTO pg_temp.kg_tenant_role(tenant, role, role_name, access) VALUES ('more b', 'regress_more_a', 'regress_more_a', 'admin');
CREATE DOMAIN pg_temp.regrole AS pg_catalog.text;
CREATE DOMAIN pg_temp.bigint AS pg_catalog.text;
CREATE DOMAIN pg_temp.text AS pg_catalog.varchar;
CREATE DOMAIN pg_temp.jsonb AS pg_catalog.text;
SELECT kg_tenant(), kg_tenant('admin'), kg_list_ids('place', '{}') -> 'ids' AS ids, kg_get('place', 'earth') ->> 'name' AS name;
SELECT kg_apply_bundle(kg_export_bundle('geo')) -> 'changed' AS changed, kg_put_entities('place', '[{"id": "t", "within": "earth"}]') -> 'counts' AS put;
SELECT kg_neighbors('{"start_node": {"label": "place", "node_id": "t"}, "max_hops": 1}') -> 'total' AS neighbors, kg_search('{"query": "eart"}') -> 'total' AS found;
SELECT (SELECT count(*) FROM pg_temp.kg_entity) + (SELECT count(*) FROM pg_temp.kg_edge) + (SELECT count(*) FROM pg_temp.kg_index_key) AS in_temp;
RESET ROLE;
DISCARD TEMP;
DEALLOCATE ALL;

DROP VIEW more_derived;
CALL test.drop('more a', 'more b');
