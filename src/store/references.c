/*
 * references.c
 *	  Enforcing references.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/spi.h"
#include "catalog/key.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "store/check.h"
#include "store/columns.h"
#include "store/extract.h"
#include "store/references.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Values looked up, and nodes treated, in one statement. */
#define KG_REFERENCE_CHUNK 10000

void
kg_reference_add(KgReferenceList *list, int64 source, const KgField *field,
				 const char *value)
{
	KgReference *item;

	if (list->n == list->capacity)
	{
		list->capacity = Max(64, list->capacity * 2);
		list->items = list->items
						  ? repalloc_huge(list->items,
										  (Size) list->capacity *
											  sizeof(KgReference))
						  : MemoryContextAllocHuge(list->context,
												   (Size) list->capacity *
													   sizeof(KgReference));
	}
	item = &list->items[list->n++];
	item->source = source;
	item->field = field;
	item->value = MemoryContextStrdup(list->context, value);
}

void
kg_node_add(KgNodeList *list, int64 node)
{
	if (list->n == list->capacity)
	{
		list->capacity = Max(64, list->capacity * 2);
		list->nodes = list->nodes
						  ? repalloc_huge(list->nodes,
										  (Size) list->capacity * sizeof(int64))
						  : MemoryContextAllocHuge(list->context,
												   (Size) list->capacity *
													   sizeof(int64));
	}
	list->nodes[list->n++] = node;
}

static int
compare_strings(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

/* By what is looked up together, then by value. */
static int
compare_target(const KgReference *a, const KgReference *b)
{
	int order;

	if (a->field == b->field)
		return 0;
	order = strcmp(a->field->ref_bundle, b->field->ref_bundle);
	if (order == 0)
		order = strcmp(a->field->ref_type, b->field->ref_type);
	if (order == 0)
		order = compare_strings(a->field->ref_field, b->field->ref_field);
	return order;
}

static int
compare_reference(const void *pa, const void *pb)
{
	const KgReference *a = *(const KgReference *const *) pa;
	const KgReference *b = *(const KgReference *const *) pb;
	int order = compare_target(a, b);

	return order ? order : strcmp(a->value, b->value);
}

/* A value of a group and the node that it names. */
typedef struct Target
{
	const char *value;
	int64 node; /* 0: none */
} Target;

/*
 * Several entities may have a value between two batches of one statement only
 * (unique.h): it is looked up again at the end.
 */
#define SEVERAL (-1)

static void
take_targets(Target *targets)
{
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Target *target = &targets[kg_spi_int64(i, 1) - 1];
		int64 node = kg_spi_int64(i, 2);

		target->node = target->node == 0 || target->node == node ? node
																 : SEVERAL;
	}
	SPI_freetuptable(SPI_tuptable);
}

static void
lookup_by_id(const char *tenant, const KgField *field, Target *targets, int n)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {TEXTOID, TEXTOID, TEXTOID, TEXTARRAYOID};
	static const Oid text_type[] = {TEXTOID};
	KgColumns columns;
	Datum values[4] = {CStringGetTextDatum(tenant),
					   CStringGetTextDatum(field->ref_bundle),
					   CStringGetTextDatum(field->ref_type)};

	kg_columns_init(&columns, CurrentMemoryContext, 1, text_type);
	for (int i = 0; i < n; i++)
	{
		kg_columns_add_row(&columns);
		kg_columns_text(&columns, 0, targets[i].value);
	}
	kg_columns_arrays(&columns, &values[3]);
	kg_spi_run(&saved,
			   "SELECT u.ord, e.node FROM unnest($4) WITH ORDINALITY "
			   "AS u(id, ord) JOIN @kg_entity e ON e.tenant = $1 "
			   "AND e.bundle = $2 AND e.entity_type = $3 "
			   "AND e.entity_id = u.id FOR KEY SHARE OF e",
			   4,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_SELECT);
	take_targets(targets);
}

