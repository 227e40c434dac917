/*
 * snapshot.h
 *	  Comparing snapshots: would two of them show the same rows?  And one that
 *	  shows what was just written.
 */
#ifndef KG_SNAPSHOT_H
#define KG_SNAPSHOT_H

#include "utils/snapshot.h"

extern bool kg_same_snapshot(const SnapshotData *a, const SnapshotData *b);

/* A snapshot as it was seen, only to compare others with. */
typedef struct KgSeenSnapshot
{
	bool valid;
	SnapshotData snapshot;
	uint32 room; /* for so many transactions */
	TransactionId *xids;
} KgSeenSnapshot;

/* Its list of transactions lives in the context. */
extern void kg_snapshot_remember(KgSeenSnapshot *seen, const SnapshotData *now,
								 MemoryContext context);

static inline bool
kg_snapshot_seen(const KgSeenSnapshot *seen, const SnapshotData *now)
{
	return seen->valid && kg_same_snapshot(&seen->snapshot, now);
}

/*
 * Has this transaction written since that command?  Then what is active from
 * here on, until it is popped, is the snapshot that was, but that it shows this.
 */
extern bool kg_push_written_snapshot(CommandId since);

#endif /* KG_SNAPSHOT_H */
