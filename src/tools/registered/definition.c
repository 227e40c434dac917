/*
 * definition.c
 *	  Parses the definition of a registered tool.
 */
#include "postgres.h"

#include "base/catch.h"
#include "base/json.h"
#include "base/semver.h"
#include "base/settings.h"
#include "base/toolset.h"
#include "miscadmin.h"
#include "model/schema_ref.h"
#include "tools/registered/definition.h"

/*
 * Names of the kinds of tools, indexed by KgDefinitionKind, followed by "sql".
 */
static const char *const kinds[] = {
	"query", "composite", "sequence", "function", "sql"};
#define KG_KIND_SQL (lengthof(kinds) - 1)

#define KG_NAME_RULE \
	"1 to 64 letters, digits, \"_\" and \"-\", beginning with a letter"

static void
report(KgErrorList *errors, KgError *err, const char *path)
{
	kg_error_path(err, "%s", path);
	kg_error_report(errors, err);
}

static void
wrong(KgErrorList *errors, const JsonbValue *got, const char *path,
	  const char *expected, const char *text)
{
	KgError *err = kg_error_new(KG_INVALID_INPUT, "%s", text);

	if (got)
		kg_error_got(err, got);
	if (expected)
		kg_error_expected(err, "%s", expected);
	report(errors, err, path);
}

