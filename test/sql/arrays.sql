-- An array without items is there: it is not null, and no item matches.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE ROLE regress_arrays;
SELECT FROM kg_create_tenant('arrays');
SELECT FROM kg_grant('arrays', 'regress_arrays', 'write');
SET ROLE regress_arrays;

SELECT kg_apply_bundle('{"bundle_name": "arrays", "version": "1",
  "schemas": [{"entity_type": "doc", "schema": {"type": "object", "x-id-field": "id", "properties": {
    "id": {"type": "string"},
    "tags": {"type": ["array", "null"], "items": {"type": "string"}, "x-index": true}}}}],
  "entities": [{"entity_type": "doc", "items": [
    {"id": "empty", "tags": []}, {"id": "missing"}, {"id": "null", "tags": null},
    {"id": "x", "tags": ["x"]}, {"id": "xy", "tags": ["x", "y"]}]}]}') -> 'entities';

SELECT condition, kg_list_ids('doc', jsonb_build_object('filters', jsonb_build_object('tags', condition::jsonb))) -> 'ids' AS ids
FROM (VALUES (1, '"x"'), (2, '{"ne": "x"}'), (3, '{"ne": "y"}'), (4, '{"is_null": true}'), (5, '{"is_null": false}'),
             (6, '{"lt": "y"}'), (7, '{"gt": "x"}'), (8, '{"lte": "a"}'), (9, '{"in": ["x", "z"]}'),
             (10, '{"contains_any": ["y"]}'), (11, '{"contains_all": ["x", "y"]}'), (12, '{"starts_with": "x"}')) v(n, condition)
ORDER BY n;

RESET ROLE;
SELECT FROM kg_drop_tenant('arrays');
DROP ROLE regress_arrays;
