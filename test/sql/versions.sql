-- x-order: "version": order and ranges are those of deb-version(7), equality is of the text.
\i test/data/prelude.sql
\pset format unaligned
\pset tuples_only on
CALL test.tenant('versions', 'versions_writer write');
\c - versions_writer
CREATE FUNCTION pg_temp.bundle(property jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', 'os', 'version', '1', 'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'package', 'schema', jsonb_build_object('type', 'object', 'x-id-field', 'id',
    'properties', '{"id": {"type": "string"}, "old": {"type": "array", "items": {"type": "string", "x-order": "version"}, "x-index": true}}'::jsonb || jsonb_build_object('v', property)))),
    'entities', (SELECT jsonb_build_array(jsonb_build_object('entity_type', 'package', 'items', jsonb_agg(jsonb_build_object('id', 'p' || lpad(n::text, 2, '0'), 'v', v, 'old', CASE WHEN n % 2 = 0 THEN jsonb_build_array(v, '1.5') ELSE '[]' END))))
      FROM unnest('{1.0,1.00,0:1.0,1.0-0,1.0-1,1.0-1+b1,1.0~rc1,1.0~~,1.0~,1.0a,1.0+dfsg,1.0.1,1.10,1.9,2:0.1,1:3,10,9,"",0,0~,a,1.0-1~bpo12+1,1.2.3-4ubuntu5,1.2.3-4ubuntu10,~1,Z,1.0é,v:1}'::text[]) WITH ORDINALITY t(v, n)),
    'relations', '[{"name": "BREAKS", "from": "package", "to": "package", "schema": {"type": "object", "properties": {"below": {"type": "string", "x-order": "version", "x-index": true}}}}]'::jsonb,
    'edges', '[{"relation": "BREAKS", "from": "package:p01", "to": "package:p02", "properties": {"below": "1.9"}}, {"relation": "BREAKS", "from": "package:p01", "to": "package:p03", "properties": {"below": "1.10"}}]'::jsonb) $$;
CREATE FUNCTION pg_temp.found(arguments jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' ', r->>'total', (SELECT string_agg('"' || (i->'data'->>'v') || '"', ' ' ORDER BY n) FROM jsonb_array_elements(r->'items') WITH ORDINALITY t(i, n))) FROM kg_list('package', arguments || '{"fields": ["id", "v"]}') r $$;
CREATE FUNCTION pg_temp.tried(tool text, arguments jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' | ', e->>'code', e->>'path', e->>'message', e->>'expected') FROM (SELECT kg_call_tool(tool, arguments)->'structuredContent'->'error') x(e) $$;
-- as texts at first, then as versions: keys are made anew
SELECT kg_apply_bundle(pg_temp.bundle('{"type": "string", "x-index": true}')) ? 'revision';
SELECT pg_temp.found('{"sort": [{"field": "v"}]}');
SELECT kg_apply_bundle(pg_temp.bundle('{"type": "string", "x-index": true, "x-order": "version"}')) ? 'revision';
SELECT pg_temp.found('{"sort": [{"field": "v"}]}');
SELECT pg_temp.found('{"sort": [{"field": "v", "order": "desc"}], "limit": 4}');
-- what is alike is in a range or is not, but is not equal
SELECT f, pg_temp.found(jsonb_build_object('sort', '[{"field": "v"}]'::jsonb, 'filters', jsonb_build_object('v', f::jsonb))) FROM (VALUES ('"1.0"'), ('{"in": ["1.00", "10"]}'), ('{"gte": "1.0", "lte": "1.0"}'), ('{"gt": "1.0", "lt": "1.0.1"}'), ('{"lt": "1.0~rc1"}'), ('{"lte": "1.0~rc1"}'), ('{"gte": "9"}'),
  ('{"gt": "1.2.3-4ubuntu5"}'), ('{"ne": "1.0", "lte": "1.0", "gte": "1.0"}'), ('{"starts_with": "1.0-"}'), ('{"contains": "ubuntu"}'), ('{"ends_with": "-4ubuntu10"}'), ('[{"starts_with": "1."}, {"gt": "1.0.1"}]'), ('{"is_null": true}')) t(f);
