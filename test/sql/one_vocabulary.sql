-- One word for one thing. Every tool accepts a handle for an object that names one
-- entity, and the reverse, "type" for the label of a selection, and "relation" for
-- the name of a relationship, and reports the change. Input with two meanings is
-- refused.
\i test/data/prelude.sql
\pset format unaligned
\pset tuples_only on
CALL test.tenant('words', 'words_a admin');
\c - words_a
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
  {"entity_type": "buyer", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "region": {"type": "string", "x-index": true}, "friend": {"type": "string", "x-ref": "buyer"}}}},
  {"entity_type": "sale", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list", "get"], "properties": {"id": {"type": "string"}, "buyer": {"type": "string", "x-index": true, "x-ref": "buyer", "x-relation": "MADE_BY"}}}}],
  "relations": [{"name": "KNOWS", "from": "buyer", "to": "buyer", "schema": {"type": "object", "properties": {"since": {"type": "integer"}, "name": {"type": "string"}}}}],
  "edges": [{"relation": "KNOWS", "from": "buyer:B1", "to": "buyer:B2", "properties": {"since": 2001}}],
  "entities": [{"entity_type": "buyer", "items": [{"id": "B1", "name": "Quarry Works", "region": "north"}, {"id": "B2", "name": "Elm Traders", "region": "south", "friend": "B1"}, {"id": "B3", "name": "Twins", "region": "west", "friend": "B2"}, {"id": "B4", "name": "Twins", "region": "east"}]}, {"entity_type": "sale", "items": [{"id": "S1", "buyer": "B1"}, {"id": "S2", "buyer": "B1"}, {"id": "S3", "buyer": "B2"}]}]}') ? 'revision';
