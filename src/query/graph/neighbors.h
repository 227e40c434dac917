/*
 * neighbors.h
 *	  Breadth-first search from a set of nodes, and pages of its result.
 */
#ifndef KG_NEIGHBORS_H
#define KG_NEIGHBORS_H

#include "nodes/pg_list.h"
#include "query/graph/frontier.h"
#include "query/graph/nodes.h"

/* maximum number of hops for which the cost is estimated */
#define KG_MAX_REACH_HOPS 6
/* the search goes on until a hop finds no new node */
#define KG_ALL_HOPS PG_INT32_MAX

/*
 * An edge in its stored orientation. source and target are indexes of the node
 * set.
 */
typedef struct KgEdgeRef
{
	uint32 source;
	uint32 target;
	int32 relation_no;
} KgEdgeRef;

typedef struct KgEdgeList
{
	KgEdgeRef *edges;
	uint32 n;
	uint32 capacity;
} KgEdgeList;

extern void kg_edge_list_init(KgEdgeList *list, MemoryContext context);
extern void kg_edge_list_add(KgEdgeList *list, uint32 source, uint32 target,
							 int32 relation_no);

#define KG_REACH_RANKS 1 /* set the types (ranks) of the nodes */
#define KG_REACH_EDGES 2 /* store the edges walked, each once */
/* the result has edges between outermost nodes */
#define KG_REACH_RING 4
/* count edges and list their relations, instead of storing the edges */
#define KG_REACH_COUNT 8

typedef struct KgReach
{
	KgNodeSet set;
	/* nodes of depth d: level[d] .. level[d + 1] - 1; nlevels > hops */
	uint32 *level;
	int nlevels;
	int room; /* allocated length of level */
	/*
	 * ranks of the nodes' types, 0: hidden; NULL if not requested and all nodes
	 * are visible
	 */
	uint16 *ranks;
	KgEdgeList edges; /* with KG_REACH_EDGES */
	uint64 nedges;	  /* counted, including edges to hidden nodes */
	/* numbers of the relations of counted edges */
	List *relations;
	/* the walk of the search, for reading the edges of pages */
	const KgFollow *walk;
	int hops; /* hops walked; fewer if no node was left */
	int flags;
} KgReach;

/*
 * Finds the nodes within a number of hops of the seeds, which must be visible
 * and may repeat. A hidden node is not walked through. Everything is allocated
 * in the graph's context. walk must live as long as edges of pages are read.
 */
extern void kg_reach(KgGraph *graph, const KgFollow *walk, const int64 *seeds,
					 uint32 nseeds, int hops, int flags, KgReach *reach);
/*
 * Ends a depth of a result that is being built: the nodes added since the end
 * of the previous depth have this depth.
 */
extern void kg_reach_end_level(KgGraph *graph, KgReach *reach, int depth);
/*
 * Returns whether the caller sees no further node one hop beyond the outermost
 * nodes.
 */
extern bool kg_reach_is_complete(KgGraph *graph, const KgReach *reach);
extern int kg_reach_depth(const KgReach *reach, uint32 index);

/*
 * An order of nodes by a number, the node's place. Nodes with equal places are
 * ordered by type and id. Without a KgReachOrder, nodes are ordered by depth.
 */
typedef struct KgReachOrder
{
	/* place of each node, by its index in the node set of the search */
	uint64 *places;
	uint32 *nodes; /* indexes in the set, sorted by place */
} KgReachOrder;

/* The position of a page in an order of nodes. */
typedef struct KgPageKey
{
	uint64 place;
	KgRef ref;
} KgPageKey;

typedef struct KgPage
{
	/* input */
	/*
	 * by index in the set: whether the node is in the result; NULL: all
	 * visible nodes are in the result
	 */
	const bool *keep;
	const KgReachOrder *order; /* NULL: by depth */
	uint64 offset;			   /* number of nodes skipped */
	/*
	 * position after which the page starts: the node at this position and all
	 * nodes before it are skipped; or NULL
	 */
	const KgPageKey *after;
	uint64 limit;
	/*
	 * the caller needs the data of the nodes, which may then be read together
	 * with the nodes
	 */
	bool with_data;
	/* result */
	uint64 total; /* number of nodes that "keep" selects */
	uint32 n;
	KgRef *refs;	 /* in order of the page */
	uint32 *indexes; /* indexes in the set */
	/*
	 * by index in the set: the node's index on the page, or one of the values
	 * below
	 */
	uint32 *position;
	bool more; /* there are nodes after the page */
} KgPage;

extern void kg_reach_page(KgGraph *graph, const KgReach *reach, KgPage *page);
/*
 * Returns the place, by which the nodes are ordered, of the node at index
 * "number" of the page.
 */
extern uint64 kg_page_place(const KgReach *reach, const KgPage *page,
							uint32 number);

/* Values of KgPage.position for nodes that are not on the page. */
#define KG_BEFORE_PAGE (PG_UINT32_MAX - 1)
#define KG_AFTER_PAGE PG_UINT32_MAX
#define KG_NOT_KEPT (PG_UINT32_MAX - 2)

/*
 * Returns, unordered, the edges of the page: those edges walked by the search
 * whose later end is on the page. If the search has not stored all edges,
 * reads the edges of the page's nodes.
 */
extern uint32 kg_reach_page_edges(KgGraph *graph, const KgReach *reach,
								  const KgPage *page, KgEdgeRef **edges);

#endif /* KG_NEIGHBORS_H */
