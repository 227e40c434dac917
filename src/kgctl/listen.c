/*
 * listen.c
 *	  Subscriptions: connections that LISTEN for notifications, and their
 *	  subscribers.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>

#include "kgctl/listen.h"
#include "kgctl/log.h"
#include "kgctl/message.h"
#include "kgctl/pool.h"

#define MAX_URIS 64
#define MEMORY_URI "memory://knowledge-graph"
#define PAUSE_MS 1000
/* A number of seconds longer than any connection lasts. */
#define MAX_SECONDS 1000000000L
#define CONNECT_TIMEOUT_MS 10000

/* Kinds of notifications. Pending notifications are sent in this order. */
typedef enum Kind
{
	KIND_TOOLS,
	KIND_PROMPTS,
	KIND_RESOURCES,
	KIND_RESOURCE,
	KIND_MEMORY,
	KIND_ACCESS, /* a right may have changed, for example expired */
	NKINDS
} Kind;

static const char *const kind_names[NKINDS] = {
	"tools", "prompts", "resources", "resource", "memory", "access"};

struct KgSubscriber
{
	LIST_ENTRY(KgSubscriber) link;
	KgListener *listener;
	/* The message that requests the subscription, and its context. */
	KgCallContext context;
	char *token;
	char *revision;
	char *text;
	size_t len;
	/* function to call when LISTEN is active; NULL after the call */
	KgListeningFn ready;
	void *ready_arg;
	int64_t since;
	/*
	 * key of the changes; NULL before the database has granted the subscription
	 */
	char *key;
	/* notifications were lost while the database checked the request */
	bool ending;
	/* the request must be sent again, because the right is in doubt */
	bool doubted;
	unsigned held; /* bit mask of the kinds to send if the right is confirmed */
	char *id;
	int kinds;
	char *uris[MAX_URIS];
	size_t nuris;
	int64_t until; /* time at which the right expires; 0: never */
	KgSubscriberFn fn;
	void *arg;
};

/* A connection that listens for the notifications of one database. */
typedef struct Ear
{
	KgListener *listener;
	const char *dsn;
	PGconn *pg;
	KgWatch *watch;
	bool connected; /* the query that detects a front was sent */
	/*
	 * the query was answered, and the database is not a front: LISTEN follows
	 */
	bool answered;
	bool listening; /* LISTEN is active */
	bool missed;	/* the connection was lost for some time */
	int64_t since;
} Ear;

struct KgListener
{
	KgLoop *loop;
	Ear *ears;
	size_t nears;
	LIST_HEAD(, KgSubscriber) subscribers;
	/*
	 * The request that checks a right. Only one runs at a time, so that many
	 * notifications do not cause many requests.
	 */
	KgctlCall *call;
	KgSubscriber *checked; /* the subscriber whose right is checked */
};

static void on_socket(void *arg, uint32_t events);

/* Returns whether LISTEN is active in all databases. */
static bool
hears_all(const KgListener *l)
{
	for (size_t i = 0; i < l->nears; i++)
		if (!l->ears[i].listening)
			return false;
	return true;
}

static void
disconnect(Ear *ear)
{
	if (!LIST_EMPTY(&ear->listener->subscribers))
		ear->missed = true;
	kg_watch_remove(ear->watch);
	ear->watch = NULL;
	PQfinish(ear->pg);
	ear->pg = NULL;
	ear->connected = ear->answered = ear->listening = false;
	ear->since = kg_now();
}

static void
ignore_notice(void *arg, const PGresult *res)
{
}

static void
connect_database(Ear *ear)
{
	ear->pg = kg_pg_start(ear->dsn, "kgctl listen");
	ear->since = kg_now();
	if (PQstatus(ear->pg) == CONNECTION_BAD || !kg_pg_watch(ear->pg,
															ear->listener->loop,
															&ear->watch,
															EPOLLOUT,
															on_socket,
															ear))
		disconnect(ear);
	else
		PQsetNoticeReceiver(ear->pg, ignore_notice, NULL);
}

