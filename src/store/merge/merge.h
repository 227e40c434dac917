/*
 * merge.h
 *	  Merging entities of one type that are the same.
 *
 * One entity stays. It gets the properties, references and edges of the other
 * entities, which are deleted. The ids of the deleted entities are stored and
 * lead to the entity that stays (query/merged.h).
 */
#ifndef KG_MERGE_H
#define KG_MERGE_H

#include "store/entity/put.h"

typedef struct KgMerge
{
	const char *type; /* "bundle/type" or "type" */
	const char *keep;
	const JsonbContainer *others; /* array of ids */
	/*
	 * prefer: id of the entity whose values are taken in conflicts; values:
	 * {property: value}; expected_versions: {id: version}. Other members are
	 * ignored.
	 */
	const JsonbContainer *options;
	KgNearest nearest; /* or NULL */
} KgMerge;

/*
 * Merges the entities. Returns the outcome of the entity that stays, then the
 * outcomes of the other entities. Raises an error if any of them cannot be
 * merged. Runs as the current role, which needs write access and must see each
 * entity and edge that is changed, inside SPI_connect().
 */
extern KgOutcomes *kg_merge(const KgMerge *merge);

/* kg_merge() for SQL. */
extern Jsonb *kg_merge_entities(const char *type, const char *keep,
								ArrayType *others, const Jsonb *options);

#endif /* KG_MERGE_H */
