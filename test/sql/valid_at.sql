-- Facts that hold for a time: x-valid-from and x-valid-to, and valid_at.
\i test/data/prelude.sql
CALL test.tenant('valid', 'valid_admin admin', 'valid_reader read', 'valid_some read');
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO valid_reader; GRANT pg_read_all_stats TO valid_reader;
GRANT EXECUTE ON FUNCTION kg_login(text, boolean) TO valid_reader;
CREATE POLICY valid_hides ON kg_entity AS RESTRICTIVE FOR SELECT TO valid_some USING (NOT data ? 'secret');
CREATE FUNCTION public.said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text;
  detail text;
BEGIN
  EXECUTE 'SELECT ' || call INTO answer;
  RETURN answer;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN format('%s %s: %s', SQLSTATE, SQLERRM, (SELECT jsonb_agg(jsonb_build_array(e -> 'path', e -> 'message', e -> 'expected', e -> 'did_you_mean')) FROM jsonb_array_elements(coalesce(detail::jsonb -> 'errors', jsonb_build_array(detail::jsonb))) e));
END $$;
-- The handles or ids in a reply, in its order, with its total.
CREATE FUNCTION public.told(reply jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(string_agg(coalesce(i ->> 'type', i ->> 'entity_type', '') || ':' || (i ->> 'id'), ' ' ORDER BY n), '') || coalesce(' of ' || coalesce(reply ->> 'total', reply ->> 'node_count'), '')
    FROM jsonb_array_elements(coalesce(reply -> 'items', reply -> 'nodes', reply -> 'entities')) WITH ORDINALITY x(i, n) $$;
CREATE FUNCTION public.valid_bundle(firm text, person text, works text, more text DEFAULT '') RETURNS jsonb LANGUAGE sql AS $$ SELECT ('{"bundle_name": "work", "version": "1", "schemas": [
  {"entity_type": "firm", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-scope-field": "path", "x-tool-expose": ["list", "get", "list_ids"]' || firm || ', "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true}, "size": {"type": "integer", "x-index": true}, "path": {"type": "string"},
    "secret": {"type": "boolean"}, "founded": {"type": "string", "format": "date"}, "closed": {"type": ["string", "null"], "format": "date-time"}, "days": {"type": "array", "items": {"type": "string", "format": "date"}}, "staff": {"type": "integer", "x-derived": {"count": "WORKS_AT", "direction": "incoming"}}}}},
  {"entity_type": "person", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name"' || person || ', "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "first": {"type": "string", "x-ref": "firm", "x-relation": "FIRST_AT"}}}}],
  "relations": [{"name": "WORKS_AT", "from": "person", "to": "firm", "schema": {"type": "object"' || works || ', "properties": {"since": {"type": "string", "format": "date-time"}, "until": {"type": "string", "format": "date"}, "pay": {"type": "integer"}, "at": {"type": "object", "properties": {"end": {"type": "string", "format": "date"}}}}}},
    {"name": "KNOWS", "from": "person", "to": "person", "symmetric": true}]' || more || '}')::jsonb $$;
CREATE FUNCTION public.valid_works() RETURNS text LANGUAGE sql AS $$ SELECT ', "x-valid-from": "since", "x-valid-to": "until"' $$;
CREATE FUNCTION public.valid_firms() RETURNS text LANGUAGE sql AS $$ SELECT ', "x-valid-from": "founded", "x-valid-to": "closed"' $$;

-- What the annotations may be.
SET ROLE valid_admin;
SELECT said(format('kg_apply_bundle(public.valid_bundle(%L, %L, %L))', a, '', b)) FROM (VALUES
  (', "x-valid-from": "foundd"', ''), (', "x-valid-from": "size", "x-valid-to": "name"', ''), (', "x-valid-to": "days"', ''), (', "x-valid-to": "staff"', ''), (', "x-valid-from": "founded", "x-valid-to": "founded"', ''), (', "x-valid-from": ["founded"]', ''), (', "x-valid-form": "founded"', ''), (', "x-validfrom": "founded"', ''),
  ('', ', "x-valid-to": "til"'), ('', ', "x-valid-to": "pay"')) v(a, b);
