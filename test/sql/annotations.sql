-- The x- annotations of a schema: what each accepts and refuses.
\i test/data/prelude.sql
CALL test.tenant('annotations', 'regress_annotations write');
CREATE FUNCTION pg_temp.bundle(schema jsonb, items jsonb DEFAULT '[]', more jsonb DEFAULT '[]', more_items jsonb DEFAULT '[]') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('bundle_name', 'ann', 'version', '1',
    'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'thing', 'schema', schema)) || more,
    'entities', jsonb_build_array(jsonb_build_object('entity_type', 'thing', 'items', items)) || more_items)
$$;
CREATE FUNCTION pg_temp.try(bundle jsonb) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE d text; r jsonb;
BEGIN
  r := kg_apply_bundle(bundle);
  RETURN NEXT 'applied ' || (r -> 'entities')::text || (r -> 'warnings')::text;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL;
  RETURN QUERY SELECT pg_catalog.concat_ws(' | ', e ->> 'code', e ->> 'path', e ->> 'keyword', left(e ->> 'got', 40), left(e ->> 'message', 160), e ->> 'expected')
    FROM jsonb_array_elements(CASE WHEN d LIKE '{%' THEN COALESCE(d::jsonb -> 'errors', jsonb_build_array(d::jsonb)) ELSE jsonb_build_array(jsonb_build_object('message', SQLERRM)) END) e;
END
$$;
-- A schema with an id and these properties.
CREATE FUNCTION pg_temp.schema(properties jsonb, root jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT '{"type": "object", "x-id-field": "id"}'::jsonb || jsonb_build_object('properties', '{"id": {"type": "string"}}'::jsonb || properties) || root
$$;
SET ROLE regress_annotations;

-- x-id-field: there, a declared string, anywhere in the entity.
SELECT pg_temp.try(pg_temp.bundle('{"type": "object", "properties": {"id": {"type": "string"}}}'));
SELECT pg_temp.try(pg_temp.bundle('{"type": "object", "x-id-field": "ident", "properties": {"id": {"type": "string"}}}'));
SELECT pg_temp.try(pg_temp.bundle('{"type": "object", "x-id-field": "id", "properties": {"id": {"type": "number"}}}'));
SELECT pg_temp.try(pg_temp.bundle('{"type": "object", "x-id-field": 7, "properties": {"id": {"type": "string"}}}'));
SELECT pg_temp.try(pg_temp.bundle('{"type": "object", "x-id-field": "meta.key", "properties": {"meta": {"type": "object", "properties": {"key": {"type": "string"}}}}}', '[{"meta": {"key": "deep"}}]'));
SELECT kg_list_ids('thing') -> 'ids' AS ids;

-- Ids: 1 to 128 bytes, no control characters, a string.
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{}'), jsonb_build_array(jsonb_build_object('id', repeat('x', 128)), jsonb_build_object('id', repeat('é', 64)))));
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{}'), jsonb_build_array(jsonb_build_object('id', repeat('x', 129)), jsonb_build_object('id', repeat('é', 65)), '{"id": ""}'::jsonb,
  '{"id": "tab\tbed"}'::jsonb, '{"id": "del\u007f"}'::jsonb, '{"id": 7}'::jsonb, '{"id": null}'::jsonb)));

-- Misspelt annotations are errors that name what was meant; foreign x- keys are not ours.
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"a": {"type": "string", "x-indx": true}, "b": {"type": "string", "x-reff": "thing"}, "c": {"type": "string", "x-ondelete": "cascade"}}',
  '{"x-tool-exposed": ["list"], "x-label-feld": "a"}')));
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"a": {"type": "string", "X-INDEX": true}, "b": {"type": "string", "x-indexes": true}}', '{"x-label": "a", "x-aliases": ["b"], "x-scope": "a"}')));
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"a": {"type": "string", "x_index": true, "x-reference": "thing", "x_on_delet": "cascade"}, "b": {"type": "string", "xindex": true, "x-relationship": "B", "x_unrusted": true}}',
  '{"XLabelField": "a", "x_alias": ["b"], "x-summaryFields": ["a"], "x‑scope‑field": "a"}')));
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"a": {"type": "string", "x-vendor-colour": "red", "x-ray": 1, "x-refresh": 1, "x_min": 0, "xlabel": "a", "xml": {"name": "a"}}, "xindex": {"type": "string", "default": {"x_index": 1}}}',
  '{"x-vendor": {"x_index": 1}, "x-labelled": 1, "x-o": 1}')));

