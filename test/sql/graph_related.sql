-- Selections by what nodes are connected to: related, not_related.
\i test/data/prelude.sql
\pset format unaligned
\pset tuples_only on
CALL test.tenant('related', 'related_reader write', 'related_some read');
CREATE POLICY related_hides ON kg_entity AS RESTRICTIVE FOR SELECT TO related_some USING (NOT data ? 'hidden');
\c - related_reader
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'os', 'version', '1', 'schemas', '[
    {"entity_type": "package", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "id", "x-tool-expose": ["list", "list_ids"], "properties": {"id": {"type": "string"}, "n": {"type": "integer", "x-index": true}, "hidden": {"type": "boolean"}}}},
    {"entity_type": "person", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "country": {"type": "string", "x-index": true}, "hidden": {"type": "boolean"}}}}]'::jsonb,
  'relations', '[{"name": "DEPENDS", "from": "package", "to": "package", "inverse": "NEEDED_BY", "schema": {"type": "object", "properties": {"kind": {"type": "string"}}}}, {"name": "BY", "from": "package", "to": "person"}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'package', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'p' || i, 'n', i % 5) || CASE WHEN i % 7 = 3 THEN '{"hidden": true}' ELSE '{}' END::jsonb) FROM generate_series(1, 300) i)),
    jsonb_build_object('entity_type', 'person', 'items', '[{"id": "ann", "country": "FR"}, {"id": "bob", "country": "FR", "hidden": true}, {"id": "cy", "country": "DE"}]'::jsonb)),
  'edges', (SELECT jsonb_agg(e) FROM (SELECT DISTINCT ON (i, (i * k) % 300) jsonb_build_object('relation', 'DEPENDS', 'from', 'package:p' || i, 'to', 'package:p' || (i * k) % 300 + 1, 'properties', jsonb_build_object('kind', CASE k WHEN 2 THEN 'weak' ELSE 'strong' END)) FROM generate_series(1, 290) i, generate_series(2, 4) k WHERE (i + k) % 3 > 0
    UNION SELECT jsonb_build_object('relation', 'BY', 'from', 'package:p' || i, 'to', 'person:' || (ARRAY['ann', 'bob', 'cy'])[i % 3 + 1]) FROM generate_series(1, 200) i) x(e)))) ? 'revision';
