/*
 * metrics.h
 *	  What kgctl serve counts, and its text for Prometheus.
 *
 * One process has one set of counters, of the thread of the loop.  No label
 * takes what a client sends: a tool has its series once the database answered
 * for it, and there is a bound to how many have one.
 */
#ifndef KG_METRICS_H
#define KG_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kgctl/buf.h"

/* What is just counted; its names are in metrics.c. */
typedef enum KgCounter
{
	KG_COUNT_CANCELLED,		/* calls whose client went away */
	KG_COUNT_CONNECTS,		/* connections to the database */
	KG_COUNT_CONNECT_FAIL,	/* and attempts that failed */
	KG_COUNT_LOST,			/* connections that broke */
	KG_COUNT_QUEUE_FULL,	/* calls that found no place in the queue */
	KG_COUNT_QUEUE_EXPIRED, /* calls that waited in vain */
	/* requests to the authorizer, by what became of them */
	KG_COUNT_AUTHORIZER_OK,
	KG_COUNT_AUTHORIZER_TIMEOUT,
	KG_COUNT_AUTHORIZER_STATUS,
	KG_COUNT_AUTHORIZER_MALFORMED,
	KG_COUNT_AUTHORIZER_UNREACHABLE,
	KG_COUNT_AUTHORIZER_BUSY, /* not even sent */
	/* and its decisions */
	KG_COUNT_ALLOWED,
	KG_COUNT_DENIED,
	KG_COUNT_KEPT,		 /* decisions that needed no request */
	KG_COUNT_RATE_CALLS, /* refused by calls_per_minute */
	KG_COUNT_RATE_EDGES, /* by edges_per_minute */
	/* calls that a standby was asked, by what became of them */
	KG_COUNT_READ_ANSWERED,
	KG_COUNT_READ_REFUSED, /* for the primary: they write, or are errors */
	KG_COUNT_READ_BEHIND,  /* not replayed in time */
	KG_COUNT_READ_FAILED
} KgCounter;

#define KG_COUNTERS (KG_COUNT_READ_FAILED + 1)

/* Who an error is of. */
typedef enum KgErrorKind
{
	KG_ERROR_TOOL,	   /* code: of the tool's error */
	KG_ERROR_PROTOCOL, /* code: of JSON-RPC */
	KG_ERROR_SQL,	   /* code: SQLSTATE */
	KG_ERROR_GATEWAY   /* code: HTTP status */
} KgErrorKind;

/* Whether anybody reads them: what costs something is not counted otherwise. */
extern bool kg_metrics_wanted;

/* Microseconds of a clock that only goes forward. */
extern int64_t kg_clock_us(void);

extern void kg_count(KgCounter what);
extern void kg_count_message(const char *method);
extern void kg_count_error(KgErrorKind kind, const char *code, size_t len);
extern void kg_count_http(unsigned status);

/* A call of a tool: known, where the database answered for this name. */
extern void kg_count_call(const char *tool, bool known, int64_t us);

/* A request to the authorizer. */
extern void kg_count_authorizer_time(int64_t us);

extern void kg_metrics_write(KgBuf *out);

/* A line of a metric that is asked for when it is read. */
extern void kg_metric_head(KgBuf *out, const char *name, const char *type,
						   const char *help);
extern void kg_metric_gauge(KgBuf *out, const char *name, const char *help,
							double value);

#endif /* KG_METRICS_H */
