/*
 * semver.c
 *	  Versions as defined by semver.org 2.0.0.
 *
 * The precedence is computed once, as bytes.  A number is the count of its
 * digits followed by the digits, so that 10 is after 9.  After the numbers, a
 * release has a byte above any prerelease.  Among a prerelease's identifiers
 * numbers are below words, and fewer identifiers are below more.
 */
#include "postgres.h"

#include "base/semver.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#define KG_END '\0'
#define KG_NUMBER '\1'
#define KG_WORD '\2'
#define KG_RELEASE '\3'

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_identifier(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		   c == '-';
}

/*
 * Reads digits without a leading zero. Appends to "out" one byte with the
 * number of digits, then the digits. Returns the end of the digits, or NULL if
 * there are no such digits.
 */
static const char *
read_number(const char *p, StringInfo out)
{
	int n = 0;

	while (is_digit(p[n]))
		n++;
	if (n == 0 || (n > 1 && p[0] == '0'))
		return NULL;
	appendStringInfoChar(out, (char) n);
	appendBinaryStringInfo(out, p, n);
	return p + n;
}

static const char *
read_core(const char *p, StringInfo out)
{
	for (int i = 0; i < 3; i++)
	{
		if (i > 0 && *p++ != '.')
			return NULL;
		p = read_number(p, out);
		if (p == NULL)
			return NULL;
	}
	return p;
}

/*
 * Reads identifiers separated by dots. If out is NULL, they are build metadata
 * and may be of any form. Returns the end of the identifiers, or NULL if they
 * are not valid.
 */
static const char *
read_identifiers(const char *p, StringInfo out)
{
	for (;; p++)
	{
		int n = 0;
		int digits = 0;

		while (is_identifier(p[n]))
			digits += is_digit(p[n++]);
		if (n == 0)
			return NULL;
		if (out != NULL && digits == n)
		{
			appendStringInfoChar(out, KG_NUMBER);
			if (read_number(p, out) == NULL)
				return NULL;
		}
		else if (out != NULL)
		{
			appendStringInfoChar(out, KG_WORD);
			appendBinaryStringInfo(out, p, n);
			appendStringInfoChar(out, KG_END);
		}
		p += n;
		if (*p != '.')
			return p;
	}
}

bool
kg_semver_read(const char *text, KgSemver *version)
{
	StringInfoData out;
	const char *p;

	if (strlen(text) > KG_MAX_VERSION)
		return false;
	initStringInfo(&out);
	p = read_core(text, &out);
	version->prerelease = p != NULL && *p == '-';
	if (version->prerelease)
		p = read_identifiers(p + 1, &out);
	appendStringInfoChar(&out, version->prerelease ? KG_END : KG_RELEASE);
	if (p != NULL && *p == '+')
		p = read_identifiers(p + 1, NULL);
	if (p == NULL || *p != '\0')
		return false;
	version->precedence = (bytea *) cstring_to_text_with_len(out.data, out.len);
	return true;
}
