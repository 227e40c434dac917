-- Policies of a DBA's own that dumps keep: in force, or the roles that they name have no tenant.
\i test/data/prelude.sql
SELECT current_user AS super \gset
CREATE ROLE policy_a LOGIN;
CREATE ROLE policy_b LOGIN;
CREATE ROLE policy_c LOGIN;
CREATE ROLE policy_group;
GRANT policy_group TO policy_c;
CALL test.tenant('policy');
SELECT kg_grant('policy', r, 'write') FROM unnest(ARRAY['policy_a', 'policy_b', 'policy_c']) r;
SET ROLE policy_a;
SELECT kg_apply_bundle('{"bundle_name": "notes", "version": "1", "schemas": [{"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "next": {"type": "string", "x-ref": "note"}}}}],
  "entities": [{"entity_type": "note", "items": [{"id": "open", "next": "secret"}, {"id": "secret"}]}]}') ? 'revision' AS applied;
RESET ROLE;
CREATE FUNCTION policy_seen() RETURNS TABLE (role text, entities bigint, listed text) LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  FOREACH role IN ARRAY ARRAY['policy_a', 'policy_b', 'policy_c'] LOOP
    PERFORM set_config('role', role, true);
    entities := (SELECT count(*) FROM kg_entity);
    BEGIN
      listed := kg_list('note') ->> 'total';
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
      listed := detail::jsonb ->> 'code';
    END;
    PERFORM set_config('role', 'none', true);
    RETURN NEXT;
  END LOOP;
END
$$;
-- only the owner
SET ROLE policy_a;
SELECT kg_add_policy('mine', 'kg_entity', 'true');
SELECT kg_drop_policy('mine');
SELECT count(*) FROM kg_policy;
SELECT kg_dump_customizations();
SELECT kg_renew_secrets();
RESET ROLE;
-- what is wrong with one is said, and nothing is registered
SELECT kg_add_policy('kg_entity_select', 'kg_entity', 'true');
SELECT kg_add_policy('hide', 'kg_tenant', 'true');
SELECT kg_add_policy(repeat('é', 40), 'kg_entity', 'true');
SELECT kg_add_policy('hide', NULL, 'true');
SELECT kg_add_policy('hide', 'kg_entity', NULL);
SELECT kg_add_policy('hide', 'kg_entity', 'true', command => 'TRUNCATE');
SELECT kg_add_policy('hide', 'kg_entity', 'true', roles => '{}');
SELECT kg_add_policy('hide', 'kg_entity', 'true', roles => '{policy_a,NULL}');
\set VERBOSITY default
SELECT kg_add_policy('hide', 'kg_entity', 'true', roles => '{}');
\set VERBOSITY terse
SELECT kg_add_policy('hide', 'kg_entity', 'nonsense');
SELECT kg_add_policy('hide', 'kg_entity', 'true', roles => '{policy_nobody}');
-- one expression, and nothing that ends it or goes on after it
CREATE TABLE policy_ran();
SELECT kg_add_policy('hide', 'kg_entity', 'true) WITH CHECK (true); DROP TABLE public.policy_ran; --');
SELECT kg_add_policy('hide', 'kg_entity', 'true', 'true); DROP TABLE public.policy_ran; --');
SELECT kg_add_policy('hide', 'kg_entity', 'true /*', '*/) ; DROP TABLE public.policy_ran; --');
SELECT kg_add_policy('hide', 'kg_entity', 'true; DROP TABLE public.policy_ran');
SELECT kg_add_policy('hide', 'kg_entity', '');
SELECT kg_add_policy('hide', 'kg_entity', 'true, false');
SELECT kg_add_policy('hide', 'kg_entity', 'true AS name');
SELECT kg_add_policy('hide', 'kg_entity', 'true FROM pg_class');
SELECT kg_add_policy('hide', 'kg_entity', 'true LIMIT 1');
SELECT kg_add_policy('hide', 'kg_entity', 'true FOR UPDATE');
SELECT kg_add_policy('hide', 'kg_entity', 'DISTINCT true');
INSERT INTO kg_policy(policy, on_table, command, roles, using_expr) VALUES ('hide', 'kg_entity', 'ALL', '{public}', 'true); DROP TABLE public.policy_ran; --');
DELETE FROM kg_policy;
INSERT INTO kg_policy(policy, on_table, command, roles, using_expr) VALUES ('hide', 'kg_entity', 'ALL TO public; DROP TABLE public.policy_ran; COMMIT; --', '{public}', 'true');
SELECT count(*) AS nothing_ran FROM policy_ran;
DROP TABLE policy_ran;
-- a comment at the end of one is not the beginning of another
BEGIN;
SELECT kg_add_policy('hide', 'kg_entity', 'true -- all', E'entity_id <> '')'' -- (but one\n');
SELECT using_expr, check_expr, made_using, made_check FROM kg_policy;
ROLLBACK;
SELECT kg_drop_policy('hide');
SELECT count(*) FROM kg_policy;

