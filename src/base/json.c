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

bool
kg_json_is_true(const JsonbContainer *object, const char *key)
{
	JsonbValue value;

	return kg_json_get(object, key, &value) != NULL && value.type == jbvBool &&
		   value.val.boolean;
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

/*
 * A number in the server's short form (numeric.c), which nearly all numbers
 * have: at most 256 digits before the point and 63 after it.  Digits are in
 * base 10,000; neither the first nor the last stored digit is 0.
 */
typedef struct ShortNumber
{
	bool negative;
	/* exponent of the first digit, to the base 10,000 */
	int weight;
	int scale; /* number of digits shown after the decimal point */
	int ndigits;
	const char *digits;
} ShortNumber;

static bool
read_short(Numeric number, ShortNumber *s)
{
	const char *data = VARDATA_ANY(number);
	uint16 header;

	memcpy(&header, data, sizeof(header));
	if ((header & 0xC000) != 0x8000)
		return false;
	s->negative = (header & 0x2000) != 0;
	s->weight = (header & 0x3F) - (header & 0x40);
	s->scale = (header & 0x1F80) >> 7;
	s->ndigits = (VARSIZE_ANY_EXHDR(number) - sizeof(header)) / sizeof(int16);
	s->digits = data + sizeof(header);
	return true;
}

static int
short_digit(const ShortNumber *s, int i)
{
	int16 digit = 0;

	if (i < s->ndigits)
		memcpy(&digit, s->digits + i * sizeof(digit), sizeof(digit));
	return digit;
}

static char *
number_text(Numeric number)
{
	return DatumGetCString(
		DirectFunctionCall1(numeric_out, NumericGetDatum(number)));
}

/*
 * Reads an integer of few digits, as nearly all arguments are. Returns false
 * for any other number.
 */
static bool
short_int64(Numeric number, int64 *result)
{
	ShortNumber s;

	if (!read_short(number, &s) || s.scale > 0 || s.weight > 3)
		return false;
	*result = 0;
	for (int i = 0; i <= s.weight; i++)
		*result = *result * 10000 + short_digit(&s, i);
	if (s.negative)
		*result = -*result;
	return true;
}

bool
kg_json_int64(const JsonbValue *value, int64 *result)
{
	char *text;
	char *end;

	if (value == NULL || value->type != jbvNumeric)
		return false;
	if (short_int64(value->val.numeric, result))
		return true;
	text = number_text(value->val.numeric);
	errno = 0;
	*result = strtoll(text, &end, 10);
	/* 1.0 is the integer 1. */
	if (*end == '.')
		end += 1 + strspn(end + 1, "0");
	return errno == 0 && *end == '\0' && end != text;
}

Size
kg_json_number_size(Numeric number)
{
	ShortNumber s;
	Size size;
	char *text;

	if (read_short(number, &s))
	{
		int first = short_digit(&s, 0);

		size = s.negative + 1 + (s.scale > 0 ? 1 + s.scale : 0);
		if (s.weight >= 0)
			size += s.weight * 4 + (first > 9) + (first > 99) + (first > 999);
		return size;
	}
	text = number_text(number);
	size = strlen(text);
	pfree(text);
	return size;
}

static void
write_four(int digit, char *at)
{
	at[0] = '0' + digit / 1000;
	at[1] = '0' + digit / 100 % 10;
	at[2] = '0' + digit / 10 % 10;
	at[3] = '0' + digit % 10;
}

char *
kg_json_number_write(Numeric number, char *at)
{
	ShortNumber s;
	char four[4];
	int i = 0;
	int left;

	if (!read_short(number, &s))
		return NULL;
	if (s.negative)
		*at++ = '-';
	at = pg_ultostr(at, s.weight < 0 ? 0 : short_digit(&s, i++));
	for (; i <= s.weight; i++, at += 4)
		write_four(short_digit(&s, i), at);
	if (s.scale == 0)
		return at;
	*at++ = '.';
	i = s.weight + 1;
	for (left = s.scale; left >= 4; left -= 4, i++, at += 4)
		write_four(i < 0 ? 0 : short_digit(&s, i), at);
	write_four(i < 0 ? 0 : short_digit(&s, i), four);
	memcpy(at, four, left);
	return at + left;
}

int64
kg_json_number_length(const JsonbValue *number)
{
	ShortNumber s;

	if (read_short(number->val.numeric, &s))
		return 0;
	return kg_json_number_size(number->val.numeric);
}

/* Returns true if no member is an object or array. */
static bool
is_flat(const JsonbContainer *container)
{
	int n = JsonContainerSize(container);

	if (JsonContainerIsObject(container))
		n *= 2;
	for (int i = 0; i < n; i++)
		if (JBE_ISCONTAINER(container->children[i]))
			return false;
	return true;
}

static int64
flat_number_bytes(const JsonbContainer *container, int64 max)
{
	int64 bytes = 0;
	KgJsonIter it;

	kg_json_iter_init(&it, container);
	while (bytes <= max && kg_json_iter_next(&it))
		if (it.value.type == jbvNumeric)
			bytes += kg_json_number_length(&it.value);
	return bytes;
}

int64
kg_json_number_bytes(const JsonbContainer *container, int64 max)
{
	JsonbIterator *it;
	JsonbIteratorToken token;
	JsonbValue value;
	int64 bytes = 0;

	/*
	 * Most entities are flat. For them this function takes a third of the time
	 * of the iterator below.
	 */
	if (is_flat(container))
		return flat_number_bytes(container, max);
	it = JsonbIteratorInit((JsonbContainer *) container);
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

bool
kg_json_same_value(const JsonbValue *a, const JsonbValue *b)
{
	if (a->type != b->type)
		return false;
	switch ((int) a->type)
	{
		case jbvNull:
			return true;
		case jbvBool:
			return a->val.boolean == b->val.boolean;
		case jbvString:
			return a->val.string.len == b->val.string.len &&
				   memcmp(a->val.string.val,
						  b->val.string.val,
						  a->val.string.len) == 0;
		case jbvNumeric:
			return DatumGetBool(
				DirectFunctionCall2(numeric_eq,
									NumericGetDatum(a->val.numeric),
									NumericGetDatum(b->val.numeric)));
		case jbvBinary:
			return compareJsonbContainers(a->val.binary.data,
										  b->val.binary.data) == 0;
		default:
			return kg_json_same(kg_json_datum(a), kg_json_datum(b));
	}
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

KgJsonIter
kg_json_iter(const JsonbContainer *container)
{
	KgJsonIter it;

	kg_json_iter_init(&it, container);
	return it;
}

/*
 * Reads the value of an entry whose data begins at offset, and returns the
 * offset of the next entry. Callers read entries in sequence, because finding a
 * single entry from the start takes up to JB_OFFSET_STRIDE steps.
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

/*
 * Compares names in the order of an object's members. Returns a number below,
 * equal to or above 0.
 */
static int
compare_names(const JsonbValue *a, const JsonbValue *b)
{
	if (a->val.string.len != b->val.string.len)
		return a->val.string.len < b->val.string.len ? -1 : 1;
	return memcmp(a->val.string.val, b->val.string.val, a->val.string.len);
}

bool
kg_json_iter_find(KgJsonIter *it, const JsonbValue *name)
{
	int order;

	if (it->index < 0 && !kg_json_iter_next(it))
		return false;
	while ((order = compare_names(&it->key, name)) < 0 && kg_json_iter_next(it))
		;
	return order == 0;
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
	if (is_flat(container))
		return false;
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

const char *
kg_json_pointer_step(const char *pointer, StringInfo step)
{
	resetStringInfo(step);
	for (pointer++; *pointer != '\0' && *pointer != '/'; pointer++)
	{
		bool escaped = pointer[0] == '~' &&
					   (pointer[1] == '0' || pointer[1] == '1');

		appendStringInfoChar(
			step, escaped ? (*++pointer == '0' ? '~' : '/') : *pointer);
	}
	return pointer;
}

int
kg_json_pointer_index(const char *step)
{
	char *end;
	long index = strtol(step, &end, 10);

	return end == step || *end != '\0' || index < 0 || index > PG_INT32_MAX
			   ? -1
			   : (int) index;
}

bool
kg_json_follow(JsonbValue *value, const char *pointer)
{
	bool found = true;
	StringInfoData step;

	initStringInfo(&step);
	while (*pointer == '/' && found)
	{
		const JsonbContainer *container = kg_json_container(value);
		int index;

		pointer = kg_json_pointer_step(pointer, &step);
		if (kg_json_is_object(value))
		{
			found = kg_json_get(container, step.data, value) != NULL;
			continue;
		}
		index = kg_json_is_array(value) ? kg_json_pointer_index(step.data) : -1;
		found = index >= 0 && index < kg_json_length(container);
		if (found)
			*value = *getIthJsonbValueFromContainer(
				(JsonbContainer *) container, (uint32) index);
	}
	pfree(step.data);
	return found;
}

/* Returns true for a JSON number without an exponent: -? digits [. digits]. */
static bool
is_json_number(const char *text, int len)
{
	int i = 0;
	int start;

	if (i < len && text[i] == '-')
		i++;
	start = i;
	while (i < len && text[i] >= '0' && text[i] <= '9')
		i++;
	if (i == start || (text[start] == '0' && i - start > 1))
		return false;
	if (i < len && text[i] == '.')
	{
		start = ++i;
		while (i < len && text[i] >= '0' && text[i] <= '9')
			i++;
		if (i == start)
			return false;
	}
	return i == len;
}

bool
kg_json_number_of(const JsonbValue *string, JsonbValue *number)
{
	char *text;

	/*
	 * A number with an exponent is refused, because it is unclear whether a
	 * model means "1e5" as a number.
	 */
	if (string->type != jbvString || string->val.string.len > 60 ||
		!is_json_number(string->val.string.val, string->val.string.len))
		return false;
	text = kg_json_cstring(string);
	number->type = jbvNumeric;
	number->val.numeric = DatumGetNumeric(
		DirectFunctionCall3(numeric_in,
							CStringGetDatum(text),
							ObjectIdGetDatum(InvalidOid),
							Int32GetDatum(-1)));
	return true;
}
