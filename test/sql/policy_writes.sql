-- Rows that a policy hides from reading are hidden from every write, too, whichever
-- command the policy names.
\i test/data/prelude.sql
CALL test.tenant('polwrites', 'polwrites_ada write', 'polwrites_admin admin');
SET ROLE polwrites_admin;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [{"entity_type": "product", "schema": {"type": "object", "x-id-field": "id", "x-history": true, "properties": {"id": {"type": "string"}, "state": {"type": "string"}, "text": {"type": "string"}}}}],
  "relations": [{"name": "LIKES", "from": "product", "to": "product", "schema": {"type": "object", "properties": {"secret": {"type": "boolean"}}}}],
  "entities": [{"entity_type": "product", "items": [{"id": "open"}, {"id": "open2"}, {"id": "open3"}, {"id": "secret1", "state": "draft", "text": "s1"}, {"id": "secret2", "state": "draft", "text": "s2"}]}],
  "edges": [{"relation": "LIKES", "from": "product:open", "to": "product:open2"}, {"relation": "LIKES", "from": "product:open2", "to": "product:open", "properties": {"secret": true}}]}') ? 'revision' AS applied;
RESET ROLE;
CREATE FUNCTION test.stored() RETURNS TABLE (what text, n text) LANGUAGE sql AS $$
  SELECT 'entities', string_agg(entity_id || ' ' || version, ', ' ORDER BY entity_id COLLATE "C") FROM kg_entity WHERE tenant = 'polwrites'
  UNION ALL SELECT 'edges', string_agg(concat(properties, ''), ', ' ORDER BY properties::text NULLS FIRST) FROM kg_edge WHERE tenant = 'polwrites' $$;
