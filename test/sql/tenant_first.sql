-- No condition of a caller is evaluated for a row before the comparison of its
-- tenant. The first row that reaches a condition with an InitPlan executes it. With
-- a sequence in it, a role of one tenant could read ids, names and words of another.
SELECT current_user AS owner \gset
\set VERBOSITY terse
CREATE ROLE first_ann LOGIN;
CREATE ROLE first_bob LOGIN;
SELECT kg_create_tenant('first_z'), kg_create_tenant('first_b');
SELECT kg_grant('first_z', 'first_ann', 'admin'), kg_grant('first_b', 'first_bob', 'admin');
CREATE SCHEMA first_bob AUTHORIZATION first_bob;
\c - first_ann
SELECT kg_apply_bundle('{"bundle_name": "hr", "version": "1", "schemas": [{"entity_type": "person", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name",
  "x-scope-field": "path", "x-search": ["note"], "x-history": true, "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true}, "path": {"type": "string"}, "note": {"type": "string"}}}}],
  "entities": [{"entity_type": "person", "items": [{"id": "zz-7731", "name": "Zora Hopper", "path": "zz/91/", "note": "zdismissed"}]}]}') ? 'revision' AS applied;
\c - first_bob
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SET enable_indexonlyscan = off;
CREATE SEQUENCE first_bob.probe;
-- Whether some row, of whatever tenant, is beyond a text.
CREATE FUNCTION first_bob.met(on_table regclass, col text, beyond text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  before bigint := nextval('first_bob.probe');
BEGIN
  EXECUTE format('SELECT count(*) FROM %s WHERE %I >= %L AND %I <> (SELECT nextval(''first_bob.probe'')::text)', on_table, col, beyond, col);
  RETURN nextval('first_bob.probe') <> before + 1;
END $$;
SELECT kg_tenant(), first_bob.met('kg_entity', 'entity_id', 'zz-') AS ids, first_bob.met('kg_entity', 'scope', 'zz/') AS scopes, first_bob.met('kg_term', 'term', 'zora') AS names, first_bob.met('kg_word', 'word', 'zdis') AS words, first_bob.met('kg_tenant', 'tenant', 'first_c') AS tenants;
-- One's own are met, so the probe works.
SELECT kg_apply_bundle('{"bundle_name": "hr", "version": "1", "schemas": [{"entity_type": "person", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "entities": [{"entity_type": "person", "items": [{"id": "zz-1"}]}]}') ? 'revision' AS applied;
SELECT first_bob.met('kg_entity', 'entity_id', 'zz-') AS ids;

-- Whatever else is asked: of every table that has tenants' rows.
CREATE FUNCTION first_bob.filter_of(on_table text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE format('EXPLAIN (COSTS off) SELECT FROM %s WHERE tenant <> (SELECT max(''x'')) AND CASE WHEN tenant IS NULL THEN false ELSE true END', on_table) LOOP
    IF line ~ 'Filter:' THEN
      RETURN line;
    END IF;
  END LOOP;
  RETURN 'none';
END $$;
SELECT p.tablename, first_bob.filter_of(format('%I.%I', p.schemaname, p.tablename)) AS filter
  FROM pg_policies p
 WHERE p.schemaname = (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'kg_graph')
   AND p.cmd = 'SELECT' AND p.tablename ~ '^kg_' AND p.qual ~ 'tenant' AND has_table_privilege(format('%I.%I', p.schemaname, p.tablename), 'SELECT')
   AND first_bob.filter_of(format('%I.%I', p.schemaname, p.tablename)) !~ '^ *Filter: \(kg_own_tenant\(tenant\) AND ';
SELECT count(*) > 15 AS tables_looked_at
  FROM pg_policies p WHERE p.cmd = 'SELECT' AND p.tablename ~ '^kg_' AND p.qual ~ 'kg_own_tenant\(tenant\) AND' AND has_table_privilege(format('%I.%I', p.schemaname, p.tablename), 'SELECT');

SELECT tablename AS looks_elsewhere_first FROM pg_policies WHERE cmd = 'SELECT' AND tablename ~ '^kg_' AND qual ~ 'tenant = ' AND qual !~ '^\(kg_own_tenant\(tenant\) AND ';

-- An index on the tenant looks at it first, so nothing is asked of its rows.
RESET ALL;
SET enable_seqscan = off;
CREATE FUNCTION first_bob.asked_of_rows(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  line text;
  asked boolean := false;
  by_tenant boolean := false;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
    asked := asked OR line ~ 'kg_own_tenant';
    by_tenant := by_tenant OR line ~ 'Index Cond: .*\(tenant IS NOT NULL\) AND .*tenant = ';
  END LOOP;
  RETURN asked OR NOT by_tenant;
END $$;
SELECT first_bob.asked_of_rows($$SELECT FROM kg_term WHERE term >= 'z' AND type_no = 1$$) AS term, first_bob.asked_of_rows('SELECT FROM kg_entity WHERE node = 1') AS node,
  first_bob.asked_of_rows($$SELECT FROM kg_entity WHERE tenant = 'first_b' AND entity_id = 'zz-1'$$) AS tenant_too;

\c - :owner
SELECT kg_drop_tenant('first_z'), kg_drop_tenant('first_b');
DROP SCHEMA first_bob CASCADE;
DROP ROLE first_ann, first_bob;
