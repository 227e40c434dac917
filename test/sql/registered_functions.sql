-- A registered tool that is a function: what it raises is for its caller, what breaks it is not, and the call's clock ends it.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('regf', 'regf_reader write');
RESET client_min_messages;
SELECT kg_grant('regf', CURRENT_USER::text, 'admin');
SET kg_graph.tenant = 'regf';
SELECT kg_apply_bundle('{"bundle_name": "regf", "version": "1", "schemas": [{"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["get", "create"], "properties": {"id": {"type": "string"}}}}]}') -> 'changed' AS changed;
CREATE FUNCTION public.regf(j jsonb) RETURNS jsonb STABLE LANGUAGE plpgsql AS $$
BEGIN
  CASE j ->> 'm'
    WHEN 'raise' THEN RAISE EXCEPTION 'order % is closed', 7;
    WHEN 'own state' THEN RAISE EXCEPTION 'order % is closed', 7 USING ERRCODE = 'ORD01';
    WHEN 'no_data_found' THEN RAISE EXCEPTION 'order % is not there', 7 USING ERRCODE = 'no_data_found';
    WHEN 'check_violation' THEN RAISE EXCEPTION 'order % is closed', 7 USING ERRCODE = 'check_violation';
    WHEN 'privilege' THEN RAISE EXCEPTION 'order % is not yours', 7 USING ERRCODE = 'insufficient_privilege';
    WHEN 'again' THEN BEGIN RAISE EXCEPTION 'order % is closed', 7 USING ERRCODE = 'ORD02'; EXCEPTION WHEN OTHERS THEN RAISE; END;
    WHEN 'strict' THEN DECLARE x int; BEGIN SELECT 1 INTO STRICT x WHERE false; END;
    WHEN 'assert' THEN ASSERT false, 'secret';
    WHEN 'column' THEN EXECUTE 'SELECT secret_column FROM pg_class';
    WHEN 'denied' THEN PERFORM FROM pg_authid;
    WHEN 'zero' THEN PERFORM 1 / 0;
    WHEN 'sleep' THEN PERFORM pg_sleep(60);
    WHEN 'raise late' THEN BEGIN PERFORM pg_sleep(60); EXCEPTION WHEN query_canceled THEN RAISE EXCEPTION 'stopped'; END;
    WHEN 'go on' THEN BEGIN PERFORM pg_sleep(60); EXCEPTION WHEN query_canceled THEN NULL; END;
    WHEN 'cancel late' THEN BEGIN PERFORM pg_sleep(60); EXCEPTION WHEN query_canceled THEN NULL; END; PERFORM public.regf_cancel(), pg_sleep(60);
    WHEN 'cancel early' THEN BEGIN PERFORM public.regf_cancel(), pg_sleep(60); EXCEPTION WHEN query_canceled THEN NULL; END; PERFORM pg_sleep(60);
    ELSE NULL;
  END CASE;
  RETURN '{"done": true}';
END $$;
CREATE FUNCTION public.regf_cancel() RETURNS boolean SECURITY DEFINER LANGUAGE sql AS 'SELECT pg_cancel_backend(pg_backend_pid())';
CREATE FUNCTION public.regf_write(j jsonb) RETURNS jsonb VOLATILE LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('regf', 'brand', '{"id": "a"}');
  PERFORM pg_sleep((j ->> 's')::float8);
  RETURN '{"done": true}';
END $$;
CREATE FUNCTION public.regf_inner(j jsonb) RETURNS jsonb VOLATILE LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  RETURN kg_call_tool('create_brand', '{"items": [{"id": "slow"}]}', jsonb_build_object('timeout_ms', j -> 's')) #> '{structuredContent,error}';
END $$;
SELECT kg_register_tool(jsonb_build_object('name', n, 'version', '1.0.0', 'kind', 'function', 'description', 'A function.', 'operation', format('public.%s(jsonb)', n), 'input_schema', '{"type": "object", "properties": {"m": {"type": "string"}, "s": {"type": "number"}}}'::jsonb)) ->> 'verdict' AS verdict
  FROM unnest('{regf,regf_write,regf_inner}'::text[]) n;
