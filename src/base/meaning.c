/*
 * meaning.c
 *	  Classification of the difference between two names.
 *
 * Edit distance ignores meaning: "unrelated" is two letters from "related", and
 * "min" is as near to "max". This file lists the words and prefixes that
 * reverse a name's meaning. All code that suggests names calls the functions of
 * this file.
 */
#include "postgres.h"

#include <ctype.h>

#include "base/edits.h"
#include "base/meaning.h"
#include "lib/stringinfo.h"

#define MAX_WORDS 16
/*
 * Minimum length of a word in which a typing error is assumed. A shorter word
 * may be a different word: note, node.
 */
#define LONG_WORD 6
/*
 * Minimum length of a word in which a typing error is assumed, for names of
 * arguments. It is lower than LONG_WORD, because a tool has few arguments.
 */
#define SHORT_WORD 4

/* The meaning that a word adds to a name. */
typedef enum Sense
{
	SENSE_NOT = 1 << 0,
	SENSE_MISSING = 1 << 1,
	SENSE_DISTINCT = 1 << 2,
	SENSE_LEAST = 1 << 3,
	SENSE_MOST = 1 << 4,
	SENSE_LESS = 1 << 5,
	SENSE_MORE = 1 << 6,
	SENSE_BEGIN = 1 << 7,
	SENSE_END = 1 << 8,
	SENSE_IN = 1 << 9,
	SENSE_OUT = 1 << 10,
	SENSE_UP = 1 << 11,
	SENSE_DOWN = 1 << 12,
	SENSE_SIGN = 1 << 13,
	SENSE_SUM = 1 << 14,
	SENSE_COUNT = 1 << 15,
	SENSE_MEAN = 1 << 16
} Sense;

static const struct
{
	const char *word;
	Sense sense;
} senses[] = {
	{"not", SENSE_NOT},
	/* Misspelled forms of "not". */
	{"nt", SENSE_NOT},
	{"ot", SENSE_NOT},
	{"nto", SENSE_NOT},
	{"nott", SENSE_NOT},
	{"no", SENSE_NOT},
	{"non", SENSE_NOT},
	{"none", SENSE_NOT},
	{"nor", SENSE_NOT},
	{"never", SENSE_NOT},
	{"ne", SENSE_NOT},
	{"neq", SENSE_NOT},
	{"without", SENSE_NOT},
	{"except", SENSE_NOT},
	{"exclude", SENSE_NOT},
	{"excludes", SENSE_NOT},
	{"excluded", SENSE_NOT},
	{"excluding", SENSE_NOT},
	{"exclusive", SENSE_NOT},
	{"omit", SENSE_NOT},
	{"ignore", SENSE_NOT},
	{"unless", SENSE_NOT},
	{"null", SENSE_MISSING},
	{"missing", SENSE_MISSING},
	{"empty", SENSE_MISSING},
	{"absent", SENSE_MISSING},
	{"distinct", SENSE_DISTINCT},
	{"unique", SENSE_DISTINCT},
	{"min", SENSE_LEAST},
	{"minimum", SENSE_LEAST},
	{"least", SENSE_LEAST},
	{"lowest", SENSE_LEAST},
	{"max", SENSE_MOST},
	{"maximum", SENSE_MOST},
	{"most", SENSE_MOST},
	{"highest", SENSE_MOST},
	{"lt", SENSE_LESS},
	{"lte", SENSE_LESS},
	{"le", SENSE_LESS},
	{"less", SENSE_LESS},
	{"before", SENSE_LESS},
	{"below", SENSE_LESS},
	{"under", SENSE_LESS},
	{"until", SENSE_LESS},
	{"gt", SENSE_MORE},
	{"gte", SENSE_MORE},
	{"ge", SENSE_MORE},
	{"greater", SENSE_MORE},
	{"after", SENSE_MORE},
	{"above", SENSE_MORE},
	{"over", SENSE_MORE},
	{"since", SENSE_MORE},
	{"from", SENSE_BEGIN},
	{"start", SENSE_BEGIN},
	{"source", SENSE_BEGIN},
	{"begin", SENSE_BEGIN},
	{"first", SENSE_BEGIN},
	{"starts", SENSE_BEGIN},
	{"to", SENSE_END},
	{"end", SENSE_END},
	{"target", SENSE_END},
	{"last", SENSE_END},
	{"ends", SENSE_END},
	{"in", SENSE_IN},
	{"incoming", SENSE_IN},
	{"inbound", SENSE_IN},
	{"out", SENSE_OUT},
	{"outgoing", SENSE_OUT},
	{"outbound", SENSE_OUT},
	{"asc", SENSE_UP},
	{"ascending", SENSE_UP},
	{"up", SENSE_UP},
	{"desc", SENSE_DOWN},
	{"descending", SENSE_DOWN},
	{"down", SENSE_DOWN},
	{"sum", SENSE_SUM},
	{"count", SENSE_COUNT},
	{"avg", SENSE_MEAN},
	{"mean", SENSE_MEAN},
};

/*
 * Prefixes that reverse the meaning of a word, each with the prefix of the
 * opposite word.
 */
