/*
 * names.h
 *	  What other tools, query languages and calendars call what is ours.
 */
#ifndef KG_NAMES_H
#define KG_NAMES_H

#include "base/json.h"
#include "model/catalog.h"

/* The same but for case and signs: orderBy, order-by, order_by. */
extern bool kg_name_spelled(const char *a, const char *b);

/*
 * Which argument another name of it means, with such a value: one of those known
 * that the object does not have yet; NULL where none is, or several are.
 */
extern const char *kg_name_same(const JsonbContainer *object, const char *name,
								const JsonbValue *value,
								const char *const *known, int nknown);

/* The same; or else the nearest, which is not sure to be meant. */
extern const char *kg_name_meant(const JsonbContainer *object, const char *name,
								 const JsonbValue *value,
								 const char *const *known, int nknown,
								 bool *sure);

/*
 * Which word of an enum of ours another word means; or else the nearest, which is
 * not sure to be meant.
 */
extern const char *kg_word_meant(const char *word, const char *const *words,
								 int nwords, bool *sure);

/* Does an argument's name, with such a value, stand for this one of ours, or is it that? */
extern bool kg_name_means(const JsonbContainer *object, const char *name,
						  const JsonbValue *value, const char *ours);

/* Which of "asc" and "desc" a word, or a sign, means; NULL: none of them. */
extern const char *kg_order_meant(const JsonbValue *value);

/* Does a word ask for as much as there is: "ALL", "unlimited"? */
extern bool kg_means_all(const char *word);

/* "three" and "3 hops" as the number; NULL: none is said. */
extern Jsonb *kg_meant_count(const JsonbValue *value);

/* "yes" and 1 as true; NULL: not one of these. */
extern Jsonb *kg_meant_bool(const JsonbValue *value);

/* A value in another spelling as one of the kind, or NULL: 2024/3/5, $1,200. */
extern Jsonb *kg_meant_value(KgKind kind, const JsonbValue *value);

/* A date-time in another spelling, a date as its beginning in UTC; or NULL. */
extern Jsonb *kg_meant_instant(const char *text);

/*
 * A day in any spelling, "2024-03" and "2024": the day on which they begin and the
 * one after their last.
 */
extern bool kg_meant_days(const JsonbValue *value, char **first, char **after);

#endif /* KG_NAMES_H */
