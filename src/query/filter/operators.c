/*
 * operators.c
 *	  The table of operators.
 *
 * ci/check_docs.py --fix makes the table of docs/tools.md from this table. The
 * comment before a row is the description of the operator in docs/tools.md.
 */
#include "postgres.h"

#include <ctype.h>

#include "base/error.h"
#include "query/argument/names.h"
#include "query/filter/operators.h"
#include "schema/format.h"

/* The operators, in the order of KgOp. */
static const KgOperator operators[] = {
	/* equal; on arrays: to some member */
	{"eq", KG_OPERAND_VALUE, KG_ON_ALL, KG_BOUND_ONE, KG_IS_EQUAL},
	/* present and not equal; on arrays: no member */
	{"ne", KG_OPERAND_VALUE, KG_ON_ALL, KG_UNBOUNDED, KG_IS_EQUAL, KG_NO},
	/* greater: numbers by value, dates and instants by time, strings by code
	   point; on arrays: some member; another operator may be true of another
	   member */
	{"gt", KG_OPERAND_ORDERED, KG_ON_ORDERED, KG_BOUND_LOWER, KG_IS_ABOVE},
	/* greater or equal, as for `gt` */
	{"gte", KG_OPERAND_ORDERED, KG_ON_ORDERED, KG_BOUND_LOWER, KG_IS_FROM},
	/* less, as for `gt` */
	{"lt", KG_OPERAND_ORDERED, KG_ON_ORDERED, KG_BOUND_UPPER, KG_IS_BELOW},
	/* less or equal, as for `gt` */
	{"lte", KG_OPERAND_ORDERED, KG_ON_ORDERED, KG_BOUND_UPPER, KG_IS_UP_TO},
	/* one of 1 to 500 values; on arrays: some member is one of them */
	{"in", KG_OPERAND_LIST, KG_ON_ALL, KG_BOUND_LIST, KG_IS_EQUAL},
	/* has the value as a part; case-sensitive, `%` and `_` are plain characters;
	   on arrays: some member */
	{"contains", KG_OPERAND_PART, KG_ON_TEXT, KG_UNBOUNDED, KG_IS_PART},
	/* begins with the value, as for `contains` */
	{"starts_with", KG_OPERAND_PART, KG_ON_TEXT, KG_BOUND_PREFIX, KG_IS_START},
	/* ends with the value, as for `contains` */
	{"ends_with", KG_OPERAND_PART, KG_ON_TEXT, KG_UNBOUNDED, KG_IS_END},
	/* `true`: missing or null; an array without members is neither */
	{"is_null",
	 KG_OPERAND_FLAG,
	 KG_ON_PROPERTY,
	 KG_BOUND_MISSING,
	 KG_IS_MISSING},
	/* `true`: neither missing nor null */
	{"is_not_null",
	 KG_OPERAND_FLAG,
	 KG_ON_PROPERTY,
	 KG_UNBOUNDED,
	 KG_IS_PRESENT},
	/* at least one of the values is a member */
	{"contains_any", KG_OPERAND_LIST, KG_ON_ARRAY, KG_BOUND_LIST, KG_IS_EQUAL},
	/* all of the values are members */
	{"contains_all",
	 KG_OPERAND_LIST,
	 KG_ON_ARRAY,
	 KG_BOUND_MEMBER,
	 KG_IS_EQUAL,
	 KG_EVERY},
};

/* How the operand of another language's operator is translated. */
typedef enum Reading
{
	READ_AS_IS,
	READ_EQUAL, /* null: is_null; a list: in */
	/* like READ_EQUAL, but the string "null" also means null */
	READ_IS,
	/* null: is_not_null; a list: not equal to each value */
	READ_NOT,
	READ_IS_NOT,
	/* an array [lower, upper], or an object of two bounds */
	READ_RANGE,
	READ_LIKE,
	READ_REGEX,
	READ_NEVER /* kg_graph has no equivalent operator */
} Reading;

/*
 * Names of operators in other query languages, in lower case, without "$" and
 * separators. Names of negative operators have rows of their own. A name
 * without an exact equivalent has READ_NEVER, or no row. So no condition is
 * translated by guessing.
 */
