-- Entities: trigger functions (src/entity_trigger.c, src/pending_trigger.c).

CREATE FUNCTION @extschema@.kg_entity_before() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_entity_before';
COMMENT ON FUNCTION @extschema@.kg_entity_before() IS
  'row trigger of kg_entity: fills the row from its data and validates it';

CREATE FUNCTION @extschema@.kg_entity_after() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_entity_after';
COMMENT ON FUNCTION @extschema@.kg_entity_after() IS
  'statement trigger of kg_entity: keeps derived rows in step and enforces references';

CREATE FUNCTION @extschema@.kg_no_truncate() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_no_truncate';
COMMENT ON FUNCTION @extschema@.kg_no_truncate() IS 'statement trigger: refuses TRUNCATE';

CREATE FUNCTION @extschema@.kg_references() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_references';
COMMENT ON FUNCTION @extschema@.kg_references() IS
  'constraint trigger: raises references that are still missing, at once or at commit';

CREATE FUNCTION @extschema@.kg_edge_after() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_edge_after';
COMMENT ON FUNCTION @extschema@.kg_edge_after() IS
  'statement trigger of kg_edge: checks explicit edges against their relation';

