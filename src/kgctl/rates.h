/*
 * rates.h
 *	  Rate limits per caller and minute for calls and for edges read: token
 *	  buckets in memory.
 *
 * kg_limits() returns the subject of a token and its limits. It is called once
 * a minute for each token. The capacity of a bucket is the limit for one
 * minute.
 */
#ifndef KG_RATES_H
#define KG_RATES_H

#include <stdbool.h>
#include <stddef.h>

#include "kgctl/buf.h"

typedef struct KgRates KgRates;

extern KgRates *kg_rates_new(void);
extern void kg_rates_free(KgRates *rates);

typedef enum KgRateVerdict
{
	/* the limits are not cached; kg_limits() must be called first */
	KG_RATE_UNKNOWN,
	KG_RATE_OK,
	KG_RATE_EXCEEDED
} KgRateVerdict;

/* The limit that a call exceeds. */
typedef struct KgRateExcess
{
	const char *limit;
	long per_minute;
	long retry_after_ms; /* milliseconds until a retry may succeed; -1: never */
} KgRateExcess;

/*
 * Takes a number of calls from the bucket of the bearer of a token. The bucket
 * must contain at least that number, and the bucket of edges must not be empty.
 * Returns KG_RATE_OK if this is so. Otherwise returns KG_RATE_EXCEEDED and
 * fills in *excess, or returns KG_RATE_UNKNOWN if the limits are not cached.
 * token may be NULL.
 */
extern KgRateVerdict kg_rates_take(KgRates *rates, const char *token,
								   size_t calls, KgRateExcess *excess);

/* Caches the result of kg_limits(). text is NULL if kg_limits() has failed. */
extern void kg_rates_learn(KgRates *rates, const char *token, const char *text);

/*
 * Takes the number of edges that a call has read from the bucket of the token's
 * bearer.
 */
extern void kg_rates_spend(KgRates *rates, const char *token,
						   unsigned long edges);

/*
 * Returns whether a standby may answer the bearer of a token. It may not in
 * three cases. First, if the bearer's limits are not known yet. Second, if the
 * database limits the bearer's concurrent calls, because two servers would
 * permit twice as many calls. Third, shortly after a write of the bearer,
 * unless sees_writes is set. If it is set, the message contains the WAL
 * position of the write, and the standby waits for it.
 */
extern bool kg_rates_anywhere(KgRates *rates, const char *token,
							  bool sees_writes);
extern void kg_rates_wrote(KgRates *rates, const char *token, long ms);

/* Writes the metrics of the rate limits. */
extern void kg_rates_write(const KgRates *rates, KgBuf *out);

#endif /* KG_RATES_H */
