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
  node         bigint,
  target       bigint,
  not_recorded text[] COLLATE "C",
  PRIMARY KEY (tenant, type_no, entity_id),
  CHECK ((node IS NULL) = (target IS NULL)),
  FOREIGN KEY (tenant, type_no) REFERENCES @extschema@.kg_entity_type (tenant, type_no) ON DELETE CASCADE
);
COMMENT ON TABLE @extschema@.kg_freed IS 'ids that an entity had and gave up, and the version that it ended with: one that has the id again goes on above it';
COMMENT ON COLUMN @extschema@.kg_freed.node IS 'the node of the entity that had the id, if it was merged into another one';
COMMENT ON COLUMN @extschema@.kg_freed.target IS 'the node of the entity that it was merged into';
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
COMMENT ON TABLE @extschema@.kg_freed_type IS 'types that were dropped, and the last version that an entity of theirs ended with: a type that has the name again goes on above it';

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

ALTER TABLE @extschema@.kg_entity_type ADD version_above bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN @extschema@.kg_entity_type.version_above IS 'versions of the type''s entities are above it: one that was dropped had its name';
ALTER TABLE @extschema@.kg_entity_type ADD history_since timestamptz;
COMMENT ON COLUMN @extschema@.kg_entity_type.history_since IS 'since when kg_history has every change of the type''s entities; NULL: it has not';
ALTER TABLE @extschema@.kg_relation ADD history_since timestamptz;
COMMENT ON COLUMN @extschema@.kg_relation.history_since IS 'since when kg_history has every change of the relation''s edges; NULL: it has not';

-- The extension only writes rows of existing types, so the triggers that check this
-- are disabled. The triggers of kg_entity_type stay enabled: they delete the history
-- together with the type.
ALTER TABLE @extschema@.kg_history DISABLE TRIGGER ALL;
ALTER TABLE @extschema@.kg_freed DISABLE TRIGGER ALL;

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_change_seq', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_history', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_freed', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_freed_type', '');