static const struct
{
	const char *name;
	KgOp op;
	Reading reading;
} synonyms[] = {
	{"=", KG_OP_EQ, READ_EQUAL},
	{"==", KG_OP_EQ, READ_EQUAL},
	{"===", KG_OP_EQ, READ_EQUAL},
	{"eq", KG_OP_EQ, READ_EQUAL},
	{"equals", KG_OP_EQ, READ_EQUAL},
	{"equal", KG_OP_EQ, READ_EQUAL},
	{"equalto", KG_OP_EQ, READ_EQUAL},
	{"exact", KG_OP_EQ, READ_EQUAL},
	{"is", KG_OP_EQ, READ_IS},
	{"!=", KG_OP_NE, READ_NOT},
	{"!==", KG_OP_NE, READ_NOT},
	{"<>", KG_OP_NE, READ_NOT},
	/* the character U+2260 (not equal) */
	{"\342\211\240", KG_OP_NE, READ_NOT},
	{"!", KG_OP_NE, READ_NOT},
	{"ne", KG_OP_NE, READ_NOT},
	{"neq", KG_OP_NE, READ_NOT},
	{"notequal", KG_OP_NE, READ_NOT},
	{"notequals", KG_OP_NE, READ_NOT},
	{"notequalto", KG_OP_NE, READ_NOT},
	{"nin", KG_OP_NE, READ_NOT},
	{"notin", KG_OP_NE, READ_NOT},
	{"noneof", KG_OP_NE, READ_NOT},
	{"not", KG_OP_NE, READ_IS_NOT},
	{"isnot", KG_OP_NE, READ_IS_NOT},
	{">", KG_OP_GT, READ_AS_IS},
	{"after", KG_OP_GT, READ_AS_IS},
	{"greater", KG_OP_GT, READ_AS_IS},
	{"greaterthan", KG_OP_GT, READ_AS_IS},
	{"morethan", KG_OP_GT, READ_AS_IS},
	{">=", KG_OP_GTE, READ_AS_IS},
	{"\342\211\245", KG_OP_GTE, READ_AS_IS},
	{"ge", KG_OP_GTE, READ_AS_IS},
	{"min", KG_OP_GTE, READ_AS_IS},
	{"from", KG_OP_GTE, READ_AS_IS},
	{"since", KG_OP_GTE, READ_AS_IS},
	{"atleast", KG_OP_GTE, READ_AS_IS},
	{"greaterorequal", KG_OP_GTE, READ_AS_IS},
	{"greaterthanorequal", KG_OP_GTE, READ_AS_IS},
	{"<", KG_OP_LT, READ_AS_IS},
	{"before", KG_OP_LT, READ_AS_IS},
	{"less", KG_OP_LT, READ_AS_IS},
	{"lessthan", KG_OP_LT, READ_AS_IS},
	{"<=", KG_OP_LTE, READ_AS_IS},
	{"\342\211\244", KG_OP_LTE, READ_AS_IS},
	{"le", KG_OP_LTE, READ_AS_IS},
	{"max", KG_OP_LTE, READ_AS_IS},
	{"to", KG_OP_LTE, READ_AS_IS},
	{"atmost", KG_OP_LTE, READ_AS_IS},
	{"lessorequal", KG_OP_LTE, READ_AS_IS},
	{"lessthanorequal", KG_OP_LTE, READ_AS_IS},
	{"between", KG_OP_GTE, READ_RANGE},
	{"range", KG_OP_GTE, READ_RANGE},
	{"any", KG_OP_IN, READ_AS_IS},
	{"anyof", KG_OP_IN, READ_AS_IS},
	{"oneof", KG_OP_IN, READ_AS_IS},
	{"substring", KG_OP_CONTAINS, READ_AS_IS},
	{"like", KG_OP_CONTAINS, READ_LIKE},
	{"match", KG_OP_CONTAINS, READ_REGEX},
	{"matches", KG_OP_CONTAINS, READ_REGEX},
	{"regex", KG_OP_CONTAINS, READ_REGEX},
	{"regexp", KG_OP_CONTAINS, READ_REGEX},
	{"prefix", KG_OP_STARTS_WITH, READ_AS_IS},
	{"beginswith", KG_OP_STARTS_WITH, READ_AS_IS},
	{"suffix", KG_OP_ENDS_WITH, READ_AS_IS},
	{"null", KG_OP_IS_NULL, READ_AS_IS},
	{"missing", KG_OP_IS_NULL, READ_AS_IS},
	{"notnull", KG_OP_IS_NOT_NULL, READ_AS_IS},
	{"exists", KG_OP_IS_NOT_NULL, READ_AS_IS},
	/*
	 * kg_graph has no operator that ignores case, and no negation of
	 * "contains", "like" or "between". Conditions with these names are not
	 * translated.
	 */
	{"ilike", KG_OP_CONTAINS, READ_NEVER},
	{"icontains", KG_OP_CONTAINS, READ_NEVER},
	{"istartswith", KG_OP_STARTS_WITH, READ_NEVER},
	{"iendswith", KG_OP_ENDS_WITH, READ_NEVER},
	{"iexact", KG_OP_EQ, READ_NEVER},
	{"iregex", KG_OP_CONTAINS, READ_NEVER},
	{"notcontains", KG_OP_CONTAINS, READ_NEVER},
	{"notlike", KG_OP_CONTAINS, READ_NEVER},
	{"notbetween", KG_OP_GTE, READ_NEVER},
};

