-- Errors of the graph tools, which say what to send instead.
\i test/data/prelude.sql
\getenv abs_srcdir PG_ABS_SRCDIR
\set graph :abs_srcdir '/data/graph.sql'
CALL test.tenant('bad_a', 'bad_a write');
\c - bad_a
\i :graph
SELECT kg_apply_bundle(pg_temp.graph_bundle(1000, 'eve')) ? 'revision' AS applied;
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION pg_temp.each(tool text, arguments text[]) RETURNS SETOF text LANGUAGE sql AS $$
SELECT coalesce(pg_temp.refused(tool, a::jsonb), '?') FROM unnest(arguments) WITH ORDINALITY t(a, i) ORDER BY i $$;
-- an object of a tool with a member changed
CREATE FUNCTION pg_temp.ids(n int) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_agg('n' || i) FROM generate_series(1, n) i $$;

-- every tool: unknown members, what is missing, wrong kinds, what is out of range
SELECT t->>'name', split_part(pg_temp.refused(t->>'name', '{"nothing": 1}'), ' | expected', 1) FROM jsonb_array_elements(kg_list_tools()) t WHERE t->>'name' !~ '^(list|get)_(person|project|file)' ORDER BY 1;
SELECT t->>'name', split_part(pg_temp.refused(t->>'name', '[]'), ' | expected', 1) FROM jsonb_array_elements(kg_list_tools()) t WHERE t->>'name' ~ '_(nodes|paths)$' ORDER BY 1;
SELECT t->>'name', split_part(pg_temp.refused(t->>'name', '{}'), ' | expected', 1) FROM jsonb_array_elements(kg_list_tools()) t WHERE t->'inputSchema' ? 'required' AND t->>'name' !~ '^(list|get)_(person|project|file)' ORDER BY 1;
SELECT DISTINCT pg_temp.refused(t->>'name', '{"max_bytes": 10}') FROM jsonb_array_elements(kg_list_tools()) t WHERE t->>'name' !~ '^(list|get)_(person|project|file)';
SELECT DISTINCT pg_temp.refused(t->>'name', '{"max_tokens": 10}') FROM jsonb_array_elements(kg_list_tools()) t WHERE t->'inputSchema'->'properties' ? 'max_tokens';
-- each refusal of range or kind is one that the published schema makes, too
SELECT count(*) FILTER (WHERE NOT kg_validate('{"max_bytes": 10}', t->'inputSchema')) = count(*) FROM jsonb_array_elements(kg_list_tools()) t;

-- types, relations, properties
SELECT pg_temp.each('find_nodes', ARRAY['{"node_label": "persona"}', '{"node_label": 7}', '{"node_label": "person", "filters": {"biography": "x"}}', '{"node_label": "person", "filters": {"nmae": "x"}}',
  '{"node_label": "person", "columns": ["nothing"]}', '{"node_label": "person", "columns": []}', '{"node_label": "person", "sort": [{"field": "bio"}]}', '{"node_label": "person", "sort": [{"field": "name", "order": "up"}]}', '{"node_label": "person", "sort": {"field": "name"}}']);
