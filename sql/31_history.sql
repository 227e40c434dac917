-- Former states of entities and edges (src/store/history/history.c), and the last
-- versions of deleted ones (src/store/history/freed.c).

-- The sequence has no cache, so that the numbers of an entity's changes have the
-- order of these changes.
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
COMMENT ON TABLE @extschema@.kg_history IS 'changes of entities of types with x-history, and of edges of relations with history; written by the triggers of kg_entity and kg_edge';
COMMENT ON COLUMN @extschema@.kg_history.transaction IS 'number that all changes of a transaction share: the number of the first of them';
COMMENT ON COLUMN @extschema@.kg_history.at IS 'clock time of the write; never before the time of the previous change';
COMMENT ON COLUMN @extschema@.kg_history.version IS 'version of the entity after the change; for a deletion, a version that no entity has; NULL for an edge';
COMMENT ON COLUMN @extschema@.kg_history.before IS 'state before the change: the document of an entity or the properties of an edge; NULL: it did not exist; null: an edge without properties';
CREATE INDEX kg_history_entity_idx ON @extschema@.kg_history (tenant, type_no, entity_id, at, version) WHERE type_no IS NOT NULL;
CREATE INDEX kg_history_edge_idx ON @extschema@.kg_history (tenant, relation_no, source, target, change) WHERE relation_no IS NOT NULL;
CREATE INDEX kg_history_transaction_idx ON @extschema@.kg_history (tenant, transaction);
CREATE INDEX kg_history_at_idx ON @extschema@.kg_history (tenant, type_no, relation_no, at);

CREATE TABLE @extschema@.kg_freed (
  tenant       text COLLATE "C" NOT NULL,
  type_no      integer NOT NULL,
  entity_id    text COLLATE "C" NOT NULL,
  version      bigint NOT NULL,
  node         bigint,
  target       bigint,
  not_recorded text[] COLLATE "C",
  PRIMARY KEY (tenant, type_no, entity_id),
  CHECK ((node IS NULL) = (target IS NULL)),
  FOREIGN KEY (tenant, type_no) REFERENCES @extschema@.kg_entity_type (tenant, type_no) ON DELETE CASCADE
);
COMMENT ON TABLE @extschema@.kg_freed IS 'ids that entities gave up, each with the last version of its entity; the next entity with the id continues above this version';
COMMENT ON COLUMN @extschema@.kg_freed.node IS 'node of the entity that had the id, if it was merged into another entity';
COMMENT ON COLUMN @extschema@.kg_freed.target IS 'node of the entity into which it was merged';
COMMENT ON COLUMN @extschema@.kg_freed.not_recorded IS 'types and relations without history, "bundle/name", whose entities and edges the merge changed';
CREATE INDEX kg_freed_node_idx ON @extschema@.kg_freed (tenant, node) WHERE node IS NOT NULL;
CREATE INDEX kg_freed_target_idx ON @extschema@.kg_freed (tenant, target) WHERE target IS NOT NULL;
CREATE INDEX kg_freed_id_idx ON @extschema@.kg_freed (tenant, entity_id) WHERE target IS NOT NULL;

CREATE TABLE @extschema@.kg_freed_type (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  bundle       text COLLATE "C" NOT NULL,
  entity_type  text COLLATE "C" NOT NULL,
  version      bigint NOT NULL,
  PRIMARY KEY (tenant, bundle, entity_type)
);
COMMENT ON TABLE @extschema@.kg_freed_type IS 'dropped types, each with the last version of its entities; the next type with the name continues above this version';

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

ALTER TABLE @extschema@.kg_entity_type ADD version_above bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN @extschema@.kg_entity_type.version_above IS 'the versions of the type''s entities are above this number, which is the last version of a dropped type of the same name';
ALTER TABLE @extschema@.kg_entity_type ADD history_since timestamptz;
COMMENT ON COLUMN @extschema@.kg_entity_type.history_since IS 'time since which kg_history has every change of the type''s entities; NULL: it does not have them all';
ALTER TABLE @extschema@.kg_relation ADD history_since timestamptz;
COMMENT ON COLUMN @extschema@.kg_relation.history_since IS 'time since which kg_history has every change of the relation''s edges; NULL: it does not have them all';

-- The extension only writes rows of existing types, so the triggers that check this
-- are disabled. The triggers of kg_entity_type stay enabled: they delete the history
-- together with the type.
ALTER TABLE @extschema@.kg_history DISABLE TRIGGER ALL;
ALTER TABLE @extschema@.kg_freed DISABLE TRIGGER ALL;

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_change_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_history', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_freed', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_freed_type', '');
