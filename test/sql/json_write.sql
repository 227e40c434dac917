-- Replies are written directly in the binary form. They must be equal, byte for
-- byte, to the result of parsing their text, whatever a stored document contains.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('json', 'json_reader write');
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO json_reader; GRANT pg_read_all_stats TO json_reader;
\c - json_reader
SELECT kg_apply_bundle('{"bundle_name": "json", "version": "1", "schemas": [{"entity_type": "doc", "schema":
  {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "v": true, "w": {"type": "object", "properties": {"b": {"type": "string"}}},
   "n": {"type": "integer", "x-index": true}}, "required": ["id", "v"]}}]}') ->> 'changed' AS changed;
CREATE TEMP TABLE v(n integer, v jsonb);
INSERT INTO v SELECT row_number() OVER (), v FROM (
  SELECT unnest(ARRAY['null', 'true', 'false', '0', '-1.50', '1e300', '12345678901234567890.00001', '""', '"a"', '"\u00e4\ud83d\ude00"', '[]', '{}', '[[]]', '[{}]', '{"": 1}',
    '{"a": {"b": {"c": [1, [2, [3, {"d": null}]]]}}}', '[null, true, 1, "s", [], {}]', '{"b": 1, "a": 2, "aa": 3, "B": 4}']::jsonb[])
  UNION ALL SELECT to_jsonb(repeat('x', n)) FROM unnest(ARRAY[1, 2, 3, 4, 5, 127, 128, 5000]) n
  UNION ALL SELECT (SELECT jsonb_agg(i) FROM generate_series(1, n) i) FROM unnest(ARRAY[31, 32, 33, 63, 64, 65, 200]) n
  UNION ALL SELECT (SELECT jsonb_object_agg('k' || i, CASE i % 5 WHEN 0 THEN to_jsonb(i) WHEN 1 THEN to_jsonb(repeat('y', i % 7)) WHEN 2 THEN '[1, "z"]' WHEN 3 THEN 'null' ELSE '{"q": 1.5}' END)
              FROM generate_series(1, n) i) FROM unnest(ARRAY[7, 12, 13, 15, 16, 17, 31, 32, 33, 100]) n) x(v);
INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'json', 'doc', jsonb_build_object('id', 'd' || n, 'n', n, 'v', v, 'w', jsonb_build_object('a', v, 'b', repeat('b', n), 'c', v)) FROM v;
SELECT count(*) FROM kg_entity;
CREATE FUNCTION pg_temp.same(j jsonb) RETURNS boolean LANGUAGE sql AS $$ SELECT record_image_eq(ROW(j), ROW(j::text::jsonb)) $$;
SELECT count(*) FILTER (WHERE pg_temp.same(kg_get('doc', 'd' || n)) AND kg_get('doc', 'd' || n) -> 'v' = v) = count(*) AS one,
  count(*) FILTER (WHERE pg_temp.same(kg_get('doc', ARRAY['d' || n, 'none', 'd1']))) = count(*) AS many,
  count(*) FILTER (WHERE pg_temp.same(kg_list('doc', jsonb_build_object('limit', n)))) = count(*) AS list,
  count(*) FILTER (WHERE pg_temp.same(kg_list('doc', jsonb_build_object('limit', n, 'fields', '["w.b", "v"]'::jsonb)))) = count(*) AS projected,
  count(*) FILTER (WHERE pg_temp.same(kg_call_tool('get_doc', jsonb_build_object('id', 'd' || n)))) = count(*) AS called,
  count(*) FILTER (WHERE pg_temp.same(kg_mcp(jsonb_build_object('jsonrpc', '2.0', 'id', v, 'method', 'tools/call', 'params', jsonb_build_object('name', 'get_doc', 'arguments', jsonb_build_object('id', 'd' || n)))))) = count(*) AS message
  FROM v;
-- the text of a reply is what jsonb's output function makes of it, in another order, whatever is escaped
INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'json', 'doc', jsonb_build_object('id', 't' || n, 'v', v, 'k' || t, t) FROM (
  SELECT n, t, jsonb_build_array(t, repeat(t, 3), 'abcdefg' || t, t || 'abcdefghi', jsonb_build_object(t, t, 'x' || t, 1e30, t || t || 'é', -0.000001)) AS v FROM (
    SELECT n, chr(n) AS t FROM generate_series(1, 140) n UNION ALL SELECT 200 + n, repeat(chr(34), n) || repeat('a', 20 - n) || chr(10) FROM generate_series(1, 20) n) c) x;
INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'json', 'doc', jsonb_build_object('id', 'u' || e, 'v', jsonb_agg((m || 'e' || e)::numeric)) FROM generate_series(-70, 70) e,
  unnest('{0,1,-1,10,9999,-9999,10000,100000001,123456789012345,-0.5,1.20,0.00012,-10.0001000}'::text[]) m GROUP BY e;
SELECT count(*) AS calls, count(*) FILTER (WHERE (r #>> '{content,0,text}')::jsonb = r -> 'structuredContent' AND octet_length(r #>> '{content,0,text}') = octet_length((r -> 'structuredContent')::text)) AS same_text FROM
  (SELECT kg_call_tool('get_doc', jsonb_build_object('id', entity_id)) FROM kg_entity WHERE entity_type = 'doc' UNION ALL SELECT kg_call_tool('list_doc', jsonb_build_object('limit', n)) FROM generate_series(1, 200) n
   UNION ALL SELECT kg_call_tool('get_doc', '{"id": 1.5e400}')) x(r);
-- what is written keeps the later of two members, and a document in it stays what it was
SELECT (kg_list('doc', '{"limit": 500, "max_bytes": 4000000}') -> 'items') = (SELECT jsonb_agg(jsonb_build_object('id', entity_id, 'data', data) ORDER BY entity_id) FROM kg_entity) AS same_data;
SELECT count(*) FILTER (WHERE pg_temp.same(t)) = count(*) AS tools FROM jsonb_array_elements(kg_list_tools()) t;
SELECT pg_temp.same(kg_explain('list_doc', '{"filters": {"n": 1}}')) AS explain;
SELECT pg_temp.same(kg_export_bundle('json')) AS exported;
\c - :owner
CALL test.drop('json');
