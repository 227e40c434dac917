/*
 * buf.c
 *	  A growable byte buffer, and the memory allocation of kgctl.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "kgctl/buf.h"

static void
out_of_memory(void)
{
	fputs("kgctl: out of memory\n", stderr);
	exit(3);
}

void *
kg_malloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (p == NULL)
		out_of_memory();
	return p;
}

void *
kg_calloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (p == NULL)
		out_of_memory();
	return p;
}

void *
kg_realloc(void *ptr, size_t size)
{
	void *p = realloc(ptr, size ? size : 1);

	if (p == NULL)
		out_of_memory();
	return p;
}

char *
kg_strndup(const char *s, size_t len)
{
	char *copy = kg_malloc(len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *
kg_strdup(const char *s)
{
	return kg_strndup(s, strlen(s));
}

uint64_t
kg_hash(uint64_t seed, const char *data, size_t len)
{
	uint64_t hash = seed ^ 14695981039346656037u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char) data[i]) * 1099511628211u;
	return hash ^ hash >> 32;
}

char *
kg_format(const char *fmt, ...)
{
	va_list args;
	int len;
	char *s;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (len < 0)
		out_of_memory();
	s = kg_malloc((size_t) len + 1);
	va_start(args, fmt);
	vsnprintf(s, (size_t) len + 1, fmt, args);
	va_end(args);
	return s;
}

bool
kg_ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s);
	size_t k = strlen(suffix);

	return n >= k && strcmp(s + n - k, suffix) == 0;
}

void
kg_buf_init(KgBuf *buf)
{
	memset(buf, 0, sizeof(*buf));
}

void
kg_buf_free(KgBuf *buf)
{
	if (buf->mapped > 0)
		munmap(buf->data, buf->mapped);
	else
		free(buf->data);
	kg_buf_init(buf);
}

void
kg_buf_reserve(KgBuf *buf, size_t more)
{
	size_t need = buf->len + more + 1;
	size_t cap = buf->cap ? buf->cap : 64;

	if (need < more)
		out_of_memory();
	if (need <= buf->cap)
		return;
	while (cap < need)
	{
		if (cap > (size_t) -1 / 2)
			out_of_memory();
		cap *= 2;
	}
	buf->data = kg_realloc(buf->data, cap);
	buf->cap = cap;
}

void
kg_buf_add(KgBuf *buf, const char *data, size_t len)
{
	kg_buf_reserve(buf, len);
	if (len > 0)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void
kg_buf_puts(KgBuf *buf, const char *s)
{
	kg_buf_add(buf, s, strlen(s));
}

void
kg_buf_putc(KgBuf *buf, char c)
{
	kg_buf_add(buf, &c, 1);
}

bool
kg_buf_random(KgBuf *buf)
{
	unsigned char random[16];

	if (getrandom(random, sizeof(random), 0) != (ssize_t) sizeof(random))
		return false;
	for (size_t i = 0; i < sizeof(random); i++)
		kg_buf_printf(buf, "%02x", random[i]);
	return true;
}

void
kg_buf_vprintf(KgBuf *buf, const char *fmt, va_list args)
{
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, args);
	if (len >= 0)
	{
		kg_buf_reserve(buf, (size_t) len);
		vsnprintf(buf->data + buf->len, (size_t) len + 1, fmt, again);
		buf->len += (size_t) len;
	}
	va_end(again);
}

void
kg_buf_printf(KgBuf *buf, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	kg_buf_vprintf(buf, fmt, args);
	va_end(args);
}

/*
 * Returns the code of the control character at s if it is DEL or one of C1, or
 * 0. JSON may contain such a character unescaped, but a terminal would execute
 * it.
 */
static unsigned
late_control(const unsigned char *s, size_t left)
{
	if (s[0] == 0x7F)
		return s[0];
	return left > 1 && s[0] == 0xC2 && s[1] < 0xA0 ? s[1] : 0;
}

void
kg_buf_json(KgBuf *buf, const char *s, size_t len)
{
	size_t start = 0;

	kg_buf_putc(buf, '"');
	for (size_t i = 0; i < len; i++)
	{
		unsigned c = (unsigned char) s[i];
		unsigned late = late_control((const unsigned char *) s + i, len - i);
		const char *escape = NULL;

		if (c == '"')
			escape = "\\\"";
		else if (c == '\\')
			escape = "\\\\";
		else if (c == '\n')
			escape = "\\n";
		else if (c == '\r')
			escape = "\\r";
		else if (c == '\t')
			escape = "\\t";
		else if (c >= 0x20 && late == 0)
			continue;
		kg_buf_add(buf, s + start, i - start);
		if (late > 0x7F)
			i++;
		start = i + 1;
		if (escape != NULL)
			kg_buf_puts(buf, escape);
		else
			kg_buf_printf(buf, "\\u%04x", late ? late : c);
	}
	kg_buf_add(buf, s + start, len - start);
	kg_buf_putc(buf, '"');
}

char *
kg_buf_detach(KgBuf *buf)
{
	char *data;

	kg_buf_reserve(buf, 0);
	buf->data[buf->len] = '\0';
	data = buf->data;
	kg_buf_init(buf);
	return data;
}
