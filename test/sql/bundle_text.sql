-- kg_apply_bundle_text() returns for a text what kg_apply_bundle() returns for its
-- jsonb, and stores the same.
\i test/data/prelude.sql
\a\t
CALL test.tenant('bundle text', 'regress_bundle_text admin');
SET ROLE regress_bundle_text;

-- Reply or error of an apply, and what is stored afterwards; then it is undone.
CREATE FUNCTION pg_temp.answer(call text, bundle text, options jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  reply text; state text; said text; more text; hint text; place text;
BEGIN
  EXECUTE call INTO reply USING bundle, options;
  reply := reply || E'\n' || (SELECT string_agg(kg_export_bundle(b.bundle)::text, ' ' ORDER BY b.bundle) FROM kg_bundle b);
  RAISE EXCEPTION USING errcode = 'XK001', message = reply;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, said = MESSAGE_TEXT, more = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT, place = PG_EXCEPTION_CONTEXT;
  IF state = 'XK001' THEN RETURN said; END IF;
  RETURN concat_ws(E'\n', state, said, more, hint, (regexp_match(place, '^JSON data.*$', 'n'))[1]);
END $$;
-- The answer, or both where they differ.
CREATE FUNCTION pg_temp.apply(bundle text, options jsonb DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  one text := pg_temp.answer('SELECT kg_apply_bundle($1::jsonb, $2)', bundle, options);
  two text := pg_temp.answer('SELECT kg_apply_bundle_text($1, $2)', bundle, options);
BEGIN
  IF one IS DISTINCT FROM two THEN
    RETURN E'DIFFERENT\n' || one || E'\n-- text:\n' || two;
  END IF;
  RETURN split_part(one, E'\n', 1);
END $$;
-- A bundle with these members beside its types.
CREATE FUNCTION pg_temp.with_types(members text) RETURNS text LANGUAGE sql AS $$
  SELECT format('{%s, "bundle_name": "words", "version": "1", "schemas": [{"entity_type": "word", "schema": {"type": "object", "x-id-field": "id",
    "properties": {"id": {"type": "string"}, "edges": {"type": "array"}, "items": {"type": "array"}, "next": {"type": "string", "x-ref": "word"}, "n": {"type": "number"}}}}],
    "relations": [{"name": "NEAR", "from": "word", "to": "word", "schema": {"type": "object", "properties": {"n": {"type": "number"}}}}, {"name": "FAR", "from": "word", "to": "word", "symmetric": true}]}', members)
$$;

-- What is stored first, so that there is something to be unchanged, updated and deleted.
SELECT kg_apply_bundle_text(pg_temp.with_types($$"entities": [{"entity_type": "word", "items": [{"id": "a", "n": 1}, {"id": "b", "n": 2.50}, {"id": "z"}]}],
  "edges": [{"relation": "NEAR", "from": "word:a", "to": "word:b", "properties": {"n": 1}}, {"relation": "FAR", "from": "a", "to": "z"}, {"relation": "NEAR", "from": "b", "to": "z"}]$$));

