-- Triggers of the DBA on kg_entity. They write entities themselves, fail and are
-- caught, change the row, or act for another tenant; within plain statements,
-- kg_put_entities() and kg_apply_bundle().
\i test/data/prelude.sql
CALL test.tenant('own a', 'regress_own_a write');
CALL test.tenant('own b', 'regress_own_b write');
CREATE FUNCTION own_bundle(items jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT '{"bundle_name": "own", "version": "1", "schemas": [
    {"entity_type": "place", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "size": {"type": "integer", "minimum": 0, "x-index": true}, "within": {"type": "string", "x-ref": "place"}}}},
    {"entity_type": "log", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "place": {"type": "string", "x-ref": "place", "x-on-delete": "cascade"}}}}]}'
    || jsonb_build_object('entities', jsonb_build_array(jsonb_build_object('entity_type', 'place', 'items', items)))
$$;
CREATE VIEW own_edges AS SELECT d.tenant, s.entity_id AS source, t.entity_id AS target FROM kg_edge d
  LEFT JOIN kg_entity s ON s.tenant = d.tenant AND s.node = d.source LEFT JOIN kg_entity t ON t.tenant = d.tenant AND t.node = d.target
 ORDER BY d.tenant COLLATE "C", s.entity_id COLLATE "C", t.entity_id COLLATE "C";
GRANT SELECT ON own_edges TO regress_own_a;
SET ROLE regress_own_b;
SELECT kg_apply_bundle(own_bundle('[]')) ->> 'revision' AS revision;
SET ROLE regress_own_a;
SELECT kg_apply_bundle(own_bundle('[{"id": "root"}]')) ->> 'revision' AS revision;
RESET ROLE;

-- A trigger that writes with kg_put_entities.  Such functions say what their search_path is.
CREATE FUNCTION own_log() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
  IF NEW.entity_type = 'place' THEN
    PERFORM kg_put_entities('log', jsonb_build_array(jsonb_build_object('id', 'log-' || NEW.entity_id, 'place', NEW.entity_id)), '{"atomic": true}');
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER own AFTER INSERT ON kg_entity FOR EACH ROW EXECUTE FUNCTION own_log();
SET ROLE regress_own_a;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('own', 'place', '{"id": "a", "within": "b"}'), ('own', 'place', '{"id": "b"}');
SELECT kg_put_entities('place', '[{"id": "c", "within": "d"}, {"id": "d"}]') -> 'counts' AS put;
SELECT kg_apply_bundle(own_bundle('[{"id": "e", "within": "f"}, {"id": "f", "within": "a"}]'), '{"mode": "merge"}') -> 'entities' AS applied;
SELECT source, target FROM own_edges;
SELECT kg_delete_entities('place', '{c,d}') -> 'counts' AS deleted;
SELECT count(*) AS logs FROM kg_entity WHERE entity_type = 'log';
RESET ROLE;
DROP TRIGGER own ON kg_entity;

-- One that writes for another tenant, as its owner, from within an apply of the first.
ALTER FUNCTION own_log() OWNER TO regress_own_b;
ALTER FUNCTION own_log() SECURITY DEFINER;
CREATE TRIGGER own AFTER INSERT ON kg_entity FOR EACH ROW WHEN (NEW.tenant = 'own a') EXECUTE FUNCTION own_log();
SET ROLE regress_own_a;
SELECT test.fails($$SELECT kg_apply_bundle(own_bundle('[{"id": "g"}]'), '{"mode": "merge"}')$$);
SET ROLE regress_own_b;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('own', 'place', '{"id": "g"}');
SET ROLE regress_own_a;
SELECT kg_apply_bundle(own_bundle('[{"id": "g", "within": "root"}]'), '{"mode": "merge"}') -> 'entities' AS applied;
RESET ROLE;
SELECT * FROM own_edges WHERE source ~ 'g$';
DROP TRIGGER own ON kg_entity;

-- A trigger catches the errors of its statements. References that these statements
-- have left for a later check must be forgotten: the reference of a row that was
-- rolled back to a later row, and a deletion that did not happen.
CREATE FUNCTION own_try() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
  IF NEW.entity_id = 'first' THEN
    BEGIN
      INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('own', 'log', '{"id": "ghost", "place": "last"}');
      DELETE FROM kg_entity WHERE entity_id = 'b';
      RAISE division_by_zero;
    EXCEPTION WHEN division_by_zero THEN NULL;
    END;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER own AFTER INSERT ON kg_entity FOR EACH ROW EXECUTE FUNCTION own_try();
