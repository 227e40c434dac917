/*
 * view_rows.h
 *	  The entities that a filter on a column of a view can match, found by
 *	  the keys of x-index properties.
 *
 * Only entities that the caller may see are returned, as in a tool. The result
 * contains every match of the filter and perhaps others, so the executor still
 * tests the view's rows. If keys do not decide, the result is every entity of
 * the type: for a value without a key, for a property that has lost its x-index
 * since planning, or if an outer statement has written entities.
 */
#ifndef KG_VIEW_ROWS_H
#define KG_VIEW_ROWS_H

#include "model/catalog.h"
#include "query/filter/operators.h"
#include "query/view/view_keys.h"

/*
 * A test of a view's column, with a tool's filter operator. A range has two
 * tests, one for each bound.
 */
#define KG_MAX_VIEW_TESTS 2

typedef struct KgViewTest
{
	KgOp op;
	/* an array for KG_OPERAND_LIST; NULL: SQL's NULL */
	const Jsonb *value;
} KgViewTest;

typedef struct KgViewFilter
{
	const char *bundle;
	const char *type;
	const char *property;
	int ntests;
	KgViewTest tests[KG_MAX_VIEW_TESTS];
} KgViewFilter;

/* Returns whether keys can evaluate the operator on the column. */
extern bool kg_view_keys_serve(const KgField *field, KgOp op);

/* Returns the node numbers as a bigint[], perhaps with duplicates. */
extern Datum kg_view_nodes(const KgViewFilter *filter);

/*
 * Returns the number of keys that kg_view_nodes() would read, counted up to
 * max; or KG_VIEW_UNKNOWN if counting would call the authorizer; or
 * KG_VIEW_NO_KEYS if keys do not decide.
 */
#define KG_VIEW_UNKNOWN (-1)
#define KG_VIEW_NO_KEYS (-2)
extern int64 kg_view_count(const KgViewFilter *filter, int64 max);

/*
 * Sets the range of the keys that match a filter.  Returns false if keys do not
 * decide, or if the filter has a list or a prefix.
 */
extern bool kg_view_range(const KgViewFilter *filter, KgViewRange *range);

/*
 * Passes each edge of a relation that leaves a node to the function: its
 * target and its properties.
 */
typedef void (*KgViewEdge)(Datum target, Datum properties, bool no_properties,
						   void *arg);
/*
 * If a gateway decides (query/run/exchange.h), requests the decisions about all
 * entities of these types (const KgType *) at once, before a query reads these
 * entities.
 */
extern void kg_view_decide(const KgCatalog *catalog, List *types);

extern void kg_view_edges(int64 node, int32 relation_no, KgViewEdge each,
						  void *arg);

#endif /* KG_VIEW_ROWS_H */
