
DO $$
BEGIN
  IF '@extschema@' ~ '"' THEN
    RAISE EXCEPTION USING ERRCODE = 'feature_not_supported', MESSAGE = 'kg_front cannot be in a schema whose name needs quotes',
      DETAIL = 'PL/Proxy does not read such names.', HINT = 'Use a schema with a name in lower case, at the shards, too.';
  END IF;
END
$$;

-- The directory: the shard of each tenant, and the roles that are sent to it. The
-- directory only decides to which shard a call is sent; the shard decides what the
-- call may do.

CREATE FUNCTION @extschema@.kg_refuse(sqlstate text, code text, message text, expected text, allowed text[] DEFAULT NULL, got text DEFAULT NULL) RETURNS text
  LANGUAGE plpgsql STABLE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = sqlstate, MESSAGE = message,
    DETAIL = jsonb_strip_nulls(jsonb_build_object('code', code, 'message', message, 'expected', expected, 'allowed', to_jsonb(allowed), 'got', got))::text;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_refuse(text, text, text, text, text[], text) IS
  'raise an error in the form of kg_graph''s errors';

CREATE TABLE @extschema@.kg_shard (
  shard        integer PRIMARY KEY CHECK (shard BETWEEN 1 AND 2047),
  name         text COLLATE "C" NOT NULL UNIQUE,
  dsn          text NOT NULL
);
COMMENT ON TABLE @extschema@.kg_shard IS 'databases with kg_graph; shard is the number that kg_set_shard() set there; made by kgctl cluster add-shard';
COMMENT ON COLUMN @extschema@.kg_shard.dsn IS 'keywords and values of the connection, without user, secrets and options; every caller can read it, and connects as itself';

-- Each pair is parsed as libpq parses it. In addition, a value without quotes must
-- be ASCII without quotes and backslashes, so that both parsers read the same value.
-- A constraint cannot do this, because its error would contain the row.
CREATE FUNCTION @extschema@.kg_check_shard() RETURNS trigger
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
  SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  may constant text[] := '{host,hostaddr,port,dbname,passfile,connect_timeout,application_name,fallback_application_name,keepalives,keepalives_idle,keepalives_interval,keepalives_count,tcp_user_timeout,
    sslmode,sslnegotiation,sslcompression,sslcert,sslkey,sslcertmode,sslrootcert,sslcrl,sslcrldir,sslsni,ssl_min_protocol_version,ssl_max_protocol_version,min_protocol_version,max_protocol_version,
    require_auth,channel_binding,requirepeer,requiressl,krbsrvname,gsslib,gssencmode,gssdelegation,target_session_attrs,load_balance_hosts}';
  white constant text := E' \t\n\r\f\x0b';
  rest text := ltrim(NEW.dsn, white);
  pair text[];
BEGIN
  IF NEW.name !~ '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$' THEN
    PERFORM @extschema@.kg_refuse('22023', 'INVALID_INPUT', format('"%s" is no name of a shard', left(NEW.name, 63)), 'letters, digits, "_", "." and "-", 1 to 63 of them, of which the first is neither "." nor "-"');
  END IF;
  WHILE rest <> '' LOOP
    pair := regexp_match(rest, E'^([a-z_]+)[ \t\n\r\f\x0b]*=[ \t\n\r\f\x0b]*(?:''(?:[^''\\\\]|\\\\.)*''|[!-&(-[\\]-~]+)(?:[ \t\n\r\f\x0b]+(.*))?$');
    IF pair IS NULL THEN
      PERFORM @extschema@.kg_refuse('22023', 'INVALID_INPUT', format('connection string of shard "%s" is not read after %s of its bytes', NEW.name, octet_length(NEW.dsn) - octet_length(rest)),
        'keyword=value pairs with blanks between them, values with quotes, blanks and backslashes in single quotes');
    ELSIF pair[1] <> ALL (may) THEN
      PERFORM @extschema@.kg_refuse('22023', 'INVALID_INPUT', format('connection string of shard "%s" may not have "%s"', NEW.name, left(pair[1], 63)),
        'no user, no options and no secret, which every caller could read: each connects as itself, by pg_hba.conf, certificates or a passfile', may);
    END IF;
    rest := coalesce(pair[2], '');
  END LOOP;
  IF pair IS NULL THEN
    PERFORM @extschema@.kg_refuse('22023', 'INVALID_INPUT', format('connection string of shard "%s" is empty', NEW.name), 'one like host=first dbname=one');
  END IF;
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION @extschema@.kg_check_shard() IS
  'row trigger of kg_shard: checks the name, and refuses secrets in connection strings without repeating them in the error';
CREATE TRIGGER kg_check_shard BEFORE INSERT OR UPDATE ON @extschema@.kg_shard
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_check_shard();

