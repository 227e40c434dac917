/*
 * term.c
 *	  Folding of names, tokens and trigrams.
 */
#include "postgres.h"

#include "base/edits.h"
#include "catalog/pg_collation.h"
#include "model/term.h"
#include "common/unicode_norm.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/formatting.h"

bool
kg_in_ranges(pg_wchar c, const KgCodeRange *ranges, int n)
{
	int low = 0;

	while (n > low)
	{
		int middle = (low + n) / 2;

		if (c > ranges[middle].last)
			low = middle + 1;
		else if (c < ranges[middle].first)
			n = middle;
		else
			return true;
	}
	return false;
}

/*
 * Letters that do not decompose into a letter and a mark, but are usually typed
 * as other letters. The last entries are lower-case letters that case folding
 * changes (final sigma).
 */
static const struct
{
	pg_wchar letter;
	const char *typed;
} typed_as[] = {
	{0xc6, "ae"},
	{0xd0, "d"},
	{0xd8, "o"},
	{0xde, "th"},
	{0xdf, "ss"},
	{0xe6, "ae"},
	{0xf0, "d"},
	{0xf8, "o"},
	{0xfe, "th"},
	{0x110, "d"},
	{0x111, "d"},
	{0x126, "h"},
	{0x127, "h"},
	{0x131, "i"},
	{0x141, "l"},
	{0x142, "l"},
	{0x14a, "n"},
	{0x14b, "n"},
	{0x152, "oe"},
	{0x153, "oe"},
	{0x166, "t"},
	{0x167, "t"},
	{0x1e9e, "ss"},
	{0x2bc, "'"},
	{0x2010, "-"},
	{0x2011, "-"},
	{0x2012, "-"},
	{0x2013, "-"},
	{0x2014, "-"},
	{0x2018, "'"},
	{0x2019, "'"},
	{0x3c2, "\xcf\x83"},
	{0x1c80, "\xd0\xb2"},
	{0x1c81, "\xd0\xb4"},
	{0x1c82, "\xd0\xbe"},
	{0x1c83, "\xd1\x81"},
	{0x1c84, "\xd1\x82"},
	{0x1c85, "\xd1\x82"},
	{0x1c86, "\xd1\x8a"},
	{0x1c87, "\xd1\xa3"},
	{0x1c88, "\xea\x99\x8b"},
};

/*
 * Marks that may be omitted in writing, and that folding removes: those with
 * canonical combining class (Unicode 14) 1, 10 to 36 or at least 200. These are
 * accents, Hebrew points, and Arabic and Syriac vowels. The signs of Indic
 * scripts, Thai, Lao and Tibetan, and the voicing marks of Kana are not among
 * them. Stored terms depend on the list, so the list must not change with the
 * server's release.
 */
