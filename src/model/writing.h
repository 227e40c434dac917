/*
 * writing.h
 *	  The running statements, which may nest, and their writes.
 */
#ifndef KG_WRITING_H
#define KG_WRITING_H

#include "model/catalog.h"

/*
 * Returns true if a running statement of this session uses the table, in a
 * transaction that has written. Rows derived from the table are written at the
 * end of the statement. Until then, these derived rows may not correspond to
 * the rows of the table.
 */
extern bool kg_being_written(const char *table);

/*
 * Installs the executor hooks. Must be called when the module is loaded. idle()
 * releases resources that the calls of a statement share. It is called after
 * the outermost statement and before DDL.
 */
extern void kg_writing_init(void (*idle)(void));

/*
 * Returns true if a statement is running, so that the hooks will be called at
 * its end. Returns false if a client has called the function by the fast-path
 * protocol.
 */
extern bool kg_statement_runs(void);
/* Returns the number of the outermost statement, unique in this backend. */
extern uint64 kg_statement_number(void);

/*
 * Records that a row of the type is written. Called by the triggers of
 * kg_entity.
 */
extern void kg_writing_row(int32 type_no);
/* Records that all rows derived from the rows of a TriggerEvent are written. */
extern void kg_writing_derived(uint32 event);

/* Returns the number of the innermost statement, unique in this backend. */
extern uint64 kg_writing_number(void);

/*
 * Returns the number of the innermost statement that may have written rows
 * whose derived rows are not written yet, or 0.
 */
extern uint64 kg_writing_waits(void);
/*
 * Returns true if a statement may have written rows whose derived rows are not
 * written yet. Ignores the statement whose rows are being derived now.
 */
extern bool kg_writing_goes_on(void);

/*
 * Returns the number of statements of triggers that ran within another
 * statement while kg_writing_goes_on() was true.
 */
extern uint64 kg_writing_nested(void);

/*
 * Returns true if a running statement, at any level, may have removed rows. The
 * effects of the removal on other rows are written at the end of that
 * statement.
 */
extern bool kg_writing_frees(void);

/*
 * Returns true if results that BEFORE triggers of the innermost statement have
 * stored are still valid. They are valid if the statement only inserts, no
 * other statement ran within it, and no transaction has completed since its
 * beginning.
 */
extern bool kg_writing_undisturbed(void);

/*
 * Returns the timestamp for the changes of the running statement. The outermost
 * statement and all statements within it have one timestamp. Set follows for a
 * change that results from these statements within the call; the timestamp of
 * such a change may be later.
 */
extern TimestampTz kg_writing_time(bool follows);
/*
 * Returns the role to record as the author of a change. If role is the
 * extension's owner, which writes derived changes, this is the role that runs
 * the outermost statement. Otherwise it is role.
 */
extern Oid kg_writing_role(Oid role);

/*
 * Returns true if other statements have derived rows since the innermost
 * statement began, or if an outer statement's derived rows are not complete.
 * Then the derived rows of the entities that the innermost statement has
 * written may not be those that existed before this statement.
 */
extern bool kg_writing_overtaken(void);

/*
 * Records that rows are being derived from entities. kg_writing_overtaken() is
 * then true for all running statements.
 */
extern void kg_writing_overtakes(void);

/*
 * Returns true if derived rows are incomplete: an outer statement has written
 * entities of the type (NULL: any type) which the snapshot shows, but their
 * keys, terms and references are not written yet.
 */
extern bool kg_writing_lacks_derived(const KgType *type);
/* Raises an error if kg_writing_lacks_derived() returns true for the type. */
extern void kg_writing_require_derived(const KgType *type);

/*
 * Returns true if each derived row belongs to an entity that exists and is
 * visible. Otherwise, a query of derived rows must join kg_entity.
 */
extern bool kg_derived_rows_suffice(const KgCatalog *catalog);

#endif /* KG_WRITING_H */
