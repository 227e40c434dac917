/*
 * verify_history.h
 *	  Verification that the history of a tenant leads to its stored rows.
 */
#ifndef KG_VERIFY_HISTORY_H
#define KG_VERIFY_HISTORY_H

#include "store/check/differences.h"

/*
 * Adds a difference for each contradiction in the history of types and
 * relations, since they have history. The state before each change must be the
 * state after the previous change. The state after the last change must be the
 * stored state. No version of an id that was given up may appear again.
 */
extern void kg_verify_history(const char *tenant, KgDifferences *differences);

#endif /* KG_VERIFY_HISTORY_H */
