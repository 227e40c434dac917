-- The toolset memory: nine tools over the bundle that "kgctl memory init" makes.
\set VERBOSITY terse
SET client_min_messages = warning;
SET kg_graph.max_call_time = '1min';
CREATE ROLE regress_memory;
CREATE ROLE regress_memory_reader;
SELECT FROM kg_create_tenant('memory');
SELECT FROM kg_grant('memory', 'regress_memory', 'admin');
SELECT FROM kg_grant('memory', 'regress_memory_reader', 'read');
SET ROLE regress_memory;

-- none of them without the bundle
SELECT count(*) AS none FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' IN ('read_graph', 'create_entities');
SELECT kg_call_tool('read_graph', '{}') #>> '{structuredContent,error,code}' AS code;
SELECT kg_apply_bundle('{"bundle_name": "memory", "version": "1", "description": "What was remembered: entities, what was observed about them, and how they are related", "schemas": [{"entity_type": "entity", "schema": {"type": "object", "title": "Entity", "additionalProperties": false, "x-history": true, "x-id-field": "name", "x-label-field": "name", "x-alias-fields": ["entityType", "parts"], "x-signs": true, "properties": {"name": {"type": "string", "description": "Its name, which no other has"}, "entityType": {"type": "string", "description": "What it is, in any words"}, "parts": {"type": "array", "items": {"type": "string"}, "description": "Pieces of a long name or type, for the search"}, "stub": {"type": "boolean", "description": "It is an end of a relation, and was never created"}}}}, {"entity_type": "observation", "schema": {"type": "object", "title": "Observation", "additionalProperties": false, "x-history": true, "x-id-field": "id", "x-label-field": "content", "x-alias-fields": ["parts"], "x-signs": true, "required": ["id", "entity", "n", "content"], "properties": {"id": {"type": "string", "description": "A hash of entity and content"}, "entity": {"type": "string", "x-ref": "entity", "x-relation": "ABOUT", "x-on-delete": "cascade", "description": "What it is about"}, "n": {"type": "integer", "description": "Its place among the entity''s"}, "content": {"type": "string", "description": "What was observed"}, "parts": {"type": "array", "items": {"type": "string"}, "description": "Pieces of a long content, for the search"}}}}], "relations": [{"name": "RELATES", "from": "entity", "to": "entity", "key": ["relationType"], "history": true, "description": "A relation of the type that relationType says", "schema": {"type": "object", "required": ["relationType"], "properties": {"relationType": {"type": "string"}}}}]}') -> 'changed' AS changed;
SELECT t ->> 'name' AS name, t #> '{annotations,readOnlyHint}' AS reads FROM jsonb_array_elements(kg_list_tools()) t
  WHERE t ->> 'name' ~ '^(create|add|delete|read|search|open)_(entities|relations|observations|graph|nodes)$' AND t ->> 'name' <> 'search_entities';
CREATE FUNCTION pg_temp.call(tool text, arguments jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT CASE WHEN (r -> 'isError')::boolean THEN jsonb_build_object('error', r #> '{structuredContent,error,message}', 'path', r #> '{structuredContent,error,path}')
    ELSE r -> 'structuredContent' END FROM kg_call_tool(tool, arguments) r
$$;

-- only the new ones; what is twice in a call is once; the text is the bare array
SELECT kg_call_tool('create_entities', '{"entities": [{"name": "Ada", "entityType": "person", "observations": ["likes tea", "likes tea", "born 1815"]},
  {"name": "Bob", "entityType": "Person of interest", "observations": []}, {"name": "Ada", "entityType": "x", "observations": []}]}');
SELECT pg_temp.call('create_entities', '{"entities": [{"name": "Ada", "entityType": "person", "observations": ["new"]}]}');
SELECT pg_temp.call('create_relations', '{"relations": [{"from": "Ada", "to": "Bob", "relationType": "knows"}, {"from": "Ada", "to": "Bob", "relationType": "pays"},
  {"from": "Ada", "to": "Nobody", "relationType": "pays"}, {"from": "Ada", "to": "Nobody", "relationType": "pays"}]}');
