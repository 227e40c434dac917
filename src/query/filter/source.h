/*
 * source.h
 *	  The rows that a statement about the entities of one type reads: rows of
 *	  one property's keys, the type's entities by id, or given nodes.
 *
 * A statement reads from one source (alias d), bounded by its index conditions.
 * All other conditions on an entity are probes by node number.
 */
#ifndef KG_SOURCE_H
#define KG_SOURCE_H

#include "query/filter/filter.h"
#include "query/sql.h"

typedef enum KgSourceKind
{
	KG_SOURCE_KEY,
	KG_SOURCE_ENTITY,
	KG_SOURCE_NODES
} KgSourceKind;

typedef struct KgSource
{
	KgSourceKind kind;
	const KgField *field; /* of KG_SOURCE_KEY */
	KgFilter *own;		  /* conditions that the source itself tests */
	KgFilter *rest;		  /* the others: probes */
	bool may_repeat;	  /* may return a node more than once */
	const int64 *nodes;	  /* of KG_SOURCE_NODES */
	int nnodes;
	bool with_data; /* reads kg_entity and returns the data, too */
} KgSource;

/*
 * Returns a source whose own conditions are the one at an index, or, if index
 * is -1, all on the field (NULL: the id).
 */
extern KgSource *kg_source_make(KgSourceKind kind, const KgFilter *filter,
								const KgField *field, int index);

/*
 * Returns a source with every entity of the type, which walks read in the order
 * of ids: kg_entity, or the keys of ids that are numbers.
 */
extern KgSource *kg_source_in_order(const KgType *type, const KgFilter *filter);

/* Returns whether the source is the keys of ids that are numbers. */
static inline bool
kg_source_is_of_ids(const KgType *type, const KgSource *source)
{
	return source->kind == KG_SOURCE_KEY && type->number_ids &&
		   source->field == type->id_field;
}

/* Returns a source of given nodes; the whole filter is probes. */
extern KgSource *kg_source_of_nodes(const KgFilter *filter, const int64 *nodes,
									int n);
/* Returns a source of given ids; the whole filter, or NULL, is probes. */
extern KgSource *kg_source_of_ids(const KgFilter *filter, char *const *ids,
								  int n);

/* Appends " FROM ...": the source and its own conditions. */
extern void kg_source_from(KgSqlBuilder *b, const KgType *type,
						   const KgSource *source);
/* Appends the other conditions, and that the node is visible. */
extern void kg_source_probes(KgSqlBuilder *b, const KgSource *source);

/*
 * Writes the SELECT of at most max nodes of a source (0: all), with duplicates
 * if the source may repeat nodes.
 */
extern void kg_source_nodes(KgSqlBuilder *b, const KgCatalog *catalog,
							const KgType *type, const KgSource *source,
							bool with_probes, int64 max);

#endif /* KG_SOURCE_H */
