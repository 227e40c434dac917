/*
 * embed.h
 *	  Asks a model for the embedding of a query: an OpenAI-compatible
 *	  /v1/embeddings.
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
	const char *url; /* of the service, of its /v1, or of /v1/embeddings */
	const char *model;
	const char *key; /* sent as a bearer token, or NULL */
	long timeout_ms;
} KgEmbedderOptions;

/* NULL after a message. */
extern KgEmbedder *kg_embedder_new(KgLoop *loop,
								   const KgEmbedderOptions *options);
extern void kg_embedder_free(KgEmbedder *embedder);

/*
 * The arguments of a call that searches by meaning for a text, and has no
 * vector; NULL: there is nothing to ask for.
 */
extern KgJson *kg_embed_wanted(const KgMessage *msg);

/* ok: the arguments have the vector.  The embedding is gone when done is called. */
typedef void (*KgEmbedDone)(void *arg, bool ok);

/* The arguments are in the arena; NULL: it cannot be asked. */
extern KgEmbedding *kg_embed(KgEmbedder *embedder, KgArena *arena,
							 KgJson *arguments, KgEmbedDone done, void *arg);
/* Give it up; done is never called. */
extern void kg_embedding_cancel(KgEmbedding *embedding);

#endif /* KG_EMBED_H */
