/*
 * filter.c
 *	  Parses and evaluates filters.
 */
#include "postgres.h"

#include "base/settings.h"
#include "model/key.h"
#include "miscadmin.h"
#include "query/filter/any.h"
#include "query/filter/sql_filter.h"
#include "query/filter/filter.h"
#include "query/argument/names.h"
#include "query/argument/repair.h"

/*
 * Returns whether the name is a connective of other query languages and not a
 * property.
 */
static bool
is_connective(const char *property)
{
	static const char *const names[] = {
		"and", "or", "not", "nor", "none", "$and", "$or", "$not", "$nor"};

	for (int i = 0; i < lengthof(names); i++)
		if (pg_strcasecmp(property, names[i]) == 0)
			return true;
	return false;
}

/*
 * Returns whether the name is "or" and its value has an allowed number of
 * alternatives.
 */
static bool
means_any(const char *property, const char *path)
{
	JsonbValue value;
	int n;

	if ((pg_strcasecmp(property, "or") != 0 &&
		 pg_strcasecmp(property, "$or") != 0) ||
		!kg_repair_value_at(path, &value) || !kg_json_is_array(&value))
		return false;
	n = kg_json_length(kg_json_container(&value));
	return n >= KG_MIN_ALTERNATIVES && n <= KG_MAX_ALTERNATIVES;
}

/*
 * Returns the filters with the conditions of an "and" added. Returns NULL if
 * the name is not "and" or its value is not an array of objects. Also returns
 * NULL if two conditions are on the same property. Sets *filters_path to the
 * path of the filters.
 */
static Jsonb *
joined_conditions(const char *property, const char *path, char **filters_path)
{
	JsonbValue value;
	JsonbValue filters;
	Jsonb *joined;
	KgJsonWriter w;
	int n = 0;

	*filters_path = kg_path_parent(path);
	if ((pg_strcasecmp(property, "and") != 0 &&
		 pg_strcasecmp(property, "$and") != 0) ||
		!kg_repair_value_at(path, &value) || !kg_json_is_array(&value) ||
		!kg_repair_value_at(*filters_path, &filters) ||
		!kg_json_is_object(&filters))
		return NULL;
	kg_jw_init_object(&w);
	kg_json_each(it, kg_json_container(&filters))
		if (!kg_json_string_is(&it.key, property))
		{
			kg_jw_member(&w, &it);
			n++;
		}
	kg_json_each(it, kg_json_container(&value))
	{
		if (!kg_json_is_object(&it.value))
			return NULL;
		kg_jw_members(&w, kg_json_container(&it.value));
		n += kg_json_length(kg_json_container(&it.value));
	}
	joined = kg_jw_finish(&w);
	return kg_json_length(&joined->root) == n ? joined : NULL;
}

static KG_NORETURN void
throw_connective(KgError *err, const char *property, const char *path)
{
	kg_error_expected(err,
					  "an object with a condition for each property, all of "
					  "which must be true, and alternatives in \"" KG_ANY
					  "\": [{...}, {...}]; the key \"%s\" does not exist",
					  property);
	if (means_any(property, path))
	{
		KgInstead change = {.kind = KG_INSTEAD_KEY};

		change.path = path;
		change.key = KG_ANY;
		kg_error_change(err, &change);
	}
	else
	{
		char *filters_path;
		Jsonb *joined = joined_conditions(property, path, &filters_path);

		kg_error_instead(err, filters_path, joined);
	}
	kg_error_throw(err);
}

/*
 * Returns the object with its operators of other languages translated; NULL if
 * an operator has no translation. If the object has one operator, whose
 * translation needs several objects, and may_be_array is true, returns an array
 * of these.
 */
static Jsonb *
meant_operators(const JsonbContainer *object, bool may_be_array)
{
	int n = 0;
	KgJsonWriter w;
	KgOp op;
	Jsonb *meant;

	kg_jw_init_object(&w);
	kg_json_each(it, object)
	{
		char *name = kg_json_cstring(&it.key);

		if (kg_op_lookup(name, &op))
		{
			kg_jw_key(&w, name);
			kg_jw_value(&w, &it.value);
			n++;
			continue;
		}
		meant = kg_op_condition(name, &it.value);
		if (meant == NULL)
			return NULL;
		if (JB_ROOT_IS_ARRAY(meant))
			return may_be_array && kg_json_length(object) == 1 ? meant : NULL;
		kg_jw_members(&w, &meant->root);
		n += kg_json_length(&meant->root);
	}
	meant = kg_jw_finish(&w);
	/*
	 * Two operators may be translated to the same operator, which would lose
	 * one of them.
	 */
	return kg_json_length(&meant->root) == n ? meant : NULL;
}

