-- The toolset write: a few tools that write all types, and read and undo changes.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('quay', 'quay_ada write', 'quay_bob read');
RESET client_min_messages;
CREATE FUNCTION pg_temp.call(tool text, arguments jsonb) RETURNS jsonb LANGUAGE sql AS
$$ SELECT r -> 'structuredContent' || CASE WHEN (r ->> 'isError')::boolean THEN '{"isError": true}' ELSE '{}' END::jsonb FROM kg_call_tool(tool, arguments) r $$;
-- What failed, and the call that is proposed.
CREATE FUNCTION pg_temp.failed(tool text, arguments jsonb) RETURNS SETOF text LANGUAGE sql AS
$$ SELECT l FROM pg_temp.call(tool, arguments) r CROSS JOIN LATERAL (
     SELECT concat_ws(' | ', e ->> 'path', e ->> 'code', e ->> 'message', 'nearest ' || (e ->> 'nearest'), 'allowed ' || (e ->> 'allowed')) FROM jsonb_array_elements(coalesce(r #> '{error,errors}', jsonb_build_array(coalesce(r -> 'error', r)))) e
     UNION ALL SELECT 'call: ' || (r #>> '{error,call}') WHERE r #> '{error,call}' IS NOT NULL) x(l) $$;
SET ROLE quay_ada;
SELECT kg_apply_bundle('{"bundle_name": "quay", "version": "1", "schemas": [
  {"entity_type": "country", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}},
  {"entity_type": "supplier", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-history": true, "x-tool-expose": ["list", "get", "create", "update", "delete"],
    "required": ["name"], "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "country": {"type": "string", "x-ref": "country"}, "near": {"type": "array", "items": {"type": "string", "x-ref": "country"}},
      "status": {"enum": ["active", "gone"]}, "tags": {"type": "array", "items": {"type": "string"}}, "since": {"type": "string", "format": "date-time"}, "rating": {"type": "integer"}, "share": {"type": "number"}, "place": {"type": "object", "properties": {"city": {"type": "string", "x-index": true}}}}}}],
  "relations": [{"name": "NEXT_TO", "from": "supplier", "to": "supplier", "history": true, "tools": ["link", "unlink"]}, {"name": "OLD", "from": "supplier", "to": "supplier"}],
  "entities": [{"entity_type": "country", "items": [{"id": "DE", "name": "Germany"}, {"id": "FR", "name": "France"}, {"id": "X1", "name": "Georgia"}, {"id": "X2", "name": "Georgia"}]}]}') -> 'changed';
