-- The generated tools that write: which callers have them, what they do, and what
-- they return.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('writing', 'writing_ada write', 'writing_bob read');
RESET client_min_messages;
GRANT EXECUTE ON FUNCTION kg_explain(text, jsonb) TO writing_ada; GRANT pg_read_all_stats TO writing_ada;
CREATE FUNCTION pg_temp.call(tool text, arguments jsonb) RETURNS jsonb LANGUAGE sql AS
$$ SELECT r -> 'structuredContent' || CASE WHEN (r ->> 'isError')::boolean THEN '{"isError": true}' ELSE '{}' END::jsonb FROM kg_call_tool(tool, arguments) r $$;
-- Errors of a call: where, what.
CREATE FUNCTION pg_temp.failed(tool text, arguments jsonb) RETURNS SETOF text LANGUAGE sql AS
$$ SELECT concat_ws(' | ', e ->> 'path', e ->> 'code', e ->> 'message', e ->> 'did_you_mean', 'version ' || (e ->> 'current_version'))
   FROM pg_temp.call(tool, arguments) r, jsonb_array_elements(coalesce(r #> '{error,errors}', r -> 'errors', jsonb_build_array(coalesce(r -> 'error', r)))) e $$;
SET ROLE writing_ada;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
  {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list", "get", "create", "update", "delete"],
    "additionalProperties": false, "$defs": {"money": {"type": "object", "properties": {"n": {"type": "number"}, "in": {"$ref": "#/$defs/money"}}}}, "properties": {
    "id": {"type": "string"}, "tier": {"enum": ["premium", "budget"], "x-index": true}, "note": {"type": ["string", "null"]},
    "price": {"$ref": "#/$defs/money"}, "products": {"type": "integer", "x-derived": {"count": "BRAND", "direction": "incoming"}}}}},
  {"entity_type": "product", "schema": {"type": "object", "x-tool-expose": ["get", "create", "update", "delete"], "x-id-field": "id", "x-label-field": "name",
    "required": ["name"], "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "brand": {"type": "string", "x-ref": "brand"}}}}],
  "relations": [{"name": "NEAR", "from": "product", "to": "product", "tools": ["link", "unlink"], "schema": {"type": "object", "properties": {"km": {"type": "number"}}}}],
  "entities": [{"entity_type": "brand", "items": [{"id": "north", "tier": "premium"}]},
    {"entity_type": "product", "items": [{"id": "lamp", "name": "Lamp", "brand": "north"}, {"id": "desk", "name": "Desk", "brand": "north"}]}]}') -> 'changed';
-- Listed with what they do, and their schemas in full.
SELECT t ->> 'name' AS tool, t -> 'annotations' AS annotations FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' ~ '^(create|delete|link|list|unlink|update)_';
SELECT t ->> 'name' AS tool, jsonb_pretty(t #> '{inputSchema,properties,items,items}') FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' IN ('create_brand', 'update_brand', 'link_NEAR');
SELECT kg_export_bundle('shop') #> '{relations,0,tools}', kg_apply_bundle(kg_export_bundle('shop')) -> 'changed';
-- Create.
SELECT pg_temp.call('create_brand', '{"items": [{"id": "south", "tier": "budget"}, {"id": "east"}]}');
SELECT pg_temp.failed('create_brand', '{"items": [{"id": "south"}, {"id": "west"}, {"id": "x", "teir": "budget"}, {"id": "x"}, {"tier": "Budget"}, 7, {"id": "a\u0001"}, {"id": "y", "products": 3}]}');
SELECT pg_temp.call('create_brand', '{"items": [{"id": "south"}, {"id": "west"}]}') #> '{error,items}' AS items, (SELECT count(*) FROM kg_entity);
SELECT pg_temp.call('create_product', '{"atomic": false, "items": [{"id": "a", "name": "A", "brand": "none"}, {"id": "b", "name": "B", "brand": "east"}]}') #> '{counts}';
-- Update: what is not named stays, null is a value, unset takes away.
SELECT pg_temp.call('update_brand', '{"items": [{"id": "south", "set": {"tier": "premium", "note": null}, "expected_version": 1}, {"id": "east", "set": {"price": {"n": 1}}}]}');
SELECT pg_temp.call('update_brand', '{"items": [{"id": "south", "set": {"tier": "premium"}}, {"id": "east", "unset": ["price", "note"]}]}');
SELECT kg_get('brand', '{south,east}'::text[]) -> 'entities';
SELECT pg_temp.failed('update_brand', '{"items": [{"id": "south", "set": {"tier": "budget"}, "expected_version": 1}, {"id": "none", "set": {}}, {"id": "east", "set": {"tier": "Budget", "nots": 1}},
  {"id": "east", "set": {}}, {"id": "north", "set": {"id": "n2"}}, {"set": {}}, {"id": null, "set": {}}, {"id": "q", "sett": {}}, {"id": "r"}, {"id": "s", "set": 1, "unset": {}, "expected_version": 0},
  {"id": "t", "set": {"tier": "budget"}, "unset": ["tier", 4]}, 7]}');
SELECT pg_temp.failed('update_brand', '{"items": [{"id": "north", "unset": ["id", "teir"]}]}');
SELECT pg_temp.failed('update_product', '{"items": [{"id": "lamp", "unset": ["name"]}, {"id": "desk", "set": {"brand": "nowhere"}}]}');
SELECT pg_temp.failed('update_brand', '{}') UNION ALL SELECT pg_temp.failed('update_brand', '{"items": []}') UNION ALL SELECT pg_temp.failed('update_brand', '{"items": {}}')
 UNION ALL SELECT pg_temp.failed('update_brand', '{"items": [{"id": "east", "set": {}}], "dry-run": true}') UNION ALL SELECT pg_temp.failed('update_brand', '{"items": null}')
 UNION ALL SELECT pg_temp.failed('update_brand', jsonb_build_object('items', (SELECT jsonb_agg('{"id": "east", "set": {}}'::jsonb) FROM generate_series(1, 501))));
SELECT kg_update_entities('brand', '[{"id": "north", "set": {"note": "n"}}, {"id": "none", "set": {}}]') - 'items', kg_update_entities('brand', '[{"id": "north", "set": {"note": "m"}}]', '{"dry_run": true}');
-- Nothing is written by a dry run.
SELECT pg_temp.call('update_brand', '{"dry_run": true, "items": [{"id": "north", "set": {"tier": "budget"}}]}'), kg_get('brand', 'north');
-- Delete.
SELECT pg_temp.failed('delete_brand', '{"ids": ["north", "south", "south", 7, null, {"id": "east", "expected_version": 1}, {"idd": 1}]}');
SELECT pg_temp.call('delete_brand', '{"ids": ["south", {"id": "east", "expected_version": 3}, "none"], "dry_run": true}');
SELECT pg_temp.call('delete_product', '{"ids": ["b"]}') -> 'counts', pg_temp.call('delete_brand', '{"ids": ["south", {"id": "east", "expected_version": 3}, "none"]}');
-- Link and unlink.
SELECT pg_temp.call('link_NEAR', '{"items": [{"from": "product:lamp", "to": "product:desk", "properties": {"km": 3}}]}');
SELECT pg_temp.call('link_NEAR', '{"items": [{"from": "product:lamp", "to": "product:desk", "properties": {"km": 4}}, {"from": "desk", "to": "lamp"}]}');
SELECT pg_temp.failed('link_NEAR', '{"items": [{"from": "product:lamp", "to": "product:none"}, {"from": "lamp", "to": "desk", "properties": {"km": "x"}}, {"from": "lamp", "to": "desk", "relation": "NEAR"}, {}]}');
SELECT pg_temp.call('unlink_NEAR', '{"items": [{"from": "product:lamp", "to": "product:desk"}, {"from": "product:lamp", "to": "product:desk"}]}') #>> '{error,message}' AS twice;
SELECT pg_temp.call('unlink_NEAR', '{"items": [{"from": "product:lamp", "to": "product:desk"}, {"from": "lamp", "to": "lamp"}]}');
-- An id that is not there has those that are nearest to it, as far as they are seen; told again with a key it has none.
SELECT pg_temp.call('update_product', '{"items": [{"id": "lmap", "set": {"name": "L"}}]}') #> '{error,errors,0,nearest}' AS updated, pg_temp.call('delete_product', '{"ids": ["dsk", "zzzzzz"]}') -> 'items' AS deleted,
  pg_temp.call('link_NEAR', '{"items": [{"from": "product:lmap", "to": "dsk"}]}') #> '{error,errors}' AS linked, kg_update_entities('product', '[{"id": "lmap", "set": {"name": "L"}}]') #> '{items,0,error,nearest}' AS in_sql;
SELECT pg_temp.call('delete_product', '{"ids": ["dsk"], "idempotency_key": "near"}') -> 'items' AS first, pg_temp.call('delete_product', '{"ids": ["dsk"], "idempotency_key": "near"}') -> 'items' AS again,
  pg_temp.call('update_product', '{"items": [{"id": "lmap", "set": {"name": "L"}}], "atomic": false, "idempotency_key": "near"}') #> '{items,0,error,nearest}' AS kept;
-- One that is there, and that a trigger keeps, has none.
RESET ROLE;
CREATE FUNCTION pg_temp.keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER a_keep BEFORE DELETE ON kg_entity FOR EACH ROW EXECUTE FUNCTION pg_temp.keep();
SET ROLE writing_ada;
SELECT pg_temp.call('delete_product', '{"ids": ["desk"], "atomic": false}') -> 'items' AS kept;
RESET ROLE;
DROP TRIGGER a_keep ON kg_entity;
SET ROLE writing_ada;
-- With a history: why, by which tool, and what others changed meanwhile.
SELECT kg_apply_bundle('{"bundle_name": "kept", "version": "1", "schemas": [{"entity_type": "fact", "schema": {"type": "object", "x-history": true, "x-id-field": "id", "x-tool-expose": ["history", "create", "update", "delete"],
  "properties": {"id": {"type": "string"}, "a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "integer"}}}}], "entities": []}') -> 'changed';
SELECT pg_temp.call('create_fact', '{"items": [{"id": "f", "a": 1}, {"id": "g"}], "reason": "learned"}') -> 'counts';
SELECT pg_temp.call('update_fact', '{"items": [{"id": "f", "set": {"a": 2}}], "reason": "corrected"}') -> 'counts', kg_update_entities('fact', '[{"id": "f", "set": {"b": 3}}]', '{"reason": "by hand"}') -> 'counts', pg_temp.call('update_fact', '{"items": [{"id": "g", "set": {"c": 1}}], "dry_run": true}') -> 'counts';
SELECT pg_temp.call('delete_fact', '{"ids": [{"id": "g", "expected_version": 9}, {"id": "f", "expected_version": 1}, "none"]}') #> '{error,errors}';
SELECT c - 'at' - 'change' - 'transaction' AS change FROM jsonb_array_elements(pg_temp.call('history_fact', '{"id": "f"}') -> 'changes') c;
SELECT t ->> 'title', t -> 'annotations', t #> '{inputSchema,required}' FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'history_fact';
SELECT kg_explain('history_fact', '{"id": "f"}') -> 'ast';
-- Through the protocol, which contains what it runs; in a function, a loop, a caught error.
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "update_brand", "arguments": {"items": [{"id": "north", "set": {"tier": "budget"}}]}}}') #> '{result,structuredContent}';
DO $$
DECLARE r jsonb;
BEGIN
  FOR i IN 1..3 LOOP
    r := kg_call_tool('update_brand', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('id', 'north', 'set', jsonb_build_object('note', i::text)))));
    BEGIN
      PERFORM kg_call_tool('create_brand', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('id', 'loop' || i))));
      IF i = 2 THEN RAISE EXCEPTION 'no'; END IF;
    EXCEPTION WHEN raise_exception THEN NULL;
    END;
  END LOOP;
  RAISE NOTICE '% %', r #> '{structuredContent,items,0,version}', (SELECT string_agg(entity_id, ' ' ORDER BY entity_id) FROM kg_entity WHERE entity_type = 'brand');
