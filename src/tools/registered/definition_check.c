/*
 * definition_check.c
 *	  Checks that the tools that a registered tool calls accept the arguments
 *	  that it passes.
 *
 *	  Samples are inserted into the arguments of an operation, and the result
 *	  is validated against the published schema of the called tool. There is a
 *	  sample for each type, and for each member of the enum, that an inserted
 *	  argument may have. A fault is ignored if it may be a fault of the sample
 *	  only, for example of a pattern, a bound or a name, which another value
 *	  of this type might not have.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/catch.h"
#include "base/json.h"
#include "base/settings.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "model/tool_version.h"
#include "miscadmin.h"
#include "query/filter/any.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/input/client_schema.h"
#include "tools/input/type_parts.h"
#include "tools/registered/definition.h"
#include "tools/named_tool.h"
#include "tools/input/schema_template.h"
#include "tools/write/write_schema.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

/* Maximum number of faults that are examined in one set of arguments. */
#define KG_MAX_FAULTS 50
#define KG_SAMPLE_DEPTH 8
/* Maximum number of members of an enum that serve as samples. */
#define KG_MAX_SAMPLES 200
/*
 * Maximum total bytes of arguments with samples that are validated for a
 * definition.
 */
#define KG_MAX_TRIED_BYTES (4 * 1024 * 1024)

static Jsonb *
output_of(const KgCatalog *catalog, const KgCallable *callable)
{
	const KgTool *tool = callable->tool;

	return kg_expand_output(
		catalog,
		callable->fixed != NULL ? callable->fixed->name
		: kg_callable_writes(callable)
			? KG_WRITE_TEMPLATE
			: kg_tool_output_template(kg_tool_type(tool), tool->operation));
}

/* ---- samples ---- */

typedef struct Sample
{
	JsonbValue value;
	/* true: the argument can have no value of this type except the sample */
	bool exact;
	bool any; /* true: the type of the argument is unknown */
} Sample;

typedef struct Samples
{
	int n;
	int most;
	int allocated;
	Sample *list;
} Samples;

static Jsonb *make_sample(const JsonbContainer *schema, const char *type,
						  int seed, int depth);

static Samples *
new_samples(int most)
{
	Samples *samples = palloc(sizeof(Samples));

	samples->n = 0;
	samples->most = most;
	samples->allocated = 1;
	samples->list = palloc(sizeof(Sample));
	return samples;
}

static void
add_sample(Samples *samples, const JsonbValue *value, bool exact)
{
	if (samples->n == samples->most)
		return;
	if (samples->n == samples->allocated)
	{
		samples->allocated *= 2;
		samples->list = repalloc(samples->list,
								 samples->allocated * sizeof(Sample));
	}
	samples->list[samples->n++] = (Sample){*value, exact};
}

static void
add_typed(Samples *samples, const JsonbContainer *schema,
		  const JsonbValue *type, int seed, int depth)
{
	JsonbValue value;

	if (type->type != jbvString || samples->n == samples->most)
		return;
	kg_json_root(make_sample(schema, kg_json_cstring(type), seed, depth),
				 &value);
	add_sample(samples, &value, false);
}

static void
collect_samples(const JsonbContainer *schema, int seed, int depth,
				Samples *samples)
{
	static const char *const branches[] = {"anyOf", "oneOf"};
	JsonbValue value;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (samples->n == samples->most)
		return;
	if (kg_json_get(schema, "const", &value))
		add_sample(samples, &value, true);
	else if (kg_json_get(schema, "enum", &value) && kg_json_is_array(&value))
	{
		kg_json_each(it, kg_json_container(&value))
			add_sample(samples, &it.value, true);
	}
	else if (kg_json_get(schema, "type", &value))
	{
		if (!kg_json_is_array(&value))
		{
			add_typed(samples, schema, &value, seed, depth);
			return;
		}
		kg_json_each(it, kg_json_container(&value))
			add_typed(samples, schema, &it.value, seed, depth);
	}
	else
		for (int i = 0; i < lengthof(branches); i++)
			if (kg_json_get(schema, branches[i], &value) &&
				kg_json_is_array(&value))
			{
				kg_json_each(it, kg_json_container(&value))
					if (kg_json_is_object(&it.value))
						collect_samples(kg_json_container(&it.value),
										seed,
										depth + 1,
										samples);
			}
}

