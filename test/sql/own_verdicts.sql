-- Verdicts and counts describe what is stored at the end of the call, and a dry run
-- includes the checks at commit: triggers and constraints of the DBA.
\i test/data/prelude.sql
CALL test.tenant('verdict', 'verdict_writer write');
CREATE FUNCTION pg_temp.lines(result jsonb) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT concat_ws(' ', i ->> 'id', i ->> 'verdict', i #>> '{error,code}', i #>> '{error,path}', i #>> '{error,message}') FROM jsonb_array_elements(result -> 'items') WITH ORDINALITY x(i, n)
  UNION ALL SELECT (result -> 'counts')::text
$$;
CREATE FUNCTION pg_temp.says(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  d text;
  answer text;
BEGIN
  EXECUTE statement INTO answer;
  RETURN NEXT answer;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN NEXT SQLSTATE || ' ' || SQLERRM;
  RETURN QUERY SELECT '  ' || concat_ws(' ', e ->> 'code', e ->> 'path', e ->> 'message') FROM jsonb_array_elements(CASE WHEN d LIKE '{%' THEN d::jsonb -> 'errors' END) e;
END
$$;
-- What an apply says of place and NEAR, and the diff of a dry run.
CREATE FUNCTION verdict_bundle(items jsonb, edges jsonb DEFAULT '[]') RETURNS jsonb LANGUAGE sql AS $$
  SELECT '{"bundle_name": "own", "version": "1", "schemas": [{"entity_type": "place", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "n": {"type": "integer", "x-index": true}, "in": {"type": "string", "x-ref": "place"}}}}],
    "relations": [{"name": "NEAR", "from": "place", "to": "place", "schema": {"type": "object"}}]}' || jsonb_build_object('entities', jsonb_build_array(jsonb_build_object('entity_type', 'place', 'items', items)), 'edges', edges)
$$;
CREATE FUNCTION verdict_apply(items jsonb, options jsonb DEFAULT '{}', edges jsonb DEFAULT '[]') RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' ', r #>> '{entities,place}', r #>> '{relations,NEAR}', r #>> '{diff,entities}', r ->> 'errors') FROM kg_apply_bundle(verdict_bundle(items, edges), options) r
$$;
SET ROLE verdict_writer;
SELECT verdict_apply('[{"id": "a"}, {"id": "b"}, {"id": "c"}, {"id": "d"}]', '{}', '[{"relation": "NEAR", "from": "a", "to": "b"}, {"relation": "NEAR", "from": "b", "to": "c"}]');

-- Row triggers after ours, by the entity's n: what is gone again, what is put back, what is written once more, and one that another row's trigger takes along.
RESET ROLE;
CREATE FUNCTION verdict_own() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF pg_trigger_depth() > 1 THEN RETURN NULL; END IF;
  CASE coalesce(NEW.data, OLD.data) ->> 'n'
    WHEN '1' THEN DELETE FROM kg_entity WHERE node = NEW.node;
    WHEN '2' THEN IF TG_OP = 'UPDATE' THEN UPDATE kg_entity SET data = OLD.data WHERE node = OLD.node; END IF;
    WHEN '3' THEN UPDATE kg_entity SET data = data || '{"n": 33}' WHERE node = NEW.node;
    WHEN '4' THEN IF TG_OP = 'DELETE' THEN INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('own', 'place', OLD.data); END IF;
    WHEN '5' THEN UPDATE kg_entity SET data = data || '{"n": 55}' WHERE entity_id = 'd';
    WHEN '6' THEN DELETE FROM kg_entity WHERE entity_id = 'd';
    ELSE NULL;
  END CASE;
  RETURN NULL;
END
$$;
CREATE TRIGGER zz_own AFTER INSERT OR UPDATE OR DELETE ON kg_entity FOR EACH ROW EXECUTE FUNCTION verdict_own();
SET ROLE verdict_writer;
SELECT pg_temp.lines(kg_put_entities('place', '[{"id": "x", "n": 1}, {"id": "y", "n": 3}, {"id": "a", "n": 2}, {"id": "b", "n": 3}, {"id": "c"}]'));
SELECT pg_temp.lines(kg_put_entities('place', '[{"id": "z", "n": 5}, {"id": "d"}]'));
BEGIN; SELECT pg_temp.lines(kg_put_entities('place', '[{"id": "v", "n": 6}, {"id": "d", "n": 55}]')); ROLLBACK;
BEGIN; SELECT pg_temp.lines(kg_put_entities('place', '[{"id": "d", "n": 55}, {"id": "c", "n": 1}]')); ROLLBACK;
SELECT pg_temp.says($$SELECT kg_put_entities('place', '[{"id": "w"}, {"id": "a", "n": 2}, {"id": "x", "n": 1}]', '{"atomic": true}')$$);
SELECT string_agg(concat_ws(' ', entity_id, data ->> 'n'), ', ' ORDER BY entity_id COLLATE "C") AS stored FROM kg_entity;
-- put back when it is deleted
UPDATE kg_entity SET data = data || '{"n": 4}' WHERE entity_id IN ('y', 'z');
SELECT pg_temp.lines(kg_delete_entities('place', '{z,y,nobody,b}'));
SELECT pg_temp.says($$SELECT kg_delete_entities('place', '{z,y}', '{"atomic": true}')$$);
SELECT string_agg(concat_ws(' ', entity_id, data ->> 'n'), ', ' ORDER BY entity_id COLLATE "C") AS stored FROM kg_entity;
-- An apply counts the same, in a dry run and for good; what is kept from being as it says is a fault.
SELECT verdict_apply('[{"id": "a", "n": 3}, {"id": "b", "n": 5}, {"id": "d", "n": 55}, {"id": "e"}]', '{"dry_run": true}');
BEGIN; SELECT verdict_apply('[{"id": "a", "n": 3}, {"id": "b", "n": 5}, {"id": "d", "n": 55}, {"id": "e"}]'); ROLLBACK;
BEGIN; SELECT verdict_apply('[{"id": "b", "n": 5}, {"id": "d", "n": 54}]', '{"mode": "merge"}'); ROLLBACK;
-- In every isolation level, also where the snapshot was taken before.
BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM kg_entity; SELECT pg_temp.lines(kg_put_entities('place', '[{"id": "x", "n": 1}, {"id": "w", "n": 3}, {"id": "a", "n": 2}, {"id": "c", "n": 5}, {"id": "d", "n": 55}]')); SELECT pg_temp.lines(kg_delete_entities('place', '{z,a}')); ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT verdict_apply('[{"id": "b", "n": 5}, {"id": "d", "n": 54}]', '{"mode": "merge"}'); SELECT verdict_apply('[{"id": "a", "n": 3}, {"id": "e", "n": 4}]', '{"dry_run": true}'); COMMIT;
SELECT pg_temp.says($$SELECT verdict_apply('[{"id": "a", "n": 2}, {"id": "e", "n": 1}]', '{"mode": "merge"}')$$);
SELECT pg_temp.says($$SELECT verdict_apply('[{"id": "a", "n": 2}, {"id": "e", "n": 1}]', '{"mode": "merge", "dry_run": true}')$$);
SELECT string_agg(concat_ws(' ', entity_id, data ->> 'n'), ', ' ORDER BY entity_id COLLATE "C") AS stored FROM kg_entity;
RESET ROLE;
DROP TRIGGER zz_own ON kg_entity;

-- One that comes first and takes an item's id: that item's error, and of an atomic call the call's.
CREATE FUNCTION verdict_takes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF pg_trigger_depth() = 1 THEN INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('own', 'place', '{"id": "t", "n": 70}') ON CONFLICT DO NOTHING; END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER aa_takes BEFORE INSERT ON kg_entity FOR EACH ROW EXECUTE FUNCTION verdict_takes();
SET ROLE verdict_writer;
SELECT pg_temp.says($$SELECT kg_put_entities('place', '[{"id": "s"}, {"id": "t", "n": 7}]', '{"atomic": true}')$$);
BEGIN; SELECT pg_temp.lines(kg_put_entities('place', '[{"id": "s"}, {"id": "t", "n": 7}]')); SELECT data FROM kg_entity WHERE entity_id = 't'; ROLLBACK;
BEGIN; SELECT verdict_apply('[{"id": "s"}, {"id": "t", "n": 7}]', '{"mode": "merge"}'); SELECT data FROM kg_entity WHERE entity_id = 't'; ROLLBACK;
SELECT count(*) FROM kg_entity WHERE entity_id IN ('s', 't');
RESET ROLE;
DROP TRIGGER aa_takes ON kg_entity;

-- The same of edges, by their property: kept from being written, gone, put back, written once more.
CREATE FUNCTION verdict_edge() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_WHEN = 'BEFORE' THEN
    IF coalesce(NEW.properties, OLD.properties) ->> 'n' = '0' THEN RETURN NULL; END IF;
    RETURN coalesce(NEW, OLD);
  END IF;
  IF pg_trigger_depth() > 1 THEN RETURN NULL; END IF;
  CASE coalesce(NEW.properties, OLD.properties) ->> 'n'
    WHEN '1' THEN DELETE FROM kg_edge WHERE source = NEW.source AND target = NEW.target;
    WHEN '2' THEN IF TG_OP = 'UPDATE' THEN UPDATE kg_edge SET properties = OLD.properties WHERE source = OLD.source AND target = OLD.target; END IF;
    WHEN '3' THEN UPDATE kg_edge SET properties = '{"n": 33}' WHERE source = NEW.source AND target = NEW.target;
    WHEN '4' THEN IF TG_OP = 'DELETE' THEN INSERT INTO kg_edge SELECT OLD.*; END IF;
    ELSE NULL;
  END CASE;
  RETURN NULL;
END
$$;
CREATE TRIGGER before_own BEFORE INSERT OR UPDATE OR DELETE ON kg_edge FOR EACH ROW EXECUTE FUNCTION verdict_edge();
SET ROLE verdict_writer;
SELECT verdict_apply('[{"id": "a"}, {"id": "b"}, {"id": "c"}, {"id": "d"}]', '{}', '[{"relation": "NEAR", "from": "a", "to": "b"}, {"relation": "NEAR", "from": "b", "to": "c"}]');
SELECT pg_temp.lines(kg_put_edges('[{"relation": "NEAR", "from": "a", "to": "b", "properties": {"n": 0}}, {"relation": "NEAR", "from": "a", "to": "c", "properties": {"n": 0}}, {"relation": "NEAR", "from": "a", "to": "d", "properties": {"n": 7}}, {"relation": "NEAR", "from": "b", "to": "c"}]'));
SELECT pg_temp.says($$SELECT verdict_apply('[]', '{"mode": "merge"}', '[{"relation": "NEAR", "from": "a", "to": "b", "properties": {"n": 0}}, {"relation": "NEAR", "from": "c", "to": "d"}]')$$);
RESET ROLE;
CREATE TRIGGER zz_own AFTER INSERT OR UPDATE OR DELETE ON kg_edge FOR EACH ROW EXECUTE FUNCTION verdict_edge();
SET ROLE verdict_writer;
SELECT pg_temp.lines(kg_put_edges('[{"relation": "NEAR", "from": "a", "to": "b", "properties": {"n": 1}}, {"relation": "NEAR", "from": "a", "to": "c", "properties": {"n": 1}}, {"relation": "NEAR", "from": "a", "to": "d", "properties": {"n": 2}},
  {"relation": "NEAR", "from": "b", "to": "c"}, {"relation": "NEAR", "from": "c", "to": "d", "properties": {"n": 3}}, {"relation": "NEAR", "from": "d", "to": "a", "properties": {"n": 4}}, {"relation": "NEAR", "from": "d", "to": "b"}]'));
BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM kg_entity; SELECT pg_temp.lines(kg_put_edges('[{"relation": "NEAR", "from": "a", "to": "d", "properties": {"n": 2}}, {"relation": "NEAR", "from": "c", "to": "b", "properties": {"n": 3}}, {"relation": "NEAR", "from": "d", "to": "a", "properties": {"n": 7}}]')); ROLLBACK;
SELECT pg_temp.says($$SELECT verdict_apply('[]', '{"mode": "merge"}', '[{"relation": "NEAR", "from": "a", "to": "d", "properties": {"n": 2}}, {"relation": "NEAR", "from": "d", "to": "c"}]')$$);
SELECT verdict_apply('[]', '{"mode": "merge", "dry_run": true}', '[{"relation": "NEAR", "from": "c", "to": "a", "properties": {"n": 3}}, {"relation": "NEAR", "from": "c", "to": "d", "properties": {"n": 3}}, {"relation": "NEAR", "from": "d", "to": "b"}]');
SELECT pg_temp.lines(kg_delete_edges('[{"relation": "NEAR", "from": "d", "to": "a"}, {"relation": "NEAR", "from": "d", "to": "b"}, {"relation": "NEAR", "from": "d", "to": "c"}]'));
SELECT s.entity_id AS source, t.entity_id AS target, d.properties FROM kg_edge d JOIN kg_entity s ON s.node = d.source JOIN kg_entity t ON t.node = d.target ORDER BY s.entity_id COLLATE "C", t.entity_id COLLATE "C";
RESET ROLE;
DROP TRIGGER before_own ON kg_edge;
DROP TRIGGER zz_own ON kg_edge;

-- A trigger that writes other edges before it is their turn: no other session did.
CREATE FUNCTION verdict_ahead() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF pg_trigger_depth() = 1 THEN
    INSERT INTO kg_edge(tenant, source, relation_no, target, properties)
      SELECT NEW.tenant, NEW.source, NEW.relation_no, e.node, '{"n": 5}' FROM kg_entity e WHERE e.node <> NEW.target ON CONFLICT DO NOTHING;
  END IF;
  RETURN NEW;
END
$$;
BEGIN;
DELETE FROM kg_edge;
CREATE TRIGGER before_own BEFORE INSERT ON kg_edge FOR EACH ROW EXECUTE FUNCTION verdict_ahead();
SET ROLE verdict_writer;
SELECT pg_temp.lines(kg_put_edges('[{"relation": "NEAR", "from": "a", "to": "b", "properties": {"n": 6}}, {"relation": "NEAR", "from": "a", "to": "c", "properties": {"n": 6}}]'));
SELECT verdict_apply('[]', '{"mode": "merge"}', '[{"relation": "NEAR", "from": "b", "to": "c"}, {"relation": "NEAR", "from": "b", "to": "d"}]');
SELECT s.entity_id AS source, t.entity_id AS target, d.properties FROM kg_edge d JOIN kg_entity s ON s.node = d.source JOIN kg_entity t ON t.node = d.target ORDER BY s.entity_id COLLATE "C", t.entity_id COLLATE "C";
ROLLBACK;
RESET ROLE;

-- The same of entities, in the same statement or before it: they are as the payload says, whoever wrote them first.
CREATE FUNCTION verdict_first() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW.data ->> 'n' = '100' THEN
    INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'own', 'place', jsonb_build_object('id', NEW.data ->> 'id' || i, 'n', i) FROM generate_series(1, 3) i;
  END IF;
  RETURN NEW;
END
$$;
CREATE FUNCTION verdict_twice(items jsonb, others jsonb, options jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' ', r #>> '{entities,place}', r ->> 'changed', r #>> '{diff,entities}') FROM kg_apply_bundle(verdict_bundle('[]') || jsonb_build_object('entities', jsonb_build_array(
    jsonb_build_object('entity_type', 'place', 'items', items), jsonb_build_object('entity_type', 'place', 'items', others))), options) r
