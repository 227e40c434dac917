-- Verified identity, and functions that policies call (src/auth, src/caller.c).

CREATE TABLE @extschema@.kg_auth_key (
  issuer         text COLLATE "C" NOT NULL,
  kid            text COLLATE "C" NOT NULL,
  alg            text COLLATE "C" NOT NULL
                 CHECK (alg IN ('HS256', 'RS256', 'PS256', 'ES256', 'EdDSA')),
  secret         bytea CHECK (pg_catalog.octet_length(secret) >= 32),
  public_key     text,
  audience       text COLLATE "C" NOT NULL,
  tenant         text COLLATE "C" REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  tenant_claim   text COLLATE "C" DEFAULT 'tenant',
  agent_claim    text COLLATE "C" DEFAULT 'agent',
  role_claim     text COLLATE "C",
  roles          jsonb CHECK (pg_catalog.jsonb_typeof(roles) = 'object'),
  access         text COLLATE "C" NOT NULL DEFAULT 'read'
                 CHECK (access IN ('read', 'write', 'admin')),
  scope_claim    text COLLATE "C" DEFAULT 'traversal_ids',
  scope_required boolean NOT NULL DEFAULT false,
  leeway         integer NOT NULL DEFAULT 30 CHECK (leeway BETWEEN 0 AND 300),
  not_after      timestamptz,
  enabled        boolean NOT NULL DEFAULT true,
  created_at     timestamptz NOT NULL DEFAULT pg_catalog.now(),
  PRIMARY KEY (issuer, kid),
  CHECK ((alg = 'HS256') = (secret IS NOT NULL)),
  CHECK ((alg = 'HS256') = (public_key IS NULL)),
  CHECK (tenant IS NOT NULL OR tenant_claim IS NOT NULL),
  CHECK (scope_claim IS NOT NULL OR NOT scope_required)
);
COMMENT ON TABLE @extschema@.kg_auth_key IS 'keys with which kg_login() verifies tokens; for the owner of the extension only';
COMMENT ON COLUMN @extschema@.kg_auth_key.alg IS 'algorithm of the key; a token with another algorithm is refused';
COMMENT ON COLUMN @extschema@.kg_auth_key.public_key IS 'PEM (SubjectPublicKeyInfo), JWK, or base64url of a raw Ed25519 key';
COMMENT ON COLUMN @extschema@.kg_auth_key.tenant IS 'the only tenant for which tokens of this key are valid; NULL: the tenant that the claim tenant_claim names';
COMMENT ON COLUMN @extschema@.kg_auth_key.role_claim IS 'claim whose values determine the access; the column roles, if set, maps them to an access; NULL: every token has the access of the column access';
COMMENT ON COLUMN @extschema@.kg_auth_key.access IS 'highest access that a token of this key can have';
COMMENT ON COLUMN @extschema@.kg_auth_key.scope_claim IS 'claim with path prefixes, with which x-scope-field is compared; NULL: no scopes';

-- Dumps contain public keys, but no secrets.
SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_auth_key', 'WHERE secret IS NULL');

CREATE FUNCTION @extschema@.kg_check_auth_key() RETURNS trigger
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_check_auth_key';
COMMENT ON FUNCTION @extschema@.kg_check_auth_key() IS
  'row trigger of kg_auth_key: refuses a key that its algorithm cannot use';

CREATE TRIGGER kg_auth_key_check BEFORE INSERT OR UPDATE ON @extschema@.kg_auth_key
  FOR EACH ROW EXECUTE FUNCTION @extschema@.kg_check_auth_key();
CREATE TRIGGER kg_catalog_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON @extschema@.kg_auth_key
  FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.kg_invalidate_catalog();

ALTER TABLE @extschema@.kg_auth_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_auth_key FORCE ROW LEVEL SECURITY;

CREATE POLICY kg_auth_key_nobody ON @extschema@.kg_auth_key FOR ALL
  USING (false) WITH CHECK (false);

CREATE FUNCTION @extschema@.kg_login(token text, session boolean DEFAULT false) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_login';
COMMENT ON FUNCTION @extschema@.kg_login(text, boolean) IS
  'verify a JSON Web Token and act as its bearer until the transaction ends; pass the token as a parameter, not in the text of the statement';

CREATE FUNCTION @extschema@.kg_logout() RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_logout';
COMMENT ON FUNCTION @extschema@.kg_logout() IS
  'end the identity that kg_login() bound to this session';

CREATE FUNCTION @extschema@.kg_claim(name text) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_claim';
COMMENT ON FUNCTION @extschema@.kg_claim(text) IS
  'a claim of the caller''s verified token as text, or NULL';

