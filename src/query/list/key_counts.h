/*
 * key_counts.h
 *	  The keys that entities have of some x-index properties, and the number of
 *	  entities with each combination of keys.
 *
 * Counts and sums of indexed properties follow from their keys. So no document
 * is read, and each distinct value is decoded once.
 */
#ifndef KG_KEY_COUNTS_H
#define KG_KEY_COUNTS_H

#include "model/packed_keys.h"
#include "query/graph/graph_search.h"

/*
 * Receives a combination of keys, in the order of the properties, and the
 * number of entities that have exactly this combination. The keys are valid
 * until the function returns.
 */
typedef void (*KgKeyCountFunction)(const KgPackedKey *keys, int nkeys,
								   int64 entities, void *arg);

/*
 * Counts the entities of a type that the caller sees. If nodes are given,
 * counts only the entities of these nodes, which must be distinct and of the
 * type. For a single array property, each item is counted separately. Returns
 * the number of entities counted; for an array property without nodes, the
 * number of items counted. Raises KG_LIMIT_EXCEEDED if the search exceeds a
 * limit of the settings.
 */
extern int64 kg_key_counts(KgGraph *graph, const KgType *type,
						   const KgField *const *fields, int nfields,
						   const int64 *nodes, uint32 n,
						   KgKeyCountFunction found, void *arg);

#endif /* KG_KEY_COUNTS_H */
