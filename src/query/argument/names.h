/*
 * names.h
 *	  Names that other tools, query languages and calendars use for kg_graph's
 *	  arguments and values.
 */
#ifndef KG_NAMES_H
#define KG_NAMES_H

#include "base/json.h"
#include "model/catalog.h"
#include "query/argument/members.h"

/*
 * Returns whether two names are equal except for case, "_", "-" and blanks:
 * orderBy, order-by, order_by.
 */
extern bool kg_name_spelled(const char *a, const char *b);

/*
 * Returns the argument that a name with this value means. It is a known
 * argument that the object does not have yet. Returns NULL if no argument or
 * several arguments may be meant.
 */
extern const char *kg_name_same(const JsonbContainer *object, const char *name,
								const JsonbValue *value,
								const KgOutline *known);

/*
 * Returns the argument that a name with this value means. If the name means no
 * argument, returns the argument with the nearest name, or NULL. Sets *sure to
 * true if the name certainly means the returned argument: it is a known other
 * name for it, or has only a typing error.
 */
extern const char *kg_name_meant(const JsonbContainer *object, const char *name,
								 const JsonbValue *value,
								 const KgOutline *known, bool *sure);

/*
 * Returns the word of an enum that another word means. Otherwise returns the
 * nearest word or NULL, and sets *sure to false.
 */
extern const char *kg_word_meant(const char *word, const char *const *words,
								 int nwords, bool *sure);

/*
 * Returns whether a name with this value is, or means, this argument of
 * kg_graph. member determines the values that the argument may have; NULL: any
 * value.
 */
extern bool kg_name_means(const JsonbContainer *object, const char *name,
						  const JsonbValue *value, const char *ours,
						  const KgMember *member);

/*
 * Returns "asc" or "desc" for a word or sign that means this order; NULL for
 * any other value.
 */
extern const char *kg_order_meant(const JsonbValue *value);

/*
 * Returns whether a word requests as much as possible, such as "ALL" or
 * "unlimited".
 */
extern bool kg_means_all(const char *word);

/* Returns the number for "three" or "3 hops", or NULL. */
extern Jsonb *kg_meant_count(const JsonbValue *value);

/* Returns a boolean for a word or number such as "yes" or 1, or NULL. */
extern Jsonb *kg_meant_bool(const JsonbValue *value);

/*
 * Returns a value in another format (2024/3/5, $1,200) as a value of the kind,
 * or NULL.
 */
extern Jsonb *kg_meant_value(KgKind kind, const JsonbValue *value);

/*
 * Returns a date-time in another format as a date-time, and a date as its
 * beginning in UTC. Returns NULL for other texts, and for a text that already
 * is a valid date-time.
 */
extern Jsonb *kg_meant_instant(const char *text);

/*
 * Reads a day in any format, a month ("2024-03") or a year ("2024"). Sets its
 * first day and the day after its last. Returns false for other values.
 */
extern bool kg_meant_days(const JsonbValue *value, char **first, char **after);

#endif /* KG_NAMES_H */
