/*
 * keyed.h
 *	  Reads the entities that a range of index keys selects, in the order of
 *	  their node numbers.
 */
#ifndef KG_KEYED_H
#define KG_KEYED_H

#include "executor/tuptable.h"
#include "query/view/view_rows.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

typedef struct KgKeyed KgKeyed;

/* Returns whether two texts have the same bytes. */
extern bool kg_keyed_same(const text *a, Datum b);

/*
 * Reads the keys of a range, in the current memory context, and returns a
 * reader of their entities. Returns NULL if the range has more keys than
 * "most", or if the table is not a heap. "entities" is kg_entity. The reader
 * returns only rows of the tenant and of the type of the range.
 */
extern KgKeyed *kg_keyed_begin(Relation entities, Snapshot snapshot,
							   const char *tenant, const KgViewRange *range,
							   int64 most);
/*
 * Stores the next entity in the slot. Returns false if there are no more
 * entities.
 */
extern bool kg_keyed_next(KgKeyed *keyed, TupleTableSlot *row);
/* Starts again at the first entity. */
extern void kg_keyed_rescan(KgKeyed *keyed);
extern void kg_keyed_end(KgKeyed *keyed);

#endif /* KG_KEYED_H */
