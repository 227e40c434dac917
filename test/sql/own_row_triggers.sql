-- Row triggers of the DBA that fire before keys, terms and edges are derived. They
-- change, delete, rename and restore the rows of the statement, and search for them.
-- At the end, the derived rows must be those that kg_rebuild() would derive.
\i test/data/prelude.sql
CALL test.tenant('rows', 'regress_rows admin');
SET ROLE regress_rows;
SELECT kg_apply_bundle('{"bundle_name": "rows", "version": "1", "schemas": [
  {"entity_type": "place", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-tool-expose": ["list", "list_ids", "get"], "properties": {"id": {"type": "string"}, "name": {"type": "string"},
    "size": {"type": "integer", "x-index": true}, "code": {"type": "string", "x-index": true}, "within": {"type": "string", "x-ref": "place"}, "near": {"type": "string", "x-ref": "place", "x-ref-field": "code"}}}},
  {"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list_ids"], "properties": {"id": {"type": "string"}, "about": {"type": "string", "x-ref": "place", "x-on-delete": "cascade"}}}}],
  "entities": [{"entity_type": "place", "items": [{"id": "root", "name": "root", "size": 0, "code": "R"}]}]}') ->> 'revision' AS revision;
RESET ROLE;
-- What is stored, and what of it is wrong.
CREATE FUNCTION rows_state() RETURNS TABLE (place text) LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT concat_ws(' ', entity_id, data ->> 'name', data ->> 'size', data ->> 'code', 'in ' || (data ->> 'within'), 'near ' || (data ->> 'near')) FROM kg_entity WHERE tenant = 'rows' AND entity_type = 'place' AND entity_id <> 'root' ORDER BY entity_id COLLATE "C" $$;
CREATE FUNCTION rows_derived() RETURNS TABLE (derived text) LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT format('key %s %s %s', field_no, entity_id, key) FROM kg_index_key WHERE tenant = 'rows' UNION ALL
  SELECT format('term %s %s %s', term, kind, node) FROM kg_term WHERE tenant = 'rows' UNION ALL
  SELECT format('unique %s %s %s', field, key, node) FROM kg_unique_key WHERE tenant = 'rows' UNION ALL
  SELECT format('edge %s %s %s', source, property, target) FROM kg_edge WHERE tenant = 'rows' UNION ALL
  SELECT format('entity %s %s', entity_id, index_keys) FROM kg_entity WHERE tenant = 'rows' $$;
CREATE FUNCTION rows_check() RETURNS TABLE (wrong text) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  before text[] := ARRAY(SELECT rows_derived());
BEGIN
  SET LOCAL ROLE regress_rows;
  PERFORM kg_rebuild();
  RESET ROLE;
  RETURN QUERY SELECT 'too many ' || u FROM (SELECT unnest(before) EXCEPT ALL SELECT rows_derived()) t(u) UNION ALL
    SELECT 'missing ' || u FROM (SELECT rows_derived() EXCEPT ALL SELECT unnest(before)) t(u);
END
$$;
CREATE FUNCTION rows_own() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  what text := coalesce(NEW.data, OLD.data) ->> 'name';
BEGIN
  IF pg_trigger_depth() > 3 OR TG_TABLE_NAME <> 'kg_entity' THEN RETURN NULL; END IF;
  IF what = 'grow' THEN
    UPDATE kg_entity SET data = data || jsonb_build_object('size', (data ->> 'size')::int + 1, 'code', 'C' || (data ->> 'size'), 'within', 'root') WHERE node = NEW.node;
  ELSIF what = 'restore' AND TG_OP = 'UPDATE' THEN
    UPDATE kg_entity SET data = OLD.data WHERE node = OLD.node AND data <> OLD.data;
  ELSIF what = 'gone' AND TG_OP <> 'DELETE' THEN
    DELETE FROM kg_entity WHERE node = NEW.node;
  ELSIF what = 'renamed' AND TG_OP <> 'DELETE' AND NEW.entity_id !~ '-r$' THEN
    UPDATE kg_entity SET data = data || jsonb_build_object('id', entity_id || '-r') WHERE node = NEW.node;
    INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('rows', 'place', NEW.data || '{"name": "instead", "code": "I", "near": "R"}');
  ELSIF what = 'back' AND TG_OP = 'DELETE' THEN
    INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('rows', 'place', OLD.data);
  ELSIF what = 'noted' AND TG_OP <> 'DELETE' THEN
    PERFORM kg_put_entities('note', jsonb_build_array(jsonb_build_object('id', 'n-' || NEW.entity_id, 'about', NEW.entity_id)));
    DELETE FROM kg_entity WHERE entity_id = 'n-' || NEW.entity_id AND NEW.data ->> 'size' = '9';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER a_own AFTER INSERT OR UPDATE OR DELETE ON kg_entity FOR EACH ROW EXECUTE FUNCTION rows_own();

