\i test/data/prelude.sql
-- Merging entities of one type that are the same (src/store/merge).
CALL test.tenant('merging', 'mia admin', 'max read');
SET kg_graph.tenant = 'merging';
SET ROLE mia;
\set VERBOSITY terse
\set ECHO all
SELECT kg_apply_bundle($b$ {"bundle_name": "trade", "version": "1", "schemas": [
  {"entity_type": "maker", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-alias-fields": ["aka"], "x-history": true,
    "x-valid-from": "since", "x-valid-to": "until",
    "x-tool-expose": ["list", "get", "create", "update", "delete", "merge", "history"], "required": ["id"], "additionalProperties": false,
    "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "aka": {"type": "array", "items": {"type": "string"}},
      "since": {"type": "string", "format": "date"}, "until": {"type": "string", "format": "date"}, "code": {"type": "string", "x-index": true},
      "place": {"type": "array", "items": {"type": "number"}}, "city": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
      "parent": {"type": "string", "x-ref": "maker", "x-on-delete": "cascade"}, "friends": {"type": "array", "items": {"type": "string", "x-ref": "maker", "x-on-delete": "set_null"}}}}},
  {"entity_type": "part", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"},
      "makers": {"type": "array", "items": {"type": "string", "x-ref": "maker"}},
      "by": {"type": "object", "properties": {"maker": {"type": "string", "x-ref": "maker", "x-on-delete": "cascade"}}},
      "code": {"type": "string", "x-ref": "maker", "x-ref-field": "code"}}}},
  {"entity_type": "free", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "relations": [
    {"name": "SELLS", "from": "maker", "to": "part", "history": true, "key": ["year"],
     "schema": {"type": "object", "properties": {"year": {"type": "integer"}, "n": {"type": "integer"}, "notes": {"type": "array", "items": {"type": "string"}}}}},
    {"name": "NEAR", "from": "maker", "to": "maker", "symmetric": true, "history": true}, {"name": "OWNS", "from": "maker", "to": "maker", "history": true}],
  "entities": [
    {"entity_type": "maker", "items": [
      {"id": "acme", "name": "Acme", "city": "Rome", "aka": ["ACM"], "since": "2010-01-01", "until": "2012-01-01", "tags": ["a"], "place": [1, 2]},
      {"id": "acme2", "name": "Acme Ltd", "aka": ["ACM", "A."], "since": "2012-01-01", "code": "C2", "tags": ["a", "b"], "parent": "acme", "friends": ["acme", "other"], "place": [1, 2]},
      {"id": "acme3", "name": "ACME Inc", "city": "Oslo", "since": "2005-01-01", "until": "2006-01-01", "friends": ["acme3", "acme2"]},
      {"id": "other", "friends": ["acme2", "acme", "acme3", "acme2"], "parent": "acme3"}]},
    {"entity_type": "part", "items": [{"id": "p1", "makers": ["acme2", "acme3", "other"], "by": {"maker": "acme2"}, "code": "C2"}, {"id": "p2"}]}],
  "edges": [
    {"relation": "SELLS", "from": "acme", "to": "p1", "properties": {"year": 1, "n": 5, "notes": ["x"]}},
    {"relation": "SELLS", "from": "acme2", "to": "p1", "properties": {"year": 1, "n": 5, "notes": ["x", "y"]}},
    {"relation": "SELLS", "from": "acme2", "to": "p1", "properties": {"year": 2}},
    {"relation": "SELLS", "from": "acme3", "to": "p2", "properties": {"year": 1}},
    {"relation": "NEAR", "from": "acme", "to": "acme2"}, {"relation": "NEAR", "from": "acme2", "to": "other"}, {"relation": "NEAR", "from": "other", "to": "acme"},
    {"relation": "OWNS", "from": "acme2", "to": "acme2"}, {"relation": "OWNS", "from": "other", "to": "acme3"}]} $b$) ->> 'revision' AS revision;
