/*
 * scan.h
 *	  Filters on properties without x-index: tests of documents.
 *
 * No index says what such a property is, so whatever else a selection asks
 * comes first, and the documents of what that leaves are read, as long as they
 * are at most kg_graph.max_scan.
 */
#ifndef KG_SCAN_H
#define KG_SCAN_H

#include "query/filter/filter.h"
#include "query/graph/graph_search.h"

/*
 * Is the condition one that no index knows of?  Keys of versions are their order
 * and their text, of which parts are not looked for.  A count that is not kept for
 * the caller is put into the document.
 */
static inline bool
kg_condition_scans(const KgCondition *condition)
{
	const KgField *field = condition->field;

	return field != NULL &&
		   (!field->indexed || condition->counts ||
			(field->by_version &&
			 kg_operator(condition->op)->form == KG_OPERAND_PART));
}

/* The first condition, of alternatives too, that edges are counted for; or NULL. */
extern const KgCondition *kg_filter_counts(const KgFilter *filter);

/* Does one name a count, which documents lack also where it is kept for the caller? */
extern bool kg_filter_names_count(const KgFilter *filter);

/* Has an analysed filter, or NULL, such a condition? */
extern bool kg_filter_scans(const KgFilter *filter);

/*
 * What of an analysed filter indexes can say: the filter itself where that is
 * all.  Whatever passes the filter passes that too.
 */
extern const KgFilter *kg_filter_without_scan(const KgFilter *filter);

/*
 * Keep those of the nodes, all of the type, whose documents pass the filter;
 * returns their number.  Raises KG_LIMIT_EXCEEDED at the property where there
 * are more than kg_graph.max_scan.
 */
extern uint32 kg_scan_keep(KgGraph *graph, const KgType *type,
						   const KgFilter *filter, int64 *nodes, uint32 n);

#endif /* KG_SCAN_H */
