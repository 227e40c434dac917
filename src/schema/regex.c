/*
 * regex.c
 *	  Parser of ECMA-262 regular expressions with the u flag.
 *
 * The u flag forbids an escaped punctuation character, and a lone "]", "{" or
 * "}". They are accepted as in Annex B, because they occur in older schemas and
 * have only one meaning. A backslash before another letter (\a, \Z) is an
 * error, because dialects of regular expressions give it different meanings.
 */
#include "postgres.h"

#include "base/compat.h"
#include "base/text.h"
#include "miscadmin.h"
#include "schema/regex.h"

typedef struct Parser
{
	const char *start;
	const char *p;
	const char *end;
	const char *error;
	bool limit;		  /* the fault is that a limit was exceeded */
	int depth;		  /* number of open groups */
	int groups;		  /* number of capturing groups opened so far */
	int total_groups; /* number of capturing groups in the whole pattern */
	int nnames;
	char **names; /* names of named groups, in the order of their numbers */
	int *name_groups;
} Parser;

static KgRegex *parse_alternatives(Parser *ps);

static KgRegex *
node(KgRegexKind kind)
{
	KgRegex *re = palloc0(sizeof(KgRegex));

	re->kind = kind;
	return re;
}

static void *
fail(Parser *ps, const char *message)
{
	if (ps->error == NULL)
		ps->error = message;
	return NULL;
}

static bool
at(const Parser *ps, const char *s)
{
	size_t n = strlen(s);

	return ps->end - ps->p >= n && memcmp(ps->p, s, n) == 0;
}

static bool
accept(Parser *ps, const char *s)
{
	if (!at(ps, s))
		return false;
	ps->p += strlen(s);
	return true;
}

static pg_wchar
next_char(Parser *ps)
{
	int n = pg_utf_mblen((const unsigned char *) ps->p);
	pg_wchar c;

	if (n > ps->end - ps->p)
	{
		ps->p = ps->end;
		return 0;
	}
	c = utf8_to_unicode((const unsigned char *) ps->p);
	ps->p += n;
	return c;
}

/* ---- character sets ---- */

static void
add_range(KgCharSet *set, pg_wchar low, pg_wchar high)
{
	/* Character sets need no surrogates, because texts cannot contain them. */
	if (low > high)
		return;
	if (set->ranges == NULL)
		set->ranges = palloc(8 * sizeof(KgRegexRange));
	else if (set->nranges >= 8 && (set->nranges & (set->nranges - 1)) == 0)
		set->ranges = repalloc(set->ranges,
							   2 * set->nranges * sizeof(KgRegexRange));
	set->ranges[set->nranges].low = low;
	set->ranges[set->nranges++].high = high;
}

static int
compare_ranges(const void *a, const void *b)
{
	const KgRegexRange *ra = a;
	const KgRegexRange *rb = b;

	return (ra->low > rb->low) - (ra->low < rb->low);
}

static void
normalize(KgCharSet *set)
{
	int n = 0;

	if (set->nranges == 0)
		return;
	qsort(set->ranges, set->nranges, sizeof(KgRegexRange), compare_ranges);
	for (int i = 1; i < set->nranges; i++)
	{
		if (set->ranges[i].low <= set->ranges[n].high + 1)
			set->ranges[n].high = Max(set->ranges[n].high, set->ranges[i].high);
		else
			set->ranges[++n] = set->ranges[i];
	}
	set->nranges = n + 1;
}

static void
complement(KgCharSet *set)
{
	KgCharSet result = {0};
	pg_wchar next = 0;

	normalize(set);
	for (int i = 0; i < set->nranges; i++)
	{
		if (set->ranges[i].low > next)
			add_range(&result, next, set->ranges[i].low - 1);
		next = set->ranges[i].high + 1;
	}
	if (next <= KG_MAX_CODE_POINT)
		add_range(&result, next, KG_MAX_CODE_POINT);
	set->nranges = result.nranges;
	set->ranges = result.ranges;
}

static const KgRegexRange space_ranges[] = {{0x09, 0x0D},
											{0x20, 0x20},
											{0xA0, 0xA0},
											{0x1680, 0x1680},
											{0x2000, 0x200A},
											{0x2028, 0x2029},
											{0x202F, 0x202F},
											{0x205F, 0x205F},
											{0x3000, 0x3000},
											{0xFEFF, 0xFEFF}};
