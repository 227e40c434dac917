-- The compact tools with arguments of any kind. They either reply or refuse the call
-- in terms of the arguments that were sent. Neither names anything internal, nor the
-- tool or arguments that the tool stands for.
\i test/data/prelude.sql
\getenv abs_srcdir PG_ABS_SRCDIR
\set graph :abs_srcdir '/data/graph.sql'
CALL test.tenant('compact_any', 'compact_any admin');
\c - compact_any
\i :graph
SELECT kg_apply_bundle(pg_temp.graph_bundle(1000, 'eve')) ? 'revision' AS applied;
-- where the fault is: what was sent, not what is made of it
CREATE FUNCTION pg_temp.fault(tool text, arguments jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' | ', e ->> 'path', e ->> 'message', 'got ' || (e ->> 'got'), 'call ' || (e #>> '{call,arguments}')) FROM (SELECT coalesce(r -> 'error', r #> '{hints,0}') FROM (SELECT kg_call_tool(tool, arguments) -> 'structuredContent' AS r) x) t(e) $$;
SELECT pg_temp.fault('count', '{"node": "person", "related": [{"type": "KNOWS"}]}');
SELECT pg_temp.fault('count', '{"node": [], "not_related": []}');
SELECT pg_temp.fault('find', '{"type": "person", "ids": ["ann"], "filters": {"id": null}}');
SELECT pg_temp.fault('find', '{"type": "person", "ids": ["ann"], "filters": {"id": {"nee": "bob"}}}');
SELECT pg_temp.fault('find', '{"type": "person", "ids": ["ann"], "filters": {"id": [{"ne": "bob"}, {"gt": {}}]}}');
SELECT pg_temp.fault('find', '{"type": "person", "ids": ["ann", {}], "filters": {"id": [{"ne": "bob"}, {"ne": "x"}]}}');
SELECT pg_temp.fault('find', '{"type": "person", "ids": ["anne"], "filters": {"id": {"ne": "bob"}}}');
SELECT pg_temp.fault('find', '{"type": "person", "ids": ["ann"], "filters": {"id": []}}');
SELECT pg_temp.fault('find', jsonb_build_object('type', 'person', 'ids', '["ann"]'::jsonb, 'filters', jsonb_build_object('id', (SELECT jsonb_agg('{"ne": "a"}'::jsonb) FROM generate_series(1, 10)))));
-- another name is no help where the argument of that name is there
SELECT pg_temp.fault('follow', '{"from": "person:ann", "steps": [{"type": "KNOWS"}], "step": {"type": "KNOWS"}}');
SELECT pg_temp.fault('find_nodes', '{"node_label": "person", "sort": [{"field": "name"}], "sorts": "name"}');
-- as few bytes as may be asked for; next asks for as many as it takes
SELECT r - 'next' FROM (SELECT kg_call_tool('find', '{"type": "person", "limit": 1, "fields": ["name"], "max_bytes": 1024}') -> 'structuredContent' AS r) x;
SELECT m FROM (SELECT m, kg_call_tool('find', jsonb_build_object('type', 'person', 'max_bytes', m)) -> 'structuredContent' AS r FROM generate_series(1024, 1100) m) x WHERE octet_length(r::text) > m OR r ? 'error';
SELECT w ->> 'reason', kg_call_tool('connect', w -> 'next') #> '{structuredContent,truncated}', octet_length(w::text) <= 1024
  FROM (SELECT kg_call_tool('connect', '{"from": ["person:ann", "person:bob"], "within": 2, "fields": ["*"], "max_bytes": 1024}') -> 'structuredContent') x(w);
CREATE FUNCTION pg_temp.j() returns setof jsonb language sql as $$ select unnest(array['null','0','-1','1.5','1e30','true','""','"x"','"person:ann"','"ann"','"all"','[]','[null]','[1]','["person:ann"]','["person:ann","person:bob"]','[[]]','[{}]','{}','{"label":"person"}','{"label":"person","ids":["ann"]}','{"label":null}','{"id":{"in":[]}}','{"id":"ann"}','{"any":[{},{}]}','[{"type":"WORKS_ON"}]','[{"type":"WORKS_ON","to":{"label":"person"}}]','[[{"type":"*"}]]','[{"property":"name"}]','[{"fn":"count"}]','[{"entity":"person:ann"}]','[{"field":"name"}]','["name"]','["*"]']::jsonb[]) union all select to_jsonb(repeat('y',10000)) union all select '"a:b:c/d\"~1/é"'::jsonb $$;
do $$
declare tools text[] := array['find','get','schema','follow','around','connect','count','verify'];
 keys text[]; t text; k text; k2 text; v jsonb; v2 jsonb; r jsonb; a jsonb; base jsonb; i int := 0; answered int := 0; refused int := 0;
begin
 perform setseed(0.3);
 for i in 1..1500 loop
  t := tools[1+floor(random()*8)::int];
  keys := case t when 'find' then array['type','query','ids','filters','related','not_related','sort','fields','limit','cursor','mode','max_bytes','citations','as_of','valid_at'] when 'get' then array['handles','fields','max_bytes','citations'] when 'schema' then array['type','max_bytes'] when 'follow' then array['from','steps','fields','limit','cursor','max_bytes','edge_columns'] when 'around' then array['handle','max_hops','direction','relations','types','fields','limit','cursor','max_bytes'] when 'connect' then array['from','to','max_hops','mode','weight','within','direction','relations','types','fields','limit'] when 'count' then array['node','related','not_related','steps','group_by','aggregations','sort','limit'] else array['claims','max_bytes'] end;
  base := case t when 'find' then '{"type":"person","limit":2}' when 'get' then '{"handles":["person:ann"]}' when 'follow' then '{"from":"person:ann","steps":[{"type":"WORKS_ON"}],"limit":2}' when 'around' then '{"handle":"person:ann","max_hops":1,"limit":3}' when 'connect' then '{"from":"person:bob","to":"person:ann"}' when 'count' then '{"node":{"label":"person"}}' when 'verify' then '{"claims":[{"entity":"person:ann"}]}' else '{}' end::jsonb;
  k := keys[1+floor(random()*array_length(keys,1))::int];
  select j into v from pg_temp.j() j order by random() limit 1;
  a := base || jsonb_build_object(k,v);
  if random()<0.3 then k2 := keys[1+floor(random()*array_length(keys,1))::int]; select j into v2 from pg_temp.j() j order by random() limit 1; a := a || jsonb_build_object(k2,v2); end if;
  if random()<0.1 then a := a - k; end if;
  r := kg_call_tool(t,a)->'structuredContent';
  answered := answered + (NOT r ? 'error')::int; refused := refused + (r ? 'error')::int;
  if r#>>'{error,sqlstate}' like 'XX%' or r#>>'{error,code}'='INTERNAL' then RAISE WARNING 'INTERNAL % % %', t, left(a::text,300), r#>>'{error,message}'; end if;
  if r ? 'error' and r#>>'{error,path}' ~ '^/(node_label|relationships|start_node|columns|expand_nodes|seeds|k|node_types|relationship_types|node_labels|search)(/|$)' then RAISE WARNING 'PATH % % %', t, left(a::text,200), r#>>'{error,path}'; end if;
  if r#>>'{error,message}' ~ '/(node_label|relationships|start_node|columns|expand_nodes|seeds|relationship_types|node_labels|search)(/| |$)' then RAISE WARNING 'MSG % % %', t, left(a::text,200), r#>>'{error,message}'; end if;
  if r#>'{error,call}' is not null then
    if r#>>'{error,call,tool}' <> t then RAISE WARNING 'CALLTOOL % % %', t, left(a::text,200), left(r#>>'{error,call}',200); end if;
  end if;
 end loop;
 IF answered < 100 OR refused < 100 THEN RAISE WARNING 'only % answered, % refused', answered, refused; END IF;
end $$;
\c - :owner
CALL test.drop('compact_any');
