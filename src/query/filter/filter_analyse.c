/*
 * filter_analyse.c
 *	  Analysis of filters against declared fields: names, operators, values.
 *
 * Every error includes the allowed values, because a model has only the error
 * to correct its call.
 */
#include "postgres.h"

#include "base/meaning.h"
#include "base/settings.h"
#include "model/term.h"
#include "query/filter/any.h"
#include "query/derived.h"
#include "query/filter/elsewhere.h"
#include "query/filter/filter.h"
#include "query/filter/sql_filter.h"
#include "query/argument/names.h"
#include "query/time/past.h"
#include "query/argument/repair.h"
#include "schema/format.h"
#include "schema/number.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

/* maximum number of names or values in an error */
#define KG_MAX_LISTED 100

KgFilterTarget
kg_filter_target_type(const KgType *type)
{
	KgFilterTarget target;

	memset(&target, 0, sizeof(target));
	target.what = psprintf("entity type \"%s\"", kg_type_handle(type));
	target.type = type;
	target.nfields = type->nfields;
	target.fields = type->fields;
	target.id_field = type->id_field;
	target.has_id = true;
	target.no_derived = true;
	return target;
}

/* With as_of, counts cannot be filtered, because past counts are not stored. */
KgFilterTarget
kg_filter_target_counted(const KgCatalog *catalog, const KgType *type)
{
	KgFilterTarget target = kg_filter_target_type(type);

	if (type->ncounted == 0 || kg_past_asked())
		return target;
	target.counted = true;
	target.kept = kg_counts_are_kept(catalog);
	target.catalog = catalog;
	return target;
}

void
kg_field_enum_value(const KgField *field, int i, JsonbValue *value)
{
	const char *text = field->enum_values[i];

	if (field->kind != KG_KIND_INTEGER && field->kind != KG_KIND_NUMBER)
	{
		*value = kg_json_string_value(text);
		return;
	}
	value->type = jbvNumeric;
	value->val.numeric = DatumGetNumeric(
		DirectFunctionCall3(numeric_in,
							CStringGetDatum(text),
							ObjectIdGetDatum(InvalidOid),
							Int32GetDatum(-1)));
}

KgFilterTarget
kg_filter_target_relation(const KgRelation *relation)
{
	KgFilterTarget target;

	memset(&target, 0, sizeof(target));
	target.what = psprintf("relation \"%s\"", relation->name);
	target.nfields = relation->nfields;
	target.fields = relation->fields;
	return target;
}

static bool
field_allowed(const KgFilterTarget *target, const KgField *field)
{
	if (field->kind == KG_KIND_OBJECT || field->kind == KG_KIND_ANY)
		return false;
	if ((field->is_array && target->no_arrays) ||
		(field->derived && target->no_derived &&
		 !(field->counted && target->counted)))
		return false;
	return field->indexed || !target->indexed_only;
}

/*
 * Looks up a property. For an id, returns NULL; but if the id is a property of
 * numbers, returns that property, because its keys are compared as numbers.
 */
static const KgField *
look_up_field(const KgFilterTarget *target, const char *name, bool *found,
			  bool *is_id)
{
	*found = true;
	*is_id = false;
	if (target->has_id)
	{
		if (strcmp(name, "id") == 0 ||
			(target->id_field && strcmp(name, target->id_field->name) == 0))
		{
			*is_id = true;
			return target->type != NULL && target->type->number_ids
					   ? target->id_field
					   : NULL;
		}
	}
	for (int i = 0; i < target->nfields; i++)
		if (strcmp(target->fields[i].name, name) == 0 &&
			field_allowed(target, &target->fields[i]))
			return &target->fields[i];
	if (kg_any_name(name) != name)
		return look_up_field(target, kg_any_name(name), found, is_id);
	*found = false;
	return NULL;
}

/* Returns the allowed names; the id is first. */
static const char **
allowed_names(const KgFilterTarget *target, int *n)
{
	const char **names = palloc((target->nfields + 1) * sizeof(char *));

	*n = 0;
	if (target->has_id)
		names[(*n)++] = "id";
	for (int i = 0; i < target->nfields; i++)
	{
		const KgField *field = &target->fields[i];

		if (!field_allowed(target, field) || field == target->id_field)
			continue;
		names[(*n)++] = field->name;
	}
	return names;
}

/*
 * Returns the attribute whose absence forbids the use of a declared property.
 */
static const char *
why_not(const KgField *field)
{
	if (field->kind == KG_KIND_OBJECT || (field->is_array && field->indexed))
		return "single value";
	if (field->kind == KG_KIND_ANY)
		return "single type";
	return field->derived ? "stored value" : "x-index";
}

/*
 * If a name combines a property and an operator, returns the operator and sets
 * the property. Otherwise returns NULL.
 */
static const char *
op_in_name(const char *name, const char *const *names, int nnames,
		   const char **property)
{
	const char *found = NULL;

	for (int i = 0; i < nnames; i++)
	{
		const char *op = kg_op_in_name(name, names[i]);

		if (op == NULL || (found != NULL && strlen(op) >= strlen(found)))
			continue;
		found = op;
		*property = names[i];
	}
	return found;
}

/*
 * Adds a correction to the error about a name that combines a property and an
 * operator: the property gets a condition with the operator.
 */
