-- Agents and scope paths: what a caller does not see of its own tenant.
\i test/data/prelude.sql
\set VERBOSITY default
CREATE ROLE agents_gateway LOGIN;
CALL test.tenant('agents_a', 'agents_admin admin', 'agents_reader read');
CALL test.tenant('agents_b');
SELECT kg_grant_gateway('agents_gateway');
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access)
  VALUES ('agents', 'k', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', 'write');

-- two bundles of one tenant, one with scopes; the other tenant has the same names
INSERT INTO kg_bundle(tenant, bundle, version) VALUES
  ('agents_a', 'docs', '1'), ('agents_a', 'staff', '1'), ('agents_b', 'docs', '1');
INSERT INTO kg_entity_type(tenant, bundle, entity_type, schema, schema_hash)
  SELECT tenant, bundle, entity_type, schema::jsonb, md5(schema)
    FROM (VALUES
    ('agents_a', 'docs', 'page', '{"type": "object", "x-id-field": "id", "x-scope-field": "path", "x-label-field": "title", "properties": {"id": {"type": "string"}, "path": {"type": "string"}, "title": {"type": "string"}, "n": {"type": "integer", "x-index": true}, "owner": {"type": "string", "x-ref": "staff/person"}}}'),
    ('agents_a', 'docs', 'tag', '{"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}'),
    ('agents_a', 'staff', 'person', '{"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}'),
    ('agents_b', 'docs', 'page', '{"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}')
  ) t(tenant, bundle, entity_type, schema);
INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES
  ('agents_a', 'staff', 'person', '{"id": "ann"}'),
  ('agents_a', 'docs', 'page', '{"id": "p-1-2", "path": "1/2/", "title": "Two", "n": 1}'),
  ('agents_a', 'docs', 'page', '{"id": "p-1-22", "path": "1/22/", "title": "Twenty-two", "n": 2}'),
  ('agents_a', 'docs', 'page', '{"id": "p-1-2-3", "path": "1/2/3", "title": "Three", "n": 3}'),
  ('agents_a', 'docs', 'page', '{"id": "p-none", "title": "None", "n": 4}'),
  ('agents_a', 'docs', 'tag', '{"id": "t"}'),
  ('agents_b', 'docs', 'page', '{"id": "other"}');
SELECT entity_id, scope IS NULL AS unscoped, scope FROM kg_entity WHERE tenant = 'agents_a' ORDER BY entity_id;

-- Agents are made by admins, of their own tenant, with bundles that exist.
\c - agents_reader
SELECT kg_create_agent('reader');
SELECT kg_bind_agent('reader', 'docs');
\c - agents_admin
SELECT kg_create_agent('writer', '{"title": "Writer", "bundles": ["docs"], "instructions": "Write well."}');
SELECT kg_create_agent('hr', '{"bundles": ["staff"], "toolsets": ["catalog"]}');
SELECT kg_create_agent('all', '{"bundles": ["staff", "docs"]}');
SELECT kg_create_agent('none');
SELECT kg_create_agent('writer');
SELECT kg_create_agent('x', '{"bundles": ["dosc"]}');
SELECT kg_create_agent('x', '{"bundle": ["docs"]}');
SELECT kg_create_agent('x', '{"toolsets": ["everything"]}');
SELECT kg_create_agent('x', '{"tools": "list_page"}');
SELECT kg_create_agent('x', '[]');
SELECT kg_create_agent('');
SELECT kg_create_agent('a b');
SELECT kg_bind_agent('nobody', 'docs');
SELECT kg_bind_agent('none', 'nothing');
SELECT kg_unbind_agent('none', 'docs');
SELECT kg_drop_agent('nobody');
SELECT kg_alter_agent('nobody', '{}');
SELECT kg_create_agent('gone', '{"bundles": ["docs"]}');
SELECT kg_bind_agent('gone', 'staff');
SELECT kg_bind_agent('gone', 'staff');
SELECT bundle, position FROM kg_agent_bundle WHERE agent = 'gone' ORDER BY position;
SELECT kg_unbind_agent('gone', 'docs');
SELECT kg_alter_agent('gone', '{"title": "T", "tools": ["a"], "bundles": ["docs"]}');
SELECT kg_alter_agent('gone', '{"description": "D"}');
SELECT title, description, toolsets, tools, (SELECT array_agg(bundle) FROM kg_agent_bundle b WHERE b.agent = a.agent) FROM kg_agent a WHERE agent = 'gone';
SELECT kg_alter_agent('gone', '{"title": null, "tools": null, "bundles": null}');
SELECT title, description, toolsets, tools, (SELECT array_agg(bundle) FROM kg_agent_bundle b WHERE b.agent = a.agent) FROM kg_agent a WHERE agent = 'gone';
SELECT kg_drop_agent('gone');
UPDATE kg_agent SET title = 'by hand';

-- A role without a token chooses among its tenant's agents, to see less.
\c - agents_reader
CREATE TEMP VIEW seen AS SELECT
  (SELECT string_agg(bundle, ' ' ORDER BY bundle) FROM kg_bundle) AS bundles,
  (SELECT string_agg(entity_type, ' ' ORDER BY entity_type) FROM kg_entity_type) AS types,
  (SELECT string_agg(entity_id, ' ' ORDER BY entity_id) FROM kg_entity) AS entities;
SELECT * FROM seen;
SET kg_graph.agent = 'writer'; SELECT kg_agent(), * FROM seen;
SET kg_graph.agent = 'hr'; SELECT kg_agent(), * FROM seen;
SET kg_graph.agent = 'all'; SELECT kg_agent(), * FROM seen;
SET kg_graph.agent = 'none'; SELECT kg_agent(), * FROM seen;
SET kg_graph.agent = 'nobody'; SELECT * FROM seen;
SELECT kg_agent();
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}');
DO $$
DECLARE
  call text;
