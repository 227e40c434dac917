/*
 * pattern.h
 *	  Regular expressions compiled for many matches.
 */
#ifndef KG_PATTERN_H
#define KG_PATTERN_H

#include "schema/regex_dfa.h"
typedef struct KgPattern KgPattern;

/*
 * Compiles an ECMA-262 regular expression in the current memory context, which
 * also owns PCRE2's allocations.
 *
 * Returns NULL and sets *fault if the syntax is wrong or not supported, or a
 * limit is exceeded. Adds the cost of the compilation to *steps. The limit of
 * steps also limits the allocations of PCRE2.
 */
extern KgPattern *kg_pattern_compile(const char *source, int len,
									 KgPatternFault *fault, int64 *steps);

/* Compiles a pattern of kg_graph in PCRE2's syntax. */
extern KgPattern *kg_pattern_compile_pcre(const char *source);

/* Returns the pattern's DFA, or NULL if PCRE2 matches it. */
extern const KgDfa *kg_pattern_dfa(const KgPattern *pattern);

/*
 * Returns true if the pattern matches anywhere in the string, which is valid
 * UTF-8.  Adds the cost to *steps.  Raises KG_LIMIT_EXCEEDED above
 * kg_graph.schema_max_match_steps.
 */
extern bool kg_pattern_matches(const KgPattern *pattern, const char *s,
							   uint32 len, int64 *steps);

#endif /* KG_PATTERN_H */
