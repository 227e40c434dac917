-- x-id-field of type integer: ids that are ordered and paged as numbers.
\i test/data/prelude.sql
CALL test.tenant('counted_ids', 'nora admin');
SET SESSION AUTHORIZATION nora;
CREATE FUNCTION pg_temp.bundle(entities jsonb, customer jsonb DEFAULT '{"type": "integer"}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', 'shop', 'version', '1', 'entities', entities, 'schemas', jsonb_build_array(
    jsonb_build_object('entity_type', 'customer', 'schema', jsonb_build_object('type', 'object', 'x-id-field', 'id', 'x-label-field', 'name', 'x-history', true,
      'properties', jsonb_build_object('id', customer, 'name', '{"type": "string", "x-index": true}'::jsonb))),
    '{"entity_type": "order", "schema": {"type": "object", "x-id-field": "no", "x-tool-expose": ["list", "get", "create", "update", "delete", "merge"], "properties": {
      "no": {"type": "integer"}, "state": {"type": "string", "x-index": true}, "customer": {"type": "integer", "x-ref": "customer", "x-index": true},
      "copies": {"type": "array", "items": {"type": "integer", "x-ref": "customer", "x-on-delete": "set_null"}}, "seller": {"type": "string", "x-ref": "customer"}}}}'::jsonb))
