/*
 * foreign.h
 *	  Nodes without a row in kg_entity, in the searches of the graph.
 *
 * A search sees nodes and edges by a few functions: a selection, the neighbours
 * of nodes, the types of nodes, their ids and data, and counts of groups.  The
 * virtual graph has these functions for entities that are rows of other tables.
 * It numbers the entities that a search meets below 0, for this search alone,
 * by their types and ids.
 */
#ifndef KG_FOREIGN_H
#define KG_FOREIGN_H

#include "query/filter/select.h"
#include "query/graph/nodes.h"

/*
 * Receives a combination of values, NULL for a missing one, and the number of
 * entities that have it.
 */
typedef void (*KgForeignGroupFunction)(const JsonbValue *const *values,
									   int64 entities, void *arg);

typedef struct KgForeign
{
	/* Returns whether the nodes of the type are foreign. */
	bool (*has)(const KgGraph *graph, const KgType *type);
	/* Returns the nodes by the type, ids and filter of a selector. */
	int64 *(*select)(KgGraph *graph, const KgSelector *selector, uint32 *n);
	/*
	 * Adds to passing those of the nodes of one type that pass a filter.
	 * Returns false if their documents must be tested.
	 */
	bool (*pass)(KgGraph *graph, uint16 rank, const KgFilter *filter,
				 const int64 *nodes, uint32 n, KgNodeSet *passing);
	/*
	 * Counts the entities of a selector without "related" by some properties; a
	 * field may be NULL.  Returns their number, or -1 if their documents must be
	 * read.
	 */
	int64 (*groups)(KgGraph *graph, const KgSelector *selector,
					const KgField *const *fields, int nfields,
					KgForeignGroupFunction found, void *arg);
	/*
	 * As kg_graph_expand(), kg_graph_types(), kg_graph_resolve().  The nodes
	 * are foreign, but for expand(), which knows the edges between the two
	 * kinds.
	 */
	void (*expand)(KgGraph *graph, const KgFollow *walk, const int64 *nodes,
				   uint32 n, KgNeighborFunction found, void *arg);
	uint16 (*rank)(const KgGraph *graph, int64 node);
	void (*resolve)(KgGraph *graph, const int64 *nodes, uint32 n,
					bool with_data, KgRefFunction found, void *arg);
} KgForeign;

/*
 * Returns the functions if the nodes of the type are foreign, or NULL.
 */
static inline const KgForeign *
kg_foreign_of(const KgGraph *graph, const KgType *type)
{
	return graph->foreign != NULL && graph->foreign->has(graph, type)
			   ? graph->foreign
			   : NULL;
}

static inline bool
kg_is_foreign(int64 node)
{
	return node < 0;
}

/*
 * Returns a copy of the nodes with the foreign ones first, and sets *nforeign to
 * their number.
 */
extern int64 *kg_foreign_apart(KgGraph *graph, const int64 *nodes, uint32 n,
							   uint32 *nforeign);

/*
 * Passes the foreign nodes of the type with these ids to the function.  An id
 * may be NULL.
 */
extern void kg_foreign_find(KgGraph *graph, const KgType *type,
							const char *const *ids, int n, KgRefFunction found,
							void *arg);

/* Returns the ids of foreign nodes. */
extern char **kg_foreign_ids(KgGraph *graph, const int64 *nodes, uint32 n);

/*
 * Passes the edges that leave foreign nodes over the relations, as they are
 * stored, with their properties.  Repeated and other nodes and relations are
 * ignored.
 */
extern void kg_foreign_edges(KgGraph *graph, const int64 *sources,
							 const int32 *relations, uint32 n,
							 KgNeighborFunction found, void *arg);

#endif /* KG_FOREIGN_H */