CREATE FUNCTION pg_temp.edges() RETURNS TABLE (edge text) LANGUAGE sql AS $$
  SELECT concat_ws(' ', r.relation, s.entity_id, t.entity_id, e.key, e.properties) FROM kg_edge e JOIN (SELECT DISTINCT relation_no, relation FROM kg_relation) r USING (relation_no)
    JOIN kg_entity s ON s.node = e.source JOIN kg_entity t ON t.node = e.target ORDER BY concat_ws(' ', r.relation, s.entity_id, t.entity_id, e.key) COLLATE "C" $$;
CREATE TEMP TABLE before AS SELECT entity_type, entity_id, data FROM kg_entity;
CREATE TEMP TABLE edges_before AS SELECT * FROM pg_temp.edges();

-- Candidates.
SELECT jsonb_pretty(p) FROM jsonb_array_elements(kg_duplicates('maker') -> 'pairs') p;
SELECT kg_duplicates('maker', '{"ids": ["acme3"], "min_score": 0.01, "relations": ["NEAR"], "limit": 0}');
SELECT kg_duplicates('maker', '{"limit": 1}') -> 'next' AS next;
SELECT test.fails($$SELECT kg_duplicates('maker', '{"min_score": 2}')$$, 'path', 'expected');
SELECT test.fails($$SELECT kg_duplicates('nothing')$$, 'code', 'path');
-- What cannot be merged.
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{acme}')$$, 'path', 'expected');
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{acme2,acme2}')$$, 'path');
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{}')$$, 'path', 'expected');
SELECT test.fails($$SELECT kg_merge('maker', 'acme', ARRAY[NULL])$$, 'path');
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{p1}')$$, 'code', 'path');
SELECT test.fails($$SELECT kg_merge('maker', 'nobody', '{acme}')$$, 'code', 'path');
SELECT test.fails($$SELECT kg_merge('nothing', 'acme', '{acme2}')$$, 'code', 'path');
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{acme2}', '{"prefer": "other"}')$$, 'path', 'expected');
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{acme2}', '{"values": 1}')$$, 'path', 'expected');
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{acme2}', '{"expected_versions": {"other": 1}}')$$, 'path', 'expected');
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{acme2}', '{"expected_versions": {"acme2": 7}}')$$, 'code', 'path', 'current_version');
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{acme2}', '{"unknown": 1}')$$, 'path');
SELECT test.fails($$SELECT kg_merge('maker', NULL, '{acme2}')$$);
-- A conflict is decided by the caller.
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{acme2,acme3}')$$, 'path', 'expected', 'conflicts');
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{acme2,acme3}', '{"values": {"city": 7}}')$$, 'code', 'path', 'keyword');
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{acme2,acme3}', '{"values": {"tags": ["a", "b", "c", "d"]}, "prefer": "acme"}')$$, 'code', 'path', 'keyword');
-- The id stays; a value for it is not ignored.
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{acme2,acme3}', '{"values": {"id": "acme2"}, "prefer": "acme"}')$$, 'code', 'path', 'got', 'expected');
SELECT kg_call_tool('merge_maker', '{"keep": "acme", "others": ["acme2"], "values": {"id": "acme2"}, "dry_run": true}') #> '{structuredContent,error,call,arguments,values}' AS corrected;
SELECT kg_merge('maker', 'acme', '{acme2,acme3}', '{"values": {"id": "acme"}, "prefer": "acme", "dry_run": true}') -> 'counts' AS counts;
-- A dry run writes nothing.
SELECT kg_merge('maker', 'acme', '{acme2,acme3}', '{"prefer": "acme3", "dry_run": true}');
SELECT count(*) AS changed FROM before b FULL JOIN kg_entity e USING (entity_type, entity_id) WHERE b.data IS DISTINCT FROM e.data;

SELECT r - 'transaction' AS reply FROM kg_merge('maker', 'acme', '{acme2,acme3}', '{"values": {"city": "Bari"}, "reason": "one firm", "expected_versions": {"acme": 1, "acme2": 1}}') r;
SELECT entity_type, data FROM kg_entity ORDER BY entity_type, entity_id COLLATE "C";
SELECT * FROM pg_temp.edges();
SELECT kg_check() -> 'problems' AS problems;

