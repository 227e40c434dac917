-- Small input that needs much time or memory is either processed or refused; no call
-- runs out of time or memory. test/growth/run searches for more such input, and
-- measures.
\i test/data/prelude.sql
CALL test.tenant('growth_a', 'grow_admin admin');
SET ROLE grow_admin;

-- The properties of a type. A schema that refers to itself spells out N^16 of them.
CREATE FUNCTION pg_temp.apply(schema jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN kg_apply_bundle(jsonb_build_object('bundle_name', 'grow', 'version', '1',
    'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'grown', 'schema',
      schema || '{"type": "object", "x-id-field": "id"}' || jsonb_build_object('properties', schema -> 'properties' || '{"id": {"type": "string"}}'))),
    'entities', '[]'::jsonb)) ->> 'changed';
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
CREATE FUNCTION pg_temp.refs(n int, target text) RETURNS jsonb LANGUAGE sql
  RETURN (SELECT jsonb_object_agg('p' || i, jsonb_build_object('$ref', target)) FROM generate_series(1, n) i);
-- the filters that a caller is offered are the indexed properties that are known
CREATE FUNCTION pg_temp.known() RETURNS text LANGUAGE sql
  RETURN (SELECT count(*) || ' to ' || max(length(f) - length(replace(f, '.', ''))) FROM kg_list_tools() t, jsonb_array_elements(t) x,
    jsonb_object_keys(x #> '{inputSchema,properties,filters,properties}') f WHERE x ->> 'name' = 'list_grown' AND f <> 'any');
SELECT n, pg_temp.apply(jsonb_build_object('properties', pg_temp.refs(n, '#/$defs/n'), '$defs', jsonb_build_object('n',
         jsonb_build_object('type', ARRAY['object', 'string'], 'properties', pg_temp.refs(n, '#/$defs/n') || '{"v": {"type": "string", "x-index": true}}'))))
FROM (VALUES (1), (2), (20), (300)) v (n);
-- one that refers to itself once is known 16 levels deep
SELECT pg_temp.apply('{"properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"properties": {"n": {"$ref": "#/$defs/n"}, "v": {"type": "string", "x-index": true}}}}}'); SELECT pg_temp.known();
-- twice: as deep as fits, and the same on every path
SELECT pg_temp.apply('{"properties": {"a": {"$ref": "#/$defs/n"}, "b": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"properties": {
         "a": {"$ref": "#/$defs/n"}, "b": {"$ref": "#/$defs/n"}, "v": {"type": "string", "x-index": true}}}}}'); SELECT pg_temp.known();
-- levels that refer to the next twice, in one value
SELECT pg_temp.apply(jsonb_build_object('properties', '{"p": {"$ref": "#/$defs/l0"}}'::jsonb, '$defs', jsonb_object_agg('l' || i,
         jsonb_build_object('allOf', jsonb_build_array(jsonb_build_object('$ref', '#/$defs/l' || (i + 1)), jsonb_build_object('$ref', '#/$defs/l' || (i + 1)))))
         || '{"l31": {"type": "string", "x-index": true}}')) FROM generate_series(0, 30) i; SELECT pg_temp.known();
-- more than are known at all
SELECT pg_temp.apply(jsonb_build_object('properties', (SELECT jsonb_object_agg('p' || i, true) FROM generate_series(1, 1200) i)));
SELECT pg_temp.apply(jsonb_build_object('properties', pg_temp.refs(300, '#/$defs/e'), '$defs', jsonb_build_object('e',
         jsonb_build_object('enum', (SELECT jsonb_agg('v' || i) FROM generate_series(1, 1000) i)))));
SELECT pg_temp.apply('{"properties": {"v": {"type": "string", "x-index": true}}}'); SELECT pg_temp.known();
SELECT kg_drop_bundle('grow') ->> 'entities';

