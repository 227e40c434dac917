/*
 * embed.h
 *	  A client of a service that computes the embedding of a query, through
 *	  the OpenAI-compatible endpoint /v1/embeddings.
 */
#ifndef KG_EMBED_H
#define KG_EMBED_H

#include <stdbool.h>

#include "kgctl/loop.h"
#include "kgctl/message.h"

typedef struct KgEmbedder KgEmbedder;
typedef struct KgEmbedding KgEmbedding;

typedef struct KgEmbedderOptions
{
	/* URL of the service, with or without /v1 or /v1/embeddings */
	const char *url;
	const char *model;
	const char *key; /* sent as a bearer token, or NULL */
	long timeout_ms;
} KgEmbedderOptions;

/*
 * Creates a client of the service. On failure, prints an error and returns
 * NULL.
 */
extern KgEmbedder *kg_embedder_new(KgLoop *loop,
								   const KgEmbedderOptions *options);
extern void kg_embedder_free(KgEmbedder *embedder);

/*
 * Returns the arguments of a call that is a search by meaning with a text but
 * without a vector. Returns NULL for other calls.
 */
extern KgJson *kg_embed_wanted(const KgMessage *msg);

/*
 * Called when a request has ended and its KgEmbedding was freed. ok means that
 * the vector was added to the arguments.
 */
typedef void (*KgEmbedDone)(void *arg, bool ok);

/*
 * Requests the embedding of the text in the arguments, which are in the arena.
 * Returns NULL if the request cannot be sent.
 */
extern KgEmbedding *kg_embed(KgEmbedder *embedder, KgArena *arena,
							 KgJson *arguments, KgEmbedDone done, void *arg);
/* Cancels a request. Its done function is not called. */
extern void kg_embedding_cancel(KgEmbedding *embedding);

#endif /* KG_EMBED_H */
