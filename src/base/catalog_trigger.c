/*
 * catalog_trigger.c
 *	  The triggers kg_catalog_changed of the watched tables.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/invalidate.h"
#include "base/spi.h"
#include "base/trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/rel.h"

static const char *const catalog_tables[] = {"kg_tenant",
											 "kg_tenant_role",
											 "kg_tenant_state",
											 "kg_bundle",
											 "kg_entity_type",
											 "kg_relation",
											 "kg_tool",
											 "kg_tool_version",
											 "kg_auth_key",
											 "kg_agent",
											 "kg_agent_bundle",
											 "kg_policy",
											 "kg_secret",
											 "kg_limit",
											 "kg_vectors",
											 NULL};

PG_FUNCTION_INFO_V1(kg_sql_invalidate_catalog);

/*
 * Rewrites the row of the bundle after the extension's owner has changed a
 * type, relation or tool by plain SQL. Without a new version of this row,
 * caches would keep the old catalog (model/version.h). Does nothing while a
 * function of kg_graph makes the change: applying a bundle writes the row
 * itself at its end.
 */
static void
renew_bundle(const TriggerData *trigdata)
{
	TupleDesc tupdesc = RelationGetDescr(trigdata->tg_relation);
	HeapTuple tuple = trigdata->tg_trigtuple;
	KgUserContext user;
	Datum tenant;
	Datum bundle;
	bool isnull;

	tenant = SPI_getbinval(
		tuple, tupdesc, SPI_fnumber(tupdesc, "tenant"), &isnull);
	bundle = SPI_getbinval(
		tuple, tupdesc, SPI_fnumber(tupdesc, "bundle"), &isnull);
	if (isnull)
		/*
		 * the changed row names no bundle; a registered tool may have no
		 * bundle
		 */
		return;
	kg_become_owner(&user);
	if (user.sec_context & SECURITY_NOFORCE_RLS)
	{
		kg_restore_user(&user);
		/* a function of kg_graph, not the owner, makes the change */
		return;
	}
	SPI_connect();
	KG_SPI_EXEC("UPDATE @kg_bundle SET revision = revision "
				"WHERE tenant = $1 AND bundle = $2",
				kg_arg(TEXTOID, tenant),
				kg_arg(TEXTOID, bundle));
	SPI_finish();
	kg_restore_user(&user);
}

/*
 * Trigger function of every watched table. A statement trigger also fires if
 * the statement changes no row. Therefore tables on which kg_graph itself runs
 * such statements have a row trigger.
 */
Datum
kg_sql_invalidate_catalog(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;

	kg_trigger_require(fcinfo, "kg_invalidate_catalog", 0, catalog_tables);
	CacheInvalidateRelcache(trigdata->tg_relation);
	kg_invalidate_own();
	if (trigdata->tg_trigger->tgnargs > 0)
		renew_bundle(trigdata);
	return PointerGetDatum(NULL);
}
