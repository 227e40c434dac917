-- Ambiguous names. Two properties with the same name are refused wherever a schema
-- is stored. If such a schema is stored already, this is reported, and one property
-- is never used for the other.
\i test/data/prelude.sql
CALL test.tenant('names', 'regress_names admin');
SET ROLE regress_names;
CREATE FUNCTION pg_temp.schema(properties jsonb, more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT '{"type": "object", "x-id-field": "key"}'::jsonb || jsonb_build_object('properties', '{"key": {"type": "string"}}'::jsonb || properties) || more
$$;
CREATE FUNCTION pg_temp.bundle(schema jsonb, more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', 'names', 'version', '1', 'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'thing', 'schema', schema)), 'entities', '[]'::jsonb) || more
$$;
CREATE FUNCTION pg_temp.try(schema jsonb, more jsonb DEFAULT '{}') RETURNS SETOF text LANGUAGE sql AS $$
  SELECT test.fails(format('SELECT kg_apply_bundle(%L)', pg_temp.bundle(schema, more)), 'code', 'path', 'got', 'expected')
$$;

-- A key with a dot beside what is nested, whatever is said of them.
SELECT pg_temp.try(pg_temp.schema('{"a.b": {"type": "integer", "x-index": true}, "a": {"type": "object", "properties": {"b": {"type": "string", "x-index": true}}}}'));
SELECT pg_temp.try(pg_temp.schema('{"a.b": {}, "a": {"properties": {"b": {}}}}'));
SELECT pg_temp.try(pg_temp.schema('{"l.n": {"type": "boolean", "x-index": true}, "l": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "string", "x-index": true}}}}}'));
SELECT pg_temp.try(pg_temp.schema('{"a": {"properties": {"b.c": {}, "b": {"properties": {"c": {}}}}}}'));
SELECT pg_temp.try(pg_temp.schema('{"a.b": {"properties": {"c": {}}}, "a": {"properties": {"b.c": {}}}}'));
SELECT pg_temp.try(pg_temp.schema('{"": {"properties": {"b": {}}}, "b": {}}'));
-- Through $ref, definitions, allOf and anyOf, in any order.
SELECT pg_temp.try(pg_temp.schema('{"a.b": {}, "a": {"$ref": "#/$defs/a"}}', '{"$defs": {"a": {"properties": {"b": {"type": "string"}}}}}'));
SELECT pg_temp.try(pg_temp.schema('{"a.b": {}, "a": {"$ref": "urn:a"}}'), '{"definitions": [{"$id": "urn:a", "properties": {"b": {"type": "string"}}}]}');
SELECT pg_temp.try(pg_temp.schema('{"a": {"properties": {"b": {}}}}', '{"allOf": [{"properties": {"a.b": {}}}, {"properties": {"a": {"properties": {"b": {}}}, "a.b": {}}}]}'));
SELECT pg_temp.try(pg_temp.schema('{}', '{"anyOf": [{"properties": {"a.b": {}}}, {"properties": {"a": {"properties": {"b": {}}}}}]}'));
-- "id" beside another id is "data.id".
SELECT pg_temp.try(pg_temp.schema('{"id": {"type": "integer", "x-index": true}, "data": {"properties": {"id": {"type": "string", "x-index": true}}}}'));
SELECT pg_temp.try(pg_temp.schema('{"id": {}, "data.id": {}}'));
-- Of edges: in a schema, and over the variants of a relation.
SELECT pg_temp.try(pg_temp.schema('{}'), '{"relations": [{"name": "REL", "from": "thing", "to": "thing", "schema": {"properties": {"a.b": {"type": "integer"}, "a": {"properties": {"b": {"type": "string"}}}}}}]}');
SELECT pg_temp.try(pg_temp.schema('{}'), '{"schemas": [{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "key", "properties": {"key": {"type": "string"}}}}, {"entity_type": "other", "schema": {"type": "object", "x-id-field": "key", "properties": {"key": {"type": "string"}}}}],
  "relations": [{"name": "REL", "from": "thing", "to": "thing", "schema": {"properties": {"a.b": {"type": "integer"}}}}, {"name": "REL", "from": "thing", "to": "other", "schema": {"properties": {"a": {"properties": {"b": {"type": "string"}}}}}}]}');
