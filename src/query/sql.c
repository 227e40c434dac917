/*
 * sql.c
 *	  Builds SQL text: the statement builder and the conditions of filters.
 */
#include "postgres.h"

#include "base/compat.h"
#include "base/extension.h"
#include "base/spi.h"
#include "model/counted.h"
#include "model/key.h"
#include "catalog/pg_type.h"
#include "query/time/past.h"
#include "query/sql.h"
#include "query/time/validity.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static const char *
table_of(const char *name, const char *part)
{
	const char *past = kg_past_table(name, part);
	const char *valid = kg_validity_condition(name);
	const char *table = past ? past : kg_qualified(name);

	if (valid == NULL)
		return table;
	return psprintf(
		"(SELECT * FROM %s%s WHERE %s)", table, past ? " t" : "", valid);
}

const char *
kg_sql_table(const char *name)
{
	return table_of(name, NULL);
}

const char *
kg_sql_entities_of(const char *nodes)
{
	return table_of("kg_entity", nodes);
}

const char *
kg_sql_keys_of(int type, int field)
{
	return table_of("kg_index_key", psprintf("$%d, $%d", type, field));
}

void
kg_sql_start(KgSqlBuilder *b, const KgCatalog *catalog)
{
	memset(b, 0, sizeof(*b));
	initStringInfo(&b->sql);
	b->maxargs = 16;
	b->argtypes = palloc(b->maxargs * sizeof(Oid));
	b->values = palloc(b->maxargs * sizeof(Datum));
	b->plain_visibility = kg_validity_rows_suffice(catalog);
	(void) kg_sql_param_text(b, catalog->tenant);
}

int
kg_sql_param(KgSqlBuilder *b, Oid type, Datum value)
{
	if (b->nargs == b->maxargs)
	{
		b->maxargs *= 2;
		b->argtypes = repalloc(b->argtypes, b->maxargs * sizeof(Oid));
		b->values = repalloc(b->values, b->maxargs * sizeof(Datum));
	}
	b->argtypes[b->nargs] = type;
	b->values[b->nargs] = value;
	return ++b->nargs;
}

int
kg_sql_param_text(KgSqlBuilder *b, const char *text)
{
	return kg_sql_param(b, TEXTOID, CStringGetTextDatum(text));
}

int
kg_sql_param_int64(KgSqlBuilder *b, int64 n)
{
	return kg_sql_param(b, INT8OID, Int64GetDatum(n));
}

int
kg_sql_param_field(KgSqlBuilder *b, const KgField *field)
{
	return kg_sql_param(b, INT4OID, Int32GetDatum(field->field_no));
}

int
kg_sql_param_bytea(KgSqlBuilder *b, const bytea *value)
{
	return kg_sql_param(b, BYTEAOID, PointerGetDatum(value));
}

int
kg_sql_param_array(KgSqlBuilder *b, Oid element, const Datum *values, int n)
{
	int16 typlen;
	bool typbyval;
	char typalign;
	ArrayType *array;

	get_typlenbyvalalign(element, &typlen, &typbyval, &typalign);
	array = construct_array(
		(Datum *) values, n, element, typlen, typbyval, typalign);
	return kg_sql_param(b, get_array_type(element), PointerGetDatum(array));
}

int
kg_sql_param_texts(KgSqlBuilder *b, char *const *texts, int n)
{
	return kg_sql_param(
		b, TEXTARRAYOID, kg_text_array((const char *const *) texts, n));
}

int
kg_sql_param_missing(KgSqlBuilder *b)
{
	if (b->missing == 0)
		b->missing = kg_sql_param_bytea(b, kg_key_missing());
	return b->missing;
}

void
kg_sql_append(KgSqlBuilder *b, const char *fmt, ...)
{
	for (;;)
	{
		va_list args;
		int needed;

		va_start(args, fmt);
		needed = appendStringInfoVA(&b->sql, fmt, args);
		va_end(args);
		if (needed == 0)
			return;
		enlargeStringInfo(&b->sql, needed);
	}
}

