-- JSON Schema: the SQL functions.  The keywords themselves are tested by the
-- official suite (test/suite).
\set VERBOSITY default
CREATE ROLE kg_test_validate;
SET ROLE kg_test_validate;

-- the answer, and the violations
SELECT kg_validate('{"name": "Aurora", "tier": 1}',
  '{"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "minLength": 1}}}');
\set schema '{"$id": "https://example.com/brand", "type": "object", "required": ["name", "code"], "additionalProperties": false, "properties": {"name": {"type": "string", "minLength": 3}, "code": {"type": "string", "pattern": "^[a-z]+$"}, "tier": {"enum": ["premium", "basic"]}, "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}, "uniqueItems": true}, "price": {"anyOf": [{"type": "number", "minimum": 0}, {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "number"}}}]}}, "$defs": {"tag": {"type": "string", "maxLength": 4}}}'
SELECT jsonb_pretty(kg_validation_errors('{"name": "ab", "tier": "premum", "tags": ["good", "too long", 7], "price": {"amount": "5"}, "nmae": 1}', :'schema'));
SELECT jsonb_pretty(kg_validation_errors('{"name": "ab", "tags": ["too long", 7]}', :'schema', '{"output": "basic"}'));
SELECT jsonb_pretty(kg_validation_errors('{"name": "ab", "tags": ["too long", 7], "price": "x"}', :'schema', '{"output": "detailed"}'));
SELECT kg_validation_errors('{}', :'schema', '{"output": "flag"}');
SELECT kg_validation_errors('{"name": "Aurora", "code": "na"}', :'schema'), kg_validation_errors('{"name": "Aurora", "code": "na"}', :'schema', '{"output": "basic"}');
SELECT jsonb_array_length(kg_validation_errors('[1, 2, 3, 4]', '{"items": {"type": "string"}}', '{"max_errors": 2}'));
SELECT kg_validate(NULL, '{}'), kg_validate('1', NULL);

-- roots that are no objects; booleans as schemas
SELECT kg_validate('1', 'true'), kg_validate('1', 'false'), kg_validate('null', '{"type": "null"}'), kg_validate('[]', '{"type": "array"}'), kg_validate('"x"', '{"const": "x"}');
SELECT kg_validation_errors('1', 'false');

-- dialects
SELECT kg_validate('[1, "a"]', '{"items": [{"type": "string"}]}', '{"dialect": "draft-07"}') AS d7,
       kg_validate('[1, "a"]', '{"$schema": "https://json-schema.org/draft/2019-09/schema", "items": [{"type": "integer"}]}') AS d19,
       kg_validate('[1, "a"]', '{"prefixItems": [{"type": "string"}]}') AS d20;
SELECT kg_schema_check('{"$schema": "http://json-schema.org/draft-03/schema#"}');
SELECT kg_schema_check('{}', '{"dialect": "draft-03"}');

-- formats are asserted unless the caller says otherwise
SELECT kg_validate('"no date"', '{"format": "date"}'), kg_validate('"no date"', '{"format": "date"}', '{"format": "annotate"}'), kg_validate('"x"', '{"format": "unknown"}');

-- references
SELECT kg_validate('{"a": {"a": {"b": 1}}}', '{"properties": {"a": {"$ref": "#"}, "b": {"type": "string"}}}');
SELECT kg_validate('5', '{"$ref": "https://example.com/positive"}', '{"resources": {"https://example.com/positive": {"minimum": 1}}}'),
       kg_validate('5', '{"$ref": "positive.json#/$defs/small"}', '{"resources": {"positive.json": {"$defs": {"small": {"maximum": 3}}}}}');
SELECT kg_validation_errors('5', '{"$ref": "small.json"}', '{"resources": {"small.json": {"$id": "https://example.com/small.json", "maximum": 3}}}');
SELECT kg_schema_check('{"$ref": "https://example.com/elsewhere.json"}');
SELECT kg_schema_check('{"$ref": "file:///etc/passwd"}');
SELECT kg_schema_check('{"properties": {"a": {"$ref": "#/$defs/none"}}}');
SELECT kg_schema_check('{"$ref": "https://json-schema.org/draft/2020-12/schema"}');
SELECT kg_schema_check('{"$defs": {"a": {"$id": "x"}, "b": {"$id": "x"}}}');

-- schemas that are none
SELECT kg_schema_check('{"type": "strng"}');
SELECT kg_schema_check('{"properties": {"a": {"minLength": -1}}}');
SELECT kg_schema_check('{"properties": {"a": {"pattern": "(unclosed"}}}');
SELECT kg_schema_check('{"pattern": "\\Z"}');
SELECT kg_schema_check('"no schema"');
SELECT kg_schema_check('{"multipleOf": 0}');
SELECT kg_validate('1', '{"required": "a"}');

