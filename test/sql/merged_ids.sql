\i test/data/prelude.sql
-- Ids of merged entities (src/query/merged.c): hidden entities have no effect on replies.
CALL test.tenant('merged_ids', 'ida admin', 'ivo write');
SET kg_graph.tenant = 'merged_ids';
CREATE POLICY merged_ids_part ON kg_entity AS RESTRICTIVE FOR SELECT TO ivo USING (data ->> 's' = 'x');
\o /dev/null
SET ROLE ida;
SELECT FROM kg_apply_bundle($b$ {"bundle_name": "ids", "version": "1", "schemas": [
  {"entity_type": "one", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list", "get", "create", "update", "delete", "merge"],
    "properties": {"id": {"type": "string"}, "s": {"type": "string"}, "n": {"type": "integer", "x-index": true}, "of": {"type": "string", "x-ref": "one"}, "all": {"type": "array", "items": {"type": "string", "x-ref": "one"}}}}},
  {"entity_type": "two", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "s": {"type": "string"}}}}],
  "relations": [{"name": "NEAR", "from": "one", "to": "one", "tools": ["link"]}],
  "entities": [{"entity_type": "one", "items": [{"id": "k", "s": "x", "n": 1}, {"id": "x", "s": "x"}, {"id": "k2", "s": "x", "n": 2}, {"id": "x2", "s": "x"}, {"id": "k3", "s": "x"}, {"id": "x3", "s": "x"}]},
    {"entity_type": "two", "items": [{"id": "h", "s": "y"}, {"id": "x", "s": "y"}, {"id": "j", "s": "x"}, {"id": "x3", "s": "x"}]}]} $b$);
SELECT FROM kg_apply_bundle($b$ {"bundle_name": "more", "version": "1", "schemas": [
  {"entity_type": "four", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["update"],
    "properties": {"id": {"type": "integer"}, "s": {"type": "string"}, "of": {"type": "integer", "x-ref": "four"}, "all": {"type": "array", "items": {"type": "integer", "x-ref": "four"}}}}},
  {"entity_type": "three", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "s": {"type": "string"}}}}],
  "entities": [{"entity_type": "four", "items": [{"id": 1, "s": "x"}, {"id": 2, "s": "x"}, {"id": 3, "s": "x"}]}, {"entity_type": "three", "items": [{"id": "m", "s": "x"}, {"id": "x2", "s": "x"}]}]} $b$);
