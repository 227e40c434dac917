/*
 * schema_form.c
 *	  Converts published schemas to the form that a kind of client requires.
 *
 *	  A profile is the part of JSON Schema that a vendor's function calls
 *	  accept. A keyword that the vendor does not accept is added to the
 *	  description in words. Vendors cannot describe an object that may have
 *	  any members. It becomes a string with JSON text, which tools accept in
 *	  its place.
 *
 *	  In the lax form, the schema is only text in the description. So a client
 *	  that checks arguments sends every call, and the model gets the error of
 *	  the database.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "tools/input/client_schema.h"
#include "tools/input/schema_form.h"

#define GEMINI (1 << KG_PROFILE_GEMINI)
#define OPENAI (1 << KG_PROFILE_OPENAI_STRICT)
#define ANTHROPIC (1 << KG_PROFILE_ANTHROPIC)

/*
 * Keywords that limit a value, and the profiles that accept them. In other
 * profiles, the description has these keywords in words.
 */
static const struct
{
	const char *name;
	int profiles;
} limits[] = {{"const", OPENAI | ANTHROPIC},
			  {"default", ANTHROPIC},
			  {"exclusiveMaximum", OPENAI},
			  {"exclusiveMinimum", OPENAI},
			  {"format", OPENAI | ANTHROPIC},
			  {"maxItems", GEMINI | OPENAI},
			  {"maxLength", GEMINI},
			  {"maxProperties", 0},
			  {"maximum", GEMINI | OPENAI},
			  {"minItems", GEMINI | OPENAI},
			  {"minLength", GEMINI},
			  {"minProperties", 0},
			  {"minimum", GEMINI | OPENAI},
			  {"multipleOf", OPENAI},
			  {"pattern", GEMINI | OPENAI},
			  {"uniqueItems", 0}};

/* Formats that OpenAI and Anthropic accept. */
static const char *const formats[] = {"date",
									  "date-time",
									  "duration",
									  "email",
									  "hostname",
									  "ipv4",
									  "ipv6",
									  "time",
									  "uuid"};

/*
 * Clients that check arguments before they send a call, by the name in their
 * clientInfo. Mastra checks arguments, too, but sends the name that its user
 * gave to the server.
 */
static const char *const checking_clients[] = {"@langchain/mcp-adapters",
											   "langchain-mcp-adapter"};

bool
kg_client_checks_arguments(const char *name)
{
	for (int i = 0; i < lengthof(checking_clients); i++)
		if (strcmp(checking_clients[i], name) == 0)
			return true;
	return false;
}

KgSchemaForm
kg_schema_form(bool lax_client)
{
	KgSchemaForm form = {.profile = kg_setting_schema_profile,
						 .number_text = kg_setting_big_numbers ==
										KG_NUMBERS_TEXT};

	/*
	 * The lax form is not used with a profile, because vendors require schemas
	 * that accept only declared members.
	 */
	form.lax = form.profile == KG_PROFILE_DEFAULT &&
			   (kg_setting_schema_lax == KG_LAX_ON ||
				(kg_setting_schema_lax == KG_LAX_AUTO && lax_client));
	return form;
}

/* ---- reading a schema ---- */

static bool
has_members(const JsonbContainer *schema, const char *key)
{
	JsonbValue value;

	return kg_json_get(schema, key, &value) != NULL &&
		   kg_json_container(&value) != NULL &&
		   kg_json_length(kg_json_container(&value)) > 0;
}

/* Returns the branches of a union (anyOf or oneOf), or NULL. */
static const JsonbContainer *
branches(const JsonbContainer *schema, JsonbValue *value)
{
	JsonbValue other;

	if (kg_json_get(schema, "type", &other) != NULL ||
		kg_json_get(schema, "properties", &other) != NULL)
		return NULL;
	if ((kg_json_get(schema, "anyOf", value) == NULL &&
		 kg_json_get(schema, "oneOf", value) == NULL) ||
		!kg_json_is_array(value))
		return NULL;
	return kg_json_container(value);
}

