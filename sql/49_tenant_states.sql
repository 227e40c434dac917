-- States of tenants that cannot be written: frozen and dropping
-- (src/model/tenant_state.c).

-- The columns whose names begin with after_ are always NULL. Because of their
-- foreign keys, pg_dump restores this table last. The rows of frozen tenants, which
-- could not be written any more, are then restored already.
CREATE TABLE @extschema@.kg_tenant_state (
  tenant       text COLLATE "C" PRIMARY KEY REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  state        text COLLATE "C" NOT NULL CHECK (state IN ('frozen', 'dropping')),
  since        timestamptz NOT NULL DEFAULT pg_catalog.now(),
  after_text   text COLLATE "C" CHECK (after_text IS NULL),
  after_number bigint CHECK (after_number IS NULL),
  after_bytes  bytea CHECK (after_bytes IS NULL),
  after_role   regrole CHECK (after_role IS NULL),
  CONSTRAINT kg_tenant_state_role_fkey FOREIGN KEY (tenant, after_role) REFERENCES @extschema@.kg_tenant_role,
  CONSTRAINT kg_tenant_state_edge_fkey FOREIGN KEY (tenant, after_number, after_number, after_text, after_number) REFERENCES @extschema@.kg_edge,
  CONSTRAINT kg_tenant_state_history_fkey FOREIGN KEY (tenant, after_number) REFERENCES @extschema@.kg_history,
  CONSTRAINT kg_tenant_state_tool_fkey FOREIGN KEY (tenant, after_text, after_bytes) REFERENCES @extschema@.kg_tool_version,
  CONSTRAINT kg_tenant_state_agent_fkey FOREIGN KEY (tenant, after_text, after_text) REFERENCES @extschema@.kg_agent_bundle,
  CONSTRAINT kg_tenant_state_limit_fkey FOREIGN KEY (tenant, after_text) REFERENCES @extschema@.kg_limit,
  CONSTRAINT kg_tenant_state_request_fkey FOREIGN KEY (tenant, after_text, after_text) REFERENCES @extschema@.kg_idempotency,
  CONSTRAINT kg_tenant_state_load_fkey FOREIGN KEY (tenant, after_text, after_text) REFERENCES @extschema@.kg_load
);
COMMENT ON TABLE @extschema@.kg_tenant_state IS 'tenants that are frozen, so that nobody writes them, and tenants that are being dropped; made by kg_freeze_tenant() and kg_drop_tenant()';

-- These foreign keys never refer to a row. Their triggers are disabled, so that a
-- deletion of a referenced row needs no search here.
DO $$
DECLARE
  t record;
BEGIN
  FOR t IN SELECT g.tgname, g.tgrelid::pg_catalog.regclass AS name FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_constraint c ON c.oid = g.tgconstraint
            WHERE c.conrelid = '@extschema@.kg_tenant_state'::pg_catalog.regclass AND c.conname ~ '^kg_tenant_state_.*_fkey$' AND c.conname <> 'kg_tenant_state_tenant_fkey' LOOP
    EXECUTE pg_catalog.format('ALTER TABLE %s DISABLE TRIGGER %I', t.name, t.tgname);
  END LOOP;
END
$$;

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_tenant_state', '');

CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_tenant_state
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

ALTER TABLE @extschema@.kg_tenant_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_tenant_state FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_tenant_state_nobody ON @extschema@.kg_tenant_state FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_hold_tenant() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_hold_tenant';
COMMENT ON FUNCTION @extschema@.kg_hold_tenant() IS
  'row trigger: refuses writes to a frozen tenant; otherwise keeps the tenant from being frozen until the transaction ends';

-- kg_entity and kg_edge do not need this trigger, because the triggers that derive
-- rows from them make the same check. It covers the derived rows and the history of
-- the write, too.
DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['kg_tenant', 'kg_tenant_role', 'kg_bundle', 'kg_entity_type', 'kg_relation', 'kg_tool', 'kg_tool_version',
    'kg_history', 'kg_auth_key', 'kg_agent', 'kg_agent_bundle', 'kg_limit', 'kg_idempotency', 'kg_load'] LOOP
    EXECUTE pg_catalog.format('CREATE TRIGGER kg_hold_tenant BEFORE %s ON @extschema@.%I FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_hold_tenant()',
      CASE WHEN t IN ('kg_tenant', 'kg_history') THEN 'UPDATE OR DELETE' ELSE 'INSERT OR UPDATE OR DELETE' END, t);
  END LOOP;
END
$$;

CREATE FUNCTION @extschema@.kg_freeze_tenant(tenant text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_freeze_tenant';
COMMENT ON FUNCTION @extschema@.kg_freeze_tenant(text) IS
  'make a tenant read-only; first waits up to lock_timeout for transactions that write it; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_thaw_tenant(tenant text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_thaw_tenant';
COMMENT ON FUNCTION @extschema@.kg_thaw_tenant(text) IS
  'let a tenant be written again that kg_freeze_tenant() made read-only; for the owner of the extension';
