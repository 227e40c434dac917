/*
 * login.c
 *	  Verifies a token and binds its identity.
 *
 * The order of checks is: size, form, key by (issuer, id, algorithm),
 * signature, audience, times, and then the claims that identify the caller. An
 * error names the failed check and contains no part of the token. If an error
 * is raised while a token is among the arguments, its statement and context
 * are removed, because the server would log them (kg_auth_hidden()).
 */
#include "postgres.h"

#include <math.h>

#include "auth/agent.h"
#include "auth/auth_key.h"
#include "auth/grants.h"
#include "auth/identity.h"
#include "auth/jwt.h"
#include "auth/login.h"
#include "auth/moved.h"
#include "auth/privileges.h"
#include "auth/token_identity.h"
#include "base/catch.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/spi.h"
#include "base/text.h"
#include "common/cryptohash.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

/* The claims of a token during verification. */
typedef struct KgClaims
{
	const KgAuthKey *key;
	const JsonbContainer *root;
	KgTokenIdentity identity;
} KgClaims;

static KG_NORETURN void
refuse(const char *why)
{
	KG_THROW(KG_NO_TENANT,
			 .message = psprintf("the token is not accepted: %s", why),
			 .expected = "an unexpired token of a known issuer");
}

static KG_NORETURN void
forbid(const char *why)
{
	KG_THROW(KG_FORBIDDEN,
			 .message = psprintf("the token does not allow the call: %s", why));
}

static void
hide(ErrorData *edata, void *arg)
{
	edata->hide_stmt = true;
	edata->hide_ctx = true;
	edata->context = NULL;
	edata->internalquery = NULL;
}

void
kg_auth_hidden(void (*work)(void *arg), void *arg)
{
	kg_catch_amend(work, hide, arg);
}

/*
 * Returns a claim as text: a string, or an integer such as an organization's
 * number. Returns NULL if the claim is missing or null. Refuses the token if
 * the claim has another type.
 */
static char *
text_claim(const KgClaims *claims, const char *name)
{
	JsonbValue value;
	int64 number;

	if (name == NULL || kg_json_get(claims->root, name, &value) == NULL)
		return NULL;
	if (value.type == jbvNull)
		return NULL;
	if (value.type == jbvString)
		return kg_json_cstring(&value);
	if (kg_json_int64(&value, &number))
		return psprintf(INT64_FORMAT, number);
	refuse(
		psprintf("its claim \"%s\" is neither a string nor an integer", name));
}

/*
 * Reads a claim as seconds since 1970. Returns false if it is missing. Refuses
 * the token if the claim is not a number, or not a time up to the year 9999.
 */
static bool
time_claim(const KgClaims *claims, const char *name, double *seconds)
{
	JsonbValue value;

	if (kg_json_get(claims->root, name, &value) == NULL)
		return false;
	if (value.type != jbvNumeric)
		refuse(psprintf("its claim \"%s\" is not a number", name));
	*seconds = DatumGetFloat8(DirectFunctionCall1(
		numeric_float8_no_overflow, NumericGetDatum(value.val.numeric)));
	if (!isfinite(*seconds) || *seconds < 0 || *seconds > 253402300799.0)
		refuse(psprintf("its claim \"%s\" is not a time", name));
	return true;
}

static TimestampTz
timestamp_of(double seconds)
{
	return (TimestampTz) ((seconds - (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) *
										 (double) SECS_PER_DAY) *
						  USECS_PER_SEC);
}

