-- kg_call_authorized: decisions of another system, without state in the server.
\i test/data/prelude.sql
CREATE ROLE exchange_gateway LOGIN;
CREATE ROLE exchange_other LOGIN;
CREATE ROLE exchange_plain LOGIN;
CALL test.tenant('exchange', 'exchange_reader read');
CALL test.tenant('exchange2');
SELECT kg_grant('exchange', current_user::text, 'admin');
SELECT kg_grant_gateway('exchange_gateway', exchange => true), kg_grant_gateway('exchange_other', true), kg_grant_gateway('exchange_plain');
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience) VALUES ('exchange', 'k', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg');
SET kg_graph.tenant = 'exchange';
SELECT kg_apply_bundle('{"bundle_name": "code", "version": "1", "schemas": [
  {"entity_type": "project", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-authorize": {"ability": "read_project"}, "x-tool-expose": ["list", "get", "list_ids"],
    "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true}, "parent": {"type": "string", "x-ref": "project", "x-relation": "CHILD_OF"}}}},
  {"entity_type": "issue", "schema": {"type": "object", "x-id-field": "id", "x-authorize": {"ability": "read_issue", "resource_type": "project", "id": "project"}, "x-tool-expose": ["list", "get"],
    "properties": {"id": {"type": "string"}, "n": {"type": "integer", "x-index": true}, "project": {"type": "string", "x-ref": "project", "x-relation": "IN_PROJECT"}, "author": {"type": "string", "x-ref": "person", "x-relation": "WRITTEN_BY"}}}},
  {"entity_type": "person", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list"],
    "properties": {"id": {"type": "string"}, "issues": {"type": "integer", "x-derived": {"count": "WRITTEN_BY", "direction": "incoming"}}}}}], "entities": [
  {"entity_type": "project", "items": [{"id": "p1", "name": "Apollo"}, {"id": "p2", "name": "Borealis", "parent": "p1"}, {"id": "p3", "name": "Cassini", "parent": "p2"}, {"id": "p4", "name": "Dawn", "parent": "p3"}]},
  {"entity_type": "person", "items": [{"id": "ann"}, {"id": "bob"}]},
  {"entity_type": "issue", "items": [{"id": "i1", "n": 1, "project": "p1", "author": "ann"}, {"id": "i2", "n": 2, "project": "p2", "author": "ann"}, {"id": "i3", "n": 3, "project": "p3", "author": "bob"}]}]}') ? 'revision' AS applied;
SELECT kg_put_entities('project', (SELECT jsonb_agg(jsonb_build_object('id', 'q' || lpad(n::text, 3, '0'), 'name', 'Q')) FROM generate_series(1, 120) n)) IS NOT NULL AS put;
RESET kg_graph.tenant;
CREATE TABLE exchange_right(ability text, id text);
INSERT INTO exchange_right VALUES ('read_project', 'p1'), ('read_project', 'p2'), ('read_project', 'p4'), ('read_issue', 'p1'), ('read_issue', 'p3');
INSERT INTO exchange_right SELECT 'read_project', 'q' || lpad(n::text, 3, '0') FROM generate_series(1, 120) n WHERE n % 3 > 0;
GRANT SELECT ON exchange_right TO PUBLIC;
SELECT kg_issue_token('{"tenant": "exchange", "sub": "ann"}') AS ann, kg_issue_token('{"tenant": "exchange", "sub": "bob"}') AS bob, kg_issue_token('{"tenant": "exchange"}') AS nobody, kg_issue_token('{"tenant": "exchange2", "sub": "ann"}') AS ann2 \gset
CREATE TABLE exchange_token AS SELECT :'ann' AS ann;
GRANT SELECT, UPDATE ON exchange_token TO PUBLIC;

-- What a gateway does: ask for what the call asks for, and call again.
CREATE FUNCTION exchange_run(tool text, arguments jsonb, rounds OUT int, asked OUT text, result OUT jsonb) LANGUAGE plpgsql AS $$
DECLARE
  reply jsonb;
  told jsonb := '[]';
  seal text;
