-- Limits of callers: who sets them, for whom they hold, what they refuse.
\i test/data/prelude.sql
CALL test.tenant('limits', 'limits_admin admin', 'limits_app write');
CALL test.tenant('limits 2', 'limits_other admin');
CREATE ROLE limits_gateway LOGIN;
SELECT kg_grant_gateway('limits_gateway');
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience) VALUES ('https://limits', 'l', 'HS256', 'limitslimitslimitslimitslimitslimits', 'kg');
CREATE FUNCTION limits_token(claims jsonb) RETURNS text LANGUAGE sql AS $$ SELECT kg_issue_token('{"iss": "https://limits", "aud": "kg", "tenant": "limits", "access": "read"}'::jsonb || claims, 'l', '1 hour') $$;
SELECT limits_token('{"sub": "ada"}') AS ada, limits_token('{"sub": "bob", "agent": "bot"}') AS bob, limits_token('{"agent": "bot", "sub": "carol"}') AS carol \gset
CREATE FUNCTION failed(sql text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE d text; BEGIN EXECUTE sql; RETURN 'done'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL; RETURN SQLSTATE || ' ' || left(SQLERRM, 120) || ' ' || coalesce((CASE WHEN d LIKE '{%' THEN d::jsonb - 'message' - 'allowed' END)::text, ''); END $$;
CREATE FUNCTION allowed(sql text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE d text; BEGIN EXECUTE sql; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL; RETURN d::jsonb -> 'allowed'; END $$;
\c - limits_admin
\pset format unaligned
\pset tuples_only on
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [{"entity_type": "item", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}}], "relations": [{"name": "LIKES", "from": "item", "to": "item"}],
  "entities": [{"entity_type": "item", "items": [{"id": "a", "name": "A"}, {"id": "b"}, {"id": "c"}]}], "edges": [{"relation": "LIKES", "from": "item:a", "to": "item:b"}]}') ? 'revision';
SELECT kg_create_agent('bot', '{"bundles": ["shop"]}');
-- nothing is set
SELECT kg_limits();

-- What is refused.
SELECT l, failed(format('SELECT kg_set_limits(''limits'', ''*'', %L)', l)) FROM unnest(ARRAY['[]', '"x"', 'null', '5', '{"max_row": 5}', '{"max_rows": -1}', '{"max_rows": 1.5}', '{"max_rows": 100001}', '{"max_rows": 1e400}', '{"max_rows": "5"}', '{"max_rows": true}', '{"max_rows": [1]}', '{"max_reply_bytes": 1023}',
  '{"max_call_time": "5"}', '{"max_call_time": "5 min"}', '{"max_call_time": "1.5s"}', '{"max_call_time": "0.4 ms"}', '{"max_call_time": "5 parsecs"}', '{"max_call_time": "-1s"}', '{"max_call_time": ""}', '{"max_call_time": "1000 d"}', '{"max_call_time": "nan"}', '{"max_rows": "1 s"}',
  '{"concurrent_calls": 2147483648}', '{"entities": 9223372036854775808}', '{"entities": 0.5}', '{"bytes": "1 GB"}']) l;
SELECT allowed($$SELECT kg_set_limits('limits', '*', '{"max_row": 5}')$$);
SELECT left(s, 20), failed(format('SELECT kg_set_limits(''limits'', %L, ''{"max_rows": 5}'')', s)) FROM unnest(ARRAY['', 'x', '**', 'role:', 'role:limits_none', 'agent:', 'agent:none', 'sub:', E'sub:a\nb', 'ceiling', 'sub:' || repeat('s', 1021), 'ROLE:limits_app']) s;
SELECT failed($$SELECT kg_set_limits('limits', 'role:limits_app', '{"entities": 5}')$$);
SELECT failed($$SELECT kg_set_limits('limits 2', '*', '{"max_rows": 5}')$$), failed($$SELECT kg_set_limits('none', '*', '{"max_rows": 5}')$$);
SELECT kg_set_limits('limits', '*', NULL) IS NULL;
SELECT subject, limits FROM kg_limit ORDER BY subject;
SELECT kg_set_limits('limits', '*', '{}');
\c - limits_app
SELECT failed($$SELECT kg_set_limits('limits', '*', '{"max_rows": 5}')$$);
SELECT failed($$INSERT INTO kg_limit(tenant, subject, limits) VALUES ('limits', '*', '{}')$$), failed($$UPDATE kg_limit SET limits = '{}'$$), failed($$DELETE FROM kg_limit$$);

