/*
 * counted.c
 *	  Keeping the counts of x-derived properties with x-index.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/spi.h"
#include "catalog/counted.h"
#include "catalog/key.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "port.h"
#include "store/counted.h"
#include "store/packing.h"
#include "store/seen.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Nodes a statement. */
#define KG_COUNT_BATCH 10000
/* Changes that are gathered before they are written. */
#define KG_COUNT_CHANGES 2000000

/* A row of kg_index_key that is a count. */
typedef struct Count
{
	int64 node;
	int32 field_no;
	int32 type_no;
	char *entity_id;
	bytea *key;
} Count;

typedef struct CountList
{
	Count *counts; /* by node and field */
	int n;
	int capacity;
} CountList;

/* What a relation's edges add to the counts of one of their ends. */
typedef struct Change
{
	int64 node;
	int32 relation_no;
	bool outgoing; /* at their source */
	int32 by;
} Change;

struct KgCountChanges
{
	const char *tenant;
	const KgCatalog *catalog;
	MemoryContext context;
	Change *changes;
	int n;
	int capacity;
	/* of the edge before */
	int32 relation_no;
	bool at_target;
	bool at_source;
	bool symmetric;
};

static const KgField *
counted_field(const KgType *type, int32 field_no)
{
	for (int i = 0; type != NULL && i < type->nfields; i++)
		if (type->fields[i].counted && type->fields[i].field_no == field_no)
			return &type->fields[i];
	return NULL;
}

/* ---- rows ---- */

static Count *
add_count(CountList *list)
{
	if (list->n == list->capacity)
	{
		list->capacity = Max(64, list->capacity * 2);
		list->counts = list->counts == NULL
						   ? palloc(list->capacity * sizeof(Count))
						   : repalloc_huge(list->counts,
										   list->capacity * sizeof(Count));
	}
	return &list->counts[list->n++];
}

static int
compare_counts(const void *pa, const void *pb)
{
	const Count *a = pa;
	const Count *b = pb;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->field_no < b->field_no ? -1 : a->field_no > b->field_no;
}

/* The rows (node, field_no, type_no, entity_id, key) of the statement that ran. */
static void
take_counts(CountList *list)
{
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Count *count = add_count(list);
		bool isnull;

		count->node = kg_spi_int64(i, 1);
		count->field_no = DatumGetInt32(kg_spi_value(i, 2, &isnull));
		count->type_no = DatumGetInt32(kg_spi_value(i, 3, &isnull));
		count->entity_id = kg_spi_cstring(i, 4);
		count->key = DatumGetByteaPCopy(kg_spi_value(i, 5, &isnull));
	}
	SPI_freetuptable(SPI_tuptable);
}

#define KG_COUNTS_OF                                            \
	"SELECT node, field_no, type_no, entity_id, key "           \
	"FROM @kg_index_key WHERE tenant = $1 AND node = ANY ($2) " \
	"AND " KG_COUNTED_ROWS

/* As they are once nobody else changes them; in one order, so that two wait. */
static void
lock_counts(const char *tenant, KgArg nodes, CountList *list)
{
	static KgSaved saved = KG_SAVED_BATCH;

	kg_spi_exec_latest(&saved,
					   KG_COUNTS_OF " ORDER BY node, field_no FOR UPDATE",
					   kg_arg_text(tenant),
					   nodes);
	take_counts(list);
}

/* The same of some fields: fields has numbers of type and field, as field_of(). */
static void
lock_counts_of(const char *tenant, KgArg nodes, KgArg fields, CountList *list)
{
	static KgSaved saved = KG_SAVED_BATCH;

	kg_spi_exec_latest(&saved,
					   KG_COUNTS_OF " AND type_no::bigint * 65536 + field_no "
									"= ANY ($3) "
									"ORDER BY node, field_no FOR UPDATE",
					   kg_arg_text(tenant),
					   nodes,
					   fields);
	take_counts(list);
}

static int64
field_of(int32 type_no, int32 field_no)
{
	return (int64) type_no * 65536 + field_no;
}

