/*
 * load.h
 *	  How far a load in batches has come.
 */
#ifndef KG_LOAD_H
#define KG_LOAD_H

#include "utils/jsonb.h"

/* NULL where there is none of that name.  Inside SPI. */
extern Jsonb *kg_load_position(const char *load);

/*
 * Keep the position with a batch of this transaction.  Raises KG_CONFLICT where
 * another session has gone on with the load since.  Inside SPI.
 */
extern void kg_load_batch(const char *load, int64 batch, Jsonb *position);

#endif /* KG_LOAD_H */
