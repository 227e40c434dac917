/*
 * run.c
 *	  Runs a query.
 *
 * Each row is converted to JSON when it arrives. The executor stops when limit
 * or max_bytes is reached.
 */
#include "postgres.h"

#include "access/xact.h"
#include "ask/run.h"
#include "base/json.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/numeric.h"
#include "utils/snapmgr.h"

/*
 * Maximum number of digits of a number that is returned as a JSON number. A
 * longer number is returned as a string, because readers of JSON could not
 * read it.
 */
#define KG_MOST_DIGITS 1000

typedef struct Receiver
{
	DestReceiver dest;
	KgAsk *ask;
	Size size; /* size in bytes of the rows received up to now */
	int n;	   /* columns */
	/* for each column, the function that converts its values to JSON */
	FmgrInfo *to_json;
	MemoryContext answer;
	MemoryContext row;
} Receiver;

/*
 * Writes a number. A number with more than KG_MOST_DIGITS digits is written as
 * a string.
 */
static void
write_number(KgJsonWriter *w, const JsonbValue *value)
{
	if (kg_json_number_length(value) > KG_MOST_DIGITS)
		kg_jw_string(w, kg_json_cstring(value));
	else
		kg_jw_value(w, value);
}

static void
write_cell(KgJsonWriter *w, FmgrInfo *to_json, Datum datum)
{
	Jsonb *document = DatumGetJsonbP(FunctionCall1(to_json, datum));
	JsonbValue value;

	kg_json_root(document, &value);
	if (value.type == jbvNumeric)
		write_number(w, &value);
	else
		kg_jw_value(w, &value);
}

static Jsonb *
make_row(Receiver *receiver, TupleTableSlot *slot)
{
	KgJsonWriter w;

	slot_getallattrs(slot);
	kg_jw_init_array(&w);
	for (int i = 0; i < receiver->n; i++)
	{
		if (slot->tts_isnull[i])
			kg_jw_null(&w);
		else
			write_cell(&w, &receiver->to_json[i], slot->tts_values[i]);
	}
	return kg_jw_finish(&w);
}

/*
 * Adds a row to the result. Returns false, which stops the executor, if a
 * limit is reached.
 */
static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Receiver *receiver = (Receiver *) self;
	KgAsk *ask = receiver->ask;
	MemoryContext old = MemoryContextSwitchTo(receiver->row);
	Jsonb *row = NULL;
	Size size;

	if (list_length(ask->rows) >= ask->limit)
	{
		ask->stopped = "limit";
		MemoryContextSwitchTo(old);
		return false;
	}
	row = make_row(receiver, slot);
	size = kg_json_text_size(&row->root) + strlen(", ");
	if (receiver->size + size > ask->max_bytes)
	{
		ask->stopped = "max_bytes";
		if (ask->rows == NIL)
			ask->needed = size;
		MemoryContextSwitchTo(old);
		return false;
	}
	receiver->size += size;
	MemoryContextSwitchTo(receiver->answer);
	ask->rows = lappend(ask->rows,
						memcpy(palloc(VARSIZE(row)), row, VARSIZE(row)));
	MemoryContextSwitchTo(old);
	MemoryContextReset(receiver->row);
	return true;
}

/*
 * Prepares the conversion of values of a type to JSON. The result is that of
 * to_jsonb().
 */
static void
prepare_cell(FmgrInfo *to_json, Oid type, int32 typmod)
{
	Node *argument = (Node *) makeNullConst(type, typmod, InvalidOid);

	fmgr_info(F_TO_JSONB, to_json);
	fmgr_info_set_expr((Node *) makeFuncExpr(F_TO_JSONB,
											 JSONBOID,
											 list_make1(argument),
											 InvalidOid,
											 InvalidOid,
											 COERCE_EXPLICIT_CALL),
					   to_json);
}

static void
start(DestReceiver *self, int operation, TupleDesc desc)
{
	Receiver *receiver = (Receiver *) self;
	KgAsk *ask = receiver->ask;
	MemoryContext old = MemoryContextSwitchTo(receiver->answer);

	receiver->n = desc->natts;
	receiver->to_json = palloc0(Max(1, desc->natts) * sizeof(FmgrInfo));
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		prepare_cell(
			&receiver->to_json[i], column->atttypid, column->atttypmod);
		ask->columns = lappend(ask->columns, pstrdup(NameStr(column->attname)));
		ask->column_types = lappend(
			ask->column_types,
			format_type_with_typemod(column->atttypid, column->atttypmod));
	}
	MemoryContextSwitchTo(old);
}

static void
end(DestReceiver *self)
{
}

void
kg_ask_run(KgAsk *ask, PlannedStmt *plan)
{
	Receiver receiver = {.dest = {receive, start, end, end, DestNone},
						 .ask = ask,
						 .answer = CurrentMemoryContext};
	QueryDesc *desc;

	receiver.row = AllocSetContextCreate(
		CurrentMemoryContext, "row of a query", ALLOCSET_DEFAULT_SIZES);
	desc = CreateQueryDesc(plan,
						   ask->sql,
						   GetActiveSnapshot(),
						   InvalidSnapshot,
						   &receiver.dest,
						   ask->values,
						   NULL,
						   0);
	ExecutorStart(desc, 0);
	kg_executor_run(desc);
	ExecutorFinish(desc);
	ExecutorEnd(desc);
	FreeQueryDesc(desc);
	MemoryContextDelete(receiver.row);
}
