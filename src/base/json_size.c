/*
 * json_size.c
 *	  The length of jsonb's text without writing it, and the text.
 *
 * Every reply is measured before it is sent.  Therefore this file reads the
 * binary form directly.  Adjacent strings, such as all names of an object, are
 * scanned as one piece for characters to escape, eight bytes at a time.  The
 * text is written in the same way, into a buffer of that length.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/*
 * By byte: the number of characters of the byte in the text of a JSON string,
 * minus 1.
 */
static const uint8 escape_size[256] = {
	5, 5, 5, 5, 5, 5, 5, 5, 1, 1, 1, 5, 1, 1, 5, 5, /* \b \t \n \f \r */
	5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, ['"'] = 1, ['\\'] = 1};

/* The byte, repeated eight times. */
#define KG_EIGHT(byte) (UINT64CONST(0x0101010101010101) * (byte))

/*
 * Returns true if any of eight bytes is less than limit, which is at most 128.
 */
static inline bool
any_below(uint64 bytes, uint64 limit)
{
	return ((bytes - KG_EIGHT(limit)) & ~bytes & KG_EIGHT(128)) != 0;
}

/* Returns true if eight bytes need no escapes, which is almost always so. */
static inline bool
are_plain(const char *s)
{
	uint64 bytes;

	memcpy(&bytes, s, sizeof(bytes));
	return !any_below(bytes, ' ') && !any_below(bytes ^ KG_EIGHT('"'), 1) &&
		   !any_below(bytes ^ KG_EIGHT('\\'), 1);
}

static inline Size
bytewise_size(const char *s, int len)
{
	Size size = len;

	for (int i = 0; i < len; i++)
		size += escape_size[(uint8) s[i]];
	return size;
}

/*
 * Returns the length of the JSON text of adjacent strings, without the quotes
 * around them.
 */
static Size
bytes_size(const char *s, int len)
{
	const int step = sizeof(uint64);
	Size size = 0;

	for (; len >= step; s += step, len -= step)
		size += are_plain(s) ? step : bytewise_size(s, step);
	return size + bytewise_size(s, len);
}

Size
kg_string_text_size(const char *s, int len)
{
	return 2 + bytes_size(s, len);
}

Size
kg_int_text_size(int64 n)
{
	char text[MAXINT8LEN + 1];

	return pg_lltoa(n, text);
}

Size
kg_value_text_size(const JsonbValue *value)
{
	switch ((int) value->type)
	{
		case jbvNull:
			return 4;
		case jbvBool:
			return value->val.boolean ? 4 : 5;
		case jbvString:
			return kg_string_text_size(value->val.string.val,
									   value->val.string.len);
		case jbvNumeric:
			return kg_json_number_size(value->val.numeric);
		case jbvBinary:
			return kg_json_text_size(value->val.binary.data);
		default:
			elog(ERROR, "unexpected JSON value");
	}
}

/*
 * Returns the length of the text of an entry that is not a string. data points
 * to the entry's data.
 */
static Size
entry_size(JEntry entry, const char *data)
{
	if (JBE_ISNUMERIC(entry))
		return kg_json_number_size((Numeric) data);
	if (JBE_ISCONTAINER(entry))
		return kg_json_text_size((const JsonbContainer *) data);
	return JBE_ISBOOL_FALSE(entry) ? 5 : 4;
}

Size
kg_json_text_size(const JsonbContainer *container)
{
	int n = JsonContainerSize(container);
	bool object = JsonContainerIsObject(container);
	int nentries = object ? 2 * n : n;
	const char *base = (const char *) &container->children[nentries];
	Size size = 2 + (n > 0 ? 2 * (n - 1) : 0) + (object ? 2 * n : 0);
	/* start of the strings that are not counted yet */
	uint32 strings = 0;
	uint32 at = 0;

	check_stack_depth();
	for (int i = 0; i < nentries; i++)
	{
		JEntry entry = container->children[i];
		uint32 end = JBE_OFFLENFLD(entry) + (JBE_HAS_OFF(entry) ? 0 : at);

		if (JBE_ISSTRING(entry))
			size += 2;
		else
		{
			size += bytes_size(base + strings, at - strings) +
					entry_size(entry, base + INTALIGN(at));
			strings = end;
		}
		at = end;
	}
	return size + bytes_size(base + strings, at - strings);
}

