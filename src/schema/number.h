/*
 * number.h
 *	  Exact arithmetic on stored numerics.
 *
 * These functions read the on-disk digits of numerics, so that numbers of any
 * size and scale need no allocation. Arguments point to a Numeric inside
 * jsonb, aligned to 4 bytes.
 */
#ifndef KG_NUMBER_H
#define KG_NUMBER_H

#include "utils/numeric.h"

/* The digits of a number, which is the sum of digit[i] * NBASE^(weight - i). */
#define KG_NBASE 10000

typedef struct KgDigits
{
	const int16 *digit; /* points into the number; first and last are not 0 */
	int n;				/* number of digits; 0 if the number is 0 */
	int weight;
	bool negative;
} KgDigits;

extern void kg_number_digits(const char *number, KgDigits *d);
extern int kg_number_compare(const char *a, const char *b);
extern bool kg_number_is_integer(const char *number);
extern bool kg_number_is_positive(const char *number);
extern uint32 kg_number_hash(const char *number);
/*
 * Reads an integral number.  Returns false if it is not integral or out of
 * range.
 */
extern bool kg_number_int64(const char *number, int64 *result);

/*
 * A prepared divisor. A divisor with few digits is stored as an integer and a
 * scale. run_number.c divides by a divisor with more digits.
 */
typedef struct KgDivisor
{
	const char *number; /* the Numeric itself */
	int64 unscaled;		/* number = unscaled * 10^-scale; 0 if not small */
	int scale;			/* a multiple of 4, so that digits align */
} KgDivisor;

extern void kg_divisor_init(KgDivisor *divisor, const char *number);
/* Returns true if the number is a multiple of a small divisor. */
extern bool kg_number_is_multiple(const char *number, const KgDivisor *divisor);

#endif /* KG_NUMBER_H */
