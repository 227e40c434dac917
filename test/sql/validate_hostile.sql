-- Hostile schemas and instances: each call ends quickly, with the error of a named
-- limit or with a result.
\set VERBOSITY terse
SET statement_timeout = '2min';
-- Processor time of this backend, which is the same beside other work; not measured where there is no /proc.
CREATE FUNCTION pg_temp.seconds() RETURNS float8 LANGUAGE sql AS
$$ SELECT CASE WHEN pg_stat_file('/proc/self/schedstat', true) IS NULL THEN 0
  ELSE split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e9 END $$;
CREATE FUNCTION pg_temp.try(instance text, schema jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  started float8 := pg_temp.seconds();
  answer text;
  hint text;
BEGIN
  BEGIN
    answer := kg_validate(instance::jsonb, schema)::text;
  EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    answer := SQLSTATE || ' ' || left(SQLERRM, 100) || ' ' || left(hint, 100);
  END;
  IF pg_temp.seconds() - started > 1 THEN
    answer := answer || ' TOO LATE: ' || (pg_temp.seconds() - started);
  END IF;
  RETURN answer;
END $$;
CREATE FUNCTION pg_temp.try(instance jsonb, schema jsonb) RETURNS text LANGUAGE sql AS
$$ SELECT pg_temp.try(instance::text, schema) $$;
-- n nested {"key": ...} around inner
CREATE FUNCTION pg_temp.nest_text(open text, inner_text text, close text, n int) RETURNS text LANGUAGE sql AS
$$ SELECT repeat(open, n) || inner_text || repeat(close, n) $$;
CREATE FUNCTION pg_temp.nest(open text, inner_text text, close text, n int) RETURNS jsonb LANGUAGE sql AS
$$ SELECT (repeat(open, n) || inner_text || repeat(close, n))::jsonb $$;

-- references in a circle
SELECT pg_temp.try('1'::text, '{"$ref": "#"}') AS itself;
SELECT pg_temp.try('1'::text, '{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}') AS two;
SELECT pg_temp.try('1'::text, '{"$dynamicAnchor": "x", "$dynamicRef": "#x"}') AS dynamic;
SELECT pg_temp.try('1'::text, '{"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": true, "$recursiveRef": "#"}') AS recursive;
SELECT pg_temp.try('1'::text, '{"$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}') AS paradox;

-- exponential combinations
SELECT pg_temp.try('1'::text, (SELECT jsonb_build_object('$ref', '#/$defs/d40', '$defs', jsonb_object_agg('d' || i,
  CASE WHEN i = 0 THEN '{"type": "string"}'::jsonb ELSE jsonb_build_object('anyOf', jsonb_build_array(r, r)) END))
  FROM (SELECT i, jsonb_build_object('$ref', '#/$defs/d' || (i - 1)) AS r FROM generate_series(0, 40) i) s)) AS any_of;
SELECT pg_temp.try('1'::text, (SELECT jsonb_build_object('$ref', '#/$defs/d40', '$defs', jsonb_object_agg('d' || i,
  CASE WHEN i = 0 THEN '{"type": "integer"}'::jsonb ELSE jsonb_build_object('allOf', jsonb_build_array(r, r)) END))
  FROM (SELECT i, jsonb_build_object('$ref', '#/$defs/d' || (i - 1)) AS r FROM generate_series(0, 40) i) s)) AS all_of;
SELECT pg_temp.try(pg_temp.nest('{"a":', '1', '}', 60), '{"$defs": {"n": {"properties": {"a": {"oneOf": [{"$ref": "#/$defs/n"}, {"allOf": [{"$ref": "#/$defs/n"}, {"type": "string"}]}]}}}}, "$ref": "#/$defs/n"}') AS one_of;
SELECT pg_temp.try(pg_temp.nest('{"a":', '1', '}', 40), '{"$defs": {"n": {"anyOf": [{"properties": {"a": {"$ref": "#/$defs/n"}}, "unevaluatedProperties": false}, {"properties": {"a": {"$ref": "#/$defs/n"}}, "unevaluatedProperties": false}]}}, "$ref": "#/$defs/n"}') AS unevaluated;

-- deep instances and schemas; beyond what jsonb itself reads, it says so
SELECT pg_temp.try(pg_temp.nest_text('[', '', ']', 10000), '{"items": {"$ref": "#"}}') AS deeper_array;
SELECT pg_temp.try(pg_temp.nest_text('{"a":', '1', '}', 10000), '{"additionalProperties": {"$ref": "#"}}') AS deeper_object;
SELECT pg_temp.try(pg_temp.nest('[', '', ']', 3000), '{"items": {"$ref": "#"}}') AS deep_array;
SELECT pg_temp.try(pg_temp.nest('{"a":', '1', '}', 3000), '{"additionalProperties": {"$ref": "#"}}') AS deep_object;
SELECT pg_temp.try(pg_temp.nest('[', '', ']', 3000), '{"not": {"const": 1}, "type": "array"}') AS deep_unread;
SELECT left(pg_temp.try('1'::text, pg_temp.nest('{"not":', '{}', '}', 4000)), 60) AS deep_schema;
SELECT pg_temp.try(jsonb_build_array(pg_temp.nest('[', '', ']', 2000), pg_temp.nest('[', '', ']', 2000)), '{"uniqueItems": true}') AS deep_equal;

-- much of everything
SELECT pg_temp.try('"v99999"'::text, (SELECT jsonb_build_object('enum', jsonb_agg('v' || i)) FROM generate_series(1, 100000) i)) AS giant_enum;
SELECT pg_temp.try((SELECT jsonb_agg(i) FROM generate_series(1, 200000) i), '{"uniqueItems": true}') AS unique_numbers;
SELECT pg_temp.try((SELECT jsonb_agg(jsonb_build_object('a', i, 'b', 'x')) FROM generate_series(1, 50000) i), '{"uniqueItems": true}') AS unique_objects;
SELECT pg_temp.try((SELECT jsonb_object_agg('k' || i, i) FROM generate_series(1, 20000) i), (SELECT jsonb_build_object('properties', jsonb_object_agg('k' || i, '{"type": "integer"}'::jsonb), 'additionalProperties', false) FROM generate_series(1, 20000) i)) AS many_properties;
SELECT pg_temp.try('1'::text, (SELECT jsonb_build_object('allOf', jsonb_agg('{"type": "integer"}'::jsonb)) FROM generate_series(1, 200000) i)) AS too_many_subschemas;
SELECT pg_temp.try('1'::text, jsonb_build_object('description', repeat('x', 9000000))) AS too_large;
SELECT pg_temp.try((SELECT jsonb_agg(i) FROM generate_series(1, 3000) i), (SELECT jsonb_build_object('items', jsonb_build_object('anyOf', jsonb_agg(jsonb_build_object('not', jsonb_build_object('type', 'integer'))))) FROM generate_series(1, 5000) i)) AS product;
SELECT pg_temp.try('1e131071'::text, '{"multipleOf": 1e-16000}') AS huge_numbers;

-- patterns
SELECT pg_temp.try(to_jsonb(repeat('a', 50) || 'b'), '{"pattern": "^(a+)+$"}') AS nested_repeat;
SELECT pg_temp.try(to_jsonb(repeat('a', 100000) || 'b'), '{"pattern": "^(a|a)*$"}') AS ambiguous;
SELECT pg_temp.try(to_jsonb(repeat('a', 50) || 'b'), '{"pattern": "^(?=(a+)+$)"}') AS lookahead;
SELECT pg_temp.try(to_jsonb(repeat('a', 5000)), '{"pattern": "(.*)(.*)(.*)(.*)\\1\\2\\3b"}') AS backreference;
SELECT pg_temp.try('"x"'::text, jsonb_build_object('pattern', repeat('(', 3000) || repeat(')', 3000))) AS deep_pattern;
SELECT pg_temp.try('"x"'::text, jsonb_build_object('pattern', repeat('a', 100000))) AS long_pattern;
SELECT pg_temp.try('"x"'::text, '{"pattern": "((a{1,100}){1,100}){1,100}"}') AS multiplied;
SELECT pg_temp.try('"x"'::text, '{"pattern": "(?:a|b|c|d|e|f|g)*a(?:a|b|c|d|e|f|g){14}$"}') AS many_states;
SELECT pg_temp.try((SELECT jsonb_object_agg('k' || i, 1) FROM generate_series(1, 2000) i), (SELECT jsonb_build_object('patternProperties', jsonb_object_agg('(?=.*' || i || ')k', true)) FROM generate_series(1, 300) i)) AS many_patterns;
SELECT pg_temp.try(to_jsonb(repeat('a', 60000) || '@b'), '{"format": "email"}') AS long_email;
SELECT pg_temp.try(to_jsonb('http://' || repeat('a', 1000000)), '{"format": "uri"}') AS long_uri;
SELECT pg_temp.try(to_jsonb(repeat('(', 5000)), '{"format": "regex"}') AS deep_regex;

-- cancel works inside a validation
SET kg_graph.schema_max_steps = 2000000000;
SET statement_timeout = '300ms';
SELECT kg_validate('1', (SELECT jsonb_build_object('$ref', '#/$defs/d60', '$defs', jsonb_object_agg('d' || i,
  CASE WHEN i = 0 THEN '{"type": "string"}'::jsonb ELSE jsonb_build_object('anyOf', jsonb_build_array(r, r)) END))
  FROM (SELECT i, jsonb_build_object('$ref', '#/$defs/d' || (i - 1)) AS r FROM generate_series(0, 60) i) s));
RESET statement_timeout;
RESET kg_graph.schema_max_steps;
-- errors of an exponential schema are collected within the same limits
SELECT kg_validation_errors(pg_temp.nest('{"a":', '1', '}', 30), '{"$defs": {"n": {"properties": {"a": {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}}, "not": {"const": 1}}}, "$ref": "#/$defs/n"}') IS NOT NULL;
-- a schema that refers to itself from a branch: branches of branches of branches are not told
SELECT jsonb_array_length(e) AS errors, length(e::text) < 1000 AS short FROM kg_validation_errors('true', '{"const": 1, "oneOf": [{"oneOf": [true, true]}, {"oneOf": [true, {"oneOf": [true, true]}]}, {"$ref": "#"}]}') e;
SELECT jsonb_array_length(e) AS errors, length(e::text) < 100000 AS short FROM kg_validation_errors('true', '{"const": 1, "anyOf": [{"type": "string"}, {"$ref": "#"}]}') e;
SELECT jsonb_array_length(e) AS errors, length(e::text) < 1000 AS short FROM kg_validation_errors('true', '{"const": {"a": true}, "oneOf": [{"oneOf": [true, true]}, {"oneOf": [{"$ref": "#"}, {"a": 1}, true]}, {"$ref": "#"}]}') e;

-- what PCRE2 and JavaScript take is taken, however long it is
CREATE FUNCTION pg_temp.matches(pattern text, VARIADIC texts text[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT string_agg(kg_validate(to_jsonb(t), jsonb_build_object('pattern', pattern))::text, ' ') FROM unnest(texts) t);
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
SELECT string_agg('a' || n, '|') AS names FROM generate_series(1, 3000) n \gset
SELECT pg_temp.matches('^(?:' || :'names' || ')$', 'a1', 'a3000', 'a3001') AS by_table, pg_temp.matches('^(?:' || :'names' || ')(?!x)', 'a1', 'a3000', 'b') AS by_pcre2, pg_temp.matches(:'names' || '|(?!x)y', 'y', 'xa3000', 'b') AS at_the_root;
SELECT pg_temp.matches('^(?!x)([a-zA-Z0-9._-]{0,63}@){40}$', repeat('a@', 40), repeat('a@', 39), repeat('@', 40), repeat(repeat('a', 64) || '@', 40)) AS classes_repeated;
SELECT pg_temp.matches(repeat('a', 28000), repeat('a', 28000), repeat('a', 27999)) AS long_literal, pg_temp.matches(repeat('é', 16384), repeat('é', 16384), 'é') AS two_bytes_each;
SELECT pg_temp.matches('(?<=a|bc)d', 'ad', 'bcd', 'xcd') AS behind, pg_temp.matches('(?<!a|bc)d', 'ad', 'bcd', 'xcd') AS not_behind;
SELECT p AS pattern, pg_temp.matches(p, 'aaabb', 'yz', '😀😀', 'ababxx', '') AS matches FROM unnest(array['^(?=a|b)*a(?:a*)*(?:a|b){2,3}(?!c)$', '^(a|b)?(?!c)(?:x|y)z$', '^(?!c)(?:)*[^\s\S]*\u{1F600}{2}$', '^(?!c)(?:ab){2}\1?(x)\1$', '^(?!c)(?:a?|b)*?$', '^(?!c)(?:(?:a|b)|(?:x|y))+$', '^(?!c)[^]?$', '^(?!c)(?:[])?$']) p;
-- limits say which they are
SELECT pg_temp.matches(repeat('(', 3000) || 'a' || repeat(')', 3000), 'a') AS groups, pg_temp.matches(repeat('(', 3001) || 'a' || repeat(')', 3001), 'a') AS more;
SELECT pg_temp.matches(repeat('(', 299) || 'a(?!b)' || repeat(')', 299), 'a', 'ab') AS groups, pg_temp.matches(repeat('(', 301) || 'a(?!b)' || repeat(')', 301), 'a') AS more;
SELECT pg_temp.matches(repeat('a', 32769), 'a') AS bytes, pg_temp.matches(repeat('a', 32768), 'a') AS compiled, pg_temp.matches('a{65536}', 'a') AS repetition;
-- a pattern that a schema has many times is compiled once
SELECT kg_schema_check((SELECT jsonb_build_object('properties', jsonb_object_agg('p' || n, '{"pattern": "^(?:a|b|c|d|e|f|g)*a(?:a|b|c|d|e|f|g){10}$"}'::jsonb)) FROM generate_series(1, 1000) n)) AS the_same;
SELECT pg_temp.try('"x"'::text, (SELECT jsonb_build_object('properties', jsonb_object_agg('p' || n, jsonb_build_object('pattern', '^(?:a|b|c|d|e|f|g)*a(?:a|b|c|d|e|f|g){10}' || n || '$'))) FROM generate_series(1, 1000) n)) AS others;
