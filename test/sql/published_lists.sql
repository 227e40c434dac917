-- Every list of tools in a form that clients take: one schema that a vendor refuses takes all tools of a conversation with it.
\i test/data/prelude.sql
\i test/data/lint.sql
CALL test.tenant('lists', 'lists_admin admin', 'lists_reader read');
SET ROLE lists_admin;
-- authors' schemas, with all that is wrong for somebody
SELECT kg_apply_bundle('{"bundle_name": "odd", "version": "1", "definitions": [{"$id": "urn:list", "type": "array"}], "schemas": [
  {"entity_type": "odd", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "x-tool-expose": ["list", "list_ids", "get", "create", "update", "delete", "history"],
    "required": ["elsewhere"], "anyOf": [{"required": ["bare"]}, {"required": ["either"]}], "$defs": {"row": {"type": "array"}, "more": {"type": "object", "required": ["n"]}}, "properties": {
    "id": {"type": "string"}, "bare": {"type": "array"}, "either": {"type": ["array", "string", "null"]}, "always": {"type": "array", "items": true}, "pair": {"type": "array", "prefixItems": [{"type": "array"}], "items": false},
    "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}}, "list": {"$ref": "urn:list"}, "more": {"allOf": [{"$ref": "#/$defs/more"}], "then": {"type": "array"}},
    "some": {"anyOf": [{"type": "array"}, {"type": "object", "required": ["a"], "additionalProperties": {"type": "array"}}]}, "map": {"patternProperties": {"^x": {"type": "array"}}}, "data": {"const": {"type": "array"}}}}},
  {"entity_type": "two", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list", "list_ids", "get", "create", "update", "delete"], "properties": {"id": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string", "x-index": true}},
    "odd": {"type": "string", "x-ref": "odd"}, "from": {"type": "string", "format": "date", "x-index": true}}}}],
  "relations": [{"name": "LIKES", "from": "two", "to": "odd", "tools": ["link", "unlink"], "schema": {"type": "object", "required": ["why", "since"], "properties": {"why": {"type": "array"}}}}]}') -> 'changed' AS changed;
SELECT kg_apply_bundle('{"bundle_name": "memory", "version": "1", "schemas": [
  {"entity_type": "entity", "schema": {"type": "object", "x-id-field": "name", "properties": {"name": {"type": "string"}, "entityType": {"type": "string"}, "stub": {"type": "boolean"}}}},
  {"entity_type": "observation", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "entity": {"type": "string", "x-ref": "entity", "x-relation": "OBSERVES"}, "n": {"type": "integer"}, "content": {"type": "string"}}}}],
  "relations": [{"name": "RELATES", "from": "entity", "to": "entity", "key": ["relationType"], "schema": {"type": "object", "required": ["relationType"], "properties": {"relationType": {"type": "string"}}}}]}') -> 'changed' AS changed;
-- registered ones: what can be completed is completed
SELECT d ->> 'name' AS tool, kg_register_tool('{"version": "1.0.0", "kind": "query", "description": "d", "operation": {"tool": "list_two", "arguments": {"fields": {"$arg": "x"}}}}' || d) ->> 'verdict' AS verdict FROM (VALUES
  ('{"name": "bare_array", "input_schema": {"properties": {"x": {"type": "array"}}}}'::jsonb),
  ('{"name": "nested", "input_schema": {"required": ["x"], "properties": {"x": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/l"}]}}}, "$defs": {"l": {"type": "array", "minItems": 0}}}}'),
  ('{"name": "o_none", "input_schema": {"properties": {"x": {"type": "array", "items": {"type": "string"}}}}, "output_schema": {"required": ["items"]}}'),
  ('{"name": "o_empty", "input_schema": {"properties": {"x": {"type": "array", "items": {"type": "string"}}}}, "output_schema": {}}'),
  ('{"name": "o_ref", "input_schema": {"properties": {"x": {"type": "array", "items": {"type": "string"}}}}, "output_schema": {"$ref": "#/$defs/r", "$defs": {"r": {"type": "object", "properties": {"items": {"type": "array"}}}}}}')) v (d);
SELECT t ->> 'name' AS tool, t #> '{inputSchema,properties,x}' AS x, t -> 'outputSchema' AS output FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' IN ('bare_array', 'o_none', 'o_empty', 'o_ref') ORDER BY t ->> 'name' COLLATE "C";
SELECT kg_call_tool('o_none', '{}') #> '{structuredContent,total}' AS none, kg_call_tool('o_ref', '{}') #> '{structuredContent,total}' AS ref;
-- what cannot be is refused, with what to write instead
CREATE FUNCTION pg_temp.try(definition jsonb) RETURNS TABLE (path text, message text, expected text) LANGUAGE plpgsql AS $$
DECLARE
  d text;
