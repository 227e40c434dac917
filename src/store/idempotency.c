/*
 * idempotency.c
 *	  Writes that are sent again with their key.
 *
 * The reply is kept with what the write wrote, in one transaction: either both
 * are there or none.  Where two sessions send one key, the second waits for a
 * lock until the first has ended, and looks with the newest snapshot then.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/identity.h"
#include "auth/limits.h"
#include "auth/token_identity.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/spi.h"
#include "catalog/lock.h"
#include "catalog/pg_type.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "store/idempotency.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#define KG_MAX_KEY_BYTES 128
/* Expired replies that go with each that is kept. */
#define KG_EXPIRED_AT_ONCE_TEXT "100"

const char *
kg_idempotency_key(const Jsonb *options)
{
	JsonbValue value;

	if (kg_json_get(&options->root, "idempotency_key", &value) == NULL)
		return NULL;
	if (value.type != jbvString || value.val.string.len < 1 ||
		value.val.string.len > KG_MAX_KEY_BYTES)
		kg_error_throw_option(
			"idempotency_key", &value, "a string of 1 to 128 bytes");
	return kg_json_cstring(&value);
}

/* Each piece with its length, so that none runs into the next. */
static void
digest_piece(pg_cryptohash_ctx *ctx, const char *data, Size len)
{
	uint64 length = len;

	if (pg_cryptohash_update(ctx, (const uint8 *) &length, sizeof(length)) <
			0 ||
		pg_cryptohash_update(ctx, (const uint8 *) data, len) < 0)
		elog(ERROR, "could not compute a digest");
}

/* What the caller sees is part of what it asks for. */
static void
digest_caller(pg_cryptohash_ctx *ctx)
{
	const KgTokenIdentity *token = kg_token_identity();
	const char *agent = kg_identity_agent();

	digest_piece(ctx, agent ? agent : "", agent ? strlen(agent) : 0);
	for (int i = 0; token && token->scoped && i < token->nscopes; i++)
		digest_piece(ctx, token->scopes[i], strlen(token->scopes[i]));
}

static bytea *
digest_request(FunctionCallInfo fcinfo)
{
	bytea *digest = palloc(VARHDRSZ + PG_SHA256_DIGEST_LENGTH);
	Oid function = fcinfo->flinfo->fn_oid;
	char *name = get_func_name(function);
	pg_cryptohash_ctx *ctx = pg_cryptohash_create(PG_SHA256);

	if (ctx == NULL || pg_cryptohash_init(ctx) < 0)
		elog(ERROR, "could not compute a digest");
	digest_piece(ctx, name, strlen(name));
	for (int i = 0; i < PG_NARGS(); i++)
	{
		struct varlena *argument = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(i));

		digest_piece(ctx, VARDATA_ANY(argument), VARSIZE_ANY_EXHDR(argument));
	}
	digest_caller(ctx);
	SET_VARSIZE(digest, VARHDRSZ + PG_SHA256_DIGEST_LENGTH);
	if (pg_cryptohash_final(
			ctx, (uint8 *) VARDATA(digest), PG_SHA256_DIGEST_LENGTH) < 0)
		elog(ERROR, "could not compute a digest");
	pg_cryptohash_free(ctx);
	return digest;
}

static KG_NORETURN void
throw_other(const char *key)
{
	KgError *err = kg_error_new(KG_CONFLICT,
								"the idempotency key is of another write");

	kg_error_path(err, "/idempotency_key");
	kg_error_got_string(err, key);
	kg_error_expected(err, "a new key for what is not the same write");
	kg_error_throw(err);
}

static Jsonb *
find(const KgRequest *request)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, TEXTOID, TEXTOID, FLOAT8OID};
	Datum values[] = {CStringGetTextDatum(request->tenant),
					  CStringGetTextDatum(request->caller),
					  CStringGetTextDatum(request->key),
					  Float8GetDatum(kg_setting_idempotency_time)};
	KgUserContext user;
	Jsonb *reply = NULL;
	bool isnull;
	bytea *digest;

	kg_become_owner(&user);
	kg_spi_run_newest(&saved,
					  "SELECT request, reply || '{\"replayed\": true}' "
					  "FROM @kg_idempotency "
					  "WHERE tenant = $1 AND caller = $2 AND key = $3 "
					  "AND created_at > clock_timestamp() "
					  "- $4 * '1 s'::interval",
					  4,
					  argtypes,
					  values,
					  NULL,
					  SPI_OK_SELECT);
	kg_restore_user(&user);
	if (SPI_processed == 0)
		return NULL;
	digest = DatumGetByteaPP(kg_spi_value(0, 1, &isnull));
	if (VARSIZE_ANY_EXHDR(digest) != PG_SHA256_DIGEST_LENGTH ||
		memcmp(VARDATA_ANY(digest),
			   VARDATA_ANY(request->digest),
			   PG_SHA256_DIGEST_LENGTH) != 0)
		throw_other(request->key);
	/* A copy: SPI's memory ends with it. */
	reply = DatumGetJsonbPCopy(kg_spi_value(0, 2, &isnull));
	return reply;
}

Jsonb *
kg_idempotency_begin(KgRequest *request, const char *key,
					 FunctionCallInfo fcinfo)
{
	request->tenant = kg_identity_require(KG_ACCESS_WRITE);
	request->caller = kg_caller_name();
	request->key = key;
	request->digest = digest_request(fcinfo);
	/* Where nothing can be written, nothing will be kept. */
	if (!XactReadOnly)
		kg_lock_request(request->tenant, request->caller, key);
	return find(request);
}

static void
forget_expired(const char *tenant)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, FLOAT8OID};
	Datum values[] = {CStringGetTextDatum(tenant),
					  Float8GetDatum(kg_setting_idempotency_time)};

	kg_spi_run_newest(&saved,
					  "WITH expired AS MATERIALIZED (SELECT caller, key "
					  "FROM @kg_idempotency WHERE tenant = $1 "
					  "AND created_at <= clock_timestamp() "
					  "- $2 * '1 s'::interval "
					  "ORDER BY created_at LIMIT " KG_EXPIRED_AT_ONCE_TEXT
					  " FOR UPDATE SKIP LOCKED) "
					  "DELETE FROM @kg_idempotency k USING expired e "
					  "WHERE k.tenant = $1 AND k.caller = e.caller "
					  "AND k.key = e.key",
					  2,
					  argtypes,
					  values,
					  NULL,
					  SPI_OK_DELETE);
}

void
kg_idempotency_keep(const KgRequest *request, const Jsonb *reply)
{
	static KgSaved saved;
	static const Oid argtypes[] = {
		TEXTOID, TEXTOID, TEXTOID, BYTEAOID, JSONBOID};
	Datum values[] = {CStringGetTextDatum(request->tenant),
					  CStringGetTextDatum(request->caller),
					  CStringGetTextDatum(request->key),
					  PointerGetDatum(request->digest),
					  JsonbPGetDatum(reply)};
	KgUserContext user;

	if (XactReadOnly)
		return;
	kg_become_owner(&user);
	kg_spi_run_newest(&saved,
					  "INSERT INTO @kg_idempotency"
					  "(tenant, caller, key, request, reply) "
					  "VALUES ($1, $2, $3, $4, $5) "
					  "ON CONFLICT (tenant, caller, key) DO UPDATE SET "
					  "request = $4, reply = $5, "
					  "created_at = clock_timestamp()",
					  5,
					  argtypes,
					  values,
					  NULL,
					  SPI_OK_INSERT);
	forget_expired(request->tenant);
	kg_restore_user(&user);
}