BEGIN
  rounds := 0;
  LOOP
    reply := kg_call_authorized(tool, arguments, told, seal, (SELECT ann FROM exchange_token));
    EXIT WHEN reply ->> 'state' = 'result';
    rounds := rounds + 1;
    IF (reply ->> 'round')::int <> rounds OR (reply ->> 'expires_at')::timestamptz NOT BETWEEN now() AND now() + '100 s' THEN RAISE 'wrong: %', reply; END IF;
    seal := reply ->> 'exchange';
    asked := concat_ws('; ', asked, (SELECT string_agg(concat_ws(' ', r ->> 'ability', CASE WHEN jsonb_array_length(r -> 'ids') < 10 THEN r ->> 'ids' ELSE jsonb_array_length(r -> 'ids')::text END), ', ') FROM jsonb_array_elements(reply -> 'resources') r));
    told := told || (SELECT jsonb_agg(jsonb_build_object('resource_type', r -> 'resource_type', 'ability', r -> 'ability', 'id', i, 'allowed', EXISTS (SELECT FROM exchange_right e WHERE e.ability = r ->> 'ability' AND e.id = i)))
      FROM jsonb_array_elements(reply -> 'resources') r, jsonb_array_elements_text(r -> 'ids') i);
  END LOOP;
  result := reply #> '{result,structuredContent}';
