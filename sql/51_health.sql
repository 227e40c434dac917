-- Is everything as it should be (src/health.c)?

CREATE FUNCTION @extschema@.kg_health() RETURNS jsonb
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_health';
COMMENT ON FUNCTION @extschema@.kg_health() IS
  'status, version and components with metrics, at once; all to the owner and to gateways, of its own tenant to everybody else';
