-- Keys and columns of unusual types under bound types: walks both ways, filters by id, groups and pages.
\i test/data/prelude.sql
CALL test.tenant('keys', 'keys_admin admin');
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA "Odd.shop";
GRANT USAGE ON SCHEMA "Odd.shop" TO keys_admin;
SET search_path = "Odd.shop", public;
-- a composite key, which refers to its own table, with the separator and the escape in values
CREATE TABLE part (a text, b integer, in_a text, in_b integer, PRIMARY KEY (a, b), FOREIGN KEY (in_a, in_b) REFERENCES part);
CREATE INDEX ON part (in_a, in_b);
INSERT INTO part VALUES ('x/y', 1, NULL, NULL), ('50%', 2, 'x/y', 1), ('%2F', 3, '50%', 2), ('', 4, '%2F', 3), ('loop', 5, 'loop', 5);
-- a numeric key with other scales in the reference, without a foreign key; some references lead nowhere
CREATE TABLE rate (rate numeric PRIMARY KEY, note text);
INSERT INTO rate VALUES (1.00, 'one'), (2.5, 'two and a half'), ('NaN', 'none');
CREATE TABLE loan (loan_id date PRIMARY KEY, rate numeric, was numeric REFERENCES rate);
CREATE INDEX ON loan (rate);
CREATE INDEX ON loan (was);
INSERT INTO loan VALUES ('2024-02-29', 1, 2.50), ('0044-03-15 BC', 2.500, 1), ('infinity', 7, 'NaN'), ('2020-01-01', 'NaN', NULL);
-- an enum as key, two references to one table, names of columns
CREATE TYPE size AS ENUM ('s', 'm', 'l');
CREATE TABLE box (size size PRIMARY KEY, "select" text, "Dotted.name ""q""" integer, n12345678901234567890123456789012345678901234567890123456789012 integer);
INSERT INTO box VALUES ('l', 'large', 1, 2), ('s', 'small', 3, 4), ('m', 'medium', 5, NULL);
CREATE TABLE parcel (parcel_id smallint, inner_box size NOT NULL REFERENCES box, outer_box size REFERENCES box, PRIMARY KEY (parcel_id)) PARTITION BY RANGE (parcel_id);
CREATE TABLE parcel_1 PARTITION OF parcel FOR VALUES FROM (1) TO (10);
CREATE TABLE parcel_2 PARTITION OF parcel FOR VALUES FROM (10) TO (20);
CREATE INDEX ON parcel (inner_box);
CREATE INDEX ON parcel (outer_box);
INSERT INTO parcel VALUES (1, 's', 'm'), (2, 'm', 'l'), (12, 's', 's');
-- values of unusual types
CREATE DOMAIN tags AS text[] CHECK (cardinality(value) < 5);
CREATE TYPE pair AS (x integer, y text);
CREATE TABLE thing (thing_id integer PRIMARY KEY, tags tags, span int4range, pair pair, at timestamptz, day date, f float8, ip inet, secret bytea);
INSERT INTO thing VALUES (1, '{a,b}', '[1,5)', (1, 'q'), '0044-03-15 12:00+00 BC', '0044-03-15 BC', '-Infinity', '10.0.0.0/8', '\x00'), (2, NULL, 'empty', NULL, '-infinity', 'infinity', 'NaN', NULL, NULL), (3, '{}', '(,3)', (NULL, NULL), '2024-06-01 00:00:00.5+02', '2024-06-01', 0.1, '::1', NULL);
CREATE MATERIALIZED VIEW seen AS SELECT thing_id, day FROM thing;
CREATE UNIQUE INDEX ON seen (thing_id);
GRANT SELECT ON ALL TABLES IN SCHEMA "Odd.shop" TO keys_admin;
RESET search_path;
\c - keys_admin
SELECT kg_bind_table('odd', '"Odd.shop".rate', '{"shared": true}') ->> 'changed';
SELECT kg_bind_table('odd', '"Odd.shop".box', '{"shared": true}') ->> 'changed';
SELECT kg_bind_table('odd', '"Odd.shop".parcel', '{"shared": true}') ->> 'changed';
SELECT kg_bind_table('odd', '"Odd.shop".thing', '{"shared": true}') ->> 'changed';
SELECT kg_bind_table('odd', '"Odd.shop".part', '{"shared": true, "references": {"inside": {"columns": ["in_a", "in_b"], "to": "part"}}}') ->> 'changed';
SELECT kg_bind_table('odd', '"Odd.shop".loan', '{"shared": true, "references": {"rate": {"columns": ["rate"], "to": "rate"}, "was": {"columns": ["was"], "to": "rate"}}}') ->> 'changed';
SELECT kg_bind_table('odd', '"Odd.shop".seen', '{"shared": true, "id": "thing_id"}') ->> 'changed';
-- composite keys
SELECT kg_list_ids('part', '{}') -> 'ids', kg_list_ids('part', '{"filters": {"id": {"in": ["x%2Fy/1", "%252F/3", "x/y/1"]}}}') -> 'ids', kg_list_ids('part', '{"filters": {"inside": "50%25/2"}}') -> 'ids';
SELECT kg_traverse('{"from": {"label": "part", "ids": ["/4"]}, "relationships": [{"type": "INSIDE", "max_hops": 3}], "ids_only": true}') -> 'rows';
SELECT kg_traverse('{"from": {"label": "part", "ids": ["x%2Fy/1", "loop/5"]}, "relationships": [{"type": "INSIDE", "direction": "incoming", "max_hops": 3}], "ids_only": true}') -> 'rows';
SELECT kg_paths('{"from": {"label": "part", "ids": ["/4"]}, "to": {"label": "part", "ids": ["x%2Fy/1"]}, "max_hops": 3, "ids_only": true}') -> 'paths' -> 0;
SELECT kg_list('part', '{"fields": ["inside", "inside.inside"]}') -> 'items';
SELECT kg_aggregate('{"node": {"label": "part"}, "group_by": [{"property": "inside"}], "aggregations": [{"fn": "count"}]}') -> 'rows';
-- keys whose equal values have several texts: the id is that of the target
SELECT kg_list('loan', '{}') -> 'items';
SELECT kg_traverse('{"from": {"label": "loan"}, "relationships": [{"type": "RATE"}], "ids_only": true}') -> 'rows';
SELECT kg_traverse('{"from": {"label": "rate"}, "relationships": [{"type": ["RATE", "WAS"], "direction": "incoming"}], "ids_only": true}') -> 'rows';
SELECT kg_get('rate', '1.00') ->> 'note', kg_get('rate', '1.0') IS NULL, kg_get('rate', 'NaN') ->> 'note', kg_get('loan', '0044-03-15 BC') ->> 'was';
SELECT kg_aggregate('{"node": {"label": "loan"}, "group_by": [{"property": "rate"}], "aggregations": [{"fn": "count"}]}') -> 'rows';
-- an enum as key, in its own order; two references to one table; a partitioned table
SELECT kg_list('box', '{}') -> 'items';
SELECT kg_traverse('{"from": {"label": "box", "ids": ["s"]}, "relationships": [{"type": "INNER_BOX", "direction": "incoming"}, {"type": "OUTER_BOX"}], "ids_only": true}') -> 'rows';
SELECT kg_neighbors('{"start_node": {"label": "parcel", "node_id": "12"}, "ids_only": true}') -> 'edges';
SELECT kg_aggregate('{"node": {"label": "parcel"}, "group_by": [{"property": "inner_box.select"}], "aggregations": [{"fn": "count"}]}') -> 'rows';
-- values in their forms
SELECT kg_list('thing', '{}') -> 'items', kg_list_ids('thing', '{"filters": {"tags": {"contains": "b"}}}') -> 'ids', kg_list_ids('seen', '{}') -> 'ids';
SELECT kg_aggregate('{"node": {"label": "thing"}, "group_by": [{"property": "day"}], "aggregations": [{"fn": "count"}, {"fn": "max", "property": "f"}]}') -> 'rows';
SELECT kg_drop_bundle('odd') ->> 'changed';
\c - :owner
SET client_min_messages = warning;
DROP SCHEMA "Odd.shop" CASCADE;
RESET client_min_messages;
CALL test.drop('keys');
