-- Numbers and times at their limits: as keys, in filters, as arguments.
\i test/data/prelude.sql
CALL test.tenant('numbers_a', 'numbers_writer admin');
SET ROLE numbers_writer;
SELECT kg_apply_bundle('{"bundle_name": "num", "version": "1", "schemas": [{"entity_type": "me", "schema": {"type": "object", "x-id-field": "id", "properties": {
  "id": {"type": "string"}, "n": {"type": "number", "x-index": true}, "list": {"type": "array", "items": {"type": "number", "x-index": true}},
  "i": {"type": "integer", "x-index": true}, "size": {"enum": [1, 2.5, 10], "x-index": true}, "bits": {"type": "integer", "enum": [8, 16, null], "x-index": true},
  "at": {"type": "string", "format": "date-time", "x-index": true}, "free": {"type": "number"}, "in": {"type": "integer", "x-derived": {"count": "NEXT", "direction": "incoming"}}, "next": {"type": "string", "x-ref": "me"}}}}],
  "entities": [{"entity_type": "me", "items": [{"id": "a", "n": 1, "i": 1, "size": 1, "bits": 8, "next": "a"}, {"id": "b", "i": 2, "size": 2.5, "bits": 16}]}]}') ->> 'changed' AS changed;
CREATE FUNCTION pg_temp.try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
  detail text;
BEGIN
  EXECUTE statement INTO result;
  RETURN left(result, 150);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ' ' || SQLERRM || CASE WHEN detail LIKE '{%' THEN concat_ws(' ', '', detail::jsonb ->> 'path', detail::jsonb ->> 'entity_type', detail::jsonb ->> 'id',
    'allowed ' || (detail::jsonb ->> 'allowed'), 'but ' || (detail::jsonb ->> 'did_you_mean')) ELSE '' END;
END
$$;

-- a number of thousands of digits: wherever keys are made, the property, the entity and the setting are named
SELECT pg_temp.try(format('INSERT INTO kg_entity (bundle, entity_type, data) VALUES (''num'', ''me'', %L)', format('{"id": "x", "n": %s}', v))) AS insert,
       pg_temp.try(format('UPDATE kg_entity SET data = data || %L WHERE entity_id = ''a'' RETURNING 1', format('{"list": [1, %s]}', v))) AS update,
       pg_temp.try(format('SELECT kg_put_entities(''me'', %L)', format('[{"id": "y"}, {"id": "x", "n": %s}]', v))) AS put,
       pg_temp.try(format('SELECT kg_apply_bundle(jsonb_set(kg_export_bundle(''num''), ''{entities}'', %L))', format('[{"entity_type": "me", "items": [{"id": "a"}, {"id": "x", "at": "2024-01-01T00:00:00.%sZ"}]}]', v))) AS apply,
       pg_temp.try(format('SELECT kg_list(''me'', %L)', format('{"filters": {"n": {"gte": %s}}}', v))) AS filter,
       pg_temp.try(format('SELECT kg_find_nodes(%L)', format('{"node_label": "me", "filters": {"list": {"in": [1, %s]}}}', v))) AS graph
FROM (VALUES (repeat('7', 5000))) n (v) \gx
-- what fits is exact, however long
SELECT kg_put_entities('me', jsonb_build_array(jsonb_build_object('id', 'long', 'n', repeat('7', 1990)::numeric, 'list', ARRAY[1e30000, 1e-16383, -1e30000], 'free', repeat('7', 9000)::numeric))) #> '{items,0,verdict}' AS verdict;
SELECT kg_list('me', jsonb_build_object('filters', jsonb_build_object('n', repeat('7', 1990)::numeric), 'fields', '["id"]'::jsonb)) -> 'returned' AS is_there,
       kg_list('me', jsonb_build_object('filters', jsonb_build_object('n', (repeat('7', 1989) || '8')::numeric), 'fields', '["id"]'::jsonb)) -> 'returned' AS is_not;
-- read from keys, too: the smallest that there is has as many digits after the point as a numeric has room for
SELECT array_agg((r ->> 0)::numeric) = ARRAY[-1e30000, 1e-16383, 1e30000] AS exact
FROM jsonb_array_elements(kg_aggregate('{"node": {"label": "me", "ids": ["long"]}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "list"}], "max_bytes": 100000}') -> 'rows') r;
-- indexed afterwards
SELECT pg_temp.try($q$SELECT kg_apply_bundle(jsonb_set(kg_export_bundle('num'), '{schemas,0,schema,properties,free,x-index}', 'true'))$q$);

