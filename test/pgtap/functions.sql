-- Every function of the extension: volatility, parallel label, strictness,
-- search_path, privileges, comment.
\set ON_ERROR_STOP 1
BEGIN;
SELECT no_plan();

CREATE TEMP VIEW member AS
  SELECT p.*, l.lanname, p.oid::regprocedure::text AS signature
    FROM pg_proc p
    JOIN pg_language l ON l.oid = p.prolang
    JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
    JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
   WHERE e.extname = 'kg_graph';

SELECT cmp_ok(count(*), '>', 0::bigint, 'there are functions') FROM member;
SELECT ok(proname ~ '^kg_[a-z_]+$', signature || ' has a name of ours') FROM member ORDER BY signature COLLATE "C";
SELECT ok(NOT prosecdef, signature || ' runs as the caller') FROM member ORDER BY signature COLLATE "C";
SELECT ok(NOT proleakproof, signature || ' does not claim to be leakproof') FROM member ORDER BY signature COLLATE "C";

-- Everything but the validator, which reads its arguments only, depends on
-- tables, grants or settings: nothing may be folded into a plan.
SELECT ok(provolatile <> 'i', signature || ' is not IMMUTABLE') FROM member
 WHERE proname !~ '^kg_(validat|schema_check)' ORDER BY signature COLLATE "C";

-- What writes is VOLATILE and PARALLEL UNSAFE.
SELECT ok(provolatile = 'v' AND proparallel = 'u', signature || ' writes: VOLATILE, PARALLEL UNSAFE')
  FROM member
 WHERE proname ~ '^kg_(create|drop|grant|revoke|apply|put|delete|pack|register|bind|unbind)(_|$)'
    OR prorettype = 'trigger'::regtype
 ORDER BY signature COLLATE "C";

-- What only reads is STABLE, and never PARALLEL SAFE: the tenant and the
-- catalog are the backend's, not a worker's.
SELECT ok(provolatile = 's' AND proparallel IN ('r', 'u'), signature || ' reads: STABLE, not PARALLEL SAFE')
  FROM member
 WHERE proname IN ('kg_tenant', 'kg_list', 'kg_list_ids', 'kg_get', 'kg_list_tools', 'kg_export_bundle',
                   'kg_graph_schema', 'kg_find_nodes', 'kg_traverse', 'kg_neighbors', 'kg_paths',
                   'kg_aggregate', 'kg_describe_schema', 'kg_search', 'kg_bfs', 'kg_describe',
                   'kg_describe_many', 'kg_intersect')
 ORDER BY signature COLLATE "C";

-- A function body that the server parses by the caller's search_path is pinned.
SELECT ok(proconfig @> ARRAY['search_path=pg_catalog, pg_temp'], signature || ' pins its search_path')
  FROM member WHERE lanname NOT IN ('c', 'internal') ORDER BY signature COLLATE "C";
SELECT ok(lanname IN ('c', 'plpgsql', 'sql'), signature || ' is in a language that is always there')
  FROM member ORDER BY signature COLLATE "C";

-- Trigger functions and what makes or shows more than a tenant's own data are
-- not for everybody; the rest check their caller themselves.
SELECT is(has_function_privilege('public', oid, 'EXECUTE'),
          NOT (prorettype = 'trigger'::regtype
               OR proname IN ('kg_create_tenant', 'kg_drop_tenant', 'kg_explain', 'kg_login',
                               'kg_issue_token', 'kg_grant_gateway', 'kg_revoke_gateway')),
          signature || ': EXECUTE for PUBLIC as documented')
  FROM member ORDER BY signature COLLATE "C";

SELECT ok(obj_description(oid, 'pg_proc') IS NOT NULL, signature || ' has a comment')
  FROM member ORDER BY signature COLLATE "C";
SELECT ok(proargnames IS NOT NULL OR pronargs = 0, signature || ' names its arguments')
  FROM member ORDER BY signature COLLATE "C";

SELECT * FROM finish();
ROLLBACK;
