-- kg_mcp: the messages of each revision, as a client would see them.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('mcp', 'mcp_reader read', 'mcp_admin admin');
CREATE ROLE mcp_nobody LOGIN;
\c - mcp_admin
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "description": "What the shop sells.", "instructions": "Prices are in euros.",
  "schemas": [
    {"entity_type": "category", "schema": {"type": "object", "title": "Category", "description": "A shelf.", "x-id-field": "code", "x-label-field": "name",
      "properties": {"code": {"type": "string"}, "name": {"type": "string"}}}},
    {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "code", "x-label-field": "name", "x-tool-expose": ["list", "get", "list_ids"],
      "properties": {"code": {"type": "string"}, "name": {"type": "string"}, "tier": {"enum": ["premium", "value"], "x-index": true},
        "founded": {"type": "integer", "x-index": true}, "category": {"type": "string", "x-ref": "category", "x-index": true}}}}],
  "entities": [
    {"entity_type": "category", "items": [{"code": "shoes", "name": "Footwear"}, {"code": "bags", "name": "Bags"}]},
    {"entity_type": "brand", "items": [{"code": "north-aurora", "name": "North Aurora", "tier": "premium", "founded": 1990, "category": "shoes"},
      {"code": "stride", "name": "Stride & Co: 100%", "tier": "value", "founded": 2001, "category": "shoes"}]}]}') ->> 'changed' AS changed;

\c - mcp_reader
-- A request of a legacy revision, and one of 2026-07-28; the answer without what a test cannot know.
CREATE FUNCTION pg_temp.legacy(revision text, method text, params jsonb DEFAULT NULL) RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_mcp(jsonb_strip_nulls(jsonb_build_object('kg_revision', revision, 'jsonrpc', '2.0', 'id', 7, 'method', method)) ||
    CASE WHEN params IS NULL THEN '{}' ELSE jsonb_build_object('params', params) END) #- '{kg_listen,key}' $$;
