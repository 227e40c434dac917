-- References: x-on-delete, x-ref-field, arrays, other bundles, cycles, within a
-- statement and deferred to commit.
\i test/data/prelude.sql
CALL test.tenant('references', 'regress_references write');
CREATE FUNCTION pg_temp.fails(statement text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT test.fails(statement, 'code', 'path', 'type', 'id', 'got', 'message') $$;
-- source -property-> target
CREATE FUNCTION pg_temp.edges() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT pg_catalog.format('%s -%s-> %s', s.entity_id, d.property, t.entity_id)
    FROM kg_edge d JOIN kg_entity s ON s.node = d.source JOIN kg_entity t ON t.node = d.target
   ORDER BY s.entity_id COLLATE "C", d.property COLLATE "C", t.entity_id COLLATE "C"
$$;
SET ROLE regress_references;
SELECT kg_apply_bundle('{"bundle_name": "base", "version": "1", "schemas": [
  {"entity_type": "node", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "code": {"type": "string", "x-index": true},
    "next": {"type": ["string", "null"], "x-ref": "node", "x-relation": "NEXT"}}}}],
  "entities": [{"entity_type": "node", "items": [{"id": "a", "code": "A"}, {"id": "b", "code": "B"}, {"id": "c", "code": "C"}, {"id": "d", "code": "D"}]}]}') ->> 'revision' AS revision;
SELECT kg_apply_bundle('{"bundle_name": "user", "version": "1", "schemas": [
  {"entity_type": "item", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"},
    "keep": {"type": "string", "x-ref": "base/node"},
    "cascade": {"type": "string", "x-ref": "base/node", "x-on-delete": "cascade"},
    "clear": {"type": "string", "x-ref": "base/node", "x-on-delete": "set_null"},
    "nulled": {"type": ["string", "null"], "x-ref": "base/node", "x-on-delete": "set_null"},
    "code": {"type": "string", "x-ref": "base/node", "x-ref-field": "code"},
    "many": {"type": "array", "items": {"type": "string", "x-ref": "base/node", "x-on-delete": "set_null"}},
    "deep": {"type": "object", "properties": {"list": {"type": "array", "items": {"type": "object", "properties": {"to": {"type": "string", "x-ref": "base/node", "x-relation": "DEEP"}}}}}},
    "twice": {"type": "string", "x-ref": "base/node", "x-relation": "SAME"}, "again": {"type": "string", "x-ref": "base/node", "x-relation": "SAME"}}}}],
  "entities": [{"entity_type": "item", "items": [
    {"id": "i1", "keep": "a", "clear": "b", "nulled": "b", "many": ["b", "c", "b"], "deep": {"list": [{"to": "a"}, {}, {"to": "c"}]}, "twice": "a", "again": "a"},
    {"id": "i2", "cascade": "b"}, {"id": "i3", "code": "D"}]}]}') ->> 'revision' AS revision;
SELECT pg_temp.edges();

-- restrict: told with who refers, by which property.
SELECT pg_temp.fails($$DELETE FROM kg_entity WHERE entity_id = 'a'$$);
SELECT pg_temp.fails($$DELETE FROM kg_entity WHERE entity_id = 'd'$$);
-- cascade, set_null on a scalar that may not be null, on one that may, in an array.
DELETE FROM kg_entity WHERE entity_id = 'b';
SELECT data FROM kg_entity WHERE entity_type = 'item' ORDER BY entity_id COLLATE "C";
SELECT pg_temp.edges();

-- A reference by another property follows the entity that has the value.
SELECT pg_temp.fails($$UPDATE kg_entity SET data = data || '{"code": "E"}' WHERE entity_id = 'd'$$);
UPDATE kg_entity SET data = data || CASE entity_id WHEN 'd' THEN '{"code": "E"}' ELSE '{"code": "D"}' END::jsonb WHERE entity_id IN ('c', 'd');
SELECT pg_temp.edges();
-- The value must be one entity's.
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('base', 'node', '{"id": "dd", "code": "D"}'), ('user', 'item', '{"id": "i4", "code": "D"}')$$);

