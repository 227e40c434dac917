/*
 * neighbors.h
 *	  Breadth-first search from a set of nodes, and a page of what it found.
 */
#ifndef KG_NEIGHBORS_H
#define KG_NEIGHBORS_H

#include "nodes/pg_list.h"
#include "query/graph/frontier.h"
#include "query/graph/nodes.h"

#define KG_MAX_REACH_HOPS 6		 /* that are estimated */
#define KG_ALL_HOPS PG_INT32_MAX /* until nothing new is found */

/* An edge in its stored orientation; ends are indexes of the node set. */
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

#define KG_REACH_RANKS 1 /* types of the nodes */
#define KG_REACH_EDGES 2 /* keep the edges walked, each once */
#define KG_REACH_RING 4	 /* edges between two outermost nodes belong to it */
#define KG_REACH_COUNT 8 /* count them, and note their relations, instead */

typedef struct KgReach
{
	KgNodeSet set;
	/* nodes of depth d: level[d] .. level[d + 1] - 1; nlevels > hops */
	uint32 *level;
	int nlevels;
	int room;		  /* of level */
	uint16 *ranks;	  /* 0: hidden; NULL unless asked for and all are visible */
	KgEdgeList edges; /* where they were asked for */
	uint64 nedges;	  /* counted, those to hidden nodes too */
	List *relations;  /* numbers of those counted */
	/* how it was searched, for the edges of pages */
	const KgFollow *walk;
	int hops; /* those that were walked: fewer, where nothing was left */
	int flags;
} KgReach;

/*
 * The nodes within so many hops of the seeds, which are visible and may
 * repeat.  A hidden node is not walked through.  Everything is allocated in
 * the graph's context; the walk is looked at again when edges are asked for.
 */
extern void kg_reach(KgGraph *graph, const KgFollow *walk, const int64 *seeds,
					 uint32 nseeds, int hops, int flags, KgReach *reach);
/* Where depth d ends, while it is built. */
extern void kg_reach_end_level(KgGraph *graph, KgReach *reach, int depth);
/* Is there nothing that the caller can see one hop further? */
extern bool kg_reach_is_complete(KgGraph *graph, const KgReach *reach);
extern int kg_reach_depth(const KgReach *reach, uint32 index);

/*
 * An order of the nodes: by place, in one place by type and id.  The one that a
 * search has is by depth.
 */
typedef struct KgReachOrder
{
	uint64 *places; /* by index */
	uint32 *nodes;	/* indexes, by place */
} KgReachOrder;

/* A page of the nodes in such an order. */
typedef struct KgPageKey
{
	uint64 place;
	KgRef ref;
} KgPageKey;

typedef struct KgPage
{
	/* in */
	const bool *keep;		   /* by index; NULL: all that are visible */
	const KgReachOrder *order; /* NULL: by depth */
	uint64 offset;			   /* skip so many */
	const KgPageKey *after;	   /* or skip those up to and with this */
	uint64 limit;
	bool with_data; /* wanted with their data, which may be read at once */
	/* out */
	uint64 total; /* kept */
	uint32 n;
	KgRef *refs;	  /* in order */
	uint32 *indexes;  /* in the set */
	uint32 *position; /* by index: see kg_page_position() */
	bool more;		  /* nodes follow the page */
} KgPage;

extern void kg_reach_page(KgGraph *graph, const KgReach *reach, KgPage *page);
/* The place of the page's node of that number. */
extern uint64 kg_page_place(const KgReach *reach, const KgPage *page,
							uint32 number);

/* Where a node is relative to the page; else its place on it. */
#define KG_BEFORE_PAGE (PG_UINT32_MAX - 1)
#define KG_AFTER_PAGE PG_UINT32_MAX
#define KG_NOT_KEPT (PG_UINT32_MAX - 2)

/*
 * The edges that the search walked whose later end is on the page, in no order.
 * They are looked for around the nodes of the page unless the search kept all.
 */
extern uint32 kg_reach_page_edges(KgGraph *graph, const KgReach *reach,
								  const KgPage *page, KgEdgeRef **edges);

#endif /* KG_NEIGHBORS_H */
