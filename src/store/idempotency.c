/*
 * idempotency.c
 *	  Idempotency keys of writes.
 *
 * The reply is stored in the transaction of the write, so either both are
 * committed or neither is. If two sessions send the same key, the second
 * session waits for a lock until the first transaction has ended. It then
 * reads with the newest snapshot.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/identity.h"
#include "auth/token_identity.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/spi.h"
#include "base/splice.h"
#include "model/catalog.h"
#include "model/lock.h"
#include "catalog/pg_type.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "miscadmin.h"
#include "store/entity/entity_ids.h"
#include "store/idempotency.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#define KG_MAX_KEY_BYTES 128

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

/*
 * Adds data and its length to the digest, so that different splits of the same
 * bytes give different digests.
 */
static void
digest_piece(pg_cryptohash_ctx *ctx, const char *data, Size len)
{
	uint64 length = len;

	if (pg_cryptohash_update(ctx, (const uint8 *) &length, sizeof(length)) <
			0 ||
		pg_cryptohash_update(ctx, (const uint8 *) data, len) < 0)
		elog(ERROR, "could not compute a digest");
}

/*
 * Adds the scopes of the caller to the digest: a call with equal arguments but
 * other scopes is another request.
 */
static void
digest_scopes(pg_cryptohash_ctx *ctx)
{
	const KgTokenIdentity *token = kg_token_identity();

	for (int i = 0; token && token->scoped && i < token->nscopes; i++)
		digest_piece(ctx, token->scopes[i], strlen(token->scopes[i]));
}

static pg_cryptohash_ctx *
begin_digest(void)
{
	pg_cryptohash_ctx *ctx = pg_cryptohash_create(PG_SHA256);

	if (ctx == NULL || pg_cryptohash_init(ctx) < 0)
		elog(ERROR, "could not compute a digest");
	return ctx;
}

static bytea *
end_digest(pg_cryptohash_ctx *ctx)
{
	bytea *digest = palloc(VARHDRSZ + PG_SHA256_DIGEST_LENGTH);

	SET_VARSIZE(digest, VARHDRSZ + PG_SHA256_DIGEST_LENGTH);
	if (pg_cryptohash_final(
			ctx, (uint8 *) VARDATA(digest), PG_SHA256_DIGEST_LENGTH) < 0)
		elog(ERROR, "could not compute a digest");
	pg_cryptohash_free(ctx);
	return digest;
}

static bytea *
digest_request(FunctionCallInfo fcinfo)
{
	pg_cryptohash_ctx *ctx = begin_digest();

	for (int i = 0; i < PG_NARGS(); i++)
	{
		struct varlena *argument = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(i));

		digest_piece(ctx, VARDATA_ANY(argument), VARSIZE_ANY_EXHDR(argument));
	}
	digest_scopes(ctx);
	return end_digest(ctx);
}

char *
kg_caller_of(const char *called)
{
	const char *names[] = {GetUserNameFromId(GetUserId(), false),
						   kg_token_subject(),
						   kg_identity_agent(),
						   called};
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < lengthof(names); i++)
	{
		appendStringInfoString(&text, i == 0 ? "[" : ", ");
		if (names[i] != NULL)
			escape_json(&text, names[i]);
		else
			appendStringInfoString(&text, "null");
	}
	appendStringInfoChar(&text, ']');
	return text.data;
}

static KG_NORETURN void
throw_other(const char *key)
{
	KG_THROW(KG_CONFLICT,
			 .message = "the idempotency key was used for another write",
			 .path = "/idempotency_key",
			 .got_string = key,
			 .expected = "a new key for a different write");
}

static Jsonb *
find(const KgRequest *request)
{
	KgUserContext user;
	Jsonb *reply = NULL;
	bytea *digest;

	kg_become_owner(&user);
	KG_SPI_NEWEST(
		"SELECT request, reply || '{\"replayed\": true}' "
		"FROM @kg_idempotency "
		"WHERE tenant = $1 AND caller = $2 AND key = $3 "
		"AND created_at > clock_timestamp() "
		"- $4 * '1 s'::interval",
		kg_arg_text(request->tenant),
		kg_arg_text(request->caller),
		kg_arg_text(request->key),
		kg_arg(FLOAT8OID, Float8GetDatum(kg_setting_idempotency_time)));
	kg_restore_user(&user);
	if (SPI_processed == 0)
		return NULL;
	digest = DatumGetByteaPP(kg_spi_datum(0, 1));
	if (VARSIZE_ANY_EXHDR(digest) != PG_SHA256_DIGEST_LENGTH ||
		memcmp(VARDATA_ANY(digest),
			   VARDATA_ANY(request->digest),
			   PG_SHA256_DIGEST_LENGTH) != 0)
		throw_other(request->key);
	/* The reply is copied because SPI_finish() frees SPI's memory. */
	reply = DatumGetJsonbPCopy(kg_spi_datum(0, 2));
	/*
	 * A client that lost the first reply also lost the WAL position by which a
	 * standby recognizes the write. The WAL position of this transaction can
	 * replace it, because this transaction commits after the write. An XID is
	 * assigned so that this transaction, which writes nothing, has such a
	 * position.
	 */
	if (kg_setting_mcp_server == KG_SERVER_PRIMARY)
		(void) GetTopFullTransactionId();
	return reply;
}