/* Run one of the two statements of lookup_by_field(). */
static void
find_by_field(KgSaved *saved, const char *sql, Datum *values, Target *targets,
			  int n)
{
	static const Oid argtypes[] = {TEXTOID, INT4OID, INT4OID, BYTEAARRAYOID};

	for (int i = 0; i < n; i++)
		targets[i].node = 0;
	kg_spi_run(saved, sql, 4, argtypes, values, NULL, false, SPI_OK_SELECT);
	take_targets(targets);
}

/*
 * An entity that had to be waited for may have lost the value meanwhile, which
 * its row does not show where the key's row is read: what was locked is looked
 * up again, until it is what has the value.
 */
static void
lookup_by_field(const char *tenant, const KgType *type,
				const KgField *target_field, Target *targets, int n)
{
	static KgSaved lock = KG_SAVED_BATCH;
	static KgSaved read = KG_SAVED_BATCH;
	static const Oid bytea_type[] = {BYTEAOID};
	KgColumns columns;
	int64 *locked = palloc(n * sizeof(int64));
	bool same;
	Datum values[4] = {CStringGetTextDatum(tenant),
					   Int32GetDatum(type->type_no),
					   Int32GetDatum(target_field->field_no)};

	kg_columns_init(&columns, CurrentMemoryContext, 1, bytea_type);
	for (int i = 0; i < n; i++)
	{
		JsonbValue value = kg_json_string_value(targets[i].value);
		bytea *key = kg_key_encode(target_field, &value);

		kg_columns_add_row(&columns);
		if (key)
			kg_columns_datum(&columns, 0, PointerGetDatum(key));
	}
	kg_columns_arrays(&columns, &values[3]);
	do
	{
		CHECK_FOR_INTERRUPTS();
		find_by_field(
			&lock,
			"SELECT u.ord, e.node FROM unnest($4) WITH ORDINALITY "
			"AS u(key, ord) JOIN @kg_index_key k ON k.tenant = $1 "
			"AND k.type_no = $2 AND k.field_no = $3 AND k.key = u.key "
			"JOIN @kg_entity e ON e.tenant = $1 AND e.node = k.node "
			"FOR SHARE OF e",
			values,
			targets,
			n);
		for (int i = 0; i < n; i++)
			locked[i] = targets[i].node;
		find_by_field(
			&read,
			"SELECT u.ord, k.node FROM unnest($4) WITH ORDINALITY "
			"AS u(key, ord) JOIN @kg_index_key k ON k.tenant = $1 "
			"AND k.type_no = $2 AND k.field_no = $3 AND k.key = u.key",
			values,
			targets,
			n);
		same = true;
		for (int i = 0; i < n; i++)
			same &= targets[i].node == 0 || targets[i].node == locked[i];
	} while (!same);
	for (int i = 0; i < n; i++)
		if (targets[i].node == SEVERAL)
			targets[i].node = 0;
	pfree(locked);
}

static void
lookup(const KgCatalog *catalog, const KgField *field, Target *targets, int n)
{
	const KgType *type = kg_catalog_type_in(
		catalog, field->ref_bundle, field->ref_type);
	const KgField *target_field = NULL;

	if (type == NULL)
		return;
	if (field->ref_field)
		target_field = kg_type_field(type, field->ref_field);
	if (target_field == NULL || target_field == type->id_field)
		lookup_by_id(catalog->tenant, field, targets, n);
	else
		lookup_by_field(catalog->tenant, type, target_field, targets, n);
}

/*
 * May two references of an entity make the same edge?  Where a property alone
 * has its relation and names ids, each of its values is another target.
 */
static bool
may_repeat(const KgCatalog *catalog, const KgField *field)
{
	for (int i = 0; i < catalog->ntypes; i++)
	{
		const KgType *type = catalog->types[i];

		if (field < type->fields || field >= type->fields + type->nfields)
			continue;
		for (int j = 0; j < type->nfields; j++)
			if (&type->fields[j] != field && type->fields[j].ref_type &&
				type->fields[j].relation_no == field->relation_no)
				return true;
		return field->ref_field != NULL;
	}
	return true;
}

