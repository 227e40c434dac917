/*
 * text.c
 *	  What a character of a text is; texts that may be absent; an instant
 *	  as text.
 */
#include "postgres.h"

#include "base/text.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/datetime.h"
#include "utils/json.h"

int
kg_control_len(const char *s, int len)
{
	const unsigned char *c = (const unsigned char *) s;

	if (len > 0 && (c[0] < 0x20 || c[0] == 0x7f))
		return 1;
	/* U+0080 to U+009F; in most other encodings the bytes are letters. */
	if (len > 1 && c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0 &&
		GetDatabaseEncoding() == PG_UTF8)
		return 2;
	return 0;
}

bool
kg_has_control(const char *s, int len)
{
	/* No other character has a byte of these inside, in UTF-8. */
	for (int i = 0; i < len; i++)
		if (kg_control_len(s + i, len - i) > 0)
			return true;
	return false;
}

bool
kg_text_same(const char *a, const char *b)
{
	return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

char *
kg_time_text(TimestampTz at)
{
	char text[MAXDATELEN + 1];
	int utc = 0;

	return pstrdup(JsonEncodeDateTime(
		text, TimestampTzGetDatum(at), TIMESTAMPTZOID, &utc));
}

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