static const struct
{
	const char *prefix;
	const char *opposite; /* "": the word without a prefix */
	bool given;			  /* applies to the given name only */
} prefixes[] = {
	{"un", "", false},		  {"in", "", false},
	{"im", "", false},		  {"ir", "", false},
	{"il", "", false},		  {"dis", "", false},
	{"non", "", false},		  {"not", "", false},
	{"no", "", false},		  {"de", "", false},
	{"anti", "", false},	  {"ex", "", false},
	{"n", "", true},		  {"in", "ex", false},
	{"in", "out", false},	  {"min", "max", false},
	{"up", "down", false},	  {"pre", "post", false},
	{"over", "under", false}, {"before", "after", false},
	{"start", "end", false},  {"lower", "upper", false},
};

typedef struct Words
{
	int n;
	bool cut; /* the name has more words than MAX_WORDS */
	char *words[MAX_WORDS];
} Words;

/*
 * Splits a name into words in lower case: orderBy, order-by and "order by" are
 * order, by.
 */
static void
split(const char *name, Words *words)
{
	char *at = palloc(2 * strlen(name) + 1);
	bool open = false;
	bool lower = false;

	words->n = 0;
	words->cut = false;
	for (const char *p = name; *p != '\0'; p++)
	{
		unsigned char c = *p;
		bool upper = c >= 'A' && c <= 'Z';

		if (c < 0x80 && !isalnum(c))
		{
			open = lower = false;
			continue;
		}
		if (!open || (upper && lower))
		{
			words->cut = words->n == MAX_WORDS;
			if (words->cut)
				break;
			if (words->n > 0)
				*at++ = '\0';
			words->words[words->n++] = at;
		}
		*at++ = upper ? c - 'A' + 'a' : c;
		open = true;
		lower = !upper;
	}
	*at = '\0';
}

static int
sense_of(const char *word)
{
	for (int i = 0; i < lengthof(senses); i++)
		if (strcmp(word, senses[i].word) == 0)
			return senses[i].sense;
	return 0;
}

static int
senses_of(const char *name, const Words *words)
{
	int result = 0;
	int len = strlen(name);

	for (int i = 0; i < words->n; i++)
		result |= sense_of(words->words[i]);
	if (len > 0 && (strchr("!<>=~^-", name[0]) != NULL ||
					strchr("!<>=~", name[len - 1]) != NULL))
		result |= SENSE_SIGN;
	return result;
}

static int
distance(const char *a, const char *b)
{
	KgChars *texts = palloc(2 * sizeof(KgChars));
	int result = KG_EDITS_LENGTH;

	if (kg_chars_set(&texts[0], a) && kg_chars_set(&texts[1], b))
		result = kg_edits(&texts[0], &texts[1], KG_EDITS_LENGTH);
	pfree(texts);
	return result;
}

/*
 * Returns true if replacing the prefix of "word" by the opposite prefix makes
 * it "other", as "unrelated" becomes "related". Typing errors are ignored.
 */
static bool
is_turned(const char *word, const char *other, const char *prefix,
		  const char *opposite)
{
	int len = strlen(prefix);
	int errors;

	if (strncmp(word, prefix, len) != 0 || strlen(word + len) < 2 ||
		/* A doubled first letter is a typing error, not a prefix. */
		(len == 1 && word[1] == prefix[0]))
		return false;
	errors = distance(psprintf("%s%s", opposite, word + len), other);
	return errors <= (int) strlen(other) / 4 && errors < distance(word, other);
}

/*
 * Returns true if replacing the prefix of a word of "name" by the opposite
 * prefix makes it a word of "other".
 */
static bool
has_turned(const Words *name, const Words *other, const char *prefix,
		   const char *opposite)
{
	for (int i = 0; i < name->n; i++)
	{
		/*
		 * A word with a sense of its own is skipped: "until" is not a negation
		 * of "til".
		 */
		if (sense_of(name->words[i]) != 0)
			continue;
		for (int j = 0; j < other->n; j++)
			if (is_turned(name->words[i], other->words[j], prefix, opposite))
				return true;
	}
	return false;
}

/*
 * Returns true if "other" has the word "not" and "name" does not have it. A
 * long word may have a typing error, or may follow "not" without a separator.
 */
static bool
lacks_not(const Words *name, const Words *other)
{
	for (int i = 0; i < other->n; i++)
	{
		const char *word = other->words[i];
		int len = strlen(word);
		bool found = false;

		if (sense_of(word) != SENSE_NOT)
			continue;
		for (int j = 0; j < name->n && !found; j++)
			found = sense_of(name->words[j]) == SENSE_NOT ||
					(len >= LONG_WORD &&
					 (strncmp(name->words[j], word, len) == 0 ||
					  distance(name->words[j], word) <= 1));
		if (!found)
			return true;
	}
	return false;
}

