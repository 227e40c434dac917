-- Policies of the DBA on the extension's tables. pg_dump omits objects that depend
-- on a member of an extension. So these policies are stored as rows, and a trigger
-- makes the policies again when the rows are restored. If a policy is not in force,
-- the roles that it names have no tenant (src/auth/identity.c).

CREATE TABLE @extschema@.kg_policy (
  policy       text COLLATE "C" PRIMARY KEY CHECK (policy !~ '^kg_' AND pg_catalog.length(policy) BETWEEN 1 AND 63),
  on_table     text COLLATE "C" NOT NULL CHECK (on_table IN ('kg_entity', 'kg_edge')),
  command      text COLLATE "C" NOT NULL CHECK (command IN ('ALL', 'SELECT', 'INSERT', 'UPDATE', 'DELETE')),
  roles        text[] COLLATE "C" NOT NULL CHECK (pg_catalog.cardinality(roles) > 0),
  using_expr   text,
  check_expr   text,
  role_numbers oid[],
  made_using   text,
  made_check   text,
  problem      text
);
COMMENT ON TABLE @extschema@.kg_policy IS 'restrictive policies of a DBA on kg_entity and kg_edge; made by kg_add_policy()';
COMMENT ON COLUMN @extschema@.kg_policy.roles IS 'names of the roles; public: all roles';
COMMENT ON COLUMN @extschema@.kg_policy.role_numbers IS 'numbers of these roles in this cluster; 0: the role does not exist';
COMMENT ON COLUMN @extschema@.kg_policy.made_using IS 'the expression of the policy as PostgreSQL printed it when the policy was made; the policy is in force while both are equal';
COMMENT ON COLUMN @extschema@.kg_policy.problem IS 'reason why the policy could not be made';
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_policy', '');

ALTER TABLE @extschema@.kg_policy ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_policy FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_policy_all ON @extschema@.kg_policy FOR ALL
  USING (@extschema@.kg_require_owner('read or change policies'));

-- The text that PostgreSQL returns for an expression depends on settings that any
-- role may change. The function fixes them, because the text is compared with a
-- stored text, and is parsed again in other sessions.
CREATE FUNCTION @extschema@.kg_policy_text(expr pg_catalog.pg_node_tree, relation oid) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off SET DateStyle = 'ISO, YMD' SET IntervalStyle = postgres SET TimeZone = 'UTC' SET extra_float_digits = 1
  SET bytea_output = hex SET standard_conforming_strings = on SET lc_monetary = 'C'
  BEGIN ATOMIC
  SELECT @extschema@.kg_require_owner('read policies');
  SELECT pg_get_expr(expr, relation);
END;
COMMENT ON FUNCTION @extschema@.kg_policy_text(pg_catalog.pg_node_tree, oid) IS
  'expression of a policy as text, independent of the settings of the session';

CREATE FUNCTION @extschema@.kg_policy_expression(expr text) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_policy_expression';
COMMENT ON FUNCTION @extschema@.kg_policy_expression(text) IS
  'the text in parentheses if it is exactly one expression, otherwise an error; so kg_policy cannot add other SQL to a statement';

CREATE FUNCTION @extschema@.kg_policy_probe(on_table text, role oid) RETURNS void
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  SET row_security = on
  AS 'MODULE_PATHNAME', 'kg_sql_policy_probe';
COMMENT ON FUNCTION @extschema@.kg_policy_probe(text, oid) IS
  'test whether the policies of a table work in statements of a role; if not, raise an error, such as for a policy that reads its own table; role 0 is PUBLIC';

CREATE FUNCTION @extschema@.kg_make_policy() RETURNS trigger
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off SET DateStyle = 'ISO, YMD' SET IntervalStyle = postgres SET TimeZone = 'UTC' SET extra_float_digits = 1
  SET bytea_output = hex SET standard_conforming_strings = on SET lc_monetary = 'C'
  AS $$
DECLARE
  missing text;
  using_expr text;
  check_expr text;
