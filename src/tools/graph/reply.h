/*
 * graph/reply.h
 *	  The reply of a graph tool: nodes and edges within a byte budget.
 *
 *	  A reply consists of units: nodes, rows or paths. A node or an edge belongs
 *	  to the first unit that refers to it. If the reply is too long, data is
 *	  removed from the last unit backwards (tools/reply/reply.h). On a page, the
 *	  properties of a unit's edges and nodes are removed first, then the unit.
 *	  Without pages, the properties of all edges are removed before the
 *	  properties of any node.
 */
#ifndef KG_GRAPH_REPLY_H
#define KG_GRAPH_REPLY_H

#include "tools/graph/call.h"

typedef struct KgReplyNode
{
	KgRef ref;
	int depth; /* -1: not reported */
	uint32 unit;
	bool full; /* its properties are requested */
	/* the node's document, if it is not written as properties; or NULL */
	const Jsonb *whole;
	bool cut;  /* removed from the reply */
	bool stub; /* written without its properties */
} KgReplyNode;

typedef struct KgReplyEdge
{
	const char *type;
	int32 relation_no; /* 0: not a stored edge */
	const KgRef *from;
	const KgRef *to;
	int depth; /* -1: not reported */
	uint32 unit;
	uint32 uses; /* > 0: occurrences in units, which include its size */
	bool full;
	const char *key; /* set when the edge is read, if its relation has keys */
	const Jsonb *properties;
	bool cut;
	bool stub;
} KgReplyEdge;

typedef struct KgReply
{
	KgGraphCall *call;
	bool bfs; /* use the shapes of BFS-QL */
	uint32 nnodes;
	KgReplyNode *nodes;
	uint32 nedges;
	KgReplyEdge *edges;
	bool one_of_parallel; /* lightest of parallel edges only, if weighted */
	const char *weight;	  /* name of the property with the weight, or NULL */
	/* with one_of_parallel: selects the edges that are shown */
	const KgFollow *shown;
	Size *unit_sizes; /* further bytes of each unit; or NULL */
	/* the draft whose items are the units; the tool sets its other members */
	KgDraft draft;
} KgReply;

/*
 * Reads the entities of the refs that have no data yet and sets their counts
 * of edges. A ref that has no data after the call does not exist for the
 * caller. If columns is NULL, all properties are read.
 */
extern void kg_read_entities(KgGraph *graph, const KgShownColumns *columns,
							 KgRef **refs, uint32 n);
/*
 * Reads the data of the nodes with the flag full and retains the shown
 * properties.
 */
extern void kg_reply_fetch_nodes(KgReply *reply);
/*
 * Reads the shown properties of the edges with the flag full. An edge of a
 * relation with keys is replaced by all its parallel edges. With
 * one_of_parallel, it represents them.
 */
extern void kg_reply_fetch_edges(KgReply *reply);
/* Reads all properties of the edges with the flag full. */
extern void kg_reply_read_edges(KgReply *reply);
/* Orders nodes by type and id. */
extern void kg_reply_sort_nodes(KgReply *reply);
/* Orders edges by from, type and to, and removes duplicates. */
extern void kg_reply_sort_edges(KgReply *reply);

extern void kg_reply_init(KgReply *reply, KgGraphCall *call);
/* Returns the finished reply. The callback writes the tool's own members. */
extern Jsonb *kg_reply_finish(KgReply *reply,
							  void (*write)(void *state, const KgFit *fit,
											KgJsonWriter *w),
							  void *state);

/* Return the lengths in bytes of a handle and of an edge, as text. */
extern Size kg_handle_text_size(const KgReply *reply, const KgRef *ref);
extern Size kg_edge_text_size(const KgReply *reply, const KgReplyEdge *edge);

extern void kg_reply_write_edge(const KgReply *reply, const KgReplyEdge *edge,
								KgJsonWriter *w);
/* Write the nodes as the member key; write the members "nodes" and "edges". */
extern void kg_reply_write_items(const KgReply *reply, const char *key,
								 KgJsonWriter *w);
extern void kg_reply_write_nodes(const KgReply *reply, KgJsonWriter *w);
extern void kg_reply_write_edges(const KgReply *reply, KgJsonWriter *w);

#endif /* KG_GRAPH_REPLY_H */