$$;
CREATE FUNCTION pg_temp.ids(type text, arguments jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  reply jsonb;
  pages text := '';
BEGIN
  LOOP
    reply := kg_list_ids(type, arguments);
    pages := pages || (reply ->> 'ids');
    arguments := reply -> 'next';
    EXIT WHEN arguments IS NULL;
  END LOOP;
  RETURN pages;
END
$$;
SELECT kg_apply_bundle(pg_temp.bundle('[{"entity_type": "customer", "items": [{"id": 2, "name": "Bo"}, {"id": 10, "name": "Al"}, {"id": -5, "name": "Cy"}, {"id": 100, "name": "Di"}, {"id": -30, "name": "Ed"}]},
  {"entity_type": "order", "items": [{"no": 10, "state": "open", "customer": 10}, {"no": 9, "state": "open", "customer": 2, "copies": [10, 100]},
    {"no": 100.0, "state": "done", "customer": 1e1, "seller": "10"}, {"no": 1000, "state": "open", "customer": -5}, {"no": 9223372036854775807, "state": "done"}]}]')) -> 'entities' AS entities;
-- In the order of numbers, page by page, both ways, alone and after another key.
SELECT a AS arguments, pg_temp.ids('order', a::jsonb) AS orders FROM unnest(ARRAY['{}', '{"limit": 2}', '{"limit": 2, "sort": [{"field": "id", "order": "desc"}]}', '{"limit": 1, "sort": [{"field": "state"}]}',
  '{"limit": 2, "sort": [{"field": "state", "order": "desc"}, {"field": "no", "order": "desc"}]}', '{"limit": 1, "filters": {"state": "open"}}', '{"limit": 1, "filters": {"id": {"gt": 9}}}',
  '{"filters": {"no": {"gte": 10, "lt": 1000}}}', '{"filters": {"id": {"in": [1000, "9", 7]}}}', '{"filters": {"id": {"ne": 10}}, "limit": 3}']) a;
SELECT pg_temp.ids('customer', '{"limit": 2}') AS customers, pg_temp.ids('customer', '{"sort": [{"field": "id", "order": "desc"}]}') AS downwards, pg_temp.ids('customer', '{"filters": {"id": {"lt": 0}}}') AS below;
SELECT test.fails(format('SELECT kg_list(''order'', %L)', jsonb_build_object('filters', jsonb_build_object('id', v))), 'path', 'expected') FROM unnest(ARRAY['010', '1e1', 'x']) v;
-- One text: in handles, replies and arguments.
SELECT kg_get('order', '100') AS entity, kg_get('order', ARRAY['10', '010', '1e1', '10.0', '+10', 'x']) -> 'not_found' AS not_found;
SELECT kg_neighbors('{"start_node": {"label": "order", "node_id": 9}, "max_hops": 1}') #> '{counts,by_type}' AS by_number, kg_bfs('{"seeds": ["order:9"], "max_hops": 1}') -> 'total' AS by_handle;
SELECT kg_find_nodes('{"node_label": "order", "filters": {"customer.id": {"gte": 10}}, "sort": [{"field": "customer.id", "order": "desc"}], "columns": ["customer", "customer.name"]}') -> 'nodes' AS through;
SELECT kg_aggregate('{"node": {"label": "order"}, "aggregations": [{"fn": "max", "property": "no"}, {"fn": "count"}], "group_by": [{"property": "customer.id"}]}') -> 'rows' AS grouped;
SELECT t #> '{inputSchema,properties,filters,properties,id}' AS published FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'list_customer';
-- Columns of bigint.
SELECT kg_query('{"sql": "SELECT c.id, c.name, count(*) FROM customer c JOIN \"order\" o ON o.customer = c.id GROUP BY c.id ORDER BY c.id"}') - 'returned' AS grouped;
SELECT kg_query('{"sql": "SELECT id, no, copies FROM \"order\" WHERE id > 9 AND no <= 1000 ORDER BY id DESC"}') - 'returned' AS columns;
SELECT kg_query(jsonb_build_object('sql', s)) -> 'rows' AS reached FROM unnest(ARRAY['SELECT r.id, r.depth FROM reach(''order'', 10) r', 'SELECT o.no, r.id FROM "order" o, LATERAL reach(start => o.id, type => ''order'') r ORDER BY 1',
  'SELECT o.no, c.name FROM "order" o, LATERAL reach(''order'', o.id, direction => ''both'', max_hops => 1) r JOIN customer c ON c.id::text = r.id ORDER BY 1, 2']) s;
SELECT test.fails($$SELECT kg_query('{"sql": "SELECT c.name FROM reach(''order'', 10) r JOIN customer c ON c.id = r.id"}')$$, 'message', 'expected', 'call');
RESET SESSION AUTHORIZATION;
CREATE SCHEMA counted_views AUTHORIZATION nora;
SET SESSION AUTHORIZATION nora;
SELECT kg_create_views('counted_views') ? 'created' AS views;
SELECT attrelid::regclass, string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum) AS columns FROM pg_attribute
  WHERE attrelid IN ('counted_views.customer'::regclass, 'counted_views."order"'::regclass) AND attnum > 0 GROUP BY attrelid ORDER BY 1;
SELECT o.id, c.name FROM counted_views."order" o JOIN counted_views.customer c ON c.id = o.customer WHERE o.id < 100 ORDER BY o.id;
-- Values that are no ids, and references without a target.
SELECT i ->> 'verdict' AS verdict, i ->> 'id' AS id, i #>> '{error,message}' AS message, i #>> '{error,expected}' AS expected FROM jsonb_array_elements(kg_put_entities('order', '[{"no": "11"}, {"no": 1.5}, {"no": 9223372036854775808}, {"no": null}, {},
  {"no": 12, "customer": 77}, {"no": 14, "customer": 99999999999999999999}, {"no": 15, "seller": "010"}, {"no": 16, "copies": [2, 3]}, {"no": 13, "customer": 2.0}, {"no": 1.3e1}]') -> 'items') i;