END $$;
\c - exchange_gateway
SELECT rounds, asked, result -> 'ids' AS ids, result -> 'total' AS total FROM exchange_run('list_project_ids', '{"limit": 5}');
SELECT rounds, asked, result -> 'ids' AS ids, result -> 'total' AS total FROM exchange_run('list_project_ids', '{"limit": 2, "filters": {"name": {"ne": "Q"}}, "sort": [{"field": "name", "order": "desc"}]}');
SELECT rounds, asked, result FROM exchange_run('get_issue', '{"id": "i2"}');
SELECT rounds, asked, result -> 'rows' AS rows FROM exchange_run('traverse_relationships', '{"from": {"label": "project", "ids": ["p1"]}, "relationships": [{"type": "CHILD_OF", "direction": "incoming", "max_hops": 3}]}');
SELECT rounds, asked, result -> 'rows' AS rows FROM exchange_run('traverse_relationships', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "WRITTEN_BY", "direction": "incoming"}, {"type": "IN_PROJECT"}, {"type": "CHILD_OF", "direction": "incoming"}]}');
SELECT rounds, asked, result -> 'counts' AS counts FROM exchange_run('explore_neighbors', '{"start_node": {"label": "person", "node_id": "ann"}, "max_hops": 3}');
SELECT rounds, asked, result -> 'paths' AS paths FROM exchange_run('find_paths', '{"from": {"label": "project", "ids": ["p1"]}, "to": {"label": "project", "ids": ["p4"]}, "max_hops": 3}');
SELECT rounds, asked, result -> 'total' AS total FROM exchange_run('search_entities', '{"query": "Cassini"}');
SELECT rounds, asked, result -> 'items' AS items FROM exchange_run('list_person', '{}');
-- seeds of several types are one step
SELECT rounds, asked, result -> 'node_count' AS nodes FROM exchange_run('bfs_query', '{"seeds": ["project:p1", "issue:i3", "p2", "person:ann"], "max_hops": 1, "topology_only": true}');
-- so are the ids that a step is to lead to
SELECT rounds, asked, result -> 'total' AS total FROM exchange_run('find_nodes', '{"node_label": "person", "related": [{"type": "WRITTEN_BY", "direction": "incoming", "to": {"ids": ["i1", "p1", "p3"]}}]}');
-- a query is about all entities of the types it names; with a function in FROM, of all types
SET kg_graph.toolsets = 'all,sql';
SELECT rounds, asked, result -> 'rows' AS rows FROM exchange_run('query', '{"sql": "SELECT i.id, i.n FROM issue i JOIN project p ON p.id = i.project ORDER BY 1"}');
SELECT rounds, asked, result -> 'rows' AS rows FROM exchange_run('query', '{"sql": "SELECT n.id, n.depth FROM neighbors(''person:ann'', 3) n WHERE n.id !~ ''^q'' ORDER BY 2, 1"}');
SELECT rounds, asked, result -> 'rows' AS rows FROM exchange_run('query', '{"sql": "SELECT w, s.id FROM unnest(ARRAY[''Cassini'', ''Dawn'']) w, search(w, ''project'', 1) s"}');
SELECT rounds, asked, result -> 'rows' AS rows FROM exchange_run('query', '{"sql": "SELECT r.id FROM reach(''project'', ''p1'', ''CHILD_OF'', ''incoming'', 3) r UNION ALL SELECT p.id FROM path(''project:p1'', ''project:p4'', 3) p"}');
RESET kg_graph.toolsets;
-- what claims name is asked for as by any tool, also in calls within them
SELECT rounds, asked, (SELECT string_agg(c ->> 'verdict', ' ' ORDER BY n) FROM jsonb_array_elements(result -> 'claims') WITH ORDINALITY t(c, n)) AS verdicts FROM exchange_run('verify_claims', '{"claims": [{"entity": "project:p1"}, {"entity": "project:p3"}, {"entity": "project:p4", "property": "name", "is": "Dawn"}, {"from": "issue:i1", "relation": "IN_PROJECT", "to": "project:p1"}, {"from": "issue:i2", "relation": "IN_PROJECT", "to": "project:p2"}]}');
SELECT rounds > 1 AS several, (SELECT string_agg(c ->> 'verdict', ' ' ORDER BY n) FROM jsonb_array_elements(result -> 'claims') WITH ORDINALITY t(c, n)) AS verdicts FROM exchange_run('verify_claims', '{"claims": [{"count": {"tool": "find_nodes", "arguments": {"node_label": "project", "filters": {"name": {"ne": "Q"}}}}, "is": 3}, {"none": {"tool": "find_nodes", "arguments": {"node_label": "project", "ids": ["p3"]}}}, {"name": "Cassini"}, {"from": "project:p4", "to": "project:p1", "within": 3}]}');
SELECT rounds, asked, result #>> '{error,code}' AS code FROM exchange_run('no_such_tool', '{}');
SELECT rounds, asked, result #>> '{error,code}' AS code FROM exchange_run('list_project', '{"limit": -1}');

-- Steps after one that has to ask are tried: what they ask for is asked for with it, and no step is told to have failed of it.
\c - :owner
SET kg_graph.tenant = 'exchange';
SELECT kg_register_tool('{"name": "in_order", "version": "1.0.0", "kind": "sequence", "description": "Several.", "input_schema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
  "operations": [{"name": "issue", "tool": "get_issue", "arguments": {"id": {"$arg": "id"}}}, {"name": "people", "tool": "find_nodes", "arguments": {"node_label": "person", "columns": ["id"]}},
    {"name": "project", "tool": "get_project", "arguments": {"id": {"$result": "issue", "path": "/entity/data/project"}}}, {"name": "all", "tool": "list_project_ids", "arguments": {"filters": {"name": {"ne": "Q"}}}}]}') ->> 'verdict' AS verdict;
RESET kg_graph.tenant;
\c - exchange_gateway
SELECT rounds, asked, result FROM exchange_run('in_order', '{"id": "i1"}');
SELECT rounds, asked, result FROM exchange_run('in_order', '{"id": "i2"}');
SELECT rounds, asked, result #> '{error,errors}' FROM exchange_run('in_order', '{"id": "i9"}');

