/*
 * format_uri.c
 *	  Formats of URIs, IRIs, URI templates (RFC 6570) and JSON Pointers (RFC
 *	  6901).
 */
#include "postgres.h"

#include "base/text.h"
#include "mb/pg_wchar.h"
#include "schema/format.h"
#include "schema/uri.h"

bool
kg_format_uri(const char *s, uint32 len)
{
	return kg_uri_is_valid(s, len, false);
}

bool
kg_format_uri_reference(const char *s, uint32 len)
{
	return kg_uri_is_valid(s, len, true);
}

bool
kg_format_iri(const char *s, uint32 len)
{
	return kg_iri_is_valid(s, len, false);
}

bool
kg_format_iri_reference(const char *s, uint32 len)
{
	return kg_iri_is_valid(s, len, true);
}

bool
kg_format_json_pointer(const char *s, uint32 len)
{
	if (len == 0)
		return true;
	if (s[0] != '/')
		return false;
	for (uint32 i = 0; i < len; i++)
	{
		if (s[i] == '~' &&
			(i + 1 >= len || (s[i + 1] != '0' && s[i + 1] != '1')))
			return false;
	}
	return true;
}

bool
kg_format_relative_json_pointer(const char *s, uint32 len)
{
	uint32 i = 0;

	while (i < len && s[i] >= '0' && s[i] <= '9')
		i++;
	if (i == 0 || (s[0] == '0' && i > 1))
		return false;
	if (i == len || (s[i] == '#' && i + 1 == len))
		return true;
	return s[i] == '/' && kg_format_json_pointer(s + i, len - i);
}

static bool
is_escape(const char *s, const char *end)
{
	return end - s >= 3 && s[0] == '%' && kg_hex_digit(s[1]) >= 0 &&
		   kg_hex_digit(s[2]) >= 0;
}

/*
 * Reads a varspec of a URI template: a name, then optionally ":" and a length,
 * or "*". Returns the position after it, or NULL if it is invalid.
 */
static const char *
template_variable(const char *s, const char *end)
{
	bool after_dot = true;
	int digits = 0;

	for (;;)
	{
		char c = s < end ? *s : '\0';

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			(c >= '0' && c <= '9') || c == '_')
		{
			s++;
			after_dot = false;
		}
		else if (is_escape(s, end))
		{
			s += 3;
			after_dot = false;
		}
		else if (c == '.' && !after_dot)
		{
			s++;
			after_dot = true;
		}
		else
			break;
	}
	if (after_dot)
		return NULL;
	if (s < end && *s == '*')
		return s + 1;
	if (s < end && *s == ':')
	{
		s++;
		if (s >= end || *s < '1' || *s > '9')
			return NULL;
		while (s < end && *s >= '0' && *s <= '9' && ++digits <= 4)
			s++;
	}
	return s;
}

/*
 * Reads an expression of a URI template after its "{". Returns the position
 * after "}", or NULL if it is invalid.
 */
static const char *
template_expression(const char *s, const char *end)
{
	if (s < end && *s != '\0' && strchr("+#./;?&=,!@|", *s))
		s++;
	for (;;)
	{
		s = template_variable(s, end);
		if (s == NULL || s >= end)
			return NULL;
		if (*s == '}')
			return s + 1;
		if (*s++ != ',')
			return NULL;
	}
}

bool
kg_format_uri_template(const char *s, uint32 len)
{
	const char *end = s + len;

	while (s < end)
	{
		unsigned char c = *s;

		if (c == '{')
		{
			s = template_expression(s + 1, end);
			if (s == NULL)
				return false;
		}
		else if (c == '%')
		{
			if (!is_escape(s, end))
				return false;
			s += 3;
		}
		else if (c <= 32 || c == 127 || strchr("\"<>\\^`|}", c))
			return false;
		else
			s++;
	}
	return true;
}