BEGIN
  PERFORM kg_register_tool('{"version": "1.0.0", "kind": "query", "description": "d", "operation": {"tool": "list_two", "arguments": {"search": {"$arg": "x"}}}}' || definition);
  RETURN QUERY SELECT NULL, 'created', NULL;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN QUERY SELECT e ->> 'path', e ->> 'message', e ->> 'expected' FROM jsonb_array_elements(d::jsonb -> 'errors') e;
END $$;
SELECT r.* FROM (VALUES
  ('{"name": "top_oneof", "input_schema": {"properties": {"x": {"type": "string"}}, "oneOf": [{"required": ["x"]}]}}'::jsonb),
  ('{"name": "top_enum", "input_schema": {"properties": {"x": {"type": "string"}}, "enum": [{}], "not": {"required": ["y"]}, "allOf": [true], "anyOf": [true]}}'),
  ('{"name": "brackets", "input_schema": {"properties": {"x[]": {"type": "string"}}}, "operation": {"tool": "list_two", "arguments": {"search": {"$arg": "x[]"}}}}'),
  (jsonb_build_object('name', 'long', 'input_schema', jsonb_build_object('properties', jsonb_build_object(repeat('n', 65), '{"type": "string"}'::jsonb)), 'operation', jsonb_build_object('tool', 'list_two', 'arguments', jsonb_build_object('search', jsonb_build_object('$arg', repeat('n', 65)))))),
  ('{"name": "o_array", "input_schema": {"properties": {"x": {"type": "string"}}}, "output_schema": {"type": "array"}}'),
  ('{"name": "o_union", "input_schema": {"properties": {"x": {"type": "string"}}}, "output_schema": {"type": ["object", "null"]}}'),
  ('{"name": "silent", "description": "", "input_schema": {"properties": {"x": {"type": "string"}}}}')) v (d), pg_temp.try(d) r;
SELECT kg_register_tool('{"name": "silent", "version": "1.0.0", "kind": "query", "input_schema": {}, "operation": {"tool": "list_two"}}');
-- in a bundle likewise, and a name of any toolset, whether the tenant has the toolset or not
SELECT e ->> 'path' AS path, e ->> 'message' AS message FROM kg_apply_bundle('{"bundle_name": "brings", "version": "1", "schemas": [{"entity_type": "it", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "tools": [{"name": "brought", "version": "1.0.0", "kind": "query", "input_schema": {"anyOf": [true]}, "operation": {"tool": "list_it"}}]}', '{"dry_run": true}') r, jsonb_array_elements(r -> 'errors') e;
-- every toolset, every caller, every revision
CREATE VIEW pg_temp.revisions AS SELECT r AS revision, kg_mcp(jsonb_build_object('kg_revision', r, 'jsonrpc', '2.0', 'id', 1, 'method', 'tools/list', 'params', CASE WHEN r < '2026' THEN '{}' ELSE
  '{"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}'::jsonb END)) #> '{result,tools}' AS tools FROM unnest(ARRAY['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) r;
GRANT SELECT ON pg_temp.revisions TO PUBLIC;
SET kg_graph.toolsets = 'catalog, graph, bfs, memory, compact, sql, write, tools';
SELECT jsonb_array_length(kg_list_tools()) AS tools, (SELECT count(*) FROM pg_temp.lint(kg_list_tools())) AS faults;
SELECT * FROM pg_temp.lint(kg_list_tools()) ORDER BY 1, 2, 3;
SELECT DISTINCT l.* FROM pg_temp.revisions, pg_temp.lint(tools) l;
SELECT revision, jsonb_array_length(tools) AS tools FROM pg_temp.revisions ORDER BY 1;
RESET kg_graph.toolsets;
SELECT * FROM pg_temp.lint(kg_list_tools());
SET ROLE lists_reader;
SELECT * FROM pg_temp.lint(kg_list_tools());
-- the linter sees
SELECT tool, fault, at FROM pg_temp.lint('[{"name": "a", "description": "d", "inputSchema": {"type": "object", "anyOf": [{"required": ["x"]}], "properties": {"a[]": {"type": ["string", "array"]}, "b": {"type": "array", "items": true}}}},
  {"name": "a", "inputSchema": {}, "outputSchema": {"type": ["object"]}}, {"name": "b c", "description": "d", "inputSchema": {"type": "object"}}]') ORDER BY 1, 2, 3;