StaticAssertDecl(lengthof(operators) == KG_NOPS, "a row for each operator");

const KgOperator *
kg_operator(KgOp op)
{
	return &operators[op];
}

bool
kg_op_lookup(const char *name, KgOp *op)
{
	for (int i = 0; i < KG_NOPS; i++)
		if (strcmp(name, operators[i].name) == 0)
		{
			*op = i;
			return true;
		}
	return false;
}

/* ---- conditions of other languages ---- */

/* Returns the name in lower case, without "$" and separators. */
static char *
bare_name(const char *name)
{
	char *bare = pstrdup(name);
	char *out = bare;

	for (const char *p = name; *p != '\0'; p++)
		if (strchr("$_- .", *p) == NULL)
			*out++ = pg_ascii_tolower((unsigned char) *p);
	*out = '\0';
	return bare;
}

/*
 * Sets the operator that a name means in some query language, and the way in
 * which its operand is read. Returns false if there is no such operator.
 */
static bool
find_op(const char *name, KgOp *op, Reading *reading)
{
	const char *bare = bare_name(name);

	for (int i = 0; i < lengthof(synonyms); i++)
		if (strcmp(bare, synonyms[i].name) == 0)
		{
			*op = synonyms[i].op;
			*reading = synonyms[i].reading;
			return true;
		}
	*reading = READ_AS_IS;
	for (int i = 0; i < KG_NOPS; i++)
		if (strcmp(bare, bare_name(operators[i].name)) == 0)
		{
			*op = i;
			return true;
		}
	return false;
}

static bool
is_scalar(const JsonbValue *value)
{
	return value->type != jbvBinary && value->type != jbvNull;
}

/* Returns the number of items of an array of scalars; 0 for any other value. */
static int
scalars(const JsonbValue *value)
{
	if (!kg_json_is_array(value))
		return 0;
	kg_json_each(it, kg_json_container(value))
		if (!is_scalar(&it.value))
			return 0;
	return kg_json_length(kg_json_container(value));
}

static Jsonb *
condition_of(KgOp op, const JsonbValue *value)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_key(&w, operators[op].name);
	kg_jw_value(&w, value);
	return kg_jw_finish(&w);
}

static Jsonb *
flag(KgOp op, bool holds)
{
	JsonbValue value = {.type = jbvBool};

	value.val.boolean = holds;
	return condition_of(op, &value);
}

static Jsonb *
part_of(KgOp op, const char *text, int len)
{
	JsonbValue value = {.type = jbvString};

	if (len == 0)
		return NULL;
	value.val.string.val = (char *) text;
	value.val.string.len = len;
	return condition_of(op, &value);
}

