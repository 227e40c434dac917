-- Bad input: each call raises a clear error with code, path and what to send
-- instead. Nothing is written, and the backend stays alive. All calls are made as an
-- ordinary role.
\set VERBOSITY terse
CREATE ROLE bad_input LOGIN;
DO $$ BEGIN PERFORM kg_create_tenant('bad_input'); PERFORM kg_grant('bad_input', 'bad_input', 'write'); END $$;
-- the error: SQLSTATE, code, path, and what was expected, allowed or suggested; of
-- several errors, the first and their number; long texts are cut
CREATE FUNCTION bad_input(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text;
  detail text;
  d jsonb;
BEGIN
  EXECUTE statement INTO answer;
  RETURN 'NO ERROR ' || left(coalesce(answer, 'NULL'), 200);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  IF coalesce(detail, '') NOT LIKE '{%' THEN
    RETURN format('%s %s', SQLSTATE, left(SQLERRM, 120));
  END IF;
  d := detail::jsonb;
  IF d ? 'errors' THEN
    d := d - 'path' || (d -> 'errors' -> 0) || jsonb_build_object('message', d -> 'message');
  END IF;
  RETURN format('%s %s at %s: %s; expected %s', SQLSTATE, d ->> 'code', coalesce(d ->> 'path', '-'), left(d ->> 'message', 140),
                left(coalesce(d ->> 'expected', d ->> 'did_you_mean', d ->> 'allowed', '-'), 100));
END
$$;
SET ROLE bad_input;
DO $$ BEGIN PERFORM kg_apply_bundle('{"bundle_name": "good", "version": "1", "schemas": [
  {"entity_type": "item", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {
    "id": {"type": "string"}, "name": {"type": "string", "x-index": true},
    "size": {"type": "integer", "x-index": true}, "weight": {"type": "number", "x-index": true},
    "tier": {"type": "string", "enum": ["gold", "silver"], "x-index": true},
    "day": {"type": "string", "format": "date", "x-index": true},
    "parent": {"type": "string", "x-ref": "item"}, "any": true}, "required": ["id"], "additionalProperties": false}}],
  "entities": [{"entity_type": "item", "items": [{"id": "a", "name": "A", "size": 1, "tier": "gold"}, {"id": "b", "parent": "a"}]}]}'); END $$;
CREATE TEMP TABLE bad_before AS SELECT to_jsonb(b) - 'definitions' AS bundle,
  (SELECT jsonb_agg(to_jsonb(e) ORDER BY entity_id) FROM kg_entity e) AS entities, (SELECT jsonb_agg(to_jsonb(t)) FROM kg_entity_type t) AS types,
  (SELECT count(*) FROM kg_edge) AS edges, (SELECT count(*) FROM kg_tool) AS tools FROM kg_bundle b;

