/*
 * json.c
 *	  Reading and writing binary jsonb.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

JsonbValue *
kg_json_get(const JsonbContainer *object, const char *key, JsonbValue *value)
{
	if (object == NULL || !JsonContainerIsObject(object))
		return NULL;
	return getKeyJsonValueFromContainer(
		(JsonbContainer *) object, key, strlen(key), value);
}

const JsonbContainer *
kg_json_container(const JsonbValue *value)
{
	if (value == NULL || value->type != jbvBinary)
		return NULL;
	return value->val.binary.data;
}

void
kg_json_root(const Jsonb *jsonb, JsonbValue *value)
{
	JsonbContainer *root = (JsonbContainer *) &jsonb->root;

	if (JsonContainerIsScalar(root))
	{
		JsonbExtractScalar(root, value);
		return;
	}
	value->type = jbvBinary;
	value->val.binary.data = root;
	value->val.binary.len = VARSIZE(jsonb) - VARHDRSZ;
}

bool
kg_json_is_object(const JsonbValue *value)
{
	return value != NULL && value->type == jbvBinary &&
		   JsonContainerIsObject(value->val.binary.data);
}

bool
kg_json_is_array(const JsonbValue *value)
{
	return value != NULL && value->type == jbvBinary &&
		   JsonContainerIsArray(value->val.binary.data) &&
		   !JsonContainerIsScalar(value->val.binary.data);
}

char *
kg_json_cstring(const JsonbValue *value)
{
	Jsonb *jsonb;

	if (value->type == jbvString)
		return pnstrdup(value->val.string.val, value->val.string.len);
	jsonb = JsonbValueToJsonb((JsonbValue *) value);
	return JsonbToCString(NULL, &jsonb->root, VARSIZE(jsonb));
}

bool
kg_json_string_is(const JsonbValue *value, const char *s)
{
	return value != NULL && value->type == jbvString &&
		   value->val.string.len == strlen(s) &&
		   memcmp(value->val.string.val, s, value->val.string.len) == 0;
}

const char *
kg_json_type_name(const JsonbValue *value)
{
	switch (value->type)
	{
		case jbvNull:
			return "null";
		case jbvString:
			return "string";
		case jbvNumeric:
			return "number";
		case jbvBool:
			return "boolean";
		case jbvArray:
			return "array";
		case jbvObject:
			return "object";
		case jbvBinary:
			return JsonContainerIsObject(value->val.binary.data) ? "object"
																 : "array";
		default:
			return "string";
	}
}

bool
kg_json_int64(const JsonbValue *value, int64 *result)
{
	char *text;
	char *end;
	Numeric trimmed;

	if (value == NULL || value->type != jbvNumeric)
		return false;
	if (numeric_is_nan(value->val.numeric) ||
		numeric_is_inf(value->val.numeric))
		return false;
	/* 1.0 is the integer 1: drop trailing zeros before looking. */
	trimmed = DatumGetNumeric(DirectFunctionCall1(
		numeric_trim_scale, NumericGetDatum(value->val.numeric)));
	text = DatumGetCString(
		DirectFunctionCall1(numeric_out, NumericGetDatum(trimmed)));
	errno = 0;
	*result = strtoll(text, &end, 10);
	return errno == 0 && *end == '\0' && end != text;
}

JsonbValue
kg_json_string_value(const char *s)
{
	JsonbValue value;

	memset(&value, 0, sizeof(value));
	value.type = jbvString;
	value.val.string.val = (char *) s;
	value.val.string.len = strlen(s);
	return value;
}

Jsonb *
kg_json_datum(const JsonbValue *value)
{
	return JsonbValueToJsonb((JsonbValue *) value);
}

void
kg_json_iter_init(KgJsonIter *it, const JsonbContainer *container)
{
	JsonbValue start;

	it->iter = JsonbIteratorInit((JsonbContainer *) container);
	it->is_object = JsonContainerIsObject(container);
	it->index = -1;
	(void) JsonbIteratorNext(&it->iter, &start, true);
}

bool
kg_json_iter_next(KgJsonIter *it)
{
	JsonbIteratorToken token;

	if (it->iter == NULL)
		return false;
	if (it->is_object)
	{
		token = JsonbIteratorNext(&it->iter, &it->key, true);
		if (token != WJB_KEY)
		{
			it->iter = NULL;
			return false;
		}
		(void) JsonbIteratorNext(&it->iter, &it->value, true);
	}
	else
	{
		token = JsonbIteratorNext(&it->iter, &it->value, true);
		if (token != WJB_ELEM)
		{
			it->iter = NULL;
			return false;
		}
	}
	it->index++;
	return true;
}

void
kg_json_iter_end(KgJsonIter *it)
{
	if (it->iter != NULL)
		pfree(it->iter);
	it->iter = NULL;
}

