/*
 * graph/reply.h
 *	  The reply of a graph tool: nodes and edges within a byte budget.
 *
 *	  A reply consists of units: nodes, rows or paths. A node or an edge
 *	  belongs to the first unit that refers to it. If the reply is too long,
 *	  data is removed from the last unit backwards (tools/reply/reply.h). In a
 *	  reply with pages, the properties of a unit's edges and nodes are removed
 *	  first, then the unit itself. In a reply without pages, the properties of
 *	  all edges are removed before the properties of any node.
 */
#ifndef KG_GRAPH_REPLY_H
#define KG_GRAPH_REPLY_H

#include "tools/graph/call.h"

typedef struct KgReplyNode
{
	KgRef ref;
	int depth; /* distance from the start; -1: not shown */
	uint32 unit;
	bool full; /* true: the caller requested its properties */
	/*
	 * The node's document, if the reply shows it as one member instead of
	 * properties; or NULL.
	 */
	const Jsonb *whole;
	bool cut;  /* true: removed from the reply */
	bool stub; /* true: written without its properties */
} KgReplyNode;

typedef struct KgReplyEdge
{
	const char *type;
	int32 relation_no; /* number of the relation; 0: not a stored edge */
	const KgRef *from;
	const KgRef *to;
	int depth; /* distance from the start; -1: not shown */
	uint32 unit;
	/*
	 * number of occurrences of the edge in units (rows or paths), if the sizes
	 * of the units include the edge; 0: the size of the edge is added
	 * separately
	 */
	uint32 uses;
	bool full;
	/* key of the edge, if its relation has keys; set when the edge is read */
	const char *key;
	const Jsonb *properties;
	bool cut;
	bool stub;
} KgReplyEdge;

typedef struct KgReply
{
	KgGraphCall *call;
	bool bfs; /* true: write nodes and edges in the form of BFS-QL */
	uint32 nnodes;
	KgReplyNode *nodes;
	uint32 nedges;
	KgReplyEdge *edges;
	/* Show only one of parallel edges: with a weight, the lightest. */
	bool one_of_parallel;
	/* name of the edges' property with the weight, or NULL */
	const char *weight;
	/*
	 * With one_of_parallel: selects the edges that may represent parallel
	 * edges.
	 */
	const KgFollow *shown;
	/* bytes of each unit besides its nodes and edges; or NULL */
	Size *unit_sizes;
	/* Its items are the units. The tool sets its other members. */
	KgDraft draft;
} KgReply;

/*
 * Reads the entity of each ref that has no data yet. Then sets the counts of
 * edges in the data of all refs. If a ref still has no data, the caller cannot
 * see the entity. If columns is NULL, all properties are read.
 */
extern void kg_read_entities(KgGraph *graph, const KgShownColumns *columns,
							 KgRef **refs, uint32 n);
/*
 * Reads the data of the nodes with the flag "full", and keeps the properties
 * that the reply shows.
 */
extern void kg_reply_fetch_nodes(KgReply *reply);
/*
 * Reads those properties of the edges with the flag "full" that the reply
 * shows. If the relation of an edge has keys, adds its parallel edges to the
 * reply. With one_of_parallel, adds none, but lets one edge represent its
 * parallel edges.
 */
extern void kg_reply_fetch_edges(KgReply *reply);
/* Reads all properties of the edges with the flag "full". */
extern void kg_reply_read_edges(KgReply *reply);
/* Orders nodes by type and id. */
extern void kg_reply_sort_nodes(KgReply *reply);
/* Orders edges by from, type and to, and removes duplicates. */
extern void kg_reply_sort_edges(KgReply *reply);

extern void kg_reply_init(KgReply *reply, KgGraphCall *call);
/*
 * Returns the finished reply. "write" is called to write the tool's own
 * members.
 */
extern Jsonb *kg_reply_finish(KgReply *reply,
							  void (*write)(void *state, const KgFit *fit,
											KgJsonWriter *w),
							  void *state);

/*
 * Return the lengths in bytes of a handle and of an edge, as they are written
 * in the reply.
 */
extern Size kg_handle_text_size(const KgReply *reply, const KgRef *ref);
extern Size kg_edge_text_size(const KgReply *reply, const KgReplyEdge *edge);

extern void kg_reply_write_edge(const KgReply *reply, const KgReplyEdge *edge,
								KgJsonWriter *w);
/*
 * kg_reply_write_items() writes the nodes as the member "key".
 * kg_reply_write_nodes() writes the members "nodes" and "edges".
 */
extern void kg_reply_write_items(const KgReply *reply, const char *key,
								 KgJsonWriter *w);
extern void kg_reply_write_nodes(const KgReply *reply, KgJsonWriter *w);
extern void kg_reply_write_edges(const KgReply *reply, KgJsonWriter *w);

#endif /* KG_GRAPH_REPLY_H */
