/*
 * unique.c
 *	  Unique values of properties that an x-ref-field names.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/spi.h"
#include "model/key.h"
#include "model/packed_keys.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "store/check/check.h"
#include "store/derived/extract.h"
#include "store/entity/documents.h"
#include "store/entity/entity_ids.h"
#include "store/reference/pending.h"
#include "store/edge/twice.h"
#include "store/reference/unique.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Number of entities per statement when values are checked again. */
#define KG_UNIQUE_CHUNK 5000

/* Initializes a batch. Rows have the columns of KgUniqueRows. */
void
kg_unique_init(KgUniqueRows *unique, MemoryContext context)
{
	static const Oid types[] = {INT4OID, TEXTOID, BYTEAOID, INT8OID};

	unique->context = context;
	kg_columns_init(&unique->rows, context, 4, types);
	memset(&unique->stale, 0, sizeof(KgNodeList));
	unique->stale.context = context;
}

const KgField *
kg_unique_field(const KgType *type, const KgPackedKey *key)
{
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].unique && type->fields[i].field_no == key->field_no)
			return &type->fields[i];
	return NULL;
}

void
kg_unique_add(KgUniqueRows *unique, const KgType *type, int64 node,
			  const bytea *keys)
{
	MemoryContext old = MemoryContextSwitchTo(unique->context);
	KgKeysIter it;

	kg_keys_iter_init(&it, keys);
	while (kg_keys_next(&it))
	{
		const KgField *field = kg_unique_field(type, &it.key);
		bytea *key;

		if (field == NULL)
			continue;
		key = kg_packed_key_copy(&it.key);
		if (!kg_key_is_value(key))
			continue;
		kg_columns_add_row(&unique->rows);
		kg_columns_int32(&unique->rows, 0, type->type_no);
		kg_columns_text(&unique->rows, 1, field->name);
		kg_columns_datum(&unique->rows, 2, PointerGetDatum(key));
		kg_columns_int64(&unique->rows, 3, node);
	}
	MemoryContextSwitchTo(old);
}

static bool
next_unique(const KgType *type, KgKeysIter *it)
{
	while (kg_keys_next(it))
		if (kg_unique_field(type, &it->key))
			return true;
	return false;
}

bool
kg_unique_same(const KgType *type, const bytea *a, const bytea *b)
{
	KgKeysIter x;
	KgKeysIter y;
	bool in_x;
	bool in_y;

	kg_keys_iter_init(&x, a);
	kg_keys_iter_init(&y, b);
	do
	{
		in_x = next_unique(type, &x);
		in_y = next_unique(type, &y);
	} while (in_x && in_y && kg_packed_key_compare(&x.key, &y.key) == 0);
	return !in_x && !in_y;
}

static int
compare_rows(const void *pa, const void *pb, void *arg)
{
	const KgColumns *rows = arg;
	int a = *(const int *) pa;
	int b = *(const int *) pb;
	int order;

	if (rows->values[0][a] != rows->values[0][b])
		return DatumGetInt32(rows->values[0][a]) <
					   DatumGetInt32(rows->values[0][b])
				   ? -1
				   : 1;
	order = kg_key_compare(DatumGetByteaPP(rows->values[1][a]),
						   DatumGetByteaPP(rows->values[1][b]));
	if (order == 0)
		order = kg_key_compare(DatumGetByteaPP(rows->values[2][a]),
							   DatumGetByteaPP(rows->values[2][b]));
	return order != 0 ? order : a - b;
}

/*
 * Sorts rows by the primary key, so that two writers of the same values do not
 * deadlock.
 */
static void
sort_rows(KgColumns *rows)
{
	int *order = palloc(rows->nrows * sizeof(int));

	for (int i = 0; i < rows->nrows; i++)
		order[i] = i;
	qsort_arg(order, rows->nrows, sizeof(int), compare_rows, rows);
	kg_columns_reorder(rows, order);
	pfree(order);
}

static void
delete_stale(const char *tenant, const KgNodeList *stale)
{
	if (stale->n == 0)
		return;
	KG_BATCH_EXEC("DELETE FROM @kg_unique_key WHERE tenant = $1 "
				  "AND node = ANY($2)",
				  kg_arg_text(tenant),
				  kg_arg_int8s(stale->nodes, stale->n));
}