/*
 * Returns a sample of a value that the schema accepts. Returns NULL if there
 * is no sample.
 */
static const JsonbValue *
first_sample(const JsonbValue *schema, int seed, int depth)
{
	Samples *samples;

	if (depth > KG_SAMPLE_DEPTH || !kg_json_is_object(schema))
		return NULL;
	samples = new_samples(1);
	collect_samples(kg_json_container(schema), seed, depth, samples);
	return samples->n > 0 ? &samples->list[0].value : NULL;
}

static const char *
sample_string(const JsonbContainer *schema, int seed)
{
	JsonbValue format;

	if (kg_json_get(schema, "format", &format))
	{
		if (kg_json_string_is(&format, "date"))
			return psprintf("20%02d-01-01", seed % 100);
		if (kg_json_string_is(&format, "date-time"))
			return psprintf("20%02d-01-01T00:00:00Z", seed % 100);
	}
	return psprintf("x%d", seed);
}

static void
write_object(const JsonbContainer *schema, int seed, int depth, KgJsonWriter *w)
{
	JsonbValue properties;

	kg_jw_begin_object(w);
	if (kg_json_get(schema, "properties", &properties) &&
		kg_json_is_object(&properties))
	{
		kg_json_each(it, kg_json_container(&properties))
		{
			const JsonbValue *value = first_sample(&it.value, seed, depth + 1);

			if (value == NULL)
				continue;
			kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
			kg_jw_value(w, value);
		}
	}
	kg_jw_end_object(w);
}

static Jsonb *
make_sample(const JsonbContainer *schema, const char *type, int seed, int depth)
{
	KgJsonWriter w;
	JsonbValue value;
	const JsonbValue *item;

	if (strcmp(type, "string") == 0)
	{
		value = kg_json_string_value(sample_string(schema, seed));
		return kg_json_datum(&value);
	}
	if (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0)
	{
		if (kg_json_get(schema, "minimum", &value) && value.type == jbvNumeric)
			return kg_json_datum(&value);
		return kg_json_parse(strcmp(type, "integer") == 0 ? "1" : "1.5");
	}
	if (strcmp(type, "boolean") == 0)
		return kg_json_parse("true");
	if (strcmp(type, "array") == 0 || strcmp(type, "object") == 0)
	{
		kg_jw_init(&w);
		if (strcmp(type, "object") == 0)
			write_object(schema, seed, depth, &w);
		else
		{
			kg_jw_begin_array(&w);
			item = kg_json_get(schema, "items", &value)
					   ? first_sample(&value, seed, depth + 1)
					   : NULL;
			if (item != NULL)
				kg_jw_value(&w, item);
			kg_jw_end_array(&w);
		}
		return kg_jw_finish(&w);
	}
	return kg_json_parse("null");
}

/* An operation, with a sample for each insertion position of its template. */

typedef struct Trying
{
	const KgDefinition *def;
	const KgOperationDefined *op;
	const KgCatalog *catalog;
	/* schema of the called tool's arguments, or of a part of them */
	const KgSchema *schema;
	/* JSON Pointer, in the arguments, to which the schema applies */
	const char *base;
	bool strict;
	KgErrorList *errors;
	int nplaces;
	const KgTemplatePlace *places;
	/* indexed by position: the sample to insert; NULL: omit the argument */
	const Sample **chosen;
	/* bytes that may still be validated (KG_MAX_TRIED_BYTES) */
	int64 *left;
	List **filters; /* List of FiltersOfType *, allocated in context */
	MemoryContext context;
} Trying;

typedef struct FiltersOfType
{
	const KgType *type;
	const KgSchema *schema;
} FiltersOfType;

/*
 * Returns the position in the template at which the value at a path was
 * inserted. The value may also be a part of the inserted value. Returns -1 if
 * the value is a constant of the template.
 */
static int
place_of(const Trying *t, const char *path)
{
	const char *rest;

	return kg_template_place_at(t->op->arguments, path, &rest);
}

