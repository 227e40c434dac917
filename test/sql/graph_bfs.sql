-- BFS-QL's six tools: every parameter, as an ordinary role.
\i test/data/prelude.sql
\getenv abs_srcdir PG_ABS_SRCDIR
\set graph :abs_srcdir '/data/graph.sql'
CALL test.tenant('bfs_a', 'bfs_a write');
CALL test.tenant('bfs_b', 'bfs_b write');
\c - bfs_b
\i :graph
SELECT kg_apply_bundle(pg_temp.graph_bundle(7777, 'bob')) ? 'revision' AS applied;
\c - bfs_a
\i :graph
SELECT kg_apply_bundle(pg_temp.graph_bundle(1000, 'eve')) ? 'revision' AS applied;
\pset format unaligned
\pset tuples_only on

-- describe_schema: the truth about "comprehensive"
SELECT jsonb_pretty(kg_describe_schema() - 'tool_usage_notes');
SELECT length(kg_describe_schema()->>'tool_usage_notes') > 500;
SELECT length(r::text) <= 1024, r->'comprehensive', r->'truncated', r->'reason', length(r->>'tool_usage_notes') < length(kg_describe_schema()->>'tool_usage_notes')
  FROM kg_describe_schema('{"max_bytes": 1024}') r;
SELECT r = kg_describe_schema('{"max_bytes": 1024}') FROM kg_describe_schema('{"max_tokens": 256}') r;

-- search_entities: names, aliases and ids; exact, prefix, token and typing errors
CREATE FUNCTION pg_temp.found(arguments jsonb) RETURNS SETOF text LANGUAGE sql AS $$
SELECT concat_ws(' ', v->>'id', v->>'name', v->>'score', v->'matched_on') FROM jsonb_array_elements(kg_search(arguments)->'items') v $$;
SELECT pg_temp.found('{"query": "ann archer"}');
SELECT pg_temp.found('{"query": "the boss"}');
SELECT pg_temp.found('{"query": "cleo"}');
SELECT pg_temp.found('{"query": "arch"}');
SELECT pg_temp.found('{"query": "archr"}');
SELECT pg_temp.found('{"query": "ook"}');
SELECT pg_temp.found('{"query": "x1"}');
SELECT pg_temp.found('{"query": "x1", "node_types": ["project"]}');
SELECT pg_temp.found('{"query": "e", "limit": 2}');
SELECT kg_search('{"query": "e", "limit": 2}') - 'items';
SELECT pg_temp.found('{"query": "%"}');
SELECT pg_temp.found('{"query": "_100"}');
SELECT kg_search('{"query": "zzzz"}');
SELECT bool_and((v->>'score')::numeric BETWEEN 0 AND 1) FROM unnest('{ann,boss,co,x1,e}'::text[]) q, jsonb_array_elements(kg_search(jsonb_build_object('query', q))->'items') v;