/*
 * Selects by an equality in a lateral subselect for each value, not by a list
 * of values (= ANY).
 *
 * The planner uses a list as an index condition only if it estimates many rows
 * for the index columns before it. For dependent columns, such as a tenant and
 * its types, it estimates one row. An equality is always an index condition.
 */
void
kg_sql_begin_each(KgSqlBuilder *b, const char *table, const char *columns,
				  int values)
{
	kg_sql_append(b,
				  "pg_catalog.unnest($%d) u(v) CROSS JOIN LATERAL (SELECT %s "
				  "FROM %s x WHERE x.tenant = $1",
				  values,
				  columns,
				  table);
}

void
kg_sql_end_each(KgSqlBuilder *b, const char *column, const char *alias)
{
	kg_sql_append(b, " AND x.%s = u.v OFFSET 0) %s", column, alias);
}

static int
param_keys(KgSqlBuilder *b, const KgCondition *condition)
{
	return kg_sql_param_array(
		b, BYTEAOID, (const Datum *) condition->keys, condition->nvalues);
}

/* Returns the SQL operator that compares a key or id with a single value. */
static const char *
comparison(KgOp op)
{
	switch (kg_operator(op)->test)
	{
		case KG_IS_EQUAL:
			return " = ";
		case KG_IS_ABOVE:
			return " > ";
		case KG_IS_FROM:
			return " >= ";
		case KG_IS_BELOW:
			return " < ";
		case KG_IS_UP_TO:
			return " <= ";
		case KG_IS_PART:
		case KG_IS_START:
		case KG_IS_END:
		case KG_IS_PRESENT:
		case KG_IS_MISSING:
			break;
	}
	elog(ERROR, "operator \"%s\" compares nothing", kg_operator(op)->name);
}

/* Appends the condition that the property has a value. */
static void
append_present(KgSqlBuilder *b, const char *key)
{
	kg_sql_append(b, " AND %s < $%d", key, kg_sql_param_missing(b));
}

/*
 * Appends a condition on a part of a text. The key of a text is a tag byte and
 * the text.
 */
static void
key_part_condition(KgSqlBuilder *b, const char *key,
				   const KgCondition *condition)
{
	const char *text = condition->values[0].val.string.val;
	int len = condition->values[0].val.string.len;
	bytea *part;
	int n;

	if (kg_operator(condition->op)->test == KG_IS_START)
	{
		kg_sql_append(b,
					  " AND %s >= $%d",
					  key,
					  kg_sql_param_bytea(b, kg_key_prefix_low(text, len)));
		kg_sql_append(b,
					  " AND %s < $%d",
					  key,
					  kg_sql_param_bytea(b, kg_key_prefix_high(text, len)));
		return;
	}
	part = palloc(VARHDRSZ + len);
	SET_VARSIZE(part, VARHDRSZ + len);
	memcpy(VARDATA(part), text, len);
	n = kg_sql_param_bytea(b, part);
	if (kg_operator(condition->op)->test == KG_IS_PART)
		kg_sql_append(
			b,
			" AND pg_catalog.position(pg_catalog.substr(%s, 2), $%d) > 0",
			key,
			n);
	else
		kg_sql_append(b,
					  " AND pg_catalog.length(%s) > pg_catalog.length($%d) AND "
					  "pg_catalog.substr(%s, pg_catalog.length(%s) - "
					  "pg_catalog.length($%d) + 1) = $%d",
					  key,
					  n,
					  key,
					  key,
					  n,
					  n);
	append_present(b, key);
}