SELECT said($$kg_apply_bundle(jsonb_set(public.valid_bundle('', '', public.valid_works()), '{relations,9}', '{"name": "WORKS_AT", "from": "person", "to": "person", "schema": {"type": "object", "x-valid-to": "until", "properties": {"until": {"type": "string", "format": "date"}}}}'))$$);
SELECT said($$kg_apply_bundle(jsonb_set(public.valid_bundle('', '', ', "x-valid-to": "at.end"'), '{schemas,0,schema,properties,founded,x-valid-from}', '"id"'))$$) <> '' AS of_a_property;

SELECT kg_apply_bundle(valid_bundle(valid_firms(), '', valid_works(), $$, "entities": [
  {"entity_type": "firm", "items": [{"id": "old", "name": "Old Oaks", "size": 1, "path": "1/", "founded": "1990-01-01", "closed": "2000-01-01T00:00:00Z"}, {"id": "new", "name": "New Nuts", "size": 2, "path": "1/", "founded": "2000-01-01", "closed": null},
    {"id": "ever", "name": "Ever Elms", "size": 3, "path": "2/"}, {"id": "hush", "name": "Hush Hazel", "size": 4, "path": "2/", "secret": true, "closed": "2000-01-01T00:00:00.25+05:30"}]},
  {"entity_type": "person", "items": [{"id": "ann", "name": "Ann", "first": "old"}, {"id": "bob", "name": "Bob", "first": "old"}, {"id": "cy", "name": "Cy", "first": "new"}, {"id": "di", "name": "Di"}]}],
  "edges": [{"relation": "WORKS_AT", "from": "person:ann", "to": "firm:old"}, {"relation": "WORKS_AT", "from": "person:bob", "to": "firm:old", "properties": {"until": "1995-01-01"}},
    {"relation": "WORKS_AT", "from": "person:bob", "to": "firm:ever", "properties": {"since": "1995-01-01T00:00:00Z"}}, {"relation": "WORKS_AT", "from": "person:cy", "to": "firm:new", "properties": {"since": "2001-01-01T00:00:00+01:00", "until": "2002-01-01"}},
    {"relation": "WORKS_AT", "from": "person:di", "to": "firm:ever"}, {"relation": "WORKS_AT", "from": "person:di", "to": "firm:hush"}, {"relation": "KNOWS", "from": "person:ann", "to": "person:cy"}]$$)) -> 'changed' AS changed;
SELECT jsonb_path_query_array(kg_export_bundle('work'), '$.schemas[*].schema.keyvalue() ? (@.key starts with "x-valid").value') || jsonb_path_query_array(kg_export_bundle('work'), '$.relations[*].schema."x-valid-from"') AS exported;
SELECT kg_apply_bundle(kg_export_bundle('work')) -> 'changed' AS again;

-- A period without any time in it is refused, whoever writes it; dates begin in UTC.
SELECT said($$kg_put_entities('firm', '[{"id": "x", "founded": "2000-01-01", "closed": "1999-12-31T23:59:59Z"}, {"id": "y", "founded": "2000-01-01", "closed": "2000-01-01T01:00:00+01:00"}]') -> 'items'$$);
SELECT said($$kg_put_entities('firm', '[{"id": "x", "founded": "2000-01-01", "closed": "2000-01-01T00:00:00.001Z"}]', '{"dry_run": true}') -> 'counts'$$);
SELECT said($$kg_update_entities('firm', '[{"id": "old", "set": {"founded": "2000-01-01"}}]') -> 'items'$$);
SELECT said($$kg_apply_bundle('{"bundle_name": "work", "version": "1", "entities": [{"entity_type": "firm", "items": [{"id": "new", "founded": "2000-01-01", "closed": "2000-01-01T00:00:00Z"}]}]}', '{"mode": "merge"}')$$);
SELECT said($$kg_apply_bundle('{"bundle_name": "work", "version": "1", "edges": [{"relation": "WORKS_AT", "from": "ann", "to": "new", "properties": {"since": "2000-01-01T00:00:00Z", "until": "1999-01-01"}}]}', '{"mode": "merge"}')$$);
SELECT said($$kg_put_edges('[{"relation": "WORKS_AT", "from": "person:ann", "to": "firm:new", "properties": {"since": "2000-01-01T00:00:00Z", "until": "2000-01-01"}}]') -> 'items'$$);
UPDATE kg_entity SET data = data || '{"founded": "2001-01-01"}' WHERE entity_id = 'old';
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('work', 'firm', '{"id": "z", "founded": "2001-01-01", "closed": "1901-01-01T00:00:00Z"}');
INSERT INTO kg_edge(tenant, relation_no, source, target, properties) SELECT p.tenant, (SELECT min(relation_no) FROM kg_edge WHERE properties ? 'until'), p.node, f.node, '{"since": "2000-01-01T00:00:00Z", "until": "1999-01-01"}' FROM kg_entity p, kg_entity f WHERE p.entity_id = 'ann' AND f.entity_id = 'ever';
UPDATE kg_edge SET properties = properties || '{"since": "1999-01-01T00:00:00Z"}' WHERE properties ->> 'until' = '1995-01-01';
-- So is an annotation that comes later, where something stored is so.
SELECT said($$kg_apply_bundle(public.valid_bundle(', "x-valid-from": "closed", "x-valid-to": "founded"', '', public.valid_works()), '{"mode": "merge"}')$$);
SELECT said($$kg_apply_bundle(public.valid_bundle(public.valid_firms(), '', ', "x-valid-from": "until", "x-valid-to": "since"'), '{"mode": "merge"}')$$);
-- A format that is not asserted is one where it says when.
SELECT said($$kg_apply_bundle('{"bundle_name": "loose", "version": "1", "schemas": [{"entity_type": "loose", "schema": {"type": "object", "x-id-field": "id", "x-format": "annotate", "x-valid-to": "to", "properties": {"id": {"type": "string"}, "to": {"type": "string", "format": "date-time"}}}}], "entities": [{"entity_type": "loose", "items": [{"id": "a", "to": "tomorrow"}]}]}')$$);

