/*
 * snapshot.h
 *	  Comparison of snapshots, and a snapshot that shows the rows just written.
 */
#ifndef KG_SNAPSHOT_H
#define KG_SNAPSHOT_H

#include "utils/snapshot.h"

extern bool kg_same_snapshot(const SnapshotData *a, const SnapshotData *b);

/*
 * A copy of a snapshot, only for comparison. Two equal snapshots show the same
 * rows.
 */
typedef struct KgSeenSnapshot
{
	bool valid;
	SnapshotData snapshot;
	/* allocated length of the list of transactions */
	uint32 room;
	TransactionId *xids;
} KgSeenSnapshot;

/*
 * Copies the snapshot into *seen. The copy's list of transactions is allocated
 * in the context.
 */
extern void kg_snapshot_remember(KgSeenSnapshot *seen, const SnapshotData *now,
								 MemoryContext context);

static inline bool
kg_snapshot_seen(const KgSeenSnapshot *seen, const SnapshotData *now)
{
	return seen->valid && kg_same_snapshot(&seen->snapshot, now);
}

/*
 * Pushes a snapshot that shows the rows that the transaction has written since
 * the command "since", in addition to those that the active snapshot shows. If
 * it has written no rows since that command, returns false and pushes no
 * snapshot. The caller pops the snapshot.
 */
extern bool kg_push_written_snapshot(CommandId since);

#endif /* KG_SNAPSHOT_H */
