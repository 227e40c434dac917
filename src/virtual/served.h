/*
 * served.h
 *	  Which conditions on a bound type an index serves.
 */
#ifndef KG_VIRTUAL_SERVED_H
#define KG_VIRTUAL_SERVED_H

#include "query/filter/filter.h"
#include "virtual/source.h"

/* An answer of kg_vserved(). */
typedef struct KgServed
{
	bool indexed;	/* an index begins with the columns */
	bool leakproof; /* or no policy applies to the caller */
} KgServed;

/* Returns whether an index serves a comparison of the columns. */
extern KgServed kg_vserved(const KgBoundTable *table,
						   const KgBoundProperty *property, int strategy);

/* Returns the statement that makes an index on the columns, or NULL. */
extern char *kg_vindex_text(const KgBoundTable *table,
							const KgBoundProperty *property);

/*
 * Returns whether the table has more rows than kg_graph.max_unindexed, by
 * estimate.
 */
extern bool kg_vis_large(const KgVSource *source);

/* Returns whether an index serves the filter, or the table is not large. */
extern bool kg_vfilter_is_served(const KgVSource *source,
								 const KgFilter *filter);

/*
 * Raises KG_LIMIT_EXCEEDED, with the statement that makes an index, if no index
 * serves the filter and the table has more rows than kg_graph.max_unindexed.
 */
extern void kg_vfilter_require_index(const KgVSource *source,
									 const KgFilter *filter);
/*
 * Raises KG_LIMIT_EXCEEDED for a sort of a large table, unless an index serves the
 * sort or the filter.
 */
extern void kg_vsort_require_index(const KgVSource *source,
								   const KgFilter *filter,
								   const KgField *field);

/*
 * Returns a report of the type's binding: its table, the conditions and
 * relations that an index serves, and the indexes that would help.
 */
extern Jsonb *kg_binding_report(const KgType *type);

#endif /* KG_VIRTUAL_SERVED_H */