static KgError *
unknown_operator(const char *name, const char *property,
				 const char *property_path, const char *path,
				 const JsonbContainer *object)
{
	KgError *err = kg_error_new(
		KG_INVALID_INPUT, "unknown filter operator \"%s\"", name);
	const char *near = kg_op_meant(name);
	Jsonb *meant;

	kg_error_path(err, "%s", kg_path_member(path, name));
	kg_error_got_string(err, name);
	if (is_connective(property))
		throw_connective(err, property, property_path);
	meant = meant_operators(object, strcmp(path, property_path) == 0);
	kg_error_expected(err,
					  meant != NULL || near != NULL
						  ? "a value, or an object {operator: value}"
						  : "a value, or an object {operator: value}; no "
							"operator means \"%s\"",
					  name);
	for (int op = 0; op < KG_NOPS; op++)
		kg_error_allow(err, kg_operator(op)->name);
	if (meant != NULL)
		kg_error_instead(err, path, meant);
	else
		kg_error_did_you_mean(err, near);
	return err;
}

static KG_NORETURN void
throw_operand(const char *path, const JsonbValue *got, const char *expected)
{
	kg_error_throw(kg_args_error(path, got, expected));
}

/* A growing array of conditions. */
typedef struct Conditions
{
	const char *property_path; /* path of the conditions being parsed */
	/* the condition being parsed is the only one on its property */
	bool alone;
	KgCondition *array;
	int n;
	int allocated;
} Conditions;

static KgCondition *
add_condition(Conditions *conditions, const char *property, const char *path,
			  KgOp op)
{
	KgCondition *condition;

	if (conditions->n == conditions->allocated)
	{
		conditions->allocated = Max(8, conditions->allocated * 2);
		conditions->array =
			conditions->array
				? repalloc(conditions->array,
						   conditions->allocated * sizeof(KgCondition))
				: palloc(conditions->allocated * sizeof(KgCondition));
	}
	condition = &conditions->array[conditions->n++];
	memset(condition, 0, sizeof(*condition));
	condition->property = property;
	condition->property_path = conditions->property_path;
	condition->path = path;
	condition->op = op;
	return condition;
}

/*
 * Raises KG_INVALID_INPUT for an operand that is not a scalar. If the condition
 * is the only one on its property (alone), the error has a correction, unless
 * the operand is a null in place of the whole condition.
 */
static KG_NORETURN void
throw_not_scalar(const Conditions *conditions, const KgCondition *condition,
				 const JsonbValue *value)
{
	KgError *err = kg_args_error(
		condition->path,
		value,
		value->type == jbvNull ? "a value that is not null; the operator "
								 "\"is_null\" finds missing values"
		: kg_json_is_array(value)
			? "a single value; the operator \"in\" takes several values"
			: "a single value");

	/* If a property is only null, the caller may have meant to leave it out. */
	if (conditions->alone &&
		(value->type != jbvNull ||
		 strcmp(condition->path, conditions->property_path) != 0))
		kg_error_instead(
			err,
			conditions->property_path,
			kg_op_condition(kg_operator(condition->op)->name, value));
	kg_error_throw(err);
}

static void
set_scalar(const Conditions *conditions, KgCondition *condition,
		   const JsonbValue *value)
{
	if (value->type == jbvNull || value->type == jbvBinary)
		throw_not_scalar(conditions, condition, value);
	condition->nvalues = 1;
	condition->values = palloc(sizeof(JsonbValue));
	condition->values[0] = *value;
}

