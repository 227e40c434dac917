/*
 * http/request.c
 *	  A request: its routing, body, call and answer.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "kgctl/http/http.h"

/* Maximal total size in bytes of the bodies that are being read. */
#define MAX_BODY_BYTES ((size_t) 64 * 1024 * 1024)
static const char too_large[] = "the message is too large";

static void dispatch(KgctlRequest *req);

/*
 * Answers the preflight request of a browser. Refused origins were answered
 * before.
 */
static void
reply_preflight(KgctlRequest *req)
{
	kg_http_reply(req, MHD_HTTP_NO_CONTENT, NULL, "", 0);
	if (kg_header(req, MHD_HTTP_HEADER_ORIGIN) == NULL)
	{
		kg_http_header(req, MHD_HTTP_HEADER_ALLOW, "POST, OPTIONS");
		return;
	}
	kg_http_header(req, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_METHODS, "POST");
	kg_http_header(req,
				   MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_HEADERS,
				   "Content-Type, Accept, Authorization, "
				   "MCP-Protocol-Version, Mcp-Method, Mcp-Name, "
				   "Mcp-Session-Id, Last-Event-ID");
	kg_http_header(req, MHD_HTTP_HEADER_ACCESS_CONTROL_MAX_AGE, "600");
}

/* Returns whether a URL has this path, with or without a slash at the end. */
static bool
is_path(const char *url, const char *path)
{
	size_t n = strlen(path);

	while (n > 0 && path[n - 1] == '/')
		n--;
	return strncmp(url, path, n) == 0 &&
		   (url[n] == '\0' || strcmp(url + n, "/") == 0);
}

/*
 * Makes all checks that do not need the body. If a check prepares a refusal,
 * the body is read and discarded first, so that the client can read the answer.
 */
static void
route(KgctlRequest *req, const char *url, const char *method)
{
	const char *path = req->http->options.path;
	size_t n = strlen(KG_OAUTH_PATH);
	const char *token;

	if (kg_probe_route(req, url, method))
		return;
	else if (!kg_headers_origin(req, false))
		return;
	else if (kg_explorer_route(req, url, method))
		return;
	else if (strncmp(url, KG_OAUTH_PATH, n) == 0 &&
			 (url[n] == '\0' || is_path(url + n, path)) &&
			 (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0))
		kg_oauth_metadata(req);
	else if (!is_path(url, path))
		kg_http_reply_text(req, MHD_HTTP_NOT_FOUND, "not found\n");
	else if (strcmp(method, "OPTIONS") == 0)
		reply_preflight(req);
	else if (strcmp(method, "POST") != 0)
	{
		kg_http_reply_text(req,
						   MHD_HTTP_METHOD_NOT_ALLOWED,
						   "only POST: there are no sessions\n");
		kg_http_header(req, MHD_HTTP_HEADER_ALLOW, "POST, OPTIONS");
	}
	else if (req->http->draining)
		kg_http_reply_text(
			req, MHD_HTTP_SERVICE_UNAVAILABLE, "shutting down\n");
	else if (kg_headers_content(req))
		(void) kg_headers_token(req, &token);
}

/*
 * Returns whether the declared length of the body is too large. Such a body is
 * not read.
 */
