/*
 * notify.c
 *	  Notifications for gateways that a tenant's lists changed.
 *
 * Statement triggers with transition tables find the tenants of the changed
 * rows.  Notifications are sent at commit, without duplicates in a transaction
 * (docs/gateway.md).  Any role that may connect may listen.  Therefore a
 * notification has only a keyed digest of the tenant and the kind of data to
 * request again.
 */
#include "postgres.h"

#include "auth/listen.h"
#include "base/extension.h"
#include "base/spi.h"
#include "base/trigger.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

static const char *const told_tables[] = {"kg_bundle",
										  "kg_tool_version",
										  "kg_agent",
										  "kg_agent_bundle",
										  "kg_auth_key",
										  "kg_tenant_role",
										  "kg_tenant",
										  NULL};

PG_FUNCTION_INFO_V1(kg_sql_notify_gateways);

/*
 * Selects the tenants of the changed rows with SPI, and returns their number. A
 * changed row without a tenant, such as some keys, stands for all tenants. Rows
 * of bundles are also rewritten without changes when the version of the catalog
 * changes. So if "compare" is true, rows that are also in the transition table
 * "before" are ignored.
 */
static uint64
read_tenants(bool compare)
{
	KgUserContext user;
	int nest = kg_spi_pin_path();
	const char *schema = get_namespace_name(kg_extension_schema());
	char *sql = psprintf(
		"SELECT tenant FROM changed c WHERE tenant IS NOT NULL %s UNION "
		"SELECT tenant FROM %s WHERE EXISTS (SELECT FROM changed WHERE tenant "
		"IS NULL) ORDER BY tenant",
		compare ? "AND NOT EXISTS (SELECT FROM before b "
				  "WHERE (b.tenant, b.bundle) = (c.tenant, c.bundle) "
				  "AND b.* IS NOT DISTINCT FROM c.*)"
				: "",
		quote_qualified_identifier(schema, "kg_tenant"));

	kg_become_owner(&user);
	if (SPI_execute(sql, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the rows that changed");
	kg_restore_user(&user);
	kg_spi_unpin_path(nest);
	return SPI_processed;
}

static void
notify_tenant(const char *tenant, const char *what)
{
	static const char *const kinds[] = {"tools", "prompts", "resources"};

	if (what != NULL)
		kg_listen_tell(tenant, what);
	if (what != NULL && strcmp(what, KG_LISTEN_RESOURCE) != 0)
		return;
	for (int k = 0; k < lengthof(kinds); k++)
		kg_listen_tell(tenant, kinds[k]);
}

/*
 * Notifies gateways of changed rows. An AFTER statement trigger with the
 * transition table "changed" and, for updates of bundles, "before". The
 * trigger's argument says which data changed. No argument: all lists.
 * "resource": rows of bundles, so the resources of these bundles changed, too.
 * "tools": only the list of tools. "access": a caller may have lost the right
 * to notifications.
 */
Datum
kg_sql_notify_gateways(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	const char *what;
	uint64 n;

	kg_trigger_require(fcinfo,
					   "kg_notify_gateways",
					   KG_TRIGGER_AFTER | KG_TRIGGER_STATEMENT |
						   KG_TRIGGER_ROWS,
					   told_tables);
	what = trigdata->tg_trigger->tgnargs > 0 ? trigdata->tg_trigger->tgargs[0]
											 : NULL;
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_register_trigger_data(trigdata) < 0)
		elog(ERROR, "could not read the rows that changed");
	n = read_tenants(trigdata->tg_newtable && trigdata->tg_oldtable);
	for (uint64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		notify_tenant(kg_spi_cstring(i, 1), what);
	}
	SPI_finish();
	return PointerGetDatum(NULL);
}