-- The other ids lead to the entity.
SELECT kg_get('maker', 'acme2') ->> 'name' AS name;
SELECT kg_get('maker', ARRAY['acme3', 'other', 'acme', 'gone', 'acme2']) - 'entities' AS got;
SELECT kg_call_tool('get_maker', '{"id": "acme2"}') -> 'structuredContent' -> 'entity' ->> 'id' AS id;
SELECT kg_find_nodes('{"node_label": "maker", "ids": ["acme2"]}') #>> '{nodes,0,id}' AS found;
SELECT kg_describe('{"id": "maker:acme3"}') -> 'id' AS described, kg_describe('{"id": "acme3"}') -> 'id' AS bare;
SELECT kg_search('{"query": "acme2"}') #> '{items,0}' AS searched;
-- They are free, and then belong to the next entity.
BEGIN;
SELECT kg_put_entities('maker', '[{"id": "acme2", "name": "New"}]') -> 'counts' AS counts;
SELECT kg_get('maker', 'acme2') ->> 'name' AS name;
SELECT kg_delete_entities('maker', '{acme2}') -> 'counts' AS counts, kg_get('maker', 'acme2') AS gone, kg_get('maker', 'acme3') ->> 'name' AS still;
ROLLBACK;
-- Over several merges.
BEGIN;
SELECT kg_merge('maker', 'other', '{acme}', '{"prefer": "other"}') -> 'items' -> 0 -> 'verdict' AS verdict;
SELECT kg_get('maker', ARRAY['acme3', 'acme2', 'acme']) - 'entities' AS got;
SELECT data FROM kg_entity WHERE entity_type = 'maker';
ROLLBACK;
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{acme2}')$$, 'code', 'path');

-- Undone as a whole.
SELECT transaction AS undone, '{"transaction": ' || transaction || '}' AS undoing FROM kg_history WHERE reason = 'one firm' LIMIT 1 \gset
BEGIN;
SELECT kg_update_entities('part', '[{"id": "p1", "set": {"makers": ["other"]}}]') -> 'counts' AS counts;
SELECT regexp_replace(f, 'change [0-9]+', 'change N') AS fails FROM test.fails(format('SELECT kg_revert(%L)', :'undoing'), 'code') f;
ROLLBACK;
SELECT kg_revert(:'undoing') -> 'counts' AS counts;
SELECT entity_id, b.data, e.data FROM before b FULL JOIN kg_entity e USING (entity_type, entity_id) WHERE b.data IS DISTINCT FROM e.data;
(TABLE edges_before EXCEPT SELECT * FROM pg_temp.edges()) UNION ALL (SELECT * FROM pg_temp.edges() EXCEPT TABLE edges_before);
SELECT kg_get('maker', 'acme2') ->> 'name' AS name, kg_get('maker', 'acme3') ->> 'name' AS name3;
SELECT kg_check() -> 'problems' AS problems;

-- Values that references name: they follow the value that stays.
BEGIN;
SELECT kg_update_entities('maker', '[{"id": "acme", "set": {"code": "C1"}}]') -> 'counts' AS counts;
SELECT kg_put_entities('part', '[{"id": "p3", "code": "C1"}]') -> 'counts' AS counts;
SELECT kg_merge('maker', 'acme', '{acme2}', '{"prefer": "acme2"}') -> 'conflicts' AS conflicts;
SELECT entity_id, data ->> 'code' AS code FROM kg_entity WHERE data ? 'code' ORDER BY entity_id COLLATE "C";
SELECT kg_check() -> 'problems' AS problems;
ROLLBACK;

