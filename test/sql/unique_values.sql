-- A property that an x-ref-field names is unique: from the moment it is written,
-- only one entity may have a value, even if nothing refers to it.
\i test/data/prelude.sql
CALL test.tenant('unique', 'regress_unique admin');
CALL test.tenant('unique not');
CREATE FUNCTION pg_temp.fails(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE d text;
BEGIN
  EXECUTE statement;
  RETURN NEXT 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN NEXT SQLSTATE || ' ' || SQLERRM;
  RETURN QUERY SELECT '  ' || pg_catalog.concat_ws(' | ', e ->> 'code', e ->> 'path', e ->> 'type', e ->> 'id', e ->> 'keyword', e ->> 'got', e ->> 'message')
    FROM jsonb_array_elements(CASE WHEN d LIKE '{%' THEN d::jsonb -> 'errors' END) e;
END
$$;
CREATE FUNCTION pg_temp.lines(result jsonb) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT pg_catalog.concat_ws(' ', i ->> 'id', i ->> 'verdict', i #>> '{error,code}', i #>> '{error,path}',
                              i #>> '{error,keyword}', i #>> '{error,message}')
    FROM jsonb_array_elements(result -> 'items') WITH ORDINALITY x(i, n)
  UNION ALL SELECT (result -> 'counts')::text
$$;
CREATE FUNCTION pg_temp.bundle(items jsonb, referrers jsonb DEFAULT '[]', version text DEFAULT '1') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', 'un', 'version', version, 'schemas', '[
    {"entity_type": "city", "schema": {"type": "object", "x-id-field": "id", "required": ["id"],
      "properties": {"id": {"type": "string"}, "code": {"type": ["string", "null"], "x-index": true}, "size": {"type": "integer", "x-index": true},
        "also": {"type": "array", "items": {"type": "string"}, "x-index": true}}}},
    {"entity_type": "plain", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "code": {"type": "string", "x-index": true}}}},
    {"entity_type": "trip", "schema": {"type": "object", "x-id-field": "id",
      "properties": {"id": {"type": "string"}, "to": {"type": "string", "x-ref": "city", "x-ref-field": "code"},
        "past": {"type": "string", "x-ref": "city", "x-ref-field": "also"}}}}]'::jsonb,
    'entities', jsonb_build_array(jsonb_build_object('entity_type', 'city', 'items', items), jsonb_build_object('entity_type', 'trip', 'items', referrers)))
$$;
-- Who has which value: the derived rows are what the entities say, no more, no less.
CREATE VIEW unique_rows AS
  SELECT e.entity_type, e.entity_id, u.field, convert_from(substr(u.key, 2), 'UTF8') AS value
    FROM kg_unique_key u LEFT JOIN kg_entity e ON e.tenant = u.tenant AND e.node = u.node
   ORDER BY e.entity_id COLLATE "C", u.field COLLATE "C", u.key;
SET ROLE regress_unique;
SELECT kg_apply_bundle(pg_temp.bundle('[{"id": "p", "code": "PAR", "also": ["Lutetia", "Paname"]}, {"id": "q", "code": "LON"}, {"id": "r"}]')) ->> 'revision' AS revision;

-- INSERT: a value that another has, two in one statement, one of an array's items.
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'city', '{"id": "p2", "code": "PAR"}')$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'city', '{"id": "b1", "code": "BER"}'), ('un', 'city', '{"id": "b2", "code": "BER"}'), ('un', 'city', '{"id": "b3", "code": "LON", "also": ["Berolina"]}')$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'city', '{"id": "p3", "also": ["x", "Paname"]}')$$);
-- Missing, null and empty values are no values; an entity may say one twice; other fields and types do not care.
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'city', '{"id": "n1", "code": null, "also": []}'), ('un', 'city', '{"id": "n2", "code": null, "also": []}'),
  ('un', 'city', '{"id": "n3", "size": 1, "also": ["y", "y"]}'), ('un', 'city', '{"id": "n4", "size": 1, "code": "Lutetia"}'),
  ('un', 'plain', '{"id": "a", "code": "PAR"}'), ('un', 'plain', '{"id": "b", "code": "PAR"}');
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'city', '{"id": "p2", "code": "PAR"}') ON CONFLICT DO NOTHING$$);
RESET ROLE;
SELECT * FROM unique_rows;
SET ROLE regress_unique;

