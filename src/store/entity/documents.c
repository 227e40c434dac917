/*
 * documents.c
 *	  Reads stored documents.
 */
#include "postgres.h"

#include "base/spi.h"
#include "store/entity/documents.h"
#include "store/entity/entity_ids.h"

#define KG_DOCUMENT "e.node, e.type_no::bigint, e.version, e.data"

#define KG_OF_NODES                                              \
	"SELECT 1::bigint, " KG_DOCUMENT " FROM @kg_entity e WHERE " \
	"e.tenant = $1 AND e.node = ANY($2)" KG_LOCK_ORDER

void
kg_documents_of_ids(KgDocumentLock lock, const char *tenant, const KgType *type,
					const char *const *ids, int n)
{
	/* One form for each KgDocumentLock, in the order of that enum. */
	static KgForms forms[] = {
		KG_FORMS_OF_IDS("u.ord, " KG_DOCUMENT, ""),
		KG_FORMS_OF_IDS("u.ord, " KG_DOCUMENT, " @FOR KEY SHARE OF e"),
		KG_FORMS_OF_IDS("u.ord, " KG_DOCUMENT, " @FOR SHARE OF e"),
		KG_FORMS_OF_IDS("u.ord, " KG_DOCUMENT, " @FOR NO KEY UPDATE OF e")};

	kg_select_of_ids(&forms[lock], tenant, type, ids, n);
}

void
kg_documents_of_nodes(KgDocumentLock lock, const char *tenant,
					  const int64 *nodes, int n)
{
	static const char *const statements[] = {
		KG_OF_NODES,
		KG_OF_NODES "@FOR KEY SHARE",
		KG_OF_NODES "@FOR SHARE",
		/* The rows will be written, so a read-only transaction must fail. */
		KG_OF_NODES "FOR NO KEY UPDATE",
		KG_OF_NODES "FOR UPDATE"};
	static KgSaved saved[] = {KG_SAVED_BATCH,
							  KG_SAVED_BATCH,
							  KG_SAVED_BATCH,
							  KG_SAVED_BATCH,
							  KG_SAVED_BATCH};
	const KgArg args[] = {kg_arg_text(tenant), kg_arg_int8s(nodes, n)};

	kg_spi_exec_latest_args(
		&saved[lock], statements[lock], lengthof(args), args);
}

KgStoredDocument
kg_document(uint64 row)
{
	return (KgStoredDocument){(int) kg_spi_int64(row, 1) - 1,
							  kg_spi_int64(row, 2),
							  (int32) kg_spi_int64(row, 3),
							  kg_spi_int64(row, 4),
							  kg_spi_datum(row, 5)};
}
