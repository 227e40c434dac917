\i test/data/prelude.sql
-- Unions of arrays of merged entities (src/store/merge/unite.c).
CALL test.tenant('merged_arrays', 'mara admin');
SET kg_graph.tenant = 'merged_arrays';
SET ROLE mara;
SELECT FROM kg_apply_bundle($b$ {"bundle_name": "arrays", "version": "1", "schemas": [
  {"entity_type": "one", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-alias-fields": ["aka"], "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "aka": {"type": "array", "items": {"type": "string"}}, "of": {"type": "array"}}}}]} $b$);
\set ECHO all
-- Equal items of all kinds are one item, but the first array is as it was.
BEGIN;
SELECT kg_put_entities('one', $$[{"id": "a", "name": "A", "aka": ["B", "B"], "of": [1, 1.0, "1", null, null, [], {}]},
  {"id": "b", "name": "B", "aka": ["C", "A", "C"], "of": [1.00, true, true, null, [1], [1.0], {"k": 2}, [], ""]},
  {"id": "c", "name": "D", "of": [{"k": 2.0}, {"k": 3}, "", "1", [], {}, 1e0, 10, false]}, {"id": "d", "name": "D"}]$$) -> 'counts' AS counts;
SELECT kg_merge('one', 'a', '{b,c,d}') -> 'conflicts' AS conflicts;
SELECT data FROM kg_entity;
ROLLBACK;
-- Many equal items; and too many for an entity.
SELECT kg_put_entities('one', (SELECT jsonb_agg(jsonb_build_object('id', 'e' || e, 'of', (SELECT jsonb_agg('item ' || i) FROM generate_series(1, 4000) i))) FROM generate_series(1, 50) e)) -> 'counts' AS counts;
SELECT kg_merge('one', 'e1', (SELECT array_agg('e' || e) FROM generate_series(2, 50) e)) -> 'conflicts' AS conflicts;
SELECT entity_id, jsonb_array_length(data -> 'of') AS items FROM kg_entity;
SELECT kg_put_entities('one', (SELECT jsonb_agg(jsonb_build_object('id', 'f' || e, 'of', (SELECT jsonb_agg(e || ' item ' || i) FROM generate_series(1, 4000) i))) FROM generate_series(1, 2) e)) -> 'counts' AS counts;
SELECT test.fails($$SELECT kg_merge('one', 'e1', '{f1,f2}')$$, 'code', 'expected');
SELECT kg_merge('one', 'e1', '{f1,f2}', '{"values": {"of": []}}') -> 'conflicts' AS conflicts;
RESET ROLE;
CALL test.drop('merged_arrays');
