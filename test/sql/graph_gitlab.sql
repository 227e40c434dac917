-- The query language's six tools: every parameter, as an ordinary role.
\i test/data/prelude.sql
\getenv abs_srcdir PG_ABS_SRCDIR
\set graph :abs_srcdir '/data/graph.sql'
CALL test.tenant('gitlab_a', 'gitlab_a write');
CALL test.tenant('gitlab_b', 'gitlab_b write');
\c - gitlab_b
\i :graph
SELECT kg_apply_bundle(pg_temp.graph_bundle(7777, 'bob')) ? 'revision' AS applied;
\c - gitlab_a
\i :graph
SELECT kg_apply_bundle(pg_temp.graph_bundle(1000, 'eve')) ? 'revision' AS applied;
\pset format unaligned
\pset tuples_only on

-- get_graph_schema: names; then one type, one relationship type, everything
SELECT kg_graph_schema() - 'revision';
SELECT kg_graph_schema()->>'revision' ~ '^\d{4}-\d\d-\d\dT.*#[0-9a-f]{12}$';
SELECT jsonb_pretty(t) FROM jsonb_array_elements(kg_graph_schema('{"expand_nodes": ["project"]}')->'node_types') t;
SELECT jsonb_pretty(t) FROM jsonb_array_elements(kg_graph_schema('{"expand_relationship_types": ["HAS_MEMBER", "KNOWS"]}')->'relationship_types') t WHERE t ? 'properties';
-- "*" is all of them, alone or beside names; an empty list is none
SELECT a, (SELECT count(*) FROM jsonb_array_elements(r->'node_types') t WHERE t ? 'properties') AS types, (SELECT count(*) FROM jsonb_array_elements(r->'relationship_types') t WHERE t ? 'properties') AS relations, r->'repaired' AS repaired
  FROM unnest(ARRAY['{}', '{"expand_nodes": ["*"]}', '{"expand_nodes": ["*", "person"]}', '{"expand_nodes": []}', '{"expand_relationship_types": ["*"]}', '{"expand_relationship_types": ["KNOWS", "*"]}', '{"expand_relationship_types": []}',
    '{"expand_nodes": ["*"], "expand_relationship_types": ["*"]}']) a, LATERAL kg_graph_schema(a::jsonb) r;
SELECT kg_graph_schema('{"expand_nodes": ["*"], "expand_relationship_types": ["*"]}') = kg_graph_schema('{"expand_schema": true}');
SELECT t->>'name', t->'relationships', jsonb_array_length(t->'properties') FROM jsonb_array_elements(kg_graph_schema('{"expand_schema": true}')->'node_types') t;
SELECT count(*) FILTER (WHERE t ? 'properties'), count(*) FROM jsonb_array_elements(kg_graph_schema('{"expand_schema": true}')->'relationship_types') t;
-- over the budget properties go first, and it says so
SELECT length(r::text) <= 1500, r->'truncated', r->'reason', r->'withheld', jsonb_array_length(r->'node_types'), jsonb_array_length(r->'relationship_types')
  FROM kg_graph_schema('{"expand_schema": true, "max_bytes": 1500}') r;
-- no physical table is named
SELECT kg_graph_schema('{"expand_schema": true}')::text ~ 'kg_(entity|edge|index)';

