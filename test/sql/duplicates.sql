\i test/data/prelude.sql
-- The amount of work that the search for duplicates does (src/query/duplicates).
CALL test.tenant('duplicates', 'dora admin');
SET kg_graph.tenant = 'duplicates';
SET ROLE dora;
SELECT FROM kg_apply_bundle($b$ {"bundle_name": "sales", "version": "1", "schemas": [
  {"entity_type": "customer", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "country": {"type": "string", "x-ref": "place"}, "city": {"type": "string", "x-ref": "place"}}}},
  {"entity_type": "place", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "entities": [{"entity_type": "place", "items": [{"id": "at"}, {"id": "linz"}]}]} $b$);
\set ECHO all
SELECT kg_put_entities('customer', (SELECT jsonb_agg(jsonb_build_object('id', 'c' || lpad(i::text, 2, '0'), 'country', 'at')) FROM generate_series(1, 60) i)) -> 'counts' AS counts;
RESET ROLE;
SET kg_graph.max_edges = 200;
SET ROLE dora;
-- Entities with one neighbor are not compared by it.
SELECT kg_duplicates('customer');
-- Others are: 190 pairs, and then too many. Relations limit them, and a similarity those by name.
SELECT kg_update_entities('customer', (SELECT jsonb_agg(jsonb_build_object('id', 'c' || lpad(i::text, 2, '0'), 'set', '{"city": "linz"}'::jsonb)) FROM generate_series(1, 10) i)) -> 'counts' AS counts;
SELECT kg_duplicates('customer', '{"min_score": 0.1, "limit": 0}');
SELECT kg_duplicates('customer', '{"min_score": 0.1, "ids": ["c02", "none", "c07", "c60"], "limit": 0}');
SELECT kg_duplicates('customer', '{"min_score": 0.1, "ids": ["none"], "limit": 0}');
SELECT kg_update_entities('customer', (SELECT jsonb_agg(jsonb_build_object('id', 'c' || lpad(i::text, 2, '0'), 'set', '{"city": "linz"}'::jsonb)) FROM generate_series(11, 20) i)) -> 'counts' AS counts;
SELECT test.fails($$SELECT kg_duplicates('customer')$$, 'code', 'path', 'expected');
SELECT kg_update_entities('customer', (SELECT jsonb_agg(jsonb_build_object('id', 'c' || lpad(i::text, 2, '0'), 'set', '{"name": "Anna"}'::jsonb)) FROM generate_series(21, 60) i)) -> 'counts' AS counts;
SELECT test.fails($$SELECT kg_duplicates('customer')$$, 'code', 'path', 'expected');
RESET ROLE;
RESET kg_graph.max_edges;
CALL test.drop('duplicates');