/*
 * Returns the condition for a pattern that is a plain text; NULL if the pattern
 * has special characters. before and after are true if other text may precede
 * and follow the plain text.
 */
static Jsonb *
pattern(const char *text, int len, bool before, bool after, const char *special)
{
	for (int i = 0; i < len; i++)
		if (strchr(special, text[i]) != NULL)
			return NULL;
	return part_of(before && after ? KG_OP_CONTAINS
				   : before		   ? KG_OP_ENDS_WITH
				   : after		   ? KG_OP_STARTS_WITH
								   : KG_OP_EQ,
				   text,
				   len);
}

static Jsonb *
read_like(const JsonbValue *value)
{
	const char *text = value->val.string.val;
	int len = value->val.string.len;
	bool before = len > 0 && text[0] == '%';
	bool after = len > 1 && text[len - 1] == '%';

	/* A pattern without any "%" is meant as a part of a text. */
	if (memchr(text, '%', len) == NULL)
		before = after = true;
	else
	{
		text += before;
		len -= before + after;
	}
	return pattern(text, len, before, after, "%_\\");
}

static Jsonb *
read_regex(const JsonbValue *value)
{
	const char *text = value->val.string.val;
	int len = value->val.string.len;
	bool before = true;
	bool after = true;

	if (len > 0 && text[0] == '^')
	{
		before = false;
		text++;
		len--;
	}
	if (len > 0 && text[len - 1] == '$')
	{
		after = false;
		len--;
	}
	if (len >= 2 && strncmp(text, ".*", 2) == 0)
	{
		before = true;
		text += 2;
		len -= 2;
	}
	if (len >= 2 && strncmp(text + len - 2, ".*", 2) == 0)
	{
		after = true;
		len -= 2;
	}
	return pattern(text, len, before, after, "\\.[]{}()*+?|^$");
}

/* Returns an array of "ne" conditions, one for each value of the list. */
static Jsonb *
none_of(const JsonbValue *list)
{
	KgJsonWriter w;

	kg_jw_init_array(&w);
	kg_json_each(it, kg_json_container(list))
		kg_jw_jsonb(&w, condition_of(KG_OP_NE, &it.value));
	return kg_jw_finish(&w);
}

static Jsonb *
read_range(const JsonbValue *value)
{
	bool array = scalars(value) == 2;
	KgJsonWriter w;
	KgOp op;
	Reading reading;

	if (!array && !kg_json_is_object(value))
		return NULL;
	kg_jw_init_object(&w);
	kg_json_each(it, kg_json_container(value))
	{
		if (array)
			op = it.index == 0 ? KG_OP_GTE : KG_OP_LTE;
		else if (!is_scalar(&it.value) ||
				 !find_op(kg_json_cstring(&it.key), &op, &reading) ||
				 reading != READ_AS_IS ||
				 operators[op].form != KG_OPERAND_ORDERED)
			return NULL;
		kg_jw_key(&w, operators[op].name);
		kg_jw_value(&w, &it.value);
	}
	return kg_jw_finish(&w);
}

static Jsonb *
read_as_is(KgOp op, const JsonbValue *value)
{
	Jsonb *boolean = NULL;
	int n = scalars(value);

	switch (operators[op].form)
	{
		case KG_OPERAND_VALUE:
		case KG_OPERAND_ORDERED:
			return is_scalar(value) ? condition_of(op, value) : NULL;
		case KG_OPERAND_PART:
			return value->type == jbvString ? part_of(op,
													  value->val.string.val,
													  value->val.string.len)
											: NULL;
		case KG_OPERAND_LIST:
			return n >= 1 && n <= KG_MAX_IN_VALUES ? condition_of(op, value)
												   : NULL;
		case KG_OPERAND_FLAG:
			if (value->type == jbvBool)
				return flag(op, value->val.boolean);
			boolean = kg_meant_bool(value);
			if (boolean != NULL)
			{
				JsonbValue read;

				kg_json_root(boolean, &read);
				return condition_of(op, &read);
			}
			break;
	}
	return NULL;
}