CREATE FUNCTION pg_temp.modern(method text, params jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_mcp(jsonb_build_object('jsonrpc', '2.0', 'id', 'm', 'method', method, 'params', params ||
    '{"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}')) #- '{kg_listen,key}' $$;
CREATE FUNCTION pg_temp.keys(object jsonb) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(k, ' ' ORDER BY k) FROM jsonb_object_keys(object) k $$;
CREATE TEMP TABLE revision(name text);
INSERT INTO revision VALUES ('2024-11-05'), ('2025-03-26'), ('2025-06-18'), ('2025-11-25');

-- initialize: the version asked for, or the newest of its era
SELECT asked, r #>> '{result,protocolVersion}' AS got, pg_temp.keys(r #> '{result,capabilities}') AS capabilities, pg_temp.keys(r #> '{result,serverInfo}') AS info, r ? 'kg_listen' AS listens
  FROM (SELECT name FROM revision UNION VALUES ('2026-07-28'), ('1999-01-01')) x(asked), LATERAL pg_temp.legacy(NULL, 'initialize', jsonb_build_object('protocolVersion', asked)) r ORDER BY asked;
SELECT pg_temp.legacy(NULL, 'initialize') -> 'error';
SELECT pg_temp.legacy(NULL, 'initialize', '{"protocolVersion": "2025-06-18"}') #>> '{result,instructions}';

-- server/discover
SELECT r #- '{result,instructions}' AS discovered, r #>> '{result,instructions}' = pg_temp.legacy(NULL, 'initialize', '{"protocolVersion": "2025-06-18"}') #>> '{result,instructions}' AS same FROM pg_temp.modern('server/discover') r;

-- methods of the other era
SELECT method, r #> '{error,code}' AS code FROM unnest(ARRAY['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'sampling/createMessage', 'nonsense', '']) method, LATERAL pg_temp.modern(method) r;
SELECT method, r #> '{error,code}' AS code FROM unnest(ARRAY['server/discover', 'subscriptions/listen', 'nonsense']) method, LATERAL pg_temp.legacy('2025-11-25', method) r;
SELECT pg_temp.legacy('2025-06-18', 'ping'), pg_temp.legacy('2025-06-18', 'logging/setLevel', '{"level": "info"}'), pg_temp.legacy('2025-06-18', 'logging/setLevel', '{"level": "loud"}') #> '{error,code}' AS bad_level;
SELECT pg_temp.legacy('2025-06-18', 'resources/subscribe', '{"uri": "kg://bundle/shop"}'), pg_temp.legacy('2025-06-18', 'resources/subscribe') #> '{error,code}';

-- a tool in each revision's shape
SELECT name, pg_temp.keys(tool) AS members, pg_temp.keys(tool -> 'annotations') AS annotations, pg_temp.keys(r -> 'result') AS result
  FROM revision, LATERAL pg_temp.legacy(name, 'tools/list') r, LATERAL (SELECT t FROM jsonb_array_elements(r #> '{result,tools}') t WHERE t ->> 'name' = 'list_brand') x(tool) ORDER BY name;
SELECT pg_temp.keys(tool) AS members, r #- '{result,tools}' AS rest
  FROM pg_temp.modern('tools/list') r, LATERAL (SELECT t FROM jsonb_array_elements(r #> '{result,tools}') t WHERE t ->> 'name' = 'list_brand') x(tool);
SELECT t ->> 'name' FROM jsonb_array_elements(pg_temp.modern('tools/list') #> '{result,tools}') WITH ORDINALITY x(t, n) WHERE t ->> 'name' ~ 'brand|category' ORDER BY n;
-- every tool: a name of the protocol, an object for input and output, truthful annotations
SELECT count(*) FILTER (WHERE t ->> 'name' !~ '^[A-Za-z0-9_.-]{1,128}$' OR t #>> '{inputSchema,type}' IS DISTINCT FROM 'object' OR t #>> '{outputSchema,type}' IS DISTINCT FROM 'object'
    OR t #>> '{annotations,readOnlyHint}' IS DISTINCT FROM 'true' OR coalesce(t ->> 'description', '') = '') AS wrong FROM jsonb_array_elements(pg_temp.modern('tools/list') #> '{result,tools}') t;

-- a call in each revision's shape
SELECT name, r -> 'result' AS result FROM revision, LATERAL pg_temp.legacy(name, 'tools/call', '{"name": "get_brand", "arguments": {"id": "stride"}}') r ORDER BY name;
SELECT pg_temp.modern('tools/call', '{"name": "get_brand", "arguments": {"id": "stride"}}');
SET kg_graph.mcp_text = off;
SELECT name, r #>> '{result,content,0,text}' AS text FROM revision, LATERAL pg_temp.legacy(name, 'tools/call', '{"name": "list_brand_ids"}') r ORDER BY name;
RESET kg_graph.mcp_text;
-- the text is the structured content once more
SELECT (r #>> '{result,content,0,text}')::jsonb = r #> '{result,structuredContent}' AS same FROM pg_temp.modern('tools/call', '{"name": "list_brand", "arguments": {"filters": {"category": "shoes"}, "sort": [{"field": "founded", "order": "desc"}]}}') r;
-- arguments that do not fit: an error of the protocol once, a result since 2025-11-25
SELECT name, r #> '{error,code}' AS code, r #>> '{error,message}' AS message, r #> '{error,data,code}' AS data, r #> '{result,isError}' AS is_error, r #> '{result,structuredContent,error,code}' AS structured
  FROM (SELECT name FROM revision UNION VALUES (NULL)) x, LATERAL pg_temp.legacy(name, 'tools/call', '{"name": "list_brand", "arguments": {"limit": -1}}') r ORDER BY name;
SELECT pg_temp.modern('tools/call', '{"name": "list_brand", "arguments": {"limit": -1}}') #> '{result,isError}' AS is_error;
-- what is no tool, no name, no object
SELECT pg_temp.modern('tools/call', '{"name": "list_brands"}') -> 'error';
SELECT pg_temp.modern('tools/call', '{"arguments": {}}') -> 'error';
SELECT pg_temp.modern('tools/call', '{"name": 7}') -> 'error';
SELECT r #> '{error,code}', r #> '{result,isError}' FROM pg_temp.modern('tools/call', '{"name": "list_brand", "arguments": "{}"}') r;
SELECT r #> '{error,code}', r #> '{result,isError}' FROM pg_temp.modern('tools/call', '{"name": "list_brand", "arguments": null}') r;

-- prompts
SELECT name, pg_temp.keys(p) AS members, pg_temp.keys(r -> 'result') AS result FROM revision, LATERAL pg_temp.legacy(name, 'prompts/list') r, LATERAL (SELECT r #> '{result,prompts,0}') x(p) ORDER BY name;
SELECT pg_temp.keys(pg_temp.modern('prompts/list') -> 'result');
SELECT pg_temp.modern('prompts/get', '{"name": "knowledge_graph", "arguments": {"bundle": "shop"}}') #>> '{result,messages,0,content,text}';
SELECT pg_temp.modern('prompts/get', '{"name": "list_entities", "arguments": {"entity_type": "brand", "field": "tier", "value": "premium"}}') -> 'result';
SELECT r -> 'error' FROM unnest(ARRAY['{"name": "nothing"}', '{}', '{"name": "knowledge_graph", "arguments": {"bundle": "no"}}', '{"name": "list_entities"}',
  '{"name": "list_entities", "arguments": {"entity_type": "no"}}', '{"name": "list_entities", "arguments": {"entity_type": "brand", "field": "no"}}']::jsonb[]) p, LATERAL pg_temp.modern('prompts/get', p) r;

-- resources
SELECT pg_temp.modern('resources/list');
SELECT pg_temp.legacy('2024-11-05', 'resources/list') #> '{result,resources,0}';
SELECT pg_temp.legacy('2024-11-05', 'resources/templates/list') #> '{result,resourceTemplates,2}', pg_temp.keys(pg_temp.modern('resources/templates/list') -> 'result');
SELECT pg_temp.modern('resources/read', '{"uri": "kg://bundle/shop"}');
SELECT (r #>> '{result,contents,0,text}')::jsonb = (SELECT schema FROM kg_entity_type WHERE entity_type = 'brand') AS schema, r #>> '{result,contents,0,mimeType}' AS mime FROM pg_temp.legacy('2025-06-18', 'resources/read', '{"uri": "kg://bundle/shop/schema/brand"}') r;
SELECT uri, r #>> '{result,contents,0,text}' AS text, r -> 'error' AS error FROM unnest(ARRAY['kg://entity/brand:north-aurora', 'kg://entity/brand%3Anorth%2Daurora', 'kg://entity/shop/brand:stride', 'kg://entity/shop%2Fbrand:stride',
  'kg://entity/brand:nothing', 'kg://entity/brand', 'kg://entity/:x', 'kg://entity/%', 'kg://entity/brand:%ff', 'kg://entity/brand:%00', 'kg://bundle/', 'kg://bundle/no', 'kg://bundle/shop/schema/no', 'file:///etc/passwd', '']) uri,
  LATERAL pg_temp.modern('resources/read', jsonb_build_object('uri', uri)) r;
SELECT pg_temp.legacy('2025-11-25', 'resources/read', '{"uri": "kg://bundle/no"}') -> 'error', pg_temp.modern('resources/read', '{}') -> 'error';

-- completion
CREATE FUNCTION pg_temp.complete(ref jsonb, argument text, typed text, context jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT coalesce(r #> '{result,completion}', r -> 'error') FROM pg_temp.modern('completion/complete', jsonb_build_object('ref', ref,
    'argument', jsonb_build_object('name', argument, 'value', typed), 'context', jsonb_build_object('arguments', context))) r $$;
SELECT argument, typed, pg_temp.complete('{"type": "ref/prompt", "name": "list_entities"}', argument, typed, context) FROM (VALUES
  (1, 'entity_type', '', '{}'::jsonb), (2, 'entity_type', 'BR', '{}'), (3, 'field', '', '{"entity_type": "brand"}'), (4, 'field', '', '{}'), (5, 'value', '', '{"entity_type": "brand", "field": "tier"}'),
  (6, 'value', 'p', '{"entity_type": "brand", "field": "tier"}'), (7, 'value', '', '{"entity_type": "brand", "field": "category"}'), (8, 'value', 'foot', '{"entity_type": "brand", "field": "category"}'),
  (9, 'value', '', '{"entity_type": "brand", "field": "no"}'), (10, 'nothing', '', '{}')) t(n, argument, typed, context) ORDER BY n;
SELECT argument, typed, pg_temp.complete('{"type": "ref/resource", "uri": "kg://entity/{handle}"}', argument, typed) FROM (VALUES
  (1, 'handle', ''), (2, 'handle', 'br'), (3, 'handle', 'brand:n'), (4, 'handle', 'brand:str'), (5, 'handle', 'foot'), (6, 'handle', 'shop/brand:s'), (7, 'handle', '%'), (8, 'handle', 'brand:%')) t(n, argument, typed) ORDER BY n;
SELECT pg_temp.complete('{"type": "ref/resource", "uri": "kg://bundle/{bundle}/schema/{entity_type}"}', 'entity_type', '', '{"bundle": "shop"}'), pg_temp.complete('{"type": "ref/prompt", "name": "knowledge_graph"}', 'bundle', 's');
SELECT pg_temp.complete('{"type": "ref/prompt", "name": "no"}', 'x', ''), pg_temp.complete('{"type": "ref/resource", "uri": "no"}', 'x', ''), pg_temp.complete('{"type": "ref/x"}', 'x', ''), pg_temp.complete('7', 'x', '');

-- pages: a cursor of ours, another one, none that is text
SELECT r -> 'error' FROM unnest(ARRAY['"6e6f"', '""', '7', '"zz"']::jsonb[]) c, LATERAL pg_temp.modern('tools/list', jsonb_build_object('cursor', c)) r;
SELECT r #> '{result,tools,0,name}' IS NOT NULL AS more, r #> '{result,cacheScope}' AS scope FROM pg_temp.modern('tools/list', jsonb_build_object('cursor', encode(convert_to('list_brand', 'UTF8'), 'hex'))) r;

-- subscriptions
SELECT pg_temp.modern('subscriptions/listen', '{"notifications": {"toolsListChanged": true, "promptsListChanged": false, "resourceSubscriptions": ["kg://bundle/shop"], "unknown": true}}');
SELECT pg_temp.modern('subscriptions/listen') -> 'error';

-- the envelope of 2026-07-28
CREATE FUNCTION pg_temp.meta(meta jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT r -> 'error' FROM kg_mcp(jsonb_build_object('jsonrpc', '2.0', 'id', 1, 'method', 'server/discover', 'params', jsonb_build_object('_meta', meta))) r $$;
SELECT pg_temp.meta('{"io.modelcontextprotocol/protocolVersion": "2026-07-28"}');
SELECT pg_temp.meta('{"io.modelcontextprotocol/clientCapabilities": {}}');
SELECT pg_temp.meta('{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": []}');
SELECT pg_temp.meta('{"io.modelcontextprotocol/protocolVersion": "2025-11-25", "io.modelcontextprotocol/clientCapabilities": {}}');
SELECT pg_temp.meta('{"io.modelcontextprotocol/protocolVersion": 7, "io.modelcontextprotocol/clientCapabilities": {}}');
-- no claim in _meta is a legacy request, unless the gateway knows better
SELECT pg_temp.meta('{"progressToken": 1}');
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": {"progressToken": 1}}}');
SELECT kg_mcp('{"kg_revision": "2026-07-28", "jsonrpc": "2.0", "id": 1, "method": "server/discover"}') -> 'error';
SELECT kg_mcp('{"kg_revision": "2020-01-01", "jsonrpc": "2.0", "id": 1, "method": "ping"}') -> 'error';

-- the form of a message
SELECT m, kg_mcp(m) FROM unnest(ARRAY['{}', '7', '"x"', 'null', 'true', '[]', '[7]', '{"jsonrpc": "1.0", "id": 1, "method": "ping"}', '{"jsonrpc": "2.0", "method": "ping", "id": null}',
  '{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', '{"jsonrpc": "2.0", "id": {}, "method": "ping"}', '{"jsonrpc": "2.0", "id": 1}', '{"jsonrpc": "2.0", "id": 1, "method": 7}',
  '{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', '{"jsonrpc": "2.0", "id": "a\"b", "method": "ping"}', '{"jsonrpc": "2.0", "id": -9007199254740993, "method": "ping"}', '{"jsonrpc": "2.0", "id": "", "method": "ping"}']::jsonb[]) m;
-- nothing to say
SELECT m, kg_mcp(m) IS NULL AS silent FROM unnest(ARRAY['{"jsonrpc": "2.0", "method": "notifications/initialized"}', '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}',
  '{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "nothing"}}', '{"jsonrpc": "2.0", "id": 1, "result": {}}', '{"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}}', '[{"jsonrpc": "2.0", "method": "notifications/x"}]', NULL]::jsonb[]) m;
-- batches: of 2025-03-26 only
SELECT kg_mcp('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "method": "x"}, {"jsonrpc": "2.0", "id": 2, "method": "nothing"}, 7]');
SELECT kg_mcp('[{"kg_revision": "2025-03-26", "jsonrpc": "2.0", "id": 1, "method": "ping"}]'), kg_mcp('[{"kg_revision": "2025-06-18", "jsonrpc": "2.0", "id": 1, "method": "ping"}]') #> '{error,code}' AS later,
       kg_mcp('[{"jsonrpc": "2.0", "id": 1, "method": "initialize"}]') #> '{error,code}' AS initialize, kg_mcp('[{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}}]') #> '{error,code}' AS modern;
-- one clock, one budget of bytes and one count for the whole batch, each named
CREATE FUNCTION pg_temp.batch(method text, n int) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_agg(jsonb_build_object('jsonrpc', '2.0', 'id', i, 'method', method) ORDER BY i) FROM generate_series(1, n) i $$;
SELECT jsonb_array_length(kg_mcp(pg_temp.batch('ping', 100))) AS most, kg_mcp(pg_temp.batch('ping', 101)) -> 'error' AS more;
\c - :owner
SET kg_graph.max_batch_bytes = '100kB'; SET kg_graph.max_batch_messages = 3000; SET ROLE mcp_reader;
CREATE FUNCTION pg_temp.batch(method text, n int) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_agg(jsonb_build_object('jsonrpc', '2.0', 'id', i, 'method', method) ORDER BY i) FROM generate_series(1, n) i $$;
SELECT count(*), count(r -> 'result') BETWEEN 1 AND 2999 AS some, min((r ->> 'id')::int) FILTER (WHERE r ? 'error') = 1 + max((r ->> 'id')::int) FILTER (WHERE r ? 'result') AS the_rest,
       max(r #>> '{error,message}') AS message, max(r #>> '{error,data,setting}') AS setting, sum(length(r::text)) < 1000000 AS bounded
  FROM jsonb_array_elements(kg_mcp(pg_temp.batch('tools/list', 3000))) r;
RESET ROLE; RESET kg_graph.max_batch_bytes; SET kg_graph.max_call_time = 1; SET kg_graph.max_batch_messages = 100000; SET ROLE mcp_reader;
-- a call of a tool never ends a batch with an error of SQL, whenever its time ends
SELECT count(*), count(r #> '{error,data,setting}') > 0 AS late, max(r #>> '{error,data,setting}') AS setting FROM jsonb_array_elements(kg_mcp(pg_temp.batch('tools/call', 20000))) r;
RESET ROLE;
\c - mcp_reader

-- Contained: what runs inside can change neither role nor settings, and writes nothing.
\c - :owner
CREATE TABLE mcp_probe(what text);
GRANT ALL ON mcp_probe TO PUBLIC;
CREATE FUNCTION mcp_probe(statement text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  BEGIN
    EXECUTE statement;
    RAISE WARNING 'not refused: %', statement;
  EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE '%: % %', statement, SQLSTATE, SQLERRM;
  END;
  RETURN true;
END $$;
CREATE FUNCTION mcp_probes() RETURNS boolean LANGUAGE sql SET search_path = public VOLATILE AS $$
  SELECT mcp_probe('SET ROLE mcp_nobody') AND mcp_probe('RESET ROLE') AND mcp_probe('SET SESSION AUTHORIZATION mcp_nobody') AND mcp_probe('SELECT set_config(''role'', ''mcp_nobody'', false)')
     AND mcp_probe('INSERT INTO mcp_probe VALUES (''x'')') AND mcp_probe('CREATE TEMP TABLE t(x int)') AND mcp_probe('SET TRANSACTION READ WRITE') AND mcp_probe('LISTEN x')
     AND mcp_probe('PREPARE p AS SELECT 1') AND mcp_probe('COMMIT') AND mcp_probe('SELECT kg_login(''x'')') $$;
CREATE POLICY mcp_probe ON kg_entity AS RESTRICTIVE FOR SELECT TO mcp_reader USING (entity_id <> 'bags' OR (mcp_probes() AND set_config('kg_graph.tenant', 'other', false) <> ''));
GRANT EXECUTE ON FUNCTION kg_login(text, boolean) TO mcp_reader;
\c - mcp_reader
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_category", "arguments": {"ids": ["bags"]}}}') #> '{result,isError}' AS is_error;
SHOW kg_graph.tenant;
SHOW transaction_read_only;
BEGIN; SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}'); INSERT INTO mcp_probe VALUES ('after the call, writing goes on'); SELECT * FROM mcp_probe; ROLLBACK;
\c - :owner
DROP POLICY mcp_probe ON kg_entity;
-- A tool that fails with an SQL error is a result; the transaction goes on.
CREATE POLICY mcp_probe ON kg_entity AS RESTRICTIVE FOR SELECT TO mcp_reader USING (1 / length(replace(entity_id, 'bags', '')) >= 0);
\c - mcp_reader
BEGIN;
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_category", "arguments": {"id": "bags"}}}') -> 'result';
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}'), (SELECT count(*) FROM kg_bundle);
COMMIT;
\c - :owner
DROP POLICY mcp_probe ON kg_entity;
DROP FUNCTION mcp_probes;
DROP FUNCTION mcp_probe;
DROP TABLE mcp_probe;

-- Nobody gets no answer; the routing key is only a routing key.
\c - mcp_nobody
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}');
SELECT kg_mcp('{}');
\c - mcp_reader
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', NULL, 'mcp'), kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', tenant => NULL);
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', NULL, 'other');
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', '');

\c - :owner
REVOKE EXECUTE ON FUNCTION kg_login(text, boolean) FROM mcp_reader;
CALL test.drop('mcp');
DROP ROLE mcp_nobody;