-- It is not part of all, and readers have no tool that writes.
SELECT count(*) FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' IN ('create', 'undo', 'changes');
SET kg_graph.toolsets = 'write';
SELECT string_agg(t ->> 'name', ' '), octet_length(kg_list_tools()::text) < 19200 AS short FROM jsonb_array_elements(kg_list_tools()) t;
SET ROLE quay_bob;
SELECT string_agg(t ->> 'name', ' ') FROM jsonb_array_elements(kg_list_tools()) t;
SELECT pg_temp.failed('undo', '{"change": 1}');
SET ROLE quay_ada;
-- One object in place of an array of objects.
SELECT pg_temp.call('create', '{"type": "supplier", "items": {"id": "S1", "name": "Harbour Lamps"}, "dry_run": true}') AS taken, pg_temp.call('create', '{"type": "supplier", "items": "S1", "dry_run": true}') #>> '{error,message}' AS not_taken;
-- Each type and relation decides which operations it allows.
SELECT pg_temp.call('create', '{"type": "supplier", "items": [{"id": "S1", "name": "Harbour Lamps", "country": "DE", "status": "active", "tags": ["a"]}, {"id": "S2", "name": "Boats"}], "reason": "first"}');
SELECT pg_temp.failed('create', '{"type": "country", "items": [{"id": "IT", "name": "Italy"}]}');
SELECT pg_temp.failed('create', '{"type": "suplier", "items": [{"id": "S9", "name": "x"}]}');
SELECT pg_temp.failed('create', '{"items": [{"id": "S9", "name": "x"}]}');
SELECT pg_temp.failed('link', '{"relation": "OLD", "items": [{"from": "supplier:S1", "to": "supplier:S2"}]}');
SELECT pg_temp.call('link', '{"relation": "NEXT_TO", "items": [{"from": "supplier:S1", "to": "supplier:S2"}]}');
SELECT pg_temp.call('update', '{"type": "quay/supplier", "items": [{"id": "S1", "set": {"status": "gone"}}], "dry_run": true}');
SELECT pg_temp.call('update', '{"type": "supplier", "items": [{"id": "S1", "set": {"status": "gone"}, "add": {"tags": ["b", "a"], "near": "FR"}}]}');
SELECT pg_temp.call('update', '{"type": "supplier", "items": [{"id": "S1", "remove": {"tags": ["a", "z"]}, "add": {"tags": ["c"]}}]}');
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "S1", "add": {"name": "x", "tags": 7}}, {"id": "S2", "set": {"tags": []}, "remove": {"tags": ["a"]}, "add": 3}]}');
-- A name in place of an id, another case of a code: the call that is meant; only where all of it is certain.
SELECT pg_temp.failed('create', '{"type": "supplier", "items": [{"id": "S3", "name": "H", "country": "Germany", "status": "Active", "near": ["FR", "germany"]}]}');
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "S2", "set": {"country": "France"}}], "atomic": true}');
SELECT pg_temp.failed('create_supplier', '{"items": [{"id": "S3", "name": "H", "country": "Germany"}]}');
SELECT pg_temp.failed('create', '{"type": "supplier", "items": [{"id": "S3", "name": "H", "country": "Georgia"}, {"id": "S4", "name": "I", "country": "France"}]}');
SELECT pg_temp.failed('create', '{"type": "supplier", "items": [{"id": "S3", "name": "H", "country": "Germany", "since": "2026-11-28"}]}');
-- The same for the entity to change and for the ends of an edge; properties beside "set"; relations in another case.
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "Boats", "set": {"status": "gone"}}, {"id": "harbour lamps", "set": {"country": "France"}}]}');
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "Boots", "set": {"status": "gone"}}]}');
SELECT pg_temp.failed('link', '{"relation": "NEXT_TO", "items": [{"from": "Harbour Lamps", "to": "supplier:Boats"}]}');
SELECT pg_temp.failed('link', '{"relation": "next_to", "items": [{"from": "supplier:S1", "to": "supplier:S2"}]}');
SELECT pg_temp.failed('link', '{"relation": "NEAR", "items": [{"from": "supplier:S1", "to": "supplier:S2"}]}');
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "S1", "status": "gone", "set": {"name": "L"}, "expected_version": 1}, {"id": "S2", "name": "B", "unset": ["country"]}]}');
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "S1", "status": "gone", "set": {"status": "active"}}]}');
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "S1", "status": "gone", "reason": "x"}]}');
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "S1", "place.city": "Kiel"}]}');
-- The text of a number.
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "S1", "set": {"rating": "4", "share": "0.50"}}]}');
SELECT pg_temp.failed('create', '{"type": "supplier", "items": [{"id": "S3", "name": "H", "rating": "4.5"}]}');
SELECT pg_temp.failed('create', '{"type": "supplier", "items": [{"id": "S3", "name": "H", "share": "half"}]}');
SELECT pg_temp.failed('create', '{"type": "supplier", "items": [{"id": "S3", "name": 4, "share": "1"}]}');
-- The members of the only item as arguments. No tool that reads is proposed in place of one that writes.
SELECT pg_temp.failed('create', '{"type": "supplier", "id": "S3", "name": "H", "reason": "new"}');
SELECT pg_temp.failed('create', '{"type": "supplier", "id": "S3", "nam": "H"}');
SELECT pg_temp.failed('create', '{"type": "supplier", "id": "S3", "place.city": "Kiel"}');
SELECT pg_temp.failed('update', '{"type": "supplier", "id": "S1", "name": "L", "unset": ["country"]}');
SELECT pg_temp.failed('update', '{"type": "supplier", "id": "S1", "set": {"status": "gone"}}');
SELECT pg_temp.failed('link', '{"relation": "NEXT_TO", "from": "supplier:S1", "to": "supplier:S2"}');
SELECT pg_temp.failed('delete', '{"type": "supplier", "id": "S1"}');
SET kg_graph.toolsets = 'all';
SELECT pg_temp.failed('create_supplier', '{"id": "S3", "name": "H"}');
SELECT pg_temp.failed('update_supplier', '{"id": "S1", "status": "gone"}');
SELECT pg_temp.failed('update_supplier', '{"id": "S1"}');
SELECT pg_temp.failed('delete_supplier', '{"id": "S1"}');
SELECT pg_temp.failed('delete_supplier', '{"filters": {"name": "Boats"}}');
SELECT pg_temp.failed('link_NEXT_TO', '{"from": "supplier:S1", "to": "supplier:S2"}');
SET kg_graph.toolsets = 'write';
-- Several ids in one text are none: near ones, and no correction that asks for something else.
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "S1,S2", "set": {"status": "gone"}}]}');
SELECT pg_temp.call('delete', '{"type": "supplier", "ids": ["S1,S2"], "dry_run": true}') -> 'counts';
SELECT pg_temp.failed('link', '{"relation": "NEXT_TO", "items": [{"from": "S1,S2", "to": "supplier:S2"}]}');
SELECT pg_temp.failed('create', '{"type": "supplier", "items": [{"id": "S9", "name": "N", "country": "DE, FR"}]}');
-- What changed: an edge of a reference is a part of its entity's change.
SELECT c ->> 'verdict', coalesce(c ->> 'type', c ->> 'relation'), coalesce(c ->> 'id', (c ->> 'from') || ' ' || (c ->> 'to')), c ->> 'tool', c ->> 'reason', c -> 'before', c -> 'after'
  FROM jsonb_array_elements(pg_temp.call('changes', '{}') -> 'changes') c;
