-- The published input schemas of tools are complete: any arguments that a call
-- accepts without reporting a repair are valid for the JSON Schema engine, too.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('published', 'published_reader write');
SET ROLE published_reader;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
  {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "tier": {"enum": ["a", "b"], "x-index": true}}}},
  {"entity_type": "product", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "n": {"type": "integer", "x-index": true}, "brand": {"type": "string", "x-ref": "brand", "x-relation": "MADE_BY"}}}}],
  "entities": [{"entity_type": "brand", "items": [{"id": "x", "tier": "a"}]}, {"entity_type": "product", "items": [{"id": "1", "n": 1, "brand": "x"}, {"id": "2", "n": 2, "brand": "x"}]}]}') ->> 'revision' AS revision;
CREATE TEMP TABLE calls (n int GENERATED ALWAYS AS IDENTITY, tool text, arguments jsonb);
INSERT INTO calls(tool, arguments) VALUES
('find_nodes','{"node_label":"product","ids":["1"]}'),
('find_nodes','{"node_label":"shop/product","ids":["1"]}'),
('find_nodes','{"node_label":"product","ids":[1]}'),
('find_nodes','{"node_label":"product","ids":"1"}'),
('find_nodes','{"node_label":"prodct"}'),
('find_nodes','{"node_label":"product","filters":{"n":"1"}}'),
('find_nodes','{"node_label":"product","filters":{"n":{"gt":1}},"limit":"5"}'),
('find_nodes','{"node_label":"product","filters":{"n":{"gtt":1}}}'),
('find_nodes','{"node_label":"product","limit":0}'),
('find_nodes','{"node_label":"product","limit":1e1}'),
('find_nodes','{"node_label":"product","limit":5.5}'),
('find_nodes','{"node_label":"product","columns":["n"],"sort":[{"field":"n","order":"desc"}]}'),
('find_nodes','{"node_label":"product","columns":"*"}'),
('find_nodes','{"node_label":"product","filters":{}}'),
('find_nodes','{"node_label":"product","filters":null}'),
('find_nodes','{"node_label":"product","sort":[]}'),
('find_paths','{"from":{"label":"product","ids":["1"]},"to":{"label":"product","filters":{"n":{"in":2}}}}'),
('traverse_relationships','{"from":{"label":"product","ids":["1"]},"relationships":[{"type":"*","filters":{"n":{"gtt":2}}}]}'),
('list_product','{"filters":{"n":{"gte":1.5}}}'),
('explore_neighbors','{"start_node":{"label":"brand","node_id":"x"}}'),
('explore_neighbors','{"start_node":{"label":"brand","node_id":"x"},"relationship_types":["MADE_BY"],"node_labels":["product"]}'),
('explore_neighbors','{"start_node":{"label":"brand","node_id":"x"},"relationship_types":"*"}'),
('explore_neighbors','{"start_node":{"label":"brand","node_id":"x"},"relationship_types":[]}'),
('explore_neighbors','{"start_node":{"label":"shop/brand","node_id":"x"},"node_labels":["shop/product"]}'),
('explore_neighbors','{"start_node":{"label":"brand","node_id":"x"},"max_hops":9}'),
('traverse_relationships','{"from":{"label":"product","ids":["1"]},"relationships":[{"type":"MADE_BY"}]}'),
('traverse_relationships','{"from":{"label":"product","ids":["1"]},"relationships":[{"type":["MADE_BY"],"direction":"both","min_hops":1,"max_hops":2,"to":{"label":"brand"}}],"to":{"label":"brand"}}'),
('traverse_relationships','{"from":{"label":"product","ids":["1"]},"relationships":[{"type":"*"}]}'),
('traverse_relationships','{"from":{"label":"product","ids":["1"]},"relationships":[]}'),
('find_paths','{"from":{"label":"product","ids":["1"]},"to":{"label":"product","ids":["2"]}}'),
('find_paths','{"from":{"label":"product","ids":["1"]},"to":{"label":"product","ids":["2"]},"mode":"walks","max_hops":2}'),
('aggregate_nodes','{"node":{"label":"product"},"aggregations":[{"fn":"count"}],"group_by":[{"property":"n"}]}'),
('aggregate_nodes','{"node":{"label":"product"},"aggregations":[{"fn":"sum","property":"n","as":"s"}],"group_by":[{"relationship":"MADE_BY","direction":"outgoing","label":"brand","property":"tier"}]}'),
('rank_related','{"seeds":["product:1",{"id":"brand:x","weight":2}],"damping":0.5}'),
('rank_related','{"seeds":[]}'),
('analyze','{"measure":"pagerank","types":["product"],"direction":"both"}'),
('analyze','{"measure":"rank"}'),
('get_graph_schema','{}'),
('get_graph_schema','{"expand_nodes":["product"],"expand_relationship_types":["MADE_BY"]}'),
('get_graph_schema','{"expand_nodes":["*"]}'),
('get_graph_schema','{"expand_schema":"true"}'),
('describe_schema','{}'),
('search_entities','{"query":"x"}'),
('search_entities','{"query":"x","types":["brand"]}'),
('search_entities','{"query":"x","entity_type":"brand"}'),
('describe_entity','{"id":"product:1"}'),
('describe_entity','{"id":"1"}'),
('describe_entity','{"id":1}'),
('describe_entities','{"ids":["product:1",2]}'),
('describe_entities','{"ids":[]}'),
('bfs_query','{"seeds":["product:1"]}'),
('bfs_query','{"seeds":["product:1"],"max_hops":2,"topology_only":true}'),
('bfs_query','{"seeds":"product:1"}'),
('intersect_subgraphs','{"seeds":["product:1","product:2"]}'),
('intersect_subgraphs','{"ids":["product:1","product:2"]}'),
('intersect_subgraphs','{"seeds":[]}'),
('bfs_query', '{"seeds": ["product:1"], "max_hops": 1}'),
('bfs_query', '{"seeds": ["product:1"], "max_hops": "1"}'),
('bfs_query', '{"seeds": "product:1", "max_hops": 1}'),
('intersect_subgraphs', '{"seeds": ["product:1", "product:2"], "k": 1}'),
('verify_claims', '{"claims": [{"entity": "product:1"}, {"entity": 1, "property": "id", "is": {"eq": "1"}}, {"from": "1", "to": "2", "within": 1, "relation_types": []}, {"path": [1, "MADE_BY", 2]}, {"none": {"tool": "find_nodes", "arguments": {"node_label": "product", "ids": ["7"]}}}]}'),
('verify_claims', '{"claims": [{"entity": "product:1", "version": "1"}]}'),
('verify_claims', '{"claims": {"entity": "product:1"}}'),
('verify_claims', '{"claims": [], "max_bytes": 5}'),
('list_product', '{}'),
('list_product', '{"filters": {"n": 1}, "sort": [{"field": "n"}], "limit": 1}'),
('list_product', '{"filters": {"n": "1"}}'),
('list_product', '{"filters": {"n": {"gt": "x"}}}'),
('list_product', '{"filters": {"m": 1}}'),
('list_product', '{"sort": {"field": "n"}}'),
('list_product', '{"limit": 501}'),
('list_brand', '{"filters": {"tier": "c"}}'),
('list_brand', '{"filters": {"tier": ["a"]}}'),
('get_brand', '{"id": "x"}'),
('get_product', '{"id": "1"}'),
('get_product', '{"id": 1}'),
('get_product', '{"ids": ["1", 2]}'),
('get_product', '{"ids": []}'),
('get_product', '{"id": "1", "ids": ["1"]}'),
('get_product', '{"id": "1", "max_bytes": 5}');
CREATE TEMP VIEW judged AS
  SELECT c.*, r ->> 'isError' = 'true' AS refused, r -> 'structuredContent' ? 'repaired' AS repaired,
         kg_validate(arguments, t -> 'inputSchema') AS fits, r -> 'structuredContent' AS reply
    FROM calls c, kg_call_tool(tool, arguments) r, jsonb_array_elements(kg_list_tools()) t
   WHERE t ->> 'name' = tool;
