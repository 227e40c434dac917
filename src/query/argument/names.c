/*
 * names.c
 *	  Names that other tools, query languages and calendars use for kg_graph's
 *	  arguments. The lists are files of query/words.
 *
 * The names serve only for corrections: an error suggests the name that was
 * probably meant, and the call is not run with this name.
 */
#include "postgres.h"

#include <ctype.h>

#include "base/error.h"
#include "base/meaning.h"
#include "query/argument/arguments.h"
#include "query/argument/names.h"
#include "query/words/lists.h"
#include "schema/format.h"
#include "utils/datetime.h"

bool
kg_name_spelled(const char *a, const char *b)
{
	for (;;)
	{
		while (*a == '_' || *a == '-' || *a == ' ')
			a++;
		while (*b == '_' || *b == '-' || *b == ' ')
			b++;
		if (pg_tolower((unsigned char) *a) != pg_tolower((unsigned char) *b))
			return false;
		if (*a == '\0')
			return true;
		a++;
		b++;
	}
}

static bool
group_has(const char *const *group, const char *name)
{
	for (int i = 1; group[i] != NULL; i++)
		if (kg_name_spelled(group[i], name))
			return true;
	return false;
}

static const char *
among(const char *name, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return names[i];
	return NULL;
}

static bool
says_number(const JsonbValue *value)
{
	JsonbValue number;

	return value->type == jbvNumeric ||
		   (value->type == jbvString && (kg_json_number_of(value, &number) ||
										 kg_means_all(kg_json_cstring(value)) ||
										 kg_meant_count(value) != NULL));
}

/*
 * Returns whether the value can be meant for the argument, possibly in another
 * form. If member is NULL, the argument may have any value.
 */
static bool
may_be(const KgMember *member, const JsonbValue *value)
{
	bool object = kg_json_is_object(value);

	if (member == NULL)
		return true;
	if (member->filters)
		return object || kg_json_is_array(value);
	if (member->of_names)
		return !object;
	if (member->array)
		return member->inner == NULL || member->inner->n == 0 ||
			   value->type != jbvNumeric;
	if (member->object)
		return object || value->type == jbvString;
	/*
	 * An argument that is a number or "all" has the type string, too, and a
	 * default number.
	 */
	if (member->number && (!member->string || member->default_number.given))
		return says_number(value);
	if (member->string && !member->number && member->nnames == 0)
		return value->type == jbvString;
	return true;
}

/*
 * Returns whether the other names in the group must not be used for the
 * argument "type" of this object. The lists have two groups for "type": names
 * of relationship types, and names of entity types such as "node_label". In a
 * step, which has an end ("to"), "type" is a relationship type. Elsewhere it is
 * an entity type.
 */
static bool
is_of_other_type(const char *const *group, const KgOutline *known)
{
	bool step = among("to", known->names, known->n) != NULL;

	return strcmp(group[0], "type") == 0 &&
		   step == (strcmp(group[1], "node_label") == 0);
}

/*
 * Returns whether the object has the argument. An object may have only one of
 * id and ids, so each of them counts as the other.
 */
static bool
is_given(const JsonbContainer *object, const char *ours)
{
	JsonbValue value;

	return kg_json_get(object, ours, &value) != NULL ||
		   (strcmp(ours, "id") == 0 &&
			kg_json_get(object, "ids", &value) != NULL) ||
		   (strcmp(ours, "ids") == 0 &&
			kg_json_get(object, "id", &value) != NULL);
}

/*
 * Returns whether the tool has both "id" and "ids", the argument is one of
 * them, and the value has the form of the other. An array belongs to "ids", any
 * other value to "id".
 */
static bool
is_of_other_number(const char *ours, const JsonbValue *value,
				   const KgOutline *known)
{
	bool array = kg_json_is_array(value);

	return strcmp(ours, array ? "id" : "ids") == 0 &&
		   among(array ? "ids" : "id", known->names, known->n) != NULL;
}

