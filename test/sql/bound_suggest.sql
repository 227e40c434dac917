-- Suggested bundles: types and relations of the tables of a schema, from keys, comments, enums, checks and domains.
\i test/data/prelude.sql
CALL test.tenant('suggest', 'suggest_admin admin', 'suggest_reader read');
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA store;
GRANT USAGE ON SCHEMA store TO PUBLIC;
CREATE DOMAIN store.code AS varchar(8) CHECK (VALUE IN ('EU', 'US'));
CREATE DOMAIN store.region AS store.code;
CREATE TABLE store.actor (actor_id serial PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL);
CREATE TABLE store.film (film_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title text NOT NULL, rating text CHECK (rating IN ('G', 'PG', 'R') AND length(rating) < 5), kind varchar(10) NOT NULL DEFAULT 'film' CHECK (kind IN ('film', 'serial')), region store.region,
  length integer, hours numeric GENERATED ALWAYS AS (length / 60.0) STORED, secret text, cover bytea, prequel integer REFERENCES store.film);
CREATE INDEX ON store.film (prequel);
CREATE TABLE store.film_actor (actor_id integer NOT NULL REFERENCES store.actor, film_id integer NOT NULL REFERENCES store.film, role text, "from" date, PRIMARY KEY (actor_id, film_id));
CREATE INDEX ON store.film_actor (film_id);
COMMENT ON TABLE store.film_actor IS 'who plays in a film';
COMMENT ON COLUMN store.film_actor.role IS 'name of the figure';
-- no relations: a row to which another table refers, three keys, a key beside the two
CREATE TABLE store.rental (actor_id integer REFERENCES store.actor, film_id integer REFERENCES store.film, PRIMARY KEY (actor_id, film_id));
CREATE TABLE store.payment (payment_id uuid PRIMARY KEY, actor_id integer, film_id integer, FOREIGN KEY (actor_id, film_id) REFERENCES store.rental);
CREATE TABLE store.cast_day (actor_id integer REFERENCES store.actor, film_id integer REFERENCES store.film, day date, PRIMARY KEY (actor_id, film_id, day));
-- a foreign key whose column is the id, to a type whose name a column has; one of the id to itself; a repeated one; and one of two columns that are references themselves
CREATE TABLE store.serial (film_id integer PRIMARY KEY REFERENCES store.film, film text);
CREATE TABLE store.seat (seat integer PRIMARY KEY, film_id integer REFERENCES store.film);
CREATE INDEX ON store.seat (film_id);
CREATE TABLE store.box (seat integer PRIMARY KEY REFERENCES store.seat);
CREATE TABLE store.award (award_id integer PRIMARY KEY REFERENCES store.award, actor_id integer CONSTRAINT a REFERENCES store.actor CONSTRAINT b REFERENCES store.actor, film_id integer CONSTRAINT c REFERENCES store.film, CONSTRAINT d FOREIGN KEY (actor_id, film_id) REFERENCES store.rental);
CREATE INDEX ON store.award (actor_id, film_id);
CREATE INDEX ON store.award (film_id);
-- names that are no names of types, and two that give one
CREATE TABLE store."Odd-Name" (id integer PRIMARY KEY);
CREATE TABLE store."Odd.Name" (id integer PRIMARY KEY);
CREATE TABLE store.no_key (id integer);
CREATE TABLE store.at (at timestamptz PRIMARY KEY);
CREATE TABLE store.unseen (id integer PRIMARY KEY);
GRANT SELECT ON ALL TABLES IN SCHEMA store TO suggest_admin;
REVOKE SELECT ON store.unseen FROM suggest_admin;
REVOKE SELECT ON store.film FROM suggest_admin;
GRANT SELECT (film_id, title, rating, kind, region, length, hours, cover, prequel) ON store.film TO suggest_admin;
GRANT SELECT (actor_id, film_id) ON store.film_actor TO suggest_reader;
SET client_min_messages = notice;
SET ROLE suggest_admin;
SELECT kg_suggest_bindings('store', '{"shared": true}') IS NULL;
SET client_min_messages = warning;
SELECT s ->> 'entity_type', s #>> '{schema,x-label-field}', s #>> '{schema,x-id-generate}', s #> '{schema,required}', s #> '{schema,x-table}' FROM jsonb_array_elements(kg_suggest_bindings('store', '{"shared": true}') -> 'schemas') s;
SELECT jsonb_pretty(s #> '{schema,properties}') FROM jsonb_array_elements(kg_suggest_bindings('store', '{"shared": true}') -> 'schemas') s WHERE s ->> 'entity_type' = 'film';
SELECT s -> 'entity_type', p.key, p.value -> 'x-ref', p.value -> 'x-relation' FROM jsonb_array_elements(kg_suggest_bindings('store', '{"shared": true}') -> 'schemas') s, jsonb_each(s #> '{schema,properties}') p WHERE s ->> 'entity_type' IN ('serial', 'award', 'box') ORDER BY 1, p.key COLLATE "C";
SELECT jsonb_pretty(kg_suggest_bindings('store', '{"shared": true}') -> 'relations');
-- references without an index are refused with the statements that help
SELECT * FROM test.fails($$SELECT kg_apply_bundle(kg_suggest_bindings('store', '{"shared": true}'))$$, 'expected');
RESET ROLE;
CREATE INDEX ON store.rental (film_id);
CREATE INDEX ON store.payment (actor_id, film_id);
CREATE INDEX ON store.cast_day (film_id);
INSERT INTO store.actor (first_name, last_name) VALUES ('Ada', 'Ahn'), ('Ben', 'Bell');
INSERT INTO store.film (title, rating, length) VALUES ('First', 'PG', 90), ('Second', NULL, 60);
INSERT INTO store.film_actor VALUES (1, 1, 'hero', '2024-01-01'), (2, 1, NULL, NULL), (2, 2, 'fool', NULL);
INSERT INTO store.serial VALUES (2, 'part 2');
INSERT INTO store.seat VALUES (1, 2);
INSERT INTO store.box VALUES (1);
SET ROLE suggest_admin;
SELECT kg_apply_bundle(kg_suggest_bindings('store', '{"shared": true}')) ->> 'changed';
SELECT kg_traverse('{"from": {"label": "actor", "ids": ["2"]}, "relationships": [{"type": "FILM_ACTOR"}]}') -> 'edges';
SELECT kg_traverse('{"from": {"label": "serial"}, "relationships": [{"type": "FILM_2"}]}') -> 'rows', kg_traverse('{"from": {"label": "film"}, "relationships": [{"type": "FILM_2", "direction": "incoming"}]}') -> 'rows', kg_get('serial', '2');
SELECT kg_query('{"sql": "SELECT seat_row, f.title FROM box b JOIN seat s ON s.id = b.seat_row JOIN film f ON f.id = s.film_id JOIN serial p ON p.film_id = f.id"}') -> 'rows';
SELECT kg_list_ids('film', '{"filters": {"rating": "PG"}}') -> 'ids';
SELECT * FROM test.fails($$SELECT kg_list('film', '{"filters": {"rating": "XXX"}}')$$, 'message', 'allowed');
-- it suggests the same again, whose apply changes nothing
SELECT kg_apply_bundle(kg_suggest_bindings('store', '{"shared": true}')) ->> 'changed';
RESET ROLE;
-- a caller without SELECT on columns and tables
SET ROLE suggest_reader;
SELECT kg_suggest_bindings('store', '{"shared": true}') #>> '{schemas,0,entity_type}', kg_suggest_bindings('store', '{"shared": true}') #> '{schemas,0,schema,properties}';
SELECT * FROM test.fails($$SELECT kg_suggest_bindings('store', '{"write": true}')$$, 'allowed');
RESET ROLE;
-- functions of the tables' owner, in constraints, do not run as the caller
CREATE TABLE store.ran (by name);
GRANT INSERT ON store.ran TO suggest_admin;
CREATE FUNCTION store.note() RETURNS void LANGUAGE sql AS $$ INSERT INTO store.ran VALUES (current_user) $$;
CREATE FUNCTION store.evil() RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM store.note(); RETURN '{a,b}'; END $$;
CREATE FUNCTION store.evil(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM store.evil(); RETURN $1; END $$;
CREATE FUNCTION store.evil_word(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM store.evil(); RETURN true; END $$;
CREATE DOMAIN store.word AS text CHECK (store.evil_word(VALUE));
CREATE DOMAIN store.evil_domain AS text CHECK (VALUE = ANY (store.evil()));
CREATE TABLE store.trap (id integer PRIMARY KEY, a text CHECK (a = ANY (store.evil())), b text CHECK (b IN ('x', store.evil('y'))), c text CHECK (c = ANY (ARRAY['x'::store.word, 'y'::store.word]::text[])), d text CHECK (d IN ('x', CASE WHEN store.evil_word('z') THEN 'y' END)), e store.evil_domain, f text CHECK (f IN ('x', upper('y'))));
GRANT SELECT ON store.trap TO suggest_admin;
TRUNCATE store.ran;
SET ROLE suggest_admin;
SELECT kg_suggest_bindings('store', '{"shared": true}') IS NULL, kg_bind_table('traps', 'store.trap', '{"shared": true}') ->> 'changed';
SELECT s #> '{schema,properties}' FROM jsonb_array_elements(kg_suggest_bindings('store', '{"shared": true}') -> 'schemas') s WHERE s ->> 'entity_type' = 'trap';
RESET ROLE;
SELECT count(*) AS ran FROM store.ran;
DROP SCHEMA store CASCADE;
CALL test.drop('suggest');
