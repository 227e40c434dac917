-- Renaming of tenants and of all their rows (src/store/tenant/rows.c).

CREATE TABLE @extschema@.kg_former_name (
  name         text COLLATE "C" PRIMARY KEY,
  became       text COLLATE "C" NOT NULL,
  since        timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE @extschema@.kg_former_name IS 'former names of renamed tenants; no new tenant can have such a name before kg_free_tenant_name()';
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_former_name', '');

ALTER TABLE @extschema@.kg_former_name ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_former_name FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_former_name_nobody ON @extschema@.kg_former_name FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_rename_tenant(tenant text, name text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_rename_tenant';
COMMENT ON FUNCTION @extschema@.kg_rename_tenant(text, text) IS
  'rename a frozen tenant with all its data; new tenants cannot have the old name; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_free_tenant_name(name text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_free_tenant_name';
COMMENT ON FUNCTION @extschema@.kg_free_tenant_name(text) IS
  'let new tenants have a name that a tenant had before kg_rename_tenant(); for the owner of the extension';

CREATE FUNCTION @extschema@.kg_tenant_size(tenant text) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_tenant_size';
COMMENT ON FUNCTION @extschema@.kg_tenant_size(text) IS
  'number of rows of a tenant in each table, and the bytes of their values; for the owner of the extension';
