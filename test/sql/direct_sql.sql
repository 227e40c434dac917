-- INSERT, UPDATE, DELETE, ON CONFLICT, INSERT ... SELECT and COPY on kg_entity and
-- kg_edge: what the triggers fill, derive and refuse.
\i test/data/prelude.sql
CALL test.tenant('direct', 'regress_direct_writer write', 'regress_direct_reader read');
CALL test.tenant('direct too');
CREATE ROLE regress_direct_loader BYPASSRLS;
CREATE FUNCTION pg_temp.fails(statement text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT test.fails(statement, 'code', 'path', 'id', 'expected') $$;
CREATE FUNCTION pg_temp.derived(OUT entities bigint, OUT keys bigint, OUT terms bigint, OUT edges bigint) LANGUAGE sql AS $$
  SELECT (SELECT count(*) FROM kg_entity), (SELECT count(*) FROM kg_index_key), (SELECT count(*) FROM kg_term), (SELECT count(*) FROM kg_edge)
$$;

SET ROLE regress_direct_writer;
SELECT kg_apply_bundle('{"bundle_name": "geo", "version": "1", "entities": [], "schemas": [
  {"entity_type": "place", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "additionalProperties": false,
    "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "size": {"type": "integer", "minimum": 0, "x-index": true}, "within": {"type": "string", "x-ref": "place"}}}}],
  "relations": [{"name": "TWIN", "from": "place", "to": "place", "schema": {"type": "object", "properties": {"since": {"type": "integer"}}}}]}') ->> 'revision' AS revision;

-- INSERT fills everything from the data; RETURNING shows it.
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "earth", "name": "Earth", "size": 9}')
  RETURNING tenant, entity_id, type_no > 0 AS typed, node > 0 AS numbered, scope, version, data;
-- References within a statement, forward and to itself.
INSERT INTO kg_entity(bundle, entity_type, data) VALUES
  ('geo', 'place', '{"id": "paris", "name": "Paris", "within": "france"}'), ('geo', 'place', '{"id": "france", "name": "France", "size": 5, "within": "earth"}'),
  ('geo', 'place', '{"id": "void", "within": "void"}');
SELECT * FROM pg_temp.derived();
-- INSERT ... SELECT.
INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'geo', 'place', jsonb_build_object('id', 'n' || n, 'size', n, 'within', 'france') FROM generate_series(1, 3) n;
SELECT kg_list_ids('place', '{"filters": {"size": {"lte": 3}}}') -> 'ids' AS small;

-- What is refused, with the reason.
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "x", "size": -1, "colour": "red"}')$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "x", "within": "nowhere"}')$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'plaice', '{"id": "x"}')$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, data) VALUES ('geo', '{"id": "x"}')$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '[]')$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, entity_id, data) VALUES ('geo', 'place', 'y', '{"id": "x"}')$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('direct too', 'geo', 'place', '{"id": "x"}')$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "earth"}')$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, node, data) VALUES ('geo', 'place', 0, '{"id": "x"}')$$);
-- NULL is none
BEGIN; SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, node, data) VALUES ('geo', 'place', NULL, '{"id": "x"}')$$); ROLLBACK;
-- nor one that was not assigned; a restore, by the owner, gives those that it has.
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, node, data) VALUES ('geo', 'place', 9223372036854775807, '{"id": "x"}')$$);
SELECT pg_temp.fails($$UPDATE kg_entity SET node = 9223372036854775807$$);
SELECT * FROM pg_temp.derived();

-- ON CONFLICT, both ways.
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "earth"}') ON CONFLICT DO NOTHING;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "earth", "name": "Terra", "size": 10}'), ('geo', 'place', '{"id": "mars", "name": "Mars"}')
  ON CONFLICT (tenant, bundle, entity_type, entity_id) DO UPDATE SET data = EXCLUDED.data;
