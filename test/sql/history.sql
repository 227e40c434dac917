-- Former states of entities: x-history, kg_history(), kg_revert(), and versions that
-- never start again.
\i test/data/prelude.sql
CALL test.tenant('history', 'history_admin admin', 'history_writer write', 'history_reader read');
CALL test.tenant('history2', 'history_other admin');
-- Numbers and times differ from run to run.
CREATE FUNCTION public.told(reply jsonb) RETURNS SETOF jsonb LANGUAGE sql AS $$
  SELECT c - 'change' - 'transaction' - 'at' FROM jsonb_array_elements(reply -> 'changes') c $$;
CREATE FUNCTION public.change_of(type text, id text, n int DEFAULT 0) RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_history(type, id) -> 'changes' -> n -> 'change' $$;
CREATE FUNCTION public.said(call text) RETURNS text LANGUAGE sql AS $$ SELECT test.said(call, 'code', 'path', 'allowed') $$;
SET ROLE history_admin;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
  {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {
    "id": {"type": "string"}, "tier": {"enum": ["premium", "budget"], "x-index": true}, "price": {"type": "number"}, "area": {"type": "string"}}}},
  {"entity_type": "lamp", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {
    "id": {"type": "string"}, "brand": {"type": ["string", "null"], "x-ref": "brand", "x-on-delete": "set_null"}}}},
  {"entity_type": "bulb", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {
    "id": {"type": "string"}, "lamp": {"type": "string", "x-ref": "lamp", "x-on-delete": "cascade"}}}},
  {"entity_type": "plain", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}}}],
  "entities": [{"entity_type": "brand", "items": [{"id": "north", "tier": "premium"}]},
    {"entity_type": "lamp", "items": [{"id": "l1", "brand": "north"}]}, {"entity_type": "bulb", "items": [{"id": "b1", "lamp": "l1"}]}]}') ? 'revision' AS applied;
SELECT kg_export_bundle('shop') -> 'schemas' -> 0 -> 'schema' -> 'x-history' AS exported;
SELECT said($$kg_apply_bundle('{"bundle_name": "bad", "version": "1", "schemas": [{"entity_type": "bad", "schema": {"type": "object", "x-id-field": "id", "x-history": "yes", "properties": {"id": {"type": "string"}}}}]}')$$);

-- Writes by a bundle, by plain SQL and by kg_put_entities(). An equal document is no
-- change, but 1.0 instead of 1.00 is one.
SET ROLE history_writer;
UPDATE kg_entity SET data = data || '{"tier": "budget", "price": 1.0}' WHERE entity_id = 'north';
UPDATE kg_entity SET data = data WHERE entity_id = 'north';
UPDATE kg_entity SET data = data || '{"price": 1.00}' WHERE entity_id = 'north';
SELECT kg_put_entities('brand', '[{"id": "north", "price": 2}, {"id": "south"}]') -> 'counts' AS put;
SELECT said($$kg_put_entities('brand', '[{"id": "south", "tier": "none"}, {"id": "east", "tier": "budget"}]') -> 'counts'$$);
SET ROLE history_reader;
SELECT told(kg_history('brand', 'north'));
SELECT count(DISTINCT c -> 'transaction') AS transactions, count(DISTINCT c -> 'change') AS changes FROM jsonb_array_elements(kg_history('brand', 'north') -> 'changes') c;
SELECT bool_and((c ->> 'at')::timestamptz <= clock_timestamp()) AS passed FROM jsonb_array_elements(kg_history('brand', 'north') -> 'changes') c;

-- Pages.
SELECT kg_history('brand', 'north', '{"limit": 2}') - 'changes' #- '{next,cursor}' AS page;
SELECT told(kg_history('brand', 'north', kg_history('brand', 'north', '{"limit": 2}') -> 'next'));
SELECT said($$kg_history('brand', 'south', kg_history('brand', 'north', '{"limit": 2}') -> 'next' || '{"id": "south"}')$$) LIKE '22023%cursor%' AS bound_to_the_entity;
SELECT said($$kg_history('plain', 'none')$$);
SELECT said($$kg_history('none', 'none')$$);
SELECT said($$kg_history('brand', 'north', '{"limit": 0}')$$);
SELECT said($$kg_history('brand', 'north', '{"other": 0}')$$);
SELECT kg_history('brand', 'nobody');
SELECT said($$kg_revert('1')$$);

