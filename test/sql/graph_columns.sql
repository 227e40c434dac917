-- What graph tools return about nodes and edges: columns, edge_columns, ids_only;
-- limit 0; the order of a reply's text.
\i test/data/prelude.sql
\pset format unaligned
\pset tuples_only on
CALL test.tenant('columns', 'column_reader write');
\c - column_reader
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1",
  "schemas": [
    {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-summary-fields": ["size"], "required": ["id"],
      "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "size": {"type": "integer", "x-index": true}, "story": {"type": "string", "x-untrusted": true}, "made": {"type": "integer", "x-derived": {"count": "MADE_BY", "direction": "incoming"}}}}},
    {"entity_type": "item", "schema": {"type": "object", "x-id-field": "sku", "x-tool-expose": ["list", "list_ids"], "required": ["sku"],
      "properties": {"sku": {"type": "string"}, "name": {"type": "string"}, "id": {"type": "integer"}, "at": {"type": "object", "properties": {"city": {"type": "string"}, "zip": {"type": "string"}}}}}}],
  "relations": [{"name": "MADE_BY", "from": "item", "to": "brand", "key": ["batch"], "schema": {"type": "object", "required": ["batch"], "properties": {"batch": {"type": "string"}, "price": {"type": "number"}}}},
    {"name": "LIKE", "from": "item", "to": "item", "schema": {"type": "object", "properties": {"how": {"type": "string"}, "cost": {"type": "number"}}}}],
  "entities": [{"entity_type": "brand", "items": [{"id": "b1", "name": "Bee", "size": 3, "story": "long"}, {"id": "b2", "name": "Cee", "size": 1}]},
    {"entity_type": "item", "items": [{"sku": "i1", "name": "one", "id": 7, "at": {"city": "Rome", "zip": "1"}}, {"sku": "i2", "name": "two"}, {"sku": "i3"}]}],
  "edges": [{"relation": "MADE_BY", "from": "item:i1", "to": "brand:b1", "properties": {"batch": "x", "price": 5}}, {"relation": "MADE_BY", "from": "item:i1", "to": "brand:b1", "properties": {"batch": "y", "price": 4}},
    {"relation": "MADE_BY", "from": "item:i2", "to": "brand:b1", "properties": {"batch": "x"}}, {"relation": "LIKE", "from": "item:i1", "to": "item:i2", "properties": {"how": "much", "cost": 2}}]}') ? 'revision';
