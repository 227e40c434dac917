-- The Model Context Protocol (src/mcp.c, src/mcp).

-- The digests that stand for tenants on the notification channel are computed with
-- this secret.
INSERT INTO @extschema@.kg_secret(name, secret)
  VALUES ('listen', pg_catalog.uuid_send(pg_catalog.gen_random_uuid()) || pg_catalog.uuid_send(pg_catalog.gen_random_uuid()));

CREATE FUNCTION @extschema@.kg_mcp(message jsonb, token text DEFAULT NULL, tenant text DEFAULT NULL) RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_mcp';
COMMENT ON FUNCTION @extschema@.kg_mcp(jsonb, text, text) IS
  'answer one JSON-RPC message of the Model Context Protocol; tenant is a routing key, and must equal the verified tenant';

CREATE FUNCTION @extschema@.kg_mcp_authorized(message jsonb, token text, tenant text, decisions jsonb DEFAULT '[]', exchange text DEFAULT NULL) RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_mcp_authorized';
COMMENT ON FUNCTION @extschema@.kg_mcp_authorized(jsonb, text, text, jsonb, text) IS
  'kg_mcp() with decisions of another system; the answer to a tools/call may be the needed decisions (kg_authorize) instead of a result';

CREATE FUNCTION @extschema@.kg_notify_gateways() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_notify_gateways';
COMMENT ON FUNCTION @extschema@.kg_notify_gateways() IS
  'statement trigger: notifies gateways at commit that lists of a tenant changed';

CREATE TRIGGER kg_mcp_inserted AFTER INSERT ON @extschema@.kg_bundle REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('resource');
CREATE TRIGGER kg_mcp_updated AFTER UPDATE ON @extschema@.kg_bundle REFERENCING OLD TABLE AS before NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('resource');
CREATE TRIGGER kg_mcp_deleted AFTER DELETE ON @extschema@.kg_bundle REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('resource');
CREATE TRIGGER kg_mcp_inserted AFTER INSERT ON @extschema@.kg_tool_version REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('tools');
CREATE TRIGGER kg_mcp_updated AFTER UPDATE ON @extschema@.kg_tool_version REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('tools');
CREATE TRIGGER kg_mcp_deleted AFTER DELETE ON @extschema@.kg_tool_version REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('tools');
CREATE TRIGGER kg_mcp_inserted AFTER INSERT ON @extschema@.kg_agent REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways();
CREATE TRIGGER kg_mcp_updated AFTER UPDATE ON @extschema@.kg_agent REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways();
CREATE TRIGGER kg_mcp_deleted AFTER DELETE ON @extschema@.kg_agent REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways();
CREATE TRIGGER kg_mcp_inserted AFTER INSERT ON @extschema@.kg_agent_bundle REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways();
CREATE TRIGGER kg_mcp_deleted AFTER DELETE ON @extschema@.kg_agent_bundle REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways();

-- These triggers report that callers may have lost access. Gateways then end the
-- subscriptions, and clients that still have access subscribe again.
CREATE TRIGGER kg_mcp_access_deleted AFTER DELETE ON @extschema@.kg_agent REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('access');
CREATE TRIGGER kg_mcp_access_updated AFTER UPDATE ON @extschema@.kg_auth_key REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('access');
CREATE TRIGGER kg_mcp_access_deleted AFTER DELETE ON @extschema@.kg_auth_key REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('access');
CREATE TRIGGER kg_mcp_access_updated AFTER UPDATE ON @extschema@.kg_tenant_role REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('access');
CREATE TRIGGER kg_mcp_access_deleted AFTER DELETE ON @extschema@.kg_tenant_role REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('access');
CREATE TRIGGER kg_mcp_access_deleted AFTER DELETE ON @extschema@.kg_tenant REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('access');
