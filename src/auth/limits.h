/*
 * limits.h
 *	  What a caller may take of the server, and its tenant of space.
 *
 * kg_limit has a row for each subject whose admins limited it.  Of the subjects
 * that a caller is, the most special one that says something of a limit counts:
 * the token's subject, its agent, the role, everybody; and never more than
 * what the extension's owner set for the tenant, the ceiling.
 */
#ifndef KG_LIMITS_H
#define KG_LIMITS_H

#include "base/settings.h"
#include "utils/jsonb.h"

/* In the order in which kg_limits() tells of them. */
typedef enum KgLimit
{
	KG_LIMIT_CONCURRENT_CALLS,
	KG_LIMIT_CALLS_PER_MINUTE, /* this and the next: kgctl's to enforce */
	KG_LIMIT_EDGES_PER_MINUTE,
	KG_LIMIT_MAX_COST,
	KG_LIMIT_MAX_ROWS,
	KG_LIMIT_MAX_REPLY_BYTES,
	KG_LIMIT_MAX_CALL_TIME,
	KG_LIMIT_ENTITIES, /* this and what follows: quotas of the tenant */
	KG_LIMIT_EDGES,
	KG_LIMIT_BUNDLES,
	KG_LIMIT_BYTES,
	KG_NLIMITS
} KgLimit;

#define KG_FIRST_QUOTA KG_LIMIT_ENTITIES
#define KG_NQUOTAS (KG_NLIMITS - KG_FIRST_QUOTA)

#define KG_UNLIMITED (-1)

/* The subject of the row that only the extension's owner writes. */
#define KG_CEILING "ceiling"

/* What holds for a caller. */
typedef struct KgLimits
{
	int64 values[KG_NLIMITS]; /* or KG_UNLIMITED */
	/* Who is counted together: the subject that has the limit, or the caller. */
	const char *counted[KG_FIRST_QUOTA];
	const char *tenant;
	const char *caller; /* sub:VALUE or role:NAME */
} KgLimits;

extern const char *kg_limit_name(KgLimit limit);

/* A member of kg_limit.limits; KG_UNLIMITED for null.  Raises KG_INVALID_INPUT. */
extern int64 kg_limit_read(KgLimit limit, const JsonbValue *value);

/* Which limit is the setting's that a caller's limits lower? */
extern KgLimit kg_limit_of_setting(KgLowered setting);

/* Has any tenant limits?  No more than a comparison where nothing changed. */
extern bool kg_limits_any(void);

/*
 * The limits of the caller for the tenant; as long as the memory context
 * lives.
 */
extern const KgLimits *kg_limits_of_caller(const char *tenant);

/* The tenant's own: quotas. */
extern const KgLimits *kg_limits_of_tenant(const char *tenant);

#endif /* KG_LIMITS_H */
