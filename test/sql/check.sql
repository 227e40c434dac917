-- kg_check(): each kind of damage is found and reported under its name, and repaired
-- if possible.
\i test/data/prelude.sql
DROP ROLE IF EXISTS check_admin, check_writer, check_other, check_dba;
CREATE ROLE check_dba;
CALL test.tenant('check', 'check_admin admin', 'check_writer write');
CALL test.tenant('check other', 'check_other admin');
CREATE FUNCTION check_bundle() RETURNS jsonb LANGUAGE sql AS $b$ SELECT '{"bundle_name": "ch", "version": "1",
  "schemas": [{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-scope-field": "path", "required": ["id"],
    "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "path": {"type": "string"}, "code": {"type": "string", "x-index": true}, "size": {"type": "integer", "x-index": true},
      "tags": {"type": "array", "items": {"type": "string"}, "x-index": true}, "up": {"type": "string", "x-ref": "thing"}, "by": {"type": "string", "x-ref": "thing", "x-ref-field": "code"}}}}],
  "relations": [{"name": "NEAR", "from": "thing", "to": "thing"}],
  "entities": [{"entity_type": "thing", "items": [{"id": "a", "name": "Aurora lamp", "path": "1/", "code": "A", "size": 1, "tags": ["x", "y"]},
    {"id": "b", "name": "Desk", "path": "1/2/", "code": "B", "size": 2, "up": "a", "by": "A"}, {"id": "c", "name": "Chair", "path": "2/", "code": "C", "up": "b"}]}],
  "edges": [{"relation": "NEAR", "from": "thing:a", "to": "thing:b"}]}'::jsonb $b$;
SET ROLE check_admin;
SELECT kg_apply_bundle(check_bundle()) ? 'revision' AS applied;
SELECT kg_pack();
SELECT kg_check() - 'ms';
SET ROLE check_other;
SELECT kg_apply_bundle(check_bundle()) ? 'revision' AS applied;
RESET ROLE;

\getenv abs_srcdir PG_ABS_SRCDIR
\set triggers :abs_srcdir '/data/triggers.sql'
\i :triggers
-- Plant, look, mend, look again; all of it is undone.
CREATE FUNCTION check_plant(plant text, OUT finds text, OUT left_over text) LANGUAGE plpgsql AS $$
DECLARE
  was jsonb := kg_check('{"limit": 0}') -> 'counts';
  answer jsonb;
BEGIN
  BEGIN
    IF plant LIKE '--rows%' THEN PERFORM pg_temp.triggers(false); END IF;
    EXECUTE plant;
    IF plant LIKE '--rows%' THEN PERFORM pg_temp.triggers(true); END IF;
    answer := jsonb_build_object('found', kg_check('{"limit": 0}') -> 'counts');
    BEGIN
      answer := answer || jsonb_build_object('left', kg_check('{"limit": 0, "repair": true}') -> 'left');
    EXCEPTION WHEN OTHERS THEN answer := answer || jsonb_build_object('left', SQLERRM);
    END;
    RAISE EXCEPTION USING MESSAGE = answer::text, ERRCODE = 'KG000';
  EXCEPTION WHEN SQLSTATE 'KG000' THEN answer := SQLERRM::jsonb;
  END;
  SELECT string_agg(format('%s %s', key, value::int - coalesce((was ->> key)::int, 0)), ', ' ORDER BY key) INTO finds FROM jsonb_each_text(answer -> 'found')
   WHERE key NOT IN ('differences', 'entities', 'tenants') AND value::int > coalesce((was ->> key)::int, 0);
  left_over := CASE WHEN jsonb_typeof(answer -> 'left') = 'number' THEN ((answer ->> 'left')::int - (was ->> 'differences')::int)::text ELSE answer ->> 'left' END;
