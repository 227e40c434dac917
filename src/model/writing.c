/*
 * writing.c
 *	  The running statements, which may nest, and their writes. PL/pgSQL
 *	  caches the state of its expressions until the end of the transaction, so
 *	  other modules are notified here when the outermost statement ends.
 *
 * A function in RETURNING, or a trigger that fires before kg_graph's triggers,
 * runs while rows have changed but the rows derived from them have not. It may
 * itself write entities, including those that the outer statement writes.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/compat.h"
#include "base/error.h"
#include "base/extension.h"
#include "model/writing.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "parser/parsetree.h"
#include "storage/lmgr.h"
#include "tcop/utility.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#define SEVERAL_TYPES (-1)

/* A statement that writes kg_entity. */
typedef struct Writing
{
	const QueryDesc *desc; /* NULL: COPY, which has no query */
	uint64 number;		   /* unique in this backend */
	CommandId cid; /* id of the command that wrote the statement's rows */
	Oid role;	   /* role that executes the statement */
	/* bits of the TriggerEvents whose statement triggers may fire */
	int events;
	/* bits of the TriggerEvents whose derived rows are all written */
	int derived;
	int32 type_no;	  /* type of the last row written; 0: no row was written */
	TimestampTz time; /* timestamp of the statement's changes; 0: not requested
					   * yet */
	bool overtaken;
	/* number of statements that have derived rows while this statement ran */
	uint64 inner;
	uint64 completed; /* result of completed() at the statement's beginning; 0:
					   * unknown */
	struct Writing *outer;
} Writing;

static Writing copying;
static Writing *innermost = &copying;
/* statement that ExecutorRun has finished, saved for ExecutorFinish */
static Writing left;
static uint64 nested = 0;
static uint64 numbered = 0;
static ExecutorRun_hook_type next_run = NULL;
static ExecutorFinish_hook_type next_finish = NULL;
static ProcessUtility_hook_type next_utility = NULL;
static uint64 statements = 0;
/* nesting depth of statements; at its end, each statement restores the depth */
static int depth = 0;
static void (*end_idle)(void);

/*
 * Returns a number that changes whenever a transaction with an XID completes.
 */
static uint64
completed(void)
{
	return GetLatestSnapshot()->snapXactCompletionCount;
}

#define EVENT_BIT(event) (1 << ((event) &TRIGGER_EVENT_OPMASK))

static bool
writes_entities(const PlannedStmt *stmt)
{
	int at = -1;
	int written;

	while ((written = kg_next_written(stmt, at)) > 0)
		if (kg_is_relation(rt_fetch(written, stmt->rtable)->relid, "kg_entity"))
			return true;
	return false;
}

static int
events_of_command(CmdType command)
{
	switch ((int) command)
	{
		case CMD_INSERT:
			return EVENT_BIT(TRIGGER_EVENT_INSERT);
		case CMD_UPDATE:
			return EVENT_BIT(TRIGGER_EVENT_UPDATE);
		case CMD_DELETE:
			return EVENT_BIT(TRIGGER_EVENT_DELETE);
		default:
			return 0;
	}
}

/*
 * Returns the events whose statement triggers fire for a part of a plan. They
 * fire even if the part writes no rows.
 */
static int
events_of_part(const PlannedStmt *stmt, const Plan *plan)
{
	const ModifyTable *part = (const ModifyTable *) plan;
	int events = 0;
	ListCell *lc;
	ListCell *action;

	if (plan == NULL || !IsA(plan, ModifyTable) ||
		!kg_is_relation(
			rt_fetch(linitial_int(part->resultRelations), stmt->rtable)->relid,
			"kg_entity"))
		return 0;
	if (part->operation != CMD_MERGE)
		events = events_of_command(part->operation);
	else
		foreach(lc, part->mergeActionLists)
			foreach(action, (List *) lfirst(lc))
				events |= events_of_command(
					((MergeAction *) lfirst(action))->commandType);
	if (part->onConflictAction == ONCONFLICT_UPDATE)
		events |= EVENT_BIT(TRIGGER_EVENT_UPDATE);
	return events;
}

/*
 * Returns the events whose statement triggers fire for a plan. A plan writes in
 * its top node, or in the plan of a WITH query.
 */
static int
events_of(const PlannedStmt *stmt)
{
	int events = events_of_part(stmt, stmt->planTree);
	ListCell *lc;

	foreach(lc, stmt->subplans)
		events |= events_of_part(stmt, lfirst(lc));
	return events;
}