SELECT kg_call_tool('create_order', '{"items": [{"no": "17", "customer": "2"}]}') #> '{structuredContent,error,call}' AS corrected;
SELECT kg_call_tool('update_order', '{"items": [{"id": 13, "set": {"customer": 100}}, {"id": "13", "set": {"no": 14}}]}') #> '{structuredContent,counts}' AS twice;
SELECT kg_call_tool('update_order', '{"items": [{"id": 13, "set": {"customer": 100}}, {"id": "10", "set": {"no": 14}}]}') -> 'structuredContent' AS updated;
SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS before \gset
-- Deleted and merged targets.
SELECT kg_delete_entities('customer', ARRAY['10']) #> '{items,0,error,code}' AS referred;
SELECT kg_merge('customer', '2', ARRAY['10'], '{"prefer": "2"}') -> 'counts' AS merged;
SELECT kg_delete_entities('customer', ARRAY['-30']) -> 'counts' AS deleted;
SELECT kg_delete_entities('customer', ARRAY['100']) -> 'counts' AS deleted;
SELECT data FROM kg_entity WHERE entity_type = 'order' ORDER BY entity_id;
SELECT kg_list_ids('customer', jsonb_build_object('as_of', :'before')) -> 'ids' AS before, pg_temp.ids('customer', '{}') AS now;
-- Arguments may be numbers; messages name the type of the id.
SELECT i ->> 'verdict' AS verdict, i #>> '{error,path}' AS path, i #>> '{error,message}' AS message, i #>> '{error,expected}' AS expected
  FROM jsonb_array_elements(kg_update_entities('order', '[{"id": 1.5, "set": {"state": "x"}}, {"id": true, "set": {"state": "x"}}, {"id": 1e30, "set": {"state": "x"}}, {"id": "", "set": {"state": "x"}}]') -> 'items') i;
SELECT e ->> 'path' AS path, e ->> 'message' AS message, e ->> 'expected' AS expected
  FROM jsonb_array_elements(kg_call_tool('delete_order', '{"ids": [1.5, {"id": false}, 777]}') #> '{structuredContent,error,errors}') e;
SELECT test.fails(q, 'path', 'expected') FROM unnest(ARRAY[$$SELECT kg_merge('order', '9', ARRAY['']) $$, $$SELECT kg_neighbors('{"start_node": {"label": "order", "node_id": 1.5}, "max_hops": 1}')$$, $$SELECT kg_describe('{"id": true}')$$,
  $$SELECT kg_find_nodes('{"node_label": "order", "ids": [1.5]}')$$]) q;
BEGIN;
SELECT kg_put_entities('order', '[{"no": 501, "state": "x"}, {"no": 502, "state": "y"}, {"no": 503, "state": "z"}]') -> 'counts' AS counts;
SET kg_graph.toolsets = 'write';
SELECT kg_call_tool('merge', '{"type": "order", "keep": 501, "others": [502], "prefer": 502}') #> '{structuredContent,items,0,changed}' AS merged;
SELECT kg_call_tool('merge', '{"type": "order", "keep": 501, "others": [503], "values": {"no": 503, "state": "z"}}') #> '{structuredContent,error}' AS error;
SELECT kg_call_tool('merge', '{"type": "order", "keep": 1.5, "others": [503]}') #>> '{structuredContent,error,expected}' AS expected;
RESET kg_graph.toolsets;
SELECT kg_apply_bundle('{"bundle_name": "pairs", "version": "1", "schemas": [{"entity_type": "box", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "integer"}}}}],
  "relations": [{"name": "IN", "from": "box", "to": "box", "tools": ["link", "unlink"], "history": true}], "entities": [{"entity_type": "box", "items": [{"id": 1}, {"id": 2}]}]}') ? 'revision' AS applied;
SELECT kg_call_tool('link_IN', '{"items": [{"from": 1, "to": 2}]}') #> '{structuredContent,counts}' AS linked;
SELECT kg_call_tool('link_IN', '{"items": [{"from": 1, "to": 2.5}]}') #> '{structuredContent,error,errors,0}' AS error;
SELECT kg_history('IN', '{"from": 1, "to": 2}') #> '{changes,0,verdict}' AS change;
SELECT test.fails($$SELECT kg_history('IN', '{"from": 1, "to": 2.5}')$$, 'path', 'got', 'expected');
ROLLBACK;
-- What an id may not be.
SELECT test.fails(format('SELECT kg_apply_bundle(%L)', jsonb_build_object('bundle_name', 'odd', 'version', '1', 'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'one', 'schema',
  '{"type": "object"}'::jsonb || s::jsonb)))), 'path', 'message', 'expected') FROM unnest(ARRAY['{"x-id-field": "n.id", "properties": {"n": {"type": "object", "properties": {"id": {"type": "integer"}}}}}',
  '{"x-id-field": "id", "properties": {"id": {"type": "number"}}}', '{"x-id-field": "id", "properties": {"id": {"type": ["integer", "string"]}}}', '{"x-id-field": "id", "x-id-generate": "uuid", "properties": {"id": {"type": "integer"}}}',
  '{"x-id-field": "id", "x-label-field": "id", "properties": {"id": {"type": "integer"}}}',
  '{"x-id-field": "id", "properties": {"id": {"type": "string"}, "of": {"type": "integer", "x-ref": "one"}}}', '{"x-id-field": "id", "properties": {"id": {"type": "integer"}, "k": {"type": "string", "x-index": true}, "of": {"type": "integer", "x-ref": "one", "x-ref-field": "k"}}}']) s;