static const KgCodeRange marks[] = {
	{0x300, 0x36f},		{0x483, 0x487},		{0x591, 0x5bd},
	{0x5bf, 0x5bf},		{0x5c1, 0x5c2},		{0x5c4, 0x5c5},
	{0x5c7, 0x5c7},		{0x610, 0x61a},		{0x64b, 0x65f},
	{0x670, 0x670},		{0x6d6, 0x6dc},		{0x6df, 0x6e4},
	{0x6e7, 0x6e8},		{0x6ea, 0x6ed},		{0x711, 0x711},
	{0x730, 0x74a},		{0x7eb, 0x7f3},		{0x7fd, 0x7fd},
	{0x816, 0x819},		{0x81b, 0x823},		{0x825, 0x827},
	{0x829, 0x82d},		{0x859, 0x85b},		{0x898, 0x89f},
	{0x8ca, 0x8e1},		{0x8e3, 0x8ff},		{0x951, 0x954},
	{0x9fe, 0x9fe},		{0xf18, 0xf19},		{0xf35, 0xf35},
	{0xf37, 0xf37},		{0xf39, 0xf39},		{0xf82, 0xf83},
	{0xf86, 0xf87},		{0xfc6, 0xfc6},		{0x108d, 0x108d},
	{0x135d, 0x135f},	{0x17dd, 0x17dd},	{0x18a9, 0x18a9},
	{0x1939, 0x193b},	{0x1a17, 0x1a18},	{0x1a75, 0x1a7f},
	{0x1ab0, 0x1abd},	{0x1abf, 0x1ace},	{0x1b6b, 0x1b73},
	{0x1cd0, 0x1cd2},	{0x1cd4, 0x1ce0},	{0x1ce2, 0x1ce8},
	{0x1ced, 0x1ced},	{0x1cf4, 0x1cf4},	{0x1cf8, 0x1cf9},
	{0x1dc0, 0x1dff},	{0x20d0, 0x20dc},	{0x20e1, 0x20e1},
	{0x20e5, 0x20f0},	{0x2cef, 0x2cf1},	{0x2de0, 0x2dff},
	{0x302a, 0x302f},	{0xa66f, 0xa66f},	{0xa674, 0xa67d},
	{0xa69e, 0xa69f},	{0xa6f0, 0xa6f1},	{0xa8e0, 0xa8f1},
	{0xa92b, 0xa92d},	{0xaab0, 0xaab0},	{0xaab2, 0xaab4},
	{0xaab7, 0xaab8},	{0xaabe, 0xaabf},	{0xaac1, 0xaac1},
	{0xfb1e, 0xfb1e},	{0xfe20, 0xfe2f},	{0x101fd, 0x101fd},
	{0x102e0, 0x102e0}, {0x10376, 0x1037a}, {0x10a0d, 0x10a0d},
	{0x10a0f, 0x10a0f}, {0x10a38, 0x10a3a}, {0x10ae5, 0x10ae6},
	{0x10d24, 0x10d27}, {0x10eab, 0x10eac}, {0x10f46, 0x10f50},
	{0x10f82, 0x10f85}, {0x11100, 0x11102}, {0x11366, 0x11374},
	{0x1145e, 0x1145e}, {0x16af0, 0x16af4}, {0x16b30, 0x16b36},
	{0x1bc9e, 0x1bc9e}, {0x1d165, 0x1d169}, {0x1d16d, 0x1d172},
	{0x1d17b, 0x1d182}, {0x1d185, 0x1d18b}, {0x1d1aa, 0x1d1ad},
	{0x1d242, 0x1d244}, {0x1e000, 0x1e02a}, {0x1e130, 0x1e136},
	{0x1e2ae, 0x1e2ae}, {0x1e2ec, 0x1e2ef}, {0x1e8d0, 0x1e8d6},
	{0x1e944, 0x1e949}};

static bool
is_mark(pg_wchar c)
{
	return c >= marks[0].first && kg_in_ranges(c, marks, lengthof(marks));
}

/*
 * Returns whether a letter is Cyrillic short i or io. They are separate
 * letters, whose marks are never omitted.
 */
static bool
is_letter_with_mark(pg_wchar c)
{
	return c == 0x419 || c == 0x439 || c == 0x401 || c == 0x451;
}

/*
 * Returns a letter without the marks above or below it. Returns other
 * characters unchanged.
 */
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
 * Returns the text with its case folded as by lower() with the database's
 * collation. In locales that fold only ASCII (C), other letters remain
 * unchanged, in stored terms and in searches alike.
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

/*
 * Returns true for letters and digits. Any character above ASCII counts as a
 * letter.
 */
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
	/*
	 * Each token needs at least one character and one separator, which limits
	 * their number.
	 */
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

/* A list of distinct texts, which become rows. */
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

/* Adds to the list a text that consists of the prefix and n characters. */
static void
add_chars(KgTermRows *rows, const char *prefix, const pg_wchar *chars, int n)
{
	int len = strlen(prefix);
	char *text = palloc(len + n * MAX_MULTIBYTE_CHAR_LEN + 1);

	memcpy(text, prefix, len);
	(void) pg_wchar2mb_with_len(chars, text + len, n);
	add_text(rows, text);
}

/*
 * Adds the three characters from each position on. At the end of the text, adds
 * shorter suffixes of at least "least" characters.
 */
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

/*
 * Returns the number of typing errors that a search tolerates in a text of
 * this length.
 */
static int
edits_of(int characters)
{
	return characters < 2 ? 0 : characters < 6 ? 1 : 2;
}

/*
 * Returns the start of a piece of a text that is cut into pieces. The first
 * piece has number 0.
 */
static int
piece_start(int characters, int piece)
{
	int pieces = edits_of(characters) + 1;
	/*
	 * Pieces have equal length, but the last pieces may be one character
	 * longer.
	 */
	int longer = characters % pieces;

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
 * Adds the positions at which a piece is searched, following Pass-Join (Li,
 * Deng, Wang, Feng: PVLDB 5, 2011). It is sufficient to find the first piece
 * that no edit changes. Each piece before this piece has an edit, and the
 * remaining edits are after it. This limits the number of positions by which
 * the piece is shifted.
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
