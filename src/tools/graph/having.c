/*
 * graph/having.c
 *	  The argument "having" of aggregate_nodes.
 */
#include "postgres.h"

#include "base/error.h"
#include "tools/graph/having.h"
#include "utils/builtins.h"

#define KG_HAVING "having"

/* Returns whether the results of the aggregation are numbers. */
static bool
has_numbers(const KgAggregateSpec *spec)
{
	if (spec->fn != KG_FN_MIN && spec->fn != KG_FN_MAX)
		return true;
	return spec->field != NULL && (spec->field->kind == KG_KIND_INTEGER ||
								   spec->field->kind == KG_KIND_NUMBER);
}

static void
add_condition(KgHaving *having, int aggregation, KgOp op,
			  const JsonbValue *operand, const char *path)
{
	if (operand->type != jbvNumeric)
	{
		KgError *err = kg_args_error(path, operand, "a number");
		JsonbValue number = *operand;

		if (operand->type == jbvString && kg_json_number_of(operand, &number))
			kg_error_instead(err, NULL, kg_json_datum(&number));
		kg_error_throw(err);
	}
	having->conditions[having->n].aggregation = aggregation;
	having->conditions[having->n].op = op;
	having->conditions[having->n++].operand = operand->val.numeric;
}

/* Reads the operators that "having" has for a column. */
static void
read_operators(KgHaving *having, int aggregation,
			   const JsonbContainer *operators, const char *path)
{
	kg_json_each(it, operators)
	{
		char *name = kg_json_cstring(&it.key);
		const char *at = kg_path_member(path, name);
		KgOp op;

		if (!kg_op_lookup(name, &op) || op > KG_OP_LTE)
		{
			KgError *err = kg_args_error(
				at, &it.key, "an operator that compares numbers");

			for (int i = 0; i <= KG_OP_LTE; i++)
				kg_error_allow(err, kg_operator(i)->name);
			kg_error_throw(err);
		}
		add_condition(having, aggregation, op, &it.value, at);
	}
}

void
kg_having_read(KgHaving *having, const KgInput *in,
			   const KgAggregateSpec *specs, const char *const *columns,
			   int nspecs)
{
	const char *path = kg_input_path(in, KG_HAVING);
	JsonbValue value;

	having->n = 0;
	if (!kg_input_value(in, KG_HAVING, &value))
		return;
	if (!kg_json_is_object(&value))
		kg_error_throw(
			kg_args_error(path, &value, "{column: {operator: number}}"));
	having->conditions = palloc(nspecs * (KG_OP_LTE + 1) *
								sizeof(*having->conditions));
	kg_json_each(it, kg_json_container(&value))
	{
		char *name = kg_json_cstring(&it.key);
		const char *at = kg_path_member(path, name);
		int i = kg_name_among(
			name, at, "a column of aggregations", columns, nspecs);

		if (!has_numbers(&specs[i]))
			kg_error_throw(kg_args_error(at, &it.value, "a column of numbers"));
		if (kg_json_is_object(&it.value))
			read_operators(having, i, kg_json_container(&it.value), at);
		else
			add_condition(having, i, KG_OP_EQ, &it.value, at);
	}
}

bool
kg_having_passes(const KgHaving *having, const KgGroupValue *results)
{
	for (int i = 0; i < having->n; i++)
	{
		const JsonbValue *value =
			&results[having->conditions[i].aggregation].value;
		KgOp op = having->conditions[i].op;
		int order;

		if (value->type != jbvNumeric)
			return false;
		order = DatumGetInt32(DirectFunctionCall2(
			numeric_cmp,
			NumericGetDatum(value->val.numeric),
			NumericGetDatum(having->conditions[i].operand)));
		if (op == KG_OP_NE ? order == 0 : !kg_op_passes(op, order))
			return false;
	}
	return true;
}
