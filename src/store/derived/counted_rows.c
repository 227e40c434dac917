/*
 * counted_rows.c
 *	  The rows of kg_index_key that are counts of edges.
 */
#include "postgres.h"

#include "model/counted.h"
#include "catalog/pg_type.h"
#include "store/derived/counted_rows.h"
#include "store/reference/seen.h"
#include "utils/memutils.h"

const KgField *
kg_count_field(const KgType *type, int32 field_no)
{
	for (int i = 0; type != NULL && i < type->nfields; i++)
		if (type->fields[i].counted && type->fields[i].field_no == field_no)
			return &type->fields[i];
	return NULL;
}

KgCount *
kg_count_list_add(KgCountList *list)
{
	if (list->n == list->capacity)
	{
		list->capacity = Max(64, list->capacity * 2);
		list->counts = list->counts == NULL
						   ? palloc(list->capacity * sizeof(KgCount))
						   : repalloc_huge(list->counts,
										   list->capacity * sizeof(KgCount));
	}
	return &list->counts[list->n++];
}

int
kg_count_list_compare(const void *pa, const void *pb)
{
	const KgCount *a = pa;
	const KgCount *b = pb;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->field_no < b->field_no ? -1 : a->field_no > b->field_no;
}

/*
 * Adds the rows of the last statement to the list. The columns are node,
 * field_no, type_no, entity_id and key.
 */
static void
take_counts(KgCountList *list)
{
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgCount *count = kg_count_list_add(list);

		count->node = kg_spi_int64(i, 1);
		count->field_no = DatumGetInt32(kg_spi_datum(i, 2));
		count->type_no = DatumGetInt32(kg_spi_datum(i, 3));
		count->entity_id = kg_spi_cstring(i, 4);
		count->key = DatumGetByteaPCopy(kg_spi_datum(i, 5));
	}
	SPI_freetuptable(SPI_tuptable);
}

KgArg
kg_count_nodes(const int64 *nodes, int n)
{
	return n == 1 ? kg_arg_int8(nodes[0]) : kg_arg_int8s(nodes, n);
}

void
kg_count_exec(KgForms *forms, KgSpiExec exec, int nargs, const KgArg *args)
{
	bool one = args[1].type == INT8OID;

	exec(one ? &forms->saved_one : &forms->saved_many,
		 one ? forms->one : forms->many,
		 nargs,
		 args);
}

#define KG_COUNTS_OF(nodes, rest)                                             \
	"SELECT node, field_no, type_no, entity_id, key "                         \
	"FROM @kg_index_key WHERE tenant = $1 AND " nodes " AND " KG_COUNTED_ROWS \
	" " rest
#define KG_COUNT_FORMS(rest)                        \
	KG_FORMS(KG_COUNTS_OF("node = ANY ($2)", rest), \
			 KG_COUNTS_OF("node = $2", rest))

void
kg_count_list_read(const char *tenant, KgArg nodes, KgCountList *list)
{
	static KgForms forms = KG_COUNT_FORMS("ORDER BY node, field_no");
	KgArg args[] = {kg_arg_text(tenant), nodes};

	kg_count_exec(&forms, kg_spi_read_args, lengthof(args), args);
	take_counts(list);
}

void
kg_count_list_lock(const char *tenant, KgArg nodes, KgCountList *list)
{
	static KgForms forms = KG_COUNT_FORMS("ORDER BY node, field_no FOR UPDATE");
	KgArg args[] = {kg_arg_text(tenant), nodes};

	kg_count_exec(&forms, kg_spi_exec_latest_args, lengthof(args), args);
	take_counts(list);
}

void
kg_count_list_lock_of(const char *tenant, KgArg nodes, KgArg fields,
					  KgCountList *list)
{
	static KgForms forms = KG_COUNT_FORMS(
		"AND type_no::bigint * 65536 + field_no = ANY ($3) "
		"ORDER BY node, field_no FOR UPDATE");
	KgArg args[] = {kg_arg_text(tenant), nodes, fields};

	kg_count_exec(&forms, kg_spi_exec_latest_args, lengthof(args), args);
	take_counts(list);
}

void
kg_count_rows_init(KgColumns *rows)
{
	static const Oid types[] = {INT8OID, INT4OID, INT4OID, TEXTOID, BYTEAOID};

	kg_columns_init(rows, CurrentMemoryContext, lengthof(types), types);
}

void
kg_count_rows_add(KgColumns *rows, const KgCount *count)
{
	kg_columns_add_row(rows);
	kg_columns_int64(rows, 0, count->node);
	kg_columns_int32(rows, 1, count->field_no);
	kg_columns_int32(rows, 2, count->type_no);
	kg_columns_text(rows, 3, count->entity_id);
	kg_columns_datum(rows, 4, PointerGetDatum(count->key));
}

/*
 * Runs a statement that updates or deletes rows. If it does not find a row,
 * the row is newer than the transaction's snapshot, and an error is raised.
 */
static void
run_rows(KgForms *forms, const char *tenant, const KgColumns *rows)
{
	if (rows->nrows == 0)
		return;
	kg_columns_run(forms, tenant, rows);
	if (SPI_processed < rows->nrows)
		kg_refuse_newer();
}

#define KG_GIVEN_ROWS             \
	"unnest($2, $3, $4, $5, $6) " \
	"AS u(node, field_no, type_no, entity_id, key)"
#define KG_OF_GIVEN                            \
	"WHERE k.tenant = $1 AND k.node = u.node " \
	"AND k.field_no = u.field_no AND k." KG_COUNTED_ROWS
#define KG_OF_ONE                                        \
	"WHERE tenant = $1 AND node = $2 AND field_no = $3 " \
	"AND " KG_COUNTED_ROWS

void
kg_count_rows_update(const char *tenant, const KgColumns *rows)
{
	static KgForms forms = KG_FORMS(
		"UPDATE @kg_index_key k SET key = u.key, entity_id = u.entity_id, "
		"type_no = u.type_no FROM " KG_GIVEN_ROWS " " KG_OF_GIVEN,
		"UPDATE @kg_index_key SET key = $6, entity_id = $5, type_no = "
		"$4 " KG_OF_ONE);

	run_rows(&forms, tenant, rows);
}

void
kg_count_rows_delete(const char *tenant, const KgColumns *rows)
{
	static KgForms forms = KG_FORMS(
		"DELETE FROM @kg_index_key k USING " KG_GIVEN_ROWS " " KG_OF_GIVEN,
		"DELETE FROM @kg_index_key " KG_OF_ONE
		" AND type_no = $4 AND entity_id = $5 AND key = $6");

	run_rows(&forms, tenant, rows);
}

void
kg_count_rows_insert(const char *tenant, const KgColumns *rows)
{
	static KgForms forms = KG_FORMS(
		"INSERT INTO @kg_index_key(tenant, node, field_no, type_no, "
		"entity_id, key) SELECT $1, u.* FROM " KG_GIVEN_ROWS,
		"INSERT INTO @kg_index_key(tenant, node, field_no, type_no, "
		"entity_id, key) VALUES ($1, $2, $3, $4, $5, $6)");

	run_rows(&forms, tenant, rows);
}
