-- Every filter operator on every type, as a role under row-level security, with a
-- second tenant in the database. The replies are compared with a plain evaluation of
-- the stored documents in SQL.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('filter_a', 'filter_writer write', 'filter_reader read');
CALL test.tenant('filter_b', 'filter_writer write');

\c - filter_writer
CREATE TEMP TABLE bundle AS SELECT '{"bundle_name": "filter", "version": "1", "schemas": [
  {"entity_type": "maker", "schema": {"type": "object", "x-id-field": "code", "x-label-field": "name", "properties": {"code": {"type": "string"}, "name": {"type": "string"}}}},
  {"entity_type": "item", "schema": {"type": "object", "x-id-field": "code", "properties": {
    "code": {"type": "string"},
    "s": {"type": "string", "x-index": true},
    "e": {"enum": ["high", "mid-range", "low", "a_b"], "x-index": true},
    "i": {"type": "integer", "x-index": true},
    "f": {"type": "number", "x-index": true},
    "b": {"type": "boolean", "x-index": true},
    "d": {"type": "string", "format": "date", "x-index": true},
    "t": {"type": "string", "format": "date-time", "x-index": true},
    "n": {"type": ["string", "null"], "x-index": true},
    "as": {"type": "array", "items": {"type": "string"}, "x-index": true},
    "ai": {"type": "array", "items": {"type": "integer"}, "x-index": true},
    "ae": {"type": "array", "items": {"enum": ["x", "y", "z"]}, "x-index": true},
    "ad": {"type": ["array", "null"], "items": {"type": "string", "format": "date"}, "x-index": true},
    "o": {"type": "object", "properties": {"p": {"type": "string", "x-index": true}, "q": {"type": "object", "properties": {"r": {"type": "number", "x-index": true}}}}},
    "id": {"type": "string", "x-index": true},
    "maker": {"type": "string", "x-ref": "maker", "x-index": true},
    "plain": {"type": "string"}}}}]}'::jsonb AS b;
-- k is the tenant's number: the same ids, other values
CREATE FUNCTION pg_temp.items(k integer) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('code', 'c' || lpad(n::text, 3, '0'),
    's', CASE WHEN n % 11 <> 0 THEN (ARRAY['alpha', 'Alpha', 'alp', 'al%', 'al_ha', '100%', 'a\b', '', ' ', 'é', 'zulu', 'alphabet', '😀 face', 'ALPHA', 'a"b', '''x'''])[1 + (n * k) % 16] END,
    'e', CASE WHEN n % 7 <> 0 THEN (ARRAY['high', 'mid-range', 'low', 'a_b'])[1 + (n + k) % 4] END,
    'i', CASE WHEN n % 9 <> 0 THEN (ARRAY[0, -1, 1, 5, 100, -100, 9223372036854775807, -9223372036854775808, 9223372036854775808, 10, 9, 99999999999999999999999]::numeric[])[1 + (n * k) % 12] END,
    'f', CASE WHEN n % 8 <> 0 THEN (ARRAY[0, -0.5, 0.5, 1.0, 1, 1.25, 1e30, -1e30, 1e-30, 10, 9.99, 123456789.123456789]::numeric[])[1 + (n * k) % 12] END,
    'b', CASE WHEN n % 5 <> 0 THEN n * k % 3 = 0 END,
    'd', CASE WHEN n % 6 <> 0 THEN to_char(date '2023-12-20' + n * k, 'YYYY-MM-DD') END,
    't', CASE WHEN n % 13 <> 0 THEN (ARRAY['2024-01-01T00:00:00Z', '2024-01-01T01:00:00+01:00', '2024-01-01T00:00:00.5Z', '2023-12-31T23:59:59-02:00', '2024-01-01T02:00:00+01:00', '1970-01-01T00:00:00Z', '2024-06-30T12:00:00.123456Z'])[1 + (n * k) % 7] END,
    'as', CASE n % 5 WHEN 0 THEN NULL WHEN 1 THEN '[]' WHEN 2 THEN '["red"]'::jsonb WHEN 3 THEN '["red", "green", "red"]' ELSE jsonb_build_array('green', 'bl%e', 'v' || n % 4) END,
    'ai', CASE n % 4 WHEN 0 THEN NULL WHEN 1 THEN '[]' ELSE jsonb_build_array(n % 7, -n, 3) END,
    'ae', CASE n % 4 WHEN 0 THEN NULL WHEN 1 THEN '["x"]'::jsonb WHEN 2 THEN '["x", "y"]' ELSE '["z", "y", "x"]' END,
    'o', CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN jsonb_build_object('p', 'p' || n % 5) ELSE jsonb_build_object('p', 'q', 'q', jsonb_build_object('r', n % 4 + 0.5)) END,
    'id', CASE WHEN n % 10 <> 0 THEN 'own' || n % 6 END,
    'maker', CASE WHEN n % 4 <> 0 THEN 'm' || n % 3 END,
    'plain', 'p'))
    || CASE n % 4 WHEN 0 THEN '{"n": null, "ad": null}'::jsonb WHEN 1 THEN '{}' ELSE jsonb_build_object('n', 'n' || n % 3, 'ad', jsonb_build_array('2024-02-29', to_char(date '2024-01-01' + n, 'YYYY-MM-DD'))) END)
  FROM generate_series(1, 60) n $$;