-- The same bytes as an authorizer function's that decides alike.
\c - :owner
CREATE FUNCTION exchange_f(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS $$ SELECT r.id, true FROM public.exchange_right r WHERE r.ability = $2 AND r.id = ANY (ids) $$;
CREATE TABLE exchange_call(n serial, tool text, arguments jsonb, result jsonb);
GRANT ALL ON exchange_call, exchange_call_n_seq TO PUBLIC;
INSERT INTO exchange_call(tool, arguments) VALUES ('list_project', '{"limit": 7}'), ('list_project', '{"limit": 7, "sort": [{"field": "name", "order": "desc"}]}'), ('list_issue', '{"filters": {"n": {"gt": 1}}}'), ('get_project', '{"ids": ["p1", "p3", "p9"]}'),
  ('explore_neighbors', '{"start_node": {"label": "person", "node_id": "ann"}, "max_hops": 3}'), ('aggregate_nodes', '{"node": {"label": "project"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "name"}]}'), ('search_entities', '{"query": "Boralis"}'), ('bfs_query', '{"seeds": ["project:p1"], "max_hops": 2}'),
  ('describe_entities', '{"ids": ["project:p3", "p1"]}'), ('intersect_subgraphs', '{"seeds": ["project:p1", "project:p2"], "k": 2}'), ('list_person', '{}'), ('get_graph_schema', '{}');
\c - exchange_gateway
UPDATE exchange_call c SET result = (SELECT result FROM exchange_run(c.tool, c.arguments));
\c - :owner
SELECT kg_set_authorizer('exchange', 'exchange_f(text, text, text[])');
\c - exchange_reader
SELECT tool, arguments FROM exchange_call WHERE result - 'next' IS DISTINCT FROM (kg_call_tool(tool, arguments) -> 'structuredContent') - 'next' ORDER BY n;
SELECT count(*), count(*) FILTER (WHERE result ? 'error') AS errors FROM exchange_call;
-- Where there are both, both must allow; nobody outside is asked about what the function denies.
\c - :owner
DELETE FROM exchange_right WHERE id = 'p2';
\c - exchange_gateway
SELECT rounds, asked, result -> 'ids' AS ids FROM exchange_run('list_project_ids', '{"filters": {"name": {"ne": "Q"}}}');
\c - :owner
SELECT kg_set_authorizer('exchange', NULL);

-- Replays, and what does not belong to the call.
CREATE FUNCTION exchange_says(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  reply jsonb;
BEGIN
  EXECUTE call INTO reply;
  RETURN coalesce(reply ->> 'state', '') || ' ' || coalesce(reply #>> '{result,structuredContent,ids}', reply #>> '{result,structuredContent,error,code}', reply ->> 'resources');
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
\c - exchange_gateway
\set list 'list_project_ids'
\set arguments '{"filters": {"name": {"in": ["Apollo", "Borealis"]}}}'
SELECT r ->> 'exchange' AS seal, r - 'exchange' - 'expires_at' AS first FROM kg_call_authorized(:'list', :'arguments', token => :'ann') r \gset
\echo :first
\set yes '[{"resource_type": "project", "ability": "read_project", "ids": ["p1", "p2"], "allowed": true}]'
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', :'yes', :'seal', :'ann')) AS taken;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', :'yes', NULL, :'ann')) AS without_exchange;
-- What is not answered is asked again, and noted once.
SELECT length(r ->> 'exchange') = length(:'seal') AS not_longer, r -> 'round' AS round FROM kg_call_authorized(:'list', :'arguments', '[]', :'seal', :'ann') r;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', :'yes', :'seal', :'bob')) AS another_subject;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', :'yes', :'seal', :'ann2')) AS another_tenant;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', 'list_project', :'arguments', :'yes', :'seal', :'ann')) AS another_tool;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', '{"limit": 3}', :'yes', :'seal', :'ann')) AS other_arguments;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', :'yes', left(:'seal', -1), :'ann')) AS cut;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', :'yes', overlay(:'seal' placing 'AAAA' from 1), :'ann')) AS changed;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', :'yes', '', :'ann')) AS empty;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', :'yes', :'seal', :'nobody')) AS without_subject;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L)', :'list', :'arguments', :'yes', :'seal')) AS without_token;
-- Contradictions: the stricter counts.  What was not asked for is ignored; what is missing is asked for again.
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', :'yes'::jsonb || '[{"resource_type": "project", "ability": "read_project", "id": "p1", "allowed": false}]', :'seal', :'ann')) AS contradiction;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', '[{"resource_type": "project", "ability": "read_project", "id": "p1", "allowed": false}]'::jsonb || :'yes', :'seal', :'ann')) AS contradiction;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', :'yes'::jsonb #- '{0,ids,1}', :'seal', :'ann')) AS missing;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', replace(:'yes', 'read_project', 'read_issue'), :'seal', :'ann')) AS another_ability;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', '{"filters": {"name": {"in": ["Apollo", "Dawn"]}}}', '[{"resource_type": "project", "ability": "read_project", "ids": ["p1", "p4"], "allowed": true}]',
  (kg_call_authorized(:'list', '{"filters": {"name": {"in": ["Apollo", "Dawn"]}}}', '[]', NULL, :'ann')) ->> 'exchange', :'ann')) AS asked_for;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', d, :'seal', :'ann')) AS decisions FROM (VALUES ('{}'), ('[7]'), ('[{"resource_type": "project"}]'), ('[{"resource_type": "project", "ability": "a", "allowed": "yes", "id": "p1"}]'), ('[{"resource_type": "project", "ability": "a", "allowed": true, "id": null}]'), ('[{"resource_type": "project", "ability": "a", "allowed": true, "ids": "p1"}]')) v(d);