-- The tools.
SELECT t -> 'annotations' AS annotations, t -> 'inputSchema' -> 'properties' AS properties FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'merge_maker';
SELECT kg_call_tool('merge_maker', '{"keep": "acme", "others": ["acme2"], "dry_run": true}') -> 'structuredContent' -> 'counts' AS counts;
SELECT kg_call_tool('merge_maker', '{"keep": "acme", "others": ["acm2"]}') #> '{structuredContent,error,errors,0}' AS error;
SET kg_graph.confirm_more = 'deletes';
SELECT kg_call_tool('merge_maker', '{"keep": "acme", "others": ["acme2"]}') #>> '{structuredContent,confirm}' AS confirm \gset
SELECT kg_update_entities('part', '[{"id": "p1", "set": {"weight": 1}}]') -> 'counts' AS counts;
SELECT r -> 'isError' AS error, r #>> '{structuredContent,error,code}' AS code FROM kg_call_tool('merge_maker', jsonb_build_object('keep', 'acme', 'others', '["acme2"]'::jsonb, 'confirm', :'confirm')) r;
SELECT kg_call_tool('merge_maker', '{"keep": "acme", "others": ["acme2"], "idempotency_key": "k"}') #>> '{structuredContent,confirm}' AS confirm \gset
SELECT r #> '{structuredContent,counts}' AS counts FROM kg_call_tool('merge_maker', jsonb_build_object('keep', 'acme', 'others', '["acme2"]'::jsonb, 'idempotency_key', 'k', 'confirm', :'confirm')) r;
SELECT r #> '{structuredContent,counts}' AS counts, r #> '{structuredContent,replayed}' AS replayed
  FROM kg_call_tool('merge_maker', jsonb_build_object('keep', 'acme', 'others', '["acme2"]'::jsonb, 'idempotency_key', 'k', 'confirm', :'confirm')) r;
RESET kg_graph.confirm_more;
SET kg_graph.toolsets = 'write';
SELECT kg_call_tool('undo', jsonb_build_object('transaction', (SELECT max(transaction) FROM kg_history))) #> '{structuredContent,error}' AS error;
SELECT kg_call_tool('merge', '{"type": "part", "keep": "p1", "others": ["p2"]}') #>> '{structuredContent,error,message}' AS refused;
SELECT kg_call_tool('merge', '{"type": "maker", "keep": "acme", "others": ["acme3"], "prefer": "acme", "dry_run": true}') #> '{structuredContent,counts}' AS counts;
RESET kg_graph.toolsets;
RESET ROLE;
SET ROLE max;
SELECT test.fails($$SELECT kg_merge('maker', 'acme', '{acme3}')$$, 'code');
SELECT kg_call_tool('merge_maker', '{"keep": "acme", "others": ["acme3"]}') #>> '{structuredContent,error,code}' AS code;
RESET ROLE;
SELECT node IS NOT NULL AS node, target IS NOT NULL AS target, entity_id FROM kg_freed WHERE tenant = 'merging' ORDER BY entity_id COLLATE "C";

-- Rights: each entity that is changed is seen by the caller.
CALL test.tenant('merging_parts', 'mona write', 'mara admin');
SET kg_graph.tenant = 'merging_parts';
SET ROLE mara;
SELECT kg_apply_bundle($b$ {"bundle_name": "parts", "version": "1", "schemas": [
  {"entity_type": "one", "schema": {"type": "object", "x-id-field": "id", "x-scope-field": "s", "properties": {"id": {"type": "string"}, "s": {"type": "string"}}}},
  {"entity_type": "two", "schema": {"type": "object", "x-id-field": "id", "x-scope-field": "s", "properties": {"id": {"type": "string"}, "s": {"type": "string"}, "to": {"type": "string", "x-ref": "one"}}}}],
  "relations": [{"name": "EE", "from": "one", "to": "one"}],
  "entities": [{"entity_type": "one", "items": [{"id": "a", "s": "x"}, {"id": "b", "s": "x"}, {"id": "c", "s": "x"}, {"id": "h", "s": "y"}, {"id": "d", "s": "x"}, {"id": "e", "s": "x"}, {"id": "f", "s": "x"}, {"id": "g", "s": "x"}]},
    {"entity_type": "two", "items": [{"id": "r", "s": "y", "to": "b"}, {"id": "q", "s": "x", "to": "c"}]}],
  "edges": [{"relation": "EE", "from": "d", "to": "h"}, {"relation": "EE", "from": "f", "to": "g"}]} $b$) ->> 'revision' AS revision;
