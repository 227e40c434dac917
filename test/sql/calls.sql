-- A call leaves nothing behind: no running time limit that would end a later
-- call too early, no executor, no portal and no snapshot. So tables can be changed after it.
\i test/data/prelude.sql
CALL test.tenant('calls', 'regress_calls write');
SET ROLE regress_calls;
SELECT kg_apply_bundle('{"bundle_name": "calls", "version": "1", "schemas": [{"entity_type": "node", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "size": {"type": "integer", "x-index": true}}}}],
  "relations": [{"name": "NEXT", "from": "node", "to": "node"}], "entities": [{"entity_type": "node", "items": [{"id": "a", "size": 1}, {"id": "b", "size": 2}, {"id": "c", "size": 3}]}],
  "edges": [{"relation": "NEXT", "from": "node:a", "to": "node:b"}, {"relation": "NEXT", "from": "node:b", "to": "node:c"}]}') ->> 'revision' AS revision;
RESET ROLE;

-- The clock: every call has its own, also in one statement of the client.  A machine that is busy gets more time: what had another's clock would need more at any rate.
CREATE FUNCTION calls_clock(ms int) RETURNS text SECURITY DEFINER LANGUAGE sql AS $$ SELECT set_config('kg_graph.max_call_time', ms::text, false) $$;
CREATE FUNCTION calls_in_time(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  FOR i IN 0 .. 6 LOOP
    PERFORM calls_clock(200 << i);
    BEGIN
      EXECUTE replace(statement, 'SECONDS', (0.3 * (1 << i))::text) INTO result;
      EXIT WHEN result !~ 'TIMEOUT';
    EXCEPTION WHEN query_canceled THEN
      result := SQLERRM;
    END;
  END LOOP;
  RETURN result;
END $$;
SET ROLE regress_calls;
SELECT calls_in_time($$SELECT concat_ws(' ', kg_list('node') -> 'total', pg_sleep(SECONDS), kg_get('node', 'a') -> 'size', kg_get('node', ARRAY['a']) -> 'returned', kg_list_ids('node') -> 'total', kg_bfs('{"seeds": ["node:a"], "max_hops": 2}') -> 'returned',
  pg_sleep(SECONDS), kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "kg://entity/node:a"}}') -> 'error')$$);
CREATE FUNCTION pg_temp.calls_apart(seconds float8) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM kg_list('node'); PERFORM pg_sleep(seconds); PERFORM kg_get('node', 'a'); PERFORM kg_get('node', ARRAY['a']); PERFORM kg_list_ids('node'); PERFORM kg_bfs('{"seeds": ["node:a"], "max_hops": 2}');
  -- One that failed leaves none.
  BEGIN PERFORM kg_list('node', '{"filters": {"nothing": 1}}'); EXCEPTION WHEN invalid_parameter_value THEN NULL; END;
  BEGIN PERFORM kg_traverse('{"from": {"label": "node"}}'); EXCEPTION WHEN invalid_parameter_value THEN NULL; END;
  PERFORM pg_sleep(seconds); PERFORM kg_get('node', 'a');
  RETURN 'done';
END $$;
SELECT calls_in_time('SELECT pg_temp.calls_apart(SECONDS)');
-- One within another has the other's: what the statements of a call run belongs to it.
RESET ROLE;
DROP FUNCTION calls_in_time(text), calls_clock(int);
SET kg_graph.max_call_time = 200;
CREATE FUNCTION calls_slow(id text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.15); PERFORM kg_get('node', 'none'); RETURN true; END $$;

CREATE POLICY calls_slow ON kg_entity AS RESTRICTIVE FOR SELECT USING (entity_id = 'none' OR calls_slow(entity_id));
SET ROLE regress_calls;
SELECT kg_list('node');
RESET ROLE;
DROP POLICY calls_slow ON kg_entity;
DROP FUNCTION calls_slow(text);
RESET kg_graph.max_call_time;

-- Executors, portals, snapshots: a table can be changed after calls of every kind, in the same transaction.
SELECT FROM kg_grant('calls', current_user, 'write');
CREATE FUNCTION calls_change() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  ALTER TABLE kg_entity ALTER data SET STATISTICS 100;
  ALTER TABLE kg_edge ALTER properties SET STATISTICS 100;
  ALTER TABLE kg_adjacency SET (fillfactor = 100);
  ALTER TABLE kg_adjacency RESET (fillfactor);
  ALTER TABLE kg_entity ALTER data SET STATISTICS -1;
  ALTER TABLE kg_edge ALTER properties SET STATISTICS -1;
  RETURN format('changed, %s cursors', (SELECT count(*) FROM pg_cursors WHERE name LIKE '<unnamed%'));
END $$;
CREATE FUNCTION calls_simple() RETURNS text LANGUAGE plpgsql AS $$
DECLARE j jsonb;
BEGIN
  FOR i IN 1 .. 4 LOOP
    j := kg_get('node', 'a'); j := kg_bfs('{"seeds": ["node:a"], "max_hops": 3}'); j := kg_neighbors('{"start_node": {"label": "node", "node_id": "a"}, "max_hops": 2}');
    j := kg_call_tool('find_paths', '{"from": {"label": "node", "ids": ["a"]}, "to": {"label": "node", "ids": ["c"]}}');
  END LOOP;
  RETURN calls_change();
END $$;
BEGIN; SELECT calls_simple(); SELECT calls_simple(); COMMIT;
DO $$ BEGIN PERFORM calls_simple(); PERFORM calls_simple(); END $$;
-- DDL between the calls of one loop, savepoints that are rolled back around them, and a cursor that stays open.
DO $$ DECLARE j jsonb; c refcursor; BEGIN
  OPEN c FOR SELECT kg_get('node', 'a') FROM generate_series(1, 10);
  FOR i IN 1 .. 4 LOOP
    FETCH c INTO j; FETCH c INTO j; j := kg_get('node', 'a'); j := kg_get('node', 'b');
    BEGIN j := kg_get('node', 'a'); j := kg_neighbors('{"start_node": {"label": "node", "node_id": "a"}}'); RAISE division_by_zero; EXCEPTION WHEN OTHERS THEN NULL; END;
    PERFORM calls_change();
  END LOOP;
END $$;
-- Of a query, when the query is over.
CREATE FUNCTION calls_query() RETURNS text LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  SELECT count(kg_get('node', 'a')) + count(kg_bfs('{"seeds": ["node:a"], "max_hops": 3}')) INTO n FROM generate_series(1, 10);
  FOR n IN SELECT length(kg_get('node', 'a')::text) FROM generate_series(1, 10) LOOP END LOOP;
  RETURN calls_change();
END $$;
SELECT calls_query();
-- After an error that was caught, in PL/pgSQL and in a call.
CREATE FUNCTION calls_failed() RETURNS text LANGUAGE plpgsql AS $$
DECLARE j jsonb;
BEGIN
  FOR i IN 1 .. 3 LOOP
    BEGIN j := kg_get('node', 'a'); j := kg_bfs('{"seeds": ["node:a"], "max_hops": 3}'); j := kg_bfs('{"seeds": ["node:a", "node:b"], "max_hops": 3, "limit": -1}'); EXCEPTION WHEN OTHERS THEN NULL; END;
    j := kg_call_tool('bfs_query', '{"seeds": ["node:a"], "max_hops": 3, "offset": -1}'); j := kg_call_tool('bfs_query', '{"seeds": ["node:a"], "max_hops": 3}');
  END LOOP;
  SET LOCAL kg_graph.max_edges = 1;
  FOR i IN 1 .. 3 LOOP
    BEGIN j := kg_bfs('{"seeds": ["node:a"], "max_hops": 3}'); EXCEPTION WHEN OTHERS THEN NULL; END;
    j := kg_call_tool('bfs_query', '{"seeds": ["node:a"], "max_hops": 3}');
    j := kg_mcp('[{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "bfs_query", "arguments": {"seeds": ["node:a"], "max_hops": 3}}}, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "bfs_query", "arguments": {"seeds": ["node:b"], "max_hops": 3}}}]');
  END LOOP;
  RETURN calls_change();
END $$;
BEGIN; SELECT calls_failed(); SELECT calls_failed(); COMMIT;
-- kg_pack, kg_rebuild, an export and an apply leave no portal.
CREATE FUNCTION calls_portals() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM kg_pack(), kg_export_bundle('calls'), kg_apply_bundle(kg_export_bundle('calls'));
  RETURN calls_change();
END $$;
SELECT calls_portals();

-- An apply that changes nothing writes nothing, and nobody has to read a catalog or plan a statement anew; nor do plans pile up when it changes something.
CREATE FUNCTION calls_kept() RETURNS TABLE (what text, n bigint) LANGUAGE sql AS $$
  SELECT name, count(*) FROM pg_backend_memory_contexts WHERE name IN ('SPI Plan', 'CachedPlanSource', 'kg_graph catalog') GROUP BY name $$;
CREATE FUNCTION calls_rows() RETURNS text LANGUAGE sql AS $$
  SELECT md5(string_agg(r, ' ' ORDER BY r)) FROM (SELECT t.ctid || t.xmin::text FROM kg_tool t UNION ALL SELECT t.ctid || t.xmin::text FROM kg_entity_type t UNION ALL SELECT t.ctid || t.xmin::text FROM kg_bundle t
    UNION ALL SELECT t.ctid || t.xmin::text FROM kg_relation t) x(r) $$;
-- Their own plans are kept from the first call on.
SELECT count(*) > 0 AS kept, calls_rows() IS NOT NULL AS rows FROM calls_kept();
BEGIN;
SELECT kg_apply_bundle(kg_export_bundle('calls')) -> 'changed' AS changed, kg_apply_bundle(kg_export_bundle('calls'), '{"mode": "merge"}') -> 'changed' AS changed FROM generate_series(1, 2);
CREATE TEMP TABLE calls_before AS SELECT * FROM calls_kept();
CREATE TEMP TABLE calls_stored AS SELECT calls_rows() AS rows;
CREATE TEMP TABLE calls_again AS SELECT kg_apply_bundle(kg_export_bundle('calls')) ->> 'changed' AS changed, kg_apply_bundle(kg_export_bundle('calls'), '{"mode": "merge"}') ->> 'changed' AS merged FROM generate_series(1, 10);
SELECT DISTINCT * FROM calls_again;
SELECT what, after.n - before.n AS more FROM calls_before before FULL JOIN calls_kept() after USING (what) WHERE after.n > before.n;
SELECT rows = calls_rows() AS untouched FROM calls_stored;
COMMIT;
BEGIN;
CREATE TEMP TABLE calls_versions AS SELECT kg_apply_bundle(kg_export_bundle('calls') || jsonb_build_object('version', i::text)) ->> 'changed' AS changed FROM generate_series(1, 3) i;
DROP TABLE calls_before;
CREATE TEMP TABLE calls_before AS SELECT * FROM calls_kept();
INSERT INTO calls_versions SELECT kg_apply_bundle(kg_export_bundle('calls') || jsonb_build_object('version', i::text)) ->> 'changed' FROM generate_series(1, 10) i;
SELECT what FROM calls_before before FULL JOIN calls_kept() after USING (what) WHERE after.n > before.n + 2 AND what <> 'kg_graph catalog';
COMMIT;
DROP FUNCTION calls_kept(), calls_rows();
DROP FUNCTION calls_change(), calls_simple(), calls_query(), calls_failed(), calls_portals();
CALL test.drop('calls');
