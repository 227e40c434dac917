-- An item is not written after all, because a hidden entity has its id or a trigger
-- suppresses it. Items of the same call that refer to it get a verdict, too, and the
-- others are written.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('unwritten', 'unwritten_eve write');
RESET client_min_messages;
SET ROLE unwritten_eve;
SELECT kg_apply_bundle('{"bundle_name": "unwritten", "version": "1", "schemas": [{"entity_type": "doc", "schema": {"type": "object", "x-id-field": "id", "properties": {
  "id": {"type": "string"}, "state": {"type": "string"}, "up": {"type": "string", "x-ref": "doc"}, "code": {"type": "string", "x-index": true}, "by_code": {"type": "string", "x-ref": "doc", "x-ref-field": "code", "x-relation": "BY_CODE"}}}}],
  "entities": [{"entity_type": "doc", "items": [{"id": "hid", "state": "draft"}, {"id": "old"}]}]}') -> 'changed' AS changed;
RESET ROLE;
SELECT kg_add_policy('no_drafts', 'kg_entity', $$data ->> 'state' IS DISTINCT FROM 'draft'$$, roles => '{unwritten_eve}') IS NOT NULL AS added;
CREATE FUNCTION unwritten_told(reply jsonb) RETURNS TABLE (id text, verdict text, error text) LANGUAGE sql AS
  $$ SELECT i ->> 'id', i ->> 'verdict', concat_ws(' ', i #>> '{error,code}', i #>> '{error,path}') FROM jsonb_array_elements(reply -> 'items') WITH ORDINALITY u(i, n) ORDER BY n $$;
GRANT EXECUTE ON FUNCTION unwritten_told(jsonb) TO unwritten_eve;
SET ROLE unwritten_eve;
SELECT * FROM unwritten_told(kg_put_entities('doc', '[{"id": "hid"}, {"id": "kid", "up": "hid"}, {"id": "good1", "up": "old"}, {"id": "grandkid", "up": "kid"}, {"id": "good2", "up": "good1"}]', '{"dry_run": true}'));
SELECT * FROM unwritten_told(kg_put_entities('doc', '[{"id": "hid"}, {"id": "kid", "up": "hid"}, {"id": "good1", "up": "old"}, {"id": "grandkid", "up": "kid"}, {"id": "good2", "up": "good1"}]'));
-- by a value, and all or nothing
SELECT * FROM unwritten_told(kg_put_entities('doc', '[{"id": "hid", "code": "H"}, {"id": "kid", "by_code": "H"}, {"id": "good3"}]'));
DO $$ BEGIN PERFORM kg_put_entities('doc', '[{"id": "good4"}, {"id": "hid"}, {"id": "kid", "up": "hid"}]', '{"atomic": true}'); EXCEPTION WHEN OTHERS THEN RAISE INFO '% %', SQLSTATE, SQLERRM; END $$;
RESET ROLE;
-- Triggers: one that keeps items back, one that deletes them again, one that raises.
CREATE FUNCTION unwritten_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.entity_id = 'bad' THEN RAISE EXCEPTION 'not this one'; END IF;
  RETURN CASE WHEN NEW.data ->> 'id' NOT LIKE 'kept%' THEN NEW END;
END $$;
CREATE FUNCTION unwritten_after() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM kg_entity WHERE node = NEW.node;
  RETURN NULL;
END $$;
CREATE TRIGGER a_kept BEFORE INSERT OR UPDATE ON kg_entity FOR EACH ROW EXECUTE FUNCTION unwritten_before();
CREATE TRIGGER a_gone AFTER INSERT ON kg_entity FOR EACH ROW WHEN (new.entity_id = 'gone') EXECUTE FUNCTION unwritten_after();
SET ROLE unwritten_eve;
SELECT * FROM unwritten_told(kg_put_entities('doc', '[{"id": "kid", "up": "kept"}, {"id": "kept"}, {"id": "good5"}, {"id": "old", "up": "kept"}]'));
SELECT * FROM unwritten_told(kg_put_entities('doc', '[{"id": "kid", "up": "gone"}, {"id": "gone"}, {"id": "kept2"}, {"id": "kid2", "up": "kept2"}, {"id": "good6"}]'));
SELECT * FROM unwritten_told(kg_put_entities('doc', '[{"id": "kid", "up": "kept"}, {"id": "kept"}, {"id": "bad"}]'));
SELECT entity_id, version FROM kg_entity ORDER BY 1;
RESET ROLE;
SELECT kg_check('{"tenant": "unwritten"}') -> 'differences' AS differences;
DROP TRIGGER a_kept ON kg_entity;
DROP TRIGGER a_gone ON kg_entity;
SELECT FROM kg_drop_policy('no_drafts');
DROP FUNCTION unwritten_told(jsonb), unwritten_before(), unwritten_after();
CALL test.drop('unwritten');
