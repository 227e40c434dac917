/*
 * keyed.c
 *	  Reads the entities that a range of index keys selects, in the order of
 *	  their node numbers.
 *
 * An entry of the key index has the node number of its entity. Looking up each
 * node would descend from the root of the node index, so thousands of nodes
 * would take longer than a scan of all entities. This reader sorts the node
 * numbers and reads the leaves of the node index between them. It descends
 * again only if the next node is far away. Most of the time is spent on rows
 * that are not in the processor's caches, so the reader prefetches the rows of
 * a page before it reads them.
 *
 * Keys of hidden entities are read, too. The entities themselves must pass all
 * policies of kg_entity, as in any other scan.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/nbtree.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "ask/keyed.h"
#include "base/compat.h"
#include "base/leaves.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "query/graph/frontier.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

/*
 * The first columns of an entry of the node index. The number of the type
 * follows the tenant, whose length varies.
 */
typedef struct Entry
{
	int64 node;
	char tenant[FLEXIBLE_ARRAY_MEMBER];
} Entry;

static const KgLeafColumn columns[] = {{"node", INT8OID},
									   {"tenant", TEXTOID},
									   {"type_no", INT4OID},
									   {"entity_id", TEXTOID}};

/*
 * Maximum number of index entries that the scan reads in order to reach the
 * next node. If the node is farther away, the scan descends again from the
 * root.
 */
#define NEAR 100

struct KgKeyed
{
	Relation index;
	IndexScanDesc scan;
	KgLeaves leaves;
	text *tenant;
	int32 type_no;
	int64 *nodes; /* node numbers in ascending order, without duplicates */
	int64 n;
	int64 at; /* index in nodes of the next node */
	/* number of index entries read since the last node was found */
	int64 passed;
	bool begun;
	/*
	 * TID of the row with which the next page begins; this row is already
	 * looked up. Invalid: no such row.
	 */
	ItemPointerData ahead;
	Buffer page; /* buffer of the page that contains "rows" */
	HeapTupleData rows[MaxHeapTuplesPerPage];
	int nrows;
	int returned;
};

bool
kg_keyed_same(const text *a, Datum b)
{
	const text *other = DatumGetTextPP(b);
	int len = VARSIZE_ANY_EXHDR(a);

	return VARSIZE_ANY_EXHDR(other) == len &&
		   memcmp(VARDATA_ANY(a), VARDATA_ANY(other), len) == 0;
}

KgKeyed *
kg_keyed_begin(Relation entities, Snapshot snapshot, const char *tenant,
			   const KgViewRange *range, int64 most)
{
	KgKeyed *keyed;

	if (table_slot_callbacks(entities) != &TTSOpsBufferHeapTuple)
		return NULL;
	keyed = palloc0(sizeof(*keyed));
	keyed->tenant = cstring_to_text(tenant);
	keyed->type_no = range->type_no;
	keyed->n = kg_view_keys(range, snapshot, most + 1, &keyed->nodes);
	if (keyed->n > most)
	{
		pfree(keyed->nodes);
		return NULL;
	}
	if (keyed->n > 0)
		keyed->n = kg_graph_sort_nodes(keyed->nodes, (uint32) keyed->n);
	keyed->index = kg_leaves_open(
		"kg_entity_node_idx", entities, columns, lengthof(columns));
	keyed->scan = kg_index_scan(entities, keyed->index, snapshot, 1);
	return keyed;
}

/* Descends from the root of the index to the entry of the next node. */
static void
descend(KgKeyed *keyed)
{
	ScanKeyData key;

	ScanKeyInit(&key,
				1, /* the node */
				BTGreaterEqualStrategyNumber,
				F_INT8GE,
				Int64GetDatum(keyed->nodes[keyed->at]));
	kg_leaves_end(&keyed->leaves);
	index_rescan(keyed->scan, &key, 1, NULL, 0);
	kg_leaves_begin(&keyed->leaves, keyed->scan);
	keyed->begun = true;
	/*
	 * The first leaf page may have entries before the node. These entries do
	 * not count towards NEAR, so the counter begins below 0.
	 */
	keyed->passed = -MaxTIDsPerBTreePage;
}

/*
 * Returns whether an index entry belongs to the tenant, the type and the next
 * node. First skips the nodes that are before the entry. If many entries in
 * turn are before the next node, descends to the entry of that node. Reads the
 * columns directly: index_getattr() would decode the tenant of each entry in
 * order to find the type after it.
 */
