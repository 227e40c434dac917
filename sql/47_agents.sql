-- Agents of a tenant (src/auth/agent.c, src/auth/agent_changes.c).

CREATE TABLE @extschema@.kg_agent (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  agent        text COLLATE "C" NOT NULL CHECK (agent ~ '^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$'),
  title        text,
  description  text,
  instructions text,
  toolsets     text[] COLLATE "C",
  tools        text[] COLLATE "C",
  created_at   timestamptz NOT NULL DEFAULT pg_catalog.now(),
  updated_at   timestamptz NOT NULL DEFAULT pg_catalog.now(),
  PRIMARY KEY (tenant, agent)
);
COMMENT ON TABLE @extschema@.kg_agent IS 'agents of a tenant; made by kg_create_agent()';
COMMENT ON COLUMN @extschema@.kg_agent.toolsets IS 'toolsets whose tools the agent has, also those of registered tools; NULL: all';
COMMENT ON COLUMN @extschema@.kg_agent.tools IS 'the tools of these toolsets that the agent has; NULL: all';

CREATE TABLE @extschema@.kg_agent_bundle (
  tenant       text COLLATE "C" NOT NULL,
  agent        text COLLATE "C" NOT NULL,
  bundle       text COLLATE "C" NOT NULL,
  position     integer NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, agent, bundle),
  FOREIGN KEY (tenant, agent) REFERENCES @extschema@.kg_agent ON DELETE CASCADE,
  FOREIGN KEY (tenant, bundle) REFERENCES @extschema@.kg_bundle ON DELETE CASCADE
);
COMMENT ON TABLE @extschema@.kg_agent_bundle IS 'the bundles that an agent sees; made by kg_create_agent() and kg_bind_agent()';
CREATE INDEX kg_agent_bundle_bundle_idx ON @extschema@.kg_agent_bundle (tenant, bundle);

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_agent', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_agent_bundle', '');

CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_agent
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_agent_bundle
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

ALTER TABLE @extschema@.kg_agent ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_agent FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_agent_bundle ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_agent_bundle FORCE ROW LEVEL SECURITY;

CREATE POLICY kg_agent_select ON @extschema@.kg_agent FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant());

CREATE FUNCTION @extschema@.kg_create_agent(agent text, options jsonb DEFAULT '{}') RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_create_agent';
COMMENT ON FUNCTION @extschema@.kg_create_agent(text, jsonb) IS
  'make an agent of the caller''s tenant; options title, description, instructions, bundles, toolsets, tools; for the tenant''s admins';

CREATE FUNCTION @extschema@.kg_alter_agent(agent text, options jsonb) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_alter_agent';
COMMENT ON FUNCTION @extschema@.kg_alter_agent(text, jsonb) IS
  'change the given options of an agent; null removes an option; for the tenant''s admins';

CREATE FUNCTION @extschema@.kg_drop_agent(agent text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_drop_agent';
COMMENT ON FUNCTION @extschema@.kg_drop_agent(text) IS
  'delete an agent and its bindings; for the tenant''s admins';

CREATE FUNCTION @extschema@.kg_bind_agent(agent text, bundle text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_bind_agent';
COMMENT ON FUNCTION @extschema@.kg_bind_agent(text, text) IS
  'let an agent see an existing bundle; for the tenant''s admins';

CREATE FUNCTION @extschema@.kg_unbind_agent(agent text, bundle text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_unbind_agent';
COMMENT ON FUNCTION @extschema@.kg_unbind_agent(text, text) IS
  'remove a bundle from those that an agent sees; for the tenant''s admins';