/*
 * Returns whether the error may depend on the value of the sample. Another
 * value of this type might then be valid.
 */
static bool
is_of_value(const KgSchemaError *error)
{
	static const char *const of_type[] = {"type",
										  "additionalProperties",
										  "unevaluatedProperties",
										  "properties",
										  "false",
										  NULL};
	JsonbValue value;

	for (int i = 0; of_type[i] != NULL; i++)
		if (strcmp(error->keyword, of_type[i]) == 0)
			return false;
	if (strcmp(error->keyword, "enum") != 0)
		return true;
	kg_json_root(error->value, &value);
	return (value.type == jbvString) == (error->allowed != NIL);
}

/* Returns whether an error depends on a limit that a setting determines. */
static bool
is_of_limit(const KgSchemaError *error)
{
	static const char *const keywords[] = {
		"maximum", "minimum", "maxItems", "maxProperties", NULL};

	for (int i = 0; keywords[i] != NULL; i++)
		if (strcmp(error->keyword, keywords[i]) == 0)
			return true;
	return false;
}

static bool is_real(const Trying *t, const KgSchemaError *error);

/*
 * Returns whether all errors of at least one branch of a combinator can be
 * ignored.
 */
static bool
some_branch_may_fit(const Trying *t, const KgSchemaError *error)
{
	size_t len = strlen(error->keyword_location);
	bool may_fit[KG_MAX_FAULTS];
	bool seen[KG_MAX_FAULTS] = {false};
	ListCell *lc;

	foreach(lc, error->causes)
	{
		const KgSchemaError *cause = lfirst(lc);
		int branch;

		if (strncmp(cause->keyword_location, error->keyword_location, len) !=
				0 ||
			cause->keyword_location[len] != '/')
			return true;
		branch = atoi(cause->keyword_location + len + 1);
		if (branch < 0 || branch >= KG_MAX_FAULTS)
			return true;
		if (!seen[branch])
			may_fit[branch] = true;
		seen[branch] = true;
		may_fit[branch] &= !is_real(t, cause);
	}
	for (int i = 0; i < KG_MAX_FAULTS; i++)
		if (seen[i] && may_fit[i])
			return true;
	return false;
}

static int
place_of_error(const Trying *t, const KgSchemaError *error)
{
	return place_of(t, psprintf("%s%s", t->base, error->instance_path));
}

static bool
is_real(const Trying *t, const KgSchemaError *error)
{
	int place = place_of_error(t, error);
	const Sample *sample = place >= 0 ? t->chosen[place] : NULL;

	check_stack_depth();
	if (sample != NULL && sample->any)
		return false;
	if (error->causes != NIL)
		return !some_branch_may_fit(t, error);
	if (!t->strict && is_of_limit(error))
		return false;
	if (sample == NULL || sample->exact)
		return true;
	return !is_of_value(error);
}

/*
 * Returns the most specific error. If one branch of a combinator is nearest to
 * the value, this is the error in that branch.
 */
static const KgSchemaError *
innermost(const KgSchemaError *error)
{
	while (error->nearest_count == 1)
		error = list_nth(error->causes, error->nearest);
	return error;
}

static void
report_fault(const Trying *t, const KgSchemaError *fault, int tried)
{
	const KgSchemaError *inner = innermost(fault);
	int place = place_of_error(t, inner);
	int arg = place >= 0 ? t->places[place].arg : -1;
	KgError *err;
	JsonbValue got;
	ListCell *lc;

	if (arg < 0)
		arg = tried;
	if (arg >= 0)
		err = kg_error_new(KG_INVALID_INPUT,
						   "argument \"%s\" accepts values that tool \"%s\" "
						   "refuses",
						   t->def->args[arg],
						   t->op->tool);
	else
		err = kg_error_new(KG_INVALID_INPUT,
						   "tool \"%s\" does not accept the value at the "
						   "error's path",
						   t->op->tool);
	if (inner->value)
	{
		kg_json_root(inner->value, &got);
		kg_error_got(err, &got);
	}
	kg_error_expected(err, "%s", inner->expected);
	foreach(lc, inner->allowed)
		kg_error_allow(err, lfirst(lc));
	if (inner->did_you_mean)
		kg_error_did_you_mean(err, inner->did_you_mean);
	kg_error_path(
		err, "%s/arguments%s%s", t->op->path, t->base, inner->instance_path);
	kg_error_report(t->errors, err);
}

