-- Types that read a table of the user: kg_bind_table, what it refuses, lists, ids and queries over them, and whose rows they show.
\i test/data/prelude.sql
CALL test.tenant('bound', 'bound_admin admin', 'bound_reader read');
CALL test.tenant('bound too', 'bound_other admin');
\pset format unaligned
\pset tuples_only on
-- A reply; or an error's code, message, place and what is expected.
CREATE FUNCTION bound_asked(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
  r jsonb;
BEGIN
  EXECUTE 'SELECT ' || sql INTO r;
  RETURN r;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  r := detail;
  RETURN coalesce((SELECT string_agg(concat_ws(' | ', e ->> 'code', e ->> 'message', e ->> 'path', e ->> 'expected'), E'\n  ') FROM jsonb_array_elements(r -> 'errors') e), concat_ws(' | ', r ->> 'code', r ->> 'message', r ->> 'path', r ->> 'expected'));
END $$;
GRANT EXECUTE ON FUNCTION bound_asked TO PUBLIC;
CREATE SCHEMA shop;
GRANT USAGE ON SCHEMA shop TO PUBLIC;
CREATE TYPE shop.tier AS ENUM ('top', 'mid', 'low');
CREATE TABLE shop.account (account_id integer PRIMARY KEY, company text NOT NULL, name varchar(40) NOT NULL);
CREATE TABLE shop.customer (customer_id bigint PRIMARY KEY, company text NOT NULL, full_name text NOT NULL, tier shop.tier, credit numeric(10, 2), born date, since timestamptz, active boolean, tags text[], notes jsonb, secret text, key bytea,
  account_id integer REFERENCES shop.account, boss bigint REFERENCES shop.customer);
COMMENT ON TABLE shop.customer IS 'who buys';
COMMENT ON COLUMN shop.customer.full_name IS 'as on the invoice';
CREATE TABLE shop.line (order_no integer, place text, "Odd ""name""" integer, price real, PRIMARY KEY (order_no, place));
CREATE TABLE shop.loose (id integer, company text);
INSERT INTO shop.account SELECT n, CASE WHEN n % 2 = 0 THEN 'bound' ELSE 'bound too' END, 'Account ' || n FROM generate_series(1, 6) n;
INSERT INTO shop.customer SELECT n, CASE WHEN n % 2 = 0 THEN 'bound' ELSE 'bound too' END, 'Customer ' || n, (ARRAY['top', 'mid', 'low']::shop.tier[])[1 + n % 3], n * 1.25, date '2000-01-01' + n, timestamptz '2024-01-01 00:00+00' + n * interval '1 hour', n % 4 = 0,
  ARRAY['t' || n % 3, 'all'], jsonb_build_object('n', n), 's' || n, '\x00', 1 + (n + n / 4) % 6, CASE WHEN n > 3 THEN n / 2 END FROM generate_series(2, 20) n;
UPDATE shop.customer SET tier = NULL, credit = 'NaN', born = '-infinity', since = 'infinity', tags = NULL, notes = NULL WHERE customer_id = 20;
INSERT INTO shop.line VALUES (1, 'a/b', 1, 1.5), (1, 'c%2Fd', 2, 2.5), (2, '', 3, 'Infinity');
GRANT SELECT ON shop.account, shop.line, shop.loose TO bound_admin, bound_reader, bound_other;
GRANT SELECT (customer_id, company, full_name, tier, credit, born, since, active, tags, notes, account_id, boss, key) ON shop.customer TO bound_admin, bound_other;
GRANT SELECT (customer_id, company, full_name, tier, account_id) ON shop.customer TO bound_reader;
\c - bound_admin
-- refused: no such table, no tenant, no index, no key
SELECT bound_asked($$kg_bind_table('crm', 'shop.nothing')$$);
SELECT bound_asked($$kg_bind_table('crm', 'shop.account')$$);
SELECT bound_asked($$kg_bind_table('crm', 'shop.loose', '{"shared": true}')$$);
SELECT bound_asked($$kg_bind_table('crm', 'shop.loose', '{"shared": true, "id": "id"}')$$);
SELECT bound_asked($$kg_bind_table('crm', 'shop.account', '{"shared": true, "id": "acount_id"}')$$);
SELECT bound_asked($$kg_bind_table('crm', 'shop.account', '{"share": true}')$$);
SELECT bound_asked($$kg_bind_table('crm', 'shop.account', '{"tenant_column": "company", "label": "name", "tools": ["list", "create"]}')$$);
SELECT kg_bind_table('crm', 'shop.account', '{"tenant_column": "company", "label": "name"}') - 'warnings';
-- a foreign key needs an index; so does a reference to the type itself
SELECT bound_asked($$kg_bind_table('crm', 'shop.customer', '{"tenant_column": "company", "hidden": ["company", "key"]}')$$);
\c - :owner
CREATE INDEX ON shop.customer (account_id);
CREATE INDEX ON shop.customer (boss);
ANALYZE shop.customer, shop.line;
\c - bound_admin
SELECT kg_bind_table('crm', 'shop.customer', '{"tenant_column": "company", "hidden": ["company", "key"], "label": "full_name"}') ->> 'changed';
SELECT kg_bind_table('crm', 'shop.line', '{"shared": true}') ->> 'changed';
SELECT jsonb_pretty(kg_export_bundle('crm') #> '{schemas,1,schema}');
-- estimates of tables of which the caller sees all rows
SELECT substring(line FROM '^[a-z]+[^:]*:') FROM string_to_table(kg_call_tool('schema', '{}') #>> '{content,0,text}', E'\n') line WHERE line ~ '^[a-z]';
-- applied again, it is the same
SELECT kg_apply_bundle(kg_export_bundle('crm')) ->> 'changed';
SELECT kg_bind_table('crm', 'shop.line', '{"shared": true}') ->> 'changed';
-- lists and ids
SELECT kg_list('account', '{}');
SELECT kg_list('customer', '{"filters": {"tier": "top"}, "sort": [{"field": "credit", "order": "desc"}], "limit": 2}') - 'next';
SELECT kg_get('customer', '20');
SELECT kg_get('customer', '4');
SELECT kg_get('customer', '5') IS NULL, kg_get('customer', '04') IS NULL, kg_get('customer', 'x') IS NULL;
SELECT kg_list_ids('customer', jsonb_build_object('filters', f::jsonb)) -> 'ids' FROM (VALUES ('{"credit": {"gte": 7.5, "lt": 15}}'), ('{"tier": {"in": ["top", "low"]}}'), ('{"tier": {"ne": "top"}}'), ('{"tier": {"is_null": true}}'), ('{"born": {"gt": "2000-01-15"}}'),
  ('{"since": {"lte": "2024-01-01T08:00:00Z"}}'), ('{"active": true}'), ('{"tags": "t1"}'), ('{"tags": {"contains_all": ["t2", "all"]}}'), ('{"tags": {"ne": "t1"}}'), ('{"full_name": {"starts_with": "Customer 1"}}'), ('{"full_name": {"contains": "_"}}'),
  ('{"account_id": "1"}'), ('{"account_id": "5"}'), ('{"boss": {"is_null": true}}'), ('{"id": {"in": ["2", "3", "4", "x"]}}'), ('{"any": [{"credit": {"lt": 4}}, {"active": true, "tier": "mid"}]}')) v(f);
-- the order of an enum is that of its declaration; missing values are last; pages follow each other
CREATE FUNCTION pg_temp.pages(type text, arguments jsonb) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r jsonb; ids text := ''; BEGIN LOOP r := kg_list_ids(type, arguments); ids := concat_ws(' ', ids, r ->> 'ids', r ->> 'total'); arguments := r -> 'next'; EXIT WHEN arguments IS NULL; END LOOP; RETURN ids; END $$;
SELECT pg_temp.pages('customer', '{"limit": 3, "sort": [{"field": "tier"}, {"field": "born", "order": "desc"}]}');
SELECT pg_temp.pages('customer', '{"limit": 4, "sort": [{"field": "credit", "order": "desc"}]}');
SELECT pg_temp.pages('customer', '{"limit": 4, "sort": [{"field": "since", "order": "desc"}]}');
SELECT pg_temp.pages('line', '{"limit": 1}'), pg_temp.pages('line', '{"limit": 1, "sort": [{"field": "id", "order": "desc"}]}'), pg_temp.pages('line', '{"limit": 1, "sort": [{"field": "price", "order": "desc"}]}');
SELECT kg_get('line', '1/c%252Fd'), kg_get('line', '2/'), kg_get('line', '1') IS NULL;
SELECT kg_find_nodes('{"node_label": "customer", "filters": {"tier": "mid"}, "limit": 1}') - 'next';
-- SQL over types and references
SELECT kg_query('{"sql": "SELECT c.id, c.full_name, a.name FROM customer c JOIN account a ON a.id = c.account_id WHERE c.tier = ''top'' ORDER BY c.id"}') -> 'rows';
SELECT kg_query('{"sql": "SELECT r.\"from\", r.\"to\", r.from_type, r.to_type FROM \"ACCOUNT\" r ORDER BY 1, 2 LIMIT 2"}') -> 'rows';
SELECT kg_query('{"sql": "SELECT c.full_name, a.name FROM \"ACCOUNT\" r JOIN customer c ON c.id = r.\"from\" JOIN account a ON a.id = r.\"to\" ORDER BY 1 LIMIT 2"}') -> 'rows';
SELECT kg_query('{"sql": "SELECT count(*) FROM line WHERE price > 2"}') -> 'rows';
-- walks over references, both ways; never to a row of another tenant
SELECT kg_traverse('{"from": {"label": "customer", "filters": {"tier": "top"}}, "relationships": [{"type": "ACCOUNT"}]}');
SELECT kg_traverse('{"from": {"label": "account", "ids": ["2"]}, "relationships": [{"type": "ACCOUNT", "direction": "incoming"}, {"type": "BOSS", "max_hops": 2}]}') - 'nodes';
SELECT kg_neighbors('{"start_node": {"label": "customer", "node_id": "4"}, "max_hops": 2}') - 'nodes';
SELECT kg_paths('{"from": {"label": "customer", "ids": ["16"]}, "to": {"label": "account", "ids": ["6"]}, "max_hops": 4}') - 'nodes';
-- groups by columns, by references and by steps; conditions on connected nodes; paths through references; ranks, claims and subgraphs
SELECT kg_aggregate('{"node": {"label": "customer"}, "group_by": [{"property": "tier"}], "aggregations": [{"fn": "count"}, {"fn": "sum", "property": "credit"}, {"fn": "median", "property": "credit"}, {"fn": "max", "property": "born"}, {"fn": "count_distinct", "property": "account_id"}]}') -> 'rows';
SELECT kg_aggregate('{"node": {"label": "customer", "filters": {"active": true}}, "group_by": [{"property": "born", "truncate": "year"}, {"property": "account_id.name"}], "aggregations": [{"fn": "count"}, {"fn": "avg", "property": "credit"}]}') -> 'rows';
SELECT kg_aggregate('{"node": {"label": "account"}, "relationships": [{"type": "ACCOUNT", "direction": "incoming"}], "group_by": [{"step": 1, "property": "tier"}], "aggregations": [{"fn": "count"}]}') -> 'rows';
SELECT kg_list_ids('customer', '{"related": [{"type": "ACCOUNT", "to": {"label": "account", "ids": ["6"]}}]}') -> 'ids', kg_list_ids('customer', '{"not_related": [{"type": "BOSS"}], "sort": [{"field": "credit", "order": "desc"}]}') -> 'ids';
SELECT kg_traverse('{"from": {"label": "account"}, "relationships": [{"type": "ACCOUNT", "direction": "incoming", "to": {"label": "customer", "filters": {"credit": {"gt": 10}, "full_name": {"starts_with": "Customer 1"}}}}], "ids_only": true}') -> 'rows';
SELECT kg_list('customer', '{"fields": ["customer_id", "account_id.name"], "filters": {"account_id.name": {"starts_with": "Account"}}}') -> 'items';
SELECT kg_rank('{"seeds": ["customer:4"], "ids_only": true, "limit": 3}') #> '{ranked,1}';
SELECT kg_verify('{"claims": [{"entity": "customer:4"}, {"from": "customer:4", "relation": "ACCOUNT", "to": "account:6"}, {"from": "customer:4", "relation": "BOSS", "to": "account:6"}, {"entity": "customer:4", "property": "tier", "is": "mid"}, {"from": "customer:16", "to": "account:6", "within": 4}, {"count": {"tool": "find_nodes", "arguments": {"node_label": "customer"}}, "is": 10}]}') -> 'counts';
SELECT kg_bfs('{"seeds": ["customer:4"], "max_hops": 1, "ids_only": true}') #> '{nodes}';
SELECT kg_intersect('{"seeds": ["customer:4", "customer:14"], "k": 1, "ids_only": true}') #> '{nodes}';
SELECT kg_describe('{"id": "customer:4"}');
SELECT bound_asked($$kg_list('customer', '{"sort": [{"field": "account_id.name"}]}')$$);
-- not for such types
SELECT bound_asked($$kg_list('customer', '{"search": "Customer"}')$$);
SELECT bound_asked($$kg_put_entities('customer', '[{"customer_id": "1", "full_name": "x"}]')$$);
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('crm', 'customer', '{"customer_id": "1", "full_name": "x"}');
-- other columns, and another tenant
\c - bound_reader
SELECT kg_get('customer', '4');
SELECT bound_asked($$kg_list('customer', '{"filters": {"credit": 5}}')$$);
SELECT bound_asked($$kg_bind_table('crm', 'shop.account', '{"shared": true}')$$);
\c - bound_other
SELECT bound_asked($$kg_list('customer', '{}')$$);
SELECT kg_bind_table('own', 'shop.customer', '{"tenant_column": "company", "properties": {"number": "customer_id", "name": {"column": "full_name", "description": "of a person"}}}') ->> 'changed';
SELECT kg_list('customer', '{"limit": 2}') - 'next';
\c - :owner
-- policies: a row that the caller does not see is not there, nor is a reference to it
CREATE TABLE shop.place (place_id uuid PRIMARY KEY, owner text NOT NULL, inside uuid REFERENCES shop.place);
CREATE INDEX ON shop.place (inside);
INSERT INTO shop.place VALUES ('00000000-0000-0000-0000-000000000001', 'bound too', NULL), ('00000000-0000-0000-0000-000000000002', 'bound', '00000000-0000-0000-0000-000000000001'), ('00000000-0000-0000-0000-000000000003', 'bound', '00000000-0000-0000-0000-000000000002');
GRANT SELECT ON shop.place TO bound_admin;
\c - bound_admin
SELECT bound_asked($$kg_bind_table('crm', 'shop.place')$$);
\c - :owner
ALTER TABLE shop.place ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON shop.place USING (owner = kg_tenant());
CREATE VIEW shop.seen AS SELECT place_id AS id, owner FROM shop.place;
CREATE VIEW shop.invoked WITH (security_invoker = true) AS SELECT place_id AS id, owner FROM shop.place;
GRANT SELECT ON shop.seen, shop.invoked TO bound_admin;
\c - bound_admin
SELECT kg_bind_table('crm', 'shop.place') ->> 'changed';
SELECT kg_list('place', '{}') -> 'items';
SELECT kg_list_ids('place', '{"filters": {"inside": {"is_null": true}}}') -> 'ids', kg_list_ids('place', '{"filters": {"inside": "00000000-0000-0000-0000-000000000001"}}') -> 'ids';
SELECT bound_asked($$kg_list('place', '{"filters": {"inside": "no uuid"}}')$$);
SELECT kg_query('{"sql": "SELECT id, inside FROM place ORDER BY id"}') -> 'rows';
SELECT bound_asked($$kg_bind_table('crm', 'shop.seen', '{"id": "id"}')$$);
SELECT kg_bind_table('crm', 'shop.invoked', '{"id": "id"}') ->> 'changed';
SELECT kg_list_ids('invoked', '{}') -> 'ids';
\c - :owner
-- tables that join two others are relations, whose other columns are properties of edges
CREATE TABLE shop.member (customer_id bigint NOT NULL REFERENCES shop.customer, account_id integer NOT NULL REFERENCES shop.account, company text NOT NULL, since timestamptz, share numeric, PRIMARY KEY (customer_id, account_id));
INSERT INTO shop.member SELECT c, a, 'bound', timestamptz '2024-01-01 12:00+02' + c * interval '1 day', CASE WHEN a = 2 THEN NULL ELSE c / 4.0 END FROM generate_series(2, 6, 2) c, generate_series(1, 4) a WHERE (c + a) % 3 <> 0;
GRANT SELECT ON shop.member TO bound_admin;
\c - bound_admin
SELECT bound_asked($$kg_apply_bundle('{"bundle_name": "crm", "version": "2", "relations": [{"name": "MEMBER", "from": "customer", "to": "account", "schema": {"type": "object", "properties": {"share": {"type": "number"}}, "x-table": {"name": "shop.member", "from": "customer_id", "to": "account_id"}}}]}', '{"mode": "merge"}')$$);
SELECT bound_asked($$kg_apply_bundle('{"bundle_name": "crm", "version": "2", "relations": [{"name": "MEMBER", "from": "customer", "to": "account", "schema": {"type": "object", "x-table": {"name": "shop.member", "from": "customer_id"}}}]}', '{"mode": "merge"}')$$);
\c - :owner
CREATE INDEX ON shop.member (account_id);
\c - bound_admin
SELECT kg_apply_bundle('{"bundle_name": "crm", "version": "2", "relations": [{"name": "MEMBER", "from": "customer", "to": "account", "inverse": "HAS_MEMBER", "schema": {"type": "object", "properties": {"share": {"type": "number"}, "joined": {"type": "string", "format": "date-time"}}, "x-table": {"name": "shop.member", "from": "customer_id", "to": "account_id", "columns": {"joined": "since"}, "tenant_column": "company"}}}]}', '{"mode": "merge"}') ->> 'changed';
SELECT kg_traverse('{"from": {"label": "customer"}, "relationships": [{"type": "MEMBER"}]}') -> 'edges';
SELECT kg_traverse('{"from": {"label": "account", "ids": ["4"]}, "relationships": [{"type": "HAS_MEMBER", "filters": {"share": {"gte": 1}}}]}') -> 'rows';
SELECT kg_aggregate('{"node": {"label": "account"}, "relationships": [{"type": "MEMBER", "direction": "incoming"}], "group_by": [{"property": "name"}], "aggregations": [{"fn": "sum", "property": "edge.share"}, {"fn": "count"}]}') -> 'rows';
SELECT kg_verify('{"claims": [{"from": "customer:4", "relation": "MEMBER", "to": "account:4", "properties": {"share": 1}}, {"from": "customer:4", "relation": "MEMBER", "to": "account:4", "properties": {"share": 2}}, {"from": "customer:2", "relation": "MEMBER", "to": "account:4"}]}') -> 'counts';
SELECT kg_query('{"sql": "SELECT m.\"from\", m.\"to\", m.properties ->> ''share'', m.share FROM \"MEMBER\" m ORDER BY 1, 2"}') -> 'rows';
SELECT kg_query('{"sql": "SELECT * FROM member ORDER BY customer_id, account_id LIMIT 1"}');
SELECT kg_query('{"sql": "SELECT c.full_name, count(*), max(a.name) FROM member m JOIN customer c ON c.customer_id = m.customer_id JOIN account a ON a.account_id = m.account_id AND a.account_id = m.\"to\" GROUP BY 1 ORDER BY 1"}') -> 'rows';
SELECT bound_asked($$kg_put_edges('[{"relation": "MEMBER", "from": "customer:2", "to": "account:2"}]')$$);
\c - :owner
DROP TABLE shop.member;
\c - bound_admin
SELECT bound_asked($$kg_traverse('{"from": {"label": "customer"}, "relationships": [{"type": "MEMBER"}]}')$$);
\c - :owner
-- a bundle of all tables, which can be applied
\c - bound_admin
SELECT kg_drop_bundle('crm') ->> 'changed';
SELECT s ->> 'entity_type', s #>> '{schema,x-label-field}', s #> '{schema,x-table}', jsonb_path_query_array(s, '$.schema.properties.*."x-ref"') FROM jsonb_array_elements(kg_suggest_bindings('shop', '{"bundle": "crm", "shared": true, "tenant_column": "company"}') -> 'schemas') s;
SELECT kg_apply_bundle(kg_suggest_bindings('shop', '{"bundle": "crm", "shared": true, "tenant_column": "company"}')) ->> 'changed';
SELECT kg_list_ids('customer', '{}') -> 'ids';
SELECT bound_asked($$kg_suggest_bindings('nowhere')$$);
-- measures of the whole graph are of what is stored
SELECT bound_asked($$kg_analyze('{"measure": "degree"}')$$);
\c - :owner
-- what changes under a binding
ALTER TABLE shop.account RENAME COLUMN name TO title;
CREATE FUNCTION shop.fails(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'secret %', $1; END $$;
CREATE POLICY fails ON shop.place AS RESTRICTIVE USING (shop.fails(owner));
REVOKE SELECT ON shop.line FROM bound_admin;
\c - bound_admin
SELECT bound_asked($$kg_list('account', '{}')$$);
SELECT bound_asked($$kg_list('place', '{}')$$);
SELECT bound_asked($$kg_list('line', '{}')$$);
SELECT bound_asked($$kg_query('{"sql": "SELECT * FROM account"}')$$);
SELECT bound_asked($$kg_query('{"sql": "SELECT * FROM place"}')$$);
SELECT bound_asked($$kg_query('{"sql": "SELECT * FROM line"}')$$);
SELECT kg_list('customer', '{"limit": 1}') -> 'returned';
SELECT kg_drop_bundle('crm') ->> 'changed';
\c - :owner
DROP SCHEMA shop CASCADE;
DROP FUNCTION bound_asked;
CALL test.drop('bound', 'bound too');
