-- Tenant, bundle, entities; what tools answer against brute force over the documents;
-- a storm of writes, half of which fail or are taken back; triggers of a DBA's own.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE ROLE storm_writer;
SELECT FROM kg_create_tenant('storm');
SELECT FROM kg_grant('storm', 'storm_writer', 'admin');
CREATE FUNCTION storm_bundle() RETURNS jsonb LANGUAGE sql AS $$ SELECT '{"bundle_name":"storm","version":"1","schemas":[
 {"entity_type":"aa","schema":{"type":"object","x-id-field":"id","x-label-field":"name","x-alias-fields":["aka"],"x-history":true,"x-tool-expose":["list","get","list_ids","history","create","update","delete"],
   "properties":{"id":{"type":"string"},"name":{"type":"string"},"aka":{"type":"array","items":{"type":"string"}},"n":{"type":"integer","x-index":true},"tags":{"type":"array","x-index":true,"items":{"type":"string"}},
     "b":{"type":["string","null"],"x-relation":"TO_B","x-ref":"bb","x-on-delete":"set_null","x-index":true},"c":{"type":"string","x-relation":"TO_C","x-ref":"cc","x-on-delete":"cascade","x-index":true},"d":{"type":"string","x-relation":"TO_D","x-ref":"dd","x-index":true},
     "bs":{"type":"array","items":{"type":"string","x-ref":"bb","x-on-delete":"set_null","x-relation":"BS"}},
     "code":{"type":"string","x-ref":"cc","x-ref-field":"code","x-on-delete":"set_null","x-relation":"CODE"}}}},
 {"entity_type":"bb","schema":{"type":"object","x-id-field":"id","x-label-field":"name","x-tool-expose":["list","get","list_ids","create","update","delete"],"properties":{"id":{"type":"string"},"name":{"type":"string"},"n":{"type":"integer","x-index":true},"a_count":{"type":"integer","x-derived":{"count":"TO_B","direction":"incoming"}}}}},
 {"entity_type":"cc","schema":{"type":"object","x-id-field":"id","x-label-field":"name","properties":{"id":{"type":"string"},"name":{"type":"string"},"code":{"type":"string","x-index":true},"n":{"type":"integer","x-index":true},"up":{"x-relation":"UPPER","type":"string","x-ref":"cc","x-on-delete":"cascade","x-index":true}}}},
 {"entity_type":"dd","schema":{"type":"object","x-id-field":"id","x-label-field":"name","properties":{"id":{"type":"string"},"name":{"type":"string"},"n":{"type":"integer","x-index":true},"from":{"type":"string","format":"date"}},"x-valid-from":"from"}}],
 "relations":[{"name":"LINK","from":"aa","to":"cc","history":true,"tools":["link","unlink"],"schema":{"type":"object","properties":{"w":{"type":"number"}}}},
   {"name":"NEAR","from":"cc","to":"cc","symmetric":true},
   {"name":"KEYED","from":"aa","to":"bb","key":["k"],"schema":{"type":"object","required":["k"],"properties":{"k":{"type":"integer"},"w":{"type":"number"}}}}]}'::jsonb $$;

-- storm_ok(): a row per difference between tools and brute force over kg_entity, kg_edge's explicit
CREATE FUNCTION storm_one(what text, tool text, brute text) RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE t text; b text; msg text;
BEGIN
  EXECUTE brute INTO b;
  BEGIN EXECUTE tool INTO t;
  EXCEPTION WHEN insufficient_privilege THEN RETURN NULLIF(current_setting('storm.strict', true),'') || what || ': FORBIDDEN ' || SQLERRM;
    WHEN query_canceled THEN RAISE; WHEN no_data_found THEN t := NULL;
    WHEN OTHERS THEN RETURN what || ': ' || SQLSTATE || ' ' || SQLERRM; END;
  IF t IS DISTINCT FROM b THEN RETURN what || ': tool ' || coalesce(left(t,300),'NULL') || ' brute ' || coalesce(left(b,300),'NULL'); END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION storm_ok() RETURNS SETOF text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE k int := (random()*6)::int; i int := 1+(random()*7)::int; x text; aid text;
