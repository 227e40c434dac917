/*
 * parameters.c
 *	  The values of $1, $2, ... of a query.
 *
 * The input function of the parameter's type converts the text of a JSON
 * value. Only types of allowed.h are possible, and their input functions are
 * the server's own.
 */
#include "postgres.h"

#include "ask/allowed.h"
#include "ask/parameters.h"
#include "ask/refuse.h"
#include "base/catch.h"
#include "base/json.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/*
 * The conversion of one value, run under kg_catch() because it may raise an
 * error.
 */
typedef struct Reading
{
	const JsonbValue *value;
	Oid type;
	bool isnull;
	Datum result;
} Reading;

int
kg_ask_nparams(const KgAsk *ask)
{
	return ask->params ? kg_json_length(ask->params) : 0;
}

static bool
is_json(Oid type)
{
	return type == JSONOID || type == JSONBOID;
}

static Datum
read_scalar(const JsonbValue *value, Oid type)
{
	Oid input;
	Oid of_array;
	char *text;

	if (is_json(type))
	{
		Jsonb *document = kg_json_datum(value);

		text = kg_json_text(&document->root);
	}
	else
		text = kg_json_cstring(value);
	getTypeInputInfo(type, &input, &of_array);
	return OidInputFunctionCall(input, text, of_array, -1);
}

static Datum
read_array(const JsonbContainer *array, Oid item)
{
	int n = kg_json_length(array);
	int lower = 1;
	Datum *values = palloc(Max(1, n) * sizeof(Datum));
	bool *nulls = palloc0(Max(1, n) * sizeof(bool));
	int16 len;
	bool byval;
	char align;

	if (n == 0)
		return PointerGetDatum(construct_empty_array(item));
	kg_json_each(it, array)
	{
		nulls[it.index] = it.value.type == jbvNull;
		if (!nulls[it.index])
			values[it.index] = read_scalar(&it.value, item);
	}
	get_typlenbyvalalign(item, &len, &byval, &align);
	return PointerGetDatum(construct_md_array(
		values, nulls, 1, &n, &lower, item, len, byval, align));
}

static void
read(void *arg)
{
	Reading *reading = arg;
	const JsonbValue *value = reading->value;
	Oid item = get_element_type(reading->type);

	reading->isnull = value->type == jbvNull;
	if (reading->isnull)
		return;
	if (OidIsValid(item) && kg_json_is_array(value))
		reading->result = read_array(kg_json_container(value), item);
	else
		reading->result = read_scalar(value, reading->type);
}

static void
bind(KgAsk *ask, int i, const JsonbValue *value)
{
	ParamExternData *param = &ask->values->params[i];
	Reading reading = {value, i < ask->ntypes ? ask->types[i] : InvalidOid};
	ErrorData *edata;

	param->pflags = PARAM_FLAG_CONST;
	param->isnull = true;
	/*
	 * No value is converted: the statement does not use this parameter, or the
	 * type of the parameter is not allowed.
	 */
	if (!OidIsValid(reading.type) || !kg_ask_type(reading.type))
		return;
	edata = kg_catch(KG_CATCH_MEMORY, read, &reading);
	if (edata == NULL)
	{
		param->ptype = reading.type;
		param->isnull = reading.isnull;
		param->value = reading.result;
		return;
	}
	KG_THROW(KG_INVALID_INPUT,
			 .message = edata->message,
			 .path = psprintf("/params/%d", i),
			 .got = value,
			 .expected = psprintf("a value of type %s",
								  format_type_be(reading.type)));
}

void
kg_ask_bind(KgAsk *ask)
{
	if (ask->params == NULL)
		return;
	ask->values = makeParamList(kg_ask_nparams(ask));
	kg_json_each(it, ask->params)
		bind(ask, it.index, &it.value);
}