/*
 * Returns whether the schema accepts a value. Errors that another sample might
 * not cause are ignored (is_real()). If another error remains, reports a fault.
 * tried is the index of the argument whose samples are being tried, or -1.
 */
static bool
try_value(const Trying *t, const JsonbValue *value, int tried)
{
	ListCell *lc;

	if (kg_schema_is_valid(t->schema, value))
		return true;
	foreach(lc, kg_schema_errors(t->schema, value, KG_MAX_FAULTS))
	{
		if (!is_real(t, lfirst(lc)))
			continue;
		report_fault(t, lfirst(lc), tried);
		return false;
	}
	return true;
}

/*
 * Checks the name of a property by which the arguments filter or sort, or which
 * they select. This is only possible if the arguments also name the type. The
 * schemas of graph tools do not list properties, so they cannot show this
 * fault.
 */

static void
check_property(const Trying *t, const KgType *type, const JsonbValue *name,
			   bool indexed, const char *path)
{
	char *text = name->type == jbvString ? kg_json_cstring(name) : NULL;
	const KgField *field = text ? kg_type_field(type, kg_any_name(text)) : NULL;
	const char **names;
	int n = 0;
	KgError *err;

	if (text == NULL || strcmp(text, "id") == 0 || place_of(t, path) >= 0 ||
		(field != NULL && (field->indexed || !indexed)))
		return;
	names = palloc((type->nfields + 1) * sizeof(char *));
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].indexed || !indexed)
			names[n++] = type->fields[i].name;
	err = kg_error_new(KG_INVALID_INPUT,
					   "entity type \"%s\" has no property \"%s\"%s",
					   type->name,
					   text,
					   indexed ? " with x-index" : "");
	kg_error_got(err, name);
	kg_error_did_you_mean(err, kg_nearest(text, names, n));
	for (int i = 0; i < n; i++)
		kg_error_allow(err, names[i]);
	kg_error_path(err, "%s/arguments%s", t->op->path, path);
	kg_error_report(t->errors, err);
}

/*
 * Returns the schema of filters on a type. It is compiled once, in t->context.
 */
static const KgSchema *
filters_schema(const Trying *t, const KgType *type)
{
	MemoryContext old;
	FiltersOfType *made;
	ListCell *lc;

	foreach(lc, *t->filters)
	{
		made = lfirst(lc);
		if (made->type == type)
			return made->schema;
	}
	old = MemoryContextSwitchTo(t->context);
	made = palloc(sizeof(FiltersOfType));
	made->type = type;
	made->schema = kg_schema_compile(kg_type_filters_schema(type, true), NULL);
	*t->filters = lappend(*t->filters, made);
	MemoryContextSwitchTo(old);
	return made->schema;
}

/*
 * Checks the operators and operands of filters against the schema of the
 * type's list tool.
 */
static void
check_operands(const Trying *t, const KgType *type, const JsonbValue *filters,
			   const char *path, int tried)
{
	Trying of_filters = *t;

	of_filters.base = path;
	of_filters.schema = filters_schema(t, type);
	(void) try_value(&of_filters, filters, tried);
}

/* Checks filters, including each alternative in their member "any". */
static void
check_filters(const Trying *t, const KgType *type, const JsonbValue *filters,
			  const char *path, int tried)
{
	int64 before = t->errors->total;

	check_stack_depth();
	kg_json_each(it, kg_json_container(filters))
		if (!kg_json_string_is(&it.key, KG_ANY))
			check_property(t, type, &it.key, true, path);
		else if (kg_json_is_array(&it.value))
		{
			kg_json_each(each, kg_json_container(&it.value))
				if (kg_json_is_object(&each.value))
					check_filters(
						t,
						type,
						&each.value,
						psprintf("%s/" KG_ANY "/%d", path, each.index),
						tried);
		}
	if (t->errors->total == before)
		check_operands(t, type, filters, path, tried);
}