/*
 * Inserts the rows whose values no entity has. Returns whether all rows were
 * inserted.
 */
static bool
insert_rows(const char *tenant, const KgColumns *rows)
{
	static KgSaved saved = KG_SAVED_BATCH;

	kg_columns_exec(
		&saved,
		"INSERT INTO @kg_unique_key(tenant, type_no, field, key, node) "
		"SELECT $1, unnest($2), unnest($3), unnest($4), unnest($5) "
		"ON CONFLICT DO NOTHING",
		tenant,
		rows);
	if (SPI_processed < rows->nrows)
		return false;
	kg_refuse_values_twice(tenant, rows);
	return true;
}

int
kg_unique_holders(const char *tenant, const KgColumns *rows,
				  KgUniqueHolder **holders)
{
	static KgSaved saved = KG_SAVED_BATCH;
	MemoryContext context = CurrentMemoryContext;
	KgArg args[5] = {kg_arg_text(tenant)};
	int n;

	kg_columns_args(rows, &args[1]);
	kg_spi_exec_latest_args(&saved,
							"SELECT u.ord, k.node, e.entity_id "
							"FROM unnest($2, $3, $4, $5) WITH ORDINALITY "
							"AS u(type_no, field, key, node, ord) "
							"JOIN @kg_unique_key k ON k.tenant = $1 "
							"AND k.type_no = u.type_no AND k.field = u.field "
							"AND k.key = u.key AND k.node <> u.node "
							"LEFT JOIN @kg_entity e ON e.tenant = $1 "
							"AND e.node = k.node ORDER BY u.ord",
							lengthof(args),
							args);
	MemoryContextSwitchTo(context);
	n = SPI_processed;
	*holders = palloc(Max(1, n) * sizeof(KgUniqueHolder));
	for (int i = 0; i < n; i++)
	{
		(*holders)[i].row = kg_spi_int64(i, 1) - 1;
		(*holders)[i].node = kg_spi_int64(i, 2);
		(*holders)[i].id = kg_spi_cstring(i, 3);
	}
	SPI_freetuptable(SPI_tuptable);
	return n;
}

void
kg_unique_write(const char *tenant, KgUniqueRows *unique, KgNodeList *taken)
{
	KgUniqueHolder *holders;
	int n;

	delete_stale(tenant, &unique->stale);
	if (unique->rows.nrows == 0)
		return;
	sort_rows(&unique->rows);
	if (insert_rows(tenant, &unique->rows))
		return;
	n = kg_unique_holders(tenant, &unique->rows, &holders);
	for (int i = 0; i < n; i++)
		kg_node_add(taken,
					DatumGetInt64(unique->rows.values[3][holders[i].row]));
}

/*
 * Deletes the values of a property, including values of entities that are
 * newer than the transaction's snapshot.
 */
void
kg_unique_clear(const char *tenant, int32 type_no, const char *field)
{
	KG_BATCH_NEWEST("DELETE FROM @kg_unique_key WHERE tenant = $1 "
					"AND type_no = $2 AND field = $3",
					kg_arg_text(tenant),
					kg_arg_int4(type_no),
					kg_arg_text(field));
}

KgError *
kg_unique_error(const KgType *type, const KgField *field, const char *id,
				const Jsonb *data, const JsonbValue *value, const char *other,
				const char *path)
{
	KgError *err;

	if (id == NULL)
		return KG_ERROR(
			KG_ALREADY_EXISTS,
			.message = psprintf("several entities have the same value of "
								"property \"%s\" of type \"%s\"",
								field->name,
								type->name),
			.type = kg_type_handle(type),
			.keyword = "x-ref-field");
	if (other)
		err = kg_error_new(KG_ALREADY_EXISTS,
						   "property \"%s\" of entity \"%s\" has a value that "
						   "entity \"%s\" of type \"%s\" has already",
						   field->name,
						   id,
						   other,
						   type->name);
	else
		err = kg_error_new(KG_ALREADY_EXISTS,
						   "property \"%s\" of entity \"%s\" has a value that "
						   "another entity of type \"%s\" has already",
						   field->name,
						   id,
						   type->name);
	kg_error_entity(err, kg_type_handle(type), id);
	kg_error_path(err,
				  "%s%s",
				  path,
				  kg_extract_pointer(field, data, kg_json_cstring(value)));
	kg_error_keyword(err, "x-ref-field");
	kg_error_got(err, value);
	kg_error_expected(
		err, "a unique value, because an \"x-ref-field\" names the property");
	return err;
}