static void
instead_of_name(KgError *err, const char *op, const char *property,
				const char *path)
{
	KgInstead change = {.kind = KG_INSTEAD_KEY};
	JsonbValue value;

	if (!kg_repair_value_at(path, &value))
		return;
	change.path = path;
	change.key = property;
	change.value = kg_op_condition(op, &value);
	if (change.value != NULL)
		kg_error_change(err, &change);
}

static bool
is_within(const char *property, const char *object)
{
	size_t len = strlen(object);

	return strncmp(property, object, len) == 0 && property[len] == '.';
}

/*
 * Returns the property with the first len bytes of the name, as in
 * "buyer.region"; or NULL.
 */
static const KgField *
field_before(const KgFilterTarget *target, const char *name, int len)
{
	for (int i = 0; i < target->nfields; i++)
		if ((int) strlen(target->fields[i].name) == len &&
			strncmp(target->fields[i].name, name, len) == 0)
			return &target->fields[i];
	return NULL;
}

/*
 * Returns whether the name is a formula: it has an operator sign, or a minus
 * between two properties.
 */
static bool
is_expression(const KgFilterTarget *target, const char *name)
{
	const char *minus = strchr(name, '-');

	return strpbrk(name, "+*/%()<>=|&,") != NULL ||
		   strstr(name, " - ") != NULL ||
		   (minus != NULL &&
			field_before(target, name, (int) (minus - name)) != NULL &&
			field_before(target, minus + 1, (int) strlen(minus + 1)) != NULL);
}

/*
 * Adds an explanation to the error if the name is not a misspelt property, but
 * a formula, a path through a reference, or a part of a date. Returns false
 * for other names.
 */
static bool
tell_composed(KgError *err, const KgFilterTarget *target, const char *name,
			  const char *use)
{
	const char *dot = strchr(name, '.');
	const KgField *field = NULL;

	if (is_expression(target, name))
	{
		kg_error_expected(
			err, "the name of one property; formulas are not supported");
		return true;
	}
	if (dot != NULL)
		field = field_before(target, name, (int) (dot - name));
	if (field == NULL || field->kind == KG_KIND_OBJECT)
		return false;
	if (field->ref_type != NULL && strcmp(use, KG_USE_FILTER) == 0)
		kg_error_expected(
			err,
			"a property of the entity itself; \"related\" with \"%s\" selects "
			"by the properties of the entity to which \"%s\" refers",
			field->relation,
			field->name);
	else if (field->ref_type != NULL)
		kg_error_expected(err,
						  "a property of the entity itself; \"%s\" is a "
						  "reference to \"%s\", whose properties cannot be "
						  "used to %s",
						  field->name,
						  field->ref_type,
						  use);
	else if ((field->kind == KG_KIND_DATE || field->kind == KG_KIND_DATETIME) &&
			 strcmp(use, KG_USE_GROUP) == 0)
		kg_error_expected(err,
						  "the name of one property; {\"property\": \"%s\", "
						  "\"truncate\": \"month\"} groups by the months of "
						  "each year",
						  field->name);
	else
		kg_error_expected(err,
						  "the name of one property; \"%s\" has no part that "
						  "can be used to %s",
						  field->name,
						  use);
	return true;
}

static KG_NORETURN void
throw_unknown_field(const KgFilterTarget *targets, int ntargets,
					const char *name, const char *path, const char *use)
{
	KgError *err;
	const char **names = NULL;
	int nnames = 0;
	const char *why = NULL;
	const char *meant;
	const char *op;
	const char *property = NULL;
	bool refers = false;

	for (int t = 0; t < ntargets; t++)
	{
		int n;
		const char **more = allowed_names(&targets[t], &n);

		names = names ? repalloc(names, (nnames + n + 1) * sizeof(char *))
					  : palloc((n + 1) * sizeof(char *));
		for (int i = 0; i < n; i++)
		{
			bool have = false;

			for (int j = 0; j < nnames && !have; j++)
				have = strcmp(names[j], more[i]) == 0;
			if (!have)
				names[nnames++] = more[i];
		}
		for (int i = 0; i < targets[t].nfields; i++)
			if (strcmp(targets[t].fields[i].name, name) == 0)
			{
				why = why_not(&targets[t].fields[i]);
				refers = targets[t].fields[i].ref_type != NULL;
			}
	}
	err = why ? kg_error_new(KG_INVALID_INPUT,
							 "property \"%s\" of %s cannot be used to %s: it "
							 "has no %s",
							 name,
							 targets[0].what,
							 use,
							 why)
			  : kg_error_new(KG_INVALID_INPUT,
							 "%s has no property \"%s\"",
							 targets[0].what,
							 name);
	kg_error_path(err, "%s", path);
	kg_error_got_string(err, name);
	if (refers)
		kg_error_expected(
			err,
			"a property that can be used to %s; \"%s\" is a reference, which "
			"the tools that follow relationships can read",
			use,
			name);
	else
		kg_error_expected(err, "a property that can be used to %s", use);
	for (int i = 0; i < Min(nnames, KG_MAX_LISTED); i++)
		kg_error_allow(err, names[i]);
	op = strcmp(use, KG_USE_FILTER) == 0
			 ? op_in_name(name, names, nnames, &property)
			 : NULL;
	if (op != NULL)
	{
		instead_of_name(err, op, property, path);
		kg_error_throw(err);
	}
	if (why == NULL && tell_composed(err, &targets[0], name, use))
		kg_error_throw(err);
	meant = kg_nearest(name, names, nnames);
	/*
	 * The caller named an existing property, so only a property within it can
	 * be meant.
	 */
	if (why && meant && !is_within(meant, name))
		meant = NULL;
	kg_error_did_you_mean(err, meant);
	if (meant != NULL && kg_has_rival(name, meant, names, nnames))
		kg_error_doubt(err);
	if (ntargets == 1 && targets->type != NULL && meant == NULL && !why)
		kg_elsewhere(err, targets->type, name, path);
	kg_error_throw(err);
}

