/*
 * references.c
 *	  Looks up the targets of references, and writes derived edges.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "model/key.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "store/derived/append.h"
#include "store/derived/columns.h"
#include "store/edge/edges.h"
#include "store/entity/documents.h"
#include "store/entity/entity_ids.h"
#include "store/derived/extract.h"
#include "store/reference/references.h"
#include "store/reference/seen.h"
#include "store/reference/stored.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/*
 * Number of values that one statement looks up, or of nodes that it processes.
 */
#define KG_REFERENCE_CHUNK 10000
/*
 * Number of edges that are written at a time. The edges of new entities in a
 * chunk follow all edges of earlier chunks in the primary key, so larger
 * chunks would not improve the order.
 */
#define KG_EDGES_AT_ONCE 200000

void
kg_reference_add(KgReferenceList *list, int64 source, const KgField *field,
				 const char *value)
{
	KgFieldReference *item;

	if (list->n == list->capacity)
	{
		list->capacity = Max(64, list->capacity * 2);
		list->items = list->items ? repalloc_huge(list->items,
												  (Size) list->capacity *
													  sizeof(KgFieldReference))
								  : MemoryContextAllocHuge(
										list->context,
										(Size) list->capacity *
											sizeof(KgFieldReference));
	}
	item = &list->items[list->n++];
	item->source = source;
	item->field = field;
	item->value = MemoryContextStrdup(list->context, value);
}

static int
compare_strings(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

/* Compares by target type and property, then by value. */
static int
compare_target(const KgFieldReference *a, const KgFieldReference *b)
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
	const KgFieldReference *a = *(const KgFieldReference *const *) pa;
	const KgFieldReference *b = *(const KgFieldReference *const *) pb;
	int order = compare_target(a, b);

	return order ? order : strcmp(a->value, b->value);
}

static int
compare_keys(const void *pa, const void *pb)
{
	const KgEdgeKey *a = pa;
	const KgEdgeKey *b = pb;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->relation_no != b->relation_no)
		return a->relation_no < b->relation_no ? -1 : 1;
	return a->target < b->target ? -1 : a->target > b->target;
}

void
kg_sight_init(KgSight *sight, const char *tenant, const KgUserContext *caller)
{
	memset(sight, 0, sizeof(*sight));
	if (!kg_sees_all(tenant, caller))
		sight->caller = caller;
}

void
kg_sight_keep(KgSight *sight, const char *tenant, const KgNodeList *nodes)
{
	if (sight->caller == NULL || nodes->n == 0)
		return;
	KG_BATCH_LATEST("SELECT source, relation_no::bigint, target "
					"FROM @kg_edge WHERE tenant = $1 AND source = ANY($2) "
					"AND property IS NOT NULL",
					kg_arg_text(tenant),
					kg_arg_int8s(nodes->nodes, nodes->n));
	sight->nkept = SPI_processed;
	sight->kept = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(1, SPI_processed) * sizeof(KgEdgeKey));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		sight->kept[i].source = kg_spi_int64(i, 1);
		sight->kept[i].relation_no = kg_spi_int64(i, 2);
		sight->kept[i].target = kg_spi_int64(i, 3);
	}
	SPI_freetuptable(SPI_tuptable);
	qsort(sight->kept, sight->nkept, sizeof(KgEdgeKey), compare_keys);
}

bool
kg_sight_hides(const KgSight *sight, const KgFieldReference *reference,
			   int64 source, int64 target, bool hidden)
{
	KgEdgeKey key = {source, reference->field->relation_no, target};

	return hidden && (sight->nkept == 0 || bsearch(&key,
												   sight->kept,
												   sight->nkept,
												   sizeof(KgEdgeKey),
												   compare_keys) == NULL);
}

/* A distinct value in a group of references, and the node that it names. */
typedef struct Target
{
	const char *value;
	int64 node;	 /* node of the target; 0: not found */
	bool hidden; /* the caller does not see the target */
} Target;

