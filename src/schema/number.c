/*
 * number.c
 *	  Exact arithmetic on stored numerics.
 *
 * The on-disk form (src/backend/utils/adt/numeric.c, "NumericData") is in every
 * existing database, so it cannot change while pg_upgrade exists. A number has
 * base-10000 digits, a weight (exponent of the first digit) and a sign. In the
 * short form, sign, scale and weight share a 16-bit header. Leading and
 * trailing zero digits are never stored.
 */
#include "postgres.h"

#include "base/compat.h"
#include "common/hashfn.h"
#include "schema/number.h"

static inline void
read_digits(const char *number, KgDigits *d)
{
	uint32 size = VARSIZE_ANY(number);
	const char *data = VARDATA_ANY(number);
	uint32 bytes = size - (data - number);
	uint16 header;

	memcpy(&header, data, sizeof(header));
	if (header & 0x8000)
	{
		/*
		 * The short form of numeric. The special values NaN and infinity do not
		 * occur in jsonb.
		 */
		d->negative = (header & 0x2000) != 0;
		d->weight = (header & 0x003F) - ((header & 0x0040) ? 64 : 0);
		d->digit = (const int16 *) (data + sizeof(uint16));
		d->n = (bytes - sizeof(uint16)) / sizeof(int16);
	}
	else
	{
		int16 weight;

		memcpy(&weight, data + sizeof(uint16), sizeof(weight));
		d->negative = (header & 0xC000) == 0x4000;
		d->weight = weight;
		d->digit = (const int16 *) (data + 2 * sizeof(uint16));
		d->n = (bytes - 2 * sizeof(uint16)) / sizeof(int16);
	}
}

void
kg_number_digits(const char *number, KgDigits *d)
{
	read_digits(number, d);
}

static int
compare_magnitude(const KgDigits *a, const KgDigits *b)
{
	int n = Min(a->n, b->n);

	if (a->n == 0 || b->n == 0)
		return (a->n != 0) - (b->n != 0);
	if (a->weight != b->weight)
		return a->weight < b->weight ? -1 : 1;
	for (int i = 0; i < n; i++)
	{
		if (a->digit[i] != b->digit[i])
			return a->digit[i] < b->digit[i] ? -1 : 1;
	}
	return (a->n > b->n) - (a->n < b->n);
}

int
kg_number_compare(const char *a, const char *b)
{
	KgDigits da;
	KgDigits db;

	read_digits(a, &da);
	read_digits(b, &db);
	if (da.n == 0 && db.n == 0)
		return 0;
	/* Zero has no sign. */
	if (da.n == 0)
		return db.negative ? 1 : -1;
	if (db.n == 0)
		return da.negative ? -1 : 1;
	if (da.negative != db.negative)
		return da.negative ? -1 : 1;
	return da.negative ? compare_magnitude(&db, &da)
					   : compare_magnitude(&da, &db);
}

bool
kg_number_is_integer(const char *number)
{
	KgDigits d;

	read_digits(number, &d);
	/*
	 * Trailing zero digits are not stored. So if a digit after the point is
	 * stored, the number has a fraction.
	 */
	return d.n == 0 || d.n <= d.weight + 1;
}

bool
kg_number_is_positive(const char *number)
{
	KgDigits d;

	read_digits(number, &d);
	return d.n > 0 && !d.negative;
}

uint32
kg_number_hash(const char *number)
{
	KgDigits d;
	uint32 h;

	read_digits(number, &d);
	if (d.n == 0)
		return 0;
	h = hash_bytes((const unsigned char *) d.digit, d.n * sizeof(int16));
	return hash_combine(h, (uint32) d.weight * 2 + d.negative);
}

bool
kg_number_int64(const char *number, int64 *result)
{
	KgDigits d;
	__int128 value = 0;

	read_digits(number, &d);
	*result = 0;
	if (d.n == 0)
		return true;
	if (d.n > d.weight + 1 || d.weight > 4)
		return false;
	for (int i = 0; i <= d.weight; i++)
		value = value * KG_NBASE + (i < d.n ? d.digit[i] : 0);
	if (d.negative)
		value = -value;
	if (value < PG_INT64_MIN || value > PG_INT64_MAX)
		return false;
	*result = (int64) value;
	return true;
}

void
kg_divisor_init(KgDivisor *divisor, const char *number)
{
	KgDigits d;
	__int128 value = 0;
	int i;

	divisor->number = number;
	divisor->unscaled = 0;
	divisor->scale = 0;
	read_digits(number, &d);
	if (d.n == 0 || d.n > 5 || d.weight > 4 || d.weight < -16)
		return;
	for (i = 0; i < d.n; i++)
		value = value * KG_NBASE + d.digit[i];
	/* Append the zero digits before the point, which are not stored. */
	for (; i <= d.weight; i++)
		value = value * KG_NBASE;
	if (value > PG_INT64_MAX)
		return;
	divisor->unscaled = (int64) value;
	divisor->scale = Max(0, d.n - 1 - d.weight);
}

/* Returns KG_NBASE^n modulo m. */
static int64
power_modulo(int n, int64 m)
{
	__int128 result = 1;
	__int128 square = KG_NBASE % m;

	for (; n > 0; n >>= 1)
	{
		if (n & 1)
			result = result * square % m;
		square = square * square % m;
	}
	return (int64) (result % m);
}

bool
kg_number_is_multiple(const char *number, const KgDivisor *divisor)
{
	KgDigits d;
	__int128 rest = 0;
	int last;

	read_digits(number, &d);
	if (d.n == 0)
		return true;
	/* A number with more decimals than the divisor is not a multiple of it. */
	last = d.weight + divisor->scale;
	if (d.n - 1 > last)
		return false;
	/*
	 * Horner's method. |rest| is less than the divisor, so the product does not
	 * overflow.
	 */
	for (int i = 0; i < d.n; i++)
		rest = (rest * KG_NBASE + d.digit[i]) % divisor->unscaled;
	/* Apply the trailing zero digits that are not stored, as in 1e131071. */
	if (rest != 0 && last >= d.n)
		rest = rest * power_modulo(last - d.n + 1, divisor->unscaled) %
			   divisor->unscaled;
	return rest == 0;
}