/*
 * Raises an error if the property counts edges that may not be stored yet,
 * because computed and stored counts would lack these edges.
 */
static void
require_counted(const KgFilterTarget *target, const KgField *field)
{
	if (field != NULL && field->counted && target->catalog != NULL)
		kg_counts_require(target->catalog, target->type, field);
}

const KgField *
kg_target_field(const KgFilterTarget *target, const char *name,
				const char *path, const char *use, bool *is_id)
{
	bool found;
	const KgField *field = look_up_field(target, name, &found, is_id);

	if (!found)
		throw_unknown_field(target, 1, name, path, use);
	require_counted(target, field);
	return field;
}

static const char *
kind_name(KgKind kind)
{
	switch (kind)
	{
		case KG_KIND_STRING:
			return "a string";
		case KG_KIND_ENUM:
			return "one of the declared values";
		case KG_KIND_INTEGER:
			return "an integer";
		case KG_KIND_NUMBER:
			return "a number";
		case KG_KIND_BOOLEAN:
			return "true or false";
		case KG_KIND_DATE:
			return "a date (YYYY-MM-DD)";
		case KG_KIND_DATETIME:
			return "a date-time (YYYY-MM-DDThh:mm:ssZ)";
		case KG_KIND_OBJECT:
			return "an object";
		case KG_KIND_ANY:
			break;
	}
	return "any value";
}

const char *
kg_kind_code(KgKind kind)
{
	static const char *const names[] = {"string",
										"enum",
										"integer",
										"number",
										"boolean",
										"date",
										"date-time",
										"object",
										"any"};

	return names[kind];
}

static void
check_operator(const KgCondition *condition)
{
	const KgField *field = condition->field;
	const char *name = kg_operator(condition->op)->name;
	KgError *err;

	if (kg_op_applies(condition->op, field))
		return;
	/*
	 * A flag may have been replaced by its opposite, so the name that was sent
	 * is reported.
	 */
	if (kg_operator(condition->op)->form == KG_OPERAND_FLAG)
		name = strrchr(condition->path, '/') + 1;
	err = kg_error_new(KG_INVALID_INPUT,
					   "operator \"%s\" cannot be used on property \"%s\"",
					   name,
					   condition->property);
	kg_error_path(err, "%s", condition->path);
	kg_error_got_string(err, name);
	kg_error_expected(err,
					  "an operator for %s%s",
					  field && field->is_array ? "an array; each item is " : "",
					  field ? kind_name(field->kind) : "an id");
	for (int op = 0; op < KG_NOPS; op++)
		if (kg_op_applies(op, field))
			kg_error_allow(err, kg_operator(op)->name);
	kg_error_did_you_mean(err, kg_op_instead(condition->op));
	kg_error_sure(err);
	kg_error_throw(err);
}

/*
 * Returns the folded text without blanks and the signs _ - . /, for comparing
 * labels and values of enums.
 */
static char *
bare_fold(const char *text)
{
	char *folded = kg_term_fold(text, strlen(text));
	char *out = folded;

	for (const char *p = folded; *p; p++)
		if (strchr(" _-./", *p) == NULL)
			*out++ = *p;
	*out = '\0';
	return folded;
}

/* If the value is a condition in SQL syntax, adds a correction to the error. */
static void
say_sql(KgError *err, const KgCondition *condition, const JsonbValue *value,
		const char *path)
{
	if (strcmp(path, condition->property_path) == 0)
		kg_error_instead(err, NULL, kg_sql_condition(value));
}

static KG_NORETURN void
throw_not_in_enum(const KgCondition *condition, const JsonbValue *value,
				  const char *path)
{
	const KgField *field = condition->field;
	char *text = kg_json_cstring(value);
	char *bare = bare_fold(text);
	const char *meant = NULL;
	KgError *err;

	for (int i = 0;
		 field->kind == KG_KIND_ENUM && i < field->nenum && meant == NULL;
		 i++)
		if (kg_keeps_signs(text, field->enum_values[i]) &&
			strcmp(bare, bare_fold(field->enum_values[i])) == 0)
			meant = field->enum_values[i];
	if (meant)
		err = kg_error_new(KG_INVALID_INPUT,
						   "\"%s\" is not a value of property \"%s\", but "
						   "\"%s\" is",
						   text,
						   field->name,
						   meant);
	else
	{
		err = kg_error_new(KG_INVALID_INPUT,
						   "%s is not a value of property \"%s\"",
						   value->type == jbvString ? psprintf("\"%s\"", text)
													: text,
						   field->name);
		if (field->kind == KG_KIND_ENUM)
			meant = kg_nearest(text, field->enum_values, field->nenum);
	}
	kg_error_path(err, "%s", path);
	kg_error_got(err, value);
	kg_error_expected(err, "one of the declared values, exactly as written");
	for (int i = 0; i < Min(field->nenum, KG_MAX_LISTED); i++)
	{
		JsonbValue declared;

		kg_field_enum_value(field, i, &declared);
		kg_error_allow_value(err, &declared);
	}
	kg_error_did_you_mean(err, meant);
	if (meant != NULL && field->kind == KG_KIND_ENUM &&
		kg_has_rival(text, meant, field->enum_values, field->nenum))
		kg_error_doubt(err);
	say_sql(err, condition, value, path);
	kg_error_throw(err);
}

