/*
 * readers.c
 *	  Standbys that answer what only reads.
 *
 * How far a standby is behind is not asked of the standby, which cannot know
 * once it hears nothing of the primary: every second the primary is asked how far
 * it is, and the standbys whether they got there.  One that is longer on its way
 * than --read-lag is passed by.  While the primary is away there is nothing newer
 * to get to, and standbys go on.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "kgctl/json.h"
#include "kgctl/log.h"
#include "kgctl/metrics.h"
#include "kgctl/readers.h"
#include "kgctl/result.h"

#define POSITION_MS 1000
/* How soon a standby is asked again whether it has what the caller wrote. */
#define PAUSE_MIN_MS 5
#define PAUSE_MAX_MS 100
/* An answer that is none is not longer, with the longest id. */
#define MAX_HANDED_OVER 2048

/* A standby. */
typedef struct Reader
{
	KgReaders *readers;
	KgPool *pool;
	KgQuery *query; /* whether it got there, or NULL */
	char *awaited;	/* where to; NULL: it is as far as the primary was */
	int64_t since;	/* when the primary was there */
	bool current;	/* it is not too far behind */
} Reader;

struct KgReaders
{
	KgLoop *loop;
	KgPool *primary;
	KgReadersOptions options;
	Reader each[KG_MAX_READERS];
	size_t next;	/* whose turn it is */
	KgQuery *query; /* how far the primary is, or NULL */
	int64_t next_query;
	LIST_HEAD(, KgRead) waiting; /* for a standby to replay something */
};

struct KgRead
{
	LIST_ENTRY(KgRead) link; /* of those that wait */
	KgReaders *readers;
	KgPool *pool;	/* that is asked: of a standby, or the primary's */
	KgQuery *query; /* NULL while it waits */
	/* The message, for the next time. */
	KgPoolMessage message;
	int64_t again; /* when it is asked again, while it waits; 0: it does not */
	int64_t pause;
	int64_t until; /* then the primary is asked; 0: it has not waited yet */
	KgQueryDone done;
	KgQueryNotice notice;
	void *arg;
};

static void read_done(void *arg, KgOutcome outcome, PGresult *res);

/* ---- how far they are ---- */

static void
set_current(Reader *reader, bool current)
{
	if (reader->current != current)
		kg_log(KG_LOG_INFO,
			   current ? "standby %zu is read from"
					   : "standby %zu is too far behind to be read from",
			   (size_t) (reader - reader->readers->each) + 1);
	reader->current = current;
}

static void
end_awaiting(Reader *reader)
{
	if (reader->query != NULL)
		kg_query_cancel(reader->query);
	reader->query = NULL;
	free(reader->awaited);
	reader->awaited = NULL;
}

static void
on_reached(void *arg, KgOutcome outcome, PGresult *res)
{
	Reader *reader = arg;

	reader->query = NULL;
	if (outcome == KG_OUTCOME_RESULT && PQgetvalue(res, 0, 0)[0] == 't')
	{
		end_awaiting(reader);
		set_current(reader, true);
	}
	PQclear(res);
}

static void
ask_reached(Reader *reader)
{
	/* What it did not send before may never be sent. */
	if (!kg_pool_healthy(reader->readers->primary))
		end_awaiting(reader);
	if (reader->awaited == NULL)
		return;
	if (kg_now() - reader->since > reader->readers->options.lag_ms)
		set_current(reader, false);
	if (reader->query == NULL && kg_pool_healthy(reader->pool))
		reader->query = kg_pool_reached(
			reader->pool, reader->awaited, on_reached, reader);
}

static void
on_position(void *arg, KgOutcome outcome, PGresult *res)
{
	KgReaders *readers = arg;
	const char *message = kg_result_words(res, PG_DIAG_MESSAGE_PRIMARY);
	size_t i;

	readers->query = NULL;
	if (outcome == KG_OUTCOME_ERROR)
		kg_log(KG_LOG_WARNING,
			   "the primary does not say how far it is: %s",
			   message ? message : "for no reason");
	if (outcome == KG_OUTCOME_RESULT && !PQgetisnull(res, 0, 0))
		for (i = 0; i < readers->options.n; i++)
		{
			Reader *reader = &readers->each[i];

			if (reader->awaited != NULL)
				continue;
			reader->awaited = kg_strdup(PQgetvalue(res, 0, 0));
			reader->since = kg_now();
			ask_reached(reader);
		}
	PQclear(res);
}

