-- The weak points of the system whose bundles and tools ours speak (its own
-- list, by number): each with a test that shows ours right.
\set VERBOSITY terse
CREATE ROLE weak_points LOGIN;
CREATE ROLE weak_points_b LOGIN;
DO $$ BEGIN
  PERFORM kg_create_tenant('weak'); PERFORM kg_grant('weak', 'weak_points', 'write');
  PERFORM kg_create_tenant('weak b'); PERFORM kg_grant('weak b', 'weak_points_b', 'write');
END $$;
CREATE FUNCTION weak(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text;
  detail text;
  d jsonb;
BEGIN
  EXECUTE statement INTO answer;
  RETURN coalesce(answer, 'NULL');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  d := CASE WHEN detail LIKE '{%' THEN detail::jsonb END;
  RETURN format('%s %s %s', SQLSTATE, d ->> 'code', coalesce(d ->> 'path', d -> 'errors' -> 0 ->> 'path'));
END
$$;
SET ROLE weak_points;
CREATE TEMP TABLE schemas AS SELECT '{
  "part": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-tool-expose": ["list", "get", "list_ids"], "properties": {
    "id": {"type": "string"}, "name": {"type": "string", "x-index": true, "description": "what it is called"},
    "size": {"type": "number", "x-index": true}, "serial": {"type": "integer", "x-index": true}, "big": {"type": "boolean", "x-index": true},
    "grade": {"type": "string", "enum": ["top", "middle", "low"], "x-index": true},
    "made": {"type": ["string", "null"], "format": "date", "x-index": true},
    "odd name/~": {"type": "string", "x-index": true},
    "tags": {"type": "array", "items": {"type": "string"}, "x-index": true},
    "code": {"type": "string", "x-index": true},
    "inside": {"type": "string", "x-ref": "part", "x-relation": "INSIDE"},
    "next_to": {"type": "array", "items": {"type": "string", "x-ref": "part", "x-ref-field": "code"}, "x-relation": "NEXT_TO"},
    "note": {"type": "string", "x-content-type": "text/markdown"},
    "parts": {"type": "integer", "x-derived": {"count": "INSIDE", "direction": "incoming"}}}, "required": ["id"], "additionalProperties": false}}'::jsonb -> 'part' AS part;
CREATE FUNCTION pg_temp.bundle(items jsonb, schema jsonb, name text DEFAULT 'weak') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', name, 'version', '1', 'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'part', 'schema', schema)),
    'entities', jsonb_build_array(jsonb_build_object('entity_type', 'part', 'items', items))) $$;
CREATE FUNCTION pg_temp.ids(arguments text) RETURNS text LANGUAGE sql AS $$ SELECT (kg_list_ids('part', arguments::jsonb) -> 'items' -> 0 ->> 'x') IS NULL AND true THEN '' $$;
