-- Registered tools under kg_graph.confirm: none of them asks for a value that it cannot take. And definitions that clients refuse, or that no call could use.
\i test/data/prelude.sql
CALL test.tenant('registered_confirm', 'registered_confirm_a admin');
CREATE FUNCTION test.makes_note(arguments jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN kg_call_tool('create_note', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('id', 'by function')))) -> 'structuredContent'; END $$;
CREATE FUNCTION test.deletes_note(arguments jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN kg_call_tool('delete_note', '{"ids": ["n1"]}') -> 'structuredContent'; END $$;
CREATE FUNCTION test.claims_to_read(arguments jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN kg_call_tool('create_note', '{"items": [{"id": "n2"}]}') -> 'structuredContent'; END $$;
GRANT USAGE ON SCHEMA test TO PUBLIC;
SELECT kg_grant('registered_confirm', current_user::text, 'admin');
SET kg_graph.tenant = 'registered_confirm';
SELECT kg_apply_bundle('{"bundle_name": "notes", "version": "1", "schemas": [{"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["get", "create", "delete"], "properties": {"id": {"type": "string"}}}}],
  "entities": [{"entity_type": "note", "items": [{"id": "n1"}]}]}') ? 'revision' AS applied;
CREATE FUNCTION test.register(name text, kind text, more text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT test.fails(format('SELECT kg_register_tool(%L)', jsonb_build_object('name', name, 'version', '1.0.0', 'kind', kind, 'description', 'For a test.', 'input_schema', '{"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}'::jsonb) || more::jsonb), 'path', 'expected') $$;
\pset format unaligned
\pset tuples_only on
SELECT test.register('without', 'query', '{"operation": {"tool": "create_note", "arguments": {"items": [{"id": {"$arg": "id"}}]}}}');
SELECT test.register('with', 'query', '{"input_schema": {"type": "object", "properties": {"id": {"type": "string"}, "confirm": {"type": "string"}}, "required": ["id"]}, "operation": {"tool": "create_note", "arguments": {"items": [{"id": {"$arg": "id"}}], "confirm": {"$arg": "confirm"}}}}');
SELECT test.register('dry', 'query', '{"operation": {"tool": "create_note", "arguments": {"items": [{"id": {"$arg": "id"}}], "dry_run": true}}}');
SELECT test.register('either', 'composite', '{"input_schema": {"type": "object", "properties": {"id": {"type": "string"}, "do": {"enum": ["make", "get"]}}, "required": ["id", "do"]}, "select": {"$arg": "do"},
  "operations": {"make": {"tool": "create_note", "arguments": {"items": [{"id": {"$arg": "id"}}]}}, "get": {"tool": "get_note", "arguments": {"id": {"$arg": "id"}}}}}');
SELECT test.register(f, 'function', format('{"input_schema": {"type": "object"}, "operation": "test.%s(jsonb)"}', f)) FROM unnest('{makes_note,claims_to_read}'::text[]) f;
SELECT test.register('deletes_note', 'function', '{"input_schema": {"type": "object"}, "operation": "test.deletes_note(jsonb)", "annotations": {"destructiveHint": false}}');
CREATE FUNCTION test.called(tool text, arguments jsonb) RETURNS text LANGUAGE sql AS $$ SELECT coalesce(e ->> 'code' || ' ' || (e ->> 'message') || ' / ' || (e ->> 'expected'), CASE WHEN r ? 'dry_run' THEN 'dry run' ELSE 'done' END)
  FROM (SELECT r -> 'error' AS e, r FROM (SELECT kg_call_tool(tool, arguments) -> 'structuredContent' AS r) c) c $$;
SELECT test.called('claims_to_read', '{}');
SET kg_graph.confirm_more = 'all';
SELECT tool, test.called(tool, arguments) FROM (VALUES ('without', '{"id": "a"}'::jsonb), ('with', '{"id": "a"}'), ('dry', '{"id": "a"}'), ('either', '{"id": "a", "do": "make"}'), ('either', '{"id": "n1", "do": "get"}'), ('claims_to_read', '{}')) c(tool, arguments);
SELECT test.called('with', jsonb_build_object('id', 'a', 'confirm', kg_call_tool('with', '{"id": "a"}') #> '{structuredContent,confirm}'));
SELECT test.called('makes_note', jsonb_build_object('confirm', kg_call_tool('makes_note', '{}') #> '{structuredContent,error,confirm}'));
-- what claims not to delete is not confirmed for deletions
SET kg_graph.confirm_more = 'deletes';
SELECT test.called('makes_note', '{}') ~ 'confirmed', kg_call_tool('deletes_note', '{}') #>> '{structuredContent,error,message}';
RESET kg_graph.confirm_more;
SELECT string_agg(entity_id, ', ' ORDER BY entity_id COLLATE "C") FROM kg_entity;
-- Definitions.
SELECT operation, test.register('odd', 'function', jsonb_build_object('operation', operation)::text) FROM unnest(ARRAY['public.f1', '', 'test.makes_note(jsonb', 'a.b.c.d(jsonb)', 'test.makes_note(jsonx)', 'test.makes_note(jsonb) x']) operation;
SELECT test.register('odd', 'query', jsonb_build_object('input_schema', '{"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}'::jsonb || more::jsonb, 'operation', '{"tool": "get_note", "arguments": {"id": {"$arg": "id"}}}'::jsonb)::text)
  FROM unnest(ARRAY['{"required": ["id", "other"]}', '{"if": {"required": ["id"]}, "then": {"properties": {"id": {"minLength": 1}}}, "else": {}}', '{"$ref": "#/$defs/a", "$defs": {"a": {"required": ["id"]}}}']) more;
SELECT test.register('odd', 'query', '{"input_schema": {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}}}, "operation": {"tool": "get_note", "arguments": {"id": {"$arg": "id"}}}}');
\c - :owner
CALL test.drop('registered_confirm');
DROP FUNCTION test.register, test.called, test.makes_note, test.deletes_note, test.claims_to_read;
