-- A grant changes what one role can do for one tenant, and nothing else.
\set VERBOSITY terse
SELECT current_user AS super \gset
CREATE ROLE grants_admin LOGIN;
CREATE ROLE grants_evil LOGIN;
CREATE ROLE grants_member LOGIN;
CREATE ROLE grants_other LOGIN;
CREATE ROLE grants_gateway LOGIN;
CREATE ROLE grants_mine LOGIN;
CREATE ROLE grants_stranger LOGIN;
CREATE ROLE grants_super LOGIN SUPERUSER;
CREATE ROLE grants_bypass LOGIN BYPASSRLS;
CREATE ROLE grants_login LOGIN;
GRANT EXECUTE ON FUNCTION kg_login(text, boolean) TO grants_login;
-- the privileges of a role on what is ours, apart from PUBLIC's
CREATE FUNCTION grants_of(role text) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(string_agg(p || ' ' || n, ', ' ORDER BY n COLLATE "C", p COLLATE "C"), 'nothing')
    FROM (SELECT a.privilege_type, c.relname FROM pg_class c, aclexplode(c.relacl) a
           WHERE c.relname LIKE 'kg\_%' AND a.grantee = role::regrole AND c.relname IN ('kg_entity', 'kg_node_seq', 'kg_tenant')
          UNION ALL SELECT a.privilege_type, f.proname FROM pg_proc f, aclexplode(f.proacl) a
           WHERE f.proname IN ('kg_login', 'kg_mcp') AND a.grantee = role::regrole) x(p, n) $$;
CREATE FUNCTION grants_try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  EXECUTE statement;
  RETURN 'done';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ' ' || CASE WHEN detail LIKE '{%' THEN detail::jsonb ->> 'message' ELSE SQLERRM END;
END
$$;
SELECT kg_create_tenant('grants'), kg_create_tenant('grants evil'), kg_create_tenant('grants other');
SELECT kg_grant('grants', 'grants_admin', 'admin'), kg_grant('grants evil', 'grants_evil', 'admin'), kg_grant('grants other', 'grants_other', 'write');
SELECT kg_grant_gateway('grants_gateway');
-- What an admin may hand out: roles of the tenant, and roles of no tenant that are the admin's.
GRANT grants_mine, grants_other, grants_gateway, grants_super, grants_bypass, grants_login TO grants_evil WITH ADMIN OPTION;
GRANT grants_stranger TO grants_evil;
\c - grants_evil
SELECT role, grants_try(format('SELECT kg_grant(''grants evil'', %L, ''read'')', role)) FROM unnest(ARRAY['grants_other', 'grants_gateway',
  'grants_super', 'grants_bypass', 'grants_login', 'grants_stranger', 'grants_member', 'grants_nobody', 'grants_mine', 'grants_evil']) role;
SELECT kg_tenant() IS NOT NULL AS still, kg_tenant('admin') IS NULL AS gave_up_admin;
\c - :super
SELECT kg_grant('grants evil', 'grants_evil', 'admin');
\c - grants_evil
SELECT grants_try($$SELECT kg_grant('grants', 'grants_mine', 'read')$$) AS not_mine;
SELECT grants_try($$SELECT kg_grant('grants evil', 'grants_mine', 'write')$$) AS more;
SELECT role, grants_try(format('SELECT kg_revoke(''grants evil'', %L)', role)) FROM unnest(ARRAY['grants_other', 'grants_gateway',
  'grants_super', 'grants_bypass', 'grants_login', 'grants_stranger', 'grants_member', 'grants_mine', 'grants_mine']) role;
\c - :super
SELECT role, grants_of(role) FROM unnest(ARRAY['grants_other', 'grants_gateway', 'grants_super', 'grants_mine', 'grants_login']) role;
-- A role that the owner let have several tenants stays as it is for the others.
SELECT kg_grant('grants', 'grants_other', 'read'), kg_grant('grants', 'grants_super', 'read');
\c - grants_admin
SELECT grants_try($$SELECT kg_grant('grants', 'grants_other', 'write')$$), grants_try($$SELECT kg_revoke('grants', 'grants_other')$$),
  grants_try($$SELECT kg_grant('grants', 'grants_other', 'write')$$), grants_try($$SELECT kg_revoke('grants', 'grants_super')$$);