-- What there is at a time, boundaries and zones; without valid_at everything.
SELECT kg_pack() > 0 AS packed;
SET ROLE valid_reader;
SELECT at, told(kg_list('firm', CASE WHEN at IS NULL THEN '{}' ELSE jsonb_build_object('valid_at', at) END)) FROM unnest(ARRAY[NULL, '0001-01-01T00:00:00Z', '1989-12-31T23:59:59.999999Z', '1990-01-01T00:00:00Z', '1989-12-31T19:00:00-05:00', '1999-12-31T18:30:00.2499999Z', '1999-12-31T18:30:00.25Z',
  '1999-12-31T23:59:59.999999999Z', '2000-01-01T00:00:00Z', '2000-01-01T00:30:00+01:00', '1999-12-31T23:59:60Z', '9999-12-31T23:59:59Z', 'now']) at;
SELECT at, said(format('kg_list(%L, %L)', 'firm', jsonb_build_object('valid_at', at))) FROM (VALUES ('"yesterday"'::jsonb), ('"2000-01-01"'), ('"2000-01-01T00:00:00"'), ('"NOW"'), ('""'), ('7'), ('null'), ('"2000-02-30T00:00:00Z"')) v(at);

-- Every tool.
CREATE FUNCTION pg_temp.each(at text) RETURNS TABLE (tool text, told text) LANGUAGE sql AS $$
  SELECT c.tool, CASE c.show WHEN 'told' THEN public.told(r) ELSE jsonb_path_query_array(r, c.show::jsonpath)::text END
    FROM (VALUES ('list_firm', '{"sort": [{"field": "size", "order": "desc"}]}', 'told'), ('list_firm', '{"filters": {"size": {"gte": 1}}}', '$.items[*].data.staff'), ('list_firm', '{"search": "oak"}', 'told'), ('list_firm_ids', '{"filters": {"name": {"starts_with": "O"}}}', '$.ids'),
      ('get_firm', '{"ids": ["old", "new", "ever"]}', '$.not_found'), ('get_firm', '{"id": "old"}', '$.entity.name'), ('get_firm', '{"id": "od"}', '$.hints[*].nearest[*].id'), ('get_person', '{"id": "ann"}', '$.entity.data.first'), ('find_nodes', '{"node_label": "firm", "filters": {"size": {"lt": 3}}}', 'told'), ('find_nodes', '{"node_label": "firm", "ids": ["old", "new"]}', 'told'),
      ('traverse_relationships', '{"from": {"label": "person"}, "relationships": [{"type": "WORKS_AT"}]}', '$.rows'), ('traverse_relationships', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "*", "direction": "both", "max_hops": 3}]}', '$.rows'),
      ('traverse_relationships', '{"from": {"label": "person", "ids": ["ann"]}, "relationships": [{"type": "FIRST_AT"}]}', '$.empty.*'), ('explore_neighbors', '{"start_node": {"label": "person", "node_id": "ann"}, "max_hops": 3}', 'told'), ('explore_neighbors', '{"start_node": {"label": "person", "node_id": "ann"}, "max_hops": 3}', '$.counts.by_type'),
      ('find_paths', '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person", "ids": ["bob"]}, "max_hops": 4}', '$.total'), ('find_paths', '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "firm", "ids": ["new"]}, "max_hops": 4, "mode": "walks"}', '$.paths[*].length'),
      ('aggregate_nodes', '{"node": {"label": "firm"}, "aggregations": [{"fn": "count"}, {"fn": "max", "property": "size"}]}', '$.rows'), ('aggregate_nodes', '{"node": {"label": "person"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "WORKS_AT", "label": "firm"}]}', '$.rows'), ('aggregate_nodes', '{"node": {"label": "person"}, "relationships": [{"type": "WORKS_AT"}], "aggregations": [{"fn": "count"}]}', '$.rows'),
      ('search_entities', '{"query": "old oak"}', '$.items[*].id'), ('search_entities', '{"query": "nuts"}', '$.items[*].id'), ('bfs_query', '{"seeds": ["ann", "old"], "max_hops": 2}', 'told'), ('bfs_query', '{"seeds": ["old"], "max_hops": 1}', '$.unknown_seeds'), ('bfs_query', '{"seeds": ["ann"], "max_hops": 2}', '$.schema_summary'),
      ('find_nodes', '{"node_label": "person", "related": [{"type": "WORKS_AT"}]}', 'told'), ('find_nodes', '{"node_label": "person", "not_related": [{"type": "WORKS_AT"}]}', 'told'), ('find_nodes', '{"node_label": "person", "not_related": [{"type": "FIRST_AT", "to": {"ids": ["old"]}}]}', 'told'), ('find_nodes', '{"node_label": "person", "related": [{"type": "WORKS_AT", "to": {"label": "firm", "filters": {"size": {"lt": 4}}}, "max_count": 1}]}', 'told'),
      ('list_firm_ids', '{"related": [[{"type": "WORKS_AT", "direction": "incoming"}, {"type": "FIRST_AT", "to": {"ids": ["old"]}}]]}', '$.ids'), ('list_firm', '{"search": "elm oak", "not_related": [{"type": "WORKS_AT", "direction": "incoming"}]}', 'told'), ('aggregate_nodes', '{"node": {"label": "person", "related": [{"type": "KNOWS", "to": {"not_related": [{"type": "WORKS_AT"}]}}]}, "aggregations": [{"fn": "count"}]}', '$.rows'),
      ('intersect_subgraphs', '{"seeds": ["ann", "bob"], "k": 1}', 'told'), ('describe_entity', '{"id": "firm:old"}', '$.name'), ('describe_entity', '{"id": "firm:ever"}', '$.staff'), ('describe_entities', '{"ids": ["firm:old", "new"]}', 'told')) c(tool, arguments, show),
    LATERAL (SELECT kg_call_tool(c.tool, c.arguments::jsonb || CASE WHEN at IS NULL THEN '{}' ELSE jsonb_build_object('valid_at', at) END) -> 'structuredContent') x(r) $$;
