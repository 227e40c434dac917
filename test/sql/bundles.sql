-- kg_apply_bundle, kg_export_bundle, kg_drop_bundle, as a role with write access:
-- every sentence of their contract.
\i test/data/prelude.sql
CALL test.tenant('bundles', 'regress_bundles_writer write', 'regress_bundles_reader read');
CREATE TEMP TABLE bundle AS SELECT '{
  "bundle_name": "shop", "version": "1", "description": "A shop.", "instructions": "Ask for brands first.",
  "schemas": [
    {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "additionalProperties": false,
      "required": ["id", "name"],
      "properties": {"id": {"type": "string"}, "name": {"type": "string", "minLength": 2}, "founded": {"type": "integer", "minimum": 1800, "x-index": true}}}},
    {"entity_type": "product", "schema": {"type": "object", "x-id-field": "id", "additionalProperties": false,
      "required": ["id", "brand"],
      "properties": {"id": {"type": "string"}, "brand": {"type": "string", "x-ref": "brand", "x-relation": "MADE_BY"},
        "price": {"type": "number", "x-index": true}, "parts": {"type": "array", "items": {"type": "string", "x-ref": "product"}}}}}],
  "relations": [
    {"name": "RIVALS", "from": "brand", "to": "brand", "symmetric": true},
    {"name": "LIKES", "from": "brand", "to": "product", "inverse": "LIKED_BY",
     "schema": {"type": "object", "required": ["since"], "properties": {"since": {"type": "integer"}}}},
    {"name": "LIKES", "from": "brand", "to": "brand", "inverse": "LIKED_BY"}],
  "entities": [
    {"entity_type": "brand", "items": [{"id": "a", "name": "Alpha"}, {"id": "b", "name": "Beta", "founded": 1900}, {"id": "c", "name": "Gamma"}]},
    {"entity_type": "product", "items": [{"id": "p", "brand": "a", "price": 1.50, "parts": ["q", "p"]}, {"id": "q", "brand": "b"}]}],
  "edges": [
    {"relation": "RIVALS", "from": "brand:a", "to": "brand:b"},
    {"relation": "LIKES", "from": "brand:a", "to": "product:p", "properties": {"since": 2000}},
    {"relation": "LIKES", "from": "brand:a", "to": "brand:b"}]}'::jsonb AS b;
GRANT SELECT ON bundle TO regress_bundles_writer, regress_bundles_reader;

CREATE FUNCTION pg_temp.fails(statement text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT test.fails(statement, 'code', 'path', 'type', 'id', 'keyword', 'got', 'message', 'expected') $$;
-- Apply the bundle of the table, changed; its errors.
CREATE FUNCTION pg_temp.refused(change jsonb, options jsonb DEFAULT '{}') RETURNS SETOF text LANGUAGE sql AS $$
  SELECT pg_temp.fails(pg_catalog.format('SELECT kg_apply_bundle(%L, %L)', b || change, options)) FROM bundle
$$;
-- An entity set in place of the bundle's.
CREATE FUNCTION pg_temp.items(type text, VARIADIC items jsonb[]) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('entities', jsonb_build_array(jsonb_build_object('entity_type', type, 'items', items)))
$$;

SET ROLE regress_bundles_reader;
SELECT pg_temp.refused('{}');
SET ROLE regress_bundles_writer;

-- A dry run writes nothing and says what would be written.
SELECT kg_apply_bundle(b, '{"dry_run": true}') -> 'diff' FROM bundle;
SELECT count(*) AS bundles FROM kg_bundle;
SELECT jsonb_pretty(kg_apply_bundle(b)) FROM bundle;
SELECT tool FROM kg_tool ORDER BY tool;

-- The same again changes nothing: revision and rows are those of before.
CREATE TEMP TABLE rows_before AS SELECT node, xmin AS row_version FROM kg_entity;
SELECT kg_apply_bundle(b) - 'entities' FROM bundle;
SELECT count(*) FILTER (WHERE e.xmin = r.row_version) AS same, count(*) FROM kg_entity e JOIN rows_before r USING (node);

-- Export is what was applied; applied, it is an empty diff.
SELECT jsonb_pretty(kg_export_bundle('shop') - 'schemas');
SELECT kg_apply_bundle(kg_export_bundle('shop'), '{"dry_run": true}') - 'warnings';
SELECT kg_export_bundle('shop') #> '{schemas,0,schema}' = b #> '{schemas,0,schema}' AS same_schema FROM bundle;
SELECT pg_temp.fails($$SELECT kg_export_bundle('nothing')$$);

-- replace: exactly this afterwards.  Only what differs is touched.
CREATE TEMP TABLE changed AS
  SELECT jsonb_set(jsonb_set(b, '{entities}', '[
    {"entity_type": "brand", "items": [{"id": "a", "name": "Alpha"}, {"id": "b", "name": "Beth", "founded": 1900}]},
    {"entity_type": "product", "items": [{"id": "p", "brand": "a", "price": 1.5, "parts": ["p"]}, {"id": "r", "brand": "a"}]}]'),
    '{edges}', '[{"relation": "RIVALS", "from": "b", "to": "a"}, {"relation": "LIKES", "from": "brand:a", "to": "product:p", "properties": {"since": 2001}}]') AS b FROM bundle;
SELECT kg_apply_bundle(b, '{"dry_run": true}') -> 'diff' -> 'entities' FROM changed;
SELECT jsonb_pretty(kg_apply_bundle(b) - 'warnings') FROM changed;
SELECT e.entity_id, e.version, e.xmin = r.row_version AS same_row FROM kg_entity e LEFT JOIN rows_before r USING (node) ORDER BY e.entity_id COLLATE "C";
SELECT count(*) AS edges FROM kg_edge;

-- merge adds and changes, and deletes nothing.
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "2", "entities": [{"entity_type": "brand", "items": [{"id": "d", "name": "Delta"}, {"id": "b", "name": "Beta"}]}],
  "edges": [{"relation": "LIKES", "from": "brand:d", "to": "brand:a"}]}', '{"mode": "merge"}') - 'warnings';