/*
 * Returns whether the number is allowed for the field's kind: 1.5 is not an
 * integer.
 */
static bool
is_of_number_kind(const KgField *field, const JsonbValue *number)
{
	return field->kind != KG_KIND_INTEGER ||
		   kg_number_is_integer((const char *) number->val.numeric);
}

/*
 * Returns whether the number is in the field's enum. Returns true if the field
 * has no enum. 1.0 equals 1.
 */
static bool
is_declared_number(const KgField *field, const JsonbValue *number)
{
	for (int i = 0; i < field->nenum; i++)
	{
		JsonbValue declared;

		kg_field_enum_value(field, i, &declared);
		if (kg_number_compare((const char *) declared.val.numeric,
							  (const char *) number->val.numeric) == 0)
			return true;
	}
	return field->nenum == 0;
}

/*
 * Replaces a number or boolean that was sent as a string, and adds a repair to
 * the report. Also replaces an id that was sent as an integer, without a
 * report. Leaves all other values unchanged.
 */
static void
repair_value(const KgField *field, JsonbValue *value, const char *path,
			 KgRepairs *repairs)
{
	JsonbValue used;
	int64 n;

	switch (field ? field->kind : KG_KIND_STRING)
	{
		case KG_KIND_INTEGER:
		case KG_KIND_NUMBER:
			if (value->type != jbvString || !kg_json_number_of(value, &used) ||
				!is_of_number_kind(field, &used))
				return;
			break;
		case KG_KIND_BOOLEAN:
			if (value->type != jbvString || !kg_args_read_bool(value, &used))
				return;
			break;
		case KG_KIND_STRING:
			/* An integer in place of an id is accepted without a report. */
			if ((field == NULL || field->ref_type != NULL) &&
				kg_json_int64(value, &n))
				*value = kg_json_string_value(psprintf(INT64_FORMAT, n));
			return;
		case KG_KIND_ENUM:
		case KG_KIND_DATE:
		case KG_KIND_DATETIME:
		case KG_KIND_OBJECT:
		case KG_KIND_ANY:
			return;
	}
	kg_repair_add(repairs, path, value, &used);
	*value = used;
}

/*
 * Returns the operators at a path with one operator removed and the others
 * added; NULL if an operator to be added is already there.
 */
static Jsonb *
operators_with(const char *path, const char *without, const Jsonb *others)
{
	JsonbValue there;
	JsonbValue taken;
	KgJsonWriter w;

	if (!kg_repair_value_at(path, &there) || !kg_json_is_object(&there))
		return NULL;
	kg_jw_init_object(&w);
	kg_json_each(it, kg_json_container(&there))
	{
		if (kg_json_string_is(&it.key, without))
			continue;
		if (kg_json_get(&others->root, kg_json_cstring(&it.key), &taken))
			return NULL;
		kg_jw_member(&w, &it);
	}
	kg_jw_members(&w, &others->root);
	return kg_jw_finish(&w);
}

/*
 * Adds a correction to the error if a date or date-time is compared with a day,
 * month or year that is not a value of the property, or if a date is compared
 * with an instant.
 */
static void
say_days(KgError *err, const KgCondition *condition, const JsonbValue *value,
		 const char *path)
{
	const char *op = kg_operator(condition->op)->name;
	Jsonb *meant = kg_op_condition_on_days(
		condition->field->kind, condition->op, value);
	char *operators_path;

	if (meant == NULL)
		return;
	if (strcmp(kg_path_last(path), op) != 0 ||
		strcmp(path, condition->property_path) == 0)
	{
		kg_error_instead(err, path, meant);
		return;
	}
	operators_path = kg_path_parent(path);
	kg_error_instead(
		err, operators_path, operators_with(operators_path, op, meant));
}

static KG_NORETURN void
throw_bad_value(const KgCondition *condition, const JsonbValue *value,
				const char *path)
{
	const KgField *field = condition->field;
	KgError *err;

	err = kg_error_new(KG_INVALID_INPUT,
					   "property \"%s\" can be compared only with %s",
					   condition->property,
					   kind_name(field->kind));
	kg_error_path(err, "%s", path);
	kg_error_got(err, value);
	kg_error_expected(err, "%s", kind_name(field->kind));
	say_sql(err, condition, value, path);
	kg_error_instead(err, NULL, kg_meant_value(field->kind, value));
	if (value->type == jbvString && strcmp(path, condition->property_path) == 0)
		kg_error_instead(
			err,
			NULL,
			kg_op_condition_of_text(field->kind, kg_json_cstring(value)));
	if (field->kind == KG_KIND_DATE || field->kind == KG_KIND_DATETIME)
		say_days(err, condition, value, path);
	kg_error_throw(err);
}

/*
 * Raises KG_LIMIT_EXCEEDED. No stored value is this long, so the filter is a
 * mistake.
 */
static KG_NORETURN void
throw_long_value(const KgCondition *condition, const JsonbValue *value,
				 const char *path)
{
	const bytea *key = kg_key_encode(condition->field, value);
	/* length of the key without its tag byte */
	int bytes = VARSIZE_ANY_EXHDR(key) - 1;
	KG_THROW(
		KG_LIMIT_EXCEEDED,
		.message = psprintf("a value of %d bytes is compared with property "
							"\"%s\"; kg_graph.max_key_bytes allows %d",
							bytes,
							condition->property,
							kg_setting_max_key_bytes),
		.path = path,
		.got = value,
		.expected = psprintf("at most %d bytes", kg_setting_max_key_bytes));
}