/* ---- writing ---- */

static char *
write_escaped(uint8 c, char *at)
{
	static const char named[] = "\b\t\n\f\r\"\\";
	static const char names[] = "btnfr\"\\";
	static const char digits[] = "0123456789abcdef";
	const char *known = memchr(named, c, strlen(named));

	*at++ = '\\';
	if (known != NULL)
	{
		*at++ = names[known - named];
		return at;
	}
	memcpy(at, "u00", 3);
	at[3] = digits[c >> 4];
	at[4] = digits[c & 15];
	return at + 5;
}

static inline char *
write_bytewise(const char *s, int len, char *at)
{
	for (int i = 0; i < len; i++)
		if (escape_size[(uint8) s[i]] == 0)
			*at++ = s[i];
		else
			at = write_escaped((uint8) s[i], at);
	return at;
}

static char *
write_string(const char *s, int len, char *at)
{
	const int step = sizeof(uint64);

	*at++ = '"';
	for (; len >= step; s += step, len -= step)
		if (are_plain(s))
		{
			memcpy(at, s, step);
			at += step;
		}
		else
			at = write_bytewise(s, step, at);
	at = write_bytewise(s, len, at);
	*at++ = '"';
	return at;
}

void
kg_json_append_string(StringInfo text, const char *s, int len)
{
	Size size = kg_string_text_size(s, len);

	if (size > MaxAllocSize)
		elog(ERROR, "a string is too long");
	enlargeStringInfo(text, size);
	(void) write_string(s, len, text->data + text->len);
	text->len += size;
	text->data[text->len] = '\0';
}

static char *
write_text(const char *text, char *at)
{
	int len = strlen(text);

	memcpy(at, text, len);
	return at + len;
}

static char *
write_number(Numeric number, char *at, const char *end)
{
	char *after = kg_json_number_write(number, at);
	char *text;

	if (after != NULL)
		return after;
	text = DatumGetCString(
		DirectFunctionCall1(numeric_out, NumericGetDatum(number)));
	if ((Size) (end - at) < strlen(text))
		elog(ERROR, "a number is longer than it was measured");
	at = write_text(text, at);
	pfree(text);
	return at;
}

static char *write_container(const JsonbContainer *container, char *at,
							 const char *end);

static char *
write_entry(JEntry entry, const char *base, uint32 offset, uint32 len, char *at,
			const char *end)
{
	const char *data = base + INTALIGN(offset);

	if (JBE_ISSTRING(entry))
		return write_string(base + offset, len, at);
	if (JBE_ISNUMERIC(entry))
		return write_number((Numeric) data, at, end);
	if (JBE_ISCONTAINER(entry))
		return write_container((const JsonbContainer *) data, at, end);
	if (JBE_ISNULL(entry))
		return write_text("null", at);
	return write_text(JBE_ISBOOL_TRUE(entry) ? "true" : "false", at);
}

/* Returns the end offset of an entry whose data begins at offset "begin". */
static inline uint32
entry_end(JEntry entry, uint32 begin)
{
	return JBE_OFFLENFLD(entry) + (JBE_HAS_OFF(entry) ? 0 : begin);
}

static char *
write_container(const JsonbContainer *container, char *at, const char *end)
{
	int n = JsonContainerSize(container);
	bool object = JsonContainerIsObject(container);
	const JEntry *values = container->children + (object ? n : 0);
	const char *base = (const char *) (values + n);
	uint32 key = 0;
	uint32 value = object ? getJsonbOffset(container, n) : 0;

	check_stack_depth();
	*at++ = object ? '{' : '[';
	for (int i = 0; i < n; i++)
	{
		uint32 next = entry_end(values[i], value);

		if (i > 0)
			at = write_text(", ", at);
		if (object)
		{
			uint32 next_key = entry_end(container->children[i], key);

			at = write_string(base + key, next_key - key, at);
			at = write_text(": ", at);
			key = next_key;
		}
		at = write_entry(values[i], base, value, next - value, at, end);
		value = next;
	}
	*at++ = object ? '}' : ']';
	return at;
}

