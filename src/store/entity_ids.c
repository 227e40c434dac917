/*
 * entity_ids.c
 *	  Entities of a type by their ids.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "store/entity_ids.h"
#include "utils/builtins.h"

const Oid kg_of_ids_argtypes[KG_OF_IDS_ARGS] = {
	TEXTOID, TEXTOID, TEXTOID, TEXTARRAYOID};

void
kg_of_ids_values(Datum *values, const char *tenant, const KgType *type,
				 const char *const *ids, int n)
{
	values[0] = CStringGetTextDatum(tenant);
	values[1] = CStringGetTextDatum(type->bundle);
	values[2] = CStringGetTextDatum(type->name);
	values[3] = kg_text_array(ids, n);
}

void
kg_select_of_ids(KgSaved *saved, const char *sql, const char *tenant,
				 const KgType *type, const char *const *ids, int n)
{
	Datum values[KG_OF_IDS_ARGS];

	kg_of_ids_values(values, tenant, type, ids, n);
	kg_spi_run(saved,
			   sql,
			   KG_OF_IDS_ARGS,
			   kg_of_ids_argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_SELECT);
}

void
kg_nodes_of_ids(const char *tenant, const KgType *type, const char *const *ids,
				int n, int64 *nodes)
{
	static KgSaved saved = KG_SAVED_BATCH;

	memset(nodes, 0, n * sizeof(int64));
	if (n == 0)
		return;
	kg_select_of_ids(&saved, KG_OF_IDS("u.ord, e.node"), tenant, type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
		nodes[kg_spi_int64(i, 1) - 1] = kg_spi_int64(i, 2);
	SPI_freetuptable(SPI_tuptable);
}
