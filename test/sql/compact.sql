-- The toolset compact, as ordinary roles: who has it; each tool replies as the tool
-- that it stands for; the argument names in its errors and in next; and the size of
-- its list in bytes.
\i test/data/prelude.sql
\getenv abs_srcdir PG_ABS_SRCDIR
\set graph :abs_srcdir '/data/graph.sql'
CALL test.tenant('compact_a', 'compact_a admin', 'compact_some read');
CREATE POLICY compact_hide ON kg_entity AS RESTRICTIVE FOR SELECT TO compact_some USING (entity_id NOT IN ('bob', 'a.c', 'p2'));
-- a call; a call in one line; all pages of a call, each no longer than it may be
CREATE FUNCTION compact_called(tool text, arguments jsonb) RETURNS jsonb LANGUAGE sql AS $$ SELECT kg_call_tool(tool, arguments) -> 'structuredContent' WHERE tool IS NOT NULL $$;
CREATE FUNCTION compact_refused(tool text, arguments jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' ', e ->> 'code', e ->> 'path', '|', e ->> 'message', '|', e ->> 'expected', '|', e ->> 'did_you_mean', e ->> 'at_least') FROM (SELECT compact_called(tool, arguments) -> 'error') t(e) $$;
CREATE FUNCTION compact_paged(tool text, arguments jsonb, key text, OUT pages int, OUT things jsonb, OUT longest bool) LANGUAGE plpgsql AS $$
DECLARE r jsonb;
BEGIN
  pages := 0; things := '[]'; longest := true;
  LOOP
    r := compact_called(tool, arguments);
    IF r ? 'error' THEN RAISE EXCEPTION '%', r; END IF;
    longest := longest AND octet_length(r::text) <= (arguments ->> 'max_bytes')::int;
    pages := pages + 1; things := things || coalesce(r -> key, '[]');
    EXIT WHEN NOT r ? 'next' OR pages > 50;
    arguments := r -> 'next';
  END LOOP;