-- UPDATE: taken; changed in turn, which is fine at the statement's end; another field.
SELECT pg_temp.fails($$UPDATE kg_entity SET data = data || '{"code": "LON"}' WHERE entity_id = 'p'$$);
UPDATE kg_entity SET data = data || CASE entity_id WHEN 'p' THEN '{"code": "LON"}' ELSE '{"code": "PAR"}' END::jsonb WHERE entity_id IN ('p', 'q');
UPDATE kg_entity SET data = jsonb_set(data, '{size}', '7') WHERE entity_id = 'p';
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'city', '{"id": "p", "code": "ROM"}')
  ON CONFLICT (tenant, bundle, entity_type, entity_id) DO UPDATE SET data = excluded.data;
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'city', '{"id": "p", "code": "PAR"}')
  ON CONFLICT (tenant, bundle, entity_type, entity_id) DO UPDATE SET data = excluded.data$$);
-- A value is free again when its entity goes, or when what wrote it is rolled back.
BEGIN;
SAVEPOINT s;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'city', '{"id": "m1", "code": "MAD"}');
ROLLBACK TO s;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'city', '{"id": "m2", "code": "MAD"}');
DELETE FROM kg_entity WHERE entity_id = 'm2';
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'city', '{"id": "m3", "code": "MAD"}');
COMMIT;
-- A renamed entity keeps its value.
UPDATE kg_entity SET data = data || '{"id": "m4"}' WHERE entity_id = 'm3';
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'city', '{"id": "m5", "code": "MAD"}')$$);
-- It cannot be put off, as references can.
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'city', '{"id": "m5", "code": "MAD"}');
ROLLBACK;
RESET ROLE;
SELECT * FROM unique_rows WHERE entity_id IN ('m4', 'p', 'q');
SET ROLE regress_unique;

-- kg_put_entities: a verdict for each; taken from who gives it up in the same call.
SELECT pg_temp.lines(kg_put_entities('city', '[{"id": "o1", "code": "OSL"}, {"id": "o2", "code": "OSL"}, {"id": "o3", "code": "MAD"}, {"id": "o4", "also": ["z"]}, {"id": "o5", "also": ["q", "z"]}]'));
SELECT pg_temp.lines(kg_put_entities('city', '[{"id": "o1", "code": "MAD"}, {"id": "m4", "code": "OSL"}]'));
SELECT pg_temp.lines(kg_put_entities('city', '[{"id": "o1", "code": "OSL"}, {"id": "m4", "code": "OSL", "size": 2}]'));
SELECT pg_temp.lines(kg_put_entities('city', '[{"id": "new", "code": "MAD"}, {"id": "o1", "code": "BAD", "size": "x"}]'));
SELECT pg_temp.fails($$SELECT kg_put_entities('city', '[{"id": "x1", "code": "X"}, {"id": "x2", "code": "X"}]', '{"atomic": true}')$$);
SELECT pg_temp.lines(kg_put_entities('trip', '[{"id": "t1", "to": "MAD"}, {"id": "t2", "to": "none"}, {"id": "t3", "past": "Paname"}]'));
SELECT pg_temp.lines(kg_put_entities('trip', '[{"id": "t3", "past": "z"}]'));

-- kg_apply_bundle: within the payload, all told, with the place; against what is stored; dry run.
SELECT pg_temp.fails($$SELECT kg_apply_bundle(pg_temp.bundle('[{"id": "a", "code": "A", "also": ["k"]}, {"id": "b", "code": "A"}, {"id": "c", "code": "C", "also": ["l", "k"]}, {"id": "d", "code": "A"}]'))$$);
SELECT pg_temp.fails($$SELECT kg_apply_bundle('{"bundle_name": "un", "version": "1", "entities": [{"entity_type": "city", "items": [{"id": "zz", "code": "PAR"}, {"id": "p", "code": "MAD"}]}]}', '{"mode": "merge"}')$$);
SELECT e ->> 'code' AS code, e ->> 'id' AS id, e ->> 'message' AS message FROM jsonb_array_elements(kg_apply_bundle('{"bundle_name": "un", "version": "1",
  "entities": [{"entity_type": "city", "items": [{"id": "zz", "code": "PAR"}]}]}', '{"mode": "merge", "dry_run": true}') -> 'errors') e;
-- Values that move between entities, also further than one batch, and references that follow them.
CREATE FUNCTION pg_temp.many(shift integer) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_agg(jsonb_build_object('id', 'c' || i, 'code', 'V' || (i + shift) % 12000)) FROM generate_series(0, 11999) i
$$;
SELECT kg_apply_bundle(pg_temp.bundle(pg_temp.many(0), '[{"id": "t", "to": "V5"}]')) -> 'entities' -> 'city' AS city;
SELECT kg_apply_bundle(pg_temp.bundle(pg_temp.many(5001), '[{"id": "t", "to": "V5"}, {"id": "u", "to": "V6000"}]', '2')) -> 'entities' -> 'city' AS city;
SELECT s.entity_id AS source, t.entity_id AS target, t.data ->> 'code' AS code FROM kg_edge d JOIN kg_entity s ON s.node = d.source JOIN kg_entity t ON t.node = d.target ORDER BY 1;
SELECT count(*), count(DISTINCT key) FROM kg_index_key WHERE substr(key, 2, 1) = 'V';
RESET ROLE;
SELECT count(*) AS rows, count(*) FILTER (WHERE convert_from(substr(u.key, 2), 'UTF8') = e.data ->> 'code') AS right
  FROM kg_unique_key u LEFT JOIN kg_entity e ON e.tenant = u.tenant AND e.node = u.node;
SET ROLE regress_unique;

-- An x-ref-field that is new, in the bundle of its target or another: what is stored must be unique by then.
SELECT kg_apply_bundle(pg_temp.bundle('[{"id": "p", "code": "PAR", "also": ["one"]}]', '[]', '3')) ->> 'changed' AS changed;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'plain', '{"id": "a", "code": "1"}'), ('un', 'plain', '{"id": "b", "code": "1"}'), ('un', 'plain', '{"id": "c", "code": "2"}'), ('un', 'plain', '{"id": "d"}'), ('un', 'plain', '{"id": "e"}');
CREATE FUNCTION pg_temp.other(ref text DEFAULT ', "x-ref-field": "code"') RETURNS jsonb LANGUAGE sql AS $$
  SELECT format('{"bundle_name": "other", "version": "1", "schemas": [{"entity_type": "use", "schema": {"type": "object", "x-id-field": "id",
    "properties": {"id": {"type": "string"}, "plain": {"type": "string", "x-ref": "un/plain"%s}}}}], "entities": []}', ref)::jsonb