static const KgRegexRange digit_ranges[] = {{'0', '9'}};
static const KgRegexRange word_ranges[] = {
	{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
static const KgRegexRange newline_ranges[] = {
	{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};

static void
add_ranges(KgCharSet *set, const KgRegexRange *ranges, int n, bool negated)
{
	KgCharSet part = {0};

	for (int i = 0; i < n; i++)
		add_range(&part, ranges[i].low, ranges[i].high);
	if (negated)
		complement(&part);
	for (int i = 0; i < part.nranges; i++)
		add_range(set, part.ranges[i].low, part.ranges[i].high);
}

/*
 * Adds the set of an escape \d \D \s \S \w or \W. Returns false for any other
 * character.
 */
static bool
add_class_escape(KgCharSet *set, char c)
{
	switch (c)
	{
		case 'd':
		case 'D':
			add_ranges(set, digit_ranges, lengthof(digit_ranges), c == 'D');
			return true;
		case 's':
		case 'S':
			add_ranges(set, space_ranges, lengthof(space_ranges), c == 'S');
			return true;
		case 'w':
		case 'W':
			add_ranges(set, word_ranges, lengthof(word_ranges), c == 'W');
			return true;
		default:
			return false;
	}
}

/*
 * Long names of the general categories and the corresponding short names. PCRE2
 * supports only the short names.
 */
static const struct
{
	const char *name;
	const char *value;
} categories[] = {
	{"Letter", "L"},
	{"Cased_Letter", "L&"},
	{"LC", "L&"},
	{"Uppercase_Letter", "Lu"},
	{"Lowercase_Letter", "Ll"},
	{"Titlecase_Letter", "Lt"},
	{"Modifier_Letter", "Lm"},
	{"Other_Letter", "Lo"},
	{"Mark", "M"},
	{"Combining_Mark", "M"},
	{"Nonspacing_Mark", "Mn"},
	{"Spacing_Mark", "Mc"},
	{"Enclosing_Mark", "Me"},
	{"Number", "N"},
	{"Decimal_Number", "Nd"},
	{"digit", "Nd"},
	{"Letter_Number", "Nl"},
	{"Other_Number", "No"},
	{"Punctuation", "P"},
	{"punct", "P"},
	{"Connector_Punctuation", "Pc"},
	{"Dash_Punctuation", "Pd"},
	{"Open_Punctuation", "Ps"},
	{"Close_Punctuation", "Pe"},
	{"Initial_Punctuation", "Pi"},
	{"Final_Punctuation", "Pf"},
	{"Other_Punctuation", "Po"},
	{"Symbol", "S"},
	{"Math_Symbol", "Sm"},
	{"Currency_Symbol", "Sc"},
	{"Modifier_Symbol", "Sk"},
	{"Other_Symbol", "So"},
	{"Separator", "Z"},
	{"Space_Separator", "Zs"},
	{"Line_Separator", "Zl"},
	{"Paragraph_Separator", "Zp"},
	{"Other", "C"},
	{"Control", "Cc"},
	{"cntrl", "Cc"},
	{"Format", "Cf"},
	{"Surrogate", "Cs"},
	{"Private_Use", "Co"},
	{"Unassigned", "Cn"},
};

/*
 * Reads the name of a property after \p or \P, and adds the property to the
 * set. Returns false on a syntax error. Whether the property exists is checked
 * by PCRE2 later.
 */
static bool
add_property(Parser *ps, KgCharSet *set, bool negated)
{
	const char *close;
	const char *value;
	const char *equal;
	char *name;

	if (!accept(ps, "{") ||
		(close = memchr(ps->p, '}', ps->end - ps->p)) == NULL || close == ps->p)
		return fail(ps, "\\p needs a property in braces") != NULL;
	name = pnstrdup(ps->p, close - ps->p);
	ps->p = close + 1;
	for (int i = 0; name[i] != '\0'; i++)
	{
		char c = name[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			  (c >= '0' && c <= '9') || c == '_' || c == '='))
			return fail(ps,
						"the name of a property consists of letters, digits "
						"and _") != NULL;
	}
	value = name;
	equal = strchr(name, '=');
	if (equal != NULL)
	{
		if (strncmp(name, "General_Category=", 17) == 0 ||
			strncmp(name, "gc=", 3) == 0)
			value = equal + 1;
		else if (strncmp(name, "Script=", 7) == 0 ||
				 strncmp(name, "sc=", 3) == 0)
			value = psprintf("sc:%s", equal + 1);
		else if (strncmp(name, "Script_Extensions=", 18) == 0 ||
				 strncmp(name, "scx=", 4) == 0)
			value = psprintf("scx:%s", equal + 1);
		else
			return fail(ps, "the property is unknown") != NULL;
	}
	for (int i = 0; i < lengthof(categories); i++)
	{
		if (strcmp(value, categories[i].name) == 0)
			value = categories[i].value;
	}
	if (set->properties == NULL)
		set->properties = palloc(sizeof(char *));
	else
		set->properties = repalloc(set->properties,
								   (set->nproperties + 1) * sizeof(char *));
	set->properties[set->nproperties++] = psprintf(
		"\\%c{%s}", negated ? 'P' : 'p', value);
	return true;
}

static bool
hex_digits(Parser *ps, int n, pg_wchar *value)
{
	*value = 0;
	if (ps->end - ps->p < n)
		return false;
	for (int i = 0; i < n; i++)
	{
		int digit = kg_hex_digit(ps->p[i]);

		if (digit < 0)
			return false;
		*value = *value * 16 + digit;
	}
	ps->p += n;
	return true;
}

/* Reads the digits after \u and sets *c. Returns false on a syntax error. */
static bool
unicode_escape(Parser *ps, pg_wchar *c)
{
	const char *save;
	pg_wchar low;

	if (accept(ps, "{"))
	{
		*c = 0;
		save = ps->p;
		while (ps->p < ps->end && kg_hex_digit(*ps->p) >= 0)
		{
			*c = *c * 16 + kg_hex_digit(*ps->p++);
			if (*c > KG_MAX_CODE_POINT)
				return fail(ps, "\\u{} is beyond 10FFFF") != NULL;
		}
		if (ps->p == save || !accept(ps, "}"))
			return fail(ps, "\\u{} needs hexadecimal digits") != NULL;
		return true;
	}
	if (!hex_digits(ps, 4, c))
		return fail(ps, "\\u needs four hexadecimal digits") != NULL;
	if (*c >= 0xD800 && *c <= 0xDBFF)
	{
		save = ps->p;
		if (accept(ps, "\\u") && hex_digits(ps, 4, &low) && low >= 0xDC00 &&
			low <= 0xDFFF)
			*c = 0x10000 + ((*c - 0xD800) << 10) + (low - 0xDC00);
		else
			ps->p = save;
	}
	return true;
}

/*
 * Reads an escape that denotes one character, after the backslash, and sets *c.
 * Returns false on a syntax error.
 */
static bool
char_escape(Parser *ps, pg_wchar *c, bool in_class)
{
	char e;

	if (ps->p >= ps->end)
		return fail(ps, "the expression ends with a backslash") != NULL;
	e = *ps->p;
	if ((unsigned char) e >= 0x80)
		return fail(ps, "this character cannot be escaped") != NULL;
	ps->p++;
	switch (e)
	{
		case 't':
			*c = '\t';
			return true;
		case 'n':
			*c = '\n';
			return true;
		case 'v':
			*c = '\v';
			return true;
		case 'f':
			*c = '\f';
			return true;
		case 'r':
			*c = '\r';
			return true;
		case 'b':
			*c = '\b';
			return in_class ||
				   fail(ps, "\\b stands where a character is needed") != NULL;
		case 'c':
			if (ps->p < ps->end && ((*ps->p >= 'a' && *ps->p <= 'z') ||
									(*ps->p >= 'A' && *ps->p <= 'Z')))
			{
				*c = *ps->p++ & 31;
				return true;
			}
			return fail(ps, "\\c needs a letter") != NULL;
		case 'x':
			return hex_digits(ps, 2, c) ||
				   fail(ps, "\\x needs two hexadecimal digits") != NULL;
		case 'u':
			return unicode_escape(ps, c);
		case '0':
			*c = 0;
			if (ps->p < ps->end && *ps->p >= '0' && *ps->p <= '9')
				return fail(ps, "octal escapes are not supported") != NULL;
			return true;
		default:
			if ((e >= 'a' && e <= 'z') || (e >= 'A' && e <= 'Z') ||
				(e >= '1' && e <= '9') || e == '_')
			{
				ps->p--;
				return fail(ps, "this letter or digit cannot be escaped") !=
					   NULL;
			}
			*c = (unsigned char) e;
			return true;
	}
}

/*
 * Reads a member of a character class. If it is a character, sets *c and
 * returns true. If it is a set, adds the set and returns false.
 */
static bool
class_atom(Parser *ps, KgCharSet *set, pg_wchar *c)
{
	if (*ps->p != '\\')
	{
		*c = next_char(ps);
		return true;
	}
	ps->p++;
	if (ps->p < ps->end)
	{
		if (add_class_escape(set, *ps->p))
		{
			ps->p++;
			return false;
		}
		if (*ps->p == 'p' || *ps->p == 'P')
		{
			bool negated = *ps->p++ == 'P';

			add_property(ps, set, negated);
			return false;
		}
	}
	char_escape(ps, c, true);
	return true;
}

/*
 * Returns the tree of a character class, read after its "[". Returns NULL on a
 * syntax error.
 */
static KgRegex *
parse_class(Parser *ps)
{
	KgRegex *re = node(KG_RE_SET);
	KgCharSet *set = &re->set;

	set->negated = accept(ps, "^");
	for (;;)
	{
		pg_wchar low = 0;
		pg_wchar high = 0;

		if (ps->p >= ps->end)
			return fail(ps, "a class is not closed by ]");
		if (accept(ps, "]"))
			break;
		if (!class_atom(ps, set, &low))
		{
			if (ps->error)
				return NULL;
			/* A hyphen after a set is a literal character. */
			continue;
		}
		if (ps->error)
			return NULL;
		if (at(ps, "-") && ps->end - ps->p >= 2 && ps->p[1] != ']')
		{
			const char *hyphen = ps->p++;

			if (ps->p[0] == '\\' && ps->end - ps->p >= 2 &&
				strchr("dDsSwWpP", ps->p[1]) != NULL)
				ps->p = hyphen; /* no range: [a-\d] has three members */
			else
			{
				class_atom(ps, set, &high);
				if (ps->error)
					return NULL;
				if (low > high)
					return fail(ps, "a range of a class is out of order");
				add_range(set, low, high);
				continue;
			}
		}
		add_range(set, low, low);
	}
	if (set->negated && set->nproperties == 0)
	{
		complement(set);
		set->negated = false;
	}
	normalize(set);
	return re;
}

static KgRegex *
single(pg_wchar c)
{
	KgRegex *re = node(KG_RE_SET);

	add_range(&re->set, c, c);
	return re;
}

static bool
group_name(Parser *ps, const char **name, int *len)
{
	const char *start = ps->p;

	while (ps->p < ps->end && *ps->p != '>')
	{
		char c = *ps->p;

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
			  c == '$' || (unsigned char) c >= 0x80 ||
			  (c >= '0' && c <= '9' && ps->p > start)))
			return fail(ps, "the name of a group must be an identifier") !=
				   NULL;
		ps->p++;
	}
	*name = start;
	*len = ps->p - start;
	if (*len == 0 || !accept(ps, ">"))
		return fail(ps, "the name of a group must be between < and >") != NULL;
	return true;
}

