-- JSON Schema, usable without tenants and bundles: docs/validation.md.

CREATE FUNCTION @extschema@.kg_validate(instance jsonb, schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validate';
COMMENT ON FUNCTION @extschema@.kg_validate(jsonb, jsonb, jsonb) IS
  'Whether the instance is valid against the JSON Schema (draft 2020-12, 2019-09, draft-07, draft-06 or draft-04, or OpenAPI 3.0, by $schema); options: dialect, resources, format';

CREATE FUNCTION @extschema@.kg_validation_errors(instance jsonb, schema jsonb, options jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validation_errors';
COMMENT ON FUNCTION @extschema@.kg_validation_errors(jsonb, jsonb, jsonb) IS
  'Every violation: an array of {path, keyword, schema_path, got, expected}, or with the option output the formats flag, basic and detailed; further options: dialect, resources, format, max_errors';

-- A literal without a type gets the variant for text, because PostgreSQL cannot
-- choose between json and jsonb.
CREATE FUNCTION @extschema@.kg_validate(instance json, schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validate_text';
COMMENT ON FUNCTION @extschema@.kg_validate(json, jsonb, jsonb) IS
  'As kg_validate(jsonb, jsonb, jsonb), for an instance of type json';

CREATE FUNCTION @extschema@.kg_validate(instance text, schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validate_text';
COMMENT ON FUNCTION @extschema@.kg_validate(text, jsonb, jsonb) IS
  'As kg_validate(jsonb, jsonb, jsonb), for the text of an instance';

CREATE FUNCTION @extschema@.kg_validation_errors(instance json, schema jsonb, options jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validation_errors_text';
COMMENT ON FUNCTION @extschema@.kg_validation_errors(json, jsonb, jsonb) IS
  'As kg_validation_errors(jsonb, jsonb, jsonb), for an instance of type json';

CREATE FUNCTION @extschema@.kg_validation_errors(instance text, schema jsonb, options jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validation_errors_text';
COMMENT ON FUNCTION @extschema@.kg_validation_errors(text, jsonb, jsonb) IS
  'As kg_validation_errors(jsonb, jsonb, jsonb), for the text of an instance';

CREATE FUNCTION @extschema@.kg_schema_check(schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_schema_check';
COMMENT ON FUNCTION @extschema@.kg_schema_check(jsonb, jsonb) IS
  'True for a JSON Schema that compiles here; for another, an error that says what is wrong and where; a keyword that the dialect ignores is a warning';