static void
check_properties(const Trying *t, const KgType *type,
				 const JsonbContainer *object, const char *path, int tried)
{
	JsonbValue value;
	JsonbValue field;

	if (kg_json_get(object, "filters", &value) && kg_json_is_object(&value))
		check_filters(t, type, &value, psprintf("%s/filters", path), tried);
	if (kg_json_get(object, "columns", &value) && kg_json_is_array(&value))
	{
		kg_json_each(it, kg_json_container(&value))
			check_property(t,
						   type,
						   &it.value,
						   false,
						   psprintf("%s/columns/%d", path, it.index));
	}
	if (kg_json_get(object, "sort", &value) && kg_json_is_array(&value))
	{
		kg_json_each(it, kg_json_container(&value))
			if (kg_json_is_object(&it.value) &&
				kg_json_get(kg_json_container(&it.value), "field", &field))
				check_property(t,
							   type,
							   &field,
							   true,
							   psprintf("%s/sort/%d/field", path, it.index));
	}
}

static void
check_names(const Trying *t, const KgCatalog *catalog, const JsonbValue *value,
			StringInfo path, int tried)
{
	static const char *const labels[] = {"node_label", "label"};
	const JsonbContainer *container = kg_json_container(value);
	JsonbValue label;
	int len = path->len;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (container == NULL)
		return;
	for (int i = 0; i < lengthof(labels) && kg_json_is_object(value); i++)
		if (kg_json_get(container, labels[i], &label) &&
			label.type == jbvString)
		{
			const KgType *type = kg_catalog_type(catalog,
												 kg_json_cstring(&label));

			if (type != NULL)
				check_properties(t, type, container, path->data, tried);
		}
	kg_json_each(it, container)
	{
		if (kg_json_container(&it.value) == NULL)
			continue;
		if (it.is_object)
			kg_json_pointer_append(
				path, it.key.val.string.val, it.key.val.string.len);
		else
			appendStringInfo(path, "/%d", it.index);
		check_names(t, catalog, &it.value, path, tried);
		path->len = len;
		path->data[len] = '\0';
	}
}

static void
report_too_large(const Trying *t)
{
	KG_REPORT(t->errors,
			  KG_LIMIT_EXCEEDED,
			  .message = psprintf("the arguments for tool \"%s\" exceed "
								  "kg_graph.max_argument_bytes (%d)",
								  t->op->tool,
								  kg_setting_max_argument_bytes),
			  .expected = "shorter arguments",
			  .path = psprintf("%s/arguments", t->op->path));
}

/*
 * Validates the arguments with the chosen samples. Returns whether the called
 * tool accepts them. If it refuses them, reports a fault. tried is the index of
 * the argument whose samples are being tried, or -1.
 */
static bool
try_filled(const Trying *t, int tried)
{
	const JsonbValue **values = palloc0((t->nplaces + 1) *
										sizeof(JsonbValue *));
	int64 before = t->errors->total;
	StringInfoData path;
	JsonbValue root;
	Jsonb *filled;

	for (int i = 0; i < t->nplaces; i++)
		values[i] = t->chosen[i] ? &t->chosen[i]->value : NULL;
	filled = kg_template_fill(
		t->op->arguments, values, kg_setting_max_argument_bytes);
	if (filled == NULL)
	{
		if (t->strict)
			report_too_large(t);
		return !t->strict;
	}
	*t->left -= VARSIZE(filled);
	kg_json_root(filled, &root);
	if (!try_value(t, &root, tried))
		return false;
	/*
	 * Only for fixed tools: the schema of a generated tool lists all
	 * properties.
	 */
	if (t->op->callable.fixed != NULL)
	{
		initStringInfo(&path);
		check_names(t, t->catalog, &root, &path, tried);
	}
	return t->errors->total == before;
}

/*
 * Calls try_filled() and returns its result. Then frees the memory, unless a
 * fault was reported, because the fault refers to it.
 */
static bool
try_samples(const Trying *t, int tried)
{
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph samples", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);
	bool fits = try_filled(t, tried);

	MemoryContextSwitchTo(old);
	if (fits)
		MemoryContextDelete(scratch);
	return fits;
}

