-- Counts of edges with x-index. Every writer of edges maintains them as keys. They
-- are read for callers that see all edges, and computed for all others.
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
SELECT current_user AS owner \gset
CREATE ROLE cnt_all LOGIN; CREATE ROLE cnt_some LOGIN; CREATE ROLE cnt_part LOGIN; CREATE ROLE cnt_other LOGIN;
SELECT FROM kg_create_tenant('cnt'); SELECT FROM kg_create_tenant('cnt2');
SELECT FROM kg_grant('cnt', 'cnt_all', 'admin'); SELECT FROM kg_grant('cnt', 'cnt_some', 'admin'); SELECT FROM kg_grant('cnt', 'cnt_part', 'admin'); SELECT FROM kg_grant('cnt2', 'cnt_other', 'admin');
CREATE POLICY cnt_hides ON kg_entity AS RESTRICTIVE FOR SELECT TO cnt_some USING (NOT data ? 'hidden');
CREATE POLICY cnt_cuts ON kg_edge AS RESTRICTIVE FOR SELECT TO cnt_part USING (properties IS NULL OR NOT properties ? 'secret');
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO cnt_all, cnt_some; GRANT pg_read_all_stats TO cnt_all, cnt_some;
CREATE FUNCTION public.cnt_bundle(maker_index boolean, changes jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', 'pkg', 'version', '1', 'schemas', jsonb_build_array(
    jsonb_build_object('entity_type', 'package', 'schema', '{"type": "object", "x-id-field": "id", "x-history": true, "x-tool-expose": ["list", "get", "list_ids"]}'::jsonb || jsonb_build_object('properties', '{
      "id": {"type": "string"}, "kind": {"type": "string", "x-index": true}, "size": {"type": "integer"}, "hidden": {"type": "boolean"}, "maker": {"type": "string", "x-ref": "maker", "x-relation": "MADE_BY", "x-on-delete": "cascade"},
      "part_of": {"type": "string", "x-ref": "package", "x-relation": "INSIDE", "x-on-delete": "set_null"},
      "stats": {"type": "object", "properties": {"near": {"type": "integer", "x-derived": {"count": "NEAR"}, "x-index": true}}},
      "needs": {"type": "integer", "x-derived": {"count": "DEPENDS_ON", "direction": "outgoing"}, "x-index": true},
      "dependents": {"type": "integer", "x-derived": {"count": "DEPENDS_ON", "direction": "incoming"}, "x-index": true},
      "parts": {"type": "integer", "x-derived": {"count": "INSIDE", "direction": "incoming"}, "x-index": true}}'::jsonb || changes)),
    jsonb_build_object('entity_type', 'maker', 'schema', '{"type": "object", "x-id-field": "id"}'::jsonb || jsonb_build_object('properties', jsonb_build_object('id', '{"type": "string"}'::jsonb, 'hidden', '{"type": "boolean"}'::jsonb,
      'made', '{"type": "integer", "x-derived": {"count": "MADE_BY", "direction": "incoming"}}'::jsonb || CASE WHEN maker_index THEN '{"x-index": true}' ELSE '{}' END::jsonb)))),
    'relations', '[{"name": "DEPENDS_ON", "from": "package", "to": "package", "key": ["as"], "schema": {"type": "object", "properties": {"as": {"type": "string"}, "secret": {"type": "boolean"}}}}, {"name": "NEAR", "from": "package", "to": "package", "symmetric": true}]'::jsonb) $$;
