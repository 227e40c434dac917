-- The forms of published schemas: for clients that check arguments themselves, for vendors, and replies without big numbers.
\i test/data/prelude.sql
CALL test.tenant('forms', 'forms_admin admin');
SET ROLE forms_admin;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
  {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-tool-expose": ["list", "get", "create", "update", "delete"], "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "tier": {"enum": ["a", "b"], "x-index": true},
    "made": {"type": "string", "format": "date", "x-index": true}, "cells": {"type": "integer", "x-index": true}, "grade": {"enum": [1, 2]}, "more": {"type": "object"}, "size": {"type": "object", "properties": {"w": {"type": "number", "minimum": 0}}}}}}],
  "relations": [{"name": "NEAR", "from": "brand", "to": "brand", "tools": ["link", "unlink"]}],
  "entities": [{"entity_type": "brand", "items": [{"id": "x", "name": "Xeno", "tier": "a", "cells": 9007199254740993}, {"id": "y", "tier": "b", "cells": 9007199254740991}]}]}') -> 'changed' AS changed;
SELECT kg_register_tool('{"name": "of_tier", "version": "1.0.0", "kind": "query", "description": "Brands of a tier.", "input_schema": {"required": ["tier"], "properties": {"tier": {"enum": ["a", "b"]}, "limit": {"type": "integer", "default": 5}}},
  "operation": {"tool": "list_brand", "arguments": {"filters": {"tier": {"$arg": "tier"}}, "limit": {"$arg": "limit"}}}}') ->> 'verdict' AS verdict;
SELECT kg_register_tool('{"name": "all_cells", "version": "1.0.0", "kind": "query", "description": "All brands.", "input_schema": {"properties": {}}, "output_schema": {"type": "object", "properties": {"items": {"items": {"properties": {"data": {"properties": {"cells": {"type": ["integer", "null"]}}}}}}}},
  "operation": {"tool": "list_brand", "arguments": {}}}') ->> 'verdict' AS verdict;
SELECT kg_register_tool('{"name": "by_cells", "version": "1.0.0", "kind": "query", "description": "Brands by cells.", "input_schema": {"properties": {"by": {"type": "object", "additionalProperties": false, "required": ["cells"], "properties": {"cells": {"type": "object"}}}}},
  "operation": {"tool": "list_brand", "arguments": {"filters": {"$arg": "by"}}}}') ->> 'verdict' AS verdict;
-- Every schema in a list of tools, with where it is.
CREATE FUNCTION pg_temp.schemas(tools jsonb) RETURNS TABLE (tool text, at text, root boolean, schema jsonb) LANGUAGE sql AS $$
  WITH RECURSIVE node(tool, at, root, schema) AS (
    SELECT t ->> 'name', '', true, t -> 'inputSchema' FROM jsonb_array_elements(tools) t
    UNION ALL
    SELECT tool, node.at || '/' || x.at, false, value FROM node, LATERAL (
      SELECT key AS at, value FROM jsonb_each(coalesce(schema -> 'properties', '{}')) UNION ALL SELECT '[]', schema -> 'items' WHERE schema ? 'items'
      UNION ALL SELECT 'anyOf', value FROM jsonb_array_elements(coalesce(schema -> 'anyOf', '[]')) UNION ALL SELECT 'oneOf', value FROM jsonb_array_elements(coalesce(schema -> 'oneOf', '[]'))) x)
  SELECT * FROM node $$;
