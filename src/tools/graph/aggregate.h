/*
 * graph/aggregate.h
 *	  The state of a call of aggregate_nodes.
 *
 *	  graph/aggregate_read.c reads the arguments; graph/aggregate.c runs the
 *	  call.
 */
#ifndef KG_GRAPH_AGGREGATE_H
#define KG_GRAPH_AGGREGATE_H

#include "query/graph/aggregate.h"
#include "query/derived.h"
#include "query/list/list.h"
#include "query/graph/ref_path.h"
#include "query/graph/traverse.h"
#include "tools/graph/graph.h"
#include "tools/graph/having.h"
#include "tools/graph/reply.h"
#include "tools/graph/step_edges.h"

#define KG_MAX_COLUMN_NAME 64
#define KG_MAX_COLUMNS (2 * KG_MAX_GROUPS + KG_MAX_AGGREGATIONS)

/*
 * The values of a group key for one entity, or for one node at the end of a
 * relationship.
 */
typedef struct KgValues
{
	int n;
	KgGroupValue *values;
} KgValues;

typedef struct KgGroupKey
{
	/* the property by which nodes are grouped; NULL: the id */
	const KgField *field;
	KgTruncate truncate;
	bool related;
	/* name of the group's column, without the suffix for a direction */
	const char *end;
	KgDirection direction;
	KgStepSpec step;
	KgTraversal t;
	/* > 0: the group is by the node at the end of this step of the chain */
	int step_no;
	const KgType *step_type; /* type of the node at the end of the step */
	/* true: the reply also has the labels of the group's entities */
	bool named;
	/* path through references to the values of the group, or NULL */
	const KgRefPath *path;
	KgRefValues *reached; /* values at the end of the path */
	/* property of the step's edges to group by, indexed by relation; or NULL */
	const KgField **edges;
	KgStepEdges *found; /* edges of the step, with their properties */
	/*
	 * if the group is by a count of edges: path of its name in the arguments;
	 * or NULL
	 */
	const char *counted_path;
	/* values of end nodes, indexed by node of t.set or of the chain's set */
	KgValues *ends;
} KgGroupKey;

/*
 * The group values in one row of the chain. Only groups by steps of the chain
 * have a value here.
 */
typedef struct KgJoint
{
	KgGroupValue values[KG_MAX_GROUPS];
	/* edge of the row in the step edge_step, or NULL */
	const KgReplyEdge *edge;
} KgJoint;

/* The labels of the entities that the values of a group refer to. */
typedef struct KgLabels
{
	int group;
	const KgType *type;
	int n;
	char **ids; /* ids of the entities, in ascending order */
	/*
	 * Indexed as ids: an array whose only item is the label, or NULL if there
	 * is no label.
	 */
	Jsonb **found;
} KgLabels;

typedef struct KgSortColumn
{
	int column;
	bool descending;
} KgSortColumn;

typedef struct KgAggregate
{
	KgGraphCall call;
	KgSelector node;
	KgSteps steps;
	int ngroups;
	KgGroupKey groups[KG_MAX_GROUPS];
	int nspecs;
	KgAggregateSpec specs[KG_MAX_AGGREGATIONS];
	/*
	 * Indexed by aggregation: path through references to the property, or NULL.
	 * reached has the values at the end of that path.
	 */
	const KgRefPath *paths[KG_MAX_AGGREGATIONS];
	KgRefValues *reached[KG_MAX_AGGREGATIONS];
	/*
	 * Indexed by aggregation: the property of edges that is aggregated,
	 * indexed by relation; or NULL.
	 */
	const KgField **edges[KG_MAX_AGGREGATIONS];
	/* step whose edges are aggregated; 0: no aggregation of edge properties */
	int edge_step;
	KgStepEdges *found;
	/*
	 * Indexed by aggregation: the name that its column would have without
	 * "as".
	 */
	const char *unnamed[KG_MAX_AGGREGATIONS];
	int ncolumns;
	/* names: first groups, then aggregations, then labels */
	const char *columns[KG_MAX_COLUMNS];
	int nlabels;
	KgLabels labels[KG_MAX_GROUPS];
	KgHaving having;
	int nsort;
	KgSortColumn sort[KG_MAX_SORT];
	int64 limit;
	/*
	 * Index of the group "per": "limit" is the number of rows for each of its
	 * values. -1: "limit" is the number of all rows.
	 */
	int per;
	/* the count of edges that the arguments named last, or NULL */
	const KgField *counted;
	const char *counted_path;
	bool counts_kept;
	/* State of the execution: */
	/*
	 * Counts of edges of the nodes, if the aggregation needs them; otherwise
	 * NULL.
	 */
	KgCounts *counts;
	KgGroups *result;
	MemoryContext work; /* memory context, reset after each node */
	KgTraversal chain;	/* the chain of relationships, if the call has one */
	/* number of nodes from which the chain can be completed */
	uint32 kept;
	/* last step by which a group is formed; 0: no group is by a step */
	int deepest;
	/*
	 * nodes of the current row: the start node, then the node at the end of
	 * each step
	 */
	uint32 bound[KG_MAX_STEPS + 1];
	/* number of elements of joints, which has the rows of the current node */
	int njoints;
	int joint_room;
	KgJoint *joints;
	Jsonb *warnings; /* or NULL */
	KgReply reply;
	/* Number of all rows. The reply has at most "limit" rows. */
	uint32 nrows;
	Jsonb **written; /* the rows of the reply, as JSON */
} KgAggregate;

/*
 * Reads the labels of the entities that the group values of the first n rows
 * refer to.
 */
extern void kg_aggregate_read_labels(KgAggregate *a, KgGroup *const *groups,
									 uint32 n);
/* Writes the label of the entity to which a group value refers, or null. */
extern void kg_aggregate_write_label(const KgLabels *labels,
									 const KgGroupValue *value,
									 KgJsonWriter *w);

/* Begins the call and reads its arguments. Does not read any data. */
extern void kg_aggregate_read(KgAggregate *a, const Jsonb *arguments);

#endif /* KG_GRAPH_AGGREGATE_H */
