-- JSON Schema, usable without tenants and bundles: docs/validation.md.

CREATE FUNCTION @extschema@.kg_validate(instance jsonb, schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validate';
COMMENT ON FUNCTION @extschema@.kg_validate(jsonb, jsonb, jsonb) IS
  'whether the instance is valid against the JSON Schema, of the dialect that $schema or the option dialect names; further options: resources, format';

CREATE FUNCTION @extschema@.kg_validation_errors(instance jsonb, schema jsonb, options jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validation_errors';
COMMENT ON FUNCTION @extschema@.kg_validation_errors(jsonb, jsonb, jsonb) IS
  'all violations, as an array of {path, keyword, schema_path, got, expected}; option output: flag, basic or detailed; further options: dialect, resources, format, max_errors';

-- A literal without a type gets the variant for text, because PostgreSQL cannot
-- choose between json and jsonb.
CREATE FUNCTION @extschema@.kg_validate(instance json, schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validate_text';
COMMENT ON FUNCTION @extschema@.kg_validate(json, jsonb, jsonb) IS
  'as kg_validate(jsonb, jsonb, jsonb), for an instance of type json';

CREATE FUNCTION @extschema@.kg_validate(instance text, schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validate_text';
COMMENT ON FUNCTION @extschema@.kg_validate(text, jsonb, jsonb) IS
  'as kg_validate(jsonb, jsonb, jsonb), for the text of an instance';

CREATE FUNCTION @extschema@.kg_validation_errors(instance json, schema jsonb, options jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validation_errors_text';
COMMENT ON FUNCTION @extschema@.kg_validation_errors(json, jsonb, jsonb) IS
  'as kg_validation_errors(jsonb, jsonb, jsonb), for an instance of type json';

CREATE FUNCTION @extschema@.kg_validation_errors(instance text, schema jsonb, options jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validation_errors_text';
COMMENT ON FUNCTION @extschema@.kg_validation_errors(text, jsonb, jsonb) IS
  'as kg_validation_errors(jsonb, jsonb, jsonb), for the text of an instance';

CREATE FUNCTION @extschema@.kg_schema_check(schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_schema_check';
COMMENT ON FUNCTION @extschema@.kg_schema_check(jsonb, jsonb) IS
  'true for a JSON Schema that compiles, otherwise an error that names the fault and its place; warns of keywords that the dialect ignores';