SELECT FROM kg_create_agent('few', '{"bundles": ["ids"]}');
SELECT FROM kg_merge('three', 'm', '{x2}');
SELECT FROM kg_merge('four', '1', '{2}');
SELECT FROM kg_merge('one', 'k', '{x}');
SELECT FROM kg_merge('one', 'k2', '{x2}');
SELECT FROM kg_merge('one', 'k3', '{x3}');
SELECT FROM kg_merge('two', 'h', '{x}');
SELECT FROM kg_merge('two', 'j', '{x3}');
\o
\set ECHO all
RESET ROLE;
CREATE FUNCTION test.merged_ids() RETURNS SETOF text LANGUAGE sql AS $$
  VALUES ((kg_get('one', 'x') -> 'id')::text), ((kg_get('one', '{x,x2}'::text[]) - 'entities')::text),
    (kg_call_tool('get_one', '{"id": "x"}') #>> '{structuredContent,entity,id}'), ((kg_find_nodes('{"node_label": "one", "ids": ["x", "x2"]}') -> 'nodes')::text),
    (kg_search('{"query": "x"}') #>> '{items,0,id}'), (kg_describe('{"id": "one:x"}') ->> 'id'), (kg_describe('{"id": "x"}') ->> 'id') $$;
SET ROLE ivo;
CREATE TEMP TABLE before AS SELECT row_number() OVER () AS n, r FROM test.merged_ids() r;
SELECT r FROM before ORDER BY n;
-- The type of a merge into a hidden entity does not make an id ambiguous; two that the caller sees do.
SELECT test.fails($$SELECT kg_describe('{"id": "x3"}')$$, 'code');
-- Nor does a type that the agent does not have.
SELECT test.fails($$SELECT kg_describe('{"id": "x2"}')$$, 'code');
SET kg_graph.agent = 'few';
SELECT kg_describe('{"id": "x2"}') ->> 'id' AS described, kg_search('{"query": "x2"}') #>> '{items,0,id}' AS searched;
RESET kg_graph.agent;
-- Writes do not accept ids of merged entities. The error names the other entity, if the caller sees it.
CREATE FUNCTION pg_temp.told(reply jsonb) RETURNS TABLE (path text, merged_into text, nearest jsonb) LANGUAGE sql AS $$
  SELECT DISTINCT e ->> 'path', e ->> 'merged_into', e -> 'nearest' FROM jsonb_path_query(reply, '$.** ? (exists(@.got))') e ORDER BY 1 $$;
SELECT * FROM pg_temp.told(kg_update_entities('one', '[{"id": "x2", "set": {"n": 3}}, {"id": "x9", "set": {"n": 3}}]'));
SELECT * FROM pg_temp.told(kg_update_entities('two', '[{"id": "x", "set": {"n": 3}}]'));
SELECT * FROM pg_temp.told(kg_put_entities('one', '[{"id": "y", "s": "x", "of": "x2"}, {"id": "z", "s": "x", "all": ["k", "x3"]}]'));
SELECT * FROM pg_temp.told(kg_put_edges('[{"relation": "NEAR", "from": "one:x2", "to": "x3"}]'));
SELECT test.fails($$SELECT kg_put_edges('[{"relation": "NEAR", "from": "k", "to": "x3"}]', '{"atomic": true}')$$, 'path', 'merged_into');
SELECT test.fails($$SELECT kg_merge('one', 'k', '{x2}')$$, 'path', 'merged_into');
-- A call that names two entities of the call by their present ids is not corrected, because an entity may be an item only once.
SELECT r #> '{error,call,arguments}' AS corrected, t.* FROM (VALUES ('update_one', '{"items": [{"id": "x2", "set": {"n": 3}}]}'), ('update_one', '{"items": [{"id": "x2", "set": {"n": 3}}, {"id": "k2", "set": {"n": 3}}]}'),
    ('update_one', '{"items": [{"id": "k", "add": {"all": ["k3", "x2"]}}]}'), ('create_one', '{"items": [{"id": "y", "s": "x", "of": "x2"}]}'), ('link_NEAR', '{"items": [{"from": "one:x2", "to": "x3"}]}'),
    ('update_four', '{"items": [{"id": 2, "set": {"s": "x"}}]}'), ('update_four', '{"items": [{"id": 3, "set": {"of": 2}, "add": {"all": [3, 2]}}]}'),
    ('merge_one', '{"keep": "k", "others": ["x2"]}'), ('merge_one', '{"keep": "k2", "others": ["x2"]}'), ('update_one', '{"items": [{"id": "x2", "set": {"n": 3}}], "atomic": false}')) v (tool, arguments)
  CROSS JOIN LATERAL (SELECT kg_call_tool(tool, arguments::jsonb) -> 'structuredContent' AS r) c CROSS JOIN LATERAL pg_temp.told(r) t;
-- The reply of a call that is not atomic is stored for its idempotency key.
SELECT * FROM pg_temp.told(kg_update_entities('one', '[{"id": "x2", "set": {"n": 3}}]', '{"idempotency_key": "a"}'));
SELECT * FROM pg_temp.told(kg_call_tool('update_one', '{"items": [{"id": "x2", "set": {"n": 3}}], "atomic": false, "idempotency_key": "b"}'));
SELECT kg_call_tool('delete_one', '{"ids": ["x2"], "idempotency_key": "c"}') #> '{structuredContent,items}' AS deleted, kg_call_tool('delete_one', '{"ids": ["x2"], "idempotency_key": "c"}') #> '{structuredContent,items}' AS repeated;
-- A hidden entity takes an id.
SET ROLE ida;
SELECT kg_put_entities('one', '[{"id": "x", "s": "y", "n": 1}]') -> 'counts' AS counts, kg_get('one', 'x') ->> 'id' AS id;
SELECT kg_get('one', 'x') ->> 'id' AS id;
SET ROLE ivo;
SELECT b.r AS before, a.r AS after FROM before b JOIN (SELECT row_number() OVER () AS n, r FROM test.merged_ids() r) a USING (n) WHERE a.r IS DISTINCT FROM b.r;
-- One that the caller sees does not lead elsewhere, also if a filter excludes it.
SET ROLE ida;
SELECT kg_put_entities('one', '[{"id": "x", "s": "x", "n": 5}]') -> 'counts' AS counts;
SET ROLE ivo;
SELECT * FROM test.merged_ids();
SELECT kg_find_nodes('{"node_label": "one", "ids": ["x"], "filters": {"n": 1}}') -> 'nodes' AS nodes, kg_find_nodes('{"node_label": "one", "ids": ["x2"], "filters": {"n": 2}}') #> '{nodes,0,id}' AS merged;
RESET ROLE;
DROP POLICY merged_ids_part ON kg_entity;
DROP FUNCTION test.merged_ids;
CALL test.drop('merged_ids');
