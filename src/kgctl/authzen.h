/*
 * authzen.h
 *	  A client of an external authorizer: the OpenID AuthZEN Authorization
 *	  API 1.0, evaluations in batches.
 *
 * If the response is not well-formed or lacks an evaluation, the whole request
 * fails and nothing is decided.
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
	const char *url;	/* the base of /access/v1/evaluations */
	long timeout_ms;	/* timeout of a request */
	long cache_seconds; /* 0: decisions are not cached */
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
 * Called when a request has ended. ok: all evaluations are decided. The
 * KgAsking is freed before.
 */
typedef void (*KgAskingDone)(void *arg, bool ok);

/* Returns NULL after a message. */
extern KgAuthorizer *kg_authorizer_new(KgLoop *loop,
									   const KgAuthorizerOptions *options);
extern void kg_authorizer_free(KgAuthorizer *authorizer);

/*
 * Sends evaluations, which the caller owns. done is called later, never from
 * this function.
 */
extern KgAsking *kgctl_authorizer_ask(KgAuthorizer *authorizer,
									  const char *subject,
									  KgEvaluation *evaluations, size_t n,
									  KgAskingDone done, void *arg);

/* Cancels a request. done is not called. */
extern void kg_asking_cancel(KgAsking *asking);

/* Writes the metrics of the authorizer. */
extern void kg_authorizer_write(const KgAuthorizer *authorizer, KgBuf *out);

#endif /* KG_AUTHZEN_H */