\c - related_reader
CREATE FUNCTION pg_temp.tried(tool text, args jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d jsonb; r jsonb;
BEGIN
  EXECUTE format('SELECT kg_%s($1)', tool) INTO r USING args;
  RETURN coalesce(r->'total', r->'rows', r);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', d->>'code', d->>'path', sqlerrm, d->>'expected', d->'did_you_mean');
END $$;
-- what it must be, from the tables that this caller sees: edges between visible entities
CREATE FUNCTION pg_temp.edges() RETURNS TABLE (r text, f text, t text, k text) LANGUAGE sql AS $$
  SELECT l.relation, s.entity_id, d.entity_id, e.properties->>'kind' FROM kg_edge e JOIN kg_relation l USING (relation_no) JOIN kg_entity s ON s.node = e.source JOIN kg_entity d ON d.node = e.target WHERE e.tenant = 'related' AND l.tenant = 'related' $$;
CREATE FUNCTION pg_temp.ids(args jsonb) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(x, ' ' ORDER BY x) FROM jsonb_array_elements_text(kg_list_ids('package', args || '{"limit": 500}')->'ids') x $$;
CREATE PROCEDURE pg_temp.compare(INOUT same boolean[]) LANGUAGE plpgsql AS $$
BEGIN
  CREATE TEMP TABLE g AS SELECT DISTINCT * FROM pg_temp.edges();
  CREATE TEMP TABLE p AS SELECT entity_id AS id, (data->>'n')::int AS n FROM kg_entity WHERE entity_type = 'package' AND tenant = 'related';
  same := ARRAY[
    pg_temp.ids('{"related": [{"type": "DEPENDS", "to": {"ids": ["p13"]}}]}') IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id) FROM p WHERE EXISTS (SELECT FROM g WHERE r = 'DEPENDS' AND f = id AND t = 'p13')),
    pg_temp.ids('{"not_related": [{"type": "DEPENDS"}]}') IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id) FROM p WHERE NOT EXISTS (SELECT FROM g WHERE r = 'DEPENDS' AND f = id)),
    pg_temp.ids('{"related": [{"type": "BY", "to": {"label": "person", "filters": {"country": "FR"}}}], "not_related": [{"type": "NEEDED_BY"}], "filters": {"n": {"gt": 1}}}')
      IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id) FROM p WHERE n > 1 AND EXISTS (SELECT FROM g WHERE r = 'BY' AND f = id AND t IN ('ann', 'bob')) AND NOT EXISTS (SELECT FROM g WHERE r = 'DEPENDS' AND t = id)),
    pg_temp.ids('{"related": [{"type": "DEPENDS", "direction": "both", "min_count": 3, "max_count": 5}]}')
      IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id) FROM p WHERE (SELECT count(DISTINCT CASE f WHEN id THEN t ELSE f END) FROM g WHERE r = 'DEPENDS' AND id IN (f, t)) BETWEEN 3 AND 5),
    pg_temp.ids('{"related": [[{"type": "DEPENDS"}, {"type": "DEPENDS", "filters": {"kind": "weak"}, "min_count": 2}]]}')
      IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id) FROM p WHERE (SELECT count(DISTINCT b.t) FROM g a JOIN g b ON b.f = a.t WHERE a.r = 'DEPENDS' AND b.r = 'DEPENDS' AND b.k = 'weak' AND a.f = id) >= 2),
    pg_temp.ids('{"not_related": [[{"type": "DEPENDS"}, {"type": "BY", "to": {"ids": ["cy"]}}]]}')
      IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id) FROM p WHERE NOT EXISTS (SELECT FROM g a JOIN g b ON b.f = a.t WHERE a.r = 'DEPENDS' AND b.r = 'BY' AND a.f = id AND b.t = 'cy')),
    pg_temp.ids('{"related": [{"type": "DEPENDS", "to": {"label": "package", "related": [{"type": "BY", "to": {"ids": ["ann"]}}], "not_related": [{"type": "DEPENDS", "to": {"ids": ["p1", "p2", "p3"]}}]}}]}')
      IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id) FROM p WHERE EXISTS (SELECT FROM g WHERE r = 'DEPENDS' AND f = id AND EXISTS (SELECT FROM g b WHERE b.f = g.t AND b.r = 'BY' AND b.t = 'ann') AND NOT EXISTS (SELECT FROM g b WHERE b.f = g.t AND b.r = 'DEPENDS' AND b.t IN ('p1', 'p2', 'p3')))),
    pg_temp.ids('{"related": [[{"type": "BY", "to": {"label": "person"}}, {"type": "BY", "direction": "incoming", "to": {"ids": ["p10"]}}]]}')
      IS NOT DISTINCT FROM (SELECT string_agg(id, ' ' ORDER BY id) FROM p WHERE EXISTS (SELECT FROM g a JOIN g b ON b.t = a.t WHERE a.r = 'BY' AND b.r = 'BY' AND a.f = id AND b.f = 'p10'))];
  DROP TABLE g, p;
END $$;
CALL pg_temp.compare(NULL);
-- the last end of a traversal likewise
SELECT kg_traverse('{"from": {"label": "package"}, "relationships": [{"type": "DEPENDS"}], "to": {"label": "package", "related": [{"type": "BY", "to": {"label": "person", "ids": ["ann"]}}], "not_related": [{"type": "NEEDED_BY", "min_count": 3}]}, "limit": 0}') -> 'total' = to_jsonb(
  (SELECT count(*) FROM (SELECT DISTINCT f, t FROM pg_temp.edges() WHERE r = 'DEPENDS') g WHERE EXISTS (SELECT FROM pg_temp.edges() b WHERE b.r = 'BY' AND b.f = g.t AND b.t = 'ann') AND (SELECT count(DISTINCT f) FROM pg_temp.edges() b WHERE b.r = 'DEPENDS' AND b.t = g.t) < 3)) AS same;