END $$;
CREATE FUNCTION check_node(text) RETURNS bigint LANGUAGE sql AS $$SELECT node FROM kg_entity WHERE tenant = 'check' AND entity_id = $1$$;
CREATE TABLE check_plants (n int GENERATED ALWAYS AS IDENTITY, what text, plant text);
INSERT INTO check_plants(what, plant) VALUES
  ('key missing', $$--rows
DELETE FROM kg_index_key WHERE tenant = 'check' AND entity_id = 'a' AND field_no = 1$$),
  ('key stale', $$--rows
INSERT INTO kg_index_key SELECT tenant, type_no, field_no, key || '\x00', entity_id, node FROM kg_index_key WHERE tenant = 'check' AND entity_id = 'a' AND field_no = 1$$),
  ('key wrong', $$--rows
UPDATE kg_index_key SET key = key || '\x00' WHERE tenant = 'check' AND entity_id = 'a' AND field_no = 1$$),
  ('key of another id', $$--rows
UPDATE kg_index_key SET entity_id = 'z' WHERE tenant = 'check' AND entity_id = 'c'$$),
  ('key of no entity', $$--rows
INSERT INTO kg_index_key SELECT tenant, type_no, field_no, key, entity_id, -1 FROM kg_index_key WHERE tenant = 'check' AND entity_id = 'a' AND field_no = 1$$),
  ('key of no type', $$INSERT INTO kg_index_key VALUES ('check', 0, 1, '\x01', 'a', 1)$$),
  ('packed keys wrong', $$--rows
UPDATE kg_entity SET index_keys = (SELECT index_keys FROM kg_entity WHERE tenant = 'check' AND entity_id = 'b') WHERE tenant = 'check' AND entity_id = 'a'$$),
  ('packed keys empty', $$--rows
UPDATE kg_entity SET index_keys = '' WHERE tenant = 'check' AND entity_id = 'a'$$),
  ('scope wrong', $$--rows
UPDATE kg_entity SET scope = '9/' WHERE tenant = 'check' AND entity_id = 'a'$$),
  ('version wrong', $$--rows
UPDATE kg_entity SET version = 0 WHERE tenant = 'check' AND entity_id = 'a'$$),
  ('id is not that of the data', $$--rows
UPDATE kg_entity SET data = jsonb_set(data, '{id}', '"q"') WHERE tenant = 'check' AND entity_id = 'c'$$),
  ('data that the schema refuses', $$--rows
UPDATE kg_entity SET data = data || '{"size": "big"}' WHERE tenant = 'check' AND entity_id = 'c'$$),
  ('data that is no object', $$--rows
UPDATE kg_entity SET data = '5' WHERE tenant = 'check' AND entity_id = 'c'$$),
  ('data changed, nothing derived', $$--rows
UPDATE kg_entity SET data = data || '{"name": "Stool", "size": 7}' WHERE tenant = 'check' AND entity_id = 'c'$$),
  ('type that is not there', $$--rows
UPDATE kg_entity SET type_no = 0 WHERE tenant = 'check' AND entity_id = 'c'$$),
  ('reference that dangles', $$--rows
UPDATE kg_entity SET data = data || '{"up": "nobody"}' WHERE tenant = 'check' AND entity_id = 'c'$$),
  ('entity deleted behind the triggers', $$--rows
ALTER TABLE kg_entity DISABLE TRIGGER ALL; DELETE FROM kg_entity WHERE tenant = 'check' AND entity_id = 'c'$$),
  ('term missing', $$DELETE FROM kg_term WHERE tenant = 'check' AND term = 'desk'$$),
  ('label stale', $$UPDATE kg_term SET term = 'dusk' WHERE tenant = 'check' AND term = 'desk'$$),
  ('term of no entity', $$INSERT INTO kg_term SELECT tenant, term, kind, type_no, -1 FROM kg_term WHERE tenant = 'check' AND term = 'desk'$$),
  ('trigram missing', $$DELETE FROM kg_trigram WHERE tenant = 'check' AND term = 'desk' AND trigram = (SELECT min(trigram) FROM kg_trigram WHERE tenant = 'check' AND term = 'desk')$$),
  ('unique key missing', $$DELETE FROM kg_unique_key WHERE tenant = 'check' AND node = check_node('a')$$),
  ('unique key extra', $$INSERT INTO kg_unique_key SELECT tenant, type_no, field, key || '\x00', node FROM kg_unique_key WHERE tenant = 'check' AND node = check_node('a')$$),
  ('unique key of another', $$UPDATE kg_unique_key SET node = check_node('b') WHERE tenant = 'check' AND node = check_node('c')$$),
  ('unique key of no entity', $$UPDATE kg_unique_key SET node = -1 WHERE tenant = 'check' AND node = check_node('c')$$),
  ('derived edge missing', $$--rows
DELETE FROM kg_edge WHERE tenant = 'check' AND source = check_node('c') AND property = 'up'$$),
  ('derived edge extra', $$--rows
INSERT INTO kg_edge(tenant, source, relation_no, target, property) SELECT tenant, check_node('a'), relation_no, check_node('c'), property FROM kg_edge WHERE tenant = 'check' AND source = check_node('c') AND property = 'up'$$),
  ('derived edge of another property', $$--rows
UPDATE kg_edge SET property = 'down' WHERE tenant = 'check' AND source = check_node('c') AND property = 'up'$$),
  ('derived edge to another', $$--rows
UPDATE kg_edge SET target = check_node('a') WHERE tenant = 'check' AND source = check_node('c') AND property = 'up'$$),
  ('edge to nothing', $$--rows
INSERT INTO kg_edge(tenant, source, relation_no, target) SELECT tenant, source, relation_no, -1 FROM kg_edge WHERE tenant = 'check' AND property IS NULL$$),
  ('edge of no relation', $$--rows
INSERT INTO kg_edge(tenant, source, relation_no, target) SELECT tenant, source, 0, target FROM kg_edge WHERE tenant = 'check' AND property IS NULL$$),
  ('edge with properties that its relation refuses', $$--rows
UPDATE kg_edge SET properties = '{"far": 1}' WHERE tenant = 'check' AND property IS NULL$$),
  ('edge between types that its relation does not have', $$--rows
UPDATE kg_edge SET relation_no = (SELECT relation_no FROM kg_edge WHERE tenant = 'check' AND property = 'up' LIMIT 1) WHERE tenant = 'check' AND property IS NULL$$),
  ('generated tool missing', $$DELETE FROM kg_tool WHERE tenant = 'check' AND tool = 'list_thing'$$),
  ('generated tool that its type does not expose', $$INSERT INTO kg_tool VALUES ('check', 'delete_thing', 'ch', 'thing', 'delete')$$),
  ('generated tool that does another thing', $$UPDATE kg_tool SET operation = 'list_ids' WHERE tenant = 'check' AND tool = 'get_thing'$$),
  ('tools of another type', $$UPDATE kg_tool SET tool = tool || '_else' WHERE tenant = 'check'$$),
  ('tool of a relation that is not there', $$INSERT INTO kg_tool VALUES ('check', 'link_far', 'ch', NULL, 'link', 'FAR')$$),
  ('registered tool without a version, and its alias', $$INSERT INTO kg_tool VALUES ('check', 'asks', NULL, NULL, 'registered', NULL, NULL), ('check', 'asked', NULL, NULL, 'alias', NULL, 'asks'), ('check', 'lost', NULL, NULL, 'alias', NULL, 'nobody')$$),
  ('hash of another schema', $$UPDATE kg_entity_type SET schema_hash = repeat('0', 64) WHERE tenant = 'check'$$),
  ('indexed property without a number', $$UPDATE kg_entity_type SET key_fields = array_remove(key_fields, 'size') WHERE tenant = 'check'$$),
  ('relation of a reference missing', $$DELETE FROM kg_relation WHERE tenant = 'check' AND property = 'by'$$),
  ('relation of no reference', $$UPDATE kg_relation SET property = 'name' WHERE tenant = 'check' AND property = 'by'$$),
  ('idempotency keys that end no retry', $$INSERT INTO kg_idempotency VALUES ('check', '["a", null, null, "f"]', 'k1', '\x01', '{}', now()), ('check', '["a", null, null, "f"]', 'k2', sha256(''), '7', now()), ('check', '["a", null, null, "f"]', 'k3', sha256(''), '{}', now() + '1 day'), ('check', '["a", null, null, "f"]', 'k4', sha256(''), '{}', now())$$),
  ('quota that says it has more', $$SELECT FROM kg_set_limits('check', '*', '{"entities": 100, "edges": 100}'); UPDATE kg_quota SET used = used + 1 WHERE tenant = 'check' AND quota = 'entities' AND stripe = 3$$),
  ('quota that deals out more', $$SELECT FROM kg_set_limits('check', '*', '{"bytes": 100000}'); UPDATE kg_quota SET allotted = allotted + 1 WHERE tenant = 'check' AND stripe = 0$$),
  ('quotas past which was written', $$SELECT FROM kg_set_limits('check', '*', '{"entities": 100, "edges": 100, "bundles": 2, "bytes": 100000}'); ALTER TABLE kg_edge DISABLE TRIGGER ALL; DELETE FROM kg_edge WHERE tenant = 'check' AND property IS NULL; ALTER TABLE kg_edge ENABLE TRIGGER ALL$$),
  ('rows of no tenant', $$INSERT INTO kg_term SELECT 'check nobody', term, kind, type_no, node FROM kg_term WHERE tenant = 'check'; INSERT INTO kg_trigram VALUES ('check none', 'abc', 'abcd'); INSERT INTO kg_unique_key VALUES ('check none', 1, 'f', 'k', 1)$$),
  ('edges of no tenant', $$--rows
INSERT INTO kg_edge(tenant, source, relation_no, target) VALUES ('check nobody', 1, 1, 2); INSERT INTO kg_adjacency SELECT 'check nobody', block, nodes, alone, outgoing, incoming FROM kg_adjacency WHERE tenant = 'check' AND block > 0 LIMIT 1$$),
  ('packed block wrong', $$UPDATE kg_adjacency SET outgoing = incoming WHERE tenant = 'check' AND block > 0$$),
  ('packed block without a direction', $$UPDATE kg_adjacency SET incoming = NULL WHERE tenant = 'check' AND block > 0$$),
  ('edge that its packed block lacks', $$--rows
INSERT INTO kg_edge(tenant, source, relation_no, target) SELECT tenant, target, relation_no, source FROM kg_edge WHERE tenant = 'check' AND property IS NULL$$),
  ('references never checked', $$ALTER TABLE kg_pending_reference DISABLE TRIGGER kg_references; INSERT INTO kg_pending_reference VALUES ('check', 1, '{}', '{}', 0); ALTER TABLE kg_pending_reference ENABLE ALWAYS TRIGGER kg_references$$),
  ('trigger disabled', $$ALTER TABLE kg_entity DISABLE TRIGGER kg_entity_updated$$),
  ('trigger as others are', $$ALTER TABLE kg_entity ENABLE TRIGGER kg_entity_updated$$),
  ('trigger missing', $$DROP TRIGGER kg_packed_inserted ON kg_edge$$),
  ('policy missing', $$DROP POLICY kg_entity_select ON kg_entity$$),
  ('policy altered', $$ALTER POLICY kg_entity_select ON kg_entity USING (true)$$),
  ('row security off', $$ALTER TABLE kg_term DISABLE ROW LEVEL SECURITY$$),
  ('row security not forced', $$ALTER TABLE kg_term NO FORCE ROW LEVEL SECURITY$$),
  ('index missing', $$DROP INDEX kg_edge_target_idx$$),
  ('index of other columns', $$DROP INDEX kg_edge_target_idx; CREATE INDEX kg_edge_target_idx ON kg_edge (tenant)$$),
  ('index not valid', $$UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'kg_term_node_idx'::regclass$$),
  ('primary key not valid', $$UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'kg_term_pkey'::regclass$$),
  ('index that an interrupted REINDEX left', $$CREATE INDEX kg_term_node_idx_ccnew ON kg_term (tenant, node); UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'kg_term_node_idx_ccnew'::regclass$$),
  ('constraint missing', $$ALTER TABLE kg_tool DROP CONSTRAINT kg_tool_operation_check$$),
  ('privilege missing', $$REVOKE SELECT ON kg_term FROM check_writer$$),
  ('privilege to write missing', $$REVOKE INSERT ON kg_entity FROM check_writer$$),
  ('grant orphaned', $$INSERT INTO kg_tenant_role(tenant, role, role_name, access) VALUES ('check', 1, 'check_gone', 'admin')$$),
  ('policy of a DBA, not registered', $$CREATE POLICY by_hand ON kg_entity AS RESTRICTIVE USING (true)$$),
  ('policy of a DBA, registered and dropped', $$SELECT kg_add_policy('check_hide', 'kg_entity', 'true'); DROP POLICY check_hide ON kg_entity$$),
  ('storage', $$ALTER TABLE kg_adjacency RESET (toast_tuple_target)$$),
  ('when a table is vacuumed', $$ALTER TABLE kg_entity SET (autovacuum_vacuum_scale_factor = 0.01)$$),
  ('sequence behind, nodes', $$SELECT setval('kg_node_seq', 1)$$),
  ('sequence behind, types', $$SELECT setval('kg_type_seq', 1)$$),
  ('sequence behind, relations', $$SELECT setval('kg_relation_seq', 1, false)$$),
  ('column of a DBA', $$ALTER TABLE kg_entity ADD COLUMN mine integer$$),
  ('rule of a DBA', $$CREATE RULE mine AS ON UPDATE TO kg_limit DO ALSO NOTHING$$),
  ('table not logged', $$ALTER TABLE kg_term SET UNLOGGED$$),
  ('storage of a column, of what is toasted', $$ALTER TABLE kg_entity ALTER COLUMN data SET STORAGE EXTERNAL, SET (toast.autovacuum_enabled = off)$$),
  ('no statistics of a column', $$ALTER TABLE kg_entity ALTER COLUMN data SET STATISTICS 0$$),
  ('permissive policy of a DBA', $$CREATE POLICY by_hand ON kg_entity USING (true)$$),
  ('function dropped that PUBLIC may not', $$ALTER EXTENSION kg_graph DROP FUNCTION kg_create_tenant(text); DROP FUNCTION kg_create_tenant(text)$$),
  ('function dropped with the policies that ask it', $$ALTER EXTENSION kg_graph DROP FUNCTION kg_own_tenant(text); DROP FUNCTION kg_own_tenant(text) CASCADE$$),
  ('function that this check asks', $$ALTER FUNCTION kg_dump_customizations() RENAME TO kg_mine$$),
  ('function of SQL altered', $$ALTER FUNCTION kg_definitions() RESET search_path$$),
  ('function of another owner', $$ALTER FUNCTION kg_pack() OWNER TO pg_monitor$$),
  ('table that is no member', $$ALTER EXTENSION kg_graph DROP TABLE kg_history$$),
  ('dumps without rows', $$UPDATE pg_extension SET extconfig = NULL WHERE extname = 'kg_graph'$$),
  ('table with an heir', $$CREATE TABLE check_heir () INHERITS (kg_entity)$$),
  ('sequence that begins again', $$ALTER SEQUENCE kg_type_seq MAXVALUE 1000000 CYCLE$$),
  ('sequence dropped', $$ALTER EXTENSION kg_graph DROP SEQUENCE kg_change_seq; DROP SEQUENCE kg_change_seq$$),
  ('role that no policy holds', $$ALTER ROLE check_writer BYPASSRLS$$),
  ('packed block that cannot be read', $$UPDATE kg_adjacency SET outgoing = '\xffffffffffff' WHERE tenant = 'check' AND block > 0$$),
  ('packed block that ends early', $$UPDATE kg_adjacency SET incoming = '\xff' WHERE tenant = 'check' AND block > 0$$),
  ('packed edges that cannot be read', $$UPDATE kg_adjacency SET outgoing = set_byte(outgoing, length(outgoing) - 1, 255) WHERE tenant = 'check' AND block > 0$$),
  ('two at once', $$DELETE FROM kg_term WHERE tenant = 'check' AND term = 'desk'; DROP POLICY kg_edge_select ON kg_edge$$),
  ('nothing', $$SELECT 1$$);
