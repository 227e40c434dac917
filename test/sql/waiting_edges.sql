-- Derived rows that are written after the entities must not be read before: edges of
-- references that wait for their targets, history, and the words of the memory.
\i test/data/prelude.sql
CALL test.tenant('waiting', 'regress_waiting write');
CREATE FUNCTION waiting_says(statement text) RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  answer text;
BEGIN
  EXECUTE statement INTO answer;
  RETURN coalesce(answer, '-');
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
-- Who is next to the house h1, by three tools.
CREATE FUNCTION waiting_near() RETURNS text LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT concat_ws('; ',
    waiting_says($q$SELECT string_agg(n #>> '{}', ',') FROM jsonb_array_elements(kg_neighbors('{"start_node": {"label": "house", "node_id": "h1"}, "max_hops": 1, "ids_only": true}') -> 'nodes') n$q$),
    waiting_says($q$SELECT kg_get('house', 'h1') ->> 'people'$q$),
    waiting_says($q$SELECT kg_list_ids('person', '{"filters": {"home": "h1"}}') -> 'ids'$q$)) $$;
CREATE FUNCTION waiting_bundle(people jsonb, houses jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT '{"bundle_name": "waiting", "version": "1", "schemas": [
    {"entity_type": "person", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"}, "n": {"type": "integer"},
      "home": {"type": "string", "x-ref": "house", "x-on-delete": "set_null", "x-index": true}, "friend": {"type": "string", "x-ref": "person"}, "work": {"type": "string", "x-ref": "house"}}}},
    {"entity_type": "house", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "people": {"type": "integer", "x-derived": {"count": "HOME", "direction": "incoming"}}}}}]}'
  || jsonb_build_object('entities', jsonb_build_array(jsonb_build_object('entity_type', 'person', 'items', people), jsonb_build_object('entity_type', 'house', 'items', houses))) $$;
SET ROLE regress_waiting;
SELECT kg_apply_bundle(waiting_bundle('[]', '[{"id": "h0"}]')) ->> 'revision' AS revision;

-- Deferred to the commit: no edge before.
BEGIN;
SET CONSTRAINTS kg_references DEFERRED;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('waiting', 'person', '{"id": "ann", "home": "h1"}');
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('waiting', 'house', '{"id": "h1"}');
SELECT waiting_near();
SAVEPOINT a;
SET CONSTRAINTS kg_references IMMEDIATE;
SELECT waiting_near();
ROLLBACK TO a;
SELECT waiting_near();
DELETE FROM kg_entity WHERE entity_id = 'ann';
SET CONSTRAINTS kg_references IMMEDIATE;
SELECT waiting_near();
COMMIT;
SELECT waiting_near();
DELETE FROM kg_entity WHERE entity_id = 'h1';
-- and in the transaction after one that was rolled back
BEGIN;
SET CONSTRAINTS kg_references DEFERRED;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('waiting', 'person', '{"id": "ann", "home": "h1"}');
ROLLBACK;
SELECT waiting_near();

-- An apply that writes people before their houses. A trigger that reads after each
-- statement gets the stored rows, or an error because the result is not known yet.
RESET ROLE;
CREATE FUNCTION waiting_look() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  RAISE INFO '% % %: %', TG_TABLE_NAME, TG_OP, TG_LEVEL, waiting_near();
  RETURN NULL;
END
$$;
ALTER FUNCTION waiting_look() OWNER TO regress_waiting;
CREATE TRIGGER zz_look AFTER INSERT OR UPDATE OR DELETE ON kg_entity FOR EACH STATEMENT EXECUTE FUNCTION waiting_look();
SET ROLE regress_waiting;
SELECT kg_apply_bundle(waiting_bundle('[{"id": "ann", "home": "h1"}, {"id": "ben", "home": "h1", "friend": "ann"}]', '[{"id": "h1"}]'), '{"mode": "merge"}') -> 'entities';
RESET ROLE;
DROP TRIGGER zz_look ON kg_entity;
-- References of a house whose id is created again, and references of people to that
-- house. While their edges are written, a row trigger on kg_edge must find them.
CREATE TRIGGER zz_look AFTER INSERT OR DELETE ON kg_edge FOR EACH ROW EXECUTE FUNCTION waiting_look();
SET ROLE regress_waiting;
BEGIN;
SET CONSTRAINTS kg_references DEFERRED;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('waiting', 'person', '{"id": "cid", "home": "h1", "friend": "dan"}');
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('waiting', 'person', '{"id": "dan"}');
COMMIT;
RESET ROLE;
DROP TRIGGER zz_look ON kg_edge;
SET ROLE regress_waiting;
SELECT waiting_near();

