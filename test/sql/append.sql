-- Many new rows of kg_index_key and kg_edge are inserted without a statement, unless
-- the DBA has added something to the table that requires a statement.
\i test/data/prelude.sql
CALL test.tenant('append', 'append_amy write');
CREATE TABLE heard (what text, n bigint);
GRANT INSERT, SELECT ON heard TO PUBLIC;
CREATE FUNCTION append_bundle(n integer) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', 'append', 'version', '1', 'schemas', '[
    {"entity_type": "maker", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"},
      "parts": {"type": "integer", "x-derived": {"count": "by", "direction": "incoming"}, "x-index": true}}}},
    {"entity_type": "part", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"},
      "size": {"type": "integer", "x-index": true}, "tags": {"type": "array", "items": {"type": "string"}, "x-index": true},
      "maker": {"type": "string", "x-ref": "maker", "x-relation": "by"}}}}]'::jsonb, 'entities', jsonb_build_array(
    jsonb_build_object('entity_type', 'maker', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'm' || i)) FROM generate_series(0, 4) i)),
    jsonb_build_object('entity_type', 'part', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'p' || i, 'size', i * 7 % 100,
      'tags', CASE WHEN i % 3 > 0 THEN jsonb_build_array('a' || i % 5, 'b') ELSE '[]' END, 'maker', 'm' || i % 5)) FROM generate_series(1, n) i))))
$$;
-- What is there, by any index, and what kg_check() says of it.
CREATE FUNCTION append_look() RETURNS TABLE (what text, n text) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  SET LOCAL enable_seqscan = off;
  RETURN QUERY SELECT 'keys', count(*)::text FROM kg_index_key WHERE tenant = 'append' AND type_no > 0 AND field_no < 32768;
  RETURN QUERY SELECT 'edges', count(*)::text FROM kg_edge WHERE tenant = 'append' AND source > 0;
  RETURN QUERY SELECT 'edges by target', count(*)::text FROM kg_entity e JOIN kg_edge USING (tenant) WHERE e.tenant = 'append' AND entity_type = 'maker' AND target = e.node;
  RETURN QUERY SELECT 'differences', kg_check('{"tenant": "append"}') ->> 'differences';
  RETURN QUERY SELECT h.what, sum(h.n)::text FROM heard h GROUP BY h.what ORDER BY h.what;
END $$;
CREATE FUNCTION append_hear() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO heard VALUES (format('%s %s', TG_TABLE_NAME, TG_LEVEL), 1);
  RETURN NEW;
END $$;

SET ROLE append_amy;
SELECT kg_apply_bundle(append_bundle(200)) -> 'entities' -> 'part' -> 'created' AS created;
SELECT (kg_list('part', '{"filters": {"tags": "a1"}, "limit": 1}') -> 'total')::text AS total,
  kg_list('maker', '{"filters": {"parts": 40}, "limit": 1}') -> 'total' AS makers,
  kg_neighbors('{"start_node": {"label": "maker", "node_id": "m3"}, "direction": "incoming", "max_hops": 1, "limit": 1}') -> 'total' AS neighbours;
RESET ROLE;
SELECT * FROM append_look();

-- Rows in the middle of what is packed, below others of the tenant.
SET ROLE append_amy;
DELETE FROM kg_entity WHERE entity_type = 'part' AND substr(entity_id, 2)::integer % 2 = 0;
SELECT kg_pack() IS NOT NULL AS packed;
SELECT kg_apply_bundle(append_bundle(300)) -> 'entities' -> 'part' -> 'created' AS created;
SELECT kg_neighbors('{"start_node": {"label": "maker", "node_id": "m3"}, "direction": "incoming", "max_hops": 1, "limit": 1}') -> 'total' AS neighbours;
RESET ROLE;
SELECT * FROM append_look();

-- Triggers of the DBA's own, an index, and a column.
CREATE TRIGGER hear_rows BEFORE INSERT ON kg_edge FOR EACH ROW EXECUTE FUNCTION append_hear();
CREATE TRIGGER hear_keys AFTER INSERT ON kg_index_key FOR EACH STATEMENT EXECUTE FUNCTION append_hear();
SET ROLE append_amy;
SELECT kg_apply_bundle(append_bundle(400)) -> 'entities' -> 'part' -> 'created' AS created;
RESET ROLE;
SELECT * FROM append_look();
DROP TRIGGER hear_rows ON kg_edge;
DROP TRIGGER hear_keys ON kg_index_key;
-- A function in an index runs as the owner, and so with nothing of the caller's in its path.
CREATE FUNCTION append_width(key bytea) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF current_setting('append.own_path', true) IS DISTINCT FROM 'on' AND current_setting('search_path') <> 'pg_catalog, pg_temp' THEN
    RAISE EXCEPTION 'the path is %', current_setting('search_path');
  END IF;
  RETURN length(key);
END $$;
SET append.own_path = on;
CREATE INDEX append_own ON kg_index_key (append_width(key), field_no) WHERE field_no = 1;
RESET append.own_path;
ALTER TABLE kg_edge ADD append_at text DEFAULT 'given';
SET ROLE append_amy;
SELECT kg_apply_bundle(append_bundle(500)) -> 'entities' -> 'part' -> 'created' AS created;
INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'append', 'part', jsonb_build_object('id', 'q' || i, 'size', i, 'maker', 'm1') FROM generate_series(1, 100) i;
RESET ROLE;
SELECT * FROM append_look();
SET enable_seqscan = off;
SET append.own_path = on;
SELECT count(*) AS by_own_index FROM kg_index_key WHERE field_no = 1 AND append_width(key) > 0 AND tenant = 'append';
RESET append.own_path;
SELECT count(*) FILTER (WHERE append_at = 'given') AS given, count(*) AS edges FROM kg_edge WHERE tenant = 'append';
RESET enable_seqscan;
ALTER TABLE kg_edge DROP append_at;
ALTER TABLE kg_index_key ADD CONSTRAINT append_short CHECK (length(key) < 0) NOT VALID;
SET ROLE append_amy;
SELECT kg_apply_bundle(append_bundle(600));
RESET ROLE;
ALTER TABLE kg_index_key DROP CONSTRAINT append_short;
SELECT * FROM append_look();

DROP INDEX append_own;
DROP FUNCTION append_bundle, append_look, append_hear, append_width;
DROP TABLE heard;
CALL test.drop('append');
