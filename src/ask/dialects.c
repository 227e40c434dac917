/*
 * dialects.c
 *	  PostgreSQL's expressions for functions of other SQL dialects that models
 *	  often write.
 */
#include "postgres.h"

#include "ask/allowed.h"

static const struct
{
	const char *name;
	const char *instead; /* for errors: text that can replace the call */
	/*
	 * PostgreSQL's expression for a call with nargs arguments, or NULL. $n
	 * stands for an argument. @n stands for an argument that is a format of
	 * dates ("%Y-%m"), and is converted to a format of to_char().
	 */
	int nargs;
	const char *pattern;
} functions[] = {
	{"strftime", "to_char(instant, 'YYYY-MM')", 2, "to_char($2, @1)"},
	{"date_format", "to_char(instant, 'YYYY-MM')", 2, "to_char($1, @2)"},
	{"datediff",
	 "date '2024-02-01' - date '2024-01-01' (days)",
	 2,
	 "(CAST($1 AS date) - CAST($2 AS date))"},
	{"date_diff", "date '2024-02-01' - date '2024-01-01' (days)"},
	{"timestampdiff", "extract(epoch FROM a - b)"},
	{"julianday", "date '2024-02-01' - date '2024-01-01' (days)"},
	{"date_add", "instant + interval '1 day'"},
	{"dateadd", "instant + interval '1 day'"},
	{"date_sub", "instant - interval '1 day'"},
	{"year", "extract(year FROM instant)", 1, "extract(year FROM $1)"},
	{"month", "extract(month FROM instant)", 1, "extract(month FROM $1)"},
	{"day", "extract(day FROM instant)", 1, "extract(day FROM $1)"},
	{"hour", "extract(hour FROM instant)", 1, "extract(hour FROM $1)"},
	{"weekday", "extract(isodow FROM instant)"},
	{"dayofweek", "extract(dow FROM instant)"},
	{"datetime", "CAST(value AS timestamp)"},
	{"curdate", "current_date", 0, "current_date"},
	{"getdate", "now()", 0, "now()"},
	{"sysdate", "now()"},
	{"unix_timestamp", "extract(epoch FROM instant)"},
	{"ifnull", "coalesce(a, b)", 2, "coalesce($1, $2)"},
	{"isnull", "coalesce(a, b), or a IS NULL", 2, "coalesce($1, $2)"},
	{"nvl", "coalesce(a, b)", 2, "coalesce($1, $2)"},
	{"iif",
	 "CASE WHEN condition THEN a ELSE b END",
	 3,
	 "CASE WHEN $1 THEN $2 ELSE $3 END"},
	{"if",
	 "CASE WHEN condition THEN a ELSE b END",
	 3,
	 "CASE WHEN $1 THEN $2 ELSE $3 END"},
	{"decode", "CASE value WHEN a THEN b ELSE c END"},
	{"group_concat",
	 "string_agg(value, ', ')",
	 1,
	 "string_agg(CAST($1 AS text), ',')"},
	{"listagg",
	 "string_agg(value, ', ')",
	 2,
	 "string_agg(CAST($1 AS text), $2)"},
	{"substring_index", "split_part(text, separator, n)"},
	{"instr", "position('part' IN text)", 2, "position($2 IN $1)"},
	{"charindex", "position('part' IN text)", 2, "position($1 IN $2)"},
	{"locate", "position('part' IN text)", 2, "position($1 IN $2)"},
	{"len", "length(text)", 1, "length($1)"},
	{"json_extract", "value #> '{a,b}', or value #>> '{a,b}' as text"},
	{"median",
	 "percentile_cont(0.5) WITHIN GROUP (ORDER BY value)",
	 1,
	 "percentile_cont(0.5) WITHIN GROUP (ORDER BY $1)"},
	{"approx_count_distinct", "count(DISTINCT value)", 1, "count(DISTINCT $1)"},
	{"countif",
	 "count(*) FILTER (WHERE condition)",
	 1,
	 "count(*) FILTER (WHERE $1)"},
	{"any_value", "min(value)"},
	{"total", "coalesce(sum(value), 0)", 1, "coalesce(sum($1), 0)"},
	{"convert", "CAST(value AS type)"},
	{"to_varchar", "CAST(value AS text)"},
	{"rand", "a column to sort by: no value is random"},
	{"random", "a column to sort by: no value is random"},
};

const char *
kg_ask_function_instead(const char *name)
{
	for (int i = 0; i < lengthof(functions); i++)
		if (pg_strcasecmp(functions[i].name, name) == 0)
			return functions[i].instead;
	return NULL;
}

const char *
kg_ask_function_pattern(const char *name, int nargs)
{
	for (int i = 0; i < lengthof(functions); i++)
		if (pg_strcasecmp(functions[i].name, name) == 0)
			return functions[i].nargs == nargs ? functions[i].pattern : NULL;
	return NULL;
}
