/*
 * decisions.h
 *	  A cache of decisions: a table of fixed size in which a new decision
 *	  replaces an old one.
 */
#ifndef KG_KGCTL_DECISIONS_H
#define KG_KGCTL_DECISIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct KgDecisions KgDecisions;

extern KgDecisions *kg_decisions_new(long seconds);
extern void kg_decisions_free(KgDecisions *kept);

/* The key of a decision is this number of strings. */
#define KG_DECISION_PARTS 4

/* Returns false if no decision is cached or it has expired. */
extern bool kg_decisions_get(const KgDecisions *kept,
							 const char *const parts[KG_DECISION_PARTS],
							 bool *allowed);
extern void kg_decisions_put(KgDecisions *kept,
							 const char *const parts[KG_DECISION_PARTS],
							 bool allowed);
extern size_t kg_decisions_count(const KgDecisions *kept);

#endif /* KG_KGCTL_DECISIONS_H */
