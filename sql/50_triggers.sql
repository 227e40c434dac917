-- Triggers.  Their functions take the tenant from the row, never from the session.

CREATE TRIGGER kg_catalog_changed AFTER UPDATE ON @extschema@.kg_tenant
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_tenant_role
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();
CREATE TRIGGER kg_tenant_role_check BEFORE INSERT OR UPDATE ON @extschema@.kg_tenant_role
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_check_tenant_role();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.kg_bundle
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();
CREATE TRIGGER kg_catalog_emptied AFTER TRUNCATE ON @extschema@.kg_bundle
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.kg_entity_type
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_invalidate_catalog('bundle');
CREATE TRIGGER kg_catalog_emptied AFTER TRUNCATE ON @extschema@.kg_entity_type
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.kg_relation
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_invalidate_catalog('bundle');
CREATE TRIGGER kg_catalog_emptied AFTER TRUNCATE ON @extschema@.kg_relation
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.kg_tool
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_invalidate_catalog('bundle');
CREATE TRIGGER kg_catalog_emptied AFTER TRUNCATE ON @extschema@.kg_tool
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

CREATE TRIGGER kg_entity_before BEFORE INSERT OR UPDATE ON @extschema@.kg_entity
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_check_entity();
CREATE TRIGGER kg_entity_inserted AFTER INSERT ON @extschema@.kg_entity
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_derive_entities();
CREATE TRIGGER kg_entity_updated AFTER UPDATE ON @extschema@.kg_entity
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_derive_entities();
CREATE TRIGGER kg_entity_deleted AFTER DELETE ON @extschema@.kg_entity
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_derive_entities();
CREATE TRIGGER kg_no_truncate BEFORE TRUNCATE ON @extschema@.kg_entity
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_refuse_truncate();
CREATE TRIGGER kg_no_truncate BEFORE TRUNCATE ON @extschema@.kg_edge
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_refuse_truncate();
CREATE TRIGGER kg_no_truncate BEFORE TRUNCATE ON @extschema@.kg_change_transaction
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_refuse_truncate();
CREATE CONSTRAINT TRIGGER kg_references AFTER INSERT ON @extschema@.kg_pending_reference
  DEFERRABLE INITIALLY IMMEDIATE
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_check_references();

-- Packed edges are removed as soon as the edges change from which they were packed.
CREATE TRIGGER kg_packed_inserted AFTER INSERT ON @extschema@.kg_edge
  REFERENCING NEW TABLE AS new_edges
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_clear_packed();
CREATE TRIGGER kg_packed_updated AFTER UPDATE ON @extschema@.kg_edge
  REFERENCING OLD TABLE AS old_edges NEW TABLE AS new_edges
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_clear_packed();
CREATE TRIGGER kg_packed_deleted AFTER DELETE ON @extschema@.kg_edge
  REFERENCING OLD TABLE AS old_edges
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_clear_packed();
CREATE TRIGGER kg_edge_inserted AFTER INSERT ON @extschema@.kg_edge
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_check_edges();
CREATE TRIGGER kg_edge_updated AFTER UPDATE ON @extschema@.kg_edge
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_check_edges();
CREATE TRIGGER kg_edge_deleted AFTER DELETE ON @extschema@.kg_edge
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_check_edges();


-- All triggers of the extension also fire under session_replication_role = replica.
-- Otherwise rows would be stored without checks and without derived rows, and open
-- sessions would not be notified of changes.
DO $$
DECLARE
  t record;
BEGIN
  FOR t IN SELECT tgname, tgrelid::pg_catalog.regclass AS name FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = tgrelid
            WHERE c.relnamespace = '@extschema@'::pg_catalog.regnamespace AND tgname ~ '^kg_' AND NOT tgisinternal LOOP
    EXECUTE pg_catalog.format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', t.name, t.tgname);
  END LOOP;
END
$$;

-- The worker of a subscription (logical replication) fires no statement triggers, so
-- derived rows would be missing. Therefore these triggers refuse its writes.
DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['kg_tenant', 'kg_tenant_role', 'kg_bundle', 'kg_entity_type', 'kg_relation', 'kg_entity', 'kg_edge',
    'kg_tool', 'kg_tool_version', 'kg_history', 'kg_freed', 'kg_freed_type', 'kg_embedding', 'kg_auth_key', 'kg_agent', 'kg_agent_bundle', 'kg_policy', 'kg_limit'] LOOP
    EXECUTE pg_catalog.format('CREATE TRIGGER kg_no_replication BEFORE INSERT OR UPDATE OR DELETE ON @extschema@.%I FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_refuse_replication()', t);
    EXECUTE pg_catalog.format('ALTER TABLE @extschema@.%I ENABLE REPLICA TRIGGER kg_no_replication', t);
  END LOOP;
END
$$;
