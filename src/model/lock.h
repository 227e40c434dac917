/*
 * lock.h
 *	  Locks on entity types, relations and bundles, held until the end of the
 *	  transaction.
 */
#ifndef KG_LOCK_H
#define KG_LOCK_H

#include "storage/lockdefs.h"

/*
 * What locks others out writes: a standby refuses it as it does other writes, and
 * not with the name of a lock.  Every lock of this file asks.
 */
extern void kg_check_lock_mode(LOCKMODE mode);

/*
 * Writers of entities of a type share it; who changes its schema, or must be
 * the only writer, excludes them.  Returns true if the lock was not held
 * already: what was read of the catalog before is then to be read again.
 */
extern bool kg_lock_type_shared(int32 type_no);
extern bool kg_lock_type_exclusive(int32 type_no);

/*
 * Writers of explicit edges share their relation; who changes or drops it
 * excludes them.
 */
extern bool kg_lock_relation_shared(int32 relation_no);
extern bool kg_lock_relation_exclusive(int32 relation_no);

/*
 * Whoever makes edges of a symmetric relation locks the pairs of their ends, by
 * hashes.  One who makes many locks all pairs of the relation instead, so
 * that nobody fills the table of locks.
 */
extern void kg_lock_pairs(int32 relation_no, const uint32 *hashes, int n);

/*
 * Who changes which properties of the tenant's types are named by an
 * x-ref-field.
 */
extern void kg_lock_names(const char *tenant);

/*
 * Whoever writes entities, edges or bundles shares its tenant; who counts them
 * all excludes them.
 */
extern void kg_lock_tenant_shared(const char *tenant);
extern void kg_lock_tenant_exclusive(const char *tenant);

/*
 * Whoever writes anything of a tenant shares this, through
 * kg_tenant_writes() (tenant_state.h); who freezes it excludes them.  Nobody waits
 * for who does or wants to.
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
 * Who changes the types and relations of a tenant shares its tools; who registers
 * one excludes them.
 */
extern void kg_lock_tools_shared(const char *tenant);
extern void kg_lock_tools_exclusive(const char *tenant);

/* Writes with one idempotency key queue here. */
extern void kg_lock_request(const char *tenant, const char *caller,
							const char *key);

/* Who makes, changes or drops views of a tenant queues here. */
extern void kg_lock_views(const char *tenant);

/* Applies of one bundle queue here. */
extern void kg_lock_bundle(const char *tenant, const char *bundle);

#endif /* KG_LOCK_H */
