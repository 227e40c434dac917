/*
 * cmd_mcp.c
 *	  kgctl mcp: an MCP server on standard input and output. Each line is a
 *	  JSON-RPC message. There are as many concurrent calls as connections.
 *	  While calls run, the input is still read, so that a cancellation is
 *	  noticed. The server stores only the client's subscriptions, and the
 *	  revision and extensions that initialize has agreed on.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kgctl/call.h"
#include "kgctl/commands.h"
#include "kgctl/db.h"
#include "kgctl/gateway.h"
#include "kgctl/log.h"

#define GRACE_MS 10000
#define LAST_WORDS_MS 1000
static const char too_large[] = "the message is too large";

static const char mcp_options[] =
	"--token-file FILE\tfile with a bearer token (else KGCTL_TOKEN)\n";

typedef struct Stdio Stdio;

/* A running request or an open subscription. */
typedef struct Pending
{
	Stdio *server;
	LIST_ENTRY(Pending) link;
	KgctlCall *call;
	KgSubscriber *subscriber;
	KgBuf line; /* the message, while it waits until LISTEN is active */
	char *id;
	char *uri;	  /* URI of a legacy client's subscription */
	bool dropped; /* the client has unsubscribed before the subscription was
				   * established */
	bool notification;
	bool holds; /* input is not read until this request is answered */
	/* a request that the server itself sends; no answer is written */
	bool quiet;
} Pending;

struct Stdio
{
	KgGateway gateway;
	KgWatch *watch;
	KgBuf in;
	/* the current input is the rest of a line that is too long */
	bool skipping;
	KgIdScan scan; /* finds the id in the line that is too long */
	bool holding;  /* input is not handled until initialize is answered */
	bool eof;
	/* standard input is a regular file, which epoll cannot watch */
	bool regular;
	int64_t stop_at;
	char *token;
	char *revision; /* revision of a legacy client */
	KgAgreed agreed;
	LIST_HEAD(, Pending) pending;
	KgSubscriber *legacy; /* a legacy client's subscription to list changes */
	bool broken;		  /* standard output has failed */
	int patience; /* milliseconds to wait for standard output; -1: unlimited */
	int exit;
};

/*
 * Waits until standard output accepts more data, at most s->patience
 * milliseconds. Returns false if it does not. A signal ends the wait, because a
 * client that does not read must not prevent the server from ending.
 */
static bool
wait_for_output(const Stdio *s)
{
	struct pollfd fds[2];

	fds[0].fd = STDOUT_FILENO;
	fds[0].events = POLLOUT;
	fds[1].fd = kg_loop_signal_fd(s->gateway.loop);
	fds[1].events = POLLIN;
	fds[0].revents = fds[1].revents = 0;
	while (poll(fds, 2, s->patience) < 0)
		if (errno != EINTR)
			return false;
	return fds[0].revents != 0;
}

static void
stop_writing(Stdio *s)
{
	s->broken = true;
	kg_loop_stop(s->gateway.loop);
}

static void
write_line(Stdio *s, const char *text, size_t len)
{
	KgBuf line;
	size_t at = 0;

	/*
	 * A newline within the message would break the framing. jsonb's text has no
	 * newline, so this is only a safeguard.
	 */
	if (s->broken || memchr(text, '\n', len) != NULL)
		return;
	kg_buf_init(&line);
	kg_buf_add(&line, text, len);
	kg_buf_putc(&line, '\n');
	while (at < line.len && !s->broken)
	{
		size_t left = line.len - at;
		ssize_t n;

		if (!wait_for_output(s))
		{
			stop_writing(s);
			break;
		}
		/* A writable pipe accepts PIPE_BUF bytes without blocking. */
		n = write(
			STDOUT_FILENO, line.data + at, left < PIPE_BUF ? left : PIPE_BUF);
		if (n > 0)
			at += (size_t) n;
		else if (n < 0 && errno != EINTR && errno != EAGAIN)
		{
			/* A client that has disconnected is not a failure. */
			if (errno != EPIPE)
			{
				kg_error("cannot write standard output: %s", strerror(errno));
				s->exit = KG_EXIT_INTERNAL;
			}
			stop_writing(s);
		}
	}
	kg_buf_free(&line);
}

static void
write_error(Stdio *s, const char *id, int code, const char *text)
{
	KgBuf out;

	kg_buf_init(&out);
	kg_message_error(&out, id, code, text);
	write_line(s, out.data, out.len);
	kg_buf_free(&out);
}

