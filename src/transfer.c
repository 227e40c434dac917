/*
 * transfer.c
 *	  SQL functions kg_export_tenant, kg_import_tenant, kg_set_shard.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/grants.h"
#include "auth/owner.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"
#include "fmgr.h"
#include "store/tenant/transfer.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

KG_AUDITED(kg_sql_export_tenant, KG_AUDIT_READS)
{
	static const char *const known[] = {"secrets", NULL};
	const Jsonb *options = PG_GETARG_JSONB_P(1);
	KgUserContext user;
	bool secrets;

	kg_owner_require("export tenants");
	kg_check_options(options, known);
	secrets = kg_option_is_on(options, "secrets");
	kg_spi_begin_as_owner(&user);
	kg_require_tenant(PG_GETARG_DATUM(0));
	kg_tenant_export(text_to_cstring(PG_GETARG_TEXT_PP(0)), secrets, fcinfo);
	kg_spi_end_as_owner(&user);
	return (Datum) 0;
}

/*
 * Defines kg_import_tenant(). All its arguments are data of a tenant and may
 * include keys, so they are not recorded.
 */
KG_AUDITED(kg_sql_import_tenant, KG_AUDIT_SECRET)
{
	MemoryContext caller = CurrentMemoryContext;
	KgUserContext user;
	Jsonb *reply;

	kg_owner_require("import tenants");
	kg_spi_begin_as_owner(&user);
	reply = kg_tenant_import(
		PG_GETARG_DATUM(0), PG_GETARG_JSONB_P(1), PG_GETARG_INT32(2));
	MemoryContextSwitchTo(caller);
	reply = (Jsonb *) pg_detoast_datum_copy((struct varlena *) reply);
	kg_spi_end_as_owner(&user);
	PG_RETURN_JSONB_P(reply);
}

static void
advance(const char *sequence, int64 last)
{
	DirectFunctionCall2(setval_oid,
						ObjectIdGetDatum(kg_relation_oid(sequence)),
						Int64GetDatum(last));
}

/*
 * Defines kg_set_shard(), which sets the shard number of the database. It does
 * nothing if the database has this number. Otherwise the database must have no
 * number and no tenants: sequences only advance, and the numbers of existing
 * tenants would belong to another shard.
 */
KG_AUDITED(kg_sql_set_shard, KG_AUDIT_WRITES)
{
	int32 shard = PG_GETARG_INT32(0);
	KgUserContext user;

	kg_owner_require("number the database");
	if (shard < 1 || shard > 2047)
		KG_THROW(KG_INVALID_INPUT,
				 .message = "shard is out of range",
				 .path = "/shard",
				 .expected = "a number from 1 to 2047; 0 stands for a database "
							 "without a number");
	kg_spi_begin_as_owner(&user);
	KG_SPI_EXEC("SELECT FROM @kg_number_range WHERE shard = $1",
				kg_arg_int4(shard));
	if (SPI_processed == 0)
	{
		KG_SPI_EXEC("INSERT INTO @kg_number_range(shard) SELECT $1 "
					"WHERE NOT EXISTS (SELECT FROM @kg_number_range) "
					"AND NOT EXISTS (SELECT FROM @kg_tenant)",
					kg_arg_int4(shard));
		if (SPI_processed == 0)
			KG_THROW(
				KG_FORBIDDEN,
				.message = "the database has another number, or has tenants",
				.expected = "a database without tenants and without a number");
		advance("kg_node_seq", (int64) shard << 40);
		advance("kg_type_seq", (int64) shard << 20);
		advance("kg_relation_seq", (int64) shard << 20);
	}
	kg_spi_end_as_owner(&user);
	PG_RETURN_VOID();
}
