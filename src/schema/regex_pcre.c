/*
 * regex_pcre.c
 *	  An ECMA-262 regular expression as a PCRE2 pattern.
 *
 * Everything is written out (classes as ranges of \x{...}), so that no
 * construct is left to mean something else in PCRE2.
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

/* One range without the surrogates, which PCRE2 refuses. */
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

static void
emit_repeat(StringInfo out, const KgRegex *re)
{
	appendStringInfoString(out, "(?:");
	kg_regex_emit_pcre(re->left, out);
	appendStringInfoChar(out, ')');
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
emit_wrapped(StringInfo out, const char *open, const KgRegex *re)
{
	appendStringInfoString(out, open);
	kg_regex_emit_pcre(re->left, out);
	appendStringInfoChar(out, ')');
}

void
kg_regex_emit_pcre(const KgRegex *re, StringInfo out)
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
			kg_regex_emit_pcre(re->left, out);
			kg_regex_emit_pcre(re->right, out);
			break;
		case KG_RE_ALTERNATE:
			appendStringInfoString(out, "(?:");
			kg_regex_emit_pcre(re->left, out);
			appendStringInfoChar(out, '|');
			kg_regex_emit_pcre(re->right, out);
			appendStringInfoChar(out, ')');
			break;
		case KG_RE_REPEAT:
			emit_repeat(out, re);
			break;
		case KG_RE_GROUP:
			emit_wrapped(out, "(", re);
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
			emit_wrapped(out, re->negated ? "(?!" : "(?=", re);
			break;
		case KG_RE_BEHIND:
			emit_wrapped(out, re->negated ? "(?<!" : "(?<=", re);
			break;
	}
}
