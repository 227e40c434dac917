-- The errors of triggers and bundles about an entity that is not valid for its
-- schema, and what these errors hide from callers that may not see it.
\i test/data/prelude.sql
RESET client_min_messages;
\set VERBOSITY default
CALL test.tenant('violations', 'violations_writer write', 'violations_blind write');
CREATE FUNCTION pg_temp.bundle(minimum int) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', 'shop', 'version', '1', 'schemas',
    jsonb_build_array(jsonb_build_object('entity_type', 'product', 'schema', jsonb_build_object(
      'type', 'object', 'x-id-field', 'sku', 'x-scope-field', 'area', 'required', '["sku", "price"]'::jsonb, 'additionalProperties', false,
      'properties', jsonb_build_object(
        'sku', '{"type": "string"}'::jsonb, 'area', '{"type": "string"}'::jsonb,
        'tier', '{"enum": ["premium", "basic"]}'::jsonb,
        'price', jsonb_build_object('$ref', 'https://shop.example/money#/$defs/amount'))))),
    'definitions', jsonb_build_array(jsonb_build_object('$id', 'https://shop.example/money', '$defs',
      jsonb_build_object('amount', jsonb_build_object('type', 'number', 'minimum', minimum)))))
$$;

-- A schema is compiled when it is registered, so an unknown dialect, a reference to
-- the network and violations of the meta-schema are reported then. An older dialect
-- is applied. Formats are only annotations unless the type requires them.
SET ROLE violations_writer;
\set VERBOSITY terse
SELECT kg_apply_bundle('{"bundle_name":"other","version":"1","entities":[],"schemas":[{"entity_type":"note","schema":{"$schema":"http://json-schema.org/draft-03/schema#","type":"object","x-id-field":"id","properties":{"id":{"type":"string"}}}}]}');
SELECT kg_apply_bundle('{"bundle_name":"other","version":"1","entities":[],"schemas":[{"entity_type":"note","schema":{"type":"object","x-id-field":"id","properties":{"id":{"type":"string"},"n":{"$ref":"https://example.com/n"}}}}]}');
SELECT kg_apply_bundle('{"bundle_name":"other","version":"1","entities":[],"schemas":[{"entity_type":"note","schema":{"type":"object","x-id-field":"id","properties":{"id":{"type":"string"},"n":{"type":"strng"}}}}]}');
SELECT kg_apply_bundle('{"bundle_name":"other","version":"1","entities":[],"schemas":[{"entity_type":"note","schema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","x-id-field":"id","x-format":"annotate","properties":{"id":{"type":"string"},"d":{"format":"date"},"n":{"items":[{"type":"string"}]}}}}]}') -> 'revision';
INSERT INTO kg_entity(bundle,entity_type,data) VALUES('other','note','{"id":"1","d":"no date","n":["a",1]}');
INSERT INTO kg_entity(bundle,entity_type,data) VALUES('other','note','{"id":"2","n":[1]}');
\set VERBOSITY default
SELECT kg_drop_bundle('other') IS NOT NULL AS dropped;
RESET ROLE;

-- plain SQL: every violation, with the way to it in data and schema
SET ROLE violations_writer;
SELECT kg_apply_bundle(pg_temp.bundle(0) || '{"entities": [{"entity_type": "product", "items": [{"sku": "a1", "area": "x/", "price": 5}, {"sku": "a2", "area": "y/", "price": 50}]}]}') ->> 'revision' AS revision;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES
  ('shop', 'product', '{"sku": "b1", "price": -1, "tier": "premum", "colour": "red"}');
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'product', '{"price": "5"}');
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'product', '[]');
UPDATE kg_entity SET data = data || '{"price": null}' WHERE entity_id = 'a1';
-- a caught error has the same as jsonb
DO $$
DECLARE
  detail text;
BEGIN
  INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'product', '{"sku": "b1", "price": -1}');
EXCEPTION WHEN check_violation THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RAISE NOTICE '% at % of the schema', detail::jsonb -> 'errors' -> 0 ->> 'path', detail::jsonb -> 'errors' -> 0 ->> 'schema_path';
END $$;

-- a change of the schema that a stored entity refuses names it ...
SELECT kg_apply_bundle(pg_temp.bundle(10), '{"mode": "merge"}');
RESET ROLE;

-- ... but not to who sees only a part: here a policy of the DBA's own
CREATE POLICY violations_hide ON kg_entity AS RESTRICTIVE FOR SELECT TO violations_blind USING (data ->> 'area' = 'y/');
SET ROLE violations_blind;
SELECT entity_id FROM kg_entity;
SELECT kg_apply_bundle(pg_temp.bundle(10), '{"mode": "merge"}');
RESET ROLE;
DROP POLICY violations_hide ON kg_entity;

-- the definitions alone, and the schemas alone: each with the other as stored
SET ROLE violations_writer;
SELECT kg_apply_bundle(pg_temp.bundle(10) - 'schemas', '{"mode": "merge"}');
SELECT kg_apply_bundle(pg_temp.bundle(5) - 'schemas', '{"mode": "merge"}') ->> 'revision' AS revision;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'product', '{"sku": "b1", "price": 4}');
SELECT kg_apply_bundle(jsonb_set(pg_temp.bundle(0) - 'definitions', '{schemas,0,schema,title}', '"Product"'), '{"mode": "merge"}') ->> 'revision' AS revision;
SELECT kg_apply_bundle(pg_temp.bundle(0) - 'definitions', '{"mode": "merge"}') -> 'revision' AS revision,
       kg_apply_bundle(pg_temp.bundle(0) - 'definitions', '{"mode": "merge"}') -> 'changed' AS changed_again;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'product', '{"sku": "b1", "price": 4}');
RESET ROLE;

-- An UPDATE of another column by a role that may not read the data. The row is
-- validated again, but its data is not in the error.
\getenv abs_srcdir PG_ABS_SRCDIR
\set triggers :abs_srcdir '/data/triggers.sql'
\i :triggers
SELECT pg_temp.triggers(false);
UPDATE kg_entity SET data = '{"sku": "a1", "area": "x/", "price": "secret", "hidden": 1}' WHERE tenant = 'violations' AND entity_id = 'a1';
SELECT pg_temp.triggers(true);
REVOKE SELECT ON kg_entity FROM violations_blind;
SET ROLE violations_blind;
UPDATE kg_entity SET version = 7;
UPDATE kg_entity SET version = 7, data = '{"sku": "a1", "price": "mine"}';
RESET ROLE;
GRANT SELECT (data) ON kg_entity TO violations_blind;
SET ROLE violations_blind;
UPDATE kg_entity SET version = 7;
RESET ROLE;

REVOKE ALL ON kg_entity FROM violations_blind;
CALL test.drop('violations');