-- What was, at a time.
SET ROLE history_writer;
RESET ROLE;
CREATE FUNCTION public.got_at(id text, n int) RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_call_tool('get_brand', jsonb_build_object('ids', jsonb_build_array(id, 'south'), 'as_of', kg_history('brand', id) -> 'changes' -> n -> 'at')) #> '{structuredContent}' $$;
CREATE FUNCTION public.refused(tool text, arguments jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(r #>> '{structuredContent,error,message}', r #>> '{structuredContent,message}', r #>> '{content,0,text}') FROM kg_call_tool(tool, arguments) r $$;
SET ROLE history_writer;
SELECT n, got_at('north', n) -> 'entities' AS entities, got_at('north', n) -> 'not_found' AS not_found FROM generate_series(0, 3) n;
SELECT kg_call_tool('get_brand', jsonb_build_object('id', 'north', 'fields', '["tier"]'::jsonb, 'as_of', clock_timestamp())) #> '{structuredContent,entity}' AS now;
SELECT refused('get_brand', jsonb_build_object('id', 'north', 'as_of', to_char(clock_timestamp() + '2 days', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))) AS future;
SELECT t, refused('get_brand', jsonb_build_object('id', 'north', 'as_of', t)) AS refused
  FROM unnest(ARRAY['2020-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '2020-01-01', 'now', '']) t;
SELECT refused('get_plain', '{"id": "p", "as_of": "2020-01-01T00:00:00Z"}') AS no_history;
SELECT refused('list_brand', '{"as_of": "2020-01-01T00:00:00Z"}') AS too_early;
RESET ROLE;
DROP FUNCTION public.got_at(text, int), public.refused(text, jsonb);
SET ROLE history_reader;

-- Versions never start again, with history and without.
SET ROLE history_writer;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'plain', '{"id": "p"}');
UPDATE kg_entity SET data = data || '{"n": 1}' WHERE entity_id = 'p';
DELETE FROM kg_entity WHERE entity_id = 'p';
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'plain', '{"id": "p"}'), ('shop', 'plain', '{"id": "q"}');
SELECT entity_id, version FROM kg_entity WHERE entity_type = 'plain' ORDER BY 1;
UPDATE kg_entity SET data = '{"id": "r"}' WHERE entity_id = 'p';
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'plain', '{"id": "p"}');
RESET ROLE;
INSERT INTO kg_entity(tenant, bundle, entity_type, data, version) VALUES ('history', 'shop', 'plain', '{"id": "s"}', 5);
DELETE FROM kg_entity WHERE entity_id = 's';
INSERT INTO kg_entity(tenant, bundle, entity_type, data, version) VALUES ('history', 'shop', 'plain', '{"id": "s"}', 2);
SET ROLE history_writer;
SELECT entity_id, version FROM kg_entity WHERE entity_type = 'plain' ORDER BY 1;
-- it is that version from the start: what RETURNING tells
DELETE FROM kg_entity WHERE entity_type = 'plain' AND entity_id = 's';
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'plain', '{"id": "s"}'), ('shop', 'plain', '{"id": "never"}') RETURNING entity_id, version;
DELETE FROM kg_entity WHERE entity_type = 'plain' AND entity_id = 'never';
DELETE FROM kg_entity WHERE entity_id = 'south';
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'brand', '{"id": "south"}');
UPDATE kg_entity SET data = '{"id": "west"}' WHERE entity_id = 'south';
SELECT told(kg_history('brand', 'south'));
SELECT told(kg_history('brand', 'west'));
-- Also where the one that frees it is in the same transaction, or rolled back.
BEGIN;
DELETE FROM kg_entity WHERE entity_id = 'west';
SAVEPOINT s;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'brand', '{"id": "west", "area": "a"}');
ROLLBACK TO s;
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'brand', '{"id": "west", "area": "b"}');
COMMIT;
SELECT told(kg_history('brand', 'west', '{"limit": 2}'));
SELECT version FROM kg_entity WHERE entity_id = 'west';

-- A reason is short: one that is longer than a reply would hide all changes before it.
SELECT said(c) FROM unnest(ARRAY[$$kg_update_entities('brand', '[]', jsonb_build_object('reason', repeat('x', 1001)))$$, $$kg_put_entities('brand', '[]', '{"reason": 7}')$$, $$kg_delete_entities('brand', '{}', jsonb_build_object('reason', repeat('é', 1001)))$$,
  $$kg_put_edges('[]', jsonb_build_object('reason', repeat('x', 5000000)))$$, $$kg_merge('brand', 'north', '{west}', jsonb_build_object('reason', repeat('x', 1001)))$$, $$kg_revert('1', jsonb_build_object('reason', repeat('x', 1001)))$$,
  $$kg_update_entities('brand', '[]', jsonb_build_object('reason', repeat('é', 1000))) -> 'counts'$$]) c;
