-- Searches by name in tables that types read: names of small tables; of large tables those that indexes find; hidden rows.
\i test/data/prelude.sql
CALL test.tenant('bseek', 'bseek_admin admin', 'bseek_reader read');
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA bseek;
GRANT USAGE ON SCHEMA bseek TO PUBLIC;
CREATE TABLE bseek.firm (firm_id integer PRIMARY KEY, name varchar(60) NOT NULL, nick text, company text NOT NULL DEFAULT 'bseek');
CREATE TABLE bseek.deal (deal_id integer PRIMARY KEY, code text NOT NULL, firm_id integer NOT NULL REFERENCES bseek.firm);
CREATE INDEX ON bseek.deal (firm_id);
CREATE TABLE bseek.part (a integer, b text, word text, PRIMARY KEY (a, b));
CREATE TABLE bseek.closed (id integer PRIMARY KEY, name text);
INSERT INTO bseek.firm SELECT n, 'Firm ' || n, NULL FROM generate_series(1, 40) n;
INSERT INTO bseek.firm VALUES (41, 'Órgano del Café', 'cafetería', 'bseek'), (42, 'Harbour Ltd', 'the harbour', 'bseek'), (43, 'Harbor Ltd', NULL, 'bseek'), (44, 'Hidden Ltd', NULL, 'other');
INSERT INTO bseek.deal SELECT n, 'deal-' || n, n FROM generate_series(1, 43) n;
INSERT INTO bseek.deal VALUES (44, 'harbour wall', 44);
INSERT INTO bseek.part VALUES (1, 'x/y', 'harbour wall'), (2, 'z', NULL);
INSERT INTO bseek.closed VALUES (1, 'Harbour Ltd');
ALTER TABLE bseek.firm ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON bseek.firm USING (company = kg_tenant());
GRANT SELECT ON ALL TABLES IN SCHEMA bseek TO bseek_admin, bseek_reader;
\c - bseek_admin
SELECT kg_bind_table('crm', 'bseek.firm', '{"label": "name", "aliases": ["nick"], "hidden": ["company"]}') -> 'changed', kg_bind_table('crm', 'bseek.deal', '{"shared": true, "label": "code"}') -> 'changed', kg_bind_table('crm', 'bseek.part', '{"shared": true, "label": "word"}') -> 'changed', kg_bind_table('crm', 'bseek.closed', '{"shared": true, "label": "name"}') -> 'changed';
SELECT kg_apply_bundle('{"bundle_name": "desk", "version": "1", "schemas": [{"entity_type": "ticket", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}}], "entities": [{"entity_type": "ticket", "items": [{"id": "t1", "name": "Harbour"}]}]}') -> 'changed';
\c - :owner
REVOKE SELECT ON bseek.closed FROM bseek_reader;
\c - bseek_reader
-- Each match of a search: its id, how it was found, its score; or the hint.
CREATE FUNCTION pg_temp.found(arguments jsonb) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT concat_ws(' ', i ->> 'id', i #>> '{matched_on,kind}', i #>> '{matched_on,how}', i #>> '{matched_on,term}', i ->> 'score') FROM kg_search(arguments) r, jsonb_path_query(r, '$.items[*]') i
  UNION ALL SELECT h ->> 'message' FROM kg_search(arguments) r, jsonb_path_query(r, '$.hints[*]') h;
$$;
SELECT q, pg_temp.found(jsonb_build_object('query', q)) FROM unnest('{harbour ltd,Harbuor Ltd,harb,cafe,CAFETERIA,42,deal-7,1/x%2Fy,Hidden Ltd,zzzzz}'::text[]) q;
SELECT pg_temp.found('{"query": "harbour ltd", "node_types": ["firm", "ticket"], "limit": 2}');
SELECT kg_search('{"query": "firm", "node_types": ["firm"], "limit": 2}') -> 'total';
SELECT * FROM test.fails($$SELECT kg_search('{"query": "x", "node_types": ["closed"]}')$$, 'code');
SELECT * FROM test.fails($$SELECT kg_search('{"query": "x", "node_types": ["firm"], "mode": "text"}')$$, 'message');
-- a name in place of ids; the compact tools
SELECT r -> 'rows', r -> 'repaired' FROM kg_traverse('{"from": {"label": "firm", "query": "harbour"}, "relationships": [{"type": "FIRM", "direction": "incoming"}]}') r;
SELECT kg_call_tool('find', '{"query": "harbor ltd", "type": "firm"}') #>> '{content,0,text}';
SELECT kg_call_tool('follow', '{"from": {"label": "firm", "query": "Firm 7"}, "steps": [{"type": "FIRM", "direction": "incoming"}]}') #> '{structuredContent,rows}';
-- a large table: ids, and what indexes find
\c - :owner
ALTER ROLE bseek_reader SET kg_graph.max_unindexed = 1000;
INSERT INTO bseek.firm SELECT n, 'Firm ' || n, 'nick ' || n FROM generate_series(100, 5000) n;
INSERT INTO bseek.deal SELECT n, 'deal-' || n, n FROM generate_series(100, 5000) n;
VACUUM ANALYZE bseek.firm, bseek.deal;
\c - bseek_reader
CREATE FUNCTION pg_temp.found(arguments jsonb) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT concat_ws(' ', i ->> 'id', i #>> '{matched_on,kind}', i #>> '{matched_on,how}', i #>> '{matched_on,term}', i ->> 'score') FROM kg_search(arguments) r, jsonb_path_query(r, '$.items[*]') i
  UNION ALL SELECT h ->> 'message' FROM kg_search(arguments) r, jsonb_path_query(r, '$.hints[*]') h;
$$;
SELECT q, pg_temp.found(jsonb_build_object('query', q, 'node_types', '{firm}'::text[])) FROM unnest('{Harbour Ltd,42}'::text[]) q;
SELECT q, pg_temp.found(jsonb_build_object('query', q, 'node_types', '{deal}'::text[])) FROM unnest('{deal-7,7}'::text[]) q;
\c - :owner
CREATE INDEX ON bseek.firm (name);
CREATE INDEX ON bseek.deal (code text_pattern_ops);
CREATE INDEX ON bseek.firm (nick COLLATE "C");
VACUUM ANALYZE bseek.firm, bseek.deal;
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO bseek_reader;
GRANT pg_read_all_stats TO bseek_reader;
\c - bseek_reader
CREATE FUNCTION pg_temp.found(arguments jsonb) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT concat_ws(' ', i ->> 'id', i #>> '{matched_on,kind}', i #>> '{matched_on,how}', i #>> '{matched_on,term}', i ->> 'score') FROM kg_search(arguments) r, jsonb_path_query(r, '$.items[*]') i
  UNION ALL SELECT h ->> 'message' FROM kg_search(arguments) r, jsonb_path_query(r, '$.hints[*]') h;
$$;
SELECT q, pg_temp.found(jsonb_build_object('query', q, 'node_types', '{firm}'::text[])) FROM unnest('{Harbour Ltd,Harb,the harb,Hidden Ltd,Harbuor Ltd}'::text[]) q;
SELECT q, pg_temp.found(jsonb_build_object('query', q, 'node_types', '{deal}'::text[])) FROM unnest('{deal-7,deal-49,harbuor wal}'::text[]) q;
-- an index with another collation than the column serves no equality
SELECT p FROM jsonb_path_query(kg_binding_report('firm'), 'strict $.properties[*] ? (@.property == "nick" || @.property == "name")') p;
SELECT DISTINCT btrim(replace(line, '->', '')) COLLATE "C" FROM jsonb_array_elements(kg_explain('search_entities', '{"query": "deal-7", "node_types": ["deal", "firm"]}') -> 'statements') s, jsonb_array_elements_text(s -> 'plan') line WHERE s ->> 'sql' ~ 'bseek' AND line ~ 'Scan|Index Cond' ORDER BY 1;
\c - :owner
CREATE SCHEMA "b trgm";
CREATE EXTENSION pg_trgm SCHEMA "b trgm";
CREATE INDEX ON bseek.deal USING gin (code "b trgm".gin_trgm_ops);
\c - bseek_reader
SELECT i ->> 'id', i #>> '{matched_on,how}' FROM kg_search('{"query": "harbuor wal", "node_types": ["deal"], "limit": 2}') r, jsonb_path_query(r, '$.items[*]') i;
\c - :owner
GRANT USAGE ON SCHEMA "b trgm" TO bseek_reader;
\c - bseek_reader
SELECT i ->> 'id', i #>> '{matched_on,how}' FROM kg_search('{"query": "harbuor wal", "node_types": ["deal"], "limit": 2}') r, jsonb_path_query(r, '$.items[*]') i;
\c - :owner
REVOKE EXECUTE ON FUNCTION kg_explain(text, jsonb) FROM bseek_reader;
DROP SCHEMA bseek CASCADE;
DROP EXTENSION pg_trgm;
DROP SCHEMA "b trgm";
CALL test.drop('bseek');