static bool
announced_too_large(KgctlRequest *req)
{
	const char *length = kg_header(req, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return length != NULL &&
		   (strlen(length) > 12 ||
			strtoll(length, NULL, 10) > req->http->gateway.max_message);
}

static void
drop_body(KgctlRequest *req)
{
	req->http->body_bytes -= req->body.len;
	kg_buf_free(&req->body);
}

/* Refuses the request and discards the rest of the body. */
static void
refuse_body(KgctlRequest *req, unsigned status, const char *text)
{
	req->too_large = true;
	drop_body(req);
	(void) kg_http_refuse(req, status, text);
}

static enum MHD_Result
read_body(KgctlRequest *req, const char *data, size_t *size)
{
	KgHttp *http = req->http;
	size_t max = (size_t) http->gateway.max_message;

	if (req->too_large)
	{
		/*
		 * Discard more of the body, up to a limit, so that the client can read
		 * the answer.
		 */
		req->sent += *size;
		if (req->sent > 4 * max)
			return MHD_NO;
	}
	else if (req->response != NULL)
		;
	else if (req->body.len + *size > max)
		refuse_body(req, MHD_HTTP_CONTENT_TOO_LARGE, too_large);
	else if (http->body_bytes + *size > MAX_BODY_BYTES)
		refuse_body(req,
					MHD_HTTP_SERVICE_UNAVAILABLE,
					"the gateway is too busy; try again");
	else
	{
		kg_buf_add(&req->body, data, *size);
		http->body_bytes += *size;
	}
	*size = 0;
	return MHD_YES;
}

static void
on_notify(void *arg, const char *json, size_t len)
{
	KgctlRequest *req = arg;

	kg_stream_start(req);
	kg_stream_event(req, json, len);
}

static void
on_change(void *arg, const char *json, size_t len)
{
	if (json == NULL)
		kg_http_end_subscription(arg);
	else
		kg_stream_event(arg, json, len);
}

void
kg_http_unsubscribe(KgctlRequest *req)
{
	if (req->subscriber == NULL)
		return;
	kg_unsubscribe(req->subscriber);
	req->subscriber = NULL;
	req->http->nstreams -= req->subscribed;
	req->subscribed = false;
}

/* Returns the number of subscriptions that the bearer of a token has. */
static long
streams_of(const KgHttp *http, const char *bearer)
{
	const KgHttpConn *conn;
	long n = 0;

	LIST_FOREACH(conn, &http->conns, link)
		n += conn->request != NULL && conn->request->subscribed &&
			 conn->request->bearer != NULL &&
			 strcmp(conn->request->bearer, bearer) == 0;
	return n;
}

static void
answer_subscription(KgctlRequest *req, const KgAnswer *answer)
{
	const KgHttpOptions *options = &req->http->options;
	KgSubscription what = {answer->listen_key,
						   answer->text,
						   answer->len,
						   req->id,
						   answer->listen_seconds};

	if (!req->accepts_stream)
	{
		kg_http_refuse(req,
					   MHD_HTTP_NOT_ACCEPTABLE,
					   "a subscription needs Accept: text/event-stream");
		return;
	}
	if (answer->listen_caller != NULL)
		req->bearer = kg_format(
			"%s %s", answer->listen_key, answer->listen_caller);
	if (req->bearer != NULL &&
		streams_of(req->http, req->bearer) >= options->max_bearer_streams)
	{
		kg_http_refuse(req,
					   MHD_HTTP_TOO_MANY_REQUESTS,
					   "the bearer of the token has too many subscriptions");
		return;
	}
	if (req->http->nstreams >= options->max_streams)
	{
		kg_http_refuse(req,
					   MHD_HTTP_SERVICE_UNAVAILABLE,
					   "there are too many subscriptions");
		return;
	}
	kg_stream_start(req);
	kg_stream_event(req, answer->text, answer->len);
	req->http->nstreams++;
	req->subscribed = true;
	kg_subscribe(req->subscriber, &what, on_change, req);
}

/*
 * Continues a request that waits for LISTEN. If listening is false, LISTEN is
 * not possible now, so refuses the request.
 */
static void
on_listening(void *arg, bool listening)
{
	KgctlRequest *req = arg;

	if (listening)
		dispatch(req);
	else
	{
		kg_http_unsubscribe(req);
		drop_body(req);
		kg_http_refuse(req,
					   MHD_HTTP_SERVICE_UNAVAILABLE,
					   "the database is not available; try again");
	}
	if (req->response != NULL)
		kg_http_resume(req);
}

static void
answer_call(KgctlRequest *req, KgAnswer *answer)
{
	KgAgreed agreed = {false, false};

	if (!req->modern && answer->text != NULL &&
		strcmp(req->method, "initialize") == 0)
		agreed = kg_answer_agrees(answer->text, answer->len);

	if (req->streaming)
	{
		if (answer->text != NULL)
			kg_stream_event(req, answer->text, answer->len);
		kg_stream_end(req);
	}
	else if (answer->text == NULL)
		kg_http_reply(req, (unsigned) answer->status, NULL, "", 0);
	else if (answer->res != NULL)
	{
		kg_http_reply_result(req,
							 (unsigned) answer->status,
							 answer->text,
							 answer->len,
							 answer->res);
		answer->res = NULL;
	}
	else
	{
		kg_http_reply(req,
					  (unsigned) answer->status,
					  "application/json",
					  answer->text,
					  answer->len);
		if (answer->status == MHD_HTTP_UNAUTHORIZED)
			kg_oauth_challenge(
				req, kg_header(req, "Authorization") ? "invalid_token" : NULL);
		else if (answer->status == MHD_HTTP_FORBIDDEN)
			kg_oauth_challenge(req, "insufficient_scope");
	}
	if ((agreed.app || agreed.lax) && !req->streaming)
		kg_headers_agree(req, &agreed);
}

static void
on_done(void *arg, KgAnswer *answer)
{
	KgctlRequest *req = arg;

	req->call = NULL;
	if (answer->listen_key != NULL && req->id != NULL &&
		strcmp(req->method, KG_LISTEN_METHOD) == 0)
		answer_subscription(req, answer);
	else
		answer_call(req, answer);
	if (!req->subscribed)
		kg_http_unsubscribe(req);
	kg_http_resume(req);
}

/*
 * Creates the subscriber of a message that requests a subscription. Returns
 * whether the message must wait, because LISTEN must be active before the
 * subscription is requested from the database.
 */
static bool
waits_for_listen(KgctlRequest *req, const KgMessage *msg,
				 const KgCallContext *context)
{
	bool waits = false;

	if (req->subscriber == NULL && req->accepts_stream && msg->id != NULL &&
		msg->method != NULL && strcmp(msg->method, KG_LISTEN_METHOD) == 0)
		req->subscriber = kg_subscriber_new(req->http->gateway.listener,
											context,
											req->body.data,
											req->body.len,
											on_listening,
											req,
											&waits);
	return waits;
}

static void
start_call(KgctlRequest *req, KgMessage *msg, const char *revision)
{
	KgCallContext context = {.pool = req->http->gateway.pool,
							 .readers = req->http->gateway.readers,
							 .authorizer = req->http->gateway.authorizer,
							 .embedder = req->http->gateway.embedder,
							 .rates = req->http->gateway.rates,
							 .revision = revision,
							 .modern = req->modern,
							 .agreed = kg_headers_agreed(req)};
	KgCallOwner owner = {req, on_notify, req->accepts_stream, on_done};

	if (!kg_headers_token(req, &context.token))
		return;
	if (msg->kind == KG_MSG_RESPONSE && !req->modern &&
		kg_call_respond(msg, context.token))
	{
		kg_http_reply(req, MHD_HTTP_ACCEPTED, NULL, "", 0);
		return;
	}
	if (waits_for_listen(req, msg, &context))
		return;
	req->call = kg_call_start(
		&context, msg, req->body.data, req->body.len, &owner);
	if (req->call == NULL)
		kg_http_refuse(req,
					   MHD_HTTP_SERVICE_UNAVAILABLE,
					   "too many calls at once; try again");
}

/* Handles a complete body: parses the message and starts its call. */
static void
dispatch(KgctlRequest *req)
{
	const char *text = req->body.data ? req->body.data : "";
	KgMessage msg;
	const char *revision;
	char *error = NULL;

	req->accepts_stream = kg_headers_accept(req, "text/event-stream");
	if (!kg_message_parse(&msg, text, req->body.len, &error))
	{
		req->id = kg_message_find_id(text, req->body.len);
		kg_http_reply_error(req, MHD_HTTP_BAD_REQUEST, KG_RPC_PARSE, error);
	}
	else
	{
		size_t i;

		free(req->id);
		req->id = msg.id ? kg_strdup(msg.id) : NULL;
		if (msg.method != NULL)
		{
			strncpy(req->method, msg.method, sizeof(req->method) - 1);
			for (i = 0; req->method[i] != '\0'; i++)
				if (req->method[i] < ' ' || req->method[i] > '~')
					req->method[i] = '?';
		}
		if (kg_headers_protocol(req, &msg, &revision))
			start_call(req, &msg, revision);
	}
	free(error);
	kg_message_free(&msg);
	if (req->call != NULL || req->response != NULL)
		drop_body(req);
}

static KgctlRequest *
new_request(KgHttp *http, struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	KgctlRequest *req = kg_calloc(1, sizeof(KgctlRequest));

	req->http = http;
	req->mhd = mhd;
	req->conn = info ? info->socket_context : NULL;
	req->started = kg_now();
	if (req->conn != NULL)
	{
		req->conn->request = req;
		req->probes = req->conn->probes;
	}
	http->nrequests += !req->probes;
	return req;
}

void *
kg_http_begin(void *cls, const char *target, struct MHD_Connection *mhd)
{
	KgctlRequest *req = new_request(cls, mhd);

	req->target_end = (uintptr_t) target + strlen(target);
	req->has_nul = strstr(target, "%00") != NULL;
	return req;
}

enum MHD_Result
kg_http_access(void *cls, struct MHD_Connection *mhd, const char *url,
			   const char *method, const char *version, const char *upload_data,
			   size_t *upload_data_size, void **req_cls)
{
	KgctlRequest *req = *req_cls;

	if (!req->begun)
	{
		req->begun = true;
		if (!kg_headers_wellformed(req, method, version) ||
			!kg_headers_single(req))
		{
			kg_http_header(req, MHD_HTTP_HEADER_CONNECTION, "close");
			return kg_http_send(req);
		}
		route(req, url, method);
		if (announced_too_large(req))
		{
			if (req->response == NULL)
				kg_http_refuse(req, MHD_HTTP_CONTENT_TOO_LARGE, too_large);
			kg_http_header(req, MHD_HTTP_HEADER_CONNECTION, "close");
			return kg_http_send(req);
		}
		return MHD_YES;
	}
	if (*upload_data_size > 0)
		return read_body(req, upload_data, upload_data_size);
	if (req->gone)
		return MHD_NO;
	if (!req->complete)
	{
		req->complete = true;
		if (req->response == NULL && req->waiter == NULL && !req->refused)
			dispatch(req);
		if (req->response == NULL)
		{
			kg_http_suspend(req);
			return MHD_YES;
		}
	}
	if (req->response == NULL)
	{
		/* Ignore a spurious wakeup while the call still runs or waits. */
		if ((req->call == NULL && req->subscriber == NULL &&
			 req->waiter == NULL) ||
			req->refused)
			return MHD_NO;
		kg_http_suspend(req);
		return MHD_YES;
	}
	return kg_http_send(req);
}

void
kg_http_completed(void *cls, struct MHD_Connection *mhd, void **req_cls,
				  enum MHD_RequestTerminationCode why)
{
	KgHttp *http = cls;
	KgctlRequest *req = *req_cls;

	if (req == NULL)
		return;
	*req_cls = NULL;
	if (req->call != NULL)
		kg_call_cancel(req->call);
	kg_probe_forget(req);
	kg_http_unsubscribe(req);
	if (req->response != NULL)
		MHD_destroy_response(req->response);
	if (req->conn != NULL)
	{
		req->conn->request = NULL;
		req->conn->idle_since = kg_now();
	}
	drop_body(req);
	kg_buf_free(&req->out);
	free(req->id);
	free(req->bearer);
	http->nrequests -= !req->probes;
	free(req);
}