SELECT kg_list_ids('brand') -> 'ids' AS brands, kg_list_ids('product') -> 'ids' AS products;
SELECT version, description, instructions, revision FROM kg_bundle;

-- expected_revision. Options are checked. A missing part of a bundle is not the same
-- as an empty one.
SELECT pg_temp.refused('{}', '{"expected_revision": 1}');
SELECT pg_temp.refused('{}', '{"expected_revision": -1}');
SELECT kg_apply_bundle(b || '{"version": "3"}', '{"expected_revision": 3}') ->> 'revision' AS revision FROM bundle;
SELECT pg_temp.refused('{}', '{"mode": "append"}');
SELECT pg_temp.refused('{}', '{"max_errors": 0}');
SELECT pg_temp.refused('{}', '{"dryrun": true}');
SELECT pg_temp.fails($$SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "4"}')$$);
SELECT pg_temp.fails($$SELECT kg_apply_bundle('[]')$$);
SELECT pg_temp.fails($$SELECT kg_apply_bundle('{"bundle_name": "No", "schemas": 7}')$$);
SELECT pg_temp.refused('{"entitys": []}');

-- All errors are reported at once, each with type, id, place, keyword, value and
-- what was expected. Nothing is written.
SELECT pg_temp.refused('{"entities": [
  {"entity_type": "brand", "items": [{"id": "a", "name": "A", "founded": 1700}, {"id": "a", "name": "Again"}, {"name": "None"}, 7]},
  {"entity_type": "brnd", "items": []},
  {"entity_type": "product", "items": [{"id": "p", "brand": "x", "parts": ["p", "zz"]}, {"id": "q", "brand": "a", "colour": "red"}]}]}');
SELECT pg_temp.refused('{"entities": [
  {"entity_type": "brand", "items": [{"id": "a", "name": "A", "founded": 1700}, {"id": "a", "name": "Again"}, {"name": "None"}, 7]}], "edges": []}', '{"max_errors": 2}');
SELECT e ->> 'message' AS in_dry_run FROM bundle, jsonb_array_elements(kg_apply_bundle(b || pg_temp.items('brand', '{"id": "a", "name": "A"}'), '{"dry_run": true}') -> 'errors') e;
SELECT revision FROM kg_bundle;

-- Edges: a triple once, ends that exist, a declared variant, its properties.
SELECT pg_temp.refused('{"edges": [{"relation": "LIKES", "from": "brand:a", "to": "brand:b"}, {"relation": "LIKES", "from": "a", "to": "brand:b"},
  {"relation": "RIVALS", "from": "brand:a", "to": "brand:x"}, {"relation": "LIKS", "from": "brand:a", "to": "brand:b"}, {"relation": "MADE_BY", "from": "product:p", "to": "brand:b"}]}');
SELECT pg_temp.refused('{"edges": [{"relation": "RIVALS", "from": "brand:a", "to": "product:p"}]}');
SELECT pg_temp.refused('{"edges": [{"relation": "LIKES", "from": "brand:a", "to": "product:p"}]}');
SELECT pg_temp.refused('{"edges": [{"relation": "LIKES", "from": "brand:a", "to": "brand:b", "properties": {"since": 1}}]}');
-- Relations: variants agree, are declared once, start in this bundle.
SELECT pg_temp.refused('{"edges": [], "relations": [{"name": "LIKES", "from": "brand", "to": "brand"}, {"name": "LIKES", "from": "brand", "to": "brand"},
  {"name": "SEES", "from": "brand", "to": "brand", "symmetric": true}, {"name": "SEES", "from": "brand", "to": "product"},
  {"name": "MADE_BY", "from": "product", "to": "brand"}, {"name": "OWNS", "from": "brnd", "to": "brand"}, {"name": "SAME", "from": "brand", "to": "brand", "symmetric": true, "inverse": "EMAS"}]}');

