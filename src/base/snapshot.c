/*
 * snapshot.c
 *	  Comparison of snapshots, and a snapshot that shows the rows just written.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/snapshot.h"
#include "utils/snapmgr.h"

/*
 * Returns the number of subtransactions in a snapshot's array. If a snapshot
 * has overflowed, pg_subtrans is used instead, and a copy of the snapshot has
 * no array, whatever its subxcnt.
 */
static uint32
subxids(const SnapshotData *snapshot)
{
	return snapshot->suboverflowed && !snapshot->takenDuringRecovery
			   ? 0
			   : Max(snapshot->subxcnt, 0);
}

bool
kg_same_snapshot(const SnapshotData *a, const SnapshotData *b)
{
	return a->snapshot_type == b->snapshot_type && a->xmin == b->xmin &&
		   a->xmax == b->xmax && a->xcnt == b->xcnt &&
		   a->subxcnt == b->subxcnt && a->suboverflowed == b->suboverflowed &&
		   a->curcid == b->curcid &&
		   a->takenDuringRecovery == b->takenDuringRecovery &&
		   (a->xcnt == 0 ||
			memcmp(a->xip, b->xip, a->xcnt * sizeof(TransactionId)) == 0) &&
		   (subxids(a) == 0 ||
			memcmp(a->subxip, b->subxip, subxids(a) * sizeof(TransactionId)) ==
				0);
}

void
kg_snapshot_remember(KgSeenSnapshot *seen, const SnapshotData *now,
					 MemoryContext context)
{
	uint32 nsub = subxids(now);
	uint32 n = now->xcnt + nsub;

	seen->valid = false;
	if (n > seen->room)
	{
		if (seen->xids)
			pfree(seen->xids);
		seen->xids = NULL;
		seen->room = 0;
		seen->xids = MemoryContextAlloc(context, n * sizeof(TransactionId));
		seen->room = n;
	}
	seen->snapshot = *now;
	seen->snapshot.xip = seen->xids;
	seen->snapshot.subxip = seen->xids + now->xcnt;
	if (now->xcnt > 0)
		memcpy(seen->snapshot.xip, now->xip, now->xcnt * sizeof(TransactionId));
	if (nsub > 0)
		memcpy(
			seen->snapshot.subxip, now->subxip, nsub * sizeof(TransactionId));
	seen->valid = true;
}

bool
kg_push_written_snapshot(CommandId since)
{
	CommandCounterIncrement();
	if (GetCurrentCommandId(false) == since)
		return false;
	PushCopiedSnapshot(GetActiveSnapshot());
	UpdateActiveSnapshotCommandId();
	return true;
}
