-- Rows that are hidden from a caller within its own tenant. For a caller that sees
-- the whole tenant, visibility is not tested row by row.
\i test/data/prelude.sql
CALL test.tenant('visible', 'visible_reader read', 'visible_admin admin');
CREATE ROLE visible_gateway LOGIN;
SELECT kg_grant_gateway('visible_gateway');
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO visible_reader, visible_gateway; GRANT pg_read_all_stats TO visible_reader, visible_gateway;
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience) VALUES ('visible', 'k', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg');
\c - visible_admin
-- a -> b -> c, where b is in another path; d has none; the labels say where each is
SELECT kg_apply_bundle('{"bundle_name": "docs", "version": "1", "schemas": [{"entity_type": "page", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "title", "x-scope-field": "path", "x-tool-expose": ["list", "get", "list_ids"],
    "properties": {"id": {"type": "string"}, "title": {"type": "string", "x-index": true}, "path": {"type": "string"}, "n": {"type": "integer", "x-index": true}, "next": {"type": "string", "x-ref": "page", "x-relation": "NEXT", "x-index": true}}}}],
  "entities": [{"entity_type": "page", "items": [{"id": "a", "title": "Aa in two", "path": "1/2/", "n": 1, "next": "b"}, {"id": "b", "title": "Bb in twenty-two", "path": "1/22/", "n": 2, "next": "c"}, {"id": "c", "title": "Cc in two", "path": "1/2/7/", "n": 3},
    {"id": "d", "title": "Dd nowhere", "n": 4}, {"id": "e", "title": "Ee in one", "path": "1/", "n": 5, "next": "a"}, {"id": "f", "title": "Ff in ten", "path": "10/2/", "n": 6, "next": "a"}]}]}') ? 'revision' AS applied;
SELECT kg_apply_bundle('{"bundle_name": "staff", "version": "1", "schemas": [{"entity_type": "person", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name",
    "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "wrote": {"type": "string", "x-ref": "docs/page", "x-relation": "WROTE", "x-index": true}}}}],
  "entities": [{"entity_type": "person", "items": [{"id": "ann", "name": "Ann", "wrote": "a"}]}]}') ? 'revision' AS applied;
SELECT kg_create_agent('all', '{"bundles": ["docs", "staff"]}');
SELECT kg_create_agent('docs', '{"bundles": ["docs"]}');

-- Whether a list of ids asks kg_entity, which knows what is hidden, or the keys alone.
\c - :owner
CREATE FUNCTION visible_asks() RETURNS boolean LANGUAGE sql AS $$ SELECT bool_or(s ->> 'sql' ~ 'kg_entity ') FROM jsonb_array_elements(kg_explain('list_page_ids', '{"filters": {"n": {"gt": 0}}, "limit": 2}') -> 'statements') s $$;
SELECT kg_issue_token('{"tenant": "visible"}') AS plain, kg_issue_token('{"tenant": "visible", "agent": "all"}') AS all_bundles, kg_issue_token('{"tenant": "visible", "agent": "docs"}') AS docs_only,
       kg_issue_token('{"tenant": "visible", "traversal_ids": ["1/2/"]}') AS two, kg_issue_token('{"tenant": "visible", "traversal_ids": ["1/2/", "10/"]}') AS both, kg_issue_token('{"tenant": "visible", "traversal_ids": ["1/22/", "1/2/"]}') AS neighbours,
       kg_issue_token('{"tenant": "visible", "traversal_ids": ["2/", "1/2/7/"]}') AS deep, kg_issue_token('{"tenant": "visible", "traversal_ids": []}') AS none \gset
