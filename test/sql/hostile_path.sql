-- Whatever the caller's search_path contains before pg_catalog, every function and
-- every MCP method must reply as without it. Here, all operators, functions,
-- aggregates and types of pg_catalog exist a second time and raise an error, and
-- temporary tables have the names of the extension's tables.
\i test/data/prelude.sql
SELECT current_user AS super \gset
CREATE ROLE hostile_gateway LOGIN;
INSERT INTO kg_vectors (dimensions, model) VALUES (2, 'other');
CALL test.tenant('hostile', 'hostile_admin admin');
SELECT kg_grant_gateway('hostile_gateway', exchange => true);
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO hostile_admin; GRANT pg_read_all_stats TO hostile_admin;
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience) VALUES ('https://hostile', 'h', 'HS256', 'hostilehostilehostilehostilehostile', 'kg');
GRANT CREATE ON DATABASE :"DBNAME" TO hostile_admin;
CREATE FUNCTION public.hostile_bundle() RETURNS jsonb LANGUAGE sql AS $$ SELECT pg_catalog.jsonb '{"bundle_name": "path", "version": "1", "instructions": "be kind", "schemas": [
  {"entity_type": "maker", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-scope-field": "path", "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true},
    "path": {"type": "string"}, "size": {"type": "number", "x-index": true}, "tags": {"type": "array", "items": {"type": "string"}, "x-index": true}, "code": {"type": "string", "x-index": true}}}},
  {"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-history": true, "properties": {"id": {"type": "string"}, "name": {"type": "string"},
    "kind": {"enum": ["a", "b"], "x-index": true}, "maker": {"type": "string", "x-ref": "maker", "x-on-delete": "cascade"}, "by_code": {"type": "string", "x-ref": "maker", "x-ref-field": "code", "x-on-delete": "set_null"}}}}],
  "relations": [{"name": "LIKES", "from": "thing", "to": "thing", "history": true}], "edges": [{"relation": "LIKES", "from": "thing:t1", "to": "thing:t2"}, {"relation": "LIKES", "from": "thing:t2", "to": "thing:t3"}],
  "entities": [{"entity_type": "maker", "items": [{"id": "m1", "name": "Ada Works", "path": "1/", "size": 1.5, "tags": ["x", "y"], "code": "c1"}, {"id": "m2", "name": "Babbage and Sons", "path": "2/", "size": 20, "tags": ["y"]}]},
    {"entity_type": "thing", "items": [{"id": "t1", "name": "Lamp", "kind": "a", "maker": "m1", "by_code": "c1"}, {"id": "t2", "name": "Lantern", "kind": "b", "maker": "m1"}, {"id": "t3", "name": "Desk", "maker": "m2"}]}]}' $$;
SET ROLE hostile_admin;
SELECT kg_apply_bundle(hostile_bundle()) ? 'revision' AS applied;
SELECT kg_create_agent('bot', '{"bundles": ["path"]}');
SELECT kg_create_views('hostile_views') -> 'created' AS created;
RESET ROLE;

