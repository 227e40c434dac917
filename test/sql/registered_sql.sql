-- Registered tools of the kind sql: a statement with typed parameters, checked when it is registered and when schemas change.
\i test/data/prelude.sql
CALL test.tenant('regsql', 'regsql_admin admin', 'regsql_reader read');
CREATE FUNCTION regsql_faults(act text, def jsonb) RETURNS TABLE (path text, message text, at text, meant text, expected text) LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  EXECUTE format('SELECT %s', act) USING def;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN QUERY SELECT d ->> 'path', d ->> 'message', d ->> 'position', d ->> 'did_you_mean', d ->> 'expected' FROM jsonb_array_elements(coalesce(detail::jsonb -> 'errors', jsonb_build_array(detail::jsonb))) d;
END $$;
CREATE FUNCTION regsql_bundle(price text, cost text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', 'shop', 'version', '1', 'schemas', jsonb_build_array('{"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}}'::jsonb,
    jsonb_build_object('entity_type', 'product', 'schema', jsonb_build_object('type', 'object', 'x-id-field', 'id', 'properties', '{"id": {"type": "string"}, "day": {"type": "string", "format": "date"}, "live": {"type": "boolean"}, "brand": {"type": "string", "x-ref": "brand", "x-relation": "MADE_BY"}}'::jsonb || jsonb_build_object(price, jsonb_build_object('type', cost))))))
$$;
GRANT EXECUTE ON FUNCTION regsql_faults, regsql_bundle TO PUBLIC;
\c - regsql_admin
SELECT kg_apply_bundle(regsql_bundle('price', 'number')) ->> 'changed' AS changed;
SELECT kg_apply_bundle('{"bundle_name": "posts", "version": "1", "schemas": [{"entity_type": "post", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}]}') ->> 'changed' AS changed;
SELECT kg_put_entities('brand', '[{"id": "a", "name": "Acme"}]') IS NOT NULL AS brands, kg_put_entities('product', (SELECT jsonb_agg(jsonb_build_object('id', 'p' || n, 'price', n, 'brand', 'a')) FROM generate_series(1, 9) n)) IS NOT NULL AS products;
SELECT kg_register_tool('{"name": "dear", "version": "1.0.0", "kind": "sql", "description": "Dear products of a brand.", "sql": "SELECT p.id, p.price FROM product p JOIN brand b ON b.id = p.brand WHERE b.name = $1 AND ($2::numeric IS NULL OR p.price >= $2) ORDER BY 2 DESC", "params": ["brand", "from"],
  "input_schema": {"type": "object", "required": ["brand"], "properties": {"brand": {"type": "string"}, "from": {"type": "number"}, "limit": {"type": "integer"}}}}') IS NOT NULL AS done;
\c - regsql_reader
SELECT kg_call_tool('dear', '{"brand": "Acme", "from": 7.5}') #>> '{structuredContent,rows}' AS rows;
SELECT kg_call_tool('dear', '{"brand": "Acme", "limit": 2}') -> 'structuredContent' AS reply;
SELECT kg_call_tool('dear', '{"brand": "Acme''; DROP TABLE kg_entity --"}') #>> '{structuredContent,rows}' AS rows;
SELECT kg_call_tool('dear', '{"from": "x", "brand": "Acme"}') #> '{structuredContent,error}' AS error;
SELECT t -> 'inputSchema' AS input, t #> '{outputSchema,required}' AS output FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'dear';
\c - regsql_admin
SELECT f.* FROM unnest(ARRAY['{"sql": "SELECT pric FROM product"}', '{"sql": "SELECT * FROM producs"}', '{"sql": "SELECT * FROM pg_class"}', '{"sql": "DELETE FROM product"}', '{"sql": "SELECT pg_sleep(1)"}', '{"sql": "SELECT $1 FROM product"}',
  '{"sql": "SELECT count(*) FROM product WHERE price > $1", "params": ["s"], "input_schema": {"type": "object", "properties": {"s": {"type": "string"}}}}', '{"sql": "SELECT count(*) FROM product WHERE day > $1 AND live = $2", "params": ["s", "b"], "input_schema": {"type": "object", "properties": {"s": {"type": "string"}, "b": {"type": ["integer", "null"]}}}}',
  '{"sql": "SELECT $1::text", "params": ["nothing"]}', '{"sql": "SELECT 1", "params": [3]}', '{"params": []}', '{"sql": "SELECT 1", "operation": {"tool": "query", "arguments": {"sql": "SELECT 1"}}}', '{"sql": "SELECT 1", "input_schema": {"type": "object", "properties": {"s": {"type": "string"}}}}', '{"sql": "SELECT 1", "kind": "query"}']::jsonb[]) WITH ORDINALITY AS x(def, n),
  LATERAL regsql_faults('kg_register_tool($1)', '{"name": "wrong", "description": "Wrong.", "version": "1.0.0", "kind": "sql", "input_schema": {"type": "object", "properties": {}}}'::jsonb || def) AS f ORDER BY n, f.path;
SELECT count(*) FROM kg_registered_tools();
-- a change of schemas that would break it is refused; one that does not is not
SELECT * FROM regsql_faults('kg_apply_bundle($1, ''{"mode": "merge"}'')', regsql_bundle('cost', 'number'));
SELECT * FROM regsql_faults('kg_apply_bundle($1, ''{"mode": "merge"}'')', regsql_bundle('price', 'string')) LIMIT 1;
SELECT * FROM regsql_faults('kg_apply_bundle($1, ''{"mode": "merge"}'')', regsql_bundle('price', 'integer'));
SELECT * FROM regsql_faults('kg_drop_bundle($1 #>> ''{}'')', '"shop"');
-- it exists for callers that have all of its tables
SELECT FROM kg_create_agent('poster', '{"bundles": ["posts"]}');
SET kg_graph.agent = 'poster';
SELECT count(*) FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'dear';
SELECT kg_call_tool('dear', '{"brand": "Acme"}') #>> '{structuredContent,error,code}' AS code;
RESET kg_graph.agent;
SELECT kg_unregister_tool('dear', '1.0.0') IS NOT NULL AS done;
\c - :owner
DROP FUNCTION regsql_faults, regsql_bundle;
CALL test.drop('regsql');
