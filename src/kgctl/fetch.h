/*
 * fetch.h
 *	  HTTP POST requests with JSON to another service, in the event loop.
 *	  libcurl's defaults apply: certificates are verified, and redirects are
 *	  not followed.
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
	const char *bearer; /* bearer token for the header Authorization, or NULL */
	long timeout_ms;	/* timeout of a request */
	size_t max_bytes;	/* maximal length of a response */
	long connections;	/* maximal number of open connections */
} KgFetcherOptions;

typedef enum KgFetched
{
	KG_FETCHED, /* a response with JSON and status 200 */
	KG_FETCHED_STATUS,
	/* a response with another content type, or too long a response */
	KG_FETCHED_MALFORMED,
	KG_FETCH_TIMEOUT,
	KG_FETCH_UNREACHABLE
} KgFetched;

typedef struct KgFetchResult
{
	KgFetched outcome;
	long status;
	const char *why; /* the reason if the service was unreachable */
	const char *text;
	size_t len;
	int64_t us; /* duration in microseconds */
} KgFetchResult;

/*
 * Called with the result of a request. The fetch and the result are freed when
 * the function returns.
 */
typedef void (*KgFetchDone)(void *arg, const KgFetchResult *result);

/*
 * Returns whether a URL has the scheme http or https and a host, and a path can
 * be appended to it.
 */
extern bool kg_fetch_check_url(const char *url);

/* Creates a fetcher. Returns NULL if libcurl cannot be initialized. */
extern KgFetcher *kg_fetcher_new(KgLoop *loop, const KgFetcherOptions *options);
/* Frees the fetcher. All its fetches must have ended or been cancelled. */
extern void kg_fetcher_free(KgFetcher *fetcher);

/*
 * Starts a request and takes over body. Returns NULL if the request cannot be
 * started. done is called later, never from this function.
 */
extern KgFetch *kg_fetch_post(KgFetcher *fetcher, KgBuf *body, KgFetchDone done,
							  void *arg);
/* Cancels a request. Its done function is not called. */
extern void kg_fetch_cancel(KgFetch *fetch);

#endif /* KG_FETCH_H */
