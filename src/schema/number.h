/*
 * number.h
 *	  Exact arithmetic on stored numerics.
 *
 * These functions read the on-disk digits of numerics, so they need no
 * allocation for numbers of any size and scale. Arguments point to a Numeric
 * inside jsonb, aligned to 4 bytes.
 */
#ifndef KG_NUMBER_H
#define KG_NUMBER_H

#include "utils/numeric.h"

/*
 * The digits of a number. The number's absolute value is the sum of digit[i] *
 * KG_NBASE^(weight - i).
 */
#define KG_NBASE 10000

typedef struct KgDigits
{
	/* points into the number; the first and the last digit are not 0 */
	const int16 *digit;
	int n; /* number of digits; 0 if the number is 0 */
	int weight;
	bool negative;
} KgDigits;

extern void kg_number_digits(const char *number, KgDigits *d);
extern int kg_number_compare(const char *a, const char *b);
extern bool kg_number_is_integer(const char *number);
extern bool kg_number_is_positive(const char *number);
extern uint32 kg_number_hash(const char *number);
/*
 * Reads an integer. Returns false if the number is not an integer or is out of
 * range.
 */
extern bool kg_number_int64(const char *number, int64 *result);

/*
 * A divisor, prepared for many divisions. A small divisor (few digits) is
 * stored as an integer and a scale. For other divisors, run_number.c computes
 * the remainder.
 */
typedef struct KgDivisor
{
	const char *number; /* the divisor as a Numeric */
	/* number = unscaled * 10^-scale; 0 if the divisor is not small */
	int64 unscaled;
	/*
	 * a multiple of 4, so that the scale is a whole number of base-10000 digits
	 */
	int scale;
} KgDivisor;

extern void kg_divisor_init(KgDivisor *divisor, const char *number);
/*
 * Returns true if the number is a multiple of a divisor, which must be small.
 */
extern bool kg_number_is_multiple(const char *number, const KgDivisor *divisor);

#endif /* KG_NUMBER_H */