-- The most special subject that says something counts, limit by limit; null is as the setting.
\c - limits_admin
SELECT kg_set_limits('limits', '*', '{"max_rows": 100, "max_call_time": "2 s", "calls_per_minute": 60, "concurrent_calls": 5}');
SELECT kg_set_limits('limits', 'role:limits_app', '{"max_rows": 50, "edges_per_minute": 100000000000}');
SELECT kg_set_limits('limits', 'agent:bot', '{"max_rows": 20, "concurrent_calls": null, "max_reply_bytes": 2048}');
SELECT kg_set_limits('limits', 'sub:bob', '{"max_rows": null, "max_cost": 7}');
SELECT kg_set_limits('limits', 'sub:dan', '{"max_rows": 1}');
SELECT kg_set_limits('limits', 'sub:dan', '{}');
SELECT subject, limits FROM kg_limit ORDER BY subject COLLATE "C";
SELECT kg_limits();
\c - limits_app
SELECT kg_limits();
SELECT count(*) FROM kg_limit;
\c - limits_other
SELECT kg_limits();
SELECT count(*) FROM kg_limit;
\c - limits_gateway
BEGIN; SELECT kg_login(:'ada'); SELECT kg_limits(); COMMIT;
BEGIN; SELECT kg_login(:'bob'); SELECT kg_limits(); COMMIT;
BEGIN; SELECT kg_login(:'carol'); SELECT kg_limits(); COMMIT;
SELECT failed('SELECT kg_limits()');
-- The ceiling is the owner's and is passed by nobody, whoever is more special.
\c - :owner
SELECT kg_set_limits('limits', '*', '{"max_rows": 40, "max_call_time": 3000, "calls_per_minute": 30, "entities": 1000}');
\c - limits_admin
SELECT subject, limits FROM kg_limit WHERE subject = 'ceiling';
SELECT failed($$SELECT kg_set_limits('limits', 'role:limits_admin', '{"max_rows": 41}')$$), failed($$SELECT kg_set_limits('limits', '*', '{"entities": 1001}')$$);
SELECT kg_set_limits('limits', 'role:limits_admin', '{"max_rows": 40, "calls_per_minute": null}');
SELECT kg_limits();
\c - limits_app
SELECT kg_limits();
\c - limits_gateway
BEGIN; SELECT kg_login(:'bob'); SELECT kg_limits() -> 'limits' -> 'max_rows'; COMMIT;

-- What they do: published and enforced, for this caller, and gone after the call.
\c - limits_app
SELECT failed($$SELECT kg_find_nodes('{"node_label": "item", "limit": 41}')$$), failed($$SELECT kg_find_nodes('{"node_label": "item", "limit": 40}')$$);
SELECT t #> '{inputSchema,properties,limit,maximum}' FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'find_nodes';
SELECT t #> '{inputSchema,properties,limit,maximum}' FROM jsonb_array_elements(kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}') #> '{result,tools}') t WHERE t ->> 'name' = 'find_nodes';
SHOW kg_graph.max_rows;
\c - limits_other
SELECT t #> '{inputSchema,properties,limit,maximum}' FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'find_nodes';
SELECT failed($$SELECT kg_find_nodes('{"node_label": "item", "limit": 41}')$$);
\c - limits_gateway
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "find_nodes", "arguments": {"node_label": "item", "max_bytes": 2049}}}', :'carol') #>> '{result,structuredContent,error,message}';
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "find_nodes", "arguments": {"node_label": "item", "max_bytes": 2049}}}', :'ada') #> '{result,isError}';
SELECT t #> '{inputSchema,properties,max_bytes,default}' FROM jsonb_array_elements(kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}', :'carol') #> '{result,tools}') t WHERE t ->> 'name' = 'find_nodes';
SELECT t #> '{inputSchema,properties,max_bytes,default}' FROM jsonb_array_elements(kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}', :'ada') #> '{result,tools}') t WHERE t ->> 'name' = 'find_nodes';
-- also where the call fails, and in a subtransaction; a setting that is set meanwhile is what it was set to
\c - :owner
GRANT SET ON PARAMETER kg_graph.max_rows TO limits_app;
\c - limits_app
BEGIN;
SET LOCAL kg_graph.max_rows = 30;
SELECT failed($$SELECT kg_find_nodes('{"node_label": "item", "limit": 31}')$$);
SELECT failed($$SELECT kg_find_nodes('{"node_label": "none"}')$$);
SHOW kg_graph.max_rows;
SET LOCAL kg_graph.max_rows = 300;
SELECT failed($$SELECT kg_find_nodes('{"node_label": "item", "limit": 41}')$$);
ROLLBACK;
SHOW kg_graph.max_rows;

