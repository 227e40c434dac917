-- Bundles (src/bundle.c, src/store/bundle).

CREATE FUNCTION @extschema@.kg_apply_bundle(bundle jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_apply_bundle';
COMMENT ON FUNCTION @extschema@.kg_apply_bundle(jsonb, jsonb) IS
  'make a bundle what is given, or merge it in; options mode, dry_run, expected_revision, max_errors, max_diff, idempotency_key; needs write access';

CREATE FUNCTION @extschema@.kg_apply_bundle_text(bundle text, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_apply_bundle_text';
COMMENT ON FUNCTION @extschema@.kg_apply_bundle_text(text, jsonb) IS
  'kg_apply_bundle() of JSON text, which takes less memory than a jsonb made of it; needs write access';

CREATE FUNCTION @extschema@.kg_export_bundle(name text) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_export_bundle';
COMMENT ON FUNCTION @extschema@.kg_export_bundle(text) IS
  'a bundle as kg_apply_bundle() takes it; needs read access';

CREATE FUNCTION @extschema@.kg_export_bundle_parts(bundle text) RETURNS TABLE (part text, name text, value jsonb)
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_export_bundle_parts';
COMMENT ON FUNCTION @extschema@.kg_export_bundle_parts(text) IS
  'kg_export_bundle() in rows, however large it is: bundle (all but what follows), items (arrays, of the type name), edges (arrays); needs read access';

CREATE FUNCTION @extschema@.kg_drop_bundle(name text, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_drop_bundle';
COMMENT ON FUNCTION @extschema@.kg_drop_bundle(text, jsonb) IS
  'delete a bundle with its types, entities, edges and tools; option idempotency_key; needs write access';

CREATE FUNCTION @extschema@.kg_bind_table(bundle text, table_name text, mapping jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_bind_table';
COMMENT ON FUNCTION @extschema@.kg_bind_table(text, text, jsonb) IS
  'make an entity type that reads a table or view in place, and merge it into a bundle; needs admin access and SELECT on the table';

CREATE FUNCTION @extschema@.kg_suggest_bindings(schema text, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_suggest_bindings';
COMMENT ON FUNCTION @extschema@.kg_suggest_bindings(text, jsonb) IS
  'a bundle of types that read the tables of a schema, to look through and apply; options bundle, shared, tenant_column; needs read access';

CREATE FUNCTION @extschema@.kg_binding_report(type text) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_binding_report';
COMMENT ON FUNCTION @extschema@.kg_binding_report(text) IS
  'the table of a type that reads one: the properties and relations that an index serves, indexes that would help, and faults; needs read access';
