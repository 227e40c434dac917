-- Registered tools: queries, composites, sequences and functions with versions.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('regt_a', 'regt_admin admin', 'regt_writer write', 'regt_reader read');
CALL test.tenant('regt_b', 'regt_other admin');
CREATE FUNCTION public.regt_count(arguments jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT jsonb_build_object('issues', (SELECT count(*) FROM kg_entity WHERE entity_type = 'issue'), 'told', arguments) $$;
CREATE FUNCTION public.regt_fail(arguments jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  CASE arguments ->> 'how'
    WHEN 'raise' THEN RAISE EXCEPTION 'Title cannot be blank';
    WHEN 'broken' THEN PERFORM nowhere();
    WHEN 'null' THEN RETURN NULL;
    WHEN 'array' THEN RETURN '[1]';
    WHEN 'misfit' THEN RETURN '{"n": "x"}';
    WHEN 'divide' THEN RETURN jsonb_build_object('n', 1 / 0);
    WHEN 'nested' THEN RETURN kg_call_tool('find_issues', '{"project": "p1"}') -> 'structuredContent';
    ELSE RETURN '{"n": 1}';
  END CASE;
END $$;
CREATE FUNCTION public.regt_write(arguments jsonb) RETURNS jsonb LANGUAGE sql VOLATILE AS $$ SELECT '{}'::jsonb $$;
CREATE FUNCTION public.regt_definer(arguments jsonb) RETURNS jsonb LANGUAGE sql STABLE SECURITY DEFINER AS $$ SELECT '{}'::jsonb $$;

\c - regt_admin
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
CREATE FUNCTION pg_temp.try(definition jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  d text;
BEGIN
  RETURN kg_register_tool(definition);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', SQLSTATE, d::jsonb ->> 'path', SQLERRM, 'expected ' || (d::jsonb ->> 'expected'), 'did_you_mean ' || (d::jsonb ->> 'did_you_mean'));
END $$;
-- A call in short: what came, or who refused what.
CREATE FUNCTION pg_temp.call(name text, arguments jsonb DEFAULT '{}', options jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
SELECT concat_ws(' | ', CASE WHEN r ->> 'isError' = 'true' THEN concat_ws(' | ', e ->> 'level', e ->> 'code', e ->> 'sqlstate', e ->> 'path', e ->> 'message', 'allowed ' || (e ->> 'allowed'),
    'errors ' || (SELECT string_agg(x ->> 'message', '; ') FROM jsonb_array_elements(e -> 'errors') x), CASE WHEN e ? 'errors' THEN e ->> 'expected' END) ELSE r ->> 'structuredContent' END, r -> '_meta')
  FROM kg_call_tool(name, arguments, options) r, LATERAL (SELECT r #> '{structuredContent,error}') x(e) $$;
CREATE FUNCTION pg_temp.listed() RETURNS SETOF text LANGUAGE sql AS $$ SELECT concat_ws(' ', t ->> 'name', t #>> '{_meta,kg_graph/version}', t #>> '{annotations,readOnlyHint}') FROM jsonb_array_elements(kg_list_tools()) t WHERE t ? '_meta' $$;

SELECT kg_apply_bundle('{"bundle_name": "issue-tracker", "version": "1", "schemas": [
  {"entity_type": "project", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "required": ["id"], "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}},
  {"entity_type": "issue", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "title", "x-tool-expose": ["list", "get", "list_ids"], "required": ["id", "title"], "properties": {"id": {"type": "string"}, "title": {"type": "string"},
    "state": {"enum": ["opened", "closed"], "type": "string", "x-index": true}, "weight": {"type": "integer", "x-index": true}, "note": {"type": "string"}, "project": {"type": "string", "x-ref": "project", "x-index": true}}}}],
  "entities": [{"entity_type": "project", "items": [{"id": "p1", "name": "One"}, {"id": "p2"}]},
    {"entity_type": "issue", "items": [{"id": "i1", "title": "A", "state": "opened", "project": "p1"}, {"id": "i2", "title": "B", "state": "closed", "project": "p1"}, {"id": "i3", "title": "C", "state": "opened"}]}]}') -> 'changed';

-- a query: what is absent is left out, what looks like a placeholder stays a value, next is in the tool's own arguments
SELECT kg_register_tool('{"name": "find_issues", "version": "0.1.0", "kind": "query", "description": "A query.", "title": "Find issues", "aliases": ["search_issues"], "input_schema": {"required": ["project"], "properties": {"project": {"type": "string"}, "state": {"enum": ["opened", "closed"]}, "n": {"type": "integer"}, "after": {"type": "string"}}},
  "operation": {"tool": "list_issue_ids", "arguments": {"filters": {"project": {"$arg": "project"}, "state": {"in": [{"$arg": "state"}, "opened"]}}, "limit": {"$arg": "n"}, "cursor": {"$arg": "after"}}}}');
SELECT pg_temp.call('find_issues', '{"project": "p1", "state": "closed"}');
SELECT pg_temp.call('search_issues', '{"project": "p1"}');
SELECT pg_temp.call('find_issues', '{"project": "{\"$arg\": \"state\"}"}'), pg_temp.call('find_issues', '{"project": {"$arg": "state"}}');
SELECT r #>> '{structuredContent,ids}', (r #> '{structuredContent,next}') - 'after', kg_call_tool('find_issues', r #> '{structuredContent,next}') #>> '{structuredContent,ids}' FROM kg_call_tool('find_issues', '{"project": "p1", "state": "closed", "n": 1}') r;
-- who refuses: the tool's own schema, or what it calls, at the argument that was sent
SELECT pg_temp.call('find_issues', '{}');
SELECT pg_temp.call('find_issues', '{"project": "p1", "state": "open"}');
SELECT pg_temp.call('find_issues', '{"project": "p1", "other": 1}');
SELECT kg_call_tool('find_issues', '{"project": "p1", "stat": "opened"}') #> '{structuredContent,error,call}', kg_call_tool('find_issues', '{"project": "p1", "stat": "opened", "state": "closed"}') #> '{structuredContent,error,call}';
SELECT pg_temp.call('find_issues', '{"project": "p1", "n": 100000}');
SELECT pg_temp.call('find_issues', '{"project": "p1", "after": "nonsense"}');

-- versions: the order of semver, the latest release, frozen, format before tool before version before schema
SELECT pg_temp.try(jsonb_build_object('name', 'find_issues', 'version', v, 'kind', 'query', 'description', 'A query.', 'input_schema', '{"properties": {}}'::jsonb, 'operation', '{"tool": "list_issue", "arguments": {"limit": 1}}'::jsonb))
  FROM unnest(ARRAY['1.9.0', '1.10.0-rc.1', '1.10.0', '1.10.0-alpha', '1.10.0-alpha.1', '1.10.0-1', '1.10.0-rc.1.1', '2.0.0-rc.1', '1.10.0+build.5', '01.2.3', '1.2', 'v1.2.3', '1.2.3-01', '1.2.3-', '1.2.3+', '1.2.3.4', '', '1.2.3-a..b', '99999999999999999999.0.0-x']) v;
SELECT string_agg(version || CASE WHEN latest THEN '*' ELSE '' END, ' ') FROM kg_registered_tools();
SELECT pg_temp.listed();
SELECT pg_temp.try('{"name": "find_issues", "version": "1.10.0", "kind": "query", "description": "A query.", "input_schema": {"properties": {}}, "operation": {"tool": "list_issue", "arguments": {"limit": 2}}}');
SELECT pg_temp.try('{"name": "find_issues", "version": "1.10.0", "deprecated": "has no state", "kind": "query", "description": "A query.", "input_schema": {"properties": {}}, "operation": {"tool": "list_issue", "arguments": {"limit": 1}}}');
SELECT pg_temp.try('{"name": "find_issues", "version": "1.10.0", "kind": "query", "description": "A query.", "input_schema": {"properties": {}}, "operation": {"tool": "list_issue", "arguments": {"limit": 1}}}');
SELECT pg_temp.listed();
SELECT left(pg_temp.call('find_issues', '{"project": "p1"}', '{"version": "0.1.0"}'), 40), left(pg_temp.call('find_issues.v0.1.0', '{"project": "p1"}'), 40), left(pg_temp.call('search_issues.v0.1.0', '{"project": "p1"}'), 40);
SELECT pg_temp.call('find_issues', '{"bad": 1}', '{"version": "3.0.0"}');
SELECT pg_temp.call('nothing', '{}', '{"version": "1.2"}'), pg_temp.call('nothing', '{}', '{"version": "1.2.0"}') LIKE '%UNKNOWN_TOOL%', pg_temp.call('find_issues.v1', '{}');
SELECT pg_temp.call('find_issues.v0.1.0', '{}', '{"version": "1.9.0"}'), pg_temp.call('list_issue', '{}', '{"version": "1.0.0"}');
-- a version that runs another's operation; one name of prereleases only
SELECT pg_temp.try('{"name": "find_issues", "version": "0.2.0", "default_of": "0.1.0", "description": "the same", "blank_is_absent": true, "input_schema": {"required": ["project"], "properties": {"project": {"type": "string"}, "state": {"enum": ["opened", "closed", null]}, "n": {"type": "integer"}, "after": {"type": "string"}}}}');
SELECT definition -> 'operation' ->> 'tool', definition ->> 'default_of' FROM kg_registered_tools() WHERE version = '0.2.0';
SELECT left(pg_temp.call('find_issues', '{"project": "p1", "state": "", "n": null}', '{"version": "0.2.0"}'), 40), pg_temp.call('find_issues', '{"project": ""}', '{"version": "0.2.0"}');
SELECT pg_temp.try('{"name": "find_issues", "version": "0.3.0", "default_of": "0.2.9", "input_schema": {}}');
SELECT pg_temp.try('{"name": "soon", "version": "1.0.0-rc.1", "kind": "query", "description": "A query.", "input_schema": {}, "operation": {"tool": "list_issue"}}');
SELECT pg_temp.call('soon'), left(pg_temp.call('soon', '{}', '{"version": "1.0.0-rc.1"}'), 20), (SELECT count(*) FROM pg_temp.listed() l WHERE l LIKE 'soon%');

-- a composite
SELECT kg_register_tool('{"name": "work_items", "version": "1.0.0", "kind": "composite", "description": "A composite.", "toolset": "work", "input_schema": {"required": ["operation"], "properties": {"operation": {"enum": ["get", "list"]}, "id": {"type": "string"}, "state": {"enum": ["opened", "closed"]}}},
  "select": {"$arg": "operation"}, "operations": {"get": {"tool": "describe_entity", "arguments": {"id": {"$arg": "id"}}}, "list": {"tool": "list_issue_ids", "arguments": {"filters": {"state": {"$arg": "state"}}}}}}');
SELECT pg_temp.call('work_items', '{"operation": "list", "state": "closed"}');
SELECT pg_temp.call('work_items', '{"operation": "get", "id": "issue:i9"}');
SELECT pg_temp.call('work_items', '{"operation": "get"}');
SELECT pg_temp.call('work_items', '{"operation": "drop"}');

-- a sequence: later operations take from replies; on failure all that could be tried
SELECT kg_register_tool('{"name": "issue_with_project", "version": "1.0.0", "kind": "sequence", "description": "A sequence.", "input_schema": {"required": ["id"], "properties": {"id": {"type": "string"}, "other": {"type": "string"}}}, "operations": [
  {"name": "issue", "tool": "describe_entity", "arguments": {"id": {"$arg": "id"}}}, {"name": "project", "tool": "get_project", "arguments": {"id": {"$result": "issue", "path": "/project"}}},
  {"name": "other", "tool": "describe_entity", "arguments": {"id": {"$arg": "other"}}}]}');
SELECT kg_register_tool('{"name": "issue_with_project", "version": "1.0.0", "kind": "sequence", "description": "A sequence.", "input_schema": {"required": ["id", "other"], "properties": {"id": {"type": "string"}, "other": {"type": "string"}}}, "operations": [
  {"name": "issue", "tool": "describe_entity", "arguments": {"id": {"$arg": "id"}}}, {"name": "project", "tool": "get_project", "arguments": {"id": {"$result": "issue", "path": "/project"}}},
  {"name": "other", "tool": "describe_entity", "arguments": {"id": {"$arg": "other"}}}]}');
SELECT pg_temp.call('issue_with_project', '{"id": "i1", "other": "p2"}');
SELECT pg_temp.call('issue_with_project', '{"id": "i9", "other": "i8"}');
SELECT pg_temp.call('issue_with_project', '{"id": "i3", "other": "p1"}');

-- what is refused
SELECT pg_temp.try('{"name": "t", "version": "1.0.0", "kind": "query", "description": "A query.", "input_schema": {"properties": {"a": {"type": "string"}}}, "operation": null}'::jsonb || jsonb_build_object('operation', o::jsonb)) FROM unnest(ARRAY[
  '{"tool": "list_issue", "arguments": {}}', '{"tool": "list_isue", "arguments": {"search": {"$arg": "a"}}}', '{"tool": "list_issue", "arguments": {"search": {"$arg": "b"}}}', '{"tool": "list_issue", "arguments": {"search": {"$arg": 1}}}',
  '{"tool": "list_issue", "arguments": {"limit": {"$arg": "a"}}}', '{"tool": "list_issue", "arguments": {"search": {"$arg": "a", "x": 1}}}', '{"tool": "list_issue", "arguments": {"filters": {"$arg": "a"}}}', '{"tool": "list_issue", "arguments": {"filters": {"state": {"$arg": "a"}}}}',
  '{"tool": "list_issue", "arguments": {"filters": {"weight": {"$arg": "a"}}}}', '{"tool": "list_issue", "arguments": {"filters": {"$a": {"$arg": "a"}}}}', '{"tool": "list_issue", "arguments": {"$arg": "a"}}', '{"tool": "list_issue", "arguments": {"search": {"$arg": {"$arg": "a"}}}}',
  '{"tool": "list_issue", "arguments": {"search": {"$result": "a"}}}', '{"tool": "list_issue", "arguments": {"search": {"$arg": "a"}, "lmit": 1}}', '{"tool": "list_issue", "arguments": {"filters": {"stat": {"$arg": "a"}}}}', '{"tool": "find_nodes", "arguments": {"node_label": "isue", "filters": {"state": {"$arg": "a"}}}}',
  '{"tool": "find_nodes", "arguments": {"node_label": "issue", "filters": {"sate": {"$arg": "a"}}}}', '{"tool": "find_nodes", "arguments": {"node_label": "issue", "filters": {"note": {"$arg": "a"}}}}', '{"tool": "find_issues", "arguments": {"project": {"$arg": "a"}}}', '{"tool": "find_nodes", "arguments": {"node_label": {"$arg": "a"}}}',
  '{"tool": "search_entities", "arguments": {"query": "x", "limit": {"$arg": "a"}}}', '[]', '"SELECT 1"']) o;
SELECT pg_temp.try('{"name": "t", "version": "1.0.0", "kind": "composite", "description": "A composite.", "input_schema": {"required": ["o"], "properties": {"o": {"enum": ["a"]}}}, "select": {"$arg": "o"}, "operations": {"b": {"tool": "list_issue"}}}');
SELECT pg_temp.try('{"name": "t", "version": "1.0.0", "kind": "sequence", "description": "A sequence.", "input_schema": {}, "operations": [{"name": "a", "tool": "list_issue", "arguments": {"search": {"$result": "b"}}}, {"name": "b", "tool": "list_issue"}]}');
SELECT pg_temp.try('{"name": "t", "version": "1.0.0", "kind": "sequence", "description": "A sequence.", "input_schema": {}, "operations": [{"name": "a", "tool": "list_issue_ids"}, {"name": "b", "tool": "list_issue", "arguments": {"limit": {"$result": "a", "path": "/ids/0"}}}]}');
SELECT pg_temp.try(jsonb_build_object('name', 't', 'version', '1.0.0', 'kind', 'sequence', 'description', 'A sequence.', 'input_schema', '{}'::jsonb, 'operations', (SELECT jsonb_agg(jsonb_build_object('name', 'n' || i, 'tool', 'list_issue')) FROM generate_series(1, 21) i)));
SELECT pg_temp.try(jsonb_build_object('name', 't', 'version', '1.0.0', 'kind', 'query', 'description', repeat('x', 300000), 'input_schema', '{}'::jsonb, 'operation', '{"tool": "list_issue"}'::jsonb));
SELECT pg_temp.try('{"version": "1.0.0", "kind": "query", "description": "A query.", "input_schema": {}, "operation": {"tool": "list_issue"}}'::jsonb || jsonb_build_object('name', n)) FROM unnest(ARRAY['list_issue', 'find_nodes', 'search_issues', 'a.b', '1a', '']) n;
SELECT pg_temp.try('{"name": "u", "version": "1.0.0", "kind": "query", "description": "A query.", "aliases": ["find_issues"], "input_schema": {}, "operation": {"tool": "list_issue"}}'), pg_temp.try('{"name": "u", "version": "1.0.0", "kind": "query", "description": "A query.", "toolset": "all", "annotations": {"readOnlyHint": true}, "input_schema": {}, "operation": {"tool": "list_issue"}}');
SELECT pg_temp.try('{"name": "t", "version": "1.0.0", "kind": "function", "description": "A function.", "input_schema": {}, "operation": "public.regt_count(jsonb)"}'), pg_temp.try('[]');

-- toolsets
SET kg_graph.toolsets = 'work'; SELECT pg_temp.listed(); SELECT jsonb_array_length(kg_list_tools()), left(pg_temp.call('find_issues'), 30);
SET kg_graph.toolsets = 'catalog, nowhere'; SELECT kg_list_tools(); SELECT pg_temp.call('list_issue');
RESET kg_graph.toolsets;
SELECT kg_create_agent('worker', '{"bundles": ["issue-tracker"], "toolsets": ["work"]}'), kg_create_agent('blind', '{"bundles": []}');
SELECT kg_create_agent('none', '{"toolsets": ["nowhere"]}');
SET kg_graph.agent = 'worker'; SELECT t ->> 'name' FROM jsonb_array_elements(kg_list_tools()) t; SELECT left(pg_temp.call('work_items', '{"operation": "list"}'), 40), pg_temp.call('list_issue');
-- for whom a bundle does not exist, no tool over it does, of whatever version
SET kg_graph.agent = 'blind'; SELECT pg_temp.listed(); SELECT pg_temp.call('find_issues', '{"project": "p1"}') !~ 'find_issues.*find_issues', pg_temp.call('find_issues', '{"project": "p1"}', '{"version": "0.1.0"}') ~ 'UNKNOWN_TOOL', pg_temp.call('work_items.v1.0.0') ~ 'UNKNOWN_TOOL';
RESET kg_graph.agent;

-- a bundle brings tools; what would break one is refused, with its version and the path
CREATE FUNCTION pg_temp.apply(bundle jsonb, options jsonb DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  d text;
BEGIN
  RETURN concat_ws(' ', kg_apply_bundle(bundle, options) -> 'changed');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', SQLSTATE, d::jsonb ->> 'path', SQLERRM);
END $$;
CREATE TEMP TABLE bundle AS SELECT kg_export_bundle('issue-tracker') AS b;
SELECT pg_temp.apply(b #- '{schemas,1,schema,properties,project}') FROM bundle;
SELECT pg_temp.apply(jsonb_set(b, '{schemas,1,schema,properties,state,enum}', '["opened", "done"]') || '{"entities": []}') FROM bundle;
SELECT pg_temp.apply(b || '{"schemas": [], "entities": []}') FROM bundle;
SELECT kg_apply_bundle(b || '{"schemas": [], "entities": []}', '{"dry_run": true}') #>> '{errors,0,message}' FROM bundle;
SELECT pg_temp.apply(jsonb_set(b, '{schemas,1,schema,description}', '"Harmless."')) FROM bundle;
SELECT kg_drop_bundle('issue-tracker');
CREATE TEMP TABLE with_tools AS SELECT '{"bundle_name": "notes", "version": "1", "schemas": [{"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "required": ["id"], "properties": {"id": {"type": "string"}, "text": {"type": "string"}}}}], "entities": [],
  "tools": [{"name": "notes", "version": "1.0.0", "kind": "query", "description": "A query.", "aliases": ["all_notes"], "input_schema": {}, "operation": {"tool": "list_note"}}, {"name": "notes", "version": "1.1.0", "description": "A query.", "default_of": "1.0.0", "input_schema": {}, "deprecated": "too new"}]}'::jsonb AS b;
SELECT kg_apply_bundle(b, '{"dry_run": true}') -> 'diff' -> 'tools' FROM with_tools;
SELECT pg_temp.apply(b) FROM with_tools;
SELECT pg_temp.apply(b) FROM with_tools;
SELECT pg_temp.apply(kg_export_bundle('notes'));
SELECT pg_temp.call('all_notes'), jsonb_array_length(kg_export_bundle('notes') -> 'tools');
-- twice, also where only build metadata tells versions apart; what a schema cannot have
SELECT pg_temp.apply(jsonb_set(b, '{tools,2}', b #> '{tools,0}')) FROM with_tools;
SELECT pg_temp.apply(jsonb_set(b, '{tools,2}', jsonb_set(b #> '{tools,0}', '{version}', '"1.0.0+again"'))) FROM with_tools;
SELECT pg_temp.apply(jsonb_set(b, '{tools,1,input_schema}', '{"type": "object", "properties": {"a": {"$ref": "https://example.com/a"}}}')) FROM with_tools;
SELECT pg_temp.apply(jsonb_set(b #- '{tools,1}', '{tools,0,name}', '"get_note"')) FROM with_tools;
SELECT pg_temp.apply(jsonb_set(b #- '{tools,1}', '{tools,0,name}', '"find_nodes"')) FROM with_tools;
SELECT pg_temp.apply(jsonb_set(b, '{tools,0,operation,tool}', '"get_note"')) FROM with_tools;
SELECT pg_temp.apply(jsonb_set(b, '{tools,0,operation,tool}', '"get_nte"') #- '{tools,1}' #- '{tools,0,aliases}' || '{"bundle_name": "other"}') FROM with_tools;
SELECT pg_temp.apply(jsonb_set(b, '{tools,0}', '{"name": "f", "version": "1.0.0", "kind": "function", "description": "A function.", "input_schema": {}, "operation": "public.regt_count(jsonb)"}')) FROM with_tools;
SELECT kg_unregister_tool('notes');
SELECT pg_temp.try('{"name": "notes", "version": "2.0.0", "kind": "query", "description": "A query.", "input_schema": {}, "operation": {"tool": "list_note"}}');
SELECT kg_apply_bundle(b - 'tools', '{"dry_run": true}') -> 'diff' -> 'tools' FROM with_tools;
SELECT kg_drop_bundle('notes') -> 'changed', (SELECT count(*) FROM kg_tool WHERE tool ~ 'notes'), left(pg_temp.call('notes'), 40);

-- another tenant has none of it, and may take the names
\c - regt_other
SELECT kg_call_tool('find_issues', '{}') #>> '{structuredContent,error,code}', (SELECT count(*) FROM kg_registered_tools()), kg_call_tool('work_items', '{}', '{"version": "1.0.0"}') #>> '{structuredContent,error,allowed}' ~ 'issue|work';
SELECT kg_register_tool('{"name": "find_issues", "version": "0.1.0", "kind": "query", "description": "A query.", "input_schema": {}, "operation": {"tool": "describe_schema"}}');
SELECT kg_call_tool('find_issues') -> '_meta', jsonb_array_length(kg_list_tools());
SELECT kg_unregister_tool('find_issues', '0.2.0');
SELECT kg_unregister_tool('find_issues'), (SELECT count(*) FROM kg_tool);

-- functions: the owner's, run as the caller
\c - :owner
SELECT kg_grant('regt_a', current_user, 'admin');
CREATE FUNCTION pg_temp.try(definition jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN kg_register_tool(definition);
EXCEPTION WHEN OTHERS THEN
  RETURN concat_ws(' | ', SQLSTATE, SQLERRM);
END $$;
SELECT pg_temp.try(jsonb_build_object('name', n, 'version', '1.0.0', 'kind', 'function', 'description', 'A function.', 'input_schema', '{"properties": {"how": {"type": "string"}}}'::jsonb, 'operation', f)) FROM (VALUES ('count_issues', 'regt_count(jsonb)'), ('write_all', 'public.regt_write(jsonb)'), ('d', 'public.regt_definer(jsonb)'), ('d', 'public.none(jsonb)'), ('d', 'pg_catalog.now()'), ('d', 'pg_catalog.to_jsonb(anyelement)')) f (n, f);
SELECT pg_temp.try('{"name": "fail", "version": "1.0.0", "kind": "function", "description": "A function.", "input_schema": {"properties": {"how": {"type": "string"}}}, "output_schema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}, "operation": "public.regt_fail(jsonb)"}');
SELECT definition ->> 'operation' FROM kg_registered_tools() WHERE tool = 'count_issues';
SELECT kg_revoke('regt_a', current_user);
\c - regt_reader
CREATE FUNCTION pg_temp.call(name text, arguments jsonb DEFAULT '{}', options jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
SELECT concat_ws(' | ', CASE WHEN r ->> 'isError' = 'true' THEN concat_ws(' | ', e ->> 'level', e ->> 'code', e ->> 'sqlstate', e ->> 'message') ELSE r ->> 'structuredContent' END, r -> '_meta')
  FROM kg_call_tool(name, arguments, options) r, LATERAL (SELECT r #> '{structuredContent,error}') x(e) $$;
SELECT t ->> 'name', t #>> '{annotations,readOnlyHint}' FROM jsonb_array_elements(kg_list_tools()) t WHERE t ? '_meta';
SELECT pg_temp.call('count_issues', '{"how": "now"}'), left(pg_temp.call('write_all'), 60);
SELECT how, pg_temp.call('fail', jsonb_build_object('how', how)) FROM unnest(ARRAY['well', 'raise', 'broken', 'null', 'array', 'misfit', 'divide', 'nested']) how;
SELECT kg_register_tool('{}');
SELECT kg_unregister_tool('fail');
DELETE FROM kg_tool_version;
\c - regt_writer
SELECT t ->> 'name', t #>> '{annotations,readOnlyHint}' FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'write_all';
SELECT kg_call_tool('write_all') -> 'isError';

-- over MCP: the list, a version by _meta and by name, an alias, what does not exist
\c - regt_reader
CREATE FUNCTION pg_temp.mcp(method text, params jsonb) RETURNS jsonb LANGUAGE sql AS $$ SELECT kg_mcp(jsonb_build_object('jsonrpc', '2.0', 'id', 1, 'method', method, 'params', params)) $$;
SELECT t ->> 'name', t -> '_meta' FROM pg_temp.mcp('tools/list', '{}') r, jsonb_array_elements(r #> '{result,tools}') t WHERE t ? '_meta';
SELECT r #>> '{result,structuredContent,returned}', r #> '{result,_meta}' FROM pg_temp.mcp('tools/call', '{"name": "find_issues", "arguments": {"project": "p1"}, "_meta": {"kg_graph/version": "0.1.0"}}') r;
SELECT r #>> '{result,structuredContent,returned}', r #> '{result,_meta}' FROM pg_temp.mcp('tools/call', '{"name": "search_issues.v0.1.0", "arguments": {"project": "p1"}}') r;
SELECT r #>> '{result,structuredContent,error,code}', r #>> '{result,structuredContent,error,allowed}' FROM pg_temp.mcp('tools/call', '{"name": "find_issues.v0.1.1", "arguments": {"project": "p1"}}') r;
SELECT r #>> '{result,structuredContent,error,message}' FROM pg_temp.mcp('tools/call', '{"name": "find_issues", "_meta": {"kg_graph/version": "v1"}}') r;
SELECT r -> 'error' -> 'code' FROM pg_temp.mcp('tools/call', '{"name": "find_isues.v0.1.0"}') r;
SELECT (r #> '{result,_meta}') - 'io.modelcontextprotocol/serverInfo' FROM pg_temp.mcp('tools/call', '{"name": "work_items", "arguments": {"operation": "list"}, "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}') r;

\c - :owner
SELECT kg_drop_tenant('regt_a'), kg_drop_tenant('regt_b');
SELECT count(*) FROM kg_tool_version;
DROP FUNCTION public.regt_count(jsonb), public.regt_fail(jsonb), public.regt_write(jsonb), public.regt_definer(jsonb);
DROP ROLE regt_admin, regt_writer, regt_reader, regt_other;