static void
choose(Trying *t, int arg, const Sample *sample)
{
	for (int i = 0; i < t->nplaces; i++)
		if (t->places[i].arg == arg)
			t->chosen[i] = sample;
}

/*
 * Returns the schema of the value at a JSON Pointer in a reply. Returns NULL if
 * the schema is unknown.
 */
static const JsonbContainer *
output_at(const Jsonb *output, const char *pointer, JsonbValue *at)
{
	const JsonbContainer *schema = &output->root;

	while (*pointer == '/')
	{
		size_t len = strcspn(pointer + 1, "/");
		char *token = pnstrdup(pointer + 1, len);
		JsonbValue inner;

		pointer += 1 + len;
		if (kg_json_get(schema, "properties", &inner) &&
			kg_json_get(kg_json_container(&inner), token, at))
			schema = kg_json_container(at);
		else if (strspn(token, "0123456789") == len &&
				 kg_json_get(schema, "items", at))
			schema = kg_json_container(at);
		else
			return NULL;
		if (schema == NULL)
			return NULL;
	}
	return schema;
}

static const Sample *
sample_of_result(const Jsonb *output, const KgTemplatePlace *place)
{
	Samples *samples = new_samples(KG_MAX_SAMPLES);
	JsonbValue at;
	const JsonbContainer *schema = output_at(output, place->pointer, &at);

	if (schema != NULL)
		collect_samples(schema, 0, 0, samples);
	/*
	 * Without exactly one sample, the value may have any of several types. Then
	 * its type is unknown until the tool is called.
	 */
	if (samples->n != 1)
	{
		samples->n = 1;
		samples->list[0] = (Sample){kg_json_string_value("x"), .any = true};
	}
	return &samples->list[0];
}

/* Returns whether the schema has rules about combinations of arguments. */
static bool
is_conditional(const Jsonb *schema)
{
	static const char *const keywords[] = {"anyOf",
										   "oneOf",
										   "allOf",
										   "if",
										   "dependentRequired",
										   "dependentSchemas",
										   "minProperties",
										   NULL};
	JsonbValue value;

	for (int i = 0; keywords[i] != NULL; i++)
		if (kg_json_get(&schema->root, keywords[i], &value))
			return true;
	return false;
}

/* Validates an operation without its optional arguments. */
static void
try_without(Trying *t)
{
	const Sample **all;

	if (t->def->kind == KG_DEFINED_COMPOSITE ||
		is_conditional(t->def->input_schema))
		return;
	all = t->chosen;
	t->chosen = palloc0((t->nplaces + 1) * sizeof(Sample *));
	for (int i = 0; i < t->nplaces; i++)
		if (t->places[i].arg < 0 || t->def->required[t->places[i].arg])
			t->chosen[i] = all[i];
	(void) try_samples(t, -1);
	t->chosen = all;
}

static void
check_operation(const Trying *of, KgOperationDefined *op, Samples *const *args)
{
	const KgDefinition *def = of->def;
	const KgCatalog *catalog = of->catalog;
	Jsonb **outputs = palloc0((def->nops + 1) * sizeof(Jsonb *));
	Trying t = *of;

	t.op = op;
	t.schema = kg_schema_compile(kg_callable_input(catalog, &op->callable),
								 NULL);
	t.nplaces = kg_template_places(op->arguments, &t.places);
	t.chosen = palloc0((t.nplaces + 1) * sizeof(Sample *));
	for (int i = 0; i < t.nplaces; i++)
	{
		const KgTemplatePlace *place = &t.places[i];

		if (place->arg >= 0)
		{
			t.chosen[i] = &args[place->arg]->list[0];
			continue;
		}
		if (outputs[place->result] == NULL)
			outputs[place->result] = output_of(
				catalog, &def->ops[place->result].callable);
		t.chosen[i] = sample_of_result(outputs[place->result], place);
	}
	if (!try_samples(&t, -1))
		return;
	for (int arg = 0; arg < def->nargs; arg++)
	{
		for (int i = 1; i<args[arg]->n && * t.left> 0; i++)
		{
			CHECK_FOR_INTERRUPTS();
			choose(&t, arg, &args[arg]->list[i]);
			if (!try_samples(&t, arg))
				return;
		}
		choose(&t, arg, &args[arg]->list[0]);
	}
	if (t.strict)
		try_without(&t);
}

