
-- Functions of kg_graph that also change the directory or that concern all shards,
-- and the functions that they call on a shard.

CREATE FUNCTION @extschema@.kg_require_primary() RETURNS void
  LANGUAGE plpgsql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
BEGIN
  -- Refuse this before a function is called on a shard.
  IF pg_is_in_recovery() THEN
    RAISE EXCEPTION USING ERRCODE = 'read_only_sql_transaction', MESSAGE = 'cannot change the directory: this front is a standby',
      HINT = 'Do it at its primary.';
  END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_require_primary() IS
  'raise an error on a standby, where the directory cannot be changed';

-- The front could not route the calls of a role that does not exist here or may not
-- use its schema.
CREATE FUNCTION @extschema@.kg_require_role(role text) RETURNS void
  LANGUAGE plpgsql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = role) THEN
    PERFORM @extschema@.kg_refuse('P0002', 'NOT_FOUND', format('role "%s" does not exist at the front', role), 'a role of the front''s server and of the shard''s: CREATE ROLE');
  ELSIF NOT has_schema_privilege(role, '@extschema@', 'USAGE') THEN
    PERFORM @extschema@.kg_refuse('42501', 'FORBIDDEN', format('role "%s" may not use the schema of the front''s functions', role), format('GRANT USAGE ON SCHEMA @extschema@ TO %I, at the front', role));
  END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_require_role(text) IS
  'raise an error if the role does not exist, or may not use the schema of the front''s functions';

CREATE FUNCTION @extschema@.kg_front_grant(tenant text, role text, access text) RETURNS void
  LANGUAGE plproxy VOLATILE PARALLEL UNSAFE
  AS $$ CONNECT @extschema@.kg_connect_tenant(tenant); TARGET @extschema@.kg_grant; $$;
COMMENT ON FUNCTION @extschema@.kg_front_grant(text, text, text) IS 'kg_grant() at the tenant''s shard';

CREATE FUNCTION @extschema@.kg_front_revoke(tenant text, role text) RETURNS void
  LANGUAGE plproxy VOLATILE PARALLEL UNSAFE
  AS $$ CONNECT @extschema@.kg_connect_tenant(tenant); TARGET @extschema@.kg_revoke; $$;
COMMENT ON FUNCTION @extschema@.kg_front_revoke(text, text) IS 'kg_revoke() at the tenant''s shard';

CREATE FUNCTION @extschema@.kg_front_granted(of_tenant text) RETURNS text[]
  LANGUAGE plproxy VOLATILE STRICT PARALLEL UNSAFE
  AS $$ CONNECT @extschema@.kg_connect_tenant(of_tenant);
        SELECT ARRAY(SELECT g.role_name FROM @extschema@.kg_tenant_role g JOIN pg_catalog.pg_roles r ON r.oid = g.role AND r.rolname = g.role_name
                      WHERE g.tenant = of_tenant ORDER BY 1); $$;
COMMENT ON FUNCTION @extschema@.kg_front_granted(text) IS 'roles that have a grant at the tenant''s shard; for the owner';

CREATE FUNCTION @extschema@.kg_note_grants(tenant text) RETURNS void
  LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  granted text[];
BEGIN
  -- One after the other, so that the last one has read last.
  PERFORM FROM @extschema@.kg_place p WHERE p.tenant = kg_note_grants.tenant FOR UPDATE;
  granted := @extschema@.kg_front_granted(tenant);
  DELETE FROM @extschema@.kg_place_role r
   WHERE r.tenant = kg_note_grants.tenant AND NOT EXISTS (SELECT FROM pg_roles p WHERE p.oid = r.role AND p.rolname = r.role_name AND r.role_name = ANY (granted));
  INSERT INTO @extschema@.kg_place_role(role, role_name, tenant)
    SELECT p.oid, p.rolname, kg_note_grants.tenant FROM pg_roles p WHERE p.rolname = ANY (granted) ON CONFLICT DO NOTHING;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_note_grants(text) IS 'copy the grants of a tenant from its shard to kg_place_role; for the owner';

-- The same of one role, for whoever is a role of the tenant and may not write the
-- directory.  Which tenants there are, the view says to the caller; what is written,
-- the trigger asks the shard, as the owner, and so with none of the caller's
-- settings, of which each is a connection of its own.
CREATE VIEW @extschema@.kg_noted_grant WITH (security_barrier) AS
  SELECT p.tenant, NULL::pg_catalog.text AS role
    FROM @extschema@.kg_place p
   WHERE p.tenant IN (SELECT m.tenant FROM @extschema@.kg_my_place m) OR pg_catalog.has_table_privilege('@extschema@.kg_place', 'SELECT');
