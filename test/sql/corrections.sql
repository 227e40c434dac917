-- What to call instead, in errors and in hints: as ordinary roles, one of whom does not see all.
\i test/data/prelude.sql
CALL test.tenant('corrections', 'corrections_a admin', 'corrections_some read');
CREATE POLICY corrections_hide ON kg_entity AS RESTRICTIVE FOR SELECT TO corrections_some USING (entity_id NOT IN ('INV-0007', 'C-100'));
\set bundle `cat "$PG_ABS_SRCDIR/data/office.json"`
\c - corrections_a
SELECT kg_apply_bundle(:'bundle') ? 'revision' AS applied;
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION pg_temp.instead(tool text, arguments jsonb) RETURNS SETOF text LANGUAGE sql AS $$
SELECT concat_ws(' ', c->'error'->>'code', c->'error'->'did_you_mean', coalesce(c#>>'{error,call,tool}', h->'call'->>'tool'),
    coalesce(c#>'{error,call,arguments}', h#>'{call,arguments}'), 'example ' || (c#>>'{error,example}'))
  FROM (SELECT r->'structuredContent' AS c FROM kg_call_tool(tool, arguments) r) r, jsonb_array_elements(coalesce(c->'hints', '[{}]')) h $$;
-- one likely meaning: the whole call
SELECT pg_temp.instead(t, a::jsonb) FROM (VALUES
  ('list_invoice', '{"where": {"status": "paid"}, "limit": 3}'),
  ('list_invoice', '{"filters": {"status": "Paid"}, "limit": 3}'),
  ('list_invoice', '{"filters": {"tier": "gold"}}'),
  ('list_invoice', '{"filters": {"customer": {"in": ["C-101", "Acme Holdings"]}}}'),
  ('list_invoice', '{"filters": {"issued": {"gte": "5.3.2024", "lt": "2024-05-01"}}}'),
  ('list_invoice', '{"filters": {"amount": {"gt": "1,200.50"}}}'),
  ('list_invoices', '{"limit": 1}'),
  ('get_invoice', '{"filters": {"status": "paid"}}'),
  ('list_invoice', '{"limit": 100000}'),
  ('find_nodes', '{"node_label": "invoice", "ids": []}'),
  ('find_nodes', '{"node_label": "invoice", "offset": 1}'),
  ('get_invoice', '{"ids": ["INV-7", "inv10", "INV-0001"]}'),
  ('describe_entity', '{"id": "Invoice:INV_7"}'),
  ('bfs_query', '{"seeds": ["invoice:INV-7", "customer:c100"], "max_hops": 1}'),
  ('traverse_relationships', '{"from": {"label": "team", "ids": ["T-01"]}, "relationships": [{"type": "IN_TEAM"}]}')) x(t, a);
-- several, or none: nothing is said to be meant
SELECT pg_temp.instead(t, a::jsonb) FROM (VALUES
  ('list_invoice', '{"filters": {"issued": {"gte": "05/03/2024"}}}'),
  ('list_invoice', '{"filters": {"issued": {"gte": "31/02/2024"}}}'),
  ('list_invoice', '{"filters": {"amount": {"gt": "1,20"}}}'),
  ('list_invoice', '{"filters": {"status": {"in": []}}}'),
  ('list_invoice', '{"filters": {"nothing": 1}}'),
  ('get_invoice', '{"ids": ["X-9"]}'),
  ('find_nodes', '{}'),
  ('list_invoice', '{"wher": {"status": "paid"}, "where": 1}'),
  ('list_invoice', json_build_object('where', json_build_object('status', repeat('x', 5000)))::text)) x(t, a);
-- a name that is taken is not taken again
SELECT pg_temp.instead('list_invoice', '{"filter": {"status": "paid"}, "filters": {"status": "sent"}}');
-- a property among the arguments goes into the filters, with those that are there; one that is in them already, or filters of another form, are in doubt
SELECT pg_temp.instead(t, a::jsonb) FROM (VALUES
  ('list_invoice', '{"status": "paid", "customer": "C-100", "limit": 2}'),
  ('list_invoice', '{"status": "paid", "filters": {"customer": "C-100"}}'),
  ('list_invoice', '{"status": "paid", "filters": {"status": "sent"}}'),
  ('list_invoice', '{"status": "paid", "filters": "C-100"}'),
  ('find_nodes', '{"node_label": "invoice", "amount": {"gt": 100}}'),
  ('find_nodes', '{"node_label": "no such type", "amount": {"gt": 100}}'),
  ('traverse_relationships', '{"from": {"label": "invoice", "status": "paid"}, "relationships": [{"type": "OF_CUSTOMER"}]}')) x(t, a);
-- a name alone, of a tool that does not take such arguments: no call
SELECT kg_register_tool('{"name": "paid_invoices", "version": "1.0.0", "kind": "query", "description": "d", "input_schema": {"type": "object", "properties": {"most": {"type": "integer"}}, "additionalProperties": false}, "operation": {"tool": "list_invoice", "arguments": {"limit": {"$arg": "most"}}}}') ->> 'verdict';
SELECT t, a, pg_temp.instead(t, a::jsonb) FROM (VALUES ('list_invoices', '{"node_label": "x"}'), ('create_invoices', '{"entities": []}'), ('create_invoices', '{"items": [{"id": "INV-9999"}]}'), ('delete_invoices', '{"entityNames": ["a"]}'),
  ('paid_invoice', '{"most": 1}'), ('paid_invoice', '{"most": "all"}'), ('paid_invoice', '{"limit": 1}'), ('find_node', '{}'), ('find_node', '{"node_label": "invoice"}')) x(t, a);
SELECT kg_unregister_tool('paid_invoices') ->> 'verdict';
-- a tool that writes is meant by its name in another spelling alone, and never by its opposite
SELECT kg_apply_bundle('{"bundle_name": "notes", "version": "1", "schemas": [{"entity_type": "meeting_note", "schema": {"type": "object", "x-id-field": "id", "x-history": true,
  "x-tool-expose": ["list", "get", "history", "create", "update", "delete"], "properties": {"id": {"type": "string"}}}}], "entities": [{"entity_type": "meeting_note", "items": [{"id": "n1"}]}]}') ? 'revision';