/*
 * A node number for a value that several entities have. This is possible only
 * between two batches of a statement (unique.h). The value is looked up again
 * at the end of the statement.
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
lookup_by_id(const char *tenant, const KgType *type, Target *targets, int n)
{
	static KgForms forms = KG_FORMS_OF_IDS("u.ord, e.node",
										   " @FOR KEY SHARE OF e");
	const char **names = palloc(n * sizeof(char *));

	for (int i = 0; i < n; i++)
		names[i] = targets[i].value;
	kg_select_of_ids(&forms, tenant, type, names, n);
	take_targets(targets);
}

/*
 * Sets the node of each target to the node that the statement finds, or to 0.
 * The statement is one of the two of lookup_by_field().
 */
static void
find_by_field(KgSaved *saved, const char *sql, const KgArg *args,
			  Target *targets, int n)
{
	for (int i = 0; i < n; i++)
		targets[i].node = 0;
	kg_spi_exec_args(saved, sql, 4, args);
	take_targets(targets);
}

/*
 * Looks up and locks targets by a property. While its lock was awaited, an
 * entity may have lost the value. The row of kg_unique_key does not show this.
 * So the values are looked up again until the locked nodes are the nodes that
 * have the values.
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
	int64 *before = palloc(n * sizeof(int64));
	bool same;
	KgArg args[4] = {kg_arg_text(tenant),
					 kg_arg_int4(type->type_no),
					 kg_arg_int4(target_field->field_no)};

	kg_columns_init(&columns, CurrentMemoryContext, 1, bytea_type);
	for (int i = 0; i < n; i++)
	{
		JsonbValue value = kg_json_string_value(targets[i].value);
		bytea *key = kg_key_encode(target_field, &value);

		kg_columns_add_row(&columns);
		/*
		 * A value that is too long for a key belongs to no entity, so it is
		 * not looked up.
		 */
		if (key && kg_key_fits(target_field, &value))
			kg_columns_datum(&columns, 0, PointerGetDatum(key));
	}
	kg_columns_args(&columns, &args[3]);
	/* A number that no node has, so the first result differs from it. */
	memset(before, 0x80, n * sizeof(int64));
	do
	{
		CHECK_FOR_INTERRUPTS();
		find_by_field(
			&lock,
			"SELECT u.ord, e.node FROM unnest($4) WITH ORDINALITY "
			"AS u(key, ord) JOIN @kg_index_key k ON k.tenant = $1 "
			"AND k.type_no = $2 AND k.field_no = $3 AND k.key = u.key "
			"JOIN @kg_entity e ON e.tenant = $1 AND e.node = k.node "
			"ORDER BY e.entity_id @FOR SHARE OF e",
			args,
			targets,
			n);
		for (int i = 0; i < n; i++)
			locked[i] = targets[i].node;
		find_by_field(
			&read,
			"SELECT u.ord, k.node FROM unnest($4) WITH ORDINALITY "
			"AS u(key, ord) JOIN @kg_index_key k ON k.tenant = $1 "
			"AND k.type_no = $2 AND k.field_no = $3 AND k.key = u.key",
			args,
			targets,
			n);
		same = true;
		for (int i = 0; i < n; i++)
			same &= targets[i].node == 0 || targets[i].node == locked[i];
		/*
		 * If the result does not change, a key has no entity. The data are
		 * damaged, and further look-ups do not help.
		 */
		if (!same && memcmp(locked, before, n * sizeof(int64)) == 0)
			break;
		memcpy(before, locked, n * sizeof(int64));
	} while (!same);
	for (int i = 0; i < n; i++)
		if (targets[i].node == SEVERAL ||
			(targets[i].node != 0 && targets[i].node != locked[i]))
			targets[i].node = Max(locked[i], 0);
	pfree(locked);
	pfree(before);
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
		lookup_by_id(catalog->tenant, type, targets, n);
	else
		lookup_by_field(catalog->tenant, type, target_field, targets, n);
}

/*
 * Looks up targets. Sets the member "hidden" of each target that the caller
 * does not see.
 */
