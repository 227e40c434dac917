\echo Use "CREATE EXTENSION kg_graph" to load this file. \quit

SET LOCAL search_path TO pg_catalog, pg_temp;

-- Keys compare by byte, and by code point only in UTF-8 are the two the same.
DO $$
BEGIN
  IF pg_catalog.getdatabaseencoding() <> 'UTF8' THEN
    RAISE EXCEPTION 'kg_graph needs a database with encoding UTF8'
      USING ERRCODE = 'feature_not_supported',
            HINT = 'Create one with: CREATE DATABASE name ENCODING ''UTF8'' TEMPLATE template0.';
  END IF;
END
$$;

-- Storage.  Every key is led by the tenant, but for those of kg_index_key and
-- kg_adjacency, which have it last; names compare by byte (COLLATE "C"), so that
-- a b-tree serves them with leakproof operators under row-level security.

CREATE SEQUENCE @extschema@.kg_node_seq CACHE 64;
CREATE SEQUENCE @extschema@.kg_type_seq;
CREATE SEQUENCE @extschema@.kg_relation_seq;

CREATE TABLE @extschema@.kg_tenant (
  tenant      text COLLATE "C" PRIMARY KEY
              CHECK (tenant ~ '^[^[:cntrl:]]{1,63}$'),
  created_at  timestamptz NOT NULL DEFAULT pg_catalog.now(),
  authorizer  text COLLATE "C"
);
COMMENT ON TABLE @extschema@.kg_tenant IS 'tenants; made by kg_create_tenant()';
COMMENT ON COLUMN @extschema@.kg_tenant.authorizer IS 'the function that decides about types with x-authorize; set by kg_set_authorizer()';

CREATE TABLE @extschema@.kg_tenant_role (
  tenant      text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  role        regrole NOT NULL,
  role_name   text COLLATE "C" NOT NULL,
  access      text COLLATE "C" NOT NULL CHECK (access IN ('read', 'write', 'admin')),
  PRIMARY KEY (tenant, role)
);
COMMENT ON COLUMN @extschema@.kg_tenant_role.role_name IS 'the role''s name when it was granted; a grant counts only as long as number and name are of one role';
COMMENT ON TABLE @extschema@.kg_tenant_role IS 'which role may act for which tenant; made by kg_grant()';
CREATE INDEX kg_tenant_role_role_idx ON @extschema@.kg_tenant_role (role);

CREATE TABLE @extschema@.kg_role (
  role        regrole PRIMARY KEY,
  gateway     boolean NOT NULL DEFAULT false,
  exchange    boolean NOT NULL DEFAULT false,
  given       text[] COLLATE "C" NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE @extschema@.kg_role IS 'what kg_grant() and kg_grant_gateway() gave to a role that it had not before, to be taken back; for the owner only';
COMMENT ON COLUMN @extschema@.kg_role.gateway IS 'made one by kg_grant_gateway()';
COMMENT ON COLUMN @extschema@.kg_role.exchange IS 'may call kg_call_authorized()';

CREATE TABLE @extschema@.kg_bundle (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE RESTRICT,
  bundle       text COLLATE "C" NOT NULL
               CHECK (bundle ~ '^[a-z][a-z0-9-]{0,62}[a-z0-9]$'),
  version      text NOT NULL,
  description  text,
  instructions text,
  definitions  jsonb,
  revision     bigint NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT pg_catalog.now(),
  updated_at   timestamptz NOT NULL DEFAULT pg_catalog.now(),
  PRIMARY KEY (tenant, bundle)
);
COMMENT ON TABLE @extschema@.kg_bundle IS 'named, versioned sets of entity types and entities; written by kg_apply_bundle()';

CREATE TABLE @extschema@.kg_entity_type (
  tenant       text COLLATE "C" NOT NULL,
  bundle       text COLLATE "C" NOT NULL,
  entity_type  text COLLATE "C" NOT NULL
               CHECK (entity_type ~ '^[A-Za-z][A-Za-z0-9_]{0,61}[A-Za-z0-9]$'),
  type_no      integer NOT NULL DEFAULT pg_catalog.nextval('@extschema@.kg_type_seq'),
  position     integer NOT NULL DEFAULT 0,
  schema       jsonb NOT NULL,
  schema_hash  text COLLATE "C" NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT pg_catalog.now(),
  updated_at   timestamptz NOT NULL DEFAULT pg_catalog.now(),
  key_fields   text[] COLLATE "C" NOT NULL DEFAULT '{}',
  dump_order   text COLLATE "C" CHECK (dump_order IS NULL),
  PRIMARY KEY (tenant, bundle, entity_type),
  UNIQUE (tenant, type_no),
  FOREIGN KEY (tenant, bundle) REFERENCES @extschema@.kg_bundle ON DELETE RESTRICT
);
COMMENT ON TABLE @extschema@.kg_entity_type IS 'entity types: one JSON Schema with x-* annotations each';
COMMENT ON COLUMN @extschema@.kg_entity_type.key_fields IS
  'the x-index properties that the type has or has had: the n-th is field_no n of kg_index_key';
COMMENT ON COLUMN @extschema@.kg_entity_type.type_no IS 'the type''s number in kg_entity, kg_index_key and kg_term';

CREATE TABLE @extschema@.kg_relation (
  tenant       text COLLATE "C" NOT NULL,
  bundle       text COLLATE "C" NOT NULL,
  relation     text COLLATE "C" NOT NULL
               CHECK (relation ~ '^[A-Za-z][A-Za-z0-9_]{0,61}[A-Za-z0-9]$'),
  from_type    text COLLATE "C" NOT NULL,
  to_bundle    text COLLATE "C" NOT NULL,
  to_type      text COLLATE "C" NOT NULL,
  relation_no  integer NOT NULL,
  property     text COLLATE "C",
  schema       jsonb,
  inverse      text COLLATE "C",
  is_symmetric boolean NOT NULL DEFAULT false,
  description  text,
  key          text COLLATE "C",
  PRIMARY KEY (tenant, bundle, relation, from_type, to_bundle, to_type),
  FOREIGN KEY (tenant, bundle) REFERENCES @extschema@.kg_bundle ON DELETE RESTRICT
);
COMMENT ON TABLE @extschema@.kg_relation IS 'edge types, a row a variant (from type, to type): derived from x-ref (property set) or declared';
COMMENT ON COLUMN @extschema@.kg_relation.relation_no IS 'the relation''s number in kg_edge; the variants of one name in one bundle share it';
COMMENT ON COLUMN @extschema@.kg_relation.key IS 'the property of its edges that tells parallel ones apart, or NULL';

CREATE TABLE @extschema@.kg_entity (
  tenant       text COLLATE "C" NOT NULL,
  bundle       text COLLATE "C" NOT NULL,
  entity_type  text COLLATE "C" NOT NULL,
  entity_id    text COLLATE "C" NOT NULL,
  node         bigint NOT NULL,
  type_no      integer NOT NULL,
  scope        text COLLATE "C",
  version      bigint NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT pg_catalog.now(),
  updated_at   timestamptz NOT NULL DEFAULT pg_catalog.now(),
  data         jsonb NOT NULL,
  index_keys   bytea NOT NULL DEFAULT '',
  PRIMARY KEY (tenant, bundle, entity_type, entity_id)
);
COMMENT ON TABLE @extschema@.kg_entity IS 'entities; data is validated against the type''s schema, the other columns are filled from it';
COMMENT ON COLUMN @extschema@.kg_entity.index_keys IS
  'the entity''s rows of kg_index_key in one value (src/catalog/packed_keys.h); kg_packed_key() reads it';
CREATE UNIQUE INDEX kg_entity_node_idx ON @extschema@.kg_entity (tenant, node)
  INCLUDE (type_no, entity_id);

-- An empty key takes no room where it stands: before the target, which is
-- aligned to 8 bytes.
CREATE TABLE @extschema@.kg_edge (
  tenant       text COLLATE "C" NOT NULL,
  source       bigint NOT NULL,
  relation_no  integer NOT NULL,
  key          text COLLATE "C" NOT NULL DEFAULT '',
  target       bigint NOT NULL,
  property     text COLLATE "C",
  properties   jsonb,
  PRIMARY KEY (tenant, source, relation_no, key, target)
);
COMMENT ON TABLE @extschema@.kg_edge IS 'edges between nodes; property names the x-ref it is derived from, NULL is an explicit edge';
COMMENT ON COLUMN @extschema@.kg_edge.key IS 'the value of the relation''s key property, as text; empty where the relation has none';
CREATE INDEX kg_edge_target_idx ON @extschema@.kg_edge (tenant, target, relation_no, source);

-- What kg_edge says of 32 nodes of successive numbers, packed
-- (src/catalog/adjacency.h): a node whose bit is not set is read from kg_edge.  Not
-- dumped: kg_pack() makes it again.  A hop is hundreds of descents of its index,
-- most of whose steps a bigint decides.
CREATE TABLE @extschema@.kg_adjacency (
  tenant       text COLLATE "C" NOT NULL,
  block        bigint NOT NULL,
  nodes        integer NOT NULL DEFAULT 0,
  alone        integer NOT NULL DEFAULT 0,
  outgoing     bytea,
  incoming     bytea,
  PRIMARY KEY (block, tenant)
) WITH (toast_tuple_target = 8160);
ALTER TABLE @extschema@.kg_adjacency ALTER outgoing SET STORAGE EXTERNAL, ALTER incoming SET STORAGE EXTERNAL;
COMMENT ON TABLE @extschema@.kg_adjacency IS 'the edges of 32 nodes in two values; derived, made by kg_pack(), and a node''s bit is cleared when an edge of it changes';
COMMENT ON COLUMN @extschema@.kg_adjacency.block IS 'n > 0: the nodes 32 n - 31 to 32 n; n < 0: the node -n, whose edges are many; 0: written by each packing';
COMMENT ON COLUMN @extschema@.kg_adjacency.nodes IS 'a bit for each of the nodes, the lowest first: its edges are packed';
COMMENT ON COLUMN @extschema@.kg_adjacency.alone IS 'where the bit of nodes is set, too: packed in a row of its own';

-- Led by the type's number, which belongs to one tenant: three rows an entity
-- are written here, and numbers compare in a third of the time of texts.  The
-- node is a part of the key because one statement can delete an entity and
-- insert another with its id, whose rows may come first.
CREATE TABLE @extschema@.kg_index_key (
  tenant       text COLLATE "C" NOT NULL,
  type_no      integer NOT NULL,
  field_no     integer NOT NULL,
  key          bytea NOT NULL,
  entity_id    text COLLATE "C" NOT NULL,
  node         bigint NOT NULL,
  PRIMARY KEY (type_no, field_no, key, entity_id, tenant, node)
);
COMMENT ON TABLE @extschema@.kg_index_key IS 'one row per entity, x-index field and value: an order-preserving key (src/catalog/key.c); derived';

CREATE TABLE @extschema@.kg_term (
  tenant       text COLLATE "C" NOT NULL,
  term         text COLLATE "C" NOT NULL,
  kind         "char" NOT NULL,
  type_no      integer NOT NULL,
  node         bigint NOT NULL,
  PRIMARY KEY (tenant, term, kind, type_no, node)
);
COMMENT ON TABLE @extschema@.kg_term IS 'search terms of labels and aliases: l label, a alias, i id (whole, folded, where that is not the id itself), t token; derived';
CREATE INDEX kg_term_node_idx ON @extschema@.kg_term (tenant, node);

-- How often a text has a word, and how many words the text has.  Led by tenant
-- and word: a word's rows are read one after the other, from the index alone.
CREATE TABLE @extschema@.kg_word (
  tenant       text COLLATE "C" NOT NULL,
  word         text COLLATE "C" NOT NULL,
  type_no      integer NOT NULL,
  node         bigint NOT NULL,
  frequency    integer NOT NULL,
  length       integer NOT NULL,
  PRIMARY KEY (tenant, word, type_no, node) INCLUDE (frequency, length)
);
COMMENT ON TABLE @extschema@.kg_word IS 'words of x-search properties, folded: how often the entity has the word, and how many words it has; derived';
CREATE INDEX kg_word_node_idx ON @extschema@.kg_word (tenant, node);

-- In how many texts a word is, as a sum: each backend has a row of its own, so
-- that those who write common words do not wait for each other.
CREATE TABLE @extschema@.kg_word_count (
  tenant       text COLLATE "C" NOT NULL,
  word         text COLLATE "C" NOT NULL,
  slot         integer NOT NULL,
  documents    bigint NOT NULL,
  length       bigint NOT NULL,
  PRIMARY KEY (tenant, word, slot)
);
COMMENT ON TABLE @extschema@.kg_word_count IS 'how many entities have a word of kg_word, as a sum over slots; the empty word stands for all of them, with their words together as length; derived';

-- The primary key is what keeps a value unique, under concurrency too.
CREATE TABLE @extschema@.kg_unique_key (
  tenant       text COLLATE "C" NOT NULL,
  type_no      integer NOT NULL,
  field        text COLLATE "C" NOT NULL,
  key          bytea NOT NULL,
  node         bigint NOT NULL,
  PRIMARY KEY (tenant, type_no, field, key)
);
COMMENT ON TABLE @extschema@.kg_unique_key IS 'which entity has a value of a property that an x-ref-field names, where each value is of one entity; derived';
CREATE INDEX kg_unique_key_node_idx ON @extschema@.kg_unique_key (tenant, node);

CREATE TABLE @extschema@.kg_trigram (
  tenant       text COLLATE "C" NOT NULL,
  trigram      text COLLATE "C" NOT NULL,
  term         text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, trigram, term)
);
COMMENT ON TABLE @extschema@.kg_trigram IS 'pieces of every name and word a tenant has had, with its length and their place (:8:1:pha), and the trigrams of words with the one and two letters at their end; derived, and only ever joined to kg_term';

CREATE TABLE @extschema@.kg_tool (
  tenant       text COLLATE "C" NOT NULL,
  tool         text COLLATE "C" NOT NULL CHECK (pg_catalog.length(tool) <= 64),
  bundle       text COLLATE "C",
  entity_type  text COLLATE "C",
  operation    text COLLATE "C" NOT NULL CHECK (operation IN ('list', 'get', 'list_ids', 'create', 'update', 'delete', 'link', 'unlink', 'history', 'registered', 'alias')),
  relation     text COLLATE "C" CHECK (operation IN ('registered', 'alias') OR (relation IS NULL) <> (entity_type IS NULL)),
  canonical    text COLLATE "C" CHECK ((canonical IS NULL) = (operation <> 'alias')),
  PRIMARY KEY (tenant, tool),
  FOREIGN KEY (tenant, bundle) REFERENCES @extschema@.kg_bundle ON DELETE CASCADE,
  FOREIGN KEY (tenant, bundle, entity_type) REFERENCES @extschema@.kg_entity_type ON DELETE CASCADE
);
COMMENT ON TABLE @extschema@.kg_tool IS 'names of tools: generated ones, registered ones (kg_tool_version), and their aliases; the primary key is what keeps a name unique within a tenant';
COMMENT ON COLUMN @extschema@.kg_tool.canonical IS 'the tool that an alias stands for';

