-- What is answered about what fill.sql made: times, cursors and numbers, too, because
-- pg_upgrade keeps all of them.  Run by a superuser.
\set QUIET on
\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on
SET TimeZone = 'UTC';
SET ROLE upgrade_admin;
SELECT md5(kg_export_bundle('iso-codes')::text);
SELECT kg_list('subdivision', '{"filters": {"country": "FR", "kind": {"contains": "region"}}, "sort": [{"field": "name", "order": "desc"}], "limit": 5}');
SELECT kg_get('country', ARRAY['TR', 'CZ', 'nothing']);
SELECT kg_search('{"query": "turkiye", "limit": 3}'), kg_search('{"query": "sign language", "mode": "text", "limit": 3}');
SELECT kg_neighbors('{"start_node": {"label": "subdivision", "node_id": "FR-75"}, "max_hops": 2, "limit": 5}');
SELECT kg_aggregate('{"node": {"label": "language"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "type"}]}');
SELECT kg_history('country', 'TR'), kg_history('language', 'aaf');
SELECT kg_call_tool('in_country', '{"country": "CZ"}');
SELECT kg_list_tools();
SELECT kg_put_entities('country', jsonb_build_array(kg_get('country', 'TR') - 'subdivision_count' || '{"name": "Türkiye"}'), '{"idempotency_key": "named", "reason": "as it is"}');
SET kg_graph.agent = 'geographer';
SELECT kg_agent(), (SELECT jsonb_agg(t ->> 'name') FROM jsonb_array_elements(kg_list_tools()) t);
SET kg_graph.agent = 'nobody';
SELECT kg_list_tools();
RESET kg_graph.agent;
SET ROLE upgrade_reader;
SELECT kg_list('language', '{"filters": {"type": "extinct"}}'), kg_aggregate('{"node": {"label": "language"}, "aggregations": [{"fn": "count"}], "group_by": [{"property": "type"}]}');
SET ROLE upgrade_analyst;
SELECT type, count(*) FROM iso.language GROUP BY type ORDER BY type;
SELECT * FROM iso.subdivision WHERE country = 'CZ' AND name > 'O' ORDER BY id LIMIT 3;
SELECT c.name, count(*) FROM iso."IN_COUNTRY" i JOIN iso.country c ON c.id = i."to" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3;
RESET ROLE;
SELECT kg_dump_customizations();
SELECT policy, on_table, using_expr FROM kg_policy;
SELECT * FROM public.note;
SELECT md5(string_agg(e::text, ' ' ORDER BY node)) FROM kg_entity e;
SELECT md5(string_agg(h::text, ' ' ORDER BY change)) FROM kg_history h;
SELECT jsonb_path_query_array(kg_health(), '$.components[*] ? (@.name != "statistics" && @.name != "extension").status');
-- What a dump would leave out: pg_upgrade does not.
SELECT kg_check() -> 'counts', jsonb_path_query_array(kg_check(), '$.differences[*] ? (@.kind != "not_in_dumps")');