/* Returns true for a schema that accepts all values. */
static bool
is_free(const JsonbValue *value)
{
	const JsonbContainer *schema = kg_json_container(value);
	JsonbValue ignored;

	return !kg_json_is_object(value) ||
		   (kg_json_get(schema, "type", &ignored) == NULL &&
			kg_json_get(schema, "enum", &ignored) == NULL &&
			kg_json_get(schema, "const", &ignored) == NULL &&
			!has_members(schema, "properties") &&
			branches(schema, &ignored) == NULL);
}

static bool
is_required(const JsonbContainer *schema, const JsonbValue *name)
{
	JsonbValue required;

	if (kg_json_get(schema, "required", &required) == NULL ||
		!kg_json_is_array(&required))
		return false;
	kg_json_each(it, kg_json_container(&required))
		if (kg_json_same_value(&it.value, name))
			return true;
	return false;
}

/*
 * Returns true if the profile cannot describe the objects that a schema
 * accepts. These objects may have any members or, for OpenAI, may lack some.
 * OpenAI sends null in place of a missing member. That is harmless in
 * arguments, but in an entity null is a value.
 */
static bool
is_open_object(const JsonbContainer *schema, KgSchemaProfile profile)
{
	JsonbValue value;

	if (!has_members(schema, "properties") ||
		(kg_json_get(schema, "additionalProperties", &value) != NULL &&
		 !(value.type == jbvBool && !value.val.boolean)))
		return true;
	if (profile != KG_PROFILE_OPENAI_STRICT)
		return false;
	(void) kg_json_get(schema, "properties", &value);
	kg_json_each(it, kg_json_container(&value))
		if (!is_required(schema, &it.key))
			return true;
	return false;
}

/*
 * Returns true if the profile can describe the value, or a part of it, only as
 * a string with JSON text.
 */
static bool
is_open(const JsonbValue *value, KgSchemaProfile profile)
{
	const JsonbContainer *schema = kg_json_container(value);
	JsonbValue inner;

	check_stack_depth();
	if (!kg_json_is_object(value) || is_free(value))
		return false;
	if (branches(schema, &inner) != NULL)
	{
		kg_json_each(it, kg_json_container(&inner))
			if (is_open(&it.value, profile))
				return true;
		return false;
	}
	if (kg_schema_has_type(schema, "array"))
		return kg_json_get(schema, "items", &inner) == NULL ||
			   is_free(&inner) || is_open(&inner, profile);
	return (kg_schema_has_type(schema, "object") ||
			has_members(schema, "properties")) &&
		   is_open_object(schema, profile);
}

/* ---- descriptions ---- */

static void
append_description(StringInfo text, const JsonbContainer *schema)
{
	JsonbValue value;
	char *description;

	if (kg_json_get(schema, "description", &value) == NULL ||
		value.type != jbvString)
		return;
	description = kg_json_cstring(&value);
	appendStringInfo(text, "%s%s", text->len > 0 ? " " : "", description);
}

/*
 * Ends the last sentence of the text, so that another sentence can be
 * appended.
 */
static void
end_sentence(StringInfo text)
{
	if (text->len > 0)
		appendStringInfoString(text,
							   text->data[text->len - 1] == '.' ? " " : ". ");
}

/*
 * Appends the schema as JSON, without its description. Appends nothing if the
 * schema has no other members.
 */
static void
append_schema(StringInfo text, const JsonbContainer *schema)
{
	KgJsonWriter w;
	JsonbValue value;
	int n = 0;

	kg_jw_init_object(&w);
	kg_json_each(it, schema)
	{
		if (kg_json_string_is(&it.key, "description"))
			continue;
		kg_jw_member(&w, &it);
		n++;
	}
	if (n == 0)
		return;
	kg_json_root(kg_jw_finish(&w), &value);
	end_sentence(text);
	appendStringInfoString(text, "JSON Schema: ");
	kg_json_append(text, &value);
}

static bool
accepts(KgSchemaProfile profile, int limit, const JsonbValue *value)
{
	if ((limits[limit].profiles & (1 << profile)) == 0)
		return false;
	if (strcmp(limits[limit].name, "format") != 0)
		return true;
	for (int i = 0; i < lengthof(formats); i++)
		if (value->type == jbvString && kg_json_string_is(value, formats[i]))
			return true;
	return false;
}