static void
key_comparison(KgSqlBuilder *b, const char *key, const KgCondition *condition)
{
	KgOpBound bound = kg_operator(condition->op)->bound;

	kg_sql_append(b,
				  " AND %s%s$%d",
				  key,
				  comparison(condition->op),
				  kg_sql_param_bytea(b, condition->keys[0]));
	/* A missing value sorts after every key. */
	if (bound == KG_BOUND_LOWER)
		append_present(b, key);
	/* An array without items sorts before every item. */
	if (bound == KG_BOUND_UPPER && condition->field->is_array)
		kg_sql_append(
			b, " AND %s > $%d", key, kg_sql_param_bytea(b, kg_key_empty()));
}

/* Appends the operator's test of a key. For KG_NO the caller negates it. */
static void
key_test(KgSqlBuilder *b, const char *key, const KgCondition *condition)
{
	const KgOperator *op = kg_operator(condition->op);

	switch (op->form)
	{
		case KG_OPERAND_VALUE:
		case KG_OPERAND_ORDERED:
			key_comparison(b, key, condition);
			break;
		case KG_OPERAND_PART:
			/*
			 * For an enum, analysis has replaced the part by the codes that
			 * contain it.
			 */
			if (condition->field->kind != KG_KIND_ENUM)
			{
				key_part_condition(b, key, condition);
				break;
			}
			pg_fallthrough;
		case KG_OPERAND_LIST:
			kg_sql_append(
				b, " AND %s = ANY ($%d)", key, param_keys(b, condition));
			break;
		case KG_OPERAND_FLAG:
			if (op->test == KG_IS_PRESENT)
				append_present(b, key);
			else
				kg_sql_append(b, " AND %s = $%d", key, kg_sql_param_missing(b));
			break;
	}
}

void
kg_sql_key_condition(KgSqlBuilder *b, const char *key,
					 const KgCondition *condition)
{
	if (kg_operator(condition->op)->quantity != KG_NO)
	{
		key_test(b, key, condition);
		return;
	}
	kg_sql_append(b, " AND NOT (true");
	key_test(b, key, condition);
	kg_sql_append(b, ")");
	append_present(b, key);
}

static void
id_part_condition(KgSqlBuilder *b, const char *id, KgOpTest test,
				  const char *text)
{
	int n = kg_sql_param_text(b, text);

	if (test == KG_IS_PART)
		kg_sql_append(b, " AND pg_catalog.strpos(%s, $%d) > 0", id, n);
	else if (test == KG_IS_END)
		kg_sql_append(b,
					  " AND pg_catalog.right(%s, pg_catalog.length($%d)) = $%d",
					  id,
					  n,
					  n);
	else
	{
		/* The prefix is written as a range, so that an index serves it. */
		kg_sql_append(b, " AND %s >= $%d", id, n);
		kg_sql_append(b,
					  " AND %s < $%d",
					  id,
					  kg_sql_param_text(b, kg_text_prefix_high(text)));
	}
}

/* Appends the operator's test of an id, an expression of type text. */
static void
id_test(KgSqlBuilder *b, const char *id, const KgCondition *condition)
{
	const KgOperator *op = kg_operator(condition->op);
	Datum *ids;

	switch (op->form)
	{
		case KG_OPERAND_VALUE:
		case KG_OPERAND_ORDERED:
			kg_sql_append(
				b,
				" AND %s%s$%d",
				id,
				comparison(condition->op),
				kg_sql_param_text(b, kg_json_cstring(&condition->values[0])));
			break;
		case KG_OPERAND_LIST:
			ids = palloc(condition->nvalues * sizeof(Datum));
			for (int i = 0; i < condition->nvalues; i++)
				ids[i] = CStringGetTextDatum(
					kg_json_cstring(&condition->values[i]));
			kg_sql_append(
				b,
				" AND %s = ANY ($%d)",
				id,
				kg_sql_param_array(b, TEXTOID, ids, condition->nvalues));
			break;
		case KG_OPERAND_PART:
			id_part_condition(
				b, id, op->test, kg_json_cstring(&condition->values[0]));
			break;
		case KG_OPERAND_FLAG:
			elog(ERROR, "an id is never missing");
	}
}

