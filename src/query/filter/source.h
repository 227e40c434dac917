/*
 * source.h
 *	  The rows that a statement about the entities of one type reads: rows of
 *	  one property's keys, the type's entities by id, or given nodes.
 *
 * A statement reads from a single source (alias d), whose rows are bounded by
 * its index conditions. All other conditions on an entity are probes: they are
 * looked up by node number.
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
	/* for KG_SOURCE_KEY: the property whose keys are read */
	const KgField *field;
	KgFilter *own; /* conditions that the source itself tests */
	/* the other conditions of the filter, looked up by node number (probes) */
	KgFilter *rest;
	bool may_repeat;	/* may return a node more than once */
	const int64 *nodes; /* nodes of KG_SOURCE_NODES */
	int nnodes;
	/* reads kg_entity and returns the entities' data, too */
	bool with_data;
} KgSource;

/*
 * Returns a source that itself tests the filter's condition at this index. If
 * the index is -1, the source tests all conditions on the field (NULL: on the
 * id).
 */
extern KgSource *kg_source_make(KgSourceKind kind, const KgFilter *filter,
								const KgField *field, int index);

/*
 * Returns a source of every entity of the type, for reading them in the order
 * of ids. It reads kg_entity, or the keys of the ids if ids are numbers.
 */
extern KgSource *kg_source_in_order(const KgType *type, const KgFilter *filter);

/* Returns whether the source reads the keys of ids that are numbers. */
static inline bool
kg_source_is_of_ids(const KgType *type, const KgSource *source)
{
	return source->kind == KG_SOURCE_KEY && type->number_ids &&
		   source->field == type->id_field;
}

/*
 * Returns a source of given nodes. All conditions of the filter are probes by
 * node number.
 */
extern KgSource *kg_source_of_nodes(const KgFilter *filter, const int64 *nodes,
									int n);
/*
 * Returns a source of given ids. All conditions of the filter, which may be
 * NULL, are probes by node number.
 */
extern KgSource *kg_source_of_ids(const KgFilter *filter, char *const *ids,
								  int n);

/* Appends " FROM ...": the source and its own conditions. */
extern void kg_source_from(KgSqlBuilder *b, const KgType *type,
						   const KgSource *source);
/*
 * Appends the other conditions. A source of keys also gets the condition that
 * the node is visible.
 */
extern void kg_source_probes(KgSqlBuilder *b, const KgSource *source);

/*
 * Writes the SELECT of at most max nodes of a source (0: all), with duplicates
 * if the source may repeat nodes. Without with_probes, only the source's own
 * conditions are tested.
 */
extern void kg_source_nodes(KgSqlBuilder *b, const KgCatalog *catalog,
							const KgType *type, const KgSource *source,
							bool with_probes, int64 max);

#endif /* KG_SOURCE_H */
