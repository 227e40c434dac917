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
	char *text;

	if (value->type == jbvString)
		return pnstrdup(value->val.string.val, value->val.string.len);
	jsonb = JsonbValueToJsonb((JsonbValue *) value);
	text = JsonbToCString(NULL, &jsonb->root, VARSIZE(jsonb));
	pfree(jsonb);
	return text;
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
	switch ((int) value->type)
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

	if (value == NULL || value->type != jbvNumeric)
		return false;
	text = DatumGetCString(
		DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
	errno = 0;
	*result = strtoll(text, &end, 10);
	/* 1.0 is the integer 1. */
	if (*end == '.')
		end += 1 + strspn(end + 1, "0");
	return errno == 0 && *end == '\0' && end != text;
}

/*
 * The server's short form of a number (numeric.c), as nearly all have: at most
 * 256 digits before the point and 63 after it.
 */
static bool
is_short(Numeric number)
{
	uint16 header;

	memcpy(&header, VARDATA_ANY(number), sizeof(header));
	return (header & 0xC000) == 0x8000;
}

int64
kg_json_number_length(const JsonbValue *number)
{
	char *text;
	int64 length;

	if (is_short(number->val.numeric))
		return 0;
	text = DatumGetCString(
		DirectFunctionCall1(numeric_out, NumericGetDatum(number->val.numeric)));
	length = strlen(text);
	pfree(text);
	return length;
}

int64
kg_json_number_bytes(const JsonbContainer *container, int64 max)
{
	JsonbIterator *it = JsonbIteratorInit((JsonbContainer *) container);
	JsonbIteratorToken token;
	JsonbValue value;
	int64 bytes = 0;

	while (bytes <= max &&
		   (token = JsonbIteratorNext(&it, &value, false)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if ((token == WJB_VALUE || token == WJB_ELEM) &&
			value.type == jbvNumeric)
			bytes += kg_json_number_length(&value);
	}
	return bytes;
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

bool
kg_json_same(const Jsonb *a, const Jsonb *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return compareJsonbContainers((JsonbContainer *) &a->root,
								  (JsonbContainer *) &b->root) == 0;
}

Jsonb *
kg_json_datum(const JsonbValue *value)
{
	return JsonbValueToJsonb((JsonbValue *) value);
}

void
kg_json_iter_init(KgJsonIter *it, const JsonbContainer *container)
{
	it->container = container;
	it->is_object = JsonContainerIsObject(container);
	it->n = JsonContainerSize(container);
	it->index = -1;
	it->key_at = 0;
	it->value_at = it->is_object ? getJsonbOffset(container, it->n) : 0;
}

/*
 * The value of an entry whose data begins there; where the next one begins.
 * Entry by entry, because to find one from the start takes a walk over up to
 * JB_OFFSET_STRIDE others.
 */
static uint32
read_entry(const JsonbContainer *container, int nentries, int index,
		   uint32 offset, JsonbValue *value)
{
	JEntry entry = container->children[index];
	char *base = (char *) &container->children[nentries];
	uint32 end = JBE_OFFLENFLD(entry);

	if (!JBE_HAS_OFF(entry))
		end += offset;
	if (JBE_ISSTRING(entry))
	{
		value->type = jbvString;
		value->val.string.val = base + offset;
		value->val.string.len = end - offset;
	}
	else if (JBE_ISNUMERIC(entry))
	{
		value->type = jbvNumeric;
		value->val.numeric = (Numeric) (base + INTALIGN(offset));
	}
	else if (JBE_ISCONTAINER(entry))
	{
		value->type = jbvBinary;
		value->val.binary.data = (JsonbContainer *) (base + INTALIGN(offset));
		value->val.binary.len = end - INTALIGN(offset);
	}
	else if (JBE_ISNULL(entry))
		value->type = jbvNull;
	else
	{
		value->type = jbvBool;
		value->val.boolean = JBE_ISBOOL_TRUE(entry);
	}
	return end;
}

bool
kg_json_iter_next(KgJsonIter *it)
{
	int nentries = it->is_object ? 2 * it->n : it->n;
	int index = it->index + 1;

	if (index >= it->n)
		return false;
	it->index = index;
	if (it->is_object)
	{
		it->key_at = read_entry(
			it->container, nentries, index, it->key_at, &it->key);
		index += it->n;
	}
	it->value_at = read_entry(
		it->container, nentries, index, it->value_at, &it->value);
	return true;
}

bool
kg_json_deeper_than(const JsonbContainer *container, int limit)
{
	KgJsonIter it;
	bool deeper = false;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (limit <= 0)
		return true;
	kg_json_iter_init(&it, container);
	while (!deeper && kg_json_iter_next(&it))
	{
		const JsonbContainer *below = kg_json_container(&it.value);

		deeper = below && kg_json_deeper_than(below, limit - 1);
	}
	return deeper;
}

int
kg_json_length(const JsonbContainer *container)
{
	return JsonContainerSize(container);
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