static void
init_rows(KgColumns *rows)
{
	static const Oid types[] = {INT8OID, INT4OID, INT4OID, TEXTOID, BYTEAOID};

	kg_columns_init(rows, CurrentMemoryContext, lengthof(types), types);
}

static void
add_row(KgColumns *rows, const Count *count)
{
	kg_columns_add_row(rows);
	kg_columns_int64(rows, 0, count->node);
	kg_columns_int32(rows, 1, count->field_no);
	kg_columns_int32(rows, 2, count->type_no);
	kg_columns_text(rows, 3, count->entity_id);
	kg_columns_datum(rows, 4, PointerGetDatum(count->key));
}

static void
run_rows(KgSaved *saved, const char *sql, const char *tenant,
		 const KgColumns *rows)
{
	KgArg args[6] = {kg_arg_text(tenant)};

	if (rows->nrows == 0)
		return;
	kg_columns_args(rows, &args[1]);
	kg_spi_exec_latest_args(saved, sql, lengthof(args), args);
}

#define KG_GIVEN_ROWS             \
	"unnest($2, $3, $4, $5, $6) " \
	"AS u(node, field_no, type_no, entity_id, key)"
#define KG_OF_GIVEN                            \
	"WHERE k.tenant = $1 AND k.node = u.node " \
	"AND k.field_no = u.field_no AND k." KG_COUNTED_ROWS

/* Rows that are locked; 40001 where a snapshot that is kept shows others. */
static void
update_counts(const char *tenant, const KgColumns *rows)
{
	static KgSaved saved = KG_SAVED_BATCH;

	run_rows(&saved,
			 "UPDATE @kg_index_key k SET key = u.key, "
			 "entity_id = u.entity_id, type_no = u.type_no "
			 "FROM " KG_GIVEN_ROWS " " KG_OF_GIVEN,
			 tenant,
			 rows);
}

static void
delete_counts(const char *tenant, const KgColumns *rows)
{
	static KgSaved saved = KG_SAVED_BATCH;

	run_rows(&saved,
			 "DELETE FROM @kg_index_key k USING " KG_GIVEN_ROWS " " KG_OF_GIVEN,
			 tenant,
			 rows);
}

static void
insert_counts(const char *tenant, const KgColumns *rows)
{
	static KgSaved saved = KG_SAVED_BATCH;

	run_rows(&saved,
			 "INSERT INTO @kg_index_key(tenant, node, field_no, type_no, "
			 "entity_id, key) SELECT $1, u.* FROM " KG_GIVEN_ROWS,
			 tenant,
			 rows);
}

void
kg_counted_forget(const char *tenant, const KgNodeList *nodes)
{
	static KgSaved saved = KG_SAVED_BATCH;

	if (nodes->n == 0)
		return;
	kg_spi_exec_latest(&saved,
					   "DELETE FROM @kg_index_key WHERE tenant = $1 "
					   "AND node = ANY ($2) AND " KG_COUNTED_ROWS,
					   kg_arg_text(tenant),
					   kg_arg_int8s(nodes->nodes, nodes->n));
}

/* ---- counting ---- */

/* Which edges there are: committed by now, or as one of two snapshots has them. */
typedef enum Look
{
	LOOK_LATEST,
	LOOK_TRANSACTION,
	LOOK_STATEMENT
} Look;

static KgArg
arg_relations(Datum *relations, int n)
{
	return kg_arg(
		INT4ARRAYOID,
		PointerGetDatum(construct_array(
			relations, n, INT4OID, sizeof(int32), true, TYPALIGN_INT)));
}

#define KG_COUNT_EDGES(end, relations)                                \
	"(SELECT count(*) FROM @kg_edge d WHERE d.tenant = $1 AND d." end \
	" = e.node AND d.relation_no = ANY (" relations ")"

