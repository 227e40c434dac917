-- Limits of callers and quotas of tenants (src/auth/limits.c, src/auth/limit_changes.c).

CREATE TABLE @extschema@.kg_limit (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  subject      text COLLATE "C" NOT NULL CHECK (subject ~ '^([*]|ceiling|role:.+|agent:.+|sub:.+)$'),
  limits       jsonb NOT NULL,
  updated_at   timestamptz NOT NULL DEFAULT pg_catalog.now(),
  PRIMARY KEY (tenant, subject)
);
COMMENT ON TABLE @extschema@.kg_limit IS 'limits of callers and quotas of tenants; made by kg_set_limits()';
COMMENT ON COLUMN @extschema@.kg_limit.subject IS '*, role:NAME, agent:NAME or sub:VALUE; ceiling: limits for all callers, set by the owner of the extension';
COMMENT ON COLUMN @extschema@.kg_limit.limits IS 'numbers; times are in milliseconds; null: the value of the setting';

CREATE TABLE @extschema@.kg_quota (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  quota        text COLLATE "C" NOT NULL,
  stripe       integer NOT NULL,
  used         bigint NOT NULL,
  allotted     bigint NOT NULL,
  PRIMARY KEY (tenant, quota, stripe)
) WITH (fillfactor = 50);
COMMENT ON TABLE @extschema@.kg_quota IS 'usage of tenants with quotas, in rows that concurrent sessions update without waiting for each other; the sum of allotted is the quota; derived';

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_limit', '');

CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.kg_limit
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

CREATE TRIGGER kg_no_truncate BEFORE TRUNCATE ON @extschema@.kg_limit
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_refuse_truncate();
CREATE TRIGGER kg_no_truncate BEFORE TRUNCATE ON @extschema@.kg_quota
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_refuse_truncate();

-- This trigger checks rows that are written directly to the table, also by a
-- restore.
CREATE FUNCTION @extschema@.kg_check_limit() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check_limit';
COMMENT ON FUNCTION @extschema@.kg_check_limit() IS
  'row trigger of kg_limit: refuses the limits that kg_set_limits() refuses';
CREATE TRIGGER kg_limit_check BEFORE INSERT OR UPDATE ON @extschema@.kg_limit
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_check_limit();

CREATE FUNCTION @extschema@.kg_reset_quotas() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_reset_quotas';
COMMENT ON FUNCTION @extschema@.kg_reset_quotas() IS
  'row trigger of kg_limit: counts the present usage of a tenant with a quota';
CREATE TRIGGER kg_quotas_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.kg_limit
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_reset_quotas();

CREATE FUNCTION @extschema@.kg_count_bundles() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_count_bundles';
COMMENT ON FUNCTION @extschema@.kg_count_bundles() IS
  'statement trigger of kg_bundle: counts the bundles of tenants with a quota';
CREATE TRIGGER kg_quota_inserted AFTER INSERT ON @extschema@.kg_bundle
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_count_bundles();
CREATE TRIGGER kg_quota_deleted AFTER DELETE ON @extschema@.kg_bundle
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_count_bundles();

ALTER TABLE @extschema@.kg_quota ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_quota FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_limit ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_limit FORCE ROW LEVEL SECURITY;

CREATE POLICY kg_limit_select ON @extschema@.kg_limit FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant('admin'));

CREATE POLICY kg_quota_select ON @extschema@.kg_quota FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant('admin'));

CREATE FUNCTION @extschema@.kg_set_limits(tenant text, subject text, limits jsonb) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_set_limits';
COMMENT ON FUNCTION @extschema@.kg_set_limits(text, text, jsonb) IS
  'set limits of a subject: *, role:NAME, agent:NAME or sub:VALUE; for the tenant''s admins, and for the owner of the extension, whose limits of * are the ceiling';

CREATE FUNCTION @extschema@.kg_limits() RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_limits';
COMMENT ON FUNCTION @extschema@.kg_limits() IS
  'the limits that apply to the caller now';

CREATE FUNCTION @extschema@.kg_token_limits(token text) RETURNS jsonb
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  SELECT @extschema@.kg_limits() FROM @extschema@.kg_login(token);
END;
COMMENT ON FUNCTION @extschema@.kg_token_limits(text) IS
  'kg_login() and kg_limits() in one statement, for gateways; pass the token as a parameter, not in the text of the statement';

-- Replies to writes that were sent with an idempotency key
-- (src/store/idempotency.c). Dumps include them, because dumps also include what
-- these writes wrote.
CREATE TABLE @extschema@.kg_idempotency (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  caller       text COLLATE "C" NOT NULL,
  key          text COLLATE "C" NOT NULL,
  request      bytea NOT NULL,
  reply        jsonb NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  PRIMARY KEY (tenant, caller, key)
);
COMMENT ON TABLE @extschema@.kg_idempotency IS 'replies to writes with an idempotency key; for the owner only';
COMMENT ON COLUMN @extschema@.kg_idempotency.request IS 'digest of the function and its arguments';
CREATE INDEX kg_idempotency_created_idx ON @extschema@.kg_idempotency (tenant, created_at);

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_idempotency', '');

ALTER TABLE @extschema@.kg_idempotency ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_idempotency FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_idempotency_nobody ON @extschema@.kg_idempotency FOR ALL
  USING (false);