static Samples *
samples_of_argument(const KgDefinition *def, int arg, KgErrorList *errors)
{
	Samples *samples = new_samples(KG_MAX_SAMPLES);
	int kept = 0;

	if (JB_ROOT_IS_OBJECT(def->arg_schemas[arg]))
		collect_samples(&def->arg_schemas[arg]->root, arg + 1, 0, samples);
	for (int i = 0; i < samples->n; i++)
		if (!def->blank_is_absent || samples->list[i].value.type != jbvNull)
			samples->list[kept++] = samples->list[i];
	samples->n = kept;
	if (samples->n > 0)
		return samples;
	KG_REPORT(
		errors,
		KG_INVALID_INPUT,
		.message = psprintf("argument \"%s\" has no type", def->args[arg]),
		.path = psprintf("/input_schema/properties/%s", def->args[arg]),
		.expected = "\"type\", \"enum\" or \"const\"");
	return samples;
}

static bool
find_callable(KgOperationDefined *op, const KgCatalog *catalog,
			  KgErrorList *errors)
{
	const char **names;
	bool *writes;
	const KgFixedTool *fixed;
	int n = 0;
	KgError *err;

	if (kg_callable_find(catalog, op->tool, &op->callable))
		return true;
	if (kg_registered_name(catalog, op->tool) != NULL)
		err = kg_error_new(KG_INVALID_INPUT,
						   "registered tools cannot call registered tools");
	else
	{
		names = palloc((catalog->ntools + 100) * sizeof(char *));
		writes = palloc((catalog->ntools + 100) * sizeof(bool));
		for (int i = 0; i < catalog->ntools; i++)
		{
			writes[n] = catalog->tools[i].operation & KG_EXPOSE_WRITING;
			names[n++] = catalog->tools[i].name;
		}
		for (int i = 0; i < 100 && (fixed = kg_fixed_tool(i)) != NULL; i++)
			if (kg_fixed_tool_exists(catalog, fixed))
			{
				writes[n] = fixed->writes != NULL;
				names[n++] = fixed->name;
			}
		err = kg_error_new(KG_UNKNOWN_TOOL, "unknown tool \"%s\"", op->tool);
		kg_error_did_you_mean(err, kg_tool_meant(op->tool, names, writes, n));
	}
	kg_error_got_string(err, op->tool);
	kg_error_path(err, "%s/tool", op->path);
	kg_error_report(errors, err);
	return false;
}

/* ---- functions ---- */

/*
 * The argument and the result of look_up_function(), which runs under
 * kg_catch().
 */
typedef struct FunctionName
{
	const char *name;
	Oid oid;
} FunctionName;

static void
look_up_function(void *arg)
{
	FunctionName *function = arg;
	LOCAL_FCINFO(fcinfo, 1);
	Datum oid;

	InitFunctionCallInfoData(*fcinfo, NULL, 1, InvalidOid, NULL, NULL);
	fcinfo->args[0].value = CStringGetTextDatum(function->name);
	fcinfo->args[0].isnull = false;
	oid = to_regprocedure(fcinfo);
	if (!fcinfo->isnull)
		function->oid = DatumGetObjectId(oid);
}

Oid
kg_definition_function_named(const char *name)
{
	FunctionName function = {name, InvalidOid};

	/*
	 * Until PostgreSQL 16, the look-up raises an error for a text that is not
	 * a name.
	 */
	(void) kg_catch_refusal(KG_CATCH_MEMORY, look_up_function, &function);
	return function.oid;
}

static Oid
find_function(const KgDefinition *def)
{
	return kg_definition_function_named(def->function);
}