static void
set_list(KgCondition *condition, const JsonbValue *value)
{
	const JsonbContainer *array = kg_args_as_array(
		value, condition->path, NULL);
	int n = kg_json_length(array);

	if (n < 1 || n > KG_MAX_IN_VALUES)
	{
		JsonbValue got = kg_json_string_value(psprintf("%d values", n));

		throw_operand(condition->path,
					  &got,
					  psprintf("an array of 1 to %d values", KG_MAX_IN_VALUES));
	}
	condition->values = palloc(n * sizeof(JsonbValue));
	kg_json_each(it, array)
	{
		if (it.value.type == jbvNull || it.value.type == jbvBinary)
			throw_operand(kg_path_index(condition->path, it.index),
						  &it.value,
						  "a single value that is not null");
		condition->values[condition->nvalues++] = it.value;
	}
}

static void
set_flag(KgCondition *condition, const JsonbValue *value)
{
	JsonbValue boolean = *value;

	if (value->type == jbvString && kg_args_read_bool(value, &boolean))
	{
		JsonbValue *given = palloc(sizeof(*given));

		*given = *value;
		condition->read_bool = given;
	}
	if (boolean.type != jbvBool)
	{
		KgError *err = kg_args_error(condition->path, value, "true or false");

		kg_error_instead(err, NULL, kg_meant_bool(value));
		kg_error_throw(err);
	}
	if (!boolean.val.boolean)
		condition->op = kg_op_opposite(condition->op);
}

static void
parse_operators(Conditions *conditions, const char *property, const char *path,
				const JsonbContainer *object)
{
	if (kg_json_length(object) == 0)
	{
		JsonbValue got = kg_json_string_value("{}");

		throw_operand(path,
					  &got,
					  "a value, or an object {operator: value} with at least "
					  "one operator");
	}
	conditions->alone = kg_json_length(object) == 1 &&
						strcmp(path, conditions->property_path) == 0;
	kg_json_each(it, object)
	{
		char *name = kg_json_cstring(&it.key);
		char *member = kg_path_member(path, name);
		KgCondition *condition;
		KgOp op;

		if (!kg_op_lookup(name, &op))
		{
			condition = add_condition(conditions, property, member, KG_OP_EQ);
			condition->misread = unknown_operator(
				name, property, conditions->property_path, path, object);
			condition->members = object;
			return;
		}
		condition = add_condition(conditions, property, member, op);
		switch (kg_operator(op)->form)
		{
			case KG_OPERAND_FLAG:
				set_flag(condition, &it.value);
				break;
			case KG_OPERAND_LIST:
				set_list(condition, &it.value);
				break;
			case KG_OPERAND_VALUE:
			case KG_OPERAND_ORDERED:
			case KG_OPERAND_PART:
				set_scalar(conditions, condition, &it.value);
				break;
		}
	}
}

/*
 * Raises KG_INVALID_INPUT for an array in place of a condition. The caller
 * probably means a list of values, so the correction is a condition "in" with
 * this list.
 */
static KG_NORETURN void
throw_array(const char *path, const JsonbValue *got, const JsonbValue *array,
			const char *array_path, const char *expected)
{
	KgError *err = kg_args_error(path, got, expected);

	kg_error_instead(
		err, array_path, kg_op_condition(kg_operator(KG_OP_EQ)->name, array));
	kg_error_throw(err);
}

void
kg_filter_throw_list(const KgCondition *condition)
{
	const JsonbValue *list = condition->read_list;
	JsonbValue *first = getIthJsonbValueFromContainer(
		(JsonbContainer *) kg_json_container(list), 0);

	throw_array(kg_path_index(condition->path, 0),
				first,
				list,
				condition->path,
				"an object of operators; a list of values needs the "
				"operator \"in\"");
}

/*
 * Returns whether an array is not empty and has only scalars that are not null.
 */
static bool
is_list(const JsonbContainer *array)
{
	kg_json_each(it, array)
		if (it.value.type == jbvNull || it.value.type == jbvBinary)
			return false;
	return kg_json_length(array) > 0;
}

