/*
 * limits.c
 *	  Limits of a caller's use of the server, and quotas of a tenant.
 *
 * Whether any tenant has limits is cached until a catalog table changes. If no
 * tenant has limits, callers are not identified. Otherwise the limits in force
 * are cached for several callers, because a gateway's connection serves
 * callers in turn.
 */
#include "postgres.h"

#include <limits.h>

#include "auth/identity.h"
#include "auth/limits.h"
#include "auth/token_identity.h"
#include "base/cache.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/invalidate.h"
#include "base/json.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/memutils.h"

/*
 * If a limit lowers a setting, it has the bounds of that setting
 * (base/settings.c).
 */
static const struct
{
	const char *name;
	int64 max;
	/* setting that the limit lowers; KG_NLOWERED: no setting */
	KgLowered setting;
} known[KG_NLIMITS] = {
	{"concurrent_calls", INT_MAX, KG_NLOWERED},
	{"calls_per_minute", INT_MAX, KG_NLOWERED},
	{"edges_per_minute", PG_INT64_MAX, KG_NLOWERED},
	{"max_cost", 0, KG_LOWER_COST},
	{"max_rows", 0, KG_LOWER_ROWS},
	{"max_reply_bytes", 0, KG_LOWER_REPLY_BYTES},
	{"max_call_time", 0, KG_LOWER_CALL_TIME},
	{"entities", PG_INT64_MAX, KG_NLOWERED},
	{"edges", PG_INT64_MAX, KG_NLOWERED},
	{"bundles", PG_INT64_MAX, KG_NLOWERED},
	{"bytes", PG_INT64_MAX, KG_NLOWERED},
};

const char *
kg_limit_name(KgLimit limit)
{
	return known[limit].name;
}

KgLimit
kg_limit_of_setting(KgLowered setting)
{
	int limit = 0;

	while (known[limit].setting != setting)
		limit++;
	return limit;
}

/*
 * Reads a time with a unit from a text, and sets *ms to its milliseconds.
 * Returns false if the text is not such a time, or if it has fractions of a
 * millisecond.
 */
static bool
read_time(const JsonbValue *value, int64 *ms)
{
	const char *hint;
	double parsed;

	if (!parse_real(kg_json_cstring(value), &parsed, GUC_UNIT_MS, &hint))
		return false;
	*ms = parsed >= 0 && parsed <= INT_MAX ? (int64) parsed : -1;
	return *ms == parsed;
}

int64
kg_limit_read(KgLimit limit, const JsonbValue *value)
{
	KgLowered setting = known[limit].setting;
	bool is_time = setting == KG_LOWER_CALL_TIME;
	int64 max = known[limit].max;
	int min = 1;
	int highest;
	int64 n;

	if (value->type == jbvNull)
		return KG_UNLIMITED;
	if (setting != KG_NLOWERED)
	{
		kg_settings_bounds(setting, &min, &highest);
		min = Max(min, 1);
		max = highest;
	}
	if ((is_time && value->type == jbvString ? read_time(value, &n)
											 : kg_json_int64(value, &n)) &&
		(n == 0 || (n >= min && n <= max)))
		return n;
	kg_error_throw_option(
		known[limit].name,
		value,
		psprintf("%san integer from %d to " INT64_FORMAT
				 "%s; 0 allows nothing, and null stands for the value of the "
				 "setting",
				 min > 1 ? "0, or " : "",
				 min > 1 ? min : 0,
				 max,
				 is_time ? " (milliseconds), or a time with its unit" : ""));
}

bool
kg_limits_any(void)
{
	static uint64 seen = 0;
	static bool any = false;
	static KgSaved saved;
	uint64 now;

	AcceptInvalidationMessages();
	now = kg_generation();
	if (seen == now)
		return any;
	any = kg_spi_finds_args(&saved, "SELECT FROM @kg_limit LIMIT 1", 0, NULL);
	seen = now;
	return any;
}

/*
 * The caller's subjects that may have a row in kg_limit, the most specific
 * first.
 */
typedef struct Caller
{
	const char *tenant;
	const char *sub;   /* or NULL */
	const char *agent; /* or NULL */
	Oid role; /* InvalidOid: these are the limits of the tenant itself */
} Caller;

typedef struct KgCallerLimits
{
	KgCacheEntry entry;
	Caller caller;
	KgLimits limits;
} KgCallerLimits;

static const int most = 256;
/*
 * A cache of callers' limits. It becomes stale if kg_limit, a role or a role's
 * name changes.
 */
static KgCache limits_of_callers = {"limits", &most, KG_STALE_BY_ROLES};

