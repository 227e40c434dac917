-- Writes that are confirmed, and writes that are sent again.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('confirm', 'writing_eve write', 'writing_fay write');
RESET client_min_messages;
CREATE FUNCTION pg_temp.call(tool text, arguments jsonb, options jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS
$$ SELECT CASE WHEN (r ->> 'isError')::boolean THEN jsonb_build_object('code', s #> '{error,code}', 'path', s #> '{error,path}', 'message', s #> '{error,message}', 'errors', (SELECT jsonb_agg(e - 'id') FROM jsonb_array_elements(s #> '{error,errors}') e))
     ELSE s - 'confirm' - 'expires_at' || jsonb_build_object('asks', s ? 'confirm') END FROM kg_call_tool(tool, arguments, options) r, LATERAL (SELECT r -> 'structuredContent') AS t(s) $$;
CREATE FUNCTION pg_temp.asked(tool text, arguments jsonb) RETURNS text LANGUAGE sql AS
$$ SELECT kg_call_tool(tool, arguments) #>> '{structuredContent,confirm}' $$;
SET ROLE writing_eve;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
  {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["create", "update", "delete"], "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}}}],
  "relations": [{"name": "NEAR", "from": "brand", "to": "brand", "tools": ["link", "unlink"]}],
  "entities": [{"entity_type": "brand", "items": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}]}') -> 'changed';
-- Who may say so: a superuser for all, a caller for itself and upwards only.
SET kg_graph.confirm = 'all';
SHOW kg_graph.confirm;
SET kg_graph.confirm_more = 'deletes';
SELECT pg_temp.call('update_brand', '{"items": [{"id": "a", "set": {"n": 1}}]}');
SELECT pg_temp.call('delete_brand', '{"ids": ["a"]}');
SELECT count(*) FROM kg_entity;
RESET ROLE; SET kg_graph.confirm = 'all'; SET ROLE writing_eve;
SET kg_graph.confirm_more = 'off';
SELECT pg_temp.call('update_brand', '{"items": [{"id": "a", "set": {"n": 2}}]}');
-- What was told is done, once it is confirmed.
SELECT pg_temp.asked('update_brand', '{"items": [{"id": "a", "set": {"n": 2}}]}') AS confirm \gset
SELECT pg_temp.call('update_brand', jsonb_build_object('items', '[{"id": "a", "set": {"n": 2}}]'::jsonb, 'confirm', :'confirm'));
SELECT pg_temp.call('update_brand', jsonb_build_object('items', '[{"id": "a", "set": {"n": 2}}]'::jsonb, 'confirm', :'confirm'));
-- Not for other arguments, another tool or caller, nor made up.
SELECT pg_temp.asked('delete_brand', '{"ids": ["b"]}') AS confirm \gset
SELECT pg_temp.call('delete_brand', jsonb_build_object('ids', '["c"]'::jsonb, 'confirm', :'confirm'));
SELECT pg_temp.call('delete_brand', jsonb_build_object('ids', '["b"]'::jsonb, 'reason', 'r', 'confirm', :'confirm')) -> 'path';
SELECT pg_temp.call('delete_brand', '{"ids": ["b"], "confirm": 7}') -> 'path', pg_temp.call('delete_brand', '{"ids": ["b"], "confirm": ""}') -> 'path', pg_temp.call('delete_brand', '{"ids": ["b"], "confirm": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}') -> 'path';
SET ROLE writing_fay;
SELECT pg_temp.call('delete_brand', jsonb_build_object('ids', '["b"]'::jsonb, 'confirm', :'confirm')) -> 'path';
SET ROLE writing_eve;
-- Not where what it tells of has moved.
UPDATE kg_entity SET data = data || '{"n": 5}' WHERE entity_id = 'b';
SELECT pg_temp.call('delete_brand', jsonb_build_object('ids', '["b"]'::jsonb, 'confirm', :'confirm'));
SELECT count(*) FROM kg_entity;
SELECT pg_temp.asked('delete_brand', '{"ids": ["b"]}') AS confirm \gset
DELETE FROM kg_entity WHERE entity_id = 'b';
SELECT pg_temp.call('delete_brand', jsonb_build_object('ids', '["b"]'::jsonb, 'confirm', :'confirm')) -> 'code';
-- What fails is not asked about; a dry run asks nothing.
SELECT pg_temp.call('update_brand', '{"items": [{"id": "none", "set": {}}]}') -> 'code', pg_temp.call('update_brand', '{"items": [{"id": "a", "set": {"n": 9}}], "dry_run": true}') -> 'asks';
SELECT pg_temp.call('link_NEAR', '{"items": [{"from": "brand:a", "to": "brand:c"}]}');
SELECT pg_temp.asked('link_NEAR', '{"items": [{"from": "brand:a", "to": "brand:c"}]}') AS confirm \gset
SELECT pg_temp.call('link_NEAR', jsonb_build_object('items', '[{"from": "brand:a", "to": "brand:c"}]'::jsonb, 'confirm', :'confirm'));
-- A value is good once, and of an edge for what it was: what was deleted and made again is another one.
CREATE FUNCTION pg_temp.twice(tool text, arguments jsonb, meanwhile text) RETURNS TABLE (done jsonb, again jsonb) LANGUAGE plpgsql AS $$
DECLARE confirm jsonb = jsonb_build_object('confirm', pg_temp.asked(tool, arguments));
BEGIN
  done = pg_temp.call(tool, arguments || confirm) -> 'counts'; EXECUTE meanwhile; again = pg_temp.call(tool, arguments || confirm); RETURN NEXT;
END $$;
SELECT * FROM pg_temp.twice('unlink_NEAR', '{"items": [{"from": "brand:a", "to": "brand:c"}]}', $$SELECT kg_put_edges('[{"relation": "NEAR", "from": "brand:a", "to": "brand:c"}]')$$);
SELECT * FROM pg_temp.twice('link_NEAR', '{"items": [{"from": "brand:c", "to": "brand:a"}]}', $$SELECT kg_delete_edges('[{"relation": "NEAR", "from": "brand:c", "to": "brand:a"}]')$$);
SELECT * FROM pg_temp.twice('create_brand', '{"items": [{"id": "z"}]}', $$DELETE FROM kg_entity WHERE entity_id = 'z'$$);
SELECT * FROM pg_temp.twice('unlink_NEAR', '{"items": [{"from": "brand:c", "to": "brand:c"}]}', 'SELECT');
SELECT pg_temp.asked('unlink_NEAR', '{"items": [{"from": "brand:a", "to": "brand:c"}]}') AS confirm \gset
SELECT kg_delete_edges('[{"relation": "NEAR", "from": "brand:a", "to": "brand:c"}]') -> 'counts', kg_put_edges('[{"relation": "NEAR", "from": "brand:a", "to": "brand:c"}]') -> 'counts';
SELECT pg_temp.call('unlink_NEAR', jsonb_build_object('items', '[{"from": "brand:a", "to": "brand:c"}]'::jsonb, 'confirm', :'confirm'));
SELECT pg_temp.asked('link_NEAR', '{"items": [{"from": "brand:c", "to": "brand:a"}]}') AS confirm \gset
SELECT pg_temp.call('link_NEAR', jsonb_build_object('items', '[{"from": "brand:c", "to": "brand:a"}]'::jsonb, 'confirm', :'confirm')) -> 'counts', kg_delete_edges('[{"relation": "NEAR", "from": "brand:c", "to": "brand:a"}]') -> 'counts';
SET ROLE writing_fay;
SELECT pg_temp.call('link_NEAR', jsonb_build_object('items', '[{"from": "brand:c", "to": "brand:a"}]'::jsonb, 'confirm', :'confirm')) -> 'message';
SET ROLE writing_eve;
-- Over the protocol: a question, where the client's user can be asked; else the value.
CREATE FUNCTION pg_temp.message(more jsonb, capabilities jsonb DEFAULT '{"elicitation": {}}') RETURNS jsonb LANGUAGE sql AS
$$ SELECT coalesce(r -> 'result', r -> 'error') FROM kg_mcp(jsonb_build_object('jsonrpc', '2.0', 'id', 1, 'method', 'tools/call', 'params',
     '{"name": "update_brand", "arguments": {"items": [{"id": "c", "set": {"n": 3}}]}}'::jsonb || more || jsonb_build_object('_meta', jsonb_build_object('io.modelcontextprotocol/protocolVersion', '2026-07-28', 'io.modelcontextprotocol/clientCapabilities', capabilities)))) r $$;
SELECT pg_temp.message('{}') - 'requestState';
SELECT r ->> 'resultType', r #> '{structuredContent,dry_run}', r #> '{structuredContent}' ? 'confirm' FROM pg_temp.message('{}', '{}') r;
SELECT pg_temp.message('{}') ->> 'requestState' AS state \gset
SELECT r ->> 'resultType' FROM pg_temp.message(jsonb_build_object('requestState', :'state')) r;
SELECT r #>> '{structuredContent,error,message}' FROM pg_temp.message(jsonb_build_object('requestState', :'state', 'inputResponses', '{"confirm": {"action": "decline"}}'::jsonb)) r;
SELECT r #>> '{structuredContent,error,message}' FROM pg_temp.message(jsonb_build_object('requestState', :'state', 'inputResponses', '{"confirm": {"action": "accept", "content": {"confirm": false}}}'::jsonb)) r;
SELECT r ->> 'code', r #> '{data,path}' FROM pg_temp.message(jsonb_build_object('requestState', 'x' || :'state', 'inputResponses', '{"confirm": {"action": "accept", "content": {"confirm": true}}}'::jsonb)) r;
SELECT data FROM kg_entity WHERE entity_id = 'c';
SELECT r #> '{structuredContent,counts}', r ->> 'resultType' FROM pg_temp.message(jsonb_build_object('requestState', :'state', 'inputResponses', '{"confirm": {"action": "accept", "content": {"confirm": true}}, "more": 1}'::jsonb)) r;
SELECT r ->> 'isError', r #>> '{structuredContent,error,code}' FROM pg_temp.message(jsonb_build_object('requestState', :'state', 'inputResponses', '{"confirm": {"action": "accept", "content": {"confirm": true}}}'::jsonb)) r;
SELECT data FROM kg_entity WHERE entity_id = 'c';
RESET ROLE; RESET kg_graph.confirm; RESET kg_graph.confirm_more; SET ROLE writing_eve;
-- The same call with its key is done once; for another tool the key is another.
SELECT pg_temp.call('create_brand', '{"items": [{"id": "k"}], "idempotency_key": "1"}');
SELECT pg_temp.call('create_brand', '{"items": [{"id": "k"}], "idempotency_key": "1"}');
SELECT pg_temp.call('create_brand', '{"items": [{"id": "k"}]}', '{"idempotency_key": "1"}') -> 'replayed';
SELECT pg_temp.call('create_brand', '{"items": [{"id": "k2"}], "idempotency_key": "1"}') -> 'code';
SELECT pg_temp.call('update_brand', '{"items": [{"id": "k", "set": {"n": 1}}], "idempotency_key": "1"}') -> 'counts';
SELECT pg_temp.call('update_brand', '{"items": [{"id": "k", "set": {"n": 1}}], "idempotency_key": "1"}');
SELECT pg_temp.call('update_brand', '{"items": [{"id": "none", "set": {"n": 1}}], "idempotency_key": "2"}') -> 'code', pg_temp.call('update_brand', '{"items": [{"id": "k", "set": {"n": 2}}], "idempotency_key": "2", "dry_run": true}') -> 'counts';
SELECT pg_temp.call('update_brand', '{"items": [{"id": "k", "set": {"n": 3}}], "idempotency_key": "2"}') -> 'counts';
SET ROLE writing_fay;
SELECT pg_temp.call('update_brand', '{"items": [{"id": "k", "set": {"n": 4}}], "idempotency_key": "2"}') -> 'counts';
SET ROLE writing_eve;
-- What the caller no longer sees is left out, and said.
RESET ROLE;
CREATE POLICY writing_hidden ON kg_entity AS RESTRICTIVE USING (entity_id <> 'k');
SET ROLE writing_eve;
SELECT pg_temp.call('update_brand', '{"items": [{"id": "k", "set": {"n": 3}}], "idempotency_key": "2"}');
SELECT kg_update_entities('brand', '[{"id": "a", "set": {"n": 7}}]', '{"idempotency_key": "sql"}') -> 'counts', kg_update_entities('brand', '[{"id": "a", "set": {"n": 7}}]', '{"idempotency_key": "sql"}') -> 'replayed';
RESET ROLE;
DROP POLICY writing_hidden ON kg_entity;
-- What restricts a deletion is named.
SET ROLE writing_eve;
SELECT kg_apply_bundle('{"bundle_name": "parts", "version": "1", "schemas": [{"entity_type": "part", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "of": {"type": "string", "x-ref": "shop/brand"}}}}],
  "entities": []}') -> 'changed', kg_put_entities('part', (SELECT jsonb_agg(jsonb_build_object('id', 'p' || i, 'of', 'a')) FROM generate_series(1, 30) i)) -> 'counts';
SELECT e #>> '{referenced_by,0}' AS first, jsonb_array_length(e -> 'referenced_by') AS named FROM kg_call_tool('delete_brand', '{"ids": ["a"]}') r, jsonb_path_query(r, '$.structuredContent.error.errors[0]') e;
RESET ROLE;
CALL test.drop('confirm');
