-- The size of replies: every graph tool keeps max_bytes and max_tokens, and counts
-- what it leaves out; as an ordinary role.
\i test/data/prelude.sql
CALL test.tenant('budget_a', 'budget_a write');
\c - budget_a
\pset format unaligned
\pset tuples_only on
-- a hub with sixty others around it, all of them with text
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'star', 'version', '1',
  'schemas', '[{"entity_type": "star", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "required": ["id"], "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true}, "text": {"type": "string"}, "note": {"type": "string"}}}}]'::jsonb,
  'relations', '[{"name": "NEAR", "from": "star", "to": "star", "schema": {"type": "object", "properties": {"text": {"type": "string"}}}}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'star', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 's' || i, 'name', 'Star number ' || i, 'text', repeat('long ', 30), 'note', repeat('x', 100))) FROM generate_series(0, 60) i))),
  'edges', (SELECT jsonb_agg(jsonb_build_object('relation', 'NEAR', 'from', 'star:s0', 'to', 'star:s' || i, 'properties', jsonb_build_object('text', repeat('far ', 20)))) FROM generate_series(1, 60) i) ||
    (SELECT jsonb_agg(jsonb_build_object('relation', 'NEAR', 'from', 'star:s1', 'to', 'star:s' || i)) FROM generate_series(2, 30) i))) ? 'revision';
CREATE TEMP TABLE call (n int GENERATED ALWAYS AS IDENTITY, tool text, arguments jsonb);
INSERT INTO call (tool, arguments) SELECT t, a::jsonb FROM (VALUES
  ('get_graph_schema', '{"expand_schema": true}'),
  ('find_nodes', '{"node_label": "star", "limit": 60}'),
  ('traverse_relationships', '{"from": {"label": "star", "ids": ["s0"]}, "relationships": [{"type": "NEAR"}], "limit": 60}'),
  ('explore_neighbors', '{"start_node": {"label": "star", "node_id": "s0"}, "limit": 60}'),
  ('find_paths', '{"from": {"label": "star", "ids": ["s0"]}, "to": {"label": "star", "filters": {"name": {"contains": "2"}}}, "limit": 60}'),
  ('aggregate_nodes', '{"node": {"label": "star"}, "aggregations": [{"fn": "count"}, {"fn": "min", "property": "text"}], "group_by": [{"property": "name"}], "limit": 60}'),
  ('describe_schema', '{}'),
  ('search_entities', '{"query": "star", "limit": 60}'),
  ('bfs_query', '{"seeds": ["s0"], "max_hops": 1}'),
  ('describe_entity', '{"id": "s0"}'),
  ('describe_entities', '{"ids": ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"]}'),
  ('intersect_subgraphs', '{"seeds": ["s0", "s1"], "k": 1}')) v(t, a);
