-- Who sees whose data: grants, roles, settings, prepared statements, pools.
\set VERBOSITY terse
CREATE ROLE tenancy_none LOGIN;
CREATE ROLE tenancy_a LOGIN;
CREATE ROLE tenancy_b LOGIN;
CREATE ROLE tenancy_both LOGIN;
CREATE ROLE tenancy_reader LOGIN;
CREATE ROLE tenancy_admin LOGIN;
CREATE ROLE tenancy_pool LOGIN;
GRANT tenancy_a, tenancy_b TO tenancy_pool;
-- the code and the errors' JSON of a statement, or its result
CREATE FUNCTION tenancy_try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text;
  detail text;
BEGIN
  EXECUTE statement INTO answer;
  RETURN coalesce(answer, 'NULL');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ' ' || CASE WHEN detail LIKE '{%' THEN detail::jsonb ->> 'code' ELSE SQLERRM END;
END
$$;
DO $$
DECLARE
  thing text := '{"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true}, "next": {"type": "string", "x-ref": "thing"}}}';
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['a', 'b'] LOOP
    PERFORM kg_create_tenant('tenancy ' || t);
    PERFORM kg_grant('tenancy ' || t, 'tenancy_' || t, 'write');
    PERFORM kg_grant('tenancy ' || t, 'tenancy_both', CASE t WHEN 'a' THEN 'write' ELSE 'read' END);
    EXECUTE format('SET LOCAL ROLE tenancy_%s', t);
    PERFORM kg_apply_bundle(jsonb_build_object('bundle_name', 'things', 'version', '1',
      'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'thing', 'schema', thing::jsonb)),
      'entities', jsonb_build_array(jsonb_build_object('entity_type', 'thing', 'items',
        jsonb_build_array(jsonb_build_object('id', 'same', 'name', 'of ' || t, 'next', 'only-' || t),
                          jsonb_build_object('id', 'only-' || t, 'name', 'only ' || t))))));
    RESET ROLE;
  END LOOP;
END
$$;
SELECT kg_grant('tenancy a', 'tenancy_reader', 'read');
SELECT kg_grant('tenancy a', 'tenancy_admin', 'admin');
GRANT tenancy_none TO tenancy_admin WITH ADMIN OPTION;

-- A role without grants: no tables, no tenant, and every tool says so.
SET ROLE tenancy_none;
SELECT kg_tenant() IS NULL AS none, kg_tenant('read') IS NULL AS none;
SELECT statement, tenancy_try(statement) FROM unnest(ARRAY[
  'SELECT count(*) FROM kg_entity', 'SELECT count(*) FROM kg_edge', 'SELECT count(*) FROM kg_tenant',
  'SELECT count(*) FROM kg_index_key', 'SELECT count(*) FROM kg_term', 'SELECT count(*) FROM kg_secret',
  $$SELECT kg_get('thing', 'same')$$, $$SELECT kg_get('thing', ARRAY['same'])$$, $$SELECT kg_list('thing')$$,
  $$SELECT kg_list_ids('thing')$$, $$SELECT kg_list_tools()$$, $$SELECT kg_export_bundle('things')$$,
  $$SELECT kg_apply_bundle('{}')$$, $$SELECT kg_drop_bundle('things')$$, $$SELECT kg_pack()$$,
  $$SELECT kg_call_tool('list_thing') -> 'structuredContent' -> 'error' -> 'code'$$,
  $$SELECT kg_grant('tenancy a', 'tenancy_none', 'read')$$, $$SELECT kg_revoke('tenancy a', 'tenancy_a')$$,
  $$SELECT kg_create_tenant('mine')$$, $$SELECT kg_drop_tenant('tenancy a')$$]) statement;
SELECT p.proname, tenancy_try(format('SELECT %s(%L)', p.proname, '{}'))
  FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND pronargs = 1 AND proargnames[1] = 'arguments'
 ORDER BY p.proname COLLATE "C";