SET kg_graph.toolsets = 'catalog, graph, bfs, compact, sql, write, tools';
-- what vendors take: keywords, types, closed objects
CREATE FUNCTION pg_temp.faults(profile text) RETURNS TABLE (tool text, at text, fault text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('kg_graph.schema_profile', profile, true);
  RETURN QUERY SELECT s.tool, s.at, f.fault FROM pg_temp.schemas(kg_list_tools()) s, LATERAL (
    SELECT 'keyword ' || k FROM jsonb_object_keys(schema) k WHERE NOT k = ANY (ARRAY['type', 'description', 'properties', 'required', 'items', 'anyOf', 'enum']
      || CASE profile WHEN 'gemini' THEN ARRAY['minimum', 'maximum', 'minItems', 'maxItems', 'minLength', 'maxLength', 'pattern']
                      WHEN 'openai-strict' THEN ARRAY['additionalProperties', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems', 'pattern', 'format', 'const']
                      ELSE ARRAY['additionalProperties', 'default', 'format', 'const'] END)
    UNION ALL SELECT 'neither type nor anyOf' WHERE NOT schema ? 'type' AND NOT schema ? 'anyOf'
    UNION ALL SELECT 'union of types' WHERE profile = 'gemini' AND jsonb_typeof(schema -> 'type') = 'array'
    UNION ALL SELECT 'enum' WHERE profile = 'gemini' AND schema ? 'enum' AND schema ->> 'type' IS DISTINCT FROM 'string'
    UNION ALL SELECT 'value of another type' WHERE NOT schema -> 'type' ?| ARRAY['integer', 'number'] AND jsonb_path_exists(schema, '$.enum[*] ? (@.type() == "number")') OR schema ->> 'description' ~ '^.one of .\d' AND schema -> 'type' ? 'string'
    UNION ALL SELECT 'array without items' WHERE schema -> 'type' ? 'array' AND NOT schema ? 'items'
    UNION ALL SELECT 'open object' WHERE schema -> 'type' ? 'object' AND NOT root AND coalesce(schema -> 'properties', '{}') = '{}'
    UNION ALL SELECT 'not closed' WHERE schema -> 'type' ? 'object' AND profile <> 'gemini' AND schema -> 'additionalProperties' IS DISTINCT FROM 'false'
    UNION ALL SELECT 'not all required' WHERE schema -> 'type' ? 'object' AND profile = 'openai-strict' AND (SELECT count(*) FROM jsonb_object_keys(schema -> 'properties')) <> jsonb_array_length(schema -> 'required')) f(fault);
END $$;
SELECT p AS profile, f.* FROM unnest(ARRAY['gemini', 'openai-strict', 'anthropic']) p, pg_temp.faults(p) f;
SELECT count(*) > 0 AS the_default_has_faults FROM pg_temp.faults('default');
-- nothing is lost: each argument is there, and each keyword in its place or in words
CREATE TEMP TABLE plain AS SELECT t ->> 'name' AS tool, a.key AS argument, a.value AS schema FROM jsonb_array_elements(kg_list_tools()) t, jsonb_each(t #> '{inputSchema,properties}') a;
CREATE FUNCTION pg_temp.lost(profile text, lax text) RETURNS TABLE (tool text, argument text, keyword text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('kg_graph.schema_profile', profile, true), set_config('kg_graph.schema_lax', lax, true);
  RETURN QUERY SELECT p.tool, p.argument, k.key FROM plain p LEFT JOIN (SELECT t ->> 'name' AS tool, a.key AS argument, a.value AS schema FROM jsonb_array_elements(kg_list_tools()) t, jsonb_each(t #> '{inputSchema,properties}') a) f USING (tool, argument),
    LATERAL jsonb_each(p.schema) k WHERE f.schema IS NULL OR (k.key NOT IN ('type', 'additionalProperties', 'items', 'properties', 'required', 'anyOf') AND NOT f.schema ? k.key AND position(k.key IN f.schema ->> 'description') = 0 AND NOT (k.key = 'enum' AND f.schema ->> 'description' LIKE '%one of%'));
END $$;
SELECT l.*, p AS profile FROM unnest(ARRAY['gemini', 'openai-strict', 'anthropic']) p, pg_temp.lost(p, 'off') l;
SELECT l.* FROM pg_temp.lost('default', 'on') l;
-- the lax form refuses nothing, and says what is required
SET kg_graph.schema_lax = 'on';
SELECT count(*) AS tools, count(*) FILTER (WHERE t -> 'inputSchema' ?| ARRAY['required', 'additionalProperties']) AS strict, count(*) FILTER (WHERE EXISTS (SELECT FROM jsonb_each(t #> '{inputSchema,properties}') a WHERE (SELECT array_agg(k) FROM jsonb_object_keys(a.value) k) <> ARRAY['description'])) AS asserts
  FROM jsonb_array_elements(kg_list_tools()) t;
SELECT t #>> '{inputSchema,properties,node_label,description}' AS label, t #>> '{inputSchema,properties,limit,description}' AS "limit" FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'find_nodes';
-- and the database is as strict as before
SELECT e ->> 'path' AS path, e ->> 'did_you_mean' AS did_you_mean, e #>> '{call,arguments}' AS call FROM kg_call_tool('find_nodes', '{"node_label": "brnd", "limit": 3}') r, LATERAL (SELECT r #> '{structuredContent,error}') x(e);
RESET kg_graph.schema_lax;
-- by the client's name: with initialize, which the gateway repeats, or with each request
CREATE FUNCTION pg_temp.ask(method text, params jsonb DEFAULT '{}', more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$ SELECT kg_mcp(jsonb_build_object('jsonrpc', '2.0', 'id', 1, 'method', method, 'params', params) || more) -> 'result' $$;
SELECT name, pg_temp.ask('initialize', jsonb_build_object('protocolVersion', '2025-06-18', 'capabilities', '{}'::jsonb, 'clientInfo', jsonb_build_object('name', name, 'version', '1'))) #> '{capabilities,experimental}' AS agreed,
       pg_temp.ask('tools/list', '{"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}'::jsonb || jsonb_build_object('_meta', jsonb_build_object('io.modelcontextprotocol/protocolVersion', '2026-07-28', 'io.modelcontextprotocol/clientCapabilities', '{}'::jsonb, 'io.modelcontextprotocol/clientInfo', jsonb_build_object('name', name, 'version', '1')))) #> '{tools,0,inputSchema}' ? 'additionalProperties' AS strict
  FROM unnest(ARRAY['@langchain/mcp-adapters', 'claude-ai']) name;
SELECT more, pg_temp.ask('tools/list', '{}', more) #> '{tools,0,inputSchema}' ? 'additionalProperties' AS strict FROM (VALUES ('{}'::jsonb), ('{"kg_lax": true}'), ('{"kg_lax": "yes"}'), ('{"kg_lax": false}')) x(more);
SET kg_graph.schema_lax = 'off';
SELECT pg_temp.ask('tools/list', '{}', '{"kg_lax": true}') #> '{tools,0,inputSchema}' ? 'additionalProperties' AS strict;
RESET kg_graph.schema_lax;
-- the schemas of a profile are what is taken: null for an absent argument, JSON text for an open one, and nothing is repaired
SET kg_graph.schema_profile = 'openai-strict';
-- only the object in place of a handle is JSON text, not the handle
SELECT jsonb_array_elements(t #> '{inputSchema,properties,from,anyOf}') AS "from" FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'follow';
CREATE FUNCTION pg_temp.nulls(tool text, given jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT (SELECT jsonb_object_agg(key, 'null'::jsonb) FROM jsonb_object_keys(t #> '{inputSchema,properties}') key) || given FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = tool $$;
SELECT tool, kg_validate(pg_temp.nulls(tool, given), (SELECT t -> 'inputSchema' FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = tool)) AS fits, r ->> 'isError' AS error, r -> 'structuredContent' ? 'repaired' AS repaired, left(coalesce(r #>> '{structuredContent,error,message}', (r -> 'structuredContent')::text), 200) AS reply
  FROM (VALUES ('find_nodes', '{"node_label": "brand", "filters": "{\"tier\": \"a\"}", "sort": "[{\"field\": \"id\"}]", "columns": ["tier"]}'::jsonb), ('list_brand', '{"filters": "{\"tier\": \"b\"}", "fields": ["tier"]}'), ('get_brand', '{"id": "x", "fields": ["name"]}'),
    ('traverse_relationships', '{"from": "{\"label\": \"brand\", \"ids\": [\"x\"]}", "relationships": "[{\"type\": \"NEAR\"}]"}'), ('aggregate_nodes', '{"node": "{\"label\": \"brand\"}", "aggregations": "[{\"fn\": \"count\"}]", "group_by": "[{\"property\": \"tier\"}]"}'),
    ('explore_neighbors', '{"start_node": {"label": "brand", "node_id": "x"}}'), ('find_paths', '{"from": "{\"label\": \"brand\", \"ids\": [\"x\"]}", "to": "{\"label\": \"brand\", \"ids\": [\"y\"]}"}'), ('rank_related', '{"seeds": "[\"brand:x\"]"}'),
    ('find', '{"type": "brand", "filters": "{\"tier\": \"a\"}", "fields": ["tier"]}'), ('find', '{"type": "brand", "ids": ["x"]}'), ('follow', '{"from": "brand:x", "steps": "[{\"type\": \"NEAR\"}]"}'), ('follow', '{"from": "{\"label\": \"brand\", \"filters\": {\"tier\": \"a\"}}", "steps": "[{\"type\": \"NEAR\"}]"}'),
    ('count', '{"node": "{\"label\": \"brand\"}", "group_by": "[{\"property\": \"tier\"}]"}'), ('verify', '{"claims": "[{\"entity\": \"brand:x\"}]"}'), ('connect', '{"from": "[\"brand:x\"]", "to": "brand:y"}'), ('around', '{"handle": "brand:x"}'),
    ('create_brand', '{"items": "[{\"id\": \"z\", \"tier\": \"a\"}]"}'), ('update_brand', '{"items": "[{\"id\": \"z\", \"set\": {\"tier\": \"b\"}}]"}'), ('link_NEAR', '{"items": "[{\"from\": \"brand:x\", \"to\": \"brand:z\"}]"}'), ('delete_brand', '{"ids": "[\"z\"]"}'), ('create', '{"type": "brand", "items": "[{\"id\": \"v\"}]"}'), ('delete', '{"type": "brand", "ids": "[\"v\"]"}'),
    ('of_tier', '{"tier": "a"}'), ('by_cells', '{"by": {"cells": "{\"gte\": 9007199254740992}"}}'), ('search_entities', '{"query": "xeno"}'), ('describe_entities', '{"ids": ["brand:x"]}'), ('query', '{"sql": "SELECT count(*) FROM brand"}')) c(tool, given), LATERAL kg_call_tool(tool, pg_temp.nulls(tool, given)) r;
RESET kg_graph.schema_profile;
-- numbers that a double has not
SET kg_graph.toolsets = 'all';
SELECT kg_call_tool('list_brand', '{"fields": ["cells"], "sort": [{"field": "id"}]}') #> '{structuredContent,items}' AS numbers;
SET kg_graph.big_numbers = 'text';
SELECT kg_call_tool('list_brand', '{"fields": ["cells"], "sort": [{"field": "id"}]}') #> '{structuredContent,items}' AS texts, kg_call_tool('aggregate_nodes', '{"node": {"label": "brand"}, "aggregations": [{"fn": "sum", "property": "cells"}]}') #> '{structuredContent,rows}' AS sums;
SELECT kg_call_tool('list_brand', '{"filters": {"cells": "9007199254740993"}, "fields": ["id"]}') #> '{structuredContent,total}' AS found_by_text;
-- "next" and the call of an error have them as text, too, and a client sends them so
SELECT kg_call_tool('list_brand', kg_call_tool('list_brand', '{"filters": {"cells": {"gte": 1, "lte": 9007199254740993}}, "fields": ["id"], "limit": 1}') #> '{structuredContent,next}') -> 'isError' AS next_page;
SELECT kg_call_tool('list_brand', '{"filters": {"cells": 9007199254740993}, "fields": ["id"], "limits": 1}') #> '{structuredContent,error,call,arguments}' AS corrected;
-- a write would store the text, so it has no call
SELECT cells, kg_call_tool('create_brand', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('id', 'w', 'tier', 'A', 'cells', cells)))) #> '{structuredContent,error,call,arguments,items}' AS corrected FROM unnest(ARRAY['9007199254740991', '9007199254740995', '"9007199254740995"']::jsonb[]) cells;
SELECT t ->> 'name' AS tool FROM jsonb_array_elements(kg_list_tools()) t, kg_call_tool(t ->> 'name', CASE t ->> 'name' WHEN 'get_brand' THEN '{"id": "x"}'::jsonb ELSE '{}' END) r WHERE t ->> 'name' IN ('list_brand', 'get_brand', 'all_cells') AND NOT kg_validate(r -> 'structuredContent', t -> 'outputSchema');
RESET kg_graph.big_numbers;
SELECT test.fails('SET kg_graph.schema_profile = ''openai''');
RESET ROLE;
CALL test.drop('forms');
