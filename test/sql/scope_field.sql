-- However a type gets scopes, its entities have theirs at the end of the
-- transaction. No entity is visible to all callers because its scope is missing.
\i test/data/prelude.sql
CALL test.tenant('scope', 'scope_admin admin');
CREATE ROLE scope_gateway LOGIN;
SELECT kg_grant_gateway('scope_gateway');
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('scope', 'k', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', 'admin');
SELECT kg_issue_token('{"tenant": "scope", "traversal_ids": ["1/"]}') AS one \gset
CREATE FUNCTION scope_bundle(scope text, extra text DEFAULT '', items text DEFAULT NULL) RETURNS jsonb LANGUAGE sql AS $$ SELECT (format('{"bundle_name": "docs", "version": "1",
  "schemas": [{"entity_type": "page", "schema": {"type": "object", "x-id-field": "id", %s "properties": {"id": {"type": "string"}, "path": {"type": "string"}, "place": {"type": "string"}, "n": {"type": "integer", "x-index": true}%s}}}]',
  CASE WHEN scope IS NULL THEN '' ELSE format('"x-scope-field": "%s",', scope) END, extra) ||
  CASE WHEN items = 'none' THEN '' ELSE format(', "entities": [{"entity_type": "page", "items": %s}]', coalesce(items,
    '[{"id": "a", "path": "1/", "place": "2/", "n": 1}, {"id": "b", "path": "2/", "place": "1/", "n": 2}, {"id": "c", "n": 3}]')) END || '}')::jsonb $$;
CREATE VIEW scope_stored AS SELECT string_agg(entity_id || '=' || coalesce(scope, 'NULL'), ' ' ORDER BY entity_id) AS stored FROM kg_entity WHERE entity_type = 'page';
CREATE FUNCTION scope_seen(token text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM kg_login(token); RETURN (SELECT string_agg(entity_id, ' ' ORDER BY entity_id) FROM kg_entity); END $$;
GRANT SELECT ON scope_stored TO PUBLIC;
\c - scope_admin
SELECT kg_apply_bundle(scope_bundle(NULL)) -> 'revision' AS revision;
-- applied with the annotation, by replace and by merge, with entities and without them
BEGIN; SELECT kg_apply_bundle(scope_bundle('path')) -> 'entities' AS entities; SELECT scope_stored.* FROM scope_stored; ROLLBACK;
BEGIN; SELECT kg_apply_bundle(scope_bundle('path', '', 'none'), '{"mode": "merge"}') -> 'changed' AS changed; SELECT scope_stored.* FROM scope_stored; ROLLBACK;
BEGIN; SELECT kg_apply_bundle(scope_bundle('path', '', '[{"id": "a", "path": "1/", "n": 9}]')) -> 'entities' AS entities; SELECT scope_stored.* FROM scope_stored; ROLLBACK;
-- moved to another property, in one apply with an index that comes or goes
SELECT kg_apply_bundle(scope_bundle('path')) -> 'revision' AS revision; SELECT * FROM scope_stored;
SELECT kg_apply_bundle(scope_bundle('place')) -> 'revision' AS revision; SELECT * FROM scope_stored;
SELECT kg_apply_bundle(scope_bundle('path', ', "m": {"type": "integer", "x-index": true}')) -> 'revision' AS revision; SELECT * FROM scope_stored;
-- the property renamed, with its values and without them
BEGIN; SELECT kg_apply_bundle(replace(scope_bundle('path')::text, '"path"', '"where"')::jsonb) -> 'revision' AS revision; SELECT scope_stored.* FROM scope_stored; ROLLBACK;
BEGIN; SELECT kg_apply_bundle(replace(scope_bundle('path', '', 'none')::text, '"path"', '"where"')::jsonb, '{"mode": "merge"}') -> 'revision' AS revision; SELECT scope_stored.* FROM scope_stored; ROLLBACK;
-- taken away, and by way of a drop
BEGIN; SELECT kg_apply_bundle(scope_bundle(NULL)) -> 'revision' AS revision; SELECT scope_stored.* FROM scope_stored; ROLLBACK;
BEGIN; SELECT kg_drop_bundle('docs') -> 'revision' AS revision; SELECT kg_apply_bundle(scope_bundle('place')) -> 'revision' AS revision; SELECT scope_stored.* FROM scope_stored; ROLLBACK;
-- in a transaction that read before
BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM kg_entity; SELECT kg_apply_bundle(scope_bundle('place')) -> 'revision' AS revision; SELECT scope_stored.* FROM scope_stored; ROLLBACK;
-- what a caller with paths sees follows at once
SELECT kg_apply_bundle(scope_bundle('path')) -> 'revision' AS revision;
\c - scope_gateway
SELECT scope_seen(:'one');
\c - scope_admin
SELECT kg_apply_bundle(scope_bundle('place')) -> 'revision' AS revision;
\c - scope_gateway
SELECT scope_seen(:'one');

-- What was done before the type had scopes is seen as what is.
\c - scope_admin
SELECT kg_apply_bundle(replace(scope_bundle(NULL)::text, '"x-id-field"', '"x-history": true, "x-id-field"')::jsonb) -> 'revision' AS revision;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('docs', 'page', '{"id": "old", "path": "2/", "place": "2/"}'), ('docs', 'page', '{"id": "moved", "path": "2/", "place": "2/"}');
UPDATE kg_entity SET data = data || '{"path": "1/", "place": "1/"}' WHERE entity_id = 'moved';
DELETE FROM kg_entity WHERE entity_id = 'old';
SELECT kg_apply_bundle(replace(scope_bundle('path', '', 'none')::text, '"x-id-field"', '"x-history": true, "x-id-field"')::jsonb, '{"mode": "merge"}') -> 'changed' AS changed;
SELECT kg_check() -> 'differences' AS differences;
\c - scope_gateway
CREATE FUNCTION pg_temp.changes(id text) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_path_query_array(kg_history('page', id), '$.changes[*].verdict') $$;
BEGIN; SELECT FROM kg_login(:'one'); SELECT pg_temp.changes('moved') AS moved, pg_temp.changes('old') AS old; ROLLBACK;
\c - scope_admin
SELECT jsonb_path_query_array(kg_history('page', 'moved'), '$.changes[*].verdict') AS moved;
DELETE FROM kg_entity WHERE entity_id = 'moved';
SELECT kg_apply_bundle(scope_bundle('place')) -> 'revision' AS revision;

-- What triggers were kept from filling is filled by kg_rebuild().
\c - :owner
\getenv abs_srcdir PG_ABS_SRCDIR
\set triggers :abs_srcdir '/data/triggers.sql'
\i :triggers
SELECT pg_temp.triggers(false); UPDATE kg_entity SET scope = NULL WHERE tenant = 'scope'; SELECT pg_temp.triggers(true);
\c - scope_admin
SELECT kg_rebuild() -> 'entities' AS entities; SELECT * FROM scope_stored;
-- By hand it cannot be changed.
UPDATE kg_entity SET scope = '9/' WHERE entity_id = 'a'; SELECT * FROM scope_stored;
-- A trigger that keeps rows as they are keeps the schema from changing.
\c - :owner
CREATE FUNCTION scope_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER scope_keep BEFORE UPDATE ON kg_entity FOR EACH ROW WHEN (OLD.entity_id = 'b') EXECUTE FUNCTION scope_keep();
\c - scope_admin
SELECT kg_apply_bundle(scope_bundle('path'));
SELECT * FROM scope_stored;
\c - :owner
DROP TRIGGER scope_keep ON kg_entity;
DELETE FROM kg_auth_key;
SELECT kg_revoke_gateway('scope_gateway');
DROP VIEW scope_stored;
DROP FUNCTION scope_keep(), scope_seen(text), scope_bundle(text, text, text);
DROP OWNED BY scope_gateway;
CALL test.drop('scope');
DROP ROLE scope_gateway;
