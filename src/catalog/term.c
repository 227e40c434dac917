/*
 * term.c
 *	  Folding, tokens and trigrams.
 */
#include "postgres.h"

#include <wctype.h>

#include "catalog/pg_collation.h"
#include "catalog/term.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/formatting.h"

/*
 * str_tolower() under the database's collation is what lower() does; for the
 * locales where that folds ASCII only (C), other letters keep their case on
 * both sides of the comparison.
 */
char *
kg_term_fold(const char *text, int len)
{
	char *lower = str_tolower(text, len, DEFAULT_COLLATION_OID);
	char *out = palloc(strlen(lower) + 1);
	int n = 0;
	bool blank = false;

	for (const char *p = lower; *p; p++)
	{
		if (*p == ' ' || (*p >= '\t' && *p <= '\r'))
		{
			blank = n > 0;
			continue;
		}
		if (blank)
			out[n++] = ' ';
		blank = false;
		out[n++] = *p;
	}
	if (n > KG_MAX_TERM_BYTES)
		n = pg_mbcliplen(out, n, KG_MAX_TERM_BYTES);
	while (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
	pfree(lower);
	return out;
}

/* Letters and digits; every character past ASCII counts as a letter. */
static bool
is_word(const char *p)
{
	unsigned char c = (unsigned char) *p;

	return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		   (c >= 'A' && c <= 'Z');
}

static bool
seen(char **list, int n, const char *s)
{
	for (int i = 0; i < n; i++)
		if (strcmp(list[i], s) == 0)
			return true;
	return false;
}

int
kg_term_tokens(const char *folded, char ***tokens)
{
	/* A token takes a character and what parts it from the next. */
	char **list = palloc((strlen(folded) / 2 + 1) * sizeof(char *));
	int n = 0;
	const char *p = folded;

	while (*p)
	{
		const char *start;
		char *token;

		while (*p && !is_word(p))
			p++;
		start = p;
		while (*p && is_word(p))
			p++;
		if (p == start)
			break;
		token = pnstrdup(start, p - start);
		if (!seen(list, n, token))
			list[n++] = token;
	}
	*tokens = list;
	return n;
}

int
kg_term_trigrams(const char *token, char ***trigrams)
{
	char *padded = psprintf("  %s ", token);
	int len = strlen(padded);
	char **list = palloc(len * sizeof(char *));
	int n = 0;

	for (const char *p = padded; *p; p += pg_mblen(p))
	{
		const char *end = p;
		int characters;
		char *trigram;

		for (characters = 0; characters < 3 && *end; characters++)
			end += pg_mblen(end);
		if (characters < 3)
			break;
		trigram = pnstrdup(p, end - p);
		if (!seen(list, n, trigram))
			list[n++] = trigram;
	}
	*trigrams = list;
	return n;
}
