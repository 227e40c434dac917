/*
 * sql_filter.c
 *	  Corrects filters that are written as SQL.
 *
 * A text is read from its beginning to its end, as comparisons of a property
 * with literals. If a text contains anything else, it gets no correction.
 */
#include "postgres.h"

#include "base/json.h"
#include "query/filter/any.h"
#include "query/filter/operators.h"
#include "query/filter/sql_filter.h"
#include "schema/format.h"

/* Maximum number of comparisons in a text, and of values in a list. */
#define KG_SQL_COMPARISONS 10
#define KG_SQL_VALUES 100

typedef struct Comparison
{
	char *property;
	Jsonb *condition;
} Comparison;

static bool
is_word(char c)
{
	return isalnum((unsigned char) c) || c == '_' || IS_HIGHBIT_SET(c);
}

static void
skip_blanks(const char **at)
{
	while (isspace((unsigned char) **at))
		(*at)++;
}

/*
 * If the text goes on with these words, in any case, reads them and returns
 * true.
 */
static bool
take(const char **at, const char *words)
{
	const char *p = *at;

	for (const char *w = words; *w != '\0'; w++)
	{
		if (*w == ' ')
		{
			if (!isspace((unsigned char) *p))
				return false;
			skip_blanks(&p);
		}
		else if (pg_tolower((unsigned char) *p++) != *w)
			return false;
	}
	if (is_word(*p) && is_word(p[-1]))
		return false;
	*at = p;
	skip_blanks(at);
	return true;
}

/*
 * Reads a text in quotation marks, in which each quotation mark is doubled.
 * Returns NULL if there is no such text.
 */
static char *
take_quoted(const char **at)
{
	char quote = **at;
	const char *p = *at;
	char *text = palloc(strlen(p) + 1);
	int n = 0;

	if (quote != '\'' && quote != '"')
		return NULL;
	for (p++; *p != quote || p[1] == quote; p++)
	{
		if (*p == '\0' || *p == '\\')
			return NULL;
		p += *p == quote;
		text[n++] = *p;
	}
	text[n] = '\0';
	*at = p + 1;
	skip_blanks(at);
	return text;
}

/*
 * Reads a number, or a date that has no quotation marks. Returns false if the
 * text goes on with anything else.
 */
static bool
take_number(const char **at, JsonbValue *value)
{
	size_t len = strspn(*at, "0123456789+-.:eETZ");
	char *text = pnstrdup(*at, len);
	JsonbValue string = kg_json_string_value(text);

	if (len == 0 || is_word((*at)[len]))
		return false;
	if (!kg_json_number_of(&string, value))
	{
		if (!kg_format_date(text, len) && !kg_format_date_time(text, len))
			return false;
		*value = string;
	}
	*at += len;
	skip_blanks(at);
	return true;
}

static bool
take_literal(const char **at, JsonbValue *value)
{
	char *text;

	for (int i = 0; i < 2; i++)
		if (take(at, i == 1 ? "true" : "false"))
		{
			value->type = jbvBool;
			value->val.boolean = i == 1;
			return true;
		}
	if (!take(at, "date"))
		(void) take(at, "timestamp");
	text = take_quoted(at);
	if (text == NULL)
		return take_number(at, value);
	*value = kg_json_string_value(text);
	return true;
}

/*
 * Reads the values "(a, b)" or, if "range" is true, "a AND b". Returns them as
 * an array, or NULL if the text goes on with anything else.
 */
static Jsonb *
take_list(const char **at, bool range)
{
	KgJsonWriter w;
	JsonbValue value;
	int n = 0;

	if (!range && !take(at, "("))
		return NULL;
	kg_jw_init_array(&w);
	do
	{
		if (++n > (range ? 2 : KG_SQL_VALUES) || !take_literal(at, &value))
			return NULL;
		kg_jw_value(&w, &value);
	} while (take(at, range ? "and" : ",") && (!range || n < 2));
	if (range ? n != 2 : !take(at, ")"))
		return NULL;
	return kg_jw_finish(&w);
}

static Jsonb *
condition_of(const char *op, const JsonbValue *value)
{
	KgOp known;

	if (!kg_op_lookup(op, &known))
		return kg_op_condition(op, value);
	return kg_json_with(kg_json_parse("{}"), op, value);
}

/*
 * Reads the part of a comparison after the property. Returns NULL if the part
 * is not a condition.
 */
