-- Writes of a caller that does not see its whole tenant, because of scope paths, an
-- agent or a policy of the DBA. They change nothing that is hidden, and reveal only
-- what cannot be kept secret.
\i test/data/prelude.sql
CREATE ROLE hidden_gateway LOGIN;
CALL test.tenant('hidden', 'hidden_writer admin');
SELECT FROM kg_grant_gateway('hidden_gateway');
GRANT INSERT, UPDATE, DELETE ON kg_entity, kg_edge TO hidden_gateway;
GRANT USAGE ON SEQUENCE kg_node_seq TO hidden_gateway;
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('hidden', 'k', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', 'write');
SELECT kg_issue_token('{"tenant": "hidden", "traversal_ids": ["open/"]}') AS scoped, kg_issue_token('{"tenant": "hidden", "agent": "pages"}') AS agent \gset
CREATE FUNCTION hidden_try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r jsonb; d text; n int;
BEGIN
  IF statement ~ '^SELECT' THEN
    EXECUTE statement INTO r;
    RETURN r;
  END IF;
  EXECUTE statement;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' ', CASE WHEN d LIKE '{%' THEN d::jsonb ->> 'code' END, SQLSTATE, SQLERRM);
END
$$;
SET ROLE hidden_writer;
-- page: open ones, hidden ones (h...); a note has no path, and its bundle is one that the agent lacks.
SELECT kg_apply_bundle('{"bundle_name": "pages", "version": "1", "schemas": [{"entity_type": "page", "schema": {"type": "object", "x-id-field": "id", "x-scope-field": "path",
    "properties": {"id": {"type": "string"}, "path": {"type": "string"}, "code": {"type": "string", "x-index": true}, "n": {"type": "integer"},
      "owner": {"type": "string", "x-ref": "page", "x-on-delete": "cascade"}, "shown": {"type": "string", "x-ref": "page", "x-on-delete": "set_null"}, "kept": {"type": "string", "x-ref": "page"},
      "coded": {"type": "array", "items": {"type": "string", "x-ref": "page", "x-ref-field": "code", "x-on-delete": "set_null"}}}}}],
  "relations": [{"name": "LIKES", "from": "page", "to": "page"}],
  "entities": [{"entity_type": "page", "items": [
    {"id": "a", "path": "open/"}, {"id": "b", "path": "open/"}, {"id": "c", "path": "open/"}, {"id": "d", "path": "open/"}, {"id": "e", "path": "open/"}, {"id": "f", "path": "open/", "kept": "h"}, {"id": "g", "path": "open/", "owner": "a2"}, {"id": "a2", "path": "open/", "owner": "a3"}, {"id": "a3", "path": "open/"},
    {"id": "h", "path": "closed/", "code": "H"}, {"id": "ha", "path": "closed/", "owner": "a"}, {"id": "hb", "path": "closed/", "shown": "b"}, {"id": "hc", "path": "closed/", "kept": "c"}, {"id": "hg", "path": "closed/", "owner": "g"}]}],
  "edges": [{"relation": "LIKES", "from": "page:d", "to": "page:h"}, {"relation": "LIKES", "from": "page:h", "to": "page:e"}]}') ? 'revision' AS applied;
SELECT kg_apply_bundle('{"bundle_name": "notes", "version": "1", "schemas": [{"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "page": {"type": "string", "x-ref": "pages/page", "x-on-delete": "cascade"}, "kept": {"type": "string", "x-ref": "pages/page"}}}}],
  "entities": [{"entity_type": "note", "items": [{"id": "na", "page": "b"}, {"id": "nk", "kept": "e"}]}]}') ? 'revision' AS applied;
