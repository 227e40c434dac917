-- Ids that the database makes: x-id-generate, in every way that creates, and in none that must not.
\i test/data/prelude.sql
CALL test.tenant('ids', 'ids_writer write', 'ids_scoped write');
CALL test.tenant('ids2', 'ids2_admin admin');
SET ROLE ids_writer;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
  {"entity_type": "ticket", "schema": {"type": "object", "x-id-field": "id", "x-id-generate": "uuid", "x-tool-expose": ["list", "get", "create", "update", "delete"], "required": ["id"], "properties": {"id": {"type": "string", "format": "uuid"}, "n": {"type": "integer", "x-index": true}}}},
  {"entity_type": "order", "schema": {"type": "object", "x-id-field": "no", "x-id-generate": {"sequence": "ORD-"}, "x-history": true, "x-tool-expose": ["list", "get", "create", "update", "delete"], "required": ["no"], "additionalProperties": false,
    "properties": {"no": {"type": "string"}, "n": {"type": "integer"}, "of": {"type": "string", "x-ref": "order"}}}},
  {"entity_type": "few", "schema": {"type": "object", "x-id-field": "id", "x-id-generate": {"sequence": "", "digits": 1}, "x-tool-expose": ["create"], "properties": {"id": {"type": "string"}}}}]}') -> 'changed' AS changed;
