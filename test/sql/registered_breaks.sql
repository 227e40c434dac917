-- A bundle that would break a registered tool is refused, with the tool, its version
-- and the path, for each kind of object that a tool may name. Operands of filters
-- are checked against the properties with which they are compared.
\i test/data/prelude.sql
\pset format unaligned
\pset tuples_only on
CALL test.tenant('breaks', 'regress_breaks admin');
SET ROLE regress_breaks;
SELECT kg_apply_bundle('{"bundle_name": "it", "version": "1", "schemas": [
  {"entity_type": "issue", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "title", "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "state": {"enum": ["opened", "closed"], "x-index": true},
    "weight": {"type": "integer", "x-index": true}, "due": {"type": "string", "format": "date", "x-index": true}, "hot": {"type": "boolean", "x-index": true}}}},
  {"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "relations": [{"name": "BLOCKS", "from": "issue", "to": "issue"}]}') -> 'changed';
CREATE FUNCTION pg_temp.try(definition jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  d text;
BEGIN
  RETURN kg_register_tool(definition) ->> 'verdict';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', SQLSTATE, d::jsonb ->> 'path', SQLERRM);
END $$;
CREATE FUNCTION pg_temp.apply(bundle jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce((SELECT string_agg(concat_ws(' ', e ->> 'path', e ->> 'message'), E'\n' ORDER BY e ->> 'message' COLLATE "C") FROM jsonb_array_elements(r -> 'errors') e), 'changed: ' || (r ->> 'changed'))
  FROM kg_apply_bundle(bundle, '{"dry_run": true}') r $$;

-- operands
SELECT t, f, pg_temp.try(jsonb_build_object('name', 'operand', 'version', '1.0.' || row_number() OVER (), 'kind', 'query', 'description', 'A query.', 'input_schema', '{"required": ["v"], "properties": {}}'::jsonb || jsonb_build_object('properties', jsonb_build_object('v', t::jsonb)),
  'operation', jsonb_build_object('tool', 'list_issue', 'arguments', jsonb_build_object('filters', f::jsonb, 'search', '{"$arg": "v"}'::jsonb) - CASE WHEN f ~ '\$arg' THEN 'search' ELSE '' END)))
FROM (VALUES ('{"type": "string"}', '{"weight": {"gte": {"$arg": "v"}}}'), ('{"type": "integer"}', '{"weight": {"gte": {"$arg": "v"}}}'), ('{"type": "string"}', '{"weight": {"in": [{"$arg": "v"}]}}'),
  ('{"type": "array", "items": {"type": "string"}}', '{"weight": {"in": {"$arg": "v"}}}'), ('{"type": "string"}', '{"weight": {"gte": "x"}}'), ('{"type": "string"}', '{"weight": {"gt": 3.5}}'), ('{"type": "string"}', '{"weight": {"between": 3}}'),
  ('{"type": "integer"}', '{"due": {"lt": {"$arg": "v"}}}'), ('{"type": "string", "format": "date"}', '{"due": {"lt": {"$arg": "v"}}}'), ('{"type": "string"}', '{"due": "yesterday"}'), ('{"type": "string"}', '{"due": {"gte": "2025-02-30"}}'),
  ('{"type": "string"}', '{"hot": {"$arg": "v"}}'), ('{"type": "boolean"}', '{"hot": {"$arg": "v"}}'), ('{"type": "string"}', '{"hot": "yes"}'), ('{"type": "string"}', '{"state": {"in": ["open"]}}'), ('{"enum": ["opened", "done"]}', '{"state": {"$arg": "v"}}')) x(t, f);
SELECT count(*) FROM kg_registered_tools() t, kg_unregister_tool(t.tool, t.version);

-- the same of graph tools, wherever a type is named beside filters
SELECT t, f, pg_temp.try(jsonb_build_object('name', 'graph_operand', 'version', '1.0.' || row_number() OVER (), 'kind', 'query', 'description', 'A query.', 'input_schema', '{"required": ["v"], "properties": {}}'::jsonb || jsonb_build_object('properties', jsonb_build_object('v', t::jsonb)),
  'operation', jsonb_build_object('tool', 'find_nodes', 'arguments', jsonb_build_object('node_label', 'issue', 'filters', f::jsonb, 'limit', '{"$arg": "v"}'::jsonb) - CASE WHEN f ~ '\$arg' THEN 'limit' ELSE '' END)))
FROM (VALUES ('{"type": "string"}', '{"weight": {"gte": {"$arg": "v"}}}'), ('{"type": "integer"}', '{"weight": {"gte": {"$arg": "v"}}}'), ('{"type": "array", "items": {"type": "string"}}', '{"weight": {"in": {"$arg": "v"}}}'), ('{"type": "integer"}', '{"weight": {"gte": "x"}}'),
  ('{"type": "integer"}', '{"weight": {"between": 3}}'), ('{"type": "integer"}', '{"due": {"lt": {"$arg": "v"}}}'), ('{"type": "string", "format": "date"}', '{"due": {"lt": {"$arg": "v"}}}'), ('{"type": "integer"}', '{"due": "yesterday"}'), ('{"type": "integer"}', '{"hot": "yes"}'),
  ('{"type": "integer"}', '{"state": {"in": ["open"]}}'), ('{"type": "integer"}', '{"state": {"in": ["opened"]}}'), ('{"enum": ["opened", "done"]}', '{"state": {"$arg": "v"}}'), ('{"enum": ["opened", "closed"]}', '{"state": {"$arg": "v"}}'), ('{"type": "string"}', '{"state": {"$arg": "v"}}'),
  ('{"type": "integer"}', '{"id": {"starts_with": "a"}}'), ('{"type": "integer"}', '{"any": [{"weight": 1}, {"state": "open"}]}'), ('{"type": "integer"}', '{"any": [{"weight": 1}, {"state": "opened"}]}'), ('{"type": ["integer", "string"]}', '{"weight": {"$arg": "v"}}')) x(t, f);
SELECT pg_temp.try('{"name": "far", "version": "1.0.0", "kind": "query", "description": "A query.", "input_schema": {}, "operation": {"tool": "traverse_relationships", "arguments": {"from": {"label": "issue", "filters": {"hot": true}, "related": [{"type": "BLOCKS", "to": {"label": "issue", "filters": {"weight": {"starts_with": "1"}}}}]}, "relationships": [{"type": "BLOCKS"}]}}}'),
  pg_temp.try('{"name": "far", "version": "1.0.1", "kind": "query", "description": "A query.", "input_schema": {}, "operation": {"tool": "traverse_relationships", "arguments": {"from": {"label": "issue"}, "relationships": [{"type": "BLOCKS", "to": {"label": "issue", "filters": {"due": 7}}}]}}}'),
  pg_temp.try('{"name": "far", "version": "1.0.2", "kind": "composite", "description": "A composite.", "input_schema": {"required": ["o"], "properties": {"o": {"enum": ["all"]}}}, "select": {"$arg": "o"}, "operations": {"all": {"tool": "aggregate_nodes", "arguments": {"node": {"label": "issue", "filters": {"state": "open"}}, "aggregations": [{"fn": "count"}]}}}}');
SELECT count(*) FROM kg_registered_tools() t, kg_unregister_tool(t.tool, t.version);

-- type, property, index, relation, a code of an enum
SELECT pg_temp.try('{"name": "walk", "version": "0.1.0", "kind": "query", "description": "A query.", "input_schema": {"required": ["id"], "properties": {"id": {"type": "string"}}}, "operation": {"tool": "traverse_relationships", "arguments": {"from": {"label": "issue", "ids": [{"$arg": "id"}]}, "relationships": [{"type": "BLOCKS"}]}}}'),
  pg_temp.try('{"name": "by_due", "version": "1.2.0", "kind": "query", "description": "A query.", "input_schema": {"required": ["d"], "properties": {"d": {"type": "string"}}}, "operation": {"tool": "find_nodes", "arguments": {"node_label": "issue", "filters": {"due": {"$arg": "d"}}}}}'),
  pg_temp.try('{"name": "closed", "version": "1.0.0-rc.1", "kind": "query", "description": "A query.", "input_schema": {}, "operation": {"tool": "list_issue", "arguments": {"filters": {"state": "closed"}}}}'),
  pg_temp.try('{"name": "found_closed", "version": "3.1.0", "kind": "query", "description": "A query.", "input_schema": {"required": ["w"], "properties": {"w": {"type": "integer"}}}, "operation": {"tool": "find_nodes", "arguments": {"node_label": "issue", "filters": {"state": "closed", "weight": {"gt": {"$arg": "w"}}}}}}'),
  pg_temp.try('{"name": "a_note", "version": "2.0.0", "kind": "composite", "description": "A composite.", "input_schema": {"required": ["o", "id"], "properties": {"o": {"enum": ["get"]}, "id": {"type": "string"}}}, "select": {"$arg": "o"}, "operations": {"get": {"tool": "get_note", "arguments": {"id": {"$arg": "id"}}}}}');
CREATE TEMP TABLE it AS SELECT kg_export_bundle('it') AS b, (SELECT ordinality - 1 FROM jsonb_array_elements(kg_export_bundle('it') -> 'schemas') WITH ORDINALITY s WHERE s.value ->> 'entity_type' = 'issue')::text AS i;
SELECT pg_temp.apply(jsonb_set(b, '{schemas}', jsonb_build_array(b -> 'schemas' -> i::int)) || '{"entities": []}') FROM it;
SELECT pg_temp.apply(b #- ARRAY['schemas', i, 'schema', 'properties', 'due']) FROM it;
SELECT pg_temp.apply(b #- ARRAY['schemas', i, 'schema', 'properties', 'due', 'x-index']) FROM it;
SELECT pg_temp.apply(jsonb_set(b, ARRAY['schemas', i, 'schema', 'properties', 'state', 'enum'], '["opened", "done"]')) FROM it;
SELECT pg_temp.apply(jsonb_set(b, ARRAY['schemas', i, 'schema', 'properties', 'weight', 'type'], '"boolean"')) FROM it;
SELECT pg_temp.apply(b || '{"relations": []}') FROM it;
SELECT pg_temp.apply(b || '{"description": "harmless"}') FROM it;
-- nothing of that was done
SELECT count(*) FROM it WHERE kg_export_bundle('it') = b;
RESET ROLE;
CALL test.drop('breaks');