SELECT test.fails($$SELECT kg_merge('one', 'a', '{h}')$$, 'code', 'path', 'keyword');
RESET ROLE;
CREATE POLICY merging_part ON kg_entity AS RESTRICTIVE FOR ALL TO mona USING (data ->> 's' = 'x');
SET ROLE mona;
SELECT test.fails($$SELECT kg_merge('one', 'a', '{h}')$$, 'code', 'path');
SELECT test.fails($$SELECT kg_merge('one', 'a', '{b}')$$, 'code');
SELECT test.fails($$SELECT kg_merge('one', 'a', '{d}')$$, 'code');
SELECT kg_merge('one', 'a', '{c,e}') AS merged;
SELECT kg_merge('one', 'a', '{f}') -> 'edges' AS moved;
SELECT kg_neighbors('{"start_node": {"label": "one", "node_id": "a"}, "relationship_types": ["EE"]}') -> 'edges' AS edges;
SELECT data FROM kg_entity ORDER BY entity_type, entity_id COLLATE "C";
RESET ROLE;
DROP POLICY merging_part ON kg_entity;
-- Each entity that is changed may be updated by the caller: a referrer is not deleted instead.
SET ROLE mara;
SELECT kg_apply_bundle($b$ {"bundle_name": "sales", "version": "1", "schemas": [
  {"entity_type": "customer", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}},
  {"entity_type": "contract", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "customer": {"type": "string", "x-ref": "customer", "x-on-delete": "cascade"}}}}],
  "relations": [{"name": "KNOWS", "from": "customer", "to": "customer", "schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}],
  "entities": [{"entity_type": "customer", "items": [{"id": "c1"}, {"id": "c2"}, {"id": "c3"}, {"id": "c4"}, {"id": "c5"}]},
    {"entity_type": "contract", "items": [{"id": "k1", "customer": "c2"}]}],
  "edges": [{"relation": "KNOWS", "from": "c4", "to": "c3", "properties": {"n": 1}}, {"relation": "KNOWS", "from": "c5", "to": "c3", "properties": {"n": 2}}]} $b$) ->> 'revision' AS revision;
