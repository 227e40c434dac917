-- Former states of edges: history of relations, kg_history() of edges, kg_revert().
\i test/data/prelude.sql
CALL test.tenant('edge_history', 'edge_history_admin admin', 'edge_history_writer write', 'edge_history_reader read');
CALL test.tenant('edge_history2', 'edge_history_other admin');
-- Numbers and times differ from run to run.
CREATE SCHEMA edge_history;
GRANT USAGE ON SCHEMA edge_history TO PUBLIC;
CREATE FUNCTION edge_history.told(reply jsonb) RETURNS SETOF jsonb LANGUAGE sql AS $$
  SELECT c - 'change' - 'transaction' - 'at' - 'by' FROM jsonb_array_elements(reply -> 'changes') c $$;
CREATE FUNCTION edge_history.change_of(relation text, edge jsonb, n int DEFAULT 0) RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_history(relation, edge) -> 'changes' -> n -> 'change' $$;
CREATE FUNCTION edge_history.said(call text) RETURNS text LANGUAGE sql AS $$ SELECT test.said(call, 'code', 'path', 'allowed') $$;
SET search_path = public, edge_history;
SET ROLE edge_history_admin;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
  {"entity_type": "maker", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"}}}},
  {"entity_type": "part", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {
    "id": {"type": "string"}, "maker": {"type": "string", "x-ref": "maker", "x-on-delete": "cascade"}, "n": {"type": "integer"}}}},
  {"entity_type": "plain", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "maker": {"type": "string", "x-ref": "maker"}}}}],
 "relations": [
  {"name": "NEEDS", "from": "part", "to": "part", "history": true, "schema": {"type": "object", "properties": {"n": {"type": "number"}, "why": {"type": "string"}}}},
  {"name": "FITS", "from": "part", "to": "part", "history": true, "symmetric": true},
  {"name": "WANTS", "from": "part", "to": "part", "history": true, "key": ["lang"], "schema": {"type": "object", "properties": {"lang": {"type": "string"}, "n": {"type": "integer"}}}},
  {"name": "LIKES", "from": "part", "to": "part"}],
 "entities": [{"entity_type": "maker", "items": [{"id": "m1"}, {"id": "m2"}]},
  {"entity_type": "part", "items": [{"id": "p1", "maker": "m1"}, {"id": "p2", "maker": "m1"}, {"id": "p3"}]}],
 "edges": [{"relation": "NEEDS", "from": "part:p1", "to": "part:p2", "properties": {"n": 1, "why": "a"}}]}') ? 'revision' AS applied;
SELECT jsonb_path_query_array(kg_export_bundle('shop'), '$.relations[*] ? (@.history == true).name') AS exported;
SELECT said($$kg_apply_bundle('{"bundle_name": "bad", "version": "1", "schemas": [{"entity_type": "bad", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "relations": [{"name": "BADLY", "from": "bad", "to": "bad", "history": "yes"}]}')$$);

-- Every way to write: a bundle, puts, plain SQL, another identity, deletions.
SET ROLE edge_history_writer;
SELECT kg_put_edges('[{"relation": "NEEDS", "from": "p1", "to": "p2", "properties": {"n": 1.0, "why": "a"}}, {"relation": "NEEDS", "from": "p2", "to": "p3"},
  {"relation": "LIKES", "from": "p2", "to": "p3"}, {"relation": "FITS", "from": "p3", "to": "p1"}]') -> 'counts' AS put;
