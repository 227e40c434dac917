/*
 * uri.c
 *	  URI references (RFC 3986), by liburiparser. The library allocates with
 *	  malloc(). No function that can raise an error may be called while an
 *	  object of the library exists.
 */
#include "postgres.h"

#include <uriparser/Uri.h>

#include "base/text.h"
#include "mb/pg_wchar.h"
#include "schema/uri.h"

/*
 * Maximum length of a URI in bytes. This limit also bounds the allocations of
 * liburiparser.
 */
#define KG_MAX_URI_BYTES 65536

static bool
parse(UriUriA *uri, const char *s, int len)
{
	const char *where;

	return uriParseSingleUriExA(uri, s, s + len, &where) == URI_SUCCESS;
}

bool
kg_uri_is_valid(const char *s, int len, bool relative)
{
	UriUriA uri;
	bool ok;

	if (len > KG_MAX_URI_BYTES || memchr(s, '\0', len) != NULL)
		return false;
	if (!parse(&uri, s, len))
		return false;
	ok = relative || uri.scheme.first != NULL;
	uriFreeUriMembersA(&uri);
	return ok;
}

/*
 * Returns whether a character is in the set ucschar of RFC 3987. The set
 * iprivate is permitted only in queries, so it is not included.
 */
static bool
is_ucschar(pg_wchar c)
{
	if (c < 0xA0 || c > 0xEFFFD)
		return false;
	if (c <= 0xFFFF)
		return c <= 0xD7FF || (c >= 0xF900 && c <= 0xFDCF) ||
			   (c >= 0xFDF0 && c <= 0xFFEF);
	return (c & 0xFFFF) <= 0xFFFD && (c < 0xE0000 || c >= 0xE1000);
}

static bool
is_iprivate(pg_wchar c)
{
	return (c >= 0xE000 && c <= 0xF8FF) || (c >= 0xF0000 && c <= 0xFFFFD) ||
		   (c >= 0x100000 && c <= 0x10FFFD);
}

/*
 * Returns true if the string is an IRI. Converts it to a URI as described in
 * RFC 3987, section 3.1: each character beyond ASCII becomes percent-encoded
 * bytes. Then validates the URI.
 */
bool
kg_iri_is_valid(const char *s, int len, bool relative)
{
	static const char hex[] = "0123456789ABCDEF";
	char *mapped;
	char *out;
	bool in_query = false;
	bool in_fragment = false;
	bool ok = true;
	int i = 0;

	if (len > KG_MAX_URI_BYTES)
		return false;
	mapped = palloc(len * 3 + 1);
	out = mapped;
	while (i < len && ok)
	{
		unsigned char c = s[i];
		pg_wchar wide;
		int n;

		if (c < 0x80)
		{
			if (c == '#')
				in_fragment = true;
			else if (c == '?')
				in_query = true;
			*out++ = c;
			i++;
			continue;
		}
		n = pg_utf_mblen((const unsigned char *) s + i);
		if (i + n > len)
		{
			ok = false;
			break;
		}
		wide = utf8_to_unicode((const unsigned char *) s + i);
		ok = is_ucschar(wide) ||
			 (in_query && !in_fragment && is_iprivate(wide));
		for (int j = 0; j < n; j++)
		{
			*out++ = '%';
			*out++ = hex[(unsigned char) s[i + j] >> 4];
			*out++ = hex[(unsigned char) s[i + j] & 15];
		}
		i += n;
	}
	ok = ok && kg_uri_is_valid(mapped, out - mapped, relative);
	pfree(mapped);
	return ok;
}

char *
kg_uri_resolve(const char *base, const char *ref)
{
	UriUriA base_uri;
	UriUriA ref_uri;
	UriUriA result;
	char *text = NULL;
	int chars = 0;
	bool ok;

	if (strlen(base) > KG_MAX_URI_BYTES || strlen(ref) > KG_MAX_URI_BYTES)
		return NULL;
	if (!parse(&ref_uri, ref, strlen(ref)))
		return NULL;
	if (ref_uri.scheme.first != NULL)
	{
		uriFreeUriMembersA(&ref_uri);
		return pstrdup(ref);
	}
	if (!parse(&base_uri, base, strlen(base)))
	{
		uriFreeUriMembersA(&ref_uri);
		return NULL;
	}
	ok = uriAddBaseUriA(&result, &ref_uri, &base_uri) == URI_SUCCESS;
	if (ok && uriToStringCharsRequiredA(&result, &chars) == URI_SUCCESS)
	{
		text = palloc_extended(chars + 1, MCXT_ALLOC_NO_OOM);
		if (text != NULL &&
			uriToStringA(text, &result, chars + 1, NULL) != URI_SUCCESS)
			text = NULL;
	}
	/*
	 * On failure, the library sets no members of the result, so freeing it is
	 * safe.
	 */
	uriFreeUriMembersA(&result);
	uriFreeUriMembersA(&ref_uri);
	uriFreeUriMembersA(&base_uri);
	return text;
}

char *
kg_uri_unescape(const char *s, int *len)
{
	char *copy = palloc(strlen(s) + 1);
	char *out = copy;

	while (*s)
	{
		if (*s == '%')
		{
			int high = kg_hex_digit(s[1]);
			int low = high < 0 ? -1 : kg_hex_digit(s[2]);

			if (low < 0 || (high == 0 && low == 0))
				return NULL;
			*out++ = (char) (high * 16 + low);
			s += 3;
		}
		else
			*out++ = *s++;
	}
	*out = '\0';
	*len = out - copy;
	return copy;
}
