/*
 * listen.h
 *	  Subscriptions: connections that LISTEN, and who wants to know.
 *
 * Nothing is kept across restarts; a client subscribes again.  After the
 * connection was lost every subscriber is told that everything changed,
 * because what was notified meanwhile is gone.
 */
#ifndef KG_LISTEN_H
#define KG_LISTEN_H

#include "kgctl/call.h"
#include "kgctl/loop.h"

#define KG_LISTEN_TOOLS 1
#define KG_LISTEN_PROMPTS 2
#define KG_LISTEN_RESOURCES 4

typedef struct KgListener KgListener;
typedef struct KgSubscriber KgSubscriber;

/* LISTEN is in force, or cannot be had for now. */
typedef void (*KgListeningFn)(void *arg, bool listening);

/*
 * A JSON-RPC notification for the subscriber.  NULL: it may have no right to be
 * told any more; it is to be unsubscribed, and asks again if it wants to.
 */
typedef void (*KgSubscriberFn)(void *arg, const char *json, size_t len);

/* With a connection to each database; the strings must outlive it. */
extern KgListener *kg_listener_new(KgLoop *loop, const char *const *dsns,
								   size_t n);
extern void kg_listener_free(KgListener *listener);

/*
 * Who will subscribe listens before it asks the database whether it may, so
 * that what changes after the answer is heard.  Where LISTEN is not in force
 * yet, *waits, and ready is called later.
 *
 * text is the message that asks.  Whoever may connect can notify, so a
 * notification that rights changed takes nothing away: the database is asked
 * once more with the message, and its answer decides.
 */
extern KgSubscriber *kg_subscriber_new(KgListener *listener,
									   const KgCallContext *context,
									   const char *text, size_t len,
									   KgListeningFn ready, void *arg,
									   bool *waits);

/* What the database granted. */
typedef struct KgSubscription
{
	const char *key; /* of the changes */
	/*
	 * The acknowledgement (its filter and resource URIs are read from it), of a
	 * legacy client what it sent to subscribe to one resource, or NULL: it gets
	 * all list changes.
	 */
	const char *ack;
	size_t len;
	const char *id; /* JSON text of the subscription id, or NULL */
	long seconds;	/* until its right ends; -1: it has no end */
} KgSubscription;

extern void kg_subscribe(KgSubscriber *subscriber, const KgSubscription *what,
						 KgSubscriberFn fn, void *arg);
extern void kg_unsubscribe(KgSubscriber *subscriber);

/* The answer that ends a subscription. */
extern void kg_subscriber_result(KgBuf *out, const char *id);

#endif /* KG_LISTEN_H */
