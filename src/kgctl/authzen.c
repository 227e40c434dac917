/*
 * authzen.c
 *	  A client of an external authorizer. A KgAsking is a set of evaluations
 *	  (questions) that a call needs decided. It is split into HTTP requests of
 *	  at most 100 evaluations. At most 8 requests run at once; the askings
 *	  take turns.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "kgctl/authzen.h"
#include "kgctl/decisions.h"
#include "kgctl/fetch.h"
#include "kgctl/json.h"
#include "kgctl/log.h"
#include "kgctl/metrics.h"

#define PATH "/access/v1/evaluations"
#define MAX_EVALUATIONS 100
#define MAX_RUNNING 8
/*
 * Maximal length of a response in bytes. A response has a decision and its
 * reasons for each evaluation. A longer response is refused.
 */
#define MAX_ANSWER_BYTES ((size_t) 1024 * 1024)
/*
 * Maximal time from the start of an asking (the questions of one call) to its
 * last decision.
 */
#define ASKING_TIMEOUT_MS 30000
/*
 * Maximal number of undecided evaluations of all calls together. If no
 * evaluation is undecided, a call may start with more.
 */
#define MAX_WANTED 100000
#define LOG_AGAIN_MS 1000

typedef struct Request
{
	LIST_ENTRY(Request) link;
	KgAsking *asking;
	size_t first; /* index of the request's first evaluation in asking->open */
	size_t n;
	KgFetch *fetch; /* NULL: the request has ended */
} Request;

struct KgAsking
{
	TAILQ_ENTRY(KgAsking) link;
	KgAuthorizer *authorizer;
	char *subject;
	KgEvaluation *evaluations;
	size_t *open; /* indexes of the evaluations without a cached decision */
	size_t nopen;
	size_t next;	/* index into open at which the next request begins */
	size_t running; /* number of running requests */
	bool failed;
	int64_t deadline;
	KgAskingDone done;
	void *arg;
};

struct KgAuthorizer
{
	KgLoop *loop;
	KgFetcher *fetcher;
	KgctlDecisions *kept; /* the cache of decisions, or NULL */
	TAILQ_HEAD(, KgAsking) askings;
	LIST_HEAD(, Request) requests;
	size_t running;
	size_t wanted; /* number of undecided evaluations of all calls */
	int64_t logged;
};

/*
 * Writes the body of a request: one subject, and an action and a resource for
 * each evaluation.
 */
static void
write_body(const Request *r, KgBuf *body)
{
	const KgAsking *asking = r->asking;
	json_t *list = json_array();

	for (size_t i = r->first; i < r->first + r->n; i++)
	{
		const KgEvaluation *e = &asking->evaluations[asking->open[i]];

		json_array_append_new(list,
							  json_pack("{s:{s:s}, s:{s:s, s:s}}",
										"action",
										"name",
										e->ability,
										"resource",
										"type",
										e->type,
										"id",
										e->id));
	}
	kg_json_write_made(body,
					   json_pack("{s:{s:s, s:s}, s:o, s:{s:s}}",
								 "subject",
								 "type",
								 "user",
								 "id",
								 asking->subject,
								 "evaluations",
								 list,
								 "options",
								 "evaluations_semantic",
								 "execute_all"));
}

static void
free_request(Request *r)
{
	KgAuthorizer *a = r->asking->authorizer;

	LIST_REMOVE(r, link);
	r->asking->running--;
	a->running--;
	if (r->fetch != NULL)
		kg_fetch_cancel(r->fetch);
	free(r);
}

static void fetched(void *arg, const KgFetchResult *result);

static void
start_request(KgAsking *asking)
{
	KgAuthorizer *a = asking->authorizer;
	Request *r = kg_calloc(1, sizeof(Request));
	size_t left = asking->nopen - asking->next;
	KgBuf body;

	r->asking = asking;
	r->first = asking->next;
	r->n = left < MAX_EVALUATIONS ? left : MAX_EVALUATIONS;
	asking->next += r->n;
	asking->running++;
	a->running++;
	LIST_INSERT_HEAD(&a->requests, r, link);
	kg_buf_init(&body);
	write_body(r, &body);
	r->fetch = kg_fetch_post(a->fetcher, &body, fetched, r);
	if (r->fetch == NULL)
	{
		asking->failed = true;
		free_request(r);
	}
}

static void
free_asking(KgAsking *asking)
{
	KgAuthorizer *a = asking->authorizer;
	Request *r;
	Request *next;

	for (r = LIST_FIRST(&a->requests); r != NULL; r = next)
	{
		next = LIST_NEXT(r, link);
		if (r->asking == asking)
			free_request(r);
	}
	TAILQ_REMOVE(&a->askings, asking, link);
	a->wanted -= asking->nopen;
	free(asking->subject);
	free(asking->open);
	free(asking);
}

