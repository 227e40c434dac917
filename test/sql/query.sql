-- The tool query: SELECT over types and relations, what is refused, with which words, and within which bounds.
\i test/data/prelude.sql
CALL test.tenant('query', 'query_admin admin', 'query_reader read');
CALL test.tenant('query other', 'query_other admin');
-- A reply's rows; or an error's code, message, place and what is meant.
CREATE FUNCTION query_asked(sql text, params jsonb DEFAULT NULL, more jsonb DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
  r jsonb;
BEGIN
  r := kg_query(jsonb_strip_nulls(jsonb_build_object('sql', sql, 'params', params)) || more);
  RETURN (r ->> 'columns') || ' ' || (r ->> 'rows') || coalesce(' ' || (r ->> 'reason'), '');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  r := detail;
  RETURN concat_ws(' | ', r ->> 'code', r ->> 'message', r ->> 'path', r ->> 'position', r ->> 'got', 'did_you_mean ' || (r ->> 'did_you_mean'), r ->> 'expected', 'allowed ' || (r ->> 'allowed'));
END $$;
GRANT EXECUTE ON FUNCTION query_asked TO PUBLIC;
\c - query_other
SELECT kg_apply_bundle('{"bundle_name": "secret", "version": "1", "schemas": [{"entity_type": "plan", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": [{"entity_type": "plan", "items": [{"id": "hidden"}]}]}') ->> 'changed' AS changed;
\c - query_admin
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'shop', 'version', '1', 'schemas', '[
  {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "code", "properties": {"code": {"type": "string"}, "name": {"type": "string"}}}},
  {"entity_type": "Product", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "unitPrice": {"type": "number", "x-index": true}, "stock": {"type": "integer", "minimum": 0, "maximum": 1000},
    "day": {"type": "string", "format": "date", "x-index": true}, "at": {"type": "string", "format": "date-time"}, "live": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}}, "box": {"type": "object"}, "brand": {"type": "string", "x-ref": "brand", "x-relation": "MADE_BY"}}}},
  {"entity_type": "select", "schema": {"type": "object", "x-id-field": "key", "properties": {"key": {"type": "string"}, "ID": {"type": "integer"}, "ctid": {"type": "string"}}}},
  {"entity_type": "pg_class", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}]'::jsonb,
  'relations', '[{"name": "LIKES", "from": "brand", "to": "Product", "schema": {"type": "object", "properties": {"w": {"type": "integer"}, "since": {"type": "string", "format": "date"}}}}]'::jsonb,
  'entities', jsonb_build_array(
    '{"entity_type": "brand", "items": [{"code": "a", "name": "Acme"}, {"code": "b", "name": "Best"}, {"code": "c", "name": "Cheap"}]}'::jsonb, '{"entity_type": "select", "items": [{"key": "k", "ID": 7, "ctid": "c"}]}'::jsonb, '{"entity_type": "pg_class", "items": [{"id": "mine"}]}'::jsonb,
    jsonb_build_object('entity_type', 'Product', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'p' || n, 'name', 'Thing ' || n, 'unitPrice', n * 3.5, 'stock', n % 7, 'day', to_char(date '2024-01-01' + n * 9, 'YYYY-MM-DD'), 'at', to_char(timestamp '2024-01-01' + n * interval '7 hours', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
      'live', n % 2 = 0, 'tags', jsonb_build_array('t' || n % 3, 'all'), 'box', jsonb_build_object('w', n), 'brand', (ARRAY['a', 'b'])[1 + n % 2])) FROM generate_series(1, 20) n))),
  'edges', '[{"relation": "LIKES", "from": "brand:a", "to": "Product:p3", "properties": {"w": 1, "since": "2024-01-01"}}, {"relation": "LIKES", "from": "brand:b", "to": "Product:p3"}]'::jsonb)) ->> 'changed' AS changed;
