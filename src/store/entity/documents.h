/*
 * documents.h
 *	  The reader of stored documents: by ids or by nodes, set-wise, as the
 *	  current role.
 *
 *	  kg_documents_of_ids(KG_LOCK_NONE, tenant, type, ids, n);
 *	  for (uint64 i = 0; i < SPI_processed; i++)
 *	  {
 *		  KgStoredDocument document = kg_document(i);
 *		  ...
 *	  }
 *	  SPI_freetuptable(SPI_tuptable);
 *
 * A function that reads other columns has a statement of its own.
 */
#ifndef KG_DOCUMENTS_H
#define KG_DOCUMENTS_H

#include "model/catalog.h"

/*
 * The lock that the rows get until the transaction ends. In a read-only
 * transaction the rows get no lock, except for KG_LOCK_CHANGE and
 * KG_LOCK_DELETE of kg_documents_of_nodes().
 */
typedef enum KgDocumentLock
{
	KG_LOCK_NONE,
	KG_LOCK_KEY,	/* FOR KEY SHARE: it is not deleted */
	KG_LOCK_SHARED, /* FOR SHARE: it is not changed */
	KG_LOCK_CHANGE, /* FOR NO KEY UPDATE: the caller changes it */
	KG_LOCK_DELETE	/* FOR UPDATE: the caller deletes it; for nodes only */
} KgDocumentLock;

/* A stored entity. */
typedef struct KgStoredDocument
{
	/*
	 * position of the document's id in the call, or 0 if it was read by its
	 * node
	 */
	int place;
	int64 node;
	int32 type_no;
	int64 version;
	Datum data; /* a jsonb in SPI_tuptable */
} KgStoredDocument;

/*
 * Finds the entities of these ids with the statement's snapshot. An id may be
 * NULL. Sets SPI_processed and SPI_tuptable.
 */
extern void kg_documents_of_ids(KgDocumentLock lock, const char *tenant,
								const KgType *type, const char *const *ids,
								int n);
/*
 * Finds the entities of these nodes with the newest snapshot, in the order of
 * locks.
 */
extern void kg_documents_of_nodes(KgDocumentLock lock, const char *tenant,
								  const int64 *nodes, int n);

/* Returns a row of the reading that was made last. */
extern KgStoredDocument kg_document(uint64 row);

#endif /* KG_DOCUMENTS_H */
