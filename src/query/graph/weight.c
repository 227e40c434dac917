/*
 * weight.c
 *	  Exact weights of edges.
 */
#include "postgres.h"

#include "fmgr.h"
#include "query/graph/weight.h"
#include "utils/builtins.h"

KgWeight
kg_weight_read(Numeric numeric, bool *usable)
{
	char *text = DatumGetCString(
		DirectFunctionCall1(numeric_out, NumericGetDatum(numeric)));
	const char *p = text;
	bool negative = *p == '-';
	KgWeight result = 0;
	int digits = 0;
	int fraction = 0;
	bool point = false;

	*usable = true;
	for (p += negative; *p != '\0'; p++)
	{
		if (*p == '.')
		{
			point = true;
			continue;
		}
		if (*p < '0' || *p > '9')
		{
			*usable = false;
			break;
		}
		if (point && fraction == KG_WEIGHT_DIGITS)
		{
			if (*p != '0')
				*usable = false;
			continue;
		}
		result = result * 10 + (*p - '0');
		if (point)
			fraction++;
		else if (result > 0 && ++digits > 21)
		{
			*usable = false;
			break;
		}
	}
	for (; fraction < KG_WEIGHT_DIGITS && *usable; fraction++)
		result *= 10;
	pfree(text);
	return negative ? -result : result;
}

Numeric
kg_weight_numeric(KgWeight weight)
{
	char digits[64];
	char text[64];
	int n = 0;
	int at = 0;
	int end;

	while (n <= KG_WEIGHT_DIGITS || weight > 0)
	{
		digits[n++] = (char) ('0' + (int) (weight % 10));
		weight /= 10;
	}
	while (n > 0)
	{
		if (n == KG_WEIGHT_DIGITS)
			text[at++] = '.';
		text[at++] = digits[--n];
	}
	end = at;
	while (text[end - 1] == '0')
		end--;
	if (text[end - 1] == '.')
		end--;
	text[end] = '\0';
	return DatumGetNumeric(DirectFunctionCall3(numeric_in,
											   CStringGetDatum(text),
											   ObjectIdGetDatum(InvalidOid),
											   Int32GetDatum(-1)));
}