UPDATE kg_edge SET properties = '{"n": 2, "why": "a"}' WHERE properties ->> 'why' = 'a';
UPDATE kg_edge SET properties = properties WHERE properties ->> 'why' = 'a';
SELECT kg_put_edges('[{"relation": "WANTS", "from": "p1", "to": "p2", "properties": {"lang": "de", "n": 1}}, {"relation": "WANTS", "from": "p1", "to": "p2", "properties": {"lang": "fr"}}]') -> 'counts' AS put;
SELECT kg_put_edges('[{"relation": "WANTS", "from": "p1", "to": "p2", "properties": {"lang": "de", "n": 2}}]') -> 'counts' AS put;
SELECT kg_delete_edges('[{"relation": "WANTS", "from": "p1", "to": "p2", "properties": {"lang": "fr"}}, {"relation": "LIKES", "from": "p2", "to": "p3"}]') -> 'counts' AS deleted;
SET ROLE edge_history_reader;
SELECT told(kg_history('NEEDS', '{"from": "p1", "to": "p2"}'));
SELECT told(kg_history('NEEDS', '{"from": "part:p2", "to": "p3"}'::jsonb));
SELECT told(kg_history('WANTS', '{"from": "p1", "to": "p2"}'));
SELECT told(kg_history('WANTS', '{"from": "p1", "to": "p2", "key": "fr"}'));
-- A symmetric one is found either way.
SELECT told(kg_history('FITS', '{"from": "p1", "to": "p3"}'));
SELECT told(kg_history('shop/FITS', '{"from": "p3", "to": "p1"}'));
-- Pages.
SELECT kg_history('NEEDS', '{"from": "p1", "to": "p2"}', '{"limit": 2}') - 'changes' #- '{next,cursor}' AS page;
SELECT told(kg_history('NEEDS', kg_history('NEEDS', '{"from": "p1", "to": "p2"}', '{"limit": 2}') -> 'next'));
SELECT said(format('kg_history(%L, %L, %L)', c[1], c[2], c[3])) FROM (VALUES (ARRAY['LIKES', '{"from": "p1", "to": "p2"}', '{}']), (ARRAY['NEED', '{"from": "p1", "to": "p2"}', '{}']),
  (ARRAY['NEEDS', '{"from": "p1"}', '{}']), (ARRAY['NEEDS', '{"from": 1, "to": "p2"}', '{}']), (ARRAY['NEEDS', '{"from": "p1", "to": "p9"}', '{}']), (ARRAY['NEEDS', '{"from": "p1", "to": "maker:m1"}', '{}']),
  (ARRAY['NEEDS', '{"from": "p1", "to": "p2", "other": 1}', '{}']), (ARRAY['NEEDS', '{"from": "p1", "to": "p2"}', '{"limit": 0}']), (ARRAY['NEEDS', 'p1', '{}'])) AS v(c);
