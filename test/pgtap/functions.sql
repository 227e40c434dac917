-- Every function of the extension: volatility, parallel label, strictness,
-- search_path, privileges, comment.
\set ON_ERROR_STOP 1
BEGIN;
SELECT no_plan();

CREATE TEMP VIEW member AS
  SELECT p.*, l.lanname, p.oid::regprocedure::text AS signature
    FROM pg_proc p
    JOIN pg_language l ON l.oid = p.prolang
    JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
    JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
   WHERE e.extname = 'kg_graph';

SELECT cmp_ok(count(*), '>', 0::bigint, 'there are functions') FROM member;
SELECT ok(proname ~ '^kg_[a-z_]+$', signature || ' has a name of ours') FROM member ORDER BY signature COLLATE "C";
SELECT ok(NOT prosecdef, signature || ' runs as the caller') FROM member ORDER BY signature COLLATE "C";
-- What holds at an instant is asked before the policies, and tells nothing of what it is asked about but that; columns of
-- views raise nothing, whatever they read.
SELECT is(proleakproof, signature IN ('kg_entity_valid(integer,jsonb)', 'kg_edge_valid(integer,jsonb)', 'kg_view_row(bigint,text,text,text,text)') OR proname ~ '^kg_column_', signature || ' claims to be leakproof, or not') FROM member ORDER BY signature COLLATE "C";

-- Everything but the validator, the readers of packed keys and of columns, and what views say to the planner, which read their
-- arguments only, depends on
-- tables, grants or settings: nothing may be folded into a plan.
SELECT ok(provolatile <> 'i', signature || ' is not IMMUTABLE') FROM member
 WHERE proname !~ '^kg_(validat|schema_check|packed_key|column_|view_row|view_support|own_tenant_support)' ORDER BY signature COLLATE "C";

-- What writes is VOLATILE and PARALLEL UNSAFE.
SELECT ok(provolatile = 'v' AND proparallel = 'u', signature || ' writes: VOLATILE, PARALLEL UNSAFE')
  FROM member
 WHERE proname ~ '^kg_(create|drop|grant|revoke|apply|put|delete|merge|pack|register|bind|unbind|refresh|revert|prune)(_|$)'
    OR prorettype = 'trigger'::regtype
 ORDER BY signature COLLATE "C";

-- What only reads is STABLE, and never PARALLEL SAFE: the tenant and the
-- catalog are the backend's, not a worker's.
SELECT ok(provolatile = 's' AND proparallel IN ('r', 'u'), signature || ' reads: STABLE, not PARALLEL SAFE')
  FROM member
 WHERE proname IN ('kg_tenant', 'kg_list', 'kg_list_ids', 'kg_get', 'kg_list_tools', 'kg_export_bundle', 'kg_export_bundle_parts',
                   'kg_graph_schema', 'kg_find_nodes', 'kg_traverse', 'kg_neighbors', 'kg_paths', 'kg_rank', 'kg_analyze', 'kg_duplicates',
                   'kg_aggregate', 'kg_describe_schema', 'kg_search', 'kg_bfs', 'kg_describe',
                   'kg_describe_many', 'kg_intersect', 'kg_verify', 'kg_query', 'kg_history', 'kg_changes', 'kg_health', 'kg_stat_tools')
 ORDER BY signature COLLATE "C";

-- A function body that the server parses by the caller's search_path is pinned.
SELECT ok(proconfig @> ARRAY['search_path=pg_catalog, pg_temp'], signature || ' pins its search_path')
  FROM member WHERE lanname NOT IN ('c', 'internal') ORDER BY signature COLLATE "C";
SELECT ok(lanname IN ('c', 'plpgsql', 'sql'), signature || ' is in a language that is always there')
  FROM member ORDER BY signature COLLATE "C";

