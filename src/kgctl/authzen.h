/*
 * authzen.h
 *	  Asks another system what a subject may do: the OpenID AuthZEN
 *	  Authorization API 1.0, evaluations in batches.
 *
 * Anything but a well-formed answer to all that was asked is a failure, and
 * then nothing is decided.
 */
#ifndef KG_AUTHZEN_H
#define KG_AUTHZEN_H

#include <stdbool.h>
#include <stddef.h>

#include "kgctl/buf.h"
#include "kgctl/loop.h"

typedef struct KgAuthorizer KgAuthorizer;
typedef struct KgAsking KgAsking;

typedef struct KgAuthorizerOptions
{
	const char *url;	/* /access/v1/evaluations is below it */
	long timeout_ms;	/* of a request */
	long cache_seconds; /* 0: nothing is kept */
} KgAuthorizerOptions;

/* May the subject do this to that? */
typedef struct KgEvaluation
{
	const char *type; /* of the resource */
	const char *id;
	const char *ability;
	bool allowed;
} KgEvaluation;

/* ok: all of them are decided.  The asking is gone when done is called. */
typedef void (*KgAskingDone)(void *arg, bool ok);

/* NULL after a message. */
extern KgAuthorizer *kg_authorizer_new(KgLoop *loop,
									   const KgAuthorizerOptions *options);
extern void kg_authorizer_free(KgAuthorizer *authorizer);

/* The evaluations stay the caller's; done is called later, never from here. */
extern KgAsking *kg_authorizer_ask(KgAuthorizer *authorizer,
								   const char *subject,
								   KgEvaluation *evaluations, size_t n,
								   KgAskingDone done, void *arg);

/* Give it up; done is never called. */
extern void kg_asking_cancel(KgAsking *asking);

/* How busy it is, for /metrics. */
extern void kg_authorizer_write(const KgAuthorizer *authorizer, KgBuf *out);

#endif /* KG_AUTHZEN_H */
