-- The text of a result in rows (kg_graph.mcp_text = rows), as an ordinary role:
-- values that are written once, values that are omitted, and values that stay
-- unchanged.
\i test/data/prelude.sql
CALL test.tenant('mcp_rows', 'mcp_rows admin');
-- the text, where the structured content is what it is without rows
CREATE FUNCTION mcp_rows_text(tool text, arguments jsonb, OUT told text) LANGUAGE plpgsql AS $$
DECLARE
  on_text jsonb; in_rows jsonb;
BEGIN
  SET LOCAL kg_graph.mcp_text = on; on_text := kg_call_tool(tool, arguments);
  SET LOCAL kg_graph.mcp_text = rows; in_rows := kg_call_tool(tool, arguments);
  told := in_rows #>> '{content,0,text}';
  IF on_text - 'content' <> in_rows - 'content' OR (on_text #>> '{content,0,text}')::jsonb <> on_text -> 'structuredContent' THEN told := 'other content: ' || told; END IF;
  PERFORM told::jsonb;
END $$;
CREATE FUNCTION public.mcp_rows_own(args jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT '{"total": 1, "returned": 1, "limit": 5000, "truncated": false, "none": [], "from": {"type": "a", "id": "b"}, "goods": [{"a": 1, "data": {"a": null}}, {"a": 1}]}'::jsonb $$;
SELECT kg_grant('mcp_rows', CURRENT_USER::text, 'admin');
SET kg_graph.tenant = 'mcp_rows';
SELECT kg_register_tool('{"name": "own", "version": "1.0.0", "kind": "function", "description": "A function.", "operation": "public.mcp_rows_own(jsonb)", "input_schema": {"type": "object"}}') ->> 'verdict';
\c - mcp_rows
\pset format unaligned
\pset tuples_only on
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'rows', 'version', '1', 'schemas', jsonb_build_array(
  '{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "key", "x-label-field": "name", "properties": {"key": {"type": "string"}, "name": {"type": "string", "x-index": true}, "size": {"type": ["integer", "null"], "x-index": true}, "from": {"type": "object"}, "type": {"type": "string"}, "id": {"type": "string"}, "note": {"type": "string", "x-untrusted": true}}}}'::jsonb,
  '{"entity_type": "plain", "schema": {"type": "object", "x-id-field": "key", "properties": {"key": {"type": "string"}}}}'::jsonb,
  jsonb_build_object('entity_type', 'wide', 'schema', jsonb_build_object('type', 'object', 'x-id-field', 'key', 'properties', (SELECT jsonb_object_agg('p' || n, '{"type": "integer"}'::jsonb) || '{"key": {"type": "string"}}' FROM generate_series(1, 80) n)))),
  'relations', '[{"name": "NEXT", "from": "thing", "to": "thing", "schema": {"type": "object", "properties": {"cost": {"type": "integer"}}}}]'::jsonb,
  'entities', jsonb_build_array('{"entity_type": "thing", "items": [{"key": "a", "name": "Ä \"quoted\"", "size": 1, "from": {"type": "thing", "id": "b"}, "type": "t"}, {"key": "b", "name": "Bee", "size": null, "type": "t", "id": "x"}, {"key": "c", "name": "Cee", "size": 3, "type": "t", "note": "said"}]}'::jsonb, '{"entity_type": "plain", "items": [{"key": "p"}]}'::jsonb,
    jsonb_build_object('entity_type', 'wide', 'items', (SELECT jsonb_agg(jsonb_build_object('key', 'w' || m) || (SELECT jsonb_object_agg('p' || n, n) FROM generate_series(m * 40 - 39, m * 40) n)) FROM generate_series(1, 2) m))),
  'edges', '[{"relation": "NEXT", "from": "thing:a", "to": "thing:b", "properties": {"cost": 2}}, {"relation": "NEXT", "from": "thing:b", "to": "thing:c"}]'::jsonb)) ? 'revision';