static void
lookup_seen(const KgCatalog *catalog, const KgField *field,
			const KgSight *sight, Target *targets, int n)
{
	int64 *seen;

	lookup(catalog, field, targets, n);
	if (sight == NULL || sight->caller == NULL)
		return;
	seen = palloc(n * sizeof(int64));
	for (int i = 0; i < n; i++)
		seen[i] = targets[i].node;
	kg_blank_hidden(catalog->tenant, sight->caller, seen, n);
	for (int i = 0; i < n; i++)
		targets[i].hidden = seen[i] == 0;
	pfree(seen);
}

/*
 * Returns whether two references of one entity may give the same edge. They
 * cannot if the property names ids and no other property has its relation,
 * because each value then has a different target.
 */
static bool
may_repeat(const KgField *field)
{
	const KgType *type = field->type;

	for (int i = 0; i < type->nfields; i++)
		if (&type->fields[i] != field && type->fields[i].ref_type &&
			type->fields[i].relation_no == field->relation_no)
			return true;
	return field->ref_field != NULL;
}

/* Columns of derived edges. */
enum
{
	EDGE_SOURCE,
	EDGE_RELATION,
	EDGE_TARGET,
	EDGE_PROPERTY,
	EDGE_COLUMNS
};

/*
 * The sort key of an edge (one end, relation, the other end), and the index of
 * its row.
 */
typedef struct EdgePlace
{
	KgEdgeKey key;
	int row;
} EdgePlace;

#define ST_SORT sort_places
#define ST_ELEMENT_TYPE EdgePlace
#define ST_COMPARE(a, b) compare_keys(&(a)->key, &(b)->key)
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/*
 * Returns the indexes of edges, sorted by the column "first", then by relation,
 * then by the column "last".
 */
static int *
edge_order(const KgColumns *edges, int first, int last)
{
	EdgePlace *places = palloc(edges->nrows * sizeof(EdgePlace));
	int *order = palloc(edges->nrows * sizeof(int));

	for (int i = 0; i < edges->nrows; i++)
		places[i] = (EdgePlace){{DatumGetInt64(edges->values[first][i]),
								 DatumGetInt32(edges->values[EDGE_RELATION][i]),
								 DatumGetInt64(edges->values[last][i])},
								i};
	sort_places(places, edges->nrows);
	for (int i = 0; i < edges->nrows; i++)
		order[i] = places[i].row;
	pfree(places);
	return order;
}

typedef struct EdgeRows
{
	const char *tenant;
	KgColumns *edges;
	bool repeated;
} EdgeRows;

/* Sets the columns that are empty in derived edges. */
static void
complete_columns(KgColumns *edges)
{
	Datum empty = PointerGetDatum(cstring_to_text(""));
	int n = edges->nrows;

	edges->types[EDGE_COLUMNS] = TEXTOID;
	edges->values[EDGE_COLUMNS] = palloc(n * sizeof(Datum));
	edges->nulls[EDGE_COLUMNS] = palloc0(n * sizeof(bool));
	edges->types[EDGE_COLUMNS + 1] = JSONBOID;
	edges->values[EDGE_COLUMNS + 1] = palloc0(n * sizeof(Datum));
	edges->nulls[EDGE_COLUMNS + 1] = palloc(n * sizeof(bool));
	for (int i = 0; i < n; i++)
	{
		edges->values[EDGE_COLUMNS][i] = empty;
		edges->nulls[EDGE_COLUMNS + 1][i] = true;
	}
	edges->ncolumns = EDGE_COLUMNS + 2;
}

/*
 * Appends edges of new entities. In the primary key they follow all other edges
 * of the tenant, so they go to its last page without a search. In the order for
 * the index by target, edges with the same target are adjacent. Returns false
 * if kg_append() cannot be used.
 */
