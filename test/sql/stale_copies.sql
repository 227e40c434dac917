-- If triggers of the DBA write a row, the call does not overwrite it with what it
-- read before.
\i test/data/prelude.sql
CALL test.tenant('stale', 'regress_stale admin');
SET ROLE regress_stale;
SELECT kg_apply_bundle('{"bundle_name": "stale", "version": "1", "schemas": [{"entity_type": "item", "schema": {"type": "object", "x-id-field": "id", "x-history": true,
  "properties": {"id": {"type": "string"}, "n": {"type": "integer"}, "log": {"type": "string"}}}}]}') ->> 'changed' AS changed;
SELECT kg_put_entities('item', (SELECT jsonb_agg(jsonb_build_object('id', 'i' || lpad(i::text, 5, '0'))) FROM generate_series(1, 6000) i)) -> 'counts' AS counts;
RESET ROLE;
CREATE FUNCTION test.stale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE public.kg_entity SET data = data || '{"log": "told"}' WHERE tenant = 'stale' AND entity_id = TG_ARGV[0];
  RETURN NULL;
END
$$;
CREATE TRIGGER stale AFTER UPDATE ON kg_entity FOR EACH ROW WHEN (NEW.tenant = 'stale' AND NEW.entity_id = 'i00001') EXECUTE FUNCTION test.stale('i05999');
SET ROLE regress_stale;
-- In another batch than what fires the trigger.
SELECT kg_update_entities('item', (SELECT jsonb_agg(jsonb_build_object('id', 'i' || lpad(i::text, 5, '0'), 'set', '{"n": 1}'::jsonb)) FROM generate_series(1, 6000) i)) -> 'counts' AS counts;
SELECT data FROM kg_entity WHERE entity_id = 'i05999';
RESET ROLE;
DROP TRIGGER stale ON kg_entity;
CREATE TRIGGER stale AFTER DELETE ON kg_entity FOR EACH ROW WHEN (OLD.tenant = 'stale') EXECUTE FUNCTION test.stale('i00002');
SET ROLE regress_stale;
-- An undo that deletes one and changes another.
SELECT kg_put_entities('item', '[{"id": "new"}, {"id": "i00002", "n": 2}]') -> 'counts' AS counts;
SELECT kg_revert(to_jsonb(ARRAY(SELECT (kg_history('item', i) #>> '{changes,0,change}')::bigint FROM unnest('{new,i00002}'::text[]) i))) -> 'counts' AS counts;
SELECT entity_id, data FROM kg_entity WHERE entity_id IN ('new', 'i00002');
RESET ROLE;
DROP TRIGGER stale ON kg_entity;
DROP FUNCTION test.stale();
CALL test.drop('stale');
