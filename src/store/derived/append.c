/*
 * append.c
 *	  Appends many new rows to a derived table.
 *
 * INSERT ... SELECT unnest() packs rows into arrays, unpacks them, and passes
 * each row through the executor, the heap and WAL. Apart from index entries,
 * this is most of the cost of a row. The functions here avoid it.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "base/extension.h"
#include "catalog/index.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "store/derived/append.h"
#include "store/reference/stored.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"

/*
 * Number of rows that are formed before they are written to heap pages
 * together.
 */
#define KG_APPEND_ROWS 500
/* Minimum number of rows; with fewer rows, an INSERT is as fast. */
#define KG_APPEND_LEAST 50

typedef struct Appending
{
	Relation rel;
	EState *estate;
	ResultRelInfo *result;
	/* predicate of each partial index; NULL: the index has all rows */
	ExprState **predicates;
	TupleTableSlot *row;	/* slot for the input row */
	TupleTableSlot **slots; /* slots of the rows in the table's format */
	int places[KG_MAX_COLUMNS + 1];
	Datum tenant;
	const KgColumns *rows;
	const int *order;
	ItemPointerData *tids; /* TIDs of the stored rows */
	TransitionCaptureState *transition;
} Appending;

/*
 * Returns whether the table has exactly the tenant and these columns, and no
 * constraint that an insertion must check. NOT NULL is permitted if the rows
 * satisfy it.
 */
static bool
has_columns(TupleDesc desc, const int *places, const KgColumns *rows)
{
	if (desc->natts != rows->ncolumns + 1 ||
		(desc->constr &&
		 (desc->constr->num_check > 0 || desc->constr->has_generated_stored)))
		return false;
	for (int i = 0; i < rows->ncolumns; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, places[i + 1]);

		if (column->atttypid != rows->types[i] ||
			(column->attnotnull &&
			 memchr(rows->nulls[i], true, rows->nrows) != NULL))
			return false;
	}
	return true;
}

static bool
fires(const Trigger *trigger)
{
	return TRIGGER_FOR_INSERT(trigger->tgtype) &&
		   trigger->tgenabled != TRIGGER_DISABLED &&
		   (trigger->tgenabled != TRIGGER_FIRES_ON_REPLICA ||
			SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA);
}

/*
 * Returns whether all triggers are statement triggers of kg_graph. These fire
 * after the rows are inserted.
 */
static bool
has_plain_triggers(const TriggerDesc *desc, const char *table)
{
	for (int i = 0; desc && i < desc->numtriggers; i++)
	{
		int16 type = desc->triggers[i].tgtype;

		if (fires(&desc->triggers[i]) &&
			(TRIGGER_FOR_ROW(type) || !TRIGGER_FOR_AFTER(type)))
			return false;
	}
	return desc == NULL || !kg_stored_has_own_triggers(table);
}

static bool
is_plain(Relation rel, const char *table)
{
	Oid relid = RelationGetRelid(rel);

	return rel->rd_rel->relkind == RELKIND_RELATION &&
		   !rel->rd_rel->relispartition && rel->rd_rules == NULL &&
		   has_plain_triggers(rel->trigdesc, table) && !XactReadOnly &&
		   check_enable_rls(relid, InvalidOid, true) != RLS_ENABLED &&
		   pg_class_aclcheck(relid, GetUserId(), ACL_INSERT) == ACLCHECK_OK;
}

/*
 * Returns whether no index needs work after the insertion, such as a deferred
 * check.
 */
static bool
has_plain_indexes(const ResultRelInfo *result)
{
	for (int i = 0; i < result->ri_NumIndices; i++)
		if (!result->ri_IndexRelationDescs[i]->rd_index->indimmediate ||
			result->ri_IndexRelationInfo[i]->ii_ExclusionOps != NULL)
			return false;
	return true;
}

static void
prepare(Appending *append)
{
	int n = append->result->ri_NumIndices;

	append->predicates = palloc0(Max(1, n) * sizeof(ExprState *));
	for (int i = 0; i < n; i++)
	{
		const IndexInfo *info = append->result->ri_IndexRelationInfo[i];

		if (info->ii_Predicate != NIL)
			append->predicates[i] = ExecPrepareQual(info->ii_Predicate,
													append->estate);
	}
	append->row = MakeSingleTupleTableSlot(RelationGetDescr(append->rel),
										   &TTSOpsVirtual);
	append->slots = palloc(KG_APPEND_ROWS * sizeof(TupleTableSlot *));
	for (int i = 0; i < Min(KG_APPEND_ROWS, append->rows->nrows); i++)
		append->slots[i] = table_slot_create(append->rel, NULL);
}

static void
end(Appending *append)
{
	ExecDropSingleTupleTableSlot(append->row);
	for (int i = 0; i < Min(KG_APPEND_ROWS, append->rows->nrows); i++)
		ExecDropSingleTupleTableSlot(append->slots[i]);
}

static void
fill(const Appending *append, TupleTableSlot *slot, int row)
{
	ExecClearTuple(slot);
	slot->tts_values[append->places[0]] = append->tenant;
	slot->tts_isnull[append->places[0]] = false;
	for (int i = 0; i < append->rows->ncolumns; i++)
	{
		int place = append->places[i + 1];

		slot->tts_values[place] = append->rows->values[i][row];
		slot->tts_isnull[place] = append->rows->nulls[i][row];
	}
	ExecStoreVirtualTuple(slot);
}