-- the tools that serve all types are on the first page, whatever their number
SET ROLE lists_admin;
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'many', 'version', '1', 'schemas', (SELECT jsonb_agg(jsonb_build_object('entity_type', 'aa_' || lpad(n::text, 3, '0'), 'schema', '{"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}'::jsonb)) FROM generate_series(1, 70) n))) -> 'changed' AS changed;
SELECT count(*) AS tools, count(*) FILTER (WHERE t ->> 'name' IN ('find_nodes', 'find_paths', 'search_entities', 'get_graph_schema', 'bfs_query', 'open_nodes', 'bare_array')) AS of_all_types, count(*) FILTER (WHERE t ->> 'name' LIKE '%\_aa\_%') AS of_types
  FROM kg_mcp('{"kg_revision": "2025-11-25", "jsonrpc": "2.0", "id": 1, "method": "tools/list"}') r, jsonb_array_elements(r #> '{result,tools}') t;

-- two tools of one name: refused in either order, and told where there were two before
SELECT e ->> 'path' AS path, e ->> 'message' AS message FROM (VALUES ('graph_schema', '["get"]'), ('entities', '["create", "delete"]'), ('relations', '["create", "list"]'), ('observations', '["delete"]')) v (t, x), LATERAL kg_apply_bundle(jsonb_build_object('bundle_name', 'taker', 'version', '1',
  'schemas', jsonb_build_array(jsonb_build_object('entity_type', t, 'schema', '{"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}'::jsonb || jsonb_build_object('x-tool-expose', x::jsonb)))), '{"dry_run": true}') r, jsonb_array_elements(r -> 'errors') e;
SELECT kg_drop_bundle('memory') -> 'changed' AS dropped;
SELECT kg_apply_bundle('{"bundle_name": "taker", "version": "1", "schemas": [{"entity_type": "entities", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["create"], "properties": {"id": {"type": "string"}}}}]}');
SELECT kg_register_tool('{"name": "create_entities", "version": "1.0.0", "kind": "query", "description": "d", "input_schema": {}, "operation": {"tool": "list_two"}}');
SELECT kg_apply_bundle('{"bundle_name": "taker", "version": "1", "schemas": [{"entity_type": "entities", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}]}') -> 'changed' AS changed;
RESET ROLE;
-- as an older version has left them
INSERT INTO kg_tool(tenant, tool, bundle, entity_type, operation) VALUES ('lists', 'create_entities', 'taker', 'entities', 'create');
UPDATE kg_entity_type SET schema = jsonb_set(schema, '{x-tool-expose}', '["list", "get", "create"]') WHERE tenant = 'lists' AND entity_type = 'entities';
INSERT INTO kg_tool(tenant, tool, operation) VALUES ('lists', 'old_names', 'registered');
INSERT INTO kg_tool_version(tenant, tool, version, precedence, toolset, definition) SELECT tenant, 'old_names', version, precedence, toolset, definition || '{"name": "old_names", "input_schema": {"type": "object", "additionalProperties": false, "properties": {"x[]": {"type": "string"}}}, "operation": {"tool": "list_two", "arguments": {"search": {"$arg": "x[]"}}}}'
  FROM kg_tool_version WHERE tenant = 'lists' AND tool = 'o_none';
INSERT INTO kg_tool(tenant, tool, operation) VALUES ('lists', 'old_root', 'registered');
INSERT INTO kg_tool_version(tenant, tool, version, precedence, toolset, definition) SELECT tenant, 'old_root', version, precedence, toolset, definition || '{"name": "old_root", "output_schema": {"type": ["object", "null"]}, "input_schema": {"type": "object", "additionalProperties": false, "oneOf": [{"required": ["x"]}, {"required": ["y"]}], "properties": {"x": {"type": "string"}, "y": {"type": "string"}}}, "operation": {"tool": "list_two", "arguments": {"search": {"$arg": "x"}, "cursor": {"$arg": "y"}}}}'
  FROM kg_tool_version WHERE tenant = 'lists' AND tool = 'o_none';
SET ROLE lists_admin;
SELECT d ->> 'kind' AS kind, d ->> 'object' AS object, d ->> 'got' AS got FROM kg_check() c, jsonb_array_elements(c -> 'differences') d WHERE d ->> 'kind' LIKE 'tool%' ORDER BY 1, 2;
SELECT * FROM pg_temp.lint(kg_list_tools());
SELECT t ->> 'name' AS tool, t -> 'inputSchema' AS input FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' LIKE 'old%';
SELECT kg_call_tool('old_names', '{}') #> '{structuredContent,total}' AS called, kg_call_tool('old_root', '{}') #>> '{structuredContent,error,code}' AS held;
SELECT e ->> 'path' AS path, e ->> 'message' AS message FROM kg_apply_bundle('{"bundle_name": "memory", "version": "1", "schemas": []}', '{"dry_run": true, "mode": "merge"}') r, jsonb_array_elements(r -> 'errors') e;
RESET ROLE;
CALL test.drop('lists');
