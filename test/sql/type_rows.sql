-- The schema of a type is parsed at the first use of the type. What other types
-- require of it is known then, whichever type is used first.
\i test/data/prelude.sql
CALL test.tenant('rows', 'regress_rows admin');
CREATE FUNCTION rows_bundle(name text, version text, schemas jsonb, definitions jsonb DEFAULT '[]', entities jsonb DEFAULT '[]') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', name, 'version', version, 'definitions', definitions, 'entities', entities, 'schemas',
    (SELECT jsonb_agg(jsonb_build_object('entity_type', key, 'schema', '{"type": "object", "x-id-field": "id", "x-tool-expose": []}' || value || jsonb_build_object('properties', '{"id": {"type": "string"}}' || (value -> 'properties')))) FROM jsonb_each(schemas)))
$$;
GRANT EXECUTE ON FUNCTION rows_bundle TO regress_rows;
SET ROLE regress_rows;
-- "visit" names "place"."code" by a definition, and "place" counts its edges. Another bundle has a "place", too.
SELECT kg_apply_bundle(rows_bundle('ro', '1', '{"place": {"properties": {"code": {"type": "string", "x-index": true}, "visits": {"type": "integer", "x-derived": {"count": "AT", "direction": "incoming"}, "x-index": true}}},
  "visit": {"properties": {"at": {"$ref": "urn:at"}}}, "other": {"properties": {"code": {"type": "string", "x-index": true}}}}',
  '[{"$id": "urn:at", "type": "string", "x-ref": "place", "x-ref-field": "code", "x-relation": "AT"}]')) ? 'revision' AS applied;
SELECT kg_apply_bundle(rows_bundle('rp', '1', '{"place": {"properties": {"name": {"type": "string", "x-index": true}}}}')) ? 'revision' AS applied;
SELECT length(kg_put_entities('ro/place', '[{"id": "a", "code": "A"}]')::text) > 0 AS put;

-- In a new session the first use is of the type that another one names.
\c -
SET ROLE regress_rows;
SELECT i ->> 'verdict' AS verdict, i #>> '{error,code}' AS code FROM jsonb_array_elements(kg_put_entities('ro/place', '[{"id": "b", "code": "A"}]') -> 'items') i;
SELECT i ->> 'verdict' AS verdict FROM jsonb_array_elements(kg_put_entities('other', '[{"id": "b", "code": "A"}, {"id": "c", "code": "A"}]') -> 'items') i;
\c -
-- The count changes though only the type that refers is used.
SET ROLE regress_rows;
SELECT i ->> 'verdict' AS verdict FROM jsonb_array_elements(kg_put_entities('visit', '[{"id": "v", "at": "A"}, {"id": "w", "at": "A"}]') -> 'items') i;
SELECT kg_list('ro/place', '{"filters": {"visits": 2}}') #> '{items,0,data,visits}' AS visits;
\c -
SET ROLE regress_rows;
SELECT * FROM test.fails($$SELECT kg_get('place', 'a')$$, 'code', 'allowed');
SELECT kg_list('rp/place', '{"filters": {"name": "x"}}') -> 'returned' AS returned;
SELECT * FROM test.fails($$SELECT kg_list('rp/place', '{"filters": {"code": "x"}}')$$, 'code', 'path');

-- A change that is rolled back leaves nothing behind, before and after the type is used.
BEGIN;
SELECT kg_apply_bundle(rows_bundle('rp', '2', '{"place": {"properties": {"name": {"type": "string", "x-index": true}, "code": {"type": "string", "x-index": true}}}}')) ? 'revision' AS applied;
SELECT kg_list('rp/place', '{"filters": {"code": "x"}}') -> 'returned' AS returned;
ROLLBACK;
SELECT * FROM test.fails($$SELECT kg_list('rp/place', '{"filters": {"code": "x"}}')$$, 'code', 'path');
BEGIN;
SAVEPOINT s;
SELECT kg_apply_bundle(rows_bundle('rp', '2', '{"place": {"properties": {"code": {"type": "string", "x-index": true}}}}')) ? 'revision' AS applied;
ROLLBACK TO s;
SELECT kg_list('rp/place', '{"filters": {"name": "x"}}') -> 'returned' AS returned;
COMMIT;

-- A dropped type is gone at once, and its name is of one type again.
SELECT kg_apply_bundle(rows_bundle('rp', '3', '{"spot": {"properties": {}}}')) ? 'revision' AS applied;
SELECT kg_get('place', 'a')::text ~ '"A"' AS got;
SELECT * FROM test.fails($$SELECT kg_get('rp/place', 'a')$$, 'code', 'did_you_mean');
-- A type that no other one names any more has values as it likes.
SELECT kg_apply_bundle(rows_bundle('ro', '2', '{"place": {"properties": {"code": {"type": "string", "x-index": true}}}, "visit": {"properties": {"at": {"type": "string"}}}, "other": {"properties": {}}}', '[]',
  '[{"entity_type": "place", "items": [{"id": "a", "code": "A"}]}]')) ? 'revision' AS applied;
SELECT i ->> 'verdict' AS verdict FROM jsonb_array_elements(kg_put_entities('place', '[{"id": "b", "code": "A"}]') -> 'items') i;
SELECT kg_check() -> 'ok' AS ok;

-- Traits of a tenant are found wherever the annotation is.
SELECT kg_apply_bundle(rows_bundle('rp', '4', '{"spot": {"allOf": [{"$ref": "urn:h"}], "properties": {}}}', '[{"$id": "urn:h", "x-history": true}]')) ? 'revision' AS applied;
\c -
SET ROLE regress_rows;
SELECT bool_or(t #> '{inputSchema,properties}' ? 'as_of') AS asks_the_past FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'find_nodes';
RESET ROLE;
-- The memory of caches is told.
SELECT (c #>> '{metrics,bytes}')::bigint BETWEEN 1000 AND 100000000 AS told FROM jsonb_array_elements(kg_health() -> 'components') c WHERE c ->> 'name' = 'caches';
-- A stored schema that is broken since somebody changed it by hand: the errors of many calls leave nothing in the caches.
BEGIN;
UPDATE kg_entity_type SET schema = (schema - CASE entity_type WHEN 'other' THEN 'x-id-field' ELSE '' END) || jsonb_build_object('properties', (SELECT jsonb_object_agg('p' || n, '{"type": "string"}'::jsonb) FROM generate_series(1, 200) n) || '{"id": {"type": "string"}, "p": {"minLength": "x"}}') WHERE tenant = 'rows' AND entity_type IN ('other', 'visit');
SET LOCAL ROLE regress_rows;
DO $$
BEGIN
  FOR i IN 1 .. 200 LOOP
    BEGIN
      IF i % 2 = 0 THEN
        PERFORM kg_get('other', 'b');
      ELSE
        PERFORM kg_put_entities('visit', '[{"id": "b"}]');
      END IF;
      RAISE WARNING 'no error';
    EXCEPTION WHEN OTHERS THEN
      IF i >= 199 THEN
        RAISE WARNING '%', SQLERRM;
      END IF;
    END;
  END LOOP;
END
$$;
RESET ROLE;
SELECT (c #>> '{metrics,bytes}')::bigint < 10000000 AS little FROM jsonb_array_elements(kg_health() -> 'components') c WHERE c ->> 'name' = 'caches';
ROLLBACK;
DROP FUNCTION rows_bundle;
CALL test.drop('rows');
