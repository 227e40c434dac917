/*
 * ready.h
 *	  The readiness of the server, determined by kg_health(). Any client may
 *	  request it, so the result is cached for a second.
 */
#ifndef KG_READY_H
#define KG_READY_H

#include "kgctl/pool.h"

typedef struct KgReady KgReady;
typedef struct KgReadyWaiter KgReadyWaiter;

/*
 * Called with the readiness, a status word, and the result of kg_health() or
 * NULL.
 */
typedef void (*KgReadyFn)(void *arg, bool ready, const char *word,
						  const char *health);

extern KgReady *kg_ready_new(KgPool *pool);
extern void kg_ready_free(KgReady *ready);

/*
 * Requests the readiness. If the answer is known at once (a cached result, or
 * no connection), calls fn and returns NULL. Otherwise fn is called later.
 */
extern KgReadyWaiter *kg_ready_ask(KgReady *ready, KgReadyFn fn, void *arg);
extern void kg_ready_cancel(KgReadyWaiter *waiter);

/*
 * Writes the metrics of the last result without waiting. If the cached result
 * is too old, requests a new result.
 */
extern void kg_ready_write(KgReady *ready, KgBuf *out);

#endif /* KG_READY_H */