/* Returns true if the profile accepts the values of an enum. */
static bool
accepts_enum(KgSchemaProfile profile, const JsonbValue *values)
{
	if (!kg_json_is_array(values))
		return false;
	kg_json_each(it, kg_json_container(values))
		if (profile == KG_PROFILE_GEMINI && it.value.type != jbvString)
			return false;
	return true;
}

/* Appends a keyword to a description in words. */
static void
append_limit(StringInfo text, const char *name, const JsonbValue *value,
			 bool first)
{
	appendStringInfo(text, "%s%s ", first ? " (" : ", ", name);
	kg_json_append(text, value);
}

/*
 * Writes the description. Keywords that the profile does not accept are
 * included in words.
 */
static void
write_description(KgJsonWriter *w, const JsonbContainer *schema,
				  KgSchemaProfile profile)
{
	StringInfoData text;
	JsonbValue value;
	bool first = true;

	initStringInfo(&text);
	append_description(&text, schema);
	for (int i = 0; i < lengthof(limits); i++)
	{
		if (kg_json_get(schema, limits[i].name, &value) == NULL ||
			accepts(profile, i, &value))
			continue;
		append_limit(&text, limits[i].name, &value, first);
		first = false;
	}
	if (kg_json_get(schema, "enum", &value) != NULL &&
		!accepts_enum(profile, &value))
	{
		append_limit(&text, "one of", &value, first);
		first = false;
	}
	if (!first)
		appendStringInfoChar(&text, ')');
	if (text.len > 0)
		kg_jw_kstring(w, "description", text.data + (text.data[0] == ' '));
}

/* ---- profiles ---- */

static void write_form(KgJsonWriter *w, const JsonbValue *schema,
					   KgSchemaProfile profile, bool optional);

static void
write_type(KgJsonWriter *w, const char *type, bool optional)
{
	if (!optional)
	{
		kg_jw_kstring(w, "type", type);
		return;
	}
	kg_jw_kbegin_array(w, "type");
	kg_jw_string(w, type);
	kg_jw_string(w, "null");
	kg_jw_end_array(w);
}

/* Writes a schema that accepts one type, as a branch of a union. */
static void
write_branch(KgJsonWriter *w, const char *type)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "type", type);
	kg_jw_end_object(w);
}

/*
 * Writes the schema of a string with JSON text, in place of a schema that the
 * profile cannot describe.
 */
static void
write_text(KgJsonWriter *w, const JsonbContainer *schema, bool optional)
{
	StringInfoData text;

	initStringInfo(&text);
	append_description(&text, schema);
	end_sentence(&text);
	appendStringInfoString(&text, "As JSON text");
	append_schema(&text, schema);
	kg_jw_begin_object(w);
	write_type(w, "string", optional);
	kg_jw_kstring(w, "description", text.data);
	kg_jw_end_object(w);
}

/*
 * Writes a schema that accepts strings, numbers and booleans and, if "optional"
 * is true, null.
 */
static void
write_free(KgJsonWriter *w, const JsonbValue *schema, bool optional)
{
	kg_jw_begin_object(w);
	if (kg_json_is_object(schema))
		write_description(w, kg_json_container(schema), KG_PROFILE_DEFAULT);
	kg_jw_kbegin_array(w, "anyOf");
	write_branch(w, "string");
	write_branch(w, "number");
	write_branch(w, "boolean");
	if (optional)
		write_branch(w, "null");
	kg_jw_end_array(w);
	kg_jw_end_object(w);
}

static void
write_union(KgJsonWriter *w, const JsonbContainer *schema,
			const JsonbContainer *members, KgSchemaProfile profile,
			bool optional)
{
	kg_jw_begin_object(w);
	write_description(w, schema, profile);
	kg_jw_kbegin_array(w, "anyOf");
	kg_json_each(it, members)
		write_form(w, &it.value, profile, false);
	if (optional)
		write_branch(w, "null");
	kg_jw_end_array(w);
	kg_jw_end_object(w);
}

/*
 * Writes the properties of an object that has no other members. For OpenAI,
 * all properties are required.
 */