-- bfs_query: hops; seeds as handles, bare ids, with the bundle, twice
SELECT pg_temp.brief(kg_bfs('{"seeds": ["ann"], "max_hops": 1}'));
SELECT pg_temp.brief(kg_bfs('{"seeds": ["file:a.c", "a.c", "work/file:a.c"], "max_hops": 1}'));
SELECT pg_temp.brief(kg_bfs('{"seeds": ["person:x1", "lone.c"], "max_hops": 5}'));
-- unknown seeds are named and the others searched
SELECT pg_temp.brief(kg_bfs('{"seeds": ["nobody", "lone.c", "person:p1"], "max_hops": "2"}'));
-- an unknown seed that is sent several times is named once
SELECT r->'seeds', r->'unknown_seeds' FROM kg_bfs('{"seeds": ["nobody", "lone.c", "nobody", "person:p1", "nobody"], "max_hops": 1}') r;
SELECT r->'seeds', r->'unknown_seeds' FROM kg_intersect('{"seeds": ["nobody", "ann", "nobody"], "k": 1}') r;
-- a stub has two keys, a full node three
SELECT n, (SELECT count(*) FROM jsonb_object_keys(n)) FROM jsonb_array_elements(kg_bfs('{"seeds": ["ann"], "max_hops": 1, "node_types": ["project"]}')->'nodes') n;
-- detail: node_types and predicates choose what is full; an inverse name will do
SELECT pg_temp.brief(kg_bfs('{"seeds": ["ann"], "max_hops": 1, "node_types": ["project"], "predicates": ["KNOWS"]}'));
SELECT pg_temp.brief(kg_bfs('{"seeds": ["ann"], "max_hops": 1, "node_types": [], "predicates": ["HAS_MEMBER"]}'));
SELECT pg_temp.brief(kg_bfs('{"seeds": ["ann"], "max_hops": 1, "topology_only": true, "node_types": ["project"], "predicates": ["KNOWS"]}'));
-- edge_detail shows provenance and x-detail, nothing else does
SELECT e->'metadata' FROM jsonb_array_elements(kg_bfs('{"seeds": ["ann"], "max_hops": 1}')->'edges') e WHERE e->>'predicate' = 'WORKS_ON';
SELECT e->'metadata' FROM jsonb_array_elements(kg_bfs('{"seeds": ["ann"], "max_hops": 1, "edge_detail": true}')->'edges') e WHERE e->>'predicate' = 'WORKS_ON';
-- removal: after the walk; excluded nodes bridge, a seed may go, its edges go, counts and summary are of what stays
SELECT pg_temp.brief(kg_bfs('{"seeds": ["ann"], "max_hops": 2, "exclude_node_types": ["person"], "topology_only": true}'));
SELECT pg_temp.brief(kg_bfs('{"seeds": ["ann"], "max_hops": 2, "exclude_node_types": []}')) = pg_temp.brief(kg_bfs('{"seeds": ["ann"], "max_hops": 2}')) LIMIT 1;
SELECT pg_temp.brief(kg_bfs('{"seeds": ["dan"], "max_hops": 2, "min_mentions": 3, "topology_only": true}'));
-- edges between two outermost nodes only where asked for
SELECT pg_temp.brief(kg_bfs('{"seeds": ["file:a.c"], "max_hops": 1, "topology_only": true}'));
SELECT pg_temp.brief(kg_bfs('{"seeds": ["file:a.c"], "max_hops": 1, "topology_only": true, "ring_edges": true}'));
-- pages: a total order, every edge once, counts of the whole
WITH RECURSIVE p AS (
  SELECT kg_bfs('{"seeds": ["dan"], "max_hops": 3, "limit": 4}') AS r
  UNION ALL SELECT kg_bfs(r->'next') FROM p WHERE r ? 'next')
  SELECT count(*) || ' pages, ' || count(DISTINCT r->'schema_summary') || ' summary, ' || string_agg(DISTINCT r->>'node_count', ' ') || ' nodes, ' || string_agg(DISTINCT r->>'edge_count', ' ') || ' edges: '
      || (SELECT string_agg(n->>'id', ' ' ORDER BY (q.r->'next'->>'offset')::int NULLS LAST, i) FROM p q, jsonb_array_elements(q.r->'nodes') WITH ORDINALITY x(n, i))
      || (SELECT format(', %s edges, %s different', count(*), count(DISTINCT e)) FROM p q, jsonb_array_elements(q.r->'edges') e) FROM p;
SELECT r->'next' FROM kg_bfs('{"seeds": ["dan"], "max_hops": 3, "limit": 4, "offset": 4}') r;
SELECT pg_temp.brief(kg_bfs('{"seeds": ["ann"], "max_hops": 1, "offset": 50}'));
-- the budget: edge properties, then the farthest nodes, then nodes; counts and summary stay
SELECT length(r::text) <= 2600, r->'withheld', r->'reason', r->'node_count', r->'edge_count', r->'schema_summary' FROM kg_bfs('{"seeds": ["dan"], "max_hops": 2, "max_bytes": 2600}') r;
SELECT length(r::text) <= 1200, r->'withheld', r->'reason', r->'next'->'offset' FROM kg_bfs('{"seeds": ["dan"], "max_hops": 2, "max_tokens": 300}') r;

-- describe_entity: flat; the identity wins over properties of its names
SELECT kg_describe('{"id": "dan"}');
SELECT kg_describe('{"id": "file:a.c"}');
SELECT kg_describe('{"id": "work/person:x1"}');
INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'work', 'file', jsonb_build_object('path', 'big', 'one', repeat('a', 900), 'size', 1, 'two', repeat('b', 900));
SELECT length(r::text) <= 1024, r->'truncated', r->'reason', r->'withheld' FROM kg_describe('{"id": "big", "max_bytes": 1024}') r;
-- it says what it took for a number, as the other tools do
SELECT kg_describe('{"id": "lone.c", "max_bytes": "2048"}');
SELECT kg_describe('{"id": "lone.c", "max_tokens": "512", "max_bytes": "4096"}') -> 'repaired';
-- describe_entities: input order, repeated ids repeated, missing ones apart, as many as fit
SELECT r->'items'->0->'id', r->'items'->1->'id', r->'items'->2->'id', r->'not_found', r->'total' FROM kg_describe_many('{"ids": ["project:p1", "nobody", "eve", "project:p1", "person:p1"]}') r;
SELECT kg_describe_many('{"ids": []}');
SELECT length(r::text) <= 1024, jsonb_array_length(r->'items'), r->'withheld', r->'truncated' FROM kg_describe_many('{"ids": ["ann", "bob", "cleo", "dan", "eve", "p1", "p2", "p3"], "max_tokens": 256}') r;

