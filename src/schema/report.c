/*
 * report.c
 *	  Recording violations: their position, keyword and expected value. The
 *	  expected value is derived from the schema itself, so the compiled form
 *	  does not contain it.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "schema/run.h"
#include "utils/json.h"

struct KgJsReport
{
	List *errors; /* List of KgSchemaError * */
	int max;
	int level; /* number of enclosing branches of anyOf and oneOf */
	/*
	 * Number of violations recorded so far, including those in branches. A
	 * large violation counts several times.
	 */
	int *made;
};

/*
 * Maximum length in bytes of a value in a phrase. The value is only for
 * orientation, so a longer one is truncated.
 */
#define MAX_PHRASE_VALUE 200
#define MAX_PHRASE_LIST 12
#define MAX_ALLOWED 50
/* Maximum number of violations recorded in one branch of anyOf or oneOf. */
#define MAX_BRANCH_ERRORS 10
/*
 * Maximum depth of nested branches, and number of violations in them. Without
 * these limits, a schema that refers to itself from its branches could exhaust
 * memory.
 */
#define MAX_BRANCH_LEVEL 32
#define MAX_BRANCH_MADE 2000
/* Number of bytes of paths and lists that count as another violation. */
#define BYTES_OF_ONE 1024
/*
 * Maximum size in bytes of a value in the output. A larger value is omitted,
 * not truncated.
 */
#define MAX_WRITTEN_VALUE 65536

static void
append_value(StringInfo out, const KgJsVal *v)
{
	JsonbValue value;
	char *text;
	int len;

	CHECK_FOR_INTERRUPTS();
	if (v->type >= KG_JS_ARRAY && v->len > MAX_WRITTEN_VALUE)
	{
		appendStringInfo(out, "%s of %u bytes", kg_type_name(v->type), v->len);
		return;
	}
	kg_val_to_value(v, &value);
	if (v->type == KG_JS_STRING)
	{
		StringInfoData quoted;

		len = v->len;
		if (len > 2 * MAX_PHRASE_VALUE)
			len = pg_mbcliplen(v->data, len, 2 * MAX_PHRASE_VALUE);
		initStringInfo(&quoted);
		escape_json(&quoted, pnstrdup(v->data, len));
		text = quoted.data;
	}
	else
		text = kg_json_cstring(&value);
	len = strlen(text);
	if (len <= MAX_PHRASE_VALUE)
		appendStringInfoString(out, text);
	else
	{
		len = pg_mbcliplen(text, len, MAX_PHRASE_VALUE);
		appendBinaryStringInfo(out, text, len);
		appendStringInfoString(out, "...");
	}
	pfree(text);
}

static void
append_list(StringInfo out, const KgJsVal *list)
{
	KgJsArrayWalk w;
	KgJsVal item;

	kg_array_begin(&w, list);
	while (kg_array_next(&w, &item))
	{
		if (w.i > 1)
			appendStringInfoString(out, ", ");
		if (w.i > MAX_PHRASE_LIST)
		{
			appendStringInfo(out, "... (%d in all)", w.n);
			break;
		}
		append_value(out, &item);
	}
}

static const char *
article_of(const KgJsVal *type)
{
	static const struct
	{
		const char *name;
		const char *phrase;
	} phrases[] = {{"array", "an array"},
				   {"boolean", "true or false"},
				   {"integer", "an integer"},
				   {"null", "null"},
				   {"number", "a number"},
				   {"object", "an object"},
				   {"string", "a string"}};

	for (int i = 0; i < lengthof(phrases); i++)
	{
		if (kg_val_is(type, phrases[i].name))
			return phrases[i].phrase;
	}
	return "a value";
}

static void
append_types(StringInfo out, const KgJsVal *v)
{
	KgJsArrayWalk w;
	KgJsVal item;

	if (v->type != KG_JS_ARRAY)
	{
		appendStringInfoString(out, article_of(v));
		return;
	}
	kg_array_begin(&w, v);
	while (kg_array_next(&w, &item))
	{
		if (w.i > 1)
			appendStringInfoString(out, w.i == w.n ? " or " : ", ");
		appendStringInfoString(out, article_of(&item));
	}
}