-- In another session, which no session of the first round need be there for: the server keeps nothing.
\c -
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', :'yes', :'seal', :'ann')) AS another_session;
-- Another gateway's; no gateway's; who has no right to it.
\c - exchange_other
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', :'yes', :'seal', :'ann')) AS another_role;
\c - exchange_plain
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', :'list', :'arguments', :'yes', :'seal', :'ann')) AS gateway_without;
BEGIN; SELECT kg_login(:'ann'); SELECT kg_call_tool('list_project', '{}') #>> '{structuredContent,error,code}' AS code; COMMIT;
\c - exchange_reader
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L)', :'list', :'arguments', :'yes', :'seal')) AS no_gateway;
-- After kg_login() in the same transaction; and past its time.
\c - :owner
SET kg_graph.exchange_time = 1;
SET SESSION AUTHORIZATION exchange_gateway;
BEGIN; SELECT kg_login(:'ann'); SELECT kg_call_authorized('list_project_ids', '{}') ->> 'exchange' AS seal \gset
COMMIT;
SELECT pg_sleep(1.2);
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', 'list_project_ids', '{}', '[]', :'seal', :'ann')) AS expired;
RESET SESSION AUTHORIZATION;
-- What a gateway that speaks MCP is told: what is to be decided in place of a result, of a message alone and of one in a batch.
SET SESSION AUTHORIZATION exchange_gateway;
SELECT r - 'kg_authorize' AS response, (r -> 'kg_authorize') - 'exchange' - 'expires_at' AS asked, r #>> '{kg_authorize,exchange}' AS seal
  FROM kg_mcp_authorized('{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "get_project", "arguments": {"id": "p1"}}}', :'ann', 'exchange') r \gset
\echo :response :asked
SELECT kg_mcp_authorized('{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "get_project", "arguments": {"id": "p1"}}}', :'ann', NULL, '[{"resource_type": "project", "ability": "read_project", "ids": ["p1"], "allowed": true}]', :'seal') #> '{result,structuredContent,entity,id}' AS decided;
SELECT n, r - 'kg_authorize' - 'result' AS response, (r -> 'kg_authorize') - 'exchange' - 'expires_at' AS asked, r #> '{result,structuredContent,returned}' AS returned FROM jsonb_array_elements(kg_mcp_authorized('[{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_person"}},
  {"jsonrpc": "2.0", "id": 2, "method": "ping"}, {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "get_project", "arguments": {"id": "p2"}}}]', :'ann', NULL)) WITH ORDINALITY a(r, n);
