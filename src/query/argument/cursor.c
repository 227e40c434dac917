/*
 * cursor.c
 *	  Signs and opens cursors.
 */
#include "postgres.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include "auth/agent.h"
#include "auth/secret.h"
#include "auth/token_identity.h"
#include "base/big_numbers.h"
#include "base/error.h"
#include "base/invalidate.h"
#include "base/json.h"
#include "base/siphash.h"
#include "common/base64.h"
#include "miscadmin.h"
#include "query/argument/cursor.h"
#include "utils/builtins.h"

#define KG_MAC_BYTES 16
#define KG_DIGEST_BYTES 32
/*
 * Maximum length of a text that is read as a cursor. It is above the length of
 * any valid cursor, which has the keys of up to eight sorted properties of at
 * most 2,000 bytes each.
 */
#define KG_MAX_CURSOR_CHARS 65536

/* Arguments that only determine the size and position of a page. */
static const char *const page_arguments[] = {
	"limit", "offset", "cursor", "max_bytes", "max_tokens"};

/*
 * HMAC-SHA-256 keyed with the secret, and the generation at which the secret
 * was read.
 */
static EVP_MAC_CTX *hmac = NULL;
static uint64 hmac_generation = 0;
/*
 * Key of digests, derived from the secret. A call may need thousands of
 * digests, for which HMAC would be slow.
 */
static KgSipKey digest_key;

static void
set_key(const bytea *secret, bool shared)
{
	StringInfoData key;
	char digest[] = "SHA256";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
		OSSL_PARAM_construct_end()};

	if (hmac == NULL)
	{
		EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);

		hmac = mac ? EVP_MAC_CTX_new(mac) : NULL;
		EVP_MAC_free(mac);
	}
	/*
	 * A copy of the database, made with TEMPLATE, has an equal secret. So the
	 * key includes the database.
	 */
	initStringInfo(&key);
	appendBinaryStringInfo(
		&key, VARDATA_ANY(secret), VARSIZE_ANY_EXHDR(secret));
	if (!shared)
		appendBinaryStringInfo(
			&key, (const char *) &MyDatabaseId, sizeof(MyDatabaseId));
	if (hmac == NULL ||
		!EVP_MAC_init(hmac, (const uint8 *) key.data, key.len, params))
		elog(ERROR, "could not start a MAC");
}

static void
compute_hmac(const char *message, int len, uint8 *digest)
{
	size_t size;

	/*
	 * Without a key argument, EVP_MAC_init() uses the key of the previous call.
	 */
	if (!EVP_MAC_init(hmac, NULL, 0, NULL) ||
		!EVP_MAC_update(hmac, (const uint8 *) message, len) ||
		!EVP_MAC_final(hmac, digest, &size, KG_DIGEST_BYTES))
		elog(ERROR, "could not compute a MAC");
}

static void
make_digest_key(void)
{
	static const char purpose[] = "digest";
	uint8 digest[KG_DIGEST_BYTES];

	compute_hmac(purpose, sizeof(purpose), digest);
	memcpy(&digest_key, digest, sizeof(digest_key));
}

static void
load_secret(void)
{
	uint64 generation = kg_generation();
	bytea *shared;
	bytea *secret;

	if (hmac != NULL && hmac_generation == generation)
		return;
	/*
	 * The secret that the databases of a cluster share (kgctl cluster), or else
	 * the secret of this database.
	 */
	shared = kg_secret_find("cluster");
	secret = shared ? shared : kg_secret_read("cursor");
	set_key(secret, shared != NULL);
	make_digest_key();
	hmac_generation = generation;
	pfree(secret);
}

void
kg_cursor_part(StringInfo query, const void *part, int len)
{
	appendBinaryStringInfo(query, (const char *) &len, sizeof(len));
	appendBinaryStringInfo(query, part, len);
}

static void
append_flag(StringInfo message, bool flag)
{
	kg_cursor_part(message, &flag, sizeof(flag));
}

