-- Prompts and instructions mention writing only to callers that have tools that
-- write.
SET client_min_messages = warning;
CREATE ROLE prompted_admin; CREATE ROLE prompted_writer; CREATE ROLE prompted_reader; 
RESET client_min_messages;
DO $$
DECLARE who text[];
BEGIN
  PERFORM kg_create_tenant('prompted'), kg_create_tenant('prompted_none'), kg_grant('prompted_none', 'prompted_writer', 'write');
  FOREACH who SLICE 1 IN ARRAY '{{admin,admin},{writer,write},{reader,read}}'::text[] LOOP
    PERFORM kg_grant('prompted', 'prompted_' || who[1], who[2]);
  END LOOP;
END $$;
SET ROLE prompted_admin;
SELECT kg_apply_bundle('{"bundle_name": "notes", "version": "1", "schemas": [
  {"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "x-tool-expose": ["list", "get", "create", "update", "delete", "history"], "properties": {"id": {"type": "string"}, "kind": {"enum": ["a", "b"], "x-index": true}}}}],
  "relations": [{"name": "NEAR", "from": "note", "to": "note", "tools": ["link", "unlink"]}], "entities": []}') -> 'changed';
SELECT kg_apply_bundle('{"bundle_name": "links", "version": "1", "schemas": [{"entity_type": "page", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["get"], "properties": {"id": {"type": "string"}}}}],
  "relations": [{"name": "LEADS_TO", "from": "page", "to": "page", "tools": ["link"]}], "entities": []}') -> 'changed';
DO $$ BEGIN
  PERFORM kg_create_agent('pages', '{"bundles": ["links"]}'), kg_create_agent('graph', '{"toolsets": ["graph"], "bundles": ["notes", "links"]}'), kg_create_agent('all', '{"bundles": ["notes", "links"]}');
END $$;
RESET ROLE;
CREATE FUNCTION pg_temp.ask(method text, params jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS
$$ SELECT kg_mcp(jsonb_build_object('jsonrpc', '2.0', 'id', 1, 'method', method, 'params', params)) -> 'result' $$;
-- All that is said before a tool is called, and what of it is about writing.
CREATE FUNCTION pg_temp.said() RETURNS TABLE (what text, tools text, of_writing text) LANGUAGE sql AS $$
  SELECT what, (SELECT string_agg(t ->> 'name', ' ') FROM jsonb_array_elements(kg_list_tools()) t WHERE t #>> '{annotations,readOnlyHint}' = 'false'),
    (SELECT string_agg(DISTINCT m[1], ' ' ORDER BY m[1]) FROM regexp_matches(said, '((?:create|update|delete|link|unlink)_[A-Za-z]+|tools write|only read|expected_version|idempotency_key|dry_run|confirm)', 'g') m)
  FROM (VALUES ('instructions', pg_temp.ask('initialize', '{"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}') ->> 'instructions'),
    ('prompts', pg_temp.ask('prompts/list') ->> 'prompts'),
    ('workflow', pg_temp.ask('prompts/get', '{"name": "knowledge_graph"}') ->> 'messages'),
    ('workflow of notes', pg_temp.ask('prompts/get', '{"name": "knowledge_graph", "arguments": {"bundle": "notes"}}') ->> 'messages'),
    ('list', pg_temp.ask('prompts/get', '{"name": "list_entities", "arguments": {"entity_type": "note"}}') ->> 'messages')) x(what, said) $$;
SET kg_graph.tenant = 'prompted';
SET ROLE prompted_writer; SELECT * FROM pg_temp.said();
SET ROLE prompted_reader; SELECT * FROM pg_temp.said();
-- Agents: without tools that write; without a bundle, so that edges are not for it; with all.
SET ROLE prompted_writer;
SET kg_graph.agent = 'graph'; SELECT * FROM pg_temp.said();
SET kg_graph.agent = 'pages'; SELECT * FROM pg_temp.said();
SET kg_graph.agent = 'all'; SELECT * FROM pg_temp.said();
RESET kg_graph.agent;
-- Toolsets of the session, and a tenant without types.
SET kg_graph.toolsets = 'graph'; SELECT * FROM pg_temp.said();
RESET kg_graph.toolsets;
SET kg_graph.tenant = 'prompted_none'; SELECT * FROM pg_temp.said();
-- Who writes by registered tools alone is not told of what they do not take.
SET kg_graph.tenant = 'prompted';
SET ROLE prompted_admin;
SELECT kg_register_tool('{"name": "forget", "version": "1.0.0", "kind": "query", "description": "x", "input_schema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}, "operation": {"tool": "delete_note", "arguments": {"ids": [{"$arg": "id"}]}}}') ->> 'verdict' AS verdict;
SELECT kg_create_agent('own', '{"toolsets": ["tools"], "bundles": ["notes", "links"]}');
SET ROLE prompted_writer; SET kg_graph.agent = 'own'; SELECT * FROM pg_temp.said() WHERE what = 'instructions';
SET ROLE prompted_reader; SELECT * FROM pg_temp.said() WHERE what = 'instructions';
RESET kg_graph.agent;
RESET ROLE; RESET kg_graph.tenant;
SELECT kg_drop_tenant('prompted'), kg_drop_tenant('prompted_none');
DROP ROLE prompted_admin; DROP ROLE prompted_writer; DROP ROLE prompted_reader; 
