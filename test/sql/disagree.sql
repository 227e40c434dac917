-- Differences between two statements of one call: entities that are deleted while
-- their derived rows still exist, and policies that change their result. A missing
-- entity must be in no list and no count.
\i test/data/prelude.sql
CALL test.tenant('disagree', 'regress_disagree admin');
SET ROLE regress_disagree;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
  {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-tool-expose": ["list", "list_ids", "get"], "properties": {
    "id": {"type": "string"}, "name": {"type": "string", "x-index": true}, "rank": {"type": "integer", "x-index": true}}}}],
  "relations": [{"name": "NEAR", "from": "brand", "to": "brand"}],
  "entities": [{"entity_type": "brand", "items": [{"id": "a", "name": "alpha", "rank": 4}, {"id": "b", "name": "beta", "rank": 3}, {"id": "c", "name": "gamma", "rank": 2}, {"id": "d", "name": "delta", "rank": 1}]}],
  "edges": [{"relation": "NEAR", "from": "brand:a", "to": "brand:b"}, {"relation": "NEAR", "from": "brand:b", "to": "brand:c"}, {"relation": "NEAR", "from": "brand:a", "to": "brand:d"}]}') ->> 'revision' AS revision;
RESET ROLE;
-- Every read tool, in short: what is in the reply and what it counts.
CREATE FUNCTION all_tools() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  call text[];
  r jsonb;
BEGIN
  FOREACH call SLICE 1 IN ARRAY ARRAY[
    ['list_brand', '{"sort": [{"field": "rank"}]}'], ['list_brand', '{"sort": [{"field": "rank", "order": "desc"}], "limit": 2}'],
    ['list_brand', '{"filters": {"rank": {"gte": 2}}}'], ['list_brand', '{"search": "alpha"}'],
    ['list_brand_ids', '{"sort": [{"field": "name"}]}'], ['list_brand_ids', '{"filters": {"rank": 4}}'],
    ['get_brand', '{"id": "a"}'], ['get_brand', '{"ids": ["a", "b"]}'],
    ['find_nodes', '{"node_label": "brand", "sort": [{"field": "rank"}]}'], ['find_nodes', '{"node_label": "brand", "filters": {"rank": 4}}'],
    ['traverse_relationships', '{"from": {"label": "brand"}, "relationships": [{"type": "NEAR", "direction": "both"}], "to": {"label": "brand"}}'],
    ['explore_neighbors', '{"start_node": {"label": "brand", "node_id": "b"}, "max_hops": 2, "direction": "both"}'],
    ['find_paths', '{"from": {"label": "brand", "ids": ["c"]}, "to": {"label": "brand", "ids": ["d"]}, "max_hops": 3, "direction": "both"}'],
    ['aggregate_nodes', '{"node": {"label": "brand"}, "aggregations": [{"fn": "count"}]}'],
    ['search_entities', '{"query": "alpha"}'], ['bfs_query', '{"seeds": ["brand:c"], "max_hops": 3}'],
    ['describe_entity', '{"id": "brand:a"}'], ['describe_entities', '{"ids": ["brand:a", "brand:b"]}'],
    ['intersect_subgraphs', '{"seeds": ["brand:b", "brand:d"], "k": 2}'], ['get_graph_schema', '{}']]
  LOOP
    r := kg_call_tool(call[1], call[2]::jsonb);
    r := coalesce(r #> '{structuredContent,error}', r -> 'structuredContent', r);
    RETURN NEXT format('%s %s: %s', call[1], call[2], CASE
      WHEN r ? 'code' THEN r ->> 'code'
      ELSE jsonb_strip_nulls(jsonb_build_object('total', r -> 'total', 'returned', r -> 'returned', 'not_found', nullif(r -> 'not_found', '[]'), 'counts', r -> 'counts', 'rows', r -> 'rows',
        'ids', jsonb_path_query_array(r, '$.ids[*]') || jsonb_path_query_array(r, '$.items[*].id') || jsonb_path_query_array(r, '$.nodes[*].id') || jsonb_path_query_array(r, '$.entities[*].id') || jsonb_path_query_array(r, '$.entity.id') || jsonb_path_query_array(r, '$.id')))::text END);
  END LOOP;
END $$;
SET ROLE regress_disagree;
SELECT * FROM all_tools();

-- What there is without a: every case below is compared with it.
BEGIN;
DELETE FROM kg_entity WHERE entity_id = 'a';
SELECT * FROM all_tools();
SELECT string_agg(t, E'\n') AS without_a FROM all_tools() t \gset
ROLLBACK;
SELECT set_config('disagree.without_a', :'without_a', false) IS NOT NULL AS kept;
RESET ROLE;
CREATE FUNCTION differences() RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT format('%s, not %s', n.t, o.t) FROM (SELECT t, row_number() OVER () AS i FROM all_tools() t) n
    JOIN regexp_split_to_table(current_setting('disagree.without_a'), E'\n') WITH ORDINALITY o (t, i) USING (i) WHERE n.t <> o.t;
  RETURN NEXT 'compared';
END $$;
SET ROLE regress_disagree;

-- In the middle of a statement that deletes.  (A volatile function sees what is done so far.)
BEGIN;
DELETE FROM kg_entity WHERE entity_id = 'a' RETURNING (SELECT string_agg(t, E'\n') FROM differences() t);
ROLLBACK;
-- Of one that deletes all: the last call sees nothing.
CREATE FUNCTION pg_temp.once() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT string_agg(t, E'\n') FROM all_tools() t); END $$;
BEGIN;
WITH gone AS (DELETE FROM kg_entity RETURNING pg_temp.once() AS seen) SELECT seen FROM gone LIMIT 1 OFFSET 3;
ROLLBACK;
RESET ROLE;

