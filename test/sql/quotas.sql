-- Quotas of a tenant: what is counted, what is refused, what is given back.
\i test/data/prelude.sql
CALL test.tenant('quotas', 'quotas_admin admin', 'quotas_app write');
CALL test.tenant('quotas 2', 'quotas_other write');
CREATE FUNCTION failed(sql text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE d text; BEGIN EXECUTE sql; RETURN 'done'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL; RETURN SQLSTATE || ' ' || left(SQLERRM, 120) || ' ' || coalesce((CASE WHEN d LIKE '{%' THEN d::jsonb - 'message' - 'allowed' END)::text, ''); END $$;
CREATE VIEW counted WITH (security_invoker) AS SELECT quota, sum(used) AS used, sum(allotted) AS allotted, count(*) AS stripes, sum(allotted) - sum(used) AS free FROM kg_quota GROUP BY quota;
CREATE VIEW stored WITH (security_invoker) AS SELECT (SELECT count(*) FROM kg_entity) AS entities, (SELECT count(*) FROM kg_edge) AS edges, (SELECT count(*) FROM kg_bundle) AS bundles,
  (SELECT coalesce(sum(octet_length(data::text)), 0) FROM kg_entity) + (SELECT coalesce(sum(octet_length(properties::text)), 0) FROM kg_edge) AS bytes;
GRANT SELECT ON counted, stored TO PUBLIC;
-- what is counted is what is there
CREATE FUNCTION right_count() RETURNS text LANGUAGE sql AS $$ SELECT coalesce(string_agg(quota || ' ' || (CASE quota WHEN 'entities' THEN entities WHEN 'edges' THEN edges WHEN 'bundles' THEN bundles ELSE bytes END) || ' counted as ' || used, ', '), 'right') FROM counted, stored WHERE used <> CASE quota WHEN 'entities' THEN entities WHEN 'edges' THEN edges WHEN 'bundles' THEN bundles ELSE bytes END $$;
CREATE FUNCTION quota_bundle(name text, n int) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_build_object('bundle_name', name, 'version', '1', 'schemas', '[{"entity_type": "item", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "text": {"type": "string"}, "of": {"type": "string", "x-ref": "item", "x-on-delete": "cascade"}}}}]'::jsonb,
  'relations', '[{"name": "LIKES", "from": "item", "to": "item", "schema": {"type": "object", "properties": {"why": {"type": "string"}}}}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'item', 'items', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', 'i' || i)), '[]') FROM generate_series(1, n) i)))) $$;
\c - quotas_admin
\pset format unaligned
\pset tuples_only on
SELECT kg_apply_bundle(quota_bundle('shop', 5)) ? 'revision';
SELECT count(*) FROM kg_quota;
-- what is there counts from the start
SELECT kg_set_limits('quotas', '*', '{"entities": 10, "edges": 4, "bundles": 2, "bytes": 400}');
SELECT quota, used, allotted, stripes FROM counted ORDER BY 1; SELECT right_count();
SELECT kg_limits() -> 'quotas';
\c - quotas_app
SELECT count(*) FROM kg_quota;
\c - quotas_other
SELECT count(*) FROM kg_quota;
SELECT kg_apply_bundle(quota_bundle('shop', 50)) ? 'revision';

-- Whoever writes, and however.
\c - quotas_app
SELECT failed($$INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'shop', 'item', jsonb_build_object('id', 'j' || i) FROM generate_series(1, 6) i$$);
SELECT * FROM stored;
SELECT failed($$SELECT kg_put_entities('item', '[{"id": "j1"}, {"id": "j2"}, {"id": "j3"}, {"id": "j4"}, {"id": "j5"}, {"id": "j6"}]')$$);
SELECT failed($$SELECT kg_apply_bundle(quota_bundle('shop', 11))$$);
SELECT kg_apply_bundle(quota_bundle('shop', 11), '{"dry_run": true}') -> 'errors';
SELECT failed($$SELECT kg_apply_bundle_text(quota_bundle('shop', 11)::text)$$);
SELECT * FROM stored;
SELECT kg_put_entities('item', '[{"id": "j1"}, {"id": "j2"}, {"id": "j3"}, {"id": "j4"}, {"id": "j5", "of": "i1"}]') -> 'counts';
SELECT failed($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'item', '{"id": "j6"}')$$);
SELECT failed($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'item', '{"id": "j5"}') ON CONFLICT (tenant, bundle, entity_type, entity_id) DO UPDATE SET data = '{"id": "j5", "of": "i2"}'$$);
-- edges, declared and derived
SELECT failed($$SELECT kg_put_edges('[{"relation": "LIKES", "from": "i1", "to": "i2"}, {"relation": "LIKES", "from": "i1", "to": "i3"}, {"relation": "LIKES", "from": "i1", "to": "i4"}, {"relation": "LIKES", "from": "i1", "to": "i5"}]')$$);
SELECT kg_put_edges('[{"relation": "LIKES", "from": "i1", "to": "i2", "properties": {"why": "x"}}, {"relation": "LIKES", "from": "i1", "to": "i3"}, {"relation": "LIKES", "from": "i1", "to": "i4"}]') -> 'counts';
SELECT failed($$UPDATE kg_entity SET data = data || '{"of": "i1"}' WHERE entity_id = 'j1'$$);
SELECT failed($$UPDATE kg_entity SET data = data || '{"of": "i3"}' WHERE entity_id = 'j5'$$);
-- bytes: of entities' texts and of edges' properties
SELECT failed($$UPDATE kg_entity SET data = data || jsonb_build_object('text', repeat('é', 200)) WHERE entity_id = 'j1'$$);
SELECT failed($$UPDATE kg_entity SET data = data || jsonb_build_object('text', repeat('x', 100)) WHERE entity_id = 'j1'$$);
SELECT failed($$SELECT kg_put_edges(jsonb_build_array(jsonb_build_object('relation', 'LIKES', 'from', 'i1', 'to', 'i2', 'properties', jsonb_build_object('why', repeat('w', 300)))))$$);
SELECT failed($$SELECT kg_apply_bundle('{"bundle_name": "two", "version": "1"}')$$), failed($$SELECT kg_apply_bundle('{"bundle_name": "three", "version": "1"}')$$), failed($$SELECT kg_drop_bundle('two')$$);
\c - quotas_admin
SELECT quota, used, allotted FROM counted ORDER BY 1; SELECT right_count();
-- What is rolled back is not counted, nor what a subtransaction took back; what is deleted, also with others, is given back.
BEGIN; DELETE FROM kg_entity; SELECT quota, used FROM counted ORDER BY 1; ROLLBACK;
SELECT right_count();
BEGIN; SAVEPOINT s; DELETE FROM kg_entity WHERE entity_id LIKE 'j%'; ROLLBACK TO s; DELETE FROM kg_entity WHERE entity_id = 'j5'; INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'item', '{"id": "k1"}'); COMMIT;
SELECT quota, used FROM counted ORDER BY 1; SELECT right_count();
SELECT kg_delete_entities('item', ARRAY['i3']) -> 'counts';
SELECT right_count();
-- deleted and written again in one statement
WITH gone AS (DELETE FROM kg_entity WHERE entity_id = 'k1' RETURNING data) INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'shop', 'item', jsonb_build_object('id', 'k2') FROM gone;
SELECT right_count();
SELECT kg_rebuild() -> 'entities', right_count();

