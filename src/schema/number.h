/*
 * number.h
 *	  Exact arithmetic on stored numerics, reading their on-disk digits, so
 *	  that no number of any size or scale costs an allocation.
 *
 * The arguments are pointers to a Numeric as jsonb holds it, aligned to 4.
 */
#ifndef KG_NUMBER_H
#define KG_NUMBER_H

#include "utils/numeric.h"

/* A number taken apart: sum of digit[i] * NBASE^(weight - i). */
#define KG_NBASE 10000

typedef struct KgDigits
{
	const int16 *digit; /* into the number; neither first nor last is 0 */
	int n;				/* 0: the number is 0 */
	int weight;
	bool negative;
} KgDigits;

extern void kg_number_digits(const char *number, KgDigits *d);
extern int kg_number_compare(const char *a, const char *b);
extern bool kg_number_is_integer(const char *number);
extern bool kg_number_is_positive(const char *number);
extern uint32 kg_number_hash(const char *number);
/* An integral number within the range, else false. */
extern bool kg_number_int64(const char *number, int64 *result);

/*
 * A divisor prepared once: a small one is kept as an integer and a scale, one
 * of more digits is divided by in run_number.c.
 */
typedef struct KgDivisor
{
	const char *number; /* the Numeric itself */
	int64 unscaled;		/* number = unscaled * 10^-scale; 0: not small */
	int scale;			/* a multiple of 4, so digits line up */
} KgDivisor;

extern void kg_divisor_init(KgDivisor *divisor, const char *number);
/* Of a small divisor. */
extern bool kg_number_is_multiple(const char *number, const KgDivisor *divisor);

#endif /* KG_NUMBER_H */
