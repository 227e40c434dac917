/*
 * readers.c
 *	  Standbys that answer calls which only read. A standby cannot know its
 *	  lag while it receives nothing from the primary. So each second the
 *	  primary's WAL position is queried, and then each standby is queried
 *	  until it has replayed this position. A standby that takes longer than
 *	  --read-lag is not used. While the primary is unavailable, its position
 *	  is unknown, and the standbys remain in use.
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
/*
 * Pauses between two queries whether a standby has replayed the caller's last
 * write.
 */
#define PAUSE_MIN_MS 5
#define PAUSE_MAX_MS 100
/*
 * Maximal length of an answer by which a standby refers a call to the primary,
 * with the longest possible id.
 */
#define MAX_HANDED_OVER 2048

/* A standby. */
typedef struct Reader
{
	KgReaders *readers;
	KgPool *pool;
	/* query whether the standby has reached the position "awaited", or NULL */
	KgQuery *query;
	/*
	 * WAL position of the primary that the standby has not reached yet; NULL:
	 * the standby has reached the last queried position
	 */
	char *awaited;
	int64_t since; /* time at which the primary was at the awaited position */
	bool current;  /* the standby's lag is within the limit */
} Reader;

struct KgReaders
{
	KgLoop *loop;
	KgPool *primary;
	KgReadersOptions options;
	Reader each[KG_MAX_READERS];
	size_t next; /* index of the standby to use next */
	/* the running query of the primary's WAL position, or NULL */
	KgQuery *query;
	int64_t next_query;
	/* reads that wait until a standby has replayed a write */
	LIST_HEAD(, KgRead) waiting;
};

struct KgRead
{
	LIST_ENTRY(KgRead) link; /* entry in the list of waiting reads */
	KgReaders *readers;
	KgPool *pool; /* pool of the standby, or of the primary, that is queried */
	KgQuery *query; /* the running query; NULL while the read waits */
	/* A copy of the message, in case it must be sent again. */
	KgPoolMessage message;
	int64_t again; /* time of the next query; 0: the read does not wait */
	int64_t pause;
	/*
	 * time at which the primary is queried instead; 0: the read has not waited
	 * yet
	 */
	int64_t until;
	KgQueryDone done;
	KgQueryNotice notice;
	void *arg;
};

static void read_done(void *arg, KgctlOutcome outcome, PGresult *res);

/* ---- positions ---- */

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
on_reached(void *arg, KgctlOutcome outcome, PGresult *res)
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
	/*
	 * Do not wait for the position while the primary is unavailable, because it
	 * may never send the missing WAL.
	 */
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
on_position(void *arg, KgctlOutcome outcome, PGresult *res)
{
	KgReaders *readers = arg;
	const char *message = kg_result_words(res, PG_DIAG_MESSAGE_PRIMARY);
	size_t i;

	readers->query = NULL;
	if (outcome == KG_OUTCOME_ERROR)
		kg_log(KG_LOG_WARNING,
			   "the primary does not report its position: %s",
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
	/* Overwrite the token, so that it does not remain in freed memory. */
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
end_read(KgRead *read, KgctlOutcome outcome, PGresult *res)
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

/*
 * Returns the reason, as JSON text, for which a standby refers a message to the
 * primary. Returns NULL if the standby has answered the message itself.
 */
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

/*
 * Takes the answer of a standby. If the answer is final, ends the read.
 * Otherwise the read waits for the standby, or is sent to the primary.
 */
static void
standby_answered(KgRead *read, KgctlOutcome outcome, PGresult *res)
{
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);
	const char *why = outcome == KG_OUTCOME_RESULT ? handed_over(res) : NULL;
	/*
	 * A call that has timed out at the standby would time out at the primary as
	 * well, so it is not repeated.
	 */
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
read_done(void *arg, KgctlOutcome outcome, PGresult *res)
{
	KgRead *read = arg;

	read->query = NULL;
	if (read->pool == read->readers->primary)
		end_read(read, outcome, res);
	else
		standby_answered(read, outcome, res);
}

/*
 * Queries the servers again for reads whose pause is over. Called before each
 * wait of the loop.
 */
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

/* ---- all standbys ---- */

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
	/* Freeing a pool also frees its queries. */
	for (i = 0; i < readers->options.n; i++)
	{
		kg_pool_free(readers->each[i].pool);
		free(readers->each[i].awaited);
	}
	free(readers);
}

/* Returns the milliseconds since the primary was at the awaited position. */
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
				   "Seconds since the primary had a position that the standby "
				   "has not replayed.");
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