-- options
SELECT kg_validate('1', '{}', '{"formt": "assert"}');
SELECT kg_validate('1', '{}', '{"format": "yes"}');
SELECT kg_validate('1', '{}', '[]');
SELECT kg_validation_errors('1', '{}', '{"max_errors": 0}');
SELECT kg_validation_errors('1', '{}', '{"output": "verbose"}');
SELECT kg_validate('1', '{}', '{"resources": {"a": 1}}');

-- exact numbers
SELECT kg_validate('1e400', '{"type": "integer", "multipleOf": 1e399, "minimum": 1e400, "maximum": 1e400}') AS huge,
       kg_validate('0.3', '{"multipleOf": 0.1, "const": 0.30}') AS decimal,
       kg_validate('123456789012345678901234567890.1', '{"exclusiveMaximum": 123456789012345678901234567890.11, "exclusiveMinimum": 123456789012345678901234567890.09}') AS long,
       kg_validate('1.0', '{"type": "integer", "enum": [1]}') AS one,
       kg_validate('1.5', '{"type": "integer"}') AS not_integer,
       kg_validate('-0.0', '{"const": 0, "minimum": 0, "maximum": 0}') AS zero,
       kg_validate('[1, 1.0]', '{"uniqueItems": true}') AS not_unique,
       kg_validate('1e-400', '{"type": "integer"}') AS tiny,
       kg_validate('0.0075', '{"multipleOf": 0.0001}') AS fine,
       kg_validate('0.00751', '{"multipleOf": 0.0001}') AS too_fine;
-- the same as numeric arithmetic, for many pairs
SELECT count(*) FILTER (WHERE kg_validate(to_jsonb(a), jsonb_build_object('multipleOf', b)) <> (a % b = 0)) AS multiple,
       count(*) FILTER (WHERE kg_validate(to_jsonb(a), jsonb_build_object('minimum', b)) <> (a >= b)) AS minimum,
       count(*) FILTER (WHERE kg_validate(to_jsonb(a), jsonb_build_object('exclusiveMaximum', b)) <> (a < b)) AS maximum,
       count(*) FILTER (WHERE kg_validate(to_jsonb(a), jsonb_build_object('const', b)) <> (a = b)) AS const,
       count(*) FILTER (WHERE kg_validate(to_jsonb(a), '{"type": "integer"}') <> (a = trunc(a))) AS integer
FROM (SELECT ((i * 7919) % 20011 - 10000) * 10.0 ^ ((i % 13) - 6) AS a, ((i * 104729) % 997 + 1) * 10.0 ^ ((i % 7) - 3) AS b FROM generate_series(1, 3000) i) n;

-- lengths are in characters
SELECT kg_validate('"häß"', '{"minLength": 3, "maxLength": 3}'), kg_validate('"🐲🐉"', '{"minLength": 2, "maxLength": 2}'), kg_validate('"🐲🐉"', '{"minLength": 3}');

-- patterns: ECMA-262 with the u flag
SELECT p, s, kg_validate(to_jsonb(s), jsonb_build_object('pattern', p))
FROM (VALUES ('^[a-z0-9-~]+$', 'a-~'), ('^\d$', '٣'), ('^\w+$', 'é'), ('^\s$', E'\u00A0'), ('a$', E'a\n'), ('^.$', '🐲'), ('^\u{1F432}$', '🐲'),
  ('^\ud83d\udc32$', '🐲'), ('^\p{Letter}+$', 'Ünï'), ('^(a)?\1b$', 'b'), ('^\cA$', E'\x01'), ('(?<=a)b', 'ab'), ('^(?!no)', 'yes'), ('[^]', 'x'), ('[]', 'x'), ('', '')) AS t(p, s);
-- the table and PCRE2 agree: an empty lookahead leaves the pattern to PCRE2
SELECT count(*) AS tried,
       count(*) FILTER (WHERE kg_validate(to_jsonb(s), jsonb_build_object('pattern', p)) IS DISTINCT FROM
                              kg_validate(to_jsonb(s), jsonb_build_object('pattern', '(?=)(?:' || p || ')'))) AS differ