static bool
is_next(KgKeyed *keyed, IndexTuple tuple)
{
	const Entry *entry = (const Entry *) kg_leaves_values(tuple);
	const char *type_no;

	while (keyed->at < keyed->n && keyed->nodes[keyed->at] < entry->node)
		keyed->at++;
	if (keyed->at == keyed->n)
		return false;
	if (entry->node < keyed->nodes[keyed->at])
	{
		if (++keyed->passed == NEAR)
			descend(keyed);
		return false;
	}
	keyed->passed = 0;
	type_no = (const char *) INTALIGN(entry->tenant +
									  VARSIZE_ANY(entry->tenant));
	return *(const int32 *) type_no == keyed->type_no &&
		   kg_keyed_same(keyed->tenant, PointerGetDatum(entry->tenant));
}

/*
 * Sets *tid to the TID of the row of the next node. Returns false if no row is
 * left.
 */
static bool
next_tid(KgKeyed *keyed, ItemPointer tid)
{
	IndexTuple entry;
	ItemPointer row;

	if (ItemPointerIsValid(&keyed->ahead))
	{
		*tid = keyed->ahead;
		ItemPointerSetInvalid(&keyed->ahead);
		return true;
	}
	if (!keyed->begun && keyed->n > 0)
		descend(keyed);
	while (keyed->at < keyed->n &&
		   (entry = kg_leaves_next(&keyed->leaves, &row)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		*tid = *row;
		if (is_next(keyed, entry))
			return true;
	}
	keyed->at = keyed->n;
	return false;
}

/*
 * Prefetches the bytes of a row into the processor's caches, while other rows
 * are read.
 */
static void
fetch_ahead(Page page, ItemPointer tid)
{
	ItemId id = PageGetItemId(page, ItemPointerGetOffsetNumber(tid));

	for (int at = 0; at < ItemIdGetLength(id); at += PG_CACHE_LINE_SIZE / 2)
		__builtin_prefetch((const char *) page + ItemIdGetOffset(id) + at);
}

/*
 * Locks one page and reads those of its rows that belong to the next nodes, as
 * a bitmap heap scan does. Returns false if there are no more nodes.
 */
static bool
read_rows(KgKeyed *keyed)
{
	Relation table = keyed->scan->heapRelation;
	ItemPointerData tids[MaxHeapTuplesPerPage];
	int n = 0;

	while (n < MaxHeapTuplesPerPage && next_tid(keyed, &tids[n]))
	{
		if (ItemPointerGetBlockNumber(&tids[n]) !=
			ItemPointerGetBlockNumber(&tids[0]))
		{
			keyed->ahead = tids[n];
			break;
		}
		n++;
	}
	keyed->nrows = keyed->returned = 0;
	if (n == 0)
		return false;
	keyed->page = ReleaseAndReadBuffer(
		keyed->page, table, ItemPointerGetBlockNumber(&tids[0]));
	LockBuffer(keyed->page, BUFFER_LOCK_SHARE);
	for (int i = 0; i < n; i++)
		fetch_ahead(BufferGetPage(keyed->page), &tids[i]);
	for (int i = 0; i < n; i++)
		if (heap_hot_search_buffer(&tids[i],
								   table,
								   keyed->page,
								   keyed->scan->xs_snapshot,
								   &keyed->rows[keyed->nrows],
								   NULL,
								   true))
			keyed->nrows++;
	LockBuffer(keyed->page, BUFFER_LOCK_UNLOCK);
	return true;
}

bool
kg_keyed_next(KgKeyed *keyed, TupleTableSlot *row)
{
	while (keyed->returned == keyed->nrows)
		if (!read_rows(keyed))
			return false;
	ExecStoreBufferHeapTuple(&keyed->rows[keyed->returned++], row, keyed->page);
	return true;
}

void
kg_keyed_rescan(KgKeyed *keyed)
{
	keyed->at = 0;
	keyed->begun = false;
	keyed->nrows = keyed->returned = 0;
	ItemPointerSetInvalid(&keyed->ahead);
}

void
kg_keyed_end(KgKeyed *keyed)
{
	if (keyed->page != InvalidBuffer)
		ReleaseBuffer(keyed->page);
	kg_leaves_end(&keyed->leaves);
	index_endscan(keyed->scan);
	index_close(keyed->index, NoLock);
}
