-- History: who reads it (src/history.c, src/query/time/history.c).

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
  'whether the caller may see the states before and after a change, by the rules of kg_entity_visible()';

CREATE POLICY kg_history_select ON @extschema@.kg_history FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant()
    AND @extschema@.kg_change_visible(bundle, type_no, entity_id, change, before, after));
CREATE POLICY kg_freed_nobody ON @extschema@.kg_freed FOR ALL
  USING (false);
CREATE POLICY kg_freed_type_nobody ON @extschema@.kg_freed_type FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_history(entity_type text, id text, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_history';
COMMENT ON FUNCTION @extschema@.kg_history(text, text, jsonb) IS
  'changes of an entity, the newest first; options limit, cursor, max_bytes';

CREATE FUNCTION @extschema@.kg_history(relation text, edge jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_edge_history';
COMMENT ON FUNCTION @extschema@.kg_history(text, jsonb, jsonb) IS
  'changes of the edges of a relation between two entities, {from, to} or {from, to, key}, the newest first; options limit, cursor, max_bytes';

ALTER TABLE @extschema@.kg_change_transaction ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_change_transaction FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_change_transaction_nobody ON @extschema@.kg_change_transaction FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_changes(since text DEFAULT '', types text[] DEFAULT '{}', options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_changes';
COMMENT ON FUNCTION @extschema@.kg_changes(text, text[], jsonb) IS
  'changes after a position of types and relations with history, in the order of their transactions, and the next position; options limit, max_bytes';

CREATE FUNCTION @extschema@.kg_past("table" text) RETURNS SETOF record
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED ROWS 100
  AS 'MODULE_PATHNAME', 'kg_sql_past';
COMMENT ON FUNCTION @extschema@.kg_past(text) IS
  'former rows of a table at the as_of of the running tool call, where they differ from the present rows; for statements of tools';

CREATE FUNCTION @extschema@.kg_past("table" text, node bigint) RETURNS SETOF record
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED ROWS 1
  AS 'MODULE_PATHNAME', 'kg_sql_past_of_node';
COMMENT ON FUNCTION @extschema@.kg_past(text, bigint) IS
  'as kg_past(text), for one entity';

CREATE FUNCTION @extschema@.kg_past("table" text, nodes bigint[]) RETURNS SETOF record
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED ROWS 100
  AS 'MODULE_PATHNAME', 'kg_sql_past_of_nodes';
COMMENT ON FUNCTION @extschema@.kg_past(text, bigint[]) IS
  'as kg_past(text), for several entities';

CREATE FUNCTION @extschema@.kg_past("table" text, type_no integer, field_no integer) RETURNS SETOF record
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED ROWS 100
  AS 'MODULE_PATHNAME', 'kg_sql_past_of_field';
COMMENT ON FUNCTION @extschema@.kg_past(text, integer, integer) IS
  'as kg_past(text), for the keys of a field';

CREATE FUNCTION @extschema@.kg_past_keeps(stands boolean, node bigint) RETURNS boolean
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_past_keeps_node';
COMMENT ON FUNCTION @extschema@.kg_past_keeps(boolean, bigint) IS
  'whether a stored row of an entity is unchanged since the as_of of the running tool call; true without as_of, and for rows of kg_past(); for statements of tools';

CREATE FUNCTION @extschema@.kg_past_keeps(stands boolean, source bigint, relation_no integer, key text, target bigint) RETURNS boolean
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_past_keeps_edge';
COMMENT ON FUNCTION @extschema@.kg_past_keeps(boolean, bigint, integer, text, bigint) IS
  'as kg_past_keeps(boolean, bigint), for an edge';

CREATE FUNCTION @extschema@.kg_revert(changes jsonb, options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_revert';
COMMENT ON FUNCTION @extschema@.kg_revert(jsonb, jsonb) IS
  'undo changes of kg_history(): a number, an array of numbers, or {"transaction": number}; options dry_run, reason; needs write access';

CREATE FUNCTION @extschema@.kg_prune_history(before timestamptz) RETURNS bigint
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_prune_history';
COMMENT ON FUNCTION @extschema@.kg_prune_history(timestamptz) IS
  'delete the changes of the caller''s tenant before a time; returns their number; needs admin access';
