
-- The routes of calls.  PL/Proxy calls these functions as the caller, for each call,
-- and keeps one connection for each different text that they return.

-- The settings of kg_graph that a caller may change are also set in the session on
-- the shard. There, values are read when the library is loaded, and invalid values
-- are ignored. So values of a wrong form are refused here. Values are transferred as
-- text, so both ends use the same text formats (sql/front/generate.awk has those of
-- the front). If the transaction is read-only here, so is the session on the shard.
-- On a standby, which is always read-only, only the default counts.
CREATE FUNCTION @extschema@.kg_carried() RETURNS text
  LANGUAGE plpgsql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  s record;
  options text := ' -c DateStyle=ISO -c IntervalStyle=postgres -c extra_float_digits=1 -c array_nulls=on'
    || CASE WHEN current_setting(CASE WHEN pg_is_in_recovery() THEN 'default_transaction_read_only' ELSE 'transaction_read_only' END)::boolean
            THEN ' -c default_transaction_read_only=on' ELSE '' END;
BEGIN
  FOR s IN
    SELECT c.name, c.form, current_setting(c.name, true) AS value
      FROM (VALUES ('kg_graph.tenant', ''), ('kg_graph.agent', ''),
                   ('kg_graph.toolsets', '^ *[A-Za-z0-9_-]+( *, *[A-Za-z0-9_-]+)* *$'),
                   ('kg_graph.confirm_more', '^(off|deletes|all)$'),
                   ('kg_graph.big_numbers', '^(number|text)$'),
                   ('kg_graph.schema_lax', '^(auto|on|off)$'),
                   ('kg_graph.schema_profile', '^(default|gemini|openai-strict|anthropic)$'),
                   ('kg_graph.mcp_text', '^(on|rows|off|true|false|yes|no|1|0)$'),
                   ('kg_graph.mcp_edges', '^(on|off|true|false|yes|no|1|0)$')) c(name, form)
  LOOP
    -- After a transaction with SET LOCAL, such a setting is empty instead of NULL.
    CONTINUE WHEN s.value IS NULL OR s.value = '';
    IF s.value !~* s.form THEN
      RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('invalid value for parameter "%s": "%s"', s.name, s.value);
    END IF;
    options := options || ' -c ' || s.name || '=' || regexp_replace(s.value, E'([\\\\[:space:]])', E'\\\\\\1', 'g');
  END LOOP;
  RETURN options;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_carried() IS
  'the caller''s settings of kg_graph, as options of a connection to a shard';

-- PL/Proxy keeps a connection for each text as long as the session exists, also
-- after a rollback. So each connection is recorded as an advisory lock of the
-- session. The lock is shared, because other sessions record the same connection.
-- kg_front.connections only saves the search among the locks.
CREATE FUNCTION @extschema@.kg_note_connection(connection integer) RETURNS void
  LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  most text := coalesce(nullif(current_setting('kg_front.max_shards_per_session', true), ''), '32');
  noted record;
BEGIN
  IF most !~ '^[1-9][0-9]{0,4}$' THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('invalid value for parameter "kg_front.max_shards_per_session": "%s"', most);
  END IF;
  SELECT count(*) AS n, count(*) FILTER (WHERE l.objid = connection::oid) AS same INTO noted
    FROM pg_locks l WHERE l.pid = pg_backend_pid() AND l.locktype = 'advisory' AND l.classid = 'pg_extension'::regclass AND l.objsubid = 2;
  IF noted.same = 0 AND noted.n >= most::integer THEN
    PERFORM @extschema@.kg_refuse('54000', 'LIMIT_EXCEEDED', format('session has as many connections to shards as kg_front.max_shards_per_session allows: %s', most),
      'a call with a tenant, agent and settings that the session has called with before, a new session, or a larger kg_front.max_shards_per_session');
  ELSIF noted.same = 0 THEN
    PERFORM pg_try_advisory_lock_shared('pg_extension'::regclass::integer, connection);
  END IF;
  PERFORM set_config('kg_front.connections', concat(current_setting('kg_front.connections', true), connection, ';'), false);
END
$$;
COMMENT ON FUNCTION @extschema@.kg_note_connection(integer) IS
  'count the connections of the session to shards, and refuse more than kg_front.max_shards_per_session';