-- names once, then values; null for what is null or not there; two of a name; what all have
SELECT mcp_rows_text('list_thing', '{}');
SELECT mcp_rows_text('list_thing', '{"fields": ["name", "size"]}');
SELECT mcp_rows_text('find_nodes', '{"node_label": "thing"}');
-- one, which is all; none; numbers alone; a property that is the id
SELECT mcp_rows_text('list_thing', '{"filters": {"name": "Bee"}, "fields": ["size"]}');
SELECT mcp_rows_text('list_thing', '{"filters": {"name": "Bea"}}');
SELECT mcp_rows_text('list_thing', '{"limit": 0}');
SELECT mcp_rows_text('list_plain', '{}');
SELECT mcp_rows_text('get_thing', '{"ids": ["a", "nobody"]}');
SELECT mcp_rows_text('get_thing', '{"id": "nobody"}');
-- what is cut says so; next has what is not as it was sent, or all where that had offset
SELECT regexp_replace(mcp_rows_text('list_thing', a), '"cursor":"[^"]*"', '"cursor":"..."') FROM (VALUES ('{"limit": 1, "fields": ["name"], "sort": [{"field": "name", "order": "desc"}]}'::jsonb), ('{"limit": 1, "fields": ["name"], "offset": 1}')) t(a);
SELECT mcp_rows_text('list_thing', '{"limit": 2, "fields": ["name"], "filters": {"size": {"gte": "1"}}}');
-- ends are handles, arrows in paths, but where the edge has something to tell
SELECT mcp_rows_text('traverse_relationships', '{"from": {"label": "thing"}, "relationships": [{"type": "NEXT"}], "columns": ["name"]}');
SELECT mcp_rows_text('traverse_relationships', '{"from": {"label": "thing"}, "relationships": [{"type": "NEXT"}], "columns": ["key"]}');
-- rows joined with their nodes and edges: against the edge, of several steps, of a walk, in both directions, in a cycle
SELECT mcp_rows_text('traverse_relationships', '{"from": {"label": "thing", "ids": ["b"]}, "relationships": [{"type": "NEXT", "direction": "incoming"}], "columns": ["name", "size"]}');
SELECT mcp_rows_text('traverse_relationships', '{"from": {"label": "thing"}, "relationships": [{"type": "NEXT"}, {"type": "NEXT"}], "columns": ["name"]}');
SELECT mcp_rows_text('traverse_relationships', '{"from": {"label": "thing", "ids": ["a"]}, "relationships": [{"type": "NEXT", "max_hops": 2}], "columns": ["name"]}');
SELECT mcp_rows_text('traverse_relationships', '{"from": {"label": "thing"}, "relationships": [{"type": "NEXT", "direction": "both"}], "columns": ["name"]}');
BEGIN;
SELECT kg_put_edges('[{"relation": "NEXT", "from": "thing:b", "to": "thing:a", "properties": {"cost": 9}}]') #>> '{counts,created}';
SELECT mcp_rows_text('traverse_relationships', jsonb_build_object('from', '{"label": "thing"}'::jsonb, 'relationships', jsonb_build_array(jsonb_build_object('type', 'NEXT', 'direction', d)), 'columns', '["name"]'::jsonb)) FROM unnest('{outgoing,incoming,both}'::text[]) d;
SELECT mcp_rows_text('traverse_relationships', jsonb_build_object('from', '{"label": "thing", "ids": ["a"]}'::jsonb, 'relationships', jsonb_build_array(jsonb_build_object('type', 'NEXT', 'direction', d)), 'columns', '["name"]'::jsonb)) FROM unnest('{outgoing,incoming,both}'::text[]) d;
-- the two edges of b and a belong to different steps: rows are not joined
SELECT kg_put_entities('thing', '[{"key": "d", "name": "Dee", "type": "d"}, {"key": "e", "name": "Eee"}, {"key": "f", "name": "Eff"}]') #>> '{counts,created}';
SELECT kg_put_edges('[{"relation": "NEXT", "from": "thing:d", "to": "thing:e", "properties": {"cost": 2}}, {"relation": "NEXT", "from": "thing:e", "to": "thing:f", "properties": {"cost": 9}}]') #>> '{counts,created}';
SELECT mcp_rows_text('traverse_relationships', '{"from": {"label": "thing", "ids": ["b", "d"]}, "relationships": [{"type": "NEXT", "direction": "both", "filters": {"cost": 2}}, {"type": "NEXT", "direction": "both", "filters": {"cost": 9}}], "columns": ["name"]}');
-- a property with the id in each node that has it, which one has not
SELECT mcp_rows_text('traverse_relationships', '{"from": {"label": "thing", "ids": ["d"]}, "relationships": [{"type": "NEXT"}], "columns": ["type"]}');
ROLLBACK;
-- paths of connect: without fields, labels alone
SELECT mcp_rows_text('connect', '{"from": "thing:c", "to": "thing:a"}');
SELECT mcp_rows_text('find_paths', '{"from": {"label": "thing", "ids": ["c"]}, "to": {"label": "thing", "ids": ["a"]}, "columns": ["name"]}');
SELECT mcp_rows_text('find_paths', '{"from": {"label": "thing", "ids": ["a"]}, "to": {"label": "thing", "ids": ["c"]}, "columns": ["from"], "edge_columns": ["*"]}');
-- counts of a walk: where all is told they are seen; else by type where there are several
SELECT mcp_rows_text('explore_neighbors', '{"start_node": {"label": "thing", "node_id": "a"}, "columns": ["name"]}');
SELECT mcp_rows_text('explore_neighbors', '{"start_node": {"label": "thing", "node_id": "a"}, "limit": 0}');
-- groups, names, schemas, claims
SELECT mcp_rows_text('aggregate_nodes', '{"node": {"label": "thing"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "size"}]}');
SELECT mcp_rows_text('search_entities', '{"query": "cee"}');
SELECT mcp_rows_text('bfs_query', '{"seeds": ["thing:a"], "max_hops": 1}');
SELECT mcp_rows_text('describe_entities', '{"ids": ["thing:a", "plain:p"]}');
SELECT regexp_replace(mcp_rows_text('get_graph_schema', '{}'), '"revision":"[^"]*"', '"revision":"..."');
-- objects where there are too many names, or rows would be longer
SELECT left(mcp_rows_text('list_wide', '{}'), 60);
SELECT mcp_rows_text('find_nodes', '{"node_label": "plain", "columns": ["key"]}');
-- a wrong call: as it is, but for the blanks
SELECT mcp_rows_text('find_nodes', '{"node_label": "thing", "filters": {"type": "t", "id": "a"}, "from": {"type": "thing", "id": "a"}}');
-- a registered tool's own members are its author's
SELECT mcp_rows_text('own', '{}');
-- what the setting may be
SET kg_graph.mcp_text = true; SHOW kg_graph.mcp_text;
SET kg_graph.mcp_text = 'no'; SHOW kg_graph.mcp_text;
SET kg_graph.mcp_text = 'lines';
-- a client of before structured content
SET kg_graph.mcp_text = rows;
SELECT kg_mcp('{"kg_revision": "2025-03-26", "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_thing", "arguments": {"fields": ["name"]}}}') -> 'result';
-- and what a model is told of it
SELECT substring(kg_mcp('{"kg_revision": "2025-11-25", "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}}') #>> '{result,instructions}' FROM 'Replies are in rows.*');
-- by default those of compact tools, and who has some is told how to read them
RESET kg_graph.mcp_text; SHOW kg_graph.mcp_text;
SELECT t, regexp_replace(kg_call_tool(t, a::jsonb) #>> '{content,0,text}', '"cursor": ?"[^"]+"', 'CURSOR') FROM (VALUES ('list_thing', '{"fields": ["name"], "limit": 1}'), ('find', '{"type": "thing", "fields": ["name"], "limit": 1}'), ('find', '{"typ": 1}')) x(t, a);
SET kg_graph.mcp_text = on; SELECT kg_call_tool('find', '{"type": "thing", "fields": ["name"], "limit": 3}') #>> '{content,0,text}'; RESET kg_graph.mcp_text;
SELECT kg_create_agent('few', '{"tools": ["get", "list_thing"]}') IS NOT NULL, kg_create_agent('other', '{"tools": ["list_thing"]}') IS NOT NULL;
CREATE FUNCTION pg_temp.told_of_rows() RETURNS boolean LANGUAGE sql AS $$
  SELECT kg_mcp('{"kg_revision": "2025-11-25", "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}}') #>> '{result,instructions}' ~ 'Replies are in rows' $$;
SELECT pg_temp.told_of_rows();
SET kg_graph.agent = few; SELECT pg_temp.told_of_rows();
SET kg_graph.agent = other; SELECT pg_temp.told_of_rows();
RESET kg_graph.agent; SET kg_graph.toolsets = compact; SELECT pg_temp.told_of_rows();
\c - :owner
SET client_min_messages = error;
DROP FUNCTION mcp_rows_text, mcp_rows_own;
CALL test.drop('mcp_rows');