SELECT t, pg_temp.instead(t, '{"ids": ["n1"]}') FROM unnest('{undelete_meeting_note,deleted_meeting_note,un_delete_meeting_note,detele_meeting_note,delete_meeting_vote,remove_meeting_note,DELETE_meeting_notes,deleteMeetingNote,delete-meetnig-note,delete_metting_note}'::text[]) t;
-- another instant: a date as its beginning, without a zone that of UTC; a number is none
SELECT v, pg_temp.instead('list_meeting_note', jsonb_build_object(k, v)) FROM unnest('{valid_at,as_of}'::text[]) k,
  jsonb_array_elements('["2020-05-03", "2020-05-03T10:00:00", "2020-05-03 10:00:00Z", "3 May 2020", 5, "soon"]') v;
SELECT e -> 'path', e -> 'message' FROM (SELECT kg_call_tool('list_meeting_note', '{"as_of": "9999-12-31T23:59:59-23:59"}') #> '{structuredContent,error}') x(e);
-- a sort as one text
SELECT v, pg_temp.instead('list_employee', jsonb_build_object('sort', v)) FROM unnest('{desc,"name,hired desc","+name","name descending","-name, hired",","}'::text[]) v;
-- a weight has a most, which the schema has
SELECT kg_call_tool('rank_related', '{"seeds": [{"id": "team:T-01", "weight": 1e16}]}') #> '{structuredContent,error}';
-- a value in another case, of many
SELECT kg_put_entities('customer', (SELECT jsonb_agg(jsonb_build_object('id', 'X' || n, 'tier', 'gold', 'country', 'X', 'name', initcap(translate(substr(md5(n::text), 1, 8), '0123456789', 'ghijklmnop')))) FROM generate_series(1, 300) n)) #> '{counts,created}';
SELECT pg_temp.instead('list_customer', jsonb_build_object('filters', jsonb_build_object('name', v))) FROM unnest('{"nordlicht gmbh","NORDLICHT GMBH","acme holdings",dhcjoagp,DHCJOAGP}'::text[]) v;
-- as an error of SQL
DO $$
DECLARE
  detail text;
BEGIN
  PERFORM kg_list('invoice', '{"filters": {"status": "Paid"}}');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RAISE NOTICE '%', detail::jsonb -> 'call';
END $$;
-- what a registered tool runs is its own affair; its arguments are its caller's
SELECT kg_register_tool('{"name": "bills", "version": "1.0.0", "kind": "query", "description": "Bills.", "input_schema": {"required": ["status"], "properties": {"status": {"type": "string"}}},
  "operation": {"tool": "find_nodes", "arguments": {"node_label": "invoice", "filters": {"status": {"$arg": "status"}}}}}') IS NOT NULL AS registered;
SELECT pg_temp.instead('bills', '{"status": "Paid"}');
-- what follows the call that is told, until none is: as many as were asked for, and the calls asked the same
CREATE FUNCTION pg_temp.followed(tool text, arguments jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  reply jsonb;
  told text := '';
BEGIN
  FOR i IN 1 .. 5 LOOP
    reply := kg_call_tool(tool, arguments) -> 'structuredContent';
    IF reply #> '{error,call}' IS NULL THEN
      RETURN told || coalesce(reply #>> '{error,message}', 'total ' || (reply ->> 'total'), 'done');
    END IF;
    tool := reply #>> '{error,call,tool}';
    arguments := reply #> '{error,call,arguments}';
    told := told || tool || ' ' || arguments || ' | ';
  END LOOP;
  RETURN told || 'and on';
END
$$;
SELECT kg_apply_bundle('{"bundle_name": "boxes", "version": "1", "schemas": [{"entity_type": "box", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "size": {"type": "object", "properties": {
    "width": {"type": "number", "x-index": true}, "unit": {"type": "object", "properties": {"name": {"type": "string"}}}}}, "parts": {"type": "array", "items": {"type": "object", "properties": {"code": {"type": "string"}}}}}}},
    {"entity_type": "crate", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "relations": [{"name": "FITS_IN", "from": "box", "to": "box"}, {"name": "FITS_IN", "from": "crate", "to": "box"}], "entities": [{"entity_type": "box", "items": [{"id": "small", "size": {"width": 1, "unit": {"name": "m"}}, "parts": [{"code": "a"}]}, {"id": "mid", "size": {"width": 2}}, {"id": "large", "size": {"width": 3}}]}],
  "edges": [{"relation": "FITS_IN", "from": "box:small", "to": "mid"}, {"relation": "FITS_IN", "from": "box:mid", "to": "large"}]}') ? 'revision';
