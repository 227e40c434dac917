/*
 * rates.c
 *	  Rate limits: token buckets in memory.
 *
 * A bucket that was not used for a minute is full, like a missing bucket. So if
 * there are too many buckets, the least recently used bucket is removed.
 * Callers could exceed their limits this way only if more than a hundred
 * thousand subjects call within a minute.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include "kgctl/json.h"

#include "kgctl/loop.h"
#include "kgctl/metrics.h"
#include "kgctl/rates.h"

#define MINUTE_MS 60000
#define MAX_BUCKETS 100000
#define HEADS 16384
/*
 * Maximal debt of a bucket. It limits the effect of a caller's own function
 * that reports too many edges.
 */
#define MAX_DEBT 1e12
/*
 * Number of slots for tokens whose limits are cached. A new token replaces the
 * token in its slot.
 */
#define CALLERS 16384

typedef enum Rate
{
	RATE_CALLS,
	RATE_EDGES,
	NRATES
} Rate;

static const char *const names[NRATES] = {"calls_per_minute",
										  "edges_per_minute"};

typedef struct Bucket
{
	LIST_ENTRY(Bucket) chain;
	TAILQ_ENTRY(Bucket) used;
	char *key; /* rate, tenant and subject, each followed by a NUL */
	size_t len;
	/* remaining calls or edges; negative: edges read beyond the limit */
	double left;
	int64_t at;
} Bucket;

/* The cached limits of the bearer of a token. */
typedef struct Caller
{
	char *token; /* "": no token; NULL: the slot is free */
	int64_t until;
	long limits[NRATES]; /* -1: no limit */
	char *keys[NRATES];	 /* keys of the caller's buckets; NULL: no limit */
	size_t lens[NRATES];
	bool counted; /* the database limits the caller's concurrent calls */
	/* time until which standbys may lack the caller's last write */
	int64_t primary_until;
} Caller;

struct KgRates
{
	Caller callers[CALLERS];
	LIST_HEAD(, Bucket) heads[HEADS];
	/* buckets in the order of their use, the least recent first */
	TAILQ_HEAD(Used, Bucket) used;
	size_t nbuckets;
};

KgRates *
kg_rates_new(void)
{
	KgRates *rates = kg_calloc(1, sizeof(KgRates));

	TAILQ_INIT(&rates->used);
	return rates;
}

static void
forget(Caller *caller)
{
	int i;

	/* Overwrite the token, so that it does not remain in freed memory. */
	if (caller->token != NULL)
		memset(caller->token, 0, strlen(caller->token));
	free(caller->token);
	for (i = 0; i < NRATES; i++)
		free(caller->keys[i]);
	memset(caller, 0, sizeof(*caller));
}

static void
drop(KgRates *rates, Bucket *bucket)
{
	LIST_REMOVE(bucket, chain);
	TAILQ_REMOVE(&rates->used, bucket, used);
	rates->nbuckets--;
	free(bucket->key);
	free(bucket);
}

void
kg_rates_free(KgRates *rates)
{
	size_t i;

	if (rates == NULL)
		return;
	for (i = 0; i < CALLERS; i++)
		forget(&rates->callers[i]);
	while (!TAILQ_EMPTY(&rates->used))
		drop(rates, TAILQ_FIRST(&rates->used));
	free(rates);
}

static Caller *
place_of(KgRates *rates, const char *token)
{
	return &rates->callers[kg_hash(0, token, strlen(token)) % CALLERS];
}

/*
 * Returns the bearer of a token if its limits are cached and not outdated.
 * Otherwise returns NULL.
 */
static Caller *
find_caller(KgRates *rates, const char *token)
{
	Caller *caller;

	token = token ? token : "";
	caller = place_of(rates, token);
	return caller->token != NULL && strcmp(caller->token, token) == 0 &&
				   kg_now() < caller->until
			   ? caller
			   : NULL;
}

static Bucket *
find_bucket(KgRates *rates, const Caller *caller, Rate rate)
{
	const char *key = caller->keys[rate];
	size_t len = caller->lens[rate];
	size_t head = kg_hash(0, key, len) % HEADS;
	double limit = (double) caller->limits[rate];
	int64_t now = kg_now();
	Bucket *bucket;

	LIST_FOREACH(bucket, &rates->heads[head], chain)
		if (bucket->len == len && memcmp(bucket->key, key, len) == 0)
			break;
	if (bucket == NULL)
	{
		if (rates->nbuckets >= MAX_BUCKETS)
			drop(rates, TAILQ_FIRST(&rates->used));
		bucket = kg_calloc(1, sizeof(Bucket));
		bucket->key = kg_malloc(len);
		memcpy(bucket->key, key, len);
		bucket->len = len;
		bucket->left = limit;
		bucket->at = now;
		LIST_INSERT_HEAD(&rates->heads[head], bucket, chain);
		rates->nbuckets++;
	}
	else
		TAILQ_REMOVE(&rates->used, bucket, used);
	TAILQ_INSERT_TAIL(&rates->used, bucket, used);
	bucket->left += limit * (double) (now - bucket->at) / MINUTE_MS;
	if (bucket->left > limit)
		bucket->left = limit;
	bucket->at = now;
	return bucket;
}

