-- Privileges.  Every role may execute the tools. They run with the rights of the
-- caller, and raise NO_TENANT for a caller without a tenant. Functions for grants
-- and agents check the caller's access themselves. EXECUTE is granted to PUBLIC
-- here, because default privileges may have revoked it.

DO $$
DECLARE
  f record;
BEGIN
  FOR f IN
    SELECT p.oid::pg_catalog.regprocedure AS function,
           p.prorettype = 'pg_catalog.trigger'::pg_catalog.regtype OR p.proname = ANY (ARRAY[
       'kg_create_tenant', 'kg_drop_tenant', 'kg_rename_tenant', 'kg_free_tenant_name', 'kg_tenant_size', 'kg_freeze_tenant', 'kg_thaw_tenant', 'kg_export_tenant',
       'kg_import_tenant', 'kg_set_shard', 'kg_mark_moved', 'kg_explain', 'kg_enable_vectors', 'kg_disable_vectors', 'kg_set_authorizer', 'kg_login', 'kg_issue_token',
       'kg_grant_gateway', 'kg_revoke_gateway', 'kg_add_policy', 'kg_drop_policy', 'kg_policy_text', 'kg_our_tables', 'kg_our_functions', 'kg_definitions',
       'kg_more_definitions', 'kg_table_settings', 'kg_manifest_text', 'kg_definitions_wrong', 'kg_dump_customizations', 'kg_renew_secrets']) AS of_owner,
           p.proacl IS NULL OR EXISTS (SELECT FROM pg_catalog.aclexplode(p.proacl) a WHERE a.grantee = 0) AS of_public
      FROM pg_catalog.pg_proc p
      JOIN pg_catalog.pg_depend d ON d.objid = p.oid
       AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
       AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
      JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid AND e.extname = 'kg_graph'
     WHERE d.deptype = 'e'
  LOOP
    IF f.of_owner AND f.of_public THEN
      EXECUTE pg_catalog.format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f.function);
    ELSIF NOT f.of_owner AND NOT f.of_public THEN
      EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION %s TO PUBLIC', f.function);
    END IF;
  END LOOP;
END
$$;

