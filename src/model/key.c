/*
 * key.c
 *	  Order-preserving byte keys.
 *
 * Layout: one tag byte, then the value.
 *
 *	  08  an array without items
 *	  10  boolean	  00 or 01
 *	  18  enum		  position in the declaration, two bytes, high first
 *	  20  number	  see encode_number()
 *	  28  date-time   seconds of the Julian calendar, eight bytes high first, then the
 *					  fraction's digits without trailing zeros
 *	  30  text		  the bytes (UTF-8 orders by code point)
 *	  38  version	  its order (deb_version.h), 00, its text
 *	  ff  missing or null, after everything
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "model/deb_version.h"
#include "model/key.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/numeric.h"

#define TAG_EMPTY 0x08
#define TAG_BOOLEAN 0x10
#define TAG_ENUM 0x18
#define TAG_NUMBER 0x20
#define TAG_DATETIME 0x28
#define TAG_TEXT 0x30
#define TAG_VERSION 0x38
#define TAG_MISSING 0xff

/* Maximum offset of a date-time's time zone from UTC, in seconds. */
#define FARTHEST_ZONE (23 * SECS_PER_HOUR + 59 * SECS_PER_MINUTE)

static void
begin_key(StringInfo key, uint8 tag)
{
	initStringInfo(key);
	appendStringInfoSpaces(key, VARHDRSZ);
	appendStringInfoChar(key, (char) tag);
}

static bytea *
end_key(StringInfo key)
{
	SET_VARSIZE(key->data, key->len);
	return (bytea *) key->data;
}

bytea *
kg_key_missing(void)
{
	StringInfoData key;

	begin_key(&key, TAG_MISSING);
	return end_key(&key);
}

bytea *
kg_key_empty(void)
{
	StringInfoData key;

	begin_key(&key, TAG_EMPTY);
	return end_key(&key);
}

/*
 * Returns the tag, which is the first byte of a key. For an empty key, returns
 * a value that is not a tag.
 */
static uint8
tag_of(const bytea *key)
{
	return VARSIZE_ANY_EXHDR(key) > 0 ? *(const uint8 *) VARDATA_ANY(key) : 0;
}

bool
kg_key_is_value(const bytea *key)
{
	uint8 tag = tag_of(key);

	return tag != TAG_MISSING && tag != TAG_EMPTY;
}

int
kg_key_compare(const bytea *a, const bytea *b)
{
	int alen = VARSIZE_ANY_EXHDR(a);
	int blen = VARSIZE_ANY_EXHDR(b);
	int cmp = memcmp(VARDATA_ANY(a), VARDATA_ANY(b), Min(alen, blen));

	return cmp != 0 ? cmp : alen - blen;
}

int
kg_key_sort(const void *a, const void *b)
{
	return kg_key_compare(*(bytea *const *) a, *(bytea *const *) b);
}

static bytea *
encode_text(const char *s, int len)
{
	StringInfoData key;

	begin_key(&key, TAG_TEXT);
	appendBinaryStringInfo(&key, s, len);
	return end_key(&key);
}

/*
 * Returns the key of a version. Its first part orders versions. The text of the
 * version follows, because versions that are equal in order may differ in text.
 */
static bytea *
encode_version(const char *s, int len)
{
	StringInfoData key;

	begin_key(&key, TAG_VERSION);
	kg_deb_version_append(&key, s, len);
	appendStringInfoChar(&key, 0);
	appendBinaryStringInfo(&key, s, len);
	return end_key(&key);
}

/*
 * Appends an int64 as eight bytes, most significant first. The sign bit is
 * inverted, so that negative numbers come first.
 */
static void
append_int64(StringInfo key, int64 n)
{
	uint64 u = (uint64) n ^ (UINT64CONST(1) << 63);

	for (int shift = 56; shift >= 0; shift -= 8)
		appendStringInfoChar(key, (char) ((u >> shift) & 0xff));
}

/*
 * Returns the key of a number: sign, decimal exponent and digits of 0.ddd *
 * 10^exponent.
 *
 * The digits have neither leading nor trailing zeros. Two digits are encoded as
 * one byte from 1 to 100, so a byte 0 marks their end. If the number is
 * negative, all bytes after the sign are inverted. Returns NULL for NaN and
 * infinity.
 */
