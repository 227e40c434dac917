/*
 * fetch.c
 *	  HTTP POST requests with JSON to another service. libcurl implements HTTP
 *	  and runs in the event loop. Its sockets are watches, and its timer is a
 *	  timerfd.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <curl/curl.h>

#include "kgctl/fetch.h"
#include "kgctl/metrics.h"

struct KgFetch
{
	KgFetcher *fetcher;
	CURL *easy;
	KgBuf body;
	KgBuf answer;
	int64_t started_us;
	KgFetchDone done;
	void *arg;
};

struct KgFetcher
{
	KgLoop *loop;
	KgFetcherOptions options;
	char *url;
	struct curl_slist *headers;
	CURLM *multi;
	int timer;
	KgWatch *timer_watch;
};

static size_t
read_answer(char *data, size_t size, size_t n, void *arg)
{
	KgFetch *f = arg;

	if (f->answer.len + size * n > f->fetcher->options.max_bytes)
		return 0;
	kg_buf_add(&f->answer, data, size * n);
	return size * n;
}

static bool
set_up(KgFetch *f)
{
	KgFetcher *fetcher = f->fetcher;
	CURL *easy = f->easy;

	return curl_easy_setopt(easy, CURLOPT_URL, fetcher->url) == CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") ==
			   CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fetcher->headers) ==
			   CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_POSTFIELDS, f->body.data) ==
			   CURLE_OK &&
		   curl_easy_setopt(easy,
							CURLOPT_POSTFIELDSIZE_LARGE,
							(curl_off_t) f->body.len) == CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, read_answer) ==
			   CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_WRITEDATA, f) == CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_PRIVATE, f) == CURLE_OK &&
		   curl_easy_setopt(easy,
							CURLOPT_TIMEOUT_MS,
							fetcher->options.timeout_ms) == CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_USERAGENT, "kgctl/" KG_VERSION) ==
			   CURLE_OK &&
		   curl_multi_add_handle(fetcher->multi, easy) == CURLM_OK;
}

void
kg_fetch_cancel(KgFetch *f)
{
	if (f->easy != NULL)
	{
		(void) curl_multi_remove_handle(f->fetcher->multi, f->easy);
		curl_easy_cleanup(f->easy);
	}
	kg_buf_free(&f->body);
	kg_buf_free(&f->answer);
	free(f);
}

KgFetch *
kg_fetch_post(KgFetcher *fetcher, KgBuf *body, KgFetchDone done, void *arg)
{
	KgFetch *f = kg_calloc(1, sizeof(KgFetch));

	f->fetcher = fetcher;
	f->body = *body;
	kg_buf_init(body);
	f->done = done;
	f->arg = arg;
	f->started_us = kg_clock_us();
	f->easy = curl_easy_init();
	if (f->easy != NULL && set_up(f))
		return f;
	kg_fetch_cancel(f);
	return NULL;
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
finish(KgFetch *f, CURLcode code)
{
	KgFetchResult result = {KG_FETCHED,
							0,
							curl_easy_strerror(code),
							f->answer.data ? f->answer.data : "",
							f->answer.len,
							kg_clock_us() - f->started_us};

	(void) curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &result.status);
	if (code == CURLE_OPERATION_TIMEDOUT)
		result.outcome = KG_FETCH_TIMEOUT;
	else if (code != CURLE_OK && code != CURLE_WRITE_ERROR)
		result.outcome = KG_FETCH_UNREACHABLE;
	else if (result.status != 200)
		result.outcome = KG_FETCHED_STATUS;
	else if (code != CURLE_OK || !is_json(f->easy))
		result.outcome = KG_FETCHED_MALFORMED;
	f->done(f->arg, &result);
	kg_fetch_cancel(f);
}

static void
after_action(KgFetcher *fetcher)
{
	CURLMsg *msg;
	int left;

	while ((msg = curl_multi_info_read(fetcher->multi, &left)) != NULL)
	{
		char *request = NULL;

		if (msg->msg != CURLMSG_DONE ||
			curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &request) !=
				CURLE_OK)
			continue;
		finish((KgFetch *) (void *) request, msg->data.result);
	}
}

static void
on_socket(void *arg, uint32_t events, int fd)
{
	KgFetcher *fetcher = arg;
	int what = ((events & EPOLLIN) ? CURL_CSELECT_IN : 0) |
			   ((events & EPOLLOUT) ? CURL_CSELECT_OUT : 0) |
			   ((events & (EPOLLERR | EPOLLHUP)) ? CURL_CSELECT_ERR : 0);
	int running;

	(void) curl_multi_socket_action(fetcher->multi, fd, what, &running);
	after_action(fetcher);
}

/* A socket that libcurl wants the event loop to watch. */
typedef struct Socket
{
	KgFetcher *fetcher;
	KgWatch *watch;
	int fd;
} Socket;