/*
 * Looking for conflicts costs a search of the index more per edge, and is done
 * for edges that may be there twice only.
 */
static void
insert_edges(const char *tenant, const KgColumns *edges, bool repeated)
{
	static KgSaved plain_saved = KG_SAVED_BATCH;
	static KgSaved repeated_saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {
		TEXTOID, INT8ARRAYOID, INT4ARRAYOID, INT8ARRAYOID, TEXTARRAYOID};
	Datum values[5];

	if (edges->nrows == 0)
		return;
	values[0] = CStringGetTextDatum(tenant);
	kg_columns_arrays(edges, &values[1]);
	kg_spi_run(repeated ? &repeated_saved : &plain_saved,
			   repeated ? "INSERT INTO @kg_edge(tenant, source, relation_no, "
						  "target, property) "
						  "SELECT $1, unnest($2), unnest($3), unnest($4), "
						  "unnest($5) ON CONFLICT DO NOTHING"
						: "INSERT INTO @kg_edge(tenant, source, relation_no, "
						  "target, property) "
						  "SELECT $1, unnest($2), unnest($3), unnest($4), "
						  "unnest($5)",
			   5,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_INSERT);
}

void
kg_references_find(const KgCatalog *catalog, const KgReferenceList *references,
				   bool *found)
{
	KgReference **sorted = MemoryContextAllocHuge(CurrentMemoryContext,
												  (Size) Max(1, references->n) *
													  sizeof(KgReference *));
	Target *targets = palloc(KG_REFERENCE_CHUNK * sizeof(Target));
	int *target_of = palloc(KG_REFERENCE_CHUNK * sizeof(int));
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph references", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);
	int start = 0;

	for (int i = 0; i < references->n; i++)
		sorted[i] = &references->items[i];
	qsort(sorted, references->n, sizeof(KgReference *), compare_reference);
	while (start < references->n)
	{
		int end = start;
		int ntargets = 0;

		CHECK_FOR_INTERRUPTS();
		for (; end < references->n && end - start < KG_REFERENCE_CHUNK &&
			   compare_target(sorted[start], sorted[end]) == 0;
			 end++)
		{
			if (end == start ||
				strcmp(sorted[end]->value, sorted[end - 1]->value) != 0)
			{
				targets[ntargets].value = sorted[end]->value;
				targets[ntargets++].node = 0;
			}
			target_of[end - start] = ntargets - 1;
		}
		lookup(catalog, sorted[start]->field, targets, ntargets);
		for (int i = start; i < end; i++)
			found[sorted[i] - references->items] =
				targets[target_of[i - start]].node != 0;
		MemoryContextSwitchTo(scratch);
		MemoryContextReset(scratch);
		start = end;
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	pfree(sorted);
	pfree(targets);
	pfree(target_of);
}

/* One chunk of sorted references: look the distinct values up, make edges. */
static void
resolve_chunk(const KgCatalog *catalog, KgReference **sorted, int n,
			  KgReferenceList *missing)
{
	static const Oid edge_types[] = {INT8OID, INT4OID, INT8OID, TEXTOID};
	Target *targets = palloc(n * sizeof(Target));
	int *target_of = palloc(n * sizeof(int));
	KgColumns edges[2]; /* plain, and those that may repeat */
	const KgField *field = NULL;
	bool repeated = false;
	int start = 0;

	for (int i = 0; i < 2; i++)
		kg_columns_init(&edges[i], CurrentMemoryContext, 4, edge_types);
	while (start < n)
	{
		int end = start;
		int ntargets = 0;

		for (; end < n && compare_target(sorted[start], sorted[end]) == 0;
			 end++)
		{
			if (end == start ||
				strcmp(sorted[end]->value, sorted[end - 1]->value) != 0)
			{
				targets[ntargets].value = sorted[end]->value;
				targets[ntargets++].node = 0;
			}
			target_of[end] = ntargets - 1;
		}
		lookup(catalog, sorted[start]->field, targets, ntargets);
		for (int i = start; i < end; i++)
		{
			const KgReference *ref = sorted[i];
			int64 node = targets[target_of[i]].node;
			KgColumns *rows;

			if (node == 0)
			{
				kg_reference_add(missing, ref->source, ref->field, ref->value);
				continue;
			}
			if (ref->field != field)
			{
				field = ref->field;
				repeated = may_repeat(catalog, field);
			}
			rows = &edges[repeated];
			kg_columns_add_row(rows);
			kg_columns_int64(rows, 0, ref->source);
			kg_columns_int32(rows, 1, field->relation_no);
			kg_columns_int64(rows, 2, node);
			kg_columns_text(rows, 3, field->name);
		}
		start = end;
	}
	insert_edges(catalog->tenant, &edges[0], false);
	insert_edges(catalog->tenant, &edges[1], true);
}

void
kg_references_resolve(const KgCatalog *catalog,
					  const KgReferenceList *references,
					  KgReferenceList *missing)
{
	KgReference **sorted;
	MemoryContext scratch;
	MemoryContext old;

	if (references->n == 0)
		return;
	sorted = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) references->n * sizeof(KgReference *));
	for (int i = 0; i < references->n; i++)
		sorted[i] = &references->items[i];
	qsort(sorted, references->n, sizeof(KgReference *), compare_reference);
	scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph references", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(scratch);
	for (int i = 0; i < references->n; i += KG_REFERENCE_CHUNK)
	{
		CHECK_FOR_INTERRUPTS();
		resolve_chunk(catalog,
					  sorted + i,
					  Min(KG_REFERENCE_CHUNK, references->n - i),
					  missing);
		MemoryContextSwitchTo(scratch);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	pfree(sorted);
}

