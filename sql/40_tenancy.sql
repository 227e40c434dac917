-- Tenants, grants and the tenant of the caller (src/tenants.c, src/auth/grants.c, src/caller.c).

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

CREATE FUNCTION @extschema@.kg_own_tenant_support(request internal) RETURNS internal
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_own_tenant_support';
COMMENT ON FUNCTION @extschema@.kg_own_tenant_support(internal) IS
  'what the planner asks about kg_own_tenant()';

-- Every policy begins with this function, so that it is evaluated before any
-- condition of a caller.
CREATE FUNCTION @extschema@.kg_own_tenant(tenant text) RETURNS boolean
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  SUPPORT @extschema@.kg_own_tenant_support
  AS 'MODULE_PATHNAME', 'kg_sql_own_tenant';
COMMENT ON FUNCTION @extschema@.kg_own_tenant(text) IS
  'whether that is the tenant that the current role acts for; for policies';

-- The privilege EXECUTE does not give the right to act, because default privileges
-- and GRANT ... ON ALL FUNCTIONS may grant it to any role. Functions that act beyond
-- their caller's tenant call kg_require_owner() (src/auth/owner.h).
CREATE FUNCTION @extschema@.kg_require_owner(act text) RETURNS boolean
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_require_owner';
COMMENT ON FUNCTION @extschema@.kg_require_owner(text) IS
  'true where the current role has the rights of the extension''s owner, else an error (FORBIDDEN); act completes "role ... may not"';

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
  'take a tenant from everybody and delete so many of its rows; true when all are gone, else call it again; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_set_authorizer(tenant text, function regprocedure) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_set_authorizer';
COMMENT ON FUNCTION @extschema@.kg_set_authorizer(text, regprocedure) IS
  'have a function decide who sees entities of types with x-authorize, or none (NULL); for the owner of the extension';

CREATE FUNCTION @extschema@.kg_grant(tenant text, role text, access text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_grant';
COMMENT ON FUNCTION @extschema@.kg_grant(text, text, text) IS
  'let a role act for a tenant with access read, write or admin; for the owner, and for the tenant''s admins where the role is theirs';

CREATE FUNCTION @extschema@.kg_revoke(tenant text, role text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_revoke';
COMMENT ON FUNCTION @extschema@.kg_revoke(text, text) IS
  'take a grant back, with the privileges that it gave and no other grant needs; also one whose role is gone';

CREATE FUNCTION @extschema@.kg_check_tenant_role() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check_tenant_role';
COMMENT ON FUNCTION @extschema@.kg_check_tenant_role() IS
  'row trigger of kg_tenant_role: warns of a grant whose number and name are not of one role';

CREATE FUNCTION @extschema@.kg_invalidate_catalog() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_invalidate_catalog';
COMMENT ON FUNCTION @extschema@.kg_invalidate_catalog() IS
  'statement trigger: tells every backend that a catalog table changed';

