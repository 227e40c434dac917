/*
 * graph_reply.h
 *	  What a graph tool answers: nodes and edges within a byte budget, and the
 *	  envelope that says what is missing.
 *
 *	  A reply is made of units: nodes, rows or paths.  A node or an edge belongs
 *	  to the first unit that needs it.  Over the budget the properties of edges
 *	  go first, then those of nodes, from the last; then units are cut.
 */
#ifndef KG_GRAPH_REPLY_H
#define KG_GRAPH_REPLY_H

#include "tools/graph_call.h"

typedef struct KgReplyNode
{
	KgRef ref;
	int depth; /* -1: not told */
	uint32 unit;
	bool full;	 /* its properties are wanted */
	Size base;	 /* text size without properties */
	Size detail; /* of the properties */
	bool cut;	 /* out of the reply */
	bool stub;	 /* without its properties */
} KgReplyNode;

typedef struct KgReplyEdge
{
	const char *type;
	int32 relation_no; /* 0: no stored edge */
	const KgRef *from;
	const KgRef *to;
	int depth; /* -1: not told */
	uint32 unit;
	bool full;
	const Jsonb *properties;
	Size base;
	Size detail;
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
	uint32 nunits;
	Size *unit_sizes; /* beside nodes and edges; NULL: nothing */
	Size overhead;	  /* of everything else */
	/* after kg_reply_fit() */
	uint32 units;				/* that stay */
	uint32 withheld_edges;		/* without their properties */
	uint32 withheld_properties; /* nodes without theirs */
	uint32 withheld_items;		/* units cut */
} KgReply;

/* Read the data of the nodes that are full. */
extern void kg_reply_fetch_nodes(KgReply *reply);
/* Read the properties of the edges that are full and may have any. */
extern void kg_reply_fetch_edges(KgReply *reply);
/* Order edges by from, type, to; drop repeated ones. */
extern void kg_reply_sort_edges(KgReply *reply);
extern void kg_reply_fit(KgReply *reply);

extern void kg_reply_write_node(const KgReply *reply, const KgReplyNode *node,
								KgJsonWriter *w);
extern void kg_reply_write_edge(const KgReply *reply, const KgReplyEdge *edge,
								KgJsonWriter *w);
/* The members nodes and edges. */
extern void kg_reply_write_nodes(const KgReply *reply, KgJsonWriter *w);
extern void kg_reply_write_edges(const KgReply *reply, KgJsonWriter *w);

/* What a reply says about its completeness. */
typedef struct KgEnvelope
{
	double total;
	bool at_least; /* total is a lower bound */
	int64 returned;
	bool truncated;
	const char *reason;	 /* "limit" or "max_bytes" */
	int64 highest_limit; /* > 0: said when truncated */
	/* what to send next; NULL members are left out */
	const char *cursor;
	int64 offset; /* -1: none */
} KgEnvelope;

extern void kg_reply_write_envelope(const KgReply *reply,
									const KgEnvelope *envelope,
									KgJsonWriter *w);

/* A member that is an array of strings. */
extern void kg_write_strings(KgJsonWriter *w, const char *key,
							 char *const *strings, int n);

#endif /* KG_GRAPH_REPLY_H */