/*
 * Returns the member of _meta that names the subscription, or NULL. If the JSON
 * library cannot represent an integer id, the id is sent as text.
 */
static json_t *
meta_of(const char *id)
{
	json_t *value;

	if (id == NULL)
		return NULL;
	value = json_loads(id, JSON_DECODE_ANY, NULL);
	return json_pack(
		"{s:o}", KG_META "subscriptionId", value ? value : json_string(id));
}

static void
send_note(KgSubscriber *s, const char *method, const char *uri)
{
	json_t *params = json_pack(
		"{s:s*, s:o*}", "uri", uri, "_meta", meta_of(s->id));
	KgBuf out;

	kg_buf_init(&out);
	kg_json_write_made(&out,
					   json_pack("{s:s, s:s, s:O*}",
								 "jsonrpc",
								 "2.0",
								 "method",
								 method,
								 "params",
								 json_object_size(params) ? params : NULL));
	json_decref(params);
	s->fn(s->arg, out.data, out.len);
	kg_buf_free(&out);
}

/*
 * Sends a notification of an update: of one resource, or of all subscribed
 * resources if uri is NULL.
 */
static void
send_updates(KgSubscriber *s, const char *uri)
{
	for (size_t i = 0; i < s->nuris; i++)
		if (uri == NULL || strcmp(s->uris[i], uri) == 0)
			send_note(s, "notifications/resources/updated", s->uris[i]);
}

/*
 * Ends a subscription, because its right has expired or notifications may have
 * been lost. If the database has not granted it yet, kg_subscribe() ends it.
 */
static void
end(KgSubscriber *s)
{
	if (s->key != NULL)
		s->fn(s->arg, NULL, 0);
	else
		s->ending = s->ready == NULL;
}

static void
tell(KgSubscriber *s, Kind kind)
{
	switch (kind)
	{
		case KIND_TOOLS:
			if (s->kinds & KG_LISTEN_TOOLS)
				send_note(s, "notifications/tools/list_changed", NULL);
			break;
		case KIND_PROMPTS:
			if (s->kinds & KG_LISTEN_PROMPTS)
				send_note(s, "notifications/prompts/list_changed", NULL);
			break;
		case KIND_RESOURCES:
			if (s->kinds & KG_LISTEN_RESOURCES)
				send_note(s, "notifications/resources/list_changed", NULL);
			break;
		case KIND_RESOURCE:
			/*
			 * The notification of the database does not name the resource,
			 * because any role can listen. So notify of all resources.
			 */
			send_updates(s, NULL);
			break;
		case KIND_MEMORY:
			send_updates(s, MEMORY_URI);
			break;
		case KIND_ACCESS:
		case NKINDS:
			break;
	}
}

/* ---- checking a subscriber's right ---- */

static void ask_next(KgListener *l);

static bool
is_doubted(const KgSubscriber *s)
{
	return s->doubted || s->listener->checked == s;
}

static void
on_answer(void *arg, KgAnswer *answer)
{
	KgListener *l = arg;
	KgSubscriber *s = l->checked;

	l->call = NULL;
	l->checked = NULL;
	/*
	 * The database is unavailable or busy, so the request is sent again at the
	 * next tick.
	 */
	if (answer->status == 503 || answer->status == 504)
	{
		s->doubted = true;
		return;
	}
	if (answer->listen_key == NULL || strcmp(answer->listen_key, s->key) != 0)
		end(s);
	else if (!s->doubted)
	{
		unsigned held = s->held;

		s->held = 0;
		for (int kind = 0; kind < NKINDS; kind++)
			if (held & 1u << kind)
				tell(s, (Kind) kind);
	}
	ask_next(l);
}

