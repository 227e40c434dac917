-- A suggested call asks the same question as the refused one: it accounts for every
-- character of the input, or no call is suggested.
\i test/data/prelude.sql
CALL test.tenant('certain', 'certain_a admin');
\c - certain_a
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
 {"entity_type": "town", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true},
  "near": {"type": "array", "items": {"type": "string", "x-ref": "town", "x-relation": "BORDERS"}}}}},
 {"entity_type": "buyer", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-tool-expose": ["list", "get"], "properties": {"id": {"type": "string"}, "name": {"type": "string", "x-index": true},
  "region": {"type": "string", "x-index": true}, "town": {"type": "string", "x-index": true, "x-ref": "town", "x-relation": "LIVES_IN"}}}},
 {"entity_type": "sale", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list", "get"], "properties": {"id": {"type": "string"},
  "buyer": {"type": "string", "x-index": true, "x-ref": "buyer", "x-relation": "MADE_BY"}, "state": {"enum": ["open", "in_use", "retired"], "type": "string", "x-index": true},
  "band": {"enum": ["60", "90"], "type": "string", "x-index": true}, "price": {"type": "number", "x-index": true}, "cost": {"type": "number", "x-index": true},
  "minutes": {"type": "integer", "x-index": true}, "weight_kg": {"type": "number", "x-index": true}, "year": {"type": "integer", "enum": [44, 45], "x-index": true},
  "at": {"type": "string", "format": "date-time", "x-index": true}, "last_serviced": {"type": "string", "format": "date", "x-index": true}}}}],
 "entities": [{"entity_type": "town", "items": [{"id": "X", "name": "Xanten"}, {"id": "Y", "name": "Ypres", "near": ["X"]}]},
  {"entity_type": "buyer", "items": [{"id": "B-0001", "name": "Quarry Works", "region": "north", "town": "X"}, {"id": "B-0002", "name": "Elm Traders", "region": "south", "town": "Y"}]},
  {"entity_type": "sale", "items": [{"id": "S-10001", "buyer": "B-0001", "state": "open", "band": "60", "price": 5, "cost": 3, "minutes": 90, "weight_kg": 2, "year": 44, "at": "2026-03-01T12:00:00Z", "last_serviced": "2026-02-01"}]}]}') ? 'revision' AS applied;
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION pg_temp.told(tool text, arguments jsonb) RETURNS text LANGUAGE sql AS $$
SELECT concat_ws(' | ', coalesce('call ' || coalesce(e->'call', h->0->'call')::text, 'no call'), 'example ' || (e->>'example'), 'near ' || (e->>'did_you_mean'), e->>'expected', 'repaired ' || (c->>'repaired'))
  FROM kg_call_tool(tool, arguments) r, LATERAL (SELECT r->'structuredContent' AS c, r->'structuredContent'->'error' AS e, r->'structuredContent'->'hints' AS h) x $$;
-- formulas, paths, parts of dates, contained names, lists in one text, signs of numbers, and words near to others
SELECT t, a, pg_temp.told(t, a::jsonb) FROM (VALUES
  ('count', '{"node": {"label": "sale"}, "aggregations": [{"fn": "sum", "property": "price - cost"}]}'),
  ('count', '{"node": {"label": "sale", "filters": {"price-cost": {"lt": 0}}}}'),
  ('count', '{"node": {"label": "sale"}, "group_by": [{"property": "buyer.region"}]}'),
  ('count', '{"node": {"label": "sale"}, "group_by": [{"property": "at.month"}]}'),
  ('find', '{"type": "sale", "filters": {"buyer_country": "DE"}}'),
  ('find', '{"type": "buyer", "ids": []}'),
  ('find_nodes', '{"node_label": "buyer", "ids": []}'),
  ('find', '{"type": "sale", "filters": {"year": -44}}'),
  ('follow', '{"from": "buyer:B-0001", "steps": [{"type": "ORDERS"}]}'),
  ('count', '{"node": {"label": "sale"}, "aggregations": [{"fn": "sum", "property": "minutes / 60"}]}'),
  ('find', '{"type": "sale", "filters": {"state": "in_use,standby"}}'),
  ('find', '{"type": "sale", "filters": {"band": "60+"}}'),
  ('find', '{"type": "sale", "filters": {"weight_g": {"gt": 500}}}'),
  ('count', '{"node": {"label": "sale"}, "group_by": [{"property": "at", "truncate": "weekday"}]}'),
  ('count', '{"node": {"label": "sale"}, "group_by": [{"property": "at", "truncate": "hour_of_day"}]}'),
  ('count', '{"node": {"label": "sale"}, "group_by": [{"property": "buyer.town.name"}]}'),
  ('find', '{"type": "sale", "filters": {"state": "repaired"}}'),
  ('count', '{"node": {"label": "sale"}, "aggregations": [{"fn": "max_by", "property": "price"}]}'),
  ('count', '{"node": {"label": "sale"}, "aggregations": [{"fn": "sum_if", "property": "price"}]}'),
  ('find', '{"type": "sale", "filters": {"next_serviced": {"lt": "2026-03-01"}}}'),
  ('find', '{"type": "sale", "sort": [{"field": "price/cost"}]}'),
  ('find', '{"type": "sale", "filters": {"price": {"starts": 1}}}'),
  ('find', '{"type": "sail"}'),
  ('list_buyer', '{"filters": {"name": "Quarry"}}'),
  ('get', '{"handles": ["bayer:B-0001"]}')) x(t, a);