SELECT jsonb_array_length(pg_temp.call('changes', '{"types": ["supplier"]}') -> 'changes') AS of_type, jsonb_array_length(pg_temp.call('changes', '{"since": "2126-01-01T00:00:00Z"}') -> 'changes') AS later;
SELECT pg_temp.failed('changes', '{"since": "yesterday"}'); SELECT pg_temp.failed('changes', '{"types": ["suplier"]}');
CREATE FUNCTION pg_temp.pages(a jsonb) RETURNS TABLE (n int, ids text) LANGUAGE plpgsql AS $$ DECLARE r jsonb; BEGIN n := 0; LOOP r := pg_temp.call('changes', a); n := n + 1;
  ids := (SELECT string_agg(coalesce(c ->> 'id', c ->> 'relation'), ',') FROM jsonb_array_elements(r -> 'changes') c); RETURN NEXT; a := r -> 'next'; EXIT WHEN a IS NULL; END LOOP; END $$;
SELECT * FROM pg_temp.pages('{"limit": 2}');
SET ROLE quay_bob;
SELECT jsonb_array_length(pg_temp.call('changes', '{}') -> 'changes') AS seen, jsonb_array_length(pg_temp.call('changes', '{"mine": true}') -> 'changes') AS mine;
SET ROLE quay_ada;
SELECT jsonb_array_length(pg_temp.call('changes', '{"mine": true}') -> 'changes') AS mine;
-- Undo: dry first; by transaction; refused if changed since.
SELECT (pg_temp.call('changes', '{"types": ["supplier"]}') #> '{changes,0}') AS newest \gset
SELECT pg_temp.call('undo', jsonb_build_object('change', :'newest'::jsonb -> 'change', 'dry_run', true)) -> 'items', (SELECT data -> 'tags' FROM kg_entity WHERE entity_id = 'S1');
SELECT pg_temp.call('undo', jsonb_build_object('transaction', :'newest'::jsonb -> 'transaction', 'reason', 'mistake')) -> 'items', (SELECT data -> 'tags' FROM kg_entity WHERE entity_id = 'S1');
SELECT data -> 'tags' FROM kg_entity WHERE entity_id = 'S1';
SELECT c ->> 'tool', c ->> 'reason' FROM jsonb_array_elements(pg_temp.call('changes', '{"limit": 1}') -> 'changes') c;
SELECT split_part(f, ' | ', 2) FROM pg_temp.failed('undo', jsonb_build_object('change', :'newest'::jsonb -> 'change')) f;
SELECT pg_temp.failed('undo', '{}'); SELECT pg_temp.failed('undo', '{"change": 1, "transaction": 2}');
-- Confirmation: one decision for all that writes.
SELECT count(*) AS n FROM kg_entity \gset
RESET ROLE; SET kg_graph.confirm = 'all'; SET ROLE quay_ada; SET kg_graph.toolsets = 'write';
SELECT r ? 'confirm' AS asks, (SELECT count(*) FROM kg_entity) - :n AS more, r - 'confirm' - 'expires_at' FROM pg_temp.call('create', '{"type": "supplier", "items": [{"id": "S5", "name": "New"}]}') r;
SELECT r ->> 'confirm' AS confirm FROM pg_temp.call('create', '{"type": "supplier", "items": [{"id": "S5", "name": "New"}]}') r \gset
SELECT pg_temp.call('create', jsonb_build_object('type', 'supplier', 'items', '[{"id": "S5", "name": "New"}]'::jsonb, 'confirm', :'confirm')) -> 'counts';
SELECT (r #> '{error}') ? 'confirm' AS asks, r #>> '{error,code}' FROM pg_temp.call('undo', jsonb_build_object('transaction', 1)) r;
SELECT (r #> '{error}') ? 'confirm' AS asks FROM pg_temp.call('undo', '{"transaction": 1, "confirm": null}') r;
RESET ROLE; SET kg_graph.confirm = 'off'; SET ROLE quay_ada;
-- a null key is an absent one: the key of the options is used
SELECT n, kg_call_tool('create', '{"type": "supplier", "items": [{"id": "S60", "name": "Sixty"}], "idempotency_key": null}', '{"idempotency_key": "sixty"}') #> '{structuredContent,counts}' AS counts FROM generate_series(1, 2) n;
SELECT pg_temp.call('delete', '{"type": "supplier", "ids": ["S60"], "idempotency_key": null}') -> 'counts';
SELECT pg_temp.call('delete', '{"type": "supplier", "ids": ["S5", {"id": "S2", "expected_version": 1}, "none"]}');
SELECT pg_temp.call('create', '{"type": "supplier", "items": [{"id": "S6", "name": "Six", "near": ["FR"]}]}') -> 'counts';
-- Arrays: each value once; a value that is removed and added is in the array; no property in two members.
SELECT pg_temp.call('update', '{"type": "supplier", "items": [{"id": "S6", "add": {"tags": ["m", "n", "m"]}}]}') #> '{items,0,changed,0,after}';
SELECT pg_temp.call('update', '{"type": "supplier", "items": [{"id": "S6", "add": {"tags": ["m", "o"]}, "remove": {"tags": ["m", "p"]}}]}') #> '{items,0,changed,0,after}';
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "S6", "unset": ["tags"], "add": {"tags": ["q"]}, "remove": {"tags": ["n"]}}]}');
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "S6", "remove": {"tgas": ["n"]}}]}');
-- Long arrays take no quadratic time. The paths of errors are those of the arguments, and the corrected call has the value in its position.
CREATE FUNCTION pg_temp.many(first int) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_build_object('codes', jsonb_agg(i)) FROM generate_series(first, first + 3999) i $$;
SELECT kg_update_entities('country', jsonb_build_array(jsonb_build_object('id', 'X2', 'add', pg_temp.many(1)))) -> 'counts';
SELECT kg_update_entities('country', jsonb_build_array(jsonb_build_object('id', 'X2', 'add', pg_temp.many(2001), 'remove', pg_temp.many(8001)))) -> 'counts';
SELECT jsonb_array_length(data -> 'codes') FROM kg_entity WHERE entity_id = 'X2';
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "S6", "add": {"near": ["germany", "france"]}}]}');
-- An array stays one under another name.
SELECT pg_temp.failed('create', '{"type": "supplier", "entities": [{"id": "S9", "name": "x"}]}');
-- The key of the call's options is the argument.
SELECT (SELECT r -> 'structuredContent' FROM kg_call_tool('create', '{"type": "supplier", "items": [{"id": "S8", "name": "Once"}]}', '{"idempotency_key": "once"}') r) ->> 'replayed' AS first,
  (SELECT r -> 'structuredContent' FROM kg_call_tool('create', '{"type": "supplier", "items": [{"id": "S8", "name": "Once"}]}', '{"idempotency_key": "once"}') r) ->> 'replayed' AS again;