static void
parse_condition(Conditions *conditions, const char *property, const char *path,
				const JsonbValue *value)
{
	const JsonbContainer *array;
	KgJsonIter it;
	int n;

	if (kg_json_is_object(value))
	{
		parse_operators(conditions, property, path, kg_json_container(value));
		return;
	}
	if (!kg_json_is_array(value))
	{
		conditions->alone = strcmp(path, conditions->property_path) == 0;
		set_scalar(conditions,
				   add_condition(conditions, property, path, KG_OP_EQ),
				   value);
		return;
	}
	array = kg_json_container(value);
	if (is_list(array))
	{
		KgCondition *condition = add_condition(
			conditions, property, path, KG_OP_IN);
		JsonbValue *list = palloc(sizeof(JsonbValue));

		*list = *value;
		condition->read_list = list;
		set_list(condition, value);
		return;
	}
	n = kg_json_length(array);
	kg_json_iter_init(&it, array);
	while (n > 0 && n <= KG_MAX_CONDITION_OBJECTS && kg_json_iter_next(&it))
	{
		if (!kg_json_is_object(&it.value))
			throw_array(kg_path_index(path, it.index),
						&it.value,
						value,
						path,
						"an object {operator: value}; for a list of values, "
						"the operator \"in\" is needed");
		parse_operators(conditions,
						property,
						kg_path_index(path, it.index),
						kg_json_container(&it.value));
	}
	if (n < 1 || n > KG_MAX_CONDITION_OBJECTS)
		throw_array(path,
					value,
					value,
					path,
					psprintf("an array of 1 to %d objects of the form "
							 "{operator: value}",
							 KG_MAX_CONDITION_OBJECTS));
}

/* ---- an array of filters ---- */

static bool
is_one_of(const JsonbValue *key, const char *const *names)
{
	for (; *names != NULL; names++)
		if (kg_json_string_is(key, *names))
			return true;
	return false;
}

/*
 * Writes {"field": "tier", "op": "eq", "value": "core"} as {"tier": {"eq":
 * "core"}}. Returns false if the item has another form.
 */
static bool
write_named(const JsonbContainer *item, KgJsonWriter *w)
{
	static const char *const fields[] = {
		"field", "property", "name", "key", NULL};
	static const char *const ops[] = {"op", "operator", NULL};
	static const char *const values[] = {"value", "values", NULL};
	JsonbValue field = {.type = jbvNull};
	JsonbValue op = field;
	JsonbValue value = field;
	const char *name = "eq";
	Jsonb *meant;
	KgOp known;

	kg_json_each(it, item)
		if (is_one_of(&it.key, fields))
			field = it.value;
		else if (is_one_of(&it.key, ops))
			op = it.value;
		else if (is_one_of(&it.key, values))
			value = it.value;
		else
			return false;
	if (field.type != jbvString || value.type == jbvNull)
		return false;
	if (op.type == jbvString)
		name = kg_json_cstring(&op);
	if (!kg_op_lookup(name, &known))
	{
		meant = kg_op_condition(name, &value);
		if (meant == NULL)
			return false;
		kg_jw_keyn(w, field.val.string.val, field.val.string.len);
		kg_jw_jsonb(w, meant);
		return true;
	}
	kg_jw_keyn(w, field.val.string.val, field.val.string.len);
	kg_jw_begin_object(w);
	kg_jw_key(w, name);
	kg_jw_value(w, &value);
	kg_jw_end_object(w);
	return true;
}

/*
 * Returns the filters of an array of objects as one object; NULL if a property
 * is in several items.
 */
static Jsonb *
meant_filters(const JsonbContainer *array)
{
	KgJsonWriter w;
	Jsonb *meant;
	int n = 0;

	if (kg_json_length(array) > kg_setting_max_filters)
		return NULL;
	kg_jw_init_object(&w);
	kg_json_each(it, array)
	{
		const JsonbContainer *item = kg_json_container(&it.value);

		if (!kg_json_is_object(&it.value))
			return NULL;
		n += kg_json_length(item) > 0;
		if (write_named(item, &w))
			continue;
		/*
		 * An item with one member is a condition on the property of that name.
		 */
		if (kg_json_length(item) > 1)
			return NULL;
		kg_jw_members(&w, item);
	}
	meant = kg_jw_finish(&w);
	return kg_json_length(&meant->root) == n ? meant : NULL;
}

const JsonbContainer *
kg_filter_object(const JsonbContainer *object, const char *key,
				 const char *path)
{
	JsonbValue value;
	Jsonb *meant = NULL;

	if (kg_json_get(object, key, &value) == NULL)
		return NULL;
	if (kg_json_is_array(&value))
		meant = meant_filters(kg_json_container(&value));
	if (meant == NULL)
		meant = kg_sql_filters(&value);
	return kg_args_as_object_or(&value, kg_path_member(path, key), meant);
}

