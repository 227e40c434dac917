/*
 * format.h
 *	  The formats of the JSON Schema specification.
 */
#ifndef KG_FORMAT_H
#define KG_FORMAT_H

#include "schema/keyword.h"

/* Returns true if the string, which is valid UTF-8, has the format. */
typedef bool (*KgFormatCheck)(const char *s, uint32 len);

/*
 * Returns the check of a format, or NULL if the dialect does not define the
 * name.
 */
extern KgFormatCheck kg_format_find(const char *name, int len,
									KgDialect dialect);
/*
 * Returns a phrase for messages, such as "a date like 2026-11-21", or NULL if
 * the format is unknown.
 */
extern const char *kg_format_phrase(const char *name, int len);

/*
 * kg_format_date() and the next three functions return true if the string is a
 * date, time, date-time or duration (in format_time.c).
 */
extern bool kg_format_date(const char *s, uint32 len);
extern bool kg_format_time(const char *s, uint32 len);
extern bool kg_format_date_time(const char *s, uint32 len);
extern bool kg_format_duration(const char *s, uint32 len);
/*
 * kg_format_ipv4() and the other functions below it return true if the string
 * is an address or host name of this format (in format_net.c).
 */
extern bool kg_format_ipv4(const char *s, uint32 len);
extern bool kg_format_ipv6(const char *s, uint32 len);
extern bool kg_format_hostname(const char *s, uint32 len);
/*
 * Returns true for a host name of RFC 1123 (letters, digits and hyphens).
 * A-labels are not decoded.
 */
extern bool kg_format_ldh_hostname(const char *s, uint32 len);
extern bool kg_format_idn_hostname(const char *s, uint32 len);
extern bool kg_format_email(const char *s, uint32 len);
extern bool kg_format_idn_email(const char *s, uint32 len);
/*
 * kg_format_uri() and the next functions return true if the string has this
 * format (in format_uri.c).
 */
extern bool kg_format_uri(const char *s, uint32 len);
extern bool kg_format_uri_reference(const char *s, uint32 len);
extern bool kg_format_iri(const char *s, uint32 len);
extern bool kg_format_iri_reference(const char *s, uint32 len);
extern bool kg_format_uri_template(const char *s, uint32 len);
extern bool kg_format_json_pointer(const char *s, uint32 len);
extern bool kg_format_relative_json_pointer(const char *s, uint32 len);

#endif /* KG_FORMAT_H */