void
kg_asking_cancel(KgAsking *asking)
{
	free_asking(asking);
}

/*
 * Starts requests up to the maximum number. The askings (each the questions of
 * one call) take turns. An asking that has failed starts no more requests.
 */
static void
start_requests(KgAuthorizer *a)
{
	KgAsking *asking = TAILQ_FIRST(&a->askings);

	while (asking != NULL && a->running < MAX_RUNNING)
	{
		KgAsking *next = TAILQ_NEXT(asking, link);

		if (!asking->failed && asking->next < asking->nopen)
		{
			start_request(asking);
			/*
			 * Move the asking to the end of the queue, so that the other
			 * askings send a request first.
			 */
			TAILQ_REMOVE(&a->askings, asking, link);
			TAILQ_INSERT_TAIL(&a->askings, asking, link);
		}
		asking = next;
	}
}

static bool
is_over(const KgAsking *asking)
{
	return asking->failed ||
		   (asking->next == asking->nopen && asking->running == 0);
}

/*
 * Reports finished askings (each the questions of one call) to their callers,
 * and starts requests of waiting askings. Called before each wait of the loop.
 */
static void
on_wait(void *arg)
{
	KgAuthorizer *a = arg;
	KgAsking *asking;
	size_t before;

	do
	{
		before = a->running;
		start_requests(a);
	} while (a->running != before && a->running < MAX_RUNNING);
	for (asking = TAILQ_FIRST(&a->askings); asking != NULL;
		 asking = TAILQ_FIRST(&a->askings))
	{
		KgAskingDone done;
		void *done_arg;
		bool ok;

		while (asking != NULL && !is_over(asking))
			asking = TAILQ_NEXT(asking, link);
		if (asking == NULL)
			return;
		done = asking->done;
		done_arg = asking->arg;
		ok = !asking->failed;
		free_asking(asking);
		/*
		 * done may start or cancel askings, so search the list from its
		 * beginning.
		 */
		done(done_arg, ok);
		kg_loop_hurry(a->loop);
	}
}

/*
 * Reads the decisions of a response. Returns false if the response is
 * malformed.
 */
static bool
read_decisions(Request *r, const char *text, size_t len)
{
	KgAsking *asking = r->asking;
	KgAuthorizer *a = asking->authorizer;
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	json_t *list = json_object_get(root, "evaluations");
	bool ok = json_is_array(list) && json_array_size(list) == r->n;

	for (size_t i = 0; ok && i < r->n; i++)
		ok = json_is_boolean(
			json_object_get(json_array_get(list, i), "decision"));
	for (size_t i = 0; ok && i < r->n; i++)
	{
		KgEvaluation *e = &asking->evaluations[asking->open[r->first + i]];
		const char *key[KG_DECISION_PARTS] = {
			asking->subject, e->type, e->ability, e->id};

		e->allowed = json_is_true(
			json_object_get(json_array_get(list, i), "decision"));
		kg_count(e->allowed ? KG_COUNT_ALLOWED : KG_COUNT_DENIED);
		if (a->kept != NULL)
			kg_decisions_put(a->kept, key, e->allowed);
	}
	json_decref(root);
	return ok;
}

static void
complain(KgAuthorizer *a, const char *why, long status)
{
	int64_t now = kg_now();

	if (a->logged != 0 && now - a->logged < LOG_AGAIN_MS)
		return;
	a->logged = now;
	if (status != 0)
		kg_log(KG_LOG_WARNING,
			   "the authorizer answered with HTTP status %ld",
			   status);
	else
		kg_log(KG_LOG_WARNING, "the authorizer returned no decision: %s", why);
}

static KgCounter
outcome_of(Request *r, const KgFetchResult *result)
{
	switch (result->outcome)
	{
		case KG_FETCHED:
			return read_decisions(r, result->text, result->len)
					   ? KG_COUNT_AUTHORIZER_OK
					   : KG_COUNT_AUTHORIZER_MALFORMED;
		case KG_FETCHED_STATUS:
			return KG_COUNT_AUTHORIZER_STATUS;
		case KG_FETCHED_MALFORMED:
			return KG_COUNT_AUTHORIZER_MALFORMED;
		case KG_FETCH_TIMEOUT:
			return KG_COUNT_AUTHORIZER_TIMEOUT;
		case KG_FETCH_UNREACHABLE:
			break;
	}
	return KG_COUNT_AUTHORIZER_UNREACHABLE;
}