static void
on_socket_event(void *arg, uint32_t events)
{
	Socket *s = arg;

	on_socket(s->fetcher, events, s->fd);
}

static int
watch_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *own)
{
	KgFetcher *fetcher = arg;
	Socket *s = own;
	uint32_t events = ((what & CURL_POLL_IN) ? EPOLLIN : 0u) |
					  ((what & CURL_POLL_OUT) ? EPOLLOUT : 0u);

	if (what == CURL_POLL_REMOVE)
	{
		if (s != NULL)
			kg_watch_remove(s->watch);
		free(s);
		(void) curl_multi_assign(fetcher->multi, fd, NULL);
		return 0;
	}
	if (s != NULL)
	{
		kg_watch_set(s->watch, events);
		return 0;
	}
	s = kg_calloc(1, sizeof(Socket));
	s->fetcher = fetcher;
	s->fd = fd;
	s->watch = kg_watch_add(fetcher->loop, fd, events, on_socket_event, s);
	(void) curl_multi_assign(fetcher->multi, fd, s);
	return 0;
}

static int
set_timer(CURLM *multi, long ms, void *arg)
{
	KgFetcher *fetcher = arg;
	struct itimerspec when;

	memset(&when, 0, sizeof(when));
	if (ms >= 0)
	{
		when.it_value.tv_sec = ms / 1000;
		/* A zero time would disarm the timer, so use 1 ns. */
		when.it_value.tv_nsec = ms % 1000 * 1000000 + (ms == 0);
	}
	return timerfd_settime(fetcher->timer, 0, &when, NULL);
}

static void
on_timer(void *arg, uint32_t events)
{
	KgFetcher *fetcher = arg;
	uint64_t count;
	int running;

	if (read(fetcher->timer, &count, sizeof(count)) < 0)
		return;
	(void) curl_multi_socket_action(
		fetcher->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	after_action(fetcher);
}

/*
 * Returns whether the URL is an http or https URL with a host, and without a
 * query or a fragment. To a URL with these, no path can be appended.
 */
bool
kg_fetch_check_url(const char *url)
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

KgFetcher *
kg_fetcher_new(KgLoop *loop, const KgFetcherOptions *options)
{
	KgFetcher *fetcher;

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return NULL;
	fetcher = kg_calloc(1, sizeof(KgFetcher));
	fetcher->loop = loop;
	fetcher->options = *options;
	fetcher->url = kg_strdup(options->url);
	fetcher->headers = curl_slist_append(NULL,
										 "Content-Type: application/json");
	fetcher->headers = curl_slist_append(fetcher->headers,
										 "Accept: application/json");
	fetcher->headers = curl_slist_append(fetcher->headers, "Expect:");
	if (options->bearer != NULL)
	{
		char *header = kg_format("Authorization: Bearer %s", options->bearer);

		fetcher->headers = curl_slist_append(fetcher->headers, header);
		free(header);
	}
	fetcher->multi = curl_multi_init();
	fetcher->timer = timerfd_create(CLOCK_MONOTONIC,
									TFD_NONBLOCK | TFD_CLOEXEC);
	if (fetcher->timer >= 0)
		fetcher->timer_watch = kg_watch_add(
			loop, fetcher->timer, EPOLLIN, on_timer, fetcher);
	if (fetcher->multi == NULL || fetcher->timer_watch == NULL ||
		curl_multi_setopt(fetcher->multi,
						  CURLMOPT_SOCKETFUNCTION,
						  watch_socket) != CURLM_OK ||
		curl_multi_setopt(fetcher->multi, CURLMOPT_SOCKETDATA, fetcher) !=
			CURLM_OK ||
		curl_multi_setopt(fetcher->multi, CURLMOPT_TIMERFUNCTION, set_timer) !=
			CURLM_OK ||
		curl_multi_setopt(fetcher->multi, CURLMOPT_TIMERDATA, fetcher) !=
			CURLM_OK ||
		curl_multi_setopt(fetcher->multi,
						  CURLMOPT_MAXCONNECTS,
						  options->connections) != CURLM_OK)
	{
		kg_fetcher_free(fetcher);
		return NULL;
	}
	return fetcher;
}

void
kg_fetcher_free(KgFetcher *fetcher)
{
	if (fetcher == NULL)
		return;
	if (fetcher->multi != NULL)
		(void) curl_multi_cleanup(fetcher->multi);
	kg_watch_remove(fetcher->timer_watch);
	if (fetcher->timer >= 0)
		close(fetcher->timer);
	curl_slist_free_all(fetcher->headers);
	free(fetcher->url);
	free(fetcher);
	curl_global_cleanup();
}