static bool
is_name(const char *name)
{
	size_t len = strlen(name);

	return len >= 1 && len <= 64 &&
		   ((name[0] >= 'a' && name[0] <= 'z') ||
			(name[0] >= 'A' && name[0] <= 'Z')) &&
		   strspn(name,
				  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_-") == len;
}

char *
kg_definition_string(const Jsonb *definition, const char *key)
{
	JsonbValue value;

	if (kg_json_get(&definition->root, key, &value) == NULL ||
		value.type != jbvString)
		return NULL;
	return kg_json_cstring(&value);
}

/*
 * Returns a member of an object. Returns NULL if the member is absent or has
 * another JSON type than "type". Reports a fault if it has another type, or if
 * it is required and absent.
 */
static JsonbValue *
member(const JsonbContainer *object, const char *key, const char *type,
	   bool required, const char *path, JsonbValue *value, KgErrorList *errors)
{
	char *at = psprintf("%s/%s", path, key);

	if (kg_json_get(object, key, value) == NULL)
	{
		if (required)
			wrong(errors,
				  NULL,
				  at,
				  psprintf("\"%s\" of type %s", key, type),
				  psprintf("key \"%s\" is missing", key));
		return NULL;
	}
	if (strcmp(kg_json_type_name(value), type) == 0)
		return value;
	wrong(errors,
		  value,
		  at,
		  psprintf("type %s", type),
		  psprintf("\"%s\" is not of type %s", key, type));
	return NULL;
}

/* ---- the stored form ---- */

static bool
check_name(const JsonbContainer *root, const char *key, KgErrorList *errors)
{
	JsonbValue value;

	if (member(root, key, "string", true, "", &value, errors) == NULL)
		return false;
	if (is_name(kg_json_cstring(&value)))
		return true;
	wrong(errors,
		  &value,
		  psprintf("/%s", key),
		  KG_NAME_RULE,
		  "the name of the tool is not valid");
	return false;
}

static bool
check_version(const JsonbContainer *root, KgErrorList *errors)
{
	JsonbValue value;
	KgSemver version;

	if (member(root, "version", "string", true, "", &value, errors) == NULL)
		return false;
	if (kg_semver_read(kg_json_cstring(&value), &version))
		return true;
	wrong(errors,
		  &value,
		  "/version",
		  "a version in the form of semver 2.0.0, such as \"1.2.0\"",
		  "\"version\" is not a version");
	return false;
}

static void
check_aliases(const JsonbContainer *root, KgErrorList *errors)
{
	JsonbValue value;

	if (member(root, "aliases", "array", false, "", &value, errors) == NULL)
		return;
	kg_json_each(it, kg_json_container(&value))
		if (it.value.type != jbvString || !is_name(kg_json_cstring(&it.value)))
			wrong(errors,
				  &it.value,
				  psprintf("/aliases/%d", it.index),
				  KG_NAME_RULE,
				  "an alias of the tool is not a valid name");
}

static void
check_annotations(const JsonbContainer *root, KgErrorList *errors)
{
	static const char *const known[] = {
		"title", "destructiveHint", "idempotentHint", "openWorldHint", NULL};
	JsonbValue value;

	if (member(root, "annotations", "object", false, "", &value, errors) ==
		NULL)
		return;
	kg_check_members(kg_json_container(&value), known, "/annotations", errors);
	kg_json_each(it, kg_json_container(&value))
		if (it.value.type !=
			(kg_json_string_is(&it.key, "title") ? jbvString : jbvBool))
			wrong(errors,
				  &it.value,
				  psprintf("/annotations/%s", kg_json_cstring(&it.key)),
				  "a string for \"title\", else true or false",
				  "an annotation has the wrong type");
}

static void
check_simple(const JsonbContainer *root, KgErrorList *errors)
{
	JsonbValue value;

	(void) member(root, "title", "string", false, "", &value, errors);
	(void) member(root, "description", "string", false, "", &value, errors);
	(void) member(
		root, "blank_is_absent", "boolean", false, "", &value, errors);
	check_aliases(root, errors);
	check_annotations(root, errors);
	if (member(root, "toolset", "string", false, "", &value, errors) &&
		!kg_toolset_is_name(kg_json_cstring(&value)))
		wrong(
			errors,
			&value,
			"/toolset",
			"1 to 63 lower-case letters, digits, \"_\" and \"-\", not \"all\"",
			"\"toolset\" is not a valid name of a toolset");
	if (kg_json_get(root, "deprecated", &value) && value.type != jbvBool &&
		value.type != jbvString)
		wrong(errors,
			  &value,
			  "/deprecated",
			  "true, or a string with the reason",
			  "\"deprecated\" is not valid");
}

static bool
is_operation_key(const JsonbValue *key)
{
	return kg_json_string_is(key, "operation") ||
		   kg_json_string_is(key, "operations") ||
		   kg_json_string_is(key, "select") || kg_json_string_is(key, "kind") ||
		   kg_json_string_is(key, "sql") || kg_json_string_is(key, "params");
}

/*
 * Writes the input schema. If it does not say otherwise, the written schema
 * accepts only declared arguments.
 */
static void
write_input_schema(KgJsonWriter *w, const JsonbValue *schema)
{
	const JsonbContainer *object = kg_json_container(schema);
	JsonbValue value;

	kg_jw_begin_object(w);
	if (kg_json_get(object, "additionalProperties", &value) == NULL &&
		kg_json_get(object, "unevaluatedProperties", &value) == NULL)
		kg_jw_kbool(w, "additionalProperties", false);
	if (kg_json_get(object, "type", &value) == NULL)
		kg_jw_kstring(w, "type", "object");
	kg_jw_members(w, object);
	kg_jw_end_object(w);
}

static Jsonb *
write_normal(const JsonbContainer *root, const Jsonb *default_of)
{
	KgJsonWriter w;
	JsonbValue value;

	kg_jw_init_object(&w);
	if (kg_json_get(root, "toolset", &value) == NULL)
		kg_jw_kstring(&w, "toolset", KG_DEFAULT_TOOLSET);
	kg_json_each(it, root)
	{
		/*
		 * "deprecated" can be changed after registration, so it is not part of
		 * the immutable definition.
		 */
		if (kg_json_string_is(&it.key, "deprecated"))
			continue;
		kg_jw_keyn(&w, it.key.val.string.val, it.key.val.string.len);
		if (kg_json_string_is(&it.key, "input_schema"))
			write_input_schema(&w, &it.value);
		else
			kg_jw_value(&w, &it.value);
	}
	if (default_of != NULL)
	{
		kg_json_each(it, &default_of->root)
			if (is_operation_key(&it.key))
				kg_jw_member(&w, &it);
	}
	return kg_jw_finish(&w);
}

static void
check_size(const Jsonb *sent)
{
	int64 limit = (int64) kg_setting_max_tool_bytes * 1024;

	if (VARSIZE(sent) > limit)
		KG_THROW(KG_LIMIT_EXCEEDED,
				 .message = psprintf(
					 "the definition has %d bytes; kg_graph.max_tool_bytes "
					 "allows " INT64_FORMAT " bytes",
					 (int) VARSIZE(sent),
					 limit));
	if (kg_json_deeper_than(&sent->root, 100))
		KG_THROW(KG_LIMIT_EXCEEDED,
				 .message = "the definition is nested deeper than 100");
}

Jsonb *
kg_definition_normalise(const Jsonb *sent, const Jsonb *default_of,
						KgErrorList *errors)
{
	static const char *const known[] = {"name",
										"version",
										"title",
										"description",
										"input_schema",
										"output_schema",
										"kind",
										"operation",
										"operations",
										"select",
										"sql",
										"params",
										"toolset",
										"aliases",
										"deprecated",
										"annotations",
										"blank_is_absent",
										"default_of",
										NULL};
	const JsonbContainer *root = &sent->root;
	JsonbValue value;
	KgJsonIter it;
	int64 before = errors->total;

	check_size(sent);
	if (!JB_ROOT_IS_OBJECT(sent))
	{
		wrong(errors, NULL, "", "an object", "the definition is not an object");
		return NULL;
	}
	kg_check_members(root, known, "", errors);
	(void) check_name(root, "name", errors);
	(void) check_version(root, errors);
	check_simple(root, errors);
	(void) member(root, "input_schema", "object", true, "", &value, errors);
	(void) member(root, "output_schema", "object", false, "", &value, errors);
	kg_json_iter_init(&it, root);
	while (default_of != NULL && kg_json_iter_next(&it))
		/*
		 * A stored definition includes the operation of the version that its
		 * default_of names. The sent definition may repeat this operation, but
		 * must not change it.
		 */
		if (is_operation_key(&it.key) &&
			!(kg_json_get(&default_of->root,
						  kg_json_cstring(&it.key),
						  &value) != NULL &&
			  kg_json_same_value(&value, &it.value)))
			wrong(
				errors,
				NULL,
				"/default_of",
				"either an operation or \"default_of\"",
				"a version with \"default_of\" cannot have another operation");
	if (errors->total > before)
		return NULL;
	return write_normal(root, default_of);
}

/* ---- parsing ---- */

typedef struct Reading
{
	KgDefinition *def;
	KgErrorList *errors;
} Reading;

static JsonbValue *
root_member(const Reading *r, const char *key, const char *type, bool required,
			JsonbValue *value)
{
	return member(
		&r->def->source->root, key, type, required, "", value, r->errors);
}

typedef struct Compilation
{
	const Jsonb *schema;
	const KgSchema *compiled;
} Compilation;

static void
compile_schema(void *arg)
{
	Compilation *compilation = arg;

	compilation->compiled = kg_schema_compile(compilation->schema, NULL);
}

static const KgSchema *
compile(const Reading *r, const Jsonb *schema, const char *path)
{
	Compilation compilation = {schema};
	KgError *size = kg_schema_size_error(schema);

	if (size != NULL)
	{
		kg_error_path(size, "%s", path);
		kg_error_report(r->errors, size);
		return NULL;
	}
	kg_catch_below(path, compile_schema, &compilation);
	return compilation.compiled;
}

static bool
is_required(const JsonbContainer *schema, const char *name)
{
	JsonbValue required;

	if (kg_json_get(schema, "required", &required) == NULL ||
		!kg_json_is_array(&required))
		return false;
	kg_json_each(it, kg_json_container(&required))
		if (kg_json_string_is(&it.value, name))
			return true;
	return false;
}

/*
 * Maximum number of references that are replaced within each other. Without a
 * maximum, a schema that refers to an object which contains the schema would be
 * replaced forever.
 */
#define KG_REFERENCES_DEEP 8
/*
 * The total size of the targets that replace references is at most
 * KG_REFERENCED times kg_graph.max_tool_bytes.
 */
#define KG_REFERENCED 4

typedef struct Resolving
{
	const KgSchemaDocument *document;
	KgJsonWriter w;
	/* number of bytes that the targets of further references may still have */
	int64 *left;
} Resolving;

/* Returns whether the value of a schema's keyword is data, not a schema. */
static bool
is_data(const JsonbValue *key)
{
	static const char *const names[] = {
		"const", "enum", "default", "examples", "required"};

	for (int i = 0; i < lengthof(names); i++)
		if (kg_json_string_is(key, names[i]))
			return true;
	return false;
}

/*
 * Returns the target of an object's "$ref", which must be in the same schema.
 * Returns NULL if the object has no such reference, or if the target would
 * exceed the limits.
 */
static const JsonbContainer *
target_of(Resolving *r, const JsonbContainer *object, int deep,
		  JsonbValue *target)
{
	JsonbValue ref;

	if (kg_json_get(object, "$ref", &ref) == NULL || ref.type != jbvString ||
		deep >= KG_REFERENCES_DEEP || *r->left <= 0 ||
		!kg_schema_ref_find(r->document, NULL, kg_json_cstring(&ref), target) ||
		!kg_json_is_object(target))
		return NULL;
	*r->left -= target->val.binary.len;
	return kg_json_container(target);
}

static void write_resolved(Resolving *r, const JsonbValue *value, int deep);

/*
 * Writes an object. If the object has a reference, also writes those members of
 * the target that the object lacks.
 */
static void
write_object(Resolving *r, const JsonbContainer *object, int deep)
{
	const JsonbContainer *chain[KG_REFERENCES_DEEP + 1] = {object};
	JsonbValue found;
	int n = 1;

	while ((object = target_of(r, chain[n - 1], deep + n - 1, &found)) != NULL)
		chain[n++] = object;
	kg_jw_begin_object(&r->w);
	for (int i = 0; i < n; i++)
	{
		kg_json_each(it, chain[i])
		{
			bool again = i + 1 < n && kg_json_string_is(&it.key, "$ref");

			for (int j = 0; j < i && !again; j++)
				again = kg_json_get(
							chain[j], kg_json_cstring(&it.key), &found) != NULL;
			if (again)
				continue;
			kg_jw_keyn(&r->w, it.key.val.string.val, it.key.val.string.len);
			if (is_data(&it.key))
				kg_jw_value(&r->w, &it.value);
			else
				write_resolved(r, &it.value, deep + n - 1);
		}
	}
	kg_jw_end_object(&r->w);
}

static void
write_resolved(Resolving *r, const JsonbValue *value, int deep)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (kg_json_is_object(value))
		write_object(r, kg_json_container(value), deep);
	else if (kg_json_is_array(value))
	{
		kg_jw_begin_array(&r->w);
		kg_json_each(it, kg_json_container(value))
			write_resolved(r, &it.value, deep);
		kg_jw_end_array(&r->w);
	}
	else
		kg_jw_value(&r->w, value);
}