COMMENT ON VIEW @extschema@.kg_noted_grant IS 'an UPDATE of role copies the grant of this role from the tenant''s shard to kg_place_role; contains the caller''s own tenants, or all for the owner';

CREATE FUNCTION @extschema@.kg_note_grant() RETURNS trigger
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp
  SET kg_graph.tenant = '' SET kg_graph.agent = '' SET kg_graph.toolsets = ''
  SET kg_graph.confirm_more = '' SET kg_graph.mcp_text = '' SET kg_graph.mcp_edges = ''
  SET kg_graph.big_numbers = '' SET kg_graph.schema_lax = '' SET kg_graph.schema_profile = ''
  AS $$
DECLARE
  granted boolean;
BEGIN
  -- It takes no lock where nothing has changed.
  granted := NEW.role = ANY (@extschema@.kg_front_granted(OLD.tenant));
  DELETE FROM @extschema@.kg_place_role r
   WHERE r.tenant = OLD.tenant AND r.role_name = NEW.role AND NOT (granted AND EXISTS (SELECT FROM pg_roles p WHERE p.oid = r.role AND p.rolname = r.role_name));
  INSERT INTO @extschema@.kg_place_role(role, role_name, tenant)
    SELECT p.oid, p.rolname, OLD.tenant FROM pg_roles p WHERE granted AND p.rolname = NEW.role ON CONFLICT DO NOTHING;
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_note_grant() IS 'row trigger of kg_noted_grant: copies the grant of a role from the tenant''s shard to kg_place_role';
CREATE TRIGGER kg_note_grant INSTEAD OF UPDATE ON @extschema@.kg_noted_grant
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_note_grant();
GRANT SELECT, UPDATE ON @extschema@.kg_noted_grant TO PUBLIC;

CREATE FUNCTION @extschema@.kg_grant(tenant text, role text, access text) RETURNS void
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
BEGIN
  PERFORM @extschema@.kg_require_primary();
  PERFORM @extschema@.kg_require_role(role);
  PERFORM @extschema@.kg_front_grant(tenant, role, access);
  UPDATE @extschema@.kg_noted_grant n SET role = kg_grant.role WHERE n.tenant = kg_grant.tenant;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_grant(text, text, text) IS
  'let a role act for a tenant with access read, write or admin; for the owner of the extension, and for admins of the tenant who have ADMIN OPTION on the role';

CREATE FUNCTION @extschema@.kg_revoke(tenant text, role text) RETURNS void
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
BEGIN
  PERFORM @extschema@.kg_require_primary();
  PERFORM @extschema@.kg_front_revoke(tenant, role);
  UPDATE @extschema@.kg_noted_grant n SET role = kg_revoke.role WHERE n.tenant = kg_revoke.tenant;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_revoke(text, text) IS
  'revoke a grant, and the privileges that it gave, unless another grant needs them; also if the role was dropped';

CREATE FUNCTION @extschema@.kg_front_grant_gateway(at_shard text, gateway text, with_exchange boolean) RETURNS void
  LANGUAGE plproxy VOLATILE PARALLEL UNSAFE
  AS $$ CONNECT @extschema@.kg_connect_shard(at_shard); SELECT @extschema@.kg_grant_gateway(gateway, with_exchange); $$;
COMMENT ON FUNCTION @extschema@.kg_front_grant_gateway(text, text, boolean) IS 'kg_grant_gateway() at a shard';

CREATE FUNCTION @extschema@.kg_front_revoke_gateway(at_shard text, gateway text) RETURNS void
  LANGUAGE plproxy VOLATILE PARALLEL UNSAFE
  AS $$ CONNECT @extschema@.kg_connect_shard(at_shard); SELECT @extschema@.kg_revoke_gateway(gateway); $$;
COMMENT ON FUNCTION @extschema@.kg_front_revoke_gateway(text, text) IS 'kg_revoke_gateway() at a shard';