const char *
kg_name_same(const JsonbContainer *object, const char *name,
			 const JsonbValue *value, const KgOutline *known)
{
	const char *found = NULL;
	int n = 0;

	for (int i = 0; kg_words_of_names[i] != NULL; i++)
	{
		const char *const *group = kg_words_of_names[i];
		const char *ours = among(group[0], known->names, known->n);

		if (ours == NULL || ours == found || !group_has(group, name) ||
			is_of_other_type(group, known) ||
			!may_be(kg_outline_member(known, ours, strlen(ours)), value) ||
			is_given(object, ours) || is_of_other_number(ours, value, known))
			continue;
		found = ours;
		n++;
	}
	return n == 1 ? found : NULL;
}

bool
kg_name_means(const JsonbContainer *object, const char *name,
			  const JsonbValue *value, const char *ours, const KgMember *member)
{
	const KgOutline known = {.n = 1, .names = &ours, .members = member};

	return strcmp(name, ours) == 0 ||
		   kg_name_same(object, name, value, &known) != NULL;
}

const char *
kg_name_meant(const JsonbContainer *object, const char *name,
			  const JsonbValue *value, const KgOutline *known, bool *sure)
{
	const char *meant = kg_name_same(object, name, value, known);

	*sure = true;
	for (int i = 0; i < known->n; i++)
		if (kg_name_spelled(name, known->names[i]))
			return known->names[i];
	if (meant != NULL)
		return meant;
	meant = kg_nearest(name, known->names, known->n);
	*sure = meant != NULL && kg_is_respelled_argument(name, meant) &&
			!kg_has_rival(name, meant, known->names, known->n) &&
			!is_given(object, meant) &&
			may_be(kg_outline_member(known, meant, strlen(meant)), value);
	return meant;
}

/* Returns the word of an enum that another word means, or NULL. */
static const char *
value_meant(const char *word, const char *const *words, int nwords)
{
	for (int i = 0; kg_words_of_values[i] != NULL; i++)
	{
		const char *ours = among(kg_words_of_values[i][0], words, nwords);

		if (ours != NULL && group_has(kg_words_of_values[i], word))
			return ours;
	}
	return NULL;
}

const char *
kg_word_meant(const char *word, const char *const *words, int nwords,
			  bool *sure)
{
	const char *meant = value_meant(word, words, nwords);

	*sure = meant != NULL;
	return meant != NULL ? meant : kg_nearest(word, words, nwords);
}

const char *
kg_order_meant(const JsonbValue *value)
{
	static const char *const orders[] = {"asc", "desc"};
	char *word;
	int64 sign;

	if (kg_json_int64(value, &sign))
		return sign == 1 ? orders[0] : sign == -1 ? orders[1] : NULL;
	if (value->type != jbvString)
		return NULL;
	word = kg_json_cstring(value);
	for (int i = 0; i < lengthof(orders); i++)
		if (pg_strcasecmp(word, orders[i]) == 0)
			return orders[i];
	return value_meant(word, orders, lengthof(orders));
}

bool
kg_means_all(const char *word)
{
	static const char *const all[] = {"all",
									  "any",
									  "max",
									  "maximum",
									  "unlimited",
									  "unbounded",
									  "no_limit",
									  "infinite",
									  "infinity",
									  "inf",
									  "everything",
									  "full",
									  "*"};

	/* Other tools use -1 for "all". Signs are not compared below. */
	if (strcmp(word, "-1") == 0)
		return true;
	for (int i = 0; i < lengthof(all); i++)
		if (kg_name_spelled(word, all[i]))
			return true;
	return false;
}

Jsonb *
kg_meant_count(const JsonbValue *value)
{
	static const char *const words[] = {"zero",
										"one",
										"two",
										"three",
										"four",
										"five",
										"six",
										"seven",
										"eight",
										"nine",
										"ten",
										"eleven",
										"twelve"};
	char *text;
	int digits;

	if (value->type != jbvString)
		return NULL;
	text = kg_json_cstring(value);
	for (int i = 0; i < lengthof(words); i++)
		if (kg_name_spelled(text, words[i]))
			return kg_json_parse(psprintf("%d", i));
	/* A number with a unit, such as "3 hops". */
	digits = strspn(text, "0123456789");
	if (digits == 0 || digits > 9 || text[digits] != ' ' ||
		strspn(text + digits, " abcdefghijklmnopqrstuvwxyz") !=
			strlen(text + digits))
		return NULL;
	return kg_json_parse(psprintf("%d", atoi(text)));
}

