-- Tables.  The tenant is the first column of every primary key, except in
-- kg_index_key and kg_adjacency, whose keys begin with numbers. Names are compared
-- by bytes (COLLATE "C"), so that a B-tree supports them with leakproof operators
-- under row-level security.

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
COMMENT ON COLUMN @extschema@.kg_tenant.authorizer IS 'function that decides which entities of types with x-authorize a caller sees; set by kg_set_authorizer()';

CREATE TABLE @extschema@.kg_tenant_role (
  tenant      text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  role        regrole NOT NULL,
  role_name   text COLLATE "C" NOT NULL,
  access      text COLLATE "C" NOT NULL CHECK (access IN ('read', 'write', 'admin')),
  PRIMARY KEY (tenant, role)
);
COMMENT ON COLUMN @extschema@.kg_tenant_role.role_name IS 'name of the role at the time of the grant; the grant is valid only while one role has this number and this name';
COMMENT ON TABLE @extschema@.kg_tenant_role IS 'grants: the tenants for which a role may act; made by kg_grant()';
CREATE INDEX kg_tenant_role_role_idx ON @extschema@.kg_tenant_role (role);

CREATE TABLE @extschema@.kg_role (
  role        regrole PRIMARY KEY,
  gateway     boolean NOT NULL DEFAULT false,
  exchange    boolean NOT NULL DEFAULT false,
  given       text[] COLLATE "C" NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE @extschema@.kg_role IS 'privileges that kg_grant() and kg_grant_gateway() gave to roles, and which are taken back when no grant needs them; for the owner only';
COMMENT ON COLUMN @extschema@.kg_role.gateway IS 'whether kg_grant_gateway() made the role a gateway';
COMMENT ON COLUMN @extschema@.kg_role.exchange IS 'whether the role may call kg_call_authorized()';

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
COMMENT ON TABLE @extschema@.kg_bundle IS 'named, versioned sets of entity types, relations and entities; written by kg_apply_bundle()';

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
COMMENT ON TABLE @extschema@.kg_entity_type IS 'entity types; each has a JSON Schema with x-* annotations';
COMMENT ON COLUMN @extschema@.kg_entity_type.key_fields IS
  'present and former x-index properties of the type; the n-th has field_no n in kg_index_key, or n + 32768 if it counts edges (x-derived)';
COMMENT ON COLUMN @extschema@.kg_entity_type.type_no IS 'number of the type in kg_entity, kg_index_key and kg_term';

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
COMMENT ON TABLE @extschema@.kg_relation IS 'relations; a row is a variant, with a source type and a target type; property names the x-ref of a derived relation, and is NULL for a declared one';
COMMENT ON COLUMN @extschema@.kg_relation.relation_no IS 'number of the relation in kg_edge; all variants of a relation of a bundle have the same number';
COMMENT ON COLUMN @extschema@.kg_relation.key IS 'property of the edges that distinguishes parallel edges, or NULL';

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
COMMENT ON TABLE @extschema@.kg_entity IS 'entities; a trigger validates data against the schema of the type and fills the columns that are derived from data';
COMMENT ON COLUMN @extschema@.kg_entity.index_keys IS
  'the keys of the entity in kg_index_key, except counts of edges, packed into one value; kg_packed_key() reads them';
-- The node is the first column: few other tenants, if any, have the same number. A
-- page of a list descends this index once for each entity. With the tenant first, a
-- text that all entities of a tenant share, comparing it would take half of that
-- time. A scan of all entities of a tenant uses the primary key.
CREATE UNIQUE INDEX kg_entity_node_idx ON @extschema@.kg_entity (node, tenant)
  INCLUDE (type_no, entity_id);

-- The column key stands before target, which is aligned to 8 bytes. There, an empty
-- key needs no additional space.
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
COMMENT ON TABLE @extschema@.kg_edge IS 'edges between nodes; property names the x-ref from which the edge is derived, and is NULL for an explicit edge';
COMMENT ON COLUMN @extschema@.kg_edge.key IS 'value of the relation''s key property, as text; empty if the relation has no key property';
CREATE INDEX kg_edge_target_idx ON @extschema@.kg_edge (tenant, target, relation_no, source);

-- The edges of 32 nodes with consecutive numbers, packed (src/model/adjacency.h).
-- The edges of a node whose bit is not set are read from kg_edge. Dumps omit this
-- table, because kg_pack() makes it again. A hop descends the index hundreds of
-- times. The primary key begins with a bigint, because most comparisons then compare
-- only numbers.
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
COMMENT ON TABLE @extschema@.kg_adjacency IS 'edges of up to 32 nodes, packed into two values; made by kg_pack(); a change of an edge clears the bits of its nodes; derived';
COMMENT ON COLUMN @extschema@.kg_adjacency.block IS 'n > 0: the nodes 32 n - 31 to 32 n; n < 0: the node -n, which has many edges; 0: a row that each packing writes';
COMMENT ON COLUMN @extschema@.kg_adjacency.nodes IS 'a bit for each node of the block, the lowest bit for the first; if it is set, the edges of the node are packed';
COMMENT ON COLUMN @extschema@.kg_adjacency.alone IS 'a bit for each node of the block; if it is set here and in nodes, the edges of the node are packed in a row of their own';

-- The primary key begins with the number of the type, which belongs to one tenant.
-- Each entity writes about three rows here, and numbers are compared in a third of
-- the time of texts. The key includes the node, because one statement can delete an
-- entity and insert another one with its id. The rows of the new entity may be
-- written first.
CREATE TABLE @extschema@.kg_index_key (
  tenant       text COLLATE "C" NOT NULL,
  type_no      integer NOT NULL,
  field_no     integer NOT NULL,
  key          bytea NOT NULL,
  entity_id    text COLLATE "C" NOT NULL,
  node         bigint NOT NULL,
  PRIMARY KEY (type_no, field_no, key, entity_id, tenant, node)
);
COMMENT ON TABLE @extschema@.kg_index_key IS 'order-preserving keys, a row for each entity, x-index property and value; derived';
-- Fields that count edges have numbers from 32768 (src/model/counted.h). Their keys
-- are not in kg_entity.index_keys, so this index finds the rows of a node.
CREATE INDEX kg_index_key_counted_idx ON @extschema@.kg_index_key (tenant, node, field_no) WHERE field_no >= 32768;

CREATE TABLE @extschema@.kg_term (
  tenant       text COLLATE "C" NOT NULL,
  term         text COLLATE "C" NOT NULL,
  kind         "char" NOT NULL,
  type_no      integer NOT NULL,
  node         bigint NOT NULL,
  PRIMARY KEY (tenant, term, kind, type_no, node)
);
COMMENT ON TABLE @extschema@.kg_term IS 'search terms; kind l: label, a: alias, i: whole id in folded form, if that differs from the id, t: token; derived';
CREATE INDEX kg_term_node_idx ON @extschema@.kg_term (tenant, node);

-- How often a text contains a word, and how many words the text has. The key begins
-- with tenant and word, so that an index-only scan reads the rows of a word in
-- sequence.
CREATE TABLE @extschema@.kg_word (
  tenant       text COLLATE "C" NOT NULL,
  word         text COLLATE "C" NOT NULL,
  type_no      integer NOT NULL,
  node         bigint NOT NULL,
  frequency    integer NOT NULL,
  length       integer NOT NULL,
  PRIMARY KEY (tenant, word, type_no, node) INCLUDE (frequency, length)
);
COMMENT ON TABLE @extschema@.kg_word IS 'folded words of x-search properties; frequency: how often the entity has the word; length: number of words of the entity; derived';
CREATE INDEX kg_word_node_idx ON @extschema@.kg_word (tenant, node);

-- The number of texts that contain a word, as a sum over rows. Each backend has a
-- row of its own, so that backends that write common words do not wait for each
-- other.
CREATE TABLE @extschema@.kg_word_count (
  tenant       text COLLATE "C" NOT NULL,
  word         text COLLATE "C" NOT NULL,
  slot         integer NOT NULL,
  documents    bigint NOT NULL,
  length       bigint NOT NULL,
  PRIMARY KEY (tenant, word, slot)
);
COMMENT ON TABLE @extschema@.kg_word_count IS 'number of entities that have a word of kg_word, summed over slots; the empty word counts all entities and, in length, their words; derived';

-- The primary key guarantees that a value is unique, also among concurrent
-- transactions.
CREATE TABLE @extschema@.kg_unique_key (
  tenant       text COLLATE "C" NOT NULL,
  type_no      integer NOT NULL,
  field        text COLLATE "C" NOT NULL,
  key          bytea NOT NULL,
  node         bigint NOT NULL,
  PRIMARY KEY (tenant, type_no, field, key)
);
COMMENT ON TABLE @extschema@.kg_unique_key IS 'unique values of the properties that an x-ref-field names, and the entity that has the value; derived';
CREATE INDEX kg_unique_key_node_idx ON @extschema@.kg_unique_key (tenant, node);

CREATE TABLE @extschema@.kg_trigram (
  tenant       text COLLATE "C" NOT NULL,
  trigram      text COLLATE "C" NOT NULL,
  term         text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, trigram, term)
);
COMMENT ON TABLE @extschema@.kg_trigram IS 'pieces of names and words, with the length of the name and the position of the piece (:8:1:pha); also trigrams of words and their last one and two letters; derived from kg_term';

