-- Registered tools (src/register.c, src/tools/registered/register.c, src/store/registered_tools.c).

CREATE TABLE @extschema@.kg_tool_version (
  tenant        text COLLATE "C" NOT NULL,
  tool          text COLLATE "C" NOT NULL,
  precedence    bytea NOT NULL,
  version       text COLLATE "C" NOT NULL,
  toolset       text COLLATE "C" NOT NULL,
  bundle        text COLLATE "C",
  deprecated    text,
  definition    jsonb NOT NULL,
  registered_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
  PRIMARY KEY (tenant, tool, precedence),
  FOREIGN KEY (tenant, tool) REFERENCES @extschema@.kg_tool ON DELETE CASCADE
);
COMMENT ON TABLE @extschema@.kg_tool_version IS 'versions of registered tools; written by kg_register_tool() and by bundles';
COMMENT ON COLUMN @extschema@.kg_tool_version.precedence IS 'order of the versions of a tool by semver 2.0.0; versions that differ only in build metadata have the same precedence';
COMMENT ON COLUMN @extschema@.kg_tool_version.bundle IS 'bundle that has the tool; NULL: the tool is in no bundle';
COMMENT ON COLUMN @extschema@.kg_tool_version.deprecated IS 'reason for the deprecation, or an empty text; NULL: not deprecated';
COMMENT ON COLUMN @extschema@.kg_tool_version.definition IS 'complete definition, with the defaults, without the deprecation; never changes';

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_tool_version', '');

CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_tool_version
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

ALTER TABLE @extschema@.kg_tool_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_tool_version FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_tool_version_select ON @extschema@.kg_tool_version FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));

CREATE FUNCTION @extschema@.kg_register_tool(definition jsonb) RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_register_tool';
COMMENT ON FUNCTION @extschema@.kg_register_tool(jsonb) IS
  'register a version of a tool; the same definition again changes nothing except the deprecation; for the tenant''s admins, functions for the owner of the extension';

CREATE FUNCTION @extschema@.kg_unregister_tool(name text, version text DEFAULT NULL) RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_unregister_tool';
COMMENT ON FUNCTION @extschema@.kg_unregister_tool(text, text) IS
  'remove a version of a registered tool, or all versions; for the tenant''s admins';

CREATE FUNCTION @extschema@.kg_registered_tools()
  RETURNS TABLE (tool text, version text, kind text, toolset text, latest boolean, deprecated text, bundle text, aliases jsonb, registered_at timestamptz, definition jsonb)
  LANGUAGE sql STABLE PARALLEL RESTRICTED
  SET search_path = pg_catalog, pg_temp SET row_security = on
  BEGIN ATOMIC
SELECT v.tool, v.version, v.definition ->> 'kind', v.toolset,
       v.precedence IS NOT DISTINCT FROM (SELECT w.precedence FROM @extschema@.kg_tool_version w
         WHERE w.tenant = v.tenant AND w.tool = v.tool AND w.deprecated IS NULL AND split_part(w.version, '+', 1) !~ '-' ORDER BY w.precedence DESC LIMIT 1),
       v.deprecated, v.bundle, v.definition -> 'aliases', v.registered_at, v.definition
  FROM @extschema@.kg_tool_version v ORDER BY v.tenant, v.tool, v.precedence;
END;
COMMENT ON FUNCTION @extschema@.kg_registered_tools() IS
  'all versions of the registered tools that the caller sees, in their order; latest marks the version that the name alone means';
