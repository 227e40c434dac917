-- kg_keep_measure(): a measure of the graph in a property.
\i test/data/prelude.sql
CALL test.tenant('kept', 'olga admin', 'will write', 'sam admin');
SET SESSION AUTHORIZATION olga;
SELECT kg_apply_bundle('{"bundle_name": "web", "version": "1", "schemas": [
  {"entity_type": "page", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "rank": {"type": "number", "x-index": true},
    "part": {"type": ["integer", "null"]}, "low": {"type": "number", "maximum": 0.2}, "in": {"type": "integer", "x-derived": {"count": "LINKS", "direction": "incoming"}},
    "deep": {"type": "object", "properties": {"rank": {"type": "number"}}}, "marks": {"type": "array", "items": {"type": "number"}}}}},
  {"entity_type": "site", "schema": {"type": "object", "x-id-field": "no", "properties": {"no": {"type": "integer"}, "rank": {"type": "number"}, "home": {"type": "string", "x-ref": "page"}}}}],
  "relations": [{"name": "LINKS", "from": "page", "to": "page", "schema": {"type": "object", "properties": {"weight": {"type": "number"}}}}],
  "entities": [{"entity_type": "page", "items": [{"id": "a", "part": null}, {"id": "b", "name": "B"}, {"id": "c"}, {"id": "d"}]}, {"entity_type": "site", "items": [{"no": 10, "home": "d"}, {"no": 9}]}],
  "edges": [{"relation": "LINKS", "from": "page:a", "to": "page:b", "properties": {"weight": 2.5}}, {"relation": "LINKS", "from": "page:b", "to": "page:c"}, {"relation": "LINKS", "from": "page:a", "to": "page:c"}, {"relation": "LINKS", "from": "page:c", "to": "page:c"}]}') ? 'revision' AS applied;
SELECT kg_keep_measure('page', 'rank', '{"measure": "pagerank"}') AS first, kg_keep_measure('page', 'rank', '{"measure": "pagerank"}') AS again;
SELECT jsonb_object_agg(r ->> 'node', r -> 'score') AS analyzed FROM jsonb_array_elements(kg_analyze('{"measure": "pagerank", "types": ["page", "site"]}') -> 'ranked') r;
SELECT kg_list('page', '{"sort": [{"field": "rank", "order": "desc"}], "fields": ["rank"]}') -> 'items' AS sorted;
SELECT kg_keep_measure('page', 'part', '{"measure": "components"}') AS parts, kg_keep_measure('web/site', 'rank', '{"measure": "degree", "types": ["site", "page"], "relations": ["HOME"]}') AS degree;
SELECT kg_keep_measure('page', 'rank', '{"measure": "degree", "weight": "weight", "relations": ["LINKS"]}') - 'counts' AS weighted;
SELECT entity_type, data FROM kg_entity ORDER BY entity_type, entity_id;
SELECT c ->> 'tool' AS tool, c ->> 'version' AS version, c -> 'changed' AS changed FROM jsonb_array_elements(kg_history('page', 'b') -> 'changes') c;
-- Refused arguments, and values that the schema refuses.
SELECT test.fails(format('SELECT kg_keep_measure(%L, %L, %L)', t, p, a), 'path', 'expected', 'allowed') FROM (VALUES ('page', 'part', '{"measure": "pagerank"}'), ('page', 'name', '{"measure": "degree"}'), ('page', 'id', '{"measure": "degree"}'),
  ('page', 'in', '{"measure": "degree"}'), ('page', 'deep.rank', '{"measure": "degree"}'), ('page', 'marks', '{"measure": "degree"}'), ('page', 'none', '{"measure": "degree"}'), ('site', 'home', '{"measure": "degree"}'), ('site', 'no', '{"measure": "degree"}'),
  ('none', 'rank', '{"measure": "degree"}'), ('page', 'rank', '{}'), ('page', 'rank', '{"measure": "none"}'), ('page', 'rank', '{"measure": "jaccard", "nodes": ["page:a", "page:b"]}'), ('page', 'rank', '{"measure": "jaccard"}'),
  ('page', 'rank', '{"measure": "degree", "nodes": ["page:a"]}'), ('page', 'rank', '{"measure": "degree", "limit": 1}'), ('page', 'rank', '{"measure": "degree", "valid_at": "now"}'), ('page', 'rank', '{"measure": "degree", "types": ["site"]}'),
  ('page', 'rank', '{"measure": "degree", "weight": "none"}'), ('page', 'low', '{"measure": "pagerank"}')) v(t, p, a);
SELECT count(*) FILTER (WHERE data ? 'low') AS written FROM kg_entity;
-- An empty type, and a graph without entities.
SELECT kg_delete_entities('site', ARRAY['9', '10']) -> 'counts' AS deleted;
SELECT kg_keep_measure('site', 'rank', '{"measure": "communities"}') AS none;
-- Rights: admin access, and a caller that sees all of the tenant.
SET SESSION AUTHORIZATION will;
SELECT test.fails($$SELECT kg_keep_measure('page', 'rank', '{"measure": "degree"}')$$, 'code', 'expected');
RESET SESSION AUTHORIZATION;
CREATE POLICY kept_hides ON kg_entity AS RESTRICTIVE TO sam USING (entity_id <> 'a');
SET SESSION AUTHORIZATION sam;
SELECT test.fails($$SELECT kg_keep_measure('page', 'rank', '{"measure": "degree"}')$$, 'code', 'expected');
RESET SESSION AUTHORIZATION;
DROP POLICY kept_hides ON kg_entity;
SET kg_graph.max_visited = 3;
SET SESSION AUTHORIZATION olga;
SELECT test.fails($$SELECT kg_keep_measure('page', 'rank', '{"measure": "degree"}')$$, 'code', 'message');
RESET SESSION AUTHORIZATION;
CALL test.drop('kept');
