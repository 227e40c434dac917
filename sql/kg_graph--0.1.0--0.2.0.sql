\echo Use "ALTER EXTENSION kg_graph UPDATE TO '0.2.0'" to load this file. \quit

SET LOCAL search_path TO pg_catalog, pg_temp;

-- Every policy first compares the tenant (src/auth/tenant_planner.c).

CREATE FUNCTION @extschema@.kg_own_tenant_support(request internal) RETURNS internal
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_own_tenant_support';
COMMENT ON FUNCTION @extschema@.kg_own_tenant_support(internal) IS
  'planner support function of kg_own_tenant()';

-- Every policy begins with this function, so that it is evaluated before any
-- condition of a caller.
CREATE FUNCTION @extschema@.kg_own_tenant(tenant text) RETURNS boolean
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  SUPPORT @extschema@.kg_own_tenant_support
  AS 'MODULE_PATHNAME', 'kg_sql_own_tenant';
COMMENT ON FUNCTION @extschema@.kg_own_tenant(text) IS
  'whether the current role acts for this tenant; for policies';

ALTER POLICY kg_agent_select ON @extschema@.kg_agent
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant());
ALTER POLICY kg_tool_version_select ON @extschema@.kg_tool_version
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
ALTER POLICY kg_limit_select ON @extschema@.kg_limit
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant('admin'));
ALTER POLICY kg_quota_select ON @extschema@.kg_quota
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant('admin'));
ALTER POLICY kg_audit_select ON @extschema@.kg_audit
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant('admin'));
ALTER POLICY kg_audit_rest_select ON @extschema@.kg_audit_rest
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant('admin'));
ALTER POLICY kg_history_select ON @extschema@.kg_history
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant()
    AND @extschema@.kg_change_visible(bundle, type_no, entity_id, change, before, after));
ALTER POLICY kg_tenant_select ON @extschema@.kg_tenant
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant());
ALTER POLICY kg_tenant_role_select ON @extschema@.kg_tenant_role
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant('admin'));
ALTER POLICY kg_bundle_select ON @extschema@.kg_bundle
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
ALTER POLICY kg_entity_type_select ON @extschema@.kg_entity_type
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
ALTER POLICY kg_relation_select ON @extschema@.kg_relation
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
ALTER POLICY kg_agent_bundle_select ON @extschema@.kg_agent_bundle
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
ALTER POLICY kg_entity_select ON @extschema@.kg_entity
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant() AND @extschema@.kg_entity_visible(bundle, scope, type_no, node, entity_id, data));
ALTER POLICY kg_edge_select ON @extschema@.kg_edge
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant());
ALTER POLICY kg_adjacency_select ON @extschema@.kg_adjacency
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_packed_tenant());
ALTER POLICY kg_index_key_select ON @extschema@.kg_index_key
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_packed_tenant());
ALTER POLICY kg_unique_key_select ON @extschema@.kg_unique_key
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant());
ALTER POLICY kg_term_select ON @extschema@.kg_term
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant());
ALTER POLICY kg_word_select ON @extschema@.kg_word
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant());
ALTER POLICY kg_word_count_select ON @extschema@.kg_word_count
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant());
ALTER POLICY kg_trigram_select ON @extschema@.kg_trigram
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant());
ALTER POLICY kg_tool_select ON @extschema@.kg_tool
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
ALTER POLICY kg_pending_reference_select ON @extschema@.kg_pending_reference
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant());

-- Renaming of tenants and of all their rows (src/store/tenant/rows.c).

-- The privilege EXECUTE does not give the right to act, because default privileges
-- and GRANT ... ON ALL FUNCTIONS may grant it to any role. Functions that act beyond
-- their caller's tenant call kg_require_owner() (src/auth/owner.h).
CREATE FUNCTION @extschema@.kg_require_owner(act text) RETURNS boolean
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_require_owner';
COMMENT ON FUNCTION @extschema@.kg_require_owner(text) IS
  'true if the current role has the rights of the extension''s owner, otherwise the error FORBIDDEN; act completes the message "role ... may not"';

