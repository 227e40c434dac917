-- Views of a role whose name needs quotes, and of a property that has an order of its own; a trigger that gives an item another id.
\i test/data/prelude.sql
CREATE ROLE "Views Odd" LOGIN;
CALL test.tenant('views odd');
SELECT kg_grant('views odd', 'Views Odd', 'admin');
GRANT CREATE ON DATABASE :"db" TO "Views Odd";
\c - "Views Odd"
SELECT kg_apply_bundle('{"bundle_name": "odd", "version": "1", "schemas": [{"entity_type": "pkg", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "v": {"type": "string", "x-index": true, "x-order": "version"}}}}]}') ->> 'changed' AS changed;
SELECT kg_put_entities('pkg', jsonb_agg(jsonb_build_object('id', 'p' || n, 'v', format('%s.%s', n / 20, n % 20)))) -> 'counts' -> 'created' AS created FROM generate_series(1, 400) n;
CREATE SCHEMA odd;
SELECT jsonb_path_query_array(kg_create_views('odd'), '$.**.created[*]') AS created;
SELECT jsonb_path_query_array(kg_refresh_views(), '$.**.schema') AS schemas;
-- They are known again however strings are read; what is said of settings, too.
\c -
CALL test.odd_strings();
SELECT jsonb_path_query_array(kg_refresh_views('odd'), '$.**.created[*]') AS created, jsonb_path_query_array(kg_refresh_views('odd'), '$.**.unchanged[*]') AS unchanged;
RESET standard_conforming_strings;
SELECT kg_create_views(repeat('l', 64));
SELECT kg_create_views('');
SELECT kg_refresh_views(repeat('l', 64));
SELECT kg_create_views(repeat('l', 63)) ->> 'schema' = repeat('l', 63) AS told, count(*) FROM pg_namespace WHERE nspname = repeat('l', 63);
SET client_min_messages = warning;
DROP SCHEMA lllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllll CASCADE;
RESET client_min_messages;
-- The column is text: what keys in the order of versions find is not it.
SET enable_seqscan = off;
SELECT (SELECT count(*) FROM odd.pkg WHERE v < '1.9') = (SELECT count(*) FROM kg_entity WHERE data ->> 'v' < '1.9' COLLATE "C") AS below,
  (SELECT count(*) FROM odd.pkg WHERE v LIKE '1.1%') AS begins, (SELECT count(*) FROM odd.pkg WHERE v = '1.10') AS same, (SELECT count(*) FROM odd.pkg WHERE v IN ('1.9', '1.10')) AS one_of;
-- The entity's id is under no name that SQL reads as a property's.
SELECT kg_apply_bundle('{"bundle_name": "folds", "version": "1", "schemas": [
  {"entity_type": "upper", "schema": {"type": "object", "x-id-field": "key", "properties": {"key": {"type": "string"}, "ID": {"type": "integer"}}}},
  {"entity_type": "both", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "Id": {"type": "integer"}}}},
  {"entity_type": "itself", "schema": {"type": "object", "x-id-field": "ID", "properties": {"ID": {"type": "string"}}}},
  {"entity_type": "taken", "schema": {"type": "object", "x-id-field": "key", "properties": {"key": {"type": "string"}, "iD": {"type": "integer"}, "Entity_ID": {"type": "integer"}}}}],
  "entities": [{"entity_type": "upper", "items": [{"key": "u", "ID": 7}]}, {"entity_type": "both", "items": [{"id": "b", "Id": 7}]}, {"entity_type": "itself", "items": [{"ID": "i"}]}, {"entity_type": "taken", "items": [{"key": "t", "iD": 7, "Entity_ID": 8}]}]}') ->> 'changed' AS changed;
SELECT jsonb_path_query_array(kg_refresh_views('odd'), '$.**.created[*]') AS created;
SELECT attrelid::regclass AS view, string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns FROM pg_attribute WHERE attrelid = ANY (ARRAY['odd.upper', 'odd.both', 'odd.itself', 'odd.taken']::regclass[]) AND attnum > 0 GROUP BY attrelid ORDER BY attrelid::regclass::text COLLATE "C";
SELECT entity_id, "ID" FROM odd.upper;
SELECT entity_id, id, "Id" FROM odd.both;
SELECT id, "ID" FROM odd.itself;
SELECT key, "iD", "Entity_ID" FROM odd.taken WHERE "iD" = 7;
SELECT id FROM odd.upper;
SELECT entity_id FROM odd.taken;
\c - :owner
CREATE FUNCTION views_odd() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.entity_id := 'other'; NEW.data := NEW.data || '{"id": "other"}'; RETURN NEW; END $$;
CREATE TRIGGER a_other BEFORE INSERT ON kg_entity FOR EACH ROW EXECUTE FUNCTION views_odd();
\c - "Views Odd"
SELECT kg_put_entities('pkg', '[{"id": "one", "v": "1"}]');
SELECT count(*) FROM kg_entity;
\c - :owner
DROP TRIGGER a_other ON kg_entity;
DROP FUNCTION views_odd;
DROP SCHEMA odd CASCADE;
SELECT kg_drop_tenant('views odd');
DROP OWNED BY "Views Odd";
DROP ROLE "Views Odd";
