/*
 * lock.h
 *	  Locks on entity types, relations, bundles and tenants, held until the end
 *	  of the transaction.
 */
#ifndef KG_LOCK_H
#define KG_LOCK_H

#include "storage/lockdefs.h"

/*
 * Raises an error on a standby if the mode excludes writers, because such a
 * lock counts as a write. The error is the same as for other writes and names
 * no lock. All functions of this file that lock call this function.
 */
extern void kg_check_lock_mode(LOCKMODE mode);

/*
 * Locks a type. Writers of its entities take the shared lock; changing the
 * schema or requiring a single writer needs the exclusive one. Returns true if
 * the session did not have the lock before. Catalog data that was read before
 * must then be read again.
 */
extern bool kg_lock_type_shared(int32 type_no);
extern bool kg_lock_type_exclusive(int32 type_no);

/*
 * Locks a relation.  Writers of explicit edges take the shared lock; changing
 * or dropping the relation needs the exclusive one.
 */
extern bool kg_lock_relation_shared(int32 relation_no);
extern bool kg_lock_relation_exclusive(int32 relation_no);

/*
 * Locks pairs of nodes by hashes, before edges of a symmetric relation between
 * them are created.  For many pairs it locks the relation's pairs as a whole,
 * so that the lock table does not overflow.
 */
extern void kg_lock_pairs(int32 relation_no, const uint32 *hashes, int n);

/*
 * Locks the set of a tenant's properties that an x-ref-field names, before
 * this set is changed.
 */
extern void kg_lock_names(const char *tenant);

/*
 * Locks a tenant. Writers of entities, edges or bundles take the shared lock.
 * A count of all rows of the tenant needs the exclusive lock.
 */
extern void kg_lock_tenant_shared(const char *tenant);
extern void kg_lock_tenant_exclusive(const char *tenant);

/*
 * Results of a lock on all writes of a tenant. Writers take the shared lock,
 * through kg_tenant_writes() (tenant_state.h); freezing the tenant needs the
 * exclusive one. A writer does not wait for a session that has the exclusive
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
 * Locks a tenant's tools.  Changing types and relations takes the shared lock;
 * registering a tool needs the exclusive one.
 */
extern void kg_lock_tools_shared(const char *tenant);
extern void kg_lock_tools_exclusive(const char *tenant);

/* Serializes writes with the same idempotency key. */
extern void kg_lock_request(const char *tenant, const char *caller,
							const char *key);

/* Serializes making numbers for the ids of a type (x-id-generate). */
extern void kg_lock_numbers(int32 type_no);

/* Serializes creating, changing and dropping views of a tenant. */
extern void kg_lock_views(const char *tenant);

/* Serializes applies of the same bundle. */
extern void kg_lock_bundle(const char *tenant, const char *bundle);

#endif /* KG_LOCK_H */