/* Appends a condition on an id, which always has a value. */
static void
id_condition(KgSqlBuilder *b, const char *id, const KgCondition *condition)
{
	bool no = kg_operator(condition->op)->quantity == KG_NO;

	if (no)
		kg_sql_append(b, " AND NOT (true");
	id_test(b, id, condition);
	if (no)
		kg_sql_append(b, ")");
}

const char *
kg_sql_count_of(KgSqlBuilder *b, const KgField *field, const char *node)
{
	return psprintf("SELECT c.key FROM %s c WHERE c.tenant = $1 AND "
					"c.node = %s AND c.field_no = $%d AND c.field_no >= %d",
					kg_sql_table("kg_index_key"),
					node,
					kg_sql_param_field(b, field),
					KG_COUNTED_FIELDS);
}

const char *
kg_sql_key_of(KgSqlBuilder *b, const KgField *field, const char *index_keys)
{
	return psprintf("%s(%s, $%d)",
					kg_sql_table("kg_packed_key"),
					index_keys,
					kg_sql_param_field(b, field));
}

/* Returns an expression for the set of all keys of an array property. */
static const char *
keys_of(KgSqlBuilder *b, const KgField *field, const char *index_keys)
{
	return psprintf("pg_catalog.unnest(%s(%s, $%d))",
					kg_sql_table("kg_packed_keys"),
					index_keys,
					kg_sql_param_field(b, field));
}

/*
 * Appends a FROM clause with the entity's keys of a field as p, and " WHERE
 * true", to which conditions can be appended.
 */
static void
append_keys_of(KgSqlBuilder *b, const KgField *field, const KgSqlEntity *entity)
{
	const char *here = entity->index_keys;
	const char *index_keys = here ? here : "x.index_keys";

	if (field->counted)
	{
		kg_sql_append(b,
					  " FROM (%s OFFSET 0) p WHERE true",
					  kg_sql_count_of(b, field, entity->node));
		return;
	}
	kg_sql_append(b,
				  " FROM (SELECT %s AS key",
				  field->is_array ? keys_of(b, field, index_keys)
								  : kg_sql_key_of(b, field, index_keys));
	if (here == NULL)
		kg_sql_append(b,
					  " FROM %s x WHERE x.tenant = $1 AND x.node = %s",
					  kg_sql_entities_of(entity->node),
					  entity->node);
	kg_sql_append(b, " OFFSET 0) p WHERE true");
}

static void
begin_probe(KgSqlBuilder *b, const KgField *field, const KgSqlEntity *entity,
			bool negate)
{
	kg_sql_append(b, " AND %sEXISTS (SELECT 1", negate ? "NOT " : "");
	append_keys_of(b, field, entity);
}

static void
end_probe(KgSqlBuilder *b)
{
	kg_sql_append(b, " OFFSET 0)");
}

bytea **
kg_sql_distinct_keys(const KgCondition *condition, int *n)
{
	bytea **keys = palloc(condition->nvalues * sizeof(bytea *));

	memcpy(keys, condition->keys, condition->nvalues * sizeof(bytea *));
	qsort(keys, condition->nvalues, sizeof(bytea *), kg_key_sort);
	*n = 0;
	for (int i = 0; i < condition->nvalues; i++)
		if (*n == 0 || kg_key_compare(keys[*n - 1], keys[i]) != 0)
			keys[(*n)++] = keys[i];
	return keys;
}

/*
 * Appends a condition on an array property, by the operator's quantity
 * (KgOpQuantity).
 */
