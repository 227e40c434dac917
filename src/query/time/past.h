/*
 * past.h
 *	  as_of: a call that asks what was at a time.
 *
 *	  What has changed since is read once, set-wise, from kg_history; from then on
 *	  a statement that names a table of entities, edges, keys or terms gets the
 *	  rows that stand since before, and those that were instead of the others.
 *	  Statements and whoever runs them are the same as ever.
 */
#ifndef KG_PAST_H
#define KG_PAST_H

#include "model/catalog.h"
#include "query/graph/graph_search.h"
#include "utils/tuplestore.h"

/*
 * The call that runs asks what was at a time; NULL: what is.  Of a type, or
 * NULL: of all types and relations that have history of then; those that are
 * asked about and have none raise KG_INVALID_INPUT by the functions below.
 */
extern void kg_past_ask(const KgCatalog *catalog, const KgType *type,
						const char *as_of);
extern bool kg_past_asked(void);
/* So many entities, of the type or types asked for, have changed since. */
extern int kg_past_changed(void);

/* Raise that there is no history of then, where something is asked about. */
extern void kg_past_require_type(const KgType *type);
extern void kg_past_require_walk(const KgCatalog *catalog,
								 const KgFollow *walk);

/*
 * What stands in a statement for a table, without an alias; NULL: itself.  part,
 * or NULL, says which rows the statement asks for, as the arguments of kg_past()
 * after the first do: of a node or an array of them, or of a type's field.
 */
extern const char *kg_past_table(const char *name, const char *part);

/* For the functions in it: does a row stand since before? */
extern bool kg_past_keeps_node(int64 node);
extern bool kg_past_keeps_edge(int64 source, int32 relation_no, const text *key,
							   int64 target);
/* And the rows that were instead, of a table. */
typedef struct KgPastPart
{
	const int64 *nodes; /* NULL: of all */
	int nnodes;
	int32 type_no; /* of keys; 0: all */
	int32 field_no;
} KgPastPart;

extern void kg_past_rows(const char *name, const KgPastPart *part,
						 Tuplestorestate *store, TupleDesc desc);

#endif /* KG_PAST_H */
