-- Records of calls (src/auth/audit.c). A DBA creates partitions by month
-- (docs/operations.md). Rows that have no such partition are in kg_audit_rest.

CREATE SEQUENCE @extschema@.kg_audit_seq CACHE 64;
CREATE TABLE @extschema@.kg_audit (
  tenant         text COLLATE "C" NOT NULL,
  at             timestamptz NOT NULL,
  id             bigint NOT NULL DEFAULT pg_catalog.nextval('@extschema@.kg_audit_seq'),
  role           text COLLATE "C",
  subject        text,
  agent          text COLLATE "C",
  session        text COLLATE "C",
  tool           text COLLATE "C" NOT NULL,
  version        text,
  arguments      jsonb,
  arguments_hash text COLLATE "C",
  rows           bigint,
  bytes          bigint,
  edges          bigint,
  decisions      bigint,
  ms             double precision,
  code           text COLLATE "C",
  query          jsonb,
  sql            jsonb
) PARTITION BY RANGE (at);
COMMENT ON TABLE @extschema@.kg_audit IS 'calls that were recorded because the setting kg_graph.audit asks for it; admins read those of their tenant';
COMMENT ON COLUMN @extschema@.kg_audit.tenant IS 'empty: the caller had no tenant';
COMMENT ON COLUMN @extschema@.kg_audit.arguments_hash IS 'SHA-256 of the binary form of the arguments; equal arguments have equal hashes';
-- Each partition has its own primary key. If kg_audit had one, a restore of a dump
-- would create the key of a partition twice.
CREATE TABLE @extschema@.kg_audit_rest PARTITION OF @extschema@.kg_audit (PRIMARY KEY (tenant, at, id)) DEFAULT;
COMMENT ON TABLE @extschema@.kg_audit_rest IS 'rows of kg_audit for which a DBA made no partition';

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_audit_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_audit', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_audit_rest', '');

ALTER TABLE @extschema@.kg_audit ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_audit FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_audit_rest ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_audit_rest FORCE ROW LEVEL SECURITY;
-- Admins read the records only if they see the whole tenant, because arguments may
-- contain data that scope paths or an agent hide.
CREATE POLICY kg_audit_select ON @extschema@.kg_audit FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant('admin'));
CREATE POLICY kg_audit_rest_select ON @extschema@.kg_audit_rest FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant('admin'));

CREATE FUNCTION @extschema@.kg_stat_tools(since interval DEFAULT '1 day')
    RETURNS TABLE (tool text, calls bigint, errors jsonb, p50 double precision, p95 double precision, p99 double precision, rows bigint, bytes bigint)
  LANGUAGE sql STABLE STRICT PARALLEL RESTRICTED
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  WITH call AS (SELECT a.tool, a.code, a.ms, a.rows, a.bytes FROM @extschema@.kg_audit a WHERE a.at >= now() - $1)
  SELECT c.tool, count(*),
         coalesce((SELECT jsonb_object_agg(e.code, e.n) FROM (SELECT x.code, count(*) AS n FROM call x WHERE x.tool = c.tool AND x.code IS NOT NULL GROUP BY x.code) e), '{}'),
         round(percentile_cont(0.5) WITHIN GROUP (ORDER BY c.ms)::numeric, 3)::double precision, round(percentile_cont(0.95) WITHIN GROUP (ORDER BY c.ms)::numeric, 3)::double precision,
         round(percentile_cont(0.99) WITHIN GROUP (ORDER BY c.ms)::numeric, 3)::double precision,
         sum(c.rows)::bigint, sum(c.bytes)::bigint
    FROM call c GROUP BY c.tool ORDER BY c.tool;
END;
COMMENT ON FUNCTION @extschema@.kg_stat_tools(interval) IS
  'calls, errors by code, milliseconds, rows and bytes of each tool in the last interval, from kg_audit; for admins, of their tenant';
