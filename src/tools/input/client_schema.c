/*
 * client_schema.c
 *	  Converts JSON Schemas of authors to the form that MCP clients and model
 *	  vendors accept.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "tools/input/client_schema.h"

/*
 * Keywords that model vendors refuse at the root of a schema. The first array
 * is for schemas of replies, the second for schemas of arguments.
 */
#define KG_COMBINATORS "oneOf", "anyOf", "allOf", "not", "enum"
static const char *const combinators[] = {KG_COMBINATORS, NULL};
static const char *const at_root[] = {
	KG_COMBINATORS, "$ref", "if", "then", "else", NULL};

KgJsShape
kg_key_shape(const JsonbValue *key)
{
	KgKeyword keyword = kg_keyword_find(key->val.string.val,
										key->val.string.len);

	return keyword == KG_KW_NONE ? KG_SHAPE_NONE : kg_keyword_shape(keyword);
}

bool
kg_key_is(const JsonbValue *key, const char *const *names)
{
	for (; *names != NULL; names++)
		if (kg_json_string_is(key, *names))
			return true;
	return false;
}

bool
kg_schema_has_type(const JsonbContainer *schema, const char *name)
{
	JsonbValue type;

	if (kg_json_get(schema, "type", &type) == NULL)
		return false;
	if (!kg_json_is_array(&type))
		return kg_json_string_is(&type, name);
	kg_json_each(it, kg_json_container(&type))
		if (kg_json_string_is(&it.value, name))
			return true;
	return false;
}

static void
write_empty(KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_end_object(w);
}

/*
 * Writes an empty schema for each name that is in "required" but not in
 * "properties". properties may be NULL.
 */
static void
write_undeclared(KgJsonWriter *w, const JsonbContainer *schema,
				 const JsonbContainer *properties)
{
	JsonbValue required;
	JsonbValue found;

	if (kg_json_get(schema, "required", &required) == NULL ||
		!kg_json_is_array(&required))
		return;
	kg_json_each(it, kg_json_container(&required))
	{
		if (it.value.type != jbvString ||
			(properties != NULL &&
			 kg_json_get(properties, kg_json_cstring(&it.value), &found)))
			continue;
		kg_jw_keyn(w, it.value.val.string.val, it.value.val.string.len);
		write_empty(w);
	}
}

static void write_schema(KgJsonWriter *w, const JsonbValue *schema);

/*
 * Writes an object whose members are schemas. If the object is the "properties"
 * of the schema "of", adds the required properties that the object lacks. of
 * may be NULL.
 */
static void
write_named(KgJsonWriter *w, const JsonbValue *members,
			const JsonbContainer *of)
{
	if (!kg_json_is_object(members))
	{
		kg_jw_value(w, members);
		return;
	}
	kg_jw_begin_object(w);
	kg_json_each(it, kg_json_container(members))
	{
		kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
		write_schema(w, &it.value);
	}
	if (of != NULL)
		write_undeclared(w, of, kg_json_container(members));
	kg_jw_end_object(w);
}

static void
write_schemas(KgJsonWriter *w, const JsonbValue *value, bool items)
{
	if (kg_json_is_array(value))
	{
		kg_jw_begin_array(w);
		kg_json_each(it, kg_json_container(value))
			write_schema(w, &it.value);
		kg_jw_end_array(w);
	}
	else if (items && value->type == jbvBool)
		write_empty(w);
	else
		write_schema(w, value);
}

static void
write_member(KgJsonWriter *w, const KgJsonIter *member,
			 const JsonbContainer *schema)
{
	const JsonbValue *key = &member->key;

	kg_jw_keyn(w, key->val.string.val, key->val.string.len);
	switch (kg_key_shape(key))
	{
		case KG_SHAPE_MAP:
			write_named(w,
						&member->value,
						kg_json_string_is(key, "properties") ? schema : NULL);
			break;
		case KG_SHAPE_SCHEMA:
		case KG_SHAPE_ARRAY:
		case KG_SHAPE_SCHEMA_OR_ARRAY:
			write_schemas(w, &member->value, kg_json_string_is(key, "items"));
			break;
		case KG_SHAPE_NONE:
		case KG_SHAPE_DEPENDENCIES:
			kg_jw_value(w, &member->value);
			break;
	}
}

/* Writes the members that the schema lacks but clients require. */
static void
write_completion(KgJsonWriter *w, const JsonbContainer *schema)
{
	JsonbValue value;

	if (kg_json_get(schema, "properties", &value) == NULL &&
		kg_json_get(schema, "required", &value) != NULL)
	{
		kg_jw_kbegin_object(w, "properties");
		write_undeclared(w, schema, NULL);
		kg_jw_end_object(w);
	}
	if (kg_schema_has_type(schema, "array") &&
		kg_json_get(schema, "items", &value) == NULL)
	{
		kg_jw_key(w, "items");
		write_empty(w);
	}
}

