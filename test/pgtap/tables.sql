-- Every table of the extension: row-level security, keys, comments, dump.
\set ON_ERROR_STOP 1
BEGIN;
SELECT no_plan();

CREATE TEMP VIEW member AS
  SELECT c.oid, c.relname, c.relkind
    FROM pg_class c
    JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
    JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
   WHERE e.extname = 'kg_graph';
CREATE TEMP VIEW member_table AS SELECT * FROM member WHERE relkind IN ('r', 'p');

SELECT set_has(
  'SELECT relname::text FROM member_table',
  $$VALUES ('kg_tenant'), ('kg_tenant_role'), ('kg_bundle'), ('kg_entity_type'),
    ('kg_relation'), ('kg_entity'), ('kg_edge'), ('kg_index_key'), ('kg_term'), ('kg_word'), ('kg_tool'), ('kg_tool_version'), ('kg_history'), ('kg_freed'), ('kg_freed_type')$$,
  'the tables of the design are there');

SELECT ok(relname ~ '^kg_[a-z_]+$', relname || ' has a name of ours') FROM member ORDER BY relname;

SELECT ok(c.relrowsecurity, relname || ' has row-level security')
  FROM member_table m JOIN pg_class c USING (oid, relname) ORDER BY relname;
SELECT ok(c.relforcerowsecurity, relname || ' forces row-level security on its owner')
  FROM member_table m JOIN pg_class c USING (oid, relname) ORDER BY relname;
SELECT ok(EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = m.oid), relname || ' has a policy')
  FROM member_table m ORDER BY relname;

-- A policy is one comparison with a leakproof operator: an OR would turn every
-- lookup into a scan, a subquery would be refused where tables are sharded.
-- The table of policies is the owner's and has no tenant.
SELECT matches(pg_get_expr(polqual, polrelid), '^[a-z_.]*kg_require_owner\(''[^'']*''::text\)$', 'policy kg_policy_all requires the owner')
  FROM pg_policy WHERE polname = 'kg_policy_all';
SELECT ok(coalesce(pg_get_expr(polqual, polrelid), '') || coalesce(pg_get_expr(polwithcheck, polrelid), '')
          !~* '\m(or|select|case)\M', format('policy %s: no OR, CASE or subquery', polname))
  FROM pg_policy JOIN member_table m ON m.oid = polrelid WHERE polname <> 'kg_policy_all' ORDER BY polname;
SELECT ok(coalesce(pg_get_expr(polqual, polrelid), 'true') ~ 'tenant = .*kg_(tenant|derived_tenant|packed_tenant)\(|^false$|^true$',
          format('policy %s compares the tenant', polname))
  FROM pg_policy JOIN member_table m ON m.oid = polrelid WHERE polname <> 'kg_policy_all' ORDER BY polname;
SELECT ok(pg_get_expr(polwithcheck, polrelid) ~ 'tenant = .*kg_(tenant|derived_tenant)\(''write''',
          format('policy %s lets only writers write', polname))
  FROM pg_policy JOIN member_table m ON m.oid = polrelid
 WHERE polcmd IN ('a', 'w') ORDER BY polname;
SELECT ok(pg_get_expr(polqual, polrelid) ~ 'tenant = .*kg_(tenant|derived_tenant)\(''write''',
          format('policy %s lets only writers delete', polname))
  FROM pg_policy JOIN member_table m ON m.oid = polrelid
 WHERE polcmd = 'd' ORDER BY polname;
SELECT is((SELECT count(*)::int FROM pg_policy JOIN member_table m ON m.oid = polrelid
            WHERE polcmd IN ('a', 'w', 'd', '*')
              AND m.relname NOT IN ('kg_entity', 'kg_edge', 'kg_policy')
              AND coalesce(pg_get_expr(polqual, polrelid), 'true') <> 'false'),
          0, 'only entities and edges have policies for writing');

