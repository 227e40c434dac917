-- Embeddings, as far as they need no pgvector: what is stored, and when it is
-- deleted. (test/t/017_embeddings.pl tests searches.)
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('vec', 'vec_writer admin', 'vec_reader read', 'vec_part write');
CALL test.tenant('vec other', 'vec_other write');
CREATE POLICY vec_part ON kg_entity AS RESTRICTIVE FOR ALL TO vec_part USING (data ->> 'secret' IS NULL);
CREATE FUNCTION fails(query text) RETURNS TABLE (state text, message text, expected text) LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
  EXECUTE query;
  RETURN NEXT;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
  expected := CASE WHEN detail LIKE '{%' THEN detail::jsonb ->> 'expected' END;
  RETURN NEXT;
END $$;
CREATE FUNCTION verdicts(reply jsonb) RETURNS TABLE (id text, verdict text, code text, message text, path text) LANGUAGE sql AS $$
  SELECT item ->> 'id', item ->> 'verdict', item #>> '{error,code}', item #>> '{error,message}', item #>> '{error,path}' FROM jsonb_array_elements(reply -> 'items') WITH ORDINALITY i(item, n) ORDER BY n $$;
CREATE FUNCTION bundle(name text, items text) RETURNS jsonb LANGUAGE sql AS $$ SELECT format('{"bundle_name": "%s", "version": "1", "schemas": [
  {"entity_type": "page", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-search": ["text"], "properties": {
    "id": {"type": "string"}, "name": {"type": "string"}, "text": {"type": "string"}, "n": {"type": "integer"}, "secret": {"type": "boolean"}}}},
  {"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}}}],
  "entities": [{"entity_type": "page", "items": [%s]}, {"entity_type": "thing", "items": [{"id": "t", "n": 1}]}]}', name, items)::jsonb $$;
SET ROLE vec_writer;
SELECT kg_apply_bundle(bundle('vec', '{"id": "a", "name": "Alpha", "text": "far and wide", "n": 1}, {"id": "b", "text": "near"}, {"id": "s", "text": "hidden", "secret": true}')) -> 'entities';
SET ROLE vec_other;
SELECT kg_apply_bundle(bundle('other', '{"id": "a", "text": "of another"}')) -> 'entities';

-- Not enabled: nothing is said of it, and who asks is told.
SET ROLE vec_writer;
SELECT count(*) FROM jsonb_path_query(kg_list_tools(), '$[*] ? (@.name == "search_entities")') tool WHERE tool -> 'inputSchema' -> 'properties' ? 'vector';
SELECT * FROM unnest(ARRAY[
  'SELECT kg_enable_vectors(3, ''m'')', 'SELECT kg_disable_vectors()', 'SELECT kg_put_embeddings(''page'', ''[]'')', 'SELECT kg_missing_embeddings(''page'')',
  'SELECT kg_search(''{"vector": [1, 0, 0], "mode": "meaning"}'')', 'SELECT kg_search(''{"query": "far", "mode": "meaning"}'')', 'SELECT kg_search(''{"vector": [1]}'')', 'SELECT kg_search(''{}'')']) query, fails(query);
SET ROLE vec_reader;
SELECT state, message FROM fails('SELECT FROM kg_embedding');
RESET ROLE;
SELECT * FROM unnest(ARRAY['0, ''m''', '-1, ''m''', '16001, ''m''', '3, ''''', '3, ''m''']) arguments, fails(format('SELECT kg_enable_vectors(%s)', arguments));
SELECT kg_disable_vectors();

-- As kg_enable_vectors() does where pgvector is.
INSERT INTO kg_vectors (dimensions, model) VALUES (3, 'model');
SELECT jsonb_path_query_array(kg_check('{"repair": true}'), '$.differences[*] ? (@.kind == "privilege_missing").expected') AS mended;
SET ROLE vec_writer;
SELECT tool -> 'inputSchema' -> 'properties' -> 'mode' AS mode, tool -> 'inputSchema' -> 'properties' -> 'vector' AS vector, tool -> 'inputSchema' -> 'required' AS required
  FROM jsonb_path_query(kg_list_tools(), '$[*] ? (@.name == "search_entities")') tool WHERE true;
SELECT kg_missing_embeddings('page');
SELECT kg_missing_embeddings('thing');
SELECT kg_put_embeddings('page', '[{"id": "a", "vector": [1, 0, 0]}, {"id": "b", "vector": [0, 2.5, 0]}, {"id": "s", "vector": [0, 0, -1e-3]}]');
SELECT kg_put_embeddings('page', '[{"id": "a", "vector": [1.0, 0, 0]}, {"id": "b", "vector": [0, 2.25, 0]}]') -> 'counts';
SELECT e.entity_id, v.embedding, length(v.text_hash) FROM kg_embedding v JOIN kg_entity e USING (tenant, node) ORDER BY 1;
SELECT kg_missing_embeddings('page');