SET ROLE regress_rows;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('rows', 'place', '{"id": "a", "name": "grow", "size": 1}'), ('rows', 'place', '{"id": "b", "name": "gone", "size": 1, "within": "root", "code": "B"}'),
  ('rows', 'place', '{"id": "c", "name": "renamed", "size": 1, "code": "C"}'), ('rows', 'place', '{"id": "d", "name": "back", "size": 1, "code": "D"}'), ('rows', 'place', '{"id": "e", "name": "restore", "size": 1, "code": "E"}'), ('rows', 'place', '{"id": "f", "name": "noted", "size": 1}');
RESET ROLE;
SELECT * FROM rows_state();
SELECT * FROM rows_check();
SET ROLE regress_rows;
UPDATE kg_entity SET data = data || '{"size": 9}' WHERE entity_type = 'place' AND entity_id <> 'root';
DELETE FROM kg_entity WHERE entity_id = 'd';
RESET ROLE;
SELECT * FROM rows_state();
SELECT * FROM rows_check();
-- By the functions, and by one statement that does several things.
SET ROLE regress_rows;
SELECT kg_put_entities('place', '[{"id": "g", "name": "grow", "size": 3}, {"id": "h", "name": "noted", "size": 3, "code": "H"}, {"id": "e", "name": "restore", "size": 5}]') -> 'counts' AS put;
SELECT kg_delete_entities('place', '{d}') IS NOT NULL AS tried;
SELECT kg_apply_bundle(jsonb_set(kg_export_bundle('rows'), '{entities}', '[{"entity_type": "place", "items": [{"id": "i", "name": "noted", "size": 3, "near": "H"}, {"id": "root", "name": "root", "size": 8, "code": "R"}]}]'), '{"mode": "merge"}') -> 'entities' -> 'place' AS applied;
MERGE INTO kg_entity e USING (VALUES ('a', 1), ('c', 2), ('d', 3), ('j', 4), ('k', 5)) v (id, n) ON e.tenant = 'rows' AND e.entity_type = 'place' AND e.entity_id = v.id
  WHEN MATCHED AND v.n = 3 THEN DELETE WHEN MATCHED THEN UPDATE SET data = e.data || jsonb_build_object('size', 20 + v.n)
  WHEN NOT MATCHED THEN INSERT (bundle, entity_type, data) VALUES ('rows', 'place', jsonb_build_object('id', v.id, 'name', CASE v.id WHEN 'j' THEN 'gone' ELSE 'grow' END, 'size', 7 * v.n));
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('rows', 'place', '{"id": "k", "name": "noted", "size": 9}'), ('rows', 'place', '{"id": "l", "name": "grow", "size": 50}')
  ON CONFLICT (tenant, bundle, entity_type, entity_id) DO UPDATE SET data = EXCLUDED.data;
