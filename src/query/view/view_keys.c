/*
 * view_keys.c
 *	  Reads the keys of a range from the index of kg_index_key.
 *
 * A statement with many thousands of keys spends most of its time in the
 * executor and in comparisons of keys. This reader only makes the steps of an
 * index-only scan that the range needs.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/visibilitymap.h"
#include "base/compat.h"
#include "base/extension.h"
#include "base/leaves.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "query/view/view_keys.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

/*
 * The first columns of the primary key of kg_index_key. The last column of the
 * key is the node.
 */
enum
{
	KEY_TYPE = 1,
	KEY_FIELD,
	KEY_KEY
};

/* The first values of an entry of that index, which has no null value. */
typedef struct Entry
{
	int32 type_no;
	int32 field_no;
	char key[FLEXIBLE_ARRAY_MEMBER];
} Entry;

static const KgLeafColumn columns[] = {{"type_no", INT4OID},
									   {"field_no", INT4OID},
									   {"key", BYTEAOID},
									   {"entity_id", TEXTOID},
									   {"tenant", TEXTOID},
									   {"node", INT8OID}};

typedef struct Reader
{
	IndexScanDesc scan;
	KgLeaves leaves;
	TupleTableSlot *row;
	Buffer map;
} Reader;

/*
 * Returns whether the snapshot shows the row of an entry of the index. The row
 * itself is read only if its page has rows that some transactions do not see.
 */
static bool
is_visible(Reader *reader, ItemPointer row)
{
	IndexScanDesc scan = reader->scan;
	BlockNumber page = ItemPointerGetBlockNumber(row);
	bool again = false;

	if (VM_ALL_VISIBLE(scan->heapRelation, page, &reader->map))
	{
		PredicateLockPage(scan->heapRelation, page, scan->xs_snapshot);
		return true;
	}
	if (!table_index_fetch_tuple(scan->xs_heapfetch,
								 row,
								 scan->xs_snapshot,
								 reader->row,
								 &again,
								 NULL))
		return false;
	ExecClearTuple(reader->row);
	return true;
}

/*
 * Returns the number of scan keys (ScanKey) that are needed to find the first
 * index key of the range.
 */
static int
bounds(const KgViewRange *range)
{
	return range->low != NULL ? KEY_KEY : KEY_FIELD;
}

/* Sets the position before the first key of the range. */
static void
seek(Reader *reader, const KgViewRange *range)
{
	ScanKeyData key[KEY_KEY];

	ScanKeyInit(&key[0],
				KEY_TYPE,
				BTEqualStrategyNumber,
				F_INT4EQ,
				Int32GetDatum(range->type_no));
	ScanKeyInit(&key[1],
				KEY_FIELD,
				BTEqualStrategyNumber,
				F_INT4EQ,
				Int32GetDatum(range->field_no));
	if (range->low != NULL)
		ScanKeyInit(&key[2],
					KEY_KEY,
					BTGreaterEqualStrategyNumber,
					F_BYTEAGE,
					PointerGetDatum(range->low));
	index_rescan(reader->scan, key, bounds(range), NULL, 0);
	kg_leaves_begin(&reader->leaves, reader->scan);
}

/*
 * Returns less than, equal to or greater than zero, if the entry is before, at
 * or behind the bound. If the bound is NULL, every entry is at the bound.
 */
static int
compare(const Entry *entry, const KgViewRange *range, const bytea *bound)
{
	bytea *key;
	int len;
	int order;

	if (entry->type_no != range->type_no)
		return entry->type_no < range->type_no ? -1 : 1;
	if (entry->field_no != range->field_no)
		return entry->field_no < range->field_no ? -1 : 1;
	if (bound == NULL)
		return 0;
	key = DatumGetByteaPP(PointerGetDatum(entry->key));
	len = Min(VARSIZE_ANY_EXHDR(key), VARSIZE_ANY_EXHDR(bound));
	order = memcmp(VARDATA_ANY(key), VARDATA_ANY(bound), len);
	if (order == 0)
		order = (int) VARSIZE_ANY_EXHDR(key) - (int) VARSIZE_ANY_EXHDR(bound);
	/* The index compresses long keys. */
	if ((const char *) key != entry->key)
		pfree(key);
	return order;
}

static bool
is_before(const Entry *entry, const KgViewRange *range)
{
	int order = compare(entry, range, range->low);

	return order < 0 ||
		   (order == 0 && range->low != NULL && !range->low_included);
}

static bool
is_behind(const Entry *entry, const KgViewRange *range)
{
	int order = compare(entry, range, range->high);

	return order > 0 || (order == 0 && !range->high_included);
}

/*
 * Returns the node of an entry of the index. The node is the last column and
 * has eight bytes, so it is at the end of the entry. To find it from the
 * beginning of the entry would take longer than all other steps.
 */
static int64
node_of(IndexTuple entry)
{
	int64 node;

	StaticAssertStmt(MAXIMUM_ALIGNOF == sizeof(node),
					 "an entry ends with the bytes of its last column");
	memcpy(&node, kg_leaves_end_of(entry) - sizeof(node), sizeof(node));
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
	Relation index = kg_leaves_open(
		"kg_index_key_pkey", table, columns, lengthof(columns));
	Reader reader = {
		.scan = kg_index_scan(table, index, snapshot, bounds(range)),
		.row = table_slot_create(table, NULL),
		.map = InvalidBuffer};
	IndexTuple entry;
	ItemPointer row;
	int64 allocated = 1024;
	int64 n = 0;

	if (nodes != NULL)
		*nodes = palloc(allocated * sizeof(int64));
	seek(&reader, range);
	while (n < most && (entry = kg_leaves_next(&reader.leaves, &row)) != NULL)
	{
		const Entry *values = (const Entry *) kg_leaves_values(entry);

		CHECK_FOR_INTERRUPTS();
		if (n == 0 && is_before(values, range))
			continue;
		if (is_behind(values, range))
			break;
		if (!is_visible(&reader, row))
			continue;
		if (nodes != NULL)
			add_node(nodes, n, &allocated, node_of(entry));
		n++;
	}
	kg_leaves_end(&reader.leaves);
	if (reader.map != InvalidBuffer)
		ReleaseBuffer(reader.map);
	index_endscan(reader.scan);
	ExecDropSingleTupleTableSlot(reader.row);
	index_close(index, NoLock);
	table_close(table, NoLock);
	return n;
}