SET ROLE regress_own_a;
SELECT kg_apply_bundle(own_bundle(jsonb_build_array('{"id": "first", "within": "last"}'::jsonb) || (SELECT jsonb_agg(jsonb_build_object('id', 'n' || n)) FROM generate_series(1, 5000) n) || '[{"id": "last"}]'), '{"mode": "merge"}') -> 'entities' -> 'place' AS applied;
SELECT source, target FROM own_edges WHERE source IS NULL OR target IS NULL OR target IN ('b', 'last');
SELECT entity_id FROM kg_entity WHERE entity_id IN ('ghost', 'b', 'log-b', 'a', 'log-a') ORDER BY entity_id COLLATE "C";
RESET ROLE;
DROP TRIGGER own ON kg_entity;

-- Its errors are its own, a unique violation too.
CREATE FUNCTION own_raise() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE unique_violation USING MESSAGE = 'mine'; END $$;
CREATE TRIGGER own AFTER INSERT ON kg_entity FOR EACH ROW EXECUTE FUNCTION own_raise();
SET ROLE regress_own_a;
SELECT test.fails($$SELECT kg_apply_bundle(own_bundle('[{"id": "h"}]'), '{"mode": "merge"}')$$);
SELECT test.fails($$SELECT kg_put_entities('place', '[{"id": "h"}]')$$);
-- Nothing is left open by it.
SELECT test.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('own', 'place', '{"id": "i", "within": "nowhere"}')$$);
RESET ROLE;
DROP TRIGGER own ON kg_entity;
SET ROLE regress_own_a;
SELECT test.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('own', 'place', '{"id": "i", "within": "nowhere"}')$$);
RESET ROLE;

-- One that changes the row before ours, which come in the order of their names, is validated and taken account of.
CREATE FUNCTION own_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.data := NEW.data || '{"size": 5}'; IF NEW.data ->> 'id' = 'bad' THEN NEW.data := '{"id": "bad", "size": -5}'; END IF; RETURN NEW; END $$;
CREATE TRIGGER before_ours BEFORE INSERT OR UPDATE ON kg_entity FOR EACH ROW EXECUTE FUNCTION own_change();
SET ROLE regress_own_a;
SELECT kg_put_entities('place', '[{"id": "j", "size": 1}]') -> 'counts' AS put;
SELECT kg_list_ids('place', '{"filters": {"size": 5}}') -> 'ids' AS ids;
SELECT test.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('own', 'place', '{"id": "bad"}')$$);
RESET ROLE;
DROP TRIGGER before_ours ON kg_entity;

-- One that keeps rows from being written: verdicts are of what was stored, an apply is refused, and no reference is left dangling.
SET ROLE regress_own_a;
SELECT kg_put_entities('place', '[{"id": "k1"}, {"id": "k2"}]') -> 'counts' AS put;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('own', 'log', '{"id": "keep-log", "place": "k2"}');
RESET ROLE;
CREATE FUNCTION own_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF coalesce(NEW.entity_id, OLD.entity_id, NEW.data ->> 'id') ~ '^(keep|k1)' THEN RETURN NULL; END IF; RETURN coalesce(NEW, OLD); END $$;
CREATE TRIGGER own BEFORE INSERT OR UPDATE OR DELETE ON kg_entity FOR EACH ROW EXECUTE FUNCTION own_keep();
SET ROLE regress_own_a;
SELECT i ->> 'id' AS id, i ->> 'verdict' AS verdict, i #>> '{error,code}' AS code, i #>> '{error,message}' AS message
  FROM jsonb_array_elements(kg_put_entities('place', '[{"id": "keep"}, {"id": "k1", "size": 2}, {"id": "k2", "size": 2}, {"id": "k3"}]') -> 'items') i;
SELECT i ->> 'id' AS id, i ->> 'verdict' AS verdict, i #>> '{error,code}' AS code, i #>> '{error,message}' AS message FROM jsonb_array_elements(kg_delete_entities('place', '{k1,k3,nobody}') -> 'items') i;
SELECT test.fails($$SELECT kg_apply_bundle(own_bundle('[{"id": "k1", "size": 3}]'), '{"mode": "merge"}')$$);
SELECT test.fails($$SELECT kg_apply_bundle(own_bundle('[{"id": "keep"}]'), '{"mode": "merge"}')$$);
SELECT test.fails($$DELETE FROM kg_entity WHERE entity_id = 'k2'$$);
RESET ROLE;
DROP TRIGGER own ON kg_entity;
-- A rule is named.
CREATE RULE own AS ON DELETE TO kg_entity DO INSTEAD NOTHING;
SET ROLE regress_own_a;
SELECT test.fails($$SELECT kg_delete_entities('place', '{k1}')$$);
RESET ROLE;
DROP RULE own ON kg_entity;
DROP FUNCTION own_keep();
DROP VIEW own_edges;
DROP FUNCTION own_log(), own_try(), own_raise(), own_change(), own_bundle(jsonb);
CALL test.drop('own a', 'own b');