/*
 * Returns the milliseconds until the bucket contains the wanted amount, or -1
 * if it never will.
 */
static long
wait_for(const Bucket *bucket, double wanted, long limit)
{
	double ms;

	if (wanted > (double) limit)
		return -1;
	ms = (wanted - bucket->left) * MINUTE_MS / (double) limit;
	return ms < 1 ? 1 : (long) ms + 1;
}

KgRateVerdict
kg_rates_take(KgRates *rates, const char *token, size_t calls,
			  KgRateExcess *excess)
{
	const Caller *caller = find_caller(rates, token);
	Bucket *buckets[NRATES] = {NULL, NULL};
	int i;

	if (caller == NULL)
		return KG_RATE_UNKNOWN;
	for (i = 0; i < NRATES; i++)
	{
		/*
		 * The number of edges is known only after the call, so require that at
		 * least one edge is left.
		 */
		double wanted = i == RATE_CALLS ? (double) calls : 1;

		if (caller->limits[i] < 0)
			continue;
		buckets[i] = find_bucket(rates, caller, (Rate) i);
		if (buckets[i]->left >= wanted)
			continue;
		excess->limit = names[i];
		excess->per_minute = caller->limits[i];
		excess->retry_after_ms = wait_for(
			buckets[i], wanted, caller->limits[i]);
		kg_count(i == RATE_CALLS ? KG_COUNT_RATE_CALLS : KG_COUNT_RATE_EDGES);
		return KG_RATE_EXCEEDED;
	}
	if (buckets[RATE_CALLS] != NULL)
		buckets[RATE_CALLS]->left -= (double) calls;
	return KG_RATE_OK;
}

void
kg_rates_spend(KgRates *rates, const char *token, unsigned long edges)
{
	const Caller *caller = find_caller(rates, token);
	Bucket *bucket;

	if (caller == NULL || caller->limits[RATE_EDGES] < 0)
		return;
	bucket = find_bucket(rates, caller, RATE_EDGES);
	bucket->left -= (double) edges;
	if (bucket->left < -MAX_DEBT)
		bucket->left = -MAX_DEBT;
}

static void
learn_rate(Caller *caller, Rate rate, json_t *root)
{
	json_t *limit = json_object_get(json_object_get(root, "limits"),
									names[rate]);
	const char *tenant = json_string_value(json_object_get(root, "tenant"));
	const char *subject = json_string_value(
		json_object_get(json_object_get(root, "counted_as"), names[rate]));
	KgBuf key;

	caller->limits[rate] = -1;
	if (!json_is_integer(limit) || tenant == NULL || subject == NULL)
		return;
	caller->limits[rate] = json_integer_value(limit) > LONG_MAX
							   ? LONG_MAX
							   : (long) json_integer_value(limit);
	kg_buf_init(&key);
	kg_buf_add(&key, names[rate], strlen(names[rate]) + 1);
	kg_buf_add(&key, tenant, strlen(tenant) + 1);
	kg_buf_add(&key, subject, strlen(subject) + 1);
	caller->lens[rate] = key.len;
	caller->keys[rate] = kg_buf_detach(&key);
}

bool
kg_rates_anywhere(KgRates *rates, const char *token, bool sees_writes)
{
	const Caller *caller = find_caller(rates, token);

	return caller != NULL && !caller->counted &&
		   (sees_writes || kg_now() >= caller->primary_until);
}

void
kg_rates_wrote(KgRates *rates, const char *token, long ms)
{
	Caller *caller = find_caller(rates, token);

	if (caller != NULL)
		caller->primary_until = kg_now() + ms;
}

void
kg_rates_learn(KgRates *rates, const char *token, const char *text)
{
	json_t *root = text ? json_loads(text, 0, NULL) : NULL;
	const char *bearer = token ? token : "";
	Caller *caller = place_of(rates, bearer);
	bool same = caller->token != NULL && strcmp(caller->token, bearer) == 0;
	int64_t primary_until = same ? caller->primary_until : 0;
	int i;

	forget(caller);
	caller->token = kg_strdup(bearer);
	caller->until = kg_now() + MINUTE_MS;
	caller->primary_until = primary_until;
	caller->counted = !json_is_null(
		json_object_get(json_object_get(root, "limits"), "concurrent_calls"));
	for (i = 0; i < NRATES; i++)
		learn_rate(caller, (Rate) i, root);
	json_decref(root);
}

void
kg_rates_write(const KgRates *rates, KgBuf *out)
{
	kg_metric_gauge(out,
					"kgctl_rate_buckets",
					"Buckets of rates that are in memory.",
					(double) rates->nbuckets);
}