static bool
append_edges(const EdgeRows *rows)
{
	static const char *const names[] = {
		"source", "relation_no", "target", "property", "key", "properties"};
	int *order = edge_order(rows->edges, EDGE_SOURCE, EDGE_TARGET);
	KgColumns all;

	kg_columns_reorder(rows->edges, order);
	all = *rows->edges;
	order = edge_order(rows->edges, EDGE_TARGET, EDGE_SOURCE);
	complete_columns(&all);
	return kg_append("kg_edge", names, rows->tenant, &all, order);
}

/*
 * Writes edges. ON CONFLICT needs another index search for each edge, so it is
 * used only for edges that may occur twice. If an edge occurs twice, the
 * property that is first by name is stored, in whichever order the edges are
 * written.
 */
static void
write_edges(void *arg)
{
	static KgSaved plain_saved = KG_SAVED_BATCH;
	static KgSaved repeated_saved = KG_SAVED_BATCH;
	EdgeRows *rows = arg;

	if (rows->repeated)
		kg_columns_exec(
			&repeated_saved,
			"INSERT INTO @kg_edge AS e(tenant, source, "
			"relation_no, target, property) "
			"SELECT $1, u.source, u.relation_no, u.target, "
			"min(u.property COLLATE \"C\") "
			"FROM unnest($2, $3, $4, $5) "
			"u(source, relation_no, target, property) "
			"GROUP BY u.source, u.relation_no, u.target "
			"ON CONFLICT (tenant, source, relation_no, key, target) "
			"DO UPDATE SET property = excluded.property "
			"WHERE excluded.property < e.property",
			rows->tenant,
			rows->edges);
	else if (!append_edges(rows))
		kg_columns_exec(&plain_saved,
						"INSERT INTO @kg_edge(tenant, source, relation_no, "
						"target, property) "
						"SELECT $1, unnest($2), unnest($3), unnest($4), "
						"unnest($5)",
						rows->tenant,
						rows->edges);
}

static void
insert_edges(const char *tenant, KgColumns *edges, bool repeated, void *arg)
{
	EdgeRows rows = {tenant, edges, repeated};

	if (edges->nrows == 0)
		return;
	if (!kg_spi_try_insert("kg_edge_pkey", write_edges, &rows))
		kg_edge_throw_lost_race();
	kg_stored_require_edges(tenant, edges);
}

int64 *
kg_references_find(const KgCatalog *catalog, const KgReferenceList *references,
				   const KgSight *sight, bool *hidden)
{
	int64 *nodes = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(1, references->n) * sizeof(int64));
	KgFieldReference **sorted = MemoryContextAllocHuge(
		CurrentMemoryContext,
		(Size) Max(1, references->n) * sizeof(KgFieldReference *));
	Target *targets = palloc(KG_REFERENCE_CHUNK * sizeof(Target));
	int *target_of = palloc(KG_REFERENCE_CHUNK * sizeof(int));
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph references", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);
	int start = 0;

	for (int i = 0; i < references->n; i++)
		sorted[i] = &references->items[i];
	qsort(sorted, references->n, sizeof(KgFieldReference *), compare_reference);
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
				targets[ntargets].hidden = false;
				targets[ntargets++].node = 0;
			}
			target_of[end - start] = ntargets - 1;
		}
		lookup_seen(catalog, sorted[start]->field, sight, targets, ntargets);
		for (int i = start; i < end; i++)
		{
			const Target *target = &targets[target_of[i - start]];
			int at = sorted[i] - references->items;

			nodes[at] = target->node;
			if (hidden)
				hidden[at] = target->hidden;
		}
		MemoryContextSwitchTo(scratch);
		MemoryContextReset(scratch);
		start = end;
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	pfree(sorted);
	pfree(targets);
	pfree(target_of);
	return nodes;
}

/*
 * The collected edges: edges that occur once, and edges that may occur twice.
 */
typedef struct NewEdges
{
	MemoryContext context;
	KgColumns rows[2];
	KgDerivedEdges write;
	void *arg;
} NewEdges;

static void
begin_edges(NewEdges *edges)
{
	static const Oid types[EDGE_COLUMNS] = {INT8OID, INT4OID, INT8OID, TEXTOID};

	for (int i = 0; i < lengthof(edges->rows); i++)
		kg_columns_init(&edges->rows[i], edges->context, EDGE_COLUMNS, types);
}