SELECT kg_add_policy('hide', 'kg_entity', $$entity_id <> 'secret'$$, command => 'select', roles => '{policy_a,policy_group}');
SELECT * FROM policy_seen();
SELECT code, object FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c WHERE code <> 'GRANT_ORPHANED';
-- in force whatever the settings of who made it and of who asks are, and the same expression everywhere
SET TimeZone = 'Asia/Kolkata'; SET DateStyle = 'German'; SET quote_all_identifiers = on; SET IntervalStyle = iso_8601; SET bytea_output = escape;
BEGIN;
SELECT kg_add_policy('hide', 'kg_entity', $$created_at > '2020-02-03 00:00' AND created_at - updated_at < '1 day 2 hours' AND data <> '{"order": 1}' AND decode('00ff', 'hex') <> '\x5c00'$$, roles => '{policy_a}');
CREATE POLICY hide_by_hand ON kg_edge AS RESTRICTIVE USING (now() > '2020-02-03 00:00+00');
RESET TimeZone; RESET DateStyle; RESET quote_all_identifiers; RESET IntervalStyle; RESET bytea_output;
SELECT made_using FROM kg_policy WHERE policy = 'hide';
SELECT entities > 0 AS seen, listed FROM policy_seen() WHERE role = 'policy_a';
SET LOCAL TimeZone = 'Asia/Tokyo'; SET LOCAL DateStyle = 'German'; SET LOCAL quote_all_identifiers = on; SET LOCAL IntervalStyle = sql_standard; SET LOCAL bytea_output = escape;
SELECT entities > 0 AS seen, listed FROM policy_seen() WHERE role = 'policy_a';
SELECT d FROM kg_dump_customizations() d WHERE d ~ 'by_hand';
SELECT count(*) FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c WHERE code = 'POLICY_NOT_IN_FORCE';
ROLLBACK;
RESET TimeZone; RESET DateStyle; RESET quote_all_identifiers; RESET IntervalStyle; RESET bytea_output;
-- moved to the other table, it is gone from the first
BEGIN; SELECT kg_add_policy('hide', 'kg_edge', 'true', roles => '{policy_a,policy_group}'); SELECT polrelid::regclass FROM pg_policy WHERE polname = 'hide'; ROLLBACK;
-- altered, dropped, made permissive, switched off: closed for whom it names
BEGIN; ALTER POLICY hide ON kg_entity USING (true); SELECT * FROM policy_seen(); SELECT code, object, message, hint FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c WHERE code = 'POLICY_NOT_IN_FORCE'; ROLLBACK;
BEGIN; ALTER POLICY hide ON kg_entity TO policy_group; SELECT * FROM policy_seen(); ROLLBACK;
BEGIN; DROP POLICY hide ON kg_entity; SELECT * FROM policy_seen(); SELECT kg_add_policy('hide', 'kg_entity', $$entity_id <> 'secret'$$, command => 'SELECT', roles => '{policy_a,policy_group}'); SELECT * FROM policy_seen(); ROLLBACK;
BEGIN; DROP POLICY hide ON kg_entity; CREATE POLICY hide ON kg_entity FOR SELECT TO policy_a, policy_group USING (entity_id <> 'secret'); SELECT * FROM policy_seen(); ROLLBACK;
BEGIN; ALTER TABLE kg_entity DISABLE ROW LEVEL SECURITY; SELECT role, listed FROM policy_seen(); ROLLBACK;
BEGIN; ALTER POLICY hide ON kg_entity RENAME TO hidden; SELECT * FROM policy_seen(); ROLLBACK;
BEGIN; ALTER ROLE policy_group RENAME TO policy_crew; SELECT * FROM policy_seen(); ROLLBACK;
-- a row as a restore brings it: made again; or not, with a warning, and closed
BEGIN;
DROP POLICY hide ON kg_entity;
CREATE TEMP TABLE dumped AS SELECT policy, on_table, command, roles, using_expr, check_expr FROM kg_policy;
DELETE FROM kg_policy;
SELECT * FROM policy_seen();
INSERT INTO kg_policy(policy, on_table, command, roles, using_expr, check_expr) SELECT * FROM dumped;
SELECT * FROM policy_seen();
DELETE FROM kg_policy;
DROP POLICY hide ON kg_entity;
INSERT INTO kg_policy(policy, on_table, command, roles, using_expr) SELECT policy, on_table, command, roles || '{policy_missing}', using_expr FROM dumped;
SELECT * FROM policy_seen();
SELECT code, object, message FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c WHERE code = 'POLICY_NOT_IN_FORCE';
SELECT kg_drop_policy('hide');
SELECT * FROM policy_seen();
ROLLBACK;
-- everybody's, and writing
SELECT kg_add_policy('hide', 'kg_entity', $$entity_id <> 'secret'$$, $$entity_id <> 'never'$$);
SELECT * FROM policy_seen();
SET ROLE policy_b;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('notes', 'note', '{"id": "never"}');
RESET ROLE;
BEGIN; DROP POLICY hide ON kg_entity; SELECT * FROM policy_seen(); ROLLBACK;
SELECT kg_drop_policy('hide');
SELECT * FROM policy_seen();

