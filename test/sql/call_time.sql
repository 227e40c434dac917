-- kg_graph.max_call_time ends every call that reads, even while it waits in a
-- function of a policy or an authorizer. Without this setting, the time-out of the
-- statement ends the call, and the error says so.
\i test/data/prelude.sql
CALL test.tenant('call_time', 'call_time_a write');
SELECT kg_grant('call_time', current_user::text, 'admin');
CREATE FUNCTION call_time_authorizer(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM pg_sleep(1000); RETURN QUERY SELECT u, true FROM unnest(ids) u; END $$;
CREATE FUNCTION call_time_policy() RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM pg_sleep(current_setting('call_time.sleep')::float8); RETURN true; END $$;
CREATE FUNCTION call_time_swallows() RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM pg_sleep(1000); RETURN true; EXCEPTION WHEN query_canceled THEN RETURN true; END $$;
-- goes on after it has caught the cancel
CREATE FUNCTION call_time_goes_on() RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN
  FOR i IN 1..3 LOOP
    BEGIN
      PERFORM pg_sleep(1000);
    EXCEPTION WHEN query_canceled THEN
      PERFORM kg_limits();
    END;
  END LOOP;
  RETURN true;
END $$;
CREATE FUNCTION call_time_inner() RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN
  IF current_setting('call_time.sleep') = '0' THEN
    PERFORM set_config('call_time.sleep', '1', true);
    RAISE WARNING 'within it: %', kg_call_tool('get_note', '{"id": "n1"}') #>> '{structuredContent,error,message}';
  END IF;
  PERFORM pg_sleep(1000);
  RETURN true;
END $$;
CREATE FUNCTION call_time_says(call text, OUT says text) LANGUAGE plpgsql AS $$
DECLARE
  reply text;
BEGIN
  EXECUTE 'SELECT ' || call INTO reply;
  says := coalesce((SELECT e ->> 'code' || ' ' || (e ->> 'message') FROM (SELECT jsonb_path_query_first(reply::jsonb, '$.**.error ? (exists (@.code))')) j(e)), substring(reply from 'the call took longer than [^)]*\)'), left(reply, 60));
END $$;
SET kg_graph.tenant = 'call_time';
SELECT kg_apply_bundle('{"bundle_name": "notes", "version": "1", "schemas": [
  {"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "x-tool-expose": ["get", "list", "list_ids", "create"], "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "after": {"type": "string", "x-ref": "note", "x-relation": "AFTER"}}}}],
  "entities": [{"entity_type": "note", "items": [{"id": "n1", "name": "One"}, {"id": "n2", "name": "Two", "after": "n1"}]}]}') ? 'revision' AS applied;
SELECT kg_register_tool('{"name": "write_and_read", "version": "1.0.0", "kind": "sequence", "description": "Both.", "input_schema": {"type": "object"},
  "operations": [{"name": "put", "tool": "create_note", "arguments": {"items": [{"id": "nap"}]}}, {"name": "got", "tool": "get_note", "arguments": {"id": "nap"}}]}') ->> 'verdict' AS verdict;
RESET kg_graph.tenant;
CREATE TABLE call_time_call(n serial, call text);
GRANT SELECT ON call_time_call TO PUBLIC;
INSERT INTO call_time_call(call) VALUES ($$kg_get('note', 'n1')$$), ($$kg_get('note', '{n1}'::text[])$$), ($$kg_list('note', '{}')$$), ($$kg_list_ids('note', '{}')$$), ($$kg_history('note', 'n1')$$), ($$kg_find_nodes('{"node_label": "note"}')$$),
  ($$kg_traverse('{"from": {"label": "note", "ids": ["n1"]}, "relationships": [{"type": "AFTER", "direction": "incoming"}]}')$$), ($$kg_neighbors('{"start_node": {"label": "note", "node_id": "n1"}}')$$), ($$kg_aggregate('{"node": {"label": "note"}, "group_by": [{"property": "name"}], "aggregations": [{"fn": "count"}]}')$$),
  ($$kg_call_tool('get_note', '{"id": "n1"}')$$), ($$kg_call_tool('list_note', '{}')$$), ($$kg_call_tool('bfs_query', '{"seeds": ["note:n1"], "max_hops": 1}')$$), ($$kg_call_tool('describe_entities', '{"ids": ["note:n1"]}')$$), ($$kg_call_tool('verify_claims', '{"claims": [{"entity": "note:n1"}]}')$$),
  ($$kg_call_tool('get_note', '{"id": "n1"}', '{"timeout_ms": 100}')$$), ($$kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_note", "arguments": {"id": "n1"}}}')$$),
  ($$kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "kg://entity/note:n1"}}')$$),
  ($$kg_mcp('[{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_note", "arguments": {"id": "n1"}}}, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "get_note", "arguments": {"id": "n1"}}}]') -> 0$$),
  ($$kg_mcp('[{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_note", "arguments": {"id": "n1"}}}, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "get_note", "arguments": {"id": "n1"}}}]') -> 1$$);
