/*
 * format_net.c
 *	  Formats of addresses: IP addresses, host names and e-mail addresses.
 *	  libidn2 checks internationalized host names.
 */
#include "postgres.h"

#include <arpa/inet.h>
#include <idn2.h>

#include "mb/pg_wchar.h"
#include "schema/format.h"
#include "schema/pattern.h"
#include "utils/memutils.h"

/* RFC 1035: 255 octets on the wire are 253 characters of text. */
#define MAX_HOSTNAME 253
#define MAX_LABEL 63
/* RFC 5321 4.5.3.1.1 */
#define MAX_LOCAL_PART 64

static bool
parse_address(int family, const char *s, uint32 len)
{
	char buf[INET6_ADDRSTRLEN + 1];
	unsigned char address[16];

	if (len >= sizeof(buf))
		return false;
	memcpy(buf, s, len);
	buf[len] = '\0';
	return inet_pton(family, buf, address) == 1;
}

bool
kg_format_ipv4(const char *s, uint32 len)
{
	return parse_address(AF_INET, s, len);
}

bool
kg_format_ipv6(const char *s, uint32 len)
{
	return parse_address(AF_INET6, s, len);
}

static bool
is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		   (c >= 'A' && c <= 'Z');
}

/* The state of the check of a host name, label by label. */
typedef struct Hostname
{
	int length; /* length of the name with A-labels, dots included */
	int n;
	bool international; /* a label has non-ASCII characters */
	int used;
	char unicode[5 * MAX_HOSTNAME]; /* the U-labels, separated by NUL */
} Hostname;

/*
 * Rules of IDNA that libidn2 does not test: the characters that are allowed
 * only in a context (RFC 5892, appendix A.3 to A.9), and the Bidi rule (RFC
 * 5893, section 2). The Bidi rule applies to all labels of a name if one label
 * is right-to-left.
 */
typedef enum LabelRule
{
	RULE_CONTEXT, /* a label that matches the pattern violates the rule */
	RULE_HAS_RTL,
	RULE_RTL_LABEL,
	RULE_LTR_LABEL,
	RULE_COUNT
} LabelRule;

#define RTL "\\p{bc:R}\\p{bc:AL}"
#define NEUTRAL                                                    \
	"\\p{bc:EN}\\p{bc:ES}\\p{bc:CS}\\p{bc:ET}\\p{bc:ON}\\p{bc:BN}" \
	"\\p{bc:NSM}"

static const char *const rule_sources[RULE_COUNT] = {
	/* MIDDLE DOT must be between two l */
	"(?<!l)\\x{b7}|\\x{b7}(?!l)"
	/*
	 * Greek KERAIA must precede Greek; Hebrew GERESH, GERSHAYIM must follow
	 * Hebrew
	 */
	"|\\x{375}(?!\\p{sc:Greek})|(?<!\\p{sc:Hebrew})[\\x{5f3}\\x{5f4}]"
	/* KATAKANA MIDDLE DOT requires a Japanese character */
	"|^(?!.*[\\p{sc:Hiragana}\\p{sc:Katakana}\\p{sc:Han}]).*\\x{30fb}"
	/* the two kinds of Arabic-Indic digits must not be mixed */
	"|[\\x{660}-\\x{669}].*[\\x{6f0}-\\x{6f9}]"
	"|[\\x{6f0}-\\x{6f9}].*[\\x{660}-\\x{669}]",
	"[" RTL "\\p{bc:AN}]",
	"^(?!.*\\p{bc:EN}.*\\p{bc:AN})(?!.*\\p{bc:AN}.*\\p{bc:EN})(?=[" RTL "])"
	"[" RTL "\\p{bc:AN}" NEUTRAL "]*[" RTL "\\p{bc:EN}\\p{bc:AN}]"
	"\\p{bc:NSM}*$",
	"^(?=\\p{bc:L})[\\p{bc:L}" NEUTRAL "]*[\\p{bc:L}\\p{bc:EN}]\\p{bc:NSM}*$",
};

static bool
obeys(LabelRule rule, const char *label)
{
	static KgPattern *rules[RULE_COUNT];
	/* the steps are not limited, because a host name is short */
	int64 steps = 0;

	if (rules[rule] == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(CacheMemoryContext);

		rules[rule] = kg_pattern_compile_pcre(rule_sources[rule]);
		MemoryContextSwitchTo(caller);
	}
	return kg_pattern_matches(rules[rule], label, strlen(label), &steps);
}

/*
 * Adds a label to the name. length is its number of bytes as an A-label.
 * Returns false if the name is then too long.
 */
