/*
 * period.h
 *	  Facts that hold for a time: x-valid-from and x-valid-to.
 *
 *	  A period is half-open: it has the instant at which it begins and not the
 *	  one at which it ends.  What is missing or null is no bound.  Instants are
 *	  compared as keys (model/key.h); a date is the instant at which it begins
 *	  in UTC.
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
 * Does the period of a document have the instant?  Raises nothing, whatever is
 * stored: leakproof functions ask (query/time/validity.h).
 */
extern bool kg_period_has(const KgPeriod *period,
						  const JsonbContainer *document, const bytea *instant);

/*
 * Why a document may not be written, and which of its properties is at fault;
 * NULL where it may: its bounds are instants, and the first is before the second.
 */
extern KgError *kg_period_fault(const KgPeriod *period, const Jsonb *document,
								const KgField **field);

#endif /* KG_PERIOD_H */
