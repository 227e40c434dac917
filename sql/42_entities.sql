-- Entities: trigger functions (src/store/entity/entity_trigger.c, src/store/reference/pending_trigger.c).

CREATE FUNCTION @extschema@.kg_check_entity() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check_entity';
COMMENT ON FUNCTION @extschema@.kg_check_entity() IS
  'row trigger of kg_entity: fills columns from data, and validates data';

CREATE FUNCTION @extschema@.kg_derive_entities() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_derive_entities';
COMMENT ON FUNCTION @extschema@.kg_derive_entities() IS
  'statement trigger of kg_entity: updates the derived rows, and enforces references';

CREATE FUNCTION @extschema@.kg_refuse_truncate() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_refuse_truncate';
COMMENT ON FUNCTION @extschema@.kg_refuse_truncate() IS 'statement trigger: refuses TRUNCATE';

CREATE FUNCTION @extschema@.kg_check_references() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check_references';
COMMENT ON FUNCTION @extschema@.kg_check_references() IS
  'constraint trigger of kg_pending_reference: raises an error if references have no target, at once or at commit';

CREATE FUNCTION @extschema@.kg_check_edges() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check_edges';
COMMENT ON FUNCTION @extschema@.kg_check_edges() IS
  'statement trigger of kg_edge: checks explicit edges against their relation';


-- Functions that write sets of entities and edges (src/writes.c,
-- src/store/entity/put*.c).

CREATE FUNCTION @extschema@.kg_put_entities(entity_type text, items jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_put_entities';
COMMENT ON FUNCTION @extschema@.kg_put_entities(text, jsonb, jsonb) IS
  'create or replace entities of a type; returns a verdict for each item; options atomic, dry_run, idempotency_key, reason; needs write access';

CREATE FUNCTION @extschema@.kg_update_entities(entity_type text, items jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_update_entities';
COMMENT ON FUNCTION @extschema@.kg_update_entities(text, jsonb, jsonb) IS
  'change properties of entities of a type; an item is {id, set, unset, add, remove, expected_version}; returns a verdict for each item; options atomic, dry_run, idempotency_key, reason; needs write access';

CREATE FUNCTION @extschema@.kg_merge(entity_type text, keep text, others text[], options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_merge';
COMMENT ON FUNCTION @extschema@.kg_merge(text, text, text[], jsonb) IS
  'merge entities of a type into one of them, with their references and edges; options prefer, values, expected_versions, dry_run, reason, idempotency_key; needs write access';

CREATE FUNCTION @extschema@.kg_keep_measure(entity_type text, property text, arguments jsonb) RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_keep_measure';
COMMENT ON FUNCTION @extschema@.kg_keep_measure(text, text, jsonb) IS
  'measure the graph as kg_analyze() does, and write the value of each entity of a type to a property; needs admin access';

CREATE FUNCTION @extschema@.kg_delete_entities(entity_type text, ids text[], options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_delete_entities';
COMMENT ON FUNCTION @extschema@.kg_delete_entities(text, text[], jsonb) IS
  'delete entities of a type; returns a verdict for each id; options atomic, dry_run, idempotency_key, reason; needs write access';

CREATE FUNCTION @extschema@.kg_put_edges(items jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_put_edges';
COMMENT ON FUNCTION @extschema@.kg_put_edges(jsonb, jsonb) IS
  'create explicit edges, or replace their properties; returns a verdict for each item; options atomic, dry_run, idempotency_key, reason; needs write access';

CREATE FUNCTION @extschema@.kg_delete_edges(items jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_delete_edges';
COMMENT ON FUNCTION @extschema@.kg_delete_edges(jsonb, jsonb) IS
  'delete explicit edges; returns a verdict for each item; options atomic, dry_run, idempotency_key, reason; needs write access';

CREATE FUNCTION @extschema@.kg_packed_key(index_keys bytea, field_no integer) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_packed_key';
COMMENT ON FUNCTION @extschema@.kg_packed_key(bytea, integer) IS
  'the key of a field in kg_entity.index_keys, or NULL; for an array, its first key';

CREATE FUNCTION @extschema@.kg_packed_keys(index_keys bytea, field_no integer) RETURNS bytea[]
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_packed_keys';
COMMENT ON FUNCTION @extschema@.kg_packed_keys(bytea, integer) IS
  'the keys of the items of an array in kg_entity.index_keys';

CREATE FUNCTION @extschema@.kg_rebuild() RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_rebuild';
COMMENT ON FUNCTION @extschema@.kg_rebuild() IS
  'derive the keys, terms and edges of the caller''s tenant again from its entities; needs admin access';
