/*
 * lock.c
 *	  Locks on entity types, relations, bundles and tenants.
 *
 * A lock is a heavyweight lock of PostgreSQL, identified by a table of the
 * catalog and a number. Such locks are visible in pg_locks, take part in
 * deadlock detection and end with the (sub)transaction. They write nothing.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "base/extension.h"
#include "model/lock.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/inval.h"

void
kg_check_lock_mode(LOCKMODE mode)
{
	if (mode > RowExclusiveLock && RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("the database is a standby and cannot be written"),
				 errhint("Send the same call to the primary.")));
}

static KgLocked
lock_part(const char *table, uint32 object, uint16 part, LOCKMODE mode,
		  bool wait)
{
	LOCKTAG tag;

	kg_check_lock_mode(mode);
	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, kg_relation_oid(table), object, part);
	switch (LockAcquire(&tag, mode, false, !wait))
	{
		case LOCKACQUIRE_NOT_AVAIL:
			return KG_LOCKED_BY_OTHER;
		case LOCKACQUIRE_ALREADY_HELD:
		case LOCKACQUIRE_ALREADY_CLEAR:
			return KG_LOCKED_ALREADY;
		case LOCKACQUIRE_OK:
			break;
	}
	AcceptInvalidationMessages();
	return KG_LOCKED_NOW;
}

static bool
lock_object(const char *table, uint32 object, LOCKMODE mode)
{
	return lock_part(table, object, 0, mode, true) == KG_LOCKED_NOW;
}

bool
kg_lock_type_shared(int32 type_no)
{
	return lock_object("kg_entity_type", type_no, RowExclusiveLock);
}

bool
kg_lock_type_exclusive(int32 type_no)
{
	return lock_object("kg_entity_type", type_no, ShareRowExclusiveLock);
}

bool
kg_lock_relation_shared(int32 relation_no)
{
	return lock_object("kg_relation", relation_no, RowExclusiveLock);
}

bool
kg_lock_relation_exclusive(int32 relation_no)
{
	return lock_object("kg_relation", relation_no, ShareRowExclusiveLock);
}

/*
 * Number of the lock on a tenant's views; the numbers 0 and 1 are the tenant's
 * two locks for writers.
 */
#define KG_VIEWS 2

/* Number of the lock on a type's id numbers; 0 is the lock on the type. */
#define KG_NUMBERS 1

void
kg_lock_numbers(int32 type_no)
{
	(void) lock_part(
		"kg_entity_type", type_no, KG_NUMBERS, ShareUpdateExclusiveLock, true);
}

void
kg_lock_views(const char *tenant)
{
	(void) lock_part("kg_tenant",
					 string_hash(tenant, NAMEDATALEN),
					 KG_VIEWS,
					 ShareUpdateExclusiveLock,
					 true);
}

/*
 * Numbers of a relation's locks. 0 is the lock on the relation, KG_ALL_PAIRS
 * the lock on all pairs of nodes, and from KG_FIRST_PAIR on are the locks on
 * single pairs (kg_lock_pairs()).
 */
#define KG_ALL_PAIRS 1
#define KG_FIRST_PAIR 2

/*
 * Returns a pointer to the number of pair locks that the transaction has taken.
 */
static int *
pairs_taken(void)
{
	static uint64 transaction = 0;
	static int n;
	uint64 current = U64FromFullTransactionId(GetTopFullTransactionId());

	if (transaction != current)
		n = 0;
	transaction = current;
	return &n;
}

static bool
lock_all_pairs(int32 relation_no, LOCKMODE mode, bool wait)
{
	return lock_part("kg_relation", relation_no, KG_ALL_PAIRS, mode, wait) !=
		   KG_LOCKED_BY_OTHER;
}

static int
compare_parts(const void *a, const void *b)
{
	return (int) *(const uint16 *) a - (int) *(const uint16 *) b;
}