static void
write_schema(KgJsonWriter *w, const JsonbValue *schema)
{
	const JsonbContainer *object = kg_json_container(schema);

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (!kg_json_is_object(schema))
	{
		kg_jw_value(w, schema);
		return;
	}
	kg_jw_begin_object(w);
	kg_json_each(it, object)
		write_member(w, &it, object);
	write_completion(w, object);
	kg_jw_end_object(w);
}

Jsonb *
kg_client_schema(const Jsonb *schema)
{
	KgJsonWriter w;
	JsonbValue root;

	kg_jw_init(&w);
	kg_json_root(schema, &root);
	write_schema(&w, &root);
	return kg_jw_finish(&w);
}

Jsonb *
kg_client_root(const Jsonb *schema, bool arguments)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_json_each(it, &schema->root)
		if (!kg_key_is(&it.key, arguments ? at_root : combinators))
			write_member(&w, &it, &schema->root);
	write_completion(&w, &schema->root);
	kg_jw_kstring(&w, "type", "object");
	return kg_jw_finish(&w);
}

/* ---- checks when a tool is registered ---- */

static bool
is_argument_name(const char *name)
{
	size_t len = strlen(name);

	return len >= 1 && len <= 64 &&
		   strspn(name,
				  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_.-") == len;
}

const char *
kg_client_bad_name(const KgDefinition *def)
{
	for (int i = 0; i < def->nargs; i++)
		if (!is_argument_name(def->args[i]))
			return def->args[i];
	return NULL;
}

static void
report(KgErrorList *errors, KgError *err, const char *path,
	   const char *expected)
{
	kg_error_path(err, "%s", path);
	kg_error_expected(err, "%s", expected);
	kg_error_report(errors, err);
}

static void
check_names(const KgDefinition *def, KgErrorList *errors)
{
	for (int i = 0; i < def->nargs; i++)
	{
		StringInfoData path;
		KgError *err;

		if (is_argument_name(def->args[i]))
			continue;
		initStringInfo(&path);
		appendStringInfoString(&path, "/input_schema/properties");
		kg_json_pointer_append(&path, def->args[i], strlen(def->args[i]));
		err = kg_error_new(KG_INVALID_INPUT,
						   "clients refuse an argument named \"%s\"",
						   def->args[i]);
		kg_error_got_string(err, def->args[i]);
		report(errors,
			   err,
			   path.data,
			   "1 to 64 letters, digits, \"_\", \".\" and \"-\"");
	}
}

void
kg_client_check_root(const JsonbContainer *schema, KgErrorList *errors)
{
	JsonbValue value;

	for (int i = 0; at_root[i] != NULL; i++)
		if (kg_json_get(schema, at_root[i], &value))
			report(errors,
				   kg_error_new(KG_INVALID_INPUT,
								"clients refuse \"%s\" at the root of the "
								"arguments' schema",
								at_root[i]),
				   psprintf("/input_schema/%s", at_root[i]),
				   "only \"properties\" and \"required\" at the root, and "
				   "combinators inside of properties; for arguments that "
				   "exclude each other, a composite or several tools");
}

/*
 * Reports required arguments that are not declared. No call could satisfy such
 * a schema: a call with the argument would be refused, and a call without it
 * would be incomplete.
 */
static void
check_required(const KgDefinition *def, KgErrorList *errors)
{
	const JsonbContainer *schema = &def->input_schema->root;
	JsonbValue properties;
	JsonbValue required;
	JsonbValue found;
	int i = 0;

	if (kg_json_get(schema, "required", &required) == NULL ||
		!kg_json_is_array(&required))
		return;
	if (kg_json_get(schema, "properties", &properties) == NULL ||
		!kg_json_is_object(&properties))
		properties.type = jbvNull;
	kg_json_each(it, kg_json_container(&required))
	{
		char *name = kg_json_cstring(&it.value);

		if (properties.type == jbvNull ||
			kg_json_get(kg_json_container(&properties), name, &found) == NULL)
			report(errors,
				   kg_error_new(KG_INVALID_INPUT,
								"required argument \"%s\" is not declared",
								name),
				   psprintf("/input_schema/required/%d", i),
				   "the name of a member of \"properties\"");
		i++;
	}
}

void
kg_client_check(const KgDefinition *def, KgErrorList *errors)
{
	JsonbValue type;

	if (def->description == NULL || def->description[0] == '\0')
		report(errors,
			   kg_error_new(KG_INVALID_INPUT, "the tool has no description"),
			   "/description",
			   "the purpose of the tool, in words for a model");
	check_names(def, errors);
	kg_client_check_root(&def->input_schema->root, errors);
	check_required(def, errors);
	if (def->output_schema == NULL ||
		kg_json_get(&def->output_schema->root, "type", &type) == NULL ||
		kg_json_string_is(&type, "object"))
		return;
	report(errors,
		   kg_error_new(KG_INVALID_INPUT,
						"the type of a reply must be \"object\""),
		   "/output_schema/type",
		   "\"object\"");
}
