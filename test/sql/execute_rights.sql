-- The privilege EXECUTE does not give the right to act: default privileges and GRANT
-- ... ON ALL FUNCTIONS may grant it to any role.
\i test/data/prelude.sql
CALL test.tenant('rights_a', 'rights_ann read', 'rights_admin admin');
CALL test.tenant('rights_b', 'rights_bob write');
CREATE ROLE rights_none LOGIN;
SET ROLE rights_bob;
SELECT kg_apply_bundle('{"bundle_name": "zebras", "version": "1", "schemas": [{"entity_type": "zebra", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "next": {"type": "string", "x-ref": "zebra"}}}}],
  "entities": [{"entity_type": "zebra", "items": [{"id": "zebra1", "next": "zebra2"}, {"id": "zebra2"}]}]}') ? 'revision' AS applied;
RESET ROLE;
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience) VALUES ('rights', 'k', 'HS256', decode(repeat('5a', 32), 'hex'), 'kg');

-- All that the extension has, and arguments that name the other tenant.
CREATE TABLE test.owned AS
SELECT p.oid::regprocedure::text AS signature, p.prorettype = 'trigger'::regtype AS is_trigger, l.lanname = 'c' AS in_c, has_function_privilege('public', p.oid, 'EXECUTE') AS of_everybody,
       format('SELECT string_agg(r::text, '','') FROM %s(%s) r', p.oid::regproc, (SELECT string_agg(CASE
         WHEN t.typname = 'regprocedure' THEN quote_literal('kg_tenant()') WHEN t.typname = 'pg_node_tree' THEN $$(SELECT polqual FROM pg_policy WHERE polname = 'kg_edge_select')$$ WHEN t.typname = 'oid' THEN $$'kg_edge'::regclass$$ WHEN a.name = 'claims' THEN quote_literal('{"tenant": "rights_b"}')
         WHEN a.name IN ('command') THEN quote_literal('ALL') WHEN a.name = 'roles' THEN quote_literal('{public}') WHEN a.name = 'access' THEN quote_literal('admin')
         WHEN a.name = 'role' THEN quote_literal('rights_ann') WHEN a.name = 'name' AND p.proname = 'kg_rename_tenant' THEN quote_literal('rights_c') WHEN a.name = 'on_table' THEN quote_literal('kg_entity')
         WHEN a.name LIKE '%_expr' THEN quote_literal('true') WHEN a.name = 'kid' THEN quote_literal('k') WHEN a.name = 'message' THEN quote_literal('{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}')
         WHEN t.typname IN ('text', 'name') THEN quote_literal('rights_b') WHEN t.typname = 'jsonb' THEN quote_literal('{}') WHEN t.typcategory = 'A' THEN quote_literal('{}')
         WHEN t.typcategory = 'N' AND t.typname <> 'oid' THEN '1' WHEN t.typname = 'bool' THEN 'false' WHEN t.typname = 'interval' THEN quote_literal('1 hour') ELSE 'NULL' END || '::' || format_type(t.oid, NULL), ', ' ORDER BY a.place)
         FROM unnest(p.proargtypes, p.proargnames) WITH ORDINALITY a(type, name, place) JOIN pg_type t ON t.oid = a.type)) AS call
  FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid AND e.extname = 'kg_graph'
 WHERE 'internal'::regtype <> ALL (p.proargtypes::oid[]);
