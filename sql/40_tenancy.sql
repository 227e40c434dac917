-- Tenants, grants and the tenant of the caller (src/tenants.c, src/auth/grants.c, src/caller.c).

CREATE FUNCTION @extschema@.kg_tenant() RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_tenant';
COMMENT ON FUNCTION @extschema@.kg_tenant() IS
  'the tenant for which the current role acts, or NULL; policies compare rows with it';

CREATE FUNCTION @extschema@.kg_tenant(access text) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_tenant_access';
COMMENT ON FUNCTION @extschema@.kg_tenant(text) IS
  'the tenant for which the current role acts with at least this access (read, write, admin), or NULL';

CREATE FUNCTION @extschema@.kg_own_tenant_support(request internal) RETURNS internal
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_own_tenant_support';
COMMENT ON FUNCTION @extschema@.kg_own_tenant_support(internal) IS
  'planner support function of kg_own_tenant()';

-- Every policy begins with this function, so that it is evaluated before any
-- condition of a caller.
CREATE FUNCTION @extschema@.kg_own_tenant(tenant text) RETURNS boolean
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  SUPPORT @extschema@.kg_own_tenant_support
  AS 'MODULE_PATHNAME', 'kg_sql_own_tenant';
COMMENT ON FUNCTION @extschema@.kg_own_tenant(text) IS
  'whether the current role acts for this tenant; for policies';

-- The privilege EXECUTE does not give the right to act, because default privileges
-- and GRANT ... ON ALL FUNCTIONS may grant it to any role. Functions that act beyond
-- their caller's tenant call kg_require_owner() (src/auth/owner.h).
CREATE FUNCTION @extschema@.kg_require_owner(act text) RETURNS boolean
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_require_owner';
COMMENT ON FUNCTION @extschema@.kg_require_owner(text) IS
  'true if the current role has the rights of the extension''s owner, otherwise the error FORBIDDEN; act completes the message "role ... may not"';

CREATE FUNCTION @extschema@.kg_create_tenant(tenant text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_create_tenant';
COMMENT ON FUNCTION @extschema@.kg_create_tenant(text) IS
  'make a tenant; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_drop_tenant(tenant text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_drop_tenant';
COMMENT ON FUNCTION @extschema@.kg_drop_tenant(text) IS
  'delete a tenant with all its data and grants; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_drop_tenant(tenant text, rows integer) RETURNS boolean
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_drop_tenant_rows';
COMMENT ON FUNCTION @extschema@.kg_drop_tenant(text, integer) IS
  'make a tenant inaccessible, and delete up to this many of its rows; true: no row is left, false: call it again; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_set_authorizer(tenant text, function regprocedure) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_set_authorizer';
COMMENT ON FUNCTION @extschema@.kg_set_authorizer(text, regprocedure) IS
  'set the function that decides who sees entities of types with x-authorize, or NULL for none; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_grant(tenant text, role text, access text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_grant';
COMMENT ON FUNCTION @extschema@.kg_grant(text, text, text) IS
  'let a role act for a tenant with access read, write or admin; for the owner of the extension, and for admins of the tenant who have ADMIN OPTION on the role';

CREATE FUNCTION @extschema@.kg_revoke(tenant text, role text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_revoke';
COMMENT ON FUNCTION @extschema@.kg_revoke(text, text) IS
  'revoke a grant, and the privileges that it gave, unless another grant needs them; also if the role was dropped';

CREATE FUNCTION @extschema@.kg_check_tenant_role() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check_tenant_role';
COMMENT ON FUNCTION @extschema@.kg_check_tenant_role() IS
  'row trigger of kg_tenant_role: warns if no role has both the number and the name of the grant';

CREATE FUNCTION @extschema@.kg_invalidate_catalog() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_invalidate_catalog';
COMMENT ON FUNCTION @extschema@.kg_invalidate_catalog() IS
  'statement trigger: tells every backend that a catalog table changed';

