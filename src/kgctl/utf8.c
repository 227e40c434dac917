/*
 * utf8.c
 *	  UTF-8: encoding and decoding of a code point, validation.
 */
#include <string.h>

#include "kgctl/utf8.h"

size_t
kg_utf8_encode(uint32_t code, char out[4])
{
	if (code < 0x80)
	{
		out[0] = (char) code;
		return 1;
	}
	if (code < 0x800)
	{
		out[0] = (char) (0xC0 | (code >> 6));
		out[1] = (char) (0x80 | (code & 0x3F));
		return 2;
	}
	if (code < 0x10000)
	{
		out[0] = (char) (0xE0 | (code >> 12));
		out[1] = (char) (0x80 | ((code >> 6) & 0x3F));
		out[2] = (char) (0x80 | (code & 0x3F));
		return 3;
	}
	out[0] = (char) (0xF0 | (code >> 18));
	out[1] = (char) (0x80 | ((code >> 12) & 0x3F));
	out[2] = (char) (0x80 | ((code >> 6) & 0x3F));
	out[3] = (char) (0x80 | (code & 0x3F));
	return 4;
}

/*
 * Returns the length in bytes of the UTF-8 sequence at s, or 0 if it is
 * malformed.
 */
static size_t
sequence(const unsigned char *s, size_t left)
{
	unsigned char second_min = 0x80;
	unsigned char second_max = 0xBF;
	size_t n;

	if (s[0] >= 0xC2 && s[0] <= 0xDF)
		n = 2;
	else if (s[0] >= 0xE0 && s[0] <= 0xEF)
		n = 3;
	else if (s[0] >= 0xF0 && s[0] <= 0xF4)
		n = 4;
	else
		return 0;
	/* Refuse overlong forms, surrogates, and code points beyond Unicode. */
	if (s[0] == 0xE0)
		second_min = 0xA0;
	else if (s[0] == 0xED)
		second_max = 0x9F;
	else if (s[0] == 0xF0)
		second_min = 0x90;
	else if (s[0] == 0xF4)
		second_max = 0x8F;
	if (left < n || s[1] < second_min || s[1] > second_max)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	return n;
}

size_t
kg_utf8_decode(const char *text, size_t left, uint32_t *code)
{
	const unsigned char *s = (const unsigned char *) text;
	size_t n;

	*code = s[0];
	if (s[0] < 0x80)
		return 1;
	n = sequence(s, left);
	*code &= 0x7Fu >> n;
	for (size_t i = 1; i < n; i++)
		*code = *code << 6 | (s[i] & 0x3F);
	return n;
}

bool
kg_utf8_valid(const char *text, size_t len, size_t *at)
{
	const unsigned char *s = (const unsigned char *) text;
	size_t i = 0;

	while (i < len)
	{
		uint64_t word;
		size_t n;

		if (len - i >= 8)
		{
			memcpy(&word, s + i, 8);
			if ((word & UINT64_C(0x8080808080808080)) == 0)
			{
				i += 8;
				continue;
			}
		}
		if (s[i] < 0x80)
		{
			i++;
			continue;
		}
		n = sequence(s + i, len - i);
		if (n == 0)
		{
			*at = i;
			return false;
		}
		i += n;
	}
	*at = len;
	return true;
}