/*
 * Returns whether the value is null. If word is true, the strings "null" and
 * "not null" count, too.
 */
static bool
is_null(const JsonbValue *value, bool word, bool *not_null)
{
	const char *text;

	*not_null = false;
	if (value->type == jbvNull)
		return true;
	if (!word || value->type != jbvString)
		return false;
	text = bare_name(kg_json_cstring(value));
	*not_null = strcmp(text, "notnull") == 0;
	return *not_null || strcmp(text, "null") == 0;
}

Jsonb *
kg_op_condition(const char *name, const JsonbValue *value)
{
	int n = scalars(value);
	bool not_null;
	KgOp op;
	Reading reading;

	if (!find_op(name, &op, &reading))
		return NULL;
	switch (reading)
	{
		case READ_AS_IS:
			return read_as_is(op, value);
		case READ_EQUAL:
		case READ_IS:
			if (is_null(value, reading == READ_IS, &not_null))
				return flag(not_null ? KG_OP_IS_NOT_NULL : KG_OP_IS_NULL, true);
			return read_as_is(n > 0 ? KG_OP_IN : op, value);
		case READ_NOT:
		case READ_IS_NOT:
			if (is_null(value, reading == READ_IS_NOT, &not_null))
				return flag(not_null ? KG_OP_IS_NULL : KG_OP_IS_NOT_NULL, true);
			if (n == 1)
			{
				KgJsonIter it;

				kg_json_iter_init(&it, kg_json_container(value));
				(void) kg_json_iter_next(&it);
				return read_as_is(op, &it.value);
			}
			if (n > 1)
				return n <= KG_MAX_CONDITION_OBJECTS ? none_of(value) : NULL;
			return read_as_is(op, value);
		case READ_RANGE:
			return read_range(value);
		case READ_LIKE:
			return value->type == jbvString ? read_like(value) : NULL;
		case READ_REGEX:
			return value->type == jbvString ? read_regex(value) : NULL;
		case READ_NEVER:
			break;
	}
	return NULL;
}

/* ---- conditions on days ---- */

static void
write_bound(KgJsonWriter *w, KgOp op, KgKind kind, const char *day)
{
	kg_jw_kstring(w,
				  operators[op].name,
				  kind == KG_KIND_DATE ? day : psprintf("%sT00:00:00Z", day));
}

/* Returns a condition on a span of days [first, after), or NULL. */
static Jsonb *
condition_on_span(KgKind kind, KgOp op, const char *first, const char *after)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	switch ((int) op)
	{
		case KG_OP_GTE:
		case KG_OP_LT:
			write_bound(&w, op, kind, first);
			break;
		case KG_OP_GT:
			write_bound(&w, KG_OP_GTE, kind, after);
			break;
		case KG_OP_LTE:
			write_bound(&w, KG_OP_LT, kind, after);
			break;
		case KG_OP_EQ:
			write_bound(&w, KG_OP_GTE, kind, first);
			write_bound(&w, KG_OP_LT, kind, after);
			break;
		default:
			return NULL;
	}
	return kg_jw_finish(&w);
}

/*
 * Returns the condition on the day of an instant; NULL if a day cannot express
 * it. Unless the instant is the beginning of its day, part of the day is before
 * it and part after it.
 */
static Jsonb *
condition_on_day_of(KgOp op, const char *instant)
{
	const char *time = instant + strlen("YYYY-MM-DDT");
	char *day = pnstrdup(instant, strlen("YYYY-MM-DD"));
	bool begins = strncmp(time, "00:00:00", 8) == 0 &&
				  (time[8] != '.' ||
				   strspn(time + 9, "0123456789") == strspn(time + 9, "0"));
	KgJsonWriter w;

	if (op == KG_OP_GTE && !begins)
		return NULL;
	kg_jw_init_object(&w);
	write_bound(
		&w, op == KG_OP_LT && !begins ? KG_OP_LTE : op, KG_KIND_DATE, day);
	return kg_jw_finish(&w);
}

