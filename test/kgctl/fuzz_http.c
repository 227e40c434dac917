/*
 * fuzz_http.c
 *	  The HTTP server from the first byte of a connection on, in this process:
 *	  libmicrohttpd, the requests and the calls are the product's, the pool is
 *	  replaced by one that answers without a database.
 *
 * The first byte of the input chooses how the pool answers and into how many
 * pieces the rest is cut.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "kgctl/http/http.h"
#include "kgctl/log.h"

#define MAX_QUERIES 64

struct KgQuery
{
	bool used;
	KgQueryDone done;
	KgQueryNotice notice;
	void *arg;
};

struct KgPool
{
	KgQuery queries[MAX_QUERIES];
	int mode;
};

static KgPool pool;
static KgHttp http;
static KgArgs args;

/* What pool.c would give. */
KgQuery *
kg_pool_query(KgPool *p, const KgPoolMessage *message, KgQueryDone done,
			  KgQueryNotice notice, void *arg)
{
	int i;

	(void) message;
	for (i = 0; i < MAX_QUERIES; i++)
		if (!p->queries[i].used)
		{
			p->queries[i].used = true;
			p->queries[i].done = done;
			p->queries[i].notice = notice;
			p->queries[i].arg = arg;
			return &p->queries[i];
		}
	return NULL;
}

void
kg_query_cancel(KgQuery *query)
{
	query->used = false;
}

bool
kg_pool_healthy(const KgPool *p)
{
	return p->mode != 1;
}

const char *
kg_pool_away(const KgPool *p)
{
	return NULL;
}

KgQuery *
kg_pool_limits(KgPool *p, const char *token, KgQueryDone done, void *arg)
{
	KgPoolMessage message = {"", 0, token, NULL, NULL};

	return kg_pool_query(p, &message, done, NULL, arg);
}

KgQuery *
kg_pool_health(KgPool *p, KgQueryDone done, void *arg)
{
	KgPoolMessage message = {"", 0, NULL, NULL, NULL};

	return kg_pool_query(p, &message, done, NULL, arg);
}

void
kg_pool_write(const KgPool *p, KgBuf *out)
{
	(void) p;
	(void) out;
}

/* What readers.c would: the pool above is the standby, too. */
struct KgReaders
{
	bool there;
};

struct KgRead
{
	KgQuery *query;
	KgQueryDone done;
	KgQueryNotice notice;
	void *arg;
};

static KgReaders readers;

static void
read_done(void *arg, KgctlOutcome outcome, PGresult *res)
{
	KgRead *read = arg;

	read->done(read->arg, outcome, res);
	free(read);
}

static void
read_notice(void *arg, const char *text)
{
	KgRead *read = arg;

	read->notice(read->arg, text);
}

KgRead *
kg_readers_query(KgReaders *r, const KgPoolMessage *message, KgQueryDone done,
				 KgQueryNotice notice, void *arg)
{
	KgRead *read;

	if (!r->there)
		return NULL;
	read = calloc(1, sizeof(KgRead));
	read->done = done;
	read->notice = notice;
	read->arg = arg;
	read->query = kg_pool_query(&pool, message, read_done, read_notice, read);
	if (read->query != NULL)
		return read;
	free(read);
	return NULL;
}

void
kg_read_cancel(KgRead *read)
{
	kg_query_cancel(read->query);
	free(read);
}

KgPool *
kg_readers_choose(KgReaders *r)
{
	return r->there ? &pool : NULL;
}

long
kg_readers_lag(const KgReaders *r)
{
	(void) r;
	return 1;
}

void
kg_readers_write(const KgReaders *r, KgBuf *out)
{
	(void) r;
	(void) out;
}

void
kg_readers_write_ready(const KgReaders *r, KgBuf *out)
{
	(void) r;
	kg_buf_puts(out, "\"readers\": []");
}

/* What listen.c would: LISTEN is in force, or some waiting later, or never. */
struct KgSubscriber
{
	KgListeningFn ready;
	void *arg;
	bool used;
};

static KgSubscriber subscribers[MAX_QUERIES];
static bool listen_later;
static bool listening;

KgSubscriber *
kg_subscriber_new(KgListener *l, const KgCallContext *context, const char *text,
				  size_t len, KgListeningFn ready, void *arg, bool *waits)
{
	int i = 0;

	(void) l;
	if (context->pool == NULL || text == NULL || len == 0)
		abort();
	while (subscribers[i].used)
		if (++i == MAX_QUERIES)
			abort();
	*waits = listen_later;
	subscribers[i].ready = listen_later ? ready : NULL;
	subscribers[i].arg = arg;
	subscribers[i].used = true;
	return &subscribers[i];
}

void
kg_subscribe(KgSubscriber *s, const KgSubscription *what, KgSubscriberFn fn,
			 void *arg)
{
	if (what->key == NULL || what->ack == NULL || what->len == 0 ||
		what->id == NULL || s->ready)
		abort();
	fn(arg, "{}", 2);
}

void
kg_unsubscribe(KgSubscriber *s)
{
	s->used = false;
	s->ready = NULL;
}

void
kg_subscriber_result(KgBuf *out, const char *id)
{
	kg_buf_puts(out, id);
}

static void
end_waiting(void)
{
	int i;

	for (i = 0; i < MAX_QUERIES; i++)
	{
		KgListeningFn ready = subscribers[i].ready;

		subscribers[i].ready = NULL;
		if (ready != NULL)
			ready(subscribers[i].arg, listening);
	}
}

