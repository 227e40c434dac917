-- Parallel edges: a relation's key property is a part of an edge's identity.
\i test/data/prelude.sql
CALL test.tenant('edge_keys', 'regress_edge_keys admin');
SET ROLE regress_edge_keys;

CREATE FUNCTION pg_temp.bundle(members jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT '{"bundle_name": "keyed", "version": "1",
    "schemas": [{"entity_type": "package", "schema": {"type": "object", "x-id-field": "id", "properties": {
        "id": {"type": "string"}, "needs": {"type": "integer", "x-derived": {"count": "NEEDS", "direction": "outgoing"}}}}}],
    "relations": [{"name": "NEEDS", "from": "package", "to": "package", "key": ["range"],
        "schema": {"type": "object", "properties": {"range": {"type": "string"}, "w": {"type": "number"}}}},
      {"name": "PAIR", "from": "package", "to": "package", "symmetric": true, "key": ["n"],
        "schema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
      {"name": "LIKES", "from": "package", "to": "package"}],
    "entities": [{"entity_type": "package", "items": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}]}'
    || members
$$;
CREATE FUNCTION pg_temp.try(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
  EXECUTE sql;
  RETURN 'done';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLERRM || coalesce(' ' || (detail::jsonb -> 'errors' -> 0 ->> 'path'), ' ' || (detail::jsonb ->> 'path'), '');
END $$;

-- what may be a key
SELECT pg_temp.try(format('SELECT kg_apply_bundle(%L)', pg_temp.bundle(jsonb_build_object('relations', jsonb_build_array(r)))))
  FROM jsonb_array_elements('[{"name": "RR", "from": "package", "to": "package", "key": "range"},
    {"name": "RR", "from": "package", "to": "package", "key": []}, {"name": "RR", "from": "package", "to": "package", "key": ["a", "b"]},
    {"name": "RR", "from": "package", "to": "package", "key": [1]}, {"name": "RR", "from": "package", "to": "package", "key": ["a"]},
    {"name": "RR", "from": "package", "to": "package", "key": ["a"], "schema": {"properties": {"b": {"type": "string"}}}},
    {"name": "RR", "from": "package", "to": "package", "key": ["a"], "schema": {"properties": {"a": {"type": "number"}}}},
    {"name": "RR", "from": "package", "to": "package", "key": ["a"], "schema": {"properties": {"a": {"type": ["string", "null"]}}}},
    {"name": "RR", "from": "package", "to": "package", "key": ["a"], "schema": {"properties": {"a": {"type": "array", "items": {"type": "string"}}}}}]') r;

SELECT kg_apply_bundle(pg_temp.bundle('{"edges": [
  {"relation": "NEEDS", "from": "package:a", "to": "package:b", "properties": {"range": ">1", "w": 3}},
  {"relation": "NEEDS", "from": "package:a", "to": "package:b", "properties": {"range": "<9", "w": 1}},
  {"relation": "NEEDS", "from": "package:a", "to": "package:c", "properties": {"range": ">1"}},
  {"relation": "NEEDS", "from": "package:b", "to": "package:c", "properties": {"range": "", "w": 2}},
  {"relation": "PAIR", "from": "package:a", "to": "package:b", "properties": {"n": 1}},
  {"relation": "PAIR", "from": "package:b", "to": "package:a", "properties": {"n": 2.0}},
  {"relation": "LIKES", "from": "package:a", "to": "package:b"}]}')) -> 'relations';
SELECT relation, r.key, e.key, properties FROM kg_edge e JOIN (SELECT DISTINCT relation, relation_no, key FROM kg_relation) r USING (relation_no)
  ORDER BY relation, properties;
-- what is exported is what was applied, and changes nothing
SELECT jsonb_pretty(kg_export_bundle('keyed') -> 'relations'), jsonb_array_length(kg_export_bundle('keyed') -> 'edges');
SELECT kg_apply_bundle(kg_export_bundle('keyed')) -> 'changed' AS changed,
  kg_apply_bundle(kg_export_bundle('keyed'), '{"mode": "merge"}') -> 'changed' AS merged;
-- a change of one of the parallel edges, one more and one less
SELECT kg_apply_bundle(pg_temp.bundle('{"edges": [
  {"relation": "NEEDS", "from": "package:a", "to": "package:b", "properties": {"range": ">2", "w": 5}},
  {"relation": "NEEDS", "from": "package:a", "to": "package:b", "properties": {"range": "<9", "w": 4}},
  {"relation": "NEEDS", "from": "package:b", "to": "package:c", "properties": {"range": "", "w": 2}},
  {"relation": "PAIR", "from": "package:b", "to": "package:a", "properties": {"n": 1}},
  {"relation": "PAIR", "from": "package:b", "to": "package:a", "properties": {"n": 2}},
  {"relation": "LIKES", "from": "package:a", "to": "package:b"}]}')) -> 'relations';

-- refused: no key, of a wrong type, too long, twice in a bundle (both ways round)
SELECT pg_temp.try(format('SELECT kg_apply_bundle(%L)', pg_temp.bundle(jsonb_build_object('edges', e))))
  FROM unnest(ARRAY['[{"relation": "NEEDS", "from": "package:a", "to": "package:b"}]',
    '[{"relation": "NEEDS", "from": "package:a", "to": "package:b", "properties": {"w": 1}}]',
    '[{"relation": "NEEDS", "from": "package:a", "to": "package:b", "properties": {"range": 1}}]',
    '[{"relation": "PAIR", "from": "package:a", "to": "package:b", "properties": {"n": 1.5}}]',
    '[{"relation": "NEEDS", "from": "package:a", "to": "package:b", "properties": {"range": "x"}}, {"relation": "NEEDS", "from": "package:a", "to": "package:b", "properties": {"w": 1, "range": "x"}}]',
    '[{"relation": "PAIR", "from": "package:a", "to": "package:c", "properties": {"n": 1}}, {"relation": "PAIR", "from": "package:c", "to": "package:a", "properties": {"n": 1}}]']::jsonb[]) e;
SELECT pg_temp.try(format('SELECT kg_apply_bundle(%L)', pg_temp.bundle(jsonb_build_object('edges', jsonb_build_array(
  jsonb_build_object('relation', 'NEEDS', 'from', 'package:a', 'to', 'package:b', 'properties', jsonb_build_object('range', repeat('x', 513))))))));

-- the same of puts and deletes
SELECT v ->> 'verdict' AS verdict, v #>> '{error,message}' AS message, v #>> '{error,path}' AS path FROM jsonb_array_elements(kg_put_edges('[
  {"relation": "NEEDS", "from": "package:a", "to": "package:c", "properties": {"range": "x"}}, {"relation": "NEEDS", "from": "package:a", "to": "package:c", "properties": {"range": "y"}},
  {"relation": "NEEDS", "from": "package:a", "to": "package:b", "properties": {"range": "<9", "w": 4}}, {"relation": "NEEDS", "from": "package:a", "to": "package:b", "properties": {"range": ">2", "w": 6}},
  {"relation": "NEEDS", "from": "package:a", "to": "package:c", "properties": {"range": "y", "w": 1}}, {"relation": "NEEDS", "from": "package:a", "to": "package:c"},
  {"relation": "NEEDS", "from": "package:a", "to": "package:c", "properties": {"range": null}}, {"relation": "PAIR", "from": "package:b", "to": "package:a", "properties": {"n": 1}},
  {"relation": "PAIR", "from": "package:a", "to": "package:b", "properties": {"n": 1.0}}, {"relation": "PAIR", "from": "package:b", "to": "package:a", "properties": {"n": 3}}]') -> 'items') v;
SELECT v ->> 'verdict' AS verdict, v #>> '{error,message}' AS message, v #>> '{error,path}' AS path FROM jsonb_array_elements(kg_delete_edges('[
  {"relation": "NEEDS", "from": "package:a", "to": "package:c", "properties": {"range": "x"}}, {"relation": "NEEDS", "from": "package:a", "to": "package:c", "properties": {"range": "none"}},
  {"relation": "NEEDS", "from": "package:a", "to": "package:c"}, {"relation": "LIKES", "from": "package:a", "to": "package:b", "properties": {}},
  {"relation": "PAIR", "from": "package:b", "to": "package:a", "properties": {"n": 3}}]') -> 'items') v;
