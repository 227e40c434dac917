/*
 * fetch.h
 *	  JSON that is posted to another service, in the loop.
 *
 * What is not said here is libcurl's default: certificates are checked, no
 * redirect is followed.
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
	const char *bearer; /* sent as authorization, or NULL */
	long timeout_ms;	/* of a request */
	size_t max_bytes;	/* of an answer */
	long connections;	/* kept at most */
} KgFetcherOptions;

typedef enum KgFetched
{
	KG_FETCHED, /* JSON, with status 200 */
	KG_FETCHED_STATUS,
	KG_FETCHED_MALFORMED, /* another kind of content, or too much of it */
	KG_FETCH_TIMEOUT,
	KG_FETCH_UNREACHABLE
} KgFetched;

typedef struct KgFetchResult
{
	KgFetched outcome;
	long status;
	const char *why; /* of what is unreachable */
	const char *text;
	size_t len;
	int64_t us; /* that it took */
} KgFetchResult;

/* The fetch and the result are gone when done returns. */
typedef void (*KgFetchDone)(void *arg, const KgFetchResult *result);

/* Is it an http or https URL with a host, that a path can follow? */
extern bool kg_fetch_check_url(const char *url);

/* NULL where a client cannot be started. */
extern KgFetcher *kg_fetcher_new(KgLoop *loop, const KgFetcherOptions *options);
/* All its fetches have ended, or were given up. */
extern void kg_fetcher_free(KgFetcher *fetcher);

/* Takes over the body; NULL: not started.  done is called later, never from here. */
extern KgFetch *kg_fetch_post(KgFetcher *fetcher, KgBuf *body, KgFetchDone done,
							  void *arg);
/* Give it up; done is never called. */
extern void kg_fetch_cancel(KgFetch *fetch);

#endif /* KG_FETCH_H */