CREATE FUNCTION @extschema@.kg_grant_gateway(role text, exchange boolean DEFAULT false) RETURNS void
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
BEGIN
  PERFORM @extschema@.kg_require_primary();
  PERFORM @extschema@.kg_require_role(role);
  PERFORM @extschema@.kg_front_grant_gateway(s.name, role, exchange) FROM @extschema@.kg_shard s;
  DELETE FROM @extschema@.kg_gateway g WHERE g.role_name = kg_grant_gateway.role;
  INSERT INTO @extschema@.kg_gateway AS g (role, role_name, exchange)
    SELECT r.oid, r.rolname, kg_grant_gateway.exchange FROM pg_roles r WHERE r.rolname = kg_grant_gateway.role
    ON CONFLICT ON CONSTRAINT kg_gateway_pkey DO UPDATE SET role_name = excluded.role_name, exchange = excluded.exchange;
  -- A token is a parameter, which the server would log.
  EXECUTE format('ALTER ROLE %I SET log_parameter_max_length = 0', role);
  EXECUTE format('ALTER ROLE %I SET log_parameter_max_length_on_error = 0', role);
END
$$;
COMMENT ON FUNCTION @extschema@.kg_grant_gateway(text, boolean) IS
  'let a role pass tokens of its clients to kg_mcp(), with exchange also to kg_call_authorized(); without a token the role has no access; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_revoke_gateway(role text) RETURNS void
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  s record;
BEGIN
  PERFORM @extschema@.kg_require_primary();
  FOR s IN SELECT name FROM @extschema@.kg_shard ORDER BY shard LOOP
    BEGIN
      PERFORM @extschema@.kg_front_revoke_gateway(s.name, role);
    EXCEPTION WHEN no_data_found OR undefined_object THEN
      NULL;  -- there it was none, or is none any more
    END;
  END LOOP;
  DELETE FROM @extschema@.kg_gateway g WHERE g.role_name = kg_revoke_gateway.role;
  IF to_regrole(quote_ident(role)) IS NOT NULL THEN
    EXECUTE format('ALTER ROLE %I RESET log_parameter_max_length', role);
    EXECUTE format('ALTER ROLE %I RESET log_parameter_max_length_on_error', role);
  END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_revoke_gateway(text) IS
  'revoke what kg_grant_gateway() granted; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_front_drop_tenant(tenant text, rows integer) RETURNS boolean
  LANGUAGE plproxy VOLATILE PARALLEL UNSAFE
  AS $$ CONNECT @extschema@.kg_connect_tenant(tenant); TARGET @extschema@.kg_drop_tenant; $$;
COMMENT ON FUNCTION @extschema@.kg_front_drop_tenant(text, integer) IS 'kg_drop_tenant() at the tenant''s shard';

CREATE FUNCTION @extschema@.kg_drop_tenant(tenant text, rows integer) RETURNS boolean
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  done boolean;
  place record;
BEGIN
  PERFORM @extschema@.kg_require_primary();
  SELECT p.state INTO place FROM @extschema@.kg_place p WHERE p.tenant = kg_drop_tenant.tenant FOR UPDATE;
  IF place.state <> 'here' THEN
    PERFORM @extschema@.kg_refuse('42501', 'FORBIDDEN', format('tenant "%s" is being moved', tenant), 'a tenant that is in one place; kgctl cluster status');
  END IF;
  done := NOT FOUND;
  IF FOUND THEN
    BEGIN
      done := @extschema@.kg_front_drop_tenant(tenant, rows);
    EXCEPTION WHEN no_data_found THEN
      done := true;  -- a call before this one was interrupted after it
    END;
  ELSE
    PERFORM @extschema@.kg_connect_tenant(tenant);
  END IF;
  IF done THEN
    DELETE FROM @extschema@.kg_place p WHERE p.tenant = kg_drop_tenant.tenant;
  END IF;
  RETURN done;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_drop_tenant(text, integer) IS
  'make a tenant inaccessible, and delete up to this many of its rows; true: no row is left, false: call it again; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_drop_tenant(tenant text) RETURNS void
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
BEGIN
  WHILE NOT @extschema@.kg_drop_tenant(tenant, 100000) LOOP
    NULL;
  END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_drop_tenant(text) IS
  'delete a tenant with all its data and grants; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_front_health(at_shard text) RETURNS jsonb
  LANGUAGE plproxy VOLATILE STRICT PARALLEL UNSAFE
  AS $$ CONNECT @extschema@.kg_connect_shard(at_shard); SELECT @extschema@.kg_health(); $$;
COMMENT ON FUNCTION @extschema@.kg_front_health(text) IS 'kg_health() of a shard';

CREATE FUNCTION @extschema@.kg_front_my_health() RETURNS jsonb
  LANGUAGE plproxy VOLATILE STRICT PARALLEL UNSAFE
  AS $$ CONNECT @extschema@.kg_connect(); TARGET @extschema@.kg_health; $$;
