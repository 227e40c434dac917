/*
 * limits.h
 *	  Limits of a caller's use of the server, and quotas of a tenant.
 *
 * kg_limit has a row for each subject that an admin limited.  The subjects of
 * a caller are, from the most to the least specific: the token's subject, its
 * agent, the role, every caller.  The most specific row that sets a limit
 * applies.  The ceiling, which the extension's owner sets for the tenant, is
 * the maximum.
 */
#ifndef KG_LIMITS_H
#define KG_LIMITS_H

#include "base/settings.h"
#include "utils/jsonb.h"

/* The limits, in the order of the rows of kg_limits(). */
typedef enum KgLimit
{
	KG_LIMIT_CONCURRENT_CALLS,
	/* this limit and the next are enforced by kgctl */
	KG_LIMIT_CALLS_PER_MINUTE,
	KG_LIMIT_EDGES_PER_MINUTE,
	KG_LIMIT_MAX_COST,
	KG_LIMIT_MAX_ROWS,
	KG_LIMIT_MAX_REPLY_BYTES,
	KG_LIMIT_MAX_CALL_TIME,
	/* this limit and all limits after it are quotas of the tenant */
	KG_LIMIT_ENTITIES,
	KG_LIMIT_EDGES,
	KG_LIMIT_BUNDLES,
	KG_LIMIT_BYTES,
	KG_NLIMITS
} KgLimit;

#define KG_FIRST_QUOTA KG_LIMIT_ENTITIES
#define KG_NQUOTAS (KG_NLIMITS - KG_FIRST_QUOTA)

#define KG_UNLIMITED (-1)

/*
 * The subject of the row of kg_limit that only the extension's owner may
 * write.
 */
#define KG_CEILING "ceiling"

/* The limits in force for a caller. */
typedef struct KgLimits
{
	int64 values[KG_NLIMITS]; /* KG_UNLIMITED: no limit */
	/*
	 * For each limit, the subject whose calls are counted together: the
	 * subject that has the limit, or the caller.
	 */
	const char *counted[KG_FIRST_QUOTA];
	const char *tenant;
	const char *caller; /* "sub:VALUE" or "role:NAME" */
} KgLimits;

extern const char *kg_limit_name(KgLimit limit);

/*
 * Reads a member of kg_limit.limits. Returns KG_UNLIMITED for null. Raises
 * KG_INVALID_INPUT if the value is not valid.
 */
extern int64 kg_limit_read(KgLimit limit, const JsonbValue *value);

/* Returns the limit that can lower the value of a setting. */
extern KgLimit kg_limit_of_setting(KgLowered setting);

/*
 * Returns true if any tenant has limits. If kg_limit has not changed since the
 * last call, the cost is a single comparison.
 */
extern bool kg_limits_any(void);

/*
 * Returns the caller's limits for the tenant, valid as long as the current
 * memory context lives.
 */
extern const KgLimits *kg_limits_of_caller(const char *tenant);

/* Returns the limits that belong to the tenant as a whole, which are quotas. */
extern const KgLimits *kg_limits_of_tenant(const char *tenant);

#endif /* KG_LIMITS_H */