static void
fetched(void *arg, const KgFetchResult *result)
{
	Request *r = arg;
	KgAsking *asking = r->asking;
	KgCounter outcome = outcome_of(r, result);

	kg_count(outcome);
	kg_count_authorizer_time(result->us);
	if (outcome != KG_COUNT_AUTHORIZER_OK)
	{
		asking->failed = true;
		complain(asking->authorizer,
				 outcome == KG_COUNT_AUTHORIZER_MALFORMED
					 ? "its answer does not fit the request"
					 : result->why,
				 outcome == KG_COUNT_AUTHORIZER_STATUS ? result->status : 0);
	}
	r->fetch = NULL;
	free_request(r);
}

/* Ends askings (each the questions of one call) that have lasted too long. */
static void
on_tick(void *arg)
{
	KgAuthorizer *a = arg;
	KgAsking *asking;

	TAILQ_FOREACH(asking, &a->askings, link)
	if (kg_now() > asking->deadline && !asking->failed)
	{
		kg_count(KG_COUNT_AUTHORIZER_TIMEOUT);
		asking->failed = true;
	}
}

KgAuthorizer *
kg_authorizer_new(KgLoop *loop, const KgAuthorizerOptions *options)
{
	KgFetcherOptions fetcher = {
		NULL, NULL, options->timeout_ms, MAX_ANSWER_BYTES, MAX_RUNNING};
	KgAuthorizer *a;
	size_t n = strlen(options->url);
	char *url;

	if (!kg_fetch_check_url(options->url))
	{
		kg_error("--authorizer must be an http or https URL, not \"%s\"",
				 options->url);
		return NULL;
	}
	a = kg_calloc(1, sizeof(KgAuthorizer));
	a->loop = loop;
	TAILQ_INIT(&a->askings);
	while (n > 0 && options->url[n - 1] == '/')
		n--;
	url = kg_format("%.*s%s", (int) n, options->url, PATH);
	fetcher.url = url;
	a->fetcher = kg_fetcher_new(loop, &fetcher);
	free(url);
	if (a->fetcher == NULL)
	{
		kg_error("the HTTP client for the authorizer cannot be started");
		kg_authorizer_free(a);
		return NULL;
	}
	if (options->cache_seconds > 0)
		a->kept = kg_decisions_new(options->cache_seconds);
	kg_loop_on_wait(loop, on_wait, a);
	kg_loop_on_tick(loop, on_tick, a);
	return a;
}

void
kg_authorizer_free(KgAuthorizer *a)
{
	if (a == NULL)
		return;
	while (!TAILQ_EMPTY(&a->askings))
		free_asking(TAILQ_FIRST(&a->askings));
	kg_fetcher_free(a->fetcher);
	kg_decisions_free(a->kept);
	free(a);
}

KgAsking *
kgctl_authorizer_ask(KgAuthorizer *a, const char *subject,
					 KgEvaluation *evaluations, size_t n, KgAskingDone done,
					 void *arg)
{
	KgAsking *asking = kg_calloc(1, sizeof(KgAsking));

	asking->authorizer = a;
	asking->subject = kg_strdup(subject);
	asking->evaluations = evaluations;
	asking->open = kg_malloc((n + 1) * sizeof(size_t));
	asking->deadline = kg_now() + ASKING_TIMEOUT_MS;
	asking->done = done;
	asking->arg = arg;
	for (size_t i = 0; i < n; i++)
	{
		KgEvaluation *e = &evaluations[i];
		const char *key[KG_DECISION_PARTS] = {
			subject, e->type, e->ability, e->id};

		if (a->kept != NULL && kg_decisions_get(a->kept, key, &e->allowed))
			kg_count(KG_COUNT_KEPT);
		else
			asking->open[asking->nopen++] = i;
	}
	if (a->wanted > 0 && a->wanted + asking->nopen > MAX_WANTED)
	{
		kg_count(KG_COUNT_AUTHORIZER_BUSY);
		asking->failed = true;
	}
	a->wanted += asking->nopen;
	TAILQ_INSERT_TAIL(&a->askings, asking, link);
	kg_loop_hurry(a->loop);
	return asking;
}

void
kg_authorizer_write(const KgAuthorizer *a, KgBuf *out)
{
	kg_metric_gauge(out,
					"kgctl_authorizer_requests",
					"Requests to the authorizer that are not answered yet.",
					(double) a->running);
	kg_metric_gauge(out,
					"kgctl_authorizer_cache_entries",
					"Cached decisions.",
					a->kept ? (double) kg_decisions_count(a->kept) : 0);
}