-- What is called, and by whom; compared byte by byte.
CREATE TABLE public.hostile_call (n int GENERATED ALWAYS AS IDENTITY, who text, call text, clean text, hostile text);
INSERT INTO public.hostile_call(who, call) SELECT 'hostile_admin', unnest(ARRAY[
  'kg_create_views(''hostile_more'')', 'kg_refresh_views()', 'kg_view_nodes(''path'', ''maker'', ''size'', ''gt'', ''1'')', 'kg_view_edges(1, 1)', 'kg_query_search(''La'')', 'kg_query_neighbors(''thing:t1'')', 'kg_query_reach(''thing'', ''t1'')', 'kg_query_path(''thing:t1'', ''maker:m1'')', 'kg_view_row(1, ''type'', ''path'', ''maker'', ''none'')', 'kg_column_text(''{"a": "b"}'', ''a'')', 'kg_column_bigint(''{"a": 1}'', ''a'')', 'kg_column_numeric(''{"a": 1.5}'', ''a'')',
  'kg_column_boolean(''{"a": true}'', ''a'')', 'kg_column_date(''{"a": "2020-01-02"}'', ''a'')', 'kg_column_timestamptz(''{"a": "2020-01-02T03:04:05Z"}'', ''a'')', 'kg_column_jsonb(''{"a": [1]}'', ''a'')', 'kg_column_text_array(''{"a": ["b"]}'', ''a'')', 'kg_column_bigint_array(''{"a": [1]}'', ''a'')', 'kg_column_numeric_array(''{"a": [1.5]}'', ''a'')',
  'kg_column_boolean_array(''{"a": [true]}'', ''a'')', 'kg_column_date_array(''{"a": ["2020-01-02"]}'', ''a'')', 'kg_column_timestamptz_array(''{"a": ["2020-01-02T03:04:05Z"]}'', ''a'')',
  'kg_tenant()', 'kg_tenant(''write'')', 'kg_own_tenant(''path'')', 'kg_agent()', 'kg_claim(''sub'')', 'kg_logout()', 'kg_bundle_visible(''path'')', 'kg_entity_visible(''path'', ''1/'')', 'kg_entity_visible(''path'', ''1/'', 1, 1, ''a'', ''{}'')', 'kg_entity_valid(1, ''{}'')', 'kg_edge_valid(1, ''{}'')', 'kg_derived_tenant()', 'kg_derived_tenant(''write'')', 'kg_packed_tenant()',
  'kg_apply_bundle(public.hostile_bundle())', 'kg_apply_bundle(public.hostile_bundle(), ''{"dry_run": true}'')',
  'kg_apply_bundle(''{"bundle_name": "path", "version": "2", "schemas": [{"entity_type": "maker", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "size": {"type": "number", "x-index": true}}}}], "entities": [{"entity_type": "maker", "items": [{"id": "m3", "size": 3}]}]}'')',
  'kg_apply_bundle(''{"bundle_name": "path", "version": "2", "schemas": [{"entity_type": "extra", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "maker": {"type": "string", "x-ref": "maker"}}}}], "entities": [{"entity_type": "extra", "items": [{"id": "e1", "maker": "m1"}]}]}'', ''{"mode": "merge"}'')',
  'kg_apply_bundle_text(''{"bundle_name": "path", "version": "3", "entities": [{"entity_type": "maker", "items": [{"id": "m2", "size": 7, "tags": ["z"]}]}], "edges": [{"relation": "LIKES", "from": "thing:t3", "to": "thing:t1"}]}'', ''{"mode": "merge"}'')',
  'kg_change_visible(''path'', 1, ''t1'', 1, ''{}'', ''{}'')', 'kg_history(''thing'', ''t1'', ''{"limit": 1}'')', 'kg_history(''maker'', ''m1'')', 'kg_past_keeps(true, 1)', 'kg_past(''kg_term'')', 'kg_past(''kg_entity'', 1)', 'kg_past(''kg_entity'', ''{1}''::pg_catalog.int8[])', 'kg_past(''kg_index_key'', 1, 1)', 'kg_past_keeps(true, 1, 1, ''path'', 1)', 'kg_history(''LIKES'', ''{"from": "t2", "to": "t3"}''::pg_catalog.jsonb)', 'kg_history(''KNOWS'', ''{"from": "t2", "to": "t3"}'')', 'kg_revert(kg_history(''thing'', ''t3'') OPERATOR(pg_catalog.#>) ''{changes,0,change}'', ''{"dry_run": true, "reason": "none"}'')', 'kg_revert(''[999999999]'')', 'kg_prune_history(''2020-01-01'')', 'kg_changes() OPERATOR(pg_catalog.-) ''position''',
  'kg_bind_table(''path'', ''pg_catalog.pg_am'', ''{"shared": true}'')', 'kg_suggest_bindings(''nowhere'')', 'kg_binding_report(''nothing'')', 'kg_export_bundle(''path'')', 'kg_export_bundle_parts(''path'')', 'kg_drop_bundle(''path'')', 'kg_rebuild()', 'kg_pack()', 'kg_load_position(''none'')', 'kg_load_batch(''none'', 1, ''{}'')',
  'kg_put_entities(''thing'', ''[{"id": "t1", "name": "Light", "maker": "m2"}, {"id": "t9", "maker": "m1", "by_code": "c1"}, {"id": "t8", "maker": "none"}]'')',
  'kg_update_entities(''thing'', ''[{"id": "t1", "set": {"name": "Lamp"}, "expected_version": 1}, {"id": "none", "unset": ["name"]}]'')',
  'kg_put_embeddings(''thing'', ''[{"id": "t1", "vector": [1, 2]}]'')', 'kg_missing_embeddings(''thing'')', 'kg_search(''{"vector": [1, 2], "mode": "meaning"}'')', 'kg_cosine_distance(''{1}'', ''{1}'')',
  'kg_put_entities(''maker'', ''[{"id": "m1", "name": "Ada", "path": "1/2/", "code": "c1"}, {"id": "m4", "code": "c4"}]'')',
  'kg_delete_entities(''maker'', ARRAY[''m1'', ''none''])', 'kg_put_edges(''[{"relation": "LIKES", "from": "thing:t3", "to": "thing:t1"}]'')',
  'kg_delete_edges(''[{"relation": "LIKES", "from": "thing:t1", "to": "thing:t2"}]'')',
  'kg_list(''maker'')', 'kg_list(''maker'', ''{"filters": {"size": {"gt": 1}, "tags": "y"}, "sort": [{"field": "size", "order": "desc"}]}'')', 'kg_list(''maker'', ''{"filters": {"name": {"contains": "Ada"}}}'')',
  'kg_list(''thing'', ''{"search": "lamb", "filters": {"kind": "a"}}'')', 'kg_list(''thing'', ''{"limit": 1, "sort": [{"field": "kind"}]}'')', 'kg_list(''thing'', ''{"filters": {"kind": "c"}}'')', 'kg_list_ids(''thing'', ''{"limit": 2}'')',
  'kg_get(''thing'', ''t1'')', 'kg_get(''thing'', ARRAY[''t2'', ''t22''])', 'kg_graph_schema()', 'kg_find_nodes(''{"node_label": "thing", "filters": {"kind": "a"}}'')', 'kg_find_nodes(''{"node_label": "thing", "ids": ["t1", "t11"]}'')',
  'kg_traverse(''{"from": {"label": "thing", "ids": ["t1"]}, "relationships": [{"type": "LIKES"}, {"type": "MAKER", "direction": "outgoing"}]}'')', 'kg_neighbors(''{"start_node": {"label": "maker", "node_id": "m1"}, "max_hops": 2}'')',
  'kg_rank(''{"seeds": ["t1", {"id": "maker:m1", "weight": 2}]}'')', 'kg_analyze(''{"measure": "communities"}'')', 'kg_duplicates(''maker'', ''{"min_score": 0.01}'')', 'kg_merge(''thing'', ''t2'', ARRAY[''t3''], ''{"prefer": "t2"}'') OPERATOR(pg_catalog.-) ''transaction''', 'kg_keep_measure(''maker'', ''size'', ''{"measure": "degree"}'')', 'kg_analyze(''{"measure": "jaccard", "nodes": ["thing:t1", "maker:m1"]}'')', 'kg_query(''{"sql": "SELECT t.name, lower(m.name) || repeat(''''x'''', 2), count(*) OVER () > 1 FROM thing t JOIN maker m ON m.id = t.maker WHERE t.kind = $1 OR t.name LIKE $2 ORDER BY 1", "params": ["a", "l%"]}'')', 'kg_paths(''{"from": {"label": "thing", "ids": ["t1"]}, "to": {"label": "thing", "ids": ["t3"]}}'')', 'kg_aggregate(''{"node": {"label": "thing"}, "group_by": [{"property": "kind"}], "aggregations": [{"fn": "count"}]}'')',
  'kg_describe_schema()', 'kg_search(''{"query": "lamp"}'')', 'kg_bfs(''{"seeds": ["thing:t1"], "max_hops": 2}'')', 'kg_describe(''{"id": "thing:t1"}'')', 'kg_describe_many(''{"ids": ["thing:t1", "maker:m2"]}'')',
  'kg_intersect(''{"seeds": ["thing:t1", "thing:t3"], "k": 1}'')', 'kg_verify(''{"claims": [{"entity": "thing:t1"}, {"entity": "t1", "property": "name", "is": "x"}, {"name": "lamp"}, {"from": "thing:t1", "to": "thing:t3", "within": 2}, {"none": {"tool": "find_nodes", "arguments": {"node_label": "thing"}}}]}'') OPERATOR(pg_catalog.->) ''counts''', 'kg_explain(''list_thing'', ''{}'') OPERATOR(pg_catalog.->) ''ast''', 'kg_list_tools()', 'kg_register_tool(''{"name": "few", "version": "1.0.0", "kind": "query", "description": "A query.", "input_schema": {"properties": {"n": {"type": "integer"}}}, "operation": {"tool": "list_thing", "arguments": {"limit": {"$arg": "n"}}}}'')', 'kg_unregister_tool(''few'')', 'kg_registered_tools()', 'kg_call_tool(''list_thing'', ''{"limit": 1}'')', 'kg_call_tool(''none'')',
  'kg_to_mermaid(public.kg_export_bundle(''path''))', 'kg_to_dot(public.kg_export_bundle(''path''))', 'kg_validate(''1'', ''{"type": "integer"}'')', 'kg_validation_errors(''"a"'', ''{"pattern": "^b"}'')', 'kg_schema_check(''{}'')',
  'kg_packed_key(''\x00'', 1)', 'kg_packed_keys(''\x00'', 1)', 'kg_create_agent(''other'', ''{"title": "t", "bundles": ["path"], "toolsets": ["graph"]}'')', 'kg_alter_agent(''bot'', ''{"title": "u", "tools": ["list_thing"]}'')', 'kg_drop_agent(''bot'')',
  'kg_health() OPERATOR(pg_catalog.-) ''timestamp''', 'kg_stat_tools()', 'kg_check() OPERATOR(pg_catalog.-) ''ms''', 'kg_check(''{"repair": true}'') OPERATOR(pg_catalog.-) ''ms''', 'kg_set_limits(''hostile'', ''agent:bot'', ''{"concurrent_calls": 2, "max_call_time": "5 s"}'')', 'kg_limits()', 'kg_bind_agent(''bot'', ''path'')', 'kg_unbind_agent(''bot'', ''path'')', 'kg_grant(''hostile'', ''hostile_admin'', ''admin'')', 'kg_revoke(''hostile'', ''hostile_admin'')']);
