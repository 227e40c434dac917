-- The plans of every statement of the list and get tools, as an ordinary role under
-- row-level security. Each must use an index that begins with the tenant, and be
-- bounded by other conditions, too.
SELECT current_user AS owner \gset
CREATE ROLE plan_admin LOGIN;
CREATE ROLE plan_reader LOGIN;
SELECT kg_create_tenant('plan_a'), kg_create_tenant('plan_b');
SELECT kg_grant('plan_a', 'plan_admin', 'admin'), kg_grant('plan_b', 'plan_admin', 'admin'), kg_grant('plan_a', 'plan_reader', 'read');

-- who may see plans: nobody until it is granted
\c - plan_reader
SELECT kg_explain('list_item', '{}');
\c - :owner
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO plan_reader; GRANT pg_read_all_stats TO plan_reader;
-- What stands for kg_own_tenant() in every index condition (test tenant_first) is left out here.
CREATE FUNCTION plan_of(tool text, arguments jsonb) RETURNS jsonb LANGUAGE sql AS $$ SELECT replace(replace(kg_explain(tool, arguments)::text, '(tenant IS NOT NULL) AND ', ''), ' AND (tenant IS NOT NULL)', '')::jsonb $$;

\c - plan_admin
CREATE TEMP TABLE bundle AS SELECT jsonb_build_object('bundle_name', 'plans', 'version', '1', 'schemas', '[
  {"entity_type": "maker", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "made": {"type": "integer", "x-derived": {"count": "MADE_BY", "direction": "incoming"}},
     "near": {"type": "integer", "x-derived": {"count": "NEAR"}}}}},
  {"entity_type": "item", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-alias-fields": ["also"], "x-summary-fields": ["name"], "x-tool-expose": ["list", "get", "list_ids"], "properties": {
    "id": {"type": "string"}, "name": {"type": "string"}, "also": {"type": "string"}, "s": {"type": "string", "x-index": true}, "e": {"enum": ["a", "b", "c"], "x-index": true}, "i": {"type": "integer", "x-index": true},
    "d": {"type": "string", "format": "date", "x-index": true}, "b": {"type": "boolean", "x-index": true}, "tags": {"type": "array", "items": {"type": "string"}, "x-index": true}, "maker": {"type": "string", "x-ref": "maker", "x-relation": "MADE_BY", "x-index": true}}}}]'::jsonb,
  'relations', '[{"name": "NEAR", "from": "maker", "to": "maker", "symmetric": true}]'::jsonb, 'edges', '[{"relation": "NEAR", "from": "maker:m1", "to": "maker:m2"}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'maker', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'm' || n, 'name', 'Maker ' || n)) FROM generate_series(1, 20) n)),
    jsonb_build_object('entity_type', 'item', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'i' || lpad(n::text, 5, '0'), 'name', 'Item ' || n, 'also', 'Thing ' || n % 50, 's', 's' || n % 100, 'e', (ARRAY['a', 'b', 'c'])[1 + n % 3], 'i', n * 37 % 1000, 'd', to_char(date '2020-01-01' + n % 900, 'YYYY-MM-DD'),
       'b', n % 2 = 0, 'tags', jsonb_build_array('t' || n % 7, 't' || n % 11), 'maker', 'm' || 1 + n % 20)) FROM generate_series(1, 3000) n)))) AS b;
SET kg_graph.tenant = 'plan_b';
SELECT kg_apply_bundle(b) ->> 'changed' AS changed FROM bundle;
SET kg_graph.tenant = 'plan_a';
SELECT kg_apply_bundle(b) ->> 'changed' AS changed FROM bundle;
SELECT kg_apply_bundle('{"bundle_name": "hidden", "version": "1", "schemas": [{"entity_type": "extra", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}]}') ->> 'changed' AS changed;
SELECT kg_create_agent('some', '{"bundles": ["plans"]}');
\c - :owner
-- as a table is that is written to: a page of it is not all-visible
BEGIN; INSERT INTO kg_term SELECT tenant, 'dead', kind, type_no, node FROM kg_term LIMIT 1; ROLLBACK;
VACUUM ANALYZE;