/*
 * Replaces a value by the only code of the enum that differs only in case.
 * Returns false if no code differs only in case, or several do.
 */
static bool
take_other_case(const KgField *field, JsonbValue *value, const char *path,
				KgRepairs *repairs)
{
	const char *text;
	const char *code = NULL;
	JsonbValue used;

	if (field->kind != KG_KIND_ENUM || value->type != jbvString)
		return false;
	text = kg_json_cstring(value);
	for (int i = 0; i < field->nenum; i++)
	{
		if (pg_strcasecmp(field->enum_values[i], text) != 0)
			continue;
		if (code != NULL)
			return false;
		code = field->enum_values[i];
	}
	if (code == NULL)
		return false;
	used = kg_json_string_value(code);
	kg_repair_add(repairs, path, value, &used);
	*value = used;
	return true;
}

static void
analyse_value(KgCondition *condition, int i, KgRepairs *repairs)
{
	JsonbValue *value = &condition->values[i];
	const KgField *field = condition->field;
	KgOperandForm form = kg_operator(condition->op)->form;
	KgOpTest test = kg_operator(condition->op)->test;
	const char *path = condition->path;

	if (form == KG_OPERAND_LIST)
		path = kg_path_index(path, i);
	repair_value(field, value, path, repairs);
	if (form == KG_OPERAND_PART)
	{
		if (value->type != jbvString || value->val.string.len == 0)
			kg_error_throw(
				kg_args_error(path, value, "a string that is not empty"));
		return;
	}
	if (field == NULL)
	{
		if (form != KG_OPERAND_ORDERED)
			(void) kg_args_as_id(value, path);
		else if (value->type != jbvString)
			kg_error_throw(kg_args_error(path, value, "a string"));
		return;
	}
	if (value->type == jbvNumeric &&
		(field->kind == KG_KIND_INTEGER || field->kind == KG_KIND_NUMBER))
	{
		if (!is_of_number_kind(field, value))
			throw_bad_value(condition, value, path);
		if (form != KG_OPERAND_ORDERED && !is_declared_number(field, value))
			throw_not_in_enum(condition, value, path);
	}
	if (field->indexed && !kg_key_fits(field, value))
		throw_long_value(condition, value, path);
	condition->keys[i] = form == KG_OPERAND_ORDERED
							 ? kg_key_bound(field,
											value,
											test == KG_IS_ABOVE ||
												test == KG_IS_UP_TO)
							 : kg_key_encode(field, value);
	if (condition->keys[i] == NULL &&
		take_other_case(field, value, path, repairs))
		condition->keys[i] = kg_key_encode(field, value);
	if (condition->keys[i] == NULL)
	{
		if (field->kind == KG_KIND_ENUM && value->type != jbvBinary)
			throw_not_in_enum(condition, value, path);
		throw_bad_value(condition, value, path);
	}
}

/*
 * Replaces an operand that is a part of an enum's values by the values that
 * pass the operator's test. A negative operator remains and negates the test
 * with these values.
 */
static void
expand_enum_substring(KgCondition *condition)
{
	const KgField *field = condition->field;
	JsonbValue part = condition->values[0];
	int n = 0;

	condition->values = palloc(Max(1, field->nenum) * sizeof(JsonbValue));
	condition->keys = palloc(Max(1, field->nenum) * sizeof(bytea *));
	for (int i = 0; i < field->nenum; i++)
	{
		JsonbValue code = kg_json_string_value(field->enum_values[i]);

		if (!kg_op_passes_text(condition->op,
							   code.val.string.val,
							   code.val.string.len,
							   part.val.string.val,
							   part.val.string.len))
			continue;
		condition->values[n] = code;
		condition->keys[n] = kg_key_encode(field, &code);
		if (condition->keys[n] != NULL)
			n++;
	}
	condition->nvalues = n;
	if (kg_operator(condition->op)->quantity != KG_NO)
		condition->op = KG_OP_IN;
}

static int
compare_operands(const KgCondition *a, const KgCondition *b)
{
	const char *adata;
	const char *bdata;
	int alen;
	int blen;
	int cmp;

	if (a->keys)
	{
		adata = VARDATA_ANY(a->keys[0]);
		alen = VARSIZE_ANY_EXHDR(a->keys[0]);
		bdata = VARDATA_ANY(b->keys[0]);
		blen = VARSIZE_ANY_EXHDR(b->keys[0]);
	}
	else
	{
		adata = a->values[0].val.string.val;
		alen = a->values[0].val.string.len;
		bdata = b->values[0].val.string.val;
		blen = b->values[0].val.string.len;
	}
	cmp = memcmp(adata, bdata, Min(alen, blen));
	return cmp != 0 ? cmp : alen - blen;
}

