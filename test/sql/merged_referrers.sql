\i test/data/prelude.sql
-- Entities that refer to merged entities by their own ids, and arrays of references to integer ids (src/store/merge).
CALL test.tenant('merged_referrers', 'mere admin');
SET kg_graph.tenant = 'merged_referrers';
SET ROLE mere;
SELECT FROM kg_apply_bundle($b$ {"bundle_name": "referrers", "version": "1", "schemas": [
  {"entity_type": "person", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"}, "code": {"type": "string", "x-index": true}}}},
  {"entity_type": "profile", "schema": {"type": "object", "x-id-field": "person", "x-history": true, "properties": {"person": {"type": "string", "x-ref": "person"}, "bio": {"type": "string"}}}},
  {"entity_type": "detail", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "profile": {"type": "string", "x-ref": "profile"}}}},
  {"entity_type": "badge", "schema": {"type": "object", "x-id-field": "code", "x-history": true, "properties": {"code": {"type": "string", "x-ref": "person", "x-ref-field": "code"}}}},
  {"entity_type": "page", "schema": {"type": "object", "x-id-field": "no", "x-history": true, "properties": {"no": {"type": "integer"}, "links": {"type": "array", "items": {"type": "integer", "x-ref": "page"}}, "sizes": {"type": "array", "items": {"type": "integer"}}}}}],
  "entities": [{"entity_type": "person", "items": [{"id": "a", "code": "ca"}, {"id": "b", "code": "cb"}, {"id": "c"}, {"id": "d"}]},
    {"entity_type": "profile", "items": [{"person": "a"}, {"person": "b", "bio": "x"}, {"person": "c"}, {"person": "d"}]},
    {"entity_type": "detail", "items": [{"id": "1", "profile": "d"}]},
    {"entity_type": "badge", "items": [{"code": "ca"}, {"code": "cb"}]},
    {"entity_type": "page", "items": [{"no": 1, "links": [9, 1, 2], "sizes": [1, 2]}, {"no": 2, "links": [10, 9, 2, 1]}, {"no": 9}, {"no": 10}]}]} $b$);
\set ECHO all
-- The kept entity has a referrer of the same type; two merged entities have; references by another property.
SELECT test.fails($$SELECT kg_merge('person', 'a', '{b}', '{"prefer": "a"}')$$, 'code', 'type', 'id', 'got', 'keyword', 'expected');
SELECT kg_delete_entities('profile', '{a}') -> 'counts' AS counts;
SELECT test.fails($$SELECT kg_merge('person', 'a', '{b,c}', '{"prefer": "a"}')$$, 'code', 'type', 'id', 'got');
SELECT kg_delete_entities('profile', '{c}') -> 'counts' AS counts;
SELECT test.fails($$SELECT kg_merge('person', 'a', '{b}', '{"values": {"code": "new"}}')$$, 'code', 'type', 'id', 'got');
SELECT kg_delete_entities('badge', '{cb}') -> 'counts' AS counts;
-- Others refer to the referrer by the id that it has.
SELECT test.fails($$SELECT kg_merge('person', 'c', '{d}')$$, 'code', 'type', 'id');
-- Without another such entity, the referrer gets the id; an undo gives it the former id.
SELECT m AS merged FROM kg_merge('person', 'a', '{b}', '{"values": {"code": "new"}}') m \gset
SELECT :'merged'::jsonb -> 'referrers' AS referrers, kg_get('profile', 'a') AS a, kg_get('profile', 'b') AS b, kg_get('badge', 'new') AS badge;
SELECT kg_revert(jsonb_build_object('transaction', :'merged'::jsonb -> 'transaction')) -> 'counts' AS counts;
SELECT kg_get('profile', 'a') AS a, kg_get('profile', 'b') AS b;
-- References to integer ids are united like other references; numbers are one value.
SELECT kg_merge('page', '2', '{1}') -> 'conflicts' AS conflicts;
SELECT data FROM kg_entity WHERE entity_type = 'page' ORDER BY node;
SELECT kg_check() -> 'differences' AS differences;
\set ECHO none
RESET ROLE;
CALL test.drop('merged_referrers');
