-- Filters on properties without x-index: documents are read, of at most kg_graph.max_scan entities.
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
SELECT current_user AS owner \gset
CREATE FUNCTION public.scan_tried(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d jsonb; r jsonb;
BEGIN
  EXECUTE 'SELECT ' || call INTO r;
  RETURN coalesce(r -> 'total', r -> 'rows', r);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', d->>'code', d->>'path', sqlerrm, d->>'expected', d->'did_you_mean', d->'call');
END $$;
CREATE ROLE scan_all LOGIN; CREATE ROLE scan_some LOGIN;
SELECT FROM kg_create_tenant('scan'); SELECT FROM kg_grant('scan', 'scan_all', 'write'); SELECT FROM kg_grant('scan', 'scan_some', 'read');
CREATE POLICY scan_hides ON kg_entity AS RESTRICTIVE FOR SELECT TO scan_some USING (NOT data ? 'hidden');
\c - scan_all
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'parts', 'version', '1', 'schemas', '[
    {"entity_type": "part", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-tool-expose": ["list", "list_ids"], "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "n": {"type": ["integer", "null"]},
      "tier": {"enum": ["low", "high"]}, "tags": {"type": "array", "items": {"type": "string"}}, "made": {"type": "string", "format": "date-time"}, "box": {"type": "object", "properties": {"w": {"type": "number"}}}, "any": {"type": "integer"},
      "kind": {"type": "string", "x-index": true}, "maker": {"type": "string", "x-ref": "maker"}, "free": {}, "used": {"type": "integer", "x-derived": {"count": "USES", "direction": "incoming"}}, "hidden": {"type": "boolean"}}}},
    {"entity_type": "maker", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "n": {"type": "integer"}}}}]'::jsonb,
  'relations', '[{"name": "USES", "from": "part", "to": "part"}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'maker', 'items', '[{"id": "m0", "name": "Zero Ltd", "n": 1}, {"id": "m1", "name": "One Ltd", "n": 2}]'::jsonb),
    jsonb_build_object('entity_type', 'part', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'p' || i, 'name', 'Part ' || i, 'n', CASE WHEN i % 6 > 0 THEN i % 17 END, 'tier', (ARRAY['low', 'high'])[i % 2 + 1], 'kind', 'k' || i % 5, 'maker', 'm' || i % 2,
      'tags', CASE i % 4 WHEN 0 THEN '[]'::jsonb WHEN 1 THEN '["a"]' ELSE '["a", "b"]' END, 'made', '2024-01-0' || i % 9 + 1 || 'T00:00:00+01:00', 'box', jsonb_build_object('w', i % 7 / 2.0), 'any', i % 10) || CASE WHEN i % 7 = 3 THEN '{"hidden": true}' ELSE '{}' END::jsonb) FROM generate_series(1, 100) i))),
  'edges', (SELECT jsonb_agg(jsonb_build_object('relation', 'USES', 'from', 'part:p' || i, 'to', 'part:p' || i / 2)) FROM generate_series(2, 100) i))) ? 'revision';
