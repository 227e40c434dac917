-- kg_entity.index_keys and kg_index_key contain the same keys of an entity after any
-- write. The number of a field is never given to another field.
\i test/data/prelude.sql
\set SHOW_CONTEXT never
CALL test.tenant('index keys', 'regress_keys_writer write');

CREATE TEMP TABLE state (step text, numbers text[], rows bigint, differ bigint);
GRANT SELECT, INSERT ON state TO regress_keys_writer;
CREATE FUNCTION pg_temp.look(step text) RETURNS state LANGUAGE sql AS $$
  INSERT INTO state
  SELECT step, (SELECT key_fields FROM kg_entity_type WHERE entity_type = 'thing'), count(k), count(*) FILTER (WHERE k IS DISTINCT FROM p)
    FROM (SELECT type_no, field_no, key, entity_id, node FROM kg_index_key) k
    FULL JOIN (SELECT e.type_no, f AS field_no, key, e.entity_id, e.node
                 FROM kg_entity e JOIN kg_entity_type t USING (tenant, type_no), generate_subscripts(t.key_fields, 1) f, unnest(kg_packed_keys(e.index_keys, f)) key) p
      USING (type_no, field_no, key, entity_id, node)
  RETURNING *
$$;
CREATE FUNCTION pg_temp.bundle(version text, properties jsonb, items jsonb DEFAULT '[]') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', 'keys', 'version', version, 'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'thing', 'schema',
    jsonb_build_object('type', 'object', 'x-id-field', 'id', 'properties', '{"id": {"type": "string"}}'::jsonb || properties))), 'entities', jsonb_build_array(jsonb_build_object('entity_type', 'thing', 'items', items)))
$$;

SET ROLE regress_keys_writer;
SELECT kg_apply_bundle(pg_temp.bundle('1', '{"size": {"type": "integer", "x-index": true}, "tags": {"type": "array", "items": {"type": "string"}, "x-index": true}}',
  '[{"id": "a", "size": 3, "tags": ["x", "y", "x"]}, {"id": "b", "tags": []}, {"id": "c", "size": 1}]')) -> 'revision' AS revision;
SELECT (pg_temp.look('applied')).*;
SELECT entity_id, kg_packed_key(index_keys, 1) AS size, kg_packed_keys(index_keys, 2) AS tags, kg_packed_key(index_keys, 3) AS none FROM kg_entity ORDER BY entity_id;

INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'keys', 'thing', jsonb_build_object('id', 'n' || n, 'size', n, 'tags', jsonb_build_array('t' || n % 3, 'all')) FROM generate_series(1, 50) n;
UPDATE kg_entity SET data = data || '{"size": 100}' WHERE entity_id < 'n2';
UPDATE kg_entity SET data = data || '{"id": "moved"}' WHERE entity_id = 'n50';
DELETE FROM kg_entity WHERE entity_id LIKE 'n4%';
SELECT kg_put_entities('thing', '[{"id": "c", "size": 2, "tags": ["z"]}, {"id": "n3", "size": null}]') -> 'counts' AS put;
BEGIN; DELETE FROM kg_entity; ROLLBACK;
SELECT (pg_temp.look('written')).*;
-- It is filled from the data, whatever is given.
UPDATE kg_entity SET index_keys = '\xffff';
INSERT INTO kg_entity(bundle, entity_type, data, index_keys) VALUES ('keys', 'thing', '{"id": "given", "size": 7}', '\x00010001ff');
SELECT (pg_temp.look('given')).*;
SELECT count(*), count(*) FILTER (WHERE version = 1) AS unchanged FROM kg_entity WHERE entity_id LIKE 'n%';

-- Fields come and go; numbers stay, and so do the answers.
SELECT kg_apply_bundle(pg_temp.bundle('2', '{"age": {"type": "integer", "x-index": true}, "size": {"type": "integer", "x-index": true}, "tags": {"type": "array", "items": {"type": "string"}}}'), '{"mode": "merge"}') -> 'revision' AS revision;
SELECT (pg_temp.look('age before size, tags not indexed')).*;
UPDATE kg_entity SET data = data || '{"age": 3}' WHERE entity_id = 'a';
SELECT kg_list_ids('thing', '{"filters": {"size": 100, "age": 3}}') -> 'ids' AS both, kg_list_ids('thing', '{"filters": {"age": 3}}') -> 'total' AS age, kg_list_ids('thing', '{"filters": {"size": 3}}') -> 'total' AS size;
SELECT kg_apply_bundle(pg_temp.bundle('3', '{"age": {"type": "integer", "x-index": true}, "size": {"type": "number", "x-index": true}, "tags": {"type": "array", "items": {"type": "string"}, "x-index": true}}'), '{"mode": "merge"}') -> 'revision' AS revision;
SELECT (pg_temp.look('tags again, size a number')).*;
SELECT kg_list_ids('thing', '{"filters": {"tags": {"contains_all": ["t1", "all"]}, "size": {"lt": 12}}, "sort": [{"field": "size", "order": "desc"}]}') -> 'ids' AS ids;
-- A schema that stored entities do not satisfy changes nothing.
SELECT kg_apply_bundle(pg_temp.bundle('4', '{"size": {"type": "string", "x-index": true}}'), '{"mode": "merge"}');
SELECT (pg_temp.look('refused')).*;
SELECT kg_apply_bundle(pg_temp.bundle('5', '{"size": {"type": "number"}}'), '{"mode": "merge"}') -> 'revision' AS revision;
SELECT (pg_temp.look('nothing indexed')).*;

-- The readers take any bytes.
SELECT kg_packed_key(b, 1) AS one, kg_packed_keys(b, 1) AS all_of_it
  FROM (VALUES (''::bytea), ('\x00'), ('\x00010000'), ('\x0001000141'), ('\x0001ffff41'), ('\x00010001410001000142000200014300'), (decode(repeat('00', 100000), 'hex'))) v(b);
SELECT kg_packed_key(NULL, 1), kg_packed_keys('\x0001000141', NULL), kg_packed_key('\x0001000141', -65535);
RESET ROLE;
CALL test.drop('index keys');
