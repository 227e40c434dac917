/*
 * input.c
 *	  The arguments of a tool, read by the schema that the tool publishes.
 */
#include "postgres.h"

#include "tools/schema_template.h"
#include "tools/input.h"

/* ---- what the schema says ---- */

static const JsonbContainer *
container_of(const JsonbContainer *object, const char *key)
{
	JsonbValue value;

	if (kg_json_get(object, key, &value) == NULL || value.type != jbvBinary)
		return NULL;
	return kg_json_container(&value);
}

static const JsonbContainer *
member_schema(const KgInput *in, const char *key)
{
	const JsonbContainer *schema = container_of(in->properties, key);

	if (schema == NULL)
		elog(ERROR, "no argument \"%s\" in the tool's schema", key);
	return schema;
}

/* A bound or default: a number, or the name of one that a setting has. */
static int64
schema_number(const JsonbContainer *schema, const char *keyword, int64 dflt)
{
	JsonbValue value;
	int64 number;

	if (kg_json_get(schema, keyword, &value) == NULL)
		return dflt;
	if (value.type == jbvString)
		return kg_template_number(value.val.string.val, value.val.string.len);
	if (!kg_json_int64(&value, &number))
		elog(ERROR, "%s of an argument is no integer", keyword);
	return number;
}

static int
count_names(const JsonbContainer *schema, const char *keyword)
{
	const JsonbContainer *names = container_of(schema, keyword);

	return names != NULL ? kg_json_length(names) : 0;
}

/* Members of an object, or items of an array, as strings. */
static const char **
schema_names(const JsonbContainer *schema, const char *keyword, int *n)
{
	const char **names = palloc((count_names(schema, keyword) + 1) *
								sizeof(char *));
	KgJsonIter it;

	*n = 0;
	if (container_of(schema, keyword) == NULL)
		return names;
	kg_json_iter_init(&it, container_of(schema, keyword));
	while (kg_json_iter_next(&it))
		names[(*n)++] = kg_json_cstring(it.is_object ? &it.key : &it.value);
	return names;
}

/* ---- objects ---- */

static void
check_known(const KgInput *in)
{
	KgJsonIter it;
	JsonbValue value;
	const char **names;
	int n;

	kg_json_iter_init(&it, in->object);
	while (kg_json_iter_next(&it))
		if (getKeyJsonValueFromContainer((JsonbContainer *) in->properties,
										 it.key.val.string.val,
										 it.key.val.string.len,
										 &value) == NULL)
		{
			names = schema_names(in->schema, "properties", &n);
			kg_args_known(in->object, in->path, names, n);
		}
}

static void
open_object(KgInput *in, const JsonbContainer *object,
			const JsonbContainer *schema, const char *path, KgRepairs *repairs)
{
	in->object = object;
	in->schema = schema;
	in->properties = container_of(schema, "properties");
	in->path = path;
	in->repairs = repairs;
	check_known(in);
}

void
kg_input_open(KgInput *in, const Jsonb *arguments, const char *template,
			  KgRepairs *repairs)
{
	open_object(in,
				kg_args_root(arguments),
				&kg_template_outline(template)->root,
				"",
				repairs);
}

bool
kg_input_declares(const KgInput *in, const char *key)
{
	return container_of(in->properties, key) != NULL;
}

bool
kg_input_has(const KgInput *in, const char *key)
{
	JsonbValue value;

	return kg_json_get(in->object, key, &value) != NULL;
}

int64
kg_input_maximum(const KgInput *in, const char *key)
{
	const JsonbContainer *schema = member_schema(in, key);
	int64 of_number = schema_number(schema, "maximum", PG_INT32_MAX);

	return schema_number(schema, "maxItems", of_number);
}

char *
kg_input_path(const KgInput *in, const char *key)
{
	return kg_path_member(in->path, key);
}

void
kg_input_require(const KgInput *in, const char *key)
{
	KgError *err;

	if (kg_input_has(in, key))
		return;
	err = kg_error_new(KG_INVALID_INPUT, "argument \"%s\" is missing", key);
	kg_error_path(err, "%s", kg_input_path(in, key));
	kg_error_expected(err, "a value for \"%s\"", key);
	kg_error_throw(err);
}

void
kg_input_only(const KgInput *in, const char *const *known, int nknown)
{
	kg_args_known(in->object, in->path, known, nknown);
}

static bool
is_required(const KgInput *in, const char *key)
{
	const JsonbContainer *names = container_of(in->schema, "required");
	KgJsonIter it;

	if (names == NULL)
		return false;
	kg_json_iter_init(&it, names);
	while (kg_json_iter_next(&it))
		if (kg_json_string_is(&it.value, key))
			return true;
	return false;
}

bool
kg_input_value(const KgInput *in, const char *key, JsonbValue *value)
{
	if (kg_json_get(in->object, key, value) != NULL)
		return true;
	if (is_required(in, key))
		kg_input_require(in, key);
	return false;
}

