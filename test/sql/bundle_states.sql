-- Bundles that refer to one another: what is stored can always be exported and
-- applied with no difference; what would break that is refused where it is written.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE ROLE regress_states;
SELECT FROM kg_create_tenant('states');
SELECT FROM kg_grant('states', 'regress_states', 'admin');
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

-- A stored type comes to refer to entities that the payload has later.
SELECT apply(bundle('ee', jsonb_build_array(type('one'), type('zoo')), '{"one": [{"id": "f", "to": "t", "many": ["t", "u"]}], "zoo": [{"id": "t"}]}'));
SELECT apply(bundle('ee', jsonb_build_array(type('one', '{"to": {"type": "string", "x-ref": "zoo"}, "many": {"type": "array", "items": {"type": "string", "x-ref": "zoo"}}}'), type('zoo')),
  '{"one": [{"id": "f", "to": "u", "many": ["t", "u"]}, {"id": "g", "to": "u"}], "zoo": [{"id": "t"}, {"id": "u"}]}'));
SELECT * FROM edges();
SELECT apply(bundle('ee', jsonb_build_array(type('one', '{"to": {"type": "string", "x-ref": "zoo", "description": "changed"}, "many": {"type": "array", "items": {"type": "string", "x-ref": "zoo"}}}'), type('zoo')),
  '{"one": [{"id": "f", "to": "v", "many": ["v"]}, {"id": "g", "to": "u"}], "zoo": [{"id": "t"}, {"id": "u"}, {"id": "v"}]}'));
SELECT * FROM edges();
SELECT * FROM faults();
SELECT drop('ee');

RESET ROLE;
RESET search_path;
SELECT FROM kg_drop_tenant('states');
DROP OWNED BY regress_states;
DROP ROLE regress_states;
