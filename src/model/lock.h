/*
 * lock.h
 *	  Locks on entity types, relations, bundles and tenants, held until the end
 *	  of the transaction.
 */
#ifndef KG_LOCK_H
#define KG_LOCK_H

#include "storage/lockdefs.h"

/*
 * Raises an error on a standby if the mode excludes writers: such a lock counts
 * as a write.  The error is that of other writes and names no lock.  All locks
 * of this file call it.
 */
extern void kg_check_lock_mode(LOCKMODE mode);

/*
 * Locks a type.  Writers of its entities take the shared lock; changing the
 * schema or requiring a single writer needs the exclusive one.  Returns true
 * if the lock is new: catalog data read before must be read again.
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
 * Locks the set of a tenant's properties that an x-ref-field names, for
 * changing it.
 */
extern void kg_lock_names(const char *tenant);

/*
 * Locks a tenant.  Writers of entities, edges or bundles take the shared lock;
 * counting all of them needs the exclusive one.
 */
extern void kg_lock_tenant_shared(const char *tenant);
extern void kg_lock_tenant_exclusive(const char *tenant);

/*
 * Results of a lock on all writes of a tenant.  Writers take the shared lock,
 * through kg_tenant_writes() (tenant_state.h); freezing the tenant needs the
 * exclusive one.  A writer does not wait for the holder of, or a waiter for,
 * the exclusive lock.
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

/* Serializes writes with one idempotency key. */
extern void kg_lock_request(const char *tenant, const char *caller,
							const char *key);

/* Serializes making numbers for the ids of a type (x-id-generate). */
extern void kg_lock_numbers(int32 type_no);

/* Serializes creating, changing and dropping views of a tenant. */
extern void kg_lock_views(const char *tenant);

/* Serializes applies of one bundle. */
extern void kg_lock_bundle(const char *tenant, const char *bundle);

#endif /* KG_LOCK_H */
