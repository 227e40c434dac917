/*
 * metrics.h
 *	  The metrics of kgctl serve, in the format of Prometheus.
 *
 * A process has one set of counters, which only the thread of the event loop
 * uses. Labels contain no text of clients: a tool gets a time series only after
 * the database has confirmed its name. The number of series is limited.
 */
#ifndef KG_METRICS_H
#define KG_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kgctl/buf.h"

/* Counters without labels that vary; metrics.c has their names. */
typedef enum KgCounter
{
	KG_COUNT_CANCELLED,		/* calls whose client disconnected */
	KG_COUNT_CONNECTS,		/* connections to the database */
	KG_COUNT_CONNECT_FAIL,	/* failed attempts to connect */
	KG_COUNT_LOST,			/* broken connections */
	KG_COUNT_QUEUE_FULL,	/* calls refused by a full queue */
	KG_COUNT_QUEUE_EXPIRED, /* calls that timed out in the queue */
	/* Counters of requests to the authorizer, by result. */
	KG_COUNT_AUTHORIZER_OK,
	KG_COUNT_AUTHORIZER_TIMEOUT,
	KG_COUNT_AUTHORIZER_STATUS,
	KG_COUNT_AUTHORIZER_MALFORMED,
	KG_COUNT_AUTHORIZER_UNREACHABLE,
	KG_COUNT_AUTHORIZER_BUSY, /* not sent, because too many evaluations wait */
	/* Counters of decisions of the authorizer. */
	KG_COUNT_ALLOWED,
	KG_COUNT_DENIED,
	KG_COUNT_KEPT,		 /* decisions taken from the cache */
	KG_COUNT_RATE_CALLS, /* calls refused by calls_per_minute */
	KG_COUNT_RATE_EDGES, /* calls refused by edges_per_minute */
	/*
	 * Counters of calls sent to a standby, by result. With any result except
	 * "answered", the call was also sent to the primary.
	 */
	KG_COUNT_READ_ANSWERED,
	/* writes and errors, which are left to the primary */
	KG_COUNT_READ_REFUSED,
	/* the standby has not replayed the caller's last write in time */
	KG_COUNT_READ_BEHIND,
	KG_COUNT_READ_FAILED
} KgCounter;

#define KG_COUNTERS (KG_COUNT_READ_FAILED + 1)

/* The source of an error. It determines the meaning of the error's code. */
typedef enum KgErrorKind
{
	KG_ERROR_TOOL,	   /* code of the tool's error */
	KG_ERROR_PROTOCOL, /* code of JSON-RPC */
	KG_ERROR_SQL,	   /* SQLSTATE */
	KG_ERROR_GATEWAY   /* HTTP status */
} KgErrorKind;

/*
 * Set if a client can read the metrics. Otherwise, costly metrics are not
 * counted.
 */
extern bool kg_metrics_wanted;

/* Returns the time of a monotonic clock in microseconds. */
extern int64_t kg_clock_us(void);

extern void kg_count(KgCounter what);
extern void kg_count_message(const char *method);
extern void kg_count_error(KgErrorKind kind, const char *code, size_t len);
extern void kg_count_http(unsigned status);

/*
 * Counts a call of a tool. known means that the database has confirmed the
 * tool's name. us is the duration in microseconds.
 */
extern void kg_count_call(const char *tool, bool known, int64_t us);

/* Adds the duration of a request to the authorizer. */
extern void kg_count_authorizer_time(int64_t us);

extern void kg_metrics_write(KgBuf *out);

/*
 * Write a metric whose value is determined when the metrics are read.
 * kg_metric_head() writes the lines before its values, and kg_metric_gauge() a
 * complete gauge.
 */
extern void kg_metric_head(KgBuf *out, const char *name, const char *type,
						   const char *help);
extern void kg_metric_gauge(KgBuf *out, const char *name, const char *help,
							double value);

#endif /* KG_METRICS_H */
