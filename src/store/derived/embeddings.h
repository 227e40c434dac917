/*
 * embeddings.h
 *	  Embeddings of entities: rows of kg_embedding.
 *
 * An embedding describes the entity's text at the time when it was stored. The
 * row has a hash of that text, so a stale embedding is detected when it is
 * read. An update of an entity does not change its embedding; a deletion
 * deletes it.
 */
#ifndef KG_EMBEDDINGS_H
#define KG_EMBEDDINGS_H

#include "model/catalog.h"
#include "store/reference/references.h"

/*
 * Returns the text of an entity for an embedding: label, aliases and x-search
 * properties, one per line. For a type without x-search, returns the whole
 * document.
 */
extern char *kg_embedded_text(const KgType *type, const Jsonb *data);
/* Returns whether the hash is the hash of the text. */
extern bool kg_embedded_hash_is(const bytea *hash, const char *text);

/*
 * Deletes the embeddings of entities that are deleted. Runs as the extension's
 * owner, inside SPI_connect().
 */
extern void kg_embeddings_forget(const char *tenant, const KgNodeList *nodes);

/*
 * Stores an embedding for each item {id, vector, expected_version} of entities
 * of the type. Returns the reply {items, counts}, with a verdict for each item.
 * Runs as the caller, inside SPI_connect().
 */
extern Jsonb *kg_put_embeddings(const char *type, const Jsonb *items,
								const Jsonb *options);

/*
 * kg_vectors_enable() permits embeddings with this number of dimensions;
 * kg_vectors_disable() deletes all embeddings and returns their number. Both
 * run as the extension's owner, inside SPI_connect().
 */
extern void kg_vectors_enable(int32 dimensions, const char *model);
extern int64 kg_vectors_disable(void);

#endif /* KG_EMBEDDINGS_H */