/*
 * Appends a value. Equal values have equal bytes, because members of nested
 * objects are stored sorted.
 */
static void
append_value(StringInfo message, const JsonbValue *value)
{
	appendStringInfoChar(message, (char) value->type);
	switch ((int) value->type)
	{
		case jbvString:
			kg_cursor_part(
				message, value->val.string.val, value->val.string.len);
			break;
		case jbvNumeric:
			kg_cursor_part(
				message, value->val.numeric, VARSIZE_ANY(value->val.numeric));
			break;
		case jbvBool:
			kg_cursor_part(message, &value->val.boolean, sizeof(bool));
			break;
		case jbvBinary:
			kg_cursor_part(
				message, value->val.binary.data, value->val.binary.len);
			break;
		default:
			break;
	}
}

static bool
sizes_a_page(const JsonbValue *key)
{
	for (int i = 0; i < lengthof(page_arguments); i++)
		if (kg_json_string_is(key, page_arguments[i]))
			return true;
	return false;
}

StringInfo
kg_cursor_query(const char *tool, const char *about,
				const JsonbContainer *arguments)
{
	StringInfo query = makeStringInfo();

	kg_cursor_part(query, tool, strlen(tool));
	kg_cursor_part(query, about, strlen(about));
	/*
	 * The caller gets the arguments of "next" with big numbers as text, and
	 * sends them back in this form.
	 */
	kg_json_each(it, kg_big_numbers_in(arguments))
	{
		if (sizes_a_page(&it.key))
			continue;
		kg_cursor_part(query, it.key.val.string.val, it.key.val.string.len);
		append_value(query, &it.value);
	}
	return query;
}

/*
 * Appends the identity of the caller. Only this caller may use the cursor,
 * because it contains positions and totals of rows that another role, agent or
 * scope may not see.
 */
static void
append_viewer(StringInfo message, const char *tenant)
{
	const KgTokenIdentity *token = kg_token_identity();
	const KgAgent *agent = kg_agent_current();
	Oid role = GetUserId();

	kg_cursor_part(message, tenant, strlen(tenant));
	kg_cursor_part(message, &role, sizeof(role));
	/*
	 * The flags distinguish no agent from an empty name, and no scopes from an
	 * empty list.
	 */
	append_flag(message, agent != NULL);
	if (agent != NULL)
		kg_cursor_part(message, agent->name, strlen(agent->name));
	append_flag(message, token != NULL && token->scoped);
	if (token == NULL || !token->scoped)
		return;
	kg_cursor_part(message, &token->nscopes, sizeof(token->nscopes));
	for (int i = 0; i < token->nscopes; i++)
		kg_cursor_part(message, token->scopes[i], strlen(token->scopes[i]));
}

static void
compute_mac(const char *tenant, const StringInfoData *query,
			const char *payload, int len, uint8 *mac)
{
	StringInfoData viewer;
	StringInfoData message;
	uint8 digest[KG_DIGEST_BYTES];

	load_secret();
	initStringInfo(&viewer);
	append_viewer(&viewer, tenant);
	initStringInfo(&message);
	kg_cursor_part(&message, viewer.data, viewer.len);
	kg_cursor_part(&message, query->data, query->len);
	kg_cursor_part(&message, payload, len);
	compute_hmac(message.data, message.len, digest);
	pfree(viewer.data);
	pfree(message.data);
	memcpy(mac, digest, KG_MAC_BYTES);
}

/*
 * Encrypts or decrypts the payload by XOR with a digest of the MAC, which
 * differs for each payload.
 */
static void
hide(char *payload, int len, const char *mac)
{
	/*
	 * A message of compute_mac() never begins with this text, because its first
	 * bytes are a length.
	 */
	static const char purpose[] = "hidden";
	char message[sizeof(purpose) + KG_MAC_BYTES];
	uint8 digest[KG_DIGEST_BYTES];

	memcpy(message, purpose, sizeof(purpose));
	memcpy(message + sizeof(purpose), mac, KG_MAC_BYTES);
	compute_hmac(message, sizeof(message), digest);
	for (int i = 0; i < len; i++)
		payload[i] ^= digest[i];
}