-- plain SQL says the key itself, and is held to it
SELECT pg_temp.try(format('INSERT INTO kg_edge(tenant, source, relation_no, target, key, properties) SELECT tenant, target, relation_no, source, %L, %L FROM kg_edge WHERE key = ''y''', k, p))
  FROM (VALUES ('', '{"range": "q"}'), ('w', '{"range": "q"}'), ('q', '{}'), ('q', '{"range": "q"}')) t(k, p);
SELECT pg_temp.try('UPDATE kg_edge SET properties = ''{"range": "p"}'' WHERE key = ''q'''), pg_temp.try('UPDATE kg_edge SET key = ''p'' WHERE key = ''q''');
SELECT pg_temp.try('UPDATE kg_edge SET key = ''p'', properties = ''{"range": "p"}'' WHERE key = ''q''');
SELECT pg_temp.try(format('INSERT INTO kg_edge(tenant, source, relation_no, target, key) SELECT tenant, target, relation_no, source, ''k'' FROM kg_edge e WHERE relation_no = (SELECT relation_no FROM kg_relation WHERE relation = ''LIKES'')'));
DELETE FROM kg_edge WHERE key = 'p';

-- tools: parallel edges each, a row once, the same of packed edges
CREATE FUNCTION pg_temp.seen() RETURNS TABLE(tool text, reply jsonb) LANGUAGE sql AS $$
  SELECT 'traverse', kg_traverse('{"from": {"label": "package", "ids": ["a"]}, "relationships": [{"type": "NEEDS"}]}')
  UNION ALL SELECT 'neighbors', kg_neighbors('{"start_node": {"label": "package", "node_id": "a"}, "relationship_types": ["NEEDS", "PAIR", "LIKES"], "edge_columns": ["*"]}') - 'nodes'
  UNION ALL SELECT 'paths', kg_paths('{"from": {"label": "package", "ids": ["a"]}, "to": {"label": "package", "ids": ["c"]}, "max_hops": 2, "relationship_types": ["NEEDS"], "edge_columns": ["*"]}')
  UNION ALL SELECT 'lightest', kg_paths('{"from": {"label": "package", "ids": ["a"]}, "to": {"label": "package", "ids": ["c"]}, "max_hops": 2, "relationship_types": ["NEEDS"], "edge_columns": ["*"], "weight": "w"}')
  UNION ALL SELECT 'bfs', kg_bfs('{"seeds": ["package:a"], "max_hops": 1}') - 'nodes'
  UNION ALL SELECT 'count', kg_get('package', 'a')
