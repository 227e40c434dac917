/*
 * documents.h
 *	  Reads stored documents by ids or by nodes, set-wise, as the current role.
 *
 * kg_documents_of_ids(KG_LOCK_NONE, tenant, type, ids, n);
 * for (uint64 i = 0; i < SPI_processed; i++)
 * {
 *	KgStoredDocument document = kg_document(i);
 *	...
 * }
 * SPI_freetuptable(SPI_tuptable);
 *
 * A function that needs other columns uses a statement of its own.
 */
#ifndef KG_DOCUMENTS_H
#define KG_DOCUMENTS_H

#include "model/catalog.h"

/*
 * The lock on the rows that are read, until the transaction ends. In a
 * read-only transaction the rows are not locked, except by
 * kg_documents_of_nodes() with KG_LOCK_CHANGE or KG_LOCK_DELETE.
 */
typedef enum KgDocumentLock
{
	KG_LOCK_NONE,
	KG_LOCK_KEY,	/* FOR KEY SHARE: no session can delete the entity */
	KG_LOCK_SHARED, /* FOR SHARE: no other session can change the entity */
	KG_LOCK_CHANGE, /* FOR NO KEY UPDATE: the caller changes the entity */
	KG_LOCK_DELETE	/* FOR UPDATE: the caller deletes it; only for nodes */
} KgDocumentLock;

/* A stored entity. */
typedef struct KgStoredDocument
{
	/* Position of the document's id in the call; 0 if read by node. */
	int place;
	int64 node;
	int32 type_no;
	int64 version;
	Datum data; /* a jsonb that points into SPI_tuptable */
} KgStoredDocument;

/*
 * Finds the entities of these ids with the statement's snapshot. An id may be
 * NULL. Sets SPI_processed and SPI_tuptable.
 */
extern void kg_documents_of_ids(KgDocumentLock lock, const char *tenant,
								const KgType *type, const char *const *ids,
								int n);
/*
 * Finds the entities of these nodes with the newest snapshot. Locks them in
 * the common order of locks.
 */
extern void kg_documents_of_nodes(KgDocumentLock lock, const char *tenant,
								  const int64 *nodes, int n);

/* Returns a row of the most recent read by the functions above. */
extern KgStoredDocument kg_document(uint64 row);

#endif /* KG_DOCUMENTS_H */