-- So in an apply that changes a type, and in kg_rebuild(): nobody finds a part.
RESET ROLE;
CREATE FUNCTION waiting_names() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  RAISE INFO '% % %: %; %', TG_TABLE_NAME, TG_OP, TG_LEVEL, waiting_says($q$SELECT kg_list_ids('person', '{"filters": {"n": 7}, "sort": [{"field": "n"}]}') -> 'ids'$q$), waiting_says($q$SELECT kg_list_ids('house', '{"search": "h1"}') -> 'ids'$q$);
  RETURN NULL;
END
$$;
ALTER FUNCTION waiting_names() OWNER TO regress_waiting;
UPDATE kg_entity SET data = data || '{"n": 7}' WHERE entity_id = 'ann';
CREATE TRIGGER zz_look AFTER INSERT ON kg_entity FOR EACH STATEMENT EXECUTE FUNCTION waiting_names();
SET ROLE regress_waiting;
SELECT waiting_says($$SELECT kg_list_ids('person', '{"filters": {"n": 7}, "sort": [{"field": "n"}]}') -> 'ids'$$);
SELECT kg_apply_bundle(jsonb_set(waiting_bundle('[{"id": "ed", "n": 7}]', '[]'), '{schemas,0,schema,properties,n,x-index}', 'true'), '{"mode": "merge"}') #> '{entities,person}' AS person;
SELECT waiting_says($$SELECT kg_list_ids('person', '{"filters": {"n": 7}, "sort": [{"field": "n"}]}') -> 'ids'$$);
RESET ROLE;
DROP TRIGGER zz_look ON kg_entity;
SELECT FROM kg_grant('waiting', 'regress_waiting', 'admin');
CREATE TRIGGER zz_look AFTER DELETE ON kg_edge FOR EACH STATEMENT EXECUTE FUNCTION waiting_look();
CREATE TRIGGER zz_names AFTER DELETE ON kg_edge FOR EACH STATEMENT EXECUTE FUNCTION waiting_names();
SET ROLE regress_waiting;
SELECT kg_rebuild() -> 'edges' AS edges;
RESET ROLE;
DROP TRIGGER zz_look ON kg_edge;
DROP TRIGGER zz_names ON kg_edge;
SET ROLE regress_waiting;
SELECT waiting_near();
SELECT kg_apply_bundle(waiting_bundle('[]', '[]'), '{"mode": "merge"}') -> 'revision' IS NOT NULL AS applied;

-- A trigger catches an error during an apply and deletes a house while other
-- references still wait for their targets. The people of this house lose their
-- reference, as in any other case.
RESET ROLE;
CREATE FUNCTION waiting_take() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM waiting_says('SELECT 1 / 0');
  DELETE FROM kg_entity WHERE entity_id = 'h0';
  RETURN NULL;
END
$$;
CREATE TRIGGER zz_take AFTER INSERT ON kg_entity FOR EACH STATEMENT EXECUTE FUNCTION waiting_take();
SET ROLE regress_waiting;
SELECT kg_apply_bundle(waiting_bundle('[{"id": "eve", "home": "h0", "work": "h2", "friend": "ann"}]', '[{"id": "h2"}]'), '{"mode": "merge"}') -> 'entities';
RESET ROLE;
DROP TRIGGER zz_take ON kg_entity;
SELECT s.data, string_agg(t.entity_id, ',' ORDER BY t.entity_id) AS edges FROM kg_entity s JOIN kg_edge e ON e.source = s.node JOIN kg_entity t ON t.node = e.target WHERE s.entity_id = 'eve' GROUP BY s.data;

-- A trigger deletes an entity during a call that changes values to which x-ref-field
-- references refer. While the edges to this entity are deleted, the edges of the
-- reference still belong to the old value.
CREATE FUNCTION waiting_code() RETURNS text LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT waiting_says($q$SELECT coalesce(string_agg(n ->> 'id', ','), 'nobody') FROM jsonb_array_elements(kg_neighbors('{"start_node": {"label": "place", "node_id": "p"}, "max_hops": 1, "direction": "incoming", "relationship_types": ["CODE"]}') -> 'nodes') n WHERE n ->> 'id' LIKE 'v%'$q$) $$;
SET ROLE regress_waiting;
SELECT kg_apply_bundle('{"bundle_name": "codes", "version": "1", "schemas": [
  {"entity_type": "place", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "code": {"type": "string", "x-index": true}}}},
  {"entity_type": "tag", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}},
  {"entity_type": "visit", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "code": {"type": "string", "x-ref": "place", "x-ref-field": "code", "x-on-delete": "set_null"}, "at": {"type": "string", "x-ref": "place"}}}}],
  "relations": [{"name": "HAS", "from": "visit", "to": "tag"}],
  "entities": [{"entity_type": "place", "items": [{"id": "p", "code": "A"}]}, {"entity_type": "tag", "items": [{"id": "t"}]}, {"entity_type": "visit", "items": [{"id": "v", "code": "A"}]}],
  "edges": [{"relation": "HAS", "from": "visit:v", "to": "tag:t"}]}') -> 'revision' AS revision;
