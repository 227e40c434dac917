-- kg_graph.audit: every call leaves one record, which has its outcome.
\i test/data/prelude.sql
CALL test.tenant('audit', 'audit_admin admin', 'audit_reader read');
CALL test.tenant('audit other', 'audit_other admin');
CREATE ROLE audit_gateway;
SELECT FROM kg_grant_gateway('audit_gateway');
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, tenant, access) VALUES ('audit', 'k', 'HS256', repeat('x', 32)::bytea, 'a', 'audit', 'read');
CREATE FUNCTION audit_try(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN EXECUTE 'SELECT ' || call INTO answer; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END $$;
SET ROLE audit_admin;
SELECT kg_apply_bundle('{"bundle_name": "au", "version": "1", "schemas": [{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "id", "x-tool-expose": ["list", "get", "list_ids"],
  "properties": {"id": {"type": "string"}, "size": {"type": "integer", "x-index": true}, "up": {"type": "string", "x-ref": "thing"}}}}],
  "entities": [{"entity_type": "thing", "items": [{"id": "a", "size": 1}, {"id": "b", "up": "a", "size": 2}]}]}') ? 'revision' AS applied;
SELECT kg_create_agent('bot', '{"bundles": ["au"]}');
RESET ROLE;

-- off: nothing
SELECT kg_tenant() IS NULL AS nobody;
SET ROLE audit_reader;
SELECT kg_get('thing', 'a');
RESET ROLE;
SELECT count(*) FROM kg_audit;

-- who may set it
SET ROLE audit_admin;
SET kg_graph.audit = 'all';
SET kg_graph.audit_to = 'table';
SET kg_graph.audit_arguments = 'full';
RESET ROLE;

-- all: each tool that there is, by name, by MCP, well and badly
SET kg_graph.audit = 'all'; SET kg_graph.audit_to = 'table'; SET kg_graph.audit_arguments = 'full';
SET ROLE audit_reader;
CREATE TEMP TABLE tool AS SELECT t ->> 'name' AS name FROM jsonb_array_elements(kg_list_tools()) t;
SELECT count(*) > 10 AS tools FROM tool;
DO $$ DECLARE n text; BEGIN
  FOR n IN SELECT name FROM tool LOOP
    PERFORM kg_call_tool(n, '{"surely": "wrong"}');
    PERFORM kg_mcp(jsonb_build_object('jsonrpc', '2.0', 'id', 1, 'method', 'tools/call', 'params', jsonb_build_object('name', n, 'arguments', '{"limit": 1}'::jsonb)));
  END LOOP;
END $$;
RESET ROLE;
SELECT t.name FROM tool t LEFT JOIN kg_audit a ON a.tool = t.name AND a.tenant = 'audit' AND a.role = 'audit_reader'
 GROUP BY t.name HAVING count(*) <> 2 OR count(*) FILTER (WHERE a.code IS NOT NULL AND a.arguments = '{"surely": "wrong"}') <> 1 OR count(*) FILTER (WHERE a.arguments = '{"limit": 1}') <> 1 ORDER BY 1;
TRUNCATE kg_audit;

-- each function, and what a record has
SET ROLE audit_admin;
SELECT audit_try(call) AS became, call FROM unnest(ARRAY[$$kg_get('thing', 'a')$$, $$kg_get('thing', ARRAY['a', 'x'])$$, $$kg_list('thing', '{"filters": {"size": {"gt": 1}}, "sort": [{"field": "size"}]}')$$, $$kg_list_ids('thing', '{"limit": 1}')$$,
  $$kg_graph_schema()$$, $$kg_find_nodes('{"node_label": "thing"}')$$, $$kg_traverse('{"from": {"label": "thing", "ids": ["b"]}, "relationships": [{"type": "UP"}]}')$$, $$kg_neighbors('{"start_node": {"label": "thing", "node_id": "a"}}')$$,
  $$kg_paths('{"from": {"label": "thing", "ids": ["b"]}, "to": {"label": "thing", "ids": ["a"]}}')$$, $$kg_aggregate('{"node": {"label": "thing"}, "aggregations": [{"fn": "count"}]}')$$, $$kg_describe_schema()$$, $$kg_search('{"query": "a"}')$$, $$kg_bfs('{"seeds": ["thing:a"], "max_hops": 1}')$$,
  $$kg_describe('{"id": "thing:a"}')$$, $$kg_describe_many('{"ids": ["thing:a"]}')$$, $$kg_intersect('{"seeds": ["thing:a", "thing:b"], "k": 1}')$$, $$kg_list_tools()$$,
  $$kg_put_entities('thing', '[{"id": "c"}, {"id": "d", "up": "none"}]')$$, $$kg_delete_entities('thing', ARRAY['c'])$$, $$kg_put_edges('[]')$$, $$kg_delete_edges('[]')$$, $$kg_pack()$$, $$kg_rebuild()$$, $$kg_export_bundle('au')$$,
  $$kg_apply_bundle('{"bundle_name": "au", "version": "2"}', '{"mode": "merge"}')$$, $$kg_apply_bundle_text('{"bundle_name": "au", "version": "2"}', '{"mode": "merge"}')$$, $$kg_create_agent('two', '{"bundles": ["au"]}')$$, $$kg_alter_agent('two', '{"title": "t"}')$$,
  $$kg_unbind_agent('two', 'au')$$, $$kg_bind_agent('two', 'au')$$, $$kg_drop_agent('two')$$, $$kg_grant('audit', 'audit_reader', 'read')$$]) WITH ORDINALITY c(call, n) ORDER BY n;
