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

static void
put_type(Datum *values, const char *tenant, const KgType *type)
{
	values[0] = CStringGetTextDatum(tenant);
	values[1] = CStringGetTextDatum(type->bundle);
	values[2] = CStringGetTextDatum(type->name);
}

void
kg_of_ids_values(Datum *values, const char *tenant, const KgType *type,
				 const char *const *ids, int n)
{
	put_type(values, tenant, type);
	values[3] = kg_text_array(ids, n);
}

void
kg_select_of_ids(KgForms *forms, const char *tenant, const KgType *type,
				 const char *const *ids, int n)
{
	static const Oid one_argtypes[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID};
	Datum values[KG_OF_IDS_ARGS];
	char nulls[KG_OF_IDS_ARGS] = {' ', ' ', ' ', ' '};
	bool one = n == 1;

	put_type(values, tenant, type);
	if (one)
		kg_spi_put_text(values, nulls, 3, ids[0]);
	else
		values[3] = kg_text_array(ids, n);
	kg_spi_run(one ? &forms->saved_one : &forms->saved_many,
			   one ? forms->one : forms->many,
			   KG_OF_IDS_ARGS,
			   one ? one_argtypes : kg_of_ids_argtypes,
			   values,
			   nulls,
			   false,
			   SPI_OK_SELECT);
}

void
kg_nodes_of_ids(const char *tenant, const KgType *type, const char *const *ids,
				int n, int64 *nodes)
{
	static KgForms forms = KG_FORMS_OF_IDS("u.ord, e.node", "");

	memset(nodes, 0, n * sizeof(int64));
	if (n == 0)
		return;
	kg_select_of_ids(&forms, tenant, type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
		nodes[kg_spi_int64(i, 1) - 1] = kg_spi_int64(i, 2);
	SPI_freetuptable(SPI_tuptable);
}