-- find_nodes: node_label, ids (an integer is read as text), filters, columns, sort, limit, cursor
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "person"}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "work/person", "ids": ["bob", "nobody", "ann", "bob"]}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "file", "filters": {"id": "a.c"}}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "file", "filters": {"data.id": 2}}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "person", "filters": {"team": "core", "rate": {"gte": 60, "lt": 70}}}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "person", "filters": {"rate": [{"gt": 60}, {"ne": 70}]}}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "person", "filters": {"team": {"is_null": true}}}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "person", "filters": {"rate": {"gt": "65"}, "active": "true"}}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "person", "filters": {"name": {"contains": "_"}}}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "person", "filters": {"name": {"ends_with": "%"}}}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "person", "filters": {"name": {"starts_with": "A.*"}}}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "project", "filters": {"tags": "red", "state": {"in": ["open", "paused"]}}}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "project", "filters": {"tags": {"contains_all": ["red", "blue"]}}}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "project", "filters": {"created": {"gte": "2026-02-01T01:00:00Z", "lt": "2026-02-01T03:00:00+01:00"}}}'));
SELECT kg_find_nodes('{"node_label": "person", "ids": ["ann"], "columns": ["name", "team"]}')->'nodes';
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "person", "sort": [{"field": "team", "order": "desc"}, {"field": "rate"}]}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "person", "sort": [{"field": "rate", "order": "desc"}], "limit": 2}'));
-- pages put together are the whole, in order, each once
CREATE TEMP TABLE page AS WITH RECURSIVE p AS (
  SELECT kg_find_nodes('{"node_label": "person", "sort": [{"field": "rate", "order": "desc"}], "limit": 2}') AS r
  UNION ALL SELECT kg_find_nodes(r->'next') FROM p WHERE r ? 'next')
  SELECT r FROM p;
SELECT string_agg(n->>'id', ' ') || ' of ' || max(r->>'total') FROM page, jsonb_array_elements(r->'nodes') n;
-- limit and max_bytes may change between pages, nothing else
SELECT pg_temp.brief(kg_find_nodes((r->'next') || '{"limit": 3, "max_bytes": 100000}')) FROM page LIMIT 1;
SELECT pg_temp.refused('find_nodes', (r->'next') || '{"sort": [{"field": "rate"}]}') FROM page LIMIT 1;
SELECT pg_temp.refused('explore_neighbors', jsonb_build_object('start_node', '{"label": "person", "node_id": "ann"}'::jsonb, 'cursor', r->'next'->'cursor')) FROM page LIMIT 1;
SELECT pg_temp.refused('find_nodes', jsonb_set(r->'next', '{cursor}', to_jsonb(overlay(r->'next'->>'cursor' placing 'AAAA' from 12)))) FROM page LIMIT 1;
-- max_bytes: properties of the last nodes go first, then nodes
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "person", "max_bytes": 1400}'));
SELECT length(r::text) <= 1024, jsonb_array_length(r->'nodes'), r->'returned', r->'reason', r->'withheld', r->'next' ? 'cursor' FROM kg_find_nodes('{"node_label": "person", "max_bytes": 1024}') r;
-- nothing found
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "person", "ids": ["boob"]}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "person", "ids": ["ANN", "Bob Baker"]}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "project", "filters": {"tags": "rde"}}'));

