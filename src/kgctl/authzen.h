/*
 * authzen.h
 *	  A client of an external authorizer: the OpenID AuthZEN Authorization API
 *	  1.0, evaluations in batches.
 *
 * If a response is malformed or lacks an evaluation, the whole request fails,
 * and none of its evaluations is decided.
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
	const char *url; /* the URL before /access/v1/evaluations */
	long timeout_ms; /* timeout of an HTTP request */
	/* how long a decision is cached; 0: decisions are not cached */
	long cache_seconds;
} KgAuthorizerOptions;

/* A question: may the subject use this ability on this resource? */
typedef struct KgEvaluation
{
	const char *type; /* type of the resource */
	const char *id;
	const char *ability;
	bool allowed;
} KgEvaluation;

/*
 * Called when an asking (the questions of one call) has ended and was freed. ok
 * means that all its evaluations are decided.
 */
typedef void (*KgAskingDone)(void *arg, bool ok);

/*
 * Creates a client of the authorizer. On failure, prints an error and returns
 * NULL.
 */
extern KgAuthorizer *kg_authorizer_new(KgLoop *loop,
									   const KgAuthorizerOptions *options);
extern void kg_authorizer_free(KgAuthorizer *authorizer);

/*
 * Asks the authorizer to decide evaluations, which the caller owns. Returns a
 * handle to cancel the request. done is called later, never from this function.
 */
extern KgAsking *kgctl_authorizer_ask(KgAuthorizer *authorizer,
									  const char *subject,
									  KgEvaluation *evaluations, size_t n,
									  KgAskingDone done, void *arg);

/*
 * Cancels the request for decisions that kgctl_authorizer_ask() has begun. Its
 * done function is not called.
 */
extern void kg_asking_cancel(KgAsking *asking);

/* Appends the metrics of the authorizer to out. */
extern void kg_authorizer_write(const KgAuthorizer *authorizer, KgBuf *out);

#endif /* KG_AUTHZEN_H */