\c - query_reader
\pset format unaligned
\pset tuples_only on
SELECT kg_query('{"sql": "SELECT * FROM Product ORDER BY unitPrice LIMIT 1"}');
-- joins, groups, windows, CTEs, sets
SELECT query_asked('SELECT b.name, count(*), sum(unitprice), max(day) FROM product p JOIN brand b ON b.id = p.brand WHERE unitPrice > 20 GROUP BY b.name HAVING count(*) > 1 ORDER BY 2 DESC, 1');
SELECT query_asked('SELECT * FROM "LIKES" ORDER BY "from"');
SELECT query_asked('SELECT * FROM (SELECT name, rank() OVER (PARTITION BY brand ORDER BY unitprice DESC) AS r FROM product) x WHERE r <= 2 ORDER BY r, name');
SELECT query_asked('WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 5) SEARCH DEPTH FIRST BY n SET o SELECT sum(n), string_agg(n::text, '','' ORDER BY n), array_agg(n) FROM t');
SELECT query_asked('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY unitprice), count(*) FILTER (WHERE live), grouping(brand) FROM product GROUP BY ROLLUP (brand) ORDER BY 3, 1');
SELECT query_asked('SELECT DISTINCT ON (brand) brand, p.day - date ''2024-01-01'' AS days, extract(year FROM p.day), date_trunc(''month'', at), to_char(p.day, ''YYYY-MM''), box ->> ''w'', tags[1] FROM product p ORDER BY brand, p.day');
SELECT query_asked('SELECT b.id, x.name FROM brand b CROSS JOIN LATERAL (SELECT name FROM product p WHERE p.brand = b.id ORDER BY unitprice DESC LIMIT 1) x ORDER BY 1');
SELECT query_asked('SELECT id FROM brand EXCEPT SELECT brand FROM product');
SELECT query_asked('SELECT entity_id, "ID", ctid FROM "select"');
SELECT query_asked('SELECT id FROM pg_class');
SELECT query_asked('SELECT current_date IS NOT NULL, now() > timestamptz ''2020-01-01'', date ''2024-05-01'' + interval ''1 month'', 1e400::numeric IS NULL, ''NaN''::numeric, to_jsonb(b) FROM brand b WHERE id = ''a''');
SELECT query_asked('SELECT t FROM (SELECT id, name FROM brand ORDER BY id LIMIT 1) t');
-- the name of a CTE is a table's outside of the CTE; a group by an id has the other columns; texts of a recursive query
SELECT query_asked('WITH product AS (SELECT * FROM product WHERE stock > 5) SELECT count(*) FROM product');
SELECT query_asked('SELECT p.name, p.stock, count(*) FROM product p JOIN brand b ON b.id = p.brand GROUP BY p.id ORDER BY p.unitprice DESC LIMIT 2');
SELECT query_asked('SELECT name, count(*) FROM brand GROUP BY code ORDER BY 1');
SELECT query_asked('SELECT p.name, count(*) FROM product p JOIN brand b ON b.id = p.brand GROUP BY b.id');
SELECT query_asked('SELECT "to", count(*) FROM likes GROUP BY "from"'); SELECT query_asked('SELECT l.w, count(*) FROM likes l JOIN brand b ON b.id = l."from" GROUP BY l."from"');
SELECT query_asked('WITH p AS (SELECT id, name FROM product) SELECT p.name FROM p GROUP BY p.id');
SELECT query_asked('WITH RECURSIVE r AS (SELECT ''a''::text AS id, ARRAY[''a''] AS path UNION SELECT l."to", path || l."to" FROM r JOIN likes l ON l."from" = r.id) SELECT * FROM r ORDER BY id');
-- functions that stand for tables: under the caller's rights, in FROM alone
SELECT query_asked('SELECT * FROM search(''Thing 3'', ''Product'', 1)');
SELECT query_asked('SELECT s.id, p.unitprice FROM search(text => ''Thing 1'', "limit" => 2) s LEFT JOIN product p ON p.id = s.id ORDER BY 2');
SELECT query_asked('SELECT b.id, n.* FROM brand b, neighbors(''brand:'' || b.id, 1, ''LIKES'') n ORDER BY 1, 2');
SELECT query_asked('SELECT depth, entity_type, count(*) FROM reach(''brand'', $1, NULL, ''both'', 3) GROUP BY 1, 2 ORDER BY 1, 2', '["a"]');
SELECT query_asked('SELECT r.* FROM reach(''brand'', ''b'', ''LIKES'') WITH ORDINALITY r');
SELECT query_asked('SELECT * FROM path(''brand:a'', ''brand:b'', 3)');
SELECT query_asked('SELECT * FROM path(''brand:a'', ''brand:c'', 3), search(NULL)');
SELECT query_asked('SELECT * FROM neighbors(''brnd:a'')');
SELECT query_asked('SELECT * FROM neighbors(''a'')');
SELECT query_asked('SELECT * FROM neighbors(''plan:hidden'')');
SELECT query_asked('SELECT * FROM reach(''brand'', ''a'', ''LIKE'')');
SELECT query_asked('SELECT * FROM search(''a'', 1, 2, 3)');
SELECT query_asked('SELECT search(''a'')');
SELECT query_asked('SELECT * FROM public.search(''a'')');
SELECT query_asked('SELECT * FROM kg_query_search(''a'')');
-- parameters
SELECT query_asked('SELECT name FROM product WHERE tags @> $1 AND stock = ANY ($2) AND day > $3 ORDER BY 1', '[["t1"], [1, 2], "2024-01-20"]');
SELECT query_asked('SELECT $1 || name, $2::int + 1, $3::jsonb FROM brand WHERE id = ''a''', '["x", 4, {"a": [1]}]');
SELECT query_asked('SELECT name FROM product WHERE day > $1', '["soon"]');
SELECT query_asked('SELECT name FROM product WHERE day > $2', '["2024-01-01"]');
SELECT query_asked('SELECT $100000');
-- bounds
SELECT query_asked('SELECT id FROM product ORDER BY unitprice', NULL, '{"limit": 2}');
SELECT query_asked('SELECT name || repeat(''x'', 300) FROM product ORDER BY unitprice', NULL, '{"max_bytes": 1024}') LIKE '%max_bytes';
SELECT query_asked('SELECT repeat(''x'', 5000)', NULL, '{"max_bytes": 1024}');
SELECT query_asked('SELECT repeat(''x'', 1000000000)');
SELECT query_asked('SELECT length(string_agg(repeat(''x'', 1000), '''')) FROM generate_series(1, 2000)');
SELECT query_asked('SELECT lpad(name, 100000000) FROM brand');
SELECT query_asked('SELECT to_char(1, repeat(''9'', 500))');
SELECT query_asked('SELECT format(''%900000000s'', ''x'')');
SELECT query_asked('SELECT 9 ^ 12000');
SELECT query_asked('SELECT (10::numeric ^ 30000) / 3'); SELECT query_asked('SELECT sqrt(10::numeric ^ 15000) > 1, width_bucket(5.0, 1.0, 9.0, 4), 7 % 4.0, round(7 / 3.0, 2)');
SELECT query_asked('SELECT length((10::numeric ^ 5000)::text), 10::numeric ^ 5000') LIKE '["length", "?column?"] [[50__, "1000%';
-- products and variances take the square of the digits, too; and a row with many such calls can be interrupted
SELECT q, query_asked(q) FROM (VALUES ('SELECT x * x > 1 FROM (SELECT repeat(''9'', 10001)::numeric AS x) t'), ('SELECT x * x > 1 FROM (SELECT repeat(''9'', 9990)::numeric AS x) t'), ('SELECT variance(x) FROM (SELECT repeat(''9'', 20001)::numeric AS x) t'), ('SELECT stddev(x) OVER () FROM (SELECT repeat(''9'', 20001)::numeric AS x) t'),
  ('SELECT variance(unitprice), round(stddev_pop(DISTINCT unitprice * 2) FILTER (WHERE stock > 2), 3) FROM product'), ('SELECT round(var_pop(unitprice) OVER (ORDER BY id ROWS 1 PRECEDING), 2) FROM product LIMIT 2')) x(q);
SET statement_timeout = '500ms';
DO $$
DECLARE
  began timestamptz := clock_timestamp();
BEGIN
  PERFORM kg_query(jsonb_build_object('sql', (SELECT 'SELECT ' || string_agg('mod(stock * 1e131000::numeric * ' || g || ', x) = 1', ', ') FROM generate_series(2, 60) g) || ' FROM (SELECT stock, repeat(''7'', 19900)::numeric AS x FROM product WHERE stock > 0 LIMIT 1) t'));
EXCEPTION WHEN query_canceled THEN
  RAISE WARNING '% %', SQLERRM, CASE WHEN clock_timestamp() - began < '10 s' THEN 'in time' ELSE 'late' END;
END $$;
RESET statement_timeout;
-- what is meant
SELECT query_asked('SELECT name FROM producs');
SELECT query_asked('SELECT nam FROM product');
SELECT query_asked('SELECT p.price FROM product p');
SELECT query_asked('SELECT id FROM product p JOIN brand b ON b.id = p.brand');
SELECT query_asked('SELECT strftime(''%Y'', day) FROM product');
SELECT query_asked('SELECT lenght(name) FROM product');
SELECT query_asked('SELECT round(stddev(unitprice)::float8, 2) FROM product');
SELECT query_asked('SELECT name, count(*) FROM product GROUP BY brand');
SELECT query_asked('SELECT `name` FROM product');
SELECT query_asked('SELECT tags[1] FORM product');
SELECT query_asked('SELECT "interval"(interval ''1 day'', 5)');
SELECT query_asked('SELECT TOP 3 name FROM product');
SELECT query_asked('SELECT name FROM product LIMIT 1, 2');
SELECT query_asked('SELECT name::string FROM product');
-- other dialects: the call that means the same, or none
SET kg_graph.toolsets = 'sql';
SELECT q, kg_call_tool('query', jsonb_build_object('sql', q) || coalesce(p, '{}')) #>> '{structuredContent,error,call,arguments}' FROM (VALUES
  ('SELECT `name` FROM `product` WHERE `name` = ''a`b''', NULL::jsonb), ('SELECT [name] FROM product p WHERE p.[stock] > 1', NULL), ('SELECT tags[1], `name` FROM product', NULL), ('SELECT TOP 3 name FROM product ORDER BY 1', NULL), ('SELECT name FROM product LIMIT 1, 2', NULL),
  ('SELECT strftime(''%Y-%m'', day), YEAR(day), IFNULL(name, ''?''), GROUP_CONCAT(name) FROM product GROUP BY 1, 2, 3', NULL), ('SELECT strftime(''%Y week'', day) FROM product', NULL), ('SELECT IF(stock > 1, LEN(name), 0), DATEDIFF(day, ''2026-01-01'') FROM product', NULL),
  ('SELECT name FROM products', NULL), ('SELECT name FROM public.product -- `all`', NULL), ('SELECT name FROM pg_catalog.product', NULL), ('SELECT p.name FROM product p WHERE p.brand_id = ''x''', NULL), ('SELECT name FROM product WHERE name = "Tea"', NULL), ('SELECT "nam" FROM product WHERE name = "Tea"', NULL), ('SELECT unit_prices FROM product', NULL),
  ('SELECT name FROM product WHERE stock > ? AND name <> ?', '{"params": [1, "x"]}'), ('SELECT name FROM product WHERE stock > ?', '{"params": [1, "x"]}'), ('SELECT name FROM product WHERE stock > :least AND stock < @most + :least', '{"params": {"most": 9, "least": 1}}'), ('SELECT name FROM product WHERE stock > :least', '{"params": {"most": 9, "least": 1}}'),
  ('SELECT count(*) FORM product', NULL), ('SELECT `name', NULL)) x(q, p);
