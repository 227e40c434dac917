-- kg_rebuild() changes nothing if all derived rows are right, and corrects those
-- that are not.
\i test/data/prelude.sql
CALL test.tenant('rebuild', 'regress_rebuild_admin admin', 'regress_rebuild_writer write');
CALL test.tenant('rebuild not', 'regress_rebuild_writer write');
CREATE FUNCTION pg_temp.derived(of text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object(
    'keys', (SELECT jsonb_agg(to_jsonb(k) ORDER BY k.node, k.field_no, k.key) FROM kg_index_key k WHERE tenant = of),
    'packed', (SELECT jsonb_agg(index_keys ORDER BY node) FROM kg_entity WHERE tenant = of),
    'terms', (SELECT jsonb_agg(to_jsonb(t) ORDER BY t.node, t.kind::text COLLATE "C", t.term COLLATE "C") FROM kg_term t WHERE tenant = of),
    'trigrams', (SELECT jsonb_agg(to_jsonb(g) ORDER BY g.trigram COLLATE "C", g.term COLLATE "C") FROM kg_trigram g WHERE tenant = of),
    'edges', (SELECT jsonb_agg(to_jsonb(d) ORDER BY d.source, d.relation_no, d.target) FROM kg_edge d WHERE tenant = of))
$$;
CREATE TEMP TABLE bundle AS SELECT '{"bundle_name": "re", "version": "1",
  "schemas": [{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-alias-fields": ["also"],
    "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "also": {"type": "array", "items": {"type": "string"}}, "code": {"type": "string", "x-index": true},
      "tags": {"type": "array", "items": {"type": "string"}, "x-index": true}, "up": {"type": "string", "x-ref": "thing"}, "by": {"type": "string", "x-ref": "thing", "x-ref-field": "code"}}}}],
  "relations": [{"name": "NEAR", "from": "thing", "to": "thing", "symmetric": true}],
  "entities": [{"entity_type": "thing", "items": [{"id": "a", "name": "First thing", "also": ["One", "Uno"], "code": "A", "tags": ["x", "y"], "by": "B"},
    {"id": "b", "code": "B", "up": "a"}, {"id": "c", "name": "Loop", "up": "c", "code": "C", "by": "C"}]}],
  "edges": [{"relation": "NEAR", "from": "thing:a", "to": "thing:b"}]}'::jsonb AS b;
GRANT SELECT ON bundle TO regress_rebuild_writer;
SET ROLE regress_rebuild_writer;
SET kg_graph.tenant = 'rebuild';
SELECT kg_apply_bundle(b) ->> 'revision' AS revision FROM bundle;
SET kg_graph.tenant = 'rebuild not';
SELECT kg_apply_bundle(b) ->> 'revision' AS revision FROM bundle;
RESET kg_graph.tenant;
RESET ROLE;
CREATE TEMP TABLE healthy AS SELECT pg_temp.derived('rebuild') AS d, pg_temp.derived('rebuild not') AS other;

SET ROLE regress_rebuild_admin;
SELECT kg_rebuild();
RESET ROLE;
SELECT pg_temp.derived('rebuild') = d AS same, pg_temp.derived('rebuild not') = other AS other_same FROM healthy;

-- What was written behind the triggers' back is derived; the explicit edge stays.
\getenv abs_srcdir PG_ABS_SRCDIR
\set triggers :abs_srcdir '/data/triggers.sql'
\i :triggers
BEGIN;
SELECT pg_temp.triggers(false);
DELETE FROM kg_index_key WHERE tenant = 'rebuild';
DELETE FROM kg_term WHERE tenant = 'rebuild';
UPDATE kg_entity SET index_keys = CASE entity_id WHEN 'a' THEN '' ELSE '\x0001ffff00' END::bytea WHERE tenant = 'rebuild';
DELETE FROM kg_trigram WHERE tenant = 'rebuild';
DELETE FROM kg_edge WHERE tenant = 'rebuild' AND property IS NOT NULL;
INSERT INTO kg_term SELECT tenant, 'wrong', 't', type_no, node FROM kg_entity WHERE tenant = 'rebuild';
SELECT pg_temp.triggers(true);
COMMIT;
SELECT pg_temp.derived('rebuild') = d AS same FROM healthy;
SET ROLE regress_rebuild_admin;
SELECT kg_rebuild();
SELECT kg_list_ids('thing', '{"search": "uno"}') -> 'ids' AS found, kg_list_ids('thing', '{"filters": {"tags": "y"}}') -> 'ids' AS tagged;
RESET ROLE;
SELECT pg_temp.derived('rebuild') = d AS same, pg_temp.derived('rebuild not') = other AS other_same FROM healthy;

-- A reference without a target is told, and nothing is changed.
BEGIN;
SELECT pg_temp.triggers(false);
UPDATE kg_entity SET data = data || '{"up": "gone"}' WHERE tenant = 'rebuild' AND entity_id = 'b';
SELECT pg_temp.triggers(true);
COMMIT;
SET ROLE regress_rebuild_admin;
SELECT kg_rebuild();
RESET ROLE;
SELECT pg_temp.derived('rebuild') = d AS same FROM healthy;

-- Pieces of words that no entity has are no difference; they go.
UPDATE kg_entity SET data = data || '{"up": "a"}' WHERE tenant = 'rebuild' AND entity_id = 'b';
UPDATE kg_entity SET data = data || '{"name": "Ring"}' WHERE tenant = 'rebuild' AND entity_id = 'c';
INSERT INTO kg_trigram VALUES ('rebuild', 'loo', 'loop');
SELECT count(*) > 0 AS left_over FROM kg_trigram WHERE tenant = 'rebuild' AND term = 'loop';
SELECT kg_check('{"tenant": "rebuild"}') -> 'ok' AS ok;
SET ROLE regress_rebuild_admin;
SELECT kg_rebuild();
RESET ROLE;
SELECT term, count(*) > 0 AS there FROM kg_trigram WHERE tenant = 'rebuild' AND term IN ('loop', 'ring') GROUP BY term;

-- For admins.
SET ROLE regress_rebuild_writer;
SET kg_graph.tenant = 'rebuild';
SELECT kg_rebuild();
RESET kg_graph.tenant;
RESET ROLE;
DROP TABLE bundle, healthy;
CALL test.drop('rebuild', 'rebuild not');
