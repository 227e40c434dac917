/*
 * validate.c
 *	  SQL functions of the JSON Schema engine: kg_validate,
 *	  kg_validation_errors, kg_schema_check.
 *
 * The results depend only on the arguments. Limits, which are settings, can
 * turn a result into an error, but never into another result. Therefore the
 * functions are IMMUTABLE and can be used in CHECK constraints and generated
 * columns.
 *
 * If schema and options are constants in the query's text, they are looked up
 * once. The compiled schema is cached in fn_extra, and fn_mcxt pins the cache
 * entry. A parameter is not treated as a constant, although
 * get_fn_expr_arg_stable() reports it as stable. The reason is that PL/pgSQL
 * keeps the state of a simple expression for a transaction, in which its
 * parameters change. A schema in a parameter is compared with the schema that
 * the cache returned last.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "fmgr.h"
#include "nodes/primnodes.h"
#include "schema/output.h"
#include "schema/schema.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(kg_sql_validate);
PG_FUNCTION_INFO_V1(kg_sql_validate_text);
PG_FUNCTION_INFO_V1(kg_sql_validation_errors);
PG_FUNCTION_INFO_V1(kg_sql_validation_errors_text);
PG_FUNCTION_INFO_V1(kg_sql_schema_check);

typedef struct Options
{
	KgSchemaOptions schema;
	KgOutput output;
	/* 0: use kg_graph.max_errors, which may change between calls */
	int max_errors;
} Options;

typedef struct CallState
{
	const KgSchema *schema;
	Options options;
} CallState;

static void
read_output(const JsonbValue *value, KgOutput *output)
{
	if (kg_json_string_is(value, "flag"))
		*output = KG_OUTPUT_FLAG;
	else if (kg_json_string_is(value, "basic"))
		*output = KG_OUTPUT_BASIC;
	else if (kg_json_string_is(value, "detailed"))
		*output = KG_OUTPUT_DETAILED;
	else if (kg_json_string_is(value, "model"))
		*output = KG_OUTPUT_MODEL;
	else
		kg_error_throw_option(
			"output", value, "flag, basic, detailed or model");
}

static void
read_option(Options *options, const char *name, const JsonbValue *value)
{
	static const char *const known[] = {
		"dialect", "format", "max_errors", "output", "resources"};
	KgError *err;
	int64 n;

	if (strcmp(name, "dialect") == 0)
	{
		if (value->type != jbvString)
			kg_error_throw_option(name, value, "the URI of a dialect");
		options->schema.dialect = kg_json_cstring(value);
	}
	else if (strcmp(name, "format") == 0)
	{
		options->schema.annotate_format = kg_json_string_is(value, "annotate");
		if (!options->schema.annotate_format &&
			!kg_json_string_is(value, "assert"))
			kg_error_throw_option(name, value, "assert or annotate");
	}
	else if (strcmp(name, "max_errors") == 0)
	{
		if (!kg_json_int64(value, &n) || n < 1 || n > kg_setting_max_errors)
			kg_error_throw_option(name,
								  value,
								  psprintf("an integer from 1 to %d "
										   "(kg_graph.max_errors)",
										   kg_setting_max_errors));
		options->max_errors = (int) n;
	}
	else if (strcmp(name, "output") == 0)
		read_output(value, &options->output);
	else if (strcmp(name, "resources") == 0)
	{
		if (!kg_json_is_object(value))
			kg_error_throw_option(name, value, "an object of schemas by URI");
		options->schema.resources = kg_json_datum(value);
	}
	else
	{
		err = kg_error_new(
			KG_INVALID_INPUT, "option \"%s\" is not known", name);
		kg_error_path(err, "/%s", name);
		for (int i = 0; i < lengthof(known); i++)
			kg_error_allow(err, known[i]);
		kg_error_did_you_mean(err, kg_nearest(name, known, lengthof(known)));
		kg_error_throw(err);
	}
}

static void
read_options(const Jsonb *jsonb, Options *options)
{
	memset(options, 0, sizeof(*options));
	options->output = KG_OUTPUT_MODEL;
	if (JB_ROOT_IS_OBJECT(jsonb) && JB_ROOT_COUNT(jsonb) == 0)
		return;
	if (!JB_ROOT_IS_OBJECT(jsonb))
		KG_THROW(KG_INVALID_INPUT, .message = "options must be an object");
	kg_json_each(it, &jsonb->root)
		read_option(options, kg_json_cstring(&it.key), &it.value);
}

/* Returns true if argument n of the call is a constant. */
static bool
is_constant(const FmgrInfo *flinfo, int n)
{
	const FuncExpr *call = (const FuncExpr *) flinfo->fn_expr;

	return call != NULL && IsA(call, FuncExpr) && n < list_length(call->args) &&
		   IsA(list_nth(call->args, n), Const);
}