RESET kg_graph.toolsets;
SELECT query_asked('SELECT 1/0');
SELECT query_asked('SELECT 2147483647 + 1');
SELECT query_asked('SELECT (SELECT id FROM brand)');
-- what does not exist: another tenant's type, none, the catalog's
SELECT query_asked('SELECT * FROM plan');
SELECT query_asked('SELECT * FROM nothing');
SELECT query_asked('SELECT * FROM pg_roles');
SELECT query_asked('SELECT * FROM pg_catalog.pg_roles');
SELECT query_asked('WITH x AS (SELECT * FROM pg_roles), pg_roles AS (SELECT 1 AS a) SELECT * FROM x');
-- what is not allowed
SELECT query_asked(s) FROM unnest(ARRAY['DELETE FROM brand', 'SELECT 1; SELECT 2', '', 'SELECT 1 INTO x', 'SELECT * FROM brand FOR UPDATE', 'WITH x AS (DELETE FROM brand RETURNING *) SELECT * FROM x', 'SELECT * FROM brand TABLESAMPLE SYSTEM (1)', 'SELECT xmlelement(name a)', 'SELECT current_user',
  'SELECT ''brand''::regclass', 'SELECT nextval(''s'')', 'SELECT concat(VARIADIC ARRAY[''a''])', 'SELECT pg_catalog.lower(''A'')', 'SELECT 1 OPERATOR(pg_catalog.+) 1', 'SELECT id FROM brand ORDER BY id USING <', 'SELECT x FROM json_to_record(''{"a": 1}'') AS x(a regclass)', 'SELECT B''101''', 'EXPLAIN SELECT 1',
  'SELECT id FROM brand COLLATE public."x"', 'SELECT id COLLATE public.x FROM brand', 'SELECT tableoid FROM brand', 'SELECT ctid FROM brand', 'TABLE kg_entity', 'VALUES (pg_backend_pid())', 'SELECT * FROM repeat(''x'', 3)', 'SELECT (SELECT current_setting(''x''))']) WITH ORDINALITY AS x(s, n) ORDER BY n;
