/*
 * same_rights.c
 *	  A statement of plain SQL has one caller, with the same rights until it ends.
 *
 * A statement is known by its snapshot: one of a cursor is fetched from by others,
 * and functions that it calls run some of their own between its rows.  So the last
 * few are remembered; where a snapshot is of the whole transaction that is one.
 * What one was told is compared only where something of the catalog or of roles
 * has changed since.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/agent.h"
#include "auth/identity.h"
#include "auth/token_identity.h"
#include "base/error.h"
#include "base/invalidate.h"
#include "base/settings.h"
#include "base/snapshot.h"
#include "catalog/writing.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "query/running.h"
#include "query/same_rights.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* So many statements, one within another or by turns, are told apart. */
#define KG_STATEMENTS_KEPT 8

/* Who says that it calls, in which state of its own changes. */
typedef struct Asker
{
	uint64 own_changes;
	Oid role;
	const KgTokenIdentity *token;
} Asker;

/* What it names itself by. */
typedef struct Named
{
	const char *tenant;
	const char *agent;
} Named;

/* What changes when a right may have. */
typedef struct Heard
{
	uint64 generation;
	uint64 role_changes;
} Heard;

/* A statement of the transaction, and what it was told first. */
typedef struct Kept
{
	uint64 asked; /* when last; 0: nothing is kept */
	SubTransactionId begun_in;
	Asker asker;
	KgSeenSnapshot seen;
	StringInfoData named; /* tenant and agent */
	StringInfoData rights;
	bool whole; /* the agent has every bundle */
	Heard heard;
} Kept;

static Kept statements[KG_STATEMENTS_KEPT];
static Kept *latest = statements;
static uint64 asked = 0;

static void
append_part(StringInfo parts, const char *part)
{
	appendBinaryStringInfo(
		parts, part ? part : "", part ? strlen(part) + 1 : 1);
}

/* The tenant, and the bundles of the agent, in whatever order it has them. */
static void
append_rights(StringInfo rights)
{
	const char *tenant = kg_identity_tenant(KG_ACCESS_READ);
	const char *name = kg_identity_agent();
	const KgAgent *agent;
	const char **bundles;

	append_part(rights, tenant);
	if (tenant == NULL || name == NULL)
		return;
	agent = kg_agent_get(pstrdup(tenant), name);
	if (agent == NULL)
		return;
	bundles = palloc((agent->nbundles + 1) * sizeof(const char *));
	memcpy(bundles, agent->bundles, agent->nbundles * sizeof(const char *));
	qsort(bundles, agent->nbundles, sizeof(const char *), pg_qsort_strcmp);
	for (int i = 0; i < agent->nbundles; i++)
		append_part(rights, bundles[i]);
	pfree(bundles);
}

static bool
same_parts(const StringInfoData *a, const StringInfoData *b)
{
	return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* Asked of every row: what is called here counts. */
static bool
is_of(const Kept *kept, const Asker *asker, const Named *named)
{
	const char *tenant = kept->named.data;

	return kept->asked != 0 && kept->asker.own_changes == asker->own_changes &&
		   kept->asker.role == asker->role &&
		   kept->asker.token == asker->token &&
		   kg_snapshot_seen(&kept->seen, GetActiveSnapshot()) &&
		   strcmp(tenant, named->tenant) == 0 &&
		   strcmp(tenant + strlen(tenant) + 1, named->agent) == 0;
}

/* What is kept of the statement that asks, or NULL. */
static Kept *
find(const Asker *asker, const Named *named)
{
	if (is_of(latest, asker, named))
		return latest;
	for (int i = 0; i < KG_STATEMENTS_KEPT; i++)
		if (is_of(&statements[i], asker, named))
			return &statements[i];
	return NULL;
}

/* The one that has asked least lately. */
static Kept *
place_for_another(void)
{
	Kept *place = statements;

	for (int i = 1; i < KG_STATEMENTS_KEPT; i++)
		if (statements[i].asked < place->asked)
			place = &statements[i];
	return place;
}

static Kept *
keep(const Asker *asker, const Named *named, const Heard *heard)
{
	Kept *kept = place_for_another();
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

	if (kept->named.data == NULL)
		initStringInfo(&kept->named);
	if (kept->rights.data == NULL)
		initStringInfo(&kept->rights);
	MemoryContextSwitchTo(old);
	/* Of nobody until all of it is there. */
	kept->asked = 0;
	resetStringInfo(&kept->named);
	resetStringInfo(&kept->rights);
	append_part(&kept->named, named->tenant);
	append_part(&kept->named, named->agent);
	append_rights(&kept->rights);
	kept->whole = !kg_agent_hides_bundles();
	kg_snapshot_remember(&kept->seen, GetActiveSnapshot(), TopMemoryContext);
	kept->heard = *heard;
	kept->asker = *asker;
	kept->begun_in = GetCurrentSubTransactionId();
	return kept;
}

static void
refuse(void)
{
	bool whole = IsolationUsesXactSnapshot();
	KgError *err = kg_error_new(KG_CONFLICT,
								"another session changed what the caller may "
								"see since the %s began",
								whole ? "transaction" : "statement");

	kg_error_throw_expected(
		err, "the same %s again", whole ? "transaction" : "statement");
}

/* A bundle that comes is nothing to who asks only for those that were there. */
static void
require_same(Kept *kept, const Heard *heard, bool of_all)
{
	bool same_whole = kept->whole == !kg_agent_hides_bundles();
	StringInfoData rights;

	initStringInfo(&rights);
	append_rights(&rights);
	if (!same_parts(&rights, &kept->rights) || (of_all && !same_whole))
		refuse();
	pfree(rights.data);
	if (same_whole)
		kept->heard = *heard;
}

static const char *
text_or_none(const char *text)
{
	return text ? text : "";
}

void
kg_same_rights_require(bool of_all)
{
	/* Before anything is read, which may hear of more. */
	Heard heard = {kg_generation(), kg_role_changes()};
	const KgTokenIdentity *token = kg_token_identity();
	Asker asker = {kg_own_changes(), GetUserId(), token};
	Named named = {text_or_none(token ? token->tenant : kg_setting_tenant),
				   text_or_none(token ? token->agent : kg_setting_agent)};
	Kept *kept;

	if (!kg_statement_runs() || !ActiveSnapshotSet() ||
		kg_running_catalog_read() != NULL)
		return;
	kept = find(&asker, &named);
	if (kept == NULL)
		kept = keep(&asker, &named, &heard);
	else if (kept->heard.generation != heard.generation ||
			 kept->heard.role_changes != heard.role_changes)
		require_same(kept, &heard, of_all);
	kept->asked = ++asked;
	latest = kept;
}

static void
forget(SubTransactionId since)
{
	for (int i = 0; i < KG_STATEMENTS_KEPT; i++)
		if (statements[i].begun_in >= since)
			statements[i].asked = 0;
}

static void
at_transaction_end(XactEvent event, void *arg)
{
	forget(InvalidSubTransactionId);
}

/* Its own changes are not what they were, and its snapshot may still be. */
static void
at_subtransaction_end(SubXactEvent event, SubTransactionId mine,
					  SubTransactionId parent, void *arg)
{
	if (event == SUBXACT_EVENT_ABORT_SUB)
		forget(mine);
}

void
kg_same_rights_init(void)
{
	RegisterXactCallback(at_transaction_end, NULL);
	RegisterSubXactCallback(at_subtransaction_end, NULL);
}