/* Raises KG_INVALID_INPUT for a range that cannot contain a value. */
static void
check_ranges(const KgFilter *filter)
{
	for (int i = 0; i < filter->nconditions; i++)
	{
		const KgCondition *low = &filter->conditions[i];

		if (kg_operator(low->op)->bound != KG_BOUND_LOWER ||
			(low->field && low->field->is_array))
			continue;
		for (int j = 0; j < filter->nconditions; j++)
		{
			const KgCondition *high = &filter->conditions[j];
			int cmp;

			if (kg_operator(high->op)->bound != KG_BOUND_UPPER ||
				high->field != low->field)
				continue;
			cmp = compare_operands(low, high);
			if (cmp < 0 ||
				(cmp == 0 && low->op == KG_OP_GTE && high->op == KG_OP_LTE))
				continue;
			KG_THROW(KG_INVALID_INPUT,
					 .message = psprintf(
						 "the range of property \"%s\" is empty: no value "
						 "is %s the lower bound and %s the upper bound",
						 low->property,
						 low->op == KG_OP_GT ? "above" : "from",
						 high->op == KG_OP_LT ? "below" : "up to"),
					 .path = low->path,
					 .got = &low->values[0],
					 .expected = psprintf("a lower bound below %s",
										  kg_json_cstring(&high->values[0])));
		}
	}
}

/* Converts the condition's values to the field's keys. */
static void
analyse_condition(KgCondition *condition, KgRepairs *repairs)
{
	if (condition->field != NULL &&
		kg_operator(condition->op)->form != KG_OPERAND_PART)
		condition->keys = palloc0(Max(1, condition->nvalues) * sizeof(bytea *));
	for (int v = 0; v < condition->nvalues; v++)
		analyse_value(condition, v, repairs);
	if (condition->read_bool)
	{
		JsonbValue used;

		(void) kg_args_read_bool(condition->read_bool, &used);
		kg_repair_add(repairs, condition->path, condition->read_bool, &used);
	}
	if (condition->keys == NULL && condition->field != NULL &&
		condition->field->kind == KG_KIND_ENUM)
		expand_enum_substring(condition);
}

/*
 * Replaces a day that is compared with an instant by the span of that day in
 * UTC. The condition becomes one or two conditions, stored from "span" on.
 * Returns the number of these conditions.
 */
static int
read_day_as_span(KgCondition *span, KgRepairs *repairs)
{
	KgCondition condition = *span;
	const JsonbValue *day = &condition.values[0];
	Jsonb *operators;
	JsonbValue used;
	int n = 0;

	if (condition.field == NULL || condition.field->kind != KG_KIND_DATETIME ||
		condition.field->is_array || condition.nvalues != 1 ||
		day->type != jbvString ||
		!kg_format_date(day->val.string.val, day->val.string.len))
		return 1;
	if (condition.op == KG_OP_IN)
		condition.op = KG_OP_EQ;
	operators = kg_op_condition_on_days(KG_KIND_DATETIME, condition.op, day);
	if (operators == NULL)
		return 1;
	kg_json_root(operators, &used);
	kg_json_each(it, &operators->root)
	{
		span[n] = condition;
		span[n].values = palloc(sizeof(JsonbValue));
		span[n].values[0] = it.value;
		(void) kg_op_lookup(kg_json_cstring(&it.key), &span[n].op);
		if (JB_ROOT_COUNT(operators) == 1 && span[n].op == condition.op)
			used = it.value;
		n++;
	}
	kg_repair_add(repairs, condition.path, day, &used);
	return n;
}

/*
 * Reports a repair: a list of values was read as the operand of "in". Raises
 * KG_INVALID_INPUT for a property that is an array, because it is unclear
 * whether the array must have any or all of the values.
 */
static void
report_list(const KgCondition *condition, KgRepairs *repairs)
{
	JsonbValue used;

	if (condition->read_list == NULL)
		return;
	if (condition->field != NULL && condition->field->is_array)
		kg_filter_throw_list(condition);
	kg_json_root(
		kg_op_condition(kg_operator(KG_OP_EQ)->name, condition->read_list),
		&used);
	kg_repair_add(repairs, condition->path, condition->read_list, &used);
}

static KgFilter *
analyse_resolved(const KgFilter *parsed, const KgFilterTarget *target,
				 KgRepairs *repairs)
{
	KgFilter *filter = palloc0(sizeof(*filter));
	bool found;
	bool is_id;

	/* The condition on a day may become two conditions. */
	filter->conditions = palloc((2 * parsed->nconditions + 1) *
								sizeof(KgCondition));
	for (int i = 0; i < parsed->nconditions; i++)
	{
		KgCondition *condition = &filter->conditions[filter->nconditions];
		int n;

		*condition = parsed->conditions[i];
		condition->field = look_up_field(
			target, condition->property, &found, &is_id);
		Assert(found);
		require_counted(target, condition->field);
		condition->counts = target->counted && !target->kept &&
							condition->field != NULL &&
							condition->field->counted;
		check_operator(condition);
		report_list(condition, repairs);
		condition->values = palloc(Max(1, condition->nvalues) *
								   sizeof(JsonbValue));
		if (condition->nvalues > 0)
			memcpy(condition->values,
				   parsed->conditions[i].values,
				   condition->nvalues * sizeof(JsonbValue));
		n = read_day_as_span(condition, repairs);
		for (int c = 0; c < n; c++)
			analyse_condition(&condition[c], repairs);
		filter->nconditions += n;
	}
	check_ranges(filter);
	return filter;
}

KgFilter *
kg_filter_analyse(KgFilter *parsed, const KgFilterTarget *target,
				  KgRepairs *repairs)
{
	return kg_filter_analyse_over(parsed, target, 1, repairs)[0];
}

/* Returns whether the filters of at least one target may name the property. */
static bool
is_filterable(const KgFilterTarget *targets, int ntargets, const char *property)
{
	bool found = false;
	bool is_id;

	for (int t = 0; t < ntargets && !found; t++)
		(void) look_up_field(&targets[t], property, &found, &is_id);
	return found;
}

