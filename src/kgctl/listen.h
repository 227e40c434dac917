/*
 * listen.h
 *	  Subscriptions: connections that LISTEN, and their subscribers.
 *
 * Subscriptions do not survive a restart; clients subscribe again. After a lost
 * connection, each subscriber gets notifications that everything has changed,
 * because notifications that were sent without a connection are lost.
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

/*
 * Called when LISTEN is active (listening is true), or cannot be activated now.
 */
typedef void (*KgListeningFn)(void *arg, bool listening);

/*
 * Called with a JSON-RPC notification for the subscriber. If json is NULL, the
 * subscriber may have lost its right. The function must then unsubscribe it;
 * the client may request the subscription again.
 */
typedef void (*KgSubscriberFn)(void *arg, const char *json, size_t len);

/*
 * Creates a listener with one connection to each database. The strings must
 * outlive the listener.
 */
extern KgListener *kg_listener_new(KgLoop *loop, const char *const *dsns,
								   size_t n);
extern void kg_listener_free(KgListener *listener);

/*
 * Creates a subscriber. LISTEN must be active before the subscription is
 * requested from the database, so that no change after the database's answer is
 * lost. If LISTEN is not active yet, sets *waits, and calls ready later.
 *
 * text is the message that requests the subscription. A notification of changed
 * rights does not end a subscription, because any role that may connect can
 * NOTIFY. Instead, the message is sent to the database again, and its answer
 * decides whether the subscription ends.
 */
extern KgSubscriber *kg_subscriber_new(KgListener *listener,
									   const KgCallContext *context,
									   const char *text, size_t len,
									   KgListeningFn ready, void *arg,
									   bool *waits);

/* A subscription that the database has granted. */
typedef struct KgSubscription
{
	const char *key; /* key in the notifications of its changes */
	/*
	 * The acknowledgement, which contains the filter and the resource URIs. For
	 * a legacy client, it is the request to subscribe to one resource, or NULL
	 * if the client gets all list changes.
	 */
	const char *ack;
	size_t len;
	const char *id; /* JSON text of the subscription id, or NULL */
	long seconds;	/* seconds until the right expires; -1: never */
} KgSubscription;

extern void kg_subscribe(KgSubscriber *subscriber, const KgSubscription *what,
						 KgSubscriberFn fn, void *arg);
extern void kg_unsubscribe(KgSubscriber *subscriber);

/* Writes the result that ends a subscription. */
extern void kg_subscriber_result(KgBuf *out, const char *id);

#endif /* KG_LISTEN_H */
