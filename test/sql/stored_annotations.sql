-- Keywords that are annotations now, but that version 0.1.0 ignored and stored with
-- any value. Such a value has no effect.
\i test/data/prelude.sql
CALL test.tenant('stored', 'regress_stored admin');
SET ROLE regress_stored;
SELECT kg_apply_bundle('{"bundle_name": "st", "version": "1", "schemas": [{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "n": {"type": "integer", "x-index": true}}}}],
  "relations": [{"name": "near", "from": "thing", "to": "thing", "schema": {"type": "object"}}],
  "entities": [{"entity_type": "thing", "items": [{"id": "a", "name": "one", "n": 1}, {"id": "b", "n": 2}]}], "edges": [{"relation": "near", "from": "thing:a", "to": "thing:b"}]}') ? 'revision' AS applied;
RESET ROLE;
CREATE FUNCTION pg_temp.stored(more jsonb) RETURNS TABLE (listed jsonb, put jsonb, found jsonb, reached jsonb, tools boolean, "left" jsonb) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE kg_entity_type SET schema = schema - '{x-table,x-id-generate,x-property-order}'::text[] || more WHERE tenant = 'stored';
  UPDATE kg_relation SET schema = '{"type": "object"}' || more WHERE tenant = 'stored';
  SET LOCAL ROLE regress_stored;
  RETURN QUERY SELECT jsonb_path_query_array(kg_list('thing', '{"filters": {"n": {"gt": 1}}}'), '$.items[*].id'), kg_put_entities('thing', '[{"id": "b", "n": 3}]') -> 'counts',
    kg_search('{"query": "one"}') -> 'total', kg_traverse('{"from": {"label": "thing", "ids": ["a"]}, "relationships": [{"type": "near"}]}') -> 'total', kg_list_tools() IS NOT NULL, kg_check('{"repair": true}') -> 'left';
  RESET ROLE;
END $$;
SELECT s.* FROM unnest(ARRAY['{"x-table": "things"}', '{"x-table": {"of": "things"}}', '{"x-id-generate": true}', '{"x-id-generate": {"sequence": 5}}', '{"x-property-order": "alphabetical"}', '{"x-property-order": ["n", "gone", 7]}']::jsonb[]) more, pg_temp.stored(more) s;
-- What is applied again is looked at.
SET ROLE regress_stored;
SELECT * FROM test.fails($$SELECT kg_apply_bundle(jsonb_set(kg_export_bundle('st'), '{version}', '"2"'))$$, 'code', 'path', 'keyword');
RESET ROLE;
CALL test.drop('stored');