Jsonb *
kg_meant_bool(const JsonbValue *value)
{
	static const char *const yes[] = {"yes", "y", "1", "true", "t", "on"};
	static const char *const no[] = {"no", "n", "0", "false", "f", "off"};
	char *text;

	if (value->type != jbvString && value->type != jbvNumeric)
		return NULL;
	text = kg_json_cstring(value);
	for (int i = 0; i < lengthof(yes); i++)
	{
		if (pg_strcasecmp(text, yes[i]) == 0)
			return kg_json_parse("true");
		if (pg_strcasecmp(text, no[i]) == 0)
			return kg_json_parse("false");
	}
	return NULL;
}

/* ---- dates ---- */

typedef struct Parts
{
	int n;
	int numbers[3];
	int digits[3];
	/* number of the month if the text has the name of a month; otherwise 0 */
	int month;
	int month_at;
	char sign; /* character that separates the first two numbers */
} Parts;

static int
month_named(const char *word, int len)
{
	static const char *const months[] = {"january",
										 "february",
										 "march",
										 "april",
										 "may",
										 "june",
										 "july",
										 "august",
										 "september",
										 "october",
										 "november",
										 "december"};

	for (int i = 0; i < lengthof(months); i++)
		if (len >= 3 && len <= (int) strlen(months[i]) &&
			pg_strncasecmp(word, months[i], len) == 0)
			return i + 1;
	return 0;
}

/*
 * Returns whether a word belongs to a day, as in "1st", "2nd" or "5 of March".
 */
static bool
is_filler(const char *word, int len)
{
	static const char *const words[] = {"st", "nd", "rd", "th", "of"};

	for (int i = 0; i < lengthof(words); i++)
		if (len == (int) strlen(words[i]) &&
			pg_strncasecmp(word, words[i], len) == 0)
			return true;
	return false;
}

/*
 * Returns whether the character is a minus sign, not a separator of two
 * numbers.
 */
static bool
is_minus(const char *text, const char *p)
{
	return *p == '-' && isdigit((unsigned char) p[1]) &&
		   (p == text || !isalnum((unsigned char) p[-1]));
}

/*
 * Reads up to three numbers and the name of a month, in any order. Returns
 * false for any other text, such as a year before 1. Only separators and words
 * such as "of" may stand between these parts.
 */
static bool
read_parts(const char *text, Parts *parts)
{
	const char *p = text;

	memset(parts, 0, sizeof(*parts));
	while (*p != '\0')
	{
		const char *start = p;

		if (isdigit((unsigned char) *p))
		{
			if (parts->n == 3)
				return false;
			while (isdigit((unsigned char) *p))
				p++;
			if (p - start > 8)
				return false;
			parts->numbers[parts->n] = atoi(start);
			parts->digits[parts->n++] = (int) (p - start);
			if (parts->n == 1)
				parts->sign = *p;
		}
		else if (isalpha((unsigned char) *p))
		{
			int month;

			while (isalpha((unsigned char) *p))
				p++;
			month = month_named(start, (int) (p - start));
			if (is_filler(start, (int) (p - start)))
				continue;
			if (month == 0 || parts->month != 0)
				return false;
			parts->month = month;
			parts->month_at = parts->n;
		}
		else if (strchr(" /-.,", *p) != NULL && !is_minus(text, p))
			p++;
		else
			return false;
	}
	return true;
}

