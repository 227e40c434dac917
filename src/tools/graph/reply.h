/*
 * graph/reply.h
 *	  What a graph tool answers: nodes and edges within a byte budget.
 *
 *	  A reply is made of units: nodes, rows or paths.  A node or an edge belongs
 *	  to the first unit that needs it.  What does not fit is left out from the
 *	  last unit back (tools/reply/reply.h): on a page the properties of its edges and
 *	  nodes, then the unit.  Where there are no pages the properties of edges go
 *	  before those of any node.
 */
#ifndef KG_GRAPH_REPLY_H
#define KG_GRAPH_REPLY_H

#include "tools/graph/call.h"

typedef struct KgReplyNode
{
	KgRef ref;
	int depth; /* -1: not told */
	uint32 unit;
	bool full;			/* its properties are wanted */
	const Jsonb *whole; /* with them, where that is a shape of its own */
	bool cut;			/* out of the reply */
	bool stub;			/* without its properties */
} KgReplyNode;

typedef struct KgReplyEdge
{
	const char *type;
	int32 relation_no; /* 0: no stored edge */
	const KgRef *from;
	const KgRef *to;
	int depth; /* -1: not told */
	uint32 unit;
	uint32 uses; /* > 0: it stands so often in units, whose sizes have it */
	bool full;
	const char *key; /* once it was read, of a relation that has one */
	const Jsonb *properties;
	bool cut;
	bool stub;
} KgReplyEdge;

typedef struct KgReply
{
	KgGraphCall *call;
	bool bfs; /* shapes of BFS-QL */
	uint32 nnodes;
	KgReplyNode *nodes;
	uint32 nedges;
	KgReplyEdge *edges;
	bool one_of_parallel; /* the lightest, where edges have weights */
	const char *weight;	  /* the property that is, or NULL */
	Size *unit_sizes;	  /* beside nodes and edges; NULL: nothing */
	/* Its items are the units; the tool says the rest of the envelope. */
	KgDraft draft;
} KgReply;

/*
 * Read the entities of refs that have no data yet, by node, and put the counts
 * of edges into all that show any: what stays without data is not there for the
 * caller.  columns NULL: everything is shown.
 */
extern void kg_read_entities(KgGraph *graph, const KgShownColumns *columns,
							 KgRef **refs, uint32 n);
/* Read the data of the nodes that are full, and keep what is to be shown. */
extern void kg_reply_fetch_nodes(KgReply *reply);
/*
 * Read what is to be shown of the edges that are full.  One of a
 * relation with a key becomes all that are parallel to it, or stands for them.
 */
extern void kg_reply_fetch_edges(KgReply *reply);
/* Order nodes by type and id. */
extern void kg_reply_sort_nodes(KgReply *reply);
/* Order edges by from, type, to; drop repeated ones. */
extern void kg_reply_sort_edges(KgReply *reply);

extern void kg_reply_init(KgReply *reply, KgGraphCall *call);
/* The reply: write writes the tool's own members. */
extern Jsonb *kg_reply_finish(KgReply *reply,
							  void (*write)(void *state, const KgFit *fit,
											KgJsonWriter *w),
							  void *state);

/* Lengths as text. */
extern Size kg_handle_text_size(const KgReply *reply, const KgRef *ref);
extern Size kg_edge_text_size(const KgReply *reply, const KgReplyEdge *edge);

extern void kg_reply_write_edge(const KgReply *reply, const KgReplyEdge *edge,
								KgJsonWriter *w);
/* The nodes as a member of that name; the members nodes and edges. */
extern void kg_reply_write_items(const KgReply *reply, const char *key,
								 KgJsonWriter *w);
extern void kg_reply_write_nodes(const KgReply *reply, KgJsonWriter *w);
extern void kg_reply_write_edges(const KgReply *reply, KgJsonWriter *w);

#endif /* KG_GRAPH_REPLY_H */
