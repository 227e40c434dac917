/*
 * text.c
 *	  Control characters, nullable texts, hash tables with text keys, and
 *	  timestamps as text.
 */
#include "postgres.h"

#include "base/text.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/json.h"

int
kg_control_len(const char *s, int len)
{
	const unsigned char *c = (const unsigned char *) s;

	if (len > 0 && (c[0] < 0x20 || c[0] == 0x7f))
		return 1;
	/*
	 * U+0080 to U+009F in UTF-8; in most other encodings these bytes are
	 * letters.
	 */
	if (len > 1 && c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0 &&
		GetDatabaseEncoding() == PG_UTF8)
		return 2;
	return 0;
}

bool
kg_has_control(const char *s, int len)
{
	/* In UTF-8 no other character contains these bytes. */
	for (int i = 0; i < len; i++)
		if (kg_control_len(s + i, len - i) > 0)
			return true;
	return false;
}

int
kg_distinct_texts(const char **texts, int n)
{
	int kept = 0;

	qsort(texts, n, sizeof(char *), pg_qsort_strcmp);
	for (int i = 0; i < n; i++)
		if (kept == 0 || strcmp(texts[kept - 1], texts[i]) != 0)
			texts[kept++] = texts[i];
	return kept;
}

bool
kg_text_same(const char *a, const char *b)
{
	return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

static uint32
hash_key(const void *key, Size size)
{
	const char *s = *(const char *const *) key;

	return hash_bytes((const unsigned char *) s, strlen(s));
}

static int
compare_keys(const void *a, const void *b, Size size)
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

HTAB *
kg_text_table(const char *name, Size entry, MemoryContext context)
{
	HASHCTL ctl = {.keysize = sizeof(const char *),
				   .entrysize = entry,
				   .hash = hash_key,
				   .match = compare_keys,
				   .hcxt = context};

	return hash_create(name,
					   32,
					   &ctl,
					   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
}

static int
write_time(TimestampTz at, char *text)
{
	int utc = 0;

	JsonEncodeDateTime(text, TimestampTzGetDatum(at), TIMESTAMPTZOID, &utc);
	return strlen(text);
}

/*
 * Writes the text of a time and returns its length. Each audit record of a call
 * has a time, so the text up to the fraction is cached for a second.
 */
int
kg_time_write(TimestampTz at, char *text)
{
	static const char zone[] = "+00:00";
	static TimestampTz second = -1;
	static char known[KG_MAX_TIME_TEXT];
	static int len;
	int us = at % USECS_PER_SEC;
	char *to = text;

	if (at < 0 || !IS_VALID_TIMESTAMP(at))
		return write_time(at, text);
	if (at - us != second)
	{
		second = -1;
		len = write_time(at - us, known) - strlen(zone);
		second = at - us;
	}
	memcpy(to, known, len);
	to += len;
	if (us > 0)
	{
		*to++ = '.';
		(void) pg_ultostr_zeropad(to, us, 6);
		for (to += 6; to[-1] == '0'; to--)
			;
	}
	memcpy(to, zone, sizeof(zone));
	return to + strlen(zone) - text;
}

char *
kg_time_text(TimestampTz at)
{
	char text[KG_MAX_TIME_TEXT];

	(void) kg_time_write(at, text);
	return pstrdup(text);
}

StaticAssertDecl(KG_MAX_TIME_TEXT > MAXDATELEN, "room for any time");

char *
kg_utc_text(TimestampTz at)
{
	struct pg_tm tm;
	fsec_t fsec;

	if (timestamp2tm(at, NULL, &tm, &fsec, NULL, NULL) != 0)
		elog(ERROR, "timestamp out of range");
	return psprintf("%04d-%02d-%02dT%02d:%02d:%02dZ",
					tm.tm_year,
					tm.tm_mon,
					tm.tm_mday,
					tm.tm_hour,
					tm.tm_min,
					tm.tm_sec);
}
