/*
 * keyed.c
 *	  Reads the entities of a range of keys in the order of their nodes.
 *
 * The keys have the nodes of the entities.  A lookup of each node descends from
 * the root of an index, so thousands of them take longer than a scan of all
 * entities.  This reader sorts the nodes and reads the leaves of the index between
 * them, and descends only where the next node is far away.  Most of the time goes
 * to rows that are not in the processor's caches, so it requests the rows of a page
 * before it reads them.
 *
 * It reads the keys of hidden entities, too. The entities themselves must pass
 * all policies of kg_entity, as in any other scan.
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

/* The first values of an entry of that index; the number of the type follows. */
typedef struct Entry
{
	int64 node;
	char tenant[FLEXIBLE_ARRAY_MEMBER];
} Entry;

static const KgLeafColumn columns[] = {{"node", INT8OID},
									   {"tenant", TEXTOID},
									   {"type_no", INT4OID},
									   {"entity_id", TEXTOID}};

/* Number of entries of the index that are read instead of a descent from its root. */
#define NEAR 100

struct KgKeyed
{
	Relation index;
	IndexScanDesc scan;
	KgLeaves leaves;
	text *tenant;
	int32 type_no;
	int64 *nodes; /* in order, without duplicates */
	int64 n;
	int64 at;	  /* index of the next node */
	int64 passed; /* entries read since the last node */
	bool begun;
	ItemPointerData ahead; /* a row of another page; not valid: none */
	Buffer page;		   /* the page of the rows */
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

/* Continues the scan at the next node. */
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
	/* Entries of the page may be before the node. */
	keyed->passed = -MaxTIDsPerBTreePage;
}

/*
 * Returns whether the entry of the index is of the next node. index_getattr() would
 * read the tenant of each entry to find the type behind it.
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

/* Sets the row of the next node. Returns false if there is no such row. */
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

/* Requests the bytes of a row, so that rows arrive while others are read. */
static void
fetch_ahead(Page page, ItemPointer tid)
{
	ItemId id = PageGetItemId(page, ItemPointerGetOffsetNumber(tid));

	for (int at = 0; at < ItemIdGetLength(id); at += PG_CACHE_LINE_SIZE / 2)
		__builtin_prefetch((const char *) page + ItemIdGetOffset(id) + at);
}

/*
 * Reads the rows of the next nodes that are in one page under one lock of it, as a
 * bitmap heap scan does.  Returns false if there are no more nodes.
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
