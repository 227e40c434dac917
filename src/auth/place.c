/*
 * place.c
 *	  A place among as many calls as may run at once.
 *
 * Each is an advisory lock, which shows in pg_locks and goes with the session;
 * of a kind that SQL functions cannot take.  It is the session's and not the
 * transaction's, because the call ends before that does.
 */
#include "postgres.h"

#include "auth/place.h"
#include "common/hashfn.h"
#include "miscadmin.h"

/* pg_advisory_lock() has 1 and 2 there; the field has 16 bits. */
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
	/* More than there are sessions need no counting. */
	int n = Min(places, Min(MaxBackends, KG_MOST_PLACES));

	for (int i = 0; i < n; i++)
	{
		/* Each session begins elsewhere, where it most often is alone. */
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