-- x-index: on a property with one comparable type; also in arrays, nullable, nested.
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"a": {"type": "object", "x-index": true}, "b": {"x-index": true}, "c": {"type": "string", "x-index": "yes"}}')));
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"n": {"type": ["integer", "null"], "x-index": true}, "tags": {"type": "array", "items": {"type": "string"}, "x-index": true},
  "at": {"type": "object", "properties": {"day": {"type": "string", "format": "date", "x-index": true}}}}'),
  '[{"id": "one", "n": 1, "tags": ["x", "y"], "at": {"day": "2020-02-02"}}, {"id": "none", "n": null, "tags": []}]'));
SELECT kg_list_ids('thing', '{"filters": {"n": {"is_null": true}}}') -> 'ids' AS without_n, kg_list_ids('thing', '{"filters": {"tags": "y"}}') -> 'ids' AS tagged_y,
       kg_list_ids('thing', '{"filters": {"at.day": {"gt": "2020-01-01"}}}') -> 'ids' AS later;
-- A value longer than a key may be is refused, not cut.
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"s": {"type": "string", "x-index": true}}'), jsonb_build_array(jsonb_build_object('id', 'long', 's', repeat('k', 2000)))));

-- x-label-field, x-alias-fields, x-summary-fields, x-scope-field name properties of fitting types.
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"n": {"type": "integer"}}', '{"x-label-field": "n", "x-alias-fields": ["nothing"], "x-summary-fields": "n", "x-scope-field": "id2"}')));
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{}', '{"x-tool-expose": ["lst"], "x-tool-description": 7}')));

-- $ref and allOf are looked through.
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"s": {"$ref": "#/$defs/size"}, "pal": {"allOf": [{"type": "string", "x-ref": "thing"}, {"minLength": 1}]}}',
  '{"$defs": {"size": {"type": "integer", "x-index": true}}, "allOf": [{"properties": {"extra": {"type": "boolean", "x-index": true}}}]}'),
  '[{"id": "a", "s": 3, "pal": "b", "extra": true}, {"id": "b", "s": 1}]'));
SELECT kg_list_ids('thing', '{"sort": [{"field": "s", "order": "asc"}]}') -> 'ids' AS by_size, kg_list_ids('thing', '{"filters": {"extra": true}}') -> 'ids' AS extra;
SELECT count(*) AS edges FROM kg_edge;

-- x-ref: the type exists; strings and integers; x-ref-field an indexed string; x-relation a name; x-on-delete one of three.
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"a": {"type": "string", "x-ref": "thingy"}, "b": {"type": "string", "x-ref": "elsewhere/thing"}, "c": {"type": "number", "x-ref": "thing"},
  "d": {"type": "string", "x-ref": "thing", "x-ref-field": "n"}, "e": {"type": "string", "x-ref": "thing", "x-relation": "no name"}, "f": {"type": "string", "x-ref": "thing", "x-on-delete": "ignore"},
  "g": {"type": "string", "x-ref-field": "id"}, "h": {"type": "array", "x-ref": "thing", "items": {"type": "string"}}}')));

SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"a1": {"type": "string", "x-ref": "thingy"}, "b1": {"type": "string", "x-ref": "elsewhere/thing"},
  "d1": {"type": "string", "x-ref": "thing", "x-ref-field": "n"}, "e1": {"type": "string", "x-ref": "thing", "x-relation": "no name"}, "o1": {"type": "string", "x-ref": "other", "x-ref-field": "label"}}'), '[]',
  '[{"entity_type": "other", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "label": {"type": "string"}}}}]'));