-- One that is not registered is told of where it is found, once: to who could register it (others' calls tell the server's log).
SELECT kg_grant('policy', current_user::text, 'read');
SELECT kg_grant('policy', 'policy_group', 'read');
CREATE POLICY by_hand ON kg_entity AS RESTRICTIVE FOR SELECT TO policy_group USING (entity_id <> 'x');
SELECT kg_list('note') ->> 'total' AS total;
SELECT kg_list('note') ->> 'total' AS total;
DROP POLICY by_hand ON kg_entity;
CREATE POLICY by_hand_too ON kg_entity AS RESTRICTIVE FOR SELECT TO policy_c USING (entity_id <> 'x');
SET ROLE policy_c;
SELECT kg_list('note') ->> 'total' AS total;
RESET ROLE;
DROP POLICY by_hand_too ON kg_entity;
SELECT kg_add_policy('by_call', 'kg_entity', $$entity_id <> 'x'$$, command => 'select', roles => '{policy_c}');
SELECT kg_list('note') ->> 'total' AS total;
SELECT kg_drop_policy('by_call');
SELECT kg_revoke('policy', current_user::text), kg_revoke('policy', 'policy_group');

-- What a DBA made by hand is listed, with the statements to make it again.
CREATE FUNCTION policy_log() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE POLICY by_hand ON kg_entity AS RESTRICTIVE FOR SELECT TO policy_a USING (entity_id <> 'x');
CREATE TRIGGER zz_log BEFORE INSERT ON kg_entity FOR EACH ROW EXECUTE FUNCTION policy_log();
CREATE INDEX policy_updated ON kg_entity (tenant, updated_at);
ALTER TABLE kg_entity SET (fillfactor = 90);
ALTER TABLE kg_entity ALTER COLUMN entity_id SET STATISTICS 500;
ALTER TABLE kg_edge ADD CONSTRAINT policy_check CHECK (source > 0);
SELECT kg_dump_customizations();
SELECT code, object, hint FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c WHERE code = 'NOT_IN_DUMPS' ORDER BY object COLLATE "C" LIMIT 3;
-- Names that PostgreSQL chooses, or that others of ours have, are no reason to leave one out.
BEGIN;
CREATE POLICY kg_entity_all ON kg_entity AS RESTRICTIVE USING (entity_id <> 'y');
CREATE POLICY kg_tenant_insert ON kg_tenant FOR INSERT WITH CHECK (false);
CREATE INDEX ON kg_entity (bundle);
CREATE UNIQUE INDEX policy_number ON kg_entity (node);
CREATE TABLE policy_refers(node bigint REFERENCES kg_entity (node));
ALTER TABLE kg_entity ADD CHECK (length(entity_id) < 100), ADD CHECK (node > 0 OR version > 0), ADD UNIQUE (tenant, type_no, entity_id);
SELECT d FROM kg_dump_customizations() d WHERE d ~ 'kg_entity_(all|bundle|data|entity_id|check|tenant)|kg_tenant_insert|policy_number';
ROLLBACK;
DROP POLICY by_hand ON kg_entity;
DROP TRIGGER zz_log ON kg_entity;
DROP FUNCTION policy_log();
DROP INDEX policy_updated;
ALTER TABLE kg_entity RESET (fillfactor);
ALTER TABLE kg_entity ALTER COLUMN entity_id SET STATISTICS -1;
ALTER TABLE kg_edge DROP CONSTRAINT policy_check;
SELECT count(*) FROM kg_dump_customizations();