BEGIN
  NEW.role_numbers := ARRAY(SELECT coalesce(r.oid, 0) FROM unnest(NEW.roles) WITH ORDINALITY n(name, place)
    LEFT JOIN pg_roles r ON r.rolname = n.name ORDER BY n.place);
  NEW.made_using := NULL;
  NEW.made_check := NULL;
  NEW.problem := NULL;
  -- An invalid command must not get into a statement. A constraint refuses it when
  -- this trigger has ended.
  IF NEW.command NOT IN ('ALL', 'SELECT', 'INSERT', 'UPDATE', 'DELETE') THEN
    RETURN NEW;
  END IF;
  -- Drop the policy of this name on its former table.
  IF TG_OP = 'UPDATE' AND OLD.on_table <> NEW.on_table THEN
    EXECUTE format('DROP POLICY IF EXISTS %I ON %I.%I', OLD.policy, TG_TABLE_SCHEMA, OLD.on_table);
  END IF;
  BEGIN
    SELECT n.name INTO missing FROM unnest(NEW.roles, NEW.role_numbers) n(name, number) WHERE n.number = 0 AND n.name <> 'public' LIMIT 1;
    IF missing IS NOT NULL THEN
      RAISE EXCEPTION 'role "%" does not exist', missing;
    END IF;
    IF EXISTS (SELECT FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid JOIN pg_class o ON o.oid = TG_RELID AND o.relnamespace = c.relnamespace
                WHERE p.polname = NEW.policy AND c.relname = NEW.on_table) THEN
      EXECUTE format('DROP POLICY %I ON %I.%I', NEW.policy, TG_TABLE_SCHEMA, NEW.on_table);
    END IF;
    EXECUTE format('SELECT %1$I.kg_policy_expression($1), %1$I.kg_policy_expression($2)', TG_TABLE_SCHEMA)
      INTO using_expr, check_expr USING NEW.using_expr, NEW.check_expr;
    IF NEW.command = 'SELECT' AND (using_expr IS NULL OR check_expr IS NOT NULL) THEN
      RAISE EXCEPTION 'a policy for SELECT has an expression for USING alone';
    END IF;
    -- PostgreSQL applies a policy FOR SELECT to an UPDATE or DELETE only if the
    -- statement reads a column. So the policy is made FOR ALL, and hides rows from
    -- every statement.
    EXECUTE format('CREATE POLICY %I ON %I.%I AS RESTRICTIVE FOR %s TO %s', NEW.policy, TG_TABLE_SCHEMA, NEW.on_table, CASE NEW.command WHEN 'SELECT' THEN 'ALL' ELSE NEW.command END,
        (SELECT string_agg(CASE name WHEN 'public' THEN 'PUBLIC' ELSE quote_ident(name) END, ', ') FROM unnest(NEW.roles) name))
      || coalesce(' USING ' || using_expr, '') || coalesce(' WITH CHECK ' || CASE NEW.command WHEN 'SELECT' THEN '(true)' ELSE check_expr END, '');
    EXECUTE format('SELECT %1$I.kg_policy_probe($1, n) FROM unnest($2) n', TG_TABLE_SCHEMA) USING NEW.on_table, NEW.role_numbers;
    -- The settings are those of kg_policy_text(), so that the texts can be compared.
    SELECT pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid) INTO STRICT NEW.made_using, NEW.made_check
      FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid JOIN pg_class o ON o.oid = TG_RELID AND o.relnamespace = c.relnamespace
     WHERE p.polname = NEW.policy AND c.relname = NEW.on_table;
  EXCEPTION WHEN OTHERS THEN
    NEW.problem := SQLERRM;
    RAISE WARNING 'policy "%" on % is not in force: %', NEW.policy, NEW.on_table, SQLERRM
      USING HINT = 'The roles that it names have no tenant until kg_add_policy() made it or kg_drop_policy() gave it up.';
  END;
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_make_policy() IS
  'row trigger of kg_policy: makes the policy that the row describes';

-- A restore fires this trigger before it restores the data of tenants, whatever role
-- runs it.
CREATE TRIGGER kg_policy_make BEFORE INSERT OR UPDATE ON @extschema@.kg_policy
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_make_policy();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_policy
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

CREATE FUNCTION @extschema@.kg_add_policy(policy text, on_table text, using_expr text, check_expr text DEFAULT NULL,
    command text DEFAULT 'ALL', roles text[] DEFAULT '{public}') RETURNS void
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  -- The schema of the extension may have been renamed.
  ours text := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'kg_graph');
  why text;
  wrong record;
BEGIN
  EXECUTE format('SELECT %I.kg_require_owner(''add policies'')', ours);
  -- Check the arguments by the conditions that the constraints of the table have for
  -- rows.
  SELECT a.* INTO wrong FROM (VALUES
      ('policy', to_jsonb($1), $1 !~ '^kg_' AND octet_length($1) BETWEEN 1 AND 63, 'a name of 1 to 63 bytes that does not begin with kg_'),
      ('on_table', to_jsonb($2), $2 IN ('kg_entity', 'kg_edge'), 'kg_entity or kg_edge'),
      ('using_expr', NULL, coalesce($3, $4) IS NOT NULL, 'an expression, where check_expr is none'),
      ('command', to_jsonb($5), upper($5) IN ('ALL', 'SELECT', 'INSERT', 'UPDATE', 'DELETE'), 'ALL, SELECT, INSERT, UPDATE or DELETE'),
      ('roles', to_jsonb($6), cardinality($6) > 0 AND NOT EXISTS (SELECT FROM unnest($6) r WHERE r IS NULL), 'the names of one role or more; public is everybody')
    ) a(name, got, good, expected) WHERE a.good IS NOT TRUE LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('argument "%s" of kg_add_policy must be %s', wrong.name, wrong.expected),
      DETAIL = jsonb_build_object('code', 'INVALID_INPUT', 'message', format('argument "%s" of kg_add_policy must be %s', wrong.name, wrong.expected), 'path', '/' || wrong.name,
        'got', coalesce(wrong.got, 'null'), 'expected', wrong.expected)::text;
  END IF;
  EXECUTE format('INSERT INTO %I.kg_policy AS p(policy, on_table, command, roles, using_expr, check_expr)
    VALUES ($1, $2, upper($5), $6, $3, $4)
    ON CONFLICT (policy) DO UPDATE SET on_table = $2, command = upper($5), roles = $6, using_expr = $3, check_expr = $4
    RETURNING p.problem', ours) INTO why USING $1, $2, $3, $4, $5, $6;
  IF why IS NOT NULL THEN
    RAISE EXCEPTION 'policy "%" could not be made: %', $1, why USING ERRCODE = 'invalid_parameter_value',
      HINT = 'Names in the expressions are qualified; roles are names, public is everybody.';
  END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_add_policy(text, text, text, text, text, text[]) IS
  'make or replace a restrictive policy on kg_entity or kg_edge that dumps contain; the expressions must qualify names; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_drop_policy(policy text) RETURNS void
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  -- The schema of the extension may have been renamed.
  ours text := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'kg_graph');
  tab text;
