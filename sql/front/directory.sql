
-- The directory: which tenant is where, and who is sent there.  It decides where
-- a call goes, not what it may: that is the shard's.

CREATE TABLE @extschema@.kg_shard (
  shard        integer PRIMARY KEY CHECK (shard BETWEEN 1 AND 2047),
  name         text COLLATE "C" NOT NULL UNIQUE CHECK (name ~ '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$'),
  dsn          text NOT NULL
               CONSTRAINT kg_shard_dsn_keywords CHECK (dsn ~ '=' AND dsn !~* '^\s*postgres(ql)?://')
               CONSTRAINT kg_shard_dsn_no_caller CHECK (dsn !~* '(^|\s)(password|user|options|service|servicefile|replication|client_encoding)\s*=')
);
COMMENT ON TABLE @extschema@.kg_shard IS 'databases with kg_graph, by the number that kg_set_shard() gave them there; made by kgctl cluster add-shard';
COMMENT ON COLUMN @extschema@.kg_shard.dsn IS 'keywords and values, without user, password and options: every caller can read it, and connects as itself';

CREATE TABLE @extschema@.kg_place (
  tenant       text COLLATE "C" PRIMARY KEY,
  shard        integer NOT NULL REFERENCES @extschema@.kg_shard,
  state        text COLLATE "C" NOT NULL DEFAULT 'here' CHECK (state IN ('placing', 'here', 'moving', 'moved')),
  other        integer REFERENCES @extschema@.kg_shard,
  since        timestamptz NOT NULL DEFAULT pg_catalog.now(),
  CHECK ((state IN ('moving', 'moved')) = (other IS NOT NULL)),
  CHECK (other <> shard)
);
COMMENT ON TABLE @extschema@.kg_place IS 'the shard that each tenant''s calls go to; made by kgctl cluster place and move';
COMMENT ON COLUMN @extschema@.kg_place.state IS 'placing: it is being made; moving: other gets a copy; moved: other still has what it had of it';
CREATE INDEX kg_place_shard_idx ON @extschema@.kg_place (shard);

CREATE TABLE @extschema@.kg_place_role (
  role         regrole NOT NULL,
  role_name    text COLLATE "C" NOT NULL,
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_place ON DELETE CASCADE,
  PRIMARY KEY (role, tenant)
);
COMMENT ON TABLE @extschema@.kg_place_role IS 'the roles that have a grant at the tenant''s shard; kept by kg_grant(), kg_revoke() and kgctl cluster';
COMMENT ON COLUMN @extschema@.kg_place_role.role_name IS 'the role''s name when it was noted; it counts only as long as number and name are of one role';
CREATE INDEX kg_place_role_tenant_idx ON @extschema@.kg_place_role (tenant);

CREATE TABLE @extschema@.kg_key_route (
  issuer       text COLLATE "C" NOT NULL,
  kid          text COLLATE "C" NOT NULL,
  tenant_claim text COLLATE "C",
  tenant       text COLLATE "C",
  PRIMARY KEY (issuer, kid)
);
COMMENT ON TABLE @extschema@.kg_key_route IS 'which claim of a key''s tokens names the tenant, or the only tenant that they are for; no secrets; kept by kgctl cluster sync';

CREATE TABLE @extschema@.kg_gateway (
  role         regrole PRIMARY KEY,
  role_name    text COLLATE "C" NOT NULL,
  exchange     boolean NOT NULL
);
COMMENT ON TABLE @extschema@.kg_gateway IS 'the roles that kg_grant_gateway() made gateways of all shards';

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_shard', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_place', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_place_role',
  'WHERE EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = role AND r.rolname = role_name)');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_key_route', '');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_gateway',
  'WHERE EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = role AND r.rolname = role_name)');

-- What each caller may know of the directory: in a view current_user is who asks.
-- A role that was dropped leaves its name to others, and may its number.
CREATE VIEW @extschema@.kg_my_place WITH (security_barrier) AS
  SELECT r.tenant, s.dsn
    FROM @extschema@.kg_place_role r JOIN @extschema@.kg_place p ON p.tenant = r.tenant JOIN @extschema@.kg_shard s ON s.shard = p.shard
   WHERE r.role = pg_catalog.to_regrole(pg_catalog.quote_ident(current_user)) AND r.role_name = current_user::pg_catalog.text;
COMMENT ON VIEW @extschema@.kg_my_place IS 'the tenants of the role that asks, and where they are';

CREATE VIEW @extschema@.kg_gateway_place WITH (security_barrier) AS
  SELECT p.tenant, s.dsn
    FROM @extschema@.kg_place p JOIN @extschema@.kg_shard s ON s.shard = p.shard
   WHERE EXISTS (SELECT FROM @extschema@.kg_gateway g WHERE g.role = pg_catalog.to_regrole(pg_catalog.quote_ident(current_user)) AND g.role_name = current_user::pg_catalog.text);
COMMENT ON VIEW @extschema@.kg_gateway_place IS 'where all tenants are, for gateways';

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