/*
 * Counts the capturing groups and collects their names before parsing, because
 * a backreference may precede its group.
 */
static void
find_groups(Parser *ps)
{
	bool in_class = false;
	const char *p;

	for (p = ps->p; p < ps->end; p++)
	{
		if (*p == '\\')
			p++;
		else if (in_class)
			in_class = *p != ']';
		else if (*p == '[')
			in_class = true;
		else if (*p == '(')
		{
			bool named = ps->end - p >= 4 && p[1] == '?' && p[2] == '<' &&
						 p[3] != '=' && p[3] != '!';

			if (ps->end - p >= 2 && p[1] == '?' && !named)
				continue;
			ps->total_groups++;
			if (named)
			{
				const char *close = memchr(p, '>', ps->end - p);

				if (close == NULL)
					continue;
				ps->names = ps->names
								? repalloc(ps->names,
										   (ps->nnames + 1) * sizeof(char *))
								: palloc(sizeof(char *));
				ps->name_groups = ps->name_groups
									  ? repalloc(ps->name_groups,
												 (ps->nnames + 1) * sizeof(int))
									  : palloc(sizeof(int));
				ps->names[ps->nnames] = pnstrdup(p + 3, close - p - 3);
				ps->name_groups[ps->nnames++] = ps->total_groups;
			}
		}
	}
}

