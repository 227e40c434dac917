-- Views of a tenant (src/views.c, src/store/view/views.c): functions for their
-- columns, planner support for filters on columns, and the functions that create
-- views.

-- These functions raise no error for any document, so a join by a reference may use
-- the index of the referenced entities.
-- They are leakproof, but not cheap, because PostgreSQL evaluates a leakproof and
-- cheap condition before the policies. Their time depends on the document, so they
-- would reveal data of hidden documents.

CREATE FUNCTION @extschema@.kg_column_text(data jsonb, property text) RETURNS text
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_text(jsonb, text) IS
  'a property of a document as text; NULL if it is missing or of another type';

CREATE FUNCTION @extschema@.kg_column_text_array(data jsonb, property text) RETURNS text[]
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_text_array(jsonb, text) IS
  'an array property of a document as text[]; an item of another type is NULL';

CREATE FUNCTION @extschema@.kg_column_bigint(data jsonb, property text) RETURNS bigint
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_bigint(jsonb, text) IS
  'a property of a document as bigint; NULL if it is missing or of another type';

CREATE FUNCTION @extschema@.kg_column_bigint_array(data jsonb, property text) RETURNS bigint[]
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_bigint_array(jsonb, text) IS
  'an array property of a document as bigint[]; an item of another type is NULL';

CREATE FUNCTION @extschema@.kg_column_numeric(data jsonb, property text) RETURNS numeric
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_numeric(jsonb, text) IS
  'a property of a document as numeric; NULL if it is missing or of another type';

CREATE FUNCTION @extschema@.kg_column_numeric_array(data jsonb, property text) RETURNS numeric[]
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_numeric_array(jsonb, text) IS
  'an array property of a document as numeric[]; an item of another type is NULL';

CREATE FUNCTION @extschema@.kg_column_boolean(data jsonb, property text) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_boolean(jsonb, text) IS
  'a property of a document as boolean; NULL if it is missing or of another type';

CREATE FUNCTION @extschema@.kg_column_boolean_array(data jsonb, property text) RETURNS boolean[]
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_boolean_array(jsonb, text) IS
  'an array property of a document as boolean[]; an item of another type is NULL';

CREATE FUNCTION @extschema@.kg_column_date(data jsonb, property text) RETURNS date
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_date(jsonb, text) IS
  'a property of a document as date; NULL if it is missing or of another type';

CREATE FUNCTION @extschema@.kg_column_date_array(data jsonb, property text) RETURNS date[]
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_date_array(jsonb, text) IS
  'an array property of a document as date[]; an item of another type is NULL';

CREATE FUNCTION @extschema@.kg_column_timestamptz(data jsonb, property text) RETURNS timestamptz
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_timestamptz(jsonb, text) IS
  'a property of a document as timestamptz; NULL if it is missing or of another type';

CREATE FUNCTION @extschema@.kg_column_timestamptz_array(data jsonb, property text) RETURNS timestamptz[]
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_timestamptz_array(jsonb, text) IS
  'an array property of a document as timestamptz[]; an item of another type is NULL';

CREATE FUNCTION @extschema@.kg_column_jsonb(data jsonb, property text) RETURNS jsonb
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_column';
COMMENT ON FUNCTION @extschema@.kg_column_jsonb(jsonb, text) IS
  'a property of a document as jsonb; NULL if it is missing or null';

CREATE FUNCTION @extschema@.kg_view_support(request internal) RETURNS internal
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'kg_sql_view_support';
COMMENT ON FUNCTION @extschema@.kg_view_support(internal) IS
  'planner support function of kg_view_row(), kg_view_nodes() and kg_entity_visible()';
-- The policies of kg_entity call this function. For a single type, the planner
-- estimates that it hides no row.
ALTER FUNCTION @extschema@.kg_entity_visible(text, text, integer, bigint, text, jsonb) SUPPORT @extschema@.kg_view_support;

-- This function reads nothing, so it is leakproof. It is PARALLEL RESTRICTED,
-- because a parallel worker does not know the caller, so it must not read a view.
CREATE FUNCTION @extschema@.kg_view_row(node bigint, kind text, bundle text, of text, made text) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL RESTRICTED COST 0.1
  SUPPORT @extschema@.kg_view_support
  AS 'MODULE_PATHNAME', 'kg_sql_view_row';
COMMENT ON FUNCTION @extschema@.kg_view_row(bigint, text, text, text, text) IS
  'always true; stores in the definition of a view its type or relation, and lets the planner find its rows by keys';

-- This function reads tables under the statement's snapshot. If it were STABLE, the
-- planner would execute it to estimate the number of nodes that it returns.
CREATE FUNCTION @extschema@.kg_view_nodes(bundle text, entity_type text, property text, test text, value jsonb, other_test text DEFAULT NULL, other_value jsonb DEFAULT NULL) RETURNS bigint[]
  LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 1000
  SUPPORT @extschema@.kg_view_support
  AS 'MODULE_PATHNAME', 'kg_sql_view_nodes';
COMMENT ON FUNCTION @extschema@.kg_view_nodes(text, text, text, text, jsonb, text, jsonb) IS
  'visible entities that may pass a filter on a column of a view; the planner adds the call to statements';

CREATE FUNCTION @extschema@.kg_view_edges(node bigint, relation integer) RETURNS TABLE (target bigint, properties jsonb)
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED ROWS 10 COST 100
  AS 'MODULE_PATHNAME', 'kg_sql_view_edges';
COMMENT ON FUNCTION @extschema@.kg_view_edges(bigint, integer) IS
  'edges of a relation that leave a node, if the caller sees both ends; for views of callers who see no rows of kg_edge';

CREATE FUNCTION @extschema@.kg_create_views(schema text DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_create_views';
COMMENT ON FUNCTION @extschema@.kg_create_views(text, jsonb) IS
  'make a view of each type and relation of the tenant, in a schema of the caller; option dry_run';

CREATE FUNCTION @extschema@.kg_refresh_views(schema text DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_refresh_views';
COMMENT ON FUNCTION @extschema@.kg_refresh_views(text, jsonb) IS
  'update the caller''s views of the tenant to its present types and relations; option dry_run';
