-- After an update of the extension, the columns of a table may have another order
-- than in a fresh installation. Triggers must find them by name.
BEGIN;
ALTER TABLE kg_entity DROP COLUMN version, DROP COLUMN created_at, DROP COLUMN updated_at;
ALTER TABLE kg_entity ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(), ADD COLUMN version bigint NOT NULL DEFAULT 1;
ALTER TABLE kg_edge DROP COLUMN properties;
ALTER TABLE kg_edge ADD COLUMN properties jsonb;
ALTER TABLE kg_pending_reference DROP COLUMN deleted, DROP COLUMN caller;
ALTER TABLE kg_pending_reference ADD COLUMN caller oid NOT NULL, ADD COLUMN deleted bigint[] NOT NULL;
CREATE ROLE column_writer;
SELECT kg_create_tenant('columns');
SELECT kg_grant('columns', 'column_writer', 'write');
GRANT SELECT, INSERT, UPDATE, DELETE ON kg_entity, kg_edge TO column_writer;
SET LOCAL ROLE column_writer;
SELECT kg_apply_bundle('{"bundle_name": "parts", "version": "1", "schemas": [
  {"entity_type": "part", "schema": {"type": "object", "x-id-field": "id", "properties": {
    "id": {"type": "string"}, "size": {"type": "integer", "x-index": true},
    "of": {"type": "string", "x-ref": "part"}}, "required": ["id"]}}],
  "relations": [{"name": "touches", "from": "part", "to": "part",
    "schema": {"type": "object", "properties": {"at": {"type": "integer"}}, "additionalProperties": false}}],
  "entities": [{"entity_type": "part", "items": [{"id": "a", "size": 3}, {"id": "b", "size": 5, "of": "a"}]}]}');
SAVEPOINT s;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('parts', 'part', '{"id": "c", "size": "none"}');
ROLLBACK TO s;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('parts', 'part', '{"id": "c", "size": 7}');
UPDATE kg_entity SET data = '{"id": "c", "size": 4}' WHERE entity_id = 'c';
SELECT entity_id, version, updated_at IS NOT NULL AS updated FROM kg_entity ORDER BY entity_id COLLATE "C";
SELECT kg_list('part', '{"filters": {"size": {"gt": 3}}, "sort": [{"field": "size"}]}') #> '{items}';
SELECT kg_put_edges('[{"relation": "touches", "from": "part:a", "to": "part:c", "properties": {"at": 1}}]');
SAVEPOINT s2;
UPDATE kg_edge SET properties = '{"at": "no"}' WHERE property IS NULL;
ROLLBACK TO s2;
SET CONSTRAINTS kg_references DEFERRED;
DELETE FROM kg_entity WHERE entity_id = 'a';
SET CONSTRAINTS kg_references IMMEDIATE;
ROLLBACK;
