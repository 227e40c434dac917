/*
 * explorer.c
 *	  The page of kgctl serve --explorer: one HTML file, read when the server
 *	  starts. The path of the endpoint, and the page's OAuth client with the
 *	  origins of its authorization servers, are inserted into it. The page
 *	  uses MCP at the endpoint like any client, so this file makes no
 *	  decisions about access.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kgctl/files.h"
#include "kgctl/http/http.h"
#include "kgctl/log.h"

/*
 * Texts in the HTML file. To the first, the policy for connections, the origins
 * of the authorization servers are added. The second is replaced by the
 * endpoint's path, relative to the page.
 */
static const char connect_mark[] = "connect-src 'self'";
static const char endpoint_mark[] = "\"kg-endpoint\" content=\"mcp\"";

static const char *
file_name(void)
{
	const char *name = getenv("KGCTL_EXPLORER");

	return name != NULL && *name != '\0' ? name : KG_EXPLORER_FILE;
}

static void
add_escaped(KgBuf *out, const char *text)
{
	for (; *text; text++)
		if (*text == '&' || *text == '"' || *text == '<')
			kg_buf_printf(out, "&#%d;", *text);
		else
			kg_buf_putc(out, *text);
}

/*
 * Adds the origins of the authorization servers. Prints an error and returns
 * false in two cases: a URL has no scheme, or its origin has a character that
 * could end the directive.
 */
static bool
add_origins(KgBuf *out, const KgArgs *args)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
							   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:/-[]";
	const char *url;

	for (size_t i = 0; (url = kg_args_nth(args, "auth-server", i)) != NULL; i++)
	{
		size_t n = kg_oauth_origin(url);

		if (strstr(url, "://") == NULL || strspn(url, safe) < n)
		{
			kg_error("--auth-server must be a URL, not \"%s\"", url);
			return false;
		}
		kg_buf_putc(out, ' ');
		kg_buf_add(out, url, n);
	}
	return true;
}

/* Adds the page of a file. Returns false if it prints an error. */
static bool
add_page(KgBuf *out, const KgHttpOptions *options, const char *name,
		 const char *page)
{
	const char *client = kg_args_get(options->args, "explorer-client");
	const char *connect = strstr(page, connect_mark);
	const char *endpoint = connect ? strstr(connect, endpoint_mark) : NULL;

	if (endpoint == NULL)
	{
		kg_error("%s is not the page for --explorer", name);
		return false;
	}
	connect += strlen(connect_mark);
	kg_buf_add(out, page, (size_t) (connect - page));
	if (client != NULL && !add_origins(out, options->args))
		return false;
	kg_buf_add(out, connect, (size_t) (endpoint - connect));
	kg_buf_puts(out, "\"kg-endpoint\" content=\".");
	add_escaped(out, options->path);
	kg_buf_puts(out,
				options->require_token ? "\" data-token=\"required\"" : "\"");
	if (client != NULL)
	{
		kg_buf_puts(out, " data-client=\"");
		add_escaped(out, client);
		kg_buf_putc(out, '"');
	}
	kg_buf_puts(out, endpoint + strlen(endpoint_mark));
	return true;
}

bool
kg_explorer_load(KgHttp *http)
{
	const char *name = file_name();
	KgBuf file;
	bool ok;

	if (access(name, R_OK) != 0)
	{
		kg_error("%s: %s", name, strerror(errno));
		kg_error("the page of --explorer is not installed: \"make explorer\" "
				 "builds it where Node.js is, and \"make install\" installs "
				 "it; KGCTL_EXPLORER names another file");
		return false;
	}
	kg_buf_init(&file);
	kg_buf_init(&http->explorer);
	ok = kg_read_file(name, &file) &&
		 add_page(&http->explorer, &http->options, name, file.data);
	if (!ok)
		kg_buf_free(&http->explorer);
	kg_buf_free(&file);
	return ok;
}

bool
kg_explorer_route(KgctlRequest *req, const char *url, const char *method)
{
	const KgBuf *page = &req->http->explorer;

	if (page->len > 0 && strcmp(url, KG_EXPLORER_PATH "/") == 0)
	{
		/*
		 * The URL of the page must not end in a slash, because the page finds
		 * the endpoint by a path relative to its URL.
		 */
		kg_http_reply_text(req, MHD_HTTP_PERMANENT_REDIRECT, "moved\n");
		kg_http_header(req, MHD_HTTP_HEADER_LOCATION, ".." KG_EXPLORER_PATH);
		return true;
	}
	if (page->len == 0 || strcmp(url, KG_EXPLORER_PATH) != 0)
		return false;
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
	{
		kg_http_reply_text(req, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
		kg_http_header(req, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
		return true;
	}
	kg_http_respond(req,
					MHD_HTTP_OK,
					"text/html; charset=utf-8",
					MHD_create_response_from_buffer(page->len,
													(void *) page->data,
													MHD_RESPMEM_PERSISTENT));
	/*
	 * The HTML file contains the other directives of the policy, with the
	 * hashes of its script.
	 */
	kg_http_header(req,
				   "Content-Security-Policy",
				   "frame-ancestors 'none'; base-uri 'none'; form-action "
				   "'none'");
	kg_http_header(req, "Referrer-Policy", "no-referrer");
	kg_http_header(req, "Cross-Origin-Opener-Policy", "same-origin");
	return true;
}
