-- kg_changes(): what a follower gets, page by page; positions of others; who sees what.
\i test/data/prelude.sql
\pset null NULL
CALL test.tenant('followed', 'fay admin', 'fred read');
CALL test.tenant('beside', 'bess write');
CREATE POLICY followed_hides ON kg_entity AS RESTRICTIVE FOR SELECT TO fred USING (NOT data ? 'secret');
SET SESSION AUTHORIZATION fay;
SELECT test.fails($$SELECT kg_changes()$$);
SELECT FROM kg_apply_bundle('{"bundle_name": "stock", "version": "1",
  "schemas": [
    {"entity_type": "part", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"}, "n": {"type": "number"}, "next": {"type": "string", "x-ref": "part"}}}},
    {"entity_type": "site", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "x-scope-field": "path", "properties": {"id": {"type": "string"}, "path": {"type": "string"}}}},
    {"entity_type": "plain", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "relations": [{"name": "NEEDS", "from": "part", "to": "part", "history": true, "key": ["no"], "schema": {"type": "object", "properties": {"no": {"type": "string"}, "n": {"type": "integer"}}}}, {"name": "LIKES", "from": "part", "to": "part"}],
  "entities": [{"entity_type": "part", "items": [{"id": "a"}]}]}');
CREATE FUNCTION pg_temp.brief(reply jsonb) RETURNS TABLE (change text) LANGUAGE sql AS $$
  SELECT (c - 'at' - 'by' - 'change' - 'transaction')::text FROM jsonb_array_elements(reply -> 'changes') c
$$;
SELECT kg_changes() ->> 'position' AS begin \gset
SELECT kg_changes() - 'position' AS nothing_yet;
SELECT kg_put_entities('part', '[{"id": "b", "n": 1.50}, {"id": "c", "next": "a"}]') -> 'counts' AS put;
UPDATE kg_entity SET data = data || '{"n": 2}' WHERE entity_id = 'b';
SELECT kg_put_edges('[{"relation": "NEEDS", "from": "part:a", "to": "part:b", "properties": {"no": "x", "n": 1}}, {"relation": "LIKES", "from": "part:a", "to": "part:b"}, {"relation": "NEEDS", "from": "part:c", "to": "part:b", "properties": {"no": "y"}}]') -> 'counts' AS put;
SELECT kg_put_entities('plain', '[{"id": "a"}]') -> 'counts' AS put;
SELECT kg_put_entities('site', '[{"id": "s", "path": "x"}]') -> 'counts' AS put;
BEGIN;
SELECT kg_put_entities('part', '[{"id": "d"}]') -> 'counts' AS put;
SAVEPOINT s;
SELECT kg_put_entities('part', '[{"id": "undone"}]') -> 'counts' AS put;
ROLLBACK TO s;
SELECT kg_put_entities('part', '[{"id": "e", "n": 5}]') -> 'counts' AS put;
COMMIT;
BEGIN;
SELECT kg_put_entities('part', '[{"id": "undone"}]') -> 'counts' AS put;
ROLLBACK;
SELECT kg_delete_entities('part', '{c}') -> 'counts' AS deleted;
SELECT * FROM pg_temp.brief(kg_changes(:'begin'));
SELECT jsonb_object_agg(key, jsonb_typeof(value)) AS types FROM jsonb_each(kg_changes(:'begin') #> '{changes,0}');
SELECT * FROM pg_temp.brief(kg_changes(:'begin', '{site}'));
SELECT * FROM pg_temp.brief(kg_changes(:'begin', '{NEEDS,stock/site}'));
-- pages of one change, and of bytes: the same
WITH RECURSIVE pages AS (
  SELECT kg_changes(:'begin', '{}', '{"limit": 1}') AS reply
  UNION ALL SELECT kg_changes(reply ->> 'position', '{}', '{"limit": 1}') FROM pages WHERE (reply -> 'truncated')::boolean)
SELECT jsonb_agg(c) = kg_changes(:'begin') -> 'changes' AS equal, count(*) FROM pages, jsonb_array_elements(reply -> 'changes') c;
WITH RECURSIVE pages AS (
  SELECT kg_changes(:'begin', '{}', '{"max_bytes": 1024}') AS reply
  UNION ALL SELECT kg_changes(reply ->> 'position', '{}', '{"max_bytes": 1024}') FROM pages WHERE (reply -> 'truncated')::boolean)
SELECT jsonb_agg(c) = kg_changes(:'begin') -> 'changes' AS equal, count(DISTINCT reply) > 1 AS several, max(octet_length(reply::text)) <= 1100 AS fit FROM pages, jsonb_array_elements(reply -> 'changes') c;

-- documents of which one fills a page
SELECT kg_changes() ->> 'position' AS before_large \gset
SELECT kg_put_entities('site', jsonb_agg(jsonb_build_object('id', 'l' || n, 'path', repeat(n::text, 700)))) -> 'counts' AS put FROM generate_series(1, 6) n;
WITH RECURSIVE pages AS (
  SELECT kg_changes(:'before_large', '{}', '{"max_bytes": 1024}') AS reply
  UNION ALL SELECT kg_changes(reply ->> 'position', '{}', '{"max_bytes": 1024}') FROM pages WHERE (reply -> 'truncated')::boolean)
SELECT jsonb_agg(c) = kg_changes(:'before_large') -> 'changes' AS equal, count(DISTINCT reply) AS pages FROM pages, jsonb_array_elements(reply -> 'changes') c;

-- a caller from whom a policy hides entities gets no changes, as of kg_history
SET SESSION AUTHORIZATION fred;
SELECT kg_changes(:'begin') -> 'returned' AS hidden;
RESET SESSION AUTHORIZATION;
DROP POLICY followed_hides ON kg_entity;

-- positions
SET SESSION AUTHORIZATION fay;
SELECT test.fails(format('SELECT kg_changes(%L)', p)) FROM unnest(ARRAY['now', '0-0', 'x' || :'begin', :'begin' || '0x', replace(:'begin', '-', '--'), repeat('0', 32) || '-12-0-0']) p;
SELECT kg_changes(regexp_replace(:'begin', '-[0-9]+-', '-999999999999-')) -> 'changes' AS ahead;
SELECT test.fails(format('SELECT kg_changes(%L, %L)', :'begin', t)) FROM unnest(ARRAY['{plain}', '{nothing}', '{LIKES}', '{NULL}']) t;
SELECT test.fails(format('SELECT kg_changes(%L, ''{}'', %L)', :'begin', o)) FROM unnest(ARRAY['{"limit": 0}', '{"limit": "x"}', '{"size": 1}', '[]']) o;
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION bess;
SELECT FROM kg_apply_bundle('{"bundle_name": "stock", "version": "1", "schemas": [{"entity_type": "part", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"}}}}]}');
SELECT test.fails(format('SELECT kg_changes(%L)', :'begin'));
RESET SESSION AUTHORIZATION;
-- after pruning, and in a tenant that was made again
SET SESSION AUTHORIZATION fay;
SELECT kg_changes() ->> 'position' AS later \gset
SELECT kg_prune_history(clock_timestamp()) > 0 AS pruned;
SELECT test.fails(format('SELECT kg_changes(%L)', :'begin'));
SELECT kg_changes(:'later') -> 'changes' AS still;
SELECT kg_put_entities('part', '[{"id": "z"}]') -> 'counts' AS put;
SELECT * FROM pg_temp.brief(kg_changes(:'later'));
RESET SESSION AUTHORIZATION;
-- an import under the same name lacks the changes after the export
SELECT array_agg(l) AS lines FROM kg_export_tenant('followed') l \gset
SET SESSION AUTHORIZATION fay;
SELECT kg_changes() ->> 'position' AS before_import \gset
SELECT kg_put_entities('part', '[{"id": "lost"}]') -> 'counts' AS put;
RESET SESSION AUTHORIZATION;
SELECT FROM kg_drop_tenant('followed');
SELECT kg_import_tenant(:'lines') -> 'done' AS imported;
SET SESSION AUTHORIZATION fay;
SELECT test.fails(format('SELECT kg_changes(%L)', p)) FROM unnest(ARRAY[:'later', :'before_import']) p;
SELECT kg_changes() ->> 'position' AS imported \gset
SELECT kg_put_entities('part', '[{"id": "y"}]') -> 'counts' AS put;
SELECT * FROM pg_temp.brief(kg_changes(:'imported'));
RESET SESSION AUTHORIZATION;
CALL test.drop('followed');
SELECT count(*) FROM kg_change_transaction WHERE tenant = 'followed';
CALL test.tenant('followed', 'fay admin');
SET SESSION AUTHORIZATION fay;
SELECT FROM kg_apply_bundle('{"bundle_name": "stock", "version": "1", "schemas": [{"entity_type": "part", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"}}}}]}');
SELECT test.fails(format('SELECT kg_changes(%L)', :'later'));

-- notifications, if they are wanted: one for a transaction, of changes that are recorded
RESET SESSION AUTHORIZATION;
SET kg_graph.notify_changes = on;
SELECT kg_grant('followed', CURRENT_USER::text, 'write') \g /dev/null
SET kg_graph.tenant = 'followed';
SELECT kg_changes() #>> '{listen,channel}' AS channel, length(kg_changes() #>> '{listen,payload}') AS length;
\o |sed -n 's/Asynchronous notification "\([a-z_]*\)" with payload "[0-9a-f]* \([a-z]*\)".*/\1 \2/p'
LISTEN kg_mcp;
BEGIN;
SELECT kg_put_entities('part', '[{"id": "a"}]') -> 'counts' AS put;
SELECT kg_put_entities('part', '[{"id": "b"}]') -> 'counts' AS put;
COMMIT;
UNLISTEN kg_mcp;
\o
RESET kg_graph.notify_changes;
RESET kg_graph.tenant;
-- Without the transactions, changes would be skipped: nobody can remove all of them.
TRUNCATE kg_change_transaction;
CALL test.drop('followed');
CALL test.drop('beside');
