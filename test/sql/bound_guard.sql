-- Types that read a table of the user, attacked: views of an owner, callers without policies, rows of other tenants, errors of policies, odd values of a mapping.
\i test/data/prelude.sql
CALL test.tenant('guard', 'guard_admin admin', 'guard_writer write');
CALL test.tenant('g2', 'guard_other admin');
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA guarded;
GRANT USAGE ON SCHEMA guarded TO PUBLIC;
CREATE TABLE guarded.paper (id integer PRIMARY KEY, company text NOT NULL, code text);
INSERT INTO guarded.paper VALUES (1, 'guard', '7'), (2, 'g2', 'hidden');
CREATE POLICY own ON guarded.paper USING (company = kg_tenant());
ALTER TABLE guarded.paper ENABLE ROW LEVEL SECURITY;
CREATE VIEW guarded.owned AS SELECT * FROM guarded.paper;
CREATE VIEW guarded.nested WITH (security_invoker = true) AS SELECT * FROM guarded.owned;
CREATE VIEW guarded.deep WITH (security_invoker = true) AS SELECT p.* FROM guarded.paper p WHERE EXISTS (SELECT FROM guarded.owned o WHERE o.id = p.id);
CREATE VIEW guarded.open WITH (security_invoker = true) AS SELECT * FROM guarded.paper;
CREATE MATERIALIZED VIEW guarded.copied AS SELECT * FROM guarded.paper WHERE company = kg_tenant();
CREATE UNIQUE INDEX ON guarded.copied (id);
GRANT SELECT ON ALL TABLES IN SCHEMA guarded TO guard_admin, guard_writer, guard_other;
-- no right of an owner is used, however deep the view is; a materialized view limits nothing
SET ROLE guard_admin;
SELECT view, test.fails(format('SELECT kg_bind_table(''crm'', ''guarded.%s'', ''{"id": "id"}'')', view), 'message', 'expected') FROM unnest('{owned,nested,deep,copied}'::text[]) view;
SELECT kg_bind_table('crm', 'guarded.open', '{"id": "id"}') ->> 'changed', kg_bind_table('crm', 'guarded.paper') ->> 'changed';
SELECT kg_list_ids('open', '{}') -> 'ids', kg_list_ids('paper', '{}') -> 'ids';
SELECT test.fails($$SELECT kg_bind_table('crm', 'kg_bundle', '{"id": ["tenant", "bundle"], "shared": true}')$$, 'message');
RESET ROLE;
-- each call checks it again: a replaced view, another policy, no policy, an owner, a role without policies
CREATE OR REPLACE VIEW guarded.open AS SELECT * FROM guarded.paper;
SET ROLE guard_admin; SELECT test.fails($$SELECT kg_list('open', '{}')$$, 'code', 'expected'); SELECT test.fails($$SELECT kg_query('{"sql": "SELECT * FROM open"}')$$, 'code'); RESET ROLE;
CREATE POLICY others ON guarded.paper FOR SELECT USING (code = 'hidden');
SET ROLE guard_admin; SELECT test.fails($$SELECT kg_list('paper', '{}')$$, 'code'); RESET ROLE;
DROP POLICY others ON guarded.paper; CREATE POLICY others ON guarded.paper FOR SELECT TO guard_other USING (code = 'hidden'); CREATE POLICY inserts ON guarded.paper FOR INSERT WITH CHECK (true);
SET ROLE guard_admin; SELECT kg_list_ids('paper', '{}') -> 'ids'; RESET ROLE;
DROP POLICY others ON guarded.paper; DROP POLICY own ON guarded.paper; CREATE POLICY all_rows ON guarded.paper USING (true);
SET ROLE guard_admin; SELECT test.fails($$SELECT kg_list('paper', '{}')$$, 'code'); RESET ROLE;
CREATE POLICY own ON guarded.paper AS RESTRICTIVE USING (company = kg_tenant());
SET ROLE guard_admin; SELECT kg_list_ids('paper', '{}') -> 'ids'; RESET ROLE;
ALTER TABLE guarded.paper DISABLE ROW LEVEL SECURITY;
SET ROLE guard_admin; SELECT test.fails($$SELECT kg_list('paper', '{}')$$, 'code'); RESET ROLE;
ALTER TABLE guarded.paper ENABLE ROW LEVEL SECURITY;
ALTER ROLE guard_admin BYPASSRLS;
SET ROLE guard_admin; SELECT test.fails($$SELECT kg_list('paper', '{}')$$, 'code', 'expected'); RESET ROLE;
ALTER ROLE guard_admin NOBYPASSRLS; ALTER TABLE guarded.paper OWNER TO guard_admin;
SET ROLE guard_admin; SELECT test.fails($$SELECT kg_list('paper', '{}')$$, 'code'); RESET ROLE;
ALTER TABLE guarded.paper FORCE ROW LEVEL SECURITY;
SET ROLE guard_admin; SELECT kg_list_ids('paper', '{}') -> 'ids'; RESET ROLE;
ALTER TABLE guarded.paper NO FORCE ROW LEVEL SECURITY; ALTER TABLE guarded.paper OWNER TO :owner; GRANT SELECT ON guarded.paper TO guard_admin;
-- a table in place of the view, a view in place of the table
DROP VIEW guarded.open; CREATE TABLE guarded.open AS TABLE guarded.paper; GRANT SELECT ON guarded.open TO guard_admin;
SET ROLE guard_admin; SELECT test.fails($$SELECT kg_list('open', '{}')$$, 'code'); RESET ROLE;
-- errors of a policy have no text of it, whatever their SQLSTATE and DETAIL; nor has the error of a cast in a policy
CREATE FUNCTION guarded.fails(company text, state text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING MESSAGE = 'secret of ' || company, DETAIL = '{"code": "NOT_FOUND", "message": "secret"}', ERRCODE = state; END $$;
SELECT format('CREATE POLICY fails ON guarded.paper AS RESTRICTIVE USING (guarded.fails(company, %L))', state), 'SET ROLE guard_admin', $$SELECT test.fails($a$SELECT kg_list('paper', '{}')$a$, 'code', 'message')$$, $$SELECT test.fails($a$SELECT kg_query('{"sql": "SELECT * FROM paper"}')$a$, 'code', 'message')$$, 'RESET ROLE', 'DROP POLICY fails ON guarded.paper'
  FROM unnest('{P0001,22023,40001,42501,53200,54000,55P03,57014,XX000}'::text[]) state \gexec
CREATE POLICY fails ON guarded.paper AS RESTRICTIVE USING ((code || company)::integer > 0);
SET ROLE guard_admin; SELECT test.fails($$SELECT kg_query('{"sql": "SELECT * FROM paper"}')$$, 'code', 'message'); RESET ROLE;
-- a condition of a query is not checked on rows of another tenant
CREATE TABLE guarded.short (id integer PRIMARY KEY, company character(5) NOT NULL, n integer);
INSERT INTO guarded.short VALUES (1, 'guard', 1), (2, 'g2', 0);
GRANT SELECT ON guarded.short TO guard_admin;
SET ROLE guard_admin;
SELECT kg_bind_table('crm', 'guarded.short', '{"tenant_column": "company"}') ->> 'changed';
SELECT kg_query('{"sql": "SELECT id FROM short WHERE 1 / n > 0"}') -> 'rows';
RESET ROLE;
-- the names of two tenants differ, although a collation takes them for equal
CREATE COLLATION guarded.ignoring (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE guarded.folded (id integer PRIMARY KEY, company text COLLATE guarded.ignoring NOT NULL);
INSERT INTO guarded.folded VALUES (1, 'guard'), (2, 'GUARD');
GRANT SELECT ON guarded.folded TO guard_admin;
SET ROLE guard_admin;
SELECT kg_bind_table('crm', 'guarded.folded', '{"tenant_column": "company"}') ->> 'changed';
SELECT kg_list_ids('folded', '{}') -> 'ids';
RESET ROLE;
-- members of a mapping of other types are refused, and so are names that are not of a table
SET ROLE guard_admin;
SELECT m, test.fails(format('SELECT kg_bind_table(''crm'', ''guarded.short'', %L)', m), 'path', 'expected') FROM unnest('{"{\"shared\": true, \"tenant_column\": 5}","{\"shared\": true, \"label\": 7}","{\"shared\": true, \"entity_type\": 5}","{\"shared\": true, \"description\": 5}","{\"shared\": true, \"properties\": {\"p\": {\"column\": 1}}}"}'::text[]) m;
SELECT t, test.fails(format('SELECT kg_bind_table(''crm'', %L)', t), 'code') FROM unnest('{"","\"",a.b.c,a.b.c.d,guarded.none,none.none,"guarded.short; DROP"}'::text[]) t;
RESET ROLE;
-- ids and references by dates are the same in every session
CREATE TABLE guarded.day (day date PRIMARY KEY, at timestamptz NOT NULL UNIQUE, next date REFERENCES guarded.day);
CREATE INDEX ON guarded.day (next);
INSERT INTO guarded.day VALUES ('0044-03-15 BC', '0044-03-15 10:00+00 BC', '0044-03-15 BC'), ('2024-02-03', '2024-02-03 10:00+00', '0044-03-15 BC'), ('infinity', 'infinity', '2024-02-03');
CREATE TABLE guarded."Odd ""name"" a.b" (id integer PRIMARY KEY);
GRANT SELECT ON guarded.day, guarded."Odd ""name"" a.b" TO guard_admin;
SET ROLE guard_admin;
SELECT kg_bind_table('crm', 'guarded.day', '{"shared": true}') ->> 'changed';
SELECT test.fails($$SELECT kg_bind_table('crm', 'guarded.day', '{"shared": true, "id": "at"}')$$, 'message');
SET datestyle = 'SQL, DMY'; SET timezone = 'Asia/Tokyo';
SELECT kg_list_ids('day', '{}') -> 'ids', kg_get('day', '2024-02-03');
SELECT kg_list_ids('day', '{"limit": 1}') -> 'next' = kg_list_ids('day', '{"limit": 1}') -> 'next', kg_list_ids('day', kg_list_ids('day', '{"limit": 1}') -> 'next') -> 'ids';
SELECT jsonb_path_query_array(kg_traverse('{"from": {"label": "day", "ids": ["infinity"]}, "relationships": [{"type": "NEXT", "max_hops": 2}]}'), '$.nodes[*].id');
RESET datestyle; RESET timezone;
-- names of suggested types are valid ones
SELECT s ->> 'entity_type' FROM jsonb_array_elements(kg_suggest_bindings('guarded', '{"bundle": "sug"}') -> 'schemas') s;
RESET ROLE;
DROP SCHEMA guarded CASCADE;
CALL test.drop('guard', 'g2');