/*
 * Appends the property names that an object permits, for a violation by a name
 * that it does not permit.
 */
static void
append_known(StringInfo out, const KgJsNode *owner)
{
	KgJsVal properties;
	KgJsObjectWalk w;

	appendStringInfoString(out, "no property of this name");
	if (!kg_val_get(&owner->source, "properties", 10, &properties) ||
		properties.type != KG_JS_OBJECT || KG_VAL_COUNT(&properties) == 0)
		return;
	appendStringInfoString(out, "; known are ");
	kg_object_begin(&w, &properties);
	while (kg_object_next(&w))
	{
		if (w.i > 1)
			appendStringInfoString(out, ", ");
		if (w.i > MAX_PHRASE_LIST)
		{
			appendStringInfo(out, "... (%d in all)", w.n);
			break;
		}
		appendBinaryStringInfo(out, w.key, w.key_len);
	}
}

/*
 * Returns the phrase for a value that the boolean schema false refuses. The
 * keyword that contains the schema determines the phrase.
 */
static char *
expected_of_false(const KgJsFrame *frame)
{
	StringInfoData out;

	initStringInfo(&out);
	switch (frame->keyword)
	{
		case KG_KW_ADDITIONAL_PROPERTIES:
		case KG_KW_UNEVALUATED_PROPERTIES:
			append_known(&out, frame->parent->node);
			break;
		case KG_KW_PROPERTIES:
		case KG_KW_PATTERN_PROPERTIES:
		case KG_KW_PROPERTY_NAMES:
			appendStringInfoString(&out, "no property of this name");
			break;
		case KG_KW_ITEMS:
		case KG_KW_PREFIX_ITEMS:
		case KG_KW_ADDITIONAL_ITEMS:
		case KG_KW_UNEVALUATED_ITEMS:
			appendStringInfoString(&out, "no item at this place");
			break;
		default:
			appendStringInfoString(&out, "nothing: the schema is false");
			break;
	}
	return out.data;
}

static void
append_contains(StringInfo out, const KgJsVal *schema)
{
	KgJsVal count;

	appendStringInfoString(out, "an array with at least ");
	if (kg_val_get(schema, "minContains", 11, &count))
		append_value(out, &count);
	else
		appendStringInfoString(out, "1");
	if (kg_val_get(schema, "maxContains", 11, &count))
	{
		appendStringInfoString(out, " and at most ");
		append_value(out, &count);
	}
	appendStringInfoString(out, " items that match \"contains\"");
}