-- the answer, the same as with the published words; and what was repaired
CREATE FUNCTION pg_temp.both(tool text, taken text, published text) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' | ', tool, coalesce(t #>> '{error,message}', ((t - 'repaired' - 'next') = (p - 'repaired' - 'next'))::text), (SELECT string_agg(concat_ws(' ', r->>'path', r->'got', r->'used'), ', ') FROM jsonb_array_elements(t->'repaired') r), 'not as published: ' || (p #>> '{error,message}'))
  FROM (SELECT kg_call_tool(tool, taken::jsonb) -> 'structuredContent' AS t, kg_call_tool(tool, published::jsonb) -> 'structuredContent' AS p) x $$;
SELECT pg_temp.both('explore_neighbors', '{"start_node": "sale:S1", "relations": ["MADE_BY"], "types": ["buyer"]}', '{"start_node": {"label": "sale", "node_id": "S1"}, "relationship_types": ["MADE_BY"], "node_labels": ["buyer"]}');
SELECT pg_temp.both('find_paths', '{"from": "sale:S1", "to": {"type": "sale", "ids": ["S2"]}}', '{"from": {"label": "sale", "ids": ["S1"]}, "to": {"label": "sale", "ids": ["S2"]}}');
SELECT pg_temp.both('traverse_relationships', '{"from": "buyer:B1", "relationships": [{"relation": "MADE_BY", "direction": "incoming", "to": {"type": "sale"}}]}', '{"from": {"label": "buyer", "ids": ["B1"]}, "relationships": [{"type": "MADE_BY", "direction": "incoming", "to": {"label": "sale"}}]}');
SELECT pg_temp.both('find_nodes', '{"type": "sale", "related": [{"relation": "MADE_BY", "to": {"type": "buyer", "ids": ["B2"]}}]}', '{"node_label": "sale", "related": [{"type": "MADE_BY", "to": {"label": "buyer", "ids": ["B2"]}}]}');
SELECT pg_temp.both('aggregate_nodes', '{"node": {"type": "sale"}, "group_by": [{"relation": "MADE_BY", "property": "region"}], "aggregations": [{"fn": "count"}]}', '{"node": {"label": "sale"}, "group_by": [{"relationship": "MADE_BY", "property": "region"}], "aggregations": [{"fn": "count"}]}');
SELECT pg_temp.both('around', '{"handle": {"type": "sale", "id": "S1"}}', '{"handle": "sale:S1"}');
SELECT pg_temp.both('follow', '{"from": {"type": "sale", "ids": ["S1"]}, "steps": [{"relation": "MADE_BY"}]}', '{"from": "sale:S1", "steps": [{"type": "MADE_BY"}]}');
SELECT pg_temp.both('get', '{"handles": [{"label": "sale", "node_id": "S1"}, {"type": "sale", "ids": ["S2"]}]}', '{"handles": ["sale:S1", "sale:S2"]}');
SELECT pg_temp.both('describe_entity', '{"id": {"type": "sale", "id": "S1"}}', '{"id": "sale:S1"}');
-- filters of a step whose relation has no properties are those of its end
SELECT pg_temp.both('find', '{"type": "sale", "related": [{"type": "MADE_BY", "filters": {"region": "north"}}]}', '{"type": "sale", "related": [{"type": "MADE_BY", "to": {"filters": {"region": "north"}}}]}');
SELECT pg_temp.both('follow', '{"from": "sale:S1", "steps": [{"type": "MADE_BY", "filters": {"region": "south"}, "to": {"type": "buyer"}}]}', '{"from": "sale:S1", "steps": [{"type": "MADE_BY", "to": {"label": "buyer", "filters": {"region": "south"}}}]}');
SELECT pg_temp.both('find', '{"type": "sale", "related": [{"type": "MADE_BY", "filters": {"nothing": "north"}}]}', '{"type": "sale", "limit": 1}');
-- and filters of an end that only the edge can have those of the edge; what both or neither can have stays
SELECT pg_temp.both('find', '{"type": "buyer", "related": [{"type": "KNOWS", "to": {"type": "buyer", "filters": {"since": 2001, "region": "south"}}}]}', '{"type": "buyer", "related": [{"type": "KNOWS", "filters": {"since": 2001}, "to": {"label": "buyer", "filters": {"region": "south"}}}]}');
SELECT pg_temp.both('follow', '{"from": "buyer:B1", "steps": [{"type": "KNOWS", "filters": {"region": "south", "since": 2001}}]}', '{"from": "buyer:B1", "steps": [{"type": "KNOWS", "filters": {"since": 2001}, "to": {"filters": {"region": "south"}}}]}');
SELECT pg_temp.both('find', '{"type": "buyer", "related": [{"type": "KNOWS", "to": {"filters": {"name": "Elm Traders"}}}]}', '{"type": "buyer", "related": [{"type": "KNOWS", "to": {"filters": {"name": "Elm Traders"}}}]}');
SELECT pg_temp.both('find', '{"type": "buyer", "related": [{"type": "KNOWS", "filters": {"since": 2002}, "to": {"filters": {"since": 2001}}}]}', '{"type": "buyer"}');
-- in a walk of several hops, each edge is tested, but only the last node: nothing is moved
SELECT kg_call_tool('follow', jsonb_build_object('from', 'buyer:B1', 'steps', jsonb_build_array('{"type": "KNOWS"}'::jsonb || step))) #> '{structuredContent,error,path}' FROM (VALUES ('{"max_hops": 2, "filters": {"region": "south"}}'::jsonb), ('{"hops": 2, "filters": {"region": "south"}}'), ('{"min_hops": 0, "to": {"filters": {"since": 2001}}}')) t(step);
-- a property of the type where the step begins is not one of its end
SELECT kg_call_tool('find', jsonb_build_object('type', 'sale', key, '[{"type": "MADE_BY", "filters": {"buyer": "B1"}}]'::jsonb)) #> '{structuredContent,error,path}' FROM unnest('{related,not_related}'::text[]) key;
-- nor is a step reversed, if its filters could then match nothing
SELECT kg_call_tool('find', '{"type": "buyer", "not_related": [{"type": "MADE_BY", "filters": {"region": "north"}}]}') #>> '{structuredContent,error,message}';
SELECT pg_temp.both('find', '{"type": "buyer", "not_related": [{"type": "MADE_BY", "to": {"filters": {"buyer": "B1"}}}]}', '{"type": "buyer", "not_related": [{"type": "MADE_BY", "direction": "incoming", "to": {"filters": {"buyer": "B1"}}}]}');
-- a property beside the type is a filter, not the id of another type; arguments of another tool
SELECT kg_call_tool('find', '{"type": "sale", "buyer": "B1"}') #> '{structuredContent,error,call,arguments}', kg_call_tool('find', '{"node": {"label": "sale"}, "group_by": ["buyer"]}') #> '{structuredContent,error,call}';
-- a name in place of ids: the entities that it finds best
SELECT pg_temp.both('follow', '{"from": {"label": "buyer", "query": "quarry wroks"}, "steps": [{"type": "MADE_BY", "direction": "incoming"}]}', '{"from": "buyer:B1", "steps": [{"type": "MADE_BY", "direction": "incoming"}]}');
SELECT pg_temp.both('find_paths', '{"from": {"label": "buyer", "query": "Elm Traders"}, "to": {"label": "buyer", "query": "twins"}}', '{"from": {"label": "buyer", "ids": ["B2"]}, "to": {"label": "buyer", "ids": ["B3", "B4"]}}');
SELECT pg_temp.both('count', '{"node": {"label": "buyer", "query": "Twins", "filters": {"region": "east"}}}', '{"node": {"label": "buyer", "ids": ["B4"]}}');
SELECT pg_temp.both('find_paths', '{"from": {"label": "buyer", "query": "qqqqqq"}, "to": {"label": "sale"}}', '{"from": {"label": "buyer", "ids": ["qqqqqq"]}, "to": {"label": "sale"}}');
SELECT pg_temp.both('find_paths', '{"from": {"label": "buyer", "query": "twins", "ids": ["B1"]}, "to": {"label": "sale"}}', '{"from": {"label": "buyer", "ids": ["B1"]}, "to": {"label": "sale"}}');
-- pages of other interfaces
SELECT pg_temp.both('list_sale', '{"page": 2, "per_page": 1}', '{"limit": 1, "offset": 1}');
SELECT pg_temp.both('list_sale', '{"page": "1"}', '{"offset": 0}');
SELECT pg_temp.both('list_sale', '{"page": 2}', '{"offset": 50}');
SELECT pg_temp.both('list_sale', '{"skip": 1, "page_size": 1}', '{"offset": 1, "limit": 1}');
SELECT pg_temp.both('find', '{"type": "sale", "page_number": 3, "limit": 1}', '{"type": "sale", "limit": 1, "offset": 2}');
SELECT pg_temp.both('find', '{"type": "buyer", "query": "twins", "page": 2, "perPage": 1}', '{"type": "buyer", "query": "twins", "limit": 1, "offset": 1}');
SELECT pg_temp.both('find_nodes', '{"node_label": "sale", "page": 1, "per_page": 2}', '{"node_label": "sale", "limit": 2}');
SELECT pg_temp.both('find', '{"type": "sale", "items_per_page": 2}', '{"type": "sale", "limit": 2}');
SELECT pg_temp.both(tool, arguments, '{"limit": 1, "type": "sale"}') FROM (VALUES ('list_sale', '{"page": 0, "per_page": 1}'), ('list_sale', '{"page": 2, "per_page": 1, "limit": 2}'), ('list_sale', '{"page": 2, "per_page": 1, "offset": 2}'), ('list_sale', '{"page": 9223372036854775807, "per_page": 2}'),
  ('list_sale', '{"page": 1.5}'), ('list_sale', '{"page": 2, "per_page": "two"}'), ('find_nodes', '{"node_label": "sale", "page": 2, "per_page": 1}'), ('find', '{"type": "sale", "page": 2}'), ('find', '{"type": "sale", "page": 2, "page_no": 3, "limit": 1}'),
  ('find', '{"type": "sale", "per_page": 1, "page_size": 2}'), ('find', '{"type": "sale", "per_page": 1, "limit": 2}')) t(tool, arguments);
-- a page of more than the maximum: the call of the error is accepted, whichever words the page has
SELECT tool, arguments, e -> 'call' -> 'arguments', (SELECT coalesce(r #>> '{error,message}', 'accepted ' || coalesce(r #>> '{repaired,0,used}', '')) FROM (SELECT kg_call_tool(tool, e #> '{call,arguments}') -> 'structuredContent' AS r) r)
  FROM (SELECT tool, arguments, kg_call_tool(tool, arguments::jsonb) #> '{structuredContent,error}' AS e FROM (VALUES ('list_sale', '{"page": 2, "per_page": 5000}'), ('list_sale', '{"page": 1, "limit": 5000}'), ('list_sale', '{"page": 3, "limit": "100000000"}'),
    ('list_sale', '{"per_page": 5000}'), ('list_sale', '{"page_size": 5000, "skip": 1}'), ('find', '{"type": "sale", "page": 2, "perPage": 5000}'), ('find', '{"type": "sale", "page": 2, "limit": 5000}'), ('find', '{"type": "sale", "top_k": 5000}'),
    ('find_nodes', '{"type": "sale", "page": 1, "per_page": 100000}'), ('around', '{"handle": "buyer:B3", "hops": 1, "limit": 100000}')) t(tool, arguments)) t;
-- hops of a step, and the direction and the hops beside the only one
SELECT pg_temp.both('follow', '{"from": "buyer:B3", "steps": [{"type": "FRIEND", "hops": 2}]}', '{"from": "buyer:B3", "steps": [{"type": "FRIEND", "min_hops": 2, "max_hops": 2}]}');
SELECT pg_temp.both('find', '{"type": "buyer", "related": [{"type": "FRIEND", "hops": "1..2", "to": {"ids": ["B1"]}}]}', '{"type": "buyer", "related": [{"type": "FRIEND", "min_hops": 1, "max_hops": 2, "to": {"ids": ["B1"]}}]}');
SELECT pg_temp.both('around', '{"handle": "buyer:B3", "hops": 1}', '{"handle": "buyer:B3", "max_hops": 1}');
SELECT pg_temp.both('follow', '{"from": "buyer:B1", "steps": ["FRIEND"], "direction": "incoming"}', '{"from": "buyer:B1", "steps": [{"type": "FRIEND", "direction": "incoming"}]}');
SELECT pg_temp.both('follow', arguments, '{"from": "buyer:B3", "steps": [{"type": "FRIEND"}]}') FROM (VALUES ('{"from": "buyer:B3", "steps": [{"type": "FRIEND", "hops": "2.."}]}'), ('{"from": "buyer:B3", "steps": [{"type": "FRIEND", "hops": "2..1"}]}'), ('{"from": "buyer:B3", "steps": [{"type": "FRIEND", "hops": 2, "max_hops": 3}]}'), ('{"from": "buyer:B3", "steps": [{"type": "FRIEND", "hops": [1, 2]}]}'),
  ('{"from": "buyer:B3", "direction": "incoming", "steps": [{"type": "FRIEND"}, {"type": "FRIEND"}]}'), ('{"from": "buyer:B1", "direction": "incoming", "steps": [{"type": "FRIEND", "direction": "outgoing"}]}')) t(arguments);
SELECT pg_temp.both('follow', '{"from": "buyer:B3", "steps": [{"type": "FRIEND"}], "hops": 2}', '{"from": "buyer:B3", "steps": [{"type": "FRIEND", "min_hops": 2, "max_hops": 2}]}');
SELECT pg_temp.both('follow', '{"from": "buyer:B3", "steps": "FRIEND", "max_hops": 2}', '{"from": "buyer:B3", "steps": [{"type": "FRIEND", "max_hops": 2}]}');
-- beside several, each is refused; a number of hops that is that of the steps can be left out
CREATE FUNCTION pg_temp.sent_instead(tool text, arguments jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' | ', tool, e ->> 'message', e ->> 'expected', e #> '{call,arguments}') FROM (SELECT kg_call_tool(tool, arguments) #> '{structuredContent,error}' AS e) x $$;
SELECT pg_temp.sent_instead('follow', '{"from": "buyer:B3"}'::jsonb || a) FROM (VALUES ('{"steps": [{"type": "FRIEND"}, {"type": "FRIEND"}], "hops": 2}'::jsonb), ('{"steps": "FRIEND,FRIEND", "max_hops": 2}'), ('{"steps": ["FRIEND", "FRIEND"], "max_hops": 3}'), ('{"steps": [{"type": "FRIEND"}, {"type": "FRIEND"}], "direction": "incoming"}'),
  ('{"steps": [{"type": "FRIEND", "max_hops": 2}], "hops": 2}'), ('{"steps": [{"type": "FRIEND", "hops": 2}], "max_hops": 2}')) t(a);
SELECT pg_temp.sent_instead('traverse_relationships', '{"from": {"label": "buyer", "ids": ["B3"]}, "relationships": [{"type": "FRIEND"}, {"type": "FRIEND"}], "depth": 2}');
-- names with commas are as many steps, also in the call that an error proposes; "|" has alternatives of one step
SELECT pg_temp.both('follow', jsonb_build_object('from', 'buyer:B3', 'steps', steps)::text, '{"from": "buyer:B3", "steps": [{"type": "FRIEND"}, {"type": "FRIEND"}]}') FROM (VALUES ('"FRIEND,FRIEND"'::jsonb), ('"FRIEND, FRIEND"'), ('["FRIEND,FRIEND"]'), ('["FRIEND", {"type": "FRIEND"}]')) t(steps);
SELECT pg_temp.both('traverse_relationships', '{"from": "buyer:B3", "relationships": "FRIEND,FRIEND"}', '{"from": {"label": "buyer", "ids": ["B3"]}, "relationships": [{"type": "FRIEND"}, {"type": "FRIEND"}]}');
SELECT pg_temp.both('connect', '{"from": "buyer:B3", "to": "buyer:B1", "relations": "FRIEND, KNOWS"}', '{"from": "buyer:B3", "to": "buyer:B1", "relations": ["FRIEND", "KNOWS"]}');
SELECT pg_temp.sent_instead(tool, a) FROM (VALUES ('follow', '{"from": "buyer:B3", "via": "FRIEND, KNOWS"}'::jsonb), ('connect', '{"from": "buyer:B3", "to": "buyer:B1", "via": "FRIEND, KNOWS"}'), ('around', '{"handle": "buyer:B1", "via": "FRIEND, KNOWS"}'), ('follow', '{"from": "buyer:B3", "steps": "friend,knows"}'), ('follow', '{"from": "buyer:B3", "steps": "FRIEND|KNOWS"}'), ('follow', '{"from": "buyer:B3", "steps": "FRIEND,"}')) t(tool, a);
-- parts of "node" beside it, names in place of objects, and other words
SELECT pg_temp.both('count', '{"type": "buyer", "filters": {"region": "north"}}', '{"node": {"label": "buyer", "filters": {"region": "north"}}}');
SELECT pg_temp.both('aggregate_nodes', '{"label": "buyer", "aggregations": "count", "group_by": "region", "sort": "-count"}', '{"node": {"label": "buyer"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "region"}], "sort": [{"field": "count", "order": "desc"}]}');
SELECT pg_temp.both('count', '{"node": {"label": "sale"}, "group_by": ["buyer.region"], "aggregations": [{"fn": "count", "alias": "sales"}], "sort": [{"property": "count", "direction": "desc"}]}', '{"node": {"label": "sale"}, "group_by": [{"property": "buyer.region"}], "aggregations": [{"fn": "count", "as": "sales"}], "sort": [{"field": "sales", "order": "desc"}]}');
SELECT pg_temp.both('find', '{"type": "buyer", "properties": ["name"], "sort": "region desc", "related": "FRIEND"}', '{"type": "buyer", "fields": ["name"], "sort": [{"field": "region", "order": "desc"}], "related": [{"type": "FRIEND"}]}');
SELECT pg_temp.both('count', arguments, '{"node": {"label": "sale"}}') FROM (VALUES ('{"type": "buyer", "node": {"label": "sale"}}'), ('{"node": {"label": "buyer", "filters": {"region": "north"}}, "filters": {"region": "south"}}'), ('{"node": {"label": "buyer"}, "group_by": ["month(region)"]}'), ('{"node": {"label": "buyer"}, "aggregations": [{"fn": "count", "as": "a"}, {"fn": "count", "as": "b"}], "sort": [{"field": "count"}]}')) t(arguments);
-- columns that the text of follow has
SELECT pg_temp.both('follow', '{"from": "buyer:B3", "steps": [{"type": "FRIEND"}], "fields": ["to.name", "from.region"]}', '{"from": "buyer:B3", "steps": [{"type": "FRIEND"}], "fields": ["name", "region"]}');
SELECT pg_temp.both('follow', '{"from": "buyer:B3", "steps": [{"type": "FRIEND"}], "fields": ["to.nothing"]}', '{"from": "buyer:B3", "steps": [{"type": "FRIEND"}]}');
-- two readings, another word beside it, or no entity: refused
SELECT pg_temp.both('aggregate_nodes', '{"node": {"label": "sale"}, "group_by": [{"type": "MADE_BY", "property": "region"}], "aggregations": [{"fn": "count"}]}', '{"node": {"label": "sale"}, "aggregations": [{"fn": "count"}]}');
SELECT pg_temp.both('find_paths', '{"from": {"type": "sale", "label": "sale", "ids": ["S1"]}, "to": {"label": "sale"}}', '{"from": {"label": "sale", "ids": ["S1"]}, "to": {"label": "sale"}}');
SELECT pg_temp.both('explore_neighbors', '{"start_node": "bale:S1"}', '{"start_node": {"label": "sale", "node_id": "S1"}}');
SELECT pg_temp.both('around', '{"handle": {"type": "sale", "ids": ["S1", "S2"]}}', '{"handle": "sale:S1"}');
\c - :owner
CALL test.drop('words');
