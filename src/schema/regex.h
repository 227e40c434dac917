/*
 * regex.h
 *	  Parser of regular expressions of ECMA-262 with the u flag.
 *
 * regex_pcre.c and regex_dfa.c build matchers from the syntax tree.
 */
#ifndef KG_REGEX_H
#define KG_REGEX_H

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"

#define KG_MAX_CODE_POINT 0x10FFFF

/*
 * Maximum nesting depth of groups. The second limit applies to patterns that
 * PCRE2 compiles, because its compiler recurses without checking the depth of
 * the stack.
 */
#define KG_MAX_GROUP_DEPTH 3000
#define KG_MAX_PCRE_GROUP_DEPTH 300

/* The reason to refuse a pattern. */
typedef struct KgPatternFault
{
	const char *message; /* a phrase that describes the fault; NULL: no fault */
	bool limit;			 /* the pattern exceeds a limit */
} KgPatternFault;

typedef struct KgRegexRange
{
	pg_wchar low;
	pg_wchar high;
} KgRegexRange;

/* A set of characters. The ranges are sorted, disjoint and not adjacent. */
typedef struct KgCharSet
{
	int nranges;
	KgRegexRange *ranges;
	bool negated;	   /* negates the union of ranges and properties */
	int nproperties;   /* number of \p{...} and \P{...} */
	char **properties; /* properties in PCRE2's syntax */
} KgCharSet;

typedef enum KgRegexKind
{
	KG_RE_EMPTY,
	KG_RE_SET,
	KG_RE_CONCAT,
	KG_RE_ALTERNATE,
	KG_RE_REPEAT,
	KG_RE_GROUP, /* capturing group */
	KG_RE_BACKREF,
	KG_RE_START,	/* ^ */
	KG_RE_END,		/* $ */
	KG_RE_BOUNDARY, /* \b, negated: \B */
	KG_RE_AHEAD,	/* (?=, negated: (?! */
	KG_RE_BEHIND	/* (?<=, negated: (?<! */
} KgRegexKind;

typedef struct KgRegex
{
	KgRegexKind kind;
	struct KgRegex *left;
	/* the right operand of a concatenation or an alternation */
	struct KgRegex *right;
	KgCharSet set;
	int min; /* minimum number of repetitions */
	int max; /* maximum number of repetitions; -1: unbounded */
	bool lazy;
	bool negated;
	int group; /* number of a group or backreference */
} KgRegex;

/*
 * Parses a pattern. If it is not an ECMA-262 regular expression, returns NULL
 * and sets *fault and *position (in bytes). A sequence or an alternation of
 * several items is a tree that is nested to the left: each right operand is one
 * item, and the innermost left operand is the first item.
 */
extern KgRegex *kg_regex_parse(const char *pattern, int len,
							   KgPatternFault *fault, int *position);

/*
 * Appends the expression in the syntax of PCRE2. It must be compiled with the
 * options UTF and DOLLAR_ENDONLY, without UCP.
 */
extern void kg_regex_emit_pcre(const KgRegex *regex, StringInfo out);

#endif /* KG_REGEX_H */