static const char *
function_fault(Oid oid)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(oid));
	Form_pg_proc proc;
	const char *fault = NULL;

	if (!HeapTupleIsValid(tuple))
		return "the function does not exist";
	proc = (Form_pg_proc) GETSTRUCT(tuple);
	if (proc->pronargs != 1 || proc->proargtypes.values[0] != JSONBOID ||
		proc->prorettype != JSONBOID || proc->proretset ||
		proc->prokind != PROKIND_FUNCTION)
		fault = "the function does not take one jsonb and return jsonb";
	else if (proc->prosecdef)
		fault = "the function is SECURITY DEFINER: a tool runs as its caller";
	ReleaseSysCache(tuple);
	return fault;
}

/*
 * If the function may not be registered, reports a fault. Otherwise sets
 * def->writes.
 */
static void
check_function(KgDefinition *def, KgErrorList *errors)
{
	Oid oid = find_function(def);
	const char *fault = function_fault(oid);

	if (fault == NULL)
	{
		def->writes = func_volatile(oid) == PROVOLATILE_VOLATILE;
		return;
	}
	KG_REPORT(errors,
			  KG_INVALID_INPUT,
			  .message = fault,
			  .got_string = def->function,
			  .path = "/operation",
			  .expected = "a function such as \"public.open_issues(jsonb)\", "
						  "which returns jsonb and is SECURITY INVOKER");
}

Oid
kg_definition_function(const KgDefinition *def)
{
	Oid oid = find_function(def);
	const char *fault = function_fault(oid);

	if (fault != NULL)
	{
		ereport(LOG,
				(errmsg("registered tool \"%s\" version %s cannot run: %s",
						def->name,
						def->version,
						fault)));
		kg_error_throw(kg_error_new(
			KG_INTERNAL, "the tool is broken; the server log has the reason"));
	}
	return oid;
}

/* ---- the whole definition ---- */

bool
kg_definition_bind(KgDefinition *def, const KgCatalog *catalog, bool strict,
				   KgErrorList *errors)
{
	KgErrorList own = {NIL, 1};
	KgErrorList *list = errors ? errors : &own;
	int64 before = list->total;
	Samples **args = palloc0((def->nargs + 1) * sizeof(Samples *));
	int64 left = KG_MAX_TRIED_BYTES;
	List *filters = NIL;
	Trying trying = {.def = def,
					 .catalog = catalog,
					 .base = "",
					 .strict = strict,
					 .errors = list,
					 .left = &left,
					 .filters = &filters,
					 .context = CurrentMemoryContext};

	if (def->kind == KG_DEFINED_FUNCTION)
		check_function(def, list);
	for (int i = 0; i < def->nargs && def->kind != KG_DEFINED_FUNCTION; i++)
		args[i] = samples_of_argument(def, i, list);
	for (int i = 0; i < def->nops; i++)
		if (find_callable(&def->ops[i], catalog, list))
			def->writes |= kg_callable_writes(&def->ops[i].callable);
	if (list->total == before && def->sql != NULL)
		kg_definition_check_sql(def, catalog, errors != NULL, list);
	if (list->total == before)
		for (int i = 0; i < def->nops; i++)
			check_operation(&trying, &def->ops[i], args);
	def->usable = list->total == before;
	return def->usable;
}

/* ---- the published schema of replies ---- */

static Jsonb *
output_of_sequence(const KgDefinition *def, const KgCatalog *catalog)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "type", "object");
	kg_jw_kjsonb(&w, "required", kg_json_parse("[\"results\"]"));
	kg_jw_kbegin_object(&w, "properties");
	kg_jw_kbegin_object(&w, "results");
	kg_jw_kstring(&w, "type", "object");
	kg_jw_kbegin_object(&w, "properties");
	for (int i = 0; i < def->nops; i++)
		kg_jw_kjsonb(
			&w, def->ops[i].name, output_of(catalog, &def->ops[i].callable));
	kg_jw_end_object(&w);
	kg_jw_end_object(&w);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

Jsonb *
kg_definition_output(const KgDefinition *def, const KgCatalog *catalog)
{
	if (def->output_schema != NULL)
		return kg_client_root(def->output_schema, false);
	if (def->kind == KG_DEFINED_QUERY)
		return output_of(catalog, &def->ops[0].callable);
	if (def->kind == KG_DEFINED_SEQUENCE)
		return output_of_sequence(def, catalog);
	return kg_json_parse("{\"type\": \"object\"}");
}
