/*
 * invalidate.h
 *	  Change counters for catalog tables of the extension, tables, schemas,
 *	  roles and functions, fed by the relcache and syscache callbacks.
 */
#ifndef KG_INVALIDATE_H
#define KG_INVALIDATE_H

/*
 * Returns a number that changes after this backend saw INSERT, UPDATE, DELETE,
 * TRUNCATE or DDL on a watched table.  A cache stores the number with its
 * content, and reloads if they differ.
 */
extern uint64 kg_generation(void);

/*
 * Returns the number of times that a statement of this session changed a
 * watched table.
 */
extern uint64 kg_own_changes(void);

/*
 * Returns a number that changes when any schema is created, dropped or
 * renamed.
 */
extern uint64 kg_namespace_changes(void);

/* Returns a number that changes when any role or membership changes. */
extern uint64 kg_role_changes(void);

/* Returns a number that changes when any function or schema changes. */
extern uint64 kg_function_changes(void);

/* Returns a number that changes when any table, view or operator changes. */
extern uint64 kg_table_changes(void);

/*
 * Counts a change by this session, so that the rest of the command sees it
 * before the invalidation message arrives.
 */
extern void kg_invalidate_own(void);

/* Makes all counters change when the current parallel mode ends. */
extern void kg_invalidate_after_parallel_mode(void);

/*
 * Adds a table to the watched tables. Does nothing if it is watched already. If
 * there is no room, the older half of the watched tables is removed.
 */
extern void kg_watch(Oid relid);

/* Registers the callbacks; called by _PG_init(). */
extern void kg_invalidate_init(void);

#endif /* KG_INVALIDATE_H */
