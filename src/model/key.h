/*
 * key.h
 *	  Order-preserving byte keys of indexed values (kg_index_key.key).
 *
 * memcmp() orders the keys of a field as their values: enums by declaration,
 * numbers exactly at any size and scale, date-times as instants, strings by
 * code point, and missing or null last. Comparison of bytea is leakproof, so
 * that an index can be used under row-level security.
 */
#ifndef KG_KEY_H
#define KG_KEY_H

#include "base/error.h"
#include "model/catalog.h"

/*
 * Returns the key of a value, in the current context. NULL and JSON null have
 * the key of a missing value.
 *
 * Returns NULL if the value does not fit the field's kind: an undeclared enum
 * value, a string for a number, an invalid date-time. Only arguments can have
 * such values, because stored entities are validated. The length of the key is
 * not limited, so callers that store or look up keys must check kg_key_fits()
 * first.
 */
extern bytea *kg_key_encode(const KgField *field, const JsonbValue *value);

/*
 * Returns a bound for a range of keys that begins or ends at a value. The bound
 * is derived from the value's key so that all versions which are equal in order
 * are on one side of it. If above is true, the keys at and after the bound are
 * those of greater values. If above is false, the keys before the bound are
 * those of smaller values.
 */
extern bytea *kg_key_bound(const KgField *field, const JsonbValue *value,
						   bool above);

/*
 * kg_key_fits() returns true if the length of the value's key is at most
 * kg_graph.max_key_bytes. kg_key_limit_error() returns the error for a longer
 * key; the caller adds the entity or the argument to it.
 */
extern bool kg_key_fits(const KgField *field, const JsonbValue *value);
extern KgError *kg_key_limit_error(const KgField *field,
								   const JsonbValue *value);

/*
 * Returns the key that represents a missing value. An entity without a value of
 * a field has this key once.
 */
extern bytea *kg_key_missing(void);
/*
 * Returns the key of an array without items, which is present but matches no
 * item.
 */
extern bytea *kg_key_empty(void);
/*
 * Returns true if the key belongs to a value, not to a missing value or an
 * array without items.
 */
extern bool kg_key_is_value(const bytea *key);

/* Compares keys as bytea.  Returns a number below, equal to or above 0. */
extern int kg_key_compare(const bytea *a, const bytea *b);
/* Compares two pointers to keys, for qsort(). */
extern int kg_key_sort(const void *a, const void *b);

/*
 * Returns the key of an instant. text is a date-time, or a date, which stands
 * for its beginning in UTC. Returns NULL for any other text.
 */
extern bytea *kg_key_instant(const char *text, int len);
/*
 * Reads an instant as a timestamptz: microseconds since 2000-01-01 UTC, rounded
 * down. Returns false if text is neither a date-time nor a date.
 */
#define KG_DATE_LENGTH 10
extern bool kg_key_instant_micros(const char *text, int len, int64 *micros);

/*
 * kg_key_day() reads the UTC day and the second of the day from the key of an
 * instant, rounded down. It returns false for other keys. kg_key_day_text()
 * returns the date-time of a day and a second. If the day is before the
 * earliest date-time that can be written, returns the earliest.
 */
extern bool kg_key_day(const bytea *key, int *julian, int *second);
extern char *kg_key_day_text(int julian, int second);

/*
 * Return the bounds of the keys of a string field whose texts have the prefix:
 * low <= key < high.
 */
extern bytea *kg_key_prefix_low(const char *prefix, int len);
extern bytea *kg_key_prefix_high(const char *prefix, int len);
/*
 * Returns a text that is, in byte order, above every text with the prefix. It
 * is the prefix with the largest character appended.
 */
extern char *kg_text_prefix_high(const char *prefix);

/*
 * Decodes a key into a value: an enum as text, a number as numeric. The key of
 * a missing value becomes null. Raises KG_INTERNAL if the key is not valid for
 * the field, because the key is damaged or belongs to another property.
 */
extern void kg_key_decode(const KgField *field, const bytea *key,
						  JsonbValue *value);

/* Returns whether the key represents a number. */
extern bool kg_key_is_number(const bytea *key);
/*
 * Reads the integer that a key represents. Returns false if the key does not
 * represent an integer of at most 18 digits.
 */
extern bool kg_key_integer(const bytea *key, int64 *value);

#endif /* KG_KEY_H */
