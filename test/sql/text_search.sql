-- Words of texts: x-search, kg_search with "mode": "text" and "hybrid".
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('text', 'text_writer admin', 'text_part read');
CALL test.tenant('text other', 'text_other write');
CREATE POLICY text_part ON kg_entity AS RESTRICTIVE FOR SELECT TO text_part USING (data ->> 'secret' IS NULL);
CREATE FUNCTION found(arguments jsonb) RETURNS TABLE (id text, score text, how jsonb) LANGUAGE sql AS $$
  SELECT item ->> 'id', item ->> 'score', item -> 'matched_on' FROM jsonb_array_elements(kg_search(arguments) -> 'items') WITH ORDINALITY i(item, n) ORDER BY n $$;
CREATE FUNCTION fails(query text) RETURNS TABLE (state text, message text) LANGUAGE plpgsql AS $$ BEGIN EXECUTE query; RETURN NEXT; EXCEPTION WHEN OTHERS THEN state := SQLSTATE; message := SQLERRM; RETURN NEXT; END $$;
CREATE FUNCTION bundle(name text, search text, items text) RETURNS jsonb LANGUAGE sql AS $$ SELECT format('{"bundle_name": "%s", "version": "1",
  "schemas": [{"entity_type": "%s", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-valid-to": "until"%s, "properties": {
    "id": {"type": "string"}, "name": {"type": "string"}, "text": {"type": "string", "x-untrusted": true}, "tags": {"type": "array", "items": {"type": "string"}},
    "n": {"type": "integer"}, "until": {"type": "string", "format": "date"}, "secret": {"type": "boolean"}}}}],
  "entities": [{"entity_type": "%s", "items": [%s]}]}', name || '-texts', name, search, name, items)::jsonb $$;

