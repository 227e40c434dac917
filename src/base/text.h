/*
 * text.h
 *	  What a character of a text is; texts that may be absent, or are keys of
 *	  a table; an instant as text.
 */
#ifndef KG_TEXT_H
#define KG_TEXT_H

#include "datatype/timestamp.h"
#include "utils/hsearch.h"

/*
 * Bytes of the control character (of Unicode's category Cc) that a text begins
 * with; 0: it begins with another.
 */
extern int kg_control_len(const char *s, int len);

/* What is no part of an id, a tenant's name or a scope path. */
extern bool kg_has_control(const char *s, int len);

/* The value of a hexadecimal digit; -1: it is none. */
static inline int
kg_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* NULL is the same as NULL only. */
extern bool kg_text_same(const char *a, const char *b);

/* Makes a hash table whose entries begin with their key, a const char *. */
extern HTAB *kg_text_table(const char *name, Size entry, MemoryContext context);

/* In UTC, as JSON Schema's date-time: exactly, and by seconds. */
extern char *kg_time_text(TimestampTz at);
/* The same into so many bytes, ended by a zero byte; its length. */
#define KG_MAX_TIME_TEXT 129
extern int kg_time_write(TimestampTz at, char *text);
extern char *kg_utc_text(TimestampTz at);

#endif /* KG_TEXT_H */