END $$;
CREATE TABLE compact_pair (tool text, arguments jsonb, behind text, meant jsonb);
GRANT SELECT, INSERT ON compact_pair TO PUBLIC;
\c - compact_a
\i :graph
SELECT kg_apply_bundle(pg_temp.graph_bundle(1000, 'eve')) ? 'revision' AS applied;
\pset format unaligned
\pset tuples_only on
-- listed where it is chosen; called wherever all are
SELECT count(*) FILTER (WHERE t ->> 'name' IN ('find', 'get')) FROM jsonb_array_elements(kg_list_tools()) t;
SELECT compact_called('find', '{"type": "person", "limit": 0}') -> 'total';
SET kg_graph.toolsets = 'compact';
SELECT string_agg(t ->> 'name', ' ' ORDER BY n), sum(length(t::text)) / 4 < 2500 AS small FROM jsonb_array_elements(kg_list_tools()) WITH ORDINALITY x(t, n);
SELECT compact_refused('find_nodes', '{"node_label": "person"}');
SET kg_graph.toolsets = 'graph';
SELECT compact_refused('find', '{"type": "person"}');
RESET kg_graph.toolsets;
SELECT kg_create_agent('small', '{"toolsets": ["compact"]}'), kg_create_agent('two', '{"tools": ["find", "get"]}');
SET kg_graph.agent = 'small'; SELECT string_agg(t ->> 'name', ' ') FROM jsonb_array_elements(kg_list_tools()) t; SELECT compact_refused('list_person', '{}');
SET kg_graph.agent = 'two'; SELECT string_agg(t ->> 'name', ' ') FROM jsonb_array_elements(kg_list_tools()) t; SELECT compact_refused('follow', '{}');
RESET kg_graph.agent;
SELECT kg_create_agent('none', '{"toolsets": ["compct"]}');
-- each answers as the tool behind it
INSERT INTO compact_pair VALUES
  ('find', '{"type": "person"}', 'list_person', '{}'),
  ('find', '{"type": "person", "filters": {"rate": {"gte": 60}}, "sort": [{"field": "rate", "order": "desc"}], "fields": ["name"]}', 'list_person', '{"filters": {"rate": {"gte": 60}}, "sort": [{"field": "rate", "order": "desc"}], "fields": ["name"]}'),
  ('find', '{"type": "person", "ids": ["ann", "bob", "nobody"]}', 'list_person', '{"filters": {"id": [{"in": ["ann", "bob", "nobody"]}]}}'),
  ('find', '{"type": "person", "ids": ["ann", "bob"], "filters": {"id": "bob", "active": true}}', 'list_person', '{"filters": {"id": "bob", "active": true}}'),
  ('find', '{"type": "person", "ids": ["ann", "bob"], "filters": {"id": {"ne": "bob"}}}', 'list_person', '{"filters": {"id": "ann"}}'),
  ('find', '{"type": "person", "ids": ["ann", "bob"], "filters": {"id": [{"ne": "bob"}, {"ne": "cleo"}]}}', 'list_person', '{"filters": {"id": "ann"}}'),
  ('find', '{"type": "person", "related": [{"type": "WORKS_ON"}], "not_related": [{"type": "REPORTS_TO"}], "limit": 0}', 'list_person', '{"related": [{"type": "WORKS_ON"}], "not_related": [{"type": "REPORTS_TO"}], "limit": 0}'),
  ('find', '{"query": "archer"}', 'search_entities', '{"query": "archer"}'),
  ('find', '{"query": "x1", "type": "project", "limit": 3}', 'search_entities', '{"query": "x1", "node_types": ["project"], "limit": 3}'),
  ('find', '{"query": "cook", "limit": 50, "type": "person", "filters": {"team": "core"}, "fields": ["name"]}', 'list_person', '{"search": "cook", "limit": 50, "filters": {"team": "core"}, "fields": ["name"]}'),
  ('get', '{"handles": ["person:ann", "project:p1", "person:nobody"]}', 'describe_entities', '{"ids": ["person:ann", "project:p1", "person:nobody"]}'),
  ('get', '{"handles": ["person:ann", "person:dan", "p1"], "fields": ["name", "person.bio"]}', 'describe_entities', '{"ids": ["person:ann", "person:dan", "p1"], "columns": ["name", "person.bio"]}'),
  ('follow', '{"from": "person:ann", "steps": [{"type": "WORKS_ON"}]}', 'traverse_relationships', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "WORKS_ON"}]}'),
  ('follow', '{"from": ["person:ann", "bob", "person:nobody"], "steps": [{"type": "REPORTS_TO", "direction": "incoming", "max_hops": 2}], "fields": ["name"]}', 'traverse_relationships', '{"from": {"label": "person", "ids": ["ann", "bob", "nobody"]}, "relationships": [{"type": "REPORTS_TO", "direction": "incoming", "max_hops": 2}], "columns": ["name"]}'),
  ('follow', '{"from": {"label": "person", "filters": {"team": "core"}}, "steps": [{"type": "WORKS_ON", "to": {"label": "project"}}]}', 'traverse_relationships', '{"from": {"label": "person", "filters": {"team": "core"}}, "relationships": [{"type": "WORKS_ON", "to": {"label": "project"}}]}'),
  ('around', '{"handle": "person:ann"}', 'explore_neighbors', '{"start_node": {"label": "person", "node_id": "ann"}}'),
  ('around', '{"handle": "ann", "max_hops": 1, "relations": ["WORKS_ON"], "types": ["project"], "direction": "outgoing"}', 'explore_neighbors', '{"start_node": {"label": "person", "node_id": "ann"}, "max_hops": 1, "relationship_types": ["WORKS_ON"], "node_labels": ["project"], "direction": "outgoing"}'),
  ('connect', '{"from": "person:ann", "to": ["project:p1", "p2"], "mode": "all_shortest", "fields": ["*"]}', 'find_paths', '{"columns": ["*"], "from": {"label": "person", "ids": ["ann"]}, "to": {"label": "project", "ids": ["p1", "p2"]}, "mode": "all_shortest"}'),
  ('connect', '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "file", "filters": {"size": {"gte": 0}}}, "relations": ["WORKS_ON", "LINKS"]}', 'find_paths', '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "file", "filters": {"size": {"gte": 0}}}, "relationship_types": ["WORKS_ON", "LINKS"]}'),
  ('connect', '{"from": ["person:ann", "person:bob"], "within": 1}', 'intersect_subgraphs', '{"seeds": ["person:ann", "person:bob"], "k": 1}'),
  ('count', '{"node": {"label": "person"}}', 'aggregate_nodes', '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}]}'),
  ('count', '{"node": {"label": "person"}, "related": [{"type": "WORKS_ON"}], "group_by": [{"property": "team"}]}', 'aggregate_nodes', '{"node": {"label": "person", "related": [{"type": "WORKS_ON"}]}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "team"}]}'),
  ('count', '{"node": {"label": "person", "filters": {"active": true}}, "steps": [{"type": "WORKS_ON"}], "group_by": [{"step": 1, "label": "project", "property": "id"}], "aggregations": [{"fn": "avg", "property": "rate", "as": "mean"}], "sort": [{"field": "mean"}], "limit": 2}', 'aggregate_nodes', '{"node": {"label": "person", "filters": {"active": true}}, "relationships": [{"type": "WORKS_ON"}], "group_by": [{"step": 1, "label": "project", "property": "id"}], "aggregations": [{"fn": "avg", "property": "rate", "as": "mean"}], "sort": [{"field": "mean"}], "limit": 2}'),
  ('verify', '{"claims": [{"entity": "person:ann", "property": "team", "is": "core"}, {"name": "Ann Archer"}]}', 'verify_claims', '{"claims": [{"entity": "person:ann", "property": "team", "is": "core"}, {"name": "Ann Archer"}]}');
