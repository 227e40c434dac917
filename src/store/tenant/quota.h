/*
 * quota.h
 *	  The quotas of a tenant: how many entities, edges and bundles it has, and
 *	  their bytes.
 */
#ifndef KG_QUOTA_H
#define KG_QUOTA_H

#include "auth/limits.h"
#include "commands/trigger.h"
#include "nodes/pg_list.h"

/*
 * Count what a statement did to a table of ours, whose rows are of these
 * tenants (char *).  counted is the quota of rows; measured the jsonb column
 * whose bytes count, or NULL.  Raises KG_QUOTA_EXCEEDED.  From an AFTER trigger
 * with transition tables, as whoever.
 */
extern void kg_quota_count(const TriggerData *trigdata, const List *tenants,
						   KgLimit counted, const char *measured);

/* What is stored of a quota, what its stripes say, and what was set. */
typedef struct KgQuotaState
{
	int64 stored;
	int64 used;
	int64 allotted;
	int64 set; /* or KG_UNLIMITED */
} KgQuotaState;

/* By the active snapshot.  As owner, inside SPI_connect(). */
extern bool kg_quota_is_right(const char *tenant, KgLimit quota,
							  KgQuotaState *state);

/* Count all quotas anew, while no one else writes.  As owner, inside SPI. */
extern void kg_quota_count_anew(const char *tenant);

#endif /* KG_QUOTA_H */