/*
 * Writes the members of an object by their paths: {"a": {"b": 1}} as "a.b": 1.
 * Returns false if a member is not a property.
 */
static bool
write_by_path(KgJsonWriter *w, const KgFilterTarget *targets, int ntargets,
			  const char *property, const JsonbContainer *members)
{
	kg_json_each(it, members)
	{
		char *path = psprintf("%s.%s", property, kg_json_cstring(&it.key));

		if (is_filterable(targets, ntargets, path))
		{
			kg_jw_key(w, path);
			kg_jw_value(w, &it.value);
		}
		else if (!kg_json_is_object(&it.value) ||
				 !write_by_path(
					 w, targets, ntargets, path, kg_json_container(&it.value)))
			return false;
	}
	return true;
}

/*
 * Returns the filters with the property replaced by its members; NULL if some
 * member is not a property.
 */
static Jsonb *
filters_by_path(const KgCondition *condition, const KgFilterTarget *targets,
				int ntargets, const JsonbContainer *filters)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_json_each(it, filters)
		if (!kg_json_string_is(&it.key, condition->property))
			kg_jw_member(&w, &it);
		else if (!write_by_path(&w,
								targets,
								ntargets,
								condition->property,
								condition->members))
			return NULL;
	return kg_jw_finish(&w);
}

/*
 * Adds a correction to the error: {reference: {property: value}} becomes a
 * condition on the path "reference.property".
 */
static void
mean_path(const KgCondition *condition, const KgField *reference,
		  const char *property, const JsonbValue *value)
{
	const KgType *type = kg_catalog_type_in(
		kg_running_catalog(), reference->ref_bundle, reference->ref_type);
	KgInstead change = {.kind = KG_INSTEAD_KEY,
						.path = condition->property_path,
						.value = kg_json_datum(value)};

	if (type == NULL || kg_type_field(type, property) == NULL)
		return;
	change.key = psprintf("%s.%s", reference->name, property);
	kg_error_change(condition->misread, &change);
}

/*
 * Adds a correction to the error of a condition that has no operators. The only
 * member of the condition may be a word for "contains" or for membership, such
 * as "has", or a property of the entity to which the reference refers.
 */
static void
correct_misread(const KgCondition *condition, const KgFilterTarget *target)
{
	bool found;
	bool is_id;
	const KgField *field = look_up_field(
		target, condition->property, &found, &is_id);
	KgJsonIter it;
	Jsonb *meant;
	char *name;

	if (field == NULL)
		return;
	kg_json_iter_init(&it, condition->members);
	(void) kg_json_iter_next(&it);
	name = kg_json_cstring(&it.key);
	meant = kg_op_condition_of_member(field, name, &it.value);
	if (meant != NULL)
		kg_error_instead(condition->misread, condition->property_path, meant);
	else if (field->relation_no != 0)
		mean_path(condition, field, name, &it.value);
}

/*
 * Raises the error for an object without operators. If its members are
 * properties within the property, the error corrects them to paths.
 */
static KG_NORETURN void
throw_misread(const KgCondition *condition, const KgFilterTarget *targets,
			  int ntargets)
{
	char *filters_path = kg_path_parent(condition->property_path);
	JsonbValue filters;
	Jsonb *meant = NULL;
	KgError *err;

	if (strcmp(kg_path_last(condition->property_path), condition->property) ==
			0 &&
		kg_repair_value_at(filters_path, &filters) &&
		kg_json_is_object(&filters))
		meant = filters_by_path(
			condition, targets, ntargets, kg_json_container(&filters));
	if (meant == NULL)
	{
		if (ntargets == 1 && kg_json_length(condition->members) == 1)
			correct_misread(condition, &targets[0]);
		kg_error_throw(condition->misread);
	}
	err = kg_error_new(KG_INVALID_INPUT,
					   "property \"%s\" is an object, and filters name its "
					   "members by their paths",
					   condition->property);
	kg_error_path(err, "%s", condition->property_path);
	kg_error_expected(err, "\"%s.member\": condition", condition->property);
	kg_error_instead(err, filters_path, meant);
	kg_error_throw(err);
}

/*
 * Replaces a property's name by the only name that differs only in case.
 * Returns false if no name differs only in case, or several do.
 */
static bool
take_property(KgCondition *condition, const KgFilterTarget *targets,
			  int ntargets, KgRepairs *repairs)
{
	const char *found = NULL;
	JsonbValue got;
	JsonbValue used;

	for (int t = 0; t < ntargets; t++)
	{
		int n;
		const char **names = allowed_names(&targets[t], &n);

		for (int i = 0; i < n; i++)
		{
			if (pg_strcasecmp(names[i], condition->property) != 0 ||
				(found != NULL && strcmp(found, names[i]) == 0))
				continue;
			if (found != NULL)
				return false;
			found = names[i];
		}
	}
	if (found == NULL)
		return false;
	got = kg_json_string_value(condition->property);
	used = kg_json_string_value(found);
	kg_repair_add(repairs, condition->property_path, &got, &used);
	condition->property = found;
	return true;
}

/* ---- "ne" and "in" of days ---- */

static bool
is_day(const JsonbValue *value)
{
	return value->type == jbvString &&
		   kg_format_date(value->val.string.val, value->val.string.len);
}

/*
 * Returns a condition on days as alternatives [{property: {...}}, ...]. For
 * "in", each alternative is the span of time of a day. For "ne", the two
 * alternatives are the time before the day and the time after it.
 */