/*
 * Locks pairs in a fixed order, so that two callers do not deadlock. Pairs may
 * use half of a transaction's share of the lock table. For more pairs, one lock
 * on all pairs of the relation is taken, if no other session has locked a pair.
 * A session that waits for the lock on all pairs while it has locks on pairs
 * may deadlock with another waiter. So a session waits for that lock only if it
 * needs many more pairs.
 */
void
kg_lock_pairs(int32 relation_no, const uint32 *hashes, int n)
{
	int share = max_locks_per_xact / 2;
	int most = 16 * share;
	int *taken = pairs_taken();
	uint16 *parts;

	if (n > share && lock_all_pairs(relation_no,
									ShareRowExclusiveLock,
									*taken == 0 || n > most - *taken))
		return;
	parts = palloc(n * sizeof(uint16));
	for (int i = 0; i < n; i++)
		parts[i] = KG_FIRST_PAIR +
				   hashes[i] % (PG_UINT16_MAX - KG_FIRST_PAIR + 1);
	qsort(parts, n, sizeof(uint16), compare_parts);
	(void) lock_all_pairs(relation_no, RowExclusiveLock, true);
	for (int i = 0; i < n; i++)
	{
		if (*taken >= share &&
			lock_all_pairs(relation_no, ShareRowExclusiveLock, *taken >= most))
			break;
		*taken += lock_part("kg_relation",
							relation_no,
							parts[i],
							ExclusiveLock,
							true) == KG_LOCKED_NOW;
	}
	pfree(parts);
}

/*
 * Locks the set of properties that x-ref-fields of the tenant name. The lock is
 * that of a bundle with an empty name. No bundle has an empty name, so the two
 * kinds of locks cannot be confused.
 */
void
kg_lock_names(const char *tenant)
{
	kg_lock_bundle(tenant, "");
}

void
kg_lock_bundle(const char *tenant, const char *bundle)
{
	uint32 hash = hash_combine(string_hash(tenant, NAMEDATALEN),
							   string_hash(bundle, NAMEDATALEN));

	(void) lock_object("kg_bundle", hash, ShareUpdateExclusiveLock);
}

static void
lock_tenant(const char *tenant, LOCKMODE mode)
{
	(void) lock_object("kg_tenant", string_hash(tenant, NAMEDATALEN), mode);
}

void
kg_lock_tenant_shared(const char *tenant)
{
	lock_tenant(tenant, RowExclusiveLock);
}

void
kg_lock_tenant_exclusive(const char *tenant)
{
	lock_tenant(tenant, ShareRowExclusiveLock);
}

/*
 * Number of the lock that freezes a tenant. It is not the lock for counting,
 * because writers would wait for that lock.
 */
#define KG_FREEZING 1

KgLocked
kg_lock_writes_shared(const char *tenant)
{
	return lock_part("kg_tenant",
					 string_hash(tenant, NAMEDATALEN),
					 KG_FREEZING,
					 RowExclusiveLock,
					 false);
}

void
kg_lock_writes_exclusive(const char *tenant)
{
	(void) lock_part("kg_tenant",
					 string_hash(tenant, NAMEDATALEN),
					 KG_FREEZING,
					 ShareRowExclusiveLock,
					 true);
}

void
kg_lock_tools_shared(const char *tenant)
{
	(void) lock_object(
		"kg_tool", string_hash(tenant, NAMEDATALEN), RowExclusiveLock);
}

void
kg_lock_tools_exclusive(const char *tenant)
{
	(void) lock_object(
		"kg_tool", string_hash(tenant, NAMEDATALEN), ShareRowExclusiveLock);
}

void
kg_lock_request(const char *tenant, const char *caller, const char *key)
{
	uint32 hash = hash_combine(
		hash_combine(string_hash(tenant, 1024), string_hash(caller, 1024)),
		string_hash(key, 1024));

	(void) lock_object("kg_idempotency", hash, ExclusiveLock);
}
