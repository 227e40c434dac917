/*
 * nodes.h
 *	  What nodes are: their types, ids and data.
 */
#ifndef KG_NODES_H
#define KG_NODES_H

#include "query/graph/graph_search.h"

/*
 * The ranks of the types of nodes; 0 for those the caller cannot see.  Rank r
 * is graph->ranked[r - 1]; ranks order types by their handle, by code point.
 */
extern void kg_graph_types(KgGraph *graph, const int64 *nodes, uint32 n,
						   uint16 *ranks);
extern uint16 kg_graph_rank(const KgGraph *graph, int32 type_no);

/*
 * Where every entity is visible and no reference of this transaction is in
 * suspense, an edge's ends exist, and most relations say what they are: then
 * no row need be read for it.
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

/* They may be others from now on. */
extern void kg_graph_forget_types(KgGraph *graph);

/* A resolved node. */
typedef struct KgRef
{
	int64 node;
	uint16 rank;
	int idlen;
	const char *id; /* NUL-terminated when it outlives the row */
	const Jsonb *data;
} KgRef;

/*
 * Deliver the nodes that the caller can see, in no order, with or without
 * their data.  What a KgRef points to is good until the function returns.
 */
typedef void (*KgRefFunction)(const KgRef *ref, void *arg);
extern void kg_graph_resolve(KgGraph *graph, const int64 *nodes, uint32 n,
							 bool with_data, KgRefFunction found, void *arg);

/*
 * The node of a type and an id, or 0 where the caller sees none.  Its row is
 * kept for when it is resolved.
 */
extern int64 kg_graph_start(KgGraph *graph, const KgType *type, const char *id);

/* By type, then id: the order of replies. */
extern int kg_ref_compare(const KgRef *a, const KgRef *b);
/* A copy whose strings and data are in the given context. */
extern KgRef kg_ref_copy(const KgRef *ref, MemoryContext context);

#endif /* KG_NODES_H */
