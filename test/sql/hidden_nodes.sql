-- A writer cannot choose the node number of an entity. Data that is stored under a
-- number is only shown as data of the entity that had it, to callers that saw that
-- entity.
\i test/data/prelude.sql
CALL test.tenant('nodes', 'nodes_admin admin');
CREATE ROLE nodes_gateway LOGIN;
SELECT kg_grant_gateway('nodes_gateway');
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('nodes', 'k', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', 'write');
SELECT kg_issue_token('{"tenant": "nodes", "sub": "s", "traversal_ids": ["1/"]}') AS token \gset
CREATE TABLE nodes_token AS SELECT :'token' AS token;
GRANT SELECT ON nodes_token TO PUBLIC;
-- as the bearer of the token: an answer, or what is wrong
CREATE FUNCTION nodes_try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text; BEGIN
  PERFORM kg_login(token) FROM nodes_token WHERE kg_claim('sub') IS NULL;
  EXECUTE statement INTO answer;
  RETURN answer;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM; END $$;
CREATE FUNCTION nodes_told(a text, b text, relation text DEFAULT 'NEAR') RETURNS text LANGUAGE sql AS $$
  SELECT nodes_try(format('SELECT string_agg(coalesce(c #>> %L, c #>> %L), %L ORDER BY c -> %L) FROM jsonb_array_elements(kg_history(%L, %L) -> %L) c', '{after,s}', '{before,s}', ' ', 'change', relation, jsonb_build_object('from', a, 'to', b), 'changes')) $$;
\c - nodes_admin
SELECT kg_apply_bundle('{"bundle_name": "pub", "version": "1", "schemas": [
  {"entity_type": "doc", "schema": {"type": "object", "x-id-field": "id", "x-scope-field": "path", "x-history": true, "properties": {"id": {"type": "string"}, "path": {"type": "string"}}}},
  {"entity_type": "bare", "schema": {"type": "object", "x-id-field": "id", "x-scope-field": "path", "properties": {"id": {"type": "string"}, "path": {"type": "string"}}}},
  {"entity_type": "place", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "relations": [{"name": "NEAR", "from": "doc", "to": "doc", "history": true, "schema": {"type": "object", "properties": {"s": {"type": "string"}}}},
    {"name": "NEXT", "from": "doc", "to": "doc", "history": true, "symmetric": true, "schema": {"type": "object", "properties": {"s": {"type": "string"}}}},
    {"name": "AT", "from": "bare", "to": "place", "history": true, "schema": {"type": "object", "properties": {"s": {"type": "string"}}}}],
  "entities": [{"entity_type": "doc", "items": [{"id": "a", "path": "1/"}, {"id": "b", "path": "1/"}, {"id": "h", "path": "2/"}, {"id": "gone", "path": "2/"}]},
    {"entity_type": "bare", "items": [{"id": "x", "path": "2/"}, {"id": "y", "path": "1/"}]}, {"entity_type": "place", "items": [{"id": "p"}]}]}') ->> 'changed' AS changed;
CREATE FUNCTION pg_temp.put(relation text, a text, b text, s text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_put_edges(jsonb_build_array(jsonb_build_object('relation', relation, 'from', a, 'to', b, 'properties', jsonb_build_object('s', s)))) -> 'counts' $$;
SELECT pg_temp.put('NEAR', 'doc:b', 'doc:a', 'seen'), pg_temp.put('NEAR', 'doc:h', 'doc:a', 'hidden'), pg_temp.put('NEAR', 'doc:gone', 'doc:a', 'hidden'), pg_temp.put('NEXT', 'doc:h', 'doc:a', 'hidden'), pg_temp.put('NEXT', 'doc:a', 'doc:b', 'seen'),
  pg_temp.put('AT', 'bare:x', 'place:p', 'hidden'), pg_temp.put('AT', 'bare:y', 'place:p', 'seen');
SELECT node AS gone FROM kg_entity WHERE entity_id = 'gone' \gset
SELECT node AS b FROM kg_entity WHERE entity_id = 'b' \gset
SELECT node AS h FROM kg_entity WHERE entity_id = 'h' \gset
SELECT kg_delete_entities('doc', '{gone}') -> 'counts' AS gone;

-- whose number is gone, whose is there, and whose is hidden is answered alike, to everybody who writes
\c - nodes_gateway
CREATE FUNCTION pg_temp.take(id text, node bigint) RETURNS text LANGUAGE sql AS $$
  SELECT nodes_try(format('WITH i AS (INSERT INTO kg_entity(bundle, entity_type, data, node) VALUES (%L, %L, %L, %s) RETURNING 1) SELECT count(*) FROM i', 'pub', 'doc', jsonb_build_object('id', id, 'path', '1/'), coalesce(node::text, 'NULL'))) $$;
BEGIN; SELECT pg_temp.take('mine', :gone); COMMIT;
BEGIN; SELECT pg_temp.take('mine', :h); COMMIT;
BEGIN; SELECT pg_temp.take('mine', :b); COMMIT;
BEGIN; SELECT pg_temp.take('mine', 1000000000000); COMMIT;
BEGIN; SELECT pg_temp.take('mine', 0); COMMIT;
-- a hidden entity's id, which is free, with its number: what there was of it stays hidden
BEGIN; SELECT pg_temp.take('gone', :gone); COMMIT;
BEGIN; SELECT nodes_told('doc:gone', 'doc:a') AS gone; COMMIT;
BEGIN; SELECT pg_temp.take('mine', NULL) AS assigned; COMMIT;
BEGIN; SELECT nodes_told('doc:b', 'doc:a') AS seen; COMMIT;
BEGIN; SELECT nodes_told('doc:a', 'doc:b', 'NEXT') AS seen, nodes_told('doc:b', 'doc:a', 'NEXT') AS turned; COMMIT;
\c - nodes_admin
SELECT kg_delete_entities('doc', '{gone,mine}') -> 'counts' AS gone;
SELECT kg_put_entities('doc', '[{"id": "back", "path": "1/"}]') -> 'counts' AS put;
SELECT node AS back FROM kg_entity WHERE entity_id = 'back' \gset
SELECT kg_delete_entities('doc', '{back}') -> 'counts' AS deleted;
SELECT kg_revert(kg_history('doc', 'back') #> '{changes,0,change}') -> 'counts' AS undone;
SELECT node = :back AS the_same FROM kg_entity WHERE entity_id = 'back';

-- an entity that moved to where it is seen, by another name: of its edges what was done since
UPDATE kg_entity SET data = '{"id": "moved", "path": "1/"}' WHERE entity_id = 'h';
UPDATE kg_entity SET data = '{"id": "x", "path": "1/"}' WHERE entity_id = 'x';
\c - nodes_gateway
BEGIN; SELECT nodes_told('doc:moved', 'doc:a') AS near; COMMIT;
BEGIN; SELECT nodes_told('doc:moved', 'doc:a', 'NEXT') AS next, nodes_told('doc:a', 'doc:moved', 'NEXT') AS turned; COMMIT;
-- what an entity of a type without history was, nobody knows
BEGIN; SELECT nodes_told('bare:x', 'place:p', 'AT') AS moved, nodes_told('bare:y', 'place:p', 'AT') AS never; COMMIT;
\c - nodes_admin
SELECT pg_temp_put.* FROM kg_put_edges('[{"relation": "NEAR", "from": "doc:moved", "to": "doc:a", "properties": {"s": "since"}}, {"relation": "NEXT", "from": "doc:a", "to": "doc:moved", "properties": {"s": "since"}}]') pg_temp_put;
-- and by a name that another one had, which was seen
SELECT kg_delete_entities('doc', '{b}') -> 'counts' AS gone;
UPDATE kg_entity SET data = '{"id": "b", "path": "1/"}' WHERE entity_id = 'moved';
\c - nodes_gateway
BEGIN; SELECT nodes_told('doc:b', 'doc:a') AS near; COMMIT;
BEGIN; SELECT nodes_told('doc:b', 'doc:a', 'NEXT') AS next; COMMIT;
\c - nodes_admin
SELECT string_agg(c #>> '{after,s}', ' ' ORDER BY c -> 'change') AS who_sees_all FROM jsonb_array_elements(kg_history('NEAR', '{"from": "doc:b", "to": "doc:a"}') -> 'changes') c;
\c - :owner
DELETE FROM kg_auth_key WHERE issuer = 'nodes';
DROP FUNCTION nodes_told(text, text, text), nodes_try(text);
DROP TABLE nodes_token;
DROP OWNED BY nodes_gateway;
CALL test.drop('nodes');
DROP ROLE nodes_gateway;
