-- Writes in each major, with -v v=MAJOR, that stay.  Run by a superuser.
\set QUIET on
\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on
SELECT 'qx' || chr(82 + :v) AS id \gset
SET ROLE upgrade_admin;
SELECT kg_put_entities('language_family', jsonb_build_array(jsonb_build_object('alpha_3', :'id', 'name', 'Written in ' || :v))) #>> '{items,0,verdict}';
SELECT kg_put_entities('country', jsonb_build_array(kg_get('country', 'CZ') - 'subdivision_count' || jsonb_build_object('common_name', 'Czechia ' || :v))) #>> '{items,0,verdict}';
SELECT kg_delete_entities('language_family', ARRAY[:'id']) #>> '{items,0,verdict}';
SELECT kg_put_entities('language_family', jsonb_build_array(jsonb_build_object('alpha_3', :'id', 'name', 'Written in ' || :v))) #>> '{items,0,verdict}';
SELECT kg_put_entities('subdivision', '[{"code": "XX-1", "name": "Nowhere", "kind": "Region", "country": "no"}]') #>> '{items,0,verdict}';
SELECT kg_search(format('{"query": "written in %s"}', :v)::jsonb) #>> '{items,0,id}' = 'language_family:' || :'id';
SELECT name = 'Written in ' || :v FROM iso.language_family WHERE id = :'id';
SELECT kg_history('country', 'CZ') #>> '{changes,0,after,common_name}' = 'Czechia ' || :v;
SELECT kg_refresh_views() IS NOT NULL;
RESET ROLE;
SELECT said FROM public.note WHERE country = 'CZ' LIMIT 1;
SELECT jsonb_path_query_array(kg_check(), '$.differences[*] ? (@.kind != "not_in_dumps")');
