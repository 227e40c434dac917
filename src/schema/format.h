/*
 * format.h
 *	  The formats of the specification.
 */
#ifndef KG_FORMAT_H
#define KG_FORMAT_H

#include "schema/keyword.h"

/* True if the string is of the format.  The string is valid UTF-8. */
typedef bool (*KgFormatCheck)(const char *s, uint32 len);

/* The check of a format; NULL for a name that the dialect does not define. */
extern KgFormatCheck kg_format_find(const char *name, int len,
									KgDialect dialect);
/* "a date like 2026-11-21": for messages; NULL if the format is not known. */
extern const char *kg_format_phrase(const char *name, int len);

/* format_time.c */
extern bool kg_format_date(const char *s, uint32 len);
extern bool kg_format_time(const char *s, uint32 len);
extern bool kg_format_date_time(const char *s, uint32 len);
extern bool kg_format_duration(const char *s, uint32 len);
/* format_net.c */
extern bool kg_format_ipv4(const char *s, uint32 len);
extern bool kg_format_ipv6(const char *s, uint32 len);
extern bool kg_format_hostname(const char *s, uint32 len);
extern bool kg_format_idn_hostname(const char *s, uint32 len);
extern bool kg_format_email(const char *s, uint32 len);
extern bool kg_format_idn_email(const char *s, uint32 len);
/* format_uri.c */
extern bool kg_format_uri(const char *s, uint32 len);
extern bool kg_format_uri_reference(const char *s, uint32 len);
extern bool kg_format_iri(const char *s, uint32 len);
extern bool kg_format_iri_reference(const char *s, uint32 len);
extern bool kg_format_uri_template(const char *s, uint32 len);
extern bool kg_format_json_pointer(const char *s, uint32 len);
extern bool kg_format_relative_json_pointer(const char *s, uint32 len);

#endif /* KG_FORMAT_H */
