/*
 * lock.h
 *	  Locks on entity types, relations, bundles and tenants, held until the end
 *	  of the transaction.
 */
#ifndef KG_LOCK_H
#define KG_LOCK_H

#include "storage/lockdefs.h"

/*
 * Raises an error on a standby if the mode excludes writers, because PostgreSQL
 * permits no such lock there. The error is equal to that of other writes on a
 * standby, and names no lock. All functions of this file that lock call this
 * function.
 */
extern void kg_check_lock_mode(LOCKMODE mode);

/*
 * Locks a type. Writers of its entities take the shared lock. A change of its
 * schema, or a writer that must be the only one, takes the exclusive lock.
 * Returns true if the session did not have the lock before. Catalog data that
 * was read before must then be read again.
 */
extern bool kg_lock_type_shared(int32 type_no);
extern bool kg_lock_type_exclusive(int32 type_no);

/*
 * Locks a relation. Writers of explicit edges take the shared lock. Changing or
 * dropping the relation takes the exclusive lock. Returns true if the session
 * did not have the lock before.
 */
extern bool kg_lock_relation_shared(int32 relation_no);
extern bool kg_lock_relation_exclusive(int32 relation_no);

/*
 * Locks pairs of nodes, given as hashes, before edges of a symmetric relation
 * between them are created. For many pairs, locks all pairs of the relation
 * with one lock, so that the lock table does not overflow.
 */
extern void kg_lock_pairs(int32 relation_no, const uint32 *hashes, int n);

/*
 * Locks the set of properties that x-ref-fields of a tenant name. Must be
 * called before this set is changed.
 */
extern void kg_lock_names(const char *tenant);

/*
 * Locks a tenant. Writers of entities, edges or bundles take the shared lock.
 * Counting all rows of the tenant takes the exclusive lock.
 */
extern void kg_lock_tenant_shared(const char *tenant);
extern void kg_lock_tenant_exclusive(const char *tenant);

/*
 * Results of locking all writes of a tenant. Writers take the shared lock
 * through kg_tenant_writes() (tenant_state.h). Freezing the tenant takes the
 * exclusive lock. A writer does not wait if another session has the exclusive
 * lock or waits for it.
 */
typedef enum KgLocked
{
	KG_LOCKED_NOW,
	KG_LOCKED_ALREADY,
	KG_LOCKED_BY_OTHER
} KgLocked;

extern KgLocked kg_lock_writes_shared(const char *tenant);
extern void kg_lock_writes_exclusive(const char *tenant);

/*
 * Locks a tenant's tools. Changing types and relations takes the shared lock.
 * Registering a tool takes the exclusive lock.
 */
extern void kg_lock_tools_shared(const char *tenant);
extern void kg_lock_tools_exclusive(const char *tenant);

/* Serializes writes of a caller with equal idempotency keys. */
extern void kg_lock_request(const char *tenant, const char *caller,
							const char *key);

/*
 * Serializes the generation of numbers for the ids of a type (x-id-generate).
 */
extern void kg_lock_numbers(int32 type_no);

/* Serializes creating, changing and dropping the views of a tenant. */
extern void kg_lock_views(const char *tenant);

/* Serializes the application of a bundle by several sessions. */
extern void kg_lock_bundle(const char *tenant, const char *bundle);

#endif /* KG_LOCK_H */
