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

-- Tenants that are in another database now (src/tenants.c).
CREATE TABLE @extschema@.kg_moved_tenant (
  name         text COLLATE "C" PRIMARY KEY,
  roles        text[] COLLATE "C" NOT NULL,
  since        timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE @extschema@.kg_moved_tenant IS 'tenants that moved to another database, and the roles that had them: who still calls for one here is told to try again; made by kg_mark_moved(), gone when a tenant gets the name';
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_moved_tenant', '');

ALTER TABLE @extschema@.kg_moved_tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_moved_tenant FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_moved_tenant_nobody ON @extschema@.kg_moved_tenant FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_mark_moved(tenant text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_mark_moved';
COMMENT ON FUNCTION @extschema@.kg_mark_moved(text) IS
  'take a frozen tenant from everybody, as kg_drop_tenant() does, which is to delete its rows, and let who calls for it try again elsewhere; for the owner of the extension';

-- A tool by the bearer of a token (src/tool_calls.c).
CREATE FUNCTION @extschema@.kg_call_with_token(token text, tool text, arguments jsonb DEFAULT '{}', options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_call_with_token';
COMMENT ON FUNCTION @extschema@.kg_call_with_token(text, text, jsonb, jsonb) IS
  'kg_login() and kg_call_tool() in one statement; pass the token as a parameter, not in the text';

CREATE FUNCTION @extschema@.kg_token_limits(token text) RETURNS jsonb
  LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  SELECT @extschema@.kg_limits() FROM @extschema@.kg_login(token);
END;
COMMENT ON FUNCTION @extschema@.kg_token_limits(text) IS
  'kg_login() and kg_limits() in one statement, for gateways; pass the token as a parameter, not in the text';

REVOKE EXECUTE ON FUNCTION @extschema@.kg_rename_tenant(text, text), @extschema@.kg_free_tenant_name(text), @extschema@.kg_tenant_size(text), @extschema@.kg_mark_moved(text) FROM PUBLIC;

INSERT INTO @extschema@.kg_manifest(on_table, kind, name, major, definition)
SELECT d.on_table, d.kind, d.name, pg_catalog.current_setting('server_version_num')::integer / 10000, @extschema@.kg_manifest_text(d.definition)
  FROM (SELECT place, kind, on_table, name, definition FROM @extschema@.kg_definitions() UNION ALL SELECT * FROM @extschema@.kg_table_settings()) d
 WHERE d.on_table IN ('kg_former_name', 'kg_moved_tenant');
