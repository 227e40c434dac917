/*
 * http/server.c
 *	  libmicrohttpd in the event loop: start, stop, connections, time-outs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kgctl/http/http.h"
#include "kgctl/log.h"

/*
 * Memory of a connection, which must hold the headers of a request with a token
 * of 8 kB. For more than 32 kB, libmicrohttpd maps the memory instead of
 * allocating it from the heap. So the memory of an idle connection uses no
 * page.
 */
#define CONNECTION_MEMORY (36 * 1024)
#define BEAT_MS 15000
/* Maximal number of connections to the address of --metrics. */
#define MAX_PROBES 64

void
kg_http_resume(KgctlRequest *req)
{
	if (!req->suspended)
		return;
	req->suspended = false;
	MHD_resume_connection(req->mhd);
	req->http->wake = true;
	kg_loop_hurry(req->http->gateway.loop);
}

/*
 * Called when the client has ended its connection: cancels the call. The watch
 * is one-shot, because registering the socket anew for each request would cost
 * as much as reading a request. An event that occurs while libmicrohttpd uses
 * the connection is requested again when the connection is next suspended.
 */
static void
on_gone(void *arg, uint32_t events)
{
	KgHttpConn *conn = arg;
	KgctlRequest *req = conn->request;

	conn->ended = true;
	if (req == NULL || !req->suspended)
		return;
	/*
	 * For a modern client, closing the connection cancels the call. By the
	 * legacy protocol, disconnecting is not a cancellation. But the answer
	 * cannot be delivered, and calls cannot be resumed. So the call ends here
	 * in both cases.
	 */
	req->gone = true;
	if (req->call != NULL)
		kg_call_cancel(req->call);
	req->call = NULL;
	kg_probe_forget(req);
	kg_http_unsubscribe(req);
	kg_http_resume(req);
}

void
kg_http_suspend(KgctlRequest *req)
{
	if (req->suspended)
		return;
	req->suspended = true;
	MHD_suspend_connection(req->mhd);
	if (req->conn != NULL && req->conn->ended)
		kg_watch_again(req->conn->watch);
}

static void
on_connection(void *cls, struct MHD_Connection *mhd, void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	KgHttp *http = cls;
	KgHttpConn *conn = *context;
	const union MHD_ConnectionInfo *info;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED)
	{
		if (conn == NULL)
			return;
		LIST_REMOVE(conn, link);
		http->nconns -= !conn->probes;
		kg_watch_remove(conn->watch);
		free(conn);
		*context = NULL;
		return;
	}
	conn = kg_calloc(1, sizeof(KgHttpConn));
	info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	conn->http = http;
	conn->mhd = mhd;
	conn->fd = info ? info->connect_fd : -1;
	conn->watch = kg_watch_add(
		http->gateway.loop, conn->fd, EPOLLRDHUP | EPOLLET, on_gone, conn);
	conn->idle_since = kg_now();
	info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_DAEMON);
	conn->probes = info != NULL && info->daemon == http->probe;
	LIST_INSERT_HEAD(&http->conns, conn, link);
	http->nconns += !conn->probes;
	*context = conn;
}

static void
on_epoll(void *arg, uint32_t events)
{
	((KgHttp *) arg)->wake = true;
}

static void
run_daemon(KgHttp *http, struct MHD_Daemon *daemon)
{
	MHD_UNSIGNED_LONG_LONG left;

	MHD_run(daemon);
	/*
	 * If libmicrohttpd has already read data from a socket, epoll will not
	 * report it.
	 */
	if (MHD_get_timeout(daemon, &left) == MHD_YES && left == 0)
		http->wake = true;
}

static void
before_wait(void *arg)
{
	KgHttp *http = arg;
	int rounds = 0;

	while (http->wake && rounds++ < 16)
	{
		http->wake = false;
		run_daemon(http, http->daemon);
		if (http->probe != NULL)
			run_daemon(http, http->probe);
	}
	kg_call_flush();
	if (http->wake)
		kg_loop_hurry(http->gateway.loop);
}

