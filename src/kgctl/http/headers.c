/*
 * http/headers.c
 *	  Checks of a request's headers before the database is called: the origin,
 *	  the content type, and the agreement of headers with the message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "kgctl/db.h"

#include "kgctl/http/http.h"

/* Set if a header occurs twice that may occur once. */
#define AMBIGUOUS (1u << 31)

typedef struct Accepted
{
	const char *type;
	bool found;
} Accepted;

static enum MHD_Result
look_for_type(void *cls, enum MHD_ValueKind kind, const char *key,
			  const char *value)
{
	Accepted *wanted = cls;
	size_t n = strlen(wanted->type);

	if (strcasecmp(key, MHD_HTTP_HEADER_ACCEPT) != 0)
		return MHD_YES;
	while (value != NULL && *value != '\0' && !wanted->found)
	{
		value += strspn(value, " \t,");
		wanted->found = (strncasecmp(value, wanted->type, n) == 0 &&
						 strchr(" \t,;", value[n]) != NULL) ||
						strncmp(value, "*/*", 3) == 0;
		value += strcspn(value, ",");
	}
	return wanted->found ? MHD_NO : MHD_YES;
}

/*
 * Returns whether an Accept header permits a media type, literally or by a
 * wildcard. The list of types may be split into several headers.
 */
bool
kg_headers_accept(KgctlRequest *req, const char *type)
{
	Accepted wanted = {type, false};

	MHD_get_connection_values(
		req->mhd, MHD_HEADER_KIND, look_for_type, &wanted);
	return wanted.found;
}

/*
 * Returns the length of the host in an authority: "host", "host:port" or
 * "[v6]:port".
 */
static size_t
host_length(const char *authority)
{
	const char *end;

	if (authority[0] == '[' && (end = strchr(authority, ']')) != NULL)
		return (size_t) (end - authority) + 1;
	return strcspn(authority, ":/");
}

static bool
is_local(const char *authority)
{
	static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
	size_t n = host_length(authority);
	const char *port = authority + n;

	if (*port == ':' && strspn(port + 1, "0123456789") == strlen(port + 1))
		port += strlen(port);
	if (*port != '\0')
		return false;
	for (size_t i = 0; i < 3; i++)
		if (strlen(names[i]) == n && strncasecmp(authority, names[i], n) == 0)
			return true;
	return false;
}

/*
 * Returns whether an authority is a local host, or is permitted by a value of
 * the option.
 */
static bool
host_allowed(const char *host, const KgArgs *args, const char *option)
{
	const char *allowed;

	if (is_local(host))
		return true;
	for (size_t i = 0; (allowed = kg_args_nth(args, option, i)) != NULL; i++)
	{
		/* An entry without a port permits all ports. */
		if (strcmp(allowed, "*") == 0 || strcasecmp(allowed, host) == 0)
			return true;
		if (host_length(allowed) == strlen(allowed) &&
			host_length(host) == strlen(allowed) &&
			strncasecmp(allowed, host, strlen(allowed)) == 0)
			return true;
	}
	return false;
}

/*
 * Returns the authority of a URL without a default port. Returns "" if the URL
 * has no authority.
 */
static const char *
authority_of(const char *url, size_t *len)
{
	static const struct
	{
		const char *scheme;
		const char *port;
	} known[] = {{"http", ":80"}, {"https", ":443"}};
	const char *colon = strstr(url, "://");
	const char *authority;

	*len = 0;
	if (colon == NULL)
		return "";
	authority = colon + 3;
	*len = strcspn(authority, "/?#");
	for (size_t i = 0; i < 2; i++)
	{
		size_t n = strlen(known[i].port);

		if (strlen(known[i].scheme) == (size_t) (colon - url) &&
			strncasecmp(url, known[i].scheme, strlen(known[i].scheme)) == 0 &&
			*len > n && memcmp(authority + *len - n, known[i].port, n) == 0)
			*len -= n;
	}
	return authority;
}

/*
 * Returns whether text is the authority of --resource. If with_scheme is set,
 * compares text with the origin of --resource instead.
 */