BEGIN
  aid := 'a' || (1+(random()*45)::int);
  FOR x IN SELECT storm_one(w, t, b) FROM (VALUES
   ('list n', format($q$SELECT string_agg(x->>'id', ',' ORDER BY x->>'id' COLLATE "C") || '/' || (r->>'total') FROM (SELECT kg_list('aa','{"filters":{"n":%s},"limit":500}') r) z, jsonb_array_elements(r->'items') x GROUP BY r->>'total'$q$, k),
     format($q$SELECT string_agg(entity_id, ',' ORDER BY entity_id COLLATE "C") || '/' || count(*) FROM kg_entity WHERE entity_type='aa' AND (data->>'n')::int = %s HAVING count(*)>0$q$, k)),
   ('list sort', $q$SELECT string_agg(x->>'id', ',' ORDER BY o) FROM jsonb_array_elements(kg_list('aa','{"sort":[{"field":"n","order":"desc"}],"limit":500}')->'items') WITH ORDINALITY z(x,o)$q$,
     $q$SELECT string_agg(entity_id, ',' ORDER BY (data->>'n')::int DESC NULLS LAST, entity_id COLLATE "C") FROM kg_entity WHERE entity_type='aa'$q$),
   ('list data', $q$SELECT md5(string_agg(x->>'data', ',' ORDER BY o)) FROM jsonb_array_elements(kg_list('aa','{"limit":500,"max_bytes":1000000}')->'items') WITH ORDINALITY z(x,o)$q$,
     $q$SELECT md5(string_agg(data::text, ',' ORDER BY entity_id COLLATE "C")) FROM kg_entity WHERE entity_type='aa'$q$),
   ('list tags', format($q$SELECT string_agg(x, ',' ORDER BY x COLLATE "C") FROM jsonb_array_elements_text(kg_list_ids('aa','{"filters":{"tags":"t%s"},"limit":500}')->'ids') x$q$, k%4),
     format($q$SELECT string_agg(entity_id, ',' ORDER BY entity_id COLLATE "C") FROM kg_entity WHERE entity_type='aa' AND data->'tags' ? 't%s'$q$, k%4)),
   ('list b', format($q$SELECT kg_list_ids('aa','{"filters":{"b":"b%s"},"limit":500}')->>'total'$q$, i),
     format($q$SELECT count(*) FROM kg_entity WHERE entity_type='aa' AND data->>'b' = 'b%s'$q$, i)),
   ('list null', $q$SELECT kg_list_ids('aa','{"filters":{"b":{"is_null":true}},"limit":0}')->>'total'$q$,
     $q$SELECT count(*) FROM kg_entity WHERE entity_type='aa' AND data->>'b' IS NULL$q$),
   ('search', format($q$SELECT EXISTS (SELECT FROM jsonb_array_elements(kg_list('aa','{"search":"alpha %s","limit":50}')->'items') x WHERE x->>'id' = '%s' AND (x #>> '{data,name}' = 'alpha %s' OR x #>> '{data,name}' NOT LIKE 'alpha %%'))$q$, substr(aid,2), aid, substr(aid,2)), -- other names are found with typing errors
     format($q$SELECT EXISTS (SELECT FROM kg_entity WHERE entity_type='aa' AND entity_id='%s' AND data->>'name' = 'alpha %s')$q$, aid, substr(aid,2))),
   ('get', format($q$SELECT kg_get('aa','%s')$q$, aid), format($q$SELECT data FROM kg_entity WHERE entity_type='aa' AND entity_id='%s'$q$, aid)),
   ('derived', format($q$SELECT kg_get('bb','b%s')->>'a_count'$q$, i), format($q$SELECT count(*) FROM kg_entity WHERE entity_type='aa' AND data->>'b' = 'b%s' AND EXISTS (SELECT FROM kg_entity WHERE entity_type='bb' AND entity_id='b%s') HAVING EXISTS (SELECT FROM kg_entity WHERE entity_type='bb' AND entity_id='b%s')$q$, i,i,i)),
   ('neighbors in', format($q$SELECT string_agg(x->>'id', ',' ORDER BY x->>'id' COLLATE "C") FROM jsonb_array_elements(kg_neighbors('{"start_node":{"label":"cc","node_id":"c%s"},"max_hops":1,"direction":"incoming","relationship_types":["TO_C","CODE"],"ids_only":true,"limit":500}')->'nodes') y, jsonb_build_object('id', y#>>'{}') x WHERE y#>>'{}' LIKE 'aa:%%'$q$, i),
     format($q$SELECT string_agg('aa:'||a.entity_id, ',' ORDER BY a.entity_id COLLATE "C") FROM kg_entity a, kg_entity c WHERE a.entity_type='aa' AND c.entity_type='cc' AND c.entity_id = 'c%s' AND (a.data->>'c' = c.entity_id OR a.data->>'code' = c.data->>'code')$q$, i)),
   ('link', format($q$SELECT string_agg(y#>>'{}', ',' ORDER BY y#>>'{}' COLLATE "C") FROM jsonb_array_elements(kg_neighbors('{"start_node":{"label":"cc","node_id":"c%s"},"max_hops":1,"relationship_types":["LINK"],"ids_only":true,"limit":500}')->'nodes') y WHERE y#>>'{}' LIKE 'aa:%%'$q$, i),
     format($q$SELECT string_agg('aa:'||s.entity_id, ',' ORDER BY s.entity_id COLLATE "C") FROM kg_edge e JOIN kg_relation r USING (relation_no) JOIN kg_entity s ON s.node=e.source JOIN kg_entity t ON t.node = e.target WHERE r.relation='LINK' AND t.entity_type='cc' AND t.entity_id='c%s'$q$, i)),
   ('bfs', format($q$SELECT string_agg(y#>>'{}', ',' ORDER BY y#>>'{}' COLLATE "C") FROM jsonb_array_elements(kg_bfs('{"seeds":["cc:c%s"],"max_hops":1,"node_types":["aa"],"ids_only":true,"limit":500,"max_bytes":1000000}')->'nodes') y WHERE y#>>'{}' LIKE 'aa:%%'$q$, i),
     format($q$SELECT string_agg(DISTINCT 'aa:'||s.entity_id COLLATE "C", ',' ORDER BY 'aa:'||s.entity_id COLLATE "C") FROM kg_entity s, kg_entity c WHERE s.entity_type='aa' AND c.entity_type='cc' AND c.entity_id='c%s' AND (s.data->>'c'=c.entity_id OR s.data->>'code'=c.data->>'code' OR EXISTS (SELECT FROM kg_edge e JOIN kg_relation r USING (relation_no) WHERE r.relation='LINK' AND e.source=s.node AND e.target=c.node)) HAVING EXISTS (SELECT FROM kg_entity WHERE entity_type='cc' AND entity_id='c%s')$q$, i, i)),
   ('agg', $q$SELECT string_agg(x::text, ',' ORDER BY x::text) FROM jsonb_array_elements(kg_aggregate('{"node":{"label":"aa"},"group_by":[{"property":"n"}],"aggregations":[{"fn":"count"}],"limit":100}')->'rows') x$q$,
     $q$SELECT string_agg(x::text, ',' ORDER BY x::text) FROM (SELECT jsonb_build_array(data->'n', count(*)) x FROM kg_entity WHERE entity_type='aa' GROUP BY data->'n') z$q$),
   ('find', format($q$SELECT kg_find_nodes('{"node_label":"aa","filters":{"n":{"lt":%s}},"limit":0}')->>'total'$q$, k), format($q$SELECT count(*) FROM kg_entity WHERE entity_type='aa' AND (data->>'n')::int < %s$q$, k)),
   ('verify', format($q$SELECT string_agg(coalesce(x->>'verdict',''), ',') FROM jsonb_array_elements(kg_verify('{"claims":[{"entity":"aa:%s","property":"n","is":%s},{"count":{"tool":"find_nodes","arguments":{"node_label":"bb"}},"is":8}]}')->'claims') x$q$, aid, k),
     format($q$SELECT CASE WHEN NOT EXISTS (SELECT FROM kg_entity WHERE entity_type='aa' AND entity_id='%s') THEN 'not_found' WHEN EXISTS (SELECT FROM kg_entity WHERE entity_type='aa' AND entity_id='%s' AND (data->>'n')::int = %s) THEN 'supported' WHEN EXISTS (SELECT FROM kg_entity WHERE entity_type='aa' AND entity_id='%s' AND data->>'n' IS NULL) THEN 'not_found' ELSE 'contradicted' END || ',' || CASE WHEN (SELECT count(*) FROM kg_entity WHERE entity_type='bb')=8 THEN 'supported' ELSE 'contradicted' END$q$, aid, aid, k, aid)),
   ('history', format($q$SELECT CASE WHEN jsonb_array_length(h->'changes')=0 THEN 'none' WHEN h#>>'{changes,0,verdict}'='deleted' THEN (h->'changes')::text ELSE h#>>'{changes,0,version}' END FROM (SELECT CASE WHEN EXISTS (SELECT FROM kg_entity WHERE entity_type='aa' AND entity_id='%s') THEN kg_history('aa','%s','{"limit":1}') END h) z$q$, aid, aid), format($q$SELECT version FROM kg_entity WHERE entity_type='aa' AND entity_id='%s'$q$, aid)),
   ('valid_at', format($q$SELECT kg_list_ids('dd','{"valid_at":"%s","limit":0}')->>'total'$q$, '2000-01-05T00:00:00Z'), $q$SELECT count(*) FROM kg_entity WHERE entity_type='dd' AND (data->>'from' IS NULL OR (data->>'from')::date <= '2000-01-05')$q$),
   ('traverse', format($q$SELECT string_agg(DISTINCT x->>0, ',' ORDER BY x->>0) FROM jsonb_array_elements(kg_traverse('{"from":{"label":"aa","filters":{"n":%s}},"relationships":[{"type":"TO_D"}],"limit":500,"ids_only":true}')->'rows') x$q$, k),
     format($q$SELECT string_agg(DISTINCT 'aa:'||entity_id, ',' ORDER BY 'aa:'||entity_id) FROM kg_entity e WHERE entity_type='aa' AND (data->>'n')::int=%s AND EXISTS (SELECT FROM kg_entity t WHERE t.entity_type='dd' AND t.entity_id=e.data->>'d')$q$, k))
  ) v(w,t,b) LOOP
   IF x IS NOT NULL THEN RETURN NEXT x; END IF;
  END LOOP;
END $$;

CREATE FUNCTION storm_pick(a text[]) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT a[1+floor(random()*array_length(a,1))::int] $$;
CREATE FUNCTION storm_a(i int) RETURNS jsonb LANGUAGE sql VOLATILE AS $$ SELECT jsonb_strip_nulls(jsonb_build_object('id','a'||i,'name',CASE WHEN random()<.8 THEN 'alpha '||i ELSE 'omega' END,
  'n', CASE WHEN random()<.9 THEN floor(random()*7) END,'b',CASE WHEN random()<.8 THEN 'b'||floor(1+random()*9) END,'c',CASE WHEN random()<.8 THEN 'c'||floor(1+random()*9) END,'d',CASE WHEN random()<.5 THEN 'd'||floor(1+random()*8.5) END,
  'bs',CASE WHEN random()<.5 THEN jsonb_build_array('b'||floor(1+random()*4),'b'||floor(5+random()*4)) END,'code',CASE WHEN random()<.5 THEN 'K'||floor(1+random()*8) END,'tags',CASE WHEN random()<.7 THEN jsonb_build_array('t'||floor(random()*4)) END)) $$;
CREATE FUNCTION storm_op() RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE i int := floor(1+random()*45); j int := floor(1+random()*8); o int := floor(random()*33); r text; q text;
BEGIN
  q := CASE o
   WHEN 0 THEN format('SELECT kg_put_entities(''aa'', jsonb_build_array(storm_a(%s),storm_a(%s),storm_a(%s)))', i, i+1, i+2)
   WHEN 1 THEN format('SELECT kg_put_entities(''aa'', jsonb_build_array(storm_a(%s),storm_a(%s)), ''{"atomic":true}'')', i, i+1)
   WHEN 2 THEN format('SELECT kg_delete_entities(''aa'', ARRAY[''a%s'',''a%s''])', i, i+3)
   WHEN 3 THEN format('SELECT kg_delete_entities(''bb'', ARRAY[''b%s''])', j)
   WHEN 4 THEN format('SELECT kg_delete_entities(''cc'', ARRAY[''c%s''])', 4+j/2)
   WHEN 5 THEN format('SELECT kg_delete_entities(''dd'', ARRAY[''d%s''])', j)
   WHEN 6 THEN format('SELECT kg_put_entities(''bb'', ''[{"id":"b%s","name":"beta","n":%s}]'')', j, i)
   WHEN 7 THEN format('SELECT kg_put_entities(''cc'', ''[{"id":"c%s","name":"gamma","n":%s,"code":"K%s"}]'')', j, i, j)
   WHEN 8 THEN format('INSERT INTO kg_entity(bundle,entity_type,data) VALUES (''storm'',''aa'',storm_a(%s)) RETURNING kg_list(''aa'',''{"limit":1}'')->>''total''', i)
   WHEN 9 THEN format('UPDATE kg_entity SET data = data || ''{"n":%s}'' WHERE entity_type=''aa'' AND entity_id IN (''a%s'',''a%s'')', j, i, i+1)
   WHEN 10 THEN format('DELETE FROM kg_entity WHERE entity_type=''aa'' AND (data->>''n'')::int = %s RETURNING (SELECT count(*) FROM storm_ok())', j)
   WHEN 11 THEN format('MERGE INTO kg_entity e USING (SELECT storm_a(g) d FROM generate_series(%s,%s) g) s ON e.entity_type=''aa'' AND e.entity_id = s.d->>''id'' WHEN MATCHED AND random()<.3 THEN DELETE WHEN MATCHED THEN UPDATE SET data = s.d WHEN NOT MATCHED THEN INSERT (bundle,entity_type,data) VALUES (''storm'',''aa'',s.d)', i, i+4)
   WHEN 12 THEN format('INSERT INTO kg_entity(bundle,entity_type,data) SELECT ''storm'',''aa'',storm_a(g) FROM generate_series(%s,%s) g ON CONFLICT DO NOTHING RETURNING entity_id', i, i+4)
   WHEN 13 THEN format('SELECT kg_put_edges(''[{"relation":"LINK","from":"aa:a%s","to":"cc:c%s","properties":{"w":%s}},{"relation":"KEYED","from":"aa:a%s","to":"bb:b%s","properties":{"k":%s}}]'')', i, j, i, i, j, j)
   WHEN 14 THEN format('SELECT kg_delete_edges(''[{"relation":"LINK","from":"aa:a%s","to":"cc:c%s"}]'')', i, j)
   WHEN 15 THEN format('SELECT kg_update_entities(''aa'', ''[{"id":"a%s","set":{"n":%s,"b":"b%s"},"unset":["c"]}]'')', i, j, j)
   WHEN 16 THEN 'SELECT kg_revert(jsonb_build_array((SELECT (c->>''change'')::bigint FROM jsonb_array_elements(kg_history(''aa'',''a'||i||''')->''changes'') c LIMIT 1)))'
   WHEN 17 THEN format('WITH x AS (DELETE FROM kg_entity WHERE entity_type=''aa'' AND entity_id=''a%s'' RETURNING data) INSERT INTO kg_entity(bundle,entity_type,data) SELECT ''storm'',''aa'', data || ''{"id":"a%s"}'' FROM x', i, i+45)
   WHEN 18 THEN 'SELECT kg_apply_bundle(storm_bundle() || jsonb_build_object(''entities'', jsonb_build_array(jsonb_build_object(''entity_type'',''aa'',''items'',jsonb_build_array(storm_a('||i||'),storm_a('||i+1||'))))), ''{"mode":"merge"}'')'
   WHEN 19 THEN 'SELECT kg_call_tool(''update_aa'', ''{"items":[{"id":"a'||i||'","set":{"n":'||j||'}},{"id":"a'||i+1||'","set":{"n":'||j||'}}],"idempotency_key":"k'||(i%5)||'"}'')'
   WHEN 20 THEN format('UPDATE kg_entity SET data = jsonb_set(data, ''{id}'', to_jsonb(''a%s''::text)) WHERE entity_type=''aa'' AND entity_id=''a%s'' RETURNING entity_id, (SELECT string_agg(x,''; '') FROM storm_ok() x)', i+50, i)
   WHEN 21 THEN 'SELECT kg_pack()'
   WHEN 22 THEN 'SELECT kg_apply_bundle(storm_bundle() || jsonb_build_object(''entities'', jsonb_build_array(jsonb_build_object(''entity_type'',''aa'',''items'',jsonb_build_array(storm_a('||i||'),storm_a('||i+1||')||''{"b":"b2'||j||'","code":"K'||(j+9)||'"}'')),jsonb_build_object(''entity_type'',''bb'',''items'',''[{"id":"b2'||j||'"}]''::jsonb),jsonb_build_object(''entity_type'',''cc'',''items'',''[{"id":"c'||j||'","code":"K'||(j+9)||'","up":"c'||(j+20)||'"},{"id":"c'||(j+20)||'"}]''::jsonb))), ''{"mode":"merge"}'')'
   WHEN 23 THEN 'SELECT kg_revert(jsonb_build_object(''transaction'', (SELECT (c->>''transaction'')::bigint FROM jsonb_array_elements(kg_history(''aa'',''a'||i||''')->''changes'') c LIMIT 1)))'
   WHEN 24 THEN format('DELETE FROM kg_entity WHERE entity_type IN (''aa'',''bb'') AND entity_id LIKE ''%%%s''', j)
   WHEN 25 THEN format('UPDATE kg_entity SET data = data || ''{"code":"K%s"}'' WHERE entity_type=''cc'' AND entity_id=''c%s''', i, j)
   WHEN 26 THEN format('UPDATE kg_entity e SET data = e.data || jsonb_build_object(''code'', o.data->>''code'') FROM kg_entity o WHERE e.entity_type=''cc'' AND o.entity_type=''cc'' AND e.entity_id IN (''c%s'',''c%s'') AND o.entity_id IN (''c%s'',''c%s'') AND e.node <> o.node', j, j+1, j, j+1)
   WHEN 27 THEN format('DO $d$ BEGIN SET CONSTRAINTS ALL DEFERRED; INSERT INTO kg_entity(bundle,entity_type,data) VALUES (''storm'',''aa'',storm_a(%s)||''{"b":"b%s"}''); INSERT INTO kg_entity(bundle,entity_type,data) VALUES (''storm'',''bb'',''{"id":"b%s"}''); DELETE FROM kg_entity WHERE entity_type=''bb'' AND entity_id=''b%s''; SET CONSTRAINTS ALL IMMEDIATE; END $d$', i, j+30, j+30, j)
   WHEN 28 THEN 'SELECT kg_rebuild()'
   WHEN 29 THEN format('UPDATE kg_edge SET properties = ''{"w":%s}'' FROM kg_relation r WHERE r.relation_no = kg_edge.relation_no AND r.relation=''LINK'' AND source = (SELECT node FROM kg_entity WHERE entity_type=''aa'' AND entity_id=''a%s'')', j, i)
   WHEN 30 THEN format('DELETE FROM kg_edge USING kg_relation r WHERE r.relation_no = kg_edge.relation_no AND r.relation=''LINK'' AND source = (SELECT node FROM kg_entity WHERE entity_type=''aa'' AND entity_id=''a%s'')', i)
   WHEN 31 THEN 'SELECT kg_call_tool(''link_LINK'', ''{"items":[{"from":"a'||i||'","to":"c'||j||'","properties":{"w":1}},{"from":"a'||i+1||'","to":"c'||j||'"}],"atomic":false}'')'
   WHEN 32 THEN 'SELECT kg_apply_bundle(jsonb_set(storm_bundle(),''{schemas,0,schema,properties,d,x-on-delete}'',''"'||storm_pick('{restrict,cascade,set_null}')||'"''), ''{"mode":"merge"}'')'
  END;
  IF o IN (9,11,17,24,25,26,27,29,30) THEN EXECUTE q; ELSE EXECUTE q INTO r; END IF;
  IF o IN (10,20) AND r ~ '[a-z]' AND r !~ '^a\d+$' THEN RAISE INFO 'in RETURNING: %', r; END IF;
  RETURN o::text;
END $$;
CREATE PROCEDURE storm_run(rounds int, seed float) LANGUAGE plpgsql AS $$
DECLARE x text; r int; ops text; errs int := 0; oks int := 0; st text; m text; det text;
BEGIN
  PERFORM setseed(seed);
  FOR r IN 1..rounds LOOP
    ops := '';
    BEGIN
      ops := ops || ' ' || storm_op(); oks := oks+1;
      BEGIN
        ops := ops || ' (' || storm_op(); oks := oks+1;
        FOR x IN SELECT * FROM storm_ok() LOOP RAISE INFO 'round % ops % inner: %', r, ops, x; END LOOP;
        IF random() < .4 THEN RAISE EXCEPTION 'mine'; END IF;
        ops := ops || ')';
      EXCEPTION WHEN OTHERS THEN 
        GET STACKED DIAGNOSTICS st = RETURNED_SQLSTATE, m = MESSAGE_TEXT, det = PG_EXCEPTION_DETAIL;
        IF st NOT IN ('P0001','23503','23505','42501','22023','23514','40001','P0002','27000') OR det = '' AND st <> 'P0001' AND st NOT IN ('23505','27000') THEN RAISE INFO 'round % ops %: % % %', r, ops, st, m, det; END IF;
        errs := errs+1; ops := ops || '!)'; END;
      FOR x IN SELECT * FROM storm_ok() LOOP RAISE INFO 'round % ops % outer: %', r, ops, x; END LOOP;
      IF random() < .2 THEN RAISE EXCEPTION 'mine'; END IF;
    EXCEPTION WHEN OTHERS THEN 
        GET STACKED DIAGNOSTICS st = RETURNED_SQLSTATE, m = MESSAGE_TEXT, det = PG_EXCEPTION_DETAIL;
        IF st NOT IN ('P0001','23503','23505','42501','22023','23514','40001','P0002','27000') OR det = '' AND st <> 'P0001' AND st NOT IN ('23505','27000') THEN RAISE INFO 'round % ops %: % % %', r, ops, st, m, det; END IF;
        errs := errs+1; ops := ops || '!'; END;
    FOR x IN SELECT * FROM storm_ok() LOOP RAISE INFO 'round % ops % after: %', r, ops, x; END LOOP;
    IF random() < .3 THEN IF random() < .5 THEN SET CONSTRAINTS ALL IMMEDIATE; COMMIT; ELSE ROLLBACK; END IF;
      FOR x IN SELECT * FROM storm_ok() LOOP RAISE INFO 'round % ops % committed: %', r, ops, x; END LOOP;
    END IF;
    IF r % 20 = 0 THEN x := (SELECT CASE WHEN c->>'ok' <> 'true' THEN left(c::text, 600) END FROM kg_check() c);
      IF x IS NOT NULL THEN RAISE INFO 'round % check: %', r, x; END IF; 
BEGIN       PERFORM kg_put_entities('bb', (SELECT jsonb_agg(jsonb_build_object('id','b'||i,'name','beta '||i,'n',i)) FROM generate_series(1,8) i));
      PERFORM kg_put_entities('cc', (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('id','c'||i,'name','gamma '||i,'n',i,'code','K'||i,'up',CASE WHEN i>1 THEN 'c'||i/2 END))) FROM generate_series(1,8) i));
 EXCEPTION WHEN OTHERS THEN NULL; END;
    END IF;
  END LOOP;
  RAISE NOTICE '% ok, % errors', oks, errs;
END $$;

CREATE FUNCTION storm_trg() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE x text; was text := current_setting('storm.strict', true);
BEGIN
  IF pg_trigger_depth() > 2 OR current_setting('storm.triggers', true) = 'off' THEN RETURN CASE WHEN TG_WHEN='BEFORE' THEN coalesce(NEW, OLD) END; END IF;
  PERFORM set_config('storm.strict', CASE WHEN TG_ARGV[0] = 'strict' THEN 'x' ELSE '' END, true);
  IF random() < .3 THEN
  -- What a row trigger makes again in the middle of its deletion gets its version, and its place in the history, at the statement's end.
  FOR x IN SELECT o FROM storm_ok() o WHERE NOT (TG_TABLE_NAME = 'kg_edge' AND o LIKE 'history: tool [%"verdict": "deleted"%') LOOP GET DIAGNOSTICS was = PG_CONTEXT; RAISE INFO '% % % % % %: % %', TG_TABLE_NAME, TG_NAME, TG_WHEN, TG_OP, TG_LEVEL, pg_trigger_depth(), x, regexp_replace(was, E'[\n ]+', ' ', 'g'); END LOOP; END IF;
  PERFORM set_config('storm.strict', was, true);
  IF TG_NAME <> 'zz_d' AND random() < .03 THEN RAISE EXCEPTION 'trigger'; END IF;
  RETURN CASE WHEN TG_WHEN='BEFORE' THEN coalesce(NEW, OLD) END;
END $$;
CREATE FUNCTION storm_trg_write() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF pg_trigger_depth() > 2 OR current_setting('storm.triggers', true) = 'off' THEN RETURN NULL; END IF;
  IF random() < .3 THEN PERFORM kg_put_entities('bb', jsonb_build_array(jsonb_build_object('id','b9','n',floor(random()*100))));
  ELSIF random() < .2 THEN PERFORM kg_put_entities('aa', jsonb_build_array(storm_a(floor(random()*45)::int)));
  ELSIF random() < .1 THEN PERFORM kg_delete_entities('aa', ARRAY['a'||floor(random()*45)]); 
  ELSIF random() < .1 THEN PERFORM kg_put_edges(jsonb_build_array(jsonb_build_object('relation','LINK','from','a'||floor(random()*45),'to','c'||floor(1+random()*8)))); END IF;
  BEGIN IF random() < .1 THEN PERFORM kg_put_entities('aa', jsonb_build_array(storm_a(floor(random()*45)::int)), '{"atomic":true}'); RAISE EXCEPTION 'x'; END IF;
    IF random() < .1 THEN PERFORM kg_delete_entities('bb', ARRAY['b'||floor(random()*9)]); END IF;
    IF random() < .05 THEN PERFORM kg_apply_bundle(storm_bundle() || jsonb_build_object('entities', jsonb_build_array(jsonb_build_object('entity_type','aa','items',jsonb_build_array(storm_a(3),storm_a(4))),jsonb_build_object('entity_type','bb','items','[{"id":"b9"}]'::jsonb))), '{"mode":"merge"}'); END IF;
  EXCEPTION WHEN OTHERS THEN NULL; END;
  RETURN NULL;
END $$;
CREATE FUNCTION storm_trg_before() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF current_setting('storm.triggers', true) = 'off' THEN RETURN coalesce(NEW,OLD); END IF;
  IF random() < .1 THEN RETURN NULL; END IF;
  IF TG_OP <> 'DELETE' AND random() < .2 AND NEW.entity_type = 'aa' THEN NEW.data := NEW.data || jsonb_build_object('n', 3); END IF;
  RETURN coalesce(NEW,OLD);
END $$;
-- Rows whose keys a changed schema changes are written as the extension's owner, who has no tenant.
ALTER FUNCTION storm_trg() OWNER TO storm_writer;
ALTER FUNCTION storm_trg() SECURITY DEFINER;
ALTER FUNCTION storm_trg_write() OWNER TO storm_writer;
ALTER FUNCTION storm_trg_write() SECURITY DEFINER;

CREATE FUNCTION storm_toggle() RETURNS jsonb LANGUAGE plpgsql AS $$ DECLARE r float := random(); BEGIN
 RETURN CASE WHEN r<.2 THEN jsonb_set(storm_bundle(),'{schemas,0,schema,properties,name,x-index}','true') WHEN r<.4 THEN jsonb_set(storm_bundle(),'{schemas,0,schema,x-tool-description}','"another"') WHEN r<.5 THEN jsonb_set(storm_bundle(),'{schemas,0,schema,properties,b,x-on-delete}','"cascade"')
  WHEN r<.6 THEN storm_bundle() #- '{schemas,0,schema,x-alias-fields}' WHEN r<.7 THEN jsonb_set(storm_bundle(),'{schemas,0,schema,properties,zz}','{"type":"string","x-ref":"bb"}') WHEN r<.75 THEN jsonb_set(storm_bundle(),'{schemas,2,schema,properties,code,x-index}','false') WHEN r<.8 THEN jsonb_set(storm_bundle(),'{schemas,0,schema,properties,n,maximum}','5') ELSE storm_bundle() END; END $$;
CREATE FUNCTION storm_trg_schema() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF pg_trigger_depth() < 3 AND random() < .15 THEN
   BEGIN PERFORM kg_apply_bundle(storm_toggle() || CASE WHEN random()<.3 THEN jsonb_build_object('entities', jsonb_build_array(jsonb_build_object('entity_type','aa','items',jsonb_build_array(storm_a(floor(random()*45)::int))))) ELSE '{}' END, '{"mode":"merge"}'); 
    EXCEPTION WHEN OTHERS THEN IF left(SQLSTATE,2)='XX' THEN RAISE INFO 'schema %: % %', TG_NAME, SQLSTATE, SQLERRM; END IF; END; END IF;
  RETURN CASE WHEN TG_WHEN='BEFORE' THEN coalesce(NEW,OLD) END;
END $$;

SET ROLE storm_writer;
SELECT FROM kg_apply_bundle(storm_bundle());
SELECT kg_put_entities('dd', (SELECT jsonb_agg(jsonb_build_object('id','d'||i,'name','delta '||i,'n',i,'from',date '2000-01-01'+i)) FROM generate_series(1,8) i))->'counts';
SELECT kg_put_entities('bb', (SELECT jsonb_agg(jsonb_build_object('id','b'||i,'name','beta '||i,'n',i)) FROM generate_series(1,8) i))->'counts';
SELECT kg_put_entities('cc', (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('id','c'||i,'name','gamma '||i,'n',i,'code','K'||i,'up',CASE WHEN i>1 THEN 'c'||i/2 END))) FROM generate_series(1,8) i))->'counts';
SELECT kg_put_entities('aa', (SELECT jsonb_agg(jsonb_build_object('id','a'||i,'name','alpha '||i,'n',i%7,'b','b'||(1+i%8),'c','c'||(1+i%8),'d','d'||(1+i%8),'bs',jsonb_build_array('b'||(1+(i+1)%8),'b'||(1+(i+3)%8)),'code','K'||(1+i%5),'tags',jsonb_build_array('t'||i%3,'t'||i%4))) FROM generate_series(1,40) i))->'counts';
SELECT kg_put_edges((SELECT jsonb_agg(jsonb_build_object('relation','LINK','from','aa:a'||i,'to','cc:c'||(1+i*3%8),'properties',jsonb_build_object('w',i))) FROM generate_series(1,40) i))->'counts';
SELECT kg_put_edges((SELECT jsonb_agg(jsonb_build_object('relation','KEYED','from','aa:a'||i,'to','bb:b'||(1+i*3%8),'properties',jsonb_build_object('k',k,'w',i))) FROM generate_series(1,20) i, generate_series(1,2) k))->'counts';
SELECT kg_put_edges((SELECT jsonb_agg(jsonb_build_object('relation','NEAR','from','cc:c'||i,'to','cc:c'||(1+i%8))) FROM generate_series(1,8) i))->'counts';
SELECT kg_pack();
RESET ROLE;
