/*
 * period.h
 *	  Periods of validity: x-valid-from and x-valid-to.
 *
 * A period is half-open: it includes its first instant and excludes its last.
 * If a bound is missing or null, the period is unbounded on that side. Instants
 * are compared as keys (model/key.h); a date is the instant at which it begins
 * in UTC.
 */
#ifndef KG_PERIOD_H
#define KG_PERIOD_H

#include "base/error.h"
#include "model/catalog.h"

static inline bool
kg_period_any(const KgPeriod *period)
{
	return period->from != NULL || period->to != NULL;
}

/*
 * Returns true if the document's period includes the instant. Never raises an
 * error, even for an invalid document, because leakproof functions call it
 * (query/time/validity.h).
 */
extern bool kg_period_has(const KgPeriod *period,
						  const JsonbContainer *document, const bytea *instant);

/*
 * Checks that the bounds of a document's period are instants in ascending
 * order. Returns NULL if the bounds are correct. Otherwise returns the error
 * and sets *field to the faulty property.
 */
extern KgError *kg_period_fault(const KgPeriod *period, const Jsonb *document,
								const KgField **field);

#endif /* KG_PERIOD_H */