-- the entities and edges that hold at an instant, in tables and functions
\c - query_admin
SELECT kg_apply_bundle('{"bundle_name": "posts", "version": "1", "schemas": [{"entity_type": "org", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}},
  {"entity_type": "post", "schema": {"type": "object", "x-id-field": "id", "x-valid-from": "since", "x-valid-to": "until", "properties": {"id": {"type": "string"}, "since": {"type": "string", "format": "date", "x-index": true}, "until": {"type": "string", "format": "date"}, "of": {"type": "string", "x-ref": "org", "x-relation": "OF"}}}}],
  "relations": [{"name": "KNOWS", "from": "post", "to": "post", "schema": {"type": "object", "x-valid-to": "until", "properties": {"until": {"type": "string", "format": "date"}}}}],
  "entities": [{"entity_type": "org", "items": [{"id": "o"}]}, {"entity_type": "post", "items": [{"id": "r1", "since": "2020-01-01", "until": "2021-01-01", "of": "o"}, {"id": "r2", "since": "2021-01-01", "of": "o"}, {"id": "r3", "since": "2019-01-01", "of": "o"}]}],
  "edges": [{"relation": "KNOWS", "from": "post:r3", "to": "post:r2", "properties": {"until": "2021-06-01"}}, {"relation": "KNOWS", "from": "post:r2", "to": "post:r3"}]}') ->> 'changed' AS changed;
