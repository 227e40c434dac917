-- Export and import of tenants as lines of JSON (src/store/tenant/export.c,
-- src/store/tenant/import.c).

-- The shard whose numbers this database assigns (kg_set_shard()). If there is no
-- row, it is shard 0.
CREATE TABLE @extschema@.kg_number_range (
  shard        integer PRIMARY KEY CHECK (shard BETWEEN 1 AND 2047)
);
COMMENT ON TABLE @extschema@.kg_number_range IS 'number of this database if tenants move between databases; its nodes have numbers from shard * 2^40, its types and relations from shard * 2^20; made by kg_set_shard()';
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_number_range', '');

-- The received parts of tenants that are being imported. The tenant gets no rows
-- before the last part has arrived. If a crash empties these tables, all parts must
-- be sent again.
CREATE UNLOGGED TABLE @extschema@.kg_import (
  tenant       text COLLATE "C" PRIMARY KEY,
  part         integer NOT NULL,
  lines        bigint NOT NULL,
  digest       bytea NOT NULL,
  head         jsonb NOT NULL,
  since        timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE @extschema@.kg_import IS 'tenants whose import by kg_import_tenant() lacks the last part; for the owner only';
CREATE UNLOGGED TABLE @extschema@.kg_import_row (
  tenant       text COLLATE "C" NOT NULL,
  "table"      text COLLATE "C" NOT NULL,
  line         bigint NOT NULL,
  "row"        jsonb NOT NULL,
  PRIMARY KEY (tenant, "table", line)
);
COMMENT ON TABLE @extschema@.kg_import_row IS 'imported rows of the tenants in kg_import; for the owner only';
CREATE UNLOGGED TABLE @extschema@.kg_import_number (
  tenant       text COLLATE "C" NOT NULL,
  kind         "char" NOT NULL CHECK (kind IN ('n', 't', 'r')),
  first        bigint NOT NULL,
  last         bigint NOT NULL,
  becomes      bigint NOT NULL,
  PRIMARY KEY (tenant, kind, first)
);
COMMENT ON TABLE @extschema@.kg_import_number IS 'old and new numbers of the nodes, types and relations of a tenant, as ranges; empty except during its import';

ALTER TABLE @extschema@.kg_number_range ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_number_range FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_import ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_import FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_import_row ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_import_row FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_import_number ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_import_number FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_number_range_nobody ON @extschema@.kg_number_range FOR ALL
  USING (false);
CREATE POLICY kg_import_nobody ON @extschema@.kg_import FOR ALL
  USING (false);
CREATE POLICY kg_import_row_nobody ON @extschema@.kg_import_row FOR ALL
  USING (false);
CREATE POLICY kg_import_number_nobody ON @extschema@.kg_import_number FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_set_shard(shard integer) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_set_shard';
COMMENT ON FUNCTION @extschema@.kg_set_shard(integer) IS
  'give a database without tenants its own range of numbers, 1 to 2047, so that tenants keep their numbers when they move; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_export_tenant(tenant text, options jsonb DEFAULT '{}') RETURNS SETOF text
  LANGUAGE C STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  SET TimeZone = 'UTC' SET bytea_output = hex SET extra_float_digits = 1
  AS 'MODULE_PATHNAME', 'kg_sql_export_tenant';
COMMENT ON FUNCTION @extschema@.kg_export_tenant(text, jsonb) IS
  'all data of a tenant as lines of JSON, for kg_import_tenant(); option secrets; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_import_tenant(lines text[], options jsonb DEFAULT '{}', part integer DEFAULT 1) RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  SET TimeZone = 'UTC'
  AS 'MODULE_PATHNAME', 'kg_sql_import_tenant';
COMMENT ON FUNCTION @extschema@.kg_import_tenant(text[], jsonb, integer) IS
  'make a tenant from the lines of kg_export_tenant(), which may come in several parts; options name, frozen, create_roles, without_policies; for the owner of the extension';

-- Tenants that have moved to another database (src/tenants.c).
CREATE TABLE @extschema@.kg_moved_tenant (
  name         text COLLATE "C" PRIMARY KEY,
  roles        text[] COLLATE "C" NOT NULL,
  since        timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE @extschema@.kg_moved_tenant IS 'tenants that moved to another database, with their roles, whose calls here get an error that tells them to try again; made by kg_mark_moved(); deleted when a tenant gets the name';
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_moved_tenant', '');

ALTER TABLE @extschema@.kg_moved_tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_moved_tenant FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_moved_tenant_nobody ON @extschema@.kg_moved_tenant FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_mark_moved(tenant text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_mark_moved';
COMMENT ON FUNCTION @extschema@.kg_mark_moved(text) IS
  'make a frozen tenant inaccessible, and tell its callers to try again, because it moved to another database; kg_drop_tenant() then deletes its rows; for the owner of the extension';
