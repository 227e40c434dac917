/*
 * regex.h
 *	  Regular expressions as ECMA-262 describes them (the u flag), parsed to a
 *	  tree.  Matchers are built from the tree: regex_pcre.c, regex_dfa.c.
 */
#ifndef KG_REGEX_H
#define KG_REGEX_H

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"

#define KG_MAX_CODE_POINT 0x10FFFF

/*
 * Groups are nested so deep; in a pattern that PCRE2 compiles, which recurses
 * without asking for the stack, so deep.
 */
#define KG_MAX_GROUP_DEPTH 3000
#define KG_MAX_PCRE_GROUP_DEPTH 300

/* Why a pattern is refused. */
typedef struct KgPatternFault
{
	const char *message; /* a phrase; NULL: it is not */
	bool limit;			 /* it is larger than what is taken */
} KgPatternFault;

typedef struct KgRegexRange
{
	pg_wchar low;
	pg_wchar high;
} KgRegexRange;

/* Ranges are sorted, disjoint and not adjacent. */
typedef struct KgCharSet
{
	int nranges;
	KgRegexRange *ranges;
	bool negated;	   /* of ranges and properties together */
	int nproperties;   /* \p{...} and \P{...} */
	char **properties; /* as PCRE2 writes them */
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
	struct KgRegex *right; /* concat, alternate */
	KgCharSet set;
	int min; /* repeat */
	int max; /* -1: no bound */
	bool lazy;
	bool negated;
	int group; /* number of a group or backreference */
} KgRegex;

/*
 * Parse; NULL with the fault and *position (bytes) set where it is not
 * an ECMA-262 regular expression.  Of a sequence, and of alternatives, the right
 * sides are the parts but the first.
 */
extern KgRegex *kg_regex_parse(const char *pattern, int len,
							   KgPatternFault *fault, int *position);

/* The same as a PCRE2 pattern (UTF, no UCP, DOLLAR_ENDONLY). */
extern void kg_regex_emit_pcre(const KgRegex *regex, StringInfo out);

#endif /* KG_REGEX_H */
