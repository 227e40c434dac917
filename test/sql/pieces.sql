-- Rows of kg_trigram and kg_word_count: the quota of bytes counts the pieces of names, and what is deleted takes them along.
\i test/data/prelude.sql
CALL test.tenant('pieces', 'pieces_admin admin', 'pieces_app write');
CREATE FUNCTION test.pieces(OUT terms bigint, OUT pieces bigint, OUT words bigint) LANGUAGE sql SECURITY DEFINER AS $$
  SELECT (SELECT count(DISTINCT term) FROM kg_term WHERE tenant = 'pieces'), (SELECT count(*) FROM kg_trigram WHERE tenant = 'pieces'),
    (SELECT count(DISTINCT word) FROM kg_word_count WHERE tenant = 'pieces' AND word <> '') $$;
-- the quota counts what is stored
CREATE FUNCTION test.bytes_counted() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$
  SELECT CASE WHEN sum(used) = (SELECT sum(octet_length(data::text)) FROM kg_entity WHERE tenant = 'pieces') + (SELECT coalesce(sum(octet_length(trigram) + octet_length(term)), 0) FROM kg_trigram WHERE tenant = 'pieces') THEN 'right' ELSE 'wrong' END
  FROM kg_quota WHERE tenant = 'pieces' AND quota = 'bytes' $$;
\c - pieces_admin
\pset format unaligned
\pset tuples_only on
SELECT kg_apply_bundle('{"bundle_name": "names", "version": "1", "schemas": [{"entity_type": "item", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-search": ["text"], "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "text": {"type": "string"}}}}],
  "entities": [{"entity_type": "item", "items": [{"id": "1", "name": "amber brook", "text": "grey stones"}, {"id": "2", "name": "amber cloud", "text": "grey skies"}]}]}') ? 'revision';
SELECT * FROM test.pieces();
SELECT kg_set_limits('pieces', '*', '{"bytes": 20000}');
SELECT test.bytes_counted();
-- A name of 250 letters has as many pieces.
\c - pieces_app
SELECT kg_put_entities('item', jsonb_build_array(jsonb_build_object('id', '3', 'name', 'x' || repeat('abcdefghijklmnopqrst', 2)))) -> 'counts';
SELECT test.bytes_counted();
SELECT test.fails($$SELECT kg_put_entities('item', (SELECT jsonb_agg(jsonb_build_object('id', 'long' || i, 'name', substr(md5(i::text) || repeat(md5(i::text), 7), 1, 250))) FROM generate_series(1, 2) i))$$, 'code');
SELECT * FROM test.pieces();
SELECT test.bytes_counted();
-- Another name, another id, another text; what others have stays.
UPDATE kg_entity SET data = data || '{"name": "amber", "text": "grey"}' WHERE entity_id = '2';
SELECT * FROM test.pieces();
SELECT test.bytes_counted();
SELECT kg_search('{"query": "cloud"}') -> 'items', kg_search('{"query": "ambre"}') #>> '{items,0,id}';
-- Names that are exchanged, and a name that goes and comes in a transaction
UPDATE kg_entity e SET data = e.data || jsonb_build_object('name', o.data -> 'name') FROM kg_entity o WHERE e.entity_id = translate(o.entity_id, '13', '31') AND e.entity_id IN ('1', '3');
BEGIN; DELETE FROM kg_entity WHERE entity_id = '1'; SELECT kg_put_entities('item', '[{"id": "1", "name": "amber brook", "text": "grey stones"}]') -> 'counts'; COMMIT;
SELECT * FROM test.pieces();
BEGIN; SAVEPOINT s; DELETE FROM kg_entity; ROLLBACK TO s; COMMIT;
SELECT test.bytes_counted(), kg_search('{"query": "brok"}') #>> '{items,0,id}';
\c - pieces_admin
SELECT kg_check() -> 'ok';
SELECT kg_rebuild() ->> 'entities', kg_check() -> 'ok', test.bytes_counted();
DELETE FROM kg_entity;
SELECT * FROM test.pieces();
SELECT sum(used) FROM kg_quota;
-- A tenant that has more than its quota is rebuilt all the same.
SELECT kg_set_limits('pieces', '*', '{}');
SELECT kg_put_entities('item', '[{"id": "1", "name": "amber brook"}]') -> 'counts';
SELECT kg_set_limits('pieces', '*', '{"bytes": 10}');
SELECT kg_rebuild() ->> 'terms', kg_check() -> 'ok', test.bytes_counted();
SELECT kg_set_limits('pieces', '*', '{}');
-- A new schema: names that it takes from the same properties stay as they are. Others follow, also of an entity that the call writes.
CREATE FUNCTION pg_temp.names(label text, property text, items jsonb) RETURNS boolean LANGUAGE sql AS $$
  SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'names', 'version', '1', 'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'item', 'schema', jsonb_build_object('type', 'object',
    'x-id-field', 'id', 'x-label-field', label, 'x-search', jsonb_build_array('text'), 'properties', jsonb_build_object('id', '{"type": "string"}'::jsonb, 'name', '{"type": "string"}'::jsonb,
    'title', '{"type": "string"}'::jsonb, 'text', '{"type": "string"}'::jsonb, property, '{"type": "string", "x-index": true}'::jsonb)))),
    'entities', jsonb_build_array(jsonb_build_object('entity_type', 'item', 'items', items))), '{"mode": "merge"}') ? 'revision' $$;
SELECT kg_put_entities('item', '[{"id": "2", "name": "cedar", "title": "birch", "text": "grey skies"}]') -> 'counts';
CREATE TEMP TABLE terms AS SELECT ctid AS place, * FROM kg_term;
SELECT pg_temp.names('name', 'extra', '[]');
SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM kg_term n WHERE n.ctid = t.place AND n.term = t.term)) AS kept FROM terms t;
SELECT kg_check() -> 'ok', (SELECT string_agg(DISTINCT term, ', ' ORDER BY term) FROM kg_term);
SELECT pg_temp.names('title', 'other', '[{"id": "2", "name": "birch", "title": "birch", "text": "grey skies"}]');
SELECT kg_check() -> 'ok', (SELECT string_agg(DISTINCT term, ', ' ORDER BY term) FROM kg_term);
-- Pieces of a name that are on several pages
SELECT kg_put_entities('item', jsonb_build_array(jsonb_build_object('id', '4', 'title', substr(md5('a') || repeat(md5('b') || md5('c'), 4), 1, 250)))) -> 'counts';
SELECT count(DISTINCT (ctid::text::point)[0]) > 2 FROM kg_trigram WHERE octet_length(term) = 250;
DELETE FROM kg_entity;
SELECT * FROM test.pieces();
\c - :owner
CALL test.drop('pieces');
DROP FUNCTION test.pieces(), test.bytes_counted();