/* Sends the request of the next subscriber whose right is in doubt. */
static void
ask_next(KgListener *l)
{
	KgCallOwner owner = {l, NULL, false, on_answer};
	KgSubscriber *s;
	KgMessage msg;
	char *error = NULL;

	if (l->call != NULL)
		return;
	LIST_FOREACH(s, &l->subscribers, link)
		if (s->doubted && s->key != NULL)
			break;
	if (s == NULL)
		return;
	if (kg_message_parse(&msg, s->text, s->len, &error))
		l->call = kg_call_start(&s->context, &msg, s->text, s->len, &owner);
	free(error);
	kg_message_free(&msg);
	/* If too many calls wait, the right stays in doubt until the next tick. */
	if (l->call == NULL)
		return;
	s->doubted = false;
	l->checked = s;
}

static void
take_kind(KgSubscriber *s, Kind kind)
{
	if (kind == KIND_ACCESS)
		s->doubted = s->doubted || s->ready == NULL;
	else if (s->key != NULL && is_doubted(s))
		s->held |= 1u << kind;
	else if (s->key != NULL)
		tell(s, kind);
}

/*
 * Delivers a notification, whose payload is "<key> <kind>". A key has no
 * spaces.
 */
static void
deliver(KgListener *l, const char *payload)
{
	size_t n = strcspn(payload, " ");
	int kind = 0;
	KgSubscriber *s;
	KgSubscriber *next;

	if (payload[n] == '\0')
		return;
	while (kind < NKINDS && strcmp(payload + n + 1, kind_names[kind]) != 0)
		kind++;
	if (kind == NKINDS)
		return;
	for (s = LIST_FIRST(&l->subscribers); s != NULL; s = next)
	{
		next = LIST_NEXT(s, link);
		if (s->key == NULL ||
			(strlen(s->key) == n && memcmp(s->key, payload, n) == 0))
			take_kind(s, (Kind) kind);
	}
	ask_next(l);
}

/*
 * Sends each subscriber notifications that everything has changed, because
 * notifications may have been lost. Then ends all subscriptions.
 */
static void
tell_all(KgListener *l)
{
	KgSubscriber *s;
	KgSubscriber *next;

	for (s = LIST_FIRST(&l->subscribers); s != NULL; s = next)
	{
		next = LIST_NEXT(s, link);
		for (int kind = 0; s->key != NULL && kind < KIND_MEMORY; kind++)
			tell(s, (Kind) kind);
		end(s);
	}
}

/*
 * Calls ready() of each subscriber that began to wait for LISTEN before the
 * time "before".
 */
static void
tell_waiting(KgListener *l, int64_t before, bool listening)
{
	KgSubscriber *s;
	KgSubscriber *next;

	for (s = LIST_FIRST(&l->subscribers); s != NULL; s = next)
	{
		KgListeningFn ready = s->ready;

		next = LIST_NEXT(s, link);
		if (ready == NULL || s->since >= before)
			continue;
		s->ready = NULL;
		ready(s->ready_arg, listening);
	}
}

static void
start_listening(Ear *ear)
{
	ear->listening = true;
	if (ear->missed)
	{
		ear->missed = false;
		tell_all(ear->listener);
	}
	if (hears_all(ear->listener))
		tell_waiting(ear->listener, INT64_MAX, true);
}

/*
 * Takes the result of LISTEN, or of the query that detects a front. This query
 * returns a row if the database is a front, which gets no notifications of its
 * shards. Returns false if the connection is of no use.
 */
static bool
take_result(Ear *ear, const PGresult *res)
{
	if (PQresultStatus(res) == PGRES_COMMAND_OK)
		start_listening(ear);
	else if (PQresultStatus(res) != PGRES_TUPLES_OK)
		return false;
	else if (PQntuples(res) > 0)
	{
		kg_log(KG_LOG_WARNING,
			   "the database \"%s\" is a front and sends no notifications: "
			   "subscriptions need --listen-dsn, one for each shard",
			   PQdb(ear->pg));
		return false;
	}
	else
		ear->answered = true;
	return true;
}