Jsonb *
kg_op_condition_on_days(KgKind kind, KgOp op, const JsonbValue *value)
{
	bool date = kind == KG_KIND_DATE;
	char *first;
	char *after;

	if (operators[op].form != KG_OPERAND_VALUE &&
		operators[op].form != KG_OPERAND_ORDERED)
		return NULL;
	if (date && value->type == jbvString &&
		kg_format_date_time(value->val.string.val, value->val.string.len))
		return condition_on_day_of(op, kg_json_cstring(value));
	if ((!date && kind != KG_KIND_DATETIME) ||
		!kg_meant_days(value, &first, &after))
		return NULL;
	/* A date is compared with a single day directly, without a span. */
	if (date && kg_meant_value(kind, value) != NULL)
		return NULL;
	return condition_on_span(kind, op, first, after);
}

/* Returns the text without surrounding blanks. */
static JsonbValue
trimmed(const char *text, int len)
{
	JsonbValue value = {.type = jbvString};

	while (len > 0 && *text == ' ')
	{
		text++;
		len--;
	}
	while (len > 0 && text[len - 1] == ' ')
		len--;
	value.val.string.val = (char *) text;
	value.val.string.len = len;
	return value;
}

/*
 * Returns the condition on values of a kind that an operator followed by this
 * text means, or NULL.
 */
static Jsonb *
condition_with(KgKind kind, KgOp op, const char *text, int len)
{
	JsonbValue value = trimmed(text, len);
	bool fits = (kind == KG_KIND_DATE &&
				 kg_format_date(value.val.string.val, value.val.string.len)) ||
				(kind == KG_KIND_DATETIME &&
				 kg_format_date_time(value.val.string.val,
									 value.val.string.len));
	Jsonb *meant = NULL;

	if (value.val.string.len == 0)
		return NULL;
	if (!fits)
	{
		meant = kg_op_condition_on_days(kind, op, &value);
		if (meant != NULL)
			return meant;
		meant = kg_meant_value(kind, &value);
		if (meant == NULL)
			return NULL;
		kg_json_root(meant, &value);
	}
	return read_as_is(op, &value);
}

Jsonb *
kg_op_condition_of_text(KgKind kind, const char *text)
{
	const char *range = strstr(text, "..");
	const char *best = NULL;
	Reading reading;
	KgOp op;
	Jsonb *lower;
	Jsonb *upper;

	while (*text == ' ')
		text++;
	for (int i = 0; i < lengthof(synonyms); i++)
	{
		const char *sign = synonyms[i].name;

		if (!isalpha((unsigned char) sign[0]) &&
			strncmp(text, sign, strlen(sign)) == 0 &&
			(best == NULL || strlen(sign) > strlen(best)))
			best = sign;
	}
	if (best != NULL && find_op(best, &op, &reading))
		return condition_with(
			kind, op, text + strlen(best), strlen(text) - strlen(best));
	if (range == NULL)
		return NULL;
	lower = condition_with(kind, KG_OP_GTE, text, range - text);
	upper = condition_with(kind, KG_OP_LTE, range + 2, strlen(range + 2));
	if (lower != NULL && upper != NULL)
	{
		KgJsonWriter w;

		kg_jw_init_object(&w);
		kg_jw_members(&w, &lower->root);
		kg_jw_members(&w, &upper->root);
		return kg_jw_finish(&w);
	}
	return NULL;
}

Jsonb *
kg_op_condition_of_member(const KgField *field, const char *name,
						  const JsonbValue *value)
{
	static const char *const names[] = {"includes", "include", "has"};
	const char *bare = bare_name(name);
	KgOp op = field->is_array ? KG_OP_EQ : KG_OP_CONTAINS;

	if (!is_scalar(value) || !kg_op_applies(op, field))
		return NULL;
	for (int i = 0; i < lengthof(names); i++)
		if (strcmp(bare, names[i]) == 0)
			return condition_of(op, value);
	return NULL;
}