CREATE TABLE @extschema@.kg_pending_reference (
  tenant       text COLLATE "C" NOT NULL,
  id           bigint NOT NULL,
  nodes        bigint[] NOT NULL,
  deleted      bigint[] NOT NULL,
  caller       oid NOT NULL,
  PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE @extschema@.kg_pending_reference IS 'references to check when the constraint kg_references fires: at once, or at commit after SET CONSTRAINTS ... DEFERRED; empty otherwise';

-- What a bundle brings is most of a table at once, and then little changes; its
-- pages should be all-visible soon, for the index-only scans of a search, and
-- what was replaced be gone before a fifth of the table is (PostgreSQL's own
-- share).  A change of data alone is a HOT update as it is: no index of kg_entity
-- has a column that it changes.
DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['kg_entity', 'kg_edge', 'kg_adjacency', 'kg_index_key', 'kg_term', 'kg_trigram', 'kg_word'] LOOP
    EXECUTE pg_catalog.format('ALTER TABLE @extschema@.%I SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)', t);
  END LOOP;
END
$$;

-- The key that signs cursors; one row, read by the owner only.
CREATE TABLE @extschema@.kg_secret (
  name         text COLLATE "C" PRIMARY KEY,
  secret       bytea NOT NULL
);

COMMENT ON COLUMN @extschema@.kg_entity_type.dump_order IS 'always NULL; makes pg_dump restore kg_relation first';

-- pg_dump restores tables in the order of their foreign keys, and entities and
-- edges need the types, the relations, and each other, when their triggers
-- fire.  These three are for that order only.  The first compares nothing: one
-- of its columns is always NULL.  The triggers of the other two are off, because
-- references are enforced set-wise (src/store/references.c).
ALTER TABLE @extschema@.kg_entity_type ADD CONSTRAINT kg_entity_type_relation_fkey
  FOREIGN KEY (tenant, bundle, dump_order, entity_type, dump_order, dump_order)
  REFERENCES @extschema@.kg_relation;
ALTER TABLE @extschema@.kg_entity ADD CONSTRAINT kg_entity_type_fkey
  FOREIGN KEY (tenant, bundle, entity_type) REFERENCES @extschema@.kg_entity_type;
ALTER TABLE @extschema@.kg_edge ADD CONSTRAINT kg_edge_source_fkey
  FOREIGN KEY (tenant, source) REFERENCES @extschema@.kg_entity (tenant, node);
ALTER TABLE @extschema@.kg_entity DISABLE TRIGGER ALL;
ALTER TABLE @extschema@.kg_edge DISABLE TRIGGER ALL;

-- Derived rows are not dumped: restoring the entities makes them again.
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_node_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_type_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_relation_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_tenant', '');
-- A role that is gone would be dumped as a number, which is another role where
-- it is restored.
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_tenant_role',
  'WHERE EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = role AND r.rolname = role_name)');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_role',
  'WHERE EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = role)');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_bundle', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_entity_type', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_relation', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_entity', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_edge', 'WHERE property IS NULL');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_tool', '');

-- What entities and edges were (src/store/history.c), and the versions of those
-- that are gone (src/store/freed.c).

-- Without a cache: the changes of an entity have its order.
CREATE SEQUENCE @extschema@.kg_change_seq;

CREATE TABLE @extschema@.kg_history (
  tenant       text COLLATE "C" NOT NULL,
  change       bigint NOT NULL,
  transaction  bigint NOT NULL,
  at           timestamptz NOT NULL,
  role         text COLLATE "C" NOT NULL,
  subject      text,
  agent        text COLLATE "C",
  tool         text,
  reason       text,
  verdict      text COLLATE "C" NOT NULL CHECK (verdict IN ('created', 'updated', 'deleted')),
  bundle       text COLLATE "C" NOT NULL,
  type_no      integer,
  entity_id    text COLLATE "C",
  node         bigint,
  relation_no  integer,
  source       bigint,
  target       bigint,
  key          text COLLATE "C",
  version      bigint CHECK (type_no IS NULL OR version IS NOT NULL),
  before       jsonb,
  after        jsonb,
  PRIMARY KEY (tenant, change),
  CHECK ((type_no IS NULL) <> (relation_no IS NULL)),
  FOREIGN KEY (tenant, type_no) REFERENCES @extschema@.kg_entity_type (tenant, type_no) ON DELETE CASCADE
);
COMMENT ON TABLE @extschema@.kg_history IS 'what was done to entities of types with x-history and to edges of relations with history; written by the triggers of kg_entity and kg_edge';
COMMENT ON COLUMN @extschema@.kg_history.transaction IS 'a number that the changes of a transaction share: that of the first of them';
COMMENT ON COLUMN @extschema@.kg_history.at IS 'the clock''s time of the write, never below that of the change before it';
COMMENT ON COLUMN @extschema@.kg_history.version IS 'the entity''s version after the change; of a deletion one that no entity has; NULL of edges, whose changes have the order of their numbers';
COMMENT ON COLUMN @extschema@.kg_history.before IS 'what was before; NULL: nothing; of an edge its properties, null where it had none';
CREATE INDEX kg_history_entity_idx ON @extschema@.kg_history (tenant, type_no, entity_id, at, version) WHERE type_no IS NOT NULL;
CREATE INDEX kg_history_edge_idx ON @extschema@.kg_history (tenant, relation_no, source, target, change) WHERE relation_no IS NOT NULL;
CREATE INDEX kg_history_transaction_idx ON @extschema@.kg_history (tenant, transaction);
CREATE INDEX kg_history_at_idx ON @extschema@.kg_history (tenant, type_no, relation_no, at);

CREATE TABLE @extschema@.kg_freed (
  tenant       text COLLATE "C" NOT NULL,
  type_no      integer NOT NULL,
  entity_id    text COLLATE "C" NOT NULL,
  version      bigint NOT NULL,
  PRIMARY KEY (tenant, type_no, entity_id),
  FOREIGN KEY (tenant, type_no) REFERENCES @extschema@.kg_entity_type (tenant, type_no) ON DELETE CASCADE
);
COMMENT ON TABLE @extschema@.kg_freed IS 'ids that an entity had and gave up, and the version that it ended with: one that has the id again goes on above it';

CREATE TABLE @extschema@.kg_freed_type (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  bundle       text COLLATE "C" NOT NULL,
  entity_type  text COLLATE "C" NOT NULL,
  version      bigint NOT NULL,
  PRIMARY KEY (tenant, bundle, entity_type)
);
COMMENT ON TABLE @extschema@.kg_freed_type IS 'types that were dropped, and the last version that an entity of theirs ended with: a type that has the name again goes on above it';

ALTER TABLE @extschema@.kg_entity_type ADD version_above bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN @extschema@.kg_entity_type.version_above IS 'versions of the type''s entities are above it: one that was dropped had its name';
ALTER TABLE @extschema@.kg_entity_type ADD history_since timestamptz;
COMMENT ON COLUMN @extschema@.kg_entity_type.history_since IS 'since when kg_history has every change of the type''s entities; NULL: it has not';
ALTER TABLE @extschema@.kg_relation ADD history_since timestamptz;
COMMENT ON COLUMN @extschema@.kg_relation.history_since IS 'since when kg_history has every change of the relation''s edges; NULL: it has not';

-- What we write has its type; the triggers of the type stay on, so that history
-- goes with it.
ALTER TABLE @extschema@.kg_history DISABLE TRIGGER ALL;
ALTER TABLE @extschema@.kg_freed DISABLE TRIGGER ALL;

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_change_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_history', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_freed', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_freed_type', '');
-- Tenants, grants and the tenant of the caller (src/tenants.c, src/auth/grants.c, src/caller.c).

CREATE FUNCTION @extschema@.kg_tenant() RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_tenant';
COMMENT ON FUNCTION @extschema@.kg_tenant() IS
  'the tenant that the current role acts for, or NULL; what the policies compare with';

CREATE FUNCTION @extschema@.kg_tenant(access text) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_tenant_access';
COMMENT ON FUNCTION @extschema@.kg_tenant(text) IS
  'the same where the role has at least this access (read, write, admin), else NULL';

