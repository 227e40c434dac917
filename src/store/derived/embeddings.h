/*
 * embeddings.h
 *	  Embeddings of entities: rows of kg_embedding.
 *
 * An embedding is of the text that the entity had when it was stored; a hash of
 * that stands beside it, so nobody who writes entities has anything to do for
 * embeddings, but for who deletes one.
 */
#ifndef KG_EMBEDDINGS_H
#define KG_EMBEDDINGS_H

#include "model/catalog.h"
#include "store/reference/references.h"

/*
 * What an entity says: label, aliases and x-search properties, a line each; of
 * a type without x-search the whole document.
 */
extern char *kg_embedded_text(const KgType *type, const Jsonb *data);
/* Is it the text that has the hash? */
extern bool kg_embedded_hash_is(const bytea *hash, const char *text);

/* As the owner, inside SPI_connect(): those of entities that are gone. */
extern void kg_embeddings_forget(const char *tenant, const KgNodeList *nodes);

/* As the caller, inside SPI_connect(). */
extern Jsonb *kg_put_embeddings(const char *type, const Jsonb *items,
								const Jsonb *options);

/* Inside SPI_connect(), as the owner. */
extern void kg_vectors_enable(int32 dimensions, const char *model);
extern int64 kg_vectors_disable(void);

#endif /* KG_EMBEDDINGS_H */
