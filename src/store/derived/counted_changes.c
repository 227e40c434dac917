/*
 * counted_changes.c
 *	  The changes that a statement on kg_edge makes to stored counts.
 */
#include "postgres.h"

#include "base/spi.h"
#include "model/counted.h"
#include "model/key.h"
#include "miscadmin.h"
#include "port.h"
#include "store/derived/counted.h"
#include "store/derived/counted_rows.h"
#include "store/derived/packing.h"
#include "utils/memutils.h"

/* Number of changes that are collected before they are written. */
#define KG_COUNT_CHANGES 2000000

/* A change of the number of edges of a relation at one end. */
typedef struct Change
{
	int64 node;
	int32 relation_no;
	bool outgoing; /* the node is the source of the edges */
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
	/* The relation of the previous edge, and values that are cached for it. */
	int32 relation_no;
	bool at_target;
	bool at_source;
	bool symmetric;
};

const KgCatalog *
kg_counted_share(const char *tenant)
{
	/*
	 * A session that introduces new counts holds an exclusive lock. After the
	 * wait for it, the newest catalog contains the new counts.
	 */
	(void) kg_adjacency_lock(tenant, RowShareLock, true);
	return kg_catalog_newest(tenant);
}

KgCountChanges *
kg_counted_begin(const KgCatalog *catalog)
{
	KgCountChanges *changes = palloc0(sizeof(KgCountChanges));

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

/*
 * Adds up the changes with equal node, relation and direction, and removes
 * sums that are zero.
 */
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

/* Returns whether the field counts the edges of the change. */
static bool
is_counted(const KgCountChanges *changes, const Change *change,
		   const KgField *field)
{
	const KgRelation *relation = kg_catalog_relation_no(changes->catalog,
														change->relation_no);

	return relation != NULL && kg_counts_by_name(field, relation) &&
		   (relation->symmetric ||
			change->outgoing == !field->derived_incoming);
}

/*
 * Returns the numbers (kg_count_number()) of all fields that count edges of any
 * of the relations in one direction.
 */
static KgNodeList
counting_fields(const KgCatalog *catalog, const KgNodeList *relations,
				bool incoming)
{
	KgNodeList fields = {CurrentMemoryContext};

	for (int r = 0; r < relations->n; r++)
	{
		const KgRelation *relation = kg_catalog_relation_no(
			catalog, (int32) relations->nodes[r]);

		for (int t = 0; relation != NULL && t < catalog->ntypes; t++)
		{
			const KgType *type = kg_type_with(&catalog->types[t],
											  KG_TRAIT_COUNTS);

			for (int f = 0; type != NULL && f < type->nfields; f++)
				if (type->fields[f].counted &&
					type->fields[f].derived_incoming == incoming &&
					kg_counts_by_name(&type->fields[f], relation))
					kg_node_add(&fields,
								kg_count_number(type->type_no,
												type->fields[f].field_no));
		}
	}
	return fields;
}

/*
 * Returns the sum of those changes at the start of an array of n changes that
 * are changes of the count's node and that the field counts. Changes of one
 * node are adjacent.
 */
static int64
sum_of(const KgCountChanges *changes, const Change *change, int n,
	   const KgCount *count, const KgField *field)
{
	int64 sum = 0;

	for (int i = 0; i < n && change[i].node == count->node; i++)
		if (is_counted(changes, &change[i], field))
			sum += change[i].by;
	return sum;
}

/*
 * Applies changes to the counts. If a count cannot be computed from the
 * changes, adds its node to "unsure", whose edges are then recounted.
 */
static void
change_counts(const KgCountChanges *changes, const Change *change, int n,
			  KgCountList *counts, KgNodeList *unsure)
{
	KgColumns rows;
	int at = 0;

	kg_count_rows_init(&rows);
	for (int i = 0; i < counts->n; i++)
	{
		KgCount *count = &counts->counts[i];
		const KgType *type = kg_catalog_type_no(changes->catalog,
												count->type_no);
		const KgField *field = kg_count_field(type, count->field_no);
		int64 value;
		int64 by;

		CHECK_FOR_INTERRUPTS();
		while (change[at].node < count->node)
			at++;
		by = sum_of(changes, &change[at], n - at, count, field);
		if (by == 0)
			continue;
		if (!kg_key_integer(count->key, &value) || value + by < 0)
		{
			kg_node_add(unsure, count->node);
			continue;
		}
		count->key = kg_counted_key(field, value + by);
		kg_count_rows_add(&rows, count);
	}
	kg_count_rows_update(changes->tenant, &rows);
}

/*
 * Returns whether any field that counts edges of the direction may count the
 * edges of the change.
 */
static bool
is_of_direction(const KgCountChanges *changes, const Change *change,
				bool incoming)
{
	const KgRelation *relation = kg_catalog_relation_no(changes->catalog,
														change->relation_no);

	return relation != NULL &&
		   (relation->symmetric || change->outgoing != incoming);
}

/*
 * Adds the changes of a batch of nodes to the counts of one direction. A node
 * may have no count, because its entity's rows are not derived yet or are
 * deleted.
 */
static void
write_batch(const KgCountChanges *changes, const Change *change, int n,
			bool incoming)
{
	KgNodeList nodes = {CurrentMemoryContext};
	KgNodeList unsure = {CurrentMemoryContext};
	/* relation numbers; the list type for nodes is used for them, too */
	KgNodeList relations = {CurrentMemoryContext};
	KgNodeList fields;
	KgCountList counts = {NULL};

	for (int i = 0; i < n; i++)
	{
		if (is_of_direction(changes, &change[i], incoming))
		{
			kg_node_add(&nodes, change[i].node);
			kg_node_add(&relations, change[i].relation_no);
		}
		/*
		 * The relation has been deleted with its edges, so its name is not
		 * known.
		 */
		else if (kg_catalog_relation_no(changes->catalog,
										change[i].relation_no) == NULL)
			kg_node_add(&unsure, change[i].node);
	}
	kg_nodes_sort(&nodes);
	kg_nodes_sort(&relations);
	fields = counting_fields(changes->catalog, &relations, incoming);
	if (fields.n > 0)
	{
		kg_count_list_lock_of(changes->tenant,
							  kg_count_nodes(nodes.nodes, nodes.n),
							  kg_arg_int8s(fields.nodes, fields.n),
							  &counts);
		change_counts(changes, change, n, &counts, &unsure);
	}
	kg_counted_anew(changes->catalog, &unsure);
}

static void
write_direction(const KgCountChanges *changes, MemoryContext batch,
				bool incoming)
{
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
		write_batch(changes, changes->changes + start, end - start, incoming);
		MemoryContextReset(batch);
	}
}

/*
 * Writes the counts of incoming edges in the order of nodes, then the counts
 * of outgoing edges. All sessions use this order, so they do not deadlock.
 */
static void
write_changes(KgCountChanges *changes)
{
	MemoryContext batch = AllocSetContextCreate(
		changes->context, "kg_graph count changes", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(batch);

	write_direction(changes, batch, true);
	write_direction(changes, batch, false);
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

/* Finds out for which ends edges of the relation are counted. */
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
		const KgType *type = kg_type_with(&catalog->types[t], KG_TRAIT_COUNTS);

		for (int f = 0; type != NULL && f < type->nfields; f++)
		{
			const KgField *field = &type->fields[f];

			if (!field->counted || !kg_counts_by_name(field, relation))
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
	/* A symmetric edge from a node to itself counts as one edge. */
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