-- The result has the syntax of libpq. Backslashes are written so that no setting
-- changes their meaning.
CREATE FUNCTION @extschema@.kg_dsn_value(value text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  SELECT '''' || regexp_replace(value, E'([''\\\\])', E'\\\\\\1', 'g') || '''';
END;
COMMENT ON FUNCTION @extschema@.kg_dsn_value(text) IS
  'quote a value for a connection string';

-- If a keyword occurs twice, libpq uses the last one. A read-only transaction has no
-- writes of its own to read, so it may use a standby of the shard. Its session on
-- the shard is read-only, too, so libpq must not look for a read-write session.
CREATE FUNCTION @extschema@.kg_connection(dsn text) RETURNS text
  LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  standbys text := coalesce(nullif(current_setting('kg_front.read_standbys', true), ''), 'off');
  carried text := @extschema@.kg_carried();
  reads boolean := strpos(carried, ' -c default_transaction_read_only=on') > 0;
  connection text;
  number integer;
BEGIN
  IF standbys !~* '^(on|off|true|false|yes|no|1|0)$' THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('invalid value for parameter "kg_front.read_standbys": "%s"', standbys);
  END IF;
  connection := 'connect_timeout=10 fallback_application_name=kg_front ' || dsn
    || CASE WHEN reads AND standbys::boolean THEN ' target_session_attrs=prefer-standby'
            WHEN reads AND strpos(dsn, 'read-write') > 0 THEN ' target_session_attrs=primary' ELSE '' END
    || ' user=' || @extschema@.kg_dsn_value(current_user::text) || ' options=' || @extschema@.kg_dsn_value(carried);
  number := hashtext(connection) & 2147483647;
  IF strpos(';' || coalesce(current_setting('kg_front.connections', true), ''), ';' || number || ';') = 0 THEN
    PERFORM @extschema@.kg_note_connection(number);
  END IF;
  RETURN connection;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_connection(text) IS
  'connection string for a shard, with the caller as user';

CREATE FUNCTION @extschema@.kg_connect() RETURNS text
  LANGUAGE plpgsql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  wanted text := nullif(current_setting('kg_graph.tenant', true), '');
  found_at text;
  tenants text[];
BEGIN
  IF wanted IS NOT NULL THEN
    SELECT p.dsn INTO found_at FROM @extschema@.kg_my_place p WHERE p.tenant = wanted;
  ELSE
    SELECT min(p.dsn) INTO found_at FROM (SELECT m.dsn FROM @extschema@.kg_my_place m LIMIT 2) p HAVING count(*) = 1;
  END IF;
  IF found_at IS NOT NULL THEN
    RETURN @extschema@.kg_connection(found_at);
  END IF;
  tenants := ARRAY(SELECT p.tenant FROM @extschema@.kg_my_place p ORDER BY p.tenant);
  IF cardinality(tenants) = 0 THEN
    RETURN @extschema@.kg_refuse('28000', 'NO_TENANT', format('role "%s" has no tenant', current_user),
      'a token, or a grant made by an administrator: SELECT kg_grant(''tenant'', ''role'', ''read'')');
  END IF;
  RETURN @extschema@.kg_refuse('28000', 'NO_TENANT',
    format(CASE WHEN wanted IS NULL THEN 'role "%s" is granted several tenants' ELSE 'role "%s" is not granted the tenant that kg_graph.tenant names' END, current_user),
    'SET kg_graph.tenant to a granted tenant', tenants, wanted);
END
$$;
COMMENT ON FUNCTION @extschema@.kg_connect() IS
  'connection string for the shard of the caller''s tenant, with the caller as user';

-- Returns the tenant that a token names. The front does not verify the token; the
-- shard does. If the token cannot be read, the result is NULL.
CREATE FUNCTION @extschema@.kg_token_tenant(token text) RETURNS text
  LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  parts jsonb[];
  key record;
BEGIN
  IF length(token) > 1048576 OR token !~ '^[A-Za-z0-9_-]+[.][A-Za-z0-9_-]+[.][A-Za-z0-9_-]+$' THEN
    RETURN NULL;
  END IF;
  SELECT array_agg(convert_from(decode(rpad(translate(p.part, '-_', '+/'), (length(p.part) + 3) / 4 * 4, '='), 'base64'), 'UTF8')::jsonb ORDER BY p.n)
    INTO parts FROM unnest((string_to_array(token, '.'))[1:2]) WITH ORDINALITY p(part, n);
  -- Without a key id, the token may be of any key of the issuer. The result is NULL
  -- if these keys differ.
  SELECT min(k.tenant) AS tenant, min(k.tenant_claim) AS claim, count(DISTINCT (k.tenant, k.tenant_claim)) AS n INTO key
    FROM @extschema@.kg_gateway_key k WHERE k.issuer = parts[2] ->> 'iss' AND k.kid = coalesce(parts[1] ->> 'kid', k.kid);
  IF key.n <> 1 THEN
    RETURN NULL;
  END IF;
  RETURN coalesce(key.tenant, parts[2] ->> key.claim);
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_token_tenant(text) IS
  'the tenant that an unverified token names, or NULL; for gateways';

-- A token without a known tenant is sent to the first shard, which refuses it like
-- any invalid token. So the error does not tell a client which tenants exist.
CREATE FUNCTION @extschema@.kg_connect_token(token text) RETURNS text
  LANGUAGE plpgsql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  wanted text := @extschema@.kg_token_tenant(token);
  found_at text;
BEGIN
  IF token IS NOT NULL THEN
    SELECT p.dsn INTO found_at FROM @extschema@.kg_gateway_place p WHERE p.tenant = wanted;
    IF found_at IS NULL THEN
      SELECT s.dsn INTO found_at FROM @extschema@.kg_gateway_shard s ORDER BY s.shard LIMIT 1;
    END IF;
  END IF;
  IF found_at IS NOT NULL THEN
    RETURN @extschema@.kg_connection(found_at);
  END IF;
  RETURN @extschema@.kg_connect();
END
$$;
COMMENT ON FUNCTION @extschema@.kg_connect_token(text) IS
  'connection string for the shard of the tenant that a token names, with the gateway as user; without a token, as kg_connect()';

CREATE FUNCTION @extschema@.kg_connect_tenant(tenant text) RETURNS text
  LANGUAGE plpgsql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  knows boolean := has_table_privilege('@extschema@.kg_place', 'SELECT') AND has_table_privilege('@extschema@.kg_shard', 'SELECT');
  found_at text;
BEGIN
  IF knows THEN
    SELECT s.dsn INTO found_at FROM @extschema@.kg_place p JOIN @extschema@.kg_shard s ON s.shard = p.shard WHERE p.tenant = kg_connect_tenant.tenant;
  ELSE
    SELECT p.dsn INTO found_at FROM @extschema@.kg_my_place p WHERE p.tenant = kg_connect_tenant.tenant;
  END IF;
  IF found_at IS NOT NULL THEN
    RETURN @extschema@.kg_connection(found_at);
  ELSIF knows THEN
    RETURN @extschema@.kg_refuse('P0002', 'NOT_FOUND', format('tenant "%s" does not exist', tenant), 'a tenant that kgctl cluster place placed');
  END IF;
  RETURN @extschema@.kg_refuse('42501', 'FORBIDDEN', format('role "%s" has no access to tenant "%s"', current_user, tenant), 'a role with admin access to the tenant');
END
$$;
COMMENT ON FUNCTION @extschema@.kg_connect_tenant(text) IS
  'connection string for the shard of a tenant, with the caller as user; for roles of the tenant and for the owner';

CREATE FUNCTION @extschema@.kg_connect_shard(shard text) RETURNS text
  LANGUAGE plpgsql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  found_at text;
BEGIN
  IF has_table_privilege('@extschema@.kg_shard', 'SELECT') THEN
    SELECT s.dsn INTO found_at FROM @extschema@.kg_shard s WHERE s.name = kg_connect_shard.shard;
  ELSE
    SELECT s.dsn INTO found_at FROM @extschema@.kg_gateway_shard s WHERE s.name = kg_connect_shard.shard;
  END IF;
  IF found_at IS NULL THEN
    RETURN @extschema@.kg_refuse('P0002', 'NOT_FOUND', format('shard "%s" does not exist', shard), 'a shard that kgctl cluster add-shard added');
  END IF;
  RETURN @extschema@.kg_connection(found_at);
END
$$;
COMMENT ON FUNCTION @extschema@.kg_connect_shard(text) IS
  'connection string for a shard, with the caller as user; for the owner and for gateways';
