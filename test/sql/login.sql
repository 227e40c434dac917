-- kg_login(): the requirements for a token, and the access that it gives. The tokens
-- and keys below were made for this test with openssl; they expire in 2100.
\i test/data/prelude.sql
CREATE ROLE login_gateway LOGIN;
CREATE ROLE login_plain LOGIN;
CALL test.tenant('login_a');
CALL test.tenant('login_b', 'login_member read');
SELECT kg_grant_gateway('login_gateway');

-- keys: usable ones, and ones that are refused
\set VERBOSITY default
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, role_claim, roles, access)
  VALUES ('test', 'hs', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', NULL, NULL, 'read'),
         ('test', 'writer', 'HS256', 'another secret of more than 32 bytes, as well', 'kg', 'groups', '{"staff": "read", "editors": "write", "boss": "admin"}', 'write'),
         ('test', 'off', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', NULL, NULL, 'read'),
         ('test', 'old', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', NULL, NULL, 'read'),
         ('pinned', 'pin', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', NULL, NULL, 'read');
UPDATE kg_auth_key SET tenant = 'login_b', scope_required = true WHERE kid = 'pin';
UPDATE kg_auth_key SET not_after = '2020-01-01' WHERE kid = 'old';
INSERT INTO kg_auth_key(issuer, kid, alg, public_key, audience) VALUES
  ('https://issuer.example', 'rs256', 'RS256', '-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAoLI7+FFsXGbwIi98BH7u
YutHMNe7PDrQ47L/QOvXnj/HhV5tNv++vc+fzev3ZuJpwzTu8tWS9erxmuPVN0WW
7R3NG0t5S8RGPBwYWLKKAdroNxrp572Bxi1+P8ius++MskCRaBMSixQRIDfQ8bYo
f3aZQ9y5cpku13kaAocOSnm3IFZqP4Y53X8QHyfOVs3JbuEudunqzWmw54SUbRay
fDDLoYXPUS1TiRS6+myEzxTCAmi+HmI06/EP10wWceyXydWxzjSJh4ewVf3I9VPC
a9v6P335EcIymB1yXQJbo5iMPfb4zlrL9ME7pfJkKCzEdu1u0Ek+UMpFwvQCcVLL
5wIDAQAB
-----END PUBLIC KEY-----', 'kg'),
  ('https://issuer.example', 'ps256', 'PS256', '{"kty": "RSA", "n": "oLI7-FFsXGbwIi98BH7uYutHMNe7PDrQ47L_QOvXnj_HhV5tNv--vc-fzev3ZuJpwzTu8tWS9erxmuPVN0WW7R3NG0t5S8RGPBwYWLKKAdroNxrp572Bxi1-P8ius--MskCRaBMSixQRIDfQ8bYof3aZQ9y5cpku13kaAocOSnm3IFZqP4Y53X8QHyfOVs3JbuEudunqzWmw54SUbRayfDDLoYXPUS1TiRS6-myEzxTCAmi-HmI06_EP10wWceyXydWxzjSJh4ewVf3I9VPCa9v6P335EcIymB1yXQJbo5iMPfb4zlrL9ME7pfJkKCzEdu1u0Ek-UMpFwvQCcVLL5w", "e": "AQAB"}', 'kg'),
  ('https://issuer.example', 'es256', 'ES256', '-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8FqHLZ2dLRpKYV4JV9RZEAIqztJi
iOdzW9X8tTT9ypCdZ3o0NRS6YU6jBpnqpAWUGzS+hzN9QgzQfAUnJIOVag==
-----END PUBLIC KEY-----', 'kg'),
  ('https://issuer.example', 'eddsa', 'EdDSA', '-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEALbn88lCh7vmh+9z+tcE896Ashd6eldpFsBEWZ+2acDM=
-----END PUBLIC KEY-----', 'kg');
SELECT issuer, kid, alg FROM kg_auth_key ORDER BY issuer, kid;
-- other forms of the same keys
UPDATE kg_auth_key SET public_key = '{"kty": "EC", "crv": "P-256", "x": "8FqHLZ2dLRpKYV4JV9RZEAIqztJiiOdzW9X8tTT9ypA", "y": "nWd6NDUUumFOowaZ6qQFlBs0voczfUIM0HwFJySDlWo"}' WHERE kid = 'es256';
UPDATE kg_auth_key SET public_key = 'Lbn88lCh7vmh-9z-tcE896Ashd6eldpFsBEWZ-2acDM' WHERE kid = 'eddsa';
UPDATE kg_auth_key SET public_key = '{"kty": "OKP", "crv": "Ed25519", "x": "Lbn88lCh7vmh-9z-tcE896Ashd6eldpFsBEWZ-2acDM"}' WHERE kid = 'eddsa';
-- not usable: the other kind of key, a short one, another curve, text, a short secret, no key
UPDATE kg_auth_key SET public_key = '-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8FqHLZ2dLRpKYV4JV9RZEAIqztJi
iOdzW9X8tTT9ypCdZ3o0NRS6YU6jBpnqpAWUGzS+hzN9QgzQfAUnJIOVag==
-----END PUBLIC KEY-----' WHERE kid = 'rs256';
UPDATE kg_auth_key SET public_key = '-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDqSWdrIO7rQHYbwWtXxfeABuDO
LXriPTtfeKQXtD8ZjdzZa3Bqjvm+YQz3yq6h1Vhuyp00Rx0xZODyszs6RRfrB1lH
Rho3He+WibUi9/PBH45kEhzaLunBl5tPvYLq/NcOMZ+2U+UQ7FMmx8ki4irqNnp+
463ruWOxmjZwACDI/QIDAQAB
-----END PUBLIC KEY-----' WHERE kid = 'rs256';
UPDATE kg_auth_key SET public_key = '-----BEGIN PUBLIC KEY-----
MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEreomHduRK9GXinnIwau+OXtMVMUIhB6b
QYF8M1rQSia4O9BKSy+9ZZkze6dsnQJYr99qNVSaXL324J6bVMNwZonbS4pvFBNU
WZKGEebTntxRpiVnxjIoFyNgLvMwTh1H
-----END PUBLIC KEY-----' WHERE kid = 'es256';
UPDATE kg_auth_key SET public_key = 'secret' WHERE kid = 'es256';
UPDATE kg_auth_key SET public_key = '{"kty": "oct", "k": "AAAA"}' WHERE kid = 'es256';
\set VERBOSITY terse
UPDATE kg_auth_key SET secret = 'short' WHERE kid = 'hs';
UPDATE kg_auth_key SET alg = 'none' WHERE kid = 'hs';
UPDATE kg_auth_key SET alg = 'RS256' WHERE kid = 'hs';
\set VERBOSITY default

-- Tokens signed here.  The variables never reach the output.
SELECT kg_issue_token('{"tenant": "login_a", "sub": "u1", "n": 7, "nothing": null, "list": ["x"]}', 'hs') AS good,
       kg_issue_token('{"tenant": "login_b"}', 'hs') AS other,
       kg_issue_token('{"tenant": "login_a", "exp": 1000000000}', 'hs') AS expired,
       kg_issue_token('{"tenant": "login_a", "nbf": 4102444800}', 'hs') AS future,
       kg_issue_token('{"tenant": "login_a", "iat": 4102444800}', 'hs') AS later,
       kg_issue_token('{"tenant": "login_a", "aud": "someone"}', 'hs') AS audience,
       kg_issue_token('{"tenant": "login_a", "aud": ["x", "kg"]}', 'hs') AS audiences,
       kg_issue_token('{"tenant": "login_a", "aud": null}', 'hs') AS no_audience,
       kg_issue_token('{"tenant": "login_a", "exp": "soon"}', 'hs') AS bad_exp,
       kg_issue_token('{"tenant": "login_a", "exp": 1e300}', 'hs') AS huge_exp,
       kg_issue_token('{"tenant": "nowhere"}', 'hs') AS no_such_tenant,
       kg_issue_token('{"tenant": ["login_a"]}', 'hs') AS tenant_list,
       kg_issue_token('{}', 'hs') AS no_tenant,
       kg_issue_token('{"tenant": "login_a", "agent": "nobody"}', 'hs') AS no_agent,
       kg_issue_token('{"tenant": "login_a"}', 'writer') AS no_role,
       kg_issue_token('{"tenant": "login_a", "groups": "guests"}', 'writer') AS guest,
       kg_issue_token('{"tenant": "login_a", "groups": ["guests", "staff"]}', 'writer') AS staff,
       kg_issue_token('{"tenant": "login_a", "groups": ["staff", "editors"]}', 'writer') AS editor,
       kg_issue_token('{"tenant": "login_a", "groups": "boss"}', 'writer') AS boss,
       kg_issue_token('{"tenant": "login_a", "iss": "pinned", "traversal_ids": ["1/"]}', 'pin') AS pin_other,
       kg_issue_token('{"iss": "pinned", "traversal_ids": ["1/"]}', 'pin') AS pinned,
       kg_issue_token('{"iss": "pinned"}', 'pin') AS unscoped,
       kg_issue_token('{"tenant": "login_a", "traversal_ids": ["1/22"]}', 'hs') AS no_slash,
       kg_issue_token('{"tenant": "login_a", "traversal_ids": "1/22/"}', 'hs') AS no_list,
       kg_issue_token('{"tenant": "login_a", "traversal_ids": ["1//"]}', 'hs') AS empty_segment,
       kg_issue_token('{"tenant": "login_a"}', 'off') AS off,
       kg_issue_token('{"tenant": "login_a"}', 'old') AS old \gset
UPDATE kg_auth_key SET enabled = false WHERE kid = 'off';
\set rs256 'eyJhbGciOiAiUlMyNTYiLCAia2lkIjogInJzMjU2IiwgInR5cCI6ICJKV1QifQ.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiAia2ciLCAidGVuYW50IjogImxvZ2luX2EiLCAiZXhwIjogNDEwMjQ0NDgwMCwgInN1YiI6ICJ1LVJTMjU2In0.GUC3eeNFO-Zrm5T8uWNWZpddTQOeeZJOgeMSXxQjtI1w3eCgJDLtInGOKL1WemeZwaDR2WWh5dJReqNsnYKW2T38twThbbt0pJcmO2RoMlmKRhgDXL8Cif92h9cPA3D4NtIkfO-3wgqswH_B7s4tQG5TBo__cRUcA-lNCIHip9GCk4w0AD_rNzBqjG0iYjognhwumTcY35G7lw3lcG_1JrRy4qbTPplKRsG1utynHpu3hpbw0xk70GE5Yu04w4yMMfh2Qis3bLwfeDY1ImuLOmSsbYU2IvL3OlMTHbSmtZmdM-u06Jlc19PtVg3Y4rYdaFuL_Np-aCvFSRWLBkRhyA'
\set ps256 'eyJhbGciOiAiUFMyNTYiLCAia2lkIjogInBzMjU2IiwgInR5cCI6ICJKV1QifQ.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiAia2ciLCAidGVuYW50IjogImxvZ2luX2EiLCAiZXhwIjogNDEwMjQ0NDgwMCwgInN1YiI6ICJ1LVBTMjU2In0.jPxZYDz5a02rE4DGM7hb1HdfF9Jfq2oEQ4qnxqb-4pDzWD5uLpXoCQKnWpdhHrGp_ce-NYYaWxtCSaEVee9fhIt6GZ85M7e9RS63umvBMmUbb8wTECMiKFBHDu5fg9LjGBTv_jxPEPnW-Wl3dv3nugXvFIZ7TCn18qzYNeqn3r2-lrrZEPFxWaE-AELnKXrMuj1RamFSeG1cSH-1kz7d3D5uggfXhee86QJcfavMMFoNoRQ7Iw7wvb80egc8070JkhsXCq5WkIlVkS-FpU1Nh_rCSxpcAi9RhZlqOU14E9yqyh2fy7EXq8tfnWje1QTTB2vyCsJr1xGIH1SvTynKzA'
\set es256 'eyJhbGciOiAiRVMyNTYiLCAia2lkIjogImVzMjU2IiwgInR5cCI6ICJKV1QifQ.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiAia2ciLCAidGVuYW50IjogImxvZ2luX2EiLCAiZXhwIjogNDEwMjQ0NDgwMCwgInN1YiI6ICJ1LUVTMjU2In0.c3ZdR9FAlkOaAoVxlgzW117T1_tnzSQ0fAA3_zzECqxeDNViioE6yjryk_F9fTFb9EaXg7TnUUlRdJoby0q9oQ'
\set eddsa 'eyJhbGciOiAiRWREU0EiLCAia2lkIjogImVkZHNhIiwgInR5cCI6ICJKV1QifQ.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiAia2ciLCAidGVuYW50IjogImxvZ2luX2EiLCAiZXhwIjogNDEwMjQ0NDgwMCwgInN1YiI6ICJ1LUVkRFNBIn0.gqQK558Xm_FaO82zsCdNVCPqE0F5EaFenVsy2_nJJrxBBZdT81ejn324OS_fzV_0YiHucWZRgDpzwEOAJ13MBg'
\set crossed 'eyJhbGciOiAiUlMyNTYiLCAia2lkIjogInBzMjU2IiwgInR5cCI6ICJKV1QifQ.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiAia2ciLCAidGVuYW50IjogImxvZ2luX2EiLCAiZXhwIjogNDEwMjQ0NDgwMCwgInN1YiI6ICJ1LVJTMjU2In0.P60rrdQkjA27FGzNuvGRMfgh0Hs9p2z_Cms73wa1VjNMz_n4MYlcMe2c5KPkyPLqFCuqSzWtCiZsKSIgFkWMVuakLax3bKqsTAlR0mRlrovTfnwov7xSRgazXLe8FyrjUvOE2AYn1V0DJEeuHw4sM7sYE4kGTL-i9gNgugilqrBKIKuzbryj4E1sTOlBuhcuthK1HcaLCr_3K4ZAsIjRbTjzZxXq8NxkUGutLTyNzBTUGd-pEIm_gWPgGoog498bflxBJQVIKQAmI2p9FT85NB8-wcIJOPp2cAYHApHiWBorZW00ZNvIYtB7yYlLjpdg_XNvJ2IxRyHnDiaULInoBg'
\set confused 'eyJhbGciOiAiSFMyNTYiLCAia2lkIjogInJzMjU2In0.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiAia2ciLCAidGVuYW50IjogImxvZ2luX2EiLCAiZXhwIjogNDEwMjQ0NDgwMH0.WzoECPjwi0iXIpV4TmCnb3LjvWNzmNGylMQTcw-SPi0'
\set confused2 'eyJhbGciOiAiSFMyNTYiLCAia2lkIjogInJzMjU2In0.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiAia2ciLCAidGVuYW50IjogImxvZ2luX2EiLCAiZXhwIjogNDEwMjQ0NDgwMH0.iq03Wi_lBBb_z-t-mvFLfM0aqEaPXdkfspFKLN3VTZM'
\set none 'eyJhbGciOiAibm9uZSJ9.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiAia2ciLCAidGVuYW50IjogImxvZ2luX2EiLCAiZXhwIjogNDEwMjQ0NDgwMH0.'
\set none_signed 'eyJhbGciOiAibm9uZSJ9.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiAia2ciLCAidGVuYW50IjogImxvZ2luX2EiLCAiZXhwIjogNDEwMjQ0NDgwMH0.eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHg'

-- Only the owner signs; only who was granted it logs in.
SET ROLE login_member;
SELECT kg_issue_token('{}', 'hs');
SELECT kg_login('x');
SELECT count(*) FROM kg_auth_key;
SELECT kg_grant_gateway('login_member');
RESET ROLE;
SELECT kg_issue_token('{}', 'rs256');
SELECT kg_issue_token('[]', 'hs');
SELECT kg_issue_token('{}');
-- A gateway is nobody itself.
SELECT kg_grant_gateway('login_member');
SELECT rolname, unnest(rolconfig) AS setting FROM pg_roles WHERE rolname = 'login_gateway' ORDER BY 2;

\c - login_gateway
SELECT kg_tenant() IS NULL AS nobody, (SELECT count(*) FROM kg_entity) AS entities, (SELECT count(*) FROM kg_tenant) AS tenants;

-- good ones
BEGIN; SELECT kg_login(:'good'); SELECT kg_tenant(), kg_tenant('write'), kg_claim('sub'), kg_claim('n'), kg_claim('nothing'), kg_claim('list'), kg_claim('missing'), kg_agent(); SELECT tenant FROM kg_tenant; COMMIT;
SELECT kg_tenant(), kg_claim('sub');
BEGIN; SELECT kg_login(:'audiences'); SELECT kg_tenant(); COMMIT;
BEGIN; SELECT kg_login(:'rs256'); SELECT kg_tenant(), kg_claim('sub'); COMMIT;
BEGIN; SELECT kg_login(:'ps256'); SELECT kg_tenant(), kg_claim('sub'); COMMIT;
BEGIN; SELECT kg_login(:'es256'); SELECT kg_tenant(), kg_claim('sub'); COMMIT;
BEGIN; SELECT kg_login(:'eddsa'); SELECT kg_tenant(), kg_claim('sub'); COMMIT;
BEGIN; SELECT kg_login(:'pinned'); SELECT kg_tenant(); COMMIT;
BEGIN; SELECT kg_login(:'staff'); SELECT kg_tenant(), kg_tenant('write'), kg_tenant('admin'); COMMIT;
BEGIN; SELECT kg_login(:'editor'); SELECT kg_tenant(), kg_tenant('write'), kg_tenant('admin'); COMMIT;
-- the key's access is the most
BEGIN; SELECT kg_login(:'boss'); SELECT kg_tenant(), kg_tenant('write'), kg_tenant('admin'); COMMIT;

-- refused, with the reason and SQLSTATE 28000 (not accepted) or 42501 (does not allow)
\set VERBOSITY verbose
\set SHOW_CONTEXT never
CREATE FUNCTION pg_temp.refused(token text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
  context text;
BEGIN
  PERFORM kg_login(token);
  RAISE 'ACCEPTED'; -- and undone: the next token has its turn
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, context = PG_EXCEPTION_CONTEXT;
  IF length(token) > 8 AND position(left(token, 8) IN SQLERRM || detail || context) > 0 THEN
    RETURN 'THE ERROR SHOWS THE TOKEN';
  END IF;
  RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
\set VERBOSITY default
SELECT name, pg_temp.refused(token) FROM (VALUES
  (1, 'expired', :'expired'), (2, 'not before', :'future'), (3, 'issued later', :'later'),
  (4, 'audience', :'audience'), (5, 'no audience', :'no_audience'), (6, 'expiry is text', :'bad_exp'),
  (7, 'expiry is huge', :'huge_exp'), (8, 'unknown tenant', :'no_such_tenant'), (9, 'tenant list', :'tenant_list'),
  (10, 'no tenant', :'no_tenant'), (11, 'unknown agent', :'no_agent'), (12, 'no role', :'no_role'),
  (13, 'unknown role', :'guest'), (14, 'pinned to another', :'pin_other'), (15, 'scopes needed', :'unscoped'),
  (16, 'scope without slash', :'no_slash'), (17, 'scopes not a list', :'no_list'), (18, 'empty segment', :'empty_segment'),
  (19, 'disabled key', :'off'), (20, 'expired key', :'old'),
  (30, 'none', :'none'), (31, 'none, signed', :'none_signed'),
  (32, 'HS256 with the public key', :'confused'), (33, 'HS256 with the public key', :'confused2'),
  (34, 'another algorithm''s key', :'crossed'),
  (40, 'empty', ''), (41, 'dots', '..'), (42, 'four parts', :'good' || '.x'), (43, 'two parts', split_part(:'good', '.', 1) || '.' || split_part(:'good', '.', 2)),
  (44, 'no signature', regexp_replace(:'good', '[^.]*$', '')), (45, 'padding', :'good' || '='),
  (46, 'standard base64', replace(replace(:'rs256', '-', '+'), '_', '/')), (47, 'blank', ' ' || :'good'),
  (48, 'newline', :'good' || E'\n'), (49, 'not JSON', 'e30x.e30.e30'), (50, 'array', 'W10.e30.e30'),
  (51, 'header without alg', 'e30.e30.e30'), (52, 'claims not an object', split_part(:'good', '.', 1) || '.W10.e30'),
  (53, 'other claims', split_part(:'good', '.', 1) || '.' || split_part(:'other', '.', 2) || '.' || split_part(:'good', '.', 3)),
  (54, 'two characters short', left(:'good', -2)), (55, 'too long', :'good' || repeat('A', 9000)),
  (56, 'crit', translate(encode(convert_to('{"alg":"HS256","kid":"hs","crit":["b64"]}', 'UTF8'), 'base64'), E'+/=\n', '-_') || '.e30.e30'),
  (57, 'kid a number', translate(encode(convert_to('{"alg":"HS256","kid":1}', 'UTF8'), 'base64'), E'+/=\n', '-_') || '.e30.e30'),
  (58, 'NUL in JSON', translate(encode(convert_to('{"alg":"HS256\u0000"}', 'UTF8'), 'base64'), E'+/=\n', '-_') || '.e30.e30'),
  (59, 'bad UTF-8', translate(encode('\x7b22ff223a317d'::bytea, 'base64'), E'+/=\n', '-_') || '.e30.e30'),
  (60, 'spare bits', 'e31.e30.e30')
) t(n, name, token) ORDER BY n;

-- Valid JSON with numbers outside of numeric, or with very deep nesting. Unsigned,
-- it is refused as an unsigned token; signed, it is refused because of its content.
CREATE FUNCTION pg_temp.part(data bytea) RETURNS text LANGUAGE sql
  RETURN rtrim(translate(encode(data, 'base64'), E'+/=\n', '-_'), '=');
CREATE FUNCTION pg_temp.pad(secret text, byte int) RETURNS bytea LANGUAGE sql
  RETURN (SELECT string_agg(set_byte('\x00', 0, byte # CASE WHEN i < octet_length(secret) THEN get_byte(convert_to(secret, 'UTF8'), i) ELSE 0 END), '' ORDER BY i)
    FROM generate_series(0, 63) i);
CREATE FUNCTION pg_temp.token(header text, claims text, secret text) RETURNS text LANGUAGE sql
  BEGIN ATOMIC
    WITH signed AS (SELECT pg_temp.part(convert_to(header, 'UTF8')) || '.' || pg_temp.part(convert_to(claims, 'UTF8')) AS text)
    SELECT text || '.' || pg_temp.part(sha256(pg_temp.pad(secret, 92) || sha256(pg_temp.pad(secret, 54) || convert_to(text, 'UTF8')))) FROM signed;
  END;
SELECT claims, pg_temp.refused(pg_temp.token('{"alg": "HS256", "kid": "hs"}', format(base, claims), 'no such secret')) AS unsigned,
       pg_temp.refused(pg_temp.token('{"alg": "HS256", "kid": "hs"}', format(base, claims), 'a secret of more than 32 bytes, for the test')) AS signed
FROM (VALUES ('{"iss": "test", "aud": "kg", "tenant": "login_a", %s}')) b (base),
  (VALUES ('"exp": 4102444800'), ('"exp": 1e400000'), ('"exp": -1e400000'), ('"exp": 1e-400000'), ('"exp": 1e99999999999999999999'), ('"exp": 1e131071'),
    ('"exp": 1e999'), ('"exp": 4102444800, "nbf": 1e400000'), ('"exp": 4102444800, "iat": 1e400000'), ('"exp": 4102444800, "iat": 1e500'),
    ('"exp": 4102444800, "x": [{"y": -0e-400000}]'), ('"exp": 4102444800, "iss": 1e400000'), ('"exp": 4102444800, "iss": {"iss": "test"}'),
    ('"iss": "nobody", "iss": "test", "exp": 4102444800')) c (claims);
SELECT left(what, 40) AS header, pg_temp.refused(pg_temp.token(what, '{"iss": "test"}', 'a secret of more than 32 bytes, for the test'))
FROM (VALUES ('{"alg": "HS256", "kid": 1e400000}'), ('{"alg": "HS256", "kid": "hs", "x": 1e-400000}'), ('{"alg": "HS256", "kid": "hs", "x": ' || repeat('[', 2000) || repeat(']', 2000) || '}')) h (what);
SELECT 'digits' AS claims, pg_temp.refused(pg_temp.token('{"alg": "HS256", "kid": "hs"}', '{"iss": "test", "exp": 0.' || repeat('1', 5000) || '}', 'a secret of more than 32 bytes, for the test'))
UNION ALL
SELECT 'nesting', pg_temp.refused(pg_temp.token('{"alg": "HS256", "kid": "hs"}', '{"iss": "test", "exp": ' || repeat('[', 2500) || repeat(']', 2500) || '}', 'a secret of more than 32 bytes, for the test'))
UNION ALL
SELECT 'brackets in a string', pg_temp.refused(pg_temp.token('{"alg": "HS256", "kid": "hs"}', '{"iss": "test", "aud": "kg", "tenant": "login_a", "x": "\"' || repeat('[', 2500) || '", "exp": 4102444800}', 'a secret of more than 32 bytes, for the test'));

-- One-way: no second token in a transaction, not even the same one.
BEGIN; SELECT kg_login(:'good'); SELECT kg_login(:'other'); ROLLBACK;
BEGIN; SELECT kg_login(:'good'); SELECT kg_login(:'good'); ROLLBACK;
BEGIN; SELECT kg_login(:'good'); SAVEPOINT s; SELECT kg_login(:'other'); ROLLBACK TO s; SELECT kg_tenant(); COMMIT;
BEGIN; SELECT kg_login(:'good'); SELECT kg_logout(); ROLLBACK;
-- Undone with what bound it.
BEGIN; SELECT kg_login(:'good'); ROLLBACK; SELECT kg_tenant();
BEGIN; SAVEPOINT s; SELECT kg_login(:'good'); SELECT kg_tenant(); ROLLBACK TO s; SELECT kg_tenant();
       SELECT kg_login(:'other'); SELECT kg_tenant(); COMMIT; SELECT kg_tenant();
BEGIN; SAVEPOINT s; SAVEPOINT t; SELECT kg_login(:'good'); RELEASE t; RELEASE s; SELECT kg_tenant(); COMMIT; SELECT kg_tenant();
BEGIN; SAVEPOINT s; SAVEPOINT t; SELECT kg_login(:'good'); RELEASE t; ROLLBACK TO s; SELECT kg_tenant(); COMMIT;
-- After an error the next transaction is nobody's.
BEGIN; SELECT kg_login(:'good'); SELECT 1/0; COMMIT; SELECT kg_tenant();

-- Settings and roles give nothing.
SET kg_graph.tenant = 'login_a'; SELECT kg_tenant(); RESET kg_graph.tenant;
SET request.jwt.claims = '{"tenant": "login_a"}'; SELECT kg_tenant(); RESET request.jwt.claims;
SET kg_graph.session_login = on;
SELECT kg_login(:'good', true);
BEGIN; SELECT kg_login(:'good'); SET LOCAL kg_graph.tenant = 'login_b'; SET LOCAL kg_graph.agent = 'x'; SELECT kg_tenant(), kg_agent(); COMMIT;

-- A prepared statement follows the identity, with custom and generic plans.
PREPARE who AS SELECT tenant, kg_claim('sub') FROM kg_tenant;
SET plan_cache_mode = force_generic_plan;
BEGIN; SELECT kg_login(:'good'); EXECUTE who; COMMIT;
EXECUTE who;
BEGIN; SELECT kg_login(:'other'); EXECUTE who; COMMIT;
-- A worker is nobody and is never asked.
SELECT set_config(CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'force_parallel_mode' ELSE 'debug_parallel_query' END, 'on', false) AS parallel;
BEGIN; SELECT kg_login(:'good'); SELECT count(*) FROM kg_tenant; COMMIT;
RESET ALL;

-- A member of a tenant with a token is whom the token says, and itself again afterwards.
\c - :owner
GRANT EXECUTE ON FUNCTION kg_login(text, boolean) TO login_member;
\c - login_member
SELECT kg_tenant();
BEGIN; SELECT kg_login(:'good'); SELECT kg_tenant(); COMMIT;
SELECT kg_tenant();

-- A session's identity, where a superuser's setting allows it.
\c - :owner
ALTER ROLE login_gateway SET kg_graph.session_login = on;
\c - login_gateway
BEGIN; SELECT kg_login(:'good', true); ROLLBACK; SELECT kg_tenant();
SELECT kg_login(:'good', true);
SELECT kg_tenant();
-- not twice in one transaction, though the session had it before
BEGIN; SELECT kg_tenant(); SELECT kg_login(:'other', true); ROLLBACK;
BEGIN; SELECT kg_tenant(); ROLLBACK; SELECT kg_tenant();
SELECT kg_login(:'other', true); SELECT kg_tenant();
BEGIN; SELECT kg_logout(); SELECT kg_tenant(); SELECT kg_login(:'good'); ROLLBACK; SELECT kg_tenant();
SELECT kg_logout(); SELECT kg_tenant();
-- an expired one leaves nobody
\c - :owner
SELECT kg_issue_token(jsonb_build_object('tenant', 'login_a', 'exp', floor(extract(epoch FROM clock_timestamp()))::bigint + 5), 'hs') AS short \gset
UPDATE kg_auth_key SET leeway = 0;
\c - login_gateway
SELECT kg_login(:'short', true); SELECT kg_tenant();
SELECT pg_sleep(5.1); SELECT kg_tenant();
SELECT kg_login(:'good', true); SELECT kg_tenant();
-- in the call, which is all of its transaction
\c - login_gateway
SELECT kg_call_with_token(:'good', 'nothing') #>> '{structuredContent,error,code}' AS code; SELECT kg_tenant();
SELECT kg_token_limits(:'good') ->> 'tenant' AS tenant; SELECT kg_tenant();
SELECT kg_call_with_token('x', 'nothing');
SELECT kg_token_limits('x');
BEGIN; SELECT kg_login(:'good'); SELECT kg_call_with_token(:'other', 'nothing'); ROLLBACK;
\c - login_plain
SELECT kg_token_limits(:'good');

\c - :owner
SELECT kg_revoke_gateway('login_gateway');
SET ROLE login_gateway;
SELECT kg_login(:'good');
SELECT count(*) FROM kg_entity;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION kg_login(text, boolean) FROM login_member;
SELECT kg_revoke('login_b', 'login_member');
DELETE FROM kg_auth_key;
DROP OWNED BY login_gateway, login_plain;
CALL test.drop('login_a', 'login_b');
DROP ROLE login_gateway, login_plain;