SELECT a.tool, a.told AS always, b.told AS "1994", c.told AS "1996", d.told AS "2001-06" FROM ROWS FROM (pg_temp.each(NULL), pg_temp.each('1994-06-01T00:00:00Z'), pg_temp.each('1996-06-01T00:00:00Z'), pg_temp.each('2001-06-01T00:00:00Z')) AS x(tool, told, t2, b_told, t3, c_told, t4, d_told), LATERAL (SELECT tool, told) a, LATERAL (SELECT b_told) b(told), LATERAL (SELECT c_told) c(told), LATERAL (SELECT d_told) d(told);
-- Edges that end and begin.
SELECT at, kg_traverse(jsonb_build_object('from', '{"label": "person", "ids": ["bob", "cy"]}'::jsonb, 'relationships', '[{"type": "WORKS_AT"}]'::jsonb, 'valid_at', at)) -> 'rows' AS rows
  FROM unnest(ARRAY['1994-12-31T23:59:59Z', '1995-01-01T00:00:00Z', '2000-12-31T22:59:59Z', '2000-12-31T23:00:00Z', '2001-12-31T23:59:59Z', '2002-01-01T00:00:00Z']) at;

-- Cursors: bound to valid_at; "now" stays what it was on the first page.
CREATE TEMP TABLE page AS SELECT kg_list('firm', '{"limit": 1, "valid_at": "1994-06-01T00:00:00Z"}') -> 'next' AS next;
SELECT next - 'cursor' AS next, told(kg_list('firm', next)), said(format('kg_list(%L, %L)', 'firm', next || '{"valid_at": "1994-06-01T00:00:01Z"}')) AS other, said(format('kg_list(%L, %L)', 'firm', next - 'valid_at')) AS none, said(format('kg_list(%L, %L)', 'firm', next || '{"valid_at": "now"}')) AS now FROM page;
SET ROLE valid_admin;
SELECT kg_put_entities('firm', jsonb_build_array(jsonb_build_object('id', 'aaa', 'name', 'Brief Beech'), jsonb_build_object('id', 'soon', 'name', 'Soon Spruce'))) -> 'counts' AS put;
SELECT kg_apply_bundle('{"bundle_name": "work", "version": "1", "entities": [{"entity_type": "person", "items": [{"id": "ed", "first": "soon"}, {"id": "flo", "first": "soon"}]}], "edges": [{"relation": "WORKS_AT", "from": "person:ed", "to": "firm:ever"}, {"relation": "WORKS_AT", "from": "person:ed", "to": "firm:aaa"}]}', '{"mode": "merge"}') -> 'changed' AS changed;
CREATE FUNCTION pg_temp.paged() RETURNS TABLE (tool text, first text, second text, other text) LANGUAGE plpgsql AS $$
DECLARE
  calls jsonb := '[["list_firm", {"limit": 1, "sort": [{"field": "name"}]}], ["list_firm", {"limit": 1, "search": "spruce beech"}], ["find_nodes", {"node_label": "firm", "limit": 1}], ["explore_neighbors", {"start_node": {"label": "firm", "node_id": "ever"}, "limit": 1}], ["traverse_relationships", {"from": {"label": "firm"}, "relationships": [{"type": "WORKS_AT", "direction": "incoming"}], "limit": 1}],
    ["find_nodes", {"node_label": "person", "related": [{"type": "FIRST_AT", "to": {"ids": ["soon"]}}], "limit": 1}], ["list_firm", {"related": [[{"type": "WORKS_AT", "direction": "incoming"}, {"type": "FIRST_AT", "to": {"label": "firm", "ids": ["soon"]}}]], "limit": 1}],
    ["traverse_relationships", {"from": {"label": "person", "not_related": [{"type": "FIRST_AT", "to": {"ids": ["soon"]}}]}, "relationships": [{"type": "KNOWS"}], "limit": 1}]]';
  call jsonb;
  page jsonb;
  nexts jsonb[] := '{}';