SELECT what, finds, left_over FROM check_plants, check_plant(plant) ORDER BY n;
SELECT kg_check('{"tenant": "check"}') - 'ms' AS as_before;

-- what is told, and to whom
BEGIN;
SELECT pg_temp.triggers(false);
UPDATE kg_entity SET data = data || '{"size": "big"}' WHERE tenant = 'check' AND entity_id = 'c';
UPDATE kg_entity SET data = data || '{"up": "nobody"}' WHERE tenant = 'check' AND entity_id = 'b';
DELETE FROM kg_term WHERE tenant = 'check' AND term = 'desk';
SELECT pg_temp.triggers(true);
ALTER TABLE kg_tool DROP CONSTRAINT kg_tool_operation_check;
SET ROLE check_admin;
SELECT regexp_replace((d - 'id')::text, '\y[0-9]+ ', '# ', 'g') AS found FROM jsonb_array_elements(kg_check() -> 'differences') d ORDER BY 1;
SELECT r - 'ms' - 'differences' AS rest, jsonb_array_length(r -> 'differences') AS told FROM kg_check('{"limit": 1}') r;
SET ROLE check_other;
SELECT kg_check() - 'ms';
SAVEPOINT s; SELECT kg_check('{"tenant": "check"}'); ROLLBACK TO s;
SET ROLE check_writer;
SAVEPOINT s; SELECT kg_check(); ROLLBACK TO s;
RESET ROLE;
SELECT d FROM jsonb_array_elements(kg_check() -> 'differences') d WHERE d ->> 'kind' = 'definition_wrong';
SET TRANSACTION READ ONLY;
SELECT kg_check('{"tenant": "check"}') -> 'ok' AS ok;
SAVEPOINT s; SELECT kg_check('{"repair": true}'); ROLLBACK TO s;
ROLLBACK;
-- what nobody made is no statement to run after a restore
BEGIN; CREATE INDEX kg_term_node_idx_ccnew ON kg_term (tenant, node); UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'kg_term_node_idx_ccnew'::regclass;
SELECT kg_check() -> 'differences' AS left; SELECT kg_dump_customizations(); ROLLBACK;
-- nor is a copy of one of ours that REINDEX of what was left made valid; one that only begins so is a DBA's own
BEGIN; CREATE INDEX kg_term_node_idx_ccnew1 ON kg_term (tenant, node); CREATE UNIQUE INDEX kg_bundle_pkey_ccold ON kg_bundle (tenant, bundle); CREATE INDEX kg_term_node_idx_mine ON kg_term (node);
SELECT d AS left FROM jsonb_array_elements(kg_check() -> 'differences') d; SELECT kg_dump_customizations(); ROLLBACK;
-- a column of ours that a DBA renamed or dropped is named, also one that the check itself reads; what is mended after it cannot be yet
DO $$ BEGIN EXECUTE format('GRANT %I TO check_dba', current_user); END $$; SET ROLE check_dba;
CREATE FUNCTION check_columns() RETURNS TABLE (health text, components bigint, problems jsonb, differences jsonb) LANGUAGE sql AS $$
  SELECT h ->> 'status', jsonb_array_length(h -> 'components'), h #> '{components,1,metrics,problems}', kg_check('{"repair": true}') -> 'differences' FROM kg_health() h $$;
