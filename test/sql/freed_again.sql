-- An id that a trigger of the DBA's takes again while the statement that gave it up still runs.
SET client_min_messages = warning;
CREATE ROLE freed_eve;
RESET client_min_messages;
SELECT FROM kg_create_tenant('freed');
SELECT FROM kg_grant('freed', 'freed_eve', 'write');
CREATE FUNCTION freed_again() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES (old.tenant, old.bundle, old.entity_type, jsonb_build_object('id', TG_ARGV[0]))
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
SET ROLE freed_eve;
SELECT kg_apply_bundle('{"bundle_name": "freed", "version": "1", "schemas": [{"entity_type": "part", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {
  "id": {"type": "string"}, "n": {"type": "integer"}, "of": {"type": "string", "x-ref": "part", "x-on-delete": "cascade"}}}}],
  "entities": [{"entity_type": "part", "items": [{"id": "a"}, {"id": "b"}, {"id": "of-b", "of": "b"}, {"id": "c"}]}]}') -> 'changed';
UPDATE kg_entity SET data = data || '{"n": 1}';
RESET ROLE;
CREATE TRIGGER again_a AFTER DELETE ON kg_entity FOR EACH ROW WHEN (old.entity_id = 'a') EXECUTE FUNCTION freed_again('a');
-- When what refers to b goes, after b itself.
CREATE TRIGGER again_b AFTER DELETE ON kg_entity FOR EACH ROW WHEN (old.entity_id = 'of-b') EXECUTE FUNCTION freed_again('b');
SET ROLE freed_eve;
DELETE FROM kg_entity WHERE entity_id = 'a';
DELETE FROM kg_entity WHERE entity_id = 'b';
SELECT i ->> 'verdict' AS verdict FROM jsonb_array_elements(kg_delete_entities('part', '{a}') -> 'items') i;
DELETE FROM kg_entity WHERE entity_id = 'c';
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('freed', 'part', '{"id": "c"}');
SELECT entity_id, version FROM kg_entity ORDER BY 1;
SELECT entity_id, verdict, version FROM kg_history WHERE entity_id IN ('a', 'b') ORDER BY entity_id, change;
RESET ROLE;
SELECT kg_check('{"tenant": "freed"}') -> 'differences' AS differences;
DROP TRIGGER again_a ON kg_entity;
DROP TRIGGER again_b ON kg_entity;
DROP FUNCTION freed_again();
SELECT FROM kg_drop_tenant('freed');
DROP OWNED BY freed_eve;
DROP ROLE freed_eve;