COMMENT ON FUNCTION @extschema@.kg_front_my_health() IS 'kg_health() at the shard of the caller''s tenant';

CREATE FUNCTION @extschema@.kg_cluster_health() RETURNS TABLE (shard text, health jsonb)
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  names text[];
BEGIN
  IF has_table_privilege('@extschema@.kg_shard', 'SELECT') THEN
    names := ARRAY(SELECT s.name FROM @extschema@.kg_shard s ORDER BY s.shard);
  ELSE
    names := ARRAY(SELECT s.name FROM @extschema@.kg_gateway_shard s ORDER BY s.shard);
  END IF;
  FOREACH shard IN ARRAY names LOOP
    BEGIN
      health := @extschema@.kg_front_health(shard);
    EXCEPTION WHEN OTHERS THEN
      health := jsonb_build_object('status', 'unreachable', 'problem', SQLERRM);
    END;
    RETURN NEXT;
  END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_cluster_health() IS 'kg_health() of each shard; for the owner, and for gateways';

CREATE FUNCTION @extschema@.kg_health() RETURNS jsonb
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  reply jsonb;
BEGIN
  SELECT jsonb_build_object('status',
           CASE WHEN bool_or(s.status = 'unhealthy') OR bool_and(s.status = 'unreachable') THEN 'unhealthy' WHEN bool_and(s.status = 'healthy') THEN 'healthy' ELSE 'degraded' END,
           'version', (SELECT e.extversion FROM pg_extension e WHERE e.extname = 'kg_front'),
           'timestamp', to_jsonb(clock_timestamp()),
           'components', jsonb_agg(jsonb_build_object('name', 'shard ' || s.shard, 'status', s.status, 'metrics', s.health)))
    INTO reply FROM (SELECT h.shard, h.health ->> 'status' AS status, h.health FROM @extschema@.kg_cluster_health() h) s HAVING count(*) > 0;
  RETURN coalesce(reply, @extschema@.kg_front_my_health());
END
$$;
COMMENT ON FUNCTION @extschema@.kg_health() IS
  'whether every shard is in order, for the owner and gateways; for others, kg_health() of their tenant''s shard';

-- Functions for administrators that read all shards, each at the time of its call.

CREATE FUNCTION @extschema@.kg_cluster_tenants() RETURNS TABLE (tenant text, shard text, state text, other text, since timestamptz, roles text[])
  LANGUAGE sql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  SELECT p.tenant, s.name, p.state, o.name, p.since, ARRAY(SELECT r.role_name FROM @extschema@.kg_place_role r JOIN pg_roles a ON a.oid = r.role AND a.rolname = r.role_name WHERE r.tenant = p.tenant ORDER BY 1)
    FROM @extschema@.kg_place p JOIN @extschema@.kg_shard s ON s.shard = p.shard LEFT JOIN @extschema@.kg_shard o ON o.shard = p.other
   ORDER BY p.tenant;
END;
COMMENT ON FUNCTION @extschema@.kg_cluster_tenants() IS 'the shard of each tenant, and the roles whose calls go there; for the owner';

CREATE FUNCTION @extschema@.kg_front_tenants(at_shard text) RETURNS TABLE (tenant text, state text)
  LANGUAGE plproxy VOLATILE STRICT PARALLEL UNSAFE
  AS $$ CONNECT @extschema@.kg_connect_shard(at_shard);
        SELECT t.tenant, s.state FROM @extschema@.kg_tenant t LEFT JOIN @extschema@.kg_tenant_state s ON s.tenant = t.tenant; $$;
COMMENT ON FUNCTION @extschema@.kg_front_tenants(text) IS 'the tenants of a shard; for the owner';

-- Restoring a shard, or renaming, creating or dropping a tenant on it, does not
-- change the directory.
CREATE FUNCTION @extschema@.kg_cluster_differences() RETURNS TABLE (tenant text, problem text, expected text)
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  one text;
  answered text[] := '{}';
  found jsonb := '[]';