/*
 * Closes a connection that libmicrohttpd leaves open. libmicrohttpd misses a
 * client's end of data that arrives together with the last bytes, because
 * libmicrohttpd then waits for an event that does not come. libmicrohttpd also
 * does not clean up a connection that it closed after a broken stream. Of the
 * connections with the default time-out, libmicrohttpd checks only the oldest;
 * connections with their own time-out are all checked. So set a time-out for
 * this connection.
 */
static void
let_go(KgHttpConn *conn)
{
	if (conn->leaving)
		return;
	conn->leaving = true;
	if (MHD_set_connection_option(
			conn->mhd, MHD_CONNECTION_OPTION_TIMEOUT, 1u) != MHD_YES)
		kg_log(KG_LOG_WARNING,
			   "a connection cannot be closed although its client is gone");
}

/*
 * Enforces the time-outs of requests. libmicrohttpd's own time-outs start again
 * with each received byte, so a slow client could hold a connection forever.
 */
static void
sweep(KgHttp *http, int64_t now)
{
	static const char late[] = "HTTP/1.1 408 Request Timeout\r\n"
							   "Connection: close\r\n"
							   "Content-Length: 0\r\n\r\n";
	KgHttpConn *conn;

	LIST_FOREACH(conn, &http->conns, link)
	{
		const KgctlRequest *req = conn->request;

		if (conn->ended && (req == NULL || (!req->complete && !req->refused)))
			let_go(conn);
		else if (req == NULL)
		{
			if (now - conn->idle_since > http->options.idle_timeout * 1000)
				shutdown(conn->fd, SHUT_RDWR);
		}
		else if (!req->complete && !req->refused &&
				 now - req->started > http->options.body_timeout * 1000)
		{
			/*
			 * No answer has been started yet, so an error can be written
			 * directly.
			 */
			if (send(conn->fd,
					 late,
					 sizeof(late) - 1,
					 MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
				kg_log(KG_LOG_DEBUG, "a slow client is gone");
			shutdown(conn->fd, SHUT_RDWR);
		}
	}
}

void
kg_http_end_subscription(KgctlRequest *req)
{
	KgBuf out;

	kg_http_unsubscribe(req);
	kg_buf_init(&out);
	kg_subscriber_result(&out, req->id);
	kg_stream_event(req, out.data, out.len);
	kg_buf_free(&out);
	kg_stream_end(req);
}

/*
 * Ends subscriptions: at shutdown all subscriptions, otherwise those that are
 * too old.
 */
static void
end_subscriptions(KgHttp *http, int64_t now)
{
	KgHttpConn *conn;

	LIST_FOREACH(conn, &http->conns, link)
	{
		KgctlRequest *req = conn->request;

		if (req == NULL || !req->subscribed || req->ended)
			continue;
		if (http->draining ||
			now - req->started > http->options.stream_timeout * 1000)
			kg_http_end_subscription(req);
	}
}

/*
 * Writes a comment to each stream of events, so that proxies do not close idle
 * connections.
 */
static void
beat(KgHttp *http)
{
	KgHttpConn *conn;

	LIST_FOREACH(conn, &http->conns, link)
		if (conn->request != NULL && conn->request->streaming &&
			!conn->request->ended)
			kg_stream_comment(conn->request);
}

static void
on_tick(void *arg)
{
	KgHttp *http = arg;
	int64_t now = kg_now();

	http->wake = true;
	kg_call_tick();
	if (now >= http->next_sweep)
	{
		http->next_sweep = now + 1000;
		sweep(http, now);
		end_subscriptions(http, now);
	}
	if (now >= http->next_beat)
	{
		http->next_beat = now + BEAT_MS;
		beat(http);
	}
	if (http->draining && (http->nrequests == 0 || now > http->drain_until))
		kg_loop_stop(http->gateway.loop);
}

static void log_mhd(void *arg, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));

static void
log_mhd(void *arg, const char *fmt, va_list args)
{
	char text[512];

	if (!kg_log_wanted(KG_LOG_DEBUG))
		return;
	vsnprintf(text, sizeof(text), fmt, args);
	kg_log(KG_LOG_DEBUG, "%s", text);
}

/*
 * Starts a daemon of libmicrohttpd for one listening socket, and watches it in
 * the event loop. Returns the daemon, and sets *watch. On failure, prints an
 * error, and *watch is NULL.
 */
static struct MHD_Daemon *
start_daemon(KgHttp *http, int fd, long max_connections, KgWatch **watch)
{
	unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME |
					 MHD_USE_ERROR_LOG;
	const union MHD_DaemonInfo *info;
	struct MHD_Daemon *daemon = MHD_start_daemon(
		flags,
		0,
		NULL,
		NULL,
		kg_http_access,
		http,
		MHD_OPTION_EXTERNAL_LOGGER,
		log_mhd,
		NULL,
		MHD_OPTION_LISTEN_SOCKET,
		fd,
		MHD_OPTION_URI_LOG_CALLBACK,
		kg_http_begin,
		http,
		MHD_OPTION_NOTIFY_COMPLETED,
		kg_http_completed,
		http,
		MHD_OPTION_NOTIFY_CONNECTION,
		on_connection,
		http,
		MHD_OPTION_CONNECTION_LIMIT,
		(unsigned) max_connections,
		MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned) http->options.idle_timeout,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t) CONNECTION_MEMORY,
		MHD_OPTION_CONNECTION_MEMORY_INCREMENT,
		(size_t) 2048,
		MHD_OPTION_SIGPIPE_HANDLED_BY_APP,
		1,
		MHD_OPTION_STRICT_FOR_CLIENT,
		1,
		MHD_OPTION_END);

	if (daemon == NULL)
	{
		kg_error("the HTTP server cannot be started");
		return NULL;
	}
	info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (info != NULL)
		*watch = kg_watch_add(
			http->gateway.loop, info->epoll_fd, EPOLLIN, on_epoll, http);
	if (*watch == NULL)
		kg_error("the HTTP server cannot be watched");
	return daemon;
}