-- One of them alone, one property in two branches, and one name in two relations, are fine.
SELECT pg_temp.try(pg_temp.schema('{"a.b": {"type": "integer", "x-index": true}, "a": {"properties": {"c": {}}}, "b": {}, "id": {}, "data": {}}', '{"allOf": [{"properties": {"a.b": {"minimum": 1}}}]}'),
  '{"relations": [{"name": "REL", "from": "thing", "to": "thing", "schema": {"properties": {"a.b": {"type": "integer"}}}}, {"name": "SEE", "from": "thing", "to": "thing", "schema": {"properties": {"a": {"properties": {"b": {"type": "string"}}}}}}]}');

-- An inverse is no relation's name: not its own, of another one, derived or declared, of another bundle's, before it or after it.
SELECT pg_temp.try(pg_temp.schema('{}'), '{"relations": [{"name": "LINKS", "from": "thing", "to": "thing", "inverse": "LINKS"}]}');
SELECT pg_temp.try(pg_temp.schema('{}'), '{"relations": [{"name": "LINKS", "from": "thing", "to": "thing", "inverse": "SEEN"}, {"name": "SEEN", "from": "thing", "to": "thing", "inverse": "LINKS"}]}');
SELECT pg_temp.try(pg_temp.schema('{"owner": {"type": "string", "x-ref": "thing"}}'), '{"relations": [{"name": "OWNS", "from": "thing", "to": "thing", "inverse": "OWNER"}]}');
SELECT kg_apply_bundle('{"bundle_name": "before", "version": "1", "schemas": [{"entity_type": "first", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "relations": [{"name": "LEADS", "from": "first", "to": "first", "inverse": "LED"}]}') -> 'changed' AS changed;
SELECT pg_temp.try(pg_temp.schema('{}'), '{"relations": [{"name": "REL", "from": "thing", "to": "thing", "inverse": "LEADS"}]}');
SELECT pg_temp.try(pg_temp.schema('{}'), '{"relations": [{"name": "LED", "from": "thing", "to": "thing"}]}');
SELECT pg_temp.try(pg_temp.schema('{"led": {"type": "string", "x-ref": "thing"}}'));
-- Names of relations and of inverses may come again, as what they are.
SELECT pg_temp.try(pg_temp.schema('{}'), '{"relations": [{"name": "LEADS", "from": "thing", "to": "thing", "inverse": "LED"}, {"name": "GUIDES", "from": "thing", "to": "thing", "inverse": "LED"}, {"name": "MEETS", "from": "thing", "to": "thing", "symmetric": true}]}');
-- One that is stored is kept by a merge that does not name it.
RESET ROLE;
UPDATE kg_relation SET inverse = 'LEADS' WHERE tenant = 'names' AND bundle = 'before';
SET ROLE regress_names;
SELECT test.fails($$SELECT kg_apply_bundle('{"bundle_name": "before", "version": "2", "entities": [{"entity_type": "first", "items": [{"id": "f"}]}]}', '{"mode": "merge"}')$$);
SELECT test.fails($$SELECT kg_apply_bundle('{"bundle_name": "before", "version": "2", "relations": [{"name": "LEADS", "from": "first", "to": "first", "inverse": "LEADS"}]}', '{"mode": "merge"}')$$, 'path', 'expected');
SELECT test.fails($$SELECT kg_apply_bundle('{"bundle_name": "before", "version": "2", "relations": [{"name": "LEADS", "from": "first", "to": "first", "inverse": "LED"}]}', '{"mode": "merge"}')$$);

-- A bundle is told by the name that was sent.
SELECT test.fails($$SELECT kg_apply_bundle('{"bundle_name": "Bad Name", "schemas": 7}')$$);
SELECT test.fails($$SELECT kg_apply_bundle('{"bundle_name": 7, "schemas": 7}')$$);
SELECT kg_apply_bundle('{"bundle_name": "Bad Name", "schemas": 7}', '{"dry_run": true}') -> 'bundle_name' AS name, kg_apply_bundle('{"version": "1"}', '{"dry_run": true}') -> 'bundle_name' AS no_name;