static void
remove_pending(Pending *p)
{
	LIST_REMOVE(p, link);
	if (p->subscriber != NULL)
		kg_unsubscribe(p->subscriber);
	kg_buf_free(&p->line);
	free(p->id);
	free(p->uri);
	free(p);
}

static bool
is_running(const Pending *p)
{
	return p->call != NULL || p->line.len > 0;
}

static void split_lines(Stdio *s);
static void ask(Stdio *s, KgBuf *line);
static void ask_again(Stdio *s);

/*
 * Sends a notification to a legacy client. json NULL means that the
 * subscription must be renewed. A legacy client cannot renew it, so the server
 * does.
 */
static void
on_change(void *arg, const char *json, size_t len)
{
	Stdio *s = arg;

	if (json != NULL)
	{
		write_line(s, json, len);
		return;
	}
	kg_unsubscribe(s->legacy);
	s->legacy = NULL;
	ask_again(s);
}

/* Ends a subscription with its result, as the protocol requires. */
static void
end_subscription(Pending *p)
{
	KgBuf out;

	kg_buf_init(&out);
	kg_subscriber_result(&out, p->id);
	write_line(p->server, out.data, out.len);
	kg_buf_free(&out);
}

static void
on_told(void *arg, const char *json, size_t len)
{
	Pending *p = arg;

	if (json != NULL)
	{
		write_line(p->server, json, len);
		return;
	}
	end_subscription(p);
	remove_pending(p);
}

static void
on_notify(void *arg, const char *json, size_t len)
{
	write_line(((Pending *) arg)->server, json, len);
}

static void
write_subscribe(KgBuf *out, const char *uri)
{
	kg_buf_puts(out,
				"{\"jsonrpc\":\"2.0\",\"id\":0,"
				"\"method\":\"" KG_SUBSCRIBE_METHOD "\","
				"\"params\":{\"uri\":");
	kg_buf_json(out, uri, strlen(uri));
	kg_buf_puts(out, "}}");
}

/*
 * Sends a legacy client the notification that one resource has changed. If json
 * is NULL, the subscription must be renewed, so requests it again.
 */
static void
on_updated(void *arg, const char *json, size_t len)
{
	Pending *p = arg;
	Stdio *s = p->server;
	KgBuf line;

	if (json != NULL)
	{
		write_line(s, json, len);
		return;
	}
	kg_buf_init(&line);
	write_subscribe(&line, p->uri);
	remove_pending(p);
	ask(s, &line);
}

/* Ends a legacy client's subscription to a resource. */
static void
drop_subscription(Stdio *s, const char *uri)
{
	Pending *p;
	Pending *next;

	for (p = LIST_FIRST(&s->pending); p != NULL; p = next)
	{
		next = LIST_NEXT(p, link);
		if (p->uri == NULL || strcmp(p->uri, uri) != 0)
			continue;
		if (is_running(p))
			p->dropped = true;
		else
			remove_pending(p);
	}
}

/*
 * Creates the subscription that the database has permitted. The answer to the
 * client is an empty result.
 */
static void
subscribe_resource(Pending *p, const KgAnswer *answer)
{
	KgSubscription what = {.key = answer->listen_key,
						   .seconds = answer->listen_seconds};
	KgBuf asked;

	kg_buf_init(&asked);
	write_subscribe(&asked, p->uri);
	free(p->id);
	p->id = NULL;
	what.ack = asked.data;
	what.len = asked.len;
	kg_subscribe(p->subscriber, &what, on_updated, p);
	kg_buf_free(&asked);
}

/*
 * Stores the revision and the capabilities on which initialize has agreed, if
 * the revision is a legacy one. They determine the format of later answers. If
 * the answer permits it, also creates the client's subscription to changes of
 * lists.
 */
static void
initialized(Pending *p, const KgAnswer *answer)
{
	Stdio *s = p->server;
	json_t *root = json_loadb(
		answer->text, answer->len, JSON_REJECT_DUPLICATES, NULL);
	const char *revision = json_string_value(
		json_object_get(json_object_get(root, "result"), "protocolVersion"));

	if (kg_revision_is_legacy(revision))
	{
		free(s->revision);
		s->revision = kg_strdup(revision);
		s->agreed = kg_answer_agrees(answer->text, answer->len);
		if (answer->listen_key != NULL && s->legacy == NULL)
		{
			KgSubscription what = {.key = answer->listen_key,
								   .seconds = answer->listen_seconds};

			s->legacy = p->subscriber;
			p->subscriber = NULL;
			kg_subscribe(s->legacy, &what, on_change, s);
		}
	}
	json_decref(root);
}

