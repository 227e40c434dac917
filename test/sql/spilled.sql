-- Statements whose rows do not fit work_mem: their transition tables are read from files.
\i test/data/prelude.sql
CALL test.tenant('spilled', 'regress_spilled admin');
CREATE FUNCTION pg_temp.derived() RETURNS text LANGUAGE sql AS $$
  SELECT md5((SELECT string_agg(k::text, '' ORDER BY k::text) FROM kg_index_key k) || (SELECT string_agg(t::text, '' ORDER BY t::text) FROM kg_term t) ||
             (SELECT string_agg(e::text, '' ORDER BY e::text) FROM (SELECT source, relation_no, target, property FROM kg_edge) e))
$$;
-- what the statement derived is what a rebuild derives
CREATE FUNCTION pg_temp.same() RETURNS TABLE (entities bigint, notes bigint, edges bigint, as_rebuilt boolean) LANGUAGE plpgsql AS $$
DECLARE was text := pg_temp.derived();
BEGIN
  PERFORM kg_rebuild();
  RETURN QUERY SELECT count(*), count(*) FILTER (WHERE data ? 'note'), (SELECT count(*) FROM kg_edge), was = pg_temp.derived() FROM kg_entity;
END $$;
CREATE FUNCTION pg_temp.items(n int, note text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_agg(jsonb_build_object('id', 'b' || i, 'name', 'Box ' || i, 'size', i, 'in', 'b' || (i / 10), note, repeat('x', 1000))) FROM generate_series(1, n) i
$$;
CREATE FUNCTION pg_temp.bundle(items jsonb, on_delete text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', 'boxes', 'version', '1', 'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'box', 'schema',
    jsonb_build_object('type', 'object', 'x-id-field', 'id', 'x-label-field', 'name', 'properties', jsonb_build_object('id', '{"type": "string"}'::jsonb, 'name', '{"type": "string"}'::jsonb,
      'size', '{"type": "integer", "x-index": true}'::jsonb, 'in', jsonb_build_object('type', 'string', 'x-ref', 'box', 'x-on-delete', on_delete))))),
    'relations', '[{"name": "ON", "from": "box", "to": "box", "schema": {"type": "object"}}]'::jsonb,
    'entities', jsonb_build_array(jsonb_build_object('entity_type', 'box', 'items', '[{"id": "b0"}]'::jsonb || items)))
$$;
SET ROLE regress_spilled;
SET work_mem = '64kB';
SELECT kg_apply_bundle(pg_temp.bundle(pg_temp.items(300, 'note'), 'cascade')) -> 'entities' AS applied;
SELECT * FROM pg_temp.same();
-- a property is renamed in all of them, by an apply and back by the other ways
SELECT kg_apply_bundle(pg_temp.bundle(pg_temp.items(300, 'remark'), 'cascade')) -> 'entities' AS applied;
SELECT * FROM pg_temp.same();
SELECT kg_put_entities('box', pg_temp.items(300, 'note')) -> 'counts' AS put;
SELECT * FROM pg_temp.same();
UPDATE kg_entity SET data = data - 'note' || jsonb_build_object('size', (data ->> 'size')::int + 1, 'name', 'Case ' || entity_id, 'remark', repeat('y', 1000), 'in', 'b0') WHERE entity_id <> 'b0';
SELECT * FROM pg_temp.same();
SELECT kg_list('box', '{"search": "case b77", "limit": 1, "fields": ["size", "in"]}') #> '{items,0,data}' AS found;
-- edges with properties
INSERT INTO kg_edge (tenant, source, relation_no, target, properties)
  SELECT kg_tenant(), a.node, r.relation_no, b.node, jsonb_build_object('n', repeat('z', 1000)) FROM kg_entity a, kg_entity b, kg_relation r WHERE r.relation = 'ON' AND a.entity_id = 'b' || substr(b.entity_id, 2)::int + 1;
UPDATE kg_edge SET properties = jsonb_build_object('n', repeat('w', 1000)) WHERE property IS NULL;
SELECT * FROM pg_temp.same();
DELETE FROM kg_edge WHERE property IS NULL;
SELECT * FROM pg_temp.same();
-- those that go with the one they refer to
DELETE FROM kg_entity WHERE entity_id = 'b0';
SELECT count(*) AS left_over, (SELECT count(*) FROM kg_index_key) AS keys, (SELECT count(*) FROM kg_term) AS terms, (SELECT count(*) FROM kg_edge) AS edges FROM kg_entity;
SELECT kg_apply_bundle(pg_temp.bundle(pg_temp.items(300, 'note'), 'set_null')) -> 'entities' AS applied;
DELETE FROM kg_entity WHERE entity_id IN ('b0', 'b1', 'b2', 'b3', 'b11', 'b12');
SELECT * FROM pg_temp.same();
RESET work_mem;
RESET ROLE;
CALL test.drop('spilled');