BEGIN
  FOR call IN SELECT jsonb_array_elements(calls) LOOP
    page := kg_call_tool(call ->> 0, (call -> 1) || '{"valid_at": "now"}') -> 'structuredContent';
    nexts := nexts || jsonb_build_object('tool', call -> 0, 'first', public.told(page), 'next', page -> 'next');
  END LOOP;
  PERFORM kg_update_entities('firm', jsonb_build_array(jsonb_build_object('id', 'soon', 'set', jsonb_build_object('closed', clock_timestamp()))));
  FOREACH call IN ARRAY nexts LOOP
    tool := call ->> 'tool';
    first := call ->> 'first';
    second := '';
    page := jsonb_build_object('next', call -> 'next');
    WHILE page -> 'next' IS NOT NULL AND page -> 'next' <> 'null' LOOP
      page := kg_call_tool(tool, page -> 'next') -> 'structuredContent';
      second := second || ' ' || coalesce(public.told(page), page::text);
    END LOOP;
    other := public.told(kg_call_tool(tool, (call -> 'next') - 'cursor' || '{"limit": 50}') -> 'structuredContent');
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM pg_temp.paged();
SELECT kg_delete_entities('person', ARRAY['ed', 'flo']) -> 'counts' AS deleted;
SELECT kg_delete_entities('firm', ARRAY['aaa', 'soon']) -> 'counts' AS deleted;

