/*
 * auth_key.c
 *	  Keys that verify tokens.
 *
 * Keys are read from kg_auth_key as the owner, one lookup at a time.  A few
 * are cached with their parsed form, which is memory of libcrypto.  Issuer, id
 * and algorithm of a token must all match one key.  A token without a key id
 * is accepted only if exactly one key matches.
 */
#include "postgres.h"

#include "auth/auth_key.h"
#include "base/cache.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"
#include "base/trigger.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/rel.h"

/*
 * The arguments of a search for a key, by which found keys are cached. A NULL
 * argument matches only NULL.
 */
typedef struct KgKeyQuestion
{
	const char *issuer;
	const char *kid;
	KgJwtAlg alg;
} KgKeyQuestion;

typedef struct KgCachedKey
{
	KgCacheEntry entry;
	KgKeyQuestion question;
	KgAuthKey key;
	MemoryContextCallback gone;
} KgCachedKey;

static const int most = 16;
/* A cache of keys. It becomes stale if kg_auth_key changes. */
static KgCache keys = {"key", &most, KG_STALE_BY_CATALOG};

static const char *
alg_name(KgJwtAlg alg)
{
	switch (alg)
	{
		case KG_JWT_HS256:
			return "HS256";
		case KG_JWT_RS256:
			return "RS256";
		case KG_JWT_PS256:
			return "PS256";
		case KG_JWT_ES256:
			return "ES256";
		case KG_JWT_EDDSA:
			return "EdDSA";
		case KG_JWT_NONE:
			break;
	}
	return "none";
}

static void
free_key(void *arg)
{
	kg_jwt_key_free(arg);
}

