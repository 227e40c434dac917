/*
 * pattern.h
 *	  A regular expression compiled for many matches.
 */
#ifndef KG_PATTERN_H
#define KG_PATTERN_H

#include "schema/regex_dfa.h"
typedef struct KgPattern KgPattern;

/*
 * Compile in the current memory context, which owns the result together with
 * what PCRE2 allocates for it.  NULL with the fault set if it is not a regular
 * expression of ECMA-262, needs what is not supported, or is past a limit.
 * *steps grows by what it took, which bounds what PCRE2 allocates, too.
 */
extern KgPattern *kg_pattern_compile(const char *source, int len,
									 KgPatternFault *fault, int64 *steps);

/* The same for one of our own, in PCRE2's syntax. */
extern KgPattern *kg_pattern_compile_pcre(const char *source);

/* Its table; NULL where PCRE2 does the matching. */
extern const KgDfa *kg_pattern_dfa(const KgPattern *pattern);

/*
 * Whether it matches somewhere in the string, which is valid UTF-8.  Raises
 * KG_LIMIT_EXCEEDED past kg_graph.schema_max_match_steps.  *steps grows by
 * what it took.
 */
extern bool kg_pattern_matches(const KgPattern *pattern, const char *s,
							   uint32 len, int64 *steps);

#endif /* KG_PATTERN_H */