static void
tell_edges(NewEdges *edges, const char *tenant)
{
	MemoryContext old = MemoryContextSwitchTo(edges->context);

	for (int i = 0; i < lengthof(edges->rows); i++)
		edges->write(tenant, &edges->rows[i], i == 1, edges->arg);
	MemoryContextSwitchTo(old);
	MemoryContextReset(edges->context);
	begin_edges(edges);
}

static void
add_edge(NewEdges *edges, const KgFieldReference *reference, bool repeated,
		 Datum property, int64 target)
{
	KgColumns *rows = &edges->rows[repeated];

	kg_columns_add_row(rows);
	kg_columns_int64(rows, EDGE_SOURCE, reference->source);
	kg_columns_int32(rows, EDGE_RELATION, reference->field->relation_no);
	kg_columns_int64(rows, EDGE_TARGET, target);
	kg_columns_datum(rows, EDGE_PROPERTY, property);
}

static Datum
property_of(const NewEdges *edges, const KgField *field)
{
	MemoryContext old = MemoryContextSwitchTo(edges->context);
	Datum property = CStringGetTextDatum(field->name);

	MemoryContextSwitchTo(old);
	return property;
}

/*
 * Resolves one chunk of sorted references: looks up the distinct values, and
 * adds the derived edges.
 */
static void
resolve_chunk(const KgCatalog *catalog, KgFieldReference **sorted, int n,
			  const KgSight *sight, KgReferenceList *missing, NewEdges *edges)
{
	Target *targets = palloc(n * sizeof(Target));
	int *target_of = palloc(n * sizeof(int));
	const KgField *field = NULL;
	Datum property = (Datum) 0;
	bool repeated = false;
	int start = 0;

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
				targets[ntargets].hidden = false;
				targets[ntargets++].node = 0;
			}
			target_of[end] = ntargets - 1;
		}
		lookup_seen(catalog, sorted[start]->field, sight, targets, ntargets);
		for (int i = start; i < end; i++)
		{
			const KgFieldReference *ref = sorted[i];
			int64 node = targets[target_of[i]].node;
			bool hidden = targets[target_of[i]].hidden;

			if (node == 0 ||
				kg_sight_hides(sight, ref, ref->source, node, hidden))
			{
				kg_reference_add(missing, ref->source, ref->field, ref->value);
				continue;
			}
			if (ref->field != field)
			{
				field = ref->field;
				repeated = may_repeat(field);
				property = property_of(edges, field);
			}
			add_edge(edges, ref, repeated, property, node);
		}
		start = end;
	}
}

void
kg_references_resolve(const KgCatalog *catalog,
					  const KgReferenceList *references, const KgSight *sight,
					  KgReferenceList *missing)
{
	kg_references_edges(
		catalog, references, sight, missing, insert_edges, NULL);
}

void
kg_references_edges(const KgCatalog *catalog, const KgReferenceList *references,
					const KgSight *sight, KgReferenceList *missing,
					KgDerivedEdges write, void *arg)
{
	NewEdges edges = {.write = write, .arg = arg};
	KgFieldReference **sorted;
	MemoryContext scratch;
	MemoryContext old;

	if (references->n == 0)
		return;
	sorted = MemoryContextAllocHuge(CurrentMemoryContext,
									(Size) references->n *
										sizeof(KgFieldReference *));
	for (int i = 0; i < references->n; i++)
		sorted[i] = &references->items[i];
	qsort(sorted, references->n, sizeof(KgFieldReference *), compare_reference);
	scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph references", ALLOCSET_DEFAULT_SIZES);
	edges.context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph edges", ALLOCSET_DEFAULT_SIZES);
	begin_edges(&edges);
	old = MemoryContextSwitchTo(scratch);
	for (int i = 0; i < references->n; i += KG_REFERENCE_CHUNK)
	{
		CHECK_FOR_INTERRUPTS();
		resolve_chunk(catalog,
					  sorted + i,
					  Min(KG_REFERENCE_CHUNK, references->n - i),
					  sight,
					  missing,
					  &edges);
		MemoryContextSwitchTo(scratch);
		MemoryContextReset(scratch);
		if (edges.rows[0].nrows + edges.rows[1].nrows >= KG_EDGES_AT_ONCE)
			tell_edges(&edges, catalog->tenant);
	}
	MemoryContextSwitchTo(old);
	tell_edges(&edges, catalog->tenant);
	MemoryContextDelete(edges.context);
	MemoryContextDelete(scratch);
	pfree(sorted);
}