-- the same words, and a path that "related" follows: the call
SELECT t, a, pg_temp.told(t, a::jsonb) FROM (VALUES
  ('find', '{"type": "sale", "filters": {"buyer.region": "north"}}'),
  ('count', '{"node": {"label": "sale", "filters": {"buyer.region": "north"}}}'),
  ('find', '{"type": "sale", "filters": {"lastServiced": {"gt": "2026-01-01"}}}'),
  ('find', '{"type": "sale", "filters": {"last_servised": {"gt": "2026-01-01"}}}'),
  ('find', '{"type": "sale", "filters": {"Price": {"gt": 1}}}'),
  ('find', '{"type": "Sales"}'),
  ('find', '{"type": "sale", "filters": {"state": "In-Use"}}'),
  ('count', '{"node": {"label": "sale"}, "aggregations": [{"fn": "maximum", "property": "price"}]}'),
  ('follow', '{"from": "sale:S-10001", "steps": [{"type": "made by"}]}'),
  ('list_buyer', '{"filters": {"name": "quarry-works"}}'),
  ('get', '{"handles": ["Buyer:b0001"]}')) x(t, a);
-- all faults of a call are told, and one call mends them; where one cannot be mended, there is none
CREATE FUNCTION pg_temp.faults(tool text, arguments jsonb) RETURNS SETOF text LANGUAGE sql AS $$
SELECT coalesce('call ' || (e->'call')::text, 'no call') FROM (SELECT kg_call_tool(tool, arguments)->'structuredContent'->'error') x(e)
 UNION ALL SELECT concat_ws(' | ', f->>'path', f->>'message', 'near ' || (f->>'did_you_mean'), 'allowed ' || (f->>'allowed'))
  FROM (SELECT kg_call_tool(tool, arguments)->'structuredContent'->'error') x(e), jsonb_array_elements(e->'errors') f $$;
