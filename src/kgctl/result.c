/*
 * result.c
 *	  The texts of an SQL error. A shard's error reaches the gateway through a
 *	  front, which adds a prefix.
 */
#include <string.h>

#include "kgctl/result.h"

static const char *
after(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) == 0 ? text + len : text;
}

/*
 * Returns the text without the prefix that a front adds to a shard's message:
 * "schema.function(2): [database] REMOTE ERROR: ".
 */
static const char *
message(const char *text)
{
	const char *place = strstr(text, "): [");
	const char *severity = place ? strstr(place, "] REMOTE ") : NULL;
	const char *end = severity ? strstr(severity, ": ") : NULL;

	/* Only a function's name may precede the bracket. */
	if (end == NULL || strcspn(text, " ") < (size_t) (place - text))
		return text;
	return end + 2;
}

const char *
kg_result_words(const PGresult *res, int field)
{
	const char *text = PQresultErrorField(res, field);

	if (text == NULL)
		return NULL;
	if (field == PG_DIAG_MESSAGE_DETAIL)
		return after(text, "Remote detail: ");
	if (field == PG_DIAG_MESSAGE_HINT)
		return after(text, "Remote hint: ");
	return field == PG_DIAG_MESSAGE_PRIMARY ? message(text) : text;
}