-- names are near whatever their case
SELECT pg_temp.each('find_nodes', ARRAY['{"node_label": "Person"}', '{"node_label": "PERSONS"}', '{"node_label": "person", "filters": {"NAME": "x"}}', '{"node_label": "person", "filters": {"team": "LEAD"}}']);
SELECT pg_temp.each('explore_neighbors', ARRAY['{"start_node": {"label": "person", "node_id": "ann"}, "relationship_types": ["works_on"]}', '{"start_node": {"label": "person", "node_id": "ann"}, "relationship_types": ["hasMember"]}']);
SELECT pg_temp.each('get_graph_schema', ARRAY['{"expand_nodes": ["**"]}', '{"expand_nodes": "*"}', '{"expand_relationship_types": "*"}', '{"expand_relationship_types": ["links"]}']);
-- ids: an empty list, too many, bad ones
SELECT pg_temp.refused('find_nodes', jsonb_build_object('node_label', 'person', 'ids', pg_temp.ids(501)));
SELECT kg_find_nodes(jsonb_build_object('node_label', 'person', 'ids', pg_temp.ids(500)))->'total';
SELECT pg_temp.each('find_nodes', ARRAY['{"node_label": "person", "ids": []}', '{"node_label": "person", "ids": [""]}', '{"node_label": "person", "ids": ["a\nb"]}', '{"node_label": "person", "ids": [null]}', '{"node_label": "person", "ids": "ann"}', '{"node_label": "person", "ids": "[\"ann\"]"}']);
SELECT pg_temp.refused('find_nodes', jsonb_build_object('node_label', 'person', 'ids', jsonb_build_array(repeat('x', 129))));
-- limits and cursors
SELECT pg_temp.each('find_nodes', ARRAY['{"node_label": "person", "limit": -1}', '{"node_label": "person", "limit": 1001}', '{"node_label": "person", "limit": 1.5}', '{"node_label": "person", "limit": "many"}', '{"node_label": "person", "offset": 1}', '{"node_label": "person", "cursor": ""}', '{"node_label": "person", "cursor": "AAAA"}', '{"node_label": "person", "cursor": 5}']);
-- filters: operators, values, ranges
SELECT pg_temp.each('find_nodes', ARRAY['{"node_label": "person", "filters": {"rate": {"like": 1}}}', '{"node_label": "person", "filters": {"rate": {}}}', '{"node_label": "person", "filters": {"rate": "much"}}', '{"node_label": "person", "filters": {"rate": {"gt": 5, "lt": 1}}}',
  '{"node_label": "person", "filters": {"rate": {"in": []}}}', '{"node_label": "person", "filters": {"team": "Lead"}}', '{"node_label": "person", "filters": {"team": {"gt": "core"}}}', '{"node_label": "person", "filters": {"active": 3}}', '{"node_label": "person", "filters": {"joined": "soon"}}',
  '{"node_label": "person", "filters": {"joined": {"gte": "2022-01-01", "lte": "2021-01-01"}}}', '{"node_label": "person", "filters": {"name": null}}', '{"node_label": "person", "filters": {"name": {"is_null": 1}}}', '{"node_label": "person", "filters": {"name": [{"eq": 1}]}}', '{"node_label": "person", "filters": []}',
  '{"node_label": "person", "filters": {"rate": {"contains_any": [1]}}}', '{"node_label": "person", "filters": {"id": {"is_null": true}}}', '{"node_label": "person", "filters": "{\"team\": \"core\"}"}', '{"node_label": "project", "filters": {"created": {"gt": "2026-13-01T00:00:00Z"}}}']);
SELECT pg_temp.refused('find_nodes', jsonb_build_object('node_label', 'person', 'filters', jsonb_build_object('rate', (SELECT jsonb_agg('{"gt": 1}'::jsonb) FROM generate_series(1, 11)))));
SELECT pg_temp.refused('find_nodes', jsonb_build_object('node_label', 'person', 'filters', jsonb_build_object('name', jsonb_build_object('in', pg_temp.ids(501)))));
-- patterns are plain characters, also those of regular expressions and LIKE
SELECT x, kg_find_nodes(jsonb_build_object('node_label', 'person', 'filters', jsonb_build_object('name', jsonb_build_object(op, x))))->'total'
  FROM unnest('{%,_,.*,\\,(,[a-z],^Ann,"Ann Archer$",100%,Dan_100%}'::text[]) x, unnest('{contains}'::text[]) op;

-- traverse_relationships
SELECT pg_temp.each('traverse_relationships', ARRAY['{"from": {"label": "person", "ids": ["ann"]}, "relationships": []}', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "WORK_ON"}]}', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{}]}',
  '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "KNOWS"}, {"type": "KNOWS"}, {"type": "KNOWS"}, {"type": "KNOWS"}, {"type": "KNOWS"}, {"type": "KNOWS"}]}',
  '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "KNOWS", "min_hops": 3, "max_hops": 1}]}', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "KNOWS", "min_hops": 2}]}', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "KNOWS", "max_hops": 0}]}',
  '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "KNOWS", "max_hops": 7}]}', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "KNOWS", "direction": "up"}]}', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "KNOWS", "filters": {"share": 1}}]}',
  '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "WORKS_ON", "filters": {"share": "half"}}]}', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "WORKS_ON", "to": {"label": "project", "filters": {"rate": 1}}}]}', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "WORKS_ON", "to": {"id": "p1"}}]}',
  '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "WORKS_ON"}], "to": {"node": 1}}', '{"from": {"ids": ["ann"]}, "relationships": [{"type": "WORKS_ON"}]}', '{"from": "ann", "relationships": [{"type": "WORKS_ON"}]}', '{"from": {"label": "person"}, "relationships": {"type": "WORKS_ON"}}', '{"from": {"label": "person"}, "relationships": [{"type": ["KNOWS", 3]}]}']);
