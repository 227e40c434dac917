/*
 * authzen.c
 *	  Asks another system what a subject may do.
 *
 * An asking is cut into requests of at most 100 evaluations; at most 8 run at
 * once, of all askings in turn.  libcurl does HTTP, in the loop: its sockets
 * are watches, its clock is a timerfd.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <curl/curl.h>

#include "kgctl/authzen.h"
#include "kgctl/decisions.h"
#include "kgctl/json.h"
#include "kgctl/log.h"
#include "kgctl/metrics.h"

#define PATH "/access/v1/evaluations"
#define MAX_EVALUATIONS 100
#define MAX_RUNNING 8
/* A decision with its reasons; a service that says more is not believed. */
#define MAX_ANSWER_BYTES ((size_t) 1024 * 1024)
/* From the question to the last of its decisions. */
#define ASKING_TIMEOUT_MS 30000
/* Evaluations of all askings; one alone is served however large it is. */
#define MAX_WANTED 100000
#define LOG_AGAIN_MS 1000

typedef struct Request
{
	LIST_ENTRY(Request) link;
	KgAsking *asking;
	size_t first; /* of asking->open */
	size_t n;
	CURL *easy;
	KgBuf body;
	KgBuf answer;
	int64_t started_us;
} Request;

struct KgAsking
{
	TAILQ_ENTRY(KgAsking) link;
	KgAuthorizer *authorizer;
	char *subject;
	KgEvaluation *evaluations;
	size_t *open; /* those that are to be asked */
	size_t nopen;
	size_t next;	/* of open, in no request yet */
	size_t running; /* requests */
	bool failed;
	int64_t deadline;
	KgAskingDone done;
	void *arg;
};

struct KgAuthorizer
{
	KgLoop *loop;
	KgAuthorizerOptions options;
	char *url;
	struct curl_slist *headers;
	CURLM *multi;
	int timer;
	KgWatch *timer_watch;
	KgDecisions *kept; /* or NULL */
	TAILQ_HEAD(, KgAsking) askings;
	LIST_HEAD(, Request) requests;
	size_t running;
	size_t wanted; /* evaluations of all askings */
	int64_t logged;
};

static size_t
read_answer(char *data, size_t size, size_t n, void *arg)
{
	Request *r = arg;

	if (r->answer.len + size * n > MAX_ANSWER_BYTES)
		return 0;
	kg_buf_add(&r->answer, data, size * n);
	return size * n;
}

/* One subject; an action and a resource for each evaluation. */
static void
write_body(Request *r)
{
	const KgAsking *asking = r->asking;
	json_t *list = json_array();
	size_t i;

	for (i = r->first; i < r->first + r->n; i++)
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
	kg_json_write_made(&r->body,
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

static bool
set_up(KgAuthorizer *a, Request *r)
{
	CURL *easy = r->easy;

	/* What is not set is libcurl's default: certificates are checked, no
	 * redirect is followed. */
	return curl_easy_setopt(easy, CURLOPT_URL, a->url) == CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") ==
			   CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_HTTPHEADER, a->headers) == CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_POSTFIELDS, r->body.data) ==
			   CURLE_OK &&
		   curl_easy_setopt(easy,
							CURLOPT_POSTFIELDSIZE_LARGE,
							(curl_off_t) r->body.len) == CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, read_answer) ==
			   CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_WRITEDATA, r) == CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_PRIVATE, r) == CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, a->options.timeout_ms) ==
			   CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_USERAGENT, "kgctl/" KG_VERSION) ==
			   CURLE_OK &&
		   curl_multi_add_handle(a->multi, easy) == CURLM_OK;
}

static void
free_request(Request *r)
{
	KgAuthorizer *a = r->asking->authorizer;

	LIST_REMOVE(r, link);
	r->asking->running--;
	a->running--;
	if (r->easy != NULL)
	{
		(void) curl_multi_remove_handle(a->multi, r->easy);
		curl_easy_cleanup(r->easy);
	}
	kg_buf_free(&r->body);
	kg_buf_free(&r->answer);
	free(r);
}

static void
start_request(KgAsking *asking)
{
	KgAuthorizer *a = asking->authorizer;
	Request *r = kg_calloc(1, sizeof(Request));
	size_t left = asking->nopen - asking->next;

	r->asking = asking;
	r->first = asking->next;
	r->n = left < MAX_EVALUATIONS ? left : MAX_EVALUATIONS;
	r->started_us = kg_clock_us();
	asking->next += r->n;
	asking->running++;
	a->running++;
	LIST_INSERT_HEAD(&a->requests, r, link);
	write_body(r);
	r->easy = curl_easy_init();
	if (r->easy == NULL || !set_up(a, r))
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

/* Requests of all askings in turn, as many as may run. */
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
			/* The others first, before it has its next one. */
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

/* What is decided is told, and what waits is started: before each wait. */
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
		/* It may ask again, or cancel another: look from the start. */
		done(done_arg, ok);
		kg_loop_hurry(a->loop);
	}
}

