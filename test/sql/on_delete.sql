-- x-on-delete if several properties of an entity refer to a deleted one, by one
-- relation or by several. The strictest rule decides for the entity: restrict before
-- cascade before set_null.
\i test/data/prelude.sql
CALL test.tenant('del', 'regress_del admin');
CREATE FUNCTION pg_temp.tries(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  EXECUTE statement;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
CREATE FUNCTION pg_temp.stored() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT entity_type || ' ' || data::text FROM public.kg_entity WHERE entity_type <> 'dd' ORDER BY 1
$$;
CREATE VIEW pg_temp.del_edges AS SELECT s.entity_id AS source, d.property, t.entity_id AS target FROM public.kg_edge d
  LEFT JOIN public.kg_entity s ON s.tenant = d.tenant AND s.node = d.source LEFT JOIN public.kg_entity t ON t.tenant = d.tenant AND t.node = d.target
 ORDER BY s.entity_id COLLATE "C", t.entity_id COLLATE "C", d.property COLLATE "C";
GRANT SELECT ON pg_temp.del_edges TO regress_del;
-- A type: two properties of one relation, or of two; by id, by another property, in an array.
CREATE FUNCTION pg_temp.two(name text, first text, second text, same_relation boolean DEFAULT true) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('entity_type', name, 'schema', jsonb_build_object('type', 'object', 'x-id-field', 'id', 'properties', jsonb_build_object(
    'id', '{"type": "string"}'::jsonb,
    'one', jsonb_build_object('type', 'string', 'x-ref', 'dd', 'x-relation', 'REL_' || name, 'x-on-delete', first),
    'two', jsonb_build_object('type', 'array', 'items', jsonb_build_object('type', 'string', 'x-ref', 'dd', 'x-ref-field', 'code', 'x-relation', 'REL_' || name || CASE WHEN same_relation THEN '' ELSE '_2' END, 'x-on-delete', second)))))
$$;
SET ROLE regress_del;
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'del', 'version', '1', 'schemas', jsonb_build_array(
  '{"entity_type": "dd", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "code": {"type": "string", "x-index": true}}}}'::jsonb,
  pg_temp.two('cr', 'cascade', 'restrict'), pg_temp.two('rc', 'restrict', 'cascade'), pg_temp.two('nr', 'set_null', 'restrict'),
  pg_temp.two('cn', 'cascade', 'set_null'), pg_temp.two('nc', 'set_null', 'cascade'), pg_temp.two('nn', 'set_null', 'set_null'),
  pg_temp.two('cr2', 'cascade', 'restrict', false), pg_temp.two('rn2', 'restrict', 'set_null', false), pg_temp.two('cn2', 'cascade', 'set_null', false)),
  'entities', '[]'::jsonb)) ? 'revision' AS applied;
CREATE FUNCTION pg_temp.fill() RETURNS void LANGUAGE sql AS $$
  DELETE FROM public.kg_entity WHERE entity_type <> 'dd'; DELETE FROM public.kg_entity;
  INSERT INTO public.kg_entity(bundle, entity_type, data) VALUES ('del', 'dd', '{"id": "x", "code": "X"}'), ('del', 'dd', '{"id": "y", "code": "Y"}'), ('del', 'dd', '{"id": "z", "code": "Z"}')
$$;
CREATE FUNCTION pg_temp.each_type(document jsonb, statement text) RETURNS TABLE (type text, said text, stored text) LANGUAGE plpgsql AS $$
BEGIN
  FOREACH type IN ARRAY '{cr,rc,nr,cn,nc,nn,cr2,rn2,cn2}'::text[] LOOP
    PERFORM pg_temp.fill();
    INSERT INTO public.kg_entity(bundle, entity_type, data) VALUES ('del', type, document);
    PERFORM set_config('del.said', '', false);
    said := pg_temp.tries(statement) || ' ' || current_setting('del.said');
    stored := (SELECT string_agg(s, '; ') FROM pg_temp.stored() s);
    RETURN NEXT;
  END LOOP;
END
$$;
-- Both name x; x and y go in one statement; x goes and y stays.
SELECT * FROM pg_temp.each_type('{"id": "r", "one": "x", "two": ["X", "Z"]}', $$DELETE FROM public.kg_entity WHERE entity_id = 'x'$$);
SELECT * FROM pg_temp.each_type('{"id": "r", "one": "x", "two": ["Y"]}', $$DELETE FROM public.kg_entity WHERE entity_id IN ('x', 'y')$$);
SELECT * FROM pg_temp.each_type('{"id": "r", "one": "x", "two": ["Y"]}', $$DELETE FROM public.kg_entity WHERE entity_id = 'x'$$);
-- The same by kg_delete_entities, whose verdicts say so beforehand, and for what goes together.
SELECT * FROM pg_temp.each_type('{"id": "r", "one": "x", "two": ["X", "Z"]}', $$SELECT CASE WHEN r #>> '{items,0,verdict}' = 'error' THEN set_config('del.said', r #>> '{items,0,error,message}', false) END FROM kg_delete_entities('dd', '{x}') r$$);
SELECT * FROM pg_temp.each_type('{"id": "r", "one": "x", "two": ["X"]}', $$DELETE FROM public.kg_entity WHERE entity_id IN ('x', 'r')$$);
SELECT pg_temp.fill();
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('del', 'cr', '{"id": "r", "one": "x", "two": ["X"]}'), ('del', 'cr', '{"id": "s", "one": "y"}');
SELECT jsonb_path_query_array(kg_delete_entities('dd', '{x,y,z}'), '$.items[*].verdict') AS verdicts;
SELECT jsonb_path_query_array(kg_delete_entities('cr', '{r}'), '$.items[*].verdict') AS verdicts;

-- Which property an edge names does not depend on the order of writing, and a rebuild changes nothing.
SELECT pg_temp.fill();
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('del', 'cr', '{"id": "a", "one": "x", "two": ["X"]}'), ('del', 'cr', '{"id": "b", "two": ["X"]}'), ('del', 'cr', '{"id": "c", "one": "x"}');
UPDATE kg_entity SET data = data || '{"one": "x"}' WHERE entity_id = 'b';
UPDATE kg_entity SET data = data || '{"two": ["X", "Y"]}' WHERE entity_id = 'c';
-- Missing at first, in one transaction: the other property's reference comes later.
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('del', 'cr', '{"id": "d", "one": "new", "two": ["New", "X"]}');
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('del', 'dd', '{"id": "new", "code": "New"}');
COMMIT;
SELECT * FROM pg_temp.del_edges;
CREATE TEMP TABLE before AS SELECT * FROM kg_edge;
SELECT kg_rebuild() ? 'edges' AS rebuilt;
SELECT (SELECT count(*) FROM (TABLE before EXCEPT TABLE kg_edge) x) AS gone, (SELECT count(*) FROM (TABLE kg_edge EXCEPT TABLE before) x) AS come;

RESET ROLE;
CALL test.drop('del');
