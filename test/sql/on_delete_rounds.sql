-- x-on-delete in several rounds. All entities to delete are found before anything is
-- written, and are deleted by one statement. Other entities are written in their
-- current state, even if triggers have changed them meanwhile.
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

-- A statement writes a referrer of what it deletes, whichever comes first.
RESET ROLE;
CREATE FUNCTION test.written(pages jsonb, statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM public.kg_put_entities('page', pages, '{"atomic": true}');
  RETURN QUERY SELECT test.fails(statement);
  RETURN QUERY SELECT data::text FROM public.kg_entity ORDER BY entity_id COLLATE "C";
  DELETE FROM public.kg_entity;
END
$$;
SET ROLE regress_rounds;
\set pages '[{"id": "a"}, {"id": "b", "parent": "a"}, {"id": "z", "s1": "a", "s2": "b", "see": ["b", "z", "a"]}]'
\set merge 'MERGE INTO kg_entity USING (VALUES (''a'', NULL), (''z'', ''{"log": ["written"]}''::jsonb)) v(id, new) ON entity_id = id WHEN MATCHED AND new IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET data = data || new'
SELECT * FROM test.written(:'pages', :'merge');
SELECT * FROM test.written(:'pages', $$WITH d AS (DELETE FROM kg_entity WHERE entity_id = 'a' RETURNING 1)
  UPDATE kg_entity SET data = data || '{"log": ["written"]}' WHERE entity_id = 'z' AND (SELECT count(*) FROM d) = 1$$);
SELECT * FROM test.written(:'pages', $$WITH u AS (UPDATE kg_entity SET data = data || '{"log": ["written"]}' WHERE entity_id = 'z' RETURNING 1)
  DELETE FROM kg_entity WHERE entity_id = 'a' AND (SELECT count(*) FROM u) = 1$$);
SELECT * FROM test.written(:'pages', replace(:'merge', '["written"]', '["led elsewhere"], "s1": "z", "s2": null'));
SELECT * FROM test.written('[{"id": "a"}, {"id": "b", "parent": "a"}, {"id": "z", "parent": "b"}]', :'merge');
SELECT * FROM test.written('[{"id": "a"}, {"id": "b", "parent": "a"}, {"id": "z", "keep": "b"}]', :'merge');
-- A value that names nothing is not a reference to what goes.
\set pages '[{"id": "a"}, {"id": "y"}, {"id": "z", "s1": "a"}]'
SELECT * FROM test.written(:'pages', replace(:'merge', '"log": ["written"]', '"s1": "nosuch"'));
SELECT * FROM test.written(:'pages', replace(:'merge', '"log": ["written"]', '"s1": "a"'));
SELECT * FROM test.written('[{"id": "a"}, {"id": "z", "parent": "a"}]', replace(:'merge', '"log": ["written"]', '"parent": "nosuch"'));
SELECT * FROM test.written('[{"id": "a"}, {"id": "z", "see": ["a"]}]', replace(:'merge', '"log": ["written"]', '"see": ["nosuch", "a"]'));
SELECT * FROM test.written('[{"id": "a"}, {"id": "z"}, {"id": "x", "see": ["z", "a"]}]', replace(:'merge', '"log": ["written"]', '"id": "renamed"'));

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
DROP TRIGGER rounds_after ON kg_entity;
DROP TRIGGER rounds_before ON kg_entity;
-- What a trigger tries in the middle of a statement is refused to the trigger, which may catch it.
CREATE FUNCTION test.rounds_tries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.entity_id = 'y' AND NEW.data -> 'log' IS DISTINCT FROM OLD.data -> 'log' THEN
    UPDATE public.kg_entity SET data = data || jsonb_build_object('log', ARRAY(SELECT test.fails(NEW.data #>> '{log,0}'))) WHERE entity_id = 'x';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER rounds_after AFTER UPDATE ON kg_entity FOR EACH ROW EXECUTE FUNCTION test.rounds_tries();
CREATE TRIGGER rounds_before BEFORE UPDATE ON kg_entity FOR EACH ROW EXECUTE FUNCTION test.rounds_tries();
ALTER TABLE kg_entity DISABLE TRIGGER rounds_before;
CREATE FUNCTION test.rounds_all() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT tried FROM unnest(ARRAY[
    $q$DELETE FROM public.kg_entity WHERE entity_id = 'a'$q$,
    $q$DELETE FROM public.kg_entity WHERE entity_id = 'top'$q$,
    $q$DELETE FROM public.kg_entity WHERE entity_id IN ('a', 'z')$q$,
    $q$MERGE INTO public.kg_entity USING (VALUES ('a', NULL), ('b', '{"s1": "z"}'::jsonb)) v(id, new) ON entity_id = id WHEN MATCHED AND new IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET data = data || new$q$,
    $q$UPDATE public.kg_entity SET data = '{"id": "other"}' WHERE entity_id = 'a'$q$,
    $q$INSERT INTO public.kg_entity(bundle, entity_type, data) VALUES ('rounds', 'page', '{"id": "n", "parent": "nobody"}')$q$]) does,
    test.written('[{"id": "top"}, {"id": "a", "parent": "top"}, {"id": "b"}, {"id": "x"}, {"id": "y"}, {"id": "z", "keep": "a"}]',
      format('UPDATE kg_entity SET data = data || %L WHERE entity_id = %L', jsonb_build_object('log', ARRAY[does]), 'y')) tried
  WHERE tried LIKE '%"id": "x"%' OR tried LIKE '_____ %'
$$;
SET ROLE regress_rounds;
SELECT * FROM test.rounds_all();
RESET ROLE;
ALTER TABLE kg_entity ENABLE TRIGGER rounds_before;
ALTER TABLE kg_entity DISABLE TRIGGER rounds_after;
SET ROLE regress_rounds;
SELECT * FROM test.rounds_all();
RESET ROLE;
SELECT kg_check('{"tenant": "rounds"}') -> 'ok' AS ok;
DROP TRIGGER rounds_after ON kg_entity;
DROP TRIGGER rounds_before ON kg_entity;
DROP FUNCTION test.rounds_after(), test.rounds_before(), test.rounds_tries(), test.rounds_all(), test.written(jsonb, text);
CALL test.drop('rounds');
