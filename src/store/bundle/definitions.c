/*
 * bundle/definitions.c
 *	  The definitions that the schemas of a bundle share.
 *
 * The meaning of a type depends on these definitions as well as on its own
 * schema. If they change, the types that refer to them change, too, and stored
 * entities of these types are validated again. So the hash of such a type
 * includes the definitions.
 */
#include "postgres.h"

#include "base/json.h"
#include "store/bundle/bundle.h"

/*
 * Returns whether the key is a keyword whose value is the URI of another schema
 * document. A value that begins with "#" names no other document. For
 * "$schema", only a URI among the definitions counts.
 */
static bool
names_document(const JsonbValue *key, const JsonbValue *value,
			   const Jsonb *definitions)
{
	JsonbValue found;

	if (value->type != jbvString)
		return false;
	/*
	 * A "$schema" is a reference only if the definitions contain this
	 * meta-schema.
	 */
	if (kg_json_string_is(key, "$schema"))
		return kg_json_get(
				   &definitions->root, kg_json_cstring(value), &found) != NULL;
	return (kg_json_string_is(key, "$ref") ||
			kg_json_string_is(key, "$dynamicRef") ||
			kg_json_string_is(key, "$recursiveRef")) &&
		   value->val.string.len > 0 && value->val.string.val[0] != '#';
}

static bool
uses_definitions(const Jsonb *schema, const Jsonb *definitions)
{
	JsonbIterator *it;
	JsonbValue key = {0};
	JsonbValue value;
	JsonbIteratorToken token;

	if (definitions == NULL)
		return false;
	it = JsonbIteratorInit((JsonbContainer *) &schema->root);
	while ((token = JsonbIteratorNext(&it, &value, false)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			key = value;
		else if (token == WJB_VALUE && key.type == jbvString &&
				 names_document(&key, &value, definitions))
			return true;
	}
	return false;
}

static char *
type_hash(const Jsonb *schema, const Jsonb *definitions)
{
	KgJsonWriter w;

	if (!uses_definitions(schema, definitions))
		return kg_json_hash(schema);
	kg_jw_init_array(&w);
	kg_jw_jsonb(&w, schema);
	kg_jw_jsonb(&w, definitions);
	return kg_json_hash(kg_jw_finish(&w));
}

/*
 * Adds a stored type to the payload, so that it is checked and written like
 * the payload's own types.
 */
static void
adopt_type(KgPayload *payload, const KgType *type, char *hash)
{
	KgPayloadType *adopted = &payload->types[payload->ntypes++];

	adopted->name = type->name;
	adopted->schema = (Jsonb *) type->schema;
	adopted->hash = hash;
	adopted->position = -1;
	adopted->path = "/definitions";
}

static void
adopt_types(KgApply *apply)
{
	KgPayload *payload = apply->payload;
	const KgCatalog *before = apply->before;
	KgPayloadType *types = palloc0((payload->ntypes + before->ntypes) *
								   sizeof(KgPayloadType));

	if (payload->ntypes > 0)
		memcpy(types, payload->types, payload->ntypes * sizeof(KgPayloadType));
	payload->types = types;
	for (int i = 0; i < before->ntypes; i++)
	{
		const KgType *type = kg_type_of(&before->types[i]);
		char *hash;

		if (strcmp(type->bundle, payload->name) != 0 ||
			kg_payload_type(payload, type->name))
			continue;
		if (!uses_definitions(type->schema, payload->definitions))
			continue;
		hash = type_hash(type->schema, payload->definitions);
		if (strcmp(hash, type->schema_hash) != 0)
			adopt_type(payload, type, hash);
	}
}

const KgBundle *
kg_bundle_stored(const KgApply *apply)
{
	for (int i = 0; i < apply->before->nbundles; i++)
		if (strcmp(apply->before->bundles[i].name, apply->payload->name) == 0)
			return &apply->before->bundles[i];
	return NULL;
}

bool
kg_bundle_changes_definitions(const KgApply *apply)
{
	const KgBundle *stored = kg_bundle_stored(apply);

	return stored &&
		   !kg_json_same(stored->definitions, apply->payload->definitions);
}

void
kg_bundle_definitions(KgApply *apply)
{
	KgPayload *payload = apply->payload;
	const KgBundle *stored = kg_bundle_stored(apply);
	KgError *err = NULL;

	/*
	 * The size is checked once for all types, because the stored schema of
	 * each type contains the definitions.
	 */
	if (payload->definitions != NULL)
		err = kg_schema_size_error(payload->definitions);
	if (err != NULL)
	{
		kg_error_path(err, "/definitions");
		kg_error_throw(err);
	}
	if (apply->options.merge && stored)
	{
		/*
		 * A merge keeps stored definitions that the payload does not contain.
		 */
		if (payload->definitions == NULL)
			payload->definitions = (Jsonb *) stored->definitions;
		else
			adopt_types(apply);
	}
	for (int i = 0; i < payload->ntypes; i++)
		payload->types[i].hash = type_hash(payload->types[i].schema,
										   payload->definitions);
}