const char *
kg_op_in_name(const char *name, const char *property)
{
	int len = strlen(name);
	int rest = len - (int) strlen(property);
	const char *op = NULL;
	KgOp found;
	Reading reading;

	if (rest < 1)
		return NULL;
	if (strncmp(name, property, len - rest) == 0)
		op = name + len - rest;
	else if (strcmp(name + rest, property) == 0)
		op = pnstrdup(name, rest);
	/*
	 * A word must be separated from the property: "minor" is not "min" of "or".
	 */
	if (op == NULL || !find_op(op, &found, &reading) ||
		(isalnum((unsigned char) op[0]) &&
		 isalnum((unsigned char) op[strlen(op) - 1])))
		return NULL;
	return op;
}

const char *
kg_op_meant(const char *name)
{
	const char *names[KG_NOPS];
	int n = 0;
	KgOp op;
	Reading reading;

	if (find_op(name, &op, &reading))
		return NULL;
	/*
	 * A short name with another letter may be another operator, so it is not
	 * suggested.
	 */
	for (int i = 0; i < KG_NOPS; i++)
		if (strlen(operators[i].name) > 3)
			names[n++] = operators[i].name;
	return kg_nearest(name, names, n);
}

const char *
kg_op_instead(KgOp op)
{
	switch ((int) op)
	{
		case KG_OP_CONTAINS:
			return operators[KG_OP_EQ].name;
		case KG_OP_CONTAINS_ANY:
			return operators[KG_OP_IN].name;
		default:
			return NULL;
	}
}

KgOp
kg_op_opposite(KgOp op)
{
	Assert(operators[op].form == KG_OPERAND_FLAG);
	return op == KG_OP_IS_NULL ? KG_OP_IS_NOT_NULL : KG_OP_IS_NULL;
}

bool
kg_op_applies(KgOp op, const KgField *field)
{
	KgKind kind = field ? field->kind : KG_KIND_STRING;

	switch (operators[op].subject)
	{
		case KG_ON_ALL:
			return true;
		case KG_ON_ORDERED:
			return kind != KG_KIND_ENUM && kind != KG_KIND_BOOLEAN;
		case KG_ON_TEXT:
			return kind == KG_KIND_STRING || kind == KG_KIND_ENUM;
		case KG_ON_PROPERTY:
			return field != NULL;
		case KG_ON_ARRAY:
			return field != NULL && field->is_array;
	}
	return false;
}

bool
kg_op_passes(KgOp op, int order)
{
	switch (operators[op].test)
	{
		case KG_IS_EQUAL:
			return order == 0;
		case KG_IS_ABOVE:
			return order > 0;
		case KG_IS_FROM:
			return order >= 0;
		case KG_IS_BELOW:
			return order < 0;
		case KG_IS_UP_TO:
			return order <= 0;
		case KG_IS_PART:
		case KG_IS_START:
		case KG_IS_END:
			/*
			 * Analysis replaced the operand by the values of the enum that pass
			 * the test.
			 */
			return order == 0;
		case KG_IS_PRESENT:
		case KG_IS_MISSING:
			break;
	}
	elog(ERROR, "operator \"%s\" has no order", operators[op].name);
}

static bool
is_part(const char *text, int len, const char *part, int partlen)
{
	for (int i = 0; i + partlen <= len; i++)
		if (memcmp(text + i, part, partlen) == 0)
			return true;
	return false;
}

bool
kg_op_passes_text(KgOp op, const char *text, int len, const char *part,
				  int partlen)
{
	switch (operators[op].test)
	{
		case KG_IS_PART:
			return is_part(text, len, part, partlen);
		case KG_IS_START:
			return partlen <= len && memcmp(text, part, partlen) == 0;
		case KG_IS_END:
			return partlen <= len &&
				   memcmp(text + len - partlen, part, partlen) == 0;
		case KG_IS_EQUAL:
		case KG_IS_ABOVE:
		case KG_IS_FROM:
		case KG_IS_BELOW:
		case KG_IS_UP_TO:
		case KG_IS_PRESENT:
		case KG_IS_MISSING:
			break;
	}
	elog(ERROR, "operator \"%s\" takes no text", operators[op].name);
}