$$;
CREATE TRIGGER before_own BEFORE INSERT ON kg_entity FOR EACH ROW EXECUTE FUNCTION verdict_first();
SET ROLE verdict_writer;
BEGIN;
SELECT pg_temp.says($$SELECT verdict_apply('[{"id": "a"}, {"id": "p", "n": 100}, {"id": "p1", "n": 1}, {"id": "p2", "n": 7}, {"id": "q"}]', '{"dry_run": true}', '[{"relation": "NEAR", "from": "p2", "to": "q"}]')$$);
SELECT pg_temp.says($$SELECT verdict_apply('[{"id": "a"}, {"id": "p", "n": 100}, {"id": "p1", "n": 1}, {"id": "p2", "n": 7}, {"id": "q"}]', '{}', '[{"relation": "NEAR", "from": "p2", "to": "q"}]')$$);
SELECT string_agg(concat_ws(' ', entity_id, data ->> 'n'), ', ' ORDER BY entity_id COLLATE "C") AS stored FROM kg_entity;
SELECT s.entity_id AS source, t.entity_id AS target FROM kg_edge d JOIN kg_entity s ON s.node = d.source JOIN kg_entity t ON t.node = d.target;
SELECT verdict_apply('[{"id": "a"}, {"id": "p", "n": 100}, {"id": "p1", "n": 1}, {"id": "p2", "n": 7}, {"id": "q"}]', '{}', '[{"relation": "NEAR", "from": "p2", "to": "q"}]') AS again;
ROLLBACK;
RESET ROLE;
DROP TRIGGER before_own ON kg_entity;
CREATE TRIGGER zz_own AFTER INSERT ON kg_entity FOR EACH ROW EXECUTE FUNCTION verdict_first();
SET ROLE verdict_writer;
BEGIN;
SELECT pg_temp.says($$SELECT verdict_twice('[{"id": "p", "n": 100}]', '[{"id": "p1", "n": 1}, {"id": "p2", "n": 7}, {"id": "q"}]', '{"dry_run": true, "mode": "merge"}')$$);
SELECT pg_temp.says($$SELECT verdict_twice('[{"id": "p", "n": 100}]', '[{"id": "p1", "n": 1}, {"id": "p2", "n": 7}, {"id": "q"}]', '{"mode": "merge"}')$$);
SELECT string_agg(concat_ws(' ', entity_id, data ->> 'n'), ', ' ORDER BY entity_id COLLATE "C") AS stored FROM kg_entity;
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT pg_temp.says($$SELECT verdict_twice('[{"id": "p", "n": 100}]', '[{"id": "p1", "n": 1}, {"id": "p2", "n": 7}, {"id": "q"}]', '{"mode": "merge"}')$$);
ROLLBACK;
-- What such a trigger raises of itself is its own.
SELECT pg_temp.says($$SELECT verdict_apply('[{"id": "p", "n": 100}, {"id": "p2"}]', '{"mode": "merge"}')$$);
RESET ROLE;
DROP TRIGGER zz_own ON kg_entity;
DROP FUNCTION verdict_first(), verdict_twice(jsonb, jsonb, jsonb);