SELECT FROM kg_create_agent('pages', '{"bundles": ["pages"]}');
RESET ROLE;
CREATE FUNCTION hidden_writes() RETURNS TABLE (what text, said text) LANGUAGE plpgsql AS $$
DECLARE statement text;
BEGIN
  FOR what, statement IN VALUES
    ('cascade', $s$DELETE FROM kg_entity WHERE entity_id = 'a'$s$),
    ('cascade, deep', $s$DELETE FROM kg_entity WHERE entity_id = 'a3'$s$),
    ('set_null', $s$DELETE FROM kg_entity WHERE entity_id = 'b'$s$),
    ('restrict', $s$DELETE FROM kg_entity WHERE entity_id = 'c'$s$),
    ('edge to', $s$DELETE FROM kg_entity WHERE entity_id = 'd'$s$),
    ('edge from', $s$DELETE FROM kg_entity WHERE entity_id = 'e'$s$),
    ('put delete', $s$SELECT kg_delete_entities('page', '{a}') -> 'counts'$s$),
    ('put delete, kept', $s$SELECT kg_delete_entities('page', '{c}') #> '{items,0,error,message}'$s$),
    ('rename', $s$UPDATE kg_entity SET data = data || '{"id": "c9"}' WHERE entity_id = 'c'$s$),
    ('hidden itself', $s$SELECT kg_delete_entities('page', '{h}') -> 'counts'$s$),
    ('reference', $s$INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('hidden', 'pages', 'page', '{"id": "x", "path": "open/", "kept": "h"}')$s$),
    ('reference to none', $s$INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('hidden', 'pages', 'page', '{"id": "x", "path": "open/", "kept": "zz"}')$s$),
    ('by code', $s$INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('hidden', 'pages', 'page', '{"id": "x", "path": "open/", "coded": ["H"]}')$s$),
    ('update', $s$UPDATE kg_entity SET data = data || '{"kept": "h"}' WHERE entity_id = 'd'$s$),
    ('put', $s$SELECT kg_put_entities('page', '[{"id": "x", "path": "open/", "kept": "h"}]') #> '{items,0,error,message}'$s$),
    ('put, kept', $s$SELECT kg_put_entities('page', '[{"id": "f", "path": "open/", "kept": "h", "owner": "a", "n": 2}]') -> 'counts'$s$),
    ('put taken id', $s$SELECT kg_put_entities('page', '[{"id": "h", "path": "open/"}]') #> '{items,0,error,message}'$s$),
    ('update of what refers', $s$UPDATE kg_entity SET data = data || '{"n": 3, "owner": "b"}' WHERE entity_id = 'f'$s$),
    ('merge', $s$MERGE INTO kg_entity e USING (VALUES ('a')) v(id) ON e.entity_id = v.id WHEN MATCHED THEN DELETE$s$),
    ('edge', $s$INSERT INTO kg_edge(tenant, source, relation_no, target) SELECT 'hidden', s.node, r.relation_no, t.node FROM hidden_nodes s, hidden_nodes t, hidden_relation r WHERE s.entity_id = 'a' AND t.entity_id = 'h'$s$),
    ('put edge', $s$SELECT kg_put_edges('[{"relation": "LIKES", "from": "page:a", "to": "page:h"}]') #> '{items,0,error,message}'$s$),
    ('apply', $s$SELECT kg_apply_bundle('{"bundle_name": "pages", "version": "1", "entities": [{"entity_type": "page", "items": [{"id": "x", "path": "open/", "kept": "h"}]}]}', '{"mode": "merge"}') -> 'entities'$s$),
    ('what refers to it', $s$DELETE FROM kg_entity WHERE entity_id = 'f'$s$)
  LOOP
    said := hidden_try(statement);
    RETURN NEXT;
  END LOOP;
END
$$;
CREATE TABLE hidden_nodes AS SELECT entity_id, node, version, data FROM kg_entity WHERE tenant = 'hidden';
CREATE TABLE hidden_relation AS SELECT relation_no FROM kg_relation WHERE tenant = 'hidden' AND relation = 'LIKES';
GRANT SELECT ON hidden_nodes, hidden_relation TO PUBLIC;
CREATE FUNCTION hidden_changed() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT entity_id FROM hidden_nodes b WHERE NOT EXISTS (SELECT FROM kg_entity e WHERE e.tenant = 'hidden' AND e.entity_id = b.entity_id AND e.version = b.version AND e.data = b.data) ORDER BY 1
$$;

-- Scope paths.  Only f, whose reference to h it had before, is written at all.
\c - hidden_gateway
SET client_min_messages = warning;
\set VERBOSITY terse
BEGIN; SELECT kg_login(:'scoped'); SELECT * FROM hidden_writes(); SET CONSTRAINTS ALL DEFERRED;
INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('hidden', 'pages', 'page', '{"id": "x", "path": "open/", "kept": "h"}');
UPDATE kg_entity SET data = data || '{"owner": "a"}' WHERE entity_id = 'x';
COMMIT;
\c - :owner
SELECT * FROM hidden_changed();
-- An agent without the notes: b goes for who sees them, and what refers is not named.
\c - hidden_gateway
SET client_min_messages = warning;
\set VERBOSITY terse
BEGIN; SELECT kg_login(:'agent');
SELECT hidden_try($$DELETE FROM kg_entity WHERE entity_id = 'b'$$) AS cascade, hidden_try($$DELETE FROM kg_entity WHERE entity_id = 'e'$$) AS restrict, hidden_try($$SELECT kg_delete_entities('page', '{e}') #> '{items,0,error,message}'$$) AS put;
ROLLBACK;
-- A policy of a DBA's own.
\c - :owner
CREATE POLICY hidden_own ON kg_entity AS RESTRICTIVE FOR SELECT TO hidden_writer USING (entity_id NOT LIKE 'h%');
\c - hidden_writer
SET client_min_messages = warning;
\set VERBOSITY terse
BEGIN; SELECT * FROM hidden_writes(); ROLLBACK;
-- No reply reports a conflict that a repeated call would not get. The numbers of
-- hidden rows are not reported.
SELECT kg_pack() IS NULL AS pack_is_silent, kg_rebuild() AS rebuilt, kg_prune_history('2020-01-01') IS NULL AS prune_is_silent;
BEGIN; SELECT bundle, hidden_try(format('SELECT kg_drop_bundle(%L)', bundle)) AS dropped FROM kg_bundle ORDER BY 1; ROLLBACK;
\c - :owner
SELECT * FROM hidden_changed();
-- A schema that the caller writes must not test hidden entities, and the number of
-- errors must not say how many hidden entities refer. Two schemas, one that hidden
-- entities satisfy and one that they do not, get the same reply.
\c - hidden_writer
SET client_min_messages = warning;
CREATE FUNCTION pg_temp.hidden_ask(asked text) RETURNS text LANGUAGE sql AS $$
  SELECT hidden_try(format('SELECT kg_apply_bundle(%L, %L)', asked, '{"mode": "merge"}')) || ' ' ||
         coalesce(jsonb_path_query_array(kg_apply_bundle(asked::jsonb, '{"mode": "merge", "dry_run": true}'), '$.errors[*].code')::text, '')
$$;
SELECT pg_temp.hidden_ask('{"bundle_name": "pages", "version": "1", "schemas": [{"entity_type": "page", "schema": {"type": "object", "x-id-field": "id", "x-scope-field": "path", "properties":
    {"id": {"type": "string"}, "path": {"type": "string"}, "code": {"type": "string", "x-index": true, "pattern": "' || pattern || '"}}}}]}') AS entities
  FROM unnest(ARRAY['^H', '^I']) pattern;
SELECT pg_temp.hidden_ask('{"bundle_name": "pages", "version": "1", "relations": [{"name": "LIKES", "from": "page", "to": "page", "schema": {"type": "object", "required": ' || required || '}}]}') AS edges
  FROM unnest(ARRAY['[]', '["n"]']) required;
SELECT pg_temp.hidden_ask('{"bundle_name": "notes", "version": "1", "relations": [], "schemas": [{"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "maxProperties": ' || n || ', "properties":
    {"id": {"type": "string"}, "page": {"type": "string", "x-ref": "pages/page", "x-on-delete": "cascade"}, "kept": {"type": "string", "x-ref": "pages/page"}}}}]}') AS seen
  FROM generate_series(1, 2) n;
