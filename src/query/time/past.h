/*
 * past.h
 *	  as_of: a call that reads the graph as it was at a time.
 *
 * Changes since that time are read once from kg_history, as a set. A statement
 * that then names a table of entities, edges, keys or terms gets the rows that
 * have not changed since that time, and the old versions of the other rows. The
 * statements and the code that runs them need no change.
 */
#ifndef KG_PAST_H
#define KG_PAST_H

#include "model/catalog.h"
#include "query/graph/graph_search.h"
#include "utils/tuplestore.h"

/*
 * Sets the time that the running call reads; NULL: the present. If type is
 * NULL, the call reads all types and relations that had history at that time;
 * for other types and relations the functions below raise KG_INVALID_INPUT.
 */
extern void kg_past_ask(const KgCatalog *catalog, const KgType *type,
						const char *as_of);
extern bool kg_past_asked(void);
/*
 * Returns the number of entities, of the type or types requested, that have
 * changed since the time.
 */
extern int kg_past_changed(void);

/*
 * Raise KG_INVALID_INPUT if the type, or a relation or type of the walk, had
 * no history at the time.
 */
extern void kg_past_require_type(const KgType *type);
extern void kg_past_require_walk(const KgCatalog *catalog,
								 const KgFollow *walk);

/*
 * Returns the expression that replaces a table in a statement, without an
 * alias; NULL: the table itself. part gives the rows that the statement needs,
 * as the arguments of kg_past() after the first: the rows of a node, of an
 * array of nodes, or of a type's field. It may be NULL.
 */
extern const char *kg_past_table(const char *name, const char *part);

/*
 * Return whether a row is unchanged since the time. Called by the functions in
 * the expression of kg_past_table().
 */
extern bool kg_past_keeps_node(int64 node);
extern bool kg_past_keeps_edge(int64 source, int32 relation_no, const text *key,
							   int64 target);
/* The part of a table whose old rows are read. */
typedef struct KgPastPart
{
	const int64 *nodes; /* NULL: all nodes */
	int nnodes;
	int32 type_no; /* number of the type of keys; 0: all */
	int32 field_no;
} KgPastPart;

extern void kg_past_rows(const char *name, const KgPastPart *part,
						 Tuplestorestate *store, TupleDesc desc);

#endif /* KG_PAST_H */
