-- Entities that are not requested, or not visible, do not reduce the number of
-- results: names with typing errors, completions, hints.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('crowd', 'crowd_admin admin', 'crowd_reader read');

\c - crowd_admin
SELECT kg_apply_bundle('{"bundle_name": "few", "version": "1", "schemas": [{"entity_type": "place", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-tool-expose": ["list", "get"],
  "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "kind": {"type": "string", "x-index": true}, "in": {"type": "string", "x-ref": "place", "x-relation": "IN", "x-index": true}}}}],
  "entities": [{"entity_type": "place", "items": [{"id": "p1", "name": "Marseille", "kind": "harbour"}, {"id": "p2", "name": "Port of Rotterdam", "kind": "harbour"}]}]}') ->> 'changed' AS changed;
-- Each name of the crowd is nearer to what is asked below, and begins as it does; those of "hidden" are seen by no agent "some".
CREATE TEMP TABLE crowd AS SELECT jsonb_agg(jsonb_build_object('id', 'c' || n, 'name', name)) AS items FROM (
  SELECT row_number() OVER (ORDER BY name COLLATE "C") AS n, name FROM (
    SELECT overlay(word PLACING chr(ascii('a') + l) FROM at) FROM unnest(ARRAY['marsielel', 'rotetrdma']) word, generate_series(0, 25) l, generate_series(2, 9) at WHERE substr(word, at, 1) <> chr(ascii('a') + l)
    UNION SELECT 'Port of Ro' || n FROM generate_series(100, 299) n) x(name)) y;
SELECT b AS bundle, kg_apply_bundle(jsonb_build_object('bundle_name', b, 'version', '1',
  'schemas', '[{"entity_type": "other", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'other', 'items', items)))) ->> 'changed' AS changed FROM crowd, unnest(ARRAY['hidden']) b;
SELECT kg_create_agent('some', '{"bundles": ["few"]}');

\c - crowd_reader
CREATE FUNCTION pg_temp.found() RETURNS TABLE (call text, answer jsonb) LANGUAGE sql AS $$
  SELECT 'search ' || q, jsonb_path_query_array(kg_search(jsonb_build_object('query', q, 'node_types', '["place"]'::jsonb)), '$.items[*].id') FROM unnest(ARRAY['marsielel', 'port of rotetrdma', 'rotetrdma', 'port']) q
  UNION ALL SELECT 'list ' || q, jsonb_path_query_array(kg_list('place', jsonb_build_object('search', q)), '$.items[*].id') FROM unnest(ARRAY['marsielel', 'rotetrdma']) q
  UNION ALL SELECT 'hint ' || q, jsonb_path_query_array(kg_get('place', ARRAY[q]), '$.hints[*].nearest[*].id') FROM unnest(ARRAY['marsielel', 'rotetrdma']) q
  UNION ALL SELECT 'complete ' || v, kg_mcp(jsonb_build_object('jsonrpc', '2.0', 'id', 1, 'method', 'completion/complete', 'params', jsonb_build_object('ref', '{"type": "ref/resource", "uri": "kg://entity/{handle}"}'::jsonb,
    'argument', jsonb_build_object('name', 'handle', 'value', v)))) #> '{result,completion,values}' FROM unnest(ARRAY['place:port', 'place:m']) v $$;
-- of one type
SELECT * FROM pg_temp.found();
-- for a caller who does not see the other
SET kg_graph.agent = 'some';
SELECT * FROM pg_temp.found();
SELECT q, jsonb_path_query_array(kg_search(jsonb_build_object('query', q)), '$.items[*].id') AS found FROM unnest(ARRAY['marsielel', 'port of rotetrdma', 'rotetrdma']) q;
-- where all is seen and asked for, the nearest are found: the crowd
RESET kg_graph.agent;
SELECT q, kg_search(jsonb_build_object('query', q, 'limit', 1)) -> 'total' AS total FROM unnest(ARRAY['marsielel', 'rotetrdma']) q;

\c - :owner
CALL test.drop('crowd');