$$;
SELECT kg_put_edges('[{"relation": "NEEDS", "from": "package:a", "to": "package:b", "properties": {"range": "=1", "w": 0.5}}]') -> 'counts';
CREATE TEMPORARY TABLE before AS SELECT * FROM pg_temp.seen();
SELECT tool, reply -> 'rows' AS rows, reply -> 'edge_count' AS edge_count, jsonb_path_query_array(coalesce(reply -> 'edges', reply #> '{paths,0,path}', reply -> 'data'), '$[*] ? (@.type() == "object").properties') AS properties FROM before;
SELECT kg_pack() > 0 AS packed;
SELECT kg_check() - 'ms';
SELECT tool, b.reply = s.reply AS same FROM before b JOIN pg_temp.seen() s USING (tool);

-- a key does not change while there are edges
SELECT pg_temp.try(format('SELECT kg_apply_bundle(%L, %L)', jsonb_build_object('bundle_name', 'keyed', 'version', '1', 'relations', jsonb_build_array(r)), '{"mode": "merge"}'))
  FROM unnest(ARRAY['{"name": "LIKES", "from": "package", "to": "package", "key": ["a"], "schema": {"properties": {"a": {"type": "string"}}}}',
    '{"name": "NEEDS", "from": "package", "to": "package", "schema": {"properties": {"range": {"type": "string"}, "w": {"type": "number"}}}}',
    '{"name": "NEEDS", "from": "package", "to": "package", "key": ["w"], "schema": {"properties": {"range": {"type": "string"}, "w": {"type": "integer"}}}}',
    '{"name": "NEEDS", "from": "package", "to": "package", "key": ["range"], "schema": {"properties": {"range": {"type": "string"}, "w": {"type": "number"}, "more": {}}}}']::jsonb[]) r;
DELETE FROM kg_edge WHERE relation_no = (SELECT relation_no FROM kg_relation WHERE relation = 'LIKES');
SELECT pg_temp.try(format('SELECT kg_apply_bundle(%L, %L)', '{"bundle_name": "keyed", "version": "1", "relations": [{"name": "LIKES", "from": "package", "to": "package", "key": ["a"],
  "schema": {"properties": {"a": {"type": "string"}}}}]}', '{"mode": "merge"}'));
SELECT jsonb_path_query_array(kg_graph_schema('{}'), '$.relationship_types[*] ? (exists(@.key))');
-- variants are alike
SELECT pg_temp.try(format('SELECT kg_apply_bundle(%L)', pg_temp.bundle('{"schemas": [{"entity_type": "package", "schema": {"x-id-field": "id", "properties": {"id": {"type": "string"}}}},
  {"entity_type": "other", "schema": {"x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "relations": [{"name": "RR", "from": "package", "to": "package", "key": ["a"], "schema": {"properties": {"a": {"type": "string"}}}}, {"name": "RR", "from": "package", "to": "other"}]}')));
-- in a transaction that another one's deletion is not visible to, and in the same statement
DELETE FROM kg_edge;
SELECT kg_put_edges('[{"relation": "NEEDS", "from": "package:a", "to": "package:b", "properties": {"range": "1"}}]') -> 'counts' -> 'created',
  kg_put_edges('[{"relation": "NEEDS", "from": "package:a", "to": "package:b", "properties": {"range": "1"}}, {"relation": "NEEDS", "from": "package:a", "to": "package:b", "properties": {"range": "2"}}]') -> 'counts';

RESET ROLE;
CALL test.drop('edge_keys');
