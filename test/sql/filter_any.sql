-- Alternatives: "any" of filters.
\i test/data/prelude.sql
\pset format unaligned
\pset tuples_only on
CALL test.tenant('any', 'any_reader write', 'any_some read', 'any_admin admin');
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO any_reader; GRANT pg_read_all_stats TO any_reader;
CREATE POLICY any_hides ON kg_entity AS RESTRICTIVE FOR SELECT TO any_some USING (NOT data ? 'hidden');
\c - any_reader
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'tasks', 'version', '1', 'schemas', '[
    {"entity_type": "task", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-tool-expose": ["list", "list_ids"], "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true}, "n": {"type": ["integer", "null"], "x-index": true}, "state": {"enum": ["open", "closed", "new"], "x-index": true},
      "tags": {"type": "array", "items": {"type": "string"}, "x-index": true}, "any": {"type": "integer", "x-index": true}, "note": {"type": "string"}, "hidden": {"type": "boolean"}}}},
    {"entity_type": "team", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "n": {"type": "integer", "x-index": true}}}}]'::jsonb,
  'relations', '[{"name": "BY", "from": "task", "to": "team", "schema": {"type": "object", "properties": {"since": {"type": "string", "format": "date"}, "share": {"type": "number"}}}}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'task', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 't' || i, 'name', 'Task ' || i, 'n', CASE WHEN i % 6 > 0 THEN i % 17 END, 'state', (ARRAY['open', 'closed', 'new'])[i % 3 + 1], 'tags', CASE i % 4 WHEN 0 THEN '[]'::jsonb WHEN 1 THEN '["a"]' ELSE '["a", "b"]' END, 'any', i % 10) || CASE WHEN i % 7 = 3 THEN '{"hidden": true}' ELSE '{}' END::jsonb) FROM generate_series(1, 200) i)),
    jsonb_build_object('entity_type', 'team', 'items', '[{"id": "red", "n": 1}, {"id": "blue", "n": 5}]'::jsonb)),
  'edges', (SELECT jsonb_agg(jsonb_build_object('relation', 'BY', 'from', 'task:t' || i, 'to', CASE i % 2 WHEN 0 THEN 'team:red' ELSE 'team:blue' END, 'properties', jsonb_build_object('since', '2020-01-0' || i % 8 + 1, 'share', i % 4))) FROM generate_series(1, 60) i))) ? 'revision';