SET kg_graph.toolsets = 'write';
SELECT kg_call_tool('undo', jsonb_build_object('change', 1, 'reason', repeat('x', 1001))) #>> '{structuredContent,error,expected}' AS expected;
RESET kg_graph.toolsets;

-- What goes with an entity, and back again: in one transaction.
DELETE FROM kg_entity WHERE entity_id = 'north';
SELECT told(kg_history('brand', 'north', '{"limit": 1}'));
SELECT told(kg_history('lamp', 'l1', '{"limit": 1}'));
SELECT kg_revert(jsonb_build_object('transaction', kg_history('brand', 'north') #> '{changes,0,transaction}'), '{"dry_run": true}');
SELECT data FROM kg_entity WHERE entity_type IN ('brand', 'lamp') ORDER BY entity_id;
SELECT kg_revert(jsonb_build_object('transaction', kg_history('brand', 'north') #> '{changes,0,transaction}'), '{"reason": "it was a mistake"}');
SELECT data FROM kg_entity WHERE entity_type IN ('brand', 'lamp') ORDER BY entity_id;
SELECT told(kg_history('brand', 'north', '{"limit": 1}'));
-- Undo of the undo.
SELECT kg_revert(jsonb_build_object('transaction', kg_history('brand', 'north') #> '{changes,0,transaction}'));
SELECT data FROM kg_entity WHERE entity_type IN ('brand', 'lamp') ORDER BY entity_id;
SELECT kg_revert(change_of('brand', 'north', 0));
SELECT kg_revert(change_of('lamp', 'l1', 0));

-- By value: what others changed since is not undone.
UPDATE kg_entity SET data = data || '{"area": "one"}' WHERE entity_id = 'north';
UPDATE kg_entity SET data = data || '{"tier": "budget"}' WHERE entity_id = 'north';
UPDATE kg_entity SET data = data || '{"area": "two"}' WHERE entity_id = 'north';
SELECT said($$kg_revert(change_of('brand', 'north', 2))$$);
SELECT kg_revert(change_of('brand', 'north', 1)), (SELECT data FROM kg_entity WHERE entity_id = 'north');
SELECT data FROM kg_entity WHERE entity_id = 'north';
SELECT kg_revert(jsonb_build_array(change_of('brand', 'north', 1), change_of('brand', 'north', 3)));
SELECT data FROM kg_entity WHERE entity_id = 'north';
SELECT said($$kg_revert(change_of('brand', 'north', jsonb_array_length(kg_history('brand', 'north') -> 'changes') - 1))$$);
-- A creation is undone by a deletion, which references may forbid.
SELECT kg_put_entities('brand', '[{"id": "new"}]') -> 'counts' AS put;
SELECT kg_revert(change_of('brand', 'new')) -> 'counts' AS undone;
SELECT said($$kg_revert(change_of('brand', 'new', 1))$$);
SELECT kg_revert(change_of('brand', 'new')) -> 'counts' AS undone;
SELECT version FROM kg_entity WHERE entity_id = 'new';
SELECT said($$kg_revert('[]')$$);
SELECT said($$kg_revert('"x"')$$);
SELECT said($$kg_revert('[999999999]')$$);
SELECT said($$kg_revert('{"transaction": 999999999}')$$);
SELECT said($$kg_revert('1', '{"dry": true}')$$);
SELECT said(format('kg_revert(%L)', change_of('brand', 'new'))) FROM (SELECT set_config('role', 'history_reader', false)) r;
-- A reference that would dangle.
SET ROLE history_writer;
SELECT kg_put_entities('lamp', '[{"id": "l1", "brand": null}]') -> 'counts' AS put;
SELECT kg_put_entities('lamp', '[{"id": "l2", "brand": "new"}]') -> 'counts' AS put;
SELECT kg_delete_entities('lamp', '{l2}') -> 'counts' AS gone, kg_delete_entities('brand', '{new}') -> 'counts' AS gone2;
SELECT said($$kg_revert(change_of('lamp', 'l2'))$$);
SELECT said($$kg_revert(change_of('lamp', 'l2'), '{"dry_run": true}')$$);
SELECT kg_revert(jsonb_build_array(change_of('lamp', 'l2'), change_of('brand', 'new'))) -> 'counts' AS both;

-- Across a change of the schema.
SELECT kg_put_entities('brand', '[{"id": "north", "tier": "budget"}]') -> 'counts' AS put, kg_delete_entities('brand', '{east}') -> 'counts' AS gone;
SELECT kg_put_entities('brand', '[{"id": "north", "tier": "premium"}]') -> 'counts' AS put;
SET ROLE history_admin;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "2", "schemas": [
  {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {
    "id": {"type": "string"}, "tier": {"enum": ["premium"], "x-index": true}, "price": {"type": "number"}, "area": {"type": "string"}}}}],
  "entities": [{"entity_type": "brand", "items": [{"id": "north", "tier": "premium"}]}]}', '{"mode": "merge"}') ? 'revision' AS applied;
SELECT said(format('kg_revert(%L)', (SELECT c -> 'change' FROM jsonb_array_elements(kg_history('brand', 'north') -> 'changes') c WHERE c -> 'before' ? 'tier' AND c -> 'before' ->> 'tier' = 'budget' LIMIT 1)));

-- Other tenants, and plain SQL.
SELECT count(*) > 20 AS own FROM kg_history;
SELECT said('(SELECT count(*) FROM kg_freed)') AS freed;
SELECT said($$(WITH x AS (DELETE FROM kg_history RETURNING 1) SELECT count(*) FROM x)$$);
SET ROLE history_other;
SELECT count(*) FROM kg_history;
SELECT said($$kg_history('brand', 'north')$$);

-- Pruning is for admins; what is left is told.
SET ROLE history_writer;
SELECT said($$kg_prune_history(now())$$);
SET ROLE history_admin;
SELECT said($$kg_prune_history(now() + '1 hour')$$);
SELECT kg_prune_history('2020-01-01');
SELECT kg_prune_history(clock_timestamp()) > 20 AS pruned;
SELECT count(*) FROM kg_history;
SELECT told(kg_history('brand', 'north'));
UPDATE kg_entity SET data = data || '{"area": "last"}' WHERE entity_id = 'north';
SELECT told(kg_history('brand', 'north'));

-- A caller that sees a part of the tenant: an entity that is hidden now has no
-- history, and an image that was hidden is not shown. A deleted entity is visible if
-- its last image is.
SET ROLE history_admin;
SELECT kg_apply_bundle('{"bundle_name": "files", "version": "1", "schemas": [
  {"entity_type": "file", "schema": {"type": "object", "x-id-field": "id", "x-scope-field": "path", "x-history": true, "properties": {
    "id": {"type": "string"}, "path": {"type": "string"}, "n": {"type": "integer"}}}}]}') ? 'revision' AS applied;
SELECT kg_create_agent('shopper', '{"bundles": ["shop"]}');
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('files', 'file', '{"id": "stays", "path": "1/"}'), ('files', 'file', '{"id": "left", "path": "1/"}'), ('files', 'file', '{"id": "came", "path": "2/"}'),
  ('files', 'file', '{"id": "gone", "path": "1/"}'), ('files', 'file', '{"id": "hidden", "path": "2/"}'), ('files', 'file', '{"id": "between", "path": "1/"}');
UPDATE kg_entity SET data = data || '{"path": "2/"}' WHERE entity_id IN ('left', 'between');
UPDATE kg_entity SET data = data || '{"path": "1/"}' WHERE entity_id IN ('came', 'between');
UPDATE kg_entity SET data = data || '{"n": 1}' WHERE entity_type = 'file';
DELETE FROM kg_entity WHERE entity_id IN ('gone', 'hidden');
RESET ROLE;
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('https://history', 'h', 'HS256', 'historyhistoryhistoryhistoryhistory', 'kg', 'read');
SELECT kg_issue_token('{"tenant": "history", "access": "write", "sub": "ada", "traversal_ids": ["1/"]}') AS token \gset
GRANT EXECUTE ON FUNCTION kg_login(text, boolean) TO history_reader;
SET ROLE history_reader;
BEGIN;
SELECT kg_login(:'token') IS NOT NULL AS logged_in;
SELECT i, array(SELECT c ->> 'version' FROM jsonb_array_elements(kg_history('file', i) -> 'changes') c) AS versions FROM unnest(ARRAY['stays', 'left', 'came', 'gone', 'hidden', 'between']) i;
SELECT count(*) FROM kg_history;
COMMIT;
SET ROLE history_writer;
SET kg_graph.agent = 'shopper';
SELECT said($$kg_history('file', 'stays')$$);
SELECT count(*) FROM kg_history;
RESET kg_graph.agent;
RESET ROLE;
-- Under a policy of the DBA's own nothing is told that it was not asked about.
SELECT kg_add_policy('own_history', 'kg_entity', 'data ->> ''id'' <> ''stays''', roles => '{history_writer}');
SET ROLE history_writer;
SELECT jsonb_array_length(kg_history('file', 'came') -> 'changes') AS told;
SELECT count(*) FROM kg_history;
RESET ROLE;
SELECT kg_drop_policy('own_history');
SET ROLE history_admin;

-- Off: nothing more is written, what is there stays.
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "3", "schemas": [
  {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "area": {"type": "string"}, "tier": {"type": "string"}}}}]}', '{"mode": "merge"}') ? 'revision' AS applied;
