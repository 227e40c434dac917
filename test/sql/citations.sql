-- Citations: which version of each entity a reply tells of, as ordinary roles.
\i test/data/prelude.sql
\getenv abs_srcdir PG_ABS_SRCDIR
\set graph :abs_srcdir '/data/graph.sql'
CALL test.tenant('citations', 'citations_a write', 'citations_some read');
CREATE POLICY citations_hide ON kg_entity AS RESTRICTIVE FOR SELECT TO citations_some USING (entity_id NOT IN ('bob', 'p2'));
\c - citations_a
\i :graph
SELECT kg_apply_bundle(pg_temp.graph_bundle(1000, 'eve')) ? 'revision' AS applied;
SELECT kg_put_entities('person', '[{"id": "ann", "name": "Ann Archer", "team": "core"}]') IS NOT NULL AS put;
\pset format unaligned
\pset tuples_only on
SELECT kg_list('person', '{"citations": true, "limit": 2}') -> 'citations';
SELECT kg_list_ids('person', '{"citations": true, "limit": 3, "search": "ann"}') -> 'citations';
SELECT kg_get('person', 'ann'), kg_call_tool('get_person', '{"id": "ann", "citations": true, "fields": ["team"]}') -> 'structuredContent', kg_call_tool('get_person', '{"ids": ["bob", "ann", "nobody"], "citations": true, "fields": ["team"]}') #> '{structuredContent,citations}';
SELECT kg_find_nodes('{"node_label": "project", "citations": true}') -> 'citations', kg_find_nodes('{"node_label": "project", "citations": false}') ? 'citations';
SELECT kg_bfs('{"seeds": ["ann"], "max_hops": 1, "citations": true, "topology_only": true, "limit": 3}') -> 'citations';
SELECT kg_describe('{"id": "ann", "citations": true}') -> 'citations', kg_describe_many('{"ids": ["ann", "a.c", "ann", "nobody"], "citations": true}') -> 'citations';
SELECT kg_find_nodes('{"node_label": "person", "citations": "yes"}');
-- no more of them than there is room for, and none of what is not named
SELECT octet_length(r::text) <= 1024, (SELECT count(*) FROM jsonb_object_keys(r -> 'citations')) = jsonb_array_length(r -> 'items'), r ->> 'truncated' FROM kg_describe_many('{"ids": ["ann", "bob", "cleo", "dan", "eve", "x1", "p1", "p2", "p3", "a.c", "b.c", "c.c", "d.c", "lone.c"]}' #- '{ids,5}' || '{"max_bytes": 1024, "citations": true}') r;
-- what was cited is stale once it is another
SELECT kg_verify('{"claims": [{"entity": "person:ann", "version": 1}, {"entity": "person:ann", "version": 2}, {"entity": "ann", "version": 1, "property": "team", "is": "lead"}]}') -> 'claims';
\c - citations_some
SELECT kg_find_nodes('{"node_label": "project", "citations": true}') -> 'citations', kg_call_tool('get_person', '{"ids": ["bob", "ann"], "citations": true}') #> '{structuredContent,citations}';
\c - :owner
DROP POLICY citations_hide ON kg_entity;
CALL test.drop('citations');
