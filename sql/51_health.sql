-- kg_health(), a quick check of the extension (src/health.c).

CREATE FUNCTION @extschema@.kg_health() RETURNS jsonb
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_health';
COMMENT ON FUNCTION @extschema@.kg_health() IS
  'state, version, components and metrics, without long work; all of them for the owner and gateways, for others those of their tenant';

CREATE FUNCTION @extschema@.kg_check(options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check';
COMMENT ON FUNCTION @extschema@.kg_check(jsonb) IS
  'derive all rows again and compare them, and check tables, grants and policies; returns each fault with its repair; options repair, limit, tenant; the owner for all tenants, admins for theirs';