void
kg_lost_edge_add(KgLostEdges *list, const KgEdgeKey *edge)
{
	if (list->n == list->capacity)
	{
		list->capacity = Max(64, list->capacity * 2);
		list->edges = list->edges
						  ? repalloc_huge(list->edges,
										  (Size) list->capacity *
											  sizeof(KgEdgeKey))
						  : MemoryContextAllocHuge(list->context,
												   (Size) list->capacity *
													   sizeof(KgEdgeKey));
	}
	list->edges[list->n++] = *edge;
}

void
kg_target_name_add(KgTargetNames *list, const KgTargetName *name)
{
	char *data = MemoryContextAllocHuge(list->context, Max(1, name->len));

	if (list->n == list->capacity)
	{
		list->capacity = Max(64, list->capacity * 2);
		list->items = list->items
						  ? repalloc_huge(list->items,
										  (Size) list->capacity *
											  sizeof(KgTargetName))
						  : MemoryContextAllocHuge(list->context,
												   (Size) list->capacity *
													   sizeof(KgTargetName));
	}
	memcpy(data, name->data, name->len);
	list->items[list->n] = *name;
	list->items[list->n++].data = data;
}

static int
compare_names(const void *pa, const void *pb)
{
	const KgTargetName *a = pa;
	const KgTargetName *b = pb;

	if (a->type_no != b->type_no)
		return a->type_no < b->type_no ? -1 : 1;
	if (a->field_no != b->field_no)
		return a->field_no < b->field_no ? -1 : 1;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->data, b->data, a->len);
}

void
kg_target_names_sort(KgTargetNames *list)
{
	if (list->n > 0)
		qsort(list->items, list->n, sizeof(KgTargetName), compare_names);
}

