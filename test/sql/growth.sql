-- Small input that grows: answered or refused, never out of time or memory.
-- test/growth/run looks for more of it, and measures.
\set VERBOSITY terse
CREATE ROLE grow_admin;
SELECT kg_create_tenant('growth_a');
SELECT kg_grant('growth_a', 'grow_admin', 'admin');
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
    jsonb_object_keys(x #> '{inputSchema,properties,filters,properties}') f WHERE x ->> 'name' = 'list_grown');
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

RESET ROLE;
SELECT kg_drop_tenant('growth_a');
DROP OWNED BY grow_admin;
DROP ROLE grow_admin;
