/*
 * json_size.c
 *	  How long jsonb is as text, without writing it.
 *
 * Every reply is measured before it is sent, so this reads the binary form as it
 * lies there: strings that follow each other, as all names of an object do, are
 * looked through in one piece for what is escaped, eight bytes at a time.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "utils/builtins.h"

/* Characters that a byte of a string becomes as JSON, less one. */
static const uint8 escape_size[256] = {
	5, 5, 5, 5, 5, 5, 5, 5, 1, 1, 1, 5, 1, 1, 5, 5, /* \b \t \n \f \r */
	5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, ['"'] = 1, ['\\'] = 1};

/* The same byte, eight times. */
#define KG_EIGHT(byte) (UINT64CONST(0x0101010101010101) * (byte))

/* Is one of eight bytes less than this, which is at most 128? */
static inline bool
any_below(uint64 bytes, uint64 limit)
{
	return ((bytes - KG_EIGHT(limit)) & ~bytes & KG_EIGHT(128)) != 0;
}

/* Does each of them stand for itself?  As good as always. */
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

/* Of bytes of strings, without their quotes. */
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

/* Of an entry that is no string, whose data is there. */
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
	uint32 strings = 0; /* where those begin that are not yet counted */
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
