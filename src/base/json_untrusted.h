/*
 * json_untrusted.h
 *	  JSON text of unknown origin, such as a token's parts, read without an
 *	  error that quotes it.
 */
#ifndef KG_JSON_UNTRUSTED_H
#define KG_JSON_UNTRUSTED_H

#include "utils/jsonb.h"

/*
 * Parse: NULL where it is no JSON, or none that jsonb holds: a number beyond
 * numeric, the character U+0000, arrays in arrays without end.
 */
extern Jsonb *kg_json_parse_untrusted(const char *text, int len);

/*
 * Whether the text is a JSON object; what is in it does not matter.  *member
 * is its string or number of that name, palloc'd, or NULL where it has none.
 */
extern bool kg_json_scan_untrusted(const char *text, int len, const char *name,
								   char **member);

#endif /* KG_JSON_UNTRUSTED_H */
