/*
 * writing.h
 *	  The running statements, which may nest, and their writes.
 */
#ifndef KG_WRITING_H
#define KG_WRITING_H

#include "model/catalog.h"

/*
 * Returns true if a running statement of this session uses the table, in a
 * transaction that has written.  Derived rows follow at the statement's end
 * and are behind the table until then.
 */
extern bool kg_being_written(const char *table);

/*
 * Installs the executor hooks when the module is loaded.  idle releases
 * resources of a statement's calls: after the outermost statement, and before
 * DDL.
 */
extern void kg_writing_init(void (*idle)(void));

/*
 * Returns true if a statement runs whose end the hooks will see.  This is
 * false for a function called by the fast path.
 */
extern bool kg_statement_runs(void);
/* Returns the number of the outermost statement, unique in this backend. */
extern uint64 kg_statement_number(void);

/* Records that a row of the type is written; for the triggers of kg_entity. */
extern void kg_writing_row(int32 type_no);
/*
 * Records that all rows derived from the rows of an event (TriggerEvent) are
 * written.
 */
extern void kg_writing_derived(uint32 event);

/* Returns the number of the innermost statement, unique in this backend. */
extern uint64 kg_writing_number(void);

/*
 * Returns the number of the innermost statement that may have rows without
 * derived rows yet; 0: no such statement.
 */
extern uint64 kg_writing_waits(void);
/*
 * Returns true if another statement than the one whose rows are being derived
 * may have rows without derived rows yet.
 */
extern bool kg_writing_goes_on(void);

/*
 * Returns the number of statements for which that was true while they ran
 * within another: those of triggers.
 */
extern uint64 kg_writing_nested(void);

/*
 * Returns true if a running statement, at any level, may have removed rows.
 * Consequences are settled at its end.
 */
extern bool kg_writing_frees(void);

/*
 * Returns true if the innermost statement only inserts, no other ran within
 * it, and no transaction ended since its begin.  Results of its BEFORE
 * triggers are valid then.
 */
extern bool kg_writing_undisturbed(void);

/*
 * Returns the timestamp for the changes of the statement that writes entities,
 * at any level.  All changes that belong together have one timestamp.  Those
 * that follow from them may have a later one within the call.
 */
extern TimestampTz kg_writing_time(bool follows);
/*
 * Returns role; but if that is the extension's owner, which writes derived
 * changes, the role that runs the outermost statement.
 */
extern Oid kg_writing_role(Oid role);

/*
 * Returns true if rows were derived within the statement, or it runs within
 * another.  Rows derived from its own may differ from those before it.
 */
extern bool kg_writing_overtaken(void);

/*
 * Notes that rows are derived from entities, which overtakes the outer
 * statements.
 */
extern void kg_writing_overtakes(void);

/*
 * Returns true if derived rows are incomplete: an outer statement wrote
 * entities of the type (NULL: any type), which the snapshot shows, and their
 * keys, terms and references do not exist yet.
 */
extern bool kg_writing_lacks_derived(const KgType *type);
/* Raises an error if derived rows are incomplete. */
extern void kg_writing_require_derived(const KgType *type);

/*
 * Returns true if every derived row belongs to an existing and visible entity.
 * If false, the caller must join kg_entity.
 */
extern bool kg_derived_rows_suffice(const KgCatalog *catalog);

#endif /* KG_WRITING_H */
