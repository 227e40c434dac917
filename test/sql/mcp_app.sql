-- The explorer as an MCP App: only clients that accept it, where the page exists,
-- are told of it.
\i test/data/prelude.sql
\set VERBOSITY default
SELECT current_user AS owner, current_setting('data_directory') || '/kg_app.html' AS page, current_setting('data_directory') || '/postgresql.conf' AS other \gset
COPY (SELECT '<!DOCTYPE html><meta name="kg-endpoint" content="mcp"><title>Ä</title>') TO :'page';
CALL test.tenant('app', 'app_admin admin', 'app_without read');
ALTER ROLE app_admin SET kg_graph.explorer_file = :'page';
ALTER ROLE app_without SET kg_graph.explorer_file = '';
CREATE FUNCTION app_ask(method text, params jsonb DEFAULT '{}', extensions jsonb DEFAULT '{"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_mcp(jsonb_build_object('jsonrpc', '2.0', 'id', 1, 'method', method, 'params', params || jsonb_build_object('_meta', jsonb_build_object(
    'io.modelcontextprotocol/protocolVersion', '2026-07-28', 'io.modelcontextprotocol/clientCapabilities', CASE WHEN extensions IS NULL THEN '{}' ELSE jsonb_build_object('extensions', extensions) END)))) $$;
