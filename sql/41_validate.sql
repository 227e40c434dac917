-- JSON Schema, usable alone: docs/validation.md.

CREATE FUNCTION @extschema@.kg_validate(instance jsonb, schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validate';
COMMENT ON FUNCTION @extschema@.kg_validate(jsonb, jsonb, jsonb) IS
  'Whether the instance is valid against the JSON Schema (draft 2020-12, 2019-09 or draft-07 by $schema); options: dialect, resources, format';

CREATE FUNCTION @extschema@.kg_validation_errors(instance jsonb, schema jsonb, options jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validation_errors';
COMMENT ON FUNCTION @extschema@.kg_validation_errors(jsonb, jsonb, jsonb) IS
  'Every violation: an array of {path, keyword, schema_path, got, expected}, or with the option output the formats flag, basic and detailed; further options: dialect, resources, format, max_errors';

CREATE FUNCTION @extschema@.kg_schema_check(schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_schema_check';
COMMENT ON FUNCTION @extschema@.kg_schema_check(jsonb, jsonb) IS
  'True for a JSON Schema that compiles here; for another, an error that says what is wrong and where';

