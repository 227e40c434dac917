-- Writes look up rows by an index, whatever the statistics are. Here every edge
-- leads to one hub, and ANALYZE has recorded this.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('hub', 'hub_writer write');
SET ROLE hub_writer;
SELECT kg_apply_bundle('{"bundle_name": "hub", "version": "1", "schemas": [
  {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}},
  {"entity_type": "product", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "brand": {"type": "string", "x-ref": "brand", "x-relation": "MADE_BY", "x-index": true}, "code": {"type": "string", "x-unique": true}}}}],
  "relations": [{"name": "LIKE", "from": "product", "to": "product"}], "entities": [{"entity_type": "brand", "items": [{"id": "b", "name": "B"}]}]}') -> 'changed' AS changed;
INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'hub', 'product', jsonb_build_object('id', i::text, 'name', 'N', 'brand', 'b', 'code', i::text) FROM generate_series(1, 3000) i;
RESET ROLE;
ANALYZE kg_entity, kg_edge, kg_index_key, kg_term, kg_unique_key, kg_adjacency;
\c -
SET ROLE hub_writer;
CREATE FUNCTION pg_temp.read() RETURNS TABLE(relname name, seq_scan bigint) LANGUAGE sql AS $$ SELECT relname, seq_scan FROM pg_stat_xact_user_tables WHERE relname IN ('kg_entity', 'kg_edge', 'kg_index_key', 'kg_term', 'kg_unique_key', 'kg_adjacency') AND seq_scan > 0 ORDER BY 1 $$;
BEGIN;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('hub', 'product', '{"id": "new", "name": "N", "brand": "b", "code": "x"}');
UPDATE kg_entity SET data = data || '{"name": "other"}' WHERE bundle = 'hub' AND entity_type = 'product' AND entity_id = '7';
UPDATE kg_entity SET data = data || '{"id": "77777"}' WHERE bundle = 'hub' AND entity_type = 'product' AND entity_id = '8';
DELETE FROM kg_entity WHERE bundle = 'hub' AND entity_type = 'product' AND entity_id = '9';
SELECT r - 'results' AS counts FROM kg_put_entities('product', '[{"id": "put", "brand": "b"}, {"id": "10", "name": "put", "brand": "b"}]') r;
SELECT r - 'results' AS counts FROM kg_delete_entities('product', '{11,12}') r;
SELECT r - 'results' AS counts FROM kg_put_edges('[{"relation": "LIKE", "from": "product:13", "to": "product:14"}]') r;
SELECT r - 'results' AS counts FROM kg_delete_edges('[{"relation": "LIKE", "from": "product:13", "to": "product:14"}]') r;
SELECT * FROM pg_temp.read();
ROLLBACK;
RESET ROLE;
CALL test.drop('hub');