CREATE FUNCTION app_legacy(revision text, app jsonb, method text, params jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_mcp(jsonb_strip_nulls(jsonb_build_object('kg_revision', revision, 'kg_app', app, 'jsonrpc', '2.0', 'id', 1, 'method', method)) || jsonb_build_object('params', params)) #- '{kg_listen}' $$;
-- Everything that the page could be in, of every revision; without an extension, and with some that are not it.
CREATE FUNCTION app_all(extensions jsonb DEFAULT NULL) RETURNS TABLE (answer text) LANGUAGE sql AS $$
  SELECT app_ask(method, params, extensions)::text FROM (VALUES ('tools/list', '{}'::jsonb), ('resources/list', '{}'), ('server/discover', '{}'), ('resources/read', '{"uri": "ui://kg_graph/explorer"}'), ('tools/call', '{"name": "_explorer"}')) m(method, params)
  UNION ALL SELECT app_legacy(revision, app, method, params)::text FROM unnest(ARRAY['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) revision, unnest(ARRAY[NULL, 'false', '"true"', '1']::jsonb[]) app,
    (VALUES ('tools/list', '{}'::jsonb), ('resources/list', '{}'), ('initialize', '{"protocolVersion": "2025-11-25", "capabilities": {}}'), ('resources/read', '{"uri": "ui://kg_graph/explorer"}'), ('tools/call', '{"name": "_explorer"}')) m(method, params) $$;
\c - app_admin
\getenv abs_srcdir PG_ABS_SRCDIR
\set graph :abs_srcdir '/data/graph.sql'
\i :graph
SELECT kg_apply_bundle(pg_temp.graph_bundle(1000, 'eve')) ? 'revision' AS applied;

-- tools: graph and describe tools are shown by the page, one tool is its own
SELECT t ->> 'name' AS tool, t -> '_meta' AS meta FROM jsonb_array_elements(app_ask('tools/list') #> '{result,tools}') WITH ORDINALITY x(t, n) WHERE t ? '_meta' ORDER BY n;
SELECT (SELECT jsonb_agg(t - '_meta' ORDER BY n) FROM jsonb_array_elements(app_ask('tools/list') #> '{result,tools}') WITH ORDINALITY x(t, n) WHERE t ->> 'name' <> '_explorer') = app_ask('tools/list', extensions => NULL) #> '{result,tools}' AS nothing_else;
SELECT r #> '{result,capabilities,extensions}' AS agreed FROM app_ask('server/discover') r;
SELECT r #> '{result,structuredContent,resources,0}' AS resource, (r #> '{result,structuredContent,reads}') ? 'find_nodes' AS reads, (r #> '{result,structuredContent,reads}') ? '_explorer' AS itself,
  (r #>> '{result,content,0,text}')::jsonb = r #> '{result,structuredContent}' AS as_text, r #>> '{result,resultType}' AS type FROM app_ask('tools/call', '{"name": "_explorer", "arguments": {}}') r;
-- of an agent the tools that it has
SELECT kg_create_agent('few', '{"toolsets": ["bfs"], "tools": ["describe_entity"]}') IS NOT NULL AS made;
SET kg_graph.agent = 'few';
SELECT string_agg(t ->> 'name', ' ' ORDER BY n) AS listed, app_ask('tools/call', '{"name": "_explorer"}') #> '{result,structuredContent,reads}' AS reads FROM jsonb_array_elements(app_ask('tools/list') #> '{result,tools}') WITH ORDINALITY x(t, n);
RESET kg_graph.agent;
-- the page
SELECT r - 'uri' FROM jsonb_array_elements(app_ask('resources/list') #> '{result,resources}') r WHERE r ->> 'uri' = 'ui://kg_graph/explorer';
SELECT app_ask('resources/read', '{"uri": "ui://kg_graph/explorer"}') #> '{result,contents}' AS contents;
SELECT app_ask('resources/read', '{"uri": "ui://kg_graph/other"}') -> 'error' AS other;
-- what initialize agreed on is the gateway's to remember
SELECT app_legacy(NULL, NULL, 'initialize', jsonb_build_object('protocolVersion', asked, 'capabilities', '{"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}'::jsonb)) #> '{result,capabilities,extensions}' AS agreed, asked
  FROM unnest(ARRAY['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) asked;
SELECT revision, count(*) FILTER (WHERE t #>> '{_meta,ui,resourceUri}' = 'ui://kg_graph/explorer') AS tools, app_legacy(revision, 'true', 'resources/read', '{"uri": "ui://kg_graph/explorer"}') #>> '{result,contents,0,mimeType}' AS page,
    (app_legacy(revision, 'true', 'tools/call', '{"name": "_explorer"}') #> '{result,structuredContent}') ? 'reads' AS start
  FROM unnest(ARRAY['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) revision, LATERAL jsonb_array_elements(app_legacy(revision, 'true', 'tools/list') #> '{result,tools}') t GROUP BY 1 ORDER BY 1;
-- who did not agree is told nothing of it
SELECT count(*) AS answers, count(*) FILTER (WHERE answer ~ 'ui://kg_graph|"_explorer"|modelcontextprotocol/ui|"extensions"' AND answer !~ '"error"') AS told FROM app_all();
SELECT extensions, count(*) FILTER (WHERE answer NOT IN (SELECT app_all())) AS differ FROM unnest(ARRAY['{}', '[]', '1', '{"io.modelcontextprotocol/ui": {}}', '{"io.modelcontextprotocol/ui": 1}', '{"io.modelcontextprotocol/ui": {"mimeTypes": "text/html;profile=mcp-app"}}',
  '{"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html", {}, null]}}', '{"io.modelcontextprotocol/tasks": {"mimeTypes": ["text/html;profile=mcp-app"]}}']::jsonb[]) extensions, LATERAL app_all(extensions) answer GROUP BY 1 ORDER BY extensions::text COLLATE "C";
SELECT md5(string_agg(answer, E'\n' ORDER BY answer COLLATE "C")) AS before FROM app_all() \gset
\c - app_without
-- where the page is not, agreeing on it changes nothing
SELECT md5(string_agg(answer, E'\n' ORDER BY answer COLLATE "C")) = :'before' AS byte_for_byte FROM app_all();
SELECT count(*) FILTER (WHERE answer NOT IN (SELECT app_all())) AS differ FROM app_all('{"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}') answer;
-- which file it is a superuser says
SET kg_graph.explorer_file = '/etc/passwd';
\c - :owner
-- another file is not told to anybody
ALTER ROLE app_admin SET kg_graph.explorer_file = :'other';
\c - app_admin
SELECT app_ask('resources/read', '{"uri": "ui://kg_graph/explorer"}') -> 'error' AS none, app_ask('server/discover') #> '{result,capabilities}' ? 'extensions' AS told_of;
\c - :owner
-- a path from the folder of the extension's files
SELECT repeat('../', length(regexp_replace(setting, '[^/]', '', 'g')) + 1) || ltrim(:'page', '/') AS beside FROM pg_config WHERE name = 'SHAREDIR' \gset
ALTER ROLE app_admin SET kg_graph.explorer_file = :'beside';
\c - app_admin
SELECT app_ask('resources/read', '{"uri": "ui://kg_graph/explorer"}') -> 'error' AS none, app_ask('server/discover') #> '{result,capabilities}' ? 'extensions' AS beside_the_extension;
\c - :owner
DROP FUNCTION app_all, app_legacy, app_ask;
COPY (SELECT) TO :'page';
CALL test.drop('app');