-- A key that has a dot is found by its name, in each tool.
SELECT kg_apply_bundle(pg_temp.bundle(pg_temp.schema('{"a.b": {"type": "integer", "x-index": true}, "a": {"type": "object"}}'),
  '{"entities": [{"entity_type": "thing", "items": [{"key": "1", "a.b": 5, "a": {"b": "zz"}}, {"key": "2", "a.b": 7, "a": {"b": "yy"}}, {"key": "3", "a.b": 5}]}]}')) -> 'entities';
SELECT kg_list('thing', '{"filters": {"a.b": {"gt": 5}}}') -> 'items';
SELECT kg_aggregate('{"node": {"label": "thing"}, "group_by": [{"property": "a.b"}], "aggregations": [{"fn": "count"}]}') -> 'rows';

-- Stored before it was refused: the name is of the first property, and the other one is not indexed.
RESET ROLE;
UPDATE kg_entity_type SET schema = jsonb_set(schema, '{properties,a}', '{"type": "object", "properties": {"b": {"type": "string", "x-index": true}}}') WHERE tenant = 'names' AND entity_type = 'thing';
SET ROLE regress_names;
SELECT test.fails($$SELECT kg_aggregate('{"node": {"label": "thing"}, "group_by": [{"property": "a.b"}], "aggregations": [{"fn": "count"}]}')$$, 'code', 'message');
SELECT test.fails($$SELECT kg_aggregate('{"node": {"label": "thing"}, "aggregations": [{"fn": "max", "property": "a.b"}, {"fn": "count_distinct", "property": "a.b"}]}')$$, 'code', 'message');
RESET ROLE;
SELECT d ->> 'kind' AS kind, d ->> 'object' AS object, d ->> 'got' AS got FROM jsonb_array_elements(kg_check('{"tenant": "names", "repair": true}') -> 'differences') d WHERE d ->> 'kind' IN ('name_repeated', 'type_wrong') ORDER BY d ->> 'kind' COLLATE "C";
SELECT kg_check('{"tenant": "names"}') -> 'counts';
SET ROLE regress_names;
SELECT kg_list('thing', '{"filters": {"a.b": {"is_not_null": true}}, "limit": 0}') -> 'total';
SELECT kg_list('thing', '{"sort": [{"field": "a.b", "order": "desc"}]}') -> 'items';
SELECT kg_aggregate('{"node": {"label": "thing"}, "group_by": [{"property": "a.b"}], "aggregations": [{"fn": "count"}, {"fn": "max", "property": "a.b"}]}') -> 'rows';
SELECT kg_put_entities('thing', '[{"key": "4", "a.b": 9, "a": {"b": "same"}}]') -> 'results';
RESET ROLE;
SELECT kg_check('{"tenant": "names"}') -> 'counts';

-- Whatever a stored key is, it is an error where it is none of its property's.
CREATE TABLE test.kinds (property text, schema jsonb, value jsonb);
INSERT INTO test.kinds VALUES
  ('s', '{"type": "string"}', '"x"'),
  ('e', '{"enum": ["p", "q"]}', '"q"'),
  ('i', '{"type": "integer"}', '42'),
  ('n', '{"type": "number"}', '-1.5'),
  ('t', '{"type": "boolean"}', 'true'),
  ('d', '{"type": "string", "format": "date"}', '"2026-11-28"'),
  ('m', '{"type": "string", "format": "date-time"}', '"2026-11-28T10:00:00.5Z"'),
  ('v', '{"type": "string", "x-order": "version"}', '"1.0~rc1-2"');