BEGIN
  FOREACH call IN ARRAY ARRAY[$c$kg_list('page')$c$, $c$kg_get('page', 'a')$c$, $c$kg_put_entities('page', '[]')$c$, $c$kg_find_nodes('{"node_label": "page"}')$c$, 'kg_list_tools()', $c$kg_call_tool('list_page') #> '{structuredContent,error,message}'$c$,
    $c$kg_apply_bundle('{"bundle_name": "x", "version": "1"}')$c$, $c$kg_history('page', 'a')$c$, 'kg_verify(''{}'')'] LOOP
    BEGIN
      EXECUTE 'SELECT ' || call INTO call;
    EXCEPTION WHEN OTHERS THEN
      call := call || ': ' || SQLSTATE || ' ' || SQLERRM;
    END;
    RAISE INFO '%', call;
  END LOOP;
END $$;
RESET kg_graph.agent;

\c - :owner
SELECT kg_issue_token('{"tenant": "agents_a", "agent": "writer"}') AS writer,
       kg_issue_token('{"tenant": "agents_a", "agent": "hr"}') AS hr,
       kg_issue_token('{"tenant": "agents_a", "agent": "all"}') AS everything,
       kg_issue_token('{"tenant": "agents_b"}') AS other,
       kg_issue_token('{"tenant": "agents_b", "agent": "writer"}') AS not_theirs,
       kg_issue_token('{"tenant": "agents_a", "traversal_ids": []}') AS no_path,
       kg_issue_token('{"tenant": "agents_a", "traversal_ids": ["1/2/"]}') AS two,
       kg_issue_token('{"tenant": "agents_a", "traversal_ids": ["1/22/", {"path": "9/", "access_levels": [30]}]}') AS twenty_two,
       kg_issue_token('{"tenant": "agents_a", "traversal_ids": ["1/"], "agent": "writer"}') AS one \gset

-- One connection, as a pool in transaction mode hands it round.
\c - agents_gateway
CREATE TEMP VIEW seen AS SELECT
  kg_tenant() AS tenant,
  (SELECT string_agg(bundle, ' ' ORDER BY bundle) FROM kg_bundle) AS bundles,
  (SELECT string_agg(entity_id, ' ' ORDER BY entity_id) FROM kg_entity) AS entities,
  (SELECT count(*) FROM kg_index_key) AS keys,
  (SELECT count(*) FROM kg_term) > 0 AS terms,
  (SELECT count(*) FROM kg_edge) AS edges;
PREPARE seen AS SELECT * FROM seen;
PREPARE resources AS SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}') #> '{result,resources}' @? '$[*] ? (@.uri == "kg://bundle/staff")' AS lists_staff;
BEGIN; SELECT kg_login(:'writer'); EXECUTE seen; EXECUTE resources; COMMIT;
BEGIN; SELECT kg_login(:'hr'); EXECUTE seen; EXECUTE resources; COMMIT;
BEGIN; SELECT kg_login(:'other'); EXECUTE seen; EXECUTE resources; COMMIT;
BEGIN; SELECT kg_login(:'everything'); EXECUTE seen; EXECUTE resources; COMMIT;
EXECUTE seen;
BEGIN; SELECT kg_login(:'writer'); ROLLBACK; EXECUTE seen;
BEGIN; SELECT kg_login(:'not_theirs'); ROLLBACK;
-- Scope paths: none, one that is no prefix of its neighbour, two, with an agent.
BEGIN; SELECT kg_login(:'no_path'); EXECUTE seen; COMMIT;
BEGIN; SELECT kg_login(:'two'); EXECUTE seen; COMMIT;
BEGIN; SELECT kg_login(:'twenty_two'); EXECUTE seen; COMMIT;
BEGIN; SELECT kg_login(:'one'); EXECUTE seen; COMMIT;
-- An entity by its handle, as the resource: seen, hidden by scope, by agent, of another tenant.
CREATE FUNCTION pg_temp.entity(handle text) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(r #>> '{result,contents,0,text}', r #>> '{error,message}') FROM kg_mcp(jsonb_build_object(
    'jsonrpc', '2.0', 'id', 1, 'method', 'resources/read', 'params', jsonb_build_object('uri', 'kg://entity/' || handle))) r $$;