/*
 * Returns the compiled schema of a call with the arguments (instance, schema,
 * options). Sets *options.
 */
static const KgSchema *
call_schema(FunctionCallInfo fcinfo, Options *options)
{
	FmgrInfo *flinfo = fcinfo->flinfo;
	CallState *state = flinfo ? flinfo->fn_extra : NULL;
	MemoryContext caller;

	if (state != NULL)
	{
		*options = state->options;
		return state->schema;
	}
	if (flinfo == NULL || !is_constant(flinfo, 1) || !is_constant(flinfo, 2))
	{
		read_options(PG_GETARG_JSONB_P(2), options);
		return kg_schema_fetch(PG_GETARG_JSONB_P(1), &options->schema);
	}
	caller = MemoryContextSwitchTo(flinfo->fn_mcxt);
	state = palloc(sizeof(CallState));
	read_options(PG_GETARG_JSONB_P(2), &state->options);
	state->schema = kg_schema_fetch(PG_GETARG_JSONB_P(1),
									&state->options.schema);
	MemoryContextSwitchTo(caller);
	flinfo->fn_extra = state;
	*options = state->options;
	return state->schema;
}

static int
most_errors(const Options *options)
{
	if (options->output == KG_OUTPUT_FLAG)
		return 1;
	return options->max_errors > 0
			   ? Min(options->max_errors, kg_setting_max_errors)
			   : kg_setting_max_errors;
}

/*
 * Returns the instance of a call whose first argument is json or text. Both
 * types have the same representation.
 */
static Jsonb *
parsed_instance(FunctionCallInfo fcinfo)
{
	text *source = PG_GETARG_TEXT_PP(0);
	Jsonb *instance = kg_json_parse(text_to_cstring(source));

	PG_FREE_IF_COPY(source, 0);
	return instance;
}

static bool
is_valid(FunctionCallInfo fcinfo, const Jsonb *instance)
{
	Options options;
	const KgSchema *schema = call_schema(fcinfo, &options);
	JsonbValue value;

	kg_json_root(instance, &value);
	return kg_schema_is_valid(schema, &value);
}

static Jsonb *
violations(FunctionCallInfo fcinfo, const Jsonb *instance)
{
	Options options;
	const KgSchema *schema = call_schema(fcinfo, &options);
	JsonbValue value;
	List *errors = NIL;

	kg_json_root(instance, &value);
	if (!kg_schema_is_valid(schema, &value))
		errors = kg_schema_errors(schema, &value, most_errors(&options));
	return kg_output(options.output, errors);
}

/*
 * Defines kg_validate(instance jsonb, schema jsonb, options jsonb), which
 * returns whether the instance is valid.
 */
Datum
kg_sql_validate(PG_FUNCTION_ARGS)
{
	Jsonb *instance = PG_GETARG_JSONB_P(0);
	bool valid = is_valid(fcinfo, instance);

	PG_FREE_IF_COPY(instance, 0);
	PG_RETURN_BOOL(valid);
}

/*
 * Defines kg_validate(instance json or text, schema jsonb, options jsonb),
 * which returns whether the instance is valid.
 */
Datum
kg_sql_validate_text(PG_FUNCTION_ARGS)
{
	Jsonb *instance = parsed_instance(fcinfo);
	bool valid = is_valid(fcinfo, instance);

	pfree(instance);
	PG_RETURN_BOOL(valid);
}

/*
 * Defines kg_validation_errors(instance jsonb, schema, options), which returns
 * the violations in the format that the options choose.
 */
Datum
kg_sql_validation_errors(PG_FUNCTION_ARGS)
{
	PG_RETURN_JSONB_P(violations(fcinfo, PG_GETARG_JSONB_P(0)));
}

/*
 * Defines kg_validation_errors(instance json or text, schema, options), which
 * returns the violations in the format that the options choose.
 */
Datum
kg_sql_validation_errors_text(PG_FUNCTION_ARGS)
{
	PG_RETURN_JSONB_P(violations(fcinfo, parsed_instance(fcinfo)));
}

/*
 * Defines kg_schema_check(schema, options), which returns true. If the schema
 * has a fault, raises an error that describes it. Keywords that the dialect
 * ignores are reported as warnings.
 */
Datum
kg_sql_schema_check(PG_FUNCTION_ARGS)
{
	Options options;
	const KgSchema *schema;
	ListCell *lc;

	read_options(PG_GETARG_JSONB_P(1), &options);
	schema = kg_schema_fetch(PG_GETARG_JSONB_P(0), &options.schema);
	foreach(lc, kg_schema_warnings(schema))
		ereport(WARNING, (errmsg("%s", (char *) lfirst(lc))));
	PG_RETURN_BOOL(true);
}
