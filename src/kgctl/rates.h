/*
 * rates.h
 *	  Rate limits per caller and minute for calls and for edges read: token
 *	  buckets in memory.
 *
 * kg_limits() returns the caller of a token and its limits. It is called once
 * a minute for each token. The capacity of a bucket is the limit of one
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
	KG_RATE_UNKNOWN, /* kg_limits() must be called first */
	KG_RATE_OK,
	KG_RATE_EXCEEDED
} KgRateVerdict;

/* The limit that is exceeded. */
typedef struct KgRateExcess
{
	const char *limit;
	long per_minute;
	long retry_after_ms; /* -1: waiting does not help */
} KgRateExcess;

/*
 * Takes a number of calls from the bucket of a token's bearer (token may be
 * NULL), if they are available.
 */
extern KgRateVerdict kg_rates_take(KgRates *rates, const char *token,
								   size_t calls, KgRateExcess *excess);

/* Stores the result of kg_limits(). text is NULL if the call has failed. */
extern void kg_rates_learn(KgRates *rates, const char *token, const char *text);

/* Takes the edges that a call has read. */
extern void kg_rates_spend(KgRates *rates, const char *token,
						   unsigned long edges);

/*
 * Returns whether a standby may answer the bearer of a token. A standby may
 * not answer if the database limits concurrent calls, because two servers
 * would permit twice as many calls. A standby may not answer shortly after a
 * write of the bearer, unless sees_writes is true: the message then has the
 * position of the write.
 */
extern bool kg_rates_anywhere(KgRates *rates, const char *token,
							  bool sees_writes);
extern void kg_rates_wrote(KgRates *rates, const char *token, long ms);

/* Writes the metrics. */
extern void kg_rates_write(const KgRates *rates, KgBuf *out);

#endif /* KG_RATES_H */