BEGIN; ALTER TABLE kg_term RENAME COLUMN kind TO sort; SELECT * FROM check_columns(); ROLLBACK;
BEGIN; ALTER TABLE kg_entity RENAME COLUMN data TO "Data"; ALTER TABLE kg_entity ADD note text; SELECT * FROM check_columns(); ROLLBACK;
BEGIN; ALTER TABLE kg_history DROP COLUMN agent; SELECT * FROM check_columns(); ROLLBACK;
BEGIN; ALTER TABLE kg_tenant RENAME COLUMN tenant TO name; SELECT * FROM check_columns(); ROLLBACK;
BEGIN; ALTER TABLE kg_manifest RENAME COLUMN definition TO text; SELECT * FROM check_columns(); ROLLBACK;
-- one of another type or collation is, too; what else it was made with is mended
BEGIN; ALTER TABLE kg_entity ALTER updated_at TYPE date; SELECT * FROM check_columns(); ROLLBACK;
BEGIN; ALTER TABLE kg_bundle ALTER version TYPE text COLLATE "POSIX", ALTER revision TYPE integer; SELECT * FROM check_columns(); ROLLBACK;
BEGIN; ALTER TABLE kg_entity ALTER created_at SET DEFAULT '-infinity', ALTER index_keys DROP DEFAULT; ALTER TABLE kg_entity_type ALTER type_no SET DEFAULT 1;
SELECT health, components, problems, regexp_replace(differences::text, 'ALTER COLUMN [a-z_]+ SET NOT NULL, ', '', 'g') AS differences FROM check_columns(); SELECT * FROM check_columns(); ROLLBACK;
-- as a constraint, in later majors
BEGIN; ALTER TABLE kg_entity ALTER updated_at DROP NOT NULL; SELECT health, differences::text ~ 'updated_at.* NOT NULL' AS told FROM check_columns(); SELECT * FROM check_columns(); ROLLBACK;
-- one that a DBA added is the DBA's
BEGIN; ALTER TABLE kg_entity ADD mine text NOT NULL DEFAULT 'x'; SELECT health, problems FROM check_columns(); ROLLBACK;
-- a column that gives its own numbers takes none of ours, and a key that others refer to is made before they are
BEGIN; ALTER TABLE kg_entity ALTER node ADD GENERATED ALWAYS AS IDENTITY; ALTER TABLE kg_bundle ALTER revision DROP DEFAULT, ALTER revision ADD GENERATED BY DEFAULT AS IDENTITY;
SELECT health, problems FROM check_columns(); SELECT kg_check('{"repair": true}') -> 'left' AS "left"; SELECT health, problems FROM check_columns(); ROLLBACK;
BEGIN; SET LOCAL client_min_messages = error; ALTER TABLE kg_bundle DROP CONSTRAINT kg_bundle_pkey CASCADE; SELECT kg_check('{"repair": true}') -> 'left' AS "left"; ROLLBACK;
SELECT health, components, problems FROM check_columns();
DROP FUNCTION check_columns(); RESET ROLE; DO $$ BEGIN EXECUTE format('REVOKE %I FROM check_dba', current_user); END $$;
-- options
SELECT kg_check('{"limit": -1}'); SELECT kg_check('{"limit": 1.5}'); SELECT kg_check('{"repair": 1}'); SELECT kg_check('{"tenant": 1}'); SELECT kg_check('{"tenants": "a"}'); SELECT kg_check('[]');
SELECT kg_check('{"tenant": "no such"}') - 'ms' - 'differences' -> 'counts' -> 'tenants' AS tenants;
-- What kg_pack() and kg_rebuild() do of packed edges that are damaged.
CREATE FUNCTION check_packed() RETURNS TABLE (packed text, differences bigint) LANGUAGE sql AS $$
  SELECT string_agg(format('%s %s %s %s %s', block, nodes, alone, outgoing, incoming), ' ' ORDER BY block), (SELECT count(*) FROM jsonb_array_elements(kg_check('{"tenant": "check"}') -> 'differences')) FROM kg_adjacency WHERE tenant = 'check' AND block <> 0 $$;
