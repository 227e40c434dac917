-- Who may read which issue is decided by another system, here a table of members: see README.md.
\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on
\o /dev/null

-- What that system knows. In a real one this is its own table, or the function asks it.
CREATE SCHEMA tracker_app;
CREATE TABLE tracker_app.member (person text, project text, PRIMARY KEY (person, project));
INSERT INTO tracker_app.member VALUES ('ann', 'gitlab'), ('ann', 'docs'), ('bob', 'gitlab');

-- It is asked about many projects at once, never one by one; the person is the verified token's. It runs as its owner, so
-- that callers need no privilege on the table.
CREATE FUNCTION tracker_app.may(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  AS $$ SELECT m.project, true FROM tracker_app.member m
         WHERE $1 = 'project' AND $2 = 'read_issue' AND m.project = ANY ($3) AND m.person = public.kg_claim('sub') $$;
GRANT USAGE ON SCHEMA tracker_app TO PUBLIC;
SELECT kg_set_authorizer('tracker', 'tracker_app.may(text, text, text[])');

-- An issue is read by whoever may read its project. Only the owner adds the annotation, so nobody who writes bundles can
-- take it away.
SELECT kg_grant('tracker', current_user, 'admin');
SET kg_graph.tenant = 'tracker';
SELECT kg_apply_bundle(jsonb_set(kg_export_bundle('issue-tracker'), '{schemas,1,schema,x-authorize}',
  '{"ability": "read_issue", "resource_type": "project", "id": "project"}'));
RESET kg_graph.tenant;

-- People come with tokens, through a role that is nobody without one.
CREATE ROLE tracker_gateway;
SELECT kg_grant_gateway('tracker_gateway');
GRANT EXECUTE ON FUNCTION kg_list, kg_aggregate, kg_verify, kg_call_tool TO tracker_gateway;
INSERT INTO kg_auth_key (issuer, kid, alg, secret, audience) VALUES ('https://login.example', 'tracker', 'HS256', decode(repeat('19', 32), 'hex'), 'tracker');
SELECT kg_issue_token('{"tenant": "tracker", "sub": "ann"}', 'tracker', '1 hour') AS ann, kg_issue_token('{"tenant": "tracker", "sub": "bob"}', 'tracker', '1 hour') AS bob \gset
SET ROLE tracker_gateway;
\o

\echo '-- Ann sees the issues of both projects:'
BEGIN;
SELECT kg_login(:'ann') \g /dev/null
SELECT kg_list('issue', '{"sort": [{"field": "id"}], "fields": ["title"]}') #> '{total}';
SELECT kg_aggregate('{"node": {"label": "issue"}, "group_by": [{"property": "project"}], "aggregations": [{"fn": "count"}]}') -> 'rows';
COMMIT;

\echo '-- Bob those of one, in totals and groups too. What he may not see is to him what there is not, also to a claim and to a registered tool:'
BEGIN;
SELECT kg_login(:'bob') \g /dev/null
SELECT kg_list('issue', '{"sort": [{"field": "id"}], "fields": ["title"]}') -> 'total';
SELECT kg_aggregate('{"node": {"label": "issue"}, "group_by": [{"property": "project"}], "aggregations": [{"fn": "count"}]}') -> 'rows';
SELECT c ->> 'verdict' FROM jsonb_array_elements(kg_verify('{"claims": [{"entity": "issue:7"}, {"entity": "issue:8"}]}') -> 'claims') c;
SELECT kg_call_tool('find_issues', '{"project_path": "docs"}') #> '{structuredContent,total}';
COMMIT;

RESET ROLE;
INSERT INTO tracker_app.member VALUES ('bob', 'docs');
SET ROLE tracker_gateway;
\echo '-- Bob becomes a member of the other project: his next call sees it.'
BEGIN;
SELECT kg_login(:'bob') \g /dev/null
SELECT kg_call_tool('find_issues', '{"project_path": "docs"}') #> '{structuredContent,total}';
COMMIT;
RESET ROLE;
