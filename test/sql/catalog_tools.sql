-- Generated tools: names, collisions, listing, calling; as roles of two tenants.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('tool_a', 'tool_writer write');
CALL test.tenant('tool_b', 'tool_other write');
CREATE ROLE tool_nobody LOGIN;

\c - tool_writer
CREATE FUNCTION pg_temp.apply(name text, VARIADIC types text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; message text;
BEGIN
  -- a type is "name", or "name:tool tool"
  RETURN kg_apply_bundle(jsonb_build_object('bundle_name', name, 'version', '1', 'entities', '[]'::jsonb, 'schemas', (SELECT jsonb_agg(jsonb_build_object('entity_type', split_part(t, ':', 1), 'schema', '{"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}'::jsonb ||
    CASE WHEN t LIKE '%:%' THEN jsonb_build_object('x-tool-expose', to_jsonb(string_to_array(split_part(t, ':', 2), ' '))) ELSE '{}' END)) FROM unnest(types) t))) ->> 'changed';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, message = MESSAGE_TEXT;
  RETURN SQLSTATE || ' ' || message || ' ' || coalesce((detail::jsonb #- '{errors}' #- '{message}')::text, '');
END $$;
CREATE FUNCTION pg_temp.tools() RETURNS text LANGUAGE sql AS $$ SELECT string_agg(t ->> 'name', ' ' ORDER BY n) FROM jsonb_array_elements(kg_list_tools()) WITH ORDINALITY x(t, n) WHERE t ->> 'name' ~ '^(get|list)_' AND t ->> 'name' <> 'get_graph_schema' $$;
-- which tools a type has is its choice
SELECT pg_temp.apply('one', 'brand', 'hidden:', 'ids:list_ids', 'both:get list_ids list', 'only:get');
SELECT pg_temp.tools();
-- a name that another bundle has taken, or two of one bundle
SELECT pg_temp.apply('two', 'brand');
SELECT pg_temp.apply('two', 'store', 'brand:');
SELECT pg_temp.apply('three', 'foo:list_ids', 'foo_ids:list');
SELECT pg_temp.apply('three', 'both_ids:list');
SELECT pg_temp.tools();
-- 64 characters and no more
SELECT pg_temp.apply('four', repeat('t', 59) || ':list', repeat('u', 60) || ':get', repeat('v', 55) || ':list_ids');
SELECT pg_temp.apply('five', repeat('w', 60) || ':list');
SELECT pg_temp.apply('five', repeat('w', 61) || ':get');
SELECT pg_temp.apply('five', repeat('w', 56) || ':list_ids');
SELECT max(length(tool)) AS longest FROM kg_tool;
SELECT kg_call_tool('list_' || repeat('t', 59), '{}') #>> '{structuredContent,total}' AS total;
-- a type that goes takes its tools with it
SELECT kg_drop_bundle('four') -> 'changed' IS NOT NULL AS dropped;
SELECT pg_temp.apply('one', 'brand:get', 'ids:list_ids');
SELECT pg_temp.tools();
-- the other tenant has the same names
\c - tool_other
SELECT kg_apply_bundle('{"bundle_name": "one", "version": "1", "schemas": [{"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "title": "Brand", "description": "Who makes it.", "x-tool-description": "Makers, by name.", "x-tool-expose": ["list", "get", "list_ids"], "x-summary-fields": ["name"],
  "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true, "description": "Display name."}, "tier": {"enum": ["high", "low"], "x-index": true}, "size": {"type": ["integer", "null"], "x-index": true}, "tags": {"type": "array", "items": {"type": "string"}, "x-index": true},
    "parent": {"type": "string", "x-ref": "brand", "x-index": true}, "text": {"type": "string"}, "o": {"type": "object", "properties": {"since": {"type": "string", "format": "date", "x-index": true}}}}}}],
  "entities": [{"entity_type": "brand", "items": [{"id": "b", "name": "B", "tier": "high"}]}]}') ->> 'changed' AS changed;
SELECT t ->> 'name' AS name, t ->> 'title' AS title, t ->> 'description' AS description, t -> 'annotations' AS annotations FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' ~ 'brand';
-- the schemas name every field, operator, value, bound and default
SELECT jsonb_pretty(t -> 'inputSchema') AS list_brand FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'list_brand';
SELECT t -> 'inputSchema' AS get_brand FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'get_brand';
SELECT kg_list_tools()::text = kg_list_tools()::text AS same, md5(kg_list_tools()::text) AS before \gset
\c - tool_other
SELECT md5(kg_list_tools()::text) = :'before' AS same_in_another_session, :'same'::boolean AS same;
-- every schema is one, and none is refused
SELECT count(*) FILTER (WHERE NOT kg_schema_check(t -> 'inputSchema') IS NULL AND kg_schema_check(t -> 'inputSchema')::text NOT IN ('[]', 'true')) AS bad FROM jsonb_array_elements(kg_list_tools()) t;

-- a call answers an MCP tool result, errors included
SELECT kg_call_tool('list_brand', '{"fields": ["name"]}');
SELECT kg_call_tool('get_brand', '{"id": "x"}');
SELECT kg_call_tool('list_brand', '{"limit": -1}');
SELECT kg_call_tool('list_bran', '{}') - 'content' #- '{structuredContent,error,allowed}';
SELECT kg_call_tool('', '{}') #> '{structuredContent,error,code}' AS empty, kg_call_tool('list_brand', '[]') #> '{structuredContent,error,code}' AS array, kg_call_tool('list_brand', '"x"') #> '{structuredContent,error,code}' AS string, kg_call_tool('list_brand', 'null') #> '{structuredContent,error,code}' AS "null";
\set VERBOSITY terse
SELECT kg_call_tool(NULL, '{}');
\set VERBOSITY default
SELECT kg_call_tool('list_hidden', '{}') #> '{structuredContent,error,code}' AS of_the_other_tenant, kg_call_tool('list_brand; DROP TABLE kg_tool', '{}') #> '{structuredContent,error,code}' AS attack, kg_call_tool(repeat('x', 100000), '{}') #> '{structuredContent,error,code}' AS long;
-- an error inside is undone and the transaction goes on
BEGIN;
SELECT kg_call_tool('list_brand', '{"limit": -1}') -> 'isError' AS error;
SELECT kg_call_tool('list_brand', '{}') -> 'isError' AS error;
COMMIT;
-- who has no tenant gets NO_TENANT from every function
\c - tool_nobody
SELECT kg_call_tool('list_brand', '{}') -> 'structuredContent' AS answer;
SELECT kg_list_tools();
SELECT kg_list('brand');
SELECT kg_list_ids('brand');
SELECT kg_get('brand', 'b');
SELECT kg_get('brand', ARRAY['b']);

\c - :owner
DROP OWNED BY tool_nobody;
CALL test.drop('tool_a', 'tool_b');
DROP ROLE tool_nobody;