-- Schemas refer to their own definitions: what is sent is tried with them, and a definition may refer to itself.
CREATE FUNCTION pg_temp.registered(definition jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN kg_register_tool(definition || '{"version": "1.0.0"}') ->> 'verdict';
EXCEPTION WHEN OTHERS THEN
  RETURN concat_ws(' ', SQLSTATE, SQLERRM);
END $$;
SELECT pg_temp.registered(d) FROM jsonb_array_elements('[
  {"name": "ref_query", "kind": "query", "description": "A query.", "input_schema": {"type": "object", "$defs": {"name": {"$ref": "#/$defs/text"}, "text": {"type": "string"}}, "required": ["m"], "properties": {"m": {"$ref": "#/$defs/name", "maxLength": 9}}},
    "operation": {"tool": "find_nodes", "arguments": {"node_label": "brand", "ids": [{"$arg": "m"}]}}},
  {"name": "ref_wrong", "kind": "query", "description": "A query.", "input_schema": {"type": "object", "$defs": {"n": {"type": "array"}}, "properties": {"m": {"$ref": "#/$defs/n"}}}, "operation": {"tool": "find_nodes", "arguments": {"node_label": "brand", "limit": {"$arg": "m"}}}},
  {"name": "ref_tree", "kind": "function", "description": "A function.", "input_schema": {"type": "object", "$defs": {"tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#/$defs/tree"}, "all": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}},
    "properties": {"m": {"$ref": "#/$defs/tree"}}}, "operation": "public.regf(jsonb)"},
  {"name": "ref_filter", "kind": "query", "description": "A query.", "input_schema": {"type": "object", "$defs": {"tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#/$defs/tree"}}}},
    "properties": {"m": {"$ref": "#/$defs/tree"}}}, "operation": {"tool": "find_nodes", "arguments": {"node_label": "brand", "filters": {"id": {"$arg": "m"}}}}},
  {"name": "ref_round", "kind": "query", "description": "A query.", "input_schema": {"type": "object", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "properties": {"m": {"$ref": "#/$defs/a"}}}, "operation": {"tool": "find_nodes", "arguments": {"node_label": "brand", "limit": {"$arg": "m"}}}},
  {"name": "ref_choice", "kind": "composite", "description": "A composite.", "select": {"$arg": "m"}, "input_schema": {"type": "object", "$defs": {"m": {"enum": ["one", "all"]}}, "properties": {"m": {"$ref": "#/$defs/m"}}, "required": ["m"]},
    "operations": {"one": {"tool": "find_nodes", "arguments": {"node_label": "brand", "limit": 1}}, "all": {"tool": "find_nodes", "arguments": {"node_label": "brand"}}}}]') d;