CREATE FUNCTION pg_temp.reply(tool text, arguments jsonb) RETURNS jsonb LANGUAGE sql AS $$ SELECT kg_call_tool(tool, arguments)->'structuredContent' $$;
-- within the bytes asked for, whatever these are
SELECT tool, bool_and(octet_length(pg_temp.reply(tool, arguments || jsonb_build_object('max_bytes', bytes))::text) <= bytes) FROM call, generate_series(1024, 24000, 1149) bytes GROUP BY n, tool ORDER BY n;
SELECT tool, bool_and(octet_length(pg_temp.reply(tool, arguments || jsonb_build_object('max_tokens', tokens))::text) <= 4 * tokens) FROM call, generate_series(256, 6000, 287) tokens WHERE n > 6 GROUP BY n, tool ORDER BY n;
-- the smaller of both counts
SELECT tool, octet_length(pg_temp.reply(tool, arguments || '{"max_tokens": 6000, "max_bytes": 1500}')::text) <= 1500 AND octet_length(pg_temp.reply(tool, arguments || '{"max_tokens": 375, "max_bytes": 24000}')::text) <= 1500 FROM call WHERE n > 6 ORDER BY n;
-- what is left out is said and counted
SELECT tool, r->'returned', r->'total', r->'truncated', r->'reason', r->'withheld', r ? 'next' FROM call, LATERAL pg_temp.reply(tool, arguments || '{"max_bytes": 3000}') r ORDER BY n;
-- all that limit admits and bytes do not, however many could not fit anyway
SELECT r->'returned', (r->'returned')::int + (r#>'{withheld,items}')::int FROM kg_bfs('{"seeds": ["s0"], "max_hops": 1, "max_bytes": 1400}') r;
SELECT (r->'returned')::int + (r#>'{withheld,items}')::int FROM kg_bfs('{"seeds": ["s0"], "max_hops": 1, "max_bytes": 1400, "limit": 50, "offset": 4}') r;
SELECT (r->'returned')::int + (r#>'{withheld,items}')::int FROM kg_bfs('{"seeds": ["s0"], "max_hops": 1, "max_bytes": 1400, "limit": 50, "offset": 40}') r;
SELECT r->'withheld' FROM kg_bfs('{"seeds": ["s0"], "max_hops": 1, "topology_only": true, "limit": 2}') r;
SELECT (r->'returned')::int + (r#>'{withheld,items}')::int FROM kg_intersect('{"seeds": ["s0"], "k": 1, "max_bytes": 1400}') r;
-- pages that are cut by bytes go on with the first item that was not whole: put together they are the whole, each item once with its data
CREATE FUNCTION pg_temp.pages(tool text, arguments jsonb, member text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r jsonb := pg_temp.reply(tool, arguments);
  items jsonb := r->member;
  pages int := 1;
BEGIN
  WHILE r ? 'next' LOOP
    r := pg_temp.reply(tool, r->'next');
    items := items || (r->member);
    pages := pages + 1;
  END LOOP;
  RETURN format('%s pages, %s whole, %s distinct', pages > 1, (SELECT count(*) FROM jsonb_array_elements(items) i WHERE member = 'rows' OR i ? 'properties' OR i ? 'metadata'),
    (SELECT count(DISTINCT CASE member WHEN 'rows' THEN i ELSE i - '{properties,metadata}'::text[] END) FROM jsonb_array_elements(items) i));
END $$;
SELECT tool, pg_temp.pages(tool, arguments || '{"max_bytes": 3000}', CASE n WHEN 3 THEN 'rows' ELSE 'nodes' END) FROM call WHERE n IN (2, 3, 4, 9) ORDER BY n;
SELECT tool, pg_temp.pages(tool, arguments || '{"limit": 7}', CASE n WHEN 3 THEN 'rows' ELSE 'nodes' END) FROM call WHERE n IN (2, 3, 4, 9) ORDER BY n;
SELECT pg_temp.pages('traverse_relationships', '{"from": {"label": "star", "ids": ["s0"]}, "relationships": [{"type": "NEAR"}, {"type": "NEAR", "direction": "both"}], "limit": 50}', 'rows'), kg_traverse('{"from": {"label": "star", "ids": ["s0"]}, "relationships": [{"type": "NEAR"}, {"type": "NEAR", "direction": "both"}]}')->'total';
-- an item whose edges alone are too many, with nothing else to leave out, is asked for with more bytes; where there may not be more it is gone past
CREATE FUNCTION pg_temp.edges(arguments jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r jsonb := kg_bfs(arguments);
  edges jsonb := r->'edges';
  empty int := 0;
BEGIN
  WHILE r ? 'next' LOOP
    empty := empty + ((r->'returned')::int = 0)::int;
    r := kg_bfs(r->'next');
    edges := edges || (r->'edges');
  END LOOP;
  RETURN format('%s empty pages, %s edges, %s distinct, of %s', empty, jsonb_array_length(edges), (SELECT count(DISTINCT e) FROM jsonb_array_elements(edges) e), r->'edge_count');
END $$;
SELECT bytes, pg_temp.edges(jsonb_build_object('seeds', (SELECT jsonb_agg('star:s' || i) FROM generate_series(2, 12) i), 'max_hops', 1, 'topology_only', true, 'max_bytes', bytes)) FROM unnest(ARRAY[1024, 1100, 1600]) bytes;
\c - :owner
SELECT set_config('kg_graph.max_reply_bytes', '1100', false), set_config('role', 'budget_a', false);
SELECT r->'returned', (r->'next'->'offset')::int - 11 FROM kg_bfs(jsonb_build_object('seeds', (SELECT jsonb_agg('star:s' || i) FROM generate_series(2, 12) i), 'max_hops', 1, 'topology_only', true, 'offset', 11)) r;
\c - budget_a
-- a cursor of traverse_relationships: with another limit, and with another query
SELECT kg_traverse(r->'next' || '{"limit": 2, "max_bytes": 5000}')->'rows' FROM kg_traverse('{"from": {"label": "star", "ids": ["s0"]}, "relationships": [{"type": "NEAR"}], "limit": 3}') r;
SELECT (kg_call_tool('traverse_relationships', (r->'next') || '{"to": {"label": "star"}}')#>'{structuredContent,error}') - 'got' FROM kg_traverse('{"from": {"label": "star", "ids": ["s0"]}, "relationships": [{"type": "NEAR"}], "limit": 3}') r;
SELECT (kg_call_tool('traverse_relationships', '{"from": {"label": "star", "ids": ["s0"]}, "relationships": [{"type": "NEAR"}], "cursor": "AAAA"}')#>'{structuredContent,error}') - 'expected';
\c - :owner
SET client_min_messages = error;
CALL test.drop('budget_a');