-- a day, a month and a year are as long as they are: until its last instant, after it, in it
SELECT pg_temp.followed('list_employee', jsonb_build_object('filters', jsonb_build_object('last_seen', c::jsonb), 'limit', 0)) FROM (VALUES ('"2024-05-02"'), ('{"eq": "2 May 2024"}'), ('{"lte": "2024-05-02"}'), ('{"gt": "2024-05-02"}'), ('{"lt": "2024-05-02"}'),
  ('{"between": ["2024-05-01", "2024-05-02"]}'), ('"2024-05-01..2024-05-02"'), ('">2024-05-02"'), ('{"lte": "2024-05"}'), ('"2024"'), ('{"gte": "2024", "lt": "2025"}'), ('{"ne": "2024-05-02"}'), ('{"in": ["2024-05-02"]}'), ('{"lte": "2024-05-02", "lt": "2025-01-01T00:00:00Z"}'),
  ('{"gte": "2024-05-02T09:10Z"}'), ('{"gte": "2024-05-02T11:10:00+0200"}'), ('{"gte": "2024-05-02 09:10 UTC"}'), ('{"lte": "2023-12-31"}'), ('{"lte": "2024-02-28"}')) v(c);
SELECT pg_temp.followed('list_employee', jsonb_build_object('filters', jsonb_build_object('hired', c::jsonb), 'limit', 0)) FROM (VALUES ('"2019-11"'), ('{"lte": "2019"}'), ('{"gt": "2019-11"}'), ('{"lt": "2019-11-15T12:00:00Z"}'), ('{"gte": "2019-11-15T12:00:00Z"}'),
  ('{"gte": "2019-11-15T00:00:00.000Z"}'), ('"2019-11-15T12:00:00Z"'), ('"2019..2020"')) v(c);