static void
on_tick(void *arg)
{
	KgReaders *readers = arg;
	size_t i;

	if (readers->query == NULL && kg_now() >= readers->next_query &&
		kg_pool_healthy(readers->primary))
	{
		readers->next_query = kg_now() + POSITION_MS;
		readers->query = kg_pool_position(
			readers->primary, on_position, readers);
	}
	for (i = 0; i < readers->options.n; i++)
		ask_reached(&readers->each[i]);
}

KgPool *
kg_readers_choose(KgReaders *readers)
{
	size_t i;

	for (i = 0; i < readers->options.n; i++)
	{
		Reader *reader = &readers->each[readers->next++ % readers->options.n];

		if (reader->current && kg_pool_healthy(reader->pool))
			return reader->pool;
	}
	return NULL;
}

long
kg_readers_lag(const KgReaders *readers)
{
	return readers->options.lag_ms;
}

/* ---- messages ---- */

static void
free_read(KgRead *read)
{
	if (read->again != 0)
		LIST_REMOVE(read, link);
	/* Do not leave tokens in freed memory. */
	if (read->message.token != NULL)
		memset((char *) read->message.token, 0, strlen(read->message.token));
	free((char *) read->message.text);
	free((char *) read->message.token);
	free((char *) read->message.decisions);
	free((char *) read->message.exchange);
	free(read);
}

static void
read_notice(void *arg, const char *text)
{
	KgRead *read = arg;

	read->notice(read->arg, text);
}

static bool
send_read(KgRead *read, KgPool *pool)
{
	read->pool = pool;
	read->query = kg_pool_query(
		pool, &read->message, read_done, read_notice, read);
	return read->query != NULL;
}

static void
end_read(KgRead *read, KgOutcome outcome, PGresult *res)
{
	read->done(read->arg, outcome, res);
	free_read(read);
}

static void
ask_primary(KgRead *read)
{
	if (!send_read(read, read->readers->primary))
		end_read(read, KG_OUTCOME_UNAVAILABLE, NULL);
}

/* Why a standby hands a message over, as JSON text; NULL: it does not. */
static const char *
handed_over(const PGresult *res)
{
	const char *why;
	size_t n = (size_t) PQgetlength(res, 0, 0);

	return !PQgetisnull(res, 0, 0) && n < MAX_HANDED_OVER &&
				   kg_json_scan(
					   PQgetvalue(res, 0, 0), n, "kg_primary", &why, &n)
			   ? why
			   : NULL;
}

static void
wait_for_standby(KgRead *read)
{
	int64_t now = kg_now();

	if (read->until == 0)
	{
		read->until = now + read->readers->options.wait_ms;
		read->pause = PAUSE_MIN_MS;
	}
	if (now >= read->until)
	{
		kg_count(KG_COUNT_READ_BEHIND);
		ask_primary(read);
		return;
	}
	read->again = now + read->pause < read->until ? now + read->pause
												  : read->until;
	read->pause = read->pause * 2 < PAUSE_MAX_MS ? read->pause * 2
												 : PAUSE_MAX_MS;
	LIST_INSERT_HEAD(&read->readers->waiting, read, link);
}

/* A standby has answered: that is the answer, or somebody is asked once more. */
static void
standby_answered(KgRead *read, KgOutcome outcome, PGresult *res)
{
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);
	const char *why = outcome == KG_OUTCOME_RESULT ? handed_over(res) : NULL;
	/* What takes too long there would take the primary as long. */
	bool late = state != NULL && strcmp(state, "57014") == 0;
	bool behind = why != NULL && strncmp(why, "\"behind\"", 8) == 0;

	if (late || (outcome == KG_OUTCOME_RESULT && why == NULL))
	{
		kg_count(KG_COUNT_READ_ANSWERED);
		end_read(read, outcome, res);
		return;
	}
	PQclear(res);
	if (behind)
		wait_for_standby(read);
	else
	{
		kg_count(why != NULL ? KG_COUNT_READ_REFUSED : KG_COUNT_READ_FAILED);
		ask_primary(read);
	}
}

static void
read_done(void *arg, KgOutcome outcome, PGresult *res)
{
	KgRead *read = arg;

	read->query = NULL;
	if (read->pool == read->readers->primary)
		end_read(read, outcome, res);
	else
		standby_answered(read, outcome, res);
}

/* Those whose pause is over are asked again, before the loop waits. */
static void
on_wait(void *arg)
{
	KgReaders *readers = arg;
	KgRead *read = LIST_FIRST(&readers->waiting);
	int64_t now = kg_now();

	while (read != NULL)
	{
		KgRead *next = LIST_NEXT(read, link);

		if (now < read->again)
			kg_loop_due(readers->loop, read->again);
		else
		{
			LIST_REMOVE(read, link);
			read->again = 0;
			if (!kg_pool_healthy(read->pool) || !send_read(read, read->pool))
				ask_primary(read);
		}
		read = next;
	}
}

