/*
 * decisions.h
 *	  A cache of decisions: a table of fixed size in which a new decision
 *	  replaces an old one.
 */
#ifndef KG_KGCTL_DECISIONS_H
#define KG_KGCTL_DECISIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct KgctlDecisions KgctlDecisions;

extern KgctlDecisions *kg_decisions_new(long seconds);
extern void kg_decisions_free(KgctlDecisions *kept);

/* Number of strings in the key of a decision. */
#define KG_DECISION_PARTS 4

/*
 * Finds a cached decision. Returns false if no decision is cached or it has
 * expired.
 */
extern bool kg_decisions_get(const KgctlDecisions *kept,
							 const char *const parts[KG_DECISION_PARTS],
							 bool *allowed);
extern void kg_decisions_put(KgctlDecisions *kept,
							 const char *const parts[KG_DECISION_PARTS],
							 bool allowed);
extern size_t kg_decisions_count(const KgctlDecisions *kept);

#endif /* KG_KGCTL_DECISIONS_H */
