-- An undo neither deletes nor changes entities that it does not name. If such an
-- entity now refers to one that the undo would delete, it keeps its reference,
-- whatever x-on-delete says.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS kg_graph;
CREATE ROLE undo_admin;
SELECT kg_create_tenant('undo_referrers') AS tenant;
SELECT FROM kg_grant('undo_referrers', 'undo_admin', 'admin');
CREATE SCHEMA undo_referrers;
CREATE FUNCTION undo_referrers.said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer jsonb;
  detail text;
BEGIN
  EXECUTE 'SELECT ' || call INTO answer;
  RETURN (answer -> 'counts')::text;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ' ' || SQLERRM || coalesce(': ' || (SELECT string_agg(concat_ws(' ', e ->> 'path', e ->> 'entity_type', e ->> 'id', e ->> 'got', 'expected', e ->> 'expected'), '; ') FROM jsonb_array_elements(nullif(detail, '')::jsonb -> 'errors') e), '');
END
$$;
CREATE FUNCTION undo_referrers.stored() RETURNS TABLE (entity_type text, data jsonb) LANGUAGE sql AS
$$ SELECT entity_type, data FROM kg_entity ORDER BY entity_type COLLATE "C", entity_id COLLATE "C" $$;
GRANT USAGE ON SCHEMA undo_referrers TO undo_admin;
SET ROLE undo_admin;
SET search_path = public, undo_referrers;
SELECT kg_apply_bundle('{"bundle_name": "undo", "version": "1", "schemas": [
  {"entity_type": "box", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"}, "n": {"type": "integer"}, "holder": {"type": ["string", "null"], "x-ref": "item", "x-on-delete": "set_null"}}}},
  {"entity_type": "item", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"}, "box": {"type": "string", "x-ref": "box", "x-on-delete": "cascade"}}}},
  {"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "box": {"type": ["string", "null"], "x-ref": "box", "x-on-delete": "set_null"}, "item": {"type": "string", "x-ref": "item", "x-on-delete": "cascade"}}}}],
 "relations": [{"name": "NEEDS", "from": "item", "to": "box", "history": true}]}') ? 'revision' AS applied;
SELECT kg_put_entities('item', '[{"id": "i"}]') -> 'counts' AS put;
SELECT kg_put_entities('box', '[{"id": "a", "holder": "i"}, {"id": "b"}]') -> 'counts' AS put;
SELECT kg_put_edges('[{"relation": "NEEDS", "from": "i", "to": "b"}]') -> 'counts' AS put;
BEGIN;
SELECT kg_put_entities('box', '[{"id": "a", "holder": null}, {"id": "new"}]') -> 'counts' AS put;
SELECT kg_delete_edges('[{"relation": "NEEDS", "from": "i", "to": "b"}]') -> 'counts' AS deleted;
COMMIT;
SELECT to_jsonb(max(transaction)) AS t FROM kg_history \gset

-- What the undo gives back would have gone by the cascade, and the reply have told of it.
SELECT kg_put_entities('item', '[{"id": "i", "box": "new"}]') -> 'counts' AS put;
SELECT said(format('kg_revert(''{"transaction": %s}'')', :t));
SELECT said(format('kg_revert(''{"transaction": %s}'', ''{"dry_run": true}'')', :t));
SELECT * FROM stored();
-- Of a type without history, and by set_null.
SELECT kg_put_entities('item', '[{"id": "i"}]') -> 'counts' AS put;
SELECT kg_put_entities('note', '[{"id": "n", "box": "new"}]') -> 'counts' AS put;
SELECT said(format('kg_revert(''{"transaction": %s}'')', :t));
-- Where references may wait for the commit, this one may be put right until then.
BEGIN;
SET CONSTRAINTS kg_references DEFERRED;
SELECT kg_revert(jsonb_build_object('transaction', :t)) -> 'counts' AS undone;
SELECT * FROM stored() WHERE entity_type = 'note';
SELECT kg_put_entities('note', '[{"id": "n"}]') -> 'counts' AS put;
COMMIT;
SELECT * FROM stored();
SELECT count(*) AS edges FROM kg_edge WHERE property IS NULL;

-- Both of one undo go together; other deletions of the call are as ever.
SELECT kg_put_entities('box', '[{"id": "c"}]') -> 'counts' AS put;
SELECT kg_put_entities('item', '[{"id": "j", "box": "c"}]') -> 'counts' AS put;
SELECT said(format('kg_revert(%L)', (SELECT jsonb_agg(change) FROM kg_history WHERE entity_id IN ('c', 'j'))));
SELECT kg_put_entities('box', '[{"id": "c"}, {"id": "d"}]') -> 'counts' AS put;
SELECT kg_put_entities('item', '[{"id": "j", "box": "c"}, {"id": "k", "box": "d"}]') -> 'counts' AS put;
RESET ROLE;
CREATE FUNCTION undo_referrers.both() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM public.kg_delete_entities('box', ARRAY['d']);
  RETURN NULL;
END
$$;
CREATE TRIGGER undo_both AFTER DELETE ON kg_entity FOR EACH ROW WHEN (OLD.entity_id = 'c') EXECUTE FUNCTION undo_referrers.both();
SET ROLE undo_admin;
SELECT said(format('kg_revert(%L)', (SELECT jsonb_agg(change) FROM (SELECT max(change) AS change FROM kg_history WHERE entity_id IN ('c', 'j') GROUP BY entity_id) h)));
SELECT * FROM stored();
RESET ROLE;
DROP TRIGGER undo_both ON kg_entity;
-- In another call, an undo that was only tried, or rolled back, leaves its rule to what is deleted then.
CREATE FUNCTION undo_referrers.tried() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  created jsonb := (SELECT jsonb_agg(change) FROM (SELECT max(change) AS change FROM public.kg_history WHERE entity_id = 'm') h);
BEGIN
  PERFORM public.kg_revert(created, '{"dry_run": true}');
  BEGIN
    PERFORM public.kg_revert(created);
    RAISE 'taken back';
  EXCEPTION WHEN raise_exception THEN
  END;
  PERFORM public.kg_delete_entities('item', ARRAY['m']);
  RETURN NULL;
END
$$;
CREATE TRIGGER undo_tried AFTER INSERT ON kg_entity FOR EACH ROW WHEN (NEW.entity_id = 'last') EXECUTE FUNCTION undo_referrers.tried();
SET ROLE undo_admin;
SELECT kg_put_entities('item', '[{"id": "m"}]') -> 'counts' AS put;
SELECT kg_put_entities('note', '[{"id": "of m", "item": "m"}]') -> 'counts' AS put;
SELECT said('kg_put_entities(''box'', ''[{"id": "last"}]'')');
SELECT * FROM stored();
RESET ROLE;
DROP TRIGGER undo_tried ON kg_entity;
SELECT kg_drop_tenant('undo_referrers');
DROP SCHEMA undo_referrers CASCADE;
DROP ROLE undo_admin;
