\i test/data/prelude.sql
-- Older dialects: drafts 4 and 6 of JSON Schema, schemas of OpenAPI 3.0. Tests what
-- the suite (test/suite) does not cover: errors, warnings, published schemas.

-- The boolean bounds of draft-04.
SELECT v, kg_validate(v::jsonb, s) AS valid, kg_validation_errors(v::jsonb, s) -> 0 AS violation
FROM (VALUES ('{"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 0, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false}'::jsonb)) d (s),
  unnest('{0,1,9,10}'::text[]) v;
SELECT test.fails($$SELECT kg_schema_check('{"$schema": "http://json-schema.org/draft-04/schema#", "exclusiveMinimum": true}')$$, 'path', 'expected');
SELECT test.fails($$SELECT kg_schema_check('{"$schema": "http://json-schema.org/draft-04/schema#", "exclusiveMinimum": 3, "minimum": 1}')$$, 'path', 'expected');
SELECT test.fails($$SELECT kg_schema_check('{"$schema": "http://json-schema.org/draft-06/schema#", "exclusiveMinimum": true}')$$, 'path', 'expected');
SELECT test.fails($$SELECT kg_schema_check('{"exclusiveMinimum": true}', '{"dialect": "draft-04"}')$$, 'path', 'expected');
SELECT test.fails($$SELECT kg_schema_check('{"$schema": "http://json-schema.org/draft-03/schema#"}')$$, 'path', 'expected');

-- Identifiers: "id" in draft-04 only, also of a draft-04 schema inside another one.
SELECT kg_validate('1', '{"$schema": "http://json-schema.org/draft-04/schema", "id": "http://x.example/a", "allOf": [{"$ref": "b#/definitions/s"}],
    "definitions": {"b": {"id": "b", "definitions": {"s": {"type": "string"}}}}}') AS by_id,
  kg_validate('1', '{"allOf": [{"$ref": "http://x.example/b#s"}], "$defs": {"b": {"$schema": "http://json-schema.org/draft-04/schema#", "id": "http://x.example/b",
    "definitions": {"s": {"id": "#s", "const": 2, "maximum": 1}}}}}') AS inside;
SELECT test.fails($$SELECT kg_schema_check('{"$schema": "http://json-schema.org/draft-06/schema#", "allOf": [{"$ref": "#s"}], "definitions": {"s": {"id": "#s"}}}')$$, 'path', 'expected');

-- OpenAPI 3.0: null beside a type; a whole document as a resource.
CREATE TEMP TABLE pets AS SELECT '{"dialect": "openapi-3.0", "resources": {"https://x.example/openapi.json": {"openapi": "3.0.3", "paths": {}, "components": {"schemas": {
  "pet": {"oneOf": [{"$ref": "#/components/schemas/cat"}, {"$ref": "#/components/schemas/dog"}],
    "discriminator": {"propertyName": "kind", "mapping": {"hound": "#/components/schemas/dog"}}},
  "cat": {"type": "object", "required": ["lives"], "properties": {"kind": {"type": "string"}, "lives": {"type": "integer", "maximum": 9, "exclusiveMaximum": false}, "name": {"type": "string", "nullable": true}}},
  "dog": {"type": "object", "required": ["bark"], "properties": {"kind": {"type": "string"}, "bark": {"type": "string", "enum": ["loud", "low"], "nullable": true}, "age": {"type": "integer"}}}}}}}}'::jsonb AS o;
SELECT v, kg_validate(v, '{"$ref": "https://x.example/openapi.json#/components/schemas/pet"}', o) AS valid,
  kg_validation_errors(v, '{"$ref": "https://x.example/openapi.json#/components/schemas/pet"}', o) #>> '{0,expected}' AS expected
FROM pets, unnest('{"{\"kind\": \"cat\", \"lives\": 9, \"name\": null}", "{\"kind\": \"cat\", \"lives\": null}", "{\"kind\": \"dog\", \"lives\": 10, \"age\": 1.5}",
  "{\"kind\": \"hound\", \"bark\": null, \"age\": \"old\"}", "{\"kind\": \"fish\", \"lives\": 10}", "7"}'::text[]) v;
SELECT kg_validate('null', '{"nullable": true}', '{"dialect": "openapi-3.0"}') AS no_type, kg_validate('null', '{"type": "string", "nullable": true}') AS of_2020,
  kg_validate('null', '{"type": "string", "nullable": false}', '{"dialect": "openapi-3.0"}') AS not_nullable;
SELECT kg_validation_errors('1', '{"type": "string", "nullable": true}', '{"dialect": "openapi-3.0"}') -> 0 ->> 'expected' AS expected;
SELECT test.fails($$SELECT kg_schema_check('{"type": "null"}', '{"dialect": "openapi-3.0"}')$$, 'path', 'expected');

-- Keywords that the dialect ignores are warnings, those without an effect on validity are not.
SELECT kg_schema_check('{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a/b": {"$ref": "#/definitions/n", "minimum": 10, "description": "no warning"},
  "c": {"prefixItems": [true]}}, "definitions": {"n": {"type": "integer"}}}');
SELECT kg_schema_check('{"properties": {"a": {"$ref": "#/$defs/n", "minimum": 10, "nullable": true}}, "$defs": {"n": {"type": "integer"}}}');
SELECT kg_schema_check('{"$ref": "https://x.example/d"}', '{"resources": {"https://x.example/d": {"$schema": "http://json-schema.org/draft-04/schema#", "const": 1, "properties": {"$ref": {"enum": [1]}}}}}');

