/*
 * invalidate.h
 *	  The one relcache callback: a counter that changes whenever a catalog
 *	  table of the extension did, and others for schemas and for roles.
 */
#ifndef KG_INVALIDATE_H
#define KG_INVALIDATE_H

/*
 * Differs from any earlier value after INSERT, UPDATE, DELETE, TRUNCATE or DDL
 * on a watched table was seen by this backend.  A cache remembers the value
 * that it was filled at and refills itself when they differ.
 */
extern uint64 kg_generation(void);

/* How often a statement of this session changed a watched table. */
extern uint64 kg_own_changes(void);

/* As kg_generation(), for any schema: a new one, one gone, one renamed. */
extern uint64 kg_namespace_changes(void);

/* The same for any role and any membership. */
extern uint64 kg_role_changes(void);

/* The same for any function and any schema. */
extern uint64 kg_function_changes(void);

/* The value will differ once parallel mode, in which this is called, is over. */
extern void kg_invalidate_after_parallel_mode(void);

/* Add a table to the watched ones; harmless when it is there already. */
extern void kg_watch(Oid relid);

/* Registers the callbacks; from _PG_init. */
extern void kg_invalidate_init(void);

#endif /* KG_INVALIDATE_H */
