/*
 * http/stream.c
 *	  Streams of server-sent events. A stream has the notifications of a
 *	  running call and its answer, or the notifications of a subscription.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/http/http.h"

/*
 * Maximal number of bytes that a client has not read yet. A client that exceeds
 * it is disconnected.
 */
#define MAX_BACKLOG (4 * 1024 * 1024)

static ssize_t
read_stream(void *cls, uint64_t pos, char *buf, size_t max)
{
	KgctlRequest *req = cls;
	size_t left = req->out.len - req->sent;

	if (req->gone)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (left > 0)
	{
		if (left > max)
			left = max;
		memcpy(buf, req->out.data + req->sent, left);
		req->sent += left;
		if (req->sent == req->out.len)
		{
			/*
			 * Free the buffer instead of caching it, because most streams are
			 * silent most of the time.
			 */
			kg_buf_free(&req->out);
			req->sent = 0;
		}
		return (ssize_t) left;
	}
	if (req->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	kg_http_suspend(req);
	return 0;
}

void
kg_stream_start(KgctlRequest *req)
{
	struct MHD_Response *response;

	if (req->streaming)
		return;
	req->streaming = true;
	response = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, 1024, read_stream, req, NULL);
	kg_http_respond(req, MHD_HTTP_OK, "text/event-stream", response);
	/* This header prevents proxies from buffering the events. */
	kg_http_header(req, "X-Accel-Buffering", "no");
	kg_http_resume(req);
}

static void
append(KgctlRequest *req, const char *prefix, const char *text, size_t len)
{
	if (req->ended || req->gone)
		return;
	if (req->out.len - req->sent + len > MAX_BACKLOG &&
		req->out.len > req->sent)
		req->gone = true;
	else
	{
		kg_buf_puts(&req->out, prefix);
		kg_buf_add(&req->out, text, len);
		kg_buf_puts(&req->out, "\n\n");
	}
	kg_http_resume(req);
}

void
kg_stream_event(KgctlRequest *req, const char *json, size_t len)
{
	append(req, "event: message\ndata: ", json, len);
}

void
kg_stream_comment(KgctlRequest *req)
{
	/*
	 * If the client has unread data, the connection is not idle and needs no
	 * comment.
	 */
	if (req->out.len == req->sent)
		append(req, ": ", "", 0);
}

void
kg_stream_end(KgctlRequest *req)
{
	req->ended = true;
	kg_http_resume(req);
}