SELECT kg_history('NEEDS', '{');
-- Derived ones go with the types that refer: all of them, or the relation has none.
SELECT said($$kg_history('MAKER', '{"from": "part:p1", "to": "m1"}')$$);
SELECT relation, from_type, history_since IS NOT NULL AS keeps FROM kg_relation WHERE tenant = 'edge_history' ORDER BY relation COLLATE "C", from_type;
SET ROLE edge_history_admin;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "2", "schemas": [{"entity_type": "plain", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"}, "maker": {"type": "string", "x-ref": "maker"}}}}]}', '{"mode": "merge"}') ? 'revision' AS applied;
SET ROLE edge_history_writer;
SELECT kg_put_entities('part', '[{"id": "p1", "maker": "m2"}]') -> 'counts' AS put;
SELECT told(kg_history('MAKER', '{"from": "part:p1", "to": "m2"}'));
SELECT told(kg_history('MAKER', '{"from": "part:p1", "to": "m1"}'));
SELECT said($$kg_revert(change_of('MAKER', '{"from": "part:p1", "to": "m1"}'))$$);
-- What belongs together has one time and one transaction, and says who.
SELECT count(DISTINCT at) AS times, count(DISTINCT transaction) AS transactions, count(DISTINCT role) AS roles, count(*) AS changes FROM kg_history WHERE transaction = (SELECT max(transaction) FROM kg_history);
SELECT kg_put_entities('part', '[{"id": "p1", "maker": "m1"}]') -> 'counts' AS put;

-- By value.
SELECT kg_put_edges('[{"relation": "NEEDS", "from": "p1", "to": "p2", "properties": {"n": 3, "why": "a"}}]') -> 'counts' AS put;
SELECT kg_put_edges('[{"relation": "NEEDS", "from": "p1", "to": "p2", "properties": {"n": 3, "why": "b"}}]') -> 'counts' AS put;
SELECT said($$kg_revert(change_of('NEEDS', '{"from": "p1", "to": "p2"}', 1), '{"dry_run": true}')$$);
SELECT said($$kg_revert(change_of('NEEDS', '{"from": "p1", "to": "p2"}', 1), '{"reason": "wrong n"}')$$);
SELECT said($$kg_revert(change_of('NEEDS', '{"from": "p1", "to": "p2"}', 2))$$);
SELECT told(kg_history('NEEDS', '{"from": "p1", "to": "p2"}', '{"limit": 1}'));
-- And that undone.
SELECT said($$kg_revert(change_of('NEEDS', '{"from": "p1", "to": "p2"}'))$$);
SELECT properties FROM kg_edge WHERE properties ? 'why';
-- Created: changed since, then not; deleted: there again, then not.
SELECT said($$kg_revert(change_of('WANTS', '{"from": "p1", "to": "p2", "key": "de"}', 1))$$);
SELECT said($$kg_revert(jsonb_build_array(change_of('WANTS', '{"from": "p1", "to": "p2", "key": "de"}', 0), change_of('WANTS', '{"from": "p1", "to": "p2", "key": "de"}', 1)))$$);
SELECT said($$kg_revert(change_of('WANTS', '{"from": "p1", "to": "p2", "key": "fr"}'))$$);
SELECT said($$kg_revert(change_of('WANTS', '{"from": "p1", "to": "p2", "key": "fr"}', 1))$$);
SELECT key, properties FROM kg_edge WHERE key <> '';

-- An entity and what went with it come back together.
CREATE TEMP TABLE before AS SELECT source, relation_no, target, key, property, properties FROM kg_edge WHERE relation_no <> (SELECT max(relation_no) FROM kg_relation WHERE relation = 'LIKES');
SELECT kg_delete_entities('maker', ARRAY['m1']) -> 'counts' AS deleted;
SELECT count(*) FROM kg_edge;
SELECT told(kg_history('NEEDS', '{"from": "p1", "to": "p2"}', '{"limit": 1}'));
SELECT max(transaction) AS gone FROM kg_history \gset
SELECT said($$kg_revert(change_of('NEEDS', '{"from": "p2", "to": "p3"}'))$$);
SELECT kg_revert(jsonb_build_object('transaction', :gone)) -> 'counts' AS back;
SELECT count(*) FROM (SELECT source, relation_no, target, key, property, properties FROM kg_edge EXCEPT SELECT * FROM before) x;
SELECT count(*) FROM (SELECT * FROM before EXCEPT SELECT source, relation_no, target, key, property, properties FROM kg_edge) x;
-- An id that another entity has by now: the edge was of the one that is gone.
SELECT kg_delete_entities('part', ARRAY['p3']) -> 'counts' AS deleted;
SELECT max(transaction) AS gone FROM kg_history \gset
SELECT kg_put_entities('part', '[{"id": "p3", "n": 7}]') -> 'counts' AS put;
SELECT said(format('kg_revert(%L)', jsonb_build_object('transaction', :gone)));
SELECT said($$kg_revert(change_of('NEEDS', '{"from": "p2", "to": "p3"}'))$$);
SELECT kg_put_edges('[{"relation": "NEEDS", "from": "p2", "to": "p3", "properties": {"n": 5}}]') -> 'counts' AS put;
SELECT told(kg_history('NEEDS', '{"from": "p2", "to": "p3"}'));
-- One that gets another id keeps its edges, and its node.
UPDATE kg_entity SET data = '{"id": "p4", "maker": "m1"}' WHERE entity_id = 'p2';
SELECT max(transaction) AS moved FROM kg_history \gset
SELECT said(format('kg_revert(%L)', jsonb_build_object('transaction', :moved))::text) LIKE '%"counts": {"created": 1, "deleted": 1}%' AS moved_back;
SELECT count(*) FROM kg_edge WHERE properties ->> 'n' = '5';
SET ROLE edge_history_admin;
SELECT kg_check() ->> 'ok' AS ok;

-- Where what comes out does not fit any more.
SET ROLE edge_history_admin;
SELECT kg_put_edges('[{"relation": "NEEDS", "from": "p3", "to": "p2", "properties": {"n": 1}}]') -> 'counts' AS put;
SELECT kg_delete_edges('[{"relation": "NEEDS", "from": "p3", "to": "p2"}]') -> 'counts' AS deleted;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "3", "relations": [
  {"name": "NEEDS", "from": "part", "to": "part", "history": true, "schema": {"type": "object", "properties": {"n": {"type": "number", "minimum": 2}, "why": {"type": "string"}}}}]}', '{"mode": "merge"}') ? 'revision' AS applied;
SELECT said($$kg_revert(change_of('NEEDS', '{"from": "p3", "to": "p2"}'))$$);

-- Other tenants.
SELECT change_of('NEEDS', '{"from": "p1", "to": "p2"}') AS a_change \gset
SET ROLE edge_history_other;
SELECT said($$kg_history('NEEDS', '{"from": "p1", "to": "p2"}')$$);
SELECT said(format('kg_revert(%L)', :'a_change')) LIKE 'P0002%' AS hidden;
SELECT count(*) FROM kg_history;

-- Off: nothing more is written, what is there stays; on again: from then on.
SET ROLE edge_history_admin;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "4", "relations": [
  {"name": "NEEDS", "from": "part", "to": "part", "schema": {"type": "object", "properties": {"n": {"type": "number"}, "why": {"type": "string"}}}}]}', '{"mode": "merge"}') ? 'revision' AS applied;
