/*
 * amend.c
 *	  Converts errors that the server raises about a query to errors of a tool.
 */
#include "postgres.h"

#include "ask/amend.h"
#include "ask/calls.h"
#include "ask/refuse.h"
#include "ask/tables.h"
#include "ask/translate.h"
#include "base/settings.h"
#include "query/argument/repair.h"

/*
 * Returns the last name of a qualified name (a.b or "a"."b") that begins at a
 * byte offset of the statement.
 */
static char *
name_at(const char *sql, int location)
{
	const char *at = sql + location;
	const char *name = at;
	bool quoted = false;

	for (; *at != '\0'; at++)
	{
		if (*at == '"')
			quoted = !quoted;
		else if (!quoted && *at == '.')
			name = at + 1;
		else if (!quoted && !IS_HIGHBIT_SET(*at) && *at != '_' &&
				 !isalnum((unsigned char) *at))
			break;
	}
	if (*name == '"')
		return pnstrdup(name + 1, Max(at - name - 2, 0));
	return pnstrdup(name, at - name);
}

/* Returns the last text in quotation marks in a hint, or NULL. */
static char *
quoted_in(const char *hint)
{
	const char *end = strrchr(hint, '"');
	const char *begin = end;

	while (begin != NULL && begin > hint && *--begin != '"')
		;
	if (begin == NULL || begin == end || *begin != '"')
		return NULL;
	return pnstrdup(begin + 1, end - begin - 1);
}

/*
 * Returns a text that can replace the refused part of the statement, or NULL.
 */
static const char *
instead_of(const ErrorData *edata, const char *sql, int location)
{
	switch (edata->sqlerrcode)
	{
		case ERRCODE_GROUPING_ERROR:
			return "the column in GROUP BY, or an aggregate function of it";
		case ERRCODE_AMBIGUOUS_COLUMN:
			return "the column with its table before it: table.column";
		case ERRCODE_SYNTAX_ERROR:
			if (strchr(sql, '`') != NULL ||
				(location >= 0 && sql[location] == '['))
				return "identifiers without quotes, or in \"double\" quotes";
			if (strstr(edata->message, "LIMIT") != NULL)
				return "LIMIT n OFFSET m";
			if (location >= 4 &&
				pg_strncasecmp(sql + location - 4, "TOP ", 4) == 0)
				return "LIMIT n at the end";
			return "one SELECT in PostgreSQL's syntax";
		case ERRCODE_DIVISION_BY_ZERO:
			return "a / nullif(b, 0)";
		case ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE:
			if (strcmp(edata->message, "integer out of range") == 0 ||
				strcmp(edata->message, "bigint out of range") == 0)
				return "numbers of type numeric, as in a::numeric * b";
			break;
		default:
			break;
	}
	if (edata->sqlerrcode == ERRCODE_UNDEFINED_FUNCTION &&
		strstr(edata->message, "round(double precision, integer)") != NULL)
		return "round(value::numeric, n)";
	return edata->hint;
}

static void
tell_columns(KgError *err, const KgAsk *ask, const char *name)
{
	List *columns = kg_ask_columns(ask);
	const char **names = palloc((list_length(columns) + 1) * sizeof(char *));
	ListCell *lc;

	foreach(lc, columns)
	{
		names[foreach_current_index(lc)] = lfirst(lc);
		if (foreach_current_index(lc) < 100)
			kg_error_allow(err, lfirst(lc));
	}
	kg_error_did_you_mean(err, kg_nearest(name, names, list_length(columns)));
}

/*
 * Adds a corrected statement to the error about a column that does not exist.
 * If the intended column is certain, its name replaces "name"; the names may
 * differ in spelling. If "name" ends in "_id", it is compared without "_id":
 * the column of a reference has that name. If "name" is in double quotes and no
 * column has a similar name, a text in single quotes replaces it.
 */
static void
correct_column(KgError *err, const KgAsk *ask, const char *name, bool quoted)
{
	List *columns = kg_ask_columns(ask);
	int n = list_length(columns);
	const char **names = palloc((n + 1) * sizeof(char *));
	int len = strlen(name);
	int likely;
	ListCell *lc;

	foreach(lc, columns)
		names[foreach_current_index(lc)] = lfirst(lc);
	if (len > 3 && pg_strcasecmp(name + len - 3, "_id") == 0)
		likely = kg_likely(pnstrdup(name, len - 3), names, NULL, n);
	else
		likely = kg_likely(name, names, NULL, n);
	if (likely >= 0)
		kg_ask_translate(ask, err, name, names[likely]);
	else if (quoted && kg_nearest(name, names, n) == NULL)
		kg_ask_translate(ask, err, name, NULL);
}