INSERT INTO public.hostile_call(who, call) SELECT 'hostile_admin', format('kg_mcp(%L)', jsonb_build_object('jsonrpc', '2.0', 'id', 1, 'method', m ->> 0, 'params', m -> 1))
  FROM jsonb_array_elements('[["initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}], ["ping", {}], ["tools/list", {}], ["prompts/list", {}], ["resources/list", {}], ["resources/templates/list", {}],
    ["tools/call", {"name": "list_thing", "arguments": {"filters": {"kind": "a"}}}], ["tools/call", {"name": "bfs_query", "arguments": {"seeds": ["thing:t1"]}}], ["prompts/get", {"name": "path"}], ["prompts/get", {"name": "path/entity", "arguments": {"entity_type": "thing", "id": "t1"}}],
    ["resources/read", {"uri": "kg://bundle/path"}], ["resources/read", {"uri": "kg://schema/path/thing"}], ["resources/read", {"uri": "kg://entity/thing:t1"}], ["resources/read", {"uri": "kg://entity/thing:none"}],
    ["completion/complete", {"ref": {"type": "ref/resource", "uri": "kg://entity/{handle}"}, "argument": {"name": "handle", "value": "thing:t"}}], ["completion/complete", {"ref": {"type": "ref/resource", "uri": "kg://entity/{type}:{id}"}, "argument": {"name": "id", "value": "La"}, "context": {"arguments": {"type": "thing"}}}],
    ["completion/complete", {"ref": {"type": "ref/resource", "uri": "kg://entity/{type}:{id}"}, "argument": {"name": "id", "value": "t"}, "context": {"arguments": {"type": "thing"}}}], ["logging/setLevel", {"level": "info"}], ["resources/subscribe", {"uri": "kg://bundle/path"}], ["nothing", {}]]') m;
