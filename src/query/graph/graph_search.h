/*
 * graph_search.h
 *	  A search as a whole: who searches, how it walks, what it may take.
 *
 * A KgGraph lives as long as one call of a tool.  What a search keeps is in
 * its memory context, which outlives the executor's; kg_graph_end() frees it.
 * Nothing here reads a table but through query/run/plan.h, so that the caller's
 * privileges and row-level security decide at every hop.
 */
#ifndef KG_GRAPH_SEARCH_H
#define KG_GRAPH_SEARCH_H

#include "model/adjacency.h"
#include "model/catalog.h"
#include "query/graph/nodeset.h"
#include "query/run/plan.h"
#include "query/run/running.h"
#include "query/graph/sql_graph.h"

/* Nodes a statement; 128 kB of array. */
#define KG_PIECE 16384

/*
 * How a search walks.  "forward" is along the stored orientation; a symmetric
 * relation is in both whatever direction was asked for.
 */
typedef struct KgFollow
{
	KgRelationSet forward;
	KgRelationSet backward;
	bool properties; /* edges are delivered with their properties */
	/* NULL, or which edges are walked; implies properties */
	bool (*accept)(int32 relation_no, const Jsonb *properties, void *arg);
	void *accept_arg;
} KgFollow;

/* What the ends of a relation's edges are; 0 where its variants differ. */
typedef struct KgImplied
{
	int32 relation_no;
	bool known;
	uint16 ranks[2]; /* of the source, of the target */
} KgImplied;

#define KG_IMPLIED 64

/* A path has two ends. */
#define KG_KEPT_STARTS 2

/*
 * What the search read of a node by itself, which is mostly the start: edges
 * of the page and the page itself ask for it again.
 */
typedef struct KgKept
{
	/* the rows of the last starts, nstarts of them read so far; NULL: none */
	const struct KgRef *starts[KG_KEPT_STARTS];
	uint32 nstarts;
	int64 node;		 /* whose packed edges were looked up; 0: none */
	bool packed;	 /* it has them */
	uint8 *edges[2]; /* out, in; NULL: none */
	Size lengths[2];
} KgKept;

typedef struct KgGraph
{
	KgCall *call;
	const KgCatalog *catalog;
	MemoryContext context;
	Datum tenant;
	bool check_nodes; /* some entities are hidden: look at every hop */
	bool packed;	  /* kg_adjacency says what kg_edge says */
	bool in_ranges;	  /* near nodes are read with what lies between them */
	int64 edges;	  /* read so far */
	double cost;	  /* estimated so far, see query/graph/cost.h */
	int nranks;		  /* types in the order of replies; rank 0 is none */
	const KgType **ranked;
	/* relations met last, by the low bits of their number */
	KgImplied *implied;
	KgKept kept;
	struct KgBlocks *blocks; /* of packed edges, read so far; NULL: not kept */
	/* nodes whose ranks were read last: an estimate looks at many before the
	 * search does; where each is looked at, their ids, for the reply */
	KgNodeSet known;
	uint16 *known_ranks;	  /* by their places there; 0: hidden */
	struct KgRef *known_refs; /* with check_nodes, of those that are seen */
	MemoryContext known_ids;
} KgGraph;

/* Begin a search as the current role; raises KG_NO_TENANT. */
extern KgGraph *kg_graph_begin(void);
extern void kg_graph_end(KgGraph *graph);

/*
 * Run a statement whose first parameter is the tenant.  Its executor may be
 * held (query/run/held.h), so every row is fetched whatever the function returns.
 */
extern void kg_graph_run(KgGraph *graph, KgGraphSql which, int nargs,
						 const Oid *types, Datum *values, KgRowFunction row,
						 void *arg);

/* Raise KG_LIMIT_EXCEEDED where a search took more than its settings allow. */
extern void kg_graph_check_visited(KgGraph *graph, uint64 visited);
extern void kg_graph_check_memory(KgGraph *graph);
extern void kg_graph_charge_edges(KgGraph *graph, int64 edges);

/* Does the walk follow the relation both ways? */
extern bool kg_follow_both(const KgFollow *walk, int32 relation_no);
/* The same walk from the other end. */
extern void kg_follow_reverse(const KgFollow *walk, KgFollow *reversed);

#endif /* KG_GRAPH_SEARCH_H */
