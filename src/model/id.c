/*
 * id.c
 *	  Conversion of ids between texts and values of documents.
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

static bool
read_number(const char *id, int64 *number)
{
	char *end;

	errno = 0;
	*number = strtoll(id, &end, 10);
	return errno == 0 && end != id && *end == '\0';
}

void
kg_id_value(const char *id, bool number, JsonbValue *value)
{
	int64 n;

	if (!number || !read_number(id, &n))
	{
		*value = kg_json_string_value(id);
		return;
	}
	value->type = jbvNumeric;
	value->val.numeric = int64_to_numeric(n);
}

bytea *
kg_id_key(const KgType *type, const char *id)
{
	JsonbValue value;

	kg_id_value(id, true, &value);
	return value.type == jbvNumeric ? kg_key_encode(type->id_field, &value)
									: kg_key_missing();
}

int
kg_id_compare_numbers(const char *a, const char *b)
{
	int64 x;
	int64 y;
	bool is_x = read_number(a, &x);
	bool is_y = read_number(b, &y);

	if (!is_x || !is_y)
		return is_x ? -1 : is_y ? 1 : strcmp(a, b);
	return x < y ? -1 : x > y ? 1 : strcmp(a, b);
}