\c - query_reader
SELECT at, query_asked(q, NULL, at) FROM unnest('{"{}","{\"valid_at\": \"2020-06-01T00:00:00Z\"}","{\"valid_at\": \"2021-03-01T00:00:00Z\"}","{\"valid_at\": \"now\"}"}'::jsonb[]) AS at, unnest(ARRAY['SELECT id FROM post ORDER BY 1', 'SELECT id FROM post WHERE since >= $$2020-01-01$$ ORDER BY 1', 'SELECT "from" FROM "OF" ORDER BY 1',
  'SELECT "from" FROM "KNOWS" ORDER BY 1', 'SELECT id FROM neighbors(''org:o'') ORDER BY 1', 'SELECT count(*) FROM search(''r1'')']) WITH ORDINALITY AS x(q, n) ORDER BY at::text COLLATE "C", n;
SELECT query_asked('SELECT id FROM post', NULL, '{"valid_at": "soon"}');
SELECT kg_query('{"sql": "SELECT id FROM post", "valid_at": "2020-06-01T00:00:00Z", "limit": 1}');
-- its plan, for members of pg_read_all_stats alone (test/ask asserts plans)
SELECT query_asked('SELECT id FROM post', NULL, '{"explain": true}');
SELECT query_asked('SELECT id FROM post ORDER BY 1', NULL, '{"explain": false}');
\c - :owner
GRANT pg_read_all_stats TO query_reader;
\c - query_reader
SELECT line FROM jsonb_array_elements_text(kg_query('{"sql": "SELECT generate_series(1, $1) AS n", "params": [3], "explain": true}') -> 'plan') AS line;
\c - :owner
REVOKE pg_read_all_stats FROM query_reader;
\c - query_reader
\pset format unaligned
\pset tuples_only on
-- the toolset is off until it is named; with an agent's own list it is on
SELECT kg_call_tool('query', '{"sql": "SELECT 1 AS one"}') -> 'structuredContent' #>> '{error,code}';
SELECT count(*) FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' IN ('query', 'search', 'schema', 'verify');
SET kg_graph.toolsets = 'sql';
SELECT t ->> 'name' FROM jsonb_array_elements(kg_list_tools()) t;
SELECT kg_call_tool('query', '{"sql": "SELECT id, name FROM brand ORDER BY 1"}') #>> '{content,0,text}';
SELECT kg_call_tool('search', '{"query": "Thing 1"}') -> 'structuredContent' #>> '{items,0,id}';
-- find searches names too, so search is not listed beside it; it can be called
SET kg_graph.toolsets = 'compact,sql';
SELECT string_agg(t ->> 'name', ' ') FROM jsonb_array_elements(kg_list_tools()) t;
SELECT kg_call_tool('search', '{"query": "Thing 1"}') -> 'structuredContent' #>> '{items,0,id}';
SET kg_graph.toolsets = 'sql';
-- a query is evidence of a claim
SELECT kg_verify(jsonb_build_object('claims', (SELECT jsonb_agg(jsonb_build_object(k, jsonb_build_object('tool', 'query', 'arguments', jsonb_build_object('sql', q))) || i ORDER BY n) FROM (VALUES
  (1, 'count', 'SELECT count(*) FROM product WHERE stock > 5', '{"is": 2}'::jsonb), (2, 'count', 'SELECT avg(unitprice) FROM product', '{"is": {"gt": 36, "lt": 37}}'), (3, 'count', 'SELECT id FROM product WHERE stock > 5', '{"is": 2}'), (4, 'count', 'SELECT id FROM product WHERE false', '{"is": 0}'),
  (5, 'none', 'SELECT id FROM product WHERE stock > 5', '{}'), (6, 'none', 'SELECT id FROM product WHERE stock > 500', '{}'), (7, 'none', 'SELECT count(*) FROM product WHERE stock > 500', '{}'), (8, 'none', 'SELECT nothing', '{}')) c(n, k, q, i)))) - 'checked_at' - 'revision';