static bool
is_own(const KgctlRequest *req, const char *text, bool with_scheme)
{
	const char *resource = req->http->options.resource;
	const char *own;
	size_t n;

	if (resource == NULL)
		return false;
	own = authority_of(resource, &n);
	if (n == 0)
		return false;
	if (with_scheme)
	{
		n += (size_t) (own - resource);
		own = resource;
	}
	return strlen(text) == n && strncasecmp(text, own, n) == 0;
}

static bool
origin_allowed(const KgctlRequest *req, const char *origin)
{
	const KgArgs *args = req->http->options.args;
	const char *allowed;
	const char *host = NULL;

	if (strncasecmp(origin, "http://", 7) == 0)
		host = origin + 7;
	else if (strncasecmp(origin, "https://", 8) == 0)
		host = origin + 8;
	if ((host != NULL && is_local(host)) || is_own(req, origin, true))
		return true;
	for (size_t i = 0; (allowed = kg_args_nth(args, "allow-origin", i)) != NULL;
		 i++)
		if (strcmp(allowed, "*") == 0 || strcasecmp(allowed, origin) == 0)
			return true;
	return false;
}

/*
 * Returns whether a Host header is an IP address. DNS rebinding needs a name,
 * so an address is safe.
 */
static bool
is_address(const char *host)
{
	size_t n = host_length(host);

	return host[0] == '[' || (n > 0 && strspn(host, "0123456789.") == n);
}

/*
 * Prevents DNS rebinding: checks Host always, and Origin if the request has it.
 * A monitoring request may use the server's address as Host, or omit Host. If a
 * check fails, prepares the refusal and returns false.
 */
bool
kg_headers_origin(KgctlRequest *req, bool is_probe)
{
	const char *host = kg_header(req, MHD_HTTP_HEADER_HOST);
	const char *origin = kg_header(req, MHD_HTTP_HEADER_ORIGIN);
	bool ok = host == NULL
				  ? is_probe
				  : host_allowed(host, req->http->options.args, "allow-host") ||
						is_own(req, host, false) ||
						(is_probe && is_address(host));

	if (ok && (origin == NULL || origin_allowed(req, origin)))
		return true;
	return kg_http_refuse(req,
						  MHD_HTTP_FORBIDDEN,
						  ok ? "this Origin is not allowed"
							 : "this Host is not allowed");
}

static bool
library_is_lenient(void)
{
	return MHD_get_version()[0] == '0';
}

/* The position in the header lines of a request. */
typedef struct Lines
{
	uintptr_t end; /* address after the last byte of the previous header */
	bool ok;
} Lines;

/*
 * Returns whether the bytes are line ends, at most "most" bytes. libmicrohttpd
 * replaces a line end by zeros, up to two for each line.
 */
static bool
is_line_end(uintptr_t from, uintptr_t to, size_t most)
{
	static const char zeros[4];

	return to > from && to - from <= most &&
		   memcmp((const char *) from, zeros, to - from) == 0;
}