static Jsonb *
day_alternatives(const KgCondition *condition)
{
	KgJsonWriter w;
	char *first;
	char *after;

	kg_jw_init_array(&w);
	for (int i = 0; i < condition->nvalues; i++)
	{
		Jsonb *span = kg_op_condition_on_days(
			KG_KIND_DATETIME, KG_OP_EQ, &condition->values[i]);

		if (condition->op == KG_OP_IN)
		{
			kg_jw_begin_object(&w);
			kg_jw_kjsonb(&w, condition->property, span);
			kg_jw_end_object(&w);
			continue;
		}
		(void) kg_meant_days(&condition->values[i], &first, &after);
		for (int side = 0; side < 2; side++)
		{
			kg_jw_begin_object(&w);
			kg_jw_kbegin_object(&w, condition->property);
			kg_jw_kstring(&w,
						  side == 0 ? "lt" : "gte",
						  psprintf("%sT00:00:00Z", side == 0 ? first : after));
			kg_jw_end_object(&w);
			kg_jw_end_object(&w);
		}
	}
	return kg_jw_finish(&w);
}

/*
 * Returns whether a condition compares instants with days by "ne", or by "in"
 * with as many days as filters may have alternatives. Returns false for arrays
 * of instants.
 */
static bool
compares_days(const KgCondition *condition, const KgFilterTarget *targets,
			  int ntargets)
{
	bool alternatives = condition->op == KG_OP_IN
							? condition->nvalues >= KG_MIN_ALTERNATIVES &&
								  condition->nvalues <= KG_MAX_ALTERNATIVES
							: condition->op == KG_OP_NE;

	if (condition->misread != NULL || !alternatives)
		return false;
	for (int i = 0; i < condition->nvalues; i++)
		if (!is_day(&condition->values[i]))
			return false;
	for (int t = 0; t < ntargets; t++)
	{
		bool found;
		bool is_id;
		const KgField *field = look_up_field(
			&targets[t], condition->property, &found, &is_id);

		if (field == NULL || field->kind != KG_KIND_DATETIME || field->is_array)
			return false;
	}
	return ntargets > 0;
}

/*
 * Replaces "ne" or "in" of days, for a property with instants, by alternatives
 * with the spans of these days in UTC. Replaces only one such condition, and
 * only if the filters have no other alternatives.
 */
static void
take_days_apart(KgFilter *parsed, const KgFilterTarget *targets, int ntargets,
				KgRepairs *repairs)
{
	for (int i = 0; i < parsed->nconditions && parsed->nany == 0; i++)
	{
		KgCondition *condition = &parsed->conditions[i];
		JsonbValue alternatives;
		JsonbValue used;
		JsonbValue got;
		Jsonb *any;

		if (!compares_days(condition, targets, ntargets))
			continue;
		any = day_alternatives(condition);
		kg_json_root(any, &alternatives);
		kg_any_parse(parsed, &alternatives, condition->property_path);
		for (int a = 0; a < parsed->nany; a++)
			for (int c = 0; c < parsed->any[a]->nconditions; c++)
				parsed->any[a]->conditions[c].path = condition->path;
		if (!kg_repair_value_at(condition->path, &got))
			got = condition->values[0];
		kg_json_root(kg_json_with(kg_json_parse("{}"), KG_ANY, &alternatives),
					 &used);
		kg_repair_add(repairs, condition->path, &got, &used);
		memmove(condition,
				condition + 1,
				(parsed->nconditions - i - 1) * sizeof(KgCondition));
		parsed->nconditions--;
		return;
	}
}

KgFilter **
kg_filter_analyse_over(KgFilter *parsed, const KgFilterTarget *targets,
					   int ntargets, KgRepairs *repairs)
{
	KgFilter **result = palloc0(Max(1, ntargets) * sizeof(KgFilter *));
	bool *usable = palloc(Max(1, ntargets) * sizeof(bool));
	bool *found = palloc(Max(1, ntargets) * sizeof(bool));
	bool reported = false;
	bool is_id;

	take_days_apart(parsed, targets, ntargets, repairs);
	for (int t = 0; t < ntargets; t++)
		usable[t] = true;
	for (int i = 0; i < parsed->nconditions; i++)
	{
		KgCondition *condition = &parsed->conditions[i];
		bool anywhere = false;

		if (condition->misread != NULL)
			throw_misread(condition, targets, ntargets);
		for (int t = 0; t < ntargets; t++)
		{
			(void) look_up_field(
				&targets[t], condition->property, &found[t], &is_id);
			anywhere |= found[t];
		}
		if (!anywhere && take_property(condition, targets, ntargets, repairs))
			for (int t = 0; t < ntargets; t++)
			{
				(void) look_up_field(
					&targets[t], condition->property, &found[t], &is_id);
				anywhere |= found[t];
			}
		for (int t = 0; t < ntargets; t++)
			usable[t] = usable[t] && found[t];
		if (!anywhere && ntargets > 0)
			throw_unknown_field(targets,
								ntargets,
								condition->property,
								condition->property_path,
								KG_USE_FILTER);
	}
	for (int t = 0; t < ntargets; t++)
	{
		KgRepairs unreported = {NIL};

		if (!usable[t])
			continue;
		result[t] = analyse_resolved(
			parsed, &targets[t], reported ? &unreported : repairs);
		reported = true;
	}
	kg_any_analyse_over(parsed, targets, ntargets, result, repairs);
	return result;
}