static bool
add_label(Hostname *name, const char *unicode, int length)
{
	int len = strlen(unicode);

	name->length += length + (name->n > 0);
	name->n++;
	if (name->length > MAX_HOSTNAME ||
		name->used + len + 1 > sizeof(name->unicode))
		return false;
	memcpy(name->unicode + name->used, unicode, len + 1);
	name->used += len + 1;
	return true;
}

/*
 * Adds an A-label. Returns false if it is not valid: if it is decoded and
 * encoded again with IDNA 2008, the result must be the same label.
 */
static bool
add_a_label(Hostname *name, const char *s, int len)
{
	char label[MAX_LABEL + 1];
	char *unicode = NULL;
	char *again = NULL;
	char copy[4 * MAX_LABEL + 1];
	bool ok;

	for (int i = 0; i < len; i++)
		label[i] = (s[i] >= 'A' && s[i] <= 'Z') ? s[i] + 32 : s[i];
	label[len] = '\0';
	ok = idn2_to_unicode_8z8z(label, &unicode, 0) == IDN2_OK &&
		 strcmp(unicode, label) != 0 && strlen(unicode) < sizeof(copy) &&
		 idn2_lookup_u8((const uint8_t *) unicode,
						(uint8_t **) &again,
						IDN2_NFC_INPUT | IDN2_NO_TR46) == IDN2_OK &&
		 strcmp(again, label) == 0;
	if (ok)
		strcpy(copy, unicode);
	if (unicode)
		idn2_free(unicode);
	if (again)
		idn2_free(again);
	name->international = true;
	return ok && !obeys(RULE_CONTEXT, copy) && add_label(name, copy, len);
}

static bool
is_ldh_label(const char *s, int len)
{
	if (len < 1 || len > MAX_LABEL || s[0] == '-' || s[len - 1] == '-')
		return false;
	for (int i = 0; i < len; i++)
	{
		if (!is_alnum(s[i]) && s[i] != '-')
			return false;
	}
	return true;
}

static bool
add_ldh_label(Hostname *name, const char *s, int len)
{
	char label[MAX_LABEL + 1];

	if (!is_ldh_label(s, len))
		return false;
	/*
	 * RFC 5891 4.2.3.1: hyphens at the third and fourth position are reserved
	 * for A-labels.
	 */
	if (len >= 4 && s[2] == '-' && s[3] == '-')
		return pg_strncasecmp(s, "xn", 2) == 0 && add_a_label(name, s, len);
	memcpy(label, s, len);
	label[len] = '\0';
	return add_label(name, label, len);
}

/*
 * Returns whether the name obeys the rules that apply to all its labels
 * together. Only an international name has such a rule. If one label has
 * right-to-left letters, all labels must obey the bidi rule of RFC 5893.
 */
static bool
is_whole(const Hostname *name)
{
	const char *label;
	bool bidi = false;

	if (!name->international)
		return true;
	for (label = name->unicode; label < name->unicode + name->used;
		 label += strlen(label) + 1)
		bidi = bidi || obeys(RULE_HAS_RTL, label);
	for (label = name->unicode; bidi && label < name->unicode + name->used;
		 label += strlen(label) + 1)
	{
		if (!obeys(RULE_RTL_LABEL, label) && !obeys(RULE_LTR_LABEL, label))
			return false;
	}
	return true;
}

bool
kg_format_hostname(const char *s, uint32 len)
{
	const char *end = s + len;
	Hostname name;

	if (len == 0 || len > MAX_HOSTNAME)
		return false;
	name.length = name.n = name.used = 0;
	name.international = false;
	for (;;)
	{
		const char *dot = memchr(s, '.', end - s);

		if (!add_ldh_label(&name, s, (dot ? dot : end) - s))
			return false;
		if (dot == NULL)
			return is_whole(&name);
		s = dot + 1;
	}
}

bool
kg_format_ldh_hostname(const char *s, uint32 len)
{
	const char *end = s + len;

	if (len == 0 || len > MAX_HOSTNAME)
		return false;
	for (;;)
	{
		const char *dot = memchr(s, '.', end - s);

		if (!is_ldh_label(s, (dot ? dot : end) - s))
			return false;
		if (dot == NULL)
			return true;
		s = dot + 1;
	}
}

/*
 * Returns the length of the label separator at s, one of the four of RFC 3490
 * 3.1, or 0.
 */