static bool
is_token(const char *s)
{
	static const char more[] = "!#$%&'*+-.^_`|~";
	const char *p;

	for (p = s; *p != '\0'; p++)
		if (!((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') ||
			  (*p >= 'A' && *p <= 'Z') || strchr(more, *p) != NULL))
			return false;
	return p > s;
}

static bool
is_field_value(const char *s)
{
	for (; *s != '\0'; s++)
		if (((unsigned char) *s < ' ' && *s != '\t') || *s == 0x7F)
			return false;
	return true;
}

static enum MHD_Result
check_line(void *cls, enum MHD_ValueKind kind, const char *key,
		   const char *value)
{
	Lines *lines = cls;

	lines->ok = value != NULL && is_token(key) && is_field_value(value) &&
				(!library_is_lenient() ||
				 is_line_end(lines->end, (uintptr_t) key, 2));
	if (lines->ok)
		lines->end = (uintptr_t) value + strlen(value);
	return lines->ok ? MHD_YES : MHD_NO;
}

/*
 * Checks that a proxy in front of the gateway has read the header lines as
 * libmicrohttpd has. Permits no space before a colon, no continued lines, no
 * control characters (RFC 9112, sections 5.1, 5.2 and 2.2; RFC 9110, section
 * 5.5), and no NUL in the target, because the path would end there. Before
 * release 1.0, libmicrohttpd joins continued lines and ends a line at a NUL.
 * But its pointers still refer to the received bytes, so omitted bytes appear
 * as a gap between two headers. If a check fails, prepares the refusal and
 * returns false.
 */
bool
kg_headers_wellformed(KgctlRequest *req, const char *method,
					  const char *version)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		req->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	Lines lines = {(uintptr_t) version + strlen(version),
				   !req->has_nul &&
					   (!library_is_lenient() ||
						is_line_end(req->target_end, (uintptr_t) version, 1))};

	if (lines.ok)
		MHD_get_connection_values(
			req->mhd, MHD_HEADER_KIND, check_line, &lines);
	if (lines.ok && library_is_lenient())
		lines.ok = info != NULL &&
				   is_line_end(
					   lines.end, (uintptr_t) method + info->header_size, 4);
	return lines.ok || kg_http_refuse(req,
									  MHD_HTTP_BAD_REQUEST,
									  "the headers are malformed");
}

static enum MHD_Result
count_header(void *cls, enum MHD_ValueKind kind, const char *key,
			 const char *value)
{
	static const char *const single[] = {MHD_HTTP_HEADER_AUTHORIZATION,
										 MHD_HTTP_HEADER_CONTENT_LENGTH,
										 MHD_HTTP_HEADER_CONTENT_TYPE,
										 MHD_HTTP_HEADER_HOST,
										 MHD_HTTP_HEADER_ORIGIN,
										 MHD_HTTP_HEADER_TRANSFER_ENCODING,
										 "MCP-Protocol-Version",
										 "Mcp-Method",
										 "Mcp-Name"};
	unsigned *seen = cls;

	for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++)
		if (strcasecmp(key, single[i]) == 0)
		{
			if ((*seen & 1u << i) != 0)
				*seen |= AMBIGUOUS;
			*seen |= 1u << i;
		}
	return MHD_YES;
}

/*
 * Checks that a proxy in front of the gateway has delimited the request as
 * libmicrohttpd has. Refuses a repeated header that may occur once, two lengths
 * of a body, and a body with an unknown end (RFC 9112, 6.1). If a check fails,
 * prepares the refusal and returns false.
 */
bool
kg_headers_single(KgctlRequest *req)
{
	const char *coding = kg_header(req, MHD_HTTP_HEADER_TRANSFER_ENCODING);
	unsigned seen = 0;

	MHD_get_connection_values(req->mhd, MHD_HEADER_KIND, count_header, &seen);
	if (coding && kg_header(req, MHD_HTTP_HEADER_CONTENT_LENGTH) != NULL)
		seen |= AMBIGUOUS;
	if ((seen & AMBIGUOUS) != 0)
		return kg_http_refuse(req,
							  MHD_HTTP_BAD_REQUEST,
							  "a header is repeated that may occur once, or "
							  "the length of the body is given twice");
	return coding == NULL || strcasecmp(coding, "chunked") == 0 ||
		   kg_http_refuse(req,
						  MHD_HTTP_NOT_IMPLEMENTED,
						  "send Transfer-Encoding: chunked, or Content-Length");
}

bool
kg_headers_content(KgctlRequest *req)
{
	const char *type = kg_header(req, MHD_HTTP_HEADER_CONTENT_TYPE);
	const char *encoding = kg_header(req, MHD_HTTP_HEADER_CONTENT_ENCODING);
	size_t n = type ? strcspn(type, "; \t") : 0;

	if (n == 16 && strncasecmp(type, "application/json", 16) == 0 &&
		(encoding == NULL || strcasecmp(encoding, "identity") == 0))
		return true;
	return kg_http_refuse(req,
						  MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
						  "Content-Type must be application/json, and the body "
						  "must not be encoded");
}