static void
amend_statement(const ErrorData *edata, const KgAsk *ask, KgErrorCode code)
{
	int location = kg_ask_location(ask, edata->cursorpos);
	const char *instead = instead_of(edata, ask->sql, location);
	char *message = kg_ask_call_message(edata->message, &instead);
	KgError *err = kg_ask_error(
		ask, code, location, "%s", message ? message : edata->message);
	char *meant = edata->hint ? quoted_in(edata->hint) : NULL;

	if (meant != NULL)
		kg_error_did_you_mean(err, meant);
	else if (edata->sqlerrcode == ERRCODE_UNDEFINED_COLUMN && location >= 0)
		tell_columns(err, ask, name_at(ask->sql, location));
	if (edata->sqlerrcode == ERRCODE_UNDEFINED_COLUMN && location >= 0)
		correct_column(
			err, ask, name_at(ask->sql, location), ask->sql[location] == '"');
	if (instead != NULL)
		kg_error_expected(err, "%s", instead);
	kg_error_throw(err);
}

static void
amend_memory(const ErrorData *edata, const KgAsk *ask)
{
	bool files = edata->sqlerrcode == ERRCODE_CONFIGURATION_LIMIT_EXCEEDED;
	KgError *err = kg_ask_error(
		ask,
		KG_LIMIT_EXCEEDED,
		-1,
		"the query needs more %s than %s allows (%d kB)",
		files ? "temporary files" : "memory",
		files ? "kg_graph.max_query_temp" : "kg_graph.max_query_memory",
		files ? kg_setting_max_query_temp : kg_setting_max_query_memory);

	kg_error_throw_expected(err,
							"a query that sorts, joins or collects fewer rows: "
							"with more conditions, or with shorter values");
}

/*
 * If a type in the query reads a table of the user's database, returns that
 * type. Otherwise returns NULL.
 */
static const KgType *
bound_type(const KgAsk *ask)
{
	ListCell *lc;

	foreach(lc, kg_ask_types(ask))
		if (((const KgType *) lfirst(lc))->binding != NULL)
			return lfirst(lc);
	return NULL;
}

/*
 * Raises an error which says that the user's table of a type could not be read.
 * The error omits the text of the server's error, because that text may contain
 * values.
 */
static KG_NORETURN void
throw_table(const KgAsk *ask, const KgType *type)
{
	kg_error_throw_expected(
		kg_ask_error(ask,
					 KG_FAILED_BINDING,
					 -1,
					 "cannot read the table of entity type \"%s\", or of "
					 "another type in the query",
					 kg_type_handle(type)),
		"tables whose row-level security policies raise no errors");
}

/*
 * Removes the value from the message of an error about a value. A policy may
 * have raised the error for a row that the caller cannot see.
 */
static char *
without_value(const char *message)
{
	int len = strcspn(message, "\"");

	while (len > 0 && strchr(": ", message[len - 1]) != NULL)
		len--;
	return len > 0 ? pnstrdup(message, len) : "a value is not valid";
}

/*
 * If the query reads tables of the user, hides the text of an error that a
 * policy or view of such a table may have raised.
 */
static void
amend_tables(ErrorData *edata, const KgAsk *ask)
{
	const KgType *type = bound_type(ask);

	if (type == NULL)
		return;
	if (!kg_error_is_builtin(edata))
		throw_table(ask, type);
	if (ERRCODE_TO_CATEGORY(edata->sqlerrcode) ==
			MAKE_SQLSTATE('2', '2', '0', '0', '0') &&
		edata->cursorpos <= 0 && !kg_error_is_ours(edata))
		edata->message = without_value(edata->message);
}

void
kg_ask_amend(ErrorData *edata, void *arg)
{
	const KgAsk *ask = arg;

	amend_tables(edata, ask);
	if (kg_error_is_ours(edata) ||
		edata->sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE)
		return;
	switch (ERRCODE_TO_CATEGORY(edata->sqlerrcode))
	{
		case MAKE_SQLSTATE('0', 'A', '0', '0', '0'): /* not supported */
		case MAKE_SQLSTATE('2', '1', '0', '0', '0'): /* more than one row */
		case MAKE_SQLSTATE('2', '2', '0', '0', '0'): /* values */
		/* the transaction is read-only */
		case MAKE_SQLSTATE('2', '5', '0', '0', '0'):
		/* the statement has a fault */
		case MAKE_SQLSTATE('4', '2', '0', '0', '0'):
			amend_statement(edata, ask, KG_INVALID_INPUT);
			break;
		case MAKE_SQLSTATE('5', '4', '0', '0', '0'): /* its size */
			amend_statement(edata, ask, KG_LIMIT_EXCEEDED);
			break;
		/* the server lacks resources */
		case MAKE_SQLSTATE('5', '3', '0', '0', '0'):
			if (edata->sqlerrcode == ERRCODE_OUT_OF_MEMORY ||
				edata->sqlerrcode == ERRCODE_CONFIGURATION_LIMIT_EXCEEDED)
				amend_memory(edata, ask);
			break;
		default:
			break;
	}
}