-- a pattern that the schema does not connect
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "file", "ids": ["a.c"]}, "relationships": [{"type": "REPORTS_TO"}, {"type": "OWNER"}]}'));
-- hops as text are accepted, and said
SELECT kg_traverse('{"from": {"label": "file", "ids": ["a.c"]}, "relationships": [{"type": "LINKS", "max_hops": "2"}]}')->'repaired';

-- explore_neighbors
SELECT pg_temp.each('explore_neighbors', ARRAY['{"start_node": {"label": "person"}}', '{"start_node": {"label": "person", "node_id": ""}}', '{"start_node": {"label": "person", "node_id": ["ann"]}}', '{"start_node": {"label": "person", "node_id": "ann"}, "max_hops": 0}', '{"start_node": {"label": "person", "node_id": "ann"}, "max_hops": 7}',
  '{"start_node": {"label": "person", "node_id": "ann"}, "filters": {"nothing": 1}}', '{"start_node": {"label": "person", "node_id": "ann"}, "node_labels": ["file"], "filters": {"rate": 1}}', '{"start_node": {"label": "person", "node_id": "ann"}, "direction": "sideways"}']);

-- find_paths
SELECT pg_temp.each('find_paths', ARRAY['{"from": {"label": "person", "ids": ["ann"]}}', '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": []}}', '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["bob"]}, "max_hops": 0}', '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["bob"]}, "max_hops": 7}',
  '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["bob"]}, "mode": "fastest"}', '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["bob"]}, "weight": "share", "mode": "all_shortest"}', '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["bob"]}, "weight": "nothing"}',
  '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["bob"]}, "weight": "kind"}', '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["bob"]}, "relationship_types": ["LINKS"], "weight": "share"}', '{"from": {"label": "file", "ids": ["a.c"]}, "to": {"label": "file", "ids": ["d.c"]}, "weight": "cost"}', '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["bob"]}, "cursor": "AAAA"}']);

-- aggregate_nodes
SELECT pg_temp.each('aggregate_nodes', ARRAY['{"node": {"label": "person"}, "aggregations": []}', '{"node": {"label": "person"}, "aggregations": [{"fn": "mode", "property": "rate"}]}', '{"node": {"label": "person"}, "aggregations": [{"fn": "sum"}]}', '{"node": {"label": "person"}, "aggregations": [{"fn": "sum", "property": "name"}]}', '{"node": {"label": "person"}, "aggregations": [{"fn": "max", "property": "active"}]}',
  '{"node": {"label": "project"}, "aggregations": [{"fn": "max", "property": "tags"}]}', '{"node": {"label": "person"}, "aggregations": [{"fn": "count", "property": "nothing"}]}', '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}, {"fn": "count"}]}', '{"node": {"label": "person"}, "aggregations": [{"fn": "count", "as": ""}]}', '{"node": {"label": "person"}, "aggregations": [{"fn": "count", "as": "team"}], "group_by": [{"property": "team"}]}',
  '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{}]}', '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "team", "truncate": "month"}]}', '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "joined", "truncate": "hour"}]}', '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "joined", "truncate": "decade"}]}',
  '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "WORKS_ON"}]}', '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "WORKS_ON", "label": "project", "truncate": "day"}]}', '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "WORKS", "label": "project"}]}',
  '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "sort": [{"field": "rate"}]}', '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "id"}, {"property": "name"}, {"property": "team"}, {"property": "rate"}, {"property": "active"}]}', '{"node": {"label": "person"}, "relationships": [], "aggregations": [{"fn": "count"}]}']);