CREATE TABLE @extschema@.kg_tool (
  tenant       text COLLATE "C" NOT NULL,
  tool         text COLLATE "C" NOT NULL CHECK (pg_catalog.length(tool) <= 64),
  bundle       text COLLATE "C",
  entity_type  text COLLATE "C",
  operation    text COLLATE "C" NOT NULL CHECK (operation IN ('list', 'get', 'list_ids', 'create', 'update', 'delete', 'merge', 'link', 'unlink', 'history', 'registered', 'alias')),
  relation     text COLLATE "C" CHECK (operation IN ('registered', 'alias') OR (relation IS NULL) <> (entity_type IS NULL)),
  canonical    text COLLATE "C" CHECK ((canonical IS NULL) = (operation <> 'alias')),
  PRIMARY KEY (tenant, tool),
  FOREIGN KEY (tenant, bundle) REFERENCES @extschema@.kg_bundle ON DELETE CASCADE,
  FOREIGN KEY (tenant, bundle, entity_type) REFERENCES @extschema@.kg_entity_type ON DELETE CASCADE
);
COMMENT ON TABLE @extschema@.kg_tool IS 'names of generated tools, of registered tools (kg_tool_version) and of aliases; the primary key keeps each name unique in a tenant';
COMMENT ON COLUMN @extschema@.kg_tool.canonical IS 'the tool that an alias names';

