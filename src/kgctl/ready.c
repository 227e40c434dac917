/*
 * ready.c
 *	  The readiness of the server.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include "kgctl/json.h"

#include "kgctl/log.h"
#include "kgctl/metrics.h"
#include "kgctl/ready.h"
#include "kgctl/result.h"

#define FRESH_MS 1000

struct KgReadyWaiter
{
	LIST_ENTRY(KgReadyWaiter) link;
	KgReadyFn fn;
	void *arg;
};

struct KgReady
{
	KgPool *pool;
	KgQuery *query; /* the running query, or NULL */
	LIST_HEAD(, KgReadyWaiter) waiters;
	int64_t until; /* time until which the last result is used */
	bool known;	   /* a result was received */
	bool ready;
	char word[64];
	char *health;
};

KgReady *
kg_ready_new(KgPool *pool)
{
	KgReady *ready = kg_calloc(1, sizeof(KgReady));

	ready->pool = pool;
	return ready;
}

void
kg_ready_free(KgReady *ready)
{
	if (ready == NULL)
		return;
	if (ready->query != NULL)
		kg_query_cancel(ready->query);
	while (!LIST_EMPTY(&ready->waiters))
		kg_ready_cancel(LIST_FIRST(&ready->waiters));
	free(ready->health);
	free(ready);
}

void
kg_ready_cancel(KgReadyWaiter *waiter)
{
	LIST_REMOVE(waiter, link);
	free(waiter);
}

static void
set_word(KgReady *ready, bool is_ready, const char *word)
{
	ready->ready = is_ready;
	strncpy(ready->word, word, sizeof(ready->word) - 1);
}

/*
 * Reads the result of kg_health(). A server with the status "degraded" is
 * ready.
 */
static void
read_health(KgReady *ready, const char *text)
{
	json_t *root = json_loads(text, 0, NULL);
	const char *status = json_string_value(json_object_get(root, "status"));
	bool is_ready = status != NULL && (strcmp(status, "healthy") == 0 ||
									   strcmp(status, "degraded") == 0);

	set_word(ready,
			 is_ready,
			 status ? status : "the answer is not that of kg_health()");
	ready->health = kg_strdup(text);
	json_decref(root);
}

static void
on_health(void *arg, KgctlOutcome outcome, PGresult *res)
{
	KgReady *ready = arg;
	const char *message = kg_result_words(res, PG_DIAG_MESSAGE_PRIMARY);

	ready->query = NULL;
	free(ready->health);
	ready->health = NULL;
	if (outcome == KG_OUTCOME_RESULT && !PQgetisnull(res, 0, 0))
		read_health(ready, PQgetvalue(res, 0, 0));
	else
		set_word(ready, false, "the database does not report its health");
	/* The error is only logged, because clients must not see it. */
	if (outcome == KG_OUTCOME_ERROR)
		kg_log(KG_LOG_WARNING,
			   "kg_health() failed: %s",
			   message ? message : "for no reason");
	PQclear(res);
	ready->until = kg_now() + FRESH_MS;
	ready->known = true;
	while (!LIST_EMPTY(&ready->waiters))
	{
		KgReadyWaiter *waiter = LIST_FIRST(&ready->waiters);
		KgReadyFn fn = waiter->fn;
		void *fn_arg = waiter->arg;

		kg_ready_cancel(waiter);
		fn(fn_arg, ready->ready, ready->word, ready->health);
	}
}

KgReadyWaiter *
kg_ready_ask(KgReady *ready, KgReadyFn fn, void *arg)
{
	KgReadyWaiter *waiter;

	if (!kg_pool_healthy(ready->pool))
	{
		fn(arg, false, "no connection to the database", NULL);
		return NULL;
	}
	if (ready->query == NULL && kg_now() < ready->until)
	{
		fn(arg, ready->ready, ready->word, ready->health);
		return NULL;
	}
	if (ready->query == NULL)
		ready->query = kg_pool_health(ready->pool, on_health, ready);
	if (ready->query == NULL)
	{
		fn(arg, false, "too many calls at once", NULL);
		return NULL;
	}
	waiter = kg_calloc(1, sizeof(KgReadyWaiter));
	waiter->fn = fn;
	waiter->arg = arg;
	LIST_INSERT_HEAD(&ready->waiters, waiter, link);
	return waiter;
}

static double
status_value(const char *status)
{
	if (status == NULL)
		return 0;
	return strcmp(status, "healthy") == 0	 ? 1
		   : strcmp(status, "degraded") == 0 ? 0.5
											 : 0;
}

static void
write_components(const char *health, KgBuf *out)
{
	json_t *root = json_loads(health, 0, NULL);
	json_t *component;
	size_t i;

	json_array_foreach(json_object_get(root, "components"), i, component)
	{
		const char *name = json_string_value(
			json_object_get(component, "name"));

		/*
		 * Component names come from kg_graph or from a front's shards, so skip
		 * names that a label cannot contain.
		 */
		if (name != NULL && strpbrk(name, "\"\\\n") == NULL)
			kg_buf_printf(out,
						  "kgctl_health_status{component=\"%s\"} %g\n",
						  name,
						  status_value(json_string_value(
							  json_object_get(component, "status"))));
	}
	json_decref(root);
}

void
kg_ready_write(KgReady *ready, KgBuf *out)
{
	int64_t now = kg_now();
	bool connected = kg_pool_healthy(ready->pool);

	kg_metric_head(
		out, "kgctl_ready", "gauge", "Whether the database is ready.");
	if (ready->known)
		kg_buf_printf(out, "kgctl_ready %d\n", ready->ready && connected);
	kg_metric_head(out,
				   "kgctl_health_status",
				   "gauge",
				   "Components of the database's health: 1 healthy, 0.5 "
				   "degraded, 0 unhealthy or unreachable.");
	if (ready->health != NULL)
		write_components(ready->health, out);
	kg_metric_head(out,
				   "kgctl_health_age_seconds",
				   "gauge",
				   "Seconds since the database reported its health.");
	if (ready->health != NULL)
		kg_buf_printf(out,
					  "kgctl_health_age_seconds %g\n",
					  (double) (now - ready->until + FRESH_MS) / 1000);
	if (connected && ready->query == NULL && now >= ready->until)
		ready->query = kg_pool_health(ready->pool, on_health, ready);
}
