-- Search over names, aliases and ids, hints and suggestions, as a role under
-- row-level security with a second tenant beside it.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('search_a', 'search_writer write', 'search_reader read');
CALL test.tenant('search_b', 'search_writer write');

\c - search_writer
CREATE TEMP TABLE bundle AS SELECT '{"bundle_name": "search", "version": "1", "schemas": [
  {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "code", "x-label-field": "name", "x-alias-fields": ["aka", "short"], "x-tool-expose": ["list", "get", "list_ids"], "properties": {
    "code": {"type": "string"}, "name": {"type": "string"}, "aka": {"type": "array", "items": {"type": "string"}}, "short": {"type": "string"},
    "tier": {"enum": ["premium", "mid_market", "value"], "x-index": true}, "country": {"type": "string", "x-index": true}, "founded": {"type": "integer", "x-index": true}, "parent": {"type": "string", "x-ref": "brand", "x-index": true}}}},
  {"entity_type": "line", "schema": {"type": "object", "x-id-field": "code", "x-label-field": "name", "properties": {"code": {"type": "string"}, "name": {"type": "string"}, "brand": {"type": "string", "x-ref": "brand", "x-index": true}}}}]}'::jsonb AS b;
SET kg_graph.tenant = 'search_b';
SELECT kg_apply_bundle(b || '{"entities": [{"entity_type": "brand", "items": [{"code": "north-aurora", "name": "Northern Secret", "aka": ["Aurora Hidden"]}, {"code": "borealis-b", "name": "Borealis", "tier": "value", "country": "Norwax", "founded": 1950}]}]}') ->> 'changed' AS changed FROM bundle;
SET kg_graph.tenant = 'search_a';
SELECT kg_apply_bundle(b || '{"entities": [{"entity_type": "brand", "items": [
  {"code": "north-aurora", "name": "North Aurora", "aka": ["Nordlicht", "Aurora of the North"], "short": "NA", "tier": "premium", "country": "Norway", "founded": 1987},
  {"code": "aurora-south", "name": "South Aurora", "tier": "value", "country": "Chile", "founded": 2001, "parent": "north-aurora"},
  {"code": "stride", "name": "Stride & Co. 100%", "aka": ["stride_co"], "tier": "mid_market", "country": "Norway"},
  {"code": "cafe", "name": "Café Émile", "tier": "value", "country": "France", "founded": 1955},
  {"code": "strasse", "name": "Straßenlauf", "country": "Germany"},
  {"code": "tokyo", "name": "東京ランナー", "country": "Japan"},
  {"code": "twin-1", "name": "Twin", "country": "Spain"}, {"code": "twin-2", "name": "Twin", "country": "Spain"},
  {"code": "long", "name": "A very long name of a brand that goes on and on", "country": "Spain"}]},
  {"entity_type": "line", "items": [{"code": "l1", "name": "Aurora line", "brand": "north-aurora"}]}]}') ->> 'changed' AS changed FROM bundle;

\c - search_reader
CREATE FUNCTION pg_temp.found(query text) RETURNS TABLE(id text, kind text, how text, term text, score text) LANGUAGE sql AS $$
  SELECT i ->> 'id', i #>> '{matched_on,kind}', i #>> '{matched_on,how}', i #>> '{matched_on,term}', i ->> 'score' FROM jsonb_array_elements(kg_list('brand', jsonb_build_object('search', query, 'fields', '["code"]'::jsonb)) -> 'items') WITH ORDINALITY x(i, n) ORDER BY n $$;
