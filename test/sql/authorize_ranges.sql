-- Nodes with close numbers are read by ranges within a statement
-- (query/graph/nodes.c). Nodes between them that were not requested stay hidden, and
-- the authorizer is not called for them.
\i test/data/prelude.sql
CREATE ROLE ranges_reader LOGIN;
CALL test.tenant('ranges');
SELECT count(kg_grant('ranges', r, a)) FROM (VALUES ('ranges_reader', 'read'), (current_user::text, 'admin')) g(r, a);
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO ranges_reader; GRANT pg_read_all_stats TO ranges_reader;
SET kg_graph.tenant = 'ranges';
-- h1 refers to even leaves, h2 to every third one; between them lie leaves that nothing refers to
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'ranges', 'version', '1', 'schemas', '[
  {"entity_type": "leaf", "schema": {"type": "object", "x-id-field": "id", "x-authorize": {"ability": "see"}, "properties": {"id": {"type": "string"}}}},
  {"entity_type": "open", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}},
  {"entity_type": "hub", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}]'::jsonb,
  'relations', '[{"name": "HAS", "from": "hub", "to": "leaf"}, {"name": "NEXT", "from": "leaf", "to": "open"}, {"name": "BACK", "from": "open", "to": "leaf"}]'::jsonb,
  'entities', jsonb_build_array(
    jsonb_build_object('entity_type', 'hub', 'items', '[{"id": "h1"}, {"id": "h2"}]'::jsonb),
    jsonb_build_object('entity_type', 'leaf', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'l' || to_char(n, 'FM000')) ORDER BY n) FROM generate_series(0, 299) n)),
    jsonb_build_object('entity_type', 'open', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'o' || to_char(n, 'FM000')) ORDER BY n) FROM generate_series(0, 299) n))),
  'edges', (SELECT jsonb_agg(jsonb_build_object('relation', 'HAS', 'from', 'h1', 'to', 'l' || to_char(n, 'FM000'))) FROM generate_series(0, 98, 2) n)
        || (SELECT jsonb_agg(jsonb_build_object('relation', 'HAS', 'from', 'h2', 'to', 'l' || to_char(n, 'FM000'))) FROM generate_series(1, 199, 3) n)
        || (SELECT jsonb_agg(jsonb_build_object('relation', 'NEXT', 'from', 'l' || to_char(n, 'FM000'), 'to', 'o' || to_char(n * 7 % 100, 'FM000'))) FROM generate_series(0, 199) n)
        || (SELECT jsonb_agg(jsonb_build_object('relation', 'BACK', 'from', 'o' || to_char(n, 'FM000'), 'to', 'l' || to_char(200 + n, 'FM000'))) FROM generate_series(0, 99, 2) n))) ? 'revision' AS applied;
