/*
 * leaves.c
 *	  Reads the entries of a b-tree from its leaf pages.
 *
 * A scan of an index compares each entry with its keys and copies it, which
 * takes most of the time of a scan of many thousands of entries. This reader
 * finds only the first page by a scan, and then follows the links of the pages
 * to the right. By the rules of src/backend/access/nbtree/README, it reads the
 * link and the entries of a page under one lock, so no entry is missed or read
 * twice. The page remains pinned, so VACUUM does not remove rows before the
 * caller has tested whether they are visible.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/nbtree.h"
#include "access/relation.h"
#include "base/extension.h"
#include "base/leaves.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* Returns whether the index is an index of this table on these n columns. */
static bool
has_form(Relation index, Relation table, const KgLeafColumn *columns, int n)
{
	const FormData_pg_index *form = index->rd_index;

	if (index->rd_rel->relam != BTREE_AM_OID || !form->indisvalid ||
		form->indrelid != RelationGetRelid(table) || form->indnatts != n ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL))
		return false;
	for (int i = 0; i < n; i++)
		if (form->indkey.values[i] !=
				get_attnum(form->indrelid, columns[i].name) ||
			TupleDescAttr(RelationGetDescr(index), i)->atttypid !=
				columns[i].type ||
			(i < form->indnkeyatts && index->rd_indoption[i] != 0))
			return false;
	return true;
}

Relation
kg_leaves_open(const char *name, Relation table, const KgLeafColumn *columns,
			   int n)
{
	Relation index = relation_open(kg_relation_oid(name), AccessShareLock);

	if (index->rd_rel->relkind != RELKIND_INDEX ||
		!has_form(index, table, columns, n))
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("relation \"%s\" of kg_graph is not the index that "
					"the extension created",
					kg_qualified(name)),
			 errdetail("It is invalid, or has other columns."),
			 errhint(
				 "To restore it, create it as the extension's script does.")));
	return index;
}

static void
read_page(KgLeaves *leaves, BlockNumber block)
{
	Relation index = leaves->scan->indexRelation;
	BTPageOpaque links;

	if (leaves->buffer != InvalidBuffer)
		ReleaseBuffer(leaves->buffer);
	leaves->buffer = ReadBuffer(index, block);
	LockBuffer(leaves->buffer, BUFFER_LOCK_SHARE);
	_bt_checkpage(index, leaves->buffer);
	PredicateLockPage(index, block, leaves->scan->xs_snapshot);
	memcpy(leaves->page.data, BufferGetPage(leaves->buffer), BLCKSZ);
	LockBuffer(leaves->buffer, BUFFER_LOCK_UNLOCK);
	links = BTPageGetOpaque(leaves->page.data);
	leaves->next = links->btpo_next;
	leaves->at = P_FIRSTDATAKEY(links);
	leaves->last = P_IGNORE(links) ? 0
								   : PageGetMaxOffsetNumber(leaves->page.data);
	leaves->posting = 0;
}

void
kg_leaves_begin(KgLeaves *leaves, IndexScanDesc scan)
{
	leaves->scan = scan;
	leaves->buffer = InvalidBuffer;
	leaves->next = P_NONE;
	leaves->at = 1;
	leaves->last = 0;
	if (index_getnext_tid(scan, ForwardScanDirection) != NULL)
		read_page(leaves, ((BTScanOpaque) scan->opaque)->currPos.currPage);
}

IndexTuple
kg_leaves_next(KgLeaves *leaves, ItemPointer *row)
{
	IndexTuple entry;

	while (leaves->at > leaves->last)
	{
		if (leaves->next == P_NONE)
			return NULL;
		/* Pages without entries remain in the chain until VACUUM. */
		CHECK_FOR_INTERRUPTS();
		read_page(leaves, leaves->next);
	}
	entry = (IndexTuple) PageGetItem(
		leaves->page.data, PageGetItemId(leaves->page.data, leaves->at));
	*row = &entry->t_tid;
	if (BTreeTupleIsPosting(entry))
	{
		*row = BTreeTupleGetPostingN(entry, leaves->posting);
		if (++leaves->posting < BTreeTupleGetNPosting(entry))
			return entry;
		leaves->posting = 0;
	}
	leaves->at++;
	return entry;
}

const char *
kg_leaves_values(IndexTuple entry)
{
	return (const char *) entry + IndexInfoFindDataOffset(entry->t_info);
}

const char *
kg_leaves_end_of(IndexTuple entry)
{
	return (const char *) entry + (BTreeTupleIsPosting(entry)
									   ? BTreeTupleGetPostingOffset(entry)
									   : IndexTupleSize(entry));
}

void
kg_leaves_end(KgLeaves *leaves)
{
	if (leaves->buffer != InvalidBuffer)
		ReleaseBuffer(leaves->buffer);
	leaves->buffer = InvalidBuffer;
}