static double
now_seconds(void)
{
	return GetCurrentTimestamp() / (double) USECS_PER_SEC +
		   (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * (double) SECS_PER_DAY;
}

static void
check_times(KgClaims *claims)
{
	double now = now_seconds();
	double leeway = claims->key->leeway;
	double when;

	if (!time_claim(claims, "exp", &when))
		refuse("it has no expiry");
	if (when + leeway <= now)
		refuse("it has expired");
	claims->identity.expires = timestamp_of(when + leeway);
	if (time_claim(claims, "nbf", &when) && when - leeway > now)
		refuse("it is not valid yet");
	if (time_claim(claims, "iat", &when) && when - leeway > now)
		refuse("it was issued in the future");
	if (claims->key->not_after <= GetCurrentTimestamp())
		refuse("its key has expired");
	claims->identity.expires = Min(claims->identity.expires,
								   claims->key->not_after);
}

/*
 * Checks "aud", a string or an array that must contain this server's audience
 * (RFC 7519, 4.1.3).
 */
static void
check_audience(const KgClaims *claims)
{
	JsonbValue value;
	bool ours = false;

	if (kg_json_get(claims->root, "aud", &value) == NULL)
		refuse("it names no audience");
	if (kg_json_is_array(&value))
	{
		kg_json_each(it, kg_json_container(&value))
			ours |= kg_json_string_is(&it.value, claims->key->audience);
	}
	else
		ours = kg_json_string_is(&value, claims->key->audience);
	if (!ours)
		refuse("it is for another audience");
}

/*
 * Returns true if the tenant exists and is not being dropped. A valid token may
 * name a tenant that does not exist.
 */
static bool
tenant_exists(const char *tenant)
{
	KgUserContext user;
	bool exists;

	kg_become_owner(&user);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	KG_SPI_READ("SELECT FROM @kg_tenant WHERE tenant = $1 AND NOT EXISTS "
				"(SELECT FROM @kg_tenant_state WHERE tenant = $1 "
				"AND state = 'dropping')",
				kg_arg_text(tenant));
	exists = SPI_processed > 0;
	SPI_finish();
	kg_restore_user(&user);
	return exists;
}

static void
read_tenant(KgClaims *claims)
{
	const KgAuthKey *key = claims->key;
	char *claimed = text_claim(claims, key->tenant_claim);

	if (claimed == NULL && key->tenant == NULL)
		refuse("it names no tenant");
	if (claimed != NULL && key->tenant != NULL &&
		strcmp(claimed, key->tenant) != 0)
		refuse("its key is for another tenant");
	claims->identity.tenant = key->tenant ? pstrdup(key->tenant) : claimed;
}

/* Returns the access level for one value of the role claim. */
static KgAccess
access_of_role(const KgAuthKey *key, const JsonbValue *role)
{
	JsonbValue mapped;
	const JsonbValue *name = role;

	if (role->type != jbvString)
		return KG_ACCESS_NONE;
	if (key->roles != NULL)
	{
		if (getKeyJsonValueFromContainer((JsonbContainer *) &key->roles->root,
										 role->val.string.val,
										 role->val.string.len,
										 &mapped) == NULL)
			return KG_ACCESS_NONE;
		name = &mapped;
	}
	return name->type == jbvString ? kg_access_of_name(kg_json_cstring(name))
								   : KG_ACCESS_NONE;
}

/*
 * Sets the access of the token: the highest access of the roles in its role
 * claim, but at most the key's access. Raises an error if no role has access.
 * If the key has no role claim, the token has the key's access.
 */
static void
read_access(KgClaims *claims)
{
	const KgAuthKey *key = claims->key;
	KgAccess access = KG_ACCESS_NONE;
	JsonbValue value;

	if (key->role_claim == NULL)
	{
		claims->identity.access = key->access;
		return;
	}
	if (kg_json_get(claims->root, key->role_claim, &value) != NULL)
	{
		if (kg_json_is_array(&value))
		{
			kg_json_each(it, kg_json_container(&value))
				access = Max(access, access_of_role(key, &it.value));
		}
		else
			access = access_of_role(key, &value);
	}
	if (access == KG_ACCESS_NONE)
		forbid("it names no role that has access");
	claims->identity.access = Min(access, key->access);
}

/*
 * Returns true if the path consists of segments without control characters,
 * each followed by a slash.
 */
static bool
path_is_valid(const char *path)
{
	const char *segment = path;

	if (*path == '\0' || kg_has_control(path, strlen(path)))
		return false;
	for (const char *p = path; *p; p++)
	{
		if (*p != '/')
			continue;
		if (p == segment)
			return false;
		segment = p + 1;
	}
	return *segment == '\0';
}

static void
add_scope(KgClaims *claims, const JsonbValue *item)
{
	JsonbValue path;
	char *text;

	/*
	 * An object {"path": "1/22/", "access_levels": [...]} is GitLab's long
	 * form of a path.
	 */
	if (!kg_json_is_object(item))
		path = *item;
	else if (kg_json_get(kg_json_container(item), "path", &path) == NULL)
		path.type = jbvNull;
	text = path.type == jbvString ? kg_json_cstring(&path) : NULL;
	if (text == NULL || !path_is_valid(text))
		refuse("a scope path is not a sequence of segments that each end with "
			   "a slash");
	claims->identity.scopes[claims->identity.nscopes++] = text;
}

static void
read_scopes(KgClaims *claims)
{
	const KgAuthKey *key = claims->key;
	KgTokenIdentity *identity = &claims->identity;
	JsonbValue value;

	if (key->scope_claim == NULL)
		return;
	if (kg_json_get(claims->root, key->scope_claim, &value) == NULL)
	{
		if (key->scope_required)
			refuse("it has no scope paths");
		return;
	}
	if (!kg_json_is_array(&value))
		refuse("its scope paths are not an array");
	identity->scoped = true;
	identity->scopes = palloc(
		Max(1, kg_json_length(kg_json_container(&value))) *
		sizeof(const char *));
	kg_json_each(it, kg_json_container(&value))
		add_scope(claims, &it.value);
}

static void
digest_of(const char *token, int len, unsigned char *digest)
{
	pg_cryptohash_ctx *ctx = pg_cryptohash_create(PG_SHA256);
	bool ok = ctx != NULL && pg_cryptohash_init(ctx) >= 0 &&
			  pg_cryptohash_update(ctx, (const uint8 *) token, len) >= 0 &&
			  pg_cryptohash_final(ctx, digest, KG_TOKEN_DIGEST_BYTES) >= 0;

	if (ctx != NULL)
		pg_cryptohash_free(ctx);
	if (!ok)
		elog(ERROR, "could not compute a digest");
}

/*
 * Checks all requirements for a token. Returns only if the token fulfills
 * them.
 */
static void
verify(const char *token, int len, KgClaims *claims)
{
	KgJwt jwt;
	const char *why;

	if (len > kg_setting_max_token_bytes)
		refuse("it is longer than kg_graph.max_token_bytes");
	if (!kg_jwt_parse(token, len, &jwt, &why))
		refuse(why);
	if (jwt.issuer == NULL)
		refuse("it names no issuer");
	claims->key = kg_auth_key_find(jwt.issuer, jwt.kid, jwt.alg);
	/* Both cases have the same message, so that key ids cannot be guessed. */
	if (claims->key == NULL || !kg_jwt_verify(&jwt, &claims->key->key))
		refuse("it is not signed with a known key");
	claims->identity.claims = kg_jwt_claims(&jwt);
	if (claims->identity.claims == NULL)
		refuse("its claims contain a number that is out of range");
	claims->root = &claims->identity.claims->root;
	check_audience(claims);
	check_times(claims);
	read_tenant(claims);
	read_access(claims);
	read_scopes(claims);
	claims->identity.agent = text_claim(claims, claims->key->agent_claim);
}

void
kg_auth_login(const text *token, bool session, bool again)
{
	const char *data = VARDATA_ANY(token);
	int len = VARSIZE_ANY_EXHDR(token);
	KgClaims claims;
	const KgTokenIdentity *present;

	kg_require_login();
	memset(&claims, 0, sizeof(claims));
	digest_of(data, len, claims.identity.digest);
	present = again ? kg_token_identity() : NULL;
	if (present != NULL && memcmp(present->digest,
								  claims.identity.digest,
								  KG_TOKEN_DIGEST_BYTES) == 0)
		return;
	kg_token_check_free();
	verify(data, len, &claims);
	if (!tenant_exists(claims.identity.tenant))
	{
		kg_tenant_refuse_moved(claims.identity.tenant, NULL);
		forbid("its tenant does not exist in this database");
	}
	if (claims.identity.agent != NULL &&
		kg_agent_get(claims.identity.tenant, claims.identity.agent) == NULL)
		forbid("its agent does not exist");
	kg_token_bind(&claims.identity, session);
}