/* The decisions of an answer; false where it is not what it must be. */
static bool
read_decisions(Request *r)
{
	KgAsking *asking = r->asking;
	KgAuthorizer *a = asking->authorizer;
	json_t *root = json_loadb(r->answer.data ? r->answer.data : "",
							  r->answer.len,
							  JSON_REJECT_DUPLICATES,
							  NULL);
	json_t *list = json_object_get(root, "evaluations");
	bool ok = json_is_array(list) && json_array_size(list) == r->n;
	size_t i;

	for (i = 0; ok && i < r->n; i++)
		ok = json_is_boolean(
			json_object_get(json_array_get(list, i), "decision"));
	for (i = 0; ok && i < r->n; i++)
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

static bool
is_json(CURL *easy)
{
	static const char wanted[] = "application/json";
	char *type = NULL;
	size_t n = strlen(wanted);

	return curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type) == CURLE_OK &&
		   type != NULL && curl_strnequal(type, wanted, n) &&
		   strchr("; \t", type[n]) != NULL;
}

static void
complain(KgAuthorizer *a, const char *why, long status)
{
	int64_t now = kg_now();

	if (a->logged != 0 && now - a->logged < LOG_AGAIN_MS)
		return;
	a->logged = now;
	if (status != 0)
		kg_log(KG_LOG_WARNING, "the authorizer answers HTTP %ld", status);
	else
		kg_log(KG_LOG_WARNING, "the authorizer cannot be asked: %s", why);
}

static void
finish_request(Request *r, CURLcode code)
{
	KgAsking *asking = r->asking;
	KgAuthorizer *a = asking->authorizer;
	KgCounter outcome = KG_COUNT_AUTHORIZER_OK;
	long status = 0;

	(void) curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
	if (code == CURLE_OPERATION_TIMEDOUT)
		outcome = KG_COUNT_AUTHORIZER_TIMEOUT;
	else if (code != CURLE_OK && code != CURLE_WRITE_ERROR)
		outcome = KG_COUNT_AUTHORIZER_UNREACHABLE;
	else if (status != 200)
		outcome = KG_COUNT_AUTHORIZER_STATUS;
	else if (code != CURLE_OK || !is_json(r->easy) || !read_decisions(r))
		outcome = KG_COUNT_AUTHORIZER_MALFORMED;
	kg_count(outcome);
	kg_count_authorizer_time(kg_clock_us() - r->started_us);
	if (outcome != KG_COUNT_AUTHORIZER_OK)
	{
		asking->failed = true;
		complain(a,
				 outcome == KG_COUNT_AUTHORIZER_MALFORMED
					 ? "its answer is not one to what was asked"
					 : curl_easy_strerror(code),
				 outcome == KG_COUNT_AUTHORIZER_STATUS ? status : 0);
	}
	free_request(r);
}

static void
after_action(KgAuthorizer *a)
{
	CURLMsg *msg;
	int left;

	while ((msg = curl_multi_info_read(a->multi, &left)) != NULL)
	{
		char *request = NULL;

		if (msg->msg != CURLMSG_DONE ||
			curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &request) !=
				CURLE_OK)
			continue;
		finish_request((Request *) (void *) request, msg->data.result);
	}
}

static void
on_socket(void *arg, uint32_t events, int fd)
{
	KgAuthorizer *a = arg;
	int what = ((events & EPOLLIN) ? CURL_CSELECT_IN : 0) |
			   ((events & EPOLLOUT) ? CURL_CSELECT_OUT : 0) |
			   ((events & (EPOLLERR | EPOLLHUP)) ? CURL_CSELECT_ERR : 0);
	int running;

	(void) curl_multi_socket_action(a->multi, fd, what, &running);
	after_action(a);
}

/* A socket of libcurl's, as long as it wants it watched. */
typedef struct Socket
{
	KgAuthorizer *authorizer;
	KgWatch *watch;
	int fd;
} Socket;

static void
on_socket_event(void *arg, uint32_t events)
{
	Socket *s = arg;

	on_socket(s->authorizer, events, s->fd);
}

static int
watch_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *own)
{
	KgAuthorizer *a = arg;
	Socket *s = own;
	uint32_t events = ((what & CURL_POLL_IN) ? EPOLLIN : 0u) |
					  ((what & CURL_POLL_OUT) ? EPOLLOUT : 0u);

	if (what == CURL_POLL_REMOVE)
	{
		if (s != NULL)
			kg_watch_remove(s->watch);
		free(s);
		(void) curl_multi_assign(a->multi, fd, NULL);
		return 0;
	}
	if (s != NULL)
	{
		kg_watch_set(s->watch, events);
		return 0;
	}
	s = kg_calloc(1, sizeof(Socket));
	s->authorizer = a;
	s->fd = fd;
	s->watch = kg_watch_add(a->loop, fd, events, on_socket_event, s);
	(void) curl_multi_assign(a->multi, fd, s);
	return 0;
}