static bool
same(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool
answers(const void *entry, const void *question)
{
	const KgKeyQuestion *a = &((const KgCachedKey *) entry)->question;
	const KgKeyQuestion *b = question;

	return a->alg == b->alg && same(a->issuer, b->issuer) &&
		   same(a->kid, b->kid);
}

static char *
column(int n)
{
	char *value = kg_spi_cstring(0, n);

	return value ? pstrdup(value) : NULL;
}

/*
 * Fills in *key from the row of kg_auth_key that was found, in the current
 * context. Returns false if the key's material is missing, or is not a key of
 * the algorithm. The material is parsed last.
 */
static bool
read_key(KgAuthKey *key, KgJwtAlg alg)
{
	bool isnull;
	Datum value;
	struct varlena *material;
	const char *why;

	key->issuer = column(1);
	key->kid = column(2);
	key->audience = column(4);
	key->tenant = column(5);
	key->tenant_claim = column(6);
	key->agent_claim = column(7);
	key->role_claim = column(8);
	value = kg_spi_value(0, 9, &isnull);
	if (!isnull)
		key->roles = DatumGetJsonbPCopy(value);
	key->access = kg_access_of_name(column(10));
	key->scope_claim = column(11);
	key->scope_required = DatumGetBool(kg_spi_value(0, 12, &isnull));
	key->leeway = DatumGetInt32(kg_spi_value(0, 13, &isnull));
	value = kg_spi_value(0, 14, &isnull);
	key->not_after = isnull ? DT_NOEND : DatumGetTimestampTz(value);
	value = kg_spi_value(0, 3, &isnull);
	if (isnull)
		return false;
	material = PG_DETOAST_DATUM_PACKED(value);
	return kg_jwt_key_init(&key->key,
						   alg,
						   VARDATA_ANY(material),
						   VARSIZE_ANY_EXHDR(material),
						   &why);
}

/*
 * Loads the key that the question names, and adds it to the cache. Returns NULL
 * if not exactly one enabled row of kg_auth_key matches, or if its key is not
 * valid.
 */
static KgCachedKey *
load_key(const KgKeyQuestion *question)
{
	KgUserContext user;
	KgCachedKey *fresh;
	MemoryContext old;
	bool found;

	kg_become_owner(&user);
	kg_spi_begin_load();
	KG_SPI_READ("SELECT issuer, kid, "
				"coalesce(secret, convert_to(public_key, 'UTF8')), audience, "
				"tenant, tenant_claim, agent_claim, role_claim, roles, access, "
				"scope_claim, scope_required, leeway, not_after "
				"FROM @kg_auth_key WHERE issuer = coalesce($1, issuer) "
				"AND kid = coalesce($2, kid) AND alg = $3 AND enabled LIMIT 2",
				kg_arg_text(question->issuer),
				kg_arg_text(question->kid),
				kg_arg_text(alg_name(question->alg)));
	fresh = kg_cache_make(&keys, sizeof(*fresh));
	old = MemoryContextSwitchTo(fresh->entry.context);
	fresh->gone.func = free_key;
	fresh->gone.arg = &fresh->key.key;
	MemoryContextRegisterResetCallback(fresh->entry.context, &fresh->gone);
	fresh->question.issuer = question->issuer ? pstrdup(question->issuer)
											  : NULL;
	fresh->question.kid = question->kid ? pstrdup(question->kid) : NULL;
	fresh->question.alg = question->alg;
	found = SPI_processed == 1 && read_key(&fresh->key, question->alg);
	MemoryContextSwitchTo(old);
	if (found)
		kg_cache_keep(&keys, fresh, 0);
	kg_spi_end_load();
	kg_restore_user(&user);
	return found ? fresh : NULL;
}

static const KgAuthKey *
find_key(const char *issuer, const char *kid, KgJwtAlg alg)
{
	KgKeyQuestion question = {issuer, kid, alg};
	KgCachedKey *found = kg_cache_find(&keys, 0, answers, &question);

	if (found == NULL)
		found = load_key(&question);
	return found ? &found->key : NULL;
}

const KgAuthKey *
kg_auth_key_find(const char *issuer, const char *kid, KgJwtAlg alg)
{
	return find_key(issuer, kid, alg);
}

const KgAuthKey *
kg_auth_key_signer(const char *issuer, const char *kid)
{
	return find_key(issuer, kid, KG_JWT_HS256);
}

static const char *const key_tables[] = {"kg_auth_key", NULL};

PG_FUNCTION_INFO_V1(kg_sql_check_auth_key);

/* Row trigger of kg_auth_key: refuses a key that cannot verify any token. */
Datum
kg_sql_check_auth_key(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	HeapTuple row;
	TupleDesc desc;
	char *alg;
	struct varlena *material;
	bool isnull;
	Datum value;
	KgJwtKey key;
	const char *why;

	kg_trigger_require(fcinfo,
					   "kg_check_auth_key",
					   KG_TRIGGER_BEFORE | KG_TRIGGER_ROW,
					   key_tables);
	row = TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event) ? trigdata->tg_newtuple
													  : trigdata->tg_trigtuple;
	desc = RelationGetDescr(trigdata->tg_relation);
	alg = SPI_getvalue(row, desc, SPI_fnumber(desc, "alg"));
	value = SPI_getbinval(
		row,
		desc,
		SPI_fnumber(desc,
					alg && strcmp(alg, "HS256") == 0 ? "secret" : "public_key"),
		&isnull);
	/* CHECK constraints of the table refuse a missing value. */
	if (alg == NULL || isnull || kg_jwt_alg(alg) == KG_JWT_NONE)
		return PointerGetDatum(row);
	material = PG_DETOAST_DATUM_PACKED(value);
	if (!kg_jwt_key_init(&key,
						 kg_jwt_alg(alg),
						 VARDATA_ANY(material),
						 VARSIZE_ANY_EXHDR(material),
						 &why))
		KG_THROW(KG_INVALID_INPUT,
				 .message = psprintf(
					 "the key cannot be used with algorithm %s: %s", alg, why));
	kg_jwt_key_free(&key);
	return PointerGetDatum(row);
}
