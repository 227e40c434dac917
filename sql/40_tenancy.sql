-- Tenants, grants and the tenant of the caller (src/tenancy.c, src/base/identity.c).

CREATE FUNCTION @extschema@.kg_tenant() RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_tenant';
COMMENT ON FUNCTION @extschema@.kg_tenant() IS
  'the tenant that the current role acts for, or NULL; what the policies compare with';

CREATE FUNCTION @extschema@.kg_tenant(access text) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_tenant_access';
COMMENT ON FUNCTION @extschema@.kg_tenant(text) IS
  'the same where the role has at least this access (read, write, admin), else NULL';

CREATE FUNCTION @extschema@.kg_create_tenant(tenant text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_create_tenant';
COMMENT ON FUNCTION @extschema@.kg_create_tenant(text) IS
  'make a tenant; for the owner of the extension and whom it grants EXECUTE';

CREATE FUNCTION @extschema@.kg_drop_tenant(tenant text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_drop_tenant';
COMMENT ON FUNCTION @extschema@.kg_drop_tenant(text) IS
  'delete a tenant with all its data and grants; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_grant(tenant text, role text, access text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_grant';
COMMENT ON FUNCTION @extschema@.kg_grant(text, text, text) IS
  'let a role act for a tenant with access read, write or admin; for the owner and the tenant''s admins';

CREATE FUNCTION @extschema@.kg_revoke(tenant text, role text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_revoke';
COMMENT ON FUNCTION @extschema@.kg_revoke(text, text) IS
  'take a grant back, with the table privileges that no other grant needs';

CREATE FUNCTION @extschema@.kg_catalog_changed() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_catalog_changed';
COMMENT ON FUNCTION @extschema@.kg_catalog_changed() IS
  'statement trigger: tells every backend that a catalog table changed';

