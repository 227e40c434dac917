-- The plans of the statements over tables that types read, as an ordinary role under the tables' own policies: each by an index, or refused with the index that would help.
\i test/data/prelude.sql
CALL test.tenant('bplan', 'bplan_admin admin', 'bplan_reader read');
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA bplan;
GRANT USAGE ON SCHEMA bplan TO PUBLIC;
CREATE TABLE bplan.firm (firm_id integer PRIMARY KEY, company text NOT NULL, name text NOT NULL);
CREATE TABLE bplan.deal (deal_id integer PRIMARY KEY, company text NOT NULL, code text NOT NULL, stage text NOT NULL, day date NOT NULL, amount numeric, firm_id integer NOT NULL REFERENCES bplan.firm);
CREATE TABLE bplan.line (deal_id integer NOT NULL REFERENCES bplan.deal, place integer NOT NULL, company text NOT NULL, price integer, PRIMARY KEY (deal_id, place));
CREATE TABLE bplan.member (firm_id integer NOT NULL REFERENCES bplan.firm, deal_id integer NOT NULL REFERENCES bplan.deal, company text NOT NULL, share integer, PRIMARY KEY (firm_id, deal_id));
INSERT INTO bplan.firm SELECT n, 'bplan', 'Firm ' || n FROM generate_series(1, 5000) n;
INSERT INTO bplan.deal SELECT n, 'bplan', 'c' || n, 's' || n % 3, date '2024-01-01' + n % 1000, n, 1 + n % 5000 FROM generate_series(1, 20000) n;
INSERT INTO bplan.line SELECT 1 + n % 20000, n / 20000, 'bplan', n FROM generate_series(0, 39999) n;
INSERT INTO bplan.member SELECT 1 + n % 5000, n, 'bplan', n % 100 FROM generate_series(1, 20000) n;
CREATE INDEX deal_firm ON bplan.deal (firm_id);
CREATE INDEX deal_code ON bplan.deal (code);
CREATE INDEX deal_day ON bplan.deal (day);
CREATE INDEX deal_amount ON bplan.deal (amount);
CREATE INDEX member_deal ON bplan.member (deal_id);
ALTER TABLE bplan.firm ENABLE ROW LEVEL SECURITY;
ALTER TABLE bplan.deal ENABLE ROW LEVEL SECURITY;
ALTER TABLE bplan.line ENABLE ROW LEVEL SECURITY;
ALTER TABLE bplan.member ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON bplan.firm USING (company = kg_tenant());
CREATE POLICY own ON bplan.deal USING (company = kg_tenant());
CREATE POLICY own ON bplan.line USING (company = kg_tenant());
CREATE POLICY own ON bplan.member USING (company = kg_tenant());
GRANT SELECT ON ALL TABLES IN SCHEMA bplan TO PUBLIC;
VACUUM ANALYZE bplan.firm, bplan.deal, bplan.line, bplan.member;
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO bplan_reader;
GRANT pg_read_all_stats TO bplan_reader;
\c - bplan_admin
SELECT kg_bind_table('crm', 'bplan.firm', '{"label": "name", "hidden": ["company"]}') ->> 'changed', kg_bind_table('crm', 'bplan.deal', '{"hidden": ["company"]}') ->> 'changed', kg_bind_table('crm', 'bplan.line', '{"hidden": ["company"]}') ->> 'changed';
SELECT kg_apply_bundle('{"bundle_name": "crm", "version": "2", "relations": [{"name": "MEMBER", "from": "firm", "to": "deal", "schema": {"type": "object", "properties": {"share": {"type": "integer"}}, "x-table": {"name": "bplan.member", "from": "firm_id", "to": "deal_id"}}}]}', '{"mode": "merge"}') ->> 'changed';
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'desk', 'version', '1', 'schemas', '[{"entity_type": "ticket", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "of": {"type": "string", "x-ref": "crm/deal", "x-index": true}}}}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'ticket', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 't' || n, 'of', n::text)) FROM generate_series(1, 2000) n))))) ->> 'changed';
\c - :owner
VACUUM ANALYZE kg_entity, kg_index_key;
ALTER ROLE bplan_reader SET kg_graph.max_unindexed = 1000;
\c - bplan_reader
SET max_parallel_workers_per_gather = 0;
-- Returns "index", the tables that a statement of the call reads without an index,
-- or the error of the call. A table is marked "Limit" if its sequential scan is below
-- a Limit node. This is correct: without a filter, a count reads at most
-- kg_graph.max_total rows, and a selection at most kg_graph.max_visited rows. Groups
-- without a filter need all rows, so an index cannot help.
CREATE FUNCTION pg_temp.scans(tool text, arguments jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  RETURN (SELECT string_agg(DISTINCT CASE WHEN line ~ 'Seq Scan' THEN CASE WHEN s ->> 'plan' ~ '"[ >-]*Limit", "[ >-]*Seq Scan' THEN 'Limit, ' ELSE '' END || btrim(replace(line, '->', '')) ELSE 'index' END, ', ') FROM jsonb_array_elements(kg_explain(tool, arguments) -> 'statements') s, jsonb_array_elements_text(s -> 'plan') line WHERE line ~ '(Seq|Index|Heap|Index Only) Scan' AND line !~ 'kg_');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', detail::jsonb ->> 'code', detail::jsonb ->> 'path', detail::jsonb ->> 'expected');
END $$;
SELECT tool, arguments, pg_temp.scans(tool, arguments) FROM (VALUES
  ('find_nodes', '{"node_label": "deal"}'::jsonb), ('find_nodes', '{"node_label": "deal", "filters": {"code": "c77"}}'), ('find_nodes', '{"node_label": "deal", "filters": {"code": {"in": ["c77", "c78"]}, "stage": "s1"}}'),
  ('find_nodes', '{"node_label": "deal", "filters": {"day": {"gte": "2024-05-01", "lt": "2024-05-02"}}}'), ('find_nodes', '{"node_label": "deal", "filters": {"firm_id": "7"}}'), ('find_nodes', '{"node_label": "deal", "filters": {"id": {"in": ["1", "2"]}}}'),
  ('find_nodes', '{"node_label": "deal", "filters": {"any": [{"code": "c1"}, {"id": "9"}]}}'), ('find_nodes', '{"node_label": "deal", "sort": [{"field": "day", "order": "desc"}], "limit": 5}'), ('find_nodes', '{"node_label": "deal", "filters": {"code": "c1"}, "sort": [{"field": "stage"}]}'),
  ('find_nodes', '{"node_label": "line", "ids": ["7/0", "8/1"]}'), ('find_nodes', '{"node_label": "deal", "related": [{"type": "FIRM", "to": {"label": "firm", "ids": ["7"]}}]}'),
  ('find_nodes', '{"node_label": "deal", "filters": {"stage": "s1"}}'), ('find_nodes', '{"node_label": "deal", "filters": {"amount": 7}}'), ('find_nodes', '{"node_label": "deal", "sort": [{"field": "stage"}]}'), ('find_nodes', '{"node_label": "deal", "sort": [{"field": "firm_id"}]}'),
  ('find_nodes', '{"node_label": "deal", "filters": {"any": [{"code": "c1"}, {"stage": "s1"}]}}'),
  ('get_deal', '{"id": "7"}'), ('get_line', '{"id": "7/0"}'),
  ('traverse_relationships', '{"from": {"label": "deal", "ids": ["7", "8"]}, "relationships": [{"type": "FIRM"}]}'), ('traverse_relationships', '{"from": {"label": "firm", "ids": ["7"]}, "relationships": [{"type": "FIRM", "direction": "incoming"}, {"type": "DEAL", "direction": "incoming"}]}'),
  ('traverse_relationships', '{"from": {"label": "line", "ids": ["7/0"]}, "relationships": [{"type": "DEAL"}]}'), ('traverse_relationships', '{"from": {"label": "firm", "ids": ["7"]}, "relationships": [{"type": "MEMBER", "filters": {"share": {"gt": 5}}}]}'),
  ('traverse_relationships', '{"from": {"label": "deal", "ids": ["7"]}, "relationships": [{"type": "MEMBER", "direction": "incoming"}]}'), ('traverse_relationships', '{"from": {"label": "ticket", "ids": ["t7"]}, "relationships": [{"type": "OF"}, {"type": "FIRM", "to": {"label": "firm", "filters": {"name": {"contains": "8"}}}}]}'),
  ('traverse_relationships', '{"from": {"label": "deal", "ids": ["7"]}, "relationships": [{"type": "OF", "direction": "incoming"}]}'),
  ('aggregate_nodes', '{"node": {"label": "deal", "filters": {"code": "c7"}}, "group_by": [{"property": "stage"}], "aggregations": [{"fn": "count"}, {"fn": "sum", "property": "amount"}]}'),
  ('aggregate_nodes', '{"node": {"label": "deal", "filters": {"stage": "s1"}}, "aggregations": [{"fn": "count"}]}'), ('aggregate_nodes', '{"node": {"label": "deal"}, "group_by": [{"property": "stage"}], "aggregations": [{"fn": "count"}]}'),
  ('explore_neighbors', '{"start_node": {"label": "deal", "node_id": "7"}}'), ('find_paths', '{"from": {"label": "firm", "ids": ["7"]}, "to": {"label": "firm", "ids": ["8"]}, "max_hops": 2}'),
  ('describe_entity', '{"id": "deal:7"}'), ('verify_claims', '{"claims": [{"from": "deal:7", "relation": "FIRM", "to": "firm:8"}, {"entity": "line:7/0"}]}'),
  ('bfs_query', '{"seeds": ["deal:7"], "max_hops": 1}'), ('intersect_subgraphs', '{"seeds": ["deal:7", "deal:8"], "k": 1}'), ('rank_related', '{"seeds": ["deal:7"]}'), ('find_nodes', '{"node_label": "deal", "ids": ["7"], "not_related": [{"type": "DEAL", "direction": "incoming"}]}'),
  ('find_nodes', '{"node_label": "deal", "filters": {"code": "c7", "firm_id.name": {"contains": "8"}}}'), ('find_nodes', '{"node_label": "deal", "filters": {"firm_id.name": "Firm 7"}}'), ('find_nodes', '{"node_label": "line", "filters": {"deal_id.code": "c7"}}'), ('find_nodes', '{"node_label": "firm", "related": [{"type": "FIRM", "direction": "incoming", "to": {"label": "deal", "filters": {"code": "c7"}}}]}'), ('traverse_relationships', '{"from": {"label": "deal"}, "relationships": [{"type": "FIRM"}]}'),
  ('aggregate_nodes', '{"node": {"label": "deal", "filters": {"code": "c7"}}, "relationships": [{"type": "FIRM"}], "group_by": [{"step": 1, "property": "name"}], "aggregations": [{"fn": "sum", "property": "amount"}]}'), ('aggregate_nodes', '{"node": {"label": "deal"}, "group_by": [{"property": "firm_id.name"}], "aggregations": [{"fn": "count"}]}')) v(tool, arguments);
\c - :owner
-- a tenant with few rows, whose index is the best way to them: a role that reads both tenants has plans for each
CALL test.tenant('bplan few', 'bplan_few admin');
SELECT kg_grant('bplan few', 'bplan_reader', 'read') IS NOT NULL;
INSERT INTO bplan.firm VALUES (0, 'bplan few', 'Firm 0');
INSERT INTO bplan.deal VALUES (0, 'bplan few', 'c0', 's0', '2024-01-01', 0, 0);
\c - bplan_few
SELECT kg_binding_report('deal') -> 'tenant' FROM (SELECT kg_bind_table('crm', 'bplan.firm', '{"hidden": ["company"]}'), kg_bind_table('crm', 'bplan.deal', '{"hidden": ["company"]}') OFFSET 0) b;
\c - :owner
CREATE INDEX deal_company ON bplan.deal (company);
ANALYZE bplan.deal;
\c - bplan_reader
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION pg_temp.conditions(arguments jsonb) RETURNS SETOF text LANGUAGE sql AS $$ SELECT DISTINCT btrim(line) COLLATE "C" FROM jsonb_array_elements(kg_explain('traverse_relationships', arguments) -> 'statements') s, jsonb_array_elements_text(s -> 'plan') line WHERE line ~ 'Index Cond' AND line ~ 'firm_id|company' ORDER BY 1 $$;
SET kg_graph.tenant = 'bplan few';
SELECT kg_binding_report('deal') -> 'tenant', kg_find_nodes('{"node_label": "deal"}') -> 'total';
SELECT * FROM pg_temp.conditions('{"from": {"label": "firm", "ids": ["0"]}, "relationships": [{"type": "FIRM", "direction": "incoming"}]}');
SET kg_graph.tenant = 'bplan';
SELECT * FROM pg_temp.conditions('{"from": {"label": "firm", "ids": ["7"]}, "relationships": [{"type": "FIRM", "direction": "incoming"}]}');
\c - :owner
DROP SCHEMA bplan CASCADE;
REVOKE EXECUTE ON FUNCTION kg_explain(text, jsonb) FROM bplan_reader;
CALL test.drop('bplan few');
CALL test.drop('bplan');
