/*
 * virtual.h
 *	  The virtual graph: entities read by statements over typed sub-selects.
 *
 * Only the functions kg_engine_*() decide which engine answers: the native
 * engine, which uses keys and nodes, or the virtual graph. Types that are bound
 * to a table need the virtual graph. For stored types, both engines give equal
 * replies, so that tests can compare them.
 *
 * The virtual graph knows types, ids and columns; it knows no nodes, keys or
 * packed edges. Rows that it returns have no node.
 */
#ifndef KG_VIRTUAL_H
#define KG_VIRTUAL_H

#include "query/get.h"
#include "query/list/list.h"
#include "virtual/source.h"

/*
 * Like kg_list_run() and kg_list_fetch(), but by the engine that answers for
 * the query's type.
 */
extern KgListPage *kg_engine_list(const KgListQuery *query);
extern void kg_engine_fetch(KgListQuery *query, KgListPage *page);

/*
 * Like kg_get_entities() and kg_get_data(), but by the engine that answers for
 * the type.
 */
extern KgGot *kg_engine_get(const KgCatalog *catalog, const KgType *type,
							char **ids, int n);
extern Jsonb *kg_engine_get_data(const KgCatalog *catalog, const KgType *type,
								 text *id);

/*
 * These functions are kg_list_run() and kg_get_entities() for the virtual
 * graph: equal arguments and results, but "source" has the rows. Defined in
 * rows.c.
 */
extern KgListPage *kg_virtual_list(const KgListQuery *query,
								   const KgVSource *source);
extern KgGot *kg_virtual_get(const KgVSource *source, char **ids, int n);

/*
 * Sets the hooks kg_foreign_begin and kg_bound_targets, by which other modules
 * use the virtual graph. In graph.c.
 */
extern void kg_virtual_init(void);

/*
 * Runs a statement over a sub-select. An error of the user's tables is raised
 * as an error of a tool, without the server's text. Set by_ids if the statement
 * selects rows by ids alone.
 */
extern void kg_virtual_run(const KgVSource *source, const KgSqlBuilder *b,
						   bool by_ids, KgRowFunction row, void *arg);

/*
 * Appends the FROM and WHERE clauses. They select the rows that pass the filter
 * and, if ids is not NULL, have one of the ids.
 */
extern void kg_vfrom(KgSqlBuilder *b, const KgVSource *source, char *const *ids,
					 int n, const KgFilter *filter);

/*
 * Returns an SQL expression that makes the JSON object of an edge's properties,
 * for the sub-select of a relation's edges (model/binding.h).
 */
extern char *kg_vproperties(const KgVSource *source);

/*
 * Appends the columns from which a document is made, with a comma before each.
 * Returns the number of columns.
 */
extern int kg_vdocument(KgSqlBuilder *b, const KgVSource *source);
/*
 * Returns the document of a row, in which the id is a property. first is the
 * index of the first column that kg_vdocument() has appended.
 */
extern Jsonb *kg_vdocument_of(const KgVSource *source, TupleTableSlot *slot,
							  int first, const char *id);

/*
 * Return an expression of a column's value as jsonb. kg_vjson_by_set() is for a
 * statement that reads most rows.
 */
extern char *kg_vjson(const KgVColumn *column);
extern char *kg_vjson_by_set(const KgVColumn *column);

/*
 * Returns whether the columns of the sub-select are sufficient to answer the
 * query.
 */
extern bool kg_virtual_fits(const KgListQuery *query, const KgVSource *source);

#endif /* KG_VIRTUAL_H */
