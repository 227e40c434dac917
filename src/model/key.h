/*
 * key.h
 *	  Order-preserving byte keys of indexed values (kg_index_key.key).
 *
 *	  memcmp of two keys of one field orders them as their values: enums by
 *	  declaration, numbers exactly at any size and scale, date-times as
 *	  instants, strings by code point, and missing or null after everything.
 *	  bytea comparison is leakproof, so an index serves it under row security.
 */
#ifndef KG_KEY_H
#define KG_KEY_H

#include "base/error.h"
#include "model/catalog.h"

/*
 * The key of a value; NULL or JSON null gives the key of "missing".
 * Allocated in the current context.  Returns NULL where the value cannot be of
 * the field's kind (an enum value that is not declared, a string for a number,
 * a date-time that is none): stored entities are validated, so only arguments
 * meet that.  As long as the value is: what is stored in an index, or looked
 * up there, must fit.
 */
extern bytea *kg_key_encode(const KgField *field, const JsonbValue *value);

/*
 * What the keys of a range begin with, or end before, at a value: its key, but
 * that versions that are alike are on one side.  above: of those that are
 * greater than the value, or up to it.
 */
extern bytea *kg_key_bound(const KgField *field, const JsonbValue *value,
						   bool above);

/*
 * Whether the key of a value is within kg_graph.max_key_bytes; the error where
 * it is not, for the caller to say of which entity or argument.
 */
extern bool kg_key_fits(const KgField *field, const JsonbValue *value);
extern KgError *kg_key_limit_error(const KgField *field,
								   const JsonbValue *value);

/* The key of a missing value: one row says so for every entity without one. */
extern bytea *kg_key_missing(void);
/* The key of an array without items: it is there, and no item matches. */
extern bytea *kg_key_empty(void);
/* Is it the key of a value, neither of the two? */
extern bool kg_key_is_value(const bytea *key);

/* The order of keys, which is that of bytea: below, equal to or above 0. */
extern int kg_key_compare(const bytea *a, const bytea *b);
/* The same for qsort() of an array of keys. */
extern int kg_key_sort(const void *a, const void *b);

/*
 * The key of an instant: of a date-time, or of where a date begins in UTC.
 * NULL for any other text.
 */
extern bytea *kg_key_instant(const char *text, int len);
/*
 * The same in microseconds since 2000, as a timestamptz has it, rounded down;
 * false for any other text.
 */
#define KG_DATE_LENGTH 10
extern bool kg_key_instant_micros(const char *text, int len, int64 *micros);

/*
 * The day in UTC and the second of it that the key of an instant is of, rounded
 * down; false for a key of anything else.  And the date-time of them, or the
 * first that can be written.
 */
extern bool kg_key_day(const bytea *key, int *julian, int *second);
extern char *kg_key_day_text(int julian, int second);

/* Bounds for starts_with on a string field: low <= key < high. */
extern bytea *kg_key_prefix_low(const char *prefix, int len);
extern bytea *kg_key_prefix_high(const char *prefix, int len);
/*
 * The same for texts that are not keys, by byte: the largest character that
 * text can hold is above whatever follows the prefix.
 */
extern char *kg_text_prefix_high(const char *prefix);

/*
 * The value that a key was made of (enums as text, numbers as numeric); null of
 * one that is not a value's.  Raises KG_INTERNAL where the key is not one of the
 * field: it may have been stored for another property, or be damaged.
 */
extern void kg_key_decode(const KgField *field, const bytea *key,
						  JsonbValue *value);

/* Is it made of an integer, and one of at most 18 digits? */
extern bool kg_key_integer(const bytea *key, int64 *value);

#endif /* KG_KEY_H */