static Jsonb *
take_condition(const char **at)
{
	static const struct
	{
		const char *words;
		const char *op;
		enum
		{
			FLAG,
			LIST,
			RANGE,
			LITERAL
		} operand;
	} forms[] = {{"is null", "is_null", FLAG},
				 {"is not null", "is_not_null", FLAG},
				 {"not null", "is_not_null", FLAG},
				 {"not in", "notin", LIST},
				 {"in", "in", LIST},
				 {"between", "between", RANGE},
				 {"like", "like", LITERAL},
				 {"contains", "contains", LITERAL},
				 {"starts with", "starts_with", LITERAL},
				 {"ends with", "ends_with", LITERAL},
				 {">=", "gte", LITERAL},
				 {"<=", "lte", LITERAL},
				 {"<>", "ne", LITERAL},
				 {"!=", "ne", LITERAL},
				 {"==", "eq", LITERAL},
				 {"=", "eq", LITERAL},
				 {">", "gt", LITERAL},
				 {"<", "lt", LITERAL}};

	for (int i = 0; i < lengthof(forms); i++)
	{
		JsonbValue value = {.type = jbvBool};
		Jsonb *list;

		if (!take(at, forms[i].words))
			continue;
		value.val.boolean = true;
		if (forms[i].operand == LITERAL && !take_literal(at, &value))
			return NULL;
		if (forms[i].operand == LIST || forms[i].operand == RANGE)
		{
			list = take_list(at, forms[i].operand == RANGE);
			if (list == NULL)
				return NULL;
			kg_json_root(list, &value);
		}
		return condition_of(forms[i].op, &value);
	}
	return NULL;
}

static bool
take_comparison(const char **at, Comparison *comparison)
{
	const char *p = *at;

	if (*p == '"')
		comparison->property = take_quoted(at);
	else
	{
		while (is_word(*p) || (*p == '.' && p > *at))
			p++;
		if (p == *at || isdigit((unsigned char) **at))
			return false;
		comparison->property = pnstrdup(*at, p - *at);
		*at = p;
		skip_blanks(at);
	}
	if (comparison->property == NULL)
		return false;
	comparison->condition = take_condition(at);
	return comparison->condition != NULL;
}

/*
 * Returns all comparisons as one filter object. Returns NULL if a property has
 * several comparisons, unless these are the only two of the text and can form
 * an array.
 */
static Jsonb *
all_of(const Comparison *comparisons, int n)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	for (int i = 0; i < n; i++)
	{
		const Jsonb *condition = comparisons[i].condition;
		KgJsonWriter two;

		/*
		 * A second condition on a property makes an array of both conditions.
		 */
		for (int j = 0; j < i; j++)
			if (strcmp(comparisons[j].property, comparisons[i].property) == 0)
			{
				if (!JB_ROOT_IS_OBJECT(condition) ||
					!JB_ROOT_IS_OBJECT(comparisons[j].condition) || n != 2)
					return NULL;
				kg_jw_init_array(&two);
				kg_jw_jsonb(&two, comparisons[j].condition);
				kg_jw_jsonb(&two, condition);
				condition = kg_jw_finish(&two);
			}
		kg_jw_kjsonb(&w, comparisons[i].property, condition);
	}
	return kg_jw_finish(&w);
}

static Jsonb *
one_of(const Comparison *comparisons, int n)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kbegin_array(&w, KG_ANY);
	for (int i = 0; i < n; i++)
		kg_jw_jsonb(&w, all_of(&comparisons[i], 1));
	kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}

/*
 * Adds the comparisons of a text, and sets *either if they are joined by OR.
 * Returns false if the text contains anything else, has too many comparisons,
 * or has both AND and OR.
 */
static bool
take_all(const char *at, Comparison *comparisons, int *n, bool *either)
{
	bool and_read = false;

	skip_blanks(&at);
	for (;;)
	{
		if (*n == KG_SQL_COMPARISONS || !take_comparison(&at, &comparisons[*n]))
			return false;
		(*n)++;
		if (take(&at, "and") || take(&at, "&&"))
			and_read = true;
		else if (take(&at, "or") || take(&at, "||"))
			*either = true;
		else
			return *at == '\0' && !(and_read && *either);
	}
}

Jsonb *
kg_sql_filters(const JsonbValue *value)
{
	Comparison comparisons[KG_SQL_COMPARISONS];
	bool either = false;
	int n = 0;

	if (value->type == jbvString)
	{
		if (!take_all(kg_json_cstring(value), comparisons, &n, &either))
			return NULL;
		return either ? one_of(comparisons, n) : all_of(comparisons, n);
	}
	if (!kg_json_is_array(value))
		return NULL;
	kg_json_each(it, kg_json_container(value))
		if (it.value.type != jbvString ||
			!take_all(kg_json_cstring(&it.value), comparisons, &n, &either) ||
			either)
			return NULL;
	return n > 0 ? all_of(comparisons, n) : NULL;
}

Jsonb *
kg_sql_condition(const JsonbValue *value)
{
	const char *at;
	Jsonb *condition;

	if (value->type != jbvString)
		return NULL;
	at = kg_json_cstring(value);
	skip_blanks(&at);
	condition = take_condition(&at);
	return *at == '\0' ? condition : NULL;
}
