/*
 * term.c
 *	  Folding, tokens and trigrams.
 */
#include "postgres.h"

#include "base/edits.h"
#include "catalog/pg_collation.h"
#include "catalog/term.h"
#include "common/unicode_norm.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/formatting.h"

/* Letters that are not a letter and a mark, but are typed as others. */
static const struct
{
	pg_wchar letter;
	const char *typed;
} typed_as[] = {
	{0xc6, "ae"},  {0xd0, "d"},	  {0xd8, "o"},	  {0xde, "th"},	 {0xdf, "ss"},
	{0xe6, "ae"},  {0xf0, "d"},	  {0xf8, "o"},	  {0xfe, "th"},	 {0x110, "d"},
	{0x111, "d"},  {0x126, "h"},  {0x127, "h"},	  {0x131, "i"},	 {0x141, "l"},
	{0x142, "l"},  {0x14a, "n"},  {0x14b, "n"},	  {0x152, "oe"}, {0x153, "oe"},
	{0x166, "t"},  {0x167, "t"},  {0x1e9e, "ss"}, {0x2bc, "'"},	 {0x2010, "-"},
	{0x2011, "-"}, {0x2012, "-"}, {0x2013, "-"},  {0x2014, "-"}, {0x2018, "'"},
	{0x2019, "'"},
};

static bool
is_mark(pg_wchar c)
{
	return c >= 0x300 && c <= 0x36f;
}

/* Cyrillic short i and io are letters of their own, which nobody types without. */
static bool
is_letter_with_mark(pg_wchar c)
{
	return c == 0x419 || c == 0x439 || c == 0x401 || c == 0x451;
}

/* A letter with marks above or below it, without them; others as they are. */
static pg_wchar
without_marks(pg_wchar c)
{
	pg_wchar one[2] = {c, 0};
	pg_wchar *parts;
	pg_wchar base;

	if (is_letter_with_mark(c))
		return c;
	parts = unicode_normalize(UNICODE_NFD, one);
	base = parts[0];
	for (int i = 1; parts[i] != 0; i++)
		if (!is_mark(parts[i]))
			base = c;
	pfree(parts);
	return base;
}

static void
append_folded(StringInfo out, pg_wchar c)
{
	char buf[MAX_MULTIBYTE_CHAR_LEN + 1];

	if (c >= 0x80)
	{
		if (is_mark(c))
			return;
		c = without_marks(c);
	}
	for (int i = 0; c >= 0x80 && i < lengthof(typed_as); i++)
		if (typed_as[i].letter == c)
		{
			appendStringInfoString(out, typed_as[i].typed);
			return;
		}
	if (c < 0x80)
		appendStringInfoChar(out, (char) pg_ascii_tolower((unsigned char) c));
	else
		appendBinaryStringInfo(out, buf, pg_wchar2mb_with_len(&c, buf, 1));
}

static bool
is_ascii(const char *text, int len)
{
	for (int i = 0; i < len; i++)
		if (IS_HIGHBIT_SET(text[i]))
			return false;
	return true;
}

/*
 * str_tolower() under the database's collation is what lower() does; for the
 * locales where that folds ASCII only (C), other letters keep their case on
 * both sides of the comparison.
 */
static char *
fold_letters(const char *text, int len)
{
	pg_wchar *given;
	pg_wchar *chars;
	char *compatible;
	char *lower;
	StringInfoData out;
	int n;

	if (is_ascii(text, len))
		return str_tolower(text, len, DEFAULT_COLLATION_OID);
	given = palloc((len + 1) * sizeof(pg_wchar));
	given[pg_mb2wchar_with_len(text, given, len)] = 0;
	chars = unicode_normalize(UNICODE_NFKC, given);
	for (n = 0; chars[n] != 0;)
		n++;
	compatible = palloc(n * MAX_MULTIBYTE_CHAR_LEN + 1);
	n = pg_wchar2mb_with_len(chars, compatible, n);
	lower = str_tolower(compatible, n, DEFAULT_COLLATION_OID);
	n = strlen(lower);
	given = palloc((n + 1) * sizeof(pg_wchar));
	n = pg_mb2wchar_with_len(lower, given, n);
	initStringInfo(&out);
	for (int i = 0; i < n; i++)
		append_folded(&out, given[i]);
	return out.data;
}

char *
kg_text_fold(const char *text, int len)
{
	char *letters = fold_letters(text, len);
	char *out = palloc(strlen(letters) + 1);
	int n = 0;
	bool blank = false;

	for (const char *p = letters; *p; p++)
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
	out[n] = '\0';
	pfree(letters);
	return out;
}