SELECT count(*) AS n FROM kg_history \gset
SELECT kg_put_edges('[{"relation": "NEEDS", "from": "p1", "to": "p3", "properties": {"n": 3}}]') -> 'counts' AS put;
SELECT count(*) - :n AS more FROM kg_history;
SELECT told(kg_history('NEEDS', '{"from": "p1", "to": "p2"}', '{"limit": 1}'));
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "5", "relations": [
  {"name": "NEEDS", "from": "part", "to": "part", "history": true, "schema": {"type": "object", "properties": {"n": {"type": "number"}, "why": {"type": "string"}}}}]}', '{"mode": "merge"}') ? 'revision' AS applied;
SELECT kg_delete_edges('[{"relation": "NEEDS", "from": "p1", "to": "p3"}]') -> 'counts' AS deleted;
SELECT told(kg_history('NEEDS', '{"from": "p1", "to": "p3"}'));
-- Forgotten; and gone with the relation, the bundle, the tenant.
SELECT kg_prune_history(clock_timestamp()) > 0 AS pruned;
SELECT jsonb_array_length(kg_history('NEEDS', '{"from": "p1", "to": "p3"}') -> 'changes') AS left;
SELECT history_since > clock_timestamp() - '1 hour'::interval AS moved FROM kg_relation WHERE relation = 'NEEDS';
SELECT kg_put_edges('[{"relation": "NEEDS", "from": "p1", "to": "p3"}, {"relation": "FITS", "from": "p1", "to": "p2"}]') -> 'counts' AS put;
SELECT kg_export_bundle('shop') AS shop \gset
SELECT kg_apply_bundle(jsonb_set(:'shop', '{relations}', (SELECT jsonb_agg(r) FROM jsonb_array_elements(:'shop'::jsonb -> 'relations') r WHERE r ->> 'name' <> 'NEEDS')) - 'edges') ? 'revision' AS applied;
SELECT DISTINCT r.relation FROM kg_history h LEFT JOIN kg_relation r USING (tenant, relation_no) WHERE relation_no IS NOT NULL ORDER BY 1;
SELECT kg_drop_bundle('shop') ? 'entities' AS dropped;
SELECT count(*) FROM kg_history;

