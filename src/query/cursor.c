/*
 * cursor.c
 *	  Signing and opening cursors.
 */
#include "postgres.h"

#include "base/agent.h"
#include "base/error.h"
#include "base/identity.h"
#include "base/invalidate.h"
#include "base/json.h"
#include "base/spi.h"
#include "base/token.h"
#include "common/base64.h"
#include "common/hmac.h"
#include "common/sha2.h"
#include "miscadmin.h"
#include "query/cursor.h"
#include "utils/builtins.h"

#define KG_MAC_BYTES 16
#define KG_SECRET_BYTES 64
#define KG_MAX_CURSOR_CHARS 16384

/* Arguments that size a page but do not change the query. */
static const char *const page_arguments[] = {
	"limit", "offset", "cursor", "max_bytes", "max_tokens"};

static uint8 secret[KG_SECRET_BYTES];
static int secret_len = 0;
static uint64 secret_generation = 0;

static void
load_secret(void)
{
	static KgSaved saved;
	KgUserContext user;
	bool isnull;
	Datum value;

	if (secret_len > 0 && secret_generation == kg_generation())
		return;
	kg_become_owner(&user);
	SPI_connect();
	kg_spi_run(&saved,
			   "SELECT secret FROM @kg_secret WHERE name = 'cursor'",
			   0,
			   NULL,
			   NULL,
			   NULL,
			   true,
			   SPI_OK_SELECT);
	if (SPI_processed != 1)
		elog(ERROR, "kg_secret has no row \"cursor\"");
	value = kg_spi_value(0, 1, &isnull);
	secret_len = Min(KG_SECRET_BYTES,
					 (int) VARSIZE_ANY_EXHDR(DatumGetByteaPP(value)));
	memcpy(secret, VARDATA_ANY(DatumGetByteaPP(value)), secret_len);
	secret_generation = kg_generation();
	SPI_finish();
	kg_restore_user(&user);
}

Jsonb *
kg_cursor_query(const char *tool, const char *about,
				const JsonbContainer *arguments)
{
	KgJsonWriter w;
	KgJsonIter it;

	kg_jw_init(&w);
	kg_jw_begin_array(&w);
	kg_jw_string(&w, tool);
	kg_jw_string(&w, about);
	kg_jw_begin_object(&w);
	kg_json_iter_init(&it, arguments);
	while (kg_json_iter_next(&it))
	{
		bool page = false;

		for (int i = 0; i < lengthof(page_arguments) && !page; i++)
			page = kg_json_string_is(&it.key, page_arguments[i]);
		if (page)
			continue;
		kg_jw_keyn(&w, it.key.val.string.val, it.key.val.string.len);
		kg_jw_value(&w, &it.value);
	}
	kg_jw_end_object(&w);
	kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}

/*
 * Who may use a cursor: it holds positions and totals of what its maker sees,
 * and another role, agent or scope of the tenant may see less.
 */
static void
append_viewer(StringInfo viewer, const char *tenant)
{
	const KgTokenIdentity *token = kg_token_identity();
	const KgAgent *agent = kg_agent_current();

	appendStringInfo(viewer,
					 "%s%c%u%c%s",
					 tenant,
					 '\0',
					 GetUserId(),
					 '\0',
					 agent ? agent->name : "");
	if (token == NULL || !token->scoped)
		return;
	for (int i = 0; i < token->nscopes; i++)
		appendStringInfo(viewer, "%c%s", '\0', token->scopes[i]);
}

static void
compute_mac(const char *tenant, const Jsonb *query, const char *payload,
			int len, uint8 *mac)
{
	pg_hmac_ctx *ctx;
	uint8 digest[PG_SHA256_DIGEST_LENGTH];
	StringInfoData viewer;

	load_secret();
	initStringInfo(&viewer);
	append_viewer(&viewer, tenant);
	ctx = pg_hmac_create(PG_SHA256);
	if (ctx == NULL || pg_hmac_init(ctx, secret, secret_len) < 0 ||
		pg_hmac_update(ctx, (const uint8 *) viewer.data, viewer.len + 1) < 0 ||
		pg_hmac_update(ctx, (const uint8 *) query, VARSIZE(query)) < 0 ||
		pg_hmac_update(ctx, (const uint8 *) payload, len) < 0 ||
		pg_hmac_final(ctx, digest, sizeof(digest)) < 0)
	{
		pg_hmac_free(ctx);
		elog(ERROR, "could not compute a MAC");
	}
	pg_hmac_free(ctx);
	pfree(viewer.data);
	memcpy(mac, digest, KG_MAC_BYTES);
}

char *
kg_cursor_seal(const char *tenant, const Jsonb *query, const char *payload,
			   int len)
{
	char *raw = palloc(len + KG_MAC_BYTES);
	int size = pg_b64_enc_len(len + KG_MAC_BYTES) + 1;
	char *text = palloc(size);
	int n;

	memcpy(raw, payload, len);
	compute_mac(tenant, query, payload, len, (uint8 *) raw + len);
	n = pg_b64_encode((void *) raw, len + KG_MAC_BYTES, (void *) text, size);
	if (n < 0)
		elog(ERROR, "could not encode a cursor");
	while (n > 0 && text[n - 1] == '=')
		n--;
	text[n] = '\0';
	for (int i = 0; i < n; i++)
	{
		if (text[i] == '+')
			text[i] = '-';
		else if (text[i] == '/')
			text[i] = '_';
	}
	return text;
}

static KG_NORETURN void
throw_bad_cursor(const char *cursor, const char *path)
{
	KgError *err = kg_error_new(KG_INVALID_INPUT,
								"the cursor does not belong to this query");

	kg_error_path(err, "%s", path);
	kg_error_got_string(err, cursor);
	kg_error_expected(err,
					  "the cursor in \"next\" of a reply to the same "
					  "arguments, or no cursor to start again");
	kg_error_throw(err);
}

StringInfo
kg_cursor_open(const char *tenant, const Jsonb *query, const char *cursor,
			   const char *path)
{
	int len = strlen(cursor);
	StringInfo payload = makeStringInfo();
	uint8 mac[KG_MAC_BYTES];
	uint8 different = 0;
	char *text;
	char *raw;
	int n;

	if (len < 1 || len > KG_MAX_CURSOR_CHARS)
		throw_bad_cursor(cursor, path);
	text = palloc(len + 4);
	for (int i = 0; i < len; i++)
	{
		char c = cursor[i];

		if (c == '+' || c == '/' || c == '=')
			throw_bad_cursor(cursor, path);
		text[i] = c == '-' ? '+' : c == '_' ? '/' : c;
	}
	while (len % 4 != 0)
		text[len++] = '=';
	n = pg_b64_dec_len(len);
	raw = palloc(n + 1);
	n = pg_b64_decode((void *) text, len, (void *) raw, n);
	if (n < KG_MAC_BYTES)
		throw_bad_cursor(cursor, path);
	n -= KG_MAC_BYTES;
	compute_mac(tenant, query, raw, n, mac);
	/* In constant time: how much of it is right is nobody's business. */
	for (int i = 0; i < KG_MAC_BYTES; i++)
		different |= mac[i] ^ (uint8) raw[n + i];
	if (different)
		throw_bad_cursor(cursor, path);
	appendBinaryStringInfo(payload, raw, n);
	return payload;
}