CREATE TABLE @extschema@.kg_place (
  tenant       text COLLATE "C" PRIMARY KEY,
  shard        integer NOT NULL REFERENCES @extschema@.kg_shard,
  state        text COLLATE "C" NOT NULL DEFAULT 'here' CHECK (state IN ('here', 'moving', 'moved')),
  other        integer REFERENCES @extschema@.kg_shard,
  since        timestamptz NOT NULL DEFAULT pg_catalog.now(),
  CHECK ((state IN ('moving', 'moved')) = (other IS NOT NULL)),
  CHECK (other <> shard)
);
COMMENT ON TABLE @extschema@.kg_place IS 'the shard to which the calls of each tenant go; made by kgctl cluster place and move';
COMMENT ON COLUMN @extschema@.kg_place.state IS 'moving: the shard other receives a copy; moved: the shard other still has old rows of the tenant';
CREATE INDEX kg_place_shard_idx ON @extschema@.kg_place (shard);

CREATE TABLE @extschema@.kg_place_role (
  role         regrole NOT NULL,
  role_name    text COLLATE "C" NOT NULL,
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_place ON DELETE CASCADE,
  PRIMARY KEY (role, tenant)
);
COMMENT ON TABLE @extschema@.kg_place_role IS 'roles that have a grant at the tenant''s shard; written by kg_grant(), kg_revoke() and kgctl cluster';
COMMENT ON COLUMN @extschema@.kg_place_role.role_name IS 'name of the role when the row was written; the row is valid only while one role has this number and this name';
CREATE INDEX kg_place_role_tenant_idx ON @extschema@.kg_place_role (tenant);

CREATE TABLE @extschema@.kg_key_route (
  issuer       text COLLATE "C" NOT NULL,
  kid          text COLLATE "C" NOT NULL,
  tenant_claim text COLLATE "C",
  tenant       text COLLATE "C",
  PRIMARY KEY (issuer, kid)
);
COMMENT ON TABLE @extschema@.kg_key_route IS 'for each key, the claim of its tokens that names the tenant, or their only tenant; no secrets; written by kgctl cluster sync';

CREATE TABLE @extschema@.kg_gateway (
  role         regrole PRIMARY KEY,
  role_name    text COLLATE "C" NOT NULL,
  exchange     boolean NOT NULL
);
COMMENT ON TABLE @extschema@.kg_gateway IS 'roles that kg_grant_gateway() made gateways of all shards';

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_shard', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_place', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_place_role',
  'WHERE EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = role AND r.rolname = role_name)');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_key_route', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_gateway',
  'WHERE EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = role AND r.rolname = role_name)');

-- The parts of the directory that each caller may read. In a view, current_user is
-- the calling role. Another role may have the name of a dropped role, or its OID, so
-- both are compared.
CREATE VIEW @extschema@.kg_my_place WITH (security_barrier) AS
  SELECT r.tenant, s.dsn
    FROM @extschema@.kg_place_role r JOIN @extschema@.kg_place p ON p.tenant = r.tenant JOIN @extschema@.kg_shard s ON s.shard = p.shard
   WHERE r.role = pg_catalog.to_regrole(pg_catalog.quote_ident(current_user)) AND r.role_name = current_user::pg_catalog.text;
COMMENT ON VIEW @extschema@.kg_my_place IS 'the tenants of the current role, with their shards';

CREATE VIEW @extschema@.kg_gateway_place WITH (security_barrier) AS
  SELECT p.tenant, s.dsn
    FROM @extschema@.kg_place p JOIN @extschema@.kg_shard s ON s.shard = p.shard
   WHERE EXISTS (SELECT FROM @extschema@.kg_gateway g WHERE g.role = pg_catalog.to_regrole(pg_catalog.quote_ident(current_user)) AND g.role_name = current_user::pg_catalog.text);
COMMENT ON VIEW @extschema@.kg_gateway_place IS 'all tenants with their shards, for gateways';

CREATE VIEW @extschema@.kg_gateway_shard WITH (security_barrier) AS
  SELECT s.shard, s.name, s.dsn
    FROM @extschema@.kg_shard s
   WHERE EXISTS (SELECT FROM @extschema@.kg_gateway g WHERE g.role = pg_catalog.to_regrole(pg_catalog.quote_ident(current_user)) AND g.role_name = current_user::pg_catalog.text);
COMMENT ON VIEW @extschema@.kg_gateway_shard IS 'the shards, for gateways';

CREATE VIEW @extschema@.kg_gateway_key WITH (security_barrier) AS
  SELECT k.issuer, k.kid, k.tenant_claim, k.tenant
    FROM @extschema@.kg_key_route k
   WHERE EXISTS (SELECT FROM @extschema@.kg_gateway g WHERE g.role = pg_catalog.to_regrole(pg_catalog.quote_ident(current_user)) AND g.role_name = current_user::pg_catalog.text);
COMMENT ON VIEW @extschema@.kg_gateway_key IS 'kg_key_route, for gateways';

GRANT SELECT ON @extschema@.kg_my_place, @extschema@.kg_gateway_place, @extschema@.kg_gateway_shard, @extschema@.kg_gateway_key TO PUBLIC;
