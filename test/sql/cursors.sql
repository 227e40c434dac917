-- A cursor is bound to what its creator sees: another role of the tenant cannot use
-- it.
\i test/data/prelude.sql
CALL test.tenant('cursors', 'regress_cursor_all write', 'regress_cursor_some read');
CREATE POLICY regress_cursor_hides ON kg_entity AS RESTRICTIVE FOR SELECT TO regress_cursor_some USING (entity_id > 't5');
SET ROLE regress_cursor_all;
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'cursors', 'version', '1',
  'schemas', '[{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'thing', 'items',
    (SELECT jsonb_agg(jsonb_build_object('id', 't' || i)) FROM generate_series(1, 9) i))))) -> 'changed';
SELECT kg_list('thing', '{"limit": 6}') -> 'next' AS next_list, kg_find_nodes('{"node_label": "thing", "limit": 6}') -> 'next' AS next_find \gset
SELECT kg_list('thing', :'next_list') #> '{items,0,id}' AS item, kg_list('thing', :'next_list') -> 'total' AS total;
SELECT kg_find_nodes(:'next_find') #> '{nodes,0,id}' AS node;
SET ROLE regress_cursor_some;
SELECT kg_list('thing', '{}') -> 'total' AS total;
\set VERBOSITY sqlstate
SELECT kg_list('thing', :'next_list');
SELECT kg_find_nodes(:'next_find');
\set VERBOSITY terse
-- the longest cursor there can be is accepted back
RESET ROLE;
SET kg_graph.max_key_bytes = 2000; SET ROLE regress_cursor_all;
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'long', 'version', '1',
  'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'long', 'schema', jsonb_build_object('type', 'object', 'x-id-field', 'id', 'properties', '{"id": {"type": "string"}}'::jsonb ||
    (SELECT jsonb_object_agg('p' || i, '{"type": "string", "x-index": true}'::jsonb) FROM generate_series(1, 8) i)))),
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'long', 'items',
    (SELECT jsonb_agg(jsonb_build_object('id', 'l' || n) || (SELECT jsonb_object_agg('p' || i, repeat('"', 1990)) FROM generate_series(1, 8) i)) FROM generate_series(1, 3) n))))) -> 'changed';
SELECT length(r #>> '{next,cursor}') > 16384 AS long, kg_list('long', r -> 'next') #> '{items,0,id}' AS item
  FROM kg_list('long', jsonb_build_object('limit', 1, 'max_bytes', 262144, 'sort', (SELECT jsonb_agg(jsonb_build_object('field', 'p' || i)) FROM generate_series(1, 8) i))) r;
RESET ROLE; RESET kg_graph.max_key_bytes;
-- nor is it another token's: none, no path, one path, two, and those of an agent differ
CREATE ROLE regress_cursor_gateway; SELECT FROM kg_grant_gateway('regress_cursor_gateway');
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience) VALUES ('cursors', 'k', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg');
SELECT FROM kg_grant('cursors', 'regress_cursor_all', 'admin');
SET ROLE regress_cursor_all; SELECT kg_create_agent('every', '{"bundles": ["cursors", "long"]}'); RESET ROLE;
CREATE TEMP TABLE cursor_token AS SELECT name, kg_issue_token('{"tenant": "cursors"}'::jsonb || claims) AS token FROM (VALUES
  ('a: any', '{}'::jsonb), ('b: no path', '{"traversal_ids": []}'), ('c: a path', '{"traversal_ids": ["1/"]}'), ('d: two', '{"traversal_ids": ["1/", "2/"]}'), ('e: agent', '{"agent": "every"}')) t(name, claims);
GRANT ALL ON cursor_token TO regress_cursor_gateway;
CREATE FUNCTION pg_temp.cursor_of(token text) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN PERFORM kg_login(token); RETURN kg_list('thing', '{"limit": 3}') -> 'next'; END $$;
CREATE FUNCTION pg_temp.cursor_taken(token text, next jsonb) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM kg_login(token); PERFORM kg_list('thing', next); RETURN true; EXCEPTION WHEN invalid_parameter_value THEN RETURN false; END $$;
CREATE PROCEDURE pg_temp.cursors() LANGUAGE plpgsql AS $$
DECLARE a record; b record; next jsonb; taken text; BEGIN
  FOR a IN SELECT * FROM cursor_token ORDER BY name LOOP
    next := pg_temp.cursor_of(a.token); COMMIT; taken := '';
    FOR b IN SELECT * FROM cursor_token ORDER BY name LOOP IF pg_temp.cursor_taken(b.token, next) THEN taken := taken || ' ' || left(b.name, 1); END IF; COMMIT; END LOOP;
    RAISE NOTICE '% gives a cursor: %, which is taken from:%', a.name, next IS NOT NULL, taken;
  END LOOP; END $$;
SET ROLE regress_cursor_gateway;
SET client_min_messages = notice; CALL pg_temp.cursors(); SET client_min_messages = warning;
RESET ROLE;
DELETE FROM kg_auth_key WHERE issuer = 'cursors'; SELECT FROM kg_revoke_gateway('regress_cursor_gateway');
DROP POLICY regress_cursor_hides ON kg_entity;
DROP OWNED BY regress_cursor_gateway;
CALL test.drop('cursors');
DROP ROLE regress_cursor_gateway;
