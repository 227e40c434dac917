/*
 * pattern.h
 *	  Regular expressions, compiled once for many matches.
 */
#ifndef KG_PATTERN_H
#define KG_PATTERN_H

#include "schema/regex_dfa.h"
typedef struct KgPattern KgPattern;

/*
 * Compiles an ECMA-262 regular expression in the current memory context, which
 * also owns PCRE2's allocations.
 *
 * If the syntax is invalid or not supported, or a limit is exceeded, returns
 * NULL and sets *fault. Adds the cost of the compilation to *steps. The limit
 * of steps also limits the allocations of PCRE2.
 */
extern KgPattern *kg_pattern_compile(const char *source, int len,
									 KgPatternFault *fault, int64 *steps);

/*
 * Returns a compiled constant pattern of kg_graph, written in PCRE2's syntax.
 */
extern KgPattern *kg_pattern_compile_pcre(const char *source);

/* Returns the pattern's DFA, or NULL if PCRE2 matches it. */
extern const KgDfa *kg_pattern_dfa(const KgPattern *pattern);

/*
 * Returns true if the pattern matches at any position of the string, which must
 * be valid UTF-8. Adds the cost to *steps. Raises KG_LIMIT_EXCEEDED if *steps
 * exceeds kg_graph.schema_max_match_steps.
 */
extern bool kg_pattern_matches(const KgPattern *pattern, const char *s,
							   uint32 len, int64 *steps);

#endif /* KG_PATTERN_H */
