-- Privileges.  Tools are for everybody: they run as the caller and say NO_TENANT
-- to who has none.  Granting and agents check the caller's access themselves.

DO $$
DECLARE
  f regprocedure;
BEGIN
  FOR f IN
    SELECT p.oid FROM pg_catalog.pg_proc p
      JOIN pg_catalog.pg_depend d ON d.objid = p.oid
       AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
       AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
      JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid AND e.extname = 'kg_graph'
     WHERE d.deptype = 'e'
       AND (p.prorettype = 'pg_catalog.trigger'::pg_catalog.regtype
            OR p.proname = ANY (ARRAY['kg_create_tenant', 'kg_drop_tenant', 'kg_rename_tenant', 'kg_free_tenant_name', 'kg_tenant_size', 'kg_freeze_tenant', 'kg_thaw_tenant', 'kg_export_tenant',
                                       'kg_import_tenant', 'kg_set_shard', 'kg_mark_moved', 'kg_explain', 'kg_enable_vectors', 'kg_disable_vectors']))
  LOOP
    EXECUTE pg_catalog.format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
  END LOOP;
END
$$;

