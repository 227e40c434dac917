-- The plans of every statement of the graph tools, under row-level security, as an
-- ordinary role, with a second tenant in the database. They must use only indexes.
\i test/data/prelude.sql
\set VERBOSITY default
\getenv abs_srcdir PG_ABS_SRCDIR
\set load :abs_srcdir '/data/graph_big.sql'
CALL test.tenant('plans_a', 'plans_a write');
CALL test.tenant('plans_b', 'plans_b write');
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO plans_a; GRANT pg_read_all_stats TO plans_a;
\pset format unaligned
\pset tuples_only on
\c - plans_b
\i :load
\c - plans_a
\i :load
\c - :owner
VACUUM ANALYZE kg_entity, kg_edge, kg_index_key, kg_term, kg_trigram, kg_adjacency;

-- so low that the nodes are counted for the estimate of a far search
ALTER ROLE plans_a SET kg_graph.max_cost = 200000;
\c - plans_a
\pset format unaligned
\pset tuples_only on
CREATE TEMP TABLE call(n int GENERATED ALWAYS AS IDENTITY, tool text, arguments jsonb);
INSERT INTO call(tool, arguments) SELECT t, a::jsonb FROM (VALUES
  ('find_nodes', '{"node_label": "person", "ids": ["p1", "p2"]}'),
  ('find_nodes', '{"node_label": "person", "filters": {"age": 7}, "sort": [{"field": "name"}]}'),
  ('find_nodes', '{"node_label": "person", "filters": {"name": {"starts_with": "Person 12"}}, "sort": [{"field": "age", "order": "desc"}]}'),
  ('find_nodes', '{"node_label": "person", "filters": {"tags": {"contains_all": ["t3", "u3"]}}}'),
  ('find_nodes', '{"node_label": "person", "ids": ["nobody"]}'),
  ('traverse_relationships', '{"from": {"label": "person", "ids": ["p1"]}, "relationships": [{"type": "KNOWS"}, {"type": "LIKES"}]}'),
  ('traverse_relationships', '{"from": {"label": "person", "filters": {"age": 5, "name": {"contains": "1"}}}, "relationships": [{"type": "KNOWS", "direction": "both", "max_hops": 2, "filters": {"weight": {"gt": 1}}, "to": {"label": "person", "filters": {"age": {"lt": 50}}}}], "limit": 5}'),
  ('explore_neighbors', '{"start_node": {"label": "person", "node_id": "p9"}, "max_hops": 2, "filters": {"age": {"gt": 5}}}'),
  ('find_paths', '{"from": {"label": "person", "ids": ["p1"]}, "to": {"label": "person", "ids": ["p4000"]}, "max_hops": 6}'),
  ('find_paths', '{"from": {"label": "person", "ids": ["p1"]}, "to": {"label": "thing", "filters": {"price": {"lt": 20}}}, "weight": "weight", "node_labels": ["person"]}'),
  ('aggregate_nodes', '{"node": {"label": "person", "filters": {"age": {"in": [5, 6]}}}, "relationships": [{"type": "LIKES"}], "aggregations": [{"fn": "count"}, {"fn": "avg", "property": "age"}], "group_by": [{"property": "tags"}, {"relationship": "LIKES", "label": "thing", "property": "price"}]}'),
  ('aggregate_nodes', '{"node": {"label": "thing"}, "aggregations": [{"fn": "count"}]}'),
  ('aggregate_nodes', '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "age"}]}'),
  ('aggregate_nodes', '{"node": {"label": "person"}, "aggregations": [{"fn": "max", "property": "name"}], "group_by": [{"property": "age"}, {"property": "tags"}]}'),
  ('aggregate_nodes', '{"node": {"label": "person", "filters": {"age": {"in": [5, 6]}}}, "aggregations": [{"fn": "max", "property": "name"}]}'),
  ('find_nodes', '{"node_label": "person", "not_related": [{"type": "LIKES"}]}'),
  ('find_nodes', '{"node_label": "person", "filters": {"age": 6}, "related": [[{"type": "KNOWS", "filters": {"weight": {"gt": 1}}}, {"type": "LIKES", "to": {"filters": {"price": {"lt": 40}}, "not_related": [{"type": "LIKES", "direction": "incoming", "to": {"ids": ["p2"]}}]}, "min_count": 2}]]}'),
  ('find_nodes', '{"node_label": "person", "related": [{"type": "LIKES", "to": {"label": "thing", "ids": ["t1", "t5"]}}], "not_related": [{"type": "KNOWS", "direction": "both", "to": {"ids": ["p7"]}}], "sort": [{"field": "age"}]}'),
  ('traverse_relationships', '{"from": {"label": "person", "related": [{"type": "KNOWS", "to": {"ids": ["p3"]}}]}, "relationships": [{"type": "LIKES"}]}'),
  ('find_nodes', '{"node_label": "person", "filters": {"any": [{"age": {"in": [5, 6]}}, {"name": {"starts_with": "Person 12"}, "tags": "t3"}, {"id": "p8"}]}}'),
  ('find_nodes', '{"node_label": "person", "filters": {"age": {"lt": 50}, "any": [{"name": {"contains": "12"}}, {"tags": {"contains_all": ["t3", "u3"]}}, {"id": {"in": ["p1", "p2"]}}]}, "sort": [{"field": "name"}]}'),
  ('aggregate_nodes', '{"node": {"label": "person", "filters": {"any": [{"age": 5}, {"tags": "t3"}]}}, "aggregations": [{"fn": "count"}]}'),
  ('search_entities', '{"query": "persn 12"}'),
  ('bfs_query', '{"seeds": ["p1", "thing:t5"], "max_hops": 2, "limit": 50}'),
  ('bfs_query', '{"seeds": ["p1", "p500", "p1000", "p1500", "p2000", "p2500", "p3000", "p3500", "p4000", "p4500"], "max_hops": 5, "limit": 5}'),
  ('describe_entities', '{"ids": ["p1", "person:p2", "thing:t3"]}'),
  ('intersect_subgraphs', '{"seeds": ["p1", "p8"], "k": 2}')) v(t, a);