-- No type has texts: the tools say nothing of them.
SET ROLE text_writer;
SELECT kg_apply_bundle(bundle('page', '', '{"id": "a", "text": "far and wide"}')) -> 'entities';
SELECT count(*) FROM jsonb_path_query(kg_list_tools(), '$[*] ? (@.name == "search_entities")') tool WHERE true AND tool -> 'inputSchema' -> 'properties' ? 'mode';
SELECT count(*) FROM kg_word;
SELECT kg_search('{"query": "far", "mode": "text"}');
-- What can be searched.
SELECT message FROM unnest(ARRAY['["n"]', '["nothing"]', '["text", "text"]', '"text"']) search, fails(format('SELECT kg_apply_bundle(bundle(''page'', '', "x-search": %s'', ''''))', search));
SELECT message FROM fails($$SELECT kg_apply_bundle(bundle('page', ', "x-serch": ["text"]', ''))$$);
-- A schema with x-search derives the words of what is stored.
SELECT kg_apply_bundle(bundle('page', ', "x-search": ["text", "tags"]', '{"id": "a", "text": "far and wide"}')) -> 'entities';
SELECT word, frequency, length FROM kg_word ORDER BY word;
SELECT word, sum(documents) AS documents, sum(length) AS length FROM kg_word_count GROUP BY word ORDER BY word;
SELECT tool -> 'inputSchema' -> 'properties' -> 'mode' FROM jsonb_path_query(kg_list_tools(), '$[*] ? (@.name == "search_entities")') tool WHERE true;

INSERT INTO kg_entity (bundle, entity_type, data) SELECT 'page-texts', 'page', d::jsonb FROM (VALUES
  ('{"id": "b", "name": "Beta", "text": "Île-de-France, FRANCE; far far away"}'), ('{"id": "c", "name": "far", "text": "the house", "tags": ["far away", "2024-05"]}'),
  ('{"id": "d", "text": "東京都の水 and مدينة كتاب"}'), ('{"id": "e", "text": "!?"}'), ('{"id": "f", "n": 7, "tags": []}'),
  ('{"id": "g", "text": "the house", "until": "2020-01-01"}')) v(d);
SELECT * FROM found('{"query": "far", "mode": "text"}');
SELECT * FROM found('{"query": "ile france", "mode": "text"}');
SELECT * FROM found('{"query": "京都", "mode": "text"}');
SELECT * FROM found('{"query": "كتاب", "mode": "text"}');
SELECT * FROM found('{"query": "2024", "mode": "text"}');
SELECT * FROM found('{"query": "fra", "mode": "text"}');
-- Ties by name, type, id; equal texts.
SELECT * FROM found('{"query": "HOUSE the", "mode": "text"}');
SELECT * FROM found('{"query": "house", "mode": "text", "valid_at": "2024-01-01T00:00:00Z"}');
SELECT * FROM found('{"query": "far", "mode": "hybrid"}');
SELECT * FROM found('{"query": "far"}');
SELECT kg_search('{"query": "far", "mode": "text", "limit": 1}') - 'items', kg_search('{"query": "far", "mode": "text", "limit": 0}');
SELECT kg_search('{"query": "nowhere", "mode": "text"}');
SELECT message FROM unnest(ARRAY['{"query": "!", "mode": "text"}', '{"query": "", "mode": "text"}', '{"query": "far", "mode": "words"}', '{"query": "far", "mode": 1}',
  jsonb_build_object('query', repeat('far ', 2049), 'mode', 'text')::text]) arguments, fails(format('SELECT kg_search(%L)', arguments));
SELECT count(*) FROM found(jsonb_build_object('query', (SELECT string_agg('w' || i, ' ') FROM generate_series(1, 1000) i) || ' far', 'mode', 'hybrid'));

-- Changes and what is taken back.
BEGIN;
UPDATE kg_entity SET data = data || '{"text": "near"}' WHERE entity_id = 'b';
SAVEPOINT s;
DELETE FROM kg_entity WHERE entity_id = 'a';
ROLLBACK TO s;
SELECT * FROM found('{"query": "far", "mode": "text"}');
ROLLBACK;
DO $$ BEGIN
  DELETE FROM kg_entity WHERE entity_id = 'c';
  INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('page-texts', 'page', '{"id": "c", "text": "far"}'), ('page-texts', 'page', '{"id": 7}');
EXCEPTION WHEN check_violation THEN NULL; END $$;
SELECT * FROM found('{"query": "far", "mode": "text"}');

-- Who sees a part: what is hidden is neither found nor counted, whatever is hidden.
SET ROLE text_part;
SELECT count(*) AS words FROM kg_word;
SELECT count(*) AS counts FROM kg_word_count;
SELECT * FROM found('{"query": "far house", "mode": "text"}');
CREATE TEMP TABLE before AS SELECT kg_search('{"query": "far house", "mode": "text"}') AS reply, kg_search('{"query": "far", "mode": "hybrid"}') AS joined;
RESET ROLE;
SET ROLE text_writer;
INSERT INTO kg_entity (bundle, entity_type, data) SELECT 'page-texts', 'page', jsonb_build_object('id', 's' || i, 'name', 'far', 'text', 'far house ' || i, 'secret', true) FROM generate_series(1, 30) i;
SET ROLE text_part;
SELECT reply = kg_search('{"query": "far house", "mode": "text"}') AND joined = kg_search('{"query": "far", "mode": "hybrid"}') AS same FROM before;
SET ROLE text_other;
SELECT (SELECT count(*) FROM kg_word) AS words, (SELECT count(*) FROM kg_word_count) AS counts, kg_search('{"query": "far", "mode": "text"}') -> 'total' AS total;
SELECT state FROM unnest(ARRAY['INSERT INTO kg_word SELECT * FROM kg_word', 'DELETE FROM kg_word', 'UPDATE kg_word_count SET documents = 1']) query, fails(query);
SET ROLE text_writer;
SELECT state FROM unnest(ARRAY['INSERT INTO kg_word SELECT * FROM kg_word', 'DELETE FROM kg_word', 'UPDATE kg_word_count SET documents = 1']) query, fails(query);
DELETE FROM kg_entity WHERE data ? 'secret';

-- Many texts: indexes alone are read, common words of the few that rare ones found.
INSERT INTO kg_entity (bundle, entity_type, data) SELECT 'page-texts', 'page', jsonb_build_object('id', 'm' || i, 'text', 'common ' || 'each' || i % 1000 || repeat(' filler' || i % 7, i % 5)) FROM generate_series(1, 4000) i;
RESET ROLE;
VACUUM ANALYZE kg_entity, kg_word, kg_word_count;
SET ROLE text_writer;
-- What earlier statements read is not told any more.
SELECT FROM pg_stat_force_next_flush();
BEGIN;
SELECT * FROM found('{"query": "common each77", "mode": "text", "limit": 3}');
SELECT kg_search('{"query": "common each77", "mode": "text", "limit": 3}') - 'items';
SELECT kg_search('{"query": "common each77 each78 each79", "mode": "text", "limit": 100, "max_bytes": 1024}') -> 'truncated' AS truncated;
SELECT relname, seq_scan FROM pg_stat_xact_user_tables WHERE relname ~ '^kg_' AND seq_scan > 0 AND relname ~ '^kg_(word|entity$)';
COMMIT;
SET ROLE text_part;
SELECT FROM pg_stat_force_next_flush();
BEGIN;
SELECT * FROM found('{"query": "common each77", "mode": "text", "limit": 3}');
SELECT relname, seq_scan FROM pg_stat_xact_user_tables WHERE relname ~ '^kg_' AND seq_scan > 0 AND relname ~ '^kg_(word|entity$)';
COMMIT;
RESET ROLE;
SET kg_graph.max_visited = 100;
SET ROLE text_writer;
SELECT message FROM fails($$SELECT kg_search('{"query": "common", "mode": "text"}')$$);
SELECT kg_search('{"query": "common each77", "mode": "text", "limit": 3}') -> 'returned' AS returned;
RESET ROLE;
RESET kg_graph.max_visited;

-- kg_check looks at words and their counts, kg_rebuild makes them anew.
SELECT count(*) FROM jsonb_array_elements(kg_check() -> 'differences') d WHERE d ->> 'kind' <> 'not_in_dumps';
BEGIN;
UPDATE kg_word SET frequency = 9 WHERE word = 'wide';
DELETE FROM kg_word WHERE word = 'away';
UPDATE kg_word_count SET documents = documents + 1 WHERE word = 'common';
INSERT INTO kg_word SELECT tenant, 'nobody', type_no, -1, 1, 1 FROM kg_word LIMIT 1;
SELECT d ->> 'kind' AS kind, d ->> 'table' AS "table", d ->> 'id' AS id, regexp_replace(coalesce(d ->> 'expected', d ->> 'got'), '^\d+ (?=\D)', '') AS row
  FROM jsonb_array_elements(kg_check() -> 'differences') d WHERE d ->> 'kind' <> 'not_in_dumps' ORDER BY 1, 2, 3, 4;
SET ROLE text_writer;
SELECT kg_rebuild() ? 'terms' AS rebuilt;
RESET ROLE;
SELECT count(*) FROM jsonb_array_elements(kg_check() -> 'differences') d WHERE d ->> 'kind' <> 'not_in_dumps';
SELECT count(*) FILTER (WHERE documents = 0) AS zero, count(*) > 1000 AS many FROM kg_word_count WHERE tenant = 'text';
ROLLBACK;

-- The passage that matched: the part of a text that has the most words of the query; marked where it is text from outside.
SET ROLE text_writer;
INSERT INTO kg_entity (bundle, entity_type, data) SELECT 'page-texts', 'page', d::jsonb FROM (VALUES
  (jsonb_build_object('id', 'long', 'name', 'Long', 'n', 1, 'text', repeat('filler words stand here. ', 40) || 'Near the END a Zebra and a gíraffe drink. ' || repeat('And more of it. ', 40), 'tags', '["zebra one"]'::jsonb)),
  (jsonb_build_object('id', 'short', 'n', 2, 'text', 'a zebra alone')), (jsonb_build_object('id', 'wide', 'n', 3, 'text', repeat('東京', 100) || '斌馬' || repeat('水火', 100)))) v(d);
SELECT item ->> 'id' AS id, item -> 'matched_on' AS matched_on FROM jsonb_array_elements(kg_search('{"query": "zebra giraffe", "mode": "text"}') -> 'items') item;
SELECT item ->> 'id' AS id, item #> '{matched_on,text}' AS matched_on FROM jsonb_array_elements(kg_search('{"query": "zebra", "mode": "hybrid"}') -> 'items') item;
SELECT item ->> 'id' AS id, length(item #>> '{matched_on,passage}') < 210 AS short, item #>> '{matched_on,passage}' LIKE '%斌馬%' AS has_it FROM jsonb_array_elements(kg_search('{"query": "斌馬", "mode": "text"}') -> 'items') item;
-- The part of a long text that is read ends within a character: the passage does not.
INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('page-texts', 'page', jsonb_build_object('id', 'cut', 'n', 4, 'text', repeat('水', 21838) || 'okapi' || repeat('火', 50)));
SELECT item #>> '{matched_on,passage}' ~ '水okapi火+ \.\.\.$' AS whole FROM jsonb_array_elements(kg_search('{"query": "okapi", "mode": "text"}') -> 'items') item;
DELETE FROM kg_entity WHERE entity_id = 'cut';
-- An independent figure: every passage is in a text of its entity, and has a word of the query; where the words are near, all of them.
SELECT count(*) AS passages, bool_and(position(regexp_replace(m ->> 'passage', '^\.\.\. | \.\.\.$', '', 'g') IN e.data ->> (m ->> 'property')) > 0) AS of_the_text, bool_and(EXISTS (SELECT FROM jsonb_array_elements_text(m -> 'terms') t WHERE lower(m ->> 'passage') LIKE '%' || t || '%')) AS has_a_word
  FROM jsonb_array_elements(kg_search('{"query": "common each77 each78 far house", "mode": "text", "limit": 100}') -> 'items') i, LATERAL (SELECT i -> 'matched_on') x(m), kg_entity e WHERE 'page:' || e.entity_id = i ->> 'id' AND m ->> 'property' = 'text';
-- With filters, fields, related, sort and pages: list_<type>, find_nodes and find.
SELECT i ->> 'id' AS id, i -> 'data' AS data, i #>> '{matched_on,how}' AS how, i #> '{matched_on,terms}' AS terms FROM jsonb_array_elements(kg_list('page', '{"search": "zebra giraffe", "mode": "text", "fields": ["n"]}') -> 'items') i;
SELECT kg_list('page', '{"search": "zebra giraffe", "mode": "text", "filters": {"n": {"gt": 1}}, "fields": ["n"]}') #> '{items,0,id}' AS id, kg_list('page', '{"search": "zebra", "mode": "text", "filters": {"n": 7}}') -> 'total' AS none;
SELECT kg_list('page', '{"search": "zebra", "mode": "text", "sort": [{"field": "id", "order": "desc"}], "fields": ["n"], "limit": 1}') - 'items' #- '{next,cursor}' AS page, (SELECT array_agg(i ->> 'id') FROM jsonb_array_elements(kg_list('page', '{"search": "zebra", "mode": "text", "limit": 1}') -> 'items') i) AS first,
       (SELECT array_agg(i ->> 'id') FROM jsonb_array_elements(kg_list('page', kg_list('page', '{"search": "zebra", "mode": "text", "limit": 1}') -> 'next') -> 'items') i) AS second;
SELECT kg_find_nodes('{"node_label": "page", "search": "zebra", "mode": "text", "filters": {"n": 2}, "columns": ["n"]}') -> 'nodes' AS nodes;
SET kg_graph.toolsets = 'compact';
SELECT kg_call_tool('find', '{"type": "page", "query": "zebra giraffe", "mode": "text", "filters": {"n": {"lt": 3}}, "fields": ["n"]}') #> '{structuredContent,items}' AS items;
SELECT kg_call_tool('find', '{"type": "page", "query": "zebra giraffe", "mode": "text", "filters": {"n": {"lt": 3}}, "fields": ["n"]}') #>> '{content,0,text}' AS in_rows;
SELECT e ->> 'path' AS path, e ->> 'message' AS message, e -> 'allowed' AS allowed FROM (VALUES ('{"type": "page", "query": "far", "mode": "hybrid", "fields": ["n"]}'::jsonb), ('{"type": "page", "mode": "text", "fields": ["n"]}')) v(a), LATERAL (SELECT kg_call_tool('find', a) #> '{structuredContent,error}') x(e);
RESET kg_graph.toolsets;
-- The same entities as a search without filters finds, for who sees all and for who sees a part.
SELECT role, (SELECT array_agg(i ->> 'id' ORDER BY n) FROM jsonb_array_elements(kg_list('page', '{"search": "far house common", "mode": "text", "limit": 500, "fields": ["id"]}') -> 'items') WITH ORDINALITY x(i, n)) =
  (SELECT array_agg(substr(i ->> 'id', 6) ORDER BY score DESC, substr(i ->> 'id', 6) COLLATE "C") FROM (SELECT i, (i ->> 'score')::numeric AS score FROM jsonb_array_elements(kg_search('{"query": "far house common", "mode": "text", "limit": 100}') -> 'items') i) y) AS same FROM (VALUES ('writer')) r(role) WHERE (SELECT count(*) FROM kg_entity WHERE entity_id ~ '^m') = 0;
SELECT test.fails($$SELECT kg_list('page', '{"mode": "text"}')$$);

-- x-search goes, and with it the words.
SET ROLE text_writer;
DELETE FROM kg_entity WHERE entity_id ~ '^m' OR entity_id IN ('long', 'short', 'wide');
SELECT kg_apply_bundle(bundle('page', '', ''), '{"mode": "merge"}') -> 'entities';
SELECT (SELECT count(*) FROM kg_word) AS words, (SELECT sum(abs(s)) FROM (SELECT sum(documents) + sum(length) FROM kg_word_count GROUP BY word) c(s)) AS counted;
SELECT kg_apply_bundle(bundle('page', ', "x-search": ["text"]', ''), '{"mode": "merge"}') -> 'entities';
SELECT * FROM found('{"query": "far", "mode": "text"}');
SELECT kg_export_bundle('page-texts') -> 'schemas' -> 0 -> 'schema' -> 'x-search' AS exported;
-- So it does where an entity goes with it.
SELECT kg_apply_bundle(bundle('page', ', "x-search": ["text"]', '{"id": "w1", "text": "hello"}, {"id": "w2", "text": "hello"}')) -> 'entities';
SELECT kg_apply_bundle(bundle('page', '', '{"id": "w2", "text": "hello"}')) -> 'entities';
SELECT kg_check() -> 'differences' AS differences;
RESET ROLE;
SELECT FROM kg_drop_tenant('text');
SELECT FROM kg_drop_tenant('text other');
SELECT (SELECT count(*) FROM kg_word) AS words, (SELECT count(*) FROM kg_word_count) AS counts;
DROP POLICY text_part ON kg_entity;
DROP FUNCTION found, fails, bundle;
DROP TABLE before;
DROP ROLE text_writer, text_part, text_other;
