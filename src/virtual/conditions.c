/*
 * conditions.c
 *	  Conditions of filters as SQL conditions on the columns of a typed
 *	  sub-select (source.h).
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "base/catch.h"
#include "base/json.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "virtual/conditions.h"

/* ---- values ---- */

typedef struct Conversion
{
	Oid type;
	const char *text;
	Datum value;
} Conversion;

static void
convert(void *arg)
{
	Conversion *conversion = arg;
	Oid input;
	Oid parameter;

	getTypeInputInfo(conversion->type, &input, &parameter);
	conversion->value = OidInputFunctionCall(
		input, (char *) conversion->text, parameter, -1);
}

/*
 * Converts a text to a value of the type. Returns false if the type has no
 * value with this text.
 */
static bool
value_of(Oid type, const char *text, Datum *value)
{
	Conversion conversion = {type, text};

	if (type == TEXTOID)
	{
		*value = CStringGetTextDatum(text);
		return true;
	}
	if (kg_catch(KG_CATCH_MEMORY, convert, &conversion) != NULL)
		return false;
	*value = conversion.value;
	return true;
}

int
kg_vparam(KgSqlBuilder *b, Oid type, const char *text)
{
	Datum value;

	return value_of(type, text, &value) ? kg_sql_param(b, type, value) : 0;
}

/*
 * Returns the type of the parameters with which a column is compared. Integer
 * columns are compared with a bigint, so that their indexes can be used, or
 * with a numeric if a value is not a bigint.
 */
static Oid
compared_type(Oid type, const JsonbValue *values, int n)
{
	int64 ignored;

	if (type == FLOAT4OID)
		return FLOAT8OID;
	if (type == VARCHAROID)
		return TEXTOID;
	if (!kg_vis_integer(type))
		return type;
	for (int i = 0; i < n; i++)
		if (!kg_json_int64(&values[i], &ignored))
			return NUMERICOID;
	return INT8OID;
}

static KG_NORETURN void
throw_no_value(const KgCondition *condition, const JsonbValue *value, Oid type)
{
	KgError *err = kg_error_new(
		KG_INVALID_INPUT,
		"the value of \"%s\" cannot be converted to the type of its column",
		condition->property);

	kg_error_path(err, "%s", condition->path);
	kg_error_got(err, value);
	kg_error_throw_expected(err, "a value of type %s", format_type_be(type));
}

static Datum
operand(const KgCondition *condition, int i, Oid type)
{
	const JsonbValue *value = &condition->values[i];
	Datum datum;

	if (!value_of(type, kg_json_cstring(value), &datum))
		throw_no_value(condition, value, type);
	return datum;
}

static int
operand_array(KgSqlBuilder *b, const KgCondition *condition, Oid type)
{
	Datum *values = palloc((condition->nvalues + 1) * sizeof(Datum));

	for (int i = 0; i < condition->nvalues; i++)
		values[i] = operand(condition, i, type);
	return kg_sql_param_array(b, type, values, condition->nvalues);
}

/* ---- conditions ---- */

static int
strategy_of(KgOpTest test)
{
	switch ((int) test)
	{
		case KG_IS_EQUAL:
			return BTEqualStrategyNumber;
		case KG_IS_ABOVE:
			return BTGreaterStrategyNumber;
		case KG_IS_FROM:
			return BTGreaterEqualStrategyNumber;
		case KG_IS_BELOW:
			return BTLessStrategyNumber;
		case KG_IS_UP_TO:
			return BTLessEqualStrategyNumber;
		default:
			return InvalidStrategy;
	}
}

int
kg_vstrategy(const KgCondition *condition)
{
	const KgOperator *op = kg_operator(condition->op);

	if (op->form == KG_OPERAND_PART || op->quantity == KG_NO ||
		(condition->field != NULL && condition->field->is_array))
		return InvalidStrategy;
	/* An index that serves "=" also serves IS NULL. */
	if (op->form == KG_OPERAND_FLAG)
		return op->test == KG_IS_PRESENT ? InvalidStrategy
										 : BTEqualStrategyNumber;
	return strategy_of(op->test);
}

static Oid
item_type(const KgVColumn *column, const KgField *field)
{
	Oid element = field != NULL && field->is_array
					  ? get_element_type(column->type)
					  : InvalidOid;

	return OidIsValid(element) ? getBaseType(element) : column->type;
}

static bool
condition_fits(const KgVSource *source, const KgCondition *condition)
{
	const KgField *field = condition->field;
	const KgVColumn *column;

	if (field == NULL)
		return true;
	column = kg_vsource_column(source, field);
	if (column->sql == NULL || condition->counts || field->by_version ||
		(field->is_array && !OidIsValid(get_element_type(column->type))))
		return false;
	return source->type->binding != NULL || column->type != JSONBOID;
}