static void
array_probe(KgSqlBuilder *b, const KgCondition *condition,
			const KgSqlEntity *entity)
{
	KgCondition one = *condition;

	switch (kg_operator(condition->op)->quantity)
	{
		case KG_NO:
			begin_probe(b, condition->field, entity, true);
			key_test(b, "p.key", condition);
			end_probe(b);
			begin_probe(b, condition->field, entity, false);
			append_present(b, "p.key");
			end_probe(b);
			break;
		case KG_EVERY:
			/*
			 * Each key occurs once in an entity, so the operands must be
			 * distinct too.
			 */
			kg_sql_append(b, " AND (SELECT pg_catalog.count(*)");
			append_keys_of(b, condition->field, entity);
			one.keys = kg_sql_distinct_keys(condition, &one.nvalues);
			key_test(b, "p.key", &one);
			kg_sql_append(b, ") = $%d", kg_sql_param_int64(b, one.nvalues));
			break;
		case KG_SOME:
			begin_probe(b, condition->field, entity, false);
			kg_sql_key_condition(b, "p.key", condition);
			end_probe(b);
			break;
	}
}

/*
 * Appends all conditions on the scalar property of the condition at index
 * "first".
 */
static void
scalar_conditions(KgSqlBuilder *b, const KgFilter *filter, int first,
				  const char *key)
{
	const KgField *field = filter->conditions[first].field;

	for (int i = first; i < filter->nconditions; i++)
		if (filter->conditions[i].field == field)
			kg_sql_key_condition(b, key, &filter->conditions[i]);
}

/*
 * Appends all conditions on the scalar property of the condition at index
 * "first". If the statement does not have the entity's keys, one look-up by
 * node (probe) serves all these conditions.
 */
static void
scalar_probe(KgSqlBuilder *b, const KgFilter *filter, int first,
			 const KgSqlEntity *entity)
{
	const KgField *field = filter->conditions[first].field;

	if (entity->index_keys != NULL && !field->counted)
	{
		scalar_conditions(
			b, filter, first, kg_sql_key_of(b, field, entity->index_keys));
		return;
	}
	begin_probe(b, field, entity, false);
	scalar_conditions(b, filter, first, "p.key");
	end_probe(b);
}

void
kg_sql_filter(KgSqlBuilder *b, const KgFilter *filter,
			  const KgSqlEntity *entity)
{
	for (int i = 0; i < filter->nconditions; i++)
	{
		const KgCondition *condition = &filter->conditions[i];
		const KgField *field = condition->field;
		bool done = false;

		if (field == NULL)
		{
			id_condition(b, entity->entity_id, condition);
			continue;
		}
		if (field->is_array)
		{
			array_probe(b, condition, entity);
			continue;
		}
		for (int j = 0; j < i && !done; j++)
			done = filter->conditions[j].field == field;
		if (!done)
			scalar_probe(b, filter, i, entity);
	}
	for (int i = 0; i < filter->nany; i++)
	{
		kg_sql_append(b, i == 0 ? " AND (true" : " OR true");
		kg_sql_filter(b, filter->any[i], entity);
	}
	if (filter->nany > 0)
		kg_sql_append(b, ")");
}

void
kg_sql_visible(KgSqlBuilder *b, const char *node)
{
	if (b->plain_visibility)
		return;
	kg_sql_append(b,
				  " AND EXISTS (SELECT 1 FROM %s v WHERE v.tenant = $1 AND "
				  "v.node = %s OFFSET 0)",
				  kg_sql_entities_of(node),
				  node);
}

void
kg_sql_types(KgSqlBuilder *b, const char *alias, const int32 *type_nos, int n)
{
	Datum *types;

	if (n == 0)
		return;
	types = palloc(n * sizeof(Datum));
	for (int i = 0; i < n; i++)
		types[i] = Int32GetDatum(type_nos[i]);
	kg_sql_append(b,
				  " AND %s.type_no = ANY ($%d)",
				  alias,
				  kg_sql_param_array(b, INT4OID, types, n));
}

KgStatement
kg_sql_statement(const KgSqlBuilder *b)
{
	KgStatement statement;

	memset(&statement, 0, sizeof(statement));
	statement.sql = b->sql.data;
	statement.nargs = b->nargs;
	statement.argtypes = b->argtypes;
	statement.values = b->values;
	return statement;
}