void
kg_references_forget(const char *tenant, const KgNodeList *nodes)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {TEXTOID, INT8ARRAYOID};
	Datum values[2] = {CStringGetTextDatum(tenant)};

	for (int i = 0; i < nodes->n; i += KG_REFERENCE_CHUNK)
	{
		values[1] = kg_int64_array(nodes->nodes + i,
								   Min(KG_REFERENCE_CHUNK, nodes->n - i));
		kg_spi_run(&saved,
				   "DELETE FROM @kg_edge WHERE tenant = $1 "
				   "AND source = ANY($2) AND property IS NOT NULL",
				   2,
				   argtypes,
				   values,
				   NULL,
				   false,
				   SPI_OK_DELETE);
	}
}

static int
read_incoming(const char *tenant, const int64 *nodes, int n,
			  KgIncoming **result)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {TEXTOID, INT8ARRAYOID};
	Datum values[2] = {CStringGetTextDatum(tenant), kg_int64_array(nodes, n)};
	MemoryContext old = CurrentMemoryContext;
	KgIncoming *list;
	uint64 count;

	kg_spi_run_latest(&saved,
					  "SELECT d.source, d.target, e.type_no::bigint, "
					  "d.relation_no::bigint, d.property "
					  "FROM @kg_edge d JOIN @kg_entity e "
					  "ON e.tenant = $1 AND e.node = d.source "
					  "WHERE d.tenant = $1 AND d.target = ANY($2)",
					  2,
					  argtypes,
					  values,
					  NULL,
					  SPI_OK_SELECT);
	MemoryContextSwitchTo(old);
	count = SPI_processed;
	list = palloc(Max(1, count) * sizeof(KgIncoming));
	for (uint64 i = 0; i < count; i++)
	{
		list[i].source = kg_spi_int64(i, 1);
		list[i].target = kg_spi_int64(i, 2);
		list[i].type_no = kg_spi_int64(i, 3);
		list[i].relation_no = kg_spi_int64(i, 4);
		list[i].property = kg_spi_cstring(i, 5);
	}
	SPI_freetuptable(SPI_tuptable);
	*result = list;
	return count;
}

