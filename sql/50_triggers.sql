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