SELECT kg_mcp_authorized('{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "get_project", "arguments": {"id": "p1"}}}', :'nobody', NULL) #> '{result,structuredContent,error,code}' AS about_nobody;
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "get_project", "arguments": {"id": "p1"}}}', :'ann') #> '{result,structuredContent,error,code}' AS asks_nobody;
SET SESSION AUTHORIZATION exchange_plain;
SELECT kg_mcp_authorized('{"jsonrpc": "2.0", "id": 7, "method": "ping"}', :'ann', NULL);
RESET SESSION AUTHORIZATION;
-- More than may be asked for; and a role that is a gateway no more.
SET kg_graph.max_authorizations = 50;
SET SESSION AUTHORIZATION exchange_gateway;
SELECT rounds, asked, result - 'next' AS result FROM exchange_run('list_project_ids', '{"limit": 2}');
SELECT rounds, asked, result #>> '{error,code}' AS code FROM exchange_run('list_project_ids', '{"limit": 100}');
RESET SESSION AUTHORIZATION;
SELECT kg_revoke_gateway('exchange_gateway');
SELECT kg_grant_gateway('exchange_gateway');
SET SESSION AUTHORIZATION exchange_gateway;
SELECT exchange_says(format('SELECT kg_call_authorized(%L, %L, %L, %L, %L)', 'list_project_ids', '{}', '[]', NULL, :'ann')) AS no_more;
RESET SESSION AUTHORIZATION;