SELECT f, pg_temp.found(jsonb_build_object('sort', '[{"field": "v"}]'::jsonb, 'filters', jsonb_build_object('old', f::jsonb))) FROM (VALUES ('{"gt": "2"}'), ('"1.9"'), ('{"contains_all": ["1.5", "1.9"]}'), ('{"lt": "0"}')) t(f);
SELECT pg_temp.tried('list_package', jsonb_build_object('filters', jsonb_build_object('v', f::jsonb))) FROM (VALUES ('{"gt": "1.0", "lte": "1.00"}'), ('{"gte": "1.10", "lt": "1.9"}'), ('{"gt": 1}')) t(f);
-- pages, and a value that nothing has
SELECT string_agg(p->'items'->0->'data'->>'v', ' ') FROM (WITH RECURSIVE page(p, n) AS (SELECT kg_list('package', '{"sort": [{"field": "v"}], "filters": {"v": {"gte": "1.0", "lt": "2"}}, "limit": 1}'), 1
  UNION ALL SELECT kg_list('package', p->'next'), n + 1 FROM page WHERE p ? 'next') SELECT p FROM page ORDER BY n) x;
SELECT h->'nearest' FROM kg_list('package', '{"filters": {"v": "1.2.3-4ubuntu6"}}') r, jsonb_array_elements(r->'hints') h;
-- groups and the greatest; properties of edges; an old state
SELECT kg_aggregate('{"node": {"label": "package"}, "aggregations": [{"fn": "count"}, {"fn": "max", "property": "v"}, {"fn": "min", "property": "v"}, {"fn": "count_distinct", "property": "v"}]}')->'rows';
SELECT kg_aggregate('{"node": {"label": "package", "filters": {"v": {"gte": "1.0", "lte": "1.0"}}}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "v"}]}')->'rows';
SELECT kg_aggregate('{"node": {"label": "package", "ids": ["p01", "p02", "p14"]}, "aggregations": [{"fn": "max", "property": "v"}], "group_by": [{"property": "old"}]}')->'rows';
SELECT kg_traverse('{"from": {"label": "package", "ids": ["p01"]}, "relationships": [{"type": "BREAKS", "filters": {"below": {"gt": "1.9"}}}], "ids_only": true}')->'nodes';
SELECT kg_verify('{"claims": [{"entity": "package:p13", "property": "v", "is": {"gt": "1.9"}}, {"entity": "package:p01", "property": "v", "is": "1.00"}]}')->'counts';
-- a key is longer than its text: of the item, as where the text is too long
SELECT i ->> 'id' AS id, i ->> 'verdict' AS verdict, i #>> '{error,code}' AS code, i #>> '{error,path}' AS path FROM jsonb_array_elements(kg_put_entities('package', jsonb_build_array('{"id": "fits", "v": "1"}'::jsonb,
  jsonb_build_object('id', 'long', 'v', '1.' || repeat('9', 2000)), jsonb_build_object('id', 'less', 'v', '1.' || repeat('9', 700))), '{"dry_run": true}') -> 'items') i;
SELECT kg_put_entities('package', jsonb_build_array('{"id": "fits", "v": "1"}'::jsonb, jsonb_build_object('id', 'less', 'v', '1.' || repeat('9', 700))), '{"atomic": true}');
-- wrong annotations
SELECT kg_apply_bundle(pg_temp.bundle(p::jsonb)) FROM (VALUES ('{"type": "integer", "x-order": "version"}')) t(p);
SELECT kg_apply_bundle(pg_temp.bundle('{"type": "string", "x-order": "semver"}'));
SELECT kg_apply_bundle(pg_temp.bundle('{"enum": ["1", "2"], "x-order": "version"}'));
SELECT kg_apply_bundle(pg_temp.bundle('{"type": "string", "x-ordre": "version"}'));
\c - postgres
CALL test.drop('versions');
