/*
 * virtual.h
 *	  The virtual graph: entities read by statements over typed sub-selects.
 *
 * kg_engine_*() are the only places that decide which engine answers: the
 * native one, by keys and nodes, or the virtual graph.  Types that are bound to
 * a table need the virtual graph.  Both engines answer for stored types, with
 * the same replies, so each of them tests the other.
 *
 * The virtual graph knows types, ids and columns; it knows no nodes, keys or
 * packed edges.  Rows that it returns have no node.
 */
#ifndef KG_VIRTUAL_H
#define KG_VIRTUAL_H

#include "query/get.h"
#include "query/list/list.h"
#include "virtual/source.h"

/* kg_list_run() and kg_list_fetch() of the engine of the query's type. */
extern KgListPage *kg_engine_list(const KgListQuery *query);
extern void kg_engine_fetch(KgListQuery *query, KgListPage *page);

/* kg_get_entities() and kg_get_data() of the engine of the type. */
extern KgGot *kg_engine_get(const KgCatalog *catalog, const KgType *type,
							char **ids, int n);
extern Jsonb *kg_engine_get_data(const KgCatalog *catalog, const KgType *type,
								 text *id);

/* rows.c */
extern KgListPage *kg_virtual_list(const KgListQuery *query,
								   const KgVSource *source);
extern KgGot *kg_virtual_get(const KgVSource *source, char **ids, int n);

/* graph.c: sets kg_foreign_begin (query/graph/foreign.h). */
extern void kg_virtual_init(void);

/*
 * Runs a statement over a sub-select.  An error of the user's tables is raised
 * in the words of a tool, without the server's text.  by_ids: it selects rows by
 * ids alone.
 */
extern void kg_virtual_run(const KgVSource *source, const KgSqlBuilder *b,
						   bool by_ids, KgRowFunction row, void *arg);

/*
 * Appends FROM and WHERE: the rows that have one of the ids, if ids is not NULL,
 * and pass the filter.
 */
extern void kg_vfrom(KgSqlBuilder *b, const KgVSource *source, char *const *ids,
					 int n, const KgFilter *filter);

/*
 * Returns an expression of the properties of edges, an object, for the source of
 * a relation (model/binding.h).
 */
extern char *kg_vproperties(const KgVSource *source);

/*
 * Appends the columns of a document, each behind a comma.  Returns their
 * number.
 */
extern int kg_vdocument(KgSqlBuilder *b, const KgVSource *source);
/*
 * Returns the document of a row, whose id is a property of it.  first is the
 * first column of kg_vdocument().
 */
extern Jsonb *kg_vdocument_of(const KgVSource *source, TupleTableSlot *slot,
							  int first, const char *id);

/*
 * Returns the expression of a column's value as jsonb.  The second is for a
 * statement that reads most rows.
 */
extern char *kg_vjson(const KgVColumn *column);
extern char *kg_vjson_by_set(const KgVColumn *column);

/* Returns whether the columns of the sub-select can answer the query. */
extern bool kg_virtual_fits(const KgListQuery *query, const KgVSource *source);

#endif /* KG_VIRTUAL_H */