SELECT jsonb_path_query_array(kg_traverse('{"from": {"label": "package", "ids": ["p1"]}, "relationships": [{"type": "DEPENDS"}], "to": {"label": "package", "related": [{"type": "BY", "to": {"label": "person", "ids": ["an"]}}]}}'), '$.hints[*].message');
SELECT kg_call_tool('traverse_relationships', '{"from": {"label": "package", "ids": ["p1"]}, "relationships": [{"type": "DEPENDS"}], "to": {"label": "package", "ids": ["p2"]}}') #>> '{structuredContent,rows}';
SELECT kg_list('package', '{"related": [{"type": "DEPENDS", "to": {"ids": ["p13"]}}], "limit": 3, "sort": [{"field": "n", "order": "desc"}], "fields": ["n"]}') #- '{next,cursor}';
SELECT pg_temp.tried(t, a::jsonb) FROM (VALUES
  ('find_nodes', '{"node_label": "package", "limit": 0, "related": [{"type": "BY", "to": {"label": "person", "filters": {"country": "FR"}}}], "not_related": [{"type": "DEPENDS"}]}'),
  ('find_nodes', '{"node_label": "package", "limit": 0, "ids": ["p1", "p2", "p291"], "not_related": [{"type": "DEPENDS"}]}'),
  ('traverse', '{"from": {"label": "package", "related": [{"type": "BY", "to": {"ids": ["cy"]}}]}, "relationships": [{"type": "DEPENDS"}], "limit": 0}'),
  ('paths', '{"from": {"label": "package", "ids": ["p1", "p2", "p3"]}, "to": {"label": "package", "not_related": [{"type": "DEPENDS", "direction": "both"}]}, "limit": 0}'),
  ('aggregate', '{"node": {"label": "package", "not_related": [{"type": "BY"}]}, "aggregations": [{"fn": "count"}]}'),
  ('find_nodes', '{"node_label": "package", "limit": 0, "related": [{"type": "BY", "to": {"ids": ["nobody"]}}]}'),
  ('find_nodes', '{"node_label": "package", "limit": 0, "not_related": [{"type": "BY", "to": {"ids": ["nobody"]}}]}')) v(t, a);