$$;
SELECT pg_temp.fails($$SELECT kg_apply_bundle(pg_temp.other())$$);
SELECT pg_temp.fails($$SELECT kg_apply_bundle('{"bundle_name": "un", "version": "1", "schemas": [{"entity_type": "near", "schema": {"type": "object", "x-id-field": "id",
    "properties": {"id": {"type": "string"}, "plain": {"type": "string", "x-ref": "plain", "x-ref-field": "code"}}}}]}', '{"mode": "merge"}')$$);
UPDATE kg_entity SET data = data || '{"code": "3"}' WHERE entity_type = 'plain' AND entity_id = 'b';
SELECT kg_apply_bundle(pg_temp.other()) ->> 'changed' AS changed;
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'plain', '{"id": "f", "code": "2"}')$$);
SELECT pg_temp.fails($$UPDATE kg_entity SET data = data || '{"code": "2"}' WHERE entity_type = 'plain' AND entity_id = 'a'$$);
-- The property that it names stays as long as it does.
SELECT pg_temp.fails($$SELECT kg_apply_bundle('{"bundle_name": "un", "version": "1", "schemas": [{"entity_type": "plain", "schema": {"type": "object", "x-id-field": "id",
    "properties": {"id": {"type": "string"}, "code": {"type": "string"}}}}]}', '{"mode": "merge"}')$$);
-- A changed schema of the target keeps the values.
SELECT kg_apply_bundle('{"bundle_name": "un", "version": "1", "schemas": [{"entity_type": "plain", "schema": {"type": "object", "x-id-field": "id",
    "properties": {"id": {"type": "string"}, "code": {"type": "string", "x-index": true, "description": "A code"}}}}]}', '{"mode": "merge"}') ->> 'changed' AS changed;
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'plain', '{"id": "f", "code": "2"}')$$);
-- Gone, by a changed schema or with its bundle, the values are free; and looked at anew when it comes back.
SELECT kg_apply_bundle(pg_temp.other('')) ->> 'changed' AS changed;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'plain', '{"id": "f", "code": "2"}');
SELECT pg_temp.fails($$SELECT kg_apply_bundle(pg_temp.other())$$);
DELETE FROM kg_entity WHERE entity_type = 'plain' AND entity_id = 'c';
SELECT kg_apply_bundle(pg_temp.other()) ->> 'changed' AS changed;
RESET ROLE;
SELECT * FROM unique_rows;
SET ROLE regress_unique;
SELECT kg_drop_bundle('other') ->> 'bundle_name' AS dropped;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'plain', '{"id": "g", "code": "2"}');
RESET ROLE;
SELECT * FROM unique_rows;