RESET ROLE;
CREATE FUNCTION waiting_untag() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM kg_delete_entities('tag', ARRAY['t']);
  RETURN NULL;
END
$$;
CREATE FUNCTION waiting_tell() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  RAISE INFO '% %: %', TG_WHEN, (SELECT data FROM kg_entity WHERE entity_id = 'p'), waiting_code();
  RETURN NULL;
END
$$;
ALTER FUNCTION waiting_tell() OWNER TO regress_waiting;
CREATE TRIGGER zz_untag AFTER UPDATE ON kg_entity FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION waiting_untag();
CREATE TRIGGER zz_before BEFORE DELETE ON kg_edge FOR EACH STATEMENT EXECUTE FUNCTION waiting_tell();
CREATE TRIGGER zz_tell AFTER DELETE ON kg_edge FOR EACH STATEMENT EXECUTE FUNCTION waiting_tell();
SET ROLE regress_waiting;
SELECT waiting_code();
SELECT kg_put_entities('place', '[{"id": "p", "code": "B"}, {"id": "q", "code": "A"}]') -> 'counts' AS counts;
SELECT waiting_code(), (SELECT data FROM kg_entity WHERE entity_id = 'v') AS visit;
RESET ROLE;
DROP TRIGGER zz_untag ON kg_entity;
DROP TRIGGER zz_before ON kg_edge;
DROP TRIGGER zz_tell ON kg_edge;
-- A value by which no reference leads there: edges are as they were.
CREATE TRIGGER zz_tell AFTER UPDATE ON kg_entity FOR EACH STATEMENT EXECUTE FUNCTION waiting_tell();
SET ROLE regress_waiting;
SELECT kg_put_entities('visit', '[{"id": "v", "code": "A", "at": "p"}]') -> 'counts' AS counts;
SELECT kg_put_entities('place', '[{"id": "p", "code": "C"}]') -> 'counts' AS counts;
SELECT kg_put_entities('place', '[{"id": "p", "code": "D"}, {"id": "q", "code": "E"}]', '{"atomic": false}') -> 'counts' AS counts;
RESET ROLE;
DROP TRIGGER zz_tell ON kg_entity;
DROP FUNCTION waiting_code(), waiting_untag(), waiting_tell();

-- History is written with the statement: not before.
CREATE FUNCTION waiting_history() RETURNS text LANGUAGE sql VOLATILE SET search_path FROM CURRENT AS $$
  SELECT waiting_says($q$SELECT kg_history('person', 'ann') #>> '{changes,0,version}'$q$) || '; ' || waiting_says($q$SELECT kg_call_tool('get_person', jsonb_build_object('id', 'ann', 'as_of', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))) #>> '{structuredContent,error,code}'$q$) $$;
CREATE FUNCTION waiting_row() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  RAISE INFO '% %: %', TG_NAME, TG_LEVEL, waiting_history();
  RETURN NULL;
END
$$;
CREATE TRIGGER zz_row AFTER UPDATE ON kg_entity FOR EACH ROW EXECUTE FUNCTION waiting_row();
CREATE TRIGGER zz_row_statement AFTER UPDATE ON kg_entity FOR EACH STATEMENT EXECUTE FUNCTION waiting_row();
SET ROLE regress_waiting;
UPDATE kg_entity SET data = data || '{"n": 1}' WHERE entity_id = 'ann' RETURNING version, waiting_history();
RESET ROLE;
DROP TRIGGER zz_row ON kg_entity;
DROP TRIGGER zz_row_statement ON kg_entity;
DROP FUNCTION waiting_says(text), waiting_near(), waiting_bundle(jsonb, jsonb), waiting_look(), waiting_names(), waiting_take(), waiting_history(), waiting_row();
SELECT kg_check('{"tenant": "waiting"}') - 'ms' AS checked;
CALL test.drop('waiting');
