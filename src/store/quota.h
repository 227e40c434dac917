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

#endif /* KG_QUOTA_H */