-- A changed schema is checked against what is stored: all that fails is listed.
SELECT pg_temp.fails($$SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'shop', 'version', '5', 'schemas', jsonb_build_array(jsonb_set(b #> '{schemas,0}', '{schema,required}', '["id", "name", "founded"]'))), '{"mode": "merge"}') FROM bundle$$);
-- Where it fits, keys are made anew.
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'shop', 'version', '5', 'schemas', jsonb_build_array(jsonb_set(b #> '{schemas,0}', '{schema,properties,name,x-index}', 'true'))), '{"mode": "merge"}') ->> 'revision' AS revision FROM bundle;
SELECT kg_list_ids('brand', '{"filters": {"name": {"starts_with": "Be"}}}') -> 'ids' AS ids;

-- Cycles of references between types are named; so is what has no value.
SELECT kg_apply_bundle('{"bundle_name": "loop", "version": "1", "entities": [], "schemas": [
  {"entity_type": "hen", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "egg": {"type": "string", "x-ref": "egg"}}}},
  {"entity_type": "egg", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "hen": {"type": "string", "x-ref": "hen"}}}}]}') -> 'warnings';

-- Tool names are taken once in a tenant.
SELECT pg_temp.fails($$SELECT kg_apply_bundle('{"bundle_name": "other", "version": "1", "entities": [], "schemas": [
  {"entity_type": "hen", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list"], "properties": {"id": {"type": "string"}}}}]}')$$);
SELECT pg_temp.fails($$SELECT kg_apply_bundle('{"bundle_name": "other", "version": "1", "entities": [], "schemas": [
  {"entity_type": "cow", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list_ids"], "properties": {"id": {"type": "string"}}}},
  {"entity_type": "cow_ids", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list"], "properties": {"id": {"type": "string"}}}}]}')$$);
SELECT pg_temp.fails($$SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'other', 'version', '1', 'entities', '[]'::jsonb, 'schemas', jsonb_build_array(
  jsonb_build_object('entity_type', 'c' || repeat('o', 58) || 'w', 'schema', '{"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}'::jsonb))))$$);

-- A bundle that others refer to is not dropped.
SELECT kg_apply_bundle('{"bundle_name": "fans", "version": "1", "schemas": [
  {"entity_type": "fan", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "brand": {"type": "string", "x-ref": "shop/brand"}}}}],
  "entities": [{"entity_type": "fan", "items": [{"id": "f", "brand": "a"}]}]}') ->> 'revision' AS revision;
SELECT pg_temp.fails($$SELECT kg_drop_bundle('shop')$$);
SELECT pg_temp.refused(pg_temp.items('brand', '{"id": "b", "name": "Beta"}') || '{"edges": []}');
SELECT kg_drop_bundle('fans') - 'warnings' AS dropped;
SELECT kg_drop_bundle('shop') -> 'entities' AS dropped;
SELECT pg_temp.fails($$SELECT kg_drop_bundle('shop')$$);
SELECT kg_drop_bundle('loop') ->> 'bundle_name' AS dropped;
SELECT (SELECT count(*) FROM kg_bundle) AS bundles, (SELECT count(*) FROM kg_entity) AS entities, (SELECT count(*) FROM kg_edge) AS edges,
       (SELECT count(*) FROM kg_index_key) AS keys, (SELECT count(*) FROM kg_term) AS terms, (SELECT count(*) FROM kg_tool) AS tools;

-- Too large: the limit and its name.
RESET ROLE;
SET kg_graph.max_bundle_bytes = '1kB';
SET ROLE regress_bundles_writer;
SELECT pg_temp.refused('{}');
RESET ROLE;
RESET kg_graph.max_bundle_bytes;
SET ROLE regress_bundles_writer;
SELECT pg_temp.fails($$SELECT kg_apply_bundle(b || pg_temp.items('brand', jsonb_build_object('id', 'a', 'name', repeat('n', 102400)))) FROM bundle$$);

-- Faults of edges are told in the order of the payload, which they are not written in.
SELECT pg_temp.fails($$SELECT kg_apply_bundle(b || '{"edges": [{"relation": "LIKES", "from": "brand:c", "to": "product:p"}, {"relation": "LIKES", "from": "brand:b", "to": "product:p", "properties": {"since": 2001}},
  {"relation": "LIKES", "from": "brand:a", "to": "product:q", "properties": {"since": "x"}}, {"relation": "LIKES", "from": "brand:a", "to": "product:p"}]}') FROM bundle$$);

-- A large bundle from a table is the same however it is stored there.
CREATE TEMP TABLE large(how text, b jsonb);
INSERT INTO large SELECT 'compressed', b || jsonb_build_object('bundle_name', 'large', 'description', repeat('a shop ', 3000000)) FROM bundle;
ALTER TABLE large ALTER b SET STORAGE EXTERNAL;
INSERT INTO large SELECT 'as it is', jsonb_set(b, '{version}', '"1"') FROM large;
SELECT how, pg_column_size(b) > 16 * 1024 * 1024 AS whole FROM large ORDER BY how COLLATE "C";
SELECT how, (kg_apply_bundle(b) #- '{diff}') - 'entities' - 'relations' AS applied FROM large ORDER BY how COLLATE "C" DESC;
SELECT length(kg_export_bundle('large') ->> 'description') AS characters;
SELECT kg_drop_bundle('large') ->> 'changed' AS dropped;
DROP TABLE large;

RESET ROLE;
-- Numbers of types and relations: none for what is not stored, and after the last one an error.
CREATE TEMP TABLE numbered AS SELECT '{"bundle_name": "numbered", "version": "1", "schemas": [{"entity_type": "num", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "n": {"type": "integer", "x-index": true}, "up": {"type": "string", "x-ref": "num"}}}}],
  "relations": [{"name": "NUM", "from": "num", "to": "num"}], "entities": [{"entity_type": "num", "items": [{"id": "a", "n": 1}, {"id": "b", "n": 2, "up": "a"}]}], "edges": [{"relation": "NUM", "from": "num:a", "to": "num:b"}]}'::jsonb AS b;
GRANT SELECT ON numbered TO regress_bundles_writer;
CREATE FUNCTION pg_temp.given() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$SELECT t.last_value + r.last_value FROM public.kg_type_seq t, public.kg_relation_seq r$$;
SET ROLE regress_bundles_writer;
SELECT pg_temp.given() AS before \gset
SELECT kg_apply_bundle(b, '{"dry_run": true}') - 'warnings' FROM numbered;
SELECT count(*) AS dry_runs FROM numbered, generate_series(1, 20), LATERAL kg_apply_bundle(b, jsonb_build_object('dry_run', generate_series > 0));
SELECT pg_temp.given() - :before AS given_in_dry_runs;
SELECT kg_apply_bundle(b) -> 'changed' AS applied FROM numbered;
SELECT pg_temp.given() AS before \gset
SELECT kg_apply_bundle(jsonb_set(b, '{schemas,0,schema,title}', '"Number"')) -> 'changed' AS updated FROM numbered;
SELECT pg_temp.given() - :before AS given_for_what_was_there;
SELECT kg_drop_bundle('numbered') -> 'changed' AS dropped;
RESET ROLE;
SELECT last_value AS types FROM kg_type_seq \gset
SELECT last_value AS relations FROM kg_relation_seq \gset
SELECT setval('kg_relation_seq', 2147483647) AS last;
SET ROLE regress_bundles_writer;
SELECT kg_apply_bundle(b) FROM numbered;
RESET ROLE;
SELECT setval('kg_relation_seq', :relations) = :relations AS back, setval('kg_type_seq', 2147483647) AS last;
SET ROLE regress_bundles_writer;
SELECT kg_apply_bundle(b) FROM numbered;
RESET ROLE;
SELECT setval('kg_type_seq', :types) = :types AS back;
-- New entities are written in the order of the bundle. A caller may not choose the node of a deleted entity.
SET ROLE regress_bundles_writer;
SELECT kg_apply_bundle('{"bundle_name": "ordered", "version": "1", "schemas": [{"entity_type": "step", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "entities": [{"entity_type": "step", "items": [{"id": "z"}, {"id": "a"}, {"id": "m"}]}]}') -> 'changed' AS applied;
SELECT array_agg(entity_id ORDER BY node) AS by_node FROM kg_entity WHERE bundle = 'ordered';
SELECT max(node) AS last FROM kg_entity WHERE bundle = 'ordered' \gset
DELETE FROM kg_entity WHERE bundle = 'ordered' AND entity_id = 'm';
INSERT INTO kg_entity(bundle, entity_type, data, node) VALUES ('ordered', 'step', '{"id": "other"}', :last);
SELECT kg_drop_bundle('ordered') -> 'changed' AS dropped;
RESET ROLE;
DROP TABLE bundle, rows_before, changed, numbered;
CALL test.drop('bundles');
