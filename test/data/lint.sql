-- pg_temp.lint(tools): what clients, and the APIs of vendors, refuse in a list of tools.
CREATE FUNCTION pg_temp.lint(tools jsonb) RETURNS TABLE (tool text, fault text, at text, node jsonb) LANGUAGE sql AS $$
WITH RECURSIVE tool AS (
  SELECT t, t ->> 'name' AS name FROM jsonb_array_elements(tools) t),
node(name, output, at, v) AS (
  SELECT name, o, k, t -> k FROM tool, (VALUES ('inputSchema', false), ('outputSchema', true)) s(k, o) WHERE t ? k
  UNION ALL
  SELECT name, output, at || '.' || k, c FROM node, LATERAL (
    SELECT k, c FROM jsonb_each(v) m(k, value), LATERAL (
      SELECT value AS c WHERE jsonb_typeof(value) = 'object' UNION ALL SELECT e FROM jsonb_array_elements(CASE jsonb_typeof(value) WHEN 'array' THEN value ELSE '[]' END) e) x
     WHERE k IN ('items', 'prefixItems', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'propertyNames', 'contains', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else')
    UNION ALL
    SELECT k || '.' || p, s FROM jsonb_each(v) m(k, value), jsonb_each(CASE jsonb_typeof(value) WHEN 'object' THEN value ELSE '{}' END) n(p, s)
     WHERE k IN ('properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions')) x
   WHERE jsonb_typeof(v) = 'object')
SELECT name, 'a name twice', NULL, NULL::jsonb FROM tool GROUP BY name HAVING count(*) > 1
UNION ALL SELECT name, 'a name of other characters', NULL, NULL FROM tool WHERE name !~ '^[a-zA-Z0-9_.-]{1,64}$'
UNION ALL SELECT name, 'no description', NULL, NULL FROM tool WHERE coalesce(t ->> 'description', '') = ''
UNION ALL SELECT name, 'no object', k, t -> k FROM tool, unnest(ARRAY['inputSchema', 'outputSchema']) k WHERE t ? k AND t -> k -> 'type' IS DISTINCT FROM '"object"'
UNION ALL SELECT name, 'an argument of other characters', p, NULL FROM tool, jsonb_object_keys(t #> '{inputSchema,properties}') p WHERE p !~ '^[a-zA-Z0-9_.-]{1,64}$'
UNION ALL SELECT name, 'a combinator at the root', k, NULL FROM tool, jsonb_object_keys(t -> 'inputSchema') k WHERE k IN ('oneOf', 'anyOf', 'allOf', 'not', 'enum')
UNION ALL SELECT name, 'an array without items', at, v FROM node
 WHERE jsonb_typeof(v) = 'object' AND (v -> 'type' @> '"array"') AND jsonb_typeof(v -> 'items') IS DISTINCT FROM 'object'
-- what a reply and an error have, at the root of an output schema, is declared beside it
UNION ALL SELECT name, 'required, not declared: ' || r, at, v FROM node, jsonb_array_elements_text(CASE jsonb_typeof(v -> 'required') WHEN 'array' THEN v -> 'required' ELSE '[]' END) r
 WHERE jsonb_typeof(v) = 'object' AND NOT coalesce(v -> 'properties' ? r, false) AND NOT (output AND at = 'outputSchema.anyOf')
$$;
