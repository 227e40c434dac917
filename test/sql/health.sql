-- kg_health() reports each problem, to the callers that it concerns.
\i test/data/prelude.sql
SELECT current_user AS super \gset
CALL test.tenant('health', 'health_reader write');
CALL test.tenant('health other', 'health_stranger write');
CREATE ROLE health_gateway;
SELECT FROM kg_grant_gateway('health_gateway');
-- the tests that ran before have left no statistics, as autovacuum may not have come by
ANALYZE kg_entity, kg_edge, kg_index_key, kg_term, kg_trigram, kg_adjacency;
CREATE FUNCTION health_of() RETURNS TABLE (component text, status text, problems jsonb) LANGUAGE sql AS $$
  SELECT c ->> 'name', c ->> 'status', c #> '{metrics,problems}' FROM jsonb_array_elements(kg_health() -> 'components') c WHERE c ->> 'status' <> 'healthy'
  UNION ALL SELECT '(all)', kg_health() ->> 'status', NULL
$$;
SELECT * FROM health_of();
SELECT jsonb_object_keys(kg_health()) ORDER BY 1;
SELECT (kg_health() ->> 'timestamp')::timestamptz BETWEEN now() AND clock_timestamp() AS is_now, kg_health() ->> 'timestamp' ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$' AS is_rfc_3339, kg_health() ->> 'version' = extversion AS version
  FROM pg_extension WHERE extname = 'kg_graph';

-- to whom what is told
CREATE FUNCTION health_told() RETURNS text LANGUAGE sql AS $$SELECT string_agg(c ->> 'name', ' ' ORDER BY n) FROM jsonb_array_elements(kg_health() -> 'components') WITH ORDINALITY x(c, n)$$;
CREATE FUNCTION health_packed() RETURNS jsonb LANGUAGE sql AS $$SELECT c #> '{metrics,packed}' FROM jsonb_array_elements(kg_health() -> 'components') c WHERE c ->> 'name' = 'packing'$$;
SET ROLE health_reader;
SELECT kg_apply_bundle('{"bundle_name": "he", "version": "1", "schemas": [{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "up": {"type": "string", "x-ref": "thing"}}}}],
  "entities": [{"entity_type": "thing", "items": [{"id": "a"}, {"id": "b", "up": "a"}]}]}') ? 'revision' AS applied;
SELECT length(kg_put_entities('thing', (SELECT jsonb_agg(jsonb_build_object('id', 'n' || n, 'up', 'a')) FROM generate_series(1, 600) n))::text) > 100 AS put;
SELECT * FROM health_of();
SELECT health_told(), health_packed();
SELECT kg_pack() AS packed;
SELECT health_packed();
-- who does not see all of its tenant is told no numbers of it
RESET ROLE;
SELECT FROM kg_grant('health', 'health_reader', 'admin');
SET ROLE health_reader;
SELECT kg_create_agent('bot', '{"bundles": []}');
RESET ROLE;
SET ROLE health_reader; SET kg_graph.agent = 'bot';
SELECT health_told();
RESET kg_graph.agent;
RESET ROLE;
SET ROLE health_gateway;
SELECT health_told();
SELECT t ->> 'tenant' AS tenant FROM jsonb_array_elements(health_packed()) t WHERE t ->> 'tenant' LIKE 'health%';
SET ROLE health_stranger;
SELECT health_told(), health_packed();
RESET ROLE;
SELECT FROM kg_revoke('health other', 'health_stranger');
SET ROLE health_stranger;
SELECT health_told();
RESET ROLE;