-- what it must be, of the rows that this caller sees: listed, as ids, as nodes, page by page, counted, as the starts and the ends of a step
CREATE FUNCTION pg_temp.same() RETURNS TABLE (condition text, listed bigint, same text) LANGUAGE plpgsql AS $$
DECLARE c record; want text; args jsonb; page jsonb; paged text; node jsonb; ends text;
BEGIN
  FOR c IN SELECT * FROM (VALUES ('n = 3', '{"n": 3}'), ('n IS NULL', '{"n": {"is_null": true}}'), ('n > 4 AND n <= 9 AND tier = ''high''', '{"n": {"gt": 4, "lte": 9}, "tier": "high"}'),
    ('kind = ''k3'' AND tags ? ''b''', '{"kind": "k3", "tags": "b"}'), ('NOT tags ? ''b''', '{"tags": {"ne": "b"}}'), ('tags ?& ''{a,b}''', '{"tags": {"contains_all": ["a", "b"]}}'), ('name LIKE ''%7''', '{"name": {"ends_with": "7"}}'),
    ('made >= ''2024-01-07T23:00:00Z''', '{"made": {"gte": "2024-01-07T23:00:00Z"}}'), ('w < 1', '{"box.w": {"lt": 1}}'), ('any_ = 3', '{"data.any": 3}'), ('maker = ''m1'' AND id LIKE ''p1%''', '{"maker": "m1", "id": {"starts_with": "p1"}}'),
    ('tier = ''low''', '{"tier": {"starts_with": "l"}}'), ('n = 3 OR kind = ''k1'' AND n = 4', '{"any": [{"n": 3}, {"kind": "k1", "n": 4}]}'), ('kind IN (''k1'', ''k2'') AND (tier = ''low'' AND n < 5 OR kind = ''k2'' AND tags ? ''b'')', '{"kind": {"in": ["k1", "k2"]}, "any": [{"tier": "low", "n": {"lt": 5}}, {"kind": "k2", "tags": "b"}]}'),
    ('n = 5 AND (kind = ''k1'' OR id = ''p5'')', '{"n": 5, "any": [{"kind": "k1"}, {"id": "p5"}]}'), ('false', '{"n": 100}')) x(cond, filters) LOOP
    EXECUTE format('SELECT coalesce(string_agg(id, '' '' ORDER BY id COLLATE "C"), ''''), count(*) FROM (SELECT entity_id AS id, (data->>''n'')::int AS n, data->>''tier'' AS tier, data->>''kind'' AS kind, data->>''maker'' AS maker, (data->>''made'')::timestamptz AS made, (data->''box''->>''w'')::numeric AS w, data->>''name'' AS name, data->''tags'' AS tags, (data->>''any'')::int AS any_ FROM kg_entity WHERE entity_type = ''part'') t WHERE %s', c.cond) INTO want, listed;
    condition := c.cond;
    args := jsonb_build_object('filters', c.filters::jsonb, 'limit', 500);
    node := jsonb_build_object('label', 'part', 'filters', c.filters::jsonb);
    paged := '';
    page := jsonb_build_object('next', args || '{"limit": 7, "sort": [{"field": "kind", "order": "desc"}]}');
    WHILE page ? 'next' LOOP
      page := kg_list_ids('part', page -> 'next');
      paged := paged || ' ' || coalesce((SELECT string_agg(i, ' ') FROM jsonb_array_elements_text(page->'ids') i), '');
      EXIT WHEN (page->>'total')::int <> listed;
    END LOOP;
    SELECT coalesce(string_agg(DISTINCT split_part(n, ':', 2), ' '), '') INTO ends FROM jsonb_array_elements_text(kg_traverse(jsonb_build_object('from', '{"label": "part"}'::jsonb, 'to', node, 'relationships', '[{"type": "USES", "direction": "incoming", "max_hops": 2}]'::jsonb, 'ids_only', true, 'limit', 1000))->'nodes') n;
    same := concat_ws(' ', want = (SELECT coalesce(string_agg(i, ' ' ORDER BY o), '') FROM jsonb_array_elements_text(kg_list_ids('part', args)->'ids') WITH ORDINALITY x(i, o)),
      want = (SELECT coalesce(string_agg(i->>'id', ' ' ORDER BY o), '') FROM jsonb_array_elements(kg_list('part', args)->'items') WITH ORDINALITY x(i, o)),
      want = (SELECT coalesce(string_agg(split_part(i, ':', 2), ' ' ORDER BY o), '') FROM jsonb_array_elements_text(kg_find_nodes(args || '{"node_label": "part", "limit": 1000, "ids_only": true}')->'nodes') WITH ORDINALITY x(i, o)),
      want = coalesce((SELECT string_agg(i, ' ' ORDER BY i COLLATE "C") FROM regexp_split_to_table(trim(paged), ' ') i), ''),
      listed = (kg_aggregate(jsonb_build_object('node', node, 'aggregations', '[{"fn": "count"}]'::jsonb)) #>> '{rows,0,0}')::int,
      (SELECT count(*) = 0 FROM regexp_split_to_table(want, ' ') w WHERE w <> '' AND w NOT IN ('p0', 'p1') AND NOT w = ANY (string_to_array(ends, ' ')) AND EXISTS (SELECT FROM kg_entity e WHERE entity_id = 'p' || substr(w, 2)::int / 2)));
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM pg_temp.same();
\c - scan_some
SELECT kg_list('part', '{"filters": {"n": {"is_not_null": true}}, "limit": 0}')->'total', kg_list('part', '{"filters": {"hidden": true}, "limit": 0}')->'total';
\c - scan_all
-- with a search, with what it is connected to, at an instant that nothing is said of
SELECT scan_tried($$kg_list('part', '{"search": "Part 1", "filters": {"tier": "high"}, "limit": 0}')$$), scan_tried($$kg_find_nodes('{"node_label": "part", "search": "Part 1", "filters": {"tier": "high"}, "limit": 0}')$$);
SELECT kg_list('part', '{"filters": {"tier": "high"}, "related": [{"type": "USES", "to": {"ids": ["p1"]}}]}') -> 'items' -> 0 -> 'id';
SELECT kg_find_nodes('{"node_label": "part", "ids_only": true, "filters": {"tier": "low"}, "related": [{"type": "USES", "to": {"filters": {"n": {"lt": 3}}}}], "not_related": [{"type": "USES", "direction": "incoming"}]}') -> 'nodes';
SELECT kg_paths('{"from": {"label": "part", "filters": {"name": "Part 99"}}, "to": {"label": "part", "filters": {"n": 7, "tier": "high", "kind": "k2"}}, "max_hops": 6, "ids_only": true}') -> 'total';
-- nothing found
SELECT kg_list('part', '{"filters": {"n": 100, "kind": "k1"}}') -> 'hints', kg_list('part', '{"filters": {"n": 100, "kind": "kk"}}') #> '{hints,0,path}';
SELECT kg_list('part', '{"filters": {"kind": "k1", "name": {"contains": "PART"}}}') -> 'hints', kg_list('part', '{"filters": {"n": 100, "kind": "k1", "name": {"ne": "x"}}}') -> 'hints';
SELECT scan_tried($$kg_list('part', '{"filters": {"maker": "Zero Ltd"}}')$$);
SELECT scan_tried($$kg_traverse('{"from": {"label": "part", "filters": {"n": 100}}, "relationships": [{"type": "USES"}]}')$$);
-- values and operators are those of the declared type; what has none cannot be filtered, what is counted neither; and none of it sorted
SELECT scan_tried(format('kg_list(''part'', %L)', a)) FROM unnest(ARRAY['{"filters": {"n": "x"}}', '{"filters": {"n": "3"}, "limit": 0}', '{"filters": {"tier": "hgh"}}', '{"filters": {"made": "yesterday"}}', '{"filters": {"tags": {"is_null": 3}}}', '{"filters": {"tier": {"gt": "low"}}}',
  '{"filters": {"free": 1}}', '{"filters": {"box": 1}}', '{"filters": {"used": 1}}', '{"filters": {"n": {"gt": 3, "lt": 3}}}', '{"sort": [{"field": "n"}]}', '{"filters": {"nn": 1}}']) a;
SELECT scan_tried(format('kg_list(''part'', %L)', jsonb_build_object('filters', jsonb_build_object('name', repeat('x', 5000)), 'limit', 0)));
-- a property that cannot be sorted by is not taken for another of a near name
SELECT kg_apply_bundle('{"bundle_name": "near", "version": "1", "schemas": [{"entity_type": "label", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}, "x-index": true}, "tag": {"type": "string", "x-index": true}}}}]}') ->> 'changed';
SELECT (kg_call_tool('list_label', '{"sort": [{"field": "tags"}]}') #> '{structuredContent,error}') - '{sqlstate,level}'::text[];
SELECT kg_drop_bundle('near') ->> 'changed';
-- too many are left: of those that the caller sees
\c - :owner
SET kg_graph.max_scan = 90; SET ROLE scan_all;
SELECT scan_tried($$kg_list('part', '{"filters": {"n": 3}}')$$), scan_tried($$kg_aggregate('{"node": {"label": "part", "filters": {"any": [{"n": 3}, {"kind": "k1"}]}}, "aggregations": [{"fn": "count"}]}')$$);
SELECT scan_tried($$kg_list('part', '{"filters": {"n": 3, "kind": "k3"}, "limit": 0}')$$), scan_tried($$kg_list('part', '{"filters": {"n": 3}, "related": [{"type": "USES", "to": {"ids": ["p1", "p2", "p3"]}}], "limit": 0}')$$),
  scan_tried($$kg_find_nodes('{"node_label": "part", "ids": ["p3", "p4"], "filters": {"n": 3}, "limit": 0}')$$);
RESET ROLE; SET ROLE scan_some;
SELECT scan_tried($$kg_list('part', '{"filters": {"n": 3}, "limit": 0}')$$);
RESET ROLE; SET kg_graph.max_scan = 0; SET ROLE scan_some;
SELECT scan_tried($$kg_list('part', '{"filters": {"n": 3}}')$$), scan_tried($$kg_list('part', '{"filters": {"n": 3, "kind": "none"}, "limit": 0}')$$);
-- of what a walk leads to, as many are read as it reaches
SELECT scan_tried($$kg_traverse('{"from": {"label": "part", "ids": ["p1"]}, "relationships": [{"type": "USES", "direction": "incoming", "to": {"filters": {"n": {"gte": 2}}}}], "limit": 0}')$$);
RESET ROLE; RESET kg_graph.max_scan;
DROP POLICY scan_hides ON kg_entity;
DROP FUNCTION public.scan_tried(text);
SET client_min_messages = warning;
SELECT kg_drop_tenant('scan') \g /dev/null
DROP ROLE scan_all, scan_some;
