-- Registered tools that write. A sequence is done completely or not at all, has one
-- idempotency key, and does not exist for callers that only read.
\i test/data/prelude.sql
CALL test.tenant('registered_writes', 'registered_writer admin', 'registered_reader read');
SET ROLE registered_writer;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [{"entity_type": "item", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-history": true,
  "x-tool-expose": ["list", "get", "create", "update", "delete", "history"],
  "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "size": {"type": "integer"}}, "required": ["id", "name"]}}]}') ->> 'changed' AS changed;
SELECT kg_register_tool('{"name": "two_items", "version": "1.0.0", "kind": "sequence", "description": "Makes two.",
  "input_schema": {"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
  "operations": [{"name": "first", "tool": "create_item", "arguments": {"items": [{"id": {"$arg": "a"}, "name": "A"}]}},
    {"name": "second", "tool": "create_item", "arguments": {"items": [{"id": {"$arg": "b"}, "name": "B"}]}},
    {"name": "third", "tool": "update_item", "arguments": {"items": [{"id": {"$result": "first", "path": "/items/0/id"}, "set": {"size": 3}}]}}]}');
SELECT kg_register_tool('{"name": "swap", "version": "1.0.0", "kind": "sequence", "description": "One for another.",
  "input_schema": {"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
  "operations": [{"name": "made", "tool": "create_item", "arguments": {"items": [{"id": {"$arg": "a"}, "name": "A"}]}},
    {"name": "gone", "tool": "delete_item", "arguments": {"ids": [{"$arg": "b"}]}}]}');
-- what a type with history publishes of get is an argument of the tool's too
SELECT kg_register_tool('{"name": "item_then", "version": "1.0.0", "kind": "query", "description": "An item as it was.",
  "input_schema": {"type": "object", "required": ["id", "at"], "properties": {"id": {"type": "string"}, "at": {"type": "string"}}},
  "operation": {"tool": "get_item", "arguments": {"id": {"$arg": "id"}, "as_of": {"$arg": "at"}}}}');
CREATE FUNCTION pg_temp.items() RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(entity_id || ':' || version || coalesce(':' || (data ->> 'size'), ''), ' ' ORDER BY entity_id COLLATE "C") FROM kg_entity $$;
SELECT jsonb_pretty(kg_call_tool('two_items', '{"a": "x", "b": "y"}') -> 'structuredContent');
SELECT kg_call_tool('item_then', jsonb_build_object('id', 'x', 'at', clock_timestamp())) #> '{structuredContent,entity}' AS item_then;
RESET ROLE;
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO registered_writer; GRANT pg_read_all_stats TO registered_writer;
SET kg_graph.audit = 'all';
SET kg_graph.audit_to = 'log';
SET kg_graph.audit_arguments = 'full';
SET ROLE registered_writer;
SELECT kg_call_tool('get_item', jsonb_build_object('id', 'x', 'as_of', clock_timestamp())) #> '{structuredContent,entity}' AS audited;
SELECT kg_explain('get_item', jsonb_build_object('id', 'x', 'as_of', clock_timestamp())) #>> '{ast,operation}' AS explained;
RESET ROLE;
RESET kg_graph.audit;
RESET kg_graph.audit_to;
RESET kg_graph.audit_arguments;
SET ROLE registered_writer;
SELECT pg_temp.items();
-- the second step fails: the first has written nothing
SELECT e ->> 'message' AS message, jsonb_path_query_array(e, '$.errors[*].operation') AS operations, e ->> 'expected' AS expected
  FROM (SELECT kg_call_tool('two_items', '{"a": "z", "b": "y"}') #> '{structuredContent,error}') x(e);
SELECT pg_temp.items();
DO $$ BEGIN
  FOR i IN 1..3 LOOP
    PERFORM kg_call_tool('two_items', jsonb_build_object('a', 'l' || i, 'b', CASE WHEN i = 2 THEN 'y' ELSE 'm' || i END));
  END LOOP;
END $$;
SELECT pg_temp.items();
-- the third step fails, or the second meets a limit: nothing is written either, and the error names the step
SELECT kg_register_tool('{"name": "three_items", "version": "1.0.0", "kind": "sequence", "description": "Makes two, changes one.",
  "input_schema": {"type": "object", "required": ["a", "b", "c"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}}},
  "operations": [{"name": "first", "tool": "create_item", "arguments": {"items": [{"id": {"$arg": "a"}, "name": "A"}]}},
    {"name": "second", "tool": "create_item", "arguments": {"items": [{"id": {"$arg": "b"}, "name": "B"}]}},
    {"name": "third", "tool": "update_item", "arguments": {"items": [{"id": {"$arg": "c"}, "set": {"size": 3}}]}}]}');
CREATE FUNCTION pg_temp.failed(arguments jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' | ', e ->> 'level', e ->> 'code', e ->> 'operation', e ->> 'message', jsonb_path_query_array(e, '$.errors[*].operation'))
  FROM (SELECT kg_call_tool('three_items', arguments) #> '{structuredContent,error}') x(e) $$;
SELECT pg_temp.failed('{"a": "t1", "b": "t2", "c": "t3"}');
SELECT kg_set_limits('registered_writes', '*', jsonb_build_object('entities', (SELECT count(*) + 1 FROM kg_entity)));
SELECT pg_temp.failed('{"a": "t1", "b": "t2", "c": "t1"}');
SELECT kg_set_limits('registered_writes', '*', '{}');
SELECT pg_temp.failed('{"a": "t1", "b": "t2", "c": "x"}') AS nothing, pg_temp.items();
SELECT kg_call_tool('delete_item', '{"ids": ["t1", "t2"]}') #> '{structuredContent,counts}' AS gone;
-- nor does it call itself
SELECT kg_register_tool('{"name": "again", "version": "1.0.0", "kind": "sequence", "description": "Calls itself.", "input_schema": {}, "operations": [{"name": "first", "tool": "again"}]}');
SELECT kg_register_tool('{"name": "again", "version": "1.0.0", "kind": "query", "description": "Calls another.", "input_schema": {}, "operation": {"tool": "two_items.v1.0.0", "arguments": {"a": "a", "b": "b"}}}');
-- sent again with its key, once done
SELECT kg_call_tool('two_items', '{"a": "k1", "b": "k2"}', '{"idempotency_key": "q"}') #> '{structuredContent,results,first,items}' AS first;
SELECT kg_call_tool('two_items', '{"a": "k1", "b": "k2"}', '{"idempotency_key": "q"}') #> '{structuredContent,results,first,items}' AS again;
SELECT kg_call_tool('two_items', '{"a": "k1", "b": "k3"}', '{"idempotency_key": "q"}') #>> '{structuredContent,error,message}' AS other_arguments;
SELECT pg_temp.items();
-- what is to be confirmed is not done by halves
SET kg_graph.confirm_more = 'deletes';
SELECT e ->> 'code' AS code, e ->> 'message' AS message, e ->> 'expected' AS expected FROM (SELECT kg_call_tool('swap', '{"a": "s", "b": "x"}') #> '{structuredContent,error}') x(e);
SELECT pg_temp.items();
RESET kg_graph.confirm_more;
SELECT kg_call_tool('swap', '{"a": "s", "b": "x"}') #> '{structuredContent,results,gone,items}' AS gone;
SELECT c ->> 'verdict' AS verdict, c ->> 'tool' AS tool FROM jsonb_array_elements(kg_history('item', 'x') -> 'changes') c;
BEGIN READ ONLY;
SELECT kg_call_tool('two_items', '{"a": "r1", "b": "r2"}') #>> '{structuredContent,error,code}' AS read_only;
COMMIT;
SET ROLE registered_reader;
SELECT kg_call_tool('two_items', '{"a": "r1", "b": "r2"}') #>> '{structuredContent,error,code}' AS for_a_reader;
SELECT count(*) FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' IN ('two_items', 'swap', 'create_item');
RESET ROLE;
SELECT count(kg_drop_tenant('registered_writes')) AS dropped;
DROP OWNED BY registered_writer, registered_reader;
DROP ROLE registered_writer, registered_reader;