static void
delete_explicit(const char *tenant, const int64 *nodes, int n)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {TEXTOID, INT8ARRAYOID};
	Datum values[2] = {CStringGetTextDatum(tenant), kg_int64_array(nodes, n)};

	/* Also those made since our snapshot was taken: they raise 40001 then. */
	kg_spi_run_latest(&saved,
					  "DELETE FROM @kg_edge WHERE tenant = $1 "
					  "AND target = ANY($2) AND property IS NULL",
					  2,
					  argtypes,
					  values,
					  NULL,
					  SPI_OK_DELETE);
}

static void
delete_referrers(const char *tenant, const KgNodeList *nodes)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {TEXTOID, INT8ARRAYOID};
	Datum values[2] = {CStringGetTextDatum(tenant),
					   kg_int64_array(nodes->nodes, nodes->n)};

	if (nodes->n > 0)
		kg_spi_run(&saved,
				   "DELETE FROM @kg_entity WHERE tenant = $1 "
				   "AND node = ANY($2)",
				   2,
				   argtypes,
				   values,
				   NULL,
				   false,
				   SPI_OK_DELETE);
}

/* What x-on-delete: set_null takes out of an entity. */
typedef struct Removal
{
	const KgField *field;
	const char *value;
} Removal;

/*
 * Copy a value without the reference: a scalar becomes null where its schema
 * allows null and is left out where it does not; an item leaves its array.
 */
static void
copy_without(KgJsonWriter *w, const JsonbValue *value, const Removal *removal,
			 int step)
{
	const KgField *field = removal->field;
	KgJsonIter it;

	check_stack_depth();
	if (step >= field->nsteps || kg_json_container(value) == NULL)
	{
		kg_jw_value(w, value);
		return;
	}
	kg_json_iter_init(&it, kg_json_container(value));
	if (it.is_object)
		kg_jw_begin_object(w);
	else
		kg_jw_begin_array(w);
	while (kg_json_iter_next(&it))
	{
		const KgStep *next = &field->steps[step];
		bool on_path = it.is_object
						   ? next->key &&
								 it.key.val.string.len == next->keylen &&
								 memcmp(it.key.val.string.val,
										next->key,
										next->keylen) == 0
						   : next->key == NULL;
		bool hit = on_path && step + 1 == field->nsteps &&
				   kg_json_string_is(&it.value, removal->value);

		if (hit && (next->key == NULL || !field->nullable))
			continue;
		if (it.is_object)
			kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
		if (hit)
			kg_jw_null(w);
		else
			copy_without(
				w, &it.value, removal, on_path ? step + 1 : field->nsteps);
	}
	if (it.is_object)
		kg_jw_end_object(w);
	else
		kg_jw_end_array(w);
}

static Jsonb *
without(const Jsonb *data, const Removal *removal)
{
	KgJsonWriter w;
	JsonbValue root;

	kg_jw_init(&w);
	kg_json_root(data, &root);
	copy_without(&w, &root, removal, 0);
	return kg_jw_finish(&w);
}

/*
 * The references of an entity that no longer have a target are those whose
 * lookup finds nothing now; the deleted node's own id is gone with its row.
 */
