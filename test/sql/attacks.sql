-- Attacks on the identity of the caller, each under its name. All must fail. Two
-- tenants have the same bundle, types and ids, and every value names its tenant.
\i test/data/prelude.sql
CREATE ROLE attack_gateway LOGIN;
CREATE ROLE attack_a LOGIN;
CREATE ROLE attack_b LOGIN;
CREATE ROLE attack_both LOGIN;
CALL test.tenant('attack_a');
CALL test.tenant('attack_b');
SELECT kg_grant_gateway('attack_gateway');
SELECT kg_grant(t, r, 'write') FROM (VALUES ('attack_a', 'attack_a'), ('attack_b', 'attack_b'), ('attack_a', 'attack_both'), ('attack_b', 'attack_both')) g(t, r);
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access)
  VALUES ('attack', 'k', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', 'read');
CREATE FUNCTION attack_bundle(mark text) RETURNS jsonb LANGUAGE sql AS $$ SELECT replace('{
  "bundle_name": "notes", "version": "1", "description": "mark", "schemas": [
    {"entity_type": "note", "schema": {"type": "object", "description": "mark", "x-id-field": "id", "x-label-field": "title", "x-scope-field": "path", "x-tool-expose": ["list", "get", "list_ids"],
      "properties": {"id": {"type": "string"}, "title": {"type": "string", "x-index": true}, "path": {"type": "string"}, "next": {"type": "string", "x-ref": "note", "x-index": true}, "kind": {"enum": ["x", "mark"], "x-index": true}}}}],
  "entities": [{"entity_type": "note", "items": [
    {"id": "n1", "title": "mark one", "path": "1/2/", "next": "n2"}, {"id": "n2", "title": "mark two", "path": "1/22/", "next": "n3", "kind": "mark"}, {"id": "n3", "title": "mark three"},
    {"id": "only-mark", "title": "mark only"}]}]}', 'mark', mark)::jsonb $$;
\c - attack_a
SELECT kg_apply_bundle(attack_bundle('alpha')) ? 'revision' AS applied;
\c - attack_b
SELECT kg_apply_bundle(attack_bundle('beta')) ? 'revision' AS applied;
\c - :owner
CREATE TABLE attack_token(who text PRIMARY KEY, own text, other text, token text);
INSERT INTO attack_token VALUES
  ('a', 'alpha', 'beta', kg_issue_token('{"tenant": "attack_a", "sub": "alpha"}')),
  ('b', 'beta', 'alpha', kg_issue_token('{"tenant": "attack_b", "sub": "beta"}')),
  ('a-path', 'alpha', 'beta', kg_issue_token('{"tenant": "attack_a", "sub": "alpha", "traversal_ids": ["1/2/"]}')),
  ('a-no-path', NULL, 'beta', kg_issue_token('{"tenant": "attack_a", "sub": "alpha", "traversal_ids": []}'));
GRANT SELECT ON attack_token TO attack_gateway;
SELECT (SELECT token FROM attack_token WHERE who = 'a') AS a, (SELECT token FROM attack_token WHERE who = 'b') AS b \gset

-- A setting that anybody can set is nobody's identity ("GUC spoofing"), nor is an empty one ("empty string").
\c - attack_gateway
SELECT kg_tenant() IS NULL AS nobody;
BEGIN; SET LOCAL kg_graph.tenant = 'attack_b'; SELECT kg_tenant() IS NULL AS nobody, (SELECT count(*) FROM kg_entity) AS sees; COMMIT;
SET kg_graph.tenant = ''; SELECT kg_tenant() IS NULL AS nobody; RESET kg_graph.tenant;
BEGIN; SELECT set_config('request.jwt.claims', '{"tenant": "attack_b"}', true) <> '' AS set; SELECT kg_tenant() IS NULL AS nobody; COMMIT;
BEGIN; SELECT kg_login(:'a'); SET LOCAL kg_graph.tenant = 'attack_b'; SET LOCAL kg_graph.agent = 'x'; SELECT DISTINCT tenant FROM kg_entity; SELECT kg_tenant(), kg_claim('sub'); COMMIT;
\c - attack_a
SET kg_graph.tenant = 'attack_b'; SELECT kg_tenant() IS NULL AS nobody; SELECT kg_list('note'); RESET kg_graph.tenant;

-- Becoming another role ("role escape"): a role has its own grants only, a token stays whose it is.
\c - attack_gateway
BEGIN; SELECT kg_login(:'a'); SET ROLE attack_b; ROLLBACK;
BEGIN; SELECT kg_login(:'a'); RESET ROLE; RESET SESSION AUTHORIZATION; SELECT kg_tenant(); COMMIT;
SELECT kg_issue_token('{"tenant": "attack_b"}');
SELECT kg_grant('attack_b', 'attack_gateway', 'read');
INSERT INTO kg_tenant_role(role, tenant, access) VALUES ('attack_gateway', 'attack_b', 'read');
SELECT * FROM kg_auth_key;
SELECT * FROM kg_secret;

-- What one transaction was is gone in the next ("pool leakage").
SELECT kg_login(:'a'); SELECT kg_tenant() IS NULL AS nobody;
BEGIN; SELECT kg_login(:'a'); COMMIT; SELECT kg_tenant() IS NULL AS nobody;
BEGIN; SELECT kg_login(:'a'); ROLLBACK; SELECT kg_tenant() IS NULL AS nobody;
BEGIN; SELECT kg_login(:'a'); SELECT 1 / 0; COMMIT; SELECT kg_tenant() IS NULL AS nobody;
SELECT kg_login(:'a', true);
-- Two tokens in one transaction, and one that a savepoint took back ("savepoints").
BEGIN; SELECT kg_login(:'a'); SELECT kg_login(:'b'); ROLLBACK;
BEGIN; SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', :'a'); SELECT kg_mcp('{"jsonrpc": "2.0", "id": 2, "method": "ping"}', :'a'); SELECT kg_mcp('{"jsonrpc": "2.0", "id": 3, "method": "ping"}', :'b'); ROLLBACK;
BEGIN; SAVEPOINT s; SELECT kg_login(:'a'); SELECT kg_tenant(); ROLLBACK TO s; SELECT kg_tenant() IS NULL AS nobody; SELECT kg_login(:'b'); SELECT kg_tenant(); COMMIT;
BEGIN; SELECT kg_login(:'a'); SAVEPOINT s; SELECT kg_login(:'b'); ROLLBACK TO s; SELECT kg_tenant(); COMMIT;

-- A plan that was made for one serves another ("plan caching", "role-dependent plans").
PREPARE p1 AS SELECT string_agg(data ->> 'title', ', ' ORDER BY entity_id) FROM kg_entity;
PREPARE p2 AS WITH c AS MATERIALIZED (SELECT * FROM kg_entity) SELECT count(*), min(tenant), max(tenant) FROM c WHERE (SELECT count(*) FROM kg_entity) > 0;
PREPARE p3 AS SELECT kg_list('note', '{"limit": 1}') -> 'items', kg_get('note', 'only-beta'), kg_get('note', 'only-alpha');
SET plan_cache_mode = force_generic_plan;
BEGIN; SELECT kg_login(:'a'); EXECUTE p1; EXECUTE p2; EXECUTE p3; COMMIT;
BEGIN; SELECT kg_login(:'b'); EXECUTE p1; EXECUTE p2; EXECUTE p3; COMMIT;
EXECUTE p1; EXECUTE p2; EXECUTE p3;
RESET plan_cache_mode;
\c - :owner
CREATE VIEW attack_view WITH (security_invoker) AS SELECT tenant, count(*) FROM kg_entity GROUP BY tenant;
GRANT SELECT ON attack_view TO attack_a, attack_b;
PREPARE p1 AS SELECT * FROM attack_view;
PREPARE p2 AS WITH c AS MATERIALIZED (SELECT * FROM kg_entity) SELECT DISTINCT tenant FROM c;
SET plan_cache_mode = force_generic_plan;
SET ROLE attack_a; EXECUTE p1; EXECUTE p2; SET ROLE attack_b; EXECUTE p1; EXECUTE p2; SET ROLE attack_gateway; EXECUTE p2; RESET ROLE;
RESET plan_cache_mode;

-- Several statements in one, comments, a transaction made writable ("read-only
-- escape", "READ ONLY is leaky"): the text of a message is only data, and the
-- statements that process it write nothing (mcp_protocol tests what a policy of the
-- DBA may try meanwhile).
\c - attack_gateway
CREATE TEMP TABLE message AS SELECT jsonb_build_object('jsonrpc', '2.0', 'id', n, 'method', m, 'params', p) AS message FROM (
  SELECT n, m, replace(p, 'EVIL', substr(to_jsonb(evil)::text, 2, length(to_jsonb(evil)::text) - 2))::jsonb AS p
    FROM unnest(ARRAY['COMMIT; DROP SCHEMA public CASCADE; --', ''' OR 1=1 --', 'x''); DELETE FROM kg_entity; --', '/* */ SET TRANSACTION READ WRITE', 'U&''\0027'' OR TRUE', '$1', '%s%n', '${jndi:x}',
           'note"; SET ROLE attack_b; --', 'pg_read_file(''/etc/passwd'')', 'attack_b', '../../attack_b', E'n1\n;', repeat('a', 5000)]) WITH ORDINALITY e(evil, n),
         (VALUES ('tools/call', '{"name": "list_note", "arguments": {"filters": {"title": "EVIL"}}}'), ('tools/call', '{"name": "list_note", "arguments": {"search": "EVIL"}}'), ('tools/call', '{"name": "list_note", "arguments": {"filters": {"EVIL": 1}}}'),
                 ('tools/call', '{"name": "list_note", "arguments": {"sort": [{"field": "EVIL"}]}}'), ('tools/call', '{"name": "get_note", "arguments": {"ids": ["EVIL", "n1"]}}'), ('tools/call', '{"name": "EVIL"}'), ('tools/call', '{"name": "list_note", "arguments": "EVIL"}'),
                 ('tools/call', '{"name": "get_note", "arguments": {"id": "n1", "tenant": "EVIL"}}'), ('tools/list', '{"cursor": "EVIL"}'), ('resources/read', '{"uri": "kg://entity/note:EVIL"}'), ('resources/read', '{"uri": "kg://bundle/EVIL"}'),
                 ('prompts/get', '{"name": "knowledge_graph", "arguments": {"bundle": "EVIL"}}'), ('completion/complete', '{"ref": {"type": "ref/resource", "uri": "kg://entity/{handle}"}, "argument": {"name": "handle", "value": "EVIL"}}'), ('EVIL', '{}')) t(m, p)) x;
SELECT count(*) AS messages, count(*) FILTER (WHERE r ? 'result' OR r ? 'error') AS answered, count(*) FILTER (WHERE r::text ~ 'beta') AS crossed, count(*) FILTER (WHERE r #>> '{error,code}' = '-32603') AS internal
  FROM message, LATERAL kg_mcp(message.message, :'a') r;
\set VERBOSITY sqlstate
COPY (SELECT 1) TO PROGRAM 'true';
\set VERBOSITY terse
SELECT pg_read_file('/etc/passwd');
SELECT count(*) FROM kg_entity;

-- A setting made before the library is loaded is not believed ("placeholder GUC").
\set conninfo 'dbname=' :db ' user=attack_gateway options=''-c kg_graph.session_login=on'''
\c -reuse-previous=on :conninfo
SELECT kg_login(:'a', true);
\set conninfo 'dbname=' :db ' user=attack_gateway options='''''
\c -reuse-previous=on :conninfo
SET kg_graph.session_login = on;
SELECT kg_login(:'a', true);
SET kg_graph.nothing_of_ours = 'x';

-- Workers do not know who is calling and are not asked ("parallel workers").
SELECT set_config(CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'force_parallel_mode' ELSE 'debug_parallel_query' END, 'on', false) AS parallel;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
BEGIN; SELECT kg_login(:'a'); SELECT count(*), min(tenant), max(tenant) FROM kg_entity; SELECT kg_list('note', '{}') -> 'total'; COMMIT;
RESET ALL;

-- Around the policies ("bypass").
\c - :owner
CREATE VIEW attack_b_view AS SELECT tenant, entity_id FROM kg_entity;
CREATE FUNCTION attack_b_definer() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM kg_entity WHERE tenant = ''attack_a''';
CREATE FUNCTION attack_safe() RETURNS jsonb LANGUAGE plpgsql PARALLEL SAFE AS $$ BEGIN RETURN kg_list('note') -> 'total'; END $$;
ALTER FUNCTION attack_safe() OWNER TO attack_b;
ALTER VIEW attack_b_view OWNER TO attack_b; ALTER FUNCTION attack_b_definer() OWNER TO attack_b;
GRANT SELECT ON attack_b_view TO attack_a, attack_gateway;
\c - attack_a
SELECT DISTINCT tenant FROM attack_b_view;
SELECT attack_b_definer();
-- A function that says what it calls may run in a worker.
SELECT set_config(CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'force_parallel_mode' ELSE 'debug_parallel_query' END, 'on', false) AS parallel;
SELECT attack_safe();
RESET ALL;
SELECT attack_safe() IS NOT NULL AS told;
INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('attack_b', 'notes', 'note', '{"id": "x"}');
UPDATE kg_entity SET tenant = 'attack_b' WHERE entity_id = 'n1';
UPDATE kg_entity SET data = '{"id": "n1"}' WHERE tenant = 'attack_b';
DELETE FROM kg_entity WHERE tenant = 'attack_b';
INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('attack_a', 'notes', 'note', '{"id": "n9", "next": "only-beta"}');
SET row_security = off; SELECT count(*) FROM kg_entity; RESET row_security;
-- a call that the server would refuse says what to set
SET row_security = off; SELECT kg_list('note'); SELECT kg_list_tools(); SELECT kg_put_entities('note', '[]'); SELECT kg_export_bundle('notes');
SELECT kg_call_tool(t, '{"node_label": "note"}') #> '{structuredContent,error}' FROM unnest('{find_nodes,no_such_tool}'::text[]) t;
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}');
SELECT kg_health(); SELECT * FROM kg_view_edges(1, 1); SELECT count(*) FROM kg_registered_tools(); RESET row_security;
SELECT relname FROM pg_class c JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kg_graph'
 WHERE relkind = 'r' AND NOT (relrowsecurity AND relforcerowsecurity);

-- What answers and errors let guess ("side channels"): another tenant's id is one that nobody has.
SELECT kg_get('note', 'only-beta') IS NULL AS missing, kg_get('note', ARRAY['only-beta']) = replace(kg_get('note', ARRAY['only-zeta'])::text, 'zeta', 'beta')::jsonb AS same;
CREATE FUNCTION pg_temp.leak(data jsonb) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN RAISE NOTICE 'sees %', data ->> 'title'; RETURN true; END $$;
SELECT count(*) FROM kg_entity WHERE pg_temp.leak(data) AND entity_id LIKE 'only%';
SELECT count(*) FROM kg_entity WHERE 1 / (CASE WHEN data ->> 'title' ~ 'beta' THEN 0 ELSE 1 END) = 1;
INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('attack_a', 'notes', 'note', '{"id": "only-beta", "title": "alpha, mine now"}');
DELETE FROM kg_entity WHERE entity_id = 'only-beta';

-- One connection as a pool in transaction mode uses it: a thousand transactions of
-- four callers. Some are aborted, some get a caller inside a savepoint that is
-- rolled back, and some try to have two callers.
\c - attack_gateway
CREATE TEMP TABLE seen(n int, who text, own text, other text, reply text, state text);
CREATE PROCEDURE pg_temp.pool(rounds int) LANGUAGE plpgsql AS $$
DECLARE
  methods text[] := ARRAY['{"method": "tools/call", "params": {"name": "list_note"}}', '{"method": "tools/call", "params": {"name": "get_note", "arguments": {"ids": ["n1", "n2", "n3"]}}}',
    '{"method": "tools/list"}', '{"method": "resources/read", "params": {"uri": "kg://bundle/notes"}}', '{"method": "prompts/get", "params": {"name": "knowledge_graph"}}', '{"method": "tools/call", "params": {"name": "list_note", "arguments": {"search": "one"}}}',
    '{"method": "completion/complete", "params": {"ref": {"type": "ref/resource", "uri": "kg://entity/{handle}"}, "argument": {"name": "handle", "value": "note:only"}}}'];
  callers text[] := ARRAY['a', 'b', 'a-path', 'b', 'a-no-path'];
  t attack_token;
  second attack_token;
  message jsonb;
  reply text;
BEGIN
  FOR n IN 1 .. rounds LOOP
    SELECT * INTO t FROM attack_token WHERE who = callers[1 + (n * 7919) % 5];
    SELECT * INTO second FROM attack_token WHERE who = callers[1 + (n * 104729 + 1) % 5];
    message := methods[1 + (n * 31) % 7]::jsonb || jsonb_build_object('jsonrpc', '2.0', 'id', n);
    IF n % 4 = 1 THEN -- another, taken back
      BEGIN
        PERFORM kg_login(second.token);
        IF kg_tenant() IS NULL THEN RAISE WARNING 'nobody'; END IF;
        RAISE division_by_zero;
      EXCEPTION WHEN division_by_zero THEN
        IF kg_tenant() IS NOT NULL THEN RAISE WARNING 'round %: still %', n, kg_tenant(); END IF;
      END;
    END IF;
    reply := kg_mcp(message, t.token)::text;
    INSERT INTO seen VALUES (n, t.who, t.own, t.other, reply, 'called');
    IF n % 4 = 2 AND second.token <> t.token THEN -- another one as well
      BEGIN
        reply := kg_mcp(message, second.token)::text;
        INSERT INTO seen VALUES (n, t.who, t.own, t.other, reply, 'BECAME ANOTHER');
      EXCEPTION WHEN insufficient_privilege THEN
        INSERT INTO seen VALUES (n, t.who, t.own, t.other, SQLERRM, 'refused');
      END;
    END IF;
    IF n % 4 = 3 THEN ROLLBACK; ELSE COMMIT; END IF;
    IF kg_tenant() IS NOT NULL OR kg_claim('sub') IS NOT NULL OR EXISTS (SELECT FROM kg_entity) THEN
      RAISE WARNING 'round %: % is left behind', n, kg_tenant();
    END IF;
    COMMIT;
  END LOOP;
END $$;
CALL pg_temp.pool(1000);
SELECT who, state, count(*) > 50 AS often, count(*) FILTER (WHERE reply ~ other) AS crossed, count(*) FILTER (WHERE reply ~ own) > 20 AS own,
       count(*) FILTER (WHERE who = 'a-path' AND reply ~ 'alpha two' OR who = 'a-no-path' AND reply ~ 'alpha (one|two|three|only)|note:only') AS beyond_path
  FROM seen GROUP BY who, state ORDER BY who, state;

-- Taken away between two calls of one session: the grant, the key, the role's membership.
\c - :owner
SET ROLE attack_a; SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}'); RESET ROLE;
SELECT kg_revoke('attack_a', 'attack_a');
SET ROLE attack_a; SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}'); SELECT kg_list('note'); RESET ROLE;
SET ROLE attack_both; SET kg_graph.tenant = 'attack_b'; SELECT kg_tenant(), kg_tenant('write'); RESET ROLE;
SELECT kg_grant('attack_b', 'attack_both', 'read');
SET ROLE attack_both; SELECT kg_tenant(), kg_tenant('write'); RESET ROLE;
SELECT kg_revoke('attack_b', 'attack_both');
SET ROLE attack_both; SELECT kg_tenant(); RESET ROLE; RESET kg_graph.tenant;
SET ROLE attack_gateway; SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', :'a'); RESET ROLE;
UPDATE kg_auth_key SET enabled = false WHERE issuer = 'attack';
SET ROLE attack_gateway; SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', :'a'); RESET ROLE;
UPDATE kg_auth_key SET enabled = true, audience = 'other' WHERE issuer = 'attack';
SET ROLE attack_gateway; SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', :'a'); RESET ROLE;

DELETE FROM kg_auth_key;
DROP VIEW attack_view, attack_b_view;
DROP FUNCTION attack_b_definer(), attack_bundle(text);
DROP TABLE attack_token;
SELECT kg_revoke_gateway('attack_gateway');
SELECT kg_drop_tenant('attack_a');
SELECT kg_drop_tenant('attack_b');
DROP OWNED BY attack_gateway, attack_a, attack_b, attack_both;
DROP ROLE attack_gateway, attack_a, attack_b, attack_both;
