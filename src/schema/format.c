/*
 * format.c
 *	  The formats of the JSON Schema specification, by name.
 */
#include "postgres.h"

#include "base/text.h"
#include "schema/format.h"
#include "schema/regex.h"
#include "utils/memutils.h"

/* RFC 4122: any version and variant. */
static bool
format_uuid(const char *s, uint32 len)
{
	if (len != 36)
		return false;
	for (int i = 0; i < 36; i++)
	{
		bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;

		if (hyphen ? s[i] != '-' : kg_hex_digit(s[i]) < 0)
			return false;
	}
	return true;
}

static bool
format_regex(const char *s, uint32 len)
{
	MemoryContext work = AllocSetContextCreate(
		CurrentMemoryContext, "kg regex", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	KgPatternFault fault;
	int position;
	bool ok = kg_regex_parse(s, len, &fault, &position) != NULL;

	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return ok;
}

#define ALL (KG_DRAFT_07 | KG_DRAFT_2019 | KG_DRAFT_2020)
#define NEW (KG_DRAFT_2019 | KG_DRAFT_2020)

static const struct
{
	const char *name;
	KgFormatCheck check;
	int dialects;
	const char *phrase;
} formats[] = {
	{"date", kg_format_date, ALL, "a date like 2026-11-21"},
	{"date-time",
	 kg_format_date_time,
	 ALL,
	 "a date-time like 2026-11-21T08:30:00Z"},
	{"duration", kg_format_duration, NEW, "a duration like P1DT12H"},
	{"email", kg_format_email, ALL, "an e-mail address"},
	{"hostname", kg_format_hostname, ALL, "a host name"},
	{"idn-email",
	 kg_format_idn_email,
	 ALL,
	 "an e-mail address, internationalized or not"},
	{"idn-hostname",
	 kg_format_idn_hostname,
	 ALL,
	 "a host name, internationalized or not"},
	{"ipv4", kg_format_ipv4, ALL, "an IPv4 address like 192.0.2.1"},
	{"ipv6", kg_format_ipv6, ALL, "an IPv6 address like 2001:db8::1"},
	{"iri", kg_format_iri, ALL, "an absolute IRI"},
	{"iri-reference", kg_format_iri_reference, ALL, "an IRI reference"},
	{"json-pointer",
	 kg_format_json_pointer,
	 ALL,
	 "a JSON Pointer like /items/0"},
	{"regex", format_regex, ALL, "a regular expression of ECMA-262"},
	{"relative-json-pointer",
	 kg_format_relative_json_pointer,
	 ALL,
	 "a relative JSON Pointer like 1/name"},
	{"time", kg_format_time, ALL, "a time with offset like 08:30:00Z"},
	{"uri", kg_format_uri, ALL, "an absolute URI like https://example.com/"},
	{"uri-reference", kg_format_uri_reference, ALL, "a URI reference"},
	{"uri-template", kg_format_uri_template, ALL, "a URI template"},
	{"uuid",
	 format_uuid,
	 NEW,
	 "a UUID like 6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
};

static int
find(const char *name, int len)
{
	for (int i = 0; i < lengthof(formats); i++)
	{
		if (strlen(formats[i].name) == len &&
			strncmp(formats[i].name, name, len) == 0)
			return i;
	}
	return -1;
}

KgFormatCheck
kg_format_find(const char *name, int len, KgDialect dialect)
{
	int i = find(name, len);

	return i >= 0 && (formats[i].dialects & dialect) ? formats[i].check : NULL;
}

const char *
kg_format_phrase(const char *name, int len)
{
	int i = find(name, len);

	return i >= 0 ? formats[i].phrase : NULL;
}
