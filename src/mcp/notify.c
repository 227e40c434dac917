/*
 * notify.c
 *	  Telling gateways that a tenant's lists changed.
 *
 * Statement triggers with transition tables name the tenants of the rows that
 * changed.  The notifications go out at commit, each only once in a transaction
 * (docs/gateway.md).  Whoever may connect may listen: a notification says
 * nothing but a keyed digest of the tenant and what to ask for again.
 */
#include "postgres.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "auth/secret.h"
#include "base/extension.h"
#include "base/invalidate.h"
#include "base/spi.h"
#include "commands/async.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "mcp/notify.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#define KG_MCP_CHANNEL "kg_mcp"
#define KG_MCP_SECRET_BYTES 32
#define KG_MCP_KEY_BYTES 16
#define KG_MCP_ACCESS "access"

/* One row, read once; a new extension in the same database has a new one. */
static const unsigned char *
listen_secret(void)
{
	static unsigned char secret[KG_MCP_SECRET_BYTES];
	static uint64 generation = 0;
	bytea *value;

	(void) kg_extension_schema();
	if (generation == kg_generation())
		return secret;
	value = kg_secret_read("listen");
	if (VARSIZE_ANY_EXHDR(value) != KG_MCP_SECRET_BYTES)
		elog(ERROR, "the secret \"listen\" has a wrong length");
	memcpy(secret, VARDATA_ANY(value), KG_MCP_SECRET_BYTES);
	pfree(value);
	generation = kg_generation();
	return secret;
}

char *
kg_mcp_listen_key(const char *tenant)
{
	const unsigned char *secret = listen_secret();
	unsigned char digest[SHA256_DIGEST_LENGTH];
	char *key = palloc(2 * KG_MCP_KEY_BYTES + 1);

	if (HMAC(EVP_sha256(),
			 secret,
			 KG_MCP_SECRET_BYTES,
			 (const unsigned char *) tenant,
			 strlen(tenant),
			 digest,
			 NULL) == NULL)
		elog(ERROR, "could not compute a digest");
	hex_encode((char *) digest, KG_MCP_KEY_BYTES, key);
	key[2 * KG_MCP_KEY_BYTES] = '\0';
	return key;
}

static void
notify(const char *tenant, const char *kind)
{
	Async_Notify(KG_MCP_CHANNEL,
				 psprintf("%s %s", kg_mcp_listen_key(tenant), kind));
}

void
kg_mcp_notify_resource(const char *tenant)
{
	notify(tenant, "resource");
}

PGDLLEXPORT Datum kg_sql_notify_gateways(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(kg_sql_notify_gateways);

/* Of every tenant where a row is of all of them, as some keys are. */
static uint64
read_tenants(void)
{
	KgUserContext user;
	int nest = kg_spi_pin_path();
	const char *schema = get_namespace_name(kg_extension_schema());
	char *sql = psprintf(
		"SELECT tenant FROM changed WHERE tenant IS NOT NULL UNION "
		"SELECT tenant FROM %s WHERE EXISTS (SELECT FROM changed WHERE tenant "
		"IS NULL) ORDER BY tenant",
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
		notify(tenant, what);
	if (what != NULL && strcmp(what, KG_MCP_ACCESS) == 0)
		return;
	for (int k = 0; k < lengthof(kinds); k++)
		notify(tenant, kinds[k]);
}

/*
 * AFTER statement trigger with the transition table "changed"; its argument
 * is "resource" where the rows are bundles, whose own resources changed too,
 * and "access" where somebody's right to be told may have ended.
 */
Datum
kg_sql_notify_gateways(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	const char *what;
	uint64 n;

	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!TRIGGER_FIRED_AFTER(trigdata->tg_event) ||
		!TRIGGER_FIRED_FOR_STATEMENT(trigdata->tg_event) ||
		(trigdata->tg_newtable == NULL) == (trigdata->tg_oldtable == NULL))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by trigger manager",
						"kg_notify_gateways")));
	what = trigdata->tg_trigger->tgnargs > 0 ? trigdata->tg_trigger->tgargs[0]
											 : NULL;
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_register_trigger_data(trigdata) < 0)
		elog(ERROR, "could not read the rows that changed");
	n = read_tenants();
	for (uint64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		notify_tenant(kg_spi_cstring(i, 1), what);
	}
	SPI_finish();
	return PointerGetDatum(NULL);
}