-- x-derived: counted, never accepted; what it counts exists; indexed where it says what is counted.
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"up": {"type": "string", "x-ref": "thing", "x-relation": "UP"}, "n": {"type": "integer", "x-derived": {"count": "DOWN"}}}')));
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"up": {"type": "string", "x-ref": "thing", "x-relation": "UP"}, "n": {"type": "integer", "x-index": true, "x-derived": true}}')));
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"up": {"type": "string", "x-ref": "thing", "x-relation": "UP"}, "n": {"type": "integer", "x-derived": {"count": "UP", "direction": "sideways"}}}')));
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"up": {"type": "string", "x-ref": "thing", "x-relation": "UP"}, "n": {"type": "integer", "x-derived": {"count": "UP", "direction": "incoming"}}}'),
  '[{"id": "top"}, {"id": "l", "up": "top"}, {"id": "r", "up": "top", "n": 5}]'));
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"up": {"type": "string", "x-ref": "thing", "x-relation": "UP"}, "n": {"type": "integer", "x-derived": {"count": "UP", "direction": "incoming"}}}'),
  '[{"id": "top"}, {"id": "l", "up": "top"}, {"id": "r", "up": "top"}]'));
SELECT kg_get('thing', 'top'), kg_get('thing', 'l') ->> 'n' AS of_l, kg_list('thing') #> '{items,2,data}' AS listed;
SELECT i FROM jsonb_array_elements(kg_export_bundle('ann') #> '{entities,0,items}') i;

-- Definitions and schemas of edges: what is misspelt is told there, too.
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{}')) || '{"definitions": [{"$id": "urn:d", "type": "string", "xindex": true, "x-ref-type": "thing", "x-ours": 1, "anyOf": [{"x-index": true}]}],
  "relations": [{"name": "NEAR", "from": "thing", "to": "thing", "schema": {"type": "object", "properties": {"n": {"type": "integer", "x-indexed": true, "x-ours": 1}, "m": {"type": "string", "x-ref-type": "thing"}}}}]}');
SELECT pg_temp.try(pg_temp.bundle(pg_temp.schema('{"d": {"$ref": "urn:d"}}')) || '{"definitions": [{"$id": "urn:d", "type": "string", "x-index": true, "x-ours": 1}],
  "relations": [{"name": "NEAR", "from": "thing", "to": "thing", "schema": {"type": "object", "properties": {"n": {"type": "integer", "x-ours": 1}, "m": {"type": "string", "x-untrusted": true}}}}]}');
-- "#/..." in a definition leads to the definition, not to the schema of the type.
SELECT kg_apply_bundle('{"bundle_name": "refs", "version": "1", "definitions": [{"$id": "urn:sizes", "$defs": {"n": {"type": "integer", "x-index": true}, "size": {"type": "object", "properties": {"w": {"$ref": "#/$defs/n"}}}}}],
  "schemas": [{"entity_type": "box", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list", "create"], "$defs": {"n": {"type": "string"}}, "properties": {"id": {"type": "string"},
    "size": {"$ref": "urn:sizes#/$defs/size"}, "sizes": {"type": "array", "items": {"$ref": "urn:sizes#/$defs/size"}}, "n": {"$ref": "#/$defs/n"}}}}],
  "relations": [{"name": "INSIDE", "from": "box", "to": "box", "tools": ["link"], "schema": {"type": "object", "properties": {"w": {"$ref": "urn:sizes#/$defs/n"}}}}],
  "entities": [{"entity_type": "box", "items": [{"id": "a", "size": {"w": 10}, "sizes": [{"w": 3}], "n": "x"}, {"id": "b", "size": {"w": 9}}]}]}') -> 'changed' AS changed;
SELECT kg_list_ids('box', '{"filters": {"size.w": {"gt": 9}}}') -> 'ids' AS wide, kg_list_ids('box', '{"filters": {"sizes.w": 3}}') -> 'ids' AS one_of;
SELECT t ->> 'name' AS tool, t #> '{inputSchema,properties,items,items,properties}' AS properties FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' IN ('create_box', 'link_INSIDE') ORDER BY t ->> 'name' COLLATE "C";

RESET ROLE;
CALL test.drop('annotations');
