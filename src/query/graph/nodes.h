/*
 * nodes.h
 *	  Types, ids and data of nodes.
 */
#ifndef KG_NODES_H
#define KG_NODES_H

#include "query/graph/graph_search.h"

/*
 * Runs a statement that reads ranges of nodes: the nodes of the set from index
 * "wanted" on, and all nodes whose numbers are between the numbers of these
 * nodes. A lookup costs as much as reading several neighbouring rows, and nodes
 * that were loaded together have near numbers. Reads nothing and returns false
 * if single lookups would cost less, or if the statement's executor cannot be
 * held open (kg_plan_holds()).
 */
extern bool kg_graph_run_near(KgGraph *graph, KgGraphSql sql,
							  const KgNodeSet *set, uint32 wanted,
							  KgRowFunction row, void *arg);
/*
 * Sets the ranks of the types of nodes; 0 for nodes that the caller cannot
 * see. Rank r is graph->ranked[r - 1]; ranks order types by their handle, by
 * code point.
 */
extern void kg_graph_types(KgGraph *graph, const int64 *nodes, uint32 n,
						   uint16 *ranks);
extern uint16 kg_graph_rank(const KgGraph *graph, int32 type_no);

/*
 * Returns whether a relation alone determines the types of the nodes at its
 * ends, so that no rows need to be read. This is so if every entity is visible
 * and this transaction has written nothing: then both ends of each edge exist.
 * (For a relation with several types at an end, the implied rank is 0.)
 */
extern bool kg_graph_ranks_implied(KgGraph *graph);

extern void kg_graph_imply(KgGraph *graph, int32 relation_no);

static inline uint16
kg_graph_implied_rank(KgGraph *graph, int32 relation_no, bool target)
{
	KgImplied *implied = &graph->implied[relation_no & (KG_IMPLIED - 1)];

	if (!implied->known || implied->relation_no != relation_no)
		kg_graph_imply(graph, relation_no);
	return implied->ranks[target];
}

/* Discards cached types, which may have changed. */
extern void kg_graph_forget_types(KgGraph *graph);

/* The type, the id and, if requested, the data of a node. */
typedef struct KgRef
{
	int64 node;
	uint16 rank; /* rank of the node's type, see kg_graph_types() */
	int idlen;
	/* NUL-terminated if the string is still valid after the row is freed */
	const char *id;
	const Jsonb *data;
} KgRef;

/*
 * Passes the nodes that the caller can see to found(), unordered, with or
 * without their data. Pointers of a KgRef are valid until the function
 * returns.
 */
typedef void (*KgRefFunction)(const KgRef *ref, void *arg);
extern void kg_graph_resolve(KgGraph *graph, const int64 *nodes, uint32 n,
							 bool with_data, KgRefFunction found, void *arg);

/*
 * Returns the node of a type and an id, or 0 if the caller sees no such node.
 * If the entity was merged into another entity, returns the node of that
 * entity. Caches the row of the node for kg_graph_resolve().
 */
extern int64 kg_graph_start(KgGraph *graph, const KgType *type, const char *id);

/* Compares by type, then id: the order of replies. */
extern int kg_ref_compare(const KgRef *a, const KgRef *b);
/* Returns a copy with strings and data in the given context. */
extern KgRef kg_ref_copy(const KgRef *ref, MemoryContext context);

#endif /* KG_NODES_H */