/*
 * Sets the exit status according to the last answer. After an internal error,
 * the status remains unchanged.
 */
static void
note_answer(Stdio *s, const KgAnswer *answer)
{
	if (s->exit == KG_EXIT_INTERNAL)
		return;
	s->exit = KG_EXIT_OK;
	if (answer->status == 401 || answer->status == 403)
		s->exit = KG_EXIT_REFUSED;
	else if (answer->failed)
		s->exit = KG_EXIT_DATABASE;
}

static void
on_done(void *arg, KgAnswer *answer)
{
	Pending *p = arg;
	Stdio *s = p->server;

	bool held = p->holds;

	p->call = NULL;
	note_answer(p->server, answer);
	if (answer->text != NULL && !p->notification)
	{
		if (!p->quiet)
			write_line(s, answer->text, answer->len);
		if (p->holds)
			initialized(p, answer);
		if (!p->holds && !p->dropped && p->subscriber != NULL &&
			answer->listen_key != NULL)
		{
			KgSubscription what = {answer->listen_key,
								   answer->text,
								   answer->len,
								   p->id,
								   answer->listen_seconds};

			if (p->uri != NULL)
			{
				subscribe_resource(p, answer);
				return;
			}
			kg_subscribe(p->subscriber, &what, on_told, p);
			return;
		}
	}
	remove_pending(p);
	if (held)
	{
		s->holding = false;
		split_lines(s);
	}
}

/* Handles notifications/cancelled: stops the call and writes no answer. */
static void
cancelled(Stdio *s, const KgMessage *msg)
{
	const KgJson *id = kgctl_json_get(msg->params, "requestId");
	KgBuf text;
	Pending *p;

	if (id == NULL)
		return;
	kg_buf_init(&text);
	kg_json_write(&text, id, -1);
	LIST_FOREACH(p, &s->pending, link)
		if (p->id != NULL && strcmp(p->id, text.data) == 0)
		{
			if (p->call != NULL)
				kg_call_cancel(p->call);
			remove_pending(p);
			break;
		}
	kg_buf_free(&text);
}

/*
 * Answers with an error, because too many calls run or the database is
 * unavailable.
 */
static void
give_up(Pending *p, const char *why)
{
	Stdio *s = p->server;

	if (!p->notification && !p->quiet)
		write_error(s, p->id, KG_RPC_INTERNAL, why);
	s->holding = s->holding && !p->holds;
	remove_pending(p);
}

static KgCallContext
context_of(const Stdio *s, const KgMessage *msg)
{
	KgCallContext context = {.pool = s->gateway.pool,
							 .token = s->token,
							 .modern = msg->modern,
							 .agreed = s->agreed,
							 .local = true};

	if (!msg->modern && msg->method != NULL &&
		strcmp(msg->method, "initialize") != 0)
		context.revision = s->revision;
	return context;
}

static void
send_call(Pending *p, KgMessage *msg, const char *line, size_t len)
{
	Stdio *s = p->server;
	KgCallContext context = context_of(s, msg);
	KgCallOwner owner = {p, on_notify, true, on_done};

	p->call = kg_call_start(&context, msg, line, len, &owner);
	if (p->call == NULL)
		give_up(p, "too many calls at once; try again");
}

/*
 * Continues requests that wait for LISTEN. initialize is answered even if
 * LISTEN is not possible; its subscription follows when LISTEN is active.
 */
static void
on_listening(void *arg, bool listening)
{
	Pending *p = arg;
	KgBuf line = p->line;
	const KgCallContext context = {.pool = p->server->gateway.pool,
								   .local = true};
	KgMessage msg;
	char *error = NULL;

	kg_buf_init(&p->line);
	if (!listening && !p->holds)
	{
		error = kg_call_unavailable(&context);
		give_up(p, error);
	}
	else if (kg_message_parse(&msg, line.data, line.len, &error))
	{
		send_call(p, &msg, line.data, line.len);
		kg_message_free(&msg);
	}
	free(error);
	kg_buf_free(&line);
}

static bool
is_request(const KgMessage *msg, const char *method)
{
	return msg->kind == KG_MSG_REQUEST && strcmp(msg->method, method) == 0;
}

