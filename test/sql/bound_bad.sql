-- Odd tables under types: keys whose text is not their output, keys that no array has, names that relations and types cannot have, tables that cannot be read beside others.
\i test/data/prelude.sql
CALL test.tenant('bbad', 'bbad_admin admin');
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA bbad;
CREATE SCHEMA "bbad too";
GRANT USAGE ON SCHEMA bbad, "bbad too" TO bbad_admin;
-- keys: the id is the text of the cast, which differs from the output of a boolean, an inet or a character(n)
CREATE TABLE bbad.flag (flag boolean PRIMARY KEY, note text);
INSERT INTO bbad.flag VALUES (true, 'yes'), (false, 'no');
CREATE TABLE bbad.host (host inet PRIMARY KEY, up boolean REFERENCES bbad.flag);
CREATE INDEX ON bbad.host (up);
INSERT INTO bbad.host VALUES ('10.0.0.1', true), ('10.0.0.0/8', false), ('::1', true);
CREATE TABLE bbad.code (code character(5) PRIMARY KEY, host inet REFERENCES bbad.host);
CREATE INDEX ON bbad.code (host);
INSERT INTO bbad.code VALUES ('ab', '10.0.0.1'), ('abcde', '::1');
CREATE TABLE bbad.many (a text, b boolean, c inet, d date, e numeric(6, 2), note text, PRIMARY KEY (a, b, c, d, e));
INSERT INTO bbad.many VALUES ('x/y%2F', true, '10.0.0.1', '2024-02-29', 1.5, 'n');
-- equal keys with other texts
CREATE COLLATION bbad.folds (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE bbad.word (word text COLLATE bbad.folds PRIMARY KEY, note text);
INSERT INTO bbad.word VALUES ('Abc', 'x');
CREATE TABLE bbad.usage (use_id integer PRIMARY KEY, word text COLLATE bbad.folds REFERENCES bbad.word);
CREATE INDEX ON bbad.usage (word);
INSERT INTO bbad.usage VALUES (1, 'ABC'), (2, 'abc');
CREATE TABLE bbad.plain (plain_id integer PRIMARY KEY, word text REFERENCES bbad.word);
CREATE INDEX ON bbad.plain (word);
CREATE TABLE bbad.parent (k integer PRIMARY KEY);
CREATE TABLE bbad.child () INHERITS (bbad.parent);
CREATE TABLE bbad.arr (arr text[] PRIMARY KEY);
CREATE TABLE bbad.uses (code character(5) REFERENCES bbad.code, host inet REFERENCES bbad.host, since date, PRIMARY KEY (code, host));
CREATE INDEX ON bbad.uses (host);
INSERT INTO bbad.uses VALUES ('abcde', '::1');
-- names: of one letter, of none that a relation may have
CREATE TABLE bbad.a (k integer PRIMARY KEY, b boolean REFERENCES bbad.flag, "1st_id" boolean REFERENCES bbad.flag, "é" inet REFERENCES bbad.host, place point);
CREATE INDEX ON bbad.a (b);
CREATE INDEX ON bbad.a ("1st_id");
CREATE INDEX ON bbad.a ("é");
INSERT INTO bbad.a VALUES (1, true, false, '::1', '(1,2)');
CREATE TABLE "bbad too".flag (flag integer PRIMARY KEY);
CREATE TABLE bbad.parts (k integer, up boolean REFERENCES bbad.flag) PARTITION BY HASH (k);
-- a table that cannot be read, and one that the caller may not read any more
CREATE FUNCTION bbad.fails(integer) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'secret %', $1; END $$;
CREATE TABLE bbad.broken (k integer PRIMARY KEY, company text);
INSERT INTO bbad.broken VALUES (1, 'bbad');
ALTER TABLE bbad.broken ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON bbad.broken USING (company = kg_tenant() AND bbad.fails(k));
CREATE TABLE bbad.closed (k integer PRIMARY KEY);
INSERT INTO bbad.closed VALUES (1);
GRANT SELECT ON ALL TABLES IN SCHEMA bbad, "bbad too" TO bbad_admin;
GRANT INSERT, UPDATE, DELETE ON bbad.many, bbad.uses TO bbad_admin;
SET ROLE bbad_admin;
SELECT t, kg_bind_table('crm', t, m::jsonb) -> 'changed' FROM (VALUES ('bbad.flag', '{"shared": true}'), ('bbad.host', '{"shared": true}'), ('bbad.code', '{"shared": true}'), ('bbad.many', '{"shared": true, "write": ["create", "update", "delete"]}'), ('bbad.a', '{"shared": true}'), ('bbad.broken', '{}'), ('bbad.closed', '{"shared": true}')) v(t, m);
SELECT test.fails($$SELECT kg_bind_table('crm', 'bbad.arr', '{"shared": true}')$$, 'message', 'expected');
SELECT test.fails($$SELECT kg_bind_table('crm', 'bbad.parent', '{"shared": true}')$$, 'message', 'expected');
SELECT t, kg_bind_table('words', t, '{"shared": true}') -> 'changed' FROM unnest('{bbad.word,bbad.usage}'::text[]) t;
SELECT kg_get('word', 'Abc'), kg_get('word', 'ABC') IS NULL, kg_list('usage', '{}') -> 'items';
SELECT kg_traverse('{"from": {"label": "usage"}, "relationships": [{"type": "WORD"}], "ids_only": true}') -> 'rows', kg_traverse('{"from": {"label": "word", "ids": ["Abc"]}, "relationships": [{"type": "WORD", "direction": "incoming"}], "ids_only": true}') -> 'rows';
SELECT kg_list_ids('usage', '{"filters": {"word": "Abc"}}') -> 'ids', kg_list_ids('usage', '{"filters": {"word.note": "x"}}') -> 'ids';
SELECT test.fails($$SELECT kg_bind_table('words', 'bbad.plain', '{"shared": true}')$$, 'message', 'expected');
SELECT kg_drop_bundle('words') -> 'changed';
SELECT test.fails($$SELECT kg_bind_table('crm', '"bbad too".flag', '{"shared": true}')$$, 'path', 'expected');
SELECT kg_bind_table('crm', '"bbad too".flag', '{"shared": true, "entity_type": "number"}') -> 'changed';
SELECT test.fails($$SELECT kg_bind_table('crm', 'bbad.parts', '{"shared": true, "id": "k"}')$$, 'expected');
SELECT type, id, kg_get(type, id) FROM (SELECT t AS type, jsonb_array_elements_text(kg_list_ids(t, '{}') -> 'ids') AS id FROM unnest('{flag,host,code,many,table_a}'::text[]) t OFFSET 0) s;
SELECT kg_get('flag', 't') IS NULL, kg_get('host', '10.0.0.1') IS NULL, kg_list_ids('host', '{"filters": {"up": "true"}}') -> 'ids', kg_list_ids('host', '{"filters": {"id": "10.0.0.0/8"}}') -> 'ids';
SELECT kg_traverse('{"from": {"label": "code"}, "relationships": [{"type": "HOST"}, {"type": "UP"}], "ids_only": true}') -> 'rows';
SELECT kg_traverse('{"from": {"label": "flag", "ids": ["true"]}, "relationships": [{"type": "UP", "direction": "incoming"}, {"type": "HOST", "direction": "incoming"}], "ids_only": true}') -> 'rows';
SELECT e - 'properties' FROM jsonb_array_elements(kg_neighbors('{"start_node": {"label": "table_a", "node_id": "1"}, "ids_only": true}') -> 'edges') e;
SELECT kg_call_tool('update_many', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('id', kg_list_ids('many', '{}') #>> '{ids,0}', 'set', '{"note": "m"}'::jsonb)))) #>> '{structuredContent,items,0,verdict}';
SELECT kg_call_tool('create_many', '{"items": [{"a": "", "b": false, "c": "::1", "d": "0044-03-15", "e": 2}]}') #>> '{structuredContent,items,0,id}';
SELECT kg_call_tool('delete_many', jsonb_build_object('ids', kg_list_ids('many', '{}') -> 'ids')) #> '{structuredContent,counts}';
SELECT test.fails($$SELECT kg_list('table_a', '{"sort": [{"field": "place"}]}')$$);
-- a join table is a relation, whose edges are written as rows of a type that reads the same table
SELECT kg_apply_bundle('{"bundle_name": "crm", "version": "1.0.0", "schemas": [{"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "relations": [{"name": "ABOUT", "from": "note", "to": "host"}, {"name": "USES", "from": "code", "to": "host", "schema": {"type": "object", "properties": {"since": {"type": "string", "format": "date"}}, "x-table": {"name": "bbad.uses", "from": "code", "to": "host", "shared": true}}}]}', '{"mode": "merge"}') -> 'changed';
SELECT kg_bind_table('crm', 'bbad.uses', '{"shared": true, "entity_type": "usage", "write": ["create", "update", "delete"]}') -> 'changed';
SELECT kg_put_entities('note', '[{"id": "n"}]') -> 'counts';
SELECT e ->> 'message' || ': ' || (e ->> 'expected') FROM unnest(ARRAY[kg_put_edges('[{"relation": "USES", "from": "code:ab", "to": "host:::1/128"}, {"relation": "ABOUT", "from": "note:n", "to": "host:::1/128"}]'), kg_delete_edges('[{"relation": "USES", "from": "code:abcde", "to": "host:::1/128"}]')]) r, jsonb_path_query(r, '$.items[*].error') e;
SELECT kg_call_tool('create_usage', '{"items": [{"code": "ab", "host": "::1/128", "since": "2024-01-01"}, {"code": "ab", "host": "1.2.3.4/32"}]}') #>> '{structuredContent,error,message}';
SELECT kg_call_tool('create_usage', '{"items": [{"code": "ab", "host": "::1/128", "since": "2024-01-01"}]}') #>> '{structuredContent,items,0,id}';
SELECT kg_traverse('{"from": {"label": "code", "ids": ["ab"]}, "relationships": [{"type": "USES"}]}') -> 'edges';
SELECT kg_call_tool('delete_usage', '{"ids": ["ab/::1%2F128"]}') #> '{structuredContent,counts}';
SELECT kg_traverse('{"from": {"label": "code"}, "relationships": [{"type": "USES"}], "ids_only": true}') -> 'rows';
RESET ROLE;
REVOKE SELECT ON bbad.closed FROM bbad_admin;
SET ROLE bbad_admin;
-- an id without its type is looked up in the tables that can be read
SELECT kg_describe(jsonb_build_object('id', id)) ->> 'id' FROM unnest('{flag:true,10.0.0.0/8,ab}'::text[]) id;
SELECT kg_verify('{"claims": [{"entity": "ab"}, {"entity": "flag:true"}, {"entity": "host:nothing"}, {"from": "ab", "relation": "HOST", "to": "10.0.0.1/32"}]}') -> 'counts';
SELECT test.fails(format('SELECT kg_describe(%L)', jsonb_build_object('id', id))) FROM unnest('{flag:nothing,nothing,broken:1,closed:1}'::text[]) id;
-- no claim of a name says that a row does not exist
SELECT test.fails($$SELECT kg_search('{"query": "first", "node_types": ["flag"], "mode": "text"}')$$, 'message', 'expected');
SELECT kg_search('{"query": "first"}') #> '{hints,0,message}', kg_search('{"query": "true", "node_types": ["flag"]}') #> '{items,0,id}';
SELECT kg_verify('{"claims": [{"name": "first"}, {"name": "first", "type": "flag"}, {"name": "first", "type": "note"}]}') #> '{claims}';
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA bbad, "bbad too" CASCADE;
RESET client_min_messages;
CALL test.drop('bbad');
