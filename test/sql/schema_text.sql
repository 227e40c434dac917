-- The schema as one text (tool schema), as an ordinary role: in full, of one type, cut to fit, and in the instructions of MCP.
\i test/data/prelude.sql
CALL test.tenant('txt', 'txt_ada write', 'txt_ben read');
SET ROLE txt_ada;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "description": "A small shop.", "schemas": [
  {"entity_type": "customer", "schema": {"type": "object", "title": "Customer", "x-id-field": "id", "x-label-field": "name", "required": ["name"], "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true}, "since": {"type": "string", "format": "date", "x-index": true},
     "address": {"type": "object", "properties": {"city": {"type": "string", "x-index": true}, "geo": {"type": "object"}}}}}},
  {"entity_type": "order", "schema": {"type": "object", "description": "What somebody bought at once.", "x-id-field": "id", "x-valid-from": "placed_at", "properties": {"id": {"type": "string"}, "customer": {"type": "string", "x-ref": "customer", "x-relation": "PLACED_BY", "x-index": true},
     "placed_at": {"type": "string", "format": "date-time", "x-index": true}, "status": {"enum": ["open", "shipped"], "x-index": true, "description": "open until it has left the house, which is when the carrier has scanned it; then shipped"},
     "items": {"type": "array", "items": {"type": "string", "x-ref": "product"}}, "gift": {"type": "boolean"}, "weight": {"type": ["number", "null"]}}}},
  {"entity_type": "product", "schema": {"type": "object", "x-id-field": "sku", "x-label-field": "title", "properties": {"sku": {"type": "string"}, "title": {"type": "string"}, "orders": {"type": "integer", "x-derived": {"count": "ITEMS", "direction": "incoming"}}, "sizes": {"type": "array", "items": {"type": "integer"}}}}}],
 "relations": [{"name": "LIKE", "from": "product", "to": "product", "symmetric": true, "schema": {"type": "object", "properties": {"note": {"type": "string", "description": "why"}}}},
  {"name": "WANTS", "from": "customer", "to": "product", "inverse": "WANTED_BY", "description": "has put it on a list", "schema": {"type": "object", "properties": {"rank": {"type": "integer"}}}},
  {"name": "WANTS", "from": "product", "to": "order", "inverse": "WANTED_BY"}, {"name": "SEES", "from": "customer", "to": "product"}, {"name": "SEES", "from": "customer", "to": "order"}, {"name": "SEES", "from": "order", "to": "product"}, {"name": "SEES", "from": "order", "to": "order"}],
 "entities": [{"entity_type": "customer", "items": [{"id": "c1", "name": "Ann"}, {"id": "c2", "name": "Bob"}]}, {"entity_type": "order", "items": [{"id": "o1", "customer": "c1"}, {"id": "o2"}, {"id": "o3"}]}]}') -> 'revision';
RESET ROLE;
SET ROLE txt_ben;
SET kg_graph.toolsets = 'compact';
SELECT kg_call_tool('schema', '{}') #>> '{content,0,text}' AS text;
SELECT (kg_call_tool('schema', '{}') -> 'structuredContent') - '{schema,revision}'::text[] AS rest;
SELECT kg_call_tool('schema', '{"type": "product"}') #>> '{content,0,text}' AS of_product;
-- what is left out, in which order, and never more than max_bytes
RESET ROLE; SET ROLE txt_ada;
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'big', 'version', '1', 'schemas', (SELECT jsonb_agg(jsonb_build_object('entity_type', 'big_' || t, 'schema',
  jsonb_build_object('type', 'object', 'x-id-field', 'id', 'properties', (SELECT jsonb_object_agg('p' || p, jsonb_build_object('type', 'string', 'description', 'What the property ' || p || ' says of the type, in ' || repeat('many ', 10) || 'words')) || '{"id": {"type": "string"}}' FROM generate_series(1, 5) p)))) FROM generate_series(1, 6) t),
  'relations', '[{"name": "BIG", "from": "big_1", "to": "big_2", "schema": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"enum": ["one word", "a|b", "c"]}}}}]'::jsonb)) -> 'revision';
RESET ROLE; SET ROLE txt_ben;
SELECT max_bytes, length((kg_call_tool('schema', jsonb_build_object('max_bytes', max_bytes)) -> 'structuredContent')::text) <= max_bytes AS fits, kg_call_tool('schema', jsonb_build_object('max_bytes', max_bytes)) #> '{structuredContent,withheld}' AS withheld
  FROM unnest(ARRAY[10000, 5000, 3000, 2000, 1600, 1024]) max_bytes;
SELECT kg_call_tool('schema', '{"max_bytes": 1024}') #>> '{content,0,text}' AS short;
SELECT kg_call_tool('schema', '{"type": "prodct"}') #> '{structuredContent,error,call}' AS call;
-- in the instructions, if it fits and the toolset is listed
CREATE FUNCTION pg_temp.instructed() RETURNS boolean LANGUAGE sql AS $$
  SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}') #>> '{result,instructions}' LIKE '%order 3 %PLACED_BY-> customer%' $$;
SELECT pg_temp.instructed();
RESET ROLE; SET kg_graph.schema_in_instructions = 500; SET ROLE txt_ben; SELECT pg_temp.instructed();
RESET ROLE; SET kg_graph.schema_in_instructions = 0; SET ROLE txt_ben; SELECT pg_temp.instructed();
RESET ROLE; RESET kg_graph.schema_in_instructions; SET ROLE txt_ben;
SET kg_graph.toolsets = 'catalog'; SELECT pg_temp.instructed();
RESET ROLE;
CALL test.drop('txt');