/*
 * Returns the resource's URI if the message is a legacy client's request with
 * this method. Otherwise returns NULL.
 */
static const char *
uri_of(const KgMessage *msg, const char *method)
{
	return !msg->modern && is_request(msg, method)
			   ? kg_json_get_text(msg->params, "uri")
			   : NULL;
}

static void
start_call(Stdio *s, KgMessage *msg, const char *line, size_t len, bool quiet)
{
	Pending *p = kg_calloc(1, sizeof(Pending));
	const char *uri = uri_of(msg, KG_SUBSCRIBE_METHOD);
	const char *gone = uri ? uri : uri_of(msg, KG_UNSUBSCRIBE_METHOD);
	KgCallContext context = context_of(s, msg);
	bool waits = false;

	if (gone != NULL)
		drop_subscription(s, gone);
	p->server = s;
	p->quiet = quiet;
	p->id = msg->id && !quiet ? kg_strdup(msg->id) : NULL;
	p->notification = msg->kind == KG_MSG_NOTIFICATION;
	/*
	 * Later messages must wait, because initialize determines the format of the
	 * answers to these messages.
	 */
	p->holds = !msg->modern && is_request(msg, "initialize");
	p->uri = uri ? kg_strdup(uri) : NULL;
	s->holding = s->holding || p->holds;
	LIST_INSERT_HEAD(&s->pending, p, link);
	if (p->holds || p->uri != NULL ||
		(p->id != NULL && is_request(msg, KG_LISTEN_METHOD)))
		p->subscriber = kg_subscriber_new(
			s->gateway.listener, &context, line, len, on_listening, p, &waits);
	if (waits)
		kg_buf_add(&p->line, line, len);
	else
		send_call(p, msg, line, len);
}

/* Starts a call for a request that the server makes on behalf of the client. */
static void
ask(Stdio *s, KgBuf *line)
{
	KgMessage msg;
	char *error = NULL;

	if (!s->eof && kg_message_parse(&msg, line->data, line->len, &error))
	{
		start_call(s, &msg, line->data, line->len, true);
		kg_message_free(&msg);
	}
	free(error);
	kg_buf_free(line);
}

/*
 * Sends initialize again for a legacy client, so that the database checks the
 * token and the role's grant again. If the database refuses the request, the
 * subscription to changes of lists has ended.
 */
static void
ask_again(Stdio *s)
{
	KgBuf line;

	kg_buf_init(&line);
	kg_buf_printf(&line,
				  "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
				  "\"params\":{\"protocolVersion\":\"%s\",\"capabilities\":{},"
				  "\"clientInfo\":{\"name\":\"kgctl\",\"version\":\"0\"}}}",
				  s->revision);
	ask(s, &line);
}

/* Answers a line with an error. Frees the id. */
static void
refuse_line(Stdio *s, char *id, int code, const char *text)
{
	write_error(s, id, code, text);
	free(id);
}

/*
 * Answers a line that was too long. The id may be the last member, so the rest
 * of the line is scanned, too.
 */
static void
end_skipping(Stdio *s, const char *rest, size_t len)
{
	kg_id_scan(&s->scan, rest, len);
	s->skipping = false;
	refuse_line(s, kg_id_scan_end(&s->scan), KG_RPC_REQUEST, too_large);
}

static void
on_line(Stdio *s, const char *line, size_t len)
{
	KgMessage msg;
	char *error = NULL;

	while (len > 0 && strchr(" \t\r", line[len - 1]) != NULL)
		len--;
	/*
	 * Skip a byte order mark, which jsonb refuses. Some shells write it at the
	 * start of a pipe.
	 */
	if (len >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0)
	{
		line += 3;
		len -= 3;
	}
	if (len == 0)
		return;
	if (!kg_message_parse(&msg, line, len, &error))
		refuse_line(s, kg_message_find_id(line, len), KG_RPC_PARSE, error);
	else if (msg.kind == KG_MSG_NOTIFICATION &&
			 strcmp(msg.method, "notifications/cancelled") == 0)
		cancelled(s, &msg);
	else if (msg.kind != KG_MSG_RESPONSE || !kg_call_respond(&msg, s->token))
		start_call(s, &msg, line, len, false);
	free(error);
	kg_message_free(&msg);
}

/*
 * Handles the complete lines of the input. A line that is too long gets one
 * error as its answer.
 */