-- privileges alone are no tenant: the policies let no row through
RESET ROLE;
GRANT SELECT ON kg_entity, kg_edge, kg_tenant, kg_bundle, kg_index_key, kg_term, kg_tool, kg_adjacency TO tenancy_none;
GRANT INSERT, UPDATE, DELETE ON kg_entity TO tenancy_none;
SET ROLE tenancy_none;
SELECT statement, tenancy_try(statement) FROM unnest(ARRAY[
  'SELECT count(*) FROM kg_entity', 'SELECT count(*) FROM kg_edge', 'SELECT count(*) FROM kg_tenant',
  'SELECT count(*) FROM kg_bundle', 'SELECT count(*) FROM kg_index_key', 'SELECT count(*) FROM kg_term',
  'SELECT count(*) FROM kg_tool', 'SELECT count(*) FROM kg_adjacency',
  $$INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('things', 'thing', '{"id": "x"}') RETURNING 1$$,
  $$INSERT INTO kg_entity (tenant, bundle, entity_type, data) VALUES ('tenancy a', 'things', 'thing', '{"id": "x"}') RETURNING 1$$,
  $$SELECT kg_get('thing', 'same')$$]) statement;
WITH d AS (DELETE FROM kg_entity RETURNING 1) SELECT count(*) FROM d;
WITH d AS (UPDATE kg_entity SET data = '{}' RETURNING 1) SELECT count(*) FROM d;
RESET ROLE;
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM tenancy_none;

-- A single grant selects the tenant; several need kg_graph.tenant. A setting grants
-- nothing: if it names another tenant, the caller has no tenant.
SET ROLE tenancy_a;
SELECT kg_tenant(), kg_get('thing', 'same') ->> 'name' AS name;
SET kg_graph.tenant = 'tenancy b';
SELECT kg_tenant(), tenancy_try($$SELECT kg_get('thing', 'same') ->> 'name'$$), (SELECT count(*) FROM kg_entity WHERE tenant = 'tenancy b') AS of_b;
RESET kg_graph.tenant;
SET ROLE tenancy_both;
SELECT kg_tenant(), tenancy_try($$SELECT kg_get('thing', 'same') ->> 'name'$$), (SELECT count(*) FROM kg_entity) AS visible;
SET kg_graph.tenant = 'tenancy a';
SELECT kg_tenant(), kg_tenant('write'), kg_get('thing', 'same') ->> 'name' AS name, (SELECT count(*) FROM kg_entity) AS visible;
SET kg_graph.tenant = 'tenancy b';
SELECT kg_tenant(), kg_tenant('write'), kg_get('thing', 'same') ->> 'name' AS name, (SELECT count(*) FROM kg_entity) AS visible;
-- the access is that of the chosen one
SELECT tenancy_try($$UPDATE kg_entity SET data = data || '{"name": "x"}' WHERE entity_id = 'same' RETURNING entity_id$$);
SELECT tenancy_try($$SELECT kg_drop_bundle('things')$$);
SET kg_graph.tenant = 'tenancy c';
SELECT kg_tenant(), tenancy_try($$SELECT kg_get('thing', 'same') ->> 'name'$$);
SET kg_graph.tenant = '';
SELECT kg_tenant() IS NULL AS none;
SET kg_graph.tenant = 'TENANCY A';
SELECT kg_tenant() IS NULL AS none;
RESET kg_graph.tenant;

-- Read, write, admin.
\set tries 'SELECT statement, tenancy_try(statement) FROM unnest(ARRAY[$$SELECT kg_get(\'thing\', \'same\') ->> \'name\'$$, $$INSERT INTO kg_entity (bundle, entity_type, data) VALUES (\'things\', \'thing\', \'{"id": "new"}\') RETURNING entity_id$$, $$UPDATE kg_entity SET data = data || \'{"name": "n"}\' WHERE entity_id = \'new\' RETURNING entity_id$$, $$DELETE FROM kg_entity WHERE entity_id = \'new\' RETURNING entity_id$$, $$SELECT kg_apply_bundle(kg_export_bundle(\'things\')) -> \'changed\'$$, $$SELECT count(*) > 0 FROM kg_tenant_role$$, $$SELECT kg_grant(\'tenancy a\', \'tenancy_none\', \'admin\')$$, $$SELECT kg_revoke(\'tenancy a\', \'tenancy_none\')$$, $$SELECT kg_grant(\'tenancy b\', \'tenancy_none\', \'read\')$$, $$SELECT kg_create_agent(\'ag\')$$, $$SELECT kg_drop_agent(\'ag\')$$]) statement;'
SET ROLE tenancy_reader;
:tries
SET ROLE tenancy_a;
:tries
SET ROLE tenancy_admin;
:tries
-- whoever writes: derived rows and the catalog are not for writing
SELECT statement, tenancy_try(statement) FROM unnest(ARRAY[
  $$INSERT INTO kg_entity (tenant, bundle, entity_type, data) VALUES ('tenancy b', 'things', 'thing', '{"id": "x"}')$$,
  $$UPDATE kg_entity SET tenant = 'tenancy b' WHERE entity_id = 'same'$$,
  'DELETE FROM kg_index_key', 'UPDATE kg_term SET node = 1', 'INSERT INTO kg_trigram VALUES (kg_tenant(), ''abc'', ''abc'')',
  'DELETE FROM kg_adjacency', 'DELETE FROM kg_tool', 'UPDATE kg_bundle SET revision = 9', 'DELETE FROM kg_entity_type',
  'DELETE FROM kg_relation', 'UPDATE kg_tenant_role SET access = ''admin''', 'INSERT INTO kg_tenant VALUES (''mine'')',
  'INSERT INTO kg_pending_reference VALUES (kg_tenant(), 1, ARRAY[1], ARRAY[1])', 'SELECT secret FROM kg_secret',
  'TRUNCATE kg_entity', 'TRUNCATE kg_edge',
  $$WITH d AS (SELECT 1) UPDATE kg_edge SET target = source RETURNING 1$$]) statement;