-- The tenant leads every key, so that one tenant's call reads one range; keys of
-- entities are led by their type's number, which belongs to one tenant, entities by
-- node and packed edges by their node's number, which hardly another tenant has.
SELECT ok(a.attname = 'tenant', format('index %s is led by the tenant', i.indexrelid::regclass))
  FROM pg_index i
  JOIN member_table m ON m.oid = i.indrelid
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
 WHERE m.relname NOT IN ('kg_secret', 'kg_auth_key', 'kg_role', 'kg_policy', 'kg_manifest', 'kg_number_range', 'kg_former_name', 'kg_moved_tenant', 'kg_vectors') AND i.indexrelid::regclass::text !~ '(kg_tenant_role_role_idx|kg_index_key_pkey|kg_adjacency_pkey|kg_entity_node_idx)$'
 ORDER BY i.indexrelid::regclass::text;
SELECT ok(EXISTS (SELECT FROM pg_index i WHERE i.indrelid = m.oid AND i.indisprimary),
          relname || ' has a primary key') FROM member_table m WHERE m.relkind = 'r' ORDER BY relname;
SELECT ok(a.attnotnull, format('%s.tenant is NOT NULL', m.relname))
  FROM member_table m JOIN pg_attribute a ON a.attrelid = m.oid AND a.attname = 'tenant'
 -- there it is the one tenant of a key, if it has one
 WHERE m.relname <> 'kg_auth_key'
 ORDER BY m.relname;
SELECT ok((SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = conkey[1]) = 'tenant'
          AND (SELECT attname FROM pg_attribute WHERE attrelid = confrelid AND attnum = confkey[1]) = 'tenant',
          format('foreign key %s stays within its tenant', conname))
  FROM pg_constraint JOIN member_table m ON m.oid = conrelid
 WHERE contype = 'f' ORDER BY conname;
SELECT ok(co.collname = 'C', format('%s.%s compares by byte', m.relname, a.attname))
  FROM member_table m
  JOIN pg_index i ON i.indrelid = m.oid
  JOIN pg_attribute a ON a.attrelid = m.oid AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1])
  JOIN pg_collation co ON co.oid = a.attcollation
 GROUP BY m.relname, a.attname, co.collname ORDER BY m.relname, a.attname;
-- Under a policy only a leakproof operator may use an index.
SELECT ok(bool_and(p.proleakproof), format('the operators of %s are leakproof', i.indexrelid::regclass))
  FROM pg_index i
  JOIN member_table m ON m.oid = i.indrelid
  CROSS JOIN unnest(i.indclass) WITH ORDINALITY cl(oid, n)
  JOIN pg_opclass oc ON oc.oid = cl.oid
  JOIN pg_amop ao ON ao.amopfamily = oc.opcfamily AND ao.amoplefttype = oc.opcintype
       AND ao.amoprighttype = oc.opcintype
  JOIN pg_operator o ON o.oid = ao.amopopr
  JOIN pg_proc p ON p.oid = o.oprcode
 GROUP BY i.indexrelid ORDER BY i.indexrelid::regclass::text;

SELECT ok(obj_description(oid, 'pg_class') IS NOT NULL, relname || ' has a comment')
  FROM member_table WHERE relname <> 'kg_secret' ORDER BY relname;

-- What pg_dump takes along: the truth, and of the edges the explicit ones.  What
-- is derived is made again by the triggers of the restored entities.
SELECT is(m.oid = ANY (e.extconfig),
          relname NOT IN ('kg_pending_reference', 'kg_secret', 'kg_index_key', 'kg_term',
                          'kg_trigram', 'kg_word', 'kg_word_count', 'kg_adjacency', 'kg_unique_key', 'kg_quota', 'kg_manifest', 'kg_import', 'kg_import_row', 'kg_import_number', 'kg_change_transaction'),
          relname || ': dumped unless it is derived, passing, secret or made by CREATE EXTENSION')
  FROM member m, pg_extension e
 WHERE e.extname = 'kg_graph' AND relkind IN ('r', 'p', 'S')
 ORDER BY relname;

-- Nobody has a privilege that no grant gave.
SELECT is(relacl::text, NULL, relname || ' has no privileges before a grant')
  FROM member_table m JOIN pg_class c USING (oid, relname) ORDER BY relname;

SELECT * FROM finish();
ROLLBACK;
