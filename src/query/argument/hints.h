/*
 * hints.h
 *	  Hints for replies that found nothing.
 */
#ifndef KG_HINTS_H
#define KG_HINTS_H

#include "query/list/list.h"
#include "query/argument/repair.h"

/*
 * Maximum number of values of a condition for which near values are searched.
 */
#define KG_HINT_LOOKS 20

/*
 * Writes hints into an open array for a list without a match. For each filter
 * that alone matches nothing, a hint has the nearest ids, labels or values in
 * use that the caller sees. Adds corrections to correction.
 */
extern void kg_hints_write_items(const KgListQuery *query,
								 KgCorrection *correction, KgJsonWriter *w);

/*
 * Writes a hint for each filter that alone matches nothing. For several ids,
 * the hint lists unknown ids in "not_found". Returns whether it wrote any hint.
 * Adds corrections to correction.
 */
extern bool kg_hints_write_unknown(const KgListQuery *query,
								   KgCorrection *correction, KgJsonWriter *w);

/*
 * Returns at most max matches nearest to an id, in a type or (NULL) in all
 * types. Ids of the type that write an equal number differently come first.
 */
extern KgMatches *kg_hints_nearest(const KgCatalog *catalog, const KgType *type,
								   const char *id, int max);
/*
 * If exactly one of n matches is a match by the whole name or id, or by the
 * number in an id, returns the index of this match; otherwise -1.
 */
extern int kg_hints_only_exact(const KgMatches *matches, int n);

/*
 * Writes the nearest ids to an id that does not exist, as [{id, label}]. If one
 * of the nearest ids is certainly meant, adds a correction of the value at
 * path.
 */
extern void kg_hints_write_nearest(const KgCatalog *catalog, const KgType *type,
								   const JsonbValue *id, const char *path,
								   KgCorrection *correction, KgJsonWriter *w);

/*
 * Raises KG_INVALID_INPUT if a condition on an id or a reference has a label as
 * value; the error has the id. "eq" is checked only if nothing was found,
 * because a value that matched is an id.
 */
extern void kg_hints_check_labels(const KgListQuery *query, bool none_found);

#endif /* KG_HINTS_H */