/*
 * Returns the schema of an argument, with references replaced by their targets.
 */
static const Jsonb *
argument_schema(const KgDefinition *def, const JsonbValue *schema, int64 *left)
{
	Resolving r = {.left = left};
	JsonbValue root;

	if (!kg_json_is_object(schema))
		return kg_json_datum(schema);
	kg_json_root(def->input_schema, &root);
	r.document = kg_schema_document(&root);
	kg_jw_init(&r.w);
	write_resolved(&r, schema, 0);
	return kg_jw_finish(&r.w);
}

static void
report_references(const Reading *r)
{
	KgError *err = kg_error_new(
		KG_LIMIT_EXCEEDED,
		"the targets of \"$ref\" in the arguments have more than %d kB, "
		"%d times kg_graph.max_tool_bytes",
		KG_REFERENCED * kg_setting_max_tool_bytes,
		KG_REFERENCED);

	kg_error_expected(err,
					  "fewer \"$ref\", or shorter schemas to which they refer");
	report(r->errors, err, "/input_schema");
}

static void
read_input(const Reading *r)
{
	KgDefinition *def = r->def;
	int64 left = (int64) kg_setting_max_tool_bytes * 1024 * KG_REFERENCED;
	const JsonbContainer *root;
	JsonbValue value;

	if (root_member(r, "input_schema", "object", true, &value) == NULL)
		return;
	def->input_schema = kg_json_datum(&value);
	def->input = compile(r, def->input_schema, "/input_schema");
	root = &def->input_schema->root;
	if (kg_json_get(root, "type", &value) == NULL ||
		!kg_json_string_is(&value, "object"))
		wrong(r->errors,
			  &value,
			  "/input_schema/type",
			  "\"object\"",
			  "the type of the arguments must be \"object\"");
	if (kg_json_get(root, "properties", &value) == NULL)
		return;
	def->args = palloc0((kg_json_length(kg_json_container(&value)) + 1) *
						sizeof(char *));
	def->required = palloc0((kg_json_length(kg_json_container(&value)) + 1) *
							sizeof(bool));
	def->arg_schemas = palloc0((kg_json_length(kg_json_container(&value)) + 1) *
							   sizeof(Jsonb *));
	kg_json_each(it, kg_json_container(&value))
	{
		def->args[def->nargs] = kg_json_cstring(&it.key);
		def->required[def->nargs] = is_required(root, def->args[def->nargs]);
		def->arg_schemas[def->nargs++] = argument_schema(def, &it.value, &left);
	}
	if (left <= 0)
		report_references(r);
}