SELECT pg_temp.call('create_relations', '{"relations": [{"from": "Ada", "to": "Bob", "relationType": "knows"}]}');
SELECT pg_temp.call('read_graph', '{}');
-- an end that nobody created is no entity; nothing is saved where one is not found
SELECT pg_temp.call('open_nodes', '{"names": ["Bob", "Nobody", "Bob"]}');
SELECT pg_temp.call('open_nodes', '{"names": ["bob", "nobody"]}') = pg_temp.call('open_nodes', '{"names": ["Bob"]}') AS in_case;
SELECT pg_temp.call('add_observations', '{"observations": [{"entityName": "Bob", "contents": ["zz"]}, {"entityName": "Nobody", "contents": ["a"]}]}');
SELECT pg_temp.call('add_observations', '{"observations": [{"entityName": "Ada", "contents": ["likes tea", "Ünïcode ÇASE", "a"]}, {"entityName": "Ada", "contents": ["a", "b"]}]}');
-- a substring of name, type and observations, whatever the case
SELECT q, jsonb_path_query_array(pg_temp.call('search_nodes', jsonb_build_object('query', q)), '$.entities[*].name') AS found
  FROM unnest(ARRAY['TEA', 'ç', 'çase', 'nterest', 'Nobody', 'xyzzy', '', '5', 'kes te', '%', 'a_a']) q;
-- what is absent is passed over
SELECT pg_temp.call('delete_observations', '{"deletions": [{"entityName": "Ada", "observations": ["a", "q"]}, {"entityName": "Q", "observations": ["a", "q"]}]}');
SELECT kg_call_tool('delete_relations', '{"relations": [{"from": "Ada", "to": "Bob", "relationType": "knows"}, {"from": "Ada", "to": "Zed", "relationType": "knows"}]}');
SELECT pg_temp.call('read_graph', '{}');
-- and is undone, as is an entity with its observations and relations
CREATE FUNCTION pg_temp.graph() RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('entities', (SELECT jsonb_agg(e ORDER BY e ->> 'name') FROM jsonb_array_elements(r -> 'entities') e),
    'relations', (SELECT jsonb_agg(e ORDER BY e::text) FROM jsonb_array_elements(r -> 'relations') e)) FROM pg_temp.call('read_graph', '{}') r $$;
SELECT pg_temp.graph() AS graph \gset
SELECT kg_revert(jsonb_build_object('transaction', (SELECT max(transaction) FROM kg_history))) -> 'counts' AS undone;
SELECT pg_temp.call('open_nodes', '{"names": ["Bob"]}');
SELECT kg_revert(jsonb_build_object('transaction', (SELECT max(transaction) FROM kg_history))) -> 'counts' AS undone_again;
SELECT pg_temp.graph() = :'graph' AS same;
SELECT pg_temp.call('delete_entities', '{"entityNames": ["Ada"]}') ->> 'success' AS deleted;
SELECT kg_revert(jsonb_build_object('transaction', (SELECT max(transaction) FROM kg_history))) -> 'counts' AS undone;
SELECT pg_temp.graph() = :'graph' AS same;
SELECT pg_temp.call('delete_entities', '{"entityNames": ["Ada", "Ada", "nope"]}');
SELECT pg_temp.call('read_graph', '{}');
-- a stub is new, and a deletion is in the history, from where it comes back
SELECT pg_temp.call('create_entities', '{"entities": [{"name": "Nobody", "entityType": "person", "observations": ["now"]}]}');
SELECT c ->> 'verdict' AS verdict, c ->> 'tool' AS tool FROM jsonb_array_elements(kg_history('memory/entity', 'Nobody', '{}') -> 'changes') c;
-- refused
SELECT pg_temp.call('create_entities', jsonb_build_object('entities', jsonb_build_array(jsonb_build_object('name', n, 'entityType', 'x', 'observations', '[]'::jsonb)))) ->> 'path' AS path
  FROM unnest(ARRAY['', repeat('n', 129), repeat('é', 65)]) n;
