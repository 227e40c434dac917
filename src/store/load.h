/*
 * load.h
 *	  Positions of loads. A load is a sequence of batches that a client writes
 *	  and can continue after a failure.
 */
#ifndef KG_LOAD_H
#define KG_LOAD_H

#include "utils/jsonb.h"

/*
 * Returns {batch, position, updated_at} of the caller's load with this name.
 * Returns NULL if the caller has no such load. Call inside SPI.
 */
extern Jsonb *kg_load_position(const char *load);

/*
 * Stores the position of a load, in the transaction that writes a batch. Raises
 * KG_CONFLICT if the batch is not 0 and does not follow the stored batch, for
 * example because another session has continued the load. Call inside SPI.
 */
extern void kg_load_batch(const char *load, int64 batch, Jsonb *position);

#endif /* KG_LOAD_H */
