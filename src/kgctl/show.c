/*
 * show.c
 *	  Safe output of text from other sources on a terminal.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/buf.h"
#include "kgctl/show.h"
#include "kgctl/utf8.h"

/*
 * Returns whether a character controls the terminal or the direction of text:
 * C0, DEL, C1, and bidirectional controls.
 */
static bool
is_order(uint32_t code)
{
	return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C ||
		   code == 0x200E || code == 0x200F ||
		   (code >= 0x202A && code <= 0x202E) ||
		   (code >= 0x2066 && code <= 0x2069);
}

/*
 * Writes the visible form of the character at s to piece, and sets *len to the
 * length of this form. If "lines" is false, a line break becomes a space.
 * Returns the character's length in bytes.
 */
static size_t
show_one(const char *s, size_t left, bool lines, char piece[8], size_t *len)
{
	uint32_t code;
	size_t n = kg_utf8_decode(s, left, &code);

	if (n == 0)
	{
		n = 1;
		*len = (size_t) snprintf(piece, 8, "\\x%02x", (unsigned char) *s);
	}
	else if (code == '\t' || (code == '\n' && lines) || !is_order(code))
	{
		memcpy(piece, s, n);
		*len = n;
	}
	else if (code == '\n' || code == '\r')
	{
		piece[0] = ' ';
		*len = 1;
	}
	else
		*len = (size_t) snprintf(
			piece, 8, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned) code);
	return n;
}

size_t
kg_show(char *out, size_t size, const char *s, bool lines)
{
	size_t left = strlen(s);
	size_t at = 0;

	while (left > 0)
	{
		char piece[8];
		size_t len;
		size_t n = show_one(s, left, lines, piece, &len);

		if (at + len >= size)
			break;
		memcpy(out + at, piece, len);
		at += len;
		s += n;
		left -= n;
	}
	out[at] = '\0';
	return at;
}

void
kg_print(FILE *out, const char *fmt, ...)
{
	KgBuf text;
	va_list args;
	char *shown;
	size_t size;

	kg_buf_init(&text);
	va_start(args, fmt);
	kg_buf_vprintf(&text, fmt, args);
	va_end(args);
	size = text.len * KG_SHOW_MAX + 1;
	shown = kg_malloc(size);
	kg_show(shown, size, text.data ? text.data : "", true);
	fputs(shown, out);
	free(shown);
	kg_buf_free(&text);
}
