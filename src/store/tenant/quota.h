/*
 * quota.h
 *	  The quotas of a tenant: its numbers of entities, edges and bundles,
 *	  and their bytes.
 */
#ifndef KG_QUOTA_H
#define KG_QUOTA_H

#include "auth/limits.h"
#include "commands/trigger.h"
#include "nodes/pg_list.h"

/*
 * Counts the rows that a statement changed in a table of kg_graph. tenants has
 * the tenants (char *) of these rows. counted is the quota of the rows;
 * measured is the jsonb column whose bytes count, or NULL. Raises
 * KG_QUOTA_EXCEEDED. Call from an AFTER trigger with transition tables, as any
 * role.
 */
extern void kg_quota_count(const TriggerData *trigdata, const List *tenants,
						   KgLimit counted, const char *measured);

/* The bytes that a row of kg_trigram, g, takes from the quota. */
#define KG_PIECE_BYTES "octet_length(g.trigram) + octet_length(g.term)"

/* Returns whether the tenant has a quota of bytes. */
extern bool kg_quota_counts_bytes(const char *tenant);

/*
 * Counts bytes that a write has added, or deleted if negative, for a tenant
 * that has the quota. Raises KG_QUOTA_EXCEEDED. Runs as the extension's owner,
 * inside SPI.
 */
extern void kg_quota_add_bytes(const char *tenant, int64 bytes);

/*
 * The state of a quota: the stored amount, the sum that its stripes have used,
 * the sum that they were allotted, and the quota that is set.
 */
typedef struct KgQuotaState
{
	int64 stored;
	int64 used;
	int64 allotted;
	int64 set; /* or KG_UNLIMITED */
} KgQuotaState;

/*
 * Fills in *state by the active snapshot. Returns whether the stripes agree
 * with the stored rows and the quota. Runs as the extension's owner, inside
 * SPI_connect().
 */
extern bool kg_quota_is_right(const char *tenant, KgLimit quota,
							  KgQuotaState *state);

/*
 * Counts the rows of all quotas of the tenant again. No other session may write
 * the tenant during the count. Runs as the extension's owner, inside SPI.
 */
extern void kg_quota_count_anew(const char *tenant);

#endif /* KG_QUOTA_H */