BEGIN; SELECT kg_login(:'two'); SELECT pg_temp.entity('page:p-1-2'), pg_temp.entity('page:p-1-22'), pg_temp.entity('page:p-none'), pg_temp.entity('page:nowhere'); COMMIT;
BEGIN; SELECT kg_login(:'writer'); SELECT pg_temp.entity('page:p-1-22'), pg_temp.entity('person:ann'), pg_temp.entity('page:other'); COMMIT;
BEGIN; SELECT kg_login(:'other'); SELECT pg_temp.entity('page:p-1-22'), pg_temp.entity('page:other'); COMMIT;
-- Completion knows what the caller knows: by id, by label.
CREATE FUNCTION pg_temp.complete(typed text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_mcp(jsonb_build_object('jsonrpc', '2.0', 'id', 1, 'method', 'completion/complete', 'params', jsonb_build_object(
    'ref', jsonb_build_object('type', 'ref/resource', 'uri', 'kg://entity/{handle}'),
    'argument', jsonb_build_object('name', 'handle', 'value', typed)))) #> '{result,completion,values}' $$;
BEGIN; SELECT kg_login(:'writer'); SELECT pg_temp.complete('page:p'), pg_temp.complete('tw'), pg_temp.complete('p'); COMMIT;
BEGIN; SELECT kg_login(:'two'); SELECT pg_temp.complete('page:p'), pg_temp.complete('tw'), pg_temp.complete('page:tw'); COMMIT;
BEGIN; SELECT kg_login(:'hr'); SELECT pg_temp.complete('page:p'), pg_temp.complete('tw'), pg_temp.complete('p'); COMMIT;
BEGIN; SELECT kg_login(:'other'); SELECT pg_temp.complete('page:'), pg_temp.complete('tw'); COMMIT;

-- The prompt of the agent: its instructions and its bundles only.
BEGIN; SELECT kg_login(:'writer');
SELECT t ~ 'Write well' AS own_instructions, t ~ 'bundle docs' AS docs, t ~ 'staff|person' AS staff, t ~ '- page' AS page, t ~ 'filter by: n \(integer\)' AS filter
  FROM kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "knowledge_graph"}}') r, LATERAL (SELECT r #>> '{result,messages,0,content,text}' AS t) x;
COMMIT;

-- A writer with scope paths does not write what it could not read.
\c - :owner
GRANT INSERT, UPDATE, DELETE ON kg_entity TO agents_gateway;
GRANT USAGE ON SEQUENCE kg_node_seq TO agents_gateway;
\c - agents_gateway
\set VERBOSITY terse
BEGIN; SELECT kg_login(:'two'); INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('agents_a', 'docs', 'page', '{"id": "new", "path": "1/22/"}'); ROLLBACK;
BEGIN; SELECT kg_login(:'two'); INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('agents_a', 'docs', 'page', '{"id": "new", "path": "1/2/"}'); SELECT entity_id FROM kg_entity WHERE entity_id = 'new'; ROLLBACK;
BEGIN; SELECT kg_login(:'two'); UPDATE kg_entity SET data = data || '{"path": "1/22/"}' WHERE entity_id = 'p-1-2'; ROLLBACK;
BEGIN; SELECT kg_login(:'two'); DELETE FROM kg_entity WHERE entity_id = 'p-1-22'; ROLLBACK;
BEGIN; SELECT kg_login(:'writer'); DELETE FROM kg_entity WHERE entity_id = 'ann'; ROLLBACK;
\set VERBOSITY default

-- What is dropped takes its bindings along; a change is seen at once.
\c - agents_gateway
BEGIN; SELECT kg_login(:'writer'); SELECT string_agg(bundle, ' ') FROM kg_bundle; COMMIT;
\c - agents_admin
SELECT kg_bind_agent('writer', 'staff');
\c - agents_gateway
BEGIN; SELECT kg_login(:'writer'); SELECT string_agg(bundle, ' ' ORDER BY bundle) FROM kg_bundle; COMMIT;
\c - agents_admin
SELECT kg_drop_agent('writer');
SELECT count(*) FROM kg_agent_bundle WHERE agent = 'writer';
\c - agents_gateway
BEGIN; SELECT kg_login(:'writer'); ROLLBACK;

\c - :owner
DELETE FROM kg_auth_key;
SELECT kg_drop_tenant('agents_a');
SELECT kg_drop_tenant('agents_b');
SELECT count(*) FROM kg_agent;
SELECT kg_revoke_gateway('agents_gateway');
DROP OWNED BY agents_gateway, agents_admin, agents_reader;
DROP ROLE agents_gateway, agents_admin, agents_reader;