RESET ROLE;
SELECT * FROM rows_state();
SELECT * FROM rows_check();
-- A reference to what the trigger deletes is no reference, also with its referrer in the same statement.
SET ROLE regress_rows;
SELECT test.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('rows', 'place', '{"id": "m", "name": "gone", "size": 1}'), ('rows', 'place', '{"id": "n", "within": "m"}')$$);
RESET ROLE;
-- Verdicts are of what is there at the end.
CREATE FUNCTION rows_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.data := OLD.data; RETURN NEW; END $$;
CREATE TRIGGER a_keep BEFORE UPDATE ON kg_entity FOR EACH ROW WHEN (OLD.data ->> 'name' = 'keep') EXECUTE FUNCTION rows_keep();
SET ROLE regress_rows;
SELECT i ->> 'id' AS id, i ->> 'verdict' AS verdict, i #>> '{error,message}' AS message
  FROM jsonb_array_elements(kg_put_entities('place', '[{"id": "m", "name": "gone", "size": 1}, {"id": "n", "name": "noted", "size": 9}, {"id": "keep", "name": "keep"}]') -> 'items') i;
SELECT i ->> 'id' AS id, i ->> 'verdict' AS verdict, i #>> '{error,message}' AS message
  FROM jsonb_array_elements(kg_put_entities('place', '[{"id": "keep", "name": "keep", "size": 2}, {"id": "n", "name": "noted", "size": 8}]') -> 'items') i;
