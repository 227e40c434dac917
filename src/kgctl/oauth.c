/*
 * oauth.c
 *	  The gateway as an OAuth protected resource: its metadata (RFC 9728), and
 *	  the challenge in refusals (RFC 6750). The database decides whether a
 *	  token is valid.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/http/http.h"

static bool
is_configured(const KgHttp *http)
{
	return kg_args_has(http->options.args, "auth-server");
}

/*
 * Returns the values of an option as an array, or NULL if the option is not
 * given.
 */
static json_t *
list_of(const KgArgs *args, const char *option)
{
	json_t *list = NULL;
	const char *value;

	for (size_t i = 0; (value = kg_args_nth(args, option, i)) != NULL; i++)
	{
		if (list == NULL)
			list = json_array();
		json_array_append_new(list, json_string(value));
	}
	return list;
}

void
kg_oauth_metadata(KgctlRequest *req)
{
	const KgHttpOptions *options = &req->http->options;
	KgBuf out;

	if (!is_configured(req->http))
	{
		kg_http_reply(req, MHD_HTTP_NOT_FOUND, "text/plain", "not found\n", 10);
		return;
	}
	kg_buf_init(&out);
	kg_json_write_made(&out,
					   json_pack("{s:s, s:o, s:o*, s:[s]}",
								 "resource",
								 options->resource,
								 "authorization_servers",
								 list_of(options->args, "auth-server"),
								 "scopes_supported",
								 list_of(options->args, "scope"),
								 "bearer_methods_supported",
								 "header"));
	kg_http_reply(req, MHD_HTTP_OK, "application/json", out.data, out.len);
	kg_buf_free(&out);
}

size_t
kg_oauth_origin(const char *url)
{
	const char *host = strstr(url, "://");
	const char *path = host ? strchr(host + 3, '/') : NULL;

	return path ? (size_t) (path - url) : strlen(url);
}

/*
 * Appends the URL of the metadata, which is made from the resource's origin and
 * path.
 */
static void
add_metadata_url(KgBuf *out, const char *resource)
{
	size_t n = kg_oauth_origin(resource);

	kg_buf_add(out, resource, n);
	kg_buf_puts(out, KG_OAUTH_PATH);
	kg_buf_puts(out, resource + n);
}

void
kg_oauth_challenge(KgctlRequest *req, const char *error)
{
	const KgHttpOptions *options = &req->http->options;
	const char *scope;
	const char *comma = " ";
	KgBuf out;
	size_t i;

	kg_buf_init(&out);
	kg_buf_puts(&out, "Bearer");
	if (error != NULL)
	{
		kg_buf_printf(&out, " error=\"%s\"", error);
		comma = ", ";
	}
	if (is_configured(req->http))
	{
		kg_buf_printf(&out, "%sresource_metadata=\"", comma);
		add_metadata_url(&out, options->resource);
		kg_buf_putc(&out, '"');
		comma = ", ";
	}
	for (i = 0; (scope = kg_args_nth(options->args, "scope", i)) != NULL; i++)
		kg_buf_printf(&out, "%s%s", i ? " " : comma, i ? "" : "scope=\""),
			kg_buf_puts(&out, scope);
	if (i > 0)
		kg_buf_putc(&out, '"');
	kg_http_header(req, MHD_HTTP_HEADER_WWW_AUTHENTICATE, out.data);
	kg_buf_free(&out);
}