\c - plan_reader
-- calls that reach every statement of the query layer
CREATE TEMP TABLE call(tool text, arguments jsonb);
INSERT INTO call SELECT tool, jsonb_build_object('filters', f) || s || '{"limit": 5}' FROM (SELECT CASE WHEN n % 5 = 0 THEN 'list_item_ids' ELSE 'list_item' END AS tool, f, s FROM
  unnest(ARRAY['{}', '{"s": "s5"}', '{"s": {"ne": "s5"}}', '{"s": {"gt": "s5"}}', '{"s": {"gte": "s5"}}', '{"s": {"lt": "s5"}}', '{"s": {"lte": "s5"}}', '{"s": {"in": ["s5", "s6"]}}', '{"s": {"starts_with": "s5"}}', '{"s": {"contains": "5"}}', '{"s": {"ends_with": "5"}}', '{"s": {"is_null": true}}',
    '{"s": {"is_null": false}}', '{"i": {"gte": 5, "lt": 500}}', '{"e": "a"}', '{"e": {"contains": "a"}}', '{"d": {"lte": "2020-05-05"}, "b": true}', '{"tags": "t1"}', '{"tags": {"ne": "t1"}}', '{"tags": {"in": ["t1", "t2"]}}', '{"tags": {"contains_any": ["t1", "t2"]}}', '{"tags": {"contains_all": ["t1", "t2"]}}',
    '{"tags": {"starts_with": "t"}}', '{"tags": {"is_null": true}}', '{"tags": {"is_null": false}}', '{"id": "i00001"}', '{"id": {"in": ["i00001", "i00002"]}}', '{"id": {"gt": "i00001", "lte": "i00300"}}', '{"id": {"starts_with": "i001"}, "e": "b"}', '{"id": {"contains": "01"}, "i": 37}', '{"id": {"ends_with": "1"}, "s": "s1"}', '{"id": {"ne": "i00001"}, "b": true}',
    '{"maker": "m5", "e": "a", "i": {"gt": 10}}', '{"maker": {"ne": "m5"}, "tags": [{"ne": "t3"}, {"eq": "t1"}]}', '{"i": {"in": [5, 6, 42]}}', '{"e": {"in": ["a", "b"]}}']::jsonb[]) WITH ORDINALITY y(f, n),
  unnest(ARRAY['{}', '{"sort": [{"field": "i"}]}', '{"sort": [{"field": "e", "order": "desc"}, {"field": "s"}]}', '{"sort": [{"field": "s", "order": "desc"}]}', '{"sort": [{"field": "id", "order": "desc"}]}', '{"search": "item 7"}']::jsonb[]) WITH ORDINALITY z(s, m) WHERE (n + m) % 6 IN (0, 2)) x;
INSERT INTO call VALUES ('get_item', '{"id": "i00001"}'), ('get_item', '{"ids": ["i00001", "i00002"]}'), ('get_item', '{"id": "Item 7"}'), ('get_maker', '{"ids": ["m1", "m2"]}'), ('list_maker', '{}'),
  ('list_item', '{"filters": {"s": "s"}}'), ('list_item', '{"filters": {"i": 5000}}'), ('list_item', '{"filters": {"e": "a", "s": "none"}}'), ('list_item', '{"filters": {"maker": "m99"}}'), ('list_item', '{"filters": {"maker": "m1", "s": "s7", "i": 1}}'), ('list_item', '{"filters": {"b": {"is_null": true}}}'),
  ('list_item', '{"filters": {"i": {"in": [5, 6, 42]}}, "sort": [{"field": "i"}]}'), ('list_item', '{"filters": {"e": {"in": ["a", "b"]}}, "sort": [{"field": "e"}, {"field": "i"}, {"field": "id", "order": "desc"}]}'), ('list_item', '{"filters": {"e": {"in": ["a", "b"]}}, "sort": [{"field": "e", "order": "asc"}, {"field": "id", "order": "desc"}]}'),
  ('list_item', '{"search": "itme 7"}'), ('list_item', '{"search": "thing"}'), ('list_item', '{"search": "zzz"}'), ('list_item', '{"filters": {"maker": {"in": ["m1", "m99"]}}}');
