/*
 * revert.h
 *	  Undoing recorded changes. Undoing is recorded as a new change.
 */
#ifndef KG_REVERT_H
#define KG_REVERT_H

#include "utils/jsonb.h"

/*
 * Undoes changes: the number of one change, an array of numbers, or
 * {"transaction": number}. Runs as the current role, which needs write access,
 * inside SPI_connect().
 */
extern Jsonb *kg_revert(const Jsonb *changes, const Jsonb *options);

#endif /* KG_REVERT_H */
