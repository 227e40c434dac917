/*
 * duplicates.h
 *	  Pairs of entities of a type that may be the same.
 *
 * Evidence is similar names, equal values of indexed properties, and common
 * neighbours. Only rows that the caller sees count as evidence.
 */
#ifndef KG_DUPLICATES_H
#define KG_DUPLICATES_H

#include "query/duplicates/similar_sets.h"
#include "query/graph/graph_search.h"

typedef struct KgSameEntity
{
	int64 node;
	char *id;
	char *label; /* or NULL */
	KgNumberSet neighbors;
} KgSameEntity;

/* A name, folded, or a value of a property. */
typedef struct KgSameText
{
	int entity;
	const KgField *field; /* NULL: a name */
	char *text;
} KgSameText;

/* A value that both entities of a pair have. */
typedef struct KgSameValue
{
	const KgSameText *value;
	int sharers; /* number of entities with this value */
	struct KgSameValue *next;
} KgSameValue;

typedef struct KgSamePair
{
	int entities[2]; /* hash key: indexes of the two entities, ascending */
	/* similarity of the most similar names; 0: not similar */
	double name;
	const KgSameText *names[2];
	/* list of the common values, ordered by property and value */
	KgSameValue *values;
	double neighbors; /* similarity of the neighbours */
	int common;		  /* number of common neighbours */
	double score;
} KgSamePair;

typedef struct KgDuplicates
{
	KgGraph *graph;
	const KgType *type;
	const KgFollow *follow; /* relations that lead to neighbours */
	double min_score;
	double min_similarity; /* minimum similarity of names */
	char **ids;			   /* only pairs with one of these ids */
	int nids;			   /* 0: all pairs */
	/* the result: */
	KgSameEntity *entities; /* ordered by id */
	uint32 n;
	KgSamePair **pairs; /* the highest score first, then by ids */
	int npairs;
	/* working state of the search: */
	uint32 capacity;
	KgSameText *names;
	int nnames;
	KgSameText *values;
	int nvalues;
	uint64 compared;
	/*
	 * JSON Pointer of the argument by which the caller can reduce the
	 * comparisons
	 */
	const char *path;
	const char *expected; /* a better value for the argument at path */
	uint64 done;		  /* work since the last check for interrupts */
	struct HTAB *found;
} KgDuplicates;

/*
 * Finds the pairs, and allocates them in the memory context of the graph.
 * Raises KG_LIMIT_EXCEEDED if the type has more than kg_graph.max_visited
 * entities, or more than kg_graph.max_edges pairs must be compared.
 */
extern void kg_duplicates_find(KgDuplicates *d);

#endif /* KG_DUPLICATES_H */