-- members of a property that is an object
SELECT pg_temp.followed(t, a::jsonb) FROM (VALUES ('list_box', '{"filters": {"size": {"width": {"gt": 1}}}}'), ('list_box', '{"filters": {"size": {"width": 1, "unit": {"name": "m"}}, "id": "small"}}'), ('list_box', '{"filters": {"parts": {"code": "a"}}}'),
  ('find_nodes', '{"node_label": "box", "filters": {"any": [{"size": {"width": 1}}, {"id": "large"}]}}'), ('list_box', '{"filters": {"size": {"height": 1}}}'), ('list_box', '{"filters": {"id": {"width": 1}}}'), ('list_box', '{"filters": {"size": {}}}')) v(t, a);
-- what says nothing is left out, all of it at once, and what is required is not
SELECT pg_temp.followed(t, a::jsonb) FROM (VALUES ('list_box', '{"limit": null}'), ('list_box', '{"limit": 1, "offset": null, "cursor": null, "filters": null, "search": "", "sort": null, "related": null}'), ('list_box', '{"search": ""}'), ('get_box', '{"id": null, "ids": ["mid"]}'), ('get_box', '{"ids": [], "id": "mid"}'),
  ('get_box', '{"id": null}'), ('get_box', '{"ids": []}'), ('find_nodes', '{"node_label": null}'), ('find_nodes', '{"node_label": "box", "ids": null}'), ('search_entities', '{"query": ""}'),
  ('traverse_relationships', '{"from": {"label": "box", "ids": ["small"], "filters": null}, "relationships": [{"type": "FITS_IN", "direction": null, "to": null}], "to": null}')) v(t, a);
-- an order by its name, names in one string, an id in place of what selects, a number without end
SELECT pg_temp.followed(t, a::jsonb) FROM (VALUES ('list_invoice', '{"sort": [{"amount": "desc"}], "limit": 1}'), ('list_invoice', '{"sort": {"amount": -1}, "limit": 1}'), ('list_invoice', '{"sort": [{"order": "desc"}]}'),
  ('aggregate_nodes', '{"node": {"label": "invoice"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "status"}], "sort": [{"count": "DESC"}]}'),
  ('list_invoice', '{"fields": "amount, status", "limit": 1}'), ('find_nodes', '{"node_label": "invoice", "select": "amount,status", "limit": 1}'), ('explore_neighbors', '{"start_node": {"label": "employee", "node_id": "E-002"}, "relationship_types": "IN_TEAM,HAS_ROLE", "max_hops": 1}'), ('get_box', '{"ids": "small,mid"}'),
  ('find_nodes', '{"node_label": "employee", "related": [{"type": "IN_TEAM", "to": "T-01"}]}'), ('find_nodes', '{"node_label": "employee", "related": [{"type": "IN_TEAM", "to": "teams"}]}'), ('traverse_relationships', '{"from": "T-01", "relationships": [{"type": "IN_TEAM", "direction": "incoming"}]}'),
  ('list_invoice', '{"limit": 1e30}'), ('list_invoice', '{"limit": -1e30}'), ('list_invoice', '{"limit": 1.5}'), ('verify_claims', '{"claims": {"entity": "team:T-01"}}')) v(t, a);
-- the same question of the same tool, whatever another one calls it
SELECT pg_temp.followed(t, a::jsonb) FROM (VALUES ('intersect_subgraphs', '{"seeds": ["box:small", "box:large"], "max_hops": 1}'), ('find', '{"node_label": "box"}'), ('find', '{"query": "small", "node_types": ["box"]}'), ('get', '{"ids": ["box:small"]}'), ('follow', '{"handle": "box:small", "relationships": [{"type": "FITS_IN"}]}'),
  ('around', '{"id": "box:small", "relationship_types": ["FITS_IN"]}'), ('count', '{"label": "box"}'), ('schema', '{"node_type": "box"}'), ('traverse_relationships', '{"from": {"label": "box"}, "relationships": [{"relationship": "FITS_IN"}]}')) v(t, a);
-- -1 asks for all there may be, another sign is one too many
SELECT pg_temp.followed(t, a::jsonb) FROM (VALUES ('list_box', '{"limit": -1}'), ('list_box', '{"limit": "-1"}'), ('list_box', '{"limit": -2}'), ('list_box', '{"limit": -1000}'), ('list_box', '{"limit": 1, "offset": -1}'), ('bfs_query', '{"seeds": ["box:small"], "max_hops": -1}'),
  ('explore_neighbors', '{"start_node": {"label": "box", "node_id": "small"}, "max_hops": -2}'), ('explore_neighbors', '{"start_node": {"label": "box", "node_id": "small"}, "max_hops": "-1"}'), ('intersect_subgraphs', '{"seeds": ["box:small", "box:large"], "k": -1}'),
  ('intersect_subgraphs', '{"seeds": ["box:small", "box:large"], "k": 1, "min_mentions": -2}')) v(t, a);