SELECT kg_list('package', '{"search": "p29", "not_related": [{"type": "DEPENDS"}], "limit": 0}')->'total';
-- pages together are the whole
WITH RECURSIVE p AS (SELECT kg_find_nodes('{"node_label": "package", "not_related": [{"type": "DEPENDS"}], "ids_only": true, "limit": 7}') AS r UNION ALL SELECT kg_find_nodes(r->'next') FROM p WHERE r ? 'next')
SELECT count(DISTINCT n), count(n), max(r->>'total') FROM p, jsonb_array_elements(r->'nodes') n;
-- a hidden end is none, a hidden node no way: the same comparison as a caller who sees less
\c - related_some
SELECT kg_find_nodes('{"node_label": "package", "limit": 0, "related": [{"type": "BY", "to": {"ids": ["bob"]}}]}')->'total', kg_find_nodes('{"node_label": "package", "limit": 0, "related": [{"type": "BY"}]}')->'total', kg_find_nodes('{"node_label": "package", "limit": 0, "not_related": [{"type": "BY"}]}')->'total';
\c - related_reader
-- bad input
CREATE FUNCTION pg_temp.tried(args text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d jsonb;
BEGIN
  RETURN kg_find_nodes('{"node_label": "package", "limit": 0}' || args::jsonb)->'total';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', d->>'code', d->>'path', sqlerrm, d->>'expected', d->'did_you_mean');
END $$;
SELECT a, pg_temp.tried(a) FROM unnest(ARRAY['{"related": []}', '{"related": [[]]}', '{"related": {"type": "BY"}}', '{"related": ["BY"]}', '{"related": [{}]}', '{"related": [{"type": "BYE"}]}', '{"related": [{"type": "BY", "max_count": 0}]}', '{"related": [{"type": "BY", "min_count": 0}]}',
  '{"related": [{"type": "BY", "min_count": 3, "max_count": 2}]}', '{"related": [[{"type": "BY", "min_count": 2}, {"type": "BY", "direction": "incoming"}]]}', '{"related": [{"type": "BY", "to": {"labl": "person"}}]}', '{"related": [{"type": "BY", "to": {"label": "people"}}]}',
  '{"related": [{"type": "BY", "to": {"ids": []}}]}', '{"related": [{"type": "BY", "max_hops": 2}]}', '{"related": [{"type": "BY", "filters": {"kind": 1}}]}', '{"related": [{"type": "DEPENDS", "to": {"related": [{"type": "BY", "to": {"related": [{"type": "BY"}]}}]}}]}',
  '{"related": [[[{"type": "BY"}]]]}', '{"related": null}', '{"related": [[{"type": "*"}, {"type": "*"}, {"type": "*"}, {"type": "*"}, {"type": "*"}, {"type": "*"}]]}', '{"related": [{"type": "BY", "direction": "up"}]}', '{"not_related": [{"type": "BY", "to": {"filters": {"nothing": 1}}}]}']) a;
SELECT pg_temp.tried(jsonb_build_object('related', (SELECT jsonb_agg('{"type": "BY"}'::jsonb) FROM generate_series(1, 11)))::text);
-- ids and values that there are not, and a relation that cannot leave the type: told, as without them all are "not related"
CREATE FUNCTION pg_temp.told(args jsonb) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT concat_ws(' | ', t, r->'total', h->'path', h->'message', h->'not_found', h->'nearest', (h #> '{call,arguments}') - 'limit'::text - 'node_label'::text)
    FROM (VALUES ('find_nodes', '{"node_label": "package", "limit": 0}'::jsonb || args), ('list_package', '{"limit": 1}'::jsonb || args)) c(t, a), LATERAL (SELECT kg_call_tool(t, a) -> 'structuredContent') x(r),
    jsonb_array_elements(coalesce(r->'hints', '[{}]')) h $$;
SELECT pg_temp.told(a::jsonb) FROM unnest(ARRAY['{"related": [{"type": "BY", "to": {"label": "person", "ids": ["Ann"]}}]}', '{"not_related": [{"type": "BY", "to": {"label": "person", "ids": ["Ann"]}}]}',
  '{"not_related": [{"type": "BY", "to": {"label": "person", "ids": ["Ann", "cy"]}}]}', '{"not_related": [{"type": "BY", "to": {"label": "person", "ids": ["ann", "cy"]}}]}',
  '{"not_related": [{"type": "BY", "to": {"label": "person", "filters": {"country": "fr"}}}]}', '{"not_related": [[{"type": "DEPENDS"}, {"type": "BY", "to": {"label": "person", "ids": ["zoe"]}}]]}',
  '{"not_related": [{"type": "DEPENDS", "to": {"label": "package", "related": [{"type": "BY", "to": {"label": "person", "ids": ["Ann"]}}]}}]}',
  '{"related": [{"type": "BY", "direction": "incoming"}]}', '{"not_related": [{"type": "BY", "direction": "incoming"}]}', '{"not_related": [{"type": "BY"}]}', '{"filters": {"n": 99}, "not_related": [{"type": "BY", "to": {"label": "person", "ids": ["Ann"]}}]}']) a;
SELECT kg_aggregate('{"node": {"label": "package", "not_related": [{"type": "BY", "to": {"label": "person", "ids": ["Ann"]}}]}, "aggregations": [{"fn": "count"}]}') -> 'hints';
\c - related_some
\pset format unaligned
\pset tuples_only on
-- whom the caller does not see is not there, and not told of
SELECT kg_find_nodes('{"node_label": "package", "limit": 0, "not_related": [{"type": "BY", "to": {"label": "person", "ids": ["bob"]}}]}') -> 'hints', kg_find_nodes('{"node_label": "package", "limit": 0, "not_related": [{"type": "BY", "to": {"label": "person", "ids": ["Bob"]}}]}') -> 'hints';
\c - postgres
-- what multiplies is estimated, and refused; what is hidden is in no estimate
SET kg_graph.max_cost = 1000;
SET ROLE related_reader;
SELECT kg_find_nodes('{"node_label": "package", "limit": 0, "related": [[{"type": "*", "direction": "both"}, {"type": "*", "direction": "both"}, {"type": "*", "direction": "both"}, {"type": "*", "direction": "both"}]]}');
RESET ROLE;
RESET kg_graph.max_cost;
DROP POLICY related_hides ON kg_entity;
CALL test.drop('related');
