/*
 * graph/aggregate.h
 *	  A call of aggregate_nodes: what it asks for, and what it is answered from.
 *
 * graph/aggregate_read.c reads the arguments, graph/aggregate.c the rest.
 */
#ifndef KG_GRAPH_AGGREGATE_H
#define KG_GRAPH_AGGREGATE_H

#include "query/graph/aggregate.h"
#include "query/derived.h"
#include "query/list/list.h"
#include "query/graph/traverse.h"
#include "tools/graph/graph.h"
#include "tools/graph/reply.h"

#define KG_MAX_COLUMN_NAME 64
#define KG_MAX_COLUMNS (KG_MAX_GROUPS + KG_MAX_AGGREGATIONS)

/* The values of an entity for one group key, or of an end of a relationship. */
typedef struct KgValues
{
	int n;
	KgGroupValue *values;
} KgValues;

typedef struct KgGroupKey
{
	const KgField *field; /* NULL: the id */
	KgTruncate truncate;
	bool related;
	const char *end; /* its column without a direction */
	KgDirection direction;
	KgStepSpec step;
	KgTraversal t;
	int step_no;			  /* > 0: the end of this step of the chain, */
	const KgType *step_type;  /* where it is of this type */
	const char *counted_path; /* where a count would be counted; or NULL */
	KgValues *ends;			  /* by node of t.set, or of the chain's */
} KgGroupKey;

/* The values of one row of the chain, for the groups by its steps. */
typedef struct KgJoint
{
	KgGroupValue values[KG_MAX_GROUPS];
} KgJoint;

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
	int ncolumns;
	const char *columns[KG_MAX_COLUMNS]; /* groups, then aggregations */
	int nsort;
	KgSortColumn sort[KG_MAX_SORT];
	int64 limit;
	const KgField *counted; /* the last of counts of edges; NULL: none */
	const char *counted_path;
	bool counts_kept;
	/* execution */
	KgCounts *counts; /* where documents are read that lack them */
	KgGroups *result;
	MemoryContext work; /* of one node */
	KgTraversal chain;	/* where there are steps */
	uint32 kept;		/* nodes from which they lead somewhere */
	int deepest;		/* the last step that a group is by; 0: none is */
	uint32 bound[KG_MAX_STEPS]; /* ends of the row at hand */
	int njoints;				/* of the node at hand */
	int joint_room;
	KgJoint *joints;
	Jsonb *warnings; /* NULL: none */
	KgReply reply;
	uint32 nrows;	 /* of them as many as limit allows are in the reply */
	Jsonb **written; /* these rows */
} KgAggregate;

/* Begin the call and read its arguments; nothing has been looked up then. */
extern void kg_aggregate_read(KgAggregate *a, const Jsonb *arguments);

#endif /* KG_GRAPH_AGGREGATE_H */