static PGresult *
make_result(const char *text)
{
	PGresult *res = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
	PGresAttDesc column;

	memset(&column, 0, sizeof(column));
	column.name = (char *) "kg_mcp";
	column.typid = 3802;
	column.typlen = -1;
	PQsetResultAttrs(res, 1, &column);
	PQsetvalue(res, 0, 0, (char *) text, text ? (int) strlen(text) : -1);
	return res;
}

static void
answer(KgQuery *query)
{
	static const char *const answers[] = {
		"{\"id\": 1, \"result\": {\"a\": [1]}, \"jsonrpc\": \"2.0\"}",
		"{\"id\": 1, \"error\": {\"code\": -32601, \"message\": \"m\"}}",
		"{\"id\": 1, \"result\": {\"requestState\": \"s\", \"resultType\": "
		"\"input_required\", \"inputRequests\": {\"a\": {\"method\": "
		"\"elicitation/create\", \"params\": {}}}}, \"jsonrpc\": \"2.0\"}",
		"{\"method\": \"notifications/subscriptions/acknowledged\", "
		"\"params\": {\"notifications\": {\"toolsListChanged\": true}}, "
		"\"kg_listen\": {\"key\": \"k\"}}",
		"[]",
		NULL};
	KgQuery now = *query;

	query->used = false;
	if ((pool.mode & 8) && now.notice != NULL)
		now.notice(now.arg,
				   "{\"method\":\"notifications/message\",\"params\":{}}");
	switch (pool.mode & 7)
	{
		case 6:
			now.done(now.arg, KG_OUTCOME_LOST, NULL);
			break;
		case 7:
			now.done(now.arg,
					 KG_OUTCOME_ERROR,
					 PQmakeEmptyPGresult(NULL, PGRES_FATAL_ERROR));
			break;
		default:
			now.done(now.arg,
					 KG_OUTCOME_RESULT,
					 make_result(answers[pool.mode & 7]));
			break;
	}
}

static void
run_for_a_while(int rounds)
{
	int i;
	int k;

	for (i = 0; i < rounds; i++)
	{
		kg_loop_step(http.gateway.loop, 0);
		for (k = 0; k < MAX_QUERIES && !(pool.mode & 16); k++)
			if (pool.queries[k].used)
				answer(&pool.queries[k]);
		end_waiting();
	}
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct sockaddr_un address;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	(void) argc;
	(void) argv;
	kg_log_set_level("error");
	memset(&address, 0, sizeof(address));
	address.sun_family = AF_UNIX;
	/* An abstract name of its own: nothing ever connects to it. */
	snprintf(address.sun_path + 1, 64, "kg_fuzz_%d", (int) getpid());
	if (bind(fd, (struct sockaddr *) &address, sizeof(address)) != 0 ||
		listen(fd, 8) != 0)
		abort();
	memset(&http, 0, sizeof(http));
	http.listen_fd = fd;
	http.probe_fd = -1;
	http.options.args = &args;
	http.options.path = "/mcp";
	http.options.resource = "https://kg.example.com/mcp";
	http.options.idle_timeout = 5;
	http.options.body_timeout = 5;
	http.options.stream_timeout = 5;
	http.options.max_connections = 100;
	http.options.max_streams = 100;
	http.options.max_bearer_streams = 10;
	http.options.keep_alive = 100;
	http.gateway.loop = kg_loop_new();
	http.gateway.pool = &pool;
	http.gateway.readers = &readers;
	http.gateway.ready = kg_ready_new(&pool);
	http.gateway.rates = kg_rates_new();
	http.gateway.max_message = 4096;
	if (!kg_http_start(&http))
		abort();
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sockaddr_un address;
	int pair[2];
	char sink[4096];
	size_t piece;
	size_t at = 1;
	int k;

	if (size < 2)
		return 0;
	pool.mode = data[0] & 31;
	listen_later = size % 2 == 1;
	listening = size % 4 < 2;
	readers.there = size % 8 < 4;
	piece = (data[0] >> 5) == 0 ? size : (size_t) (data[0] >> 5) * 37;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0)
		abort();
	memset(&address, 0, sizeof(address));
	address.sun_family = AF_UNIX;
	if (MHD_add_connection(http.daemon,
						   pair[0],
						   (struct sockaddr *) &address,
						   sizeof(address)) != MHD_YES)
	{
		close(pair[1]);
		return 0;
	}
	http.wake = true;
	while (at < size)
	{
		size_t n = size - at < piece ? size - at : piece;

		if (send(pair[1], data + at, n, MSG_NOSIGNAL) != (ssize_t) n)
			break;
		at += n;
		run_for_a_while(2);
		while (recv(pair[1], sink, sizeof(sink), 0) > 0)
			;
	}
	run_for_a_while(6);
	while (recv(pair[1], sink, sizeof(sink), 0) > 0)
		;
	close(pair[1]);
	pool.mode &= 15;
	for (k = 0; k < 50 && http.nconns > 0; k++)
	{
		http.wake = true;
		run_for_a_while(1);
	}
	/* A connection or a request that stays behind is a leak. */
	if (http.nconns > 0 || http.nrequests > 0 || http.nstreams > 0 ||
		http.body_bytes > 0)
	{
		fprintf(stderr,
				"fuzz_http: %ld connections, %ld requests, %ld streams, %zu "
				"bytes stay behind\n",
				http.nconns,
				http.nrequests,
				http.nstreams,
				http.body_bytes);
		abort();
	}
	return 0;
}
