-- Histories of entities that were or are hidden from a caller with scope paths.
\i test/data/prelude.sql
CREATE ROLE past_gateway LOGIN;
CALL test.tenant('past', 'past_admin admin');
SELECT FROM kg_grant_gateway('past_gateway');
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('past', 'k', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', 'write');
SELECT kg_issue_token('{"tenant": "past", "traversal_ids": ["1/"]}') AS paths \gset
CREATE FUNCTION past_try(changes jsonb) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN kg_revert(changes, '{"dry_run": true}') - 'items' - 'dry_run'; EXCEPTION WHEN OTHERS THEN RETURN SQLERRM; END $$;
CREATE FUNCTION past_verdicts(VARIADIC arguments text[]) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_path_query_array(kg_history(arguments[1], jsonb_build_object('from', arguments[2], 'to', arguments[3])), '$.changes[*].verdict') $$;
SET ROLE past_admin;
SELECT kg_apply_bundle('{"bundle_name": "past", "version": "1", "schemas": [{"entity_type": "item", "schema": {"type": "object", "x-id-field": "id", "x-scope-field": "path", "x-history": true, "properties": {
    "id": {"type": "string"}, "path": {"type": "string"}, "n": {"type": "integer"}, "parent": {"type": "string", "x-ref": "item", "x-relation": "PARENT"}}}}],
  "relations": [{"name": "NEAR", "from": "item", "to": "item", "history": true, "schema": {"type": "object", "properties": {"w": {"type": "string"}}}}],
  "entities": [{"entity_type": "item", "items": [{"id": "v1", "path": "1/"}, {"id": "v2", "path": "1/"}, {"id": "h", "path": "2/", "parent": "v2"}, {"id": "was", "path": "1/"}, {"id": "gone", "path": "1/"}, {"id": "stays", "path": "1/"}]}],
  "edges": [{"relation": "NEAR", "from": "h", "to": "v1", "properties": {"w": "secret"}}]}') -> 'changed' AS changed;
-- h is seen from here on, and what it referred to until then is not.
UPDATE kg_entity SET data = '{"id": "h", "path": "1/"}' WHERE entity_id = 'h';
UPDATE kg_entity SET data = data || '{"parent": "v1"}' WHERE entity_id = 'h';
BEGIN; UPDATE kg_entity SET data = data || '{"path": "2/"}' WHERE entity_id = 'h'; UPDATE kg_entity SET data = data || '{"path": "1/"}' WHERE entity_id = 'h';
SELECT kg_put_edges('[{"relation": "NEAR", "from": "h", "to": "v1", "properties": {"w": "public"}}]') -> 'counts' AS counts; COMMIT;
UPDATE kg_entity SET data = data || '{"n": 1}' WHERE entity_id IN ('was', 'gone', 'stays');
UPDATE kg_entity SET data = data || '{"path": "2/"}' WHERE entity_id IN ('was', 'gone');
UPDATE kg_entity SET data = data || '{"parent": "v1"}' WHERE entity_id = 'stays';
DELETE FROM kg_entity WHERE entity_id = 'gone';
SELECT past_verdicts('PARENT', 'h', 'v2') AS until, past_verdicts('PARENT', 'stays', 'v1') AS seen, past_verdicts('NEAR', 'h', 'v1') AS near;
RESET ROLE;
SELECT change AS was FROM kg_history WHERE tenant = 'past' AND entity_id = 'was' AND after ->> 'n' = '1' AND after ->> 'path' = '1/' \gset
SELECT change AS gone, transaction FROM kg_history WHERE tenant = 'past' AND entity_id = 'gone' AND after ->> 'n' = '1' AND after ->> 'path' = '1/' \gset
SELECT change AS stays FROM kg_history WHERE tenant = 'past' AND entity_id = 'stays' AND after ->> 'n' = '1' AND NOT after ? 'parent' \gset
\c - past_gateway
BEGIN; SELECT FROM kg_login(:'paths');
SELECT past_verdicts('PARENT', 'h', 'v2') AS until, past_verdicts('PARENT', 'stays', 'v1') AS seen, past_verdicts('NEAR', 'h', 'v1') AS near;
-- Undone can be what is seen: was is hidden now, and gone was when it went.
SELECT regexp_replace(past_try(n::jsonb), '\d+', 'n') FROM unnest(ARRAY[:'was', :'gone', :'stays']) n;
SELECT past_try(jsonb_build_object('transaction', :transaction));
ROLLBACK;
\c - :owner
DROP FUNCTION past_try(jsonb), past_verdicts(text[]);
DELETE FROM kg_auth_key;
SELECT FROM kg_revoke_gateway('past_gateway');
DROP OWNED BY past_gateway;
CALL test.drop('past');
DROP ROLE past_gateway;