CREATE FUNCTION pg_temp.same(OUT tool text, OUT n bigint, OUT same bigint, OUT other jsonb) RETURNS SETOF record LANGUAGE sql AS $$
  SELECT tool, count(*), count(*) FILTER (WHERE got = meant AND NOT got ? 'error'), jsonb_agg(jsonb_build_array(arguments, got, meant)) FILTER (WHERE got <> meant OR got ? 'error')
  FROM (SELECT p.tool, arguments, compact_called(p.tool, arguments) - 'next' - 'checked_at' - 'hints' AS got, compact_called(behind, p.meant) - 'next' - 'checked_at' - 'hints' AS meant FROM compact_pair p OFFSET 0) t GROUP BY tool ORDER BY tool COLLATE "C" $$;
SELECT * FROM pg_temp.same();
-- hints point into what was sent
SELECT tool, h ->> 'path', h ->> 'message' FROM (VALUES ('find', '{"type": "person", "ids": ["nobody"]}'::jsonb), ('find', '{"type": "person", "filters": {"name": "Ann Archr"}}'), ('follow', '{"from": ["person:nobody"], "steps": [{"type": "WORKS_ON"}]}'), ('follow', '{"from": "person:ann", "steps": [{"type": "WORKS_ON", "to": {"label": "project", "filters": {"state": "paused"}}}]}'),
  ('around', '{"handle": "person:nobody"}'), ('connect', '{"from": "person:ann", "to": "project:p9"}'), ('get', '{"handles": ["person:an"]}'), ('count', '{"node": {"label": "person"}, "related": [{"type": "WORKS_ON", "to": {"label": "project", "ids": ["p9"]}}]}')) t(tool, arguments), jsonb_array_elements(compact_called(tool, arguments) -> 'hints') h;
