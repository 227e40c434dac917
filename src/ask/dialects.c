/*
 * dialects.c
 *	  PostgreSQL's expressions for functions of other SQL dialects that models
 *	  often write.
 */
#include "postgres.h"

#include "ask/allowed.h"

static const char *const functions[][2] = {
	{"strftime", "to_char(instant, 'YYYY-MM')"},
	{"date_format", "to_char(instant, 'YYYY-MM')"},
	{"datediff", "date '2024-02-01' - date '2024-01-01' (days)"},
	{"date_diff", "date '2024-02-01' - date '2024-01-01' (days)"},
	{"timestampdiff", "extract(epoch FROM a - b)"},
	{"julianday", "date '2024-02-01' - date '2024-01-01' (days)"},
	{"date_add", "instant + interval '1 day'"},
	{"dateadd", "instant + interval '1 day'"},
	{"date_sub", "instant - interval '1 day'"},
	{"year", "extract(year FROM instant)"},
	{"month", "extract(month FROM instant)"},
	{"day", "extract(day FROM instant)"},
	{"hour", "extract(hour FROM instant)"},
	{"weekday", "extract(isodow FROM instant)"},
	{"dayofweek", "extract(dow FROM instant)"},
	{"datetime", "CAST(value AS timestamp)"},
	{"curdate", "current_date"},
	{"getdate", "now()"},
	{"sysdate", "now()"},
	{"unix_timestamp", "extract(epoch FROM instant)"},
	{"ifnull", "coalesce(a, b)"},
	{"isnull", "coalesce(a, b), or a IS NULL"},
	{"nvl", "coalesce(a, b)"},
	{"iif", "CASE WHEN condition THEN a ELSE b END"},
	{"if", "CASE WHEN condition THEN a ELSE b END"},
	{"decode", "CASE value WHEN a THEN b ELSE c END"},
	{"group_concat", "string_agg(value, ', ')"},
	{"listagg", "string_agg(value, ', ')"},
	{"substring_index", "split_part(text, separator, n)"},
	{"instr", "position('part' IN text)"},
	{"charindex", "position('part' IN text)"},
	{"locate", "position('part' IN text)"},
	{"len", "length(text)"},
	{"json_extract", "value #> '{a,b}', or value #>> '{a,b}' as text"},
	{"median", "percentile_cont(0.5) WITHIN GROUP (ORDER BY value)"},
	{"approx_count_distinct", "count(DISTINCT value)"},
	{"countif", "count(*) FILTER (WHERE condition)"},
	{"any_value", "min(value)"},
	{"total", "coalesce(sum(value), 0)"},
	{"convert", "CAST(value AS type)"},
	{"to_varchar", "CAST(value AS text)"},
	{"rand", "a column to sort by: no value is random"},
	{"random", "a column to sort by: no value is random"},
};

const char *
kg_ask_function_instead(const char *name)
{
	for (int i = 0; i < lengthof(functions); i++)
		if (pg_strcasecmp(functions[i][0], name) == 0)
			return functions[i][1];
	return NULL;
}