-- Cycles, made and unmade in one statement.
UPDATE kg_entity SET data = data || CASE entity_id WHEN 'a' THEN '{"next": "c"}' WHEN 'c' THEN '{"next": "d"}' ELSE '{"next": "a"}' END::jsonb WHERE entity_type = 'node';
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('base', 'node', '{"id": "x", "next": "y"}'), ('base', 'node', '{"id": "y", "next": "x"}'), ('base', 'node', '{"id": "z", "next": null}');
SELECT pg_temp.fails($$DELETE FROM kg_entity WHERE entity_id = 'x'$$);
DELETE FROM kg_entity WHERE entity_id IN ('x', 'y', 'z');
SELECT pg_temp.edges();

-- Deferred: missing until commit, and told there.
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('base', 'node', '{"id": "late", "next": "later"}');
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('base', 'node', '{"id": "later"}');
COMMIT;
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('base', 'node', '{"id": "early", "next": "never"}');
COMMIT;
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
DELETE FROM kg_entity WHERE entity_id = 'later';
SET CONSTRAINTS ALL IMMEDIATE;
ROLLBACK;
-- Deleted and made again in one transaction, it is another node with the same name.
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
DELETE FROM kg_entity WHERE entity_id = 'later';
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('base', 'node', '{"id": "later", "code": "L"}');
COMMIT;
SELECT * FROM pg_temp.edges() e WHERE e LIKE 'la%';
-- In one statement, too, whichever of its triggers fires first.
WITH gone AS (DELETE FROM kg_entity WHERE entity_id = 'later' RETURNING node),
  made AS (INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('base', 'node', '{"id": "later", "code": "L"}') RETURNING node)
SELECT gone.node <> made.node AS other FROM gone, made;
WITH gone AS (DELETE FROM kg_entity WHERE entity_id = 'later' RETURNING *)
INSERT INTO kg_entity(bundle, entity_type, data) SELECT bundle, entity_type, data || '{"next": "a"}' FROM gone;
SELECT * FROM pg_temp.edges() e WHERE e LIKE 'la%';
SELECT kg_list_ids('node', '{"filters": {"code": "L"}}') -> 'ids' AS ids, count(*) AS keys
  FROM kg_index_key k JOIN kg_entity e USING (tenant, node) WHERE k.entity_id = 'later' AND e.entity_id = 'later';

-- Two faults, both told; no edge is left of either.
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('user', 'item', '{"id": "m1", "keep": "no", "many": ["a", "nope"]}'), ('user', 'item', '{"id": "m2", "deep": {"list": [{"to": "gone"}]}}')$$);
SELECT count(*) AS dangling FROM kg_edge d WHERE NOT EXISTS (SELECT FROM kg_entity e WHERE e.node = d.source) OR NOT EXISTS (SELECT FROM kg_entity e WHERE e.node = d.target);

-- What would go along and cannot is no fault of one id: the call says it, and nothing goes.
SELECT kg_apply_bundle('{"bundle_name": "third", "version": "1", "schemas": [{"entity_type": "keeper", "schema": {"type": "object", "x-id-field": "id", "properties": {
  "id": {"type": "string"}, "item": {"type": "string", "x-ref": "user/item"}}}}]}') ->> 'revision' AS revision;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('base', 'node', '{"id": "along"}'), ('base', 'node', '{"id": "free"}');
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('user', 'item', '{"id": "kept", "cascade": "along"}');
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('third', 'keeper', '{"id": "keeper", "item": "kept"}');
SELECT pg_temp.fails($$SELECT kg_delete_entities('node', '{free,along}')$$);
SELECT count(*) FROM kg_entity WHERE entity_id IN ('free', 'along', 'kept', 'keeper');

RESET ROLE;
SELECT count(*) AS pending FROM kg_pending_reference;
CALL test.drop('references');
