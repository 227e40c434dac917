/*
 * revert.h
 *	  Undoing changes that the history has, as a change of its own.
 */
#ifndef KG_REVERT_H
#define KG_REVERT_H

#include "utils/jsonb.h"

/*
 * changes is the number of one, an array of them, or {"transaction": number}.
 * Runs as the current role, which needs write access, inside SPI_connect().
 */
extern Jsonb *kg_revert(const Jsonb *changes, const Jsonb *options);

#endif /* KG_REVERT_H */
