/*
 * embed.h
 *	  A client of a service that computes the embedding of a query: an
 *	  OpenAI-compatible /v1/embeddings.
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
	/* URL of the service, of its /v1, or of its /v1/embeddings */
	const char *url;
	const char *model;
	const char *key; /* sent as a bearer token, or NULL */
	long timeout_ms;
} KgEmbedderOptions;

/* Returns NULL after a message. */
extern KgEmbedder *kg_embedder_new(KgLoop *loop,
								   const KgEmbedderOptions *options);
extern void kg_embedder_free(KgEmbedder *embedder);

/*
 * Returns the arguments of a call that searches by meaning for a text without a
 * vector. Returns NULL for other calls.
 */
extern KgJson *kg_embed_wanted(const KgMessage *msg);

/*
 * Called when a request has ended. ok: the vector is in the arguments. The
 * embedding is freed before.
 */
typedef void (*KgEmbedDone)(void *arg, bool ok);

/*
 * Requests the embedding. The arguments are in the arena. Returns NULL if the
 * request cannot be sent.
 */
extern KgEmbedding *kg_embed(KgEmbedder *embedder, KgArena *arena,
							 KgJson *arguments, KgEmbedDone done, void *arg);
/* Cancels a request. done is not called. */
extern void kg_embedding_cancel(KgEmbedding *embedding);

#endif /* KG_EMBED_H */