-- BFS-QL: seeds, hops, pages
SELECT pg_temp.each('bfs_query', ARRAY['{"seeds": [], "max_hops": 1}', '{"seeds": ["ann"]}', '{"seeds": "ann", "max_hops": 1}', '{"seeds": [{}], "max_hops": 1}', '{"seeds": ["nobody"], "max_hops": 1}', '{"seeds": ["nobody", "person:nobody"], "max_hops": 1}', '{"seeds": ["x1"], "max_hops": 1}', '{"seeds": ["ann"], "max_hops": 0}', '{"seeds": ["ann"], "max_hops": 7}', '{"seeds": ["ann"], "max_hops": "two"}',
  '{"seeds": ["ann"], "max_hops": 1, "node_types": ["persons"]}', '{"seeds": ["ann"], "max_hops": 1, "exclude_node_types": ["projekt"]}', '{"seeds": ["ann"], "max_hops": 1, "predicates": ["knows"]}', '{"seeds": ["ann"], "max_hops": 1, "min_mentions": 0}', '{"seeds": ["ann"], "max_hops": 1, "limit": -1}', '{"seeds": ["ann"], "max_hops": 1, "offset": -1}', '{"seeds": ["ann"], "max_hops": 1, "topology_only": "maybe"}', '{"seeds": ["ann"], "max_hops": 1, "cursor": "AAAA"}']);
SELECT pg_temp.refused('bfs_query', jsonb_build_object('seeds', pg_temp.ids(501), 'max_hops', 1));
SELECT pg_temp.each('intersect_subgraphs', ARRAY['{"seeds": [], "k": 1}', '{"seeds": ["ann"]}', '{"seeds": ["ann"], "k": 6}', '{"seeds": ["ann"], "k": 1, "limit": 5}', '{"seeds": ["x1"], "k": 1}']);
SELECT pg_temp.each('describe_entity', ARRAY['{"id": "nobody"}', '{"id": "x1"}', '{"id": []}', '{"id": null}']);
SELECT pg_temp.each('describe_entities', ARRAY['{"ids": "ann"}', '{"ids": ["x1"]}', '{"ids": [true]}']);
SELECT pg_temp.refused('describe_entities', jsonb_build_object('ids', pg_temp.ids(501)));
SELECT pg_temp.each('search_entities', ARRAY['{"query": ""}', '{"query": 5}', '{"query": "a", "limit": 101}', '{"query": "a", "node_types": ["persons"]}']);