\c - visible_reader
SELECT visible_asks() AS unscoped_role;
SET kg_graph.agent = 'all'; SELECT visible_asks() AS agent_with_all; SET kg_graph.agent = 'docs'; SELECT visible_asks() AS agent_with_some; RESET kg_graph.agent;
\c - visible_gateway
BEGIN; SELECT kg_login(:'plain'); SELECT visible_asks() AS plain; COMMIT;
BEGIN; SELECT kg_login(:'all_bundles'); SELECT visible_asks() AS all_bundles; COMMIT;
BEGIN; SELECT kg_login(:'docs_only'); SELECT visible_asks() AS docs_only; COMMIT;
BEGIN; SELECT kg_login(:'two'); SELECT visible_asks() AS scoped; COMMIT;
BEGIN; SELECT kg_login(:'plain'); SELECT visible_asks() AS plain_again; COMMIT;
-- Policies that a DBA adds or changes count for everybody, at once, and until they are gone.
\c - :owner
SET ROLE visible_reader; SELECT visible_asks() AS before; RESET ROLE;
CREATE POLICY visible ON kg_entity AS RESTRICTIVE FOR SELECT TO visible_reader USING (entity_id <> 'b');
SET ROLE visible_reader; SELECT visible_asks() AS with_policy, kg_list_ids('page', '{"filters": {"n": {"gt": 0}}}') -> 'ids' AS ids; RESET ROLE;
DROP POLICY visible ON kg_entity;
SET ROLE visible_reader; SELECT visible_asks() AS without_policy; RESET ROLE;
SELECT polqual_text FROM (SELECT pg_get_expr(polqual, polrelid) AS polqual_text FROM pg_policy WHERE polname = 'kg_entity_select' AND polrelid = 'kg_entity'::regclass) p;
ALTER POLICY kg_entity_select ON kg_entity USING (tenant = kg_tenant() AND kg_entity_visible(bundle, scope, type_no, node, entity_id, data) AND entity_id <> 'b');
SET ROLE visible_reader; SELECT visible_asks() AS changed_policy, kg_list_ids('page', '{"filters": {"n": {"gt": 0}}}') -> 'ids' AS ids; RESET ROLE;
ALTER POLICY kg_entity_select ON kg_entity USING (kg_own_tenant(tenant) AND tenant = kg_tenant() AND kg_entity_visible(bundle, scope, type_no, node, entity_id, data));
SET ROLE visible_reader; SELECT visible_asks() AS as_it_was; RESET ROLE;

-- Rows that are derived from an entity do not reveal it to plain SQL either: however
-- the policy hides it, from whichever role, and with any snapshot. Roles to which
-- the policy does not apply see these rows as before.
CREATE ROLE visible_team NOLOGIN;
CREATE ROLE visible_other LOGIN;
SELECT kg_grant('visible', 'visible_other', 'write');
SET ROLE visible_admin; SELECT kg_pack() > 0 AS packed; RESET ROLE;
CREATE FUNCTION visible_rows() RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(' ', (SELECT count(*) FROM kg_index_key), (SELECT count(*) FROM kg_term), (SELECT count(*) FROM kg_trigram) > 0, (SELECT count(*) FROM kg_edge), (SELECT count(*) > 0 FROM kg_adjacency)) $$;
CREATE FUNCTION visible_to(VARIADIC roles text[]) RETURNS TABLE (role text, keys_terms_trigrams_edges_packed text) LANGUAGE plpgsql AS $$
  BEGIN FOREACH role IN ARRAY roles LOOP EXECUTE format('SET LOCAL ROLE %I', role); EXECUTE 'SELECT visible_rows()' INTO keys_terms_trigrams_edges_packed; RESET ROLE; RETURN NEXT; END LOOP; END $$;
SELECT * FROM visible_to('visible_reader', 'visible_other');
CREATE POLICY visible ON kg_entity AS RESTRICTIVE FOR SELECT TO visible_reader USING (entity_id <> 'b'); SELECT * FROM visible_to('visible_reader', 'visible_other');
ALTER POLICY visible ON kg_entity TO PUBLIC; SELECT * FROM visible_to('visible_reader', 'visible_other');
ALTER POLICY visible ON kg_entity TO visible_team; SELECT * FROM visible_to('visible_reader', 'visible_other');
GRANT visible_team TO visible_reader; SELECT * FROM visible_to('visible_reader', 'visible_other');
REVOKE visible_team FROM visible_reader; SELECT * FROM visible_to('visible_reader', 'visible_other');
DROP POLICY visible ON kg_entity; CREATE POLICY visible ON kg_entity FOR ALL TO visible_reader USING (false); SELECT * FROM visible_to('visible_reader', 'visible_other');
DROP POLICY visible ON kg_entity; CREATE POLICY visible ON kg_entity FOR INSERT TO visible_reader WITH CHECK (false); SELECT * FROM visible_to('visible_reader', 'visible_other');
DROP POLICY visible ON kg_entity; ALTER POLICY kg_entity_select ON kg_entity TO visible_reader; SELECT * FROM visible_to('visible_reader', 'visible_other');
ALTER POLICY kg_entity_select ON kg_entity TO PUBLIC; SELECT * FROM visible_to('visible_reader', 'visible_other');
CREATE POLICY visible ON kg_edge AS RESTRICTIVE FOR SELECT TO visible_reader USING (source <> target AND property <> 'next'); SELECT * FROM visible_to('visible_reader', 'visible_other');
DROP POLICY visible ON kg_edge;
-- a snapshot from before the policy
\setenv PGDATABASE :DBNAME
\setenv PGUSER :owner
\c - visible_reader
BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT visible_rows();
\! psql -X -q -c "CREATE POLICY visible ON kg_entity AS RESTRICTIVE FOR SELECT TO visible_reader, visible_other USING (entity_id <> 'b')"
SELECT visible_rows(), count(*) AS entities FROM kg_entity; COMMIT;
-- A writer under such a policy writes edges between what it sees by the functions; an export has them, an apply deletes no others.
\c - visible_other
SELECT '{"bundle_name": "links", "version": "1", "schemas": [{"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": [{"entity_type": "note", "items": [{"id": "n"}]}],
  "relations": [{"name": "LIKE", "from": "note", "to": "docs/page"}], "edges": [{"relation": "LIKE", "from": "n", "to": "docs/page:a"}]}' AS links \gset