-- Malformed, oversized, NUL, numbers, nesting.
SELECT what, bad_input(statement) FROM (VALUES
  ('malformed JSON', $$SELECT kg_list('item', '{"filters": ')$$),
  ('two values', $$SELECT kg_list('item', '{} {}')$$),
  ('NUL in arguments', $$SELECT kg_list('item', '{"search": "a\u0000b"}')$$),
  ('NUL in an entity', $$INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('good', 'item', '{"id": "x", "name": "\u0000"}')$$),
  ('half a surrogate', $$SELECT kg_list('item', '{"search": "\ud800"}')$$),
  ('arguments too long', $$SELECT kg_list('item', jsonb_build_object('search', repeat('x', 2000000)))$$),
  ('arguments nested 10,000 deep', $$SELECT kg_list('item', (repeat('[', 10000) || repeat(']', 10000))::jsonb)$$),
  ('filter nested 10,000 deep', $$SELECT kg_list('item', ('{"filters": {"name": ' || repeat('{"eq": ', 10000) || '1' || repeat('}', 10000) || '}}')::jsonb)$$),
  ('entity nested 10,000 deep', $$INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('good', 'item', ('{"id": "x", "any": ' || repeat('[', 10000) || repeat(']', 10000) || '}')::jsonb)$$),
  ('schema nested 10,000 deep', $$SELECT kg_apply_bundle(('{"bundle_name": "deep", "version": "1", "entities": [], "schemas": [{"entity_type": "deep", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "x": ' || repeat('{"items": ', 10000) || 'true' || repeat('}', 10000) || '}}}]}')::jsonb)$$),
  ('schema nested 1,000 deep', $$SELECT kg_apply_bundle(('{"bundle_name": "deep", "version": "1", "entities": [], "schemas": [{"entity_type": "deep", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "x": ' || repeat('{"items": ', 1000) || 'true' || repeat('}', 1000) || '}}}]}')::jsonb)$$),
  ('bundle nested 10,000 deep', $$SELECT kg_apply_bundle((repeat('{"a": ', 10000) || '1' || repeat('}', 10000))::jsonb)$$),
  ('entity too long', $$INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('good', 'item', jsonb_build_object('id', 'x', 'name', repeat('x', 110000)))$$),
  ('entity in a bundle too long', $$SELECT kg_apply_bundle(jsonb_set(kg_export_bundle('good'), '{entities,0,items,0,name}', to_jsonb(repeat('x', 110000))))$$),
  ('limit past int8', $$SELECT kg_list('item', '{"limit": 99999999999999999999}')$$),
  ('limit past float8', $$SELECT kg_list('item', '{"limit": 1e400}')$$),
  ('limit with a fraction', $$SELECT kg_list('item', '{"limit": 1.5}')$$),
  ('limit below 0', $$SELECT kg_list('item', '{"limit": -1}')$$),
  ('limit 501', $$SELECT kg_list('item', '{"limit": 501}')$$),
  ('limit in words', $$SELECT kg_list('item', '{"limit": "ten"}')$$),
  ('offset -1', $$SELECT kg_list('item', '{"offset": -1}')$$),
  ('size past int8 in data', $$INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('good', 'item', '{"id": "x", "size": 1.5}')$$),
  ('max_bytes of nothing', $$SELECT kg_list('item', '{"max_bytes": 1}')$$)
) t(what, statement);

-- Numbers count with all their digits: a few bytes are said again as 130,000.
SELECT what, bad_input(statement) FROM (VALUES
  ('one', $$SELECT kg_list('item', '{"limit": 1e131000}')$$),
  ('in an array', $$SELECT kg_list('item', '{"limit": [1e131000]}')$$),
  ('many', $$SELECT kg_list('item', jsonb_build_object('filters', jsonb_build_object('size', jsonb_build_object('in', (SELECT jsonb_agg(('1e13' || 1000 + n)::numeric) FROM generate_series(1, 60) n)))))$$),
  ('in an entity', $$INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('good', 'item', '{"id": "x", "size": 1e131000}')$$),
  ('as an id', $$INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('good', 'item', '{"id": 1e70000}')$$),
  ('in a schema', $$SELECT kg_schema_check(jsonb_build_object('enum', (SELECT jsonb_agg(('1e13' || 1000 + n)::numeric) FROM generate_series(1, 70) n)))$$)
) t(what, statement);
SELECT kg_call_tool('list_item', jsonb_build_object('limit', got)) #> '{structuredContent,error,got}' AS got FROM unnest(ARRAY['1e131000', '[1e131000]', '1.5']::jsonb[]) got;

-- The bundle's limit is a setting; the error names it.
RESET ROLE;
SET kg_graph.max_bundle_bytes = '1kB';
SET ROLE bad_input;
SELECT bad_input($$SELECT kg_apply_bundle(kg_export_bundle('good') || jsonb_build_object('description', repeat('x', 2000)))$$);
RESET ROLE;
RESET kg_graph.max_bundle_bytes;
SET ROLE bad_input;
-- limits are not for everybody to raise
SET kg_graph.max_entity_bytes = '1GB';

