/*
 * writing.h
 *	  The running statements, which may nest, and their writes.
 */
#ifndef KG_WRITING_H
#define KG_WRITING_H

#include "model/catalog.h"

/*
 * Returns true if a running statement of this session uses the table, in a
 * transaction that has written. Derived rows are written at the statement's
 * end. Until then, they may not correspond to the rows of the table.
 */
extern bool kg_being_written(const char *table);

/*
 * Installs the executor hooks when the module is loaded.  idle releases
 * resources of a statement's calls: after the outermost statement, and before
 * DDL.
 */
extern void kg_writing_init(void (*idle)(void));

/*
 * Returns true if a statement is running, so that the hooks will be called at
 * its end. Returns false for a function that a client calls by the fast path.
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
 * Returns true if another statement, whose rows are not being derived now, may
 * have written rows whose derived rows do not exist yet.
 */
extern bool kg_writing_goes_on(void);

/*
 * Returns the number of statements of triggers for which kg_writing_goes_on()
 * was true while they ran within another statement.
 */
extern uint64 kg_writing_nested(void);

/*
 * Returns true if a running statement, at any level, may have removed rows.
 * The effects on other rows are written at the end of that statement.
 */
extern bool kg_writing_frees(void);

/*
 * Returns true if the innermost statement only inserts, no other statement ran
 * within it, and no transaction has ended since its beginning. Results that
 * its BEFORE triggers have stored are then still valid.
 */
extern bool kg_writing_undisturbed(void);

/*
 * Returns the timestamp for the changes of the statement that writes entities,
 * at any level. All changes that belong together have the same timestamp.
 * Changes that follow from them within the call may have a later timestamp.
 */
extern TimestampTz kg_writing_time(bool follows);
/*
 * Returns role; but if that is the extension's owner, which writes derived
 * changes, the role that runs the outermost statement.
 */
extern Oid kg_writing_role(Oid role);

/*
 * Returns true if rows were derived while the statement ran, or if the
 * statement runs within another statement. The rows derived from the
 * statement's own rows may then differ from those that were derived before the
 * statement.
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
