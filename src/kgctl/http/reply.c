/*
 * http/reply.c
 *	  Answers of requests. A response can be prepared at any time. It is
 *	  queued when libmicrohttpd calls the handler of the request.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/http/http.h"
#include "kgctl/log.h"
#include "kgctl/metrics.h"

static void
clear_result(void *cls)
{
	PQclear(cls);
}

void
kg_http_header(KgctlRequest *req, const char *name, const char *value)
{
	if (req->response != NULL &&
		MHD_add_response_header(req->response, name, value) != MHD_YES)
		kg_log(KG_LOG_WARNING, "the header %s cannot be set", name);
}

/* Adds the headers that all answers have. */
static void
add_common(KgctlRequest *req, const char *type)
{
	const char *origin = kg_header(req, MHD_HTTP_HEADER_ORIGIN);

	if (type != NULL)
		kg_http_header(req, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	kg_http_header(req, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	kg_http_header(req, "X-Content-Type-Options", "nosniff");
	/*
	 * Let the page of the request's origin read the answer, unless the origin
	 * was refused.
	 */
	if (origin != NULL && req->status != MHD_HTTP_FORBIDDEN)
	{
		kg_http_header(
			req, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, origin);
		kg_http_header(req,
					   MHD_HTTP_HEADER_ACCESS_CONTROL_EXPOSE_HEADERS,
					   "WWW-Authenticate, Mcp-Session-Id");
		kg_http_header(req, MHD_HTTP_HEADER_VARY, "Origin");
	}
	if (req->status == MHD_HTTP_SERVICE_UNAVAILABLE)
		kg_http_header(req, MHD_HTTP_HEADER_RETRY_AFTER, "1");
	/*
	 * Close the connection during the shutdown. Otherwise, keep only a limited
	 * number of connections open, because each connection that has had a
	 * request uses memory.
	 */
	if (req->http->draining ||
		req->http->nconns > req->http->options.keep_alive)
		kg_http_header(req, MHD_HTTP_HEADER_CONNECTION, "close");
}

void
kg_http_respond(KgctlRequest *req, unsigned status, const char *type,
				struct MHD_Response *response)
{
	if (req->response != NULL)
		MHD_destroy_response(req->response);
	req->response = response;
	req->status = status;
	if (response != NULL)
		add_common(req, type);
}

void
kg_http_reply(KgctlRequest *req, unsigned status, const char *type,
			  const char *text, size_t len)
{
	kg_http_respond(req,
					status,
					type,
					MHD_create_response_from_buffer(
						len, (void *) text, MHD_RESPMEM_MUST_COPY));
}

void
kg_http_reply_text(KgctlRequest *req, unsigned status, const char *text)
{
	kg_http_reply(req, status, "text/plain", text, strlen(text));
}

/* Answers with a text that is in res. The response takes over res. */
void
kg_http_reply_result(KgctlRequest *req, unsigned status, const char *text,
					 size_t len, PGresult *res)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer_with_free_callback_cls(
			len, (void *) text, clear_result, res);

	if (response == NULL)
		PQclear(res);
	kg_http_respond(req, status, "application/json", response);
}

void
kg_http_reply_error(KgctlRequest *req, unsigned status, int code,
					const char *text)
{
	KgBuf out;

	kg_buf_init(&out);
	kg_message_error(&out, req->id, code, text);
	kg_http_reply(req, status, "application/json", out.data, out.len);
	kg_buf_free(&out);
}

bool
kg_http_refuse(KgctlRequest *req, unsigned status, const char *text)
{
	kg_http_reply_error(
		req, status, status >= 500 ? KG_RPC_INTERNAL : KG_RPC_REQUEST, text);
	return false;
}

enum MHD_Result
kg_http_send(KgctlRequest *req)
{
	struct MHD_Response *response = req->response;
	enum MHD_Result result;

	req->response = NULL;
	req->refused = true;
	if (response == NULL)
		return MHD_NO;
	if (!req->probes)
		kg_count_http(req->status);
	if (req->http->options.access_log)
		kg_log(KG_LOG_INFO,
			   "%s %u %lld ms",
			   req->method[0] ? req->method : "-",
			   req->status,
			   (long long) (kg_now() - req->started));
	result = MHD_queue_response(req->mhd, req->status, response);
	MHD_destroy_response(response);
	return result;
}

const char *
kg_header(KgctlRequest *req, const char *name)
{
	return MHD_lookup_connection_value(req->mhd, MHD_HEADER_KIND, name);
}
