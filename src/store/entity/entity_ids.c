/*
 * entity_ids.c
 *	  Statements that find entities of a type by their ids.
 */
#include "postgres.h"

#include "base/spi.h"
#include "store/entity/entity_ids.h"

void
kg_select_of_ids(KgForms *forms, const char *tenant, const KgType *type,
				 const char *const *ids, int n)
{
	if (n == 1)
		kg_spi_exec(&forms->saved_one,
					forms->one,
					kg_arg_text(tenant),
					kg_arg_text(type->bundle),
					kg_arg_text(type->name),
					kg_arg_text(ids[0]));
	else
		kg_spi_exec(&forms->saved_many,
					forms->many,
					KG_OF_IDS_ARGS(tenant, type, ids, n));
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

bool
kg_ids_made_anew(const char *tenant, const KgType *type, const char *const *ids,
				 int n, int64 *nodes)
{
	int64 *last;
	bool anew = false;
	bool any = false;

	for (int i = 0; i < n && !any; i++)
		any = ids[i] != NULL;
	if (!any)
		return false;
	last = palloc(n * sizeof(int64));
	memcpy(last, nodes, n * sizeof(int64));
	kg_nodes_of_ids(tenant, type, ids, n, nodes);
	for (int i = 0; i < n && !anew; i++)
		anew = nodes[i] != 0 && nodes[i] != last[i];
	pfree(last);
	return anew;
}

char *
kg_read_entity(const char *tenant, int64 node, Jsonb **data)
{
	KG_SPI_LATEST("SELECT entity_id, data FROM @kg_entity "
				  "WHERE tenant = $1 AND node = $2",
				  kg_arg_text(tenant),
				  kg_arg_int8(node));
	if (SPI_processed == 0)
		return NULL;
	*data = DatumGetJsonbP(kg_spi_datum(0, 2));
	return kg_spi_cstring(0, 1);
}