CREATE TABLE @extschema@.kg_former_name (
  name         text COLLATE "C" PRIMARY KEY,
  became       text COLLATE "C" NOT NULL,
  since        timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE @extschema@.kg_former_name IS 'former names of renamed tenants; no new tenant can have such a name before kg_free_tenant_name()';
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_former_name', '');

ALTER TABLE @extschema@.kg_former_name ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_former_name FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_former_name_nobody ON @extschema@.kg_former_name FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_rename_tenant(tenant text, name text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_rename_tenant';
COMMENT ON FUNCTION @extschema@.kg_rename_tenant(text, text) IS
  'rename a frozen tenant with all its data; new tenants cannot have the old name; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_free_tenant_name(name text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_free_tenant_name';
COMMENT ON FUNCTION @extschema@.kg_free_tenant_name(text) IS
  'let new tenants have a name that a tenant had before kg_rename_tenant(); for the owner of the extension';

CREATE FUNCTION @extschema@.kg_tenant_size(tenant text) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_tenant_size';
COMMENT ON FUNCTION @extschema@.kg_tenant_size(text) IS
  'number of rows of a tenant in each table, and the bytes of their values; for the owner of the extension';

-- Tenants that have moved to another database (src/tenants.c).
CREATE TABLE @extschema@.kg_moved_tenant (
  name         text COLLATE "C" PRIMARY KEY,
  roles        text[] COLLATE "C" NOT NULL,
  since        timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE @extschema@.kg_moved_tenant IS 'tenants that moved to another database, with their roles, whose calls here get an error that tells them to try again; made by kg_mark_moved(); deleted when a tenant gets the name';
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_moved_tenant', '');

ALTER TABLE @extschema@.kg_moved_tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_moved_tenant FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_moved_tenant_nobody ON @extschema@.kg_moved_tenant FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_mark_moved(tenant text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_mark_moved';
COMMENT ON FUNCTION @extschema@.kg_mark_moved(text) IS
  'make a frozen tenant inaccessible, and tell its callers to try again, because it moved to another database; kg_drop_tenant() then deletes its rows; for the owner of the extension';

-- kg_call_with_token(): a tool call with a token (src/tool_calls.c).
CREATE FUNCTION @extschema@.kg_call_with_token(token text, tool text, arguments jsonb DEFAULT '{}', options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_call_with_token';
COMMENT ON FUNCTION @extschema@.kg_call_with_token(text, text, jsonb, jsonb) IS
  'kg_login() and kg_call_tool() in one statement; pass the token as a parameter, not in the text of the statement';

CREATE FUNCTION @extschema@.kg_token_limits(token text) RETURNS jsonb
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  SELECT @extschema@.kg_limits() FROM @extschema@.kg_login(token);
END;
COMMENT ON FUNCTION @extschema@.kg_token_limits(text) IS
  'kg_login() and kg_limits() in one statement, for gateways; pass the token as a parameter, not in the text of the statement';

-- Embeddings of entities (src/embeddings.c, src/store/derived/embeddings.c,
-- src/query/search/search_meaning.c). They are stored in a type of PostgreSQL
-- itself, so that dumps, restores and moves of tenants need no pgvector, which only
-- computes distances.

CREATE TABLE @extschema@.kg_vectors (
  is_only      boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  dimensions   integer NOT NULL CHECK (dimensions BETWEEN 1 AND 16000),
  model        text COLLATE "C" NOT NULL
);
COMMENT ON TABLE @extschema@.kg_vectors IS 'dimensions and model of embeddings; one row after kg_enable_vectors(); for the owner only';

CREATE TABLE @extschema@.kg_embedding (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  node         bigint NOT NULL,
  type_no      integer NOT NULL,
  text_hash    bytea NOT NULL,
  embedding    real[] NOT NULL,
  PRIMARY KEY (tenant, node)
) WITH (toast_tuple_target = 8160);
ALTER TABLE @extschema@.kg_embedding ALTER embedding SET STORAGE EXTERNAL;
COMMENT ON TABLE @extschema@.kg_embedding IS 'embeddings of entities; written by kg_put_embeddings(), deleted with the entity';
COMMENT ON COLUMN @extschema@.kg_embedding.text_hash IS 'hash of the embedded text; the embedding is stale if the entity now has another text';
CREATE INDEX kg_embedding_type_idx ON @extschema@.kg_embedding (tenant, type_no);

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_vectors', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_embedding', '');

ALTER TABLE @extschema@.kg_vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_vectors FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_vectors_nobody ON @extschema@.kg_vectors FOR ALL
  USING (false);
ALTER TABLE @extschema@.kg_embedding ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_embedding FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_embedding_select ON @extschema@.kg_embedding FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant());

CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_vectors
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

CREATE FUNCTION @extschema@.kg_enable_vectors(dimensions integer, model text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_enable_vectors';
COMMENT ON FUNCTION @extschema@.kg_enable_vectors(integer, text) IS
  'enable embeddings with this number of dimensions, made by this model; needs pgvector 0.7 or later; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_disable_vectors() RETURNS bigint
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_disable_vectors';
COMMENT ON FUNCTION @extschema@.kg_disable_vectors() IS
  'disable embeddings, and delete those of all tenants; returns their number; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_put_embeddings(entity_type text, items jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_put_embeddings';
COMMENT ON FUNCTION @extschema@.kg_put_embeddings(text, jsonb, jsonb) IS
  'store embeddings of entities of a type; an item is {id, vector, expected_version}; returns a verdict for each item; options atomic, dry_run, idempotency_key, reason; needs write access';

CREATE FUNCTION @extschema@.kg_missing_embeddings(entity_type text, max integer DEFAULT 1000) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_missing_embeddings';
COMMENT ON FUNCTION @extschema@.kg_missing_embeddings(text, integer) IS
  'entities of a type that have no embedding or a stale one, with the text to embed: {"items": [{"id", "version", "text"}], "more"}';

CREATE FUNCTION @extschema@.kg_cosine_distance(a real[], b real[]) RETURNS double precision
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_cosine_distance';
COMMENT ON FUNCTION @extschema@.kg_cosine_distance(real[], real[]) IS
  'cosine distance of two vectors, from 0 to 2, by the operator <=> of pgvector; needs pgvector 0.7 or later';

ALTER TABLE @extschema@.kg_vectors ENABLE ALWAYS TRIGGER kg_catalog_changed;
CREATE TRIGGER kg_no_replication BEFORE INSERT OR UPDATE OR DELETE ON @extschema@.kg_embedding
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_refuse_replication();
ALTER TABLE @extschema@.kg_embedding ENABLE REPLICA TRIGGER kg_no_replication;
CREATE FUNCTION @extschema@.kg_duplicates(entity_type text, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_duplicates';
COMMENT ON FUNCTION @extschema@.kg_duplicates(text, jsonb) IS
  'pairs of entities of a type that may be the same, with a score and the reasons; options ids, relations, min_score, min_similarity, limit, offset, max_bytes';

CREATE FUNCTION @extschema@.kg_analyze(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_analyze';
COMMENT ON FUNCTION @extschema@.kg_analyze(jsonb) IS
  'the tool analyze: measures of the whole graph, such as central nodes, components, communities and similarity';

CREATE FUNCTION @extschema@.kg_keep_measure(entity_type text, property text, arguments jsonb) RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_keep_measure';
COMMENT ON FUNCTION @extschema@.kg_keep_measure(text, text, jsonb) IS
  'measure the graph as kg_analyze() does, and write the value of each entity of a type to a property; needs admin access';


-- Merging of entities (src/store/merge).

CREATE FUNCTION @extschema@.kg_merge(entity_type text, keep text, others text[], options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_merge';
COMMENT ON FUNCTION @extschema@.kg_merge(text, text, text[], jsonb) IS
  'merge entities of a type into one of them, with their references and edges; options prefer, values, expected_versions, dry_run, reason, idempotency_key; needs write access';
ALTER TABLE @extschema@.kg_freed ADD node bigint, ADD target bigint, ADD not_recorded text[] COLLATE "C", ADD CHECK ((node IS NULL) = (target IS NULL));
COMMENT ON COLUMN @extschema@.kg_freed.node IS 'node of the entity that had the id, if it was merged into another entity';
COMMENT ON COLUMN @extschema@.kg_freed.target IS 'node of the entity into which it was merged';
COMMENT ON COLUMN @extschema@.kg_freed.not_recorded IS 'types and relations without history, "bundle/name", whose entities and edges the merge changed';
CREATE INDEX kg_freed_node_idx ON @extschema@.kg_freed (tenant, node) WHERE node IS NOT NULL;
CREATE INDEX kg_freed_target_idx ON @extschema@.kg_freed (tenant, target) WHERE target IS NOT NULL;
CREATE INDEX kg_freed_id_idx ON @extschema@.kg_freed (tenant, entity_id) WHERE target IS NOT NULL;
ALTER TABLE @extschema@.kg_tool DROP CONSTRAINT kg_tool_operation_check;
ALTER TABLE @extschema@.kg_tool ADD CONSTRAINT kg_tool_operation_check
  CHECK (operation IN ('list', 'get', 'list_ids', 'create', 'update', 'delete', 'merge', 'link', 'unlink', 'history', 'registered', 'alias'));

-- Higher costs, so that policies are evaluated before conditions on a document
-- (49_views.sql).

ALTER FUNCTION @extschema@.kg_column_text(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_text_array(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_bigint(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_bigint_array(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_numeric(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_numeric_array(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_boolean(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_boolean_array(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_date(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_date_array(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_timestamptz(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_timestamptz_array(jsonb, text) COST 10;
ALTER FUNCTION @extschema@.kg_column_jsonb(jsonb, text) COST 10;

-- For a single type, the planner estimates that the policies of kg_entity hide no
-- row (49_views.sql).
COMMENT ON FUNCTION @extschema@.kg_view_support(internal) IS
  'planner support function of kg_view_row(), kg_view_nodes() and kg_entity_visible()';
ALTER FUNCTION @extschema@.kg_entity_visible(text, text, integer, bigint, text, jsonb) SUPPORT @extschema@.kg_view_support;

-- Each text of a registered policy must be one expression (48_policies.sql).

CREATE FUNCTION @extschema@.kg_policy_expression(expr text) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_policy_expression';
COMMENT ON FUNCTION @extschema@.kg_policy_expression(text) IS
  'the text in parentheses if it is exactly one expression, otherwise an error; so kg_policy cannot add other SQL to a statement';
CREATE OR REPLACE FUNCTION @extschema@.kg_policy_text(expr pg_catalog.pg_node_tree, relation oid) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off SET DateStyle = 'ISO, YMD' SET IntervalStyle = postgres SET TimeZone = 'UTC' SET extra_float_digits = 1
  SET bytea_output = hex SET standard_conforming_strings = on SET lc_monetary = 'C'
  BEGIN ATOMIC
  SELECT @extschema@.kg_require_owner('read policies');
  SELECT pg_get_expr(expr, relation);
END;

CREATE OR REPLACE FUNCTION @extschema@.kg_manifest_text(definition text) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off
  BEGIN ATOMIC
  SELECT @extschema@.kg_require_owner('read how tables are defined');
  SELECT regexp_replace(definition, '(^|[^a-zA-Z0-9_"$])' || regexp_replace(quote_ident(n.nspname), '([^a-zA-Z0-9_])', E'\\\\\\1', 'g') || '[.]', E'\\1@.', 'g')
    FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'kg_graph';
END;

COMMENT ON FUNCTION @extschema@.kg_explain(text, jsonb) IS
  'how a tool call is executed: its parsed arguments, SQL, parameter types and plans; for members of pg_read_all_stats with a grant of EXECUTE';
COMMENT ON FUNCTION @extschema@.kg_create_tenant(text) IS
  'make a tenant; for the owner of the extension';

ALTER POLICY kg_policy_all ON @extschema@.kg_policy
  USING (@extschema@.kg_require_owner('read or change policies'));


CREATE FUNCTION @extschema@.kg_policy_probe(on_table text, role oid) RETURNS void
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  SET row_security = on
  AS 'MODULE_PATHNAME', 'kg_sql_policy_probe';
COMMENT ON FUNCTION @extschema@.kg_policy_probe(text, oid) IS
  'test whether the policies of a table work in statements of a role; if not, raise an error, such as for a policy that reads its own table; role 0 is PUBLIC';

CREATE OR REPLACE FUNCTION @extschema@.kg_make_policy() RETURNS trigger
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

CREATE OR REPLACE FUNCTION @extschema@.kg_add_policy(policy text, on_table text, using_expr text, check_expr text DEFAULT NULL,
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

-- Functions that write or administer raise an error for a NULL argument
-- (src/base/nulls.c).

-- Makes registered policies for SELECT again, because such a policy now hides rows
-- from every write, too.
UPDATE @extschema@.kg_policy SET command = command WHERE command = 'SELECT';

-- The quota of bytes counts the pieces of names (src/store/derived/pieces.c).
COMMENT ON TABLE @extschema@.kg_trigram IS 'pieces of names and words, with the length of the name and the position of the piece (:8:1:pha); also trigrams of words and their last one and two letters; derived from kg_term';
-- Version 0.1.0 kept rows of names that no entity has any more.
DELETE FROM @extschema@.kg_trigram g WHERE NOT EXISTS (SELECT FROM @extschema@.kg_term t WHERE t.tenant = g.tenant AND t.term = g.term);
-- The usage of frozen tenants is counted, too, so the trigger that refuses writes is
-- disabled meanwhile.
ALTER TABLE @extschema@.kg_limit DISABLE TRIGGER kg_hold_tenant;
UPDATE @extschema@.kg_limit SET limits = limits WHERE subject IN ('*', 'ceiling');
ALTER TABLE @extschema@.kg_limit ENABLE ALWAYS TRIGGER kg_hold_tenant;

CREATE OR REPLACE FUNCTION @extschema@.kg_drop_policy(policy text) RETURNS void
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

ALTER FUNCTION @extschema@.kg_alter_agent(text, jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_apply_bundle(jsonb, jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_apply_bundle_text(text, jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_bind_agent(text, text) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_call_tool(text, jsonb, jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_check(jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_create_agent(text, jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_create_tenant(text) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_delete_edges(jsonb, jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_delete_entities(text, text[], jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_drop_agent(text) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_drop_bundle(text, jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_drop_tenant(text) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_drop_tenant(text, integer) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_export_tenant(text, jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_freeze_tenant(text) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_grant(text, text, text) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_grant_gateway(text, boolean) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_import_tenant(text[], jsonb, integer) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_load_batch(text, bigint, jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_login(text, boolean) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_prune_history(timestamptz) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_put_edges(jsonb, jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_put_entities(text, jsonb, jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_register_tool(jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_revert(jsonb, jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_revoke(text, text) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_revoke_gateway(text) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_set_shard(integer) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_thaw_tenant(text) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_unbind_agent(text, text) CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kg_update_entities(text, jsonb, jsonb) CALLED ON NULL INPUT;

-- The function returns the rows that the caller sees, also if row_security is off or
-- the schema was renamed.

CREATE OR REPLACE FUNCTION @extschema@.kg_registered_tools()
  RETURNS TABLE (tool text, version text, kind text, toolset text, latest boolean, deprecated text, bundle text, aliases jsonb, registered_at timestamptz, definition jsonb)
  LANGUAGE sql STABLE PARALLEL RESTRICTED
  SET search_path = pg_catalog, pg_temp SET row_security = on
  BEGIN ATOMIC
SELECT v.tool, v.version, v.definition ->> 'kind', v.toolset,
       v.precedence IS NOT DISTINCT FROM (SELECT w.precedence FROM @extschema@.kg_tool_version w
         WHERE w.tenant = v.tenant AND w.tool = v.tool AND w.deprecated IS NULL AND split_part(w.version, '+', 1) !~ '-' ORDER BY w.precedence DESC LIMIT 1),
       v.deprecated, v.bundle, v.definition -> 'aliases', v.registered_at, v.definition
  FROM @extschema@.kg_tool_version v ORDER BY v.tenant, v.tool, v.precedence;
END;

-- The definitions now also include functions, sequences, membership, the tables in
-- dumps, and columns (48_policies.sql).

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

CREATE OR REPLACE FUNCTION @extschema@.kg_definitions() RETURNS TABLE (place integer, kind text, on_table text, name text, sound boolean, definition text)
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

DROP FUNCTION @extschema@.kg_definitions_wrong();
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

-- kg_table_settings() returns more kinds of settings that dumps omit.

CREATE OR REPLACE FUNCTION @extschema@.kg_table_settings() RETURNS TABLE (place integer, kind text, on_table text, name text, definition text)
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

-- NOT NULL constraints of the extension after pg_upgrade to PostgreSQL 18, and
-- indexes that are not valid, are not customizations of a DBA.

CREATE OR REPLACE FUNCTION @extschema@.kg_dump_customizations() RETURNS SETOF text
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

CREATE OR REPLACE FUNCTION @extschema@.kg_renew_secrets() RETURNS void
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  SELECT @extschema@.kg_require_owner('renew secrets');
  UPDATE @extschema@.kg_secret SET secret = uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
END;

-- PARALLEL UNSAFE, because it changes settings and limits the backend's memory until
-- it ends.
CREATE FUNCTION @extschema@.kg_query(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_query';
COMMENT ON FUNCTION @extschema@.kg_query(jsonb) IS
  'the tool query: one SELECT over the types and relations of the tenant';

CREATE FUNCTION @extschema@.kg_bind_table(bundle text, table_name text, mapping jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_bind_table';
COMMENT ON FUNCTION @extschema@.kg_bind_table(text, text, jsonb) IS
  'make an entity type whose entities are the rows of a table or view, and merge it into a bundle; needs admin access and SELECT on the table';

CREATE FUNCTION @extschema@.kg_suggest_bindings(schema text, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_suggest_bindings';
COMMENT ON FUNCTION @extschema@.kg_suggest_bindings(text, jsonb) IS
  'a bundle of types that read the tables of a schema, to be reviewed and applied; options bundle, shared, tenant_column; needs read access';

CREATE FUNCTION @extschema@.kg_binding_report(type text) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_binding_report';
COMMENT ON FUNCTION @extschema@.kg_binding_report(text) IS
  'the table that a type reads, the properties and relations that an index serves, further useful indexes, and faults; needs read access';

-- Only a statement of the tool query calls this function. It replaces another
-- function there, and the call has the arguments and the result type of that
-- function.
CREATE FUNCTION @extschema@.kg_query_bounded(call internal) RETURNS internal
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_query_bounded';
COMMENT ON FUNCTION @extschema@.kg_query_bounded(internal) IS
  'replaces a function in a statement of kg_query(), and limits the size of its values';

-- The functions search(), neighbors(), reach() and path() in the FROM of a query.
CREATE FUNCTION @extschema@.kg_query_search(text text, type text DEFAULT NULL, "limit" integer DEFAULT 10) RETURNS TABLE (id text, entity_type text, name text, score double precision)
  LANGUAGE C STABLE PARALLEL UNSAFE ROWS 10 COST 10000
  AS 'MODULE_PATHNAME', 'kg_sql_query_search';
COMMENT ON FUNCTION @extschema@.kg_query_search(text, text, integer) IS
  'search() of a query: entities by name, alias or id, also with typing errors, the best first';

CREATE FUNCTION @extschema@.kg_query_neighbors(handle text, hops integer DEFAULT 1, relation text DEFAULT NULL) RETURNS TABLE (id text, entity_type text, depth integer)
  LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20 COST 10000
  AS 'MODULE_PATHNAME', 'kg_sql_query_neighbors';
COMMENT ON FUNCTION @extschema@.kg_query_neighbors(text, integer, text) IS
  'neighbors() of a query: the entities within some hops of one entity, in both directions';

CREATE FUNCTION @extschema@.kg_query_reach(type text, start text, relation text DEFAULT NULL, direction text DEFAULT 'outgoing', max_hops integer DEFAULT 3) RETURNS TABLE (id text, entity_type text, depth integer)
  LANGUAGE C STABLE PARALLEL UNSAFE ROWS 100 COST 10000
  AS 'MODULE_PATHNAME', 'kg_sql_query_reach';
COMMENT ON FUNCTION @extschema@.kg_query_reach(text, text, text, text, integer) IS
  'reach() of a query: the entities that a walk along a relation reaches, each with its number of hops';

CREATE FUNCTION @extschema@.kg_query_path("from" text, "to" text, max_hops integer DEFAULT NULL) RETURNS TABLE (step integer, id text, entity_type text, relation text)
  LANGUAGE C STABLE PARALLEL UNSAFE ROWS 5 COST 10000
  AS 'MODULE_PATHNAME', 'kg_sql_query_path';
COMMENT ON FUNCTION @extschema@.kg_query_path(text, text, integer) IS
  'path() of a query: the entities of a shortest path, in order, each with the relation that leads to it';

-- Keys for counts of edges (src/model/counted.h).

CREATE INDEX kg_index_key_counted_idx ON @extschema@.kg_index_key (tenant, node, field_no) WHERE field_no >= 32768;
COMMENT ON COLUMN @extschema@.kg_entity_type.key_fields IS
  'present and former x-index properties of the type; the n-th has field_no n in kg_index_key, or n + 32768 if it counts edges (x-derived)';
COMMENT ON FUNCTION @extschema@.kg_packed_tenant() IS
  'kg_derived_tenant() if no policy of kg_edge hides an edge from the caller, otherwise NULL; for the policies of kg_adjacency and kg_index_key';

-- The node becomes the first column of kg_entity_node_idx. The foreign keys of
-- kg_edge and of a DBA's own tables depend on this index. They are dropped and made
-- again, and not checked again, because nobody writes meanwhile. A foreign key that
-- was not valid, or whose triggers were disabled, stays so.

DO $$
DECLARE
  kept jsonb;
  -- properties of the index that a DBA may have changed
  identity boolean;
  clustered boolean;
  chosen text;
  said text;
  r record;
  t record;
BEGIN
  SELECT jsonb_agg(jsonb_build_object('tab', c.conrelid::regclass, 'name', c.conname, 'definition', pg_get_constraintdef(c.oid), 'partitioned', p.relkind = 'p', 'valid', c.convalidated,
           'states', (SELECT jsonb_agg(jsonb_build_object('tab', g.tgrelid::regclass, 'function', g.tgfoid::integer, 'state', g.tgenabled)) FROM pg_trigger g WHERE g.tgconstraint = c.oid AND g.tgenabled <> 'O'), 'comment', obj_description(c.oid, 'pg_constraint')) ORDER BY c.oid)
    INTO kept
    FROM pg_constraint c JOIN pg_class p ON p.oid = c.conrelid
   WHERE c.contype = 'f' AND c.conindid = '@extschema@.kg_entity_node_idx'::regclass AND c.conparentid = 0;
  FOR r IN SELECT * FROM jsonb_to_recordset(kept) AS k(tab text, name text) LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', r.tab, r.name);
  END LOOP;
  SELECT i.indisreplident, i.indisclustered, concat(' WITH (' || array_to_string(x.reloptions, ', ') || ')', ' TABLESPACE ' || quote_ident(s.spcname)), obj_description(x.oid, 'pg_class')
    INTO identity, clustered, chosen, said
    FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid LEFT JOIN pg_tablespace s ON s.oid = x.reltablespace
   WHERE x.oid = '@extschema@.kg_entity_node_idx'::regclass;
  DROP INDEX @extschema@.kg_entity_node_idx;
  EXECUTE 'CREATE UNIQUE INDEX kg_entity_node_idx ON @extschema@.kg_entity (node, tenant) INCLUDE (type_no, entity_id)' || chosen;
  IF identity THEN
    ALTER TABLE @extschema@.kg_entity REPLICA IDENTITY USING INDEX kg_entity_node_idx;
  END IF;
  IF clustered THEN
    ALTER TABLE @extschema@.kg_entity CLUSTER ON kg_entity_node_idx;
  END IF;
  IF said IS NOT NULL THEN
    EXECUTE 'COMMENT ON INDEX @extschema@.kg_entity_node_idx IS ' || quote_literal(said);
  END IF;
  FOR r IN SELECT * FROM jsonb_to_recordset(kept) AS k(tab text, name text, definition text, partitioned boolean, valid boolean, states jsonb, comment text) LOOP
    -- A foreign key of a partitioned table cannot be NOT VALID, so it is checked.
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s%s', r.tab, r.name, r.definition, CASE WHEN r.valid AND NOT r.partitioned THEN ' NOT VALID' END);
    UPDATE pg_constraint SET convalidated = true WHERE conrelid = r.tab::regclass AND conname = r.name AND r.valid;
    IF r.comment IS NOT NULL THEN
      EXECUTE format('COMMENT ON CONSTRAINT %I ON %s IS %L', r.name, r.tab, r.comment);
    END IF;
    FOR t IN SELECT s.tab, g.tgname AS name, CASE s.state WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA' ELSE 'ENABLE ALWAYS' END AS becomes
               FROM jsonb_to_recordset(r.states) AS s(tab text, function integer, state text)
               JOIN pg_constraint c ON c.conrelid = r.tab::regclass AND c.conname = r.name
               JOIN pg_trigger g ON g.tgconstraint = c.oid AND g.tgrelid = s.tab::regclass AND g.tgfoid = s.function LOOP
      EXECUTE format('ALTER TABLE %s %s TRIGGER %I', t.tab, t.becomes, t.name);
    END LOOP;
  END LOOP;
END
$$;

-- Dumps omit this table, because the numbers of transactions are valid only in one
-- database.
CREATE TABLE @extschema@.kg_change_transaction (
  tenant       text COLLATE "C" NOT NULL,
  xid          xid8 NOT NULL,
  transaction  bigint NOT NULL,
  PRIMARY KEY (tenant, xid)
);
COMMENT ON TABLE @extschema@.kg_change_transaction IS 'transactions of kg_history, for kg_changes(); each is written with its first change';
COMMENT ON COLUMN @extschema@.kg_change_transaction.transaction IS 'number of the transaction in kg_history; with xid 0: changes up to this xid may be missing; with xid 1: a number that each such gap changes';
ALTER TABLE @extschema@.kg_change_transaction ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_change_transaction FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_change_transaction_nobody ON @extschema@.kg_change_transaction FOR ALL
  USING (false);
CREATE TRIGGER kg_no_truncate BEFORE TRUNCATE ON @extschema@.kg_change_transaction
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_refuse_truncate();
ALTER TABLE @extschema@.kg_change_transaction ENABLE ALWAYS TRIGGER kg_no_truncate;
CREATE FUNCTION @extschema@.kg_changes(since text DEFAULT '', types text[] DEFAULT '{}', options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_changes';
COMMENT ON FUNCTION @extschema@.kg_changes(text, text[], jsonb) IS
  'changes after a position of types and relations with history, in the order of their transactions, and the next position; options limit, max_bytes';

COMMENT ON COLUMN @extschema@.kg_entity.index_keys IS
  'the keys of the entity in kg_index_key, except counts of edges, packed into one value; kg_packed_key() reads them';
COMMENT ON TABLE @extschema@.kg_index_key IS 'order-preserving keys, a row for each entity, x-index property and value; derived';

-- Instances of type json and text; drafts 4 and 6, OpenAPI 3.0. A literal without a
-- type gets the variant for text, because PostgreSQL cannot choose between json and
-- jsonb.
CREATE FUNCTION @extschema@.kg_validate(instance json, schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validate_text';
COMMENT ON FUNCTION @extschema@.kg_validate(json, jsonb, jsonb) IS
  'as kg_validate(jsonb, jsonb, jsonb), for an instance of type json';

CREATE FUNCTION @extschema@.kg_validate(instance text, schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validate_text';
COMMENT ON FUNCTION @extschema@.kg_validate(text, jsonb, jsonb) IS
  'as kg_validate(jsonb, jsonb, jsonb), for the text of an instance';

CREATE FUNCTION @extschema@.kg_validation_errors(instance json, schema jsonb, options jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validation_errors_text';
COMMENT ON FUNCTION @extschema@.kg_validation_errors(json, jsonb, jsonb) IS
  'as kg_validation_errors(jsonb, jsonb, jsonb), for an instance of type json';

CREATE FUNCTION @extschema@.kg_validation_errors(instance text, schema jsonb, options jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validation_errors_text';
COMMENT ON FUNCTION @extschema@.kg_validation_errors(text, jsonb, jsonb) IS
  'as kg_validation_errors(jsonb, jsonb, jsonb), for the text of an instance';

COMMENT ON FUNCTION @extschema@.kg_validate(jsonb, jsonb, jsonb) IS
  'whether the instance is valid against the JSON Schema, of the dialect that $schema or the option dialect names; further options: resources, format';
COMMENT ON FUNCTION @extschema@.kg_schema_check(jsonb, jsonb) IS
  'true for a JSON Schema that compiles, otherwise an error that names the fault and its place; warns of keywords that the dialect ignores';

-- The role that updates the extension may not be its owner. The objects made here
-- then get the owner of the extension.
DO $$
DECLARE
  m record;
BEGIN
  FOR m IN
    SELECT CASE WHEN p.oid IS NULL THEN format('TABLE %s', c.oid::regclass) ELSE format('FUNCTION %s', p.oid::regprocedure) END AS name, e.extowner::regrole AS owner
      FROM pg_extension e
      JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
      JOIN pg_roles r ON r.rolname = current_user AND r.oid <> e.extowner
      LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
      LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
     WHERE e.extname = 'kg_graph' AND r.oid IN (c.relowner, p.proowner)
  LOOP
    EXECUTE format('ALTER %s OWNER TO %s', m.name, m.owner);
  END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION @extschema@.kg_rename_tenant(text, text), @extschema@.kg_free_tenant_name(text), @extschema@.kg_tenant_size(text), @extschema@.kg_mark_moved(text),
  @extschema@.kg_enable_vectors(integer, text), @extschema@.kg_disable_vectors(), @extschema@.kg_our_tables(), @extschema@.kg_our_functions(),
  @extschema@.kg_more_definitions(), @extschema@.kg_definitions_wrong(boolean) FROM PUBLIC;

-- As in 90_privileges.sql: default privileges may have revoked EXECUTE from PUBLIC.
DO $$
DECLARE
  f record;
BEGIN
  FOR f IN
    SELECT p.oid::pg_catalog.regprocedure AS function
      FROM pg_catalog.pg_proc p
      JOIN pg_catalog.pg_depend d ON d.objid = p.oid
       AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
       AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
      JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid AND e.extname = 'kg_graph'
     WHERE d.deptype = 'e' AND NOT EXISTS (SELECT FROM pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) a WHERE a.grantee = 0)
       AND p.prorettype <> 'pg_catalog.trigger'::pg_catalog.regtype AND p.proname <> ALL (ARRAY[
       'kg_create_tenant', 'kg_drop_tenant', 'kg_rename_tenant', 'kg_free_tenant_name', 'kg_tenant_size', 'kg_freeze_tenant', 'kg_thaw_tenant', 'kg_export_tenant',
       'kg_import_tenant', 'kg_set_shard', 'kg_mark_moved', 'kg_explain', 'kg_enable_vectors', 'kg_disable_vectors', 'kg_set_authorizer', 'kg_login', 'kg_issue_token',
       'kg_grant_gateway', 'kg_revoke_gateway', 'kg_add_policy', 'kg_drop_policy', 'kg_policy_text', 'kg_our_tables', 'kg_our_functions', 'kg_definitions',
       'kg_more_definitions', 'kg_table_settings', 'kg_manifest_text', 'kg_definitions_wrong', 'kg_dump_customizations', 'kg_renew_secrets'])
  LOOP
    EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION %s TO PUBLIC', f.function);
  END LOOP;
END
$$;

-- Comments whose text changed.
COMMENT ON COLUMN @extschema@.kg_tenant.authorizer IS 'function that decides which entities of types with x-authorize a caller sees; set by kg_set_authorizer()';
COMMENT ON COLUMN @extschema@.kg_tenant_role.role_name IS 'name of the role at the time of the grant; the grant is valid only while one role has this number and this name';
COMMENT ON TABLE @extschema@.kg_tenant_role IS 'grants: the tenants for which a role may act; made by kg_grant()';
COMMENT ON TABLE @extschema@.kg_role IS 'privileges that kg_grant() and kg_grant_gateway() gave to roles, and which are taken back when no grant needs them; for the owner only';
COMMENT ON COLUMN @extschema@.kg_role.gateway IS 'whether kg_grant_gateway() made the role a gateway';
COMMENT ON COLUMN @extschema@.kg_role.exchange IS 'whether the role may call kg_call_authorized()';
COMMENT ON TABLE @extschema@.kg_bundle IS 'named, versioned sets of entity types, relations and entities; written by kg_apply_bundle()';
COMMENT ON TABLE @extschema@.kg_entity_type IS 'entity types; each has a JSON Schema with x-* annotations';
COMMENT ON COLUMN @extschema@.kg_entity_type.type_no IS 'number of the type in kg_entity, kg_index_key and kg_term';
COMMENT ON TABLE @extschema@.kg_relation IS 'relations; a row is a variant, with a source type and a target type; property names the x-ref of a derived relation, and is NULL for a declared one';
COMMENT ON COLUMN @extschema@.kg_relation.relation_no IS 'number of the relation in kg_edge; all variants of a relation of a bundle have the same number';
COMMENT ON COLUMN @extschema@.kg_relation.key IS 'property of the edges that distinguishes parallel edges, or NULL';
COMMENT ON TABLE @extschema@.kg_entity IS 'entities; a trigger validates data against the schema of the type and fills the columns that are derived from data';
COMMENT ON TABLE @extschema@.kg_edge IS 'edges between nodes; property names the x-ref from which the edge is derived, and is NULL for an explicit edge';
COMMENT ON COLUMN @extschema@.kg_edge.key IS 'value of the relation''s key property, as text; empty if the relation has no key property';
COMMENT ON TABLE @extschema@.kg_adjacency IS 'edges of up to 32 nodes, packed into two values; made by kg_pack(); a change of an edge clears the bits of its nodes; derived';
COMMENT ON COLUMN @extschema@.kg_adjacency.block IS 'n > 0: the nodes 32 n - 31 to 32 n; n < 0: the node -n, which has many edges; 0: a row that each packing writes';
COMMENT ON COLUMN @extschema@.kg_adjacency.nodes IS 'a bit for each node of the block, the lowest bit for the first; if it is set, the edges of the node are packed';
COMMENT ON COLUMN @extschema@.kg_adjacency.alone IS 'a bit for each node of the block; if it is set here and in nodes, the edges of the node are packed in a row of their own';
COMMENT ON TABLE @extschema@.kg_term IS 'search terms; kind l: label, a: alias, i: whole id in folded form, if that differs from the id, t: token; derived';
COMMENT ON TABLE @extschema@.kg_word IS 'folded words of x-search properties; frequency: how often the entity has the word; length: number of words of the entity; derived';
COMMENT ON TABLE @extschema@.kg_word_count IS 'number of entities that have a word of kg_word, summed over slots; the empty word counts all entities and, in length, their words; derived';
COMMENT ON TABLE @extschema@.kg_unique_key IS 'unique values of the properties that an x-ref-field names, and the entity that has the value; derived';
COMMENT ON TABLE @extschema@.kg_tool IS 'names of generated tools, of registered tools (kg_tool_version) and of aliases; the primary key keeps each name unique in a tenant';
COMMENT ON COLUMN @extschema@.kg_tool.canonical IS 'the tool that an alias names';
COMMENT ON TABLE @extschema@.kg_pending_reference IS 'references that wait for the check by the constraint kg_references: at once, or at commit after SET CONSTRAINTS ... DEFERRED; otherwise empty';
COMMENT ON TABLE @extschema@.kg_history IS 'changes of entities of types with x-history, and of edges of relations with history; written by the triggers of kg_entity and kg_edge';
COMMENT ON COLUMN @extschema@.kg_history.transaction IS 'number that all changes of a transaction share: the number of the first of them';
COMMENT ON COLUMN @extschema@.kg_history.at IS 'clock time of the write; never before the time of the previous change';
COMMENT ON COLUMN @extschema@.kg_history.version IS 'version of the entity after the change; for a deletion, a version that no entity has; NULL for an edge';
COMMENT ON COLUMN @extschema@.kg_history.before IS 'state before the change: the document of an entity or the properties of an edge; NULL: it did not exist; null: an edge without properties';
COMMENT ON TABLE @extschema@.kg_freed IS 'ids that entities gave up, each with the last version of its entity; the next entity with the id continues above this version';
COMMENT ON TABLE @extschema@.kg_freed_type IS 'dropped types, each with the last version of its entities; the next type with the name continues above this version';
COMMENT ON COLUMN @extschema@.kg_entity_type.version_above IS 'the versions of the type''s entities are above this number, which is the last version of a dropped type of the same name';
COMMENT ON COLUMN @extschema@.kg_entity_type.history_since IS 'time since which kg_history has every change of the type''s entities; NULL: it does not have them all';
COMMENT ON COLUMN @extschema@.kg_relation.history_since IS 'time since which kg_history has every change of the relation''s edges; NULL: it does not have them all';
COMMENT ON FUNCTION @extschema@.kg_tenant() IS 'the tenant for which the current role acts, or NULL; policies compare rows with it';
COMMENT ON FUNCTION @extschema@.kg_tenant(text) IS 'the tenant for which the current role acts with at least this access (read, write, admin), or NULL';
COMMENT ON FUNCTION @extschema@.kg_drop_tenant(text, integer) IS 'make a tenant inaccessible, and delete up to this many of its rows; true: no row is left, false: call it again; for the owner of the extension';
COMMENT ON FUNCTION @extschema@.kg_set_authorizer(text, regprocedure) IS 'set the function that decides who sees entities of types with x-authorize, or NULL for none; for the owner of the extension';
COMMENT ON FUNCTION @extschema@.kg_grant(text, text, text) IS 'let a role act for a tenant with access read, write or admin; for the owner of the extension, and for admins of the tenant who have ADMIN OPTION on the role';
COMMENT ON FUNCTION @extschema@.kg_revoke(text, text) IS 'revoke a grant, and the privileges that it gave, unless another grant needs them; also if the role was dropped';
COMMENT ON FUNCTION @extschema@.kg_check_tenant_role() IS 'row trigger of kg_tenant_role: warns if no role has both the number and the name of the grant';
COMMENT ON FUNCTION @extschema@.kg_validation_errors(jsonb, jsonb, jsonb) IS 'all violations, as an array of {path, keyword, schema_path, got, expected}; option output: flag, basic or detailed; further options: dialect, resources, format, max_errors';
COMMENT ON FUNCTION @extschema@.kg_check_entity() IS 'row trigger of kg_entity: fills columns from data, and validates data';
COMMENT ON FUNCTION @extschema@.kg_derive_entities() IS 'statement trigger of kg_entity: updates the derived rows, and enforces references';
COMMENT ON FUNCTION @extschema@.kg_check_references() IS 'constraint trigger of kg_pending_reference: raises an error if references have no target, at once or at commit';
COMMENT ON FUNCTION @extschema@.kg_put_entities(text, jsonb, jsonb) IS 'create or replace entities of a type; returns a verdict for each item; options atomic, dry_run, idempotency_key, reason; needs write access';
COMMENT ON FUNCTION @extschema@.kg_update_entities(text, jsonb, jsonb) IS 'change properties of entities of a type; an item is {id, set, unset, add, remove, expected_version}; returns a verdict for each item; options atomic, dry_run, idempotency_key, reason; needs write access';
COMMENT ON FUNCTION @extschema@.kg_delete_entities(text, text[], jsonb) IS 'delete entities of a type; returns a verdict for each id; options atomic, dry_run, idempotency_key, reason; needs write access';
COMMENT ON FUNCTION @extschema@.kg_put_edges(jsonb, jsonb) IS 'create explicit edges, or replace their properties; returns a verdict for each item; options atomic, dry_run, idempotency_key, reason; needs write access';
COMMENT ON FUNCTION @extschema@.kg_delete_edges(jsonb, jsonb) IS 'delete explicit edges; returns a verdict for each item; options atomic, dry_run, idempotency_key, reason; needs write access';
COMMENT ON FUNCTION @extschema@.kg_packed_key(bytea, integer) IS 'the key of a field in kg_entity.index_keys, or NULL; for an array, its first key';
COMMENT ON FUNCTION @extschema@.kg_packed_keys(bytea, integer) IS 'the keys of the items of an array in kg_entity.index_keys';
COMMENT ON FUNCTION @extschema@.kg_rebuild() IS 'derive the keys, terms and edges of the caller''s tenant again from its entities; needs admin access';
COMMENT ON FUNCTION @extschema@.kg_apply_bundle(jsonb, jsonb) IS 'make the stored bundle equal to the argument, or merge the argument into it; options mode, dry_run, expected_revision, max_errors, max_diff, idempotency_key; needs write access';
COMMENT ON FUNCTION @extschema@.kg_apply_bundle_text(text, jsonb) IS 'kg_apply_bundle() for JSON text, which needs less memory than a jsonb value; needs write access';
COMMENT ON FUNCTION @extschema@.kg_export_bundle(text) IS 'a bundle in the form that kg_apply_bundle() accepts; needs read access';
COMMENT ON FUNCTION @extschema@.kg_export_bundle_parts(text) IS 'a bundle of any size in rows; part bundle: all but the other parts; items: arrays of entities of the type name; edges: arrays of edges; needs read access';
COMMENT ON FUNCTION @extschema@.kg_list(text, jsonb) IS 'a page of the entities of a type; arguments filters, search, sort, fields, limit, offset or cursor, max_bytes';
COMMENT ON FUNCTION @extschema@.kg_list_ids(text, jsonb) IS 'as kg_list(), but only ids, or ids and summary fields';
COMMENT ON FUNCTION @extschema@.kg_get(text, text[]) IS 'the entities with these ids, in the order of the ids, and the ids that were not found';
COMMENT ON FUNCTION @extschema@.kg_call_tool(text, jsonb, jsonb) IS 'call a tool by name; returns an MCP tool result, also for an error; options timeout_ms, version, idempotency_key';
COMMENT ON FUNCTION @extschema@.kg_call_authorized(text, jsonb, jsonb, text, text) IS 'call a tool with decisions of another system; returns its result, or the decisions that it needs; for gateways that kg_grant_gateway(role, exchange => true) made';
COMMENT ON FUNCTION @extschema@.kg_clear_packed() IS 'statement trigger of kg_edge: removes the packed edges of nodes whose edges change';
COMMENT ON FUNCTION @extschema@.kg_pack() IS 'pack the edges of those nodes of the tenant whose edges changed since the last packing; returns the number of nodes';
COMMENT ON FUNCTION @extschema@.kg_traverse(jsonb) IS 'the tool traverse_relationships: the nodes that a chain of steps along relationships reaches';
COMMENT ON FUNCTION @extschema@.kg_neighbors(jsonb) IS 'the tool explore_neighbors: the nodes within some hops of one node';
COMMENT ON FUNCTION @extschema@.kg_search(jsonb) IS 'the tool search_entities: the ids of entities with a name or alias';
COMMENT ON FUNCTION @extschema@.kg_bfs(jsonb) IS 'the tool bfs_query: the nodes and edges within some hops of any seed';
COMMENT ON FUNCTION @extschema@.kg_describe(jsonb) IS 'the tool describe_entity: all properties of one entity';
COMMENT ON FUNCTION @extschema@.kg_describe_many(jsonb) IS 'the tool describe_entities: all properties of several entities';
COMMENT ON FUNCTION @extschema@.kg_intersect(jsonb) IS 'the tool intersect_subgraphs: the nodes within some hops of every seed, and the edges between them';
COMMENT ON FUNCTION @extschema@.kg_paths(jsonb) IS 'the tool find_paths: the paths between two sets of nodes';
COMMENT ON FUNCTION @extschema@.kg_rank(jsonb) IS 'the tool rank_related: the nodes most related to some nodes, by personalized PageRank';
COMMENT ON FUNCTION @extschema@.kg_to_mermaid(jsonb, jsonb) IS 'a Mermaid flowchart of a bundle''s types and relations, of a schema, or of the reply of a tool';
COMMENT ON FUNCTION @extschema@.kg_to_dot(jsonb, jsonb) IS 'a Graphviz graph of a bundle''s types and relations, of a schema, or of the reply of a tool';
COMMENT ON FUNCTION @extschema@.kg_verify(jsonb) IS 'the tool verify_claims: whether the graph supports or contradicts each claim of a draft';
COMMENT ON TABLE @extschema@.kg_auth_key IS 'keys with which kg_login() verifies tokens; for the owner of the extension only';
COMMENT ON COLUMN @extschema@.kg_auth_key.alg IS 'algorithm of the key; a token with another algorithm is refused';
COMMENT ON COLUMN @extschema@.kg_auth_key.tenant IS 'the only tenant for which tokens of this key are valid; NULL: the tenant that the claim tenant_claim names';
COMMENT ON COLUMN @extschema@.kg_auth_key.role_claim IS 'claim whose values determine the access; the column roles, if set, maps them to an access; NULL: every token has the access of the column access';
COMMENT ON COLUMN @extschema@.kg_auth_key.access IS 'highest access that a token of this key can have';
COMMENT ON COLUMN @extschema@.kg_auth_key.scope_claim IS 'claim with path prefixes, with which x-scope-field is compared; NULL: no scopes';
COMMENT ON FUNCTION @extschema@.kg_login(text, boolean) IS 'verify a JSON Web Token and act as its bearer until the transaction ends; pass the token as a parameter, not in the text of the statement';
COMMENT ON FUNCTION @extschema@.kg_logout() IS 'end the identity that kg_login() bound to this session';
COMMENT ON FUNCTION @extschema@.kg_issue_token(jsonb, text, interval) IS 'sign a token with an HS256 key; adds iss, aud, iat and exp to the claims; for the owner of the extension only';
COMMENT ON FUNCTION @extschema@.kg_bundle_visible(text) IS 'whether the caller''s agent, if any, sees the bundle; true if the bundle is NULL; for policies';
COMMENT ON FUNCTION @extschema@.kg_entity_visible(text, text) IS 'whether the agent and the scope paths of the caller let it see an entity; for policies';
COMMENT ON FUNCTION @extschema@.kg_entity_visible(text, text, integer, bigint, text, jsonb) IS 'as kg_entity_visible(text, text), for a stored entity, and with the decisions of x-authorize; for the policies of kg_entity';
COMMENT ON FUNCTION @extschema@.kg_entity_valid(integer, jsonb) IS 'whether an entity is valid at the valid_at of the running tool call; true without valid_at; for statements of tools';
COMMENT ON FUNCTION @extschema@.kg_edge_valid(integer, jsonb) IS 'whether an edge is valid at the valid_at of the running tool call; true without valid_at; for statements of tools';
COMMENT ON FUNCTION @extschema@.kg_derived_tenant() IS 'kg_tenant() if the caller may read edges, keys and terms: in tools always, in direct SQL if it sees every entity of the tenant; otherwise NULL; for policies';
COMMENT ON FUNCTION @extschema@.kg_derived_tenant(text) IS 'kg_derived_tenant() if the caller has at least this access (read, write, admin), otherwise NULL; for policies';
COMMENT ON FUNCTION @extschema@.kg_grant_gateway(text, boolean) IS 'let a role pass tokens of its clients to kg_mcp(), with exchange also to kg_call_authorized(); without a token the role has no access; for the owner of the extension';
COMMENT ON FUNCTION @extschema@.kg_revoke_gateway(text) IS 'revoke what kg_grant_gateway() granted; for the owner of the extension';
COMMENT ON COLUMN @extschema@.kg_agent.toolsets IS 'toolsets whose tools the agent has, also those of registered tools; NULL: all';
COMMENT ON COLUMN @extschema@.kg_agent.tools IS 'the tools of these toolsets that the agent has; NULL: all';
COMMENT ON FUNCTION @extschema@.kg_create_agent(text, jsonb) IS 'make an agent of the caller''s tenant; options title, description, instructions, bundles, toolsets, tools; for the tenant''s admins';
COMMENT ON FUNCTION @extschema@.kg_alter_agent(text, jsonb) IS 'change the given options of an agent; null removes an option; for the tenant''s admins';
COMMENT ON FUNCTION @extschema@.kg_bind_agent(text, text) IS 'let an agent see an existing bundle; for the tenant''s admins';
COMMENT ON FUNCTION @extschema@.kg_unbind_agent(text, text) IS 'remove a bundle from those that an agent sees; for the tenant''s admins';
COMMENT ON TABLE @extschema@.kg_policy IS 'restrictive policies of a DBA on kg_entity and kg_edge; made by kg_add_policy()';
COMMENT ON COLUMN @extschema@.kg_policy.roles IS 'names of the roles; public: all roles';
COMMENT ON COLUMN @extschema@.kg_policy.role_numbers IS 'numbers of these roles in this cluster; 0: the role does not exist';
COMMENT ON COLUMN @extschema@.kg_policy.made_using IS 'the expression of the policy as PostgreSQL printed it when the policy was made; the policy is in force while both are equal';
COMMENT ON COLUMN @extschema@.kg_policy.problem IS 'reason why the policy could not be made';
COMMENT ON FUNCTION @extschema@.kg_policy_text(pg_catalog.pg_node_tree, oid) IS 'expression of a policy as text, independent of the settings of the session';
COMMENT ON FUNCTION @extschema@.kg_add_policy(text, text, text, text, text, text[]) IS 'make or replace a restrictive policy on kg_entity or kg_edge that dumps contain; the expressions must qualify names; for the owner of the extension';
COMMENT ON TABLE @extschema@.kg_manifest IS 'objects that CREATE EXTENSION made on the tables of kg_graph; kg_health() and kg_check() compare the present objects with them';
COMMENT ON FUNCTION @extschema@.kg_manifest_text(text) IS 'a definition in the form of kg_manifest, with @ in place of the extension''s schema; for the owner of the extension';
COMMENT ON FUNCTION @extschema@.kg_dump_customizations() IS 'statements that make a DBA''s policies, indexes, constraints, triggers and settings on the tables of kg_graph again, because pg_dump omits them; for the owner of the extension';
COMMENT ON FUNCTION @extschema@.kg_renew_secrets() IS 'replace the keys that sign cursors and notifications, such as after a copy of the database''s files; for the owner of the extension';
COMMENT ON FUNCTION @extschema@.kg_refuse_replication() IS 'row trigger that fires only for replication: refuses rows of logical replication';
COMMENT ON COLUMN @extschema@.kg_tool_version.precedence IS 'order of the versions of a tool by semver 2.0.0; versions that differ only in build metadata have the same precedence';
COMMENT ON COLUMN @extschema@.kg_tool_version.bundle IS 'bundle that has the tool; NULL: the tool is in no bundle';
COMMENT ON COLUMN @extschema@.kg_tool_version.deprecated IS 'reason for the deprecation, or an empty text; NULL: not deprecated';
COMMENT ON COLUMN @extschema@.kg_tool_version.definition IS 'complete definition, with the defaults, without the deprecation; never changes';
COMMENT ON FUNCTION @extschema@.kg_register_tool(jsonb) IS 'register a version of a tool; the same definition again changes nothing except the deprecation; for the tenant''s admins, functions for the owner of the extension';
COMMENT ON FUNCTION @extschema@.kg_unregister_tool(text, text) IS 'remove a version of a registered tool, or all versions; for the tenant''s admins';
COMMENT ON FUNCTION @extschema@.kg_registered_tools() IS 'all versions of the registered tools that the caller sees, in their order; latest marks the version that the name alone means';
COMMENT ON COLUMN @extschema@.kg_limit.subject IS '*, role:NAME, agent:NAME or sub:VALUE; ceiling: limits for all callers, set by the owner of the extension';
COMMENT ON COLUMN @extschema@.kg_limit.limits IS 'numbers; times are in milliseconds; null: the value of the setting';
COMMENT ON TABLE @extschema@.kg_quota IS 'usage of tenants with quotas, in rows that concurrent sessions update without waiting for each other; the sum of allotted is the quota; derived';
COMMENT ON FUNCTION @extschema@.kg_check_limit() IS 'row trigger of kg_limit: refuses the limits that kg_set_limits() refuses';
COMMENT ON FUNCTION @extschema@.kg_reset_quotas() IS 'row trigger of kg_limit: counts the present usage of a tenant with a quota';
COMMENT ON FUNCTION @extschema@.kg_count_bundles() IS 'statement trigger of kg_bundle: counts the bundles of tenants with a quota';
COMMENT ON FUNCTION @extschema@.kg_set_limits(text, text, jsonb) IS 'set limits of a subject: *, role:NAME, agent:NAME or sub:VALUE; for the tenant''s admins, and for the owner of the extension, whose limits of * are the ceiling';
COMMENT ON FUNCTION @extschema@.kg_limits() IS 'the limits that apply to the caller now';
COMMENT ON COLUMN @extschema@.kg_idempotency.request IS 'digest of the function and its arguments';
COMMENT ON TABLE @extschema@.kg_load IS 'positions of loads in batches; for the owner only';
COMMENT ON COLUMN @extschema@.kg_load.batch IS 'number of batches that were written';
COMMENT ON COLUMN @extschema@.kg_load.position IS 'value that the loading client stored with its last batch';
COMMENT ON FUNCTION @extschema@.kg_load_position(text) IS 'position of a load of the caller: {"batch", "position", "updated_at"}, or NULL; needs write access';
COMMENT ON FUNCTION @extschema@.kg_load_batch(text, bigint, jsonb) IS 'store the position of a load in the transaction of its batch; batch is 0 at the beginning, then one more than the stored number; needs write access';
COMMENT ON FUNCTION @extschema@.kg_mcp(jsonb, text, text) IS 'answer one JSON-RPC message of the Model Context Protocol; tenant is a routing key, and must equal the verified tenant';
COMMENT ON FUNCTION @extschema@.kg_mcp_authorized(jsonb, text, text, jsonb, text) IS 'kg_mcp() with decisions of another system; the answer to a tools/call may be the needed decisions (kg_authorize) instead of a result';
COMMENT ON TABLE @extschema@.kg_tenant_state IS 'tenants that are frozen, so that nobody writes them, and tenants that are being dropped; made by kg_freeze_tenant() and kg_drop_tenant()';
COMMENT ON FUNCTION @extschema@.kg_hold_tenant() IS 'row trigger: refuses writes to a frozen tenant; otherwise keeps the tenant from being frozen until the transaction ends';
COMMENT ON FUNCTION @extschema@.kg_freeze_tenant(text) IS 'make a tenant read-only; first waits up to lock_timeout for transactions that write it; for the owner of the extension';
COMMENT ON FUNCTION @extschema@.kg_thaw_tenant(text) IS 'let a tenant be written again that kg_freeze_tenant() made read-only; for the owner of the extension';
COMMENT ON TABLE @extschema@.kg_number_range IS 'number of this database if tenants move between databases; its nodes have numbers from shard * 2^40, its types and relations from shard * 2^20; made by kg_set_shard()';
COMMENT ON TABLE @extschema@.kg_import IS 'tenants whose import by kg_import_tenant() lacks the last part; for the owner only';
COMMENT ON TABLE @extschema@.kg_import_row IS 'imported rows of the tenants in kg_import; for the owner only';
COMMENT ON TABLE @extschema@.kg_import_number IS 'old and new numbers of the nodes, types and relations of a tenant, as ranges; empty except during its import';
COMMENT ON FUNCTION @extschema@.kg_set_shard(integer) IS 'give a database without tenants its own range of numbers, 1 to 2047, so that tenants keep their numbers when they move; for the owner of the extension';
COMMENT ON FUNCTION @extschema@.kg_export_tenant(text, jsonb) IS 'all data of a tenant as lines of JSON, for kg_import_tenant(); option secrets; for the owner of the extension';
COMMENT ON FUNCTION @extschema@.kg_import_tenant(text[], jsonb, integer) IS 'make a tenant from the lines of kg_export_tenant(), which may come in several parts; options name, frozen, create_roles, without_policies; for the owner of the extension';
COMMENT ON FUNCTION @extschema@.kg_column_text(jsonb, text) IS 'a property of a document as text; NULL if it is missing or of another type';
COMMENT ON FUNCTION @extschema@.kg_column_text_array(jsonb, text) IS 'an array property of a document as text[]; an item of another type is NULL';
COMMENT ON FUNCTION @extschema@.kg_column_bigint(jsonb, text) IS 'a property of a document as bigint; NULL if it is missing or of another type';
COMMENT ON FUNCTION @extschema@.kg_column_bigint_array(jsonb, text) IS 'an array property of a document as bigint[]; an item of another type is NULL';
COMMENT ON FUNCTION @extschema@.kg_column_numeric(jsonb, text) IS 'a property of a document as numeric; NULL if it is missing or of another type';
COMMENT ON FUNCTION @extschema@.kg_column_numeric_array(jsonb, text) IS 'an array property of a document as numeric[]; an item of another type is NULL';
COMMENT ON FUNCTION @extschema@.kg_column_boolean(jsonb, text) IS 'a property of a document as boolean; NULL if it is missing or of another type';
COMMENT ON FUNCTION @extschema@.kg_column_boolean_array(jsonb, text) IS 'an array property of a document as boolean[]; an item of another type is NULL';
COMMENT ON FUNCTION @extschema@.kg_column_date(jsonb, text) IS 'a property of a document as date; NULL if it is missing or of another type';
COMMENT ON FUNCTION @extschema@.kg_column_date_array(jsonb, text) IS 'an array property of a document as date[]; an item of another type is NULL';
COMMENT ON FUNCTION @extschema@.kg_column_timestamptz(jsonb, text) IS 'a property of a document as timestamptz; NULL if it is missing or of another type';
COMMENT ON FUNCTION @extschema@.kg_column_timestamptz_array(jsonb, text) IS 'an array property of a document as timestamptz[]; an item of another type is NULL';
COMMENT ON FUNCTION @extschema@.kg_column_jsonb(jsonb, text) IS 'a property of a document as jsonb; NULL if it is missing or null';
COMMENT ON FUNCTION @extschema@.kg_view_row(bigint, text, text, text, text) IS 'always true; stores in the definition of a view its type or relation, and lets the planner find its rows by keys';
COMMENT ON FUNCTION @extschema@.kg_view_nodes(text, text, text, text, jsonb, text, jsonb) IS 'visible entities that may pass a filter on a column of a view; the planner adds the call to statements';
COMMENT ON FUNCTION @extschema@.kg_view_edges(bigint, integer) IS 'edges of a relation that leave a node, if the caller sees both ends; for views of callers who see no rows of kg_edge';
COMMENT ON FUNCTION @extschema@.kg_create_views(text, jsonb) IS 'make a view of each type and relation of the tenant, in a schema of the caller; option dry_run';
COMMENT ON FUNCTION @extschema@.kg_refresh_views(text, jsonb) IS 'update the caller''s views of the tenant to its present types and relations; option dry_run';
COMMENT ON FUNCTION @extschema@.kg_health() IS 'state, version, components and metrics, without long work; all of them for the owner and gateways, for others those of their tenant';
COMMENT ON FUNCTION @extschema@.kg_check(jsonb) IS 'derive all rows again and compare them, and check tables, grants and policies; returns each fault with its repair; options repair, limit, tenant; the owner for all tenants, admins for theirs';
COMMENT ON TABLE @extschema@.kg_audit IS 'calls that were recorded because the setting kg_graph.audit asks for it; admins read those of their tenant';
COMMENT ON COLUMN @extschema@.kg_audit.tenant IS 'empty: the caller had no tenant';
COMMENT ON COLUMN @extschema@.kg_audit.arguments_hash IS 'SHA-256 of the binary form of the arguments; equal arguments have equal hashes';
COMMENT ON FUNCTION @extschema@.kg_stat_tools(interval) IS 'calls, errors by code, milliseconds, rows and bytes of each tool in the last interval, from kg_audit; for admins, of their tenant';
COMMENT ON FUNCTION @extschema@.kg_change_visible(text, integer, text, bigint, jsonb, jsonb) IS 'whether the caller may see the states before and after a change, by the rules of kg_entity_visible()';
COMMENT ON FUNCTION @extschema@.kg_history(text, text, jsonb) IS 'changes of an entity, the newest first; options limit, cursor, max_bytes';
COMMENT ON FUNCTION @extschema@.kg_history(text, jsonb, jsonb) IS 'changes of the edges of a relation between two entities, {from, to} or {from, to, key}, the newest first; options limit, cursor, max_bytes';
COMMENT ON FUNCTION @extschema@.kg_past(text) IS 'former rows of a table at the as_of of the running tool call, where they differ from the present rows; for statements of tools';
COMMENT ON FUNCTION @extschema@.kg_past(text, bigint) IS 'as kg_past(text), for one entity';
COMMENT ON FUNCTION @extschema@.kg_past(text, bigint[]) IS 'as kg_past(text), for several entities';
COMMENT ON FUNCTION @extschema@.kg_past(text, integer, integer) IS 'as kg_past(text), for the keys of a field';
COMMENT ON FUNCTION @extschema@.kg_past_keeps(boolean, bigint) IS 'whether a stored row of an entity is unchanged since the as_of of the running tool call; true without as_of, and for rows of kg_past(); for statements of tools';
COMMENT ON FUNCTION @extschema@.kg_past_keeps(boolean, bigint, integer, text, bigint) IS 'as kg_past_keeps(boolean, bigint), for an edge';
COMMENT ON FUNCTION @extschema@.kg_revert(jsonb, jsonb) IS 'undo changes of kg_history(): a number, an array of numbers, or {"transaction": number}; options dry_run, reason; needs write access';
COMMENT ON FUNCTION @extschema@.kg_prune_history(timestamptz) IS 'delete the changes of the caller''s tenant before a time; returns their number; needs admin access';

-- Only the condition of a policy is replaced in the manifest, so that changes that a
-- DBA made to the policy are still reported.
UPDATE @extschema@.kg_manifest m
   SET major = pg_catalog.current_setting('server_version_num')::integer / 10000,
       definition = CASE m.kind WHEN 'policy' THEN split_part(m.definition, ' USING (', 1) || substr(n.definition, strpos(n.definition, ' USING ('))
                      ELSE regexp_replace(n.definition, ' WITH [(][^)]*[)];$', ';') END
  FROM @extschema@.kg_definitions() d CROSS JOIN LATERAL (SELECT @extschema@.kg_manifest_text(d.definition)) n(definition)
 WHERE ((m.kind = 'policy' AND d.definition ~ 'kg_(own_tenant|require_owner)[(]') OR m.name IN ('kg_entity_node_idx', 'kg_tool_operation_check'))
   AND d.kind = m.kind AND d.on_table = m.on_table AND d.name = m.name;
UPDATE @extschema@.kg_manifest
   SET definition = (SELECT string_agg(name, ',' ORDER BY name COLLATE "C") FROM unnest(string_to_array(definition, ',') || ARRAY['node', 'target', 'not_recorded']) name)
 WHERE kind = 'columns' AND on_table = 'kg_freed';
DELETE FROM @extschema@.kg_manifest WHERE kind = 'placement' AND definition LIKE '% SET UNLOGGED;';
-- Version 0.1.0 stored NOT NULL as a constraint on PostgreSQL 18. It is now a
-- property of the column.
DELETE FROM @extschema@.kg_manifest WHERE kind = 'constraint' AND definition ~ ' ADD CONSTRAINT [^ ]+ NOT NULL ';
INSERT INTO @extschema@.kg_manifest(on_table, kind, name, major, definition)
SELECT d.on_table, d.kind, d.name, pg_catalog.current_setting('server_version_num')::integer / 10000, @extschema@.kg_manifest_text(
         CASE WHEN d.kind = 'logging' AND d.on_table NOT IN ('kg_import', 'kg_import_row', 'kg_import_number') THEN replace(d.definition, ' SET UNLOGGED;', ' SET LOGGED;') ELSE d.definition END)
  FROM (SELECT place, kind, on_table, name, definition FROM @extschema@.kg_definitions() UNION ALL SELECT place, kind, on_table, name, definition FROM @extschema@.kg_more_definitions()
        UNION ALL SELECT * FROM @extschema@.kg_table_settings()) d
 WHERE d.definition IS NOT NULL
   AND (d.on_table IN ('kg_former_name', 'kg_moved_tenant', 'kg_vectors', 'kg_embedding', 'kg_change_transaction') OR (d.kind = 'index' AND d.name = 'kg_index_key_counted_idx')
    OR (d.on_table = 'kg_freed' AND d.name IN ('kg_freed_check', 'kg_freed_node_idx', 'kg_freed_target_idx', 'kg_freed_id_idx'))
    OR d.kind IN ('member', 'function', 'sequence', 'dumped rows', 'logging')
    OR (d.kind IN ('column type', 'column default')
        AND EXISTS (SELECT FROM @extschema@.kg_manifest c WHERE c.kind = 'columns' AND c.on_table = d.on_table AND d.name = ANY (string_to_array(c.definition, ',')))));
