/*
 * json_untrusted.c
 *	  Parser of JSON text from unknown origin.
 *
 * jsonb_in() would quote the text in its errors, and raises errors for valid
 * JSON such as 1e400000.  The server's parser of json raises only errors of
 * nesting, which is checked before.  Its callbacks detect values that
 * jsonb_in() would refuse.
 */
#include "postgres.h"

#include "base/compat.h"
#include "base/json.h"
#include "base/json_untrusted.h"
#include "common/jsonapi.h"
#include "mb/pg_wchar.h"

/*
 * Limits of a number's digits and exponent. They are above any reasonable
 * number, and far within the range of numeric.
 */
#define KG_MAX_DIGITS 1000
#define KG_MAX_EXPONENT 1000
#define KG_MAX_NESTING 100

typedef struct Scan
{
	/* name of the member of the outermost object to return */
	const char *name;
	char *member;
	int depth;
	bool at_member;
	bool is_object;
	bool fits; /* jsonb can represent every number */
} Scan;

static KG_JSON_ACTION
begin_object(void *state)
{
	Scan *scan = state;

	if (scan->depth++ == 0)
		scan->is_object = true;
	scan->at_member = false;
	KG_JSON_ACTION_DONE;
}

static KG_JSON_ACTION
begin_array(void *state)
{
	Scan *scan = state;

	scan->depth++;
	scan->at_member = false;
	KG_JSON_ACTION_DONE;
}

static KG_JSON_ACTION
end_nested(void *state)
{
	Scan *scan = state;

	scan->depth--;
	KG_JSON_ACTION_DONE;
}

static KG_JSON_ACTION
begin_member(void *state, char *name, bool is_null)
{
	Scan *scan = state;

	scan->at_member = scan->depth == 1 && scan->name != NULL &&
					  strcmp(name, scan->name) == 0;
	/*
	 * jsonb retains the last of two members with one name, so the earlier
	 * member is discarded.
	 */
	if (scan->at_member)
		scan->member = NULL;
	KG_JSON_ACTION_DONE;
}

static bool
number_fits(const char *number)
{
	int digits = strspn(number, "-.0123456789");
	int64 exponent = 0;

	if (number[digits] != '\0')
	{
		errno = 0;
		exponent = strtol(number + digits + 1, NULL, 10);
		if (errno != 0)
			return false;
	}
	return digits <= KG_MAX_DIGITS && exponent <= KG_MAX_EXPONENT &&
		   exponent >= -KG_MAX_EXPONENT;
}

static KG_JSON_ACTION
see_scalar(void *state, char *token, JsonTokenType type)
{
	Scan *scan = state;

	if (type == JSON_TOKEN_NUMBER && !number_fits(token))
		scan->fits = false;
	if (scan->at_member &&
		(type == JSON_TOKEN_STRING || type == JSON_TOKEN_NUMBER))
		scan->member = token;
	scan->at_member = false;
	KG_JSON_ACTION_DONE;
}

/*
 * Returns true if the nesting is too deep for the recursive parser.  Skips
 * strings.
 */
static bool
nests_deep(const char *text, int len)
{
	int depth = 0;
	bool in_string = false;

	for (int i = 0; i < len; i++)
	{
		if (in_string && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			in_string = !in_string;
		else if (!in_string && (text[i] == '[' || text[i] == '{'))
		{
			if (++depth > KG_MAX_NESTING)
				return true;
		}
		else if (!in_string && (text[i] == ']' || text[i] == '}'))
			depth--;
	}
	return false;
}

/*
 * Scans the text and fills in *scan. Returns false if the text is not valid
 * JSON or its nesting is too deep. The lexer decodes escapes, so that the
 * escape of U+0000 is found, too.
 */
static bool
scan_text(const char *text, int len, Scan *scan)
{
	JsonLexContext *lex;
	JsonSemAction actions = {0};

	scan->fits = true;
	if (memchr(text, '\0', len) != NULL || nests_deep(text, len) ||
		pg_encoding_verifymbstr(PG_UTF8, text, len) != len)
		return false;
	actions.semstate = scan;
	actions.object_start = begin_object;
	actions.object_end = end_nested;
	actions.array_start = begin_array;
	actions.array_end = end_nested;
	actions.object_field_start = begin_member;
	actions.scalar = see_scalar;
	lex = kg_json_lexer(text, len, PG_UTF8);
	return pg_parse_json(lex, &actions) == JSON_SUCCESS;
}

Jsonb *
kg_json_parse_untrusted(const char *text, int len)
{
	Scan scan = {0};

	if (!scan_text(text, len, &scan) || !scan.fits)
		return NULL;
	return kg_json_parse(pnstrdup(text, len));
}

bool
kg_json_scan_untrusted(const char *text, int len, const char *name,
					   char **member)
{
	Scan scan = {.name = name};
	bool good = scan_text(text, len, &scan) && scan.is_object;

	*member = good ? scan.member : NULL;
	return good;
}