-- What is shown is counted by a statement of its own: what a list is sorted, filtered and grouped by must be that.
CREATE FUNCTION public.cnt_same() RETURNS text LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE f record; page jsonb; args jsonb; told text := ''; want text; got text; counted text; n int;
BEGIN
  CREATE TEMP TABLE IF NOT EXISTS shown(type text, id text, data jsonb); TRUNCATE shown;
  INSERT INTO shown SELECT t, i ->> 'id', i -> 'data' FROM unnest('{package,maker}'::text[]) t, jsonb_array_elements(kg_list(t, '{"limit": 500}') -> 'items') i;
  FOR f IN SELECT type, name, string_to_array(name, '.') AS path FROM (VALUES ('package', 'dependents'), ('package', 'needs'), ('package', 'stats.near'), ('package', 'parts'), ('maker', 'made')) x(type, name)
    WHERE name <> 'made' OR (SELECT schema #>> '{properties,made,x-index}' = 'true' FROM kg_entity_type WHERE tenant = kg_tenant() AND entity_type = 'maker') LOOP
    FOR n IN 0 .. 1 LOOP
      SELECT coalesce(string_agg(id, ' ' ORDER BY (data #>> f.path)::int * (1 - 2 * n), id COLLATE "C"), '') INTO want FROM shown WHERE type = f.type;
      got := '';
      page := jsonb_build_object('next', jsonb_build_object('limit', 4, 'sort', jsonb_build_array(jsonb_build_object('field', f.name, 'order', (ARRAY['asc', 'desc'])[n + 1]))));
      WHILE page ? 'next' LOOP
        page := kg_list_ids(f.type, page -> 'next');
        got := concat_ws(' ', nullif(got, ''), (SELECT string_agg(i, ' ' ORDER BY o) FROM jsonb_array_elements_text(page -> 'ids') WITH ORDINALITY x(i, o)));
      END LOOP;
      IF got <> want THEN told := told || format(' sort by %s: %s, not %s;', f.name, got, want); END IF;
    END LOOP;
    FOR n IN 0 .. 4 LOOP
      SELECT coalesce(string_agg(id, ' ' ORDER BY id COLLATE "C"), '') INTO want FROM shown WHERE type = f.type AND (data #>> f.path)::int >= n;
      args := jsonb_build_object('filters', jsonb_build_object(f.name, jsonb_build_object('gte', n)), 'limit', 500);
      SELECT coalesce(string_agg(i, ' ' ORDER BY o), '') INTO got FROM jsonb_array_elements_text(kg_list_ids(f.type, args) -> 'ids') WITH ORDINALITY x(i, o);
      IF got <> want THEN told := told || format(' %s >= %s: %s, not %s;', f.name, n, got, want); END IF;
      SELECT coalesce(string_agg(split_part(i, ':', 2), ' ' ORDER BY o), '') INTO got FROM jsonb_array_elements_text(kg_find_nodes(jsonb_build_object('node_label', f.type, 'filters', args -> 'filters', 'ids_only', true, 'limit', 500)) -> 'nodes') WITH ORDINALITY x(i, o);
      IF got <> want THEN told := told || format(' nodes %s >= %s: %s, not %s;', f.name, n, got, want); END IF;
    END LOOP;
    SELECT jsonb_agg(jsonb_build_array(v, c) ORDER BY v)::text INTO want FROM (SELECT (data #>> f.path)::int AS v, count(*) AS c FROM shown WHERE type = f.type GROUP BY 1) x;
    got := kg_aggregate(jsonb_build_object('node', jsonb_build_object('label', f.type), 'group_by', jsonb_build_array(jsonb_build_object('property', f.name)), 'aggregations', '[{"fn": "count"}]'::jsonb, 'limit', 1000,
      'sort', jsonb_build_array(jsonb_build_object('field', f.name)))) -> 'rows';
    IF got <> want THEN told := told || format(' groups by %s: %s, not %s;', f.name, got, want); END IF;
  END LOOP;
  -- of what relationships lead to: nodes, rows, what is near, groups by it and by a step
  CREATE TEMP TABLE IF NOT EXISTS leads(a text, b text); TRUNCATE leads;
  INSERT INTO leads SELECT split_part(r ->> 0, ':', 2), split_part(r ->> 1, ':', 2) FROM jsonb_array_elements(kg_traverse('{"from": {"label": "package"}, "relationships": [{"type": "DEPENDS_ON"}], "to": {"label": "package"}, "ids_only": true, "limit": 500}') -> 'rows') r;
  FOR f IN SELECT name, string_to_array(name, '.') AS path FROM unnest('{dependents,needs,stats.near,parts}'::text[]) x(name) LOOP
    FOR n IN 0 .. 4 LOOP
      args := jsonb_build_object('label', 'package', 'filters', jsonb_build_object(f.name, jsonb_build_object('gte', n)));
      SELECT coalesce(string_agg(DISTINCT a COLLATE "C", ' '), ''), count(*) INTO want, counted FROM leads JOIN shown ON type = 'package' AND id = b AND (data #>> f.path)::int >= n;
      SELECT coalesce(string_agg(split_part(i, ':', 2), ' ' ORDER BY o), '') INTO got
        FROM jsonb_array_elements_text(kg_find_nodes(jsonb_build_object('node_label', 'package', 'related', jsonb_build_array(jsonb_build_object('type', 'DEPENDS_ON', 'direction', 'outgoing', 'to', args)), 'ids_only', true, 'limit', 500)) -> 'nodes') WITH ORDINALITY x(i, o);
      IF got <> want THEN told := told || format(' related %s >= %s: %s, not %s;', f.name, n, got, want); END IF;
      got := kg_traverse(jsonb_build_object('from', '{"label": "package"}'::jsonb, 'relationships', '[{"type": "DEPENDS_ON"}]'::jsonb, 'to', args, 'limit', 0)) -> 'total';
      IF got <> counted THEN told := told || format(' rows to %s >= %s: %s, not %s;', f.name, n, got, counted); END IF;
      SELECT coalesce(string_agg(b, ' ' ORDER BY b COLLATE "C"), '') INTO want FROM leads JOIN shown ON type = 'package' AND id = b AND (data #>> f.path)::int >= n WHERE a = 'p1' AND b <> 'p1';
      SELECT coalesce(string_agg(split_part(i, ':', 2), ' ' ORDER BY split_part(i, ':', 2) COLLATE "C"), '') INTO got FROM jsonb_array_elements_text(CASE WHEN EXISTS (SELECT FROM shown WHERE type = 'package' AND id = 'p1') THEN kg_neighbors(jsonb_build_object('start_node', '{"label": "package", "node_id": "p1"}'::jsonb, 'max_hops', 1,
        'direction', 'outgoing', 'relationship_types', '["DEPENDS_ON"]'::jsonb, 'node_labels', '["package"]'::jsonb, 'filters', args -> 'filters', 'ids_only', true, 'limit', 500)) -> 'nodes' ELSE '[]' END) x(i) WHERE i <> 'package:p1';
      IF got <> want THEN told := told || format(' near p1 %s >= %s: %s, not %s;', f.name, n, got, want); END IF;
    END LOOP;
    SELECT coalesce(jsonb_agg(jsonb_build_array(v, c) ORDER BY v), '[]')::text INTO want FROM (SELECT (data #>> f.path)::int AS v, count(DISTINCT a) AS c FROM leads JOIN shown ON type = 'package' AND id = b GROUP BY 1) x;
    got := kg_aggregate(jsonb_build_object('node', '{"label": "package"}'::jsonb, 'group_by', jsonb_build_array(jsonb_build_object('relationship', 'DEPENDS_ON', 'label', 'package', 'property', f.name)), 'aggregations', '[{"fn": "count"}]'::jsonb, 'limit', 1000)) -> 'rows';
    IF got <> want THEN told := told || format(' groups of ends by %s: %s, not %s;', f.name, got, want); END IF;
    got := kg_aggregate(jsonb_build_object('node', '{"label": "package"}'::jsonb, 'relationships', '[{"type": "DEPENDS_ON"}]'::jsonb, 'group_by', jsonb_build_array(jsonb_build_object('step', 1, 'label', 'package', 'property', f.name)), 'aggregations', '[{"fn": "count"}]'::jsonb, 'limit', 1000)) -> 'rows';
    IF got <> want THEN told := told || format(' groups of a step by %s: %s, not %s;', f.name, got, want); END IF;
  END LOOP;
  -- with other indexed properties beside it, and without
  SELECT jsonb_agg(jsonb_build_array(k, s, m, a) ORDER BY k)::text INTO want FROM (SELECT data ->> 'kind' AS k, sum((data ->> 'dependents')::int) AS s, max((data ->> 'needs')::int) AS m, sum((data ->> 'size')::int) AS a FROM shown WHERE type = 'package' GROUP BY 1) x;
  got := kg_aggregate('{"node": {"label": "package"}, "group_by": [{"property": "kind"}], "aggregations": [{"fn": "sum", "property": "dependents"}, {"fn": "max", "property": "needs"}, {"fn": "sum", "property": "size"}], "sort": [{"field": "kind"}]}') -> 'rows';
  IF got <> want THEN told := told || format(' sums: %s, not %s;', got, want); END IF;
  SELECT jsonb_agg(jsonb_build_array(k, s, m) ORDER BY k)::text INTO want FROM (SELECT data ->> 'kind' AS k, sum((data ->> 'dependents')::int) AS s, max((data ->> 'needs')::int) AS m FROM shown WHERE type = 'package' AND (data ->> 'dependents')::int > 0 GROUP BY 1) x;
  got := kg_aggregate('{"node": {"label": "package", "filters": {"dependents": {"gt": 0}}}, "group_by": [{"property": "kind"}], "aggregations": [{"fn": "sum", "property": "dependents"}, {"fn": "max", "property": "needs"}], "sort": [{"field": "kind"}]}') -> 'rows';
  IF got <> want THEN told := told || format(' sums of some: %s, not %s;', got, want); END IF;
  SELECT coalesce(string_agg(id, ' ' ORDER BY data ->> 'kind' COLLATE "C", (data ->> 'dependents')::int DESC, id COLLATE "C"), '') INTO want FROM shown WHERE type = 'package' AND ((data ->> 'dependents')::int = 0 OR data ->> 'kind' = 'k1' AND (data ->> 'needs')::int < 3);
  SELECT coalesce(string_agg(i, ' ' ORDER BY o), '') INTO got FROM jsonb_array_elements_text(kg_list_ids('package', '{"limit": 500, "sort": [{"field": "kind"}, {"field": "dependents", "order": "desc"}], "filters": {"any": [{"dependents": 0}, {"kind": "k1", "needs": {"lt": 3}}]}}') -> 'ids') WITH ORDINALITY x(i, o);
  IF got <> want THEN told := told || format(' alternatives: %s, not %s;', got, want); END IF;
  RETURN CASE WHEN told = '' THEN 'same' ELSE told END;
END $$;
CREATE FUNCTION public.cnt_tried(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d jsonb; r jsonb;
BEGIN
  EXECUTE 'SELECT ' || call INTO r;
  RETURN coalesce(r -> 'ids', r -> 'rows', r);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', d->>'code', d->>'path', sqlerrm, d->>'expected');
END $$;
-- differences that kg_check() finds, as the owner of the extension
CREATE FUNCTION public.cnt_checked(options jsonb DEFAULT '{}') RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE r jsonb := kg_check('{"tenant": "cnt"}' || options);
BEGIN
  RETURN concat_ws(' ', r ->> 'ok', r -> 'counts', (SELECT string_agg(concat_ws(' ', d ->> 'kind', d ->> 'id', d ->> 'expected', 'got', d ->> 'got'), '; ' ORDER BY d ->> 'id', d ->> 'expected') FROM jsonb_array_elements(r -> 'differences') d));
END $$;
CREATE FUNCTION public.cnt_state() RETURNS text LANGUAGE sql AS $$ SELECT cnt_same() || ', ' || cnt_checked() $$;
CREATE FUNCTION public.cnt_node(id text) RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT node FROM kg_entity WHERE entity_type = 'package' AND entity_id = id $$;
CREATE FUNCTION public.cnt_relation(name text) RETURNS integer LANGUAGE sql STABLE AS $$ SELECT DISTINCT relation_no FROM kg_relation WHERE relation = name $$;
\c - cnt_all
SELECT kg_apply_bundle(cnt_bundle(true) || jsonb_build_object('entities', jsonb_build_array(
    jsonb_build_object('entity_type', 'maker', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'm' || i) || CASE i WHEN 3 THEN '{"hidden": true}' ELSE '{}' END::jsonb) FROM generate_series(0, 4) i)),
    jsonb_build_object('entity_type', 'package', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'p' || i, 'kind', 'k' || i % 3, 'size', i, 'maker', 'm' || i * i % 4, 'stats', '{}'::jsonb) || CASE WHEN i > 20 THEN jsonb_build_object('part_of', 'p' || i % 5) ELSE '{}' END || CASE WHEN i % 7 = 3 THEN '{"hidden": true}' ELSE '{}' END::jsonb) FROM generate_series(0, 29) i))),
  'edges', (SELECT jsonb_agg(jsonb_build_object('relation', 'DEPENDS_ON', 'from', 'package:p' || i, 'to', 'package:p' || j, 'properties', jsonb_build_object('as', i || '-' || j) || CASE WHEN (i + j) % 5 = 0 THEN '{"secret": true}' ELSE '{}' END::jsonb)) FROM generate_series(0, 29) i, generate_series(0, 29) j WHERE i * j % 11 = 3 OR j = 0 AND i % 2 = 0)
    || (SELECT jsonb_agg(jsonb_build_object('relation', 'NEAR', 'from', 'package:p' || i, 'to', 'package:p' || i + j)) FROM generate_series(0, 9) i, generate_series(0, 9, 3) j WHERE i % 3 >= j))) ->> 'changed';
SELECT cnt_state();
SELECT kg_list('package', '{"limit": 3, "sort": [{"field": "dependents", "order": "desc"}], "fields": ["id", "dependents", "needs"]}') - 'next';
SELECT count(*), count(DISTINCT field_no) FROM kg_index_key WHERE field_no >= 32768;
-- another tenant has its own
\c - cnt_other
SELECT kg_apply_bundle(cnt_bundle(true) || '{"entities": [{"entity_type": "package", "items": [{"id": "p0", "kind": "k0", "size": 1, "stats": {}}, {"id": "p1", "kind": "k1", "size": 2, "stats": {}}]}], "edges": [{"relation": "DEPENDS_ON", "from": "package:p0", "to": "package:p1", "properties": {"as": "x"}}]}') ->> 'changed';
SELECT cnt_same();
-- at an instant what holds is counted
SELECT kg_apply_bundle('{"bundle_name": "times", "version": "1", "schemas": [{"entity_type": "place", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "staff": {"type": "integer", "x-derived": {"count": "WORKS_AT", "direction": "incoming"}, "x-index": true}}}}, {"entity_type": "worker", "schema": {"type": "object", "x-id-field": "id", "x-valid-to": "until", "properties": {"id": {"type": "string"}, "until": {"type": "string", "format": "date"}}}}],
  "relations": [{"name": "WORKS_AT", "from": "worker", "to": "place", "schema": {"type": "object", "x-valid-from": "since", "properties": {"since": {"type": "string", "format": "date"}}}}], "entities": [{"entity_type": "place", "items": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}, {"entity_type": "worker", "items": [{"id": "w1"}, {"id": "w2"}, {"id": "w3", "until": "2020-01-01"}]}],
  "edges": [{"relation": "WORKS_AT", "from": "worker:w1", "to": "place:a", "properties": {"since": "2010-01-01"}}, {"relation": "WORKS_AT", "from": "worker:w2", "to": "place:b", "properties": {"since": "2019-01-01"}}, {"relation": "WORKS_AT", "from": "worker:w3", "to": "place:b", "properties": {"since": "2009-01-01"}}]}') ->> 'changed';
SELECT at, kg_list_ids('place', '{"sort": [{"field": "staff", "order": "desc"}]}' || v) -> 'ids', kg_list_ids('place', '{"filters": {"staff": {"gte": 1}}}' || v) -> 'ids', kg_aggregate('{"node": {"label": "place"}, "aggregations": [{"fn": "sum", "property": "staff"}]}' || v) #> '{rows,0,0}', jsonb_path_query_array(kg_list('place', v), '$.items[*].data.staff')
  FROM unnest('{2009-06-01T00:00:00Z,2011-01-01T00:00:00Z,2019-06-01T00:00:00Z,2021-01-01T00:00:00Z,NULL}'::text[]) at, LATERAL (SELECT CASE WHEN at IS NULL THEN '{}' ELSE jsonb_build_object('valid_at', at) END) x(v);
\c - cnt_all
-- edges are made, given another end, taken away; parallel ones, loops, both ends of a symmetric one
SELECT kg_put_edges('[{"relation": "DEPENDS_ON", "from": "package:p1", "to": "package:p7", "properties": {"as": "one"}}, {"relation": "DEPENDS_ON", "from": "package:p1", "to": "package:p7", "properties": {"as": "two"}}, {"relation": "DEPENDS_ON", "from": "package:p7", "to": "package:p7", "properties": {"as": "own"}},
  {"relation": "NEAR", "from": "package:p7", "to": "package:p7"}, {"relation": "NEAR", "from": "package:p12", "to": "package:p11"}, {"relation": "NEAR", "from": "package:p11", "to": "package:p13"}]') -> 'counts', cnt_state();
INSERT INTO kg_edge (tenant, source, relation_no, key, target, properties) SELECT 'cnt', cnt_node('p' || i), cnt_relation('DEPENDS_ON'), 'd' || i, cnt_node('p9'), jsonb_build_object('as', 'd' || i) FROM generate_series(1, 6) i;
SELECT cnt_state();
UPDATE kg_edge SET target = cnt_node('p10') WHERE target = cnt_node('p9') AND key IN ('d1', 'd2');
UPDATE kg_edge SET source = cnt_node('p10') WHERE target = cnt_node('p9') AND key = 'd3';
UPDATE kg_edge SET properties = properties || '{"secret": true}' WHERE key LIKE 'd%';
SELECT cnt_state();
DELETE FROM kg_edge WHERE relation_no = cnt_relation('DEPENDS_ON') AND key ~ '^1';
SELECT cnt_state();
SELECT kg_delete_edges('[{"relation": "NEAR", "from": "package:p11", "to": "package:p12"}, {"relation": "DEPENDS_ON", "from": "package:p1", "to": "package:p7", "properties": {"as": "two"}}]') -> 'counts', cnt_state();
-- what is undone is not counted
BEGIN;
SAVEPOINT a;
INSERT INTO kg_edge (tenant, source, relation_no, key, target, properties) SELECT 'cnt', cnt_node('p' || i), cnt_relation('DEPENDS_ON'), 'u', cnt_node('p8'), '{"as": "u"}' FROM generate_series(1, 6) i;
SELECT kg_get('package', 'p8') -> 'dependents', kg_list_ids('package', '{"filters": {"dependents": {"gte": 6}, "id": "p8"}}') -> 'ids';
ROLLBACK TO a;
SELECT kg_get('package', 'p8') -> 'dependents', cnt_state();
COMMIT;
-- references: written, changed, taken away; entities that are new, renamed, gone
SELECT kg_put_entities('package', '[{"id": "p30", "kind": "k0", "size": 1, "maker": "m1", "stats": {}, "part_of": "p31"}, {"id": "p31", "kind": "k1", "size": 1, "maker": "m1", "stats": {}, "part_of": "p30"}, {"id": "p1", "kind": "k1", "size": 1, "maker": "m4", "stats": {}}]') -> 'counts', cnt_state();
UPDATE kg_entity SET data = data || '{"maker": "m2", "part_of": "p1"}' WHERE entity_type = 'package' AND entity_id IN ('p2', 'p3', 'p4', 'p5');
SELECT cnt_state();
SELECT version AS was FROM kg_entity WHERE entity_id = 'p9' AND entity_type = 'package' \gset
UPDATE kg_entity SET data = data || '{"id": "p9-renamed"}' WHERE entity_type = 'package' AND entity_id = 'p9';
SELECT cnt_state();
DELETE FROM kg_entity WHERE entity_type = 'package' AND entity_id IN ('p30', 'p1');
SELECT cnt_state();
DELETE FROM kg_entity WHERE entity_type = 'maker' AND entity_id = 'm2';
SELECT count(*), cnt_state() FROM kg_entity WHERE entity_type = 'package';
WITH gone AS (DELETE FROM kg_entity WHERE entity_type = 'maker' AND entity_id = 'm4' RETURNING *) INSERT INTO kg_entity (tenant, bundle, entity_type, data) SELECT tenant, bundle, entity_type, data || '{"id": "m5"}' FROM gone;
SELECT cnt_state();
-- no version rises by an edge, the history and the export know of none
SELECT version - :was FROM kg_entity WHERE entity_type = 'package' AND entity_id = 'p9-renamed';
SELECT count(*) FROM kg_history WHERE after ? 'dependents' OR before ? 'dependents' OR after ? 'made';
SELECT count(*) FROM jsonb_array_elements(kg_export_bundle('pkg') #> '{entities}') s, jsonb_array_elements(s -> 'items') i WHERE i ? 'dependents' OR i ? 'made' OR i ? 'needs' OR i -> 'stats' ? 'near';
SELECT kg_apply_bundle(kg_export_bundle('pkg')) ->> 'changed', cnt_state();
SELECT data ? 'dependents' OR kg_packed_key(index_keys, 32773) IS NOT NULL FROM kg_entity WHERE entity_type = 'package' GROUP BY 1;
-- a schema that counts otherwise, or does not keep it; with entities and edges in the same bundle
SELECT kg_apply_bundle(cnt_bundle(false), '{"mode": "merge"}') ->> 'changed', cnt_state(), count(*) FROM kg_index_key WHERE field_no >= 32768;
SELECT cnt_tried($$kg_list_ids('maker', '{"sort": [{"field": "made"}]}')$$);
SELECT kg_apply_bundle(cnt_bundle(true), '{"mode": "merge"}') ->> 'changed', cnt_state(), count(*) FROM kg_index_key WHERE field_no >= 32768;
SELECT kg_apply_bundle(cnt_bundle(true, '{"dependents": {"type": "integer", "x-derived": {"count": "DEPENDS_ON", "direction": "outgoing"}, "x-index": true}, "needs": {"type": "integer", "x-derived": {"count": "NEAR"}, "x-index": true}}'), '{"mode": "merge"}') ->> 'changed', cnt_state();
SELECT kg_apply_bundle(cnt_bundle(true) || '{"entities": [{"entity_type": "package", "items": [{"id": "p50", "kind": "k2", "size": 4, "part_of": "p0", "stats": {}}]}], "edges": [{"relation": "DEPENDS_ON", "from": "package:p50", "to": "package:p0", "properties": {"as": "new"}}]}', '{"mode": "merge"}') ->> 'changed', cnt_state();
SELECT (kg_rebuild() ->> 'edges')::int > 0, cnt_state();
-- plain rows instead of counts
SELECT kg_apply_bundle(cnt_bundle(true, '{"needs": {"type": "integer", "x-index": true}}'), '{"mode": "merge"}') ->> 'changed', cnt_checked();
SELECT kg_apply_bundle(cnt_bundle(true), '{"mode": "merge"}') ->> 'changed', cnt_state();
-- a relation that becomes symmetric, and no more; one that leads elsewhere
SELECT kg_apply_bundle(replace(b::text, '"from": "package", "name": "NEAR", "symmetric": true', '"from": "package", "name": "NEAR"')::jsonb, '{"mode": "merge"}') ->> 'changed', b::text ~ '"from": "package", "name": "NEAR", "symmetric": true', cnt_state() FROM cnt_bundle(true) b;
SELECT kg_apply_bundle(cnt_bundle(true), '{"mode": "merge"}') ->> 'changed', cnt_state();
-- edges of references that wait are not counted, whatever is asked
BEGIN; SET CONSTRAINTS kg_references DEFERRED;
INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('pkg', 'package', '{"id": "waits", "kind": "k1", "size": 1, "maker": "m99", "stats": {}}');
SELECT cnt_tried($$kg_list_ids('maker', '{"filters": {"made": 0}}')$$), cnt_tried($$kg_list_ids('package', '{"filters": {"id": "waits", "dependents": 0}}')$$);
ROLLBACK;
-- a relation of the same name in another bundle counts too, but not for an agent that does not see it; and no more when it is dropped
SELECT kg_apply_bundle('{"bundle_name": "more", "version": "1", "schemas": [{"entity_type": "plugin", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "relations": [{"name": "DEPENDS_ON", "from": "plugin", "to": "pkg/package"}],
  "entities": [{"entity_type": "plugin", "items": [{"id": "x"}, {"id": "y"}]}], "edges": [{"relation": "DEPENDS_ON", "from": "plugin:x", "to": "package:p6"}, {"relation": "DEPENDS_ON", "from": "plugin:y", "to": "package:p6"}, {"relation": "DEPENDS_ON", "from": "plugin:y", "to": "package:p8"}]}') ->> 'changed', kg_get('package', 'p6') -> 'dependents', cnt_state();
SELECT kg_create_agent('cnt_few', '{"bundles": ["pkg"]}') IS NOT NULL;
SET kg_graph.agent = 'cnt_few';
SELECT kg_get('package', 'p6') -> 'dependents', cnt_same(), count(*) FROM kg_index_key;
SET kg_graph.agent = '';
SELECT kg_apply_bundle('{"bundle_name": "more", "version": "1", "schemas": [{"entity_type": "plugin", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": [{"entity_type": "plugin", "items": [{"id": "x"}]}], "relations": [{"name": "DEPENDS_ON", "from": "plugin", "to": "pkg/package"}], "edges": [{"relation": "DEPENDS_ON", "from": "plugin:x", "to": "package:p6"}]}') ->> 'changed', cnt_state();
SELECT kg_apply_bundle('{"bundle_name": "more", "version": "1", "schemas": [{"entity_type": "plugin", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": [{"entity_type": "plugin", "items": [{"id": "x"}]}]}') ->> 'changed', kg_get('package', 'p6') -> 'dependents', cnt_state();
SELECT kg_apply_bundle('{"bundle_name": "more", "version": "1", "schemas": [{"entity_type": "plugin", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": [{"entity_type": "plugin", "items": [{"id": "x"}]}], "relations": [{"name": "DEPENDS_ON", "from": "plugin", "to": "pkg/package"}, {"name": "DEPENDS_ON", "from": "plugin", "to": "plugin"}],
  "edges": [{"relation": "DEPENDS_ON", "from": "plugin:x", "to": "package:p6"}, {"relation": "DEPENDS_ON", "from": "plugin:x", "to": "plugin:x"}]}') ->> 'changed', cnt_state();
SELECT kg_apply_bundle('{"bundle_name": "more", "version": "1", "schemas": [{"entity_type": "plugin", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": [{"entity_type": "plugin", "items": [{"id": "x"}]}], "relations": [{"name": "DEPENDS_ON", "from": "plugin", "to": "plugin"}],
  "edges": [{"relation": "DEPENDS_ON", "from": "plugin:x", "to": "plugin:x"}]}') ->> 'changed', cnt_state();
SELECT kg_drop_bundle('more') ->> 'changed', cnt_state();

-- who does not see everything: what it sees is counted, and nothing is told of the rest
\c - cnt_some
SELECT cnt_same(), count(*) FROM kg_index_key;
SELECT count(*) FROM shown WHERE data ? 'hidden';
\c - :owner
SET kg_graph.max_scan = 5; SET ROLE cnt_some;
SELECT cnt_tried($$kg_list_ids('package', '{"sort": [{"field": "dependents"}]}')$$);
SELECT cnt_tried($$kg_list_ids('package', '{"filters": {"dependents": {"gte": 2}}}')$$);
SELECT cnt_tried($$kg_find_nodes('{"node_label": "package", "filters": {"any": [{"kind": "k1"}, {"needs": 2}]}}')$$);
SELECT cnt_tried($$kg_aggregate('{"node": {"label": "package"}, "aggregations": [{"fn": "max", "property": "dependents"}]}')$$);
SELECT cnt_tried($$kg_list_ids('package', '{"sort": [{"field": "dependents"}], "filters": {"id": {"in": ["p0", "p5", "p6"]}}}')$$);
SELECT cnt_tried($$kg_aggregate('{"node": {"label": "package", "ids": ["p0", "p5", "p6"]}, "aggregations": [{"fn": "max", "property": "dependents"}]}')$$);
-- of what relationships lead to as well
SELECT cnt_tried($$kg_find_nodes('{"node_label": "package", "related": [{"type": "DEPENDS_ON", "direction": "outgoing", "to": {"label": "package", "filters": {"dependents": {"gte": 2}}}}]}')$$);
SELECT cnt_tried($$kg_aggregate('{"node": {"label": "package"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "DEPENDS_ON", "label": "package", "property": "needs"}]}')$$);
SELECT cnt_tried($$kg_aggregate('{"node": {"label": "package", "ids": ["p21"]}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "MADE_BY", "label": "maker", "property": "made"}]}')$$);
\c - cnt_part
SELECT cnt_same(), count(*) FROM kg_index_key;
-- and who does: of another time, and at an instant, it is counted too
\c - :owner
SET kg_graph.max_scan = 5; SET ROLE cnt_all;
SELECT cnt_same();
SELECT cnt_tried(format($$kg_list_ids('package', '{"sort": [{"field": "dependents"}], "as_of": "%s"}')$$, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')));
-- where it is asked for that is not an entity's own, and in claims
SELECT cnt_tried($$kg_traverse('{"from": {"label": "package", "ids": ["p0"]}, "relationships": [{"type": "DEPENDS_ON", "direction": "incoming"}], "to": {"label": "package", "filters": {"dependents": 1}}}')$$);
SELECT cnt_tried($$kg_aggregate('{"node": {"label": "package"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "MADE_BY", "label": "maker", "property": "made"}]}')$$);
SELECT x ->> 'verdict' FROM jsonb_array_elements(kg_verify(jsonb_build_object('claims', jsonb_build_array(jsonb_build_object('entity', 'package:p0', 'property', 'dependents', 'is', kg_get('package', 'p0') -> 'dependents'), '{"entity": "package:p0", "property": "dependents", "is": 99}'::jsonb))) -> 'claims') x;
-- the statements: the most depended upon are read from the index, a second count by its node; for who sees a part no key of a count is read
\c - cnt_all
CREATE FUNCTION pg_temp.scans() RETURNS TABLE (scan text) LANGUAGE sql AS $$
  SELECT DISTINCT trim(regexp_replace(l, ' on kg_(\w+) \w+$', ' on kg_\1'), '-> ') FROM jsonb_array_elements(kg_explain('list_package_ids', '{"sort": [{"field": "dependents", "order": "desc"}, {"field": "needs"}], "filters": {"parts": {"gte": 0}}, "limit": 3}') -> 'statements') s, jsonb_array_elements_text(s -> 'plan') l WHERE l ~ ' Scan' ORDER BY 1 $$;
SELECT * FROM pg_temp.scans();
SELECT DISTINCT regexp_replace(s ->> 'sql', ' FROM .*', '') FROM jsonb_array_elements(kg_explain('list_package_ids', '{"sort": [{"field": "dependents", "order": "desc"}], "limit": 3}') -> 'statements') s ORDER BY 1;
\c - cnt_some
CREATE FUNCTION pg_temp.scans() RETURNS TABLE (scan text) LANGUAGE sql AS $$
  SELECT DISTINCT trim(regexp_replace(l, ' on kg_(\w+) \w+$', ' on kg_\1'), '-> ') FROM jsonb_array_elements(kg_explain('list_package_ids', '{"sort": [{"field": "dependents", "order": "desc"}, {"field": "needs"}], "filters": {"parts": {"gte": 0}}, "limit": 3}') -> 'statements') s, jsonb_array_elements_text(s -> 'plan') l WHERE l ~ ' Scan' ORDER BY 1 $$;
SELECT * FROM pg_temp.scans();

-- what is damaged is found, and mended
\c - :owner
SET kg_graph.tenant = 'cnt'; SET client_min_messages = error;
CREATE FUNCTION public.cnt_damage(what text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE found text; n int;
BEGIN
  EXECUTE what; GET DIAGNOSTICS n = ROW_COUNT;
  found := regexp_replace(cnt_checked('{"repair": true}'), 'got \d+ 3', 'got ... 3');
  RETURN n || ': ' || found || ' -> ' || cnt_checked();
END $$;
BEGIN;
SELECT cnt_damage($$UPDATE kg_index_key k SET key = (SELECT o.key FROM kg_index_key o WHERE o.type_no = k.type_no AND o.field_no = k.field_no AND o.key <> k.key ORDER BY o.key DESC LIMIT 1) WHERE field_no >= 32768 AND tenant = 'cnt' AND entity_id = 'm1'$$);
SELECT cnt_damage($$DELETE FROM kg_index_key WHERE field_no >= 32768 AND tenant = 'cnt' AND entity_id = 'm1'$$);
SELECT cnt_damage($$INSERT INTO kg_index_key SELECT tenant, type_no, 32768 + 500, key, entity_id, node FROM kg_index_key WHERE field_no >= 32768 AND tenant = 'cnt' AND entity_id = 'm1'$$);
SELECT cnt_damage($$INSERT INTO kg_index_key SELECT tenant, type_no, field_no, key, 'nobody', -5 FROM kg_index_key WHERE field_no >= 32768 AND tenant = 'cnt' AND entity_id = 'm1'$$);
SELECT cnt_damage($$UPDATE kg_index_key SET key = '\x2002' WHERE field_no >= 32768 AND tenant = 'cnt' AND entity_id = 'm1'$$);
ROLLBACK;
-- triggers that were off
BEGIN;
ALTER TABLE kg_edge DISABLE TRIGGER USER;
INSERT INTO kg_edge (tenant, source, relation_no, key, target, properties) SELECT 'cnt', a.node, (SELECT DISTINCT relation_no FROM kg_relation WHERE tenant = 'cnt' AND relation = 'DEPENDS_ON'), 'off', b.node, '{"as": "off"}' FROM kg_entity a, kg_entity b WHERE a.tenant = 'cnt' AND b.tenant = 'cnt' AND a.entity_id = 'p6' AND b.entity_id = 'p8';
ALTER TABLE kg_edge ENABLE TRIGGER USER;
SELECT cnt_checked();
-- one more, by delta: what is wrong stays so, and no count is below zero
DELETE FROM kg_edge WHERE key = 'off' AND tenant = 'cnt';
SELECT cnt_checked();
ROLLBACK;
-- a copy has counts of its own, and they go with a tenant's name
SELECT kg_import_tenant(array_agg(l), '{"name": "cnt-copy"}') IS NOT NULL FROM kg_export_tenant('cnt') l;
SELECT count(*), bool_and(a.key = b.key) FROM kg_index_key a JOIN kg_entity_type t ON t.tenant = a.tenant AND t.type_no = a.type_no JOIN kg_index_key b ON b.tenant = 'cnt-copy' AND b.field_no = a.field_no AND b.entity_id = a.entity_id
  JOIN kg_entity_type u ON u.tenant = b.tenant AND u.type_no = b.type_no AND u.entity_type = t.entity_type WHERE a.tenant = 'cnt' AND a.field_no >= 32768;
SELECT kg_freeze_tenant('cnt') IS NOT NULL, kg_rename_tenant('cnt', 'cnt-new') IS NOT NULL, kg_check('{"tenant": "cnt-copy"}') -> 'ok';
SELECT kg_check('{"tenant": "cnt-new"}') -> 'ok';
-- somebody else decides about who depends: counted, not read
SELECT FROM kg_grant('cnt2', :'owner', 'admin'); SET kg_graph.tenant = 'cnt2';
SELECT kg_apply_bundle('{"bundle_name": "asked", "version": "1", "schemas": [{"entity_type": "secret", "schema": {"type": "object", "x-id-field": "id", "x-authorize": {"ability": "read"}, "properties": {"id": {"type": "string"}}}}], "relations": [{"name": "DEPENDS_ON", "from": "secret", "to": "pkg/package"}],
  "entities": [{"entity_type": "secret", "items": [{"id": "s1"}, {"id": "s2"}]}], "edges": [{"relation": "DEPENDS_ON", "from": "secret:s1", "to": "package:p0"}, {"relation": "DEPENDS_ON", "from": "secret:s2", "to": "package:p0"}]}') ->> 'changed';
SELECT count(*) FROM kg_edge WHERE tenant = 'cnt2';
\c - cnt_other
SELECT kg_list('package', '{"sort": [{"field": "dependents", "order": "desc"}], "fields": ["dependents"]}') -> 'items', cnt_same(), count(*) FROM kg_index_key;
\c - :owner
SELECT kg_drop_tenant(t) FROM unnest('{cnt-new,cnt-copy,cnt2}'::text[]) t; SELECT kg_free_tenant_name('cnt') IS NOT NULL;
SELECT count(*) FROM kg_index_key WHERE field_no >= 32768;
DROP POLICY cnt_hides ON kg_entity; DROP POLICY cnt_cuts ON kg_edge;
DROP FUNCTION cnt_bundle(boolean, jsonb), cnt_same(), cnt_tried(text), cnt_checked(jsonb), cnt_state(), cnt_node(text), cnt_relation(text), cnt_damage(text);
DROP OWNED BY cnt_all, cnt_some, cnt_part, cnt_other; DROP ROLE cnt_all, cnt_some, cnt_part, cnt_other;
