-- Limits of callers and quotas of tenants (src/auth/limits.c, src/auth/limit_changes.c).

CREATE TABLE @extschema@.kg_limit (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  subject      text COLLATE "C" NOT NULL CHECK (subject ~ '^([*]|ceiling|role:.+|agent:.+|sub:.+)$'),
  limits       jsonb NOT NULL,
  updated_at   timestamptz NOT NULL DEFAULT pg_catalog.now(),
  PRIMARY KEY (tenant, subject)
);
COMMENT ON TABLE @extschema@.kg_limit IS 'limits of callers and quotas of tenants; made by kg_set_limits()';
COMMENT ON COLUMN @extschema@.kg_limit.subject IS '*, role:NAME, agent:NAME, sub:VALUE; ceiling: what the extension''s owner set for all';
COMMENT ON COLUMN @extschema@.kg_limit.limits IS 'numbers, of times in milliseconds; null is as the setting';

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_limit', '');

CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_limit
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

ALTER TABLE @extschema@.kg_limit ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_limit FORCE ROW LEVEL SECURITY;

CREATE POLICY kg_limit_select ON @extschema@.kg_limit FOR SELECT
  USING (tenant = @extschema@.kg_tenant('admin'));

CREATE FUNCTION @extschema@.kg_set_limits(tenant text, subject text, limits jsonb) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_set_limits';
COMMENT ON FUNCTION @extschema@.kg_set_limits(text, text, jsonb) IS
  'limit what a subject may take: *, role:NAME, agent:NAME, sub:VALUE; for the tenant''s admins, and for the owner of the extension, whose * is the ceiling';

CREATE FUNCTION @extschema@.kg_limits() RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_limits';
COMMENT ON FUNCTION @extschema@.kg_limits() IS
  'the limits that hold for the caller now';