FROM unnest(ARRAY['a', '^a', 'a$', '^a$', '^$', '$^', '^|b', 'a|b$', '(a|ab)(c|bcd)', 'a*b+c?', '^(ab){2,3}$', '[^a]', '^[^a]*$', '^[à-ÿ]+$', '[\u0800-\uFFFF]', '^[\u{10000}-\u{10FFFF}]$',
  '^[\u007f-\u0801]$', '.', '^.{2}$', '\d\D', '\w\W', '^\s*\S+\s*$', '(a*)*$', '(a*)+b', '(?:)', 'a{0}', '^a{0,2}$', '(^a|b)c', 'a(b$|c)', '[]', '[^]', '(a|^)b', 'x*$']) p,
     unnest(ARRAY['', 'a', 'b', 'ab', 'abc', 'abcd', 'abab', 'ababab', 'abababab', 'aaa', 'bc', 'ac', 'cab', 'é', 'ÿé', 'aé', '漢', 'x漢', '🐲', '🐲a', ' a ', '1a', 'a ', E'a\n', E'\n', E'\u007f', E'\u0800', E'\u0801', E'\u2028', 'b c']) s;

-- usable in CHECK constraints and generated columns
RESET ROLE;
CREATE TABLE kg_test_doc (d jsonb CONSTRAINT d_valid CHECK (kg_validate(d, '{"type": "object", "required": ["id"]}')),
  good boolean GENERATED ALWAYS AS (kg_validate(d, '{"properties": {"id": {"type": "integer"}}}')) STORED);
INSERT INTO kg_test_doc (d) VALUES ('{"id": 1}'), ('{"id": "x"}');
INSERT INTO kg_test_doc (d) VALUES ('{}');
SELECT * FROM kg_test_doc;
-- a schema of each row, more of them than the cache holds
SET kg_graph.schema_cache_size = '64kB';
SELECT count(*) FILTER (WHERE kg_validate(to_jsonb(i), jsonb_build_object('multipleOf', 1 + i % 50, 'title', repeat('x', 500)))) AS valid,
       count(*) FILTER (WHERE i % (1 + i % 50) = 0) AS expected
FROM generate_series(1, 1000) i;
RESET kg_graph.schema_cache_size;
SELECT proname, provolatile, proparallel, proisstrict, prosecdef FROM pg_proc
WHERE proname IN ('kg_validate', 'kg_validation_errors', 'kg_schema_check') ORDER BY proname COLLATE "C";
DROP TABLE kg_test_doc;
DROP ROLE kg_test_validate;

-- the arguments of one expression change from call to call: a parameter is not a
-- constant, and a setting may change within a transaction
CREATE FUNCTION kg_test_v(d jsonb, s jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
  AS 'BEGIN RETURN kg_validate(d, s); END';
CREATE FUNCTION kg_test_e(d jsonb, s jsonb, o jsonb) RETURNS jsonb LANGUAGE plpgsql
  AS 'BEGIN RETURN kg_validation_errors(d, s, o) #- ''{0,schema_path}''; END';
SELECT kg_test_v('1', '{"type": "integer"}'), kg_test_v('1', '{"type": "string"}'), kg_test_v('1', 'true'), kg_test_v('1', 'false');
SELECT s, kg_test_v('1', s) FROM (VALUES ('true'::jsonb), ('false'), ('true'), ('{"const": 2}')) v (s);
SELECT o, kg_test_e('1', '{"type": "string"}', o) FROM (VALUES ('{}'::jsonb), ('{"output": "flag"}'), ('{}')) v (o);
CREATE FUNCTION kg_test_n() RETURNS int LANGUAGE plpgsql
  AS $$ DECLARE x jsonb := '[1, 2, 3]'; BEGIN RETURN jsonb_array_length(kg_validation_errors(x, '{"items": false}')); END $$;
BEGIN;
SELECT kg_test_n();
SET LOCAL kg_graph.max_errors = 2;
SELECT kg_test_n();
ROLLBACK;
DROP FUNCTION kg_test_v, kg_test_e, kg_test_n;

-- the example of docs/validation.md
CREATE TABLE document (
  id   integer PRIMARY KEY,
  data jsonb NOT NULL CONSTRAINT data_is_a_brand CHECK (kg_validate(data, '{
    "type": "object", "required": ["name"], "additionalProperties": false,
    "properties": {
      "name": {"type": "string", "minLength": 1},
      "tier": {"enum": ["premium", "basic"]},
      "since": {"type": "string", "format": "date"}}}')),
  complete boolean GENERATED ALWAYS AS (kg_validate(data, '{"required": ["tier", "since"]}')) STORED
);
INSERT INTO document VALUES (1, '{"name": "Aurora", "tier": "basic"}');
INSERT INTO document VALUES (2, '{"name": "Borealis", "tier": "premum"}');
UPDATE document SET data = data || '{"since": "2026-02-30"}';
UPDATE document SET data = data || '{"since": "2026-02-28"}';
SELECT * FROM document;
-- a constraint on a table with rows checks them, and COPY is checked too
ALTER TABLE document ADD CHECK (kg_validate(data, '{"properties": {"name": {"maxLength": 3}}}'));
COPY document (id, data) FROM STDIN;
3	{"name": ""}
\.
DROP TABLE document;