static bytea *
encode_number(Numeric number)
{
	char *digits;
	int ndigits = 0;
	int point = -1;
	int exponent;
	int start = 0;
	bool negative;
	uint8 mask;
	bytea *key;
	uint8 *p;

	if (numeric_is_nan(number) || numeric_is_inf(number))
		return NULL;
	/* Convert the characters of the text to digits in the same buffer. */
	digits = DatumGetCString(
		DirectFunctionCall1(numeric_out, NumericGetDatum(number)));
	negative = digits[0] == '-';
	for (const char *c = digits + negative; *c; c++)
	{
		if (*c == '.')
			point = ndigits;
		else
			digits[ndigits++] = *c - '0';
	}
	if (point < 0)
		point = ndigits;
	while (start < ndigits && digits[start] == 0)
		start++;
	while (ndigits > start && digits[ndigits - 1] == 0)
		ndigits--;
	/* numeric reaches 10^131072, so a biased exponent needs three bytes */
	exponent = point - start + (1 << 22);

	/* size: tag and sign, exponent, pairs of digits, end */
	key = palloc(VARHDRSZ + 2 + 3 + (ndigits - start + 1) / 2 + 1);
	p = (uint8 *) VARDATA(key);
	*p++ = TAG_NUMBER;
	if (start == ndigits)
	{
		*p++ = 0x01; /* zero sorts between negative and positive numbers */
		SET_VARSIZE(key, p - (uint8 *) key);
		return key;
	}
	mask = negative ? 0xff : 0x00;
	*p++ = negative ? 0x00 : 0x02;
	*p++ = (uint8) (exponent >> 16) ^ mask;
	*p++ = (uint8) (exponent >> 8) ^ mask;
	*p++ = (uint8) exponent ^ mask;
	for (int i = start; i < ndigits; i += 2)
	{
		int pair = digits[i] * 10;

		if (i + 1 < ndigits)
			pair += digits[i + 1];
		*p++ = (uint8) (pair + 1) ^ mask;
	}
	*p++ = 0 ^ mask;
	SET_VARSIZE(key, p - (uint8 *) key);
	return key;
}

static bool
read_digits(const char **p, const char *end, int count, int *value)
{
	*value = 0;
	for (int i = 0; i < count; i++)
	{
		if (*p >= end || **p < '0' || **p > '9')
			return false;
		*value = *value * 10 + (**p - '0');
		(*p)++;
	}
	return true;
}

static bool
read_char(const char **p, const char *end, const char *allowed)
{
	if (*p >= end)
		return false;
	for (; *allowed != '\0'; allowed++)
		if (**p == *allowed)
		{
			(*p)++;
			return true;
		}
	return false;
}

static bool
valid_date(int year, int month, int day)
{
	return month >= 1 && month <= 12 && day >= 1 &&
		   day <= day_tab[isleap(year)][month - 1];
}

/* An instant: seconds of the Julian calendar, and digits of a fraction. */
typedef struct Instant
{
	int64 seconds;
	const char *fraction; /* digits of the fraction without trailing zeros */
	int fraction_len;
} Instant;

/*
 * Reads a date YYYY-MM-DD and sets *julian to its Julian day. Returns false if
 * the text at *p is not a date.
 */
static bool
read_date(const char **p, const char *end, int *julian)
{
	int year, month, day;

	if (!read_digits(p, end, 4, &year) || !read_char(p, end, "-") ||
		!read_digits(p, end, 2, &month) || !read_char(p, end, "-") ||
		!read_digits(p, end, 2, &day) || !valid_date(year, month, day))
		return false;
	*julian = date2j(year, month, day);
	return true;
}

/*
 * Reads a time zone, Z or an offset, and sets *zone to seconds from UTC.
 * Returns false if the text at *p is not a time zone.
 */
static bool
read_zone(const char **p, const char *end, int *zone)
{
	int hour, minute;
	bool negative = *p < end && **p == '-';

	*zone = 0;
	if (*p < end && (**p == 'Z' || **p == 'z'))
	{
		(*p)++;
		return true;
	}
	if (!read_char(p, end, "+-") || !read_digits(p, end, 2, &hour) ||
		!read_char(p, end, ":") || !read_digits(p, end, 2, &minute) ||
		hour > 23 || minute > 59)
		return false;
	*zone = (negative ? -1 : 1) * (hour * 3600 + minute * 60);
	return true;
}