CREATE FUNCTION pg_temp.made(r jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(string_agg(concat_ws(' ', i ->> 'id', i ->> 'verdict', CASE WHEN i ? 'generated' THEN 'generated' END), ', ' ORDER BY n), r #>> '{structuredContent,error,message}')
    FROM jsonb_array_elements(coalesce(r #> '{structuredContent,items}', r -> 'items')) WITH ORDINALITY x(i, n) $$;
-- a sequence: bulk, with ids that were sent between, and on above the highest
SELECT pg_temp.made(kg_call_tool('create_order', '{"items": [{"n": 1}, {"no": "ORD-000500", "n": 2}, {"no": "mine", "n": 3}, {"no": null, "n": 4}]}'));
SELECT pg_temp.made(kg_call_tool('create_order', '{"items": [{"n": 5}]}'));
SET kg_graph.toolsets = 'write';
SELECT pg_temp.made(kg_call_tool('create', '{"type": "order", "items": [{"n": 6, "of": "ORD-000501"}, {"n": 7}]}'));
RESET kg_graph.toolsets;
SELECT pg_temp.made(kg_put_entities('order', '[{"n": 8}, {"no": "ORD-000500", "n": 20}]'));
-- a dry run takes no number, a refused call neither
SELECT pg_temp.made(kg_call_tool('create_order', '{"dry_run": true, "items": [{"n": 9}, {"n": 10}]}'));
SELECT kg_call_tool('create_order', '{"items": [{"n": 11}, {"n": "x"}]}') #>> '{structuredContent,error,errors,0,path}' AS refused;
SELECT pg_temp.made(kg_call_tool('create_order', '{"atomic": false, "items": [{"n": "x"}, {"n": 12}]}'));
-- a repeated call makes the same
SELECT pg_temp.made(kg_call_tool('create_order', '{"idempotency_key": "k", "items": [{"n": 13}]}')), pg_temp.made(kg_call_tool('create_order', '{"idempotency_key": "k", "items": [{"n": 13}]}'));
-- what was deleted is not used again; what is undone has its id
SELECT max(entity_id) AS last FROM kg_entity WHERE entity_type = 'order' AND entity_id LIKE 'ORD-%' \gset
SELECT kg_call_tool('delete_order', jsonb_build_object('ids', jsonb_build_array(:'last'))) #>> '{structuredContent,items,0,verdict}' AS deleted;
SELECT pg_temp.made(kg_call_tool('create_order', '{"items": [{"n": 14}]}')) AS not_again, :'last' AS gone;
SELECT kg_revert(to_jsonb(max(change))) #>> '{items,0,verdict}' AS undone FROM kg_history WHERE entity_id = :'last' AND verdict = 'deleted';
SELECT count(*) AS back FROM kg_entity WHERE entity_id = :'last';
-- a number that another item of the call has is passed over
BEGIN;
SELECT pg_temp.made(kg_put_entities('order', jsonb_build_array('{"n": 30}'::jsonb, jsonb_build_object('no', 'ORD-' || lpad((substr(max(entity_id), 5)::integer + 2)::text, 6, '0')), '{"n": 31}'::jsonb))) AS passed_over
  FROM kg_entity WHERE entity_type = 'order' AND entity_id LIKE 'ORD-%';
ROLLBACK;
-- two statements of one transaction
BEGIN;
SELECT pg_temp.made(kg_call_tool('create_order', '{"items": [{"n": 15}]}'));
SELECT pg_temp.made(kg_call_tool('create_order', '{"items": [{"n": 16}]}'));
ROLLBACK;
SELECT pg_temp.made(kg_call_tool('create_order', '{"items": [{"n": 17}]}')) AS rolled_back_are_free;
-- the numbers end
SELECT pg_temp.made(kg_call_tool('create_few', '{"items": [{}, {}, {}, {}, {}, {}, {}, {}, {}]}'));
SELECT e ->> 'code' AS code, e ->> 'message' AS message, e ->> 'expected' AS expected FROM kg_call_tool('create_few', '{"items": [{}]}') r, LATERAL (SELECT r #> '{structuredContent,error}') x(e);
-- more digits go on
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "2", "schemas": [{"entity_type": "few", "schema": {"type": "object", "x-id-field": "id", "x-id-generate": {"sequence": "", "digits": 3}, "x-tool-expose": ["create"], "properties": {"id": {"type": "string"}}}}]}', '{"mode": "merge"}') -> 'changed' AS changed;
SELECT pg_temp.made(kg_call_tool('create_few', '{"items": [{}, {}]}'));
-- uuids: version 7, in order, none twice
SELECT count(DISTINCT id) AS made, bool_and(id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$') AS version_7, array_agg(id ORDER BY n) = array_agg(id ORDER BY id COLLATE "C") AS in_order,
       bool_and(abs(extract(epoch FROM clock_timestamp()) * 1000 - ('x' || left(replace(id, '-', ''), 12))::bit(48)::bigint) < 60000) AS of_now
  FROM kg_call_tool('create_ticket', jsonb_build_object('items', (SELECT jsonb_agg(jsonb_build_object('n', g)) FROM generate_series(1, 500) g))) r, jsonb_array_elements(r #> '{structuredContent,items}') WITH ORDINALITY x(i, n), LATERAL (SELECT i ->> 'id') y(id);
SELECT count(*) AS stored, count(*) FILTER (WHERE data ->> 'id' = entity_id) AS same FROM kg_entity WHERE entity_type = 'ticket';
-- with a confirmation: what is created is what was to be confirmed, but for the uuid
SET kg_graph.confirm_more = 'all';
SELECT kg_call_tool('create_ticket', '{"items": [{"n": 1000}]}') #>> '{structuredContent,confirm}' AS confirm \gset
SELECT kg_call_tool('create_ticket', jsonb_build_object('items', '[{"n": 1000}]'::jsonb, 'confirm', :'confirm')) #>> '{structuredContent,items,0,verdict}' AS confirmed;
RESET kg_graph.confirm_more;
-- what must be given: statements of SQL and bundles
SELECT test.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'order', '{"n": 1}')$$);
SELECT test.fails($$SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "3", "schemas": [], "entities": [{"entity_type": "order", "items": [{"n": 1}]}]}', '{"mode": "merge"}')$$);
-- what is published does not require the id, and the schema says that it is made
SELECT t #> '{inputSchema,properties,items,items,required}' AS required FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'create_order';
SET kg_graph.toolsets = 'write';
SELECT line FROM kg_call_tool('schema', '{}') r, regexp_split_to_table(r #>> '{structuredContent,schema}', E'\n') line WHERE line ~ '^(order|few|ticket)';
RESET kg_graph.toolsets;
-- exported and imported, numbers go on
SET ROLE ids_writer;
SELECT kg_export_bundle('shop') AS shop \gset
SET ROLE ids2_admin;
SELECT kg_apply_bundle(:'shop') -> 'changed' AS changed;
SELECT pg_temp.made(kg_call_tool('create_order', '{"items": [{"n": 1}]}'));
-- what is no way to make an id
RESET ROLE;
SET ROLE ids_writer;
SELECT v AS value, e ->> 'path' AS path, e ->> 'expected' AS expected FROM (VALUES ('"uid"'), ('{"sequence": 1}'), ('{"sequence": "A", "digits": 19}'), ('{"sequence": "A", "step": 2}'), ('true')) x(v),
  LATERAL kg_apply_bundle(jsonb_build_object('bundle_name', 'bad', 'version', '1', 'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'thing', 'schema', '{"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}'::jsonb || jsonb_build_object('x-id-generate', v::jsonb)))), '{"dry_run": true}') r, jsonb_array_elements(r -> 'errors') e;
RESET ROLE;
CALL test.drop('ids');
CALL test.drop('ids2');