SELECT pg_temp.call('create_entities', '{"entities": [{"name": "q", "entityType": "person", "observations": [1]}]}');
SELECT pg_temp.call('create_entities', '{"entities": [{"name": "q", "entityType": "person", "observations": [], "more": 1}]}');
SELECT pg_temp.call('create_entities', '{"entities": [{"name": "q", "observations": []}]}');
SELECT pg_temp.call('create_relations', jsonb_build_object('relations', jsonb_build_array(jsonb_build_object('from', 'a', 'to', 'b', 'relationType', repeat('r', 513))))) ->> 'path' AS path;
SELECT pg_temp.call('open_nodes', '{"names": "Bob"}') ->> 'path' AS path;
-- many observations, and a reply within its budget
SELECT jsonb_array_length(pg_temp.call('add_observations', jsonb_build_object('observations', jsonb_build_array(jsonb_build_object('entityName', 'Bob', 'contents',
  (SELECT jsonb_agg('fact ' || g ORDER BY g) FROM generate_series(1, 10000) g))))) #> '{results,0,addedObservations}') AS added;
SELECT o ->> 0 AS first, o ->> 9999 AS last FROM (SELECT pg_temp.call('open_nodes', '{"names": ["Bob"], "max_bytes": 1000000}') #> '{entities,0,observations}') b(o);
SELECT pg_temp.call('read_graph', '{"max_bytes": 1024}') - 'next';
-- one of 10,000 items each, and what is said again in the same call
SELECT count(*) AS items, sum(jsonb_array_length(r -> 'addedObservations')) AS added FROM jsonb_array_elements(pg_temp.call('add_observations', jsonb_build_object('observations',
  (SELECT jsonb_agg(jsonb_build_object('entityName', 'Bob', 'contents', jsonb_build_array('item ' || g % 9000, 'item ' || g % 9000)) ORDER BY g) FROM generate_series(1, 10000) g))) -> 'results') r;
SELECT pg_temp.call('delete_observations', jsonb_build_object('deletions',
  (SELECT jsonb_agg(jsonb_build_object('entityName', 'Bob', 'observations', jsonb_build_array('item ' || g % 9000)) ORDER BY g) FROM generate_series(1, 10000) g))) ->> 'success' AS success;
-- words longer than the search has
SELECT pg_temp.call('create_entities', jsonb_build_object('entities', jsonb_build_array(jsonb_build_object('name', 'Long', 'entityType', repeat('t', 300), 'observations',
  jsonb_build_array(repeat('0123456789', 30) || 'needle' || repeat('9876543210', 30), repeat('word ', 100) || 'haystack')))));
SELECT q, jsonb_path_query_array(pg_temp.call('search_nodes', jsonb_build_object('query', q)), '$.entities[*].name') AS found
  FROM unnest(ARRAY['9needle9', 'ord hayst', repeat('t', 299), '89needle98765432109876543210']) q;

-- inside a query words are whole, at its end they begin one; case is that of the text
SELECT pg_temp.call('create_entities', '{"entities": [{"name": "Item 7", "entityType": "part-no 12", "observations": ["costs 5 or 15", "of 3.5 mm, a b c"]},
  {"name": "Item 77", "entityType": "part-no 3", "observations": []}]}') -> 'entities' -> 0 ->> 'name' AS created;
SELECT q, jsonb_path_query_array(pg_temp.call('search_nodes', jsonb_build_object('query', q)), '$.entities[*].name') AS found
  FROM unnest(ARRAY['item 7', 'ITEM 77', 'm 7', 'sts 5 o', 'sts 1 o', 'or 1', 'r 15', 'no 1', '-no', '3.5', '5 m', 'a b', ' b ', 'b  c', '.', ',', 'em']) q;
-- one or two letters and signs are looked up, wherever in a word they are: nobody else is read
RESET ROLE;
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO regress_memory; GRANT pg_read_all_stats TO regress_memory;
SET ROLE regress_memory;
SELECT pg_temp.call('create_entities', '{"entities": [{"name": "Zx", "entityType": "q", "observations": ["azx/2", "zxb x1", "c ézxé?..."]}, {"name": "A Yz", "entityType": "", "observations": []}]}') -> 'entities' -> 0 ->> 'name' AS created;
SELECT q, jsonb_path_query_array(pg_temp.call('search_nodes', jsonb_build_object('query', q)), '$.entities[*].name') AS found,
  (SELECT bool_or(s ->> 'sql' LIKE '%e.entity_type = ANY%') FROM jsonb_array_elements(kg_explain('search_nodes', jsonb_build_object('query', q)) -> 'statements') s) AS all_read
  FROM unnest(ARRAY['zx', 'q', 'x ', 'x1', 'é', 'xé', 'yz', 'z', 'zq', 'zx b', '7 ', 'o. ', '?', '/', '-', 'é?', '/2', '..', '. ', '%', '%.']) q;
-- a bundle without x-signs, which then gets it
SELECT kg_apply_bundle(replace((kg_export_bundle('memory') - 'entities' - 'edges')::text, '"x-signs": true', '"x-signs": false')::jsonb, '{"mode": "merge"}') -> 'changed' AS changed;
SELECT count(*) AS signs, jsonb_path_query_array(pg_temp.call('search_nodes', '{"query": "?"}'), '$.entities[*].name') AS found FROM kg_term WHERE kind = 's';
SELECT kg_apply_bundle(replace((kg_export_bundle('memory') - 'entities' - 'edges')::text, '"x-signs": false', '"x-signs": true')::jsonb, '{"mode": "merge"}') -> 'changed' AS changed;
SELECT count(*) > 0 AS signs, jsonb_path_query_array(pg_temp.call('search_nodes', '{"query": "?"}'), '$.entities[*].name') AS found FROM kg_term WHERE kind = 's';
RESET ROLE;
REVOKE EXECUTE ON FUNCTION kg_explain(text, jsonb) FROM regress_memory;
SET ROLE regress_memory;
-- what stands beyond a full reply is not counted
SELECT jsonb_array_length(pg_temp.call('create_entities', jsonb_build_object('entities', (SELECT jsonb_agg(jsonb_build_object('name', 'many ' || g, 'entityType', '', 'observations', '[]'::jsonb))
  FROM generate_series(1, 400) g))) -> 'entities') AS created;
SELECT a ->> 'query' AS query, r - 'entities' - 'relations' - 'next' AS told, jsonb_array_length(r -> 'entities') > 9 AS some
  FROM unnest(ARRAY['{"query": "many", "max_bytes": 2048}', '{"query": "many 39", "max_bytes": 2048}', '{"query": "many 3", "max_bytes": 2048}']::jsonb[]) a, pg_temp.call('search_nodes', a) r;
SELECT jsonb_array_length(pg_temp.call('search_nodes', '{"query": "MANY"}') -> 'entities') AS all_of_them;

-- an entity with many observations, or relations, hides no other: it has its share of the reply, and says how to read on
SELECT jsonb_array_length(pg_temp.call('create_entities', jsonb_build_object('entities', jsonb_build_array(
  jsonb_build_object('name', '! large', 'entityType', '', 'observations', (SELECT jsonb_agg(format('large %s %s', g, repeat('o', 100)) ORDER BY g) FROM generate_series(1, 1000) g)),
  jsonb_build_object('name', '! one', 'entityType', '', 'observations', jsonb_build_array('large ' || repeat('o', 30000), 'large')),
  jsonb_build_object('name', '! small', 'entityType', '', 'observations', jsonb_build_array('large')),
  jsonb_build_object('name', '! hub', 'entityType', '', 'observations', jsonb_build_array('large'))))) -> 'entities') AS created;
SELECT jsonb_array_length(pg_temp.call('create_relations', jsonb_build_object('relations', (SELECT jsonb_agg(jsonb_build_object('from', format('! end %s %s', g, repeat('e', 80)),
  'to', '! hub', 'relationType', 'r')) FROM generate_series(1, 500) g))) -> 'relations') AS related;
SELECT pg_temp.call('read_graph', '{}') -> 'error' AS error;
SELECT tool, e ->> 'name' AS name, jsonb_array_length(e -> 'observations') AS observations, e -> 'withheld' AS withheld, e -> 'next' AS next
  FROM (VALUES ('open_nodes', '{"names": ["! hub", "! large", "! one", "! small"]}'::jsonb), ('search_nodes', '{"query": "large"}'), ('read_graph', '{}')) c(tool, arguments),
    jsonb_array_elements(pg_temp.call(tool, arguments) -> 'entities') e WHERE e ->> 'name' LIKE '!%' ORDER BY 1, 2;
SELECT jsonb_array_length(r -> 'relations') BETWEEN 20 AND 100 AS some, r #> '{withheld,relations}' IS NOT NULL AS counted, r -> 'truncated' AS truncated,
    jsonb_array_length(pg_temp.call('open_nodes', r -> 'next') -> 'relations') AS all_of_them
  FROM pg_temp.call('open_nodes', '{"names": ["! hub", "! small"]}') r;
-- whoever reads on gets each observation once, whatever the room
CREATE FUNCTION pg_temp.read_on(arguments jsonb, OUT observations jsonb, OUT calls integer) LANGUAGE plpgsql AS $$
DECLARE e jsonb;
BEGIN
  observations := '[]';
  calls := 0;
  WHILE arguments IS NOT NULL LOOP
    e := pg_temp.call('open_nodes', arguments) #> '{entities,0}';
    observations := observations || (e -> 'observations');
    arguments := e -> 'next';
    calls := calls + 1;
  END LOOP;
END $$;
SELECT name, max_bytes, calls, jsonb_array_length(observations) AS told,
    observations = pg_temp.call('open_nodes', jsonb_build_object('names', jsonb_build_array(name), 'max_bytes', 1000000)) #> '{entities,0,observations}' AS same
  FROM unnest(ARRAY['! large', '! one']) name, unnest(ARRAY[4096, 32768]) max_bytes,
    pg_temp.read_on(jsonb_build_object('names', jsonb_build_array(name), 'max_bytes', max_bytes)) ORDER BY 1, 2;
-- one that has room in no reply is gone past
RESET ROLE;
SET kg_graph.max_reply_bytes = 20000;
SET ROLE regress_memory;
SELECT jsonb_array_length(observations) AS told, calls FROM pg_temp.read_on('{"names": ["! one"]}');
RESET ROLE;
RESET kg_graph.max_reply_bytes;
SET ROLE regress_memory;
SELECT pg_temp.call('open_nodes', '{"names": ["! small", "! hub"], "offset": 1}') AS passed_over;
SELECT pg_temp.call('open_nodes', '{"names": ["! small"], "offset": -1}') ->> 'path' AS path;
SELECT pg_temp.call('create_entities', jsonb_build_object('entities', jsonb_build_array(jsonb_build_object('name', 'q', 'entityType', repeat('t', 513), 'observations', '[]'::jsonb)))) ->> 'path' AS path;
SELECT pg_temp.call('delete_entities', '{"entityNames": ["! hub", "! large", "! one", "! small"]}') ->> 'success' AS deleted;

-- of an entity that the caller does not see nothing is touched
RESET ROLE;
CREATE ROLE regress_memory_part;
SELECT FROM kg_grant('memory', 'regress_memory_part', 'write');
CREATE POLICY regress_memory_hidden ON kg_entity AS RESTRICTIVE TO regress_memory_part USING (entity_id <> 'Item 7') WITH CHECK (true);
SET ROLE regress_memory_part;
SELECT pg_temp.call('delete_observations', '{"deletions": [{"entityName": "Item 7", "observations": ["costs 5 or 15"]}, {"entityName": "none", "observations": ["costs 5 or 15"]}]}');
SELECT pg_temp.call('add_observations', '{"observations": [{"entityName": "Item 7", "contents": ["x"]}]}') ->> 'error' AS error;
SELECT pg_temp.call('search_nodes', '{"query": "costs 5"}') AS found, pg_temp.call('open_nodes', '{"names": ["Item 7"]}') AS opened;
SET ROLE regress_memory;
SELECT pg_temp.call('open_nodes', '{"names": ["Item 7"]}') #> '{entities,0,observations}' AS observations;
RESET ROLE;
DROP POLICY regress_memory_hidden ON kg_entity;
SET ROLE regress_memory;

-- a registered tool that calls one that writes is one that writes
SELECT FROM kg_register_tool('{"name": "remember", "version": "1.0.0", "kind": "query", "description": "An entity by its name.",
  "input_schema": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
  "operation": {"tool": "create_entities", "arguments": {"entities": [{"name": {"$arg": "name"}, "entityType": "", "observations": []}]}}}');
SELECT t #> '{annotations,readOnlyHint}' AS only_reads FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'remember';

-- a reader reads
SET ROLE regress_memory_reader;
SELECT string_agg(t ->> 'name', ' ') AS tools FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' IN ('read_graph', 'create_entities', 'delete_relations', 'search_nodes');
SELECT pg_temp.call('create_entities', '{"entities": []}') ->> 'error' AS error;
SELECT kg_call_tool('remember', '{"name": "Reader"}') #>> '{structuredContent,error,code}' AS code;
RESET ROLE;
SET ROLE regress_memory;
-- nothing is written where nothing may be
BEGIN READ ONLY;
SELECT pg_temp.call('create_entities', '{"entities": []}') ->> 'error' AS error;
COMMIT;
SELECT jsonb_path_query_array(kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}') #> '{result,resources}', '$[*].uri') @> '["memory://knowledge-graph"]' AS listed;
SET kg_graph.toolsets = 'catalog';
SELECT kg_call_tool('read_graph', '{}') #>> '{structuredContent,error,code}' AS code;
RESET kg_graph.toolsets;
-- in the middle of a statement that writes it
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('memory', 'entity', '{"name": "Zoe", "entityType": "person"}') RETURNING pg_temp.call('search_nodes', '{"query": "Zoe"}') ->> 'error' AS error;
SELECT pg_temp.call('search_nodes', '{"query": "Zoe"}');

-- what is to be confirmed is asked about first: a value for the same call, once
SET kg_graph.confirm_more = 'deletes';
SELECT pg_temp.call('create_entities', '{"entities": [{"name": "Eve", "entityType": "person", "observations": ["sings"]}]}') #>> '{entities,0,name}' AS created;
CREATE FUNCTION pg_temp.asked(tool text, arguments jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  e jsonb := kg_call_tool(tool, arguments) #> '{structuredContent,error}';
BEGIN
  PERFORM set_config('test.confirm', e ->> 'confirm', false);
  RETURN concat_ws(' | ', e ->> 'code', e ->> 'message', e ->> 'expected', (e ->> 'expires_at')::timestamptz > now());
END
$$;
CREATE FUNCTION pg_temp.agreed(tool text, arguments jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(r #>> '{structuredContent,error,message}', r #>> '{structuredContent,message}', r #>> '{structuredContent,entities,0,name}', r #>> '{structuredContent}') FROM kg_call_tool(tool, arguments || jsonb_build_object('confirm', current_setting('test.confirm'))) r $$;
SELECT t, pg_temp.asked(t, a), pg_temp.agreed(t, a || '{"x": 1}') ~ 'not from a reply' AS others, pg_temp.agreed(t, a) AS done, pg_temp.agreed(t, a) AS again
  FROM (VALUES ('delete_observations', '{"deletions": [{"entityName": "Eve", "observations": ["sings"]}]}'::jsonb), ('delete_relations', '{"relations": [{"from": "Eve", "to": "Zoe", "relationType": "knows"}]}'), ('delete_entities', '{"entityNames": ["Eve"]}')) v(t, a);
SELECT pg_temp.call('open_nodes', '{"names": ["Eve"]}') -> 'entities' AS gone;
SET kg_graph.confirm_more = 'all';
SELECT t, pg_temp.asked(t, a), pg_temp.agreed(t, a) AS done, pg_temp.agreed(t, a) AS again
  FROM (VALUES ('create_entities', '{"entities": [{"name": "Eve", "entityType": "person", "observations": []}]}'::jsonb), ('add_observations', '{"observations": [{"entityName": "Eve", "contents": ["sings"]}]}'), ('create_relations', '{"relations": [{"from": "Eve", "to": "Zoe", "relationType": "knows"}]}')) v(t, a);
-- a user is asked where the client can; a sequence cannot ask
SELECT kg_mcp(m || jsonb_build_object('params', p)) -> 'result' ->> 'resultType' AS result, kg_mcp(m || jsonb_build_object('params', p)) #>> '{result,inputRequests,confirm,params,message}' AS question
  FROM (VALUES ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}'::jsonb, '{"name": "delete_entities", "arguments": {"entityNames": ["Eve"]}, "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}}'::jsonb)) v(m, p);
SELECT kg_register_tool('{"name": "forget_two", "version": "1.0.0", "kind": "sequence", "description": "Forgets two.", "input_schema": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}, "operations": [{"name": "first", "tool": "delete_entities", "arguments": {"entityNames": [{"$arg": "a"}]}}]}') ->> 'verdict' AS registered;
SELECT kg_call_tool('forget_two', '{"a": "Eve"}') #>> '{structuredContent,error,message}' AS message;
RESET kg_graph.confirm_more;
SELECT kg_call_tool('forget_two', '{"a": "Eve"}') #>> '{structuredContent,results,first,message}' AS message;
SELECT pg_temp.call('delete_entities', '{"entityNames": ["Eve"], "confirm": "x"}') ->> 'error' AS not_asked;

-- a query that nobody contains as it is: by its words, rare ones first; near names of one in another case
SELECT FROM kg_call_tool('create_entities', '{"entities": [{"name": "Legros LLC", "entityType": "customer", "observations": ["Prefers deliveries on Tuesdays", "Contact is Tremayne Heaney"]}, {"name": "Tremayne Heaney", "entityType": "person", "observations": ["Account manager"]}]}');
SELECT q, (SELECT jsonb_agg(e -> 'name') FROM jsonb_array_elements(pg_temp.call('search_nodes', jsonb_build_object('query', q)) -> 'entities') e) AS found
  FROM unnest(ARRAY['who is the contact of Legros?', 'heaney legros account', 'manager account', 'legros llc', 'qqq zzzz', 'is of', repeat('legros ', 3)]) q;
SELECT kg_call_tool('add_observations', '{"observations": [{"entityName": "legros LLC", "contents": ["x"]}]}') #> '{structuredContent,error,call,arguments}' AS meant;

RESET ROLE;
SELECT FROM kg_drop_tenant('memory');
DROP OWNED BY regress_memory, regress_memory_reader, regress_memory_part;
DROP ROLE regress_memory, regress_memory_reader, regress_memory_part;
