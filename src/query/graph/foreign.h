/*
 * foreign.h
 *	  Nodes without a row in kg_entity, in the searches of the graph.
 *
 * A search sees nodes and edges by five functions: the start, a selection, the
 * neighbours of nodes, the types of nodes, and their ids and data.  The virtual
 * graph has these functions for entities that are rows of other tables.  It
 * numbers the entities that a search meets below 0, for this search alone, by
 * their types and ids.
 */
#ifndef KG_FOREIGN_H
#define KG_FOREIGN_H

#include "query/filter/select.h"
#include "query/graph/nodes.h"

typedef struct KgForeign
{
	/* Returns whether the nodes of the type are foreign. */
	bool (*has)(const KgGraph *graph, const KgType *type);
	/* As kg_graph_start() and kg_select_nodes(), for such a type. */
	int64 (*start)(KgGraph *graph, const KgType *type, const char *id);
	int64 *(*select)(KgGraph *graph, const KgSelector *selector, uint32 *n);
	/* As kg_graph_expand(), kg_graph_types(), kg_graph_resolve(). */
	void (*expand)(KgGraph *graph, const KgFollow *walk, const int64 *nodes,
				   uint32 n, KgNeighborFunction found, void *arg);
	uint16 (*rank)(const KgGraph *graph, int64 node);
	void (*resolve)(KgGraph *graph, const int64 *nodes, uint32 n,
					bool with_data, KgRefFunction found, void *arg);
} KgForeign;

/*
 * Hook of kg_foreign_admit().  Returns NULL if no node can be foreign, or the
 * functions; it may set graph->foreign_state.
 */
extern const KgForeign *(*kg_foreign_begin)(KgGraph *graph);

/*
 * Admits foreign nodes to a search.  A tool that reads nodes only through
 * these functions calls it before it selects any.  All other tools refuse the
 * types of foreign nodes.
 */
extern void kg_foreign_admit(KgGraph *graph);

/*
 * Returns the functions if the nodes of the type are foreign, or NULL.  Raises
 * KG_INVALID_INPUT if they are and the search does not admit them.
 */
extern const KgForeign *kg_foreign_of(const KgGraph *graph, const KgType *type);

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

#endif /* KG_FOREIGN_H */