SET ROLE check_admin;
SELECT count(*) AS put FROM kg_put_entities('thing', (SELECT jsonb_agg(jsonb_build_object('id', 'h' || n, 'up', 'c')) FROM generate_series(1, 400) n));
RESET ROLE;
DO $$
DECLARE
  was text;
  now text;
  wrong bigint;
  damage text;
  mend text;
BEGIN
  SET LOCAL ROLE check_admin; PERFORM kg_pack(); RESET ROLE;
  SELECT packed INTO was FROM check_packed();
  RAISE WARNING 'a node by itself is packed: %', was ~ '(^| )-[0-9]';
  FOREACH damage IN ARRAY ARRAY['outgoing = ''\xffff''', 'incoming = ''\xff''', 'outgoing = incoming', 'incoming = NULL', 'nodes = nodes | 2', 'alone = 0', 'alone = 2'] LOOP
    FOREACH mend IN ARRAY ARRAY['kg_pack', 'kg_rebuild'] LOOP
      EXECUTE format('UPDATE kg_adjacency SET %s WHERE tenant = ''check'' AND block <> 0', damage);
      SET LOCAL ROLE check_admin; EXECUTE format('SELECT %s()', mend); PERFORM kg_pack(); RESET ROLE;
      SELECT packed, differences INTO now, wrong FROM check_packed();
      IF now <> was OR wrong > 0 THEN RAISE WARNING '% after %: % differences', mend, damage, wrong; END IF;
    END LOOP;
  END LOOP;
  -- What an edge reads of one is said, and what mends it.
  UPDATE kg_adjacency SET outgoing = '\xffff', incoming = '\xffff' WHERE tenant = 'check' AND block <> 0;
  SET LOCAL ROLE check_admin;
  BEGIN
    PERFORM kg_neighbors('{"start_node": {"label": "thing", "node_id": "c"}, "max_hops": 1}');
  EXCEPTION WHEN data_corrupted THEN
    RAISE WARNING '%', SQLERRM;
  END;
  PERFORM kg_pack();
  PERFORM kg_neighbors('{"start_node": {"label": "thing", "node_id": "c"}, "max_hops": 1}');
END
$$;
DROP FUNCTION check_packed();
-- A function that is made again by its definition has the same one: what is mended is not told again.
BEGIN; SET LOCAL search_path = pg_catalog, pg_temp;
DO $$ DECLARE f record; BEGIN FOR f IN SELECT * FROM public.kg_more_definitions() WHERE kind = 'function' LOOP EXECUTE f.definition; END LOOP; END $$;
SELECT * FROM public.kg_definitions_wrong();
ROLLBACK;
-- of one snapshot
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT kg_check('{"tenant": "check"}') -> 'ok' AS ok; COMMIT;

DROP TABLE check_plants; DROP FUNCTION check_plant(text), check_node(text), check_bundle();
CALL test.drop('check', 'check other');
DROP ROLE check_dba;