-- 0 allows none.
\c - limits_admin
SELECT n, kg_set_limits('limits', 'role:limits_app', jsonb_build_object(n, 0)), failed($$SELECT kg_get('item', 'a')$$) FROM unnest(ARRAY['calls_per_minute']) n;
CREATE FUNCTION pg_temp.zero(name text) RETURNS void LANGUAGE sql AS $$ SELECT kg_set_limits('limits', 'role:limits_admin', jsonb_build_object(name, 0)) $$;
SELECT n, pg_temp.zero(n), failed($$SELECT kg_get('item', 'a')$$), kg_call_tool('get_item', '{"id": "a"}') -> 'structuredContent', kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_item", "arguments": {"id": "a"}}}') -> 'result' -> 'structuredContent' -> 'error' ->> 'code', kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}') -> 'result'
  FROM unnest(ARRAY['concurrent_calls', 'max_cost', 'max_rows', 'max_reply_bytes', 'max_call_time', 'calls_per_minute']) n;
SELECT kg_set_limits('limits', 'role:limits_admin', '{"concurrent_calls": 0}');
SELECT failed($$SELECT kg_put_entities('item', '[{"id": "z"}]')$$), failed($$SELECT kg_apply_bundle('{}')$$), failed($$SELECT kg_export_bundle('shop') ? 'x'$$);
SELECT kg_set_limits('limits', 'role:limits_admin', '{"max_rows": 0}');
SELECT failed($$SELECT kg_put_entities('item', '[{"id": "z"}]')$$);
SELECT kg_set_limits('limits', 'role:limits_admin', '{}');
-- set and taken back in one transaction
BEGIN;
SELECT kg_set_limits('limits', 'role:limits_admin', '{"concurrent_calls": 0}');
SELECT failed($$SELECT kg_get('item', 'a')$$);
ROLLBACK;
SELECT failed($$SELECT kg_get('item', 'a')$$);

-- A place is free again when its call has ended, also with an error, also in one transaction; a call in a call has the same.
SELECT kg_set_limits('limits', '*', '{"concurrent_calls": 1}');
BEGIN;
SELECT kg_get('item', id) ->> 'id', failed($$SELECT kg_get('none', 'a')$$) FROM unnest(ARRAY['a', 'b']) id;
SELECT kg_call_tool('get_item', '{"id": "a"}') -> 'isError', kg_call_tool('none') -> 'isError', kg_call_tool('get_item', '{"id": "a"}') -> 'isError';
SAVEPOINT s;
SELECT kg_get('none', 'a');
ROLLBACK TO s;
SELECT kg_get('item', 'a') ->> 'id';
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory';
COMMIT;
-- nothing is written
BEGIN READ ONLY;
SELECT kg_get('item', 'a') ->> 'id';
COMMIT;
-- kg_pack is a call, too
SELECT kg_set_limits('limits', '*', '{"concurrent_calls": 0}');
SELECT failed($$SELECT kg_pack()$$);
SELECT kg_set_limits('limits', '*', '{}');
SELECT failed($$SELECT kg_pack()$$);
-- What is said of nothing is refused.
SELECT failed(q) FROM unnest(ARRAY[$$SELECT kg_set_limits('limits', '*', NULL)$$, $$SELECT kg_set_limits('limits', NULL, '{}')$$, $$SELECT kg_set_limits(NULL, '*', '{}')$$]) q;
\c - :owner
-- The table itself takes what the function takes, whoever writes it, and is not emptied behind the triggers.
SELECT failed(format('INSERT INTO kg_limit(tenant, subject, limits) VALUES (%L, %L, %L)', 'limits', s, l)) FROM (VALUES ('sub:eve', '{"max_rows": "many"}'), ('sub:eve', '[]'), ('sub:eve', '{"max_row": 1}'), ('sub:eve', '{"entities": 1}'),
  (E'sub:e\nve', '{}'), ('eve', '{}'), ('sub:' || repeat('e', 2000), '{}'), ('sub:eve', '{"max_rows": -1}'), ('sub:eve', NULL), (NULL, '{}')) v(s, l);
BEGIN;
INSERT INTO kg_limit(tenant, subject, limits) VALUES ('limits', 'sub:eve', '{"max_call_time": "2 s"}');
SELECT limits FROM kg_limit WHERE subject = 'sub:eve';
SELECT failed($$UPDATE kg_limit SET limits = '{"max_rows": {}}' WHERE subject = 'sub:eve'$$);
ROLLBACK;
SELECT failed('TRUNCATE ' || t) FROM unnest(ARRAY['kg_limit', 'kg_quota', 'kg_limit, kg_quota']) t;
SET client_min_messages = error;
SELECT kg_drop_tenant('limits'), kg_drop_tenant('limits 2');
SELECT count(*) FROM kg_limit;
SELECT kg_revoke_gateway('limits_gateway');
REVOKE SET ON PARAMETER kg_graph.max_rows FROM limits_app;
DELETE FROM kg_auth_key WHERE kid = 'l';
DROP FUNCTION limits_token, failed, allowed;
DROP OWNED BY limits_admin, limits_app, limits_other, limits_gateway;
DROP ROLE limits_admin, limits_app, limits_other, limits_gateway;