/*
 * Reports a fault if the input schema accepts undeclared arguments, because no
 * operation could use them. Tools of the kind function are excluded: a
 * function receives all arguments.
 */
static void
check_closed(const Reading *r)
{
	JsonbValue value;

	if (r->def->kind != KG_DEFINED_FUNCTION && r->def->input_schema != NULL &&
		kg_json_get(
			&r->def->input_schema->root, "additionalProperties", &value) &&
		!(value.type == jbvBool && !value.val.boolean))
		wrong(r->errors,
			  NULL,
			  "/input_schema/additionalProperties",
			  "false, or no \"additionalProperties\"",
			  "the input schema accepts arguments that are not declared, but "
			  "no operation can use them");
}

static void
read_output(const Reading *r)
{
	JsonbValue value;

	if (root_member(r, "output_schema", "object", false, &value) == NULL)
		return;
	r->def->output_schema = kg_json_datum(&value);
	r->def->output = compile(r, r->def->output_schema, "/output_schema");
}

static bool
read_kind(const Reading *r, bool *sql)
{
	JsonbValue value;
	KgError *err;

	if (root_member(r, "kind", "string", true, &value) == NULL)
		return false;
	for (int i = 0; i < lengthof(kinds); i++)
		if (kg_json_string_is(&value, kinds[i]))
		{
			r->def->kind = i == KG_KIND_SQL ? KG_DEFINED_QUERY : i;
			*sql = i == KG_KIND_SQL;
			return true;
		}
	err = kg_error_new(KG_INVALID_INPUT, "\"kind\" is not known");
	kg_error_got(err, &value);
	for (int i = 0; i < lengthof(kinds); i++)
		kg_error_allow(err, kinds[i]);
	report(r->errors, err, "/kind");
	return false;
}

