-- A trigger of the DBA uses an id again while the statement that has freed it still
-- runs.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('freed', 'freed_eve write');
RESET client_min_messages;
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

-- One statement gives an id up and takes it, or one in the middle of it does: whichever ends first, row and history go on above.
CREATE FUNCTION freed_told(of text) RETURNS TABLE (verdict text, version bigint, n jsonb) LANGUAGE sql SET search_path FROM CURRENT AS
  $$ SELECT h.verdict, h.version, h.after -> 'n' FROM kg_history h WHERE h.tenant = 'freed' AND h.entity_id = of ORDER BY h.version, h.change $$;
CREATE FUNCTION freed_inner() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  EXECUTE TG_ARGV[0] USING NEW.node;
  RETURN NULL;
END $$;
CREATE FUNCTION freed_call(statements text[]) RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  s text;
BEGIN
  FOREACH s IN ARRAY statements LOOP EXECUTE s; END LOOP;
  RETURN 'done';
END $$;
GRANT EXECUTE ON FUNCTION freed_call(text[]) TO freed_eve;
SET ROLE freed_eve;
INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'freed', 'part', jsonb_build_object('id', id, 'n', 1) FROM unnest('{e,f,g,h,i,j}'::text[]) id;
UPDATE kg_entity SET data = data || '{"n": 2}' WHERE entity_id BETWEEN 'e' AND 'j';
SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS t \gset
-- the DELETE ends last
WITH d AS (DELETE FROM kg_entity WHERE entity_id IN ('e', 'f') RETURNING bundle, entity_type, data)
INSERT INTO kg_entity(bundle, entity_type, data) SELECT bundle, entity_type, data || '{"id": "e", "n": 9}' FROM d LIMIT 1;
SELECT entity_id, version FROM kg_entity WHERE entity_id IN ('e', 'f');
-- the INSERT does, and a trigger has written in the middle
RESET ROLE;
CREATE TRIGGER bump AFTER INSERT ON kg_entity FOR EACH ROW WHEN (new.entity_id = 'g')
  EXECUTE FUNCTION freed_inner($q$UPDATE kg_entity SET data = data || '{"n": 7}' WHERE tenant = 'freed' AND entity_id = 'e' AND $1 > 0$q$);
SET ROLE freed_eve;
WITH d AS (DELETE FROM kg_entity WHERE entity_id = 'g' RETURNING data) INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'freed', 'part', data || '{"n": 9}' FROM d;
SELECT * FROM freed_told('g');
-- it is made and deleted again, by a function in RETURNING, before the statement that gave it up ends
DELETE FROM kg_entity WHERE entity_id = 'h'
  RETURNING freed_call(ARRAY[$q$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('freed', 'part', '{"id": "h", "n": 9}')$q$, $q$DELETE FROM kg_entity WHERE entity_id = 'h'$q$]);
SELECT * FROM freed_told('h');
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('freed', 'part', '{"id": "h"}') RETURNING version;
-- an entity gets it by an update, and a trigger deletes that one
RESET ROLE;
CREATE TRIGGER gone AFTER UPDATE ON kg_entity FOR EACH ROW WHEN (new.entity_id = 'h' AND old.entity_id <> 'h') EXECUTE FUNCTION freed_inner('DELETE FROM kg_entity WHERE node = $1');
SET ROLE freed_eve;
DELETE FROM kg_entity WHERE entity_id = 'h';
UPDATE kg_entity SET data = data || '{"id": "h"}' WHERE entity_id = 'i';
SELECT * FROM freed_told('h');
-- MERGE, and an update that gives the id up
MERGE INTO kg_entity e USING (VALUES ('j', 'j'), ('x', 'j')) v(id, new) ON e.entity_id = v.id WHEN MATCHED THEN UPDATE SET data = e.data || '{"id": "k"}'
  WHEN NOT MATCHED THEN INSERT (tenant, bundle, entity_type, data) VALUES ('freed', 'freed', 'part', jsonb_build_object('id', v.new));
SELECT entity_id, version FROM kg_entity WHERE entity_id IN ('j', 'k') ORDER BY 1;
-- what was before the statement, and a version that was read before fits nothing
SELECT i -> 'id' AS id, i -> 'data' -> 'n' AS n FROM jsonb_array_elements(kg_list('part', jsonb_build_object('as_of', :'t'::text)) -> 'items') i WHERE i ->> 'id' BETWEEN 'e' AND 'j' ORDER BY 1;
SELECT kg_update_entities('part', '[{"id": "e", "set": {"n": 4}, "expected_version": 2}]') #>> '{items,0,error,code}' AS error;
RESET ROLE;
SELECT kg_check('{"tenant": "freed"}') -> 'differences' AS differences;
DROP TRIGGER bump ON kg_entity;
DROP TRIGGER gone ON kg_entity;
DROP FUNCTION freed_told(text), freed_call(text[]);

-- What is made again in the middle of its deletion has no edges while they are renewed: who asks a trigger of edges is told so, not that there is none.
CREATE FUNCTION freed_look() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT SECURITY DEFINER AS $$
BEGIN
  RAISE INFO '% of q', kg_neighbors('{"start_node": {"label": "part", "node_id": "q"}, "max_hops": 1}') ->> 'total';
  RETURN NULL;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE INFO '%', SQLERRM;
  RETURN NULL;
END $$;
ALTER FUNCTION freed_look() OWNER TO freed_eve;
CREATE TRIGGER look AFTER DELETE ON kg_edge FOR EACH ROW EXECUTE FUNCTION freed_look();
CREATE TRIGGER again AFTER DELETE ON kg_entity FOR EACH ROW WHEN (old.entity_id = 'p')
  EXECUTE FUNCTION freed_inner($q$INSERT INTO kg_entity(tenant, bundle, entity_type, data) SELECT 'freed', 'freed', 'part', '{"id": "p", "of": "q"}' WHERE $1 IS NULL$q$);
SET ROLE freed_eve;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('freed', 'part', '{"id": "q"}'), ('freed', 'part', '{"id": "p", "of": "q"}');
DELETE FROM kg_entity WHERE entity_id = 'p';
SELECT kg_neighbors('{"start_node": {"label": "part", "node_id": "q"}, "max_hops": 1}') ->> 'total' AS total;
RESET ROLE;
SELECT kg_check('{"tenant": "freed"}') -> 'differences' AS differences;
DROP TRIGGER look ON kg_edge;
DROP TRIGGER again ON kg_entity;
DROP FUNCTION freed_look(), freed_inner();
CALL test.drop('freed');
