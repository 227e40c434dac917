-- The twelve graph tools: every parameter, as an ordinary role.
\getenv abs_srcdir PG_ABS_SRCDIR
\set graph :abs_srcdir '/data/graph.sql'
SELECT current_user AS owner \gset
CREATE ROLE graph_a LOGIN;
CREATE ROLE graph_b LOGIN;
SELECT kg_create_tenant('graph_a');
SELECT kg_create_tenant('graph_b');
SELECT kg_grant('graph_a', 'graph_a', 'write');
SELECT kg_grant('graph_b', 'graph_b', 'write');
\c - graph_b
\i :graph
SELECT kg_apply_bundle(pg_temp.graph_bundle(7777, 'bob'))->'created' IS NOT NULL AS applied;
\c - graph_a
\i :graph
SELECT kg_apply_bundle(pg_temp.graph_bundle(1000, 'eve'))->'created' IS NOT NULL AS applied;
\pset format unaligned
\pset tuples_only on
SELECT kg_graph_schema() - 'revision';
SELECT kg_find_nodes('{"node_label": "person"}');
SELECT kg_traverse('{"from": {"label": "person", "ids": ["ann","bob"]}, "relationships": [{"type": "WORKS_ON"}]}');
SELECT kg_neighbors('{"start_node": {"label": "person", "node_id": "dan"}}');
SELECT kg_paths('{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "file", "ids": ["d.c"]}, "max_hops": 6}');
SELECT kg_aggregate('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}, {"fn": "max", "property": "rate"}, {"fn": "min", "property": "team"}], "group_by": [{"property": "team"}]}');
SELECT kg_describe_schema();
SELECT kg_search('{"query": "bos"}');
SELECT kg_bfs('{"seeds": ["ann"], "max_hops": 2}');
SELECT kg_describe('{"id": "ann"}');
SELECT kg_describe_many('{"ids": ["ann", "nobody"]}');
SELECT kg_intersect('{"seeds": ["ann", "cleo"], "k": 1}');
SELECT jsonb_array_length(kg_list_tools());

\c - :owner
SELECT kg_drop_tenant('graph_a');
SELECT kg_drop_tenant('graph_b');
DROP OWNED BY graph_a, graph_b;
DROP ROLE graph_a, graph_b;