RESET ROLE;
SELECT tool, code, rows, bytes > 0 AS bytes, edges > 0 AS edges, ms > 0 AS ms, arguments, query, sql IS NOT NULL AS sql FROM kg_audit ORDER BY id;
SELECT DISTINCT tenant, role, subject, agent, session ~ '^[0-9a-f]+\.[0-9a-f]+$' AS session, version = extversion AS version, arguments_hash FROM kg_audit, pg_extension WHERE extname = 'kg_graph';
SELECT bool_and(at BETWEEN now() - interval '1 hour' AND now()) FROM kg_audit;
TRUNCATE kg_audit;

-- the function that an MCP message asks, each message of a batch, and who is calling
SET ROLE audit_admin; SET kg_graph.agent = 'bot';
SELECT count(kg_mcp(jsonb_build_object('jsonrpc', '2.0', 'id', 1, 'method', m ->> 0, 'params', m -> 1))) FROM jsonb_array_elements('[["tools/list", {}], ["resources/read", {"uri": "kg://entity/thing:a"}], ["nothing", {"a": 1}], ["tools/call", {"name": "none"}], ["prompts/get", {}]]') m;
SELECT jsonb_array_length(kg_mcp('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "get_thing", "arguments": {"ids": ["a", "b"]}}}, {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "get_thing", "arguments": {"id": 1}}}, 1]')) AS answers;
RESET kg_graph.agent; RESET ROLE;
SELECT set_config('audit.token', kg_issue_token('{"sub": "ann", "agent": "bot"}', NULL, '1 hour'), false) IS NULL AS n;
SET ROLE audit_gateway;
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "get_thing", "arguments": {"ids": ["a"]}}}', current_setting('audit.token')) ? 'result' AS answered;
BEGIN; SELECT kg_login(current_setting('audit.token')); SELECT kg_get('thing', 'b'); COMMIT;
RESET ROLE;
SELECT tenant, role, subject, agent, tool, code, rows, arguments FROM kg_audit ORDER BY id;
-- no token is in a record
SELECT count(*) FROM kg_audit a WHERE a::text LIKE '%' || split_part(current_setting('audit.token'), '.', 3) || '%';
TRUNCATE kg_audit;

-- levels
CREATE FUNCTION audit_calls() RETURNS void LANGUAGE sql AS $$
  SELECT kg_get('thing', 'a'); SELECT kg_call_tool('list_thing', '{"limit": 0.5}'); SELECT kg_put_entities('thing', '[{"id": "a", "size": 1}]'); SELECT audit_try('kg_list(''none'')') $$;
SET kg_graph.audit = 'errors'; SET ROLE audit_admin; SELECT audit_calls(); RESET ROLE;
SELECT tool, code FROM kg_audit ORDER BY id; TRUNCATE kg_audit;
SET kg_graph.audit = 'writes'; SET ROLE audit_admin; SELECT audit_calls(); RESET ROLE;
SELECT tool, code FROM kg_audit ORDER BY id; TRUNCATE kg_audit;
SET kg_graph.audit = 'all';

-- arguments: the same have the same hash; too large ones their hash only
SET kg_graph.audit_arguments = 'hash'; SET ROLE audit_reader;
SELECT count(kg_get('thing', 'a')), count(kg_get('thing', 'b')), count(kg_get('thing', 'a')), count(kg_call_tool('get_thing', '{"ids": ["a"]}')), count(kg_mcp('{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "get_thing", "arguments": {"ids": ["a"]}}}'));
RESET ROLE;
SELECT tool, dense_rank() OVER (ORDER BY min(id)) AS nth, count(*) AS calls, arguments_hash ~ '^[0-9a-f]{64}$' AS hash, count(arguments) AS arguments, count(sql) AS sql FROM kg_audit GROUP BY tool, arguments_hash ORDER BY min(id);
TRUNCATE kg_audit;
SET kg_graph.audit_arguments = 'off'; SET ROLE audit_reader; SELECT kg_get('thing', 'a'); RESET ROLE;
SET kg_graph.audit_arguments = 'full'; SET ROLE audit_reader; SELECT count(kg_call_tool('get_thing', jsonb_build_object('ids', jsonb_build_array(repeat('x', 1100000))))); RESET ROLE;
SELECT tool, code, arguments IS NULL AS none, arguments_hash IS NULL AS no_hash FROM kg_audit ORDER BY id;
TRUNCATE kg_audit;