-- Numbers of changes have 53 bits, and a number in a string is one.
SELECT pg_temp.failed('undo', '{"change": 3000000000}');
SELECT pg_temp.call('undo', jsonb_build_object('change', pg_temp.call('changes', '{"limit": 1}') #>> '{changes,0,change}')) -> 'counts';
-- An undo writes what the other tools may write: a type that exposes only update, whose creation and deletion it does not undo.
SELECT kg_apply_bundle('{"bundle_name": "shed", "version": "1", "schemas": [{"entity_type": "tool", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "x-tool-expose": ["update"], "properties": {"id": {"type": "string"}}}}],
  "relations": [{"name": "FITS", "from": "tool", "to": "tool", "history": true, "tools": ["link"]}], "entities": []}') -> 'changed';
SELECT kg_put_entities('tool', '[{"id": "T1"}, {"id": "T2"}]') -> 'counts', kg_put_edges('[{"relation": "FITS", "from": "tool:T1", "to": "tool:T2"}]') -> 'counts';
CREATE FUNCTION pg_temp.undone(n int) RETURNS TABLE (entity text, undone text) LANGUAGE sql AS $$
  SELECT coalesce(c ->> 'id', c ->> 'relation'), (SELECT string_agg(f, ' ') FROM pg_temp.failed('undo', jsonb_build_object('change', c -> 'change', 'dry_run', true)) f) FROM jsonb_array_elements(pg_temp.call('changes', jsonb_build_object('limit', n)) -> 'changes') c $$;
SELECT * FROM pg_temp.undone(3);
SELECT kg_update_entities('tool', '[{"id": "T1", "set": {"size": 3}}]') -> 'counts';
SELECT * FROM pg_temp.undone(1);
SELECT kg_delete_edges('[{"relation": "FITS", "from": "tool:T1", "to": "tool:T2"}]') -> 'counts', kg_delete_entities('tool', '{T2}') -> 'counts';
SELECT * FROM pg_temp.undone(1);
-- An operator in place of an array's value, and an option of the call in an item: the corrected calls do what was meant.
CREATE FUNCTION pg_temp.mended(tool text, arguments jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' -> ', c #>> '{arguments}', coalesce(r #>> '{counts}', r #>> '{error,message}')) FROM (SELECT pg_temp.call(tool, arguments) #> '{error,call}') x(c), LATERAL (SELECT pg_temp.call(c ->> 'tool', (c -> 'arguments') || '{"dry_run": true}')) y(r) $$;
SELECT pg_temp.mended('update', '{"type": "supplier", "items": [{"id": "S6", "set": {"tags": {"add": ["n"]}}}]}');
SELECT pg_temp.mended('update', '{"type": "supplier", "items": [{"id": "S6", "set": {"name": "N", "tags": {"add": ["n"], "remove": ["o"]}}, "remove": {"near": ["DE"]}}]}');
SELECT pg_temp.mended('update', '{"type": "supplier", "items": [{"id": "S6", "set": {"name": "N"}, "reason": "why"}, {"id": "S8", "set": {"name": "N"}, "reason": "why"}]}');
SELECT pg_temp.mended('delete', '{"type": "supplier", "ids": [{"id": "S8", "reason": "why"}]}');
SELECT pg_temp.mended('link', '{"relation": "NEXT_TO", "items": [{"from": "supplier:S6", "to": "supplier:S8", "reason": "why"}]}');
-- Not two reasons for one call, nor an operator that there is not.
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "S6", "set": {"name": "N"}, "reason": "why"}, {"id": "S8", "set": {"name": "N"}, "reason": "else"}]}');
SELECT pg_temp.failed('update', '{"type": "supplier", "items": [{"id": "S6", "set": {"tags": {"append": ["n"]}}}]}');
-- Each fault is told once: an item without an id.
SELECT pg_temp.failed('create', '{"type": "supplier", "items": [{"name": "x"}]}');
-- Edges go the same way.
SELECT kg_call_tool('unlink', '{"relation": "NEXT_TO", "items": [{"from": "supplier:S1", "to": "supplier:S2"}]}') -> 'structuredContent' -> 'counts';
RESET ROLE;
CALL test.drop('quay');
