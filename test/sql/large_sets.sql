-- Searches of more nodes than fit a small set, near and far numbers mixed: what is found is what a loop of SQL finds.
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
\i test/data/prelude.sql
CALL test.tenant('large_sets', 'large_sets admin');
\c - large_sets
SELECT kg_apply_bundle('{"bundle_name": "large", "version": "1", "schemas": [{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "relations": [{"name": "TO", "from": "thing", "to": "thing"}, {"name": "ALSO", "from": "thing", "to": "thing"}]}') ? 'revision';
INSERT INTO kg_entity (bundle, entity_type, data) SELECT 'large', 'thing', jsonb_build_object('id', i::text) FROM generate_series(1, 14000) i;
-- not far away, and so far that no bit is theirs
\c - :owner
SELECT setval('kg_node_seq', nextval('kg_node_seq') + 60000) IS NOT NULL;
\c - large_sets
INSERT INTO kg_entity (bundle, entity_type, data) SELECT 'large', 'thing', jsonb_build_object('id', i::text) FROM generate_series(14001, 15000) i;
\c - :owner
SELECT setval('kg_node_seq', nextval('kg_node_seq') + 20000000) IS NOT NULL;
\c - large_sets
INSERT INTO kg_entity (bundle, entity_type, data) SELECT 'large', 'thing', jsonb_build_object('id', i::text) FROM generate_series(15001, 15500) i;
-- a random graph, and hubs; the last thousand lead far away
CREATE FUNCTION pg_temp.draw(i int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT 1 + (hashint8(i)::bigint + 2147483648) % n $$;
CREATE TEMP TABLE numbers AS SELECT entity_id, node FROM kg_entity; ANALYZE numbers;
INSERT INTO kg_edge (tenant, source, relation_no, key, target)
  SELECT 'large_sets', a.node, r.relation_no, '', b.node
    FROM (SELECT DISTINCT pg_temp.draw(i, 14000)::text AS f, pg_temp.draw(i + 1000000, CASE WHEN i % 50 = 0 THEN 15000 ELSE 14000 END)::text AS t, i % 2 = 0 AS also FROM generate_series(1, 30000) i
          UNION SELECT (1 + i % 3)::text, pg_temp.draw(i + 2000000, 14000)::text, false FROM generate_series(1, 2000) i
          UNION SELECT pg_temp.draw(i + 3000000, 14000)::text, (14500 + i)::text, true FROM generate_series(1, 1000) i) e
    JOIN numbers a ON a.entity_id = e.f JOIN numbers b ON b.entity_id = e.t JOIN (SELECT DISTINCT relation, relation_no FROM kg_relation) r ON r.relation = CASE WHEN also THEN 'ALSO' ELSE 'TO' END;
SELECT count(*) FROM kg_edge;
CREATE TEMP TABLE links AS SELECT source AS a, target AS b FROM kg_edge UNION SELECT target, source FROM kg_edge;
CREATE INDEX ON links (a);
ANALYZE links;
CREATE TEMP TABLE met (node bigint PRIMARY KEY, depth int);
-- what neighbors and paths tell from one start, beside a search of each hop's neighbors in turn
CREATE FUNCTION pg_temp.differences(start text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE n int; got jsonb; want jsonb; f record;
BEGIN
  TRUNCATE met;
  INSERT INTO met SELECT node, 0 FROM kg_entity WHERE entity_id = start;
  FOR n IN 1 .. 8 LOOP
    INSERT INTO met SELECT DISTINCT l.b, n FROM met m JOIN links l ON l.a = m.node WHERE m.depth = n - 1 ON CONFLICT DO NOTHING;
  END LOOP;
  FOR n IN 1 .. 7 LOOP
    SELECT jsonb_build_object('by_depth', jsonb_object_agg(depth::text, c) FILTER (WHERE depth <= n), 'complete', NOT bool_or(depth = n + 1)) INTO want FROM (SELECT depth, count(*) AS c FROM met GROUP BY 1) x;
    got := kg_neighbors(jsonb_build_object('start_node', jsonb_build_object('label', 'thing', 'node_id', start), 'max_hops', n, 'limit', 1));
    got := jsonb_build_object('by_depth', got #> '{counts,by_depth}', 'complete', got -> 'complete');
    IF got IS DISTINCT FROM want THEN RETURN NEXT format('%s within %s: %s, not %s', start, n, got, want); END IF;
  END LOOP;
  FOR f IN SELECT entity_id AS id, depth FROM kg_entity e LEFT JOIN met USING (node) WHERE entity_id IN ('2', '99', '5000', '13998', '14002', '14600', '15000', '15499') AND depth IS DISTINCT FROM 0 LOOP
    got := kg_paths(jsonb_build_object('from', jsonb_build_object('label', 'thing', 'ids', jsonb_build_array(start)), 'to', jsonb_build_object('label', 'thing', 'ids', jsonb_build_array(f.id)), 'max_hops', 6)) #> '{paths,0,length}';
    IF got::int IS DISTINCT FROM (CASE WHEN f.depth <= 6 THEN f.depth END) THEN RETURN NEXT format('%s to %s: %s, not %s', start, f.id, got, f.depth); END IF;
  END LOOP;
  RETURN NEXT (SELECT format('%s: %s nodes', start, count(*)) FROM met);
END $$;
-- by rows alone, packed, and where some were changed since
SELECT pg_temp.differences(s) FROM unnest('{1,77,14001,15400}'::text[]) s;
SELECT kg_pack() > 10000;
SELECT pg_temp.differences(s) FROM unnest('{1,77,14001,15400}'::text[]) s;
DELETE FROM kg_edge WHERE source = ANY (ARRAY(SELECT node FROM numbers WHERE entity_id::int % 97 = 0));
TRUNCATE links; INSERT INTO links SELECT source AS a, target AS b FROM kg_edge UNION SELECT target, source FROM kg_edge;
SELECT pg_temp.differences(s) FROM unnest('{1,77,14001,15400}'::text[]) s;
\c - :owner
CALL test.drop('large_sets');
