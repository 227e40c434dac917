-- Functions that write or administer raise an error that names the argument that was
-- NULL. Functions that look something up return NULL, or raise such an error.
\set VERBOSITY terse
CREATE ROLE nulls_caller;
CREATE FUNCTION nulls_given(type regtype) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT quote_literal(CASE type::text WHEN 'jsonb' THEN '{}' WHEN 'text[]' THEN '{}' WHEN 'boolean' THEN 'false' WHEN 'integer' THEN '0' WHEN 'bigint' THEN '0'
    WHEN 'timestamp with time zone' THEN '2020-01-01' WHEN 'interval' THEN '1 s' WHEN 'regprocedure' THEN 'now()' ELSE 'nulls' END) || '::' || type $$;
CREATE TABLE nulls_call AS
  SELECT p.oid::regprocedure::text AS signature, a.n, p.proargnames[a.n] AS argument, (SELECT format('SELECT %I(%s)', p.proname, string_agg(CASE o.n WHEN a.n THEN 'NULL::' || o.type::regtype ELSE nulls_given(o.type) END, ', ' ORDER BY o.n))
           FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY o(type, n)) AS call
    FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kg_graph'
    CROSS JOIN LATERAL unnest(p.proargtypes::oid[]) WITH ORDINALITY a(type, n)
   WHERE NOT p.proisstrict AND p.prorettype <> 'trigger'::regtype AND p.provolatile = 'v';
GRANT SELECT ON nulls_call TO nulls_caller;
CREATE FUNCTION nulls_says(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  EXECUTE call;
  RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' ', SQLSTATE, SQLERRM, CASE WHEN detail LIKE '{%' THEN detail::jsonb ->> 'expected' END);
END
$$;
SELECT signature, argument, nulls_says(call) AS says FROM nulls_call WHERE nulls_says(call) LIKE '22023%must not be null%' ORDER BY signature COLLATE "C", n;
-- In these a NULL is a default, nothing, or told of otherwise.
SELECT signature, argument FROM nulls_call WHERE nulls_says(call) NOT LIKE '22023%must not be null%' ORDER BY signature COLLATE "C", n;
-- What is not run for a NULL reads.
SELECT p.proname FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kg_graph'
 WHERE p.proisstrict AND p.provolatile = 'v' AND p.pronargs > 0 ORDER BY 1;
-- as anybody, in the form of our errors
SET ROLE nulls_caller;
\set VERBOSITY default
SELECT kg_put_entities('t', NULL);
SELECT kg_check(NULL);
\set VERBOSITY terse
SELECT count(*) AS told FROM nulls_call WHERE has_function_privilege(signature::regprocedure, 'EXECUTE') AND nulls_says(call) LIKE '22023%must not be null%';
SELECT kg_get(NULL, 'x') IS NULL AS get, kg_list(NULL) IS NULL AS list, kg_export_bundle(NULL) IS NULL AS export;
RESET ROLE;
DROP FUNCTION nulls_says(text), nulls_given(regtype);
DROP TABLE nulls_call;
DROP ROLE nulls_caller;