-- What waits for the commit: keys of tables of one's own, and constraint triggers.
CREATE TABLE verdict_note(tenant text DEFAULT 'verdict', node bigint, FOREIGN KEY (tenant, node) REFERENCES kg_entity (tenant, node) DEFERRABLE INITIALLY DEFERRED);
INSERT INTO verdict_note(node) SELECT node FROM kg_entity WHERE entity_id = 'd';
GRANT SELECT, INSERT, DELETE ON verdict_note TO verdict_writer;
SET ROLE verdict_writer;
SELECT pg_temp.says($$SELECT verdict_apply('[{"id": "a"}, {"id": "b"}, {"id": "c"}]', '{"dry_run": true}')$$);
SELECT pg_temp.says($$SELECT verdict_apply('[{"id": "a"}, {"id": "b"}, {"id": "d"}]', '{"dry_run": true}')$$);
SELECT verdict_apply('[{"id": "a"}, {"id": "b"}, {"id": "c"}]');
-- Within a transaction, in a loop whose errors are caught: nothing of the dry run is left, and the constraint waits as before.
DO $$
DECLARE
  items jsonb;
BEGIN
  DELETE FROM kg_entity WHERE entity_id = 'd';
  FOREACH items IN ARRAY ARRAY['[{"id": "a"}]', '[{"id": "a"}, {"id": "d"}]']::jsonb[] LOOP
    RAISE WARNING '%', verdict_apply(items, '{"dry_run": true}');
    BEGIN
      PERFORM verdict_apply(items);
      SET CONSTRAINTS ALL IMMEDIATE;
    EXCEPTION WHEN foreign_key_violation THEN
      RAISE WARNING 'caught';
    END;
  END LOOP;
  DELETE FROM verdict_note;
  RAISE WARNING '%', verdict_apply('[{"id": "a"}, {"id": "b"}, {"id": "c"}]', '{"dry_run": true}');