static char *
copy(const char *text)
{
	return text ? kg_strdup(text) : NULL;
}

KgRead *
kg_readers_query(KgReaders *readers, const KgPoolMessage *message,
				 KgQueryDone done, KgQueryNotice notice, void *arg)
{
	KgPool *pool = kg_readers_choose(readers);
	KgRead *read;

	if (pool == NULL)
		return NULL;
	read = kg_calloc(1, sizeof(KgRead));
	read->readers = readers;
	read->message.text = kg_strndup(message->text, message->len);
	read->message.len = message->len;
	read->message.token = copy(message->token);
	read->message.decisions = copy(message->decisions);
	read->message.exchange = copy(message->exchange);
	read->done = done;
	read->notice = notice;
	read->arg = arg;
	if (send_read(read, pool))
		return read;
	free_read(read);
	return NULL;
}

void
kg_read_cancel(KgRead *read)
{
	if (read->query != NULL)
		kg_query_cancel(read->query);
	free_read(read);
}

/* ---- all of them ---- */

KgReaders *
kg_readers_new(KgLoop *loop, KgPool *primary, const KgPoolOptions *pool,
			   const KgReadersOptions *options)
{
	KgReaders *readers = kg_calloc(1, sizeof(KgReaders));
	KgPoolOptions standby = *pool;
	size_t i;

	LIST_INIT(&readers->waiting);
	readers->loop = loop;
	readers->primary = primary;
	readers->options = *options;
	standby.server = KG_SERVER_STANDBY;
	for (i = 0; i < options->n; i++)
	{
		standby.dsn = options->dsns[i];
		readers->each[i].readers = readers;
		readers->each[i].pool = kg_pool_new(loop, &standby);
	}
	kg_loop_on_tick(loop, on_tick, readers);
	kg_loop_on_wait(loop, on_wait, readers);
	return readers;
}

void
kg_readers_free(KgReaders *readers)
{
	size_t i;

	if (readers == NULL)
		return;
	while (!LIST_EMPTY(&readers->waiting))
		free_read(LIST_FIRST(&readers->waiting));
	/* What the pools still ask goes with them. */
	for (i = 0; i < readers->options.n; i++)
	{
		kg_pool_free(readers->each[i].pool);
		free(readers->each[i].awaited);
	}
	free(readers);
}

/* How long it has been on its way to where the primary was, in milliseconds. */
static int64_t
behind(const Reader *reader)
{
	return reader->awaited ? kg_now() - reader->since : 0;
}

void
kg_readers_write(const KgReaders *readers, KgBuf *out)
{
	static const char connections[] = "kgctl_reader_connections";
	size_t i;

	kg_metric_head(out,
				   "kgctl_reader_up",
				   "gauge",
				   "Whether a standby (--read-dsn) is read from.");
	for (i = 0; i < readers->options.n; i++)
		kg_buf_printf(out,
					  "kgctl_reader_up{reader=\"%zu\"} %d\n",
					  i + 1,
					  readers->each[i].current &&
						  kg_pool_healthy(readers->each[i].pool));
	kg_metric_head(out,
				   "kgctl_reader_behind_seconds",
				   "gauge",
				   "How long a standby has been on its way to where the "
				   "primary was.");
	for (i = 0; i < readers->options.n; i++)
		kg_buf_printf(out,
					  "kgctl_reader_behind_seconds{reader=\"%zu\"} %.3f\n",
					  i + 1,
					  (double) behind(&readers->each[i]) / 1000);
	kg_metric_head(out,
				   connections,
				   "gauge",
				   "Connections to standbys, by state; --pool at most.");
	for (i = 0; i < readers->options.n; i++)
	{
		char *label = kg_format("reader=\"%zu\",", i + 1);

		kg_pool_write_connections(
			readers->each[i].pool, connections, label, out);
		free(label);
	}
}

void
kg_readers_write_ready(const KgReaders *readers, KgBuf *out)
{
	size_t i;

	kg_buf_puts(out, "\"readers\": [");
	for (i = 0; i < readers->options.n; i++)
		kg_buf_printf(out,
					  "%s{\"reader\": %zu, \"connected\": %s, \"current\": %s, "
					  "\"behind_ms\": %lld}",
					  i > 0 ? ", " : "",
					  i + 1,
					  kg_pool_healthy(readers->each[i].pool) ? "true" : "false",
					  readers->each[i].current ? "true" : "false",
					  (long long) behind(&readers->each[i]));
	kg_buf_putc(out, ']');
}