static char *
expected_of(const KgJsNode *node, KgKeyword keyword)
{
	static const struct
	{
		KgKeyword keyword;
		const char *before;
		const char *after;
	} simple[] = {
		{KG_KW_MINIMUM, "a number of at least ", ""},
		{KG_KW_MAXIMUM, "a number of at most ", ""},
		{KG_KW_EXCLUSIVE_MINIMUM, "a number above ", ""},
		{KG_KW_EXCLUSIVE_MAXIMUM, "a number below ", ""},
		{KG_KW_MULTIPLE_OF, "a multiple of ", ""},
		{KG_KW_MIN_LENGTH, "a string of at least ", " characters"},
		{KG_KW_MAX_LENGTH, "a string of at most ", " characters"},
		{KG_KW_PATTERN, "a string that matches ", ""},
		{KG_KW_MIN_ITEMS, "an array of at least ", " items"},
		{KG_KW_MAX_ITEMS, "an array of at most ", " items"},
		{KG_KW_MIN_PROPERTIES, "an object of at least ", " properties"},
		{KG_KW_MAX_PROPERTIES, "an object of at most ", " properties"},
		{KG_KW_CONST, "the value ", ""},
	};
	const char *name = kg_keyword_name(keyword);
	const char *phrase;
	StringInfoData out;
	KgJsVal v;

	initStringInfo(&out);
	if (!kg_val_get(&node->source, name, strlen(name), &v))
		return "a valid value";
	/*
	 * In draft-04, the keyword is a boolean that makes the bound beside it
	 * exclusive, so use the value of that bound.
	 */
	if (v.type == KG_JS_BOOL && keyword == KG_KW_EXCLUSIVE_MINIMUM)
		(void) kg_val_get(&node->source, "minimum", 7, &v);
	else if (v.type == KG_JS_BOOL && keyword == KG_KW_EXCLUSIVE_MAXIMUM)
		(void) kg_val_get(&node->source, "maximum", 7, &v);
	for (int i = 0; i < lengthof(simple); i++)
	{
		if (simple[i].keyword == keyword)
		{
			appendStringInfoString(&out, simple[i].before);
			append_value(&out, &v);
			appendStringInfoString(&out, simple[i].after);
			return out.data;
		}
	}
	switch ((int) keyword)
	{
		case KG_KW_TYPE:
			append_types(&out, &v);
			if (v.type != KG_JS_ARRAY && !kg_val_is(&v, "null") &&
				(node->types & (1 << KG_JS_NULL)) != 0)
				appendStringInfoString(&out, " or null");
			break;
		case KG_KW_ENUM:
			appendStringInfoString(&out, "one of ");
			append_list(&out, &v);
			break;
		case KG_KW_FORMAT:
			phrase = kg_format_phrase(v.data, v.len);
			appendStringInfoString(&out, phrase ? phrase : "a value");
			break;
		case KG_KW_UNIQUE_ITEMS:
			appendStringInfoString(&out, "an array without equal items");
			break;
		case KG_KW_CONTAINS:
			append_contains(&out, &node->source);
			break;
		case KG_KW_ANY_OF:
			appendStringInfo(&out,
							 "a value that matches one or more of %d schemas",
							 KG_VAL_COUNT(&v));
			break;
		case KG_KW_ONE_OF:
			appendStringInfo(&out,
							 "a value that matches exactly one of %d schemas",
							 KG_VAL_COUNT(&v));
			break;
		case KG_KW_NOT:
			appendStringInfoString(
				&out, "a value that the schema in \"not\" refuses");
			break;
		default:
			appendStringInfoString(&out, "a valid value");
			break;
	}
	return out.data;
}

/* ---- paths ---- */

static void
append_step(StringInfo out, int kind, const char *name, uint32 len)
{
	if (kind == KG_STEP_NAME)
		kg_json_pointer_append(out, name, len);
	else if (kind == KG_STEP_INDEX)
		appendStringInfo(out, "/%u", len);
}

static void
append_instance_path(StringInfo out, const KgJsFrame *frame)
{
	if (frame->parent == NULL)
		return;
	append_instance_path(out, frame->parent);
	append_step(out, frame->token, frame->token_name, frame->token_len);
}

static void
append_evaluation_path(StringInfo out, const KgJsFrame *frame)
{
	if (frame->parent == NULL)
		return;
	append_evaluation_path(out, frame->parent);
	appendStringInfo(out, "/%s", kg_keyword_name((KgKeyword) frame->keyword));
	append_step(out, frame->sub, frame->sub_name, frame->sub_len);
}

/*
 * Returns the approximate number of digits that a number has when written;
 * 1e131071 is written with as many digits.
 */
static int
written_digits(const KgJsVal *number)
{
	KgDigits d;

	kg_number_digits(number->data, &d);
	return 4 * (Max(d.weight + 1, 0) + Max(d.n - d.weight - 1, 0));
}

/*
 * Returns a value for the report. Long strings are truncated. Large containers
 * and long numbers are replaced by a description.
 */
static Jsonb *
shortened(const KgJsVal *val)
{
	JsonbValue value;

	kg_val_to_value(val, &value);
	if (val->type == KG_JS_STRING && val->len > MAX_PHRASE_VALUE)
		value.val.string.len = pg_mbcliplen(
			val->data, val->len, MAX_PHRASE_VALUE);
	else if (val->type == KG_JS_NUMBER &&
			 written_digits(val) > MAX_PHRASE_VALUE)
		value = kg_json_string_value(
			psprintf("(number of %d digits)", written_digits(val)));
	else if (val->type >= KG_JS_ARRAY && val->len > MAX_PHRASE_VALUE)
		value = kg_json_string_value(
			psprintf("(%s of %u bytes)", kg_type_name(val->type), val->len));
	return kg_json_datum(&value);
}