-- What there is after a statement of ada's under a policy; and all of it is undone.
CREATE FUNCTION test.after(command text, on_table text, using_expr text, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said text := 'done';
BEGIN
  CREATE TEMP SEQUENCE polwrites_seq;
  GRANT USAGE ON SEQUENCE polwrites_seq TO polwrites_ada;
  IF command ~ '^CREATE' THEN
    EXECUTE command;
  ELSE
    PERFORM kg_add_policy('polwrites', on_table, using_expr, command => command, roles => '{polwrites_ada}');
  END IF;
  PERFORM set_config('role', 'polwrites_ada', true);
  BEGIN
    IF statement ~ '^SELECT' THEN
      EXECUTE statement INTO said;
    ELSE
      EXECUTE statement;
    END IF;
  EXCEPTION WHEN OTHERS THEN
    said := SQLSTATE || ' ' || SQLERRM;
  END;
  PERFORM set_config('role', 'none', true);
  RAISE EXCEPTION USING ERRCODE = 'P0999', MESSAGE = concat(said, '; ', (SELECT string_agg(n, '; ') FROM test.stored()));
EXCEPTION WHEN SQLSTATE 'P0999' THEN
  RETURN SQLERRM;
END
$$;
-- Statements that read no column: nextval() picks one row after the other.
SELECT statement, command, test.after(command, 'kg_entity', $q$data ->> 'state' IS DISTINCT FROM 'draft'$q$, statement)
  FROM unnest(ARRAY['DELETE FROM kg_entity', $q$UPDATE kg_entity SET data = '{"id": "mine"}' WHERE nextval('polwrites_seq') = 4$q$, $q$UPDATE kg_entity SET data = '{"id": "mine"}' WHERE nextval('polwrites_seq') = 5$q$,
    'MERGE INTO kg_entity USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE', $q$INSERT INTO kg_entity(bundle, entity_type, data) VALUES ('shop', 'product', '{"id": "new", "state": "draft"}')$q$,
    $q$SELECT kg_delete_entities('product', '{secret1,open3}') ->> 'counts'$q$, $q$SELECT jsonb_path_query_array(kg_put_entities('product', '[{"id": "secret1"}]'), '$.items[*].error.code')$q$,
    $q$SELECT jsonb_path_query_array(kg_update_entities('product', '[{"id": "secret1", "set": {"text": "x"}}]'), '$.items[*].error.code')$q$]) WITH ORDINALITY s(statement, n), unnest(ARRAY['SELECT', 'ALL']) command ORDER BY n, command DESC;
SELECT statement, command, test.after(command, 'kg_edge', $q$properties ->> 'secret' IS DISTINCT FROM 'true'$q$, statement)
  FROM unnest(ARRAY['DELETE FROM kg_edge', $q$UPDATE kg_edge SET properties = '{"secret": false}'$q$, 'MERGE INTO kg_edge USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE', $q$SELECT kg_delete_edges('[{"relation": "LIKES", "from": "product:open2", "to": "product:open"}]') ->> 'counts'$q$,
    $q$SELECT kg_put_edges('[{"relation": "LIKES", "from": "product:open2", "to": "product:open"}]') ->> 'counts'$q$, $q$SELECT kg_delete_entities('product', '{open2}') ->> 'counts'$q$]) WITH ORDINALITY s(statement, n), unnest(ARRAY['SELECT', 'ALL']) command ORDER BY n, command DESC;
-- A policy that somebody makes by hand, for reading alone: it is told, with what makes it one for all.
BEGIN;
CREATE POLICY polwrites_by_hand ON kg_entity AS RESTRICTIVE FOR SELECT TO polwrites_ada USING (data ->> 'state' IS DISTINCT FROM 'draft');
CREATE FUNCTION test.told() RETURNS TABLE (told jsonb) LANGUAGE sql AS $$
  SELECT c -> 'metrics' -> 'problems' FROM jsonb_array_elements(kg_health() -> 'components') c WHERE c ->> 'name' = 'policies'
  UNION ALL SELECT d - 'tenant' FROM jsonb_array_elements(kg_check() -> 'differences') d WHERE d ->> 'kind' = 'policy_for_reading_alone' $$;
SELECT * FROM test.told();
CREATE POLICY polwrites_by_hand_2 ON kg_entity AS RESTRICTIVE FOR UPDATE TO polwrites_ada USING (data ->> 'state' IS DISTINCT FROM 'draft');
SELECT count(*) FROM test.told() WHERE told IS NOT NULL;
CREATE POLICY polwrites_by_hand_3 ON kg_entity AS RESTRICTIVE FOR DELETE TO PUBLIC USING (data ->> 'state' IS DISTINCT FROM 'draft');
SELECT count(*) FROM test.told() WHERE told IS NOT NULL;
DROP POLICY polwrites_by_hand_3 ON kg_entity;
SELECT kg_add_policy('polwrites_by_hand', 'kg_entity', $$data ->> 'state' IS DISTINCT FROM 'draft'$$, command => 'SELECT', roles => '{polwrites_ada}');
SELECT count(*) FROM test.told() WHERE told IS NOT NULL;
ROLLBACK;

-- A policy that cannot be asked is refused: one that reads its own table, itself or by what it reads.
CREATE VIEW public.polwrites_view AS SELECT * FROM kg_entity;
ALTER VIEW public.polwrites_view SET (security_invoker);
SELECT kg_add_policy('polwrites', 'kg_entity', 'EXISTS (SELECT FROM public.kg_entity x WHERE x.node = kg_entity.node)');
SELECT kg_add_policy('polwrites', 'kg_entity', 'EXISTS (SELECT FROM public.kg_entity x)', roles => '{polwrites_ada}');
SELECT kg_add_policy('polwrites', 'kg_entity', 'EXISTS (SELECT FROM public.polwrites_view x)', command => 'SELECT');
SELECT kg_add_policy('polwrites', 'kg_entity', 'EXISTS (SELECT FROM public.kg_entity x)', command => 'UPDATE');
SELECT kg_add_policy('polwrites', 'kg_entity', NULL, 'EXISTS (SELECT FROM public.kg_edge x)', command => 'INSERT');
BEGIN;
SELECT kg_add_policy('polwrites_2', 'kg_edge', 'EXISTS (SELECT FROM public.kg_entity x WHERE x.node = kg_edge.source)');
SAVEPOINT one;
SELECT kg_add_policy('polwrites', 'kg_entity', 'EXISTS (SELECT FROM public.kg_edge x WHERE x.source = kg_entity.node)');
ROLLBACK TO one;
SET LOCAL ROLE polwrites_ada;
SELECT kg_list('product') ->> 'total' AS total;
ROLLBACK;
SELECT kg_add_policy('polwrites', 'kg_entity', 'true', 'true', command => 'SELECT');
SELECT kg_add_policy('polwrites', 'kg_entity', NULL, 'true', command => 'SELECT');
SELECT policy FROM kg_policy WHERE policy ~ 'polwrites';
SELECT kg_drop_policy('polwrites');
DROP VIEW public.polwrites_view;
DROP FUNCTION test.after(text, text, text, text), test.stored();
CALL test.drop('polwrites');