bool
kg_http_start(KgHttp *http)
{
	http->daemon = start_daemon(
		http, http->listen_fd, http->options.max_connections, &http->watch);
	if (http->probe_fd >= 0)
		http->probe = start_daemon(
			http, http->probe_fd, MAX_PROBES, &http->probe_watch);
	if (http->watch == NULL ||
		(http->probe_fd >= 0 && http->probe_watch == NULL))
		return false;
	kg_loop_on_wait(http->gateway.loop, before_wait, http);
	kg_loop_on_tick(http->gateway.loop, on_tick, http);
	http->next_beat = kg_now() + BEAT_MS;
	return true;
}

/*
 * Begins the shutdown: refuses new connections, ends the subscriptions, and
 * waits for the running calls. A second call ends the event loop at once.
 */
void
kg_http_drain(KgHttp *http)
{
	if (http->draining)
	{
		kg_loop_stop(http->gateway.loop);
		return;
	}
	http->draining = true;
	http->drain_until = kg_now() + http->options.grace * 1000;
	kg_log(KG_LOG_INFO,
		   "shutting down: %ld requests are running",
		   http->nrequests);
	/*
	 * Close the socket. Otherwise clients could still connect and would wait
	 * until the process ends.
	 */
	(void) MHD_quiesce_daemon(http->daemon);
	close(http->listen_fd);
	http->listen_fd = -1;
	end_subscriptions(http, kg_now());
	http->wake = true;
}

static void
stop_daemon(struct MHD_Daemon **daemon, KgWatch *watch)
{
	if (*daemon == NULL)
		return;
	/*
	 * Do not let libmicrohttpd close the socket, because its owner closes it.
	 */
	(void) MHD_quiesce_daemon(*daemon);
	for (int rounds = 0; rounds < 4; rounds++)
		MHD_run(*daemon);
	kg_watch_remove(watch);
	MHD_stop_daemon(*daemon);
	*daemon = NULL;
}

void
kg_http_stop(KgHttp *http)
{
	KgHttpConn *conn;

	/*
	 * Resume all suspended connections, because libmicrohttpd cannot stop with
	 * suspended ones.
	 */
	LIST_FOREACH(conn, &http->conns, link)
		if (conn->request != NULL && conn->request->suspended)
		{
			KgctlRequest *req = conn->request;

			req->gone = true;
			if (req->call != NULL)
				kg_call_cancel(req->call);
			req->call = NULL;
			kg_probe_forget(req);
			kg_http_resume(req);
		}
	stop_daemon(&http->daemon, http->watch);
	stop_daemon(&http->probe, http->probe_watch);
}