-- Who does not see both ends, now and then, sees no change.
SELECT kg_apply_bundle('{"bundle_name": "files", "version": "1", "schemas": [
  {"entity_type": "file", "schema": {"type": "object", "x-id-field": "id", "x-scope-field": "path", "x-history": true, "properties": {"id": {"type": "string"}, "path": {"type": "string"}}}}],
 "relations": [{"name": "LINKS", "from": "file", "to": "file", "history": true, "schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}]}') ? 'revision' AS applied;
SELECT kg_put_entities('file', '[{"id": "stays", "path": "1/"}, {"id": "left", "path": "1/"}, {"id": "came", "path": "2/"}, {"id": "gone", "path": "1/"}, {"id": "hidden", "path": "2/"}]') -> 'counts' AS put;
RESET ROLE;
CREATE FUNCTION edge_history.link(n int) RETURNS jsonb LANGUAGE sql AS $$
  SELECT kg_put_edges((SELECT jsonb_agg(jsonb_build_object('relation', 'LINKS', 'from', 'stays', 'to', t, 'properties', jsonb_build_object('n', n))) FROM unnest(ARRAY['left', 'came', 'gone', 'hidden', 'stays']) t)) -> 'counts' $$;
SET ROLE edge_history_admin;
SELECT link(1);
UPDATE kg_entity SET data = data || '{"path": "2/"}' WHERE entity_id = 'left';
UPDATE kg_entity SET data = data || '{"path": "1/"}' WHERE entity_id = 'came';
SELECT link(2);
SELECT kg_delete_entities('file', ARRAY['gone']) -> 'counts' AS deleted;
RESET ROLE;
SET search_path = public, edge_history;
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('https://edge_history', 'h', 'HS256', 'historyhistoryhistoryhistoryhistory', 'kg', 'write');
SELECT kg_issue_token('{"tenant": "edge_history", "access": "write", "sub": "ada", "traversal_ids": ["1/"]}') AS token \gset
GRANT EXECUTE ON FUNCTION kg_login(text, boolean) TO edge_history_reader, edge_history_writer;
SET ROLE edge_history_reader;
SELECT t, array(SELECT c ->> 'verdict' FROM jsonb_array_elements(kg_history('LINKS', jsonb_build_object('from', 'stays', 'to', t)) -> 'changes') c) AS whole FROM unnest(ARRAY['stays', 'left', 'came', 'gone', 'hidden', 'none']) t;
BEGIN;
SELECT kg_login(:'token') IS NOT NULL AS logged_in;
SELECT t, array(SELECT c ->> 'verdict' FROM jsonb_array_elements(kg_history('LINKS', jsonb_build_object('from', 'stays', 'to', t)) -> 'changes') c) AS part FROM unnest(ARRAY['stays', 'left', 'came', 'gone', 'hidden', 'none']) t;
SELECT count(*) FROM kg_history;
COMMIT;
-- Nor undoes it: edges are undone by who sees all.
SELECT change_of('LINKS', '{"from": "stays", "to": "stays"}') AS a_change, kg_history('LINKS', '{"from": "stays", "to": "gone"}') -> 'changes' -> 0 -> 'transaction' AS gone \gset
SET ROLE edge_history_writer;
BEGIN;
SELECT kg_login(:'token') IS NOT NULL AS logged_in;
SELECT said(format('kg_revert(%L)', :'a_change')) LIKE 'P0002%' AS hidden;
SELECT kg_revert(jsonb_build_object('transaction', :gone), '{"dry_run": true}') -> 'counts' AS entity_alone;
ROLLBACK;
SELECT kg_revert(jsonb_build_object('transaction', :gone)) -> 'counts' AS both;
-- Under a policy of the DBA's own nothing is told.
RESET ROLE;
SELECT kg_add_policy('own_edge_history', 'kg_entity', 'data ->> ''id'' <> ''hidden''', roles => '{edge_history_reader}');
SET ROLE edge_history_reader;
SELECT jsonb_array_length(kg_history('LINKS', '{"from": "stays", "to": "stays"}') -> 'changes') AS told;
RESET ROLE;
SELECT kg_drop_policy('own_edge_history');
DELETE FROM kg_auth_key WHERE issuer = 'https://edge_history';
REVOKE EXECUTE ON FUNCTION kg_login(text, boolean) FROM edge_history_reader, edge_history_writer;
SELECT kg_drop_tenant('edge_history'), kg_drop_tenant('edge_history2');
SELECT count(*) FROM kg_history;
DROP SCHEMA edge_history CASCADE;
DROP TABLE pg_temp.before;
DROP ROLE edge_history_admin, edge_history_writer, edge_history_reader, edge_history_other;
