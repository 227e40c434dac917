/*
 * ready.h
 *	  Whether the server can serve: what kg_health() says of the database.
 *
 * The question may come from anybody, so that one answer is for all who ask
 * within a second.
 */
#ifndef KG_READY_H
#define KG_READY_H

#include "kgctl/pool.h"

typedef struct KgReady KgReady;
typedef struct KgReadyWaiter KgReadyWaiter;

/* A word, and what kg_health() answered, or NULL. */
typedef void (*KgReadyFn)(void *arg, bool ready, const char *word,
						  const char *health);

extern KgReady *kg_ready_new(KgPool *pool);
extern void kg_ready_free(KgReady *ready);

/* NULL: fn has been called; else it will be. */
extern KgReadyWaiter *kg_ready_ask(KgReady *ready, KgReadyFn fn, void *arg);
extern void kg_ready_cancel(KgReadyWaiter *waiter);

#endif /* KG_READY_H */
