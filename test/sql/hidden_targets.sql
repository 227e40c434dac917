-- The target of a reference of a hidden entity must not become another entity by a
-- write of a caller that does not see the hidden entity: neither within one
-- statement or call, nor in steps with deferred references.
\i test/data/prelude.sql
CREATE ROLE targets_gateway LOGIN;
CALL test.tenant('targets', 'targets_admin admin');
SELECT FROM kg_grant_gateway('targets_gateway');
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('targets', 'k', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', 'write');
SELECT kg_issue_token('{"tenant": "targets", "traversal_ids": ["1/"]}') AS paths, kg_issue_token('{"tenant": "targets", "agent": "part"}') AS agent \gset
CREATE VIEW targets_led AS SELECT s.entity_id, t.entity_id AS leads_to, t.data ->> 'code' AS code, t.version FROM kg_edge e JOIN kg_entity s ON s.node = e.source JOIN kg_entity t ON t.node = e.target WHERE e.tenant = 'targets' ORDER BY 1, 2;
SET ROLE targets_admin;
SELECT kg_apply_bundle('{"bundle_name": "main", "version": "1", "schemas": [{"entity_type": "doc", "schema": {"type": "object", "x-id-field": "id", "x-scope-field": "path", "properties": {
    "id": {"type": "string"}, "path": {"type": "string"}, "code": {"type": "string", "x-index": true}, "keep": {"type": "string", "x-ref": "doc", "x-on-delete": "restrict"},
    "bycode": {"type": "string", "x-ref": "doc", "x-ref-field": "code", "x-on-delete": "restrict"}}}}],
  "entities": [{"entity_type": "doc", "items": [{"id": "a", "path": "1/", "code": "ca"}, {"id": "b", "path": "1/", "code": "cb"}, {"id": "free", "path": "1/", "code": "cf"},
    {"id": "h1", "path": "9/", "keep": "a"}, {"id": "h2", "path": "9/", "bycode": "cb"}, {"id": "seen", "path": "1/", "bycode": "cf"}]}]}') -> 'entities' AS main;
SELECT kg_apply_bundle('{"bundle_name": "hidden", "version": "1", "schemas": [{"entity_type": "secret", "schema": {"type": "object", "x-id-field": "id", "properties": {
    "id": {"type": "string"}, "of": {"type": "string", "x-ref": "main/doc", "x-on-delete": "cascade", "x-relation": "CLEARED"}}}}],
  "entities": [{"entity_type": "secret", "items": [{"id": "s", "of": "free"}]}]}') -> 'entities' AS hidden;
SELECT FROM kg_create_agent('part', '{"bundles": ["main"]}');
RESET ROLE;
SELECT * FROM targets_led;
\c - targets_gateway
\set VERBOSITY terse
-- Step by step.
BEGIN; SELECT FROM kg_login(:'paths'); SET CONSTRAINTS kg_references DEFERRED; UPDATE kg_entity SET data = data || '{"id": "a2"}' WHERE entity_id = 'a'; ROLLBACK;
BEGIN; SELECT FROM kg_login(:'paths'); SET CONSTRAINTS kg_references DEFERRED; UPDATE kg_entity SET data = data || '{"code": "x"}' WHERE entity_id = 'b'; ROLLBACK;
BEGIN; SELECT FROM kg_login(:'agent'); SET CONSTRAINTS kg_references DEFERRED; UPDATE kg_entity SET data = data || '{"id": "f2"}' WHERE entity_id = 'free'; ROLLBACK;
-- At once.
BEGIN; SELECT FROM kg_login(:'paths'); UPDATE kg_entity SET data = data || jsonb_build_object('code', CASE entity_id WHEN 'b' THEN 'ca' ELSE 'cb' END) WHERE entity_id IN ('a', 'b'); ROLLBACK;
BEGIN; SELECT FROM kg_login(:'paths'); MERGE INTO kg_entity e USING (VALUES ('b'), ('new')) v(id) ON e.entity_type = 'doc' AND e.entity_id = v.id WHEN MATCHED THEN UPDATE SET data = data || '{"code": "x"}'
  WHEN NOT MATCHED THEN INSERT (bundle, entity_type, data) VALUES ('main', 'doc', '{"id": "new", "path": "1/", "code": "cb"}'); ROLLBACK;
BEGIN; SELECT FROM kg_login(:'paths'); SELECT kg_put_entities('doc', '[{"id": "b", "path": "1/", "code": "old"}, {"id": "evil", "path": "1/", "code": "cb"}]'); ROLLBACK;
BEGIN; SELECT FROM kg_login(:'paths'); SELECT kg_apply_bundle('{"bundle_name": "main", "version": "1", "entities": [{"entity_type": "doc", "items": [{"id": "b", "path": "1/", "code": "old"}, {"id": "evil", "path": "1/", "code": "cb"}]}]}', '{"mode": "merge"}'); ROLLBACK;
-- What it sees may change hands; who refers, too.
BEGIN; SELECT FROM kg_login(:'paths'); SELECT kg_put_entities('doc', '[{"id": "free", "path": "1/", "code": "x"}, {"id": "other", "path": "1/", "code": "cf"}]') -> 'counts' AS counts;
SELECT kg_put_entities('doc', '[{"id": "b", "path": "1/", "code": "cb", "keep": "a"}]') -> 'counts' AS counts; ROLLBACK;
-- A relation that leads to hidden types only is told of nowhere.
BEGIN; SELECT FROM kg_login(:'agent'); SELECT kg_describe_schema() -> 'predicates' AS predicates; ROLLBACK;
\c - :owner
SELECT * FROM targets_led;
SET ROLE targets_admin;
SELECT kg_check() -> 'differences' AS differences;
RESET ROLE;
DROP VIEW targets_led;
DELETE FROM kg_auth_key;
SELECT FROM kg_revoke_gateway('targets_gateway');
DROP OWNED BY targets_gateway;
CALL test.drop('targets');
DROP ROLE targets_gateway;
