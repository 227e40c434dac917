/*
 * counted.c
 *	  Recounts edges, and compares the result with the stored counts.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/spi.h"
#include "model/counted.h"
#include "model/key.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "store/derived/counted.h"
#include "store/derived/counted_rows.h"
#include "store/derived/packing.h"
#include "store/reference/seen.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

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

static KgArg
arg_relations(Datum *relations, int n)
{
	return kg_arg(
		INT4ARRAYOID,
		PointerGetDatum(construct_array(
			relations, n, INT4OID, sizeof(int32), true, TYPALIGN_INT)));
}

#define KG_EDGES "(SELECT count(*) FROM @kg_edge d WHERE d.tenant = $1 AND "
#define KG_TO_NODE KG_EDGES "d.target = e.node AND d.relation_no = ANY "
#define KG_FROM_NODE KG_EDGES "d.source = e.node AND d.relation_no = ANY "

#define KG_COUNT_EDGES                                                \
	"SELECT e.node, e.entity_id, " KG_TO_NODE "($4)) + " KG_FROM_NODE \
	"($5)) + " KG_TO_NODE "($6)) + " KG_FROM_NODE                     \
	"($6) AND d.target <> d.source) FROM @kg_entity e "               \
	"WHERE e.tenant = $1 AND e.type_no = $3 AND "

/*
 * Adds to "list" the counts of a field, for the nodes that have the given type.
 * The function "look" runs the statement that finds the edges.
 */
static void
count_field(const KgCatalog *catalog, const KgType *type, const KgField *field,
			KgArg nodes, KgSpiExec look, KgCountList *list)
{
	static KgForms forms = KG_FORMS(KG_COUNT_EDGES "e.node = ANY ($2)",
									KG_COUNT_EDGES "e.node = $2");
	KgCountedRelations counted = kg_counted_relations(catalog, type, field);
	KgArg args[] = {kg_arg_text(catalog->tenant),
					nodes,
					kg_arg_int4(type->type_no),
					arg_relations(counted.incoming, counted.nincoming),
					arg_relations(counted.outgoing, counted.noutgoing),
					arg_relations(counted.both, counted.nboth)};

	kg_count_exec(&forms, look, lengthof(args), args);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgCount *count = kg_count_list_add(list);

		count->node = kg_spi_int64(i, 1);
		count->field_no = field->field_no;
		count->type_no = type->type_no;
		count->entity_id = kg_spi_cstring(i, 2);
		count->key = kg_counted_key(field, kg_spi_int64(i, 3));
	}
	SPI_freetuptable(SPI_tuptable);
}

static KgCountList
count_nodes(const KgCatalog *catalog, KgArg nodes, KgSpiExec look)
{
	KgCountList list = {NULL};

	for (int i = 0; i < catalog->ntypes; i++)
	{
		const KgType *type = kg_type_with(&catalog->types[i], KG_TRAIT_COUNTS);

		for (int f = 0; type != NULL && f < type->nfields; f++)
			if (type->fields[f].counted)
				count_field(
					catalog, type, &type->fields[f], nodes, look, &list);
	}
	if (list.n > 1)
		qsort(list.counts, list.n, sizeof(KgCount), kg_count_list_compare);
	return list;
}

static bool
same_count(const KgCount *a, const KgCount *b)
{
	return a->type_no == b->type_no &&
		   strcmp(a->entity_id, b->entity_id) == 0 &&
		   kg_key_compare(a->key, b->key) == 0;
}

/*
 * A function that is called for each count in two lists. If a count is missing
 * in one list, the argument for this list is NULL.
 */
typedef void (*Pair)(const KgCount *should, const KgCount *is, void *arg);

static void
each_pair(const KgCountList *should, const KgCountList *is, Pair pair,
		  void *arg)
{
	int s = 0;
	int i = 0;

	while (s < should->n || i < is->n)
	{
		int order = s == should->n ? 1
					: i == is->n   ? -1
								   : kg_count_list_compare(&should->counts[s],
														   &is->counts[i]);

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
mend_pair(const KgCount *should, const KgCount *is, void *arg)
{
	Mending *mending = arg;

	if (should == NULL)
		kg_count_rows_add(&mending->gone, is);
	else if (is == NULL)
		kg_count_rows_add(&mending->missing, should);
	else if (!same_count(should, is))
		kg_count_rows_add(&mending->changed, should);
}

static void
refuse_difference(const KgCount *should, const KgCount *is, void *arg)
{
	if (should == NULL || is == NULL || !same_count(should, is))
		kg_refuse_newer();
}

/*
 * Counts edges with the newest snapshot, and corrects the stored counts of the
 * nodes. If the transaction has a fixed snapshot, that snapshot must show the
 * same edges. Otherwise a query would sort by counts that differ from the edges
 * that it shows.
 */
static void
count_batch_anew(const KgCatalog *catalog, KgArg nodes)
{
	KgCountList is = {NULL};
	KgCountList should;
	Mending mending;

	kg_count_list_lock(catalog->tenant, nodes, &is);
	should = count_nodes(catalog, nodes, kg_spi_exec_latest_args);
	if (should.n == 0 && is.n == 0)
		return;
	if (IsolationUsesXactSnapshot())
	{
		KgCountList shown = count_nodes(catalog, nodes, kg_spi_exec_args);

		each_pair(&should, &shown, refuse_difference, NULL);
	}
	kg_count_rows_init(&mending.changed);
	kg_count_rows_init(&mending.gone);
	kg_count_rows_init(&mending.missing);
	each_pair(&should, &is, mend_pair, &mending);
	kg_count_rows_delete(catalog->tenant, &mending.gone);
	kg_count_rows_update(catalog->tenant, &mending.changed);
	kg_count_rows_insert(catalog->tenant, &mending.missing);
}

typedef void (*NodeBatch)(const KgCatalog *catalog, KgArg nodes, void *arg);

/* Sorts the nodes, removes duplicates, and calls run for batches of them. */
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
			kg_count_nodes(sorted.nodes + i, Min(sorted.n - i, KG_COUNT_BATCH)),
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
	if (kg_catalog_has(catalog, KG_TRAIT_COUNTS))
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
count_text(const Comparison *c, const KgCount *count)
{
	const KgType *type;
	const KgField *field;
	int64 n;

	if (count == NULL)
		return NULL;
	type = kg_catalog_type_no(c->catalog, count->type_no);
	field = kg_count_field(type, count->field_no);
	return psprintf("%s %s %s",
					field ? field->name : psprintf("%d", count->field_no),
					kg_key_integer(count->key, &n) ? psprintf(INT64_FORMAT, n)
												   : "no number",
					count->entity_id);
}

static void
compare_pair(const KgCount *should, const KgCount *is, void *arg)
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
	KgCountList should = count_nodes(catalog, nodes, kg_spi_read_args);
	KgCountList is = {NULL};

	kg_count_list_read(catalog->tenant, nodes, &is);
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