static bool
read_fraction(const char **p, const char *end, Instant *instant)
{
	if (*p >= end || **p != '.')
		return true;
	instant->fraction = ++(*p);
	while (*p < end && **p >= '0' && **p <= '9')
		(*p)++;
	instant->fraction_len = *p - instant->fraction;
	if (instant->fraction_len == 0)
		return false;
	while (instant->fraction_len > 0 &&
		   instant->fraction[instant->fraction_len - 1] == '0')
		instant->fraction_len--;
	return true;
}

/*
 * Reads a date-time of RFC 3339. A leap second becomes the second after it.
 * Returns false for any other text.
 */
static bool
read_datetime(const char *s, int len, Instant *instant)
{
	const char *p = s;
	const char *end = s + len;
	int julian, hour, minute, second, zone;

	instant->fraction_len = 0;
	if (!read_date(&p, end, &julian) || !read_char(&p, end, "Tt ") ||
		!read_digits(&p, end, 2, &hour) || !read_char(&p, end, ":") ||
		!read_digits(&p, end, 2, &minute) || !read_char(&p, end, ":") ||
		!read_digits(&p, end, 2, &second) || !read_fraction(&p, end, instant) ||
		!read_zone(&p, end, &zone) || p != end || hour > 23 || minute > 59 ||
		second > 60)
		return false;
	instant->seconds = (int64) julian * SECS_PER_DAY + hour * 3600 +
					   minute * 60 + second - zone;
	return true;
}

/*
 * Reads an instant: a date-time, or a date, which stands for its beginning in
 * UTC. Returns false for any other text.
 */
static bool
read_instant(const char *s, int len, Instant *instant)
{
	const char *p = s;
	int julian;

	if (len != KG_DATE_LENGTH)
		return read_datetime(s, len, instant);
	if (!read_date(&p, s + len, &julian))
		return false;
	instant->seconds = (int64) julian * SECS_PER_DAY;
	instant->fraction_len = 0;
	return true;
}

static bytea *
encode_instant(const Instant *instant)
{
	StringInfoData key;

	begin_key(&key, TAG_DATETIME);
	append_int64(&key, instant->seconds);
	if (instant->fraction_len > 0)
		appendBinaryStringInfo(&key, instant->fraction, instant->fraction_len);
	return end_key(&key);
}

static bytea *
encode_datetime(const char *s, int len)
{
	Instant instant;

	return read_datetime(s, len, &instant) ? encode_instant(&instant) : NULL;
}

static bytea *
encode_date(const char *s, int len)
{
	const char *p = s;
	int julian;
	StringInfoData key;

	if (!read_date(&p, s + len, &julian) || p != s + len)
		return NULL;
	begin_key(&key, TAG_TEXT);
	appendBinaryStringInfo(&key, s, len);
	return end_key(&key);
}

bytea *
kg_key_instant(const char *text, int len)
{
	Instant instant;

	return read_instant(text, len, &instant) ? encode_instant(&instant) : NULL;
}

bool
kg_key_instant_micros(const char *text, int len, int64 *micros)
{
	Instant instant;
	int64 fraction = 0;

	if (!read_instant(text, len, &instant))
		return false;
	for (int i = 0; i < 6; i++)
		fraction = fraction * 10 +
				   (i < instant.fraction_len ? instant.fraction[i] - '0' : 0);
	*micros = (instant.seconds - (int64) POSTGRES_EPOCH_JDATE * SECS_PER_DAY) *
				  USECS_PER_SEC +
			  fraction;
	return true;
}

static bytea *
encode_enum(const KgField *field, const JsonbValue *value)
{
	char *text = kg_json_cstring(value);

	for (int i = 0; i < field->nenum; i++)
	{
		if (strcmp(field->enum_values[i], text) == 0)
		{
			StringInfoData key;

			begin_key(&key, TAG_ENUM);
			appendStringInfoChar(&key, (char) ((i >> 8) & 0xff));
			appendStringInfoChar(&key, (char) (i & 0xff));
			return end_key(&key);
		}
	}
	return NULL;
}

