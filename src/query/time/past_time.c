/*
 * past_time.c
 *	  Reads the argument "as_of".
 */
#include "postgres.h"

#include "base/error.h"
#include "base/text.h"
#include "model/handle.h"
#include "model/key.h"
#include "model/writing.h"
#include "query/time/past_time.h"
#include "query/argument/names.h"
#include "schema/format.h"
#include "utils/timestamp.h"

static KG_NORETURN void
throw_time(const KgType *type, const char *as_of, const char *what)
{
	KgError *err = kg_error_new(KG_INVALID_INPUT, "%s", what);

	kg_error_path(err, "/as_of");
	kg_error_got_string(err, as_of);
	if (type == NULL || type->history_since != 0)
		kg_error_instead(err, NULL, kg_meant_instant(as_of));
	if (type == NULL)
		kg_error_expected(err,
						  "a date-time that has passed, such as "
						  "2026-11-21T09:30:00Z");
	else if (type->history_since != 0)
		kg_error_expected(err,
						  "a time from %s to now; the history of \"%s\" begins "
						  "at the first of these times",
						  kg_time_text(type->history_since),
						  kg_type_handle(type));
	else
		kg_error_expected(err, "no as_of, or a type with \"x-history\": true");
	kg_error_throw(err);
}

TimestampTz
kg_time_argument(const char *text, const char *path)
{
	int64 time;

	if (kg_format_date_time(text, strlen(text)) &&
		kg_key_instant_micros(text, strlen(text), &time))
		return time;
	KG_THROW(KG_INVALID_INPUT,
			 .message = "the value is not a date-time",
			 .path = path,
			 .got_string = text,
			 .instead = kg_meant_instant(text),
			 .expected = "a date-time, such as 2026-11-21T09:30:00Z");
}

TimestampTz
kg_history_time(const KgType *type, const char *as_of)
{
	int64 time = 0;

	if (type && type->history_since == 0)
		throw_time(type,
				   as_of,
				   psprintf("entity type \"%s\" has no history",
							kg_type_handle(type)));
	kg_writing_require_derived(type);
	/*
	 * Parsed like a value of format date-time: some of its zones are not
	 * accepted by PostgreSQL.
	 */
	if (!kg_format_date_time(as_of, strlen(as_of)) ||
		!kg_key_instant_micros(as_of, strlen(as_of), &time))
		throw_time(type, as_of, "as_of is not a date-time");
	/* PostgreSQL has no year 0. */
	if (strncmp(as_of, "0000", 4) == 0)
		throw_time(type, as_of, "as_of is before the beginning of the history");
	if (time > GetCurrentTimestamp())
		throw_time(type, as_of, "as_of is in the future");
	if (type && time < type->history_since)
		throw_time(type, as_of, "as_of is before the beginning of the history");
	return time;
}