-- other names of arguments, and typing errors in what says "not"
SELECT pg_temp.followed(t, a::jsonb) FROM (VALUES ('get_box', '{"ident": "small"}'), ('get_box', '{"identifier": "small"}'), ('get_box', '{"identifiers": ["small"]}'), ('list_box', '{"row_limit": 1}'), ('list_box', '{"start_at": 1, "limit": 1}'), ('list_box', '{"where_clause": {"id": "small"}}'),
  ('list_box', '{"search_string": "small"}'), ('find_nodes', '{"type_name": "box", "only_ids": true}'), ('bfs_query', '{"seed_ids": ["box:small"], "num_hops": 1}'), ('bfs_query', '{"seeds": ["box:small"], "max_hops": 1, "exlude_node_types": ["box"]}'),
  ('bfs_query', '{"seeds": ["box:small"], "max_hops": 1, "excludeNodeTypes": ["box"]}'), ('bfs_query', '{"seeds": ["box:small"], "max_hops": 1, "exclude_types": ["box"]}'), ('find_nodes', '{"node_label": "box", "NOTRELATED": [{"type": "FITS_IN"}]}'),
  ('find_paths', '{"source_node": {"label": "box", "ids": ["small"]}, "target_node": {"label": "box", "ids": ["large"]}}')) v(t, a);
-- one argument of ours that is sent as several, one alternative, a word for a bound
SELECT pg_temp.followed(t, a::jsonb) FROM (VALUES ('list_invoice', '{"sort_by": "amount", "sort_order": "desc", "limit": 0}'), ('list_invoice', '{"sort": "amount", "direction": "ascending", "limit": 0}'),
  ('find_nodes', '{"node_label": "invoice", "orderBy": ["amount", {"field": "id", "order": "asc"}], "order": "desc", "limit": 1}'), ('list_invoice', '{"order": "desc", "limit": 0}'), ('list_invoice', '{"sort_by": 5, "sort_order": "desc"}'),
  ('count', '{"type": "box", "filters": {"id": "small"}}'), ('count', '{"node": {"label": "box"}, "where": {"id": "small"}}'), ('count', '{"node": {"label": "box", "filters": {}}, "filters": {"id": "small"}}'),
  ('aggregate_nodes', '{"node_label": "box", "ids": ["small"], "aggregations": [{"fn": "count"}]}'),
  ('get', '{"type": "box", "ids": ["small", "box:large"]}'), ('get', '{"entity_type": "box", "id": "small"}'), ('describe_entity', '{"type": "box", "id": "small"}'), ('get', '{"type": "no such type", "ids": ["small"]}'),
  ('list_box', '{"filters": {"any": [{"id": "small"}]}, "limit": 0}'), ('list_box', '{"filters": {"any": {"id": "small", "size.width": 1}}, "limit": 0}'), ('list_box', '{"filters": {"any": {"id": "small"}, "size.width": 1}, "limit": 0}'), ('find', '{"type": "box", "filters": {"any": [{"id": "small"}]}, "limit": 0}'),
  ('list_box', '{"filters": {"any": [{"id": "small"}], "id": "large"}}'), ('list_box', '{"filters": {"any": []}}'), ('list_box', '{"filters": {"any": [1]}}'),
  ('explore_neighbors', '{"start_node": {"label": "box", "node_id": "small"}, "max_hops": "ALL"}'), ('around', '{"handle": "box:small", "max_hops": "unlimited"}'), ('bfs_query', '{"seeds": ["box:small"], "max_hops": "max"}'),
  ('bfs_query', '{"seeds": ["box:small"], "max_hops": "2 hops"}'), ('bfs_query', '{"seeds": ["box:small"], "max_hops": "twelve"}'), ('bfs_query', '{"seeds": ["box:small"], "max_hops": "a few"}'), ('list_box', '{"limit": "all"}'), ('list_box', '{"offset": "all"}')) v(t, a);