SET kg_graph.toolsets = 'all,sql';
SELECT count(*) FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' IN ('query', 'search');
RESET kg_graph.toolsets;
\c - query_admin
SELECT FROM kg_create_agent('analyst', '{"toolsets": ["sql"], "bundles": ["shop"]}');
SET kg_graph.agent = 'analyst';
SELECT t ->> 'name' FROM jsonb_array_elements(kg_list_tools()) t;
SELECT kg_call_tool('query', '{"sql": "SELECT count(*) FROM likes"}') #>> '{structuredContent,rows,0,0}';
RESET kg_graph.agent;
-- what a session has set does not matter, and is as it was
SET DateStyle = 'German'; SET TimeZone = 'Asia/Tokyo'; SET search_path = public; SET standard_conforming_strings = on; SET statement_timeout = '1min';
SELECT query_asked('SELECT day, at FROM product ORDER BY at LIMIT 1');
SELECT current_setting('DateStyle'), current_setting('TimeZone'), current_setting('search_path'), current_setting('transaction_read_only');
RESET ALL;
\c - query_admin
-- keys that the index compresses: the memory of a query does not grow with them
SELECT kg_apply_bundle('{"bundle_name": "long", "version": "1", "schemas": [{"entity_type": "long", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "text": {"type": "string", "x-index": true}}}}], "entities": []}') ? 'revision' AS applied;
SELECT count(kg_put_entities('long', (SELECT jsonb_agg(jsonb_build_object('id', m::text, 'text', repeat('a', 1000) || m)) FROM generate_series(n, n + 999) m))) FROM generate_series(1000, 9000, 1000) n;
\c - :owner
ALTER ROLE query_admin SET kg_graph.max_query_memory = '12MB';
\c - query_admin
SELECT query_asked('SELECT count(*) FROM long WHERE text > ''a'' ');
\c - :owner
ALTER ROLE query_reader SET kg_graph.max_query_memory = '20MB';
ALTER ROLE query_admin RESET kg_graph.max_query_memory;
ALTER ROLE query_admin SET kg_graph.max_call_time = '200ms';
\c - query_reader
SELECT query_asked('SELECT array_agg(n) FROM generate_series(1, 3000000) n');
SELECT query_asked('SELECT count(*) FROM brand');
\c - query_admin
SELECT query_asked('SELECT count(*) FROM generate_series(1, 1000000000000)');
SELECT query_asked('SELECT count(*) FROM brand');
\c - :owner
DROP FUNCTION query_asked;
CALL test.drop('query', 'query other');
