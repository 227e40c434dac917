/*
 * regex_pcre.c
 *	  Conversion of an ECMA-262 regular expression to a PCRE2 pattern.
 *
 * All constructs are written explicitly (classes as ranges of \x{...}), so that
 * they have the same meaning in PCRE2.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "schema/regex.h"

static void
emit_char(StringInfo out, pg_wchar c)
{
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(c >= '0' && c <= '9') || c == '_' || c == ' ')
		appendStringInfoChar(out, (char) c);
	else
		appendStringInfo(out, "\\x{%x}", (unsigned int) c);
}

/* Writes a range of characters. Omits surrogates, which PCRE2 refuses. */
static void
emit_range(StringInfo out, pg_wchar low, pg_wchar high)
{
	if (low <= 0xDFFF && high >= 0xD800)
	{
		if (low < 0xD800)
			emit_range(out, low, 0xD7FF);
		if (high > 0xDFFF)
			emit_range(out, 0xE000, high);
		return;
	}
	emit_char(out, low);
	if (high > low)
	{
		appendStringInfoChar(out, '-');
		emit_char(out, high);
	}
}

static void
emit_set(StringInfo out, const KgCharSet *set)
{
	StringInfoData members;

	initStringInfo(&members);
	for (int i = 0; i < set->nranges; i++)
		emit_range(&members, set->ranges[i].low, set->ranges[i].high);
	for (int i = 0; i < set->nproperties; i++)
		appendStringInfoString(&members, set->properties[i]);
	if (members.len == 0)
		appendStringInfoString(out, set->negated ? "(?s:.)" : "(?!)");
	else if (set->nranges == 1 && set->nproperties == 0 && !set->negated &&
			 set->ranges[0].low == set->ranges[0].high)
		appendBinaryStringInfo(out, members.data, members.len);
	else
		appendStringInfo(out, "[%s%s]", set->negated ? "^" : "", members.data);
}

static void emit(const KgRegex *re, StringInfo out);

/*
 * Writes the items of a sequence or an alternation, whose tree is nested to the
 * left. The items are written without parentheses, because PCRE2 limits their
 * nesting.
 */
static void
emit_parts(const KgRegex *re, const char *between, StringInfo out)
{
	KgRegexKind kind = re->kind;
	const KgRegex *left = re;
	const KgRegex **parts;
	int n = 1;

	for (; left->kind == kind; left = left->left)
		n++;
	parts = palloc(n * sizeof(KgRegex *));
	for (int i = n - 1; i > 0; i--, re = re->left)
		parts[i] = re->right;
	parts[0] = re;
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i > 0)
			appendStringInfoString(out, between);
		if (kind == KG_RE_CONCAT && parts[i]->kind == KG_RE_ALTERNATE)
			appendStringInfoString(out, "(?:");
		emit(parts[i], out);
		if (kind == KG_RE_CONCAT && parts[i]->kind == KG_RE_ALTERNATE)
			appendStringInfoChar(out, ')');
	}
	pfree(parts);
}

static void
emit_wrapped(StringInfo out, const char *open, const KgRegex *re)
{
	appendStringInfoString(out, open);
	emit(re, out);
	appendStringInfoChar(out, ')');
}

/*
 * Returns true if a quantifier that is written after the expression applies to
 * the whole expression.
 */
static bool
is_atom(const KgRegex *re)
{
	return (re->kind == KG_RE_SET &&
			re->set.nranges + re->set.nproperties > 0) ||
		   re->kind == KG_RE_GROUP || re->kind == KG_RE_BACKREF;
}

/*
 * Writes a repetition. PCRE2 compiles a repeated class compactly, but a
 * repeated group as copies of the group.
 */
static void
emit_repeat(StringInfo out, const KgRegex *re)
{
	if (is_atom(re->left))
		emit(re->left, out);
	else
		emit_wrapped(out, "(?:", re->left);
	if (re->min == 0 && re->max < 0)
		appendStringInfoChar(out, '*');
	else if (re->min == 1 && re->max < 0)
		appendStringInfoChar(out, '+');
	else if (re->min == 0 && re->max == 1)
		appendStringInfoChar(out, '?');
	else if (re->max < 0)
		appendStringInfo(out, "{%d,}", re->min);
	else
		appendStringInfo(out, "{%d,%d}", re->min, re->max);
	if (re->lazy)
		appendStringInfoChar(out, '?');
}

static void
emit(const KgRegex *re, StringInfo out)
{
	check_stack_depth();
	switch (re->kind)
	{
		case KG_RE_EMPTY:
			break;
		case KG_RE_SET:
			emit_set(out, &re->set);
			break;
		case KG_RE_CONCAT:
			emit_parts(re, "", out);
			break;
		case KG_RE_ALTERNATE:
			emit_parts(re, "|", out);
			break;
		case KG_RE_REPEAT:
			emit_repeat(out, re);
			break;
		case KG_RE_GROUP:
			emit_wrapped(out, "(", re->left);
			break;
		case KG_RE_BACKREF:
			appendStringInfo(out, "\\g{%d}", re->group);
			break;
		case KG_RE_START:
			appendStringInfoChar(out, '^');
			break;
		case KG_RE_END:
			appendStringInfoChar(out, '$');
			break;
		case KG_RE_BOUNDARY:
			appendStringInfoString(out, re->negated ? "\\B" : "\\b");
			break;
		case KG_RE_AHEAD:
			emit_wrapped(out, re->negated ? "(?!" : "(?=", re->left);
			break;
		case KG_RE_BEHIND:
			emit_wrapped(out, re->negated ? "(?<!" : "(?<=", re->left);
			break;
	}
}

void
kg_regex_emit_pcre(const KgRegex *regex, StringInfo out)
{
	emit(regex, out);
}