/*
 * Parses an operation into the next element of def->ops. Its template may
 * refer to the replies of earlier steps.
 */
static void
read_operation(const Reading *r, const JsonbValue *value, const char *name,
			   bool named, const char *path)
{
	static const char *const known[] = {"tool", "arguments", NULL};
	static const char *const known_named[] = {
		"name", "tool", "arguments", NULL};
	KgDefinition *def = r->def;
	KgOperationDefined *op = &def->ops[def->nops];
	KgTemplateNames names = {def->nargs, def->args, 0, NULL};
	const char **results = palloc0((def->nops + 1) * sizeof(char *));
	JsonbValue inner;

	if (!kg_json_is_object(value))
	{
		wrong(r->errors,
			  value,
			  path,
			  "{\"tool\": ..., \"arguments\": {...}}",
			  "an operation is not an object");
		return;
	}
	kg_check_members(
		kg_json_container(value), named ? known_named : known, path, r->errors);
	op->name = name;
	op->path = path;
	for (int i = 0; i < def->nops; i++)
		results[i] = def->ops[i].name;
	if (def->kind == KG_DEFINED_SEQUENCE)
	{
		names.nresults = def->nops;
		names.results = results;
	}
	if (member(kg_json_container(value),
			   "tool",
			   "string",
			   true,
			   path,
			   &inner,
			   r->errors) == NULL)
		return;
	op->tool = kg_json_cstring(&inner);
	if (kg_json_get(kg_json_container(value), "arguments", &inner) == NULL)
		kg_json_root(kg_json_parse("{}"), &inner);
	op->arguments = kg_template_read(
		&inner, &names, psprintf("%s/arguments", path), r->errors);
	if (op->arguments != NULL)
		def->nops++;
}

