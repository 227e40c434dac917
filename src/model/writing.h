/*
 * writing.h
 *	  The statements that run, one within another, and what they write.
 */
#ifndef KG_WRITING_H
#define KG_WRITING_H

#include "model/catalog.h"

/*
 * Does some statement of this session that is still running use the table, in a
 * transaction that has written?  What is derived from its rows follows at the
 * statement's end, so that until then it is behind them.
 */
extern bool kg_being_written(const char *table);

/*
 * When the module is loaded.  idle ends what is held open for the calls of a
 * statement: after the outermost one, and before one of DDL.
 */
extern void kg_writing_init(void (*idle)(void));

/*
 * Is there a statement whose end is known to us?  Not in a function that a
 * client calls by the fast path.
 */
extern bool kg_statement_runs(void);
/* Of the outermost statement: no other one of this backend has it. */
extern uint64 kg_statement_number(void);

/* For the triggers of kg_entity: a row of the type is written, */
extern void kg_writing_row(int32 type_no);
/* and what follows from all rows that such an event (TriggerEvent) wrote is. */
extern void kg_writing_derived(uint32 event);

/* Returns the number of the innermost statement: no other one has it. */
extern uint64 kg_writing_number(void);

/*
 * Returns the number of the innermost statement that may have rows of which
 * nothing is derived yet; 0: none.
 */
extern uint64 kg_writing_waits(void);
/* Is there one beside what is derived right now of the innermost? */
extern bool kg_writing_goes_on(void);

/* How many statements in the middle of others that was so for: a trigger's. */
extern uint64 kg_writing_nested(void);

/*
 * Is there a statement under way, the innermost or one further up, that may have
 * taken rows away?  What follows from it is settled at its end.
 */
extern bool kg_writing_frees(void);

/*
 * Does the innermost one only insert, with nothing in the middle of it so far,
 * and has no transaction ended since it began?  Then what its BEFORE triggers
 * have read is still so.
 */
extern bool kg_writing_undisturbed(void);

/*
 * The time of what the statement that writes entities, or is in the middle of
 * one that does, writes: one for all that belongs together.  What follows from
 * it may come after it, in the same call.
 */
extern TimestampTz kg_writing_time(bool follows);
/* Who runs it, where what follows from it is written by the owner. */
extern Oid kg_writing_role(Oid role);

/*
 * Was something derived in the middle of the statement, or is it in the middle of
 * another?  Then what is derived from its rows is not what it was before it.
 */
extern bool kg_writing_overtaken(void);

/* Rows are derived from entities now: the statements further up are overtaken. */
extern void kg_writing_overtakes(void);

/*
 * Can derived rows not be asked?  A statement further up has written entities of
 * the type (NULL: of any), the snapshot shows them, and their keys, terms and
 * references are not there yet.
 */
extern bool kg_writing_lacks_derived(const KgType *type);
/* Raise that. */
extern void kg_writing_require_derived(const KgType *type);

/*
 * Is an entity there, and visible, whenever a derived row speaks of it?  Else
 * kg_entity must be asked.
 */
extern bool kg_derived_rows_suffice(const KgCatalog *catalog);

#endif /* KG_WRITING_H */
