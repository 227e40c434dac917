/*
 * id.c
 *	  Ids as texts and as values of documents.
 */
#include "postgres.h"

#include "base/json.h"
#include "model/id.h"
#include "model/key.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

char *
kg_id_of_value(const JsonbValue *value)
{
	int64 n;

	if (value->type == jbvString)
		return kg_json_cstring(value);
	if (value->type != jbvNumeric)
		return NULL;
	if (kg_json_int64(value, &n))
		return psprintf(INT64_FORMAT, n);
	return DatumGetCString(
		DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
}

bool
kg_id_is(const JsonbValue *value, const char *id)
{
	char *text;
	bool same;

	if (value->type != jbvNumeric)
		return kg_json_string_is(value, id);
	text = kg_id_of_value(value);
	same = strcmp(text, id) == 0;
	pfree(text);
	return same;
}

void
kg_id_value(const char *id, bool number, JsonbValue *value)
{
	if (!number)
	{
		*value = kg_json_string_value(id);
		return;
	}
	value->type = jbvNumeric;
	value->val.numeric = DatumGetNumeric(
		DirectFunctionCall3(numeric_in,
							CStringGetDatum(id),
							ObjectIdGetDatum(InvalidOid),
							Int32GetDatum(-1)));
}

bytea *
kg_id_key(const KgType *type, const char *id)
{
	JsonbValue value;

	kg_id_value(id, true, &value);
	return kg_key_encode(type->id_field, &value);
}

int
kg_id_compare(const KgType *type, const char *a, const char *b)
{
	int64 x;
	int64 y;

	if (!type->number_ids)
		return strcmp(a, b);
	x = pg_strtoint64(a);
	y = pg_strtoint64(b);
	return x < y ? -1 : x > y;
}