RESET ROLE;
CREATE POLICY merging_contract ON kg_entity AS RESTRICTIVE FOR UPDATE TO mona USING (entity_type <> 'contract' AND entity_id <> 'c3');
SET ROLE mona;
SELECT test.fails($$SELECT kg_merge('customer', 'c1', '{c2}')$$, 'code');
SELECT test.fails($$SELECT kg_merge('customer', 'c1', '{c3}')$$, 'code', 'path');
SELECT test.fails($$SELECT kg_merge('customer', 'c3', '{c1}')$$, 'code', 'path');
SELECT data FROM kg_entity WHERE bundle = 'sales' ORDER BY entity_type, entity_id COLLATE "C";
RESET ROLE;
DROP POLICY merging_contract ON kg_entity;
-- A trigger that keeps the old reference does not lead to the deletion either.
CREATE FUNCTION pg_temp.as_before() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.data := OLD.data; RETURN NEW; END $$;
CREATE TRIGGER a_before BEFORE UPDATE ON kg_entity FOR EACH ROW WHEN (OLD.entity_type = 'contract') EXECUTE FUNCTION pg_temp.as_before();
SET ROLE mona;
SELECT test.fails($$SELECT kg_merge('customer', 'c1', '{c2}')$$, 'code');
SELECT data FROM kg_entity WHERE entity_type = 'contract';
RESET ROLE;
DROP TRIGGER a_before ON kg_entity;
-- Properties of edges are read with the rights of the caller.
REVOKE SELECT ON kg_edge FROM mona;
SET ROLE mona;
SELECT test.fails($$SELECT kg_merge('customer', 'c4', '{c5}')$$, 'code', 'conflicts');
RESET ROLE;
GRANT SELECT ON kg_edge TO mona;
SET ROLE mona;
SELECT test.fails($$SELECT kg_merge('customer', 'c4', '{c5}')$$, 'code', 'conflicts');
RESET ROLE;
-- A repeated reply has no handles and values that the caller may not see any more.
SET ROLE mona;
SELECT kg_merge('customer', 'c4', '{c5,c2}', '{"prefer": "c4", "idempotency_key": "k"}') AS merged;
SELECT kg_merge('customer', 'c4', '{c5,c2}', '{"prefer": "c4", "idempotency_key": "k"}') AS replayed;
RESET ROLE;
CREATE POLICY merging_customer ON kg_entity AS RESTRICTIVE FOR SELECT TO mona USING (bundle <> 'sales');
SET ROLE mona;
SELECT kg_merge('customer', 'c4', '{c5,c2}', '{"prefer": "c4", "idempotency_key": "k"}') AS replayed;
RESET ROLE;
DROP POLICY merging_customer ON kg_entity;
-- Below the root, an id is no conflict and cannot be changed; the values beside it are united like others.
SET ROLE mara;
SELECT kg_apply_bundle($b$ {"bundle_name": "deep", "version": "1", "schemas": [{"entity_type": "deep", "schema": {"type": "object", "x-id-field": "key.id",
    "properties": {"key": {"type": "object", "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}}}}}],
  "entities": [{"entity_type": "deep", "items": [{"key": {"id": "a", "n": 1}}, {"key": {"id": "b", "n": 1}}, {"key": {"id": "c", "n": 3}}]}]} $b$) ->> 'revision' AS revision;
SELECT kg_merge('deep', 'a', '{b}') -> 'counts' AS counts;
SELECT test.fails($$SELECT kg_merge('deep', 'a', '{c}')$$, 'code', 'path', 'conflicts');
SELECT test.fails(format('SELECT kg_merge(%L, %L, %L, %L)', 'deep', 'a', '{c}', jsonb_build_object('values', jsonb_build_object('key', k::jsonb))), 'path', 'expected') FROM unnest(ARRAY['{"n": 3}', '{"id": "c", "n": 3}']) k;
SELECT kg_merge('deep', 'a', '{c}', '{"prefer": "c"}') -> 'items' -> 0 -> 'changed' AS changed;
SELECT kg_update_entities('deep', '[{"id": "a", "set": {"key": {"id": "b"}}}]') #>> '{items,0,error,path}' AS path;
-- An undo says what it does not restore.
SELECT kg_apply_bundle($b$ {"bundle_name": "undone", "version": "1", "schemas": [
  {"entity_type": "person", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"}}}},
  {"entity_type": "remark", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "of": {"type": "string", "x-ref": "person"}}}}],
  "relations": [{"name": "MET", "from": "person", "to": "person"}],
  "entities": [{"entity_type": "person", "items": [{"id": "p"}, {"id": "q"}, {"id": "r"}]}, {"entity_type": "remark", "items": [{"id": "n", "of": "q"}]}],
  "edges": [{"relation": "MET", "from": "person:q", "to": "person:r"}]} $b$) ->> 'revision' AS revision;
SELECT r -> 'not_recorded' AS not_recorded, jsonb_build_object('transaction', r -> 'transaction') AS undoing FROM kg_merge('person', 'p', '{q}') r \gset
SELECT :'not_recorded' AS not_recorded;
SELECT kg_revert(:'undoing', '{"dry_run": true}') - 'items' AS undone;
SELECT kg_revert(:'undoing') - 'items' AS undone;
SELECT data FROM kg_entity WHERE bundle = 'undone' ORDER BY entity_type, entity_id COLLATE "C";
SELECT r -> 'not_recorded' AS not_recorded, jsonb_build_object('transaction', r -> 'transaction') AS undoing FROM kg_merge('person', 'r', '{q}') r \gset
SELECT kg_revert(:'undoing') - 'items' AS nothing_else;
RESET ROLE;
-- The ids go with a tenant that moves.
CREATE TEMP TABLE lines AS SELECT row_number() OVER () AS n, l FROM kg_export_tenant('merging_parts') l;
SELECT FROM kg_drop_tenant('merging_parts');
SELECT kg_import_tenant(array_agg(l ORDER BY n), '{"name": "merging_parts", "without_policies": true}') IS NOT NULL AS imported FROM lines;
SET ROLE mara;
SELECT kg_get('one', 'e') -> 'id' AS id, kg_get('one', 'c') -> 'id' AS c;
RESET ROLE;
CALL test.drop('merging', 'merging_parts');
