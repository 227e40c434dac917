-- kg_put_entities, kg_delete_entities, kg_put_edges, kg_delete_edges: a verdict
-- for each item, as ordinary roles.
\i test/data/prelude.sql
CALL test.tenant('put', 'regress_put_writer write', 'regress_put_reader read');
CALL test.tenant('put other');
CREATE TEMP TABLE bundle AS SELECT '{
  "bundle_name": "put", "version": "1",
  "schemas": [
    {"entity_type": "person", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name",
      "additionalProperties": false, "required": ["id"],
      "properties": {"id": {"type": "string", "pattern": "^[a-z0-9]+$"}, "name": {"type": "string"},
        "age": {"type": "integer", "minimum": 0, "x-index": true},
        "email": {"type": "string", "x-index": true},
        "boss": {"type": "string", "x-ref": "person"},
        "deputy": {"type": "string", "x-ref": "person", "x-ref-field": "email", "x-on-delete": "set_null"},
        "country": {"type": "string", "x-ref": "country"}}}},
    {"entity_type": "country", "schema": {"type": "object", "x-id-field": "code", "required": ["code"],
      "properties": {"code": {"type": "string"}}}}],
  "relations": [
    {"name": "KNOWS", "from": "person", "to": "person", "symmetric": true},
    {"name": "VISITED", "from": "person", "to": "country",
     "schema": {"type": "object", "additionalProperties": false, "properties": {"year": {"type": "integer", "minimum": 1900}}}}],
  "entities": [{"entity_type": "country", "items": [{"code": "FR"}, {"code": "DE"}]}]}'::jsonb AS b;
GRANT SELECT ON bundle TO regress_put_writer;