/*
 * For each subschema on the path, records the lengths of its prefixes of
 * keyword_location and instance_path.
 */
static void
record_steps(KgSchemaError *error, const KgJsFrame *frame)
{
	const KgJsFrame *f;
	StringInfoData keyword;
	StringInfoData instance;
	int i;

	for (f = frame; f->parent != NULL; f = f->parent)
		error->nsteps++;
	error->steps = palloc(Max(error->nsteps, 1) * 2 * sizeof(int));
	i = error->nsteps;
	for (f = frame; f->parent != NULL; f = f->parent)
	{
		i--;
		initStringInfo(&keyword);
		initStringInfo(&instance);
		appendStringInfo(
			&keyword, "/%s", kg_keyword_name((KgKeyword) f->keyword));
		append_step(&keyword, f->sub, f->sub_name, f->sub_len);
		append_step(&instance, f->token, f->token_name, f->token_len);
		error->steps[2 * i] = keyword.len;
		error->steps[2 * i + 1] = instance.len;
		pfree(keyword.data);
		pfree(instance.data);
	}
	for (i = 2; i < 2 * error->nsteps; i++)
		error->steps[i] += error->steps[i - 2];
}

/*
 * Lists the strings of an enum or, for an undeclared property, the declared
 * properties.
 */
static void
list_allowed(KgSchemaError *error, const KgJsFrame *frame, KgKeyword keyword)
{
	const KgJsNode *owner = frame->node;
	KgJsVal v;
	KgJsVal item;
	KgJsArrayWalk wa;
	KgJsObjectWalk wo;

	if (keyword == KG_KW_ENUM && kg_val_get(&owner->source, "enum", 4, &v) &&
		v.type == KG_JS_ARRAY)
	{
		kg_array_begin(&wa, &v);
		while (kg_array_next(&wa, &item) && wa.i <= MAX_ALLOWED)
		{
			if (item.type == KG_JS_STRING)
				error->allowed = lappend(error->allowed, kg_val_cstring(&item));
		}
	}
	else if (keyword == KG_KW_NONE && frame->parent != NULL &&
			 (frame->keyword == KG_KW_ADDITIONAL_PROPERTIES ||
			  frame->keyword == KG_KW_UNEVALUATED_PROPERTIES) &&
			 kg_val_get(&frame->parent->node->source, "properties", 10, &v) &&
			 v.type == KG_JS_OBJECT)
	{
		kg_object_begin(&wo, &v);
		while (kg_object_next(&wo) && wo.i <= MAX_ALLOWED)
			error->allowed = lappend(error->allowed,
									 pnstrdup(wo.key, wo.key_len));
	}
}

static void
find_meant(KgSchemaError *error, const KgJsFrame *frame, const KgJsVal *val)
{
	const char **names;
	ListCell *lc;
	char *given;

	if (error->allowed == NIL)
		return;
	if (strcmp(error->keyword, "enum") != 0)
		given = pnstrdup(frame->token_name, frame->token_len);
	else if (val->type == KG_JS_STRING && val->len <= MAX_PHRASE_VALUE)
		given = kg_val_cstring(val);
	else
		return;
	names = palloc(list_length(error->allowed) * sizeof(char *));
	foreach(lc, error->allowed)
		names[foreach_current_index(lc)] = lfirst(lc);
	error->did_you_mean = kg_nearest(given, names, list_length(error->allowed));
}