-- intersect_subgraphs: around all seeds; one seed will do; the induced edges
SELECT pg_temp.brief(kg_intersect('{"seeds": ["ann", "dan"], "k": 1}'));
SELECT pg_temp.brief(kg_intersect('{"seeds": ["file:a.c"], "k": 1, "topology_only": true}'));
SELECT pg_temp.brief(kg_intersect('{"seeds": ["p1", "p2"], "k": 1, "edge_detail": true}'));
SELECT pg_temp.brief(kg_intersect('{"seeds": ["p1", "p2"], "k": 1, "node_types": ["project"], "predicates": ["OWNER"], "exclude_node_types": ["file"]}'));
SELECT pg_temp.brief(kg_intersect('{"seeds": ["ann", "dan"], "k": 2, "exclude_node_types": ["project"], "min_mentions": 3, "topology_only": true}'));
SELECT pg_temp.brief(kg_intersect('{"seeds": ["ann", "ann", "nobody"], "k": 2}'));
SELECT pg_temp.brief(kg_intersect('{"seeds": ["nobody"], "k": 2}'));
SELECT length(r::text) <= 1100, r->'withheld', r->'truncated', r->'node_count' FROM kg_intersect('{"seeds": ["ann", "dan"], "k": 2, "max_bytes": 1100}') r;

-- x-derived counts are computed wherever they are shown, of a type at once
SELECT kg_apply_bundle('{"bundle_name": "counted", "version": "1", "schemas": [{"entity_type": "post", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "likes": {"type": "integer", "x-derived": {"count": "LIKES", "direction": "incoming"}}}}}],
  "relations": [{"name": "LIKES", "from": "post", "to": "post"}], "entities": [{"entity_type": "post", "items": [{"id": "c1"}, {"id": "c2"}, {"id": "c3"}]}], "edges": [{"relation": "LIKES", "from": "post:c1", "to": "post:c2"}, {"relation": "LIKES", "from": "post:c3", "to": "post:c2"}]}') ? 'revision';
SELECT kg_describe_many('{"ids": ["c1", "c2", "c2", "c9", "c3"]}')->'items', kg_describe('{"id": "c2"}');
SELECT n->'metadata' FROM jsonb_array_elements(kg_bfs('{"seeds": ["c1"], "max_hops": 1}')->'nodes') n;
-- what an entity has under a name of the envelope's is its own, but for marks: data that comes from outside must not hide that it does
SELECT kg_apply_bundle('{"bundle_name": "counted", "version": "2", "schemas": [{"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "repaired": {"type": "string"}, "untrusted": {"type": "string", "x-untrusted": true}}}}], "entities": [{"entity_type": "note", "items": [{"id": "n1", "repaired": "by hand", "untrusted": "said"}]}]}', '{"mode": "merge"}') ? 'revision';
SELECT kg_describe('{"id": "n1", "max_bytes": "2048"}');
SELECT n->'properties' FROM jsonb_array_elements(kg_neighbors('{"start_node": {"label": "post", "node_id": "c1"}}')->'nodes') n;
SELECT kg_drop_bundle('counted') IS NOT NULL;

-- A policy of the DBA hides a node. The node connects no other nodes, is not
-- counted, described or found, and differs in nothing from a missing node.
\c - :owner
CREATE POLICY nobody_sees_bob ON kg_entity AS RESTRICTIVE FOR SELECT TO bfs_a USING (entity_id <> 'bob');
\c - bfs_a
\i :graph
\pset format unaligned
\pset tuples_only on
SELECT pg_temp.brief(kg_bfs('{"seeds": ["dan", "bob"], "max_hops": 2, "topology_only": true}'));
SELECT replace(pg_temp.refused('describe_entity', '{"id": "bob"}'), 'bob', '?') = replace(pg_temp.refused('describe_entity', '{"id": "bop"}'), 'bop', '?');
SELECT replace(kg_describe_many('{"ids": ["person:bob"]}')::text, 'bob', '?') = replace(kg_describe_many('{"ids": ["person:bop"]}')::text, 'bop', '?');
SELECT kg_search('{"query": "Bob Baker"}');
SELECT pg_temp.brief(kg_intersect('{"seeds": ["p1", "p2"], "k": 1, "topology_only": true}'));
SELECT pg_temp.brief(kg_paths('{"from": {"label": "person", "ids": ["dan"]}, "to": {"label": "person", "ids": ["ann"]}, "relationship_types": ["REPORTS_TO"]}'));
SELECT pg_temp.brief(kg_traverse('{"from": {"label": "person", "ids": ["dan"]}, "relationships": [{"type": "REPORTS_TO", "max_hops": 3}]}'));
SELECT pg_temp.brief(kg_neighbors('{"start_node": {"label": "person", "node_id": "ann"}, "max_hops": 1}'));
SELECT pg_temp.brief(kg_aggregate('{"node": {"label": "project"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "WORKS_ON", "direction": "incoming", "label": "person"}]}'));
SELECT pg_temp.brief(kg_find_nodes('{"node_label": "person", "ids": ["bob"]}'));

-- The other tenant has its own answer.
\c - bfs_b
\i :graph
\pset format unaligned
\pset tuples_only on
SELECT pg_temp.brief(kg_bfs('{"seeds": ["dan"], "max_hops": 1, "topology_only": true}'));

\c - :owner
DROP POLICY nobody_sees_bob ON kg_entity;
CALL test.drop('bfs_a', 'bfs_b');