static bool
same(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool
is_caller(const void *entry, const void *wanted)
{
	const Caller *a = &((const KgCallerLimits *) entry)->caller;
	const Caller *b = wanted;

	return a->role == b->role && same(a->sub, b->sub) &&
		   same(a->agent, b->agent) && strcmp(a->tenant, b->tenant) == 0;
}

static uint64
hash_caller(const Caller *caller)
{
	uint32 hash = string_hash(caller->tenant, NAMEDATALEN) ^ caller->role;

	if (caller->sub)
		hash = hash_combine(hash, string_hash(caller->sub, 1024));
	if (caller->agent)
		hash = hash_combine(hash, string_hash(caller->agent, 1024));
	return hash;
}

static int64
lower_of(int64 a, int64 b)
{
	if (a == KG_UNLIMITED || b == KG_UNLIMITED)
		return Max(a, b);
	return Min(a, b);
}

/*
 * Applies the stored limits of one subject. Subjects are passed from the most
 * specific to the least specific. If said[i] is true, a previous subject has
 * set limit i. The limit is then left unchanged. The ceiling is the last
 * subject, and lowers all limits that are above it.
 */
static void
add_subject(KgLimits *limits, bool *said, const char *subject,
			const Jsonb *stored)
{
	bool ceiling = strcmp(subject, KG_CEILING) == 0;

	for (int i = 0; i < KG_NLIMITS; i++)
	{
		JsonbValue value;
		int64 n;

		if (kg_json_get(&stored->root, known[i].name, &value) == NULL)
			continue;
		if (!kg_json_int64(&value, &n))
			n = KG_UNLIMITED;
		if (ceiling)
			limits->values[i] = lower_of(limits->values[i], n);
		if (ceiling || said[i])
			continue;
		said[i] = true;
		limits->values[i] = n;
		if (i < KG_FIRST_QUOTA && strcmp(subject, "*") != 0)
			limits->counted[i] = subject;
	}
}

/* Reads the rows of the caller's subjects, into the entry's memory context. */
static void
read_limits(KgCallerLimits *fresh, const char *const *subjects, int n)
{
	KgLimits *limits = &fresh->limits;
	bool said[KG_NLIMITS] = {false};

	for (int i = 0; i < KG_NLIMITS; i++)
		limits->values[i] = KG_UNLIMITED;
	for (int i = 0; i < KG_FIRST_QUOTA; i++)
		limits->counted[i] = limits->caller;
	for (int i = 0; i < n; i++)
		for (uint64 row = 0; row < SPI_processed; row++)
		{
			if (strcmp(kg_spi_cstring(row, 1), subjects[i]) == 0)
				add_subject(limits,
							said,
							subjects[i],
							DatumGetJsonbP(kg_spi_datum(row, 2)));
		}
}

static KgCallerLimits *
load_limits(const Caller *caller)
{
	const char *subjects[5];
	Datum texts[lengthof(subjects)];
	int n = 0;
	KgCallerLimits *fresh;
	KgUserContext user;
	MemoryContext old;

	kg_become_owner(&user);
	kg_spi_begin_load();
	fresh = kg_cache_make(&limits_of_callers, sizeof(*fresh));
	old = MemoryContextSwitchTo(fresh->entry.context);
	fresh->caller = *caller;
	fresh->limits.tenant = fresh->caller.tenant = pstrdup(caller->tenant);
	if (caller->sub)
	{
		fresh->caller.sub = pstrdup(caller->sub);
		subjects[n++] = psprintf("sub:%s", caller->sub);
	}
	if (caller->agent)
	{
		fresh->caller.agent = pstrdup(caller->agent);
		subjects[n++] = psprintf("agent:%s", caller->agent);
	}
	if (OidIsValid(caller->role))
		subjects[n++] = psprintf("role:%s",
								 GetUserNameFromId(caller->role, false));
	if (n > 0)
		fresh->limits.caller = subjects[caller->sub ? 0 : n - 1];
	subjects[n++] = "*";
	subjects[n++] = KG_CEILING;
	for (int i = 0; i < n; i++)
		texts[i] = CStringGetTextDatum(subjects[i]);
	MemoryContextSwitchTo(old);
	KG_SPI_READ("SELECT subject, limits FROM @kg_limit "
				"WHERE tenant = $1 AND subject = ANY ($2)",
				kg_arg_text(caller->tenant),
				kg_arg(TEXTARRAYOID,
					   PointerGetDatum(construct_array(
						   texts, n, TEXTOID, -1, false, TYPALIGN_INT))));
	read_limits(fresh, subjects, n);
	kg_cache_keep(&limits_of_callers, fresh, hash_caller(caller));
	kg_spi_end_load();
	kg_restore_user(&user);
	return fresh;
}

static const KgLimits *
find_limits(const Caller *caller)
{
	KgCallerLimits *found = kg_cache_find(
		&limits_of_callers, hash_caller(caller), is_caller, caller);

	if (found == NULL)
		found = load_limits(caller);
	kg_cache_pin(found, CurrentMemoryContext);
	return &found->limits;
}

const KgLimits *
kg_limits_of_caller(const char *tenant)
{
	Caller caller = {
		tenant, kg_token_subject(), kg_identity_agent(), GetUserId()};

	return find_limits(&caller);
}

const KgLimits *
kg_limits_of_tenant(const char *tenant)
{
	Caller caller = {tenant, NULL, NULL, InvalidOid};

	return find_limits(&caller);
}
