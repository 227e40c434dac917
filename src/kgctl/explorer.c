/*
 * explorer.c
 *	  The page of kgctl serve --explorer: one HTML file, read when the server
 *	  starts. The path of the endpoint is inserted into it. The page uses MCP
 *	  at the endpoint like any client, so this file makes no decisions about
 *	  access.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kgctl/files.h"
#include "kgctl/http/http.h"
#include "kgctl/log.h"

/*
 * The text in the HTML file that is replaced by the endpoint's path, relative
 * to the page.
 */
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

bool
kg_explorer_load(KgHttp *http)
{
	const char *name = file_name();
	const char *mark;
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
	ok = kg_read_file(name, &file);
	mark = ok ? strstr(file.data, endpoint_mark) : NULL;
	if (mark != NULL)
	{
		kg_buf_init(&http->explorer);
		kg_buf_add(&http->explorer, file.data, (size_t) (mark - file.data));
		kg_buf_puts(&http->explorer, "\"kg-endpoint\" content=\".");
		add_escaped(&http->explorer, http->options.path);
		kg_buf_puts(&http->explorer,
					http->options.require_token ? "\" data-token=\"required\""
												: "\"");
		kg_buf_puts(&http->explorer, mark + strlen(endpoint_mark));
	}
	else if (ok)
		kg_error("%s is not the page for --explorer", name);
	kg_buf_free(&file);
	return mark != NULL;
}

bool
kg_explorer_route(KgctlRequest *req, const char *url, const char *method)
{
	const KgBuf *page = &req->http->explorer;

	if (page->len > 0 && strcmp(url, KG_EXPLORER_PATH "/") == 0)
	{
		/*
		 * The page needs a slash at its end, because it finds the endpoint by a
		 * relative path.
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