-- Shapes of arguments.
SELECT what, bad_input(statement) FROM (VALUES
  ('an array', $$SELECT kg_list('item', '[]')$$),
  ('null', $$SELECT kg_list('item', 'null')$$),
  ('a string with JSON', $$SELECT kg_list('item', '"{\"limit\": 3}"')$$),
  ('filters in a string', $$SELECT kg_list('item', '{"filters": "{\"name\": \"A\"}"}')$$),
  ('unknown key', $$SELECT kg_list('item', '{"filter": {}}')$$),
  ('unknown property', $$SELECT kg_list('item', '{"filters": {"nam": "A"}}')$$),
  ('property without index', $$SELECT kg_list('item', '{"sort": [{"field": "parent"}]}')$$),
  ('unknown with operator', $$SELECT kg_list('item', '{"filters": {"nam/e": {"gt": "A", "lt": "B"}}}')$$),
  ('no index, operators', $$SELECT kg_list('item', '{"filters": {"parent": [{"starts_with": ""}, {"ends_with": "b"}]}}')$$),
  ('unknown operator', $$SELECT kg_list('item', '{"filters": {"name": {"equals": "A"}}}')$$),
  ('operator twice', $$SELECT kg_list('item', '{"filters": {"size": [{"gt": 1}, {"gt": 2}, {"lt": 0}]}}')$$),
  ('range on text of an enum', $$SELECT kg_list('item', '{"filters": {"tier": {"gt": "gold"}}}')$$),
  ('a label for a code', $$SELECT kg_list('item', '{"filters": {"tier": "Gold"}}')$$),
  ('text for a number', $$SELECT kg_list('item', '{"filters": {"size": "many"}}')$$),
  ('no date', $$SELECT kg_list('item', '{"filters": {"day": "yesterday"}}')$$),
  ('30 February', $$SELECT kg_list('item', '{"filters": {"day": "2026-02-30"}}')$$),
  ('null to compare', $$SELECT kg_list('item', '{"filters": {"name": {"eq": null}}}')$$),
  ('empty in', $$SELECT kg_list('item', '{"filters": {"name": {"in": []}}}')$$),
  ('501 in', $$SELECT kg_list('item', jsonb_build_object('filters', jsonb_build_object('name', jsonb_build_object('in', (SELECT jsonb_agg(n::text) FROM generate_series(1, 501) n)))))$$),
  ('inverted range', $$SELECT kg_list('item', '{"filters": {"size": {"gt": 5, "lt": 3}}}')$$),
  ('sort by nothing', $$SELECT kg_list('item', '{"sort": [{"field": "nam"}]}')$$),
  ('sort up', $$SELECT kg_list('item', '{"sort": [{"field": "name", "order": "up"}]}')$$),
  ('cursor and offset', $$SELECT kg_list('item', '{"cursor": "x", "offset": 1}')$$),
  ('cursor of nonsense', $$SELECT kg_list('item', '{"cursor": "AAAA"}')$$),
  ('cursor of another query', $$SELECT kg_list('item', jsonb_build_object('sort', '[{"field": "name"}]'::jsonb, 'cursor', kg_list('item', '{"limit": 1}') -> 'next' -> 'cursor'))$$),
  ('unknown fields', $$SELECT kg_list('item', '{"fields": ["nam"]}')$$),
  ('unknown type', $$SELECT kg_list('itm')$$),
  ('type of another bundle', $$SELECT kg_list('bad/item')$$),
  ('id of 129 bytes', $$SELECT kg_get('item', ARRAY[repeat('x', 129)])$$),
  ('id of 65 two-byte characters', $$SELECT kg_get('item', ARRAY[repeat('é', 65)])$$),
  ('id with a line break', $$SELECT kg_get('item', ARRAY[E'a\nb'])$$),
  ('empty id', $$SELECT kg_get('item', ARRAY[''])$$),
  ('null id', $$SELECT kg_get('item', ARRAY[NULL::text])$$),
  ('no ids', $$SELECT kg_get('item', '{}'::text[])$$),
  ('501 ids', $$SELECT kg_get('item', (SELECT array_agg(n::text) FROM generate_series(1, 501) n))$$),
  ('unknown tool', $$SELECT kg_call_tool('list_itm') -> 'structuredContent' -> 'error' ->> 'code'$$),
  ('tool name of nothing', $$SELECT kg_call_tool('') -> 'structuredContent' -> 'error' ->> 'code'$$)
) t(what, statement);