BEGIN
  FOR one IN SELECT s.name FROM @extschema@.kg_shard s ORDER BY s.shard LOOP
    BEGIN
      found := found || coalesce((SELECT jsonb_agg(jsonb_build_object('tenant', t.tenant, 'shard', one)) FROM @extschema@.kg_front_tenants(one) t WHERE t.state IS DISTINCT FROM 'dropping'), '[]');
      answered := answered || one;
    EXCEPTION WHEN OTHERS THEN
      NULL;  -- kg_cluster_health() says why
    END;
  END LOOP;
  RETURN QUERY
    WITH f AS (SELECT x ->> 'tenant' AS tenant, x ->> 'shard' AS shard FROM jsonb_array_elements(found) x)
    SELECT p.tenant, format('is not at shard %s, where its calls go', p.shard),
           coalesce((SELECT format('kgctl cluster place leads them to shard %s, which has one of that name', min(f.shard)) FROM f WHERE f.tenant = p.tenant HAVING count(*) > 0),
                    'restore it there; if it was dropped or renamed, kg_drop_tenant() at the front forgets it')
      FROM @extschema@.kg_cluster_tenants() p WHERE p.shard = ANY (answered) AND NOT EXISTS (SELECT FROM f WHERE f.tenant = p.tenant AND f.shard = p.shard)
    UNION ALL
    SELECT f.tenant, format('is at shard %s, too, and its calls go to shard %s', f.shard, p.shard), format('kg_drop_tenant() at shard %s deletes what nobody is led to', f.shard)
      FROM f JOIN @extschema@.kg_cluster_tenants() p ON p.tenant = f.tenant AND f.shard NOT IN (p.shard, coalesce(p.other, p.shard))
     WHERE p.shard <> ALL (answered) OR EXISTS (SELECT FROM f a WHERE a.tenant = p.tenant AND a.shard = p.shard)
    UNION ALL
    SELECT f.tenant, format('is at shard %s, and no call goes there', f.shard), format('kgctl cluster place leads them to shard %s', f.shard)
      FROM f WHERE NOT EXISTS (SELECT FROM @extschema@.kg_place p WHERE p.tenant = f.tenant)
    ORDER BY 1, 2;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_cluster_differences() IS 'tenants that only a shard has, or only the directory; for the owner';

CREATE FUNCTION @extschema@.kg_cluster_sizes() RETURNS TABLE (tenant text, shard text, size jsonb)
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
BEGIN
  FOR tenant, shard IN SELECT t.tenant, t.shard FROM @extschema@.kg_cluster_tenants() t LOOP
    size := @extschema@.kg_tenant_size(tenant);
    RETURN NEXT;
  END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_cluster_sizes() IS 'kg_tenant_size() of each tenant; for the owner';

CREATE FUNCTION @extschema@.kg_front_audit(at_shard text, back interval) RETURNS SETOF jsonb
  LANGUAGE plproxy VOLATILE STRICT PARALLEL UNSAFE
  SET DateStyle = ISO SET IntervalStyle = postgres
  AS $$ CONNECT @extschema@.kg_connect_shard(at_shard);
        SELECT pg_catalog.to_jsonb(a) FROM @extschema@.kg_audit a WHERE a.at >= pg_catalog.now() - back ORDER BY a.at, a.id; $$;
COMMENT ON FUNCTION @extschema@.kg_front_audit(text, interval) IS 'rows of kg_audit of a shard; for the owner';

CREATE FUNCTION @extschema@.kg_cluster_audit(since interval DEFAULT '1 day') RETURNS TABLE (shard text, record jsonb)
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  BEGIN ATOMIC
  SELECT s.name, a.record FROM @extschema@.kg_shard s CROSS JOIN LATERAL @extschema@.kg_front_audit(s.name, since) a(record);
END;
COMMENT ON FUNCTION @extschema@.kg_cluster_audit(interval) IS 'recorded calls of all shards; for the owner';

-- The shard refuses callers that lack the right there. The functions below also use
-- the directory's tables.
REVOKE EXECUTE ON FUNCTION @extschema@.kg_grant_gateway(text, boolean), @extschema@.kg_revoke_gateway(text),
  @extschema@.kg_drop_tenant(text), @extschema@.kg_drop_tenant(text, integer),
  @extschema@.kg_front_grant_gateway(text, text, boolean), @extschema@.kg_front_revoke_gateway(text, text), @extschema@.kg_front_drop_tenant(text, integer),
  @extschema@.kg_cluster_tenants(), @extschema@.kg_cluster_sizes(), @extschema@.kg_cluster_audit(interval), @extschema@.kg_front_audit(text, interval),
  @extschema@.kg_front_granted(text), @extschema@.kg_front_tenants(text), @extschema@.kg_cluster_differences(), @extschema@.kg_note_grants(text), @extschema@.kg_note_grant() FROM PUBLIC;