-- a derived edge is not there to be deleted
WITH d AS (DELETE FROM kg_edge RETURNING 1) SELECT count(*) FROM d;
RESET ROLE;
SELECT tenant, count(*) FROM kg_entity WHERE tenant LIKE 'tenancy%' GROUP BY 1 ORDER BY 1;

-- Grants count for the current role, not for those it is a member of; SET ROLE
-- and SET SESSION AUTHORIZATION change it at once.
SET SESSION AUTHORIZATION tenancy_pool;
SELECT kg_tenant() IS NULL AS none, tenancy_try($$SELECT kg_get('thing', 'same')$$);
SET ROLE tenancy_a;
SELECT kg_tenant(), kg_get('thing', 'same') ->> 'name' AS name;
SET ROLE tenancy_b;
SELECT kg_tenant(), kg_get('thing', 'same') ->> 'name' AS name;
RESET ROLE;
SELECT kg_tenant() IS NULL AS none;
RESET SESSION AUTHORIZATION;

-- Inside SECURITY DEFINER the owner's grants count, and outside again the caller's.
CREATE FUNCTION tenancy_definer() RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  RETURN format('%s %s %s', kg_tenant(), kg_get('thing', 'same') ->> 'name', (SELECT count(*) FROM kg_entity));
END
$$;
ALTER FUNCTION tenancy_definer() OWNER TO tenancy_b;
SET ROLE tenancy_a;
SELECT kg_tenant() AS before, tenancy_definer() AS inside, kg_tenant() AS after, kg_get('thing', 'same') ->> 'name' AS name;
SET ROLE tenancy_none;
SELECT kg_tenant() IS NULL AS before, tenancy_definer() AS inside, kg_tenant() IS NULL AS after;
-- an error inside leaves nothing behind
RESET ROLE;
CREATE FUNCTION tenancy_definer_error() RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  PERFORM kg_list('nothing');
  RETURN 'no error';
END
$$;
ALTER FUNCTION tenancy_definer_error() OWNER TO tenancy_b;
SET ROLE tenancy_a;
SELECT tenancy_try('SELECT tenancy_definer_error()'), kg_tenant(), kg_get('thing', 'same') ->> 'name' AS name;

-- Prepared statements and PL/pgSQL plans, reused after a change of role or setting.
PREPARE tenancy_tool AS SELECT kg_tenant(), kg_get('thing', 'same') ->> 'name' AS name, kg_list('thing') ->> 'total' AS total;
PREPARE tenancy_table AS SELECT entity_id, data ->> 'name' AS name FROM kg_entity WHERE entity_id <> 'new' ORDER BY 1;
PREPARE tenancy_write(text) AS UPDATE kg_entity SET data = data || jsonb_build_object('name', $1) WHERE entity_id = 'same' RETURNING tenant, data ->> 'name' AS name;
SET plan_cache_mode = force_generic_plan;
EXECUTE tenancy_tool;
EXECUTE tenancy_table;
EXECUTE tenancy_write('by a');
SET ROLE tenancy_b;
EXECUTE tenancy_tool;
EXECUTE tenancy_table;
EXECUTE tenancy_write('by b');
SET ROLE tenancy_both;
EXECUTE tenancy_table;
SET kg_graph.tenant = 'tenancy a';
EXECUTE tenancy_tool;
EXECUTE tenancy_table;
EXECUTE tenancy_write('by both');
SET kg_graph.tenant = 'tenancy b';
EXECUTE tenancy_tool;
EXECUTE tenancy_table;
EXECUTE tenancy_write('by both');
SET ROLE tenancy_none;
EXECUTE tenancy_table;
EXECUTE tenancy_tool;
RESET plan_cache_mode;
RESET kg_graph.tenant;
RESET ROLE;