-- what another argument is called is a property where the type has one of that name, whatever names the type, and never gets by it
SELECT kg_apply_bundle('{"bundle_name": "parcels", "version": "1", "schemas": [{"entity_type": "parcel", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "x-tool-expose": ["list", "get", "history"], "properties": {"id": {"type": "string"},
  "size": {"type": "integer"}, "code": {"type": "string"}, "table": {"type": "string"}, "category": {"type": "string"}, "contains": {"type": "string"}, "find": {"type": "string"}, "items": {"type": "integer"}, "token": {"type": "string"}, "start": {"type": "string"}, "begin": {"type": "string"},
  "label": {"type": "string"}, "type": {"type": "string"}}}}], "entities": [{"entity_type": "parcel", "items": [{"id": "p1", "size": 3, "code": "c1", "label": "red", "type": "t1"}, {"id": "p2", "size": 4, "type": "parcel"}]}]}') ? 'revision';
SELECT pg_temp.followed('list_parcel', jsonb_build_object(name, 'x', 'limit', 0)) FROM unnest('{code,table,category,contains,find,token,start,begin,label,type}'::text[]) name;
SELECT pg_temp.followed(t, a::jsonb) FROM (VALUES ('find_nodes', '{"node_type": "parcel", "size": 3, "limit": 0}'), ('find_nodes', '{"node_label": "Parcel", "size": 3}'), ('find', '{"type": "parcels", "size": 3}'), ('find_nodes', '{"node_label": "parcel", "type": "t1", "limit": 0}'), ('find_nodes', '{"type": "parcel", "size": 4, "limit": 0}'), ('list_parcel', '{"label": "red", "size": 3, "limit": 0}'),
  ('list_parcel', '{"label": "box", "size": 3, "limit": 0}'), ('aggregate_nodes', '{"node": {"label": "parcel"}, "aggregations": [{"fn": "count"}], "size": 3}'), ('aggregate_nodes', '{"node": {"label": "parcel", "filters": {"code": "c1"}}, "aggregations": [{"fn": "count"}], "size": 3}'),
  ('aggregate_nodes', '{"node": {"type": "parcel", "size": 3}, "aggregations": [{"fn": "count"}]}'), ('get_parcel', '{"code": "c1"}'), ('get_parcel', '{"ids": ["p1"], "code": "c1"}'), ('history_parcel', '{"id": "p1", "size": 3}'), ('get_parcel', '{"key": "p1"}'), ('get_box', '{"ids": ["small"], "key": "mid"}')) v(t, a);
-- what is near by its letters alone is named, and not called; a mistyped "not" is one
SELECT t, a, pg_temp.instead(t, a::jsonb) FROM (VALUES ('list_box', '{"deleted": true}'), ('list_box', '{"cost": 1}'), ('list_box', '{"src": "small"}'), ('describe_entity', '{"id": "box:small", "relations": true}'), ('get_box', '{"kind": "small"}'),
  ('find_paths', '{"from": {"label": "box", "ids": ["small"]}, "to": {"label": "box", "ids": ["mid"]}, "code": "x"}'), ('bfs_query', '{"seeds": ["box:small"], "max_hops": 1, "max_edges": 5}'), ('bfs_query', '{"seeds": ["box:small"], "max_hops": 1, "exclude_properties": ["size"]}'),
  ('search_entities', '{"query": "small", "edge_types": ["FITS_IN"]}'), ('explore_neighbors', '{"start_node": {"label": "box", "node_id": "small"}, "limit": 1, "max_rows": 2}'), ('traverse_relationships', '{"from": {"label": "box", "ids": ["small"]}, "relationships": [{"type": "FITS_IN"}], "top": "x"}'), ('bfs_query', '{"seeds": ["box:small"], "max_hops": 1, "size": "large"}'), ('bfs_query', '{"seeds": ["box:small"], "max_hops": 1, "size": "2"}'),
  ('list_box', '{"nt_related": [{"type": "FITS_IN"}]}'), ('list_box', '{"ot_related": [{"type": "FITS_IN"}]}'), ('list_box', '{"nto_related": [{"type": "FITS_IN"}]}'), ('list_box', '{"limt": 1}'), ('find_nodes', '{"node_lable": "box"}'), ('get_graph_schema', '{"types": ["box"]}'),
  ('get_box', '{"code": null, "ids": ["small"]}'), ('describe_entities', '{"code": null}')) v(t, a);
