/*
 * graph/having.h
 *	  The argument "having" of aggregate_nodes: conditions on the results of
 *	  aggregations.
 */
#ifndef KG_GRAPH_HAVING_H
#define KG_GRAPH_HAVING_H

#include "query/filter/operators.h"
#include "query/graph/aggregate.h"
#include "tools/input/input.h"

/*
 * The conditions on the rows of a reply. A row is selected if all conditions
 * are true.
 */
typedef struct KgHaving
{
	int n;
	struct
	{
		int aggregation; /* index of the aggregation */
		KgOp op;
		Numeric operand;
	} * conditions;
} KgHaving;

/*
 * Reads {column: number or {operator: number}}. columns has the names of the
 * columns of the aggregations, in the order of specs. Raises KG_INVALID_INPUT
 * if the values of a named column are not numbers.
 */
extern void kg_having_read(KgHaving *having, const KgInput *in,
						   const KgAggregateSpec *specs,
						   const char *const *columns, int nspecs);

/*
 * Returns whether the results of a group's aggregations satisfy all
 * conditions.
 */
extern bool kg_having_passes(const KgHaving *having,
							 const KgGroupValue *results);

#endif /* KG_GRAPH_HAVING_H */