CREATE FUNCTION @extschema@.kg_create_tenant(tenant text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_create_tenant';
COMMENT ON FUNCTION @extschema@.kg_create_tenant(text) IS
  'make a tenant; for the owner of the extension and whom it grants EXECUTE';

CREATE FUNCTION @extschema@.kg_drop_tenant(tenant text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_drop_tenant';
COMMENT ON FUNCTION @extschema@.kg_drop_tenant(text) IS
  'delete a tenant with all its data and grants; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_drop_tenant(tenant text, rows integer) RETURNS boolean
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_drop_tenant_rows';
COMMENT ON FUNCTION @extschema@.kg_drop_tenant(text, integer) IS
  'take a tenant from everybody and delete so many of its rows; true when all are gone, else call it again; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_set_authorizer(tenant text, function regprocedure) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_set_authorizer';
COMMENT ON FUNCTION @extschema@.kg_set_authorizer(text, regprocedure) IS
  'have a function decide who sees entities of types with x-authorize, or none (NULL); for the owner of the extension';
REVOKE EXECUTE ON FUNCTION @extschema@.kg_set_authorizer(text, regprocedure) FROM PUBLIC;

CREATE FUNCTION @extschema@.kg_grant(tenant text, role text, access text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_grant';
COMMENT ON FUNCTION @extschema@.kg_grant(text, text, text) IS
  'let a role act for a tenant with access read, write or admin; for the owner, and for the tenant''s admins where the role is theirs';

CREATE FUNCTION @extschema@.kg_revoke(tenant text, role text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_revoke';
COMMENT ON FUNCTION @extschema@.kg_revoke(text, text) IS
  'take a grant back, with the privileges that it gave and no other grant needs; also one whose role is gone';

CREATE FUNCTION @extschema@.kg_check_tenant_role() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check_tenant_role';
COMMENT ON FUNCTION @extschema@.kg_check_tenant_role() IS
  'row trigger of kg_tenant_role: warns of a grant whose number and name are not of one role';

CREATE FUNCTION @extschema@.kg_invalidate_catalog() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_invalidate_catalog';
COMMENT ON FUNCTION @extschema@.kg_invalidate_catalog() IS
  'statement trigger: tells every backend that a catalog table changed';

-- JSON Schema, usable alone: docs/validation.md.

CREATE FUNCTION @extschema@.kg_validate(instance jsonb, schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validate';
COMMENT ON FUNCTION @extschema@.kg_validate(jsonb, jsonb, jsonb) IS
  'Whether the instance is valid against the JSON Schema (draft 2020-12, 2019-09 or draft-07 by $schema); options: dialect, resources, format';

CREATE FUNCTION @extschema@.kg_validation_errors(instance jsonb, schema jsonb, options jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_validation_errors';
COMMENT ON FUNCTION @extschema@.kg_validation_errors(jsonb, jsonb, jsonb) IS
  'Every violation: an array of {path, keyword, schema_path, got, expected}, or with the option output the formats flag, basic and detailed; further options: dialect, resources, format, max_errors';

CREATE FUNCTION @extschema@.kg_schema_check(schema jsonb, options jsonb DEFAULT '{}')
RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'kg_sql_schema_check';
COMMENT ON FUNCTION @extschema@.kg_schema_check(jsonb, jsonb) IS
  'True for a JSON Schema that compiles here; for another, an error that says what is wrong and where';

-- Entities: trigger functions (src/store/entity_trigger.c, src/store/pending_trigger.c).

CREATE FUNCTION @extschema@.kg_check_entity() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check_entity';
COMMENT ON FUNCTION @extschema@.kg_check_entity() IS
  'row trigger of kg_entity: fills the row from its data and validates it';

CREATE FUNCTION @extschema@.kg_derive_entities() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_derive_entities';
COMMENT ON FUNCTION @extschema@.kg_derive_entities() IS
  'statement trigger of kg_entity: keeps derived rows in step and enforces references';

CREATE FUNCTION @extschema@.kg_refuse_truncate() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_refuse_truncate';
COMMENT ON FUNCTION @extschema@.kg_refuse_truncate() IS 'statement trigger: refuses TRUNCATE';

CREATE FUNCTION @extschema@.kg_check_references() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check_references';
COMMENT ON FUNCTION @extschema@.kg_check_references() IS
  'constraint trigger: raises references that are still missing, at once or at commit';

CREATE FUNCTION @extschema@.kg_check_edges() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check_edges';
COMMENT ON FUNCTION @extschema@.kg_check_edges() IS
  'statement trigger of kg_edge: checks explicit edges against their relation';


-- Writing set by set (src/writes.c, src/store/put*.c).

CREATE FUNCTION @extschema@.kg_put_entities(entity_type text, items jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_put_entities';
COMMENT ON FUNCTION @extschema@.kg_put_entities(text, jsonb, jsonb) IS
  'create and update entities of a type; a verdict for each; options atomic, dry_run, idempotency_key, reason; needs write access';

CREATE FUNCTION @extschema@.kg_update_entities(entity_type text, items jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_update_entities';
COMMENT ON FUNCTION @extschema@.kg_update_entities(text, jsonb, jsonb) IS
  'set and take away properties of entities of a type, {id, set, unset, expected_version} each; a verdict for each; options atomic, dry_run, idempotency_key, reason; needs write access';

CREATE FUNCTION @extschema@.kg_delete_entities(entity_type text, ids text[], options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_delete_entities';
COMMENT ON FUNCTION @extschema@.kg_delete_entities(text, text[], jsonb) IS
  'delete entities of a type; a verdict for each id; options atomic, dry_run, idempotency_key, reason; needs write access';

CREATE FUNCTION @extschema@.kg_put_edges(items jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_put_edges';
COMMENT ON FUNCTION @extschema@.kg_put_edges(jsonb, jsonb) IS
  'create and update explicit edges; a verdict for each; options atomic, dry_run, idempotency_key, reason; needs write access';

CREATE FUNCTION @extschema@.kg_delete_edges(items jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_delete_edges';
COMMENT ON FUNCTION @extschema@.kg_delete_edges(jsonb, jsonb) IS
  'delete explicit edges; a verdict for each; options atomic, dry_run, idempotency_key, reason; needs write access';

CREATE FUNCTION @extschema@.kg_packed_key(index_keys bytea, field_no integer) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_packed_key';
COMMENT ON FUNCTION @extschema@.kg_packed_key(bytea, integer) IS
  'the key of a field in kg_entity.index_keys, or NULL; of an array the first';

CREATE FUNCTION @extschema@.kg_packed_keys(index_keys bytea, field_no integer) RETURNS bytea[]
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_packed_keys';
COMMENT ON FUNCTION @extschema@.kg_packed_keys(bytea, integer) IS
  'the keys of an array''s members in kg_entity.index_keys';

CREATE FUNCTION @extschema@.kg_rebuild() RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_rebuild';
COMMENT ON FUNCTION @extschema@.kg_rebuild() IS
  'derive keys, terms and edges of the caller''s tenant anew from its entities; needs admin access';
-- Bundles (src/bundle.c, src/store/bundle_*.c).

CREATE FUNCTION @extschema@.kg_apply_bundle(bundle jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_apply_bundle';
COMMENT ON FUNCTION @extschema@.kg_apply_bundle(jsonb, jsonb) IS
  'make a bundle what is given, or merge it in; options mode, dry_run, expected_revision, max_errors, max_diff, idempotency_key; needs write access';

CREATE FUNCTION @extschema@.kg_apply_bundle_text(bundle text, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_apply_bundle_text';
COMMENT ON FUNCTION @extschema@.kg_apply_bundle_text(text, jsonb) IS
  'kg_apply_bundle() of JSON text, which takes less memory than a jsonb made of it; needs write access';

CREATE FUNCTION @extschema@.kg_export_bundle(name text) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_export_bundle';
COMMENT ON FUNCTION @extschema@.kg_export_bundle(text) IS
  'a bundle as kg_apply_bundle() takes it; needs read access';

CREATE FUNCTION @extschema@.kg_export_bundle_parts(bundle text) RETURNS TABLE (part text, name text, value jsonb)
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_export_bundle_parts';
COMMENT ON FUNCTION @extschema@.kg_export_bundle_parts(text) IS
  'kg_export_bundle() in rows, however large it is: bundle (all but what follows), items (arrays, of the type name), edges (arrays); needs read access';

CREATE FUNCTION @extschema@.kg_drop_bundle(name text, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_drop_bundle';
COMMENT ON FUNCTION @extschema@.kg_drop_bundle(text, jsonb) IS
  'delete a bundle with its types, entities, edges and tools; option idempotency_key; needs write access';

-- The query path: catalog tools, tools by name (src/tool_calls.c).

-- Two random UUIDs are 244 random bits from the server's strong generator.
INSERT INTO @extschema@.kg_secret (name, secret)
VALUES ('cursor', pg_catalog.decode(pg_catalog.replace(
  pg_catalog.concat(pg_catalog.gen_random_uuid(), pg_catalog.gen_random_uuid()), '-', ''), 'hex'));

CREATE FUNCTION @extschema@.kg_list(entity_type text, arguments jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_list';
COMMENT ON FUNCTION @extschema@.kg_list(text, jsonb) IS
  'a page of the entities of a type: filters, search, sort, fields, limit, offset or cursor, max_bytes';

CREATE FUNCTION @extschema@.kg_list_ids(entity_type text, arguments jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_list_ids';
COMMENT ON FUNCTION @extschema@.kg_list_ids(text, jsonb) IS
  'the same with ids only, or ids and summary fields';

CREATE FUNCTION @extschema@.kg_get(entity_type text, id text) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_get';
COMMENT ON FUNCTION @extschema@.kg_get(text, text) IS
  'the data of one entity, or NULL';

CREATE FUNCTION @extschema@.kg_get(entity_type text, ids text[]) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_get_many';
COMMENT ON FUNCTION @extschema@.kg_get(text, text[]) IS
  'entities by id, in the order asked for, and the ids not found';

CREATE FUNCTION @extschema@.kg_list_tools() RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_list_tools';
COMMENT ON FUNCTION @extschema@.kg_list_tools() IS
  'the tools of the caller''s tenant: name, title, description, input and output schema, annotations';

CREATE FUNCTION @extschema@.kg_call_tool(name text, arguments jsonb DEFAULT '{}', options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_call_tool';
COMMENT ON FUNCTION @extschema@.kg_call_tool(text, jsonb, jsonb) IS
  'call a tool by name; answers an MCP tool result, errors included; options timeout_ms, idempotency_key';

CREATE FUNCTION @extschema@.kg_explain(tool text, arguments jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_explain';
COMMENT ON FUNCTION @extschema@.kg_explain(text, jsonb) IS
  'what a tool call compiles to: its arguments as understood, SQL, parameter types, plans; for whom EXECUTE is granted';

CREATE FUNCTION @extschema@.kg_call_authorized(tool text, arguments jsonb, decisions jsonb DEFAULT '[]', exchange text DEFAULT NULL, token text DEFAULT NULL) RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_call_authorized';
COMMENT ON FUNCTION @extschema@.kg_call_authorized(text, jsonb, jsonb, text, text) IS
  'call a tool by name with decisions of another system: its result, or what is to be decided for it; for gateways that kg_grant_gateway(role, exchange => true) made';
-- The graph engine and its tools (src/pack.c, src/graph.c).

CREATE FUNCTION @extschema@.kg_clear_packed() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_clear_packed';
COMMENT ON FUNCTION @extschema@.kg_clear_packed() IS
  'statement trigger: drops the packed rows of nodes whose edges change';

CREATE FUNCTION @extschema@.kg_pack() RETURNS bigint
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_pack';
COMMENT ON FUNCTION @extschema@.kg_pack() IS
  'pack the edges of the tenant''s nodes that changed since they were packed; returns how many nodes';

CREATE FUNCTION @extschema@.kg_graph_schema(arguments jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_graph_schema';
COMMENT ON FUNCTION @extschema@.kg_graph_schema(jsonb) IS
  'the tool get_graph_schema: entity types and relationship types';

CREATE FUNCTION @extschema@.kg_find_nodes(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_find_nodes';
COMMENT ON FUNCTION @extschema@.kg_find_nodes(jsonb) IS
  'the tool find_nodes: nodes of one type by id or by property values';

CREATE FUNCTION @extschema@.kg_traverse(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_traverse';
COMMENT ON FUNCTION @extschema@.kg_traverse(jsonb) IS
  'the tool traverse_relationships: a chain of steps along relationships';

CREATE FUNCTION @extschema@.kg_neighbors(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_neighbors';
COMMENT ON FUNCTION @extschema@.kg_neighbors(jsonb) IS
  'the tool explore_neighbors: everything around one entity';

CREATE FUNCTION @extschema@.kg_describe_schema(arguments jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_describe_schema';
COMMENT ON FUNCTION @extschema@.kg_describe_schema(jsonb) IS
  'the tool describe_schema: types and predicates of the graph, and how to use it';

CREATE FUNCTION @extschema@.kg_search(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_search';
COMMENT ON FUNCTION @extschema@.kg_search(jsonb) IS
  'the tool search_entities: from a name to ids';

CREATE FUNCTION @extschema@.kg_bfs(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_bfs';
COMMENT ON FUNCTION @extschema@.kg_bfs(jsonb) IS
  'the tool bfs_query: everything within some hops of any of the seeds';

CREATE FUNCTION @extschema@.kg_describe(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_describe';
COMMENT ON FUNCTION @extschema@.kg_describe(jsonb) IS
  'the tool describe_entity: all that is known of one entity';

CREATE FUNCTION @extschema@.kg_describe_many(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_describe_many';
COMMENT ON FUNCTION @extschema@.kg_describe_many(jsonb) IS
  'the tool describe_entities: all that is known of several entities';

CREATE FUNCTION @extschema@.kg_intersect(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_intersect';
COMMENT ON FUNCTION @extschema@.kg_intersect(jsonb) IS
  'the tool intersect_subgraphs: what is within some hops of every seed';

CREATE FUNCTION @extschema@.kg_paths(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_paths';
COMMENT ON FUNCTION @extschema@.kg_paths(jsonb) IS
  'the tool find_paths: how two sets of entities are connected';

CREATE FUNCTION @extschema@.kg_aggregate(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_aggregate';
COMMENT ON FUNCTION @extschema@.kg_aggregate(jsonb) IS
  'the tool aggregate_nodes: counts and sums over nodes, grouped';

CREATE FUNCTION @extschema@.kg_rank(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_rank';
COMMENT ON FUNCTION @extschema@.kg_rank(jsonb) IS
  'the tool rank_related: entities by how much they have to do with some others';

-- They read their arguments only; not IMMUTABLE, so that a picture never ends
-- up in an index or a constraint of somebody who expects its text to stay.
CREATE FUNCTION @extschema@.kg_to_mermaid(graph jsonb, options jsonb DEFAULT '{}') RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_to_mermaid';
COMMENT ON FUNCTION @extschema@.kg_to_mermaid(jsonb, jsonb) IS
  'a bundle''s types and relations, a schema or a tool''s reply as a Mermaid flowchart';

CREATE FUNCTION @extschema@.kg_to_dot(graph jsonb, options jsonb DEFAULT '{}') RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_to_dot';
COMMENT ON FUNCTION @extschema@.kg_to_dot(jsonb, jsonb) IS
  'a bundle''s types and relations, a schema or a tool''s reply as a Graphviz graph';

-- Calls within claims are made in subtransactions.
CREATE FUNCTION @extschema@.kg_verify(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_verify';
COMMENT ON FUNCTION @extschema@.kg_verify(jsonb) IS
  'the tool verify_claims: which claims of a draft hold';
-- Verified identity and what the policies ask (src/auth, src/caller.c).

CREATE TABLE @extschema@.kg_auth_key (
  issuer         text COLLATE "C" NOT NULL,
  kid            text COLLATE "C" NOT NULL,
  alg            text COLLATE "C" NOT NULL
                 CHECK (alg IN ('HS256', 'RS256', 'PS256', 'ES256', 'EdDSA')),
  secret         bytea CHECK (pg_catalog.octet_length(secret) >= 32),
  public_key     text,
  audience       text COLLATE "C" NOT NULL,
  tenant         text COLLATE "C" REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  tenant_claim   text COLLATE "C" DEFAULT 'tenant',
  agent_claim    text COLLATE "C" DEFAULT 'agent',
  role_claim     text COLLATE "C",
  roles          jsonb CHECK (pg_catalog.jsonb_typeof(roles) = 'object'),
  access         text COLLATE "C" NOT NULL DEFAULT 'read'
                 CHECK (access IN ('read', 'write', 'admin')),
  scope_claim    text COLLATE "C" DEFAULT 'traversal_ids',
  scope_required boolean NOT NULL DEFAULT false,
  leeway         integer NOT NULL DEFAULT 30 CHECK (leeway BETWEEN 0 AND 300),
  not_after      timestamptz,
  enabled        boolean NOT NULL DEFAULT true,
  created_at     timestamptz NOT NULL DEFAULT pg_catalog.now(),
  PRIMARY KEY (issuer, kid),
  CHECK ((alg = 'HS256') = (secret IS NOT NULL)),
  CHECK ((alg = 'HS256') = (public_key IS NULL)),
  CHECK (tenant IS NOT NULL OR tenant_claim IS NOT NULL),
  CHECK (scope_claim IS NOT NULL OR NOT scope_required)
);
COMMENT ON TABLE @extschema@.kg_auth_key IS 'keys that kg_login() verifies tokens with; for the owner of the extension only';
COMMENT ON COLUMN @extschema@.kg_auth_key.alg IS 'the one algorithm of this key, whatever a token says';
COMMENT ON COLUMN @extschema@.kg_auth_key.public_key IS 'PEM (SubjectPublicKeyInfo), JWK, or base64url of a raw Ed25519 key';
COMMENT ON COLUMN @extschema@.kg_auth_key.tenant IS 'the only tenant of this key''s tokens; NULL: the tenant that the claim names';
COMMENT ON COLUMN @extschema@.kg_auth_key.role_claim IS 'claim whose values give the access, through roles where set; NULL: every token has access';
COMMENT ON COLUMN @extschema@.kg_auth_key.access IS 'the most that a token of this key can have';
COMMENT ON COLUMN @extschema@.kg_auth_key.scope_claim IS 'claim with the path prefixes that x-scope-field is compared with; NULL: no scopes';

-- Secrets stay out of dumps; public keys do not.
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_auth_key', 'WHERE secret IS NULL');

CREATE FUNCTION @extschema@.kg_check_auth_key() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check_auth_key';
COMMENT ON FUNCTION @extschema@.kg_check_auth_key() IS
  'row trigger of kg_auth_key: refuses a key that its algorithm cannot use';

CREATE TRIGGER kg_auth_key_check BEFORE INSERT OR UPDATE ON @extschema@.kg_auth_key
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_check_auth_key();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_auth_key
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

ALTER TABLE @extschema@.kg_auth_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_auth_key FORCE ROW LEVEL SECURITY;

CREATE POLICY kg_auth_key_nobody ON @extschema@.kg_auth_key FOR ALL
  USING (false) WITH CHECK (false);

CREATE FUNCTION @extschema@.kg_login(token text, session boolean DEFAULT false) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_login';
COMMENT ON FUNCTION @extschema@.kg_login(text, boolean) IS
  'verify a JSON Web Token and act as its bearer until the transaction ends; pass it as a parameter, not in the text';
REVOKE EXECUTE ON FUNCTION @extschema@.kg_login(text, boolean) FROM PUBLIC;

CREATE FUNCTION @extschema@.kg_logout() RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_logout';
COMMENT ON FUNCTION @extschema@.kg_logout() IS
  'give up the identity that kg_login() bound to this session';

CREATE FUNCTION @extschema@.kg_claim(name text) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_claim';
COMMENT ON FUNCTION @extschema@.kg_claim(text) IS
  'a claim of the caller''s verified token as text, or NULL';

CREATE FUNCTION @extschema@.kg_issue_token(claims jsonb, kid text DEFAULT NULL, valid interval DEFAULT '00:05:00') RETURNS text
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_issue_token';
COMMENT ON FUNCTION @extschema@.kg_issue_token(jsonb, text, interval) IS
  'a token signed with an HS256 key; iss, aud, iat and exp are filled in; for the owner of the extension only';
REVOKE EXECUTE ON FUNCTION @extschema@.kg_issue_token(jsonb, text, interval) FROM PUBLIC;

CREATE FUNCTION @extschema@.kg_agent() RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_agent';
COMMENT ON FUNCTION @extschema@.kg_agent() IS
  'the agent that the caller''s token or kg_graph.agent names, or NULL';

CREATE FUNCTION @extschema@.kg_bundle_visible(bundle text) RETURNS boolean
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_bundle_visible';
COMMENT ON FUNCTION @extschema@.kg_bundle_visible(text) IS
  'whether the agent in force, if any, is bound to the bundle; what is of none (NULL) is seen; for policies';

CREATE FUNCTION @extschema@.kg_entity_visible(bundle text, scope text) RETURNS boolean
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_entity_visible';
COMMENT ON FUNCTION @extschema@.kg_entity_visible(text, text) IS
  'whether agent and scope paths of the caller let an entity through; for policies';

CREATE FUNCTION @extschema@.kg_entity_visible(bundle text, scope text, type_no integer, node bigint, entity_id text, data jsonb) RETURNS boolean
  LANGUAGE C STABLE PARALLEL RESTRICTED COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_entity_authorized';
COMMENT ON FUNCTION @extschema@.kg_entity_visible(text, text, integer, bigint, text, jsonb) IS
  'the same of a stored entity, with what is decided elsewhere (x-authorize); for the policies of kg_entity';

-- Leakproof, and cheaper than a policy: what does not hold is left out before
-- anybody is asked who may see it.
CREATE FUNCTION @extschema@.kg_entity_valid(type_no integer, data jsonb) RETURNS boolean
  LANGUAGE C STABLE LEAKPROOF PARALLEL RESTRICTED COST 0.5
  AS 'MODULE_PATHNAME', 'kg_sql_entity_valid';
COMMENT ON FUNCTION @extschema@.kg_entity_valid(integer, jsonb) IS
  'whether an entity holds at the instant that the running call of a tool asks for with valid_at; true where none does; for statements of tools';

CREATE FUNCTION @extschema@.kg_edge_valid(relation_no integer, properties jsonb) RETURNS boolean
  LANGUAGE C STABLE LEAKPROOF PARALLEL RESTRICTED COST 0.5
  AS 'MODULE_PATHNAME', 'kg_sql_edge_valid';
COMMENT ON FUNCTION @extschema@.kg_edge_valid(integer, jsonb) IS
  'the same of an edge';

CREATE FUNCTION @extschema@.kg_derived_tenant() RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_derived_tenant';
COMMENT ON FUNCTION @extschema@.kg_derived_tenant() IS
  'kg_tenant() where edges, keys and terms may be read: by tools always, otherwise by who sees every entity of the tenant; or NULL; for policies';

CREATE FUNCTION @extschema@.kg_derived_tenant(access text) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_derived_tenant';
COMMENT ON FUNCTION @extschema@.kg_derived_tenant(text) IS
  'the same if the caller has at least this access (read, write, admin); for policies';

CREATE FUNCTION @extschema@.kg_packed_tenant() RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_packed_tenant';
COMMENT ON FUNCTION @extschema@.kg_packed_tenant() IS
  'kg_derived_tenant() where no policy of kg_edge hides an edge from the caller, or NULL; for the policy of kg_adjacency';

CREATE FUNCTION @extschema@.kg_grant_gateway(role text, exchange boolean DEFAULT false) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_grant_gateway';
COMMENT ON FUNCTION @extschema@.kg_grant_gateway(text, boolean) IS
  'let a role carry its clients'' tokens to kg_mcp(), with exchange to kg_call_authorized() too, and be nobody without one; for the owner of the extension';
REVOKE EXECUTE ON FUNCTION @extschema@.kg_grant_gateway(text, boolean) FROM PUBLIC;

CREATE FUNCTION @extschema@.kg_revoke_gateway(role text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_revoke_gateway';
COMMENT ON FUNCTION @extschema@.kg_revoke_gateway(text) IS
  'take back what kg_grant_gateway() gave; for the owner of the extension';
REVOKE EXECUTE ON FUNCTION @extschema@.kg_revoke_gateway(text) FROM PUBLIC;
-- Agents of a tenant (src/auth/agent.c, src/auth/agent_changes.c).

CREATE TABLE @extschema@.kg_agent (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  agent        text COLLATE "C" NOT NULL CHECK (agent ~ '^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$'),
  title        text,
  description  text,
  instructions text,
  toolsets     text[] COLLATE "C",
  tools        text[] COLLATE "C",
  created_at   timestamptz NOT NULL DEFAULT pg_catalog.now(),
  updated_at   timestamptz NOT NULL DEFAULT pg_catalog.now(),
  PRIMARY KEY (tenant, agent)
);
COMMENT ON TABLE @extschema@.kg_agent IS 'agents of a tenant; made by kg_create_agent()';
COMMENT ON COLUMN @extschema@.kg_agent.toolsets IS 'catalog, graph, bfs, memory, and those of registered tools; NULL: all';
COMMENT ON COLUMN @extschema@.kg_agent.tools IS 'only these of the toolsets'' tools; NULL: all';

CREATE TABLE @extschema@.kg_agent_bundle (
  tenant       text COLLATE "C" NOT NULL,
  agent        text COLLATE "C" NOT NULL,
  bundle       text COLLATE "C" NOT NULL,
  position     integer NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, agent, bundle),
  FOREIGN KEY (tenant, agent) REFERENCES @extschema@.kg_agent ON DELETE CASCADE,
  FOREIGN KEY (tenant, bundle) REFERENCES @extschema@.kg_bundle ON DELETE CASCADE
);
COMMENT ON TABLE @extschema@.kg_agent_bundle IS 'the bundles that an agent sees; made by kg_create_agent() and kg_bind_agent()';
CREATE INDEX kg_agent_bundle_bundle_idx ON @extschema@.kg_agent_bundle (tenant, bundle);

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_agent', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_agent_bundle', '');

CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_agent
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_agent_bundle
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

ALTER TABLE @extschema@.kg_agent ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_agent FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_agent_bundle ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_agent_bundle FORCE ROW LEVEL SECURITY;

CREATE POLICY kg_agent_select ON @extschema@.kg_agent FOR SELECT
  USING (tenant = @extschema@.kg_tenant());

CREATE FUNCTION @extschema@.kg_create_agent(agent text, options jsonb DEFAULT '{}') RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_create_agent';
COMMENT ON FUNCTION @extschema@.kg_create_agent(text, jsonb) IS
  'make an agent of the caller''s tenant; options: title, description, instructions, bundles, toolsets, tools; for the tenant''s admins';

CREATE FUNCTION @extschema@.kg_alter_agent(agent text, options jsonb) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_alter_agent';
COMMENT ON FUNCTION @extschema@.kg_alter_agent(text, jsonb) IS
  'change the options that are given, null takes one back; for the tenant''s admins';

CREATE FUNCTION @extschema@.kg_drop_agent(agent text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_drop_agent';
COMMENT ON FUNCTION @extschema@.kg_drop_agent(text) IS
  'delete an agent and its bindings; for the tenant''s admins';

CREATE FUNCTION @extschema@.kg_bind_agent(agent text, bundle text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_bind_agent';
COMMENT ON FUNCTION @extschema@.kg_bind_agent(text, text) IS
  'let an agent see a bundle, which must exist; for the tenant''s admins';

CREATE FUNCTION @extschema@.kg_unbind_agent(agent text, bundle text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_unbind_agent';
COMMENT ON FUNCTION @extschema@.kg_unbind_agent(text, text) IS
  'take a bundle from an agent; for the tenant''s admins';
-- Policies of a DBA's own on our tables.  pg_dump leaves out what hangs on a
-- member of an extension, so they are rows, and their trigger makes them again
-- where the rows are restored.  Who is named by a policy that is not in force
-- has no tenant (src/auth/identity.c).

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
COMMENT ON TABLE @extschema@.kg_policy IS 'restrictive policies of a DBA''s own on kg_entity and kg_edge; made by kg_add_policy()';
COMMENT ON COLUMN @extschema@.kg_policy.roles IS 'names; public is everybody';
COMMENT ON COLUMN @extschema@.kg_policy.role_numbers IS 'their numbers here, 0 where there is no such role';
COMMENT ON COLUMN @extschema@.kg_policy.made_using IS 'what PostgreSQL says of the policy that was made; it is in force as long as that is so';
COMMENT ON COLUMN @extschema@.kg_policy.problem IS 'why the policy could not be made';
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_policy', '');

ALTER TABLE @extschema@.kg_policy ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_policy FORCE ROW LEVEL SECURITY;
-- Nobody but the owner has a privilege on it.
CREATE POLICY kg_policy_all ON @extschema@.kg_policy FOR ALL
  USING (true);

-- How PostgreSQL says an expression depends on settings that anybody may change;
-- what it says is compared, and read again elsewhere.
CREATE FUNCTION @extschema@.kg_policy_text(expr pg_catalog.pg_node_tree, relation oid) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off SET DateStyle = 'ISO, YMD' SET IntervalStyle = postgres SET TimeZone = 'UTC' SET extra_float_digits = 1
  SET bytea_output = hex SET standard_conforming_strings = on SET lc_monetary = 'C'
  AS $$
  SELECT pg_get_expr(expr, relation)
$$;
COMMENT ON FUNCTION @extschema@.kg_policy_text(pg_catalog.pg_node_tree, oid) IS
  'a policy''s expression as text, the same whatever the session''s settings are';
REVOKE EXECUTE ON FUNCTION @extschema@.kg_policy_text(pg_catalog.pg_node_tree, oid) FROM PUBLIC;

CREATE FUNCTION @extschema@.kg_make_policy() RETURNS trigger
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off SET DateStyle = 'ISO, YMD' SET IntervalStyle = postgres SET TimeZone = 'UTC' SET extra_float_digits = 1
  SET bytea_output = hex SET standard_conforming_strings = on SET lc_monetary = 'C'
  AS $$
DECLARE
  missing text;
BEGIN
  NEW.role_numbers := ARRAY(SELECT coalesce(r.oid, 0) FROM unnest(NEW.roles) WITH ORDINALITY n(name, place)
    LEFT JOIN pg_roles r ON r.rolname = n.name ORDER BY n.place);
  NEW.made_using := NULL;
  NEW.made_check := NULL;
  NEW.problem := NULL;
  -- Of the same name on the other table before.
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
    EXECUTE format('CREATE POLICY %I ON %I.%I AS RESTRICTIVE FOR %s TO %s', NEW.policy, TG_TABLE_SCHEMA, NEW.on_table, NEW.command,
        (SELECT string_agg(CASE name WHEN 'public' THEN 'PUBLIC' ELSE quote_ident(name) END, ', ') FROM unnest(NEW.roles) name))
      || coalesce(' USING (' || NEW.using_expr || ')', '') || coalesce(' WITH CHECK (' || NEW.check_expr || ')', '');
    -- As kg_policy_text() says it, under the same settings.
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

-- Before the data of tenants are restored, and whoever restores them.
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
  -- The schema may have another name by now.
  ours text := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'kg_graph');
  why text;
BEGIN
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
  'make a restrictive policy on kg_entity or kg_edge that dumps keep; names in the expressions are qualified; for the owner of the extension';
REVOKE EXECUTE ON FUNCTION @extschema@.kg_add_policy(text, text, text, text, text, text[]) FROM PUBLIC;

CREATE FUNCTION @extschema@.kg_drop_policy(policy text) RETURNS void
  LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  -- The schema may have another name by now.
  ours text := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'kg_graph');
  tab text;
BEGIN
  EXECUTE format('DELETE FROM %I.kg_policy WHERE policy = $1 RETURNING on_table', ours) INTO tab USING $1;
  IF tab IS NULL THEN
    RAISE EXCEPTION 'policy "%" is not registered', $1 USING ERRCODE = 'no_data_found', HINT = 'Those that are, are in kg_policy.';
  END IF;
  EXECUTE format('DROP POLICY IF EXISTS %I ON %I.%I', $1, ours, tab);
END
$$;
COMMENT ON FUNCTION @extschema@.kg_drop_policy(text) IS
  'drop a policy that kg_add_policy() made; for the owner of the extension';
REVOKE EXECUTE ON FUNCTION @extschema@.kg_drop_policy(text) FROM PUBLIC;

-- What hangs on our tables, as statements that make it again.  As the install
-- script left it, it is kept in kg_manifest: what differs from that is somebody
-- else's (kg_dump_customizations) or is missing (kg_health, kg_check).
CREATE FUNCTION @extschema@.kg_definitions() RETURNS TABLE (place integer, kind text, on_table text, name text, sound boolean, definition text)
  LANGUAGE sql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off SET DateStyle = 'ISO, YMD' SET IntervalStyle = postgres SET TimeZone = 'UTC' SET extra_float_digits = 1
  SET bytea_output = hex SET standard_conforming_strings = on SET lc_monetary = 'C'
  BEGIN ATOMIC
  WITH member AS (
    SELECT c.oid, c.relname, c.relowner = e.extowner AS owned, c.relrowsecurity, c.relforcerowsecurity, c.reloptions, format('%I.%I', n.nspname, c.relname) AS name
      FROM pg_extension e JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
       AND d.classid = 'pg_class'::regclass JOIN pg_class c ON c.oid = d.objid AND c.relkind IN ('r', 'p') JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE e.extname = 'kg_graph')
  SELECT 0, 'row security', m.relname::text, m.relname::text, m.owned,
         format('ALTER TABLE %s %s ROW LEVEL SECURITY, %s ROW LEVEL SECURITY;', m.name, CASE WHEN m.relrowsecurity THEN 'ENABLE' ELSE 'DISABLE' END,
           CASE WHEN m.relforcerowsecurity THEN 'FORCE' ELSE 'NO FORCE' END)
    FROM member m
  UNION ALL
  SELECT 1, 'policy', m.relname, p.polname, true, format('CREATE POLICY %I ON %s AS %s FOR %s TO %s', p.polname, m.name, CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
         CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
         (SELECT string_agg(CASE r WHEN 0 THEN 'PUBLIC' ELSE r::regrole::text END, ', ') FROM unnest(p.polroles) r))
         || coalesce(' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')', '') || coalesce(' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '') || ';'
    FROM pg_policy p JOIN member m ON m.oid = p.polrelid
  UNION ALL
  SELECT 2, 'index', m.relname, x.relname, i.indisvalid AND i.indisready AND i.indislive, pg_get_indexdef(i.indexrelid) || ';'
    FROM pg_index i JOIN member m ON m.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid
   WHERE NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.conrelid = i.indrelid AND c.contype <> 'f')
  UNION ALL
  -- A constraint stands for its index.
  SELECT 3, 'constraint', m.relname, c.conname, c.convalidated AND coalesce(i.indisvalid AND i.indisready AND i.indislive, true),
         format('ALTER TABLE %s ADD CONSTRAINT %I %s;', m.name, c.conname, pg_get_constraintdef(c.oid))
    FROM pg_constraint c JOIN member m ON m.oid = c.conrelid LEFT JOIN pg_index i ON i.indexrelid = c.conindid AND i.indrelid = c.conrelid
   WHERE c.contype <> 't'
  UNION ALL
  SELECT 4, 'trigger', m.relname, t.tgname, true, pg_get_triggerdef(t.oid) || ';' || CASE t.tgenabled WHEN 'O' THEN '' ELSE format(' ALTER TABLE %s %s TRIGGER %I;', m.name,
         CASE t.tgenabled WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA' ELSE 'ENABLE ALWAYS' END, t.tgname) END
    FROM pg_trigger t JOIN member m ON m.oid = t.tgrelid
   WHERE NOT t.tgisinternal
  UNION ALL
  SELECT 5, 'statistics', m.relname, x.stxname, true, pg_get_statisticsobjdef(x.oid) || ';' FROM pg_statistic_ext x JOIN member m ON m.oid = x.stxrelid
  UNION ALL
  -- When it is vacuumed is its DBA's choice, of which dumps have to know.
  SELECT 6, CASE WHEN o.vacuum THEN 'autovacuum' ELSE 'storage' END, m.relname, m.relname, true, format('ALTER TABLE %s SET (%s);', m.name, o.options)
    FROM member m
   CROSS JOIN LATERAL (SELECT starts_with(option, 'autovacuum_'), string_agg(option, ', ' ORDER BY option) FROM unnest(m.reloptions) option GROUP BY 1) o(vacuum, options)
  UNION ALL
  SELECT 7, 'column statistics', m.relname, a.attname, true, format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS %s;', m.name, a.attname, a.attstattarget)
    FROM pg_attribute a JOIN member m ON m.oid = a.attrelid
   WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attstattarget >= 0
  UNION ALL
  SELECT 8, 'column options', m.relname, a.attname, true, format('ALTER TABLE %s ALTER COLUMN %I SET (%s);', m.name, a.attname, array_to_string(o.options, ', '))
    FROM pg_attribute a JOIN member m ON m.oid = a.attrelid
   CROSS JOIN LATERAL (SELECT array_agg(option) AS options FROM unnest(a.attoptions) option WHERE option LIKE 'n_distinct%') o
   WHERE a.attnum > 0 AND o.options IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.kg_definitions() IS
  'what hangs on our tables: policies, indexes, constraints, triggers and settings, with the statements that make them again; for the owner of the extension';
REVOKE EXECUTE ON FUNCTION @extschema@.kg_definitions() FROM PUBLIC;

-- What else does, and is nothing that answers depend on: only dumps have to know.
CREATE FUNCTION @extschema@.kg_table_settings() RETURNS TABLE (place integer, kind text, on_table text, name text, definition text)
  LANGUAGE sql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off
  BEGIN ATOMIC
  WITH member AS (
    SELECT c.oid, c.relname, c.reltoastrelid, c.relpersistence, c.relreplident, c.reltablespace, format('%I.%I', n.nspname, c.relname) AS name
      FROM pg_extension e JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
       AND d.classid = 'pg_class'::regclass JOIN pg_class c ON c.oid = d.objid AND c.relkind IN ('r', 'p') JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE e.extname = 'kg_graph')
  SELECT 8, 'column storage', m.relname::text, a.attname::text, concat_ws(' ', CASE WHEN a.attstorage <> t.typstorage THEN
         format('ALTER TABLE %s ALTER COLUMN %I SET STORAGE %s;', m.name, a.attname, CASE a.attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END) END,
         CASE a.attcompression WHEN 'p' THEN format('ALTER TABLE %s ALTER COLUMN %I SET COMPRESSION pglz;', m.name, a.attname)
           WHEN 'l' THEN format('ALTER TABLE %s ALTER COLUMN %I SET COMPRESSION lz4;', m.name, a.attname) END)
    FROM pg_attribute a JOIN member m ON m.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
   WHERE a.attnum > 0 AND (a.attstorage <> t.typstorage OR a.attcompression <> '')
  UNION ALL
  SELECT 8, 'placement', m.relname::text, m.relname::text, concat_ws(' ', 'ALTER TABLE ' || m.name || ' SET (toast.' || array_to_string(o.reloptions, ', toast.') || ');',
         CASE m.relpersistence WHEN 'u' THEN format('ALTER TABLE %s SET UNLOGGED;', m.name) END,
         CASE m.relreplident WHEN 'n' THEN format('ALTER TABLE %s REPLICA IDENTITY NOTHING;', m.name) WHEN 'f' THEN format('ALTER TABLE %s REPLICA IDENTITY FULL;', m.name)
           WHEN 'i' THEN (SELECT format('ALTER TABLE %s REPLICA IDENTITY USING INDEX %I;', m.name, x.relname)
                            FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid WHERE i.indrelid = m.oid AND i.indisreplident) END,
         (SELECT format('ALTER TABLE %s SET TABLESPACE %I;', m.name, s.spcname) FROM pg_tablespace s WHERE s.oid = m.reltablespace))
    FROM member m LEFT JOIN pg_class o ON o.oid = m.reltoastrelid
   WHERE o.reloptions IS NOT NULL OR m.relpersistence <> 'p' OR m.relreplident <> 'd' OR m.reltablespace <> 0
  UNION ALL
  SELECT 5, 'rule', m.relname, r.rulename, pg_get_ruledef(r.oid) || CASE r.ev_enabled WHEN 'O' THEN '' ELSE format(' ALTER TABLE %s %s RULE %I;', m.name,
         CASE r.ev_enabled WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA' ELSE 'ENABLE ALWAYS' END, r.rulename) END
    FROM pg_rewrite r JOIN member m ON m.oid = r.ev_class
  UNION ALL
  -- No statement: what a column that somebody added is told by.
  SELECT 9, 'columns', m.relname, m.relname, (SELECT string_agg(a.attname, ',' ORDER BY a.attname) FROM pg_attribute a WHERE a.attrelid = m.oid AND a.attnum > 0 AND NOT a.attisdropped)
    FROM member m;
END;
COMMENT ON FUNCTION @extschema@.kg_table_settings() IS
  'rules, columns, and where and how our tables are stored, with the statements that make them again; for the owner of the extension';
REVOKE EXECUTE ON FUNCTION @extschema@.kg_table_settings() FROM PUBLIC;

-- Filled at the end of the script (sql/99_manifest.sql).  The schema may get
-- another name: @ stands for it.  Majors say some expressions differently.
CREATE TABLE @extschema@.kg_manifest (
  on_table     text COLLATE "C" NOT NULL,
  kind         text COLLATE "C" NOT NULL,
  name         text COLLATE "C" NOT NULL,
  major        integer NOT NULL,
  definition   text NOT NULL,
  PRIMARY KEY (on_table, kind, name)
);
COMMENT ON TABLE @extschema@.kg_manifest IS 'what CREATE EXTENSION made on our tables; what kg_health() and kg_check() compare with';
ALTER TABLE @extschema@.kg_manifest ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_manifest FORCE ROW LEVEL SECURITY;
-- Nobody but the owner has a privilege on it.
CREATE POLICY kg_manifest_select ON @extschema@.kg_manifest FOR SELECT
  USING (true);

CREATE FUNCTION @extschema@.kg_manifest_text(definition text) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off
  BEGIN ATOMIC
  SELECT regexp_replace(definition, '(^|[^a-zA-Z0-9_"$])' || regexp_replace(quote_ident(n.nspname), '([^a-zA-Z0-9_])', E'\\\\\\1', 'g') || '[.]', E'\\1@.', 'g')
    FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'kg_graph';
END;
COMMENT ON FUNCTION @extschema@.kg_manifest_text(text) IS
  'a definition with @ for our schema, as kg_manifest has it; for the owner of the extension';
REVOKE EXECUTE ON FUNCTION @extschema@.kg_manifest_text(text) FROM PUBLIC;

CREATE FUNCTION @extschema@.kg_definitions_wrong() RETURNS TABLE (kind text, on_table text, name text, problem text, repair text)
  LANGUAGE sql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  SET quote_all_identifiers = off
  BEGIN ATOMIC
  SELECT m.kind, m.on_table, m.name, CASE WHEN d.name IS NULL THEN 'is missing' WHEN NOT d.sound THEN 'is not valid' ELSE 'is not as it was made' END,
         CASE WHEN d.name IS NULL OR m.kind IN ('row security', 'storage') THEN ''
              WHEN m.kind = 'constraint' AND d.sound THEN format('ALTER TABLE %s.%I DROP CONSTRAINT %I; ', s.name, m.on_table, m.name)
              WHEN m.kind IN ('policy', 'trigger') THEN format('DROP %s %I ON %s.%I; ', upper(m.kind), m.name, s.name, m.on_table)
              WHEN m.kind = 'index' AND d.sound THEN format('DROP INDEX %s.%I; ', s.name, m.name) ELSE '' END
         || CASE WHEN d.sound IS FALSE AND m.kind IN ('index', 'constraint') THEN format('REINDEX INDEX %s.%I;', s.name, m.name) ELSE replace(m.definition, '@.', s.name || '.') END
    FROM @extschema@.kg_manifest m
   CROSS JOIN (SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'kg_graph') s(name)
    LEFT JOIN @extschema@.kg_definitions() d ON d.on_table = m.on_table AND d.kind = m.kind AND d.name = m.name
   WHERE m.kind NOT IN ('autovacuum', 'rule', 'columns', 'column storage', 'placement') AND (d.name IS NULL OR NOT d.sound
      -- What is the same by a simple replacement need not be read closely, which takes 20 times as long.
      OR (m.major = current_setting('server_version_num')::integer / 10000 AND m.definition <> replace(d.definition, s.name || '.', '@.')
          AND m.definition <> @extschema@.kg_manifest_text(d.definition)))
   ORDER BY m.kind, m.on_table, m.name;
END;
COMMENT ON FUNCTION @extschema@.kg_definitions_wrong() IS
  'what CREATE EXTENSION made on our tables and is missing, altered or not valid, with the statements that mend it; for the owner of the extension';
REVOKE EXECUTE ON FUNCTION @extschema@.kg_definitions_wrong() FROM PUBLIC;

CREATE FUNCTION @extschema@.kg_dump_customizations() RETURNS SETOF text
  LANGUAGE sql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  SELECT d.definition FROM (SELECT place, kind, on_table, name, definition FROM @extschema@.kg_definitions() UNION ALL SELECT * FROM @extschema@.kg_table_settings()) d
   WHERE d.place BETWEEN 1 AND 8
     AND NOT EXISTS (SELECT FROM @extschema@.kg_manifest m WHERE m.on_table = d.on_table AND m.kind = d.kind AND m.name = d.name
                        AND (d.place < 6 OR m.definition = @extschema@.kg_manifest_text(d.definition)))
     AND NOT (d.kind = 'policy' AND EXISTS (SELECT FROM @extschema@.kg_policy o WHERE o.policy = d.name AND o.on_table = d.on_table))
   ORDER BY d.place, d.on_table COLLATE "C", d.definition COLLATE "C";
END;
COMMENT ON FUNCTION @extschema@.kg_dump_customizations() IS
  'the statements that make a DBA''s own policies, indexes, constraints, triggers and settings on our tables again, which pg_dump leaves out; for the owner of the extension';
REVOKE EXECUTE ON FUNCTION @extschema@.kg_dump_customizations() FROM PUBLIC;

CREATE FUNCTION @extschema@.kg_renew_secrets() RETURNS void
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  UPDATE @extschema@.kg_secret SET secret = uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
END;
COMMENT ON FUNCTION @extschema@.kg_renew_secrets() IS
  'make the keys that sign cursors and notifications anew, after a copy of the database''s files; for the owner of the extension';
REVOKE EXECUTE ON FUNCTION @extschema@.kg_renew_secrets() FROM PUBLIC;
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_secret
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

CREATE FUNCTION @extschema@.kg_refuse_replication() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_refuse_replication';
COMMENT ON FUNCTION @extschema@.kg_refuse_replication() IS
  'row trigger that fires for replication only: refuses what logical replication brings';
-- Registered tools (src/register.c, src/tools/register.c, src/store/registered_tools.c).

CREATE TABLE @extschema@.kg_tool_version (
  tenant        text COLLATE "C" NOT NULL,
  tool          text COLLATE "C" NOT NULL,
  precedence    bytea NOT NULL,
  version       text COLLATE "C" NOT NULL,
  toolset       text COLLATE "C" NOT NULL,
  bundle        text COLLATE "C",
  deprecated    text,
  definition    jsonb NOT NULL,
  registered_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
  PRIMARY KEY (tenant, tool, precedence),
  FOREIGN KEY (tenant, tool) REFERENCES @extschema@.kg_tool ON DELETE CASCADE
);
COMMENT ON TABLE @extschema@.kg_tool_version IS 'versions of registered tools; written by kg_register_tool() and by bundles';
COMMENT ON COLUMN @extschema@.kg_tool_version.precedence IS 'orders the versions of a tool as semver 2.0.0 does; those that differ in build metadata only have the same';
COMMENT ON COLUMN @extschema@.kg_tool_version.bundle IS 'the bundle that brought it; NULL: registered by itself';
COMMENT ON COLUMN @extschema@.kg_tool_version.deprecated IS 'NULL: it is not; why, or an empty text';
COMMENT ON COLUMN @extschema@.kg_tool_version.definition IS 'with all that was left out, and without deprecation; never changes';

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_tool_version', '');

CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_tool_version
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

ALTER TABLE @extschema@.kg_tool_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_tool_version FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_tool_version_select ON @extschema@.kg_tool_version FOR SELECT
  USING (tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));

CREATE FUNCTION @extschema@.kg_register_tool(definition jsonb) RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_register_tool';
COMMENT ON FUNCTION @extschema@.kg_register_tool(jsonb) IS
  'register a version of a tool; the same again changes nothing, and may deprecate it; for the tenant''s admins, functions for the owner of the extension';

CREATE FUNCTION @extschema@.kg_unregister_tool(name text, version text DEFAULT NULL) RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_unregister_tool';
COMMENT ON FUNCTION @extschema@.kg_unregister_tool(text, text) IS
  'take back a version of a registered tool, or all of them; for the tenant''s admins';

CREATE FUNCTION @extschema@.kg_registered_tools()
  RETURNS TABLE (tool text, version text, kind text, toolset text, latest boolean, deprecated text, bundle text, aliases jsonb, registered_at timestamptz, definition jsonb)
  LANGUAGE sql STABLE PARALLEL RESTRICTED
  SET search_path = pg_catalog, pg_temp
  AS $$
SELECT v.tool, v.version, v.definition ->> 'kind', v.toolset,
       v.precedence IS NOT DISTINCT FROM (SELECT w.precedence FROM @extschema@.kg_tool_version w
         WHERE w.tenant = v.tenant AND w.tool = v.tool AND w.deprecated IS NULL AND split_part(w.version, '+', 1) !~ '-' ORDER BY w.precedence DESC LIMIT 1),
       v.deprecated, v.bundle, v.definition -> 'aliases', v.registered_at, v.definition
  FROM @extschema@.kg_tool_version v ORDER BY v.tenant, v.tool, v.precedence
$$;
COMMENT ON FUNCTION @extschema@.kg_registered_tools() IS
  'every version of the registered tools that the caller sees, in their order; latest is what is listed and called by the name alone';
-- Limits of callers and quotas of tenants (src/auth/limits.c, src/auth/limit_changes.c).

CREATE TABLE @extschema@.kg_limit (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  subject      text COLLATE "C" NOT NULL CHECK (subject ~ '^([*]|ceiling|role:.+|agent:.+|sub:.+)$'),
  limits       jsonb NOT NULL,
  updated_at   timestamptz NOT NULL DEFAULT pg_catalog.now(),
  PRIMARY KEY (tenant, subject)
);
COMMENT ON TABLE @extschema@.kg_limit IS 'limits of callers and quotas of tenants; made by kg_set_limits()';
COMMENT ON COLUMN @extschema@.kg_limit.subject IS '*, role:NAME, agent:NAME, sub:VALUE; ceiling: what the extension''s owner set for all';
COMMENT ON COLUMN @extschema@.kg_limit.limits IS 'numbers, of times in milliseconds; null is as the setting';

CREATE TABLE @extschema@.kg_quota (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  quota        text COLLATE "C" NOT NULL,
  stripe       integer NOT NULL,
  used         bigint NOT NULL,
  allotted     bigint NOT NULL,
  PRIMARY KEY (tenant, quota, stripe)
) WITH (fillfactor = 50);
COMMENT ON TABLE @extschema@.kg_quota IS 'what tenants with quotas have, in stripes that do not wait for each other; the sum of allotted is the quota; derived';

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_limit', '');

CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.kg_limit
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

CREATE TRIGGER kg_no_truncate BEFORE TRUNCATE ON @extschema@.kg_limit
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_refuse_truncate();
CREATE TRIGGER kg_no_truncate BEFORE TRUNCATE ON @extschema@.kg_quota
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_refuse_truncate();

-- Whoever writes the table itself, a restore included.
CREATE FUNCTION @extschema@.kg_check_limit() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check_limit';
COMMENT ON FUNCTION @extschema@.kg_check_limit() IS
  'row trigger of kg_limit: refuses limits that kg_set_limits() would';
CREATE TRIGGER kg_limit_check BEFORE INSERT OR UPDATE ON @extschema@.kg_limit
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_check_limit();

CREATE FUNCTION @extschema@.kg_reset_quotas() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_reset_quotas';
COMMENT ON FUNCTION @extschema@.kg_reset_quotas() IS
  'row trigger of kg_limit: counts what the tenant has, where it has a quota';
CREATE TRIGGER kg_quotas_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.kg_limit
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_reset_quotas();

CREATE FUNCTION @extschema@.kg_count_bundles() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_count_bundles';
COMMENT ON FUNCTION @extschema@.kg_count_bundles() IS
  'statement trigger of kg_bundle: counts bundles, where the tenant has a quota';
CREATE TRIGGER kg_quota_inserted AFTER INSERT ON @extschema@.kg_bundle
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_count_bundles();
CREATE TRIGGER kg_quota_deleted AFTER DELETE ON @extschema@.kg_bundle
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_count_bundles();

ALTER TABLE @extschema@.kg_quota ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_quota FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_limit ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_limit FORCE ROW LEVEL SECURITY;

CREATE POLICY kg_limit_select ON @extschema@.kg_limit FOR SELECT
  USING (tenant = @extschema@.kg_tenant('admin'));

CREATE POLICY kg_quota_select ON @extschema@.kg_quota FOR SELECT
  USING (tenant = @extschema@.kg_derived_tenant('admin'));

CREATE FUNCTION @extschema@.kg_set_limits(tenant text, subject text, limits jsonb) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_set_limits';
COMMENT ON FUNCTION @extschema@.kg_set_limits(text, text, jsonb) IS
  'limit what a subject may take: *, role:NAME, agent:NAME, sub:VALUE; for the tenant''s admins, and for the owner of the extension, whose * is the ceiling';

CREATE FUNCTION @extschema@.kg_limits() RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_limits';
COMMENT ON FUNCTION @extschema@.kg_limits() IS
  'the limits that hold for the caller now';

-- Writes that are sent again with their key (src/store/idempotency.c).  In dumps,
-- because what they wrote is.
CREATE TABLE @extschema@.kg_idempotency (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  caller       text COLLATE "C" NOT NULL,
  key          text COLLATE "C" NOT NULL,
  request      bytea NOT NULL,
  reply        jsonb NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  PRIMARY KEY (tenant, caller, key)
);
COMMENT ON TABLE @extschema@.kg_idempotency IS 'replies to writes with an idempotency key; for the owner only';
COMMENT ON COLUMN @extschema@.kg_idempotency.request IS 'a digest of the function and its arguments';
CREATE INDEX kg_idempotency_created_idx ON @extschema@.kg_idempotency (tenant, created_at);

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_idempotency', '');

ALTER TABLE @extschema@.kg_idempotency ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_idempotency FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_idempotency_nobody ON @extschema@.kg_idempotency FOR ALL
  USING (false);
-- Loads in batches (src/load.c): how far each has come.  In dumps, because what
-- they wrote is.
CREATE TABLE @extschema@.kg_load (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  caller       text COLLATE "C" NOT NULL,
  load         text COLLATE "C" NOT NULL,
  batch        bigint NOT NULL,
  position     jsonb NOT NULL,
  updated_at   timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  PRIMARY KEY (tenant, caller, load)
);
COMMENT ON TABLE @extschema@.kg_load IS 'how far loads in batches have come; for the owner only';
COMMENT ON COLUMN @extschema@.kg_load.batch IS 'how many batches are written';
COMMENT ON COLUMN @extschema@.kg_load.position IS 'what the client that loads keeps with its last batch';
CREATE INDEX kg_load_updated_idx ON @extschema@.kg_load (tenant, updated_at);

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_load', '');

ALTER TABLE @extschema@.kg_load ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_load FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_load_nobody ON @extschema@.kg_load FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_load_position(load text) RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_load_position';
COMMENT ON FUNCTION @extschema@.kg_load_position(text) IS
  'how far a load of the caller has come, {"batch", "position", "updated_at"}, or NULL; needs write access';

CREATE FUNCTION @extschema@.kg_load_batch(load text, batch bigint, "position" jsonb) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_load_batch';
COMMENT ON FUNCTION @extschema@.kg_load_batch(text, bigint, jsonb) IS
  'keep how far a load has come, in the transaction of its batch: the batch after the one that is kept, or 0 to begin; needs write access';
-- The Model Context Protocol (src/mcp.c, src/mcp).

-- What stands for a tenant on the notification channel is derived from this.
INSERT INTO @extschema@.kg_secret(name, secret)
  VALUES ('listen', pg_catalog.uuid_send(pg_catalog.gen_random_uuid()) || pg_catalog.uuid_send(pg_catalog.gen_random_uuid()));

CREATE FUNCTION @extschema@.kg_mcp(message jsonb, token text DEFAULT NULL, tenant text DEFAULT NULL) RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_mcp';
COMMENT ON FUNCTION @extschema@.kg_mcp(jsonb, text, text) IS
  'answer one JSON-RPC message of the Model Context Protocol; tenant is a routing key and must equal the verified one';

CREATE FUNCTION @extschema@.kg_mcp_authorized(message jsonb, token text, tenant text, decisions jsonb DEFAULT '[]', exchange text DEFAULT NULL) RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_mcp_authorized';
COMMENT ON FUNCTION @extschema@.kg_mcp_authorized(jsonb, text, text, jsonb, text) IS
  'kg_mcp() with decisions of another system; a tools/call may be answered with what is to be decided (kg_authorize) in place of a result';

CREATE FUNCTION @extschema@.kg_notify_gateways() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_notify_gateways';
COMMENT ON FUNCTION @extschema@.kg_notify_gateways() IS
  'statement trigger: notifies gateways at commit that lists of a tenant changed';

CREATE TRIGGER kg_mcp_inserted AFTER INSERT ON @extschema@.kg_bundle REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('resource');
CREATE TRIGGER kg_mcp_updated AFTER UPDATE ON @extschema@.kg_bundle REFERENCING OLD TABLE AS before NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('resource');
CREATE TRIGGER kg_mcp_deleted AFTER DELETE ON @extschema@.kg_bundle REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('resource');
CREATE TRIGGER kg_mcp_inserted AFTER INSERT ON @extschema@.kg_tool_version REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('tools');
CREATE TRIGGER kg_mcp_updated AFTER UPDATE ON @extschema@.kg_tool_version REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('tools');
CREATE TRIGGER kg_mcp_deleted AFTER DELETE ON @extschema@.kg_tool_version REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('tools');
CREATE TRIGGER kg_mcp_inserted AFTER INSERT ON @extschema@.kg_agent REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways();
CREATE TRIGGER kg_mcp_updated AFTER UPDATE ON @extschema@.kg_agent REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways();
CREATE TRIGGER kg_mcp_deleted AFTER DELETE ON @extschema@.kg_agent REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways();
CREATE TRIGGER kg_mcp_inserted AFTER INSERT ON @extschema@.kg_agent_bundle REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways();
CREATE TRIGGER kg_mcp_deleted AFTER DELETE ON @extschema@.kg_agent_bundle REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways();

-- Who was told of changes may be no more: gateways end the subscriptions, and clients make them again.
CREATE TRIGGER kg_mcp_access_deleted AFTER DELETE ON @extschema@.kg_agent REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('access');
CREATE TRIGGER kg_mcp_access_updated AFTER UPDATE ON @extschema@.kg_auth_key REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('access');
CREATE TRIGGER kg_mcp_access_deleted AFTER DELETE ON @extschema@.kg_auth_key REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('access');
CREATE TRIGGER kg_mcp_access_updated AFTER UPDATE ON @extschema@.kg_tenant_role REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('access');
CREATE TRIGGER kg_mcp_access_deleted AFTER DELETE ON @extschema@.kg_tenant_role REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('access');
CREATE TRIGGER kg_mcp_access_deleted AFTER DELETE ON @extschema@.kg_tenant REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_notify_gateways('access');
-- Tenants that nobody writes (src/catalog/tenant_state.c).

-- The columns after the second are always NULL: by the constraints that have them
-- pg_dump restores this table last, when everything that it would refuse is there.
CREATE TABLE @extschema@.kg_tenant_state (
  tenant       text COLLATE "C" PRIMARY KEY REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  state        text COLLATE "C" NOT NULL CHECK (state IN ('frozen', 'dropping')),
  since        timestamptz NOT NULL DEFAULT pg_catalog.now(),
  after_text   text COLLATE "C" CHECK (after_text IS NULL),
  after_number bigint CHECK (after_number IS NULL),
  after_bytes  bytea CHECK (after_bytes IS NULL),
  after_role   regrole CHECK (after_role IS NULL),
  CONSTRAINT kg_tenant_state_role_fkey FOREIGN KEY (tenant, after_role) REFERENCES @extschema@.kg_tenant_role,
  CONSTRAINT kg_tenant_state_edge_fkey FOREIGN KEY (tenant, after_number, after_number, after_text, after_number) REFERENCES @extschema@.kg_edge,
  CONSTRAINT kg_tenant_state_history_fkey FOREIGN KEY (tenant, after_number) REFERENCES @extschema@.kg_history,
  CONSTRAINT kg_tenant_state_tool_fkey FOREIGN KEY (tenant, after_text, after_bytes) REFERENCES @extschema@.kg_tool_version,
  CONSTRAINT kg_tenant_state_agent_fkey FOREIGN KEY (tenant, after_text, after_text) REFERENCES @extschema@.kg_agent_bundle,
  CONSTRAINT kg_tenant_state_limit_fkey FOREIGN KEY (tenant, after_text) REFERENCES @extschema@.kg_limit,
  CONSTRAINT kg_tenant_state_request_fkey FOREIGN KEY (tenant, after_text, after_text) REFERENCES @extschema@.kg_idempotency,
  CONSTRAINT kg_tenant_state_load_fkey FOREIGN KEY (tenant, after_text, after_text) REFERENCES @extschema@.kg_load
);
COMMENT ON TABLE @extschema@.kg_tenant_state IS 'tenants that are read and not written (frozen), and those whose data is being deleted (dropping); made by kg_freeze_tenant() and kg_drop_tenant()';

-- They refer to nothing: who deletes what they name need not look.
DO $$
DECLARE
  t record;
BEGIN
  FOR t IN SELECT g.tgname, g.tgrelid::pg_catalog.regclass AS name FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_constraint c ON c.oid = g.tgconstraint
            WHERE c.conrelid = '@extschema@.kg_tenant_state'::pg_catalog.regclass AND c.conname ~ '^kg_tenant_state_.*_fkey$' AND c.conname <> 'kg_tenant_state_tenant_fkey' LOOP
    EXECUTE pg_catalog.format('ALTER TABLE %s DISABLE TRIGGER %I', t.name, t.tgname);
  END LOOP;
END
$$;

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_tenant_state', '');

CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_tenant_state
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

ALTER TABLE @extschema@.kg_tenant_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_tenant_state FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_tenant_state_nobody ON @extschema@.kg_tenant_state FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_hold_tenant() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_hold_tenant';
COMMENT ON FUNCTION @extschema@.kg_hold_tenant() IS
  'row trigger: refuses what is written to a tenant that is frozen, and keeps it from being frozen until the transaction ends';

-- Entities and edges have it in the triggers that derive from them; what is derived,
-- and the history of what is written, come with those.
DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['kg_tenant', 'kg_tenant_role', 'kg_bundle', 'kg_entity_type', 'kg_relation', 'kg_tool', 'kg_tool_version',
    'kg_history', 'kg_auth_key', 'kg_agent', 'kg_agent_bundle', 'kg_limit', 'kg_idempotency', 'kg_load'] LOOP
    EXECUTE pg_catalog.format('CREATE TRIGGER kg_hold_tenant BEFORE %s ON @extschema@.%I FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_hold_tenant()',
      CASE WHEN t IN ('kg_tenant', 'kg_history') THEN 'UPDATE OR DELETE' ELSE 'INSERT OR UPDATE OR DELETE' END, t);
  END LOOP;
END
$$;

CREATE FUNCTION @extschema@.kg_freeze_tenant(tenant text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_freeze_tenant';
COMMENT ON FUNCTION @extschema@.kg_freeze_tenant(text) IS
  'let a tenant be read only, after its writers have finished, for whom it waits as long as lock_timeout; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_thaw_tenant(tenant text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_thaw_tenant';
COMMENT ON FUNCTION @extschema@.kg_thaw_tenant(text) IS
  'let a tenant that kg_freeze_tenant() froze be written again; for the owner of the extension';
-- Tenants as lines of JSON (src/store/tenant_export.c, src/store/tenant_import.c).

-- Which numbers are given here (kg_set_shard()); no row: those of shard 0.
CREATE TABLE @extschema@.kg_number_range (
  shard        integer PRIMARY KEY CHECK (shard BETWEEN 1 AND 2047)
);
COMMENT ON TABLE @extschema@.kg_number_range IS 'the database''s number among several that tenants move between: its nodes have numbers from shard * 2^40, its types and relations from shard * 2^20; made by kg_set_shard()';
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_number_range', '');

-- What has come of a tenant.  Nothing of it is the tenant's before all has come,
-- and what a crash takes is sent again.
CREATE UNLOGGED TABLE @extschema@.kg_import (
  tenant       text COLLATE "C" PRIMARY KEY,
  part         integer NOT NULL,
  lines        bigint NOT NULL,
  digest       bytea NOT NULL,
  head         jsonb NOT NULL,
  since        timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE @extschema@.kg_import IS 'tenants of which kg_import_tenant() has some parts, and not the last; for the owner only';
CREATE UNLOGGED TABLE @extschema@.kg_import_row (
  tenant       text COLLATE "C" NOT NULL,
  "table"      text COLLATE "C" NOT NULL,
  line         bigint NOT NULL,
  "row"        jsonb NOT NULL,
  PRIMARY KEY (tenant, "table", line)
);
COMMENT ON TABLE @extschema@.kg_import_row IS 'their rows; for the owner only';
CREATE UNLOGGED TABLE @extschema@.kg_import_number (
  tenant       text COLLATE "C" NOT NULL,
  kind         "char" NOT NULL CHECK (kind IN ('n', 't', 'r')),
  first        bigint NOT NULL,
  last         bigint NOT NULL,
  becomes      bigint NOT NULL,
  PRIMARY KEY (tenant, kind, first)
);
COMMENT ON TABLE @extschema@.kg_import_number IS 'the numbers that nodes, types and relations of a tenant had and have, in runs; empty but while it is imported';

ALTER TABLE @extschema@.kg_number_range ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_number_range FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_import ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_import FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_import_row ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_import_row FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_import_number ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_import_number FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_number_range_nobody ON @extschema@.kg_number_range FOR ALL
  USING (false);
CREATE POLICY kg_import_nobody ON @extschema@.kg_import FOR ALL
  USING (false);
CREATE POLICY kg_import_row_nobody ON @extschema@.kg_import_row FOR ALL
  USING (false);
CREATE POLICY kg_import_number_nobody ON @extschema@.kg_import_number FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_set_shard(shard integer) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_set_shard';
COMMENT ON FUNCTION @extschema@.kg_set_shard(integer) IS
  'give a database without tenants a range of numbers of its own, 1 to 2047, so that tenants keep theirs when they move; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_export_tenant(tenant text, options jsonb DEFAULT '{}') RETURNS SETOF text
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  SET TimeZone = 'UTC' SET bytea_output = hex SET extra_float_digits = 1
  AS 'MODULE_PATHNAME', 'kg_sql_export_tenant';
COMMENT ON FUNCTION @extschema@.kg_export_tenant(text, jsonb) IS
  'all of a tenant as lines of JSON, as kg_import_tenant() takes them; option secrets; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_import_tenant(lines text[], options jsonb DEFAULT '{}', part integer DEFAULT 1) RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  SET TimeZone = 'UTC'
  AS 'MODULE_PATHNAME', 'kg_sql_import_tenant';
COMMENT ON FUNCTION @extschema@.kg_import_tenant(text[], jsonb, integer) IS
  'make a tenant of what kg_export_tenant() gave, in parts of which the last makes it; options name, frozen, create_roles, without_policies; for the owner of the extension';
-- Views of a tenant (src/views.c, src/store/views.c): columns, what the planner is
-- told of filters on them, and the functions that make them.

-- Whatever a document is, they raise nothing: so a join by a reference may use
-- the index of what it refers to.

CREATE FUNCTION @extschema@.kg_column_text(data jsonb, property text) RETURNS text
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_text(jsonb, text) IS
  'a property of a document as a column; NULL where it is none of its type';

CREATE FUNCTION @extschema@.kg_column_text_array(data jsonb, property text) RETURNS text[]
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_text_array(jsonb, text) IS
  'a property of a document as a column: an array, with NULL for an item that is not of its type';

CREATE FUNCTION @extschema@.kg_column_bigint(data jsonb, property text) RETURNS bigint
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_bigint(jsonb, text) IS
  'a property of a document as a column; NULL where it is none of its type';

CREATE FUNCTION @extschema@.kg_column_bigint_array(data jsonb, property text) RETURNS bigint[]
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_bigint_array(jsonb, text) IS
  'a property of a document as a column: an array, with NULL for an item that is not of its type';

CREATE FUNCTION @extschema@.kg_column_numeric(data jsonb, property text) RETURNS numeric
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_numeric(jsonb, text) IS
  'a property of a document as a column; NULL where it is none of its type';

CREATE FUNCTION @extschema@.kg_column_numeric_array(data jsonb, property text) RETURNS numeric[]
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_numeric_array(jsonb, text) IS
  'a property of a document as a column: an array, with NULL for an item that is not of its type';

CREATE FUNCTION @extschema@.kg_column_boolean(data jsonb, property text) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_boolean(jsonb, text) IS
  'a property of a document as a column; NULL where it is none of its type';

CREATE FUNCTION @extschema@.kg_column_boolean_array(data jsonb, property text) RETURNS boolean[]
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_boolean_array(jsonb, text) IS
  'a property of a document as a column: an array, with NULL for an item that is not of its type';

CREATE FUNCTION @extschema@.kg_column_date(data jsonb, property text) RETURNS date
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_date(jsonb, text) IS
  'a property of a document as a column; NULL where it is none of its type';

CREATE FUNCTION @extschema@.kg_column_date_array(data jsonb, property text) RETURNS date[]
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_date_array(jsonb, text) IS
  'a property of a document as a column: an array, with NULL for an item that is not of its type';

CREATE FUNCTION @extschema@.kg_column_timestamptz(data jsonb, property text) RETURNS timestamptz
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_timestamptz(jsonb, text) IS
  'a property of a document as a column; NULL where it is none of its type';

CREATE FUNCTION @extschema@.kg_column_timestamptz_array(data jsonb, property text) RETURNS timestamptz[]
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_timestamptz_array(jsonb, text) IS
  'a property of a document as a column: an array, with NULL for an item that is not of its type';

CREATE FUNCTION @extschema@.kg_column_jsonb(data jsonb, property text) RETURNS jsonb
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_jsonb(jsonb, text) IS
  'a property of a document as a column; NULL where it is missing or null';

CREATE FUNCTION @extschema@.kg_view_support(request internal) RETURNS internal
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_view_support';
COMMENT ON FUNCTION @extschema@.kg_view_support(internal) IS
  'what the planner asks about kg_view_row() and kg_view_nodes()';

-- It looks at nothing, so it tells nothing; a worker, which does not know who calls,
-- reads no view.
CREATE FUNCTION @extschema@.kg_view_row(node bigint, kind text, bundle text, of text, made text) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL RESTRICTED COST 0.1
  SUPPORT @extschema@.kg_view_support
  AS 'MODULE_PATHNAME', 'kg_sql_view_row';
COMMENT ON FUNCTION @extschema@.kg_view_row(bigint, text, text, text, text) IS
  'true; says in a view what it is of, and lets the planner find its rows by keys';

-- It reads, under the statement's snapshot; were it STABLE, the planner would run
-- it to see how many nodes it answers.
CREATE FUNCTION @extschema@.kg_view_nodes(bundle text, entity_type text, property text, test text, value jsonb, other_test text DEFAULT NULL, other_value jsonb DEFAULT NULL) RETURNS bigint[]
  LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 1000
  SUPPORT @extschema@.kg_view_support
  AS 'MODULE_PATHNAME', 'kg_sql_view_nodes';
COMMENT ON FUNCTION @extschema@.kg_view_nodes(text, text, text, text, jsonb, text, jsonb) IS
  'the entities that a filter on a view''s column can be about, of those that the caller may see; what the planner puts into its statements';

CREATE FUNCTION @extschema@.kg_view_edges(node bigint, relation integer) RETURNS TABLE (target bigint, properties jsonb)
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED ROWS 10 COST 100
  AS 'MODULE_PATHNAME', 'kg_sql_view_edges';
COMMENT ON FUNCTION @extschema@.kg_view_edges(bigint, integer) IS
  'the edges of a relation that leave a node, whose both ends the caller may see; for views, where kg_edge shows none';

CREATE FUNCTION @extschema@.kg_create_views(schema text DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_create_views';
COMMENT ON FUNCTION @extschema@.kg_create_views(text, jsonb) IS
  'make a view of each type and relation of the tenant, in a schema of the caller''s; option dry_run';

CREATE FUNCTION @extschema@.kg_refresh_views(schema text DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_refresh_views';
COMMENT ON FUNCTION @extschema@.kg_refresh_views(text, jsonb) IS
  'bring the caller''s views of the tenant to what its types and relations are now; option dry_run';
-- Triggers.  Their functions take the tenant from the row, never from the session.

CREATE TRIGGER kg_catalog_changed AFTER UPDATE ON @extschema@.kg_tenant
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_tenant_role
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();
CREATE TRIGGER kg_tenant_role_check BEFORE INSERT OR UPDATE ON @extschema@.kg_tenant_role
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_check_tenant_role();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.kg_bundle
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();
CREATE TRIGGER kg_catalog_emptied AFTER TRUNCATE ON @extschema@.kg_bundle
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.kg_entity_type
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_invalidate_catalog('bundle');
CREATE TRIGGER kg_catalog_emptied AFTER TRUNCATE ON @extschema@.kg_entity_type
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.kg_relation
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_invalidate_catalog('bundle');
CREATE TRIGGER kg_catalog_emptied AFTER TRUNCATE ON @extschema@.kg_relation
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.kg_tool
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_invalidate_catalog('bundle');
CREATE TRIGGER kg_catalog_emptied AFTER TRUNCATE ON @extschema@.kg_tool
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

CREATE TRIGGER kg_entity_before BEFORE INSERT OR UPDATE ON @extschema@.kg_entity
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_check_entity();
CREATE TRIGGER kg_entity_inserted AFTER INSERT ON @extschema@.kg_entity
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_derive_entities();
CREATE TRIGGER kg_entity_updated AFTER UPDATE ON @extschema@.kg_entity
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_derive_entities();
CREATE TRIGGER kg_entity_deleted AFTER DELETE ON @extschema@.kg_entity
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_derive_entities();
CREATE TRIGGER kg_no_truncate BEFORE TRUNCATE ON @extschema@.kg_entity
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_refuse_truncate();
CREATE TRIGGER kg_no_truncate BEFORE TRUNCATE ON @extschema@.kg_edge
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_refuse_truncate();
CREATE CONSTRAINT TRIGGER kg_references AFTER INSERT ON @extschema@.kg_pending_reference
  DEFERRABLE INITIALLY IMMEDIATE
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_check_references();

-- A packed row must never outlive the edges that it stands for.
CREATE TRIGGER kg_packed_inserted AFTER INSERT ON @extschema@.kg_edge
  REFERENCING NEW TABLE AS new_edges
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_clear_packed();
CREATE TRIGGER kg_packed_updated AFTER UPDATE ON @extschema@.kg_edge
  REFERENCING OLD TABLE AS old_edges NEW TABLE AS new_edges
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_clear_packed();
CREATE TRIGGER kg_packed_deleted AFTER DELETE ON @extschema@.kg_edge
  REFERENCING OLD TABLE AS old_edges
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_clear_packed();
CREATE TRIGGER kg_edge_inserted AFTER INSERT ON @extschema@.kg_edge
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_check_edges();
CREATE TRIGGER kg_edge_updated AFTER UPDATE ON @extschema@.kg_edge
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_check_edges();
CREATE TRIGGER kg_edge_deleted AFTER DELETE ON @extschema@.kg_edge
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_check_edges();


-- Also under session_replication_role = replica: nothing is stored that was not
-- looked at, what is derived follows, and open sessions hear of what changed.
DO $$
DECLARE
  t record;
BEGIN
  FOR t IN SELECT tgname, tgrelid::pg_catalog.regclass AS name FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = tgrelid
            WHERE c.relnamespace = '@extschema@'::pg_catalog.regnamespace AND tgname ~ '^kg_' AND NOT tgisinternal LOOP
    EXECUTE pg_catalog.format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', t.name, t.tgname);
  END LOOP;
END
$$;

-- A subscriber's worker fires no statement triggers: nothing would be derived.
DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['kg_tenant', 'kg_tenant_role', 'kg_bundle', 'kg_entity_type', 'kg_relation', 'kg_entity', 'kg_edge',
    'kg_tool', 'kg_tool_version', 'kg_history', 'kg_freed', 'kg_freed_type', 'kg_auth_key', 'kg_agent', 'kg_agent_bundle', 'kg_policy', 'kg_limit'] LOOP
    EXECUTE pg_catalog.format('CREATE TRIGGER kg_no_replication BEFORE INSERT OR UPDATE OR DELETE ON @extschema@.%I FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_refuse_replication()', t);
    EXECUTE pg_catalog.format('ALTER TABLE @extschema@.%I ENABLE REPLICA TRIGGER kg_no_replication', t);
  END LOOP;
END
$$;
-- Is everything as it should be (src/health.c)?

CREATE FUNCTION @extschema@.kg_health() RETURNS jsonb
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_health';
COMMENT ON FUNCTION @extschema@.kg_health() IS
  'status, version and components with metrics, at once; all to the owner and to gateways, of its own tenant to everybody else';

CREATE FUNCTION @extschema@.kg_check(options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check';
COMMENT ON FUNCTION @extschema@.kg_check(jsonb) IS
  'derive every row anew and compare, and look at tables, grants and policies; what differs, with its repair; options repair, limit, tenant; the owner for all, admins for their tenant';
-- Who called what (src/auth/audit.c).  A DBA makes partitions by month
-- (docs/operations.md); what has none is in kg_audit_rest.

CREATE SEQUENCE @extschema@.kg_audit_seq CACHE 64;
CREATE TABLE @extschema@.kg_audit (
  tenant         text COLLATE "C" NOT NULL,
  at             timestamptz NOT NULL,
  id             bigint NOT NULL DEFAULT pg_catalog.nextval('@extschema@.kg_audit_seq'),
  role           text COLLATE "C",
  subject        text,
  agent          text COLLATE "C",
  session        text COLLATE "C",
  tool           text COLLATE "C" NOT NULL,
  version        text,
  arguments      jsonb,
  arguments_hash text COLLATE "C",
  rows           bigint,
  bytes          bigint,
  edges          bigint,
  decisions      bigint,
  ms             double precision,
  code           text COLLATE "C",
  query          jsonb,
  sql            jsonb
) PARTITION BY RANGE (at);
COMMENT ON TABLE @extschema@.kg_audit IS 'calls that kg_graph.audit had recorded here; admins read those of their tenant';
COMMENT ON COLUMN @extschema@.kg_audit.tenant IS 'empty: the caller had none';
COMMENT ON COLUMN @extschema@.kg_audit.arguments_hash IS 'SHA-256 of the arguments in their binary form: the same for the same arguments';
-- Each partition has its own key: one of kg_audit would be made twice where a dump
-- is restored.
CREATE TABLE @extschema@.kg_audit_rest PARTITION OF @extschema@.kg_audit (PRIMARY KEY (tenant, at, id)) DEFAULT;
COMMENT ON TABLE @extschema@.kg_audit_rest IS 'rows of kg_audit for which a DBA made no partition';

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_audit_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_audit', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_audit_rest', '');

ALTER TABLE @extschema@.kg_audit ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_audit FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_audit_rest ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_audit_rest FORCE ROW LEVEL SECURITY;
-- Arguments may name what a scope or an agent hides.
CREATE POLICY kg_audit_select ON @extschema@.kg_audit FOR SELECT
  USING (tenant = @extschema@.kg_derived_tenant('admin'));
CREATE POLICY kg_audit_rest_select ON @extschema@.kg_audit_rest FOR SELECT
  USING (tenant = @extschema@.kg_derived_tenant('admin'));

CREATE FUNCTION @extschema@.kg_stat_tools(since interval DEFAULT '1 day')
    RETURNS TABLE (tool text, calls bigint, errors jsonb, p50 double precision, p95 double precision, p99 double precision, rows bigint, bytes bigint)
  LANGUAGE sql STABLE STRICT PARALLEL RESTRICTED
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  WITH call AS (SELECT a.tool, a.code, a.ms, a.rows, a.bytes FROM @extschema@.kg_audit a WHERE a.at >= now() - $1)
  SELECT c.tool, count(*),
         coalesce((SELECT jsonb_object_agg(e.code, e.n) FROM (SELECT x.code, count(*) AS n FROM call x WHERE x.tool = c.tool AND x.code IS NOT NULL GROUP BY x.code) e), '{}'),
         round(percentile_cont(0.5) WITHIN GROUP (ORDER BY c.ms)::numeric, 3)::double precision, round(percentile_cont(0.95) WITHIN GROUP (ORDER BY c.ms)::numeric, 3)::double precision,
         round(percentile_cont(0.99) WITHIN GROUP (ORDER BY c.ms)::numeric, 3)::double precision,
         sum(c.rows)::bigint, sum(c.bytes)::bigint
    FROM call c GROUP BY c.tool ORDER BY c.tool;
END;
COMMENT ON FUNCTION @extschema@.kg_stat_tools(interval) IS
  'calls, errors by code, milliseconds, rows and bytes of each tool since so long ago, from kg_audit; of the caller''s tenant, for its admins';
-- History: who reads it (src/history.c, src/query/history.c).

ALTER TABLE @extschema@.kg_history ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_history FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_freed ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_freed FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_freed_type ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_freed_type FORCE ROW LEVEL SECURITY;

CREATE FUNCTION @extschema@.kg_change_visible(bundle text, type_no integer, entity_id text, change bigint,
    before jsonb, after jsonb) RETURNS boolean
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_change_visible';
COMMENT ON FUNCTION @extschema@.kg_change_visible(text, integer, text, bigint, jsonb, jsonb) IS
  'whether the caller may see both images of a change, as kg_entity_visible() would say of an entity';

CREATE POLICY kg_history_select ON @extschema@.kg_history FOR SELECT
  USING (tenant = @extschema@.kg_derived_tenant()
    AND @extschema@.kg_change_visible(bundle, type_no, entity_id, change, before, after));
CREATE POLICY kg_freed_nobody ON @extschema@.kg_freed FOR ALL
  USING (false);
CREATE POLICY kg_freed_type_nobody ON @extschema@.kg_freed_type FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_history(entity_type text, id text, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_history';
COMMENT ON FUNCTION @extschema@.kg_history(text, text, jsonb) IS
  'what was done to an entity, the newest first; options limit, cursor, max_bytes';

CREATE FUNCTION @extschema@.kg_history(relation text, edge jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_edge_history';
COMMENT ON FUNCTION @extschema@.kg_history(text, jsonb, jsonb) IS
  'what was done to the edges of a relation between two entities, {from, to}, or {from, to, key}, the newest first; options limit, cursor, max_bytes';

CREATE FUNCTION @extschema@.kg_past("table" text) RETURNS SETOF record
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED ROWS 100
  AS 'MODULE_PATHNAME', 'kg_sql_past';
COMMENT ON FUNCTION @extschema@.kg_past(text) IS
  'for the statements of tools: rows that a table had at the time that the call asks for, where others are by now';

CREATE FUNCTION @extschema@.kg_past("table" text, node bigint) RETURNS SETOF record
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED ROWS 1
  AS 'MODULE_PATHNAME', 'kg_sql_past_of_node';
COMMENT ON FUNCTION @extschema@.kg_past(text, bigint) IS
  'the same of one entity';

CREATE FUNCTION @extschema@.kg_past("table" text, nodes bigint[]) RETURNS SETOF record
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED ROWS 100
  AS 'MODULE_PATHNAME', 'kg_sql_past_of_nodes';
COMMENT ON FUNCTION @extschema@.kg_past(text, bigint[]) IS
  'the same of some entities';

CREATE FUNCTION @extschema@.kg_past("table" text, type_no integer, field_no integer) RETURNS SETOF record
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED ROWS 100
  AS 'MODULE_PATHNAME', 'kg_sql_past_of_field';
COMMENT ON FUNCTION @extschema@.kg_past(text, integer, integer) IS
  'the same of the keys of a field';

CREATE FUNCTION @extschema@.kg_past_keeps(stands boolean, node bigint) RETURNS boolean
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_past_keeps_node';
COMMENT ON FUNCTION @extschema@.kg_past_keeps(boolean, bigint) IS
  'for the statements of tools: whether what is stored of an entity was so at the time that the call asks for';

CREATE FUNCTION @extschema@.kg_past_keeps(stands boolean, source bigint, relation_no integer, key text, target bigint) RETURNS boolean
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_past_keeps_edge';
COMMENT ON FUNCTION @extschema@.kg_past_keeps(boolean, bigint, integer, text, bigint) IS
  'the same of an edge';

CREATE FUNCTION @extschema@.kg_revert(changes jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_revert';
COMMENT ON FUNCTION @extschema@.kg_revert(jsonb, jsonb) IS
  'undo changes that kg_history() tells of: a number, an array, or {"transaction": number}; options dry_run, reason; needs write access';

CREATE FUNCTION @extschema@.kg_prune_history(before timestamptz) RETURNS bigint
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_prune_history';
COMMENT ON FUNCTION @extschema@.kg_prune_history(timestamptz) IS
  'forget the changes of the caller''s tenant before a time; how many; needs admin access';
-- Row-level security.  Every table is forced; a policy is one comparison with a
-- leakproof operator and never an OR, so that it becomes an index condition.
-- What the caller's agent and scope paths hide is asked of a C function that
-- answers from memory; of derived tables, which whoever lacks an entity may not
-- read, it is the tenant that they are compared with.
-- Derived and catalog tables have no policy for writing: only the owner writes them.

ALTER TABLE @extschema@.kg_tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_tenant FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_tenant_role ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_tenant_role FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_role ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_role FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_bundle ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_bundle FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_entity_type ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_entity_type FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_relation ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_relation FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_entity ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_entity FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_edge ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_edge FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_adjacency ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_adjacency FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_index_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_index_key FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_unique_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_unique_key FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_term ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_term FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_word ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_word FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_word_count ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_word_count FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_trigram ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_trigram FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_tool ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_tool FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_pending_reference ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_pending_reference FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_secret ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_secret FORCE ROW LEVEL SECURITY;

CREATE POLICY kg_tenant_select ON @extschema@.kg_tenant FOR SELECT
  USING (tenant = @extschema@.kg_tenant());
CREATE POLICY kg_tenant_role_select ON @extschema@.kg_tenant_role FOR SELECT
  USING (tenant = @extschema@.kg_tenant('admin'));
CREATE POLICY kg_bundle_select ON @extschema@.kg_bundle FOR SELECT
  USING (tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
CREATE POLICY kg_entity_type_select ON @extschema@.kg_entity_type FOR SELECT
  USING (tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
CREATE POLICY kg_relation_select ON @extschema@.kg_relation FOR SELECT
  USING (tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
CREATE POLICY kg_agent_bundle_select ON @extschema@.kg_agent_bundle FOR SELECT
  USING (tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
CREATE POLICY kg_entity_select ON @extschema@.kg_entity FOR SELECT
  USING (tenant = @extschema@.kg_tenant() AND @extschema@.kg_entity_visible(bundle, scope, type_no, node, entity_id, data));
CREATE POLICY kg_edge_select ON @extschema@.kg_edge FOR SELECT
  USING (tenant = @extschema@.kg_derived_tenant());
CREATE POLICY kg_adjacency_select ON @extschema@.kg_adjacency FOR SELECT
  USING (tenant = @extschema@.kg_packed_tenant());
CREATE POLICY kg_index_key_select ON @extschema@.kg_index_key FOR SELECT
  USING (tenant = @extschema@.kg_derived_tenant());
CREATE POLICY kg_unique_key_select ON @extschema@.kg_unique_key FOR SELECT
  USING (tenant = @extschema@.kg_derived_tenant());
CREATE POLICY kg_term_select ON @extschema@.kg_term FOR SELECT
  USING (tenant = @extschema@.kg_derived_tenant());
CREATE POLICY kg_word_select ON @extschema@.kg_word FOR SELECT
  USING (tenant = @extschema@.kg_derived_tenant());
CREATE POLICY kg_word_count_select ON @extschema@.kg_word_count FOR SELECT
  USING (tenant = @extschema@.kg_derived_tenant());
CREATE POLICY kg_trigram_select ON @extschema@.kg_trigram FOR SELECT
  USING (tenant = @extschema@.kg_derived_tenant());
CREATE POLICY kg_tool_select ON @extschema@.kg_tool FOR SELECT
  USING (tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
CREATE POLICY kg_pending_reference_select ON @extschema@.kg_pending_reference FOR SELECT
  USING (tenant = @extschema@.kg_tenant());
CREATE POLICY kg_secret_nobody ON @extschema@.kg_secret FOR ALL
  USING (false);
CREATE POLICY kg_role_nobody ON @extschema@.kg_role FOR ALL
  USING (false);
CREATE POLICY kg_entity_insert ON @extschema@.kg_entity FOR INSERT
  WITH CHECK (tenant = @extschema@.kg_tenant('write') AND @extschema@.kg_entity_visible(bundle, scope));
CREATE POLICY kg_entity_update ON @extschema@.kg_entity FOR UPDATE
  USING (tenant = @extschema@.kg_tenant('write') AND @extschema@.kg_entity_visible(bundle, scope, type_no, node, entity_id, data))
  WITH CHECK (tenant = @extschema@.kg_tenant('write') AND @extschema@.kg_entity_visible(bundle, scope));
CREATE POLICY kg_entity_delete ON @extschema@.kg_entity FOR DELETE
  USING (tenant = @extschema@.kg_tenant('write') AND @extschema@.kg_entity_visible(bundle, scope, type_no, node, entity_id, data));
-- A derived edge (property set) is written by the maintenance of references only.
CREATE POLICY kg_edge_insert ON @extschema@.kg_edge FOR INSERT
  WITH CHECK (tenant = @extschema@.kg_derived_tenant('write') AND property IS NULL);
CREATE POLICY kg_edge_update ON @extschema@.kg_edge FOR UPDATE
  USING (tenant = @extschema@.kg_derived_tenant('write') AND property IS NULL)
  WITH CHECK (tenant = @extschema@.kg_derived_tenant('write') AND property IS NULL);
CREATE POLICY kg_edge_delete ON @extschema@.kg_edge FOR DELETE
  USING (tenant = @extschema@.kg_derived_tenant('write') AND property IS NULL);

-- Privileges.  Tools are for everybody: they run as the caller and say NO_TENANT
-- to who has none.  Granting and agents check the caller's access themselves.

DO $$
DECLARE
  f regprocedure;
BEGIN
  FOR f IN
    SELECT p.oid FROM pg_catalog.pg_proc p
      JOIN pg_catalog.pg_depend d ON d.objid = p.oid
       AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
       AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
      JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid AND e.extname = 'kg_graph'
     WHERE d.deptype = 'e'
       AND (p.prorettype = 'pg_catalog.trigger'::pg_catalog.regtype
            OR p.proname = ANY (ARRAY['kg_create_tenant', 'kg_drop_tenant', 'kg_freeze_tenant', 'kg_thaw_tenant', 'kg_export_tenant',
                                       'kg_import_tenant', 'kg_set_shard', 'kg_explain']))
  LOOP
    EXECUTE pg_catalog.format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
  END LOOP;
END
$$;

-- The last part: what this script made on our tables (sql/48_policies.sql).
INSERT INTO @extschema@.kg_manifest(on_table, kind, name, major, definition)
SELECT d.on_table, d.kind, d.name, pg_catalog.current_setting('server_version_num')::integer / 10000, @extschema@.kg_manifest_text(d.definition)
  FROM (SELECT place, kind, on_table, name, definition FROM @extschema@.kg_definitions() UNION ALL SELECT * FROM @extschema@.kg_table_settings()) d;