CREATE TABLE @extschema@.kg_pending_reference (
  tenant       text COLLATE "C" NOT NULL,
  id           bigint NOT NULL,
  nodes        bigint[] NOT NULL,
  deleted      bigint[] NOT NULL,
  caller       oid NOT NULL,
  PRIMARY KEY (tenant, id)
);
COMMENT ON TABLE @extschema@.kg_pending_reference IS 'references that wait for the check by the constraint kg_references: at once, or at commit after SET CONSTRAINTS ... DEFERRED; otherwise empty';

-- A load writes most of a table at once; afterwards little changes. With these
-- settings, vacuum starts earlier than by default, which is after changes of a fifth
-- of the table. So pages soon become all-visible, for the index-only scans of
-- searches, and old row versions are soon removed. A change of data alone is a HOT
-- update in any case: it changes no column of an index of kg_entity.
DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['kg_entity', 'kg_edge', 'kg_adjacency', 'kg_index_key', 'kg_term', 'kg_trigram', 'kg_word'] LOOP
    EXECUTE pg_catalog.format('ALTER TABLE @extschema@.%I SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)', t);
  END LOOP;
END
$$;

-- Secrets, one in each row, such as the key that signs cursors. Only the owner may
-- read them.
CREATE TABLE @extschema@.kg_secret (
  name         text COLLATE "C" PRIMARY KEY,
  secret       bytea NOT NULL
);

COMMENT ON COLUMN @extschema@.kg_entity_type.dump_order IS 'always NULL; makes pg_dump restore kg_relation first';

-- pg_dump restores tables in the order of their foreign keys. When the triggers of
-- entities and edges fire, the types, relations and entities to which they refer
-- must exist. The following three foreign keys only set this order. The first one
-- compares nothing, because one of its columns is always NULL. The triggers of the
-- other two are disabled, because references are checked for sets of rows
-- (src/store/reference/references.c).
ALTER TABLE @extschema@.kg_entity_type ADD CONSTRAINT kg_entity_type_relation_fkey
  FOREIGN KEY (tenant, bundle, dump_order, entity_type, dump_order, dump_order)
  REFERENCES @extschema@.kg_relation;
ALTER TABLE @extschema@.kg_entity ADD CONSTRAINT kg_entity_type_fkey
  FOREIGN KEY (tenant, bundle, entity_type) REFERENCES @extschema@.kg_entity_type;
ALTER TABLE @extschema@.kg_edge ADD CONSTRAINT kg_edge_source_fkey
  FOREIGN KEY (tenant, source) REFERENCES @extschema@.kg_entity (tenant, node);
ALTER TABLE @extschema@.kg_entity DISABLE TRIGGER ALL;
ALTER TABLE @extschema@.kg_edge DISABLE TRIGGER ALL;

-- Dumps omit derived rows, because restoring the entities makes them again.
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_node_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_type_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_relation_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_tenant', '');
-- A dump would contain a dropped role as a number, which may be another role where
-- the dump is restored.
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

