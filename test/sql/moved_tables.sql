-- The owner has moved a table or sequence of the extension to another schema, or
-- renamed a column. Every function that needs it must name it in its error, no
-- caller sees more, and no session ends.
\i test/data/prelude.sql
CREATE ROLE moved_writer;
CALL test.tenant('moved');
SELECT FROM kg_grant('moved', 'moved_writer', 'write');
SET ROLE moved_writer;
SELECT kg_apply_bundle('{"bundle_name": "moving", "version": "1", "schemas": [
  {"entity_type": "page", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-history": true, "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "n": {"type": "integer", "x-index": true},
    "up": {"type": "string", "x-ref": "page", "x-relation": "UP"}}}}], "relations": [{"name": "SEES", "from": "page", "to": "page"}],
  "entities": [{"entity_type": "page", "items": [{"id": "a", "name": "A lamp", "n": 1}, {"id": "b", "name": "B lamp", "n": 2, "up": "a"}]}]}') -> 'changed';
RESET ROLE;
CREATE SCHEMA moved_away;

-- The SQLSTATE of each call where it is an error, and the entities that were told of.
CREATE FUNCTION moved_calls() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  call text;
  told text;
BEGIN
  FOREACH call IN ARRAY ARRAY[
    $q$SELECT kg_list('page', '{"search": "lanp", "filters": {"n": {"gte": 1}}}')::text$q$,
    $q$SELECT kg_traverse('{"from": {"label": "page", "ids": ["b"]}, "relationships": [{"type": "UP"}], "to": {"label": "page"}}')::text$q$,
    $q$SELECT kg_put_entities('page', '[{"id": "c", "up": "b"}]')::text$q$,
    $q$SELECT kg_update_entities('page', '[{"id": "a", "set": {"name": "C"}}]')::text$q$,
    $q$SELECT kg_put_edges('[{"relation": "SEES", "from": "a", "to": "b"}]')::text$q$,
    $q$SELECT kg_delete_entities('page', '{b}')::text$q$,
    $q$SELECT kg_history('page', 'a')::text$q$,
    $q$SELECT kg_pack()::text$q$,
    $q$SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}')::text$q$,
    $q$SELECT kg_health()::text$q$] LOOP
    BEGIN
      EXECUTE call INTO told;
      RETURN NEXT 'answered';
    EXCEPTION WHEN OTHERS THEN
      RETURN NEXT SQLSTATE;
    END;
  END LOOP;
END
$$;

-- Of each of ours, moved and put back: which SQLSTATEs there were, but for the one that says what is missing.
DO $$
DECLARE
  name text;
  kind text;
  said text;
  tables integer := 0;
BEGIN
  FOR name, kind IN SELECT relname, CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END FROM pg_class
      JOIN pg_depend ON classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e'
      WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'kg_graph') AND relkind IN ('r', 'p', 'S') LOOP
    tables := tables + 1;
    BEGIN
      EXECUTE format('ALTER %s %I SET SCHEMA moved_away', kind, name);
      SET LOCAL ROLE moved_writer;
      SELECT string_agg(DISTINCT c, ' ') INTO said FROM moved_calls() c WHERE c NOT IN ('answered', '42P01');
      RESET ROLE;
      IF said IS NOT NULL THEN
        RAISE WARNING '%: %', name, said;
      END IF;
      RAISE EXCEPTION USING ERRCODE = 'MOVED';
    EXCEPTION WHEN SQLSTATE 'MOVED' THEN
      NULL;
    END;
  END LOOP;
  RAISE WARNING 'more than 30 were moved: %', tables > 30;
END
$$;

-- By name, with what puts it back.
\set VERBOSITY default
\set SHOW_CONTEXT never
BEGIN; ALTER TABLE kg_entity SET SCHEMA moved_away; SET LOCAL ROLE moved_writer; SELECT kg_list('page'); ROLLBACK;
BEGIN; ALTER TABLE kg_entity RENAME TO kg_moved; SELECT kg_health() -> 'status'; ROLLBACK;
BEGIN; ALTER SEQUENCE kg_node_seq SET SCHEMA moved_away; SET LOCAL ROLE moved_writer; SELECT kg_put_entities('page', '[{"id": "c"}]'); ROLLBACK;
BEGIN; ALTER TABLE kg_edge RENAME COLUMN properties TO moved; SET LOCAL ROLE moved_writer; SELECT kg_put_entities('page', '[{"id": "c", "up": "b"}]'); ROLLBACK;
BEGIN; ALTER TABLE kg_bundle RENAME COLUMN tenant TO moved; SET LOCAL ROLE moved_writer; SELECT kg_list('page'); ROLLBACK;
BEGIN; ALTER TABLE kg_index_key DROP CONSTRAINT kg_index_key_pkey, ADD CONSTRAINT kg_index_key_pkey PRIMARY KEY (tenant, type_no, field_no, key, entity_id, node); SET LOCAL ROLE moved_writer; SELECT kg_query('{"sql": "SELECT id FROM page WHERE n > 1"}') -> 'rows' AS rows; ROLLBACK;

DROP SCHEMA moved_away;
DROP FUNCTION moved_calls();
CALL test.drop('moved');
DROP ROLE moved_writer;