-- traverse_relationships: a step, names, inverse names, several variants, "*"
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "person", "ids": ["ann", "dan"]}, "relationships": [{"type": "WORKS_ON"}]}'));
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "person", "ids": ["dan"]}, "relationships": [{"type": "WORKS_ON"}], "to": {"label": "project"}}'));
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "project", "ids": ["p1"]}, "relationships": [{"type": "HAS_MEMBER"}]}'));
-- a walk that an inverse name asks for has the stored name, too; several names have none
SELECT type, kg_traverse(jsonb_set('{"from": {"label": "project", "ids": ["p1"]}, "relationships": [{"max_hops": 2}]}', '{relationships,0,type}', type::jsonb)) #>> '{edges,0,type}'
  FROM unnest('{"\"HAS_MEMBER\"","[\"HAS_MEMBER\"]","[\"HAS_MEMBER\", \"WORKS_ON\"]","[\"HAS_MEMBER\", \"OWNER\"]"}'::text[]) type;
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "project", "ids": ["p1"]}, "relationships": [{"type": "WORKS_ON", "direction": "incoming"}]}'));
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "person", "ids": ["bob"]}, "relationships": [{"type": ["OWNER", "WORKS_ON"], "direction": "both"}]}'));
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "person", "ids": ["dan"]}, "relationships": [{"type": "*", "direction": "both"}]}'));
-- a symmetric relation is walked both ways whatever is asked
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "person", "ids": ["eve"]}, "relationships": [{"type": "KNOWS", "direction": "outgoing"}]}'));
-- filters of the start, of the edge on every hop, of a step's end, of the last end
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "person", "filters": {"active": true}}, "relationships": [{"type": "WORKS_ON", "filters": {"share": {"gte": 0.5}}}]}'));
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "file", "ids": ["a.c"]}, "relationships": [{"type": "LINKS", "min_hops": 1, "max_hops": 3, "filters": {"kind": "use"}}]}'));
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "file", "ids": ["a.c"]}, "relationships": [{"type": "LINKS", "min_hops": 2, "max_hops": 3}]}'));
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "WORKS_ON", "to": {"label": "project", "filters": {"state": "open"}}}, {"type": "WORKS_ON", "direction": "incoming", "to": {"filters": {"team": "core"}}}, {"type": "REPORTS_TO"}], "to": {"label": "person", "filters": {"team": "lead"}}}'));
-- a row is a distinct binding: parallel edges are one row, with all their edges
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "project", "ids": ["p1"]}, "relationships": [{"type": "*", "direction": "both", "to": {"filters": {"id": "ann"}}}]}'));
-- five steps
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "file", "ids": ["a.c"]}, "relationships": [{"type": "LINKS"}, {"type": "LINKS"}, {"type": "LINKS"}, {"type": "LINKS"}, {"type": "LINKS"}], "to": {"label": "file", "filters": {"id": "a.c"}}, "limit": 3}'));
WITH RECURSIVE p AS (
  SELECT kg_traverse('{"from": {"label": "file", "filters": {"size": {"is_not_null": true}}}, "relationships": [{"type": "LINKS"}, {"type": "LINKS"}], "limit": 2}') AS r
  UNION ALL SELECT kg_traverse(r->'next') FROM p WHERE r ? 'next')
  SELECT count(*) || ' pages, ' || string_agg(x::text, ' ') || ' of ' || max(r->>'total') FROM p, jsonb_array_elements(r->'rows') x;
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "person", "ids": ["ann", "bob", "cleo"]}, "relationships": [{"type": "WORKS_ON"}], "max_bytes": 1300}'));
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "person", "ids": ["anne"]}, "relationships": [{"type": "WORKS_ON"}]}'));
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "person", "ids": ["x1"]}, "relationships": [{"type": "WORKS_ON"}]}'));
-- a whole type
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "project"}, "relationships": [{"type": "OWNER"}]}'));

-- explore_neighbors
SELECT pg_temp.brief(kg_neighbors('{"start_node": {"label": "person", "node_id": "dan"}, "max_hops": 1}'));
SELECT pg_temp.brief(kg_neighbors('{"start_node": {"label": "person", "node_id": "dan"}}'));
SELECT pg_temp.brief(kg_neighbors('{"start_node": {"label": "person", "node_id": "dan"}, "max_hops": 3, "direction": "outgoing"}'));
SELECT pg_temp.brief(kg_neighbors('{"start_node": {"label": "file", "node_id": "a.c"}, "max_hops": 3, "direction": "incoming"}'));
SELECT pg_temp.brief(kg_neighbors('{"start_node": {"label": "person", "node_id": "dan"}, "max_hops": 3, "relationship_types": ["KNOWS", "HAS_MEMBER"]}'));
-- node_labels and filters cut the result, not the walk; the start is always there
SELECT pg_temp.brief(kg_neighbors('{"start_node": {"label": "person", "node_id": "dan"}, "max_hops": 3, "node_labels": ["project"]}'));
SELECT pg_temp.brief(kg_neighbors('{"start_node": {"label": "person", "node_id": "dan"}, "max_hops": 3, "filters": {"state": "open"}}'));
SELECT pg_temp.brief(kg_neighbors('{"start_node": {"label": "person", "node_id": "dan"}, "max_hops": 3, "node_labels": ["person", "file"], "filters": {"id": {"contains": "c"}}}'));
WITH RECURSIVE p AS (
  SELECT kg_neighbors('{"start_node": {"label": "person", "node_id": "ann"}, "max_hops": 3, "limit": 3}') AS r
  UNION ALL SELECT kg_neighbors(r->'next') FROM p WHERE r ? 'next')
  SELECT count(DISTINCT r->'counts') || ' counts, ' || sum(jsonb_array_length(r->'nodes')) || ' nodes, ' || sum(jsonb_array_length(r->'edges')) || ' edges, '
      || (SELECT count(DISTINCT e) FROM p q, jsonb_array_elements(q.r->'edges') e) || ' different'
      || ' = ' || jsonb_array_length(kg_neighbors('{"start_node": {"label": "person", "node_id": "ann"}, "max_hops": 3, "limit": 100}')->'edges')
    FROM p;