static bool
check_count(const Reading *r, int n)
{
	KgError *err;

	if (n >= 1 && n <= kg_setting_max_tool_operations)
		return true;
	err = kg_error_new(n > 0 ? KG_LIMIT_EXCEEDED : KG_INVALID_INPUT,
					   "the definition has %d operations; "
					   "kg_graph.max_tool_operations allows 1 to %d",
					   n,
					   kg_setting_max_tool_operations);
	report(r->errors, err, "/operations");
	return false;
}

static void
read_select(const Reading *r)
{
	KgTemplateNames names = {r->def->nargs, r->def->args, 0, NULL};
	JsonbValue value;
	KgJsonWriter w;
	KgTemplate *template;
	const KgTemplatePlace *places;
	const char *rest;
	JsonbValue wrapped;

	if (root_member(r, "select", "object", true, &value) == NULL)
		return;
	kg_jw_init_object(&w);
	kg_jw_key(&w, "select");
	kg_jw_value(&w, &value);
	kg_json_root(kg_jw_finish(&w), &wrapped);
	template = kg_template_read(&wrapped, &names, "", r->errors);
	if (template == NULL)
		return;
	if (kg_template_places(template, &places) == 1 &&
		kg_template_place_at(template, "/select", &rest) == 0)
		r->def->select = places[0].arg;
	else
		wrong(r->errors,
			  &value,
			  "/select",
			  "an object {\"$arg\": name}",
			  "\"select\" does not name an argument");
}

static bool
has_operation(const KgDefinition *def, const char *name)
{
	for (int i = 0; i < def->nops; i++)
		if (strcmp(def->ops[i].name, name) == 0)
			return true;
	return false;
}

/*
 * Reports a fault if the argument that "select" names is not required, or if
 * its enum differs from the names of the operations.
 */
static void
check_select(const Reading *r)
{
	KgDefinition *def = r->def;
	JsonbValue values;
	bool same = def->select >= 0 && def->required[def->select] &&
				kg_json_get(
					&def->arg_schemas[def->select]->root, "enum", &values) &&
				kg_json_is_array(&values) &&
				kg_json_length(kg_json_container(&values)) == def->nops;
	KgError *err;

	if (same)
	{
		kg_json_each(it, kg_json_container(&values))
			same &= it.value.type == jbvString &&
					has_operation(def, kg_json_cstring(&it.value));
	}
	if (same || def->select < 0)
		return;
	err = kg_error_new(
		KG_INVALID_INPUT,
		"argument \"%s\", which selects the operation, is not required, or its "
		"enum differs from the names of the operations",
		def->args[def->select]);
	for (int i = 0; i < def->nops; i++)
		kg_error_allow(err, def->ops[i].name);
	report(r->errors,
		   err,
		   psprintf("/input_schema/properties/%s", def->args[def->select]));
}