GRANT SELECT ON test.owned TO PUBLIC;
SELECT count(*) FILTER (WHERE of_everybody) > 80 AS many_are_everybodys, count(*) FILTER (WHERE is_trigger AND of_everybody) AS triggers FROM test.owned;
-- What a call says, undone.
CREATE FUNCTION test.outcome(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text;
  detail text;
BEGIN
  EXECUTE call INTO answer;
  RAISE EXCEPTION USING ERRCODE = 'P0999', MESSAGE = concat('answered ', answer);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN format('%s %s %s', SQLSTATE, SQLERRM, detail);
END
$$;
CREATE FUNCTION test.rights_state() RETURNS text LANGUAGE sql AS $$
  SELECT md5(concat((SELECT string_agg(t::text, ',' ORDER BY t::text) FROM kg_tenant t), (SELECT string_agg(t::text, ',' ORDER BY t::text) FROM kg_tenant_role t), (SELECT string_agg(t::text, ',') FROM kg_tenant_state t),
    (SELECT string_agg(t::text, ',' ORDER BY node) FROM kg_entity t), (SELECT string_agg(t::text, ',' ORDER BY source, target) FROM kg_edge t), (SELECT string_agg(t::text, ',' ORDER BY t::text) FROM kg_index_key t),
    (SELECT string_agg(t::text, ',' ORDER BY t::text) FROM kg_policy t), (SELECT string_agg(t::text, ',' ORDER BY t::text) FROM kg_secret t), (SELECT string_agg(t::text, ',' ORDER BY t::text) FROM kg_role t),
    (SELECT string_agg(t::text, ',' ORDER BY t::text) FROM kg_bundle t), (SELECT string_agg(t::text, ',' ORDER BY polname) FROM pg_policy t), (SELECT count(*) FROM pg_proc)))
$$;
SELECT test.rights_state() AS before \gset
BEGIN;
DO $$
DECLARE
  f record;
BEGIN
  FOR f IN SELECT signature FROM test.owned WHERE NOT of_everybody LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO PUBLIC', f.signature);
  END LOOP;
END
$$;
-- kg_health() and kg_check() tell of it, whatever its way was; but for kg_login() and kg_explain(), which the owner grants.
SELECT (SELECT count(*) FROM test.owned WHERE NOT of_everybody AND signature !~ '^kg_(login|explain)') = (regexp_match(c #>> '{metrics,problems,0}', '^privileges of PUBLIC: EXECUTE on (\d+) functions that are for the owner of the extension$'))[1]::int AS all_told, c ->> 'status' AS status
  FROM jsonb_array_elements(kg_health() -> 'components') c WHERE c ->> 'name' = 'functions';
GRANT EXECUTE ON FUNCTION kg_drop_tenant(text) TO rights_ann;
SELECT d ->> 'kind' AS kind, d ->> 'object' AS object, left(d ->> 'repair', 60) AS repair FROM jsonb_array_elements(kg_check() -> 'differences') d WHERE d ->> 'kind' = 'execute_given';
SELECT d ->> 'repair' AS revoke FROM jsonb_array_elements(kg_check() -> 'differences') d WHERE d ->> 'object' = 'privileges of rights_ann' \gset
:revoke;
SELECT d ->> 'object' AS object FROM jsonb_array_elements(kg_check() -> 'differences') d WHERE d ->> 'kind' = 'execute_given';
-- Refused by the function itself.  What kg_login() needs is a token, whose bearer it acts for.
SET LOCAL ROLE rights_ann;
SELECT signature, left(test.outcome(call), 120) FROM test.owned WHERE NOT of_everybody AND NOT is_trigger AND test.outcome(call) !~ '^42501 role "rights_ann" may not .*"code": "FORBIDDEN"' ORDER BY 1;
SELECT signature, test.outcome(call) FROM test.owned WHERE NOT is_trigger AND test.outcome(call) ~ 'zebra' ORDER BY 1;
SET LOCAL ROLE rights_admin;
SELECT signature, left(test.outcome(call), 120) FROM test.owned WHERE NOT of_everybody AND NOT is_trigger AND test.outcome(call) !~ '^42501 role "rights_admin" may not .*"code": "FORBIDDEN"' ORDER BY 1;
SELECT signature, test.outcome(call) FROM test.owned WHERE NOT is_trigger AND test.outcome(call) ~ 'zebra' ORDER BY 1;
SET LOCAL ROLE rights_none;
SELECT signature, left(test.outcome(call), 120) FROM test.owned WHERE NOT of_everybody AND NOT is_trigger AND test.outcome(call) !~ '^42501 role "rights_none" may not .*"code": "FORBIDDEN"' ORDER BY 1;
SELECT signature, test.outcome(call) FROM test.owned WHERE NOT is_trigger AND test.outcome(call) ~ 'zebra' ORDER BY 1;
-- Nor do our trigger functions act on tables of its own, whose rows name another tenant.  Those that only refuse are left out.
SET LOCAL ROLE rights_ann;
CREATE FUNCTION pg_temp.triggers() RETURNS TABLE (function text, outcome text, times bigint) LANGUAGE plpgsql AS $$
DECLARE
  t text;
  kind text;
  f text;
BEGIN
  CREATE TEMP TABLE tried (function text, outcome text);
  FOREACH t IN ARRAY ARRAY['kg_entity', 'kg_edge', 'kg_bundle', 'kg_tenant_role', 'kg_limit', 'kg_auth_key', 'kg_pending_reference'] LOOP
    EXECUTE format('CREATE TEMP TABLE %I (tenant text, bundle text, entity_type text, entity_id text, node bigint, type_no int, scope text, version bigint, created_at timestamptz, updated_at timestamptz, data jsonb, index_keys bytea, source bigint, target bigint,
      relation_no int, property text, key text, properties jsonb, role regrole, role_name text, access text, subject text, limits jsonb, alg text, secret bytea, public_key text, id bigint, nodes bigint[], deleted bigint[], caller oid)', t);
    FOREACH kind IN ARRAY ARRAY['BEFORE INSERT ON %s FOR EACH ROW', 'AFTER INSERT ON %s FOR EACH ROW', 'AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT', 'AFTER INSERT ON %s REFERENCING NEW TABLE AS changed FOR EACH STATEMENT'] LOOP
      FOR f IN SELECT o.signature FROM test.owned o WHERE o.is_trigger AND o.in_c AND o.signature !~ 'refuse' LOOP
        EXECUTE format('CREATE TRIGGER mine %s EXECUTE FUNCTION %s', format(kind, 'pg_temp.' || t), replace(f, '()', CASE WHEN f ~ 'invalidate' THEN '(''bundle'')' WHEN f ~ 'notify' THEN '(''access'')' ELSE '()' END));
        INSERT INTO tried VALUES (f, regexp_replace(test.outcome(format($q$INSERT INTO pg_temp.%I(tenant, bundle, entity_type, entity_id, node, type_no, data, source, target, relation_no, role, role_name, access, subject, limits, alg, secret)
          VALUES ('rights_b', 'zebras', 'zebra', 'zebra3', 1, 1, '{"id": "zebra3"}', 1, 1, 1, 'rights_ann', 'rights_ann', 'admin', '*', '{}', 'HS256', repeat('k', 32)::bytea) RETURNING 'written'$q$, t)), '"kg_\w+"', 'it'));
        EXECUTE format('DROP TRIGGER mine ON pg_temp.%I', t);
      END LOOP;
    END LOOP;
  END LOOP;
  RETURN QUERY SELECT CASE WHEN r.outcome ~ '^39P01' THEN 'all of them' ELSE r.function END, r.outcome, count(*) FROM tried r GROUP BY 1, 2 ORDER BY 1, 2;
END
$$;
SELECT function, outcome FROM pg_temp.triggers();
RESET ROLE;
-- Whoever has the owner's rights is asked nothing more.
CREATE ROLE rights_dba;
SELECT quote_ident(:'owner') AS owner_name \gset
GRANT :owner_name TO rights_dba;
SET LOCAL ROLE rights_dba;
SELECT kg_tenant_size('rights_b') ? 'bytes' AS measured, kg_issue_token('{"tenant": "rights_b"}', 'k') ~ '^ey' AS issued;
RESET ROLE;
ROLLBACK;
SELECT test.rights_state() = :'before' AS unchanged;

-- How docs/tenancy.md lets a role do one of these.
BEGIN;
CREATE SCHEMA login_service;
CREATE FUNCTION login_service.token(tenant text, sub text) RETURNS text LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  RETURN public.kg_issue_token(jsonb_build_object('tenant', tenant, 'sub', sub), 'k', '5 minutes');
REVOKE EXECUTE ON FUNCTION login_service.token FROM PUBLIC;
GRANT USAGE ON SCHEMA login_service TO rights_none; GRANT EXECUTE ON FUNCTION login_service.token TO rights_none;
SET LOCAL ROLE rights_none;
SELECT login_service.token('rights_b', 'ann') ~ '^ey' AS issued;
ROLLBACK;

-- Tables of the owner's, of which a privilege does not do either.
BEGIN;
SELECT kg_add_policy('rights_hide', 'kg_entity', 'true', roles => '{rights_bob}');
GRANT ALL ON kg_policy, kg_secret, kg_auth_key, kg_role, kg_tenant_state TO rights_ann;
SET LOCAL ROLE rights_ann;
SELECT test.outcome('SELECT policy FROM kg_policy'), test.outcome('DELETE FROM kg_policy RETURNING policy'),
       test.outcome($$INSERT INTO kg_policy(policy, on_table, command, roles, using_expr) VALUES ('mine', 'kg_entity', 'ALL', '{public}', 'true') RETURNING 'x'$$);
ROLLBACK;

-- Who explains calls reads statistics of all tenants.
BEGIN;
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO rights_ann;
GRANT pg_read_all_stats TO rights_ann;
SET LOCAL ROLE rights_ann;
SELECT kg_explain('get_graph_schema') ? 'statements' AS explained;
ROLLBACK;

-- Nobody plans statements as another role.
BEGIN;
SET LOCAL ROLE rights_ann;
SELECT test.outcome($$SELECT kg_policy_probe('kg_entity', 10)::text$$);
ROLLBACK;

-- A token is brought by whom the owner lets execute kg_login(), by whichever function.
SELECT kg_issue_token('{"tenant": "rights_b", "sub": "s"}', 'k') AS token \gset
CREATE ROLE rights_gateway;
SELECT kg_grant_gateway('rights_gateway');
SET ROLE rights_none;
SELECT test.outcome(format($$SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', %L)::text$$, :'token'));
SELECT test.outcome(format($$SELECT kg_call_with_token(%L, 'find_nodes')::text$$, :'token'));
SELECT test.outcome(format($$SELECT kg_token_limits(%L)::text$$, :'token'));
SELECT kg_tenant();
SET ROLE rights_gateway;
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', :'token') ? 'result' AS answered;
RESET ROLE;

DELETE FROM kg_auth_key WHERE issuer = 'rights';
SELECT kg_revoke_gateway('rights_gateway');
DROP TABLE test.owned;
DROP FUNCTION test.outcome(text), test.rights_state();
DROP ROLE rights_none, rights_gateway;
CALL test.drop('rights_a', 'rights_b');