-- a verb is no tool: what its arguments name tells which is meant
SELECT pg_temp.followed(t, a::jsonb) FROM (VALUES ('list', '{"type": "box"}'), ('list', '{"entity_type": "box", "where": {"id": "small"}, "max_results": 1}'), ('List', '{"type": "box", "sort_by": "id", "sort_order": "desc", "limit": 0}'), ('list', '{}'), ('list', '{"type": "no such type"}'),
  ('query', '{"type": "invoice", "filters": {"status": "paid"}, "limit": 0}'), ('query', '{"query": "small"}'), ('query', '{"sql": "SELECT 1"}'), ('get_entity', '{"type": "invoice", "id": "INV-0007"}'), ('fetch', '{"id": "box:small"}'), ('fetch', '{"url": "x"}'),
  ('search', '{"q": "small"}'), ('search', '{"type": "box", "query": "small"}'), ('search', '{"label": "box", "query": "small", "limit": 1}'), ('search', '{}')) v(t, a);
SELECT t, pg_temp.instead(t, '{}') FROM unnest('{list,get,search,query}'::text[]) t;
SET kg_graph.toolsets = 'compact';
SELECT pg_temp.followed(t, a::jsonb) FROM (VALUES ('list', '{"type": "box", "limit": 0}'), ('get_entity', '{"handle": "box:small"}'), ('search', '{"q": "small"}')) v(t, a);
SELECT pg_temp.followed(t, a::jsonb) FROM (VALUES ('find', '{"type": "parcel", "code": "c1", "limit": 0}'), ('find', '{"type": "parcel", "size": 3, "limit": 0}'), ('count', '{"node": {"label": "parcel"}, "size": 3}')) v(t, a);
RESET kg_graph.toolsets;
-- groups of one relationship in two directions
SELECT kg_aggregate(a::jsonb) FROM (VALUES ('{"node": {"label": "box"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "FITS_IN", "label": "box"}, {"relationship": "FITS_IN", "direction": "incoming", "label": "box"}], "sort": [{"field": "FITS_IN_box_incoming"}]}')) v(a);
SELECT pg_temp.followed('aggregate_nodes', '{"node": {"label": "box"}, "aggregations": [{"fn": "count"}], "group_by": [{"relationship": "FITS_IN", "label": "box"}, {"relationship": "FITS_IN", "direction": "outgoing", "label": "box"}]}');
-- a relation of several variants is named once
SELECT e ->> 'message' FROM (SELECT kg_call_tool('explore_neighbors', jsonb_build_object('start_node', '{"label": "meeting_note", "node_id": "n1"}'::jsonb, 'as_of', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))) #> '{structuredContent,error}' AS e) r;
-- a call that would ask of another day is no correction, nor one of conditions where alternatives belong
SELECT a, r #>> '{structuredContent,error,code}' AS code, r #> '{structuredContent,error,call,arguments,filters}' AS call FROM unnest(ARRAY['{"lt": "-0044-03-15"}', '"0044-03-15 BC"', '{"gte": "15 March 0044 BC"}', '{"lt": " -2024-03-05"}', '"2024-03 to 05"', '"15/03/-2024"', '"5th of March 2024"', '"2024/03/05"', '"2024 - 03 - 05"']) x(a),
  LATERAL kg_call_tool('list_invoice', format('{"filters": {"issued": %s}}', a)::jsonb) r;
SELECT a, r #>> '{structuredContent,error,code}' AS code, r #> '{structuredContent,error,call,arguments,filters}' AS call FROM unnest(ARRAY['{"in": ["x", "y"]}', '[{"eq": "x"}]', '{"$gt": 5}', '[{"status": "paid"}]']) x(a), LATERAL kg_call_tool('list_invoice', format('{"filters": {"any": %s}}', a)::jsonb) r;
-- who does not see it is not told of it
\c - corrections_some
\pset format unaligned
\pset tuples_only on
SELECT kg_call_tool(t, a::jsonb) -> 'structuredContent' FROM (VALUES
  ('get_invoice', '{"ids": ["INV-7"]}'),
  ('describe_entity', '{"id": "invoice:INV-7"}'),
  ('list_invoice', '{"filters": {"customer": "Nordlicht GmbH"}}')) x(t, a);
\c - :owner
SET client_min_messages = error;
DROP POLICY corrections_hide ON kg_entity;
CALL test.drop('corrections');