INSERT INTO public.hostile_call(who, call) SELECT 'hostile_gateway', unnest(ARRAY['kg_mcp(''{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "explore_neighbors", "arguments": {"start_node": {"label": "thing", "node_id": "t1"}}}}'', pg_catalog.current_setting(''hostile.token''))',
  'kg_mcp(''{"jsonrpc": "2.0", "id": 1, "method": "completion/complete", "params": {"ref": {"type": "ref/resource", "uri": "kg://entity/{type}:{id}"}, "argument": {"name": "id", "value": "m"}, "context": {"arguments": {"type": "maker"}}}}'', pg_catalog.current_setting(''hostile.token''))',
  'kg_mcp(''[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]'', pg_catalog.current_setting(''hostile.token''))', 'kg_login(pg_catalog.current_setting(''hostile.token''))', 'kg_token_limits(pg_catalog.current_setting(''hostile.token''))', 'kg_call_with_token(pg_catalog.current_setting(''hostile.token''), ''list_thing'', ''{"filters": {"kind": "a"}}'')',
  'kg_call_authorized(''list_maker'', ''{}'', ''[]'', NULL, pg_catalog.current_setting(''hostile.token''))', 'kg_mcp_authorized(''{"jsonrpc": "2.0", "id": 1, "method": "ping"}'', pg_catalog.current_setting(''hostile.token''), NULL)']);
