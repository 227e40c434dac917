\echo Use "ALTER EXTENSION kg_graph UPDATE TO '0.2.0'" to load this file. \quit

SET LOCAL search_path TO pg_catalog, pg_temp;

-- Tenants that get another name, and what they take (src/store/tenant_rows.c).

CREATE TABLE @extschema@.kg_former_name (
  name         text COLLATE "C" PRIMARY KEY,
  became       text COLLATE "C" NOT NULL,
  since        timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE @extschema@.kg_former_name IS 'names that tenants had before kg_rename_tenant(), and that no tenant gets before kg_free_tenant_name()';
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_former_name', '');

ALTER TABLE @extschema@.kg_former_name ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_former_name FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_former_name_nobody ON @extschema@.kg_former_name FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_rename_tenant(tenant text, name text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_rename_tenant';
COMMENT ON FUNCTION @extschema@.kg_rename_tenant(text, text) IS
  'give a frozen tenant another name, with all that it has; the old one is kept from new tenants; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_free_tenant_name(name text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_free_tenant_name';
COMMENT ON FUNCTION @extschema@.kg_free_tenant_name(text) IS
  'let a new tenant have the name that one had before kg_rename_tenant(); for the owner of the extension';

CREATE FUNCTION @extschema@.kg_tenant_size(tenant text) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_tenant_size';
COMMENT ON FUNCTION @extschema@.kg_tenant_size(text) IS
  'how many rows a tenant has in each table, and the bytes of their values; for the owner of the extension';

REVOKE EXECUTE ON FUNCTION @extschema@.kg_rename_tenant(text, text), @extschema@.kg_free_tenant_name(text), @extschema@.kg_tenant_size(text) FROM PUBLIC;

-- The policies come before what is asked of a document (49_views.sql).

ALTER FUNCTION @extschema@.kg_column_text(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_text_array(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_bigint(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_bigint_array(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_numeric(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_numeric_array(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_boolean(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_boolean_array(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_date(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_date_array(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_timestamptz(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_timestamptz_array(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_jsonb(jsonb, text) COST 10;

INSERT INTO @extschema@.kg_manifest(on_table, kind, name, major, definition)
SELECT d.on_table, d.kind, d.name, pg_catalog.current_setting('server_version_num')::integer / 10000, @extschema@.kg_manifest_text(d.definition)
  FROM (SELECT place, kind, on_table, name, definition FROM @extschema@.kg_definitions() UNION ALL SELECT * FROM @extschema@.kg_table_settings()) d
 WHERE d.on_table = 'kg_former_name';