SELECT pg_temp.brief(kg_neighbors('{"start_node": {"label": "person", "node_id": "ann"}, "max_hops": 3, "limit": 2}'));
SELECT pg_temp.brief(kg_neighbors('{"start_node": {"label": "person", "node_id": "dann"}}'));
SELECT length(r::text) <= 1300, r->'withheld', r->'counts' FROM kg_neighbors('{"start_node": {"label": "person", "node_id": "dan"}, "max_bytes": 1300}') r;

-- find_paths: modes
SELECT pg_temp.brief(kg_paths('{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "file", "ids": ["c.c"]}, "max_hops": 6}'));
SELECT pg_temp.brief(kg_paths('{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["dan"]}}'));
SELECT pg_temp.brief(kg_paths('{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["dan"]}, "mode": "all_shortest"}'));
SELECT pg_temp.brief(kg_paths('{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["dan"]}, "mode": "simple", "max_hops": 3}'));
SELECT pg_temp.brief(kg_paths('{"from": {"label": "file", "ids": ["a.c"]}, "to": {"label": "file", "ids": ["c.c"]}, "mode": "walks", "direction": "outgoing", "max_hops": 4}'));
-- edges that differ in relation or orientation make different paths
SELECT pg_temp.brief(kg_paths('{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "project", "ids": ["p1"]}, "mode": "all_shortest"}'));
-- from a node to itself: none, but closed walks
SELECT pg_temp.brief(kg_paths('{"from": {"label": "file", "ids": ["c.c"]}, "to": {"label": "file", "ids": ["c.c"]}, "mode": "simple"}'));
SELECT pg_temp.brief(kg_paths('{"from": {"label": "file", "ids": ["c.c"]}, "to": {"label": "file", "ids": ["c.c"]}, "mode": "walks", "direction": "outgoing", "max_hops": 3}'));
-- direction, relationship_types, node_labels (inner nodes only), filters as ends, limit
SELECT pg_temp.brief(kg_paths('{"from": {"label": "person", "ids": ["dan"]}, "to": {"label": "person", "ids": ["ann"]}, "direction": "outgoing", "relationship_types": ["REPORTS_TO"]}'));
SELECT pg_temp.brief(kg_paths('{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["dan"]}, "direction": "incoming", "relationship_types": ["REPORTS_TO"]}'));
SELECT pg_temp.brief(kg_paths('{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["dan"]}, "direction": "outgoing", "relationship_types": ["REPORTS_TO"]}'));
SELECT pg_temp.brief(kg_paths('{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["cleo"]}, "node_labels": ["project"], "max_hops": 4, "mode": "all_shortest", "relationship_types": ["WORKS_ON"]}'));
SELECT pg_temp.brief(kg_paths('{"from": {"label": "person", "filters": {"team": "core"}}, "to": {"label": "project", "filters": {"state": "open"}}, "limit": 3}'));
-- weight: the lightest, not the shortest; edges without one are not walked
SELECT pg_temp.brief(kg_paths('{"from": {"label": "file", "ids": ["a.c"]}, "to": {"label": "file", "ids": ["c.c"]}, "weight": "cost", "direction": "outgoing"}'));
SELECT pg_temp.brief(kg_paths('{"from": {"label": "file", "ids": ["d.c"]}, "to": {"label": "file", "ids": ["a.c"]}, "weight": "cost", "direction": "outgoing"}'));
SELECT pg_temp.brief(kg_paths('{"from": {"label": "file", "ids": ["a.c"]}, "to": {"label": "file", "ids": ["c.c"]}, "weight": "cost", "direction": "outgoing", "max_hops": 1}'));
SELECT pg_temp.refused('find_paths', '{"from": {"label": "file", "ids": ["a.c"]}, "to": {"label": "file", "ids": ["d.c"]}, "weight": "cost"}');
SELECT pg_temp.brief(kg_paths('{"from": {"label": "file", "ids": ["a.c"]}, "to": {"label": "file", "ids": ["lone.c"]}}'));
SELECT pg_temp.brief(kg_paths('{"from": {"label": "file", "ids": ["a.c"]}, "to": {"label": "file", "ids": ["lonely.c"]}}'));
SELECT length(r::text) <= 1400, r->'reason', r->'withheld', r->'highest_limit' FROM kg_paths('{"from": {"label": "file", "ids": ["a.c"]}, "to": {"label": "file", "ids": ["c.c"]}, "mode": "walks", "max_hops": 6, "max_bytes": 1400}') r;