-- instants that differ in the 65th digit of the fraction
SELECT kg_put_entities('me', jsonb_agg(jsonb_build_object('id', 't' || d, 'at', '2024-01-01T00:00:00.' || repeat('3', 64) || d || 'Z'))) #> '{items,0,verdict}' AS verdict FROM generate_series(1, 3) d;
SELECT op, jsonb_path_query_array(kg_list('me', jsonb_build_object('filters', jsonb_build_object('at', jsonb_build_object(op, '2024-01-01T01:00:00.' || repeat('3', 64) || '2+01:00')), 'sort', '[{"field": "at", "order": "desc"}]'::jsonb)), '$.items[*].id') AS ids
FROM unnest(ARRAY['eq', 'lt', 'gte']) op;

-- no fraction is an integer, in whatever it is sent, and an enum of numbers is one
SELECT filter, pg_temp.try(format('SELECT kg_list(''me'', %L) -> ''total''', format('{"filters": %s}', filter))) AS list,
       pg_temp.try(format('SELECT kg_find_nodes(%L) -> ''total''', format('{"node_label": "me", "filters": %s}', filter))) AS graph
FROM (VALUES ('{"i": 1}'), ('{"i": 1.0}'), ('{"i": "1"}'), ('{"i": 1.5}'), ('{"i": "1.5"}'), ('{"i": {"gt": 1.5}}'), ('{"i": {"in": [1, 1.5]}}'), ('{"i": 1e30}'),
  ('{"size": 2.5}'), ('{"size": "2.50"}'), ('{"size": 3}'), ('{"size": {"in": [1, 25]}}'), ('{"size": {"ne": 3}}'), ('{"size": {"gt": 2}}'), ('{"bits": 16.0}'), ('{"bits": 9}'), ('{"n": 1.5}')) f (filter);
SELECT regexp_matches(kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "knowledge_graph"}}') #>> '{result,messages,0,content,text}', 'bits [^)]*\)|size [^)]*\)|Example: [^\n]*', 'g') AS prompt;
-- What is counted when it is shown is no value to sum or to group by.
SELECT pg_temp.try(format('SELECT kg_aggregate(%L)', a)) FROM (VALUES ('{"node": {"label": "me"}, "aggregations": [{"fn": "sum", "property": "in"}]}'), ('{"node": {"label": "me"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "in"}]}'),
  ('{"node": {"label": "me"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "NEXT", "label": "me", "property": "in"}]}')) v (a);
SELECT jsonb_path_query_array(kg_graph_schema('{"expand_nodes": ["me"]}'), '$.**.properties[*] ? (@.name == "id" || @.name == "n").nullable') AS nullable;
SELECT jsonb_path_query(kg_graph_schema('{"expand_nodes": ["me"]}'), '$.**.properties[*] ? (@.name == "size" || @.name == "bits").values') AS published;
SELECT DISTINCT jsonb_path_query(kg_list_tools(), '$[*] ? (@.name == "list_me").inputSchema.properties.filters.properties.size.anyOf[0]') AS published;
SELECT call, pg_temp.try('SELECT ' || call) FROM (VALUES
  ('kg_list(''me'', ''{"limit": 1.5}'')'), ('kg_list(''me'', ''{"limit": "1.5"}'')'), ('kg_list(''me'', ''{"offset": 0.5}'')'), ('kg_list(''me'', ''{"max_bytes": 5000.5}'')'),
  ('kg_find_nodes(''{"node_label": "me", "limit": 1.5}'')'), ('kg_find_nodes(''{"node_label": "me", "limit": "1.5"}'')'),
  ('kg_neighbors(''{"start_node": {"label": "me", "node_id": "a"}, "max_hops": 1.5}'')'), ('kg_traverse(''{"from": {"label": "me"}, "relationships": [{"type": "NEXT", "max_hops": 1.5}]}'')'),
  ('kg_traverse(''{"from": {"label": "me"}, "relationships": [{"type": "NEXT", "min_hops": "1.5"}]}'')'),
  ('kg_paths(''{"from": {"label": "me", "ids": ["a"]}, "to": {"label": "me", "ids": ["b"]}, "max_hops": 1.5}'')'),
  ('kg_bfs(''{"seeds": ["me:a"], "max_hops": 1.5}'')'), ('kg_bfs(''{"seeds": ["me:a"], "max_hops": "2.5"}'')'), ('kg_search(''{"query": "a", "limit": 1.5}'')'),
  ('kg_get(''me'', ''1.5'')')) c (call);
-- an encoded argument that is good JSON and no jsonb
SELECT pg_temp.try($q$SELECT kg_list('me', '{"filters": "{\"n\": 1e400000}"}')$q$), pg_temp.try($q$SELECT kg_list('me', jsonb_build_object('filters', repeat('[', 4000)))$q$);

SELECT kg_drop_bundle('num') -> 'entities' AS dropped;
RESET ROLE;
CALL test.drop('numbers_a');
