-- Every operator that is allowed on a property must select the same entities by keys
-- (SQL) and by documents (C): in a list, as nodes, and as the ends of a step. A new
-- operator appears here automatically, with the entities that it selects.
\i test/data/prelude.sql
CALL test.tenant('ops', 'ops_anna write');
\c - ops_anna
SELECT FROM kg_apply_bundle(jsonb_build_object('bundle_name', 'ops', 'version', '1', 'schemas', (SELECT jsonb_agg(jsonb_build_object('entity_type', t, 'schema', jsonb_build_object('type', 'object', 'x-id-field', 'id', 'x-tool-expose', '["list_ids"]'::jsonb,
  'properties', '{"id": {"type": "string"}}' || (SELECT jsonb_object_agg(f || s, (CASE WHEN f IN ('a', 'c') THEN jsonb_build_object('type', 'array', 'items', p || i) ELSE p || i END))
    FROM (VALUES ('s', '{"type": ["string", "null"]}'::jsonb), ('n', '{"type": ["number", "null"]}'), ('d', '{"type": "string", "format": "date"}'), ('e', '{"enum": ["abc", "bcd", "xyz"]}'), ('o', '{"type": "boolean"}'), ('a', '{"type": "string"}'), ('c', '{"enum": ["abc", "bcd", "xyz"]}')) x(f, p), (VALUES ('key', '{"x-index": true}'::jsonb), ('doc', '{}')) y(s, i)))))
  FROM (VALUES ('thing'), ('origin')) z(t)), 'relations', '[{"name": "NEXT", "from": "origin", "to": "thing"}]'::jsonb)) AS revision;
CREATE FUNCTION pg_temp.data(n int) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_build_object('id', (ARRAY['abc', 'bcd', 'xab', 'ab', 'b', 'z'])[n]) || coalesce(jsonb_object_agg(key || s, value), '{}') FROM (VALUES ('key'), ('doc')) x(s), jsonb_each((ARRAY[
  '{"s": "abc", "n": 1, "d": "2024-01-01", "e": "abc", "o": true, "a": ["abc"], "c": ["abc"]}', '{"s": "bcd", "n": 2, "d": "2024-02-01", "e": "bcd", "o": false, "a": ["abc", "bcd"], "c": ["abc", "bcd"]}',
  '{"s": "xab", "n": 2.0, "d": "2024-03-01", "e": "xyz", "a": ["xyz"], "c": ["xyz"]}', '{"s": null, "n": null, "a": [], "c": []}', '{}', '{"s": "", "n": -1, "e": "xyz", "a": ["", "b"], "c": ["bcd", "xyz"]}']::jsonb[])[n]) $$;
SELECT count(*) FROM generate_series(1, 6) n, kg_put_entities('thing', jsonb_build_array(pg_temp.data(n))) r WHERE r ? 'created';
SELECT FROM kg_put_entities('origin', '[{"id": "o"}]');
SELECT FROM kg_put_edges((SELECT jsonb_agg(jsonb_build_object('relation', 'NEXT', 'from', 'origin:o', 'to', 'thing:' || entity_id)) FROM kg_entity WHERE entity_type = 'thing'));
CREATE FUNCTION pg_temp.allowed(property text) RETURNS SETOF text LANGUAGE plpgsql AS $$ DECLARE d jsonb; BEGIN
  PERFORM kg_list_ids('thing', jsonb_build_object('filters', jsonb_build_object(property, '{"no such operator": 1}'::jsonb)));
EXCEPTION WHEN invalid_parameter_value THEN GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL; RETURN QUERY SELECT jsonb_array_elements_text(d -> 'allowed'); END $$;
CREATE FUNCTION pg_temp.ids(how text, property text, op text, operand jsonb) RETURNS text LANGUAGE plpgsql AS $$ DECLARE f jsonb := jsonb_build_object(property, jsonb_build_object(op, operand)); n jsonb := jsonb_build_object('label', 'thing', 'filters', f); r jsonb; BEGIN
  r := CASE how WHEN 'list' THEN kg_list_ids('thing', jsonb_build_object('filters', f)) -> 'ids' WHEN 'nodes' THEN kg_find_nodes(jsonb_build_object('node_label', 'thing', 'filters', f, 'ids_only', true)) -> 'nodes'
    ELSE kg_traverse(jsonb_build_object('from', '{"label": "origin", "ids": ["o"]}'::jsonb, 'to', n, 'relationships', '[{"type": "NEXT"}]'::jsonb, 'ids_only', true)) -> 'nodes' END;
  RETURN (SELECT coalesce(string_agg(i, ' ' ORDER BY i COLLATE "C"), '') FROM (SELECT replace(x, 'thing:', '') AS i FROM jsonb_array_elements_text(r) x WHERE x <> 'origin:o') y);
EXCEPTION WHEN invalid_parameter_value THEN RETURN NULL; END $$;
SELECT f AS property, op, operand, pg_temp.ids('list', k, op, operand) AS selects, (SELECT string_agg(DISTINCT concat_ws(' ', how, p), ', ') FROM (VALUES ('list'), ('nodes'), ('step')) h(how), (VALUES (k), (d)) w(p)
    WHERE pg_temp.ids(how, p, op, operand) IS DISTINCT FROM pg_temp.ids('list', k, op, operand)) AS differs
  FROM (SELECT f, CASE f WHEN 'id' THEN 'id' ELSE f || 'key' END AS k, CASE f WHEN 'id' THEN 'id' ELSE f || 'doc' END AS d, o FROM (VALUES ('id', '"b"'::jsonb), ('s', '"ab"'), ('n', '2'), ('d', '"2024-02-01"'), ('e', '"abc"'), ('o', 'true'), ('a', '"b"'), ('c', '"bcd"')) x(f, o)) t,
    pg_temp.allowed(k) op, LATERAL (SELECT o UNION ALL SELECT '"b"' WHERE f IN ('s', 'e', 'c') UNION ALL SELECT jsonb_build_array(o) UNION ALL SELECT '["abc", "bcd"]' WHERE f IN ('id', 's', 'e', 'a', 'c') UNION ALL SELECT 'true' WHERE o <> 'true') y(operand)
  WHERE pg_temp.ids('list', k, op, operand) IS NOT NULL ORDER BY f COLLATE "C", op COLLATE "C", operand;
\c - :owner
CALL test.drop('ops');
