-- Stored types that refer to types that read a table: writes, walks, checks, and what a deletion in the table leaves.
\i test/data/prelude.sql
CALL test.tenant('mixed', 'mixed_admin admin', 'mixed_writer write', 'mixed_reader read');
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION mixed_asked(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
  r jsonb;
BEGIN
  EXECUTE 'SELECT ' || sql INTO r;
  RETURN r;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  r := detail;
  RETURN coalesce((SELECT string_agg(concat_ws(' | ', e ->> 'code', e ->> 'message', e ->> 'path', e ->> 'expected'), E'\n  ') FROM jsonb_array_elements(r -> 'errors') e), concat_ws(' | ', r ->> 'code', r ->> 'message', r ->> 'path', r ->> 'expected'));
END $$;
GRANT EXECUTE ON FUNCTION mixed_asked TO PUBLIC;
CREATE SCHEMA sales;
GRANT USAGE ON SCHEMA sales TO PUBLIC;
CREATE TABLE sales.company (company_id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE sales.customer (customer_id bigint PRIMARY KEY, full_name text NOT NULL, secret boolean NOT NULL, company_id integer REFERENCES sales.company);
CREATE INDEX ON sales.customer (company_id);
INSERT INTO sales.company VALUES (1, 'Ash'), (2, 'Birch');
INSERT INTO sales.customer SELECT n, 'Customer ' || n, n % 5 = 0, 1 + n % 2 FROM generate_series(1, 12) n;
ALTER TABLE sales.customer ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON sales.customer USING (kg_tenant() = 'mixed' AND (NOT secret OR current_user = 'mixed_admin'));
GRANT SELECT ON sales.company, sales.customer TO mixed_admin, mixed_writer, mixed_reader;
\c - mixed_admin
SELECT kg_bind_table('crm', 'sales.company', '{"shared": true, "label": "name"}') ->> 'changed', kg_bind_table('crm', 'sales.customer', '{"label": "full_name"}') ->> 'changed';
CREATE FUNCTION pg_temp.bundle(reference jsonb, more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', 'desk', 'version', '1', 'schemas', jsonb_build_array(
    jsonb_build_object('entity_type', 'person', 'schema', '{"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}'::jsonb),
    jsonb_build_object('entity_type', 'ticket', 'schema', jsonb_build_object('type', 'object', 'x-id-field', 'id', 'x-label-field', 'title', 'x-tool-expose', '["list", "get", "create", "update"]'::jsonb, 'properties', jsonb_build_object(
      'id', '{"type": "string"}'::jsonb, 'title', '{"type": "string", "x-index": true}'::jsonb, 'owner', '{"type": "string", "x-ref": "person"}'::jsonb,
      'of', reference, 'watchers', '{"type": "array", "items": {"type": "string", "x-ref": "crm/customer", "x-relation": "WATCHED_BY"}, "x-index": true}'::jsonb) || more))))
$$;
-- refused: without an index, by another property, with x-on-delete, below the root, counted, by one relation twice
SELECT mixed_asked(format('kg_apply_bundle(%L)', pg_temp.bundle(r::jsonb, m::jsonb))) FROM (VALUES ('{"type": "string", "x-ref": "crm/customer"}', '{}'), ('{"type": "string", "x-ref": "crm/customer", "x-ref-field": "full_name", "x-index": true}', '{}'),
  ('{"type": "string", "x-ref": "crm/customer", "x-on-delete": "cascade", "x-index": true}', '{}'), ('{"type": "string", "x-ref": "crm/customer", "x-index": true}', '{"n": {"type": "integer", "x-derived": {"count": "OF"}}}'),
  ('{"type": "string", "x-ref": "crm/customer", "x-index": true}', '{"by": {"type": "string", "x-ref": "crm/customer", "x-relation": "OF", "x-index": true}}'),
  ('{"type": "object", "properties": {"x": {"type": "string", "x-ref": "crm/customer", "x-index": true}}}', '{}')) v(r, m);
SELECT kg_apply_bundle(pg_temp.bundle('{"type": "string", "x-ref": "crm/customer", "x-index": true}') || '{"entities": [{"entity_type": "person", "items": [{"id": "p1"}, {"id": "p2"}]}, {"entity_type": "ticket", "items": [{"id": "t1", "title": "One", "owner": "p1", "of": "4", "watchers": ["6", "7"]}, {"id": "t2", "title": "Two", "of": "5"}]}]}') ->> 'changed';
-- a count of such a relation from another bundle
SELECT mixed_asked($$kg_apply_bundle('{"bundle_name": "other", "version": "1", "schemas": [{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "n": {"type": "integer", "x-derived": {"count": "OF", "direction": "incoming"}}}}}]}')$$);
-- written by a caller that sees the row
\c - mixed_writer
SELECT mixed_asked($$kg_put_entities('ticket', '[{"id": "t3", "title": "Three", "of": "6", "watchers": ["7", "6"]}, {"id": "t4", "title": "Four"}]')$$);
SELECT mixed_asked($$kg_put_entities('ticket', '[{"id": "t5", "title": "Five", "of": "99"}]')$$);
SELECT mixed_asked($$kg_put_entities('ticket', '[{"id": "t5", "title": "Five", "of": "06"}]')$$);
SELECT mixed_asked($$kg_put_entities('ticket', '[{"id": "t5", "title": "Five", "of": "5"}]')$$);
SELECT mixed_asked($$kg_put_entities('ticket', '[{"id": "t5", "title": "Five", "watchers": ["1", "x/y", "2"]}]')$$);
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('desk', 'ticket', '{"id": "t5", "title": "Five", "of": "77"}');
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('desk', 'ticket', '{"id": "t5", "title": "Five", "of": "7", "owner": "p2"}');
-- an agent without the bundle of the table sees no row of it
\c - mixed_admin
SELECT kg_create_agent('desk_only', '{"bundles": ["desk"]}') IS NULL, kg_create_agent('both', '{"bundles": ["desk", "crm"]}') IS NULL;
\c - mixed_writer
SET kg_graph.agent = 'desk_only';
SELECT mixed_asked(format($$kg_put_entities('ticket', '[{"id": "probe", "title": "P", "of": "%s"}]')$$, n)) FROM unnest('{8,99}'::integer[]) n;
SELECT mixed_asked($$kg_put_entities('ticket', '[{"id": "t3", "title": "Three", "of": "6", "watchers": ["7", "6"]}]')$$);
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('desk', 'ticket', '{"id": "probe", "title": "P", "of": "8"}');
INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('desk', 'ticket', '{"id": "probe", "title": "P", "of": "99"}');
UPDATE kg_entity SET data = data || '{"of": "8"}' WHERE entity_id = 't4';
UPDATE kg_entity SET data = data || '{"title": "Three"}' WHERE entity_id = 't3';
SET kg_graph.agent = 'both';
SELECT mixed_asked(format($$kg_put_entities('ticket', '[{"id": "probe", "title": "P", "of": "%s"}]')$$, n)) FROM unnest('{8,99}'::integer[]) n;
SELECT kg_delete_entities('ticket', '{probe}') -> 'counts';
RESET kg_graph.agent;
-- walks, both ways; a row that the caller does not see is not there
SELECT kg_traverse('{"from": {"label": "ticket"}, "relationships": [{"type": "OF"}, {"type": "COMPANY"}]}') -> 'rows';
SELECT kg_traverse('{"from": {"label": "company", "ids": ["1"]}, "relationships": [{"type": "COMPANY", "direction": "incoming"}, {"type": ["OF", "WATCHED_BY"], "direction": "incoming"}], "ids_only": true}') -> 'rows';
SELECT kg_neighbors('{"start_node": {"label": "customer", "node_id": "6"}, "max_hops": 2}') - 'nodes';
SELECT kg_paths('{"from": {"label": "person"}, "to": {"label": "company"}, "max_hops": 4}') -> 'paths';
SELECT kg_describe('{"id": "ticket:t1"}');
SELECT kg_list('ticket', '{"fields": ["id", "of.full_name", "of.company_id.name"], "filters": {"of.full_name": {"starts_with": "Customer"}}}') -> 'items';
SELECT kg_list_ids('ticket', '{"filters": {"of": {"in": ["6", "7"]}}}') -> 'ids', kg_list_ids('ticket', '{"related": [{"type": "OF", "to": {"label": "customer", "filters": {"company_id": "1"}}}]}') -> 'ids', kg_list_ids('ticket', '{"not_related": [{"type": "OF"}]}') -> 'ids';
SELECT kg_list_ids('customer', '{"related": [{"type": "OF", "direction": "incoming"}]}') -> 'ids';
SELECT kg_aggregate('{"node": {"label": "ticket"}, "group_by": [{"relationship": "OF", "direction": "outgoing", "label": "customer", "property": "full_name"}], "aggregations": [{"fn": "count"}]}') -> 'rows';
SELECT kg_verify('{"claims": [{"from": "ticket:t1", "relation": "OF", "to": "customer:4"}, {"from": "ticket:t2", "relation": "OF", "to": "customer:5"}, {"from": "ticket:t1", "relation": "OF", "to": "customer:6"}, {"from": "person:p1", "to": "company:1", "within": 3}]}') -> 'counts';
SELECT kg_rank('{"seeds": ["customer:6"], "ids_only": true, "limit": 3}') #> '{ranked,1}';
SELECT mixed_asked($$kg_list('ticket', '{"sort": [{"field": "of.full_name"}]}')$$);
SELECT kg_query('{"sql": "SELECT o.\"from\", o.\"to\", o.from_type, o.to_type FROM \"OF\" o ORDER BY 1"}') -> 'rows';
SELECT kg_query('{"sql": "SELECT t.id, c.full_name FROM ticket t JOIN \"WATCHED_BY\" w ON w.\"from\" = t.id JOIN customer c ON c.customer_id::text = w.\"to\" ORDER BY 1, 2"}') -> 'rows';
-- a reference that the entity has already is not checked again
SELECT mixed_asked($$kg_put_entities('ticket', '[{"id": "t2", "title": "Two again", "of": "5"}]')$$);
-- a deletion in the table
\c - :owner
DELETE FROM sales.customer WHERE customer_id IN (4, 7);
\c - mixed_admin
SELECT kg_check() -> 'ok', jsonb_path_query_array(kg_check(), '$.differences[*].id'), kg_check() #> '{differences,0}';
SELECT kg_get('ticket', 't1');
SELECT kg_traverse('{"from": {"label": "ticket"}, "relationships": [{"type": ["OF", "WATCHED_BY"]}], "ids_only": true}') -> 'rows';
SELECT mixed_asked($$kg_put_entities('ticket', '[{"id": "t1", "title": "One again", "owner": "p2", "of": "4", "watchers": ["6", "7"]}]')$$);
SELECT mixed_asked($$kg_put_entities('ticket', '[{"id": "t1", "title": "One again", "owner": "p2", "of": "7", "watchers": ["6", "7"]}]')$$);
SELECT kg_put_entities('ticket', '[{"id": "t1", "title": "One again", "of": "6"}, {"id": "t5", "title": "Five"}, {"id": "t3", "title": "Three"}]') -> 'counts';
SELECT kg_check() -> 'ok';
SELECT kg_rebuild() IS NOT NULL, kg_pack() IS NOT NULL, kg_check() -> 'ok';
-- the caller must not read the table, or it is gone
\c - :owner
REVOKE SELECT ON sales.customer FROM mixed_writer;
\c - mixed_writer
SELECT mixed_asked($$kg_put_entities('ticket', '[{"id": "t6", "title": "Six", "of": "6"}]')$$);
SELECT mixed_asked($$kg_traverse('{"from": {"label": "ticket"}, "relationships": [{"type": "OF"}]}')$$);
SELECT kg_traverse('{"from": {"label": "ticket"}, "relationships": [{"type": "OWNER"}], "ids_only": true}') -> 'rows';
\c - :owner
DROP TABLE sales.customer;
\c - mixed_admin
SELECT mixed_asked($$kg_put_entities('ticket', '[{"id": "t6", "title": "Six", "of": "6"}]')$$);
SELECT jsonb_path_query_array(kg_check(), '$.differences[*].kind');
SELECT mixed_asked($$kg_drop_bundle('crm')$$);
SELECT kg_drop_bundle('desk') ->> 'changed', kg_drop_bundle('crm') ->> 'changed';
\c - :owner
DROP SCHEMA sales CASCADE;
DROP FUNCTION mixed_asked;
CALL test.drop('mixed');
