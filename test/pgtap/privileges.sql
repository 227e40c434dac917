-- What a grant of each access gives, and that kg_revoke() takes it back.
\set ON_ERROR_STOP 1
BEGIN;
SELECT no_plan();

CREATE ROLE pgtap_reader;
CREATE ROLE pgtap_writer;
CREATE ROLE pgtap_admin;
CREATE ROLE pgtap_stranger;
CREATE ROLE pgtap_theirs;
SELECT kg_create_tenant('pgtap');
SELECT kg_grant('pgtap', 'pgtap_reader', 'read');
SELECT kg_grant('pgtap', 'pgtap_writer', 'write');
SELECT kg_grant('pgtap', 'pgtap_admin', 'admin');
GRANT pgtap_stranger TO pgtap_admin WITH ADMIN OPTION;

CREATE TEMP VIEW member_table AS
  SELECT c.oid, c.relname
    FROM pg_class c
    JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
    JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
   WHERE e.extname = 'kg_graph' AND c.relkind = 'r';

SELECT ok(NOT has_table_privilege('pgtap_stranger', oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER'),
          'a stranger has nothing on ' || relname) FROM member_table ORDER BY relname;
SELECT ok(NOT has_table_privilege(role, oid, 'TRUNCATE, REFERENCES, TRIGGER'),
          format('%s cannot truncate, reference or add triggers to %s', role, relname))
  FROM member_table, unnest(ARRAY['pgtap_reader', 'pgtap_writer', 'pgtap_admin']) role
 ORDER BY role, relname;
SELECT ok(has_table_privilege(role, oid, 'SELECT'), format('%s reads %s', role, relname))
  FROM member_table, unnest(ARRAY['pgtap_reader', 'pgtap_writer', 'pgtap_admin']) role
 WHERE relname IN ('kg_tenant', 'kg_bundle', 'kg_entity_type', 'kg_relation', 'kg_entity', 'kg_edge',
                   'kg_index_key', 'kg_term', 'kg_word', 'kg_word_count', 'kg_tool', 'kg_tool_version', 'kg_history')
 ORDER BY role, relname;
SELECT ok(NOT has_table_privilege('pgtap_reader', oid, 'INSERT, UPDATE, DELETE'),
          'pgtap_reader writes nothing in ' || relname) FROM member_table ORDER BY relname;
SELECT is(has_table_privilege(role, oid, 'INSERT'), relname IN ('kg_entity', 'kg_edge'),
          format('%s writes entities and edges only: %s', role, relname))
  FROM member_table, unnest(ARRAY['pgtap_writer', 'pgtap_admin']) role ORDER BY role, relname;
SELECT ok(NOT has_table_privilege(role, oid, 'SELECT'), format('%s does not read the secret', role))
  FROM member_table, unnest(ARRAY['pgtap_reader', 'pgtap_writer', 'pgtap_admin']) role
 WHERE relname = 'kg_secret' ORDER BY role;

SELECT is(kg_tenant(), NULL, 'a superuser without grants has no tenant');
SET ROLE pgtap_reader;
SELECT is(kg_tenant(), 'pgtap', 'a reader''s tenant');
SELECT is(kg_tenant('write'), NULL, 'a reader may not write');
SELECT is((SELECT count(*)::int FROM kg_tenant_role), 0, 'a reader does not see the grants');
SELECT throws_ok($$SELECT kg_grant('pgtap', 'pgtap_stranger', 'read')$$, '42501', NULL, 'a reader may not grant');
SELECT throws_ok($$SELECT kg_create_tenant('other')$$, '42501', NULL, 'a reader makes no tenants');
SELECT throws_ok($$DELETE FROM kg_entity$$, '42501', NULL, 'a reader may not delete');
SET ROLE pgtap_writer;
SELECT is(kg_tenant('write'), 'pgtap', 'a writer may write');
SELECT is(kg_tenant('admin'), NULL, 'a writer is not an admin');
SELECT throws_ok($$SELECT kg_grant('pgtap', 'pgtap_stranger', 'read')$$, '42501', NULL, 'a writer may not grant');
SET ROLE pgtap_admin;
SELECT is(kg_tenant('admin'), 'pgtap', 'an admin is one');
SELECT is((SELECT count(*)::int FROM kg_tenant_role), 3, 'an admin sees the grants');
SELECT lives_ok($$SELECT kg_grant('pgtap', 'pgtap_stranger', 'read')$$, 'an admin may grant to a role that is the admin''s');
SELECT throws_ok($$SELECT kg_grant('pgtap', 'pgtap_theirs', 'read')$$, '42501', NULL, 'and to no other');
SELECT throws_ok($$SELECT kg_create_tenant('other')$$, '42501', NULL, 'an admin makes no tenants');
SELECT throws_ok($$UPDATE kg_tenant_role SET access = 'admin'$$, '42501', NULL, 'an admin does not write the grants by hand');
SET ROLE pgtap_stranger;
SELECT is(kg_tenant(), 'pgtap', 'the granted role has the tenant');
RESET ROLE;
SELECT kg_revoke('pgtap', 'pgtap_stranger');
SET ROLE pgtap_stranger;
SELECT is(kg_tenant(), NULL, 'a revoked role has no tenant');
SELECT throws_ok($$SELECT FROM kg_entity$$, '42501', NULL, 'a revoked role reads nothing');
RESET ROLE;
SELECT ok(NOT has_table_privilege('pgtap_stranger', oid, 'SELECT, INSERT, UPDATE, DELETE'),
          'kg_revoke() took back what was on ' || relname) FROM member_table ORDER BY relname;

-- USAGE on the schema: given by the first grant to who lacks it, taken back with the last.
REVOKE USAGE ON SCHEMA public FROM PUBLIC;
CREATE FUNCTION pg_temp.usage() RETURNS boolean LANGUAGE sql AS $$SELECT has_schema_privilege('pgtap_stranger', 'public', 'USAGE')$$;
SELECT kg_create_tenant('pgtap 2');
SELECT ok(NOT pg_temp.usage(), 'a stranger has no USAGE');
SELECT kg_grant('pgtap', 'pgtap_stranger', 'read');
SELECT ok(pg_temp.usage(), 'the first grant gives USAGE');
SELECT kg_grant('pgtap 2', 'pgtap_stranger', 'write');
SELECT kg_grant('pgtap', 'pgtap_stranger', 'admin');
SELECT kg_revoke('pgtap', 'pgtap_stranger');
SELECT ok(pg_temp.usage(), 'it stays as long as there is a grant');
SELECT kg_revoke('pgtap 2', 'pgtap_stranger');
SELECT ok(NOT pg_temp.usage(), 'it goes with the last');
SELECT kg_grant('pgtap', 'pgtap_stranger', 'read');
SELECT kg_grant('pgtap 2', 'pgtap_stranger', 'read');
SELECT kg_revoke('pgtap', 'pgtap_stranger');
SELECT kg_drop_tenant('pgtap 2');
SELECT ok(NOT pg_temp.usage(), 'it goes with the last tenant');
GRANT USAGE ON SCHEMA public TO pgtap_stranger;
SELECT kg_grant('pgtap', 'pgtap_stranger', 'read');
SELECT kg_revoke('pgtap', 'pgtap_stranger');
SELECT ok(pg_temp.usage(), 'who had USAGE before keeps it');

SELECT * FROM finish();
ROLLBACK;