char *
kg_json_text(const JsonbContainer *container)
{
	Size size;
	char *text;
	char *end;

	if (JsonContainerIsScalar(container))
		return JsonbToCString(NULL, (JsonbContainer *) container, 0);
	size = kg_json_text_size(container);
	text = palloc(size + 1);
	end = write_container(container, text, text + size);
	Assert(end == text + size);
	*end = '\0';
	return text;
}

/*
 * Sets the positions of the members with these names (-1 if absent), and marks
 * each member that has one of the names.
 */
static void
find_places(const JsonbContainer *object, const KgMemberName *names, int nnames,
			int *places, bool *named)
{
	int n = JsonContainerSize(object);
	const char *base = (const char *) (object->children + 2 * n);

	for (int i = 0; i < nnames; i++)
		places[i] = -1;
	for (int member = 0; member < n; member++)
	{
		const char *key = base + getJsonbOffset(object, member);
		uint32 len = getJsonbLength(object, member);

		for (int i = 0; i < nnames; i++)
			if (names[i].len == len && memcmp(names[i].text, key, len) == 0)
			{
				places[i] = member;
				named[member] = true;
				break;
			}
	}
}

static char *
write_member(const JsonbContainer *object, int i, char *at, const char *end)
{
	int n = JsonContainerSize(object);
	const char *base = (const char *) (object->children + 2 * n);

	if (at[-1] != '{')
		at = write_text(", ", at);
	at = write_string(
		base + getJsonbOffset(object, i), getJsonbLength(object, i), at);
	at = write_text(": ", at);
	return write_entry(object->children[n + i],
					   base,
					   getJsonbOffset(object, n + i),
					   getJsonbLength(object, n + i),
					   at,
					   end);
}

char *
kg_json_text_in_order(const JsonbContainer *object, const KgMemberName *names,
					  int nfirst, int nlast, Size size)
{
	int n = JsonContainerSize(object);
	char *text = palloc(size + 1);
	char *end = text + size;
	char *at = text;
	bool *named = palloc0(n + 1);
	int *places = palloc((nfirst + nlast) * sizeof(int));

	find_places(object, names, nfirst + nlast, places, named);
	*at++ = '{';
	for (int i = 0; i < nfirst; i++)
		if (places[i] >= 0)
			at = write_member(object, places[i], at, end);
	for (int i = 0; i < n; i++)
		if (!named[i])
			at = write_member(object, i, at, end);
	for (int i = nfirst; i < nfirst + nlast; i++)
		if (places[i] >= 0)
			at = write_member(object, places[i], at, end);
	*at++ = '}';
	Assert(at == end);
	*at = '\0';
	return text;
}

/* ---- without blanks ---- */

static void
append_scalar(StringInfo text, const JsonbValue *value)
{
	switch ((int) value->type)
	{
		case jbvNull:
			appendStringInfoString(text, "null");
			break;
		case jbvBool:
			appendStringInfoString(text, value->val.boolean ? "true" : "false");
			break;
		case jbvNumeric:
			appendStringInfoString(
				text,
				DatumGetCString(DirectFunctionCall1(
					numeric_out, NumericGetDatum(value->val.numeric))));
			break;
		case jbvString:
			kg_json_append_string(
				text, value->val.string.val, value->val.string.len);
			break;
		default:
			elog(ERROR, "unexpected JSON value");
	}
}

void
kg_json_append(StringInfo text, const JsonbValue *value)
{
	const JsonbContainer *container = kg_json_container(value);
	KgJsonIter it;

	check_stack_depth();
	if (container == NULL)
	{
		append_scalar(text, value);
		return;
	}
	kg_json_iter_init(&it, container);
	appendStringInfoChar(text, it.is_object ? '{' : '[');
	while (kg_json_iter_next(&it))
	{
		if (it.index > 0)
			appendStringInfoChar(text, ',');
		if (it.is_object)
		{
			kg_json_append_string(
				text, it.key.val.string.val, it.key.val.string.len);
			appendStringInfoChar(text, ':');
		}
		kg_json_append(text, &it.value);
	}
	appendStringInfoChar(text, it.is_object ? '}' : ']');
}