-- Validation: every step counts, those of patterns and of long numbers too.
RESET ROLE;
SET kg_graph.schema_max_steps = 500000;
SET ROLE grow_admin;
CREATE FUNCTION pg_temp.valid(instance text, schema text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN kg_validate(instance::jsonb, schema::jsonb);
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
SELECT what, pg_temp.valid(instance, schema) FROM (VALUES
  (1, 'references that fan out', '1', (SELECT jsonb_build_object('$ref', '#/$defs/l0', '$defs', jsonb_object_agg('l' || i, jsonb_build_object('anyOf',
     ARRAY[jsonb_build_object('$ref', '#/$defs/l' || (i + 1)), jsonb_build_object('$ref', '#/$defs/l' || (i + 1))])) || '{"l41": {"type": "string"}}')::text FROM generate_series(0, 40) i)),
  (2, 'two thousand patterns', '"a"', (SELECT jsonb_build_object('anyOf', jsonb_agg(jsonb_build_object('pattern', '^(a|b)*x{1,20}' || i || '.{3,90}$')))::text FROM generate_series(1, 2000) i)),
  (3, 'patterns of many states', '"a"', (SELECT jsonb_build_object('anyOf', jsonb_agg(jsonb_build_object('pattern', '(.*a){12}.{40}' || i)))::text FROM generate_series(1, 50) i)),
  (4, 'patterns with word boundaries', '"a"', (SELECT jsonb_build_object('anyOf', jsonb_agg(jsonb_build_object('pattern', '\b((a{1,9}){1,9}){1,9}' || i)))::text FROM generate_series(1, 2000) i)),
  (5, 'nothing, many times', '"a"', '{"pattern": "^((((){60000}){60000}){60000}){60000}$"}'),
  (6, 'long matches', to_jsonb(repeat('a', 22))::text, (SELECT jsonb_build_object('anyOf', jsonb_agg(jsonb_build_object('pattern', '^\b(a|aa)+[^a]' || i)))::text FROM generate_series(1, 20) i)),
  (7, 'keys and patterns', (SELECT jsonb_object_agg(repeat('k', 200) || i, 1)::text FROM generate_series(1, 900) i),
     (SELECT jsonb_build_object('patternProperties', jsonb_object_agg('k' || i || '$', true))::text FROM generate_series(1, 700) i)),
  (8, 'digits', repeat('7', 50000), '{"multipleOf": ' || repeat('3', 25000) || '}'),
  (9, 'digits in an array', '[' || repeat('1e131071, ', 999) || '1]', '{"items": {"multipleOf": ' || repeat('3', 2000) || '}}'),
  (10, 'zeros in an array', '[' || repeat('7e131071, ', 999) || '1]', '{"items": {"anyOf": [{"multipleOf": 7}, {"const": 1}]}}'),
  (11, 'a long constant', (SELECT jsonb_agg(i)::text FROM generate_series(1, 1000) i), (SELECT jsonb_build_object('$defs', jsonb_build_object('c', jsonb_build_object('const', jsonb_agg(i) || '0')),
     'anyOf', (SELECT jsonb_agg('{"allOf": [{"$ref": "#/$defs/c"}]}'::jsonb) FROM generate_series(1, 10000)))::text FROM generate_series(1, 1000) i)),
  (12, 'long strings', to_jsonb(repeat('x', 100000))::text, (SELECT jsonb_build_object('$defs', '{"c": {"minLength": 200000}}'::jsonb, 'anyOf', jsonb_agg('{"$ref": "#/$defs/c"}'::jsonb))::text FROM generate_series(1, 1000)))
) v (n, what, instance, schema) ORDER BY n;
-- exact at any length
SELECT kg_validate('1e131071', '{"multipleOf": 1e-16383}') AS t, kg_validate('3e1000', '{"multipleOf": 3e-100}') AS t, kg_validate('3e1000', '{"multipleOf": 7}') AS f,
       kg_validate('21e1000', '{"multipleOf": 7}') AS t, kg_validate('1e-100', '{"multipleOf": 2e-100}') AS f, kg_validate('0', ('{"multipleOf": ' || repeat('9', 500) || '}')::jsonb) AS t,
       kg_validate((repeat('9', 500) || '0')::jsonb, ('{"multipleOf": ' || repeat('9', 500) || '}')::jsonb) AS t,
       kg_validate((repeat('9', 500) || '1')::jsonb, ('{"multipleOf": ' || repeat('9', 500) || '}')::jsonb) AS f;
SELECT count(*) AS wrong FROM (SELECT (i * 7919 % 1000003 + 1) * power(10::numeric, 23) + i * 65537 AS d, i FROM generate_series(1, 400) i) x,
  LATERAL (VALUES (d * (i * i + 1)), (d * i + 1), (d * 99999999999999999999999999), (d - 1), (d * i * 1e40), (d / 1000)) n (n)
WHERE kg_validate(to_jsonb(n), jsonb_build_object('multipleOf', d)) <> (n % d = 0);
-- the steps are a setting, and what is written about a violation has its limit
RESET ROLE;
SET kg_graph.schema_max_steps = 1000;
SELECT pg_temp.valid('"abc"', '{"pattern": "^[a-z]{3}$", "anyOf": [{"pattern": "x\\b"}, {"pattern": "y\\b"}]}');
RESET kg_graph.schema_max_steps;
SELECT length(kg_validation_errors('{}', jsonb_build_object('$ref', '#/$defs/n', '$defs', jsonb_build_object('n', jsonb_build_object('anyOf',
  ARRAY['{"$ref": "#/$defs/n/anyOf/1"}', '{"const": 1}'::jsonb] || array_agg(jsonb_build_object('const', repeat('c', 5000)))))), jsonb_build_object('output', o))::text) < 3000000 AS short
FROM generate_series(1, 50), unnest(ARRAY['model', 'basic', 'detailed']) o GROUP BY o;
SELECT kg_validation_errors('[1e131071, 12345]', '{"items": {"type": "string"}}') #> '{0,got}' AS got, length(kg_validation_errors('[1e131071, 1e-16000]', '{"items": {"enum": [1e131071, "a"], "maximum": 3e131070}}')::text) < 3000 AS short;

-- Registered tools: the size of the arguments is limited while a template makes
-- them. A sequence ends at the first limit, and its replies are counted as they
-- arrive.
SET ROLE grow_admin;
SELECT kg_apply_bundle('{"bundle_name": "named", "version": "1", "schemas": [{"entity_type": "named", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "text": {"type": "string"}}}}],
  "entities": [{"entity_type": "named", "items": [{"id": "a"}]}]}') -> 'changed' AS changed;
SELECT kg_put_entities('named', jsonb_build_array(jsonb_build_object('id', 'a', 'text', repeat('x', 4000)))) -> 'counts' AS put;
SELECT kg_register_tool(jsonb_build_object('name', 'many', 'version', '1.0.0', 'kind', 'sequence', 'description', 'Many.',
  'input_schema', '{"required": ["x"], "properties": {"x": {"type": "string"}}}'::jsonb, 'operations', (SELECT jsonb_agg(jsonb_build_object('name', 'o' || i, 'tool', 'get_named', 'arguments',
    jsonb_build_object('ids', (SELECT jsonb_agg('{"$arg": "x"}'::jsonb) FROM generate_series(1, 400))))) FROM generate_series(1, 3) i))) ->> 'verdict' AS verdict;
SELECT e ->> 'code' AS code, e ->> 'message' AS message, e ->> 'expected' AS expected FROM kg_call_tool('many', jsonb_build_object('x', repeat('x', 600000))) r, LATERAL (SELECT r #> '{structuredContent,error}' AS e) x;
SELECT jsonb_array_length(r #> '{structuredContent,results,o3,entities}') AS entities FROM kg_call_tool('many', '{"x": "a"}') r;
RESET ROLE;
SET kg_graph.max_reply_bytes = 5000;
SET ROLE grow_admin;
SELECT r #>> '{structuredContent,error,message}' AS message FROM kg_call_tool('many', '{"x": "a"}') r;
RESET ROLE;
RESET kg_graph.max_reply_bytes;
-- what references lead to, and what places are within, is counted once
SET ROLE grow_admin;
SELECT kg_register_tool(jsonb_build_object('name', 'fan', 'version', '1.0.0', 'kind', 'query', 'description', 'A fan of references.',
  'input_schema', jsonb_build_object('properties', (SELECT jsonb_object_agg('x' || i, '{"$ref": "#/$defs/l0"}'::jsonb) FROM generate_series(1, 40) i), '$defs', (SELECT jsonb_object_agg('l' || l, CASE WHEN l = 5 THEN '{"type": "string"}'::jsonb ELSE
    jsonb_build_object('type', 'object', 'properties', (SELECT jsonb_object_agg('p' || i, jsonb_build_object('$ref', '#/$defs/l' || l + 1)) FROM generate_series(1, 40) i)) END) FROM generate_series(0, 5) l)),
  'operation', jsonb_build_object('tool', 'get_named', 'arguments', jsonb_build_object('ids', (SELECT jsonb_agg(jsonb_build_object('$arg', 'x' || i)) FROM generate_series(1, 40) i)))));
SELECT kg_register_tool(jsonb_build_object('name', 'long', 'version', '1.0.0', 'kind', 'query', 'description', 'A long name.', 'input_schema', '{"properties": {"x": {"type": "string"}}}'::jsonb,
  'operation', jsonb_build_object('tool', 'get_named', 'arguments', jsonb_build_object(repeat('k', 100000), (SELECT jsonb_agg('{"$arg": "x"}'::jsonb) FROM generate_series(1, 4000))))));

-- claims that are calls of registered tools have the room of one call together
SELECT kg_register_tool(jsonb_build_object('name', 'one_of', 'version', '1.0.0', 'kind', 'query', 'description', 'One of these.', 'input_schema', '{"required": ["x"], "properties": {"x": {"type": "string"}}}'::jsonb,
  'operation', jsonb_build_object('tool', 'list_named', 'arguments', jsonb_build_object('filters', jsonb_build_object('id', jsonb_build_object('in', (SELECT jsonb_agg('{"$arg": "x"}'::jsonb) FROM generate_series(1, 400)))))))) ->> 'verdict' AS verdict;
SELECT jsonb_path_query_array(kg_verify(jsonb_build_object('claims', (SELECT jsonb_agg(jsonb_build_object('none', jsonb_build_object('tool', 'one_of', 'arguments', jsonb_build_object('x', repeat('x', 1000))))) FROM generate_series(1, 5)))), '$.claims[*].verdict') AS verdicts;
-- a tool that writes publishes what a schema refers to in its place, as far as there is room
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'fan', 'version', '1', 'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'fan', 'schema', jsonb_build_object('type', 'object', 'x-id-field', 'id', 'x-tool-expose', '["create", "update"]'::jsonb,
  'properties', '{"id": {"type": "string"}, "p": {"$ref": "#/$defs/l0"}}'::jsonb, '$defs', (SELECT jsonb_object_agg('l' || l, format('{"anyOf": [%s{"type": "null"}]}', repeat(format('{"$ref": "#/$defs/l%s"}, ', l + 1), 40))::jsonb) FROM generate_series(0, 3) l) || '{"l4": {"type": "string"}}'))))) -> 'changed' AS changed;
SELECT length(kg_list_tools()::text) < 1000000 AS short;

RESET ROLE;
CALL test.drop('growth_a');
