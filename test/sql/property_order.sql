-- x-property-order: the order of properties as the author wrote it, where jsonb has forgotten it.
\i test/data/prelude.sql
CALL test.tenant('ordered', 'olga admin');
SET SESSION AUTHORIZATION olga;
CREATE FUNCTION pg_temp.apply(listed text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'shop', 'version', '1', 'schemas', format('[{"entity_type": "item", "schema": {"type": "object", "x-id-field": "sku", "x-label-field": "title", "x-property-order": %s,
    "properties": {"sku": {"type": "string"}, "title": {"type": "string"}, "maker": {"type": "object", "properties": {"zip": {"type": "string"}, "name": {"type": "string"}}}, "a": {"type": "integer", "x-index": true}, "price": {"type": "number", "x-index": true}}}}]', listed)::jsonb,
    'entities', '[{"entity_type": "item", "items": [{"sku": "x", "title": "X", "price": 2, "a": 1}, {"sku": "y", "a": 3}]}]'::jsonb))
$$;
SELECT pg_temp.apply('[]') ? 'revision' AS applied;
SELECT kg_call_tool('schema', '{"type": "item"}') #>> '{structuredContent,schema}' AS text;
-- Keys of stored entities stay: only the order of what is shown changes.
SELECT pg_temp.apply('["sku", "title", "price", "maker", "a"]') -> 'entities' AS entities;
SELECT kg_call_tool('schema', '{"type": "item"}') #>> '{structuredContent,schema}' AS text;
SELECT kg_list('item', '{"filters": {"a": {"gte": 1}}, "sort": [{"field": "price", "order": "desc"}], "fields": ["price", "a"]}') -> 'items' AS items;
-- The members of an object follow it; what is not listed comes last.
SELECT pg_temp.apply('["price", "maker", "sku"]') ? 'revision' AS applied;
SELECT kg_call_tool('schema', '{"type": "item"}') #>> '{structuredContent,schema}' AS text;
RESET SESSION AUTHORIZATION;
CREATE SCHEMA ordered_views AUTHORIZATION olga;
SET SESSION AUTHORIZATION olga;
SELECT kg_create_views('ordered_views') ? 'created' AS views;
SELECT string_agg(attname, ' ' ORDER BY attnum) AS columns FROM pg_attribute WHERE attrelid = 'ordered_views.item'::regclass AND attnum > 0;
SELECT test.fails(format('SELECT pg_temp.apply(%L)', o)) FROM unnest(ARRAY['["sku", "nothing"]', '["sku", "sku"]', '"sku"', '[1]']) o;
SELECT kg_export_bundle('shop') #> '{schemas,0,schema,x-property-order}' AS exported;
RESET SESSION AUTHORIZATION;
DROP SCHEMA ordered_views CASCADE;
CALL test.drop('ordered');