-- Trigger functions and what makes or shows more than a tenant's own data are
-- not for everybody; the rest check their caller themselves.
SELECT is(has_function_privilege('public', oid, 'EXECUTE'),
          NOT (prorettype = 'trigger'::regtype
               OR proname IN ('kg_create_tenant', 'kg_drop_tenant', 'kg_rename_tenant', 'kg_free_tenant_name', 'kg_tenant_size', 'kg_freeze_tenant', 'kg_thaw_tenant', 'kg_export_tenant', 'kg_import_tenant', 'kg_set_shard', 'kg_mark_moved', 'kg_explain', 'kg_login',
                               'kg_issue_token', 'kg_grant_gateway', 'kg_revoke_gateway',
                               'kg_set_authorizer', 'kg_add_policy', 'kg_drop_policy', 'kg_dump_customizations', 'kg_policy_text', 'kg_renew_secrets',
                               'kg_definitions', 'kg_more_definitions', 'kg_our_tables', 'kg_our_functions', 'kg_definitions_wrong', 'kg_table_settings', 'kg_manifest_text', 'kg_enable_vectors', 'kg_disable_vectors')),
          signature || ': EXECUTE for PUBLIC as documented')
  FROM member ORDER BY signature COLLATE "C";

SELECT ok(obj_description(oid, 'pg_proc') IS NOT NULL, signature || ' has a comment')
  FROM member ORDER BY signature COLLATE "C";
SELECT ok(proargnames IS NOT NULL OR pronargs = 0, signature || ' names its arguments')
  FROM member ORDER BY signature COLLATE "C";