SELECT kg_revoke_gateway(r) FROM unnest('{exchange_gateway,exchange_other,exchange_plain}'::text[]) r;
-- what is decided in rounds is not written in one
SET kg_graph.tenant = 'exchange';
SELECT kg_apply_bundle('{"bundle_name": "notes", "version": "1", "schemas": [{"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "x-authorize": {"ability": "read_note"}, "x-tool-expose": ["get", "create", "update", "delete"],
  "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}}}], "entities": [{"entity_type": "note", "items": [{"id": "a", "n": 1}]}]}') ? 'revision' AS applied;
RESET kg_graph.tenant;
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('exchange-w', 'kw', 'HS256', 'another secret of more than 32 bytes, for the test', 'kg', 'write');
SELECT kg_issue_token('{"tenant": "exchange", "sub": "ann"}', 'kw') AS writer \gset
SELECT kg_grant_gateway('exchange_gateway', exchange => true);
SET ROLE exchange_gateway;
SELECT tool, reply #>> '{result,structuredContent,error,code}' AS code, reply #>> '{result,structuredContent,error,message}' AS message
  FROM (VALUES ('create_note', '{"items": [{"id": "b"}]}'::jsonb), ('update_note', '{"items": [{"id": "a", "set": {"n": 2}}]}'), ('delete_note', '{"ids": ["a"]}')) v(tool, arguments),
  kg_call_authorized(tool, arguments, token => :'writer') reply;
RESET ROLE;
SELECT entity_id, data FROM kg_entity WHERE entity_type = 'note';
RESET kg_graph.max_authorizations;
-- An estimate, which looks at a part of each step, takes no rounds of its own; nor does it tell another number than to whom a function allows the same.
SET kg_graph.tenant = 'exchange';
SELECT kg_put_entities('project', (SELECT jsonb_agg(jsonb_build_object('id', part || lpad(n::text, 2, '0'), 'parent', CASE part WHEN 'r' THEN 'p1' WHEN 's' THEN 'r' || lpad(n::text, 2, '0') ELSE 's' || lpad(n::text, 2, '0') END))
  FROM unnest('{r,s,t}'::text[]) WITH ORDINALITY u(part, o), generate_series(1, 40) n)) IS NOT NULL AS put;
INSERT INTO exchange_right SELECT 'read_project', entity_id FROM kg_entity WHERE entity_type = 'project' AND entity_id ~ '^[rst]' AND entity_id !~ '7$' ON CONFLICT DO NOTHING;
\set walk '{"from": {"label": "project", "ids": ["p1"]}, "relationships": [{"type": "CHILD_OF", "direction": "incoming", "max_hops": 3}], "limit": 2}'
\set near '{"start_node": {"label": "project", "node_id": "p1"}, "max_hops": 3, "limit": 2}'
\set path '{"from": {"label": "project", "ids": ["p1"]}, "to": {"label": "project", "ids": ["t01", "t02"]}, "max_hops": 4, "mode": "simple"}'
SELECT kg_set_limits('exchange', 'role:exchange_reader', '{"max_cost": 40}'), kg_set_limits('exchange', 'sub:bob', '{"max_cost": 40}');
RESET kg_graph.tenant;
SET ROLE exchange_gateway;
SELECT tool, rounds, result -> 'total' AS total, result -> 'error' AS error FROM (VALUES ('traverse_relationships', :'walk'), ('explore_neighbors', :'near'), ('find_paths', :'path')) v(tool, arguments), exchange_run(tool, arguments::jsonb) x;
UPDATE exchange_token SET ann = :'bob';
SELECT tool, rounds, result #>> '{error,message}' AS error FROM (VALUES ('traverse_relationships', :'walk'), ('explore_neighbors', :'near'), ('find_paths', :'path')) v(tool, arguments), exchange_run(tool, arguments::jsonb) x;
RESET ROLE;
SELECT kg_set_authorizer('exchange', 'exchange_f(text, text, text[])');
SET ROLE exchange_reader;
SELECT tool, kg_call_tool(tool, arguments::jsonb) #>> '{structuredContent,error,message}' AS error FROM (VALUES ('traverse_relationships', :'walk'), ('explore_neighbors', :'near'), ('find_paths', :'path')) v(tool, arguments);
RESET ROLE;
-- Whether there is more beyond is one step: all of it is asked about in one round.
SELECT kg_set_authorizer('exchange', NULL);
DELETE FROM exchange_right WHERE id ~ '^s';
UPDATE exchange_token SET ann = :'ann';
SET ROLE exchange_gateway;
SELECT rounds, asked, result -> 'total' AS total, result -> 'complete' AS complete FROM exchange_run('explore_neighbors', '{"start_node": {"label": "project", "node_id": "p1"}, "direction": "incoming", "max_hops": 1, "limit": 1}');
RESET ROLE;
-- What a reply counts of edges is one step, of whatever types it has entities and whatever these count.
SET kg_graph.tenant = 'exchange';
SELECT kg_apply_bundle('{"bundle_name": "teams", "version": "1", "schemas": [
  {"entity_type": "member", "schema": {"type": "object", "x-id-field": "id", "x-authorize": {"ability": "read_member"}, "properties": {"id": {"type": "string"}, "team": {"type": "string", "x-ref": "team", "x-relation": "MEMBER_OF"}, "city": {"type": "string", "x-ref": "city", "x-relation": "LIVES_IN"}, "born": {"type": "string", "x-ref": "city", "x-relation": "BORN_IN"}}}},
  {"entity_type": "team", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list"], "properties": {"id": {"type": "string"}, "city": {"type": "string", "x-ref": "city", "x-relation": "BASED_IN"}, "members": {"type": "integer", "x-derived": {"count": "MEMBER_OF", "direction": "incoming"}}}}},
  {"entity_type": "city", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "members": {"type": "integer", "x-index": true, "x-derived": {"count": "LIVES_IN", "direction": "incoming"}}, "natives": {"type": "integer", "x-index": true, "x-derived": {"count": "BORN_IN", "direction": "incoming"}}}}}],
  "entities": [{"entity_type": "city", "items": [{"id": "c1"}]}, {"entity_type": "team", "items": [{"id": "t1", "city": "c1"}]}, {"entity_type": "member", "items": [{"id": "m1", "team": "t1"}, {"id": "m2", "city": "c1"}, {"id": "m4", "born": "c1"}, {"id": "m3", "team": "t1", "city": "c1"}]}]}') ? 'revision' AS applied;
