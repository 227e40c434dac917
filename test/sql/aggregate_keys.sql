-- Aggregates that are computed from keys of indexed properties, compared with those
-- of equal properties without x-index, which are computed from documents.
\i test/data/prelude.sql
\pset format unaligned
\pset tuples_only on
CALL test.tenant('keys', 'keys_all write', 'keys_some read');
CREATE POLICY keys_hides ON kg_entity AS RESTRICTIVE FOR SELECT TO keys_some USING (NOT data ? 'hidden');
-- each property twice: of the second no index knows
CREATE FUNCTION keys_twice(properties jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_object_agg(k, v || '{"x-index": true}') || jsonb_object_agg(k || '_2', v) FROM jsonb_each(properties) p(k, v) $$;
CREATE FUNCTION keys_values(data jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT data || coalesce(jsonb_object_agg(k || '_2', v), '{}') FROM jsonb_each(data) d(k, v) WHERE k NOT IN ('id', 'hidden') $$;
\c - keys_all
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'sales', 'version', '1', 'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'sale', 'schema', jsonb_build_object('type', 'object', 'x-id-field', 'id',
    'properties', keys_twice('{"kind": {"type": "string"}, "n": {"type": ["integer", "null"]}, "price": {"type": "number"}, "state": {"enum": ["new", "paid", "gone"]}, "day": {"type": "string", "format": "date"}, "at": {"type": "string", "format": "date-time"},
      "tags": {"type": "array", "items": {"type": "string"}}, "days": {"type": "array", "items": {"type": "string", "format": "date"}}, "done": {"type": "boolean"}}') || '{"id": {"type": "string"}, "hidden": {"type": "boolean"}}')),
    '{"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}'::jsonb),
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'note', 'items', '[{"id": "a"}, {"id": "b"}]'::jsonb), jsonb_build_object('entity_type', 'sale', 'items', (SELECT jsonb_agg(keys_values(jsonb_build_object('id', 's' || i,
    'n', CASE WHEN i % 5 > 0 THEN (i % 7 - 3) * 10 ^ (i % 4) END, 'price', (ARRAY[0, 1.10, -2.5, 1e20, 99999999999999999, 0.1, -7, 100, 12345678901234567890123])[i % 9 + 1], 'state', (ARRAY['new', 'paid', 'gone'])[i % 3 + 1],
    'day', '2024-0' || i % 9 + 1 || '-1' || i % 4, 'at', '2024-03-0' || i % 3 + 1 || 'T0' || i % 10 || ':30:00' || (ARRAY['Z', '+02:00', '.5Z'])[i % 3 + 1],
    'tags', CASE i % 4 WHEN 0 THEN '[]'::jsonb WHEN 1 THEN '["a"]' ELSE '["b", "a", "b"]' END, 'days', CASE i % 3 WHEN 0 THEN '["2024-01-05", "2024-01-06"]'::jsonb WHEN 1 THEN '["2024-02-01"]' ELSE '[]' END, 'done', i % 6 < 2)
    || CASE WHEN i % 3 > 0 THEN jsonb_build_object('kind', 'k' || i % 4) ELSE '{}' END) || CASE WHEN i % 7 = 3 THEN '{"hidden": true}' ELSE '{}' END::jsonb) FROM generate_series(1, 200) i))))) ? 'revision';