-- json and text as instances; a literal is text.
SELECT kg_validate('{"a": 1}'::json, '{"required": ["a"]}'), kg_validate('{"a": 1}'::text, '{"required": ["b"]}'), kg_validate('{"a": 1}', '{"required": ["b"]}'),
  kg_validate(to_jsonb(1), '{"type": "integer"}'), kg_validate(to_json(1), '{"type": "integer"}', '{"format": "annotate"}'), kg_validate(NULL::json, '{}');
SELECT kg_validation_errors('{"a": 1}'::json, '{"required": ["b"]}', '{"output": "flag"}'), kg_validation_errors('1'::text, '{}');
SELECT test.fails($$SELECT kg_validate('{"a"'::text, '{}')$$, 'path', 'expected');
CREATE TEMP TABLE document (data json CHECK (kg_validate(data, '{"required": ["name"]}')));
INSERT INTO document VALUES ('{"name": "a", "name": "b"}');
INSERT INTO document VALUES ('{}');
SELECT count(*) FILTER (WHERE kg_validate(d, s)) AS valid, count(*) FILTER (WHERE kg_validate(d::text, s)) AS as_text
FROM (SELECT json_build_object('n', n) AS d, jsonb_build_object('properties', jsonb_build_object('n', jsonb_build_object('maximum', n % 3))) AS s FROM generate_series(1, 9) n) x;

-- What agents see of such types is draft 2020-12, and accepts the same.
CALL test.tenant('dialects', 'mia write');
SET SESSION AUTHORIZATION mia;
SELECT jsonb_pretty(kg_apply_bundle('{"bundle_name": "older", "version": "1",
  "definitions": [{"$id": "https://x.example/seven", "$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"pair": {"$ref": "#/definitions/two", "maxItems": 1},
    "two": {"type": "array", "items": [{"type": "integer"}], "additionalItems": {"type": "string"}}}}],
  "schemas": [
  {"entity_type": "four", "schema": {"$schema": "http://json-schema.org/draft-04/schema#", "id": "https://x.example/four", "type": "object", "x-id-field": "id", "x-tool-expose": ["create"],
    "properties": {"id": {"type": "string"}, "n": {"type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 5, "exclusiveMaximum": false}, "c": {"const": 1},
      "l": {"type": "array", "items": {"type": "integer"}, "additionalItems": false}, "pair": {"$ref": "https://x.example/seven#/definitions/pair"}}}},
  {"entity_type": "open", "schema": {"$schema": "https://spec.openapis.org/oas/3.0/dialect", "type": "object", "x-id-field": "id", "x-tool-expose": ["create", "list"],
    "properties": {"id": {"type": "string"}, "note": {"type": "string", "nullable": true}, "n": {"type": "integer", "minimum": 3, "exclusiveMinimum": true}}}}]}') -> 'warnings');
SELECT t ->> 'name' AS tool, jsonb_pretty(t #> '{inputSchema,properties,items,items,properties}') AS properties
FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' IN ('create_four', 'create_open') ORDER BY t ->> 'name' COLLATE "C";
SELECT item, kg_validate(jsonb_build_object('items', jsonb_build_array(item)), t -> 'inputSchema') AS fits,
  (kg_call_tool(tool, jsonb_build_object('items', jsonb_build_array(item), 'dry_run', true)) ->> 'isError')::boolean IS NOT TRUE AS accepted
FROM (VALUES ('create_four', '{"id": "a", "n": 0}'::jsonb), ('create_four', '{"id": "a", "n": 5}'), ('create_four', '{"id": "a", "c": 2, "l": [1]}'), ('create_four', '{"id": "a", "pair": [1, "x"]}'),
  ('create_four', '{"id": "a", "pair": [1, 2]}'), ('create_open', '{"id": "a", "note": null, "n": 4}'), ('create_open', '{"id": "a", "n": null}'), ('create_open', '{"id": "a", "n": 3}')) c (tool, item),
  jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = tool ORDER BY tool COLLATE "C", item;
-- A required reference that may be null becomes null with its target; another one keeps the target.
SELECT FROM unnest('{true,false}'::boolean[]) n, kg_apply_bundle(jsonb_build_object('bundle_name', 'referring-' || n, 'version', '1', 'schemas',
  jsonb_build_array(jsonb_build_object('entity_type', 'page_' || n, 'schema', jsonb_build_object('$schema', 'https://spec.openapis.org/oas/3.0/dialect', 'type', 'object', 'x-id-field', 'id',
    'required', '["of"]'::jsonb, 'properties', jsonb_build_object('id', '{"type": "string"}'::jsonb, 'of', '{"type": "string", "x-ref": "older/open", "x-on-delete": "set_null"}'::jsonb || jsonb_build_object('nullable', n)))))));
SELECT kg_put_entities('open', '[{"id": "a"}, {"id": "b"}]') -> 'counts' AS open, kg_put_entities('page_true', '[{"id": "p", "of": "a"}]') -> 'counts' AS pages,
  kg_put_entities('page_false', '[{"id": "p", "of": "b"}]') -> 'counts' AS pages;
SELECT kg_delete_entities('open', '{a}') -> 'counts' AS counts;
SELECT kg_delete_entities('open', '{b}');
SELECT kg_get('page_true', 'p'), kg_get('page_false', 'p');
RESET SESSION AUTHORIZATION;
CALL test.drop('dialects');
