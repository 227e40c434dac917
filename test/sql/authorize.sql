-- x-authorize: who may see an entity is decided by a function of the tenant's.
\i test/data/prelude.sql
RESET client_min_messages;
CALL test.tenant('authorize', 'authorize_reader read', 'authorize_admin admin');
CREATE ROLE authorize_definer NOLOGIN;
SELECT kg_grant('authorize', current_user::text, 'admin');
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO authorize_reader; GRANT pg_read_all_stats TO authorize_reader;
CREATE FUNCTION authorize_bundle(types jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$ SELECT jsonb_build_object('bundle_name', 'code', 'version', '1', 'schemas', types, 'entities', '[]'::jsonb) $$;
CREATE FUNCTION authorize_types() RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$ SELECT '[
  {"entity_type": "project", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-authorize": {"ability": "read_project"}, "x-tool-expose": ["list", "get", "list_ids"],
    "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true}, "stars": {"type": "integer", "x-index": true}}}},
  {"entity_type": "issue", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "title", "x-authorize": {"ability": "read_issue", "resource_type": "project", "id": "project"}, "x-tool-expose": ["list", "get"],
    "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "n": {"type": "integer", "x-index": true}, "project": {"type": "string", "x-ref": "project", "x-relation": "IN_PROJECT"}, "author": {"type": "string", "x-ref": "person", "x-relation": "WRITTEN_BY"}}}},
  {"entity_type": "run", "schema": {"type": "object", "x-id-field": "id", "x-authorize": {"ability": "read_run", "resource_type": "pipeline", "id": "pipeline"}, "properties": {"id": {"type": "string"}, "pipeline": {"type": ["integer", "null"]}}}},
  {"entity_type": "person", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-tool-expose": ["list"],
    "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "issues": {"type": "integer", "x-derived": {"count": "WRITTEN_BY", "direction": "incoming"}}, "knows": {"type": "string", "x-ref": "person", "x-relation": "KNOWS"}}}}]'::jsonb $$;

-- What the annotation may be.
DO $$
DECLARE
  a jsonb;
  said text;
BEGIN
  FOREACH a IN ARRAY ARRAY['"read"', '{}', '{"ability": ""}', '{"ability": "a", "id": "nothing"}', '{"ability": "a", "who": "me"}', '{"ability": "a", "resource_type": 7}']::jsonb[] LOOP
    BEGIN
      PERFORM kg_apply_bundle(authorize_bundle(jsonb_set(authorize_types(), '{0,schema,x-authorize}', a)));
      RAISE WARNING 'taken: %', a;
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS said = PG_EXCEPTION_DETAIL;
      RAISE NOTICE '%: % %', a, said::jsonb #> '{errors,0,path}', said::jsonb #> '{errors,0,expected}';
    END;
  END LOOP;
END $$;

DO $$
BEGIN
  PERFORM kg_apply_bundle(authorize_bundle(jsonb_set(authorize_types() #- '{0,schema,x-authorize}', '{0,schema,allOf}', '[{"x-authorize": {"ability": "a"}}]')));
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE '%', SQLERRM;
END $$;

-- Only the owner of the extension adds it, changes it and takes it away.
SET ROLE authorize_admin;
SELECT kg_apply_bundle(authorize_bundle(authorize_types()));
RESET ROLE;
SELECT kg_apply_bundle(authorize_bundle(authorize_types()) || '{"entities": [
  {"entity_type": "project", "items": [{"id": "p1", "name": "Apollo", "stars": 1}, {"id": "p2", "name": "Borealis", "stars": 2}, {"id": "p3", "name": "Cassini", "stars": 3}]},
  {"entity_type": "person", "items": [{"id": "ann", "name": "Ann", "knows": "bob"}, {"id": "bob", "name": "Bob"}]},
  {"entity_type": "issue", "items": [{"id": "i1", "title": "a", "n": 1, "project": "p1", "author": "ann"}, {"id": "i2", "title": "b", "n": 2, "project": "p2", "author": "ann"}, {"id": "i3", "title": "c", "n": 3, "project": "p3", "author": "bob"},
    {"id": "i4", "title": "d", "n": 4, "project": "p1", "author": "bob"}, {"id": "i5", "title": "e", "n": 5, "author": "ann"}]},
  {"entity_type": "run", "items": [{"id": "r7", "pipeline": 7}, {"id": "r8", "pipeline": 8}, {"id": "r0", "pipeline": null}]}]}') ? 'revision' AS applied;
SET ROLE authorize_admin;
SELECT kg_apply_bundle(authorize_bundle(authorize_types() #- '{0,schema,x-authorize}'));
SELECT kg_apply_bundle(authorize_bundle(jsonb_set(authorize_types(), '{1,schema,x-authorize,ability}', '"other"')));
SELECT kg_apply_bundle(authorize_bundle(authorize_types() - 2));
SELECT kg_apply_bundle(authorize_bundle(jsonb_set(authorize_types(), '{0,schema,properties,more}', '{"type": "string"}')), '{"mode": "merge"}') ? 'revision' AS unchanged_annotation;
SELECT kg_drop_bundle('code');
SELECT kg_set_authorizer('authorize', NULL);
RESET ROLE;

-- Nobody there to decide: refused by the types that the arguments reach, whatever is stored.
\c - authorize_reader
SELECT kg_list('project', '{}');
SELECT kg_get('issue', 'i1');
SELECT kg_get('issue', 'nothing');
SELECT kg_call_tool('find_nodes', '{"node_label": "run"}') -> 'structuredContent' -> 'error' ->> 'code' AS code;
SELECT kg_list('person', '{}') -> 'items' AS counts_nothing;
SELECT kg_neighbors('{"start_node": {"label": "person", "node_id": "ann"}}');
SELECT kg_neighbors('{"start_node": {"label": "person", "node_id": "ann"}, "node_labels": ["person"], "max_hops": 1}') -> 'total' AS narrower;
SELECT kg_neighbors('{"start_node": {"label": "person", "node_id": "ann"}, "node_labels": ["person"], "max_hops": 2}');
SELECT kg_neighbors('{"start_node": {"label": "person", "node_id": "ann"}, "relationship_types": ["KNOWS"], "max_hops": 3}') -> 'total' AS narrower;
SELECT kg_traverse('{"from": {"label": "person"}, "relationships": [{"type": "*", "direction": "both"}]}');
SELECT kg_traverse('{"from": {"label": "person"}, "relationships": [{"type": "*", "direction": "both", "to": {"label": "person"}}]}') -> 'rows' AS narrower;
SELECT kg_paths('{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["bob"]}}');
SELECT kg_paths('{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["bob"]}, "relationship_types": ["KNOWS"]}') -> 'total' AS narrower;
SELECT kg_paths('{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["bob"]}, "node_labels": ["person"]}') -> 'total' AS narrower;
SELECT kg_aggregate('{"node": {"label": "person"}, "relationships": [{"type": "WRITTEN_BY", "direction": "incoming"}], "aggregations": [{"fn": "count"}]}');
SELECT kg_aggregate('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}]}') -> 'rows' AS narrower;
SELECT kg_search('{"query": "Apollo"}');
SELECT kg_search('{"query": "Ann", "node_types": ["person"]}') -> 'total' AS narrower;
SELECT kg_bfs('{"seeds": ["person:ann"], "max_hops": 1}');
SELECT kg_bfs('{"seeds": ["ann"], "max_hops": 1}');
SELECT kg_describe('{"id": "person:ann"}') -> 'name' AS narrower, kg_call_tool('describe_entity', '{"id": "person:nobody"}') -> 'structuredContent' -> 'error' ->> 'code' AS code;
SELECT kg_describe('{"id": "ann"}');
SELECT entity_id FROM kg_entity ORDER BY 1;
SELECT (SELECT count(*) FROM kg_edge) AS edges, (SELECT count(*) FROM kg_index_key) AS keys, (SELECT count(*) FROM kg_term) AS terms;

-- What may be an authorizer.
\c - :owner
CREATE TABLE authorize_right(who text, resource_type text, ability text, id text);
GRANT SELECT ON authorize_right TO PUBLIC;
INSERT INTO authorize_right VALUES ('authorize_reader', 'project', 'read_project', 'p1'), ('authorize_reader', 'project', 'read_project', 'p3'), ('authorize_reader', 'project', 'read_issue', 'p1'), ('authorize_reader', 'project', 'read_issue', 'p2'),
  ('authorize_reader', 'pipeline', 'read_run', '7');
CREATE FUNCTION authorize_f(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RAISE NOTICE 'asked % % %', resource_type, ability, ids;
  RETURN QUERY SELECT r.id, true FROM public.authorize_right r WHERE r.who = current_user AND r.resource_type = $1 AND r.ability = $2 AND r.id = ANY (ids);
END $$;
CREATE FUNCTION authorize_volatile(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql AS 'SELECT u, true FROM unnest(ids) u';
CREATE FUNCTION authorize_columns(resource_type text, ability text, ids text[]) RETURNS TABLE (name text, allowed boolean) LANGUAGE sql STABLE AS 'SELECT u, true FROM unnest(ids) u';
CREATE FUNCTION authorize_types(resource_type text, ability text, ids bigint[]) RETURNS TABLE (id bigint, allowed boolean) LANGUAGE sql STABLE AS 'SELECT u, true FROM unnest(ids) u';
CREATE FUNCTION authorize_one(resource_type text, ability text, ids text[]) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT true';
SELECT kg_set_authorizer('authorize', 'authorize_volatile(text, text, text[])');
SELECT kg_set_authorizer('authorize', 'authorize_columns(text, text, text[])');
SELECT kg_set_authorizer('authorize', 'authorize_types(text, text, bigint[])');
SELECT kg_set_authorizer('authorize', 'authorize_one(text, text, text[])');
SELECT kg_set_authorizer('nowhere', 'authorize_f(text, text, text[])');
SELECT kg_set_authorizer('authorize', 'authorize_f(text, text, text[])');
SELECT authorizer FROM kg_tenant WHERE tenant = 'authorize';

-- Each id is asked about once a call, of all that a step meets together; what it does not allow is not there.
\c - authorize_reader
SELECT kg_list_ids('project') -> 'ids' AS ids;
SELECT kg_list('issue', '{"sort": [{"field": "n", "order": "desc"}]}') #> '{items,0,id}' AS last, kg_list('issue', '{"filters": {"n": {"gte": 2}}}') -> 'total' AS total;
SELECT kg_get('issue', 'i1') -> 'title' AS allowed, kg_get('issue', 'i3') AS denied, kg_get('issue', 'i5') AS of_nothing;
SELECT kg_find_nodes('{"node_label": "run"}') -> 'nodes' AS runs;
SELECT kg_list('person', '{}') -> 'items' AS derived;
SELECT kg_traverse('{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "WRITTEN_BY", "direction": "incoming"}, {"type": "IN_PROJECT"}]}') -> 'rows' AS rows;
SELECT kg_neighbors('{"start_node": {"label": "person", "node_id": "ann"}, "max_hops": 3}') -> 'counts' AS counts;
SELECT kg_paths('{"from": {"label": "project", "ids": ["p1"]}, "to": {"label": "project", "ids": ["p2"]}, "max_hops": 4}') -> 'hints' AS hints;
SELECT kg_aggregate('{"node": {"label": "issue"}, "group_by": [{"property": "project"}], "aggregations": [{"fn": "count"}]}') -> 'rows' AS rows;
SELECT kg_search('{"query": "Borealis"}') AS denied;
SELECT kg_search('{"query": "Casini"}') #> '{items,0,id}' AS allowed;
SELECT kg_bfs('{"seeds": ["person:ann"], "max_hops": 2, "topology_only": true}') -> 'node_count' AS n;
SELECT kg_call_tool('describe_entity', '{"id": "project:p2"}') -> 'structuredContent' AS denied;
SELECT jsonb_array_length(kg_explain('list_issue', '{}') -> 'statements') > 0 AS explained;
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "kg://entity/project:p2"}}') -> 'error' -> 'message' AS denied;

-- By plain SQL too, as the rows come (in the order that is asked for here: where they are stored depends on autovacuum), and what is derived from entities is closed.
SELECT e.entity_type, e.entity_id FROM unnest('{project,project,project,issue,issue,issue,issue,person,person}'::text[], '{p1,p2,p3,i1,i2,i3,i4,ann,bob}'::text[]) v(t, i), LATERAL (SELECT entity_type, entity_id FROM kg_entity WHERE entity_type = t AND entity_id = i OFFSET 0) e;
SELECT (SELECT count(*) FROM kg_edge) AS edges, (SELECT count(*) FROM kg_index_key) AS keys, (SELECT count(*) FROM kg_term) AS terms;
-- What a decision allows is asked about again by the next statement.
SELECT count(*) FROM unnest('{p1,p2,p3}'::text[]) i, LATERAL (SELECT FROM kg_entity WHERE entity_type = 'project' AND entity_id = i OFFSET 0) e;
\c - :owner
INSERT INTO authorize_right VALUES ('authorize_reader', 'project', 'read_project', 'p2');
\c - authorize_reader
SELECT count(*) FROM unnest('{p1,p2,p3}'::text[]) i, LATERAL (SELECT FROM kg_entity WHERE entity_type = 'project' AND entity_id = i OFFSET 0) e;
\c - :owner
DELETE FROM authorize_right WHERE ability = 'read_project' AND id = 'p2';

-- A denied entity is not written, nor told of.
INSERT INTO authorize_right SELECT 'authorize_admin', resource_type, ability, id FROM authorize_right WHERE who = 'authorize_reader';
CREATE OR REPLACE FUNCTION authorize_f(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS $$
  SELECT r.id, true FROM public.authorize_right r WHERE r.who = current_user AND r.resource_type = $1 AND r.ability = $2 AND r.id = ANY (ids) $$;
\c - authorize_admin
-- Nobody who sees a part is told how much there is.
SELECT kg_pack() IS NULL AS pack_is_silent, kg_prune_history('2020-01-01') IS NULL AS prune_is_silent, kg_rebuild() AS rebuilt, jsonb_path_query_array(kg_health(), '$.components[*].name') AS health;
SELECT kg_check();
BEGIN;
WITH u AS (UPDATE kg_entity SET data = data || '{"stars": 9}' WHERE entity_type = 'project' RETURNING entity_id) SELECT entity_id FROM u ORDER BY 1;
DELETE FROM kg_entity WHERE entity_type = 'run';
WITH d AS (DELETE FROM kg_entity WHERE entity_type = 'issue' RETURNING entity_id) SELECT entity_id FROM d ORDER BY 1;
ROLLBACK;
SELECT kg_put_entities('project', '[{"id": "p2", "name": "mine"}]');
SELECT kg_delete_entities('run', ARRAY['r8']) AS denied, kg_delete_entities('run', ARRAY['nothing']) AS missing;
SELECT jsonb_agg(e -> 'items' ORDER BY e ->> 'entity_type') FROM jsonb_array_elements(kg_export_bundle('code') -> 'entities') e;

-- The function knows who calls, whatever role it is.
\c - :owner
GRANT USAGE ON SCHEMA public TO authorize_definer;
CREATE OR REPLACE FUNCTION authorize_f(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) SECURITY DEFINER SET search_path = pg_catalog, public LANGUAGE plpgsql STABLE AS $$
BEGIN
  RAISE NOTICE 'asked as %: tenant %, write %, sees %', current_user, kg_tenant(), kg_tenant('write'), (SELECT array_agg(e.entity_id ORDER BY 1) FROM kg_entity e);
  RETURN QUERY SELECT u, true FROM unnest(ids) u;
END $$;
GRANT SELECT ON kg_entity TO authorize_definer;
GRANT CREATE ON SCHEMA public TO authorize_definer;
ALTER FUNCTION authorize_f(text, text, text[]) OWNER TO authorize_definer;
\c - authorize_reader
SELECT kg_get('project', 'p2') -> 'name' AS name;

-- What an authorizer may do wrong: the tool fails, and its text is for the log.
\c - :owner
\set sql 'CREATE OR REPLACE FUNCTION authorize_f(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE plpgsql STABLE AS'
:sql $$ BEGIN RAISE EXCEPTION 'secret of %', ids; END $$;
SET ROLE authorize_reader; SELECT kg_call_tool('list_project', '{}') -> 'structuredContent' AS raises; SELECT count(*) FROM kg_entity; RESET ROLE;
:sql $$ BEGIN RETURN QUERY SELECT u, v FROM unnest(ids) u, (VALUES (true), (false)) w(v) WHERE u <> 'p2' UNION ALL SELECT u, v FROM unnest(ids) u, (VALUES (true), (true)) w(v) WHERE u = 'p2'; END $$;
SET ROLE authorize_reader; SELECT kg_list_ids('project') -> 'ids' AS duplicates; RESET ROLE;
:sql $$ BEGIN RETURN QUERY SELECT u, nullif(u <> 'p1', false) FROM unnest(ids || NULL) u UNION ALL SELECT NULL, true; END $$;
SET ROLE authorize_reader; SELECT kg_list_ids('project') -> 'ids' AS nulls; RESET ROLE;
:sql $$ BEGIN PERFORM set_config('kg_graph.tenant', 'nobody', true); RETURN QUERY SELECT u, true FROM unnest(ids) u; END $$;
SET ROLE authorize_reader; SELECT kg_list_ids('project') -> 'ids' AS another_tenant; SELECT count(*) FROM kg_entity; RESET ROLE;
:sql $$ BEGIN PERFORM set_config('kg_graph.agent', 'nobody', false); RETURN QUERY SELECT u, true FROM unnest(ids) u; END $$;
SET ROLE authorize_reader; SELECT kg_list_ids('project') -> 'ids' AS another_agent; SELECT count(*) FROM kg_entity; SELECT kg_tenant(), kg_agent(); RESET ROLE;
:sql $$ BEGIN RETURN QUERY SELECT 'p' || n, n = 3 FROM generate_series(1, 100000) n; END $$;
SET kg_graph.max_call_time = '1min'; SET ROLE authorize_reader; SELECT kg_list_ids('project') -> 'ids' AS many; RESET ROLE; RESET kg_graph.max_call_time;
:sql $$ BEGIN RETURN QUERY SELECT 'other', true; END $$;
SET ROLE authorize_reader; SELECT kg_list_ids('project') -> 'ids' AS nothing_asked; RESET ROLE;
:sql $$ BEGIN PERFORM pg_sleep(1000); END $$;
SET kg_graph.max_call_time = 200; SET ROLE authorize_reader; SELECT kg_list_ids('project'); RESET ROLE; RESET kg_graph.max_call_time;
:sql $$ BEGIN RETURN QUERY SELECT p.id, true FROM unnest(ids) p(id), kg_entity; END $$;
SET ROLE authorize_reader; SELECT kg_call_tool('list_project', '{}') -> 'structuredContent' -> 'error' ->> 'code' AS names_are_qualified; RESET ROLE;
ALTER FUNCTION authorize_f(text, text, text[]) VOLATILE;
SET ROLE authorize_reader; SELECT kg_call_tool('list_project', '{}') -> 'structuredContent' -> 'error' ->> 'code' AS volatile_now; RESET ROLE;
ALTER FUNCTION authorize_f(text, text, text[]) STABLE;
REVOKE EXECUTE ON FUNCTION authorize_f(text, text, text[]) FROM PUBLIC;
SET ROLE authorize_reader; SELECT kg_call_tool('list_project', '{}') -> 'structuredContent' -> 'error' ->> 'code' AS not_for_the_caller; RESET ROLE;
-- Each role for itself, also where the function becomes a part of a plan that another role's question made.
CREATE FUNCTION authorize_inlined(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS 'SELECT u, true FROM unnest(ids) u';
REVOKE EXECUTE ON FUNCTION authorize_inlined(text, text, text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION authorize_inlined(text, text, text[]) TO authorize_admin;
SELECT kg_set_authorizer('authorize', 'authorize_inlined(text, text, text[])');
SET ROLE authorize_admin; SELECT kg_call_tool('list_project', '{}') #> '{structuredContent,total}' AS total; RESET ROLE;
SET ROLE authorize_reader; SELECT kg_call_tool('list_project', '{}') -> 'structuredContent' -> 'error' ->> 'code' AS not_for_this_one; RESET ROLE;
GRANT EXECUTE ON FUNCTION authorize_inlined(text, text, text[]) TO authorize_reader;
SET ROLE authorize_reader; SELECT kg_call_tool('list_project', '{}') #> '{structuredContent,total}' AS total; RESET ROLE;
REVOKE EXECUTE ON FUNCTION authorize_inlined(text, text, text[]) FROM authorize_reader;
SET ROLE authorize_reader; SELECT kg_call_tool('list_project', '{}') -> 'structuredContent' -> 'error' ->> 'code' AS not_any_more; RESET ROLE;
SELECT kg_set_authorizer('authorize', 'authorize_f(text, text, text[])');
DROP FUNCTION authorize_inlined(text, text, text[]);
DROP FUNCTION authorize_f(text, text, text[]);
SET ROLE authorize_reader; SELECT kg_call_tool('list_project', '{}') -> 'structuredContent' -> 'error' ->> 'code' AS dropped; SELECT count(*) FROM kg_entity; RESET ROLE;

-- Limits: ids a call of the function, decisions a call of a tool.
:sql $$ BEGIN RAISE NOTICE 'asked about %', cardinality(ids); RETURN QUERY SELECT u, true FROM unnest(ids) u; END $$;
SELECT kg_put_entities('project', (SELECT jsonb_agg(jsonb_build_object('id', 'q' || lpad(n::text, 3, '0'), 'name', 'Q', 'stars', n % 5)) FROM generate_series(1, 250) n)) IS NOT NULL AS put;
SET ROLE authorize_reader;
SELECT kg_list_ids('project', '{"limit": 3}') -> 'total' AS total;
RESET ROLE;
SET kg_graph.authorizer_batch = 1000;
SET kg_graph.max_authorizations = 100;
SET ROLE authorize_reader;
SELECT kg_list_ids('project', '{"limit": 3}') - 'next' AS total_is_open;
SELECT kg_list_ids('project', '{"limit": 3, "filters": {"name": {"eq": "Q"}}}') - 'next' AS by_one_value;
SELECT kg_list_ids('project', '{"limit": 3, "sort": [{"field": "stars", "order": "desc"}]}') - 'next' AS sorted;
-- a range of ids, beside a condition that leaves fewer
SELECT kg_aggregate('{"node": {"label": "project", "filters": {"id": {"gte": "q"}, "stars": 3}}, "aggregations": [{"fn": "count"}]}') -> 'rows' AS by_id;
SELECT kg_list_ids('project', '{"limit": 101}');
SELECT kg_aggregate('{"node": {"label": "project"}, "aggregations": [{"fn": "count"}]}');
RESET ROLE;
RESET kg_graph.max_authorizations;
RESET kg_graph.authorizer_batch;
SELECT kg_set_authorizer('authorize', NULL);
SET ROLE authorize_reader;
SELECT kg_call_tool('list_project', '{}') -> 'structuredContent' -> 'error' ->> 'code' AS code;
RESET ROLE;

DROP FUNCTION authorize_f(text, text, text[]), authorize_volatile(text, text, text[]), authorize_columns(text, text, text[]), authorize_types(text, text, bigint[]), authorize_one(text, text, text[]), authorize_types(), authorize_bundle(jsonb);
DROP TABLE authorize_right;
REVOKE ALL ON SCHEMA public FROM authorize_definer;
REVOKE ALL ON kg_entity FROM authorize_definer;
REVOKE EXECUTE ON FUNCTION kg_explain(text, jsonb) FROM authorize_reader;
CALL test.drop('authorize');
DROP ROLE authorize_definer;