-- the start of an id is no id in another spelling
SELECT compact_called('find', '{"type": "project", "filters": {"id": {"starts_with": "p-01"}}}') #> '{hints,0}' ? 'call' AS called, compact_called('find', '{"type": "project", "filters": {"id": "p-01"}}') #> '{hints,0,call,arguments,filters,id}' AS id;
-- a claim counts by them as by the others
SELECT c ->> 'verdict', c #> '{correction}', c #>> '{error,message}' FROM jsonb_array_elements(compact_called('verify', '{"claims": [{"count": {"tool": "find", "arguments": {"type": "person", "limit": 1}}, "is": 6}, {"none": {"tool": "follow", "arguments": {"from": "person:ann", "steps": [{"type": "WORKS_ON"}]}}},
  {"count": {"tool": "count", "arguments": {"node": {"label": "person"}, "group_by": [{"property": "team"}]}}, "is": 4}, {"count": {"tool": "verify", "arguments": {}}, "is": 1}, {"count": {"tool": "get", "arguments": {"handles": ["person:ann"]}}, "is": 1}]}') -> 'claims') c;
-- claims in other words
SELECT c ->> 'verdict' AS verdict, c #>> '{error,message}' AS error FROM jsonb_array_elements(compact_called('verify', '{"claims": [{"subject": "person:ann", "predicate": "WORKS_ON", "object": "project:p1"}, {"source": "person:ann", "relation": "WORKS_ON", "target": "project:p1"}, {"entity": "person:ann", "property": "team", "value": "core"}, {"count": {"tool": "find", "type": "person"}, "is": 6},
  {"from": "person:ann", "subject": "person:bob", "relation": "WORKS_ON", "to": "project:p1"}]}') -> 'claims') c;
SELECT compact_called('find', '{"type": "person", "offset": 1, "limit": 2}') -> 'items' = jsonb_path_query_array(compact_called('find', '{"type": "person", "limit": 3}'), '$.items[1 to 2]') AS from_offset;
-- pages by next, whatever room there is: everything once, nothing longer than it may be
SELECT tool, bytes, pages > 1 AS several, longest, things @> (SELECT things FROM compact_paged(tool, arguments || '{"max_bytes": 30000}', key)) AS all_of_it
  FROM (VALUES ('find', '{"type": "person"}'::jsonb, 'items'), ('find', '{"type": "person", "ids": ["ann", "bob", "cleo", "dan", "eve"], "limit": 2}', 'items'), ('get', '{"handles": ["person:ann", "person:bob", "person:cleo", "person:dan", "project:p1", "project:p2", "project:p3", "file:a.c"]}', 'items'),
    ('follow', '{"from": ["person:ann", "person:bob", "person:cleo"], "steps": [{"type": "*", "direction": "both"}], "limit": 3}', 'rows'), ('around', '{"handle": "person:ann", "max_hops": 2, "limit": 3}', 'nodes')) t(tool, arguments, key),
  LATERAL (VALUES (1100), (1300), (2000)) b(bytes), LATERAL compact_paged(tool, arguments || jsonb_build_object('max_bytes', bytes), key);