static KgRegex *
named_backref(Parser *ps)
{
	const char *name;
	KgRegex *re;
	int len;

	if (!accept(ps, "<"))
		return fail(ps, "\\k requires the name of a group");
	if (!group_name(ps, &name, &len))
		return NULL;
	for (int i = 0; i < ps->nnames; i++)
	{
		if (strlen(ps->names[i]) == len &&
			strncmp(ps->names[i], name, len) == 0)
		{
			re = node(KG_RE_BACKREF);
			re->group = ps->name_groups[i];
			return re;
		}
	}
	return fail(ps, "no group has this name");
}

/*
 * Returns the tree of an escape outside of a character class, read after the
 * backslash. Returns NULL on a syntax error.
 */
static KgRegex *
parse_escape(Parser *ps)
{
	KgRegex *re;
	pg_wchar c;

	if (ps->p >= ps->end)
		return fail(ps, "the expression ends with a backslash");
	if (*ps->p == 'b' || *ps->p == 'B')
	{
		re = node(KG_RE_BOUNDARY);
		re->negated = *ps->p++ == 'B';
		return re;
	}
	if (*ps->p == 'k')
	{
		ps->p++;
		return named_backref(ps);
	}
	if (*ps->p >= '1' && *ps->p <= '9')
	{
		int number = 0;

		while (ps->p < ps->end && *ps->p >= '0' && *ps->p <= '9' &&
			   number < 100000)
			number = number * 10 + (*ps->p++ - '0');
		if (number > ps->total_groups)
			return fail(ps, "no group has this number");
		re = node(KG_RE_BACKREF);
		re->group = number;
		return re;
	}
	re = node(KG_RE_SET);
	if (add_class_escape(&re->set, *ps->p))
	{
		ps->p++;
		normalize(&re->set);
		return re;
	}
	if (*ps->p == 'p' || *ps->p == 'P')
	{
		bool negated = *ps->p++ == 'P';

		return add_property(ps, &re->set, negated) ? re : NULL;
	}
	if (!char_escape(ps, &c, false))
		return NULL;
	return single(c);
}

