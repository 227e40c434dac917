/*
 * listen.c
 *	  Subscriptions: connections that LISTEN, and who wants to know.
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
/* Longer than any connection lasts. */
#define MAX_SECONDS 1000000000L
#define CONNECT_TIMEOUT_MS 10000

struct KgSubscriber
{
	LIST_ENTRY(KgSubscriber) link;
	KgListeningFn ready; /* NULL once it was called */
	void *ready_arg;
	int64_t since;
	char *key;	 /* NULL until it subscribes */
	bool ending; /* somebody's right ended while it was asking */
	char *id;
	int kinds;
	char *uris[MAX_URIS];
	size_t nuris;
	int64_t until; /* 0: without end */
	KgSubscriberFn fn;
	void *arg;
};

/* A database that notifies. */
typedef struct Ear
{
	KgListener *listener;
	const char *dsn;
	PGconn *pg;
	KgWatch *watch;
	bool connected; /* it was asked what it is */
	bool answered;	/* it is no front: LISTEN comes next */
	bool listening; /* LISTEN is in force */
	bool missed;	/* there was no connection for a while */
	int64_t since;
} Ear;

struct KgListener
{
	KgLoop *loop;
	Ear *ears;
	size_t nears;
	LIST_HEAD(, KgSubscriber) subscribers;
};

static void on_socket(void *arg, uint32_t events);

/* Whether nothing that is notified anywhere is missed. */
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
 * What says to which subscription a message belongs; NULL: to none.  Of an
 * integer that JSON libraries do not hold its text is sent.
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

/* Of one resource, or of all that it subscribed to (NULL). */
static void
send_updates(KgSubscriber *s, const char *uri)
{
	for (size_t i = 0; i < s->nuris; i++)
		if (uri == NULL || strcmp(s->uris[i], uri) == 0)
			send_note(s, "notifications/resources/updated", s->uris[i]);
}

static void
tell(KgSubscriber *s, const char *kind)
{
	if (s->key == NULL)
		s->ending = s->ending ||
					(s->ready == NULL && strcmp(kind, "access") == 0);
	else if (strcmp(kind, "tools") == 0 && (s->kinds & KG_LISTEN_TOOLS))
		send_note(s, "notifications/tools/list_changed", NULL);
	else if (strcmp(kind, "prompts") == 0 && (s->kinds & KG_LISTEN_PROMPTS))
		send_note(s, "notifications/prompts/list_changed", NULL);
	else if (strcmp(kind, "resources") == 0 && (s->kinds & KG_LISTEN_RESOURCES))
		send_note(s, "notifications/resources/list_changed", NULL);
	/* Of which resource is not said where everybody can listen. */
	else if (strcmp(kind, "resource") == 0)
		send_updates(s, NULL);
	else if (strcmp(kind, "memory") == 0)
		send_updates(s, MEMORY_URI);
	else if (strcmp(kind, "access") == 0)
		s->fn(s->arg, NULL, 0);
}

/* "<key> <kind>"; a key has no spaces. */
static void
deliver(KgListener *l, const char *payload)
{
	size_t n = strcspn(payload, " ");
	KgSubscriber *s;
	KgSubscriber *next;

	if (payload[n] == '\0')
		return;
	for (s = LIST_FIRST(&l->subscribers); s != NULL; s = next)
	{
		next = LIST_NEXT(s, link);
		if (s->key == NULL ||
			(strlen(s->key) == n && memcmp(s->key, payload, n) == 0))
			tell(s, payload + n + 1);
	}
}

/*
 * Notifications may have been missed: say that everything changed.  Access last,
 * for it takes the subscriber away.
 */
static void
tell_all(KgListener *l)
{
	static const char *const kinds[] = {
		"tools", "prompts", "resources", "resource", "access"};
	KgSubscriber *s;
	KgSubscriber *next;

	for (s = LIST_FIRST(&l->subscribers); s != NULL; s = next)
	{
		next = LIST_NEXT(s, link);
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			tell(s, kinds[i]);
	}
}

/* Who waits for LISTEN since before a moment is told what became of it. */
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

/* Of a front, which hears nothing of what its shards notify, there is a row. */
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
			   "the database \"%s\" is a front and notifies of nothing: "
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
			tell(s, "access");
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
	/* Only while somebody wants to know. */
	else if (ear->pg == NULL && !LIST_EMPTY(&l->subscribers) &&
			 waited > PAUSE_MS)
		connect_database(ear);
}

static void
on_tick(void *arg)
{
	KgListener *l = arg;

	end_expired(l, kg_now());
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

/* The accepted filter, in params or in an object right below. */
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
kg_subscriber_new(KgListener *l, KgListeningFn ready, void *arg, bool *waits)
{
	KgSubscriber *s = kg_calloc(1, sizeof(KgSubscriber));

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
kg_subscribe(KgSubscriber *s, const char *key, const char *ack, size_t len,
			 const char *id, long seconds, KgSubscriberFn fn, void *arg)
{
	s->key = kg_strdup(key);
	s->id = id ? kg_strdup(id) : NULL;
	if (s->ending)
		seconds = 0;
	if (seconds >= 0)
		s->until = kg_now() +
				   (int64_t) (seconds < MAX_SECONDS ? seconds : MAX_SECONDS) *
					   1000;
	s->fn = fn;
	s->arg = arg;
	if (ack == NULL)
		s->kinds = KG_LISTEN_TOOLS | KG_LISTEN_PROMPTS | KG_LISTEN_RESOURCES;
	else
	{
		json_t *root = json_loadb(ack, len, JSON_REJECT_DUPLICATES, NULL);

		read_filter(s, json_object_get(root, "params"), 1);
		json_decref(root);
	}
}

void
kg_unsubscribe(KgSubscriber *s)
{
	LIST_REMOVE(s, link);
	for (size_t i = 0; i < s->nuris; i++)
		free(s->uris[i]);
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