static void
write_properties(KgJsonWriter *w, const JsonbContainer *schema,
				 KgSchemaProfile profile)
{
	bool all = profile == KG_PROFILE_OPENAI_STRICT;
	JsonbValue properties;

	if (kg_json_get(schema, "properties", &properties) == NULL ||
		!kg_json_is_object(&properties))
		properties.type = jbvNull;
	kg_jw_kbegin_object(w, "properties");
	if (properties.type != jbvNull)
		kg_json_each(it, kg_json_container(&properties))
		{
			kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
			write_form(
				w, &it.value, profile, all && !is_required(schema, &it.key));
		}
	kg_jw_end_object(w);
	kg_jw_kbegin_array(w, "required");
	if (properties.type != jbvNull)
		kg_json_each(it, kg_json_container(&properties))
			if (all || is_required(schema, &it.key))
				kg_jw_value(w, &it.key);
	kg_jw_end_array(w);
	if (profile != KG_PROFILE_GEMINI)
		kg_jw_kbool(w, "additionalProperties", false);
}

static const char *
type_of_value(const JsonbValue *value)
{
	int64 number;

	switch ((int) value->type)
	{
		case jbvNull:
			return "null";
		case jbvBool:
			return "boolean";
		case jbvNumeric:
			return kg_json_int64(value, &number) ? "integer" : "number";
		default:
			return "string";
	}
}

static bool
lists_type(const JsonbContainer *values, const char *type)
{
	kg_json_each(it, values)
		if (strcmp(type_of_value(&it.value), type) == 0)
			return true;
	return false;
}

/*
 * Returns the type of a schema, or an array if the schema has several types.
 * If the schema has no "type", returns the type of the values in its enum.
 */
static JsonbValue
types_of(const JsonbContainer *schema)
{
	static const char *const types[] = {
		"string", "integer", "number", "boolean", "null"};
	JsonbValue value;
	KgJsonWriter w;
	const char *last = "string";
	int n = 0;

	if (kg_json_get(schema, "type", &value) != NULL)
		return value;
	if (kg_json_get(schema, "const", &value) != NULL)
		return kg_json_string_value(type_of_value(&value));
	if (kg_json_get(schema, "enum", &value) == NULL ||
		!kg_json_is_array(&value))
		return kg_json_string_value(last);
	kg_jw_init(&w);
	kg_jw_begin_array(&w);
	for (int i = 0; i < lengthof(types); i++)
		if (lists_type(kg_json_container(&value), types[i]))
		{
			kg_jw_string(&w, types[i]);
			last = types[i];
			n++;
		}
	kg_jw_end_array(&w);
	if (n <= 1)
		return kg_json_string_value(last);
	kg_json_root(kg_jw_finish(&w), &value);
	return value;
}

/* Writes the type of a schema that accepts scalars, or scalars and arrays. */
static void
write_types(KgJsonWriter *w, const JsonbContainer *schema,
			KgSchemaProfile profile, bool optional)
{
	JsonbValue type = types_of(schema);
	bool null = optional;

	if (!kg_json_is_array(&type))
	{
		write_type(w, kg_json_cstring(&type), optional);
		return;
	}
	kg_jw_kbegin_array(w, profile == KG_PROFILE_GEMINI ? "anyOf" : "type");
	kg_json_each(it, kg_json_container(&type))
	{
		null &= !kg_json_string_is(&it.value, "null");
		if (profile != KG_PROFILE_GEMINI)
			kg_jw_value(w, &it.value);
		else
			write_branch(w, kg_json_cstring(&it.value));
	}
	if (null)
		kg_jw_string(w, "null");
	kg_jw_end_array(w);
}

static void
write_enum(KgJsonWriter *w, const JsonbContainer *schema,
		   KgSchemaProfile profile, bool optional)
{
	JsonbValue values;

	if (kg_json_get(schema, "enum", &values) == NULL ||
		!accepts_enum(profile, &values))
		return;
	kg_jw_kbegin_array(w, "enum");
	kg_json_each(it, kg_json_container(&values))
		kg_jw_value(w, &it.value);
	if (optional)
		kg_jw_null(w);
	kg_jw_end_array(w);
}

