/*
 * gateway.h
 *	  The common part of both servers, kgctl serve and kgctl mcp: their
 *	  options, and the objects made from them.
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
	KgReaders *readers;		  /* for --read-dsn, or NULL */
	KgAuthorizer *authorizer; /* for --authorizer, or NULL */
	KgEmbedder *embedder;	  /* for --embeddings, or NULL */
	KgReady *ready;
	KgRates *rates; /* for kgctl serve, or NULL */
	KgListener *listener;
	long max_message; /* maximal length of a message in bytes */
} KgGateway;

/* --pool, --timeout, --max-message, --no-prepare, --function, --log-level */
extern const char kg_gateway_options[];

/*
 * Creates the objects of the gateway. On failure, prints an error and returns
 * false. on_signal is called for SIGTERM and SIGINT. The strings of args must
 * outlive the gateway.
 */
extern bool kg_gateway_open(KgGateway *gateway, const KgArgs *args,
							long default_pool, KgLoopFn on_signal,
							void *on_signal_arg);
extern void kg_gateway_close(KgGateway *gateway);

#endif /* KG_GATEWAY_H */