-- It is told where something holds for a time, and understood everywhere.
SET ROLE valid_reader;
SELECT kg_graph_schema('{}') -> 'node_types' AS types, kg_graph_schema('{}') #> '{relationship_types,-1}' AS relation;
SELECT substring(kg_describe_schema('{}') ->> 'tool_usage_notes' FROM 'What these are.*') AS notes;
SELECT said($$kg_aggregate('{"node": {"label": "person"}, "relationships": [{"type": "WORKS_AT"}], "aggregations": [{"fn": "count"}]}') -> 'warnings'$$), said($$kg_aggregate('{"node": {"label": "person"}, "relationships": [{"type": "KNOWS"}], "aggregations": [{"fn": "count"}]}') -> 'warnings'$$) AS without,
  said($$kg_aggregate('{"node": {"label": "firm"}, "aggregations": [{"fn": "count"}], "valid_at": "now"}') -> 'warnings'$$) AS at;
SELECT string_agg(t ->> 'name', ' ' ORDER BY t ->> 'name' COLLATE "C") FILTER (WHERE t #> '{inputSchema,properties}' ? 'valid_at') AS told, string_agg(t ->> 'name', ' ' ORDER BY t ->> 'name' COLLATE "C") FILTER (WHERE NOT t #> '{inputSchema,properties}' ? 'valid_at') AS not_told FROM jsonb_array_elements(kg_list_tools()) t;
SELECT told(kg_list('person', '{"valid_at": "1900-01-01T00:00:00Z"}')), said($$kg_graph_schema('{"valid_at": "now"}')$$);
SELECT kg_explain('list_firm', '{"valid_at": "1994-06-01T00:00:00Z"}') #> '{ast,valid_at}' AS list, kg_explain('explore_neighbors', '{"start_node": {"label": "person", "node_id": "ann"}, "valid_at": "1994-06-01T00:00:00Z"}') #> '{ast,valid_at}' AS graph;

-- How it is planned: the same indexes, and the rows that hold of what they find.
CREATE TEMP TABLE plan AS SELECT c.tool, s ->> 'sql' AS sql, line FROM (VALUES ('list_firm', '{"filters": {"size": {"gt": 1}}, "sort": [{"field": "name"}]}'), ('get_firm', '{"id": "old"}'), ('find_nodes', '{"node_label": "firm", "ids": ["old", "new"]}'),
  ('explore_neighbors', '{"start_node": {"label": "person", "node_id": "ann"}, "max_hops": 3}'), ('traverse_relationships', '{"from": {"label": "person"}, "relationships": [{"type": "WORKS_AT", "filters": {"pay": {"is_null": true}}}]}'), ('find_paths', '{"from": {"label": "person", "ids": ["ann"]}, "to": {"label": "person"}}'),
  ('aggregate_nodes', '{"node": {"label": "firm", "filters": {"size": 2}}, "aggregations": [{"fn": "count"}]}'), ('search_entities', '{"query": "oak"}'), ('bfs_query', '{"seeds": ["ann", "old"], "max_hops": 2}'), ('describe_entities', '{"ids": ["old", "firm:new"]}')) c(tool, arguments),
  LATERAL jsonb_array_elements(kg_explain(c.tool, c.arguments::jsonb || '{"valid_at": "1994-06-01T00:00:00Z"}') -> 'statements') s, LATERAL jsonb_array_elements_text(s -> 'plan') line;
SELECT DISTINCT tool, sql, line FROM plan WHERE line ~ 'Seq Scan|Bitmap Heap Scan|Hash Join|Merge Join|Subquery Scan';
SELECT count(DISTINCT sql) >= 20 AS of_tables, count(DISTINCT sql) FILTER (WHERE sql !~ 'valid') AS without FROM plan WHERE sql ~ 'kg_entity|kg_edge';
SELECT line FROM (SELECT DISTINCT regexp_replace(regexp_replace(line, '^[ >-]*', ''), 'kg_edge_(pkey|target_idx)', 'an index') AS line FROM plan WHERE line ~ 'Scan' AND line ~ 'kg_e(ntity|dge)') x ORDER BY line COLLATE "C";
-- Edges of a relation without periods stay packed.
SELECT tool, bool_or(line ~ 'kg_adjacency') AS packed, bool_or(line ~ ' on kg_edge') AS edges FROM (VALUES ('KNOWS'), ('WORKS_AT')) r(relation), LATERAL (SELECT relation AS tool, line FROM jsonb_array_elements(kg_explain('explore_neighbors', jsonb_build_object('start_node', '{"label": "person", "node_id": "ann"}'::jsonb, 'relationship_types', jsonb_build_array(relation), 'topology', NULL) - 'topology' || '{"valid_at": "1994-06-01T00:00:00Z"}') -> 'statements') s, jsonb_array_elements_text(s -> 'plan') line WHERE s ->> 'sql' !~ 'properties, e.key|e.properties') x GROUP BY tool ORDER BY tool COLLATE "C";
-- Without valid_at nothing is asked.
SELECT count(*) AS asked FROM jsonb_array_elements(kg_explain('list_firm', '{"filters": {"size": {"gt": 1}}}') -> 'statements') s WHERE s::text ~ '_valid';

-- Hidden rows, paths and an authorizer with it.
RESET ROLE;
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('valid', 'k', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', 'read');
SELECT kg_issue_token('{"tenant": "valid", "traversal_ids": ["2/"]}') AS path \gset
SELECT kg_grant('valid', current_user::text, 'admin');
CREATE FUNCTION public.valid_decide(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE plpgsql STABLE AS $$ BEGIN RAISE WARNING 'asked about %', (SELECT array_agg(i ORDER BY i COLLATE "C") FROM unnest(ids) i); RETURN QUERY SELECT i, i <> 'ever' FROM unnest(ids) i; END $$;
SET ROLE valid_some;
SELECT told(kg_list('firm', '{"valid_at": "1994-06-01T00:00:00Z"}')) AS hidden, told(kg_bfs('{"seeds": ["di", "bob"], "max_hops": 2, "valid_at": "1996-06-01T00:00:00Z"}')) AS bfs, kg_aggregate('{"node": {"label": "firm"}, "aggregations": [{"fn": "count"}], "valid_at": "1994-06-01T00:00:00Z"}') -> 'rows' AS count;
\c - valid_reader
BEGIN;
SELECT kg_login(:'path');
SELECT told(kg_list('firm', '{"valid_at": "1994-06-01T00:00:00Z"}')) AS paths, told(kg_list('firm', '{"valid_at": "2004-06-01T00:00:00Z"}')) AS later, said($$kg_describe('{"id": "firm:old", "valid_at": "1994-06-01T00:00:00Z"}')$$);
COMMIT;
\c - :owner
SET client_min_messages = error;
SELECT kg_set_authorizer('valid', 'valid_decide(text, text, text[])');
SELECT kg_apply_bundle(valid_bundle(valid_firms() || ', "x-authorize": {"ability": "see"}', '', valid_works()), '{"mode": "merge"}') -> 'changed' AS authorized;
\c - valid_reader
\set VERBOSITY terse
-- Nobody is asked about what does not hold.
SELECT told(kg_list('firm', '{"valid_at": "2004-06-01T00:00:00Z"}'));
SELECT told(kg_neighbors('{"start_node": {"label": "person", "node_id": "bob"}, "max_hops": 2, "valid_at": "1994-06-01T00:00:00Z"}'));
SELECT told(kg_search('{"query": "old oaks", "valid_at": "2004-06-01T00:00:00Z"}'));
BEGIN;
SELECT kg_login(:'path');
SELECT told(kg_list('firm', '{"valid_at": "1994-06-01T00:00:00Z"}'));
COMMIT;
\c - :owner
\set VERBOSITY terse
SET client_min_messages = error;
SELECT kg_apply_bundle(valid_bundle(valid_firms(), '', valid_works()), '{"mode": "merge"}') -> 'changed' AS not_authorized;

-- Whoever row-level security does not apply to has the same.
SET kg_graph.tenant = 'valid';
SELECT told(kg_list('firm', '{"valid_at": "2004-06-01T00:00:00Z"}')), told(kg_neighbors('{"start_node": {"label": "person", "node_id": "bob"}, "valid_at": "1994-06-01T00:00:00Z"}'));
RESET kg_graph.tenant;

-- Registered tools hand it on; one operation's instant is not the next one's.
SET ROLE valid_admin;
SELECT kg_register_tool('{"name": "firms_at", "version": "1.0.0", "kind": "query", "description": "A query.", "input_schema": {"properties": {"at": {"type": "string"}}}, "operation": {"tool": "list_firm", "arguments": {"valid_at": {"$arg": "at"}}}}') ->> 'name' AS query,
  kg_register_tool('{"name": "two_times", "version": "1.0.0", "kind": "sequence", "description": "A sequence.", "input_schema": {"required": ["at"], "properties": {"at": {"type": "string"}}}, "operations": [{"name": "then", "tool": "list_firm_ids", "arguments": {"valid_at": {"$arg": "at"}}}, {"name": "always", "tool": "list_firm_ids", "arguments": {}}, {"name": "one", "tool": "get_firm", "arguments": {"id": "old"}}]}') ->> 'name' AS sequence;
SELECT said($$kg_register_tool('{"name": "bad_at", "version": "1.0.0", "kind": "query", "description": "A query.", "input_schema": {"properties": {"at": {"type": "integer"}}}, "operation": {"tool": "list_firm", "arguments": {"valid_at": {"$arg": "at"}}}}')$$);
SET ROLE valid_reader;
SELECT told(kg_call_tool('firms_at', '{"at": "2004-06-01T00:00:00Z"}') -> 'structuredContent') AS at, told(kg_call_tool('firms_at', '{}') -> 'structuredContent') AS always, kg_call_tool('firms_at', '{"at": "then"}') #>> '{structuredContent,error,message}' AS wrong;
SELECT jsonb_path_query_array(kg_call_tool('two_times', '{"at": "1980-06-01T00:00:00Z"}') -> 'structuredContent', '$.**.ids') AS ids, jsonb_path_query_array(kg_call_tool('two_times', '{"at": "1980-06-01T00:00:00Z"}') -> 'structuredContent', '$.**.entity.id') AS one;

-- It ends with its call, also by an error, and is not the next one's.
DO $$
BEGIN
  BEGIN
    PERFORM kg_bfs('{"seeds": ["old"], "max_hops": 9, "valid_at": "1900-01-01T00:00:00Z"}');
  EXCEPTION WHEN OTHERS THEN
    RAISE INFO '%', SQLERRM;
  END;
  RAISE INFO '% %', told(kg_list('firm', '{}')), (SELECT count(*) FROM kg_entity WHERE entity_type = 'firm' AND kg_entity_valid(type_no, data));
END $$;
SELECT kg_entity_valid(1, '{}'), kg_entity_valid(NULL, NULL), kg_edge_valid(1, NULL);

-- With as_of: what was known then, of what holds.
SET ROLE valid_admin;
SELECT kg_apply_bundle(valid_bundle(valid_firms() || ', "x-history": true', '', valid_works()), '{"mode": "merge"}') -> 'changed' AS kept;
SELECT clock_timestamp() AS before \gset
SELECT kg_put_entities('firm', '[{"id": "ever", "name": "Ever Elms", "size": 3, "path": "2/", "closed": "2010-01-01T00:00:00Z"}]') -> 'counts' AS closed;
SELECT said(format('kg_call_tool(%L, %L) #> %L', 'get_firm', jsonb_build_object('ids', '["ever", "old"]'::jsonb, 'valid_at', '2020-01-01T00:00:00Z'), '{structuredContent,not_found}')) AS now,
  jsonb_path_query_array(kg_call_tool('get_firm', jsonb_build_object('ids', '["ever", "old"]'::jsonb, 'valid_at', '2020-01-01T00:00:00Z', 'as_of', to_json(:'before'::timestamptz))), '$.structuredContent.entities[*].id') AS as_known_before;

RESET ROLE;
DROP POLICY valid_hides ON kg_entity;
SELECT kg_set_authorizer('valid', NULL);
DELETE FROM kg_auth_key WHERE issuer = 'valid';
DROP FUNCTION public.said(text), public.told(jsonb), public.valid_bundle(text, text, text, text), public.valid_works(), public.valid_firms(), public.valid_decide(text, text, text[]);
REVOKE EXECUTE ON FUNCTION kg_explain(text, jsonb), kg_login(text, boolean) FROM valid_reader;
CALL test.drop('valid');
