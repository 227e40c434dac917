/*
 * regex_dfa.h
 *	  Regular expressions that are regular, as a table over bytes: a match is
 *	  linear in the string and allocates nothing.
 */
#ifndef KG_REGEX_DFA_H
#define KG_REGEX_DFA_H

#include "schema/regex.h"

typedef struct KgDfa
{
	uint32 match; /* row of the state that has matched; row 0 is dead */
	uint32 start;
	uint32 end_column;
	/*
	 * Where every match is the whole string and has one length of at most 16
	 * bytes ("^[a-z]{3}$"): that length, and for each byte the positions at
	 * which it may stand.  Positions are then tested independently, which is
	 * several times faster than from state to state.
	 */
	uint32 fixed_length;
	uint16 positions[256];
	uint8 class_of[256];
	/*
	 * A row for each state, a column for each class of bytes: the row that
	 * follows.  The last column says whether the end of the string matches.
	 */
	const uint16 *table;
} KgDfa;

/*
 * Build in the current memory context.  NULL if the expression is not regular
 * (backreferences, lookaround, word boundaries, Unicode properties) or if the
 * table would be large.  *steps grows by what it took to find out.
 */
extern KgDfa *kg_dfa_build(const KgRegex *regex, int64 *steps);

static inline bool
kg_dfa_matches(const KgDfa *dfa, const char *s, uint32 len)
{
	const uint16 *table;
	uint32 match;
	uint32 row;
	const unsigned char *p = (const unsigned char *) s;
	const unsigned char *end = p + len;

	if (dfa->fixed_length > 0)
	{
		uint32 good = 1;
		uint32 i;

		if (len != dfa->fixed_length)
			return false;
		for (i = 0; i < len; i++)
			good &= dfa->positions[p[i]] >> i;
		return good;
	}
	table = dfa->table;
	match = dfa->match;
	row = dfa->start;
	while (p < end && row > match)
		row = table[row + dfa->class_of[*p++]];
	return row == match || table[row + dfa->end_column] != 0;
}

#endif /* KG_REGEX_DFA_H */
