/*
 * listen.c
 *	  Notifications for gateways on the channel kg_mcp.
 *
 * Any role that may connect may LISTEN. Therefore a notification has only two
 * parts: a keyed digest of the tenant, and the kind of data that has changed.
 * It is sent when the transaction commits, without duplicates.
 */
#include "postgres.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "auth/listen.h"
#include "auth/secret.h"
#include "base/compat.h"
#include "base/extension.h"
#include "base/invalidate.h"
#include "commands/async.h"
#include "utils/builtins.h"

#define KG_LISTEN_SECRET_BYTES 32
#define KG_LISTEN_KEY_BYTES 16

/*
 * Returns the secret that keys the digests. Caches it, until the extension is
 * created again with a new secret.
 */
static const unsigned char *
listen_secret(void)
{
	static unsigned char secret[KG_LISTEN_SECRET_BYTES];
	static uint64 generation = 0;
	uint64 now;
	bytea *value;

	(void) kg_extension_schema();
	now = kg_generation();
	if (generation == now)
		return secret;
	value = kg_secret_read("listen");
	if (VARSIZE_ANY_EXHDR(value) != KG_LISTEN_SECRET_BYTES)
		elog(ERROR, "the secret \"listen\" has a wrong length");
	memcpy(secret, VARDATA_ANY(value), KG_LISTEN_SECRET_BYTES);
	pfree(value);
	generation = now;
	return secret;
}

char *
kg_listen_key(const char *tenant)
{
	return kg_listen_digest(tenant);
}

char *
kg_listen_digest(const char *text)
{
	const unsigned char *secret = listen_secret();
	unsigned char digest[SHA256_DIGEST_LENGTH];
	char *key = palloc(2 * KG_LISTEN_KEY_BYTES + 1);

	if (HMAC(EVP_sha256(),
			 secret,
			 KG_LISTEN_SECRET_BYTES,
			 (const unsigned char *) text,
			 strlen(text),
			 digest,
			 NULL) == NULL)
		elog(ERROR, "could not compute a digest");
	hex_encode((char *) digest, KG_LISTEN_KEY_BYTES, key);
	key[2 * KG_LISTEN_KEY_BYTES] = '\0';
	return key;
}

void
kg_listen_tell(const char *tenant, const char *kind)
{
	Async_Notify(KG_LISTEN_CHANNEL,
				 psprintf("%s %s", kg_listen_key(tenant), kind));
}