static void
split_lines(Stdio *s)
{
	size_t start = 0;
	char *newline;

	while (!s->holding && s->in.len > start &&
		   (newline = memchr(s->in.data + start, '\n', s->in.len - start)))
	{
		size_t len = (size_t) (newline - s->in.data) - start;

		if (s->skipping)
			end_skipping(s, s->in.data + start, len);
		else if (len > (size_t) s->gateway.max_message)
			refuse_line(s,
						kg_message_find_id(s->in.data + start, len),
						KG_RPC_REQUEST,
						too_large);
		else
			on_line(s, s->in.data + start, len);
		start += len + 1;
	}
	memmove(s->in.data, s->in.data + start, s->in.len - start);
	s->in.len -= start;
	kg_watch_set(s->watch, s->holding ? 0 : EPOLLIN);
	if (s->holding)
		return;
	if (!s->skipping && s->in.len > (size_t) s->gateway.max_message)
	{
		s->skipping = true;
		kg_id_scan_start(&s->scan);
	}
	if (s->skipping)
	{
		kg_id_scan(&s->scan, s->in.data, s->in.len);
		s->in.len = 0;
	}
}

static void
at_end(Stdio *s)
{
	s->eof = true;
	s->stop_at = kg_now() + GRACE_MS;
	kg_watch_remove(s->watch);
	s->watch = NULL;
	/* The last line may lack its newline. */
	if (s->skipping || s->in.len > 0)
	{
		kg_buf_putc(&s->in, '\n');
		split_lines(s);
	}
}

static void
on_input(void *arg, uint32_t events)
{
	Stdio *s = arg;
	ssize_t n;

	kg_buf_reserve(&s->in, 65536);
	n = read(STDIN_FILENO, s->in.data + s->in.len, 65536);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0)
	{
		at_end(s);
		return;
	}
	s->in.len += (size_t) n;
	split_lines(s);
}

static bool
calls_running(const Stdio *s)
{
	const Pending *p;

	LIST_FOREACH(p, &s->pending, link)
		if (is_running(p))
			return true;
	return false;
}

/*
 * Called before each wait of the loop. If the input is a regular file, reads it
 * to its end first. After the end of input, stops the loop as soon as no call
 * is running.
 */
static void
before_wait(void *arg)
{
	Stdio *s = arg;

	while (s->regular && !s->eof)
		on_input(s, 0);
	if (s->eof && !calls_running(s))
		kg_loop_stop(s->gateway.loop);
}

static void
on_tick(void *arg)
{
	Stdio *s = arg;

	kg_call_tick();
	if (s->eof && kg_now() > s->stop_at)
		kg_loop_stop(s->gateway.loop);
}

static void
on_signal(void *arg)
{
	Stdio *s = arg;

	/*
	 * The client has requested the end, so the exit status does not depend on
	 * the last answer.
	 */
	if (s->exit != KG_EXIT_INTERNAL)
		s->exit = KG_EXIT_OK;
	kg_loop_stop(s->gateway.loop);
}

static void
close_server(Stdio *s)
{
	Pending *p;

	s->patience = LAST_WORDS_MS;
	while ((p = LIST_FIRST(&s->pending)) != NULL)
	{
		if (p->call != NULL)
			kg_call_cancel(p->call);
		else if (p->subscriber != NULL && p->id != NULL && p->line.len == 0)
			end_subscription(p);
		remove_pending(p);
	}
	kg_watch_remove(s->watch);
	kg_gateway_close(&s->gateway);
	kg_buf_free(&s->in);
	free(s->token);
	free(s->revision);
}

static int
run(const KgArgs *args)
{
	Stdio s;

	memset(&s, 0, sizeof(s));
	s.patience = -1;
	s.exit = KG_EXIT_OK;
	if (!kg_token_find(args, false, &s.token))
		return KG_EXIT_INPUT;
	if (!kg_gateway_open(&s.gateway, args, 4, on_signal, &s))
		return KG_EXIT_USAGE;
	s.watch = kg_watch_add(s.gateway.loop, STDIN_FILENO, EPOLLIN, on_input, &s);
	s.regular = s.watch == NULL;
	kg_loop_on_wait(s.gateway.loop, before_wait, &s);
	kg_loop_on_tick(s.gateway.loop, on_tick, &s);
	kg_loop_run(s.gateway.loop);
	close_server(&s);
	return s.exit;
}

const KgCommand kg_command_mcp = {"mcp",
								  "",
								  "MCP server on standard input and output",
								  mcp_options,
								  kg_gateway_options,
								  0,
								  0,
								  run};