int
kg_json_length(const JsonbContainer *container)
{
	return JsonContainerSize(container);
}

void
kg_jw_init(KgJsonWriter *w)
{
	memset(w, 0, sizeof(*w));
}

static void
push(KgJsonWriter *w, JsonbIteratorToken token, JsonbValue *value)
{
	w->result = pushJsonbValue(&w->state, token, value);
}

static void
begin(KgJsonWriter *w, bool object)
{
	if (w->depth >= (int) lengthof(w->in_object))
		elog(ERROR, "kg_graph reply nested too deeply");
	push(w, object ? WJB_BEGIN_OBJECT : WJB_BEGIN_ARRAY, NULL);
	w->in_object[w->depth++] = object;
}

static void
end(KgJsonWriter *w, bool object)
{
	Assert(w->depth > 0 && w->in_object[w->depth - 1] == object);
	w->depth--;
	push(w, object ? WJB_END_OBJECT : WJB_END_ARRAY, NULL);
}

void
kg_jw_begin_object(KgJsonWriter *w)
{
	begin(w, true);
}

void
kg_jw_end_object(KgJsonWriter *w)
{
	end(w, true);
}

void
kg_jw_begin_array(KgJsonWriter *w)
{
	begin(w, false);
}

void
kg_jw_end_array(KgJsonWriter *w)
{
	end(w, false);
}

void
kg_jw_keyn(KgJsonWriter *w, const char *key, int len)
{
	JsonbValue value;

	value.type = jbvString;
	value.val.string.val = (char *) key;
	value.val.string.len = len;
	push(w, WJB_KEY, &value);
}

void
kg_jw_key(KgJsonWriter *w, const char *key)
{
	kg_jw_keyn(w, key, strlen(key));
}

void
kg_jw_value(KgJsonWriter *w, const JsonbValue *value)
{
	if (w->depth == 0)
	{
		w->scalar = JsonbValueToJsonb((JsonbValue *) value);
		return;
	}
	push(w,
		 w->in_object[w->depth - 1] ? WJB_VALUE : WJB_ELEM,
		 (JsonbValue *) value);
}

void
kg_jw_stringn(KgJsonWriter *w, const char *s, int len)
{
	JsonbValue value;

	value.type = jbvString;
	value.val.string.val = (char *) s;
	value.val.string.len = len;
	kg_jw_value(w, &value);
}

void
kg_jw_string(KgJsonWriter *w, const char *s)
{
	if (s == NULL)
		kg_jw_null(w);
	else
		kg_jw_stringn(w, s, strlen(s));
}

void
kg_jw_int(KgJsonWriter *w, int64 n)
{
	kg_jw_numeric(w, int64_to_numeric(n));
}

void
kg_jw_numeric(KgJsonWriter *w, Numeric n)
{
	JsonbValue value;

	value.type = jbvNumeric;
	value.val.numeric = n;
	kg_jw_value(w, &value);
}

void
kg_jw_bool(KgJsonWriter *w, bool b)
{
	JsonbValue value;

	value.type = jbvBool;
	value.val.boolean = b;
	kg_jw_value(w, &value);
}

void
kg_jw_null(KgJsonWriter *w)
{
	JsonbValue value;

	value.type = jbvNull;
	kg_jw_value(w, &value);
}

void
kg_jw_jsonb(KgJsonWriter *w, const Jsonb *jsonb)
{
	JsonbValue value;

	kg_json_root(jsonb, &value);
	kg_jw_value(w, &value);
}

void
kg_jw_kstring(KgJsonWriter *w, const char *key, const char *s)
{
	kg_jw_key(w, key);
	kg_jw_string(w, s);
}

void
kg_jw_kint(KgJsonWriter *w, const char *key, int64 n)
{
	kg_jw_key(w, key);
	kg_jw_int(w, n);
}

void
kg_jw_kbool(KgJsonWriter *w, const char *key, bool b)
{
	kg_jw_key(w, key);
	kg_jw_bool(w, b);
}

void
kg_jw_kjsonb(KgJsonWriter *w, const char *key, const Jsonb *jsonb)
{
	kg_jw_key(w, key);
	kg_jw_jsonb(w, jsonb);
}

Jsonb *
kg_jw_finish(KgJsonWriter *w)
{
	Assert(w->depth == 0);
	return w->scalar ? w->scalar : JsonbValueToJsonb(w->result);
}

Jsonb *
kg_json_parse(const char *text)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

void
kg_json_pointer_append(StringInfo pointer, const char *name, int len)
{
	appendStringInfoChar(pointer, '/');
	for (int i = 0; i < len; i++)
	{
		if (name[i] == '~')
			appendStringInfoString(pointer, "~0");
		else if (name[i] == '/')
			appendStringInfoString(pointer, "~1");
		else
			appendStringInfoChar(pointer, name[i]);
	}
}
