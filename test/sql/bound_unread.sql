\i test/data/prelude.sql
-- Updates of properties that the caller may write but does not see (src/virtual/write.c).
CALL test.tenant('bound_unread', 'bua admin', 'buw write');
CREATE SCHEMA unread;
GRANT USAGE ON SCHEMA unread TO bua, buw;
CREATE TABLE unread.person (id text PRIMARY KEY, name text, salary numeric, tags text[], boss text REFERENCES unread.person, n int NOT NULL DEFAULT 1);
CREATE INDEX ON unread.person (boss);
INSERT INTO unread.person VALUES ('a', 'A', 1, '{x}', NULL), ('hidden', 'H', 2, '{y}', 'a'), ('b', 'B', 3, '{x,y}', 'hidden'), ('c', 'C', 4, NULL, 'a');
ALTER TABLE unread.person ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON unread.person USING (kg_tenant() = 'bound_unread' AND (name <> 'H' OR current_user = 'bua'));
GRANT ALL ON unread.person TO bua;
GRANT SELECT (id, name, boss, n), UPDATE ON unread.person TO buw;
SET ROLE bua;
SELECT FROM kg_bind_table('people', 'unread.person', '{"write": ["update"], "version_column": "n"}');
SET ROLE buw;
SET kg_graph.toolsets = 'all,write';
CREATE FUNCTION pg_temp.update(item text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT coalesce(r -> 'items' -> 0 ->> 'verdict', '') || coalesce(' version ' || (r #>> '{items,0,version}'), '') || coalesce(' ' || (r #>> '{items,0,changed}'), '')
    || coalesce((r #>> '{error,code}') || ' ' || (r #>> '{error,path}') || ': ' || (r #>> '{error,message}'), '')
    FROM (SELECT kg_call_tool('update', jsonb_build_object('type', 'person', 'items', jsonb_build_array(item::jsonb))) -> 'structuredContent' r) x $$;
\set ECHO all
-- Without SELECT on the column: set and unset write it, whatever it has; a new array cannot be computed.
SELECT * FROM pg_temp.update('{"id": "b", "set": {"salary": 5}}');
SELECT * FROM pg_temp.update('{"id": "c", "unset": ["salary"]}');
SELECT * FROM pg_temp.update('{"id": "c", "unset": ["salary"]}');
SELECT * FROM pg_temp.update('{"id": "b", "add": {"tags": ["z"]}}');
SELECT * FROM pg_temp.update('{"id": "b", "remove": {"tags": ["x"]}}');
SELECT * FROM pg_temp.update('{"id": "a", "set": {"tags": ["z"]}}');
-- A reference to a hidden row is not shown, and is removed.
SELECT kg_get('person', 'b') AS b;
SELECT * FROM pg_temp.update('{"id": "b", "unset": ["boss"]}');
-- What the caller sees is unchanged without a write.
SELECT * FROM pg_temp.update('{"id": "c", "set": {"name": "C"}}');
RESET ROLE;
SELECT * FROM unread.person ORDER BY id;
\set ECHO none
DROP SCHEMA unread CASCADE;
CALL test.drop('bound_unread');