static KgSchemaError *
make_error(const KgJsFrame *frame, KgKeyword keyword, const KgJsVal *val,
		   const char *expected)
{
	KgSchemaError *error = palloc0(sizeof(KgSchemaError));
	const KgJsNode *node = frame->node;
	const char *suffix = "";
	StringInfoData s;

	if (keyword == KG_KW_NONE)
		error->keyword = frame->keyword == KG_KW_NONE
							 ? "false"
							 : kg_keyword_name((KgKeyword) frame->keyword);
	else
	{
		error->keyword = kg_keyword_name(keyword);
		suffix = psprintf("/%s", error->keyword);
	}
	initStringInfo(&s);
	append_instance_path(&s, frame);
	error->instance_path = s.data;
	initStringInfo(&s);
	append_evaluation_path(&s, frame);
	appendStringInfoString(&s, suffix);
	error->keyword_location = s.data;
	error->schema_path = psprintf(
		"%s%s%s%s",
		node->resource->document ? node->resource->document : "",
		node->resource->document ? "#" : "",
		node->pointer,
		suffix);
	if (strncmp(node->resource->uri, "kg:/", 4) != 0)
		error->absolute_location = psprintf("%s#%s%s",
											node->resource->uri,
											node->pointer +
												strlen(node->resource->pointer),
											suffix);
	error->value = shortened(val);
	error->expected = pstrdup(expected);
	record_steps(error, frame);
	list_allowed(error, frame, keyword);
	find_meant(error, frame, val);
	return error;
}

/*
 * Returns the size of a violation without its causes, because the causes were
 * counted when they were recorded.
 */
static Size
error_bytes(const KgSchemaError *error)
{
	Size bytes = strlen(error->instance_path) + strlen(error->schema_path) +
				 strlen(error->keyword_location) + strlen(error->expected) +
				 error->nsteps * 2 * sizeof(int) + VARSIZE(error->value);
	ListCell *lc;

	foreach(lc, error->allowed)
		bytes += strlen(lfirst(lc));
	return bytes;
}

static void
add_error(KgJsRun *run, KgSchemaError *error)
{
	KgJsReport *report = run->report;

	CHECK_FOR_INTERRUPTS();
	report->errors = lappend(report->errors, error);
	*report->made += 1 + error_bytes(error) / BYTES_OF_ONE;
	if (list_length(report->errors) >= report->max)
		run->report = NULL;
}

void
kg_report(KgJsRun *run, const KgJsFrame *frame, KgKeyword keyword,
		  const KgJsVal *val)
{
	add_error(run,
			  make_error(frame,
						 keyword,
						 val,
						 keyword == KG_KW_NONE
							 ? expected_of_false(frame)
							 : expected_of(frame->node, keyword)));
}

void
kg_report_missing(KgJsRun *run, const KgJsFrame *frame, KgKeyword keyword,
				  const KgJsVal *val, const char *name, int len)
{
	StringInfoData expected;
	KgSchemaError *error;

	initStringInfo(&expected);
	appendStringInfoString(&expected, "an object with the property ");
	escape_json(&expected, pnstrdup(name, len));
	error = make_error(frame, keyword, val, expected.data);
	error->missing = pnstrdup(name, len);
	add_error(run, error);
}

/*
 * Returns a measure of how unlikely it is that a branch was intended, from its
 * violations. A wrong type of the value itself counts most. A wrong constant or
 * enum value counts next, because these often distinguish branches.
 */
static int
distance(const List *errors, const char *instance_path)
{
	ListCell *lc;
	int score = 0;

	foreach(lc, errors)
	{
		const KgSchemaError *error = lfirst(lc);

		score += 1;
		if (strcmp(error->keyword, "type") == 0 &&
			strcmp(error->instance_path, instance_path) == 0)
			score += 1000;
		else if (strcmp(error->keyword, "const") == 0 ||
				 strcmp(error->keyword, "enum") == 0)
			score += 30;
	}
	return score;
}

/*
 * Returns true if the $ref of a schema equals the name, or ends with it as its
 * last segment.
 */
static bool
ref_names(const KgJsVal *schema, const KgJsVal *name)
{
	KgJsVal ref;
	int begin;

	if (!kg_val_get(schema, "$ref", 4, &ref) || ref.type != KG_JS_STRING ||
		ref.len < name->len)
		return false;
	begin = ref.len - name->len;
	return memcmp(ref.data + begin, name->data, name->len) == 0 &&
		   (begin == 0 || ref.data[begin - 1] == '/');
}