RESET kg_graph.tenant;
INSERT INTO exchange_right VALUES ('read_member', 'm1'), ('read_member', 'm2');
SET ROLE exchange_gateway;
SELECT rounds, asked, result -> 'paths' AS paths FROM exchange_run('find_paths', '{"from": {"label": "team", "ids": ["t1"]}, "to": {"label": "city", "ids": ["c1"]}, "max_hops": 1}');
SELECT rounds, asked, result -> 'total' AS total FROM exchange_run('find_nodes', '{"node_label": "city", "filters": {"members": 1, "natives": 0}}');
RESET ROLE;
-- max_authorizations is of the decisions that a reply rests on, as with a function, and of each round: a page in another order than its matches were counted in is asked about as well.
SET kg_graph.max_authorizations = 60;
SET ROLE exchange_gateway;
SELECT rounds, asked, result - 'ids' - 'next' AS result FROM exchange_run('list_project_ids', '{"limit": 5, "sort": [{"field": "name", "order": "desc"}]}');
SELECT rounds, asked, result - 'ids' - 'next' AS result FROM exchange_run('list_project_ids', '{"limit": 5}');
SELECT rounds, asked, result #>> '{error,message}' AS error FROM exchange_run('traverse_relationships', '{"from": {"label": "project", "ids": ["p1"]}, "relationships": [{"type": "CHILD_OF", "direction": "incoming", "max_hops": 3}], "limit": 2}');
RESET ROLE;
RESET kg_graph.max_authorizations;
-- A write of a plain type that refers to entities that need decisions: one round decides all of them, and a denied one does not exist.
SET kg_graph.tenant = 'exchange';
SELECT kg_apply_bundle('{"bundle_name": "notes", "version": "1", "schemas": [{"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["get", "create", "update"], "properties": {"id": {"type": "string"}, "about": {"type": "array", "items": {"type": "string", "x-ref": "code/project"}}}}}], "entities": []}') -> 'changed' AS changed;
RESET kg_graph.tenant;
UPDATE kg_auth_key SET access = 'write' WHERE issuer = 'exchange';
SET ROLE exchange_gateway;
SELECT rounds, asked, result -> 'counts' AS counts FROM exchange_run('create_note', '{"items": [{"id": "n1", "about": ["p1", "p4"]}, {"id": "n2", "about": ["q001"]}]}');
SELECT rounds, asked, result #>> '{error,errors,0,code}' AS code, result #>> '{error,errors,0,path}' AS path FROM exchange_run('create_note', '{"items": [{"id": "n3", "about": ["p1", "p3"]}]}');
SELECT rounds, asked, result #>> '{error,errors,0,code}' AS code FROM exchange_run('create_note', '{"items": [{"id": "n4", "about": ["nothing"]}]}');
SELECT rounds, asked, result -> 'counts' AS counts FROM exchange_run('update_note', '{"items": [{"id": "n1", "set": {"about": ["p4", "q002"]}}]}');
SELECT rounds, asked, result -> 'counts' AS counts FROM exchange_run('create_note', '{"items": [{"id": "n5"}]}');
RESET ROLE;
SELECT entity_id, data -> 'about' AS about FROM kg_entity WHERE entity_type = 'note' ORDER BY entity_id COLLATE "C";
DELETE FROM kg_auth_key WHERE issuer IN ('exchange', 'exchange-w');
DROP FUNCTION exchange_f(text, text, text[]), exchange_run(text, jsonb), exchange_says(text);
DROP TABLE exchange_right, exchange_call, exchange_token;
SELECT kg_revoke_gateway('exchange_gateway');
CALL test.drop('exchange', 'exchange2');
DROP ROLE exchange_gateway, exchange_other, exchange_plain;
