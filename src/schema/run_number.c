/*
 * run_number.c
 *	  multipleOf with a divisor of many digits. PostgreSQL's division of
 *	  numeric may take seconds for valid numbers. It neither checks for
 *	  interrupts nor counts the steps of the evaluation.
 */
#include "postgres.h"

#include "schema/run.h"

/* Number of digits of the divisor that are processed in one step. */
#define DIGITS_OF_STEP 8
/*
 * Number of leading digits that determine a digit of the quotient with an error
 * of at most one.
 */
#define LEADING_DIGITS 4

/*
 * Computes rest -= times * divisor. rest has one more leading digit than the
 * divisor.
 */
static void
subtract(int32 *rest, const KgDigits *divisor, int32 times)
{
	int32 carry = 0;

	for (int i = divisor->n; i > 0; i--)
	{
		int32 value = rest[i] - times * divisor->digit[i - 1] + carry;

		carry = value >= 0 ? value / KG_NBASE
						   : -((KG_NBASE - 1 - value) / KG_NBASE);
		rest[i] = value - carry * KG_NBASE;
	}
	rest[0] += carry;
}

static bool
is_below(const int32 *rest, const KgDigits *divisor)
{
	if (rest[0] > 0)
		return false;
	for (int i = 0; i < divisor->n; i++)
	{
		if (rest[i + 1] != divisor->digit[i])
			return rest[i + 1] < divisor->digit[i];
	}
	return false;
}

/*
 * Computes rest = (rest * KG_NBASE + digit) modulo divisor. rest has one more
 * leading digit than the divisor.
 */
static void
take_digit(int32 *rest, const KgDigits *divisor, int digit)
{
	int leading = Min(divisor->n, LEADING_DIGITS);
	double high = 0;
	double low = 0;

	memmove(rest, rest + 1, divisor->n * sizeof(int32));
	rest[divisor->n] = digit;
	for (int i = 0; i <= leading; i++)
		high = high * KG_NBASE + rest[i];
	for (int i = 0; i < leading; i++)
		low = low * KG_NBASE + divisor->digit[i];
	subtract(rest, divisor, (int32) (high / low));
	if (rest[0] < 0)
		subtract(rest, divisor, -1);
	else if (!is_below(rest, divisor))
		subtract(rest, divisor, 1);
}

bool
kg_run_multiple(KgJsRun *run, const char *number, const char *divisor)
{
	KgDigits n;
	KgDigits d;
	int32 *rest;
	int zeros;
	bool multiple = true;

	kg_number_digits(number, &n);
	kg_number_digits(divisor, &d);
	if (n.n == 0)
		return true;
	/*
	 * Number of zero digits that align the last digits of both numbers. If it
	 * is negative, the quotient has a fraction.
	 */
	zeros = (n.weight - n.n) - (d.weight - d.n);
	if (zeros < 0 || n.weight < d.weight)
		return false;
	rest = palloc0((d.n + 1) * sizeof(int32));
	for (int i = 0; i < n.n + zeros; i++)
	{
		kg_run_charge(run, 1 + d.n / DIGITS_OF_STEP);
		take_digit(rest, &d, i < n.n ? n.digit[i] : 0);
	}
	for (int i = 0; i <= d.n; i++)
		multiple = multiple && rest[i] == 0;
	pfree(rest);
	return multiple;
}