-- room that is not there is asked for in the caller's bytes: what the error says will do
SELECT compact_refused('find', jsonb_build_object('type', 'person', 'max_bytes', 1100, 'ids', (SELECT jsonb_agg(repeat('x', 90) || n) FROM generate_series(1, 20) n)));
SELECT compact_called('find', a || '{"max_bytes": 1100}') #>> '{error,code}', compact_called('find', a || jsonb_build_object('max_bytes', (compact_called('find', a || '{"max_bytes": 1100}') #>> '{error,at_least}')::int)) ? 'error' FROM (SELECT jsonb_build_object('type', 'person', 'limit', 1, 'filters', jsonb_build_object('id', jsonb_build_object('in', '["ann", "bob"]'::jsonb || (SELECT jsonb_agg(repeat('x', 90) || n) FROM generate_series(1, 20) n))), 'sort', '[{"field": "name"}]'::jsonb)) t(a);
-- errors name what was sent
SELECT tool || ': ' || compact_refused(tool, arguments) FROM (VALUES ('find', '{}'::jsonb), ('find', '{"type": "persn"}'), ('find', '{"type": "person", "where": {}}'), ('find', '{"type": "person", "ids": "ann"}'), ('find', '{"type": "person", "ids": [["ann"]]}'), ('find', '{"type": "person", "filters": {"nam": 1}}'),
  ('find', '{"query": "ann", "filters": {"rate": 1}}'), ('find', '{"type": "person", "mode": "names"}'), ('find', '{"query": "ann", "type": "persn"}'), ('find', '{"query": ""}'), ('find', '{"type": 7}'), ('find', '{"type": "person", "limit": -1}'), ('find', '[]'),
  ('get', '{}'), ('get', '{"handles": "person:ann"}'), ('get', '{"handles": [{}]}'), ('get', '{"handles": ["x1"]}'), ('get', '{"handles": ["person:ann"], "fields": ["nam"]}'), ('schema', '{"type": "persn"}'),
  ('follow', '{"from": "person:ann"}'), ('follow', '{"steps": [{"type": "WORKS_ON"}]}'), ('follow', '{"from": "person:ann", "steps": []}'), ('follow', '{"from": "person:ann", "steps": {"type": "WORKS_ON"}}'), ('follow', '{"from": "person:ann", "steps": [{"type": "WORK_ON"}]}'), ('follow', '{"from": "person:ann", "steps": [{"type": "WORKS_ON", "max_hops": 99}]}'),
  ('follow', '{"from": "person:nobody", "steps": [{"type": "WORKS_ON"}]}'), ('follow', '{"from": ["person:ann", "project:p1"], "steps": [{"type": "WORKS_ON"}]}'), ('follow', '{"from": {"label": "person", "filters": {"nam": 1}}, "steps": [{"type": "WORKS_ON"}]}'), ('follow', '{"from": "x1", "steps": [{"type": "WORKS_ON"}]}'), ('follow', '{"from": [], "steps": [{"type": "WORKS_ON"}]}'),
  ('around', '{}'), ('around', '{"handle": "person:an"}'), ('around', '{"handle": ["person:ann"]}'), ('around', '{"handle": "person:ann", "relations": ["WORK_ON"]}'), ('around', '{"handle": "person:ann", "types": ["persn"]}'), ('around', '{"handle": "person:ann", "max_hops": 0}'), ('around', '{"handle": "person:ann", "fields": ["nam"]}'),
  ('connect', '{"from": "person:ann"}'), ('connect', '{"to": "person:ann"}'), ('connect', '{"from": "person:ann", "to": "project:p9"}'), ('connect', '{"from": ["person:ann", "person:bob"], "within": 1, "to": "project:p1"}'), ('connect', '{"from": ["person:ann", "person:bob"], "within": 0}'), ('connect', '{"from": "person:ann", "to": {"label": "projct"}}'),
  ('count', '{}'), ('count', '{"node": "person"}'), ('count', '{"node": {"label": "person"}, "related": [{"type": "WORK_ON"}]}'), ('count', '{"node": {"label": "person", "related": [{"type": "WORK_ON"}]}}'), ('count', '{"node": {"label": "person"}, "steps": [{"type": "WORK_ON"}]}'), ('count', '{"node": {"label": "person"}, "aggregations": [{"fn": "mean"}]}'),
  ('count', '{"node": {"label": "person"}, "having": "count > 1"}'), ('count', '{"node": {"label": "person"}, "having": {"n": {"gt": 1}}}'), ('count', '{"node": {"label": "person"}, "having": {"count": {"in": [1]}}}'), ('count', '{"node": {"label": "person"}, "having": {"count": "1"}}'), ('count', '{"node": {"label": "person"}, "aggregations": [{"fn": "max", "property": "name"}], "having": {"max_name": 1}}'),
  ('verify', '{}'), ('verify', '{"claims": []}')) t(tool, arguments);
