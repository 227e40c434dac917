/*
 * deb_version.c
 *	  Versions as bytes, ordered as deb-version(7).
 *
 * A part of a version consists of alternating runs of non-digits and digits.
 * The runs of two versions are compared in turn. Runs of non-digits are
 * compared character by character: ~ is before the end of the run, the end
 * before letters, and letters before other characters. Runs of digits are
 * compared as numbers. Therefore a run of non-digits is encoded as its
 * characters and a byte for its end. A number is encoded as its length in two
 * bytes and its digits without leading zeros. An empty run of non-digits ends a
 * part; within a part only the first run can be empty.
 */
#include "postgres.h"

#include "model/deb_version.h"

#define BEFORE_END 0x01 /* for the character ~ */
#define END 0x02
#define AFTER_LETTERS 0x7f /* followed by the character itself */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void
append_other(StringInfo buf, char c)
{
	if (c == '~')
		appendStringInfoChar(buf, BEFORE_END);
	else
	{
		if (!is_letter(c))
			appendStringInfoChar(buf, AFTER_LETTERS);
		appendStringInfoChar(buf, c);
	}
}

static void
append_number(StringInfo buf, const char *digits, int len)
{
	while (len > 0 && *digits == '0')
	{
		digits++;
		len--;
	}
	appendStringInfoChar(buf, (char) (len >> 8));
	appendStringInfoChar(buf, (char) len);
	appendBinaryStringInfo(buf, digits, len);
}

static void
append_part(StringInfo buf, const char *text, int len)
{
	int i = 0;

	do
	{
		int start;

		for (; i < len && !is_digit(text[i]); i++)
			append_other(buf, text[i]);
		appendStringInfoChar(buf, END);
		start = i;
		while (i < len && is_digit(text[i]))
			i++;
		append_number(buf, text + start, i - start);
	} while (i < len);
	appendStringInfoChar(buf, END);
}

static const char *
find_last(const char *text, int len, char c)
{
	while (len-- > 0)
		if (text[len] == c)
			return text + len;
	return NULL;
}

void
kg_deb_version_append(StringInfo buf, const char *text, int len)
{
	const char *hyphen;
	int epoch = 0;
	int upstream;

	while (epoch < len && is_digit(text[epoch]))
		epoch++;
	if (epoch == 0 || epoch == len || text[epoch] != ':')
		append_number(buf, text, 0);
	else
	{
		append_number(buf, text, epoch);
		text += epoch + 1;
		len -= epoch + 1;
	}
	hyphen = find_last(text, len, '-');
	upstream = hyphen ? hyphen - text : len;
	append_part(buf, text, upstream);
	append_part(buf,
				text + upstream + (hyphen != NULL),
				len - upstream - (hyphen != NULL));
}

static int
number_length(const uint8 *bytes, int len)
{
	return len < 2 ? len : Min(len, 2 + (bytes[0] << 8) + bytes[1]);
}

static int
part_length(const uint8 *bytes, int len)
{
	int i = 0;

	do
	{
		while (i < len && bytes[i] != END)
			i += bytes[i] == AFTER_LETTERS ? 2 : 1;
		i = Min(i + 1, len);
		i += number_length(bytes + i, len - i);
	} while (i < len && bytes[i] != END);
	return Min(i + 1, len);
}

int
kg_deb_version_length(const uint8 *bytes, int len)
{
	int epoch = number_length(bytes, len);
	int upstream = part_length(bytes + epoch, len - epoch);
	int before = epoch + upstream;

	return before + part_length(bytes + before, len - before);
}
