/*
 * place.c
 *	  Slots that limit the number of concurrent calls.
 *
 * Each slot is an advisory lock, which is visible in pg_locks and is released
 * when the session ends. SQL functions cannot take a lock with this tag. It is
 * a session lock, because a call releases its slot before the transaction
 * ends.
 */
#include "postgres.h"

#include "auth/place.h"
#include "common/hashfn.h"
#include "miscadmin.h"

/*
 * The 16-bit field of the lock tag that has 1 or 2 in locks of
 * pg_advisory_lock().
 */
#define KG_FIRST_PLACE 3
#define KG_MOST_PLACES (PG_UINT16_MAX - KG_FIRST_PLACE)

bool
kg_place_take(KgPlace *place, const char *tenant, const char *counted,
			  int64 places)
{
	uint64 whom = hash_combine64(
		hash_bytes_extended((const unsigned char *) tenant, strlen(tenant), 0),
		hash_bytes_extended(
			(const unsigned char *) counted, strlen(counted), 0));
	/* More slots than sessions are never needed. */
	int n = Min(places, Min(MaxBackends, KG_MOST_PLACES));

	for (int i = 0; i < n; i++)
	{
		/*
		 * Sessions begin at different slots, so the first slot is usually
		 * free.
		 */
		int at = (MyProcPid + i) % n;

		SET_LOCKTAG_ADVISORY(place->tag,
							 MyDatabaseId,
							 (uint32) (whom >> 32),
							 (uint32) whom,
							 KG_FIRST_PLACE + at);
		if (LockAcquire(&place->tag, ExclusiveLock, true, true) ==
			LOCKACQUIRE_NOT_AVAIL)
			continue;
		place->taken = true;
		return true;
	}
	return false;
}

void
kg_place_leave(KgPlace *place)
{
	if (place->taken)
		(void) LockRelease(&place->tag, ExclusiveLock, true);
	place->taken = false;
}
