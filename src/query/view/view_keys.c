/*
 * view_keys.c
 *	  Reads the keys of a range from the index of kg_index_key.
 *
 * A statement with many thousands of keys spends most of its time in the
 * executor. This reader only makes the steps of an index-only scan.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/visibilitymap.h"
#include "base/compat.h"
#include "base/extension.h"
#include "miscadmin.h"
#include "query/view/view_keys.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

/* The first columns of the primary key of kg_index_key. The last is the node. */
enum
{
	KEY_TYPE = 1,
	KEY_FIELD,
	KEY_KEY
};

/*
 * Returns whether a transaction can see the row of an entry of the index; the row
 * is read if its page has rows that some transactions do not see.
 */
static bool
is_visible(IndexScanDesc scan, ItemPointer tid, TupleTableSlot *row,
		   Buffer *map)
{
	BlockNumber page = ItemPointerGetBlockNumber(tid);

	if (VM_ALL_VISIBLE(scan->heapRelation, page, map))
	{
		PredicateLockPage(scan->heapRelation, page, scan->xs_snapshot);
		return true;
	}
	if (!index_fetch_heap(scan, row))
		return false;
	ExecClearTuple(row);
	return true;
}

static int
bound_keys(ScanKey key, const KgViewRange *range)
{
	int n = 0;

	ScanKeyInit(&key[n++],
				KEY_TYPE,
				BTEqualStrategyNumber,
				F_INT4EQ,
				Int32GetDatum(range->type_no));
	ScanKeyInit(&key[n++],
				KEY_FIELD,
				BTEqualStrategyNumber,
				F_INT4EQ,
				Int32GetDatum(range->field_no));
	if (range->low != NULL)
		ScanKeyInit(&key[n++],
					KEY_KEY,
					range->low_included ? BTGreaterEqualStrategyNumber
										: BTGreaterStrategyNumber,
					range->low_included ? F_BYTEAGE : F_BYTEAGT,
					PointerGetDatum(range->low));
	ScanKeyInit(&key[n++],
				KEY_KEY,
				range->high_included ? BTLessEqualStrategyNumber
									 : BTLessStrategyNumber,
				range->high_included ? F_BYTEALE : F_BYTEALT,
				PointerGetDatum(range->high));
	return n;
}

/*
 * Returns the node of an entry of the index. The node is the last column and
 * has eight bytes, so it is at the end of the entry. To find it from the
 * beginning of the entry would take longer than all other steps.
 */
static int64
node_of(const IndexTupleData *entry)
{
	int64 node;

	StaticAssertStmt(MAXIMUM_ALIGNOF == sizeof(node),
					 "an entry ends with the bytes of its last column");
	memcpy(&node,
		   (const char *) entry + IndexTupleSize(entry) - sizeof(node),
		   sizeof(node));
	return node;
}

static void
add_node(int64 **nodes, int64 n, int64 *allocated, int64 node)
{
	if (n == *allocated)
	{
		*allocated *= 2;
		*nodes = repalloc_huge(*nodes, *allocated * sizeof(int64));
	}
	(*nodes)[n] = node;
}

int64
kg_view_keys(const KgViewRange *range, Snapshot snapshot, int64 most,
			 int64 **nodes)
{
	Relation table = table_open(kg_relation_oid("kg_index_key"),
								AccessShareLock);
	Relation index = index_open(kg_relation_oid("kg_index_key_pkey"),
								AccessShareLock);
	TupleTableSlot *row = table_slot_create(table, NULL);
	Buffer map = InvalidBuffer;
	ScanKeyData keys[4];
	int nkeys = bound_keys(keys, range);
	IndexScanDesc scan = kg_index_scan(table, index, snapshot, nkeys);
	ItemPointer tid;
	int64 allocated = 1024;
	int64 n = 0;

	if (nodes != NULL)
		*nodes = palloc(allocated * sizeof(int64));
	scan->xs_want_itup = true;
	index_rescan(scan, keys, nkeys, NULL, 0);
	while (n < most &&
		   (tid = index_getnext_tid(scan, ForwardScanDirection)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_visible(scan, tid, row, &map))
			continue;
		if (nodes != NULL)
			add_node(nodes, n, &allocated, node_of(scan->xs_itup));
		n++;
	}
	if (map != InvalidBuffer)
		ReleaseBuffer(map);
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(row);
	index_close(index, NoLock);
	table_close(table, NoLock);
	return n;
}
