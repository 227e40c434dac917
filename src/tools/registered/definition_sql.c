/*
 * definition_sql.c
 *	  Checks the statement of a registered tool of the kind "sql".
 *
 * The statement is analysed when the tool is registered, and again when a
 * bundle changes. When a catalog is read, only the tables of the statement are
 * looked up. So the tool exists for all callers that see all of these tables.
 */
#include "postgres.h"

#include "ask/ask.h"
#include "base/catch.h"
#include "base/json.h"
#include "catalog/pg_type.h"
#include "tools/registered/definition.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/*
 * Returns the parameters of the statement for its check: an array with a null
 * for each item of "params".
 */
static const Jsonb *
parameters(const KgDefinition *def)
{
	JsonbValue params;
	KgJsonWriter w;

	kg_jw_init_array(&w);
	if (kg_json_get(&def->source->root, "params", &params))
	{
		kg_json_each(it, kg_json_container(&params))
			kg_jw_null(&w);
	}
	return kg_jw_finish(&w);
}

static void
check_names(void *arg)
{
	kg_ask_check_names(arg);
}

static void
prepare(void *arg)
{
	kg_ask_prepare(arg);
}

static void
report_error(const ErrorData *edata, KgErrorList *errors)
{
	const Jsonb *object = kg_error_caught(edata);
	KgError *err = kg_error_new(
		kg_error_caught_code(edata), "%s", edata->message);
	JsonbValue value;
	int64 position;

	kg_error_path(err, "/sql");
	if (kg_json_get(&object->root, "got", &value))
		kg_error_got(err, &value);
	if (kg_json_get(&object->root, "position", &value) &&
		kg_json_int64(&value, &position))
		kg_error_member_int(err, "position", position);
	if (kg_json_get(&object->root, "did_you_mean", &value))
		kg_error_did_you_mean(err, kg_json_cstring(&value));
	if (kg_json_get(&object->root, "expected", &value))
		kg_error_expected(err, "%s", kg_json_cstring(&value));
	kg_error_report(errors, err);
}

/* ---- parameters ---- */

/*
 * Returns the JSON type of the values that a parameter accepts. Returns NULL if
 * the parameter accepts values of any type.
 */
static const char *
json_type_of(Oid type)
{
	char category;
	bool preferred;

	get_type_category_preferred(type, &category, &preferred);
	switch (category)
	{
		case TYPCATEGORY_NUMERIC:
			return "number";
		case TYPCATEGORY_BOOLEAN:
			return "boolean";
		case TYPCATEGORY_ARRAY:
			return "array";
		case TYPCATEGORY_STRING:
		case TYPCATEGORY_DATETIME:
		case TYPCATEGORY_TIMESPAN:
			return "string";
		default:
			return NULL;
	}
}

/*
 * Returns whether an argument of the JSON type can be passed to a parameter.
 * An integer is also a number.
 */
static bool
fits(const JsonbValue *type, const char *wanted)
{
	return kg_json_string_is(type, wanted) || kg_json_string_is(type, "null") ||
		   (strcmp(wanted, "number") == 0 &&
			kg_json_string_is(type, "integer"));
}

static bool
schema_fits(const JsonbContainer *schema, const char *wanted)
{
	JsonbValue type;
	bool all = true;

	if (!JsonContainerIsObject(schema) ||
		kg_json_get(schema, "type", &type) == NULL)
		return true;
	if (!kg_json_is_array(&type))
		return fits(&type, wanted);
	kg_json_each(it, kg_json_container(&type))
		all &= fits(&it.value, wanted);
	return all;
}

static void
check_parameter(const KgDefinition *def, const JsonbValue *name, int n,
				Oid type, KgErrorList *errors)
{
	const char *wanted = json_type_of(type);

	for (int i = 0; i < def->nargs && wanted != NULL; i++)
	{
		if (!kg_json_string_is(name, def->args[i]) ||
			schema_fits(&def->arg_schemas[i]->root, wanted))
			continue;
		KG_REPORT(
			errors,
			KG_INVALID_INPUT,
			.message = psprintf("argument \"%s\" does not fit $%d, which is %s",
								def->args[i],
								n,
								format_type_be(type)),
			.path = psprintf("/input_schema/properties/%s", def->args[i]),
			.expected = psprintf("type \"%s\", or a cast of $%d", wanted, n));
	}
}

static void
check_parameters(const KgDefinition *def, const KgAsk *ask, KgErrorList *errors)
{
	JsonbValue params;

	if (kg_json_get(&def->source->root, "params", &params) == NULL)
		return;
	kg_json_each(it, kg_json_container(&params))
		if (it.index < ask->ntypes && OidIsValid(ask->types[it.index]))
			check_parameter(
				def, &it.value, it.index + 1, ask->types[it.index], errors);
}

void
kg_definition_check_sql(const KgDefinition *def, const KgCatalog *catalog,
						bool all, KgErrorList *errors)
{
	KgAsk ask = {
		.sql = def->sql, .params = &parameters(def)->root, .catalog = catalog};
	ErrorData *edata = all ? kg_catch(KG_CATCH_KEEP, prepare, &ask)
						   : kg_catch(KG_CATCH_MEMORY, check_names, &ask);

	if (edata != NULL)
		report_error(edata, errors);
	else if (all)
		check_parameters(def, &ask, errors);
}