\c - grants_other
SELECT kg_tenant('write');
\c - :super
SELECT kg_revoke('grants', 'grants_super');
SELECT grants_of('grants_other'), grants_of('grants_super');

-- A gateway is no tenant's role, also not the owner's to make one; taking back is exact.
SELECT grants_try($$SELECT kg_grant('grants', 'grants_gateway', 'read')$$), grants_try($$SELECT kg_grant_gateway('grants_other')$$),
  grants_try($$SELECT kg_revoke_gateway('grants_other')$$), grants_try($$SELECT kg_revoke('grants', 'grants_gateway')$$);
SELECT kg_grant_gateway('grants_gateway');
SELECT grants_of('grants_gateway') AS gateway, grants_of('grants_other') AS other;
SELECT kg_revoke_gateway('grants_gateway');
SELECT grants_of('grants_gateway') AS gateway;
GRANT SELECT ON kg_tenant TO grants_gateway;
GRANT EXECUTE ON FUNCTION kg_mcp(jsonb, text, text) TO grants_gateway;
SELECT kg_grant_gateway('grants_gateway'), kg_revoke_gateway('grants_gateway');
SELECT grants_of('grants_gateway') AS gateway;

-- Revoke takes back what grant gave: not what was there, not what another grant needs.
GRANT SELECT, UPDATE ON kg_entity TO grants_member;
SELECT kg_grant('grants', 'grants_member', 'write'), kg_grant('grants evil', 'grants_member', 'read');
SELECT grants_of('grants_member');
SELECT kg_revoke('grants', 'grants_member');
SELECT grants_of('grants_member');
SELECT kg_drop_tenant('grants evil');
SELECT grants_of('grants_member');
-- by way of another role, it is the role's own nevertheless: that way may go
GRANT grants_other TO grants_stranger;
SELECT kg_grant('grants', 'grants_stranger', 'read');
REVOKE grants_other FROM grants_stranger;
SELECT grants_of('grants_stranger');
SELECT kg_revoke('grants', 'grants_stranger');
SELECT grants_of('grants_stranger');

-- An owner that is no superuser has a tenant and gives it back, and is the owner all the while.
CREATE ROLE grants_owner LOGIN;
BEGIN;
GRANT USAGE, CREATE ON SCHEMA public TO grants_owner;
DO $$
DECLARE
  o record;
BEGIN
  FOR o IN SELECT c.oid::regclass AS name, c.relkind FROM pg_class c JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
            JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kg_graph' LOOP
    EXECUTE format('ALTER %s %s OWNER TO grants_owner', CASE o.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, o.name);
  END LOOP;
  FOR o IN SELECT p.oid::regprocedure AS name FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
            JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kg_graph' LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO grants_owner', o.name);
  END LOOP;
  UPDATE pg_extension SET extowner = 'grants_owner'::regrole WHERE extname = 'kg_graph';
END
$$;
SET LOCAL ROLE grants_owner;
SELECT kg_create_tenant('grants owned');
SELECT kg_grant('grants owned', 'grants_owner', 'write');
SELECT kg_tenant();
SELECT kg_revoke('grants owned', 'grants_owner');
SELECT kg_grant('grants owned', 'grants_stranger', 'read');
SELECT has_table_privilege('kg_entity', 'SELECT, INSERT, UPDATE, DELETE') AND has_table_privilege('kg_tenant_role', 'SELECT')
  AND has_sequence_privilege('kg_node_seq', 'USAGE') AS everything, kg_tenant() IS NULL AS nobody;
SELECT count(*) FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c WHERE object LIKE '%grants%';
ROLLBACK;

