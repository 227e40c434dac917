/*
 * same_rights.c
 *	  A statement of plain SQL has one caller, with the same rights until it ends.
 *
 * One statement at a time is remembered.  What it was told is compared only where
 * something of the catalog or of roles has changed since.
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

/* Who says that it calls, in which statement. */
typedef struct Asker
{
	uint64 statement;
	uint64 own_changes;
	Oid role;
	const KgTokenIdentity *token;
} Asker;

/* What changes when a right may have. */
typedef struct Heard
{
	uint64 generation;
	uint64 role_changes;
} Heard;

static struct
{
	Asker asker;
	KgSeenSnapshot seen;
	StringInfoData named;  /* settings */
	StringInfoData rights; /* told first */
	Heard heard;
} kept;

static void
append_part(StringInfo parts, const char *part)
{
	appendBinaryStringInfo(
		parts, part ? part : "", part ? strlen(part) + 1 : 1);
}

static void
append_named(StringInfo named)
{
	append_part(named, kg_setting_tenant);
	append_part(named, kg_identity_agent());
}

/* The tenant, and the bundles of the agent. */
static void
append_rights(StringInfo rights)
{
	const char *tenant = kg_identity_tenant(KG_ACCESS_READ);
	const char *name = kg_identity_agent();
	const KgAgent *agent;

	append_part(rights, tenant);
	if (tenant == NULL || name == NULL)
		return;
	agent = kg_agent_get(pstrdup(tenant), name);
	for (int i = 0; agent != NULL && i < agent->nbundles; i++)
		append_part(rights, agent->bundles[i]);
}

static bool
same_parts(const StringInfoData *a, const StringInfoData *b)
{
	return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

static bool
same_named(void)
{
	const char *tenant = kept.named.data;
	const char *agent = tenant + strlen(tenant) + 1;
	const char *now = kg_identity_agent();

	return strcmp(tenant, kg_setting_tenant ? kg_setting_tenant : "") == 0 &&
		   strcmp(agent, now ? now : "") == 0;
}

static bool
is_kept(const Asker *asker)
{
	return kept.asker.statement == asker->statement &&
		   kept.asker.own_changes == asker->own_changes &&
		   kept.asker.role == asker->role && kept.asker.token == asker->token &&
		   kg_snapshot_seen(&kept.seen, GetActiveSnapshot()) && same_named();
}

static void
keep(const Asker *asker, const Heard *heard)
{
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

	if (kept.named.data == NULL)
	{
		initStringInfo(&kept.named);
		initStringInfo(&kept.rights);
	}
	MemoryContextSwitchTo(old);
	/* Of nobody until all of it is there. */
	kept.asker.statement = 0;
	resetStringInfo(&kept.named);
	resetStringInfo(&kept.rights);
	append_named(&kept.named);
	append_rights(&kept.rights);
	kg_snapshot_remember(&kept.seen, GetActiveSnapshot(), TopMemoryContext);
	kept.heard = *heard;
	kept.asker = *asker;
}

static void
require_same(void)
{
	StringInfoData rights;
	KgError *err;

	initStringInfo(&rights);
	append_rights(&rights);
	if (!same_parts(&rights, &kept.rights))
	{
		err = kg_error_new(KG_CONFLICT,
						   "another session changed what the caller may see "
						   "since the statement began");
		kg_error_throw_expected(err, "the same statement again");
	}
	pfree(rights.data);
}

void
kg_same_rights_require(void)
{
	/* Before anything is read, which may hear of more. */
	Heard heard = {kg_generation(), kg_role_changes()};
	Asker asker = {kg_statement_number(),
				   kg_own_changes(),
				   GetUserId(),
				   kg_token_identity()};

	if (!kg_statement_runs() || !ActiveSnapshotSet() ||
		kg_running_catalog_read() != NULL)
		return;
	if (!is_kept(&asker))
	{
		keep(&asker, &heard);
		return;
	}
	if (kept.heard.generation == heard.generation &&
		kept.heard.role_changes == heard.role_changes)
		return;
	require_same();
	kept.heard = heard;
}
