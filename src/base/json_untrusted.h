/*
 * json_untrusted.h
 *	  Parser of JSON text from unknown origin, such as the parts of a token.
 *
 * Its errors never quote the text.
 */
#ifndef KG_JSON_UNTRUSTED_H
#define KG_JSON_UNTRUSTED_H

#include "utils/jsonb.h"

/*
 * Parses the text.  Returns NULL if it is not JSON or jsonb cannot represent
 * it: a number beyond numeric, the character U+0000, unbounded nesting.
 */
extern Jsonb *kg_json_parse_untrusted(const char *text, int len);

/*
 * Returns true if the text is a JSON object, whatever its members.  Sets
 * *member to the palloc'd text of the member with this name, or to NULL if this
 * member is missing or neither a string nor a number.
 */
extern bool kg_json_scan_untrusted(const char *text, int len, const char *name,
								   char **member);

#endif /* KG_JSON_UNTRUSTED_H */