\c - any_reader
CREATE FUNCTION pg_temp.tried(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d jsonb; r jsonb;
BEGIN
  EXECUTE 'SELECT ' || call INTO r;
  RETURN coalesce(r -> 'total', r -> 'rows', r);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', d->>'code', d->>'path', sqlerrm, d->>'expected', d->'did_you_mean');
END $$;
-- what it must be, of the rows that this caller sees
CREATE FUNCTION pg_temp.same() RETURNS TABLE (condition text, listed bigint, listed_ids boolean, found_nodes boolean, pages boolean) LANGUAGE plpgsql AS $$
DECLARE c record; want text; args jsonb; page jsonb; paged text;
BEGIN
  FOR c IN SELECT * FROM (VALUES ('n = 3 OR state = ''new''', '{"any": [{"n": 3}, {"state": "new"}]}'),
    ('n > 10 AND (state = ''open'' OR tags ? ''b'')', '{"n": {"gt": 10}, "any": [{"state": "open"}, {"tags": "b"}]}'),
    ('n IS NULL OR n < 2 AND state <> ''closed'' OR name LIKE ''%19''', '{"any": [{"n": {"is_null": true}}, {"n": {"lt": 2}, "state": {"ne": "closed"}}, {"name": {"ends_with": "19"}}]}'),
    ('id IN (''t1'', ''t2'') OR n = 5', '{"any": [{"id": {"in": ["t1", "t2", "nobody"]}}, {"n": 5}]}'),
    ('n BETWEEN 3 AND 5 AND n <> 4 OR n IN (9, 11)', '{"any": [{"n": [{"gte": 3, "lte": 5}, {"ne": 4}]}, {"n": {"in": [9, 11]}}]}'),
    ('any_ = 3 OR any_ > 8', '{"any": [{"data.any": 3}, {"data.any": {"gt": 8}}]}'), ('any_ = 3', '{"data.any": 3}'),
    ('NOT tags ? ''b'' OR tags ?& ''{a,b}'' AND n = 8', '{"any": [{"tags": {"ne": "b"}}, {"tags": {"contains_all": ["a", "b"]}, "n": 8}]}'),
    ('id LIKE ''t1%'' OR id = ''t2''', '{"any": [{"id": {"starts_with": "t1"}}, {"id": "t2"}]}'),
    ('false', '{"any": [{"n": 100}, {"name": "nothing"}]}'), ('n = 3', '{"any": [{"n": 3}, {"n": 3}, {"n": 3, "state": {"in": ["open", "closed", "new"]}}]}')) x(cond, filters) LOOP
    EXECUTE format('SELECT coalesce(string_agg(id, '' '' ORDER BY id COLLATE "C"), ''''), count(*) FROM (SELECT entity_id AS id, (data->>''n'')::int AS n, data->>''state'' AS state, data->>''name'' AS name, data->''tags'' AS tags, (data->>''any'')::int AS any_ FROM kg_entity WHERE entity_type = ''task'') t WHERE %s', c.cond) INTO want, listed;
    condition := c.cond;
    args := jsonb_build_object('filters', c.filters::jsonb, 'limit', 500);
    listed_ids := want = (SELECT coalesce(string_agg(i, ' ' ORDER BY o), '') FROM jsonb_array_elements_text(kg_list_ids('task', args)->'ids') WITH ORDINALITY x(i, o));
    found_nodes := want = (SELECT coalesce(string_agg(split_part(i, ':', 2), ' ' ORDER BY o), '') FROM jsonb_array_elements_text(kg_find_nodes(args || '{"node_label": "task", "limit": 1000, "ids_only": true}')->'nodes') WITH ORDINALITY x(i, o));
    paged := '';
    page := jsonb_build_object('next', args || '{"limit": 7, "sort": [{"field": "n", "order": "desc"}]}');
    WHILE page ? 'next' LOOP
      page := kg_list_ids('task', page -> 'next');
      paged := paged || ' ' || coalesce((SELECT string_agg(i, ' ') FROM jsonb_array_elements_text(page->'ids') i), '');
      EXIT WHEN (page->>'total')::int <> listed;
    END LOOP;
    pages := want = coalesce((SELECT string_agg(i, ' ' ORDER BY i COLLATE "C") FROM regexp_split_to_table(trim(paged), ' ') i), '');
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM pg_temp.same();
\c - any_some
CREATE FUNCTION pg_temp.total(filters text) RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(' ', kg_list('task', jsonb_build_object('filters', filters::jsonb, 'limit', 0))->>'total', (kg_aggregate(jsonb_build_object('node', jsonb_build_object('label', 'task', 'filters', filters::jsonb), 'aggregations', '[{"fn": "count"}]'::jsonb))->'rows')::text) $$;
-- hidden ones are counted nowhere
SELECT f, pg_temp.total(f), (SELECT count(*) FROM kg_entity WHERE entity_type = 'task' AND (data->>'n' = '3' OR data->>'state' = 'new')) FROM (VALUES ('{"any": [{"n": 3}, {"state": "new"}]}'), ('{"any": [{"n": {"in": [3]}}, {"state": {"starts_with": "ne"}}]}')) v(f);
\c - any_reader
CREATE FUNCTION pg_temp.tried(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d jsonb; r jsonb;
BEGIN
  EXECUTE 'SELECT ' || call INTO r;
  RETURN coalesce(r -> 'total', r -> 'rows', r);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', d->>'code', d->>'path', sqlerrm, d->>'expected', d->'did_you_mean');
END $$;
-- in every selection; of ends whose type lacks the property an alternative does not hold; edge properties likewise
SELECT pg_temp.tried(c) FROM unnest(ARRAY[
  $$kg_traverse('{"from": {"label": "task", "filters": {"any": [{"n": 3}, {"n": 5}]}}, "relationships": [{"type": "BY", "to": {"filters": {"any": [{"n": 1}, {"state": "open"}]}}}], "limit": 0}')$$,
  $$kg_traverse('{"from": {"label": "task"}, "relationships": [{"type": "BY", "filters": {"any": [{"since": "2020-01-03"}, {"share": {"gte": 3}}]}}], "limit": 0}')$$,
  $$kg_neighbors('{"start_node": {"label": "team", "node_id": "red"}, "filters": {"any": [{"n": {"lt": 3}}, {"state": "new"}]}, "limit": 0}')$$,
  $$kg_paths('{"from": {"label": "team", "filters": {"any": [{"n": 1}, {"n": 2}]}}, "to": {"label": "task", "filters": {"any": [{"n": 3}, {"id": "t2"}]}}, "max_hops": 1, "limit": 0}')$$,
  $$kg_aggregate('{"node": {"label": "team"}, "group_by": [{"property": "id"}, {"relationship": "BY", "direction": "incoming", "label": "task", "property": "state", "filters": {"any": [{"state": "open"}, {"n": 5}]}}], "aggregations": [{"fn": "count"}]}')$$,
  $$kg_find_nodes('{"node_label": "task", "related": [{"type": "BY", "to": {"filters": {"any": [{"n": 1}, {"id": "blue"}]}}}], "filters": {"any": [{"n": 3}, {"n": 4}]}, "limit": 0}')$$,
  $$kg_list('task', '{"search": "task 12", "filters": {"any": [{"n": 12}, {"state": "new"}]}, "limit": 0}')$$]) c;
-- bad input
SELECT f, pg_temp.tried(format('kg_list(%L, %L)', 'task', jsonb_build_object('filters', f::jsonb, 'limit', 0))) FROM unnest(ARRAY['{"any": []}', '{"any": [{"n": 3}]}', '{"any": {"n": 3}}', '{"any": 3}', '{"any": null}', '{"any": [3, 4]}', '{"any": [{}, {"n": 3}]}', '{"any": [{"n": 3}, {"any": [{"n": 4}, {"n": 5}]}]}', '{"any": [{"n": 3}, {"nn": 4}]}', '{"any": [{"n": 3}, {"note": "x"}]}',
  '{"any": [{"n": 3}, {"n": {"gt": 5, "lt": 3}}]}', '{"any": [{"n": 3}, {"state": "opn"}]}', '{"any": [{"n": {"between": 3}}, {"n": 4}]}', '{"any": [{"n": "3"}, {"n": 5}]}', '{"or": [{"n": 3}, {"state": "open"}]}', '{"$or": [{"n": {"gt": 3}}, {"n": 3}]}', '{"and": [{"n": 3}]}', '{"any": [{"n": 1},{"n": 2},{"n": 3},{"n": 4},{"n": 5},{"n": 6},{"n": 7},{"n": 8},{"n": 9},{"n": 10},{"n": 11}]}', '{"data.none": 3}']) f;
-- an empty answer says which alternatives match nothing
SELECT kg_list('task', '{"filters": {"any": [{"n": 100}, {"name": "Tusk 7"}]}}') -> 'hints';
SELECT kg_list('task', '{"filters": {"state": "new", "any": [{"state": "open"}, {"state": "closed"}]}}') -> 'hints';
SELECT kg_explain('list_task', '{"filters": {"n": 3, "any": [{"state": "open"}, {"tags": "a", "id": "t3"}]}}') #> '{ast}';
-- a filter of a property that is called so
SELECT kg_list('task', '{"filters": {"data.any": {"in": [3, 4]}}, "sort": [{"field": "any", "order": "desc"}], "limit": 2, "fields": ["any"]}') -> 'items';
SELECT jsonb_object_keys(t #> '{inputSchema,properties,filters,properties}') FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'list_task';
-- registered tools may have them, with values of arguments
\c - any_admin
SELECT kg_register_tool(jsonb_build_object('name', 'either', 'version', '1.0.0', 'description', 'd', 'kind', 'query', 'input_schema', '{"properties": {"n": {"type": "integer"}}, "required": ["n"]}'::jsonb, 'operation', '{"tool": "find_nodes", "arguments": {"node_label": "task", "limit": 0, "filters": {"any": [{"n": {"$arg": "n"}}, {"id": "t1"}]}}}'::jsonb)) IS NOT NULL;
SELECT kg_call_tool('either', '{"n": 3}') #> '{structuredContent,total}';
SELECT kg_register_tool(jsonb_build_object('name', 'other', 'version', '1.0.0', 'description', 'd', 'kind', 'query', 'input_schema', '{"properties": {}}'::jsonb, 'operation', '{"tool": "find_nodes", "arguments": {"node_label": "task", "filters": {"any": [{"data.any": 3}, {"stat": "open"}]}}}'::jsonb));
\c - postgres
DROP POLICY any_hides ON kg_entity;
CALL test.drop('any');
