/*
 * view_keys.h
 *	  Reads the keys of a range from the index of kg_index_key.
 */
#ifndef KG_VIEW_KEYS_H
#define KG_VIEW_KEYS_H

#include "utils/snapshot.h"

/* The keys of a property that lie between two bounds. */
typedef struct KgViewRange
{
	int32 type_no;
	int32 field_no;
	const bytea *low; /* NULL: from the first key */
	const bytea *high;
	bool low_included;
	bool high_included;
} KgViewRange;

/*
 * Returns the number of keys of the range, counted up to most.  Sets the nodes
 * of their entities, unless nodes is NULL.  Tests no policy: a number of a type
 * belongs to one tenant, but keys of hidden entities are among the keys.
 */
extern int64 kg_view_keys(const KgViewRange *range, Snapshot snapshot,
						  int64 most, int64 **nodes);

#endif /* KG_VIEW_KEYS_H */