static bool
refuse_token(KgctlRequest *req, unsigned status, const char *error,
			 const char *text)
{
	kg_http_reply_error(req, status, (int) status, text);
	kg_oauth_challenge(req, error);
	return false;
}

/*
 * Sets *token to the bearer token, or to NULL if the request has no token and
 * needs none. If it needs a token, prepares the refusal and returns false.
 */
bool
kg_headers_token(KgctlRequest *req, const char **token)
{
	const char *value = kg_header(req, MHD_HTTP_HEADER_AUTHORIZATION);
	const char *p;

	*token = NULL;
	if (value == NULL && !req->http->options.require_token)
		return true;
	if (value == NULL || strncasecmp(value, "Bearer", 6) != 0 ||
		(value[6] != ' ' && value[6] != '\0'))
		return refuse_token(
			req, MHD_HTTP_UNAUTHORIZED, NULL, "a bearer token is required");
	value += 6;
	value += strspn(value, " ");
	for (p = value; *p > ' ' && *p <= '~'; p++)
		;
	if (*p != '\0' || p == value)
		return refuse_token(
			req, MHD_HTTP_BAD_REQUEST, "invalid_request", "not a bearer token");
	if (p - value > KG_MAX_TOKEN)
		return refuse_token(
			req, MHD_HTTP_UNAUTHORIZED, "invalid_token", "not a bearer token");
	*token = value;
	return true;
}

static int
base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : -1;
}

static bool
decode_base64(const char *s, size_t len, KgBuf *out)
{
	if (len % 4 != 0)
		return false;
	for (size_t i = 0; i < len; i += 4)
	{
		int pad = i + 4 == len ? (s[i + 3] == '=') + (s[i + 2] == '=') : 0;
		uint32_t word = 0;

		for (int k = 0; k < 4; k++)
		{
			int digit = k >= 4 - pad ? 0 : base64_digit(s[i + k]);

			if (digit < 0)
				return false;
			word = word << 6 | (uint32_t) digit;
		}
		/*
		 * Bits of the last base64 digit that are not part of a byte must be
		 * zero.
		 */
		if ((pad == 2 && (s[i + 3] != '=' || (word & 0xFFFF) != 0)) ||
			(pad == 1 && (s[i + 3] != '=' || (word & 0xFF) != 0)))
			return false;
		for (int k = 0; k < 3 - pad; k++)
			kg_buf_putc(out, (char) (word >> (16 - 8 * k)));
	}
	return true;
}

/*
 * Decodes a header value, which may have the form =?base64?...?=, into out.
 * Returns false if the value is malformed.
 */
static bool
decode_header(const char *value, KgBuf *out)
{
	size_t len = strlen(value);

	while (len > 0 && strchr(" \t", value[len - 1]) != NULL)
		len--;
	while (len > 0 && strchr(" \t", *value) != NULL)
	{
		value++;
		len--;
	}
	out->len = 0;
	kg_buf_add(out, "", 0);
	if (len >= 11 && memcmp(value, "=?base64?", 9) == 0 &&
		memcmp(value + len - 2, "?=", 2) == 0)
		return decode_base64(value + 9, len - 11, out);
	kg_buf_add(out, value, len);
	return true;
}

/* Returns whether the decoded value of a header equals text. */
static bool
header_is(KgctlRequest *req, const char *name, const char *text)
{
	const char *value = kg_header(req, name);
	KgBuf decoded;
	bool same;

	if (value == NULL)
		return false;
	kg_buf_init(&decoded);
	same = decode_header(value, &decoded) && decoded.len == strlen(text) &&
		   memcmp(decoded.data, text, decoded.len) == 0;
	kg_buf_free(&decoded);
	return same;
}

static enum MHD_Result
check_param(void *cls, enum MHD_ValueKind kind, const char *key,
			const char *value)
{
	bool *ok = cls;
	KgBuf decoded;

	if (strncasecmp(key, "Mcp-Param-", 10) != 0)
		return MHD_YES;
	kg_buf_init(&decoded);
	if (value == NULL || !decode_header(value, &decoded))
		*ok = false;
	kg_buf_free(&decoded);
	return *ok ? MHD_YES : MHD_NO;
}