static void
insert_key(const Appending *append, int index, ExprContext *context)
{
	Relation rel = append->result->ri_IndexRelationDescs[index];
	IndexInfo *info = append->result->ri_IndexRelationInfo[index];
	Datum values[INDEX_MAX_KEYS];
	bool nulls[INDEX_MAX_KEYS];

	context->ecxt_scantuple = append->row;
	if (!info->ii_ReadyForInserts ||
		(append->predicates[index] &&
		 !ExecQual(append->predicates[index], context)))
		return;
	FormIndexDatum(info, append->row, append->estate, values, nulls);
	index_insert(rel,
				 values,
				 nulls,
				 &append->row->tts_tid,
				 append->rel,
				 rel->rd_index->indisunique ? UNIQUE_CHECK_YES
											: UNIQUE_CHECK_NO,
				 false,
				 info);
}

static void
store_rows(Appending *append, int first, int n)
{
	MemoryContext old = MemoryContextSwitchTo(
		GetPerTupleMemoryContext(append->estate));

	for (int i = 0; i < n; i++)
		fill(append, append->slots[i], first + i);
	table_multi_insert(
		append->rel, append->slots, n, GetCurrentCommandId(true), 0, NULL);
	for (int i = 0; i < n; i++)
	{
		append->tids[first + i] = append->slots[i]->tts_tid;
		if (append->transition)
			ExecARInsertTriggers(append->estate,
								 append->result,
								 append->slots[i],
								 NIL,
								 append->transition);
	}
	MemoryContextSwitchTo(old);
	ResetPerTupleExprContext(append->estate);
}

static void
insert_keys(Appending *append, int index)
{
	ExprContext *context = GetPerTupleExprContext(append->estate);
	bool primary =
		append->result->ri_IndexRelationDescs[index]->rd_index->indisprimary;
	MemoryContext old = MemoryContextSwitchTo(
		GetPerTupleMemoryContext(append->estate));

	for (int i = 0; i < append->rows->nrows; i++)
	{
		int row = primary || append->order == NULL ? i : append->order[i];

		fill(append, append->row, row);
		append->row->tts_tid = append->tids[row];
		insert_key(append, index, context);
		if (i % KG_APPEND_ROWS == 0)
		{
			CHECK_FOR_INTERRUPTS();
			ResetPerTupleExprContext(append->estate);
		}
	}
	MemoryContextSwitchTo(old);
	ResetPerTupleExprContext(append->estate);
}

/*
 * Stores all rows in the table. Then inserts them into one index after the
 * other, so that the pages of one index stay in cache.
 */
static void
append_all(Appending *append)
{
	int nrows = append->rows->nrows;

	prepare(append);
	for (int i = 0; i < nrows; i += KG_APPEND_ROWS)
	{
		CHECK_FOR_INTERRUPTS();
		store_rows(append, i, Min(KG_APPEND_ROWS, nrows - i));
	}
	for (int i = 0; i < append->result->ri_NumIndices; i++)
		insert_keys(append, i);
	end(append);
}

/*
 * Appends the rows, and captures them in transition tables for the statement
 * triggers, which then fire.
 */
static void
append_firing(Appending *append)
{
	AfterTriggerBeginQuery();
	append->transition = MakeTransitionCaptureState(
		append->rel->trigdesc, RelationGetRelid(append->rel), CMD_INSERT);
	append_all(append);
	ExecASInsertTriggers(append->estate, append->result, append->transition);
	AfterTriggerEndQuery(append->estate);
	ExecCloseResultRelations(append->estate);
}

bool
kg_append(const char *table, const char *const *names, const char *tenant,
		  const KgColumns *rows, const int *order)
{
	Appending append = {.rows = rows, .order = order};
	const char *columns[KG_MAX_COLUMNS + 1] = {"tenant"};
	bool plain;
	int nest;

	if (rows->nrows < KG_APPEND_LEAST)
		return false;
	memcpy(&columns[1], names, rows->ncolumns * sizeof(char *));
	append.rel = table_open(kg_relation_oid(table), RowExclusiveLock);
	kg_find_columns(RelationGetDescr(append.rel),
					columns,
					rows->ncolumns + 1,
					append.places);
	if (!is_plain(append.rel, table) ||
		!has_columns(RelationGetDescr(append.rel), append.places, rows))
	{
		table_close(append.rel, NoLock);
		return false;
	}
	append.tenant = CStringGetTextDatum(tenant);
	append.tids = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) rows->nrows * sizeof(ItemPointerData));
	append.estate = CreateExecutorState();
	append.result = makeNode(ResultRelInfo);
	InitResultRelInfo(append.result, append.rel, 0, NULL, 0);
	ExecOpenIndices(append.result, false);
	/*
	 * Functions in a DBA's index run as the owner, so the search_path is
	 * pinned.
	 */
	nest = kg_spi_pin_path();
	plain = has_plain_indexes(append.result);
	if (plain && append.rel->trigdesc)
		append_firing(&append);
	else if (plain)
		append_all(&append);
	kg_spi_unpin_path(nest);
	ExecCloseIndices(append.result);
	FreeExecutorState(append.estate);
	table_close(append.rel, NoLock);
	pfree(append.tids);
	if (plain)
		CommandCounterIncrement();
	return plain;
}
