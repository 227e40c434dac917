/*
 * exchange.c
 *	  Exchanges: decisions that a gateway makes outside the database.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/text.h"
#include "lib/qunique.h"
#include "miscadmin.h"
#include "query/argument/cursor.h"
#include "query/run/exchange.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

/* Maximum number of ids in an entry of "resources". */
#define KG_EXCHANGE_IDS 100
/*
 * Maximum length of the text that the gateway returns. It is above the length
 * of the text for any value of kg_graph.max_authorizations.
 */
#define KG_MAX_EXCHANGE_CHARS (64 * 1024 * 1024)

typedef struct Head
{
	int64 expires; /* a TimestampTz */
	int32 round;
	int32 nasked;
} Head;

static KG_NORETURN void
throw_bad_exchange(void)
{
	KG_THROW(
		KG_INVALID_INPUT,
		.message = "the exchange does not belong to this call, or has expired",
		.path = "/exchange",
		.expected = "the exchange of the last reply to the same call, "
					"before it expires, or no exchange, to begin again");
}

static void
read_exchange(KgExchange *exchange, const char *text)
{
	StringInfo payload = kg_cursor_unseal(
		exchange->tenant, exchange->about, text, KG_MAX_EXCHANGE_CHARS);
	Head head;

	if (payload == NULL || payload->len < (int) sizeof(head))
		throw_bad_exchange();
	memcpy(&head, payload->data, sizeof(head));
	if (payload->len != sizeof(head) + head.nasked * sizeof(uint64) ||
		head.expires < GetCurrentTimestamp())
		throw_bad_exchange();
	exchange->round = head.round;
	exchange->nasked = head.nasked;
	exchange->asked = palloc(Max(1, head.nasked) * sizeof(uint64));
	memcpy(exchange->asked,
		   payload->data + sizeof(head),
		   head.nasked * sizeof(uint64));
}

KgExchange *
kg_exchange_open(const char *tenant, const char *subject, const char *tool,
				 const Jsonb *arguments, const char *text)
{
	KgExchange *exchange = palloc0(sizeof(*exchange));

	exchange->tenant = tenant;
	exchange->about = makeStringInfo();
	kg_cursor_part(exchange->about, "exchange", strlen("exchange"));
	kg_cursor_part(exchange->about, subject, strlen(subject));
	kg_cursor_part(exchange->about, tool, strlen(tool));
	kg_cursor_part(exchange->about, arguments, VARSIZE(arguments));
	if (text != NULL)
		read_exchange(exchange, text);
	return exchange;
}

static int
compare_digests(const void *a, const void *b)
{
	uint64 x = *(const uint64 *) a;
	uint64 y = *(const uint64 *) b;

	return x < y ? -1 : x > y;
}

static bool
was_asked(const KgExchange *exchange, const char *key, int len)
{
	uint64 digest = kg_cursor_digest(key, len);

	return exchange->nasked > 0 && bsearch(&digest,
										   exchange->asked,
										   exchange->nasked,
										   sizeof(uint64),
										   compare_digests) != NULL;
}

/* ---- decisions ---- */

typedef struct Taking
{
	const KgExchange *exchange;
	KgDecisions *into;
	StringInfoData key;
	/* length of resource_type and ability, the first two parts of the key */
	int prefix;
	bool allowed;
	char *path;
} Taking;

static KG_NORETURN void
throw_bad_decision(const char *path, const JsonbValue *got,
				   const char *expected)
{
	KgError *err = kg_error_new(KG_INVALID_INPUT,
								"an authorization decision is not valid");

	kg_error_path(err, "%s", path);
	if (got != NULL)
		kg_error_got(err, got);
	kg_error_throw_expected(err, "%s", expected);
}

static void
take_id(Taking *taking, const JsonbValue *id)
{
	char *text = NULL;
	int64 n;

	if (id->type == jbvString)
		text = kg_json_cstring(id);
	else if (kg_json_int64(id, &n))
		text = psprintf(INT64_FORMAT, n);
	if (text == NULL)
		throw_bad_decision(taking->path, id, "an id: a string or an integer");
	taking->key.len = taking->prefix;
	appendBinaryStringInfo(&taking->key, text, strlen(text) + 1);
	pfree(text);
	if (was_asked(taking->exchange, taking->key.data, taking->key.len))
		kg_decisions_given(
			taking->into, taking->key.data, taking->key.len, taking->allowed);
}

static void
begin_key(Taking *taking, const JsonbContainer *object, const char *member)
{
	JsonbValue value;
	char *text;

	if (kg_json_get(object, member, &value) == NULL || value.type != jbvString)
		throw_bad_decision(
			taking->path, NULL, psprintf("a string in \"%s\"", member));
	text = kg_json_cstring(&value);
	appendBinaryStringInfo(&taking->key, text, strlen(text) + 1);
	taking->prefix = taking->key.len;
}