-- aggregate_nodes: functions, names, groups
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}, {"fn": "count", "property": "rate"}, {"fn": "count_distinct", "property": "team"}, {"fn": "sum", "property": "rate"}, {"fn": "avg", "property": "rate", "as": "mean"}, {"fn": "min", "property": "joined"}, {"fn": "max", "property": "team"}, {"fn": "min", "property": "name"}, {"fn": "max", "property": "id"}, {"fn": "count_distinct"}]}'));
-- groups and the chain: by what a step ends in, with filters of their own, and a warning where one is without either
SELECT a->'group_by' AS groups, r->'columns' AS columns, r->'rows' AS rows, r->'warnings' AS warnings FROM (VALUES
  ('[{"relationship": "WORKS_ON", "label": "project"}]'), ('[{"step": 1}]'), ('[{"step": 1, "relationship": "WORKS_ON", "label": "project", "property": "id"}]'), ('[{"step": 1, "property": "state"}]'), ('[{"step": 1}, {"step": 2, "property": "team"}]'),
  ('[{"step": 2}, {"property": "team"}]'), ('[{"relationship": "WORKS_ON", "label": "project", "filters": {"id": "p1"}}]'), ('[{"relationship": "KNOWS", "label": "person"}]')) g(groups),
  LATERAL (SELECT jsonb_build_object('node', '{"label": "person"}'::jsonb, 'aggregations', '[{"fn": "count"}]'::jsonb, 'group_by', groups::jsonb,
    'relationships', '[{"type": "WORKS_ON", "to": {"label": "project", "filters": {"id": "p1"}}}, {"type": "OWNER", "to": {"label": "person"}}]'::jsonb) AS a) x, LATERAL kg_aggregate(a) r;