-- what is wrong, one at a time
BEGIN; ALTER TABLE kg_edge NO FORCE ROW LEVEL SECURITY; SELECT * FROM health_of(); ROLLBACK;
BEGIN; ALTER TABLE kg_term DISABLE ROW LEVEL SECURITY; SELECT * FROM health_of(); ROLLBACK;
BEGIN; DROP POLICY kg_entity_select ON kg_entity; SELECT * FROM health_of(); ROLLBACK;
BEGIN; ALTER POLICY kg_entity_select ON kg_entity USING (true); SELECT * FROM health_of(); ROLLBACK;
BEGIN; ALTER POLICY kg_entity_select ON kg_entity TO health_reader; SELECT * FROM health_of(); ROLLBACK;
BEGIN; ALTER TABLE kg_entity DISABLE TRIGGER kg_entity_before; SELECT * FROM health_of(); ROLLBACK;
BEGIN; ALTER TABLE kg_entity ENABLE TRIGGER kg_entity_before; SELECT * FROM health_of(); ROLLBACK;
BEGIN; DROP TRIGGER kg_packed_updated ON kg_edge; SELECT * FROM health_of(); ROLLBACK;
BEGIN; DROP INDEX kg_edge_target_idx; SELECT * FROM health_of(); ROLLBACK;
BEGIN; UPDATE pg_index SET indisvalid = false WHERE indexrelid IN ('kg_term_node_idx'::regclass, 'kg_term_pkey'::regclass); SELECT * FROM health_of(); ROLLBACK;
BEGIN; ALTER TABLE kg_tenant DROP CONSTRAINT kg_tenant_tenant_check; SELECT * FROM health_of(); ROLLBACK;
BEGIN; ALTER TABLE kg_adjacency RESET (toast_tuple_target); SELECT * FROM health_of(); ROLLBACK;
BEGIN; DELETE FROM kg_secret WHERE name = 'cursor'; SELECT * FROM health_of(); ROLLBACK;
BEGIN; UPDATE pg_extension SET extversion = '0.0' WHERE extname = 'kg_graph'; SELECT component, status FROM health_of(); ROLLBACK;
BEGIN; DELETE FROM kg_adjacency WHERE tenant = 'health'; SELECT * FROM health_of(); ROLLBACK;
BEGIN; ALTER TABLE kg_pending_reference DISABLE TRIGGER kg_references; INSERT INTO kg_pending_reference VALUES ('health', 1, '{}', '{}', 0); ALTER TABLE kg_pending_reference ENABLE ALWAYS TRIGGER kg_references; SELECT * FROM health_of();
SET ROLE health_reader; SELECT * FROM health_of(); ROLLBACK;
BEGIN; INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, tenant, not_after) VALUES ('health', 'k', 'HS256', repeat('x', 32)::bytea, 'a', 'health', now() - interval '1 day'); SELECT * FROM health_of(); ROLLBACK;
BEGIN; INSERT INTO pg_db_role_setting VALUES (0, 'health_reader'::regrole, '{kg_graph.max_hops=99,kg_graph.max_hop=1,kg_graph.max_hops=3}'); SELECT * FROM health_of(); ROLLBACK;
-- However strings are read.
\c -
BEGIN; CALL test.odd_strings(); INSERT INTO pg_db_role_setting VALUES (0, 'health_reader'::regrole, '{kg_graph.max_hops=99,kg_graph.max_hop=1,kg_graph.max_hops=3}'); SELECT * FROM health_of(); ROLLBACK;
BEGIN; CREATE FUNCTION health_decide(text, text, text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS 'SELECT unnest($3), true'; SELECT FROM kg_set_authorizer('health', 'health_decide(text,text,text[])'); SELECT * FROM health_of();
DROP FUNCTION health_decide(text, text, text[]); SELECT * FROM health_of(); ROLLBACK;
BEGIN; SELECT FROM kg_add_policy('health_hide', 'kg_entity', 'true'); SELECT * FROM health_of(); DROP POLICY health_hide ON kg_entity; SELECT * FROM health_of(); ROLLBACK;
BEGIN; CREATE POLICY health_own ON kg_entity USING (true); SELECT * FROM health_of(); ROLLBACK;
BEGIN; ALTER EXTENSION kg_graph DROP FUNCTION kg_pack(); SELECT * FROM health_of(); ROLLBACK;
BEGIN; ALTER FUNCTION kg_pack() SECURITY DEFINER; SELECT * FROM health_of(); ROLLBACK;
BEGIN; ALTER EXTENSION kg_graph DROP TABLE kg_entity; SELECT * FROM health_of(); ALTER EXTENSION kg_graph ADD TABLE kg_entity; SELECT * FROM health_of(); ROLLBACK;
BEGIN; UPDATE pg_extension SET extcondition[array_position(extconfig, 'kg_entity'::regclass::oid)] = 'WHERE false' WHERE extname = 'kg_graph'; SELECT * FROM health_of(); ROLLBACK;
BEGIN; ALTER TABLE kg_trigram SET UNLOGGED; SELECT * FROM health_of(); ROLLBACK;
BEGIN; CREATE TABLE health_heir () INHERITS (kg_entity); SELECT * FROM health_of(); ROLLBACK;
BEGIN; CREATE TABLE health_parent (tenant text COLLATE "C" NOT NULL); ALTER TABLE kg_term INHERIT health_parent; SELECT * FROM health_of(); ROLLBACK;
BEGIN; CREATE TABLE health_mine (); ALTER EXTENSION kg_graph ADD TABLE health_mine; SELECT * FROM health_of(); ROLLBACK;
BEGIN; ALTER TABLE kg_term RENAME TO health_term; SELECT * FROM health_of(); ROLLBACK;
BEGIN; ALTER TABLE kg_tenant ALTER authorizer TYPE bytea USING NULL; SELECT * FROM health_of(); ROLLBACK;
BEGIN; REVOKE SELECT ON kg_entity FROM health_reader; SELECT * FROM health_of(); ROLLBACK;
BEGIN; DELETE FROM kg_role; REVOKE SELECT ON ALL TABLES IN SCHEMA public FROM health_reader; SELECT * FROM health_of() WHERE component = 'grants'; ROLLBACK;
BEGIN; ALTER ROLE health_reader BYPASSRLS; SELECT * FROM health_of(); ROLLBACK;
BEGIN; GRANT :"super" TO health_reader; SELECT component, status FROM health_of(); ROLLBACK;
-- no more than ten are said
BEGIN; DROP POLICY kg_tenant_select ON kg_tenant; DROP POLICY kg_bundle_select ON kg_bundle; DROP POLICY kg_relation_select ON kg_relation; DROP POLICY kg_tool_select ON kg_tool; DROP POLICY kg_edge_select ON kg_edge; DROP POLICY kg_term_select ON kg_term;
DROP POLICY kg_agent_select ON kg_agent; DROP POLICY kg_trigram_select ON kg_trigram; DROP POLICY kg_index_key_select ON kg_index_key; DROP POLICY kg_adjacency_select ON kg_adjacency; DROP POLICY kg_unique_key_select ON kg_unique_key;
SELECT c #> '{metrics,problems_found}' AS found, jsonb_array_length(c #> '{metrics,problems}') AS said FROM jsonb_array_elements(kg_health() -> 'components') c WHERE c ->> 'name' = 'tables'; ROLLBACK;
-- what a DBA adds is nobody's fault
BEGIN; CREATE INDEX health_own ON kg_entity (updated_at); CREATE POLICY health_own ON kg_entity AS RESTRICTIVE USING (true); SELECT * FROM health_of(); ROLLBACK;
BEGIN; SET TRANSACTION READ ONLY; SELECT * FROM health_of(); ROLLBACK;
BEGIN; SET LOCAL quote_all_identifiers = on; SELECT * FROM health_of(); SELECT kg_check() -> 'differences' AS differences, current_setting('quote_all_identifiers') AS quotes; ROLLBACK;
SELECT * FROM health_of();

SELECT FROM kg_revoke_gateway('health_gateway');
DROP FUNCTION health_of(), health_told(), health_packed();
DROP OWNED BY health_gateway;
CALL test.drop('health', 'health other');
DROP ROLE health_gateway;
