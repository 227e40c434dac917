/*
 * regex_dfa.h
 *	  Regular expressions that are regular, as a table over bytes: a match is
 *	  linear in the string and allocates nothing.
 */
#ifndef KG_REGEX_DFA_H
#define KG_REGEX_DFA_H

#include "schema/regex.h"

/* States with a meaning of their own. */
#define KG_DFA_DEAD 0
#define KG_DFA_MATCH 1

typedef struct KgDfa
{
	int nclasses;
	uint16 start;
	uint8 class_of[256];
	const uint16 *next;			/* [state * nclasses + class] */
	const bool *accepts_at_end; /* by state */
} KgDfa;

/*
 * Build in the current memory context.  NULL if the expression is not regular
 * (backreferences, lookaround, word boundaries, Unicode properties) or if the
 * table would be large.
 */
extern KgDfa *kg_dfa_build(const KgRegex *regex);

static inline bool
kg_dfa_matches(const KgDfa *dfa, const char *s, uint32 len)
{
	const uint16 *next = dfa->next;
	uint32 state = dfa->start;
	uint32 i;

	for (i = 0; i < len && state > KG_DFA_MATCH; i++)
		state =
			next[state * dfa->nclasses + dfa->class_of[(unsigned char) s[i]]];
	return state == KG_DFA_MATCH || dfa->accepts_at_end[state];
}

#endif /* KG_REGEX_DFA_H */
