/*
 * key.h
 *	  Order-preserving byte keys of indexed values (kg_index_key.key).
 *
 * memcmp() of two keys of a field orders them as their values: enums by
 * declaration, numbers exactly at any size and scale, date-times as instants,
 * strings by code point, and missing or null last.  Comparison of bytea is
 * leakproof, so that an index can be used under row-level security.
 */
#ifndef KG_KEY_H
#define KG_KEY_H

#include "base/error.h"
#include "model/catalog.h"

/*
 * Returns the key of a value, in the current context.  NULL and JSON null have
 * the key of a missing value.
 *
 * Returns NULL if the value does not fit the field's kind: an undeclared enum
 * value, a string for a number, an invalid date-time.  Only arguments can have
 * such values because stored entities are validated.  The key is as long as
 * the value; callers that store or look up keys must check kg_key_fits().
 */
extern bytea *kg_key_encode(const KgField *field, const JsonbValue *value);

/*
 * Returns a bound for a range of keys that begins or ends at a value. The
 * bound is the value's key, adjusted so that all versions equal to the value
 * are on the same side of it. If above is true, keys from the bound on belong
 * to values greater than the value. If above is false, keys before the bound
 * belong to values less than the value.
 */
extern bytea *kg_key_bound(const KgField *field, const JsonbValue *value,
						   bool above);

/*
 * kg_key_fits() returns true if the value's key is within
 * kg_graph.max_key_bytes.  kg_key_limit_error() returns the error if it is not;
 * the caller adds the entity or argument.
 */
extern bool kg_key_fits(const KgField *field, const JsonbValue *value);
extern KgError *kg_key_limit_error(const KgField *field,
								   const JsonbValue *value);

/*
 * Returns the key of a missing value.  An entity without a value has one such
 * key.
 */
extern bytea *kg_key_missing(void);
/*
 * Returns the key of an array without items, which is present but matches no
 * item.
 */
extern bytea *kg_key_empty(void);
/* Returns true if the key is a value's, neither missing nor empty. */
extern bool kg_key_is_value(const bytea *key);

/* Compares keys as bytea.  Returns a number below, equal to or above 0. */
extern int kg_key_compare(const bytea *a, const bytea *b);
/* qsort() comparison of pointers to keys. */
extern int kg_key_sort(const void *a, const void *b);

/*
 * Returns the key of an instant: a date-time, or the start of a date in UTC.
 * Returns NULL for any other text.
 */
extern bytea *kg_key_instant(const char *text, int len);
/*
 * Reads an instant as timestamptz: microseconds since 2000, rounded down.
 * Returns false for any other text.
 */
#define KG_DATE_LENGTH 10
extern bool kg_key_instant_micros(const char *text, int len, int64 *micros);

/*
 * kg_key_day() sets the UTC day and second of the key of an instant, rounded
 * down. It returns false for other keys. The second function returns the
 * date-time of a day and second, or the earliest date-time that can be
 * written, if that is later.
 */
extern bool kg_key_day(const bytea *key, int *julian, int *second);
extern char *kg_key_day_text(int julian, int second);

/* Bounds for starts_with on a string field: low <= key < high. */
extern bytea *kg_key_prefix_low(const char *prefix, int len);
extern bytea *kg_key_prefix_high(const char *prefix, int len);
/*
 * Returns an upper bound, by bytes, for texts with the prefix. The bound ends
 * with the largest character, so it is above every text with the prefix.
 */
extern char *kg_text_prefix_high(const char *prefix);

/*
 * Decodes the value of a key (enums as text, numbers as numeric). The value is
 * null if the key stands for a missing value. Raises KG_INTERNAL if the key is
 * not valid for the field, because it is damaged or belongs to another
 * property.
 */
extern void kg_key_decode(const KgField *field, const bytea *key,
						  JsonbValue *value);

/*
 * Reads the integer of a key.  Returns false if it is not an integer of at
 * most 18 digits.
 */
extern bool kg_key_integer(const bytea *key, int64 *value);

#endif /* KG_KEY_H */