SELECT pg_temp.apply(pg_temp.with_types(m)) FROM unnest(ARRAY[
  -- edges before entities, escapes, properties that are null, spaces, numbers written in other ways
  $$ "edges" : [ { "properties" : {"n": 1.00}, "to":"word:b" ,"relation":"NEAR" , "from":"word:a"},{"relation": "FAR", "from": "word:z", "to": "word:a", "properties": null},
     {"relation":"NEAR","from":"word:\u00e9\"\\","to":"word:\ud83d\ude00"} ] , "entities" : [ { "items" : [ {"id":"a","n":1.0}, {"id":"b","n":25e-1}, {"id":"z"},
     {"id":"\u00e9\"\\", "items": [{"items": []}, [1, [2]]], "edges": [{"relation": 1}]}, {"id":"\ud83d\ude00"}] , "entity_type" : "word" } ] $$,
  -- two of a name: the later counts
  $$"edges": [{"relation": "NEAR", "from": "a", "to": "a"}, 7], "edges": [{"relation": "FAR", "from": "a", "to": "b"}], "entities": [{"entity_type": "word", "items": [1, 2]}, 3],
    "entities": [{"entity_type": "none", "items": [4], "entity_type": "word", "items": [{"id": "x", "id": "a"}, {"id": "b"}], "items": 3, "items": [{"id": "a"}, {"id": "b"}]}]$$,
  $$"edges": [{"relation": "FAR", "relation": "NEAR", "from": "a", "to": "b", "properties": {"n": "x"}, "properties": {"n": 2, "n": 3}}], "entities": [{"entity_type": "word", "items": [{"id": "a"}, {"id": "b"}]}]$$,
  $$"edges": [{"relation": "FAR", "from": "a", "to": "b"}], "edges": null, "entities": [{"entity_type": "word", "items": [{"id": "a"}]}], "entities": []$$,
  $$"edges": 3, "edges": [], "entities": {"items": [1]}, "entities": [{"entity_type": "word", "items": []}, {"entity_type": "word", "items": [{"id": "a"}]}]$$,
  -- other members that look like them
  $$"description": "edges", "definitions": [{"$id": "urn:e", "edges": [{"from": 1}], "items": [1], "entities": [{"items": [2]}]}], "entities": []$$,
  -- shapes at fault
  $$"edges": {"items": []}, "entities": {"entity_type": "word", "items": [{"id": "a"}]}$$,
  $$"edges": "none", "entities": [[{"items": [{"id": "a"}]}], "x", null, 1.50, {"items": [{"id": "a"}]}, {"entity_type": "word"}, {"entity_type": "word", "items": {"id": "a"}}, {"entity_type": "word", "items": [], "more": 1}]$$,
  $$"edges": [1, "x", null, true, [], {}, {"relation": "NEAR", "from": "", "to": 3}, {"relation": "NEAR", "from": "a", "to": "b", "weight": 1}, {"relation": "NEAR", "from": "a", "to": "b", "properties": [1.50]}],
    "entities": [{"entity_type": "word", "items": ["a", 2.50, null, [{"id": "a"}], {"id": 1}, {"id": "a"}, {"id": "a"}, {"id": "b", "next": "q"}]}]$$,
  $$"edges": [{"relation": "NEAR", "from": "a", "to": "q"}, {"relation": "NONE", "from": "a", "to": "a"}, {"relation": "NEAR", "from": "a", "to": "a", "properties": {"n": "x"}},
    {"relation": "FAR", "from": "a", "to": "b"}, {"relation": "FAR", "from": "b", "to": "a"}, {"relation": "FAR", "from": "a", "to": "b"}], "entities": [{"entity_type": "word", "items": [{"id": "a"}, {"id": "b"}]}]$$,
  $$"entity": [], "entities": []$$]) m;
SELECT pg_temp.apply(pg_temp.with_types($$"edges": [1, "x", null, {}], "entities": [{"entity_type": "word", "items": [1, 2, 3]}]$$), o) FROM unnest(ARRAY[
  '{"max_errors": 2}', '{"max_errors": 5}', '{"dry_run": true, "max_errors": 4}', '{"mode": "merge"}', '{"mode": "none"}', '{"expected_revision": 7}', '[]']::jsonb[]) o;
SELECT pg_temp.apply(b, '{"mode": "merge"}') FROM unnest(ARRAY[
  '{"bundle_name": "words", "version": "1", "edges": [{"relation": "NEAR", "from": "a", "to": "b", "properties": {"n": 1.0}}, {"relation": "NEAR", "from": "z", "to": "b"}]}',
  '{"bundle_name": "words", "version": "2", "entities": [{"entity_type": "word", "items": [{"id": "a", "n": 3}]}]}',
  '{"version": "2"}', '{}', '[]', '[{"edges": [1]}]', '"words"', '1.50', 'null', 'true']) b;
-- A dry run tells of faults in its reply, but of text that is no JSON nothing but that.
SELECT pg_temp.apply(pg_temp.with_types('"edges": [7], "entities": [8]'), '{"dry_run": true}');
SELECT pg_temp.apply(b, '{"dry_run": true}') FROM unnest(ARRAY['', ' ', '{', '{"edges": [', '{"edges": [{"relation": "NEAR"},]}', '{"edges": [{"relation": "NEAR" "from": 1}]}', '{"a": 1} x', '{"a": 01}', '{"a": 1e400000}',
  '{"edges": [{"properties": {"n": 1e400000}}]}', E'{"edges": [\n{"from": "a\tb"}]}', '{"edges": [{"from": "\u0000"}]}', '{"edges": [{"from": "\ud83d"}]}', '{"edges": [{"from": "\x"}]}', '{"edges": [nul]}', '{1: 2}', '{"entities": [{"items": [{]}']) b;
SELECT DISTINCT pg_temp.apply(b || repeat('[', 100000)) FROM unnest(ARRAY['', '{"edges": [', '{"entities": [{"items": [']) b;
SELECT pg_temp.apply(b || repeat('[', 3000) || repeat(']', 3000) || c) FROM unnest(ARRAY['', '{"edges": [', '{"entities": [{"items": ['], ARRAY['', ']}', ']}]}']) x(b, c);
-- Only the size is that of the text.
RESET ROLE;
SET kg_graph.max_bundle_bytes = '1kB';
SET ROLE regress_bundle_text;
SELECT kg_apply_bundle_text(repeat(' ', 2000));
SELECT kg_apply_bundle_text(repeat(' ', 20) || '{"bundle_name": "words", "version": "1"}', '{"mode": "merge"}') -> 'changed' AS changed;
SELECT kg_apply_bundle_text(NULL);

RESET ROLE;
RESET kg_graph.max_bundle_bytes;
CALL test.drop('bundle text');