CREATE FUNCTION pg_temp.load(tenant text, k integer, shift integer) RETURNS text LANGUAGE sql AS $$
  SELECT set_config('kg_graph.tenant', tenant, false);
  SELECT kg_apply_bundle(b || jsonb_build_object('entities', jsonb_build_array(
    jsonb_build_object('entity_type', 'maker', 'items', (SELECT jsonb_agg(jsonb_build_object('code', 'm' || n, 'name', 'Maker ' || n + shift)) FROM generate_series(0, 2) n)),
    jsonb_build_object('entity_type', 'item', 'items', pg_temp.items(k))))) ->> 'changed' FROM bundle $$;
SELECT pg_temp.load('filter_b', 7, 1000), pg_temp.load('filter_a', 1, 0);

\c - filter_reader
-- What a filter means, from the documents alone: members are the values; what is missing or null has none, an empty array is there.
CREATE FUNCTION pg_temp.compare(kind text, a jsonb, b jsonb) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE kind
    WHEN 'number' THEN sign((a #>> '{}')::numeric - (b #>> '{}')::numeric)::integer
    WHEN 'instant' THEN CASE WHEN (a #>> '{}')::timestamptz < (b #>> '{}')::timestamptz THEN -1 WHEN (a #>> '{}')::timestamptz > (b #>> '{}')::timestamptz THEN 1 ELSE 0 END
    ELSE CASE WHEN (a #>> '{}') COLLATE "C" < (b #>> '{}') COLLATE "C" THEN -1 WHEN (a #>> '{}') COLLATE "C" > (b #>> '{}') COLLATE "C" THEN 1 ELSE 0 END END $$;
CREATE FUNCTION pg_temp.holds(kind text, members jsonb[], op text, operand jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE m jsonb; o jsonb; found boolean; text text := operand #>> '{}';
BEGIN
  CASE op
    WHEN 'is_null' THEN RETURN (members IS NULL) = operand::boolean;
    WHEN 'is_not_null' THEN RETURN (members IS NOT NULL) = operand::boolean;
    WHEN 'ne' THEN RETURN members IS NOT NULL AND NOT pg_temp.holds(kind, members, 'eq', operand);
    WHEN 'in', 'contains_any' THEN
      FOR o IN SELECT jsonb_array_elements(operand) LOOP IF pg_temp.holds(kind, members, 'eq', o) THEN RETURN true; END IF; END LOOP;
    WHEN 'contains_all' THEN
      FOR o IN SELECT jsonb_array_elements(operand) LOOP IF NOT pg_temp.holds(kind, members, 'eq', o) THEN RETURN false; END IF; END LOOP;
      RETURN true;
    ELSE
      FOREACH m IN ARRAY coalesce(members, '{}') LOOP
        found := CASE op WHEN 'eq' THEN pg_temp.compare(kind, m, operand) = 0 WHEN 'gt' THEN pg_temp.compare(kind, m, operand) > 0 WHEN 'gte' THEN pg_temp.compare(kind, m, operand) >= 0
            WHEN 'lt' THEN pg_temp.compare(kind, m, operand) < 0 WHEN 'lte' THEN pg_temp.compare(kind, m, operand) <= 0
            WHEN 'contains' THEN position(text IN m #>> '{}') > 0 WHEN 'starts_with' THEN left(m #>> '{}', length(text)) = text WHEN 'ends_with' THEN right(m #>> '{}', length(text)) = text END;
        IF found THEN RETURN true; END IF;
      END LOOP;
  END CASE;
  RETURN false;
END $$;
CREATE TEMP TABLE member(path text, entity_id text, members jsonb[]);
CREATE FUNCTION pg_temp.expected(asked text, kind text, op text, operand jsonb) RETURNS text[] LANGUAGE sql AS $$
  SELECT coalesce(array_agg(entity_id ORDER BY entity_id COLLATE "C"), '{}') FROM member WHERE path = asked AND pg_temp.holds(kind, members, op, operand) $$;
CREATE FUNCTION pg_temp.got(filters jsonb) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE reply jsonb; ids text[]; detail text;
BEGIN
  reply := kg_list_ids('item', jsonb_build_object('filters', filters, 'limit', 500));
  ids := ARRAY(SELECT jsonb_array_elements_text(reply -> 'ids'));
  IF (reply ->> 'total')::integer <> cardinality(ids) THEN RAISE 'total % of % ids', reply ->> 'total', cardinality(ids); END IF;
  RETURN ids;
EXCEPTION WHEN invalid_parameter_value THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN ARRAY['error', detail::jsonb ->> 'code'];
END $$;
CREATE FUNCTION pg_temp.why(filters jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; message text;
BEGIN
  RETURN kg_list_ids('item', jsonb_build_object('filters', filters)) ->> 'total';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, message = MESSAGE_TEXT;
  RETURN SQLSTATE || ' ' || message || ' ' || coalesce((detail::jsonb - 'message' - 'code' - 'got')::text, '');
END $$;

-- fields, how they compare, and values to compare with
CREATE TEMP TABLE field(path text, kind text, operands jsonb);
INSERT INTO field VALUES
  ('id', 'string', '["c001", "c050", "c100", "none", "c05", "1"]'),
  ('code', 'string', '["c007", "c05"]'),
  ('data.id', 'string', '["own1", "own", "c001"]'),
  ('s', 'string', '["alpha", "Alpha", "al", "al%", "al_", "%", "_", "é", "a\\b", "\\", "😀", "nothing", "zzz", " ", "''", "\"", "ha"]'),
  ('e', 'enum', '["high", "mid-range", "low", "a_b"]'),
  ('i', 'number', '[0, -1, 1.0, 5, 9223372036854775807, 9223372036854775808, -9223372036854775808, 9223372036854775806, 7, 1e30]'),
  ('f', 'number', '[0, 1, 1.00, -0.5, 1.2, 1e30, 123456789.123456789, 123456789.123456788, -1e31]'),
  ('b', 'boolean', '[true, false]'),
  ('d', 'string', '["2023-12-21", "2024-01-01", "2024-02-29", "1999-01-01", "2030-12-31"]'),
  ('t', 'instant', '["2024-01-01T00:00:00Z", "2024-01-01T03:00:00+03:00", "2024-01-01T00:00:00.500Z", "2024-01-01T01:59:59Z", "2024-01-01T00:00:00.499999Z", "2030-01-01T00:00:00-12:00"]'),
  ('n', 'string', '["n0", "n", "n2", "null"]'),
  ('as', 'string', '["red", "green", "bl%e", "re", "v1", "none"]'),
  ('ai', 'number', '[3, -7, 0, 6, 99]'),
  ('ae', 'enum', '["x", "y", "z"]'),
  ('ad', 'string', '["2024-02-29", "2024-01-03", "2025-01-01"]'),
  ('o.p', 'string', '["p1", "q", "p"]'),
  ('o.q.r', 'number', '[0.5, 2.5, 9]'),
  ('maker', 'string', '["m0", "m1"]');
INSERT INTO member SELECT path, entity_id, CASE WHEN value <> 'null' THEN ARRAY(SELECT m FROM jsonb_array_elements(CASE WHEN jsonb_typeof(value) = 'array' THEN value ELSE jsonb_build_array(value) END) m WHERE m <> 'null') END
  FROM field, kg_entity, LATERAL (SELECT CASE WHEN path IN ('id', 'code') THEN to_jsonb(entity_id) ELSE coalesce(data #> string_to_array(CASE WHEN path = 'data.id' THEN 'id' ELSE path END, '.'), 'null') END) v(value) WHERE entity_type = 'item';
CREATE TEMP TABLE cases AS
  SELECT path, kind, op, o AS operand FROM field, unnest(ARRAY['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains', 'starts_with', 'ends_with']) op, jsonb_array_elements(operands) o
   WHERE NOT (op IN ('contains', 'starts_with', 'ends_with') AND jsonb_typeof(o) <> 'string')
  UNION ALL SELECT path, kind, op, operands FROM field, unnest(ARRAY['in', 'contains_any', 'contains_all']) op
  UNION ALL SELECT path, kind, op, jsonb_build_array(a, operands -> ((n * 2 % jsonb_array_length(operands))::integer)) FROM field, unnest(ARRAY['in', 'contains_any', 'contains_all']) op, jsonb_array_elements(operands) WITH ORDINALITY x(a, n)
  UNION ALL SELECT path, kind, op, o FROM field, unnest(ARRAY['is_null', 'is_not_null']) op, unnest(ARRAY['true', 'false']::jsonb[]) o;
-- every pair: how many cases, whether they are right, and how many entities matched in all, or that the operator is refused
CREATE TEMP TABLE outcome AS
  SELECT *, pg_temp.got(jsonb_build_object(path, jsonb_build_object(op, operand))) AS got, pg_temp.expected(path, kind, op, operand) AS expected FROM cases;
SELECT path, op, count(*) AS cases, CASE WHEN bool_and(got[1] = 'error') THEN 'refused: ' || min(got[2]) ELSE bool_and(got = expected)::text END AS right,
    CASE WHEN NOT bool_or(got[1] IS NOT DISTINCT FROM 'error') THEN sum(cardinality(got)) END AS matched
  FROM outcome GROUP BY path, op ORDER BY path COLLATE "C", op COLLATE "C";
SELECT path, op, operand, got, expected FROM outcome WHERE got <> expected AND got[1] IS DISTINCT FROM 'error' ORDER BY 1, 2, 3 LIMIT 10;
-- a value is equality; on an array, membership
SELECT path, count(*) AS cases, bool_and(pg_temp.got(jsonb_build_object(path, operand)) = expected) AS right FROM outcome WHERE op = 'eq' GROUP BY path ORDER BY path COLLATE "C";
-- several conditions on one property and several properties: all must hold
CREATE TEMP TABLE good AS SELECT row_number() OVER (ORDER BY path, op, operand) AS n, count(*) OVER () AS of, path, op, operand, expected FROM outcome WHERE got[1] IS DISTINCT FROM 'error';
CREATE TEMP TABLE pairs AS SELECT a.n, a.path, a.op AS op1, a.operand AS operand1, a.expected AS expected1, b.path AS path2, b.op AS op2, b.operand AS operand2, b.expected AS expected2
  FROM good a, unnest(ARRAY[1, 7, 211]) step, good b WHERE b.n = 1 + (a.n * step + step) % b.of AND (a.path <> b.path OR (a.op <> b.op AND NOT (a.op LIKE 'g%' AND b.op LIKE 'l%') AND NOT (a.op LIKE 'l%' AND b.op LIKE 'g%')));
SELECT count(*) AS pairs, count(*) FILTER (WHERE got <> expected) AS wrong FROM (SELECT pg_temp.got(CASE WHEN path <> path2 THEN jsonb_build_object(path, jsonb_build_object(op1, operand1), path2, jsonb_build_object(op2, operand2))
    WHEN n % 2 = 0 THEN jsonb_build_object(path, jsonb_build_object(op1, operand1, op2, operand2)) ELSE jsonb_build_object(path, jsonb_build_array(jsonb_build_object(op1, operand1), jsonb_build_object(op2, operand2))) END) AS got,
  ARRAY(SELECT unnest(expected1) INTERSECT SELECT unnest(expected2) ORDER BY 1) AS expected FROM pairs) x;
-- the same operator twice, as an array of conditions
SELECT pg_temp.got('{"s": [{"ne": "alpha"}, {"ne": "Alpha"}, {"is_null": false}]}') = ARRAY(SELECT entity_id FROM kg_entity WHERE entity_type = 'item' AND data ->> 's' NOT IN ('alpha', 'Alpha') ORDER BY 1) AS twice;
SELECT pg_temp.got('{"as": [{"eq": "green"}, {"ne": "red"}, {"starts_with": "v"}]}') = ARRAY(SELECT entity_id FROM kg_entity WHERE entity_type = 'item' AND data -> 'as' @> '["green"]' AND NOT data -> 'as' @> '["red"]' ORDER BY 1) AS members;
SELECT pg_temp.why(jsonb_build_object('s', (SELECT jsonb_agg('{"ne": "x"}'::jsonb) FROM generate_series(1, 10)))) AS ten, pg_temp.why(jsonb_build_object('s', (SELECT jsonb_agg('{"ne": "x"}'::jsonb) FROM generate_series(1, 11)))) AS eleven;
-- lists of 1 to 500 values
SELECT pg_temp.got(jsonb_build_object('i', jsonb_build_object('in', (SELECT jsonb_agg(n) FROM generate_series(1, 500) n)))) = pg_temp.expected('i', 'number', 'in', (SELECT jsonb_agg(n) FROM generate_series(1, 500) n)) AS five_hundred;
SELECT pg_temp.why(jsonb_build_object('i', jsonb_build_object('in', (SELECT jsonb_agg(n) FROM generate_series(1, 501) n)))) AS too_many, pg_temp.why('{"i": {"in": []}}') AS none;
SELECT pg_temp.why(jsonb_build_object('as', jsonb_build_object('contains_all', (SELECT jsonb_agg('red'::text) FROM generate_series(1, 501) n)))) AS too_many;

-- numbers and booleans as strings are read where the type leaves no doubt, and reported
SELECT kg_list_ids('item', '{"filters": {"i": "5", "b": {"eq": "true"}, "f": [{"gte": "0.5"}, {"in": ["1", 1.25]}]}, "limit": "3"}') - 'next' AS repaired;
SELECT pg_temp.why('{"i": "five"}') AS i, pg_temp.why('{"i": "1e3"}') AS exponent, pg_temp.why('{"b": "yes"}') AS b, pg_temp.why('{"f": true}') AS f;
SELECT pg_temp.why('{"s": 5}') AS s, pg_temp.why('{"maker": 5}') AS ref, pg_temp.why('{"id": 5}') AS id, pg_temp.why('{"d": "2024-13-01"}') AS d, pg_temp.why('{"d": "tomorrow"}') AS word, pg_temp.why('{"t": "2024-01-01"}') AS t;
-- a label given for a code, a value outside an enum
SELECT pg_temp.why('{"e": "Mid Range"}') AS label, pg_temp.why('{"e": {"in": ["high", "HIGH"]}}') AS upper_case, pg_temp.why('{"e": {"ne": "hgih"}}') AS typo, pg_temp.why('{"ae": {"contains_any": ["w"]}}') AS member;
SELECT pg_temp.why('{"maker": "Maker 1"}') AS name, pg_temp.why('{"maker": {"in": ["m0", "Maker 2"]}}') AS in_list, pg_temp.why('{"maker": "Maker 1001"}') AS of_the_other_tenant;
-- what a model may get wrong
SELECT pg_temp.why('{"s": null}') AS "null", pg_temp.why('{"s": {"eq": null}}') AS eq_null, pg_temp.why('{"s": ["alpha", "alp"]}') AS list, pg_temp.why('{"s": {}}') AS empty, pg_temp.why('{"s": []}') AS empty_list, pg_temp.why('{"s": {"eq": ["alpha"]}}') AS eq_list;
SELECT pg_temp.why('{"s": {"like": "a%"}}') AS "like", pg_temp.why('{"s": {"$ne": "a"}}') AS dollar, pg_temp.why('{"s": {"starts": "a"}}') AS starts, pg_temp.why('{"s": {"contains": ""}}') AS nothing, pg_temp.why('{"i": {"between": [1, 2]}}') AS between_two;
SELECT pg_temp.why('{"x": 1}') AS unknown, pg_temp.why('{"plain": 1}') AS not_indexed, pg_temp.why('{"o": 1}') AS object, pg_temp.why('{"S": "alpha"}') AS other_case, pg_temp.why('{"is_null": true}') AS operator;
SELECT pg_temp.why('{"i": {"gt": 5, "lt": 5}}') AS inverted, pg_temp.why('{"d": [{"gte": "2024-02-01"}, {"lte": "2024-01-01"}]}') AS dates, pg_temp.why('{"i": {"gte": 5, "lte": 5}}') AS one_value, pg_temp.why('{"s": {"gt": "b", "lt": "a"}}') AS strings;
SELECT pg_temp.why('{"ai": {"gt": 5, "lt": 0}}') AS different_members, pg_temp.why('{"s": {"is_null": "maybe"}}') AS maybe, kg_list_ids('item', '{"filters": {"s": {"is_null": "true"}}, "limit": 1}') -> 'repaired' AS read_as_true;
SELECT kg_list_ids('item', '{"filters": "{\"s\": \"alpha\"}"}');
SELECT kg_list_ids('item', '{"filters": ["s"]}');
SELECT pg_temp.why(jsonb_object_agg('x' || n, 1)) FROM generate_series(1, 33) n;

-- nothing of an attack is SQL, and no document of the other tenant is ever there
SELECT bool_and(pg_temp.got(jsonb_build_object(path, jsonb_build_object(op, attack))) = pg_temp.expected(path, 'string', op, attack)) AS harmless
  FROM unnest(ARRAY['id', 's', 'n', 'as', 'o.p']) path, unnest(ARRAY['eq', 'contains', 'starts_with', 'ends_with']) op,
       unnest(ARRAY['''', ''' OR ''1''=''1', '$1', '"; DROP TABLE kg_entity; --', '%%', '%s%n', '\'';SELECT', 'x'') UNION SELECT 1--']) a(text), LATERAL (SELECT to_jsonb(text)) y(attack);
SELECT pg_temp.why(jsonb_build_object(attack, 1)) FROM unnest(ARRAY['s'' OR ''1''=''1', 's" --', '$1']) attack;

\c - :owner
CALL test.drop('filter_a', 'filter_b');