bool
kg_vfilter_fits(const KgVSource *source, const KgFilter *filter)
{
	if (filter == NULL)
		return true;
	for (int i = 0; i < filter->nconditions; i++)
		if (!condition_fits(source, &filter->conditions[i]))
			return false;
	for (int i = 0; i < filter->nany; i++)
		if (!kg_vfilter_fits(source, filter->any[i]))
			return false;
	return true;
}

/*
 * Appends the condition that the text of an expression contains the operand,
 * begins with it or ends with it, as the operator demands.
 */
static void
append_part(KgSqlBuilder *b, const KgCondition *condition, const char *item)
{
	int n = kg_sql_param_text(b, kg_json_cstring(&condition->values[0]));

	switch ((int) kg_operator(condition->op)->test)
	{
		case KG_IS_PART:
			kg_sql_append(b,
						  "pg_catalog.strpos((%s)::pg_catalog.text COLLATE "
						  "pg_catalog.\"C\", $%d) > 0",
						  item,
						  n);
			break;
		case KG_IS_START:
			kg_sql_append(b,
						  "pg_catalog.starts_with((%s)::pg_catalog.text "
						  "COLLATE pg_catalog.\"C\", $%d)",
						  item,
						  n);
			break;
		default:
			kg_sql_append(b,
						  "pg_catalog.right((%s)::pg_catalog.text, "
						  "pg_catalog.length($%d)) = "
						  "$%d COLLATE pg_catalog.\"C\"",
						  item,
						  n,
						  n);
			break;
	}
}

/*
 * Appends the condition that an expression of the given type satisfies the
 * condition's operator.
 */
static void
append_test(KgSqlBuilder *b, const KgCondition *condition, const char *item,
			Oid type)
{
	const KgOperator *op = kg_operator(condition->op);
	Oid compared = compared_type(type, condition->values, condition->nvalues);
	const char *name;

	if (op->form == KG_OPERAND_PART)
	{
		append_part(b, condition, item);
		return;
	}
	name = kg_voperator(type, strategy_of(op->test));
	if (name == NULL)
	{
		/* The type has no order, so its values are compared as texts. */
		item = psprintf("(%s)::pg_catalog.text", item);
		compared = type = TEXTOID;
		name = kg_voperator(type, strategy_of(op->test));
	}
	if (compared == NUMERICOID && type != NUMERICOID)
		item = psprintf("(%s)::pg_catalog.numeric", item);
	if (op->form == KG_OPERAND_LIST)
		kg_sql_append(b,
					  "%s %s ANY ($%d)",
					  item,
					  name,
					  operand_array(b, condition, compared));
	else
		kg_sql_append(
			b,
			"%s %s $%d",
			item,
			name,
			kg_sql_param(b, compared, operand(condition, 0, compared)));
}

static void
append_array(KgSqlBuilder *b, const KgCondition *condition, const char *value,
			 Oid type)
{
	const KgOperator *op = kg_operator(condition->op);

	if (op->quantity == KG_EVERY)
	{
		kg_sql_append(b,
					  "%s OPERATOR(pg_catalog.@>) $%d",
					  value,
					  operand_array(b, condition, type));
		return;
	}
	if (op->quantity == KG_NO)
		kg_sql_append(b, "%s IS NOT NULL AND NOT ", value);
	kg_sql_append(
		b, "EXISTS (SELECT FROM pg_catalog.unnest(%s) u(item) WHERE ", value);
	append_test(b, condition, "u.item", type);
	kg_sql_append(b, ")");
}

static void
append_id(KgSqlBuilder *b, const KgVSource *source,
		  const KgCondition *condition)
{
	const KgOperator *op = kg_operator(condition->op);

	if (op->test == KG_IS_EQUAL)
	{
		const char **ids = palloc((condition->nvalues + 1) * sizeof(char *));

		for (int i = 0; i < condition->nvalues; i++)
			ids[i] = kg_json_cstring(&condition->values[i]);
		if (op->quantity == KG_NO)
			kg_sql_append(b, "NOT ");
		kg_vids(b, source->keys, source->nkeys, ids, condition->nvalues);
		return;
	}
	append_test(b,
				condition,
				source->foreign
					? psprintf("(%s COLLATE pg_catalog.\"C\")", source->id)
					: source->id,
				TEXTOID);
}

