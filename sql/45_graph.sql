-- The graph engine and its tools (src/adjacency.c, src/graph.c).

CREATE FUNCTION @extschema@.kg_edges_changed() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_edges_changed';
COMMENT ON FUNCTION @extschema@.kg_edges_changed() IS
  'statement trigger: drops the packed rows of nodes whose edges change';

CREATE FUNCTION @extschema@.kg_pack() RETURNS bigint
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_pack';
COMMENT ON FUNCTION @extschema@.kg_pack() IS
  'pack the edges of the tenant''s nodes that changed since they were packed; returns how many nodes';