GRANT SELECT ON test.kinds TO regress_names;
SET ROLE regress_names;
SELECT kg_apply_bundle(pg_temp.bundle(pg_temp.schema((SELECT jsonb_object_agg(property, schema || '{"x-index": true}') FROM test.kinds)), jsonb_build_object('entities', jsonb_build_array(jsonb_build_object('entity_type', 'thing', 'items',
  jsonb_build_array(jsonb_build_object('key', '1') || (SELECT jsonb_object_agg(property, value) FROM test.kinds))))))) -> 'entities';
RESET ROLE;
-- Each key as the key of each other property, each of its beginnings, and with other bytes.
CREATE TABLE test.keys AS
  SELECT t.key_fields[k.field_no] AS property, k.key FROM kg_index_key k JOIN kg_entity_type t USING (tenant, type_no) WHERE t.tenant = 'names' AND t.entity_type = 'thing';
CREATE TABLE test.outcomes (told text);
CREATE PROCEDURE test.read_keys() LANGUAGE plpgsql AS $$
DECLARE
  target record;
  bad bytea;
  call text;
  answer jsonb;
BEGIN
  FOR target IN SELECT p.property, array_position(t.key_fields, p.property) AS field_no, t.type_no FROM test.kinds p, kg_entity_type t WHERE t.tenant = 'names' AND t.entity_type = 'thing' LOOP
    FOR bad IN SELECT DISTINCT b FROM (
        SELECT key FROM test.keys
        UNION ALL SELECT substr(key, 1, upto) FROM test.keys, generate_series(0, length(key)) upto WHERE test.keys.property = target.property
        UNION ALL SELECT substr(key, 1, 1) || decode(repeat(x, 12), 'hex') FROM test.keys, unnest(array['00', '01', '64', '65', '7f', 'fe', 'ff']) x) bytes (b) LOOP
      UPDATE kg_index_key SET key = bad WHERE tenant = 'names' AND type_no = target.type_no AND field_no = target.field_no;
      FOREACH call IN ARRAY array['{"group_by": [{"property": "%1$s"}], "aggregations": [{"fn": "count"}]}', '{"aggregations": [{"fn": "count_distinct", "property": "%1$s"}]}',
          '{"aggregations": [{"fn": "min", "property": "%1$s"}, {"fn": "max", "property": "%1$s"}]}', '{"aggregations": [{"fn": "sum", "property": "%1$s"}]}'] LOOP
        BEGIN
          answer := kg_aggregate(format(call, target.property)::jsonb || '{"node": {"label": "thing"}}');
          INSERT INTO test.outcomes VALUES ('answered');
        EXCEPTION WHEN OTHERS THEN
          INSERT INTO test.outcomes VALUES (SQLSTATE || ' ' || regexp_replace(SQLERRM, '"[a-z]"', '"..."'));
        END;
      END LOOP;
      answer := kg_list('thing', format('{"filters": {"%1$s": {"is_not_null": true}}}', target.property)::jsonb);
    END LOOP;
  END LOOP;
END
$$;
BEGIN;
SELECT kg_grant('names', current_user::text, 'admin');
SET LOCAL kg_graph.tenant = 'names';
CALL test.read_keys();
SELECT told, count(*) FROM test.outcomes GROUP BY told ORDER BY told COLLATE "C";
ROLLBACK;
-- A property beside one whose own name is that by which it is told.
BEGIN;
SELECT kg_grant('names', current_user::text, 'admin');
SET LOCAL kg_graph.tenant = 'names';
SELECT kg_apply_bundle('{"bundle_name": "told", "version": "1", "schemas": [{"entity_type": "told", "schema": {"type": "object", "x-id-field": "key", "x-untrusted": true, "properties": {"key": {"type": "string"}, "id": {"type": "string"}, "entity_type": {"type": "string"}, "data.entity_type": {"type": "string"}}}}],
  "entities": [{"entity_type": "told", "items": [{"key": "k", "id": "1", "entity_type": "3", "data.entity_type": "4"}]}]}') ? 'revision' AS applied;
SELECT kg_call_tool('describe_entity', '{"id": "told:k"}') -> 'structuredContent' AS told;
ROLLBACK;
DROP PROCEDURE test.read_keys;
DROP TABLE test.kinds, test.keys, test.outcomes;
CALL test.drop('names');
