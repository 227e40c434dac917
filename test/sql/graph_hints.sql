-- Hints in empty replies of the graph tools, as ordinary roles. No hint names
-- anything that the caller cannot see.
\i test/data/prelude.sql
\getenv abs_srcdir PG_ABS_SRCDIR
\set graph :abs_srcdir '/data/graph.sql'
CALL test.tenant('hints_a', 'hints_a write', 'hints_some read');
CREATE POLICY hints_hide ON kg_entity AS RESTRICTIVE FOR SELECT TO hints_some USING (entity_id NOT IN ('bob', 'a.c', 'p2'));
\c - hints_a
\i :graph
SELECT kg_apply_bundle(pg_temp.graph_bundle(1000, 'eve')) ? 'revision' AS applied;
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION pg_temp.hints(tool text, arguments jsonb) RETURNS SETOF text LANGUAGE sql AS $$
SELECT concat_ws(' | ', c->>'total', h->>'path', h->>'message', (SELECT string_agg(concat_ws(' ', e->>'edges', e->>'direction', e->>'type'), ', ' ORDER BY i) FROM jsonb_array_elements(h->'edges') WITH ORDINALITY x(e, i)),
    h->>'types', (SELECT string_agg(coalesce(e->>'id', e #>> '{}'), ', ' ORDER BY i) FROM jsonb_array_elements(h->'nearest') WITH ORDINALITY x(e, i)))
  FROM (SELECT coalesce(r#>'{structuredContent,error}', r->'structuredContent') AS c FROM kg_call_tool(tool, arguments) r) r, jsonb_array_elements(coalesce(c->'hints', '["none"]')) WITH ORDINALITY t(h, n) ORDER BY n $$;

-- traverse_relationships: another direction, another relationship, filters of edges, walks that long, other ends
SELECT pg_temp.hints('traverse_relationships', a::jsonb) FROM unnest(ARRAY[
  '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "REPORTS_TO"}]}',
  '{"from": {"label": "person", "ids": ["eve"]}, "relationships": [{"type": "WORKS_ON"}]}',
  '{"from": {"label": "file", "ids": ["lone.c"]}, "relationships": [{"type": "*", "direction": "both"}]}',
  '{"from": {"label": "person", "ids": ["bob"]}, "relationships": [{"type": "WORKS_ON", "filters": {"share": {"gt": 5}}}]}',
  '{"from": {"label": "person", "ids": ["bob"]}, "relationships": [{"type": "REPORTS_TO", "min_hops": 2, "max_hops": 3}]}',
  '{"from": {"label": "person", "ids": ["bob"]}, "relationships": [{"type": "WORKS_ON", "to": {"label": "file"}}]}',
  '{"from": {"label": "person", "ids": ["bob"]}, "relationships": [{"type": "WORKS_ON"}], "to": {"label": "project", "filters": {"budget": 260}}}',
  '{"from": {"label": "person", "ids": ["bob"]}, "relationships": [{"type": "WORKS_ON"}], "to": {"label": "project", "filters": {"state": "closed"}}}',
  '{"from": {"label": "person", "ids": ["bob"]}, "relationships": [{"type": "WORKS_ON"}, {"type": "LINKS"}]}']) a;
-- whatever the answer lacks: its arrays and counts are there
SELECT kg_traverse('{"from": {"label": "person", "ids": ["anne"]}, "relationships": [{"type": "KNOWS"}]}') - 'hints';
SELECT kg_neighbors('{"start_node": {"label": "person", "node_id": "anne"}}') - 'hints';
-- a path in the arguments; handles given for ids; the bound that nothing is beyond
SELECT pg_temp.hints(t, a::jsonb) FROM (VALUES
  ('traverse_relationships', '{"from": {"label": "person", "filters": {"name": "Ann Archer", "team": "core"}}, "relationships": [{"type": "KNOWS"}]}'),
  ('find_nodes', '{"node_label": "person", "ids": ["person:bob"]}'),
  ('explore_neighbors', '{"start_node": {"label": "file", "node_id": "work/file:d.c"}}'),
  ('find_nodes', '{"node_label": "person", "filters": {"rate": {"gt": 90}}}'),
  ('find_nodes', '{"node_label": "person", "filters": {"rate": {"lt": 60.5}}}'),
  ('find_nodes', '{"node_label": "person", "filters": {"rate": {"gt": 95}}}')) v(t, a);
-- a symmetric edge between two of the nodes is one edge
SELECT pg_temp.hints('traverse_relationships', '{"from": {"label": "person", "ids": ["ann", "eve"]}, "relationships": [{"type": "REPORTS_TO"}]}');
-- a step that leads on from some of its starts, and a chain that is whole: no hints
SELECT pg_temp.hints('traverse_relationships', '{"from": {"label": "person"}, "relationships": [{"type": "REPORTS_TO"}]}');
-- explore_neighbors: the start alone
SELECT pg_temp.hints('explore_neighbors', a::jsonb) FROM unnest(ARRAY[
  '{"start_node": {"label": "person", "node_id": "ann"}, "relationship_types": ["REPORTS_TO"], "direction": "outgoing"}',
  '{"start_node": {"label": "file", "node_id": "lone.c"}}',
  '{"start_node": {"label": "person", "node_id": "ann"}, "node_labels": ["file"], "max_hops": 1}',
  '{"start_node": {"label": "person", "node_id": "ann"}, "node_labels": ["project"], "filters": {"state": "paused"}}',
  '{"start_node": {"label": "person", "node_id": "ann"}}']) a;
-- find_paths: nothing between, the wrong direction, one node, both ends unknown
SELECT pg_temp.hints('find_paths', a::jsonb) FROM unnest(ARRAY[
  '{"from": {"label": "file", "ids": ["a.c"]}, "to": {"label": "file", "ids": ["lone.c"]}}',
  '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["dan"]}, "direction": "outgoing", "relationship_types": ["REPORTS_TO"]}',
  '{"from": {"label": "file", "ids": ["a.c"]}, "to": {"label": "file", "ids": ["a.c"]}}',
  '{"from": {"label": "person", "ids": ["anne"]}, "to": {"label": "person", "ids": ["bobb"]}}']) a;
-- aggregate_nodes: a chain that leads nowhere, a group without members
SELECT pg_temp.hints('aggregate_nodes', a::jsonb) FROM unnest(ARRAY[
  '{"node": {"label": "person", "ids": ["eve"]}, "relationships": [{"type": "WORKS_ON"}], "aggregations": [{"fn": "count"}]}',
  '{"node": {"label": "person", "ids": ["eve"]}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "WORKS_ON", "label": "project"}]}',
  '{"node": {"label": "person", "ids": ["evy"]}, "aggregations": [{"fn": "count"}]}']) a;
-- search_entities: other types, a word of the query, nothing like it
SELECT pg_temp.hints('search_entities', a::jsonb) FROM unnest(ARRAY['{"query": "Cleo Cook", "node_types": ["project", "file"]}', '{"query": "xyzzy cook qwertz"}', '{"query": "xyzzy"}']) a;
-- intersect_subgraphs
SELECT pg_temp.hints('intersect_subgraphs', a::jsonb) FROM unnest(ARRAY['{"seeds": ["file:b.c", "ann"], "k": 1}', '{"seeds": ["ann", "nobody"], "k": 1}', '{"seeds": ["ann", "cleo"], "k": 1, "exclude_node_types": ["person"]}']) a;

-- a small reply has few of them, and stays within its bytes
SELECT length(r::text) <= 1024, jsonb_array_length(r#>'{hints,0,edges}') FROM kg_paths('{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "file", "ids": ["lone.c"]}, "max_bytes": 1024}') r;
-- ids that do not exist: the nearest handle to each, in a reply, and in the error where there is none
SELECT pg_temp.hints('bfs_query', a::jsonb) FROM unnest(ARRAY['{"seeds": ["ann", "person:cloe", "zz", "anne"], "max_hops": 1}', '{"seeds": ["ann"], "max_hops": 1}', '{"seeds": ["ann", "anne"], "max_hops": 1, "offset": 1}']) a;
SELECT pg_temp.hints('intersect_subgraphs', '{"seeds": ["ann", "anne"], "k": 1}');
SELECT pg_temp.hints('describe_entities', '{"ids": ["ann", "anne", "person:danny"]}');
SELECT pg_temp.refused('bfs_query', '{"seeds": ["anne"], "max_hops": 1}'), pg_temp.refused('describe_entity', '{"id": "person:anne"}'), pg_temp.refused('describe_entity', '{"id": "project:anne"}');
-- something need not be near to the first of several ids or values: each is looked at, of many the first twenty
SELECT pg_temp.hints('find_nodes', a::jsonb) FROM unnest(ARRAY['{"node_label": "person", "ids": ["qqqq", "anne", "bobb"]}', '{"node_label": "project", "filters": {"budget": {"in": [1, 255, 100000]}}}', '{"node_label": "person", "filters": {"name": {"in": ["Qqqq", "Ann Archr", "Bob Baxter"]}}}']) a;
SELECT pg_temp.hints('traverse_relationships', '{"from": {"label": "person", "ids": ["qqqq", "bobb"]}, "relationships": [{"type": "*"}]}');
SELECT pg_temp.hints('intersect_subgraphs', '{"seeds": ["q1", "q2", "q3", "q4", "q5", "q6", "anne"], "k": 1}');
SELECT c->>'code', c->>'path', c->>'got', c->>'did_you_mean', (SELECT string_agg(concat_ws(' ', e->>'path', e->>'got', e->>'did_you_mean'), ', ') FROM jsonb_array_elements(c->'errors') e)
  FROM unnest(ARRAY['{"seeds": ["qqqq", "anne", "bobb"], "max_hops": 1}', '{"seeds": ["qqqq", "anne"], "max_hops": 1}', '{"seeds": ["qqqq", "qqqqq"], "max_hops": 1}']) a, LATERAL (SELECT kg_call_tool('bfs_query', a::jsonb)#>'{structuredContent,error}') r(c);
SELECT c->>'got', c->>'did_you_mean' FROM (SELECT kg_call_tool('bfs_query', jsonb_build_object('max_hops', 1, 'seeds', (SELECT jsonb_agg('q' || i) FROM generate_series(1, 20) i) || '["anne"]'))#>'{structuredContent,error}') r(c);
SELECT length(r::text) <= 1024, jsonb_array_length(r->'hints') FROM kg_bfs(jsonb_build_object('seeds', '["ann"]'::jsonb || (SELECT jsonb_agg('anne' || i) FROM generate_series(1, 6) i), 'max_hops', 2, 'max_bytes', 1024)) r;

-- who cannot see some nodes is told of none of their edges
\c - hints_some
\i :graph
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION pg_temp.hints(tool text, arguments jsonb) RETURNS SETOF text LANGUAGE sql AS $$
SELECT concat_ws(' | ', c->>'total', h->>'path', h->>'message', (SELECT string_agg(concat_ws(' ', e->>'edges', e->>'direction', e->>'type'), ', ' ORDER BY i) FROM jsonb_array_elements(h->'edges') WITH ORDINALITY x(e, i)), h->>'types')
  FROM (SELECT coalesce(r#>'{structuredContent,error}', r->'structuredContent') AS c FROM kg_call_tool(tool, arguments) r) r, jsonb_array_elements(coalesce(c->'hints', '["none"]')) WITH ORDINALITY t(h, n) ORDER BY n $$;
SELECT pg_temp.hints('traverse_relationships', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "REPORTS_TO"}]}');
SELECT pg_temp.hints('traverse_relationships', '{"from": {"label": "file", "ids": ["d.c"]}, "relationships": [{"type": "LINKS"}]}');
SELECT pg_temp.hints('explore_neighbors', '{"start_node": {"label": "person", "node_id": "ann"}, "node_labels": ["file"], "max_hops": 1}');
SELECT pg_temp.hints('find_paths', '{"from": {"label": "person", "ids": ["dan"]}, "to": {"label": "file", "ids": ["c.c"]}}');
SELECT pg_temp.refused('describe_entity', '{"id": "person:bob"}'), pg_temp.refused('describe_entity', '{"id": "person:bobb"}'), kg_bfs('{"seeds": ["ann", "bobb"], "max_hops": 1}')->'hints';
\c - :owner
SET client_min_messages = error;
DROP POLICY hints_hide ON kg_entity;
CALL test.drop('hints_a');