/* Returns a day that has only one reading as YYYY-MM-DD, or else NULL. */
static char *
meant_day(const char *text)
{
	Parts p;
	int y = 0;
	int m = 0;
	int d = 0;
	char *day;

	if (!read_parts(text, &p))
		return NULL;
	if (p.n == 1 && p.digits[0] == 8 && p.month == 0)
	{
		y = p.numbers[0] / 10000;
		m = p.numbers[0] / 100 % 100;
		d = p.numbers[0] % 100;
	}
	else if (p.n == 2 && p.month != 0)
	{
		bool first = p.digits[0] == 4;

		y = p.numbers[first ? 0 : 1];
		m = p.month;
		d = p.numbers[first ? 1 : 0];
		if (p.digits[first ? 0 : 1] != 4)
			return NULL;
	}
	else if (p.n == 3 && p.month == 0 && p.digits[0] == 4)
	{
		y = p.numbers[0];
		m = p.numbers[1];
		d = p.numbers[2];
	}
	else if (p.n == 3 && p.month == 0 && p.digits[2] == 4)
	{
		/*
		 * The day comes first if points separate, or if the number cannot be a
		 * month.
		 */
		bool day_first = p.sign == '.' || p.numbers[0] > 12;

		if (!day_first && p.numbers[1] <= 12 && p.numbers[0] != p.numbers[1])
			return NULL;
		y = p.numbers[2];
		m = p.numbers[day_first ? 1 : 0];
		d = p.numbers[day_first ? 0 : 1];
	}
	else
		return NULL;
	day = psprintf("%04d-%02d-%02d", y, m, d);
	return kg_format_date(day, strlen(day)) ? day : NULL;
}

/*
 * Returns a time and its zone in the format of a date-time. Without a zone it
 * is UTC.
 */
static char *
meant_time(const char *text)
{
	int len = strspn(text, "0123456789:.");
	const char *zone = text + len;
	char *time = pnstrdup(text, len);

	while (*zone == ' ')
		zone++;
	if (*zone == '\0' || pg_strcasecmp(zone, "utc") == 0 ||
		pg_strcasecmp(zone, "gmt") == 0)
		zone = "Z";
	else if (strlen(zone) == 5 && strspn(zone + 1, "0123456789") == 4)
		zone = psprintf("%.3s:%s", zone, zone + 3);
	if (strchr(time, ':') != NULL && strchr(time, ':') == strrchr(time, ':'))
		time = psprintf("%s:00", time);
	return psprintf("%s%s", time, zone);
}

/*
 * Returns a text such as "2024-03-05 10:30" as a date-time, in UTC if it has
 * no zone. Returns NULL if the text does not have this form.
 */
static char *
meant_time_of_day(const char *text)
{
	const char *time = strchr(text, ':');
	int len;
	char *day;
	char *instant;

	if (time == NULL)
		return NULL;
	while (time > text && isdigit((unsigned char) time[-1]))
		time--;
	len = (int) (time - text);
	if (len > 0 && (text[len - 1] == 'T' || text[len - 1] == 't'))
		len--;
	day = meant_day(pnstrdup(text, len));
	if (day == NULL)
		return NULL;
	instant = psprintf("%sT%s", day, meant_time(time));
	return kg_format_date_time(instant, strlen(instant)) ? instant : NULL;
}

/*
 * Returns a text with a day and perhaps a time as a date-time, in UTC if it
 * has no zone. A day alone is the beginning of the day. Returns NULL for any
 * other text.
 */
static char *
meant_instant(const char *text)
{
	char *day = meant_day(text);

	return day != NULL ? psprintf("%sT00:00:00Z", day)
					   : meant_time_of_day(text);
}

/* ---- numbers ---- */

/*
 * Returns the number of bytes of a blank or a sign that does not change a
 * number: "$", "#", "+" or a currency. Returns 0 for other characters, which
 * may be operators.
 */
static int
unsaid(const char *text)
{
	const unsigned char *p = (const unsigned char *) text;

	if (*p != '\0' && strchr(" $#+", *p) != NULL)
		return 1;
	/* U+00A0 to U+00A5, U+2000 to U+200A, U+202F, U+20A0 to U+20CF */
	if (p[0] == 0xC2 && p[1] >= 0xA0 && p[1] <= 0xA5)
		return 2;
	if (p[0] != 0xE2)
		return 0;
	if ((p[1] == 0x80 && ((p[2] >= 0x80 && p[2] <= 0x8A) || p[2] == 0xAF)) ||
		(p[1] == 0x82 && p[2] >= 0xA0) || (p[1] == 0x83 && p[2] <= 0x8F))
		return 3;
	return 0;
}

/*
 * Returns the number in a text with blanks, thousands separators and currency
 * signs removed. Returns NULL if the text is not a number, or if a separator is
 * not followed by three digits.
 */
