-- The graph engine and its tools (src/pack.c, src/graph.c).

CREATE FUNCTION @extschema@.kg_clear_packed() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_clear_packed';
COMMENT ON FUNCTION @extschema@.kg_clear_packed() IS
  'statement trigger of kg_edge: removes the packed edges of nodes whose edges change';

CREATE FUNCTION @extschema@.kg_pack() RETURNS bigint
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_pack';
COMMENT ON FUNCTION @extschema@.kg_pack() IS
  'pack the edges of those nodes of the tenant whose edges changed since the last packing; returns the number of nodes';

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
  'the tool traverse_relationships: the nodes that a chain of steps along relationships reaches';

CREATE FUNCTION @extschema@.kg_neighbors(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_neighbors';
COMMENT ON FUNCTION @extschema@.kg_neighbors(jsonb) IS
  'the tool explore_neighbors: the nodes within some hops of one node';

CREATE FUNCTION @extschema@.kg_describe_schema(arguments jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_describe_schema';
COMMENT ON FUNCTION @extschema@.kg_describe_schema(jsonb) IS
  'the tool describe_schema: types and predicates of the graph, and how to use it';

CREATE FUNCTION @extschema@.kg_search(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_search';
COMMENT ON FUNCTION @extschema@.kg_search(jsonb) IS
  'the tool search_entities: the ids of entities with a name or alias';

CREATE FUNCTION @extschema@.kg_bfs(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_bfs';
COMMENT ON FUNCTION @extschema@.kg_bfs(jsonb) IS
  'the tool bfs_query: the nodes and edges within some hops of any seed';

CREATE FUNCTION @extschema@.kg_describe(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_describe';
COMMENT ON FUNCTION @extschema@.kg_describe(jsonb) IS
  'the tool describe_entity: all properties of one entity';

CREATE FUNCTION @extschema@.kg_describe_many(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_describe_many';
COMMENT ON FUNCTION @extschema@.kg_describe_many(jsonb) IS
  'the tool describe_entities: all properties of several entities';

CREATE FUNCTION @extschema@.kg_intersect(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_intersect';
COMMENT ON FUNCTION @extschema@.kg_intersect(jsonb) IS
  'the tool intersect_subgraphs: the nodes within some hops of every seed, and the edges between them';

CREATE FUNCTION @extschema@.kg_paths(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_paths';
COMMENT ON FUNCTION @extschema@.kg_paths(jsonb) IS
  'the tool find_paths: the paths between two sets of nodes';

CREATE FUNCTION @extschema@.kg_aggregate(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_aggregate';
COMMENT ON FUNCTION @extschema@.kg_aggregate(jsonb) IS
  'the tool aggregate_nodes: counts and sums over nodes, grouped';

CREATE FUNCTION @extschema@.kg_rank(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_rank';
COMMENT ON FUNCTION @extschema@.kg_rank(jsonb) IS
  'the tool rank_related: the nodes most related to some nodes, by personalized PageRank';

CREATE FUNCTION @extschema@.kg_duplicates(entity_type text, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_duplicates';
COMMENT ON FUNCTION @extschema@.kg_duplicates(text, jsonb) IS
  'pairs of entities of a type that may be the same, with a score and the reasons; options ids, relations, min_score, min_similarity, limit, offset, max_bytes';

CREATE FUNCTION @extschema@.kg_analyze(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_analyze';
COMMENT ON FUNCTION @extschema@.kg_analyze(jsonb) IS
  'the tool analyze: measures of the whole graph, such as central nodes, components, communities and similarity';

-- These functions read only their arguments. They are not IMMUTABLE, because the
-- text of a picture may change with the version, so it must not get into an index or
-- a constraint.
CREATE FUNCTION @extschema@.kg_to_mermaid(graph jsonb, options jsonb DEFAULT '{}') RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_to_mermaid';
COMMENT ON FUNCTION @extschema@.kg_to_mermaid(jsonb, jsonb) IS
  'a Mermaid flowchart of a bundle''s types and relations, of a schema, or of the reply of a tool';

CREATE FUNCTION @extschema@.kg_to_dot(graph jsonb, options jsonb DEFAULT '{}') RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_to_dot';
COMMENT ON FUNCTION @extschema@.kg_to_dot(jsonb, jsonb) IS
  'a Graphviz graph of a bundle''s types and relations, of a schema, or of the reply of a tool';

-- PARALLEL UNSAFE, because calls within claims run in subtransactions.
CREATE FUNCTION @extschema@.kg_verify(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_verify';
COMMENT ON FUNCTION @extschema@.kg_verify(jsonb) IS
  'the tool verify_claims: whether the graph supports or contradicts each claim of a draft';

-- PARALLEL UNSAFE, because it changes settings and limits the backend's memory until
-- it ends.
CREATE FUNCTION @extschema@.kg_query(arguments jsonb) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_query';
COMMENT ON FUNCTION @extschema@.kg_query(jsonb) IS
  'the tool query: one SELECT over the types and relations of the tenant';

-- Only a statement of the tool query calls this function. It replaces another
-- function there, and the call has the arguments and the result type of that
-- function.
CREATE FUNCTION @extschema@.kg_query_bounded(call internal) RETURNS internal
  LANGUAGE C STABLE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_query_bounded';
COMMENT ON FUNCTION @extschema@.kg_query_bounded(internal) IS
  'replaces a function in a statement of kg_query(), and limits the size of its values';

-- The functions search(), neighbors(), reach() and path() in the FROM of a query.
CREATE FUNCTION @extschema@.kg_query_search(text text, type text DEFAULT NULL, "limit" integer DEFAULT 10) RETURNS TABLE (id text, entity_type text, name text, score double precision)
  LANGUAGE C STABLE PARALLEL UNSAFE ROWS 10 COST 10000
  AS 'MODULE_PATHNAME', 'kg_sql_query_search';
COMMENT ON FUNCTION @extschema@.kg_query_search(text, text, integer) IS
  'search() of a query: entities by name, alias or id, also with typing errors, the best first';

CREATE FUNCTION @extschema@.kg_query_neighbors(handle text, hops integer DEFAULT 1, relation text DEFAULT NULL) RETURNS TABLE (id text, entity_type text, depth integer)
  LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20 COST 10000
  AS 'MODULE_PATHNAME', 'kg_sql_query_neighbors';
COMMENT ON FUNCTION @extschema@.kg_query_neighbors(text, integer, text) IS
  'neighbors() of a query: the entities within some hops of one entity, in both directions';

CREATE FUNCTION @extschema@.kg_query_reach(type text, start text, relation text DEFAULT NULL, direction text DEFAULT 'outgoing', max_hops integer DEFAULT 3) RETURNS TABLE (id text, entity_type text, depth integer)
  LANGUAGE C STABLE PARALLEL UNSAFE ROWS 100 COST 10000
  AS 'MODULE_PATHNAME', 'kg_sql_query_reach';
COMMENT ON FUNCTION @extschema@.kg_query_reach(text, text, text, text, integer) IS
  'reach() of a query: the entities that a walk along a relation reaches, each with its number of hops';

CREATE FUNCTION @extschema@.kg_query_path("from" text, "to" text, max_hops integer DEFAULT NULL) RETURNS TABLE (step integer, id text, entity_type text, relation text)
  LANGUAGE C STABLE PARALLEL UNSAFE ROWS 5 COST 10000
  AS 'MODULE_PATHNAME', 'kg_sql_query_path';
COMMENT ON FUNCTION @extschema@.kg_query_path(text, text, integer) IS
  'path() of a query: the entities of a shortest path, in order, each with the relation that leads to it';
