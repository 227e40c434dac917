/*
 * tenants.c
 *	  kg_create_tenant, kg_drop_tenant.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/grants.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"
#include "base/text.h"
#include "catalog/adjacency.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"

PGDLLEXPORT Datum kg_sql_create_tenant(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(kg_sql_create_tenant);

KG_AUDITED(kg_sql_create_tenant, KG_AUDIT_WRITES)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID};
	Datum values[] = {PG_GETARG_DATUM(0)};
	char *tenant = text_to_cstring(PG_GETARG_TEXT_PP(0));
	int len = strlen(tenant);
	KgUserContext user;
	KgError *err;

	if (len < 1 || len > 63 || kg_has_control(tenant, len))
	{
		err = kg_error_new(KG_INVALID_INPUT, "tenant name is not valid");
		kg_error_got_string(err, tenant);
		kg_error_expected(err,
						  "1 to 63 bytes of text without control characters");
		kg_error_throw(err);
	}
	kg_become_owner(&user);
	SPI_connect();
	kg_spi_run(&saved,
			   "INSERT INTO @kg_tenant(tenant) VALUES ($1) "
			   "ON CONFLICT DO NOTHING",
			   1,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_INSERT);
	if (SPI_processed == 0)
	{
		err = kg_error_new(
			KG_ALREADY_EXISTS, "tenant \"%s\" already exists", tenant);
		kg_error_throw(err);
	}
	SPI_finish();
	kg_restore_user(&user);
	PG_RETURN_VOID();
}

PGDLLEXPORT Datum kg_sql_drop_tenant(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(kg_sql_drop_tenant);

/* Everything of a tenant, from the leaves up, and what its grants gave. */
KG_AUDITED(kg_sql_drop_tenant, KG_AUDIT_WRITES)
{
	static const char *const statements[] = {
		"DELETE FROM @kg_edge WHERE tenant = $1",
		"DELETE FROM @kg_adjacency WHERE tenant = $1 AND block = 0",
		"DELETE FROM @kg_adjacency WHERE tenant = $1 "
		"AND block >= (SELECT -max(node) FROM @kg_entity WHERE tenant = $1) "
		"AND block <= (SELECT -min(node) FROM @kg_entity WHERE tenant = $1)",
		"DELETE FROM @kg_adjacency WHERE tenant = $1 AND block >= "
		"(SELECT (min(node) - 1) / " KG_BLOCK_TEXT " + 1 "
		"FROM @kg_entity WHERE tenant = $1) "
		"AND block <= "
		"(SELECT (max(node) - 1) / " KG_BLOCK_TEXT " + 1 "
		"FROM @kg_entity WHERE tenant = $1)",
		("DELETE FROM @kg_index_key WHERE tenant = $1 AND type_no IN "
		 "(SELECT type_no FROM @kg_entity_type WHERE tenant = $1)"),
		"DELETE FROM @kg_unique_key WHERE tenant = $1",
		"DELETE FROM @kg_term WHERE tenant = $1",
		"DELETE FROM @kg_trigram WHERE tenant = $1",
		"DELETE FROM @kg_word WHERE tenant = $1",
		"DELETE FROM @kg_word_count WHERE tenant = $1",
		"DELETE FROM @kg_audit WHERE tenant = $1",
		"DELETE FROM @kg_entity WHERE tenant = $1",
		"DELETE FROM @kg_history WHERE tenant = $1",
		"DELETE FROM @kg_relation WHERE tenant = $1",
		"DELETE FROM @kg_tool_version WHERE tenant = $1",
		"DELETE FROM @kg_tool WHERE tenant = $1",
		"DELETE FROM @kg_entity_type WHERE tenant = $1",
		"DELETE FROM @kg_bundle WHERE tenant = $1",
		"DELETE FROM @kg_tenant_role WHERE tenant = $1",
		"DELETE FROM @kg_tenant WHERE tenant = $1"};
	static KgSaved saved[lengthof(statements)];
	static const Oid argtypes[] = {TEXTOID};
	Datum values[] = {PG_GETARG_DATUM(0)};
	KgUserContext user;
	List *roles;

	kg_become_owner(&user);
	SPI_connect();
	kg_require_tenant(values[0]);
	roles = kg_granted_roles(values[0]);
	for (int i = 0; i < lengthof(statements); i++)
		/* Newest: also what this transaction's snapshot does not show. */
		kg_spi_run_newest(
			&saved[i], statements[i], 1, argtypes, values, NULL, SPI_OK_DELETE);
	kg_sync_roles(roles);
	SPI_finish();
	kg_restore_user(&user);
	PG_RETURN_VOID();
}