SELECT test.fails($$SELECT kg_apply_bundle(jsonb_set(kg_export_bundle('rows'), '{entities}', '[{"entity_type": "place", "items": [{"id": "keep", "name": "keep", "size": 2}]}]'), '{"mode": "merge"}')$$);
RESET ROLE;
DROP TRIGGER a_keep ON kg_entity;
DROP TRIGGER a_own ON kg_entity;
-- A function that a statement calls for its rows.
CREATE FUNCTION rows_touch(id text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  UPDATE public.kg_entity SET data = data || '{"size": 70, "code": "T"}' WHERE entity_id = 'o1';
  DELETE FROM public.kg_entity WHERE entity_id = 'o2';
  RETURN id;
END
$$;
SET ROLE regress_rows;
INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'rows', 'place', jsonb_build_object('id', rows_touch('o' || i), 'size', 60, 'within', 'root', 'name', 'o') FROM generate_series(1, 3) i;
RESET ROLE;
SELECT * FROM rows_state() WHERE place ~ '^o';
SELECT * FROM rows_check();
-- kg_rebuild() and a change of the schema in the middle, and COPY.
CREATE FUNCTION rows_rebuild() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  SET LOCAL ROLE regress_rows;
  PERFORM kg_rebuild();
  UPDATE kg_entity SET data = data || '{"size": 81}' WHERE node = NEW.node AND data ->> 'size' = '80';
  RESET ROLE;
  RETURN NULL;
END
$$;
CREATE TRIGGER a_own AFTER INSERT ON kg_entity FOR EACH ROW EXECUTE FUNCTION rows_rebuild();
INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('rows', 'rows', 'place', '{"id": "p", "size": 80, "within": "root"}'), ('rows', 'rows', 'place', '{"id": "q", "size": 80, "within": "p"}');
COPY kg_entity(tenant, bundle, entity_type, data) FROM stdin;
rows	rows	place	{"id": "r", "size": 80, "within": "s"}
rows	rows	place	{"id": "s", "size": 80, "within": "q"}
\.
DROP TRIGGER a_own ON kg_entity;
SELECT * FROM rows_state() WHERE place ~ '^[p-s]';
SELECT * FROM rows_check();

-- Searches for rows of the running statement, by row triggers before and after and
-- by functions. They are refused while keys are missing. They are allowed for the
-- first row, for another type, and with the statement's own snapshot.
CREATE TABLE rows_seen (n int GENERATED ALWAYS AS IDENTITY, seen text);
GRANT ALL ON rows_seen TO regress_rows;
CREATE FUNCTION rows_look() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  query text;
BEGIN
  FOREACH query IN ARRAY ARRAY['SELECT kg_list_ids(''place'', ''{"filters": {"size": 90}}'') -> ''ids''', 'SELECT kg_list_ids(''place'', ''{"sort": [{"field": "size", "order": "desc"}], "limit": 1}'') -> ''ids''', 'SELECT kg_list_ids(''place'', ''{"search": "ninety"}'') -> ''ids''',
    'SELECT kg_search(''{"query": "ninety"}'') -> ''total''', 'SELECT kg_neighbors(''{"start_node": {"label": "place", "node_id": "s"}, "max_hops": 1}'') -> ''total''', 'SELECT kg_find_nodes(''{"node_label": "place", "filters": {"size": 90}}'') -> ''total''',
    'SELECT kg_list_ids(''note'', ''{"filters": {"id": "n-f"}}'') -> ''ids''', 'SELECT kg_get(''place'', ''t'') -> ''id''', 'SELECT kg_list_ids(''place'', ''{}'') -> ''total'''] LOOP
    DECLARE
      answer text;
    BEGIN
      EXECUTE query INTO answer;
      INSERT INTO rows_seen (seen) VALUES (format('%s %s: %s: %s', TG_NAME, NEW.data ->> 'id', query, answer));
    EXCEPTION WHEN insufficient_privilege THEN
      INSERT INTO rows_seen (seen) VALUES (format('%s %s: %s: %s', TG_NAME, NEW.data ->> 'id', query, SQLERRM));
    END;
  END LOOP;
  RETURN NEW;
END
$$;
CREATE TRIGGER before_row BEFORE INSERT ON kg_entity FOR EACH ROW WHEN (NEW.data ->> 'id' IN ('t', 'u')) EXECUTE FUNCTION rows_look();
CREATE TRIGGER after_row AFTER INSERT ON kg_entity FOR EACH ROW WHEN (NEW.data ->> 'id' = 't') EXECUTE FUNCTION rows_look();
SET ROLE regress_rows;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('rows', 'place', '{"id": "t", "name": "ninety", "size": 90, "within": "s"}'), ('rows', 'place', '{"id": "u", "size": 91}');
SELECT seen FROM rows_seen ORDER BY n;
RESET ROLE;
DROP TRIGGER before_row ON kg_entity;
DROP TRIGGER after_row ON kg_entity;
-- After our own, all is there.
CREATE FUNCTION rows_look_later() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO rows_seen (seen) SELECT kg_list_ids('place', '{"filters": {"size": {"gte": 90}}, "sort": [{"field": "size"}]}') ->> 'ids';
  RETURN NULL;
END
$$;
CREATE TRIGGER later AFTER INSERT OR UPDATE ON kg_entity FOR EACH STATEMENT EXECUTE FUNCTION rows_look_later();
SET ROLE regress_rows;
TRUNCATE rows_seen;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('rows', 'place', '{"id": "v", "size": 92}'), ('rows', 'place', '{"id": "w", "size": 93}');
UPDATE kg_entity SET data = data || '{"size": 94}' WHERE entity_id = 'v';
SELECT seen FROM rows_seen ORDER BY n;
RESET ROLE;
DROP TRIGGER later ON kg_entity;
SET ROLE regress_rows;
INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'rows', 'place', jsonb_build_object('id', 'x' || i, 'size', 100 + (kg_list_ids('place', '{"filters": {"size": {"gte": 100}}}') ->> 'total')::int) FROM generate_series(1, 2) i
  RETURNING data, kg_list_ids('place', '{"filters": {"size": 100}}') -> 'total' AS total, (SELECT kg_list_ids('place', '{"sort": [{"field": "size", "order": "desc"}], "limit": 1}') -> 'ids') AS largest;
SELECT kg_list_ids('place', '{"filters": {"size": 100}}') -> 'ids' AS ids;
-- Nothing is left of a statement that failed.
SELECT test.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('rows', 'place', '{"id": "y", "size": 1}'), ('rows', 'place', '{"id": "y", "size": "x"}')$$);
SELECT kg_list_ids('place', '{"filters": {"size": 100}}') -> 'ids' AS ids;
RESET ROLE;
SELECT * FROM rows_check();
DROP TABLE rows_seen;
DROP FUNCTION rows_keep(), rows_state(), rows_derived(), rows_check(), rows_own(), rows_touch(text), rows_rebuild(), rows_look(), rows_look_later();
CALL test.drop('rows');