BEGIN
  EXECUTE format('SELECT %I.kg_require_owner(''drop policies'')', ours);
  IF policy IS NULL THEN
    RAISE EXCEPTION 'argument "policy" of kg_drop_policy must not be null' USING ERRCODE = 'invalid_parameter_value', HINT = 'Those that are registered are in kg_policy.';
  END IF;
  EXECUTE format('DELETE FROM %I.kg_policy WHERE policy = $1 RETURNING on_table', ours) INTO tab USING $1;
  IF tab IS NULL THEN
    RAISE EXCEPTION 'policy "%" is not registered', $1 USING ERRCODE = 'no_data_found', HINT = 'Those that are, are in kg_policy.';
  END IF;
  EXECUTE format('DROP POLICY IF EXISTS %I ON %I.%I', $1, ours, tab);
END
$$;
COMMENT ON FUNCTION @extschema@.kg_drop_policy(text) IS
  'drop a policy that kg_add_policy() made; for the owner of the extension';

-- The end of the script fills this table (sql/99_manifest.sql). In definitions, @
-- stands for the schema of the extension, which may be renamed. Major versions of
-- PostgreSQL write some expressions differently, so a row also has the major
-- version.
CREATE TABLE @extschema@.kg_manifest (
  on_table     text COLLATE "C" NOT NULL,
  kind         text COLLATE "C" NOT NULL,
  name         text COLLATE "C" NOT NULL,
  major        integer NOT NULL,
  definition   text NOT NULL,
  PRIMARY KEY (on_table, kind, name)
);
COMMENT ON TABLE @extschema@.kg_manifest IS 'objects that CREATE EXTENSION made on the tables of kg_graph; kg_health() and kg_check() compare the present objects with them';
ALTER TABLE @extschema@.kg_manifest ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_manifest FORCE ROW LEVEL SECURITY;
-- Only the owner has privileges on the table.
CREATE POLICY kg_manifest_select ON @extschema@.kg_manifest FOR SELECT
  USING (true);

-- The tables and sequences that are members of the extension, and those in its
-- schema that have the name of a former member: ALTER EXTENSION ... DROP TABLE
-- removes the membership, and changes nothing else.
CREATE FUNCTION @extschema@.kg_our_tables() RETURNS TABLE (oid oid, member boolean)
  LANGUAGE sql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  SELECT @extschema@.kg_require_owner('read how tables are defined');
  SELECT c.oid, bool_or(c.member)
    FROM (SELECT d.objid, true
            FROM pg_extension e JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e' AND d.classid = 'pg_class'::regclass
           WHERE e.extname = 'kg_graph'
          UNION ALL
          SELECT r.oid, false
            FROM pg_extension e JOIN @extschema@.kg_manifest m ON m.kind IN ('row security', 'sequence') JOIN pg_class r ON r.relnamespace = e.extnamespace AND r.relname = m.name
           WHERE e.extname = 'kg_graph') c(oid, member)
   GROUP BY c.oid;
END;
COMMENT ON FUNCTION @extschema@.kg_our_tables() IS
  'tables and sequences of kg_graph, and whether each is a member of the extension; for the owner of the extension';

-- The same for functions. The column privilege has the statement that gives PUBLIC
-- the initial privilege EXECUTE, or revokes it, after the function was made again.
CREATE FUNCTION @extschema@.kg_our_functions() RETURNS TABLE (oid oid, nspname name, signature text, member boolean, proowner oid, extowner oid, of_sql boolean, privilege text)
  LANGUAGE sql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off
  BEGIN ATOMIC
  SELECT @extschema@.kg_require_owner('read how tables are defined');
  SELECT p.oid, n.nspname, s.signature, f.member, p.proowner, e.extowner, p.prosqlbody IS NOT NULL,
         CASE WHEN coalesce(i.initprivs, p.proacl) IS NOT NULL AND NOT EXISTS (SELECT FROM aclexplode(coalesce(i.initprivs, p.proacl)) a WHERE a.grantee = 0)
                THEN format('; REVOKE EXECUTE ON FUNCTION %I.%s FROM PUBLIC;', n.nspname, s.signature)
              WHEN p.proacl IS NULL OR EXISTS (SELECT FROM aclexplode(p.proacl) a WHERE a.grantee = 0) THEN format('; GRANT EXECUTE ON FUNCTION %I.%s TO PUBLIC;', n.nspname, s.signature)
              ELSE ';' END
    FROM pg_extension e
   CROSS JOIN LATERAL (SELECT o.oid, bool_or(o.member) FROM (
           SELECT d.objid, true FROM pg_depend d WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass
           UNION ALL SELECT k.oid, false FROM @extschema@.kg_manifest m JOIN pg_proc k ON k.proname = split_part(m.name, '(', 1) AND k.pronamespace = e.extnamespace WHERE m.kind = 'function') o(oid, member) GROUP BY o.oid) f(oid, member)
    JOIN pg_proc p ON p.oid = f.oid AND p.prokind = 'f' JOIN pg_namespace n ON n.oid = p.pronamespace
   CROSS JOIN LATERAL (SELECT format('%I(%s)', p.proname, pg_get_function_identity_arguments(p.oid))) s(signature)
    LEFT JOIN pg_init_privs i ON i.classoid = 'pg_proc'::regclass AND i.objoid = p.oid AND i.objsubid = 0
   WHERE e.extname = 'kg_graph';