-- Another quota counts from then on; one below what is there refuses more, and lets less.
SELECT kg_set_limits('quotas', '*', '{"entities": 3}');
SELECT quota, used, allotted FROM counted; SELECT right_count();
\c - quotas_app
SELECT failed($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'item', '{"id": "l1"}')$$);
SELECT failed($$DELETE FROM kg_entity WHERE entity_id = 'j1'$$), failed($$UPDATE kg_entity SET data = data || '{"text": "t"}' WHERE entity_id = 'j2'$$);
SELECT failed($$DELETE FROM kg_entity WHERE entity_id <> 'i1'$$), failed($$INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'shop', 'item', jsonb_build_object('id', 'm' || i) FROM generate_series(1, 3) i$$), failed($$INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'shop', 'item', jsonb_build_object('id', 'm' || i) FROM generate_series(1, 2) i$$), failed($$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'item', '{"id": "l1"}')$$);
SELECT count(*) FROM kg_entity;
\c - quotas_admin
SELECT right_count();
-- the ceiling counts where it is lower, and stays when the admins' quota goes
\c - :owner
SELECT kg_set_limits('quotas', '*', '{"entities": 2, "bytes": 9223372036854775807}');
\c - quotas_admin
SELECT quota, used, allotted FROM counted ORDER BY 1;
SELECT kg_set_limits('quotas', '*', '{}');
SELECT quota, used, allotted FROM counted ORDER BY 1; SELECT right_count();
SELECT failed($$SELECT kg_put_entities('item', '[{"id": "l1"}]')$$);
\c - :owner
SELECT kg_set_limits('quotas', '*', '{}');
\c - quotas_admin
SELECT count(*) FROM kg_quota;
SELECT failed($$SELECT kg_put_entities('item', '[{"id": "l1"}]')$$);
-- 0 allows none
SELECT kg_set_limits('quotas', '*', '{"bundles": 0, "edges": 0}');
SELECT failed($$SELECT kg_apply_bundle('{"bundle_name": "two", "version": "1"}')$$), failed($$SELECT kg_put_edges('[{"relation": "LIKES", "from": "i1", "to": "l1"}]')$$);
-- the owner's writes count as well, and rows of several tenants in one statement
\c - :owner
SELECT kg_set_limits('quotas', '*', '{"entities": 5}'), kg_set_limits('quotas 2', '*', '{"entities": 52}');
SELECT failed($$INSERT INTO kg_entity(tenant, bundle, entity_type, data) SELECT t, 'shop', 'item', jsonb_build_object('id', 'z1') FROM unnest(ARRAY['quotas', 'quotas 2']) t$$);
SELECT failed($$INSERT INTO kg_entity(tenant, bundle, entity_type, data) SELECT t, 'shop', 'item', jsonb_build_object('id', 'y' || i) FROM unnest(ARRAY['quotas', 'quotas 2']) t, generate_series(1, 2) i$$);
SELECT tenant, quota, sum(used), sum(allotted) FROM kg_quota GROUP BY 1, 2 ORDER BY 1, 2;
SET client_min_messages = error;
SELECT kg_drop_tenant('quotas'), kg_drop_tenant('quotas 2');
SELECT count(*) FROM kg_quota;
DROP FUNCTION failed, right_count, quota_bundle;
DROP VIEW counted, stored;
DROP OWNED BY quotas_admin, quotas_app, quotas_other;
DROP ROLE quotas_admin, quotas_app, quotas_other;
