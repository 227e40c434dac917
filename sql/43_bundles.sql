-- Bundles (src/bundle.c, src/store/bundle).

CREATE FUNCTION @extschema@.kg_apply_bundle(bundle jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_apply_bundle';
COMMENT ON FUNCTION @extschema@.kg_apply_bundle(jsonb, jsonb) IS
  'make the stored bundle equal to the argument, or merge the argument into it; options mode, dry_run, expected_revision, max_errors, max_diff, idempotency_key; needs write access';

CREATE FUNCTION @extschema@.kg_apply_bundle_text(bundle text, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_apply_bundle_text';
COMMENT ON FUNCTION @extschema@.kg_apply_bundle_text(text, jsonb) IS
  'kg_apply_bundle() for JSON text, which needs less memory than a jsonb value; needs write access';

CREATE FUNCTION @extschema@.kg_export_bundle(name text) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_export_bundle';
COMMENT ON FUNCTION @extschema@.kg_export_bundle(text) IS
  'a bundle in the form that kg_apply_bundle() accepts; needs read access';

CREATE FUNCTION @extschema@.kg_export_bundle_parts(bundle text) RETURNS TABLE (part text, name text, value jsonb)
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_export_bundle_parts';
COMMENT ON FUNCTION @extschema@.kg_export_bundle_parts(text) IS
  'a bundle of any size in rows; part bundle: all but the other parts; items: arrays of entities of the type name; edges: arrays of edges; needs read access';

CREATE FUNCTION @extschema@.kg_drop_bundle(name text, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_drop_bundle';
COMMENT ON FUNCTION @extschema@.kg_drop_bundle(text, jsonb) IS
  'delete a bundle with its types, entities, edges and tools; option idempotency_key; needs write access';

CREATE FUNCTION @extschema@.kg_bind_table(bundle text, table_name text, mapping jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_bind_table';
COMMENT ON FUNCTION @extschema@.kg_bind_table(text, text, jsonb) IS
  'make an entity type whose entities are the rows of a table or view, and merge it into a bundle; needs admin access and SELECT on the table';

CREATE FUNCTION @extschema@.kg_suggest_bindings(schema text, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_suggest_bindings';
COMMENT ON FUNCTION @extschema@.kg_suggest_bindings(text, jsonb) IS
  'a bundle of types that read the tables of a schema, to be reviewed and applied; options bundle, shared, tenant_column; needs read access';

CREATE FUNCTION @extschema@.kg_binding_report(type text) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_binding_report';
COMMENT ON FUNCTION @extschema@.kg_binding_report(text) IS
  'the table that a type reads, the properties and relations that an index serves, further useful indexes, and faults; needs read access';