-- In a trigger of the DBA's that fires before ours.
CREATE FUNCTION disagree_trigger() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE t text;
BEGIN
  FOR t IN SELECT * FROM differences() LOOP RAISE WARNING '%', t; END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER a_first AFTER DELETE ON kg_entity FOR EACH ROW EXECUTE FUNCTION disagree_trigger();
SET ROLE regress_disagree;
BEGIN;
DELETE FROM kg_entity WHERE entity_id = 'a';
ROLLBACK;
RESET ROLE;
DROP TRIGGER a_first ON kg_entity;

-- Deleted in replica mode, within the transaction and after it: our triggers fire there, too.
BEGIN;
SET LOCAL session_replication_role = replica;
DELETE FROM kg_entity WHERE entity_id = 'a';
SET LOCAL ROLE regress_disagree;
SELECT * FROM differences();
ROLLBACK;
SET session_replication_role = replica;
DELETE FROM kg_entity WHERE entity_id = 'a';
RESET session_replication_role;
SET ROLE regress_disagree;
SELECT * FROM differences();
SELECT kg_put_entities('brand', '[{"id": "a", "name": "alpha", "rank": 4}]') -> 'counts' AS put;
SELECT kg_put_edges('[{"relation": "NEAR", "from": "brand:a", "to": "brand:b"}, {"relation": "NEAR", "from": "brand:a", "to": "brand:d"}]') -> 'counts' AS put;
RESET ROLE;
-- Deleted without them, which takes the owner to switch them off.
\getenv abs_srcdir PG_ABS_SRCDIR
\set triggers :abs_srcdir '/data/triggers.sql'
\i :triggers
-- Later nobody knows; entities that are gone are still in no reply that shows entities.
SELECT pg_temp.triggers(false);
DELETE FROM kg_entity WHERE entity_id = 'a';
SELECT pg_temp.triggers(true);
SET ROLE regress_disagree;
SELECT * FROM differences();
SELECT FROM kg_rebuild();
SELECT kg_put_entities('brand', '[{"id": "a", "name": "alpha", "rank": 4}]') -> 'counts' AS put;
SELECT kg_put_edges('[{"relation": "NEAR", "from": "brand:a", "to": "brand:b"}, {"relation": "NEAR", "from": "brand:a", "to": "brand:d"}]') -> 'counts' AS put;
RESET ROLE;

-- A policy whose answer changes: every other time that it is asked of alpha.
CREATE SEQUENCE disagree_asked;
GRANT USAGE, SELECT, UPDATE ON disagree_asked TO regress_disagree;
CREATE FUNCTION disagree_sees(id text) RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$ BEGIN RETURN id <> 'a' OR nextval('disagree_asked') % 2 = 1; END $$;
CREATE POLICY disagree ON kg_entity AS RESTRICTIVE FOR SELECT USING (disagree_sees(entity_id));
SET ROLE regress_disagree;
-- (How often it is asked is no one's to say: only that nothing is told twice or counted and not told.)
CREATE FUNCTION pg_temp.consistent(tool text, arguments jsonb) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  r jsonb;
  told int;
BEGIN
  FOR i IN 1 .. 40 LOOP
    r := kg_call_tool(tool, arguments) -> 'structuredContent';
    CONTINUE WHEN r #>> '{error,code}' = 'NOT_FOUND';
    told := jsonb_array_length(coalesce(r -> 'rows', r -> 'items', r -> 'ids', r -> 'nodes', '[]'));
    IF told <> (r ->> 'returned')::int OR told > (r ->> 'total')::int OR r #>> '{error,code}' <> '' THEN
      RETURN NEXT format('%s %s: %s told, %s returned of %s %s', tool, arguments, told, r ->> 'returned', r ->> 'total', r #>> '{error,code}');
    END IF;
  END LOOP;
END $$;
SELECT pg_temp.consistent(tool, arguments) FROM (VALUES ('list_brand', '{"sort": [{"field": "rank"}]}'::jsonb), ('list_brand', '{"sort": [{"field": "name", "order": "desc"}], "limit": 1}'), ('list_brand', '{"limit": 1}'),
  ('list_brand', '{"search": "alpha"}'), ('find_nodes', '{"node_label": "brand", "limit": 1}'),
  ('traverse_relationships', '{"from": {"label": "brand"}, "relationships": [{"type": "NEAR", "direction": "both"}], "to": {"label": "brand"}}'),
  ('explore_neighbors', '{"start_node": {"label": "brand", "node_id": "b"}, "max_hops": 2, "direction": "both"}'), ('search_entities', '{"query": "alpha"}'),
  ('bfs_query', '{"seeds": ["brand:c"], "max_hops": 3}'), ('describe_entities', '{"ids": ["brand:a", "brand:b"]}')) t (tool, arguments);
SELECT count(*) AS described FROM generate_series(1, 20) WHERE kg_call_tool('describe_entity', '{"id": "brand:a"}') IS NOT NULL;
RESET ROLE;
DROP POLICY disagree ON kg_entity;
DROP FUNCTION all_tools(), differences(), disagree_trigger(), disagree_sees(text);
DROP SEQUENCE disagree_asked;
CALL test.drop('disagree');
