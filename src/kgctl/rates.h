/*
 * rates.h
 *	  How often a caller may call, and how many edges it may have read, each
 *	  minute: token buckets in memory.
 *
 * Who a caller is, and what its limits are, kg_limits() says; it is asked once
 * a minute for each token.  A bucket holds one minute's worth.
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
	KG_RATE_UNKNOWN, /* kg_limits() is to be asked */
	KG_RATE_OK,
	KG_RATE_EXCEEDED
} KgRateVerdict;

/* What is exceeded. */
typedef struct KgRateExcess
{
	const char *limit;
	long per_minute;
	long retry_after_ms; /* -1: waiting does not help */
} KgRateExcess;

/* May the bearer of a token (or NULL) make so many calls now?  If so, they count. */
extern KgRateVerdict kg_rates_take(KgRates *rates, const char *token,
								   size_t calls, KgRateExcess *excess);

/* What kg_limits() says; text NULL: nothing is to be had from it. */
extern void kg_rates_learn(KgRates *rates, const char *token, const char *text);

/* Edges that a call has read. */
extern void kg_rates_spend(KgRates *rates, const char *token,
						   unsigned long edges);

/*
 * May another server than the primary answer the bearer of a token?  Not where a
 * server counts how many of its calls run at once: two would allow twice as many.
 * And not soon after it wrote, unless what it wants to see is in the message.
 */
extern bool kg_rates_anywhere(KgRates *rates, const char *token,
							  bool sees_writes);
extern void kg_rates_wrote(KgRates *rates, const char *token, long ms);

/* For /metrics. */
extern void kg_rates_write(const KgRates *rates, KgBuf *out);

#endif /* KG_RATES_H */