static void
set_null(const KgCatalog *catalog, const KgNodeList *sources)
{
	static KgSaved read_saved = KG_SAVED_BATCH;
	static KgSaved write_saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {TEXTOID, INT8ARRAYOID};
	static const Oid write_argtypes[] = {TEXTOID, INT8ARRAYOID, JSONBARRAYOID};
	static const Oid column_types[] = {INT8OID, JSONBOID};
	KgColumns updates;
	Datum values[3] = {CStringGetTextDatum(catalog->tenant),
					   kg_int64_array(sources->nodes, sources->n)};
	MemoryContext context = CurrentMemoryContext;
	SPITupleTable *rows;
	uint64 nrows;

	if (sources->n == 0)
		return;
	kg_spi_run(&read_saved,
			   "SELECT node, type_no::bigint, data FROM @kg_entity "
			   "WHERE tenant = $1 AND node = ANY($2) FOR NO KEY UPDATE",
			   2,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_SELECT);
	MemoryContextSwitchTo(context);
	rows = SPI_tuptable;
	nrows = SPI_processed;
	kg_columns_init(&updates, context, 2, column_types);
	for (uint64 i = 0; i < nrows; i++)
	{
		bool isnull;
		int64 node = DatumGetInt64(
			SPI_getbinval(rows->vals[i], rows->tupdesc, 1, &isnull));
		const KgType *type = kg_catalog_type_no(
			catalog,
			DatumGetInt64(
				SPI_getbinval(rows->vals[i], rows->tupdesc, 2, &isnull)));
		Jsonb *data = DatumGetJsonbP(
			SPI_getbinval(rows->vals[i], rows->tupdesc, 3, &isnull));
		KgExtract extract;

		if (type == NULL)
			continue;
		memset(&extract, 0, sizeof(extract));
		kg_extract_references(type, data, &extract);
		for (int j = 0; j < extract.nreferences; j++)
		{
			const KgField *field = extract.references[j].field;
			Target target = {extract.references[j].value, 0};
			Removal removal = {field, target.value};

			if (field->on_delete != KG_ON_DELETE_SET_NULL)
				continue;
			lookup(catalog, field, &target, 1);
			MemoryContextSwitchTo(context);
			if (target.node == 0)
				data = without(data, &removal);
		}
		kg_columns_add_row(&updates);
		kg_columns_int64(&updates, 0, node);
		kg_columns_datum(&updates, 1, JsonbPGetDatum(data));
	}
	if (updates.nrows > 0)
	{
		kg_columns_arrays(&updates, &values[1]);
		kg_spi_run(&write_saved,
				   "UPDATE @kg_entity e SET data = u.data "
				   "FROM unnest($2, $3) u(node, data) "
				   "WHERE e.tenant = $1 AND e.node = u.node",
				   3,
				   write_argtypes,
				   values,
				   NULL,
				   false,
				   SPI_OK_UPDATE);
	}
	SPI_freetuptable(rows);
}

static void
deleted_chunk(const KgCatalog *catalog, const int64 *nodes, int n,
			  KgNodeList *referrers)
{
	KgIncoming *incoming;
	int count = read_incoming(catalog->tenant, nodes, n, &incoming);
	KgNodeList cascade = {CurrentMemoryContext};
	KgNodeList nulls = {CurrentMemoryContext};
	bool explicit = false;

	for (int i = 0; i < count; i++)
	{
		const KgType *type = kg_catalog_type_no(catalog, incoming[i].type_no);
		const KgField *field = NULL;
		KgNodeList *list = referrers;

		if (incoming[i].property == NULL)
		{
			explicit = true;
			continue;
		}
		if (type)
			field = kg_type_field(type, incoming[i].property);
		if (field && field->on_delete == KG_ON_DELETE_CASCADE)
			list = &cascade;
		else if (field && field->on_delete == KG_ON_DELETE_SET_NULL)
			list = &nulls;
		if (list->n == 0 || list->nodes[list->n - 1] != incoming[i].source)
			kg_node_add(list, incoming[i].source);
	}
	if (explicit)
		delete_explicit(catalog->tenant, nodes, n);
	delete_referrers(catalog->tenant, &cascade);
	set_null(catalog, &nulls);
}

