/*
 * quota.h
 *	  The quotas of a tenant: its maximum numbers of entities, edges and
 *	  bundles, and their maximum bytes.
 */
#ifndef KG_QUOTA_H
#define KG_QUOTA_H

#include "auth/limits.h"
#include "commands/trigger.h"
#include "nodes/pg_list.h"

/*
 * Counts the rows that a statement changed in a table of kg_graph. tenants has
 * the tenants (char *) of these rows. counted is the quota of the rows.
 * measured is the jsonb column whose bytes are counted, or NULL. Raises
 * KG_QUOTA_EXCEEDED. Call from an AFTER trigger with transition tables, as any
 * role.
 */
extern void kg_quota_count(const TriggerData *trigdata, const List *tenants,
						   KgLimit counted, const char *measured);

/*
 * An SQL expression: the number of bytes that a row g of kg_trigram counts
 * against the quota of bytes.
 */
#define KG_PIECE_BYTES "octet_length(g.trigram) + octet_length(g.term)"

/* Returns whether the tenant has a quota of bytes. */
extern bool kg_quota_counts_bytes(const char *tenant);

/*
 * Counts bytes that a write has added, or has deleted if the number is
 * negative. The tenant must have a quota of bytes. Raises KG_QUOTA_EXCEEDED.
 * Runs as the extension's owner, inside SPI.
 */
extern void kg_quota_add_bytes(const char *tenant, int64 bytes);

/*
 * The state of a quota: the amount that is stored, the amount that its stripes
 * have used, the amount allotted to the stripes, and the quota itself. A
 * stripe is a part of a quota with its own counter.
 */
typedef struct KgQuotaState
{
	int64 stored;
	int64 used;
	int64 allotted;
	int64 set; /* KG_UNLIMITED: no quota */
} KgQuotaState;

/*
 * Fills in *state from the active snapshot. Returns whether the stripes agree
 * with the stored rows and the quota. If the quota has no stripes, returns true
 * and leaves *state unchanged. Runs as the extension's owner, inside
 * SPI_connect().
 */
extern bool kg_quota_is_right(const char *tenant, KgLimit quota,
							  KgQuotaState *state);

/*
 * Counts the rows of all quotas of the tenant again. No other session may write
 * rows of the tenant during the count. Runs as the extension's owner, inside
 * SPI.
 */
extern void kg_quota_count_anew(const char *tenant);

#endif /* KG_QUOTA_H */
