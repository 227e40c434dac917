-- Tenants that are frozen, and those that are dropped in pieces.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE ROLE regress_states;
CREATE ROLE regress_states_b;
SELECT FROM kg_create_tenant('states') a, kg_create_tenant('beside') b;
SELECT FROM kg_grant('states', 'regress_states', 'admin') a, kg_grant('beside', 'regress_states_b', 'admin') b;
-- What an error is told by.
CREATE FUNCTION pg_temp.try(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d text;
BEGIN
  EXECUTE sql;
  RETURN 'done';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', SQLSTATE, SQLERRM, CASE WHEN d LIKE '{%' THEN d::jsonb - 'message' END);
END $$;
CREATE FUNCTION pg_temp.shop() RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
    {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "id", "x-history": true, "properties": {"id": {"type": "string"}, "rank": {"type": "integer", "x-index": true}}}},
    {"entity_type": "product", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "note": {"type": "string", "x-search": true}, "brand": {"type": "string", "x-ref": "brand"}}, "required": ["brand"]}}],
    "relations": [{"name": "likes", "from": "brand", "to": "brand", "history": true}],
    "entities": [{"entity_type": "brand", "items": [{"id": "north", "rank": 1}, {"id": "south", "rank": 2}]},
      {"entity_type": "product", "items": [{"id": "lamp", "note": "a lamp that shines", "brand": "north"}, {"id": "desk", "brand": "south"}]}],
    "edges": [{"relation": "likes", "from": "brand:north", "to": "brand:south"}]}') -> 'revision'
$$;
SET ROLE regress_states_b;
SELECT pg_temp.shop();
SET ROLE regress_states;
SELECT pg_temp.shop();
SELECT kg_pack() > 0 AS packed;
SELECT kg_put_entities('brand', '[{"id": "east"}]', '{"idempotency_key": "k"}') AS put;

-- who may
SELECT pg_temp.try($$SELECT kg_freeze_tenant('states')$$), pg_temp.try($$SELECT kg_thaw_tenant('states')$$), pg_temp.try($$SELECT kg_drop_tenant('states', 1)$$);
RESET ROLE;
SELECT pg_temp.try($$SELECT kg_freeze_tenant('nobody')$$), pg_temp.try($$SELECT kg_thaw_tenant('nobody')$$), pg_temp.try($$SELECT kg_drop_tenant('nobody', 1)$$);

-- frozen: a write is told to come again, reads are as before
SELECT FROM kg_freeze_tenant('states');
SET ROLE regress_states;
SELECT pg_temp.try($$UPDATE kg_entity SET data = data || '{"rank": 3}' WHERE entity_id = 'south'$$);
SELECT pg_temp.try($$SELECT kg_put_entities('brand', '[{"id": "west"}]', '{"dry_run": true}')$$);
-- what was answered is answered again
SELECT kg_put_entities('brand', '[{"id": "east"}]', '{"idempotency_key": "k"}') AS put;
SELECT kg_list('brand') -> 'total' AS total, kg_get('product', ARRAY['lamp']) AS lamp;
SELECT kg_check() -> 'ok' AS ok;
-- nor is what is repaired elsewhere a write to it
RESET ROLE;
REVOKE SELECT ON kg_term FROM regress_states;
SELECT c #> '{counts,privilege_missing}' AS missing, c -> 'left' AS left FROM kg_check('{"repair": true}') c;
SET ROLE regress_states_b;
SELECT kg_put_entities('brand', '[{"id": "west"}]') AS put;
RESET ROLE;
SELECT FROM kg_thaw_tenant('states');
SET ROLE regress_states;
SELECT kg_put_entities('brand', '[{"id": "west"}]') AS put;
RESET ROLE;

-- a freeze that is rolled back was none, also for who froze
BEGIN;
SELECT FROM kg_freeze_tenant('states');
SAVEPOINT s;
SELECT pg_temp.try($$UPDATE kg_entity SET data = data || '{"rank": 3}' WHERE tenant = 'states' AND entity_id = 'south'$$);
ROLLBACK;
UPDATE kg_entity SET data = data || '{"rank": 3}' WHERE tenant = 'states' AND entity_id = 'south';

-- dropped in pieces: nobody has it from the first on, and nothing stays, or of others goes
SELECT FROM kg_freeze_tenant('states');
SELECT pg_temp.try($$SELECT kg_drop_tenant('states', 0)$$);
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, tenant) VALUES ('i', 'own', 'HS256', repeat('0', 32)::bytea, 'a', 'states');
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience) VALUES ('i', 'any', 'HS256', repeat('1', 32)::bytea, 'a');
SELECT FROM kg_thaw_tenant('states');
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, tenant) VALUES ('i', 'own', 'HS256', repeat('0', 32)::bytea, 'a', 'states');
SELECT kg_issue_token('{"sub": "ann", "tenant": "states"}', 'any') AS token \gset
SELECT kg_drop_tenant('states', 2) AS done;
SET ROLE regress_states;
SELECT kg_tenant() AS tenant;
RESET ROLE;
SELECT pg_temp.try(format('SELECT kg_login(%L)', :'token'));
SELECT pg_temp.try($$SELECT kg_thaw_tenant('states')$$), pg_temp.try($$SELECT kg_grant('states', 'regress_states', 'read')$$), pg_temp.try($$SELECT kg_create_tenant('states')$$);
SELECT pg_temp.try($$SELECT kg_freeze_tenant('states')$$);
SELECT state FROM kg_tenant_state;
SELECT kg_check() -> 'ok' AS ok;
DO $$
DECLARE n int := 0;
BEGIN
  WHILE NOT kg_drop_tenant('states', 2) LOOP n := n + 1; COMMIT; END LOOP;
  ASSERT n > 10, 'not in pieces';
END $$;
CREATE FUNCTION pg_temp.left_of(of_tenant text) RETURNS TABLE ("table" text, rows bigint) LANGUAGE plpgsql AS $$
BEGIN
  FOR "table" IN SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant'
      JOIN pg_depend d ON d.objid = c.oid AND d.deptype = 'e' WHERE c.relkind IN ('r', 'p') ORDER BY c.relname COLLATE "C" LOOP
    EXECUTE format('SELECT count(*) FROM %I WHERE tenant = $1', "table") INTO rows USING of_tenant;
    IF rows > 0 THEN RETURN NEXT; END IF;
  END LOOP;
END $$;
SELECT * FROM pg_temp.left_of('states');
SELECT kg_check() -> 'ok' AS ok;
SET ROLE regress_states_b;
SELECT pg_temp.shop();
RESET ROLE;
-- and at once, frozen too
SELECT FROM kg_freeze_tenant('beside') a, kg_drop_tenant('beside') b;
SELECT * FROM pg_temp.left_of('beside');
SELECT count(*) AS states FROM kg_tenant_state;
SELECT FROM kg_create_tenant('beside') a, kg_drop_tenant('beside') b;
DELETE FROM kg_auth_key;
DROP ROLE regress_states, regress_states_b;