SELECT pg_temp.faults('find', '{"type": "Sales", "where": {"State": "In-Use", "at": {"$gt": "March 5, 2024"}, "buyer": "b1"}, "order_by": "price desc"}');
SELECT pg_temp.faults('find', '{"type": "Sales", "where": {"buyer": "Elm Traders", "price": {"$gt": "much"}}}');
SELECT pg_temp.faults('list_sale', '{"filter": {"buyer": "b1"}}');
SELECT pg_temp.faults('list_sale', '{"filter": {"price": 5}}');
SELECT pg_temp.faults('delete_sale', '{"filter": {"price": 5}}');
-- a direction that the relations make impossible: the other one where that is possible, else an error
SELECT t, a, coalesce(c->>'total', c->>'error'), c->>'repaired' FROM (VALUES
  ('find', '{"type": "buyer", "limit": 0, "not_related": [{"type": "MADE_BY"}]}'),
  ('find_nodes', '{"node_label": "buyer", "limit": 0, "related": [[{"type": "MADE_BY", "direction": "outgoing", "to": {"label": "sale"}}]]}'),
  ('list_buyer', '{"limit": 0, "related": [{"type": "LIVES_IN", "to": {"label": "town", "not_related": [{"type": "LIVES_IN", "to": {"ids": ["B-0001"]}}]}}]}'),
  ('count', '{"node": {"label": "town"}, "group_by": [{"relationship": "LIVES_IN", "label": "buyer"}]}'),
  ('follow', '{"from": "town:X", "steps": [{"type": "LIVES_IN"}, {"type": "MADE_BY"}], "limit": 0}'),
  ('around', '{"handle": "town:X", "relations": ["LIVES_IN"], "direction": "outgoing", "limit": 0}'),
  ('find', '{"type": "town", "limit": 0, "not_related": [{"type": "BORDERS"}]}'),
  ('find', '{"type": "town", "limit": 0, "not_related": [{"type": "*"}]}'),
  ('find', '{"type": "town", "not_related": [{"type": "MADE_BY"}]}'),
  ('find', '{"type": "buyer", "related": [{"type": "MADE_BY", "to": {"label": "town"}}]}'),
  ('follow', '{"from": "town:X", "steps": [{"type": "LIVES_IN"}, {"type": "BORDERS"}]}'),
  ('around', '{"handle": "town:X", "relations": ["MADE_BY"], "direction": "both"}')) x(t, a),
  LATERAL (SELECT kg_call_tool(t, a::jsonb)->'structuredContent' AS c) r;
-- a claim passes on what its call says of the asking
SELECT jsonb_array_elements(kg_verify('{"claims": [{"count": {"tool": "find_nodes", "arguments": {"node_label": "buyer", "filters": {"town": "XX"}}}, "is": 0},
  {"none": {"tool": "list_buyer", "arguments": {"not_related": [{"type": "MADE_BY"}]}}}]}') -> 'claims') - 'correction';
-- an id by its number, other case of a part, nothing nearest that was sent, and a name of several
SELECT t, a, pg_temp.told(t, a::jsonb), (SELECT string_agg(h->>'message' || ' ' || (h->>'nearest'), '; ') FROM jsonb_array_elements(kg_call_tool(t, a::jsonb)->'structuredContent'->'hints') h) FROM (VALUES
  ('get', '{"handles": ["sale:10001"]}'),
  ('find', '{"type": "sale", "ids": ["10001"]}'),
  ('find', '{"type": "sale", "ids": ["10001"], "filters": {"id": [{"gt": "A"}], "buyer": "2"}}'),
  ('list_sale', '{"filters": {"buyer": "10001"}}'),
  ('find', '{"type": "buyer", "filters": {"name": {"contains": "quarry w"}}}'),
  ('list_buyer', '{"filters": {"name": {"starts_with": "ELM"}}}'),
  ('find', '{"type": "sale", "filters": {"price": {"gt": 5}}}'),
  ('find', '{"type": "buyer", "filters": {"id": {"gt": "B-0002"}}}')) x(t, a);
SELECT i->>'id' FROM jsonb_array_elements(kg_search('{"query": "10001"}')->'items') i;
SELECT kg_put_entities('buyer', '[{"id": "B-0003", "name": "Twin"}, {"id": "B-0004", "name": "Twin"}]')->>'created';
SELECT t, a, coalesce(c->'error'->>'allowed', c->'hints'->0->>'nearest'), c->'error'->>'did_you_mean' FROM (VALUES
  ('find', '{"type": "sale", "filters": {"buyer": "Twin"}}'),
  ('count', '{"node": {"label": "sale", "filters": {"buyer": "Twin"}}}'),
  ('follow', '{"from": {"label": "sale", "filters": {"buyer": "Twin"}}, "steps": [{"type": "MADE_BY"}]}'),
  ('find', '{"type": "buyer", "related": [{"type": "MADE_BY", "direction": "incoming", "to": {"label": "sale", "filters": {"buyer": "Twin"}}}]}'),
  ('find', '{"type": "buyer", "ids": ["Twin"]}'),
  ('get', '{"handles": ["buyer:Twin"]}'),
  ('around', '{"handle": "buyer:Twin"}'),
  ('describe_entity', '{"id": "buyer:Twin"}'),
  ('bfs_query', '{"seeds": ["buyer:Twin"], "max_hops": 1}')) x(t, a), LATERAL (SELECT kg_call_tool(t, a::jsonb)->'structuredContent' AS c) r;