INSERT INTO public.hostile_call(who, call) SELECT :'super', unnest(ARRAY['kg_enable_vectors(2, ''m'')', 'kg_disable_vectors()', 'kg_create_tenant(''hostile 2'')', 'kg_drop_tenant(''hostile'')', 'kg_rename_tenant(''hostile'', ''hostile 3'') FROM public.kg_freeze_tenant(''hostile'')', 'kg_mark_moved(''hostile'') FROM public.kg_freeze_tenant(''hostile'')', 'kg_free_tenant_name(''hostile'')', 'kg_tenant_size(''hostile'') OPERATOR(pg_catalog.->) ''entities''', 'kg_freeze_tenant(''hostile'')', 'kg_thaw_tenant(''hostile'')', 'kg_export_tenant(''hostile'')', 'kg_import_tenant(''{}'')', 'kg_set_shard(0)', 'kg_grant(''hostile'', ''hostile_admin'', ''read'')', 'kg_revoke(''hostile'', ''hostile_admin'')',
  'kg_grant_gateway(''hostile_gateway'')', 'kg_revoke_gateway(''hostile_gateway'')', 'kg_check() OPERATOR(pg_catalog.-) ''ms''', 'kg_definitions_wrong()', 'kg_health() OPERATOR(pg_catalog.-) ''timestamp'' OPERATOR(pg_catalog.#-) ''{components,2}''', 'kg_definitions()', 'kg_require_owner(''x'')', 'kg_policy_probe(''kg_entity'', 0)', 'kg_more_definitions() ORDER BY 1', 'kg_our_tables()', 'kg_our_functions()', 'kg_table_settings()', 'kg_manifest_text(''public.kg_entity'')', 'kg_add_policy(''hide'', ''kg_entity'', ''entity_id OPERATOR(pg_catalog.<>) ''''t1'''''')', 'kg_drop_policy(''none'')', 'kg_set_authorizer(''hostile'', NULL)', 'kg_dump_customizations()', 'kg_policy_text((SELECT polqual FROM pg_catalog.pg_policy WHERE polname OPERATOR(pg_catalog.=) ''kg_edge_select''), ''public.kg_edge''::pg_catalog.regclass)', 'kg_policy_expression(''entity_id OPERATOR(pg_catalog.<>) ''''t1'''''')', 'kg_renew_secrets()', 'kg_issue_token(''{"iat": 1, "exp": 2}'')']);
-- plain statements, whose triggers and policies are ours
CREATE FUNCTION public.hostile_write(n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer pg_catalog.text;
BEGIN
  IF n OPERATOR(pg_catalog.=) 1 THEN INSERT INTO public.kg_entity(bundle, entity_type, data) VALUES ('path', 'thing', '{"id": "t7", "maker": "m1"}') RETURNING entity_id INTO answer;
  ELSIF n OPERATOR(pg_catalog.=) 2 THEN UPDATE public.kg_entity SET data = '{"id": "m1", "name": "New", "path": "3/", "code": "c1", "size": 7}' WHERE entity_id OPERATOR(pg_catalog.=) 'm1' RETURNING scope INTO answer;
  ELSIF n OPERATOR(pg_catalog.=) 3 THEN DELETE FROM public.kg_entity WHERE entity_id OPERATOR(pg_catalog.=) 'm1' RETURNING entity_id INTO answer;
  ELSIF n OPERATOR(pg_catalog.=) 4 THEN DELETE FROM public.kg_edge WHERE property IS NULL;
  ELSIF n OPERATOR(pg_catalog.=) 5 THEN SELECT pg_catalog.string_agg(id, ',' ORDER BY id) INTO answer FROM hostile_views.maker WHERE size OPERATOR(pg_catalog.>) 1 AND id OPERATOR(pg_catalog.>) 'a';
  ELSIF n OPERATOR(pg_catalog.=) 6 THEN SELECT pg_catalog.string_agg("to", ',' ORDER BY "to") INTO answer FROM hostile_views."LIKES" WHERE "from" OPERATOR(pg_catalog.=) 't1';
  ELSE SELECT pg_catalog.string_agg(entity_id, ',' ORDER BY entity_id) INTO answer FROM public.kg_entity; END IF;
  RETURN answer;
END
$$;
INSERT INTO public.hostile_call(who, call) SELECT 'hostile_admin', format('hostile_write(%s)', n) FROM generate_series(1, 7) n;
SELECT p.proname AS not_called FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kg_graph'
 WHERE p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype) AND NOT EXISTS (SELECT FROM public.hostile_call WHERE call LIKE p.proname || '(%') ORDER BY 1;

-- Everything of pg_catalog once more.
\c - hostile_admin
SET client_min_messages = warning;
CREATE SCHEMA hostile;
DO $do$
DECLARE
  it record;
  arguments text;
  made int := 0;
BEGIN
  FOR it IN SELECT p.proname, p.prorettype, p.proretset, array_agg(t.oid ORDER BY a.n) FILTER (WHERE t.oid IS NOT NULL) AS types
      FROM pg_proc p LEFT JOIN unnest(p.proargtypes::oid[]) WITH ORDINALITY a(type, n) ON true
      LEFT JOIN pg_type t ON t.oid = CASE a.type WHEN '"any"'::regtype THEN 'anyelement'::regtype ELSE a.type END
     WHERE p.pronamespace = 'pg_catalog'::regnamespace GROUP BY p.oid LOOP
    SELECT string_agg(format_type(t, NULL), ', ') INTO arguments FROM unnest(it.types) t;
    BEGIN
      EXECUTE format('CREATE FUNCTION hostile.%I(%s) RETURNS %s LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION ''hostile function %s''; END $f$',
        it.proname, arguments, CASE WHEN EXISTS (SELECT FROM pg_type WHERE oid = it.prorettype AND typtype = 'p') THEN 'pg_catalog.text' ELSE format_type(it.prorettype, NULL) END, replace(it.proname, '''', ''));
      made := made + 1;
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
  END LOOP;
  FOR it IN SELECT o.oprname, o.oprleft, o.oprright, p.proname FROM pg_operator o JOIN pg_proc p ON p.oid = o.oprcode WHERE o.oprnamespace = 'pg_catalog'::regnamespace LOOP
    BEGIN
      EXECUTE format('CREATE OPERATOR hostile.%s (%s RIGHTARG = %s, FUNCTION = hostile.%I)', it.oprname,
        CASE WHEN it.oprleft <> 0 THEN format('LEFTARG = %s,', format_type(it.oprleft, NULL)) END, format_type(it.oprright, NULL), it.proname);
      made := made + 1;
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
  END LOOP;
  FOR it IN SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype = 'b' AND typcategory <> 'A' LOOP
    EXECUTE format('CREATE TYPE hostile.%I AS (hostile pg_catalog.int4)', it.typname);
    made := made + 1;
  END LOOP;
  -- and a cast
  CREATE CAST (hostile.text AS pg_catalog.text) WITH INOUT AS IMPLICIT;
  RAISE WARNING 'hostile objects: %', CASE WHEN made > 3000 THEN 'more than 3000' ELSE made::text END;
END
$do$;
GRANT USAGE ON SCHEMA hostile TO PUBLIC;

-- Each call in a subtransaction that is rolled back.
CREATE FUNCTION hostile.run(call pg_catalog.text, path pg_catalog.text) RETURNS pg_catalog.text LANGUAGE plpgsql AS $$
DECLARE
  answer pg_catalog.text;
  detail pg_catalog.text;
BEGIN
  PERFORM pg_catalog.set_config('search_path', path, true);
  BEGIN
    EXECUTE call INTO answer;
    RAISE EXCEPTION USING ERRCODE = 'KG000', MESSAGE = 'done';
  EXCEPTION WHEN SQLSTATE 'KG000' THEN NULL;
    WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
      answer := pg_catalog.concat('error: ', SQLSTATE, ' ', SQLERRM, ' ', detail);
  END;
  PERFORM pg_catalog.set_config('search_path', 'public', true);
  RETURN answer;
END
$$;
\c - :super
GRANT SELECT, UPDATE ON public.hostile_call TO PUBLIC;
SELECT kg_issue_token('{"tenant": "hostile", "sub": "s", "traversal_ids": ["1/"]}') AS token \gset
-- hostile first: nothing is in any cache
SELECT format('SET hostile.token = %L', :'token') AS set_token \gset
\c - hostile_admin
CREATE TEMP TABLE kg_entity (LIKE public.kg_entity); CREATE TEMP TABLE kg_bundle (LIKE public.kg_bundle); CREATE TEMP TABLE kg_tenant_role (LIKE public.kg_tenant_role);
UPDATE public.hostile_call SET hostile = hostile.run('SELECT public.' || call, 'pg_temp, hostile, pg_catalog, public') WHERE who = session_user;
\c - hostile_gateway
:set_token;
UPDATE public.hostile_call SET hostile = hostile.run('SELECT public.' || call, 'hostile, pg_catalog, public') WHERE who = session_user;
\c - :super
UPDATE public.hostile_call SET hostile = hostile.run('SELECT public.' || call, 'hostile, pg_catalog, public') WHERE who = session_user;
-- then clean, and hostile once more in the same session, whose plans were made without
\c - hostile_admin
UPDATE public.hostile_call SET clean = hostile.run('SELECT public.' || call, 'public') WHERE who = session_user;
SELECT call, hostile, clean FROM public.hostile_call WHERE who = session_user AND hostile IS DISTINCT FROM clean ORDER BY n;
UPDATE public.hostile_call SET hostile = hostile.run('SELECT public.' || call, 'hostile, pg_catalog, public') WHERE who = session_user;
SELECT call, hostile, clean FROM public.hostile_call WHERE who = session_user AND hostile IS DISTINCT FROM clean ORDER BY n;
\c - hostile_gateway
:set_token;
UPDATE public.hostile_call SET clean = hostile.run('SELECT public.' || call, 'public') WHERE who = session_user;
\c - :super
UPDATE public.hostile_call SET clean = hostile.run('SELECT public.' || call, 'public') WHERE who = session_user;
SELECT who, call, hostile, clean FROM public.hostile_call WHERE hostile IS DISTINCT FROM clean ORDER BY n;
SELECT call, left(clean, 200) AS clean FROM public.hostile_call WHERE clean LIKE 'error: %' OR clean LIKE '%INTERNAL%' ORDER BY n;
SELECT count(*) > 90 AS many FROM public.hostile_call WHERE clean IS NOT NULL;

SET client_min_messages = warning;
DROP TABLE public.hostile_call;
DROP SCHEMA hostile CASCADE;
DROP FUNCTION public.hostile_bundle(), public.hostile_write(int);
SELECT kg_drop_tenant('hostile');
DELETE FROM kg_vectors;
SELECT kg_revoke_gateway('hostile_gateway');
DELETE FROM kg_auth_key WHERE issuer = 'https://hostile';
DROP OWNED BY hostile_admin, hostile_gateway;
DROP ROLE hostile_admin, hostile_gateway;
