-- An empty array is a value: it is not null, and no item matches.
\i test/data/prelude.sql
CALL test.tenant('arrays', 'regress_arrays write');
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

-- an operator of order or of text on an array: some member, in lists, graph tools and filters after a walk alike
SELECT kg_apply_bundle('{"bundle_name": "members", "version": "1",
  "schemas": [{"entity_type": "many", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"},
    "n": {"type": "array", "items": {"type": "integer"}, "x-index": true}, "s": {"type": "array", "items": {"type": "string"}, "x-index": true}, "to": {"type": "array", "items": {"type": "string", "x-ref": "many"}, "x-relation": "TO"}}}}],
  "entities": [{"entity_type": "many", "items": [{"id": "a", "n": [1, 9], "s": ["red", "green"], "to": ["b", "c", "d"]}, {"id": "b", "n": [5], "s": ["blue"]}, {"id": "c", "n": [], "s": []}, {"id": "d"}]}]}') -> 'changed';
SELECT f, (SELECT array_agg(i ->> 'id' ORDER BY i ->> 'id') FROM jsonb_array_elements(kg_list('many', jsonb_build_object('filters', f)) -> 'items') i) AS list,
       (SELECT array_agg(i ->> 'id' ORDER BY i ->> 'id') FROM jsonb_array_elements(kg_find_nodes(jsonb_build_object('node_label', 'many', 'filters', f)) -> 'nodes') i) AS nodes,
       (SELECT array_agg(i ->> 'id' ORDER BY i ->> 'id') FROM jsonb_array_elements(kg_neighbors(jsonb_build_object('start_node', '{"label": "many", "node_id": "a"}'::jsonb, 'filters', f)) -> 'nodes') i WHERE i ->> 'id' <> 'a') AS around
  FROM unnest(ARRAY['{"n": {"gt": 5}}', '{"n": {"gte": 5}}', '{"n": {"lt": 5}}', '{"n": {"lte": 5}}', '{"n": {"gt": 2, "lt": 8}}', '{"n": {"gt": 9}}', '{"s": {"gte": "green"}}', '{"s": {"contains": "e"}}', '{"s": {"contains": "re"}}', '{"s": {"starts_with": "bl"}}', '{"s": {"ends_with": "n"}}', '{"s": {"contains": "x"}}']::jsonb[]) f;
RESET ROLE;
CALL test.drop('arrays');
