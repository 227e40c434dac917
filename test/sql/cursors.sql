-- A cursor holds what its maker sees: another role of the tenant cannot use it.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE ROLE regress_cursor_all;
CREATE ROLE regress_cursor_some;
SELECT FROM kg_create_tenant('cursors');
SELECT FROM kg_grant('cursors', 'regress_cursor_all', 'write');
SELECT FROM kg_grant('cursors', 'regress_cursor_some', 'read');
CREATE POLICY regress_cursor_hides ON kg_entity AS RESTRICTIVE FOR SELECT TO regress_cursor_some USING (entity_id > 't5');
SET ROLE regress_cursor_all;
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'cursors', 'version', '1',
  'schemas', '[{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}]'::jsonb,
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'thing', 'items',
    (SELECT jsonb_agg(jsonb_build_object('id', 't' || i)) FROM generate_series(1, 9) i))))) -> 'changed';
SELECT kg_list('thing', '{"limit": 6}') -> 'next' AS next_list, kg_find_nodes('{"node_label": "thing", "limit": 6}') -> 'next' AS next_find \gset
SELECT kg_list('thing', :'next_list') #> '{items,0,id}' AS item, kg_list('thing', :'next_list') -> 'total' AS total;
SELECT kg_find_nodes(:'next_find') #> '{nodes,0,id}' AS node;
SET ROLE regress_cursor_some;
SELECT kg_list('thing', '{}') -> 'total' AS total;
\set VERBOSITY sqlstate
SELECT kg_list('thing', :'next_list');
SELECT kg_find_nodes(:'next_find');
\set VERBOSITY terse
-- the longest cursor there can be is accepted back
RESET ROLE;
SET kg_graph.max_key_bytes = 2000; SET ROLE regress_cursor_all;
SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'long', 'version', '1',
  'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'long', 'schema', jsonb_build_object('type', 'object', 'x-id-field', 'id', 'properties', '{"id": {"type": "string"}}'::jsonb ||
    (SELECT jsonb_object_agg('p' || i, '{"type": "string", "x-index": true}'::jsonb) FROM generate_series(1, 8) i)))),
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'long', 'items',
    (SELECT jsonb_agg(jsonb_build_object('id', 'l' || n) || (SELECT jsonb_object_agg('p' || i, repeat('"', 1990)) FROM generate_series(1, 8) i)) FROM generate_series(1, 3) n))))) -> 'changed';
SELECT length(r #>> '{next,cursor}') > 16384 AS long, kg_list('long', r -> 'next') #> '{items,0,id}' AS item
  FROM kg_list('long', jsonb_build_object('limit', 1, 'sort', (SELECT jsonb_agg(jsonb_build_object('field', 'p' || i)) FROM generate_series(1, 8) i))) r;
RESET ROLE; RESET kg_graph.max_key_bytes;
DROP POLICY regress_cursor_hides ON kg_entity;
SELECT FROM kg_drop_tenant('cursors');
DROP ROLE regress_cursor_all, regress_cursor_some;
