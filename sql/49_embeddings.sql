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
