\echo Use "ALTER EXTENSION kg_graph UPDATE TO '0.2.0'" to load this file. \quit

SET LOCAL search_path TO pg_catalog, pg_temp;

-- Every policy first compares the tenant (src/auth/tenant_planner.c).

CREATE FUNCTION @extschema@.kg_own_tenant_support(request internal) RETURNS internal
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_own_tenant_support';
COMMENT ON FUNCTION @extschema@.kg_own_tenant_support(internal) IS
  'what the planner asks about kg_own_tenant()';

-- Every policy begins with this function, so that it is evaluated before any
-- condition of a caller.
CREATE FUNCTION @extschema@.kg_own_tenant(tenant text) RETURNS boolean
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  SUPPORT @extschema@.kg_own_tenant_support
  AS 'MODULE_PATHNAME', 'kg_sql_own_tenant';
COMMENT ON FUNCTION @extschema@.kg_own_tenant(text) IS
  'whether that is the tenant that the current role acts for; for policies';

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
  'true where the current role has the rights of the extension''s owner, else an error (FORBIDDEN); act completes "role ... may not"';

CREATE TABLE @extschema@.kg_former_name (
  name         text COLLATE "C" PRIMARY KEY,
  became       text COLLATE "C" NOT NULL,
  since        timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE @extschema@.kg_former_name IS 'names that tenants had before kg_rename_tenant(), and that no tenant gets before kg_free_tenant_name()';
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_former_name', '');

ALTER TABLE @extschema@.kg_former_name ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_former_name FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_former_name_nobody ON @extschema@.kg_former_name FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_rename_tenant(tenant text, name text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_rename_tenant';
COMMENT ON FUNCTION @extschema@.kg_rename_tenant(text, text) IS
  'give a frozen tenant another name, with all that it has; the old one is kept from new tenants; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_free_tenant_name(name text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_free_tenant_name';
COMMENT ON FUNCTION @extschema@.kg_free_tenant_name(text) IS
  'let a new tenant have the name that one had before kg_rename_tenant(); for the owner of the extension';

CREATE FUNCTION @extschema@.kg_tenant_size(tenant text) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_tenant_size';
COMMENT ON FUNCTION @extschema@.kg_tenant_size(text) IS
  'how many rows a tenant has in each table, and the bytes of their values; for the owner of the extension';

-- Tenants that have moved to another database (src/tenants.c).
CREATE TABLE @extschema@.kg_moved_tenant (
  name         text COLLATE "C" PRIMARY KEY,
  roles        text[] COLLATE "C" NOT NULL,
  since        timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE @extschema@.kg_moved_tenant IS 'tenants that moved to another database, and the roles that had them: who still calls for one here is told to try again; made by kg_mark_moved(), gone when a tenant gets the name';
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_moved_tenant', '');

ALTER TABLE @extschema@.kg_moved_tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_moved_tenant FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_moved_tenant_nobody ON @extschema@.kg_moved_tenant FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_mark_moved(tenant text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_mark_moved';
COMMENT ON FUNCTION @extschema@.kg_mark_moved(text) IS
  'take a frozen tenant from everybody, as kg_drop_tenant() does, which is to delete its rows, and let who calls for it try again elsewhere; for the owner of the extension';

-- kg_call_with_token(): a tool call with a token (src/tool_calls.c).
CREATE FUNCTION @extschema@.kg_call_with_token(token text, tool text, arguments jsonb DEFAULT '{}', options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_call_with_token';
COMMENT ON FUNCTION @extschema@.kg_call_with_token(text, text, jsonb, jsonb) IS
  'kg_login() and kg_call_tool() in one statement; pass the token as a parameter, not in the text';

CREATE FUNCTION @extschema@.kg_token_limits(token text) RETURNS jsonb
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  SELECT @extschema@.kg_limits() FROM @extschema@.kg_login(token);
END;
COMMENT ON FUNCTION @extschema@.kg_token_limits(text) IS
  'kg_login() and kg_limits() in one statement, for gateways; pass the token as a parameter, not in the text';

-- Embeddings of entities (src/embeddings.c, src/store/derived/embeddings.c,
-- src/query/search/search_meaning.c). They are stored in a type of PostgreSQL
-- itself, so that dumps, restores and moves of tenants need no pgvector, which only
-- computes distances.

CREATE TABLE @extschema@.kg_vectors (
  is_only      boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  dimensions   integer NOT NULL CHECK (dimensions BETWEEN 1 AND 16000),
  model        text COLLATE "C" NOT NULL
);
COMMENT ON TABLE @extschema@.kg_vectors IS 'what embeddings have, once kg_enable_vectors() was called: one row; for the owner only';

CREATE TABLE @extschema@.kg_embedding (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  node         bigint NOT NULL,
  type_no      integer NOT NULL,
  text_hash    bytea NOT NULL,
  embedding    real[] NOT NULL,
  PRIMARY KEY (tenant, node)
) WITH (toast_tuple_target = 8160);
ALTER TABLE @extschema@.kg_embedding ALTER embedding SET STORAGE EXTERNAL;
COMMENT ON TABLE @extschema@.kg_embedding IS 'embeddings of entities, made by kg_put_embeddings(); they go with the entity';
COMMENT ON COLUMN @extschema@.kg_embedding.text_hash IS 'of the text that the entity had then: with another one the embedding is stale';
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
  'let entities have embeddings, of so many numbers, made by the model; needs pgvector 0.7 or later; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_disable_vectors() RETURNS bigint
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_disable_vectors';
COMMENT ON FUNCTION @extschema@.kg_disable_vectors() IS
  'delete all embeddings of all tenants, and let there be no others; how many there were; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_put_embeddings(entity_type text, items jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_put_embeddings';
COMMENT ON FUNCTION @extschema@.kg_put_embeddings(text, jsonb, jsonb) IS
  'store embeddings of entities of a type, {id, vector, expected_version} each; a verdict for each; options atomic, dry_run, idempotency_key, reason; needs write access';

CREATE FUNCTION @extschema@.kg_missing_embeddings(entity_type text, max integer DEFAULT 1000) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_missing_embeddings';
COMMENT ON FUNCTION @extschema@.kg_missing_embeddings(text, integer) IS
  'entities of a type without an embedding, or with a stale one, and the text to embed: {"items": [{"id", "version", "text"}], "more"}';

CREATE FUNCTION @extschema@.kg_cosine_distance(a real[], b real[]) RETURNS double precision
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_cosine_distance';
COMMENT ON FUNCTION @extschema@.kg_cosine_distance(real[], real[]) IS
  'how far two vectors are from one another, from 0 to 2, as pgvector''s <=> says; needs pgvector 0.7 or later';

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
  'the tool analyze: measures of the whole graph: central nodes, components, communities, similarity';

CREATE FUNCTION @extschema@.kg_keep_measure(entity_type text, property text, arguments jsonb) RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_keep_measure';
COMMENT ON FUNCTION @extschema@.kg_keep_measure(text, text, jsonb) IS
  'measures the graph as kg_analyze does, and writes the value of each entity of a type to a property; needs admin access';


-- Merging of entities (src/store/merge).

CREATE FUNCTION @extschema@.kg_merge(entity_type text, keep text, others text[], options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_merge';
COMMENT ON FUNCTION @extschema@.kg_merge(text, text, text[], jsonb) IS
  'merges entities of one type into one of them, with references and edges; options prefer, values, expected_versions, dry_run, reason, idempotency_key';
ALTER TABLE @extschema@.kg_freed ADD node bigint, ADD target bigint, ADD not_recorded text[] COLLATE "C", ADD CHECK ((node IS NULL) = (target IS NULL));
COMMENT ON COLUMN @extschema@.kg_freed.node IS 'the node of the entity that had the id, if it was merged into another one';
COMMENT ON COLUMN @extschema@.kg_freed.target IS 'the node of the entity that it was merged into';
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
  'answers the planner''s requests about kg_view_row(), kg_view_nodes() and kg_entity_visible()';
ALTER FUNCTION @extschema@.kg_entity_visible(text, text, integer, bigint, text, jsonb) SUPPORT @extschema@.kg_view_support;

-- Each text of a registered policy must be one expression (48_policies.sql).

CREATE FUNCTION @extschema@.kg_policy_expression(expr text) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_policy_expression';
COMMENT ON FUNCTION @extschema@.kg_policy_expression(text) IS
  'a text in parentheses that is one expression, and an error where it is more; what kg_policy says becomes part of a statement so';
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
  'what a tool call compiles to: its arguments as understood, SQL, parameter types, plans; for members of pg_read_all_stats to whom EXECUTE is granted';
COMMENT ON FUNCTION @extschema@.kg_create_tenant(text) IS
  'make a tenant; for the owner of the extension';

ALTER POLICY kg_policy_all ON @extschema@.kg_policy
  USING (@extschema@.kg_require_owner('read or change policies'));


CREATE FUNCTION @extschema@.kg_policy_probe(on_table text, role oid) RETURNS void
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  SET row_security = on
  AS 'MODULE_PATHNAME', 'kg_sql_policy_probe';
COMMENT ON FUNCTION @extschema@.kg_policy_probe(text, oid) IS
  'an error where the policies of a table of ours cannot be put into the statements of a role, as when one reads the table itself; 0 is PUBLIC';

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
COMMENT ON TABLE @extschema@.kg_trigram IS 'pieces of every name and word of a tenant, with its length and their place (:8:1:pha), and the trigrams of words with the one and two letters at their end; derived, and only ever joined to kg_term';
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
  'our tables and sequences, and whether each is a member of the extension; for the owner of the extension';

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
  'our functions, and whether each is a member of the extension; for the owner of the extension';

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
  'what hangs on our tables: policies, indexes, constraints, triggers, settings; functions, sequences, membership, and what dumps have; with the statements that make it again; for the owner of the extension';

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
  'what kg_definitions() leaves out: columns, and functions of SQL; for the owner of the extension';

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
  'what CREATE EXTENSION made and is missing, altered or not valid, with the statements that mend it; thorough: also columns and functions of SQL; for the owner of the extension';

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
  'rules, columns, publications, comments, and where and how our tables are stored, with the statements that make them again; for the owner of the extension';

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
  'make an entity type that reads a table or view in place, and merge it into a bundle; needs admin access and SELECT on the table';

CREATE FUNCTION @extschema@.kg_suggest_bindings(schema text, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_suggest_bindings';
COMMENT ON FUNCTION @extschema@.kg_suggest_bindings(text, jsonb) IS
  'a bundle of types that read the tables of a schema, to look through and apply; options bundle, shared, tenant_column; needs read access';

CREATE FUNCTION @extschema@.kg_binding_report(type text) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_binding_report';
COMMENT ON FUNCTION @extschema@.kg_binding_report(text) IS
  'the table of a type that reads one: the properties and relations that an index serves, indexes that would help, and faults; needs read access';

-- Only a statement of the tool query calls this function. It replaces another
-- function there, and the call has the arguments and the result type of that
-- function.
CREATE FUNCTION @extschema@.kg_query_bounded(call internal) RETURNS internal
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_query_bounded';
COMMENT ON FUNCTION @extschema@.kg_query_bounded(internal) IS
  'a function of a query, within bounds of its values';

-- The functions search(), neighbors(), reach() and path() in the FROM of a query.
CREATE FUNCTION @extschema@.kg_query_search(text text, type text DEFAULT NULL, "limit" integer DEFAULT 10) RETURNS TABLE (id text, entity_type text, name text, score double precision)
  LANGUAGE C STABLE PARALLEL UNSAFE ROWS 10 COST 10000
  AS 'MODULE_PATHNAME', 'kg_sql_query_search';
COMMENT ON FUNCTION @extschema@.kg_query_search(text, text, integer) IS
  'search() of a query: entities by a name, alias or id, with typing errors, best first';

CREATE FUNCTION @extschema@.kg_query_neighbors(handle text, hops integer DEFAULT 1, relation text DEFAULT NULL) RETURNS TABLE (id text, entity_type text, depth integer)
  LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20 COST 10000
  AS 'MODULE_PATHNAME', 'kg_sql_query_neighbors';
COMMENT ON FUNCTION @extschema@.kg_query_neighbors(text, integer, text) IS
  'neighbors() of a query: the entities within some hops of one, in both directions';

CREATE FUNCTION @extschema@.kg_query_reach(type text, start text, relation text DEFAULT NULL, direction text DEFAULT 'outgoing', max_hops integer DEFAULT 3) RETURNS TABLE (id text, entity_type text, depth integer)
  LANGUAGE C STABLE PARALLEL UNSAFE ROWS 100 COST 10000
  AS 'MODULE_PATHNAME', 'kg_sql_query_reach';
COMMENT ON FUNCTION @extschema@.kg_query_reach(text, text, text, text, integer) IS
  'reach() of a query: the entities that a walk along a relation reaches, and in how many hops';

CREATE FUNCTION @extschema@.kg_query_path("from" text, "to" text, max_hops integer DEFAULT NULL) RETURNS TABLE (step integer, id text, entity_type text, relation text)
  LANGUAGE C STABLE PARALLEL UNSAFE ROWS 5 COST 10000
  AS 'MODULE_PATHNAME', 'kg_sql_query_path';
COMMENT ON FUNCTION @extschema@.kg_query_path(text, text, integer) IS
  'path() of a query: the entities of a shortest path, in order, each with the relation that leads to it';

-- Keys for counts of edges (src/model/counted.h).

CREATE INDEX kg_index_key_counted_idx ON @extschema@.kg_index_key (tenant, node, field_no) WHERE field_no >= 32768;
COMMENT ON COLUMN @extschema@.kg_entity_type.key_fields IS
  'the x-index properties that the type has or has had: the n-th is field_no n of kg_index_key, or n + 32768 where it is an x-derived count';
COMMENT ON FUNCTION @extschema@.kg_packed_tenant() IS
  'kg_derived_tenant() where no policy of kg_edge hides an edge from the caller, or NULL; for the policies of kg_adjacency and kg_index_key';

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
COMMENT ON TABLE @extschema@.kg_change_transaction IS 'the transactions of kg_history, for kg_changes(); written with their first change';
COMMENT ON COLUMN @extschema@.kg_change_transaction.transaction IS 'that of kg_history; of xid 0: changes up to this xid may be missing; of xid 1: changes with every deletion of changes and with an import';
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
  'the changes of types and relations with history after a position, in the order of their transactions, and the next position; options limit, max_bytes';

COMMENT ON COLUMN @extschema@.kg_entity.index_keys IS
  'the entity''s rows of kg_index_key in one value; kg_packed_key() reads it';
COMMENT ON TABLE @extschema@.kg_index_key IS 'one row per entity, x-index field and value: an order-preserving key; derived';

-- Instances of type json and text; drafts 4 and 6, OpenAPI 3.0. A literal without a
-- type gets the variant for text, because PostgreSQL cannot choose between json and
-- jsonb.
CREATE FUNCTION @extschema@.kg_validate(instance json, schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validate_text';
COMMENT ON FUNCTION @extschema@.kg_validate(json, jsonb, jsonb) IS
  'As kg_validate(jsonb, jsonb, jsonb), for an instance of type json';

CREATE FUNCTION @extschema@.kg_validate(instance text, schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validate_text';
COMMENT ON FUNCTION @extschema@.kg_validate(text, jsonb, jsonb) IS
  'As kg_validate(jsonb, jsonb, jsonb), for the text of an instance';

CREATE FUNCTION @extschema@.kg_validation_errors(instance json, schema jsonb, options jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validation_errors_text';
COMMENT ON FUNCTION @extschema@.kg_validation_errors(json, jsonb, jsonb) IS
  'As kg_validation_errors(jsonb, jsonb, jsonb), for an instance of type json';

CREATE FUNCTION @extschema@.kg_validation_errors(instance text, schema jsonb, options jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validation_errors_text';
COMMENT ON FUNCTION @extschema@.kg_validation_errors(text, jsonb, jsonb) IS
  'As kg_validation_errors(jsonb, jsonb, jsonb), for the text of an instance';

COMMENT ON FUNCTION @extschema@.kg_validate(jsonb, jsonb, jsonb) IS
  'Whether the instance is valid against the JSON Schema (draft 2020-12, 2019-09, draft-07, draft-06 or draft-04, or OpenAPI 3.0, by $schema); options: dialect, resources, format';
COMMENT ON FUNCTION @extschema@.kg_schema_check(jsonb, jsonb) IS
  'True for a JSON Schema that compiles here; for another, an error that says what is wrong and where; a keyword that the dialect ignores is a warning';

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