bool
kg_input_object(const KgInput *in, const char *key, KgInput *inner)
{
	char *path = kg_input_path(in, key);
	JsonbValue value;

	if (!kg_input_value(in, key, &value))
		return false;
	open_object(inner,
				kg_args_as_object(&value, path),
				member_schema(in, key),
				path,
				in->repairs);
	return true;
}

/* ---- values ---- */

bool
kg_input_int(const KgInput *in, const char *key, int64 *result)
{
	const JsonbContainer *schema = member_schema(in, key);
	JsonbValue value;

	*result = schema_number(schema, "default", *result);
	if (!kg_input_value(in, key, &value))
		return false;
	return kg_args_int(in->object,
					   key,
					   in->path,
					   schema_number(schema, "minimum", 0),
					   schema_number(schema, "maximum", PG_INT32_MAX),
					   result,
					   in->repairs);
}

bool
kg_input_bool(const KgInput *in, const char *key)
{
	bool result = false;

	(void) member_schema(in, key);
	(void) kg_args_bool(in->object, key, in->path, &result, in->repairs);
	return result;
}

char *
kg_input_string(const KgInput *in, const char *key)
{
	JsonbValue value;

	(void) member_schema(in, key);
	if (!kg_input_value(in, key, &value))
		return NULL;
	return kg_args_string(in->object, key, in->path);
}

int
kg_name_among(const char *name, const char *path, const char *what,
			  const char *const *names, int n)
{
	const char **known = palloc((n + 1) * sizeof(char *));
	JsonbValue got;
	KgError *err;
	int nknown = 0;

	for (int i = 0; i < n; i++)
	{
		if (strcmp(names[i], name) == 0)
			return i;
		known[nknown++] = names[i];
	}
	got = kg_json_string_value(name);
	err = kg_args_error(path, &got, what);
	for (int i = 0; i < nknown; i++)
		kg_error_allow(err, known[i]);
	kg_error_did_you_mean(err, kg_nearest(name, known, nknown));
	kg_error_throw(err);
}

int
kg_input_enum(const KgInput *in, const char *key, const char *what)
{
	const JsonbContainer *schema = member_schema(in, key);
	char *name = kg_input_string(in, key);
	JsonbValue value;
	const char **names;
	int n;

	if (name == NULL && kg_json_get(schema, "default", &value) != NULL)
		name = kg_json_cstring(&value);
	if (name == NULL)
		return -1;
	names = schema_names(schema, "enum", &n);
	return kg_name_among(name, kg_input_path(in, key), what, names, n);
}

/* ---- arrays ---- */

static void
check_length(const KgInput *in, const char *key, int n, const char *what)
{
	const JsonbContainer *schema = member_schema(in, key);
	int64 min = schema_number(schema, "minItems", 0);
	int64 max = kg_input_maximum(in, key);
	JsonbValue got;
	char *expected;

	if (n >= min && n <= max)
		return;
	got = kg_json_string_value(psprintf("%d %s", n, what));
	expected = min > 0 ? psprintf("an array of " INT64_FORMAT
								  " to " INT64_FORMAT " %s",
								  min,
								  max,
								  what)
					   : psprintf("an array of at most " INT64_FORMAT " %s",
								  max,
								  what);
	kg_error_throw(kg_args_error(kg_input_path(in, key), &got, expected));
}

char **
kg_input_ids(const KgInput *in, const char *key, int *n)
{
	return kg_args_ids(
		in->object, key, in->path, (int) kg_input_maximum(in, key), n);
}

const JsonbContainer *
kg_input_array(const KgInput *in, const char *key, const char *what)
{
	const JsonbContainer *array;
	JsonbValue value;

	if (!kg_input_value(in, key, &value))
		return NULL;
	array = kg_args_as_array(&value, kg_input_path(in, key));
	check_length(in, key, kg_json_length(array), what);
	return array;
}

int
kg_input_objects(const KgInput *in, const char *key, const char *string_member,
				 const char *what)
{
	const JsonbContainer *array;
	JsonbValue value;

	if (!kg_input_value(in, key, &value))
		return 0;
	array = kg_args_objects(in->object, key, in->path, string_member);
	check_length(in, key, kg_json_length(array), what);
	return kg_json_length(array);
}

void
kg_input_item(const KgInput *in, const char *key, int index,
			  const char *string_member, KgInput *item)
{
	const JsonbContainer *array = container_of(in->object, key);
	JsonbValue *value = getIthJsonbValueFromContainer((JsonbContainer *) array,
													  (uint32) index);
	char *path = kg_path_index(kg_input_path(in, key), index);

	open_object(item,
				kg_args_item(value, path, string_member),
				container_of(member_schema(in, key), "items"),
				path,
				in->repairs);
}