RESET kg_graph.tenant;
-- some are denied; what it is asked about is told, and what it is asked about twice in a call
CREATE FUNCTION ranges_may(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('ranges.asked', current_setting('ranges.asked') || array_to_string(ids, ' ') || ' ', false);
  RETURN QUERY SELECT i, i NOT LIKE '%7' AND i NOT LIKE '%8' FROM unnest(ids) i;
END $$;
SELECT FROM kg_set_authorizer('ranges', 'ranges_may(text, text, text[])');
CREATE FUNCTION ranges_near(hub text) RETURNS jsonb LANGUAGE sql AS $$ SELECT kg_neighbors(jsonb_build_object('start_node', jsonb_build_object('label', 'hub', 'node_id', hub), 'direction', 'outgoing', 'max_hops', 3, 'limit', 200)) $$;
-- in one statement: more than the first of these read by ranges
CREATE FUNCTION ranges_same(hubs text[]) RETURNS TABLE (hub text, total text, reply text, asked bigint, twice bigint, not_reached bigint) LANGUAGE plpgsql AS $$
DECLARE
  said jsonb;
BEGIN
  FOREACH hub IN ARRAY hubs LOOP
    PERFORM set_config('ranges.asked', '', false);
    said := ranges_near(hub);
    total := said ->> 'total';
    reply := left(md5(said::text), 8);
    SELECT count(*), count(*) - count(DISTINCT a) INTO asked, twice FROM string_to_table(trim(current_setting('ranges.asked')), ' ') a;
    SELECT count(*) INTO not_reached FROM string_to_table(trim(current_setting('ranges.asked')), ' ') a
     WHERE substr(a, 2)::int < 200 AND CASE hub WHEN 'h1' THEN substr(a, 2)::int % 2 <> 0 OR substr(a, 2)::int > 98 ELSE substr(a, 2)::int % 3 <> 1 END;
    RETURN NEXT;
  END LOOP;
END $$;
SET ROLE ranges_reader;

-- the same replies as one by one, the same questions, none about what is between
CREATE TEMP TABLE alone AS SELECT hub, s.* FROM unnest('{h1,h2}'::text[]) hub, LATERAL (VALUES (NULL::text, NULL::text, NULL::bigint)) s(total, reply, asked) LIMIT 0;
INSERT INTO alone SELECT hub, total, reply, asked FROM ranges_same('{h1}');
INSERT INTO alone SELECT hub, total, reply, asked FROM ranges_same('{h2}');
SELECT r.hub, r.total, r.total = a.total AND r.reply = a.reply AND r.asked = a.asked AS same, r.asked, r.twice, r.not_reached FROM ranges_same('{h1,h2,h1,h2,h1}') r JOIN alone a USING (hub);
-- what is between counts for no limit
SELECT asked AS needed FROM alone WHERE hub = 'h2' \gset
RESET ROLE; SET kg_graph.max_authorizations = :needed; SET ROLE ranges_reader;
SELECT r.hub, r.total = a.total AND r.reply = a.reply AS same FROM ranges_same('{h2,h2,h2}') r JOIN alone a USING (hub);
RESET ROLE; RESET kg_graph.max_authorizations; SET ROLE ranges_reader;

-- by the index that nodes lead
CREATE FUNCTION pg_temp.plans() RETURNS TABLE (line text) LANGUAGE sql AS $$
  SELECT l FROM jsonb_array_elements(kg_explain('explore_neighbors', '{"start_node": {"label": "hub", "node_id": "h2"}, "direction": "outgoing", "max_hops": 3}') -> 'statements') s, jsonb_array_elements_text(s -> 'plan') l
   WHERE s ->> 'sql' LIKE '%node >=%' $$;
SELECT replace(line, '(tenant IS NOT NULL) AND ', '') AS line FROM pg_temp.plans() WHERE line ~ 'Scan|Index Cond';

-- where there is another one's policy it is asked about no row that nobody wants
RESET ROLE;
CREATE FUNCTION ranges_row(id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('ranges.rows', current_setting('ranges.rows') || id || ' ', false);
  RETURN true;
END $$;
CREATE POLICY ranges_policy ON kg_entity AS RESTRICTIVE FOR SELECT TO ranges_reader USING (ranges_row(entity_id));
SET ROLE ranges_reader; SET ranges.rows = '';
SELECT r.hub, r.total = a.total AND r.reply = a.reply AND r.asked = a.asked AS same FROM ranges_same('{h1,h1,h1,h1}') r JOIN alone a USING (hub);
SELECT count(*) AS not_wanted FROM string_to_table(trim(current_setting('ranges.rows')), ' ') a WHERE a ~ '^l' AND substr(a, 2)::int < 200 AND (substr(a, 2)::int % 2 <> 0 OR substr(a, 2)::int > 98);
SELECT count(*) AS ranges FROM pg_temp.plans();
RESET ROLE;
DROP POLICY ranges_policy ON kg_entity;

SELECT FROM kg_set_authorizer('ranges', NULL);
SELECT FROM kg_drop_tenant('ranges');
DROP FUNCTION ranges_may(text, text, text[]), ranges_near(text), ranges_same(text[]), ranges_row(text);
DROP OWNED BY ranges_reader; DROP ROLE ranges_reader;