bool
kg_target_names_have(const KgTargetNames *sorted, const KgTargetName *name,
					 const KgNodeList *nodes)
{
	int low = 0;
	int high = sorted->n;

	while (low < high)
	{
		int middle = low + (high - low) / 2;

		if (compare_names(&sorted->items[middle], name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < sorted->n && compare_names(&sorted->items[low], name) == 0;
		 low++)
		if (kg_nodes_have(nodes, sorted->items[low].node))
			return true;
	return false;
}

/* Adds to the list "lost" the edges of the nodes whose targets are deleted. */
static void
keep_lost(const char *tenant, KgArg nodes, KgLostEdges *lost)
{
	KG_BATCH_LATEST("SELECT source, relation_no::bigint, target "
					"FROM @kg_edge d WHERE tenant = $1 AND source = ANY($2) "
					"AND property IS NOT NULL AND NOT EXISTS "
					"(SELECT FROM @kg_entity e WHERE e.tenant = $1 "
					"AND e.node = d.target)",
					kg_arg_text(tenant),
					nodes);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgEdgeKey edge = {
			kg_spi_int64(i, 1), kg_spi_int64(i, 2), kg_spi_int64(i, 3)};

		kg_lost_edge_add(lost, &edge);
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Deletes the derived edges of the nodes. If an edge is newer than the
 * transaction's snapshot, SQLSTATE 40001 is raised.
 */
void
kg_references_forget(const char *tenant, const KgNodeList *nodes,
					 KgSight *sight, KgLostEdges *lost)
{
	static KgSaved left = KG_SAVED_BATCH;

	kg_sight_keep(sight, tenant, nodes);
	for (int i = 0; i < nodes->n; i += KG_REFERENCE_CHUNK)
	{
		KgArg of = kg_arg_int8s(nodes->nodes + i,
								Min(KG_REFERENCE_CHUNK, nodes->n - i));

		if (lost)
			keep_lost(tenant, of, lost);
		KG_BATCH_LATEST("DELETE FROM @kg_edge WHERE tenant = $1 "
						"AND source = ANY($2) AND property IS NOT NULL",
						kg_arg_text(tenant),
						of);
		kg_stored_require_no_edges(&left,
								   "SELECT FROM @kg_edge WHERE tenant = $1 "
								   "AND source = ANY($2) "
								   "AND property IS NOT NULL LIMIT 1",
								   tenant,
								   of);
	}
}

void
kg_references_of(const KgType *type, int64 node, const Jsonb *data,
				 KgReferenceList *references)
{
	KgExtract extract;

	memset(&extract, 0, sizeof(extract));
	kg_extract_references(type, data, &extract);
	for (int i = 0; i < extract.nreferences; i++)
		kg_reference_add(references,
						 node,
						 extract.references[i].field,
						 extract.references[i].value);
}

/* A stored entity whose references are read. */
typedef struct Stored
{
	int64 node;
	Jsonb *data;
} Stored;

static const KgCatalog *
reread_chunk(const char *tenant, const int64 *nodes, int n,
			 KgReferenceList *references)
{
	Stored *stored = palloc(n * sizeof(Stored));
	int32 *type_nos = palloc(n * sizeof(int32));
	MemoryContext context = CurrentMemoryContext;
	const KgCatalog *catalog;
	int found;

	kg_documents_of_nodes(KG_LOCK_SHARED, tenant, nodes, n);
	MemoryContextSwitchTo(context);
	found = SPI_processed;
	for (int i = 0; i < found; i++)
	{
		KgStoredDocument document = kg_document(i);

		stored[i].node = document.node;
		type_nos[i] = document.type_no;
		stored[i].data = DatumGetJsonbPCopy(document.data);
	}
	SPI_freetuptable(SPI_tuptable);
	catalog = kg_catalog_locked(tenant, type_nos, found);
	for (int i = 0; i < found; i++)
	{
		const KgType *type = kg_catalog_type_no(catalog, type_nos[i]);

		if (type)
			kg_references_of(type, stored[i].node, stored[i].data, references);
	}
	return catalog;
}

const KgCatalog *
kg_references_reread(const char *tenant, const KgNodeList *nodes,
					 KgReferenceList *references)
{
	const KgCatalog *catalog = kg_catalog_locked(tenant, NULL, 0);
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph reread", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);

	for (int i = 0; i < nodes->n; i += KG_REFERENCE_CHUNK)
	{
		CHECK_FOR_INTERRUPTS();
		catalog = reread_chunk(tenant,
							   nodes->nodes + i,
							   Min(KG_REFERENCE_CHUNK, nodes->n - i),
							   references);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	return catalog;
}

void
kg_references_pending(const char *tenant, const KgUserContext *caller,
					  const KgReferenceList *missing,
					  const KgNodeList *referrers)
{
	KgNodeList sources = {CurrentMemoryContext};

	if (missing->n == 0 && referrers->n == 0)
		return;
	for (int i = 0; i < missing->n; i++)
		if (sources.n == 0 ||
			sources.nodes[sources.n - 1] != missing->items[i].source)
			kg_node_add(&sources, missing->items[i].source);
	KG_BATCH_EXEC(
		"INSERT INTO @kg_pending_reference(tenant, id, nodes, deleted, "
		"caller) "
		"VALUES ($1, nextval('@kg_node_seq'), $2, $3, $4)",
		kg_arg_text(tenant),
		kg_arg_int8s(sources.nodes, sources.n),
		kg_arg_int8s(referrers->nodes, referrers->n),
		kg_arg(OIDOID, ObjectIdGetDatum(caller->userid)));
}