CREATE FUNCTION pg_temp.tried(tool text, args jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d jsonb; r jsonb;
BEGIN
  EXECUTE format('SELECT kg_%s($1)', tool) INTO r USING args;
  RETURN r;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', d->>'code', d->>'path', sqlerrm, d->>'expected', d->'did_you_mean');
END $$;

-- the default: label and summary where a type declares one, else all
SELECT n FROM jsonb_array_elements(kg_find_nodes('{"node_label": "brand"}')->'nodes') n;
SELECT n FROM jsonb_array_elements(kg_find_nodes('{"node_label": "item"}')->'nodes') n;
-- all; chosen by name, by type and name, in a nested object; what is not shown is neither counted nor marked
SELECT r->'nodes', r->'untrusted' FROM kg_find_nodes('{"node_label": "brand", "columns": ["*"]}') r;
SELECT r->'nodes', r->'untrusted' FROM kg_find_nodes('{"node_label": "brand", "columns": ["brand.made", "shop/brand.name", "made"]}') r;
SELECT kg_find_nodes('{"node_label": "item", "columns": ["at.city", "id"], "ids": ["i1"]}')->'nodes';
SELECT r->'nodes', r->'edges', r->'untrusted' FROM kg_neighbors('{"start_node": {"label": "item", "node_id": "i1"}, "max_hops": 1, "columns": ["story", "name"]}') r;
-- a type of which nothing is named is told by its id
SELECT r->'nodes', r->'edges' FROM kg_neighbors('{"start_node": {"label": "item", "node_id": "i1"}, "max_hops": 1, "columns": ["brand.size"], "edge_columns": ["how", "MADE_BY.price"]}') r;
-- a property of edges among the columns
SELECT r->'nodes', r->'edges' FROM kg_neighbors('{"start_node": {"label": "item", "node_id": "i1"}, "max_hops": 1, "columns": ["name", "edge.how"]}') r;
SELECT r->'nodes', r->'edges' FROM kg_traverse('{"from": {"label": "item", "ids": ["i1"]}, "relationships": [{"type": "LIKE"}], "columns": ["edge.cost"], "edge_columns": ["how"]}') r;
SELECT r->'edges' FROM kg_traverse('{"from": {"label": "item", "ids": ["i1"]}, "relationships": [{"type": "LIKE"}], "columns": ["edge.cost"], "edge_columns": ["*"]}') r;
SELECT pg_temp.tried('traverse', '{"from": {"label": "item", "ids": ["i1"]}, "relationships": [{"type": "LIKE"}], "columns": ["edge.costs"]}'), pg_temp.tried('find_nodes', '{"node_label": "item", "columns": ["edge.cost"]}');
-- parallel edges show what tells them apart, whatever is chosen; a path goes over the lightest, shown or not
SELECT r->'edges' FROM kg_traverse('{"from": {"label": "item", "ids": ["i1"]}, "relationships": [{"type": "MADE_BY"}], "edge_columns": ["LIKE.how"]}') r;
SELECT r->'paths' FROM kg_paths('{"from": {"label": "item", "ids": ["i1"]}, "to": {"label": "brand", "ids": ["b1"]}, "max_hops": 1}') r;
SELECT r->'paths' FROM kg_paths('{"from": {"label": "item", "ids": ["i1"]}, "to": {"label": "brand", "ids": ["b1"]}, "max_hops": 1, "weight": "price", "edge_columns": ["*"]}') r;
SELECT r->'nodes', r->'edges' FROM kg_bfs('{"seeds": ["i1"], "max_hops": 1, "columns": ["name"], "edge_columns": ["how"]}') r;
SELECT r->'nodes' FROM kg_intersect('{"seeds": ["i1", "i2"], "k": 1, "columns": ["size"]}') r;
SELECT r->'nodes' FROM kg_traverse('{"from": {"label": "item", "ids": ["i1"]}, "relationships": [{"type": "MADE_BY"}], "columns": ["brand.size"]}') r;
SELECT r->'paths' FROM kg_paths('{"from": {"label": "item", "ids": ["i1"]}, "to": {"label": "brand", "ids": ["b1"]}, "max_hops": 1, "columns": ["size"]}') r;
SELECT r->'edges' FROM kg_intersect('{"seeds": ["i1", "i2"], "k": 1, "edge_columns": ["cost"]}') r;
-- handles alone
SELECT r - 'edges' FROM (VALUES (kg_find_nodes('{"node_label": "item", "ids_only": true}')), (kg_traverse('{"from": {"label": "item", "ids": ["i1"]}, "relationships": [{"type": "*"}], "ids_only": true}')),
  (kg_neighbors('{"start_node": {"label": "item", "node_id": "i1"}, "ids_only": true}')), (kg_paths('{"from": {"label": "item", "ids": ["i1"]}, "to": {"label": "brand", "ids": ["b1"]}, "ids_only": true, "limit": 0}')),
  (kg_bfs('{"seeds": ["i1"], "max_hops": 1, "ids_only": true}')), (kg_intersect('{"seeds": ["i1"], "k": 1, "ids_only": true}'))) v(r);
-- its pages together are the whole
WITH RECURSIVE p AS (SELECT kg_neighbors('{"start_node": {"label": "item", "node_id": "i1"}, "ids_only": true, "limit": 2}') AS r UNION ALL SELECT kg_neighbors(r->'next') FROM p WHERE r ? 'next')
SELECT jsonb_agg(n) FROM p, jsonb_array_elements(r->'nodes') n;
-- a cursor is of the columns that it was asked with
SELECT pg_temp.tried('find_nodes', r->'next' || '{"columns": ["name"]}') FROM kg_find_nodes('{"node_label": "item", "limit": 1, "columns": ["sku"]}') r;

-- limit 0: the numbers, and no way on
SELECT pg_temp.tried(t, a::jsonb) FROM (VALUES ('find_nodes', '{"node_label": "item", "limit": 0}'), ('traverse', '{"from": {"label": "item"}, "relationships": [{"type": "MADE_BY"}], "limit": 0}'),
  ('neighbors', '{"start_node": {"label": "item", "node_id": "i1"}, "limit": 0}'), ('paths', '{"from": {"label": "item"}, "to": {"label": "brand"}, "mode": "walks", "limit": 0}'),
  ('aggregate', '{"node": {"label": "item"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "name"}], "limit": 0}'), ('bfs', '{"seeds": ["i1", "b2"], "max_hops": 2, "limit": 0}'),
  ('search', '{"query": "bee", "limit": 0}'), ('find_nodes', '{"node_label": "item", "limit": "0"}'), ('find_nodes', '{"node_label": "item", "ids": ["nothing"], "limit": 0}')) v(t, a);
SELECT kg_list('item', '{"limit": 0}'), kg_list('brand', '{"limit": 0, "filters": {"size": {"gt": 1}}}'), kg_list('item', '{"limit": 0, "offset": 2, "search": "two"}'), kg_list_ids('item', '{"limit": 0}');

-- bad input
SELECT t, a, pg_temp.tried(t, a::jsonb || CASE t WHEN 'find_nodes' THEN '{"node_label": "brand"}' WHEN 'neighbors' THEN '{"start_node": {"label": "item", "node_id": "i1"}}' ELSE '{"seeds": ["i1"], "max_hops": 1}' END::jsonb)
  FROM (VALUES ('find_nodes', '{"columns": ["nmae"]}'), ('find_nodes', '{"columns": ["item.name"]}'), ('find_nodes', '{"columns": []}'), ('find_nodes', '{"columns": "name"}'), ('find_nodes', '{"columns": [1]}'), ('find_nodes', '{"columns": [""]}'),
    ('find_nodes', '{"columns": ["brand."]}'), ('find_nodes', '{"columns": null}'), ('find_nodes', '{"columns": ["name"], "ids_only": true}'), ('find_nodes', '{"edge_columns": ["how"]}'), ('find_nodes', '{"limit": 0, "cursor": "x"}'),
    ('neighbors', '{"columns": ["nothing"]}'), ('neighbors', '{"columns": ["brand.nothing"]}'), ('neighbors', '{"edge_columns": ["prise"]}'), ('neighbors', '{"edge_columns": ["LIKE.price"]}'), ('neighbors', '{"limit": 0, "cursor": "x"}'),
    ('bfs', '{"columns": ["made", "mad"]}'), ('bfs', '{"ids_only": "yes"}'), ('bfs', '{"limit": -1}')) v(t, a);
SELECT left(pg_temp.tried('find_nodes', jsonb_build_object('node_label', 'brand', 'columns', (SELECT jsonb_agg('name'::text) FROM generate_series(1, 101)))), 90);

-- the text of a result in the order to read it in; the structured content is as ever
SELECT regexp_replace(r #>> '{content,0,text}', '"cursor": "[^"]+"', '"cursor": "..."'), (r #>> '{content,0,text}')::jsonb = r->'structuredContent', length(r #>> '{content,0,text}') = length((r->'structuredContent')::text)
  FROM kg_call_tool('find_nodes', '{"node_label": "brand", "limit": "1", "columns": ["*"]}') r;
SELECT r #>> '{content,0,text}' FROM kg_call_tool('explore_neighbors', '{"start_node": {"label": "item", "node_id": "i3"}}') r;
SELECT r #>> '{content,0,text}' FROM kg_call_tool('find_paths', '{"from": {"label": "item", "ids": ["i2"]}, "to": {"label": "brand"}, "max_hops": 1, "ids_only": true}') r;
SELECT r #>> '{content,0,text}' FROM kg_call_tool('list_item_ids', '{}') r;
SELECT r #>> '{content,0,text}' FROM kg_call_tool('find_nodes', '{"node_label": "brand", "limit": -1}') r;

\c - postgres
CALL test.drop('columns');
