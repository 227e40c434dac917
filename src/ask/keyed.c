/*
 * keyed.c
 *	  Reads the entities of a range of keys in the order of their nodes.
 *
 * The keys have the nodes of the entities.  A lookup of each node descends from
 * the root of an index, so thousands of them take longer than a scan of all
 * entities.  This reader sorts the nodes and reads the leaves of the index between
 * them, and descends only where the next node is far away.
 *
 * It reads the keys of hidden entities, too. The entities themselves must pass
 * all policies of kg_entity, as in any other scan.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "ask/keyed.h"
#include "base/compat.h"
#include "base/extension.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

/* Columns of the index of kg_entity. */
enum
{
	NODE_NODE = 1,
	NODE_TENANT,
	NODE_TYPE
};

/*
 * Number of entries of the index that are read instead of a descent from its root,
 * and of numbers per node up to which an array of bits sorts the nodes.
 */
#define NEAR 100
#define DENSE 64

struct KgKeyed
{
	Relation index;
	IndexScanDesc scan;
	text *tenant;
	int32 type_no;
	int64 *nodes; /* in order, without duplicates */
	int64 n;
	int64 at;	  /* index of the next node */
	int64 passed; /* entries read since the last node */
	bool begun;
};

static Datum
entry_value(IndexScanDesc scan, int column)
{
	bool isnull;

	return index_getattr(scan->xs_itup, column, scan->xs_itupdesc, &isnull);
}

bool
kg_keyed_same(const text *a, Datum b)
{
	const text *other = DatumGetTextPP(b);
	int len = VARSIZE_ANY_EXHDR(a);

	return VARSIZE_ANY_EXHDR(other) == len &&
		   memcmp(VARDATA_ANY(a), VARDATA_ANY(other), len) == 0;
}

static int
compare_nodes(const void *a, const void *b)
{
	int64 x = *(const int64 *) a;
	int64 y = *(const int64 *) b;

	return x < y ? -1 : x > y;
}

/* Sorts numbers that lie close together. */
static void
sort_dense(KgKeyed *keyed, int64 least, int64 words)
{
	uint64 *bits = palloc0(words * sizeof(uint64));
	int64 n = 0;

	for (int64 i = 0; i < keyed->n; i++)
	{
		uint64 at = keyed->nodes[i] - least;

		bits[at / 64] |= UINT64CONST(1) << at % 64;
	}
	for (int64 i = 0; i < words; i++)
		for (uint64 word = bits[i]; word != 0; word &= word - 1)
			keyed->nodes[n++] = least + i * 64 + pg_rightmost_one_pos64(word);
	keyed->n = n;
	pfree(bits);
}

static void
sort_nodes(KgKeyed *keyed)
{
	int64 least = keyed->nodes[0];
	int64 most = keyed->nodes[0];
	int64 n = 1;

	for (int64 i = 1; i < keyed->n; i++)
	{
		least = Min(least, keyed->nodes[i]);
		most = Max(most, keyed->nodes[i]);
	}
	if (most / DENSE - least / DENSE < keyed->n)
	{
		sort_dense(keyed, least, (most - least) / 64 + 1);
		return;
	}
	qsort(keyed->nodes, keyed->n, sizeof(int64), compare_nodes);
	for (int64 i = 1; i < keyed->n; i++)
		if (keyed->nodes[i] != keyed->nodes[n - 1])
			keyed->nodes[n++] = keyed->nodes[i];
	keyed->n = n;
}

KgKeyed *
kg_keyed_begin(Relation entities, Snapshot snapshot, const char *tenant,
			   const KgViewRange *range, int64 most)
{
	KgKeyed *keyed = palloc0(sizeof(*keyed));

	keyed->tenant = cstring_to_text(tenant);
	keyed->type_no = range->type_no;
	keyed->n = kg_view_keys(range, snapshot, most + 1, &keyed->nodes);
	if (keyed->n > most)
	{
		pfree(keyed->nodes);
		return NULL;
	}
	if (keyed->n > 0)
		sort_nodes(keyed);
	keyed->index = index_open(kg_relation_oid("kg_entity_node_idx"),
							  AccessShareLock);
	keyed->scan = kg_index_scan(entities, keyed->index, snapshot, 1);
	keyed->scan->xs_want_itup = true;
	return keyed;
}

/* Continues the scan at the next node. */
static void
descend(KgKeyed *keyed)
{
	ScanKeyData key;

	ScanKeyInit(&key,
				NODE_NODE,
				BTGreaterEqualStrategyNumber,
				F_INT8GE,
				Int64GetDatum(keyed->nodes[keyed->at]));
	index_rescan(keyed->scan, &key, 1, NULL, 0);
	keyed->begun = true;
	keyed->passed = 0;
}

/* Returns whether the entry of the index is of the next node. */
static bool
is_next(KgKeyed *keyed)
{
	IndexScanDesc scan = keyed->scan;
	int64 node = DatumGetInt64(entry_value(scan, NODE_NODE));

	while (keyed->at < keyed->n && keyed->nodes[keyed->at] < node)
		keyed->at++;
	if (keyed->at == keyed->n)
		return false;
	if (node < keyed->nodes[keyed->at])
	{
		if (++keyed->passed == NEAR)
			descend(keyed);
		return false;
	}
	keyed->passed = 0;
	return DatumGetInt32(entry_value(scan, NODE_TYPE)) == keyed->type_no &&
		   kg_keyed_same(keyed->tenant, entry_value(scan, NODE_TENANT));
}

bool
kg_keyed_next(KgKeyed *keyed, TupleTableSlot *row)
{
	if (!keyed->begun && keyed->n > 0)
		descend(keyed);
	while (keyed->at < keyed->n &&
		   index_getnext_tid(keyed->scan, ForwardScanDirection) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (is_next(keyed) && index_fetch_heap(keyed->scan, row))
			return true;
	}
	keyed->at = keyed->n;
	return false;
}

void
kg_keyed_rescan(KgKeyed *keyed)
{
	keyed->at = 0;
	keyed->begun = false;
}

void
kg_keyed_end(KgKeyed *keyed)
{
	index_endscan(keyed->scan);
	index_close(keyed->index, NoLock);
}
