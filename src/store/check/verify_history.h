/*
 * verify_history.h
 *	  Verification that the recorded changes of a tenant end in its stored
 *	  rows.
 */
#ifndef KG_VERIFY_HISTORY_H
#define KG_VERIFY_HISTORY_H

#include "store/check/differences.h"

/*
 * Adds a difference for each contradiction in the history. For each type and
 * relation, only changes made since its history was enabled are checked. The
 * state before each change must be the state after the previous change. The
 * state after the last change must be the stored state. If an entity gave up
 * an id, no version of that id may appear again.
 */
extern void kg_verify_history(const char *tenant, KgDifferences *differences);

#endif /* KG_VERIFY_HISTORY_H */