static void
append_condition(KgSqlBuilder *b, const KgVSource *source,
				 const KgCondition *condition)
{
	const KgOperator *op = kg_operator(condition->op);
	const KgField *field = condition->field;
	const KgVColumn *column;
	const char *value;
	Oid type;

	if (field == NULL)
	{
		append_id(b, source, condition);
		return;
	}
	column = kg_vsource_column(source, field);
	value = kg_vvalue(column);
	type = item_type(column, field);
	if (op->form == KG_OPERAND_FLAG)
		kg_sql_append(b,
					  "(%s) IS %sNULL",
					  value,
					  op->test == KG_IS_PRESENT ? "NOT " : "");
	else if (field->is_array)
		append_array(b, condition, value, type);
	else if (op->quantity == KG_NO)
	{
		kg_sql_append(b, "(%s) IS NOT NULL AND NOT ((", value);
		append_test(b, condition, value, type);
		kg_sql_append(b, ") IS TRUE)");
	}
	else
	{
		/*
		 * An index can serve only a condition on the column itself. So for a
		 * reference, write that condition, and in addition require that the
		 * value which the caller sees is not NULL.
		 */
		if (column->seen != NULL)
			kg_sql_append(b, "(%s) IS NOT NULL AND ", column->seen);
		append_test(b, condition, column->sql, type);
	}
}

static void
append_all(KgSqlBuilder *b, const KgVSource *source, const KgFilter *filter)
{
	for (int i = 0; i < filter->nconditions; i++)
	{
		kg_sql_append(b, i > 0 ? " AND (" : "(");
		append_condition(b, source, &filter->conditions[i]);
		kg_sql_append(b, ")");
	}
	if (filter->nconditions == 0)
		kg_sql_append(b, "true");
	if (filter->nany == 0)
		return;
	kg_sql_append(b, " AND (");
	for (int i = 0; i < filter->nany; i++)
	{
		kg_sql_append(b, i > 0 ? " OR (" : "(");
		append_all(b, source, filter->any[i]);
		kg_sql_append(b, ")");
	}
	kg_sql_append(b, ")");
}

void
kg_vfilter(KgSqlBuilder *b, const KgVSource *source, const KgFilter *filter)
{
	if (filter == NULL || kg_filter_is_empty(filter))
		return;
	kg_sql_append(b, " AND ");
	append_all(b, source, filter);
}

/* ---- ids ---- */

/*
 * Sets the values of the columns of an id. Returns false if no row can have the
 * id. The text of each value must be equal to its part of the id, so "007" is
 * not the id of the number 7.
 */
static bool
key_values(const KgVColumn *keys, int nkeys, const char *id, Datum *values)
{
	char **parts = kg_bound_id_parts(id, nkeys);

	if (parts == NULL)
		return false;
	for (int i = 0; i < nkeys; i++)
	{
		if (!value_of(keys[i].type, parts[i], &values[i]) ||
			strcmp(kg_bound_value_text(keys[i].type, values[i]), parts[i]) != 0)
			return false;
	}
	return true;
}

void
kg_vids(KgSqlBuilder *b, const KgVColumn *keys, int nkeys,
		const char *const *ids, int n)
{
	Datum *values = palloc(nkeys * sizeof(Datum));
	Datum **columns = palloc(nkeys * sizeof(Datum *));
	int found = 0;

	for (int k = 0; k < nkeys; k++)
		columns[k] = palloc((n + 1) * sizeof(Datum));
	for (int i = 0; i < n; i++)
	{
		if (!key_values(keys, nkeys, ids[i], values))
			continue;
		for (int k = 0; k < nkeys; k++)
			columns[k][found] = values[k];
		found++;
	}
	if (nkeys == 1)
	{
		kg_sql_append(b,
					  "(%s %s ANY ($%d))",
					  keys[0].sql,
					  kg_voperator(keys[0].type, BTEqualStrategyNumber),
					  kg_sql_param_array(b, keys[0].type, columns[0], found));
		return;
	}
	kg_sql_append(b, "EXISTS (SELECT FROM ROWS FROM (");
	for (int k = 0; k < nkeys; k++)
		kg_sql_append(b,
					  "%spg_catalog.unnest($%d)",
					  k > 0 ? ", " : "",
					  kg_sql_param_array(b, keys[k].type, columns[k], found));
	kg_sql_append(b, ") k(");
	for (int k = 0; k < nkeys; k++)
		kg_sql_append(b, "%sk%d", k > 0 ? ", " : "", k);
	kg_sql_append(b, ") WHERE ");
	for (int k = 0; k < nkeys; k++)
		kg_sql_append(b,
					  "%s%s %s k.k%d",
					  k > 0 ? " AND " : "",
					  keys[k].sql,
					  kg_voperator(keys[k].type, BTEqualStrategyNumber),
					  k);
	kg_sql_append(b, ")");
}
