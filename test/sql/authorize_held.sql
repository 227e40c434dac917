-- An authorizer that is inlined to an index scan is run by one executor within a
-- statement (query/run/held.c). Its result must be that of a fresh executor.
\i test/data/prelude.sql
CREATE ROLE held_reader LOGIN;
CALL test.tenant('held');
CALL test.tenant('held too');
SELECT count(kg_grant(t, r, a)) FROM (VALUES ('held', 'held_reader', 'read'), ('held too', 'held_reader', 'read'), ('held', current_user::text, 'admin'), ('held too', current_user::text, 'admin')) g(t, r, a);
CREATE FUNCTION held_bundle() RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$ SELECT '{"bundle_name": "held", "version": "1", "schemas": [{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "id", "x-authorize": {"ability": "see"},
  "properties": {"id": {"type": "string"}, "next": {"type": "string", "x-ref": "thing", "x-relation": "NEXT"}}}}],
  "entities": [{"entity_type": "thing", "items": [{"id": "a", "next": "b"}, {"id": "b", "next": "c"}, {"id": "c", "next": "d"}, {"id": "d"}]}]}'::jsonb $$;
SET kg_graph.tenant = 'held'; SELECT kg_apply_bundle(held_bundle()) ? 'revision' AS applied;
SET kg_graph.tenant = 'held too'; SELECT kg_apply_bundle(held_bundle()) ? 'revision' AS applied;
RESET kg_graph.tenant;
CREATE TABLE held_may (id text, who text, tenant text, PRIMARY KEY (id, who));
INSERT INTO held_may SELECT i, w, CASE w WHEN 'ann' THEN 'held' ELSE 'held too' END FROM unnest('{a,b,c,d}'::text[]) i, unnest('{ann,bob}'::text[]) w WHERE w = 'ann' OR i < 'c';
GRANT SELECT ON held_may TO PUBLIC;
CREATE FUNCTION held_by_who(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS
  $$ SELECT m.id, m.who = current_setting('held.who') FROM public.held_may m WHERE m.id = ANY (ids) AND m.who = current_setting('held.who') $$;
SELECT kg_set_authorizer('held', 'held_by_who(text, text, text[])'), kg_set_authorizer('held too', 'held_by_who(text, text, text[])');
CREATE FUNCTION held_near(id text) RETURNS text LANGUAGE sql AS $$ SELECT kg_neighbors(jsonb_build_object('start_node', jsonb_build_object('label', 'thing', 'node_id', id), 'max_hops', 3)) ->> 'total' $$;
CREATE FUNCTION held_try(id text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN held_near(id); EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM; END $$;
SET held.who = 'ann';
SET ROLE held_reader; SET kg_graph.tenant = 'held';

-- what it reads of the session is read anew
SELECT who, set_config('held.who', who, false) AS is, kg_get('thing', 'b') IS NOT NULL AS b, kg_get('thing', 'd') IS NOT NULL AS d, held_try('a') AS near FROM unnest('{ann,bob,ann,nobody,bob}'::text[]) who;
-- and the tenant that it is asked for
RESET ROLE;
CREATE OR REPLACE FUNCTION held_by_who(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS
  $$ SELECT m.id, true FROM public.held_may m WHERE m.id = ANY (ids) AND m.tenant = public.kg_tenant() $$;
SET ROLE held_reader;
SELECT t, set_config('kg_graph.tenant', t, false) AS is, kg_get('thing', 'd') IS NOT NULL AS d, held_try('a') AS near FROM unnest('{held,held too,held,held too}'::text[]) t;
SET kg_graph.tenant = 'held';

-- an error of it is the call's, and the next call is answered
RESET ROLE;
CREATE OR REPLACE FUNCTION held_by_who(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS
  $$ SELECT m.id, 1 / length(replace(m.id, current_setting('held.bad'), '')) = 1 FROM public.held_may m WHERE m.id = ANY (ids) AND m.who = 'ann' $$;
SET ROLE held_reader;
SELECT bad, set_config('held.bad', bad, false) AS is, held_try('a') AS near, held_try('c') AS further FROM unnest('{-,-,a,-,d,d,-}'::text[]) bad;

-- by plain SQL, where no call of a tool runs; more answers than rows are looked at at once
SET held.bad = '-';
SELECT count(*), count(*) FILTER (WHERE entity_id < 'c') AS early FROM kg_entity;
RESET ROLE;
INSERT INTO held_may SELECT 'a', n::text, 'held' FROM generate_series(1, 3000) n;
CREATE OR REPLACE FUNCTION held_by_who(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS
  $$ SELECT m.id, true FROM public.held_may m WHERE m.id = ANY (ids) $$;
SET ROLE held_reader;
SELECT i, (SELECT count(*) FROM kg_entity e WHERE e.entity_id = i) AS n FROM unnest('{c,d,a}'::text[]) i;
SELECT held_try(i) AS near FROM unnest('{a,b,a,b}'::text[]) i;

-- it is no tool: what is derived is closed to it, also when it is asked again
RESET ROLE;
CREATE OR REPLACE FUNCTION held_by_who(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS
  $$ SELECT t.term, true FROM public.kg_term t WHERE t.tenant = 'held' AND t.term = ANY (ids) $$;
SET ROLE held_reader;
SELECT held_try(i) AS near, kg_get('thing', i) AS got FROM unnest('{a,b,a,b}'::text[]) i;

-- replaced and taken away within a statement
RESET ROLE;
CREATE FUNCTION held_replace(allowed boolean) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
  EXECUTE format('CREATE OR REPLACE FUNCTION held_by_who(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS %L', format('SELECT m.id, %s FROM public.held_may m WHERE m.id = ANY (ids)', CASE WHEN allowed THEN 'true' ELSE 'false' END));
  RETURN allowed; END $$;
SET ROLE held_reader;
SELECT held_try('a') AS first, held_try('a') AS second, held_replace(a) AS allows, held_try('a') AS after FROM unnest('{t,t,f,t}'::boolean[]) a;
RESET ROLE; REVOKE SELECT ON held_may FROM PUBLIC; SET ROLE held_reader;
SELECT held_try('a') AS denied;
RESET ROLE;

SELECT FROM kg_set_authorizer('held', NULL); SELECT FROM kg_set_authorizer('held too', NULL);
SELECT FROM kg_drop_tenant('held'); SELECT FROM kg_drop_tenant('held too');
DROP FUNCTION held_by_who(text, text, text[]), held_bundle(), held_near(text), held_try(text), held_replace(boolean);
DROP TABLE held_may;
DROP OWNED BY held_reader; DROP ROLE held_reader;