END $$;
-- Not where nothing can be written, and no longer than the tool runs.
BEGIN READ ONLY;
SELECT pg_temp.failed('update_brand', '{"items": [{"id": "north", "set": {"tier": "premium"}}]}');
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "delete_brand", "arguments": {"ids": ["loop1"]}}}') #> '{result,isError}';
COMMIT;
SELECT kg_explain('update_brand', '{"items": []}');
RESET ROLE;
-- For a reader they do not exist, and neither for an agent that was not given them.
SET ROLE writing_bob;
SELECT count(*) FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' ~ '^(create|delete|link|unlink|update)_';
SELECT pg_temp.failed('update_brand', '{"items": [{"id": "north", "set": {"tier": "premium"}}]}');
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "update_brand", "arguments": {}}}') #>> '{error,message}';
SELECT kg_update_entities('brand', '[]');
SELECT jsonb_array_length(pg_temp.call('history_fact', '{"id": "f"}') -> 'changes');
RESET ROLE;
SELECT FROM kg_grant('writing', 'writing_bob', 'write');
SET ROLE writing_bob;
SELECT count(*) FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' ~ '^(create|delete|link|unlink|update)_';
-- Names are one namespace; what a bundle no longer exposes is gone.
SELECT kg_apply_bundle('{"bundle_name": "other", "version": "1", "schemas": [{"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["update"], "properties": {"id": {"type": "string"}}}}], "entities": []}');
SELECT kg_apply_bundle('{"bundle_name": "other", "version": "1", "schemas": [{"entity_type": "oo", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["link", "edit"], "properties": {"id": {"type": "string"}}}}], "entities": []}');
SELECT kg_apply_bundle('{"bundle_name": "other", "version": "1", "schemas": [{"entity_type": "oo", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "relations": [{"name": "NEAR", "from": "oo", "to": "oo", "tools": ["link"]}, {"name": "FAR", "from": "oo", "to": "oo", "tools": ["delete"]}], "entities": []}');
SELECT kg_apply_bundle(jsonb_set(kg_export_bundle('shop'), '{relations,0,tools}', '["link"]')) -> 'changed';
SELECT string_agg(tool, ' ' ORDER BY tool) FROM kg_tool WHERE relation IS NOT NULL;
SELECT FROM kg_drop_bundle('shop');
SELECT FROM kg_drop_bundle('kept');
SELECT count(*) FROM kg_tool;
RESET ROLE;
CALL test.drop('writing');