END;
COMMENT ON FUNCTION @extschema@.kg_our_functions() IS
  'functions of kg_graph, and whether each is a member of the extension; for the owner of the extension';

-- The objects that depend on the extension's tables, as statements that make them
-- again. kg_manifest has these statements as they were at the end of the install
-- script. An object that differs was made by a DBA (kg_dump_customizations) or is
-- damaged or missing (kg_health, kg_check).
CREATE FUNCTION @extschema@.kg_definitions() RETURNS TABLE (place integer, kind text, on_table text, name text, sound boolean, definition text)
  LANGUAGE sql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off SET DateStyle = 'ISO, YMD' SET IntervalStyle = postgres SET TimeZone = 'UTC' SET extra_float_digits = 1
  SET bytea_output = hex SET standard_conforming_strings = on SET lc_monetary = 'C'
  BEGIN ATOMIC
  SELECT @extschema@.kg_require_owner('read how tables are defined');
  WITH ours AS MATERIALIZED (
    SELECT c.oid, c.relname, c.relkind, c.relpersistence, c.relowner = e.extowner AS owned, o.member, n.nspname
      FROM pg_extension e CROSS JOIN @extschema@.kg_our_tables() o JOIN pg_class c ON c.oid = o.oid AND c.relkind IN ('r', 'p', 'S') JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE e.extname = 'kg_graph'),
  member AS (
    SELECT o.oid, o.relname, o.owned, c.relrowsecurity, c.relforcerowsecurity, c.reloptions, format('%I.%I', o.nspname, o.relname) AS name
      FROM ours o JOIN pg_class c ON c.oid = o.oid WHERE o.relkind IN ('r', 'p'))
  SELECT 0, 'row security'::text, m.relname::text, m.relname::text, m.owned,
         format('ALTER TABLE %s %s ROW LEVEL SECURITY, %s ROW LEVEL SECURITY;', m.name, CASE WHEN m.relrowsecurity THEN 'ENABLE' ELSE 'DISABLE' END,
           CASE WHEN m.relforcerowsecurity THEN 'FORCE' ELSE 'NO FORCE' END)
    FROM member m
  UNION ALL
  SELECT 1, 'policy'::text, m.relname, p.polname, true, format('CREATE POLICY %I ON %s AS %s FOR %s TO %s', p.polname, m.name, CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
         CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
         (SELECT string_agg(CASE r WHEN 0 THEN 'PUBLIC' ELSE r::regrole::text END, ', ') FROM unnest(p.polroles) r))
         || coalesce(' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')', '') || coalesce(' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '') || ';'
    FROM pg_policy p JOIN member m ON m.oid = p.polrelid
  UNION ALL
  SELECT 2, 'index'::text, m.relname, x.relname, i.indisvalid AND i.indisready AND i.indislive, pg_get_indexdef(i.indexrelid) || ';'
    FROM pg_index i JOIN member m ON m.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid
   WHERE NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.conrelid = i.indrelid AND c.contype <> 'f')
  UNION ALL
  -- The index of a constraint has no row of its own. NOT NULL is a constraint only
  -- since PostgreSQL 18, so it is compared as a property of its column on all major
  -- versions.
  SELECT 3, 'constraint'::text, m.relname, c.conname, c.convalidated AND coalesce(i.indisvalid AND i.indisready AND i.indislive, true),
         format('ALTER TABLE %s ADD CONSTRAINT %I %s;', m.name, c.conname, pg_get_constraintdef(c.oid))
    FROM pg_constraint c JOIN member m ON m.oid = c.conrelid LEFT JOIN pg_index i ON i.indexrelid = c.conindid AND i.indrelid = c.conrelid
   WHERE c.contype NOT IN ('n', 't')
  UNION ALL
  SELECT 4, 'trigger'::text, m.relname, t.tgname, true, pg_get_triggerdef(t.oid) || ';' || CASE t.tgenabled WHEN 'O' THEN '' ELSE format(' ALTER TABLE %s %s TRIGGER %I;', m.name,
         CASE t.tgenabled WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA' ELSE 'ENABLE ALWAYS' END, t.tgname) END
    FROM pg_trigger t JOIN member m ON m.oid = t.tgrelid
   WHERE NOT t.tgisinternal
  UNION ALL
  SELECT 5, 'statistics'::text, m.relname, x.stxname, true, pg_get_statisticsobjdef(x.oid) || ';' FROM pg_statistic_ext x JOIN member m ON m.oid = x.stxrelid
  UNION ALL
  -- The DBA decides when a table is vacuumed. Only dumps need these settings.
  SELECT 6, CASE WHEN o.vacuum THEN 'autovacuum' ELSE 'storage' END, m.relname, m.relname, true, format('ALTER TABLE %s SET (%s);', m.name, o.options)
    FROM member m
   CROSS JOIN LATERAL (SELECT starts_with(option, 'autovacuum_'), string_agg(option, ', ' ORDER BY option) FROM unnest(m.reloptions) option GROUP BY 1) o(vacuum, options)
  UNION ALL
  SELECT 7, 'column statistics'::text, m.relname, a.attname, true, format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS %s;', m.name, a.attname, a.attstattarget)
    FROM pg_attribute a JOIN member m ON m.oid = a.attrelid
   WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attstattarget >= 0
  UNION ALL
  SELECT 8, 'column options'::text, m.relname, a.attname, true, format('ALTER TABLE %s ALTER COLUMN %I SET (%s);', m.name, a.attname, array_to_string(o.options, ', '))
    FROM pg_attribute a JOIN member m ON m.oid = a.attrelid
   CROSS JOIN LATERAL (SELECT array_agg(option) AS options FROM unnest(a.attoptions) option WHERE option LIKE 'n_distinct%') o
   WHERE a.attnum > 0 AND o.options IS NOT NULL
  UNION ALL
  -- Dumps cannot contain the following objects, because CREATE EXTENSION makes them.
  SELECT 10, 'member'::text, 'kg_graph'::text, format('%s %s', CASE o.relkind WHEN 'S' THEN 'sequence' ELSE 'table' END, o.relname), o.member,
         format('ALTER EXTENSION kg_graph ADD %s %I.%I;', CASE o.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, o.nspname, o.relname)
    FROM ours o
  UNION ALL
  SELECT 10, 'dumped rows'::text, c.relname, c.relname, true,
         format('UPDATE pg_extension SET (extconfig, extcondition) = (SELECT array_agg(c.oid ORDER BY c.n), array_agg(c.filter ORDER BY c.n) FROM (SELECT u.* FROM unnest(extconfig, extcondition) WITH ORDINALITY u(oid, filter, n) WHERE u.oid <> %1$L::regclass '
           'UNION ALL SELECT %1$L::regclass, %2$L, NULL) c(oid, filter, n)) WHERE extname = ''kg_graph'';', format('%I.%I', n.nspname, c.relname), u.filter)
    FROM pg_extension e CROSS JOIN LATERAL unnest(e.extconfig, e.extcondition) u(oid, filter) JOIN pg_class c ON c.oid = u.oid JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE e.extname = 'kg_graph'
  UNION ALL
  SELECT 10, 'logging'::text, o.relname, o.relname, true, format('ALTER %s %I.%I SET %s;', CASE o.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, o.nspname, o.relname, CASE o.relpersistence WHEN 'u' THEN 'UNLOGGED' ELSE 'LOGGED' END)
    FROM ours o WHERE o.relkind <> 'p'
  UNION ALL
  SELECT 10, 'sequence'::text, o.relname, o.relname, o.owned, format('ALTER SEQUENCE %I.%I AS %s INCREMENT BY %s MINVALUE %s MAXVALUE %s CACHE %s%s CYCLE;', o.nspname, o.relname, q.seqtypid::regtype,
           q.seqincrement, q.seqmin, q.seqmax, q.seqcache, CASE WHEN q.seqcycle THEN '' ELSE ' NO' END)
    FROM ours o JOIN pg_sequence q ON q.seqrelid = o.oid
  UNION ALL
  -- kg_more_definitions() returns the definitions of SQL functions, because they
  -- take longer than all others.
  SELECT 10, k.kind, 'kg_graph'::text, CASE k.kind WHEN 'member' THEN 'function ' ELSE '' END || p.signature, CASE k.kind WHEN 'member' THEN p.member ELSE p.proowner = p.extowner END,
         CASE WHEN k.kind = 'member' THEN format('ALTER EXTENSION kg_graph ADD FUNCTION %I.%s;', p.nspname, p.signature)
              WHEN NOT p.of_sql THEN pg_get_functiondef(p.oid) || p.privilege END
    FROM @extschema@.kg_our_functions() p CROSS JOIN (VALUES ('member'), ('function')) k(kind);
END;
COMMENT ON FUNCTION @extschema@.kg_definitions() IS
  'policies, indexes, constraints, triggers and settings of the tables of kg_graph, and its functions, sequences, members and dumped data; each with the statement that makes it; for the owner of the extension';

-- Definitions that take long to compute. kg_check() compares them, too; kg_health()
-- does not.
CREATE FUNCTION @extschema@.kg_more_definitions() RETURNS TABLE (place integer, kind text, on_table text, name text, sound boolean, definition text)
  LANGUAGE sql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off SET DateStyle = 'ISO, YMD' SET IntervalStyle = postgres SET TimeZone = 'UTC' SET extra_float_digits = 1
  SET bytea_output = hex SET standard_conforming_strings = on SET lc_monetary = 'C'
  BEGIN ATOMIC
  SELECT @extschema@.kg_require_owner('read how tables are defined');
  WITH member AS (
    SELECT c.oid, c.relname, format('%I.%I', n.nspname, c.relname) AS name
      FROM @extschema@.kg_our_tables() o JOIN pg_class c ON c.oid = o.oid AND c.relkind IN ('r', 'p') JOIN pg_namespace n ON n.oid = c.relnamespace)
  SELECT 9, k.kind, m.relname::text, a.attname::text, true, format('ALTER TABLE %s %s;', m.name, CASE k.kind
           WHEN 'column type' THEN format('ALTER COLUMN %I TYPE %s', a.attname, format_type(a.atttypid, a.atttypmod)) || CASE WHEN a.attcollation <> t.typcollation THEN ' COLLATE ' || a.attcollation::regcollation ELSE '' END
           ELSE format('ALTER COLUMN %I %s NOT NULL, ', a.attname, CASE WHEN a.attnotnull THEN 'SET' ELSE 'DROP' END)
             || format('ALTER COLUMN %I ', a.attname) || coalesce('SET DEFAULT ' || pg_get_expr(f.adbin, f.adrelid),
                  CASE a.attidentity WHEN 'a' THEN 'ADD GENERATED ALWAYS AS IDENTITY' WHEN 'd' THEN 'ADD GENERATED BY DEFAULT AS IDENTITY' ELSE 'DROP DEFAULT' END) END)
    FROM pg_attribute a JOIN member m ON m.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_attrdef f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
   CROSS JOIN (VALUES ('column type'), ('column default')) k(kind)
   WHERE a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT 10, 'function'::text, 'kg_graph'::text, p.signature, p.proowner = p.extowner, pg_get_functiondef(p.oid) || p.privilege
    FROM @extschema@.kg_our_functions() p
   WHERE p.of_sql;
END;
COMMENT ON FUNCTION @extschema@.kg_more_definitions() IS
  'columns and SQL functions of kg_graph, which kg_definitions() omits; for the owner of the extension';

-- Other settings of the extension's tables. No reply depends on them, so only dumps
-- need them.
CREATE FUNCTION @extschema@.kg_table_settings() RETURNS TABLE (place integer, kind text, on_table text, name text, definition text)
  LANGUAGE sql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off
  BEGIN ATOMIC
  SELECT @extschema@.kg_require_owner('read how tables are defined');
  WITH member AS (
    SELECT c.oid, c.relname, c.reltoastrelid, c.relreplident, c.reltablespace, format('%I.%I', n.nspname, c.relname) AS name
      FROM pg_extension e CROSS JOIN @extschema@.kg_our_tables() o JOIN pg_class c ON c.oid = o.oid AND c.relkind IN ('r', 'p') JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE e.extname = 'kg_graph')
  SELECT 8, 'column storage'::text, m.relname::text, a.attname::text, concat_ws(' ', CASE WHEN a.attstorage <> t.typstorage THEN
         format('ALTER TABLE %s ALTER COLUMN %I SET STORAGE %s;', m.name, a.attname, CASE a.attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END) END,
         CASE a.attcompression WHEN 'p' THEN format('ALTER TABLE %s ALTER COLUMN %I SET COMPRESSION pglz;', m.name, a.attname)
           WHEN 'l' THEN format('ALTER TABLE %s ALTER COLUMN %I SET COMPRESSION lz4;', m.name, a.attname) END)
    FROM pg_attribute a JOIN member m ON m.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
   WHERE a.attnum > 0 AND (a.attstorage <> t.typstorage OR a.attcompression <> '')
  UNION ALL
  SELECT 8, 'placement'::text, m.relname::text, m.relname::text, concat_ws(' ', 'ALTER TABLE ' || m.name || ' SET (toast.' || array_to_string(o.reloptions, ', toast.') || ');',
         CASE m.relreplident WHEN 'n' THEN format('ALTER TABLE %s REPLICA IDENTITY NOTHING;', m.name) WHEN 'f' THEN format('ALTER TABLE %s REPLICA IDENTITY FULL;', m.name)
           WHEN 'i' THEN (SELECT format('ALTER TABLE %s REPLICA IDENTITY USING INDEX %I;', m.name, x.relname)
                            FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid WHERE i.indrelid = m.oid AND i.indisreplident) END,
         (SELECT format('ALTER TABLE %s SET TABLESPACE %I;', m.name, s.spcname) FROM pg_tablespace s WHERE s.oid = m.reltablespace),
         (SELECT format('ALTER TABLE %s CLUSTER ON %I;', m.name, x.relname) FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid WHERE i.indrelid = m.oid AND i.indisclustered))
    FROM member m LEFT JOIN pg_class o ON o.oid = m.reltoastrelid
   WHERE o.reloptions IS NOT NULL OR m.relreplident <> 'd' OR m.reltablespace <> 0
      OR EXISTS (SELECT FROM pg_index i WHERE i.indrelid = m.oid AND i.indisclustered)
  UNION ALL
  -- Options of an index that the definition of its constraint does not contain.
  SELECT 8, 'index options'::text, m.relname, x.relname, format('ALTER INDEX %s SET (%s);', x.oid::regclass, array_to_string(x.reloptions, ', '))
    FROM pg_constraint c JOIN member m ON m.oid = c.conrelid JOIN pg_class x ON x.oid = c.conindid
   WHERE c.contype IN ('p', 'u', 'x') AND x.reloptions IS NOT NULL
  UNION ALL
  SELECT 8, 'index placement'::text, m.relname, x.relname, format('ALTER INDEX %s SET TABLESPACE %I;', x.oid::regclass, s.spcname)
    FROM pg_index i JOIN member m ON m.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_tablespace s ON s.oid = x.reltablespace
  UNION ALL
  SELECT 8, 'index statistics'::text, m.relname, format('%s %s', x.relname, a.attnum), format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS %s;', x.oid::regclass, a.attnum, a.attstattarget)
    FROM pg_index i JOIN member m ON m.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_attribute a ON a.attrelid = x.oid
   WHERE a.attstattarget >= 0
  UNION ALL
  SELECT 8, 'statistics target'::text, m.relname, x.stxname, format('ALTER STATISTICS %I.%I SET STATISTICS %s;', n.nspname, x.stxname, x.stxstattarget)
    FROM pg_statistic_ext x JOIN member m ON m.oid = x.stxrelid JOIN pg_namespace n ON n.oid = x.stxnamespace
   WHERE x.stxstattarget >= 0
  UNION ALL
  -- A dump of PostgreSQL 18 contains this, too, so the statement ignores a
  -- duplicate.
  SELECT 8, 'publication'::text, m.relname, p.pubname, format('DO %L;', format('BEGIN ALTER PUBLICATION %I ADD TABLE %s', p.pubname, m.name)
         || coalesce((SELECT ' (' || string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) || ')' FROM pg_attribute a WHERE a.attrelid = m.oid AND a.attnum = ANY (r.prattrs)), '')
         || coalesce(' WHERE (' || pg_get_expr(r.prqual, r.prrelid) || ')', '') || '; EXCEPTION WHEN duplicate_object THEN NULL; END')
    FROM pg_publication_rel r JOIN member m ON m.oid = r.prrelid JOIN pg_publication p ON p.oid = r.prpubid
  UNION ALL
  -- A dump contains foreign keys of other tables, but cannot create one that refers
  -- to a DBA's own index on our table. The row of a foreign key has the name of that
  -- index, so it is reported only with such an index.
  SELECT 4, CASE WHEN EXISTS (SELECT FROM pg_constraint u WHERE u.conindid = c.conindid AND u.conrelid = c.confrelid AND u.contype <> 'f') THEN 'constraint' ELSE 'index' END, m.relname, x.relname,
         format('ALTER TABLE %s ADD CONSTRAINT %I %s;', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
    FROM pg_constraint c JOIN member m ON m.oid = c.confrelid JOIN pg_class x ON x.oid = c.conindid
   WHERE c.contype = 'f' AND c.conparentid = 0 AND NOT EXISTS (SELECT FROM member o WHERE o.oid = c.conrelid)
  UNION ALL
  SELECT 8, 'comment'::text, m.relname, o.target, format('COMMENT ON %s IS %L;', o.target, d.description)
    FROM member m
   CROSS JOIN LATERAL (
    SELECT 'pg_class'::regclass, i.indexrelid, format('INDEX %s', i.indexrelid::regclass) FROM pg_index i WHERE i.indrelid = m.oid
    UNION ALL SELECT 'pg_constraint'::regclass, c.oid, format('CONSTRAINT %I ON %s', c.conname, m.name) FROM pg_constraint c WHERE c.conrelid = m.oid AND c.contype <> 't'
    UNION ALL SELECT 'pg_policy'::regclass, p.oid, format('POLICY %I ON %s', p.polname, m.name) FROM pg_policy p WHERE p.polrelid = m.oid
    UNION ALL SELECT 'pg_trigger'::regclass, t.oid, format('TRIGGER %I ON %s', t.tgname, m.name) FROM pg_trigger t WHERE t.tgrelid = m.oid AND NOT t.tgisinternal
    UNION ALL SELECT 'pg_rewrite'::regclass, r.oid, format('RULE %I ON %s', r.rulename, m.name) FROM pg_rewrite r WHERE r.ev_class = m.oid
    UNION ALL SELECT 'pg_statistic_ext'::regclass, x.oid, format('STATISTICS %I.%I', n.nspname, x.stxname) FROM pg_statistic_ext x JOIN pg_namespace n ON n.oid = x.stxnamespace WHERE x.stxrelid = m.oid) o(class, oid, target)
    JOIN pg_description d ON d.classoid = o.class AND d.objoid = o.oid AND d.objsubid = 0
  UNION ALL
  SELECT 5, 'rule'::text, m.relname, r.rulename, pg_get_ruledef(r.oid) || CASE r.ev_enabled WHEN 'O' THEN '' ELSE format(' ALTER TABLE %s %s RULE %I;', m.name,
         CASE r.ev_enabled WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA' ELSE 'ENABLE ALWAYS' END, r.rulename) END
    FROM pg_rewrite r JOIN member m ON m.oid = r.ev_class
  UNION ALL
  -- Not a statement, but the names of the columns. They show whether somebody has
  -- added a column.
  SELECT 9, 'columns'::text, m.relname, m.relname, (SELECT string_agg(a.attname, ',' ORDER BY a.attname) FROM pg_attribute a WHERE a.attrelid = m.oid AND a.attnum > 0 AND NOT a.attisdropped)
    FROM member m;
END;
COMMENT ON FUNCTION @extschema@.kg_table_settings() IS
  'rules, columns, publications, comments and storage settings of the tables of kg_graph, with the statements that make them; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_manifest_text(definition text) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off
  BEGIN ATOMIC
  SELECT @extschema@.kg_require_owner('read how tables are defined');
  SELECT regexp_replace(definition, '(^|[^a-zA-Z0-9_"$])' || regexp_replace(quote_ident(n.nspname), '([^a-zA-Z0-9_])', E'\\\\\\1', 'g') || '[.]', E'\\1@.', 'g')
    FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'kg_graph';
END;
COMMENT ON FUNCTION @extschema@.kg_manifest_text(text) IS
  'a definition in the form of kg_manifest, with @ in place of the extension''s schema; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_definitions_wrong(thorough boolean DEFAULT true) RETURNS TABLE (kind text, on_table text, name text, problem text, repair text)
  LANGUAGE sql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off
  BEGIN ATOMIC
  SELECT @extschema@.kg_require_owner('read how tables are defined');
  SELECT m.kind, m.on_table, m.name,
         CASE WHEN m.kind = 'member' THEN 'is none of the extension: a dump treats it as somebody else''s'
              WHEN m.kind = 'dumped rows' THEN CASE WHEN d.name IS NULL THEN 'are left out by pg_dump' ELSE 'are chosen by another condition' END
              WHEN d.name IS NULL THEN 'is missing'
              WHEN NOT d.sound THEN CASE WHEN m.kind IN ('index', 'constraint') THEN 'is not valid' ELSE 'belongs to another role' END
              WHEN d.definition LIKE '% SET UNLOGGED;' THEN 'is off: a crash empties it, and a standby has no row of it' ELSE 'is not as it was made' END,
         CASE WHEN d.name IS NULL OR m.kind = 'storage' THEN ''
              WHEN m.kind IN ('row security', 'function', 'sequence') THEN
                CASE WHEN d.sound THEN '' ELSE format('ALTER %s %s.%s OWNER TO %s; ', CASE m.kind WHEN 'row security' THEN 'TABLE' ELSE upper(m.kind) END, s.name, CASE m.kind WHEN 'function' THEN m.name ELSE quote_ident(m.name) END, s.owner) END
              WHEN m.kind = 'constraint' AND d.sound THEN format('ALTER TABLE %s.%I DROP CONSTRAINT %I; ', s.name, m.on_table, m.name)
              WHEN m.kind IN ('policy', 'trigger') THEN format('DROP %s %I ON %s.%I; ', upper(m.kind), m.name, s.name, m.on_table)
              WHEN m.kind = 'index' AND d.sound THEN format('DROP INDEX %s.%I; ', s.name, m.name)
              WHEN m.kind = 'column default' AND d.definition LIKE '% AS IDENTITY;' THEN format('ALTER TABLE %s.%I ALTER COLUMN %I DROP IDENTITY; ', s.name, m.on_table, m.name) ELSE '' END
         || CASE WHEN d.sound IS FALSE AND m.kind IN ('index', 'constraint') THEN format('REINDEX INDEX %s.%I;', s.name, m.name) ELSE replace(m.definition, '@.', s.name || '.') END
         || CASE WHEN d.name IS NULL AND m.kind = 'function' THEN format(' ALTER EXTENSION kg_graph ADD FUNCTION %s.%s;', s.name, m.name) ELSE '' END
    FROM @extschema@.kg_manifest m
   CROSS JOIN (SELECT quote_ident(n.nspname), e.extowner::regrole FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'kg_graph') s(name, owner)
    LEFT JOIN (SELECT * FROM @extschema@.kg_definitions() UNION ALL SELECT * FROM @extschema@.kg_more_definitions() WHERE thorough) d
      ON d.on_table = m.on_table AND d.kind = m.kind AND d.name = m.name
   -- The DBA decides on the settings in kg_table_settings(), for example with
   -- default_tablespace.
   WHERE m.kind NOT IN ('autovacuum', 'rule', 'columns', 'column storage', 'comment', 'index options', 'index placement', 'index statistics', 'placement', 'publication', 'statistics target')
     AND (thorough OR m.kind NOT IN ('column type', 'column default'))
     -- A missing object is reported by its other rows.
     AND NOT (m.kind IN ('member', 'logging') AND d.name IS NULL)
     AND (d.name IS NULL OR NOT d.sound
      -- The exact comparison takes 20 times as long as a simple replacement, so it
      -- is only made if that finds a difference.
      OR (m.major = current_setting('server_version_num')::integer / 10000 AND m.definition <> replace(d.definition, s.name || '.', '@.')
          AND m.definition <> @extschema@.kg_manifest_text(d.definition)))
   -- A foreign key is made after the key to which it refers.
   ORDER BY m.kind, m.definition LIKE '% FOREIGN KEY %', m.on_table, m.name;
END;
COMMENT ON FUNCTION @extschema@.kg_definitions_wrong(boolean) IS
  'objects of CREATE EXTENSION that are missing, altered or not valid, with the statements that repair them; thorough: also columns and SQL functions; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_dump_customizations() RETURNS SETOF text
  LANGUAGE sql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  SELECT @extschema@.kg_require_owner('dump customizations');
  -- Omit an index that is not valid: an interrupted REINDEX CONCURRENTLY left it.
  SELECT d.definition FROM (SELECT place, kind, on_table, name, definition FROM @extschema@.kg_definitions() WHERE sound OR kind <> 'index' UNION ALL SELECT * FROM @extschema@.kg_table_settings()) d
   WHERE d.place >= 1 AND d.place <= 8
     AND NOT EXISTS (SELECT FROM @extschema@.kg_manifest m WHERE m.on_table = d.on_table AND m.kind = d.kind AND m.name = d.name
                        AND (d.place < 6 OR m.definition = @extschema@.kg_manifest_text(d.definition)))
      -- Also omit a copy of the extension's index that such a REINDEX left and a
      -- later REINDEX made valid.
     AND NOT (d.kind = 'index' AND EXISTS (SELECT FROM @extschema@.kg_manifest m WHERE m.on_table = d.on_table AND m.kind IN ('index', 'constraint')
                                              AND d.name ~ ('^' || m.name || '_cc(new|old)[0-9]*$')))
     AND NOT (d.kind = 'policy' AND EXISTS (SELECT FROM @extschema@.kg_policy o WHERE o.policy = d.name AND o.on_table = d.on_table))
   ORDER BY d.place, d.on_table COLLATE "C", d.definition COLLATE "C";
END;
COMMENT ON FUNCTION @extschema@.kg_dump_customizations() IS
  'statements that make a DBA''s policies, indexes, constraints, triggers and settings on the tables of kg_graph again, because pg_dump omits them; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_renew_secrets() RETURNS void
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  SELECT @extschema@.kg_require_owner('renew secrets');
  UPDATE @extschema@.kg_secret SET secret = uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
END;
COMMENT ON FUNCTION @extschema@.kg_renew_secrets() IS
  'replace the keys that sign cursors and notifications, such as after a copy of the database''s files; for the owner of the extension';
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_secret
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

CREATE FUNCTION @extschema@.kg_refuse_replication() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_refuse_replication';
COMMENT ON FUNCTION @extschema@.kg_refuse_replication() IS
  'row trigger that fires only for replication: refuses rows of logical replication';