/* Reads stored entities and adds the rows of their unique values. */
static void
reread(const KgCatalog *catalog, const int64 *nodes, int n,
	   KgUniqueRows *unique)
{
	MemoryContext context = CurrentMemoryContext;

	kg_documents_of_nodes(KG_LOCK_NONE, catalog->tenant, nodes, n);
	MemoryContextSwitchTo(context);
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		KgStoredDocument stored = kg_document(row);
		const KgType *type = kg_catalog_type_no(catalog, stored.type_no);

		kg_node_add(&unique->stale, stored.node);
		if (type == NULL)
			continue;
		kg_unique_add(unique,
					  type,
					  stored.node,
					  kg_extract_keys(type, DatumGetJsonbP(stored.data)));
	}
	SPI_freetuptable(SPI_tuptable);
}

static void
report_taken(const KgCatalog *catalog, const KgUniqueRows *unique,
			 const KgUniqueHolder *holder, KgErrorList *errors)
{
	const KgColumns *rows = &unique->rows;
	const KgType *type = kg_catalog_type_no(
		catalog, DatumGetInt32(rows->values[0][holder->row]));
	const KgField *field = kg_type_field(
		type, TextDatumGetCString(rows->values[1][holder->row]));
	char *id = NULL;
	Jsonb *data = NULL;
	JsonbValue value;

	/* Errors beyond the limit are counted, but not listed. */
	if (errors->total >= errors->limit)
	{
		errors->total++;
		return;
	}
	if (catalog->plain_visibility)
		id = kg_read_entity(catalog->tenant,
							DatumGetInt64(rows->values[3][holder->row]),
							&data);
	kg_key_decode(field, DatumGetByteaPP(rows->values[2][holder->row]), &value);
	kg_error_report(
		errors, kg_unique_error(type, field, id, data, &value, holder->id, ""));
}

/*
 * Deletes values that belong to deleted entities. An outer statement is
 * deleting these entities and has not deleted their values yet. Returns
 * whether any value was deleted.
 */
static bool
free_gone(const char *tenant, const KgUniqueHolder *holders, int n)
{
	KgNodeList gone = {CurrentMemoryContext};

	for (int i = 0; i < n; i++)
		if (holders[i].id == NULL)
			kg_node_add(&gone, holders[i].node);
	delete_stale(tenant, &gone);
	return gone.n > 0;
}

void
kg_unique_enforce(const KgCatalog *catalog, const KgNodeList *nodes)
{
	KgErrorList errors = {NIL, kg_setting_max_errors, 0};

	for (int i = 0; i < nodes->n; i += KG_UNIQUE_CHUNK)
	{
		KgUniqueRows unique;
		KgUniqueHolder *holders;
		int n;

		CHECK_FOR_INTERRUPTS();
		kg_unique_init(&unique, CurrentMemoryContext);
		reread(catalog,
			   nodes->nodes + i,
			   Min(KG_UNIQUE_CHUNK, nodes->n - i),
			   &unique);
		delete_stale(catalog->tenant, &unique.stale);
		if (unique.rows.nrows == 0 ||
			insert_rows(catalog->tenant, &unique.rows))
			continue;
		n = kg_unique_holders(catalog->tenant, &unique.rows, &holders);
		if (free_gone(catalog->tenant, holders, n))
		{
			if (insert_rows(catalog->tenant, &unique.rows))
				continue;
			n = kg_unique_holders(catalog->tenant, &unique.rows, &holders);
		}
		for (int j = 0; j < n; j++)
			report_taken(catalog, &unique, &holders[j], &errors);
	}
	kg_throw_violations(&errors, "values are not unique");
}
