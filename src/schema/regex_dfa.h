/*
 * regex_dfa.h
 *	  DFAs over bytes for regular expressions that describe a regular language.
 *
 * A match takes linear time and allocates no memory.
 */
#ifndef KG_REGEX_DFA_H
#define KG_REGEX_DFA_H

#include "schema/regex.h"

typedef struct KgDfa
{
	uint32 match; /* row of the state that accepts; row 0 is the dead state */
	uint32 start;
	uint32 end_column;
	/*
	 * The length of every match in bytes, if all matches are whole strings of
	 * one length of at most 16 bytes ("^[a-z]{3}$"); otherwise 0.
	 *
	 * Then positions[] has for each byte a mask of the positions at which it
	 * may occur. Positions are tested independently, which is several times
	 * faster than state transitions.
	 */
	uint32 fixed_length;
	uint16 positions[256];
	uint8 class_of[256];
	/*
	 * The transition table: a row for each state, and a column for each class
	 * of bytes. An element is the next row. The last column is not 0 if the
	 * state accepts at the end of the string.
	 */
	const uint16 *table;
} KgDfa;

/*
 * Builds the DFA in the current memory context. Returns NULL if the expression
 * has a part that the DFA does not support (backreferences, lookaround, word
 * boundaries, Unicode properties), or if the table would be too large. Adds the
 * cost to *steps.
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
