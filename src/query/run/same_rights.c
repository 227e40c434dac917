/*
 * same_rights.c
 *	  Checks that the rights of a plain SQL scan's caller do not change before
 *	  the scan ends.
 *
 * Policies call the check for each row. So it first compares counters that
 * change with any right, and compares names and rights only if a counter
 * differs. If the counters are unchanged, so are the tenant and the agent's
 * bundles since the first call; these are returned without a look-up. Two scans
 * of one statement may use different rights, as two statements may.
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

/* Counters and identities that change if a right may have changed. */
typedef struct Heard
{
	uint64 generation;
	uint64 role_changes;
	uint64 own_changes;
	const KgTokenIdentity *token;
	Oid role;
	bool lapsed; /* the session's token is no longer valid */
	/* an authorizer runs, with the tenant of its caller */
	bool asking;
} Heard;

/* The rights at the first call of a policy's expression. */
typedef struct Rights
{
	Heard heard;
	char *tenant; /* from the setting or the token */
	char *agent;
	KgSeenSnapshot seen;
	/* the tenant and the agent's bundles, sorted by name */
	StringInfoData parts;
	bool whole; /* no bundle is hidden from the caller */
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
		   a->role == b->role && a->lapsed == b->lapsed &&
		   a->asking == b->asking;
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || strcmp(a ? a : "", b ? b : "") == 0;
}

/*
 * Returns whether the stored rights are those of the present caller and
 * statement. "rights" were stored at an earlier call of the expression, and
 * "heard" describes this call.
 */
static bool
is_same_use(const Rights *rights, const Heard *heard)
{
	return rights->heard.own_changes == heard->own_changes &&
		   rights->heard.role == heard->role &&
		   rights->heard.token == heard->token &&
		   rights->heard.asking == heard->asking &&
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
remember(Rights *rights, const Heard *heard, bool in_call,
		 MemoryContext context)
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
	if (rights->parts.data[0] != '\0')
		kg_running_require_tenant(rights->parts.data);
	rights->whole = !kg_agent_hides_bundles();
	if (!in_call)
		kg_snapshot_remember(&rights->seen, GetActiveSnapshot(), context);
	rights->heard = *heard;
	MemoryContextSwitchTo(old);
}

static KG_NORETURN void
throw_changed(void)
{
	kg_error_throw_expected(kg_error_new(KG_CONFLICT,
										 "another session changed the caller's "
										 "rights since the statement began"),
							"the same statement, run again");
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

/*
 * Returns the rights of the expression's first call. Raises an error if they
 * have changed since then, unless a tool calls. Returns NULL if the rights are
 * not cached. A tool evaluates most expressions only once, so the rights of a
 * tool's expression are cached from the second evaluation on.
 */
static const Rights *
same_rights(FunctionCallInfo fcinfo, bool of_all)
{
	Heard heard = {kg_generation(),
				   kg_role_changes(),
				   kg_own_changes(),
				   kg_token_identity(),
				   GetUserId(),
				   kg_token_lapsed(),
				   kg_identity_is_asking()};
	FmgrInfo *flinfo = fcinfo->flinfo;
	Rights *rights = flinfo ? flinfo->fn_extra : NULL;
	bool in_call;

	if (rights != NULL && same_heard(&rights->heard, &heard) &&
		same_text(rights->tenant, named_tenant(&heard)) &&
		same_text(rights->agent, named_agent(&heard)))
		return rights;
	if (flinfo == NULL || !kg_statement_runs() || !ActiveSnapshotSet())
		return NULL;
	in_call = kg_running_catalog_read() != NULL;
	if (rights != NULL && !in_call && is_same_use(rights, &heard))
	{
		require_same(rights, &heard, of_all);
		return rights;
	}
	if (rights == NULL)
	{
		rights = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(Rights));
		flinfo->fn_extra = rights;
		if (in_call)
			return NULL;
	}
	remember(rights, &heard, in_call, flinfo->fn_mcxt);
	return rights;
}

void
kg_same_rights_require(FunctionCallInfo fcinfo, bool of_all)
{
	(void) same_rights(fcinfo, of_all);
}

const char *
kg_same_rights_tenant(FunctionCallInfo fcinfo)
{
	const Rights *rights = same_rights(fcinfo, false);
	const char *tenant;

	if (rights != NULL && rights->parts.data[0] != '\0')
		return rights->parts.data;
	/*
	 * If there is no tenant any more, this look-up may raise an error that
	 * says why.
	 */
	tenant = kg_identity_tenant(KG_ACCESS_READ);
	kg_running_require_tenant(tenant);
	return tenant;
}

bool
kg_same_rights_see_bundle(FunctionCallInfo fcinfo, const char *bundle, int len)
{
	const Rights *rights = same_rights(fcinfo, false);
	const char *part;

	if (rights == NULL)
		return kg_agent_sees_bundle(bundle, len);
	/* The first part is the tenant; the others are bundles. */
	part = rights->parts.data + strlen(rights->parts.data) + 1;
	for (; part < rights->parts.data + rights->parts.len;
		 part += strlen(part) + 1)
		if (strlen(part) == len && memcmp(part, bundle, len) == 0)
			return true;
	return false;
}
