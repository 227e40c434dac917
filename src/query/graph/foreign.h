/*
 * foreign.h
 *	  Nodes without a row in kg_entity, in the searches of the graph.
 *
 * A search sees nodes and edges by a few functions: a selection, the
 * neighbours of nodes, the types of nodes, their ids and data, and counts of
 * groups. The virtual graph has these functions for entities that are rows of
 * other tables. The virtual graph gives each entity that a search reads a
 * number below 0. The numbers are valid only in this search.
 */
#ifndef KG_FOREIGN_H
#define KG_FOREIGN_H

#include "query/filter/select.h"
#include "query/graph/nodes.h"
#include "query/search/search.h"

/*
 * Receives a combination of values, and the number of entities that have this
 * combination. A missing value is NULL.
 */
typedef void (*KgForeignGroupFunction)(const JsonbValue *const *values,
									   int64 entities, void *arg);

typedef struct KgForeign
{
	/*
	 * Returns whether the nodes of a type are foreign. table: the type reads a
	 * table.
	 */
	bool (*has)(const KgGraph *graph, bool table);
	/* Returns the nodes by the type, ids and filter of a selector. */
	int64 *(*select)(KgGraph *graph, const KgSelector *selector, uint32 *n);
	/*
	 * Adds the nodes of the type that pass the filter. Returns false if more
	 * than "most" nodes pass it, or if the whole table would have to be read to
	 * find them.
	 */
	bool (*few)(KgGraph *graph, const KgType *type, const KgFilter *filter,
				uint32 most, KgNodeSet *nodes);
	/*
	 * Adds those of the given nodes that pass the filter to "passing". All
	 * given nodes are of one type. Returns false if the caller must test the
	 * documents of the nodes.
	 */
	bool (*pass)(KgGraph *graph, uint16 rank, const KgFilter *filter,
				 const int64 *nodes, uint32 n, KgNodeSet *passing);
	/*
	 * Counts the entities of a selector by the values of some properties. The
	 * selector must not have "related"; a field may be NULL. Returns the number
	 * of entities, or -1 if the caller must read the documents of the entities.
	 */
	int64 (*groups)(KgGraph *graph, const KgSelector *selector,
					const KgField *const *fields, int nfields,
					KgForeignGroupFunction found, void *arg);
	/*
	 * Adds the entities of the type whose label, alias or id matches the query.
	 * Adds to *missing a text for each column in which similar names are not
	 * searched, because no index finds them.
	 */
	void (*search)(KgGraph *graph, const KgType *type, const char *query,
				   KgMatches *matches, List **missing);
	/*
	 * These functions correspond to kg_graph_expand(), kg_graph_types() and
	 * kg_graph_resolve(), for foreign nodes. expand() also takes other nodes,
	 * because it also reads the edges between foreign nodes and nodes of
	 * kg_graph.
	 */
	void (*expand)(KgGraph *graph, const KgFollow *walk, const int64 *nodes,
				   uint32 n, KgNeighborFunction found, void *arg);
	uint16 (*rank)(const KgGraph *graph, int64 node);
	void (*resolve)(KgGraph *graph, const int64 *nodes, uint32 n,
					bool with_data, KgRefFunction found, void *arg);
} KgForeign;

/*
 * Return the functions if the nodes of the type are foreign, or NULL.
 * kg_foreign_of_row() parses only schemas of types that read tables.
 */
static inline const KgForeign *
kg_foreign_of(const KgGraph *graph, const KgType *type)
{
	return graph->foreign != NULL &&
				   graph->foreign->has(graph, type->binding != NULL)
			   ? graph->foreign
			   : NULL;
}

static inline const KgForeign *
kg_foreign_of_row(const KgGraph *graph, const KgTypeRow *row)
{
	return graph->foreign != NULL &&
				   graph->foreign->has(graph, kg_row_has(row, KG_TRAIT_TABLE))
			   ? graph->foreign
			   : NULL;
}

static inline bool
kg_is_foreign(int64 node)
{
	return node < 0;
}

/*
 * Returns a copy of the nodes with the foreign nodes first, and sets *nforeign
 * to the number of foreign nodes.
 */
extern int64 *kg_foreign_apart(KgGraph *graph, const int64 *nodes, uint32 n,
							   uint32 *nforeign);

/*
 * Passes to found() the nodes of the type that have these ids, if the nodes of
 * the type are foreign. An id may be NULL; it is ignored.
 */
extern void kg_foreign_find(KgGraph *graph, const KgType *type,
							const char *const *ids, int n, KgRefFunction found,
							void *arg);
/*
 * Like kg_foreign_find(), but if the caller cannot read the table of the type,
 * finds nothing and raises no error.
 */
extern void kg_foreign_look(KgGraph *graph, const KgType *type,
							const char *const *ids, int n, KgRefFunction found,
							void *arg);

/*
 * Searches for a name in the tables that types read (x-table), and adds the
 * matches to those of stored entities. ntypes 0: searches all tables that the
 * caller can read. Otherwise searches only the tables of these types, and
 * raises an error for a table that the caller cannot read. missing: as for
 * search().
 */
extern void kg_foreign_search(KgGraph *graph, const int32 *type_nos, int ntypes,
							  const char *query, KgMatches *matches,
							  List **missing);

/* Returns the ids of foreign nodes. */
extern char **kg_foreign_ids(KgGraph *graph, const int64 *nodes, uint32 n);

/*
 * Passes to found() the edges of these relations that begin, in their stored
 * orientation, at one of the sources and have a foreign node at one end or
 * both. Passes the properties of the edges, too. sources and relations have n
 * members each, which may repeat.
 */
extern void kg_foreign_edges(KgGraph *graph, const int64 *sources,
							 const int32 *relations, uint32 n,
							 KgNeighborFunction found, void *arg);

#endif /* KG_FOREIGN_H */
