-- verify_claims, as ordinary roles: every kind of claim and every verdict; hidden
-- entities get the same verdict as invented ones; and claims that are invalid
-- themselves.
\i test/data/prelude.sql
\getenv abs_srcdir PG_ABS_SRCDIR
\set graph :abs_srcdir '/data/graph.sql'
CALL test.tenant('verify_a', 'verify_a write', 'verify_some read');
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO verify_a; GRANT pg_read_all_stats TO verify_a;
CREATE POLICY verify_hide ON kg_entity AS RESTRICTIVE FOR SELECT TO verify_some USING (entity_id NOT IN ('bob', 'a.c', 'p2'));
CREATE FUNCTION verified(claims jsonb) RETURNS SETOF text LANGUAGE sql AS $$
SELECT concat_ws(' ', n || ':', c ->> 'verdict', c ->> 'reason', c #>> '{evidence,handles}', c #>> '{evidence,edges}', 'correction ' || (c ->> 'correction'), 'nearest ' || (c ->> 'nearest'),
    CASE WHEN c ? 'stale' THEN 'stale' END, CASE WHEN c ? 'complete' THEN 'complete' END, CASE WHEN c ? 'untrusted' THEN 'untrusted' END,
    (c #>> '{error,code}') || ' ' || (c #>> '{error,path}') || ' ' || (c #>> '{error,message}'))
  FROM jsonb_array_elements(kg_verify(jsonb_build_object('claims', claims)) -> 'claims') WITH ORDINALITY t(c, n) ORDER BY n $$;
GRANT EXECUTE ON FUNCTION verified TO PUBLIC;
CREATE TABLE verify_seen(who text DEFAULT current_user, claim jsonb, told text);
GRANT ALL ON verify_seen TO PUBLIC;
\c - verify_a
\i :graph
SELECT kg_apply_bundle(pg_temp.graph_bundle(1000, 'eve')) ? 'revision' AS applied;
\pset format unaligned
\pset tuples_only on
-- entities: with and without their type, of any bundle, of several types, of none
SELECT verified('[{"entity": "person:ann"}, {"entity": "ann"}, {"entity": "work/person:ann"}, {"entity": "x1"}, {"entity": "person:anna"}, {"entity": "planet:mars"}, {"entity": "persn:ann"},
  {"entity": "person:ann", "version": 1}, {"entity": "person:ann", "version": 7}, {"entity": "lone.c", "id": "mine"}, {"entity": 12}, {"entity": ""}]');
-- properties: as filters compare them
SELECT verified('[{"entity": "person:ann", "property": "name", "is": "Ann Archer"}, {"entity": "ann", "property": "name", "is": "ann  archer"}, {"entity": "ann", "property": "name", "is": {"text": "ÀNN   archer "}},
  {"entity": "person:bob", "property": "rate", "is": 60.50}, {"entity": "person:bob", "property": "rate", "is": "60.5"}, {"entity": "person:bob", "property": "rate", "is": {"gte": 60, "lt": 61}}, {"entity": "person:bob", "property": "rate", "is": {"gt": 61}},
  {"entity": "person:bob", "property": "joined", "is": "2021-03-01"}, {"entity": "person:bob", "property": "joined", "is": {"gt": "2021-03-01"}}, {"entity": "person:eve", "property": "rate", "is": 1}, {"entity": "person:eve", "property": "rate", "is": {"is_null": true}}, {"entity": "person:bob", "property": "rate", "is": {"is_null": true}}, {"entity": "person:eve", "property": "rate", "is": {"ne": 5}},
  {"entity": "project:p1", "property": "created", "is": "2026-02-01T01:30:00Z"}, {"entity": "project:p1", "property": "created", "is": {"lt": "2026-02-01T02:30:00+01:00"}}, {"entity": "project:p1", "property": "created", "is": "2026-02-01T01:30:00"}, {"entity": "project:p1", "property": "tags", "is": "red"}, {"entity": "project:p1", "property": "tags", "is": "green"}, {"entity": "project:p1", "property": "tags", "is": {"contains_all": ["red", "blue"]}},
  {"entity": "project:p1", "property": "tags", "is": {"ne": "red"}}, {"entity": "project:p3", "property": "tags", "is": "red"}, {"entity": "person:dan", "property": "bio", "is": "other"}, {"entity": "person:ann", "property": "id", "is": "ann"}, {"entity": "file:a.c", "property": "path", "is": "a.c"}, {"entity": "file:a.c", "property": "data.id", "is": 1}, {"entity": "person:cleo", "property": "total_mentions", "is": 3},
  {"entity": "person:bob", "property": "active", "is": "true"}, {"entity": "person:ann", "property": "name", "is": {"starts_with": "Ann", "contains": "arch"}}, {"entity": "person:bob", "property": "manager", "is": "eve"}]');
-- edges: both names, both directions, properties, symmetric ones, references
SELECT verified('[{"from": "person:ann", "relation": "WORKS_ON", "to": "project:p1"}, {"from": "project:p1", "relation": "HAS_MEMBER", "to": "person:ann"}, {"from": "project:p1", "relation": "WORKS_ON", "to": "person:ann"}, {"from": "p1", "relation": "WORKS_ON", "to": "ann"},
  {"from": "person:bob", "relation": "REPORTS_TO", "to": "person:ann"}, {"from": "person:ann", "relation": "REPORTS_TO", "to": "person:bob"}, {"from": "person:dan", "relation": "KNOWS", "to": "person:cleo"}, {"from": "person:dan", "relation": "KNOWS", "to": "person:ann"}, {"from": "person:ann", "relation": "WORKS_ON", "to": "project:p3"}, {"from": "person:nobody", "relation": "WORKS_ON", "to": "project:p3"},
  {"from": "person:ann", "relation": "WORKS_ON", "to": "project:p1", "properties": {"share": {"gte": 0.5}}}, {"from": "person:ann", "relation": "WORKS_ON", "to": "project:p1", "properties": {"share": 0.9}}, {"from": "person:ann", "relation": "WORKS_ON", "to": "project:p1", "properties": {"sahre": 0.9}}, {"from": "person:ann", "relation": "WORKSON", "to": "project:p1"}, {"from": "x1", "relation": "KNOWS", "to": "person:ann"}]');
-- paths: each edge, or not at all
SELECT verified('[{"path": ["person:dan", "REPORTS_TO", "person:bob", "REPORTS_TO", "person:ann"]}, {"path": ["person:dan", "REPORTS_TO", "person:bob", "REPORTS_TO", "person:cleo"]}, {"path": ["person:dan", "REPORTS_TO", "person:bob", "KNOWS", "person:ann", "WORKS_ON", "project:p1"]}, {"path": ["person:ann", "REPORTS_TO", "person:bob", "WORKS_ON", "project:p2"]},
  {"path": ["person:dan", "REPORTS_TO", "person:bob", "REPORTS_TO"]}, {"path": ["person:dan"]}, {"path": ["person:dan", "REPORTS_TO", {"path": []}]}, {"path": ["person:dan", "SEES", "person:bob"]}]');
-- members by other names: a correction has a value that the member takes, or is none
SELECT c -> 'correction' AS correction FROM jsonb_array_elements(kg_call_tool('verify_claims', '{"claims": [{"paths": "person:dan"}, {"paths": ["person:dan", "REPORTS_TO", "person:bob"]}, {"entities": ["person:dan"]}]}') #> '{structuredContent,claims}') c;
-- reach
SELECT verified('[{"from": "person:dan", "to": "person:ann", "within": 2, "relation_types": ["REPORTS_TO"]}, {"from": "person:dan", "to": "person:ann", "within": 1, "relation_types": ["REPORTS_TO"]}, {"from": "person:ann", "to": "person:dan", "within": 2, "relation_types": ["REPORTS_TO"], "direction": "outgoing"}, {"from": "ann", "to": "ann", "within": 1}, {"from": "person:ann", "to": "file:lone.c", "within": 6}, {"from": "person:ann", "to": "person:dan", "within": 7}, {"from": "person:ann", "to": "person:dan", "within": 2, "relation_types": ["NONE"]}]');
SELECT kg_verify('{"claims": [{"from": "person:dan", "to": "person:ann", "within": 2, "relation_types": ["REPORTS_TO"], "direction": "outgoing"}]}') -> 'claims';
-- counts and absences: by calls
SELECT verified('[{"count": {"tool": "find_nodes", "arguments": {"node_label": "person"}}, "is": 6}, {"count": {"tool": "find_nodes", "arguments": {"node_label": "person", "limit": "many", "cursor": 7}}, "is": {"gt": 6}}, {"count": {"tool": "list_person", "arguments": {"filters": {"team": "core"}, "offset": 9}}, "is": 2}, {"count": {"tool": "traverse_relationships", "arguments": {"from": {"label": "person", "ids": ["bob"]}, "relationships": [{"type": "WORKS_ON"}]}}, "is": 2},
  {"none": {"tool": "find_nodes", "arguments": {"node_label": "person", "filters": {"rate": {"gt": 100}}}}}, {"none": {"tool": "find_nodes", "arguments": {"node_label": "person", "filters": {"rate": {"gt": 80}}}}}, {"none": {"tool": "explore_neighbors", "arguments": {"start_node": {"label": "person", "node_id": "zed"}}}}, {"none": {"tool": "bfs_query", "arguments": {"seeds": ["zed"], "max_hops": 1}}}, {"none": {"tool": "find_nodes", "arguments": {"node_label": "person", "filters": {"team": "Core"}}}}]');
-- of an aggregate without groups its number; of groups how many there are
SELECT verified('[{"count": {"tool": "count", "arguments": {"node": {"label": "person"}}}, "is": 6}, {"count": {"tool": "count", "arguments": {"node": {"label": "person"}}}, "is": 1},
  {"count": {"tool": "aggregate_nodes", "arguments": {"node": {"label": "person"}, "aggregations": [{"fn": "avg", "property": "rate"}]}}, "is": {"gt": 1.5}},
  {"count": {"tool": "aggregate_nodes", "arguments": {"node": {"label": "person"}, "aggregations": [{"fn": "max", "property": "rate"}, {"fn": "count"}]}}, "is": 6},
  {"count": {"tool": "aggregate_nodes", "arguments": {"node": {"label": "person"}, "aggregations": [{"fn": "max", "property": "rate"}, {"fn": "min", "property": "rate"}]}}, "is": 6},
  {"none": {"tool": "count", "arguments": {"node": {"label": "person", "filters": {"rate": {"gt": 100000}}}}}}, {"none": {"tool": "count", "arguments": {"node": {"label": "person"}}}}]');
SELECT verified('[{"count": {"tool": "count", "arguments": {"node": {"label": "person"}, "group_by": [{"property": "team"}]}}, "is": {"lt": 6}}]');
-- a total that is known as at least says nothing
\c - :owner
ALTER ROLE verify_a SET kg_graph.max_search_matches = 1;
\c - verify_a
SELECT verified('[{"none": {"tool": "list_person", "arguments": {"search": "e"}}}, {"count": {"tool": "list_person", "arguments": {"search": "e"}}, "is": 2}]');
\c - :owner
ALTER ROLE verify_a RESET kg_graph.max_search_matches;
ALTER ROLE verify_a SET kg_graph.max_visited = 2;
\c - verify_a
SELECT verified('[{"entity": "person:ann"}, {"none": {"tool": "explore_neighbors", "arguments": {"start_node": {"label": "person", "node_id": "ann"}}}}, {"from": "person:ann", "to": "file:lone.c", "within": 6}]');
\c - :owner
ALTER ROLE verify_a RESET kg_graph.max_visited;
\c - verify_a
-- names: label, alias, id, folded; several
SELECT verified('[{"name": "ann ARCHER"}, {"name": "the boss"}, {"name": "X1"}, {"name": "x1", "type": "person"}, {"name": "Anna Archer"}, {"name": "Ann"}, {"name": "Ann", "type": "persons"}, {"name": ""}, {"name": "lone.c", "type": "file"}, {"name": "same  ID"}]');
SELECT verified(jsonb_build_array(jsonb_build_object('name', repeat('long', 100)), jsonb_build_object('entity', repeat('x', 10000)), jsonb_build_object('entity', 'person:ann', 'property', 'name', 'is', repeat('y', 10000)), jsonb_build_object('entity', 'person:ann', 'property', 'name', 'is', jsonb_build_object('contains', repeat('y', 10000))),
  jsonb_build_object('entity', 'person:ann', 'property', 'name', 'is', jsonb_build_object('gt', repeat('y', 10000))), jsonb_build_object('id', repeat('i', 300), 'entity', 'person:ann')));
-- wrong in themselves: the error of any tool, and what to claim instead
SELECT verified('[{}, "person:ann", 7, null, [], {"entity": {"entity": "person:ann"}}, {"entity": {"entity": {"entity": "person:ann"}}}, {"claims": []}, {"entity": "person:ann", "property": "nam", "is": "x"}, {"entity": "person:ann", "propery": "name", "is": "x"}, {"entity": "ann", "property": "size", "is": 1}, {"entity": "ann", "property": "sise", "is": 1}, {"entity": "person:ann", "property": "name"}, {"entity": "person:ann", "is": 1}, {"entity": "person:ann", "property": "team", "is": "Core"},
  {"entity": "person:ann", "property": "rate", "is": "much"}, {"entity": "person:ann", "property": "name", "is": 7}, {"entity": "person:ann", "property": "rate", "is": {"text": "90"}}, {"entity": "person:ann", "property": "name", "is": null}, {"entity": "person:ann", "property": "name", "is": {"contians": "A"}}, {"entity": "person:ann", "property": "name", "is": {"text": "x", "eq": "x"}}, {"entity": "person:ann", "property": "joined", "is": "01.03.2021"}, {"entity": "person:ann", "version": 0}, {"entity": "person:ann", "relation": "KNOWS", "to": "person:bob"}, {"from": "person:ann", "to": "person:bob"}, {"id": [1], "entity": "person:ann"},
  {"count": {"tool": "find_node", "arguments": {"node_label": "person"}}, "is": 6}, {"count": {"tool": "find_nodes", "arguments": {"node_label": "persn"}}, "is": 6}, {"count": {"tool": "find_nodes", "arguments": {"node_label": "person"}}, "is": "six"}, {"count": {"tool": "find_nodes", "arguments": {"node_label": "person"}}, "is": {"gte": 7, "lte": 5}}, {"count": {"tool": "verify_claims", "arguments": {"claims": [{"entity": "person:ann"}]}}, "is": 1}, {"count": {"tool": "get_person", "arguments": {"id": "ann"}}, "is": 1}, {"count": {"tool": "create_person", "arguments": {}}, "is": 1}, {"none": {"tool": "get_graph_schema"}}, {"none": {"arguments": {}}}, {"none": {"tool": "find_nodes", "arguments": {}, "limit": 1}}, {"none": {"tool": "find_nodes", "arguments": []}}, {"none": "find_nodes"}, {"count": {"tool": "find_nodes", "arguments": {"node_label": "person"}}}]');
-- what is meant may be there already
SELECT verified('[{"entity": "person:ann", "entty": 1}, {"entty": "person:ann"}]');
-- the whole reply: counts, the note, bytes
SELECT kg_verify('{"claims": [{"entity": "person:ann", "id": 1}, {"none": {"tool": "find_nodes", "arguments": {"node_label": "person"}}, "id": "b"}]}') - 'checked_at' - 'revision';
SELECT r ? 'checked_at' AND r ? 'revision' AND octet_length(r::text) <= 5120, r -> 'counts', r -> 'truncated', r -> 'withheld', r #> '{claims,0}', r #> '{claims,29}', jsonb_array_length(r -> 'claims') FROM kg_verify(jsonb_build_object('max_bytes', 5120, 'claims', (SELECT jsonb_agg('{"entity": "person:ann", "property": "name", "is": "Ann"}'::jsonb) FROM generate_series(1, 30)))) r;
\set VERBOSITY default
SELECT kg_verify(jsonb_build_object('claims', (SELECT jsonb_agg('{"entity": "person:ann"}'::jsonb) FROM generate_series(1, 201))));
SELECT kg_verify('{"claims": []}');
SELECT kg_verify('{}');
SELECT kg_verify('{"claims": {"entity": "person:ann"}}') -> 'repaired';
\set VERBOSITY terse
-- 200 claims of entities, properties and edges: few statements
SELECT count(*) <= 8 AS few FROM jsonb_array_elements(kg_explain('verify_claims', jsonb_build_object('claims', (SELECT jsonb_agg(c) FROM (SELECT CASE n % 4 WHEN 0 THEN '{"entity": "person:ann", "version": 1}' WHEN 1 THEN '{"entity": "p1", "property": "budget", "is": 1000}' WHEN 2 THEN '{"from": "person:bob", "relation": "WORKS_ON", "to": "p2", "properties": {"share": 0.8}}'
  ELSE '{"entity": "file:a.c", "property": "size", "is": 10}' END::jsonb AS c FROM generate_series(1, 200) n) t))) -> 'statements') s;
-- through MCP, and by name
SELECT kg_call_tool('verify_claims', '{"claims": [{"entity": "person:ann"}]}') #> '{structuredContent,counts}';
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "verify_claims", "arguments": {"claims": [{"entity": "person:zed"}]}}}') #> '{result,structuredContent,counts,not_found}';
-- in one snapshot, in a transaction that writes, and in a loop that catches
BEGIN;
SELECT kg_put_entities('person', '[{"id": "new", "name": "New One", "manager": "ann"}]') IS NOT NULL;
SELECT verified('[{"entity": "person:new"}, {"from": "person:new", "relation": "REPORTS_TO", "to": "person:ann"}, {"name": "new one"}, {"count": {"tool": "find_nodes", "arguments": {"node_label": "person"}}, "is": 7}]');
-- accents are folded, but not what makes another letter
SELECT kg_put_entities('person', '[{"id": "kr", "name": "край ёлка"}, {"id": "al", "name": "άλφα"}, {"id": "il", "name": "Île-de-France"}]') IS NOT NULL;
SELECT verified('[{"name": "край ёлка"}, {"name": "краи елка"}, {"name": "αλφα"}, {"name": "Ile-de-France"}, {"entity": "person:al", "property": "name", "is": {"text": "αλφα"}}]');
ROLLBACK;
DO $$ BEGIN FOR i IN 1..3 LOOP BEGIN PERFORM verified('[{"none": {"tool": "find_nodes", "arguments": {"node_label": "nothing"}}}]'); PERFORM kg_verify('{"claims": 7}'); EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', SQLERRM; END; END LOOP; END $$;
-- what is hidden is what is invented, byte for byte
\c - verify_some
INSERT INTO verify_seen(claim, told) SELECT c, replace(replace(replace((kg_verify(jsonb_build_object('claims', jsonb_build_array(replace(replace(replace(c::text, 'b_b', x.b), 'a_c', x.a), 'p_2', x.p)::jsonb))) - 'checked_at')::text, x.b, 'b_b'), x.a, 'a_c'), x.p, 'p_2')
  FROM (VALUES ('bob', 'a.c', 'p2'), ('b0b', 'a+c', 'p0')) x(b, a, p), jsonb_array_elements('[{"entity": "person:b_b"}, {"entity": "b_b"}, {"entity": "file:a_c", "version": 1}, {"entity": "person:b_b", "property": "name", "is": "Bob Baker"}, {"entity": "b_b", "property": "rate", "is": "much"}, {"entity": "person:b_b", "property": "rate", "is": "much"},
    {"from": "person:b_b", "relation": "REPORTS_TO", "to": "person:ann"}, {"from": "person:ann", "relation": "REPORTS_TO", "to": "person:b_b"}, {"from": "person:b_b", "relation": "WORKS_ON", "to": "project:p_2"}, {"from": "project:p_2", "relation": "WORKS_ON", "to": "person:b_b"}, {"path": ["person:dan", "REPORTS_TO", "person:b_b", "REPORTS_TO", "person:ann"]}, {"from": "person:b_b", "to": "person:ann", "within": 2}, {"name": "b_b"}, {"name": "p_2", "type": "project"},
    {"count": {"tool": "find_nodes", "arguments": {"node_label": "person", "ids": ["b_b"]}}, "is": 1}, {"none": {"tool": "bfs_query", "arguments": {"seeds": ["person:b_b"], "max_hops": 1}}}, {"none": {"tool": "explore_neighbors", "arguments": {"start_node": {"label": "person", "node_id": "b_b"}}}}, {"none": {"tool": "list_project", "arguments": {"filters": {"owner": "b_b"}}}}]') c;
SELECT claim, count(DISTINCT told) FROM verify_seen GROUP BY 1 HAVING count(DISTINCT told) <> 1 OR count(*) <> 2;
SELECT verified('[{"name": "Bob Baker"}, {"from": "person:dan", "to": "person:ann", "within": 2, "relation_types": ["REPORTS_TO"]}, {"count": {"tool": "find_nodes", "arguments": {"node_label": "person"}}, "is": 5}]');
-- counts by registered tools: a query, a composite by its arguments; not by others; errors are in what was sent
\c - :owner
SELECT FROM kg_grant('verify_a', 'verify_a', 'admin');
\c - verify_a
SELECT string_agg(kg_register_tool(d) ->> 'verdict', ' ') FROM jsonb_array_elements('[
  {"name": "people", "version": "1.0.0", "kind": "query", "description": "d", "input_schema": {"type": "object", "properties": {"of": {"type": "string"}, "most": {"type": "integer"}}}, "operation": {"tool": "find_nodes", "arguments": {"node_label": "person", "filters": {"name": {"$arg": "of"}}, "limit": {"$arg": "most"}}}},
  {"name": "one_person", "version": "1.0.0", "kind": "query", "description": "d", "input_schema": {"type": "object", "properties": {}}, "operation": {"tool": "get_person", "arguments": {"id": "ann"}}},
  {"name": "some", "version": "1.0.0", "kind": "composite", "description": "d", "input_schema": {"type": "object", "properties": {"what": {"enum": ["all", "ann"]}}, "required": ["what"]}, "select": {"$arg": "what"}, "operations": {
    "all": {"tool": "find_nodes", "arguments": {"node_label": "person"}}, "ann": {"tool": "get_person", "arguments": {"id": "ann"}}}},
  {"name": "both", "version": "1.0.0", "kind": "sequence", "description": "d", "input_schema": {"type": "object", "properties": {}}, "operations": [{"name": "a", "tool": "find_nodes", "arguments": {"node_label": "person"}}]}]') d;
SELECT (kg_find_nodes('{"node_label": "person"}') ->> 'total')::int AS people \gset
SELECT verified(replace('[{"count": {"tool": "people", "arguments": {}}, "is": PEOPLE}, {"count": {"tool": "people"}, "is": 1}, {"count": {"tool": "people.v1.0.0", "arguments": {"of": "Ann Archer", "most": 7}}, "is": 1}, {"none": {"tool": "people", "arguments": {"of": "nobody"}}},
  {"count": {"tool": "some", "arguments": {"what": "all"}}, "is": PEOPLE}, {"count": {"tool": "some", "arguments": {"what": "ann"}}, "is": 1}, {"count": {"tool": "some", "arguments": {"what": "ned"}}, "is": 1}, {"count": {"tool": "one_person"}, "is": 1}, {"count": {"tool": "both"}, "is": 1},
  {"count": {"tool": "people", "arguments": {"of": 1}}, "is": 1}, {"count": {"tool": "people", "arguments": {"most": 0}}, "is": PEOPLE}, {"count": {"tool": "people.v2.0.0"}, "is": 1}, {"count": {"tool": "peple"}, "is": PEOPLE}]', 'PEOPLE', :'people')::jsonb);
\c - :owner
DROP POLICY verify_hide ON kg_entity;
DROP TABLE verify_seen;
DROP FUNCTION verified;
CALL test.drop('verify_a');
