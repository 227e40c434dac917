/*
 * key_counts.h
 *	  Which keys entities have of some x-index properties, and how many have them.
 *
 * What is counted and summed of indexed properties follows from their keys, so
 * no document is read, and a value is decoded once, however many have it.
 */
#ifndef KG_KEY_COUNTS_H
#define KG_KEY_COUNTS_H

#include "model/packed_keys.h"
#include "query/graph/graph_search.h"

/*
 * So many entities have just these keys of the properties, in their order.
 * What it is given is good until it returns.
 */
typedef void (*KgKeyCountFunction)(const KgPackedKey *keys, int nkeys,
								   int64 entities, void *arg);

/*
 * Count the entities of a type that the caller sees, or those of the nodes,
 * which are all of the type and each there once.  Of a single property with
 * members each member is counted by itself.  Returns how many were counted, of
 * such members where there are no nodes.  Raises KG_LIMIT_EXCEEDED.
 */
extern int64 kg_key_counts(KgGraph *graph, const KgType *type,
						   const KgField *const *fields, int nfields,
						   const int64 *nodes, uint32 n,
						   KgKeyCountFunction found, void *arg);

#endif /* KG_KEY_COUNTS_H */