UPDATE kg_entity SET data = data || '{"area": "off"}' WHERE entity_id = 'north';
SELECT told(kg_history('brand', 'north'));
-- The history goes with its type, and with the tenant.
SELECT kg_drop_bundle('files') ? 'entities' AS files;
SELECT kg_drop_bundle('shop') ? 'entities' AS dropped;
SELECT count(*) FROM kg_history;
RESET ROLE;
DELETE FROM kg_auth_key WHERE issuer = 'https://history';
REVOKE EXECUTE ON FUNCTION kg_login(text, boolean) FROM history_reader;
SELECT count(*) FROM kg_freed WHERE tenant = 'history';
-- What somebody else decides is decided of each image, and of what is now.
SELECT kg_grant('history2', current_user::text, 'admin');
SELECT kg_apply_bundle('{"bundle_name": "code", "version": "1", "entities": [], "schemas": [{"entity_type": "issue", "schema": {"type": "object", "x-id-field": "id", "x-history": true,
  "x-authorize": {"ability": "read_issue", "resource_type": "project", "id": "project"}, "properties": {"id": {"type": "string"}, "project": {"type": "string"}, "n": {"type": "integer"}}}}]}') ? 'revision' AS applied;
CREATE FUNCTION public.history_decide(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS $$ SELECT u, u = 'open' FROM unnest(ids) u $$;
SELECT kg_set_authorizer('history2', 'history_decide(text, text, text[])');
-- As who sees all of it.
INSERT INTO kg_entity(tenant, bundle, entity_type, data) SELECT 'history2', 'code', 'issue', d
  FROM unnest(ARRAY['{"id": "ok", "project": "open"}', '{"id": "moved", "project": "open"}', '{"id": "came", "project": "secret"}', '{"id": "gone", "project": "open"}', '{"id": "hidden", "project": "secret"}']::jsonb[]) d;
UPDATE kg_entity SET data = data || '{"n": 1}' WHERE tenant = 'history2';
UPDATE kg_entity SET data = data || '{"project": "secret"}' WHERE tenant = 'history2' AND entity_id = 'moved';
UPDATE kg_entity SET data = data || '{"project": "open"}' WHERE tenant = 'history2' AND entity_id = 'came';
UPDATE kg_entity SET data = data || '{"n": 2}' WHERE tenant = 'history2' AND entity_id = 'came';
DELETE FROM kg_entity WHERE tenant = 'history2' AND entity_id IN ('gone', 'hidden');
SET ROLE history_other;
SELECT i, array(SELECT c ->> 'version' FROM jsonb_array_elements(kg_history('issue', i) -> 'changes') c) AS versions FROM unnest(ARRAY['ok', 'moved', 'came', 'gone', 'hidden']) i;
SELECT kg_call_tool('get_issue', jsonb_build_object('ids', '["ok", "moved", "came", "gone", "hidden"]'::jsonb, 'as_of', kg_history('issue', 'ok') #> '{changes,0,at}')) #> '{structuredContent,not_found}' AS not_found;
SELECT count(*) FROM kg_history;
RESET ROLE;
SELECT kg_set_authorizer('history2', NULL);
-- A clock that was set back after a deletion: what is made again then comes no earlier.
UPDATE kg_history SET at = at + '1 hour' WHERE tenant = 'history2' AND entity_id = 'gone' AND verdict = 'deleted';
INSERT INTO kg_entity(tenant, bundle, entity_type, data) VALUES ('history2', 'code', 'issue', '{"id": "gone", "project": "open"}');
SELECT array_agg(verdict ORDER BY change) AS verdicts, array_agg(at ORDER BY change) = array_agg(at ORDER BY at) AS ordered FROM kg_history WHERE tenant = 'history2' AND entity_id = 'gone';
DROP FUNCTION public.history_decide(text, text, text[]);
SELECT kg_drop_tenant('history'), kg_drop_tenant('history2');
SELECT count(*) FROM kg_history WHERE tenant LIKE 'history%';
DROP FUNCTION public.told(jsonb), public.change_of(text, text, int), public.said(text);
DROP ROLE history_admin, history_writer, history_reader, history_other;