bytea *
kg_key_encode(const KgField *field, const JsonbValue *value)
{
	StringInfoData key;

	if (value == NULL || value->type == jbvNull)
		return kg_key_missing();
	switch (field->kind)
	{
		case KG_KIND_ENUM:
			return encode_enum(field, value);
		case KG_KIND_STRING:
			if (value->type != jbvString)
				return NULL;
			if (field->by_version)
				return encode_version(value->val.string.val,
									  value->val.string.len);
			return encode_text(value->val.string.val, value->val.string.len);
		case KG_KIND_DATE:
			if (value->type != jbvString)
				return NULL;
			return encode_date(value->val.string.val, value->val.string.len);
		case KG_KIND_DATETIME:
			if (value->type != jbvString)
				return NULL;
			return encode_datetime(value->val.string.val,
								   value->val.string.len);
		case KG_KIND_INTEGER:
		case KG_KIND_NUMBER:
			if (value->type != jbvNumeric)
				return NULL;
			return encode_number(value->val.numeric);
		case KG_KIND_BOOLEAN:
			if (value->type != jbvBool)
				return NULL;
			begin_key(&key, TAG_BOOLEAN);
			appendStringInfoChar(&key, value->val.boolean ? 1 : 0);
			return end_key(&key);
		case KG_KIND_OBJECT:
		case KG_KIND_ANY:
			break;
	}
	return NULL;
}

bytea *
kg_key_bound(const KgField *field, const JsonbValue *value, bool above)
{
	StringInfoData key;

	if (!field->by_version || value->type != jbvString)
		return kg_key_encode(field, value);
	begin_key(&key, TAG_VERSION);
	kg_deb_version_append(&key, value->val.string.val, value->val.string.len);
	appendStringInfoChar(&key, above ? 1 : 0);
	return end_key(&key);
}

/*
 * Returns the length of a value's key without the tag. For a text, this is the
 * length of the text.
 */
static int
key_bytes(const KgField *field, const JsonbValue *value)
{
	const bytea *key;

	if (value->type == jbvString && field->kind == KG_KIND_STRING &&
		!field->by_version)
		return value->val.string.len;
	key = kg_key_encode(field, value);
	return key ? VARSIZE_ANY_EXHDR(key) - 1 : 0;
}

bool
kg_key_fits(const KgField *field, const JsonbValue *value)
{
	int most = kg_setting_max_key_bytes;

	/*
	 * Estimate first: a number's key is at most a few bytes longer than the
	 * stored number.
	 */
	if (value->type == jbvNumeric)
		return VARSIZE_ANY(value->val.numeric) + 8 <= most ||
			   key_bytes(field, value) <= most;
	return value->type != jbvString ||
		   (value->val.string.len <= most && !field->by_version) ||
		   key_bytes(field, value) <= most;
}

KgError *
kg_key_limit_error(const KgField *field, const JsonbValue *value)
{
	return KG_ERROR(
		KG_LIMIT_EXCEEDED,
		.message = psprintf("value of indexed property \"%s\" has %d bytes; "
							"kg_graph.max_key_bytes allows %d",
							field->name,
							key_bytes(field, value),
							kg_setting_max_key_bytes),
		.keyword = "x-index",
		.expected = psprintf("at most %d bytes, or a property without x-index",
							 kg_setting_max_key_bytes));
}

bytea *
kg_key_prefix_low(const char *prefix, int len)
{
	StringInfoData key;

	begin_key(&key, TAG_TEXT);
	appendBinaryStringInfo(&key, prefix, len);
	return end_key(&key);
}

/*
 * Returns the upper bound of keys of texts with a prefix. Its last byte is ff,
 * which UTF-8 never contains, so it is above every text with the prefix.
 */
bytea *
kg_key_prefix_high(const char *prefix, int len)
{
	StringInfoData key;

	begin_key(&key, TAG_TEXT);
	appendBinaryStringInfo(&key, prefix, len);
	appendStringInfoChar(&key, (char) 0xff);
	return end_key(&key);
}

char *
kg_text_prefix_high(const char *prefix)
{
	return psprintf("%s\xf4\x8f\xbf\xbf", prefix);
}

/*
 * Decodes an integer of at most 18 digits from pairs of digits. Returns false
 * for any other number. Most numbers are such integers.
 */
static bool
decode_integer(const uint8 *pairs, int n, int exponent, uint8 mask,
			   int64 *value)
{
	int64 number = 0;

	if (n < 1 || n > 9 || exponent > 18 || exponent < 2 * n - 1)
		return false;
	for (int i = 0; i < n; i++)
		number = number * 100 + (pairs[i] ^ mask) - 1;
	if (exponent < 2 * n)
	{
		if (number % 10 != 0)
			return false;
		number /= 10;
	}
	for (int i = 2 * n; i < exponent; i++)
		number *= 10;
	*value = mask ? -number : number;
	return true;
}

