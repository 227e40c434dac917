-- kg_health(), a quick check of the extension (src/health.c).

CREATE FUNCTION @extschema@.kg_health() RETURNS jsonb
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_health';
COMMENT ON FUNCTION @extschema@.kg_health() IS
  'status, version and components with metrics, at once; all to the owner and to gateways, of its own tenant to everybody else';

CREATE FUNCTION @extschema@.kg_check(options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check';
COMMENT ON FUNCTION @extschema@.kg_check(jsonb) IS
  'derive every row anew and compare, and look at tables, grants and policies; what differs, with its repair; options repair, limit, tenant; the owner for all, admins for their tenant';
