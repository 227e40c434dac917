\set ECHO none
-- What every test begins with: it prints nothing, and what it makes is there for
-- all of them.
\set VERBOSITY terse
SET client_min_messages = warning;
SELECT current_user AS owner, current_database() AS db \gset
CREATE SCHEMA IF NOT EXISTS test;
GRANT USAGE ON SCHEMA test TO PUBLIC;
CREATE TABLE IF NOT EXISTS test.role (tenant text, role text);

-- A tenant, and roles of its own: CALL test.tenant('shop', 'anna write', 'ben read').
CREATE OR REPLACE PROCEDURE test.tenant(tenant text, VARIADIC roles text[] DEFAULT '{}') LANGUAGE plpgsql AS $$
DECLARE
  role text;
  access text;
BEGIN
  PERFORM kg_create_tenant(tenant);
  FOR role, access IN SELECT split_part(r, ' ', 1), split_part(r, ' ', 2) FROM unnest(roles) r LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
      EXECUTE format('CREATE ROLE %I LOGIN', role);
    END IF;
    PERFORM kg_grant(tenant, role, access);
    INSERT INTO test.role VALUES (tenant, role);
  END LOOP;
END
$$;

-- Backslashes escape in strings, where the server has that: until PostgreSQL 18.
CREATE OR REPLACE PROCEDURE test.odd_strings() LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('server_version_num')::integer < 190000 THEN
    SET standard_conforming_strings = off;
  END IF;
END
$$;

-- Without them again, and without what the roles own.
CREATE OR REPLACE PROCEDURE test.drop(VARIADIC tenants text[]) LANGUAGE plpgsql AS $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY tenants LOOP
    PERFORM kg_drop_tenant(name);
  END LOOP;
  FOR name IN WITH gone AS (DELETE FROM test.role r WHERE r.tenant = ANY (tenants) RETURNING r.role) SELECT DISTINCT g.role FROM gone g LOOP
    EXECUTE format('DROP OWNED BY %1$I; DROP ROLE %1$I', name);
  END LOOP;
END
$$;

-- The error of a statement, and below it these members of the errors in its DETAIL.
CREATE OR REPLACE FUNCTION test.fails(statement text, VARIADIC members text[] DEFAULT '{}') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  EXECUTE statement;
  RETURN NEXT 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN NEXT SQLSTATE || ' ' || SQLERRM;
  IF detail LIKE '{%' AND members <> '{}' THEN
    RETURN QUERY SELECT '  ' || (SELECT coalesce(pg_catalog.string_agg(e ->> m, ' | ' ORDER BY n), '') FROM unnest(members) WITH ORDINALITY u(m, n))
      FROM jsonb_array_elements(COALESCE(detail::jsonb -> 'errors', jsonb_build_array(detail::jsonb))) e;
  END IF;
END
$$;

-- What a call answers, or its error with these members of its DETAIL.  Numbers of changes differ from run to run.
CREATE OR REPLACE FUNCTION test.said(call text, VARIADIC members text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text;
  detail text;
BEGIN
  EXECUTE 'SELECT ' || call INTO answer;
  RETURN answer;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN format('%s %s: %s', SQLSTATE, regexp_replace(SQLERRM, 'change \d+', 'change N'), (SELECT jsonb_object_agg(key, value) FROM jsonb_each(nullif(detail, '')::jsonb) WHERE key = ANY (members)));
END
$$;
\set ECHO all
