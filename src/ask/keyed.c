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
#include "query/graph/frontier.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

/* Columns of the index of kg_entity. */
enum
{
	NODE_NODE = 1,
	NODE_TENANT,
	NODE_TYPE
};

/* Number of entries of the index that are read instead of a descent from its root. */
#define NEAR 100

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
		keyed->n = kg_graph_sort_nodes(keyed->nodes, (uint32) keyed->n);
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