-- exact, prefix, token and typo; names, aliases and ids; case and accents
SELECT query, f.* FROM unnest(ARRAY['North Aurora', 'north aurora', 'NORTH', 'aurora', 'nordlicht', 'na', 'north-aurora', 'aurora of the north', 'nroth aurora', 'norht aurora', 'Auroar', 'stride', 'stride & co. 100%', '100%', 'stride_co', 'Café Émile', 'cafe emile', 'CAFÉ', 'strassenlauf', '東京', '東京ランナー', 'twin', 'brand on', 'lauf']) WITH ORDINALITY q(query, n), LATERAL pg_temp.found(query) f ORDER BY q.n, f.score DESC, f.id COLLATE "C";
-- nothing found is a success that helps
SELECT kg_list('brand', '{"search": "zzzzzz"}');
SELECT kg_list('brand', '{"search": "Secret"}') -> 'total' AS of_the_other_tenant, kg_list('brand', '{"search": "borealis"}') -> 'total' AS name, kg_list('brand', '{"search": "Aurora Hidden"}') -> 'items' @? '$[*] ? (@.matched_on.term == "aurora hidden")' AS alias;
-- with filters, a sort, pages; ranks without one
SELECT r -> 'total' AS total, (SELECT jsonb_agg(i -> 'id') FROM jsonb_array_elements(r -> 'items') i) AS ids FROM kg_list('brand', '{"search": "aurora", "filters": {"tier": "value"}}') r;
SELECT (SELECT jsonb_agg(i -> 'id') FROM jsonb_array_elements(r -> 'items') i) AS ids FROM kg_list('brand', '{"search": "aurora", "sort": [{"field": "founded", "order": "desc"}]}') r;
SELECT r #> '{items,0,id}' AS first, kg_list('brand', r -> 'next') #> '{items,0,id}' AS second, kg_list('brand', r -> 'next') -> 'truncated' AS more, kg_list('brand', r -> 'next') -> 'total' AS total FROM kg_list('brand', '{"search": "aurora", "limit": 1}') r;
SELECT kg_list_ids('brand', '{"search": "twin"}') AS ids;
-- nothing of a search is a pattern or SQL
SELECT query, count(f.id) FROM unnest(ARRAY['%', '_', '%%%', 'a%', '''; DROP TABLE kg_term; --', '\', '"', '(a|b)*', '$1', repeat('x', 256), 'é']) query LEFT JOIN LATERAL pg_temp.found(query) f ON true GROUP BY query ORDER BY query COLLATE "C";
SELECT kg_call_tool('list_brand', jsonb_build_object('search', repeat('x', 257))) #>> '{structuredContent,error,message}' AS too_long, kg_call_tool('list_brand', '{"search": "  "}') #>> '{structuredContent,error,message}' AS blank;

-- hints for filters that match nothing: ids and labels of references, enum values in use, near strings and numbers
SELECT f AS filters, kg_list('brand', jsonb_build_object('filters', f)) -> 'hints' AS hints FROM unnest(ARRAY['{"country": "norway"}', '{"country": "Norwey"}', '{"country": "Norwax"}', '{"country": "ermany"}', '{"parent": "north-auroar"}', '{"founded": 1986}', '{"founded": {"gt": 3000}}', '{"id": "north-aurra"}',
  '{"tier": "premium", "country": "Chile"}', '{"tier": "value", "parent": "stride"}', '{"country": {"starts_with": "Nxr"}}', '{"country": {"in": ["Norwey", "Chili"]}}', '{"country": {"is_null": true}}']::jsonb[]) f;
-- a name given for a code says the code; of several it lists them; what the other tenant has is not known
SELECT f AS filters, (kg_call_tool('list_line', jsonb_build_object('filters', f)) -> 'structuredContent') - 'hints' AS answer FROM unnest(ARRAY['{"brand": "North Aurora"}', '{"brand": "nordlicht"}', '{"brand": "Twin"}', '{"brand": "Northern Secret"}', '{"brand": {"ne": "South Aurora"}}', '{"brand": {"in": ["stride", "Café Émile"]}}', '{"brand": "north-aurora"}', '{"id": "Aurora line"}']::jsonb[]) f;
-- suggestions for names of types, tools and properties
SELECT kg_list('brnad', '{}');
SELECT kg_call_tool('lst_brand', '{}') #> '{structuredContent,error,did_you_mean}' AS tool, kg_call_tool('list_brand', '{"filters": {"contry": "x"}}') #> '{structuredContent,error,did_you_mean}' AS property, kg_call_tool('list_brand', '{"filter": {}}') #> '{structuredContent,error,did_you_mean}' AS argument, kg_call_tool('list_brand', '{"sort": [{"field": "tire"}]}') #> '{structuredContent,error,did_you_mean}' AS sort, kg_call_tool('list_brand', '{"fields": ["nmae"]}') #> '{structuredContent,error,did_you_mean}' AS field;

-- the name that is nearest as a whole comes first, before names with a common word of it
\c - search_writer
SET kg_graph.tenant = 'search_a';
SELECT kg_apply_bundle('{"bundle_name": "near", "version": "1", "schemas": [{"entity_type": "package", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}}, {"entity_type": "code", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "entities": [{"entity_type": "package", "items": [{"id": "p1", "name": "postgresql-common"}, {"id": "p2", "name": "aaa-common"}, {"id": "p3", "name": "bbb-common"}, {"id": "p4", "name": "ccc-common"}, {"id": "p5", "name": "imagemagick"}, {"id": "p6", "name": "foo-imagemagick-compat"}, {"id": "p7", "name": "Île-de-France"}]},
  {"entity_type": "code", "items": [{"id": "FR"}, {"id": "DE"}, {"id": "dog.n.01"}, {"id": "cat.n.01"}, {"id": "postgresql"}, {"id": "Zürich"}]}]}') ->> 'changed' AS changed;
\c - search_reader
SELECT q, (SELECT string_agg(concat_ws(' ', i ->> 'id', i ->> 'name', i ->> 'score'), ', ' ORDER BY n) FROM jsonb_array_elements(kg_search(jsonb_build_object('query', q, 'node_types', '["package", "code"]'::jsonb)) -> 'items') WITH ORDINALITY x(i, n)) AS found FROM unnest(ARRAY['postgrsql-common', 'imagmagic', 'ile de france', 'Ile-de-France', 'ÎLE-DE-FRANCE', 'ile-d-efrance', 'fr', 'dog.n.1', 'postgersq', 'zurich']) q;
-- a node type's filter, list and its own hints rank by the same
SELECT jsonb_path_query_array(kg_list('package', '{"search": "postgrsql-common", "limit": 2}'), '$.items[*].id') AS list, kg_find_nodes('{"node_label": "package", "ids": ["postgrsql-common"]}') #> '{hints,0,nearest,0}' AS nearest;
-- ids without a name to search by: short ones, other letters' case, accents
SELECT id, kg_get('code', ARRAY[id]) #> '{hints,0,nearest}' AS nearest, kg_call_tool('describe_entity', jsonb_build_object('id', 'code:' || id)) #>> '{structuredContent,error,did_you_mean}' AS did_you_mean FROM unnest(ARRAY['FX', 'fr', 'dog.n.1', 'odg.n.01', 'Postgres', 'Zurich']) id;
-- in scripts without spaces any neighbouring signs are found, also beside a name that is just them, and of words with others; a Latin word is not by two letters of its middle
\c - search_writer
SET kg_graph.tenant = 'search_a';
SELECT kg_apply_bundle('{"bundle_name": "signs", "version": "1", "schemas": [{"entity_type": "place", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-alias-fields": ["aka"], "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "aka": {"type": "string"}}}}],
  "entities": [{"entity_type": "place", "items": [{"id": "c1", "name": "中华人民共和国", "aka": "中国"}, {"id": "c2", "name": "人民"}, {"id": "c3", "name": "台湾人民銀行 本店"}, {"id": "k1", "name": "서울대학교병원"}, {"id": "j1", "name": "ニュージーランド"}, {"id": "j2", "name": "ﾆｭｰｶﾚﾄﾞﾆｱ"}, {"id": "m1", "name": "iPhone手机壳"}, {"id": "t1", "name": "กรุงเทพมหานคร"}, {"id": "l1", "name": "Munich"}]}]}') ->> 'changed' AS changed;
\c - search_reader
CREATE FUNCTION pg_temp.places(query text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(concat_ws(' ', i ->> 'id', i #>> '{matched_on,kind}', i #>> '{matched_on,how}', i ->> 'score'), ', ' ORDER BY n) FROM jsonb_array_elements(kg_list('place', jsonb_build_object('search', query, 'fields', '["id"]'::jsonb)) -> 'items') WITH ORDINALITY x(i, n) $$;
SELECT q AS query, pg_temp.places(q) AS found FROM unnest(ARRAY['人民', '民共', '共和', '和国', '国', '人', '人民 銀行', '대학', '학교', '교', 'ジー', 'ランド', 'カレ', '手机', '机', '手机壳', 'เท', 'มหา', 'un', 'i手', '人共']) WITH ORDINALITY u(q, n) ORDER BY n;
-- a search that finds more than may be looked at says so
\c - :owner
SET kg_graph.max_search_matches = 1; SET ROLE search_reader;
SELECT r - 'items' - 'next' AS reply FROM kg_list('brand', '{"search": "aurora", "limit": 1}') r;
SELECT r - 'items' - 'next' AS reply FROM kg_list('place', '{"search": "民", "limit": 1}') r;

-- a word is better than the beginning of one
\c - search_writer
SET kg_graph.tenant = 'search_a';
SELECT kg_put_entities('brand', '[{"code": "i2", "name": "Intel Corporation"}, {"code": "i1", "name": "Intellon Corp."}]') -> 'counts';
SELECT i -> 'id' AS id, i -> 'score' AS score FROM kg_search('{"query": "Intel"}') r, jsonb_array_elements(r -> 'items') i;

\c - :owner
CALL test.drop('search_a', 'search_b');