SELECT pg_temp.refused('aggregate_nodes', a::jsonb) FROM (VALUES
  ('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"step": 1}]}'),
  ('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "relationships": [{"type": "WORKS_ON"}], "group_by": [{"step": 1}]}'),
  ('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "relationships": [{"type": "WORKS_ON", "to": {"label": "project"}}], "group_by": [{"step": 2}]}'),
  ('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "relationships": [{"type": "WORKS_ON", "to": {"label": "project"}}], "group_by": [{"step": 1, "label": "person"}]}'),
  ('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "relationships": [{"type": "WORKS_ON", "to": {"label": "project"}}], "group_by": [{"step": 1, "relationship": "KNOWS"}]}'),
  ('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "WORKS_ON", "label": "project", "filters": {"nme": 1}}]}')) v(a);
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "team"}]}'));
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}, {"fn": "max", "property": "rate"}], "group_by": [{"property": "team"}], "sort": [{"field": "max_rate", "order": "desc"}], "limit": 3}'));
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "team"}], "sort": [{"field": "team", "order": "desc"}]}'));
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "joined", "truncate": "quarter"}, {"property": "active"}]}'));
SELECT u, string_agg(x->>0, ' ') FROM unnest('{minute,hour,day,week,month,quarter,year}'::text[]) WITH ORDINALITY t(u, i),
  LATERAL (SELECT jsonb_array_elements(kg_aggregate(jsonb_build_object('node', '{"label": "project"}'::jsonb, 'aggregations', '[{"fn": "count"}]'::jsonb, 'group_by', jsonb_build_array(jsonb_build_object('property', 'created', 'truncate', u))))->'rows') x) y GROUP BY u, i ORDER BY i;
SELECT kg_aggregate('{"node": {"label": "project"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "created", "truncate": "month"}]}')->'columns';
-- the members of an array each make a group, and a node counts once in each
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "project"}, "aggregations": [{"fn": "count"}, {"fn": "sum", "property": "budget"}], "group_by": [{"property": "tags"}]}'));
-- over a relationship: nodes without it are in no group; a connected node without the value is in the group of null
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}, {"fn": "sum", "property": "rate"}], "group_by": [{"relationship": "WORKS_ON", "label": "project"}]}'));
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}, {"fn": "sum", "property": "rate"}], "group_by": [{"relationship": "WORKS_ON", "direction": "outgoing", "label": "project", "property": "state"}]}'));
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "project"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "WORKS_ON", "direction": "incoming", "label": "person", "property": "rate"}, {"property": "state"}]}'));
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "KNOWS", "direction": "both", "label": "person", "property": "team"}]}'));
-- relationships: a chain that must exist; over-count is impossible
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "person"}, "relationships": [{"type": "WORKS_ON", "to": {"label": "project"}}, {"type": "WORKS_ON", "direction": "incoming", "to": {"filters": {"team": "lead"}}}], "aggregations": [{"fn": "count"}, {"fn": "sum", "property": "rate"}]}'));
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "person"}, "relationships": [{"type": "WORKS_ON", "filters": {"share": {"lt": 0.3}}}], "aggregations": [{"fn": "count"}]}'));
-- nothing: one row without groups, none with
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "person", "ids": ["nobody"]}, "aggregations": [{"fn": "count"}, {"fn": "sum", "property": "rate"}]}'));
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "person", "filters": {"team": "lead", "active": false}}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "team"}]}'));

-- A reply has nothing of the other tenant: the same calls there give its own.
\c - gitlab_b
\i :graph
\pset format unaligned
\pset tuples_only on
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "project"}, "aggregations": [{"fn": "sum", "property": "budget"}]}'));
SELECT pg_temp.brief(kg_neighbors('{"start_node": {"label": "person", "node_id": "dan"}, "max_hops": 1, "relationship_types": ["KNOWS"]}'));
-- nor is another's cursor accepted
CREATE TEMP TABLE other AS SELECT kg_find_nodes('{"node_label": "person", "limit": 2}')->'next' AS next;
GRANT SELECT ON other TO gitlab_a;
SELECT next->>'cursor' AS cursor FROM other \gset
\c - gitlab_a
\i :graph
\pset format unaligned
\pset tuples_only on
SELECT pg_temp.refused('find_nodes', jsonb_build_object('node_label', 'person', 'limit', 2, 'cursor', :'cursor'));

\c - :owner
CALL test.drop('gitlab_a', 'gitlab_b');