-- what is said is what would work: the operator as it was named and all that there are, an example that fits, no name twice
SELECT pg_temp.each('find_nodes', ARRAY['{"node_label": "person", "filters": {"id": {"is_not_null": true}}}', '{"node_label": "person", "filters": {"active": {"gt": true}}}', '{"node_label": "person", "filters": {"total_mentions": "one"}}', '{"node_label": "project", "filters": {"tags": {"is_null": 2}}}']);
-- filters are joined by nothing but and
SELECT pg_temp.each('find_nodes', ARRAY['{"node_label": "person", "filters": {"or": [{"name": "a"}, {"rate": 1}]}}', '{"node_label": "person", "filters": {"$not": {"team": "core"}}}', '{"node_label": "person", "filters": {"name": {"naem": 1}}}']);
CREATE FUNCTION pg_temp.example(tool text, arguments text[]) RETURNS SETOF text LANGUAGE sql AS $$
SELECT concat_ws(' | ', c->>'path', c->>'expected', coalesce(c#>>'{call,arguments}', 'example ' || (c->>'example'), 'no call')) FROM unnest(arguments) WITH ORDINALITY t(a, i), LATERAL (SELECT kg_call_tool(tool, a::jsonb)#>'{structuredContent,error}' AS c) x ORDER BY i $$;
SELECT pg_temp.example('find_nodes', ARRAY['{"node_label": "person", "ids": "ann"}', '{"node_label": "person", "ids": null}', '{"node_label": "person", "ids": {"id": "ann"}}', '{"node_label": "person", "sort": "name"}', '{"node_label": "person", "sort": {"field": "name"}}', '{"node_label": "person", "sort": ["name"]}', '{"node_label": "person", "filters": {"name": ["a", "b"]}}',
  '{"node_label": "person", "filters": {"name": [["a"]]}}', '{"node_label": "person", "filters": {"name": {"eq": ["a", "b"]}}}', '{"node_label": "person", "filters": {"name": {"eq": []}}}', '{"node_label": "person", "filters": {"name": {"eq": [null]}}}']);
SELECT pg_temp.example('aggregate_nodes', ARRAY['{"node": {"label": "person"}, "aggregations": {"fn": "count"}}', '{"node": {"label": "person"}, "aggregations": "count"}', '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": "team"}', '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "team"}, {"property": "team"}]}', '{"node": {"label": "person"}, "aggregations": [{"fn": "count", "as": "team"}], "group_by": [{"property": "team"}]}']);
SELECT pg_temp.example(t, ARRAY[a]) FROM (VALUES ('bfs_query', '{"seeds": ["ann"], "max_hops": 1, "predicates": null}'), ('bfs_query', '{"seeds": ["ann"], "max_hops": 1, "predicates": "KNOWS"}'), ('explore_neighbors', '{"start_node": {"label": "person", "node_id": "ann"}, "relationship_types": 5}')) v(t, a);
-- a handle in place of what selects nodes, and an array in place of filters
SELECT pg_temp.example(t, ARRAY[a]) FROM (VALUES ('explore_neighbors', '{"start_node": "person:ann"}'), ('explore_neighbors', '{"start_node": "ann"}'), ('explore_neighbors', '{"start_node": ":ann"}'), ('explore_neighbors', '{"start_node": 5}'),
  ('find_paths', '{"from": "person:ann", "to": {"label": "person"}}'), ('traverse_relationships', '{"from": "person", "relationships": [{"type": "KNOWS"}]}'), ('aggregate_nodes', '{"node": "person"}'),
  ('find_nodes', '{"node_label": "person", "filters": [{"field": "name", "op": "==", "value": "Ann"}, {"age": {"gt": 3}}]}'), ('find_nodes', '{"node_label": "person", "filters": [{"property": "name", "value": "Ann"}]}'), ('find_nodes', '{"node_label": "person", "filters": []}'),
  ('find_nodes', '{"node_label": "person", "filters": [{"age": {"gt": 3}}, {"age": {"lt": 9}}]}'), ('find_nodes', '{"node_label": "person", "filters": ["name"]}'), ('find_nodes', '{"node_label": "person", "filters": [{"field": "name", "op": "near", "value": "x"}]}'),
  ('find_nodes', '{"node_label": "person", "filters": [{"field": "name", "value": "x", "or": true}]}'), ('find_nodes', '{"node_label": "person", "filters": "name"}')) v(t, a);
SELECT kg_traverse(jsonb_build_object('from', kg_call_tool('traverse_relationships', '{"from": "person:ann", "relationships": [{"type": "KNOWS"}]}') #> '{structuredContent,error,example}', 'relationships', '[{"type": "KNOWS"}]'::jsonb)) -> 'total' > '0' AS goes_through;
SELECT pg_temp.each('find_paths', ARRAY['{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["bob"]}, "relationship_types": ["KNOWS", "LINKS", "WORKS_ON"], "weight": "quote"}']);
-- a value that is longer than any that is kept
SELECT DISTINCT split_part(pg_temp.refused('find_nodes', jsonb_build_object('node_label', 'person', 'filters', jsonb_build_object('name', c))), ' | expected', 1) FROM (VALUES (to_jsonb(repeat('x', 2000))), (jsonb_build_object('in', jsonb_build_array('a', repeat('x', 2000))))) v(c) ORDER BY 1;
-- an integer with a fraction of zero is an integer, another number is no id
SELECT pg_temp.each('describe_entity', ARRAY['{"id": 7.0}', '{"id": 7.5}']);

-- toolsets: what is left out is not listed and cannot be called
SET kg_graph.toolsets = 'bfs';
SELECT string_agg(t->>'name', ' ') FROM jsonb_array_elements(kg_list_tools()) t;
SELECT pg_temp.refused('find_nodes', '{"node_label": "person"}');
SET kg_graph.toolsets = 'graph, catalog';
SELECT string_agg(t->>'name', ' ') FROM jsonb_array_elements(kg_list_tools()) t;
SELECT pg_temp.refused('describe_schema', '{}');
SET kg_graph.toolsets = 'graph, more'; SELECT kg_list_tools();
RESET kg_graph.toolsets;

-- ceilings name their setting
\c - :owner
\i :graph
\pset format unaligned
\pset tuples_only on
SET ROLE bad_a;
SET kg_graph.tenant = 'bad_a';
RESET ROLE;
SET kg_graph.max_visited = 3; SET ROLE bad_a;
SELECT pg_temp.refused('aggregate_nodes', '{"node": {"label": "person"}, "aggregations": [{"fn": "count", "property": "bio"}]}');
SELECT pg_temp.refused('traverse_relationships', '{"from": {"label": "person"}, "relationships": [{"type": "KNOWS"}]}');
SELECT pg_temp.refused('find_paths', '{"from": {"label": "person"}, "to": {"label": "file", "ids": ["a.c"]}}');
-- and the example that it gives is one that goes through
SELECT kg_call_tool('traverse_relationships', '{"from": {"label": "person"}, "relationships": [{"type": "KNOWS"}]}') #> '{structuredContent,error,example}' AS example \gset
SELECT :'example';
SELECT kg_traverse(:'example') -> 'total';
SELECT kg_aggregate('{"node": {"label": "person", "filters": {"name": {"starts_with": "Ann"}}}, "aggregations": [{"fn": "count"}]}')->'rows';
RESET ROLE; SET kg_graph.max_visited = 5; SET ROLE bad_a;
SELECT pg_temp.refused('bfs_query', '{"seeds": ["dan"], "max_hops": 2}');
SELECT pg_temp.refused('explore_neighbors', '{"start_node": {"label": "person", "node_id": "dan"}}');
RESET ROLE; RESET kg_graph.max_visited; SET kg_graph.max_edges = 5; SET ROLE bad_a;
SELECT pg_temp.refused('find_paths', '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "file", "ids": ["d.c"]}, "max_hops": 6, "mode": "walks"}');
RESET ROLE; RESET kg_graph.max_edges; SET kg_graph.max_rows = 2; SET ROLE bad_a;
SELECT pg_temp.refused('find_nodes', '{"node_label": "person", "limit": 3}');
RESET ROLE; RESET kg_graph.max_rows;
-- the last word of a name, where it is of one name only
SET ROLE bad_a;
SELECT pg_temp.refused(t, a::jsonb) FROM (VALUES
  ('find_nodes', '{"label": "person"}'),
  ('explore_neighbors', '{"start_node": {"label": "person", "id": "ann"}}'),
  ('aggregate_nodes', '{"node": {"label": "person"}, "aggregations": [{"fn": "distinct"}]}')) v(t, a);
RESET ROLE;
-- the limits of hops, steps, ids and filters can be lowered; the schemas and the defaults follow
SET kg_graph.max_hops = 1; SET kg_graph.max_steps = 2; SET kg_graph.max_ids = 2; SET kg_graph.max_filters = 1; SET ROLE bad_a;
SELECT pg_temp.refused(t, a::jsonb) FROM (VALUES
  ('explore_neighbors', '{"start_node": {"label": "person", "node_id": "ann"}, "max_hops": 2}'),
  ('find_paths', '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["bob"]}, "max_hops": 2}'),
  ('bfs_query', '{"seeds": ["ann"], "max_hops": 2}'),
  ('intersect_subgraphs', '{"seeds": ["ann"], "k": 2}'),
  ('traverse_relationships', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "KNOWS", "max_hops": 2}]}'),
  ('traverse_relationships', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "KNOWS"}, {"type": "KNOWS"}, {"type": "KNOWS"}]}'),
  ('aggregate_nodes', '{"node": {"label": "person", "ids": ["ann", "bob", "cleo"]}, "aggregations": [{"fn": "count"}]}'),
  ('bfs_query', '{"seeds": ["ann", "bob", "cleo"], "max_hops": 1}'),
  ('find_nodes', '{"node_label": "person", "filters": {"name": "x", "rate": 1}}')) v(t, a);
SELECT kg_neighbors('{"start_node": {"label": "person", "node_id": "ann"}}')#>'{counts,by_depth}', kg_paths('{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["dan"]}}')->'total';
SELECT t->>'name', t#>'{inputSchema,properties,max_hops}', t#>'{inputSchema,properties,k}', t#>'{inputSchema,properties,relationships,items,properties,max_hops}'
  FROM jsonb_array_elements(kg_list_tools()) t WHERE t->>'name' !~ '^(list|get)_(person|project|file)|schema' ORDER BY 1;
RESET ROLE; RESET kg_graph.max_hops; RESET kg_graph.max_steps; RESET kg_graph.max_ids; RESET kg_graph.max_filters;
CALL test.drop('bad_a');