CREATE FUNCTION pg_temp.rows(arguments text, twice boolean) RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_aggregate(CASE WHEN twice THEN regexp_replace(arguments, '("property": "\w+)"', '\1_2"', 'g') ELSE arguments END::jsonb || '{"limit": 1000}') -> 'rows' $$;
CREATE FUNCTION pg_temp.compare() RETURNS TABLE (asked text, rows bigint, same boolean) LANGUAGE sql AS $$
  SELECT a, jsonb_array_length(pg_temp.rows(a, false)), pg_temp.rows(a, false) = pg_temp.rows(a, true) FROM unnest(ARRAY[
    '{"node": {"label": "sale"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "kind"}]}',
    '{"node": {"label": "sale"}, "aggregations": [{"fn": "count", "property": "n"}, {"fn": "count_distinct", "property": "n"}, {"fn": "sum", "property": "n"}, {"fn": "avg", "property": "n"}, {"fn": "min", "property": "n"}, {"fn": "max", "property": "n"}]}',
    '{"node": {"label": "sale"}, "aggregations": [{"fn": "sum", "property": "price"}, {"fn": "min", "property": "price"}, {"fn": "max", "property": "price"}, {"fn": "count"}], "group_by": [{"property": "price"}]}',
    '{"node": {"label": "sale"}, "aggregations": [{"fn": "sum", "property": "price"}, {"fn": "max", "property": "state"}, {"fn": "min", "property": "at"}, {"fn": "max", "property": "kind"}], "group_by": [{"property": "state"}, {"property": "done"}]}',
    '{"node": {"label": "sale"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "tags"}]}', '{"node": {"label": "sale"}, "aggregations": [{"fn": "count"}, {"fn": "sum", "property": "n"}], "group_by": [{"property": "tags"}, {"property": "days"}]}',
    '{"node": {"label": "sale"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "days", "truncate": "month"}]}', '{"node": {"label": "sale"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "days"}]}',
    '{"node": {"label": "sale"}, "aggregations": [{"fn": "count"}, {"fn": "avg", "property": "price"}], "group_by": [{"property": "day", "truncate": "quarter"}, {"property": "at", "truncate": "day"}]}', '{"node": {"label": "sale"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "at", "truncate": "hour"}]}',
    '{"node": {"label": "sale", "filters": {"state": "paid"}}, "aggregations": [{"fn": "sum", "property": "price"}, {"fn": "count", "property": "tags"}], "group_by": [{"property": "kind"}]}', '{"node": {"label": "sale", "ids": ["s1", "s2", "s3", "nobody"]}, "aggregations": [{"fn": "sum", "property": "n"}], "group_by": [{"property": "tags"}]}',
    '{"node": {"label": "sale", "filters": {"n": {"gt": 100000}}}, "aggregations": [{"fn": "sum", "property": "n"}, {"fn": "count"}]}']) a $$;
SELECT * FROM pg_temp.compare();
SELECT kg_aggregate('{"node": {"label": "sale"}, "aggregations": [{"fn": "count"}, {"fn": "sum", "property": "price"}], "group_by": [{"property": "state"}]}') -> 'rows' = (SELECT jsonb_agg(jsonb_build_array(s, n, p) ORDER BY array_position('{gone,paid,new}', s)) FROM (SELECT data->>'state' AS s, count(*) AS n, sum((data->>'price')::numeric) AS p FROM kg_entity WHERE entity_type = 'sale' GROUP BY 1) x);
SELECT kg_aggregate('{"node": {"label": "sale"}, "aggregations": [{"fn": "count"}]}') -> 'rows', kg_aggregate('{"node": {"label": "note"}, "aggregations": [{"fn": "count"}]}') -> 'rows';
-- an instant whose year in UTC has no four digits is told, and truncated, as what a filter takes
SELECT kg_apply_bundle('{"bundle_name": "ends", "version": "1", "schemas": [{"entity_type": "end", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"},
  "ts": {"type": "string", "format": "date-time", "x-index": true}, "d": {"type": "string", "format": "date", "x-index": true}, "r": {"type": "string", "format": "date-time"}}}}],
  "entities": [{"entity_type": "end", "items": [{"id": "a", "ts": "9999-12-31T23:59:59.5-23:59", "r": "9999-12-31T23:59:59.5-23:59"}, {"id": "b", "ts": "0000-01-01T00:00:00+01:00", "r": "0000-01-01T00:00:00+01:00", "d": "0000-01-01"},
  {"id": "c", "ts": "9999-12-31T23:59:00-23:59", "r": "9999-12-31T23:59:00-23:59", "d": "0000-01-03"}, {"id": "d", "ts": "9999-12-31T12:00:00Z", "r": "9999-12-31T12:00:00Z", "d": "9999-12-31"}]}]}') ? 'revision';