SELECT entity_id, version, data FROM kg_entity WHERE entity_id IN ('earth', 'mars') ORDER BY entity_id COLLATE "C";
SELECT kg_list_ids('place', '{"search": "terra"}') -> 'ids' AS found, kg_list_ids('place', '{"search": "earth"}') -> 'ids' AS by_id;

-- UPDATE: keys, terms and edges follow; the same data is no new version.
UPDATE kg_entity SET data = data || '{"size": 6, "within": "mars"}' WHERE entity_id = 'france';
UPDATE kg_entity SET data = data WHERE entity_id = 'mars';
SELECT entity_id, version FROM kg_entity WHERE entity_id IN ('france', 'mars') ORDER BY entity_id COLLATE "C";
SELECT kg_list_ids('place', '{"filters": {"size": 6}}') -> 'ids' AS size_6;
SELECT t.entity_id FROM kg_edge d JOIN kg_entity s ON s.node = d.source JOIN kg_entity t ON t.node = d.target WHERE s.entity_id = 'france';
-- An id changes with the data, where nobody refers to it.
UPDATE kg_entity SET data = jsonb_set(data, '{id}', '"lutetia"') WHERE entity_id = 'paris';
SELECT pg_temp.fails($$UPDATE kg_entity SET data = jsonb_set(data, '{id}', '"gaul"') WHERE entity_id = 'france'$$);
SELECT pg_temp.fails($$UPDATE kg_entity SET entity_id = 'gaul' WHERE entity_id = 'n1'$$);
SELECT pg_temp.fails($$UPDATE kg_entity SET entity_type = 'plaice' WHERE entity_id = 'n1'$$);
SELECT pg_temp.fails($$UPDATE kg_entity SET node = 0 WHERE entity_id = 'n1'$$);
SELECT pg_temp.fails($$UPDATE kg_entity SET tenant = 'direct too' WHERE entity_id = 'n1'$$);
SELECT pg_temp.fails($$UPDATE kg_entity SET data = jsonb_set(data, '{size}', '"big"') WHERE entity_id = 'n1'$$);

-- DELETE: restricted while referred to, free together.
SELECT pg_temp.fails($$DELETE FROM kg_entity WHERE entity_id = 'france'$$);
DELETE FROM kg_entity WHERE entity_id ~ '^n\d|france|lutetia';
SELECT * FROM pg_temp.derived();

-- Explicit edges.
INSERT INTO kg_edge(tenant, source, relation_no, target, properties)
  SELECT s.tenant, s.node, r.relation_no, t.node, '{"since": 1990}' FROM kg_entity s, kg_entity t, kg_relation r
   WHERE s.entity_id = 'earth' AND t.entity_id = 'mars' AND r.relation = 'TWIN';
SELECT pg_temp.fails($$INSERT INTO kg_edge(tenant, source, relation_no, target, properties)
  SELECT s.tenant, s.node, r.relation_no, s.node, '{"since": "long"}' FROM kg_entity s, kg_relation r WHERE s.entity_id = 'earth' AND r.relation = 'TWIN'$$);