static void
read_composite(const Reading *r)
{
	KgDefinition *def = r->def;
	JsonbValue value;

	read_select(r);
	if (root_member(r, "operations", "object", true, &value) == NULL ||
		!check_count(r, kg_json_length(kg_json_container(&value))))
		return;
	def->ops = palloc0(kg_json_length(kg_json_container(&value)) *
					   sizeof(KgOperationDefined));
	kg_json_each(it, kg_json_container(&value))
	{
		StringInfoData path;

		initStringInfo(&path);
		appendStringInfoString(&path, "/operations");
		kg_json_pointer_append(
			&path, it.key.val.string.val, it.key.val.string.len);
		read_operation(
			r, &it.value, kg_json_cstring(&it.key), false, path.data);
	}
	check_select(r);
}

static void
read_sequence(const Reading *r)
{
	KgDefinition *def = r->def;
	JsonbValue value;
	JsonbValue name;

	if (root_member(r, "operations", "array", true, &value) == NULL ||
		!check_count(r, kg_json_length(kg_json_container(&value))))
		return;
	def->ops = palloc0(kg_json_length(kg_json_container(&value)) *
					   sizeof(KgOperationDefined));
	kg_json_each(it, kg_json_container(&value))
	{
		char *path = psprintf("/operations/%d", it.index);

		if (!kg_json_is_object(&it.value))
		{
			read_operation(r, &it.value, "", true, path);
			continue;
		}
		if (member(kg_json_container(&it.value),
				   "name",
				   "string",
				   true,
				   path,
				   &name,
				   r->errors) == NULL)
			continue;
		if (!is_name(kg_json_cstring(&name)))
		{
			wrong(r->errors,
				  &name,
				  psprintf("%s/name", path),
				  KG_NAME_RULE,
				  "the name of an operation is not valid");
			continue;
		}
		if (has_operation(def, kg_json_cstring(&name)))
		{
			wrong(r->errors,
				  &name,
				  psprintf("%s/name", path),
				  "another name for each operation",
				  "an earlier operation has the same name");
			continue;
		}
		read_operation(r, &it.value, kg_json_cstring(&name), true, path);
	}
}

static void
read_query(const Reading *r)
{
	JsonbValue value;

	if (root_member(r, "operation", "object", true, &value) == NULL)
		return;
	r->def->ops = palloc0(sizeof(KgOperationDefined));
	read_operation(r, &value, NULL, false, "/operation");
}

/*
 * Returns whether the tool has an argument "limit" that limits the reply,
 * because it is not a parameter of the statement.
 */
static bool
passes_limit(const Reading *r, const JsonbValue *params)
{
	bool declared = false;

	for (int i = 0; i < r->def->nargs; i++)
		declared |= strcmp(r->def->args[i], "limit") == 0;
	if (declared && params != NULL)
	{
		kg_json_each(it, kg_json_container(params))
			declared &= !kg_json_string_is(&it.value, "limit");
	}
	return declared;
}

static void
write_arg(KgJsonWriter *w, const JsonbValue *name)
{
	kg_jw_begin_object(w);
	kg_jw_key(w, "$arg");
	kg_jw_value(w, name);
	kg_jw_end_object(w);
}

/* Parses the SQL statement as an operation that calls the tool query. */
static void
read_sql(const Reading *r)
{
	JsonbValue sql;
	JsonbValue params;
	JsonbValue limit = kg_json_string_value("limit");
	JsonbValue *named;
	JsonbValue arguments;
	KgTemplateNames names = {r->def->nargs, r->def->args, 0, NULL};
	KgOperationDefined *op;
	KgJsonWriter w;

	if (root_member(r, "sql", "string", true, &sql) == NULL)
		return;
	named = root_member(r, "params", "array", false, &params);
	kg_jw_init_object(&w);
	kg_jw_key(&w, "sql");
	kg_jw_value(&w, &sql);
	kg_jw_kbegin_array(&w, "params");
	if (named != NULL)
	{
		kg_json_each(it, kg_json_container(named))
			write_arg(&w, &it.value);
	}
	kg_jw_end_array(&w);
	if (passes_limit(r, named))
	{
		kg_jw_key(&w, "limit");
		write_arg(&w, &limit);
	}
	kg_json_root(kg_jw_finish(&w), &arguments);
	r->def->sql = kg_json_cstring(&sql);
	r->def->ops = op = palloc0(sizeof(KgOperationDefined));
	op->path = "";
	op->tool = "query";
	op->arguments = kg_template_read(&arguments, &names, "", r->errors);
	if (op->arguments != NULL)
		r->def->nops = 1;
}

