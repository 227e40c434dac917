-- Pages of a descending sort whose ties go by descending id, over missing values.
\i test/data/prelude.sql
CALL test.tenant('sort', 'regress_sort write');
SET ROLE regress_sort;
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'sort', 'version', '1',
  'schemas', '[{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "properties": {
    "id": {"type": "string"}, "n": {"type": "integer", "x-index": true}}}}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'thing', 'items',
    (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('id', 't' || i, 'n', CASE WHEN i % 3 = 0 THEN i % 2 END)))
     FROM generate_series(1, 9) i))))) -> 'changed';

SELECT n ->> 'order' AS n, id ->> 'order' AS id, array_agg(item ->> 'id' ORDER BY page, ord) AS pages_of_two,
       array_agg(item ->> 'id' ORDER BY page, ord) = min(whole.ids) AS same
FROM (VALUES ('{"field": "n", "order": "desc"}'::jsonb), ('{"field": "n", "order": "asc"}')) a(n),
     (VALUES ('{"field": "id", "order": "desc"}'::jsonb), ('{"field": "id", "order": "asc"}')) b(id),
     LATERAL (SELECT array_agg(i ->> 'id') AS ids
              FROM jsonb_array_elements(kg_list('thing', jsonb_build_object('sort', jsonb_build_array(n, id))) -> 'items') i) whole,
     LATERAL (WITH RECURSIVE pages(page, reply) AS (
                SELECT 1, kg_list('thing', jsonb_build_object('sort', jsonb_build_array(n, id), 'limit', 2))
                UNION ALL
                SELECT page + 1, kg_list('thing', reply -> 'next') FROM pages WHERE reply ? 'next')
              SELECT page, ord, item FROM pages, jsonb_array_elements(reply -> 'items') WITH ORDINALITY x(item, ord)) p
GROUP BY 1, 2 ORDER BY 1, 2;

RESET ROLE;
CALL test.drop('sort');
