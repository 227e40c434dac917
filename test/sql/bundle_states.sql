-- Bundles that refer to one another. Stored data can always be exported, and applied
-- without a difference. A write that would prevent this is refused.
\i test/data/prelude.sql
CALL test.tenant('states', 'regress_states admin');
CREATE SCHEMA regress_states AUTHORIZATION regress_states;
SET search_path = public, regress_states;
SET ROLE regress_states;
-- a type whose id is "id", with more properties
CREATE FUNCTION regress_states.type(name text, properties jsonb DEFAULT '{}', more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('entity_type', name, 'schema', '{"type": "object", "x-id-field": "id", "x-tool-expose": []}'
    || more || jsonb_build_object('properties', '{"id": {"type": "string"}}' || properties))
$$;
CREATE FUNCTION regress_states.bundle(name text, schemas jsonb, items jsonb DEFAULT '{}', more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', name, 'version', '1', 'schemas', schemas, 'entities',
    (SELECT coalesce(jsonb_agg(jsonb_build_object('entity_type', key, 'items', value)), '[]') FROM jsonb_each(items))) || more
$$;
-- what a call answers, in short
CREATE FUNCTION regress_states.say(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer jsonb;
  text_of text;
  detail text;
BEGIN
  EXECUTE statement INTO answer;
  IF answer ? 'errors' THEN
    RETURN (SELECT string_agg(format('%s %s: %s', e ->> 'code', e ->> 'path', e ->> 'message'), E'\n' ORDER BY e ->> 'path') FROM jsonb_array_elements(answer -> 'errors') e);
  END IF;
  RETURN format('changed %s, entities %s, relations %s', answer -> 'changed',
    (SELECT string_agg(format('%s +%s ~%s =%s -%s', key, value -> 'created', value -> 'updated', value -> 'unchanged', value -> 'deleted'), ', ') FROM jsonb_each(answer -> 'entities')),
    (SELECT string_agg(format('%s +%s ~%s =%s -%s', key, value -> 'created', value -> 'updated', value -> 'unchanged', value -> 'deleted'), ', ') FROM jsonb_each(answer -> 'relations')));
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, text_of = MESSAGE_TEXT;
  IF detail NOT LIKE '{"%' THEN
    RETURN format('%s: %s', SQLSTATE, text_of);
  END IF;
  RETURN (SELECT string_agg(format('%s %s: %s', e ->> 'code', e ->> 'path', e ->> 'message'), E'\n' ORDER BY e ->> 'path')
    FROM jsonb_array_elements(coalesce(detail::jsonb -> 'errors', jsonb_build_array(detail::jsonb))) e);
END
$$;
CREATE FUNCTION regress_states.apply(bundle jsonb, options jsonb DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  dry text := regress_states.say(format('SELECT kg_apply_bundle(%L, %L)', bundle, options || '{"dry_run": true}'));
  done text := regress_states.say(format('SELECT kg_apply_bundle(%L, %L)', bundle, options));
BEGIN
  RETURN done || CASE WHEN dry <> replace(done, 'changed true', 'changed true') THEN E'\nBUT A DRY RUN SAYS: ' || dry ELSE '' END;
END
$$;
-- faults: bundles whose export is not what is stored, rows of relations that nothing has
CREATE FUNCTION regress_states.faults() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT format('%s: %s', bundle, regress_states.say(format('SELECT kg_apply_bundle(kg_export_bundle(%L))', bundle)))
    FROM kg_bundle WHERE regress_states.say(format('SELECT kg_apply_bundle(kg_export_bundle(%L))', bundle)) NOT LIKE 'changed false%'
  UNION ALL SELECT format('%s: relation %s to %s/%s', bundle, relation, to_bundle, to_type) FROM kg_relation r
    WHERE NOT EXISTS (SELECT FROM kg_entity_type t WHERE (t.bundle, t.entity_type) = (r.to_bundle, r.to_type))
       OR NOT EXISTS (SELECT FROM kg_entity_type t WHERE (t.bundle, t.entity_type) = (r.bundle, r.from_type))
$$;
CREATE FUNCTION regress_states.drop(name text) RETURNS text LANGUAGE sql AS $$ SELECT regress_states.say(format('SELECT kg_drop_bundle(%L)', name)) $$;
CREATE FUNCTION regress_states.edges() RETURNS TABLE(edge text) LANGUAGE sql AS $$
  SELECT format('%s %s %s %s', s.entity_id, r.relation, t.entity_id, coalesce(d.property, 'explicit')) FROM kg_edge d
    JOIN kg_entity s ON s.node = d.source JOIN kg_entity t ON t.node = d.target
    LEFT JOIN (SELECT DISTINCT relation_no, relation FROM kg_relation) r USING (relation_no) ORDER BY 1
$$;

-- 1. A type that a declared relation of another bundle names stays.
SELECT apply(bundle('bb', jsonb_build_array(type('thing'), type('other')), '{"thing": [{"id": "t"}]}'));
SELECT apply(bundle('aa', jsonb_build_array(type('brand')), '{"brand": [{"id": "b"}]}',
  '{"relations": [{"name": "LINK", "from": "brand", "to": "bb/thing"}], "edges": [{"relation": "LINK", "from": "brand:b", "to": "thing:t"}]}'));
SELECT apply(bundle('bb', jsonb_build_array(type('other'))));
SELECT drop('bb');
SELECT apply(bundle('bb', '[]'));
SELECT * FROM edges();
SELECT * FROM faults();
-- once nothing names it, it goes
SELECT apply(bundle('aa', jsonb_build_array(type('brand')), '{"brand": [{"id": "b"}]}'));
SELECT apply(bundle('bb', jsonb_build_array(type('other'))));
SELECT drop('bb');
SELECT drop('aa');

-- 2. A stored type comes to refer to entities that the payload has later.
SELECT apply(bundle('ee', jsonb_build_array(type('one'), type('zoo')), '{"one": [{"id": "f", "to": "t", "many": ["t", "u"]}], "zoo": [{"id": "t"}]}'));
SELECT apply(bundle('ee', jsonb_build_array(type('one', '{"to": {"type": "string", "x-ref": "zoo"}, "many": {"type": "array", "items": {"type": "string", "x-ref": "zoo"}}}'), type('zoo')),
  '{"one": [{"id": "f", "to": "u", "many": ["t", "u"]}, {"id": "g", "to": "u"}], "zoo": [{"id": "t"}, {"id": "u"}]}'));
SELECT * FROM edges();
SELECT apply(bundle('ee', jsonb_build_array(type('one', '{"to": {"type": "string", "x-ref": "zoo", "description": "changed"}, "many": {"type": "array", "items": {"type": "string", "x-ref": "zoo"}}}'), type('zoo')),
  '{"one": [{"id": "f", "to": "v", "many": ["v"]}, {"id": "g", "to": "u"}], "zoo": [{"id": "t"}, {"id": "u"}, {"id": "v"}]}'));
SELECT * FROM edges();
SELECT * FROM faults();
SELECT drop('ee');

-- 3. Relations of a merge, beside what is stored.
SELECT apply(bundle('ss', jsonb_build_array(type('person')), '{"person": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}',
  '{"relations": [{"name": "KNOWS", "from": "person", "to": "person"}], "edges": [{"relation": "KNOWS", "from": "person:a", "to": "person:b"}, {"relation": "KNOWS", "from": "person:b", "to": "person:a"}]}'));
-- symmetric over both directions
SELECT apply('{"bundle_name": "ss", "version": "1", "relations": [{"name": "KNOWS", "from": "person", "to": "person", "symmetric": true}]}', '{"mode": "merge"}');
SELECT * FROM faults();
-- of which a replace keeps one
SELECT apply(bundle('ss', jsonb_build_array(type('person')), '{"person": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}',
  '{"relations": [{"name": "KNOWS", "from": "person", "to": "person", "symmetric": true}], "edges": [{"relation": "KNOWS", "from": "person:a", "to": "person:b"}]}'));
SELECT * FROM faults();
-- a variant with another inverse, or symmetric
SELECT apply('{"bundle_name": "ss", "version": "1", "schemas": [{"entity_type": "club", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": [], "properties": {"id": {"type": "string"}}}}],
  "relations": [{"name": "KNOWS", "from": "person", "to": "club", "inverse": "KNOWN"}]}', '{"mode": "merge"}');
SELECT * FROM faults();
-- declared beside derived: by a new property, by a new declaration
SELECT apply(jsonb_build_object('bundle_name', 'ss', 'version', '1', 'schemas', jsonb_build_array(type('person', '{"knows": {"type": "string", "x-ref": "person"}}'))), '{"mode": "merge"}');
SELECT apply(jsonb_build_object('bundle_name', 'ss', 'version', '1', 'schemas', jsonb_build_array(type('club', '{"leader": {"type": "string", "x-ref": "person"}}'))), '{"mode": "merge"}');
SELECT apply('{"bundle_name": "ss", "version": "1", "relations": [{"name": "LEADER", "from": "person", "to": "club"}]}', '{"mode": "merge"}');
SELECT * FROM faults();
-- a schema that stored edges do not satisfy
SELECT apply('{"bundle_name": "ss", "version": "1", "relations": [{"name": "KNOWS", "from": "person", "to": "person", "symmetric": true,
  "schema": {"type": "object", "required": ["since"], "properties": {"since": {"type": "integer"}}}}]}', '{"mode": "merge"}');
SELECT * FROM faults();
-- a relation that was declared is derived, and the other way round
SELECT apply(bundle('ss', jsonb_build_array(type('person', '{"knows": {"type": "array", "items": {"type": "string", "x-ref": "person"}}}')),
  '{"person": [{"id": "a", "knows": ["b", "c"]}, {"id": "b"}, {"id": "c"}]}'));
SELECT * FROM edges();
SELECT apply(bundle('ss', jsonb_build_array(type('person')), '{"person": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}',
  '{"relations": [{"name": "KNOWS", "from": "person", "to": "person"}], "edges": [{"relation": "KNOWS", "from": "person:a", "to": "person:b"}]}'));
SELECT * FROM edges();
SELECT * FROM faults();
SELECT drop('ss');


-- 5. One type named twice, as "type" and as "bundle/type".
SELECT apply(bundle('pre', jsonb_build_array(type('ee')), '{"ee": [{"id": "x"}]}', '{"relations": [{"name": "LINK", "from": "ee", "to": "ee"}, {"name": "LINK", "from": "ee", "to": "pre/ee",
  "schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}]}'));
SELECT apply(bundle('pre', jsonb_build_array(type('ee')), '{"ee": [{"id": "x"}]}', '{"relations": [{"name": "LINK", "from": "ee", "to": "ee"}, {"name": "LINK", "from": "pre/ee", "to": "ee"}]}'));

-- 6. A relation's schema: one that cannot be compiled; definitions that it needs.
SELECT apply(bundle('pre', jsonb_build_array(type('ee')), '{"ee": [{"id": "x"}]}', '{"relations": [{"name": "LINK", "from": "ee", "to": "ee", "schema": {"type": "object", "properties": {"n": {"pattern": "("}}}}]}'));
SELECT apply(bundle('pre', jsonb_build_array(type('ee')), '{"ee": [{"id": "x"}]}', '{"definitions": [{"$id": "urn:n", "type": "object", "properties": {"n": {"type": "integer"}}}],
  "relations": [{"name": "LINK", "from": "ee", "to": "ee", "schema": {"$ref": "urn:n"}}], "edges": [{"relation": "LINK", "from": "ee:x", "to": "ee:x", "properties": {"n": 1}}]}'));
SELECT apply('{"bundle_name": "pre", "version": "1", "definitions": []}', '{"mode": "merge"}');
SELECT apply('{"bundle_name": "pre", "version": "1", "definitions": [{"$id": "urn:n", "type": "object", "properties": {"n": {"type": "string"}}}]}', '{"mode": "merge"}');
SELECT apply('{"bundle_name": "pre", "version": "1", "definitions": [{"$id": "urn:n", "type": "object", "properties": {"n": {"type": "number"}}}]}', '{"mode": "merge"}');
SELECT * FROM faults();
SELECT drop('pre');

-- 7. What x-derived counts.
SELECT apply(bundle('kk', jsonb_build_array(type('child', '{"of": {"type": "string", "x-ref": "child"}}'))));
SELECT apply(bundle('dd', jsonb_build_array(type('parent', '{"n": {"type": "integer", "x-derived": {"count": "OF", "direction": "incoming"}}}'))));
SELECT drop('kk');
SELECT apply(bundle('kk', jsonb_build_array(type('child'))));
SELECT * FROM faults();
SELECT drop('dd');
SELECT drop('kk');

-- 8. Deleting entities also deletes others, through another bundle, too. The
-- entities that the bundle lists stay as it lists them, and the reply counts the
-- others.
SELECT apply(bundle('xx', jsonb_build_array(type('base'), type('end', '{"by": {"type": "string", "x-ref": "yy/mid", "x-on-delete": "cascade"}, "or": {"type": ["string", "null"], "x-ref": "yy/mid", "x-on-delete": "set_null"}}')),
  '{"base": [{"id": "b"}, {"id": "c"}]}')) LIKE '%UNKNOWN_TYPE%' AS unknown;
SELECT apply(bundle('xx', jsonb_build_array(type('base'), type('end')), '{"base": [{"id": "b"}, {"id": "c"}]}'));
SELECT apply(bundle('yy', jsonb_build_array(type('mid', '{"of": {"type": "string", "x-ref": "xx/base", "x-on-delete": "cascade"}}')), '{"mid": [{"id": "m", "of": "b"}, {"id": "n", "of": "c"}]}',
  '{"relations": [{"name": "NEAR", "from": "mid", "to": "mid"}, {"name": "OVER", "from": "mid", "to": "xx/base"}],
    "edges": [{"relation": "NEAR", "from": "mid:m", "to": "mid:n"}, {"relation": "NEAR", "from": "mid:n", "to": "mid:n"}, {"relation": "OVER", "from": "mid:m", "to": "base:b"}]}'));
CREATE FUNCTION regress_states.xx(bases jsonb, ends jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT regress_states.bundle('xx', jsonb_build_array(regress_states.type('base'),
    regress_states.type('end', '{"by": {"type": "string", "x-ref": "yy/mid", "x-on-delete": "cascade"}, "or": {"type": ["string", "null"], "x-ref": "yy/mid", "x-on-delete": "set_null"}}')),
    jsonb_build_object('base', bases, 'end', ends), '{"relations": [{"name": "UPON", "from": "base", "to": "base"}], "edges": [{"relation": "UPON", "from": "base:c", "to": "base:c"}]}')
$$;
SELECT apply(xx('[{"id": "b"}, {"id": "c"}]', '[{"id": "e", "by": "m"}, {"id": "f", "or": "m"}, {"id": "g", "by": "n", "or": "n"}]'));
-- end:e and end:f refer to mid:m, which goes with base:b
SELECT apply(xx('[{"id": "c"}]', '[{"id": "e", "by": "m"}, {"id": "f", "or": "m"}, {"id": "g", "by": "n", "or": "n"}]'));
SELECT apply(xx('[{"id": "c"}]', '[{"id": "h", "by": "m"}, {"id": "f", "or": "m"}, {"id": "g", "by": "n", "or": "n"}]'));
SELECT apply(xx('[{"id": "c"}]', '[{"id": "g", "by": "n", "or": "n"}, {"id": "f"}]'));
SELECT * FROM edges();
SELECT * FROM faults();
-- explicit edges go with their ends, by an apply and by a drop
SELECT apply('{"bundle_name": "yy", "version": "1", "entities": [{"entity_type": "mid", "items": [{"id": "o"}]}], "edges": [{"relation": "NEAR", "from": "mid:o", "to": "mid:n"}, {"relation": "OVER", "from": "mid:n", "to": "base:c"}]}', '{"mode": "merge"}');
SELECT apply(jsonb_set(jsonb_set(kg_export_bundle('yy'), '{entities,0,items}', '[{"id": "o"}]'), '{edges}', '[]'));
SELECT apply(xx('[{"id": "c"}]', '[{"id": "f"}]'));
SELECT apply('{"bundle_name": "yy", "version": "1", "edges": [{"relation": "OVER", "from": "mid:o", "to": "base:c"}]}', '{"mode": "merge"}');
SELECT apply(jsonb_set(xx('[]', '[]'), '{edges}', '[]'));
SELECT * FROM faults();
SELECT apply(bundle('xx', jsonb_build_array(type('base'))));
SELECT drop('yy');
SELECT drop('xx');

-- 9. An apply without changes writes nothing, so it works in a read-only
-- transaction. The types of a merge follow the existing types.
SELECT apply(bundle('ro', jsonb_build_array(type('zz', '{"of": {"type": "string", "x-ref": "zz"}}', '{"x-tool-expose": ["list", "get"]}'), type('aa')), '{"zz": [{"id": "a", "of": "b"}, {"id": "b"}]}',
  '{"definitions": [{"$id": "urn:x"}], "relations": [{"name": "NEAR", "from": "zz", "to": "aa"}], "edges": []}'));
SELECT apply(jsonb_build_object('bundle_name', 'ro', 'version', '1', 'schemas', jsonb_build_array(type('mm')), 'entities', '[{"entity_type": "aa", "items": [{"id": "a"}]}]'::jsonb,
  'edges', '[{"relation": "NEAR", "from": "zz:a", "to": "aa:a"}]'::jsonb), '{"mode": "merge"}');
SELECT apply(jsonb_build_object('bundle_name', 'ro', 'version', '1', 'schemas', jsonb_build_array(type('aa'))), '{"mode": "merge"}');
SELECT s ->> 'entity_type' AS type FROM jsonb_array_elements(kg_export_bundle('ro') -> 'schemas') s;
BEGIN READ ONLY;
SELECT say($$SELECT kg_apply_bundle(kg_export_bundle('ro'))$$);
SELECT say($$SELECT kg_apply_bundle(kg_export_bundle('ro'), '{"dry_run": true}')$$);
SELECT say($$SELECT kg_apply_bundle(kg_export_bundle('ro'), '{"mode": "merge"}')$$);
SELECT say($$SELECT kg_apply_bundle('{"bundle_name": "ro", "version": "2", "schemas": [], "entities": []}', '{"dry_run": true}')$$);
COMMIT;
-- the order of the types is theirs in the bundle
SELECT apply(jsonb_set(kg_export_bundle('ro'), '{schemas}', (SELECT jsonb_agg(s ORDER BY s ->> 'entity_type') FROM jsonb_array_elements(kg_export_bundle('ro') -> 'schemas') s)));
SELECT s ->> 'entity_type' AS type FROM jsonb_array_elements(kg_export_bundle('ro') -> 'schemas') s;
SELECT drop('ro');

-- 10. A dry run says what its diff leaves out, and how to get it.
SELECT kg_apply_bundle(bundle('many', jsonb_build_array(type('nn')), '{"nn": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}'), '{"dry_run": true, "max_diff": 2}') -> 'diff' AS diff;
SELECT kg_apply_bundle(bundle('many', jsonb_build_array(type('nn')), '{"nn": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}'), '{"dry_run": true, "max_diff": 3, "mode": "merge"}') -> 'diff' AS diff;
SELECT apply(bundle('many', jsonb_build_array(type('nn')), '{"nn": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}'));
SELECT kg_apply_bundle(bundle('many', jsonb_build_array(type('nn')), '{"nn": [{"id": "d"}]}'), '{"dry_run": true, "max_diff": 1}') -> 'diff' AS diff;
SELECT say($$SELECT kg_apply_bundle('{}', '{"max_diff": -1}')$$);

-- 11. A control character is no part of an id, whichever of Unicode's it is.
SELECT c, say(format('SELECT kg_apply_bundle(%L, %L)', bundle('ctl', jsonb_build_array(type('nn')), jsonb_build_object('nn', jsonb_build_array(jsonb_build_object('id', 'x' || chr(c))))), '{"dry_run": true}'))
  FROM unnest(ARRAY[1, 31, 32, 127, 128, 133, 159, 160, 8232]) c;
SELECT c, say(format($$SELECT kg_get('many/nn', ARRAY[%L])$$, 'x' || chr(c))) FROM unnest(ARRAY[127, 159]) c;
SELECT drop('many');

-- 12. What a relation says of itself is stored, exported and told to models.
SELECT apply(bundle('say', jsonb_build_array(type('aa'), type('bb')), '{}', '{"relations": [{"name": "NEAR", "from": "aa", "to": "aa", "description": "stands beside", "inverse": "NEXT"},
  {"name": "NEAR", "from": "aa", "to": "bb", "inverse": "NEXT"}]}'));
SELECT kg_export_bundle('say') -> 'relations' AS relations;
SELECT apply(kg_export_bundle('say') #- '{relations,0,description}');
SELECT apply('{"bundle_name": "say", "version": "1", "relations": [{"name": "NEAR", "from": "aa", "to": "bb", "inverse": "NEXT", "description": "leans on"}]}', '{"mode": "merge"}');
SELECT r ->> 'to' AS "to", r ->> 'description' AS description FROM jsonb_array_elements(kg_graph_schema('{"expand_relationship_types": ["*"]}') -> 'relationship_types') r;
SELECT apply(bundle('say', '[]', '{}', '{"relations": [{"name": "NEAR", "from": "aa", "to": "aa", "description": 7}]}'));
SELECT * FROM faults();
SELECT drop('say');

RESET ROLE;
RESET search_path;
CALL test.drop('states');