static Jsonb *
meant_number(const char *text)
{
	char *out = palloc(strlen(text) + 1);
	JsonbValue string;
	JsonbValue number;
	int n = 0;
	/* digits since the last separator; -1: no separator */
	int since = -1;
	const char *p = text;

	while (unsaid(p) > 0)
		p += unsaid(p);
	for (; *p != '\0'; p++)
	{
		if (*p == ',' || *p == '_')
		{
			if (since >= 0 && since != 3)
				return NULL;
			since = 0;
			continue;
		}
		if (!isdigit((unsigned char) *p) && *p != '.' && *p != '-')
			break;
		if (isdigit((unsigned char) *p) && since >= 0)
			since++;
		if (*p == '.' && since >= 0 && since != 3)
			return NULL;
		if (*p == '.')
			since = -1;
		out[n++] = *p;
	}
	while (unsaid(p) > 0)
		p += unsaid(p);
	if (*p != '\0' || (since >= 0 && since != 3))
		return NULL;
	out[n] = '\0';
	string = kg_json_string_value(out);
	return kg_json_number_of(&string, &number) ? kg_json_datum(&number) : NULL;
}

static Jsonb *
as_string(const char *text)
{
	JsonbValue value;

	if (text == NULL)
		return NULL;
	value = kg_json_string_value(text);
	return kg_json_datum(&value);
}

Jsonb *
kg_meant_value(KgKind kind, const JsonbValue *value)
{
	char *text;

	if (value->type != jbvString && value->type != jbvNumeric)
		return NULL;
	text = kg_json_cstring(value);
	switch (kind)
	{
		case KG_KIND_BOOLEAN:
			return kg_meant_bool(value);
		case KG_KIND_INTEGER:
		case KG_KIND_NUMBER:
			return value->type == jbvString ? meant_number(text) : NULL;
		case KG_KIND_DATE:
			return as_string(meant_day(text));
		case KG_KIND_DATETIME:
			return as_string(meant_time_of_day(text));
		case KG_KIND_STRING:
			return value->type == jbvNumeric ? as_string(text) : NULL;
		case KG_KIND_ENUM:
		case KG_KIND_OBJECT:
		case KG_KIND_ANY:
			break;
	}
	return NULL;
}

Jsonb *
kg_meant_instant(const char *text)
{
	/* If the text is a valid date-time already, the error has another cause. */
	return kg_format_date_time(text, strlen(text))
			   ? NULL
			   : as_string(meant_instant(text));
}

/*
 * Returns the first day of a month that is given by name with a year ("June
 * 2026"), or else NULL.
 */
static char *
meant_month_by_name(const char *text)
{
	Parts p;

	if (!read_parts(text, &p) || p.n != 1 || p.month == 0 || p.digits[0] != 4)
		return NULL;
	return psprintf("%04d-%02d-01", p.numbers[0], p.month);
}

/*
 * Returns the first day of a year or month, and sets its number of months.
 * Returns NULL if the text is neither a year nor a month.
 */
static char *
meant_months(const char *text, int *months)
{
	static const struct
	{
		const char *rest;
		int months;
	} ends[] = {{"-01-01", 12}, {"-01", 1}};

	for (int i = 0; i < lengthof(ends); i++)
	{
		char *day = psprintf("%s%s", text, ends[i].rest);

		*months = ends[i].months;
		if (kg_format_date(day, strlen(day)))
			return day;
	}
	*months = 1;
	return meant_month_by_name(text);
}

bool
kg_meant_days(const JsonbValue *value, char **first, char **after)
{
	int months = 0;
	int year;
	int month;
	int day;

	if (value->type != jbvString && value->type != jbvNumeric)
		return false;
	*first = meant_day(kg_json_cstring(value));
	if (*first == NULL)
		*first = meant_months(kg_json_cstring(value), &months);
	if (*first == NULL ||
		sscanf(*first, "%4d-%2d-%2d", &year, &month, &day) != 3)
		return false;
	month += months;
	j2date(date2j(year + (month - 1) / 12, (month - 1) % 12 + 1, day) +
			   (months == 0 ? 1 : 0),
		   &year,
		   &month,
		   &day);
	*after = psprintf("%04d-%02d-%02d", year, month, day);
	return kg_format_date(*after, strlen(*after));
}