-- a call within a call is no record of its own, and its error is the outer's
SET ROLE audit_admin;
CREATE FUNCTION pg_temp.within() RETURNS bigint LANGUAGE sql AS $$SELECT count(kg_get('thing', id)) FROM unnest('{a,b}'::text[]) id$$;
SELECT pg_temp.within();
RESET ROLE;
SELECT tool, rows FROM kg_audit ORDER BY id;
TRUNCATE kg_audit;

-- an entity is one row, whatever its properties are called
SET ROLE audit_admin; SELECT length(kg_put_entities('thing', '[{"id": "many", "items": [1, 2, 3]}]')::text) > 0 AS put; SELECT kg_get('thing', 'many') AS got; RESET ROLE;
SELECT tool, rows, bytes > 0 AS bytes FROM kg_audit WHERE tool = 'kg_get'; TRUNCATE kg_audit;

-- a reply without "returned" counts its list, of claims also
SET ROLE audit_reader; SELECT kg_verify('{"claims": [{"entity": "thing:a"}, {"entity": "thing:b"}, {"name": "a"}]}') -> 'counts' AS counts; RESET ROLE;
SELECT tool, rows FROM kg_audit WHERE tool = 'kg_verify'; TRUNCATE kg_audit;

-- what is rolled back leaves no row (but a line in the log), nor does a read-only transaction or one that finds the table locked (test/t)
SET ROLE audit_admin;
BEGIN; SELECT kg_get('thing', 'a'); ROLLBACK;
BEGIN READ ONLY; SELECT kg_get('thing', 'a'); COMMIT;
SELECT audit_try('kg_list(''none'')');
RESET ROLE;
SELECT tool, code FROM kg_audit;
-- a row that cannot be written fails the call
ALTER TABLE kg_audit_rest ADD CONSTRAINT full_up CHECK (tool <> 'kg_get') NOT VALID;
SET ROLE audit_admin; SELECT kg_get('thing', 'a'); RESET ROLE;
ALTER TABLE kg_audit_rest DROP CONSTRAINT full_up;

-- whose rows
SET ROLE audit_reader; SELECT count(kg_get('thing', 'a')); SELECT count(*) FROM kg_audit; SELECT * FROM kg_stat_tools();
SET ROLE audit_other; SELECT count(kg_call_tool('none')); SELECT tenant, tool FROM kg_audit;
SET ROLE audit_admin; SELECT tenant, tool FROM kg_audit; SELECT kg_call_tool('none') ->> 'isError' AS error;
SELECT tool, calls, errors, p50 > 0 AND p50 <= p95 AND p95 <= p99 AS ordered, rows, bytes > 0 AS bytes FROM kg_stat_tools();
SELECT count(*) FROM kg_stat_tools('-1 hour');
SET kg_graph.agent = 'bot'; SELECT count(*) > 0 AS sees_all_bundles FROM kg_audit;
RESET kg_graph.agent; SELECT kg_create_agent('blind', '{"bundles": []}'); SET kg_graph.agent = 'blind'; SELECT count(*) FROM kg_audit; RESET kg_graph.agent;
-- append only
INSERT INTO kg_audit(tenant, at, tool) VALUES ('audit', now(), 'forged'); UPDATE kg_audit SET tool = 'forged'; DELETE FROM kg_audit; TRUNCATE kg_audit; SELECT * FROM kg_audit_rest;
RESET ROLE;
SELECT count(*) > 0 AS kept FROM kg_audit WHERE tenant = 'audit';

-- partitions by month
DELETE FROM kg_audit;
CREATE TABLE audit_month (LIKE kg_audit_rest INCLUDING ALL);
ALTER TABLE kg_audit ATTACH PARTITION audit_month FOR VALUES FROM ('2000-01-01') TO ('9999-01-01');
ALTER TABLE audit_month ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SET ROLE audit_admin; SELECT kg_get('thing', 'a'); SELECT tableoid::regclass, tool FROM kg_audit; RESET ROLE;
SELECT kg_health() ->> 'status' <> 'unhealthy' AS sound;
DROP TABLE audit_month;

SET kg_graph.audit = 'off';
SELECT FROM kg_revoke_gateway('audit_gateway'); DELETE FROM kg_auth_key WHERE issuer = 'audit';
SELECT FROM kg_drop_tenant('audit'); SELECT FROM kg_drop_tenant('audit other');
SELECT count(*) FROM kg_audit;
DROP FUNCTION audit_try(text), audit_calls();
DROP OWNED BY audit_admin, audit_reader, audit_other, audit_gateway;
DROP ROLE audit_admin, audit_reader, audit_other, audit_gateway;