-- A type may change from one to the other with its documents; its past has both.
SELECT kg_apply_bundle(jsonb_set(pg_temp.bundle('[{"entity_type": "customer", "items": [{"id": "2"}, {"id": "10"}]}]', '{"type": "string"}'), '{schemas,1}', '{"entity_type": "order", "schema": {"type": "object", "x-id-field": "no", "properties": {"no": {"type": "string"}, "state": {"type": "string", "x-index": true}}}}')
  || '{"entities": [{"entity_type": "customer", "items": [{"id": "2"}, {"id": "10"}]}, {"entity_type": "order", "items": [{"no": "9", "state": "a"}, {"no": "10", "state": "a"}]}]}') -> 'entities' AS strings;
SELECT pg_temp.ids('order', '{}') AS texts, pg_temp.ids('order', '{"sort": [{"field": "state"}]}') AS states;
SELECT kg_apply_bundle(pg_temp.bundle('[{"entity_type": "customer", "items": [{"id": 2}, {"id": 10}]}, {"entity_type": "order", "items": [{"no": 9, "state": "a"}, {"no": 10, "state": "a", "customer": 10}]}]')) -> 'entities' AS integers;
SELECT kg_apply_bundle(pg_temp.bundle('[{"entity_type": "customer", "items": [{"id": "2"}, {"id": "10"}, {"id": "100", "name": "x"}, {"id": "9"}, {"id": "abc", "name": "x"}, {"id": "-x"}]}]', '{"type": "string"}')
  || '{"relations": []}' #- '{schemas,1}') -> 'entities' AS strings;
SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS before \gset
SELECT kg_apply_bundle(pg_temp.bundle('[{"entity_type": "customer", "items": [{"id": 2}, {"id": 10}]}, {"entity_type": "order", "items": [{"no": 9, "state": "a"}, {"no": 10, "state": "a", "customer": 10}]}]')) -> 'entities' AS integers;
SELECT a AS arguments, pg_temp.ids('customer', a::jsonb || jsonb_build_object('as_of', :'before')) AS past FROM unnest(ARRAY['{}', '{"limit": 1}', '{"limit": 2, "sort": [{"field": "id", "order": "desc"}]}', '{"limit": 1, "sort": [{"field": "name"}]}', '{"limit": 1, "sort": [{"field": "name", "order": "desc"}]}']) a;
SELECT pg_temp.ids('order', '{}') AS numbers, pg_temp.ids('order', '{"sort": [{"field": "state"}]}') AS states, pg_temp.ids('order', '{"filters": {"customer": 10}}') AS referring;
-- Types of other bundles that refer by integers.
SELECT kg_apply_bundle('{"bundle_name": "other", "version": "1", "schemas": [{"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "of": {"type": "integer", "x-ref": "shop/customer"}}}}],
  "entities": [{"entity_type": "note", "items": [{"id": "n", "of": 10}]}]}') ? 'revision' AS applied;
SELECT test.fails(format('SELECT kg_apply_bundle(%L)', pg_temp.bundle('[{"entity_type": "customer", "items": [{"id": "10"}]}]', '{"type": "string"}') #- '{schemas,1}'), 'path', 'message', 'expected');
RESET SESSION AUTHORIZATION;
SELECT kg_check('{"tenant": "counted_ids"}') -> 'differences' AS differences;
DROP SCHEMA counted_views CASCADE;
CALL test.drop('counted_ids');