-- kg_rebuild() makes the rows again, and says what is wrong.
\getenv abs_srcdir PG_ABS_SRCDIR
\set triggers :abs_srcdir '/data/triggers.sql'
\i :triggers
DELETE FROM kg_unique_key;
SET ROLE regress_unique;
SELECT kg_rebuild() ->> 'entities' AS entities;
RESET ROLE;
SELECT * FROM unique_rows;
BEGIN;
SELECT pg_temp.triggers(false);
INSERT INTO kg_entity(tenant, bundle, entity_type, entity_id, node, type_no, data) SELECT tenant, bundle, entity_type, 'twin', nextval('kg_node_seq'), type_no, data || '{"id": "twin"}' FROM kg_entity WHERE tenant = 'unique' AND entity_id = 'p';
SELECT pg_temp.triggers(true);
COMMIT;
SET ROLE regress_unique;
SELECT pg_temp.fails($$SELECT kg_rebuild()$$);
RESET ROLE;
DELETE FROM kg_entity WHERE tenant = 'unique' AND entity_id = 'twin';

-- A superuser's COPY; the other tenant has values of its own.
COPY kg_entity(tenant, bundle, entity_type, data) FROM stdin;
unique	un	city	{"id": "copied", "code": "PAR"}
\.
SELECT FROM kg_grant('unique not', 'regress_unique', 'admin');
SELECT FROM kg_revoke('unique', 'regress_unique');
SET ROLE regress_unique;
SELECT kg_apply_bundle(pg_temp.bundle('[{"id": "p", "code": "PAR"}]')) ->> 'revision' AS revision;
RESET ROLE;
SELECT FROM kg_grant('unique', 'regress_unique', 'admin');

-- Who may not see every entity is not told who has the value.
CREATE POLICY hidden ON kg_entity AS RESTRICTIVE FOR SELECT TO regress_unique USING (entity_id <> 'p');
SET ROLE regress_unique;
SET kg_graph.tenant = 'unique';
SELECT count(*) FROM kg_entity WHERE entity_id = 'p';
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('un', 'city', '{"id": "p2", "code": "PAR"}')$$);
SELECT pg_temp.lines(kg_put_entities('city', '[{"id": "p2", "code": "PAR"}]'));
RESET kg_graph.tenant;
RESET ROLE;
DROP POLICY hidden ON kg_entity;

-- A value that set_null takes away with what it refers to, or that is changed, while others name it: the error says so, and what to do.
CREATE FUNCTION pg_temp.says(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE d text;
BEGIN
  EXECUTE statement INTO d;
  RETURN NEXT coalesce(d::jsonb #>> '{items,0,error,message}', d::jsonb ->> 'counts', 'no error');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN NEXT SQLSTATE || ' ' || SQLERRM;
  RETURN QUERY SELECT '  ' || concat_ws(' | ', d::jsonb ->> 'keyword', d::jsonb ->> 'path', d::jsonb ->> 'type', d::jsonb ->> 'id', d::jsonb ->> 'got', d::jsonb ->> 'expected');
END
$$;
SET ROLE regress_unique;
SET kg_graph.tenant = 'unique';
SELECT kg_apply_bundle('{"bundle_name": "taken", "version": "1", "schemas": [
  {"entity_type": "owner", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}},
  {"entity_type": "page", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "code": {"type": "string", "x-index": true, "x-ref": "owner", "x-on-delete": "set_null"}, "mark": {"type": "string", "x-index": true}}}},
  {"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "page": {"type": "string", "x-ref": "page", "x-ref-field": "code"}, "marks": {"type": "string", "x-ref": "page", "x-ref-field": "mark"}}}}],
  "entities": [{"entity_type": "owner", "items": [{"id": "o"}]}, {"entity_type": "page", "items": [{"id": "p", "code": "o"}, {"id": "q", "mark": "m"}]},
    {"entity_type": "note", "items": [{"id": "n", "page": "o"}, {"id": "s", "marks": "m"}]}]}') ->> 'changed' AS changed;
SELECT pg_temp.says($$DELETE FROM kg_entity WHERE entity_type = 'owner' RETURNING '{}'$$);
SELECT pg_temp.says($$SELECT kg_delete_entities('owner', '{o}')$$);
SELECT pg_temp.says($$SELECT kg_put_entities('page', '[{"id": "q", "mark": "z"}]')$$);
SELECT pg_temp.says($$DELETE FROM kg_entity WHERE entity_id = 'q' RETURNING '{}'$$);
SELECT pg_temp.says($$SELECT kg_put_entities('note', '[{"id": "n"}]')$$);
SELECT pg_temp.says($$SELECT kg_delete_entities('owner', '{o}')$$);
SELECT data FROM kg_entity WHERE entity_type = 'page' AND entity_id = 'p';
SELECT kg_drop_bundle('taken') ->> 'changed' AS dropped;
RESET kg_graph.tenant;
RESET ROLE;

DROP VIEW unique_rows;
SELECT FROM kg_drop_tenant('unique');
SELECT FROM kg_drop_tenant('unique not');
SELECT count(*) AS left_over FROM kg_unique_key;
DROP OWNED BY regress_unique;
DROP ROLE regress_unique;
