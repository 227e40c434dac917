/*
 * format_time.c
 *	  Formats of dates, times and durations (RFC 3339).
 */
#include "postgres.h"

#include "schema/format.h"

/* Reads n digits as a number. Returns -1 if a character is not a digit. */
static int
digits(const char *s, int n)
{
	int value = 0;

	for (int i = 0; i < n; i++)
	{
		if (s[i] < '0' || s[i] > '9')
			return -1;
		value = value * 10 + (s[i] - '0');
	}
	return value;
}

bool
kg_format_date(const char *s, uint32 len)
{
	static const int month_days[] = {
		31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year;
	int month;
	int day;
	int last;

	if (len != 10 || s[4] != '-' || s[7] != '-')
		return false;
	year = digits(s, 4);
	month = digits(s + 5, 2);
	day = digits(s + 8, 2);
	if (year < 0 || month < 1 || month > 12 || day < 1)
		return false;
	last = month_days[month - 1];
	if (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))
		last = 29;
	return day <= last;
}

bool
kg_format_time(const char *s, uint32 len)
{
	const char *end = s + len;
	int hour;
	int minute;
	int second;
	int offset = 0;

	/* At least hh:mm:ssZ is required. */
	if (len < 9 || s[2] != ':' || s[5] != ':')
		return false;
	hour = digits(s, 2);
	minute = digits(s + 3, 2);
	second = digits(s + 6, 2);
	if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
		second > 60)
		return false;
	s += 8;
	if (*s == '.')
	{
		const char *fraction = ++s;

		while (s < end && *s >= '0' && *s <= '9')
			s++;
		if (s == fraction)
			return false;
	}
	if (end - s == 6 && (*s == '+' || *s == '-'))
	{
		int hours = digits(s + 1, 2);
		int minutes = digits(s + 4, 2);

		if (s[3] != ':' || hours < 0 || hours > 23 || minutes < 0 ||
			minutes > 59)
			return false;
		offset = (hours * 60 + minutes) * (*s == '-' ? -1 : 1);
	}
	else if (end - s != 1 || (*s != 'Z' && *s != 'z'))
		return false;
	/* A leap second is valid only as the last second of a UTC day. */
	if (second == 60)
	{
		int utc = (hour * 60 + minute - offset + 2 * 1440) % 1440;

		return utc == 1439;
	}
	return true;
}

bool
kg_format_date_time(const char *s, uint32 len)
{
	return len > 11 && (s[10] == 'T' || s[10] == 't') &&
		   kg_format_date(s, 10) && kg_format_time(s + 11, len - 11);
}

/*
 * Reads components of a duration, each of digits and a unit letter. No unit may
 * be skipped ("P1Y2D" is invalid), as in the grammar of RFC 3339, appendix A.
 * Returns the number of components, or -1 if a component is invalid.
 */
static int
components(const char **s, const char *end, const char *units)
{
	int last = -1;
	int n = 0;

	while (*s < end && **s != 'T')
	{
		const char *start = *s;
		const char *unit;

		while (*s < end && **s >= '0' && **s <= '9')
			(*s)++;
		if (*s == start || *s >= end)
			return -1;
		unit = strchr(units, **s);
		if (unit == NULL || *unit == '\0')
			return -1;
		if (last >= 0 && unit - units != last + 1)
			return -1;
		last = unit - units;
		(*s)++;
		n++;
	}
	return n;
}

bool
kg_format_duration(const char *s, uint32 len)
{
	const char *end = s + len;
	int dates;
	int times = 0;

	if (len < 3 || *s++ != 'P')
		return false;
	if (end[-1] == 'W')
	{
		for (; s < end - 1; s++)
		{
			if (*s < '0' || *s > '9')
				return false;
		}
		return true;
	}
	dates = components(&s, end, "YMD");
	if (dates < 0)
		return false;
	if (s < end)
	{
		s++;
		times = components(&s, end, "HMS");
		if (times <= 0 || s < end)
			return false;
	}
	return dates + times > 0;
}
