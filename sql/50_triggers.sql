-- Triggers.  Their functions take the tenant from the row, never from the session.

CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_tenant_role
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_catalog_changed();
CREATE TRIGGER kg_tenant_role_check BEFORE INSERT OR UPDATE ON @extschema@.kg_tenant_role
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_tenant_role_check();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_bundle
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_catalog_changed();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_entity_type
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_catalog_changed();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_relation
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_catalog_changed();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_tool
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_catalog_changed();

CREATE TRIGGER kg_entity_before BEFORE INSERT OR UPDATE ON @extschema@.kg_entity
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_entity_before();
CREATE TRIGGER kg_entity_insert AFTER INSERT ON @extschema@.kg_entity
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_entity_after();
CREATE TRIGGER kg_entity_update AFTER UPDATE ON @extschema@.kg_entity
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_entity_after();
CREATE TRIGGER kg_entity_delete AFTER DELETE ON @extschema@.kg_entity
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_entity_after();
CREATE TRIGGER kg_no_truncate BEFORE TRUNCATE ON @extschema@.kg_entity
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_no_truncate();
CREATE TRIGGER kg_no_truncate BEFORE TRUNCATE ON @extschema@.kg_edge
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_no_truncate();
CREATE CONSTRAINT TRIGGER kg_references AFTER INSERT ON @extschema@.kg_pending_reference
  DEFERRABLE INITIALLY IMMEDIATE
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_references();

-- Also under session_replication_role = replica: a packed row must never outlive
-- the edges that it stands for.  (Logical replication fires no statement trigger.)
CREATE TRIGGER kg_edges_inserted AFTER INSERT ON @extschema@.kg_edge
  REFERENCING NEW TABLE AS new_edges
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_edges_changed();
CREATE TRIGGER kg_edges_updated AFTER UPDATE ON @extschema@.kg_edge
  REFERENCING OLD TABLE AS old_edges NEW TABLE AS new_edges
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_edges_changed();
CREATE TRIGGER kg_edges_deleted AFTER DELETE ON @extschema@.kg_edge
  REFERENCING OLD TABLE AS old_edges
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_edges_changed();
ALTER TABLE @extschema@.kg_edge ENABLE ALWAYS TRIGGER kg_edges_inserted;
ALTER TABLE @extschema@.kg_edge ENABLE ALWAYS TRIGGER kg_edges_updated;
ALTER TABLE @extschema@.kg_edge ENABLE ALWAYS TRIGGER kg_edges_deleted;
CREATE TRIGGER kg_edge_insert AFTER INSERT ON @extschema@.kg_edge
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_edge_after();
CREATE TRIGGER kg_edge_update AFTER UPDATE ON @extschema@.kg_edge
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_edge_after();

