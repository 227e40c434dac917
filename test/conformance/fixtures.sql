-- The tools, prompts and resources that the official conformance suite calls,
-- for tests only: they are no part of the extension.
--
-- kg_conformance.mcp() has the signature of kg_mcp() and asks it first, every
-- time.  Only what kg_mcp() lists is added to, and only what it refuses as
-- unknown is answered here, so that envelope, versions, capabilities, cache
-- hints and refusals are those of the product.  kgctl serve is pointed at it by
-- --function.

CREATE SCHEMA kg_conformance;

CREATE TABLE kg_conformance.fixture (
  kind    text NOT NULL CHECK (kind IN ('tools', 'prompts', 'resources', 'resourceTemplates')),
  name    text NOT NULL,
  listing jsonb NOT NULL,            -- as in the list
  answer  jsonb,                     -- the result, where it is always the same
  asks    jsonb,                     -- rounds of inputRequests before the answer
  state   boolean NOT NULL DEFAULT false, -- whether a requestState goes with them
  PRIMARY KEY (kind, name)
);

CREATE FUNCTION kg_conformance.png() RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==' $$;

CREATE FUNCTION kg_conformance.content(VARIADIC parts jsonb[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
$$ SELECT jsonb_build_object('content', to_jsonb(parts)) $$;

CREATE FUNCTION kg_conformance.text(t text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
$$ SELECT jsonb_build_object('type', 'text', 'text', t) $$;

CREATE FUNCTION kg_conformance.message(content jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
$$ SELECT jsonb_build_object('role', 'user', 'content', content) $$;

CREATE FUNCTION kg_conformance.elicit(message text, properties jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
$$ SELECT jsonb_build_object('method', 'elicitation/create', 'params', jsonb_build_object('message', message,
     'requestedSchema', jsonb_build_object('type', 'object', 'properties', properties,
       'required', (SELECT jsonb_agg(k) FROM jsonb_object_keys(properties) k)))) $$;

CREATE FUNCTION kg_conformance.sample(prompt text, tokens int) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
$$ SELECT jsonb_build_object('method', 'sampling/createMessage', 'params', jsonb_build_object('maxTokens', tokens,
     'messages', jsonb_build_array(kg_conformance.message(kg_conformance.text(prompt))))) $$;

CREATE FUNCTION kg_conformance.tool(name text, description text, answer jsonb DEFAULT NULL, asks jsonb DEFAULT NULL,
  state boolean DEFAULT false, properties jsonb DEFAULT '{}', required jsonb DEFAULT '[]') RETURNS void LANGUAGE sql AS
$$ INSERT INTO kg_conformance.fixture VALUES ('tools', name, jsonb_build_object('name', name, 'description', description,
     'inputSchema', jsonb_build_object('type', 'object', 'properties', properties, 'required', required)), answer, asks, state) $$;

DO $$
DECLARE
  png jsonb := jsonb_build_object('type', 'image', 'data', kg_conformance.png(), 'mimeType', 'image/png');
  name_form jsonb := kg_conformance.elicit('What is your name?', '{"name": {"type": "string"}}');
  confirm jsonb := kg_conformance.elicit('Please confirm', '{"ok": {"type": "boolean"}}');
  roots jsonb := '{"method": "roots/list", "params": {}}';
  done jsonb := kg_conformance.content(kg_conformance.text('done'));
  text jsonb;
BEGIN
  PERFORM kg_conformance.tool('test_simple_text', 'Returns text',
    kg_conformance.content(kg_conformance.text('This is a simple text response for testing.')));
  PERFORM kg_conformance.tool('test_image_content', 'Returns an image', kg_conformance.content(png));
  PERFORM kg_conformance.tool('test_audio_content', 'Returns audio', kg_conformance.content(
    '{"type": "audio", "mimeType": "audio/wav", "data": "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="}'));
  PERFORM kg_conformance.tool('test_embedded_resource', 'Returns a resource', kg_conformance.content(
    '{"type": "resource", "resource": {"uri": "test://embedded-resource", "mimeType": "text/plain", "text": "This is an embedded resource content."}}'));
  PERFORM kg_conformance.tool('test_multiple_content_types', 'Returns several kinds of content', kg_conformance.content(
    kg_conformance.text('Multiple content types test:'), png,
    '{"type": "resource", "resource": {"uri": "test://mixed-content-resource", "mimeType": "application/json", "text": "{\"test\":\"data\",\"value\":123}"}}'));
  PERFORM kg_conformance.tool('test_error_handling', 'Always fails',
    kg_conformance.content(kg_conformance.text('This tool intentionally returns an error for testing')) || '{"isError": true}');
  PERFORM kg_conformance.tool('test_tool_with_progress', 'Reports progress', done);
  PERFORM kg_conformance.tool('test_tool_with_logging', 'Logs', done);
  PERFORM kg_conformance.tool('test_logging_tool', 'Logs where the request asks for it', done);
  PERFORM kg_conformance.tool('test_streaming_elicitation', 'Answers on a stream', done);
  PERFORM kg_conformance.tool('test_missing_capability', 'Needs sampling', done);
  PERFORM kg_conformance.tool('test_trigger_tool_change', 'Changes the list of tools', done);
  PERFORM kg_conformance.tool('test_trigger_prompt_change', 'Changes the list of prompts', done);
  PERFORM kg_conformance.tool('test_custom_header', 'Has a parameter that is repeated in a header', done,
    properties => '{"region": {"type": "string", "x-mcp-header": "Region"}}');
  INSERT INTO kg_conformance.fixture VALUES ('tools', 'json_schema_2020_12_tool', '{"name": "json_schema_2020_12_tool",
    "description": "Tool with JSON Schema 2020-12 features", "inputSchema": {"$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object", "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}, "contactMethod": {"type": "string", "enum": ["phone", "email"]},
      "phone": {"type": "string"}, "email": {"type": "string"}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": false}}', done);

  -- Questions to the client: by input_required, or bridged for legacy clients.
  PERFORM kg_conformance.tool('test_sampling', 'Asks the client''s model', NULL, '[{}]', false, '{"prompt": {"type": "string"}}', '["prompt"]');
  PERFORM kg_conformance.tool('test_elicitation', 'Asks the user', NULL, '[{}]', false, '{"message": {"type": "string"}}', '["message"]');
  PERFORM kg_conformance.tool('test_elicitation_sep1034_defaults', 'Asks the user with defaults', NULL, jsonb_build_array(jsonb_build_object('form',
    kg_conformance.elicit('Please review and update the form fields with defaults', '{"name": {"type": "string", "description": "User name", "default": "John Doe"},
      "age": {"type": "integer", "description": "User age", "default": 30}, "score": {"type": "number", "description": "User score", "default": 95.5},
      "status": {"type": "string", "description": "User status", "enum": ["active", "inactive", "pending"], "default": "active"},
      "verified": {"type": "boolean", "description": "Verification status", "default": true}}') #- '{params,requestedSchema,required}')));
  PERFORM kg_conformance.tool('test_elicitation_sep1330_enums', 'Asks the user with enums', NULL, jsonb_build_array(jsonb_build_object('form',
    kg_conformance.elicit('Please select options from the enum fields', '{"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
      "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
      "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
      "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
      "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}}')
      #- '{params,requestedSchema,required}')));
  PERFORM kg_conformance.tool('test_input_required_result_elicitation', 'Asks for a name', NULL,
    jsonb_build_array(jsonb_build_object('user_name', name_form)));
  PERFORM kg_conformance.tool('test_input_required_result_sampling', 'Asks the model', NULL,
    jsonb_build_array(jsonb_build_object('capital_question', kg_conformance.sample('What is the capital of France?', 100))));
  PERFORM kg_conformance.tool('test_input_required_result_list_roots', 'Asks for the roots', NULL,
    jsonb_build_array(jsonb_build_object('client_roots', roots)));
  PERFORM kg_conformance.tool('test_input_required_result_request_state', 'Carries state', NULL,
    jsonb_build_array(jsonb_build_object('confirm', confirm)), true);
  PERFORM kg_conformance.tool('test_input_required_result_tampered_state', 'Carries state', NULL,
    jsonb_build_array(jsonb_build_object('confirm', confirm)), true);
  PERFORM kg_conformance.tool('test_input_required_result_multiple_inputs', 'Asks three things', NULL,
    jsonb_build_array(jsonb_build_object('user_name', name_form, 'greeting', kg_conformance.sample('Generate a greeting', 50), 'client_roots', roots)), true);
  PERFORM kg_conformance.tool('test_input_required_result_multi_round', 'Asks twice', NULL, jsonb_build_array(
    jsonb_build_object('step1', kg_conformance.elicit('Step 1: What is your name?', '{"name": {"type": "string"}}')),
    jsonb_build_object('step2', kg_conformance.elicit('Step 2: What is your favorite color?', '{"color": {"type": "string"}}'))), true);
  PERFORM kg_conformance.tool('test_input_required_result_capabilities', 'Asks what the client can answer', NULL,
    jsonb_build_array(jsonb_build_object('user_name', name_form, 'greeting', kg_conformance.sample('Generate a greeting', 50))));

  INSERT INTO kg_conformance.fixture VALUES
    ('prompts', 'test_simple_prompt', '{"name": "test_simple_prompt", "description": "A simple prompt"}',
     jsonb_build_object('messages', jsonb_build_array(kg_conformance.message(kg_conformance.text('This is a simple prompt for testing.'))))),
    ('prompts', 'test_prompt_with_arguments', '{"name": "test_prompt_with_arguments", "description": "Has arguments",
      "arguments": [{"name": "arg1", "description": "First", "required": true}, {"name": "arg2", "description": "Second", "required": true}]}', NULL),
    ('prompts', 'test_prompt_with_embedded_resource', '{"name": "test_prompt_with_embedded_resource", "description": "Embeds a resource",
      "arguments": [{"name": "resourceUri", "description": "URI", "required": true}]}', NULL),
    ('prompts', 'test_prompt_with_image', '{"name": "test_prompt_with_image", "description": "Has an image"}',
     jsonb_build_object('messages', jsonb_build_array(kg_conformance.message(png),
       kg_conformance.message(kg_conformance.text('Please analyze the image above.'))))),
    ('resources', 'test://static-text', '{"uri": "test://static-text", "name": "Static text", "mimeType": "text/plain"}',
     '{"contents": [{"uri": "test://static-text", "mimeType": "text/plain", "text": "This is the content of the static text resource."}]}'),
    ('resources', 'test://static-binary', '{"uri": "test://static-binary", "name": "Static binary", "mimeType": "image/png"}',
     jsonb_build_object('contents', jsonb_build_array(jsonb_build_object('uri', 'test://static-binary', 'mimeType', 'image/png', 'blob', kg_conformance.png())))),
    ('resources', 'test://watched-resource', '{"uri": "test://watched-resource", "name": "Watched", "mimeType": "text/plain"}',
     '{"contents": [{"uri": "test://watched-resource", "mimeType": "text/plain", "text": "Watched."}]}'),
    ('resourceTemplates', 'test://template/{id}/data', '{"uriTemplate": "test://template/{id}/data", "name": "Template", "mimeType": "application/json"}', NULL);
  INSERT INTO kg_conformance.fixture(kind, name, listing, asks) VALUES
    ('prompts', 'test_input_required_result_prompt', '{"name": "test_input_required_result_prompt", "description": "Asks for context"}',
     jsonb_build_array(jsonb_build_object('user_context',
       kg_conformance.elicit('What context should the prompt use?', '{"context": {"type": "string"}}'))));
END $$;

-- A notification out of the running call, as docs/gateway.md says.
CREATE FUNCTION kg_conformance.notify_client(method text, params jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE USING ERRCODE = 'KGMCP', MESSAGE = jsonb_build_object('method', method, 'params', params)::text;
END $$;

-- requestState: tool, round, and a keyed hash of both.
CREATE FUNCTION kg_conformance.state(name text, round int) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT round || '.' || encode(sha256(convert_to('conformance key/' || name || '/' || round, 'UTF8')), 'hex') $$;

CREATE FUNCTION kg_conformance.error(code int, message text, data jsonb DEFAULT NULL) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
$$ SELECT jsonb_build_object('error', jsonb_strip_nulls(jsonb_build_object('code', code, 'message', message, 'data', data))) $$;

-- The requests of a round that the client says it can answer.
CREATE FUNCTION kg_conformance.answerable(asks jsonb, capabilities jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
$$ SELECT jsonb_object_agg(key, value) FROM jsonb_each(asks)
   WHERE capabilities IS NULL OR capabilities ? split_part(value->>'method', '/', 1) $$;

-- {"error": ...} or {"result": ...} of a fixture that asks the client.
CREATE FUNCTION kg_conformance.ask(f kg_conformance.fixture, message jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  params jsonb := message->'params';
  answers jsonb := params->'inputResponses';
  round int := 1;
  asks jsonb;
BEGIN
  IF params ? 'requestState' AND f.state THEN
    round := split_part(params->>'requestState', '.', 1)::int;
    IF params->>'requestState' <> kg_conformance.state(f.name, round) THEN
      RETURN kg_conformance.error(-32602, 'requestState is not ours');
    END IF;
  END IF;
  IF params ? 'inputResponses' AND jsonb_typeof(answers) <> 'object' THEN
    RETURN kg_conformance.error(-32602, 'inputResponses is not an object');
  END IF;
  asks := f.asks->(round - 1);
  IF f.name = 'test_sampling' THEN
    asks := jsonb_build_object('q', kg_conformance.sample(params #>> '{arguments,prompt}', 100));
  ELSIF f.name = 'test_elicitation' THEN
    asks := jsonb_build_object('q', kg_conformance.elicit(params #>> '{arguments,message}',
      '{"username": {"type": "string", "description": "User''s response"}, "email": {"type": "string", "description": "User''s email address"}}'));
  END IF;
  asks := kg_conformance.answerable(asks, params #> '{_meta,io.modelcontextprotocol/clientCapabilities}');
  IF asks IS NULL THEN
    RETURN kg_conformance.error(-32021, 'the client cannot answer', '{"requiredCapabilities": {"elicitation": {}}}');
  END IF;
  IF answers IS NULL OR EXISTS (SELECT FROM jsonb_object_keys(asks) k WHERE jsonb_typeof(answers->k) IS DISTINCT FROM 'object') THEN
    NULL; -- ask, or ask again
  ELSIF round < jsonb_array_length(f.asks) THEN
    round := round + 1;
    asks := f.asks->(round - 1);
  ELSIF f.kind = 'prompts' THEN
    RETURN jsonb_build_object('result', jsonb_build_object('messages',
      jsonb_build_array(kg_conformance.message(kg_conformance.text(answers::text)))));
  ELSE
    RETURN jsonb_build_object('result', kg_conformance.content(kg_conformance.text(
      CASE WHEN f.state THEN 'state-ok ' ELSE '' END
      || COALESCE('Hello, ' || (answers #>> '{user_name,content,name}') || '! ', '')
      || 'Elicitation completed: action=' || COALESCE(answers #>> '{form,action}', answers #>> '{q,action}', '')
      || ', content=' || answers)));
  END IF;
  RETURN jsonb_build_object('result', jsonb_strip_nulls(jsonb_build_object('resultType', 'input_required', 'inputRequests', asks,
    'requestState', CASE WHEN f.state THEN kg_conformance.state(f.name, round) END)));
END $$;

-- What a tool does besides its answer.
CREATE FUNCTION kg_conformance.act(name text, message jsonb, tell text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  meta jsonb := message #> '{params,_meta}';
BEGIN
  IF name = 'test_missing_capability' AND NOT COALESCE(meta->'io.modelcontextprotocol/clientCapabilities', '{}') ? 'sampling' THEN
    RETURN kg_conformance.error(-32021, 'the client does not offer sampling', '{"requiredCapabilities": {"sampling": {}}}');
  ELSIF name IN ('test_tool_with_progress', 'test_streaming_elicitation') THEN
    FOR i IN 0..2 LOOP
      PERFORM kg_conformance.notify_client('notifications/progress',
        jsonb_build_object('progressToken', meta->'progressToken', 'progress', i * 50, 'total', 100));
      PERFORM pg_sleep(0.05);
    END LOOP;
  ELSIF name = 'test_tool_with_logging' OR (name = 'test_logging_tool' AND meta ? 'io.modelcontextprotocol/logLevel') THEN
    FOR i IN 1..3 LOOP
      PERFORM kg_conformance.notify_client('notifications/message', jsonb_build_object('level', 'info', 'data',
        (ARRAY['Tool execution started', 'Tool processing data', 'Tool execution completed'])[i]));
      PERFORM pg_sleep(0.05);
    END LOOP;
  ELSIF name LIKE 'test_trigger_%_change' THEN
    PERFORM pg_notify('kg_mcp', tell || CASE name WHEN 'test_trigger_tool_change' THEN ' tools' ELSE ' prompts' END);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION kg_conformance.run(f kg_conformance.fixture, message jsonb, tell text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  arguments jsonb := message #> '{params,arguments}';
  outcome jsonb;
BEGIN
  IF f.asks IS NOT NULL THEN
    RETURN kg_conformance.ask(f, message);
  END IF;
  outcome := kg_conformance.act(f.name, message, tell);
  IF outcome IS NOT NULL THEN
    RETURN outcome;
  ELSIF f.name = 'test_prompt_with_arguments' THEN
    RETURN jsonb_build_object('result', jsonb_build_object('messages', jsonb_build_array(kg_conformance.message(kg_conformance.text(
      format('Prompt with arguments: arg1=''%s'', arg2=''%s''', arguments->>'arg1', arguments->>'arg2'))))));
  ELSIF f.name = 'test_prompt_with_embedded_resource' THEN
    RETURN jsonb_build_object('result', jsonb_build_object('messages', jsonb_build_array(
      kg_conformance.message(jsonb_build_object('type', 'resource', 'resource', jsonb_build_object('uri', arguments->'resourceUri',
        'mimeType', 'text/plain', 'text', 'Embedded resource content for testing.'))),
      kg_conformance.message(kg_conformance.text('Please process the embedded resource above.')))));
  ELSIF f.kind = 'resourceTemplates' THEN
    RETURN jsonb_build_object('result', jsonb_build_object('contents', jsonb_build_array(jsonb_build_object(
      'uri', message #> '{params,uri}', 'mimeType', 'application/json', 'text', jsonb_build_object(
        'id', substring(message #>> '{params,uri}' FROM '^test://template/([^/]*)/data$'), 'templateTest', true,
        'data', 'Data for ID')::text))));
  END IF;
  RETURN jsonb_build_object('result', f.answer);
END $$;

-- The fixture that a refused request names.
CREATE FUNCTION kg_conformance.find(message jsonb) RETURNS kg_conformance.fixture LANGUAGE sql STABLE AS $$
  SELECT f.* FROM kg_conformance.fixture f
  WHERE CASE message->>'method'
    WHEN 'tools/call' THEN f.kind = 'tools' AND f.name = message #>> '{params,name}'
    WHEN 'prompts/get' THEN f.kind = 'prompts' AND f.name = message #>> '{params,name}'
    WHEN 'resources/read' THEN
      f.kind = 'resources' AND f.name = message #>> '{params,uri}' OR
      f.kind = 'resourceTemplates' AND message #>> '{params,uri}' ~ '^test://template/[^/]*/data$'
    ELSE false END $$;

CREATE FUNCTION kg_conformance.mcp(message jsonb, token text DEFAULT NULL, tenant text DEFAULT NULL) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  reply jsonb := kg_mcp(message, token, tenant);
  method text := message->>'method';
  list text := CASE method WHEN 'tools/list' THEN 'tools' WHEN 'prompts/list' THEN 'prompts'
    WHEN 'resources/list' THEN 'resources' WHEN 'resources/templates/list' THEN 'resourceTemplates' END;
  modern boolean := message #> '{params,_meta}' ? 'io.modelcontextprotocol/protocolVersion';
  f kg_conformance.fixture;
  outcome jsonb;
  envelope jsonb;
BEGIN
  IF jsonb_typeof(message) <> 'object' OR reply IS NULL THEN
    RETURN reply;
  ELSIF reply ? 'result' AND list IS NOT NULL AND NOT reply->'result' ? 'nextCursor' THEN
    RETURN jsonb_set(reply, ARRAY['result', list], (reply #> ARRAY['result', list]) ||
      (SELECT jsonb_agg(listing ORDER BY name COLLATE "C") FROM kg_conformance.fixture WHERE kind = list));
  ELSIF NOT reply ? 'error' OR reply #>> '{error,code}' NOT IN ('-32602', '-32002')
    OR reply #>> '{error,data,path}' LIKE '/params/\_meta%' THEN
    RETURN reply;
  ELSIF method = 'completion/complete' AND message #>> '{params,ref,name}' = 'test_prompt_with_arguments' THEN
    outcome := '{"result": {"completion": {"values": [], "total": 0, "hasMore": false}}}';
  ELSE
    f := kg_conformance.find(message);
    IF f.name IS NULL THEN
      RETURN reply;
    END IF;
    outcome := kg_conformance.run(f, message, kg_mcp(
      '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}', token, tenant) #>> '{kg_listen,key}');
  END IF;
  -- The envelope of the era, taken from an answer of the product.
  IF modern AND outcome ? 'result' THEN
    envelope := kg_mcp(jsonb_build_object('jsonrpc', '2.0', 'id', 1, 'method', 'resources/list', 'params',
      jsonb_build_object('_meta', message #> '{params,_meta}')), token, tenant)->'result';
    outcome := jsonb_set(outcome, '{result}', '{"resultType": "complete"}' || (outcome->'result') ||
      jsonb_build_object('_meta', envelope->'_meta') ||
      CASE WHEN method = 'resources/read' THEN jsonb_build_object('ttlMs', envelope->'ttlMs', 'cacheScope', envelope->'cacheScope') ELSE '{}' END);
  END IF;
  RETURN jsonb_build_object('jsonrpc', '2.0', 'id', message->'id') || outcome;
END $$;

GRANT USAGE ON SCHEMA kg_conformance TO PUBLIC;
GRANT SELECT ON kg_conformance.fixture TO PUBLIC;
