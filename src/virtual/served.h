/*
 * served.h
 *	  The check whether an index serves a condition on a bound type.
 */
#ifndef KG_VIRTUAL_SERVED_H
#define KG_VIRTUAL_SERVED_H

#include "query/filter/filter.h"
#include "virtual/source.h"

/* The result of kg_vserved(). */
typedef struct KgServed
{
	bool indexed; /* an index begins with the compared columns */
	/* the operator is leakproof, or no policy applies to the caller */
	bool leakproof;
} KgServed;

/*
 * Returns whether an index begins with the property's columns, and whether the
 * caller may use an index for a comparison by the strategy's operator.
 */
extern KgServed kg_vserved(const KgBoundTable *table,
						   const KgBoundProperty *property, int strategy);

/*
 * Returns the CREATE INDEX command for the property's columns; NULL for a view
 * or a foreign table.
 */
extern char *kg_vindex_text(const KgBoundTable *table,
							const KgBoundProperty *property);

/*
 * Returns whether the estimated number of rows of the table is greater than
 * kg_graph.max_unindexed.
 */
extern bool kg_vsource_is_large(const KgVSource *source);

/*
 * Returns whether an index serves a condition of the filter, or the table is
 * not large.
 */
extern bool kg_vfilter_is_served(const KgVSource *source,
								 const KgFilter *filter);

/*
 * Raises KG_LIMIT_EXCEEDED, with a CREATE INDEX command, if no index serves the
 * filter and the table has more rows than kg_graph.max_unindexed.
 */
extern void kg_vfilter_require_index(const KgVSource *source,
									 const KgFilter *filter);
/*
 * Raises KG_LIMIT_EXCEEDED for a sort of a large table if no index serves the
 * sort or the filter.
 */
extern void kg_vsort_require_index(const KgVSource *source,
								   const KgFilter *filter,
								   const KgField *field);

/*
 * Returns a report of the type's binding: its table, the conditions and
 * relations that an index serves, and the CREATE INDEX commands for the others.
 */
extern Jsonb *kg_binding_report(const KgType *type);

#endif /* KG_VIRTUAL_SERVED_H */
