-- A symmetric edge is one edge, whichever way round a bundle writes it.
\i test/data/prelude.sql
CALL test.tenant('symmetric', 'regress_symmetric write');
SET ROLE regress_symmetric;

CREATE FUNCTION pg_temp.bundle(edges jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT '{"bundle_name": "symmetric", "version": "1",
    "schemas": [{"entity_type": "person", "schema": {"type": "object", "x-id-field": "id",
      "properties": {"id": {"type": "string"}}}}],
    "relations": [{"name": "TWIN", "from": "person", "to": "person", "symmetric": true,
      "schema": {"type": "object", "properties": {"since": {"type": "integer"}}}}],
    "entities": [{"entity_type": "person", "items": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}]}'
    || jsonb_build_object('edges', edges)
$$;
CREATE FUNCTION pg_temp.stored() RETURNS jsonb LANGUAGE sql AS $$ SELECT kg_export_bundle('symmetric') -> 'edges' $$;

SELECT kg_apply_bundle(pg_temp.bundle('[{"relation": "TWIN", "from": "person:a", "to": "person:b"}]')) -> 'relations';
-- the same edge, the other way round: nothing to do
SELECT kg_apply_bundle(pg_temp.bundle('[{"relation": "TWIN", "from": "person:b", "to": "person:a"}]')) -> 'changed';
SELECT pg_temp.stored();
-- with other properties, and beside a loop
SELECT kg_apply_bundle(pg_temp.bundle('[{"relation": "TWIN", "from": "person:b", "to": "person:a", "properties": {"since": 1}},
  {"relation": "TWIN", "from": "person:c", "to": "person:c"}]')) -> 'relations';
SELECT pg_temp.stored();
-- both ways in one bundle: stored and new
SELECT kg_apply_bundle(pg_temp.bundle('[{"relation": "TWIN", "from": "person:b", "to": "person:a"},
  {"relation": "TWIN", "from": "person:a", "to": "person:b"}]'));
SELECT kg_apply_bundle(pg_temp.bundle('[{"relation": "TWIN", "from": "person:b", "to": "person:c"},
  {"relation": "TWIN", "from": "person:c", "to": "person:b"}]'));
SELECT pg_temp.stored();

-- A type of the same name in another bundle: the relation's own is meant.
SELECT kg_apply_bundle('{"bundle_name": "others", "version": "1",
  "schemas": [{"entity_type": "person", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": [], "properties": {"id": {"type": "string"}}}}],
  "entities": [{"entity_type": "person", "items": [{"id": "a"}]}]}') -> 'changed';
SELECT kg_apply_bundle(pg_temp.bundle('[{"relation": "TWIN", "from": "person:a", "to": "person:b"}]')) -> 'relations';
SELECT kg_put_edges('[{"relation": "TWIN", "from": "person:a", "to": "person:c"}, {"relation": "TWIN", "from": "others/person:a", "to": "person:c"}]') #- '{items,1,error,errors}';
SELECT pg_temp.stored();

-- A pair that is stored both ways all the same: told, and mended.
RESET ROLE;
BEGIN;
ALTER TABLE kg_edge DISABLE TRIGGER kg_edge_inserted;
INSERT INTO kg_edge (tenant, source, relation_no, target) SELECT tenant, target, relation_no, source FROM kg_edge WHERE tenant = 'symmetric' AND source <> target;
ALTER TABLE kg_edge ENABLE ALWAYS TRIGGER kg_edge_inserted;
COMMIT;
SELECT FROM kg_grant('symmetric', 'regress_symmetric', 'admin');
SET ROLE regress_symmetric;
SELECT d ->> 'kind' AS kind, d ->> 'got' AS got, d ->> 'repair' AS repair, count(*) FROM jsonb_array_elements(kg_check() -> 'differences') d GROUP BY 1, 2, 3;
SELECT r -> 'counts' AS counts, r -> 'left' AS remaining FROM kg_check('{"repair": true}') r;
SELECT pg_temp.stored();

RESET ROLE;
CALL test.drop('symmetric');
