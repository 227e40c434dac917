/*
 * views.c
 *	  SQL functions of views: their columns, the rows that a filter selects, and
 *	  kg_create_views() and kg_refresh_views(), which create them.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "model/column.h"
#include "catalog/pg_type.h"
#include "entry.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "query/view/view_planner.h"
#include "query/view/view_rows.h"
#include "store/view/views.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(kg_sql_column);

/*
 * The result type of the called function. If it is an array, also the type of
 * its items.
 */
typedef struct Column
{
	Oid type;
	Oid item; /* type of the items; InvalidOid: the result is not an array */
	int16 len;
	bool byval;
	char align;
} Column;

static const Column *
column_of(FmgrInfo *flinfo)
{
	Column *column = flinfo->fn_extra;

	if (column != NULL)
		return column;
	column = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(*column));
	column->type = get_func_rettype(flinfo->fn_oid);
	column->item = get_element_type(column->type);
	if (OidIsValid(column->item))
		get_typlenbyvalalign(
			column->item, &column->len, &column->byval, &column->align);
	flinfo->fn_extra = column;
	return column;
}

/*
 * Returns a JSON array as an SQL array. An item whose JSON type does not fit
 * becomes NULL.
 */
static Datum
array_value(const Column *column, const JsonbContainer *array)
{
	int n = kg_json_length(array);
	Datum *values = palloc(Max(1, n) * sizeof(Datum));
	bool *nulls = palloc(Max(1, n) * sizeof(bool));
	int lower = 1;

	if (n == 0)
		return PointerGetDatum(construct_empty_array(column->item));
	kg_json_each(it, array)
	{
		CHECK_FOR_INTERRUPTS();
		values[it.index] = (Datum) 0;
		nulls[it.index] = !kg_column_value(
			&it.value, column->item, &values[it.index]);
	}
	return PointerGetDatum(construct_md_array(values,
											  nulls,
											  1,
											  &n,
											  &lower,
											  column->item,
											  column->len,
											  column->byval,
											  column->align));
}

Datum
kg_sql_column(PG_FUNCTION_ARGS)
{
	Jsonb *data = PG_GETARG_JSONB_P(0);
	text *property = PG_GETARG_TEXT_PP(1);
	const Column *column = column_of(fcinfo->flinfo);
	JsonbValue value;
	Datum result;

	if (!JB_ROOT_IS_OBJECT(data) ||
		getKeyJsonValueFromContainer(&data->root,
									 VARDATA_ANY(property),
									 VARSIZE_ANY_EXHDR(property),
									 &value) == NULL ||
		value.type == jbvNull)
		PG_RETURN_NULL();
	if (column->type == JSONBOID)
		PG_RETURN_JSONB_P(JsonbValueToJsonb(&value));
	if (OidIsValid(column->item))
	{
		if (!kg_json_is_array(&value))
			PG_RETURN_NULL();
		return array_value(column, kg_json_container(&value));
	}
	if (!kg_column_value(&value, column->type, &result))
		PG_RETURN_NULL();
	/*
	 * The result may point into the document, so the document is not freed
	 * before the call ends.
	 */
	return result;
}

PG_FUNCTION_INFO_V1(kg_sql_view_row);

Datum
kg_sql_view_row(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(true);
}

PG_FUNCTION_INFO_V1(kg_sql_view_support);

Datum
kg_sql_view_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(kg_view_support((Node *) PG_GETARG_POINTER(0)));
}

PG_FUNCTION_INFO_V1(kg_sql_view_nodes);

Datum
kg_sql_view_nodes(PG_FUNCTION_ARGS)
{
	KgViewFilter filter;

	memset(&filter, 0, sizeof(filter));
	for (int i = 0; i < KG_VIEW_TEST; i++)
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	filter.bundle = text_to_cstring(PG_GETARG_TEXT_PP(KG_VIEW_BUNDLE));
	filter.type = text_to_cstring(PG_GETARG_TEXT_PP(KG_VIEW_TYPE));
	filter.property = text_to_cstring(PG_GETARG_TEXT_PP(KG_VIEW_PROPERTY));
	for (int i = KG_VIEW_TEST; i < KG_VIEW_NARGUMENTS; i += 2)
	{
		KgViewTest *test = &filter.tests[filter.ntests];
		const char *op;

		if (PG_ARGISNULL(i))
			continue;
		op = text_to_cstring(PG_GETARG_TEXT_PP(i));
		if (!kg_op_lookup(op, &test->op))
			kg_error_throw(kg_error_new(
				KG_INVALID_INPUT, "no filter has an operator \"%s\"", op));
		if (!PG_ARGISNULL(i + 1))
			test->value = PG_GETARG_JSONB_P(i + 1);
		filter.ntests++;
	}
	return kg_view_nodes(&filter);
}

PG_FUNCTION_INFO_V1(kg_sql_view_edges);

static void
put_edge(Datum target, Datum properties, bool no_properties, void *arg)
{
	const ReturnSetInfo *result = arg;
	Datum values[2] = {target, properties};
	bool nulls[2] = {false, no_properties};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

Datum
kg_sql_view_edges(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	kg_view_edges(
		PG_GETARG_INT64(0), PG_GETARG_INT32(1), put_edge, fcinfo->resultinfo);
	return (Datum) 0;
}

static const char *
schema_argument(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(0) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(0));
}

static const Jsonb *
options_argument(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(1) ? kg_json_parse("{}") : PG_GETARG_JSONB_P(1);
}

KG_ENTRY_WRITE_NULLS(kg_sql_create_views, KG_AUDIT_WRITES, -1)
{
	return kg_views_create(schema_argument(fcinfo), options_argument(fcinfo));
}

KG_ENTRY_WRITE_NULLS(kg_sql_refresh_views, KG_AUDIT_WRITES, -1)
{
	return kg_views_refresh(schema_argument(fcinfo), options_argument(fcinfo));
}
