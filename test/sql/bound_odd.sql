-- Odd tables under types: locked, dropped, partitioned, foreign, materialized; odd values, domains over arrays, columns without SELECT, views that raise, volatile policies.
\i test/data/prelude.sql
CALL test.tenant('odd', 'odd_admin admin', 'odd_reader read');
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION odd_asked(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
  r jsonb;
BEGIN
  EXECUTE 'SELECT ' || sql INTO r;
  RETURN r;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  r := CASE WHEN detail LIKE '{%' THEN detail::jsonb ELSE jsonb_build_object('message', sqlerrm) END;
  RETURN concat_ws(' | ', r ->> 'code', r ->> 'message', r ->> 'expected');
END $$;
GRANT EXECUTE ON FUNCTION odd_asked TO PUBLIC;
CREATE SCHEMA odd;
GRANT USAGE ON SCHEMA odd TO PUBLIC;
CREATE DOMAIN odd.words AS text[];
CREATE DOMAIN odd.word AS text CHECK (value <> '');
CREATE TABLE odd.value (id integer PRIMARY KEY, amount numeric, ratio double precision, day date, at timestamptz, plain timestamp, words odd.words, word odd.word, span int4range, secret text);
INSERT INTO odd.value VALUES (1, 'NaN', 'Infinity', 'infinity', 'infinity', 'infinity', '{a,b}', 'a', '[1,5)', 's'), (2, '-Infinity', 'NaN', '0044-03-15 BC', '0044-03-15 12:00+00 BC', '-infinity', '{}', NULL, 'empty', 's'), (3, 1.50, 0.1, '2024-01-01', '2024-01-01 01:00+02', '2024-01-01', NULL, 'b', NULL, 's');
CREATE TABLE odd.part (id integer PRIMARY KEY, kind text) PARTITION BY RANGE (id);
CREATE TABLE odd.part1 PARTITION OF odd.part FOR VALUES FROM (0) TO (10);
CREATE TABLE odd.part2 PARTITION OF odd.part FOR VALUES FROM (10) TO (20);
INSERT INTO odd.part SELECT n, 'k' || n % 2 FROM generate_series(5, 14) n;
CREATE MATERIALIZED VIEW odd.mat AS SELECT id, kind FROM odd.part;
CREATE UNIQUE INDEX ON odd.mat (id);
CREATE FUNCTION odd.raises(integer) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN IF $1 = 7 THEN RAISE EXCEPTION 'secret of 7'; END IF; RETURN $1; END $$;
CREATE VIEW odd.broken WITH (security_invoker = true) AS SELECT id, odd.raises(id) AS n FROM odd.part;
CREATE TABLE odd.lot (id integer PRIMARY KEY, name text, part integer REFERENCES odd.part);
CREATE INDEX ON odd.lot (part);
INSERT INTO odd.lot SELECT n, 'Lot ' || n, 5 + n % 10 FROM generate_series(1, 20) n;
CREATE TABLE odd.shy (id integer PRIMARY KEY, n integer);
INSERT INTO odd.shy SELECT n, n FROM generate_series(1, 5) n;
ALTER TABLE odd.shy ENABLE ROW LEVEL SECURITY;
CREATE FUNCTION odd.volatile() RETURNS boolean LANGUAGE sql VOLATILE AS 'SELECT random() < 2';
CREATE POLICY own ON odd.shy USING (kg_tenant() = 'odd' AND odd.volatile());
CREATE EXTENSION file_fdw;
CREATE SERVER odd_files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE odd.outside (id integer, name text) SERVER odd_files OPTIONS (program $$printf '1,One\n2,Two\n'$$, format 'csv');
GRANT SELECT ON odd.part, odd.mat, odd.broken, odd.lot, odd.shy, odd.outside TO odd_admin, odd_reader;
GRANT SELECT (id, amount, ratio, day, at, plain, words, word, span) ON odd.value TO odd_admin;
GRANT SELECT (id, words) ON odd.value TO odd_reader;
\c - odd_admin
SELECT t, odd_asked(format('kg_bind_table(''crm'', %L, ''{"shared": true%s}'')', 'odd.' || t, more)) ~ '"changed": true' FROM (VALUES ('value', ''), ('part', ''), ('mat', ', "id": "id"'), ('broken', ', "id": "id"'), ('lot', ''), ('shy', ''), ('outside', ', "id": "id"')) v(t, more);
-- NaN, infinity, years BC, a domain over an array, a range
SELECT kg_list('value', '{}') -> 'items';
SELECT odd_asked($$kg_list_ids('value', '{"filters": {"words": {"contains_any": ["b"]}}}') -> 'ids'$$), odd_asked($$kg_list_ids('value', '{"filters": {"word": "b"}}') -> 'ids'$$), odd_asked($$kg_list_ids('value', '{"sort": [{"field": "amount"}, {"field": "day"}], "limit": 2}') -> 'ids'$$), odd_asked($$kg_list_ids('value', '{"sort": [{"field": "day"}]}') -> 'ids'$$);
SELECT kg_aggregate('{"node": {"label": "value"}, "aggregations": [{"fn": "sum", "property": "amount"}, {"fn": "max", "property": "ratio"}, {"fn": "min", "property": "day"}]}') -> 'rows';
-- a column without SELECT is not in the schema, nor in documents
SELECT kg_export_bundle('crm') #> '{schemas}' @? '$[*].schema.properties.secret';
SELECT kg_query('{"sql": "SELECT * FROM value ORDER BY 1"}') -> 'columns';
-- partitioned, materialized, foreign
SELECT kg_list_ids('part', '{"filters": {"kind": "k1"}}') -> 'ids', kg_get('part', '12'), kg_list_ids('mat', '{"sort": [{"field": "id", "order": "desc"}], "limit": 3}') -> 'ids', kg_list('outside', '{}') -> 'items', kg_get('outside', '2');
SELECT kg_traverse('{"from": {"label": "part", "ids": ["7", "12"]}, "relationships": [{"type": "PART", "direction": "incoming"}], "ids_only": true}') -> 'rows';
-- a view over a function that raises: only where the row is read, and without the text
SELECT odd_asked($$kg_list('broken', '{}')$$), odd_asked($$kg_get('broken', '8')$$), odd_asked($$kg_get('broken', '7')$$), odd_asked($$kg_query('{"sql": "SELECT sum(n) FROM broken"}')$$);
-- a policy that calls a volatile function
SELECT kg_list_ids('shy', '{"filters": {"n": {"gt": 2}}}') -> 'ids', kg_get('shy', '3');
\c - odd_reader
SELECT kg_get('value', '1'), odd_asked($$kg_list('value', '{"filters": {"amount": 1}}')$$);
\c - :owner
-- a table that is locked: the call ends with its time
CREATE EXTENSION dblink;
SELECT dblink_connect('locker', format('dbname=%s user=%s port=%s host=%s', current_database(), current_user, current_setting('port'), split_part(current_setting('unix_socket_directories'), ',', 1)));
SELECT dblink_exec('locker', 'BEGIN'), dblink_exec('locker', 'ALTER TABLE odd.lot ADD COLUMN more text');
SET kg_graph.max_call_time = '300ms';
SET ROLE odd_reader;
SELECT kg_list('lot', '{}');
SELECT kg_get('lot', '1');
SELECT kg_traverse('{"from": {"label": "part"}, "relationships": [{"type": "PART", "direction": "incoming"}]}');
SELECT kg_query('{"sql": "SELECT * FROM lot"}');
SELECT kg_list_ids('part', '{"limit": 1}') -> 'ids';
RESET ROLE;
RESET kg_graph.max_call_time;
SELECT dblink_disconnect('locker');
-- dropped
DROP TABLE odd.lot;
\c - odd_reader
SELECT odd_asked($$kg_traverse('{"from": {"label": "part"}, "relationships": [{"type": "PART", "direction": "incoming"}]}')$$), kg_list_ids('part', '{"limit": 1}') -> 'ids';
\c - :owner
DROP EXTENSION dblink;
DROP SCHEMA odd CASCADE;
DROP EXTENSION file_fdw CASCADE;
DROP FUNCTION odd_asked;
CALL test.drop('odd');