SELECT kg_call_tool('ref_query', '{"m": "a"}') #> '{structuredContent,returned}' AS returned, kg_call_tool('ref_query', '{"m": "longer than 9"}') #>> '{structuredContent,error,path}' AS path, kg_call_tool('ref_choice', '{"m": "all"}') -> 'isError' AS failed;
RESET kg_graph.tenant;
SET ROLE regf_reader;
CREATE FUNCTION pg_temp.told(name text, arguments jsonb, options jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS
  $$ SELECT coalesce((SELECT concat_ws(' | ', e ->> 'level', e ->> 'code', e ->> 'sqlstate', e ->> 'message') FROM (SELECT r #> '{structuredContent,error}') x(e) WHERE e IS NOT NULL), r ->> 'structuredContent') FROM kg_call_tool(name, arguments, options) r $$;
SELECT m, pg_temp.told('regf', jsonb_build_object('m', m)) AS told
  FROM unnest('{raise,own state,no_data_found,check_violation,privilege,again,strict,assert,column,denied,zero,none}'::text[]) m;
-- Each ends after the time, and nothing else does: not the statement, not one that follows.
SELECT m, pg_temp.told('regf', jsonb_build_object('m', m), CASE m WHEN 'none' THEN '{"timeout_ms": 1500}' ELSE '{"timeout_ms": 100}' END::jsonb) AS told, pg_sleep(CASE m WHEN 'none' THEN 1.6 ELSE 0.05 END) IS NOT NULL AS slept FROM unnest('{none,sleep,raise late,go on}'::text[]) m;
-- A cancel of somebody else's ends the statement, also after the time; one that the function met does not, and neither does the time.
SELECT pg_temp.told('regf', '{"m": "cancel late"}', '{"timeout_ms": 100}');
SELECT pg_temp.told('regf', '{"m": "cancel early"}', '{"timeout_ms": 100}'), pg_sleep(0.05) IS NOT NULL AS slept;
SELECT pg_temp.told('regf_write', '{"s": 60}', '{"timeout_ms": 100}'), pg_sleep(0.2) IS NOT NULL AS slept;
SELECT count(*) AS written FROM kg_entity;
SELECT pg_temp.told('regf_write', '{"s": 0}', '{"timeout_ms": 5000}');
SELECT count(*) AS written FROM kg_entity;
-- One call within another: the time that is over first ends what is within it, and the other's goes on.
RESET ROLE;
CREATE FUNCTION public.regf_slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$;
CREATE TRIGGER regf_slow BEFORE INSERT ON kg_entity FOR EACH ROW WHEN (NEW.entity_id = 'slow') EXECUTE FUNCTION public.regf_slow();
SET ROLE regf_reader;
SELECT kg_call_tool('regf_inner', '{"s": 100}', '{"timeout_ms": 600000}') #>> '{structuredContent,message}' AS inner;
SELECT kg_call_tool('regf_inner', '{"s": 600000}', '{"timeout_ms": 100}') #>> '{structuredContent,error,message}' AS outer;
SELECT kg_call_tool('regf_inner', '{"s": 99}', '{"timeout_ms": 100}') #>> '{structuredContent,error,message}' LIKE 'the call took longer than timeout_ms (%' IS NOT FALSE AS either, pg_sleep(0.2) IS NOT NULL AS slept;
RESET ROLE;
DROP TRIGGER regf_slow ON kg_entity;
DROP FUNCTION public.regf_slow;
SET ROLE regf_reader;
SELECT count(*) AS written FROM kg_entity;
\set VERBOSITY terse
-- by the setting; what ends the statement is raised (where the call's time is over by then as well, a machine that is busy notices either first)
RESET ROLE;
SET kg_graph.max_call_time = 100;
SET ROLE regf_reader;
SELECT pg_temp.told('regf', '{"m": "sleep"}');
RESET ROLE;
SET kg_graph.max_call_time = 60000;
SET ROLE regf_reader;
SET statement_timeout = 100;
SELECT pg_temp.told('regf', '{"m": "sleep"}', '{"timeout_ms": 60000}') IS NOT NULL AS told;
RESET statement_timeout;
RESET ROLE;
SET kg_graph.max_call_time = 0;
SET ROLE regf_reader;
SET statement_timeout = 100;
SELECT pg_temp.told('regf', '{"m": "sleep"}') IS NOT NULL AS told;
RESET statement_timeout;
RESET ROLE;
RESET kg_graph.max_call_time;
-- What a function writes is to be confirmed as what tools write; it may delete unless its annotations say that it does not.
CREATE FUNCTION public.regf_make(j jsonb) RETURNS jsonb VOLATILE LANGUAGE sql AS $$ INSERT INTO public.kg_entity(bundle, entity_type, data) VALUES ('regf', 'brand', jsonb_build_object('id', j ->> 'm')) RETURNING jsonb_build_object('made', entity_id) $$;
SET kg_graph.tenant = 'regf';
SELECT kg_register_tool(jsonb_build_object('name', n, 'version', '1.0.0', 'kind', 'function', 'description', 'Makes a brand.', 'operation', 'public.regf_make(jsonb)', 'annotations', jsonb_build_object('destructiveHint', n = 'regf_hard'),
    'output_schema', '{"type": "object", "required": ["made"], "properties": {"made": {"type": "string"}}}'::jsonb, 'input_schema', '{"type": "object", "additionalProperties": false, "required": ["m"], "properties": {"m": {"type": "string"}}}'::jsonb) - CASE n WHEN 'regf_make' THEN 'annotations' ELSE '' END) ->> 'verdict' AS verdict
  FROM unnest('{regf_make,regf_hard,regf_mild}'::text[]) n;
RESET kg_graph.tenant;
SET ROLE regf_reader;
CREATE FUNCTION pg_temp.asked(level text, tool text, m text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r jsonb;
  told text;
BEGIN
  PERFORM set_config('kg_graph.confirm_more', level, true);
  r := kg_call_tool(tool, jsonb_build_object('m', m)) -> 'structuredContent';
  IF NOT r ? 'error' THEN
    RETURN r;
  END IF;
  told := concat_ws(' | ', r #>> '{error,code}', r #>> '{error,message}', 'there are ' || (SELECT count(*) FROM kg_entity WHERE entity_id = m));
  RETURN concat_ws(' | ', told, kg_call_tool(tool, jsonb_build_object('m', m || '2', 'confirm', r #> '{error,confirm}')) #>> '{structuredContent,error,message}',
    kg_call_tool(tool, jsonb_build_object('m', m, 'confirm', r #> '{error,confirm}')) -> 'structuredContent');
END
$$;
SELECT level, tool, pg_temp.asked(level, tool, concat_ws('_', tool, level)) FROM unnest('{off,deletes,all}'::text[]) level, unnest('{regf_make,regf_hard,regf_mild}'::text[]) tool;
SELECT entity_id FROM kg_entity WHERE entity_id ~ '^regf_' ORDER BY entity_id COLLATE "C";
RESET kg_graph.confirm_more;
RESET ROLE;
DROP FUNCTION public.regf_make(jsonb);
DROP FUNCTION public.regf(jsonb), public.regf_write(jsonb), public.regf_cancel(), public.regf_inner(jsonb);
CALL test.drop('regf');
