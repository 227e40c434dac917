/*
 * load.c
 *	  Positions of loads. A load is a sequence of batches that a client writes.
 *
 * The position is written in the transaction of its batch, so it always agrees
 * with the written rows. Batches are numbered. If two sessions continue the
 * same load, the second session waits for the first session's batch, and then
 * gets an error.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/settings.h"
#include "base/spi.h"
#include "store/idempotency.h"
#include "store/load.h"

#define KG_MAX_LOAD_BYTES 1024
#define KG_MAX_POSITION_BYTES 8192

static void
require_name(const char *load)
{
	if (*load != '\0' && strlen(load) <= KG_MAX_LOAD_BYTES)
		return;
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf(
				 "the name of a load has %d bytes; 1 to %d are allowed",
				 (int) strlen(load),
				 KG_MAX_LOAD_BYTES),
			 .path = "/load",
			 .expected = psprintf("1 to %d bytes", KG_MAX_LOAD_BYTES));
}

Jsonb *
kg_load_position(const char *load)
{
	const char *tenant = kg_identity_require(KG_ACCESS_WRITE);
	const char *caller = kg_caller_of("load");
	KgUserContext user;

	require_name(load);
	kg_become_owner(&user);
	KG_SPI_NEWEST("SELECT jsonb_build_object('batch', batch, "
				  "'position', position, 'updated_at', updated_at) "
				  "FROM @kg_load "
				  "WHERE tenant = $1 AND caller = $2 AND load = $3",
				  kg_arg_text(tenant),
				  kg_arg_text(caller),
				  kg_arg_text(load));
	kg_restore_user(&user);
	if (SPI_processed == 0)
		return NULL;
	return DatumGetJsonbPCopy(kg_spi_datum(0, 1));
}

static KG_NORETURN void
throw_gone_on(const char *load, int64 batch)
{
	KG_THROW(
		KG_CONFLICT,
		.message =
			"another session has continued this load, or there is no such load",
		.path = "/batch",
		.got_string = psprintf(INT64_FORMAT, batch),
		.expected = "the batch after the one that kg_load_position() "
					"returns, or 0 to start again");
}

void
kg_load_batch(const char *load, int64 batch, Jsonb *position)
{
	static KgSaved old;
	const char *tenant = kg_identity_require(KG_ACCESS_WRITE);
	const char *caller = kg_caller_of("load");
	KgUserContext user;

	require_name(load);
	if (VARSIZE(position) > KG_MAX_POSITION_BYTES)
		kg_error_throw(kg_error_new(KG_INVALID_INPUT,
									"the position of a load is larger than "
									"%d bytes",
									KG_MAX_POSITION_BYTES));
	kg_become_owner(&user);
	if (batch == 0)
	{
		kg_delete_old(&old,
					  KG_DELETE_OLD("kg_load", "load", "updated_at"),
					  tenant,
					  kg_setting_load_time);
		KG_SPI_NEWEST("INSERT INTO @kg_load"
					  "(tenant, caller, load, batch, position) "
					  "VALUES ($1, $2, $3, $5, $4) "
					  "ON CONFLICT (tenant, caller, load) DO UPDATE SET "
					  "batch = $5, position = $4, "
					  "updated_at = clock_timestamp()",
					  kg_arg_text(tenant),
					  kg_arg_text(caller),
					  kg_arg_text(load),
					  kg_arg_jsonb(position),
					  kg_arg_int8(batch));
	}
	else
		KG_SPI_NEWEST("UPDATE @kg_load SET batch = $5, position = $4, "
					  "updated_at = clock_timestamp() "
					  "WHERE tenant = $1 AND caller = $2 AND load = $3 "
					  "AND batch = $5 - 1",
					  kg_arg_text(tenant),
					  kg_arg_text(caller),
					  kg_arg_text(load),
					  kg_arg_jsonb(position),
					  kg_arg_int8(batch));
	kg_restore_user(&user);
	if (SPI_processed == 0)
		throw_gone_on(load, batch);
}
