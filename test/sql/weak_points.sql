-- The weak points of the system whose bundle and tool formats kg_graph uses, in the
-- order of their harm. For each, a test shows that kg_graph does not have it.
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
-- the ids that a list finds, and how many there are
CREATE FUNCTION weak_ids(arguments jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT format('%s of %s', (SELECT string_agg(i ->> 'id', ' ') FROM jsonb_array_elements(r -> 'items') i), r ->> 'total')
    FROM kg_list('part', arguments || '{"fields": ["id"]}') r
$$;
CREATE FUNCTION weak_bundle(items jsonb, changes jsonb DEFAULT '{}', name text DEFAULT 'weak', type text DEFAULT 'part') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', name, 'version', '1', 'schemas', jsonb_build_array(jsonb_build_object('entity_type', type, 'schema',
    '{"type": "object", "x-id-field": "id", "x-label-field": "name", "x-tool-expose": ["list", "get", "list_ids"], "required": ["id"], "additionalProperties": false}'
    || jsonb_build_object('properties', replace('{
    "id": {"type": "string"}, "name": {"type": "string", "x-index": true, "description": "what it is called"},
    "size": {"type": "number", "x-index": true}, "serial": {"type": "integer", "x-index": true}, "big": {"type": "boolean", "x-index": true},
    "grade": {"type": "string", "enum": ["top", "middle", "low"], "x-index": true},
    "made": {"type": ["string", "null"], "format": "date", "x-index": true},
    "odd name/~''": {"type": "string", "x-index": true},
    "tags": {"type": "array", "items": {"type": "string"}, "x-index": true},
    "code": {"type": "string", "x-index": true},
    "inside": {"type": "string", "x-ref": "part", "x-relation": "INSIDE"},
    "next_to": {"type": "array", "items": {"type": "string", "x-ref": "part", "x-ref-field": "code", "x-relation": "NEXT_TO"}},
    "note": {"type": "string", "x-content-type": "text/markdown"},
    "parts": {"type": "integer", "x-derived": {"count": "INSIDE", "direction": "incoming"}}}', '"x-ref": "part"', format('"x-ref": "%s"', type))::jsonb || changes))),
    'entities', jsonb_build_array(jsonb_build_object('entity_type', type, 'items', items)))
$$;
SET ROLE weak_points;
DO $$ BEGIN PERFORM kg_apply_bundle(weak_bundle('[
  {"id": "a", "name": "Axle", "size": 9, "serial": 9007199254740993, "big": true, "grade": "low", "made": "2026-01-31", "odd name/~''": "odd", "tags": ["x", "y"], "code": "A"},
  {"id": "b", "name": "Bolt", "size": 10, "serial": 9007199254740992, "big": false, "grade": "top", "made": null, "tags": ["y"], "code": "B", "inside": "a"},
  {"id": "c", "name": "Cog", "size": 85.5, "serial": 3, "big": false, "grade": "middle", "made": "2025-12-01", "tags": [], "code": "C", "inside": "a", "next_to": ["A", "B"]}]')); END $$;

-- 1. Referential integrity: inserts, updates, deletes, within arrays, through other fields.
SELECT weak($$INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('weak', 'part', '{"id": "d", "inside": "nobody"}') RETURNING 1$$),
       weak($$INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('weak', 'part', '{"id": "d", "next_to": ["A", "Z"]}') RETURNING 1$$),
       weak($$UPDATE kg_entity SET data = data || '{"inside": "nobody"}' WHERE entity_id = 'b' RETURNING 1$$),
       weak($$UPDATE kg_entity SET data = data || '{"code": "AA"}' WHERE entity_id = 'a' RETURNING 1$$),
       weak($$DELETE FROM kg_entity WHERE entity_id = 'a' RETURNING 1$$);
SELECT e ->> 'path' AS path, e ->> 'id' AS id, e ->> 'got' AS got, e ->> 'code' AS code FROM jsonb_array_elements(kg_apply_bundle(weak_bundle('[
  {"id": "d", "inside": "e", "next_to": ["F"]}, {"id": "e", "inside": "g"}]'), '{"dry_run": true}') -> 'errors') e ORDER BY e ->> 'path' COLLATE "C";

-- 2. An export is complete, however many there are, and applying it changes nothing.
SELECT kg_apply_bundle(weak_bundle((SELECT jsonb_agg(jsonb_build_object('id', 'n' || n, 'name', 'number ' || n)) FROM generate_series(1, 1234) n), name => 'many', type => 'many')
  ) -> 'entities' AS applied;
SELECT jsonb_array_length(kg_export_bundle('many') -> 'entities' -> 0 -> 'items') AS exported, kg_apply_bundle(kg_export_bundle('many')) - 'warnings' AS again;
-- In parts it is the same, an empty type's too; what does not exist has none.
SELECT part, name, count(*), sum(jsonb_array_length(value)) FILTER (WHERE part <> 'bundle') AS members FROM kg_export_bundle_parts('many') GROUP BY 1, 2 ORDER BY part COLLATE "C";
SELECT bundle, (SELECT value FROM kg_export_bundle_parts(bundle) WHERE part = 'bundle')
       || jsonb_build_object('entities', (SELECT COALESCE(jsonb_agg(jsonb_build_object('entity_type', name, 'items', items) ORDER BY first), '[]')
            FROM (SELECT name, COALESCE(jsonb_agg(item ORDER BY n, place) FILTER (WHERE item IS NOT NULL), '[]') AS items, min(n) AS first
                    FROM ROWS FROM (kg_export_bundle_parts(bundle)) WITH ORDINALITY p(part, name, value, n) LEFT JOIN LATERAL jsonb_array_elements(value) WITH ORDINALITY i(item, place) ON true WHERE part = 'items' GROUP BY name) t),
          'edges', (SELECT COALESCE(jsonb_agg(edge ORDER BY n, place), '[]') FROM ROWS FROM (kg_export_bundle_parts(bundle)) WITH ORDINALITY p(part, name, value, n), jsonb_array_elements(CASE part WHEN 'edges' THEN value ELSE '[]' END) WITH ORDINALITY e(edge, place)))
       = kg_export_bundle(bundle) AS same
  FROM kg_bundle ORDER BY bundle COLLATE "C";
SELECT weak($$SELECT count(*) FROM kg_export_bundle_parts('man')$$), weak($$SELECT kg_export_bundle_parts('man')$$);

-- 3. Numbers sort and compare as numbers, exactly; equality of numbers and booleans; in with large integers.
SELECT weak_ids('{"sort": [{"field": "size", "order": "asc"}]}') AS sorted, weak_ids('{"filters": {"size": {"gt": 9.5}}}') AS range, weak_ids('{"filters": {"size": 85.5}}') AS equal,
       weak_ids('{"filters": {"big": true}}') AS big, weak_ids('{"filters": {"serial": 9007199254740993}}') AS exact, weak_ids('{"filters": {"serial": {"in": [9007199254740992, 3]}}}') AS large_in;
SELECT weak_ids('{"filters": {"size": "85.5", "big": "false"}}') AS from_text, kg_list('part', '{"filters": {"size": "85.5"}}') -> 'repaired' IS NOT NULL AS said;
-- enums sort as declared, desc is first declared first; missing values come last either way
SELECT weak_ids('{"sort": [{"field": "grade", "order": "desc"}]}') AS grades, weak_ids('{"sort": [{"field": "made", "order": "asc"}]}') AS made_asc, weak_ids('{"sort": [{"field": "made", "order": "desc"}]}') AS made_desc;

-- 4. Nothing is broadened, overwritten or clamped in silence.
SELECT weak($$SELECT weak_ids('{"filters": {"size": {"above": 3}}}')$$), weak($$SELECT weak_ids('{"limit": 501}')$$), weak($$SELECT weak_ids('{"filter": {"size": 3}}')$$),
       weak($$INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('weak', 'part', '{"id": "a"}') RETURNING 1$$);

-- 5. What is the caller's fault is said to be the caller's: never an internal error.
SELECT weak($$SELECT kg_list('prt')$$), weak($$SELECT weak_ids('{"filters": {"size": {"gt": []}}}')$$), weak_ids('{"filters": {"odd name/~''": "odd"}}') AS odd_name,
       weak($$SELECT weak_ids('{"filters": {"name": "\u0000"}}')$$), weak(format('SELECT kg_apply_bundle(%L)', jsonb_set(weak_bundle('[]', name => 'long', type => 'long'), '{version}', to_jsonb(repeat('1', 100000)))) || ' -> ''revision'''),
       weak(format('SELECT kg_apply_bundle(%L)', weak_bundle('[{"id": "q"}, {"id": "q"}]', name => 'twice', type => 'twice')));

-- 6. A bad value cannot be stored, so it cannot poison a range.
SELECT weak($$INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('weak', 'part', '{"id": "d", "made": "31.01.2026"}') RETURNING 1$$), weak_ids('{"filters": {"made": {"gte": "2026-01-01"}}}') AS range;

-- 7. A schema change revalidates what is stored; types that go take their tools and entities along.
SELECT weak(format('SELECT kg_apply_bundle(%L, %L)', weak_bundle('[]', '{"size": {"type": "number", "maximum": 50, "x-index": true}}') - 'entities' || '{"entities": []}', '{"mode": "merge"}'));
SELECT count(*) FILTER (WHERE bundle = 'many') AS tools FROM kg_tool;
SELECT kg_drop_bundle('many') -> 'changed' AS dropped;
SELECT (SELECT count(*) FROM kg_tool WHERE bundle = 'many') AS tools, (SELECT count(*) FROM kg_entity_type WHERE bundle = 'many') AS types, (SELECT count(*) FROM kg_entity WHERE bundle = 'many') AS entities,
       (SELECT count(*) FROM kg_index_key k WHERE NOT EXISTS (SELECT FROM kg_entity e WHERE e.tenant = k.tenant AND e.node = k.node)) AS keys,
       (SELECT count(*) FROM kg_term k WHERE NOT EXISTS (SELECT FROM kg_entity e WHERE e.tenant = k.tenant AND e.node = k.node)) AS terms;
SELECT t ->> 'name' AS tool FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' ~ 'many';

-- 8. Every index starts with the tenant, or with a number that belongs to one or hardly to two; a total need not be counted exactly.
RESET ROLE;
SELECT indexrelid::regclass AS not_led_by_tenant FROM pg_index i JOIN pg_class c ON c.oid = indrelid
  JOIN pg_depend d ON d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid AND extname = 'kg_graph'
 WHERE EXISTS (SELECT FROM pg_attribute WHERE attrelid = indrelid AND attname = 'tenant' AND NOT attisdropped)
   AND pg_get_indexdef(indexrelid, 1, true) <> 'tenant' ORDER BY 1;
SET kg_graph.max_total = 2;
SET ROLE weak_points;
SELECT kg_list('part', '{"limit": 1}') -> 'total' AS total, kg_list('part', '{"limit": 1}') -> 'total_at_least' AS at_least;
RESET ROLE;
RESET kg_graph.max_total;
SET ROLE weak_points;

-- 9. A tool's input schema names its fields, enums and bounds; every array says what its items are.
SELECT s #> '{properties,filters,properties,grade}' IS NOT NULL AS field, s::text ~ '"top", "middle", "low"' AS enum, s #>> '{properties,limit,minimum}' AS min, s #>> '{properties,limit,maximum}' AS max,
       s #>> '{properties,limit,default}' AS def, s ->> 'additionalProperties' AS more, s #>> '{properties,filters,additionalProperties}' AS more_filters, s::text ~ 'what it is called' AS described
  FROM (SELECT t -> 'inputSchema' AS s FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'list_part') s;
WITH RECURSIVE node(tool, v) AS (
  SELECT t ->> 'name', t -> k FROM jsonb_array_elements(kg_list_tools()) t, unnest(ARRAY['inputSchema', 'outputSchema']) k
  UNION ALL
  SELECT tool, c FROM node, LATERAL (SELECT value AS c FROM jsonb_each(CASE jsonb_typeof(v) WHEN 'object' THEN v ELSE '{}' END)
    UNION ALL SELECT value FROM jsonb_array_elements(CASE jsonb_typeof(v) WHEN 'array' THEN v ELSE '[]' END)) x)
SELECT DISTINCT tool AS array_without_items, v FROM node
 WHERE jsonb_typeof(v) = 'object' AND v ->> 'type' = 'array' AND NOT v ?| ARRAY['items', 'prefixItems'] ORDER BY 1, 2;

-- 10. Nullable types and references in arrays.
SELECT weak_ids('{"filters": {"made": {"is_null": true}}}') AS without, kg_get('part', 'b') -> 'made' AS made;
SELECT s.entity_id AS source, t.entity_id AS target, d.property FROM kg_edge d JOIN kg_entity s ON s.node = d.source JOIN kg_entity t ON t.node = d.target ORDER BY 1, 2, 3;

-- 11. Locking and optimistic concurrency (the races are in test/specs).
SELECT weak(format('SELECT kg_apply_bundle(%L, %L)', kg_export_bundle('weak'), '{"expected_revision": 7}')), (kg_apply_bundle(kg_export_bundle('weak'), '{"expected_revision": 1}') - 'warnings') -> 'changed' AS changed;
SELECT version FROM kg_entity WHERE entity_id = 'a';

-- 12. Isolation does not depend on a query that remembers the tenant.
SET ROLE weak_points_b;
SELECT (SELECT count(*) FROM kg_entity) AS entities, (SELECT count(*) FROM kg_edge) AS edges, (SELECT count(*) FROM kg_index_key) AS keys, weak($$SELECT kg_list('part')$$), weak($$SELECT kg_export_bundle('weak')$$);
SET ROLE weak_points;

-- 13. Errors: all of them, for machines, in our words.
SELECT e ->> 'code' AS code, e ->> 'path' AS path, e ->> 'keyword' AS keyword, e ->> 'got' AS got, e ->> 'expected' AS expected
  FROM jsonb_array_elements(kg_apply_bundle(weak_bundle('[{"id": "d", "size": "big", "grade": "Top", "tags": "x", "colour": "red"}]'), '{"dry_run": true}') -> 'errors') e ORDER BY e ->> 'path' COLLATE "C";

-- 14. Derived fields are computed and refused from authors; x-ref-field resolves; x-content-type is kept.
SELECT kg_get('part', 'a') -> 'parts' AS parts, weak($$INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('weak', 'part', '{"id": "d", "parts": 7}') RETURNING 1$$);
DELETE FROM kg_entity WHERE entity_id = 'c';
SELECT kg_get('part', 'a') -> 'parts' AS parts;
SELECT kg_export_bundle('weak') #> '{schemas,0,schema,properties,note}' AS note, kg_export_bundle('weak') #> '{entities,0,items,0}' ? 'parts' AS exported;

-- And: references over bundles, names of 64 characters, tools that collide.
SELECT kg_apply_bundle(weak_bundle('[{"id": "o", "inside": "a"}]', '{"inside": {"type": "string", "x-ref": "weak/part"}}', 'other', 'other'))  -> 'entities' AS applied;
SELECT weak($$SELECT kg_drop_bundle('weak')$$);
SELECT weak(format('SELECT kg_apply_bundle(%L)', weak_bundle('[]', name => 'third'))), weak(format('SELECT kg_apply_bundle(%L)', weak_bundle('[]', name => 'third', type => repeat('t', 60))));

RESET ROLE;
SELECT kg_drop_tenant('weak');
SELECT kg_drop_tenant('weak b');
DROP FUNCTION weak(text), weak_ids(jsonb), weak_bundle(jsonb, jsonb, text, text);
DROP OWNED BY weak_points, weak_points_b;
DROP ROLE weak_points, weak_points_b;