static void
write_value(KgJsonWriter *w, const JsonbContainer *schema,
			KgSchemaProfile profile, bool optional)
{
	JsonbValue value;

	write_types(w, schema, profile, optional);
	write_enum(w, schema, profile, optional);
	for (int i = 0; i < lengthof(limits); i++)
		if (kg_json_get(schema, limits[i].name, &value) != NULL &&
			accepts(profile, i, &value))
		{
			kg_jw_key(w, limits[i].name);
			kg_jw_value(w, &value);
		}
	if (kg_json_get(schema, "items", &value) != NULL)
	{
		kg_jw_key(w, "items");
		write_form(w, &value, profile, false);
	}
}

static void
write_form(KgJsonWriter *w, const JsonbValue *value, KgSchemaProfile profile,
		   bool optional)
{
	const JsonbContainer *schema = kg_json_container(value);
	const JsonbContainer *members;
	JsonbValue ignored;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (is_free(value))
	{
		write_free(w, value, optional);
		return;
	}
	members = branches(schema, &ignored);
	if (members != NULL)
	{
		write_union(w, schema, members, profile, optional);
		return;
	}
	if (is_open(value, profile))
	{
		write_text(w, schema, optional);
		return;
	}
	kg_jw_begin_object(w);
	write_description(w, schema, profile);
	if (has_members(schema, "properties"))
	{
		write_type(w, "object", optional);
		write_properties(w, schema, profile);
	}
	else
		write_value(w, schema, profile, optional);
	kg_jw_end_object(w);
}

static const Jsonb *
in_profile(const Jsonb *schema, KgSchemaProfile profile)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "type", "object");
	write_properties(&w, &schema->root, profile);
	return kg_jw_finish(&w);
}

/* ---- the lax form ---- */

static void
write_lax(KgJsonWriter *w, const JsonbValue *schema, bool required)
{
	StringInfoData text;

	initStringInfo(&text);
	if (required)
		appendStringInfoString(&text, "Required.");
	if (kg_json_is_object(schema))
	{
		append_description(&text, kg_json_container(schema));
		append_schema(&text, kg_json_container(schema));
	}
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "description", text.data);
	kg_jw_end_object(w);
}

static const Jsonb *
laxly(const Jsonb *schema)
{
	JsonbValue properties;
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "type", "object");
	kg_jw_kbegin_object(&w, "properties");
	if (kg_json_get(&schema->root, "properties", &properties) != NULL &&
		kg_json_is_object(&properties))
		kg_json_each(it, kg_json_container(&properties))
		{
			CHECK_FOR_INTERRUPTS();
			kg_jw_keyn(&w, it.key.val.string.val, it.key.val.string.len);
			write_lax(&w, &it.value, is_required(&schema->root, &it.key));
		}
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

const Jsonb *
kg_form_input(const KgSchemaForm *form, const Jsonb *schema)
{
	if (form->profile != KG_PROFILE_DEFAULT)
		return in_profile(schema, form->profile);
	return form->lax ? laxly(schema) : schema;
}

/* ---- replies ---- */

/*
 * If a schema's type is a number, adds "string" to its types. Returns whether
 * it added it.
 */
static bool
replace_type(KgJsonWriter *w, const JsonbContainer *in,
			 const KgJsonIter *member)
{
	if (!member->is_object || !kg_json_string_is(&member->key, "type") ||
		!(kg_schema_has_type(in, "integer") ||
		  kg_schema_has_type(in, "number")) ||
		kg_schema_has_type(in, "string"))
		return false;
	kg_jw_begin_array(w);
	if (!kg_json_is_array(&member->value))
		kg_jw_value(w, &member->value);
	else
		kg_json_each(it, kg_json_container(&member->value))
			kg_jw_value(w, &it.value);
	kg_jw_string(w, "string");
	kg_jw_end_array(w);
	return true;
}

const Jsonb *
kg_form_output(const KgSchemaForm *form, const Jsonb *schema)
{
	KgJsonWriter w;

	if (!form->number_text)
		return schema;
	kg_jw_init(&w);
	kg_jw_replaced(&w, &schema->root, replace_type);
	return kg_jw_finish(&w);
}
