/*
 * authorize.c
 *	  kg_set_authorizer.
 */
#include "postgres.h"

#include "auth/grants.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "query/authorizer.h"
#include "utils/acl.h"
#include "utils/builtins.h"

/* EXECUTE alone would not do: the function runs with every caller's rights. */
static void
require_owner(void)
{
	KgError *err;

	if (has_privs_of_role(GetUserId(), kg_extension_owner()))
		return;
	err = kg_error_new(KG_FORBIDDEN,
					   "role \"%s\" may not set an authorizer",
					   GetUserNameFromId(GetUserId(), false));
	kg_error_expected(err, "the owner of the extension");
	kg_error_throw(err);
}

PGDLLEXPORT Datum kg_sql_set_authorizer(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(kg_sql_set_authorizer);

Datum
kg_sql_set_authorizer(PG_FUNCTION_ARGS)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, TEXTOID};
	Datum values[2];
	char nulls[] = "  ";
	KgUserContext user;

	require_owner();
	if (PG_ARGISNULL(0))
		kg_error_throw(
			kg_error_new(KG_INVALID_INPUT, "tenant must not be null"));
	values[0] = PG_GETARG_DATUM(0);
	kg_spi_put_text(values,
					nulls,
					1,
					PG_ARGISNULL(1) ? NULL
									: kg_authorizer_check(PG_GETARG_OID(1)));
	kg_become_owner(&user);
	SPI_connect();
	kg_require_tenant(values[0]);
	kg_spi_run(&saved,
			   "UPDATE @kg_tenant SET authorizer = $2 WHERE tenant = $1",
			   2,
			   argtypes,
			   values,
			   nulls,
			   false,
			   SPI_OK_UPDATE);
	SPI_finish();
	kg_restore_user(&user);
	PG_RETURN_VOID();
}
