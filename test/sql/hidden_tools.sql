-- Registered tools that use a bundle that an agent lacks do not exist for it: they
-- are in no list, table or setting. What a call writes is visible to its later steps
-- and messages.
\i test/data/prelude.sql
CALL test.tenant('hidden_tools', 'hidden_tools_admin admin');
SET ROLE hidden_tools_admin;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [{"entity_type": "item", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-tool-expose": ["list", "get", "update"],
  "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "size": {"type": "integer", "x-index": true}, "near": {"type": "string", "x-ref": "item", "x-relation": "NEAR"}}}}],
  "entities": [{"entity_type": "item", "items": [{"id": "a", "name": "Lamp", "size": 1}, {"id": "b", "name": "Desk", "size": 2}]}],
  "tools": [{"name": "items", "version": "1.0.0", "kind": "query", "description": "All.", "input_schema": {"type": "object", "properties": {}}, "operation": {"tool": "list_item", "arguments": {}}}]}') ->> 'changed' AS changed;
SELECT kg_apply_bundle('{"bundle_name": "secret", "version": "1", "schemas": [{"entity_type": "spy", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}]}') ->> 'changed' AS changed;
CREATE FUNCTION pg_temp.register(name text, tool text, toolset text, arguments jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT kg_register_tool(jsonb_build_object('name', name, 'version', '1.0.0', 'kind', 'query', 'description', name, 'toolset', toolset, 'input_schema', '{"type": "object", "properties": {}}'::jsonb,
    'operation', jsonb_build_object('tool', tool, 'arguments', arguments))) ->> 'verdict' $$;
-- the memory's tools are those of a bundle, too
SELECT pg_temp.register('recall', 'read_graph', 'past');
SELECT kg_apply_bundle('{"bundle_name": "memory", "version": "1", "schemas": [{"entity_type": "entity", "schema": {"type": "object", "additionalProperties": false, "x-id-field": "name", "x-label-field": "name", "x-alias-fields": ["entityType", "parts"],
    "properties": {"name": {"type": "string"}, "entityType": {"type": "string"}, "parts": {"type": "array", "items": {"type": "string"}}, "stub": {"type": "boolean"}}}},
  {"entity_type": "observation", "schema": {"type": "object", "additionalProperties": false, "x-id-field": "id", "x-label-field": "content", "x-alias-fields": ["parts"], "required": ["id", "entity", "n", "content"],
    "properties": {"id": {"type": "string"}, "entity": {"type": "string", "x-ref": "entity", "x-relation": "ABOUT", "x-on-delete": "cascade"}, "n": {"type": "integer"}, "content": {"type": "string"}, "parts": {"type": "array", "items": {"type": "string"}}}}}],
  "relations": [{"name": "RELATES", "from": "entity", "to": "entity", "key": ["relationType"], "schema": {"type": "object", "required": ["relationType"], "properties": {"relationType": {"type": "string"}}}}]}') ->> 'changed' AS changed;
SELECT pg_temp.register('recall', 'read_graph', 'past'), pg_temp.register('spies', 'list_spy', 'spying'), pg_temp.register('any_items', 'list_item', 'tools');
SELECT kg_drop_bundle('memory');
SELECT kg_create_agent('part', '{"bundles": ["shop"]}'), kg_create_agent('whole', '{"bundles": ["shop", "secret", "memory"]}');
CREATE FUNCTION pg_temp.told() RETURNS TABLE (listed text, tables text, versions text, calls text) LANGUAGE sql AS $$
  SELECT (SELECT string_agg(t ->> 'name', ' ') FROM jsonb_array_elements(kg_list_tools()) t WHERE t ? '_meta'),
    (SELECT string_agg(tool, ' ' ORDER BY tool) FROM kg_tool WHERE operation = 'registered'), (SELECT string_agg(tool, ' ' ORDER BY tool) FROM kg_registered_tools()),
    (SELECT string_agg(coalesce(kg_call_tool(n) #>> '{structuredContent,error,code}', 'answered'), ' ' ORDER BY n) FROM unnest('{any_items,items,nobody,recall,spies}'::text[]) n) $$;
SELECT * FROM pg_temp.told();
SET kg_graph.agent = 'whole'; SELECT * FROM pg_temp.told();
SET kg_graph.agent = 'part'; SELECT * FROM pg_temp.told();
-- nor does a toolset that only they have
CREATE FUNCTION pg_temp.toolset(name text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  PERFORM set_config('kg_graph.toolsets', name, true); RETURN kg_call_tool('any_items') #>> '{structuredContent,error,message}'; END $$;
SELECT n, pg_temp.toolset(n) FROM unnest('{spying,past,future,tools}'::text[]) n;
RESET kg_graph.agent;
SELECT n, pg_temp.toolset(n) FROM unnest('{spying,past,future,tools}'::text[]) n;
RESET kg_graph.toolsets;

-- what a step wrote, those after it see, and so do messages of a batch
SELECT kg_register_tool('{"name": "fix", "version": "1.0.0", "kind": "sequence", "description": "Fix and look.", "input_schema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}},
  "operations": [{"name": "before", "tool": "list_item", "arguments": {"filters": {"size": {"$arg": "n"}}, "fields": ["size"]}}, {"name": "fixed", "tool": "update_item", "arguments": {"items": [{"id": "a", "set": {"size": {"$arg": "n"}, "near": "b", "name": "Torch"}}]}},
    {"name": "got", "tool": "get_item", "arguments": {"id": "a", "fields": ["size"]}}, {"name": "listed", "tool": "list_item", "arguments": {"filters": {"size": {"$arg": "n"}}, "fields": ["size"]}},
    {"name": "walked", "tool": "traverse_relationships", "arguments": {"from": {"label": "item", "ids": ["a"]}, "relationships": [{"type": "NEAR"}], "columns": ["size"]}}, {"name": "found", "tool": "search_entities", "arguments": {"query": "torch"}},
    {"name": "claimed", "tool": "verify_claims", "arguments": {"claims": [{"entity": "item:a", "property": "size", "is": {"$arg": "n"}}]}}]}') ->> 'verdict' AS verdict;
CREATE FUNCTION pg_temp.fix(n int) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_array(r #> '{before,total}', r #> '{fixed,items,0,version}', r #> '{got,entity,data,size}', r #> '{listed,total}', r #> '{walked,total}', r #> '{found,items,0,id}', r #> '{claimed,counts,supported}')
    FROM (SELECT kg_call_tool('fix', jsonb_build_object('n', n)) #> '{structuredContent,results}') x(r) $$;
SELECT pg_temp.fix(5);
SELECT pg_temp.fix(n) FROM generate_series(6, 8) n;
BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_temp.fix(9); SAVEPOINT s; SELECT pg_temp.fix(10); ROLLBACK TO s; SELECT pg_temp.fix(11); COMMIT;
SELECT b #> '{1,result,structuredContent,entity,data,size}' AS got, b #>> '{2,result,structuredContent,error,code}' AS refused, b #> '{3,result,structuredContent,total}' AS listed FROM kg_mcp('[{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "update_item", "arguments": {"items": [{"id": "b", "set": {"size": 20}}]}}},
  {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "get_item", "arguments": {"id": "b", "fields": ["size"]}}}, {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "update_item", "arguments": {"items": [{"id": "b", "set": {"size": "x"}}]}}},
  {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "list_item", "arguments": {"filters": {"size": 20}, "fields": ["size"]}}}]') b;
RESET ROLE;
CALL test.drop('hidden_tools');