\c - :owner
INSERT INTO kg_entity(tenant, bundle, entity_type, data) SELECT 'hidden', 'pages', 'page', jsonb_build_object('id', 'hc' || n, 'path', 'closed/', 'kept', 'c') FROM generate_series(1, 3) n;
SET ROLE hidden_writer;
SELECT hidden_try($$DELETE FROM kg_entity WHERE entity_id = 'c'$$) AS refer;
RESET ROLE;
DELETE FROM kg_entity WHERE tenant = 'hidden' AND entity_id ~ '^hc[1-3]';
-- One that lets see but not delete, or not change.
DROP POLICY hidden_own ON kg_entity;
CREATE POLICY hidden_own ON kg_entity AS RESTRICTIVE FOR DELETE TO hidden_writer USING (entity_id NOT LIKE 'h%');
CREATE POLICY hidden_own_update ON kg_entity AS RESTRICTIVE FOR UPDATE TO hidden_writer USING (entity_id NOT LIKE 'h%');
SET ROLE hidden_writer;
SELECT hidden_try($$DELETE FROM kg_entity WHERE entity_id = 'a'$$) AS cascade, hidden_try($$DELETE FROM kg_entity WHERE entity_id = 'b'$$) AS set_null;
RESET ROLE;
SELECT * FROM hidden_changed();

DROP POLICY hidden_own ON kg_entity;
DROP POLICY hidden_own_update ON kg_entity;
DELETE FROM kg_auth_key;
DROP FUNCTION hidden_try(text), hidden_writes(), hidden_changed();
DROP TABLE hidden_nodes, hidden_relation;
SELECT FROM kg_revoke_gateway('hidden_gateway');
DROP OWNED BY hidden_gateway;
CALL test.drop('hidden');
DROP ROLE hidden_gateway;
