-- Past states of entities for which an authorizer decides who sees them: a function,
-- or an exchange of messages.
\i test/data/prelude.sql
CREATE ROLE as_of_gateway;
CALL test.tenant('as_of_auth', 'as_of_asked read');
SELECT kg_grant('as_of_auth', current_user::text, 'admin'), kg_grant_gateway('as_of_gateway', exchange => true);
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience) VALUES ('as_of_auth', 'k', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg');
CREATE SCHEMA as_of_auth;
GRANT USAGE ON SCHEMA as_of_auth TO PUBLIC;
CREATE FUNCTION as_of_auth.decide(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS $$ SELECT u, u = 'open' FROM unnest(ids) u $$;
SET kg_graph.tenant = 'as_of_auth';
SELECT kg_apply_bundle('{"bundle_name": "code", "version": "1", "schemas": [{"entity_type": "issue", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "x-tool-expose": ["list", "get", "history"],
  "x-authorize": {"ability": "read_issue", "resource_type": "project", "id": "project"}, "properties": {"id": {"type": "string"}, "project": {"type": "string"}, "n": {"type": "integer", "x-index": true}}}}],
  "relations": [{"name": "NEXT", "from": "issue", "to": "issue", "history": true}],
  "entities": [{"entity_type": "issue", "items": [{"id": "same", "project": "open", "n": 1}, {"id": "kept", "project": "open", "n": 1}, {"id": "left", "project": "open", "n": 1}, {"id": "came", "project": "secret", "n": 1}, {"id": "gone", "project": "open", "n": 1}, {"id": "hidden", "project": "secret", "n": 1}, {"id": "never", "project": "secret", "n": 1}]}],
  "edges": [{"relation": "NEXT", "from": "issue:same", "to": "issue:gone"}, {"relation": "NEXT", "from": "issue:gone", "to": "issue:kept"}, {"relation": "NEXT", "from": "issue:same", "to": "issue:came"}, {"relation": "NEXT", "from": "issue:kept", "to": "issue:left"}]}') ? 'revision' AS applied;
SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at \gset
UPDATE kg_entity SET data = data || '{"n": 2}' WHERE tenant = 'as_of_auth' AND entity_id IN ('kept', 'hidden');
UPDATE kg_entity SET data = data || '{"project": "secret"}' WHERE tenant = 'as_of_auth' AND entity_id = 'left';
UPDATE kg_entity SET data = data || '{"project": "open"}' WHERE tenant = 'as_of_auth' AND entity_id = 'came';
DELETE FROM kg_entity WHERE tenant = 'as_of_auth' AND entity_id IN ('gone', 'never');
RESET kg_graph.tenant;
SELECT kg_issue_token('{"tenant": "as_of_auth", "sub": "ann"}') AS ann \gset
CREATE TABLE as_of_auth.calls AS SELECT n, tool, jsonb_build_object('as_of', :'at') || arguments AS arguments FROM (VALUES
  (1, 'get_issue', '{"ids": ["same", "kept", "left", "came", "gone", "hidden", "never"]}'::jsonb), (2, 'list_issue', '{}'), (3, 'list_issue', '{"filters": {"n": 1}, "sort": [{"field": "n"}], "limit": 2}'),
  (4, 'list_issue', '{"related": [{"type": "NEXT"}]}'), (5, 'find_nodes', '{"node_label": "issue", "ids_only": true}'), (6, 'describe_entities', '{"ids": ["issue:gone", "issue:came", "issue:kept"]}'),
  (7, 'traverse_relationships', '{"from": {"label": "issue", "ids": ["same"]}, "relationships": [{"type": "NEXT", "max_hops": 3}]}')) c(n, tool, arguments);
GRANT SELECT ON as_of_auth.calls TO PUBLIC;
-- What a gateway does: ask for what the call asks for, and call again.
CREATE FUNCTION as_of_auth.exchange(tool text, arguments jsonb, token text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  reply jsonb;
  told jsonb := '[]';
  seal text;
BEGIN
  FOR round IN 1..20 LOOP
    reply := kg_call_authorized(tool, arguments, told, seal, token);
    EXIT WHEN reply ->> 'state' = 'result';
    seal := reply ->> 'exchange';
    told := told || (SELECT jsonb_agg(jsonb_build_object('resource_type', r -> 'resource_type', 'ability', r -> 'ability', 'id', i, 'allowed', i #>> '{}' = 'open'))
      FROM jsonb_array_elements(reply -> 'resources') r, jsonb_array_elements(r -> 'ids') i);
  END LOOP;
  RETURN reply -> 'result' -> 'structuredContent';
END $$;
CREATE FUNCTION as_of_auth.short(reply jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT coalesce(reply -> 'error' -> 'message', to_jsonb(concat_ws(' ', reply ->> 'total', (SELECT string_agg(coalesce(i ->> 'id', i::text), ' ' ORDER BY coalesce(i ->> 'id', i::text))
    FROM jsonb_array_elements(coalesce(reply -> 'items', reply -> 'entities', reply -> 'rows', reply -> 'nodes')) i)))) $$;
SELECT kg_set_authorizer('as_of_auth', 'as_of_auth.decide(text, text, text[])');
SET ROLE as_of_asked;
CREATE TEMP TABLE by_function AS SELECT n, kg_call_tool(tool, arguments) -> 'structuredContent' AS reply FROM as_of_auth.calls;
SELECT n, as_of_auth.short(reply) FROM by_function ORDER BY n;
SELECT i, jsonb_array_length(kg_call_tool('history_issue', jsonb_build_object('id', i)) #> '{structuredContent,changes}') AS changes FROM unnest(ARRAY['same', 'kept', 'left', 'came', 'gone', 'hidden', 'never']) i;
GRANT SELECT ON by_function TO PUBLIC;
RESET ROLE;
SELECT kg_set_authorizer('as_of_auth', NULL);
SET ROLE as_of_gateway;
SELECT n, as_of_auth.short(x) FROM as_of_auth.calls JOIN by_function USING (n), as_of_auth.exchange(tool, arguments, :'ann') x WHERE x - 'next' IS DISTINCT FROM reply - 'next' ORDER BY n;
SELECT i, jsonb_array_length(as_of_auth.exchange('history_issue', jsonb_build_object('id', i), :'ann') -> 'changes') AS changes FROM unnest(ARRAY['same', 'kept', 'left', 'came', 'gone', 'hidden', 'never']) i;
RESET ROLE;
DROP TABLE pg_temp.by_function;
DELETE FROM kg_auth_key WHERE issuer = 'as_of_auth';
DROP SCHEMA as_of_auth CASCADE;
DROP OWNED BY as_of_gateway;
CALL test.drop('as_of_auth');
DROP ROLE as_of_gateway;