SELECT kg_apply_bundle(:'links') -> 'relations' AS relations;
SELECT jsonb_path_query_array(kg_put_edges('[{"relation": "LIKE", "from": "note:n", "to": "page:c"}, {"relation": "LIKE", "from": "note:n", "to": "page:b"}]'), '$.items[*].verdict') AS verdicts;
SELECT kg_export_bundle('links') -> 'edges' AS edges;
\c - visible_admin
SELECT kg_put_edges('[{"relation": "LIKE", "from": "note:n", "to": "page:b"}]') -> 'counts' AS counts;
\c - visible_other
SELECT kg_apply_bundle(jsonb_set(kg_export_bundle('links'), '{edges}', '[]')) -> 'relations' AS relations;
SELECT kg_delete_edges('[{"relation": "LIKE", "from": "note:n", "to": "page:a"}, {"relation": "LIKE", "from": "note:n", "to": "page:b"}]') -> 'counts' AS counts;
\c - visible_admin
SELECT kg_export_bundle('links') -> 'edges' AS edges;
SELECT kg_drop_bundle('links') -> 'relations' AS relations;
\c - :owner
DROP POLICY visible ON kg_entity;
DROP FUNCTION visible_to(text[]), visible_rows();
SELECT kg_revoke('visible', 'visible_other');
DROP OWNED BY visible_other, visible_team;
DROP ROLE visible_other, visible_team;