-- All of them: what a function may do is decided on purpose, and said here too.
SELECT bag_eq(
  $$SELECT signature, CASE provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END AS volatility,
           CASE proparallel WHEN 's' THEN 'safe' WHEN 'r' THEN 'restricted' ELSE 'unsafe' END AS parallel,
           proisstrict, has_function_privilege('public', oid, 'EXECUTE') FROM member$$,
  $$VALUES -- volatility, parallel, strict, for everybody
    ('kg_add_policy(text,text,text,text,text,text[])', 'volatile', 'unsafe', false, false),
    ('kg_agent()', 'stable', 'restricted', false, true),
    ('kg_aggregate(jsonb)', 'stable', 'restricted', true, true),
    ('kg_alter_agent(text,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_apply_bundle(jsonb,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_apply_bundle_text(text,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_check_auth_key()', 'volatile', 'unsafe', false, false),
    ('kg_bfs(jsonb)', 'stable', 'restricted', true, true),
    ('kg_bind_agent(text,text)', 'volatile', 'unsafe', false, true),
    ('kg_bind_table(text,text,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_binding_report(text)', 'stable', 'unsafe', false, true),
    ('kg_suggest_bindings(text,jsonb)', 'stable', 'unsafe', false, true),
    ('kg_bundle_visible(text)', 'stable', 'restricted', false, true),
    ('kg_call_tool(text,jsonb,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_invalidate_catalog()', 'volatile', 'unsafe', false, false),
    ('kg_check(jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_definitions_wrong(boolean)', 'stable', 'unsafe', false, false),
    ('kg_more_definitions()', 'stable', 'unsafe', false, false),
    ('kg_our_tables()', 'stable', 'unsafe', false, false),
    ('kg_our_functions()', 'stable', 'unsafe', false, false),
    ('kg_claim(text)', 'stable', 'restricted', true, true),
    ('kg_create_agent(text,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_create_tenant(text)', 'volatile', 'unsafe', false, false),
    ('kg_require_owner(text)', 'stable', 'safe', true, true),
    ('kg_policy_probe(text,oid)', 'stable', 'unsafe', true, true),
    ('kg_delete_edges(jsonb,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_delete_entities(text,text[],jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_merge(text,text,text[],jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_keep_measure(text,text,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_derived_tenant()', 'stable', 'restricted', false, true),
    ('kg_derived_tenant(text)', 'stable', 'restricted', true, true),
    ('kg_packed_tenant()', 'stable', 'restricted', false, true),
    ('kg_describe(jsonb)', 'stable', 'restricted', true, true),
    ('kg_describe_many(jsonb)', 'stable', 'restricted', true, true),
    ('kg_describe_schema(jsonb)', 'stable', 'restricted', true, true),
    ('kg_drop_agent(text)', 'volatile', 'unsafe', false, true),
    ('kg_drop_bundle(text,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_cosine_distance(real[],real[])', 'stable', 'safe', true, true),
    ('kg_disable_vectors()', 'volatile', 'unsafe', false, false),
    ('kg_enable_vectors(integer,text)', 'volatile', 'unsafe', false, false),
    ('kg_missing_embeddings(text,integer)', 'stable', 'restricted', true, true),
    ('kg_drop_tenant(text)', 'volatile', 'unsafe', false, false),
    ('kg_drop_tenant(text,integer)', 'volatile', 'unsafe', false, false),
    ('kg_rename_tenant(text,text)', 'volatile', 'unsafe', false, false),
    ('kg_mark_moved(text)', 'volatile', 'unsafe', false, false),
    ('kg_call_with_token(text,text,jsonb,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_token_limits(text)', 'volatile', 'unsafe', false, true),
    ('kg_free_tenant_name(text)', 'volatile', 'unsafe', false, false),
    ('kg_tenant_size(text)', 'stable', 'unsafe', true, false),
    ('kg_freeze_tenant(text)', 'volatile', 'unsafe', false, false),
    ('kg_thaw_tenant(text)', 'volatile', 'unsafe', false, false),
    ('kg_export_tenant(text,jsonb)', 'stable', 'unsafe', false, false),
    ('kg_import_tenant(text[],jsonb,integer)', 'volatile', 'unsafe', false, false),
    ('kg_set_shard(integer)', 'volatile', 'unsafe', false, false),
    ('kg_hold_tenant()', 'volatile', 'unsafe', false, false),
    ('kg_drop_policy(text)', 'volatile', 'unsafe', false, false),
    ('kg_dump_customizations()', 'stable', 'unsafe', false, false),
    ('kg_definitions()', 'stable', 'unsafe', false, false),
    ('kg_table_settings()', 'stable', 'unsafe', false, false),
    ('kg_manifest_text(text)', 'stable', 'safe', true, false),
    ('kg_health()', 'stable', 'unsafe', false, true),
    ('kg_refuse_replication()', 'volatile', 'unsafe', false, false),
    ('kg_policy_text(pg_node_tree,oid)', 'stable', 'safe', true, false),
    ('kg_policy_expression(text)', 'stable', 'safe', true, true),
    ('kg_make_policy()', 'volatile', 'unsafe', false, false),
    ('kg_renew_secrets()', 'volatile', 'unsafe', false, false),
    ('kg_check_edges()', 'volatile', 'unsafe', false, false),
    ('kg_clear_packed()', 'volatile', 'unsafe', false, false),
    ('kg_derive_entities()', 'volatile', 'unsafe', false, false),
    ('kg_check_entity()', 'volatile', 'unsafe', false, false),
    ('kg_own_tenant(text)', 'stable', 'restricted', true, true),
    ('kg_own_tenant_support(internal)', 'immutable', 'safe', true, true),
    ('kg_entity_visible(text,text)', 'stable', 'restricted', false, true),
    ('kg_entity_visible(text,text,integer,bigint,text,jsonb)', 'stable', 'restricted', false, true),
    ('kg_entity_valid(integer,jsonb)', 'stable', 'restricted', false, true),
    ('kg_edge_valid(integer,jsonb)', 'stable', 'restricted', false, true),
    ('kg_column_text(jsonb,text)', 'immutable', 'safe', true, true),
    ('kg_column_text_array(jsonb,text)', 'immutable', 'safe', true, true),
    ('kg_column_bigint(jsonb,text)', 'immutable', 'safe', true, true),
    ('kg_column_bigint_array(jsonb,text)', 'immutable', 'safe', true, true),
    ('kg_column_numeric(jsonb,text)', 'immutable', 'safe', true, true),
    ('kg_column_numeric_array(jsonb,text)', 'immutable', 'safe', true, true),
    ('kg_column_boolean(jsonb,text)', 'immutable', 'safe', true, true),
    ('kg_column_boolean_array(jsonb,text)', 'immutable', 'safe', true, true),
    ('kg_column_date(jsonb,text)', 'immutable', 'safe', true, true),
    ('kg_column_date_array(jsonb,text)', 'immutable', 'safe', true, true),
    ('kg_column_timestamptz(jsonb,text)', 'immutable', 'safe', true, true),
    ('kg_column_timestamptz_array(jsonb,text)', 'immutable', 'safe', true, true),
    ('kg_column_jsonb(jsonb,text)', 'immutable', 'safe', true, true),
    ('kg_view_support(internal)', 'immutable', 'safe', true, true),
    ('kg_view_row(bigint,text,text,text,text)', 'immutable', 'restricted', true, true),
    ('kg_view_nodes(text,text,text,text,jsonb,text,jsonb)', 'volatile', 'restricted', false, true),
    ('kg_view_edges(bigint,integer)', 'stable', 'restricted', true, true),
    ('kg_create_views(text,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_refresh_views(text,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_explain(text,jsonb)', 'stable', 'restricted', true, false),
    ('kg_export_bundle(text)', 'stable', 'unsafe', true, true),
    ('kg_export_bundle_parts(text)', 'stable', 'unsafe', true, true),
    ('kg_find_nodes(jsonb)', 'stable', 'restricted', true, true),
    ('kg_get(text,text)', 'stable', 'restricted', true, true),
    ('kg_get(text,text[])', 'stable', 'restricted', true, true),
    ('kg_grant(text,text,text)', 'volatile', 'unsafe', false, true),
    ('kg_grant_gateway(text,boolean)', 'volatile', 'unsafe', false, false),
    ('kg_graph_schema(jsonb)', 'stable', 'restricted', true, true),
    ('kg_intersect(jsonb)', 'stable', 'restricted', true, true),
    ('kg_issue_token(jsonb,text,interval)', 'volatile', 'unsafe', false, false),
    ('kg_change_visible(text,integer,text,bigint,jsonb,jsonb)', 'stable', 'restricted', false, true),
    ('kg_changes(text,text[],jsonb)', 'stable', 'restricted', true, true),
    ('kg_history(text,text,jsonb)', 'stable', 'restricted', true, true),
    ('kg_history(text,jsonb,jsonb)', 'stable', 'restricted', true, true),
    ('kg_past(text)', 'stable', 'restricted', true, true),
    ('kg_past(text,bigint)', 'stable', 'restricted', true, true),
    ('kg_past(text,bigint[])', 'stable', 'restricted', true, true),
    ('kg_past(text,integer,integer)', 'stable', 'restricted', true, true),
    ('kg_past_keeps(boolean,bigint)', 'stable', 'restricted', true, true),
    ('kg_past_keeps(boolean,bigint,integer,text,bigint)', 'stable', 'restricted', true, true),
    ('kg_revert(jsonb,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_prune_history(timestamp with time zone)', 'volatile', 'unsafe', false, true),
    ('kg_list(text,jsonb)', 'stable', 'restricted', true, true),
    ('kg_list_ids(text,jsonb)', 'stable', 'restricted', true, true),
    ('kg_check_limit()', 'volatile', 'unsafe', false, false),
    ('kg_reset_quotas()', 'volatile', 'unsafe', false, false),
    ('kg_count_bundles()', 'volatile', 'unsafe', false, false),
    ('kg_limits()', 'stable', 'restricted', true, true),
    ('kg_set_limits(text,text,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_list_tools()', 'stable', 'restricted', true, true),
    ('kg_register_tool(jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_unregister_tool(text,text)', 'volatile', 'unsafe', false, true),
    ('kg_registered_tools()', 'stable', 'restricted', false, true),
    ('kg_login(text,boolean)', 'volatile', 'unsafe', false, false),
    ('kg_logout()', 'volatile', 'unsafe', false, true),
    ('kg_load_batch(text,bigint,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_load_position(text)', 'volatile', 'unsafe', true, true),
    ('kg_mcp(jsonb,text,text)', 'volatile', 'unsafe', false, true),
    ('kg_mcp_authorized(jsonb,text,text,jsonb,text)', 'volatile', 'unsafe', false, true),
    ('kg_notify_gateways()', 'volatile', 'unsafe', false, false),
    ('kg_neighbors(jsonb)', 'stable', 'restricted', true, true),
    ('kg_set_authorizer(text,regprocedure)', 'volatile', 'unsafe', false, false),
    ('kg_call_authorized(text,jsonb,jsonb,text,text)', 'volatile', 'unsafe', false, true),
    ('kg_refuse_truncate()', 'volatile', 'unsafe', false, false),
    ('kg_pack()', 'volatile', 'unsafe', true, true),
    ('kg_packed_key(bytea,integer)', 'immutable', 'safe', true, true),
    ('kg_packed_keys(bytea,integer)', 'immutable', 'safe', true, true),
    ('kg_paths(jsonb)', 'stable', 'restricted', true, true),
    ('kg_query(jsonb)', 'stable', 'unsafe', true, true),
    ('kg_query_bounded(internal)', 'stable', 'unsafe', false, true),
    ('kg_query_search(text,text,integer)', 'stable', 'unsafe', false, true),
    ('kg_query_neighbors(text,integer,text)', 'stable', 'unsafe', false, true),
    ('kg_query_reach(text,text,text,text,integer)', 'stable', 'unsafe', false, true),
    ('kg_query_path(text,text,integer)', 'stable', 'unsafe', false, true),
    ('kg_rank(jsonb)', 'stable', 'restricted', true, true),
    ('kg_analyze(jsonb)', 'stable', 'restricted', true, true),
    ('kg_duplicates(text,jsonb)', 'stable', 'restricted', true, true),
    ('kg_put_edges(jsonb,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_put_embeddings(text,jsonb,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_put_entities(text,jsonb,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_update_entities(text,jsonb,jsonb)', 'volatile', 'unsafe', false, true),
    ('kg_rebuild()', 'volatile', 'unsafe', true, true),
    ('kg_check_references()', 'volatile', 'unsafe', false, false),
    ('kg_revoke(text,text)', 'volatile', 'unsafe', false, true),
    ('kg_revoke_gateway(text)', 'volatile', 'unsafe', false, false),
    ('kg_stat_tools(interval)', 'stable', 'restricted', true, true),
    ('kg_schema_check(jsonb,jsonb)', 'immutable', 'safe', true, true),
    ('kg_search(jsonb)', 'stable', 'restricted', true, true),
    ('kg_tenant()', 'stable', 'restricted', false, true),
    ('kg_tenant(text)', 'stable', 'restricted', true, true),
    ('kg_check_tenant_role()', 'volatile', 'unsafe', false, false),
    ('kg_to_dot(jsonb,jsonb)', 'stable', 'safe', true, true),
    ('kg_to_mermaid(jsonb,jsonb)', 'stable', 'safe', true, true),
    ('kg_traverse(jsonb)', 'stable', 'restricted', true, true),
    ('kg_unbind_agent(text,text)', 'volatile', 'unsafe', false, true),
    ('kg_validate(json,jsonb,jsonb)', 'immutable', 'safe', true, true),
    ('kg_validate(text,jsonb,jsonb)', 'immutable', 'safe', true, true),
    ('kg_validate(jsonb,jsonb,jsonb)', 'immutable', 'safe', true, true),
    ('kg_validation_errors(json,jsonb,jsonb)', 'immutable', 'safe', true, true),
    ('kg_validation_errors(text,jsonb,jsonb)', 'immutable', 'safe', true, true),
    ('kg_validation_errors(jsonb,jsonb,jsonb)', 'immutable', 'safe', true, true),
    ('kg_verify(jsonb)', 'stable', 'unsafe', true, true)$$,
  'every function with its volatility, parallel label, strictness and privilege');

SELECT * FROM finish();
ROLLBACK;