CREATE FUNCTION call_time_all() RETURNS TABLE (call text, says text) LANGUAGE plpgsql AS $$ BEGIN
  FOR call IN SELECT c.call FROM call_time_call c ORDER BY n LOOP
    BEGIN
      says := call_time_says(call);
    EXCEPTION WHEN query_canceled THEN
      says := SQLERRM;
    END;
    RETURN NEXT;
  END LOOP;
END $$;
-- A policy's function, of the entities.
CREATE POLICY call_time_slow ON kg_entity AS RESTRICTIVE FOR SELECT USING (tenant <> 'call_time' OR call_time_policy());
SET kg_graph.max_call_time = 200;
SET call_time.sleep = 1000;
SET statement_timeout = '30 s';
SET ROLE call_time_a;
SELECT left(call, 90) AS call, says FROM call_time_all();
-- of claims the one that is judged then is unknown, and all after it
SELECT r #>> '{claims,0,verdict}' AS first, r #>> '{claims,1,verdict}' AS second, r #>> '{claims,1,reason}' AS reason FROM kg_verify('{"claims": [{"none": {"tool": "find_nodes", "arguments": {"node_label": "note"}}}, {"none": {"tool": "find_nodes", "arguments": {"node_label": "note"}}}]}') r;
-- the limit of a caller
RESET ROLE;
SET kg_graph.max_call_time = 60000;
SELECT kg_set_limits('call_time', 'role:call_time_a', '{"max_call_time": 150}') IS NOT NULL AS set;
SET ROLE call_time_a;
SELECT call, says FROM call_time_all() WHERE call ~ 'kg_get|resources/read';
RESET ROLE;
SELECT kg_set_limits('call_time', 'role:call_time_a', '{"max_call_time": null}') IS NOT NULL AS set;
SET kg_graph.max_call_time = 200;
-- What is over does not end what follows.
SET call_time.sleep = 0;
SET ROLE call_time_a;
SELECT kg_get('note', 'n1') -> 'name' AS name FROM (SELECT pg_sleep(0.3)) s;
RESET ROLE;
-- A function that goes on after the cancel: its call ends when it does.
ALTER POLICY call_time_slow ON kg_entity USING (tenant <> 'call_time' OR call_time_swallows());
SET ROLE call_time_a;
SELECT call_time_says($$kg_call_tool('get_note', '{"id": "n1"}')$$);
RESET ROLE;
ALTER POLICY call_time_slow ON kg_entity USING (tenant <> 'call_time' OR call_time_goes_on());
SET ROLE call_time_a;
SELECT call_time_says(call) FROM unnest(ARRAY[$$kg_call_tool('get_note', '{"id": "n1"}')$$, $$kg_call_tool('get_note', '{"id": "n1"}', '{"timeout_ms": 50}')$$]) call;
RESET ROLE;
-- A call within a call has its clock, and what is around it ends as well.
ALTER POLICY call_time_slow ON kg_entity USING (tenant <> 'call_time' OR call_time_inner());
SET ROLE call_time_a;
SELECT call_time_says($$kg_call_tool('get_note', '{"id": "n1"}')$$);
RESET ROLE;
DROP POLICY call_time_slow ON kg_entity;
-- An authorizer.
SELECT kg_set_authorizer('call_time', 'call_time_authorizer(text, text, text[])');
SET kg_graph.tenant = 'call_time';
SELECT kg_apply_bundle('{"bundle_name": "projects", "version": "1", "schemas": [{"entity_type": "project", "schema": {"type": "object", "x-id-field": "id", "x-authorize": {"ability": "read"}, "x-tool-expose": ["get"], "properties": {"id": {"type": "string"}}}}], "entities": [{"entity_type": "project", "items": [{"id": "p1"}]}]}') ? 'revision' AS applied;
RESET kg_graph.tenant;
SET ROLE call_time_a;
SELECT call_time_says($$kg_call_tool('get_project', '{"id": "p1"}')$$), call_time_says($$kg_call_tool('get_project', '{"id": "p1"}', '{"timeout_ms": 100}')$$);
SELECT test.fails($$SELECT kg_get('project', 'p1')$$);
RESET ROLE;
-- The clock stands still while a tool writes, and goes on when it reads.
CREATE FUNCTION call_time_nap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(2.5); RETURN NEW; END $$;
CREATE TRIGGER call_time_nap BEFORE INSERT ON kg_entity FOR EACH ROW WHEN (NEW.entity_id = 'nap') EXECUTE FUNCTION call_time_nap();
SET kg_graph.max_call_time = 2000;
SET ROLE call_time_a;
SELECT kg_call_tool('write_and_read', '{}') #> '{structuredContent,results,got,entity,id}' AS got;
RESET ROLE;
DROP TRIGGER call_time_nap ON kg_entity;
RESET statement_timeout;
RESET kg_graph.max_call_time;
DROP TABLE call_time_call;
SET client_min_messages = error;
CALL test.drop('call_time');
DROP FUNCTION call_time_authorizer, call_time_policy, call_time_swallows, call_time_goes_on, call_time_inner, call_time_says, call_time_all, call_time_nap;
