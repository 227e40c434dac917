-- The options of kg_call_tool(). An unknown option is an error of the call, which
-- lists the possible options.
\i test/data/prelude.sql
CALL test.tenant('options_a', 'options_a write');
\c - options_a
\pset format unaligned
\pset tuples_only on
SELECT kg_apply_bundle('{"bundle_name": "options", "version": "1", "schemas": [{"entity_type": "item", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["get", "create"], "properties": {"id": {"type": "string"}}}}], "entities": [{"entity_type": "item", "items": [{"id": "a"}]}]}') ? 'revision';
SELECT o, kg_call_tool('get_item', '{"id": "a"}', o) - 'content' FROM unnest(ARRAY['{}', '{"timeout_ms": 10000}', '{"timeout_ms": 2147483647, "idempotency_key": "k"}', '{"idempotency_key": "é"}', '{"timeout_ms": 1e4}']::jsonb[]) o;
SELECT left(o::text, 40), r -> 'isError', r #>> '{structuredContent,error,code}', left(r #>> '{structuredContent,error,message}', 60), r #> '{structuredContent,error,path}', r #> '{structuredContent,error,expected}', r #> '{structuredContent,error,allowed}', r #> '{structuredContent,error,did_you_mean}'
  FROM unnest(ARRAY['[]', '"x"', 'null', '{"timeout": 5}', '{"version": "1"}', '{"timeout_ms": 0}', '{"timeout_ms": -1}', '{"timeout_ms": 1.5}', '{"timeout_ms": 2147483648}', '{"timeout_ms": 1e400}', '{"timeout_ms": "5 s"}', '{"timeout_ms": null}', '{"timeout_ms": true}',
    '{"idempotency_key": ""}', '{"idempotency_key": 1}', '{"idempotency_key": null}', '{"idempotency_key": ["a"]}']::jsonb[] || jsonb_build_object('idempotency_key', repeat('k', 129)) || jsonb_build_object('idempotency_key', repeat('é', 65)) || jsonb_build_object(repeat('o', 1000), 1)) o, kg_call_tool('get_item', '{"id": "a"}', o) r;
SELECT kg_call_tool('get_item', '{"id": "a"}', jsonb_build_object('idempotency_key', repeat('é', 64))) -> 'isError';
SELECT kg_call_tool('get_item', '{"id": "a"}', NULL);
-- the options are looked at first
SELECT kg_call_tool('none', '{}', '{"x": 1}') #>> '{structuredContent,error,code}', kg_call_tool('none', '{}', '{"timeout_ms": 1000}') #>> '{structuredContent,error,code}';
-- a tool that writes ends, too, whatever it waits for; then nothing of it is written
\c - :owner
CREATE FUNCTION options_slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(CASE NEW.entity_id WHEN 'slow' THEN 60 ELSE 0.3 END); RETURN NEW; END $$;
CREATE TRIGGER options_slow BEFORE INSERT ON kg_entity FOR EACH ROW WHEN (NEW.entity_id IN ('slow', 'nap')) EXECUTE FUNCTION options_slow();
SET ROLE options_a;
SELECT t, r #>> '{structuredContent,error,code}', r #>> '{structuredContent,error,message}' FROM (VALUES ('create_item', '{"items": [{"id": "quick"}, {"id": "slow"}]}'::jsonb), ('create_item', '{"items": [{"id": "quick"}, {"id": "slow"}], "atomic": false}'), ('create_item', '{"items": [{"id": "slow"}], "dry_run": true}')) x(t, a), LATERAL kg_call_tool(t, a, '{"timeout_ms": 100}') r;
SELECT kg_call_tool('create_item', '{"items": [{"id": "other"}]}', '{"timeout_ms": 600000}') -> 'isError', pg_sleep(0.1) IS NULL;
SELECT entity_id FROM kg_entity WHERE tenant = 'options_a' ORDER BY entity_id COLLATE "C";
RESET ROLE;
-- the time that a call may read is not that
SET kg_graph.max_call_time = 100;
SET ROLE options_a;
SELECT kg_call_tool('create_item', '{"items": [{"id": "nap"}]}') -> 'isError';
RESET ROLE;
RESET kg_graph.max_call_time;
DROP TRIGGER options_slow ON kg_entity;
DROP FUNCTION options_slow;
\c - :owner
SET client_min_messages = error;
CALL test.drop('options_a');