-- Bad input: a verdict for each.
SELECT * FROM verdicts(kg_put_embeddings('page', '[{"id": "b", "vector": [1, 1, 1]}, {"id": "b", "vector": [1, 1, 1]}, {"id": "a", "vector": [1, 2]}, {"id": "a", "vector": [1, 2, 3, 4]}, {"id": "a", "vector": []},
  {"id": "a", "vector": [0, 0, 0]}, {"id": "a", "vector": [1e-30, 0, 0]}, {"id": "a", "vector": [1e30, 0, 0]}, {"id": "a", "vector": [1e400, 0, 0]}, {"id": "a", "vector": [1, "NaN", 0]}, {"id": "a", "vector": [1, null, 0]},
  {"id": "a", "vector": "[1, 2, 3]"}, {"id": "a", "vector": {"0": 1}}, {"id": "a"}, {"vector": [1, 1, 1]}, {"id": null, "vector": [1, 1, 1]}, {"id": "zz", "vector": [1, 1, 1]}, {"id": 7, "vector": [1, 1, 1]},
  {"id": "s", "vector": [1, 1, 1], "expected_version": 7}, {"id": "s", "vector": [1, 1, 1], "embedding": 1}, 7, null, [1, 1, 1]]'));
SELECT state, message FROM unnest(ARRAY['''page'', ''{}''', '''page'', ''[{"id": "a", "vector": [1]}]'', ''{"atomic": true}''', '''pages'', ''[]''', '''vec/page'', ''7''', '''page'', ''[]'', ''{"no": 1}''']) arguments,
  fails(format('SELECT kg_put_embeddings(%s)', arguments));
SELECT kg_put_embeddings('page', '[{"id": "a", "vector": [9, 9, 9]}]', '{"dry_run": true}');
SELECT kg_put_embeddings('page', '[{"id": "a", "vector": [0, 0, 1], "expected_version": 1}]', '{"idempotency_key": "k"}') -> 'counts';
SELECT kg_put_embeddings('page', '[{"id": "a", "vector": [0, 0, 1], "expected_version": 1}]', '{"idempotency_key": "k"}') -> 'counts';
SELECT state, message FROM unnest(ARRAY['{"vector": [1, 0], "mode": "meaning"}', '{"vector": [0, 0, 0], "mode": "meaning"}', '{"vector": "[1, 0, 0]", "mode": "meaning"}', '{"vector": [1, 0, 0]}', '{"mode": "meaning", "query": "x"}', '{"mode": "hybrid"}',
  '{"vector": [1, 0, 0], "mode": "meaning"}', '{"vector": [1, 0, 0], "query": "far", "mode": "text"}']) arguments, fails(format('SELECT kg_search(%L)', arguments));
SELECT state, message FROM unnest(ARRAY['''page'', 0', '''page'', 10001', '''pages''']) arguments, fails(format('SELECT kg_missing_embeddings(%s)', arguments));
SELECT kg_missing_embeddings('page', 1) -> 'items';

-- Who does not write, who sees a part, and another tenant.
SET ROLE vec_reader;
SELECT state, message FROM fails('SELECT kg_put_embeddings(''page'', ''[{"id": "a", "vector": [1, 0, 0]}]'')');
SELECT state, message FROM fails('INSERT INTO kg_embedding SELECT * FROM kg_embedding');
SELECT count(*) FROM kg_embedding;
SELECT state, message FROM fails('SELECT * FROM kg_vectors');
SET ROLE vec_part;
SELECT count(*) FROM kg_embedding;
SELECT replace(kg_put_embeddings('page', '[{"id": "s", "vector": [1, 0, 0]}]')::text, '"s"', '"?"') = replace(kg_put_embeddings('page', '[{"id": "zz", "vector": [1, 0, 0]}]')::text, '"zz"', '"?"') AS alike;
SELECT kg_missing_embeddings('page');
SET ROLE vec_other;
SELECT count(*) FROM kg_embedding;
SELECT kg_put_embeddings('page', '[{"id": "a", "vector": [1, 1, 1]}, {"id": "b", "vector": [1, 1, 1]}]') -> 'counts';

-- A text that changes makes it stale, as long as it differs; a row goes with its entity.
SET ROLE vec_writer;
UPDATE kg_entity SET data = data || '{"n": 2}' WHERE entity_id = 'a' AND entity_type = 'page';
SELECT kg_missing_embeddings('page') -> 'items';
UPDATE kg_entity SET data = data || '{"text": "far"}' WHERE entity_id = 'a' AND entity_type = 'page';
SELECT kg_missing_embeddings('page') -> 'items';
UPDATE kg_entity SET data = data || '{"text": "far and wide"}' WHERE entity_id = 'a' AND entity_type = 'page';
SELECT kg_missing_embeddings('page') -> 'items';
SELECT kg_put_embeddings('thing', '[{"id": "t", "vector": [1, 0, 0]}]') -> 'counts';
UPDATE kg_entity SET data = data || '{"n": 3}' WHERE entity_type = 'thing';
SELECT kg_missing_embeddings('thing') -> 'items';
BEGIN;
DELETE FROM kg_entity WHERE entity_id IN ('a', 'b') AND entity_type = 'page';
SELECT count(*) FROM kg_embedding;
INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('vec', 'page', '{"id": "a"}');
SELECT count(*) FROM kg_embedding;
ROLLBACK;
SELECT count(*) FROM kg_embedding;
SELECT kg_delete_entities('page', '{b}') -> 'counts';
SELECT kg_rebuild() -> 'entities';
SELECT count(*) FROM kg_embedding;
RESET ROLE;
SELECT kg_check('{"tenant": "vec"}') -> 'ok' AS ok;
INSERT INTO kg_embedding SELECT tenant, 1000000, type_no, text_hash, embedding FROM kg_embedding WHERE tenant = 'vec' LIMIT 1;
SELECT jsonb_path_query_array(kg_check('{"tenant": "vec"}'), '$.differences[*] ? (@.kind == "embedding_extra").got');
SELECT kg_check('{"tenant": "vec", "repair": true}') -> 'ok' AS ok;
SELECT count(*) FROM kg_embedding WHERE tenant = 'vec';

-- A frozen tenant, its new name, its copy, and what becomes of it.
SELECT FROM kg_freeze_tenant('vec');
SET ROLE vec_writer;
SELECT state, message FROM fails('SELECT kg_put_embeddings(''page'', ''[{"id": "a", "vector": [1, 0, 0]}]'')');
RESET ROLE;
SELECT FROM kg_rename_tenant('vec', 'vec now');
SELECT FROM kg_thaw_tenant('vec now');
SELECT count(*) FROM kg_embedding WHERE tenant = 'vec now';
CREATE TEMP TABLE export AS SELECT array_agg(line) AS lines FROM kg_export_tenant('vec now') line;
SELECT lines[1]::jsonb -> 'vectors' FROM export;
SELECT kg_import_tenant(lines, '{"name": "vec copy"}') #> '{rows,kg_embedding}' FROM export;
SELECT count(*) FROM kg_embedding a JOIN kg_entity e USING (tenant, node) JOIN kg_embedding b ON b.embedding = a.embedding AND b.text_hash = a.text_hash JOIN kg_entity f ON (f.tenant, f.node) = (b.tenant, b.node)
 WHERE a.tenant = 'vec now' AND b.tenant = 'vec copy' AND f.entity_id = e.entity_id AND f.type_no = b.type_no;
SELECT kg_check('{"tenant": "vec copy"}') -> 'ok' AS ok;
SELECT FROM kg_drop_tenant('vec copy');
UPDATE kg_vectors SET model = 'another';
SELECT state, message, expected FROM export, fails(format('SELECT kg_import_tenant(%L, ''{"name": "vec copy"}'')', lines));
SELECT kg_import_tenant(lines, '{"name": "vec copy", "without_embeddings": true}') #> '{rows,kg_embedding}' FROM export;
SELECT FROM kg_drop_tenant('vec copy');
UPDATE kg_vectors SET model = 'model';
SELECT kg_drop_tenant('vec now', 1);
SELECT count(*) FROM kg_embedding WHERE tenant = 'vec now';
SELECT FROM kg_drop_tenant('vec now');
SELECT tenant, count(*) FROM kg_embedding GROUP BY 1;
SELECT kg_disable_vectors();
SELECT count(*) FROM kg_vectors;
SET ROLE vec_other;
SELECT state, message FROM fails('SELECT kg_put_embeddings(''page'', ''[]'')');
RESET ROLE;
SELECT FROM kg_drop_tenant('vec other');
SELECT FROM kg_free_tenant_name('vec');
DROP FUNCTION fails, verdicts, bundle;
DROP POLICY vec_part ON kg_entity;
DROP ROLE vec_writer, vec_reader, vec_part, vec_other;
