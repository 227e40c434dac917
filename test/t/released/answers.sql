-- Calls over the data of fill.sql. Every copy of the database must return the same
-- text, so times and cursors are removed from the replies. Run by a superuser.
\set QUIET on
\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on
SET TimeZone = 'UTC';
CREATE FUNCTION pg_temp.plain(reply jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t text := reply::text;
BEGIN
  t := regexp_replace(t, '"(cursor|revision|etag)": "[^"]*"', '"\1": "."', 'g');
  t := regexp_replace(t, '"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[^"]*"', '"time"', 'g');
  RETURN regexp_replace(t, '"(transaction|change)": \d+', '"\1": 0', 'g');
END $$;
SET ROLE released_admin;
SELECT kg_tenant();
SELECT pg_temp.plain(kg_export_bundle('shop'));
SELECT pg_temp.plain(kg_list('brand', '{"filters": {"rank": {"gt": 0}}, "sort": [{"field": "rank", "order": "desc"}]}'));
SELECT pg_temp.plain(kg_list('brand', '{"filters": {"since": {"lt": "2000-01-01"}}}'));
SELECT pg_temp.plain(kg_get('brand', ARRAY['north', 'south', 'nothing', 'east', 'gone']));
SELECT pg_temp.plain(kg_search('{"query": "grosse"}')), pg_temp.plain(kg_search('{"query": "boreal"}'));
SELECT pg_temp.plain(kg_search('{"query": "lamp shines", "mode": "text"}'));
SELECT pg_temp.plain(kg_neighbors('{"start_node": {"label": "brand", "node_id": "north"}, "max_hops": 3}'));
SELECT pg_temp.plain(kg_paths('{"from": {"label": "product", "ids": ["lamp"]}, "to": {"label": "brand", "ids": ["west"]}, "max_hops": 4}'));
SELECT pg_temp.plain(kg_aggregate('{"node": {"label": "product"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "kind"}]}'));
SELECT pg_temp.plain(kg_history('brand', 'south')), pg_temp.plain(kg_history('brand', 'east'));
SELECT pg_temp.plain(kg_call_tool('kinds', '{"kind": "light"}'));
SELECT pg_temp.plain(kg_limits());
SELECT pg_temp.plain(kg_load_position('file.csv'));
SELECT string_agg(quota || ' ' || used, ', ' ORDER BY quota) FROM (SELECT quota, sum(used) AS used FROM kg_quota GROUP BY quota) q;
SELECT pg_temp.plain(kg_put_entities('brand', '[{"id": "east"}]', '{"idempotency_key": "once", "reason": "why not"}'));
SET kg_graph.agent = 'ann';
SELECT kg_agent(), (SELECT jsonb_agg(t ->> 'name') FROM jsonb_array_elements(kg_list_tools()) t);
RESET kg_graph.agent;
SET ROLE released_reader;
SELECT pg_temp.plain(kg_list_ids('brand'));
SET ROLE released_other;
SELECT pg_temp.plain(kg_bfs('{"seeds": ["node:n1"], "max_hops": 3}'));
SELECT pg_temp.plain(kg_traverse('{"from": {"label": "node", "ids": ["n49", "n50"]}, "relationships": [{"type": "next"}]}'));
RESET ROLE;
SELECT tenant, state FROM kg_tenant_state;
SELECT tenant, role_name, access FROM kg_tenant_role ORDER BY 1, 2;
SELECT bundle, entity_type, version FROM kg_freed_type;
SELECT tenant, entity_id, version FROM kg_entity WHERE tenant = 'first' ORDER BY 1, 2;
SELECT count(*), min(at) FROM kg_audit WHERE tenant = 'first' AND tool = 'kg_list';
SELECT policy, on_table, using_expr FROM kg_policy;
SELECT kg_check() -> 'ok', kg_check() -> 'differences';