/*
 * Returns the index of the branch that OpenAPI's discriminator names for this
 * value, or -1. The discriminator does not decide whether the value is valid,
 * only which violations are reported.
 */
static int
discriminated(const KgJsNode *node, KgKeyword keyword, const KgJsVal *val)
{
	const char *name = kg_keyword_name(keyword);
	KgJsVal discriminator;
	KgJsVal property;
	KgJsVal mapping;
	KgJsVal value;
	KgJsVal target;
	KgJsVal list;
	KgJsVal item;
	KgJsArrayWalk w;

	if (val->type != KG_JS_OBJECT ||
		!kg_val_get(&node->source, "discriminator", 13, &discriminator) ||
		discriminator.type != KG_JS_OBJECT ||
		!kg_val_get(&discriminator, "propertyName", 12, &property) ||
		property.type != KG_JS_STRING ||
		!kg_val_get(val, property.data, property.len, &value) ||
		value.type != KG_JS_STRING ||
		!kg_val_get(&node->source, name, strlen(name), &list))
		return -1;
	if (kg_val_get(&discriminator, "mapping", 7, &mapping) &&
		mapping.type == KG_JS_OBJECT &&
		kg_val_get(&mapping, value.data, value.len, &target) &&
		target.type == KG_JS_STRING)
		value = target;
	kg_array_begin(&w, &list);
	while (kg_array_next(&w, &item))
	{
		if (item.type == KG_JS_OBJECT && ref_names(&item, &value))
			return w.i - 1;
	}
	return -1;
}

void
kg_report_branches(KgJsRun *run, const KgJsFrame *frame, const KgJsInstr *instr,
				   const KgJsVal *val)
{
	KgJsReport *outer = run->report;
	const KgJsNodeList *list = instr->u.list;
	KgSchemaError *error;
	StringInfoData expected;
	int named = discriminated(frame->node, instr->keyword, val);
	int best = -1;
	int best_score = PG_INT32_MAX;
	int matched = 0;

	if (outer->level >= MAX_BRANCH_LEVEL || *outer->made >= MAX_BRANCH_MADE)
	{
		kg_report(run, frame, instr->keyword, val);
		return;
	}
	error = make_error(
		frame, instr->keyword, val, expected_of(frame->node, instr->keyword));
	initStringInfo(&expected);
	appendStringInfoString(&expected, error->expected);
	for (int i = 0; i < list->n && list_length(error->causes) < outer->max; i++)
	{
		KgJsReport branch = {
			NIL, MAX_BRANCH_ERRORS, outer->level + 1, outer->made};
		int score;

		run->report = &branch;
		if (kg_eval_in_place(
				run, frame, list->node[i], instr->keyword, i, val, NULL))
		{
			appendStringInfo(
				&expected, matched++ ? " and %d" : ", not both %d", i);
			continue;
		}
		score = i == named ? 0 : distance(branch.errors, error->instance_path);
		if (score < best_score)
		{
			best = i;
			best_score = score;
			error->nearest = list_length(error->causes);
			error->nearest_count = list_length(branch.errors);
		}
		error->causes = list_concat(error->causes, branch.errors);
	}
	run->report = outer;
	if (matched > 0)
	{
		/*
		 * If several branches of oneOf match, the violations in the branches
		 * that do not match are not the cause.
		 */
		error->causes = NIL;
		error->nearest_count = 0;
	}
	else if (error->nearest_count > 0)
	{
		const KgSchemaError *first = list_nth(error->causes, error->nearest);

		appendStringInfo(&expected,
						 "; the nearest is %d, where %s must be %s",
						 best,
						 first->instance_path[0] ? first->instance_path
												 : "the value",
						 first->expected);
	}
	error->expected = expected.data;
	add_error(run, error);
}

List *
kg_schema_errors(const KgSchema *schema, const JsonbValue *instance,
				 int max_errors)
{
	int made = 0;
	KgJsReport report = {NIL, Max(max_errors, 1), 0, &made};

	kg_run_root(schema, instance, &report);
	return report.errors;
}
