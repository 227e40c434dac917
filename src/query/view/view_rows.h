/*
 * view_rows.h
 *	  Which entities a filter on a column of a view can be about, by the keys of
 *	  x-index properties.
 *
 *	  What is found is what the caller may see, as in a tool, and is at least what
 *	  the filter lets through: the view's own row is compared nevertheless.  Where
 *	  keys cannot tell (a value that no key has, a property that has lost its
 *	  x-index since the statement was planned, entities that a statement further
 *	  up has written), it is every entity of the type.
 */
#ifndef KG_VIEW_ROWS_H
#define KG_VIEW_ROWS_H

#include "model/catalog.h"
#include "query/filter/operators.h"

/* op: as in a tool's filter.  Both bounds of a range are one filter. */
#define KG_MAX_VIEW_TESTS 2

typedef struct KgViewTest
{
	KgOp op;
	const Jsonb *value; /* of KG_OPERAND_LIST an array; NULL: SQL's */
} KgViewTest;

typedef struct KgViewFilter
{
	const char *bundle;
	const char *type;
	const char *property;
	int ntests;
	KgViewTest tests[KG_MAX_VIEW_TESTS];
} KgViewFilter;

/* May keys be asked about the column with such an operator? */
extern bool kg_view_keys_serve(const KgField *field, KgOp op);

/* The node numbers, a bigint[]; some perhaps repeated. */
extern Datum kg_view_nodes(const KgViewFilter *filter);

/*
 * How many keys that would read, counted to max; or that it is not known without
 * asking somebody else, or that keys cannot tell.
 */
#define KG_VIEW_UNKNOWN (-1)
#define KG_VIEW_NO_KEYS (-2)
extern int64 kg_view_count(const KgViewFilter *filter, int64 max);

/* Edges of a relation that leave a node: rows of target, properties. */
typedef void (*KgViewEdge)(Datum target, Datum properties, bool no_properties,
						   void *arg);
extern void kg_view_edges(int64 node, int32 relation_no, KgViewEdge each,
						  void *arg);

#endif /* KG_VIEW_ROWS_H */
