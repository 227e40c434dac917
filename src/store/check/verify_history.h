/*
 * verify_history.h
 *	  Does the history of a tenant lead to what is stored?
 */
#ifndef KG_VERIFY_HISTORY_H
#define KG_VERIFY_HISTORY_H

#include "store/check/verify.h"

/*
 * Of types and relations that have history, since they have it: each change
 * finds what the one before it left, the last one left what is stored, and no
 * version of an id that was given up is there again.
 */
extern void kg_verify_history(const char *tenant, KgDifferences *differences);

#endif /* KG_VERIFY_HISTORY_H */