-- every call is judged, and every tool is called
SELECT count(*) = (SELECT count(*) FROM calls) AS all_judged,
       (SELECT count(*) FROM jsonb_array_elements(kg_list_tools()) t WHERE NOT EXISTS (SELECT FROM calls WHERE tool = t ->> 'name')) AS not_called,
       count(*) FILTER (WHERE NOT refused AND NOT repaired AND NOT fits) AS taken_against_the_schema
  FROM judged;
SELECT tool, arguments FROM judged WHERE NOT refused AND NOT repaired AND NOT fits;
-- taken and reported
SELECT tool, arguments, reply -> 'repaired' AS repaired FROM judged WHERE repaired ORDER BY n;
-- refused, by the readers of arguments or by the schema
SELECT tool, arguments, fits, reply #>> '{error,code}' AS code, reply #>> '{error,path}' AS path, reply #>> '{error,expected}' AS expected FROM judged WHERE refused ORDER BY n;
-- what is named in words is told where they say; nothing is behind a $ref, which some clients do not follow
WITH RECURSIVE node(tool, schema, v) AS (
  SELECT t ->> 'name', t -> 'inputSchema', t -> 'inputSchema' FROM jsonb_array_elements(kg_list_tools()) t
  UNION ALL
  SELECT tool, schema, value FROM node, LATERAL (SELECT value FROM jsonb_each(CASE jsonb_typeof(v) WHEN 'object' THEN v ELSE '{}' END) UNION ALL SELECT value FROM jsonb_array_elements(CASE jsonb_typeof(v) WHEN 'array' THEN v ELSE '[]' END)) x)
