-- Creates two tenants with rows in every table of the extension. Run by a superuser in
-- a database with the extension. An earlier version of the extension must have all
-- functions that this file calls.
\set QUIET on
\set ON_ERROR_STOP on
\o /dev/null
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'released_admin') THEN
    CREATE ROLE released_admin;
    CREATE ROLE released_reader;
    CREATE ROLE released_other;
    CREATE ROLE released_gateway;
  END IF;
END $$;
SELECT kg_create_tenant('first'), kg_create_tenant('second'), kg_create_tenant('frozen');
SELECT kg_grant('first', 'released_admin', 'admin'), kg_grant('first', 'released_reader', 'read'), kg_grant('second', 'released_other', 'admin'), kg_grant_gateway('released_gateway');
SELECT kg_add_policy('released_secret', 'kg_entity', 'entity_id <> ''secret''', roles => ARRAY['released_reader']);
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, tenant) VALUES ('https://released', 'own', 'HS256', convert_to(repeat('k', 32), 'UTF8'), 'kg', 'first');

SET ROLE released_admin;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "description": "Brands and what they make.", "instructions": "Ask for brands first.", "schemas": [
    {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-alias-fields": ["also"], "x-history": true, "x-tool-expose": ["list", "get", "list_ids", "create", "update", "delete", "history"],
      "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "also": {"type": "array", "items": {"type": "string"}}, "rank": {"type": "number", "x-index": true}, "code": {"type": "string", "x-index": true}, "since": {"type": "string", "format": "date", "x-index": true}, "makes": {"type": "integer", "x-derived": {"count": "BRAND", "direction": "incoming"}}}}},
    {"entity_type": "product", "schema": {"type": "object", "x-id-field": "id", "x-search": ["note"], "properties": {"id": {"type": "string"}, "note": {"type": "string"}, "kind": {"type": "string", "enum": ["light", "seat", "table"], "x-index": true}, "brand": {"type": "string", "x-ref": "brand"}, "by": {"type": "string", "x-ref": "brand", "x-ref-field": "code"}, "parts": {"type": "array", "items": {"type": "string", "x-ref": "product"}}}, "required": ["brand"]}}],
    "relations": [{"name": "likes", "from": "brand", "to": "brand", "history": true, "key": ["year"], "schema": {"type": "object", "properties": {"year": {"type": "integer"}, "much": {"type": "number"}}, "required": ["year"]}},
      {"name": "near", "from": "brand", "to": "brand", "symmetric": true}],
    "entities": [{"entity_type": "brand", "items": [{"id": "north", "name": "Größe \"N\"\\", "also": ["boreal"], "rank": 12345678901234567890.1234567890, "code": "n", "since": "1999-12-31"}, {"id": "south", "name": "South", "rank": 1e-30, "code": "s"}, {"id": "west", "code": "w"}, {"id": "secret", "code": "x", "rank": 7}]},
      {"entity_type": "product", "items": [{"id": "bulb", "kind": "light", "brand": "south"}, {"id": "lamp", "note": "a lamp that shines at night", "kind": "light", "brand": "north", "by": "s", "parts": ["bulb"]}, {"id": "desk", "note": "a desk for a lamp", "kind": "table", "brand": "south"}]}],
    "edges": [{"relation": "likes", "from": "brand:north", "to": "brand:south", "properties": {"year": 1999, "much": 0.5}}, {"relation": "likes", "from": "brand:north", "to": "brand:south", "properties": {"year": 2000}}, {"relation": "near", "from": "brand:west", "to": "brand:south"}]}');
SELECT kg_put_entities('brand', '[{"id": "east"}]', '{"idempotency_key": "once", "reason": "why not"}');
SELECT kg_delete_entities('brand', ARRAY['east']);
SELECT kg_put_entities('brand', '[{"id": "east", "name": "again"}, {"id": "south", "name": "was changed", "rank": 3, "code": "s"}, {"id": "gone"}]');
SELECT kg_delete_entities('brand', ARRAY['gone']);
SELECT kg_apply_bundle('{"bundle_name": "old", "version": "1", "schemas": [{"entity_type": "left", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"}}}}], "entities": [{"entity_type": "left", "items": [{"id": "a"}]}]}');
SELECT kg_drop_bundle('old');
SELECT kg_create_agent('ann', '{"title": "Ann", "description": "who sells", "bundles": ["shop"], "tools": ["list_brand", "kg_get"]}'), kg_create_agent('bob', '{"toolsets": []}');
SELECT kg_register_tool('{"name": "by_kind", "version": "1.0.0", "kind": "query", "description": "Products of a kind.", "aliases": ["kinds"], "input_schema": {"properties": {"kind": {"type": "string"}}, "required": ["kind"]}, "operation": {"tool": "list_product", "arguments": {"filters": {"kind": {"$arg": "kind"}}}}}');
SELECT kg_set_limits('first', '*', '{"entities": 100, "bytes": 100000, "max_rows": 50}'), kg_set_limits('first', 'agent:ann', '{"concurrent_calls": 3}');
SELECT kg_load_batch('file.csv', 0, '{"line": 7}');
SELECT kg_pack();
SET ROLE released_other;
SELECT kg_apply_bundle('{"bundle_name": "graph", "version": "2", "schemas": [{"entity_type": "node", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "n": {"type": "integer", "x-index": true}}}}],
  "relations": [{"name": "next", "from": "node", "to": "node"}]}');
SELECT kg_put_entities('node', jsonb_agg(jsonb_build_object('id', 'n' || i, 'n', i))) FROM generate_series(1, 100) i;
SELECT kg_put_edges(jsonb_agg(jsonb_build_object('relation', 'next', 'from', 'node:n' || i, 'to', 'node:n' || CASE WHEN i % 3 = 0 THEN 1 ELSE i % 100 + 1 END))) FROM generate_series(1, 100) i;
SELECT kg_pack();
SELECT kg_put_edges('[{"relation": "next", "from": "node:n50", "to": "node:n7"}]');
RESET ROLE;
INSERT INTO kg_audit(tenant, at, tool, ms) VALUES ('first', '2026-01-01 00:00:00Z', 'kg_list', 0.1);
SELECT kg_set_limits('frozen', '*', '{"bytes": 1000}');
SELECT kg_freeze_tenant('frozen');
\o