-- Paths: a prefix ends at a slash. If a type has paths, a caller with paths does not
-- see an entity without one. The same through every tool: hidden entities are not
-- listed, found, counted, named or traversed.
\c - :owner
CREATE FUNCTION visible_through() RETURNS TABLE (tool text, said text) LANGUAGE sql AS $$
  SELECT 'kg_entity', string_agg(entity_id, ' ' ORDER BY entity_id) FROM kg_entity WHERE entity_type = 'page'
  UNION ALL SELECT 'keys, terms, edges', concat_ws(' ', (SELECT count(*) > 0 FROM kg_index_key), (SELECT count(*) > 0 FROM kg_term), (SELECT count(*) > 0 FROM kg_edge))
  UNION ALL SELECT 'list', concat_ws(' ', r -> 'total', (SELECT string_agg(i ->> 'id', ' ') FROM jsonb_array_elements(r -> 'items') i)) FROM kg_list('page') r
  UNION ALL SELECT 'list_ids', concat_ws(' ', r -> 'total', r -> 'ids') FROM kg_list_ids('page', '{"filters": {"n": {"lt": 4}}, "sort": [{"field": "n", "order": "desc"}]}') r
  UNION ALL SELECT 'list by reference', concat_ws(' ', r -> 'total', r -> 'ids') FROM kg_list_ids('page', '{"filters": {"next": "a"}}') r
  UNION ALL SELECT 'search', concat_ws(' ', r -> 'total', r -> 'ids') FROM kg_list_ids('page', '{"search": "two"}') r
  UNION ALL SELECT 'get', concat_ws(' ', (SELECT string_agg(e ->> 'id', ' ') FROM jsonb_array_elements(r -> 'entities') e), 'not', r -> 'not_found') FROM kg_get('page', ARRAY['a', 'b', 'zz']) r
  UNION ALL SELECT 'hints', coalesce(r #>> '{hints,0,nearest}', r ->> 'hints') FROM kg_get('page', ARRAY['bb']) r
  UNION ALL SELECT call.tool, CASE WHEN r ->> 'isError' = 'true' THEN r #>> '{structuredContent,error,message}' ELSE concat_ws(' ', (r #>> '{structuredContent,total}'), (SELECT string_agg(n ->> 'id', ' ' ORDER BY n ->> 'id') FROM jsonb_array_elements(r #> '{structuredContent,nodes}') n),
      (SELECT string_agg((e #>> '{from,id}') || '>' || (e #>> '{to,id}'), ' ' ORDER BY e #>> '{from,id}', e #>> '{to,id}') FROM jsonb_array_elements(r #> '{structuredContent,edges}') e WHERE jsonb_typeof(e -> 'from') = 'object'), r #>> '{structuredContent,rows}') END
    FROM (VALUES ('find_nodes', '{"node_label": "page"}'), ('explore_neighbors', '{"start_node": {"label": "page", "node_id": "a"}, "max_hops": 3, "relationship_types": ["NEXT"]}'),
      ('explore_neighbors', '{"start_node": {"label": "page", "node_id": "b"}}'), ('traverse_relationships', '{"from": {"label": "page", "ids": ["a"]}, "relationships": [{"type": "NEXT", "max_hops": 2}], "to": {"label": "page"}}'),
      ('find_paths', '{"from": {"label": "page", "ids": ["a"]}, "to": {"label": "page", "ids": ["c"]}, "max_hops": 3}'), ('aggregate_nodes', '{"node": {"label": "page"}, "aggregations": [{"fn": "count"}, {"fn": "sum", "property": "n"}]}')) call(tool, arguments),
      LATERAL kg_call_tool(call.tool, call.arguments::jsonb) r
  UNION ALL SELECT call.tool, (SELECT string_agg(DISTINCT id, ' ' ORDER BY id) FROM regexp_matches(r ->> 'structuredContent', '"page:[a-z]"', 'g') m, LATERAL (SELECT m[1]) x(id))
    FROM (VALUES ('search_entities', '{"query": "two"}'), ('bfs_query', '{"seeds": ["page:a"], "max_hops": 3}'), ('describe_entity', '{"id": "page:b"}'), ('intersect_subgraphs', '{"seeds": ["page:e", "page:f"], "k": 1}')) call(tool, arguments),
      LATERAL kg_call_tool(call.tool, call.arguments::jsonb) r
$$;
\c - visible_gateway
BEGIN; SELECT kg_login(:'plain'); SELECT * FROM visible_through(); COMMIT;
BEGIN; SELECT kg_login(:'two'); SELECT * FROM visible_through(); COMMIT;
BEGIN; SELECT kg_login(:'both'); SELECT * FROM visible_through() WHERE tool IN ('kg_entity', 'list', 'list by reference'); COMMIT;
BEGIN; SELECT kg_login(:'neighbours'); SELECT * FROM visible_through() WHERE tool IN ('kg_entity', 'list', 'find_paths'); COMMIT;
BEGIN; SELECT kg_login(:'deep'); SELECT * FROM visible_through() WHERE tool IN ('kg_entity', 'list', 'get'); COMMIT;
BEGIN; SELECT kg_login(:'none'); SELECT * FROM visible_through(); COMMIT;
-- EXPLAIN ANALYZE of an index counts no row of a derived table for who may not read it; of kg_entity it counts what its policy removes (docs/identity.md).
CREATE FUNCTION pg_temp.removed(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text; BEGIN FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ' || statement LOOP IF line ~ 'Removed' THEN RETURN NEXT statement || ': ' || btrim(line); END IF; END LOOP; END $$;
SET enable_seqscan = off; SET enable_bitmapscan = off;
BEGIN; SELECT kg_login(:'two'); SELECT pg_temp.removed('SELECT FROM ' || name) FROM unnest(ARRAY['kg_index_key', 'kg_term', 'kg_trigram', 'kg_edge', 'kg_adjacency', 'kg_entity']) name; COMMIT;
RESET enable_seqscan; RESET enable_bitmapscan;
-- An agent without the other bundle does not learn that somebody wrote the page.
BEGIN; SELECT kg_login(:'all_bundles'); SELECT kg_call_tool('explore_neighbors', '{"start_node": {"label": "page", "node_id": "a"}, "max_hops": 1}') #> '{structuredContent,counts}'; COMMIT;
BEGIN; SELECT kg_login(:'docs_only'); SELECT kg_call_tool('explore_neighbors', '{"start_node": {"label": "page", "node_id": "a"}, "max_hops": 1}') #> '{structuredContent,counts}'; COMMIT;

\c - :owner
DELETE FROM kg_auth_key;
DROP FUNCTION visible_asks(), visible_through();
SELECT kg_revoke_gateway('visible_gateway');
DROP OWNED BY visible_gateway;
CALL test.drop('visible');
DROP ROLE visible_gateway;
