/*
 * gateway.h
 *	  What both servers share: their options and what is made of them.
 */
#ifndef KG_GATEWAY_H
#define KG_GATEWAY_H

#include "kgctl/args.h"
#include "kgctl/authzen.h"
#include "kgctl/embed.h"
#include "kgctl/listen.h"
#include "kgctl/loop.h"
#include "kgctl/pool.h"
#include "kgctl/rates.h"
#include "kgctl/readers.h"
#include "kgctl/ready.h"

typedef struct KgGateway
{
	KgLoop *loop;
	KgPool *pool;
	KgReaders *readers;		  /* of --read-dsn, or NULL */
	KgAuthorizer *authorizer; /* of --authorizer, or NULL */
	KgEmbedder *embedder;	  /* of --embeddings, or NULL */
	KgReady *ready;
	KgRates *rates; /* of kgctl serve, or NULL */
	KgListener *listener;
	long max_message; /* bytes of one message */
} KgGateway;

/* --pool, --timeout, --max-message, --no-prepare, --function, --log-level */
extern const char kg_gateway_options[];

/*
 * False after a message.  on_signal runs for SIGTERM and SIGINT.  The strings of args
 * must outlive the gateway.
 */
extern bool kg_gateway_open(KgGateway *gateway, const KgArgs *args,
							long default_pool, KgLoopFn on_signal,
							void *on_signal_arg);
extern void kg_gateway_close(KgGateway *gateway);

#endif /* KG_GATEWAY_H */
