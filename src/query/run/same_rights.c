/*
 * same_rights.c
 *	  A scan of plain SQL has one caller, with the same rights until it ends.
 *
 * Policies call this for each row, so the first comparison is of counters that
 * change with any right; names and rights are compared only after they differ.
 * Two scans of one statement may see different rights, as two statements may.
 */
#include "postgres.h"

#include "auth/agent.h"
#include "auth/identity.h"
#include "auth/token_identity.h"
#include "base/error.h"
#include "base/invalidate.h"
#include "base/settings.h"
#include "base/snapshot.h"
#include "model/writing.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "query/run/running.h"
#include "query/run/same_rights.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* Counters and identities that change when a right may have changed. */
typedef struct Heard
{
	uint64 generation;
	uint64 role_changes;
	uint64 own_changes;
	const KgTokenIdentity *token;
	Oid role;
} Heard;

/* The rights that an expression of a policy was first called with. */
typedef struct Rights
{
	Heard heard;
	char *tenant; /* the setting, or the token's */
	char *agent;
	KgSeenSnapshot seen;
	StringInfoData parts; /* the tenant, and the agent's bundles by name */
	bool whole;			  /* no bundle is hidden */
} Rights;

static void
append_part(StringInfo parts, const char *part)
{
	appendBinaryStringInfo(
		parts, part ? part : "", part ? strlen(part) + 1 : 1);
}

static void
append_rights(StringInfo parts)
{
	const char *tenant = kg_identity_tenant(KG_ACCESS_READ);
	const char *name = kg_identity_agent();
	const KgAgent *agent;
	const char **bundles;

	append_part(parts, tenant);
	if (tenant == NULL || name == NULL)
		return;
	agent = kg_agent_get(pstrdup(tenant), name);
	if (agent == NULL)
		return;
	bundles = palloc((agent->nbundles + 1) * sizeof(const char *));
	memcpy(bundles, agent->bundles, agent->nbundles * sizeof(const char *));
	qsort(bundles, agent->nbundles, sizeof(const char *), pg_qsort_strcmp);
	for (int i = 0; i < agent->nbundles; i++)
		append_part(parts, bundles[i]);
	pfree(bundles);
}

static const char *
named_tenant(const Heard *heard)
{
	return heard->token ? heard->token->tenant : kg_setting_tenant;
}

static const char *
named_agent(const Heard *heard)
{
	return heard->token ? heard->token->agent : kg_setting_agent;
}

static bool
same_heard(const Heard *a, const Heard *b)
{
	return a->generation == b->generation &&
		   a->role_changes == b->role_changes &&
		   a->own_changes == b->own_changes && a->token == b->token &&
		   a->role == b->role;
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || strcmp(a ? a : "", b ? b : "") == 0;
}

/* Whether the expression is called by the same caller, in the same statement. */
static bool
is_same_use(const Rights *rights, const Heard *heard)
{
	return rights->heard.own_changes == heard->own_changes &&
		   rights->heard.role == heard->role &&
		   rights->heard.token == heard->token &&
		   same_text(rights->tenant, named_tenant(heard)) &&
		   same_text(rights->agent, named_agent(heard)) &&
		   kg_snapshot_seen(&rights->seen, GetActiveSnapshot());
}

static char *
copy_text(const char *text)
{
	return text ? pstrdup(text) : NULL;
}

static void
free_text(char **text)
{
	if (*text != NULL)
		pfree(*text);
	*text = NULL;
}

static void
remember(Rights *rights, const Heard *heard, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	rights->seen.valid = false;
	free_text(&rights->tenant);
	free_text(&rights->agent);
	if (rights->parts.data == NULL)
		initStringInfo(&rights->parts);
	resetStringInfo(&rights->parts);
	rights->tenant = copy_text(named_tenant(heard));
	rights->agent = copy_text(named_agent(heard));
	append_rights(&rights->parts);
	rights->whole = !kg_agent_hides_bundles();
	kg_snapshot_remember(&rights->seen, GetActiveSnapshot(), context);
	rights->heard = *heard;
	MemoryContextSwitchTo(old);
}

static KG_NORETURN void
throw_changed(void)
{
	kg_error_throw_expected(
		kg_error_new(KG_CONFLICT,
					 "another session changed what the caller may see since "
					 "the statement began"),
		"the same statement again");
}

static void
require_same(Rights *rights, const Heard *heard, bool of_all)
{
	bool whole = !kg_agent_hides_bundles();
	StringInfoData parts;

	initStringInfo(&parts);
	append_rights(&parts);
	if (parts.len != rights->parts.len ||
		memcmp(parts.data, rights->parts.data, parts.len) != 0 ||
		(of_all && whole != rights->whole))
		throw_changed();
	pfree(parts.data);
	if (whole == rights->whole)
		rights->heard = *heard;
}

void
kg_same_rights_require(FunctionCallInfo fcinfo, bool of_all)
{
	Heard heard = {kg_generation(),
				   kg_role_changes(),
				   kg_own_changes(),
				   kg_token_identity(),
				   GetUserId()};
	FmgrInfo *flinfo = fcinfo->flinfo;
	Rights *rights = flinfo ? flinfo->fn_extra : NULL;

	if (rights != NULL && same_heard(&rights->heard, &heard) &&
		same_text(rights->tenant, named_tenant(&heard)) &&
		same_text(rights->agent, named_agent(&heard)))
		return;
	if (flinfo == NULL || !kg_statement_runs() || !ActiveSnapshotSet() ||
		kg_running_catalog_read() != NULL)
		return;
	if (rights != NULL && is_same_use(rights, &heard))
	{
		require_same(rights, &heard, of_all);
		return;
	}
	if (rights == NULL)
	{
		rights = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(Rights));
		flinfo->fn_extra = rights;
	}
	remember(rights, &heard, flinfo->fn_mcxt);
}