-- A pooled connection: SET LOCAL ends with the transaction, DISCARD ALL with the client.
SET SESSION AUTHORIZATION tenancy_both;
BEGIN;
SET LOCAL kg_graph.tenant = 'tenancy b';
SELECT kg_tenant(), kg_get('thing', 'same') ->> 'name' AS name;
COMMIT;
SELECT kg_tenant() IS NULL AS none;
BEGIN;
SET LOCAL kg_graph.tenant = 'tenancy a';
SAVEPOINT s;
SET LOCAL kg_graph.tenant = 'tenancy b';
SELECT kg_get('thing', 'same') ->> 'name' AS name;
ROLLBACK TO s;
SELECT kg_get('thing', 'same') ->> 'name' AS name;
ROLLBACK;
SELECT kg_tenant() IS NULL AS none;
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION tenancy_pool;
SET ROLE tenancy_a;
SET kg_graph.tenant = 'tenancy a';
DISCARD ALL;
SELECT kg_tenant() IS NULL AS none, current_user = session_user AS no_role;
SET ROLE tenancy_b;
SELECT kg_get('thing', 'same') ->> 'name' AS name;
RESET SESSION AUTHORIZATION;
RESET ROLE;

-- A revoke takes privileges back that no other grant needs, and is heard at once.
SELECT kg_revoke('tenancy b', 'tenancy_both');
SET ROLE tenancy_both;
SELECT kg_tenant(), tenancy_try('SELECT count(*) FROM kg_entity WHERE tenant <> kg_tenant()');
RESET ROLE;
SELECT kg_revoke('tenancy a', 'tenancy_both');
SELECT kg_revoke('tenancy a', 'tenancy_both');
SET ROLE tenancy_both;
SELECT kg_tenant() IS NULL AS none, tenancy_try('SELECT count(*) FROM kg_entity'), tenancy_try($$SELECT kg_get('thing', 'same')$$);
RESET ROLE;
SELECT has_table_privilege('tenancy_both', 'kg_entity', 'SELECT') AS still;
-- nonsense in grants
SELECT statement, tenancy_try(statement) FROM unnest(ARRAY[
  $$SELECT kg_grant('tenancy x', 'tenancy_a', 'read')$$, $$SELECT kg_grant('tenancy a', 'tenancy_x', 'read')$$,
  $$SELECT kg_grant('tenancy a', 'tenancy_a', 'owner')$$, $$SELECT kg_revoke('tenancy x', 'tenancy_a')$$,
  $$SELECT kg_create_tenant('tenancy a')$$, $$SELECT kg_create_tenant('')$$, $$SELECT kg_create_tenant(repeat('x', 64))$$,
  $$SELECT kg_create_tenant(E'a\nb')$$, $$SELECT kg_drop_tenant('tenancy x')$$]) statement;

-- The tables' owner is bound like everybody: row-level security is forced.
CREATE ROLE tenancy_owner;
BEGIN;
ALTER TABLE kg_entity OWNER TO tenancy_owner;
GRANT USAGE ON SCHEMA public TO tenancy_owner;
SET LOCAL ROLE tenancy_owner;
SELECT count(*) FROM kg_entity;
ROLLBACK;

-- A view runs as its owner, or as its caller where it says so.
CREATE VIEW tenancy_owned AS SELECT tenant, entity_id FROM kg_entity;
CREATE VIEW tenancy_invoked WITH (security_invoker = true) AS SELECT tenant, entity_id FROM kg_entity;
ALTER VIEW tenancy_owned OWNER TO tenancy_b;
GRANT SELECT ON tenancy_owned, tenancy_invoked TO tenancy_a, tenancy_none;
SET ROLE tenancy_a;
-- the owner's privileges, but kg_tenant() is the caller's: nobody's rows but the caller's own
SELECT DISTINCT tenant FROM tenancy_owned;
SELECT DISTINCT tenant FROM tenancy_invoked;
SET ROLE tenancy_none;
SELECT count(*) FROM tenancy_owned;
SELECT tenancy_try('SELECT count(*) FROM tenancy_invoked');
RESET ROLE;
DROP VIEW tenancy_owned, tenancy_invoked;

