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
 * Maximum nesting of groups.  The second limit is for patterns that PCRE2
 * compiles, which recurses without a check of the stack's depth.
 */
#define KG_MAX_GROUP_DEPTH 3000
#define KG_MAX_PCRE_GROUP_DEPTH 300

/* The reason to refuse a pattern. */
typedef struct KgPatternFault
{
	const char *message; /* a phrase; NULL: no fault */
	bool limit;			 /* the pattern exceeds a limit */
} KgPatternFault;

typedef struct KgRegexRange
{
	pg_wchar low;
	pg_wchar high;
} KgRegexRange;

/* A set of characters.  Its ranges are sorted, disjoint and not adjacent. */
typedef struct KgCharSet
{
	int nranges;
	KgRegexRange *ranges;
	bool negated;	   /* applies to ranges and properties together */
	int nproperties;   /* \p{...} and \P{...} */
	char **properties; /* in PCRE2's syntax */
} KgCharSet;

typedef enum KgRegexKind
{
	KG_RE_EMPTY,
	KG_RE_SET,
	KG_RE_CONCAT,
	KG_RE_ALTERNATE,
	KG_RE_REPEAT,
	KG_RE_GROUP, /* capturing */
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
	struct KgRegex *right; /* the right side of concat and alternate */
	KgCharSet set;
	int min; /* minimum of repeat */
	int max; /* maximum of repeat; -1: unbounded */
	bool lazy;
	bool negated;
	int group; /* number of a group or backreference */
} KgRegex;

/*
 * Parses a pattern. Returns NULL and sets the fault and *position (bytes) if
 * it is not an ECMA-262 regular expression. A sequence or alternation of
 * several items is a chain: each right side is one item, and the innermost
 * left side is the first item.
 */
extern KgRegex *kg_regex_parse(const char *pattern, int len,
							   KgPatternFault *fault, int *position);

/* Appends the expression as a PCRE2 pattern (UTF, no UCP, DOLLAR_ENDONLY). */
extern void kg_regex_emit_pcre(const KgRegex *regex, StringInfo out);

#endif /* KG_REGEX_H */