static void
read_notifications(Ear *ear)
{
	PGnotify *note;
	PGresult *res;
	bool ok = true;

	if (!PQconsumeInput(ear->pg))
	{
		kg_log(KG_LOG_WARNING, "the connection that listens was lost");
		disconnect(ear);
		return;
	}
	while (ok && !PQisBusy(ear->pg) && (res = PQgetResult(ear->pg)) != NULL)
	{
		ok = take_result(ear, res);
		PQclear(res);
	}
	if (ok && ear->answered && PQtransactionStatus(ear->pg) == PQTRANS_IDLE)
	{
		ear->answered = false;
		ok = PQsendQuery(ear->pg, "LISTEN kg_mcp");
	}
	if (!ok)
	{
		disconnect(ear);
		return;
	}
	while ((note = PQnotifies(ear->pg)) != NULL)
	{
		deliver(ear->listener, note->extra);
		PQfreemem(note);
	}
}

static void
on_socket(void *arg, uint32_t events)
{
	Ear *ear = arg;
	KgLoop *loop = ear->listener->loop;
	int state;

	if (ear->connected)
	{
		read_notifications(ear);
		return;
	}
	state = kg_pg_poll(ear->pg, loop, &ear->watch, on_socket, ear);
	if (state > 0)
		ear->connected =
			PQsendQuery(ear->pg,
						"SELECT FROM pg_catalog.pg_extension e "
						"WHERE e.extname OPERATOR(pg_catalog.=) 'kg_front'") &&
			kg_pg_watch(ear->pg, loop, &ear->watch, EPOLLIN, on_socket, ear);
	if (state < 0 || (state > 0 && !ear->connected))
		disconnect(ear);
}

static void
end_expired(KgListener *l, int64_t now)
{
	KgSubscriber *s;
	KgSubscriber *next;

	for (s = LIST_FIRST(&l->subscribers); s != NULL; s = next)
	{
		next = LIST_NEXT(s, link);
		if (s->until != 0 && now >= s->until)
			end(s);
	}
}

static void
look_after(Ear *ear)
{
	KgListener *l = ear->listener;
	int64_t waited = kg_now() - ear->since;

	if (ear->pg == NULL)
		tell_waiting(l, ear->since, false);
	if (ear->pg != NULL && !ear->listening && waited > CONNECT_TIMEOUT_MS)
		disconnect(ear);
	/* Connect only while there are subscribers. */
	else if (ear->pg == NULL && !LIST_EMPTY(&l->subscribers) &&
			 waited > PAUSE_MS)
		connect_database(ear);
}

static void
on_tick(void *arg)
{
	KgListener *l = arg;

	end_expired(l, kg_now());
	ask_next(l);
	for (size_t i = 0; i < l->nears; i++)
		look_after(&l->ears[i]);
}

KgListener *
kg_listener_new(KgLoop *loop, const char *const *dsns, size_t n)
{
	KgListener *l = kg_calloc(1, sizeof(KgListener));

	l->loop = loop;
	l->nears = n;
	l->ears = kg_calloc(n, sizeof(Ear));
	for (size_t i = 0; i < n; i++)
	{
		l->ears[i].listener = l;
		l->ears[i].dsn = dsns[i];
		l->ears[i].since = kg_now() - PAUSE_MS;
	}
	kg_loop_on_tick(loop, on_tick, l);
	return l;
}

void
kg_listener_free(KgListener *l)
{
	while (!LIST_EMPTY(&l->subscribers))
		kg_unsubscribe(LIST_FIRST(&l->subscribers));
	for (size_t i = 0; i < l->nears; i++)
		disconnect(&l->ears[i]);
	free(l->ears);
	free(l);
}

static void
add_uri(KgSubscriber *s, const json_t *uri)
{
	if (s->nuris < MAX_URIS && json_is_string(uri))
		s->uris[s->nuris++] = kg_strdup(json_string_value(uri));
}