-- A DBA's own policy on kg_entity binds every tool, also where edges are packed.
SET ROLE tenancy_a;
SELECT kg_pack() > 0 AS packed;
SELECT kg_list('thing') -> 'total' AS total, kg_traverse('{"from": {"label": "thing", "ids": ["same"]}, "relationships": [{"type": "NEXT"}]}') -> 'total' AS bindings;
RESET ROLE;
CREATE POLICY tenancy_dba ON kg_entity AS RESTRICTIVE FOR SELECT TO tenancy_a USING (entity_id <> 'only-a');
SET ROLE tenancy_a;
SELECT statement, tenancy_try(statement) FROM unnest(ARRAY[
  'SELECT count(*) FROM kg_entity', $$SELECT kg_get('thing', 'only-a')$$,
  $$SELECT kg_get('thing', ARRAY['only-a', 'same']) -> 'not_found'$$,
  $$SELECT kg_list('thing') - 'hints'$$, $$SELECT kg_list('thing', '{"search": "only"}')$$,
  $$SELECT kg_list('thing', '{"filters": {"name": "only a"}}')$$, $$SELECT kg_list_ids('thing')$$,
  $$SELECT kg_traverse('{"from": {"label": "thing", "ids": ["same"]}, "relationships": [{"type": "NEXT"}]}')$$,
  $$SELECT kg_neighbors('{"start_node": {"label": "thing", "node_id": "same"}}')$$,
  $$SELECT kg_neighbors('{"start_node": {"label": "thing", "node_id": "only-a"}}')$$,
  $$SELECT kg_paths('{"from": {"label": "thing", "ids": ["same"]}, "to": {"label": "thing", "ids": ["only-a"]}}') -> 'total'$$,
  $$SELECT kg_find_nodes('{"node_label": "thing", "ids": ["only-a", "same"]}') -> 'total'$$,
  $$SELECT kg_aggregate('{"node": {"label": "thing"}, "aggregations": [{"fn": "count"}]}') -> 'rows'$$,
  $$SELECT kg_search('{"query": "only"}') -> 'items'$$,
  $$SELECT kg_bfs('{"seeds": ["thing:same"], "max_hops": 2}') -> 'nodes'$$,
  $$SELECT kg_describe('{"id": "thing:only-a"}')$$,
  $$SELECT kg_export_bundle('things') -> 'entities' -> 0 -> 'items'$$]) statement;
RESET ROLE;
DROP POLICY tenancy_dba ON kg_entity;
SET ROLE tenancy_a;
SELECT kg_list('thing') -> 'total' AS total;
RESET ROLE;

-- The session that had everything cached: a tenant is dropped, and made again empty.
SET ROLE tenancy_b;
SELECT kg_get('thing', 'same') ->> 'name' AS name;
RESET ROLE;
SELECT kg_drop_tenant('tenancy b');
SET ROLE tenancy_b;
SELECT kg_tenant() IS NULL AS none, tenancy_try($$SELECT kg_get('thing', 'same')$$);
RESET ROLE;
SELECT kg_create_tenant('tenancy b');
SELECT kg_grant('tenancy b', 'tenancy_b', 'read');
SET ROLE tenancy_b;
SELECT kg_tenant(), tenancy_try($$SELECT kg_get('thing', 'same')$$), (SELECT count(*) FROM kg_entity) AS rows;
RESET ROLE;

SELECT kg_drop_tenant('tenancy a');
SELECT kg_drop_tenant('tenancy b');
DROP FUNCTION tenancy_try(text), tenancy_definer(), tenancy_definer_error();
DROP OWNED BY tenancy_none, tenancy_a, tenancy_b, tenancy_both, tenancy_reader, tenancy_admin, tenancy_pool, tenancy_owner;
DROP ROLE tenancy_none, tenancy_a, tenancy_b, tenancy_both, tenancy_reader, tenancy_admin, tenancy_pool, tenancy_owner;
