-- kg_check() of histories, of freed versions and of edges' keys; types that are dropped and made again.
\i test/data/prelude.sql
CALL test.tenant('check_history', 'check_history_admin admin');
CREATE SCHEMA check_history;
GRANT USAGE ON SCHEMA check_history TO PUBLIC;
CREATE FUNCTION check_history.said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text;
BEGIN
  EXECUTE 'SELECT ' || call INTO answer;
  RETURN answer;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || regexp_replace(SQLERRM, '".*? is', '... is');
END $$;
-- A bundle with or without the type "part".
CREATE FUNCTION check_history.bundle(part boolean, ids text[]) RETURNS jsonb LANGUAGE sql AS $b$ SELECT jsonb_build_object('bundle_name', 'ck', 'version', '1',
  'schemas', '[{"entity_type": "maker", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "x-scope-field": "path", "properties": {"id": {"type": "string"}, "path": {"type": "string"}, "n": {"type": "number"}}}}]'::jsonb ||
    CASE WHEN part THEN '[{"entity_type": "part", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "x-tool-expose": ["get"], "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}}}]'::jsonb ELSE '[]' END,
  'relations', '[{"name": "NEEDS", "from": "maker", "to": "maker", "history": true, "schema": {"type": "object", "properties": {"n": {"type": "number"}}}},
    {"name": "WANTS", "from": "maker", "to": "maker", "history": true, "key": ["lang"], "schema": {"type": "object", "properties": {"lang": {"type": "string"}}}}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'maker', 'items', '[{"id": "m1", "path": "1/"}, {"id": "m2", "path": "2/"}]'::jsonb)) ||
    CASE WHEN part THEN jsonb_build_array(jsonb_build_object('entity_type', 'part', 'items', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', i)), '[]') FROM unnest(ids) i))) ELSE '[]' END,
  'edges', '[{"relation": "NEEDS", "from": "maker:m1", "to": "maker:m2", "properties": {"n": 1}}, {"relation": "WANTS", "from": "maker:m1", "to": "maker:m2", "properties": {"lang": "de"}},
    {"relation": "WANTS", "from": "maker:m1", "to": "maker:m2", "properties": {"lang": "fr"}}]'::jsonb) $b$;
SET search_path = public, check_history;
SET ROLE check_history_admin;
SELECT kg_apply_bundle(bundle(true, '{p1,p2}')) ? 'revision' AS applied;
UPDATE kg_entity SET data = data || '{"n": 1.50}' WHERE entity_id = 'm1';
UPDATE kg_entity SET data = data || '{"n": 2}' WHERE entity_type = 'part';
UPDATE kg_edge SET properties = '{"n": 2}' WHERE properties ? 'n';
SELECT kg_delete_entities('part', ARRAY['p2']) -> 'counts' AS deleted;
SELECT kg_put_entities('part', '[{"id": "p2"}]') -> 'counts' AS put;
SELECT kg_check() - 'ms';
SELECT kg_prune_history((SELECT at FROM kg_history ORDER BY change OFFSET 3 LIMIT 1)) > 0 AS pruned;
SELECT kg_check() -> 'ok' AS ok;
RESET ROLE;

\getenv abs_srcdir PG_ABS_SRCDIR
\set triggers :abs_srcdir '/data/triggers.sql'
\i :triggers
CREATE FUNCTION check_history.planted(plant text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer jsonb;
BEGIN
  BEGIN
    PERFORM pg_temp.triggers(false);
    EXECUTE plant;
    PERFORM pg_temp.triggers(true);
    answer := kg_check('{"tenant": "check_history"}');
    RAISE EXCEPTION USING MESSAGE = (SELECT coalesce(string_agg(format('%s %s %s: %s', d ->> 'kind', d ->> 'type', regexp_replace(coalesce(d ->> 'id', d ->> 'object'), '\m\d+\M', 'N', 'g'), d ->> 'expected'), '; ' ORDER BY d ->> 'kind', d ->> 'type', d ->> 'expected'), 'nothing')
      FROM jsonb_array_elements(answer -> 'differences') d), ERRCODE = 'KG000';
  EXCEPTION WHEN SQLSTATE 'KG000' THEN RETURN SQLERRM;
  END;
END $$;
SELECT what, planted(plant) FROM (VALUES
  (1, 'entity changed behind the triggers', $$UPDATE kg_entity SET data = data || '{"n": 7}' WHERE tenant = 'check_history' AND entity_id = 'm1'$$),
  (2, 'digits', $$UPDATE kg_entity SET data = data || '{"n": 1.5}' WHERE tenant = 'check_history' AND entity_id = 'm1'$$),
  (3, 'entity deleted', $$DELETE FROM kg_entity WHERE tenant = 'check_history' AND entity_id = 'p1'$$),
  (4, 'version', $$UPDATE kg_entity SET version = 9 WHERE tenant = 'check_history' AND entity_id = 'm1'$$),
  (5, 'version of a freed id', $$UPDATE kg_entity SET version = 2 WHERE tenant = 'check_history' AND entity_id = 'p2'$$),
  (6, 'last change gone', $$DELETE FROM kg_history WHERE tenant = 'check_history' AND change = (SELECT max(change) FROM kg_history WHERE tenant = 'check_history' AND entity_id = 'p2')$$),
  (7, 'change in the middle', $$UPDATE kg_history SET after = '{"id": "p2"}' WHERE tenant = 'check_history' AND entity_id = 'p2' AND version = 2$$),
  (8, 'creation in the middle', $$UPDATE kg_history SET verdict = 'created' WHERE tenant = 'check_history' AND entity_id = 'p2' AND version = 2$$),
  (9, 'node', $$UPDATE kg_history SET node = node + 1 WHERE tenant = 'check_history' AND entity_id = 'm1' AND version = (SELECT max(version) FROM kg_history WHERE tenant = 'check_history' AND entity_id = 'm1')$$),
  (10, 'edge changed', $$UPDATE kg_edge SET properties = '{"n": 3}' WHERE tenant = 'check_history' AND properties ? 'n'$$),
  (11, 'edge deleted', $$DELETE FROM kg_edge WHERE tenant = 'check_history' AND key = 'fr'$$),
  (12, 'change of an edge', $$UPDATE kg_history SET before = '{"n": 5}' WHERE tenant = 'check_history' AND relation_no IS NOT NULL AND verdict = 'updated'$$),
  (13, 'key of an edge', $$UPDATE kg_edge SET key = 'it' WHERE tenant = 'check_history' AND key = 'fr'$$),
  (14, 'key of an edge without one', $$UPDATE kg_edge SET key = 'it' WHERE tenant = 'check_history' AND properties ? 'n'$$)) p(n, what, plant) ORDER BY n;
SELECT kg_check('{"tenant": "check_history"}') -> 'ok' AS ok;

-- A type that is dropped and made again has a history of its own, and versions that nobody has read.
SET ROLE check_history_admin;
SELECT entity_id, version FROM kg_entity WHERE entity_type = 'part' ORDER BY 1;
SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS before \gset
SELECT kg_apply_bundle(bundle(false, '{}')) ? 'revision' AS applied;
SELECT count(*) FROM kg_history WHERE entity_id ~ '^p';
SELECT kg_apply_bundle(bundle(true, '{p2,p9}')) ? 'revision' AS applied;
INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('ck', 'part', '{"id": "p1"}');
SELECT entity_id, version FROM kg_entity WHERE entity_type = 'part' ORDER BY 1;
SELECT c ->> 'verdict' AS verdict, c -> 'version' AS version FROM jsonb_array_elements(kg_history('part', 'p2') -> 'changes') c;
SELECT kg_call_tool('get_part', jsonb_build_object('id', 'p2', 'as_of', :'before')) #>> '{structuredContent,error,message}' AS told;
SELECT said($$kg_delete_entities('part', ARRAY['p2'], '{"expected_version": 2}')$$) ~ '^[0-9]' AS refused;
UPDATE kg_entity SET data = data || '{"n": 2}' WHERE entity_id = 'p9';
SELECT kg_check() - 'ms';
-- Again, with the whole bundle, and nothing in it.
SELECT kg_drop_bundle('ck') ? 'revision' AS dropped;
SELECT kg_apply_bundle(bundle(true, '{}')) ? 'revision' AS applied;
SELECT kg_apply_bundle(bundle(false, '{}')) ? 'revision' AS applied;
SELECT kg_apply_bundle(bundle(true, '{p3}')) ? 'revision' AS applied;
SELECT entity_id, version FROM kg_entity ORDER BY 1;
SELECT kg_check() - 'ms';
SELECT said('(SELECT count(*) FROM kg_freed_type)') AS freed;
-- An entity that comes back to its id after another one had it for longer: what it was under it before stays.
INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('ck', 'maker', '{"id": "back"}');
UPDATE kg_entity SET data = data || '{"id": "away"}' WHERE entity_id = 'back';
INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('ck', 'maker', '{"id": "back"}');
UPDATE kg_entity SET data = data || '{"n": 1}' WHERE entity_id = 'back';
UPDATE kg_entity SET data = data || '{"n": 2}' WHERE entity_id = 'back';
DELETE FROM kg_entity WHERE entity_id = 'back';
UPDATE kg_entity SET data = data || '{"id": "back", "n": 3}' WHERE entity_id = 'away';
SELECT version, verdict, after FROM kg_history WHERE entity_id = 'back' ORDER BY change;
SELECT version FROM kg_entity WHERE entity_id = 'back';
SELECT kg_check() - 'ms';
RESET ROLE;
SELECT entity_type, version FROM kg_freed_type WHERE tenant = 'check_history' ORDER BY 1;
SELECT FROM kg_drop_tenant('check_history');
SELECT count(*) FROM kg_freed_type WHERE tenant = 'check_history';
DROP SCHEMA check_history CASCADE;
DROP ROLE check_history_admin;