END
$$;
RESET ROLE;
CREATE FUNCTION verdict_late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.data ->> 'n' = '13' THEN RAISE check_violation USING MESSAGE = 'unlucky'; END IF; RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER late AFTER INSERT OR UPDATE ON kg_entity DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION verdict_late();
SET ROLE verdict_writer;
SELECT verdict_apply('[{"id": "a", "n": 13}]', '{"mode": "merge", "dry_run": true}');
BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT verdict_apply('[{"id": "a", "n": 13}]', '{"mode": "merge", "dry_run": true}'); COMMIT;
SELECT verdict_apply('[{"id": "a", "n": 13}]', '{"mode": "merge"}');
-- Our own constraint is no other: who deferred it is told what would be missing.
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
SELECT verdict_apply('[{"id": "a", "in": "later"}]', '{"mode": "merge", "dry_run": true}');
SELECT verdict_apply('[{"id": "a", "in": "later"}]', '{"mode": "merge"}');
SELECT verdict_apply('[{"id": "later"}]', '{"mode": "merge", "dry_run": true}');
SELECT verdict_apply('[{"id": "later"}]', '{"mode": "merge"}');
COMMIT;
-- What a trigger keeps from being deleted an apply that leaves it out does not pass over.
RESET ROLE;
DROP TRIGGER late ON kg_entity;
SET ROLE verdict_writer;
SELECT verdict_apply('[{"id": "k"}, {"id": "kept"}]');
RESET ROLE;
CREATE FUNCTION verdict_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER late BEFORE DELETE ON kg_entity FOR EACH ROW WHEN (OLD.entity_id = 'kept') EXECUTE FUNCTION verdict_keep();
SET ROLE verdict_writer;
SELECT verdict_apply('[{"id": "k"}]');
SELECT verdict_apply('[{"id": "k"}]', '{"dry_run": true}');
SELECT entity_id FROM kg_entity ORDER BY 1;
RESET ROLE;
DROP TABLE verdict_note;
DROP TRIGGER late ON kg_entity;
DROP FUNCTION verdict_keep(), verdict_own(), verdict_takes(), verdict_edge(), verdict_late(), verdict_apply(jsonb, jsonb, jsonb), verdict_bundle(jsonb, jsonb);
CALL test.drop('verdict');