-- A grant counts where number and name are of one role.
SELECT kg_grant('grants', 'grants_mine', 'read'), kg_grant('grants', 'grants_member', 'read');
\c - grants_mine
SELECT kg_tenant();
\c - :super
ALTER ROLE grants_mine RENAME TO grants_new;
\c - grants_new
SELECT kg_tenant() IS NULL AS nobody, (SELECT count(*) FROM kg_tenant) AS tenants;
\set VERBOSITY default
SELECT kg_list_tools();
\set VERBOSITY terse
\c - :super
SELECT code, object, regexp_replace(message, '\d+', 'N') AS message, hint FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c WHERE object LIKE '%grants%';
SELECT kg_grant('grants', 'grants_new', 'read');
SET ROLE grants_new;
SELECT kg_tenant();
RESET ROLE;
-- renamed while its session is open: from the next statement on
SET SESSION AUTHORIZATION grants_new;
SELECT kg_tenant();
RESET SESSION AUTHORIZATION;
ALTER ROLE grants_new RENAME TO grants_mine;
SET SESSION AUTHORIZATION grants_mine;
SELECT kg_tenant() IS NULL AS nobody;
RESET SESSION AUTHORIZATION;
SELECT kg_revoke('grants', 'grants_new');
SELECT grants_of('grants_mine');
-- dropped, and made again by the same name
DROP OWNED BY grants_member;
DROP ROLE grants_member;
SELECT code, object, regexp_replace(message, '\d+', 'N') AS message, hint FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c WHERE object LIKE '%grants%';
CREATE ROLE grants_member LOGIN;
SET ROLE grants_member;
SELECT kg_tenant() IS NULL AS nobody;
RESET ROLE;
SELECT code, object, regexp_replace(message, '\d+', 'N') AS message FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c WHERE object LIKE '%grants%';
SELECT kg_revoke('grants', 'grants_member');
SELECT count(*) FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c WHERE object LIKE '%grants%';
-- by hand, with a number that is another's: said at once, and it does not count
SELECT 'grants_stranger'::regrole::oid AS number \gset
INSERT INTO kg_tenant_role(tenant, role, role_name, access) VALUES ('grants', :number, 'grants_leaver', 'admin');
INSERT INTO kg_tenant_role(tenant, role, role_name, access) VALUES ('grants', 1, 'grants_gone', 'admin');
INSERT INTO kg_tenant_role(tenant, role, access) VALUES ('grants', 'grants_login', 'admin');
SET ROLE grants_stranger;
SELECT kg_tenant() IS NULL AS nobody;
RESET ROLE;
SELECT code, object, regexp_replace(message, '\d+', 'N') AS message FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c WHERE object LIKE '%grants%';
SELECT grants_try(format('SELECT kg_revoke(''grants'', ''%s'')', 'grants_admin'::regrole::oid)) ~ '^P0002' AS only_orphans_go_by_number;
SELECT kg_revoke('grants', 'grants_leaver'), kg_revoke('grants', '1');
SELECT count(*) FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c WHERE object LIKE '%grants%';
-- kg_grant puts one right
INSERT INTO kg_tenant_role(tenant, role, role_name, access) VALUES ('grants', :number, 'grants_leaver', 'admin');
SELECT kg_grant('grants', 'grants_stranger', 'read');
SELECT role, role_name, access FROM kg_tenant_role WHERE tenant = 'grants' ORDER BY role_name;
-- what belongs to a role may change hands; its grants do not
REASSIGN OWNED BY grants_stranger TO grants_login;
SELECT role, access FROM kg_tenant_role WHERE tenant = 'grants' ORDER BY role_name;
SET ROLE grants_admin;
SELECT kg_check() -> 'ok' AS ok;
RESET ROLE;

SELECT kg_drop_tenant('grants'), kg_drop_tenant('grants other');
SELECT count(*) FROM kg_role WHERE role::text LIKE 'grants%';
DROP FUNCTION grants_of(text), grants_try(text);
DROP OWNED BY grants_admin, grants_evil, grants_member, grants_other, grants_gateway, grants_mine, grants_stranger, grants_super, grants_bypass, grants_login, grants_owner;
DROP ROLE grants_admin, grants_evil, grants_member, grants_other, grants_gateway, grants_mine, grants_stranger, grants_super, grants_bypass, grants_login, grants_owner;