SELECT pg_temp.fails($$INSERT INTO kg_edge(tenant, source, relation_no, target) SELECT s.tenant, s.node, r.relation_no, 0 FROM kg_entity s, kg_relation r WHERE s.entity_id = 'earth' AND r.relation = 'TWIN'$$);
SELECT pg_temp.fails($$INSERT INTO kg_edge(tenant, source, relation_no, target) SELECT s.tenant, s.node, r.relation_no, s.node FROM kg_entity s, kg_relation r WHERE s.entity_id = 'earth' AND r.relation = 'WITHIN'$$);
SELECT pg_temp.fails($$INSERT INTO kg_edge(tenant, source, relation_no, target, property) SELECT s.tenant, s.node, r.relation_no, s.node, 'within' FROM kg_entity s, kg_relation r WHERE s.entity_id = 'earth' AND r.relation = 'WITHIN'$$);
UPDATE kg_edge SET properties = '{"since": 1991}' WHERE property IS NULL;
-- Version and times are filled; who restores gives them, none that wraps.
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data, version) VALUES ('geo', 'place', '{"id": "v"}', 9223372036854775807)$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data, version) VALUES ('geo', 'place', '{"id": "v"}', 2)$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data, created_at) VALUES ('geo', 'place', '{"id": "v"}', '1999-01-01')$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data, updated_at) VALUES ('geo', 'place', '{"id": "v"}', '2999-01-01')$$);
RESET ROLE;
SELECT pg_temp.fails($$INSERT INTO kg_entity(tenant, bundle, entity_type, data, version) VALUES ('direct', 'geo', 'place', '{"id": "v"}', -5)$$);
SELECT pg_temp.fails($$INSERT INTO kg_entity(tenant, bundle, entity_type, data, version) VALUES ('direct', 'geo', 'place', '{"id": "v"}', 9223372036854775807)$$);
INSERT INTO kg_entity(tenant, bundle, entity_type, data, version, created_at, updated_at) VALUES ('direct', 'geo', 'place', '{"id": "v"}', 9223372036854775806, '1999-01-01', '2000-01-01')
  RETURNING version, created_at < updated_at AND updated_at < '2001-01-01' AS given;
SET ROLE regress_direct_writer;
UPDATE kg_entity SET data = data WHERE entity_id = 'v';
SELECT pg_temp.fails($$UPDATE kg_entity SET data = data || '{"size": 3}' WHERE entity_id = 'v'$$);
DELETE FROM kg_entity WHERE entity_id = 'v';
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "v"}')$$);
-- Derived edges are not the caller's to change: nothing happens to them.
DELETE FROM kg_edge;
SELECT d.property FROM kg_edge d;
-- Nor are the derived tables, and nobody truncates.
SELECT pg_temp.fails('DELETE FROM kg_index_key');
SELECT pg_temp.fails('INSERT INTO kg_term SELECT * FROM kg_term');
SELECT pg_temp.fails('TRUNCATE kg_entity');
SELECT left(f, 5) AS sqlstate FROM pg_temp.fails($$COPY kg_entity(bundle, entity_type, data) FROM '/dev/null'$$) f LIMIT 1;

SET ROLE regress_direct_reader;
SELECT count(*) AS seen FROM kg_entity;
SELECT pg_temp.fails($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('geo', 'place', '{"id": "x"}')$$);
SELECT pg_temp.fails($$UPDATE kg_entity SET data = data$$);
SELECT pg_temp.fails($$DELETE FROM kg_entity$$);

-- COPY is for roles that bypass row security; they name the tenant.
RESET ROLE;
SELECT pg_temp.fails('TRUNCATE kg_entity');
SELECT FROM kg_grant('direct', 'regress_direct_loader', 'write');
SET ROLE regress_direct_loader;
COPY kg_entity(tenant, bundle, entity_type, data) FROM stdin;
direct	geo	place	{"id": "moon", "size": 1, "within": "luna"}
direct	geo	place	{"id": "luna", "name": "Luna"}
\.
COPY kg_entity(tenant, bundle, entity_type, data) FROM stdin;
direct	geo	place	{"id": "bad", "size": -1}
\.
COPY kg_entity(tenant, bundle, entity_type, data) FROM stdin;
nobody	geo	place	{"id": "lost"}
\.
COPY kg_entity(bundle, entity_type, data) FROM stdin;
geo	place	{"id": "lost"}
\.
RESET ROLE;
SET ROLE regress_direct_writer;
SELECT kg_list_ids('place', '{"filters": {"size": 1}}') -> 'ids' AS copied;
SELECT t.entity_id FROM kg_edge d JOIN kg_entity s ON s.node = d.source JOIN kg_entity t ON t.node = d.target WHERE s.entity_id = 'moon';

RESET ROLE;
CALL test.drop('direct', 'direct too');
DROP ROLE regress_direct_loader;