void
kg_references_deleted(const KgCatalog *catalog, const KgNodeList *deleted,
					  KgNodeList *referrers)
{
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph on delete", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);

	check_stack_depth();
	for (int i = 0; i < deleted->n; i += KG_REFERENCE_CHUNK)
	{
		CHECK_FOR_INTERRUPTS();
		deleted_chunk(catalog,
					  deleted->nodes + i,
					  Min(KG_REFERENCE_CHUNK, deleted->n - i),
					  referrers);
		MemoryContextSwitchTo(scratch);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
}

int
kg_references_restricting(const KgCatalog *catalog, const KgNodeList *nodes,
						  KgIncoming **result)
{
	KgIncoming *list = NULL;
	int n = 0;

	for (int i = 0; i < nodes->n; i += KG_REFERENCE_CHUNK)
	{
		KgIncoming *incoming;
		int count = read_incoming(catalog->tenant,
								  nodes->nodes + i,
								  Min(KG_REFERENCE_CHUNK, nodes->n - i),
								  &incoming);

		CHECK_FOR_INTERRUPTS();
		if (count == 0)
			continue;
		list = list ? repalloc_huge(list,
									(Size) (n + count) * sizeof(KgIncoming))
					: MemoryContextAllocHuge(CurrentMemoryContext,
											 (Size) count * sizeof(KgIncoming));
		for (int j = 0; j < count; j++)
		{
			const KgType *type = kg_catalog_type_no(catalog,
													incoming[j].type_no);
			const KgField *field = NULL;

			if (incoming[j].property == NULL)
				continue;
			if (type)
				field = kg_type_field(type, incoming[j].property);
			if (field == NULL || field->on_delete == KG_ON_DELETE_RESTRICT)
				list[n++] = incoming[j];
		}
	}
	*result = list;
	return n;
}

void
kg_references_find_referrers(const char *tenant, const KgNodeList *nodes,
							 KgNodeList *referrers)
{
	for (int i = 0; i < nodes->n; i += KG_REFERENCE_CHUNK)
	{
		KgIncoming *incoming;
		int count = read_incoming(tenant,
								  nodes->nodes + i,
								  Min(KG_REFERENCE_CHUNK, nodes->n - i),
								  &incoming);

		for (int j = 0; j < count; j++)
			if (incoming[j].property != NULL)
				kg_node_add(referrers, incoming[j].source);
	}
}

void
kg_references_reread(const KgCatalog *catalog, const KgNodeList *nodes,
					 KgReferenceList *references)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {TEXTOID, INT8ARRAYOID};
	Datum values[2] = {CStringGetTextDatum(catalog->tenant)};
	MemoryContext context = CurrentMemoryContext;

	for (int i = 0; i < nodes->n; i += KG_REFERENCE_CHUNK)
	{
		values[1] = kg_int64_array(nodes->nodes + i,
								   Min(KG_REFERENCE_CHUNK, nodes->n - i));
		kg_spi_run_latest(&saved,
						  "SELECT node, type_no::bigint, data FROM @kg_entity "
						  "WHERE tenant = $1 AND node = ANY($2) FOR SHARE",
						  2,
						  argtypes,
						  values,
						  NULL,
						  SPI_OK_SELECT);
		MemoryContextSwitchTo(context);
		for (uint64 row = 0; row < SPI_processed; row++)
		{
			bool isnull;
			const KgType *type = kg_catalog_type_no(catalog,
													kg_spi_int64(row, 2));
			Jsonb *data = DatumGetJsonbP(kg_spi_value(row, 3, &isnull));
			KgExtract extract;

			if (type == NULL)
				continue;
			memset(&extract, 0, sizeof(extract));
			kg_extract_references(type, data, &extract);
			for (int j = 0; j < extract.nreferences; j++)
				kg_reference_add(references,
								 kg_spi_int64(row, 1),
								 extract.references[j].field,
								 extract.references[j].value);
		}
		SPI_freetuptable(SPI_tuptable);
	}
}

void
kg_references_pending(const char *tenant, const KgReferenceList *missing,
					  const KgNodeList *referrers)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {TEXTOID, INT8ARRAYOID, INT8ARRAYOID};
	KgNodeList sources = {CurrentMemoryContext};
	Datum values[3];

	if (missing->n == 0 && referrers->n == 0)
		return;
	for (int i = 0; i < missing->n; i++)
		if (sources.n == 0 ||
			sources.nodes[sources.n - 1] != missing->items[i].source)
			kg_node_add(&sources, missing->items[i].source);
	values[0] = CStringGetTextDatum(tenant);
	values[1] = kg_int64_array(sources.nodes, sources.n);
	values[2] = kg_int64_array(referrers->nodes, referrers->n);
	kg_spi_run(&saved,
			   "INSERT INTO @kg_pending_reference(tenant, id, nodes, deleted) "
			   "VALUES ($1, nextval('@kg_node_seq'), $2, $3)",
			   3,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_INSERT);
}
