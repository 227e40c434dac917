/*
 * hints.h
 *	  What to try instead where nothing was found.
 */
#ifndef KG_HINTS_H
#define KG_HINTS_H

#include "query/list/list.h"
#include "query/argument/repair.h"

/* Of many values, so many are looked at for what is nearest to them. */
#define KG_HINT_LOOKS 20

/*
 * Writes hints for a list without a match into an array that is open: for each
 * filter that alone matches nothing the nearest existing ids, labels or values.
 * What they name is visible to the caller.  Corrections are gathered.
 */
extern void kg_hints_write_items(const KgListQuery *query,
								 KgCorrection *correction, KgJsonWriter *w);

/*
 * The same for each filter that matches nothing, and of several ids for those
 * that are none ("not_found"); says whether there was any.  Corrections are
 * gathered.
 */
extern bool kg_hints_write_unknown(const KgListQuery *query,
								   KgCorrection *correction, KgJsonWriter *w);

/*
 * The nearest to an id: of a type those that write the same number otherwise
 * come first; type NULL: of any.
 */
extern KgMatches *kg_hints_nearest(const KgCatalog *catalog, const KgType *type,
								   const char *id, int max);
/* The only one of n matches of which a whole name or id is as asked, or -1. */
extern int kg_hints_only_exact(const KgMatches *matches, int n);

/*
 * The nearest ids to one that does not exist: [{id, label}], and as a correction
 * of what is at a path of the arguments that which was meant.
 */
extern void kg_hints_write_nearest(const KgCatalog *catalog, const KgType *type,
								   const JsonbValue *id, const char *path,
								   KgCorrection *correction, KgJsonWriter *w);

/*
 * Raise KG_INVALID_INPUT where a condition on an id or a reference was given a
 * display name: the error names the code.  Equality is looked at only where
 * nothing was found: a value that matched is an id.
 */
extern void kg_hints_check_labels(const KgListQuery *query, bool none_found);

#endif /* KG_HINTS_H */
