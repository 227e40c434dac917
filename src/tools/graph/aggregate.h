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
 * The values of one entity, or of one end of a relationship, for a group key.
 */
typedef struct KgValues
{
	int n;
	KgGroupValue *values;
} KgValues;

typedef struct KgGroupKey
{
	/* the property by which nodes are grouped; NULL: their id */
	const KgField *field;
	KgTruncate truncate;
	bool related;
	const char *end; /* column of the end, without the suffix of a direction */
	KgDirection direction;
	KgStepSpec step;
	KgTraversal t;
	int step_no; /* > 0: group by the end of this step of the chain */
	const KgType *step_type; /* type of that end */
	/* the reply also has the labels of the group's entities */
	bool named;
	const KgRefPath *path; /* group by the values of a path; or NULL */
	KgRefValues *reached;  /* the values of the path */
	/* group by this property of the step's edges, by relation; or NULL */
	const KgField **edges;
	KgStepEdges *found; /* the edges of the step */
	/* path of a count of edges in the arguments, or NULL */
	const char *counted_path;
	KgValues *ends; /* by index of the node in t.set, or in the chain's set */
} KgGroupKey;

/* The values of one row of the chain, for the groups that its steps define. */
typedef struct KgJoint
{
	KgGroupValue values[KG_MAX_GROUPS];
	const KgReplyEdge *edge; /* the edge in edge_step; or NULL */
} KgJoint;

/* The labels of the entities that a group's values refer to. */
typedef struct KgLabels
{
	int group;
	const KgType *type;
	int n;
	char **ids; /* in ascending order */
	/* indexed by id: its label as the only item of an array; NULL: no label */
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
	 * indexed by aggregation: a path to the property, or NULL; and its values
	 */
	const KgRefPath *paths[KG_MAX_AGGREGATIONS];
	KgRefValues *reached[KG_MAX_AGGREGATIONS];
	/*
	 * indexed by aggregation: the property of the edges of edge_step; or NULL
	 */
	const KgField **edges[KG_MAX_AGGREGATIONS];
	int edge_step; /* 0: no aggregation of edge properties */
	KgStepEdges *found;
	/* by aggregation: the name of its column without "as" */
	const char *unnamed[KG_MAX_AGGREGATIONS];
	int ncolumns;
	const char *columns[KG_MAX_COLUMNS]; /* groups, aggregations, labels */
	int nlabels;
	KgLabels labels[KG_MAX_GROUPS];
	KgHaving having;
	int nsort;
	KgSortColumn sort[KG_MAX_SORT];
	int64 limit;
	/*
	 * index of the group's column for each of whose values the limit applies;
	 * or -1
	 */
	int per;
	const KgField *counted; /* property of the last count of edges, or NULL */
	const char *counted_path;
	bool counts_kept;
	/* State of the execution: */
	/*
	 * counts of edges, if they must be computed for documents; otherwise NULL
	 */
	KgCounts *counts;
	KgGroups *result;
	MemoryContext work; /* reset for each node */
	KgTraversal chain;	/* if there are steps */
	uint32 kept;		/* number of nodes from which the chain has a row */
	int deepest;		/* last step that a group refers to; 0: no group does */
	uint32 bound[KG_MAX_STEPS + 1]; /* start and ends of the current row */
	int njoints;					/* number of rows of the current node */
	int joint_room;
	KgJoint *joints;
	Jsonb *warnings; /* or NULL */
	KgReply reply;
	/* number of all rows; the reply has at most "limit" rows */
	uint32 nrows;
	Jsonb **written; /* the rows that the reply has */
} KgAggregate;

/* Reads the labels for the group values of the first n rows. */
extern void kg_aggregate_read_labels(KgAggregate *a, KgGroup *const *groups,
									 uint32 n);
/* Writes the label of one of these values, or null. */
extern void kg_aggregate_write_label(const KgLabels *labels,
									 const KgGroupValue *value,
									 KgJsonWriter *w);

/* Begins the call and reads its arguments. Does not read any data. */
extern void kg_aggregate_read(KgAggregate *a, const Jsonb *arguments);

#endif /* KG_GRAPH_AGGREGATE_H */
