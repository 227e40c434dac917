/*
 * decisions.h
 *	  Decisions that are kept for a while: a table of fixed size in which a new
 *	  one takes the place of an old one.
 */
#ifndef KG_KGCTL_DECISIONS_H
#define KG_KGCTL_DECISIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct KgDecisions KgDecisions;

extern KgDecisions *kg_decisions_new(long seconds);
extern void kg_decisions_free(KgDecisions *kept);

/* A key is parts, each a string; any difference makes another key. */
#define KG_DECISION_PARTS 4

/* False where none is kept, or not any more. */
extern bool kg_decisions_get(const KgDecisions *kept,
							 const char *const parts[KG_DECISION_PARTS],
							 bool *allowed);
extern void kg_decisions_put(KgDecisions *kept,
							 const char *const parts[KG_DECISION_PARTS],
							 bool allowed);
extern size_t kg_decisions_count(const KgDecisions *kept);

#endif /* KG_KGCTL_DECISIONS_H */
