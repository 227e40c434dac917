/*
 * text.h
 *	  Control characters, nullable texts, hash tables with text keys, and
 *	  timestamps as text.
 */
#ifndef KG_TEXT_H
#define KG_TEXT_H

#include "datatype/timestamp.h"
#include "utils/hsearch.h"

/*
 * Returns the length in bytes of the control character (Unicode category Cc)
 * at the start of the text, or 0 if the text starts with another character.
 */
extern int kg_control_len(const char *s, int len);

/*
 * Returns true if the text has a control character, which ids, names of
 * tenants and scope paths may not have.
 */
extern bool kg_has_control(const char *s, int len);

/* Returns the value of a hexadecimal digit, or -1 for any other character. */
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

/*
 * Sorts texts by their bytes, moves the distinct texts to the front, and
 * returns their number.
 */
extern int kg_distinct_texts(const char **texts, int n);

/* Returns true if the texts are equal or both are NULL. */
extern bool kg_text_same(const char *a, const char *b);

/*
 * Returns a new hash table whose entries begin with their key, a const char *.
 */
extern HTAB *kg_text_table(const char *name, Size entry, MemoryContext context);

/*
 * Returns the instant in UTC as JSON Schema's date-time, with fractions of a
 * second.
 */
extern char *kg_time_text(TimestampTz at);
/*
 * kg_time_write() writes the text of kg_time_text() with a terminating zero
 * byte, in at most KG_MAX_TIME_TEXT bytes, and returns its length.
 * kg_utc_text() returns the text in whole seconds.
 */
#define KG_MAX_TIME_TEXT 129
extern int kg_time_write(TimestampTz at, char *text);
extern char *kg_utc_text(TimestampTz at);

#endif /* KG_TEXT_H */
