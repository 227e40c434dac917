-- Triggers.  Their functions take the tenant from the row, never from the session.

CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_tenant_role
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_catalog_changed();
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

