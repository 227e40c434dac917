/*
 * refuse.c
 *	  Errors about a query, with the position and the text to write instead.
 */
#include "postgres.h"

#include "ask/allowed.h"
#include "ask/calls.h"
#include "ask/refuse.h"
#include "ask/translate.h"
#include "mb/pg_wchar.h"

/*
 * Number of bytes of the statement that an error shows, beginning at the fault.
 */
#define KG_SHOWN 40

static void
place(KgError *err, const char *sql, int location)
{
	const char *at = sql + location;

	kg_error_path(err, "/sql");
	if (location < 0 || location > strlen(sql))
		return;
	kg_error_member_int(
		err, "position", pg_mbstrlen_with_len(sql, location) + 1);
	if (*at != '\0')
		kg_error_got_string(
			err, pnstrdup(at, pg_mbcliplen(at, strlen(at), KG_SHOWN)));
	/*
	 * Even if the correction of a name is certain, the rest of the statement
	 * may be wrong.
	 */
	kg_error_doubt(err);
}

KgError *
kg_ask_error(const KgAsk *ask, KgErrorCode code, int location, const char *fmt,
			 ...)
{
	StringInfoData message;
	KgError *err;
	int need;

	initStringInfo(&message);
	for (;;)
	{
		va_list args;

		va_start(args, fmt);
		need = appendStringInfoVA(&message, fmt, args);
		va_end(args);
		if (need == 0)
			break;
		enlargeStringInfo(&message, need);
	}
	err = kg_error_new(code, "%s", message.data);
	place(err, ask->sql, location);
	if (code == KG_INVALID_INPUT)
		kg_ask_translate(ask, err, NULL, NULL);
	return err;
}

void
kg_ask_refuse(const KgAsk *ask, int location, const char *what,
			  const char *instead)
{
	kg_error_throw_expected(
		kg_ask_error(
			ask, KG_INVALID_INPUT, location, "a query cannot have %s", what),
		"%s",
		instead);
}

void
kg_ask_refuse_many(const KgAsk *ask, int location, int most, const char *what)
{
	kg_error_throw_expected(kg_ask_error(ask,
										 KG_LIMIT_EXCEEDED,
										 location,
										 "a query has at most %d %s",
										 most,
										 what),
							"at most %d of them, or two queries",
							most);
}

void
kg_ask_refuse_function(const KgAsk *ask, int location, const char *name)
{
	const char *called = kg_ask_call_instead(name);
	const char *instead = called ? called : kg_ask_function_instead(name);
	KgError *err = kg_ask_error(ask,
								KG_INVALID_INPUT,
								location,
								"function \"%s\" is not allowed in a query",
								name);

	if (instead != NULL)
		kg_error_throw_expected(err, "%s", instead);
	kg_error_did_you_mean(err, kg_ask_function_nearest(name));
	kg_error_throw_expected(
		err,
		"a function of PostgreSQL for numbers, texts, times, arrays or "
		"JSON, without a schema before its name");
}

int
kg_ask_location(const KgAsk *ask, int position)
{
	const char *at = ask->sql;

	if (position <= 0)
		return -1;
	while (--position > 0 && *at != '\0')
		at += pg_mblen(at);
	return at - ask->sql;
}
