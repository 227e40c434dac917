-- A caller that sees a part of its tenant, by paths or by its agent, writes entities that it sees and nothing else: every write path.
\i test/data/prelude.sql
CALL test.tenant('part', 'part_admin admin');
CREATE ROLE part_other LOGIN;
GRANT EXECUTE ON FUNCTION kg_login(text, boolean) TO part_admin;
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('part', 'k', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', 'admin');
CREATE FUNCTION part_bundle(members text) RETURNS jsonb LANGUAGE sql AS $$ SELECT ('{"bundle_name": "docs", "version": "1"' || members || '}')::jsonb $$;
CREATE FUNCTION part_schemas(extra text DEFAULT '') RETURNS text LANGUAGE sql AS $$ SELECT ', "schemas": [{"entity_type": "page", "schema": {"type": "object", "x-id-field": "id", "x-scope-field": "path", "properties": {"id": {"type": "string"}, "path": {"type": "string"}, "n": {"type": "integer"}' || extra || '}}}]' $$;
\c - part_admin
SELECT kg_apply_bundle(part_bundle(part_schemas() || ', "relations": [{"name": "NEAR", "from": "page", "to": "page"}], "edges": [{"relation": "NEAR", "from": "b", "to": "b2"}],
  "entities": [{"entity_type": "page", "items": [{"id": "a", "path": "1/"}, {"id": "a2", "path": "1/"}, {"id": "b", "path": "2/", "n": 7}, {"id": "b2", "path": "2/"}]}]')) -> 'revision' AS revision;
SELECT kg_apply_bundle('{"bundle_name": "staff", "version": "1", "schemas": [{"entity_type": "person", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": [{"entity_type": "person", "items": [{"id": "ann"}]}]}') -> 'revision' AS revision;
SELECT kg_create_agent('docs', '{"bundles": ["docs"]}'), kg_create_agent('all', '{"bundles": ["docs", "staff"]}');
\c - :owner
SELECT kg_issue_token('{"tenant": "part", "traversal_ids": ["1/"]}') AS paths, kg_issue_token('{"tenant": "part", "traversal_ids": []}') AS none, kg_issue_token('{"tenant": "part", "agent": "docs"}') AS agent, kg_issue_token('{"tenant": "part", "agent": "all"}') AS everything \gset
CREATE VIEW part_state AS SELECT md5(string_agg(t, '' ORDER BY t)) AS state FROM (SELECT e::text FROM kg_entity e UNION ALL SELECT e::text FROM kg_edge e UNION ALL SELECT e::text FROM kg_bundle e UNION ALL SELECT e::text FROM kg_entity_type e UNION ALL SELECT e::text FROM kg_relation e
  UNION ALL SELECT e::text FROM kg_tool e UNION ALL SELECT e::text FROM kg_agent e UNION ALL SELECT e::text FROM kg_agent_bundle e UNION ALL SELECT e::text FROM kg_tenant_role e UNION ALL SELECT e::text FROM kg_index_key e UNION ALL SELECT e::text FROM kg_adjacency e) x(t);
CREATE TABLE part_write(no serial, statement text);
INSERT INTO part_write(statement) VALUES
  -- bundles, in every mode and in a dry run
  ($$kg_apply_bundle(part_bundle(part_schemas()), '{"mode": "merge"}')$$),
  ($$kg_apply_bundle(part_bundle(part_schemas(', "m": {"type": "integer", "x-index": true}')), '{"mode": "merge"}')$$),
  ($$kg_apply_bundle(part_bundle(part_schemas(', "m": {"type": "string", "x-ref": "page", "x-on-delete": "cascade"}')), '{"mode": "merge"}')$$),
  ($$kg_apply_bundle(replace(part_bundle(part_schemas())::text, '"x-scope-field": "path", ', '')::jsonb, '{"mode": "merge"}')$$),
  ($$kg_apply_bundle(part_bundle(part_schemas() || ', "entities": [{"entity_type": "page", "items": []}]'))$$),
  ($$kg_apply_bundle(part_bundle(', "schemas": [], "entities": []'))$$),
  ($$kg_apply_bundle(part_bundle(', "relations": []'), '{"mode": "merge"}')$$),
  ($$kg_apply_bundle(part_bundle(', "relations": [{"name": "FAR", "from": "page", "to": "page"}]'), '{"mode": "merge"}')$$),
  ($$kg_apply_bundle(part_bundle(', "edges": [{"relation": "NEAR", "from": "a", "to": "a2"}]'), '{"mode": "merge"}')$$),
  ($$kg_apply_bundle(part_bundle(', "definitions": []'), '{"mode": "merge"}')$$),
  ($$kg_apply_bundle(part_bundle(', "description": "mine"'), '{"mode": "merge"}')$$),
  ($$kg_apply_bundle(part_bundle(', "instructions": "mine"'), '{"mode": "merge"}')$$),
  ($$kg_apply_bundle('{"bundle_name": "docs", "version": "2"}', '{"mode": "merge"}')$$),
  ($$kg_apply_bundle('{"bundle_name": "new-one", "version": "1"}', '{"mode": "merge"}')$$),
  ($$kg_apply_bundle('{"bundle_name": "new-one", "version": "1", "schemas": []}')$$),
  ($$kg_apply_bundle(part_bundle(part_schemas(', "m": {"type": "integer"}')), '{"mode": "merge", "dry_run": true}') -> 'errors' -> 0 ->> 'code'$$),
  ($$kg_apply_bundle(part_bundle(replace(part_schemas(), '"n": {"type": "integer"}', '"n": {"type": "integer", "maximum": 6}')), '{"mode": "merge", "dry_run": true}') -> 'errors' -> 0 ->> 'code'$$),
  ($$kg_drop_bundle('docs')$$), ($$kg_drop_bundle('nothing')$$),
  -- edges, what is derived, agents, grants
  ($$kg_put_edges('[{"relation": "NEAR", "from": "page:a", "to": "page:a2"}]')$$),
  ($$kg_put_edges('[{"relation": "NEAR", "from": "page:b", "to": "page:b2", "properties": {}}]')$$),
  ($$kg_delete_edges('[{"relation": "NEAR", "from": "page:b", "to": "page:b2"}]')$$),
  ($$kg_rebuild()$$), ($$kg_pack()$$),
  ($$kg_create_agent('mine', '{"bundles": ["docs", "staff"]}')$$), ($$kg_alter_agent('docs', '{"bundles": ["docs", "staff"]}')$$), ($$kg_bind_agent('docs', 'staff')$$), ($$kg_unbind_agent('all', 'staff')$$), ($$kg_drop_agent('all')$$),
  ($$kg_grant('part', 'part_other', 'admin')$$), ($$kg_revoke('part', 'part_admin')$$);
GRANT SELECT ON part_write, part_state TO PUBLIC;
CREATE FUNCTION part_try(token text, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text; count bigint;
BEGIN
  PERFORM kg_login(token);
  BEGIN
    IF statement ~ '^kg_' THEN EXECUTE 'SELECT ' || statement INTO answer; ELSE EXECUTE statement; GET DIAGNOSTICS count = ROW_COUNT; answer := count || ' rows'; END IF;
    RETURN coalesce(answer, 'done');
  EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM; END;
END $$;
CREATE PROCEDURE part_all(token text, quiet boolean DEFAULT false) LANGUAGE plpgsql AS $$
DECLARE w record; before text; now text; answer text;
BEGIN
  SELECT state INTO before FROM part_state; COMMIT;
  FOR w IN SELECT * FROM part_write ORDER BY no LOOP
    answer := part_try(token, w.statement); COMMIT;
    IF NOT quiet OR answer !~ 'FORBIDDEN|^42501 a caller that sees only a part' THEN RAISE NOTICE '% => %', w.statement, answer; END IF;
  END LOOP;
  SELECT state INTO now FROM part_state;
  RAISE NOTICE 'as before: %', before = now;
END $$;
\c - part_admin
CALL part_all(:'paths');
CALL part_all(:'none', true);
CALL part_all(:'agent', true);
-- A role that chose an agent is held to it.
SET kg_graph.agent = 'docs';
SELECT kg_drop_bundle('staff');
SELECT kg_grant('part', 'part_other', 'read');
RESET kg_graph.agent;

-- Entities of what it sees: put, deleted and applied; others' are not there, neither to change nor to take.
SELECT part_try(:'paths', $$kg_put_entities('page', '[{"id": "a", "path": "1/", "n": 1}, {"id": "new", "path": "1/3/"}]') -> 'counts'$$);
SELECT part_try(:'paths', $$kg_put_entities('page', '[{"id": "x", "path": "2/"}]')$$);
SELECT part_try(:'paths', $$kg_put_entities('page', '[{"id": "x"}]')$$);
-- Beside what is good, and the same whether a hidden entity has the id.
SELECT concat_ws(' ', i ->> 'id', i ->> 'verdict', i #>> '{error,code}', i #>> '{error,path}', i #>> '{error,got}', i #>> '{error,allowed}') AS outcome FROM jsonb_array_elements(part_try(:'paths', $$kg_put_entities('page',
  '[{"id": "a", "path": "1/", "n": 1}, {"id": "a2", "path": "2/"}, {"id": "b", "path": "2/", "n": 7}, {"id": "x", "path": "1"}, {"id": "y", "path": "11/"}, {"id": "z"}]')$$)::jsonb -> 'items') i;
SELECT part_try(:'paths', $$kg_put_entities('page', '[{"id": "y", "path": "1/"}, {"id": "x", "path": "2/"}]', '{"atomic": true}')$$);
SELECT part_try(:'paths', $$kg_delete_entities('page', '{x}') -> 'counts'$$);
SELECT part_try(:'none', $$kg_put_entities('page', '[{"id": "x", "path": "1/"}]')$$);
SELECT part_try(:'paths', $$kg_delete_entities('page', '{b,new,nothing}') -> 'counts'$$);
SELECT part_try(:'paths', $$kg_apply_bundle(part_bundle(', "entities": [{"entity_type": "page", "items": [{"id": "a2", "path": "1/", "n": 2}]}]'), '{"mode": "merge"}') -> 'entities'$$);
SELECT part_try(:'paths', $$kg_apply_bundle(part_bundle(', "entities": [{"entity_type": "page", "items": [{"id": "a2", "path": "2/"}]}]'), '{"mode": "merge"}')$$);
SELECT part_try(:'paths', $$kg_apply_bundle(part_bundle(', "entities": [{"entity_type": "page", "items": [{"id": "a2", "path": "1/", "n": 3}]}]'), '{"mode": "merge", "dry_run": true}') -> 'diff' -> 'entities'$$);
-- An id that a hidden entity has is taken, whenever it is asked for.
SELECT part_try(:'paths', $$kg_apply_bundle(part_bundle(', "entities": [{"entity_type": "page", "items": [{"id": "free", "path": "1/"}, {"id": "b", "path": "1/"}]}]'), '{"mode": "merge"}')$$);
SELECT part_try(:'paths', $$kg_apply_bundle(part_bundle(', "entities": [{"entity_type": "page", "items": [{"id": "free", "path": "1/"}, {"id": "b", "path": "1/"}]}]'), '{"mode": "merge", "dry_run": true}') -> 'errors'$$);
SELECT part_try(:'agent', $$kg_put_entities('person', '[{"id": "bob"}]')$$);
SELECT part_try(:'agent', $$kg_apply_bundle('{"bundle_name": "staff", "version": "1", "entities": [{"entity_type": "person", "items": [{"id": "bob"}]}]}', '{"mode": "merge"}')$$);
-- An agent that has every bundle, and no agent, may do it all.
BEGIN; SELECT kg_login(:'everything'); SELECT kg_drop_bundle('staff') -> 'revision' AS revision, kg_rebuild() -> 'entities' AS entities; ROLLBACK;

-- Plain SQL: every table, every way to write.  What has no privilege says so; what has touches what is seen.
\c - :owner
CREATE TABLE part_sql AS SELECT c.relname::text AS name, w.way, format(w.statement, c.relname, (SELECT attname FROM pg_attribute a WHERE a.attrelid = c.oid AND attnum = 1)) AS statement
  FROM pg_class c JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kg_graph',
    (VALUES ('INSERT', 'INSERT INTO %I DEFAULT VALUES'), ('UPDATE', 'UPDATE %1$I SET %2$I = %2$I'), ('DELETE', 'DELETE FROM %I'), ('TRUNCATE', 'TRUNCATE %I CASCADE'), ('LOCK', 'LOCK %I IN ACCESS EXCLUSIVE MODE')) w(way, statement)
  WHERE c.relkind = 'r';
GRANT SELECT ON part_sql TO PUBLIC;
\c - part_admin
-- Without a token as with one: the policies decide nothing more than this.
CREATE TEMP TABLE part_answer(name text, way text, answer text);
DO $$ DECLARE w record; BEGIN FOR w IN SELECT * FROM part_sql LOOP
  BEGIN EXECUTE w.statement; INSERT INTO part_answer VALUES (w.name, w.way, 'done'); RAISE EXCEPTION USING ERRCODE = 'KG000';
  EXCEPTION WHEN OTHERS THEN INSERT INTO part_answer VALUES (w.name, w.way, CASE WHEN SQLERRM ~ '^permission denied' THEN 'no privilege' ELSE SQLSTATE END); END; END LOOP; END $$;
SELECT name, string_agg(way || ' ' || answer, ', ' ORDER BY way) FROM part_answer WHERE answer <> 'no privilege' GROUP BY name ORDER BY name COLLATE "C";
SELECT part_try(:'paths', $$UPDATE kg_entity SET data = jsonb_set(data, '{n}', '1')$$);
SELECT part_try(:'paths', $$UPDATE kg_entity SET data = jsonb_set(data, '{path}', '"2/"') WHERE entity_id = 'a'$$);
SELECT part_try(:'paths', $$UPDATE kg_entity SET data = data - 'path' WHERE entity_id = 'a'$$);
SELECT part_try(:'paths', $$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('docs', 'page', '{"id": "x", "path": "2/"}')$$);
SELECT part_try(:'paths', $$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('docs', 'page', '{"id": "x", "path": "1/"}')$$);
SELECT part_try(:'paths', $$MERGE INTO kg_entity e USING (VALUES ('a'), ('b'), ('x')) v(id) ON e.entity_id = v.id WHEN MATCHED AND v.id = 'x' THEN DELETE WHEN MATCHED THEN UPDATE SET data = jsonb_set(data, '{n}', '2')$$);
SELECT part_try(:'paths', $$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('docs', 'page', '{"id": "b", "path": "1/"}') ON CONFLICT (tenant, bundle, entity_type, entity_id) DO UPDATE SET data = excluded.data$$);
SELECT part_try(:'paths', $$SELECT FROM kg_entity FOR UPDATE$$);
SELECT part_try(:'paths', $$DELETE FROM kg_entity WHERE data @> '{"id": "b"}'$$);
SELECT part_try(:'paths', $$INSERT INTO kg_edge(tenant, source, relation_no, target) SELECT e.tenant, e.node, r.relation_no, e.node FROM kg_entity e, kg_relation r$$);
SELECT part_try(:'paths', $$UPDATE kg_edge SET properties = '{}'$$);
SELECT part_try(:'paths', $$DELETE FROM kg_edge$$);
SELECT part_try(:'agent', $$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('staff', 'person', '{"id": "x"}')$$);
-- Whether there is such a type in a hidden bundle, and what its schema says, is not told.
SELECT part_try(:'agent', $$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('staff', 'person', '{"id": 4}')$$);
SELECT part_try(:'agent', $$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('staff', 'person', '{"id": "ann"}')$$);
SELECT part_try(:'agent', $$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('staff', 'nobody', '{"id": "ann"}')$$);
\set VERBOSITY default
BEGIN; SELECT kg_login(:'agent'); INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('staff', 'persons', '{}'); ROLLBACK;
\set VERBOSITY terse
SELECT part_try(:'agent', $$DELETE FROM kg_entity WHERE entity_type = 'person'$$);
SELECT string_agg(entity_id || coalesce(' ' || (data ->> 'n'), ''), ', ' ORDER BY entity_id) AS stored, (SELECT count(*) FROM kg_edge) AS edges FROM kg_entity;

\c - :owner
DROP VIEW part_state;
DROP TABLE part_write, part_sql;
DROP FUNCTION part_bundle(text), part_schemas(text), part_try(text, text);
DROP PROCEDURE part_all(text, boolean);
DELETE FROM kg_auth_key;
DROP OWNED BY part_other;
CALL test.drop('part');
DROP ROLE part_other;