static int
decode_exponent(const uint8 *p, uint8 mask)
{
	return ((p[1] ^ mask) << 16) + ((p[2] ^ mask) << 8) + (p[3] ^ mask) -
		   (1 << 22);
}

/* Returns true if the bytes have the form that encode_number() creates. */
static bool
is_number(const uint8 *p, int len)
{
	uint8 mask = len > 0 && p[0] == 0x00 ? 0xff : 0x00;

	if (len < 6)
		return len == 1 && p[0] == 0x01;
	for (int i = 4; i < len - 1; i++)
	{
		uint8 pair = p[i] ^ mask;

		if (pair < 1 || pair > 100)
			return false;
	}
	return (p[0] == 0x00 || p[0] == 0x02) && (p[len - 1] ^ mask) == 0;
}

static bool
decode_as_integer(const uint8 *p, int len, int64 *value)
{
	uint8 mask = p[0] == 0x00 ? 0xff : 0x00;

	*value = 0;
	return p[0] == 0x01 ||
		   decode_integer(
			   p + 4, len - 5, decode_exponent(p, mask), mask, value);
}

/* Returns the number that encode_number() has encoded. */
static Numeric
decode_number(const uint8 *p, int len)
{
	bool negative = p[0] == 0x00;
	uint8 mask = negative ? 0xff : 0x00;
	int64 integer;
	StringInfoData text;

	if (decode_as_integer(p, len, &integer))
		return int64_to_numeric(integer);
	initStringInfo(&text);
	appendStringInfoString(&text, negative ? "-0." : "0.");
	for (int i = 4; i < len - 1; i++)
	{
		appendStringInfo(&text, "%02d", (p[i] ^ mask) - 1);
	}
	/*
	 * Remove trailing zeros, because numeric_in() may fail if the digits do not
	 * fit.
	 */
	while (text.data[text.len - 1] == '0')
		text.len--;
	appendStringInfo(&text, "e%d", decode_exponent(p, mask));
	return DatumGetNumeric(DirectFunctionCall3(numeric_in,
											   CStringGetDatum(text.data),
											   ObjectIdGetDatum(InvalidOid),
											   Int32GetDatum(-1)));
}

static void
set_string(JsonbValue *value, char *s, int len)
{
	value->type = jbvString;
	value->val.string.val = s;
	value->val.string.len = len;
}

/*
 * Returns an instant as a date-time in UTC. RFC 3339 has years of four digits.
 * If the instant is outside of these years in UTC, it is written in the time
 * zone with the greatest offset, in which the year has four digits.
 */
static char *
instant_text(int64 seconds, const char *fraction, int len)
{
	int64 first = (int64) date2j(0, 1, 1) * SECS_PER_DAY;
	int64 end = (int64) date2j(10000, 1, 1) * SECS_PER_DAY;
	const char *zone = "Z";
	int year, month, day;

	if (seconds < first)
	{
		zone = "+23:59";
		seconds += FARTHEST_ZONE;
	}
	else if (seconds >= end)
	{
		zone = "-23:59";
		seconds -= FARTHEST_ZONE;
	}
	j2date(seconds / SECS_PER_DAY, &year, &month, &day);
	seconds %= SECS_PER_DAY;
	return psprintf("%04d-%02d-%02dT%02d:%02d:%02d%s%.*s%s",
					year,
					month,
					day,
					(int) (seconds / SECS_PER_HOUR),
					(int) (seconds / SECS_PER_MINUTE % MINS_PER_HOUR),
					(int) (seconds % SECS_PER_MINUTE),
					len > 0 ? "." : "",
					len,
					fraction,
					zone);
}

static int64
decode_seconds(const uint8 *p)
{
	uint64 u = 0;

	for (int i = 0; i < 8; i++)
		u = (u << 8) | p[i];
	return (int64) (u ^ (UINT64CONST(1) << 63));
}

/* Returns true if the bytes have the form that encode_datetime() creates. */
static bool
is_instant(const uint8 *p, int len)
{
	int64 seconds;

	if (len < 8)
		return false;
	for (int i = 8; i < len; i++)
		if (p[i] < '0' || p[i] > '9')
			return false;
	seconds = decode_seconds(p);
	return seconds >= (int64) date2j(0, 1, 1) * SECS_PER_DAY - FARTHEST_ZONE &&
		   seconds <=
			   (int64) date2j(10000, 1, 1) * SECS_PER_DAY + FARTHEST_ZONE;
}

