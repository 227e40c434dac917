/*
 * auth_key.c
 *	  The keys that tokens are verified with.
 *
 * Keys are read from kg_auth_key as the owner, one lookup at a time, and a few
 * are kept with their parsed form until a watched table changes.  The parsed
 * form is memory of libcrypto: a slot frees it when it is reused.  What is
 * found is never a mixture: issuer, id and algorithm all have to fit, and a
 * token without a key id is served only where there is no choice.
 */
#include "postgres.h"

#include "auth/auth_key.h"
#include "auth/identity.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/invalidate.h"
#include "base/json.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#define KG_KEY_CACHE_SIZE 16

typedef struct KgCachedKey
{
	/* what was asked for; NULL members are part of the question */
	const char *issuer;
	const char *kid;
	KgJwtAlg alg;
	KgAuthKey key;
	MemoryContext context;
} KgCachedKey;

static KgCachedKey cache[KG_KEY_CACHE_SIZE];
static int cache_next = 0;
static uint64 cache_generation = 0;

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
		default:
			return "none";
	}
}

static void
release(KgCachedKey *slot)
{
	if (slot->context == NULL)
		return;
	kg_jwt_key_free(&slot->key.key);
	MemoryContextDelete(slot->context);
	memset(slot, 0, sizeof(*slot));
}

static bool
same(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static char *
column(int n)
{
	char *value = kg_spi_cstring(0, n);

	return value ? pstrdup(value) : NULL;
}

/* The row found, in the current context; the parsed key comes last. */
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

/* Two rows, where the question leaves a choice, are as good as none. */
static bool
load_key(KgCachedKey *fresh, const char *issuer, const char *kid, KgJwtAlg alg)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, TEXTOID, TEXTOID};
	Datum values[3];
	char nulls[] = {' ', ' ', ' '};
	MemoryContext old;
	bool found;

	values[0] = issuer ? CStringGetTextDatum(issuer) : (Datum) 0;
	nulls[0] = issuer ? ' ' : 'n';
	values[1] = kid ? CStringGetTextDatum(kid) : (Datum) 0;
	nulls[1] = kid ? ' ' : 'n';
	values[2] = CStringGetTextDatum(alg_name(alg));
	kg_spi_run(&saved,
			   "SELECT issuer, kid, "
			   "coalesce(secret, convert_to(public_key, 'UTF8')), audience, "
			   "tenant, tenant_claim, agent_claim, role_claim, roles, access, "
			   "scope_claim, scope_required, leeway, not_after "
			   "FROM @kg_auth_key WHERE issuer = coalesce($1, issuer) "
			   "AND kid = coalesce($2, kid) AND alg = $3 AND enabled LIMIT 2",
			   3,
			   argtypes,
			   values,
			   nulls,
			   true,
			   SPI_OK_SELECT);
	if (SPI_processed != 1)
		return false;
	fresh->context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph key", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(fresh->context);
	fresh->issuer = issuer ? pstrdup(issuer) : NULL;
	fresh->kid = kid ? pstrdup(kid) : NULL;
	fresh->alg = alg;
	found = read_key(&fresh->key, alg);
	MemoryContextSwitchTo(old);
	return found;
}

static const KgAuthKey *
find_key(const char *issuer, const char *kid, KgJwtAlg alg)
{
	KgCachedKey fresh;
	KgCachedKey *slot;
	KgUserContext user;
	bool found;

	if (cache_generation != kg_generation())
	{
		/* Watch the tables before reading them. */
		(void) kg_extension_schema();
		for (int i = 0; i < KG_KEY_CACHE_SIZE; i++)
			release(&cache[i]);
		cache_generation = kg_generation();
	}
	for (int i = 0; i < KG_KEY_CACHE_SIZE; i++)
		if (cache[i].context && cache[i].alg == alg &&
			same(cache[i].issuer, issuer) && same(cache[i].kid, kid))
			return &cache[i].key;

	memset(&fresh, 0, sizeof(fresh));
	slot = &cache[cache_next];
	cache_next = (cache_next + 1) % KG_KEY_CACHE_SIZE;
	release(slot);
	kg_become_owner(&user);
	kg_spi_begin_load();
	found = load_key(&fresh, issuer, kid, alg);
	if (found)
	{
		/* From here to the slot nothing raises: libcrypto's memory is ours. */
		MemoryContextSetParent(fresh.context, CacheMemoryContext);
		*slot = fresh;
	}
	kg_spi_end_load();
	kg_restore_user(&user);
	return found ? &slot->key : NULL;
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

PGDLLEXPORT Datum kg_sql_check_auth_key(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(kg_sql_check_auth_key);

/* Row trigger of kg_auth_key: refuse a key that could verify nothing. */
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

	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!TRIGGER_FIRED_BEFORE(trigdata->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigdata->tg_event) ||
		RelationGetRelid(trigdata->tg_relation) !=
			kg_relation_oid("kg_auth_key"))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by trigger manager",
						"kg_check_auth_key")));
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
	/* A missing one is for the table's CHECK constraints. */
	if (alg == NULL || isnull || kg_jwt_alg(alg) == KG_JWT_NONE)
		return PointerGetDatum(row);
	material = PG_DETOAST_DATUM_PACKED(value);
	if (!kg_jwt_key_init(&key,
						 kg_jwt_alg(alg),
						 VARDATA_ANY(material),
						 VARSIZE_ANY_EXHDR(material),
						 &why))
	{
		KgError *err = kg_error_new(
			KG_INVALID_INPUT, "the key is not usable with %s: %s", alg, why);

		kg_error_throw(err);
	}
	kg_jwt_key_free(&key);
	return PointerGetDatum(row);
}
