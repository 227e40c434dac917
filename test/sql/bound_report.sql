-- kg_binding_report, filters that no index serves, and what kg_health reports of tables that types read.
\i test/data/prelude.sql
CALL test.tenant('rep', 'rep_admin admin', 'rep_reader read');
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA rep;
GRANT USAGE ON SCHEMA rep TO PUBLIC;
CREATE TABLE rep.firm (firm_id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE rep.deal (deal_id integer PRIMARY KEY, company text NOT NULL, code text NOT NULL, amount numeric, stage text, note text, blob bytea, firm_id integer NOT NULL REFERENCES rep.firm);
INSERT INTO rep.firm SELECT n, 'Firm ' || n FROM generate_series(1, 10) n;
INSERT INTO rep.deal SELECT n, 'rep', 'c' || n, n, 's' || n % 3, 'note', NULL, 1 + n % 10 FROM generate_series(1, 300) n;
CREATE INDEX ON rep.deal (firm_id);
CREATE INDEX ON rep.deal (code);
CREATE INDEX ON rep.deal (amount);
CREATE INDEX partial ON rep.deal (note) WHERE deal_id < 10;
ALTER TABLE rep.deal ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON rep.deal USING (company = kg_tenant());
CREATE VIEW rep.seen WITH (security_invoker = true) AS SELECT deal_id AS id, stage AS phase, code FROM rep.deal;
GRANT SELECT ON rep.firm, rep.deal, rep.seen TO rep_admin;
GRANT SELECT (deal_id, company, code, firm_id) ON rep.deal TO rep_reader;
ANALYZE rep.firm; ANALYZE rep.deal;
SET ROLE rep_admin;
SELECT kg_bind_table('crm', 'rep.firm', '{"shared": true}') ->> 'changed';
SELECT kg_bind_table('crm', 'rep.deal', '{"hidden": ["company"]}') ->> 'changed';
SELECT kg_bind_table('crm', 'rep.seen', '{"id": "id"}') ->> 'changed';
-- numeric comparison is not leakproof, so its index does not serve a caller under policies; a partial index serves nothing
SELECT jsonb_pretty(kg_binding_report('deal'));
SELECT kg_binding_report('firm') - 'properties', kg_binding_report('seen') -> 'properties';
RESET ROLE;
SET ROLE rep_reader; SELECT kg_binding_report('deal') #> '{properties,1}', test.fails($$SELECT kg_binding_report('firm')$$), kg_binding_report('firm') -> 'problems'; RESET ROLE;
SET ROLE rep_admin; SELECT test.fails($$SELECT kg_binding_report('nothing')$$); RESET ROLE;
-- a filter without an index is refused on a large table, and the index that helps is named
SET kg_graph.max_unindexed = 100;
SET ROLE rep_admin;
SELECT test.fails(format('SELECT kg_list_ids(''deal'', %L)', jsonb_build_object('filters', f)), 'path', 'message', 'allowed', 'expected') FROM unnest('{"{\"stage\": \"s1\"}","{\"amount\": 5}","{\"code\": {\"contains\": \"9\"}}","{\"code\": {\"ne\": \"c1\"}}","{\"any\": [{\"code\": \"c1\"}, {\"stage\": \"s1\"}]}"}'::jsonb[]) f;
SELECT kg_list_ids('deal', jsonb_build_object('filters', f)) ->> 'total' FROM unnest('{"{\"code\": \"c5\"}","{\"code\": \"c5\", \"stage\": \"s2\"}","{\"id\": {\"in\": [\"5\", \"6\"]}, \"stage\": \"s2\"}","{\"firm_id\": \"2\", \"amount\": {\"gt\": 100}}","{\"any\": [{\"code\": \"c1\"}, {\"id\": \"7\"}]}","{\"code\": {\"is_null\": true}}","{}"}'::jsonb[]) f;
SELECT kg_list_ids('firm', '{"filters": {"name": "Firm 1"}}') ->> 'total';
SELECT test.fails($$SELECT kg_list_ids('seen', '{"filters": {"phase": "s1"}}')$$, 'expected');
SELECT test.fails($$SELECT kg_traverse('{"from": {"label": "deal", "filters": {"stage": "s1"}}, "relationships": [{"type": "FIRM"}]}')$$, 'path');
SELECT kg_traverse('{"from": {"label": "deal", "ids": ["1"], "filters": {"stage": "s1"}}, "relationships": [{"type": "FIRM"}]}') -> 'edges' -> 0 ->> 'relation' IS NULL;
RESET ROLE;
SET kg_graph.max_unindexed = -1;
SET ROLE rep_admin; SELECT kg_list_ids('deal', '{"filters": {"stage": "s1"}}') ->> 'total'; RESET ROLE;
RESET kg_graph.max_unindexed;
-- an index of another kind does not serve a reference
DROP INDEX rep.deal_firm_id_idx;
CREATE INDEX ON rep.deal USING brin (firm_id);
SET ROLE rep_admin; SELECT test.fails($$SELECT kg_bind_table('own', 'rep.deal', '{"entity_type": "other", "references": {"firm": {"columns": ["firm_id"], "to": "crm/firm"}}}')$$, 'expected'); RESET ROLE;
CREATE INDEX ON rep.deal (firm_id);
-- health: a lost column, a lost table, a lost policy; a lack of rights is no fault of the binding
SET ROLE rep_admin; SELECT c - 'metrics', c #> '{metrics,problems}' FROM jsonb_path_query(kg_health(), '$.components[*] ? (@.name == "bindings")') c; RESET ROLE;
ALTER TABLE rep.firm RENAME COLUMN name TO title;
DROP POLICY own ON rep.deal; CREATE POLICY open ON rep.deal USING (true);
DROP VIEW rep.seen;
SET ROLE rep_admin;
SELECT c - 'metrics', c #> '{metrics,problems}' FROM jsonb_path_query(kg_health(), '$.components[*] ? (@.name == "bindings")') c;
SELECT kg_binding_report('firm') -> 'problems', kg_binding_report('deal') -> 'problems', kg_binding_report('seen');
RESET ROLE;
DROP SCHEMA rep CASCADE;
CALL test.drop('rep');