CREATE FUNCTION @extschema@.kg_issue_token(claims jsonb, kid text DEFAULT NULL, valid interval DEFAULT '00:05:00') RETURNS text
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_issue_token';
COMMENT ON FUNCTION @extschema@.kg_issue_token(jsonb, text, interval) IS
  'sign a token with an HS256 key; adds iss, aud, iat and exp to the claims; for the owner of the extension only';

CREATE FUNCTION @extschema@.kg_agent() RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_agent';
COMMENT ON FUNCTION @extschema@.kg_agent() IS
  'the agent that the caller''s token or kg_graph.agent names, or NULL';

CREATE FUNCTION @extschema@.kg_bundle_visible(bundle text) RETURNS boolean
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_bundle_visible';
COMMENT ON FUNCTION @extschema@.kg_bundle_visible(text) IS
  'whether the caller''s agent, if any, sees the bundle; true if the bundle is NULL; for policies';

CREATE FUNCTION @extschema@.kg_entity_visible(bundle text, scope text) RETURNS boolean
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_entity_visible';
COMMENT ON FUNCTION @extschema@.kg_entity_visible(text, text) IS
  'whether the agent and the scope paths of the caller let it see an entity; for policies';

CREATE FUNCTION @extschema@.kg_entity_visible(bundle text, scope text, type_no integer, node bigint, entity_id text, data jsonb) RETURNS boolean
  LANGUAGE C STABLE PARALLEL RESTRICTED COST 10
  AS 'MODULE_PATHNAME', 'kg_sql_entity_authorized';
COMMENT ON FUNCTION @extschema@.kg_entity_visible(text, text, integer, bigint, text, jsonb) IS
  'as kg_entity_visible(text, text), for a stored entity, and with the decisions of x-authorize; for the policies of kg_entity';

-- These functions are leakproof and cheaper than a policy. So rows that are not
-- valid at the requested instant are skipped before the policies decide who sees
-- them.
CREATE FUNCTION @extschema@.kg_entity_valid(type_no integer, data jsonb) RETURNS boolean
  LANGUAGE C STABLE LEAKPROOF PARALLEL RESTRICTED COST 0.5
  AS 'MODULE_PATHNAME', 'kg_sql_entity_valid';
COMMENT ON FUNCTION @extschema@.kg_entity_valid(integer, jsonb) IS
  'whether an entity is valid at the valid_at of the running tool call; true without valid_at; for statements of tools';

CREATE FUNCTION @extschema@.kg_edge_valid(relation_no integer, properties jsonb) RETURNS boolean
  LANGUAGE C STABLE LEAKPROOF PARALLEL RESTRICTED COST 0.5
  AS 'MODULE_PATHNAME', 'kg_sql_edge_valid';
COMMENT ON FUNCTION @extschema@.kg_edge_valid(integer, jsonb) IS
  'whether an edge is valid at the valid_at of the running tool call; true without valid_at; for statements of tools';

CREATE FUNCTION @extschema@.kg_derived_tenant() RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_derived_tenant';
COMMENT ON FUNCTION @extschema@.kg_derived_tenant() IS
  'kg_tenant() if the caller may read edges, keys and terms: in tools always, in direct SQL if it sees every entity of the tenant; otherwise NULL; for policies';

CREATE FUNCTION @extschema@.kg_derived_tenant(access text) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_derived_tenant';
COMMENT ON FUNCTION @extschema@.kg_derived_tenant(text) IS
  'kg_derived_tenant() if the caller has at least this access (read, write, admin), otherwise NULL; for policies';

CREATE FUNCTION @extschema@.kg_packed_tenant() RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'kg_sql_packed_tenant';
COMMENT ON FUNCTION @extschema@.kg_packed_tenant() IS
  'kg_derived_tenant() if no policy of kg_edge hides an edge from the caller, otherwise NULL; for the policies of kg_adjacency and kg_index_key';

CREATE FUNCTION @extschema@.kg_grant_gateway(role text, exchange boolean DEFAULT false) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_grant_gateway';
COMMENT ON FUNCTION @extschema@.kg_grant_gateway(text, boolean) IS
  'let a role pass tokens of its clients to kg_mcp(), with exchange also to kg_call_authorized(); without a token the role has no access; for the owner of the extension';

CREATE FUNCTION @extschema@.kg_revoke_gateway(role text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_revoke_gateway';
COMMENT ON FUNCTION @extschema@.kg_revoke_gateway(text) IS
  'revoke what kg_grant_gateway() granted; for the owner of the extension';