static void
decode_datetime(const uint8 *p, int len, JsonbValue *value)
{
	char *text = instant_text(decode_seconds(p), (const char *) p + 8, len - 8);

	set_string(value, text, strlen(text));
}

bool
kg_key_day(const bytea *key, int *julian, int *second)
{
	const uint8 *p = (const uint8 *) VARDATA_ANY(key);
	int64 seconds;

	if (tag_of(key) != TAG_DATETIME ||
		!is_instant(p + 1, VARSIZE_ANY_EXHDR(key) - 1))
		return false;
	seconds = decode_seconds(p + 1);
	*julian = (int) (seconds / SECS_PER_DAY);
	*second = (int) (seconds % SECS_PER_DAY);
	return true;
}

char *
kg_key_day_text(int julian, int second)
{
	int64 first = (int64) date2j(0, 1, 1) * SECS_PER_DAY - FARTHEST_ZONE;

	return instant_text(
		Max(first, (int64) julian * SECS_PER_DAY + second), "", 0);
}

bool
kg_key_is_number(const bytea *key)
{
	const uint8 *p = (const uint8 *) VARDATA_ANY(key) + 1;

	return tag_of(key) == TAG_NUMBER &&
		   is_number(p, VARSIZE_ANY_EXHDR(key) - 1);
}

bool
kg_key_integer(const bytea *key, int64 *value)
{
	const uint8 *p = (const uint8 *) VARDATA_ANY(key) + 1;

	return kg_key_is_number(key) &&
		   decode_as_integer(p, VARSIZE_ANY_EXHDR(key) - 1, value);
}

/*
 * Returns the tag of the keys of a field's values, or 0 if values of the field
 * have no keys.
 */
static uint8
tag_of_field(const KgField *field)
{
	switch (field->kind)
	{
		case KG_KIND_ENUM:
			return TAG_ENUM;
		case KG_KIND_STRING:
			return field->by_version ? TAG_VERSION : TAG_TEXT;
		case KG_KIND_DATE:
			return TAG_TEXT;
		case KG_KIND_DATETIME:
			return TAG_DATETIME;
		case KG_KIND_INTEGER:
		case KG_KIND_NUMBER:
			return TAG_NUMBER;
		case KG_KIND_BOOLEAN:
			return TAG_BOOLEAN;
		case KG_KIND_OBJECT:
		case KG_KIND_ANY:
			break;
	}
	return 0;
}

static KG_NORETURN void
throw_foreign_key(const KgField *field)
{
	KG_THROW(KG_INTERNAL,
			 .message = psprintf("a stored key of property \"%s\" is not the "
								 "key of a value of its type",
								 field->name),
			 .hint = "kg_check() finds and repairs such keys.");
}

void
kg_key_decode(const KgField *field, const bytea *key, JsonbValue *value)
{
	const uint8 *p = (const uint8 *) VARDATA_ANY(key) + 1;
	int len = VARSIZE_ANY_EXHDR(key) - 1;
	uint8 tag = tag_of(key);
	int position;
	bool good = false;

	value->type = jbvNull;
	if (!kg_key_is_value(key))
		return;
	if (tag != tag_of_field(field))
		throw_foreign_key(field);
	switch (tag)
	{
		case TAG_BOOLEAN:
			good = len == 1;
			value->type = jbvBool;
			value->val.boolean = good && p[0] != 0;
			break;
		case TAG_ENUM:
			position = len == 2 ? (p[0] << 8) + p[1] : field->nenum;
			good = position < field->nenum;
			if (good)
				set_string(value,
						   (char *) field->enum_values[position],
						   strlen(field->enum_values[position]));
			break;
		case TAG_NUMBER:
			good = is_number(p, len);
			value->type = jbvNumeric;
			if (good)
				value->val.numeric = decode_number(p, len);
			break;
		case TAG_DATETIME:
			good = is_instant(p, len);
			if (good)
				decode_datetime(p, len, value);
			break;
		case TAG_TEXT:
			good = true;
			set_string(value, pnstrdup((const char *) p, len), len);
			break;
		case TAG_VERSION:
			/*
			 * The version's text follows the bytes of its order and one byte
			 * 00.
			 */
			good = true;
			position = Min(kg_deb_version_length(p, len) + 1, len);
			set_string(value,
					   pnstrdup((const char *) p + position, len - position),
					   len - position);
			break;
	}
	if (!good)
		throw_foreign_key(field);
}