CREATE FUNCTION pg_temp.ends(property text, unit text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_aggregate(jsonb_build_object('node', '{"label": "end"}'::jsonb, 'group_by', jsonb_build_array(jsonb_build_object('property', property, 'truncate', unit)), 'aggregations', '[{"fn": "count"}]'::jsonb)) -> 'rows' $$;
SELECT u, pg_temp.ends('ts', u), pg_temp.ends('ts', u) = pg_temp.ends('r', u) AS same FROM unnest('{minute,hour,day,week,month,quarter,year}'::text[]) u;
SELECT u, pg_temp.ends('d', u) FROM unnest('{week,year}'::text[]) u;
SELECT r->>0 AS told, kg_find_nodes(jsonb_build_object('node_label', 'end', 'filters', jsonb_build_object('ts', r->>0)))->>'total' AS found FROM jsonb_array_elements(kg_aggregate('{"node": {"label": "end"}, "group_by": [{"property": "ts"}], "aggregations": [{"fn": "count"}]}') -> 'rows') r;
-- no document is read
\c - :owner
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO keys_all; GRANT pg_read_all_stats TO keys_all;
\c - keys_all
SELECT DISTINCT s->>'sql' ~ 'data' AS reads_data, s->>'sql' ~ 'SELECT key FROM' AS of_one FROM unnest(ARRAY['{"node": {"label": "sale"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "kind"}]}', '{"node": {"label": "sale"}, "aggregations": [{"fn": "sum", "property": "n"}], "group_by": [{"property": "kind"}]}']::jsonb[]) a, jsonb_array_elements(kg_explain('aggregate_nodes', a)->'statements') s ORDER BY 1, 2;
-- many nodes with near numbers are read in ranges by the first call of a transaction
SELECT kg_put_entities('sale', (SELECT jsonb_agg(jsonb_build_object('id', 't' || i, 'kind', 't' || i % 3, 'kind_2', 't' || i % 3, 'state', (ARRAY['new', 'paid', 'gone'])[i % 5 % 3 + 1], 'state_2', (ARRAY['new', 'paid', 'gone'])[i % 5 % 3 + 1], 'done', i % 2 = 0, 'done_2', i % 2 = 0)) FROM generate_series(1, 600) i)) ? 'counts';
SELECT a->'node'->'filters'->'kind' AS kinds, bool_or(s->>'sql' ~ 'index_keys .* node >= ') AS in_ranges, kg_aggregate(a) -> 'rows' = kg_aggregate(regexp_replace(a::text, '("property": "\w+)"', '\1_2"', 'g')::jsonb) -> 'rows' AS same
  FROM unnest(ARRAY['{"in": ["t0", "t2"]}']::jsonb[]) k, LATERAL (SELECT jsonb_build_object('node', jsonb_build_object('label', 'sale', 'filters', jsonb_build_object('kind', k)), 'aggregations', '[{"fn": "count"}]'::jsonb, 'group_by', '[{"property": "state"}, {"property": "done"}]'::jsonb)) x(a),
  jsonb_array_elements(kg_explain('aggregate_nodes', a)->'statements') s GROUP BY a ORDER BY 1;
DELETE FROM kg_entity WHERE entity_type = 'sale' AND entity_id LIKE 't%';
-- who sees a part has the part
\c - keys_some
CREATE FUNCTION pg_temp.rows(arguments text, twice boolean) RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_aggregate(CASE WHEN twice THEN regexp_replace(arguments, '("property": "\w+)"', '\1_2"', 'g') ELSE arguments END::jsonb || '{"limit": 1000}') -> 'rows' $$;
SELECT pg_temp.rows(a, false) = pg_temp.rows(a, true), pg_temp.rows(a, false) FROM unnest(ARRAY['{"node": {"label": "sale"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "state"}]}', '{"node": {"label": "sale"}, "aggregations": [{"fn": "sum", "property": "n"}, {"fn": "count"}], "group_by": [{"property": "done"}]}']) a;
SELECT count(*), count(*) FILTER (WHERE data->>'state' = 'new') FROM kg_entity WHERE entity_type = 'sale';
\c - :owner
DROP POLICY keys_hides ON kg_entity;
DROP FUNCTION keys_twice, keys_values;
CALL test.drop('keys');