-- A grant that is deleted in replica mode is gone at once for sessions that had it.
SET SESSION AUTHORIZATION policy_b;
SELECT kg_tenant();
RESET SESSION AUTHORIZATION;
SET session_replication_role = replica;
DELETE FROM kg_tenant_role WHERE role = 'policy_b'::regrole;
TRUNCATE kg_edge;
RESET session_replication_role;
SET SESSION AUTHORIZATION policy_b;
SELECT kg_tenant() IS NULL AS nobody;
RESET SESSION AUTHORIZATION;
SELECT count(*) > 5 AS always FROM pg_trigger WHERE tgname = 'kg_catalog_changed' AND tgenabled = 'A';
SELECT tgrelid::regclass, tgname FROM pg_trigger t WHERE tgname ~ '^kg_' AND NOT tgisinternal AND tgenabled <> CASE tgname WHEN 'kg_no_replication' THEN 'R' ELSE 'A' END;
-- Entities are validated, derived and refused in that mode as in any other.
SET session_replication_role = replica;
INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('policy', 'notes', 'note', '{"id": 4}');
INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('policy', 'notes', 'note', '{"id": "n", "next": "nothing"}');
INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('policy', 'notes', 'note', '{"id": "n", "next": "open"}');
UPDATE kg_entity SET data = data || '{"next": "secret"}' WHERE entity_id = 'n';
DELETE FROM kg_entity WHERE entity_id = 'secret';
SELECT s.entity_id, t.entity_id FROM kg_edge d JOIN kg_entity s ON s.node = d.source JOIN kg_entity t ON t.node = d.target WHERE s.entity_id = 'n';
RESET session_replication_role;
DELETE FROM kg_entity WHERE entity_id = 'n';

-- New secrets: cursors from before are refused.
SET ROLE policy_a;
SELECT kg_list('note', '{"limit": 1}') #>> '{next,cursor}' AS cursor \gset
SELECT kg_list('note', jsonb_build_object('limit', 1, 'cursor', :'cursor')) ->> 'returned' AS returned;
RESET ROLE;
SELECT kg_renew_secrets();
SET ROLE policy_a;
SELECT kg_list('note', jsonb_build_object('limit', 1, 'cursor', :'cursor')) ->> 'returned' AS returned;
RESET ROLE;
SELECT kg_drop_tenant('policy');
DROP FUNCTION policy_seen();
DROP OWNED BY policy_a, policy_b, policy_c, policy_group;
DROP ROLE policy_a, policy_b, policy_c, policy_group;