/* What a field should be, of those of the nodes that are of the type. */
static void
count_field(const KgCatalog *catalog, const KgType *type, const KgField *field,
			KgArg nodes, Look look, CountList *list)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const char
		sql[] = "SELECT e.node, e.entity_id, " KG_COUNT_EDGES("target", "$4") ") + " KG_COUNT_EDGES(
			"source",
			"$5") ") + " KG_COUNT_EDGES("target",
										"$6") ") + " KG_COUNT_EDGES("source",
																	"$6") " AND"
																		  " d."
																		  "targ"
																		  "et "
																		  "<> "
																		  "d."
																		  "sour"
																		  "ce) "
																		  "FROM"
																		  " @"
																		  "kg_"
																		  "enti"
																		  "ty "
																		  "e "
																		  "WHER"
																		  "E "
																		  "e."
																		  "tena"
																		  "nt "
																		  "= "
																		  "$1 "
																		  "AND "
																		  "e."
																		  "node"
																		  " = "
																		  "ANY "
																		  "($2)"
																		  " "
																		  "AND "
																		  "e."
																		  "type"
																		  "_no "
																		  "= "
																		  "$3";
	KgCountedRelations counted = kg_counted_relations(catalog, type, field);
	KgArg args[] = {kg_arg_text(catalog->tenant),
					nodes,
					kg_arg_int4(type->type_no),
					arg_relations(counted.incoming, counted.nincoming),
					arg_relations(counted.outgoing, counted.noutgoing),
					arg_relations(counted.both, counted.nboth)};

	switch (look)
	{
		case LOOK_LATEST:
			kg_spi_exec_latest_args(&saved, sql, lengthof(args), args);
			break;
		case LOOK_TRANSACTION:
			kg_spi_exec_args(&saved, sql, lengthof(args), args);
			break;
		case LOOK_STATEMENT:
			kg_spi_read_args(&saved, sql, lengthof(args), args);
			break;
	}
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Count *count = add_count(list);

		count->node = kg_spi_int64(i, 1);
		count->field_no = field->field_no;
		count->type_no = type->type_no;
		count->entity_id = kg_spi_cstring(i, 2);
		count->key = kg_counted_key(field, kg_spi_int64(i, 3));
	}
	SPI_freetuptable(SPI_tuptable);
}

static CountList
count_nodes(const KgCatalog *catalog, KgArg nodes, Look look)
{
	CountList list = {NULL};

	for (int i = 0; i < catalog->ntypes; i++)
	{
		const KgType *type = catalog->types[i];

		for (int f = 0; type->ncounted > 0 && f < type->nfields; f++)
			if (type->fields[f].counted)
				count_field(
					catalog, type, &type->fields[f], nodes, look, &list);
	}
	if (list.n > 1)
		qsort(list.counts, list.n, sizeof(Count), compare_counts);
	return list;
}

static bool
same_count(const Count *a, const Count *b)
{
	return a->type_no == b->type_no &&
		   strcmp(a->entity_id, b->entity_id) == 0 &&
		   kg_key_compare(a->key, b->key) == 0;
}

/* Two lists side by side: NULL where the other has a count alone. */
typedef void (*Pair)(const Count *should, const Count *is, void *arg);

static void
each_pair(const CountList *should, const CountList *is, Pair pair, void *arg)
{
	int s = 0;
	int i = 0;

	while (s < should->n || i < is->n)
	{
		int order = s == should->n ? 1
					: i == is->n
						? -1
						: compare_counts(&should->counts[s], &is->counts[i]);

		CHECK_FOR_INTERRUPTS();
		pair(order <= 0 ? &should->counts[s] : NULL,
			 order >= 0 ? &is->counts[i] : NULL,
			 arg);
		s += order <= 0;
		i += order >= 0;
	}
}

typedef struct Mending
{
	KgColumns changed;
	KgColumns gone;
	KgColumns missing;
} Mending;

static void
mend_pair(const Count *should, const Count *is, void *arg)
{
	Mending *mending = arg;

	if (should == NULL)
		add_row(&mending->gone, is);
	else if (is == NULL)
		add_row(&mending->missing, should);
	else if (!same_count(should, is))
		add_row(&mending->changed, should);
}

static void
refuse_difference(const Count *should, const Count *is, void *arg)
{
	if (should == NULL || is == NULL || !same_count(should, is))
		kg_refuse_newer();
}

/*
 * What is committed by now is counted; a transaction that keeps its snapshot
 * must see the same edges, or what it sorts by would not be what it shows.
 */
