-- kg_graph.progress: long statements report their progress to callers that ask for
-- it.
\i test/data/prelude.sql
RESET client_min_messages;
CALL test.tenant('progress', 'regress_progress_admin admin');
CREATE TEMP TABLE bundle AS SELECT jsonb_build_object('bundle_name', 'pro', 'version', '1',
  'schemas', '[{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "n": {"type": "integer", "x-index": true}}}}]'::jsonb,
  'relations', '[{"name": "NEAR", "from": "thing", "to": "thing"}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'thing', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 't' || i, 'n', i)) FROM generate_series(1, 3) i))),
  'edges', '[{"relation": "NEAR", "from": "thing:t1", "to": "thing:t2"}, {"relation": "NEAR", "from": "thing:t2", "to": "thing:t3"}]'::jsonb) AS b;
GRANT SELECT ON bundle TO regress_progress_admin;

SET ROLE regress_progress_admin;
-- Nothing where nobody asks, and nothing before it has taken so long.
SHOW kg_graph.progress;
SELECT kg_apply_bundle(b, '{"dry_run": true}') -> 'errors' AS errors FROM bundle;
SET kg_graph.progress = '1h';
SELECT kg_apply_bundle(b, '{"dry_run": true}') -> 'errors' AS errors FROM bundle;
\set VERBOSITY sqlstate
SET kg_graph.progress = -2;
\set VERBOSITY terse

-- After each batch.
SET kg_graph.progress = 0;
SELECT kg_apply_bundle(b) ->> 'revision' AS revision FROM bundle;
SELECT kg_apply_bundle((b || '{"version": "2", "edges": []}') #- '{entities,0,items,0}') ->> 'revision' AS revision FROM bundle;
SELECT kg_apply_bundle_text(b::text) ->> 'revision' AS revision FROM bundle;
SELECT kg_rebuild() -> 'entities' AS entities;
SELECT kg_check() -> 'ok' AS ok;
SELECT kg_pack();
SELECT count(*) FROM kg_export_bundle_parts('pro');
SELECT jsonb_array_length(kg_export_bundle('pro') -> 'edges') AS edges;
-- By an SQLSTATE of its own; what is refused ends it.
\set VERBOSITY sqlstate
SELECT kg_rebuild() -> 'entities' AS entities;
SELECT kg_apply_bundle(jsonb_set(b, '{entities,0,items,1,n}', '"two"')) FROM bundle;
\set VERBOSITY terse
SET client_min_messages = warning;
SELECT kg_rebuild() -> 'entities' AS entities;
RESET client_min_messages;
RESET ROLE;

-- No number tells of what is hidden.
CREATE POLICY regress_progress ON kg_entity AS RESTRICTIVE FOR SELECT TO regress_progress_admin USING (entity_id <> 't1');
SET ROLE regress_progress_admin;
SELECT kg_rebuild();
SELECT kg_pack();
SELECT kg_export_bundle('pro') #> '{entities,0,items}' AS items;
RESET ROLE;
DROP POLICY regress_progress ON kg_entity;

RESET kg_graph.progress;
SET client_min_messages = warning;
DROP TABLE bundle;
CALL test.drop('progress');