CREATE TEMP TABLE plan AS
  SELECT c.n, c.tool, s.i, s.s->>'sql' AS sql, x.line
    FROM call c, LATERAL jsonb_array_elements(kg_explain(c.tool, c.arguments)->'statements') WITH ORDINALITY s(s, i), LATERAL jsonb_array_elements_text(s.s->'plan') WITH ORDINALITY x(line, j);
-- every call ran statements, none has a value in its text, none reads a table from end to end
SELECT count(DISTINCT n) || ' of ' || (SELECT count(*) FROM call) FROM plan;
SELECT DISTINCT sql FROM plan WHERE sql ~ 'p1|p4000|Person|nobody|persn';
SELECT DISTINCT tool, sql, line FROM plan WHERE line ~ 'Seq Scan|Bitmap Heap Scan|Hash Join|Merge Join';
-- every scan of a table is one of an index, in each of the statements, and they reach every table
SELECT DISTINCT line FROM plan WHERE line ~ 'Scan' AND line !~ 'Index (Only )?Scan (Backward )?using|Index (Only )?Scan using|Subquery Scan|Function Scan|Result|Limit';
SELECT DISTINCT sql FROM plan p WHERE NOT EXISTS (SELECT FROM plan q WHERE q.sql = p.sql AND q.line ~ 'Index (Only )?Scan');
SELECT count(DISTINCT sql) >= 30 FROM plan;
-- the count of nodes is one of them: by what the tenant leads
SELECT DISTINCT ltrim(line) FROM plan WHERE sql ~ '^SELECT node FROM \S+ WHERE tenant \S+ \$1$' AND line ~ 'Index';
SELECT DISTINCT (regexp_match(line, 'Index (?:Only )?Scan(?: Backward)? using \S+ on (?:\S+\.)?(kg_\w+)'))[1] AS name FROM plan WHERE line ~ 'Index' ORDER BY name NULLS FIRST;
-- an edge or a key is looked up by all that leads its index: the tenant first
SELECT count(*) FROM plan WHERE line ~ 'Index Cond' AND line !~ 'tenant\s*=';
-- a generic plan is kept: a statement that runs again is not planned again, and has one plan
SELECT sql FROM call, generate_series(1, 2), LATERAL jsonb_array_elements(kg_explain(tool, arguments) -> 'statements') s, LATERAL (SELECT s ->> 'sql') t(sql) GROUP BY sql HAVING count(DISTINCT s ->> 'plan') > 1;

-- nor does what a caller has the planner do change one
\c - plans_a
\pset format unaligned
\pset tuples_only on
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SET enable_nestloop = off;
SET enable_sort = off;
SELECT DISTINCT line FROM unnest(ARRAY['{"start_node": {"label": "person", "node_id": "p9"}, "max_hops": 2, "filters": {"age": {"gt": 5}}}']) a,
  jsonb_array_elements(kg_explain('explore_neighbors', a::jsonb) -> 'statements') s, jsonb_array_elements_text(s -> 'plan') line WHERE line ~ 'Scan' AND line !~ 'Index|Function Scan|Subquery Scan';

-- nor do tenants so many that statistics promise a row or two to each: a list of nodes is never compared with all of a tenant
\c - :owner
SET client_min_messages = warning;
ALTER TABLE kg_entity ALTER COLUMN tenant SET (n_distinct = -1);
ALTER TABLE kg_edge ALTER COLUMN tenant SET (n_distinct = -1);
ANALYZE kg_entity, kg_edge;
\c - plans_a
SELECT count(*) > 0 AS looked_up, count(*) FILTER (WHERE line ~ 'Filter: .*ANY') AS compared
  FROM unnest(ARRAY['{"start_node": {"label": "person", "node_id": "p9"}, "max_hops": 2}']) a,
  jsonb_array_elements(kg_explain('explore_neighbors', a::jsonb) -> 'statements') s, jsonb_array_elements_text(s -> 'plan') line WHERE line ~ 'ANY';
\c - :owner
SET client_min_messages = warning;
ALTER TABLE kg_entity ALTER COLUMN tenant RESET (n_distinct);
ALTER TABLE kg_edge ALTER COLUMN tenant RESET (n_distinct);
ANALYZE kg_entity, kg_edge;
CALL test.drop('plans_a', 'plans_b');