/*
 * Reads the accepted filter of a subscription, which is in params or in a
 * member of params.
 */
static void
read_filter(KgSubscriber *s, json_t *object, int depth)
{
	static const struct
	{
		const char *key;
		int kind;
	} kinds[] = {{"toolsListChanged", KG_LISTEN_TOOLS},
				 {"promptsListChanged", KG_LISTEN_PROMPTS},
				 {"resourcesListChanged", KG_LISTEN_RESOURCES}};
	const json_t *uris;
	const char *key;
	json_t *value;
	size_t i;

	for (i = 0; i < 3; i++)
		if (json_is_true(json_object_get(object, kinds[i].key)))
			s->kinds |= kinds[i].kind;
	uris = json_object_get(object, "resourceSubscriptions");
	json_array_foreach(uris, i, value)
		add_uri(s, value);
	add_uri(s, json_object_get(object, "uri"));
	if (depth > 0)
		json_object_foreach(object, key, value)
			read_filter(s, value, depth - 1);
}

KgSubscriber *
kg_subscriber_new(KgListener *l, const KgCallContext *context, const char *text,
				  size_t len, KgListeningFn ready, void *arg, bool *waits)
{
	KgSubscriber *s = kg_calloc(1, sizeof(KgSubscriber));

	s->listener = l;
	s->context = *context;
	/*
	 * Requests that the gateway itself sends do not count towards the client's
	 * rate.
	 */
	s->context.rates = NULL;
	s->context.readers = NULL;
	s->context.token = s->token = context->token ? kg_strdup(context->token)
												 : NULL;
	s->context.revision = s->revision = context->revision
											? kg_strdup(context->revision)
											: NULL;
	s->text = kg_strndup(text, len);
	s->len = len;
	*waits = !hears_all(l);
	s->ready = *waits ? ready : NULL;
	s->ready_arg = arg;
	s->since = kg_now();
	LIST_INSERT_HEAD(&l->subscribers, s, link);
	for (size_t i = 0; i < l->nears; i++)
		if (l->ears[i].pg == NULL)
			connect_database(&l->ears[i]);
	return s;
}

void
kg_subscribe(KgSubscriber *s, const KgSubscription *what, KgSubscriberFn fn,
			 void *arg)
{
	long seconds = s->ending ? 0 : what->seconds;

	s->key = kg_strdup(what->key);
	s->id = what->id ? kg_strdup(what->id) : NULL;
	if (seconds >= 0)
		s->until = kg_now() +
				   (int64_t) (seconds < MAX_SECONDS ? seconds : MAX_SECONDS) *
					   1000;
	s->fn = fn;
	s->arg = arg;
	if (what->ack == NULL)
		s->kinds = KG_LISTEN_TOOLS | KG_LISTEN_PROMPTS | KG_LISTEN_RESOURCES;
	else
	{
		json_t *root = json_loadb(
			what->ack, what->len, JSON_REJECT_DUPLICATES, NULL);

		read_filter(s, json_object_get(root, "params"), 1);
		json_decref(root);
	}
	ask_next(s->listener);
}

void
kg_unsubscribe(KgSubscriber *s)
{
	KgListener *l = s->listener;

	LIST_REMOVE(s, link);
	if (l->checked == s)
	{
		kg_call_cancel(l->call);
		l->call = NULL;
		l->checked = NULL;
	}
	for (size_t i = 0; i < s->nuris; i++)
		free(s->uris[i]);
	/* Overwrite the token, so that it does not remain in freed memory. */
	if (s->token != NULL)
		memset(s->token, 0, strlen(s->token));
	free(s->token);
	free(s->revision);
	free(s->text);
	free(s->key);
	free(s->id);
	free(s);
}

void
kg_subscriber_result(KgBuf *out, const char *id)
{
	kg_message_result(
		out,
		id,
		json_pack(
			"{s:s, s:o}", "resultType", "complete", "_meta", meta_of(id)));
}
