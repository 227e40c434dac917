-- x-on-delete in several rounds: what goes along is found before anything is written, and goes in one statement; what
-- stays is written as it is then, whatever triggers have written meanwhile.
\i test/data/prelude.sql
CALL test.tenant('rounds', 'regress_rounds admin');
SET ROLE regress_rounds;
SELECT kg_apply_bundle('{"bundle_name": "rounds", "version": "1", "schemas": [
  {"entity_type": "page", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {
    "id": {"type": "string"}, "log": {"type": "array", "items": {"type": "string"}, "x-search": true},
    "parent": {"type": "string", "x-ref": "page", "x-on-delete": "cascade"},
    "keep": {"type": "string", "x-ref": "page", "x-on-delete": "restrict"},
    "s1": {"type": "string", "x-ref": "page", "x-on-delete": "set_null"},
    "s2": {"type": ["string", "null"], "x-ref": "page", "x-on-delete": "set_null"},
    "see": {"type": "array", "items": {"type": "string", "x-ref": "page", "x-on-delete": "set_null"}}}}}]}') ->> 'changed' AS changed;
CREATE FUNCTION pg_temp.deleted(pages jsonb, VARIADIC ids text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM public.kg_entity;
  PERFORM public.kg_put_entities('page', pages, '{"atomic": true}');
  BEGIN
    DELETE FROM public.kg_entity WHERE entity_id = ANY (ids);
  EXCEPTION WHEN OTHERS THEN
    RETURN NEXT SQLSTATE || ' ' || SQLERRM;
  END;
  RETURN QUERY SELECT data::text FROM public.kg_entity ORDER BY entity_id COLLATE "C";
  DELETE FROM public.kg_entity;
END
$$;
-- One entity goes, others with it, and one stays that refers to several of them.
SELECT * FROM pg_temp.deleted('[{"id": "a"}, {"id": "b", "parent": "a"}, {"id": "z", "see": ["a", "b"]}]', 'a');
SELECT * FROM pg_temp.deleted('[{"id": "a"}, {"id": "b", "parent": "a"}, {"id": "z", "s1": "a", "s2": "b"}]', 'a');
SELECT * FROM pg_temp.deleted('[{"id": "a"}, {"id": "b", "parent": "a"}, {"id": "c", "parent": "b"}, {"id": "z", "s1": "b", "s2": "c", "see": ["c", "z", "b"]}]', 'a');
SELECT * FROM pg_temp.deleted('[{"id": "a"}, {"id": "b", "parent": "a"}, {"id": "z", "s1": "a", "parent": "b"}]', 'a');
SELECT * FROM pg_temp.deleted('[{"id": "a"}, {"id": "b", "parent": "a"}, {"id": "z", "s1": "a", "keep": "b"}]', 'a');
-- What restricts goes along.
SELECT * FROM pg_temp.deleted('[{"id": "a"}, {"id": "b", "parent": "a"}, {"id": "c", "parent": "a", "keep": "b"}]', 'a');
SELECT * FROM pg_temp.deleted('[{"id": "a"}, {"id": "b", "parent": "a"}, {"id": "c", "parent": "b", "keep": "a"}]', 'a');
-- Circles.
SELECT * FROM pg_temp.deleted('[{"id": "a", "parent": "c"}, {"id": "b", "parent": "a"}, {"id": "c", "parent": "b", "see": ["c"]}, {"id": "z", "see": ["a", "b", "c", "z"]}]', 'b');
-- The history has one version of what stays.
SELECT kg_put_entities('page', '[{"id": "a"}, {"id": "b", "parent": "a"}, {"id": "z", "s1": "a", "s2": "b"}]') -> 'counts' AS counts;
DELETE FROM kg_entity WHERE entity_id = 'a';
SELECT jsonb_path_query(kg_history('page', 'z') -> 'changes', '$[0]') - '{at,by,change,transaction,version}'::text[] AS change;
-- By kg_delete_entities, and by a bundle that has it no longer.
SELECT kg_put_entities('page', '[{"id": "a"}, {"id": "b", "parent": "a"}, {"id": "z", "s1": "a", "s2": "b"}]') -> 'counts' AS counts;
SELECT kg_delete_entities('page', '{a}') -> 'counts' AS counts;
SELECT data FROM kg_entity;
DELETE FROM kg_entity;
-- What is named twice is told the same twice, if it stays; what goes along keeps nothing, unless that with which it would go is kept.
SELECT kg_put_entities('page', '[{"id": "a"}, {"id": "b", "keep": "a"}]') -> 'counts' AS counts;
SELECT i ->> 'verdict' AS verdict, i #>> '{error,path}' AS path FROM jsonb_array_elements(kg_delete_entities('page', '{a,b2,a}') -> 'items') i;
SELECT i ->> 'verdict' AS verdict FROM jsonb_array_elements(kg_delete_entities('page', '{b,a,b}') -> 'items') i;
SELECT kg_put_entities('page', '[{"id": "a"}, {"id": "b", "parent": "a"}, {"id": "c", "parent": "b", "keep": "a"}]') -> 'counts' AS counts;
SELECT kg_delete_entities('page', '{a}') -> 'counts' AS counts;
SELECT kg_put_entities('page', '[{"id": "a"}, {"id": "b", "parent": "a", "keep": "d"}, {"id": "c", "keep": "a"}, {"id": "d"}]') -> 'counts' AS counts;
SELECT i ->> 'verdict' AS verdict, i #>> '{error,path}' AS path FROM jsonb_array_elements(kg_delete_entities('page', '{a,d}') -> 'items') i;
DELETE FROM kg_entity;

-- A trigger writes what stays while others go.
RESET ROLE;
CREATE FUNCTION test.rounds_after() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  what text := current_setting('rounds.does', true);
BEGIN
  IF OLD.entity_id <> current_setting('rounds.at', true) OR OLD.tenant <> 'rounds' THEN
    RETURN NULL;
  END IF;
  CASE what
    WHEN 'logs' THEN UPDATE public.kg_entity SET data = data || '{"log": ["b is gone"]}' WHERE entity_id = 'z';
    WHEN 'leads on' THEN UPDATE public.kg_entity SET data = data || '{"see": ["y"]}' WHERE entity_id = 'z';
    WHEN 'leads elsewhere' THEN UPDATE public.kg_entity SET data = data || '{"log": ["b is gone"], "s2": "y"}' WHERE entity_id = 'z';
    WHEN 'deletes' THEN DELETE FROM public.kg_entity WHERE entity_id = 'y';
    WHEN 'deletes it' THEN DELETE FROM public.kg_entity WHERE entity_id = 'z';
    WHEN 'tries' THEN
      BEGIN
        DELETE FROM public.kg_entity WHERE entity_id = 'y';
        RAISE division_by_zero;
      EXCEPTION WHEN division_by_zero THEN
        UPDATE public.kg_entity SET data = data || '{"log": ["y is not"]}' WHERE entity_id = 'z';
      END;
    WHEN 'makes it refer' THEN UPDATE public.kg_entity SET data = data || '{"keep": "b"}' WHERE entity_id = 'z';
    WHEN 'makes it go' THEN UPDATE public.kg_entity SET data = data || '{"parent": "y"}' WHERE entity_id = 'z'; DELETE FROM public.kg_entity WHERE entity_id = 'y';
    WHEN 'inserts' THEN INSERT INTO public.kg_entity(bundle, entity_type, data) VALUES ('rounds', 'page', '{"id": "new", "see": ["b"]}');
    WHEN 'puts it back' THEN INSERT INTO public.kg_entity(bundle, entity_type, data) VALUES ('rounds', 'page', '{"id": "b"}');
    ELSE NULL;
  END CASE;
  RETURN NULL;
END
$$;
CREATE FUNCTION test.rounds_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.tenant = 'rounds' AND OLD.entity_id = 'b' AND current_setting('rounds.does', true) = 'keeps' THEN
    RETURN NULL;
  END IF;
  RETURN OLD;
END
$$;
CREATE TRIGGER rounds_after AFTER DELETE ON kg_entity FOR EACH ROW EXECUTE FUNCTION test.rounds_after();
CREATE TRIGGER rounds_before BEFORE DELETE ON kg_entity FOR EACH ROW EXECUTE FUNCTION test.rounds_before();
SET ROLE regress_rounds;
CREATE FUNCTION pg_temp.with_trigger(does text, at text, deferred boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM public.kg_entity;
  PERFORM public.kg_put_entities('page', '[{"id": "a"}, {"id": "b", "parent": "a"}, {"id": "y"}, {"id": "z", "s1": "a", "s2": "b", "see": ["y", "a"]}]', '{"atomic": true}');
  PERFORM set_config('rounds.does', does, false), set_config('rounds.at', at, false);
  BEGIN
    IF deferred THEN
      SET CONSTRAINTS public.kg_references DEFERRED;
    END IF;
    DELETE FROM public.kg_entity WHERE entity_id = 'a';
    SET CONSTRAINTS public.kg_references IMMEDIATE;
  EXCEPTION WHEN OTHERS THEN
    RETURN NEXT SQLSTATE || ' ' || SQLERRM;
  END;
  PERFORM set_config('rounds.does', '', false);
  RETURN QUERY SELECT data::text FROM public.kg_entity ORDER BY entity_id COLLATE "C";
  DELETE FROM public.kg_entity;
END
$$;
CREATE FUNCTION pg_temp.each_trigger(does text) RETURNS TABLE(at text, deferred boolean, told text) LANGUAGE sql AS $$
  SELECT a, d, t FROM unnest('{a,b}'::text[]) a, unnest('{f,t}'::boolean[]) d, LATERAL pg_temp.with_trigger(does, a, d) t
$$;
SELECT * FROM pg_temp.each_trigger('logs');
SELECT * FROM pg_temp.each_trigger('leads on');
SELECT * FROM pg_temp.each_trigger('leads elsewhere');
SELECT * FROM pg_temp.each_trigger('deletes');
SELECT * FROM pg_temp.each_trigger('deletes it');
SELECT * FROM pg_temp.each_trigger('tries');
SELECT * FROM pg_temp.each_trigger('makes it refer');
SELECT * FROM pg_temp.each_trigger('makes it go');
SELECT * FROM pg_temp.each_trigger('inserts');
SELECT * FROM pg_temp.each_trigger('puts it back');
SELECT * FROM pg_temp.with_trigger('keeps', 'b', false);
RESET ROLE;
SELECT kg_check('{"tenant": "rounds"}') -> 'ok' AS ok;
DROP TRIGGER rounds_after ON kg_entity;
DROP TRIGGER rounds_before ON kg_entity;
DROP FUNCTION test.rounds_after(), test.rounds_before();
CALL test.drop('rounds');
