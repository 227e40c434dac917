/*
 * verify_history.h
 *	  Verification that the history of a tenant leads to its stored rows.
 */
#ifndef KG_VERIFY_HISTORY_H
#define KG_VERIFY_HISTORY_H

#include "store/check/differences.h"

/*
 * Adds a difference for each contradiction in the history of types and
 * relations, since they have history. Each change must start from the state
 * that the change before it left. The last change must have left the stored
 * state. No version of an id that was given up may appear again.
 */
extern void kg_verify_history(const char *tenant, KgDifferences *differences);

#endif /* KG_VERIFY_HISTORY_H */