static Jsonb *
begin(KgRequest *request, const char *key, const char *caller)
{
	request->tenant = kg_identity_require(KG_ACCESS_WRITE);
	request->caller = caller;
	request->key = key;
	/* A read-only transaction cannot store a reply, so it needs no lock. */
	if (!XactReadOnly)
		kg_lock_request(request->tenant, request->caller, key);
	return find(request);
}

Jsonb *
kg_idempotency_begin(KgRequest *request, const char *key,
					 FunctionCallInfo fcinfo)
{
	request->digest = digest_request(fcinfo);
	return begin(
		request, key, kg_caller_of(get_func_name(fcinfo->flinfo->fn_oid)));
}

Jsonb *
kg_idempotency_begin_tool(KgRequest *request, const char *key, const char *tool,
						  const Jsonb *arguments)
{
	pg_cryptohash_ctx *ctx = begin_digest();

	digest_piece(ctx, VARDATA_ANY(arguments), VARSIZE_ANY_EXHDR(arguments));
	digest_scopes(ctx);
	request->digest = end_digest(ctx);
	/*
	 * No function has a name with a blank, so a tool's name differs from all
	 * functions.
	 */
	return begin(request, key, kg_caller_of(psprintf("tool %s", tool)));
}

bool
kg_idempotency_used(KgRequest *request, const char *text)
{
	pg_cryptohash_ctx *ctx = begin_digest();
	char key[2 * PG_SHA256_DIGEST_LENGTH + 1];

	digest_piece(ctx, text, strlen(text));
	request->digest = end_digest(ctx);
	key[hex_encode(VARDATA(request->digest), PG_SHA256_DIGEST_LENGTH, key)] =
		'\0';
	/*
	 * "[]" is not the JSON text of any caller. It stands for all callers
	 * together, so the text permits one write of one of them.
	 */
	return begin(request, pstrdup(key), "[]") != NULL;
}

void
kg_delete_old(KgSaved *saved, const char *sql, const char *tenant, int seconds)
{
	kg_spi_exec_newest(saved,
					   sql,
					   kg_arg_text(tenant),
					   kg_arg(FLOAT8OID, Float8GetDatum(seconds)));
}

void
kg_idempotency_keep(const KgRequest *request, const Jsonb *reply)
{
	/*
	 * Members beside the items that contain handles and values. They are not
	 * stored, because the caller may not see these objects when the reply is
	 * sent again.
	 */
	static const char *const once[] = {"referrers", "conflicts"};
	static KgSaved expired;
	KgUserContext user;
	JsonbValue value;

	if (XactReadOnly)
		return;
	for (int i = 0; i < lengthof(once); i++)
		if (kg_json_get(&reply->root, once[i], &value) != NULL)
			reply = kg_json_without(reply, once[i]);
	kg_become_owner(&user);
	KG_SPI_NEWEST("INSERT INTO @kg_idempotency"
				  "(tenant, caller, key, request, reply) "
				  "VALUES ($1, $2, $3, $4, $5) "
				  "ON CONFLICT (tenant, caller, key) DO UPDATE SET "
				  "request = $4, reply = $5, "
				  "created_at = clock_timestamp()",
				  kg_arg_text(request->tenant),
				  kg_arg_text(request->caller),
				  kg_arg_text(request->key),
				  kg_arg(BYTEAOID, PointerGetDatum(request->digest)),
				  kg_arg_jsonb(reply));
	kg_delete_old(&expired,
				  KG_DELETE_OLD("kg_idempotency", "key", "created_at"),
				  request->tenant,
				  kg_setting_idempotency_time);
	kg_restore_user(&user);
}

/* ---- replies that are sent again ---- */

/*
 * Returns for each id in a reply's items whether the caller sees the entity
 * now.
 */
