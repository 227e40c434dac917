-- Row triggers of the DBA that fire after those of the extension, and row triggers
-- on kg_edge. The stored rows must be as the extension makes them, or the statement
-- is refused. Counts of references in such triggers must be right or refused.
\i test/data/prelude.sql
CREATE ROLE columns_writer;
CREATE ROLE columns_loader BYPASSRLS;
CALL test.tenant('columns');
CALL test.tenant('columns too');
SELECT kg_grant('columns', r, 'write') FROM unnest('{columns_writer,columns_loader}'::text[]) r;
SET ROLE columns_writer;
SELECT kg_apply_bundle('{"bundle_name": "cols", "version": "1", "schemas": [
  {"entity_type": "page", "schema": {"type": "object", "x-id-field": "id", "x-scope-field": "path", "x-label-field": "name", "properties": {"id": {"type": "string"}, "path": {"type": "string"}, "name": {"type": "string"}, "n": {"type": "integer", "minimum": 0, "x-index": true},
    "note": {"type": "string"}, "up": {"type": "string", "x-ref": "page", "x-relation": "UP", "x-on-delete": "set_null"}, "below": {"type": "integer", "x-derived": {"count": "UP", "direction": "incoming"}}}}},
  {"entity_type": "other", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "relations": [{"name": "SEES", "from": "page", "to": "page"}],
  "entities": [{"entity_type": "page", "items": [{"id": "a", "path": "1/", "n": 1}, {"id": "b", "path": "1/", "n": 2, "up": "a"}]}],
  "edges": [{"relation": "SEES", "from": "b", "to": "a"}]}') -> 'entities';
RESET ROLE;
CREATE FUNCTION columns_says(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  d text;
BEGIN
  EXECUTE statement;
  RETURN 'done';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' ', SQLSTATE, CASE WHEN d ~ '^{' THEN d::jsonb ->> 'path' END, SQLERRM);
END
$$;
-- What the trigger does is the setting's.
CREATE FUNCTION columns_own() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE current_setting('columns.what', true)
    WHEN 'tenant' THEN NEW.tenant := 'columns too';
    WHEN 'bundle' THEN NEW.bundle := 'nothing';
    WHEN 'type' THEN NEW.entity_type := 'other';
    WHEN 'entity_id' THEN NEW.entity_id := 'somebody';
    WHEN 'node' THEN NEW.node := current_setting('columns.node')::bigint;
    WHEN 'far node' THEN NEW.node := 9000000000;
    WHEN 'type_no' THEN NEW.type_no := NEW.type_no + 1;
    WHEN 'scope' THEN NEW.scope := '2/';
    WHEN 'no scope' THEN NEW.scope := NULL;
    WHEN 'version' THEN NEW.version := 77;
    WHEN 'updated_at' THEN NEW.updated_at := '2001-01-01';
    WHEN 'index_keys' THEN NEW.index_keys := '';
    WHEN 'invalid' THEN NEW.data := NEW.data || '{"n": -1}';
    WHEN 'indexed' THEN NEW.data := NEW.data || '{"n": 100}';
    WHEN 'path' THEN NEW.data := NEW.data || '{"path": "2/"}';
    WHEN 'id' THEN NEW.data := NEW.data || '{"id": "other"}';
    WHEN 'both' THEN NEW.data := NEW.data || '{"id": "other"}'; NEW.entity_id := 'other';
    WHEN 'derived' THEN NEW.data := NEW.data || '{"below": 7}';
    WHEN 'note' THEN NEW.data := NEW.data || '{"note": "mine"}';
    WHEN 'reference' THEN NEW.data := NEW.data || '{"up": "b"}';
    WHEN 'missing' THEN NEW.data := NEW.data || '{"up": "nobody"}';
    ELSE NULL;
  END CASE;
  RETURN NEW;
END
$$;
SELECT set_config('columns.node', node::text, false) IS NOT NULL AS set FROM kg_entity WHERE tenant = 'columns' AND entity_id = 'a';
CREATE TRIGGER zz_own BEFORE INSERT OR UPDATE ON kg_entity FOR EACH ROW EXECUTE FUNCTION columns_own();
CREATE FUNCTION columns_try(statement text, role text) RETURNS TABLE (what text, answer text) LANGUAGE plpgsql AS $$
BEGIN
  FOREACH what IN ARRAY '{nothing,note,reference,tenant,bundle,type,entity_id,node,far node,type_no,scope,no scope,version,updated_at,index_keys,invalid,indexed,path,id,both,derived,missing}'::text[] LOOP
    PERFORM set_config('columns.what', what, true);
    BEGIN
      PERFORM set_config('role', role, true);
      answer := columns_says(statement);
      PERFORM set_config('columns.what', '', true), set_config('role', 'none', true);
      RAISE division_by_zero;
    EXCEPTION WHEN division_by_zero THEN NULL;
    END;
    RETURN NEXT;
  END LOOP;
END
$$;
SELECT * FROM columns_try($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('cols', 'page', '{"id": "c", "path": "1/", "n": 3, "up": "a"}')$$, 'columns_writer');
SELECT * FROM columns_try($$UPDATE kg_entity SET data = data || '{"n": 4}' WHERE entity_id = 'b'$$, 'columns_writer');
SELECT * FROM columns_try($$UPDATE kg_entity SET data = data WHERE tenant = 'columns' AND entity_id = 'b'$$, 'columns_loader');
SELECT * FROM columns_try($$MERGE INTO kg_entity e USING (VALUES ('b'), ('c')) v(id) ON e.tenant = 'columns' AND e.entity_id = v.id WHEN MATCHED THEN UPDATE SET data = e.data || '{"n": 5}'
  WHEN NOT MATCHED THEN INSERT (tenant, bundle, entity_type, data) VALUES ('columns', 'cols', 'page', '{"id": "c", "path": "1/"}')$$, 'columns_loader');
SELECT * FROM columns_try($$SELECT kg_put_entities('page', '[{"id": "b", "path": "1/", "n": 9}, {"id": "c", "path": "1/", "n": 3, "up": "b"}]')$$, 'columns_writer');
-- What is let through is found by what it says, and kg_rebuild() would derive the same.
SET columns.what = 'reference';
SET ROLE columns_writer;
SELECT kg_put_entities('page', '[{"id": "c", "path": "1/", "n": 3}]') -> 'counts' AS counts;
SELECT kg_get('page', 'b') ->> 'below' AS below;
SET columns.what = 'indexed';
RESET ROLE;
SET ROLE columns_loader;
COPY kg_entity(tenant, bundle, entity_type, data) FROM stdin;
columns	cols	page	{"id": "d", "path": "1/"}
\.
RESET ROLE;
RESET columns.what;
DROP TRIGGER zz_own ON kg_entity;

-- A row trigger of entities asks for what is counted before it is: refused, where the statement writes who refers; by kg_get, lists and searches.
CREATE FUNCTION columns_ask() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  RAISE WARNING '% %: % | % | %', TG_OP, coalesce(NEW.entity_id, OLD.entity_id), coalesce(columns_says($q$SELECT kg_get('page', 'a')$q$), 'null'), columns_says($q$SELECT kg_list('page')$q$), columns_says($q$SELECT kg_get('other', 'o')$q$);
  RETURN NULL;
END
$$;
CREATE TRIGGER a_own AFTER INSERT OR UPDATE OR DELETE ON kg_entity FOR EACH ROW EXECUTE FUNCTION columns_ask();
SET ROLE columns_writer;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('cols', 'page', '{"id": "e", "path": "1/", "up": "a"}');
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('cols', 'other', '{"id": "o"}');
DELETE FROM kg_entity WHERE entity_id = 'e';
RESET ROLE;
DROP TRIGGER a_own ON kg_entity;
CREATE FUNCTION columns_after() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  RAISE WARNING '% below a: %', TG_OP, kg_get('page', 'a') ->> 'below';
  RETURN NULL;
END
$$;
CREATE TRIGGER zz_after AFTER INSERT OR UPDATE OR DELETE ON kg_entity FOR EACH STATEMENT EXECUTE FUNCTION columns_after();
SET ROLE columns_writer;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('cols', 'page', '{"id": "e", "path": "1/", "up": "a"}');
DELETE FROM kg_entity WHERE entity_id = 'e';
RESET ROLE;
DROP TRIGGER zz_after ON kg_entity;

-- A row trigger on kg_edge: counts and searches in it are of the edges so far; what it keeps from being derived, or from going with an entity, refuses the statement.
CREATE FUNCTION columns_edge() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  CASE current_setting('columns.what', true)
    WHEN 'ask' THEN RAISE WARNING '% %: % | %', TG_OP, coalesce(NEW.property, OLD.property, 'explicit'), columns_says($q$SELECT kg_get('page', 'a')$q$),
      columns_says($q$SELECT kg_neighbors('{"start_node": {"label": "page", "node_id": "a"}}')$q$);
    WHEN 'NONE' THEN RETURN NULL;
    WHEN 'new' THEN RETURN NEW; -- which a DELETE has none of
    WHEN 'turn' THEN NEW.source := NEW.target;
    WHEN 'explicit' THEN NEW.property := NULL;
    ELSE NULL;
  END CASE;
  RETURN coalesce(NEW, OLD);
END
$$;
CREATE TRIGGER own BEFORE INSERT OR UPDATE OR DELETE ON kg_edge FOR EACH ROW EXECUTE FUNCTION columns_edge();
GRANT SELECT ON kg_edge TO columns_writer;
CREATE FUNCTION columns_each(statement text) RETURNS TABLE (what text, answer text) LANGUAGE plpgsql AS $$
BEGIN
  FOREACH what IN ARRAY '{nothing,NONE,new,turn,explicit}'::text[] LOOP
    PERFORM pg_catalog.set_config('columns.what', what, true);
    BEGIN
      answer := public.columns_says(statement);
      RAISE division_by_zero;
    EXCEPTION WHEN division_by_zero THEN NULL;
    END;
    RETURN NEXT;
  END LOOP;
END
$$;
SET ROLE columns_writer;
SELECT * FROM columns_each($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('cols', 'page', '{"id": "f", "path": "1/", "up": "a"}')$$);
SELECT * FROM columns_each($$UPDATE kg_entity SET data = data - 'up' WHERE entity_id = 'b'$$);
SELECT * FROM columns_each($$DELETE FROM kg_entity WHERE entity_id = 'b'$$);
SELECT * FROM columns_each($$SELECT kg_delete_entities('page', '{a}')$$);
SELECT * FROM columns_each($$SELECT kg_apply_bundle('{"bundle_name": "cols", "version": "1", "entities": [{"entity_type": "page", "items": [{"id": "g", "path": "1/", "up": "a"}]}]}', '{"mode": "merge"}')$$);
SELECT * FROM columns_each($$SELECT kg_drop_bundle('cols')$$);
SET columns.what = 'ask';
SELECT kg_put_edges('[{"relation": "SEES", "from": "page:a", "to": "page:b"}, {"relation": "SEES", "from": "page:a", "to": "page:c"}]') -> 'counts' AS counts;
SELECT kg_put_entities('page', '[{"id": "f", "path": "1/", "up": "a"}]') -> 'counts' AS counts;
SELECT kg_delete_edges('[{"relation": "SEES", "from": "page:a", "to": "page:b"}]') -> 'counts' AS counts;
RESET columns.what;
RESET ROLE;
DROP TRIGGER own ON kg_edge;
-- Nothing is left that kg_rebuild() would not derive.
CREATE FUNCTION columns_derived() RETURNS TABLE (derived text) LANGUAGE sql AS $$
  SELECT format('key %s %s %s', field_no, entity_id, key) FROM kg_index_key WHERE tenant = 'columns' UNION ALL SELECT format('edge %s %s %s', source, property, target) FROM kg_edge WHERE tenant = 'columns' UNION ALL
  SELECT format('entity %s %s %s', entity_id, index_keys, scope) FROM kg_entity WHERE tenant = 'columns' $$;
CREATE TEMP TABLE before AS SELECT * FROM columns_derived();
SELECT FROM kg_grant('columns', 'columns_writer', 'admin');
SET ROLE columns_writer;
SELECT kg_rebuild() -> 'entities' AS entities;
RESET ROLE;
SELECT 'too many ' || derived AS wrong FROM (TABLE before EXCEPT ALL SELECT * FROM columns_derived()) x UNION ALL SELECT 'missing ' || derived FROM (SELECT * FROM columns_derived() EXCEPT ALL TABLE before) x;
DROP FUNCTION columns_try(text, text), columns_own(), columns_ask(), columns_after(), columns_edge(), columns_says(text), columns_derived(), columns_each(text);
SELECT kg_drop_tenant(t) FROM unnest('{columns,columns too}'::text[]) t;
DROP OWNED BY columns_writer, columns_loader;
DROP ROLE columns_writer, columns_loader;
