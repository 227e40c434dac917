-- A write with an idempotency key is done once. If it is sent again, the first reply
-- is returned. Another write with the same key is refused.
\i test/data/prelude.sql
CALL test.tenant('idem', 'idem_app write', 'idem_other admin', 'idem_reader read');
CALL test.tenant('idem 2', 'idem_app write');
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('https://idem', 'i', 'HS256', 'idemidemidemidemidemidemidemidemidem', 'kg', 'write');
CREATE FUNCTION idem_token(claims jsonb) RETURNS text LANGUAGE sql AS $$ SELECT kg_issue_token('{"iss": "https://idem", "aud": "kg", "tenant": "idem", "access": "write"}'::jsonb || claims, 'i', '1 hour') $$;
SELECT idem_token('{"sub": "ada"}') AS ada, idem_token('{"sub": "bob"}') AS bob, idem_token('{"sub": "ada", "agent": "bot"}') AS ada_bot \gset
CREATE FUNCTION failed(sql text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE d text; r text; BEGIN EXECUTE sql INTO r; RETURN r; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL; RETURN SQLSTATE || ' ' || left(SQLERRM, 120) || ' ' || coalesce((CASE WHEN d LIKE '{%' THEN d::jsonb - 'message' - 'allowed' - 'errors' END)::text, ''); END $$;
GRANT SET ON PARAMETER kg_graph.idempotency_time TO idem_app;
GRANT EXECUTE ON FUNCTION kg_login(text, boolean) TO idem_app;
ALTER ROLE idem_app SET kg_graph.tenant = 'idem';
\c - idem_app
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION pg_temp.bundle(version text) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_build_object('bundle_name', 'shop', 'version', version, 'schemas', '[{"entity_type": "item", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}}}]'::jsonb, 'relations', '[{"name": "LIKES", "from": "item", "to": "item"}]'::jsonb,
  'entities', '[{"entity_type": "item", "items": [{"id": "a"}, {"id": "b"}]}]'::jsonb) $$;
SELECT kg_apply_bundle(pg_temp.bundle('1'), '{"idempotency_key": "apply"}') -> 'entities';
SELECT r -> 'entities', r -> 'replayed' FROM kg_apply_bundle(pg_temp.bundle('1'), '{"idempotency_key": "apply"}') r;
SELECT failed(format('SELECT kg_apply_bundle(%L, ''{"idempotency_key": "apply"}'')', pg_temp.bundle('2')));
SELECT failed(format('SELECT kg_apply_bundle_text(%L, ''{"idempotency_key": "apply"}'')', pg_temp.bundle('1')));
SELECT r -> 'revision', r -> 'replayed' FROM kg_apply_bundle_text(pg_temp.bundle('1')::text, '{"idempotency_key": "text"}') r;
SELECT r -> 'revision', r -> 'replayed' FROM kg_apply_bundle_text(pg_temp.bundle('1')::text, '{"idempotency_key": "text"}') r;
-- a dry run is not counted
SELECT r -> 'dry_run', r -> 'replayed' FROM generate_series(1, 2), kg_apply_bundle(pg_temp.bundle('2'), '{"idempotency_key": "later", "dry_run": true}') r;
SELECT r -> 'revision', r -> 'replayed' FROM kg_apply_bundle(pg_temp.bundle('2'), '{"idempotency_key": "later"}') r;

-- Every writing function.
SELECT kg_put_entities('item', '[{"id": "c"}, {"id": "d", "n": "x"}]', '{"idempotency_key": "put"}') -> 'counts';
SELECT kg_put_entities('item', '[{"id": "c"}, {"id": "d", "n": "x"}]', '{"idempotency_key": "put"}') - 'items';
SELECT kg_put_edges('[{"relation": "LIKES", "from": "a", "to": "b"}]', '{"idempotency_key": "edges"}') - 'items';
SELECT kg_put_edges('[{"relation": "LIKES", "from": "a", "to": "b"}]', '{"idempotency_key": "edges"}') - 'items';
SELECT kg_delete_edges('[{"relation": "LIKES", "from": "a", "to": "b"}]', '{"idempotency_key": "no edges"}') - 'items';
SELECT kg_delete_edges('[{"relation": "LIKES", "from": "a", "to": "b"}]', '{"idempotency_key": "no edges"}') - 'items';
SELECT kg_delete_entities('item', ARRAY['c'], '{"idempotency_key": "gone"}') - 'items';
SELECT kg_delete_entities('item', ARRAY['c'], '{"idempotency_key": "gone"}') - 'items';
-- a replay writes nothing, whatever was done since
SELECT kg_put_entities('item', '[{"id": "c"}, {"id": "d", "n": "x"}]', '{"idempotency_key": "put"}') - 'items', (SELECT count(*) FROM kg_entity);
-- other arguments, another order of options is the same
SELECT failed($$SELECT kg_put_entities('item', '[{"id": "c"}]', '{"idempotency_key": "put"}')$$), failed($$SELECT kg_put_edges('[]', '{"idempotency_key": "put"}')$$);
SELECT kg_put_entities('item', '[{"id": "e"}]', '{"idempotency_key": "opt", "atomic": true}') -> 'replayed', kg_put_entities('item', '[{"id": "e"}]', '{"atomic": true, "idempotency_key": "opt"}') -> 'replayed', failed($$SELECT kg_put_entities('item', '[{"id": "e"}]', '{"atomic": false, "idempotency_key": "opt"}')$$);
-- what failed as a whole was not done
SELECT failed($$SELECT kg_put_entities('item', '[{"id": "f", "n": "x"}]', '{"idempotency_key": "fail", "atomic": true}')$$);
SELECT kg_put_entities('item', '[{"id": "f", "n": 1}]', '{"idempotency_key": "fail", "atomic": true}') - 'items';
BEGIN; SELECT kg_put_entities('item', '[{"id": "g"}]', '{"idempotency_key": "back"}') - 'items'; ROLLBACK;
BEGIN; SAVEPOINT s; SELECT kg_put_entities('item', '[{"id": "g"}]', '{"idempotency_key": "back"}') - 'items'; ROLLBACK TO s; SELECT kg_put_entities('item', '[{"id": "h"}]', '{"idempotency_key": "back"}') - 'items'; SELECT kg_put_entities('item', '[{"id": "h"}]', '{"idempotency_key": "back"}') - 'items'; COMMIT;
-- keys and options
SELECT o, failed(format('SELECT kg_put_entities(''item'', ''[]'', %L)', o)), failed(format('SELECT kg_drop_bundle(''none'', %L)', o)), failed(format('SELECT kg_apply_bundle(''{}'', %L)', o)) FROM unnest(ARRAY['{"idempotency_key": ""}', '{"idempotency_key": 5}', '{"idempotency_key": null}', '{"idempotency": "x"}', '[]', '"x"', 'null']::jsonb[]) o;
SELECT failed(format('SELECT kg_put_entities(''item'', ''[]'', %L)', jsonb_build_object('idempotency_key', repeat('k', 129)))), failed(format('SELECT kg_put_entities(''item'', ''[]'', %L) -> ''counts''', jsonb_build_object('idempotency_key', repeat('é', 64))));
-- where nothing can be written
BEGIN READ ONLY; SELECT kg_put_entities('item', '[{"id": "e"}]', '{"idempotency_key": "opt", "atomic": true}') - 'items'; SELECT kg_put_entities('item', '[{"id": "e"}]', '{"idempotency_key": "read"}') - 'items'; SELECT kg_put_entities('item', '[{"id": "z"}]', '{"idempotency_key": "read"}'); ROLLBACK;
SELECT kg_put_entities('item', '[{"id": "e"}]', '{"idempotency_key": "read"}') - 'items';
-- in all levels
BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT kg_put_entities('item', '[{"id": "i"}]', '{"idempotency_key": "ser"}') - 'items', kg_put_entities('item', '[{"id": "i"}]', '{"idempotency_key": "ser"}') - 'items'; COMMIT;

-- A key is a caller's own, of a tenant.
SELECT failed('SELECT count(*) FROM kg_idempotency'), failed('DELETE FROM kg_idempotency');
SET kg_graph.tenant = 'idem 2';
SELECT failed($$SELECT kg_put_entities('item', '[{"id": "c"}]', '{"idempotency_key": "put"}')$$);
\c - idem_other
SELECT kg_put_entities('item', '[{"id": "c"}]', '{"idempotency_key": "put"}') - 'items';
\c - idem_reader
SELECT failed($$SELECT kg_put_entities('item', '[{"id": "c"}]', '{"idempotency_key": "put"}')$$);
\c - idem_other
SELECT kg_create_agent('bot', '{"bundles": ["shop"]}');
\c - idem_app
BEGIN; SELECT kg_login(:'ada'); SELECT kg_put_entities('item', '[{"id": "j"}]', '{"idempotency_key": "put"}') - 'items'; COMMIT;
BEGIN; SELECT kg_login(:'bob'); SELECT kg_put_entities('item', '[{"id": "j"}]', '{"idempotency_key": "put"}') - 'items'; COMMIT;
BEGIN; SELECT kg_login(:'ada'); SELECT kg_put_entities('item', '[{"id": "j"}]', '{"idempotency_key": "put"}') - 'items'; COMMIT;
-- a key of another agent is another key
BEGIN; SELECT kg_login(:'ada_bot'); SELECT failed($$SELECT kg_put_entities('item', '[{"id": "j"}]', '{"idempotency_key": "put"}')$$); COMMIT;

-- Kept for as long as the setting says, and no longer than until later writes.
\c - :owner
SELECT caller, count(*) FROM kg_idempotency GROUP BY 1 ORDER BY caller COLLATE "C";
UPDATE kg_idempotency SET created_at = created_at - interval '1 day' WHERE caller LIKE '["idem_app", null%';
INSERT INTO kg_idempotency(tenant, caller, key, request, reply, created_at) SELECT 'idem', 'role:gone', 'k' || i, '', '{}', now() - interval '2 days' FROM generate_series(1, 150) i;
\c - idem_app
SELECT kg_put_entities('item', '[{"id": "c"}]', '{"idempotency_key": "put"}') - 'items';
SELECT kg_put_entities('item', '[{"id": "c"}]', '{"idempotency_key": "put"}') - 'items';
\c - :owner
SELECT caller, count(*) FROM kg_idempotency GROUP BY 1 ORDER BY caller COLLATE "C";
\c - idem_app
SET kg_graph.idempotency_time = '30 d';
SELECT kg_put_entities('item', '[{"id": "e"}]', '{"idempotency_key": "opt", "atomic": true}') -> 'replayed';
RESET kg_graph.idempotency_time;
SELECT kg_put_entities('item', '[{"id": "c"}]', '{"idempotency_key": "last"}') - 'items';
\c - :owner
SELECT caller, count(*) FROM kg_idempotency GROUP BY 1 ORDER BY caller COLLATE "C";
-- with limits: what a quota refuses is not kept
SELECT kg_set_limits('idem', '*', '{"entities": 1}');
\c - idem_app
SELECT failed($$SELECT kg_put_entities('item', '[{"id": "q"}]', '{"idempotency_key": "quota"}')$$), failed($$SELECT kg_put_entities('item', '[{"id": "c"}]', '{"idempotency_key": "quota"}') -> 'counts'$$);
SELECT kg_drop_bundle('shop', '{"idempotency_key": "drop"}') -> 'entities', kg_drop_bundle('shop', '{"idempotency_key": "drop"}') -> 'replayed', failed($$SELECT kg_drop_bundle('shop')$$);
\c - :owner
SET client_min_messages = error;
SELECT kg_drop_tenant('idem'), kg_drop_tenant('idem 2');
SELECT count(*) FROM kg_idempotency;
REVOKE SET ON PARAMETER kg_graph.idempotency_time FROM idem_app;
DELETE FROM kg_auth_key WHERE kid = 'i';
DROP FUNCTION idem_token, failed;
DROP OWNED BY idem_app, idem_other, idem_reader;
DROP ROLE idem_app, idem_other, idem_reader;