static void
take_decision(Taking *taking, const JsonbValue *decision)
{
	const JsonbContainer *object = kg_json_container(decision);
	JsonbValue value;
	bool one;

	if (!kg_json_is_object(decision))
		throw_bad_decision(taking->path, decision, "an object");
	resetStringInfo(&taking->key);
	begin_key(taking, object, "resource_type");
	begin_key(taking, object, "ability");
	if (kg_json_get(object, "allowed", &value) == NULL || value.type != jbvBool)
		throw_bad_decision(taking->path, NULL, "true or false in \"allowed\"");
	taking->allowed = value.val.boolean;
	one = kg_json_get(object, "id", &value) != NULL;
	if (one)
		take_id(taking, &value);
	if (kg_json_get(object, "ids", &value) == NULL)
	{
		if (!one)
			throw_bad_decision(
				taking->path, decision, "\"id\", or an array in \"ids\"");
		return;
	}
	if (!kg_json_is_array(&value))
		throw_bad_decision(taking->path, &value, "an array in \"ids\"");
	kg_json_each(it, kg_json_container(&value))
	{
		CHECK_FOR_INTERRUPTS();
		take_id(taking, &it.value);
	}
}

void
kg_exchange_take(const KgExchange *exchange, const Jsonb *decisions,
				 KgDecisions *into)
{
	Taking taking = {exchange, into};
	JsonbValue root;

	kg_json_root(decisions, &root);
	if (!kg_json_is_array(&root))
		throw_bad_decision("/decisions", &root, "an array");
	initStringInfo(&taking.key);
	kg_json_each(it, &decisions->root)
	{
		CHECK_FOR_INTERRUPTS();
		taking.path = psprintf("/decisions/%d", it.index);
		take_decision(&taking, &it.value);
		pfree(taking.path);
	}
}

/* ---- questions ---- */

typedef struct Asking
{
	KgJsonWriter *w;
	uint64 *digests;
	int n;
	/* resource type of the entry being written, or NULL */
	const char *resource_type;
	const char *ability;
	int ids;
} Asking;

static void
end_entry(Asking *asking)
{
	if (asking->resource_type == NULL)
		return;
	kg_jw_end_array(asking->w);
	kg_jw_end_object(asking->w);
}

/*
 * Writes one id. The key is resource_type, ability and id, each ended by a zero
 * byte.
 */
static void
ask_for(const char *key, int len, void *arg)
{
	Asking *asking = arg;
	const char *ability = key + strlen(key) + 1;
	const char *id = ability + strlen(ability) + 1;

	if (asking->resource_type == NULL || asking->ids == KG_EXCHANGE_IDS ||
		strcmp(asking->resource_type, key) != 0 ||
		strcmp(asking->ability, ability) != 0)
	{
		end_entry(asking);
		kg_jw_begin_object(asking->w);
		kg_jw_kstring(asking->w, "resource_type", key);
		kg_jw_kstring(asking->w, "ability", ability);
		kg_jw_kbegin_array(asking->w, "ids");
		asking->resource_type = key;
		asking->ability = ability;
		asking->ids = 0;
	}
	kg_jw_string(asking->w, id);
	asking->ids++;
	asking->digests[asking->n++] = kg_cursor_digest(key, len);
}

static char *
seal(const KgExchange *exchange, int64 expires, uint64 *digests, int n)
{
	Head head = {expires, exchange->round + 1};
	StringInfoData payload;

	/*
	 * An id that the gateway did not decide is requested again, so its digest
	 * may be there twice.
	 */
	qsort(digests, n, sizeof(uint64), compare_digests);
	head.nasked = qunique(digests, n, sizeof(uint64), compare_digests);
	initStringInfo(&payload);
	appendBinaryStringInfo(&payload, (const char *) &head, sizeof(head));
	appendBinaryStringInfo(
		&payload, (const char *) digests, head.nasked * sizeof(uint64));
	return kg_cursor_seal(
		exchange->tenant, exchange->about, payload.data, payload.len);
}

void
kg_exchange_write(const KgExchange *exchange, KgDecisions *decisions,
				  KgJsonWriter *w)
{
	int most = exchange->nasked + kg_decisions_open(decisions, NULL, NULL);
	TimestampTz expires = TimestampTzPlusMilliseconds(
		GetCurrentTimestamp(), kg_setting_exchange_time * INT64CONST(1000));
	Asking asking = {.w = w, .digests = palloc(most * sizeof(uint64))};

	for (asking.n = 0; asking.n < exchange->nasked; asking.n++)
		asking.digests[asking.n] = exchange->asked[asking.n];
	kg_jw_kbegin_array(w, "resources");
	(void) kg_decisions_open(decisions, ask_for, &asking);
	end_entry(&asking);
	kg_jw_end_array(w);
	kg_jw_kstring(
		w, "exchange", seal(exchange, expires, asking.digests, asking.n));
	kg_jw_kint(w, "round", exchange->round + 1);
	kg_jw_kstring(w, "expires_at", kg_utc_text(expires));
}