-- what to send instead is a call of the same tool, and answers
SELECT tool, c AS call, compact_called(c ->> 'tool', c -> 'arguments') ? 'error' AS refused_too FROM (VALUES ('find', '{"type": "persn"}'::jsonb), ('find', '{"type": "Person", "limit": 1}'), ('find', '{"type": "person", "where": {"team": "core"}}'), ('find', '{"type": "person", "filters": {"teem": "core"}}'), ('find', '{"type": "person", "ids": ["an"]}'),
  ('follow', '{"from": "person:ann", "steps": [{"type": "WORK_ON"}]}'), ('follow', '{"from": {"label": "persn", "ids": ["ann"]}, "steps": [{"type": "WORKS_ON"}]}'), ('follow', '{"from": ["person:an"], "steps": [{"type": "WORKS_ON"}]}'), ('follow', '{"from": "person:ann", "steps": [{"type": "WORKS_ON", "max_hops": 99}]}'),
  ('around', '{"handle": "person:an"}'), ('around', '{"handle": "person:ANN"}'), ('around', '{"handle": "person:ann", "relations": ["WORK_ON"]}'), ('connect', '{"from": "person:ann", "to": "project:p9"}'), ('connect', '{"from": "person:ann", "to": "project:P1"}'), ('connect', '{"from": "person:ann", "to": {"label": "projct", "ids": ["p1"]}}'),
  ('count', '{"node": {"label": "person"}, "related": [{"type": "WORK_ON"}]}'), ('count', '{"node": "person"}'), ('count', '{"node": {"label": "person"}, "group_by": [{"property": "teem"}]}'), ('schema', '{"type": "persn"}'), ('get', '{"handles": ["person:an"]}')) t(tool, arguments),
  LATERAL (SELECT coalesce(r #> '{error,call}', (SELECT h -> 'call' FROM jsonb_array_elements(r -> 'hints') h WHERE h ? 'call' LIMIT 1)) FROM compact_called(tool, arguments) r) x(c);
-- hidden and invented are alike
\c - compact_some
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION pg_temp.alike(tool text, hidden jsonb, invented jsonb) RETURNS bool LANGUAGE sql AS $$ SELECT ((compact_called(tool, hidden) #- '{error,did_you_mean}' #- '{error,call}') - 'hints'::text)::text = replace(replace(replace(((compact_called(tool, invented) #- '{error,did_you_mean}' #- '{error,call}') - 'hints'::text)::text, 'boc', 'bob'), 'z.c', 'a.c'), 'p9', 'p2') $$;
SELECT pg_temp.alike('find', '{"type": "person", "ids": ["bob"]}', '{"type": "person", "ids": ["boc"]}'), pg_temp.alike('get', '{"handles": ["person:bob", "p2"]}', '{"handles": ["person:boc", "p9"]}'), pg_temp.alike('around', '{"handle": "person:bob"}', '{"handle": "person:boc"}'),
  pg_temp.alike('follow', '{"from": "bob", "steps": [{"type": "WORKS_ON"}]}', '{"from": "boc", "steps": [{"type": "WORKS_ON"}]}'), pg_temp.alike('connect', '{"from": "person:ann", "to": ["project:p1", "project:p2"]}', '{"from": "person:ann", "to": ["project:p1", "project:p9"]}'), pg_temp.alike('connect', '{"from": "person:ann", "to": "file:a.c"}', '{"from": "person:ann", "to": "file:z.c"}');
CREATE FUNCTION pg_temp.same(OUT tool text, OUT n bigint, OUT same bigint) RETURNS SETOF record LANGUAGE sql AS $$
  SELECT tool, count(*), count(*) FILTER (WHERE compact_called(p.tool, arguments) - 'next' - 'checked_at' - 'hints' = compact_called(behind, p.meant) - 'next' - 'checked_at' - 'hints') FROM compact_pair p GROUP BY tool ORDER BY tool COLLATE "C" $$;
SELECT * FROM pg_temp.same();
-- what a client is told to begin with
SET kg_graph.toolsets = 'compact';
SELECT substring(kg_mcp('{"kg_revision": "2025-11-25", "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}}') #>> '{result,instructions}' FROM 'Example: .*');
\c - :owner
DROP POLICY compact_hide ON kg_entity;
DROP FUNCTION compact_called, compact_refused, compact_paged;
DROP TABLE compact_pair;
CALL test.drop('compact_a');
