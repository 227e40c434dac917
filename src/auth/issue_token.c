/*
 * issue_token.c
 *	  SQL function kg_issue_token: signs a token with a key that this database
 *	  uses for verification.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/auth_key.h"
#include "auth/jwt.h"
#include "auth/owner.h"
#include "base/error.h"
#include "base/json.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

static int64
unix_seconds(TimestampTz when)
{
	return when / USECS_PER_SEC +
		   (int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY;
}

/*
 * Returns the claims to sign: the claims of the argument, and the claims that
 * every token has.
 */
static Jsonb *
claims_to_sign(const Jsonb *given, const KgAuthKey *key, const Interval *valid)
{
	KgJsonWriter w;
	JsonbValue value;
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz expires = DatumGetTimestampTz(
		DirectFunctionCall2(timestamptz_pl_interval,
							TimestampTzGetDatum(now),
							IntervalPGetDatum(valid)));

	kg_jw_init_object(&w);
	kg_jw_members(&w, &given->root);
	if (kg_json_get(&given->root, "iss", &value) == NULL)
		kg_jw_kstring(&w, "iss", key->issuer);
	if (kg_json_get(&given->root, "aud", &value) == NULL)
		kg_jw_kstring(&w, "aud", key->audience);
	if (kg_json_get(&given->root, "iat", &value) == NULL)
		kg_jw_kint(&w, "iat", unix_seconds(now));
	if (kg_json_get(&given->root, "exp", &value) == NULL)
		kg_jw_kint(&w, "exp", unix_seconds(expires));
	return kg_jw_finish(&w);
}

KG_AUDITED_NULLS(kg_sql_issue_token, KG_AUDIT_WRITES)
{
	Jsonb *claims;
	char *kid = NULL;
	JsonbValue issuer;
	char *named = NULL;
	const KgAuthKey *key;

	kg_owner_require("issue tokens");
	kg_refuse_null(fcinfo, 0);
	kg_refuse_null(fcinfo, 2);
	claims = PG_GETARG_JSONB_P(0);
	if (!JB_ROOT_IS_OBJECT(claims))
		KG_THROW(KG_INVALID_INPUT, .message = "claims must be an object");
	if (!PG_ARGISNULL(1))
		kid = text_to_cstring(PG_GETARG_TEXT_PP(1));
	if (kg_json_get(&claims->root, "iss", &issuer) != NULL &&
		issuer.type == jbvString)
		named = kg_json_cstring(&issuer);
	key = kg_auth_key_signer(named, kid);
	if (key == NULL)
		KG_THROW(
			KG_NOT_FOUND,
			.message = "no enabled HS256 key matches, or several do",
			.expected = "the \"kid\" of one enabled HS256 key in kg_auth_key");
	PG_RETURN_TEXT_P(cstring_to_text(
		kg_jwt_sign(claims_to_sign(claims, key, PG_GETARG_INTERVAL_P(2)),
					key->kid,
					&key->key)));
}