static bool *
find_seen(const char *tenant, const KgType *type, const char *const *ids, int n)
{
	static KgForms forms = KG_FORMS_OF_IDS("u.ord", "");
	bool *seen = palloc0(Max(1, n) * sizeof(bool));

	kg_select_of_ids(&forms, tenant, type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
		seen[kg_spi_int64(i, 1) - 1] = true;
	SPI_freetuptable(SPI_tuptable);
	return seen;
}

static bool
has_verdict(const JsonbContainer *item, const char *name)
{
	JsonbValue verdict;

	return kg_json_get(item, "verdict", &verdict) != NULL &&
		   kg_json_string_is(&verdict, name);
}

/*
 * Writes an error of a stored reply, without the member referenced_by. If
 * "seen" is false, the caller does not see the entity now, and only the members
 * code and path are written.
 */
static void
write_error(KgJsonWriter *w, const JsonbValue *error, bool seen)
{
	kg_jw_begin_object(w);
	kg_json_each(it, kg_json_container(error))
	{
		/*
		 * Handles of referring entities are omitted, because these may be
		 * hidden now.
		 */
		if (kg_json_string_is(&it.key, "referenced_by") ||
			(!seen && !kg_json_string_is(&it.key, "code") &&
			 !kg_json_string_is(&it.key, "path")))
			continue;
		kg_jw_member(w, &it);
	}
	kg_jw_end_object(w);
}

static void
write_item(KgJsonWriter *w, const JsonbContainer *item, bool seen)
{
	kg_jw_begin_object(w);
	kg_json_each(it, item)
	{
		bool is_error = kg_json_string_is(&it.key, "error");

		/*
		 * "nearest" and "merged_into" are omitted, because their entities were
		 * visible only at the time of the first reply.
		 */
		if (kg_json_string_is(&it.key, "nearest") ||
			kg_json_string_is(&it.key, "merged_into"))
			continue;
		if (!seen && !is_error && !kg_json_string_is(&it.key, "id") &&
			!kg_json_string_is(&it.key, "verdict"))
			continue;
		kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
		if (is_error)
			write_error(w, &it.value, seen);
		else
			kg_jw_value(w, &it.value);
	}
	kg_jw_end_object(w);
}

static Jsonb *
write_items(const JsonbContainer *items, const bool *seen, int *withheld)
{
	KgJsonWriter w;
	JsonbValue value;

	kg_jw_init_array(&w);
	kg_json_each(it, items)
	{
		const JsonbContainer *item = kg_json_container(&it.value);
		/*
		 * If the item's entity was deleted, merged or not found, its absence
		 * does not mean that it is hidden.
		 */
		bool whole = seen[it.index] || has_verdict(item, "deleted") ||
					 has_verdict(item, "merged") ||
					 has_verdict(item, "not_found");

		write_item(&w, item, whole);
		*withheld += !whole && (kg_json_get(item, "version", &value) ||
								kg_json_get(item, "changed", &value));
	}
	return kg_jw_finish(&w);
}

/* The arguments of a KgSeen function for kg_idempotency_withhold(). */
typedef struct Sight
{
	const char *tenant;
	const KgType *type;
} Sight;

static bool *
find_stored(const char *const *ids, int n, void *arg)
{
	const Sight *sight = arg;

	return find_seen(sight->tenant, sight->type, ids, n);
}

Jsonb *
kg_idempotency_seen(const char *type_name, const Jsonb *reply)
{
	Sight sight = {kg_identity_require(KG_ACCESS_WRITE)};

	sight.type = kg_catalog_require_type(
		kg_catalog_newest(sight.tenant), type_name, "/entity_type");
	return kg_idempotency_withhold(reply, find_stored, &sight);
}

Jsonb *
kg_idempotency_withhold(const Jsonb *reply, KgSeen find, void *arg)
{
	JsonbValue items;
	JsonbValue id;
	const char **ids;
	int withheld = 0;
	Jsonb *seen;
	KgSplice result;

	if (kg_json_get(&reply->root, "items", &items) == NULL ||
		!kg_json_is_array(&items))
		return (Jsonb *) reply;
	ids = palloc0(Max(1, kg_json_length(kg_json_container(&items))) *
				  sizeof(char *));
	kg_json_each(it, kg_json_container(&items))
		if (kg_json_get(kg_json_container(&it.value), "id", &id) != NULL)
			ids[it.index] = kg_json_cstring(&id);
	seen = write_items(
		kg_json_container(&items),
		find(ids, kg_json_length(kg_json_container(&items)), arg),
		&withheld);
	kg_splice_init(&result);
	kg_json_each(it, &reply->root)
		if (!kg_json_string_is(&it.key, "items"))
			kg_splice_add(&result, kg_json_cstring(&it.key), &it.value);
	kg_splice_jsonb(&result, "items", seen);
	if (withheld > 0)
		kg_splice_jsonb(&result,
						"withheld",
						kg_json_parse(psprintf("{\"items\": %d}", withheld)));
	return kg_splice_finish(&result);
}