/*
 * Returns a description of the fault in the headers of a modern request, or
 * NULL.
 */
static const char *
wrong_header(KgctlRequest *req, const KgMessage *msg, const char *version)
{
	const char *name = kg_message_name(msg);
	bool params_ok = true;

	if (version == NULL)
		return "the header MCP-Protocol-Version is missing";
	if (msg->revision != NULL && strcmp(version, msg->revision) != 0)
		return "the header MCP-Protocol-Version differs from params._meta";
	if (!header_is(req, "Mcp-Method", msg->method))
		return "the header Mcp-Method is missing or differs from the method";
	if (name != NULL && !header_is(req, "Mcp-Name", name))
		return "the header Mcp-Name is missing or differs from params";
	MHD_get_connection_values(
		req->mhd, MHD_HEADER_KIND, check_param, &params_ok);
	return params_ok ? NULL : "a header Mcp-Param-* cannot be decoded";
}

static bool
refuse(KgctlRequest *req, int code, const char *text)
{
	kg_http_reply_error(req, MHD_HTTP_BAD_REQUEST, code, text);
	return false;
}

/*
 * Determines whether the message uses the modern or the legacy protocol. Sets
 * *legacy_revision to the revision of a legacy client, or to NULL. The header
 * and _meta must agree, and a batch needs a revision that has batches.
 * Otherwise prepares the refusal and returns false.
 */
bool
kg_headers_protocol(KgctlRequest *req, KgMessage *msg,
					const char **legacy_revision)
{
	const char *version = kg_header(req, "MCP-Protocol-Version");

	*legacy_revision = NULL;
	req->modern = msg->modern || kg_revision_is_modern(version);
	if (req->modern && msg->kind == KG_MSG_BATCH)
		return refuse(req, KG_RPC_REQUEST, "a batch is not allowed");
	if (req->modern && msg->kind == KG_MSG_REQUEST)
	{
		const char *wrong;

		if (!msg->modern)
			return refuse(req,
						  KG_RPC_PARAMS,
						  "params._meta lacks " KG_META "protocolVersion");
		wrong = wrong_header(req, msg, version);
		return wrong == NULL || refuse(req, KG_RPC_HEADER, wrong);
	}
	if (req->modern)
		return true;
	if (version != NULL && !kg_revision_is_legacy(version))
		return refuse(req,
					  KG_RPC_REQUEST,
					  "the header MCP-Protocol-Version names no supported "
					  "version");
	*legacy_revision = version ? version : KG_LEGACY_DEFAULT;
	if (msg->kind == KG_MSG_BATCH && !kg_revision_has_batches(*legacy_revision))
		return refuse(req, KG_RPC_REQUEST, "a batch is not allowed");
	return true;
}

#define SESSION_HEADER "Mcp-Session-Id"
#define SESSION_OF_APP "app-"
#define SESSION_OF_LAX "lax-"

void
kg_headers_agree(KgctlRequest *req, const KgAgreed *agreed)
{
	KgBuf id;

	kg_buf_init(&id);
	if (agreed->app)
		kg_buf_puts(&id, SESSION_OF_APP);
	if (agreed->lax)
		kg_buf_puts(&id, SESSION_OF_LAX);
	if (kg_buf_random(&id))
		kg_http_header(req, SESSION_HEADER, id.data);
	kg_buf_free(&id);
}

/* Skips a prefix. Returns false if the text does not begin with it. */
static bool
skip(const char **text, const char *prefix)
{
	size_t len = strlen(prefix);

	if (strncmp(*text, prefix, len) != 0)
		return false;
	*text += len;
	return true;
}

KgAgreed
kg_headers_agreed(KgctlRequest *req)
{
	const char *id = kg_header(req, SESSION_HEADER);
	KgAgreed agreed = {false, false};

	if (id == NULL)
		return agreed;
	agreed.app = skip(&id, SESSION_OF_APP);
	agreed.lax = skip(&id, SESSION_OF_LAX);
	return agreed;
}
