-- Functions of the tools of a type, and calls of tools by name (src/tool_calls.c).

-- Two random UUIDs are 244 random bits from the server's strong generator.
INSERT INTO @extschema@.kg_secret (name, secret)
VALUES ('cursor', pg_catalog.decode(pg_catalog.replace(
  pg_catalog.concat(pg_catalog.gen_random_uuid(), pg_catalog.gen_random_uuid()), '-', ''), 'hex'));

CREATE FUNCTION @extschema@.kg_list(entity_type text, arguments jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_list';
COMMENT ON FUNCTION @extschema@.kg_list(text, jsonb) IS
  'a page of the entities of a type; arguments filters, search, sort, fields, limit, offset or cursor, max_bytes';

CREATE FUNCTION @extschema@.kg_list_ids(entity_type text, arguments jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_list_ids';
COMMENT ON FUNCTION @extschema@.kg_list_ids(text, jsonb) IS
  'as kg_list(), but only ids, or ids and summary fields';

CREATE FUNCTION @extschema@.kg_get(entity_type text, id text) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_get';
COMMENT ON FUNCTION @extschema@.kg_get(text, text) IS
  'the data of one entity, or NULL';

CREATE FUNCTION @extschema@.kg_get(entity_type text, ids text[]) RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_get_many';
COMMENT ON FUNCTION @extschema@.kg_get(text, text[]) IS
  'the entities with these ids, in the order of the ids, and the ids that were not found';

CREATE FUNCTION @extschema@.kg_list_tools() RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_list_tools';
COMMENT ON FUNCTION @extschema@.kg_list_tools() IS
  'the tools of the caller''s tenant: name, title, description, input and output schema, annotations';

CREATE FUNCTION @extschema@.kg_call_tool(name text, arguments jsonb DEFAULT '{}', options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_call_tool';
COMMENT ON FUNCTION @extschema@.kg_call_tool(text, jsonb, jsonb) IS
  'call a tool by name; returns an MCP tool result, also for an error; options timeout_ms, version, idempotency_key';

CREATE FUNCTION @extschema@.kg_call_with_token(token text, tool text, arguments jsonb DEFAULT '{}', options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_call_with_token';
COMMENT ON FUNCTION @extschema@.kg_call_with_token(text, text, jsonb, jsonb) IS
  'kg_login() and kg_call_tool() in one statement; pass the token as a parameter, not in the text of the statement';

CREATE FUNCTION @extschema@.kg_explain(tool text, arguments jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_explain';
COMMENT ON FUNCTION @extschema@.kg_explain(text, jsonb) IS
  'how a tool call is executed: its parsed arguments, SQL, parameter types and plans; for members of pg_read_all_stats with a grant of EXECUTE';

CREATE FUNCTION @extschema@.kg_call_authorized(tool text, arguments jsonb, decisions jsonb DEFAULT '[]', exchange text DEFAULT NULL, token text DEFAULT NULL) RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_call_authorized';
COMMENT ON FUNCTION @extschema@.kg_call_authorized(text, jsonb, jsonb, text, text) IS
  'call a tool with decisions of another system; returns its result, or the decisions that it needs; for gateways that kg_grant_gateway(role, exchange => true) made';
