/*
 * graph_search.h
 *	  A search of the graph: its caller, its limits, and the caches that
 *	  it uses.
 *
 * A KgGraph lives as long as one call of a tool. A search's data is in the
 * memory context of the search, which outlives the context of the executor;
 * kg_graph_end() frees it. Tables are read only through query/run/plan.h, so
 * the caller's privileges and row-level security apply at every hop.
 */
#ifndef KG_GRAPH_SEARCH_H
#define KG_GRAPH_SEARCH_H

#include "model/adjacency.h"
#include "model/catalog.h"
#include "query/graph/nodeset.h"
#include "query/run/plan.h"
#include "query/run/running.h"
#include "query/graph/sql_graph.h"

/*
 * The maximum number of nodes of a statement; the array of nodes then has 128
 * kB.
 */
#define KG_PIECE 16384

/*
 * The relations that a search follows. "forward" is the stored orientation. A
 * symmetric relation is in both sets, whatever the requested direction.
 */
typedef struct KgFollow
{
	KgRelationSet forward;
	KgRelationSet backward;
	/* the properties of each edge are read and passed to found() */
	bool properties;
	/* only edges of tables that the caller may read are walked, for hints */
	bool readable;
	/*
	 * Returns whether an edge is walked; NULL: every edge. If set, the
	 * properties of edges are read.
	 */
	bool (*accept)(int32 relation_no, const Jsonb *properties, void *arg);
	void *accept_arg;
} KgFollow;

/*
 * The types of the nodes at the ends of a relation's edges. A rank is 0 if the
 * relation has several types at that end.
 */
typedef struct KgImplied
{
	int32 relation_no;
	bool known;
	/* rank of the source's type, rank of the target's type */
	uint16 ranks[2];
} KgImplied;

#define KG_IMPLIED 64

/* Number of starts whose rows are cached; a path has two ends. */
#define KG_KEPT_STARTS 2

/*
 * Cached data of single nodes, mostly of the start. The data is needed again
 * for the page and for the edges of the page.
 */
typedef struct KgKept
{
	/*
	 * rows of the last starts, or NULL; nstarts: number of starts read so far
	 */
	const struct KgRef *starts[KG_KEPT_STARTS];
	uint32 nstarts;
	/* node whose packed edges were read; 0: no node */
	int64 node;
	bool packed;	 /* the node has packed edges */
	uint8 *edges[2]; /* outgoing, incoming; NULL: no edges */
	Size lengths[2];
} KgKept;

typedef struct KgGraph
{
	KgCall *call;
	const KgCatalog *catalog;
	MemoryContext context;
	Datum tenant;
	/*
	 * some entities may be hidden, so each hop checks the visibility of its
	 * nodes
	 */
	bool check_nodes;
	/*
	 * kg_adjacency may be read, because it has exactly the edges that the
	 * caller sees
	 */
	bool packed;
	/* nodes with near numbers are read by range scans */
	bool in_ranges;
	int64 edges; /* number of edges read so far */
	/* cost estimated so far (query/graph/cost.h) */
	double cost;
	/* number of types; a rank is an index in ranked + 1 */
	int nranks;
	/* types by rank - 1; read by kg_graph_type() only */
	const KgTypeRow **ranked;
	/* relations used last, indexed by the low bits of their number */
	KgImplied *implied;
	KgKept kept;
	/* cached blocks of packed edges; NULL: not cached */
	struct KgBlocks *blocks;
	/*
	 * Nodes whose ranks were read last. An estimate reads the ranks of many
	 * nodes before the search needs them. With check_nodes, the ids of these
	 * nodes are cached, too, for the reply.
	 */
	KgNodeSet known;
	/* the functions of query/graph/foreign.h; NULL: no node is foreign */
	const struct KgForeign *foreign;
	struct KgForeignState *foreign_state;
	uint16 *known_ranks; /* ranks, by index in known; 0: the node is hidden */
	/* with check_nodes: the refs of visible nodes, by index in known */
	struct KgRef *known_refs;
	MemoryContext known_ids;
} KgGraph;

static inline const KgType *
kg_graph_type(const KgGraph *graph, int i)
{
	return kg_type_of(graph->ranked[i]);
}

/*
 * Returns whether kg_graph_type() of this index returns this type. Parses no
 * schema, so that a call over many types parses only the schemas of the types
 * that it meets.
 */
static inline bool
kg_graph_is_type(const KgGraph *graph, int i, const KgType *type)
{
	return graph->ranked[i]->type_no == type->type_no;
}

/*
 * Hook that the virtual graph sets.  Returns NULL if no node of the search can
 * be foreign, or the functions of query/graph/foreign.h; it may set
 * foreign_state.
 */
extern const struct KgForeign *(*kg_foreign_begin)(KgGraph *graph);

/*
 * Begins a search as the current role. Raises KG_NO_TENANT if the role has no
 * tenant.
 */
extern KgGraph *kg_graph_begin(void);
extern void kg_graph_end(KgGraph *graph);

/*
 * Runs a statement whose first parameter is the tenant. The executor of the
 * statement may be held open (query/run/held.h). So every row is read,
 * whatever row() returns.
 */
extern void kg_graph_run(KgGraph *graph, KgGraphSql which, int nargs,
						 const Oid *types, Datum *values, KgRowFunction row,
						 void *arg);

/* Raise KG_LIMIT_EXCEEDED if a search exceeds the limits of the settings. */
extern void kg_graph_check_visited(KgGraph *graph, uint64 visited);
extern void kg_graph_check_memory(KgGraph *graph);
extern void kg_graph_charge_edges(KgGraph *graph, int64 edges);

/* Returns whether the walk follows the relation in both directions. */
extern bool kg_follow_both(const KgFollow *walk, int32 relation_no);
/* Sets *reversed to the walk in the opposite direction. */
extern void kg_follow_reverse(const KgFollow *walk, KgFollow *reversed);

#endif /* KG_GRAPH_SEARCH_H */