-- taken and told: codes and properties in another case, days that an instant is not or is one of
SELECT t, a, kg_call_tool(t, a::jsonb)->'structuredContent'->>'total', pg_temp.told(t, a::jsonb) FROM (VALUES
  ('list_sale', '{"limit": 0, "filters": {"State": "OPEN", "PRICE": {"gte": "5"}}}'),
  ('find_nodes', '{"node_label": "sale", "limit": 0, "filters": {"state": {"in": ["Open", "RETIRED"]}}}'),
  ('list_sale', '{"limit": 0, "filters": {"at": {"ne": "2026-03-01"}}}'),
  ('list_sale', '{"limit": 0, "filters": {"at": {"ne": "2026-03-02"}, "price": 5}}'),
  ('list_sale', '{"limit": 0, "filters": {"at": {"in": ["2026-03-01", "2026-03-02"]}}}'),
  ('list_sale', '{"limit": 0, "filters": {"at": {"in": ["2026-03-01"]}}}'),
  ('find', '{"type": "sale", "limit": 0, "filters": {"buyer": null}}'),
  ('find', '{"type": "sale", "limit": 0, "related": [{"type": "MADE_BY", "min_count": 0}]}'),
  ('find', '{"type": "sale", "limit": 0, "filters": {"buyer": "B-0001,B-0002"}}'),
  ('find', '{"type": "sale", "limit": 0, "filters": {"buyer": "B-0001,B-0009"}}'),
  ('get', '{"handles": "sale:S-10001;buyer:B-0001"}'),
  ('get', '{"handles": ["sale/S-10001"]}'),
  ('bfs_query', '{"seeds": [{"type": "sale", "id": "S-10001"}], "max_hops": 1, "limit": 0}'),
  ('get_sale', '{"sale": "S-10001"}'),
  ('get_sale', '{"sale_ids": ["S-10001"]}'),
  ('follow', '{"from": {"id": "B-0001"}, "steps": [{"type": "LIVES_IN"}], "limit": 0}'),
  ('list_buyer', '{"limit": 0, "filters": {"name": {"includes": "Works"}}}'),
  ('list_sale', '{"limit": 0, "filters": {"AND": [{"price": 5}, {"state": "open"}]}}'),
  ('count', '{"node": {"label": "sale"}, "aggregations": {"max": "price"}}'),
  ('count', '{"node": {"label": "sale"}, "group_by": [{"property": "year(at)"}]}')) x(t, a);
-- filters as conditions of SQL: all of the text, or nothing
SELECT f, pg_temp.told('find', jsonb_build_object('type', 'sale', 'limit', 0, 'filters', f::jsonb)) FROM (VALUES
  ('"price > 500"'), ('"price > 1 AND state = ''open'' and at >= 2026-01-01"'), ('"state = ''open'' OR price between 1 and 2.5"'), ('["price > 1", "buyer.region in (''north'', ''it''''s'')"]'),
  ('{"price": "BETWEEN 1 AND 9", "state": "IN (''open'', ''retired'')"}'), ('{"state": "!= ''open''"}'), ('{"state": "is not null"}'), ('{"minutes": "IS NULL"}'), ('{"buyer": "IN (''B-0001'')"}'), ('{"last_serviced": "> ''2026-01-01''"}'),
  ('"price > 1 AND price < 9"'),
  ('"price > cost"'), ('"price / 2 > 1"'), ('"price > 1 AND (state = ''open'')"'), ('"state = ''open'' OR price > 1 AND cost > 1"'), ('"price > 5-3"'), ('"price >"'), ('{"price": "IN (1, cost)"}'), ('{"state": "not like ''o%''"}'), ('"drop table sale"')) x(f);
SELECT f, pg_temp.told('find', jsonb_build_object('type', 'buyer', 'limit', 0, 'filters', f::jsonb)) FROM (VALUES ('{"name": "LIKE ''Quarry%''"}'), ('{"name": "LIKE ''%rry%''"}'), ('{"name": "STARTS WITH ''Q''"}'), ('{"name": "not in (''a'', ''b'')"}'), ('{"name": "LIKE Quarry"}')) x(f);
\c - :owner
SET client_min_messages = error;
CALL test.drop('certain');