bool
kg_filter_is_empty(const KgFilter *filter)
{
	return filter->nconditions == 0 && filter->nany == 0;
}

KgFilter *
kg_filter_parse(const JsonbContainer *filters, const char *path)
{
	KgFilter *filter = palloc0(sizeof(*filter));
	Conditions conditions;

	if (filters == NULL)
		return filter;
	memset(&conditions, 0, sizeof(conditions));
	if (kg_json_length(filters) > kg_setting_max_filters)
	{
		JsonbValue got = kg_json_string_value(
			psprintf("%d properties", kg_json_length(filters)));

		kg_error_throw(
			kg_args_error(path,
						  &got,
						  psprintf("filters on at most %d properties",
								   kg_setting_max_filters)));
	}
	kg_json_each(it, filters)
	{
		char *property = kg_json_cstring(&it.key);

		conditions.property_path = kg_path_member(path, property);
		if (strcmp(property, KG_ANY) == 0)
		{
			kg_any_parse(filter, &it.value, conditions.property_path);
			continue;
		}
		parse_condition(
			&conditions, property, conditions.property_path, &it.value);
	}
	filter->nconditions = conditions.n;
	filter->conditions = conditions.array;
	return filter;
}

KgFilter *
kg_filter_parse_one(const char *property, const char *property_path,
					const char *path, const JsonbValue *condition)
{
	KgFilter *filter = palloc0(sizeof(*filter));
	Conditions conditions = {.property_path = property_path};

	parse_condition(&conditions, property, path, condition);
	filter->nconditions = conditions.n;
	filter->conditions = conditions.array;
	return filter;
}

/*
 * State of the evaluation of a condition. Values are compared by their keys, as
 * an index compares them.
 */
typedef struct MatchState
{
	const KgCondition *condition;
	bool any;	/* some item is not null */
	bool match; /* some pair of an item and a value passes the test */
	/*
	 * for KG_EVERY, indexed by value: whether some item passed the test with
	 * the value
	 */
	bool *seen;
} MatchState;

static void
match_value(const JsonbValue *value, void *arg)
{
	MatchState *state = arg;
	const KgCondition *condition = state->condition;
	const JsonbValue *part;
	bytea *key;

	if (value->type == jbvNull)
		return;
	state->any = true;
	if (condition->nvalues == 0)
		return;
	if (condition->keys == NULL)
	{
		part = &condition->values[0];
		state->match |= value->type == jbvString &&
						kg_op_passes_text(condition->op,
										  value->val.string.val,
										  value->val.string.len,
										  part->val.string.val,
										  part->val.string.len);
		return;
	}
	key = kg_key_encode(condition->field, value);
	if (key == NULL)
		return;
	for (int i = 0; i < condition->nvalues; i++)
		if (kg_op_passes(condition->op,
						 kg_key_compare(key, condition->keys[i])))
		{
			state->match = true;
			if (state->seen)
				state->seen[i] = true;
		}
	pfree(key);
}

bool
kg_condition_matches(const KgCondition *condition,
					 const JsonbContainer *document)
{
	const KgOperator *op = kg_operator(condition->op);
	MatchState state;

	memset(&state, 0, sizeof(state));
	state.condition = condition;
	if (op->quantity == KG_EVERY)
		state.seen = palloc0(condition->nvalues * sizeof(bool));
	kg_field_visit(condition->field, document, match_value, &state);
	if (!state.any)
		state.any = kg_field_is_empty(condition->field, document);
	if (op->form == KG_OPERAND_FLAG)
		return state.any == (op->test == KG_IS_PRESENT);
	switch (op->quantity)
	{
		case KG_SOME:
			return state.match;
		case KG_NO:
			return state.any && !state.match;
		case KG_EVERY:
			for (int i = 0; i < condition->nvalues; i++)
				if (!state.seen[i])
					return false;
			return true;
	}
	return false;
}

bool
kg_filter_matches(const KgFilter *filter, const JsonbContainer *document)
{
	for (int i = 0; i < filter->nconditions; i++)
		if (!kg_condition_matches(&filter->conditions[i], document))
			return false;
	for (int i = 0; i < filter->nany; i++)
		if (kg_filter_matches(filter->any[i], document))
			return true;
	return filter->nany == 0;
}
