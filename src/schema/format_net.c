/*
 * format_net.c
 *	  Addresses: IP, host names (libidn2 for internationalized ones), e-mail.
 */
#include "postgres.h"

#include <arpa/inet.h>
#include <idn2.h>

#include "mb/pg_wchar.h"
#include "schema/format.h"

/* RFC 1035: 255 octets on the wire, 253 characters as text. */
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

/*
 * An A-label must be what IDNA 2008 makes of the U-label inside: decoding and
 * encoding it again gives it back.
 */
static bool
is_a_label(const char *s, int len)
{
	char label[MAX_LABEL + 1];
	char *unicode = NULL;
	char *again = NULL;
	bool ok;
	int i;

	for (i = 0; i < len; i++)
		label[i] = (s[i] >= 'A' && s[i] <= 'Z') ? s[i] + 32 : s[i];
	label[len] = '\0';
	ok = idn2_to_unicode_8z8z(label, &unicode, 0) == IDN2_OK &&
		 strcmp(unicode, label) != 0 &&
		 idn2_lookup_u8((const uint8_t *) unicode,
						(uint8_t **) &again,
						IDN2_NFC_INPUT | IDN2_NO_TR46) == IDN2_OK &&
		 strcmp(again, label) == 0;
	if (unicode)
		idn2_free(unicode);
	if (again)
		idn2_free(again);
	return ok;
}

static bool
is_ldh_label(const char *s, int len)
{
	int i;

	if (len < 1 || len > MAX_LABEL || s[0] == '-' || s[len - 1] == '-')
		return false;
	for (i = 0; i < len; i++)
	{
		if (!is_alnum(s[i]) && s[i] != '-')
			return false;
	}
	/* RFC 5891 4.2.3.1: hyphens in both places are reserved for A-labels. */
	if (len >= 4 && s[2] == '-' && s[3] == '-')
		return pg_strncasecmp(s, "xn", 2) == 0 && is_a_label(s, len);
	return true;
}

bool
kg_format_hostname(const char *s, uint32 len)
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

/* The four label separators of RFC 3490 3.1. */
static int
separator_length(const char *s, const char *end)
{
	static const char *const wide[] = {
		"\xE3\x80\x82", "\xEF\xBC\x8E", "\xEF\xBD\xA1"};
	int i;

	if (*s == '.')
		return 1;
	for (i = 0; i < lengthof(wide); i++)
	{
		if (end - s >= 3 && memcmp(s, wide[i], 3) == 0)
			return 3;
	}
	return 0;
}

static bool
is_ascii(const char *s, int len)
{
	int i;

	for (i = 0; i < len; i++)
	{
		if ((unsigned char) s[i] >= 0x80)
			return false;
	}
	return true;
}

/* A label of IDNA 2008; *length grows by its length as an A-label. */
static bool
is_idn_label(const char *s, int len, int *length)
{
	char label[4 * MAX_LABEL + 1];
	char *ascii = NULL;
	bool ok;

	if (len == 0 || len > 4 * MAX_LABEL)
		return false;
	if (is_ascii(s, len))
	{
		*length += len;
		return is_ldh_label(s, len);
	}
	memcpy(label, s, len);
	label[len] = '\0';
	/* Registration rules: contextual ones included, nothing is mapped. */
	ok = idn2_lookup_u8((const uint8_t *) label,
						(uint8_t **) &ascii,
						IDN2_NO_TR46) == IDN2_OK &&
		 strlen(ascii) <= MAX_LABEL;
	if (ok)
		*length += strlen(ascii);
	if (ascii)
		idn2_free(ascii);
	return ok;
}

bool
kg_format_idn_hostname(const char *s, uint32 len)
{
	const char *end = s + len;
	int total = 0;

	if (len == 0 || len > 4 * MAX_HOSTNAME)
		return false;
	for (;;)
	{
		const char *stop = s;
		int n = 0;

		while (stop < end && (n = separator_length(stop, end)) == 0)
			stop++;
		if (!is_idn_label(s, stop - s, &total) || total > MAX_HOSTNAME)
			return false;
		if (stop == end)
			return true;
		total++;
		s = stop + n;
	}
}

static bool
is_atext(unsigned char c, bool international)
{
	if (c >= 0x80)
		return international;
	return is_alnum(c) || (c != '\0' && strchr("!#$%&'*+-/=?^_`{|}~", c));
}

/* RFC 5321 Local-part: a dot-string or a quoted string. */
static bool
is_local_part(const char *s, int len, bool international)
{
	int i;

	if (len == 0 || len > MAX_LOCAL_PART)
		return false;
	if (s[0] == '"')
	{
		if (len < 2 || s[len - 1] != '"')
			return false;
		for (i = 1; i < len - 1; i++)
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
	for (i = 0; i < len; i++)
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
	int i;

	/* The last one: a quoted local part may hold others. */
	for (i = 0; i < len; i++)
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
	return international ? kg_format_idn_hostname(domain, n)
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
