/*
 * fetch.h
 *	  POST requests with JSON to another service, in the loop.
 *
 * Otherwise libcurl's defaults apply: certificates are verified, redirects are
 * not followed.
 */
#ifndef KG_FETCH_H
#define KG_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "kgctl/buf.h"
#include "kgctl/loop.h"

typedef struct KgFetcher KgFetcher;
typedef struct KgFetch KgFetch;

typedef struct KgFetcherOptions
{
	const char *url;
	const char *bearer; /* for the header Authorization, or NULL */
	long timeout_ms;	/* timeout of a request */
	size_t max_bytes;	/* maximum of a response */
	long connections;	/* maximal number of open connections */
} KgFetcherOptions;

typedef enum KgFetched
{
	KG_FETCHED, /* JSON, with status 200 */
	KG_FETCHED_STATUS,
	KG_FETCHED_MALFORMED, /* another content type, or too long */
	KG_FETCH_TIMEOUT,
	KG_FETCH_UNREACHABLE
} KgFetched;

typedef struct KgFetchResult
{
	KgFetched outcome;
	long status;
	const char *why; /* the reason, if unreachable */
	const char *text;
	size_t len;
	int64_t us; /* duration */
} KgFetchResult;

/*
 * Called with the result. The fetch and the result are freed when it returns.
 */
typedef void (*KgFetchDone)(void *arg, const KgFetchResult *result);

/*
 * Returns whether it is an http or https URL with a host, to which a path can
 * be appended.
 */
extern bool kg_fetch_check_url(const char *url);

/* Returns NULL if libcurl cannot be started. */
extern KgFetcher *kg_fetcher_new(KgLoop *loop, const KgFetcherOptions *options);
/* Frees the fetcher. All its fetches must have ended or been cancelled. */
extern void kg_fetcher_free(KgFetcher *fetcher);

/*
 * Starts a request and takes over the body. Returns NULL if it cannot be
 * started. done is called later, never from this function.
 */
extern KgFetch *kg_fetch_post(KgFetcher *fetcher, KgBuf *body, KgFetchDone done,
							  void *arg);
/* Cancels a request. done is not called. */
extern void kg_fetch_cancel(KgFetch *fetch);

#endif /* KG_FETCH_H */