/*
 * Returns the tree of a group, read after its "(". Returns NULL on a syntax
 * error.
 */
static KgRegex *
parse_group(Parser *ps)
{
	KgRegex *re;
	const char *name;
	int len;

	ps->limit = ++ps->depth > KG_MAX_GROUP_DEPTH;
	if (ps->limit)
		return fail(ps,
					"its groups are nested more than " CppAsString2(
						KG_MAX_GROUP_DEPTH) " deep");
	if (accept(ps, "?:"))
		re = NULL;
	else if (accept(ps, "?="))
		re = node(KG_RE_AHEAD);
	else if (accept(ps, "?!"))
	{
		re = node(KG_RE_AHEAD);
		re->negated = true;
	}
	else if (accept(ps, "?<="))
		re = node(KG_RE_BEHIND);
	else if (accept(ps, "?<!"))
	{
		re = node(KG_RE_BEHIND);
		re->negated = true;
	}
	else if (accept(ps, "?<"))
	{
		if (!group_name(ps, &name, &len))
			return NULL;
		re = node(KG_RE_GROUP);
		re->group = ++ps->groups;
	}
	else if (at(ps, "?"))
		return fail(ps, "this kind of group does not exist");
	else
	{
		re = node(KG_RE_GROUP);
		re->group = ++ps->groups;
	}
	if (re == NULL)
		re = parse_alternatives(ps);
	else
		re->left = parse_alternatives(ps);
	if (ps->error)
		return NULL;
	if (!accept(ps, ")"))
		return fail(ps, "a group is not closed by )");
	ps->depth--;
	return re;
}

/*
 * Parses a quantifier {n}, {n,} or {n,m}. If there is no such quantifier,
 * returns false and consumes nothing.
 */