bool
kg_is_opposed(const char *given, const char *other)
{
	Words a;
	Words b;
	int of_given;
	int of_other;

	split(given, &a);
	split(other, &b);
	of_given = senses_of(given, &a);
	of_other = senses_of(other, &b);
	if ((of_given & ~of_other) != 0 || lacks_not(&a, &b))
		return true;
	for (int i = 0; i < lengthof(prefixes); i++)
	{
		const char *prefix = prefixes[i].prefix;
		const char *opposite = prefixes[i].opposite;

		if (has_turned(&a, &b, prefix, opposite))
			return true;
		if (!prefixes[i].given && has_turned(&b, &a, prefix, opposite))
			return true;
	}
	return false;
}

/* Returns a word without its plural ending. */
static char *
singular(const char *word)
{
	int len = strlen(word);

	if (len > 4 && strcmp(word + len - 3, "ies") == 0)
		return psprintf("%.*sy", len - 3, word);
	if (len > 3 && word[len - 1] == 's' && word[len - 2] != 's')
		return pnstrdup(word, len - 1);
	return pstrdup(word);
}

/* Returns all words of the name as one text, without separators. */
static char *
joined(const Words *words)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < words->n; i++)
		appendStringInfoString(&text, words->words[i]);
	return text.data;
}

/* Returns whether a name continues on both sides of one of its characters. */
static bool
is_within_name(const char *name, const char *p)
{
	return p > name && p[1] != '\0' &&
		   (isalnum((unsigned char) p[-1]) || (unsigned char) p[-1] >= 0x80) &&
		   (isalnum((unsigned char) p[1]) || (unsigned char) p[1] >= 0x80);
}

/*
 * Returns the next character from p on that cannot be left out of a name, such
 * as an operator or a point.
 */
static const char *
next_sign(const char *name, const char *p)
{
	for (; *p != '\0'; p++)
	{
		unsigned char c = *p;

		if (c >= 0x80 || isalnum(c) || c == '_' || isspace(c) ||
			(c == '-' && is_within_name(name, p)))
			continue;
		break;
	}
	return p;
}

/*
 * Returns whether "other" has all signs of "given", such as operators and
 * points.
 */
static bool
has_signs_of(const char *given, const char *other)
{
	const char *a = next_sign(given, given);
	const char *b = next_sign(other, other);

	while (*a != '\0' && *b != '\0')
	{
		if (*a == *b)
			a = next_sign(given, a + 1);
		b = next_sign(other, b + 1);
	}
	return *a == '\0';
}

static bool
has_same_digits(const char *a, const char *b)
{
	for (;; a++, b++)
	{
		while (*a != '\0' && !isdigit((unsigned char) *a))
			a++;
		while (*b != '\0' && !isdigit((unsigned char) *b))
			b++;
		if (*a != *b)
			return false;
		if (*a == '\0')
			return true;
	}
}

/* Returns whether the word says that the tool changes something. */
static bool
is_verb_of_change(const char *word)
{
	static const char *const verbs[] = {"create",
										"insert",
										"add",
										"put",
										"set",
										"update",
										"upsert",
										"edit",
										"delete",
										"deleted",
										"undelete",
										"remove",
										"removed",
										"drop",
										"restore",
										"revert",
										"undo",
										"link",
										"unlink"};

	for (int i = 0; i < lengthof(verbs); i++)
		if (strcmp(word, verbs[i]) == 0)
			return true;
	return false;
}

/*
 * Returns 0 if the words are the same, 1 if they differ by a typing error, and
 * 2 if they are different words.
 */
static int
errors_in_word(const char *given, const char *other, size_t least)
{
	const char *a = singular(given);
	const char *b = singular(other);

	if (strcmp(a, b) == 0)
		return 0;
	if (is_verb_of_change(given) || is_verb_of_change(other))
		return 2;
	if (strlen(a) < least || strlen(b) < least || a[0] != b[0] ||
		distance(a, b) > 1)
		return 2;
	return 1;
}

bool
kg_keeps_signs(const char *given, const char *other)
{
	return has_signs_of(given, other) && !kg_is_opposed(given, other);
}

/*
 * Returns whether "other" is a respelling of "given". A typing error is
 * accepted only in a word of at least "least" letters.
 */
static bool
is_respelling(const char *given, const char *other, size_t least)
{
	Words a;
	Words b;
	int errors = 0;

	split(given, &a);
	split(other, &b);
	if (a.n == 0 || b.n == 0 || a.cut || b.cut ||
		!kg_keeps_signs(given, other) || !has_same_digits(given, other))
		return false;
	if (strcmp(singular(joined(&a)), singular(joined(&b))) == 0)
		return true;
	if (a.n != b.n)
		return false;
	for (int i = 0; i < a.n; i++)
		errors += errors_in_word(a.words[i], b.words[i], least);
	return errors <= 1;
}

bool
kg_is_respelling(const char *given, const char *other)
{
	return is_respelling(given, other, LONG_WORD);
}

bool
kg_is_respelled_argument(const char *given, const char *other)
{
	return is_respelling(given, other, SHORT_WORD);
}

bool
kg_is_change(const char *name)
{
	Words words;

	split(name, &words);
	for (int i = 0; i < words.n; i++)
		if (is_verb_of_change(words.words[i]))
			return true;
	return false;
}