static int
separator_length(const char *s, const char *end)
{
	static const char *const wide[] = {
		"\xE3\x80\x82", "\xEF\xBC\x8E", "\xEF\xBD\xA1"};

	if (*s == '.')
		return 1;
	for (int i = 0; i < lengthof(wide); i++)
	{
		if (end - s >= 3 && memcmp(s, wide[i], 3) == 0)
			return 3;
	}
	return 0;
}

static bool
is_ascii(const char *s, int len)
{
	for (int i = 0; i < len; i++)
	{
		if ((unsigned char) s[i] >= 0x80)
			return false;
	}
	return true;
}

/*
 * Adds a label of IDNA 2008. Returns false if the label is not valid. For a
 * host name, normalize is false, and the label must already be in NFC. For an
 * e-mail address (RFC 6531), normalize is true.
 */
static bool
add_idn_label(Hostname *name, const char *s, int len, bool normalize)
{
	char label[4 * MAX_LABEL + 1];
	char *ascii = NULL;
	int length = 0;
	bool ok;

	if (len == 0 || len > 4 * MAX_LABEL)
		return false;
	if (is_ascii(s, len))
		return add_ldh_label(name, s, len);
	memcpy(label, s, len);
	label[len] = '\0';
	ok = idn2_lookup_u8((const uint8_t *) label,
						(uint8_t **) &ascii,
						IDN2_NO_TR46 | (normalize ? IDN2_NFC_INPUT : 0)) ==
		 IDN2_OK;
	if (ok)
		length = strlen(ascii);
	if (ascii)
		idn2_free(ascii);
	name->international = true;
	return ok && length <= MAX_LABEL && !obeys(RULE_CONTEXT, label) &&
		   add_label(name, label, length);
}

static bool
is_idn_hostname(const char *s, uint32 len, bool normalize)
{
	const char *end = s + len;
	Hostname name;

	if (len == 0 || len > 4 * MAX_HOSTNAME)
		return false;
	name.length = name.n = name.used = 0;
	name.international = false;
	for (;;)
	{
		const char *stop = s;
		int n = 0;

		while (stop < end && (n = separator_length(stop, end)) == 0)
			stop++;
		if (!add_idn_label(&name, s, stop - s, normalize))
			return false;
		if (stop == end)
			return is_whole(&name);
		s = stop + n;
	}
}

bool
kg_format_idn_hostname(const char *s, uint32 len)
{
	return is_idn_hostname(s, len, false);
}

static bool
is_atext(unsigned char c, bool international)
{
	if (c >= 0x80)
		return international;
	return is_alnum(c) || (c != '\0' && strchr("!#$%&'*+-/=?^_`{|}~", c));
}

/*
 * Returns true for the local part of an e-mail address (RFC 5321): a dot-string
 * or a quoted string.
 */
static bool
is_local_part(const char *s, int len, bool international)
{
	if (len == 0 || len > MAX_LOCAL_PART)
		return false;
	if (s[0] == '"')
	{
		if (len < 2 || s[len - 1] != '"')
			return false;
		for (int i = 1; i < len - 1; i++)
		{
			unsigned char c = s[i];

			if (c == '\\')
			{
				if (++i >= len - 1)
					return false;
				c = s[i];
			}
			else if (c == '"')
				return false;
			if (c < 32 || c == 127 || (c >= 0x80 && !international))
				return false;
		}
		return true;
	}
	for (int i = 0; i < len; i++)
	{
		if (s[i] == '.')
		{
			if (i == 0 || i == len - 1 || s[i - 1] == '.')
				return false;
		}
		else if (!is_atext(s[i], international))
			return false;
	}
	return true;
}

static bool
is_mailbox(const char *s, uint32 len, bool international)
{
	const char *at = NULL;
	const char *domain;
	int n;

	/*
	 * The last @ is the separator, because a quoted local part may contain @.
	 */
	for (int i = 0; i < len; i++)
	{
		if (s[i] == '@')
			at = s + i;
	}
	if (at == NULL || !is_local_part(s, at - s, international))
		return false;
	domain = at + 1;
	n = s + len - domain;
	if (n >= 2 && domain[0] == '[' && domain[n - 1] == ']')
	{
		if (n > 7 && pg_strncasecmp(domain + 1, "IPv6:", 5) == 0)
			return kg_format_ipv6(domain + 6, n - 7);
		return kg_format_ipv4(domain + 1, n - 2);
	}
	return international ? is_idn_hostname(domain, n, true)
						 : kg_format_hostname(domain, n);
}

bool
kg_format_email(const char *s, uint32 len)
{
	return is_mailbox(s, len, false);
}

bool
kg_format_idn_email(const char *s, uint32 len)
{
	return is_mailbox(s, len, true);
}