static int
set_timer(CURLM *multi, long ms, void *arg)
{
	KgAuthorizer *a = arg;
	struct itimerspec when;

	memset(&when, 0, sizeof(when));
	if (ms >= 0)
	{
		when.it_value.tv_sec = ms / 1000;
		/* Zero would be never. */
		when.it_value.tv_nsec = ms % 1000 * 1000000 + (ms == 0);
	}
	return timerfd_settime(a->timer, 0, &when, NULL);
}

static void
on_timer(void *arg, uint32_t events)
{
	KgAuthorizer *a = arg;
	uint64_t count;
	int running;

	if (read(a->timer, &count, sizeof(count)) < 0)
		return;
	(void) curl_multi_socket_action(a->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	after_action(a);
}

/* Askings that wait too long for their turn. */
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

/* An http or https URL with a host and without what a path cannot follow. */
static bool
check_url(const char *url)
{
	CURLU *parsed = curl_url();
	char *scheme = NULL;
	char *query = NULL;
	char *fragment = NULL;
	bool ok = curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK &&
			  curl_url_get(parsed, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
			  strncmp(scheme, "http", 4) == 0 &&
			  curl_url_get(parsed, CURLUPART_QUERY, &query, 0) != CURLUE_OK &&
			  curl_url_get(parsed, CURLUPART_FRAGMENT, &fragment, 0) !=
				  CURLUE_OK;

	curl_free(scheme);
	curl_free(query);
	curl_free(fragment);
	curl_url_cleanup(parsed);
	return ok;
}

KgAuthorizer *
kg_authorizer_new(KgLoop *loop, const KgAuthorizerOptions *options)
{
	KgAuthorizer *a;
	size_t n = strlen(options->url);

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
		!check_url(options->url))
	{
		kg_error("--authorizer must be an http or https URL, not \"%s\"",
				 options->url);
		return NULL;
	}
	a = kg_calloc(1, sizeof(KgAuthorizer));
	a->loop = loop;
	a->options = *options;
	TAILQ_INIT(&a->askings);
	while (n > 0 && options->url[n - 1] == '/')
		n--;
	a->url = kg_format("%.*s%s", (int) n, options->url, PATH);
	a->headers = curl_slist_append(NULL, "Content-Type: application/json");
	a->headers = curl_slist_append(a->headers, "Accept: application/json");
	a->headers = curl_slist_append(a->headers, "Expect:");
	if (options->cache_seconds > 0)
		a->kept = kg_decisions_new(options->cache_seconds);
	a->multi = curl_multi_init();
	a->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (a->timer >= 0)
		a->timer_watch = kg_watch_add(loop, a->timer, EPOLLIN, on_timer, a);
	if (a->multi == NULL || a->timer_watch == NULL ||
		curl_multi_setopt(a->multi, CURLMOPT_SOCKETFUNCTION, watch_socket) !=
			CURLM_OK ||
		curl_multi_setopt(a->multi, CURLMOPT_SOCKETDATA, a) != CURLM_OK ||
		curl_multi_setopt(a->multi, CURLMOPT_TIMERFUNCTION, set_timer) !=
			CURLM_OK ||
		curl_multi_setopt(a->multi, CURLMOPT_TIMERDATA, a) != CURLM_OK ||
		curl_multi_setopt(a->multi, CURLMOPT_MAXCONNECTS, (long) MAX_RUNNING) !=
			CURLM_OK)
	{
		kg_error("the authorizer's client cannot be started");
		kg_authorizer_free(a);
		return NULL;
	}
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
	if (a->multi != NULL)
		(void) curl_multi_cleanup(a->multi);
	kg_watch_remove(a->timer_watch);
	if (a->timer >= 0)
		close(a->timer);
	curl_slist_free_all(a->headers);
	kg_decisions_free(a->kept);
	free(a->url);
	free(a);
	curl_global_cleanup();
}

KgAsking *
kg_authorizer_ask(KgAuthorizer *a, const char *subject,
				  KgEvaluation *evaluations, size_t n, KgAskingDone done,
				  void *arg)
{
	KgAsking *asking = kg_calloc(1, sizeof(KgAsking));
	size_t i;

	asking->authorizer = a;
	asking->subject = kg_strdup(subject);
	asking->evaluations = evaluations;
	asking->open = kg_malloc((n + 1) * sizeof(size_t));
	asking->deadline = kg_now() + ASKING_TIMEOUT_MS;
	asking->done = done;
	asking->arg = arg;
	for (i = 0; i < n; i++)
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
					"Decisions that are kept.",
					a->kept ? (double) kg_decisions_count(a->kept) : 0);
}
