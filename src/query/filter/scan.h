/*
 * scan.h
 *	  Filters on properties without x-index: tests of documents.
 *
 * No index has the values of such a property. So all other conditions of a
 * selection are applied first. If at most kg_graph.max_scan nodes remain, their
 * documents are then read.
 */
#ifndef KG_SCAN_H
#define KG_SCAN_H

#include "query/filter/filter.h"
#include "query/graph/graph_search.h"

/*
 * Returns whether no index can evaluate the condition. Keys of versions are
 * ordered, but cannot be searched for a part of the text. A count of edges
 * without a stored value for the caller is computed and put into the document,
 * so it needs a scan, too.
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

/*
 * Returns the first condition, also among the alternatives, on a property whose
 * edges must be counted; or NULL.
 */
extern const KgCondition *kg_filter_counts(const KgFilter *filter);

/*
 * Returns whether a condition names a property that counts edges. Documents
 * have no counts, not even counts that are stored.
 */
extern bool kg_filter_names_count(const KgFilter *filter);

/*
 * Returns whether an analysed filter has a condition that no index can evaluate
 * (kg_condition_scans()). filter may be NULL.
 */
extern bool kg_filter_scans(const KgFilter *filter);

/*
 * Returns the part of an analysed filter that indexes can evaluate. If indexes
 * can evaluate the whole filter, returns the filter itself. Each match of the
 * filter is a match of that part.
 */
extern const KgFilter *kg_filter_without_scan(const KgFilter *filter);

/*
 * Reduces the nodes, which must be of the type, to the nodes whose documents
 * pass the filter. Returns the number of remaining nodes. Raises
 * KG_LIMIT_EXCEEDED at the property if there are more than kg_graph.max_scan
 * nodes.
 */
extern uint32 kg_scan_keep(KgGraph *graph, const KgType *type,
						   const KgFilter *filter, int64 *nodes, uint32 n);

#endif /* KG_SCAN_H */