char *
kg_term_fold(const char *text, int len)
{
	char *out = kg_text_fold(text, len);
	int n = strlen(out);

	if (n > KG_MAX_TERM_BYTES)
		n = pg_mbcliplen(out, n, KG_MAX_TERM_BYTES);
	while (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
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

bool
kg_term_ends_word(const char *folded, int len)
{
	return !is_word(folded + len);
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
kg_term_signs(const char *folded, char ***signs)
{
	bool met[0x80] = {false};
	int n = 0;

	*signs = palloc(lengthof(met) * sizeof(char *));
	for (const char *p = folded; *p; p++)
	{
		if (is_word(p) || *p == ' ' || met[(int) *p])
			continue;
		met[(int) *p] = true;
		(*signs)[n++] = pnstrdup(p, 1);
	}
	return n;
}

/* A list of distinct texts. */
typedef struct KgTermRows
{
	int n;
	int size;
	char **rows;
} KgTermRows;

static void
add_text(KgTermRows *rows, char *text)
{
	if (seen(rows->rows, rows->n, text))
		return;
	if (rows->n == rows->size)
	{
		rows->size = Max(16, 2 * rows->size);
		rows->rows = rows->rows == NULL
						 ? palloc(rows->size * sizeof(char *))
						 : repalloc(rows->rows, rows->size * sizeof(char *));
	}
	rows->rows[rows->n++] = text;
}

/* A text of so many characters. */
static void
add_chars(KgTermRows *rows, const char *prefix, const pg_wchar *chars, int n)
{
	int len = strlen(prefix);
	char *text = palloc(len + n * MAX_MULTIBYTE_CHAR_LEN + 1);

	memcpy(text, prefix, len);
	(void) pg_wchar2mb_with_len(chars, text + len, n);
	add_text(rows, text);
}

/* The first three from each place on, or the last ones that there are. */
static void
add_trigrams(const KgChars *chars, int least, KgTermRows *rows)
{
	for (int i = 0; i + least <= chars->n; i++)
		add_chars(rows, "", chars->chars + i, Min(3, chars->n - i));
}

int
kg_term_trigrams(const char *token, char ***trigrams)
{
	KgTermRows rows = {0};
	KgChars chars;

	if (kg_chars_set(&chars, token))
		add_trigrams(&chars, 3, &rows);
	*trigrams = rows.rows;
	return rows.n;
}

/* How many typing errors a text of so many characters is found with. */
static int
edits_of(int characters)
{
	return characters < 2 ? 0 : characters < 6 ? 1 : 2;
}

/* Where a piece of a text of so many characters begins; the first is 0. */
static int
piece_start(int characters, int piece)
{
	int pieces = edits_of(characters) + 1;
	int longer = characters % pieces; /* the last ones, by a character */

	return piece * (characters / pieces) + Max(0, piece - (pieces - longer));
}

static char *
piece_prefix(int characters, int piece)
{
	return psprintf(":%d:%d:", characters, piece);
}

static bool
is_token(const char *term)
{
	while (*term && is_word(term))
		term++;
	return *term == '\0';
}

int
kg_term_rows(const char *term, char ***result)
{
	KgTermRows rows = {0};
	KgChars chars;

	*result = NULL;
	if (!kg_chars_set(&chars, term) || chars.n < 2)
		return 0;
	if (is_token(term))
		add_trigrams(&chars, 1, &rows);
	for (int i = 0; i <= edits_of(chars.n); i++)
	{
		int start = piece_start(chars.n, i);

		add_chars(&rows,
				  piece_prefix(chars.n, i),
				  chars.chars + start,
				  piece_start(chars.n, i + 1) - start);
	}
	*result = rows.rows;
	return rows.n;
}

/*
 * The places that are tried for a piece, after Pass-Join (Li, Deng, Wang, Feng:
 * PVLDB 5, 2011): of the edits so many are to the left of the first piece that
 * is as it was, and the rest to its right.
 */
static void
add_probes(const KgChars *chars, int characters, int piece, KgTermRows *rows)
{
	int edits = edits_of(characters);
	int moved = chars->n - characters;
	int start = piece_start(characters, piece);
	int len = piece_start(characters, piece + 1) - start;
	int from = Max(start - piece, start + moved - (edits - piece));
	int to = Min(start + piece, start + moved + (edits - piece));
	char *prefix = piece_prefix(characters, piece);
	pg_wchar other[KG_EDITS_LENGTH];

	for (int at = Max(0, from); at <= to && at + len <= chars->n; at++)
	{
		add_chars(rows, prefix, chars->chars + at, len);
		memcpy(other, chars->chars + at, len * sizeof(pg_wchar));
		if (at + len < chars->n)
		{
			other[len - 1] = chars->chars[at + len];
			add_chars(rows, prefix, other, len);
			other[len - 1] = chars->chars[at + len - 1];
		}
		if (at > 0)
		{
			other[0] = chars->chars[at - 1];
			add_chars(rows, prefix, other, len);
		}
	}
}

int
kg_term_probes(const char *text, char ***probes)
{
	KgTermRows rows = {0};
	KgChars chars;

	*probes = NULL;
	if (!kg_chars_set(&chars, text) || chars.n < 2)
		return 0;
	for (int n = Max(2, chars.n - 2); n <= chars.n + 2; n++)
		for (int i = 0; i <= edits_of(n); i++)
			if (abs(n - chars.n) <= edits_of(n))
				add_probes(&chars, n, i, &rows);
	*probes = rows.rows;
	return rows.n;
}