-- Entities.
SELECT what, bad_input(format('INSERT INTO kg_entity (bundle, entity_type, data) VALUES (%L, %L, %L)', bundle, type, data)) FROM (VALUES
  ('no object', 'good', 'item', '[1]'), ('no id', 'good', 'item', '{"name": "x"}'), ('id is a number', 'good', 'item', '{"id": 7}'),
  ('id is taken', 'good', 'item', '{"id": "a"}'), ('id of 129 bytes', 'good', 'item', jsonb_build_object('id', repeat('x', 129))::text),
  ('empty id', 'good', 'item', '{"id": ""}'), ('id with a tab', 'good', 'item', '{"id": "a\tb"}'),
  ('unknown key', 'good', 'item', '{"id": "x", "nmae": "x"}'), ('outside the enum', 'good', 'item', '{"id": "x", "tier": "lead"}'),
  ('no such date', 'good', 'item', '{"id": "x", "day": "2026-02-30"}'), ('dangling reference', 'good', 'item', '{"id": "x", "parent": "nobody"}'),
  ('reference of 129 bytes', 'good', 'item', jsonb_build_object('id', 'x', 'parent', repeat('x', 129))::text),
  ('unknown type', 'good', 'itm', '{"id": "x"}'), ('unknown bundle', 'bad', 'item', '{"id": "x"}')
) t(what, bundle, type, data);
SELECT bad_input($$UPDATE kg_entity SET entity_id = 'z' WHERE entity_id = 'a'$$),
       bad_input($$DELETE FROM kg_entity WHERE entity_id = 'a'$$);

-- Bundles: all that is wrong is said at once.
SELECT what, bad_input(format('SELECT kg_apply_bundle(%L)', bundle)) FROM (VALUES
  ('nothing', '{}'), ('no object', '[]'), ('unknown key', '{"bundle_name": "x1", "version": "1", "schemas": [], "entites": []}'),
  ('bad name', '{"bundle_name": "Bad Name", "version": "1", "schemas": [], "entities": []}'),
  ('name of one letter', '{"bundle_name": "b", "version": "1", "schemas": [], "entities": []}'),
  ('version is a number', '{"bundle_name": "x1", "version": 1, "schemas": [], "entities": []}'),
  ('bad type name', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "no-dash", "schema": {"type": "object"}}], "entities": []}'),
  ('type twice', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "tt", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}, {"entity_type": "tt", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": []}'),
  ('no id field', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "tt", "schema": {"type": "object", "properties": {"id": {"type": "string"}}}}], "entities": []}'),
  ('id field is a number', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "tt", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "number"}}}}], "entities": []}'),
  ('misspelt annotation', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "tt", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "n": {"type": "string", "x-indx": true}}}}], "entities": []}'),
  ('misspelt at the root', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "tt", "schema": {"type": "object", "x-id-feild": "id", "properties": {"id": {"type": "string"}}}}], "entities": []}'),
  ('annotation of the wrong type', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "tt", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "n": {"type": "string", "x-index": "yes"}}}}], "entities": []}'),
  ('no such schema keyword value', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "tt", "schema": {"type": "objekt", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": []}'),
  ('a pattern that is none', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "tt", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string", "pattern": "("}}}}], "entities": []}'),
  ('reference to a missing type', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "tt", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "ref": {"type": "string", "x-ref": "uu"}}}}], "entities": []}'),
  ('reference to a missing bundle', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "tt", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "ref": {"type": "string", "x-ref": "other/uu"}}}}], "entities": []}'),
  ('a $ref to nothing', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "tt", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"$ref": "#/$defs/nothing"}}}}], "entities": []}'),
  ('a $ref to the network', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "tt", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "n": {"$ref": "http://example.com/x.json"}}}}], "entities": []}'),
  ('entities of no type', '{"bundle_name": "x1", "version": "1", "schemas": [], "entities": [{"entity_type": "uu", "items": [{"id": "1"}]}]}'),
  ('tool name taken', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "item", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": []}'),
  ('tool names clash inside', '{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "foo", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list_ids"], "properties": {"id": {"type": "string"}}}}, {"entity_type": "foo_ids", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": []}'),
  ('tool name too long', format('{"bundle_name": "x1", "version": "1", "schemas": [{"entity_type": "%s", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": []}', repeat('t', 62)))
) t(what, bundle);
-- duplicates and several faults: every one is reported
SELECT jsonb_array_length(d -> 'errors') AS errors, e ->> 'code' AS code, e ->> 'path' AS path, e ->> 'type' AS type, e ->> 'id' AS id, e ->> 'keyword' AS keyword
  FROM (SELECT kg_apply_bundle(jsonb_set(kg_export_bundle('good'), '{entities,0,items}',
    '[{"id": "a"}, {"id": "a"}, {"id": "c", "tier": "lead", "size": "big"}, {"id": "d", "parent": "nobody"}, {"name": "no id"}, {"id": 5}, "text"]'), '{"dry_run": true}') AS d) d,
  LATERAL jsonb_array_elements(d -> 'errors') WITH ORDINALITY e(e, n) ORDER BY n;