static void
enter(Writing *writing, QueryDesc *desc)
{
	if (left.desc == desc)
		*writing = left;
	else
	{
		memset(writing, 0, sizeof(*writing));
		writing->desc = desc;
		writing->number = ++numbered;
		writing->cid = desc->estate->es_output_cid;
		writing->role = GetUserId();
		writing->events = events_of(desc->plannedstmt);
		writing->completed = completed();
	}
	left.desc = NULL;
	writing->outer = innermost;
	innermost = writing;
}

/*
 * Runs code as a part of a statement. If the code raises an error, the part is
 * ended before the error is passed on.
 */
#define WITHIN_STATEMENT(what)      \
	do                              \
	{                               \
		Writing *outer = innermost; \
                                    \
		if (depth++ == 0)           \
			statements++;           \
		PG_TRY();                   \
		{                           \
			what;                   \
		}                           \
		PG_FINALLY();               \
		{                           \
			innermost = outer;      \
			depth--;                \
		}                           \
		PG_END_TRY();               \
		if (depth == 0)             \
			end_idle();             \
	} while (0)

static void
run_query(KG_EXECUTOR_RUN_PARAMS)
{
	Writing writing;

	if (!writes_entities(desc->plannedstmt))
		WITHIN_STATEMENT(kg_executor_run_next(next_run));
	else
		WITHIN_STATEMENT({
			enter(&writing, desc);
			kg_executor_run_next(next_run);
			left = writing;
		});
}

/*
 * Hook for ExecutorFinish(), which fires AFTER triggers. Meanwhile, a statement
 * that writes entities is recorded as running.
 */
static void
finish_query(QueryDesc *desc)
{
	Writing writing;

	WITHIN_STATEMENT({
		if (writes_entities(desc->plannedstmt))
			enter(&writing, desc);
		(next_finish ? next_finish : standard_ExecutorFinish)(desc);
	});
}

static void
run_utility(PlannedStmt *statement, const char *source, bool read_only_tree,
			ProcessUtilityContext context, ParamListInfo params,
			QueryEnvironment *environment, DestReceiver *dest,
			QueryCompletion *completion)
{
	/*
	 * Release idle resources first, because DDL requires tables that are not in
	 * use.
	 */
	end_idle();
	WITHIN_STATEMENT(
		(next_utility ? next_utility : standard_ProcessUtility)(statement,
																source,
																read_only_tree,
																context,
																params,
																environment,
																dest,
																completion));
}

uint64
kg_statement_number(void)
{
	return statements;
}

bool
kg_statement_runs(void)
{
	return depth > 0;
}

static void
forget_copying(void)
{
	memset(&copying, 0, sizeof(copying));
	copying.events = EVENT_BIT(TRIGGER_EVENT_INSERT);
	copying.number = ++numbered;
}

static void
at_transaction_end(XactEvent event, void *arg)
{
	forget_copying();
	left.desc = NULL;
	/* After a COMMIT, the procedure continues as another statement. */
	statements++;
}

/* Resets the state after a COPY that has failed. */
static void
at_subtransaction_end(SubXactEvent event, SubTransactionId subid,
					  SubTransactionId parent, void *arg)
{
	if (event == SUBXACT_EVENT_ABORT_SUB && innermost == &copying)
		copying.type_no = 0;
}

void
kg_writing_init(void (*idle)(void))
{
	end_idle = idle;
	forget_copying();
	RegisterXactCallback(at_transaction_end, NULL);
	RegisterSubXactCallback(at_subtransaction_end, NULL);
	next_run = ExecutorRun_hook;
	ExecutorRun_hook = run_query;
	next_finish = ExecutorFinish_hook;
	ExecutorFinish_hook = finish_query;
	next_utility = ProcessUtility_hook;
	ProcessUtility_hook = run_utility;
}

/*
 * Returns true if the statement has written rows whose derived rows are not
 * complete.
 */
static bool
is_behind(const Writing *writing)
{
	if (writing == &copying && writing->type_no == 0)
		return false;
	return (writing->events & ~writing->derived) != 0;
}

void
kg_writing_row(int32 type_no)
{
	innermost->type_no = innermost->type_no == 0 ||
								 innermost->type_no == type_no
							 ? type_no
							 : SEVERAL_TYPES;
}