static char *
seal(const char *tenant, const StringInfoData *query, const char *payload,
	 int len, bool hidden)
{
	char *raw = palloc(len + KG_MAC_BYTES);
	int size = pg_b64_enc_len(len + KG_MAC_BYTES) + 1;
	char *text = palloc(size);
	int n;

	memcpy(raw, payload, len);
	compute_mac(tenant, query, payload, len, (uint8 *) raw + len);
	if (hidden)
		hide(raw, len, raw + len);
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

char *
kg_cursor_seal(const char *tenant, const StringInfoData *query,
			   const char *payload, int len)
{
	return seal(tenant, query, payload, len, false);
}

char *
kg_cursor_seal_hidden(const char *tenant, const StringInfoData *query,
					  const char *payload, int len)
{
	Assert(len <= KG_MOST_HIDDEN);
	return seal(tenant, query, payload, len, true);
}

static KG_NORETURN void
throw_bad_cursor(const char *cursor, const char *path)
{
	KgError *err = kg_error_new(KG_INVALID_INPUT,
								"the cursor does not belong to this query");

	kg_error_path(err, "%s", path);
	kg_error_got_string(err, cursor);
	kg_error_expected(
		err,
		"the cursor in \"next\" of a reply to the same arguments, or no "
		"cursor, to start again (needed after a change of the schema)");
	kg_error_leave_out(err);
	kg_error_throw(err);
}

StringInfo
kg_cursor_open(const char *tenant, const StringInfoData *query,
			   const char *cursor, const char *path)
{
	StringInfo payload = kg_cursor_unseal(
		tenant, query, cursor, KG_MAX_CURSOR_CHARS);

	if (payload == NULL)
		throw_bad_cursor(cursor, path);
	return payload;
}

static StringInfo
unseal(const char *tenant, const StringInfoData *query, const char *cursor,
	   int longest, bool hidden)
{
	int len = strlen(cursor);
	StringInfo payload = makeStringInfo();
	uint8 mac[KG_MAC_BYTES];
	uint8 different = 0;
	char *text;
	char *raw;
	int n;

	if (len < 1 || len > longest)
		return NULL;
	text = palloc(len + 4);
	for (int i = 0; i < len; i++)
	{
		char c = cursor[i];

		if (c == '+' || c == '/' || c == '=')
			return NULL;
		text[i] = c == '-' ? '+' : c == '_' ? '/' : c;
	}
	while (len % 4 != 0)
		text[len++] = '=';
	n = pg_b64_dec_len(len);
	raw = palloc(n + 1);
	n = pg_b64_decode((void *) text, len, (void *) raw, n);
	if (n < KG_MAC_BYTES)
		return NULL;
	n -= KG_MAC_BYTES;
	if (hidden)
	{
		if (n > KG_MOST_HIDDEN)
			return NULL;
		load_secret();
		hide(raw, n, raw + n);
	}
	compute_mac(tenant, query, raw, n, mac);
	/*
	 * Compare in constant time, so that the time does not reveal how many bytes
	 * are right.
	 */
	for (int i = 0; i < KG_MAC_BYTES; i++)
		different |= mac[i] ^ (uint8) raw[n + i];
	if (different)
		return NULL;
	appendBinaryStringInfo(payload, raw, n);
	return payload;
}

StringInfo
kg_cursor_unseal(const char *tenant, const StringInfoData *query,
				 const char *cursor, int longest)
{
	return unseal(tenant, query, cursor, longest, false);
}

StringInfo
kg_cursor_unseal_hidden(const char *tenant, const StringInfoData *query,
						const char *cursor, int longest)
{
	return unseal(tenant, query, cursor, longest, true);
}

uint64
kg_cursor_digest(const char *bytes, int len)
{
	load_secret();
	return kg_siphash(&digest_key, bytes, len);
}