SELECT what, bad_input(format('SELECT kg_apply_bundle(kg_export_bundle(%L), %L)', 'good', options)) FROM (VALUES
  ('unknown mode', '{"mode": "append"}'), ('unknown option', '{"dryrun": true}'), ('dry_run in words', '{"dry_run": "yes"}'),
  ('another revision', '{"expected_revision": 77}'), ('max_errors', '{"max_errors": -1}'), ('no object', '[]')) t(what, options);
SELECT bad_input($$SELECT kg_export_bundle('god')$$), bad_input($$SELECT kg_drop_bundle('god')$$);

-- Eight kilobytes that would be 58 MB of text: refused before any of it is written out.
SELECT e ->> 'code' AS code, e ->> 'path' AS path, e ->> 'message' AS message FROM kg_apply_bundle_text('{"bundle_name": "long", "version": "1", "schemas": [{"entity_type": "long", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"},
  "n": {"type": "array", "x-index": true, "items": {"enum": [' || (SELECT string_agg('1e' || (130000 + i), ',') FROM generate_series(1, 450) i) || ']}}}}}]}', '{"dry_run": true}') r, jsonb_array_elements(r -> 'errors') e;

-- The tools: nonsense in place of every argument.
SELECT p.proname, what, bad_input(format('SELECT %s(%L)', p.proname, arguments)) FROM pg_proc p,
  (VALUES (1, 'a list', '[]'), (2, 'an unknown key', '{"no_such_argument": 1}'), (3, 'nested', repeat('{"a": ', 5000) || '1' || repeat('}', 5000))) a(n, what, arguments)
 WHERE pronamespace = 'public'::regnamespace AND pronargs = 1 AND proargnames[1] = 'arguments' ORDER BY p.proname COLLATE "C", n;

-- Nothing was written.
SELECT (bad_before.*)::text = (SELECT (now.*)::text FROM (SELECT to_jsonb(b) - 'definitions' AS bundle,
  (SELECT jsonb_agg(to_jsonb(e) ORDER BY entity_id) FROM kg_entity e) AS entities, (SELECT jsonb_agg(to_jsonb(t)) FROM kg_entity_type t) AS types,
  (SELECT count(*) FROM kg_edge) AS edges, (SELECT count(*) FROM kg_tool) AS tools FROM kg_bundle b) now) AS unchanged FROM bad_before;

RESET ROLE;
SELECT kg_drop_tenant('bad_input');
DROP FUNCTION bad_input(text);
DROP OWNED BY bad_input;
DROP ROLE bad_input;