void
kg_writing_derived(uint32 event)
{
	innermost->derived |= EVENT_BIT(event);
	for (Writing *w = innermost->outer; w; w = w->outer)
		w->inner++;
	if (innermost->outer && innermost->outer->outer)
		nested++;
	if (innermost == &copying)
		forget_copying();
}

uint64
kg_writing_number(void)
{
	return innermost->number;
}

uint64
kg_writing_waits(void)
{
	for (const Writing *w = innermost; w; w = w->outer)
		if (is_behind(w))
			return w->number;
	return 0;
}

bool
kg_writing_goes_on(void)
{
	int left = innermost->events & ~innermost->derived;

	/*
	 * If only one event is left, its rows may be those that are being derived
	 * now.
	 */
	if ((left & (left - 1)) != 0)
		return true;
	for (const Writing *w = innermost->outer; w; w = w->outer)
		if (is_behind(w))
			return true;
	return false;
}

uint64
kg_writing_nested(void)
{
	return nested;
}

bool
kg_writing_frees(void)
{
	for (const Writing *w = innermost; w; w = w->outer)
		if (w->events & ~EVENT_BIT(TRIGGER_EVENT_INSERT))
			return true;
	return false;
}

bool
kg_writing_undisturbed(void)
{
	return innermost->events == EVENT_BIT(TRIGGER_EVENT_INSERT) &&
		   innermost->inner == 0 && innermost->completed == completed();
}

/*
 * Returns the outermost statement. If there is no statement, returns &copying.
 */
static Writing *
outermost(void)
{
	Writing *w = innermost;

	while (w->outer && w->outer->outer)
		w = w->outer;
	return w;
}

Oid
kg_writing_role(Oid role)
{
	const Writing *w = outermost();

	if (role != kg_extension_owner())
		return role;
	/*
	 * No statement of the caller: return the role that made the call, because
	 * kg_graph's own statements run as the owner.
	 */
	return w != &copying ? w->role : GetOuterUserId();
}

TimestampTz
kg_writing_time(bool follows)
{
	static TimestampTz last = 0;
	static uint64 last_statement = 0;
	Writing *w = copying.type_no != 0 ? &copying : outermost();

	if (w == &copying && w->type_no == 0)
		return follows && last_statement == statements ? last
													   : GetCurrentTimestamp();
	if (w->time == 0)
	{
		w->time = GetCurrentTimestamp();
		last = w->time;
		last_statement = statements;
	}
	return w->time;
}

bool
kg_writing_overtaken(void)
{
	if (innermost->overtaken)
		return true;
	for (const Writing *w = innermost->outer; w; w = w->outer)
		if (is_behind(w))
			return true;
	return false;
}

void
kg_writing_overtakes(void)
{
	for (Writing *w = innermost; w; w = w->outer)
		w->overtaken = true;
}

bool
kg_writing_lacks_derived(const KgType *type)
{
	for (const Writing *w = innermost; w; w = w->outer)
		if (is_behind(w) && w->type_no != 0 &&
			(type == NULL || w->type_no == SEVERAL_TYPES ||
			 w->type_no == type->type_no) &&
			(w->desc == NULL || GetActiveSnapshot()->curcid > w->cid))
			return true;
	return false;
}

void
kg_writing_require_derived(const KgType *type)
{
	if (!kg_writing_lacks_derived(type))
		return;
	KG_THROW(
		KG_FORBIDDEN,
		.message = "entities cannot be searched before the statement that "
				   "writes them has ended",
		.expected =
			"a call after the statement, or in a trigger AFTER ... FOR EACH "
			"STATEMENT whose name sorts after kg_entity_, or kg_get() of a "
			"type that counts no references to the written entities");
}

bool
kg_being_written(const char *table)
{
	Relation rel;
	bool used;

	if (!TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return false;
	rel = RelationIdGetRelation(kg_relation_oid(table));
	if (!RelationIsValid(rel))
		return false;
	/*
	 * A statement of this transaction that writes the table has
	 * RowExclusiveLock on that table.
	 */
	used = rel->rd_refcnt > 1 &&
		   CheckRelationLockedByMe(rel, RowExclusiveLock, true);
	RelationClose(rel);
	return used;
}

bool
kg_derived_rows_suffice(const KgCatalog *catalog)
{
	return catalog->plain_visibility && !kg_being_written("kg_entity");
}
