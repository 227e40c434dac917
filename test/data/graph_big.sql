\set ECHO none
-- 5,000 people and 1,000 things, about five edges for each person. With so many
-- rows, a sequential scan costs visibly more than an index scan.
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'big', 'version', '1',
  'schemas', '[
    {"entity_type": "person", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {
      "id": {"type": "string"}, "name": {"type": "string", "x-index": true}, "age": {"type": "integer", "x-index": true},
      "tags": {"type": "array", "items": {"type": "string"}, "x-index": true}, "total_mentions": {"type": "integer"},
      "likes": {"type": "string", "x-ref": "thing"}}}},
    {"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {
      "id": {"type": "string"}, "name": {"type": "string"}, "price": {"type": "number", "x-index": true}}}}]'::jsonb,
  'relations', '[{"name": "KNOWS", "from": "person", "to": "person", "schema": {"type": "object", "properties": {"weight": {"type": "number"}}}}]'::jsonb,
  'entities', jsonb_build_array(
    jsonb_build_object('entity_type', 'person', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'p' || i, 'name', 'Person ' || i, 'age', i % 90,
        'tags', jsonb_build_array('t' || i % 50, 'u' || i % 7), 'total_mentions', i % 10, 'likes', 't' || i % 1000)) FROM generate_series(0, 4999) i)),
    jsonb_build_object('entity_type', 'thing', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 't' || i, 'name', 'Thing ' || i, 'price', i * 0.5)) FROM generate_series(0, 999) i))),
  'edges', (SELECT jsonb_agg(jsonb_build_object('relation', 'KNOWS', 'from', 'person:p' || i, 'to', 'person:p' || (i * 7 + j * j * 31 + 1) % 5000, 'properties', jsonb_build_object('weight', j)))
    FROM generate_series(0, 4999) i, generate_series(1, 4) j))) ? 'revision' AS applied;
\set ECHO all
