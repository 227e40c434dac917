/*
 * format.c
 *	  The formats of the JSON Schema specification, by name.
 */
#include "postgres.h"

#include "base/text.h"
#include "schema/format.h"
#include "schema/regex.h"
#include "utils/memutils.h"

/* Returns true for a UUID of RFC 4122 with any version and variant. */
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

#define ALL (KG_OPENAPI_30 | KG_SINCE_04)

static const struct
{
	const char *name;
	KgFormatCheck check;
	int dialects;
	const char *phrase;
} formats[] = {
	{"date",
	 kg_format_date,
	 KG_OPENAPI_30 | KG_SINCE_07,
	 "a date like 2026-11-21"},
	{"date-time",
	 kg_format_date_time,
	 ALL,
	 "a date-time like 2026-11-21T08:30:00Z"},
	{"duration", kg_format_duration, KG_SINCE_2019, "a duration like P1DT12H"},
	{"email", kg_format_email, ALL, "an e-mail address"},
	{"hostname", kg_format_hostname, KG_SINCE_07, "a host name"},
	{"hostname", kg_format_ldh_hostname, ALL & ~KG_SINCE_07, "a host name"},
	{"idn-email",
	 kg_format_idn_email,
	 KG_SINCE_07,
	 "an e-mail address, internationalized or not"},
	{"idn-hostname",
	 kg_format_idn_hostname,
	 KG_SINCE_07,
	 "a host name, internationalized or not"},
	{"ipv4", kg_format_ipv4, ALL, "an IPv4 address like 192.0.2.1"},
	{"ipv6", kg_format_ipv6, ALL, "an IPv6 address like 2001:db8::1"},
	{"iri", kg_format_iri, KG_SINCE_07, "an absolute IRI"},
	{"iri-reference", kg_format_iri_reference, KG_SINCE_07, "an IRI reference"},
	{"json-pointer",
	 kg_format_json_pointer,
	 KG_SINCE_06,
	 "a JSON Pointer like /items/0"},
	{"regex", format_regex, KG_SINCE_07, "a regular expression of ECMA-262"},
	{"relative-json-pointer",
	 kg_format_relative_json_pointer,
	 KG_SINCE_07,
	 "a relative JSON Pointer like 1/name"},
	{"time", kg_format_time, KG_SINCE_07, "a time with offset like 08:30:00Z"},
	{"uri", kg_format_uri, ALL, "an absolute URI like https://example.com/"},
	{"uri-reference", kg_format_uri_reference, KG_SINCE_06, "a URI reference"},
	{"uri-template", kg_format_uri_template, KG_SINCE_06, "a URI template"},
	{"uuid",
	 format_uuid,
	 KG_SINCE_2019,
	 "a UUID like 6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
};

static int
find(const char *name, int len, int dialects)
{
	for (int i = 0; i < lengthof(formats); i++)
	{
		if ((formats[i].dialects & dialects) != 0 &&
			strlen(formats[i].name) == len &&
			strncmp(formats[i].name, name, len) == 0)
			return i;
	}
	return -1;
}

KgFormatCheck
kg_format_find(const char *name, int len, KgDialect dialect)
{
	int i = find(name, len, dialect);

	return i >= 0 ? formats[i].check : NULL;
}

const char *
kg_format_phrase(const char *name, int len)
{
	int i = find(name, len, ALL);

	return i >= 0 ? formats[i].phrase : NULL;
}
