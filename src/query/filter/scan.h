/*
 * scan.h
 *	  Filters on properties without x-index: tests of documents.
 *
 * No index has the values of such a property. So all other conditions of a
 * selection are applied first. Then the documents of the remaining nodes are
 * read, if these are at most kg_graph.max_scan.
 */
#ifndef KG_SCAN_H
#define KG_SCAN_H

#include "query/filter/filter.h"
#include "query/graph/graph_search.h"

/*
 * Returns whether no index can evaluate the condition. Keys of versions have
 * their order and text but cannot be searched for parts of the text. A count
 * without a stored count for the caller is computed into the document.
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
 * Returns the first condition, also of alternatives, that edges are counted
 * for; or NULL.
 */
extern const KgCondition *kg_filter_counts(const KgFilter *filter);

/*
 * Returns whether a condition names a count. Documents lack counts, also
 * stored ones.
 */
extern bool kg_filter_names_count(const KgFilter *filter);

/*
 * Returns whether an analysed filter has a condition on a property without
 * x-index. filter may be NULL.
 */
extern bool kg_filter_scans(const KgFilter *filter);

/*
 * Returns the part of an analysed filter that indexes can evaluate: the filter
 * itself if that is all. Each match of the filter is a match of that part.
 */
extern const KgFilter *kg_filter_without_scan(const KgFilter *filter);

/*
 * Reduces the nodes, all of the type, to those whose documents pass the
 * filter. Returns their number. Raises KG_LIMIT_EXCEEDED at the property if
 * there are more than kg_graph.max_scan nodes.
 */
extern uint32 kg_scan_keep(KgGraph *graph, const KgType *type,
						   const KgFilter *filter, int64 *nodes, uint32 n);

#endif /* KG_SCAN_H */
