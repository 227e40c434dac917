/*
 * http/probe.c
 *	  Requests of monitoring: liveness, readiness and metrics. --metrics
 *	  opens a separate address for them. Liveness and readiness are also
 *	  available at the address for clients.
 */
#include <string.h>

#include "kgctl/http/http.h"
#include "kgctl/metrics.h"

/*
 * Writes the object of the database's health, to which it adds the state of the
 * standbys.
 */
static void
write_health(const KgHttp *http, const char *health, KgBuf *out)
{
	size_t len = strlen(health);

	if (http->gateway.readers == NULL || len < 2 || health[len - 1] != '}')
	{
		kg_buf_add(out, health, len);
		return;
	}
	kg_buf_add(out, health, len - 1);
	if (health[len - 2] != '{')
		kg_buf_puts(out, ", ");
	kg_readers_write_ready(http->gateway.readers, out);
	kg_buf_putc(out, '}');
}

/*
 * Answers /readyz. Only the answer at the address of --metrics includes the
 * states and metrics of the components.
 */
static void
on_ready(void *arg, bool ready, const char *word, const char *health)
{
	KgctlRequest *req = arg;
	unsigned status = ready ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
	KgBuf line;

	req->waiter = NULL;
	kg_buf_init(&line);
	if (req->probes && health != NULL)
	{
		write_health(req->http, health, &line);
		kg_http_reply(req, status, "application/json", line.data, line.len);
	}
	else
	{
		kg_buf_printf(&line, "%s\n", word);
		kg_http_reply_text(req, status, line.data);
	}
	kg_buf_free(&line);
	kg_http_resume(req);
}

void
kg_probe_forget(KgctlRequest *req)
{
	if (req->waiter != NULL)
		kg_ready_cancel(req->waiter);
	req->waiter = NULL;
}

static void
reply_ready(KgctlRequest *req)
{
	if (req->http->draining)
		kg_http_reply_text(
			req, MHD_HTTP_SERVICE_UNAVAILABLE, "shutting down\n");
	else
		req->waiter = kg_ready_ask(req->http->gateway.ready, on_ready, req);
}

static void
reply_metrics(KgctlRequest *req)
{
	const KgHttp *http = req->http;
	KgBuf out;

	kg_buf_init(&out);
	kg_metrics_write(&out);
	kg_pool_write(http->gateway.pool, &out);
	kg_ready_write(http->gateway.ready, &out);
	kg_rates_write(http->gateway.rates, &out);
	if (http->gateway.readers != NULL)
		kg_readers_write(http->gateway.readers, &out);
	if (http->gateway.authorizer != NULL)
		kg_authorizer_write(http->gateway.authorizer, &out);
	kg_metric_gauge(&out,
					"kgctl_http_connections",
					"Open connections of clients.",
					(double) http->nconns);
	kg_metric_gauge(&out,
					"kgctl_http_connections_max",
					"Connections of clients at most (--max-connections).",
					(double) http->options.max_connections);
	kg_metric_gauge(&out,
					"kgctl_http_requests",
					"Requests that are not answered yet.",
					(double) http->nrequests);
	kg_metric_gauge(&out,
					"kgctl_subscriptions",
					"Open subscriptions.",
					(double) http->nstreams);
	kg_metric_gauge(&out,
					"kgctl_subscriptions_max",
					"Subscriptions at most (--max-streams).",
					(double) http->options.max_streams);
	kg_http_reply(req,
				  MHD_HTTP_OK,
				  "text/plain; version=0.0.4; charset=utf-8",
				  out.data,
				  out.len);
	kg_buf_free(&out);
}

bool
kg_probe_route(KgctlRequest *req, const char *url, const char *method)
{
	bool reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
	bool asks_health = reads && (strcmp(url, "/healthz") == 0 ||
								 strcmp(url, "/readyz") == 0);

	if ((req->probes || asks_health) && !kg_headers_origin(req, true))
		return true;
	if (asks_health && strcmp(url, "/healthz") == 0)
		kg_http_reply_text(req, MHD_HTTP_OK, "ok\n");
	else if (asks_health)
		reply_ready(req);
	else if (!req->probes)
		return false;
	else if (strcmp(url, "/metrics") != 0)
		kg_http_reply_text(req, MHD_HTTP_NOT_FOUND, "not found\n");
	else if (reads)
		reply_metrics(req);
	else
	{
		kg_http_reply_text(req, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
		kg_http_header(req, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	}
	return true;
}