-- One line an item.
CREATE FUNCTION pg_temp.lines(result jsonb) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT pg_catalog.concat_ws(' ', i ->> 'id', i ->> 'verdict', i #>> '{error,code}', i #>> '{error,path}',
                              i #>> '{error,keyword}', i #>> '{error,message}')
    FROM jsonb_array_elements(result -> 'items') WITH ORDINALITY x(i, n)
  UNION ALL SELECT (result -> 'counts')::text
$$;
CREATE FUNCTION pg_temp.fails(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE d text;
BEGIN
  EXECUTE statement;
  RETURN NEXT 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN NEXT SQLSTATE || ' ' || SQLERRM;
  RETURN QUERY SELECT '  ' || pg_catalog.concat_ws(' ', e ->> 'code', e ->> 'path', e ->> 'message')
    FROM jsonb_array_elements(CASE WHEN d LIKE '{%' THEN d::jsonb -> 'errors' END) e;
END
$$;

SET ROLE regress_put_writer;
SELECT kg_apply_bundle(b) -> 'entities' -> 'country' FROM bundle;

-- Entities are created in the given order. References to stored entities and to
-- entities of the same call are possible, also in cycles. Keys, terms and edges are
-- derived.
SELECT pg_temp.lines(kg_put_entities('person', '[
  {"id": "ann", "name": "Ann", "age": 40, "email": "ann@x", "boss": "bob", "country": "FR"},
  {"id": "bob", "name": "Bob", "age": 50, "email": "bob@x", "boss": "ann", "deputy": "ann@x"},
  {"id": "cid", "age": 30, "email": "cid@x", "boss": "cid"}]'));
SELECT kg_list_ids('person', '{"filters": {"age": {"gte": 40}}, "sort": [{"field": "age", "order": "desc"}]}') -> 'ids' AS ids;
SELECT kg_list_ids('person', '{"search": "ann"}') -> 'ids' AS found;
SELECT count(*) AS edges FROM kg_edge;

-- Updated, unchanged (1.0 is 1), created; unchanged rows keep their version.
CREATE TEMP TABLE before AS SELECT entity_id, xmin AS row_version FROM kg_entity WHERE entity_type = 'person';
SELECT pg_temp.lines(kg_put_entities('person', '[
  {"id": "ann", "name": "Ann", "age": 41, "email": "ann@x", "boss": "bob", "country": "DE"},
  {"id": "dan"},
  {"id": "cid", "age": 30.0, "email": "cid@x", "boss": "cid"}]'));
SELECT e.entity_id, e.version, e.xmin = b.row_version AS same_row
  FROM kg_entity e LEFT JOIN before b USING (entity_id) WHERE e.entity_type = 'person' ORDER BY e.entity_id COLLATE "C";

-- Valid items are written, and invalid ones are reported: schema, id, duplicate id,
-- not an object, a missing reference, and a reference to an item that is not
-- written.
SELECT pg_temp.lines(kg_put_entities('person', '[
  {"id": "eve", "age": -1},
  {"id": "fay", "boss": "eve"},
  {"id": "gus", "boss": "fay"},
  {"id": "hal", "boss": "ann"},
  {"id": "hal"},
  17,
  {"name": "nobody"},
  {"id": "ivy", "country": "XX"},
  {"id": "jim", "deputy": "kay@x"},
  {"id": "kay", "email": "kay@x"},
  {"id": "lee", "deputy": "nobody@x"},
  {"id": "UPPER", "extra": 1}]'));
SELECT string_agg(entity_id, ' ' ORDER BY entity_id COLLATE "C") AS stored FROM kg_entity WHERE entity_type = 'person';
SELECT jsonb_pretty(kg_put_entities('person', '[{"id": "UPPER", "age": -1}]'));

-- atomic: all of it or nothing, every error in one.
SELECT pg_temp.fails($$SELECT kg_put_entities('person', '[{"id": "mia"}, {"id": "ned", "age": -1}, {"id": "ola", "country": "XX"}]', '{"atomic": true}')$$);
SELECT count(*) AS none FROM kg_entity WHERE entity_id = 'mia';
SELECT pg_temp.lines(kg_put_entities('person', '[{"id": "mia"}]', '{"atomic": true}'));

-- What is not about an item is an error of the call.
SELECT pg_temp.fails($$SELECT kg_put_entities('persn', '[]')$$);
SELECT pg_temp.fails($$SELECT kg_put_entities('person', '{}')$$);
SELECT pg_temp.fails($$SELECT kg_put_entities('person', '7')$$);
SELECT pg_temp.fails($$SELECT kg_put_entities('person', '[]', '{"atomc": true}')$$);
SELECT pg_temp.fails($$SELECT kg_put_entities('person', '[]', '{"atomic": 1}')$$);
SELECT pg_temp.fails($$SELECT kg_put_entities('person', '[]', '[]')$$);
SELECT kg_put_entities('person', '[]');
-- Bob's deputy names Ann by her address.
SELECT pg_temp.fails($$SELECT kg_put_entities('person', '[{"id": "ann", "email": "new@x"}]')$$);
SELECT kg_put_entities('person', jsonb_build_array(jsonb_build_object('id', 'big', 'name', repeat('x', 103000)))) #>> '{items,0,error,message}';

-- Deleting: restrict holds while a referrer stays, and is told per id.
SELECT pg_temp.lines(kg_delete_entities('person', '{hal,nobody,ann,hal}'));
SELECT pg_temp.lines(kg_delete_entities('country', '{FR,DE}'));
SELECT pg_temp.fails($$SELECT kg_delete_entities('country', '{FR,DE}', '{"atomic": true}')$$);
-- Who refers to whom and goes as well is no hindrance; set_null is done.
SELECT pg_temp.lines(kg_put_entities('person', '[{"id": "pat", "boss": "quo"}, {"id": "quo", "boss": "pat", "email": "quo@x"}, {"id": "ray", "deputy": "quo@x"}]'));
SELECT pg_temp.lines(kg_delete_entities('person', '{pat}'));
SELECT pg_temp.lines(kg_delete_entities('person', '{pat,quo}'));
SELECT kg_get('person', 'ray');
SELECT kg_delete_entities('person', ARRAY[NULL]::text[]) #>> '{items,0,error,message}';
SELECT kg_delete_entities('person', '{}');

-- Explicit edges.
SELECT kg_put_entities('country', '[{"code": "FR"}]') -> 'counts';
SELECT pg_temp.lines(kg_put_edges('[
  {"relation": "VISITED", "from": "person:ann", "to": "country:FR", "properties": {"year": 2001}},
  {"relation": "VISITED", "from": "bob", "to": "FR"},
  {"relation": "KNOWS", "from": "person:ann", "to": "person:bob"}]'));
SELECT pg_temp.lines(kg_put_edges('[
  {"relation": "VISITED", "from": "person:ann", "to": "country:FR", "properties": {"year": 2002}},
  {"relation": "KNOWS", "from": "person:bob", "to": "person:ann"},
  {"relation": "KNOWS", "from": "person:ann", "to": "person:bob"},
  {"relation": "VISITED", "from": "person:ann", "to": "country:DE", "properties": {"year": 1}},
  {"relation": "VISITED", "from": "person:ann", "to": "country:XX"},
  {"relation": "VISITED", "from": "person:ann", "to": "person:bob"},
  {"relation": "VISITED", "from": "person:cid", "to": "country:DE"},
  {"relation": "VISITED", "from": "person:cid", "to": "country:DE"},
  {"relation": "VISTED", "from": "person:cid", "to": "country:DE"},
  {"relation": "BOSS", "from": "person:ann", "to": "person:bob"},
  {"relation": "KNOWS", "from": "person:ann", "to": "person:bob", "properties": {"since": 1}},
  {"relation": "KNOWS", "from": "person:cid", "too": "person:bob"},
  "ann knows bob"]'));
SELECT s.entity_id, r.relation, t.entity_id, d.properties FROM kg_edge d
  JOIN kg_entity s ON s.node = d.source JOIN kg_entity t ON t.node = d.target
  JOIN kg_relation r USING (relation_no) WHERE d.property IS NULL
 ORDER BY s.entity_id COLLATE "C", r.relation COLLATE "C", t.entity_id COLLATE "C";
SELECT pg_temp.fails($$SELECT kg_put_edges('[{"relation": "KNOWS", "from": "person:cid", "to": "person:bob"}, {"relation": "KNOWS", "from": "person:cid", "to": "person:zoe"}]', '{"atomic": true}')$$);
SELECT pg_temp.lines(kg_delete_edges('[
  {"relation": "KNOWS", "from": "person:bob", "to": "person:ann"},
  {"relation": "VISITED", "from": "person:bob", "to": "country:DE"},
  {"relation": "VISITED", "from": "person:zoe", "to": "country:DE"},
  {"relation": "VISITED", "from": "person:bob", "to": "country:FR"},
  {"relation": "BOSS", "from": "person:ann", "to": "person:bob"},
  {"relation": "KNOWS", "from": "person:bob", "to": "person:ann", "properties": {}}]'));
SELECT count(*) AS explicit_edges FROM kg_edge WHERE property IS NULL;

-- Many items, more than one batch; nothing changes the second time.
SELECT kg_put_entities('person', (SELECT jsonb_agg(jsonb_build_object('id', 'n' || n, 'age', n, 'boss', 'n' || n + 1)) FROM generate_series(1, 12000) n)) -> 'counts';
SELECT kg_put_entities('person', (SELECT jsonb_agg(jsonb_build_object('id', 'n' || n, 'age', n) || CASE WHEN n < 12000 THEN jsonb_build_object('boss', 'n' || n + 1) ELSE '{}' END) FROM generate_series(1, 12000) n)) -> 'counts';
SELECT kg_put_entities('person', (SELECT jsonb_agg(jsonb_build_object('id', 'n' || n, 'age', n) || CASE WHEN n < 12000 THEN jsonb_build_object('boss', 'n' || n + 1) ELSE '{}' END) FROM generate_series(1, 12000) n)) -> 'counts';
SELECT kg_put_edges((SELECT jsonb_agg(jsonb_build_object('relation', 'KNOWS', 'from', 'person:n' || n, 'to', 'person:n' || n + 1)) FROM generate_series(1, 11999) n)) -> 'counts';
SELECT kg_delete_entities('person', (SELECT array_agg('n' || n) FROM generate_series(2, 12000) n)) -> 'counts';
SELECT kg_delete_entities('person', (SELECT array_agg('n' || n) FROM generate_series(1, 12000) n)) -> 'counts';
SELECT count(*) AS explicit_edges FROM kg_edge WHERE property IS NULL;

-- What changes nothing is possible in a read-only transaction, and so is to hear what is wrong; what would write is refused by PostgreSQL.
SELECT pg_temp.lines(kg_put_entities('person', '[{"id": "rod", "boss": "rod", "country": "FR", "email": "rod@x"}, {"id": "rob", "deputy": "rod@x"}]'));
SELECT pg_temp.lines(kg_put_edges('[{"relation": "VISITED", "from": "person:rod", "to": "country:FR"}]'));
BEGIN READ ONLY;
SELECT pg_temp.lines(kg_put_entities('person', '[{"id": "rod", "boss": "rod", "country": "FR", "email": "rod@x"}, {"id": "rob", "deputy": "rod@x"}, {"id": "UPPER"}, {"id": "new", "boss": "nobody"}]'));
SELECT pg_temp.lines(kg_delete_entities('person', '{nobody}'));
SELECT pg_temp.lines(kg_delete_entities('country', '{FR}'));
SELECT pg_temp.lines(kg_put_edges('[{"relation": "VISITED", "from": "person:rod", "to": "country:FR"}, {"relation": "VISITED", "from": "person:rod", "to": "country:XX"}]'));
SELECT pg_temp.lines(kg_delete_edges('[{"relation": "VISITED", "from": "person:rob", "to": "country:FR"}, {"relation": "KNOWS", "from": "person:nobody", "to": "person:rob"}]'));
SELECT pg_temp.fails($$SELECT kg_put_entities('person', '[{"id": "new", "boss": "rod"}]')$$);
SELECT pg_temp.fails($$SELECT kg_put_entities('person', '[{"id": "rod", "age": 3}]')$$);
SELECT pg_temp.fails($$SELECT kg_delete_entities('person', '{rob}')$$);
SELECT pg_temp.fails($$SELECT kg_put_edges('[{"relation": "KNOWS", "from": "person:rod", "to": "person:rob"}]')$$);
SELECT pg_temp.fails($$SELECT kg_delete_edges('[{"relation": "VISITED", "from": "person:rod", "to": "country:FR"}]')$$);
COMMIT;
-- The same statements lock again where the transaction writes.
SELECT pg_temp.lines(kg_put_entities('person', '[{"id": "rod", "age": 3, "email": "rod@x"}]'));
SELECT pg_temp.lines(kg_delete_edges('[{"relation": "VISITED", "from": "person:rod", "to": "country:FR"}, {"relation": "VISITED", "from": "person:rod", "to": "country:FR"}]'));
SELECT pg_temp.lines(kg_delete_entities('person', '{rod,rob}'));

-- A DBA's trigger that raises is an error of the call; nothing is left open.
RESET ROLE;
CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not today'; END $$;
CREATE TRIGGER zz_refuse BEFORE INSERT ON kg_entity FOR EACH ROW EXECUTE FUNCTION pg_temp.refuse();
SET ROLE regress_put_writer;
SELECT pg_temp.fails($$SELECT kg_put_entities('person', '[{"id": "new"}]')$$);
RESET ROLE;
DROP TRIGGER zz_refuse ON kg_entity;
SET ROLE regress_put_writer;
SELECT pg_temp.lines(kg_put_entities('person', '[{"id": "new"}]'));

-- Read access does not write; without a grant there is no tenant.
SET ROLE regress_put_reader;
SELECT pg_temp.fails($$SELECT kg_put_entities('person', '[{"id": "x1"}]')$$);
SELECT pg_temp.fails($$SELECT kg_delete_entities('person', '{ann}')$$);
SELECT pg_temp.fails($$SELECT kg_put_edges('[]')$$);
SELECT pg_temp.fails($$SELECT kg_delete_edges('[]')$$);
RESET ROLE;
SELECT FROM kg_revoke('put', 'regress_put_reader');
SET ROLE regress_put_reader;
SELECT pg_temp.fails($$SELECT kg_put_entities('person', '[{"id": "x1"}]')$$);

RESET ROLE;
DROP TABLE bundle, before;
CALL test.drop('put', 'put other');