static bool
parse_braces(Parser *ps, int *min, int *max)
{
	const char *save = ps->p;
	int *value = min;

	if (!accept(ps, "{"))
		return false;
	*min = *max = -1;
	for (int i = 0; i < 2; i++)
	{
		while (ps->p < ps->end && *ps->p >= '0' && *ps->p <= '9')
		{
			*value = Max(*value, 0) * 10 + (*ps->p++ - '0');
			*value = Min(*value, 1000000);
		}
		if (i == 0)
		{
			if (*min < 0)
				break;
			if (!accept(ps, ","))
			{
				*max = *min;
				break;
			}
			value = max;
		}
	}
	if (*min < 0 || !accept(ps, "}"))
	{
		ps->p = save;
		return false;
	}
	return true;
}

static KgRegex *
parse_quantifier(Parser *ps, KgRegex *atom)
{
	KgRegex *re;
	int min;
	int max;

	if (accept(ps, "*"))
		min = 0, max = -1;
	else if (accept(ps, "+"))
		min = 1, max = -1;
	else if (accept(ps, "?"))
		min = 0, max = 1;
	else if (!parse_braces(ps, &min, &max))
		return atom;
	if (atom->kind == KG_RE_START || atom->kind == KG_RE_END ||
		atom->kind == KG_RE_BOUNDARY || atom->kind == KG_RE_BEHIND)
		return fail(ps, "there is nothing to repeat");
	if (max >= 0 && min > max)
		return fail(ps, "the numbers of a repetition are out of order");
	re = node(KG_RE_REPEAT);
	re->left = atom;
	re->min = min;
	re->max = max;
	re->lazy = accept(ps, "?");
	if (at(ps, "*") || at(ps, "+") || at(ps, "?"))
		return fail(ps, "there is nothing to repeat");
	return re;
}

static KgRegex *
parse_term(Parser *ps)
{
	KgRegex *re;
	int min;
	int max;
	char c = *ps->p;

	switch (c)
	{
		case '^':
			ps->p++;
			re = node(KG_RE_START);
			break;
		case '$':
			ps->p++;
			re = node(KG_RE_END);
			break;
		case '(':
			ps->p++;
			re = parse_group(ps);
			break;
		case '[':
			ps->p++;
			re = parse_class(ps);
			break;
		case '\\':
			ps->p++;
			re = parse_escape(ps);
			break;
		case '.':
			ps->p++;
			re = node(KG_RE_SET);
			add_ranges(
				&re->set, newline_ranges, lengthof(newline_ranges), true);
			normalize(&re->set);
			break;
		case '*':
		case '+':
		case '?':
			return fail(ps, "there is nothing to repeat");
		case '{':
			if (parse_braces(ps, &min, &max))
				return fail(ps, "there is nothing to repeat");
			pg_fallthrough;
		default:
			re = single(next_char(ps));
			break;
	}
	if (re == NULL || ps->error)
		return NULL;
	return parse_quantifier(ps, re);
}

static KgRegex *
parse_sequence(Parser *ps)
{
	KgRegex *result = NULL;

	while (ps->p < ps->end && *ps->p != '|' && *ps->p != ')')
	{
		KgRegex *term = parse_term(ps);
		KgRegex *both;

		if (term == NULL)
			return NULL;
		if (result == NULL)
		{
			result = term;
			continue;
		}
		both = node(KG_RE_CONCAT);
		both->left = result;
		both->right = term;
		result = both;
	}
	return result ? result : node(KG_RE_EMPTY);
}

static KgRegex *
parse_alternatives(Parser *ps)
{
	KgRegex *result;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	result = parse_sequence(ps);
	while (result != NULL && accept(ps, "|"))
	{
		KgRegex *both = node(KG_RE_ALTERNATE);

		both->left = result;
		both->right = parse_sequence(ps);
		result = both->right ? both : NULL;
	}
	return result;
}

KgRegex *
kg_regex_parse(const char *pattern, int len, KgPatternFault *fault,
			   int *position)
{
	Parser ps = {0};
	KgRegex *result;

	ps.start = ps.p = pattern;
	ps.end = pattern + len;
	find_groups(&ps);
	result = parse_alternatives(&ps);
	if (ps.error == NULL && ps.p < ps.end)
		fail(&ps, "a ) has no matching (");
	fault->message = ps.error;
	fault->limit = ps.limit;
	*position = ps.p - ps.start;
	return ps.error ? NULL : result;
}
