/*
 * load.h
 *	  The position of a load in batches.
 */
#ifndef KG_LOAD_H
#define KG_LOAD_H

#include "utils/jsonb.h"

/*
 * Returns {batch, position, updated_at} of the caller's load, or NULL if it has
 * no load of this name. Call inside SPI.
 */
extern Jsonb *kg_load_position(const char *load);

/*
 * Stores the position together with a batch of this transaction. Raises
 * KG_CONFLICT if another session has continued the load since. Call inside SPI.
 */
extern void kg_load_batch(const char *load, int64 batch, Jsonb *position);

#endif /* KG_LOAD_H */