/*
 * Reports members of the definition that only tools of another kind may have.
 */
static void
check_kind_members(const Reading *r, bool sql)
{
	static const struct
	{
		const char *key;
		int of;
	} keys[] = {
		{"operation", 1 << KG_DEFINED_QUERY | 1 << KG_DEFINED_FUNCTION},
		{"operations", 1 << KG_DEFINED_COMPOSITE | 1 << KG_DEFINED_SEQUENCE},
		{"select", 1 << KG_DEFINED_COMPOSITE},
		{"sql", 1 << KG_KIND_SQL},
		{"params", 1 << KG_KIND_SQL},
	};
	int kind = sql ? (int) KG_KIND_SQL : (int) r->def->kind;
	JsonbValue value;

	for (int i = 0; i < lengthof(keys); i++)
		if (kg_json_get(&r->def->source->root, keys[i].key, &value) &&
			(keys[i].of & 1 << kind) == 0)
			wrong(r->errors,
				  NULL,
				  psprintf("/%s", keys[i].key),
				  "\"operation\" for the kinds query and function, "
				  "\"operations\" "
				  "for composite and sequence, \"sql\" and \"params\" for sql",
				  psprintf("a tool of the kind \"%s\" cannot have \"%s\"",
						   kinds[kind],
						   keys[i].key));
}

/*
 * Reports declared arguments that no operation uses, because their values
 * would be ignored.
 */
static void
check_used(const Reading *r)
{
	const KgDefinition *def = r->def;
	bool *used = palloc0((def->nargs + 1) * sizeof(bool));

	if (def->kind == KG_DEFINED_FUNCTION)
		return;
	if (def->select >= 0)
		used[def->select] = true;
	for (int i = 0; i < def->nops; i++)
	{
		const KgTemplatePlace *places;
		int n = kg_template_places(def->ops[i].arguments, &places);

		for (int j = 0; j < n; j++)
			if (places[j].arg >= 0)
				used[places[j].arg] = true;
	}
	for (int i = 0; i < def->nargs; i++)
		if (!used[i])
			wrong(r->errors,
				  NULL,
				  psprintf("/input_schema/properties/%s", def->args[i]),
				  "an argument that an operation uses as {\"$arg\": name}",
				  psprintf("no operation uses argument \"%s\"", def->args[i]));
}

KgDefinition *
kg_definition_read(const Jsonb *definition, KgErrorList *errors)
{
	KgDefinition *def = palloc0(sizeof(KgDefinition));
	Reading r = {def, errors};
	int64 before = errors->total;
	bool sql = false;
	JsonbValue value;

	def->source = definition;
	def->select = -1;
	def->name = kg_definition_string(definition, "name");
	def->version = kg_definition_string(definition, "version");
	def->title = kg_definition_string(definition, "title");
	def->description = kg_definition_string(definition, "description");
	def->toolset = kg_definition_string(definition, "toolset");
	def->blank_is_absent = kg_json_is_true(&definition->root,
										   "blank_is_absent");
	read_input(&r);
	read_output(&r);
	if (!read_kind(&r, &sql))
		return NULL;
	check_kind_members(&r, sql);
	check_closed(&r);
	switch (def->kind)
	{
		case KG_DEFINED_QUERY:
			if (sql)
				read_sql(&r);
			else
				read_query(&r);
			break;
		case KG_DEFINED_COMPOSITE:
			read_composite(&r);
			break;
		case KG_DEFINED_SEQUENCE:
			read_sequence(&r);
			break;
		case KG_DEFINED_FUNCTION:
			if (root_member(&r, "operation", "string", true, &value))
				def->function = kg_json_cstring(&value);
			break;
	}
	if (errors->total == before)
		check_used(&r);
	return errors->total == before ? def : NULL;
}