SELECT tool, words, bool_and(schema #> string_to_array('properties.' || replace(place, '.', '.properties.'), '.') ? 'properties' OR place IN (SELECT t ->> 'name' FROM jsonb_array_elements(kg_list_tools()) t)) AS told
  FROM node, LATERAL (SELECT v ->> 'description' AS words) w, LATERAL (SELECT substring(words FROM '\mas ([a-z_.]+)$') AS place) p
 WHERE jsonb_typeof(v) = 'object' AND v ->> 'type' IN ('object', 'array') AND place IS NOT NULL GROUP BY tool, words ORDER BY tool COLLATE "C", words COLLATE "C";
SELECT count(*) FILTER (WHERE t::text LIKE '%"$ref"%') AS refs FROM jsonb_array_elements(kg_list_tools()) t;
-- the SQL functions have the same rules
\set VERBOSITY terse
SELECT kg_find_nodes('{"node_label": "product", "sort": []}');
SELECT kg_neighbors('{"start_node": {"label": "brand", "node_id": "x"}, "relationship_types": "*"}');
SELECT kg_list('product', '{"limit": -1}');
-- a bound that a setting moves holds at once
RESET ROLE;
SET kg_graph.max_rows = 5;
SET ROLE published_reader;
SELECT kg_find_nodes('{"node_label": "product", "limit": 6}');
RESET ROLE;
RESET kg_graph.max_rows;
SET ROLE published_reader;
SELECT kg_find_nodes('{"node_label": "product", "limit": 6}') -> 'total' AS total;
-- what is published says the limits that are in force, in descriptions as in bounds, and these are what a call is held to
RESET ROLE;
SET kg_graph.max_hops = 2; SET kg_graph.max_steps = 2; SET kg_graph.max_rows = 20; SET kg_graph.max_ids = 3; SET kg_graph.max_filters = 4; SET kg_graph.max_offset = 9; SET kg_graph.max_reply_bytes = 8192;
SET ROLE published_reader;
SELECT t ->> 'name' AS tool, t ->> 'description' AS description FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'description' ~ '[0-9]' ORDER BY t ->> 'name' COLLATE "C";
SELECT t ->> 'name' AS tool, k AS argument, concat_ws('..', coalesce(a ->> 'minimum', a ->> 'minItems'), coalesce(a ->> 'maximum', a ->> 'maxItems', a ->> 'maxProperties')) AS bounds, a ->> 'default' AS "default" FROM jsonb_array_elements(kg_list_tools()) t, jsonb_each(t #> '{inputSchema,properties}') e (k, a)
 WHERE coalesce(a ->> 'maximum', a ->> 'maxItems', a ->> 'maxProperties') IS NOT NULL AND t ->> 'name' !~ '_(brand|product)' OR t ->> 'name' = 'list_product' AND k IN ('filters', 'limit', 'offset', 'max_bytes') ORDER BY t ->> 'name' COLLATE "C", k COLLATE "C";
SELECT c.tool, c.arguments, r #>> '{structuredContent,error,path}' AS path, r #>> '{structuredContent,error,expected}' AS expected FROM (VALUES
 ('traverse_relationships', '{"from": {"label": "product", "ids": ["1"]}, "relationships": [{"type": "*"}, {"type": "*"}, {"type": "*"}]}'::jsonb), ('traverse_relationships', '{"from": {"label": "product", "ids": ["1"]}, "relationships": [{"type": "*", "max_hops": 3}]}'),
 ('explore_neighbors', '{"start_node": {"label": "brand", "node_id": "x"}, "max_hops": 3}'), ('find_nodes', '{"node_label": "product", "limit": 21}'), ('find_nodes', '{"node_label": "product", "ids": ["1", "2", "3", "4"]}'),
 ('bfs_query', '{"seeds": ["x"], "max_hops": 3}'), ('describe_entities', '{"ids": ["1", "2", "3", "4"]}'), ('list_product', '{"offset": 10}'), ('list_product', '{"max_bytes": 8193}')) c (tool, arguments), LATERAL kg_call_tool(c.tool, c.arguments) r;
-- the defaults too
SELECT kg_find_nodes('{"node_label": "product"}') -> 'total' AS nodes, kg_neighbors('{"start_node": {"label": "brand", "node_id": "x"}}') -> 'total' AS neighbors;
RESET ROLE;
CALL test.tenant('drafts', 'drafts_reader write');
SET ROLE drafts_reader;
-- arrays wherever a schema may stand have items, also those of a schema translated from an older dialect
SELECT FROM kg_apply_bundle('{"bundle_name": "drafts", "version": "1", "schemas": [{"entity_type": "part", "schema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "x-id-field": "id", "x-tool-expose": ["create"],
  "properties": {"id": {"type": "string"}, "sizes": {"type": "array", "items": [{"type": "string"}], "additionalItems": {"type": "array"}}}}}]}');
SELECT t #> '{inputSchema,properties,items,items,properties,sizes,items}' AS others FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'create_part';
RESET ROLE;
CALL test.drop('published', 'drafts');
