\echo Use "ALTER EXTENSION kg_graph UPDATE TO '0.2.0'" to load this file. \quit

SET LOCAL search_path TO pg_catalog, pg_temp;

-- Tenants that get another name, and what they take (src/store/tenant_rows.c).

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
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_rename_tenant';
COMMENT ON FUNCTION @extschema@.kg_rename_tenant(text, text) IS
  'give a frozen tenant another name, with all that it has; the old one is kept from new tenants; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_free_tenant_name(name text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_free_tenant_name';
COMMENT ON FUNCTION @extschema@.kg_free_tenant_name(text) IS
  'let a new tenant have the name that one had before kg_rename_tenant(); for the owner of the extension';

CREATE FUNCTION @extschema@.kg_tenant_size(tenant text) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_tenant_size';
COMMENT ON FUNCTION @extschema@.kg_tenant_size(text) IS
  'how many rows a tenant has in each table, and the bytes of their values; for the owner of the extension';

-- Tenants that are in another database now (src/tenants.c).
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
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_mark_moved';
COMMENT ON FUNCTION @extschema@.kg_mark_moved(text) IS
  'take a frozen tenant from everybody, as kg_drop_tenant() does, which is to delete its rows, and let who calls for it try again elsewhere; for the owner of the extension';

-- A tool by the bearer of a token (src/tool_calls.c).
CREATE FUNCTION @extschema@.kg_call_with_token(token text, tool text, arguments jsonb DEFAULT '{}', options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_call_with_token';
COMMENT ON FUNCTION @extschema@.kg_call_with_token(text, text, jsonb, jsonb) IS
  'kg_login() and kg_call_tool() in one statement; pass the token as a parameter, not in the text';

CREATE FUNCTION @extschema@.kg_token_limits(token text) RETURNS jsonb
  LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  SELECT @extschema@.kg_limits() FROM @extschema@.kg_login(token);
END;
COMMENT ON FUNCTION @extschema@.kg_token_limits(text) IS
  'kg_login() and kg_limits() in one statement, for gateways; pass the token as a parameter, not in the text';

REVOKE EXECUTE ON FUNCTION @extschema@.kg_rename_tenant(text, text), @extschema@.kg_free_tenant_name(text), @extschema@.kg_tenant_size(text), @extschema@.kg_mark_moved(text) FROM PUBLIC;

-- Embeddings of entities (src/embeddings.c, src/store/embeddings.c,
-- src/query/search_meaning.c).  They are stored as a type of PostgreSQL's own, so
-- that dumps, restores and moves of tenants need no pgvector; it measures distances.

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
  USING (tenant = @extschema@.kg_derived_tenant());

CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_vectors
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

CREATE FUNCTION @extschema@.kg_enable_vectors(dimensions integer, model text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_enable_vectors';
COMMENT ON FUNCTION @extschema@.kg_enable_vectors(integer, text) IS
  'let entities have embeddings, of so many numbers, made by the model; needs pgvector 0.7 or later; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_disable_vectors() RETURNS bigint
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_disable_vectors';
COMMENT ON FUNCTION @extschema@.kg_disable_vectors() IS
  'delete all embeddings of all tenants, and let there be no others; how many there were; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_put_embeddings(entity_type text, items jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
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
REVOKE EXECUTE ON FUNCTION @extschema@.kg_enable_vectors(integer, text), @extschema@.kg_disable_vectors() FROM PUBLIC;

-- The policies come before what is asked of a document (49_views.sql).

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

-- Counts of edges as keys (src/catalog/counted.h).

CREATE INDEX kg_index_key_counted_idx ON @extschema@.kg_index_key (tenant, node, field_no) WHERE field_no >= 32768;
COMMENT ON COLUMN @extschema@.kg_entity_type.key_fields IS
  'the x-index properties that the type has or has had: the n-th is field_no n of kg_index_key, or n + 32768 where it is an x-derived count';
COMMENT ON FUNCTION @extschema@.kg_packed_tenant() IS
  'kg_derived_tenant() where no policy of kg_edge hides an edge from the caller, or NULL; for the policies of kg_adjacency and kg_index_key';
ALTER POLICY kg_index_key_select ON @extschema@.kg_index_key USING (tenant = @extschema@.kg_packed_tenant());

DELETE FROM @extschema@.kg_manifest WHERE on_table = 'kg_index_key' AND kind = 'policy' AND name = 'kg_index_key_select';
INSERT INTO @extschema@.kg_manifest(on_table, kind, name, major, definition)
SELECT d.on_table, d.kind, d.name, pg_catalog.current_setting('server_version_num')::integer / 10000, @extschema@.kg_manifest_text(d.definition)
  FROM @extschema@.kg_definitions() d
 WHERE d.on_table = 'kg_index_key' AND (d.kind, d.name) IN (('policy', 'kg_index_key_select'), ('index', 'kg_index_key_counted_idx'));
INSERT INTO @extschema@.kg_manifest(on_table, kind, name, major, definition)
SELECT d.on_table, d.kind, d.name, pg_catalog.current_setting('server_version_num')::integer / 10000, @extschema@.kg_manifest_text(d.definition)
  FROM (SELECT place, kind, on_table, name, definition FROM @extschema@.kg_definitions() UNION ALL SELECT * FROM @extschema@.kg_table_settings()) d
 WHERE d.on_table IN ('kg_former_name', 'kg_moved_tenant', 'kg_vectors', 'kg_embedding');
