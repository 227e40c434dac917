-- If a statement changes an edge more than once, the changes are recorded in the
-- order of its states.
\i test/data/prelude.sql
CALL test.tenant('edge_order', 'regress_edge_order admin');
SET ROLE regress_edge_order;
SELECT kg_apply_bundle('{"bundle_name": "order", "version": "1",
  "schemas": [{"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"}}}}],
  "relations": [{"name": "NEAR", "from": "brand", "to": "brand", "history": true, "schema": {"type": "object", "properties": {"w": {"type": "number"}}}}],
  "entities": [{"entity_type": "brand", "items": [{"id": "a"}, {"id": "b"}]}]}') -> 'changed';
CREATE FUNCTION pg_temp.put(w text, from_id text DEFAULT 'a', to_id text DEFAULT 'b') RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_put_edges(jsonb_build_array(jsonb_build_object('relation', 'NEAR', 'from', from_id, 'to', to_id, 'properties', jsonb_build_object('w', w::numeric)))) -> 'counts' $$;
-- the changes since, oldest first; what was then; does it lead to what is stored?
CREATE FUNCTION pg_temp.told(since timestamptz) RETURNS TABLE (told text) LANGUAGE sql AS $$
  SELECT coalesce(c ->> 'before', '-') || ' -> ' || coalesce(c ->> 'after', '-') FROM jsonb_array_elements(kg_history('NEAR', '{"from": "a", "to": "b"}') -> 'changes') WITH ORDINALITY t(c, n)
    WHERE (c ->> 'at')::timestamptz > since ORDER BY n DESC $$;
CREATE FUNCTION pg_temp.was(since timestamptz) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_path_query_array(kg_neighbors(jsonb_build_object('start_node', '{"label": "brand", "node_id": "a"}'::jsonb, 'edge_columns', '["w"]'::jsonb, 'as_of', since)), '$.edges[*].properties') $$;
CREATE FUNCTION pg_temp.broken() RETURNS jsonb LANGUAGE sql AS $$ SELECT kg_check() -> 'differences' $$;
RESET ROLE;
CREATE FUNCTION public.regress_again() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
  UPDATE kg_edge SET properties = jsonb_build_object('w', s.next) FROM (VALUES (500, 100), (100, 50), (7, 1), (3, 4), (4, 3)) s(w, next)
    WHERE tenant = NEW.tenant AND source = NEW.source AND target = NEW.target AND relation_no = NEW.relation_no AND (properties ->> 'w')::numeric = s.w
      AND (s.w <> 4 OR pg_trigger_depth() < 3) AND (s.w <> 3 OR pg_trigger_depth() < 2);
  DELETE FROM kg_edge WHERE tenant = NEW.tenant AND source = NEW.source AND target = NEW.target AND relation_no = NEW.relation_no AND properties ->> 'w' = '13';
  RETURN NULL;
END $$;
CREATE TRIGGER regress_again AFTER INSERT OR UPDATE ON kg_edge FOR EACH ROW EXECUTE FUNCTION regress_again();
SET ROLE regress_edge_order;

-- created, and written again by the row's trigger, whose own statement's trigger does so, too
SELECT clock_timestamp() AS t \gset
SELECT pg_temp.put('500');
SELECT * FROM pg_temp.told(:'t');
SELECT pg_temp.was(:'t'), pg_temp.broken();
-- updated
SELECT clock_timestamp() AS t \gset
SELECT pg_temp.put('500');
SELECT * FROM pg_temp.told(:'t');
SELECT pg_temp.was(:'t'), pg_temp.broken();
-- back to what was before it, and there and back again
SELECT pg_temp.put('1');
SELECT clock_timestamp() AS t \gset
SELECT pg_temp.put('7');
SELECT * FROM pg_temp.told(:'t');
SELECT pg_temp.was(:'t'), pg_temp.broken();
SELECT clock_timestamp() AS t \gset
SELECT pg_temp.put('3');
SELECT * FROM pg_temp.told(:'t');
SELECT pg_temp.was(:'t'), pg_temp.broken();
-- deleted at once
SELECT clock_timestamp() AS t \gset
SELECT pg_temp.put('13');
SELECT * FROM pg_temp.told(:'t');
SELECT pg_temp.was(:'t'), pg_temp.broken();
SELECT clock_timestamp() AS t \gset
SELECT pg_temp.put('13');
SELECT * FROM pg_temp.told(:'t');
SELECT pg_temp.was(:'t'), pg_temp.broken();

-- several statements of a transaction, there and back
SELECT clock_timestamp() AS t \gset
BEGIN;
SELECT pg_temp.put('1');
SELECT pg_temp.put('2');
SELECT pg_temp.put('1');
SELECT pg_temp.put('500');
SELECT pg_temp.put('1');
COMMIT;
SELECT * FROM pg_temp.told(:'t');
SELECT pg_temp.was(:'t'), pg_temp.broken();

-- deleted and inserted again by one statement, one of several
SELECT pg_temp.put('9', 'b', 'a');
SELECT clock_timestamp() AS t \gset
WITH d AS (DELETE FROM kg_edge RETURNING *)
INSERT INTO kg_edge (tenant, source, relation_no, target, key, properties) SELECT tenant, source, relation_no, target, key, '{"w": 8}' FROM d WHERE properties ->> 'w' = '1';
SELECT * FROM pg_temp.told(:'t');
SELECT pg_temp.was(:'t'), pg_temp.was(clock_timestamp()), pg_temp.broken();

RESET ROLE;
DROP TRIGGER regress_again ON kg_edge;
DROP FUNCTION public.regress_again();
CALL test.drop('edge_order');