-- and the pages after them
INSERT INTO call SELECT tool, next FROM call, LATERAL (SELECT kg_call_tool(tool, arguments) #> '{structuredContent,next}') x(next) WHERE next IS NOT NULL;
INSERT INTO call SELECT tool, next FROM call, LATERAL (SELECT kg_call_tool(tool, arguments) #> '{structuredContent,next}') x(next) WHERE arguments ? 'cursor' AND arguments ->> 'sort' IS NOT NULL AND next IS NOT NULL;

CREATE TEMP TABLE statement(sql text PRIMARY KEY, plan jsonb, parameters jsonb, hiding boolean);
CREATE FUNCTION pg_temp.collect(is_hiding boolean) RETURNS bigint LANGUAGE sql AS $$
  INSERT INTO statement SELECT DISTINCT ON (s ->> 'sql') s ->> 'sql', s -> 'plan', s -> 'parameters', is_hiding FROM call, jsonb_array_elements(plan_of(tool, arguments) -> 'statements') s ON CONFLICT DO NOTHING;
  SELECT count(*) FROM statement $$;
SELECT pg_temp.collect(false) > 100 AS many;
-- where entities may be hidden the statements ask for each one's visibility
SET kg_graph.agent = 'some';
DELETE FROM call WHERE arguments ? 'cursor'; -- a cursor is its maker's
INSERT INTO call SELECT tool, next FROM call, LATERAL (SELECT kg_call_tool(tool, arguments) #> '{structuredContent,next}') x(next) WHERE next IS NOT NULL;
INSERT INTO call SELECT tool, next FROM call, LATERAL (SELECT kg_call_tool(tool, arguments) #> '{structuredContent,next}') x(next) WHERE arguments ? 'cursor' AND arguments ->> 'sort' IS NOT NULL AND next IS NOT NULL;
SELECT pg_temp.collect(true) > 200 AS many;
RESET kg_graph.agent;

-- what reads which table, and how: the scans with their conditions
CREATE TEMP TABLE scan AS SELECT sql, hiding, line, regexp_replace(line, '^.*(Seq Scan|Bitmap Heap Scan|Index Only Scan|Index Scan|Index Only Scan Backward|Index Scan Backward) (using (\S+) )?on (\S+).*$', '\1') AS kind,
    regexp_replace(line, '^.* using (\S+) on .*$', '\1') AS index, regexp_replace(line, '^.* on (\S+).*$', '\1') AS relation,
    (SELECT regexp_replace(l, '^ *Index Cond: ', '') FROM jsonb_array_elements_text(plan) WITH ORDINALITY y(l, m) WHERE m > n AND m < next AND l ~ '^ *Index Cond: ' ORDER BY m LIMIT 1) AS cond,
    (SELECT regexp_replace(l, '^ *Filter: ', '') FROM jsonb_array_elements_text(plan) WITH ORDINALITY y(l, m) WHERE m > n AND m < next AND l ~ '^ *Filter: ' ORDER BY m LIMIT 1) AS filter
  FROM (SELECT sql, hiding, plan, line, n, lead(n, 1, 1000000) OVER (PARTITION BY sql ORDER BY n) AS next FROM statement, jsonb_array_elements_text(plan) WITH ORDINALITY x(line, n) WHERE n = 1 OR line ~ '->') x
  WHERE line ~ ' Scan ' AND line !~ 'Function Scan on (unnest|t)|Subquery Scan on';
SELECT count(*) FILTER (WHERE line ~ 'Seq Scan|Bitmap|Sample|Tid') AS other_scans, count(*) FILTER (WHERE cond IS NULL OR cond !~ '\(tenant = \(?(\$1|kg_tenant\(\))') AS without_tenant, count(*) FILTER (WHERE cond !~ 'AND') AS by_tenant_only FROM scan;
SELECT DISTINCT sql, line FROM scan WHERE line ~ 'Seq Scan|Bitmap|Sample|Tid' OR cond IS NULL OR cond !~ '\(tenant = \(?(\$1|kg_tenant\(\))' OR cond !~ 'AND' LIMIT 5;
-- every index with the columns that bound its scans
SELECT relation, index, regexp_replace(regexp_replace(regexp_replace(cond, '\$\d+', '$', 'g'), '"|::\w+', '', 'g'), '\m[a-z]+_?\d*\.', '', 'g') AS conditions, count(DISTINCT sql) > 0 AS used FROM scan GROUP BY 1, 2, 3 ORDER BY relation, index, min(cond) COLLATE "C";
-- filters that remain: substrings, and a bound that the index cannot take
SELECT regexp_replace(filter, '\$\d+', '$', 'g') COLLATE "C" AS filter FROM scan WHERE filter IS NOT NULL AND NOT hiding GROUP BY 1 ORDER BY 1;
-- a list of values is never a filter of what an index scan reads, but of the one entity of an id
SELECT count(*) AS lists_as_filters FROM scan WHERE filter ~ '(key|entity_id|node) = ANY' AND cond !~ 'entity_id = ';
-- pages in order need no sort, but for a list of ids, which is short
SELECT count(*) AS sorted_pages FROM statement WHERE sql ~ 'ORDER BY d\.' AND sql !~ 'x\.entity_id = u\.v' AND plan::text ~ 'Sort';
-- a value never gets into a statement, and all parameters have a type
SELECT count(*) AS with_values FROM statement WHERE sql ~* 's5|i00|item|m99|zzz|2020';
SELECT DISTINCT p FROM statement, jsonb_array_elements_text(parameters) p ORDER BY 1;
-- the shape of an answer
SELECT jsonb_pretty(plan_of('list_item', '{"filters": {"e": {"in": ["a", "b"]}, "id": {"gt": "i00001"}}, "sort": [{"field": "e", "order": "desc"}], "limit": 2}'));
SELECT plan_of('get_item', '{"id": "i00001"}') AS kg_explain;
SELECT kg_explain('list_item', '{"limit": -1}');
SELECT kg_explain('list_itme', '{}');

\c - :owner
SELECT kg_drop_tenant('plan_a'), kg_drop_tenant('plan_b');
DROP OWNED BY plan_admin, plan_reader;
DROP ROLE plan_admin, plan_reader;
