/*
 * merge.h
 *	  Merges entities of one type that describe the same thing.
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
	const JsonbContainer *others; /* array of ids of the other entities */
	/*
	 * Options. prefer: id of the entity whose values are used in conflicts;
	 * values: {property: value}; expected_versions: {id: version}. Other
	 * members are ignored.
	 */
	const JsonbContainer *options;
	KgNearest nearest; /* or NULL */
} KgMerge;

/*
 * Merges the entities. Returns the outcome of the entity that stays, followed
 * by the outcomes of the other entities. Raises an error if an entity cannot
 * be merged. Runs inside SPI_connect(), as the current role. The role needs
 * write access and must see each entity and edge that is changed.
 */
extern KgOutcomes *kg_merge(const KgMerge *merge);

/*
 * Calls kg_merge() with the arguments of the SQL function kg_merge(),
 * and returns the reply.
 */
extern Jsonb *kg_merge_entities(const char *type, const char *keep,
								ArrayType *others, const Jsonb *options);

#endif /* KG_MERGE_H */