static void
count_batch_anew(const KgCatalog *catalog, KgArg nodes)
{
	CountList is = {NULL};
	CountList should;
	Mending mending;

	lock_counts(catalog->tenant, nodes, &is);
	should = count_nodes(catalog, nodes, LOOK_LATEST);
	if (should.n == 0 && is.n == 0)
		return;
	if (IsolationUsesXactSnapshot())
	{
		CountList shown = count_nodes(catalog, nodes, LOOK_TRANSACTION);

		each_pair(&should, &shown, refuse_difference, NULL);
	}
	init_rows(&mending.changed);
	init_rows(&mending.gone);
	init_rows(&mending.missing);
	each_pair(&should, &is, mend_pair, &mending);
	delete_counts(catalog->tenant, &mending.gone);
	update_counts(catalog->tenant, &mending.changed);
	insert_counts(catalog->tenant, &mending.missing);
}

typedef void (*NodeBatch)(const KgCatalog *catalog, KgArg nodes, void *arg);

/* Batches of the nodes, each once, in order. */
static void
each_batch(const KgCatalog *catalog, const KgNodeList *nodes, NodeBatch run,
		   void *arg)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph counts", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	MemoryContext batch = AllocSetContextCreate(
		context, "kg_graph counts batch", ALLOCSET_DEFAULT_SIZES);
	KgNodeList sorted = {context};

	for (int i = 0; i < nodes->n; i++)
		kg_node_add(&sorted, nodes->nodes[i]);
	kg_nodes_sort(&sorted);
	MemoryContextSwitchTo(batch);
	for (int i = 0; i < sorted.n; i += KG_COUNT_BATCH)
	{
		CHECK_FOR_INTERRUPTS();
		run(catalog,
			kg_arg_int8s(sorted.nodes + i, Min(sorted.n - i, KG_COUNT_BATCH)),
			arg);
		MemoryContextReset(batch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

static void
anew(const KgCatalog *catalog, KgArg nodes, void *arg)
{
	count_batch_anew(catalog, nodes);
}

void
kg_counted_anew(const KgCatalog *catalog, const KgNodeList *nodes)
{
	if (nodes->n > 0)
		each_batch(catalog, nodes, anew, NULL);
}

void
kg_counted_exclude(const KgCatalog *catalog)
{
	if (catalog->counts)
		(void) kg_adjacency_lock(catalog->tenant, ExclusiveLock, true);
}

/* ---- comparing ---- */

typedef struct Comparison
{
	const KgCatalog *catalog;
	KgWrongCount wrong;
	void *arg;
} Comparison;

static char *
count_text(const Comparison *c, const Count *count)
{
	const KgType *type;
	const KgField *field;
	int64 n;

	if (count == NULL)
		return NULL;
	type = kg_catalog_type_no(c->catalog, count->type_no);
	field = counted_field(type, count->field_no);
	return psprintf("%s %s %s",
					field ? field->name : psprintf("%d", count->field_no),
					kg_key_integer(count->key, &n) ? psprintf(INT64_FORMAT, n)
												   : "no number",
					count->entity_id);
}

static void
compare_pair(const Count *should, const Count *is, void *arg)
{
	const Comparison *c = arg;

	if (should != NULL && is != NULL && same_count(should, is))
		return;
	c->wrong(should ? should->node : is->node,
			 count_text(c, should),
			 count_text(c, is),
			 c->arg);
}

static void
compare_batch(const KgCatalog *catalog, KgArg nodes, void *arg)
{
	static KgSaved saved = KG_SAVED_BATCH;
	CountList should = count_nodes(catalog, nodes, LOOK_STATEMENT);
	CountList is = {NULL};

	kg_spi_read(&saved,
				KG_COUNTS_OF " ORDER BY node, field_no",
				kg_arg_text(catalog->tenant),
				nodes);
	take_counts(&is);
	each_pair(&should, &is, compare_pair, arg);
}

void
kg_counted_compare(const KgCatalog *catalog, const KgNodeList *nodes,
				   KgWrongCount wrong, void *arg)
{
	Comparison c = {catalog, wrong, arg};

	if (nodes->n > 0)
		each_batch(catalog, nodes, compare_batch, &c);
}

/* ---- changes ---- */

KgCountChanges *
kg_counted_begin(const char *tenant)
{
	KgCountChanges *changes;
	const KgCatalog *catalog;

	/* Whoever makes a count excludes us, and then the catalog says so. */
	(void) kg_adjacency_lock(tenant, RowShareLock, true);
	catalog = kg_catalog_newest(tenant);
	if (!catalog->counts)
		return NULL;
	changes = palloc0(sizeof(KgCountChanges));
	changes->tenant = catalog->tenant;
	changes->catalog = catalog;
	changes->context = CurrentMemoryContext;
	return changes;
}

static int
compare_changes(const void *pa, const void *pb, void *arg)
{
	const Change *a = pa;
	const Change *b = pb;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->relation_no != b->relation_no)
		return a->relation_no < b->relation_no ? -1 : 1;
	return (int) a->outgoing - (int) b->outgoing;
}

/* One for each end of a relation at a node; those that come to nothing go. */
static void
sum_up(KgCountChanges *changes)
{
	int n = 0;

	qsort_interruptible(
		changes->changes, changes->n, sizeof(Change), compare_changes, NULL);
	for (int i = 0; i < changes->n;)
	{
		Change sum = changes->changes[i++];

		while (i < changes->n &&
			   compare_changes(&sum, &changes->changes[i], NULL) == 0)
			sum.by += changes->changes[i++].by;
		if (sum.by != 0)
			changes->changes[n++] = sum;
	}
	changes->n = n;
}

/* Is the change one of what the field counts? */
static bool
is_counted(const KgCountChanges *changes, const Change *change,
		   const KgType *type, const KgField *field)
{
	const KgRelation *relation = kg_catalog_relation_no(changes->catalog,
														change->relation_no);

	return relation != NULL && kg_counts_relation(type, field, relation) &&
		   (relation->symmetric ||
			change->outgoing == !field->derived_incoming);
}

/* Numbers of the types and fields that some of the relations are counted by. */
static KgArg
counting_fields(const KgCatalog *catalog, const KgNodeList *relations)
{
	KgNodeList fields = {CurrentMemoryContext};

	for (int r = 0; r < relations->n; r++)
	{
		const KgRelation *relation = kg_catalog_relation_no(
			catalog, (int32) relations->nodes[r]);

		for (int t = 0; relation != NULL && t < catalog->ntypes; t++)
		{
			const KgType *type = catalog->types[t];

			for (int f = 0; type->ncounted > 0 && f < type->nfields; f++)
				if (type->fields[f].counted &&
					kg_counts_relation(type, &type->fields[f], relation))
					kg_node_add(
						&fields,
						field_of(type->type_no, type->fields[f].field_no));
		}
	}
	return kg_arg_int8s(fields.nodes, fields.n);
}

/*
 * Add to a count what the changes of its node, which follow one another, come
 * to.  False where it cannot be so: it is counted anew.
 */
static bool
change_count(const KgCountChanges *changes, const Change *change, int n,
			 Count *count)
{
	const KgType *type = kg_catalog_type_no(changes->catalog, count->type_no);
	const KgField *field = counted_field(type, count->field_no);
	int64 value;

	if (field == NULL || !kg_key_integer(count->key, &value))
		return false;
	for (int i = 0; i < n && change[i].node == count->node; i++)
		if (is_counted(changes, &change[i], type, field))
			value += change[i].by;
	if (value < 0)
		return false;
	count->key = kg_counted_key(field, value);
	return true;
}

/*
 * The changes of a batch of nodes.  A node without a count is one of whose
 * entity nothing is derived yet, or nothing any more.
 */
static void
write_batch(const KgCountChanges *changes, const Change *change, int n)
{
	KgNodeList nodes = {CurrentMemoryContext};
	KgNodeList unsure = {CurrentMemoryContext};
	KgNodeList relations = {CurrentMemoryContext}; /* numbers, too */
	CountList counts = {NULL};
	KgColumns rows;
	int at = 0;

	for (int i = 0; i < n; i++)
	{
		if (i == 0 || change[i].node != change[i - 1].node)
			kg_node_add(&nodes, change[i].node);
		if (relations.n == 0 ||
			relations.nodes[relations.n - 1] != change[i].relation_no)
			kg_node_add(&relations, change[i].relation_no);
		/* Its edges go with it, and what it was called is not known. */
		if (kg_catalog_relation_no(changes->catalog, change[i].relation_no) ==
			NULL)
			kg_node_add(&unsure, change[i].node);
	}
	kg_nodes_sort(&relations);
	lock_counts_of(changes->tenant,
				   kg_arg_int8s(nodes.nodes, nodes.n),
				   counting_fields(changes->catalog, &relations),
				   &counts);
	init_rows(&rows);
	for (int i = 0; i < counts.n; i++)
	{
		while (change[at].node < counts.counts[i].node)
			at++;
		if (change_count(changes, &change[at], n - at, &counts.counts[i]))
			add_row(&rows, &counts.counts[i]);
		else
			kg_node_add(&unsure, counts.counts[i].node);
	}
	update_counts(changes->tenant, &rows);
	kg_counted_anew(changes->catalog, &unsure);
}

static void
write_changes(KgCountChanges *changes)
{
	MemoryContext batch = AllocSetContextCreate(
		changes->context, "kg_graph count changes", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(batch);
	int end;

	for (int start = 0; start < changes->n; start = end)
	{
		int nodes = 0;

		CHECK_FOR_INTERRUPTS();
		for (end = start; end < changes->n; end++)
			if ((end == start || changes->changes[end].node !=
									 changes->changes[end - 1].node) &&
				++nodes > KG_COUNT_BATCH)
				break;
		write_batch(changes, changes->changes + start, end - start);
		MemoryContextReset(batch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(batch);
	changes->n = 0;
}

static void
add_change(KgCountChanges *changes, int64 node, bool outgoing, int by)
{
	if (changes->n == changes->capacity)
	{
		sum_up(changes);
		if (changes->n >= KG_COUNT_CHANGES)
			write_changes(changes);
		if (changes->n > changes->capacity / 2 || changes->capacity == 0)
		{
			Size size;

			changes->capacity = Max(256, changes->capacity * 2);
			size = changes->capacity * sizeof(Change);
			changes->changes = changes->changes == NULL
								   ? MemoryContextAlloc(changes->context, size)
								   : repalloc_huge(changes->changes, size);
		}
	}
	changes->changes[changes->n++] = (Change){
		node, changes->relation_no, outgoing, by};
}

/* Which of a relation's ends are counted somewhere? */
static void
look_up_relation(KgCountChanges *changes, int32 relation_no)
{
	const KgCatalog *catalog = changes->catalog;
	const KgRelation *relation = kg_catalog_relation_no(catalog, relation_no);

	changes->relation_no = relation_no;
	changes->symmetric = relation == NULL || relation->symmetric;
	changes->at_target = changes->at_source = relation == NULL;
	for (int t = 0; relation != NULL && t < catalog->ntypes; t++)
	{
		const KgType *type = catalog->types[t];

		for (int f = 0; type->ncounted > 0 && f < type->nfields; f++)
		{
			const KgField *field = &type->fields[f];

			if (!field->counted || !kg_counts_relation(type, field, relation))
				continue;
			changes->at_target |= field->derived_incoming ||
								  relation->symmetric;
			changes->at_source |= !field->derived_incoming ||
								  relation->symmetric;
		}
	}
}

void
kg_counted_edge(KgCountChanges *changes, int64 source, int32 relation_no,
				int64 target, bool made)
{
	int by = made ? 1 : -1;

	if (changes->relation_no != relation_no)
		look_up_relation(changes, relation_no);
	if (changes->at_target)
		add_change(changes, target, false, by);
	/* A loop is one edge. */
	if (changes->at_source && !(changes->symmetric && source == target))
		add_change(changes, source, true, by);
}

void
kg_counted_end(KgCountChanges *changes)
{
	if (changes->n > 0)
		sum_up(changes);
	if (changes->n > 0)
		write_changes(changes);
	if (changes->changes != NULL)
		pfree(changes->changes);
	pfree(changes);
}
